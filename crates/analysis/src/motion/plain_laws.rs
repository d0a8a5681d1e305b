//! Steps that do not miss what laws of time do: an adaptive step goes no farther than every explicit function
//! of time is plain, see [`TimeLaw`](poinsot_expr::TimeLaw). Otherwise a long step could meet an oscillating
//! source at the same phase again and again, and every estimate of its error be deceived.

use super::{Pace, Run};
use poinsot_expr::Interval;
use serde::{Deserialize, Serialize};

/// How often a step is halved at most.
const MOST_HALVINGS: usize = 60;

/// What is known of the laws of time so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PlainLaws {
    /// The stretch of time over which all are plain.
    pub plain: (f64, f64),
    /// Largest size of each so far.
    pub sizes: Vec<f64>,
    /// The shortest step to which one was held.
    pub shortest: Option<f64>,
}

impl Run<'_> {
    /// The longest step up to `h`, and not beyond `end`, over which all laws of time are plain.
    pub(super) fn plain_step(&mut self, h: f64, end: f64) -> f64 {
        let laws = &self.log.law_times.laws;
        let (Pace::Adaptive { tolerance, .. }, false) = (&self.study.pace, laws.is_empty()) else { return h };
        let known = &mut self.log.laws;
        let start = self.integration.state().t;
        let mut step = h.min(end - start);
        if known.plain.0 <= start && start + step <= known.plain.1 {
            return h;
        }
        let ripple = tolerance.relative.max(tolerance.absolute);
        known.sizes.resize(laws.len(), 0.0);
        for (law, size) in laws.iter().zip(&mut known.sizes) {
            for _ in 0..MOST_HALVINGS {
                let span = Interval::new(self.system.law_time(start), self.system.law_time(start + step));
                let values = law.over(span);
                // What moves less than the tolerance may be missed.
                if law.is_plain(span) || values.width() <= ripple * size.max(values.magnitude()) {
                    break;
                }
                step *= 0.5;
            }
            let span = Interval::new(self.system.law_time(start), self.system.law_time(start + step));
            *size = size.max(law.over(span).magnitude());
        }
        known.plain = (start, start + step);
        if step >= h.min(end - start) {
            return h;
        }
        known.shortest = Some(known.shortest.map_or(step, |shortest| shortest.min(step)));
        step
    }
}
