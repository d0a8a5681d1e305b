//! What can be followed.

use crate::family::FamilyError;

/// A direction in the space of unknowns and parameter.
pub(crate) trait Direction: Clone {
    /// The part of the parameter, in units of its scale.
    fn p(&self) -> f64;

    /// Adds a share of another one.
    fn add(&mut self, share: f64, other: &Self);

    /// Divides by a number.
    fn divide(&mut self, by: f64);
}

/// A solution.
pub(crate) trait OnCurve: Clone {
    /// Value of the parameter.
    fn parameter(&self) -> f64;

    /// Sets a value that is the same but for rounding.
    fn set_parameter(&mut self, value: f64);

    /// Length of the curve since its start.
    fn arc(&self) -> f64;

    /// Says where on the curve it is.
    fn set_arc(&mut self, arc: f64);

    /// Says how the parameter changes along the curve, dp/ds.
    fn set_slope(&mut self, slope: f64);

    /// Keeps the sizes of the corrections that it took.
    fn set_corrections(&mut self, corrections: &[f64]);
}

/// A solution with the tangent of its curve.
#[derive(Clone, Debug)]
pub(crate) struct Place<P, D> {
    pub point: P,
    pub tangent: D,
}

/// A step along a curve, of length h along the first tangent.
pub(crate) struct Step<'a, P, D> {
    pub from: &'a Place<P, D>,
    pub to: &'a Place<P, D>,
    pub h: f64,
    pub branch: usize,
}

/// The singular points that a step has passed.
pub(crate) enum Passed<F> {
    /// These, in the order of the arc.
    Points(Vec<F>),
    /// Several that a shorter step may tell apart.
    Mixed,
}

/// Why no solution was found.
#[derive(Clone, Debug)]
pub(crate) enum Miss {
    /// There is no system at this value of the parameter.
    Family(FamilyError),
    /// The equations are singular at this one.
    Singular(String),
    /// The corrections do not converge; the equation that is farthest from balance.
    Diverged(String),
    /// Something else, in words.
    Other(String),
}

impl Miss {
    /// In words.
    pub fn words(&self) -> String {
        match self {
            Miss::Family(reason) => format!("the system cannot be built there: {reason}"),
            Miss::Singular(equation) => format!("the equations are singular, {equation}"),
            Miss::Diverged(equation) => format!("the corrections do not converge, worst in {equation}"),
            Miss::Other(words) => words.clone(),
        }
    }
}

/// What is followed: solutions of F(x; p) = 0 in a space with a measure.
pub(crate) trait Curve {
    /// A solution.
    type Point: OnCurve;
    /// A direction.
    type Way: Direction;
    /// A singular point with what is needed to leave it on another curve.
    type Found;

    /// Size of typical changes of the parameter.
    fn scale(&self) -> f64;

    /// Size of a correction at which a point counts as found.
    fn tolerance(&self) -> f64;

    /// ⟨a, b⟩.
    fn dot(&self, a: &Self::Way, b: &Self::Way) -> f64;

    /// Moves a point: x ∘ h·direction.
    fn go(&mut self, at: &mut Self::Point, direction: &Self::Way, h: f64) -> Result<(), Miss>;

    /// F and its derivatives at a point, with ⟨normal, ·⟩ as border, ready to be solved.
    fn linearise(&mut self, at: &Self::Point, normal: &Self::Way) -> Result<(), Miss>;

    /// The correction δ of the point that was linearised: F′ δ = −F, ⟨normal, δ⟩ = 0.
    fn correction(&mut self) -> Result<Self::Way, Miss>;

    /// The direction along the curve: F′ τ = 0, ⟨normal, τ⟩ = 1.
    fn along(&mut self) -> Result<Self::Way, Miss>;

    /// Whether F was rounding at the point that was linearised last.
    fn is_balanced(&self, at: &Self::Point) -> bool;

    /// What to say of a point that was linearised last and cannot be corrected.
    fn diverged(&self) -> Miss;

    /// Counts a correction.
    fn note(&mut self);

    /// Whether the equations at a point are those they should be; if not, the point is to be found again.
    fn confirm(&mut self, _at: &Self::Point) -> Result<bool, Miss> {
        Ok(true)
    }

    /// Finds out what the point is like: its stability, and what tells that a singular point was passed.
    fn assess(&mut self, at: &mut Self::Point) -> Result<(), Miss>;

    /// The singular points that a step has passed.
    fn passed(&mut self, step: &Step<Self::Point, Self::Way>) -> Result<Passed<Self::Found>, Miss>;

    /// The same where no shorter step tells them apart: the turn of the parameter.
    fn turn_of(&mut self, step: &Step<Self::Point, Self::Way>) -> Result<Self::Found, Miss>;
}
