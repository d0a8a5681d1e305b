//! The summary of a motion in words.

use super::summary::{
    ConstraintTreatment, EnergyAudit, LocalTolerance, MomentumAudit, MomentumChange, MotionSummary,
    RotationAudit, StepCheck, TimeErrorAudit,
};
use poinsot_results::number::{duration, short};
use poinsot_results::summary_text::{Mark, Report, number_of, or_limit, progress, time, times};
use poinsot_results::{Common, ConstraintAudit, StudySummary};
use std::fmt::Write;

impl StudySummary for MotionSummary {
    const ANALYSIS: &'static str = "motion";

    fn common(&self) -> &Common {
        &self.common
    }

    fn common_mut(&mut self) -> &mut Common {
        &mut self.common
    }

    fn warnings_mut(&mut self) -> &mut Vec<String> {
        &mut self.audit.warnings
    }

    fn tell(&self) -> Report {
        let (study, work) = (&self.study, &self.statistics);
        let mut took = duration(work.wall_time_s);
        if let Some(ratio) = work.simulated_per_wall {
            let _ = write!(took, " ({} × real time)", short(ratio, 3));
        }
        let reached = progress(&self.common, study.t_start, study.t_reached, study.t_end);
        let mut report = Report::open(&self.common, &times(&reached, &took, work.set_up_time_s));
        self.say_method(&mut report);
        report.system(&self.common);
        self.say_work(&mut report);
        self.say_events(&mut report);
        report.start(&self.common);
        self.say_audit(&mut report);
        report.close(&self.common)
    }

    fn judged(&self) -> Vec<Option<bool>> {
        let audit = &self.audit;
        let momentum = audit.momentum.iter().flat_map(|m| [m.linear.holds(), m.angular.holds()]);
        (audit.energy.iter().map(|e| e.judgement().verdict()))
            .chain(audit.step_check.iter().map(|check| check.judgement().verdict()))
            .chain(momentum)
            .chain(audit.constraints.iter().flat_map(ConstraintAudit::judged))
            .collect()
    }
}

impl MotionSummary {
    fn say_audit(&self, report: &mut Report) {
        let audit = &self.audit;
        audit.time_error.iter().for_each(|e| say_time_error(e, report));
        audit.step_check.iter().for_each(|c| say_step_check(c, report));
        audit.energy.iter().for_each(|e| say_energy(e, report));
        audit.momentum.iter().for_each(|m| say_momentum(m, report));
        audit.constraints.iter().for_each(|c| report.constraints(c));
        audit.nearest_singularity.iter().for_each(|s| report.singularity(s));
        audit.max_rotation_per_step.iter().for_each(|r| say_rotation(r, report));
        report.list(Mark::Attention, "warnings", &audit.warnings);
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
        if let Some(stages) = method.stages {
            let _ = write!(text, ", {}, order {}", number_of(stages, "stage", "stages"), method.order);
        }
        if !method.form.is_empty() {
            let _ = write!(text, ", {}", method.form);
        }
        if let Some(treatment) = &method.treatment {
            let _ = write!(text, ", {}", in_words(treatment));
        }
        match &method.local_tolerance {
            Some(LocalTolerance { relative, absolute }) => {
                let _ = write!(text, ", adaptive, tolerance {}", short(*relative, 3));
                if absolute != relative {
                    let _ = write!(text, " (absolute {})", short(*absolute, 3));
                }
            }
            None => {
                let _ = write!(text, ", step {}", duration(method.step));
                if method.tolerance > 0.0 {
                    let _ = write!(text, ", tolerance {}", short(method.tolerance, 3));
                }
            }
        }
        report.line(Mark::None, "method", &text);
        if let Some(chosen) = &method.chosen {
            report.line(Mark::None, "", &format!("chosen {chosen}"));
        }
    }

