//! Fixed steps: from one time of the timetable to the next, in halves where that does not converge.

use super::segment::Break;
use super::{Observer, Run};

/// How often a fixed step that does not converge is halved before the run fails.
const MAX_CUTS: u32 = 5;

impl Run<'_> {
    /// Steps by h to `end`, or where that does not converge by two halves, and so on.
    pub(super) fn advance(
        &mut self,
        h: f64,
        end: f64,
        cuts: u32,
        observer: &mut dyn Observer,
    ) -> Result<(), Break> {
        self.remember_before();
        match self.integration.attempt(h) {
            Ok(_) => {
                let rotation = self.redundancy.is_some().then(|| self.log.audit.rotation.clone());
                self.accept(h);
                if let Some(rotation) = rotation
                    && self.is_astray()
                {
                    return Err(self.go_back(rotation));
                }
                self.look_for_events(end, observer)
            }
            Err(failure) if cuts == MAX_CUTS => Err(self.give_up(failure, observer)),
            Err(_) => {
                self.log.audit.cut_steps += 1;
                self.advance(0.5 * h, end, cuts + 1, observer)?;
                self.advance(0.5 * h, end, cuts + 1, observer)
            }
        }
    }
}
