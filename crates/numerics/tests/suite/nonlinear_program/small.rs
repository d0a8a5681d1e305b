//! Problems of a few unknowns, written as one function.

use super::jet::Jet;
use poinsot_numerics::nonlinear_program::{
    Failure, NoValue, Program, Range, Reason, Settings, Solution, solve,
};

/// Objective and conditions of x.
pub type Functions<const N: usize> = fn([Jet<N>; N]) -> (Jet<N>, Vec<Jet<N>>);

pub struct Small<const N: usize> {
    pub functions: Functions<N>,
    pub bounds: [Range; N],
    pub rows: Vec<Range>,
}

impl<const N: usize> Small<N> {
    pub fn solve(&mut self, start: [f64; N]) -> Result<Solution, Failure> {
        solve(self, &start.to_vec().into(), &Settings::default(), &mut |_| true)
    }

    fn at(&self, x: &[f64]) -> (Jet<N>, Vec<Jet<N>>) {
        (self.functions)(Jet::variables(x))
    }
}

impl<const N: usize> Program for Small<N> {
    fn unknowns(&self) -> usize {
        N
    }
    fn rows(&self) -> usize {
        self.rows.len()
    }
    fn unknown_range(&self, i: usize) -> Range {
        self.bounds[i]
    }
    fn row_range(&self, row: usize) -> Range {
        self.rows[row]
    }
    fn objective(&mut self, x: &[f64]) -> Result<f64, NoValue> {
        Ok(self.at(x).0.value)
    }
    fn gradient(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
        out.copy_from_slice(&self.at(x).0.first);
        Ok(())
    }
    fn conditions(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
        self.at(x).1.iter().zip(out).for_each(|(c, out)| *out = c.value);
        Ok(())
    }
    fn jacobian_places(&self) -> Vec<(usize, usize)> {
        (0..self.rows.len()).flat_map(|row| (0..N).map(move |i| (row, i))).collect()
    }
    fn jacobian(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
        let rows = self.at(x).1;
        rows.iter().flat_map(|c| c.first).zip(out).for_each(|(entry, out)| *out = entry);
        Ok(())
    }
    fn hessian_places(&self) -> Vec<(usize, usize)> {
        (0..N).flat_map(|i| (0..=i).map(move |j| (i, j))).collect()
    }
    fn hessian(&mut self, x: &[f64], w: f64, lambda: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
        let (f, rows) = self.at(x);
        for ((i, j), out) in self.hessian_places().into_iter().zip(out) {
            let rows = rows.iter().zip(lambda).map(|(c, l)| l * c.second[i][j]);
            *out = w * f.second[i][j] + rows.sum::<f64>();
        }
        Ok(())
    }
}

#[test]
fn conditions_that_cannot_hold_are_named() {
    // x² + y² ≤ 1 and x + y = 3.
    let mut program = Small::<2> {
        functions: |[x, y]| (x, vec![x * x + y * y, x + y]),
        bounds: [Range::FREE; 2],
        rows: vec![Range::at_most(1.0), Range::exactly(3.0)],
    };
    let failure = program.solve([0.3, -2.0]).unwrap_err();
    assert_eq!(
        failure.reason.to_string(),
        "the conditions cannot hold together: their violation is least at a point where they do not"
    );
    assert!(!failure.violated.is_empty() && failure.violated[0].1 > 0.1, "{failure:?}");
}

#[test]
fn an_objective_without_end_is_named() {
    let mut program = Small::<2> {
        functions: |[x, y]| (-x - y * y, vec![]),
        bounds: [Range::at_least(0.0), Range::FREE],
        rows: vec![],
    };
    let failure = program.solve([1.0, 1.0]).unwrap_err();
    assert_eq!(failure.reason.to_string(), "the objective falls without end");
}

#[test]
fn dependent_rows_do_no_harm() {
    let mut program = Small::<3> {
        functions: |[x, y, z]| (x * x + y * y + z * z, vec![x + y + z, 2.0 * x + 2.0 * y + 2.0 * z]),
        bounds: [Range::FREE; 3],
        rows: vec![Range::exactly(3.0), Range::exactly(6.0)],
    };
    let found = program.solve([4.0, -1.0, 7.0]).unwrap();
    assert!(found.x.iter().all(|x| (x - 1.0).abs() < 1e-8), "{found:?}");
}

#[test]
fn the_counterexample_of_waechter_and_biegler_comes_to_an_end_that_is_one() {
    // Interior point methods that only shorten Newton's step stop between, at points that are neither
    // minima nor points of least violation. From the left, |c|₁ is least at (−1, 0, 0): to the right the
    // first row loses two for each that the second gains.
    let mut program = Small::<3> {
        functions: |[x, y, z]| (x, vec![x * x - y - 1.0, x - z - 0.5]),
        bounds: [Range::FREE, Range::at_least(0.0), Range::at_least(0.0)],
        rows: vec![Range::exactly(0.0); 2],
    };
    let found = program.solve([2.0, 3.0, 1.0]).unwrap();
    assert!((found.x[0] - 1.0).abs() < 1e-7, "{found:?}");
    let failure = program.solve([-2.0, 3.0, 1.0]).unwrap_err();
    assert_eq!(failure.reason, Reason::Infeasible);
    assert!(
        (failure.x[0] + 1.0).abs() < 1e-7 && failure.violated == [(1, failure.violated[0].1)],
        "{failure:?}"
    );
}

#[test]
fn an_unknown_of_one_value_keeps_it() {
    let mut program = Small::<2> {
        functions: |[x, y]| ((x - 2.0) * (x - 2.0) + (y - 3.0) * (y - 3.0) + x * y, vec![]),
        bounds: [Range::exactly(1.0), Range::FREE],
        rows: vec![],
    };
    let found = program.solve([5.0, 0.0]).unwrap();
    assert!(found.x[0] == 1.0 && (found.x[1] - 2.5).abs() < 1e-9, "{found:?}");
}

#[test]
fn multipliers_are_the_price_of_conditions() {
    // min x² + 2y² with x + y = b: x = 2b/3, y = b/3, f = 2b²/3, df/db = 4b/3 = −λ.
    let mut program = Small::<2> {
        functions: |[x, y]| (x * x + 2.0 * y * y, vec![1e4 * (x + y)]),
        bounds: [Range::FREE; 2],
        rows: vec![Range::exactly(3e4)],
    };
    let found = program.solve([0.0, 0.0]).unwrap();
    assert!((found.multipliers[0] + 4e-4).abs() < 1e-10, "{found:?}");
}
