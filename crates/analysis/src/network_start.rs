//! A start of networks whose equations have hidden constraints.
//!
//! What they read of accelerations follows from their loads, r̈ = c + A e, with A from the factors of
//! the equations of motion. Where friction bends that, it is done again.

use crate::start::StartError;
use poinsot_integrators::{SaddlePoint, instant};
use poinsot_mechanics::{NetworkStartError, ReadingResponse, Scratch, State, System};

/// Rounds until accelerations and loads agree.
const ROUNDS: usize = 20;

/// Moves the variables of networks onto their equations and hidden constraints, with the least
/// change. Networks without hidden constraints are left alone.
pub fn settle_networks(system: &System, state: &mut State) -> Result<(), StartError> {
    for (index, entry) in system.networks().iter().enumerate().filter(|(_, n)| !n.is_index_one()) {
        let rounds = if entry.law.readings.is_empty() { 1 } else { ROUNDS };
        for _ in 0..rounds {
            let before = state.v.clone();
            let response = response(system, index, state)?;
            match system.settle_network(index, state, &response, &mut Scratch::default()) {
                Ok(()) => {}
                Err(NetworkStartError::Open { open, order }) => {
                    let equation = derivative_of(system.equation_name(open.equation), order);
                    return Err(StartError::NotClosed { equation, residual: open.residual });
                }
                // The motion beyond accelerations is not known: they are as they were modelled.
                Err(NetworkStartError::Motion { .. }) => break,
            }
            let moved = |(old, new): (&f64, &f64)| (new - old).abs() > 1e-12 * old.abs().max(new.abs());
            if !before.iter().zip(&state.v).any(moved) {
                break;
            }
        }
    }
    Ok(())
}

/// How accelerations that the network reads follow from its loads.
fn response(system: &System, network: usize, state: &State) -> Result<ReadingResponse, StartError> {
    let entry = &system.networks()[network];
    if entry.law.readings.is_empty() {
        return Ok(ReadingResponse::default());
    }
    let singular =
        |e: poinsot_numerics::lu::PivotError| StartError::Singular { equation: system.equation_name(e.row) };
    let mut saddle = SaddlePoint::new(system);
    let mut a = vec![0.0; system.size()];
    saddle.accelerations(system, state, &mut a).map_err(singular)?;
    let mut s = Scratch::default();
    let now = system.reading_accelerations(network, &instant(state, &a), &mut s);
    let efforts = system.load_efforts(network, &instant(state, &a), &mut s);
    let mut rows: Vec<(f64, Vec<f64>)> = now.iter().map(|r| (*r, vec![])).collect();
    for (k, effort) in efforts.iter().enumerate() {
        let mut more = system.unit_load(network, k, &instant(state, &a), &mut s);
        saddle.solve(&mut more);
        system.hold_variables(&mut more);
        more.iter_mut().zip(&a).for_each(|(more, a)| *more += a);
        let then = system.reading_accelerations(network, &instant(state, &more), &mut s);
        for ((c, by), (then, now)) in rows.iter_mut().zip(then.iter().zip(&now)) {
            by.push(then - now);
            *c -= (then - now) * effort;
        }
    }
    Ok(ReadingResponse { rows })
}

/// The derivative of an equation in words.
fn derivative_of(equation: String, order: usize) -> String {
    match order {
        0 => equation,
        1 => format!("the rate of {equation}"),
        _ => format!("derivative {order} of {equation}"),
    }
}
