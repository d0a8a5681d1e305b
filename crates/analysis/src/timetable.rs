//! The times that a study steps to.

use std::collections::VecDeque;

/// A time to step to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Target {
    pub time: f64,
    pub sample: bool,
    /// The event whose time it is.
    pub event: Option<usize>,
}

/// Grid times start + k·step, the exact sample times and the times of events in between, and the end.
pub(crate) fn timetable(
    start: f64,
    end: f64,
    step: f64,
    stride: usize,
    times: &[f64],
    events: &[f64],
) -> VecDeque<Target> {
    let stride = stride.max(1) as u64;
    let count = ((end - start) / step - 1e-9).ceil().max(0.0) as u64;
    let grid = (1..=count).map(|k| {
        let time = if k == count { end } else { start + k as f64 * step };
        Target { time, sample: k.is_multiple_of(stride) || k == count, event: None }
    });
    merge(grid.collect(), exact(start, end, times, events, step), 1e-9 * step)
}

/// The exact sample times, the times of events, and the end.
pub(crate) fn stops(start: f64, end: f64, times: &[f64], events: &[f64]) -> VecDeque<Target> {
    let span = end - start;
    let last = Target { time: end, sample: true, event: None };
    merge(vec![last], exact(start, end, times, events, span), 1e-12 * span)
}

/// Sample times and times of events between start and end, in order.
fn exact(start: f64, end: f64, times: &[f64], events: &[f64], step: f64) -> Vec<Target> {
    let tiny = 1e-9 * step;
    let samples = times.iter().map(|&time| Target { time, sample: true, event: None });
    let events = events.iter().enumerate().map(|(k, &time)| Target { time, sample: true, event: Some(k) });
    let mut all: Vec<Target> = samples.chain(events).collect();
    all.retain(|t| t.time < end - tiny && (t.time > start + tiny || (t.event.is_some() && t.time >= start)));
    all.sort_by(|a, b| a.time.total_cmp(&b.time));
    all
}

/// Both lists in order; times that are no farther apart than `tiny` become one, except for events.
fn merge(grid: Vec<Target>, exact: Vec<Target>, tiny: f64) -> VecDeque<Target> {
    let mut all: VecDeque<Target> = VecDeque::with_capacity(grid.len() + exact.len());
    let (mut grid, mut exact) = (grid.into_iter().peekable(), exact.into_iter().peekable());
    loop {
        let next = match (grid.peek(), exact.peek()) {
            (Some(g), Some(e)) if e.time < g.time - tiny => exact.next(),
            (Some(g), Some(e)) if e.time <= g.time + tiny => {
                let (time, event) = (g.time, e.event);
                exact.next();
                // The grid point itself may have more than one event.
                if event.is_none() {
                    if let Some(g) = grid.peek_mut() {
                        g.sample = true;
                    }
                    continue;
                }
                Some(Target { time, sample: true, event })
            }
            (Some(_), _) => grid.next(),
            (None, _) => exact.next(),
        };
        let Some(next) = next else { return all };
        match all.back_mut() {
            Some(last) if next.event.is_none() && last.event.is_none() && next.time - last.time <= tiny => {
                last.sample |= next.sample;
            }
            _ => all.push_back(next),
        }
    }
}
