//! Events in the last step: where signals cross zero.

use super::{Observer, Run, Stop};
use crate::events::{Crossings, EventId};

impl Run<'_> {
    pub(super) fn look_for_events(&mut self, end: f64, observer: &mut dyn Observer) -> Result<(), Stop> {
        self.look_for_events_until(self.integration.state().t, end, observer)
    }

    /// Looks for events in the last step up to a time.
    pub(super) fn look_for_events_until(
        &mut self,
        until: f64,
        end: f64,
        observer: &mut dyn Observer,
    ) -> Result<(), Stop> {
        let Some(mut watch) = self.watch.take() else { return Ok(()) };
        let span = (self.last.before.t, until);
        let rules: Vec<_> = (0..self.events.signals()).map(|k| self.events.crossing(k)).collect();
        let mut values = |t: f64, out: &mut [f64]| {
            self.look_inside(t)?;
            self.signals_inside(out)
        };
        let found = watch.first_crossings(span, |k| rules[k], &mut values)?;
        self.watch = Some(watch);
        let Some(Crossings { time, signals, sides }) = found else { return Ok(()) };
        if self.log.grid.is_some() {
            self.sample_inside(time, end, observer)?;
        }
        self.look_inside(time)?;
        self.sample_look(self.buffers.inside.t, observer)?;
        // Of the last step only the work up to the event counts.
        let missing = self.missing_work(time)?;
        self.log.audit.supplied += missing.supplied;
        self.log.audit.dissipated += missing.dissipated;
        self.look_inside(time)?;
        self.log.sides = Some(sides);
        let state = Box::new(self.buffers.inside.clone());
        let what = signals.into_iter().map(|(k, side)| (EventId::Crossed(k), side)).collect();
        Err(Stop::Events(what, state))
    }
}
