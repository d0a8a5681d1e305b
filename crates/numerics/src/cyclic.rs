//! Linear equations in a ring, with a border: those of periodic motions.
//!
//! ```text
//! A_i p_i − p_{i+1} + c_i τ = r_i       i = 0 … K−1,   p_K = p_0
//! Σ_i b_i p_i       + d τ   = s
//! ```
//! Neighbours are joined one after the other (Wright's structured orthogonal factorisation): what is known of
//! p_0 and p_i, and the next equation, are turned so that p_i stands in one half alone,
//!
//! ```text
//! [ F    E   0  C   | r   ]  orthogonal  [ R  X  Y  Z  | q  ]
//! [ A_i  0  −I  c_i | r_i ]      →       [ 0  E′ F′ C′ | r′ ]
//! ```
//! No product of the A_i is formed: growing and decaying solutions are kept apart, however long the ring. The
//! cost is linear in K. At the end E p_0 + F p_K + C τ = r is left, a small system with the border, which is
//! solved by least squares: what it leaves free is counted.

use crate::dense::{DenseError, Mat, check_finite};
use crate::subspace::pseudo_solve;

/// The equations; several right-hand sides at once.
#[derive(Clone, Debug)]
pub struct Ring {
    /// A_i, square and all of one size m.
    pub blocks: Vec<Mat<f64>>,
    /// c_i, m × n_τ.
    pub columns: Vec<Mat<f64>>,
    /// b_i, n_s × m.
    pub rows: Vec<Mat<f64>>,
    /// d, n_s × n_τ.
    pub corner: Mat<f64>,
    /// r_i, m × the number of right-hand sides.
    pub right: Vec<Mat<f64>>,
    /// s, n_s × the same.
    pub border: Mat<f64>,
}

/// Blocks up to this size are turned in place, without the calls that pay for larger ones.
const SMALL: usize = 8;

/// Solutions of the equations, one for each right-hand side.
#[derive(Clone, Debug)]
pub struct RingSolution {
    /// p_i, m × the number of right-hand sides.
    pub around: Vec<Mat<f64>>,
    /// τ.
    pub border: Mat<f64>,
    /// Dimension of what the equations leave free; the solution is the least one at p_0 and τ.
    pub free: usize,
    /// Largest part of the right-hand side that no solution meets.
    pub unmet: f64,
}

/// An equation in which p_i stands with p_0, p_{i+1} and τ.
#[derive(Clone, Debug)]
struct Joint {
    r: Mat<f64>,
    first: Mat<f64>,
    next: Mat<f64>,
    border: Mat<f64>,
    right: Mat<f64>,
}

/// The ring with its inner places joined: E p_0 + F p_K + C τ = r.
#[derive(Clone, Debug)]
pub struct Joined {
    /// E.
    pub first: Mat<f64>,
    /// F.
    pub last: Mat<f64>,
    column: Mat<f64>,
    right: Mat<f64>,
    joints: Vec<Joint>,
    /// The border with inner places put in: on p_0, on p_K, on τ, and its right-hand side.
    border: [Mat<f64>; 4],
}

impl Ring {
    /// Joins the places inside.
    pub fn join(&self) -> Result<Joined, DenseError> {
        let count = self.blocks.len();
        let m = self.blocks.first().map_or(0, Mat::nrows);
        for (a, c) in self.blocks.iter().zip(&self.columns) {
            check_finite(a.as_ref())?;
            check_finite(c.as_ref())?;
        }
        let (n_tau, n_right) = (self.corner.ncols(), self.border.ncols());
        let identity = Mat::<f64>::identity(m, m);
        let mut first = self.blocks.first().cloned().unwrap_or_else(|| Mat::zeros(0, 0));
        let mut last = -&identity;
        let mut column = self.columns.first().cloned().unwrap_or_else(|| Mat::zeros(0, n_tau));
        let mut right = self.right.first().cloned().unwrap_or_else(|| Mat::zeros(0, n_right));
        let mut border = [
            self.rows.first().cloned().unwrap_or_else(|| Mat::zeros(self.corner.nrows(), m)),
            Mat::zeros(self.corner.nrows(), m),
            self.corner.clone(),
            self.border.clone(),
        ];
        let mut joints = Vec::with_capacity(count.saturating_sub(1));
        for i in 1..count {
            let open = Open { first, last, column, right };
            let turned = if m <= SMALL { self.turned(i, &open) } else { self.turned_by_blocks(i, &open) };
            let joint = turned.0;
            Open { first, last, column, right } = turned.1;
            joint.take_out(&self.rows[i], &mut border);
            joints.push(joint);
        }
        Ok(Joined { first, last, column, right, joints, border })
    }