    /// `202 steps from 1.2e-6 to 3e-4 s, 2 rejected` and what they took.
    fn say_work(&self, report: &mut Report) {
        let s = &self.statistics;
        let mut steps = number_of(s.steps, "step", "steps");
        if let (Some(_), Some(shortest), Some(longest)) =
            (&self.study.integrator.local_tolerance, &s.shortest_step, &s.longest_step)
        {
            let _ = write!(steps, " from {} to {} s", short(shortest.length, 2), short(longest.length, 2));
            let _ = write!(steps, ", {} rejected", s.rejected_steps);
            if s.unsolved_steps > 0 {
                let _ = write!(steps, ", {} unsolved", s.unsolved_steps);
            }
        }
        let mut cost = vec![];
        if s.located_kinks > 0 {
            let kinks = number_of(s.located_kinks, "kink of a law", "kinks of laws");
            cost.push(format!("{kinks} met ({} tried again)", number_of(s.retried_steps, "step", "steps")));
        }
        if let Some(held) = s.held_step {
            cost.push(format!("held to {} s and more by laws of time", short(held, 2)));
        }
        if s.newton_iterations > 0 {
            let mean = s.newton_iterations as f64 / s.steps.max(1) as f64;
            cost.push(format!("{} iterations each (at most {})", short(mean, 3), s.max_newton_iterations));
        }
        cost.push(number_of(s.residual_evaluations, "residual", "residuals"));
        if s.jacobians > 0 {
            cost.push(number_of(s.jacobians, "Jacobian", "Jacobians"));
        }
        cost.push(number_of(s.factorisations, "factorisation", "factorisations"));
        let cost = cost.join(", ");
        if self.study.integrator.local_tolerance.is_some() {
            report.line(Mark::None, "work", &steps);
            report.more(&cost);
        } else {
            report.line(Mark::None, "work", &format!("{steps}, {cost}"));
        }
    }

    /// Each event with its number and the first and last time.
    fn say_events(&self, report: &mut Report) {
        let mut lines: Vec<String> = vec![];
        let mut seen: Vec<&str> = vec![];
        for event in &self.events {
            if seen.contains(&event.name.as_str()) {
                continue;
            }
            seen.push(&event.name);
            let times: Vec<f64> =
                self.events.iter().filter(|e| e.name == event.name).map(|e| e.time).collect();
            let last = times[times.len() - 1];
            lines.push(match times.len() {
                1 => format!("{} at t = {} s", event.name, time(last)),
                n => format!("{} {n} times, t = {} … {} s", event.name, time(times[0]), time(last)),
            });
        }
        report.list(Mark::None, "events", &lines);
    }
}

/// `directors, 21 unknowns, explicit null space`.
fn in_words(treatment: &ConstraintTreatment) -> String {
    let null_space = treatment.null_space.iter().map(|way| format!("{way} null space"));
    let penalty = treatment.penalty.iter().map(|mu| format!("penalty {}", short(*mu, 3)));
    let points = treatment.points.iter().map(|n| number_of(*n, "point", "points"));
    let dissipation = Some(treatment.dissipation).filter(|chi| *chi > 0.0);
    let mut words = vec![format!("coordinates {}", treatment.coordinates)];
    words.extend(treatment.unknowns.iter().map(|n| number_of(*n, "unknown", "unknowns")));
    words.extend(null_space.chain(penalty).chain(points));
    words.extend(dissipation.iter().map(|chi| format!("dissipation {}", short(*chi, 3))));
    words.join(", ")
}

/// Whether a value keeps its limit, `None` if it has none.
fn keeps(value: f64, limit: Option<f64>) -> Option<bool> {
    limit.map(|limit| value <= limit)
}

/// Imbalance that is wrong where the error of the steps does not explain it: so much, and so many times what
/// it explains.
const UNEXPLAINED: (f64, f64) = (1e-2, 10.0);

impl EnergyAudit {
    /// An imbalance above the limit needs attention where the error of the steps explains it, or may; else it
    /// is wrong.
    pub fn judgement(&self) -> Mark {
        let (least, times) = UNEXPLAINED;
        let most = self.explained.map_or(10.0 * least, |explained| (times * explained).max(least));
        match self.limit {
            None => Mark::None,
            Some(limit) if self.max_relative_imbalance <= limit => Mark::Holds,
            Some(_) if self.max_relative_imbalance <= most => Mark::Attention,
            Some(_) => Mark::Fails,
        }
    }
}

impl TimeErrorAudit {
    /// An error that is large or not known needs attention.
    pub fn judgement(&self) -> Mark {
        match (self.relative, self.limit) {
            (_, None) => Mark::None,
            (Some(relative), Some(limit)) if relative <= limit => Mark::Holds,
            _ => Mark::Attention,
        }
    }
}

