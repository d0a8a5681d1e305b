//! What all beam elements in a plane have in common: their nodes, section axes and stiffness.

use super::super::beam::{MOST_NODES, VECTORS};
use super::{Finder, Moving, Number, Slots, ZERO};
use crate::nodes::carried::Carried;
use crate::system::Places;
use poinsot_geometry::{Mat6, Vec3, Vec6};

/// Nodes with the line x and the axis d that they carry.
#[derive(Clone, Debug)]
pub(super) struct PlaneElement {
    pub slots: Slots,
    /// z of x and of d at each node.
    pub origin: [Number; MOST_NODES],
    axis: [Number; MOST_NODES],
    /// C by (Γ, Γ′, K).
    pub stiffness: [[f64; 3]; 3],
    /// Which of the six strains these are, with their signs: the other axis is ±i d.
    rows: [(usize, f64); 3],
}

impl Finder<'_> {
    /// An element with four vectors for each node; `strains` of its points, which must not lead out of the
    /// plane.
    pub fn element(
        &mut self,
        carried: &[Carried],
        stiffness: &Mat6,
        places: &Places,
        strains: impl FnOnce(&[Vec3]) -> Vec<Vec6>,
    ) -> Option<PlaneElement> {
        let slots = self.slots(carried, VECTORS, places)?;
        let upright = |m: usize| {
            let along = |k: usize| self.direction(&slots, k, &carried[VECTORS * k + 1 + m]).1;
            let sign = along(0).signum();
            (0..slots.count).all(|k| (sign * along(k) - 1.0).abs() < 1e-9).then_some((m, sign))
        };
        let (m, sign) = (0..3).find_map(upright)?;
        let (p, q) = ((m + 1) % 3, (m + 2) % 3);
        // Strains out of the plane would be constant; their stress is not taken into account.
        let x: Vec<Vec3> = carried.iter().map(|c| c.value(&self.all[c.node].start)).collect();
        let flat = |e: &Vec6| [m, 3 + p, 3 + q].iter().all(|&k| e[k].abs() < 1e-9);
        if !strains(&x).iter().all(flat) {
            return None;
        }
        let (mut origin, mut axis) = ([ZERO; MOST_NODES], [ZERO; MOST_NODES]);
        for k in 0..slots.count {
            origin[k] = self.direction(&slots, k, &carried[VECTORS * k]).0;
            axis[k] = self.direction(&slots, k, &carried[VECTORS * k + 1 + p]).0;
        }
        let rows = [(p, 1.0), (q, sign), (3 + m, sign)];
        let stiffness = rows.map(|(i, si)| rows.map(|(j, sj)| si * sj * stiffness[(i, j)]));
        Some(PlaneElement { slots, origin, axis, stiffness, rows })
    }
}

impl PlaneElement {
    /// (Γ, Γ′, K) of six strains.
    pub fn in_plane(&self, strain: &Vec6) -> [f64; 3] {
        self.rows.map(|(i, sign)| sign * strain[i])
    }

    /// x and d of the nodes.
    #[inline]
    pub fn vectors<const N: usize>(&self, moving: &[Moving]) -> ([Number; N], [Number; N]) {
        let (mut x, mut d) = ([ZERO; N], [ZERO; N]);
        for k in 0..N {
            let node = &moving[self.slots.nodes[k]];
            x[k] = node.r + self.origin[k] * node.p;
            d[k] = self.axis[k] * node.p;
        }
        (x, d)
    }

    /// z̄ f, what a force on x does to d, with z of d taken out.
    #[inline]
    pub fn on_direction(&self, k: usize, on_x: Number, on_d: Number) -> Number {
        self.origin[k].conj() * on_x + self.axis[k].conj() * on_d
    }

    /// C ε.
    #[inline]
    pub fn stress(&self, e: [f64; 3]) -> [f64; 3] {
        self.stiffness.map(|c| c[0] * e[0] + c[1] * e[1] + c[2] * e[2])
    }
}
