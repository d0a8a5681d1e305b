//! From a guess to the optimum.

use super::error::OptimalError;
use super::problem::OptimalProblem;
use super::transcription::Transcription;
use poinsot_integrators::Scheme;
use poinsot_mechanics::{State, System};
use poinsot_numerics::nonlinear_program::{Progress, Reason, Settings, Start, solve};

/// Searches that begin anew because states have turned far from where they began.
const MOST_ROUNDS: usize = 20;

/// How an optimum is looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct OptimalSettings {
    /// The time element.
    pub scheme: Scheme,
    /// Lengths of the elements as parts of the duration.
    pub shares: Vec<f64>,
    /// Of the optimality conditions.
    pub tolerance: f64,
    /// Most steps.
    pub most_steps: usize,
    /// The first parameter of the barrier.
    pub barrier: f64,
}

impl OptimalSettings {
    /// With equal elements.
    pub fn new(scheme: Scheme, elements: usize) -> Self {
        let shares = vec![1.0 / elements as f64; elements];
        OptimalSettings { scheme, shares, tolerance: 1e-9, most_steps: 1000, barrier: 0.1 }
    }
}

/// An optimal motion.
#[derive(Clone, Debug)]
pub struct OptimalMotion {
    /// States at the bounds of the elements; the variables that were set are in the state before an element.
    pub states: Vec<State>,
    /// How long it takes (s).
    pub duration: f64,
    /// J.
    pub objective: f64,
    /// Largest gap or violation of a condition that is left.
    pub violation: f64,
    /// Scaled error of the optimality conditions.
    pub error: f64,
    /// Whether that is within the tolerance.
    pub is_within_tolerance: bool,
    /// Steps.
    pub iterations: usize,
}

/// Finds a local optimum near a guess: states at the bounds of the elements, the first of which is the start.
pub fn find_optimal(
    system: &System,
    problem: &OptimalProblem,
    settings: &OptimalSettings,
    guess: Vec<State>,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<OptimalMotion, OptimalError> {
    let (scheme, shares) = (settings.scheme.clone(), settings.shares.clone());
    let mut transcription = Transcription::new(system, problem, scheme, shares, guess)?;
    let mut start = Start {
        x: transcription.point(problem.duration.guess()),
        multipliers: None,
        barrier: settings.barrier,
    };
    let limits = Settings { tolerance: settings.tolerance, most_steps: settings.most_steps };
    let mut spent = 0;
    for round in 0..MOST_ROUNDS {
        let is_far = transcription.far_flag();
        let mut is_wanted = true;
        let found = solve(&mut transcription, &start, &limits, &mut |progress| {
            is_wanted = watch(progress);
            is_wanted && !is_far.get()
        });
        match found {
            Ok(found) => {
                return Ok(OptimalMotion {
                    states: transcription.states_of(&found.x),
                    duration: found.x[0],
                    objective: found.objective,
                    violation: found.violation,
                    error: found.error,
                    is_within_tolerance: found.is_within_tolerance,
                    iterations: spent + found.iterations,
                });
            }
            Err(failure) => {
                spent += failure.iterations;
                // The rows of gaps hardly tell changes apart any more: they are taken anew.
                if is_wanted && is_far.get() && round + 1 < MOST_ROUNDS {
                    transcription.anchor(&failure.x).map_err(OptimalError::Start)?;
                    start = Start { x: failure.x, multipliers: None, barrier: settings.barrier };
                    continue;
                }
                let worst = transcription.unmet(&failure.violated, &failure.x);
                return Err(OptimalError::Search { reason: failure.reason, iterations: spent, worst });
            }
        }
    }
    Err(OptimalError::Search { reason: Reason::Stuck, iterations: spent, worst: vec![] })
}
