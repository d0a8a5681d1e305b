//! From the request to the curves, with what is measured on them.

use super::family::Family;
use super::measure::{course, halted, measures};
use super::results::{MotionResult, of_motion, of_singular};
use super::{
    Begins, MEASURES, ResponseBranchSummary, ResponseCurveLine, ResponseMark, ResponsePlot,
    ResponsePlotPoint, ResponseSpec, ResponseSummary, SingularMotion,
};
use crate::failure::StudyError;
use crate::parameter_sweep::{SweptModels, value_of};
use crate::periodic::{self, FirstMotion, PeriodSpec, first_motion};
use crate::progress::{Progress, Watch};
use crate::scene::{FrameRecorder, scene};
use crate::study::{Prepared, Product, model_start, prepare};
use crate::summarize;
use poinsot_analysis::{
    Halt, NoObserver, OrbitMember, OrbitPoint, OrbitSingular, OrbitSingularKind, PathSettings,
    PeriodicScheme, PeriodicSettings, ResponseEnding, ResponseObserver, ResponseReport, ResponseSettings,
    ResponseStart, SystemFamily, follow_path, follow_response, hopf_motion,
};
use poinsot_model::spec::ExpectSpec;
use poinsot_model::study::evaluate;
use poinsot_model::{Diagnostic, Model, NamedState, Quantity, Span};
use poinsot_results::{self as results, Artifact, Signals, short};
use std::cell::RefCell;
use std::f64::consts::TAU;
use std::rc::Rc;
use std::time::Instant;

/// Relative change below which what is measured of motions is the same.
const UNCHANGED: f64 = 1e-8;

/// Runs the study.
pub fn run(prepared: Prepared, spec: &ResponseSpec, watch: &dyn Watch) -> Result<Product, StudyError> {
    let from = spec.range[0];
    let models = SweptModels::with_study(&prepared, &spec.parameter);
    if from == value_of(prepared.model, &spec.parameter) {
        return follow(prepared, models, watch);
    }
    let mut models = models;
    let (_, member) = models.at(from)?;
    follow(prepare(&member.model, spec.motion.start)?, models, watch)
}

fn follow(mut prepared: Prepared, models: SweptModels, watch: &dyn Watch) -> Result<Product, StudyError> {
    let clock = Instant::now();
    let model = prepared.model;
    let Some(spec) = model.study_of::<ResponseSpec>() else {
        return Err(crate::failure::RequestError::NoStudy.into());
    };
    let models = Rc::new(RefCell::new(models));
    let scene = scene(model, &prepared.system, &prepared.assembly);
    let (periodic, begun) = begin(&mut prepared, spec, &models)?;
    let mut common = summarize::common(model, &prepared.system, &prepared.start, summarize::completed());
    let mut watcher = Watcher {
        model,
        spec,
        scheme: periodic.scheme,
        models: models.clone(),
        progress: Progress::new(0.0, 1.0, watch),
        recorder: FrameRecorder::new(&scene),
        table: table(model, spec)?,
        seen: vec![],
        singular: vec![],
        measured: vec![None; model.expects.len()],
        done: 0.0,
    };
    let settings = ResponseSettings {
        from: begun.at,
        to: if begun.at == spec.range[1] { spec.range[0] } else { spec.range[1] },
        range: [spec.range[0].min(spec.range[1]), spec.range[0].max(spec.range[1])],
        start: spec.motion.start,
        scheme: periodic.scheme,
        mesh_tolerance: periodic.tolerance,
        breaks: periodic.breaks.iter().copied().filter(|part| *part > 1e-9 && *part < 1.0 - 1e-9).collect(),
        step: spec.step,
        shortest: spec.shortest,
        longest: spec.longest,
        points: spec.motions,
        tolerance: spec.correction,
        multiplier_error: begun.multiplier_error,
        values: values(model),
        switches: spec.switches.iter().map(|switch| (switch.kind, switch.number)).collect(),
    };
    let mut family = Family { models: models.clone() };
    let report = follow_response(&prepared.system, &mut family, begun.start, &settings, &mut watcher)?;
    common.outcome = outcome(&report, spec);
    watcher.judge(begun.hopf);
    common.expectations = summarize::expectations(model, &watcher.measured, spec.motion.start);
    let plot = watcher.picture(&report);
    let entries = watcher.entries();
    let elements = |point: Option<&OrbitPoint>| point.map_or(0, |p| p.orbit.elements() as u64);
    let points = || report.branches.iter().flat_map(|b| &b.points);
    let summary = ResponseSummary {
        common,
        parameter: spec.parameter.clone(),
        from: spec.range[0],
        to: spec.range[1],
        scheme: spec.motion.scheme.words(),
        unknown_period: matches!(spec.motion.period, PeriodSpec::Unknown(_)),
        elements: [elements(points().next()), elements(points().last())],
        remeshed: report.remeshed as u64,
        change: begun.change,
        open: report.open,
        idle: report.idle as u64,
        branches: report.branches.iter().enumerate().map(|(k, _)| branch(k, &report, spec)).collect(),
        singular: entries,
        measured: watcher.measure_name(),
        hopf: begun.hopf,
        iterations: report.iterations as u64,
        rejected_steps: report.rejected as u64,
        builds: report.builds as u64,
        wall_time_s: clock.elapsed().as_secs_f64(),
        set_up_time_s: prepared.set_up,
        warnings: [warnings(&report, spec), watcher.without_effect().into_iter().collect()].concat(),
    };
    let count = points().count();
    let method = format!(
        "Periodic motions along {} by {}, {count} motions.",
        spec.parameter,
        spec.motion.scheme.words()
    );
    let end = end_state(&report, &models)?;
    let plots = watcher.plots();
    let mut recorder = watcher.recorder;
    recorder.frames.finish();
    let axis = results::AxisName { name: "point".into(), unit: String::new(), signal: String::new() };
    let signals = Signals { axis, plots, ..Signals::new(watcher.table) };
    let product = Product::new(Box::new(summary), method, signals).ending(vec![], end);
    Ok(product.with(plot).with(Artifact::Scene(scene, recorder.frames)))
}

