//! The summary of a periodic motion in words.

use super::summary::{MultiplierEntry, PeriodicSummary};
use poinsot_results::number::{duration, short};
use poinsot_results::summary_text::{
    Mark, Report,
    Side::{Left, Right},
    number_of, times,
};
use poinsot_results::{Common, StudySummary};

/// Gaps up to this are rounding; where directions are free least squares may leave more.
const CLOSED: f64 = 1e-8;

impl StudySummary for PeriodicSummary {
    const ANALYSIS: &'static str = "periodic";

    fn common(&self) -> &Common {
        &self.common
    }

    fn common_mut(&mut self) -> &mut Common {
        &mut self.common
    }

    fn warnings_mut(&mut self) -> &mut Vec<String> {
        &mut self.warnings
    }

    fn tell(&self) -> Report {
        let known = if self.unknown_period { "found" } else { "given" };
        let reached = format!("a motion with the period {} s ({known})", short(self.period, 12));
        let took = duration(self.wall_time_s);
        let mut report = Report::open(&self.common, &times(&reached, &took, self.set_up_time_s));
        report.line(Mark::None, "method", &self.method_words());
        report.system(&self.common);
        report.start(&self.common);
        self.say_motion(&mut report);
        report.stability(self.stability.as_ref());
        self.say_multipliers(&mut report);
        report.list(Mark::Attention, "warnings", &self.warnings);
        report.close(&self.common)
    }
}

impl PeriodicSummary {
    /// Elements, or times of harmonics.
    fn parts(&self, count: u64) -> String {
        match self.by_harmonics {
            true => number_of(count, "time", "times"),
            false => number_of(count, "element", "elements"),
        }
    }

    fn method_words(&self) -> String {
        let elements = self.parts(self.elements);
        let rounds = match self.rounds {
            0 => String::new(),
            n => format!(", chosen anew {}", number_of(n, "time", "times")),
        };
        let corrections = number_of(self.corrections, "correction", "corrections");
        format!("{}; {elements}{rounds}; {corrections}", self.scheme)
    }

    fn say_motion(&self, report: &mut Report) {
        if !self.by_harmonics {
            let gap = format!("gaps between elements {}", short(self.gap, 2));
            let mark = if self.gap <= CLOSED { Mark::Holds } else { Mark::Attention };
            report.line(mark, "closed", &format!("{gap}, relative to the units of the states"));
            report.meaning(
                "How far the end of an element is from the start of the next, and the end of the period from its start.",
            );
        }
        let other = self.parts(self.compared_elements);
        let what = match self.by_harmonics {
            true => "the highest harmonic is of the size",
            false => "errors of the elements add up to",
        };
        let mut words = format!(
            "{what} {}; with {other} the motion is another one by {}",
            short(self.mesh_error, 2),
            short(self.change, 2)
        );
        if self.unknown_period {
            words += &format!(", the period by {} of it", short(self.period_change, 2));
        }
        report.line(Mark::None, "accuracy", &words);
        report.meaning("Relative to the length of the model, a radian, and both per typical time.");
        for (name, turns) in &self.turns {
            let way = if *turns < 0.0 { "turns back" } else { "advances" };
            let words =
                format!("{name} {way} by {} in a period", number_of(turns.abs() as u64, "turn", "turns"));
            report.line(Mark::None, "turns", &words);
        }
        if self.free_directions > 0 {
            let many = number_of(self.free_directions, "direction is", "directions are");
            let words = format!(
                "{many} free: nothing holds the motion there, the one nearest to the start was taken"
            );
            report.line(Mark::Attention, "free", &words);
        }
    }

    fn say_multipliers(&self, report: &mut Report) {
        let headings = [
            ("multiplier", Right),
            ("|λ|", Right),
            ("real", Right),
            ("imaginary", Right),
            ("known to", Right),
            ("growth 1/s", Right),
            ("Hz", Right),
            ("moving most", Left),
        ];
        let rows: Vec<Vec<String>> = self.multipliers.iter().map(row).collect();
        if rows.is_empty() {
            return;
        }
        report.table("multipliers", &headings, &rows);
        report.meaning("By what a small deviation from the motion is multiplied in a period.");
        let listed = self.multipliers.len() as u64;
        if self.multiplier_count > listed {
            report.more(&format!("and {} more", self.multiplier_count - listed));
        }
        if let Some(gauge) = self.gauge {
            let words = format!("the multiplier of the motion itself is 1 but for {}", short(gauge, 2));
            report.line(Mark::None, "gauge", &words);
            report.meaning("Exactly it would be 1: what it differs by the others may be wrong by.");
        }
    }
}

fn row(entry: &MultiplierEntry) -> Vec<String> {
    let shares =
        entry.moving_most.iter().take(2).map(|(name, share)| format!("{name} {:.0}%", 100.0 * share));
    vec![
        if entry.number == 0 { "itself".into() } else { entry.number.to_string() },
        short(entry.magnitude, 7),
        short(entry.value.re, 6),
        short(entry.value.im, 6),
        short(entry.error, 1),
        entry.growth.map_or("–".into(), |growth| short(growth, 4)),
        short(entry.frequency_hz, 5),
        shares.collect::<Vec<_>>().join(", "),
    ]
}
