//! The path study: equilibria along a parameter, with limit and bifurcation points.

use crate::equilibrium::results as equilibrium;
use crate::failure::StudyError;
use crate::flexible_audit::FlexibleMonitor;
use crate::parameter_sweep::{SweptModels, value_of, with_value};
use crate::path::results::{SingularResult, answer};
use crate::path::{
    BranchSummary, LoadPath, LoadPathCurve, LoadPathMark, LoadPathPoint, PathSpec, PathSummary, SignalValue,
    SingularEntry,
};
use crate::portrait::PhaseAxis;
use crate::progress::{Progress, Watch};
use crate::record::{columns, of_beam, of_signal};
use crate::scene::{FrameRecorder, scene};
use crate::study::{Prepared, Product};
use crate::summarize;
use poinsot_analysis::{
    Branch, Halt, PathEnding, PathObserver, PathPoint, PathReport, PathSettings, SingularKind, SingularPoint,
    SystemFamily, follow_path, reported_reactions,
};
use poinsot_integrators::instant;
use poinsot_mechanics::{Scratch, State, System};
use poinsot_model::spec::ExpectSpec;
use poinsot_model::study::evaluate;
use poinsot_model::{Model, NamedState, Probe, Quantity, View};
use poinsot_results::{self as results, Artifact, Signals};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

/// Runs the study.
pub fn run(prepared: Prepared, spec: &PathSpec, watch: &dyn Watch) -> Result<Product, StudyError> {
    let from = spec.from.unwrap_or(value_of(prepared.model, &spec.parameter));
    with_value(prepared, &spec.parameter, from, |prepared| follow(prepared, spec, from, watch))
}

fn settings(spec: &PathSpec, from: f64) -> PathSettings {
    let default = PathSettings::between(from, spec.to);
    PathSettings {
        range: spec.range.unwrap_or(default.range),
        step: spec.step,
        shortest: spec.shortest,
        longest: spec.longest,
        points: spec.points,
        tolerance: spec.tolerance,
        branches: spec.branches,
        ..default
    }
}

fn follow(prepared: Prepared, spec: &PathSpec, from: f64, watch: &dyn Watch) -> Result<Product, StudyError> {
    let clock = Instant::now();
    let members = Rc::new(RefCell::new(SweptModels::of(&prepared, &spec.parameter)));
    let mut watcher = Watcher::new(prepared.model, spec, from, members.clone(), watch)?;
    let scene = scene(prepared.model, &prepared.system, &prepared.assembly);
    watcher.recorder = Some(FrameRecorder::new(&scene));
    let Prepared { model, system, state, start, set_up, .. } = prepared;
    let mut common = summarize::common(model, &system, &start, summarize::completed());
    let mut family = |value: f64| members.borrow_mut().system(value);
    let report = follow_path(system, state, &mut family, &settings(spec, from), &mut watcher);
    let report = report?;
    common.outcome = outcome(&report, spec);
    let [limits, bifurcations, hopfs] = watcher.known.clone();
    watcher.judge();
    common.expectations = summarize::expectations(model, &watcher.measured, spec.time);
    common.flexible = watcher.deformation.audits();
    let path = watcher.picture(&report);
    let summary = PathSummary {
        common,
        parameter: spec.parameter.clone(),
        from,
        to: spec.to,
        time: spec.time,
        branches: report.branches.iter().enumerate().map(|(k, b)| branch(k, b, spec, model)).collect(),
        limit_points: entries(model, &report.limits, &limits),
        bifurcations: entries(model, &report.bifurcations, &bifurcations),
        hopf_points: entries(model, &report.hopfs, &hopfs),
        iterations: report.iterations as u64,
        rejected_steps: report.rejected as u64,
        builds: report.builds as u64,
        wall_time_s: clock.elapsed().as_secs_f64(),
        set_up_time_s: set_up,
        warnings: warnings(&report),
    };
    let points: usize = report.branches.iter().map(|b| b.points.len()).sum();
    let method = format!("Path of equilibria along {}, {points} points.", spec.parameter);
    let plots = watcher.plots();
    let end = end_state(&report, &members)?;
    let seen = watcher.recorder.map(|recorder| Artifact::Scene(scene, recorder.frames));
    let axis = results::AxisName::parameter(&spec.parameter, "");
    let signals = Signals { axis, plots, ..Signals::new(watcher.table) };
    let product = Product::new(Box::new(summary), method, signals).ending(vec![], end);
    Ok(product.with(Artifact::Drawing(Box::new(path))).with(seen))
}

