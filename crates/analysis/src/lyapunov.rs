//! Lyapunov's direct method for ẋ = f(x) about an equilibrium x* (lagrangian-dae-modeling §1.28):
//!
//! ```text
//! V̇ = Σ ∂V/∂x_i f_i                                            as an expression
//! I     V > 0, V̇ ≤ 0                                            stable
//! II    V > 0, V̇ < 0                                            asymptotically stable
//! III   V > 0, V̇ ≤ 0 and no motion but x* stays on V̇ = 0        asymptotically stable (Krasovskii)
//! ```
//! V and V̇ are exact, their signs are looked at in points of a ball: Halton's directions and the axes, on
//! several radii. Where V̇ ≤ 0 touches zero its gradient F = ∇V̇ is zero too; such points are looked for by
//! Newton's method, and the motion leaves them if (∂F/∂x) f ≠ 0. A verdict other than a counterexample thus
//! is evidence, not proof.

use crate::coupled_equilibrium::halton;
use crate::explicit_form::combined;
use poinsot_expr::{EvalError, Expr, Function, SmoothFunction};
use poinsot_numerics::dense::Mat;
use poinsot_numerics::subspace::pseudo_solve;
use thiserror::Error;

/// Radii of the samples, in those of the ball.
const SHELLS: [f64; 6] = [1.0, 0.6, 0.3, 0.1, 0.03, 0.01];
/// V or V̇ below this share of its size in the ball, at that radius, is rounding.
const ROUNDING: f64 = 1e-12;
/// The same for V̇ at a point where its gradient vanishes.
const TOUCHES: f64 = 1e-9;
/// |(∂F/∂x) f| below this share of |∂F/∂x| |f| is zero.
const STAYS: f64 = 1e-8;
/// Newton's steps to a point of V̇ = 0.
const STEPS: usize = 40;
/// Points from which V̇ = 0 is looked for.
const SEARCHES: usize = 300;

/// A candidate for a Lyapunov function, and where to look at it.
#[derive(Clone, Copy)]
pub struct LyapunovCheck<'a> {
    /// Names of the states x.
    pub states: &'a [String],
    /// f.
    pub rates: &'a [Expr],
    /// The equilibrium x*.
    pub at: &'a [f64],
    /// Radius of the ball, for each state.
    pub radius: &'a [f64],
    /// Points on each radius.
    pub samples: usize,
    /// Values of all other names.
    pub parameters: &'a dyn Fn(&str) -> Option<f64>,
}

/// What a Lyapunov function shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LyapunovVerdict {
    /// Theorem I.
    Stable,
    /// Theorem II.
    AsymptoticallyStable,
    /// Theorem III, of Krasovskii.
    Krasovskii,
    /// The candidate shows nothing.
    NotShown,
}

/// The verdict with its reason.
#[derive(Clone, Debug, PartialEq)]
pub struct LyapunovReport {
    /// The verdict.
    pub verdict: LyapunovVerdict,
    /// V̇, simplified.
    pub derivative: Expr,
    /// Why, in words.
    pub reason: String,
    /// The point that the reason is about: a counterexample, or one on V̇ = 0.
    pub point: Option<Vec<f64>>,
    /// Number of points at which the signs were looked at.
    pub samples: usize,
}

/// Why a candidate cannot be checked.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum LyapunovError {
    /// Lists of different lengths.
    #[error("{states} states, {rates} rates and an equilibrium of {at} values do not fit together")]
    Lengths {
        /// Number of states.
        states: usize,
        /// Number of rates.
        rates: usize,
        /// Number of values.
        at: usize,
    },
    /// An expression cannot be evaluated.
    #[error(transparent)]
    Expression(#[from] EvalError),
    /// V̇ could not be put together.
    #[error("the rate of V cannot be written down")]
    Rate,
}

