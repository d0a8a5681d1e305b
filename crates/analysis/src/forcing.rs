//! Loads and drives that change with time. They leave the matrices of a linearised system alone and move its
//! state: where the system is linear that is all, else the matrices move with the state, and eigenvalues at
//! one instant judge nothing. At a position of rest at which the load happens to be zero nothing of that is
//! seen; so the answer to the change of the load is looked at,
//!
//! ```text
//! (K̂ + σ Ĉ + σ² M) y + Gᵀ μ = −(R(t + τ) − R(t)),      G y = −(Φ(t + τ) − Φ(t)),      y′ = σ y
//! ```
//! at several rates σ, and the system is linearised again where y, y′ take it. Drives by rate are held.

use crate::linear::{Linear, SeenBy};
use crate::linearize::residuals;
use crate::reduced::Reduced;
use crate::steadiness::{Changing, Comparison, follow_algebraic};
use poinsot_integrators::{Factors, SaddlePoint, instant, retract};
use poinsot_mechanics::{Instant, NodeId, Scratch, State, System};

/// Largest turn (rad), displacement (of the model's length) and change of a variable (of its size) that is
/// tried.
const FAR: f64 = 0.3;
/// Instants whose changes are answered.
const ANSWERED: usize = 3;
/// Names of what changes that are told.
const TOLD: usize = 3;
/// Difference of reduced matrices, relative to their largest entry, that is none.
const SAME: f64 = 1e-8;

/// A state with its accelerations and multipliers at which the system was, or is to be, linearised.
pub(crate) type Moment<'a> = (&'a State, &'a [f64]);

/// What changes with time and, by moving the state, the linearised system. `later` are moments of the same
/// steady motion, with the time since the first.
pub(crate) fn reaching(
    system: &System,
    first: Moment,
    observer: NodeId,
    later: &[(f64, State, Vec<f64>)],
    comparison: &mut Comparison,
) -> Option<Changing> {
    let held = system.velocity_equations();
    let before = residuals(system, first.0, first.1);
    let mut changes: Vec<(f64, usize, Vec<f64>)> = vec![];
    for (k, (_, state, a)) in later.iter().enumerate() {
        let mut change = residuals(system, state, a);
        change.iter_mut().zip(&before).for_each(|(r, before)| *r -= before);
        held.iter().for_each(|&eq| change[eq] = 0.0);
        let size = change.iter().map(|c| c * c).sum::<f64>().sqrt();
        if size.is_finite() && size > 0.0 {
            changes.push((size, k, change));
        }
    }
    changes.sort_by(|x, y| y.0.total_cmp(&x.0));
    let mut worst: Option<Changing> = None;
    for (_, k, change) in changes.iter().take(ANSWERED) {
        let (after, state, a) = &later[*k];
        let at = Linear::about(system, state, a, observer);
        for sigma in comparison.rates() {
            let Some(moved) = answer(system, &at, state, sigma, change) else { continue };
            let Some(rates) = rates(system, &moved, a) else { continue };
            let other = Linear::about(system, &moved, &rates, observer);
            let seen = SeenBy::new(system, first.0, &moved, observer);
            if let Some((share, equation)) = comparison.with(&other, &seen)
                && worst.as_ref().is_none_or(|w| share > w.share)
                && !same_in_own_coordinates(system, comparison.first(), (state, a), &moved, observer)
            {
                let by = names(system, first.0, *after);
                worst = Some(Changing { share, after: *after, at: system.equation_name(equation), by });
            }
        }
    }
    worst
}

/// The state that a change of the residuals leads to.
fn answer(system: &System, at: &Linear, state: &State, sigma: f64, change: &[f64]) -> Option<State> {
    let mut factors = Factors::new(system);
    factors.factor(system, &at.combine(system, [1.0, sigma, sigma * sigma], sigma)).ok()?;
    let mut y: Vec<f64> = change.iter().map(|r| -r).collect();
    factors.solve(&mut y);
    if y.iter().any(|y| !y.is_finite()) {
        return None;
    }
    let share = allowed(system, state, sigma, &y);
    y.iter_mut().for_each(|y| *y *= share);
    let mut moved = state.clone();
    retract(system, &state.frames, &y, &mut moved.frames);
    for (node, w) in system.nodes().iter().zip(&at.turning) {
        let own = &y[node.unknowns()];
        for ((v, y), w) in moved.v[node.unknowns()].iter_mut().zip(own).zip(w) {
            *v += sigma * y + w.iter().zip(own).map(|(w, y)| w * y).sum::<f64>();
        }
    }
    system.variable_equations().into_iter().for_each(|eq| moved.v[eq] += sigma * y[eq]);
    system.remember(&mut moved);
    Some(moved)
}

