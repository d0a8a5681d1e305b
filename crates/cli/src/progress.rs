//! The progress bar, and Ctrl-C.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static HANDLER: OnceLock<()> = OnceLock::new();

/// Lets Ctrl-C end the run after the current step instead of killing it.
pub fn catch_interrupt() {
    HANDLER.get_or_init(|| {
        // Without a handler Ctrl-C kills the program, as it would have done anyway.
        ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed)).ok();
    });
}

/// Whether Ctrl-C was pressed.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Simulated time as a bar on standard error.
pub struct Progress {
    bar: ProgressBar,
    start: f64,
    span: f64,
    /// What changes: a parameter, or nothing for the time.
    parameter: Option<String>,
    clock: Instant,
    drawn: Instant,
}

const TICKS: u64 = 1000;

impl Progress {
    /// A bar from `start` to `end`; invisible if `quiet` or if nobody looks.
    pub fn new(start: f64, end: f64, quiet: bool) -> Self {
        let target =
            if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) };
        let bar = ProgressBar::with_draw_target(Some(TICKS), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:32.cyan/blue} {percent:>3} %  {msg}") {
            bar.set_style(style);
        }
        let now = Instant::now();
        let span = (end - start).max(f64::MIN_POSITIVE);
        Progress { bar, start, span, parameter: None, clock: now, drawn: now }
    }

    /// The same for a parameter that goes from `start` to `end`.
    pub fn over(parameter: &str, [start, end]: [f64; 2], quiet: bool) -> Self {
        Progress { parameter: Some(parameter.to_owned()), ..Progress::new(start, end, quiet) }
    }

    /// Moves the bar to simulated time `t`.
    pub fn at(&mut self, t: f64) {
        if self.bar.is_hidden() || self.drawn.elapsed() < Duration::from_millis(100) {
            return;
        }
        self.drawn = Instant::now();
        let done = (t - self.start) / self.span;
        let rate = (t - self.start) / self.clock.elapsed().as_secs_f64();
        self.bar.set_position((done * TICKS as f64) as u64);
        let eta = self.eta(done);
        self.bar.set_message(match &self.parameter {
            Some(name) => format!("{name} = {t:.5}{eta}"),
            None => format!("t = {t:.4} s  {rate:.3} s/s{eta}"),
        });
    }

    /// Moves the bar to a share of the work.
    pub fn share(&mut self, done: f64, text: &str) {
        if self.bar.is_hidden() || self.drawn.elapsed() < Duration::from_millis(100) {
            return;
        }
        self.drawn = Instant::now();
        self.bar.set_position((done.clamp(0.0, 1.0) * TICKS as f64) as u64);
        self.bar.set_message(format!("{text}{}", self.eta(done)));
    }

    /// The time that the rest takes if it costs what was done so far; nothing where that tells nothing.
    fn eta(&self, done: f64) -> String {
        if !(done > 0.0 && done < 1.0) {
            return String::new();
        }
        let left = self.clock.elapsed().mul_f64((1.0 - done) / done);
        format!("  ETA {}", indicatif::HumanDuration(left))
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
