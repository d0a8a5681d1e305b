//! Derivatives of the strains, and what they make of stresses: consistent forces and stiffness.

use super::{Mat6x3, MotionBeam, Room, Six, Station, clear, node, of_pair, vector};
use crate::beams::relative_motion::{
    Entry, Mat12, PAIR, Secant, Vec12, entries, invariant_change, invariant_curvature,
};
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::Blocks;
use crate::force::Motion;
use poinsot_geometry::nalgebra::SMatrix;
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6};

impl MotionBeam {
    /// Forces of the stresses: −Σ_jk ∂π(x)ᵀ D_jkᵀ σ_jk, σ_jk = l′_k/J_j Σ_g w J l_j S_g.
    pub(super) fn add_consistent(
        &self,
        s: &Six,
        x: &[Vec3],
        secant: impl Fn(usize, usize) -> Secant,
        f: &mut [Vec3],
    ) {
        let loads = self.nodal_loads(s);
        for (j, k, slope) in self.pairs() {
            let phi = secant(j, k).gradient(&(loads[j] * slope));
            for e in entries(node(x, j), node(x, k)) {
                f[vector(e.v, j, k)] -= e.y * phi[e.p];
            }
        }
    }

    /// D_jk ∂π/∂x summed into ∂k_j/∂x_v.
    pub(super) fn add_gradients(
        &self,
        x: &[Vec3],
        secant: impl Fn(usize, usize) -> Secant,
        nodal: &mut [Mat6x3],
    ) {
        let vectors = self.carried.len();
        for (j, k, slope) in self.pairs() {
            let d = secant(j, k).matrix() * slope;
            for e in entries(node(x, j), node(x, k)) {
                nodal[j * vectors + vector(e.v, j, k)] += d.column(e.p) * e.y.transpose();
            }
        }
    }

    /// ∂k̇_j/∂x_v: Σ_k l′_k/J_j (D ∂π(ẋ) + ∂(D π̇)/∂π ∂π(x)).
    pub(super) fn add_rate_gradients(&self, at: &Motion, nodal: &mut [Mat6x3]) {
        let vectors = self.carried.len();
        for (j, k, slope) in self.pairs() {
            let secant = self.secant_at(at.x, j, k);
            let here = entries(node(at.x, j), node(at.x, k));
            let rate = invariant_change(&here, of_pair(at.xdot, j, k));
            let d = secant.matrix() * slope;
            let mut bend = SMatrix::<f64, 6, 12>::zeros();
            for i in 0..6 {
                let h: Mat12 = secant.derivative(&Vec6::ith(i, 2.0 * slope));
                bend.set_row(i, &(h * rate).transpose());
            }
            for (e, m) in entries(node(at.xdot, j), node(at.xdot, k))
                .iter()
                .map(|e| (e, &d))
                .chain(here.iter().map(|e| (e, &bend)))
            {
                nodal[j * vectors + vector(e.v, j, k)] += m.column(e.p) * e.y.transpose();
            }
        }
    }

    /// Σ_j l_j ∂k_j/∂x_v.
    pub(super) fn carry(&self, g: &Station, nodal: &[Mat6x3], out: &mut Vec<Mat6x3>) {
        let vectors = self.carried.len();
        clear(out, Mat6x3::zeros(), vectors);
        for (row, l) in nodal.chunks_exact(vectors).zip(&g.value) {
            if *l != 0.0 {
                out.iter_mut().zip(row).for_each(|(out, k)| *out += k * *l);
            }
        }
    }

    /// Adds Σ_jk ∂π(x)ᵀ H_jk ∂π(y) + factor Σ φ_p ∂²π_p to −∂f; `part` gives H and φ of a pair for a load on
    /// s_jk.
    fn add_geometric(
        &self,
        s: &Six,
        [x, y]: [&[Vec3]; 2],
        factor: f64,
        part: impl Fn(usize, usize, &Vec6) -> (Mat12, Vec12),
        table: &mut [Mat3],
    ) {
        let vectors = self.carried.len();
        let loads = self.nodal_loads(s);
        for (j, k, slope) in self.pairs() {
            let (h, phi) = part(j, k, &(loads[j] * slope));
            let right: [Entry; 27] = entries(node(y, j), node(y, k));
            let mut product = [[Vec3::zeros(); PAIR]; 12];
            for (p, row) in product.iter_mut().enumerate() {
                right.iter().for_each(|e| row[e.v] += e.y * h[(p, e.p)]);
            }
            for e in entries(node(x, j), node(x, k)) {
                let row = vector(e.v, j, k) * vectors;
                for (w, z) in product[e.p].iter().enumerate() {
                    table[row + vector(w, j, k)] += e.y * z.transpose();
                }
            }
            invariant_curvature(&phi, |v, w, value| {
                let block = &mut table[vector(v, j, k) * vectors + vector(w, j, k)];
                (0..3).for_each(|c| block[(c, c)] += value * factor);
            });
        }
    }

