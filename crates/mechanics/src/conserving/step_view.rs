//! A step as an element sees it.

use crate::conserving::Rule;
use crate::conserving::layout::Conserving;
use crate::conserving::step::{ConservingScratch, ConservingStep};
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::MAX_CARRIED;
use crate::nodes::carried::Carried;
use crate::nodes::chart::Frame;
use crate::system::{Places, System};
use poinsot_geometry::Vec3;

/// Carried vectors of one element at both ends of a step, their mean and their mean rate.
#[derive(Clone, Debug)]
pub(crate) struct CarriedEnds {
    pub from: [Vec3; MAX_CARRIED],
    pub to: [Vec3; MAX_CARRIED],
    pub mean: [Vec3; MAX_CARRIED],
    pub rate: [Vec3; MAX_CARRIED],
}

impl CarriedEnds {
    /// The step as an element with `n` carried vectors sees it.
    #[inline]
    pub fn ends<'a>(
        &'a self,
        system: &System,
        step: &ConservingStep,
        n: usize,
        memory: &'a [f64],
        dissipation: f64,
    ) -> StepEnds<'a> {
        StepEnds {
            t: step.t,
            h: step.h,
            span: system.law_span(),
            from: &self.from[..n],
            to: &self.to[..n],
            mean: &self.mean[..n],
            rate: &self.rate[..n],
            memory,
            reactions: &[],
            dissipation,
        }
    }
}

impl Conserving<'_> {
    /// Carried vectors of an element at both ends.
    #[inline]
    pub(super) fn load(&self, places: &Places, step: &ConservingStep, s: &mut ConservingScratch) {
        for (k, place) in places.carried.iter().enumerate() {
            let c = &place.carried;
            let change = step.change[c.node].of(c);
            s.carried.from[k] = c.value(&step.start[c.node]);
            s.carried.to[k] = s.carried.from[k] + change;
            s.carried.mean[k] = s.carried.from[k] + change * 0.5;
            s.carried.rate[k] = change / step.h;
        }
    }

    /// The frame that test directions are taken from.
    #[inline]
    pub fn tested<'a>(&self, rule: Rule, step: &'a ConservingStep, id: usize) -> &'a Frame {
        match rule {
            Rule::Variational => &step.start[id],
            _ => &step.mean[id],
        }
    }

    pub(super) fn load_directions(
        &self,
        places: &Places,
        rule: Rule,
        step: &ConservingStep,
        s: &mut ConservingScratch,
    ) {
        for (k, place) in places.carried.iter().enumerate().filter(|(_, p)| p.dofs > 0) {
            let Carried { node, c0, c, .. } = place.carried;
            self.trial(node, step, c0, &c, &mut s.trial[k]);
            self.test(node, self.tested(rule, step, node), c0, &c, &mut s.test[k]);
        }
    }
}
