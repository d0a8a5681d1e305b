//! Every integrator and form with every kind of model, against tight Radau: it keeps its
//! order, or it is refused.
//!
//! The outcome is `docs/integrators-and-models.md`. `POINSOT_WRITE=1` rewrites it.

use super::model;
use poinsot_analysis::{Ending, Halt, Observer, Pace, Sample, consistent_start, run_with_events};
use poinsot_integrators::{DRIFTED, ImplicitSettings, Method, StepFailure, Tolerance, integrators};
use poinsot_mechanics::System;
use poinsot_model::{Diagnostic, LoadError, Model, Probe, View, build};
use poinsot_studies::motion::{ModelEvents, motion_study, refusal};
use poinsot_studies::{LiveModel, load_str};
use std::cell::RefCell;
use std::fmt::Write;
use std::path::Path;
use std::rc::Rc;
use std::sync::Mutex;

/// File and what it is a kind of.
const KINDS: [(&str, &str); 51] = [
    ("spatial_loop", "closed loop in space"),
    ("planar_loop", "closed loop in a plane"),
    ("points_on_rods", "point masses on rods"),
    ("unconnected_mechanisms", "mechanisms without connection"),
    ("gears_and_screw", "gear, screw, wire, constant-velocity joint"),
    ("own_constraints", "a user's constraints"),
    ("drive_by_position", "drive by position"),
    ("drive_by_rate", "drive by rate"),
    ("drive_that_follows_a_variable", "drive and constraint that follow a variable"),
    ("drive_with_a_kink", "drive with a kink"),
    ("rolling_ball", "rolling ball"),
    ("rolling_disk", "rolling disk"),
    ("two_wheels", "rolling wheels on an axle"),
    ("knife_edge", "knife edge"),
    ("redundant_joints", "redundant joints"),
    ("six_bar_linkage", "redundant joints that change"),
    ("friction_on_redundant_joints", "redundant joints with friction"),
    ("sliding_friction", "friction"),
    ("stick_and_slip", "friction that sticks"),
    ("stop", "joint with a stop"),
    ("bushing", "bushing and rotor"),
    ("gyrostat", "gyrostat"),
    ("laws_of_stops", "joint with a stop that is a law"),
    ("laws_of_the_state", "laws that read the state"),
    ("driven_point", "drive of a point that reads positions"),
    ("turning_frame", "turning frame"),
    ("bounce", "event with a bounce"),
    ("director_beam", "beam of directors"),
    ("motion_beam", "beam of rotations"),
    ("planar_beam", "beam in a plane"),
    ("line_in_a_plane", "line by places and slopes in a plane"),
    ("line_in_space", "line by places and slopes in space"),
    ("sliding_along_a_line", "joints that slide along lines"),
    ("law_along_a_beam", "load along a beam that reads the state"),
    ("moment_along_a_beam", "moment along a beam, and a force, that read sections"),
    ("beam_in_a_turning_frame", "beam in a turning frame"),
    ("flexible_body", "flexible body"),
    ("flexible_in_a_plane", "flexible body in a plane, laws that read shapes"),
    ("stiffened_body_in_a_turning_frame", "flexible body with stiffness of stress in a turning frame"),
    ("mixed_chain", "rigid and flexible bodies, beam and line in one chain, held between nodes"),
    ("motor_equations", "`[[equations]]` beside mechanics"),
    ("laws_of_variables", "loads along beams, stops and brakes that read variables"),
    ("equations_alone", "`[[equations]]` alone"),
    ("equations_with_kinks", "`[[equations]]` with kinks"),
    ("diode", "network with a diode"),
    ("equations_of_index_two", "`[[equations]]` of index 2 alone"),
    ("flywheel_of_index_two", "`[[equations]]` of index 2 beside mechanics"),
    ("energy_model", "`[[lagrangian]]` beside mechanics"),
    ("energy_model_with_a_rod", "`[[lagrangian]]` with a constraint, stabilised"),
    ("energy_model_of_index_two", "the same at velocity level, index 2"),
    ("energy_model_of_index_three", "the same at position level, index 3"),
];

/// Kinds with kinks at times that nobody knows beforehand: fixed steps go over them.
const KINKED: [&str; 4] = ["stop", "laws_of_stops", "equations_with_kinks", "diode"];

