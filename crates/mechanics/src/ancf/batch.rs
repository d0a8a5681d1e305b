//! Four elements of lines at a time, one in each lane of the processor's registers.
//!
//! ```text
//! w = (s_O, δ, s_A),   δ = r_A − r_O,   y = Σ a_k w_k,   z = Σ b_k w_k
//! ∂V/∂w_k = Σ_g a_k V_y + b_k V_z,      V_y = EA (|y| − ε₀) y/|y| + EI-terms
//! ∂²V/∂w_k∂w_l = Σ_g a_k (V_yy a_l + V_yz b_l) + b_k (V_yzᵀ a_l + V_zz b_l)
//! ```
//! The functions are those of `measure.rs`, in components of the plane or of space: in the plane with
//! m = EI (κ − κ₀), i = 1/γ, p = (z₂, −z₁) and q = (−y₂, y₁)
//!
//! ```text
//! κ = i q·z,   κ_y = i (p − 2κ y),   κ_z = i q
//! V_yy = EI κ_y κ_yᵀ − 2m i² (p yᵀ + y pᵀ) + 8mκ i² y yᵀ − 2mκ i 1
//! V_yz = EI κ_y κ_zᵀ − 2m i² y qᵀ + m i J,   V_zz = EI κ_z κ_zᵀ
//! ```
//! and in space with u = i y·z, ζ = i z·z, c = ½ EI i
//!
//! ```text
//! V_yy = c ((4u² − 2ζ) 1 + 8i (ζ − 3u²) y yᵀ + 8u i (z yᵀ + y zᵀ) − 2i z zᵀ)
//! V_yz = c (8u i y yᵀ − 4i y zᵀ − 2i z yᵀ − 2u 1),   V_zz = 2c (1 − i y yᵀ)
//! ```

use super::group::{Element, VectorOf};
use poinsot_numerics::lanes::{Lanes, Quad, Task, dispatch};

/// Elements of a batch.
pub(super) const LANES: usize = 4;
/// Which of w each of r_O, s_O, r_A, s_A is, and its sign.
const PLACES: [(usize, f64); 4] = [(1, -1.0), (0, 1.0), (1, 1.0), (2, 1.0)];

/// A Gauss point of four elements.
#[derive(Clone, Debug)]
struct BatchPoint {
    /// Factors of w in r′ and r″.
    slope: [Quad; 3],
    curvature: [Quad; 3],
    /// EA and EI times the weights.
    axial: Quad,
    bending: Quad,
    /// |r′| and κ where there is no stress.
    reference: [Quad; 2],
}

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
        L::set(on, self.vectors[a].map(|v| all[v].0[i]))
    }

    /// w.
    #[inline(always)]
    fn triple<const D: usize, L: Lanes>(&self, on: L::Processor, x: &[VectorOf<D>]) -> [[L; D]; 3] {
        let minus = L::splat(on, -1.0);
        let of = |a: usize| -> [L; D] { std::array::from_fn(|i| self.gather(on, x, a, i)) };
        let (from, to) = (of(0), of(2));
        [of(1), std::array::from_fn(|i| to[i].add_mul(minus, from[i])), of(3)]
    }
}

#[inline(always)]
fn dot<const D: usize, L: Lanes>(a: &[L; D], b: &[L; D]) -> L {
    let mut sum = a[0].mul(b[0]);
    for i in 1..D {
        sum = sum.add_mul(a[i], b[i]);
    }
    sum
}

/// Σ c_k w_k.
#[inline(always)]
fn combined<const D: usize, L: Lanes>(c: &[L; 3], w: &[[L; D]; 3]) -> [L; D] {
    std::array::from_fn(|i| w[0][i].mul(c[0]).add_mul(w[1][i], c[1]).add_mul(w[2][i], c[2]))
}

