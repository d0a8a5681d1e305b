//! Discrete gradients of a function of a few numbers.

use super::gradient::{Rise, significant};
use crate::element_buffers::MAX_MEMORY;

/// A smooth function of a few scalars.
pub(crate) trait ScalarFunction {
    /// f.
    fn value(&self, y: &[f64]) -> f64;
    /// ∂f/∂y_i.
    fn partial(&self, i: usize, y: &[f64]) -> f64;
    /// ∂²f/∂y_i∂y_j.
    fn second(&self, i: usize, j: usize, y: &[f64]) -> f64;
}

/// Scalars y over a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ScalarStep {
    /// How many there are.
    pub count: usize,
    /// y.
    pub from: [f64; MAX_MEMORY],
    /// Δ, with all its digits.
    pub change: [f64; MAX_MEMORY],
    /// W.
    pub weight: [f64; MAX_MEMORY],
}

impl ScalarStep {
    /// y + share · Δ.
    pub(super) fn at(&self, share: f64) -> [f64; MAX_MEMORY] {
        std::array::from_fn(|i| self.from[i] + share * self.change[i])
    }

    pub(super) fn gradient_at(&self, f: &impl ScalarFunction, share: f64) -> [f64; MAX_MEMORY] {
        let y = self.at(share);
        std::array::from_fn(|i| if i < self.count { f.partial(i, &y[..self.count]) } else { 0.0 })
    }

    /// W Δ and N.
    fn direction(&self) -> ([f64; MAX_MEMORY], f64) {
        let along: [f64; MAX_MEMORY] = std::array::from_fn(|i| self.weight[i] * self.change[i]);
        (along, dot(&along, &self.change))
    }

    /// c, with ∇f at the mean and the end.
    pub(super) fn defect(&self, f: &impl ScalarFunction) -> (f64, [f64; MAX_MEMORY], [f64; MAX_MEMORY]) {
        let (first, mean, last) =
            (self.gradient_at(f, 0.0), self.gradient_at(f, 0.5), self.gradient_at(f, 1.0));
        let (start, end) = (f.value(&self.at(0.0)[..self.count]), f.value(&self.at(1.0)[..self.count]));
        let sizes = |of: &[f64; MAX_MEMORY]| (0..self.count).map(|i| (mean[i] * of[i]).abs()).sum::<f64>();
        let rise = Rise {
            rise: end - start,
            slopes: [dot(&first, &self.change), dot(&mean, &self.change), dot(&last, &self.change)],
            size: start.abs() + end.abs() + sizes(&self.from),
            steepness: sizes(&self.change),
        };
        (rise.defect(), mean, last)
    }

    /// D.
    pub fn gradient(&self, f: &impl ScalarFunction) -> [f64; MAX_MEMORY] {
        let (along, n) = self.direction();
        if n == 0.0 {
            return self.gradient_at(f, 0.5);
        }
        let (c, mut d, _) = self.defect(f);
        d.iter_mut().zip(&along).for_each(|(d, along)| *d += c / n * along);
        d
    }

    /// ∂D_i/∂y⁺_j.
    pub fn derivative(&self, f: &impl ScalarFunction) -> [[f64; MAX_MEMORY]; MAX_MEMORY] {
        let mean = self.at(0.5);
        let mut d = [[0.0; MAX_MEMORY]; MAX_MEMORY];
        for (i, line) in d.iter_mut().enumerate().take(self.count) {
            for (j, value) in line.iter_mut().enumerate().take(self.count) {
                *value = 0.5 * f.second(i, j, &mean[..self.count]);
            }
        }
        let (along, n) = self.direction();
        if n == 0.0 {
            return d;
        }
        let (c, slope, end) = self.defect(f);
        let half = d;
        for j in 0..self.count {
            let bend: f64 = (0..self.count).map(|i| half[j][i] * self.change[i]).sum();
            let by = significant(end[j], slope[j], bend) / n - 2.0 * c * along[j] / (n * n);
            (0..self.count).for_each(|i| d[i][j] += along[i] * by);
            d[j][j] += c / n * self.weight[j];
        }
        d
    }
}

