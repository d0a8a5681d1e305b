//! Values that joints are asked to start with. They are rows among those of the joints, on positions first,
//! then on velocities, and are dropped behind that:
//!
//! ```text
//! positions    Φ(q) = 0,  s(q) = s₀             velocities    G v + drift = 0,  ∂s/∂q v = v₀
//! ```
//! What hangs on such a joint is carried along first (`carry.rs`); where loops close it is the least change
//! of what else was modelled. Far turns are made in legs, each from where the joints are closed, so that the
//! mechanism stays in the form in which it was modelled.

use crate::carry::{carry, carry_rates};
use crate::redundancy::{Redundancy, RedundantRow};
use crate::start::{
    StartError, StartReport, approach, assemble, check_dropped, project_velocity, singular, suspend_dependent,
};
use poinsot_mechanics::{Asked, Coordinate, StartValue, State, System, Twist};
use std::f64::consts::TAU;

/// Longest leg of a turn (rad).
const LEG: f64 = 1.0;
/// Error of a value, relative to itself or to the model's length, that passes for rounding.
const REACHED: f64 = 1e-9;
/// A constraint holds a value back if it is open by this share of what is most open.
const HOLDS_BACK: f64 = 1e-3;

/// A value that a joint was asked to start with, and has.
#[derive(Clone, Debug, PartialEq)]
pub struct ReachedValue {
    /// The joint.
    pub joint: String,
    /// What of it, e.g. `angle`.
    pub word: &'static str,
    /// What it would be as modelled: a number, or three; an orientation as a rotation vector.
    pub modelled: Vec<f64>,
    /// What was asked for.
    pub asked: Vec<f64>,
}

impl ReachedValue {
    pub(crate) fn of(value: &StartValue, system: &System, modelled: &State) -> Self {
        let StartValue { joint, word, .. } = value.clone();
        let mut modelled = value.numbers_at(system, modelled);
        // As modelled nothing has made a turn yet.
        if let Asked::Coordinate(Coordinate::Angle(_), _) = value.asked {
            modelled.iter_mut().for_each(|angle| *angle -= TAU * (*angle / TAU).round());
        }
        ReachedValue { joint, word, modelled, asked: value.asked_numbers() }
    }
}

/// Makes the positions that are asked for hold together with all joints; what it finds is the new start.
pub(crate) fn reach_positions(
    system: &mut System,
    t: f64,
    values: &[StartValue],
    report: &mut StartReport,
) -> Result<(), StartError> {
    carry(system, t, values);
    let modelled = system.start_state(t).frames;
    let turn = values.iter().map(|value| value.turn_from(&modelled)).fold(0.0, f64::max);
    let legs = (turn / LEG).ceil().max(1.0);
    for leg in 1..legs as usize {
        let share = leg as f64 / legs;
        let aims: Vec<_> = values.iter().map(|value| value.part_way(&modelled, share)).collect();
        system.impose(&aims);
        let mut state = system.start_state(t);
        // A leg that cannot be made is made with the next one.
        if approach(system, &mut state, report)? {
            system.set_start(&state);
        }
    }
    system.impose(values);
    let outcome = close(system, t, values, report);
    system.release();
    outcome
}

/// The last leg.
fn close(
    system: &mut System,
    t: f64,
    values: &[StartValue],
    report: &mut StartReport,
) -> Result<(), StartError> {
    let mut state = system.start_state(t);
    let closed = approach(system, &mut state, report)?;
    let open = Redundancy::new(system).open_constraints(system, &state);
    if !closed {
        state = system.start_state(t);
    }
    suspend_dependent(system, &state)?;
    state = system.start_state(t);
    match assemble(system, &mut state, report).and_then(|()| check_dropped(system, &state)) {
        Err(StartError::NotAssembled { .. } | StartError::Conflict { .. }) => {
            Err(out_of_reach(system, values, &open))
        }
        Err(other) => Err(other),
        Ok(()) => {
            system.set_start(&state);
            Ok(())
        }
    }
}

