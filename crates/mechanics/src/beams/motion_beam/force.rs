//! The element as a force.

use super::scheme::VirtualStrains;
use super::{MotionBeam, Six, Station};
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::{Blocks, MAX_CARRIED};
use crate::force::{Extensions, Force, Motion, Power};
use crate::nodes::carried::Carried;
use poinsot_geometry::{Mat6, Vec3, Vec6};

impl Force for MotionBeam {
    fn kind(&self) -> &'static str {
        "beam"
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        let (strain, s, _) = self.stresses(at);
        match self.scheme.virtual_strains {
            VirtualStrains::Consistent => {
                self.add_consistent(&s, at.x, |j, k| self.secant_at(at.x, j, k), f);
            }
            VirtualStrains::Interpolated => self.add_interpolated(&s, &strain, at.x, f),
        }
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, c: &mut Blocks) {
        self.with_room(|room| {
            self.add_gradients(at.x, |j, k| self.secant_at(at.x, j, k), &mut room.nodal);
            if self.viscosity.is_some() {
                self.add_rate_gradients(at, &mut room.second);
            }
            match self.scheme.virtual_strains {
                VirtualStrains::Consistent => self.consistent_tangent(at, room, k, c),
                VirtualStrains::Interpolated => self.interpolated_tangent(at, room, k, c),
            }
        });
    }

    fn potential(&self, at: &Motion) -> f64 {
        let strain = self.strains(&self.curvatures(at.x));
        let energy = |(g, e): (&Station, &Vec6)| 0.5 * g.weight * e.dot(&(self.stiffness * e));
        self.stations.iter().zip(&strain).map(energy).sum()
    }

    /// Forces of interpolated virtual strains have no potential: what they do beyond −dV/dt is supplied.
    fn power(&self, at: &Motion) -> Power {
        if self.is_consistent() && self.viscosity.is_none() {
            return Power::default();
        }
        let rates = self.at_stations(&self.curvature_rates(at.x, at.xdot));
        let sum = |law: &Mat6, of: &Six| -> f64 {
            let pairs = of.iter().zip(&rates);
            self.stations.iter().zip(pairs).map(|(g, (e, rate))| g.weight * rate.dot(&(law * e))).sum()
        };
        let dissipated = self.viscosity.map_or(0.0, |viscosity| sum(&viscosity, &rates));
        if self.is_consistent() {
            return Power { supplied: 0.0, dissipated };
        }
        let mut f = [Vec3::zeros(); MAX_CARRIED];
        self.force(at, &mut f[..at.x.len()]);
        let work: f64 = f.iter().zip(at.xdot).map(|(f, v)| f.dot(v)).sum();
        let stored = sum(&self.stiffness, &self.strains(&self.curvatures(at.x)));
        Power { supplied: work + stored + dissipated, dissipated }
    }

    fn discrete_force(&self, step: &StepEnds, f: &mut [Vec3]) {
        match self.scheme.virtual_strains {
            VirtualStrains::Consistent => {
                let (s, _) = self.mean_stresses(step);
                self.add_consistent(&s, step.mean, |j, k| self.secant_over(step, j, k), f);
            }
            VirtualStrains::Interpolated => self.force(&step.motion(), f),
        }
    }

    fn discrete_tangent(&self, step: &StepEnds, k: &mut Blocks, c: &mut Blocks) {
        match self.scheme.virtual_strains {
            VirtualStrains::Consistent => self.with_room(|room| self.step_tangent(step, room, k)),
            VirtualStrains::Interpolated => half_tangent(self, step, k, c),
        }
    }

    fn discrete_work(&self, step: &StepEnds) -> Power {
        if self.is_consistent() {
            let Some(drag) = self.drag(step) else { return Power::default() };
            let (_, change) = self.mean_stresses(step);
            let lost = |(g, e): (&Station, &Vec6)| g.weight * e.dot(&(drag * e));
            return Power { supplied: 0.0, dissipated: self.stations.iter().zip(&change).map(lost).sum() };
        }
        let mut f = [Vec3::zeros(); MAX_CARRIED];
        self.discrete_force(step, &mut f[..step.to.len()]);
        let work: f64 = (0..step.to.len()).map(|a| f[a].dot(&step.change(a))).sum();
        let stored = self.potential(&step.last()) - self.potential(&step.first());
        let dissipated = self.power(&step.motion()).dissipated * step.h;
        Power { supplied: work + stored + dissipated, dissipated }
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions { beam: Some(self), ..Extensions::default() }
    }
}

/// ½ ∂f/∂x + ∂f/∂ẋ/h at the mean of a step.
fn half_tangent(law: &MotionBeam, step: &StepEnds, k: &mut Blocks, c: &mut Blocks) {
    let from = k.entries().len();
    c.clear();
    law.tangent(&step.motion(), k, c);
    k.entries_mut(from).iter_mut().for_each(|block| block.value *= 0.5);
    for block in c.entries() {
        k.push(block.a, block.b, block.value / step.h);
    }
}
