//! The matrix exponential by scaling and squaring with diagonal Padé approximants.
//!
//! ```text
//! e^A = (r_m(A/2^s))^(2^s),     r_m = (V − U)⁻¹ (V + U),     V, U: even and odd part of Σ_k b_k A^k
//! ```
//! m is the least of 3, 5, 7, 9 whose error is below rounding for ‖A‖₁, else 13 with as many halvings s as
//! bring ‖A‖₁ below θ₁₃. An input held constant is integrated along by the augmented matrix,
//!
//! ```text
//! exp ( [A B; 0 0] t ) = [ e^(At)   ∫₀ᵗ e^(Aτ) dτ B ]
//!                        [ 0        1               ]
//! ```

use crate::dense::{DenseError, DenseLu, Mat, MatRef};

/// ‖A‖₁ up to which the approximants of degree 3, 5, 7, 9 and 13 are exact to rounding.
const THETA: [f64; 5] =
    [1.495585217958292e-2, 2.53939833006323e-1, 9.504178996162932e-1, 2.097847961257068, 5.371920351148152];

/// Coefficients of the numerators, from the constant on.
const PADE: [&[f64]; 5] = [
    &[120.0, 60.0, 12.0, 1.0],
    &[30240.0, 15120.0, 3360.0, 420.0, 30.0, 1.0],
    &[17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0, 1.0],
    &[
        17643225600.0,
        8821612800.0,
        2075673600.0,
        302702400.0,
        30270240.0,
        2162160.0,
        110880.0,
        3960.0,
        90.0,
        1.0,
    ],
    &[
        64764752532480000.0,
        32382376266240000.0,
        7771770303897600.0,
        1187353796428800.0,
        129060195264000.0,
        10559470521600.0,
        670442572800.0,
        33522128640.0,
        1323241920.0,
        40840800.0,
        960960.0,
        16380.0,
        182.0,
        1.0,
    ],
];

/// e^A.
pub fn exponential(a: MatRef<'_, f64>) -> Result<Mat<f64>, DenseError> {
    let n = a.nrows();
    if n != a.ncols() {
        return Err(DenseError::NotSquare { rows: n, columns: a.ncols() });
    }
    crate::dense::check_finite(a)?;
    if n == 0 {
        return Ok(Mat::zeros(0, 0));
    }
    let norm = one_norm(a);
    if let Some(k) = THETA[..4].iter().position(|theta| norm <= *theta) {
        return approximant(&a.to_owned(), PADE[k]);
    }
    let halvings = (norm / THETA[4]).log2().ceil().max(0.0) as i32;
    let scale = 0.5f64.powi(halvings);
    let mut e = approximant(&Mat::from_fn(n, n, |i, j| a[(i, j)] * scale), PADE[4])?;
    for _ in 0..halvings {
        e = &e * &e;
    }
    crate::dense::check_finite(e.as_ref())?;
    Ok(e)
}

/// e^(At) and ∫₀ᵗ e^(Aτ) dτ B.
pub fn exponential_with_input(
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    t: f64,
) -> Result<(Mat<f64>, Mat<f64>), DenseError> {
    let (n, m) = (a.nrows(), b.ncols());
    if b.nrows() != n {
        return Err(DenseError::Shape { expected: n, found: b.nrows() });
    }
    let augmented = Mat::from_fn(n + m, n + m, |i, j| match (i < n, j < n) {
        (true, true) => t * a[(i, j)],
        (true, false) => t * b[(i, j - n)],
        _ => 0.0,
    });
    let e = exponential(augmented.as_ref())?;
    Ok((Mat::from_fn(n, n, |i, j| e[(i, j)]), Mat::from_fn(n, m, |i, j| e[(i, n + j)])))
}

fn one_norm(a: MatRef<'_, f64>) -> f64 {
    (0..a.ncols()).map(|j| (0..a.nrows()).map(|i| a[(i, j)].abs()).sum()).fold(0.0, f64::max)
}

