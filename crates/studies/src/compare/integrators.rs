//! Error against work of several integrators on one model.

use super::{CompareError, Told, WorkCurve, WorkMark, WorkPrecision};
use crate::complaint::Complaint;
use crate::integrator_argument::Choice;
use crate::markdown::{few_digits, rounded, short, table, two_digits};
use crate::measured_run::{MeasuredRun, Recorded, RunFailure, Sampling, Steps, respecified};
use crate::progress::{Hidden, Runs, Watch};
use crate::record::sample_stride;
use poinsot_analysis::comparison::{
    ComparisonError, Deviation, Record, Reference, Track, WorkPoint, is_resolved, work_at,
};
use poinsot_integrators::Counters;
use poinsot_model::Model;
use poinsot_model::spec::MotionSpec;
use poinsot_results::{ResultsError, RunFolder, SignalTable, read_csv, read_parquet};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Most times at which motions are compared.
const MOST_TIMES: f64 = 500.0;
/// Times between rows of adaptive studies that do not say, as a part of the span.
const ADAPTIVE_ROWS: f64 = 1000.0;
/// The reference is tighter than the tightest tolerance by this factor, but not tighter than the limit.
const REFERENCE: (f64, f64) = (1e-2, 1e-12);
/// Number of fixed steps in a series that is not given, each half the one before.
const SERIES: i32 = 4;

/// What is compared.
#[derive(Clone, Debug)]
pub struct CompareRequest {
    /// Integrators: `name, name:form, name(rho=0.8)`.
    pub with: String,
    /// Tolerances for those that choose their steps; at least one.
    pub tolerances: Vec<f64>,
    /// Steps for the others (s); by default from that of the study, each half the one before.
    pub steps: Vec<f64>,
    /// Tolerance of the reference, or a file of signals.
    pub reference: Option<String>,
    /// Each time is the least of so many turns.
    pub turns: usize,
}

/// Compares integrators on the motion of a model and writes what was found into a folder.
pub fn compare(
    request: &CompareRequest,
    model: &Model,
    study: &MotionSpec,
    place: &Path,
    watch: &dyn Watch,
) -> Result<Told, Complaint> {
    let plan = Plan::new(request, model, study).map_err(Complaint::bad_input)?;
    // What is wrong with the model itself is said once.
    MeasuredRun::new(model, study.clone(), &Sampling::Ends)?;
    plan.carry_out(place, watch)
}

/// Where the motions that others are measured by come from.
enum Source {
    Tolerance(f64),
    File(PathBuf),
}

/// What a run has shown.
struct Measured {
    deviation: Deviation,
    resolved: bool,
    /// Least wall-clock time (s).
    time: f64,
    counters: Counters,
    /// Largest energy imbalance relative to the energies in play.
    energy: f64,
    /// Largest residuals of the constraints.
    position: f64,
    velocity: f64,
    /// Fixed steps that did not converge and were halved.
    halved: usize,
}

impl Measured {
    /// What must be known about the numbers.
    fn remark(&self) -> String {
        let mut remarks = vec![];
        if !self.resolved {
            remarks.push("not resolved: below the reference's error".to_owned());
        }
        if self.deviation.largest >= 1.0 {
            remarks.push("the motion is lost".to_owned());
        }
        if self.halved > 0 {
            remarks.push(format!("{} steps were halved", self.halved));
        }
        remarks.join("; ")
    }
}

/// A line of the comparison.
struct Row {
    integrator: String,
    steps: Steps,
    outcome: Result<Measured, RunFailure>,
}

struct Plan<'a> {
    model: &'a Model,
    study: &'a MotionSpec,
    choices: Vec<Choice>,
    tolerances: Vec<f64>,
    /// As given, not yet fitted to the times of the comparison.
    steps: Vec<f64>,
    source: Source,
    turns: usize,
}

impl<'a> Plan<'a> {
    fn new(request: &CompareRequest, model: &'a Model, study: &'a MotionSpec) -> Result<Self, CompareError> {
        let newton = study.integrator.method.gs4().map(|settings| settings.tolerance);
        let choices = Choice::list(&request.with, newton).map_err(CompareError::Integrators)?;
        let tolerances = positive("--tolerances", &request.tolerances)?;
        let steps = positive("--steps", &request.steps)?;
        let (factor, least) = REFERENCE;
        let source = match &request.reference {
            None => Source::Tolerance((factor * tolerances[tolerances.len() - 1]).max(least)),
            Some(text) => match text.parse::<f64>() {
                Ok(tolerance) => Source::Tolerance(positive("--reference", &[tolerance])?[0]),
                Err(_) if Path::new(text).is_file() => Source::File(text.into()),
                Err(_) => return Err(CompareError::Reference(text.clone())),
            },
        };
        Ok(Plan { model, study, choices, tolerances, steps, source, turns: request.turns })
    }

