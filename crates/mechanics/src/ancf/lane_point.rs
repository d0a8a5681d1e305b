//! A Gauss point of four elements of a line in the processor's registers: derivatives of its energy by
//! y = r′ and z = r″.
//!
//! ```text
//! V = ½ EA (|y| − ε₀)² + ½ EI (κ − κ₀)²,   V_y = EA (|y| − ε₀) y/|y| + EI-terms
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

#![allow(clippy::needless_range_loop, reason = "loops over registers, which methods of arrays do not keep")]

use poinsot_numerics::lanes::{Lanes, Quad};

/// A Gauss point of four elements.
#[derive(Clone, Debug)]
pub(super) struct BatchPoint {
    /// Factors of w in r′ and r″.
    pub slope: [Quad; 3],
    pub curvature: [Quad; 3],
    /// EA and EI times the weights.
    pub axial: Quad,
    pub bending: Quad,
    /// |r′| and κ where there is no stress.
    pub reference: [Quad; 2],
}

// Loops, not methods of arrays: what the compiler does not inline knows no wide registers.

#[inline(always)]
fn load3<L: Lanes>(on: L::Processor, from: &[Quad; 3]) -> [L; 3] {
    [L::load(on, &from[0]), L::load(on, &from[1]), L::load(on, &from[2])]
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
    let mut sum = w[0];
    for i in 0..D {
        sum[i] = w[0][i].mul(c[0]).add_mul(w[1][i], c[1]).add_mul(w[2][i], c[2]);
    }
    sum
}

/// A Gauss point in registers, and r′, r″ there.
pub(super) struct At<L, const D: usize> {
    pub slope: [L; 3],
    pub curvature: [L; 3],
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
    pub fn new(on: L::Processor, p: &BatchPoint, w: &[[L; D]; 3]) -> Self {
        let (slope, curvature) = (load3(on, &p.slope), load3(on, &p.curvature));
        let (y, z) = (combined(&slope, w), combined(&curvature, w));
        let gamma = dot(&y, &y);
        let (i, length) = (L::splat(on, 1.0).div(gamma), gamma.sqrt());
        let axial = L::load(on, &p.axial);
        // Nothing to the last bit where there is no stress.
        let stretch = length.sub_mul(L::load(on, &p.reference[0]), L::splat(on, 1.0));
        let tension = axial.mul(stretch).mul(length.mul(i));
        let (bending, zero) = (L::load(on, &p.bending), L::load(on, &p.reference[1]));
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
    pub fn slopes(&self, on: L::Processor) -> [[L; D]; 2] {
        let (y, i) = (&self.y, self.i);
        let (mut by_y, mut by_z) = (*y, *y);
        if D == 2 {
            let (p, q, kappa, change) = self.bend(on);
            let m = self.bending.mul(change).mul(i);
            let twice = kappa.mul(L::splat(on, -2.0));
            for k in 0..D {
                by_y[k] = y[k].mul(self.tension).add_mul(p[k].add_mul(twice, y[k]), m);
                by_z[k] = q[k].mul(m);
            }
            return [by_y, by_z];
        }
        let (u, c) = (dot(y, &self.z).mul(i), self.bending.mul(i));
        let mut across = self.z;
        for k in 0..D {
            across[k] = self.z[k].sub_mul(u, y[k]);
        }
        let along = self.tension.sub_mul(c, dot(&across, &across).mul(i));
        let turned = c.mul(u);
        for k in 0..D {
            by_y[k] = y[k].mul(along).sub_mul(turned, across[k]);
            by_z[k] = across[k].mul(c);
        }
        [by_y, by_z]
    }

    /// V_yy, V_yz and V_zz.
    #[inline(always)]
    pub fn second(&self, on: L::Processor) -> [[[L; D]; D]; 3] {
        let (y, z, i) = (&self.y, &self.z, self.i);
        let nothing = L::zero(on);
        let stretched = self.axial.sub_mul(self.tension, L::splat(on, 1.0)).mul(i);
        let (mut yy, mut yz, mut zz) = ([[nothing; D]; D], [[nothing; D]; D], [[nothing; D]; D]);
        if D == 2 {
            let (p, q, kappa, change) = self.bend(on);
            let m = self.bending.mul(change);
            let (mi, twice) = (m.mul(i), kappa.mul(L::splat(on, -2.0)));
            let (mut by_y, mut by_z) = (p, q);
            for k in 0..D {
                by_y[k] = p[k].add_mul(twice, y[k]).mul(i);
                by_z[k] = q[k].mul(i);
            }
            let cross = mi.mul(i).mul(L::splat(on, -2.0));
            let square = stretched.add_mul(cross, kappa.mul(L::splat(on, -4.0)));
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
            yz[1][0] = yz[1][0].add_mul(mi, L::splat(on, -1.0));
            return [yy, yz, zz];
        }
        let (u, zeta) = (dot(y, z).mul(i), dot(z, z).mul(i));
        let c = self.bending.mul(i).mul(L::splat(on, 0.5));
        let (ci, u2) = (c.mul(i), u.mul(u));
        let one = self.tension.add_mul(c, u2.mul(L::splat(on, 4.0)).add_mul(zeta, L::splat(on, -2.0)));
        let square = stretched.add_mul(ci.mul(L::splat(on, 8.0)), zeta.add_mul(u2, L::splat(on, -3.0)));
        let (mixed, both) = (ci.mul(u).mul(L::splat(on, 8.0)), ci.mul(L::splat(on, -2.0)));
        for k in 0..D {
            for l in 0..D {
                let (kl, lk) = (y[k].mul(z[l]), z[k].mul(y[l]));
                let yes = y[k].mul(y[l]);
                yy[k][l] = square.mul(yes).add_mul(mixed, kl.add(lk)).add_mul(both, z[k].mul(z[l]));
                yz[k][l] = mixed.mul(yes).add_mul(both, kl.add(kl).add(lk));
                zz[k][l] = both.mul(yes);
            }
            yy[k][k] = yy[k][k].add(one);
            yz[k][k] = yz[k][k].add_mul(c.mul(u), L::splat(on, -2.0));
            zz[k][k] = zz[k][k].add_mul(c, L::splat(on, 2.0));
        }
        [yy, yz, zz]
    }
}
