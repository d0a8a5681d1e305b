//! Euler angles, all twelve intrinsic sequences (floating-frame-and-ancf §1.2.10, §1.2.11,
//! gs4-isochronous-integrators I-70, I-71).
//!
//! For the sequence `ijk` with angles `(a, b, c)`, `A = R_i(a) R_j(b) R_k(c)` maps body to space. The set is
//! singular where the first and third axes line up: `sin b = 0` for `i = k`, `cos b = 0` otherwise.

use crate::so3::skew;
use crate::{Mat3, Vec3};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// `|sin b|` or `|cos b|` below which a set of angles counts as singular.
pub const SINGULAR_MARGIN: f64 = 1e-8;
/// Margin of the order of rounding, where the outer angles cannot be told apart at all.
const ROUNDING_MARGIN: f64 = 4e-15;

/// Errors of Euler angles.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum EulerError {
    /// The first and third axes line up.
    #[error(
        "Euler angles {sequence} are singular at middle angle {middle} rad: only {margin:e} from lining up the outer axes (need {:e})",
        SINGULAR_MARGIN
    )]
    Singular {
        /// Sequence in use.
        sequence: Sequence,
        /// Middle angle.
        middle: f64,
        /// `|sin b|` or `|cos b|`: the determinant of the rate map.
        margin: f64,
    },
    /// Not one of the twelve names.
    #[error(
        "unknown Euler sequence \"{name}\": use three axes with no two neighbours equal, one of xyz xzy yxz yzx zxy zyx xyx xzx yxy yzy zxz zyz"
    )]
    UnknownSequence {
        /// The name as given.
        name: String,
    },
}

/// An intrinsic rotation sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sequence {
    axes: [usize; 3],
}

/// Angles found from a rotation matrix, and how near the singularity they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Extraction {
    /// All three angles are determined.
    Regular {
        /// First, middle and last angle.
        angles: Vec3,
        /// `|sin b|` or `|cos b|`; errors of the outer angles grow with its inverse.
        margin: f64,
    },
    /// Only a combination of the outer angles is well determined.
    Singular {
        /// Angles that reproduce the matrix; the last one is zero at the singularity itself.
        angles: Vec3,
        /// `|sin b|` or `|cos b|`, below [`SINGULAR_MARGIN`].
        margin: f64,
    },
}

impl Extraction {
    /// The angles; they reproduce the matrix in both cases.
    pub fn angles(&self) -> Vec3 {
        match *self {
            Self::Regular { angles, .. } | Self::Singular { angles, .. } => angles,
        }
    }

    /// Distance from the singularity, `|sin b|` or `|cos b|`.
    pub fn margin(&self) -> f64 {
        match *self {
            Self::Regular { margin, .. } | Self::Singular { margin, .. } => margin,
        }
    }

    /// Whether the outer angles are undetermined.
    pub fn is_singular(&self) -> bool {
        matches!(self, Self::Singular { .. })
    }
}

impl Sequence {
    /// All twelve sequences.
    pub const ALL: [Self; 12] = [
        Self { axes: [0, 1, 2] },
        Self { axes: [0, 2, 1] },
        Self { axes: [1, 0, 2] },
        Self { axes: [1, 2, 0] },
        Self { axes: [2, 0, 1] },
        Self { axes: [2, 1, 0] },
        Self { axes: [0, 1, 0] },
        Self { axes: [0, 2, 0] },
        Self { axes: [1, 0, 1] },
        Self { axes: [1, 2, 1] },
        Self { axes: [2, 0, 2] },
        Self { axes: [2, 1, 2] },
    ];
    /// 3-1-3: precession, nutation, spin.
    pub const ZXZ: Self = Self { axes: [2, 0, 2] };
    /// 1-2-3: Bryant angles.
    pub const XYZ: Self = Self { axes: [0, 1, 2] };
    /// 3-2-1: Cardan angles, yaw, pitch, roll.
    pub const ZYX: Self = Self { axes: [2, 1, 0] };

