//! How far a study is, and whether it goes on.

use poinsot_results::SignalTable;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Someone who watches a study: is told how far it is, and may stop it.
pub trait Watch: Sync {
    /// Whether it is worth while to tell.
    fn looks(&self) -> bool {
        false
    }

    /// A study is so far, from 0 to 1, at what the text says; the rest takes about so long, if that can be
    /// told.
    fn show(&self, _done: f64, _text: &str, _left: Option<Duration>) {}

    /// A row of results was recorded, the last one of the table.
    fn row(&self, _table: &SignalTable) {}

    /// Whether to go on; asked at least once a step.
    fn goes_on(&self) -> bool {
        true
    }
}

/// Nobody watches.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Watch for Unwatched {}

/// Somebody who may stop a study but does not look at it.
pub struct Hidden<'w>(pub &'w dyn Watch);

impl Watch for Hidden<'_> {
    fn goes_on(&self) -> bool {
        self.0.goes_on()
    }
}

/// Time between two looks.
const PAUSE: Duration = Duration::from_millis(100);

/// Foretells how long the rest takes: as fast as it went lately, for steps may become shorter or longer on
/// the way. What it says follows a change smoothly instead of jumping.
struct Forecast {
    /// Elapsed time, in s, and share done: the start, and what was seen lately.
    seen: VecDeque<(f64, f64)>,
    /// When the end was last foretold, and for which elapsed time.
    told: Option<(f64, f64)>,
}

impl Forecast {
    /// Part of the elapsed time that counts as lately.
    const LATELY: f64 = 0.4;
    /// Elapsed time before which nothing is foretold, in s.
    const SOON: f64 = 1.0;
    /// Time in which the forecast follows a change, in s and in parts of the elapsed time.
    const FOLLOWS: [f64; 2] = [1.0, 0.05];

    fn new() -> Self {
        Forecast { seen: VecDeque::from([(0.0, 0.0)]), told: None }
    }

    /// The rest, in s; none where nothing tells it.
    fn left(&mut self, elapsed: f64, done: f64) -> Option<f64> {
        if !(done > 0.0 && done < 1.0 && elapsed > 0.0) {
            return None;
        }
        if self.seen.back().is_none_or(|(last, _)| elapsed - last >= 5e-3 * elapsed) {
            self.seen.push_back((elapsed, done));
        }
        while self.seen.len() > 2 && self.seen[1].0 <= (1.0 - Self::LATELY) * elapsed {
            self.seen.pop_front();
        }
        let (since, already) = self.seen[0];
        if elapsed < Self::SOON || done <= already {
            return None;
        }
        let end = elapsed + (1.0 - done) * (elapsed - since) / (done - already);
        let [least, part] = Self::FOLLOWS;
        let end = match self.told {
            None => end,
            Some((before, at)) => {
                before + (end - before) * (1.0 - (-(elapsed - at) / (least + part * elapsed)).exp())
            }
        };
        self.told = Some((end, elapsed));
        Some((end - elapsed).max(0.0))
    }
}

/// When somebody was told last, and what was foretold.
struct Teller {
    begun: Instant,
    shown: Instant,
    forecast: Forecast,
}

impl Teller {
    fn new() -> Self {
        let now = Instant::now();
        Teller { begun: now, shown: now, forecast: Forecast::new() }
    }

    /// Whether the last look is long enough ago.
    fn is_due(&self) -> bool {
        self.shown.elapsed() >= PAUSE
    }

    fn tell(&mut self, watch: &dyn Watch, done: f64, text: &str) {
        self.shown = Instant::now();
        let left = self.forecast.left(self.begun.elapsed().as_secs_f64(), done);
        watch.show(done.clamp(0.0, 1.0), text, left.map(Duration::from_secs_f64));
    }
}

/// Simulated time, or a parameter, on its way from a start to an end.
pub(crate) struct Progress<'w> {
    watch: &'w dyn Watch,
    start: f64,
    span: f64,
    teller: Teller,
}

impl<'w> Progress<'w> {
    /// From `start` to `end`.
    pub fn new(start: f64, end: f64, watch: &'w dyn Watch) -> Self {
        let span = (end - start).max(f64::MIN_POSITIVE);
        Progress { watch, start, span, teller: Teller::new() }
    }

    /// Simulated time has come to `t`.
    pub fn at(&mut self, t: f64) {
        let (done, begun, start) = ((t - self.start) / self.span, self.teller.begun, self.start);
        self.tell(done, || {
            let rate = (t - start) / begun.elapsed().as_secs_f64();
            format!("t = {t:.4} s  {rate:.3} s/s")
        });
    }

    /// A share of the work is done.
    pub fn share(&mut self, done: f64, text: &str) {
        self.tell(done, || text.to_owned());
    }

    /// At most so much is done of work whose end nobody can tell.
    pub fn open(&mut self, done: f64, text: &str) {
        if self.watch.looks() && self.teller.is_due() {
            self.teller.shown = Instant::now();
            self.watch.show(done.clamp(0.0, 1.0), text, None);
        }
    }

