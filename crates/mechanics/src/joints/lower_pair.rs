//! The lower pairs and the weld: joints whose free motion has a closed form
//! (energy-momentum-null-space I-46 … I-51, I-54).

/// A joint with a closed form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LowerPair {
    /// Rotation about a point.
    Spherical,
    /// Rotation about an axis.
    Revolute,
    /// Translation along an axis.
    Prismatic,
    /// Rotation about and translation along an axis.
    Cylindrical,
    /// Translation in a plane and rotation about its normal.
    Planar,
    /// No motion.
    Fixed,
}

impl LowerPair {
    /// The axes of the first and of the second attachment that such a joint carries after its two points.
    pub fn axes(self) -> [&'static [usize]; 2] {
        match self {
            LowerPair::Spherical => [&[], &[]],
            LowerPair::Revolute | LowerPair::Cylindrical => [&[0, 1], &[2]],
            LowerPair::Planar => [&[0, 1, 2], &[2]],
            LowerPair::Prismatic | LowerPair::Fixed => [&[0, 1, 2], &[0, 1, 2]],
        }
    }
}