/// What a curve begins with.
struct Begun {
    start: ResponseStart,
    /// Value of the parameter.
    at: f64,
    multiplier_error: f64,
    /// Change of the first motion with twice as many elements.
    change: Option<f64>,
    /// Value and frequency (Hz) of the Hopf point.
    hopf: Option<[f64; 2]>,
}

/// Finds the first motion, or the Hopf point.
fn begin(
    prepared: &mut Prepared,
    spec: &ResponseSpec,
    models: &Rc<RefCell<SweptModels>>,
) -> Result<(PeriodicSettings, Begun), StudyError> {
    if spec.begin == Begins::Motion {
        let FirstMotion { report, settings } = first_motion(prepared, &spec.motion)?;
        let floquet = &report.floquet;
        let errors = floquet.multipliers.iter().map(|m| m.error);
        let begun = Begun {
            at: spec.range[0],
            multiplier_error: errors.fold(floquet.gauge.unwrap_or(0.0), f64::max),
            change: Some(report.change),
            hopf: None,
            start: ResponseStart::Orbit(report.orbit),
        };
        return Ok((settings, begun));
    }
    let refused = |span: &Span, message: String, label: &str, help: &str| {
        let diagnostic = Diagnostic::error(message).at(span.clone(), label).help(help);
        Err(StudyError::Model(Box::new(diagnostic)))
    };
    if let PeriodSpec::Known(_) = spec.motion.period {
        let message = "motions that begin at a Hopf point have a period that follows from it".to_owned();
        let help = "give period = \"unknown\" with a `guess`, which is not used then";
        return refused(&spec.motion.period_span, message, "a known period", help);
    }
    if !prepared.system.networks().is_empty() {
        let message = "Hopf points are not found with first-order equations".to_owned();
        let help = "begin at a motion: begin = \"motion\", with `settle`";
        return refused(&spec.begin_span, message, "not with [[equations]]", help);
    }
    let settings = PathSettings {
        range: [spec.range[0].min(spec.range[1]), spec.range[0].max(spec.range[1])],
        branches: false,
        ..PathSettings::between(spec.range[0], spec.range[1])
    };
    let (mut system, _) = models.borrow_mut().at(spec.range[0])?;
    let (state, _) = model_start(prepared.model, &mut system, spec.motion.start)?;
    let mut family = |value: f64| models.borrow_mut().system(value);
    let report = follow_path(system, state, &mut family, &settings, &mut NoObserver)?;
    let Some(found) = report.hopfs.first() else {
        let message = format!(
            "there is no Hopf point on the equilibria from {} = {} to {}",
            spec.parameter, spec.range[0], spec.range[1]
        );
        return refused(
            &spec.begin_span,
            message,
            "no Hopf point",
            "look at them with a study of type \"path\"",
        );
    };
    let at = found.point.parameter;
    let (mut system, _) = models.borrow_mut().at(at)?;
    model_start(prepared.model, &mut system, spec.motion.start)?;
    let elements = spec.motion.elements;
    let motion = hopf_motion(&system, &found.point.state, &found.point.a, found.frequency, elements);
    let Some(motion) = motion else {
        let message = "the small motions at the Hopf point could not be computed".to_owned();
        return refused(&spec.begin_span, message, "here", "begin at a motion instead");
    };
    let begun = Begun {
        start: ResponseStart::Hopf(Box::new(motion)),
        at,
        multiplier_error: 0.0,
        change: None,
        hopf: Some([at, found.frequency / TAU]),
    };
    Ok((periodic::settings(prepared.model, &spec.motion), begun))
}