    fn span(&self) -> f64 {
        self.study.end - self.study.start
    }

    fn carry_out(mut self, place: &Path, watch: &dyn Watch) -> Result<Told, Complaint> {
        let folder = RunFolder::create(place.to_owned())?;
        let fixed = self.choices.iter().any(|choice| !choice.is_adaptive());
        if fixed && self.steps.is_empty() {
            self.steps = self.series(watch).map_err(Complaint::failed)?;
        }
        let interval = self.interval(fixed);
        let fitted = |step: &f64| interval / (interval / step).round().max(1.0);
        let mut lengths: Vec<f64> = self.steps.iter().map(fitted).collect();
        lengths.dedup();
        let settings = |choice: &Choice| match choice.is_adaptive() {
            true => self.tolerances.iter().map(|t| Steps::Tolerance(*t)).collect::<Vec<_>>(),
            false => lengths.iter().map(|h| Steps::Length(*h)).collect(),
        };
        let all: Vec<(&Choice, Steps)> = self
            .choices
            .iter()
            .flat_map(|choice| settings(choice).into_iter().map(move |s| (choice, s)))
            .collect();
        // A run costs what it has steps; one that chooses its own, and those of the reference, count as the
        // longest of the others.
        let shortest = lengths.iter().copied().fold(f64::INFINITY, f64::min);
        let cost = |steps: &Steps| match steps {
            Steps::Length(h) => shortest / h,
            Steps::Tolerance(_) => 1.0,
        };
        let costs = all.iter().flat_map(|(_, steps)| vec![cost(steps); 1 + self.turns]);
        let progress = Runs::of_costs([1.0, 1.0].into_iter().chain(costs).collect(), watch);
        let (reference, words) = self.reference(interval, &progress)?;
        let mut rows = vec![];
        for (choice, steps) in all {
            progress.says(&format!("{} {}", choice.text, in_words(steps)));
            let outcome = self.measure(choice, steps, interval, &reference, &progress);
            rows.push(Row { integrator: choice.text.clone(), steps, outcome });
        }
        let comparison = Comparison { model: &self.model.name, reference, words, rows, turns: self.turns };
        comparison.write(folder)
    }

    /// Steps from that of the study, or its average one, each half the one before.
    fn series(&self, watch: &dyn Watch) -> Result<Vec<f64>, RunFailure> {
        let step = match self.study.step() {
            Some(step) => step,
            None => {
                let new = |spec: MotionSpec| MeasuredRun::new(self.model, spec, &Sampling::Ends);
                let mut trial = new(self.study.clone())?;
                // An integrator that cannot take the model tells no step; that of the reference takes all.
                if trial.refusal().is_some() {
                    let tolerance = Steps::Tolerance(self.tolerances[0]);
                    trial = new(respecified(self.study, &Choice::parse("radau", None)?, tolerance))?;
                }
                let (_, report) = trial.time(&Runs::new(1, &Hidden(watch)))?;
                self.span() / report.counters.steps.max(1) as f64
            }
        };
        Ok((0..SERIES).map(|k| step * 0.5f64.powi(k)).collect())
    }

    /// Time between the comparisons: that between recorded rows, and no less than the longest step.
    fn interval(&self, fixed: bool) -> f64 {
        let span = self.span();
        let output = match (self.study.output_step, self.study.step()) {
            (Some(interval), _) => interval,
            (None, Some(step)) => step * sample_stride(span, step, None) as f64,
            (None, None) => span / ADAPTIVE_ROWS,
        };
        let longest = self.steps.first().filter(|_| fixed).copied().unwrap_or(output);
        // If it can be, a whole number of steps.
        let steps = (span / longest).round().max(1.0);
        let least = (output / longest).max(steps / MOST_TIMES);
        let fits = |many: &f64| steps % many == 0.0 && (span / longest - steps).abs() < 1e-6;
        let most = (10.0 * least).min(steps);
        let many =
            (0..).map(|k| (least - 1e-9).ceil().max(1.0) + f64::from(k)).take_while(|many| *many <= most);
        match many.into_iter().find(fits) {
            Some(many) => span / (steps / many),
            None => span / (span / output.max(longest) + 1e-9).floor().clamp(1.0, MOST_TIMES),
        }
    }