    /// A row was recorded.
    pub fn row(&self, table: &SignalTable) {
        self.watch.row(table);
    }

    /// Whether to go on.
    pub fn goes_on(&self) -> bool {
        self.watch.goes_on()
    }

    fn tell(&mut self, done: f64, text: impl FnOnce() -> String) {
        if self.watch.looks() && self.teller.is_due() {
            self.teller.tell(self.watch, done, &text());
        }
    }
}

/// Several runs.
pub struct Runs<'w> {
    watch: &'w dyn Watch,
    /// What each run costs, in a unit of its own.
    costs: Vec<f64>,
    done: Cell<usize>,
    text: RefCell<String>,
    teller: RefCell<Teller>,
}

impl<'w> Runs<'w> {
    /// So many runs that cost the same.
    pub fn new(count: usize, watch: &'w dyn Watch) -> Self {
        Self::of_costs(vec![1.0; count], watch)
    }

    /// Runs of different costs, in their order.
    pub fn of_costs(costs: Vec<f64>, watch: &'w dyn Watch) -> Self {
        Runs { watch, costs, done: Cell::new(0), text: RefCell::default(), teller: Teller::new().into() }
    }

    /// Says which run it is.
    pub fn says(&self, what: &str) {
        self.text.replace(what.to_owned());
        self.show(0.0);
    }

    /// So many more runs are done.
    pub fn done(&self, count: usize) {
        self.done.set(self.done.get() + count);
        self.show(0.0);
    }

    /// Whether to go on.
    pub fn goes_on(&self) -> bool {
        self.watch.goes_on()
    }

    /// A share of the present run is done; whether to go on.
    pub fn within(&self, share: f64) -> bool {
        if self.watch.looks() && self.teller.borrow().is_due() {
            self.show(share);
        }
        self.goes_on()
    }

    fn show(&self, share: f64) {
        if !self.watch.looks() {
            return;
        }
        let (done, count) = (self.done.get().min(self.costs.len()), self.costs.len());
        let text = format!("{done}/{count} runs  {}", self.text.borrow());
        self.teller.borrow_mut().tell(self.watch, share_of(&self.costs, done, share), &text);
    }
}

/// The share of all costs that is spent when so many are, and a part of the next one.
fn share_of(costs: &[f64], done: usize, part: f64) -> f64 {
    let spent: f64 = costs[..done].iter().sum::<f64>() + part * costs.get(done).unwrap_or(&0.0);
    spent / costs.iter().sum::<f64>().max(f64::MIN_POSITIVE)
}

/// A run among others, from a start to an end of simulated time.
pub struct PartOfRuns<'a> {
    runs: &'a Runs<'a>,
    start: f64,
    end: f64,
}

impl<'a> PartOfRuns<'a> {
    /// From `start` to `end`.
    pub fn new(runs: &'a Runs<'a>, start: f64, end: f64) -> Self {
        PartOfRuns { runs, start, end }
    }

    /// Simulated time has come to `t`; whether to go on.
    pub fn at(&self, t: f64) -> bool {
        let span = (self.end - self.start).max(f64::MIN_POSITIVE);
        self.runs.within(((t - self.start) / span).clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times at which a forecast of a run would end, told ten times a second; `done` gives the share.
    fn ends(total: f64, done: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        let mut forecast = Forecast::new();
        let times = (1..(10.0 * total) as usize).map(|k| 0.1 * k as f64);
        times.filter_map(|t| forecast.left(t, done(t)).map(|left| (t, t + left))).collect()
    }

    #[test]
    fn equal_steps_are_foretold_at_once() {
        let told = ends(60.0, |t| t / 60.0);
        assert!(told[0].0 <= Forecast::SOON + 0.1 && told.iter().all(|(_, end)| (end - 60.0).abs() < 1e-6));
    }

    #[test]
    fn steps_that_become_shorter_are_followed_without_a_jump() {
        // Half of the way in 20 s, the other half in 60 s.
        let told = ends(80.0, |t| if t < 20.0 { t / 40.0 } else { 0.5 + (t - 20.0) / 120.0 });
        for pair in told.windows(2) {
            assert!((pair[1].1 - pair[0].1).abs() < 3.0, "{pair:?}");
        }
        for (t, end) in told.iter().filter(|(t, _)| *t > 40.0) {
            assert!((end - 80.0).abs() < 8.0, "at {t}: {end}");
        }
    }

    #[test]
    fn runs_that_cost_more_count_more() {
        let costs = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(share_of(&costs, 2, 0.0), 0.2);
        assert_eq!(share_of(&costs, 3, 0.5), 11.0 / 15.0);
        assert_eq!((share_of(&costs, 4, 0.0), share_of(&[], 0, 0.3)), (1.0, 0.0));
    }
}