/// Values of the parameter at which expectations look.
fn values(model: &Model) -> Vec<f64> {
    model.expects.iter().filter_map(|expect| expect.at).collect()
}

/// Indices of the signals that are measured.
fn chosen(model: &Model, spec: &ResponseSpec) -> Vec<usize> {
    spec.signals.clone().unwrap_or_else(|| (0..model.signals.len()).collect())
}

fn table(model: &Model, spec: &ResponseSpec) -> Result<results::SignalTable, StudyError> {
    let column = |name: &str, unit: &str, title: &str| results::Column::new(name, unit, title);
    let mut list = vec![
        column("curve", "", "Number of the curve"),
        column("arc_length", "", "Length of the curve since its start"),
        column(&spec.parameter, "", "The parameter"),
        column("period", "s", "Period of the motion"),
        column("largest_multiplier", "", "Largest |λ|, without that of the motion itself"),
        column("growing", "", "Multipliers outside the unit circle"),
    ];
    for k in chosen(model, spec) {
        let signal = &model.signals[k];
        let unit = signal.unit.clone().unwrap_or_default();
        for (word, title) in MEASURES {
            list.push(column(&format!("{}.{word}", signal.name), &unit, title));
        }
    }
    Ok(results::SignalTable::along(column("point", "", "Number of the motion"), list)?)
}

/// The first motion of the last point.
fn end_state(
    report: &ResponseReport,
    models: &RefCell<SweptModels>,
) -> Result<Option<NamedState>, StudyError> {
    let Some(last) = report.branches.first().and_then(|branch| branch.points.last()) else {
        return Ok(None);
    };
    let (system, member) = models.borrow_mut().at(last.parameter)?;
    Ok(Some(NamedState::of(&member.model, &system, &last.orbit.states[0], &member.assembly)))
}

/// Measures motions as they are found.
struct Watcher<'a> {
    model: &'a Model,
    spec: &'a ResponseSpec,
    scheme: PeriodicScheme,
    models: Rc<RefCell<SweptModels>>,
    progress: Progress<'a>,
    recorder: FrameRecorder,
    table: results::SignalTable,
    /// Curve, arc length and results of each point.
    seen: Vec<(usize, f64, MotionResult)>,
    /// Singular points with the curve and the arc length.
    singular: Vec<(OrbitSingularKind, MotionResult, usize, f64)>,
    measured: Vec<Option<f64>>,
    done: f64,
}

fn is_whole(expect: &ExpectSpec) -> bool {
    let is = |q: &Quantity| matches!(q, Quantity::Result(result) if result.whole.is_some());
    expect.formula.quantities.iter().any(is)
}

