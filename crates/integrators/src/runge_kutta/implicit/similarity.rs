//! The transformation that takes the stages of an implicit step apart (lagrangian-dae-modeling §1.22,
//! VC-5.3).
//!
//! ```text
//! T⁻¹ W T = diag(μ_1, …, [ α_k β_k; −β_k α_k ], …),     W = A⁻¹
//! ```
//! In the variables T⁻¹Z the Newton matrix J + W⊗M/h falls apart into real matrices J + (μ/h) M and complex
//! ones J + ((α − iβ)/h) M for v_2 + i v_3, each of the size of J.

use crate::linear::elimination;
use poinsot_numerics::dense::{self, DenseError, DenseLu, Mat, c64};

/// Real block-diagonal form of a stage matrix. Matrices are stored row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Similarity {
    /// Real eigenvalues μ of W, ascending. They belong to the first columns of T.
    pub real: Vec<f64>,
    /// Pairs α ± iβ of eigenvalues of W as [α, β] with β > 0, by ascending β. They belong to two columns
    /// each: real and imaginary part of the eigenvector of α + iβ.
    pub pairs: Vec<[f64; 2]>,
    /// T. Its last row is 1 for a real eigenvalue and (1, 0) for a pair.
    pub t: Vec<f64>,
    /// T⁻¹.
    pub t_inverse: Vec<f64>,
}

/// Imaginary part, relative to the eigenvalue, below which an eigenvalue is real.
const REAL: f64 = 1e-8;

/// Newton corrections of an eigenvector; the eigenvalue solver leaves nothing for more.
const CORRECTIONS: usize = 3;

impl Similarity {
    /// The form of W with n rows and distinct eigenvalues, whose eigenvectors do not vanish in the last
    /// component.
    pub(crate) fn of(w: &[f64], n: usize) -> Result<Self, DenseError> {
        let (values, vectors) = dense::eigenvectors(Mat::from_fn(n, n, |i, j| w[i * n + j]).as_ref())?;
        let mut real: Vec<(f64, Vec<c64>)> = Vec::new();
        let mut pairs: Vec<(c64, Vec<c64>)> = Vec::new();
        for (k, &value) in values.iter().enumerate() {
            let start: Vec<c64> = (0..n).map(|i| vectors[(i, k)]).collect();
            if value.im.abs() <= REAL * value.norm() {
                let (value, vector) = polished(w, c64::new(value.re, 0.0), start);
                real.push((value.re, vector));
            } else if value.im > 0.0 {
                pairs.push(polished(w, value, start));
            }
        }
        if real.len() + 2 * pairs.len() != n {
            return Err(DenseError::NoConvergence("conjugate eigenvalues"));
        }
        real.sort_by(|x, y| x.0.total_cmp(&y.0));
        pairs.sort_by(|x, y| x.0.im.total_cmp(&y.0.im));

        let part =
            |re: bool, x: &Vec<c64>| x.iter().map(|x| if re { x.re } else { x.im }).collect::<Vec<f64>>();
        let of_pairs = pairs.iter().flat_map(|(_, x)| [part(true, x), part(false, x)]);
        let columns: Vec<Vec<f64>> = real.iter().map(|(_, x)| part(true, x)).chain(of_pairs).collect();
        let t: Vec<f64> = (0..n * n).map(|k| columns[k % n][k / n]).collect();
        Ok(Self {
            real: real.iter().map(|(value, _)| *value).collect(),
            pairs: pairs.iter().map(|(value, _)| [value.re, value.im]).collect(),
            t_inverse: inverse(&t, n)?,
            t,
        })
    }

    /// Geometric mean of the moduli of the eigenvalues of W.
    pub(crate) fn mean_modulus(&self) -> f64 {
        let n = self.real.len() + 2 * self.pairs.len();
        let real = self.real.iter().map(|x| x.abs().ln());
        let pairs = self.pairs.iter().map(|[a, b]| 2.0 * a.hypot(*b).ln());
        (real.chain(pairs).sum::<f64>() / n as f64).exp()
    }
}

/// Eigenvalue λ and eigenvector x with x_n = 1 to full precision, by Newton's method on
///
/// ```text
/// W x − λ x = 0,     x_n = 1
/// ```
fn polished(w: &[f64], mut value: c64, mut x: Vec<c64>) -> (c64, Vec<c64>) {
    let n = x.len();
    let last = x[n - 1];
    x.iter_mut().for_each(|x| *x /= last);
    let size = n + 1;
    for _ in 0..CORRECTIONS {
        let mut matrix = vec![c64::new(0.0, 0.0); size * size];
        let mut step = vec![c64::new(0.0, 0.0); size];
        for i in 0..n {
            for j in 0..n {
                matrix[i * size + j].re = w[i * n + j];
                step[i] -= x[j] * w[i * n + j];
            }
            matrix[i * size + i] -= value;
            matrix[i * size + n] = -x[i];
            step[i] += value * x[i];
        }
        matrix[n * size + n - 1].re = 1.0;
        elimination::solve(&mut matrix, &mut step);
        x[..n - 1].iter_mut().zip(&step).for_each(|(x, step)| *x += step);
        x[n - 1] = c64::new(1.0, 0.0);
        value += step[n];
    }
    (value, x)
}

/// T⁻¹, each column x by elimination and one correction with the residual e − T x.
fn inverse(t: &[f64], n: usize) -> Result<Vec<f64>, DenseError> {
    let lu = DenseLu::new(Mat::from_fn(n, n, |i, j| t[i * n + j]).as_ref())?;
    let mut inverse = vec![0.0; n * n];
    for j in 0..n {
        let unit = |i: usize| if i == j { 1.0 } else { 0.0 };
        let mut x: Vec<f64> = (0..n).map(unit).collect();
        lu.solve(&mut x);
        let product = |i: usize| -> f64 { t[i * n..(i + 1) * n].iter().zip(&x).map(|(t, x)| t * x).sum() };
        let mut correction: Vec<f64> = (0..n).map(|i| unit(i) - product(i)).collect();
        lu.solve(&mut correction);
        (0..n).for_each(|i| inverse[i * n + j] = x[i] + correction[i]);
    }
    Ok(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_made_of_known_blocks() {
        // W = T diag(3, [1 2; −2 1]) T⁻¹ with T = [1 2 0; 0 1 1; 1 1 0], T⁻¹ = [−1 0 2; 1 0 −1; −1 1 1].
        let w = [-5.0, 4.0, 8.0, -4.0, 3.0, 4.0, -4.0, 2.0, 7.0];
        let form = Similarity::of(&w, 3).unwrap();
        assert!((form.real[0] - 3.0).abs() < 1e-14);
        assert!((form.pairs[0][0] - 1.0).abs() < 1e-14 && (form.pairs[0][1] - 2.0).abs() < 1e-14);
        let exact = [1.0, 2.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0];
        assert!(form.t.iter().zip(&exact).all(|(x, y)| (x - y).abs() < 2e-14), "{:?}", form.t);
        let exact = [-1.0, 0.0, 2.0, 1.0, 0.0, -1.0, -1.0, 1.0, 1.0];
        assert!(
            form.t_inverse.iter().zip(&exact).all(|(x, y)| (x - y).abs() < 2e-14),
            "{:?}",
            form.t_inverse
        );
        assert!((form.mean_modulus() - 15f64.cbrt()).abs() < 1e-14);
    }
}