    /// Whether first and last axis are the same (a proper Euler sequence).
    pub fn is_proper(&self) -> bool {
        self.axes[0] == self.axes[2]
    }

    /// Axes as numbers 0 to 2.
    pub fn axes(&self) -> [usize; 3] {
        self.axes
    }

    /// Sign of the permutation (first, middle, remaining axis).
    fn parity(&self) -> f64 {
        if (self.axes[1] + 3 - self.axes[0]) % 3 == 1 { 1.0 } else { -1.0 }
    }

    /// The axis that is neither the first nor the middle one.
    fn remaining(&self) -> usize {
        3 - self.axes[0] - self.axes[1]
    }

    /// `|sin b|` or `|cos b|`: distance of the middle angle from the singularity.
    pub fn margin(&self, middle: f64) -> f64 {
        if self.is_proper() { middle.sin().abs() } else { middle.cos().abs() }
    }

    /// `A = R_i(a) R_j(b) R_k(c)`.
    pub fn matrix(&self, angles: &Vec3) -> Mat3 {
        let [i, j, k] = self.axes;
        elementary(i, angles[0]) * elementary(j, angles[1]) * elementary(k, angles[2])
    }

    /// Angles of a rotation matrix, the singularity reported with how near it is.
    ///
    /// The middle angle lies in `[0, π]` for proper sequences and in `[-π/2, π/2]` for the others.
    pub fn extract(&self, a: &Mat3) -> Extraction {
        let [i, j, _] = self.axes;
        let (m, e) = (self.remaining(), self.parity());
        // Row i of A holds cos b (or sin b) and, in the other two entries, sin b (or cos b) times (sin c, cos
        // c).
        let (middle, margin) = if self.is_proper() {
            let s = a[(i, j)].hypot(a[(i, m)]);
            (s.atan2(a[(i, i)]), s)
        } else {
            let c = a[(i, i)].hypot(a[(i, j)]);
            ((e * a[(i, m)]).atan2(c), c)
        };
        // Rounding alone decides the outer angles here; with c = 0 column j of A is R_i(a) e_j.
        let undecided = margin < ROUNDING_MARGIN;
        let first = if undecided {
            (e * a[(m, j)]).atan2(a[(j, j)])
        } else if self.is_proper() {
            a[(j, i)].atan2(-e * a[(m, i)])
        } else {
            (-e * a[(j, m)]).atan2(a[(m, m)])
        };
        let last = if undecided { 0.0 } else { self.last_angle(a, first) };
        let angles = Vec3::new(first, middle, last);
        if margin < SINGULAR_MARGIN {
            Extraction::Singular { angles, margin }
        } else {
            Extraction::Regular { angles, margin }
        }
    }

    /// Last angle from row j of `R_i(a)ᵀ A = R_j(b) R_k(c)`, so that an error in `a` near the singularity
    /// is compensated by `c`.
    fn last_angle(&self, a: &Mat3, first: f64) -> f64 {
        let [i, j, _] = self.axes;
        let b = elementary(i, -first) * a;
        let e = self.parity();
        let sine = if self.is_proper() { -e * b[(j, self.remaining())] } else { e * b[(j, i)] };
        sine.atan2(b[(j, j)])
    }

    /// Angles of a rotation matrix, or an error at the singularity.
    pub fn angles(&self, a: &Mat3) -> Result<Vec3, EulerError> {
        match self.extract(a) {
            Extraction::Regular { angles, .. } => Ok(angles),
            Extraction::Singular { angles, margin } => {
                Err(EulerError::Singular { sequence: *self, middle: angles[1], margin })
            }
        }
    }

    /// `G = [e_i, R_i e_j, R_i R_j e_k]`: spatial angular velocity `ω = G θ̇`.
    pub fn rate_map_space(&self, angles: &Vec3) -> Mat3 {
        let [i, j, k] = self.axes;
        let first = elementary(i, angles[0]);
        let second = first * elementary(j, angles[1]);
        Mat3::from_columns(&[Vec3::ith(i, 1.0), first.column(j).into(), second.column(k).into()])
    }