/// Columns of the table: title and integrators.
const COLUMNS: [(&str, &[&str]); 10] = [
    ("implicit GS4", &["generalized-alpha", "hht", "wbz", "newmark", "midpoint", "midpoint-epa", "optimal"]),
    ("`central-difference`", &["central-difference"]),
    ("`energy-momentum`, `averaged-gradient`", &["energy-momentum", "averaged-gradient"]),
    ("`variational-midpoint`", &["variational-midpoint"]),
    ("`galerkin`", &["galerkin"]),
    ("`radau`", &["radau"]),
    ("`dg`", &["dg"]),
    ("`gauss`, `lobatto`", &["gauss", "lobatto"]),
    ("`bdf`", &["bdf"]),
    (
        "explicit Runge–Kutta",
        &["runge-kutta-4", "dormand-prince", "cash-karp", "heun", "explicit-midpoint", "euler"],
    ),
];

/// Error below which Newton's tolerance and rounding rule.
const FLOOR: f64 = 3e-8;

/// By how much the order that is measured between two steps may fall short.
const SHORT: f64 = 0.8;

/// What became of a cell.
#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    Works,
    Refused(String),
    Wrong(String),
}

/// Values of the signals at the end.
pub struct Last {
    pub live: Rc<RefCell<LiveModel>>,
    pub values: Vec<f64>,
}

impl Observer for Last {
    fn sample(&mut self, system: &System, sample: &Sample) -> Result<(), Halt> {
        let live = self.live.borrow();
        let view = View {
            model: &live.model,
            assembly: &live.assembly,
            system,
            at: sample.at,
            balance: sample.balance,
            results: None,
        };
        self.values = Probe::default().signals(&view);
        Ok(())
    }

    fn keep_going(&mut self, _t: f64) -> bool {
        true
    }
}

/// The model, or the first error.
pub fn loaded(text: &str) -> Result<Model, Diagnostic> {
    let first = |error: LoadError| error.diagnostics().iter().find(|d| d.is_error()).cloned();
    load_str("model.toml", text, &[]).map(|(model, _)| model).map_err(|error| first(error).unwrap())
}

/// The signals at the end, or why there are none.
fn end_of(model: Model, tight: bool) -> Result<Vec<f64>, String> {
    let (mut system, assembly) = build(&model).map_err(|d| d.message)?;
    let (state, _) = consistent_start(&mut system, 0.0).map_err(|e| e.to_string())?;
    let mut study = motion_study(&model, &system, &assembly).ok_or("no study")?;
    if tight {
        let tolerance = Tolerance::both(1e-12);
        study.method = Method::Implicit(ImplicitSettings { stages: 5, tolerance, ..Default::default() });
        study.pace = Pace::Adaptive { tolerance, first: None, longest: None, every: Some(2.0 * study.end) };
    }
    let live = Rc::new(RefCell::new(LiveModel::new(model, assembly)));
    let mut last = Last { live: live.clone(), values: vec![] };
    let mut events = ModelEvents::new(live);
    let report = run_with_events(&mut system, state, &study, &mut last, &mut events);
    let failed = |failure: StepFailure| match failure.reason {
        DRIFTED => DRIFTED.into(),
        _ => failure.to_string(),
    };
    match report.map_err(failed)?.ending {
        Ending::Completed => Ok(last.values),
        Ending::Failed(failure) => Err(failed(failure)),
        other => Err(format!("{other:?}")),
    }
}

/// The model with an integrator and a step that is `refinement` times shorter than its own.
fn with(text: &str, integrator: &str, form: &str, refinement: f64) -> Result<Model, Diagnostic> {
    let study = format!("output_step = 10\nintegrator = \"{integrator}\"\nform = \"{form}\"\n");
    let mut model = loaded(&format!("{text}{study}"))?;
    model.change_motion(|study| {
        let step = study.step().unwrap() / refinement;
        study.pace = poinsot_model::spec::PaceSpec::Fixed { step };
        if study.integrator.has_tolerance() {
            study.tolerance = Some(Tolerance::both(1e-11));
        }
    });
    Ok(model)
}

fn distance(values: &[f64], exact: &[f64]) -> f64 {
    let error = |(value, exact): (&f64, &f64)| (value - exact).abs() / exact.abs().max(0.1);
    values.iter().zip(exact).map(error).fold(0.0, f64::max)
}

