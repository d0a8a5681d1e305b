//! Forces with interpolated virtual strains, as published (4.16)–(4.19).

use super::{Mat6x3, MotionBeam, Room, Six, Station};
use crate::beams::beam::VECTORS;
use crate::element_buffers::Blocks;
use crate::force::Motion;
use poinsot_geometry::se3::{ad, up};
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6, so3};

impl MotionBeam {
    /// Forces of interpolated virtual strains: on node a −Σ_g w J B_aᵀS, B_a = l′_a/J + l_a ad(k), in section
    /// axes.
    pub(super) fn add_interpolated(&self, s: &Six, strain: &Six, x: &[Vec3], f: &mut [Vec3]) {
        for (g, (s, strain)) in self.stations.iter().zip(s.iter().zip(strain)) {
            let turned = ad(&(strain + g.reference)).transpose() * s;
            for (a, (x, f)) in x.chunks_exact(VECTORS).zip(f.chunks_exact_mut(VECTORS)).enumerate() {
                let wrench = (s * g.slope[a] + turned * g.value[a]) * g.weight;
                let force = x[1] * wrench[0] + x[2] * wrench[1] + x[3] * wrench[2];
                let moment = x[1] * wrench[3] + x[2] * wrench[4] + x[3] * wrench[5];
                f[0] -= force;
                (1..4).for_each(|i| f[i] += x[i].cross(&moment) * 0.5);
            }
        }
    }

    /// Adds to −∂f the part of a station: `left` holds ∂k, `right` ∂S.
    fn add_interpolated_tangent(&self, g: &Station, s: &Vec6, k: &Vec6, x: &[Vec3], room: &mut Room) {
        let Room { left, right, table, .. } = room;
        let vectors = self.carried.len();
        let (adk, lifted) = (ad(k).transpose(), up(s));
        for (a, d) in x.chunks_exact(VECTORS).enumerate() {
            let (l, slope) = (g.value[a] * g.weight, g.slope[a] * g.weight);
            let axes = Mat3::from_columns(&d[1..]);
            let by_stress = Mat6::identity() * slope + adk * l;
            let arms: [Mat3; 3] = std::array::from_fn(|i| so3::skew(&d[1 + i]) * axes * -0.5);
            for v in 0..vectors {
                let wrench = by_stress * right[v] + lifted * left[v] * l;
                let (force, moment) = (wrench.fixed_rows::<3>(0), wrench.fixed_rows::<3>(3));
                table[VECTORS * a * vectors + v] += axes * force;
                for (i, arm) in arms.iter().enumerate() {
                    table[(VECTORS * a + 1 + i) * vectors + v] += arm * moment;
                }
            }
            self.add_turning(a, &(by_stress * s), d, table);
        }
    }

    /// Adds to −∂f what follows from axes that turn with constant components of force and moment.
    fn add_turning(&self, a: usize, wrench: &Vec6, d: &[Vec3], table: &mut [Mat3]) {
        let vectors = self.carried.len();
        let (row, first) = (VECTORS * a, VECTORS * a + 1);
        let moment = d[1] * wrench[3] + d[2] * wrench[4] + d[3] * wrench[5];
        for i in 0..3 {
            table[row * vectors + first + i] += Mat3::identity() * wrench[i];
            table[(first + i) * vectors + first + i] += so3::skew(&moment) * 0.5;
            for l in 0..3 {
                table[(first + i) * vectors + first + l] -= so3::skew(&d[1 + i]) * (0.5 * wrench[3 + l]);
            }
        }
    }

    pub(super) fn interpolated_tangent(&self, at: &Motion, room: &mut Room, k: &mut Blocks, c: &mut Blocks) {
        let (strain, s, _) = self.stresses(at);
        for (g, (s, strain)) in self.stations.iter().zip(s.iter().zip(&strain)) {
            self.stress_gradients(g, room);
            self.add_interpolated_tangent(g, s, &(strain + g.reference), at.x, room);
        }
        self.push(&room.table, k);
        let Some(viscosity) = &self.viscosity else { return };
        room.table.iter_mut().for_each(|block| *block = Mat3::zeros());
        for (g, strain) in self.stations.iter().zip(&strain) {
            self.carry(g, &room.nodal, &mut room.left);
            room.right.iter_mut().zip(&room.left).for_each(|(right, e)| *right = viscosity * e);
            room.left.iter_mut().for_each(|e| *e = Mat6x3::zeros());
            self.add_interpolated_tangent(g, &Vec6::zeros(), &(strain + g.reference), at.x, room);
        }
        self.push(&room.table, c);
    }
}