impl StepCheck {
    /// An error that is large or not known needs attention; one as large as the motion is wrong.
    pub fn judgement(&self) -> Mark {
        match (self.error, self.limit) {
            (_, None) => Mark::None,
            (Some(error), Some(limit)) if error <= limit => Mark::Holds,
            (Some(error), Some(_)) if error >= 1.0 => Mark::Fails,
            _ => Mark::Attention,
        }
    }
}

impl MomentumChange {
    /// Whether the change keeps its limit, `None` if it has none.
    pub fn holds(&self) -> Option<bool> {
        keeps(self.max_change, self.limit)
    }
}

impl RotationAudit {
    /// A rotation above the limit needs attention.
    pub fn judgement(&self) -> Mark {
        match keeps(self.angle, self.limit) {
            Some(true) => Mark::Holds,
            Some(false) => Mark::Attention,
            None => Mark::None,
        }
    }
}

fn say_time_error(e: &TimeErrorAudit, report: &mut Report) {
    let steps = number_of(e.retaken_steps, "step", "steps");
    let text = match e.relative {
        Some(relative) if relative >= 1.0 => {
            format!(
                "as large as the motion, {}: the steps are too long for it  ({steps} taken again)",
                e.quantity
            )
        }
        Some(relative) if e.quantity.is_empty() => {
            format!("about {} of the motion, {steps} taken again{}", short(relative, 2), or_limit(e.limit))
        }
        Some(relative) => format!(
            "about {} of the motion, {}, {steps} taken again{}",
            short(relative, 2),
            e.quantity,
            or_limit(e.limit)
        ),
        None if e.retaken_steps == 0 => "not known".into(),
        None => "not known: steps could not be taken again by another method".into(),
    };
    report.line(e.judgement(), "time error", &text);
    report.meaning(
        "How far the steps lead away from the exact motion, relative to its own size. Some steps are taken again by another method; their errors are summed over the run.",
    );
}

fn say_step_check(c: &StepCheck, report: &mut Report) {
    let StepCheck { changed, quantity, rows, .. } = c;
    let (Some(difference), Some(error)) = (c.difference, c.error) else {
        report.line(c.judgement(), "step check", &format!("not known: the run with {changed} failed"));
        return report.more(&c.reason);
    };
    let of = if quantity.is_empty() { String::new() } else { format!(", {quantity}") };
    let text = format!("error about {} of the motion{of}{}", short(error, 2), or_limit(c.limit));
    report.line(c.judgement(), "step check", &text);
    let rows = number_of(*rows, "row", "rows");
    report.more(&format!("{changed} changes it by at most {} in {rows}", short(difference, 2)));
}

fn say_energy(e: &EnergyAudit, report: &mut Report) {
    report.line(
        e.judgement(),
        "energy",
        &format!(
            "imbalance at most {} of the energy in play, at t = {} s{}",
            short(e.max_relative_imbalance, 3),
            time(e.time_of_max),
            or_limit(e.limit)
        ),
    );
    report.at(e.time_of_max);
    report.meaning(
        "The energy of the system against the work that loads and drives put in and dampers take out. What is left over was made by the time steps.",
    );
    match (e.judgement(), e.explained) {
        (Mark::Fails, Some(explained)) => report.more(&format!(
            "the error of the steps explains {} of it: look at what does work in the model",
            short(explained / e.max_relative_imbalance, 1)
        )),
        (Mark::Attention, Some(_)) => report.more("the error of the steps explains it: take shorter ones"),
        _ => {}
    }
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
    report.meaning(
        "Linear and angular momentum of everything together. Without forces from outside they may not change.",
    );
}

fn say_rotation(r: &RotationAudit, report: &mut Report) {
    report.line(
        r.judgement(),
        "rotation",
        &format!(
            "at most {} rad in a step, {} at t = {} s{}",
            short(r.angle, 3),
            r.body,
            time(r.time),
            or_limit(r.limit)
        ),
    );
    report.at(r.time);
    report
        .meaning("The largest turn of a body in one step. Steps with more than a few degrees lose accuracy.");
}
