//! Periodic motions as points of a curve, and directions between them.

use crate::continuation::curve::{Direction, OnCurve};
use crate::periodic::Orbit;
use poinsot_numerics::product::ProductEigenvalue;
use std::rc::Rc;

/// A periodic motion on a curve.
#[derive(Clone, Debug)]
pub struct OrbitPoint {
    /// Value of the parameter.
    pub parameter: f64,
    /// The motion.
    pub orbit: Orbit,
    /// How many periods of the model it takes.
    pub multiple: usize,
    /// Length of the curve since its start.
    pub arc: f64,
    /// dp/ds.
    pub slope: f64,
    /// Sizes of the corrections that it took.
    pub corrections: Vec<f64>,
    /// Its multipliers, largest first, without that of the motion itself; empty before they are computed.
    pub multipliers: Rc<Vec<ProductEigenvalue>>,
    /// Multipliers outside the unit circle; none before they are computed.
    pub unstable: Option<usize>,
    /// Tells it from all others.
    pub(crate) id: u64,
}

impl OnCurve for OrbitPoint {
    fn parameter(&self) -> f64 {
        self.parameter
    }

    fn set_parameter(&mut self, value: f64) {
        self.parameter = value;
    }

    fn arc(&self) -> f64 {
        self.arc
    }

    fn set_arc(&mut self, arc: f64) {
        self.arc = arc;
    }

    fn set_slope(&mut self, slope: f64) {
        self.slope = slope;
    }

    fn set_corrections(&mut self, corrections: &[f64]) {
        self.corrections = corrections.to_vec();
    }
}

/// Shares of the bounds of elements in a mean over the period.
pub(crate) fn weights(fractions: &[f64]) -> Rc<[f64]> {
    let count = fractions.len();
    (0..count).map(|i| 0.5 * (fractions[(i + count - 1) % count] + fractions[i])).collect()
}

/// A direction in the space of motions, periods and the parameter.
#[derive(Clone, Debug)]
pub(crate) struct OrbitWay {
    /// S⁻¹ δx_i.
    pub around: Vec<Vec<f64>>,
    /// δT/T.
    pub tau: f64,
    /// δp in units of its scale.
    pub p: f64,
    /// Shares w_i of the δx_i.
    pub weights: Rc<[f64]>,
}

impl OrbitWay {
    /// ⟨a, b⟩ = Σ w_i mean(S⁻¹δx_i · S⁻¹δx_i′) + ττ′ + pp′.
    pub fn dot(&self, other: &Self, entries: usize) -> f64 {
        let around = self.around.iter().zip(&other.around).zip(self.weights.iter());
        let terms = around.map(|((a, b), w)| w * a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>());
        terms.sum::<f64>() / entries.max(1) as f64 + self.tau * other.tau + self.p * other.p
    }

    /// The direction of the parameter alone.
    pub fn along_parameter(size: usize, fractions: &[f64], p: f64) -> Self {
        OrbitWay { around: vec![vec![0.0; size]; fractions.len()], tau: 0.0, p, weights: weights(fractions) }
    }
}

impl Direction for OrbitWay {
    fn p(&self) -> f64 {
        self.p
    }

    fn add(&mut self, share: f64, other: &Self) {
        for (a, b) in self.around.iter_mut().zip(&other.around) {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += share * b);
        }
        self.tau += share * other.tau;
        self.p += share * other.p;
    }

    fn divide(&mut self, by: f64) {
        self.around.iter_mut().flatten().for_each(|a| *a /= by);
        self.tau /= by;
        self.p /= by;
    }
}
