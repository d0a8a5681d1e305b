//! treatments of the constraints in structure-preserving steps side by side
//! (energy-momentum-null-space V-1 … V-7, tables 4.1 to 6.7 of the thesis).
//!
//! All treatments but the penalty give the same motion; they differ in unknowns, in the condition of the
//! iteration matrix as the step shrinks, and in time.

use super::integrators::{positive, quoted};
use super::{CompareError, Told, WorkCurve, WorkMark, WorkPrecision};
use crate::complaint::Complaint;
use crate::failure::StudyError;
use crate::integrator_argument::{ArgumentError, ArgumentFault, Choice, arguments, split_outside};
use crate::markdown::{few_digits, rounded, table, two_digits};
use crate::measured_run::{MeasuredRun, Recorded, RunFailure, Sampling, Steps, respecified};
use crate::motion::treatment;
use crate::progress::{Runs, Watch};
use poinsot_analysis::comparison::{Record, Reference};
use poinsot_integrators::{Named, Treatment, TreatmentReport, find};
use poinsot_mechanics::Chart;
use poinsot_model::Model;
use poinsot_model::spec::{IntegratorSpec, MotionSpec};
use poinsot_results::RunFolder;
use serde_json::{Value, json};
use std::path::Path;

/// The scheme of a study that has none of its own.
const SCHEME: &str = "energy-momentum";
/// Steps at which condition numbers are told, in steps of the study.
const PARTS: [f64; 3] = [1.0, 0.1, 0.01];
/// Most times at which motions are compared and audited.
const MOST_TIMES: f64 = 500.0;
/// Rows of `--constraints all`.
const ALL: [&str; 8] = [
    "multipliers(directors)",
    "penalty(directors)",
    "augmented-lagrange(directors)",
    "multipliers(euler-parameters)",
    "multipliers",
    "null-space",
    "minimal",
    "automatic",
];

/// What a run with a treatment has shown.
struct Measured {
    record: Record,
    /// Largest residuals of the constraints.
    position: f64,
    velocity: f64,
    /// Largest energy imbalance relative to the energies in play.
    energy: f64,
    /// Least wall-clock time of a step (s).
    time: f64,
    /// Newton iterations of a step.
    iterations: f64,
    steps: usize,
    halved: usize,
}

/// A line of the comparison.
struct Row {
    choice: Choice,
    /// Stiffness, if the treatment has one.
    penalty: Option<f64>,
    /// For each of the steps.
    reports: Vec<Result<TreatmentReport, RunFailure>>,
    outcome: Result<Measured, RunFailure>,
    /// Largest relative difference at the end from the first row that ran.
    difference: Option<f64>,
}

/// The words of the unknowns of rigid bodies.
pub fn coordinates() -> Vec<&'static str> {
    find(SCHEME).map_or(vec![], |entry| entry.words("coordinates"))
}

/// Treatments of constraints that are compared.
#[derive(Clone, Debug)]
pub struct TreatmentRequest {
    /// The treatments, or `all`.
    pub list: String,
    /// Unknowns of rigid bodies where a treatment does not say; by default as in the study.
    pub coordinates: Option<String>,
    /// Steps whose condition numbers are told, the longest of which is run; by default parts of that of the
    /// study.
    pub steps: Vec<f64>,
    /// Each time is the least of so many turns.
    pub turns: usize,
}

/// Compares treatments of constraints and writes what was found into a folder.
pub fn compare(
    request: &TreatmentRequest,
    model: &Model,
    study: &MotionSpec,
    place: &Path,
    watch: &dyn Watch,
) -> Result<Told, Complaint> {
    let steps = steps(&request.steps, study).map_err(Complaint::bad_input)?;
    let first = MeasuredRun::new(model, study.clone(), &Sampling::Ends).map_err(Complaint::failed)?;
    let spatial = first.system().nodes().iter().any(|node| node.chart == Chart::Motion);
    let choices = choices(&request.list, &study.integrator, request.coordinates.as_deref(), spatial)
        .map_err(|error| Complaint::bad_input(CompareError::Treatments(error)))?;
    let folder = RunFolder::create(place.to_owned())?;
    let progress = Runs::new(choices.len() * (1 + request.turns), watch);
    let mut rows = vec![];
    for choice in choices {
        progress.says(&choice.text);
        rows.push(row(choice, &steps, request.turns, model, study, &progress));
    }
    difference(&mut rows);
    let scheme = rows.first().map_or(SCHEME, |row| row.choice.spec.name);
    TreatmentComparison { model: &model.name, scheme, steps, rows, turns: request.turns }.write(folder)
}