    /// The reference, and what it is in words.
    fn reference(&self, interval: f64, progress: &Runs) -> Result<(Reference, String), Complaint> {
        let count = (self.span() / interval).round() as usize;
        let time =
            |k: usize| if k == count { self.study.end } else { self.study.start + k as f64 * interval };
        let mut times: Vec<f64> = (0..=count).map(time).collect();
        let tolerance = match &self.source {
            Source::Tolerance(tolerance) => *tolerance,
            Source::File(_) => (REFERENCE.0 * self.tolerances[self.tolerances.len() - 1]).max(REFERENCE.1),
        };
        let run = |stages: usize| {
            let text = format!("radau(stages={stages})");
            progress.says(&format!("reference: {text}"));
            let choice = Choice::parse(&text, None).map_err(Complaint::failed)?;
            let spec = respecified(self.study, &choice, Steps::Tolerance(tolerance));
            let trial = MeasuredRun::new(self.model, spec, &Sampling::Exactly(times[1..].to_vec()));
            let trial = trial.map_err(Complaint::failed)?;
            let watched = trial.watched(false);
            let recorded = trial.record(watched, None, progress);
            progress.done(1);
            recorded.map_err(|reason| {
                Complaint::failed(format!("the reference, {text} at {}: {reason}", rounded(tolerance)))
            })
        };
        let first = run(5)?.record;
        let (reference, words) = match &self.source {
            Source::Tolerance(_) => {
                let second = run(7)?.record;
                // An event may end the motion early.
                times.retain(|t| first.at(*t).is_some() && second.at(*t).is_some());
                let words =
                    format!("radau, 5 stages, tolerance {}; 7 stages tell its error", rounded(tolerance));
                (Reference::new(first, &second, times), words)
            }
            Source::File(path) => {
                let given = read(path, first.tracks())?;
                let names: Vec<&str> = given.tracks().iter().map(|track| track.name.as_str()).collect();
                let check = first.select(&names);
                times.retain(|t| given.at(*t).is_some() && check.at(*t).is_some());
                if times.len() < 2 {
                    let path = path.display();
                    return Err(Complaint::bad_input(format!(
                        "{path} has none of the times of the comparison, {} s apart: give the study such an output_step",
                        rounded(interval)
                    )));
                }
                progress.done(1);
                let words = format!(
                    "{}; radau, 5 stages, tolerance {} tells its error",
                    path.display(),
                    rounded(tolerance)
                );
                (Reference::new(given, &check, times), words)
            }
        };
        Ok((reference.map_err(|error| Complaint::failed(format!("the reference: {error}")))?, words))
    }

    fn measure(
        &self,
        choice: &Choice,
        steps: Steps,
        interval: f64,
        reference: &Reference,
        progress: &Runs,
    ) -> Result<Measured, RunFailure> {
        if !progress.goes_on() {
            return Err(RunFailure::Interrupted);
        }
        let spec = respecified(self.study, choice, steps);
        let trial = MeasuredRun::new(self.model, spec.clone(), &Sampling::Every(interval))?;
        if let Some(refusal) = trial.refusal() {
            return Err(refusal);
        }
        let watched = trial.watched(false);
        let Recorded { record, report } = trial.record(watched, None, progress)?;
        // Between steps the work that is done so far is not known, and states are moved onto the constraints.
        let audit = match steps {
            Steps::Length(_) => report.audit,
            Steps::Tolerance(_) => {
                MeasuredRun::new(self.model, spec.clone(), &Sampling::Steps)?.audit(progress)?
            }
        };
        let names: Vec<&str> = reference.record().tracks().iter().map(|track| track.name.as_str()).collect();
        let deviation = reference.deviation(&record.select(&names))?;
        progress.done(1);
        let (mut time, mut counters) = (f64::INFINITY, report.counters);
        for _ in 0..self.turns {
            let trial = MeasuredRun::new(self.model, spec.clone(), &Sampling::Ends)?;
            let (turn, report) = trial.time(progress)?;
            (time, counters) = (time.min(turn), report.counters);
            progress.done(1);
        }
        let energy = audit.imbalance.value / audit.energy_scale.max(f64::MIN_POSITIVE);
        Ok(Measured {
            resolved: reference.resolves(deviation.largest),
            deviation,
            time,
            counters,
            energy,
            position: audit.position.value,
            velocity: audit.velocity.value,
            halved: audit.cut_steps,
        })
    }
}