impl LyapunovCheck<'_> {
    /// Checks a candidate V.
    pub fn check(&self, v: &Expr) -> Result<LyapunovReport, LyapunovError> {
        let n = self.states.len();
        if self.rates.len() != n || self.at.len() != n || self.radius.len() != n {
            return Err(LyapunovError::Lengths { states: n, rates: self.rates.len(), at: self.at.len() });
        }
        let derivative = self.rate_of(v).ok_or(LyapunovError::Rate)?;
        let names: Vec<&str> = self.states.iter().map(String::as_str).collect();
        let function = |e: &Expr| Function::new(e, &names, self.parameters);
        let laws = Laws {
            v: function(v)?,
            rate: SmoothFunction::new(&derivative, &names, self.parameters)?,
            f: self.rates.iter().map(function).collect::<Result<_, _>>()?,
        };
        let points = self.points();
        let (verdict, reason, point) = self.judge(&laws, &points);
        Ok(LyapunovReport { verdict, derivative, reason, point, samples: points.len() })
    }

    /// Σ ∂V/∂x_i f_i.
    fn rate_of(&self, v: &Expr) -> Option<Expr> {
        let mut sum = Expr::number(0.0);
        for (name, f) in self.states.iter().zip(self.rates) {
            sum = combined(&sum, '+', &combined(&v.derivative(name).simplify(), '*', f)?)?;
        }
        Some(sum)
    }

    /// Points with their radii, from the outside in.
    fn points(&self) -> Vec<(f64, Vec<f64>)> {
        let n = self.states.len();
        let mut directions: Vec<Vec<f64>> = vec![];
        for k in 0..n {
            for sign in [1.0, -1.0] {
                directions.push((0..n).map(|i| if i == k { sign } else { 0.0 }).collect());
            }
        }
        for index in 1..=self.samples {
            let p: Vec<f64> = (0..n).map(|k| 2.0 * halton(index, k) - 1.0).collect();
            let size = p.iter().map(|x| x * x).sum::<f64>().sqrt();
            if size > 1e-3 {
                directions.push(p.iter().map(|x| x / size).collect());
            }
        }
        let place = |shell: f64, d: &[f64]| {
            (0..n).map(|k| self.at[k] + shell * self.radius[k] * d[k]).collect::<Vec<f64>>()
        };
        let shells = SHELLS.iter().flat_map(|&shell| directions.iter().map(move |d| (shell, d)));
        shells.map(|(shell, d)| (shell, place(shell, d))).collect()
    }

    fn judge(&self, laws: &Laws, points: &[(f64, Vec<f64>)]) -> (LyapunovVerdict, String, Option<Vec<f64>>) {
        let not_shown =
            |reason: String, point: &[f64]| (LyapunovVerdict::NotShown, reason, Some(point.to_vec()));
        let largest = |f: &dyn Fn(&[f64]) -> f64| points.iter().map(|p| f(&p.1).abs()).fold(0.0, f64::max);
        let of_v = |x: &[f64]| laws.v.value(x);
        let of_rate = |x: &[f64]| laws.rate.value(x);
        let (v_size, rate_size) = (largest(&of_v), largest(&of_rate));
        let moving = laws.f.iter().map(|f| f.value(self.at).abs()).fold(0.0, f64::max);
        let typical =
            points.iter().flat_map(|p| laws.f.iter().map(|f| f.value(&p.1).abs())).fold(0.0, f64::max);
        if moving > 1e-8 * typical {
            return not_shown("the point is no equilibrium".into(), self.at);
        }
        let here = laws.v.value(self.at);
        if !v_size.is_finite() || !rate_size.is_finite() {
            return (LyapunovVerdict::NotShown, "V or its rate has no finite value in the ball".into(), None);
        }
        if here.abs() > ROUNDING * v_size {
            return not_shown(format!("V is {here:.6e} at the equilibrium, not zero"), self.at);
        }
        for (shell, x) in points {
            let v = laws.v.value(x);
            if v <= ROUNDING * v_size * shell.powi(4) {
                return not_shown(format!("V is {v:.6e}, not positive"), x);
            }
        }
        // What rounding leaves of the sum Σ ∂V/∂x_i f_i.
        let noise = |x: &[f64]| {
            let term = |(i, f): (usize, &Function)| (laws.v.partial(i, x) * f.value(x)).abs();
            ROUNDING * laws.f.iter().enumerate().map(term).sum::<f64>()
        };
        for (_, x) in points {
            let rate = laws.rate.value(x);
            if rate > noise(x) {
                return not_shown(format!("the rate of V is {rate:.6e}, positive"), x);
            }
        }
        if points.iter().all(|(_, x)| laws.rate.value(x).abs() <= noise(x)) {
            let reason = "V is positive and its rate is zero everywhere: V is conserved (theorem I)";
            return (LyapunovVerdict::Stable, reason.into(), None);
        }
        self.judge_touching(laws, points, rate_size)
    }

    /// Whether V̇ = 0 somewhere in the ball, and whether motions stay there.
    fn judge_touching(
        &self,
        laws: &Laws,
        points: &[(f64, Vec<f64>)],
        rate_size: f64,
    ) -> (LyapunovVerdict, String, Option<Vec<f64>>) {
        let every = points.len().div_ceil(SEARCHES).max(1);
        let mut met = None;
        for (_, start) in points.iter().step_by(every) {
            let Some(x) = self.touching(laws, start, rate_size) else { continue };
            if !self.leaves(laws, &x) {
                let reason =
                    "V is positive, its rate not (theorem I); a motion may stay where the rate is zero";
                return (LyapunovVerdict::Stable, reason.into(), Some(x));
            }
            met.get_or_insert(x);
        }
        match met {
            None => {
                let reason = "V is positive and its rate negative (theorem II)";
                (LyapunovVerdict::AsymptoticallyStable, reason.into(), None)
            }
            Some(x) => {
                let reason = "V is positive, its rate not, and no motion stays where the rate is zero (theorem III, Krasovskii)";
                (LyapunovVerdict::Krasovskii, reason.into(), Some(x))
            }
        }
    }

    /// Distance from the equilibrium in radii.
    fn distance(&self, x: &[f64]) -> f64 {
        let part = |k: usize| ((x[k] - self.at[k]) / self.radius[k]).powi(2);
        (0..x.len()).map(part).sum::<f64>().sqrt()
    }

    /// A point of the ball with V̇ = 0 and ∇V̇ = 0, by Newton's method with the shortest steps.
    fn touching(&self, laws: &Laws, start: &[f64], rate_size: f64) -> Option<Vec<f64>> {
        let n = start.len();
        let mut x = start.to_vec();
        for _ in 0..STEPS {
            let g: Vec<f64> = (0..n).map(|i| laws.rate.partial(i, &x) * self.radius[i]).collect();
            let size = g.iter().map(|g| g.abs()).fold(0.0, f64::max);
            let distance = self.distance(&x);
            if !size.is_finite() || !(1e-3..=1.0 + 1e-9).contains(&distance) {
                return None;
            }
            if size <= TOUCHES * rate_size * distance {
                let rate = laws.rate.value(&x);
                return (rate.abs() <= TOUCHES * rate_size * distance * distance).then_some(x);
            }
            let h = Mat::from_fn(n, n, |i, j| laws.rate.second(i, j, &x) * self.radius[i] * self.radius[j]);
            let (step, _) = pseudo_solve(h.as_ref(), &g, 1e-10).ok()?;
            x.iter_mut().zip(step.iter().zip(self.radius)).for_each(|(x, (s, r))| *x -= s * r);
        }
        None
    }

    /// Whether the motion leaves ∇V̇ = 0 at a point: (∂F/∂x) f ≠ 0.
    fn leaves(&self, laws: &Laws, x: &[f64]) -> bool {
        let n = x.len();
        let f: Vec<f64> = laws.f.iter().zip(self.radius).map(|(f, r)| f.value(x) / r).collect();
        let (mut largest, mut size): (f64, f64) = (0.0, 0.0);
        for i in 0..n {
            let row = (0..n).map(|j| laws.rate.second(i, j, x) * self.radius[i] * self.radius[j]);
            let row: Vec<f64> = row.collect();
            largest = largest.max(row.iter().zip(&f).map(|(h, f)| h * f).sum::<f64>().abs());
            size = size.max(row.iter().map(|h| h.abs()).fold(0.0, f64::max));
        }
        let speed = f.iter().map(|f| f.abs()).fold(0.0, f64::max);
        largest > STAYS * size * speed && speed > 0.0
    }
}