/// The steps, the longest first; with that one the treatments run.
fn steps(given: &[f64], study: &MotionSpec) -> Result<Vec<f64>, CompareError> {
    match (given.is_empty(), study.step()) {
        (false, _) => positive("--steps", given),
        (true, Some(step)) => Ok(PARTS.map(|part| part * step).to_vec()),
        (true, None) => Err(CompareError::NoStep),
    }
}

/// The treatments of a list, or all. What a structure-preserving study says besides its form holds for every
/// one of them.
fn choices(
    list: &str,
    study: &IntegratorSpec,
    coordinates: Option<&str>,
    spatial: bool,
) -> Result<Vec<Choice>, ArgumentError> {
    let is_own = study.method.conserving().is_some();
    let scheme = if is_own { study.name } else { SCHEME };
    let entry = find(scheme).ok_or(ArgumentError::NoScheme(scheme))?;
    let mut common = if is_own { arguments(study) } else { vec![] };
    common.extend(coordinates.map(|word| ("coordinates", word.to_owned())));
    let items: Vec<&str> = match list.trim() {
        "all" => ALL
            .into_iter()
            .filter(|item| spatial || !item.contains('('))
            .filter(|item| has_form(entry, item.split('(').next().unwrap_or(item)))
            .collect(),
        list => split_outside(list).into_iter().map(str::trim).collect(),
    };
    let mut found: Vec<Choice> = vec![];
    for item in items {
        let (form, inside) = match item.split_once('(') {
            None => (item, ""),
            Some((form, rest)) => {
                let inside = rest.strip_suffix(')').ok_or_else(|| ArgumentFault::OpenBracket.of(item))?;
                (form.trim(), inside)
            }
        };
        let suitable = common.iter().filter(|(key, _)| uses(entry, form, key)).map(|(_, text)| text.clone());
        let own = inside.split(',').map(str::trim).filter(|part| !part.is_empty()).map(|part| {
            if part.parse::<f64>().is_ok() { format!("penalty={part}") } else { part.to_owned() }
        });
        let all: Vec<String> = suitable.chain(own).collect();
        let brackets = if all.is_empty() { String::new() } else { format!("({})", all.join(",")) };
        let whole = format!("{scheme}{brackets}:{form}");
        let mut choice = Choice::parse(&whole, None).map_err(|error| error.of(item))?;
        if found.iter().any(|other| other.text == item) {
            return Err(ArgumentError::Twice(item.into()));
        }
        choice.text = item.into();
        found.push(choice);
    }
    Ok(found)
}

fn has_form(entry: &dyn Named, form: &str) -> bool {
    entry.words("form").contains(&form)
}

/// Whether a setting says something to a form.
fn uses(entry: &dyn Named, form: &str, key: &str) -> bool {
    entry.setting(key).is_some_and(|setting| setting.forms.is_empty() || setting.forms.contains(&form))
}

fn row(
    choice: Choice,
    steps: &[f64],
    turns: usize,
    model: &Model,
    study: &MotionSpec,
    progress: &Runs,
) -> Row {
    let trial = |h: f64, sampling: &Sampling| {
        let spec = respecified(study, &choice, Steps::Length(h));
        MeasuredRun::new(model, spec, sampling)
    };
    let report = |h: &f64| {
        let trial = trial(*h, &Sampling::Ends)?;
        let method = trial.method();
        let settings = method.conserving().ok_or(RunFailure::NoTreatments)?;
        Ok(treatment::report(trial.system(), *settings, trial.state(), *h)?)
    };
    let reports = steps.iter().map(report).collect();
    let penalty =
        trial(steps[0], &Sampling::Ends).ok().and_then(|trial| trial.method().conserving()?.penalty());
    let outcome = measure(steps[0], study.end - study.start, turns, &trial, progress);
    Row { penalty, reports, outcome, difference: None, choice }
}

fn measure(
    h: f64,
    span: f64,
    turns: usize,
    trial: &dyn Fn(f64, &Sampling) -> Result<MeasuredRun, StudyError>,
    progress: &Runs,
) -> Result<Measured, RunFailure> {
    if !progress.goes_on() {
        return Err(RunFailure::Interrupted);
    }
    let every = h * (span / h / MOST_TIMES).ceil().max(1.0);
    let recording = trial(h, &Sampling::Every(every))?;
    let watched = recording.watched(false);
    let Recorded { record, report } = recording.record(watched, None, progress)?;
    progress.done(1);
    let mut time = f64::INFINITY;
    for _ in 0..turns {
        let (turn, report) = trial(h, &Sampling::Ends)?.time(progress)?;
        time = time.min(turn / report.counters.steps.max(1) as f64);
        progress.done(1);
    }
    let (audit, counters) = (&report.audit, &report.counters);
    Ok(Measured {
        record,
        position: audit.position.value,
        velocity: audit.velocity.value,
        energy: audit.imbalance.value / audit.energy_scale.max(f64::MIN_POSITIVE),
        time,
        iterations: counters.iterations as f64 / counters.steps.max(1) as f64,
        steps: counters.steps,
        halved: audit.cut_steps,
    })
}

