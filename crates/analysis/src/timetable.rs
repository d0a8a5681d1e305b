//! The times that a study steps to.

use serde::{Deserialize, Serialize};

/// A time to step to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Target {
    pub time: f64,
    pub sample: bool,
    /// The event whose time it is.
    pub event: Option<usize>,
    /// Whether a law has a kink there.
    pub kink: bool,
}

/// Where in a timetable a study stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cursor {
    /// Times of the grid taken so far.
    pub grid: u64,
    /// Exact times taken so far, of those that are listed.
    pub exact: usize,
    /// Whether the next time of the grid is a sample, or has a kink, because an exact time falls on it.
    pub sample: bool,
    pub kink: bool,
    /// The last time taken, if it had no event.
    pub last: Option<f64>,
}

/// The times of a study, made as they are asked for: grid times, exact sample times and times of events in
/// between, the end. Times that are no farther apart than rounding become one, except for events.
#[derive(Clone, Debug)]
pub(crate) struct Timetable {
    start: f64,
    end: f64,
    step: f64,
    stride: u64,
    count: u64,
    exact: Vec<Target>,
    tiny: f64,
    pub cursor: Cursor,
}

/// Grid times start + k·step, the exact sample times and the times of events and kinks in between, and the
/// end.
pub(crate) fn timetable(
    start: f64,
    end: f64,
    step: f64,
    stride: usize,
    times: &[f64],
    events: &[f64],
    kinks: &[f64],
) -> Timetable {
    Timetable {
        start,
        end,
        step,
        stride: stride.max(1) as u64,
        count: ((end - start) / step - 1e-9).ceil().max(0.0) as u64,
        exact: exact(start, end, times, events, kinks, 1e-9 * step),
        tiny: 1e-9 * step,
        cursor: Cursor::default(),
    }
}

/// The exact sample times, the times of events and kinks, and the end.
pub(crate) fn stops(start: f64, end: f64, times: &[f64], events: &[f64], kinks: &[f64]) -> Timetable {
    let span = end - start;
    let exact = exact(start, end, times, events, kinks, 1e-12 * span);
    Timetable {
        start,
        end,
        step: span,
        stride: 1,
        count: 1,
        exact,
        tiny: 1e-12 * span,
        cursor: Cursor::default(),
    }
}

/// Sample times and times of events and kinks between start and end, in order.
fn exact(start: f64, end: f64, times: &[f64], events: &[f64], kinks: &[f64], tiny: f64) -> Vec<Target> {
    let plain = |time: f64| Target { time, sample: true, event: None, kink: false };
    let samples = times.iter().map(|&time| plain(time));
    let events = events.iter().enumerate().map(|(k, &time)| Target { event: Some(k), ..plain(time) });
    let kinks = kinks.iter().map(|&time| Target { sample: false, kink: true, ..plain(time) });
    let mut all: Vec<Target> = samples.chain(events).chain(kinks).collect();
    all.retain(|t| t.time < end - tiny && (t.time > start + tiny || (t.event.is_some() && t.time >= start)));
    in_order(all, tiny)
}

fn in_order(mut all: Vec<Target>, tiny: f64) -> Vec<Target> {
    all.sort_by(|a, b| a.time.total_cmp(&b.time));
    // A sample and a kink at the same time are one.
    all.dedup_by(|later, first| {
        let same = later.event.is_none() && first.event.is_none() && later.time - first.time <= tiny;
        if same {
            first.sample |= later.sample;
            first.kink |= later.kink;
        }
        same
    });
    all
}

impl Timetable {
    /// Puts other kinks in place of those that are still to come, behind a time.
    pub fn renew_kinks(&mut self, t: f64, kinks: &[f64]) {
        let (end, tiny) = (self.end, self.tiny);
        let left = self.exact.split_off(self.cursor.exact.min(self.exact.len()));
        let left = left.into_iter().filter(|target| target.sample || target.event.is_some());
        let left = left.map(|target| Target { kink: false, ..target });
        let later = kinks.iter().filter(|&&kink| kink > t + tiny && kink < end - tiny);
        let later = later.map(|&time| Target { time, sample: false, event: None, kink: true });
        self.exact = in_order(left.chain(later).collect(), tiny);
        self.cursor.exact = 0;
        self.cursor.kink = false;
    }

    /// Exact times still to come.
    pub fn left(&self) -> usize {
        self.exact.len().saturating_sub(self.cursor.exact)
    }

    /// The next time, if there is one.
    pub fn front(&self) -> Option<Target> {
        self.advance(&mut self.cursor.clone())
    }

    /// Times that are nearer to each other are one.
    pub fn tiny(&self) -> f64 {
        self.tiny
    }