/// The state at the end of the first path.
fn end_state(report: &PathReport, members: &RefCell<SweptModels>) -> Result<Option<NamedState>, StudyError> {
    let Some(last) = report.branches.first().and_then(|branch| branch.points.last()) else {
        return Ok(None);
    };
    let (system, member) = members.borrow_mut().at(last.parameter)?;
    // The path has another numbering: its rows in force are those of its start. Nothing moves along it.
    let state = State { v: vec![0.0; system.size()], ..last.state.clone() };
    Ok(Some(NamedState::of(&member.model, &system, &state, &member.assembly)))
}

/// Records the points of a path and measures expectations on it.
struct Watcher<'a> {
    model: &'a Model,
    spec: &'a PathSpec,
    members: Rc<RefCell<SweptModels>>,
    probe: Probe,
    progress: Progress<'a>,
    /// Where the path starts, and what of it is done at least.
    from: f64,
    done: f64,
    /// Where everything is at each point.
    recorder: Option<FrameRecorder>,
    deformation: FlexibleMonitor,
    table: results::SignalTable,
    /// Signal and arc length of each point, for the picture.
    seen: Vec<f64>,
    measured: Vec<Option<f64>>,
    /// Limit points, bifurcations and Hopf points.
    known: [Vec<SingularResult>; 3],
}

/// Whether an expectation names singular points, which belong to the whole path.
fn of_whole_path(expect: &ExpectSpec) -> bool {
    let is = |q: &Quantity| matches!(q, Quantity::Result(result) if result.whole.is_some());
    expect.formula.quantities.iter().any(is)
}

impl<'a> Watcher<'a> {
    fn new(
        model: &'a Model,
        spec: &'a PathSpec,
        from: f64,
        members: Rc<RefCell<SweptModels>>,
        watch: &'a dyn Watch,
    ) -> Result<Self, StudyError> {
        let mut list = vec![
            results::Column::new("branch", "", "Number of the branch"),
            results::Column::new("arc_length", "", "Length of the path since the start of the branch"),
            results::Column::new(spec.parameter.clone(), "", "The parameter"),
            results::Column::new("unstable_directions", "", "Unstable directions; -1 if not known"),
        ];
        if !model.signals.is_empty() {
            list.extend(columns(model));
        }
        let number = results::Column::new("point", "", "Number of the point");
        Ok(Watcher {
            model,
            spec,
            members,
            probe: Probe::default(),
            progress: Progress::new(0.0, 1.0, watch),
            from,
            done: 0.0,
            recorder: None,
            deformation: FlexibleMonitor::new(model, &spec.parameter),
            table: results::SignalTable::along(number, list)?,
            seen: vec![],
            measured: vec![None; model.expects.len()],
            known: [vec![], vec![], vec![]],
        })
    }

    /// Looks at a point with the formulas of its member.
    fn look<T>(
        &mut self,
        system: &System,
        point: &PathPoint,
        see: impl FnOnce(&mut Probe, &View, &[f64]) -> T,
    ) -> Result<T, Halt> {
        let member = self.members.borrow_mut().member(point.parameter);
        let remedy = "look at the model with that value of the parameter";
        let member = member.map_err(|reason| Halt::new(reason.to_string(), remedy))?;
        let a = reported_reactions(system, &point.state, &point.a).unwrap_or_else(|_| point.a.clone());
        let at = instant(&point.state, &a);
        let balance = system.balance(&at, &mut Scratch::default());
        let stable = point.unstable.map(|n| n == 0);
        let answers = |result| equilibrium::answer(result, stable);
        let view = View {
            model: &member.model,
            assembly: &member.assembly,
            system,
            at,
            balance: &balance,
            results: Some(&answers),
        };
        let signals = self.probe.signals(&view);
        Ok(see(&mut self.probe, &view, &signals))
    }

    /// Measures the expectations for which `due` holds.
    fn measure(
        &mut self,
        system: &System,
        point: &PathPoint,
        due: impl Fn(usize, &ExpectSpec) -> bool,
    ) -> Result<(), Halt> {
        let due: Vec<usize> =
            (0..self.model.expects.len()).filter(|&k| due(k, &self.model.expects[k])).collect();
        if due.is_empty() {
            return Ok(());
        }
        let values: Vec<f64> = self.look(system, point, |probe, view, signals| {
            due.iter().map(|&k| probe.formula(&view.model.expects[k].formula, view, signals)).collect()
        })?;
        for (k, value) in due.into_iter().zip(values) {
            self.measured[k] = value.is_finite().then_some(value);
        }
        Ok(())
    }

