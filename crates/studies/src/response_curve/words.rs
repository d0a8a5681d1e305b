//! The summary of a response curve in words.

use super::summary::{ResponseBranchSummary, ResponseSummary, SingularMotion};
use poinsot_results::number::{duration, short};
use poinsot_results::summary_text::{
    Mark, Report,
    Side::{Left, Right},
    number_of, times,
};
use poinsot_results::{Common, StudySummary};

/// Most singular points in the table.
const POINTS: usize = 24;

impl StudySummary for ResponseSummary {
    const ANALYSIS: &'static str = "response_curve";

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
        let points: u64 = self.branches.iter().map(|b| b.points).sum();
        let (from, to) = (short(self.from, 6), short(self.to, 6));
        let found = number_of(points, "periodic motion", "periodic motions");
        let reached = format!("{found} along {} = {from} … {to}", self.parameter);
        let took = duration(self.wall_time_s);
        let mut report = Report::open(&self.common, &times(&reached, &took, self.set_up_time_s));
        let corrections = number_of(self.iterations, "correction", "corrections");
        let rejected = number_of(self.rejected_steps, "step", "steps");
        let elements = match self.elements {
            [a, b] if a == b => number_of(a, "element", "elements"),
            [a, b] if self.remeshed == 0 => format!("{a} … {b} elements"),
            [a, b] => {
                format!("{a} … {b} elements, chosen anew {}", number_of(self.remeshed, "time", "times"))
            }
        };
        let method = format!("{}; {elements}; arc length, {corrections}, {rejected} shortened", self.scheme);
        report.line(Mark::None, "method", &method);
        report.system(&self.common);
        report.start(&self.common);
        if let Some(change) = self.change {
            let words = format!(
                "with twice as many elements the first motion is another one by {}",
                short(change, 2)
            );
            report.line(Mark::None, "accuracy", &words);
            report.meaning("Relative to the length of the model, a radian, and both per typical time.");
        }
        if let Some([value, frequency]) = self.hopf {
            let words = format!(
                "the curve begins at {} = {}, where small motions of {} Hz neither grow nor die away",
                self.parameter,
                short(value, 10),
                short(frequency, 8)
            );
            report.line(Mark::None, "Hopf point", &words);
        }
        self.say_branches(&mut report);
        self.say_singular(&mut report);
        report.list(Mark::Attention, "warnings", &self.warnings);
        report.close(&self.common)
    }
}

impl ResponseSummary {
    fn say_branches(&self, report: &mut Report) {
        let headings = [
            ("curve", Right),
            ("from", Left),
            ("motions", Right),
            ("stable", Right),
            (self.parameter.as_str(), Right),
            ("range", Right),
            ("periods", Right),
            ("ends", Left),
        ];
        let row = |b: &ResponseBranchSummary| {
            vec![
                b.number.to_string(),
                if b.origin.is_empty() { "start".into() } else { b.origin.clone() },
                b.points.to_string(),
                b.stable_points.to_string(),
                format!("{} … {}", short(b.ends[0], 5), short(b.ends[1], 5)),
                format!("{} … {}", short(b.range[0], 5), short(b.range[1], 5)),
                b.multiple.to_string(),
                b.ending.clone(),
            ]
        };
        let rows: Vec<Vec<String>> = self.branches.iter().map(row).collect();
        report.table("curves", &headings, &rows);
        report.meaning("Stable: no multiplier lies outside the unit circle by more than is left open of it.");
        if self.idle > 0 {
            let many = number_of(self.idle, "multiplier is", "multipliers are");
            let words =
                format!("{many} 1 at the start, of motions that nothing holds: left out of all counts");
            report.line(Mark::Attention, "free", &words);
        }
    }

    fn say_singular(&self, report: &mut Report) {
        if self.singular.is_empty() {
            report.line(Mark::None, "special", "no folds, period doublings, tori or branch points");
            return;
        }
        report.line(Mark::Attention, "special", &self.singular.len().to_string());
        let headings = [
            ("", Left),
            (self.parameter.as_str(), Right),
            ("curve", Right),
            ("period s", Right),
            ("Hz", Right),
            (self.measured.as_str(), Right),
        ];
        let row = |p: &SingularMotion| {
            vec![
                format!("{} {}", p.kind, p.number),
                short(p.parameter, 10),
                p.branch.to_string(),
                short(p.period, 8),
                if p.frequency_hz > 0.0 { short(p.frequency_hz, 6) } else { String::new() },
                p.value.map_or_else(String::new, |value| short(value, 6)),
            ]
        };
        let rows: Vec<Vec<String>> = self.singular.iter().take(POINTS).map(row).collect();
        report.table("", &headings, &rows);
        if self.singular.len() > POINTS {
            report.more(&format!("and {} more", self.singular.len() - POINTS));
        }
        report.meaning(
            "Fold: the parameter turns back, beyond it the motion jumps. Doubling: the motion begins to \
             repeat itself only after two periods. Torus: a second frequency comes in. Branch: curves cross.",
        );
    }
}
