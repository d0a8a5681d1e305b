//! Four elements of lines at a time, one in each lane of the processor's registers.
//!
//! ```text
//! w = (s_O, δ, s_A),   δ = r_A − r_O,   y = Σ a_k w_k,   z = Σ b_k w_k
//! ∂V/∂w_k = Σ_g a_k V_y + b_k V_z,      V_y, V_z, V_yy, V_yz, V_zz of `lane_point.rs`
//! ∂²V/∂w_k∂w_l = Σ_g a_k (V_yy a_l + V_yz b_l) + b_k (V_yzᵀ a_l + V_zz b_l)
//! ```

#![allow(clippy::needless_range_loop, reason = "loops over registers, which methods of arrays do not keep")]

use super::group::{Element, VectorOf};
use super::lane_point::{At, BatchPoint};
use poinsot_numerics::lanes::{Lanes, Quad, Task, dispatch};

/// Elements of a batch.
pub(super) const LANES: usize = 4;
/// Which of w each of r_O, s_O, r_A, s_A is, and its sign.
const PLACES: [(usize, f64); 4] = [(1, -1.0), (0, 1.0), (1, 1.0), (2, 1.0)];

/// Four elements. Where there are fewer, the last one stands in all lanes behind it, without stiffness and
/// mass.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    /// Vectors r_O, s_O, r_A, s_A of each lane.
    vectors: [[usize; LANES]; 4],
    points: Vec<BatchPoint>,
    mass: [[Quad; 4]; 4],
    /// Slots of the entries of the tangent, rows and columns in the order of vectors and components.
    slots: Vec<[u32; LANES]>,
}

impl Batch {
    /// Of one to four elements with as many points each, in D components.
    pub fn new<const D: usize>(elements: &[Element]) -> Self {
        let last = elements.len() - 1;
        let quad = |of: &dyn Fn(&Element) -> f64| Quad(std::array::from_fn(|k| of(&elements[k.min(last)])));
        // What makes forces is zero in lanes behind the last.
        let own =
            |of: &dyn Fn(&Element) -> f64| Quad(std::array::from_fn(|k| elements.get(k).map_or(0.0, of)));
        let point = |g: usize| BatchPoint {
            slope: [1, 2, 3].map(|a| quad(&|e| e.points[g].slope[a])),
            curvature: [1, 2, 3].map(|a| quad(&|e| e.points[g].curvature[a])),
            axial: own(&|e| e.points[g].weights[0] * e.axial),
            bending: own(&|e| e.points[g].weights[1] * e.bending),
            reference: [0, 1].map(|k| quad(&|e| e.points[g].reference[k])),
        };
        let mass = |a: usize, b: usize| own(&|e| e.mass.map_or(0.0, |mass| mass[a][b]));
        let slot = |entry: usize, k: usize| {
            let slots = &elements[k.min(last)].slots;
            let [row, column] = [entry / (4 * D), entry % (4 * D)].map(|at| slots.local[at / D] + at % D);
            slots.block[row * slots.unknowns + column]
        };
        Batch {
            vectors: [0, 1, 2, 3].map(|a| std::array::from_fn(|k| elements[k.min(last)].slots.vectors[a])),
            points: (0..elements[0].points.len()).map(point).collect(),
            mass: std::array::from_fn(|a| std::array::from_fn(|b| mass(a, b))),
            slots: (0..16 * D * D).map(|entry| std::array::from_fn(|k| slot(entry, k))).collect(),
        }
    }

    /// A component of vector a of the four elements.
    #[inline(always)]
    fn gather<const D: usize, L: Lanes>(
        &self,
        on: L::Processor,
        all: &[VectorOf<D>],
        a: usize,
        i: usize,
    ) -> L {
        let [p, q, r, s] = self.vectors[a];
        L::set(on, [all[p].0[i], all[q].0[i], all[r].0[i], all[s].0[i]])
    }

    /// w.
    #[inline(always)]
    fn triple<const D: usize, L: Lanes>(&self, on: L::Processor, x: &[VectorOf<D>]) -> [[L; D]; 3] {
        let mut w = [[L::zero(on); D]; 3];
        for i in 0..D {
            w[0][i] = self.gather(on, x, 1, i);
            let from: L = self.gather(on, x, 0, i);
            let to: L = self.gather(on, x, 2, i);
            w[1][i] = to.sub_mul(from, L::splat(on, 1.0));
            w[2][i] = self.gather(on, x, 3, i);
        }
        w
    }
}

/// ∂V/∂x + M (ẍ − g) of all batches.
pub(super) struct Loads<'a, const D: usize> {
    pub batches: &'a [Batch],
    pub x: &'a [VectorOf<D>],
    pub fall: &'a [VectorOf<D>],
    pub loads: &'a mut [VectorOf<D>],
}

