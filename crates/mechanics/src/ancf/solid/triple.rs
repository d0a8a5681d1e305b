//! Discrete gradient of a triple product T = y₁·(y₂ × y₃) that conserves angular momentum.
//!
//! With means ȳ and differences Δ = y⁺ − y, T⁺ − T = Σ c_j·Δ_j + ¼ det Δ, c_j = ȳ_k × ȳ_l. The last part must
//! become Σ v_j·Δ_j with Σ ȳ_j × v_j = 0, so that no moment is made. With Δ_j = ω × ȳ_j + δ_j, where ω is the
//! turn that leaves Σ w_j ȳ_j × δ_j = 0,
//!
//! ```text
//! det Δ = Σ δ_j·ω (ω·c_j) + 4 t,   4 t = Σ (ω × ȳ_j)·(δ_k × δ_l) + det δ
//! D_j = c_j + ¼ ω (ω·c_j) + (t/q) w_j δ_j,   q = Σ w_j δ_j·δ_j
//! ```
//! Σ ȳ_j × ω (ω·c_j) = −ω × (T ω) = 0 as it must be. t is of second order in δ, so that the last part and its
//! derivative go to zero with it: no division by a difference that is small alone.

use poinsot_geometry::{Mat3, Vec3, so3};

/// D_j and, where asked for, ∂D_i/∂y⁺_j.
#[derive(Clone, Copy, Debug)]
pub(super) struct TripleSlope {
    pub slope: [Vec3; 3],
    pub bend: [[Mat3; 3]; 3],
}

/// T.
pub(super) fn triple([a, b, c]: [Vec3; 3]) -> f64 {
    a.dot(&b.cross(&c))
}

/// c_j.
pub(super) fn cofactors([a, b, c]: [Vec3; 3]) -> [Vec3; 3] {
    [b.cross(&c), c.cross(&a), a.cross(&b)]
}

/// ∂c_i/∂y_j.
fn cofactor_slopes([a, b, c]: [Vec3; 3]) -> [[Mat3; 3]; 3] {
    let o = Mat3::zeros();
    let [a, b, c] = [a, b, c].map(|y| so3::skew(&y));
    [[o, -c, b], [c, o, -a], [-b, a, o]]
}

/// Σ w_j (|y_j|² − y_j y_jᵀ).
fn inertia(y: &[Vec3; 3], w: &[f64; 3]) -> Mat3 {
    let one = |(y, w): (&Vec3, &f64)| (Mat3::identity() * y.norm_squared() - y * y.transpose()) * *w;
    y.iter().zip(w).map(one).sum()
}

impl TripleSlope {
    /// The gradient and half of its derivative, at one place.
    pub fn at(y: [Vec3; 3]) -> Self {
        TripleSlope { slope: cofactors(y), bend: cofactor_slopes(y).map(|row| row.map(|m| m * 0.5)) }
    }

    /// Between two ends; `w` weighs the vectors against each other.
    pub fn between(from: [Vec3; 3], to: [Vec3; 3], w: [f64; 3], second: bool) -> Self {
        let y: [Vec3; 3] = std::array::from_fn(|j| (from[j] + to[j]) * 0.5);
        let change: [Vec3; 3] = std::array::from_fn(|j| to[j] - from[j]);
        let mut out = TripleSlope::at(y);
        let Some(inverse) = inertia(&y, &w).try_inverse() else { return out };
        let moment: Vec3 = (0..3).map(|j| y[j].cross(&change[j]) * w[j]).sum();
        let turn = inverse * moment;
        let delta: [Vec3; 3] = std::array::from_fn(|j| change[j] - turn.cross(&y[j]));
        let q: f64 = (0..3).map(|j| w[j] * delta[j].norm_squared()).sum();
        let c = out.slope;
        let pairs = cofactors(delta);
        let t = 0.25 * ((0..3).map(|j| turn.cross(&y[j]).dot(&pairs[j])).sum::<f64>() + triple(delta));
        let share = if q > 0.0 { t / q } else { 0.0 };
        out.slope =
            std::array::from_fn(|j| c[j] + turn * (0.25 * turn.dot(&c[j])) + delta[j] * (share * w[j]));
        if second {
            let stage = Stage { y, change, w, turn, inverse, delta, pairs, q, share, c };
            (0..9).for_each(|k| stage.bend(k / 3, k % 3, &mut out.bend));
        }
        out
    }
}

/// What the derivatives need.
struct Stage {
    y: [Vec3; 3],
    change: [Vec3; 3],
    w: [f64; 3],
    turn: Vec3,
    inverse: Mat3,
    delta: [Vec3; 3],
    pairs: [Vec3; 3],
    q: f64,
    share: f64,
    c: [Vec3; 3],
}

