//! How a beam with interpolated motions is discretised.

use poinsot_geometry::interpolation::Metric;

/// Where the strain energy of an element of order N is summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StrainPoints {
    /// At N Gauss points: free of locking.
    #[default]
    Gauss,
    /// At the N + 1 nodes: too stiff in extension and shear, for comparison with publications.
    Lobatto,
}

/// What the stress of an element does virtual work on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VirtualStrains {
    /// The variation of the strains: forces have a potential, their tangent is symmetric.
    #[default]
    Consistent,
    /// Strains of virtual displacements that are interpolated in section axes, as published: the forces of an
    /// element have no potential and do not quite balance, their tangent is not symmetric; same order.
    Interpolated,
}

/// How a [`MotionBeam`](super::MotionBeam) interpolates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MotionScheme {
    /// The metric, whose parameter measures relative motions. Geodesic is exact for any constant strain.
    pub metric: Metric,
    /// Where the strain energy is summed.
    pub points: StrainPoints,
    /// What the stress does virtual work on.
    pub virtual_strains: VirtualStrains,
}

impl Default for MotionScheme {
    fn default() -> Self {
        MotionScheme {
            metric: Metric::Geodesic,
            points: StrainPoints::default(),
            virtual_strains: VirtualStrains::default(),
        }
    }
}
