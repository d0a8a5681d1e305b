//! The summary of linearised buckling in words.

use super::table::Side::{Left, Right};
use super::{Mark, Report, Tell, number_of, time, times};
use crate::number::{duration, short};
use crate::summary::buckling::{BucklingSummary, CriticalValue};
use crate::summary::modes::EigenMethod;

/// Most bodies named in a line of the table.
const BODIES: usize = 2;
/// Most digits of a value that are shown.
const SHOWN: usize = 10;

impl Tell for BucklingSummary {
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

    fn judged(&self) -> Vec<Option<bool>> {
        vec![]
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