    /// The last time of all.
    pub fn end(&self) -> f64 {
        self.end
    }

    fn grid(&self, taken: u64) -> Option<Target> {
        let k = taken + 1;
        (k <= self.count).then(|| Target {
            time: if k == self.count { self.end } else { self.start + k as f64 * self.step },
            sample: k.is_multiple_of(self.stride) || k == self.count,
            event: None,
            kink: false,
        })
    }

    fn advance(&self, at: &mut Cursor) -> Option<Target> {
        loop {
            let next = match (self.grid(at.grid), self.exact.get(at.exact).copied()) {
                (Some(g), Some(e)) if e.time < g.time - self.tiny => {
                    at.exact += 1;
                    e
                }
                (Some(g), Some(e)) if e.time <= g.time + self.tiny => {
                    at.exact += 1;
                    // The grid point itself may have more than one event.
                    if e.event.is_none() {
                        at.sample |= e.sample;
                        at.kink |= e.kink;
                        continue;
                    }
                    Target { time: g.time, ..e }
                }
                (Some(g), _) => {
                    at.grid += 1;
                    let (sample, kink) = (std::mem::take(&mut at.sample), std::mem::take(&mut at.kink));
                    Target { sample: g.sample | sample, kink, ..g }
                }
                (None, Some(e)) => {
                    at.exact += 1;
                    e
                }
                (None, None) => return None,
            };
            // The same sample time twice.
            if next.event.is_none() && at.last.is_some_and(|last| next.time - last <= self.tiny) {
                continue;
            }
            at.last = next.event.is_none().then_some(next.time);
            return Some(next);
        }
    }
}

impl Iterator for Timetable {
    type Item = Target;

    fn next(&mut self) -> Option<Target> {
        let mut cursor = self.cursor;
        let target = self.advance(&mut cursor);
        self.cursor = cursor;
        target
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grid_exact_times_and_events() {
        let table = timetable(0.0, 1.0, 0.3, 2, &[0.25, 0.6, 0.25, 1.0], &[0.3, 0.3, 0.5, 0.0], &[]);
        let all: Vec<(f64, bool, Option<usize>)> =
            table.map(|t| ((t.time * 1e6).round() / 1e6, t.sample, t.event)).collect();
        assert_eq!(
            all,
            [
                (0.0, true, Some(3)),
                (0.25, true, None),
                (0.3, true, Some(0)),
                (0.3, true, Some(1)),
                (0.3, false, None),
                (0.5, true, Some(2)),
                (0.6, true, None),
                (0.9, false, None),
                (1.0, true, None),
            ]
        );
        let times: Vec<f64> = stops(1.0, 3.0, &[2.5, 3.0], &[2.0], &[]).map(|t| t.time).collect();
        assert_eq!(times, [2.0, 2.5, 3.0]);
        let kinks: Vec<(f64, bool, bool)> =
            stops(0.0, 2.0, &[1.0], &[], &[0.5, 1.0]).map(|t| (t.time, t.sample, t.kink)).collect();
        assert_eq!(kinks, [(0.5, false, true), (1.0, true, true), (2.0, true, false)]);
    }

    #[test]
    fn kinks_to_come_are_renewed_and_nothing_else() {
        let mut table = stops(0.0, 4.0, &[1.0, 3.0], &[2.0, 2.0], &[0.5, 2.5, 3.0]);
        let taken: Vec<f64> = table.by_ref().take(3).map(|t| t.time).collect();
        assert_eq!((taken, table.left()), (vec![0.5, 1.0, 2.0], 3));
        table.renew_kinks(2.0, &[0.7, 1.9, 3.5]);
        let rest: Vec<(f64, bool, Option<usize>, bool)> =
            table.map(|t| (t.time, t.sample, t.event, t.kink)).collect();
        let end = (4.0, true, None, false);
        assert_eq!(
            rest,
            [(2.0, true, Some(1), false), (3.0, true, None, false), (3.5, false, None, true), end]
        );
    }

    /// A timetable of any length costs nothing before it is followed.
    #[test]
    fn long_timetables_are_made_on_the_way() {
        let mut table = timetable(0.0, 1e9, 1e-6, 1000, &[0.5e-6], &[], &[]);
        assert_eq!(table.front().unwrap().time, 0.5e-6);
        assert_eq!(table.by_ref().take(3).map(|t| t.time).collect::<Vec<_>>(), [0.5e-6, 1e-6, 2e-6]);
        let cursor = table.cursor;
        let next = table.next();
        table.cursor = cursor;
        assert_eq!(table.front(), next);
        assert_eq!(table.end(), 1e9);
    }
}
