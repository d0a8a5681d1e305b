//! What a treatment of constraints means for a model: unknowns, null space, condition of the iteration
//! matrix.

use crate::motion::ConstraintTreatment;
use poinsot_analysis::{MotionReport, MotionStudy};
use poinsot_integrators::{ConservingSettings, EnergyMomentum, StepFailure, TreatmentReport};
use poinsot_mechanics::conserving::Rule;
use poinsot_mechanics::{State, System};

/// Largest step matrix whose condition number is worth its cost in a summary that does not show it.
const MOST_UNKNOWNS: usize = 300;

/// The report of a treatment for steps of length h from a state.
pub fn report(
    system: &System,
    settings: ConservingSettings,
    state: &State,
    h: f64,
) -> Result<TreatmentReport, StepFailure> {
    EnergyMomentum::new(system, settings, state.clone())?.report(h)
}

/// The treatment in the summary of a run with a structure-preserving method.
pub fn summary(system: &System, study: &MotionStudy, run: &MotionReport) -> Option<ConstraintTreatment> {
    let settings = study.method.conserving()?;
    let found = EnergyMomentum::new(system, *settings, run.state.clone());
    let found = found.ok().filter(|stepper| stepper.view().size() <= MOST_UNKNOWNS);
    let found = found.and_then(|mut stepper| stepper.report(study.typical_step(run)).ok());
    Some(ConstraintTreatment {
        coordinates: settings.coordinates_word().into(),
        unknowns: found.map(|report| report.unknowns as u64),
        null_space: found.and_then(|report| report.null_space).map(String::from),
        penalty: settings.penalty(),
        points: (settings.rule == Rule::Averaged).then_some(settings.points as u64),
        dissipation: settings.dissipation,
    })
}