/// (V − U)⁻¹ (V + U), the powers of A² by Horner's rule.
fn approximant(a: &Mat<f64>, b: &[f64]) -> Result<Mat<f64>, DenseError> {
    let n = a.nrows();
    let square = a * a;
    let add = |m: &mut Mat<f64>, c: f64| (0..n).for_each(|i| m[(i, i)] += c);
    let (mut even, mut odd) = (Mat::<f64>::zeros(n, n), Mat::<f64>::zeros(n, n));
    for k in (0..b.len()).step_by(2).rev() {
        even = &even * &square;
        add(&mut even, b[k]);
        odd = &odd * &square;
        add(&mut odd, b[k + 1]);
    }
    let u = a * &odd;
    let lu = DenseLu::new((&even - &u).as_ref())?;
    let sum = &even + &u;
    let mut result = Mat::zeros(n, n);
    for j in 0..n {
        let mut column: Vec<f64> = (0..n).map(|i| sum[(i, j)]).collect();
        lu.solve(&mut column);
        (0..n).for_each(|i| result[(i, j)] = column[i]);
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix<const N: usize>(rows: [[f64; N]; N]) -> Mat<f64> {
        Mat::from_fn(N, N, |i, j| rows[i][j])
    }

    /// Closed forms of lagrangian-dae-modeling §1.28: diagonal, nilpotent chain, rotation block with shift.
    #[test]
    fn closed_forms() {
        let e = exponential(matrix([[1.0, 0.0], [0.0, -3.0]]).as_ref()).unwrap();
        assert!((e[(0, 0)] - 1f64.exp()).abs() < 1e-15 && (e[(1, 1)] - (-3f64).exp()).abs() < 1e-15);
        let t = 7.0;
        let e = exponential(matrix([[0.0, t, 0.0], [0.0, 0.0, t], [0.0; 3]]).as_ref()).unwrap();
        assert!((e[(0, 1)] - t).abs() < 1e-13 && (e[(0, 2)] - 0.5 * t * t).abs() < 1e-12);
        for (sigma, omega) in [(-0.3, 2.0), (0.1, 40.0), (-5.0, 0.01)] {
            let e = exponential(matrix([[sigma, omega], [-omega, sigma]]).as_ref()).unwrap();
            let (c, s) = (sigma.exp() * omega.cos(), sigma.exp() * omega.sin());
            assert!((e[(0, 0)] - c).abs() < 1e-13 && (e[(0, 1)] - s).abs() < 1e-13, "{sigma} {omega}");
        }
    }

    /// Every degree meets e^A e^(−A) = 1, and the inverse scaling of a stiff matrix.
    #[test]
    fn inverse_and_stiff() {
        for scale in [1e-2, 0.2, 0.9, 2.0, 5.0, 30.0] {
            let a = Mat::from_fn(4, 4, |i, j| scale * (((3 * i + 5 * j) % 7) as f64 / 7.0 - 0.5));
            let minus = Mat::from_fn(4, 4, |i, j| -a[(i, j)]);
            let (e, back) = (exponential(a.as_ref()).unwrap(), exponential(minus.as_ref()).unwrap());
            let unit = &e * &back - Mat::<f64>::identity(4, 4);
            let size = e.norm_max() * back.norm_max();
            assert!(unit.norm_max() < 1e-13 * size.max(1.0), "{scale}: {}", unit.norm_max());
        }
        // λ = −1e5 and −0.5.
        let a = matrix([[-1e5, 1e5], [0.0, -0.5]]);
        let e = exponential(a.as_ref()).unwrap();
        let exact = 1e5 / (1e5 - 0.5) * (-0.5f64).exp();
        assert!((e[(0, 1)] - exact).abs() < 1e-10 && e[(0, 0)].abs() < 1e-10);
    }

    /// VC-6.3: ẋ = λx + b with a step has the steady state −b/λ; and x(t) = (b/λ)(e^(λt) − 1).
    #[test]
    fn step_response() {
        let (a, b) = (Mat::from_fn(1, 1, |_, _| -2.0), Mat::from_fn(1, 1, |_, _| 3.0));
        let (_, x) = exponential_with_input(a.as_ref(), b.as_ref(), 0.7).unwrap();
        assert!((x[(0, 0)] - 1.5 * (1.0 - (-1.4f64).exp())).abs() < 1e-15);
        let (_, x) = exponential_with_input(a.as_ref(), b.as_ref(), 50.0).unwrap();
        assert!((x[(0, 0)] - 1.5).abs() < 1e-14);
    }

    #[test]
    fn refusals() {
        assert!(exponential(Mat::<f64>::zeros(2, 3).as_ref()).is_err());
        assert!(exponential(Mat::from_fn(1, 1, |_, _| f64::NAN).as_ref()).is_err());
        assert!(exponential(Mat::from_fn(1, 1, |_, _| 1e4).as_ref()).is_err());
        assert_eq!(exponential(Mat::<f64>::zeros(0, 0).as_ref()).unwrap().nrows(), 0);
    }
}