/// How far the motions are from that of the first row that ran, at the end.
fn difference(rows: &mut [Row]) {
    let Some(first) = rows.iter().find_map(|row| row.outcome.as_ref().ok()) else { return };
    let record = first.record.clone();
    let times = record.times().to_vec();
    let Ok(reference) = Reference::new(record.clone(), &record, times) else { return };
    for row in rows {
        let deviation = row.outcome.as_ref().ok().map(|measured| reference.deviation(&measured.record));
        row.difference = deviation.and_then(|deviation| deviation.ok()).map(|deviation| deviation.at_end);
    }
}

/// All that was found.
struct TreatmentComparison<'a> {
    model: &'a str,
    scheme: &'static str,
    steps: Vec<f64>,
    rows: Vec<Row>,
    turns: usize,
}

impl Row {
    fn coordinates(&self) -> &'static str {
        match self.choice.spec.method.conserving() {
            Some(settings) if settings.treatment != Treatment::Minimal => settings.coordinates_word(),
            _ => "",
        }
    }

    fn report(&self) -> Option<&TreatmentReport> {
        self.reports.iter().find_map(|report| report.as_ref().ok())
    }

    /// Condition numbers, for each of the steps, as far as they are known.
    fn conditions(&self) -> impl Iterator<Item = Option<f64>> {
        let known = |report: &TreatmentReport| Some(report.condition).filter(|c| c.is_finite());
        self.reports.iter().map(move |report| report.as_ref().ok().and_then(known))
    }

    fn remark(&self) -> String {
        match &self.outcome {
            Err(reason) => format!("failed: {reason}"),
            Ok(measured) if measured.halved > 0 => format!("{} steps were halved", measured.halved),
            Ok(_) => String::new(),
        }
    }
}

