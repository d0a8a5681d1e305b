//! Summaries as a person reads them in a terminal at the end of a run.

mod common;
mod flexible;
pub mod line;
mod redundancy;
mod residual;
mod table;
mod wrap;

use crate::complex::Complex;
use crate::number::{count, duration, short};
use crate::summary::common::{Common, Status};
use crate::summary::stability::{Stability, Verdict};
use line::SummaryLine;

pub use line::Judgement as Mark;
pub use table::Side;
pub use wrap::wrapped;

/// Width of the column of labels.
const LABEL: usize = 13;

/// Most lines of a list that are shown; the rest is counted.
pub const LIST: usize = 3;

/// A summary in words: a title, and lines of `mark label text`.
#[derive(Default)]
pub struct Report {
    title: String,
    lines: Vec<SummaryLine>,
}

impl Report {
    /// The lines under the title.
    pub fn into_lines(self) -> Vec<SummaryLine> {
        self.lines
    }

    /// A report under a title.
    pub fn titled(title: String) -> Report {
        Report { title, lines: vec![] }
    }

    /// As a person reads it, each line as long as it is.
    pub fn text(&self) -> String {
        self.text_within(None)
    }

    /// As a person reads it in a terminal of so many columns, if that is known.
    pub fn text_within(&self, columns: Option<usize>) -> String {
        let mut text = String::new();
        if !self.title.is_empty() {
            let lines = wrapped(&self.title, columns.map_or(usize::MAX, |all| all.saturating_sub(2)));
            text.push_str(&(lines.join("\n  ") + "\n"));
        }
        self.lines.iter().for_each(|line| line.write(LABEL, columns, &mut text));
        text
    }

    /// A line of its own; without a label, one that continues what was said last.
    pub fn line(&mut self, mark: Mark, label: &str, text: &str) {
        if !label.is_empty() || self.lines.is_empty() {
            self.lines.push(SummaryLine::new(label, label.is_empty()));
        }
        self.lines.iter_mut().last().into_iter().for_each(|line| line.say(mark, text));
    }

    /// One more line of what was said last.
    pub fn more(&mut self, text: &str) {
        self.line(Mark::None, "", text);
    }

    /// Where on the time axis the last line happened.
    pub fn at(&mut self, time: f64) {
        self.lines.iter_mut().last().into_iter().for_each(|line| line.at = Some(time));
    }

    /// What the last line means for somebody who wants to know whether to trust the results.
    pub fn meaning(&mut self, text: &'static str) {
        self.lines.iter_mut().last().into_iter().for_each(|line| line.meaning = text);
    }

    /// A list under one label, cut after a few entries.
    pub fn list(&mut self, mark: Mark, label: &str, entries: &[String]) {
        for (i, entry) in entries.iter().take(LIST).enumerate() {
            match i {
                0 => self.line(mark, label, entry),
                _ => self.line(mark, "", entry),
            }
        }
        if entries.len() > LIST {
            self.more(&format!("and {} more", entries.len() - LIST));
        }
    }

    /// The verdict on stability with its reason.
    pub fn stability(&mut self, stability: Option<&Stability>) {
        let Some(Stability { verdict, reason }) = stability else { return };
        let mark = match verdict {
            Verdict::Stable | Verdict::AsymptoticallyStable => Mark::Holds,
            Verdict::Unstable | Verdict::Neutral | Verdict::None => Mark::Attention,
        };
        let text = match reason.as_str() {
            "" => verdict.words().to_owned(),
            reason => format!("{}: {reason}", verdict.words()),
        };
        self.line(mark, "stability", &text);
    }
}

/// A time in s.
pub fn time(t: f64) -> String {
    short(t, 6)
}

/// The limit in brackets, if there is one.
pub fn or_limit(limit: Option<f64>) -> String {
    limit.map_or(String::new(), |l| format!("  (limit {})", short(l, 3)))
}

/// A number and its noun.
pub fn number_of(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// What was reached, how long that took and how long the set-up.
pub fn times(reached: &str, took: &str, set_up: f64) -> String {
    format!("{reached} in {took}, set up in {}", duration(set_up))
}

/// The range of time covered and, if the run ended early, its aim.
pub fn progress(common: &Common, start: f64, reached: f64, end: f64) -> String {
    let text = format!("t = {} … {} s", time(start), time(reached));
    match common.outcome.status {
        Status::Completed => text,
        _ => format!("{text} of {} s", time(end)),
    }
}

/// A complex number: `-1.2 + 3.4i`.
pub fn complex(value: Complex, digits: usize) -> String {
    if value.im == 0.0 {
        return short(value.re, digits);
    }
    let sign = if value.im < 0.0 { '-' } else { '+' };
    format!("{} {sign} {}i", short(value.re, digits), short(value.im.abs(), digits))
}

/// Names joined by commas, the first few of them.
pub fn some_of<S: AsRef<str>>(names: &[S], most: usize) -> String {
    let shown: Vec<&str> = names.iter().take(most).map(S::as_ref).collect();
    match names.len().saturating_sub(most) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
