//! Constraints whose rows are functions of coordinates, speeds and time.
//!
//! ```text
//! holonomic row      Φ = F(s₁ … s_m, t)
//! row on velocities  ψ = F(s₁ … s_m, w₁ … w_p, t),   linear in the speeds w
//! ```
//! The chain rule gives, with W_pa the weights of speed p,
//!
//! ```text
//! holonomic:   G_a = Σ_j F_j ∂s_j,      ∂(rate)/∂x = Σ_j F_j ∂ṡ_j + Σ_j (Σ_l F_jl ṡ_l + F_jt) ∂s_j
//! velocities:  G_a = Σ_p F_p W_pa,      ∂(rate)/∂x = Σ_j F_j ∂s_j + Σ_p F_p ∂w_p
//! ```
//! so that couplings, drives, rolling contacts and constraints from a user's expression are all written as
//! one formula each.

mod constraint;
mod evaluate;
mod hessian;
mod law;

pub(crate) use evaluate::{gather, push_all};
pub(crate) use hessian::renumber;
pub use law::Law;

use crate::coordinate::Coordinate;
use crate::discrete_gradients::arm;
use crate::element_buffers::{MAX_CONSTRAINED, MAX_MEMORY, MAX_ROWS};
use crate::nodes::carried::Carried;
use crate::speed::Speed;
use poinsot_expr::Jet;

/// One row: F of some of the coordinates, then of some of the speeds, then of t.
#[derive(Clone, Debug)]
pub struct Equation {
    /// What it forbids, for messages.
    pub name: &'static str,
    /// Indices of the coordinates.
    pub coordinates: Vec<usize>,
    /// Indices of the speeds; a row without any is holonomic.
    pub speeds: Vec<usize>,
    /// F of those and of t.
    pub law: Law,
}

impl Equation {
    /// A holonomic row over the first `count` coordinates.
    pub fn holonomic(name: &'static str, count: usize, law: Law) -> Self {
        Equation { name, coordinates: (0..count).collect(), speeds: vec![], law }
    }

    fn is_bent(&self) -> bool {
        let n = self.coordinates.len() + self.speeds.len();
        (0..n).any(|i| (0..=n).any(|j| !self.law.second_is_zero(i, j)))
    }
}

/// A constraint made of [`Equation`]s.
#[derive(Clone, Debug)]
pub struct Equations {
    kind: &'static str,
    noun: &'static str,
    pub(crate) carried: Vec<Carried>,
    pub(crate) coordinates: Vec<(Coordinate, [usize; 3])>,
    pub(crate) speeds: Vec<(Speed, [usize; 4])>,
    pub(crate) rows: Vec<Equation>,
    /// Whether the slopes of a row change with its arguments: an F_jl or F_jt that is not zero everywhere.
    bent: Vec<bool>,
    reaction_point: usize,
    /// Coordinates start in the turn nearest to these values.
    near: Vec<f64>,
    /// The length that compares lengths with angles.
    pub(crate) arm: f64,
}

/// Why a constraint cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EquationsError {
    /// It refers to too many vectors.
    #[error("the constraint depends on {0} points and directions, more than {MAX_CONSTRAINED}")]
    TooManyVectors(usize),
    /// It refers to too many coordinates.
    #[error("the constraint depends on {0} coordinates, more than {MAX_MEMORY}")]
    TooManyCoordinates(usize),
    /// It has too many rows.
    #[error("the constraint has {0} rows, more than {MAX_ROWS}")]
    TooManyRows(usize),
}

/// Numbers of arguments of F at most: coordinates, speeds and time.
pub(crate) const MAX_ARGUMENTS: usize = 2 * MAX_MEMORY + 1;

/// F, then F_i of the arguments in the order of [`Equations::arguments`].
pub(crate) type First = [f64; 1 + MAX_ARGUMENTS];

/// F_ij at [`Jet::place`].
pub(super) type Second = [f64; Jet::place(0, MAX_ARGUMENTS)];

pub(super) const NO_SECOND: Second = [0.0; Jet::place(0, MAX_ARGUMENTS)];

impl Equations {
    /// A constraint of the library, whose size is known to fit; reactions are reported at the point
    /// `reaction_at`.
    pub(crate) fn new(
        kind: &'static str,
        coordinates: Vec<Coordinate>,
        speeds: Vec<Speed>,
        rows: Vec<Equation>,
        reaction_at: Carried,
    ) -> Self {
        Self::try_new(kind, coordinates, speeds, rows, reaction_at).expect("a constraint of the library fits")
    }

    /// Makes a constraint; reactions are reported at the point `reaction_at`.
    pub fn try_new(
        kind: &'static str,
        coordinates: Vec<Coordinate>,
        speeds: Vec<Speed>,
        rows: Vec<Equation>,
        reaction_at: Carried,
    ) -> Result<Self, EquationsError> {
        let mut carried: Vec<Carried> = Vec::new();
        let mut place = |c: &Carried| match carried.iter().position(|known| known == c) {
            Some(k) => k,
            None => {
                carried.push(*c);
                carried.len() - 1
            }
        };
        let reaction_point = place(&reaction_at);
        let coordinates: Vec<_> = coordinates
            .into_iter()
            .map(|s| {
                let places = places_of(s.carried(), &mut place);
                (s, places)
            })
            .collect();
        let speeds: Vec<_> = speeds
            .into_iter()
            .map(|w| {
                let places = places_of(w.carried(), &mut place);
                (w, places)
            })
            .collect();
        if carried.len() > MAX_CONSTRAINED {
            return Err(EquationsError::TooManyVectors(carried.len()));
        }
        if coordinates.len() > MAX_MEMORY || speeds.len() > MAX_MEMORY {
            return Err(EquationsError::TooManyCoordinates(coordinates.len().max(speeds.len())));
        }
        if rows.len() > MAX_ROWS {
            return Err(EquationsError::TooManyRows(rows.len()));
        }
        let near = vec![0.0; coordinates.len()];
        let arm = arm(&carried);
        let bent = rows.iter().map(Equation::is_bent).collect();
        let noun = "joint";
        Ok(Equations { kind, noun, carried, coordinates, speeds, rows, bent, reaction_point, near, arm })
    }

    /// Gives it another noun than joint, see [`noun`](crate::Constraint::noun).
    pub fn called(mut self, noun: &'static str) -> Self {
        self.noun = noun;
        self
    }

    /// Starts the coordinates in the turns nearest to the given values.
    pub fn starting_near(mut self, near: &[f64]) -> Self {
        self.near.iter_mut().zip(near).for_each(|(own, near)| *own = *near);
        self
    }

    /// The coordinates.
    pub fn coordinates(&self) -> impl Iterator<Item = &Coordinate> {
        self.coordinates.iter().map(|(s, _)| s)
    }
}

/// Marks an unused place.
pub(crate) const NONE: usize = usize::MAX;

fn places_of<const N: usize>(carried: &[Carried], place: &mut impl FnMut(&Carried) -> usize) -> [usize; N] {
    let mut places = [NONE; N];
    for (slot, c) in places.iter_mut().zip(carried) {
        *slot = place(c);
    }
    places
}