    /// `Ḡ = Aᵀ G`: body angular velocity `ω̄ = Ḡ θ̇`.
    pub fn rate_map_body(&self, angles: &Vec3) -> Mat3 {
        let [i, j, k] = self.axes;
        let last = elementary(k, -angles[2]);
        let second = last * elementary(j, -angles[1]);
        Mat3::from_columns(&[second.column(i).into(), last.column(j).into(), Vec3::ith(k, 1.0)])
    }

    /// `G⁻¹`: angle rates from the spatial angular velocity.
    pub fn rate_map_space_inv(&self, angles: &Vec3) -> Result<Mat3, EulerError> {
        self.invert(&self.rate_map_space(angles), angles)
    }

    /// `Ḡ⁻¹`: angle rates from the body angular velocity.
    pub fn rate_map_body_inv(&self, angles: &Vec3) -> Result<Mat3, EulerError> {
        self.invert(&self.rate_map_body(angles), angles)
    }

    fn invert(&self, map: &Mat3, angles: &Vec3) -> Result<Mat3, EulerError> {
        let margin = self.margin(angles[1]);
        let singular = EulerError::Singular { sequence: *self, middle: angles[1], margin };
        if margin < SINGULAR_MARGIN {
            return Err(singular);
        }
        map.try_inverse().ok_or(singular)
    }

    /// `Ġ` for given angle rates: `α = G θ̈ + Ġ θ̇`.
    ///
    /// Each column is an axis carried by the rotations before it: `ġ2 = ȧ g1×g2`, `ġ3 = (ȧ g1 + ḃ g2)×g3`.
    pub fn rate_map_space_rate(&self, angles: &Vec3, rates: &Vec3) -> Mat3 {
        let g = self.rate_map_space(angles);
        let (g1, g2, g3) = (g.column(0), g.column(1), g.column(2));
        let (first, second) = (rates[0] * g1, rates[0] * g1 + rates[1] * g2);
        Mat3::from_columns(&[Vec3::zeros(), first.cross(&g2), second.cross(&g3)])
    }

    /// `Ḡ̇ = Aᵀ (Ġ - ω~ G)` for given angle rates: `ᾱ = Ḡ θ̈ + Ḡ̇ θ̇`.
    pub fn rate_map_body_rate(&self, angles: &Vec3, rates: &Vec3) -> Mat3 {
        let g = self.rate_map_space(angles);
        let carried = skew(&(g * rates)) * g;
        self.matrix(angles).transpose() * (self.rate_map_space_rate(angles, rates) - carried)
    }
}

/// Rotation about coordinate axis `axis`, body to space.
pub fn elementary(axis: usize, angle: f64) -> Mat3 {
    let (s, c) = angle.sin_cos();
    let (p, q) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut r = Mat3::identity();
    (r[(p, p)], r[(q, q)]) = (c, c);
    (r[(q, p)], r[(p, q)]) = (s, -s);
    r
}

/// Reads "zxz", "ZXZ", "313" or "3-1-3".
impl FromStr for Sequence {
    type Err = EulerError;

    fn from_str(name: &str) -> Result<Self, EulerError> {
        let unknown = || EulerError::UnknownSequence { name: name.to_owned() };
        let mut axes = [0; 3];
        let mut count = 0;
        for symbol in name.chars().filter(|&c| c != '-') {
            let axis = match symbol.to_ascii_lowercase() {
                'x' | '1' => 0,
                'y' | '2' => 1,
                'z' | '3' => 2,
                _ => return Err(unknown()),
            };
            *axes.get_mut(count).ok_or_else(unknown)? = axis;
            count += 1;
        }
        if count != 3 || axes[0] == axes[1] || axes[1] == axes[2] {
            return Err(unknown());
        }
        Ok(Self { axes })
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.axes.iter().try_for_each(|&a| f.write_str(["x", "y", "z"][a]))
    }
}
