//! diffsol on the test set: `testset-diffsol method problem form tolerance...` prints one JSON line per
//! tolerance.
//!
//! The equations come from `peers/diffsol_source.py`; the Jacobian is exact and filled entry by entry.
use std::cell::Cell;

use cpu_time::ProcessTime;
use diffsol::{
    ConstantOp, DenseMatrix, LinearOp, Matrix, NalgebraContext, NalgebraLU, NalgebraMat, NalgebraVec,
    NonLinearOp, NonLinearOpJacobian, OdeBuilder, OdeEquations, OdeEquationsRef, OdeSolverMethod,
    OdeSolverProblem, OdeSolverStopReason, Op, UnitCallable, Vector, VectorCommon,
};

type M = NalgebraMat<f64>;
type V = NalgebraVec<f64>;
type LU = NalgebraLU<f64>;
type Function = fn(&[f64], &[f64], f64, &mut [f64]);

/// One tolerance is solved again until this much CPU time is spent or so many solves are done.
const SECONDS: f64 = 0.3;
const SOLVES: usize = 20;

/// A problem in one form: diag(mass) x' = rhs(x, t, p).
pub struct Case {
    problem: &'static str,
    form: &'static str,
    rhs: Function,
    /// Nonzeros of the Jacobian at (rows, columns).
    jacobian: Function,
    output: Function,
    rows: &'static [usize],
    columns: &'static [usize],
    mass: &'static [f64],
    start: &'static [f64],
    scale: &'static [f64],
    segments: &'static [(f64, f64, &'static [f64])],
    reference: &'static [f64],
    reference_scale: &'static [f64],
}

fn truth(condition: bool) -> f64 {
    if condition { 1.0 } else { 0.0 }
}

#[allow(unused_parens, unused_variables, clippy::all)]
mod problems {
    use super::{Case, truth};
    include!(env!("TESTSET_PROBLEMS"));
}

/// The equations of one segment.
struct Equations {
    case: &'static Case,
    p: &'static [f64],
    start: Vec<f64>,
    context: NalgebraContext,
    rhs: Cell<usize>,
    jacobians: Cell<usize>,
}

impl Op for Equations {
    type T = f64;
    type V = V;
    type M = M;
    type C = NalgebraContext;
    fn context(&self) -> &NalgebraContext {
        &self.context
    }
    fn nstates(&self) -> usize {
        self.case.mass.len()
    }
    fn nout(&self) -> usize {
        self.case.mass.len()
    }
    fn nparams(&self) -> usize {
        0
    }
}

/// The equations as one of diffsol's operators.
struct View<'a>(&'a Equations);

impl Op for View<'_> {
    type T = f64;
    type V = V;
    type M = M;
    type C = NalgebraContext;
    fn context(&self) -> &NalgebraContext {
        &self.0.context
    }
    fn nstates(&self) -> usize {
        self.0.nstates()
    }
    fn nout(&self) -> usize {
        self.0.nstates()
    }
    fn nparams(&self) -> usize {
        0
    }
}

impl NonLinearOp for View<'_> {
    fn call_inplace(&self, x: &V, t: f64, y: &mut V) {
        self.0.rhs.set(self.0.rhs.get() + 1);
        (self.0.case.rhs)(x.inner().as_slice(), self.0.p, t, y.inner_mut().as_mut_slice());
    }
}

impl NonLinearOpJacobian for View<'_> {
    fn jac_mul_inplace(&self, x: &V, t: f64, v: &V, y: &mut V) {
        let case = self.0.case;
        let mut entries = vec![0.0; case.rows.len()];
        (case.jacobian)(x.inner().as_slice(), self.0.p, t, &mut entries);
        let (v, y) = (v.inner().as_slice(), y.inner_mut().as_mut_slice());
        y.fill(0.0);
        for ((entry, row), column) in entries.iter().zip(case.rows).zip(case.columns) {
            y[*row] += entry * v[*column];
        }
    }

    fn jacobian_inplace(&self, x: &V, t: f64, y: &mut M) {
        self.0.jacobians.set(self.0.jacobians.get() + 1);
        let case = self.0.case;
        let mut entries = [0.0; 1024];
        (case.jacobian)(x.inner().as_slice(), self.0.p, t, &mut entries);
        y.fill(0.0);
        for ((entry, row), column) in entries.iter().zip(case.rows).zip(case.columns) {
            y.inner_mut()[(*row, *column)] = *entry;
        }
    }
}

impl LinearOp for View<'_> {
    fn gemv_inplace(&self, x: &V, _t: f64, beta: f64, y: &mut V) {
        let x = x.inner().as_slice();
        for (i, y) in y.inner_mut().as_mut_slice().iter_mut().enumerate() {
            *y = self.0.case.mass[i] * x[i] + beta * *y;
        }
    }
}

impl ConstantOp for View<'_> {
    fn call_inplace(&self, _t: f64, y: &mut V) {
        y.inner_mut().as_mut_slice().copy_from_slice(&self.0.start);
    }
}

impl<'a> OdeEquationsRef<'a> for Equations {
    type Mass = View<'a>;
    type Rhs = View<'a>;
    type Root = UnitCallable<M>;
    type Init = View<'a>;
    type Out = UnitCallable<M>;
    type Reset = UnitCallable<M>;
}

impl OdeEquations for Equations {
    fn rhs(&self) -> View<'_> {
        View(self)
    }
    fn mass(&self) -> Option<View<'_>> {
        self.case.mass.iter().any(|m| *m != 1.0).then_some(View(self))
    }
    fn init(&self) -> View<'_> {
        View(self)
    }
    fn set_params(&mut self, _p: &V) {}
    fn get_params(&self, _p: &mut V) {}
}

