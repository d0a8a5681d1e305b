//! The summary of a linearisation in words.

use super::summary::LinearizeSummary;
use poinsot_results::number::duration;
use poinsot_results::summary_text::{LIST, Mark, Report, complex, number_of, some_of, time, times};
use poinsot_results::{Common, StudySummary};
impl StudySummary for LinearizeSummary {
    const ANALYSIS: &'static str = "linearize";

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
        let reached = format!("linear about the {} at t = {} s", self.about, time(self.time));
        let took = duration(self.wall_time_s);
        let mut report = Report::open(&self.common, &times(&reached, &took, self.set_up_time_s));
        report.system(&self.common);
        report.start(&self.common);
        if !self.observer.is_empty() {
            report.line(Mark::None, "seen from", &self.observer);
        }
        self.say_names(&mut report);
        self.say_matrices(&mut report);
        self.say_poles(&mut report);
        report.stability(self.stability.as_ref());
        report.list(Mark::Attention, "warnings", &self.warnings);
        report.close(&self.common)
    }
}

impl LinearizeSummary {
    fn say_names(&self, report: &mut Report) {
        let lists = [("states", &self.states), ("inputs", &self.inputs), ("outputs", &self.outputs)];
        for (label, names) in lists {
            let text = match names.len() {
                0 => "none".to_owned(),
                n => format!("{n}: {}", some_of(names, LIST)),
            };
            report.line(Mark::None, label, &text);
        }
    }

    fn say_matrices(&self, report: &mut Report) {
        if !self.matrices.is_empty() {
            let shapes: Vec<String> =
                self.matrices.iter().map(|m| format!("{} {}×{}", m.name, m.rows, m.columns)).collect();
            report.line(Mark::None, "matrices", &some_of(&shapes, 3 * LIST));
        }
    }

    fn say_poles(&self, report: &mut Report) {
        if self.poles.is_empty() {
            return;
        }
        let poles: Vec<String> = self.poles.iter().map(|p| complex(*p, 4)).collect();
        let number = number_of(poles.len() as u64, "pole", "poles");
        report.line(Mark::None, "poles", &format!("{number}, in 1/s"));
        for line in poles.chunks(LIST).take(LIST) {
            report.more(&line.join(",  "));
        }
        if poles.len() > LIST * LIST {
            report.more(&format!("and {} more", poles.len() - LIST * LIST));
        }
    }
}