/// Names the value that is farthest from what is asked, and what is open besides: where a value cannot be
/// reached the joints and it pull against each other until nothing gives way.
fn out_of_reach(system: &System, values: &[StartValue], open: &[f64]) -> StartError {
    let imposed = system.imposed();
    let worst = imposed.clone().max_by(|&a, &b| open[a].total_cmp(&open[b])).unwrap_or(imposed.start);
    let largest = open.iter().copied().fold(0.0, f64::max);
    let held = |c: &usize| *c != worst && open[*c] > HOLDS_BACK * largest;
    let holders: Vec<String> =
        (0..open.len()).filter(held).map(|c| quoted(&system.constraints()[c].name)).collect();
    let reason = match holders.is_empty() {
        true => "nothing can move it there".to_owned(),
        false => format!("it does not go together with {}", holders.join(", ")),
    };
    refused(&values[worst - imposed.start], reason)
}

/// Makes the velocities that are asked for hold at an assembled position; what it finds is the new start.
pub(crate) fn reach_rates(
    system: &mut System,
    assembled: &State,
    values: &[StartValue],
) -> Result<(), StartError> {
    let before: Vec<Twist> = (0..system.nodes().len()).map(|k| system.twist(k, &assembled.v)).collect();
    system.set_start(assembled);
    system.impose(values);
    let outcome = impose_rates(system, assembled.t, values);
    system.release();
    if outcome.is_ok() {
        carry_rates(system, assembled.t, &before);
    }
    outcome
}

fn impose_rates(system: &mut System, t: f64, values: &[StartValue]) -> Result<(), StartError> {
    suspend_dependent(system, &system.start_state(t))?;
    let mut state = system.start_state(t);
    project_velocity(system, &mut state)?;
    for (c, value) in system.imposed().zip(values) {
        let Some(miss) = missed(value, system, &state) else { continue };
        let reason = match dependence(system, &state, c)? {
            holders if holders.is_empty() => "nothing can give it this speed".to_owned(),
            holders => format!("it differs by {miss:.3e} from what follows from {}", holders.join(", ")),
        };
        return Err(refused(value, reason));
    }
    system.set_start(&state);
    Ok(())
}

/// Every value must be there at the end, whatever was suspended on the way.
pub(crate) fn check_values(system: &System, state: &State, values: &[StartValue]) -> Result<(), StartError> {
    let missed = values.iter().find_map(|value| Some((value, missed(value, system, state)?)));
    missed.map_or(Ok(()), |(value, miss)| {
        Err(refused(value, format!("the joints leave it {miss:.3e} away from that")))
    })
}

/// How far a value is from what is asked for, if that is more than rounding.
fn missed(value: &StartValue, system: &System, state: &State) -> Option<f64> {
    let scale = if value.is_rate() { speed(system, state) } else { system.length_scale() };
    let size = value.asked_numbers().iter().fold(scale, |m, x| m.max(x.abs()));
    let miss = value.miss(system, state);
    // What is not a number is not there.
    (miss.is_nan() || miss > REACHED * size).then_some(miss)
}

/// The largest velocity of the system, in its own units.
fn speed(system: &System, state: &State) -> f64 {
    let unknowns = system.nodes().iter().flat_map(|node| node.unknowns());
    unknowns.fold(0.0, |m: f64, i| m.max(state.v[i].abs()))
}

/// What the suspended rows of an imposed constraint depend on.
fn dependence(system: &System, state: &State, c: usize) -> Result<Vec<String>, StartError> {
    let entry = &system.constraints()[c];
    let words: Vec<String> = (0..entry.law.rows()).map(|row| entry.row_in_words(row)).collect();
    let rows = Redundancy::new(system).redundant(system, state).map_err(|e| singular(system, &e))?;
    let own = rows.into_iter().filter(|row: &RedundantRow| words.contains(&row.row));
    let mut names: Vec<String> = own.flat_map(|row| row.depends_on).map(|name| quoted(&name)).collect();
    names.sort();
    names.dedup();
    Ok(names)
}

fn refused(value: &StartValue, reason: String) -> StartError {
    StartError::StartValue { joint: value.joint.clone(), word: value.word, reason }
}

fn quoted(name: &str) -> String {
    format!("`{name}`")
}