/// V, V̇ and f as functions of the states.
struct Laws {
    v: Function,
    rate: SmoothFunction,
    f: Vec<Function>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: [(&str, f64); 4] = [("m", 2.0), ("k", 3.0), ("b", 0.5), ("g", 9.8)];

    fn check(v: &str, states: &[&str], rates: &[&str], at: &[f64], radius: f64) -> LyapunovReport {
        let states: Vec<String> = states.iter().map(|s| s.to_string()).collect();
        let rates: Vec<Expr> = rates.iter().map(|s| Expr::parse(s).unwrap()).collect();
        let radius = vec![radius; states.len()];
        let parameters = |name: &str| PARAMETERS.iter().find(|(n, _)| *n == name).map(|(_, v)| *v);
        let check = LyapunovCheck {
            states: &states,
            rates: &rates,
            at,
            radius: &radius,
            samples: 64,
            parameters: &parameters,
        };
        check.check(&Expr::parse(v).unwrap()).unwrap()
    }

    const ENERGY: &str = "(k*x1^2 + m*x2^2)/2";

    /// VC-6.5: mass on a spring, V̇ = 0: stable.
    #[test]
    fn spring() {
        let found = check(ENERGY, &["x1", "x2"], &["x2", "-k/m*x1"], &[0.0, 0.0], 1.0);
        assert_eq!(found.verdict, LyapunovVerdict::Stable, "{found:?}");
    }

