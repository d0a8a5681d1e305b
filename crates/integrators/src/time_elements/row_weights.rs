//! The share of every place in the combined equations of an element.

use crate::time_elements::layout::Equation;
use crate::time_elements::scheme::{Part, Row, Scheme};

/// Shares of all places in the equations of each kind, for one length of the element.
#[derive(Clone, Debug)]
pub(super) struct RowWeights {
    places: usize,
    h: f64,
    /// Of place p for equations of a kind: one for each combined equation.
    all: Vec<Row>,
}

/// Kinds of equations.
const KINDS: [Equation; 6] = [
    Equation::Balance,
    Equation::Level,
    Equation::Velocity,
    Equation::Rate,
    Equation::Algebraic,
    Equation::Idle,
];

impl RowWeights {
    pub fn new(scheme: &Scheme, h: f64) -> Self {
        let places = scheme.places.len();
        let mut weights = RowWeights { places, h: f64::NAN, all: vec![Row::default(); KINDS.len() * places] };
        weights.set(scheme, h);
        weights
    }

    /// For an element of another length.
    pub fn set(&mut self, scheme: &Scheme, h: f64) {
        if h == self.h {
            return;
        }
        self.h = h;
        for (kind, rows) in KINDS.into_iter().zip(self.all.chunks_exact_mut(self.places)) {
            for (p, row) in rows.iter_mut().enumerate() {
                for (i, weight) in row.iter_mut().enumerate().take(scheme.stages()) {
                    *weight = row_weight(scheme, kind, [i, p], h);
                }
            }
        }
    }

    /// Of place p in equations of a kind.
    #[inline]
    pub fn of(&self, equation: Equation, p: usize) -> &Row {
        &self.all[equation as usize * self.places + p]
    }
}

/// The share of place p in equation i: [i, p].
fn row_weight(scheme: &Scheme, equation: Equation, [i, p]: [usize; 2], h: f64) -> f64 {
    let [law, row] = scheme.first.map(|first| p.wrapping_sub(first));
    if !scheme.places[p].1.has(equation) {
        return 0.0;
    }
    match (equation, scheme.places[p].1) {
        (Equation::Level | Equation::Velocity, Part::Rates) => f64::from(i == 1),
        (Equation::Velocity, Part::Velocities) => f64::from(i == 0 && p == 0),
        (Equation::Balance, Part::Joints) => h * scheme.pull[i][law],
        (Equation::Balance, Part::Free) => h * scheme.integration[i][p],
        (Equation::Balance, _) => h * scheme.integration[i][law],
        (Equation::Level, _) => scheme.level[i][row] / h,
        (Equation::Velocity, _) => scheme.velocity[i][row],
        (Equation::Rate, _) => h * scheme.variables[i][law],
        (Equation::Algebraic, _) => scheme.algebraic[i][row],
        (Equation::Idle, _) => 0.0,
    }
}