    /// Judges the expectations about singular points.
    fn judge(&mut self) {
        let known = &self.known;
        let answers = |quantity| match quantity {
            Quantity::Result(result) => answer(result, known),
            _ => None,
        };
        for (expect, measured) in self.model.expects.iter().zip(&mut self.measured) {
            if of_whole_path(expect) {
                let value = evaluate(&expect.formula, &answers);
                *measured = value.is_finite().then_some(value);
            }
        }
    }

    /// The signal that the parameter is plotted against, if there is one.
    fn plotted(&self) -> Option<usize> {
        self.spec.signal.or((!self.model.signals.is_empty()).then_some(0))
    }

    /// The parameter over the signal it is plotted against and over one more: a load path is read with the
    /// load upwards.
    fn plots(&self) -> Vec<results::SignalPlot> {
        let signals = &self.model.signals;
        let second = (0..signals.len()).find(|k| Some(*k) != self.plotted());
        let over = |x: String| results::SignalPlot { names: vec![String::new()], x };
        match self.plotted() {
            Some(first) => {
                [Some(first), second].into_iter().flatten().map(|k| over(signals[k].name.clone())).collect()
            }
            None => vec![over("arc_length".into())],
        }
    }

    fn picture(&self, report: &PathReport) -> LoadPath {
        let signal = self.plotted();
        let named = |name: &str, unit: &str| PhaseAxis {
            name: name.into(),
            unit: unit.into(),
            ..PhaseAxis::default()
        };
        let x = match signal.map(|k| &self.model.signals[k]) {
            Some(signal) => named(&signal.name, signal.unit.as_deref().unwrap_or_default()),
            None => named("arc length", ""),
        };
        let points = [&report.limits, &report.bifurcations, &report.hopfs];
        let all = || self.known.iter().zip(points).flat_map(|(known, points)| known.iter().zip(points));
        // What small motions do has no part in the kind of a curve.
        let statical = || all().filter(|(_, singular)| singular.kind != SingularKind::Hopf);
        let place = |of: &SingularResult, point: &SingularPoint| {
            signal.map_or(Some(point.point.arc), |k| of.signals.get(k).copied()).filter(|x| x.is_finite())
        };
        // The kind of a curve changes at its singular points, not at the next recorded one.
        let with_singular = |branch: usize, mut points: Vec<(f64, LoadPathPoint)>| {
            for (of, singular) in statical().filter(|(_, singular)| singular.branch == branch) {
                let Some(x) = place(of, singular) else { continue };
                let next = points.partition_point(|(arc, _)| *arc < singular.point.arc);
                let stable = next > 0 && points[next - 1].1.stable;
                points.insert(next, (singular.point.arc, LoadPathPoint { x, y: of.parameter, stable }));
            }
            points.into_iter().map(|(_, point)| point).collect::<Vec<_>>()
        };
        let mut seen = self.seen.iter();
        let curve = |(k, branch): (usize, &Branch)| {
            let points = branch.points.iter().zip(&mut seen).map(|(point, x)| {
                let stable = point.unstable == Some(0);
                (point.arc, LoadPathPoint { x: *x, y: point.parameter, stable })
            });
            // Where the signal has no value there is no point.
            let points = with_singular(k, points.filter(|(_, point)| point.x.is_finite()).collect());
            let name = if k == 0 { "first path".into() } else { format!("branch {}", k + 1) };
            LoadPathCurve { name, points }
        };
        let curves = report.branches.iter().enumerate().map(curve).collect();
        let marks = all().filter_map(|(of, singular)| {
            let kind = singular.kind;
            place(of, singular).map(|x| LoadPathMark { x, y: of.parameter, kind })
        });
        LoadPath { x, y: named(&self.spec.parameter, ""), curves, marks: marks.collect() }
    }
}