impl<const D: usize> Loads<'_, D> {
    /// Adds them.
    pub fn add(self) {
        dispatch(self);
    }
}

impl<const D: usize> Task for Loads<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, on: L::Processor) {
        for batch in self.batches {
            let w = batch.triple::<D, L>(on, self.x);
            let mut g = [[L::zero(on); D]; 3];
            for p in &batch.points {
                let at = At::new(on, p, &w);
                let [by_y, by_z] = at.slopes(on);
                for k in 0..3 {
                    for i in 0..D {
                        g[k][i] = g[k][i].add_mul(at.slope[k], by_y[i]).add_mul(at.curvature[k], by_z[i]);
                    }
                }
            }
            for i in 0..D {
                let mut fall = [L::zero(on); 4];
                for a in 0..4 {
                    fall[a] = batch.gather(on, self.fall, a, i);
                }
                for a in 0..4 {
                    let (k, sign) = PLACES[a];
                    let mut f = g[k][i].mul(L::splat(on, sign));
                    for b in 0..4 {
                        f = f.add_mul(L::load(on, &batch.mass[a][b]), fall[b]);
                    }
                    let mut of_lanes = Quad::default();
                    f.store(&mut of_lanes);
                    for lane in 0..LANES {
                        self.loads[batch.vectors[a][lane]].0[i] += of_lanes.0[lane];
                    }
                }
            }
        }
    }
}

/// Factors of ∂²V/∂x² and of M in the tangent.
#[derive(Clone, Copy)]
pub(super) struct Shares {
    pub stiffness: f64,
    pub mass: f64,
}

/// The tangent of all batches, added to the values in its slots.
pub(super) struct Tangents<'a, const D: usize> {
    pub batches: &'a [Batch],
    pub x: &'a [VectorOf<D>],
    pub shares: Shares,
    pub values: &'a mut [f64],
}

impl<const D: usize> Tangents<'_, D> {
    /// Adds it.
    pub fn add(self) {
        dispatch(self);
    }
}

/// ∂²V/∂w², the blocks on and below the diagonal: row k, column l ≤ k at k (k + 1)/2 + l.
type Below<L, const D: usize> = [[[L; D]; D]; 6];

impl Batch {
    #[inline(always)]
    fn stiffness<const D: usize, L: Lanes>(&self, on: L::Processor, x: &[VectorOf<D>]) -> Below<L, D> {
        let w = self.triple::<D, L>(on, x);
        let mut h = [[[L::zero(on); D]; D]; 6];
        for p in &self.points {
            let at = At::new(on, p, &w);
            let [yy, yz, zz] = at.second(on);
            for l in 0..3 {
                let (a, b) = (at.slope[l], at.curvature[l]);
                for i in 0..D {
                    for j in 0..D {
                        let on_y = yy[i][j].mul(a).add_mul(yz[i][j], b);
                        let on_z = yz[j][i].mul(a).add_mul(zz[i][j], b);
                        for k in l..3 {
                            let to = &mut h[k * (k + 1) / 2 + l][i][j];
                            *to = to.add_mul(at.slope[k], on_y).add_mul(at.curvature[k], on_z);
                        }
                    }
                }
            }
        }
        h
    }
}

impl<const D: usize> Task for Tangents<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, on: L::Processor) {
        let Shares { stiffness, mass } = self.shares;
        let (soft, heavy) = (stiffness == 0.0, L::splat(on, mass));
        for batch in self.batches {
            let h = if soft { [[[L::zero(on); D]; D]; 6] } else { batch.stiffness::<D, L>(on, self.x) };
            for a in 0..4 {
                let (k, left) = PLACES[a];
                for b in 0..4 {
                    let (l, right) = PLACES[b];
                    let factor = L::splat(on, stiffness * left * right);
                    let m = L::load(on, &batch.mass[a][b]).mul(heavy);
                    for i in 0..D {
                        for j in 0..D {
                            // What is above the diagonal follows.
                            let h = if k >= l {
                                h[k * (k + 1) / 2 + l][i][j]
                            } else {
                                h[l * (l + 1) / 2 + k][j][i]
                            };
                            let mut own = h.mul(factor);
                            if i == j {
                                own = own.add(m);
                            }
                            let mut of_lanes = Quad::default();
                            own.store(&mut of_lanes);
                            let slots = &batch.slots[(D * a + i) * 4 * D + D * b + j];
                            for lane in 0..LANES {
                                self.values[slots[lane] as usize] += of_lanes.0[lane];
                            }
                        }
                    }
                }
            }
        }
    }
}
