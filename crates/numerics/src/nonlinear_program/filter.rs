//! The filter: pairs (θ, φ) of violation and barrier function that no later point may have or be worse than.

/// Share of θ by which a point must be better in θ or φ.
const MARGIN: f64 = 1e-5;

#[derive(Clone, Debug)]
pub(super) struct Filter {
    most: f64,
    pairs: Vec<[f64; 2]>,
}

impl Filter {
    /// An empty filter that refuses violations above `most`.
    pub fn new(most: f64) -> Self {
        Filter { most, pairs: vec![] }
    }

    pub fn clear(&mut self) {
        self.pairs.clear();
    }

    pub fn accepts(&self, theta: f64, phi: f64) -> bool {
        theta < self.most && self.pairs.iter().all(|pair| theta < pair[0] || phi < pair[1])
    }

    /// Refuses from now on what is not better than this point by the margin.
    pub fn add(&mut self, theta: f64, phi: f64) {
        let new = [(1.0 - MARGIN) * theta, phi - MARGIN * theta];
        self.pairs.retain(|old| old[0] < new[0] || old[1] < new[1]);
        self.pairs.push(new);
    }

    /// Whether a point is better than another by the margin in one of both.
    pub fn improves(theta: f64, phi: f64, than_theta: f64, than_phi: f64) -> bool {
        theta <= (1.0 - MARGIN) * than_theta || phi <= than_phi - MARGIN * than_theta
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_worse_in_both_is_refused() {
        let mut filter = Filter::new(10.0);
        filter.add(1.0, 5.0);
        assert!(filter.accepts(2.0, 4.0) && filter.accepts(0.5, 9.0) && !filter.accepts(1.0, 5.0));
        assert!(!filter.accepts(11.0, 0.0));
        filter.add(0.5, 4.0);
        assert_eq!(filter.pairs.len(), 1, "a pair that is better in both replaces the other");
    }
}