/// The order to be expected of positions.
fn order(model: &Model, system: &System, form: &'static str) -> f64 {
    let study = model.motion().unwrap();
    let indices = system.networks().iter().flat_map(|n| (0..n.law.variables.len()).map(|j| n.index(j)));
    // Stages of Gauss methods are not at the ends of steps, and order s is left of 2s for an even s; Lobatto
    // methods lose the same on index 3 (E. Hairer, C. Lubich, M. Roche, 1989).
    let loses = match study.integrator.name {
        "gauss" => 2,
        "lobatto" => 3,
        _ => usize::MAX,
    };
    if indices.max().unwrap_or(0) >= loses {
        return (study.integrator.order() / 2) as f64;
    }
    let rings = study.integrator.method.gs4().is_some_and(|settings| settings.compatibility().is_some());
    match (study.integrator.order(), form) {
        // The audit warns of members that have the root −1 at position level.
        (order, "position") if rings => (order - 1) as f64,
        // A penalty lets the joints swing about where they should be.
        (order, "penalty") => (order - 1) as f64,
        (order, _) => order as f64,
    }
}

/// A diagnostic that says where, why and what to do.
fn refused(diagnostic: &Diagnostic) -> Outcome {
    let help = diagnostic.help.as_ref().unwrap_or_else(|| panic!("no cure: {diagnostic:?}"));
    assert!(diagnostic.primary.is_some(), "no place: {diagnostic:?}");
    // What stands before the colon is the name of the integrator.
    let reason =
        diagnostic.message.split_once(": ").map_or(diagnostic.message.as_str(), |(_, reason)| reason);
    // Integrators of one kind share their reasons.
    let named = integrators().iter().fold(reason.to_string(), |text, entry| {
        text.replace(&format!("the integrator {:?}", entry.name()), "the integrator")
    });
    Outcome::Refused(format!("{named}; {help}"))
}

fn cell(kind: &str, text: &str, exact: &[f64], integrator: &str, form: &'static str) -> Outcome {
    let at = |refinement: f64| with(text, integrator, form, refinement);
    let model = match at(1.0) {
        Ok(model) => model,
        Err(diagnostic) => return refused(&diagnostic),
    };
    let (system, _) = build(&model).unwrap();
    if let Some(diagnostic) = refusal(&model, &system) {
        return refused(&diagnostic);
    }
    let mut order = order(&model, &system, form);
    // Over a kink every method is of second order, or of first where differentiated equations drift, by a
    // factor that depends on where in a step the kink lies: the worst of several steps counts.
    let (halvings, steps): (i32, &[f64]) = match KINKED.contains(&kind) {
        true => (3, &[1.0, 1.15, 1.32, 1.52]),
        false => (1, &[1.0]),
    };
    if halvings > 1 {
        order = order.min(if form == "augmented" { 1.0 } else { 2.0 });
    }
    let error = |refinement: f64| end_of(at(refinement).unwrap(), false).map(|v| distance(&v, exact));
    let worst = |refinement: f64| {
        steps.iter().try_fold(0.0, |worst: f64, step| Ok(worst.max(error(step * refinement)?)))
    };
    let errors: [Result<f64, String>; 2] = [1.0, f64::powi(2.0, halvings)].map(worst);
    match errors {
        [Ok(coarse), Ok(fine)] => {
            let gained = (coarse / fine).log2() / f64::from(halvings);
            let works = fine <= FLOOR || (gained >= order - SHORT && fine < 0.5);
            let found = format!("errors {coarse:.1e}, {fine:.1e}, order {gained:.2} for {order}");
            if works { Outcome::Works } else { Outcome::Wrong(found) }
        }
        [Err(error), _] | [_, Err(error)] if error == DRIFTED => {
            Outcome::Refused(format!("{error}; the run ends where they do, with exit code 1"))
        }
        [Err(error), _] | [_, Err(error)] => Outcome::Wrong(error),
    }
}

/// All cells of a kind: integrator, form, outcome.
type Row = Vec<(&'static str, &'static str, Outcome)>;

fn row(kind: &str) -> Row {
    let text = model(kind);
    let exact = end_of(loaded(&text).unwrap(), true).unwrap_or_else(|e| panic!("{kind}: {e}"));
    let entries = integrators();
    let cells =
        entries.iter().flat_map(|entry| entry.words("form").into_iter().map(|form| (entry.name(), form)));
    cells.map(|(name, form)| (name, form, cell(kind, &text, &exact, name, form))).collect()
}

