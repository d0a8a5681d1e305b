//! Wehage's embedding in an integration: the partition in use, and when to choose another one
//! (floating-frame-and-ancf §1.14.3).

use crate::runge_kutta::explicit::dependents::Dependents;
use crate::runge_kutta::explicit::partition::{Partition, PartitionError};
use crate::step_failure::StepFailure;
use poinsot_mechanics::{Frame, State, System};

/// Growth of 1/σ_min(Ĝ_d), or of 1/distance of any row of Ĝ_d from the others, over the best value since the
/// choice at which independent coordinates are chosen anew. A larger one costs accuracy: with 3 the error of
/// a pendulum over many swings is sixty times that with 1.5.
pub const RECHOICE_GROWTH: f64 = 1.5;

/// Correction of a position, in lengths of the model or radians, that is no motion.
const UNMOVED: f64 = 1e-9;

/// Independent coordinates and the solver for the others.
#[derive(Debug)]
pub(crate) struct Embedding {
    solver: Dependents,
    partition: Partition,
    /// Best 1/σ_min since the choice.
    best: f64,
    /// Best 1/d_k since the choice, row by row: a worse mechanism hides nothing.
    best_rows: Vec<f64>,
    /// Positions as predicted.
    guess: Vec<f64>,
    /// For work.
    frames: Vec<Frame>,
    rechoices: usize,
}

impl Embedding {
    /// Chooses independent velocities at a state, or takes those that are wanted.
    pub fn new(
        system: &System,
        state: &State,
        independent: Option<&[usize]>,
    ) -> Result<Self, PartitionError> {
        let mut solver = Dependents::new(system);
        let partition = match independent {
            Some(wanted) => Partition::with_independent(&mut solver, system, state, wanted)?,
            None => Partition::choose(&mut solver, system, state, None)?,
        };
        let mut best_rows = vec![];
        solver.each_row(&partition, |_, now| best_rows.push(now));
        let (best, guess, frames) = (partition.condition, vec![0.0; system.size()], state.frames.clone());
        Ok(Embedding { solver, best, best_rows, guess, frames, partition, rechoices: 0 })
    }

    /// The partition in use.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// How often it was changed.
    pub fn rechoices(&self) -> usize {
        self.rechoices
    }

    /// Factorisations and corrections so far.
    pub fn cost(&self) -> (usize, usize) {
        self.solver.cost()
    }

    /// Chooses anew at a state; returns whether that changes anything.
    pub fn choose(&mut self, system: &System, state: &State) -> Result<bool, PartitionError> {
        let new = Partition::choose(&mut self.solver, system, state, Some(&self.partition))?;
        let changed = !new.same_split(&self.partition);
        self.rechoices += usize::from(changed);
        self.partition = new;
        self.start_watch(self.partition.condition);
        Ok(changed)
    }

    /// Dependent positions and velocities of the trial state; returns the corrections of the positions.
    pub fn complete(
        &mut self,
        system: &System,
        from: &State,
        delta: &mut [f64],
        trial: &mut State,
    ) -> Result<usize, PartitionError> {
        self.guess.copy_from_slice(delta);
        let iterations = self.solver.positions(system, &self.partition, &from.frames, delta, trial)?;
        self.solver.velocities(system, &self.partition, trial)?;
        // What moves can go no farther than its speed takes it: more is a jump to another way to close the
        // joints.
        let reach = (trial.t - from.t).abs() * (self.solver.largest(&from.v) + self.solver.largest(&trial.v));
        self.guess.iter_mut().zip(&*delta).for_each(|(guess, found)| *guess -= found);
        if self.solver.largest(&self.guess) > reach + UNMOVED {
            return Err(PartitionError::Jump {
                equation: system.equation_name(self.solver.farthest(&self.guess)),
            });
        }
        Ok(iterations)
    }

    /// Errors of positions and velocities at the end of a step, which was just completed: the dependent ones
    /// follow from the independent ones, which alone are integrated.
    pub fn complete_errors(
        &mut self,
        system: &System,
        end: &State,
        errors: [&mut [f64]; 2],
    ) -> Result<(), PartitionError> {
        if self.partition.dependent.is_empty() {
            return Ok(());
        }
        self.solver.complete_errors(system, &self.partition, end, errors, &mut self.frames)
    }

    /// Chooses anew at a state that was just completed, where the partition in use has become badly
    /// conditioned.
    pub fn watch(&mut self, system: &System, state: &State) {
        if self.partition.dependent.is_empty() {
            return;
        }
        let now = self.solver.condition();
        self.best = self.best.min(now);
        let mut worse = now > RECHOICE_GROWTH * self.best;
        let best = &mut self.best_rows;
        self.solver.each_row(&self.partition, |k, now| {
            best[k] = best[k].min(now);
            worse |= now > RECHOICE_GROWTH * RECHOICE_GROWTH * best[k];
        });
        // Where no choice is possible the next step tells whether the old one still serves.
        if worse && self.choose(system, state).is_err() {
            self.start_watch(now);
        }
    }

    /// The conditioning where the last velocities were found is what later ones are held against.
    fn start_watch(&mut self, condition: f64) {
        self.best = condition;
        let best = &mut self.best_rows;
        self.solver.each_row(&self.partition, |k, now| best[k] = now);
    }
}

/// What to do about a step that is too long for the constraints.
pub(crate) const HALVE: &str =
    "halve the step; if it still fails, look for a jammed or nearly singular position there";

/// A step that failed at the dependent coordinates.
pub(crate) fn partition_failure(t: f64, step: f64, error: PartitionError) -> StepFailure {
    let (reason, remedy) = match &error {
        PartitionError::Rank { .. } => (
            "the constraints depend on each other",
            "look for redundant constraints (`poinsot check`) or a singular position",
        ),
        PartitionError::TooLarge(_) => (
            "the system is too large for a choice of independent coordinates",
            "use the projected procedure or another integrator",
        ),
        PartitionError::Count { .. } | PartitionError::NotACoordinate(_) => (
            "the independent coordinates do not fit the degrees of freedom",
            "leave the choice to the integrator",
        ),
        PartitionError::Singular { .. } | PartitionError::Open { .. } => {
            ("the dependent coordinates were not found", HALVE)
        }
        PartitionError::Jump { .. } => ("the joints close elsewhere than the motion leads", HALVE),
    };
    let equation = match error {
        PartitionError::Rank { equation }
        | PartitionError::Singular { equation }
        | PartitionError::Open { equation, .. }
        | PartitionError::Jump { equation } => equation,
        _ => String::new(),
    };
    StepFailure { t: t + step, step, reason, equation, remedy }
}
