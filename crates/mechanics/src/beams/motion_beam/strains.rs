//! Curvatures, strains and stresses, at an instant and over a step.

use super::{MotionBeam, Six, node, of_pair, vector};
use crate::beams::interpolation::MAX_NODES;
use crate::beams::relative_motion::{Invariants, Secant, entries, invariant_change};
use crate::discrete_gradients::StepEnds;
use crate::force::Motion;
use poinsot_geometry::interpolation::Metric;
use poinsot_geometry::{Mat6, Vec3, Vec6};

impl MotionBeam {
    /// Ordered pairs of nodes with the factor of s_jk in k_j.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let n = self.nodes();
        self.slopes
            .iter()
            .enumerate()
            .map(move |(p, slope)| (p / n, p % n, *slope))
            .filter(|(j, k, _)| j != k)
    }

    pub(super) fn curvatures(&self, x: &[Vec3]) -> Six {
        self.curvatures_with(self.scheme.metric, x)
    }

    /// k_j.
    pub(super) fn curvatures_with(&self, metric: Metric, x: &[Vec3]) -> Six {
        let mut k = [Vec6::zeros(); MAX_NODES];
        for (j, other, slope) in self.pairs() {
            k[j] += Invariants::new(node(x, j), node(x, other)).parameter(metric) * slope;
        }
        k
    }

    /// k̇_j.
    pub(super) fn curvature_rates(&self, x: &[Vec3], xdot: &[Vec3]) -> Six {
        let mut k = [Vec6::zeros(); MAX_NODES];
        for (j, other, slope) in self.pairs() {
            let (a, b) = (node(x, j), node(x, other));
            let secant = Secant::at(self.scheme.metric, &Invariants::new(a, b));
            k[j] += secant.along(&invariant_change(&entries(a, b), of_pair(xdot, j, other))) * slope;
        }
        k
    }

    /// ε at the stations.
    pub(super) fn strains(&self, k: &Six) -> Six {
        let mut e = self.at_stations(k);
        e.iter_mut().zip(&self.stations).for_each(|(e, g)| *e -= g.reference);
        e
    }

    /// Values at the nodes carried to the stations.
    pub(super) fn at_stations(&self, k: &Six) -> Six {
        let mut e = [Vec6::zeros(); MAX_NODES];
        for (e, g) in e.iter_mut().zip(&self.stations) {
            *e = k[..self.nodes()].iter().zip(&g.value).map(|(k, l)| k * *l).sum();
        }
        e
    }

    /// ε, S = C ε + C_v ε̇ and ε̇ at the stations.
    pub(super) fn stresses(&self, at: &Motion) -> (Six, Six, Six) {
        let strain = self.strains(&self.curvatures(at.x));
        let mut s = strain.map(|e| self.stiffness * e);
        let mut rates = [Vec6::zeros(); MAX_NODES];
        if let Some(viscosity) = &self.viscosity {
            rates = self.at_stations(&self.curvature_rates(at.x, at.xdot));
            s.iter_mut().zip(&rates).for_each(|(s, rate)| *s += viscosity * rate);
        }
        (strain, s, rates)
    }

    /// Load on k_j: Σ_g w J l_j S_g.
    pub(super) fn nodal_loads(&self, s: &Six) -> Six {
        let mut loads = [Vec6::zeros(); MAX_NODES];
        for (g, s) in self.stations.iter().zip(s) {
            loads[..self.nodes()].iter_mut().zip(&g.value).for_each(|(f, l)| *f += s * (g.weight * l));
        }
        loads
    }

    /// Over a step: S and Δε at the stations.
    pub(super) fn mean_stresses(&self, step: &StepEnds) -> (Six, Six) {
        let mut s = [Vec6::zeros(); MAX_NODES];
        let (from, to) = (self.strains(&self.curvatures(step.from)), self.strains(&self.curvatures(step.to)));
        s.iter_mut().zip(from.iter().zip(&to)).for_each(|(s, (a, b))| *s = self.stiffness * ((a + b) * 0.5));
        let mut change = [Vec6::zeros(); MAX_NODES];
        if let Some(drag) = self.drag(step) {
            change = self.at_stations(&self.curvature_changes(step));
            s.iter_mut().zip(&change).for_each(|(s, change)| *s += drag * change);
        }
        (s, change)
    }

    /// Δk_j with all its digits.
    fn curvature_changes(&self, step: &StepEnds) -> Six {
        let mut k = [Vec6::zeros(); MAX_NODES];
        for (j, other, slope) in self.pairs() {
            let mean = entries(node(step.mean, j), node(step.mean, other));
            let change = invariant_change(&mean, |v| step.change(vector(v, j, other)));
            k[j] += self.secant_over(step, j, other).along(&change) * slope;
        }
        k
    }

    /// C_v/h + χ C, if not zero.
    pub(super) fn drag(&self, step: &StepEnds) -> Option<Mat6> {
        let viscous = self.viscosity.map(|v| v / step.h);
        let numerical = (step.dissipation != 0.0).then(|| self.stiffness * step.dissipation);
        match (viscous, numerical) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        }
    }

    pub(super) fn secant_at(&self, x: &[Vec3], j: usize, k: usize) -> Secant {
        Secant::at(self.scheme.metric, &Invariants::new(node(x, j), node(x, k)))
    }

    pub(super) fn secant_over(&self, step: &StepEnds, j: usize, k: usize) -> Secant {
        let place = |x: &[Vec3]| Invariants::new(node(x, j), node(x, k));
        Secant::new(self.scheme.metric, &place(step.from), &place(step.to))
    }
}
