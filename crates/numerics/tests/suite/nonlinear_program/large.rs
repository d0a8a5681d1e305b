//! An optimal control problem by the trapezoidal rule: thousands of unknowns in a chain.

use poinsot_numerics::nonlinear_program::{NoValue, Program, Range, Settings, Solution, solve};

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
    // v = V (1 − (1 − t/s)²) for t < s: the way is 1 = V (1 − 2s/3), the effort 2·∫ (2V/s (1 − t/s))² dt =
    // 8V²/(3s).
    let fastest = 1.2;
    let s = 1.5 * (1.0 - 1.0 / fastest);
    let exact = 8.0 * fastest * fastest / (3.0 * s);
    let mut cart = Cart { elements: 2000, fastest };
    let start = vec![0.0; cart.unknowns()];
    let found = solve(&mut cart, &start.into(), &Settings::default(), &mut |_| true).unwrap();
    assert!((found.objective / exact - 1.0).abs() < 1e-4, "{} for {exact}", found.objective);
    assert!(found.iterations < 40, "{} steps", found.iterations);
}

/// An optimal control by the trapezoidal rule with u constant over elements: min c(T), where c grows with the
/// integrand. Unknowns (p, q, c, u) at each node.
struct Control {
    kind: Kind,
    elements: usize,
    duration: f64,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// ẋ = (1 − y²) x − y + u, ẏ = x, ċ = x² + y² + u², from (0, 1).
    Oscillator,
    /// v̇ = u, ẋ = v, ċ = u²/2, from v = 1 to v = −1 with x = 0 at both ends and x below a limit.
    Cart { limit: f64 },
}

impl Control {
    fn rates(&self, [p, q, _, u]: [f64; 4]) -> [f64; 3] {
        match self.kind {
            Kind::Oscillator => [(1.0 - q * q) * p - q + u, p, p * p + q * q + u * u],
            Kind::Cart { .. } => [u, p, 0.5 * u * u],
        }
    }

    /// The two ends of an element, the second with the control of the first.
    fn ends(x: &[f64], e: usize) -> [[f64; 4]; 2] {
        let at = |node: usize| [x[4 * node], x[4 * node + 1], x[4 * node + 2], x[4 * e + 3]];
        [at(e), at(e + 1)]
    }

    /// ∂(rates)/∂(p, q, c, u).
    fn slopes(&self, [p, q, _, u]: [f64; 4]) -> [[f64; 4]; 3] {
        match self.kind {
            Kind::Oscillator => [
                [1.0 - q * q, -2.0 * p * q - 1.0, 0.0, 1.0],
                [1.0, 0.0, 0.0, 0.0],
                [2.0 * p, 2.0 * q, 0.0, 2.0 * u],
            ],
            Kind::Cart { .. } => [[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, u]],
        }
    }

    /// Second derivatives of Σ l_k rate_k: pp, qp, qq, uu.
    fn bends(&self, [p, q, _, _]: [f64; 4], l: &[f64]) -> [f64; 4] {
        match self.kind {
            Kind::Oscillator => [2.0 * l[2], -2.0 * q * l[0], -2.0 * p * l[0] + 2.0 * l[2], 2.0 * l[2]],
            Kind::Cart { .. } => [0.0, 0.0, 0.0, l[2]],
        }
    }

    fn half(&self) -> f64 {
        0.5 * self.duration / self.elements as f64
    }

    /// Rows x ≤ limit at the nodes.
    fn limits(&self) -> usize {
        if self.kind == Kind::Oscillator { 0 } else { self.elements }
    }

    fn solve(&mut self, start: [f64; 4]) -> Solution {
        let start: Vec<f64> = (0..=self.elements).flat_map(|_| start).collect();
        let found = solve(self, &start.into(), &Settings::default(), &mut |_| true);
        found.unwrap_or_else(|failure| panic!("{failure} after {} steps", failure.iterations))
    }
}