/// Positive numbers, the largest first, each once.
pub fn positive(flag: &'static str, values: &[f64]) -> Result<Vec<f64>, CompareError> {
    if let Some(&value) = values.iter().find(|v| !v.is_finite() || **v <= 0.0) {
        return Err(CompareError::NotPositive { flag, value });
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    sorted.dedup();
    Ok(sorted)
}

/// The tracks that a file of signals has.
fn read(path: &Path, tracks: &[Track]) -> Result<Record, Complaint> {
    let bad = |error: ResultsError| Complaint::bad_input(error);
    let table = match path.extension().and_then(|e| e.to_str()) {
        Some("csv") => read_csv(path).map_err(bad)?,
        _ => read_parquet(path).map_err(bad)?,
    };
    let columns = |track: &Track| -> Option<Vec<&[f64]>> {
        match track.width {
            1 => Some(vec![table.column(&track.name)?]),
            3 => ["x", "y", "z"].iter().map(|axis| table.column(&format!("{}.{axis}", track.name))).collect(),
            _ => None,
        }
    };
    let found: Vec<(&Track, Vec<&[f64]>)> = tracks.iter().filter_map(|t| Some((t, columns(t)?))).collect();
    if found.is_empty() {
        return Err(Complaint::bad_input(format!("{} has none of the signals of the model", path.display())));
    }
    let mut record = Record::new(found.iter().map(|(track, _)| (*track).clone()).collect());
    fill(&mut record, &table, &found).map_err(Complaint::bad_input)?;
    Ok(record)
}

fn fill(
    record: &mut Record,
    table: &SignalTable,
    found: &[(&Track, Vec<&[f64]>)],
) -> Result<(), ComparisonError> {
    for (k, time) in table.time().iter().enumerate() {
        let row: Vec<f64> = found.iter().flat_map(|(_, columns)| columns.iter().map(|c| c[k])).collect();
        record.push_with_gaps(*time, &row, row.len())?;
    }
    Ok(())
}

fn in_words(steps: Steps) -> String {
    match steps {
        Steps::Tolerance(tolerance) => format!("tolerance {}", short(tolerance)),
        Steps::Length(step) => format!("step {} s", rounded(step)),
    }
}

/// All that was found.
struct Comparison<'a> {
    model: &'a str,
    reference: Reference,
    words: String,
    rows: Vec<Row>,
    turns: usize,
}