    /// VC-6.6, 6.7: with a damper V̇ = −b x2², zero on x2 = 0, which motions leave by −(k/m) x1.
    #[test]
    fn damped_spring() {
        let found = check(ENERGY, &["x1", "x2"], &["x2", "-k/m*x1 - b/m*x2"], &[0.0, 0.0], 1.0);
        assert_eq!(found.verdict, LyapunovVerdict::Krasovskii, "{found:?}");
        let point = found.point.unwrap();
        assert!(point[1].abs() < 1e-12 && point[0].abs() > 1e-3);
        // V̇ as an expression: −b x2² for any values.
        let at = |name: &str| match name {
            "x1" => Some(0.37),
            "x2" => Some(-1.4),
            _ => PARAMETERS.iter().find(|(n, _)| *n == name).map(|(_, v)| *v),
        };
        assert!((found.derivative.eval(&at).unwrap() + 0.5 * 1.96).abs() < 1e-14);
    }

    /// Theorem II, about a point that is not the origin.
    #[test]
    fn strict() {
        let rates = ["-(x - 1) + y", "-(x - 1) - y^3 - y"];
        let found = check("(x - 1)^2 + y^2", &["x", "y"], &rates, &[1.0, 0.0], 2.0);
        assert_eq!(found.verdict, LyapunovVerdict::AsymptoticallyStable, "{found:?}");
    }

    /// Candidates that show nothing, each with a counterexample: not positive, growing, not zero, not an
    /// equilibrium.
    #[test]
    fn nothing_shown() {
        let rates = ["x2", "-k/m*x1 - b/m*x2"];
        for (v, words, at) in [
            ("x1^2 - x2^2", "not positive", [0.0, 0.0]),
            ("x1^2 + x2^2", "positive", [0.0, 0.0]),
            ("x1^2 + x2^2 + 1", "not zero", [0.0, 0.0]),
            (ENERGY, "no equilibrium", [1.0, 0.0]),
        ] {
            let found = check(v, &["x1", "x2"], &rates, &at, 1.0);
            assert_eq!(found.verdict, LyapunovVerdict::NotShown, "{v}: {found:?}");
            assert!(found.reason.contains(words) && found.point.is_some(), "{v}: {found:?}");
        }
    }

    /// The damped pendulum hanging down, with its energy: Krasovskii within |θ| < π.
    #[test]
    fn pendulum() {
        let rates = ["w", "-g*sin(th) - b*w"];
        let found = check("w^2/2 + g*(1 - cos(th))", &["th", "w"], &rates, &[0.0, 0.0], 3.0);
        assert_eq!(found.verdict, LyapunovVerdict::Krasovskii, "{found:?}");
        let found = check("w^2/2 + g*(1 - cos(th))", &["th", "w"], &rates, &[std::f64::consts::PI, 0.0], 1.0);
        assert_eq!(found.verdict, LyapunovVerdict::NotShown);
    }
}
