//! The lines that every summary has.

use super::{LIST, Mark, Report, number_of, some_of, time};
use crate::number::{short, unit};
use crate::summary::common::{Common, Expectation, Status};

impl Report {
    /// A report that begins with what ran and how it ended; `achieved` says
    /// what was reached.
    pub fn open(common: &Common, achieved: &str) -> Report {
        let mut report = Report::default();
        let (model, program) = (&common.model, &common.program);
        let study = common.study.as_ref().map_or(String::new(), |name| format!(": {name}"));
        report.title =
            format!("{}{study}  ({}, {} {})", model.name, model.file, program.name, program.version);
        let (mark, label) = match common.outcome.status {
            Status::Completed => (Mark::Holds, "completed"),
            Status::Interrupted => (Mark::Attention, "interrupted"),
            Status::Failed => (Mark::Fails, "failed"),
        };
        report.line(mark, label, achieved);
        for words in [&common.outcome.message, &common.outcome.remedy] {
            if !words.is_empty() {
                report.more(words);
            }
        }
        report
    }

    /// How large the system is, and how free.
    pub fn system(&mut self, common: &Common) {
        let c = &common.counts;
        let mut parts = vec![];
        // Equations alone have no mechanics to speak of.
        if c.coordinates > 0 || c.variables == 0 {
            // A model of beams or plates alone has no body to speak of.
            if c.bodies > 0 || c.beams + c.plates == 0 {
                parts.push(number_of(c.bodies, "body", "bodies"));
            }
            if c.beams > 0 {
                let nodes = number_of(c.beam_nodes, "node", "nodes");
                parts.push(format!("{} with {nodes}", number_of(c.beams, "beam", "beams")));
            }
            if c.plates > 0 {
                let nodes = number_of(c.plate_nodes, "node", "nodes");
                parts.push(format!("{} with {nodes}", number_of(c.plates, "plate", "plates")));
            }
            parts.extend([
                number_of(c.joints, "joint", "joints"),
                number_of(c.forces, "force", "forces"),
                number_of(c.coordinates, "coordinate", "coordinates"),
                number_of(c.constraints, "constraint", "constraints"),
                number_of(c.degrees_of_freedom, "degree of freedom", "degrees of freedom"),
            ]);
        }
        if c.variables > 0 {
            parts.push(number_of(c.variables, "variable", "variables"));
        }
        self.line(Mark::None, "system", &parts.join(", "));
        match &common.redundancy {
            Some(redundancy) => self.redundancy(redundancy),
            None if c.redundant.is_empty() => {}
            None => self.more(&format!("redundant: {}", some_of(&c.redundant, LIST))),
        }
    }

    /// The state it started from, and what was done to it.
    pub fn start(&mut self, common: &Common) {
        if let Some(initial) = &common.initial {
            self.line(Mark::None, "initial", &initial.from);
            initial.facts.iter().for_each(|fact| self.line(Mark::None, "", fact));
            initial.doubts.iter().for_each(|doubt| self.line(Mark::Attention, "", doubt));
        }
        let Some(start) = &common.start else { return };
        if common.counts.coordinates == 0 && common.counts.variables > 0 {
            self.list(Mark::Attention, "start", &start.messages);
            return;
        }
        self.line(
            Mark::None,
            "start",
            &format!(
                "positions corrected by {}, velocities by {}",
                short(start.position_correction, 3),
                short(start.velocity_correction, 3)
            ),
        );
        self.list(Mark::None, "", &start.asked);
        self.list(Mark::Attention, "", &start.messages);
    }

    /// The report, ended by the expectations and the files.
    pub fn close(mut self, common: &Common) -> Report {
        self.flexible(&common.flexible);
        self.expectations(&common.expectations);
        if !common.files.is_empty() {
            let names: Vec<&str> = common.files.iter().map(|f| f.name.as_str()).collect();
            self.line(Mark::None, "files", &some_of(&names, 2 * LIST));
        }
        self.admit_failures(common);
        self
    }

    /// What completed, but is wrong by its own audit, says so where it says that it completed.
    fn admit_failures(&mut self, common: &Common) {
        let [first, others @ ..] = self.lines.as_mut_slice() else { return };
        let wrong = others.iter().filter(|line| line.judgement == Mark::Fails);
        let wrong: Vec<&str> = wrong.map(|line| line.label.as_str()).collect();
        if common.outcome.status == Status::Completed && !wrong.is_empty() {
            first.but(&format!("not right: {}", wrong.join(", ")));
        }
    }

    fn expectations(&mut self, expectations: &[Expectation]) {
        if expectations.is_empty() {
            return;
        }
        let failed: Vec<String> =
            (expectations.iter().filter(|e| !e.passed)).map(failed_expectation).collect();
        let held = expectations.len() - failed.len();
        self.line(
            Mark::of(Some(failed.is_empty())),
            "expected",
            &format!("{held} of {} expectations hold", expectations.len()),
        );
        self.list(Mark::Fails, "", &failed);
    }
}

fn failed_expectation(e: &Expectation) -> String {
    let unit = unit(&e.unit);
    match (e.measured, e.error) {
        (Some(measured), Some(error)) => format!(
            "{} at {} s: {} {unit}, expected {} ± {}, off by {}",
            e.signal,
            time(e.at),
            short(measured, 6),
            short(e.expected, 6),
            short(e.tolerance, 2),
            short(error, 3)
        ),
        _ => format!(
            "{} at {} s: not recorded or without a value there, expected {} {unit}",
            e.signal,
            time(e.at),
            short(e.expected, 6)
        ),
    }
}
