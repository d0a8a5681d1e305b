//! A point of the quadrature of a beam with directors: fields, strains and their derivatives.

use super::beam::{BeamError, VECTORS};
use crate::assembly::strain::{OWN, Slopes, StrainPoint};
use crate::beams::interpolation::{MAX_NODES, shape};
use crate::joints::Attachment;
use crate::nodes::chart::Frame;
use poinsot_geometry::interpolation::Quadrature;
use poinsot_geometry::{Vec3, Vec6};

/// The strains that each of them takes part in: Γ, and Γ_m, K_{m+1}, K_{m+2} of d_m.
pub(super) const ROWS: [[usize; OWN]; VECTORS] = [[0, 1, 2], [0, 4, 5], [1, 5, 3], [2, 3, 4]];

/// A Gauss point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub xi: f64,
    /// Weight times ds/dξ.
    pub weight: f64,
    /// N_a.
    pub value: [f64; MAX_NODES],
    /// dN_a/ds.
    pub slope: [f64; MAX_NODES],
    /// Strains of the reference.
    pub reference: Vec6,
}

/// r′, d_i and d_i′ at a point, or what is conjugate to them.
#[derive(Clone, Copy)]
pub(super) struct Fields {
    line: Vec3,
    pub(super) axes: [Vec3; 3],
    bends: [Vec3; 3],
}

impl Point {
    #[inline]
    pub(super) fn fields(&self, x: &[Vec3]) -> Fields {
        let zero = Vec3::zeros();
        let mut y = Fields { line: zero, axes: [zero; 3], bends: [zero; 3] };
        for (a, x) in x.chunks_exact(VECTORS).enumerate() {
            let (value, slope) = (self.value[a], self.slope[a]);
            y.line += x[0] * slope;
            for i in 0..3 {
                y.axes[i] += x[1 + i] * value;
                y.bends[i] += x[1 + i] * slope;
            }
        }
        y
    }

    /// f −= the transpose of [`Point::fields`].
    #[inline]
    pub(super) fn pull(&self, y: &Fields, f: &mut [Vec3]) {
        for (a, f) in f.chunks_exact_mut(VECTORS).enumerate() {
            let (value, slope) = (self.value[a], self.slope[a]);
            f[0] -= y.line * slope;
            for i in 0..3 {
                f[1 + i] -= y.axes[i] * value + y.bends[i] * slope;
            }
        }
    }

    pub fn strain(&self, x: &[Vec3]) -> Vec6 {
        self.fields(x).strain() - self.reference
    }

    /// B_k x of every nodal vector, in the order of [`ROWS`].
    pub(super) fn slopes(&self, y: &Fields, slopes: &mut [Slopes], nodes: usize) {
        for (a, g) in slopes.chunks_exact_mut(VECTORS).take(nodes).enumerate() {
            let (value, slope) = (self.value[a], self.slope[a]);
            g[0] = y.axes.map(|d| d * slope);
            for m in 0..3 {
                let (j, k) = ((m + 1) % 3, (m + 2) % 3);
                let by_next = (y.bends[k] * value - y.axes[k] * slope) * 0.5;
                let by_last = (y.axes[j] * slope - y.bends[j] * value) * 0.5;
                g[1 + m] = [y.line * value, by_next, by_last];
            }
        }
    }

    /// Σ_k S_k B_k, whose blocks are multiples of the identity.
    pub(super) fn geometric(&self, nodes: usize, s: &Vec6, point: &mut StrainPoint) {
        point.clear_geometric();
        for a in 0..nodes {
            for b in 0..nodes {
                let (value, slope) = (self.value[a], self.slope[b]);
                let bend = 0.5 * (value * slope - self.slope[a] * self.value[b]);
                for i in 0..3 {
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    point.push_geometric(VECTORS * b, VECTORS * a + 1 + i, s[i] * value * slope);
                    if a != b {
                        point.push_geometric(VECTORS * a + 1 + k, VECTORS * b + 1 + j, s[3 + i] * bend);
                    }
                }
            }
        }
    }
}

