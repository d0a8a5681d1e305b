//! The function that makes a row of a constraint: an expression, or a linear relation with a law of time.

use poinsot_expr::SmoothFunction;

/// F(y₁ … y_n, t) with exact first and second derivatives.
#[derive(Clone, Debug)]
pub enum Law {
    /// Any expression; its last argument is t.
    Expression(SmoothFunction),
    /// F = Σ_j c_j y_j − f(t).
    Linear {
        /// c_j.
        factors: Vec<f64>,
        /// f(t).
        offset: SmoothFunction,
    },
}

impl Law {
    /// F = Σ_j c_j y_j − c.
    pub fn linear(factors: Vec<f64>, offset: f64) -> Self {
        Law::Linear { factors, offset: SmoothFunction::constant(offset) }
    }

    /// A formula of the library, with the values of its constants; the last argument is t.
    pub(crate) fn formula(text: &str, arguments: &[&str], constants: &[(&str, f64)]) -> Self {
        let value = |name: &str| constants.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let expr = poinsot_expr::Expr::parse(text).expect("a formula of the library parses");
        let function = SmoothFunction::new(&expr, arguments, &value);
        Law::Expression(function.expect("a formula of the library names its arguments"))
    }

    /// F.
    pub fn value(&self, y: &[f64]) -> f64 {
        match self {
            Law::Expression(f) => f.value(y),
            Law::Linear { factors, offset } => {
                let n = factors.len();
                let sum: f64 = factors.iter().zip(y).map(|(c, y)| c * y).sum();
                sum - offset.value(&y[n..=n])
            }
        }
    }

    /// ∂F/∂y_i; i = n stands for t.
    pub fn partial(&self, i: usize, y: &[f64]) -> f64 {
        match self {
            Law::Expression(f) => f.partial(i, y),
            Law::Linear { factors, offset } => {
                let n = factors.len();
                factors.get(i).copied().unwrap_or_else(|| -offset.partial(0, &y[n..=n]))
            }
        }
    }

    /// ∂²F/∂y_i∂y_j.
    pub fn second(&self, i: usize, j: usize, y: &[f64]) -> f64 {
        match self {
            Law::Expression(f) => f.second(i, j, y),
            Law::Linear { factors, offset } => {
                let n = factors.len();
                if i == n && j == n { -offset.second(0, 0, &y[n..=n]) } else { 0.0 }
            }
        }
    }

    /// Whether F of `coordinates` and `speeds` makes a row whose forces can do work: a holonomic row that depends on
    /// time, a row on velocities with a part that is not proportional to them.
    pub fn is_driven(&self, coordinates: usize, speeds: usize) -> bool {
        let n = coordinates + speeds;
        match self {
            Law::Expression(f) if speeds == 0 => f.depends_on(n),
            // F without speeds is zero everywhere if it is zero at an irregular place.
            Law::Expression(f) => {
                let irregular = |k: usize| 0.37 + 0.618 * k as f64;
                let y: Vec<f64> =
                    (0..=n).map(|k| if (coordinates..n).contains(&k) { 0.0 } else { irregular(k) }).collect();
                f.depends_on(n) || f.value(&y) != 0.0
            }
            Law::Linear { offset, .. } if speeds == 0 => offset.as_constant().is_none(),
            Law::Linear { offset, .. } => offset.as_constant() != Some(0.0),
        }
    }

    /// Whether ∂²F/∂y_i∂y_j is zero everywhere.
    pub fn second_is_zero(&self, i: usize, j: usize) -> bool {
        match self {
            Law::Expression(f) => f.second_is_zero(i, j),
            Law::Linear { factors, .. } => i < factors.len() || j < factors.len(),
        }
    }
}