    /// Turns what is known of p_0 and p_i, and equation i.
    fn turned_by_blocks(&self, i: usize, open: &Open) -> (Joint, Open) {
        let m = open.first.nrows();
        let stacked = Mat::from_fn(2 * m, m, |r, c| match r.checked_sub(m) {
            None => open.last[(r, c)],
            Some(r) => self.blocks[i][(r, c)],
        });
        let qr = stacked.qr();
        let q = qr.compute_Q();
        let r = Mat::from_fn(m, m, |r, c| if r <= c { qr.R()[(r, c)] } else { 0.0 });
        let [upper, lower] = [q.submatrix(0, 0, m, 2 * m), q.submatrix(m, 0, m, 2 * m)]
            .map(|part| part.transpose().to_owned());
        let (top, bottom) = (upper.subrows(0, m), upper.subrows(m, m));
        let (top_next, bottom_next) = (lower.subrows(0, m), lower.subrows(m, m));
        let joint = Joint {
            r,
            first: top * &open.first,
            next: -top_next.to_owned(),
            border: top * &open.column + top_next * &self.columns[i],
            right: top * &open.right + top_next * &self.right[i],
        };
        let left = Open {
            first: bottom * &open.first,
            last: -bottom_next.to_owned(),
            column: bottom * &open.column + bottom_next * &self.columns[i],
            right: bottom * &open.right + bottom_next * &self.right[i],
        };
        (joint, left)
    }

    /// The same by one reflection after the other on all columns.
    fn turned(&self, i: usize, open: &Open) -> (Joint, Open) {
        let (m, n_tau, n_right) = (open.first.nrows(), open.column.ncols(), open.right.ncols());
        let (block, column, right) = (&self.blocks[i], &self.columns[i], &self.right[i]);
        // p_i, p_0, p_{i+1}, τ and the right-hand sides.
        let width = 3 * m + n_tau + n_right;
        let mut all = vec![0.0; 2 * m * width];
        let parts: [(&Mat<f64>, Option<&Mat<f64>>); 2] = [(&open.last, Some(block)), (&open.first, None)];
        let borders = [(&open.column, Some(column)), (&open.right, Some(right))];
        let mut fill = |from: usize, (upper, lower): (&Mat<f64>, Option<&Mat<f64>>)| {
            for c in 0..upper.ncols() {
                for r in 0..m {
                    all[(from + c) * 2 * m + r] = upper[(r, c)];
                    all[(from + c) * 2 * m + m + r] = lower.map_or(0.0, |lower| lower[(r, c)]);
                }
            }
        };
        parts.into_iter().enumerate().for_each(|(k, part)| fill(k * m, part));
        fill(3 * m, borders[0]);
        fill(3 * m + n_tau, borders[1]);
        (0..m).for_each(|r| all[(2 * m + r) * 2 * m + m + r] = -1.0);
        for k in 0..m {
            let (before, after) = all.split_at_mut((k + 1) * 2 * m);
            let own = &mut before[k * 2 * m + k..];
            let size = own.iter().map(|x| x * x).sum::<f64>().sqrt();
            if size == 0.0 {
                continue;
            }
            let end = if own[0] > 0.0 { -size } else { size };
            own[0] -= end;
            let half = size * (size + (own[0] + end).abs());
            for other in after.chunks_exact_mut(2 * m) {
                let other = &mut other[k..];
                let share = own.iter().zip(&*other).map(|(v, x)| v * x).sum::<f64>() / half;
                other.iter_mut().zip(&*own).for_each(|(x, v)| *x -= share * v);
            }
            own.fill(0.0);
            own[0] = end;
        }
        let part = |from: usize, count: usize, row: usize| {
            Mat::from_fn(m, count, |r, c| all[(from + c) * 2 * m + row + r])
        };
        let joint = Joint {
            r: part(0, m, 0),
            first: part(m, m, 0),
            next: part(2 * m, m, 0),
            border: part(3 * m, n_tau, 0),
            right: part(3 * m + n_tau, n_right, 0),
        };
        let left = Open {
            first: part(m, m, m),
            last: part(2 * m, m, m),
            column: part(3 * m, n_tau, m),
            right: part(3 * m + n_tau, n_right, m),
        };
        (joint, left)
    }
}

/// What is known of p_0 and p_i.
struct Open {
    first: Mat<f64>,
    last: Mat<f64>,
    column: Mat<f64>,
    right: Mat<f64>,
}

impl Joint {
    /// R⁻¹ B.
    fn inverse_times(&self, b: &Mat<f64>) -> Mat<f64> {
        let mut x = b.clone();
        self.r.as_ref().solve_upper_triangular_in_place(x.as_mut());
        x
    }

