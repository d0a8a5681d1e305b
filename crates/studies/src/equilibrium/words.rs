//! The summary of an equilibrium in words.

use super::summary::{BodyPlacement, EquilibriumSummary, OutOfBalance, VariableValue};
use poinsot_results::number::{duration, short, unit};
use poinsot_results::summary_text::{
    LIST, Mark, Report, Side,
    Side::{Left, Right},
    complex, number_of, or_limit, some_of, time, times,
};
use poinsot_results::{Common, Residual, Status, StudySummary};

/// Lengths and angles, in m and rad, that are no displacement.
const STILL: f64 = 1e-9;

/// Most bodies and beams in the list of displacements.
const MOVED: usize = 6;

/// Most bodies in the table.
const BODIES: usize = 12;

impl OutOfBalance {
    /// Whether the force keeps its limit, `None` if it has none.
    pub fn holds(&self) -> Option<bool> {
        self.limit.map(|limit| self.max <= limit)
    }
}

impl StudySummary for EquilibriumSummary {
    const ANALYSIS: &'static str = "equilibrium";

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
        let found = match self.common.outcome.status {
            Status::Completed => "equilibrium",
            _ => "no equilibrium",
        };
        let reached = format!("{found} at t = {} s", time(self.time));
        let took = duration(self.wall_time_s);
        let mut report = Report::open(&self.common, &times(&reached, &took, self.set_up_time_s));
        let steps = match self.load_steps {
            0 => String::new(),
            n => format!(" in {}", number_of(n, "load step", "load steps")),
        };
        let iterations = number_of(self.iterations, "iteration", "iterations");
        report.line(Mark::None, "method", &format!("{}, {iterations}{steps}", self.method.words()));
        report.system(&self.common);
        report.start(&self.common);
        if !self.nearest.is_empty() {
            report.line(Mark::None, "nearest", &self.nearest);
        }
        self.out_of_balance.iter().for_each(|force| say_force(force, &mut report));
        self.constraint_residual.iter().for_each(|r| say_residual(r, &mut report));
        report.stability(self.stability.as_ref());
        self.say_eigenvalues(&mut report);
        if !self.held.is_empty() {
            let names = some_of(&self.held, 2 * LIST);
            report.line(
                Mark::Attention,
                "held",
                &format!("{names}: free in these equations, kept near the start"),
            );
            report.meaning("Variables that the equations leave free, which keep their value of the start.");
        }
        self.say_moved(&mut report);
        say_bodies(&self.bodies, &mut report);
        say_variables(&self.variables, &mut report);
        report.list(Mark::Attention, "warnings", &self.warnings);
        report.close(&self.common)
    }

    fn judged(&self) -> Vec<Option<bool>> {
        let force = self.out_of_balance.iter().map(OutOfBalance::holds);
        force.chain(self.constraint_residual.iter().map(Residual::holds)).collect()
    }
}

impl EquilibriumSummary {
    /// What moved from the start, the farthest first; of a beam the node that moved most stands for all.
    fn moved(&self) -> Vec<&BodyPlacement> {
        let beam = |node: &BodyPlacement| node.name.rsplit_once('.').map(|(beam, _)| beam.to_owned());
        let beams = self.beam_nodes.chunk_by(|a, b| beam(a) == beam(b));
        let farthest = beams.filter_map(|nodes| nodes.iter().max_by(|a, b| a.way().total_cmp(&b.way())));
        let mut moved: Vec<&BodyPlacement> =
            self.bodies.iter().chain(farthest).filter(|b| b.way() > STILL || b.turned > STILL).collect();
        moved.sort_by(|a, b| b.way().total_cmp(&a.way()));
        moved
    }