impl Stage {
    /// Adds the derivative of D_i − c_i by component k of y⁺_j to column k of the blocks (i, j).
    fn bend(&self, j: usize, k: usize, bend: &mut [[Mat3; 3]; 3]) {
        let Stage { y, change, w, turn, inverse, delta, pairs, q, share, c } = self;
        let unit = Vec3::ith(k, 1.0);
        let half = unit * 0.5;
        let moment = (half.cross(&change[j]) + y[j].cross(&unit)) * w[j];
        let by_inertia =
            (turn * (2.0 * y[j].dot(&half)) - half * y[j].dot(turn) - y[j] * half.dot(turn)) * w[j];
        let d_turn = inverse * (moment - by_inertia);
        let d_y = |i: usize| if i == j { half } else { Vec3::zeros() };
        let d_delta: [Vec3; 3] = std::array::from_fn(|i| {
            let own = if i == j { unit } else { Vec3::zeros() };
            own - d_turn.cross(&y[i]) - turn.cross(&d_y(i))
        });
        let d_q: f64 = (0..3).map(|i| 2.0 * w[i] * delta[i].dot(&d_delta[i])).sum();
        let mut d_t: f64 = (0..3).map(|i| pairs[i].dot(&d_delta[i])).sum();
        for (i, y) in y.iter().enumerate() {
            let (m, n) = ((i + 1) % 3, (i + 2) % 3);
            let arm = turn.cross(y);
            d_t += (d_turn.cross(y) + turn.cross(&d_y(i))).dot(&pairs[i]);
            d_t += arm.dot(&(d_delta[m].cross(&delta[n]) + delta[m].cross(&d_delta[n])));
        }
        let d_share = if *q > 0.0 { (0.25 * d_t - share * d_q) / q } else { 0.0 };
        let slopes = cofactor_slopes(*y);
        for (i, row) in bend.iter_mut().enumerate() {
            let d_c = slopes[i][j] * half;
            let along = d_turn * turn.dot(&c[i]) + turn * (d_turn.dot(&c[i]) + turn.dot(&d_c));
            let value = along * 0.25 + (delta[i] * d_share + d_delta[i] * *share) * w[i];
            let mut column = row[j].column_mut(k);
            column += value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends() -> [[Vec3; 3]; 2] {
        let from = [Vec3::new(0.3, -0.2, 1.1), Vec3::new(1.0, 0.1, 0.2), Vec3::new(-0.1, 0.9, 0.3)];
        let turn = so3::exp(&Vec3::new(0.4, -0.7, 0.5));
        let shift = [Vec3::new(0.1, 0.2, -0.3), Vec3::new(-0.2, 0.1, 0.05), Vec3::new(0.03, 0.2, 0.1)];
        [from, std::array::from_fn(|j| turn * from[j] + shift[j])]
    }

    const W: [f64; 3] = [0.3, 1.0, 1.0];

    #[test]
    fn slopes_are_exact_and_make_no_moment() {
        let [from, to] = ends();
        let d = TripleSlope::between(from, to, W, true);
        let change: f64 = (0..3).map(|j| d.slope[j].dot(&(to[j] - from[j]))).sum();
        assert!((change - (triple(to) - triple(from))).abs() < 1e-14);
        let moment: Vec3 = (0..3).map(|j| ((from[j] + to[j]) * 0.5).cross(&d.slope[j])).sum();
        assert!(moment.norm() < 1e-14, "{moment}");
        let e = 1e-6;
        for j in 0..3 {
            for k in 0..3 {
                let moved = |sign: f64| {
                    let mut end = to;
                    end[j][k] += sign * e;
                    TripleSlope::between(from, end, W, false).slope
                };
                let (plus, minus) = (moved(1.0), moved(-1.0));
                for i in 0..3 {
                    let wanted = (plus[i] - minus[i]) / (2.0 * e);
                    assert!((wanted - d.bend[i][j].column(k)).norm() < 1e-8, "{i} {j} {k}");
                }
            }
        }
    }

    #[test]
    fn a_flat_place_may_be_passed() {
        let [from, _] = ends();
        let mut to = from;
        // The mirror image in the plane of the other two.
        let n = from[1].cross(&from[2]).normalize();
        to[0] -= n * (2.0 * n.dot(&from[0]));
        let d = TripleSlope::between(from, to, W, true);
        let change: f64 = (0..3).map(|j| d.slope[j].dot(&(to[j] - from[j]))).sum();
        assert!((change + 2.0 * triple(from)).abs() < 1e-14);
        assert!(d.bend.iter().flatten().all(|m| m.iter().all(|x| x.is_finite())));
    }
}
