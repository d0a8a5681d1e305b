//! How constraints are imposed on structure-preserving steps, and what solves them.

use crate::conserving::constrained_newton::{ConstrainedNewton, Effort, Imposed, Scale, Unsolved};
use crate::conserving::reduced_newton::ReducedNewton;
use poinsot_mechanics::conserving::{Conserving, ConservingStep, Rule};

/// How constraints are imposed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Treatment {
    /// What is fastest: multipliers. With rigid motions as unknowns the sparse, scaled saddle point costs
    /// less per step than the dense reduced matrix for every model of the benchmark `treatments`, from one
    /// body to a thousand, because forces and joints take most of the time in both.
    #[default]
    Automatic,
    /// Lagrange multipliers (I-21).
    Multipliers,
    /// Discrete null space: the balance projected onto the directions that the constraints leave free, with
    /// the constraints as the remaining equations (I-24). Unknowns are rigid motions, whatever
    /// [`ConservingSettings::coordinates`](crate::ConservingSettings::coordinates) says.
    NullSpace,
    /// Discrete null space with as many unknowns as degrees of freedom (I-26): the coordinates of the joints
    /// of a tree, or with loops independent increments of them. Dependent rows are left out step by step. The
    /// matrix is dense: for small models, for linkages with redundant rows, and where constraints shall hold
    /// to the last digit.
    Minimal,
    /// Stiff springs μ|Φ|² in place of constraints (I-22).
    Penalty {
        /// μ.
        stiffness: f64,
    },
    /// Penalty with multipliers that are improved until the constraints hold (I-23).
    AugmentedLagrange {
        /// μ.
        stiffness: f64,
        /// Largest |Φ|.
        tolerance: f64,
    },
}

impl Treatment {
    /// Whether constraints hold at the ends of steps to round-off.
    pub(crate) fn holds_exactly(&self) -> bool {
        !matches!(self, Treatment::Penalty { .. } | Treatment::AugmentedLagrange { .. })
    }

    /// Whether constraints hold at the ends of steps; penalties let them give way.
    pub fn holds(&self) -> bool {
        !matches!(self, Treatment::Penalty { .. })
    }
}

/// What a treatment means for a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreatmentReport {
    /// Unknowns of a step.
    pub unknowns: usize,
    /// Condition number (2-norm) of the iteration matrix in the unscaled form of energy-momentum-null-space
    /// I-64, at the start of Newton's iteration; not a number for more than 3000 unknowns.
    pub condition: f64,
    /// How the null space is found, if it is: "explicit", "semi-explicit" or "implicit".
    pub null_space: Option<&'static str>,
}

/// What solves a step.
#[derive(Debug)]
pub(crate) enum Solver {
    Constrained(Box<ConstrainedNewton>),
    Reduced(Box<ReducedNewton>),
}

impl Solver {
    /// For a step at rest.
    pub fn new(view: &Conserving, step: &ConservingStep, treatment: Treatment) -> Result<Self, Unsolved> {
        let imposed = match treatment {
            Treatment::NullSpace | Treatment::Minimal => {
                let minimal = treatment == Treatment::Minimal;
                return Ok(Solver::Reduced(Box::new(ReducedNewton::new(view, step, minimal)?)));
            }
            Treatment::Automatic | Treatment::Multipliers => Imposed::Exactly,
            Treatment::Penalty { stiffness } => Imposed::ByPenalty { stiffness },
            Treatment::AugmentedLagrange { stiffness, tolerance } => {
                Imposed::Augmented { stiffness, tolerance }
            }
        };
        Ok(Solver::Constrained(Box::new(ConstrainedNewton::new(view, imposed))))
    }

    /// Solves a step from the increments `delta`, at which it stands.
    pub fn solve(
        &mut self,
        view: &Conserving,
        rule: Rule,
        step: &mut ConservingStep,
        delta: &[f64],
        scale: &Scale,
    ) -> Result<Effort, Unsolved> {
        match self {
            Solver::Constrained(solver) => solver.solve(view, rule, step, scale),
            Solver::Reduced(solver) => solver.solve(view, rule, step, delta, scale),
        }
    }
}