pub(super) fn dot(a: &[f64; MAX_MEMORY], b: &[f64; MAX_MEMORY]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// f = e^{a/2} sin b + 100.
    struct Wave;

    impl ScalarFunction for Wave {
        fn value(&self, y: &[f64]) -> f64 {
            (0.5 * y[0]).exp() * y[1].sin() + 100.0
        }

        fn partial(&self, i: usize, y: &[f64]) -> f64 {
            (0.5 * y[0]).exp() * [0.5 * y[1].sin(), y[1].cos()][i]
        }

        fn second(&self, i: usize, j: usize, y: &[f64]) -> f64 {
            (0.5 * y[0]).exp() * [0.25 * y[1].sin(), 0.5 * y[1].cos(), -y[1].sin()][i + j]
        }
    }

    fn step(size: f64, weight: f64) -> ScalarStep {
        let mut step = ScalarStep { count: 2, ..ScalarStep::default() };
        step.from[..2].copy_from_slice(&[0.3, 0.8]);
        step.change[..2].copy_from_slice(&[0.7 * size, -0.4 * size]);
        step.weight[..2].copy_from_slice(&[1.0, weight]);
        step
    }

    /// D·Δ is f⁺ − f to the round-off of f, and D keeps its digits although f is a hundred times its slope:
    /// it differs from the gradient at the mean by the second-order correction only.
    #[test]
    fn digits_are_kept_at_any_size() {
        for exponent in -12..=0 {
            let size = 10f64.powi(exponent);
            for weight in [1.0, 30.0] {
                let step = step(size, weight);
                let (d, mean) = (step.gradient(&Wave), step.gradient_at(&Wave, 0.5));
                let rise = Wave.value(&step.at(1.0)) - Wave.value(&step.at(0.0));
                assert!(
                    (dot(&d, &step.change) - rise).abs() < 1e-13,
                    "{size}: {}",
                    dot(&d, &step.change) - rise
                );
                for (d, mean) in d.iter().zip(&mean) {
                    let room = 0.1 * size * size + 1e-14 + if size > 1e-3 { 4e-13 / size } else { 0.0 };
                    assert!((d - mean).abs() < room, "{size}: {:e} > {room:e}", (d - mean).abs());
                }
            }
        }
    }

    #[test]
    fn one_argument_gives_the_secant() {
        for size in [1e-7, 1e-3, 0.5] {
            let mut step = step(size, 7.0);
            step.change[1] = 0.0;
            let (rise, run) = (Wave.value(&step.at(1.0)) - Wave.value(&step.at(0.0)), step.change[0]);
            assert!((step.gradient(&Wave)[0] - rise / run).abs() < 1e-13 / run);
        }
    }

    #[test]
    fn derivative_by_the_end() {
        for (size, weight) in [(1e-9, 1.0), (1e-2, 5.0), (0.5, 0.2)] {
            let at = step(size, weight);
            let exact = at.derivative(&Wave);
            for j in 0..2 {
                let moved = |by: f64| {
                    let mut step = at;
                    step.change[j] += by;
                    step.gradient(&Wave)
                };
                let (plus, minus) = (moved(1e-5), moved(-1e-5));
                for ((plus, minus), exact) in plus.iter().zip(&minus).zip(&exact).take(2) {
                    let difference = (plus - minus) / 2e-5;
                    assert!((exact[j] - difference).abs() < 1e-7, "{size}: {} {difference}", exact[j]);
                }
            }
        }
    }

    #[test]
    fn nothing_moves() {
        let still = step(0.0, 1.0);
        assert_eq!(still.gradient(&Wave), still.gradient_at(&Wave, 0.5));
        assert_eq!(still.derivative(&Wave)[0][1], 0.5 * Wave.second(0, 1, &still.from));
    }
}
