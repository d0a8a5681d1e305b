//! Linear systems with an operator alone, A x = b: the x in the Krylov space b, A b, A² b … that leaves the
//! least residual (generalised minimal residuals).
//!
//! ```text
//! A Q_j = Q_{j+1} H,     x = Q_j y,     |b − A x| = | |b| e_1 − H y |  least
//! ```
//! Rotations keep H triangular, so that the residual is known after every direction.

use crate::krylov::Operator;

/// Solves A x = b to a relative residual; none if so many directions do not come to it, or if a number is not
/// finite.
pub fn gmres(op: Operator<'_>, b: &[f64], tolerance: f64, directions: usize) -> Option<Vec<f64>> {
    let n = b.len();
    let size = norm(b);
    if size == 0.0 {
        return Some(vec![0.0; n]);
    }
    let mut q: Vec<Vec<f64>> = vec![b.iter().map(|b| b / size).collect()];
    let (mut r, mut turns): (Vec<Vec<f64>>, Vec<[f64; 2]>) = (vec![], vec![]);
    let mut right = vec![size];
    for j in 0..directions.min(n) {
        let mut w = vec![0.0; n];
        op(&q[j], &mut w);
        let before = norm(&w);
        if !before.is_finite() {
            return None;
        }
        let mut column = vec![0.0; j + 2];
        for _ in 0..2 {
            for (h, q) in column.iter_mut().zip(&q) {
                let along: f64 = q.iter().zip(&w).map(|(q, w)| q * w).sum();
                w.iter_mut().zip(q).for_each(|(w, q)| *w -= along * q);
                *h += along;
            }
        }
        let rest = norm(&w);
        column[j + 1] = rest;
        for (i, [c, s]) in turns.iter().enumerate() {
            let (a, b) = (column[i], column[i + 1]);
            (column[i], column[i + 1]) = (c * a + s * b, c * b - s * a);
        }
        let length = column[j].hypot(column[j + 1]);
        if length == 0.0 || length.is_nan() {
            return None;
        }
        let [c, s] = [column[j] / length, column[j + 1] / length];
        column[j] = length;
        turns.push([c, s]);
        let last = right[j];
        right[j] = c * last;
        right.push(-s * last);
        r.push(column);
        if right[j + 1].abs() <= tolerance * size {
            return Some(combine(&r, &right, &q, n));
        }
        if rest <= f64::EPSILON * before {
            return None;
        }
        w.iter_mut().for_each(|w| *w /= rest);
        q.push(w);
    }
    None
}

/// Q y with R y = right.
fn combine(r: &[Vec<f64>], right: &[f64], q: &[Vec<f64>], n: usize) -> Vec<f64> {
    let count = r.len();
    let mut y = vec![0.0; count];
    for i in (0..count).rev() {
        let above: f64 = (i + 1..count).map(|j| r[j][i] * y[j]).sum();
        y[i] = (right[i] - above) / r[i][i];
    }
    let mut x = vec![0.0; n];
    for (y, q) in y.iter().zip(q) {
        x.iter_mut().zip(q).for_each(|(x, q)| *x += y * q);
    }
    x
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn few_directions_solve_what_is_near_the_identity_in_all_but_few() {
        let (n, far) = (60, 3);
        let mut random = Random::new(3);
        let ways: Vec<Vec<f64>> = (0..far).map(|_| (0..n).map(|_| random.number()).collect()).collect();
        let mut applications = 0;
        let mut apply = |x: &[f64], y: &mut [f64]| {
            y.copy_from_slice(x);
            for (k, way) in ways.iter().enumerate() {
                let along: f64 = way.iter().zip(x).map(|(w, x)| w * x).sum();
                y.iter_mut().zip(&ways[(k + 1) % far]).for_each(|(y, w)| *y -= along * w);
            }
            applications += 1;
        };
        let exact: Vec<f64> = (0..n).map(|i| 1.0 / (1.0 + i as f64)).collect();
        let mut b = vec![0.0; n];
        apply(&exact, &mut b);
        let x = gmres(&mut apply, &b, 1e-13, 20).unwrap();
        let error = x.iter().zip(&exact).map(|(x, e)| (x - e).abs()).fold(0.0, f64::max);
        assert!(error < 1e-11, "{error:e}");
        assert!(applications < 8, "{applications}");
    }

    #[test]
    fn a_singular_system_without_a_solution_is_refused() {
        let mut apply = |x: &[f64], y: &mut [f64]| {
            y.copy_from_slice(x);
            y[0] = 0.0;
        };
        assert_eq!(gmres(&mut apply, &[1.0, 1.0, 0.0], 1e-10, 10), None);
    }
}
