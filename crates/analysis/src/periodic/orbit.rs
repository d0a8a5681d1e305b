//! A periodic motion: its states at the bounds of elements.

use poinsot_mechanics::{State, System};
use std::f64::consts::TAU;

/// A motion that closes, or is to be made to.
#[derive(Clone, Debug)]
pub struct Orbit {
    /// x_0 … x_{K−1}, at the starts of the elements.
    pub states: Vec<State>,
    /// x_K, as the last step ends.
    pub end: State,
    /// σ_i: lengths of the elements as parts of the period.
    pub fractions: Vec<f64>,
    /// T (s).
    pub period: f64,
}

/// How a remembered coordinate advances in a period.
#[derive(Clone, Debug, PartialEq)]
pub struct Winding {
    /// What remembers it.
    pub name: String,
    /// Place among the remembered numbers.
    pub place: usize,
    /// Turns.
    pub turns: f64,
}

impl Orbit {
    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.states.len()
    }

    /// Time of the start of an element, of a period that starts at a time.
    pub fn time(&self, start: f64, element: usize) -> f64 {
        start + self.period * self.fractions[..element].iter().sum::<f64>()
    }

    /// Sets the times of all states.
    pub fn set_times(&mut self, start: f64) {
        let mut sum = 0.0;
        for (state, fraction) in self.states.iter_mut().zip(&self.fractions) {
            state.t = start + self.period * sum;
            sum += fraction;
        }
        self.end.t = start + self.period;
    }

    /// Equal elements.
    pub fn equal(count: usize) -> Vec<f64> {
        vec![1.0 / count as f64; count]
    }

    /// Remembered coordinates that advance by whole turns.
    pub fn windings(&self, system: &System) -> Vec<Winding> {
        let mut found = vec![];
        let Some(first) = self.states.first() else { return found };
        let names = system.remembered();
        for (place, (a, b)) in first.memory.iter().zip(&self.end.memory).enumerate() {
            let turns = ((b - a) / TAU).round();
            if turns != 0.0 && ((b - a) / TAU - turns).abs() < 1e-3 {
                let name = names.iter().find(|(_, range)| range.contains(&place));
                let name = name.map_or_else(|| format!("coordinate {place}"), |(name, _)| name.clone());
                found.push(Winding { name, place, turns });
            }
        }
        found
    }
}