    /// Puts p_i into the rows of the border, whose part on it is `row` and what it had from before.
    fn take_out(&self, row: &Mat<f64>, [on_first, on_next, on_tau, right]: &mut [Mat<f64>; 4]) {
        let on_this = &*on_next + row;
        *on_first -= &on_this * self.inverse_times(&self.first);
        *on_tau -= &on_this * self.inverse_times(&self.border);
        *right -= &on_this * self.inverse_times(&self.right);
        *on_next = -(&on_this * self.inverse_times(&self.next));
    }

    /// p_i of its neighbours.
    fn between(&self, first: &Mat<f64>, next: &Mat<f64>, border: &Mat<f64>, right: &Mat<f64>) -> Mat<f64> {
        let rest = right - &self.first * first - &self.next * next - &self.border * border;
        self.inverse_times(&rest)
    }
}

impl Joined {
    /// The solutions with p_K = p_0; singular values below `tolerance` times the largest are free directions.
    pub fn close(&self, tolerance: f64) -> Result<RingSolution, DenseError> {
        let (m, n_tau) = (self.first.nrows(), self.column.ncols());
        let n_s = self.border[2].nrows();
        let own = &self.first + &self.last;
        let on_first = &self.border[0] + &self.border[1];
        let mut matrix = Mat::from_fn(m + n_s, m + n_tau, |i, j| match (i < m, j < m) {
            (true, true) => own[(i, j)],
            (true, false) => self.column[(i, j - m)],
            (false, true) => on_first[(i - m, j)],
            (false, false) => self.border[2][(i - m, j - m)],
        });
        // The equations of the ring are orthogonal combinations and keep their sizes beside each other: small
        // ones are the free directions. A border has units of its own.
        let norm = |i: usize| (0..m + n_tau).map(|j| matrix[(i, j)].powi(2)).sum::<f64>().sqrt();
        let largest = (0..m).map(norm).fold(0.0, f64::max);
        let sizes: Vec<f64> = (0..m + n_s)
            .map(|i| if i < m { largest } else { norm(i) })
            .map(|size| if size > 0.0 { size } else { 1.0 })
            .collect();
        for j in 0..m + n_tau {
            for (i, size) in sizes.iter().enumerate() {
                matrix[(i, j)] /= size;
            }
        }
        let count = self.right.ncols();
        let (mut start, mut border) = (Mat::zeros(m, count), Mat::zeros(n_tau, count));
        let (mut free, mut unmet) = (0, 0.0_f64);
        for k in 0..count {
            let right: Vec<f64> = (0..m + n_s)
                .map(|i| if i < m { self.right[(i, k)] } else { self.border[3][(i - m, k)] } / sizes[i])
                .collect();
            let (x, rank) = pseudo_solve(matrix.as_ref(), &right, tolerance)?;
            free = m + n_tau - rank;
            for (i, right) in right.iter().enumerate() {
                let left: f64 = x.iter().enumerate().map(|(j, x)| matrix[(i, j)] * x).sum();
                unmet = unmet.max((left - right).abs());
            }
            (0..m).for_each(|i| start[(i, k)] = x[i]);
            (0..n_tau).for_each(|i| border[(i, k)] = x[m + i]);
        }
        let around = self.inside(&start, &start, &border, true);
        Ok(RingSolution { around, border, free, unmet })
    }

    /// p_0 … p_{K−1} of p_0, p_K and τ, with the right-hand sides or without.
    fn inside(&self, first: &Mat<f64>, last: &Mat<f64>, border: &Mat<f64>, loaded: bool) -> Vec<Mat<f64>> {
        let mut next = last.clone();
        let mut all = vec![];
        for joint in self.joints.iter().rev() {
            let none = Mat::zeros(first.nrows(), first.ncols());
            next = joint.between(first, &next, border, if loaded { &joint.right } else { &none });
            all.push(next.clone());
        }
        all.push(first.clone());
        all.reverse();
        all
    }

