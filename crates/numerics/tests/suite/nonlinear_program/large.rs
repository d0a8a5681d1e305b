//! An optimal control problem by the trapezoidal rule: thousands of unknowns in a chain.

use poinsot_numerics::nonlinear_program::{NoValue, Program, Range, Settings, solve};

/// min ∫ u² dt of ẋ = v, v̇ = u from (0, 0) to (1, 0) in a second, with v below a limit: unknowns x, v, u at
/// the nodes.
struct Cart {
    elements: usize,
    fastest: f64,
}

impl Cart {
    fn h(&self) -> f64 {
        1.0 / self.elements as f64
    }

    fn weight(&self, node: usize) -> f64 {
        if node == 0 || node == self.elements { 0.5 * self.h() } else { self.h() }
    }
}

impl Program for Cart {
    fn unknowns(&self) -> usize {
        3 * (self.elements + 1)
    }
    fn rows(&self) -> usize {
        2 * self.elements
    }
    fn unknown_range(&self, i: usize) -> Range {
        match (i / 3, i % 3) {
            (0, 0 | 1) => Range::exactly(0.0),
            (node, 0) if node == self.elements => Range::exactly(1.0),
            (node, 1) if node == self.elements => Range::exactly(0.0),
            (_, 1) => Range::at_most(self.fastest),
            _ => Range::FREE,
        }
    }
    fn row_range(&self, _row: usize) -> Range {
        Range::exactly(0.0)
    }
    fn objective(&mut self, x: &[f64]) -> Result<f64, NoValue> {
        Ok((0..=self.elements).map(|node| self.weight(node) * x[3 * node + 2].powi(2)).sum())
    }
    fn gradient(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
        out.fill(0.0);
        (0..=self.elements).for_each(|node| out[3 * node + 2] = 2.0 * self.weight(node) * x[3 * node + 2]);
        Ok(())
    }
    fn conditions(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
        let half = 0.5 * self.h();
        for e in 0..self.elements {
            let (a, b) = (&x[3 * e..3 * e + 3], &x[3 * e + 3..3 * e + 6]);
            out[2 * e] = b[0] - a[0] - half * (a[1] + b[1]);
            out[2 * e + 1] = b[1] - a[1] - half * (a[2] + b[2]);
        }
        Ok(())
    }
    fn jacobian_places(&self) -> Vec<(usize, usize)> {
        let row = |r: usize, i: usize| [(r, i), (r, i + 3), (r, i + 1), (r, i + 4)];
        (0..self.elements).flat_map(|e| [row(2 * e, 3 * e), row(2 * e + 1, 3 * e + 1)].concat()).collect()
    }
    fn jacobian(&mut self, _x: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
        let half = 0.5 * self.h();
        out.chunks_exact_mut(4).for_each(|row| row.copy_from_slice(&[-1.0, 1.0, -half, -half]));
        Ok(())
    }
    fn hessian_places(&self) -> Vec<(usize, usize)> {
        (0..=self.elements).map(|node| (3 * node + 2, 3 * node + 2)).collect()
    }
    fn hessian(&mut self, _x: &[f64], w: f64, _: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
        (0..=self.elements).for_each(|node| out[node] = 2.0 * w * self.weight(node));
        Ok(())
    }
}

#[test]
fn a_cart_without_limit_takes_the_parabola() {
    let error = [20, 40, 5000].map(|elements| {
        let mut cart = Cart { elements, fastest: f64::INFINITY };
        let start = vec![0.0; cart.unknowns()];
        let found = solve(&mut cart, &start.into(), &Settings::default(), &mut |_| true).unwrap();
        assert!(found.iterations <= 4, "{} steps for a quadratic program", found.iterations);
        found.objective - 12.0
    });
    // The trapezoidal rule has order 2.
    assert!((error[0] / error[1] - 4.0).abs() < 0.1 && error[2].abs() < 3e-6, "{error:?}");
}

#[test]
fn a_cart_with_a_limit_coasts() {
    // v = V (1 − (1 − t/s)²) for t < s: the way is 1 = V (1 − 2s/3), the effort 2·∫ (2V/s (1 − t/s))² dt = 8V²/(3s).
    let fastest = 1.2;
    let s = 1.5 * (1.0 - 1.0 / fastest);
    let exact = 8.0 * fastest * fastest / (3.0 * s);
    let mut cart = Cart { elements: 2000, fastest };
    let start = vec![0.0; cart.unknowns()];
    let found = solve(&mut cart, &start.into(), &Settings::default(), &mut |_| true).unwrap();
    assert!((found.objective / exact - 1.0).abs() < 1e-4, "{} for {exact}", found.objective);
    assert!(found.iterations < 40, "{} steps", found.iterations);
}