    /// Adds w left_aᵀ right_b to −∂f.
    fn add_products(&self, weight: f64, left: &[Mat6x3], right: &[Mat6x3], table: &mut [Mat3]) {
        for (row, left) in table.chunks_exact_mut(right.len()).zip(left) {
            let left = left.transpose() * weight;
            row.iter_mut().zip(right).for_each(|(block, right)| *block += left * right);
        }
    }

    /// Hands −table over.
    pub(super) fn push(&self, table: &[Mat3], out: &mut Blocks) {
        let vectors = self.carried.len();
        for (at, block) in table.iter().enumerate() {
            out.push(at / vectors, at % vectors, -block);
        }
    }

    /// C ∂ε + C_v ∂ε̇ into `right`, with ∂ε in `left`.
    pub(super) fn stress_gradients(&self, g: &Station, room: &mut Room) {
        let Room { nodal, second, left, right, rates, .. } = room;
        self.carry(g, nodal, left);
        clear(right, Mat6x3::zeros(), left.len());
        right.iter_mut().zip(left.iter()).for_each(|(right, e)| *right = self.stiffness * e);
        if let Some(viscosity) = &self.viscosity {
            self.carry(g, second, rates);
            right.iter_mut().zip(rates.iter()).for_each(|(right, rate)| *right += viscosity * rate);
        }
    }

    pub(super) fn consistent_tangent(&self, at: &Motion, room: &mut Room, k: &mut Blocks, c: &mut Blocks) {
        let (_, s, _) = self.stresses(at);
        for g in &self.stations {
            self.stress_gradients(g, room);
            self.add_products(g.weight, &room.left, &room.right, &mut room.table);
        }
        let part = |j: usize, k: usize, load: &Vec6| {
            let secant = self.secant_at(at.x, j, k);
            (secant.derivative(load) * 2.0, secant.gradient(load))
        };
        self.add_geometric(&s, [at.x; 2], 1.0, part, &mut room.table);
        self.push(&room.table, k);
        let Some(viscosity) = &self.viscosity else { return };
        room.table.iter_mut().for_each(|block| *block = Mat3::zeros());
        for g in &self.stations {
            self.carry(g, &room.nodal, &mut room.left);
            room.right.iter_mut().zip(&room.left).for_each(|(right, e)| *right = viscosity * e);
            self.add_products(g.weight, &room.left, &room.right, &mut room.table);
        }
        self.push(&room.table, c);
    }

    /// −∂f/∂x⁺ = Σ_g w J (D ∂π(x̄))ᵀ (½C + C_v/h + χC) ∂ε⁺ + Σ_jk ∂π(x̄)ᵀ ∂(Dᵀσ)/∂π⁺ ∂π(x⁺) + ½ Dᵀσ ∂²π.
    pub(super) fn step_tangent(&self, step: &StepEnds, room: &mut Room, k: &mut Blocks) {
        let by_end = self.stiffness * 0.5 + self.drag(step).unwrap_or_else(Mat6::zeros);
        self.add_gradients(step.mean, |j, k| self.secant_over(step, j, k), &mut room.nodal);
        self.add_gradients(step.to, |j, k| self.secant_at(step.to, j, k), &mut room.second);
        for g in &self.stations {
            self.carry(g, &room.nodal, &mut room.left);
            self.carry(g, &room.second, &mut room.right);
            room.right.iter_mut().for_each(|e| *e = by_end * *e);
            self.add_products(g.weight, &room.left, &room.right, &mut room.table);
        }
        let part = |j: usize, k: usize, load: &Vec6| {
            let secant = self.secant_over(step, j, k);
            (secant.derivative(load), secant.gradient(load))
        };
        self.add_geometric(&self.mean_stresses(step).0, [step.mean, step.to], 0.5, part, &mut room.table);
        self.push(&room.table, k);
    }
}