    /// p_0 … p_{K−1} of solutions without right-hand sides that lead from p_0 to p_K.
    pub fn around(&self, first: &Mat<f64>, last: &Mat<f64>) -> Vec<Mat<f64>> {
        self.inside(first, last, &Mat::zeros(self.column.ncols(), first.ncols()), false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::DenseLu;
    use crate::random::Random;

    /// A ring whose blocks stretch one direction and shrink another by a factor, in turning axes.
    fn ring(count: usize, m: usize, stretch: f64, seed: u64) -> Ring {
        let mut random = Random::new(seed);
        let mut any = |r: usize, c: usize| Mat::from_fn(r, c, |_, _| random.number());
        let turns: Vec<Mat<f64>> = (0..count).map(|_| any(m, m).qr().compute_Q()).collect();
        let sizes = |k: usize| {
            if k == 0 {
                stretch
            } else if k == 1 {
                1.0 / stretch
            } else {
                0.7
            }
        };
        let blocks = (0..count).map(|i| {
            let scaled = Mat::from_fn(m, m, |r, c| sizes(r) * turns[i][(c, r)]);
            &turns[(i + 1) % count] * scaled
        });
        Ring {
            blocks: blocks.collect(),
            columns: (0..count).map(|_| any(m, 1)).collect(),
            rows: (0..count).map(|_| any(1, m)).collect(),
            corner: any(1, 1),
            right: (0..count).map(|_| any(m, 2)).collect(),
            border: any(1, 2),
        }
    }

    /// All equations as one full matrix, and its right-hand sides.
    fn full(ring: &Ring) -> (Mat<f64>, Mat<f64>) {
        let (count, m) = (ring.blocks.len(), ring.blocks[0].nrows());
        let n = count * m + 1;
        let (mut a, mut b) = (Mat::zeros(n, n), Mat::zeros(n, 2));
        for i in 0..count {
            let next = (i + 1) % count;
            for r in 0..m {
                for c in 0..m {
                    a[(i * m + r, i * m + c)] += ring.blocks[i][(r, c)];
                }
                a[(i * m + r, next * m + r)] -= 1.0;
                a[(i * m + r, n - 1)] = ring.columns[i][(r, 0)];
                a[(n - 1, i * m + r)] = ring.rows[i][(0, r)];
                (0..2).for_each(|k| b[(i * m + r, k)] = ring.right[i][(r, k)]);
            }
        }
        a[(n - 1, n - 1)] = ring.corner[(0, 0)];
        (0..2).for_each(|k| b[(n - 1, k)] = ring.border[(0, k)]);
        (a, b)
    }

    #[test]
    fn rings_are_solved_as_the_full_matrix_is() {
        // Over 30 blocks of 40 and 1/40 a product would span 96 orders of magnitude.
        for (count, m, stretch) in
            [(1, 3, 2.0), (2, 4, 3.0), (7, 3, 5.0), (30, 5, 40.0), (12, 9, 40.0), (6, 24, 3.0)]
        {
            let ring = ring(count, m, stretch, count as u64);
            let (a, b) = full(&ring);
            let solved = ring.join().unwrap().close(1e-13).unwrap();
            assert_eq!(solved.free, 0);
            let lu = DenseLu::new(a.as_ref()).unwrap();
            for k in 0..2 {
                let mut x: Vec<f64> = (0..b.nrows()).map(|i| b[(i, k)]).collect();
                lu.solve(&mut x);
                let size = x.iter().fold(0.0, |s: f64, x| s.max(x.abs()));
                let error = (0..count * m).map(|j| (solved.around[j / m][(j % m, k)] - x[j]).abs());
                let error = error.fold((solved.border[(0, k)] - x[count * m]).abs(), f64::max);
                assert!(error < 1e-11 * size, "{count} blocks: {error:e} of {size:e}");
            }
        }
    }

    #[test]
    fn free_directions_are_counted_and_left_alone() {
        // One direction of three returns to itself.
        let mut ring = ring(4, 3, 1.0, 3);
        for block in &mut ring.blocks {
            *block = Mat::from_fn(3, 3, |r, c| if r == c { [1.0, 0.5, 2.0][r] } else { 0.0 });
        }
        ring.columns = vec![Mat::zeros(3, 0); 4];
        ring.rows = vec![Mat::zeros(0, 3); 4];
        (ring.corner, ring.border) = (Mat::zeros(0, 0), Mat::zeros(0, 2));
        let mean = |k: usize| ring.right.iter().map(|r| r[(0, k)]).sum::<f64>() / 4.0;
        let means = [mean(0), mean(1)];
        let loaded = ring.join().unwrap().close(1e-12).unwrap();
        assert!(loaded.free == 1 && loaded.unmet > 1e-3);
        for right in &mut ring.right {
            (0..2).for_each(|k| right[(0, k)] -= means[k]);
        }
        let solved = ring.join().unwrap().close(1e-12).unwrap();
        assert!(solved.free == 1 && solved.unmet < 1e-12 && solved.around[0][(0, 0)].abs() < 1e-12);
    }

    #[test]
    fn ways_between_two_ends_follow_the_blocks() {
        let ring = ring(6, 4, 3.0, 9);
        let joined = ring.join().unwrap();
        let start = Mat::from_fn(4, 1, |i, _| 1.0 + i as f64);
        let mut at = start.clone();
        let mut all = vec![];
        for block in &ring.blocks {
            all.push(at.clone());
            at = block * &at;
        }
        for (way, exact) in joined.around(&start, &at).iter().zip(&all) {
            assert!((way - exact).norm_max() < 1e-12 * exact.norm_max().max(1.0));
        }
    }
}
