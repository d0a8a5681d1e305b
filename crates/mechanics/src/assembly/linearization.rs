//! Where the step matrix is taken, and where its terms go.

use crate::assembly::scatter_block;
use crate::system::System;
use crate::system::state::Instant;
use poinsot_geometry::Mat3;

/// Where and how the step matrix is taken:
///
/// ```text
/// [ β_m M + β_c C + β_k K T̃    G(q̃)ᵀ ]      at the stage q̃
/// [ L                            0    ]      at the end q⁺, L as [`Level`] says
/// ```
/// with C = ∂R/∂v, K = ∂R/∂q and T the tangent of the retraction of each node.
#[derive(Clone, Copy, Debug)]
pub struct Linearization<'a> {
    /// Instant at which the equation of motion is collocated.
    pub stage: Instant<'a>,
    /// Tangent of the retraction to the stage, one per node.
    pub stage_tangent: &'a [Mat3],
    /// Instant at which the constraints hold.
    pub end: Instant<'a>,
    /// Tangent of the retraction to the end, one per node.
    pub end_tangent: &'a [Mat3],
    /// β_m.
    pub mass: f64,
    /// β_c.
    pub damping: f64,
    /// β_k.
    pub stiffness: f64,
    /// Level at which the holonomic constraints are imposed.
    pub level: Level,
    /// γ, the step's ratio of ∂q⁺/∂v⁺.
    pub gamma: f64,
    /// Whether the variables of networks take part; otherwise they are held.
    pub networks: bool,
    /// Whether forces that read reactions take part; an impulse or a projection leaves them as they are.
    pub pressed: bool,
}

impl<'a> Linearization<'a> {
    /// [M Gᵀ; G 0] at one instant; `identity` holds an identity for every node.
    pub fn at(at: Instant<'a>, identity: &'a [Mat3]) -> Self {
        Linearization {
            stage: at,
            stage_tangent: identity,
            end: at,
            end_tangent: identity,
            mass: 1.0,
            damping: 0.0,
            stiffness: 0.0,
            level: Level::Velocity,
            gamma: 0.0,
            networks: false,
            pressed: true,
        }
    }

    /// [M Gᵀ; G 0] alone, for impulses and for projections onto the constraints: no law of reactions in it.
    pub fn of_constraints(at: Instant<'a>, identity: &'a [Mat3]) -> Self {
        Linearization { pressed: false, ..Self::at(at, identity) }
    }
}

/// The step matrix at one instant as a polynomial, A₀ + β A₁ + β² A₂, for the coefficients β_m = 1, β_c = γ =
/// β and β_k = β² of a method whose q depends on v as β and v on a as β. Makes any number of step matrices,
/// real or complex.
#[derive(Clone, Debug, Default)]
pub struct StepPolynomial {
    /// A₀, A₁ and A₂ in the slots of [`System::pattern`].
    pub powers: [Vec<f64>; 3],
}

impl StepPolynomial {
    /// For the pattern of a system as it is numbered now.
    pub fn new(system: &System) -> Self {
        StepPolynomial { powers: std::array::from_fn(|_| vec![0.0; system.pattern.nnz()]) }
    }

    /// A₀ + β A₁ + β² A₂.
    pub fn at(&self, beta: f64, values: &mut [f64]) {
        let [a0, a1, a2] = &self.powers;
        for (value, ((a0, a1), a2)) in values.iter_mut().zip(a0.iter().zip(a1).zip(a2)) {
            *value = a0 + beta * (a1 + beta * a2);
        }
    }

    /// The same for β = `re` + i `im`, as real and imaginary parts.
    pub fn at_complex(&self, (re, im): (f64, f64), real: &mut [f64], imaginary: &mut [f64]) {
        let [a0, a1, a2] = &self.powers;
        let (re2, im2) = (re * re - im * im, 2.0 * re * im);
        for k in 0..a0.len() {
            real[k] = a0[k] + re * a1[k] + re2 * a2[k];
            imaginary[k] = im * a1[k] + im2 * a2[k];
        }
    }
}

/// What a term of the step matrix is multiplied by.
#[derive(Clone, Copy, Debug)]
pub enum Term {
    /// 1.
    Constant,
    /// β_m.
    Mass,
    /// β_c.
    Damping,
    /// β_k.
    Stiffness,
    /// γ.
    Gamma,
}

/// Where the terms of the step matrix go.
#[derive(Debug)]
pub enum Terms<'a> {
    /// Summed, with the coefficients of a [`Linearization`], in the order of [`Term`].
    Sum {
        /// The slots of the pattern.
        values: &'a mut [f64],
        /// Of each [`Term`].
        coefficients: [f64; 5],
    },
    /// Kept apart by powers of β.
    Powers(&'a mut StepPolynomial),
}

impl<'a> Terms<'a> {
    pub(super) fn sum(at: &Linearization, values: &'a mut [f64]) -> Self {
        Terms::Sum { values, coefficients: [1.0, at.mass, at.damping, at.stiffness, at.gamma] }
    }

    /// The numbers that terms of a kind are added to, and with which coefficient.
    #[inline]
    pub fn target(&mut self, term: Term) -> (&mut [f64], f64) {
        match self {
            Terms::Sum { values, coefficients } => (values, coefficients[term as usize]),
            Terms::Powers(polynomial) => match term {
                Term::Constant | Term::Mass => (&mut polynomial.powers[0], 1.0),
                Term::Damping | Term::Gamma => (&mut polynomial.powers[1], 1.0),
                Term::Stiffness => (&mut polynomial.powers[2], 1.0),
            },
        }
    }

    /// Adds `sign` times a block to its slots.
    #[inline]
    pub fn add_block<const L: usize>(
        &mut self,
        term: Term,
        sign: f64,
        local: &[[f64; L]; L],
        slots: &[u32],
        unknowns: usize,
    ) {
        let (values, coefficient) = self.target(term);
        scatter_block(local, slots, unknowns, sign * coefficient, values);
    }

    /// Adds one number.
    #[inline]
    pub fn add(&mut self, term: Term, slot: u32, value: f64) {
        let (values, coefficient) = self.target(term);
        values[slot as usize] += coefficient * value;
    }
}

/// Which derivative of the holonomic constraints makes the lower rows of the step matrix. Rows on velocities
/// know only the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Φ(q⁺): L = G T⁺.
    Position,
    /// The rate at (q⁺, v⁺): L = G + γ ∂(rate)/∂q T⁺.
    Velocity,
}
