//! Multipliers by Hill's method, compared with those of the product of the steps.

use crate::failure::{Blame, Failure, StudyError};
use poinsot_analysis::{Changes, Floquet, Orbit, PeriodicLinear, PeriodicLinearError};
use poinsot_integrators::StepMap;
use poinsot_mechanics::{LawSpan, State, System};
use poinsot_numerics::hill::{HillError, HillMode, hill_exponents};

impl Failure for PeriodicLinearError {
    fn blame(&self) -> Blame {
        match self {
            PeriodicLinearError::Dense(_) | PeriodicLinearError::Singular(_) => Blame::Solve,
            _ => Blame::Input,
        }
    }
    fn remedy(&self) -> Option<&'static str> {
        match self {
            PeriodicLinearError::TurnsTooFar(_) => Some("raise `harmonics`"),
            _ => Some("use method = \"product\""),
        }
    }
}

impl Failure for HillError {
    fn remedy(&self) -> Option<&'static str> {
        Some("raise `harmonics`, or use method = \"product\"")
    }
}

/// States and accelerations of a motion at as many equal parts of its period as so many harmonics need.
pub fn along(
    system: &System,
    (map, changes): (&mut dyn StepMap, &mut Changes),
    orbit: &Orbit,
    harmonics: usize,
) -> Result<Vec<(State, Vec<f64>)>, StudyError> {
    let count = 2 * harmonics + 1;
    let start = orbit.states[0].t;
    let bounds: Vec<f64> = (0..orbit.elements()).map(|i| orbit.time(start, i)).collect();
    let mut motion = vec![];
    for k in 0..count {
        let t = start + orbit.period * k as f64 / count as f64;
        let i = bounds.partition_point(|s| *s <= t + 1e-13 * orbit.period).max(1) - 1;
        let length = orbit.fractions[i] * orbit.period;
        let mut state = State { t: bounds[i], ..orbit.states[i].clone() };
        system.hold_laws(LawSpan::between(state.t, state.t + length, state.t.abs().max(length)));
        let mut done = Ok(());
        if t - bounds[i] > 1e-12 * length {
            let from = state.clone();
            done = map.advance(&from, t - bounds[i], &mut state);
            state.t = t;
        }
        let a = changes.accelerations(&state);
        system.hold_laws(LawSpan::ALL);
        done?;
        motion.push((state, a?));
    }
    Ok(motion)
}

/// Puts the exponents of Hill's method in the place of those of the product; what both differ in is left
/// open.
pub fn replace(
    system: &System,
    motion: &[(State, Vec<f64>)],
    orbit: &Orbit,
    kept: Option<usize>,
    floquet: &mut Floquet,
) -> Result<(), StudyError> {
    let linear = PeriodicLinear::along(system, motion, orbit.period)?;
    let mut left: Vec<HillMode> = hill_exponents(&linear.samples, orbit.period, kept)?;
    for m in &mut floquet.multipliers {
        let far = |mode: &HillMode| (mode.multiplier - m.value).norm();
        let near = (0..left.len()).min_by(|&a, &b| far(&left[a]).total_cmp(&far(&left[b])));
        let Some(mode) = near.map(|k| left.swap_remove(k)) else { continue };
        m.error = m.error.max((mode.multiplier - m.value).norm());
        m.value = mode.multiplier;
        m.growth = mode.exponent.re;
        m.log_size = mode.exponent.re * orbit.period;
        m.angle = mode.multiplier.arg();
    }
    floquet.multipliers.sort_by(|a, b| b.log_size.total_cmp(&a.log_size).then(b.angle.total_cmp(&a.angle)));
    Ok(())
}