impl Watcher<'_> {
    /// All that is measured of a motion; frames are taken at a number of a point.
    fn look(
        &mut self,
        member: &OrbitMember,
        point: &OrbitPoint,
        number: Option<f64>,
    ) -> Result<MotionResult, Halt> {
        let model = self.models.borrow_mut().member(point.parameter);
        let remedy = "look at the model with that value of the parameter";
        let model = model.map_err(|reason| Halt::new(reason.to_string(), remedy))?;
        let frames = number.map(|number| (&mut self.recorder, number, self.spec.frames));
        let rows = self.spec.motion.rows;
        let found = course(&self.scheme, member, &model, point, rows, frames);
        let (times, rows) = found.map_err(|error| halted(&error))?;
        let of = |k: usize| measures(&times, &rows.iter().map(|row| row[k]).collect::<Vec<f64>>());
        Ok(MotionResult {
            parameter: point.parameter,
            period: point.orbit.period,
            measures: (0..self.model.signals.len()).flat_map(of).collect(),
            multiplier: point.multipliers.iter().map(|m| m.log_size.exp()).fold(0.0, f64::max),
            stable: point.unstable == Some(0),
            frequency: 0.0,
        })
    }

    /// Takes the values of expectations for which `due` holds.
    fn measure(&mut self, at: &MotionResult, due: impl Fn(usize, &ExpectSpec) -> bool) {
        let answers = |quantity| match quantity {
            Quantity::Result(result) => of_motion(result, at),
            _ => None,
        };
        for (k, expect) in self.model.expects.iter().enumerate() {
            if due(k, expect) && !is_whole(expect) {
                let value = evaluate(&expect.formula, &answers);
                self.measured[k] = value.is_finite().then_some(value);
            }
        }
    }

    /// Judges the expectations about singular points.
    fn judge(&mut self, hopf: Option<[f64; 2]>) {
        let hopf = hopf.map(|[parameter, frequency]| MotionResult {
            parameter,
            frequency,
            period: 1.0 / frequency,
            ..MotionResult::default()
        });
        let known: Vec<(OrbitSingularKind, MotionResult)> =
            self.singular.iter().map(|(kind, result, ..)| (*kind, result.clone())).collect();
        let answers = |quantity| match quantity {
            Quantity::Result(result) => of_singular(result, &known, hopf.as_ref()),
            _ => None,
        };
        for (expect, measured) in self.model.expects.iter().zip(&mut self.measured) {
            if is_whole(expect) {
                let value = evaluate(&expect.formula, &answers);
                *measured = value.is_finite().then_some(value);
            }
        }
    }

    /// What is said where nothing changes along the parameter.
    fn without_effect(&self) -> Option<String> {
        let (_, _, first) = self.seen.first()?;
        let same = |(_, _, other): &(usize, f64, MotionResult)| {
            // All measures of a signal have its size.
            let signals = first.measures.chunks(MEASURES.len()).zip(other.measures.chunks(MEASURES.len()));
            (first.period - other.period).abs() <= UNCHANGED * first.period
                && (first.multiplier - other.multiplier).abs() <= UNCHANGED * first.multiplier.max(1.0)
                && signals.into_iter().all(|(a, b)| {
                    let size = a.iter().chain(b).fold(0.0, |m: f64, x| m.max(x.abs()));
                    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= UNCHANGED * size)
                })
        };
        let moved = self.seen.last().is_some_and(|(_, _, last)| last.parameter != first.parameter);
        (moved && self.seen.iter().all(same)).then(|| {
            format!("the parameter {} has no effect on the motion that is seen", self.spec.parameter)
        })
    }

    /// The signal of the plot, and what is plotted of it.
    fn plotted(&self) -> Option<(usize, usize)> {
        chosen(self.model, self.spec).first().map(|signal| (*signal, 0))
    }

    fn measure_name(&self) -> String {
        self.plotted().map_or_else(
            || "period".into(),
            |(signal, measure)| format!("{}.{}", self.model.signals[signal].name, MEASURES[measure].0),
        )
    }

    fn plotted_value(&self, of: &MotionResult) -> Option<f64> {
        let value = match self.plotted() {
            Some((signal, measure)) => of.measures.get(signal * MEASURES.len() + measure).copied(),
            None => Some(of.period),
        };
        value.filter(|y| y.is_finite())
    }

    fn plots(&self) -> Vec<results::SignalPlot> {
        let over = |name: String| results::SignalPlot { names: vec![name], x: self.spec.parameter.clone() };
        vec![over(self.measure_name()), over("largest_multiplier".into())]
    }

    fn picture(&self, report: &ResponseReport) -> Option<Artifact> {
        let unit = self.plotted().and_then(|(signal, _)| self.model.signals[signal].unit.clone());
        let y = match unit.as_deref() {
            None | Some("" | "1") => self.measure_name(),
            Some(unit) => format!("{} [{}]", self.measure_name(), results::number::unit(unit)),
        };
        let curve = |k: usize| {
            let mut points: Vec<(f64, ResponsePlotPoint)> = self
                .seen
                .iter()
                .filter(|(branch, ..)| *branch == k)
                .filter_map(|(_, arc, of)| {
                    let y = self.plotted_value(of)?;
                    Some((*arc, ResponsePlotPoint { x: of.parameter, y, stable: of.stable }))
                })
                .collect();
            // The kind of a curve changes at its singular points, not at the next one.
            for (_, of, branch, arc) in &self.singular {
                if *branch == k
                    && let Some(y) = self.plotted_value(of)
                {
                    let next = points.partition_point(|(other, _)| other < arc);
                    let stable = next > 0 && points[next - 1].1.stable;
                    points.insert(next, (*arc, ResponsePlotPoint { x: of.parameter, y, stable }));
                }
            }
            let name = match &report.branches[k].origin {
                None => "first curve".into(),
                Some((index, side)) => {
                    let name = self.name(*index);
                    if *side > 0.0 { format!("from {name}") } else { format!("from {name}, back") }
                }
            };
            let points = points.into_iter().map(|(_, point)| point).collect();
            ResponseCurveLine { name, colour: k, points }
        };
        let curves: Vec<ResponseCurveLine> = (0..report.branches.len()).map(curve).collect();
        let marks = self.singular.iter().enumerate().filter_map(|(k, (kind, of, ..))| {
            Some(ResponseMark {
                x: of.parameter,
                y: self.plotted_value(of)?,
                name: self.name(k),
                crossing: *kind != OrbitSingularKind::Fold,
            })
        });
        let plot = ResponsePlot { x: self.spec.parameter.clone(), y, marks: marks.collect(), curves };
        let any = plot.curves.iter().any(|curve| !curve.points.is_empty());
        any.then(|| Artifact::Drawing(Box::new(plot)))
    }

    /// "fold 1" of a singular point by its index.
    fn name(&self, index: usize) -> String {
        let Some((kind, ..)) = self.singular.get(index) else { return String::new() };
        let number = self.singular[..=index].iter().filter(|(other, ..)| other == kind).count();
        format!("{} {number}", word(*kind))
    }

    fn entries(&self) -> Vec<SingularMotion> {
        let entry = |(k, (kind, of, branch, _)): (usize, &(OrbitSingularKind, MotionResult, usize, f64))| {
            let number = self.singular[..=k].iter().filter(|(other, ..)| other == kind).count();
            SingularMotion {
                kind: word(*kind).into(),
                number: number as u64,
                branch: *branch as u64 + 1,
                parameter: of.parameter,
                period: of.period,
                frequency_hz: of.frequency,
                value: self.plotted_value(of),
            }
        };
        self.singular.iter().enumerate().map(entry).collect()
    }
}

