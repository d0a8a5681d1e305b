//! The progress bar, and Ctrl-C.

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use poinsot_studies::Watch;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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

/// A study as a bar on standard error, until it is dropped; Ctrl-C stops the study.
pub struct Bar(ProgressBar);

const TICKS: u64 = 1000;

impl Bar {
    /// A bar; invisible if `quiet` or if nobody looks.
    pub fn new(quiet: bool) -> Self {
        let target =
            if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) };
        let bar = ProgressBar::with_draw_target(Some(TICKS), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:32.cyan/blue} {percent:>3} %  {msg}") {
            bar.set_style(style);
        }
        Bar(bar)
    }
}

impl Watch for Bar {
    fn looks(&self) -> bool {
        !self.0.is_hidden()
    }

    fn show(&self, done: f64, text: &str, left: Option<Duration>) {
        let eta = left.map_or(String::new(), |left| format!("  ETA {}", HumanDuration(left)));
        self.0.set_position((done * TICKS as f64) as u64);
        self.0.set_message(format!("{text}{eta}"));
    }

    fn goes_on(&self) -> bool {
        !interrupted()
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