    /// What moved most from the start, and how far.
    fn say_moved(&self, report: &mut Report) {
        let moved = self.moved();
        let Some(farthest) = moved.first() else {
            if !self.bodies.is_empty() || !self.beam_nodes.is_empty() {
                report.line(Mark::None, "moved", "nothing: the start is the equilibrium");
            }
            return;
        };
        let all = self.bodies.iter().chain(&self.beam_nodes);
        let turned = all.max_by(|a, b| a.turned.total_cmp(&b.turned)).filter(|b| b.turned > STILL);
        let way = Some(farthest).filter(|b| b.way() > STILL);
        let way = way.map(|b| format!("{} by {} m", b.name, short(b.way(), 4)));
        let turned = turned.map(|b| format!("{} turned by {} rad", b.name, short(b.turned, 4)));
        let words: Vec<String> = way.into_iter().chain(turned).collect();
        report.line(Mark::None, "moved", &format!("from the start: most {}", words.join(", ")));
        let numbers = ["by m", "x m", "y m", "z m", "turned rad"].map(|name| (name, Right));
        let headings: Vec<(&str, Side)> = std::iter::once(("", Left)).chain(numbers).collect();
        let row = |b: &&BodyPlacement| {
            let numbers = std::iter::once(b.way()).chain(b.displacement).chain([b.turned]);
            std::iter::once(b.name.clone()).chain(numbers.map(|v| short(v, 4))).collect::<Vec<_>>()
        };
        let rows: Vec<Vec<String>> = moved.iter().take(MOVED).map(row).collect();
        report.table("", &headings, &rows);
        if moved.len() > MOVED {
            report.more(&format!("and {} more", moved.len() - MOVED));
        }
    }

    fn say_eigenvalues(&self, report: &mut Report) {
        if !self.eigenvalues.is_empty() {
            let lowest = self.eigenvalues.iter().take(2 * LIST).map(|e| complex(*e, 4));
            report.more(&format!("lowest eigenvalues {} 1/s", lowest.collect::<Vec<_>>().join(",  ")));
        }
    }
}

fn say_force(force: &OutOfBalance, report: &mut Report) {
    let size = format!("{} {}", short(force.max, 3), unit(&force.unit));
    let text =
        format!("at most {} out of balance, {}{}", size.trim_end(), force.equation, or_limit(force.limit));
    report.line(Mark::of(force.holds()), "balance", &text);
    report.meaning("The largest force that nothing balances, relative to the largest force there is.");
}

fn say_residual(r: &Residual, report: &mut Report) {
    let text = format!("open by at most {}, {}{}", short(r.max, 3), r.joint, or_limit(r.limit));
    report.line(Mark::of(r.holds()), "constraints", &text);
}

fn say_bodies(bodies: &[BodyPlacement], report: &mut Report) {
    if bodies.is_empty() {
        return;
    }
    let headings = [
        ("body", Left),
        ("x m", Right),
        ("y m", Right),
        ("z m", Right),
        ("rx rad", Right),
        ("ry rad", Right),
        ("rz rad", Right),
    ];
    let row = |b: &BodyPlacement| {
        let numbers = b.position.iter().chain(&b.rotation_vector).map(|v| short(*v, 5));
        std::iter::once(b.name.clone()).chain(numbers).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<String>> = bodies.iter().take(BODIES).map(row).collect();
    report.table("bodies", &headings, &rows);
    if bodies.len() > BODIES {
        report.more(&format!("and {} more", bodies.len() - BODIES));
    }
}

/// Most variables in the table.
const VARIABLES: usize = 40;

fn say_variables(variables: &[VariableValue], report: &mut Report) {
    if variables.is_empty() {
        return;
    }
    let row = |v: &VariableValue| vec![v.name.clone(), short(v.value, 9), unit(&v.unit)];
    let rows: Vec<Vec<String>> = variables.iter().take(VARIABLES).map(row).collect();
    report.table("variables", &[("variable", Left), ("value", Right), ("", Left)], &rows);
    if variables.len() > VARIABLES {
        report.more(&format!("and {} more", variables.len() - VARIABLES));
    }
}
