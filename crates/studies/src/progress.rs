//! How far a study is, and whether it goes on.

use poinsot_results::SignalTable;
use std::cell::{Cell, RefCell};
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

/// Simulated time, or a parameter, on its way from a start to an end.
pub(crate) struct Progress<'w> {
    watch: &'w dyn Watch,
    start: f64,
    span: f64,
    begun: Instant,
    shown: Instant,
}

impl<'w> Progress<'w> {
    /// From `start` to `end`.
    pub fn new(start: f64, end: f64, watch: &'w dyn Watch) -> Self {
        let now = Instant::now();
        let span = (end - start).max(f64::MIN_POSITIVE);
        Progress { watch, start, span, begun: now, shown: now }
    }

    /// Simulated time has come to `t`.
    pub fn at(&mut self, t: f64) {
        let (done, begun, start) = ((t - self.start) / self.span, self.begun, self.start);
        self.tell(done, || {
            let rate = (t - start) / begun.elapsed().as_secs_f64();
            format!("t = {t:.4} s  {rate:.3} s/s")
        });
    }

    /// A share of the work is done.
    pub fn share(&mut self, done: f64, text: &str) {
        self.tell(done, || text.to_owned());
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
        if self.watch.looks() && self.shown.elapsed() >= PAUSE {
            self.shown = Instant::now();
            self.watch.show(done.clamp(0.0, 1.0), &text(), left(self.begun, done));
        }
    }
}

/// The time that the rest takes if it costs what was done so far; none where that tells nothing.
fn left(begun: Instant, done: f64) -> Option<Duration> {
    (done > 0.0 && done < 1.0).then(|| begun.elapsed().mul_f64((1.0 - done) / done))
}

/// Several runs.
pub struct Runs<'w> {
    watch: &'w dyn Watch,
    count: usize,
    done: Cell<usize>,
    text: RefCell<String>,
    begun: Instant,
}

impl<'w> Runs<'w> {
    /// So many runs.
    pub fn new(count: usize, watch: &'w dyn Watch) -> Self {
        Runs { watch, count, done: Cell::new(0), text: RefCell::default(), begun: Instant::now() }
    }

    /// Says which run it is.
    pub fn says(&self, what: &str) {
        self.text.replace(what.to_owned());
        self.show();
    }

    /// So many more runs are done.
    pub fn done(&self, count: usize) {
        self.done.set(self.done.get() + count);
        self.show();
    }

    /// Whether to go on.
    pub fn goes_on(&self) -> bool {
        self.watch.goes_on()
    }

    fn show(&self) {
        if self.watch.looks() {
            let (done, count) = (self.done.get(), self.count);
            let share = done as f64 / count.max(1) as f64;
            let text = format!("{done}/{count} runs  {}", self.text.borrow());
            self.watch.show(share, &text, left(self.begun, share));
        }
    }
}
