//! The summary of linearised buckling in words.

use super::summary::{BucklingSummary, CriticalValue};
use crate::modes::EigenMethod;
use poinsot_results::number::{duration, short};
use poinsot_results::summary_text::{
    Mark, Report,
    Side::{Left, Right},
    number_of, time, times,
};
use poinsot_results::{Common, StudySummary};

/// Most bodies named in a line of the table.
const BODIES: usize = 2;
/// Most digits of a value that are shown.
const SHOWN: usize = 10;

impl StudySummary for BucklingSummary {
    const ANALYSIS: &'static str = "buckling";

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
        let found = number_of(self.critical.len() as u64, "critical value", "critical values");
        let (name, at) = (&self.parameter, short(self.at, 6));
        let reached = format!("{found} of {name} about {name} = {at} at t = {} s", time(self.time));
        let took = duration(self.wall_time_s);
        let mut report = Report::open(&self.common, &times(&reached, &took, self.set_up_time_s));
        let method = match self.method {
            EigenMethod::Dense => "dense",
            EigenMethod::ShiftInvert => "shift-invert",
        };
        report.line(Mark::None, "method", method);
        report.system(&self.common);
        report.start(&self.common);
        self.say_values(&mut report);
        report.list(Mark::Attention, "warnings", &self.warnings);
        report.close(&self.common)
    }
}

impl CriticalValue {
    /// Digits that rounding leaves of the value.
    fn digits(&self) -> usize {
        let left = -(self.error / self.value.abs()).log10();
        if left.is_nan() { 0 } else { left.clamp(0.0, 15.0) as usize }
    }
}

impl BucklingSummary {
    fn say_values(&self, report: &mut Report) {
        if self.critical.is_empty() {
            return;
        }
        let headings = [
            ("", Right),
            (self.parameter.as_str(), Right),
            ("digits", Right),
            ("factor", Right),
            ("moving most", Left),
        ];
        let row = |c: &CriticalValue| {
            let shares = c.participation.iter().take(BODIES);
            let shares = shares.map(|p| format!("{} {:.0}%", p.body, 100.0 * p.share));
            vec![
                c.number.to_string(),
                short(c.value, c.digits().clamp(1, SHOWN)),
                c.digits().to_string(),
                c.factor.map_or("–".into(), |f| short(f, c.digits().clamp(1, 6))),
                shares.collect::<Vec<_>>().join(", "),
            ]
        };
        let rows: Vec<Vec<String>> = self.critical.iter().map(row).collect();
        report.table("critical values", &headings, &rows);
    }
}