impl ResponseObserver for Watcher<'_> {
    fn point(&mut self, branch: usize, member: &OrbitMember, point: &OrbitPoint) -> Result<bool, Halt> {
        let number = self.table.len() as f64 + 1.0;
        let found = self.look(member, point, Some(number))?;
        let growing = point.unstable.map_or(-1.0, |n| n as f64);
        let mut row = vec![
            (branch + 1) as f64,
            point.arc,
            point.parameter,
            point.orbit.period,
            found.multiplier.min(f64::MAX),
            growing,
        ];
        let first = row.len();
        for k in chosen(self.model, self.spec) {
            let place = k * MEASURES.len();
            row.extend_from_slice(&found.measures[place..place + MEASURES.len()]);
        }
        self.table
            .push_with_gaps(number, &row, first..row.len())
            .map_err(|e| Halt::new(e.to_string(), "look at that signal"))?;
        // At the end of a branch the last point counts.
        self.measure(&found, |_, expect| expect.branch == branch && expect.at.is_none());
        self.seen.push((branch, point.arc, found));
        let way = (point.parameter - self.spec.range[0]) / (self.spec.range[1] - self.spec.range[0]);
        let points = self.table.len() as f64 / self.spec.motions as f64;
        self.done = self.done.max(way).max(points).min(1.0);
        let text = format!("curve {}  {} = {:.5}", branch + 1, self.spec.parameter, point.parameter);
        self.progress.open(self.done, &text);
        Ok(self.progress.goes_on())
    }

    fn singular(&mut self, member: &OrbitMember, singular: &OrbitSingular) -> Result<(), Halt> {
        let mut found = self.look(member, &singular.point, None)?;
        found.frequency = singular.angle / (TAU * singular.point.orbit.period);
        self.singular.push((singular.kind, found, singular.branch, singular.point.arc));
        Ok(())
    }

    fn met(
        &mut self,
        branch: usize,
        index: usize,
        member: &OrbitMember,
        point: &OrbitPoint,
    ) -> Result<(), Halt> {
        let asked = self.model.expects.iter().enumerate().filter(|(_, expect)| expect.at.is_some());
        let Some((wanted, _)) = asked.map(|(k, expect)| (k, expect.branch)).nth(index) else {
            return Ok(());
        };
        if self.measured[wanted].is_none() && self.model.expects[wanted].branch == branch {
            let found = self.look(member, point, None)?;
            self.measure(&found, |k, _| k == wanted);
        }
        Ok(())
    }
}

