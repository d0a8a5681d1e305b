//! Whether and how a model depends on time: what makes a period known, or unknown.
//!
//! A stiffness that pulsates does nothing at a state of rest: equations are looked at beside the motion too.

use crate::tangent::units;
use poinsot_integrators::{instant, retract};
use poinsot_mechanics::{Scratch, State, System};

/// Times at which everything is looked at again, in parts of the period: in no ratio with it.
const LATER: [f64; 4] = [0.1180339887, 0.3819660113, 0.5772156649, 0.8541019662];
/// Share of a difference that is rounding.
const ROUNDED: f64 = 1e-9;

/// How a model depends on time.
#[derive(Clone, Debug, PartialEq)]
pub enum Dependence {
    /// Not at all.
    Autonomous,
    /// It does; the equation at which it was seen first.
    Forced(String),
}

/// Residuals, and constraints on positions, velocities and accelerations at a state.
fn everything(system: &System, state: &State, a: &[f64], s: &mut Scratch) -> [Vec<f64>; 4] {
    let at = instant(state, a);
    let mut all: [Vec<f64>; 4] = std::array::from_fn(|_| vec![0.0; system.size()]);
    let [residual, position, rate, acceleration] = &mut all;
    system.residual_with_levels(&at, residual, Some(position), s);
    system.constraint_rate(&at, rate, s);
    system.constraint_acceleration(&at, acceleration, s);
    all
}

/// How far beside a motion equations are looked at, in units of the model.
const ASIDE: f64 = 1e-2;

/// A state beside another one, and as fast beside it, in a direction that no symmetry is likely to have. It
/// is off the constraints: what they leave is compared as well.
fn aside(system: &System, state: &State) -> State {
    let unit = units(system, system.length_scale());
    let way = unit.iter().enumerate().map(|(e, unit)| ASIDE * unit * (1.7 * e as f64 + 0.3).cos());
    let mut way: Vec<f64> = way.collect();
    system.constraint_equations().into_iter().for_each(|e| way[e] = 0.0);
    let mut aside = state.clone();
    retract(system, &state.frames, &way, &mut aside.frames);
    aside.v.iter_mut().zip(&way).for_each(|(v, way)| *v += way);
    aside
}

/// Whether the equations depend on time, at some states of a motion.
pub fn dependence(system: &System, states: &[State], accelerations: &[Vec<f64>], period: f64) -> Dependence {
    let mut s = Scratch::default();
    let beside: Vec<State> = states.iter().map(|state| aside(system, state)).collect();
    let all = states.iter().chain(&beside).zip(accelerations.iter().chain(accelerations));
    for (state, a) in all {
        let now = everything(system, state, a, &mut s);
        for later in LATER {
            let then = State { t: state.t + later * period, ..state.clone() };
            let then = everything(system, &then, a, &mut s);
            for (now, then) in now.iter().zip(&then) {
                if let Some(eq) = (0..now.len()).find(|&eq| now[eq].to_bits() != then[eq].to_bits()) {
                    return Dependence::Forced(system.equation_name(eq));
                }
            }
        }
    }
    Dependence::Autonomous
}

/// The equation that is another one a period later, with the share by which it differs, at a state and beside
/// it; `wound` are the remembered numbers then.
pub fn unlike_after(
    system: &System,
    state: &State,
    a: &[f64],
    period: f64,
    wound: &[f64],
) -> Option<(String, f64)> {
    unlike_at(system, state, a, period, wound)
        .or_else(|| unlike_at(system, &aside(system, state), a, period, wound))
}

fn unlike_at(system: &System, state: &State, a: &[f64], period: f64, wound: &[f64]) -> Option<(String, f64)> {
    let mut s = Scratch::default();
    let now = everything(system, state, a, &mut s);
    let then = State { t: state.t + period, memory: wound.to_vec(), ..state.clone() };
    let then = everything(system, &then, a, &mut s);
    // An equation is the difference of terms; without accelerations they are seen. A drive may rest at this
    // time: what it does at others tells its size.
    let zero = vec![0.0; a.len()];
    let mut others = vec![everything(system, state, &zero, &mut s)];
    for later in LATER {
        let at = State { t: state.t + later * period, ..state.clone() };
        others.push(everything(system, &at, a, &mut s));
    }
    let mut worst: Option<(String, f64)> = None;
    for (kind, (now, then)) in now.iter().zip(&then).enumerate() {
        let seen = others.iter().flat_map(|other| &other[kind]).chain(now);
        let size = seen.fold(0.0, |m: f64, x| m.max(x.abs()));
        for eq in 0..now.len() {
            let share = (now[eq] - then[eq]).abs() / size.max(f64::MIN_POSITIVE);
            if share > ROUNDED && worst.as_ref().is_none_or(|(_, other)| share > *other) {
                worst = Some((system.equation_name(eq), share));
            }
        }
    }
    worst
}