impl PathObserver for Watcher<'_> {
    fn point(&mut self, branch: usize, system: &System, point: &PathPoint) -> Result<bool, Halt> {
        let mut recorder = self.recorder.take();
        let mut deformation = std::mem::take(&mut self.deformation);
        let (folded, signals) = self.look(system, point, |probe, view, signals| {
            if let Some(recorder) = &mut recorder {
                recorder.record(view.model, system, view.assembly, &view.at, point.parameter);
            }
            deformation.note(system, view.assembly, view.model, &view.at, point.parameter);
            (probe.folded_beam(view), signals.to_vec())
        })?;
        (self.recorder, self.deformation) = (recorder, deformation);
        if let Some(folded) = folded {
            return Err(of_beam(&folded));
        }
        let unstable = point.unstable.map_or(-1.0, |n| n as f64);
        let mut row = vec![(branch + 1) as f64, point.arc, point.parameter, unstable];
        let first = row.len();
        row.extend_from_slice(&signals);
        let number = self.table.len() as f64 + 1.0;
        self.table.push_with_gaps(number, &row, first..row.len()).map_err(|e| of_signal(&e))?;
        self.seen.push(self.plotted().map_or(point.arc, |k| signals[k]));
        // At the end of a branch the last point counts; one that starts at the value is met there.
        let watched = self.watched(branch, system, point);
        let met: Vec<usize> =
            expected(self.model).filter(|(j, _)| watched.get(*j) == Some(&0.0)).map(|(_, k)| k).collect();
        let measured: Vec<bool> = self.measured.iter().map(Option::is_some).collect();
        self.measure(system, point, |k, expect| {
            let at_end = expect.at.is_none() && !of_whole_path(expect);
            expect.branch == branch && (at_end || (met.contains(&k) && !measured[k]))
        })?;
        // The way may turn back and branches follow: nobody knows the end.
        let way = (point.parameter - self.from) / (self.spec.to - self.from);
        let points = self.table.len() as f64 / self.spec.points as f64;
        self.done = self.done.max(way).max(points).min(1.0);
        let text = format!("branch {}  {} = {:.5}", branch + 1, self.spec.parameter, point.parameter);
        self.progress.open(self.done, &text);
        Ok(self.progress.goes_on())
    }

    fn watched(&mut self, branch: usize, system: &System, point: &PathPoint) -> Vec<f64> {
        let expects: Vec<&ExpectSpec> = expected(self.model).map(|(_, k)| &self.model.expects[k]).collect();
        let bounds = self.spec.signal.zip(self.spec.signal_range);
        if expects.is_empty() && bounds.is_none() {
            return vec![];
        }
        let count = expects.len() + 2 * usize::from(bounds.is_some());
        let values = self.look(system, point, |_, _, signals| {
            let gap = |expect: &&ExpectSpec| match (expect.branch == branch, expect.when, expect.at) {
                (true, Some(signal), Some(at)) => signals[signal] - at,
                (true, None, Some(at)) => point.parameter - at,
                _ => 1.0,
            };
            let mut values: Vec<f64> = expects.iter().map(gap).collect();
            if let Some((signal, [low, high])) = bounds {
                values.extend([signals[signal] - low, high - signals[signal]]);
            }
            values
        });
        values.unwrap_or_else(|_| vec![f64::NAN; count])
    }

    fn ends(&self, index: usize) -> bool {
        index >= expected(self.model).count()
    }

    fn singular(&mut self, system: &System, singular: &SingularPoint) {
        // A signal without a value is told as such where it is asked for.
        let signals =
            self.look(system, &singular.point, |_, _, signals| signals.to_vec()).unwrap_or_default();
        let (parameter, multiplicity) = (singular.point.parameter, singular.multiplicity);
        let kind = match singular.kind {
            SingularKind::Limit => 0,
            SingularKind::Bifurcation => 1,
            SingularKind::Hopf => 2,
        };
        let frequency = singular.frequency / std::f64::consts::TAU;
        self.known[kind].push(SingularResult { parameter, signals, multiplicity, frequency });
    }

    fn met(&mut self, branch: usize, index: usize, system: &System, point: &PathPoint) {
        let Some((_, k)) = expected(self.model).nth(index) else { return };
        if self.measured[k].is_none() && self.model.expects[k].branch == branch {
            // A formula without a value stays unmeasured.
            self.measure(system, point, |other, _| other == k).ok();
        }
    }
}

/// Expectations at a value, numbered among themselves and among all.
fn expected(model: &Model) -> impl Iterator<Item = (usize, usize)> + '_ {
    let at_value = model.expects.iter().enumerate().filter(|(_, e)| e.at.is_some());
    at_value.enumerate().map(|(j, (k, _))| (j, k))
}