fn word(kind: OrbitSingularKind) -> &'static str {
    match kind {
        OrbitSingularKind::Fold => "fold",
        OrbitSingularKind::Branch => "branch",
        OrbitSingularKind::Doubling => "doubling",
        OrbitSingularKind::Torus => "torus",
    }
}

fn named(report: &ResponseReport, index: usize) -> String {
    let kind = report.singular[index].kind;
    let number = report.singular[..=index].iter().filter(|s| s.kind == kind).count();
    format!("{} {number}", word(kind))
}

fn branch(k: usize, report: &ResponseReport, spec: &ResponseSpec) -> ResponseBranchSummary {
    let branch = &report.branches[k];
    let values = || branch.points.iter().map(|p| p.parameter);
    let (first, last) = (values().next().unwrap_or_default(), values().next_back().unwrap_or_default());
    ResponseBranchSummary {
        number: k as u64 + 1,
        origin: branch.origin.map_or_else(String::new, |(index, _)| named(report, index)),
        points: branch.points.len() as u64,
        stable_points: branch.points.iter().filter(|p| p.unstable == Some(0)).count() as u64,
        ends: [first, last],
        range: [values().fold(first, f64::min), values().fold(first, f64::max)],
        multiple: branch.points.first().map_or(1, |p| p.multiple as u64),
        ending: match &branch.ending {
            ResponseEnding::Parameter => format!("range of {}", spec.parameter),
            ResponseEnding::Points => "all motions taken".into(),
            ResponseEnding::Interrupted => "stopped by the user".into(),
            ResponseEnding::Failed(..) => "lost".into(),
            ResponseEnding::Halted(_) => "refused".into(),
        },
    }
}

fn lost(parameter: &str, at: f64, arc: f64, reason: &str) -> String {
    let (at, arc) = (short(at, 9), short(arc, 6));
    format!("the curve is lost after {parameter} = {at} at arc length {arc}: {reason}")
}

fn warnings(report: &ResponseReport, spec: &ResponseSpec) -> Vec<String> {
    let mut warnings = vec![];
    for (k, branch) in report.branches.iter().enumerate() {
        match &branch.ending {
            ResponseEnding::Failed(at, arc, reason) if k > 0 => {
                warnings.push(format!("curve {}: {}", k + 1, lost(&spec.parameter, *at, *arc, reason)));
            }
            ResponseEnding::Halted(halt) if k > 0 => {
                warnings.push(format!("curve {} ends: {halt}", k + 1));
            }
            ResponseEnding::Points => warnings.push(format!(
                "curve {} ends because it has {} motions: raise `motions` to go on",
                k + 1,
                branch.points.len()
            )),
            _ => {}
        }
    }
    for (index, reason) in &report.unreached {
        warnings.push(format!("the other curve at {} was not reached: {reason}", named(report, *index)));
    }
    for (kind, number) in &report.unmet {
        warnings.push(format!(
            "there is no {} {} on the curve, at which `switch` was to follow another one",
            word(*kind),
            number + 1
        ));
    }
    warnings
}

/// How the first curve ended.
fn outcome(report: &ResponseReport, spec: &ResponseSpec) -> results::Outcome {
    let (status, message, remedy) = match report.branches.first().map(|b| &b.ending) {
        Some(ResponseEnding::Failed(at, arc, reason)) => (
            results::Status::Failed,
            lost(&spec.parameter, *at, *arc, reason),
            "give a smaller `shortest_step` or more elements, or look at the motion there".into(),
        ),
        Some(ResponseEnding::Halted(halt)) => {
            (results::Status::Failed, halt.message.clone(), halt.remedy.clone())
        }
        _ if report.branches.iter().any(|b| b.ending == ResponseEnding::Interrupted) => {
            (results::Status::Interrupted, "stopped by the user".into(), String::new())
        }
        _ => (results::Status::Completed, String::new(), String::new()),
    };
    results::Outcome { status, message, remedy }
}
