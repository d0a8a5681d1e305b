//! The function that makes a row of a constraint: an expression, or a linear relation with a law of time.

use poinsot_expr::{Jet, SmoothFunction};

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
                sum(factors, y) - offset.value(&y[n..=n])
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

    /// F, by code compiled for many evaluations.
    #[inline]
    pub(crate) fn residual(&self, y: &[f64]) -> f64 {
        match self {
            Law::Expression(f) => f.jet().value(y),
            Law::Linear { factors, offset } => sum(factors, y) - of_time(offset, y[factors.len()], false)[0],
        }
    }

    /// F and ∂F/∂y_i one after the other, that by t last, by code compiled for many evaluations. `out` starts
    /// as zero.
    #[inline]
    pub(crate) fn first(&self, y: &[f64], out: &mut [f64]) {
        match self {
            Law::Expression(f) => f.jet().first(y, out),
            Law::Linear { factors, offset } => {
                let n = factors.len();
                let [f, fdot] = of_time(offset, y[n], true);
                out[0] = sum(factors, y) - f;
                out[1..=n].copy_from_slice(factors);
                out[n + 1] = -fdot;
            }
        }
    }

    /// As [`Law::first`], and ∂²F/∂y_i∂y_j at [`Jet::place`]. Both lists start as zero.
    pub(crate) fn second_order(&self, y: &[f64], out: &mut [f64], second: &mut [f64]) {
        match self {
            Law::Expression(f) => f.jet().second(y, out, second),
            Law::Linear { factors, .. } => {
                self.first(y, out);
                let n = factors.len();
                second[Jet::place(n, n)] = self.second(n, n, y);
            }
        }
    }

    /// Whether F of `coordinates` and `speeds` makes a row whose forces can do work: a holonomic row that
    /// depends on time, a row on velocities with a part that is not proportional to them.
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

/// Σ_j c_j y_j.
fn sum(factors: &[f64], y: &[f64]) -> f64 {
    factors.iter().zip(y).map(|(c, y)| c * y).sum()
}

/// f(t), and f′(t) if it is wanted.
#[inline]
fn of_time(f: &SmoothFunction, t: f64, slope: bool) -> [f64; 2] {
    if let Some(value) = f.as_constant() {
        return [value, 0.0];
    }
    let mut out = [0.0; 2];
    match slope {
        true => f.jet().first(&[t], &mut out),
        false => out[0] = f.jet().value(&[t]),
    }
    out
}
