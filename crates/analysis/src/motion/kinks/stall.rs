//! Motions that stick to a switch.

use crate::motion::Run;
use poinsot_integrators::{StepFailure, instant};
use poinsot_mechanics::Switches;
use std::sync::Arc;

/// Steps of a system with switches that are tried before it must have got on by this part of the time so far,
/// and so far that the end is within so many steps, unless it is at no switch.
const STALLED: (usize, f64, f64) = (1_000, 1e-3, 1e8);

impl Run<'_> {
    /// The failure of a motion that sticks to a switch and does not get on.
    pub fn stalled(&mut self) -> Option<StepFailure> {
        let watch = self.kinks.as_ref()?;
        let t = self.integration.state().t;
        let (since, tried) = self.log.kinks.slide.get_or_insert((t, 0));
        *tried += 1;
        let (most, part, farthest) = STALLED;
        if *tried < most {
            return None;
        }
        let step = t - *since;
        (*since, *tried) = (t, 0);
        let steps_to_the_end = (self.study.end - t) / step * most as f64;
        if step > part * (t - self.log.start) && steps_to_the_end < farthest {
            return None;
        }
        let (switches, tolerance) = (Arc::clone(&watch.switches), watch.tolerance);
        let stuck = self.nearest_switch(&switches).filter(|(_, distance)| *distance <= tolerance)?.0;
        // Once may be by chance.
        let k = self.log.kinks.stuck.replace(stuck).filter(|k| *k == stuck)?;
        let known = &mut self.log.kinks.sliding[k];
        *known = known.min(t);
        let reason = "the motion sticks to a switch and does not get on";
        let remedy = "smooth the law there: tanh(x/small) instead of sign(x), for example";
        Some(StepFailure { t, step, reason, equation: switches.name(k).to_owned(), remedy })
    }

    /// The switch that is nearest to one of its levels, and how near in sizes of its own.
    fn nearest_switch(&mut self, switches: &Switches) -> Option<(usize, f64)> {
        let at = instant(self.integration.state(), &self.buffers.a);
        let mut distance = |k: usize| {
            let x = switches.value(k, self.system, &at, &mut self.buffers.scratch);
            let Some((low, high)) = switches.levels(k).around(x) else { return 0.0 };
            (x - low).min(high - x) / switches.size(k, self.system, &at, &mut self.buffers.scratch)
        };
        (0..switches.len()).map(|k| (k, distance(k))).min_by(|a, b| a.1.total_cmp(&b.1))
    }
}
