//! The summary of paths of equilibria in words.

use super::summary::{BranchSummary, PathSummary, SingularEntry};
use poinsot_results::number::{duration, short, unit};
use poinsot_results::summary_text::{
    Mark, Report,
    Side::{Left, Right},
    number_of, time, times,
};
use poinsot_results::{Common, StudySummary};

/// Most singular points in a table.
const POINTS: usize = 20;
/// Most branches in the table.
const BRANCHES: usize = 12;
/// Most signals in a line of a table.
const SIGNALS: usize = 3;

impl StudySummary for PathSummary {
    const ANALYSIS: &'static str = "path";

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
        let points = self.branches.iter().map(|b| b.points).sum();
        let (from, to) = (short(self.from, 6), short(self.to, 6));
        let found = number_of(points, "equilibrium", "equilibria");
        let reached =
            format!("{found} along {} = {from} … {to} at t = {} s", self.parameter, time(self.time));
        let took = duration(self.wall_time_s);
        let mut report = Report::open(&self.common, &times(&reached, &took, self.set_up_time_s));
        let corrections = number_of(self.iterations, "correction", "corrections");
        let rejected = number_of(self.rejected_steps, "step", "steps");
        report.line(Mark::None, "method", &format!("arc length, {corrections}, {rejected} shortened"));
        report.system(&self.common);
        report.start(&self.common);
        self.say_branches(&mut report);
        self.say_points("limit points", &self.limit_points, &mut report);
        report.meaning(
            "Where the parameter turns back: beyond, the state jumps to another one if the load is held.",
        );
        self.say_points("bifurcations", &self.bifurcations, &mut report);
        report.meaning("Where paths of equilibria cross: the state may leave to one side or the other.");
        if !self.hopf_points.is_empty() {
            self.say_points("Hopf points", &self.hopf_points, &mut report);
            report.meaning(
                "Where small motions of a frequency begin to grow: periodic motions begin there, as a response curve with begin = \"hopf\" follows them.",
            );
        }
        report.list(Mark::Attention, "warnings", &self.warnings);
        report.close(&self.common)
    }
}

impl PathSummary {
    fn say_branches(&self, report: &mut Report) {
        let headings = [
            ("branch", Right),
            ("from", Left),
            ("points", Right),
            ("stable", Right),
            (self.parameter.as_str(), Right),
            ("range", Right),
            ("ends", Left),
        ];
        let row = |b: &BranchSummary| {
            vec![
                b.number.to_string(),
                b.bifurcation.map_or("start".into(), |k| format!("bifurcation {k}")),
                b.points.to_string(),
                b.stable_points.to_string(),
                format!("{} … {}", short(b.ends[0], 5), short(b.ends[1], 5)),
                format!("{} … {}", short(b.range[0], 5), short(b.range[1], 5)),
                b.ending.clone(),
            ]
        };
        let rows: Vec<Vec<String>> = self.branches.iter().take(BRANCHES).map(row).collect();
        report.table("branches", &headings, &rows);
        if self.branches.len() > BRANCHES {
            report.more(&format!("and {} more", self.branches.len() - BRANCHES));
        }
    }

    fn say_points(&self, label: &str, points: &[SingularEntry], report: &mut Report) {
        if points.is_empty() {
            report.line(Mark::None, label, "none");
            return;
        }
        report.line(Mark::Attention, label, &points.len().to_string());
        let signals = points[0].signals.iter().take(SIGNALS);
        let named: Vec<String> = signals
            .map(|s| match s.unit.as_str() {
                "" => s.name.clone(),
                plain => format!("{} {}", s.name, unit(plain)),
            })
            .collect();
        let mut headings = vec![("", Right), (self.parameter.as_str(), Right), ("branch", Right)];
        headings.extend(named.iter().map(|name| (name.as_str(), Right)));
        headings.push(("", Left));
        let row = |p: &SingularEntry| {
            let mut row = vec![p.number.to_string(), short(p.parameter, 10), p.branch.to_string()];
            row.extend(p.signals.iter().take(SIGNALS).map(|s| short(s.value, 6)));
            row.push(match p.frequency_hz {
                Some(frequency) => format!("{} Hz", short(frequency, 8)),
                None if p.multiplicity > 1 => format!("{}-fold", p.multiplicity),
                None => String::new(),
            });
            row
        };
        let rows: Vec<Vec<String>> = points.iter().take(POINTS).map(row).collect();
        report.table("", &headings, &rows);
        if points.len() > POINTS {
            report.more(&format!("and {} more", points.len() - POINTS));
        }
        report.at(points[0].parameter);
    }
}