fn entries(model: &Model, points: &[SingularPoint], known: &[SingularResult]) -> Vec<SingularEntry> {
    let entry = |(k, (singular, known)): (usize, (&SingularPoint, &SingularResult))| {
        let signals = model.signals.iter().zip(&known.signals).filter(|(_, value)| value.is_finite());
        SingularEntry {
            number: k as u64 + 1,
            branch: singular.branch as u64 + 1,
            parameter: known.parameter,
            multiplicity: known.multiplicity as u64,
            frequency_hz: (known.frequency > 0.0).then_some(known.frequency),
            unstable: singular.point.unstable.map(|n| n as u64),
            signals: signals
                .map(|(signal, value)| SignalValue {
                    name: signal.name.clone(),
                    value: *value,
                    unit: signal.unit.clone().unwrap_or_default(),
                })
                .collect(),
        }
    };
    points.iter().zip(known).enumerate().map(entry).collect()
}

fn branch(k: usize, branch: &Branch, spec: &PathSpec, model: &Model) -> BranchSummary {
    let values = || branch.points.iter().map(|p| p.parameter);
    let (first, last) = (values().next().unwrap_or_default(), values().next_back().unwrap_or_default());
    BranchSummary {
        number: k as u64 + 1,
        bifurcation: branch.origin.map(|(index, _)| index as u64 + 1),
        points: branch.points.len() as u64,
        ends: [first, last],
        range: [values().fold(first, f64::min), values().fold(first, f64::max)],
        stable_points: branch.points.iter().filter(|p| p.unstable == Some(0)).count() as u64,
        ending: match &branch.ending {
            PathEnding::Parameter => format!("range of {}", spec.parameter),
            PathEnding::Watched(_) => {
                spec.signal.map_or(String::new(), |k| format!("range of {}", model.signals[k].name))
            }
            PathEnding::Points => "all points taken".into(),
            PathEnding::Interrupted => "stopped by the user".into(),
            PathEnding::Failed(_) => "lost".into(),
            PathEnding::Halted(_) => "refused".into(),
        },
    }
}

fn warnings(report: &PathReport) -> Vec<String> {
    let mut warnings = vec![];
    for (k, branch) in report.branches.iter().enumerate() {
        match &branch.ending {
            PathEnding::Failed(failure) if k > 0 => warnings.push(format!("branch {}: {failure}", k + 1)),
            PathEnding::Halted(halt) if k > 0 => warnings.push(format!("branch {} ends: {halt}", k + 1)),
            PathEnding::Points => warnings.push(format!(
                "branch {} ends because it has {} points: raise `points` to go on",
                k + 1,
                branch.points.len()
            )),
            _ => {}
        }
    }
    for (index, side) in &report.unreached {
        let side = if *side > 0.0 { "one" } else { "other" };
        warnings.push(format!(
            "no crossing path was reached to the {side} side of bifurcation {}: it may be followed from a start nearby",
            index + 1
        ));
    }
    for (k, bifurcation) in report.bifurcations.iter().enumerate().filter(|(_, b)| b.multiplicity > 1) {
        warnings.push(format!(
            "bifurcation {} is {}-fold: its crossing paths are not followed; a small disturbance tells them apart",
            k + 1,
            bifurcation.multiplicity
        ));
    }
    let unknown = |b: &Branch| b.points.iter().any(|p| p.unstable.is_none());
    if report.branches.iter().any(unknown) {
        warnings.push(
            "the stability of some points is not known: bifurcations near them were not looked for".into(),
        );
    }
    warnings
}

/// How the first path ended.
fn outcome(report: &PathReport, spec: &PathSpec) -> results::Outcome {
    let (status, message, remedy) = match report.branches.first().map(|b| &b.ending) {
        Some(PathEnding::Failed(failure)) => (
            results::Status::Failed,
            failure.to_string(),
            format!(
                "give a smaller `shortest_step`, look at the position there, or start the path of {} elsewhere",
                spec.parameter
            ),
        ),
        Some(PathEnding::Halted(halt)) => {
            (results::Status::Failed, halt.message.clone(), halt.remedy.clone())
        }
        _ if report.branches.iter().any(|b| b.ending == PathEnding::Interrupted) => {
            (results::Status::Interrupted, "stopped by the user".into(), String::new())
        }
        _ => (results::Status::Completed, String::new(), String::new()),
    };
    results::Outcome { status, message, remedy }
}
