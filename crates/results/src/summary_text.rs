//! The summary as a person reads it in a terminal at the end of a run.

use std::fmt::Write;

use crate::number::{count, duration, short, unit};
use crate::summary::{
    ConstraintAudit, EnergyAudit, Expectation, MomentumAudit, MomentumChange, Residual, RotationAudit,
    Status, Summary,
};

/// Width of the column of labels.
const LABEL: usize = 13;

/// Most lines of a list that are shown; the rest is counted.
const LIST: usize = 3;

/// Lines of `mark label text`, aligned.
#[derive(Default)]
struct Report(String);

/// The mark in front of a line.
#[derive(Clone, Copy)]
enum Mark {
    Holds,
    Fails,
    Attention,
    None,
}

impl Mark {
    fn of(holds: Option<bool>) -> Mark {
        match holds {
            Some(true) => Mark::Holds,
            Some(false) => Mark::Fails,
            None => Mark::None,
        }
    }
}

impl Report {
    fn line(&mut self, mark: Mark, label: &str, text: &str) {
        let mark = match mark {
            Mark::Holds => '✓',
            Mark::Fails => '✗',
            Mark::Attention => '!',
            Mark::None => ' ',
        };
        let line = format!("{mark} {label:LABEL$}{text}");
        self.0.push_str(line.trim_end());
        self.0.push('\n');
    }

    fn more(&mut self, text: &str) {
        self.line(Mark::None, "", text);
    }

    /// A list under one label, cut after a few entries.
    fn list(&mut self, mark: Mark, label: &str, entries: &[String]) {
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
}

impl Summary {
    /// The outcome and the audit for a terminal: aligned, with units, `✓` or
    /// `✗` in front of what was judged; some 25 lines at most.
    pub fn text(&self) -> String {
        let mut report = Report::default();
        self.say_what_ran(&mut report);
        self.say_outcome(&mut report);
        self.say_method(&mut report);
        self.say_system(&mut report);
        self.say_work(&mut report);
        self.say_start(&mut report);
        let audit = &self.audit;
        audit.energy.iter().for_each(|e| say_energy(e, &mut report));
        let momentum = audit.momentum.iter();
        momentum.for_each(|m| say_momentum(m, &mut report));
        let constraints = audit.constraints.iter();
        constraints.for_each(|c| say_constraints(c, &mut report));
        let rotation = audit.max_rotation_per_step.iter();
        rotation.for_each(|r| say_rotation(r, &mut report));
        report.list(Mark::Attention, "warnings", &audit.warnings);
        say_expectations(&self.expectations, &mut report);
        self.say_files(&mut report);
        report.0
    }

    /// True if the run completed and everything that was judged holds.
    pub fn holds(&self) -> bool {
        let audit = &self.audit;
        let momentum = audit.momentum.iter().flat_map(|m| [m.linear.holds(), m.angular.holds()]);
        let constraints = audit
            .constraints
            .iter()
            .flat_map(|c| [c.position.holds(), c.velocity.holds(), c.acceleration.holds()]);
        let judged = (audit.energy.iter().map(EnergyAudit::holds))
            .chain(momentum)
            .chain(constraints)
            .chain(audit.max_rotation_per_step.iter().map(RotationAudit::holds));
        self.outcome.status == Status::Completed
            && { judged }.all(|holds| holds != Some(false))
            && self.expectations.iter().all(|e| e.passed)
    }

    fn say_what_ran(&self, report: &mut Report) {
        let (model, program) = (&self.model, &self.program);
        let _ = writeln!(report.0, "{}  ({}, {} {})", model.name, model.file, program.name, program.version);
    }

    fn say_outcome(&self, report: &mut Report) {
        let (mark, label) = match self.outcome.status {
            Status::Completed => (Mark::Holds, "completed"),
            Status::Interrupted => (Mark::Attention, "interrupted"),
            Status::Failed => (Mark::Fails, "failed"),
        };
        let (study, work) = (&self.study, &self.statistics);
        let mut text = format!("t = {} … {} s", time(study.t_start), time(study.t_reached));
        if self.outcome.status != Status::Completed {
            let _ = write!(text, " of {} s", time(study.t_end));
        }
        let _ = write!(text, " in {}", duration(work.wall_time_s));
        if let Some(ratio) = work.simulated_per_wall {
            let _ = write!(text, " ({} × real time)", short(ratio, 3));
        }
        let _ = write!(text, ", set up in {}", duration(work.set_up_time_s));
        report.line(mark, label, &text);
        for words in [&self.outcome.message, &self.outcome.remedy] {
            if !words.is_empty() {
                report.more(words);
            }
        }
    }

    fn say_method(&self, report: &mut Report) {
        let method = &self.study.integrator;
        let mut text = method.name.clone();
        if !method.family.is_empty() && method.family != method.name {
            let _ = write!(text, ", {}", method.family);
        }
        if !method.roots.is_empty() {
            let roots: Vec<String> = method.roots.iter().map(|r| short(*r, 4)).collect();
            let _ = write!(text, ", roots {}", roots.join(" "));
        }
        if !method.form.is_empty() {
            let _ = write!(text, ", {}", method.form);
        }
        let _ = write!(text, ", step {}, tolerance {}", duration(method.step), short(method.tolerance, 3));
        report.line(Mark::None, "method", &text);
    }

    fn say_system(&self, report: &mut Report) {
        let c = &self.counts;
        let parts = [
            number_of(c.bodies, "body", "bodies"),
            number_of(c.joints, "joint", "joints"),
            number_of(c.forces, "force", "forces"),
            number_of(c.coordinates, "coordinate", "coordinates"),
            number_of(c.constraints, "constraint", "constraints"),
            number_of(c.degrees_of_freedom, "degree of freedom", "degrees of freedom"),
        ];
        report.line(Mark::None, "system", &parts.join(", "));
        if !c.redundant.is_empty() {
            let named = c.redundant.iter().take(LIST).map(String::as_str);
            let mut text = named.collect::<Vec<_>>().join(", ");
            if c.redundant.len() > LIST {
                let _ = write!(text, " and {} more", c.redundant.len() - LIST);
            }
            report.more(&format!("redundant: {text}"));
        }
    }