/// The share of y that leads not too far.
fn allowed(system: &System, state: &State, sigma: f64, y: &[f64]) -> f64 {
    let mut largest = FAR;
    for k in 0..system.nodes().len() {
        let twist = system.twist(k, y);
        largest = largest.max(twist.angular.norm()).max(twist.linear.norm() / system.length_scale());
    }
    let nominal = system.networks().iter().flat_map(|n| n.law.variables.iter().map(|v| v.nominal));
    for (eq, nominal) in system.variable_equations().into_iter().zip(nominal) {
        largest = largest.max((sigma * y[eq]).abs() / nominal.max(state.v[eq].abs()));
    }
    FAR / largest
}

/// Accelerations, rates and multipliers at a state that is no equilibrium.
fn rates(system: &System, state: &State, a: &[f64]) -> Option<Vec<f64>> {
    let mut state = state.clone();
    follow_algebraic(system, a, &mut state);
    let mut rates = a.to_vec();
    // Without inertia in some direction there are no accelerations; then it is judged as if it rested there.
    if SaddlePoint::new(system).accelerations(system, &state, &mut rates).is_ok() {
        system.network_rates(&state, &mut rates, &mut Scratch::default());
    }
    rates.iter().all(|x| x.is_finite()).then_some(rates)
}

/// Whether the system is one in coordinates of its own, displaced or moving: a hinged body with a linear
/// spring has other rows in every position, and yet one equation.
fn same_in_own_coordinates(
    system: &System,
    first: &Linear,
    (state, a): Moment,
    moved: &State,
    observer: NodeId,
) -> bool {
    if !system.networks().is_empty() {
        return false;
    }
    let mut displaced = moved.clone();
    displaced.v.clone_from(&state.v);
    let mut moving = state.clone();
    moving.v.clone_from(&moved.v);
    // Accelerations and multipliers as at the first: with others the rows would have to be differentiated
    // too.
    [displaced, moving].iter().all(|state| {
        let other = Linear::about(system, state, a, observer);
        alike(system, first, &other)
    })
}

fn alike(system: &System, first: &Linear, other: &Linear) -> bool {
    let (Ok(first), Ok(other)) = (Reduced::new(system, first), Reduced::new(system, other)) else {
        return false;
    };
    let pairs = [
        (&first.mass, &other.mass),
        (&first.by_rate, &other.by_rate),
        (&first.by_position, &other.by_position),
        (&first.p, &other.p),
        (&first.u.basis, &other.u.basis),
    ];
    let alike = pairs.iter().all(|(x, y)| (&x.value - &y.value).norm_max() <= SAME * x.size.norm_max());
    alike && first.z.independent == other.z.independent && first.u.independent == other.u.independent
}

/// Forces, drives and equations that are others some time later, in words.
fn names(system: &System, state: &State, after: f64) -> Vec<String> {
    let mut later = state.clone();
    later.t += after;
    let mut names = vec![];
    let zero = vec![0.0; system.size()];
    let mut s = Scratch::default();
    for (index, entry) in system.forces().iter().enumerate() {
        let [now, then] = [state.t, later.t].map(|t| {
            let still = Instant { t, v: &zero, ..instant(state, &zero) };
            system.force_on_vectors(index, &still, &mut s)
        });
        if now != then {
            names.push(format!("{} `{}`", entry.law.kind(), entry.name));
        }
    }
    let held = system.velocity_equations();
    let (now, then) = (residuals(system, state, &zero), residuals(system, &later, &zero));
    let is_row = system.is_constraint_row();
    let variables = system.variable_equations();
    for eq in (0..now.len()).filter(|eq| now[*eq] != then[*eq] && !held.contains(eq)) {
        if is_row[eq] || variables.contains(&eq) {
            names.push(system.equation_name(eq));
        }
    }
    names.dedup();
    names.truncate(TOLD);
    names
}