/// A Gauss point in registers, and r′, r″ there.
struct At<L, const D: usize> {
    slope: [L; 3],
    curvature: [L; 3],
    y: [L; D],
    z: [L; D],
    /// 1/γ.
    i: L,
    /// EA (|y| − ε₀)/|y| and EA, weighted.
    tension: L,
    axial: L,
    /// EI, weighted, and κ₀.
    bending: L,
    zero: L,
}

impl<L: Lanes, const D: usize> At<L, D> {
    #[inline(always)]
    fn new(on: L::Processor, p: &BatchPoint, w: &[[L; D]; 3]) -> Self {
        let load = |q: &Quad| L::load(on, q);
        let (slope, curvature) = (p.slope.each_ref().map(load), p.curvature.each_ref().map(load));
        let (y, z) = (combined(&slope, w), combined(&curvature, w));
        let gamma = dot(&y, &y);
        let (i, length) = (L::splat(on, 1.0).div(gamma), gamma.sqrt());
        let axial = load(&p.axial);
        // Nothing to the last bit where there is no stress.
        let stretch = length.sub_mul(load(&p.reference[0]), L::splat(on, 1.0));
        let tension = axial.mul(stretch).mul(length.mul(i));
        let (bending, zero) = (load(&p.bending), load(&p.reference[1]));
        At { slope, curvature, y, z, i, tension, axial, bending, zero }
    }

    /// p, q, κ and κ − κ₀ of the plane.
    #[inline(always)]
    fn bend(&self, on: L::Processor) -> ([L; D], [L; D], L, L) {
        let (y, z, minus) = (&self.y, &self.z, L::splat(on, -1.0));
        let (mut p, mut q) = (*z, *y);
        (p[0], p[1]) = (z[1], z[0].mul(minus));
        (q[0], q[1]) = (y[1].mul(minus), y[0]);
        let kappa = dot(&q, z).mul(self.i);
        (p, q, kappa, kappa.add_mul(minus, self.zero))
    }

    /// V_y and V_z.
    #[inline(always)]
    fn slopes(&self, on: L::Processor) -> [[L; D]; 2] {
        let (y, i) = (&self.y, self.i);
        if D == 2 {
            let (p, q, kappa, change) = self.bend(on);
            let m = self.bending.mul(change).mul(i);
            let twice = kappa.mul(L::splat(on, -2.0));
            let by_y = std::array::from_fn(|k| y[k].mul(self.tension).add_mul(p[k].add_mul(twice, y[k]), m));
            return [by_y, std::array::from_fn(|k| q[k].mul(m))];
        }
        let (u, c) = (dot(y, &self.z).mul(i), self.bending.mul(i));
        let across: [L; D] = std::array::from_fn(|k| self.z[k].sub_mul(u, y[k]));
        let along = self.tension.sub_mul(c, dot(&across, &across).mul(i));
        let turned = c.mul(u);
        let by_y = std::array::from_fn(|k| y[k].mul(along).sub_mul(turned, across[k]));
        [by_y, std::array::from_fn(|k| across[k].mul(c))]
    }

