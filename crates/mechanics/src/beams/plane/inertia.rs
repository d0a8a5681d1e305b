//! Mass of beams in a plane, coupling nodes.
//!
//! ```text
//! p̈ = (iα − ω²) p
//! f_a = Σ_b m_ab (r̈_b − g) + n_ab p̈_b,   φ_a = Σ_b n̄_ba (r̈_b − g) + o_ab p̈_b,   Q = (Re f, Im f, Re(ip)‾φ)
//! ```

// Loops count nodes, so that they unroll.
#![allow(clippy::needless_range_loop)]

use super::super::beam::MOST_NODES;
use super::{Finder, Local, Moving, Number, Slots, ZERO, cross, dot, turned};
use crate::assembly::{Linearization, Term, Terms};
use crate::mass::inertia::Inertia;
use crate::system::Places;

/// Mass that couples nodes.
#[derive(Clone, Debug)]
pub(super) struct PlaneInertia {
    slots: Slots,
    /// m_ab, n_ab and o_ab.
    mass: [[(f64, Number, Number); MOST_NODES]; MOST_NODES],
    /// All n are zero.
    centred: bool,
}

impl Finder<'_> {
    pub fn inertia(&mut self, law: &Inertia, places: &Places) -> Option<PlaneInertia> {
        let carried = law.carried();
        let each = carried.iter().take_while(|c| c.node == carried[0].node).count();
        if each == 0 || !carried.len().is_multiple_of(each) {
            return None;
        }
        let slots = self.slots(carried, each, places)?;
        let mut mass = [[(0.0, ZERO, ZERO); MOST_NODES]; MOST_NODES];
        for (i, left) in carried.iter().enumerate() {
            let (a, zi) = (i / each, self.direction(&slots, i / each, left).0);
            for (j, right) in carried.iter().enumerate() {
                let (b, zj) = (j / each, self.direction(&slots, j / each, right).0);
                let (share, m) = (&mut mass[a][b], law.coefficient(i, j));
                share.0 += left.c0 * m * right.c0;
                share.1 += zj * (left.c0 * m);
                share.2 += zi.conj() * zj * m;
            }
        }
        let centred = mass.iter().flatten().all(|(_, n, _)| *n == ZERO);
        Some(PlaneInertia { slots, mass, centred })
    }
}

impl PlaneInertia {
    pub fn count(&self) -> usize {
        self.slots.count
    }

    /// f_a and φ_a of a node of the element.
    #[inline(always)]
    fn force<const N: usize>(&self, a: usize, moving: &[Moving]) -> (Number, Number) {
        let (mut f, mut phi) = (ZERO, ZERO);
        for b in 0..N {
            let (node, (m, n, o)) = (&moving[self.slots.nodes[b]], self.mass[a][b]);
            f += node.fall * m;
            phi += o * node.swing;
            if !self.centred {
                f += n * node.swing;
                phi += self.mass[b][a].1.conj() * node.fall;
            }
        }
        (f, phi)
    }

    #[inline]
    pub fn add_loads<const N: usize>(&self, moving: &[Moving], loads: &mut [(Number, Number)]) {
        for a in 0..N {
            let (f, phi) = self.force::<N>(a, moving);
            let load = &mut loads[self.slots.nodes[a]];
            *load = (load.0 + f, load.1 + phi);
        }
    }

    /// Adds the columns of θ_b where p̈_b changes by `change` of node b.
    #[inline]
    fn add_columns<const N: usize>(
        &self,
        moving: &[Moving],
        change: impl Fn(&Moving) -> Number,
        local: &mut Local,
    ) {
        for b in 0..N {
            let Some(j) = self.slots.local[b] else { continue };
            let swing = change(&moving[self.slots.nodes[b]]);
            for a in 0..N {
                let Some(i) = self.slots.local[a] else { continue };
                let (_, n, o) = self.mass[a][b];
                let f = n * swing;
                local[i][j + 2] += f.re;
                local[i + 1][j + 2] += f.im;
                local[i + 2][j + 2] += cross(moving[self.slots.nodes[a]].p, o * swing);
            }
        }
    }

    /// Adds `factor` ∂R/∂r̈.
    #[inline]
    fn add_fall<const N: usize>(&self, moving: &[Moving], factor: f64, local: &mut Local) {
        for a in 0..N {
            let Some(i) = self.slots.local[a] else { continue };
            let p = moving[self.slots.nodes[a]].p * factor;
            for b in 0..N {
                let Some(j) = self.slots.local[b] else { continue };
                let (m, by_fall) = (self.mass[a][b].0 * factor, self.mass[b][a].1.conj());
                local[i][j] += m;
                local[i + 1][j + 1] += m;
                local[i + 2][j] += cross(p, by_fall);
                local[i + 2][j + 1] += cross(p, turned(by_fall));
            }
        }
    }

    /// Adds `factor` times the turning of the direction of Q with p.
    #[inline]
    fn add_direction<const N: usize>(&self, moving: &[Moving], factor: f64, local: &mut Local) {
        for a in 0..N {
            if let Some(at) = self.slots.local[a] {
                let phi = self.force::<N>(a, moving).1;
                local[at + 2][at + 2] -= factor * dot(moving[self.slots.nodes[a]].p, phi);
            }
        }
    }

    /// Adds its share of the step matrix; `local` is zero before and after.
    #[inline]
    pub fn add_tangent<const N: usize>(
        &self,
        at: &Linearization,
        moving: &[Moving],
        terms: &mut Terms,
        local: &mut Local,
    ) {
        // How p̈ goes by the angular acceleration, the angular velocity and the angle.
        let by_rate = |node: &Moving| node.p * (-2.0 * node.omega);
        // Summed terms go to their slots at once.
        if let Terms::Sum { .. } = terms {
            self.add_fall::<N>(moving, at.mass, local);
            let change = |node: &Moving| {
                turned(node.p) * at.mass + by_rate(node) * at.damping + turned(node.swing) * at.stiffness
            };
            self.add_columns::<N>(moving, change, local);
            self.add_direction::<N>(moving, at.stiffness, local);
            return self.slots.scatter(local, Term::Constant, terms);
        }
        self.add_fall::<N>(moving, 1.0, local);
        self.add_columns::<N>(moving, |node| turned(node.p), local);
        self.slots.scatter(local, Term::Mass, terms);
        self.add_columns::<N>(moving, by_rate, local);
        self.slots.scatter(local, Term::Damping, terms);
        self.add_columns::<N>(moving, |node| turned(node.swing), local);
        self.add_direction::<N>(moving, 1.0, local);
        self.slots.scatter(local, Term::Stiffness, terms);
    }
}