impl TreatmentComparison<'_> {
    fn write(&self, mut folder: RunFolder) -> Result<Told, Complaint> {
        folder.write("constraints.csv", "Treatments of the constraints (text)", self.csv().as_bytes())?;
        let json =
            serde_json::to_string_pretty(&self.json()).map_err(|e| Complaint::failed(e.to_string()))? + "\n";
        folder.write("constraints.json", "Treatments of the constraints", json.as_bytes())?;
        let curves = self.curves();
        let drawn = curves.iter().any(|curve| !curve.runs.is_empty());
        if drawn {
            let plot = WorkPrecision {
                curves: &curves,
                value: "condition number",
                work: "step [s]",
                labels: "2-norm, of the unscaled iteration matrix at the start",
                floor: None,
            };
            plot.draw(&mut folder, "condition.svg", &format!("{}: condition", self.model))?;
        }
        let picture = drawn.then(|| folder.path().join("condition.svg"));
        let ran = self.rows.iter().any(|row| row.outcome.is_ok());
        let failure = (!ran).then_some("no treatment came to the end");
        Ok(Told { json, text: self.text(), picture, failure })
    }

    fn curves(&self) -> Vec<WorkCurve> {
        let curve = |row: &Row| {
            let known = self.steps.iter().zip(row.conditions());
            let marks = known.filter_map(|(h, condition)| {
                Some(WorkMark { work: *h, error: condition?, label: String::new() })
            });
            WorkCurve { name: row.choice.text.clone(), runs: marks.collect() }
        };
        self.rows.iter().map(curve).filter(|curve| !curve.runs.is_empty()).collect()
    }

    fn text(&self) -> String {
        let conditions: Vec<String> =
            self.steps.iter().map(|h| format!("cond {} s", few_digits(*h))).collect();
        let mut headings = vec!["constraints", "coordinates", "penalty", "unknowns", "null space"];
        headings.extend(conditions.iter().map(String::as_str));
        headings.extend([
            "position",
            "velocity",
            "energy",
            "time/step [µs]",
            "iterations",
            "difference",
            "remark",
        ]);
        let rows: Vec<Vec<String>> = self.rows.iter().map(|row| self.cells(row)).collect();
        format!(
            "{}\n  {}, step {} s\n\n{}\ncond: condition number (2-norm) of the unscaled iteration matrix at the start   \
             position, velocity: largest constraint residuals\nenergy: largest imbalance, relative   time: least of {} \
             turns   difference: at the end, from the first, relative\n",
            self.model,
            self.scheme,
            rounded(self.steps[0]),
            table(&headings, &rows),
            self.turns
        )
    }

    fn cells(&self, row: &Row) -> Vec<String> {
        let or_empty = |value: Option<f64>| value.map_or(String::new(), two_digits);
        let report = row.report();
        let mut cells = vec![row.choice.text.clone(), row.coordinates().into(), or_empty(row.penalty)];
        cells.push(report.map_or(String::new(), |report| report.unknowns.to_string()));
        cells.push(report.and_then(|report| report.null_space).unwrap_or_default().into());
        cells.extend(row.conditions().map(or_empty));
        match &row.outcome {
            Ok(m) => cells.extend(
                [m.position, m.velocity, m.energy, 1e6 * m.time, m.iterations]
                    .map(two_digits)
                    .into_iter()
                    .chain([or_empty(row.difference)]),
            ),
            Err(_) => cells.extend(std::iter::repeat_n(String::new(), 6)),
        }
        cells.push(row.remark());
        cells
    }

    fn csv(&self) -> String {
        let mut text = String::from("constraints,coordinates,penalty,unknowns,null space,");
        self.steps.iter().for_each(|h| text += &format!("condition at {h:?} s,"));
        text += "position residual,velocity residual,energy imbalance,time per step [s],iterations per \
                 step,difference at end,remark\n";
        let plain = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:?}"));
        for row in &self.rows {
            let report = row.report();
            let mut cells = vec![quoted(&row.choice.text), row.coordinates().into(), plain(row.penalty)];
            cells.push(report.map_or(String::new(), |report| report.unknowns.to_string()));
            cells.push(report.and_then(|report| report.null_space).unwrap_or_default().into());
            cells.extend(row.conditions().map(plain));
            let measured = row.outcome.as_ref().ok();
            let of = |value: fn(&Measured) -> f64| plain(measured.map(value));
            cells.extend([of(|m| m.position), of(|m| m.velocity), of(|m| m.energy), of(|m| m.time)]);
            cells.extend([of(|m| m.iterations), plain(row.difference), quoted(&row.remark())]);
            text += &(cells.join(",") + "\n");
        }
        text
    }

    fn json(&self) -> Value {
        let entry = |row: &Row| {
            let report = row.report();
            let conditions = self.steps.iter().zip(row.conditions());
            let measured = row.outcome.as_ref().ok();
            json!({
                "constraints": row.choice.text, "form": row.choice.spec.form(),
                "coordinates": Some(row.coordinates()).filter(|c| !c.is_empty()), "penalty": row.penalty,
                "unknowns": report.map(|report| report.unknowns),
                "null_space": report.and_then(|report| report.null_space),
                "conditions": conditions.map(|(h, c)| json!({ "step_s": h, "condition": c })).collect::<Vec<_>>(),
                "position_residual": measured.map(|m| m.position), "velocity_residual": measured.map(|m| m.velocity),
                "energy_imbalance": measured.map(|m| m.energy), "time_per_step_s": measured.map(|m| m.time),
                "iterations_per_step": measured.map(|m| m.iterations), "steps": measured.map(|m| m.steps),
                "halved_steps": measured.map(|m| m.halved), "difference_at_end": row.difference,
                "failure": row.outcome.as_ref().err().map(RunFailure::to_string),
            })
        };
        json!({
            "analysis": "compare-constraints",
            "model": self.model,
            "program": { "name": "poinsot", "version": env!("CARGO_PKG_VERSION") },
            "integrator": self.scheme,
            "step_s": self.steps[0],
            "turns": self.turns,
            "treatments": self.rows.iter().map(entry).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(list: &str, spatial: bool) -> Result<Vec<String>, ArgumentError> {
        let found = choices(list, &IntegratorSpec::default(), None, spatial)?;
        Ok(found.into_iter().map(|choice| choice.text).collect())
    }

    #[test]
    fn all_means_directors_only_where_bodies_turn_in_space() {
        assert_eq!(texts("all", true).unwrap(), ALL);
        assert_eq!(texts("all", false).unwrap(), ["multipliers", "null-space", "minimal", "automatic"]);
    }

    #[test]
    fn rows_take_arguments() {
        let found = choices(
            "penalty(1e5), augmented-lagrange(directors, penalty=1e6),minimal",
            &IntegratorSpec::default(),
            Some("euler-parameters"),
            true,
        )
        .unwrap();
        let penalties: Vec<_> = found.iter().map(|choice| choice.spec.given.number("penalty")).collect();
        assert_eq!(penalties, [Some(1e5), Some(1e6), None]);
        let coordinates = |k: usize| found[k].spec.method.conserving().unwrap().coordinates_word();
        assert_eq!((coordinates(0), coordinates(1)), ("euler-parameters", "directors"));
    }

    #[test]
    fn mistakes_are_named() {
        let says = |list: &str, part: &str| {
            let error = texts(list, true).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        says("multiplier", "did you mean `multipliers`?");
        says("stabilised", "does not have the form");
        says("multipliers(1e5)", "has no `penalty`");
        says("minimal,minimal", "stands twice");
        says("penalty(1e5", "not closed");
    }
}
