//! Fixed steps: from one time of the timetable to the next, in halves where that does not converge.

use super::{Observer, Run, Stop};

/// How often a fixed step that does not converge is halved before the run fails.
const MAX_CUTS: u32 = 5;

/// Parts of a fixed step that are still to be taken, the next one last: length, and how often it was halved.
pub(super) type Parts = Vec<(f64, u32)>;

/// Most parts that are left at a time: one of each length, and two of the shortest.
pub(super) const MOST_PARTS: usize = MAX_CUTS as usize + 1;

impl Run<'_> {
    /// Plans the step to a time of the timetable, in one part.
    pub(super) fn plan_fixed_step(&mut self, step: f64, end: f64) {
        let h = end - self.integration.state().t;
        let nominal = if (h / step - 1.0).abs() < 1e-9 { step } else { h };
        // An event may have happened just there.
        if h > 4.0 * f64::EPSILON * end.abs() {
            self.parts.push((nominal, 0));
        }
    }

    /// Takes the next part of a fixed step, or where that does not converge the first half of it, and so on.
    pub(super) fn take_fixed_step(&mut self, observer: &mut dyn Observer) -> Result<(), Stop> {
        while let Some((h, cuts)) = self.parts.pop() {
            self.remember_before();
            match self.integration.attempt(h) {
                Ok(_) => return self.accept_unless_astray(h),
                Err(failure) if cuts == MAX_CUTS => return Err(self.give_up(failure, observer)),
                Err(_) => {
                    self.log.audit.cut_steps += 1;
                    self.parts.extend([(0.5 * h, cuts + 1); 2]);
                }
            }
        }
        Ok(())
    }

    fn accept_unless_astray(&mut self, h: f64) -> Result<(), Stop> {
        let rotation = self.redundant.redundancy.is_some().then(|| self.log.audit.rotation.clone());
        self.accept(h);
        match rotation {
            Some(rotation) if self.is_astray() => Err(self.go_back(rotation)),
            _ => Ok(()),
        }
    }
}