    fn say_work(&self, report: &mut Report) {
        let s = &self.statistics;
        let mean = s.newton_iterations as f64 / s.steps.max(1) as f64;
        report.line(
            Mark::None,
            "work",
            &format!(
                "{}, {} iterations each (at most {}), {}, {}",
                number_of(s.steps, "step", "steps"),
                short(mean, 3),
                s.max_newton_iterations,
                number_of(s.residual_evaluations, "residual", "residuals"),
                number_of(s.factorisations, "factorisation", "factorisations"),
            ),
        );
    }

    fn say_start(&self, report: &mut Report) {
        let Some(start) = &self.start else { return };
        report.line(
            Mark::None,
            "start",
            &format!(
                "positions corrected by {}, velocities by {}",
                short(start.position_correction, 3),
                short(start.velocity_correction, 3)
            ),
        );
        report.list(Mark::Attention, "", &start.messages);
    }

    fn say_files(&self, report: &mut Report) {
        if !self.files.is_empty() {
            let names = self.files.iter().map(|f| f.name.as_str());
            let text = names.take(2 * LIST).collect::<Vec<_>>().join(", ");
            let more = self.files.len().saturating_sub(2 * LIST);
            let rest = match more {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            report.line(Mark::None, "files", &(text + &rest));
        }
    }
}

/// Whether a value keeps its limit, `None` if it has none.
fn keeps(value: f64, limit: Option<f64>) -> Option<bool> {
    limit.map(|limit| value <= limit)
}

impl EnergyAudit {
    /// Whether the imbalance keeps its limit, `None` if it has none.
    pub fn holds(&self) -> Option<bool> {
        keeps(self.max_relative_imbalance, self.limit)
    }
}

impl MomentumChange {
    /// Whether the change keeps its limit, `None` if it has none.
    pub fn holds(&self) -> Option<bool> {
        keeps(self.max_change, self.limit)
    }
}

impl Residual {
    /// Whether the residual keeps its limit, `None` if it has none.
    pub fn holds(&self) -> Option<bool> {
        keeps(self.max, self.limit)
    }
}

impl RotationAudit {
    /// Whether the rotation keeps its limit, `None` if it has none.
    pub fn holds(&self) -> Option<bool> {
        keeps(self.angle, self.limit)
    }
}

fn say_energy(e: &EnergyAudit, report: &mut Report) {
    report.line(
        Mark::of(e.holds()),
        "energy",
        &format!(
            "imbalance at most {} of the energy in play, at t = {} s{}",
            short(e.max_relative_imbalance, 3),
            time(e.time_of_max),
            or_limit(e.limit)
        ),
    );
    report.more(&format!(
        "{} → {} J (kinetic {}, potential {}); supplied {} J, dissipated {} J",
        short(e.start, 5),
        short(e.end, 5),
        short(e.kinetic, 4),
        short(e.potential, 4),
        short(e.supplied_work, 4),
        short(e.dissipated_work, 4)
    ));
}

fn say_momentum(m: &MomentumAudit, report: &mut Report) {
    let kinds = [("momentum", "linear ", &m.linear, "kg·m/s"), ("", "angular", &m.angular, "kg·m²/s")];
    for (label, kind, change, unit) in kinds {
        let text = format!(
            "{kind}  changes by at most {} {unit}{}",
            short(change.max_change, 3),
            or_limit(change.limit)
        );
        report.line(Mark::of(change.holds()), label, &text);
    }
}

fn say_constraints(c: &ConstraintAudit, report: &mut Report) {
    let kinds = [
        ("constraints", "position    ", &c.position),
        ("", "velocity    ", &c.velocity),
        ("", "acceleration", &c.acceleration),
    ];
    let widest = kinds.iter().map(|(_, _, r)| r.joint.chars().count()).max();
    for (label, kind, residual) in kinds {
        let text = format!(
            "{kind}  {:>8}  {:width$}  t = {} s{}",
            short(residual.max, 3),
            residual.joint,
            time(residual.time),
            or_limit(residual.limit),
            width = widest.unwrap_or(0)
        );
        report.line(Mark::of(residual.holds()), label, &text);
    }
}

fn say_rotation(r: &RotationAudit, report: &mut Report) {
    report.line(
        Mark::of(r.holds()),
        "rotation",
        &format!(
            "at most {} rad in a step, {} at t = {} s{}",
            short(r.angle, 3),
            r.body,
            time(r.time),
            or_limit(r.limit)
        ),
    );
}

fn say_expectations(expectations: &[Expectation], report: &mut Report) {
    if expectations.is_empty() {
        return;
    }
    let failed: Vec<String> = (expectations.iter().filter(|e| !e.passed)).map(failed_expectation).collect();
    let held = expectations.len() - failed.len();
    report.line(
        Mark::of(Some(failed.is_empty())),
        "expected",
        &format!("{held} of {} expectations hold", expectations.len()),
    );
    report.list(Mark::Fails, "", &failed);
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
            "{} at {} s: not recorded, expected {} {unit}",
            e.signal,
            time(e.at),
            short(e.expected, 6)
        ),
    }
}

fn time(t: f64) -> String {
    short(t, 6)
}

fn or_limit(limit: Option<f64>) -> String {
    limit.map_or(String::new(), |l| format!("  (limit {})", short(l, 3)))
}

fn number_of(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}