#[derive(Default)]
struct Count {
    steps: usize,
    rejected: usize,
    rhs: usize,
    jacobians: usize,
}

/// Steps a solver to t1: the end state, or diffsol's words and the time reached.
fn advance<'a, S: OdeSolverMethod<'a, Equations>>(
    mut solver: S,
    t1: f64,
    count: &mut Count,
) -> Result<Vec<f64>, String> {
    solver.set_stop_time(t1).map_err(|e| e.to_string())?;
    loop {
        match solver.step() {
            Ok(OdeSolverStopReason::TstopReached) => break,
            Ok(_) => {}
            Err(why) => return Err(format!("{why} (t = {:.6})", solver.state().t)),
        }
    }
    let statistics = solver.get_statistics();
    count.steps += statistics.number_of_steps;
    count.rejected += statistics.number_of_error_test_failures;
    Ok(solver.state().y.inner().as_slice().to_vec())
}

fn segment(
    method: &str,
    problem: &OdeSolverProblem<Equations>,
    t1: f64,
    count: &mut Count,
) -> Result<Vec<f64>, String> {
    match method {
        "bdf" => advance(problem.bdf::<LU>().map_err(|e| e.to_string())?, t1, count),
        "tr-bdf2" => advance(problem.tr_bdf2::<LU>().map_err(|e| e.to_string())?, t1, count),
        "esdirk34" => advance(problem.esdirk34::<LU>().map_err(|e| e.to_string())?, t1, count),
        _ => Err(format!("no method {method}")),
    }
}

fn solve(method: &str, case: &'static Case, rtol: f64) -> Result<(Vec<f64>, Count), String> {
    let mut count = Count::default();
    let mut x = case.start.to_vec();
    for (t0, t1, p) in case.segments {
        let equations = Equations {
            case,
            p,
            start: x,
            context: NalgebraContext::default(),
            rhs: Cell::new(0),
            jacobians: Cell::new(0),
        };
        let mut problem = OdeBuilder::<M>::new()
            .t0(*t0)
            // Only where diffsol's own choice of the first step begins.
            .h0(1e-6 * (t1 - t0).min(1.0))
            .rtol(rtol)
            .atol(case.scale.iter().map(|s| s * rtol))
            .build_from_eqn(equations)
            .map_err(|e| e.to_string())?;
        // The limits are meant for runs with few hard spots: 50 Newton failures in all, steps of at least
        // 1e-13.
        problem.ode_options.max_nonlinear_solver_failures = 1_000_000;
        problem.ode_options.min_timestep = 1e-24 * (t1 - t0);
        x = segment(method, &problem, *t1, &mut count)?;
        count.rhs += problem.eqn.rhs.get();
        count.jacobians += problem.eqn.jacobians.get();
    }
    let (_, t1, p) = case.segments[case.segments.len() - 1];
    let mut y = vec![0.0; case.reference.len()];
    (case.output)(&x, p, t1, &mut y);
    if y.iter().all(|v| v.is_finite()) { Ok((y, count)) } else { Err("not a number".into()) }
}

fn measure(method: &str, name: &str, case: &'static Case, rtol: f64) -> String {
    let (mut best, mut spent, mut solves) = (f64::INFINITY, 0.0, 0);
    let mut last = Err(String::new());
    while solves < SOLVES && (spent < SECONDS || solves == 0) {
        let began = ProcessTime::now();
        last = solve(method, case, rtol);
        let seconds = began.elapsed().as_secs_f64();
        (best, spent, solves) = (seconds.min(best), spent + seconds, solves + 1);
        if last.is_err() {
            break;
        }
    }
    let atol: Vec<String> = case.scale.iter().map(|s| format!("{:e}", s * rtol)).collect();
    let head = format!(
        r#"{{"code": "diffsol {name}", "version": "0.18.0", "problem": "{}", "form": "{}", "rtol": {rtol:e}, "atol": [{}]"#,
        case.problem,
        case.form,
        atol.join(", ")
    );
    match last {
        Ok((y, count)) => {
            let (mut worst, mut mixed) = (1e-16_f64, 0.0_f64);
            for (i, reference) in case.reference.iter().enumerate() {
                let error = (y[i] - reference).abs();
                if *reference != 0.0 {
                    worst = worst.max(error / reference.abs());
                }
                mixed = mixed.max(error / (case.reference_scale[i] + reference.abs()));
            }
            format!(
                r#"{head}, "scd": {:.3}, "mixed": {mixed:.3e}, "steps": {}, "rejected": {}, "rhs": {}, "jacobians": {}, "cpu": {best:e}, "fails": null}}"#,
                -worst.log10(),
                count.steps,
                count.rejected,
                count.rhs,
                count.jacobians
            )
        }
        Err(why) => format!(
            r#"{head}, "scd": null, "mixed": null, "steps": null, "rejected": null, "rhs": null, "jacobians": null, "cpu": null, "fails": "{}"}}"#,
            why.replace(['"', '\n'], " ")
        ),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [method, problem, form, tolerances @ ..] = arguments.as_slice() else {
        eprintln!("testset-diffsol method problem form tolerance...");
        std::process::exit(2);
    };
    let names = [("bdf", "BDF"), ("tr-bdf2", "TR-BDF2"), ("esdirk34", "ESDIRK34")];
    let name = names.iter().find(|(m, _)| m == method).map_or(method.as_str(), |(_, n)| n);
    let Some(case) = problems::CASES.iter().find(|c| c.problem == problem && c.form == form) else {
        eprintln!("no form {form} of {problem}");
        std::process::exit(2);
    };
    for tolerance in tolerances {
        match tolerance.parse() {
            Ok(rtol) => println!("{}", measure(method, name, case, rtol)),
            Err(why) => eprintln!("{tolerance}: {why}"),
        }
    }
}
