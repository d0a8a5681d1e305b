//! The summary of a Campbell diagram in words.

use super::summary::{
    CampbellBranch, CampbellCrossing, CampbellInstability, CampbellSummary, CampbellVeering,
};
use crate::modes::EigenMethod;
use poinsot_results::number::{duration, short};
use poinsot_results::summary_text::{
    Mark, Report,
    Side::{Left, Right},
    number_of, times,
};
use poinsot_results::{Common, StudySummary};

/// Most modes and crossings in the tables.
const SHOWN: usize = 20;

impl StudySummary for CampbellSummary {
    const ANALYSIS: &'static str = "campbell";

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
        let found = number_of(self.branches.len() as u64, "mode", "modes");
        let [low, high] = self.range.map(|v| short(v, 6));
        let reached = format!("{found} about the {}, {} = {low} … {high}", self.about, self.parameter);
        let mut report =
            Report::open(&self.common, &times(&reached, &duration(self.wall_time_s), self.set_up_time_s));
        report.line(Mark::None, "method", &self.method_words());
        report.system(&self.common);
        report.start(&self.common);
        self.say_branches(&mut report);
        self.say_stability(&mut report);
        self.say_crossings(&mut report);
        let veering = |v: &CampbellVeering| {
            let [a, b] = v.modes;
            let (value, gap) = (short(v.value, 6), short(v.gap_hz, 3));
            format!("modes {a} and {b} at {} = {value}, {gap} Hz apart", self.parameter)
        };
        report.list(Mark::None, "veering", &self.veerings.iter().map(veering).collect::<Vec<_>>());
        report.list(Mark::Attention, "warnings", &self.warnings);
        report.close(&self.common)
    }
}

impl CampbellSummary {
    fn method_words(&self) -> String {
        let method = match self.method {
            EigenMethod::Dense => "dense",
            EigenMethod::ShiftInvert => "shift-invert",
        };
        let values = number_of(self.values, "value", "values");
        let inserted = match self.inserted {
            0 => String::new(),
            n => format!(", {n} of them put in where shapes change quickly"),
        };
        format!("{method} at {values}{inserted}, {} in all, seen from {}", self.evaluations, self.observer)
    }

    fn say_branches(&self, report: &mut Report) {
        let [low, high] = self.range.map(|v| format!("{} {}", self.parameter, short(v, 4)));
        let headings = [
            ("mode", Right),
            (&*format!("Hz at {low}"), Right),
            (&*format!("at {high}"), Right),
            ("damping", Right),
            ("at the end", Right),
            ("whirl", Left),
            ("at the end", Left),
        ];
        let row = |b: &CampbellBranch| {
            vec![
                b.number.to_string(),
                short(b.frequency_hz[0], 5),
                short(b.frequency_hz[1], 5),
                damping(b.damping_ratio[0]),
                damping(b.damping_ratio[1]),
                b.whirl[0].word().to_owned(),
                b.whirl[1].word().to_owned(),
            ]
        };
        let rows: Vec<Vec<String>> = self.branches.iter().take(SHOWN).map(row).collect();
        if !rows.is_empty() {
            report.table("modes", &headings, &rows);
        }
        if self.branches.len() > SHOWN {
            report.more(&format!("and {} more", self.branches.len() - SHOWN));
        }
    }

    fn say_stability(&self, report: &mut Report) {
        if !self.no_verdict.is_empty() {
            let text = format!("no verdict: {}", self.no_verdict);
            return report.line(Mark::Attention, "stability", &text);
        }
        if let Some(reason) = &self.undecided {
            report.line(Mark::Attention, "stability", &format!("not decided: {reason}"));
        }
        if self.instabilities.is_empty() {
            if self.undecided.is_some() {
                return;
            }
            let text = match self.lowest_only {
                true => format!(
                    "none of the lowest modes grows at any value of {}; higher ones were not looked at",
                    self.parameter
                ),
                false => format!("no mode grows at any value of {}", self.parameter),
            };
            return report.line(Mark::Holds, "stability", &text);
        }
        let words = |i: &CampbellInstability| {
            let from = i.from.map_or("the start".into(), |v| short(v, 8));
            let to = i.to.map_or("the end".into(), |v| short(v, 8));
            let at = if i.frequency_hz > 0.0 {
                format!(" at {} Hz", short(i.frequency_hz, 5))
            } else {
                String::new()
            };
            format!(
                "{}{at} from {} = {from} to {to}, growth up to {} 1/s",
                i.kind,
                self.parameter,
                short(i.growth, 3)
            )
        };
        let list: Vec<String> = self.instabilities.iter().map(words).collect();
        report.list(Mark::Attention, "unstable", &list);
        report.meaning("Ranges of the parameter in which small deviations from the state grow.");
    }

    fn say_crossings(&self, report: &mut Report) {
        if self.crossings.is_empty() {
            return;
        }
        let headings = [("order", Right), ("mode", Right), (self.parameter.as_str(), Right), ("Hz", Right)];
        let row = |c: &CampbellCrossing| {
            vec![short(c.order, 4), c.mode.to_string(), short(c.value, 7), short(c.frequency_hz, 6)]
        };
        let rows: Vec<Vec<String>> = self.crossings.iter().take(SHOWN).map(row).collect();
        report.line(Mark::None, "crossings", "frequencies that are engine orders");
        report.table("", &headings, &rows);
        if self.crossings.len() > SHOWN {
            report.more(&format!("and {} more", self.crossings.len() - SHOWN));
        }
    }
}

/// A damping ratio; what is rounding is nothing.
fn damping(ratio: f64) -> String {
    short(if ratio.abs() < 1e-9 { 0.0 } else { ratio }, 3)
}
