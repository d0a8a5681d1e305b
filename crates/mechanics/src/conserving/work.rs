//! Work over a step.

use super::averaged::averaged_force;
use crate::assembly::gather_rows;
use crate::conserving::Rule;
use crate::conserving::layout::Conserving;
use crate::conserving::step::{ConservingScratch, ConservingStep};
use crate::discrete_gradients::StepEnds;
use crate::force::{Force, Power};
use poinsot_geometry::Vec3;

impl Conserving<'_> {
    /// Work over the step: of forces and friction, and of constraint forces where the constraints moved. With
    /// the change of the potential energy it is exactly the change of the kinetic energy that the balance
    /// implies.
    pub fn work(&self, rule: Rule, step: &ConservingStep, s: &mut ConservingScratch) -> Power {
        let mut sum = Power::default();
        for (index, places) in self.forces.iter().enumerate() {
            let entry = &self.system.forces[index];
            let law = &*entry.law;
            let n = places.carried.len();
            self.load(places, step, s);
            let memory = &step.memory[entry.memory.clone()];
            let reactions = self.reactions_over_step(index, step, s);
            let ends = StepEnds {
                reactions: &reactions[..self.pressing[index].len()],
                ..s.carried.ends(self.system, step, n, memory, step.dissipation[index])
            };
            let work = match rule {
                Rule::EnergyMomentum => law.discrete_work(&ends),
                Rule::Averaged => averaged_work(law, &ends, &step.quadrature, &mut s.between, &mut s.f),
                Rule::Variational => averaged_work(law, &ends, &[(0.5, 1.0)], &mut s.between, &mut s.f),
            };
            sum.supplied += work.supplied;
            sum.dissipated += work.dissipated;
        }
        for (entry, f) in self.system.frictions.iter().zip(&self.frictions) {
            let n = f.places.carried.len();
            self.load(&f.places, step, s);
            let ends = s.carried.ends(self.system, step, n, &[], 0.0);
            sum.dissipated += entry.law.discrete_grip(&ends, &f.pressing(&step.lambda)).loss;
        }
        for index in 0..self.constraints.len() {
            sum.supplied -= self.constraint_work(index, rule, step, s);
        }
        if !step.holds {
            sum.supplied -= self.internal.iter().map(|i| i.work(step)).sum::<f64>();
        }
        sum
    }

    /// Σ_k λ_k Gd_k·Δx of a constraint that is driven or has moved.
    fn constraint_work(
        &self,
        index: usize,
        rule: Rule,
        step: &ConservingStep,
        s: &mut ConservingScratch,
    ) -> f64 {
        let (entry, places) = (&self.system.constraints[index], &self.constraints[index]);
        if !entry.driven && step.holds {
            return 0.0;
        }
        let (law, n) = (entry.working(), places.carried.len());
        self.load(places, step, s);
        let lambda = gather_rows(places, &step.lambda);
        let ends = s.carried.ends(self.system, step, n, &step.memory[entry.memory.clone()], 0.0);
        s.gradients.clear();
        match rule {
            Rule::Variational => law.gradients(&ends.start(), &mut s.gradients),
            _ => law.discrete_gradients(&ends, &mut s.gradients),
        }
        s.gradients.entries().iter().map(|g| lambda[g.row] * g.value.dot(&ends.change(g.carried))).sum()
    }
}

/// Work of the averaged force. What the rule leaves of the balance of a potential is an error of the rule,
/// not work.
fn averaged_work(
    law: &dyn Force,
    ends: &StepEnds,
    rule: &[(f64, f64)],
    between: &mut [Vec3],
    f: &mut [Vec3],
) -> Power {
    let n = ends.to.len();
    f[..n].fill(Vec3::zeros());
    averaged_force(law, ends, rule, between, &mut f[..n]);
    let work: f64 = (0..n).map(|a| f[a].dot(&ends.change(a))).sum();
    let stored = law.potential(&ends.last()) - law.potential(&ends.first());
    let power = law.power(&ends.motion());
    let dissipated = power.dissipated * ends.h;
    let supplied = if power.supplied == 0.0 { 0.0 } else { work + stored + dissipated };
    Power { supplied, dissipated }
}
