//! First-order equations solved for their rates, as expressions:
//!
//! ```text
//! F(y, ẏ, z) = A(y) (ẏ, z) + c(y) = 0      →      ẏ = f(y),   z = g(y)
//! ```
//! for equations that are linear in the rates ẏ and in the variables z without rate, by elimination with
//! expressions; pivots are the largest at a given point.

use poinsot_expr::Expr;
use thiserror::Error;

/// Why equations have no explicit form.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ExplicitError {
    /// An equation is not linear in an unknown.
    #[error("equation {equation} is not linear in `{unknown}`")]
    NotLinear {
        /// Number of the equation, from 1.
        equation: usize,
        /// The unknown.
        unknown: String,
    },
    /// The equations do not determine an unknown.
    #[error("the equations do not determine `{0}` at this point: their index is above one")]
    Singular(String),
    /// An expression has no value at the point.
    #[error("an expression has no value at the point: {0}")]
    NoValue(String),
}

/// The expression of an operator between two others.
pub(crate) fn combined(left: &Expr, operator: char, right: &Expr) -> Option<Expr> {
    // Names that no model can have, put in place of each other.
    let pattern = Expr::parse(&format!("left__operand{operator}right__operand")).ok()?;
    Some(pattern.substitute("left__operand", left).substitute("right__operand", right).simplify())
}

/// The expressions of the unknowns (rates, and variables without one), in their order; `at` has the values of
/// all other names at the point where pivots are compared.
pub fn explicit_form(
    equations: &[Expr],
    unknowns: &[String],
    at: &dyn Fn(&str) -> Option<f64>,
) -> Result<Vec<Expr>, ExplicitError> {
    let n = unknowns.len();
    let value = |e: &Expr| e.eval(at).map_err(|error| ExplicitError::NoValue(error.to_string()));
    let operate = |a: &Expr, op: char, b: &Expr| {
        combined(a, op, b).ok_or_else(|| ExplicitError::NoValue("an operator".into()))
    };
    // Rows of A and, last, −c.
    let mut rows: Vec<Vec<Expr>> = Vec::with_capacity(n);
    for (k, equation) in equations.iter().enumerate() {
        let mut row = Vec::with_capacity(n + 1);
        let mut rest = equation.clone();
        for unknown in unknowns {
            let factor = equation.derivative(unknown).simplify();
            if let Some(other) = unknowns.iter().find(|u| factor.contains(u)) {
                return Err(ExplicitError::NotLinear { equation: k + 1, unknown: other.clone() });
            }
            row.push(factor);
            rest = rest.substitute(unknown, &Expr::number(0.0));
        }
        row.push(operate(&Expr::number(0.0), '-', &rest)?);
        rows.push(row);
    }
    for k in 0..n {
        let mut best: Option<(usize, f64)> = None;
        for (i, row) in rows.iter().enumerate().skip(k) {
            let size = value(&row[k])?.abs();
            let scale = row[k..n].iter().map(&value).collect::<Result<Vec<f64>, _>>()?;
            let share = size / scale.iter().fold(f64::MIN_POSITIVE, |m: f64, x| m.max(x.abs()));
            if share > 1e-12 && best.is_none_or(|(_, b)| share > b) {
                best = Some((i, share));
            }
        }
        let (pivot, _) = best.ok_or_else(|| ExplicitError::Singular(unknowns[k].clone()))?;
        rows.swap(k, pivot);
        for i in (0..n).filter(|&i| i != k) {
            if rows[i][k] == Expr::number(0.0) {
                continue;
            }
            let factor = operate(&rows[i][k], '/', &rows[k][k])?;
            let lead = rows[k].clone();
            rows[i][k] = Expr::number(0.0);
            for (entry, above) in rows[i].iter_mut().zip(&lead).skip(k + 1) {
                *entry = operate(entry, '-', &operate(&factor, '*', above)?)?;
            }
        }
    }
    (0..n).map(|k| operate(&rows[k][n], '/', &rows[k][k])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Expr {
        Expr::parse(text).unwrap()
    }

    /// lagrangian-dae-modeling VC-6.19: (m1 + m2) v' − m2 l cosθ w' and so on: two rates in two equations, an
    /// effort from an algebraic one.
    #[test]
    fn coupled_rates_and_an_effort() {
        let equations = [
            "(m1 + m2)*v_rate + m2*l*cos(th)*w_rate - m2*l*w^2*sin(th) - F",
            "cos(th)*v_rate + l*w_rate - g*sin(th)",
            "F + 2*v",
        ];
        let unknowns = ["v_rate", "w_rate", "F"].map(String::from);
        let values =
            [("m1", 0.5), ("m2", 0.1), ("l", 0.25), ("g", 9.8), ("th", 0.3), ("w", 0.7), ("v", -0.2)];
        let at = |name: &str| values.iter().find(|(n, _)| *n == name).map(|(_, v)| *v);
        let found = explicit_form(&equations.map(parse), &unknowns, &at).unwrap();
        let [dv, dw, force] = [0, 1, 2].map(|k| found[k].eval(&at).unwrap());
        let (s, c) = (0.3f64.sin(), 0.3f64.cos());
        assert!((force - 0.4).abs() < 1e-15);
        assert!((0.6 * dv + 0.025 * c * dw - 0.025 * 0.49 * s - force).abs() < 1e-14);
        assert!((c * dv + 0.25 * dw - 9.8 * s).abs() < 1e-14);
    }

    #[test]
    fn refusals() {
        let at = |_: &str| Some(1.0);
        let one = ["x_rate".to_string()];
        let error = explicit_form(&[parse("x_rate^2 - x")], &one, &at).unwrap_err();
        assert!(matches!(error, ExplicitError::NotLinear { equation: 1, .. }));
        let two = ["x_rate".to_string(), "z".into()];
        let error = explicit_form(&[parse("x_rate - z"), parse("x - 1")], &two, &at).unwrap_err();
        assert!(matches!(error, ExplicitError::Singular(_)));
    }
}