impl Fields {
    #[inline]
    pub(super) fn strain(&self) -> Vec6 {
        let mut e = Vec6::zeros();
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            e[i] = self.axes[i].dot(&self.line);
            e[3 + i] = 0.5 * (self.axes[k].dot(&self.bends[j]) - self.axes[j].dot(&self.bends[k]));
        }
        e
    }

    /// Σ_k S_k ∂ε_k by the fields: the force of the section, and for each axis what turns and what bends it.
    #[inline]
    pub(super) fn stressed(&self, s: &Vec6) -> Fields {
        let mut y = *self;
        y.line = self.axes[0] * s[0] + self.axes[1] * s[1] + self.axes[2] * s[2];
        for m in 0..3 {
            let (j, k) = ((m + 1) % 3, (m + 2) % 3);
            let (by_next, by_last) = (0.5 * s[3 + j], 0.5 * s[3 + k]);
            y.axes[m] = self.line * s[m] + self.bends[k] * by_next - self.bends[j] * by_last;
            y.bends[m] = self.axes[j] * by_last - self.axes[k] * by_next;
        }
        y
    }

    /// The rate of the strains, Σ ∂ε · ẏ.
    pub(super) fn strain_rate(&self, rate: &Fields) -> Vec6 {
        let mut e = Vec6::zeros();
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            e[i] = self.axes[i].dot(&rate.line) + rate.axes[i].dot(&self.line);
            let first = self.axes[k].dot(&rate.bends[j]) + rate.axes[k].dot(&self.bends[j]);
            let second = self.axes[j].dot(&rate.bends[k]) + rate.axes[j].dot(&self.bends[k]);
            e[3 + i] = 0.5 * (first - second);
        }
        e
    }
}

/// r, d₁, d₂, d₃ of each node in the reference.
pub(super) fn nodal_vectors(
    nodes: &[Attachment],
    reference: &[Frame],
    most: usize,
) -> Result<Vec<Vec3>, BeamError> {
    let n = nodes.len();
    if !(2..=most).contains(&n) {
        return Err(BeamError::Nodes { nodes: n, most });
    }
    if reference.len() != n {
        return Err(BeamError::Reference { nodes: n, frames: reference.len() });
    }
    Ok(reference_vectors(reference))
}

/// r, d₁, d₂, d₃ of each frame.
pub(super) fn reference_vectors(reference: &[Frame]) -> Vec<Vec3> {
    let column = |z: &Frame, k: usize| z.rot.column(k).into_owned();
    reference.iter().flat_map(|z| [z.r, column(z, 0), column(z, 1), column(z, 2)]).collect()
}

/// As many Gauss points as asked for, with the strains of the reference.
pub(super) fn gauss_points(x: &[Vec3], count: usize) -> Result<Vec<Point>, BeamError> {
    let n = x.len() / VECTORS;
    let Quadrature { points: places, weights } = Quadrature::gauss_legendre(count);
    let point = |(&xi, &weight): (&f64, &f64)| {
        let shape = shape(n, xi);
        let mut p = Point { xi, weight, value: shape.value, slope: shape.slope, reference: Vec6::zeros() };
        let stretch = p.fields(x).line.norm();
        if !(stretch > 0.0 && stretch.is_finite()) {
            return Err(BeamError::NoLength);
        }
        p.weight *= stretch;
        p.slope.iter_mut().for_each(|slope| *slope /= stretch);
        p.reference = p.fields(x).strain();
        Ok(p)
    };
    places.iter().zip(&weights).map(point).collect()
}

/// ∫|dr/dξ| dξ of the interpolated reference line.
pub(super) fn arc_length(x: &[Vec3]) -> Result<f64, BeamError> {
    Ok(gauss_points(x, 8)?.iter().map(|p| p.weight).sum())
}