impl Comparison<'_> {
    fn write(&self, mut folder: RunFolder) -> Result<Told, Complaint> {
        folder.write("comparison.csv", "Errors and work of all runs (text)", self.csv().as_bytes())?;
        let json =
            serde_json::to_string_pretty(&self.json()).map_err(|e| Complaint::failed(e.to_string()))? + "\n";
        folder.write("comparison.json", "Errors and work of all runs", json.as_bytes())?;
        let ran = self.rows.iter().any(|row| row.outcome.is_ok());
        if ran {
            self.plot(&mut folder, "error_time.svg", "time of integration [s]", |m| m.time)?;
            self.plot(&mut folder, "error_evaluations.svg", "number of residual evaluations", |m| {
                m.counters.residuals as f64
            })?;
        }
        let picture = ran.then(|| folder.path().join("error_time.svg"));
        let failure = (!ran).then_some("no integrator came to the end");
        Ok(Told { json, text: self.text(), picture, failure })
    }

    fn plot(
        &self,
        folder: &mut RunFolder,
        name: &str,
        work: &str,
        value: fn(&Measured) -> f64,
    ) -> Result<(), ResultsError> {
        let (curves, floor) = (self.curves(value), Some(self.reference.own.largest));
        let plot =
            WorkPrecision { curves: &curves, value: "relative error", work, labels: self.labels(), floor };
        plot.draw(folder, name, &format!("{}: error and work", self.model))
    }

    /// The integrators, in order.
    fn integrators(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.rows.iter().map(|row| row.integrator.as_str()).collect();
        names.dedup();
        names
    }

    fn of<'s>(&'s self, name: &'s str) -> impl Iterator<Item = (Steps, &'s Measured)> {
        let rows = self.rows.iter().filter(move |row| row.integrator == name);
        rows.filter_map(|row| row.outcome.as_ref().ok().map(|measured| (row.steps, measured)))
    }

    fn curves(&self, work: fn(&Measured) -> f64) -> Vec<WorkCurve> {
        let label = |steps| match steps {
            Steps::Tolerance(tolerance) => short(tolerance),
            Steps::Length(step) => format!("{} s", few_digits(step)),
        };
        let mark = |(steps, m): (Steps, &Measured)| WorkMark {
            work: work(m),
            error: m.deviation.largest,
            label: label(steps),
        };
        let curve = |name: &str| WorkCurve { name: name.into(), runs: self.of(name).map(mark).collect() };
        self.integrators().into_iter().map(curve).collect()
    }

    /// What stands beside the marks of a plot.
    fn labels(&self) -> &'static str {
        let adaptive = |row: &Row| matches!(row.steps, Steps::Tolerance(_));
        match (self.rows.iter().any(adaptive), self.rows.iter().all(adaptive)) {
            (_, true) => "beside the marks: tolerance",
            (true, false) => "beside the marks: tolerance, or step in s",
            (false, _) => "beside the marks: step",
        }
    }

    /// Time at powers of ten of the error that an integrator has reached, read between its runs.
    fn equal_errors(&self) -> Vec<(f64, Vec<(String, f64)>)> {
        let powers = (-15..=0).rev().map(|power| 10f64.powi(power));
        let time = |name: &str, error: f64| {
            let points: Vec<WorkPoint> = self
                .of(name)
                .filter(|(_, m)| m.resolved)
                .map(|(_, m)| WorkPoint { work: m.time, error: m.deviation.largest })
                .collect();
            work_at(&points, error)
        };
        let at = |error: f64| {
            let times =
                self.integrators().into_iter().filter_map(|name| Some((name.to_owned(), time(name, error)?)));
            (error, times.collect::<Vec<_>>())
        };
        powers.map(at).filter(|(_, times)| times.len() > 1).collect()
    }

    fn text(&self) -> String {
        let own = &self.reference.own;
        let mut text = format!("{}\n", self.model);
        text += &format!(
            "  reference   {}: {} (in {})\n\n",
            self.words,
            two_digits(own.largest),
            or_none(&own.track)
        );
        let headings = [
            "integrator",
            "tolerance",
            "step [s]",
            "error",
            "at end",
            "time [s]",
            "steps",
            "rejected",
            "residuals",
            "factorisations",
            "energy",
            "position",
            "velocity",
            "remark",
        ];
        text += &table(&headings, &self.rows.iter().map(|row| self.cells(row)).collect::<Vec<_>>());
        text += &format!(
            "\nerror: largest difference from the reference at {} times over {}, relative to the largest value \
             of each\ntime: of the integration alone, least of {}   energy: largest imbalance, relative   position, \
             velocity: largest constraint residuals\n",
            self.reference.times().len(),
            counted(
                self.reference.record().tracks().len() - self.reference.left_out().count(),
                "quantity",
                "quantities"
            ),
            counted(self.turns, "turn", "turns")
        );
        let left_out: Vec<&str> = self.reference.left_out().collect();
        if !left_out.is_empty() {
            text += &format!(
                "left out, for they are as small as the reference's error: {}\n",
                left_out.join(", ")
            );
        }
        text + &self.equal_errors_text()
    }

    fn equal_errors_text(&self) -> String {
        let found = self.equal_errors();
        if found.is_empty() {
            return String::new();
        }
        let names = self.integrators();
        let headings: Vec<&str> = ["error"].into_iter().chain(names.iter().copied()).collect();
        let row = |(error, times): &(f64, Vec<(String, f64)>)| {
            let time = |name: &&str| {
                times.iter().find(|(n, _)| n == name).map_or(String::new(), |(_, t)| two_digits(*t))
            };
            [short(*error)].into_iter().chain(names.iter().map(time)).collect::<Vec<_>>()
        };
        let rows: Vec<Vec<String>> = found.iter().map(row).collect();
        format!("\nTime [s] at equal error, read between the runs\n\n{}", table(&headings, &rows))
    }

    fn cells(&self, row: &Row) -> Vec<String> {
        let (tolerance, step) = match row.steps {
            Steps::Tolerance(tolerance) => (short(tolerance), String::new()),
            Steps::Length(step) => (String::new(), rounded(step)),
        };
        let mut cells = vec![row.integrator.clone(), tolerance, step];
        match &row.outcome {
            Ok(m) => {
                let c = &m.counters;
                let own = &self.reference.own;
                let error = |value, own| match is_resolved(value, own) {
                    true => two_digits(value),
                    false => format!("< {}", two_digits(value.max(own))),
                };
                let errors = [error(m.deviation.largest, own.largest), error(m.deviation.at_end, own.at_end)];
                let counts = [c.steps, c.rejected, c.residuals, c.factorisations].map(|n| n.to_string());
                cells.extend(errors.into_iter().chain([two_digits(m.time)]).chain(counts));
                cells.extend([m.energy, m.position, m.velocity].map(two_digits));
                cells.push(m.remark());
            }
            Err(reason) => {
                cells.extend(std::iter::repeat_n(String::new(), 10));
                let refused = matches!(reason, RunFailure::Refused(_));
                cells.push(if refused { reason.to_string() } else { format!("failed: {reason}") });
            }
        }
        cells
    }

    fn csv(&self) -> String {
        let mut text = String::from(
            "integrator,tolerance,step [s],error,error at end,worst quantity,resolved,time [s],steps,rejected,residual \
             evaluations,factorisations,energy imbalance,position residual,velocity residual,failure\n",
        );
        for row in &self.rows {
            let (tolerance, step) = match row.steps {
                Steps::Tolerance(tolerance) => (format!("{tolerance:?}"), String::new()),
                Steps::Length(step) => (String::new(), format!("{step:?}")),
            };
            let rest = match &row.outcome {
                Ok(m) => {
                    let (d, c) = (&m.deviation, &m.counters);
                    format!(
                        "{:?},{:?},{},{},{:?},{},{},{},{},{:?},{:?},{:?},",
                        d.largest,
                        d.at_end,
                        quoted(&d.track),
                        m.resolved,
                        m.time,
                        c.steps,
                        c.rejected,
                        c.residuals,
                        c.factorisations,
                        m.energy,
                        m.position,
                        m.velocity
                    )
                }
                Err(reason) => format!("{}{}", ",".repeat(12), quoted(&reason.to_string())),
            };
            text += &format!("{},{tolerance},{step},{rest}\n", quoted(&row.integrator));
        }
        text
    }

    fn json(&self) -> Value {
        let own = &self.reference.own;
        let run = |row: &Row| {
            let (tolerance, step) = match row.steps {
                Steps::Tolerance(tolerance) => (Some(tolerance), None),
                Steps::Length(step) => (None, Some(step)),
            };
            let mut entry = json!({ "integrator": row.integrator, "tolerance": tolerance, "step_s": step });
            let more = match &row.outcome {
                Ok(m) => json!({
                    "error": m.deviation.largest, "error_at_end": m.deviation.at_end,
                    "worst_quantity": m.deviation.track, "resolved": m.resolved, "time_s": m.time,
                    "steps": m.counters.steps, "rejected": m.counters.rejected,
                    "residual_evaluations": m.counters.residuals, "factorisations": m.counters.factorisations,
                    "newton_iterations": m.counters.iterations, "energy_imbalance": m.energy,
                    "position_residual": m.position, "velocity_residual": m.velocity, "halved_steps": m.halved,
                }),
                Err(reason) => json!({ "failure": reason.to_string() }),
            };
            if let (Value::Object(entry), Value::Object(more)) = (&mut entry, more) {
                entry.extend(more);
            }
            entry
        };
        let at_equal_error = self.equal_errors().into_iter().map(|(error, times)| {
            let list = times.into_iter().map(|(name, time)| json!({ "integrator": name, "time_s": time }));
            json!({ "error": error, "times": list.collect::<Vec<_>>() })
        });
        json!({
            "analysis": "compare",
            "model": self.model,
            "program": { "name": "poinsot", "version": env!("CARGO_PKG_VERSION") },
            "reference": {
                "what": self.words, "error": own.largest, "error_at_end": own.at_end, "worst_quantity": own.track,
                "times": self.reference.times().len(),
                "left_out": self.reference.left_out().collect::<Vec<_>>(),
            },
            "turns": self.turns,
            "runs": self.rows.iter().map(run).collect::<Vec<_>>(),
            "at_equal_error": at_equal_error.collect::<Vec<_>>(),
        })
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn or_none(name: &str) -> &str {
    if name.is_empty() { "nothing" } else { name }
}

/// A cell of a CSV file.
pub fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}