impl Program for Control {
    fn unknowns(&self) -> usize {
        4 * (self.elements + 1)
    }
    fn rows(&self) -> usize {
        3 * self.elements + self.limits()
    }
    fn unknown_range(&self, i: usize) -> Range {
        match (i / 4, i % 4, self.kind) {
            (0, k, Kind::Oscillator) if k < 3 => Range::exactly(f64::from(k == 1)),
            (0, k, _) if k < 3 => Range::exactly(f64::from(k == 0)),
            (node, 3, _) if node == self.elements => Range::exactly(0.0),
            (node, k, Kind::Cart { .. }) if node == self.elements && k < 2 => {
                Range::exactly(-f64::from(k == 0))
            }
            _ => Range::FREE,
        }
    }
    fn row_range(&self, row: usize) -> Range {
        match self.kind {
            Kind::Cart { limit } if row >= 3 * self.elements => Range::at_most(limit),
            _ => Range::exactly(0.0),
        }
    }
    fn objective(&mut self, x: &[f64]) -> Result<f64, NoValue> {
        Ok(x[4 * self.elements + 2])
    }
    fn gradient(&mut self, _x: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
        out.fill(0.0);
        out[4 * self.elements + 2] = 1.0;
        Ok(())
    }
    fn conditions(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
        for e in 0..self.elements {
            let [a, b] = Self::ends(x, e);
            let (f, g) = (self.rates(a), self.rates(b));
            (0..3).for_each(|k| out[3 * e + k] = b[k] - a[k] - self.half() * (f[k] + g[k]));
        }
        let limits = out[3 * self.elements..].iter_mut().enumerate();
        limits.for_each(|(k, out)| *out = x[4 * (k + 1) + 1]);
        Ok(())
    }
    fn jacobian_places(&self) -> Vec<(usize, usize)> {
        let element = |e: usize| (0..3).flat_map(move |k| (0..7).map(move |c| (3 * e + k, 4 * e + c)));
        let limit = |k: usize| (3 * self.elements + k, 4 * (k + 1) + 1);
        (0..self.elements).flat_map(element).chain((0..self.limits()).map(limit)).collect()
    }
    fn jacobian(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
        let half = self.half();
        for e in 0..self.elements {
            let [a, b] = Self::ends(x, e).map(|end| self.slopes(end));
            for k in 0..3 {
                let row = &mut out[7 * (3 * e + k)..][..7];
                (0..4).for_each(|c| row[c] = -half * a[k][c]);
                (0..3).for_each(|c| row[4 + c] = -half * b[k][c]);
                row[3] -= half * b[k][3];
                row[k] -= 1.0;
                row[4 + k] += 1.0;
            }
        }
        out[21 * self.elements..].fill(1.0);
        Ok(())
    }
    fn hessian_places(&self) -> Vec<(usize, usize)> {
        let own = |n: usize, u: usize| [(4 * n, 4 * n), (4 * n + 1, 4 * n), (4 * n + 1, 4 * n + 1), (u, u)];
        (0..self.elements).flat_map(|e| own(e, 4 * e + 3).into_iter().chain(own(e + 1, 4 * e + 3))).collect()
    }
    fn hessian(&mut self, x: &[f64], _w: f64, lambda: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
        for e in 0..self.elements {
            let l = [0, 1, 2].map(|k| -self.half() * lambda[3 * e + k]);
            for (side, end) in Self::ends(x, e).into_iter().enumerate() {
                out[8 * e + 4 * side..][..4].copy_from_slice(&self.bends(end, &l));
            }
        }
        Ok(())
    }
}

#[test]
fn an_oscillator_is_calmed() {
    // 2.873143851081 for controls of any shape.
    let mut control = Control { kind: Kind::Oscillator, elements: 400, duration: 10.0 };
    let found = control.solve([0.0, 1.0, 0.0, 0.0]);
    assert!((found.objective - 2.873143851081).abs() < 2e-3, "{}", found.objective);
    assert!(found.iterations < 30, "{} steps", found.iterations);
}

#[test]
fn a_limit_on_the_way_costs_what_bryson_and_denham_say() {
    // 4/(9 l) for l ≤ 1/6.
    let mut control = Control { kind: Kind::Cart { limit: 1.0 / 9.0 }, elements: 360, duration: 1.0 };
    let found = control.solve([1.0, 0.0, 0.0, 0.0]);
    assert!((found.objective - 4.0).abs() < 1e-3, "{}", found.objective);
    assert!(found.iterations < 60, "{} steps", found.iterations);
}