/// The rows of all kinds, by as many threads as the machine has.
fn rows() -> Vec<Row> {
    let next = Mutex::new(0);
    let rows = Mutex::new(vec![vec![]; KINDS.len()]);
    let work = || {
        loop {
            let kind = {
                let mut next = next.lock().unwrap();
                *next += 1;
                *next - 1
            };
            let Some((name, _)) = KINDS.get(kind) else { return };
            let row = row(name);
            rows.lock().unwrap()[kind] = row;
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    rows.into_inner().unwrap()
}

/// The text of a cell of the document; new reasons go to `notes`.
fn words(cells: &[&(&'static str, &'static str, Outcome)], notes: &mut Vec<String>) -> String {
    let mut refused: Vec<(usize, Vec<&str>)> = vec![];
    for (_, form, outcome) in cells {
        let Outcome::Refused(reason) = outcome else { continue };
        let known = notes.iter().position(|note| note == reason);
        let note = known.unwrap_or_else(|| {
            notes.push(reason.clone());
            notes.len() - 1
        });
        match refused.iter_mut().find(|(other, _)| *other == note) {
            Some((_, forms)) if forms.contains(form) => {}
            Some((_, forms)) => forms.push(form),
            None => refused.push((note, vec![form])),
        }
    }
    let all = cells.iter().all(|cell| matches!(cell.2, Outcome::Refused(_)));
    match refused.as_slice() {
        [] => "✓".into(),
        [(note, _)] if all => format!("({})", note + 1),
        several => {
            let but: Vec<String> = several
                .iter()
                .map(|(note, forms)| {
                    let forms: Vec<String> = forms.iter().map(|form| format!("`{form}`")).collect();
                    format!("{} ({})", forms.join(", "), note + 1)
                })
                .collect();
            format!("✓ but {}", but.join("; "))
        }
    }
}

fn document(rows: &[Row]) -> String {
    let mut text = String::from(
        "# Integrators and models\n\n\
         What works, what is refused and why. Every integrator in every form of its constraints takes two fixed steps, one\n\
         half of the other, through every kind of model below. ✓: the error against Radau IIA with five stages and a tolerance\n\
         of 1e-12 falls with the order of the method, or lies below 3e-8. A number: the model is refused before the run, with\n\
         exit code 2, or what else the note under the table says. A test compares this page with what the program does, and\n\
         fails where an order is lost. Fixed steps that go over kinks (stop, diode, equations with kinks) are of second order\n\
         at most, of first with `augmented`; adaptive ones end there. On equations of index 2 `gauss` with s stages is of order\n\
         s for an even s; on index 3 `lobatto` with three stages is of order 2.\n\n\
         The models are in `crates/cli/tests/models`.\n\n| model |",
    );
    COLUMNS.iter().for_each(|(title, _)| write!(text, " {title} |").unwrap());
    text += "\n|---|";
    text += &"---|".repeat(COLUMNS.len());
    text += "\n";
    let mut notes = vec![];
    for ((_, what), row) in KINDS.iter().zip(rows) {
        write!(text, "| {what} |").unwrap();
        for (_, names) in COLUMNS {
            let cells: Vec<_> = row.iter().filter(|cell| names.contains(&cell.0)).collect();
            write!(text, " {} |", words(&cells, &mut notes)).unwrap();
        }
        text += "\n";
    }
    text += "\n";
    for (k, note) in notes.iter().enumerate() {
        writeln!(text, "{}. {note}.", k + 1).unwrap();
    }
    text
}

#[test]
fn every_integrator_with_every_kind_of_model() {
    let rows = rows();
    let mut wrong = String::new();
    for ((kind, _), row) in KINDS.iter().zip(&rows) {
        for (name, form, outcome) in row {
            if let Outcome::Wrong(found) = outcome {
                writeln!(wrong, "{kind}, {name}, {form}: {found}").unwrap();
            }
        }
    }
    let written: Vec<&str> = COLUMNS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    assert!(integrators().iter().all(|entry| written.contains(&entry.name())), "a column is missing");
    assert!(wrong.is_empty(), "{} cells\n{wrong}", wrong.lines().count());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/integrators-and-models.md");
    let text = document(&rows);
    if std::env::var_os("POINSOT_WRITE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == text, "docs/integrators-and-models.md is out of date: run with POINSOT_WRITE=1");
}