    /// V_yy, V_yz and V_zz.
    #[inline(always)]
    fn second(&self, on: L::Processor) -> [[[L; D]; D]; 3] {
        let (y, z, i) = (&self.y, &self.z, self.i);
        let of = |x: f64| L::splat(on, x);
        let nothing = L::zero(on);
        let stretched = self.axial.sub_mul(self.tension, of(1.0)).mul(i);
        let (mut yy, mut yz, mut zz) = ([[nothing; D]; D], [[nothing; D]; D], [[nothing; D]; D]);
        if D == 2 {
            let (p, q, kappa, change) = self.bend(on);
            let m = self.bending.mul(change);
            let (mi, twice) = (m.mul(i), kappa.mul(of(-2.0)));
            let by_y: [L; D] = std::array::from_fn(|k| p[k].add_mul(twice, y[k]).mul(i));
            let by_z: [L; D] = std::array::from_fn(|k| q[k].mul(i));
            let cross = mi.mul(i).mul(of(-2.0));
            let square = stretched.add_mul(cross, kappa.mul(of(-4.0)));
            let one = self.tension.add_mul(mi, twice);
            for k in 0..D {
                let (stiff_y, stiff_z) = (by_y[k].mul(self.bending), by_z[k].mul(self.bending));
                for l in 0..D {
                    let mixed = p[k].mul(y[l]).add_mul(y[k], p[l]);
                    yy[k][l] = stiff_y.mul(by_y[l]).add_mul(cross, mixed).add_mul(square, y[k].mul(y[l]));
                    yz[k][l] = stiff_y.mul(by_z[l]).add_mul(cross, y[k].mul(q[l]));
                    zz[k][l] = stiff_z.mul(by_z[l]);
                }
                yy[k][k] = yy[k][k].add(one);
            }
            yz[0][1] = yz[0][1].add(mi);
            yz[1][0] = yz[1][0].add_mul(mi, of(-1.0));
            return [yy, yz, zz];
        }
        let (u, zeta) = (dot(y, z).mul(i), dot(z, z).mul(i));
        let c = self.bending.mul(i).mul(of(0.5));
        let (ci, u2) = (c.mul(i), u.mul(u));
        let one = self.tension.add_mul(c, u2.mul(of(4.0)).add_mul(zeta, of(-2.0)));
        let square = stretched.add_mul(ci.mul(of(8.0)), zeta.add_mul(u2, of(-3.0)));
        let (mixed, both) = (ci.mul(u).mul(of(8.0)), ci.mul(of(-2.0)));
        for k in 0..D {
            for l in 0..D {
                let (kl, lk) = (y[k].mul(z[l]), z[k].mul(y[l]));
                let yes = y[k].mul(y[l]);
                yy[k][l] = square.mul(yes).add_mul(mixed, kl.add(lk)).add_mul(both, z[k].mul(z[l]));
                yz[k][l] = mixed.mul(yes).add_mul(both, kl.add(kl).add(lk));
                zz[k][l] = both.mul(yes);
            }
            yy[k][k] = yy[k][k].add(one);
            yz[k][k] = yz[k][k].add_mul(c.mul(u), of(-2.0));
            zz[k][k] = zz[k][k].add_mul(c, of(2.0));
        }
        [yy, yz, zz]
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
                for (k, g) in g.iter_mut().enumerate() {
                    for i in 0..D {
                        g[i] = g[i].add_mul(at.slope[k], by_y[i]).add_mul(at.curvature[k], by_z[i]);
                    }
                }
            }
            for i in 0..D {
                let fall: [L; 4] = [0, 1, 2, 3].map(|a| batch.gather(on, self.fall, a, i));
                for (a, (k, sign)) in PLACES.into_iter().enumerate() {
                    let mut f = g[k][i].mul(L::splat(on, sign));
                    for (mass, fall) in batch.mass[a].iter().zip(fall) {
                        f = f.add_mul(L::load(on, mass), fall);
                    }
                    let mut of_lanes = Quad::default();
                    f.store(&mut of_lanes);
                    for (v, f) in batch.vectors[a].iter().zip(of_lanes.0) {
                        self.loads[*v].0[i] += f;
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
            let mut slots = batch.slots.iter();
            for (a, (k, left)) in PLACES.into_iter().enumerate() {
                for i in 0..D {
                    for (b, (l, right)) in PLACES.into_iter().enumerate() {
                        let factor = L::splat(on, stiffness * left * right);
                        let m = L::load(on, &batch.mass[a][b]).mul(heavy);
                        for j in 0..D {
                            let h = if k >= l {
                                h[k * (k + 1) / 2 + l][i][j]
                            } else {
                                h[l * (l + 1) / 2 + k][j][i]
                            };
                            let own = h.mul(factor);
                            let mut of_lanes = Quad::default();
                            if i == j { own.add(m) } else { own }.store(&mut of_lanes);
                            let Some(slots) = slots.next() else { return };
                            for (slot, value) in slots.iter().zip(of_lanes.0) {
                                self.values[*slot as usize] += value;
                            }
                        }
                    }
                }
            }
        }
    }
}
