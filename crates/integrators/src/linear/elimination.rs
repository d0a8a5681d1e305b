//! Small full complex systems: as many unknowns as a Runge–Kutta method has stages.

use poinsot_numerics::dense::c64;

/// x := A⁻¹ x by elimination with partial pivoting; A, row by row, is overwritten. A singular A shows as a
/// solution that is not finite.
pub(crate) fn solve(a: &mut [c64], x: &mut [c64]) {
    let n = x.len();
    for k in 0..n {
        let pivot =
            (k..n).fold(k, |best, i| if a[i * n + k].norm() > a[best * n + k].norm() { i } else { best });
        if pivot != k {
            (0..n).for_each(|j| a.swap(k * n + j, pivot * n + j));
            x.swap(k, pivot);
        }
        for i in k + 1..n {
            let factor = a[i * n + k] / a[k * n + k];
            for j in k + 1..n {
                let upper = a[k * n + j];
                a[i * n + j] -= factor * upper;
            }
            let upper = x[k];
            x[i] -= factor * upper;
        }
    }
    for k in (0..n).rev() {
        let mut sum = x[k];
        for j in k + 1..n {
            sum -= a[k * n + j] * x[j];
        }
        x[k] = sum / a[k * n + k];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_where_the_first_pivot_is_zero() {
        let i = c64::new(0.0, 1.0);
        let one = c64::new(1.0, 0.0);
        // [0 i; 2 1+i] (3, 1−i)ᵀ = (1+i, 8)ᵀ.
        let mut x = [one + i, c64::new(8.0, 0.0)];
        solve(&mut [0.0 * one, i, 2.0 * one, one + i], &mut x);
        assert!((x[0] - 3.0).norm() < 1e-15 && (x[1] - one + i).norm() < 1e-15);
        let mut x = [one, one];
        solve(&mut [one, one, one, one], &mut x);
        assert!(!x[0].norm().is_finite());
    }
}
