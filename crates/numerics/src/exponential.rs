//! The matrix exponential, also with an input that is held constant and integrated along:
//!
//! ```text
//! exp ( [A B; 0 0] t ) = [ e^(At)   ∫₀ᵗ e^(Aτ) dτ B ]
//!                        [ 0        1               ]
//! ```

use crate::dense::{DenseError, Mat, MatRef, check_finite};
use nalgebra::DMatrix;

/// e^A, by scaling and squaring with diagonal Padé approximants.
pub fn exponential(a: MatRef<'_, f64>) -> Result<Mat<f64>, DenseError> {
    let n = a.nrows();
    if n != a.ncols() {
        return Err(DenseError::NotSquare { rows: n, columns: a.ncols() });
    }
    check_finite(a)?;
    let e = DMatrix::from_fn(n, n, |i, j| a[(i, j)]).exp();
    let e = Mat::from_fn(n, n, |i, j| e[(i, j)]);
    check_finite(e.as_ref())?;
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
