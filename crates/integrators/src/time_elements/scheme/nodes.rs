//! Polynomials of an element by their nodes, and what they are at a place.

use crate::time_elements::scheme::{MOST, Place, Row, Square};

/// Nodes of the polynomials of an element.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Nodes {
    pub is_continuous: bool,
    /// Whether velocities at the ends belong to momenta, not to the path.
    pub has_momenta: bool,
    /// Of the path, of velocities, of variables.
    pub families: [Vec<f64>; 3],
}

impl Nodes {
    /// Values and slopes of the Lagrange polynomials of some nodes, with one more node at the start where
    /// nothing jumps; that one's come last.
    pub fn through_start(&self, own: &[f64], alpha: f64) -> (Row, Row, [f64; 2]) {
        let mut nodes = [0.0; MOST + 1];
        let s = own.len();
        nodes[..s].copy_from_slice(own);
        let (values, slopes) = lagrange(&nodes[..s + usize::from(self.is_continuous)], alpha);
        let row = |x: &[f64; MOST + 1]| std::array::from_fn(|j| if j < s { x[j] } else { 0.0 });
        let start = if self.is_continuous { [values[s], slopes[s]] } else { [0.0; 2] };
        (row(&values), row(&slopes), start)
    }

    /// r̄ and r̄′, or nothing where nothing jumps.
    pub fn jump(&self, alpha: f64) -> (f64, f64) {
        if self.is_continuous { (0.0, 0.0) } else { correction(self.families[0].len() - 1, alpha) }
    }

    /// A place, but for `pulled`.
    pub fn place(&self, of: &Square, [alpha, weight]: [f64; 2]) -> Place {
        let [own, balance, joints] = &self.families;
        let s = own.len();
        if self.has_momenta {
            return Place::between_momenta(alpha, weight);
        }
        let (base, slope, _) = self.through_start(own, alpha);
        let (correction, jump_rate) = self.jump(alpha);
        let corrected = |nodes: &[f64]| -> (Row, Row, [f64; 2]) {
            let (value, mut rate, start) = self.through_start(nodes, alpha);
            if self.is_continuous {
                return (value, rate, start);
            }
            let first = lagrange(nodes, 0.0).0;
            rate.iter_mut().zip(&first).for_each(|(rate, l)| *rate -= jump_rate * l);
            (value, rate, [0.0, jump_rate])
        };
        let (stage, rate, [start, start_rate]) = corrected(balance);
        let (variable, variable_rate, _) = corrected(joints);
        let multipliers = lagrange(joints, alpha).0;
        Place {
            alpha,
            weight,
            base,
            slope,
            path: std::array::from_fn(|j| (0..s).map(|a| base[a] * of[a][j]).sum()),
            stage,
            rate,
            variable,
            variable_rate,
            multiplier: std::array::from_fn(|j| if j < s { multipliers[j] } else { 0.0 }),
            pulled: [0.0; MOST],
            start,
            start_rate,
            correction,
            jump_rate,
        }
    }
}

impl Place {
    pub(super) fn with_pulled(mut self, pull_inverse: &Square) -> Self {
        let of = &self.multiplier;
        self.pulled = std::array::from_fn(|j| (0..MOST).map(|r| of[r] * pull_inverse[r][j]).sum());
        self
    }
}

/// r̄ = ½ (−1)^{k+1} (P_{k+1} − P_k) at 2α − 1, and its derivative by α.
pub fn correction(degree: usize, alpha: f64) -> (f64, f64) {
    let x = 2.0 * alpha - 1.0;
    let (mut below, mut here) = ([0.0, 0.0], [1.0, 0.0]);
    for n in 0..=degree {
        // (n + 1) P_{n+1} = (2n + 1) x P_n − n P_{n−1}.
        let (a, b, c) = ((2 * n + 1) as f64, n as f64, (n + 1) as f64);
        let value = (a * x * here[0] - b * below[0]) / c;
        let slope = (a * (here[0] + x * here[1]) - b * below[1]) / c;
        (below, here) = (here, [value, slope]);
    }
    let half = if degree.is_multiple_of(2) { -0.5 } else { 0.5 };
    (half * (here[0] - below[0]), 2.0 * half * (here[1] - below[1]))
}

/// Values and derivatives of the Lagrange polynomials of some nodes.
fn lagrange(nodes: &[f64], x: f64) -> ([f64; MOST + 1], [f64; MOST + 1]) {
    let (mut values, mut slopes) = ([0.0; MOST + 1], [0.0; MOST + 1]);
    for (j, &own) in nodes.iter().enumerate() {
        let (mut value, mut slope) = (1.0, 0.0);
        for (_, &other) in nodes.iter().enumerate().filter(|&(m, _)| m != j) {
            slope = (slope * (x - other) + value) / (own - other);
            value *= (x - other) / (own - other);
        }
        (values[j], slopes[j]) = (value, slope);
    }
    (values, slopes)
}
