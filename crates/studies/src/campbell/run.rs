//! The campbell study: modes as functions of a parameter.

use crate::campbell::CampbellSpec;
use crate::campbell::failure::{AtValueError, SweptError};
use crate::campbell::results::answer;
use crate::campbell::{
    CampbellBranch, CampbellCrossing, CampbellInstability, CampbellPlot, CampbellSummary, CampbellVeering,
    Whirl,
};
use crate::failure::{Interrupted, StudyError};
use crate::flexible_audit::FlexibleMonitor;
use crate::initial::{begin, begin_as_modelled};
use crate::modes::Mode;
use crate::parameter_sweep::{SweptModel, SweptModels};
use crate::progress::{Progress, Watch};
use crate::scene::{FrameRecorder, scene};
use crate::shapes::{amplitudes, deformations, shapes_about};
use crate::small_motions::{About, about_words, base_state, doubts, no_verdict, observer_name};
use crate::study::{Prepared, Product};
use crate::summarize;
use poinsot_analysis::{Campbell, CampbellStudy, InstabilityKind, ModeBranch, Spectrum, campbell};
use poinsot_geometry::Vec3;
use poinsot_integrators::instant;
use poinsot_mechanics::{Scratch, State, System};
use poinsot_model::spec::{BodyKind, BodyRef, Model};
use poinsot_model::{Assembly, Probe, View};
use poinsot_results::scene::Scene;
use poinsot_results::{self as results, Artifact, Signals};
use std::f64::consts::TAU;
use std::rc::Rc;
use std::time::Instant;

/// Values of the parameter at which the page shows shapes, at most.
const SHOWN: usize = 12;

/// Runs the study.
pub fn run(prepared: Prepared, spec: &CampbellSpec, watch: &dyn Watch) -> Result<Product, StudyError> {
    let clock = Instant::now();
    let mut sweep = Sweep::new(&prepared, spec, watch)?;
    let study = CampbellStudy {
        values: values(prepared.model, spec),
        count: spec.count,
        orders: spec.orders.clone(),
    };
    let found = campbell(&study, &mut |value| sweep.spectrum(value, &study), &|| !watch.goes_on())?;
    if found.values.is_empty() {
        return Err(Interrupted.into());
    }
    // What was stopped did not get to the values of the expectations.
    let expectations = if found.stopped { vec![] } else { sweep.expectations(&found)? };
    let table = sweep.table(&found)?;
    let summary = sweep.summary(&study, &found, expectations, clock.elapsed().as_secs_f64());
    let method = format!("Modes about the {} against {}.", about_words(spec.about), spec.parameter);
    let diagram = (!found.branches.is_empty()).then(|| Artifact::Drawing(Box::new(plot(spec, &found))));
    let axis = results::AxisName::parameter(&spec.parameter, unit(spec));
    let plots = signal_plots(&found);
    let scene = scene(prepared.model, &prepared.system, &prepared.assembly);
    let (frames, shapes) = sweep.shapes(&found, &scene)?;
    // Shapes at many values of a parameter are for the page alone.
    let shapes = shapes.map(|shapes| Artifact::Shapes { shapes, drawn: false });
    let signals = Signals { axis, plots, ..Signals::new(table) };
    let product = Product::new(Box::new(summary), method, signals);
    Ok(product.with(shapes).with(diagram).with(Artifact::Scene(scene, frames)))
}

/// Unit of the parameter, where it is the speed of rotation.
fn unit(spec: &CampbellSpec) -> &'static str {
    if spec.speed == spec.parameter { "rad/s" } else { "" }
}

/// Frequencies over the parameter, and damping ratios if there is damping.
fn signal_plots(found: &Campbell) -> Vec<results::SignalPlot> {
    let of = |what: &str| results::SignalPlot {
        names: (1..=found.branches.len()).map(|k| format!("mode{k}.{what}")).collect(),
        x: String::new(),
    };
    let rows = 0..found.values.len();
    // What is rounding is nothing.
    let damped = |branch: &ModeBranch| rows.clone().any(|row| damping_ratio(branch, row).abs() > 1e-9);
    match (found.branches.is_empty(), found.branches.iter().any(damped)) {
        (true, _) => vec![],
        (false, true) => vec![of("frequency"), of("damping_ratio")],
        (false, false) => vec![of("frequency")],
    }
}

/// Indices of some of so many values, evenly, with the first and the last.
fn some_rows(values: usize) -> Vec<usize> {
    let last = values.saturating_sub(1);
    let count = values.min(SHOWN);
    (0..count).map(|k| if count > 1 { k * last / (count - 1) } else { 0 }).collect()
}

/// The values of the parameter: evenly spaced, and those that expectations ask for.
fn values(model: &Model, spec: &CampbellSpec) -> Vec<f64> {
    let ([low, high], last) = (spec.range, spec.points - 1);
    let even = |k: usize| if k == last { high } else { low + (high - low) * k as f64 / last as f64 };
    let mut values: Vec<f64> = (0..spec.points).map(even).collect();
    values.extend(model.expects.iter().filter_map(|expect| expect.at));
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

/// What a position of rest leaves to start the next search from.
struct Rest {
    value: f64,
    state: State,
    /// The frame of the scene.
    frame: Vec<f32>,
    /// Variables of networks.
    variables: Vec<f64>,
    signals: Vec<f64>,
}

/// The model at changing values of the parameter.
struct Sweep<'a> {
    prepared: &'a Prepared<'a>,
    spec: &'a CampbellSpec,
    axis: Option<Vec3>,
    rests: Vec<Rest>,
    warnings: Vec<String>,
    deformation: FlexibleMonitor,
    progress: Progress<'a>,
    /// Values of the study that were begun.
    planned: usize,
}

impl<'a> Sweep<'a> {
    fn new(
        prepared: &'a Prepared<'a>,
        spec: &'a CampbellSpec,
        watch: &'a dyn Watch,
    ) -> Result<Self, StudyError> {
        let progress = Progress::new(spec.range[0], spec.range[1], watch);
        let deformation = FlexibleMonitor::new(prepared.model, &spec.parameter);
        let (rests, warnings) = (vec![], vec![]);
        let mut sweep =
            Sweep { prepared, spec, axis: None, rests, warnings, deformation, progress, planned: 0 };
        // At the ends of the range, because there may be no rotation at one of them.
        for value in [spec.range[1], spec.range[0]] {
            let (_, member) = sweep.model_at(value)?;
            sweep.axis = sweep.axis.or(axis(&member.model, spec.observer));
        }
        Ok(sweep)
    }

    /// The model with a value of the parameter, and its system, not started.
    fn model_at(&self, value: f64) -> Result<(System, Rc<SweptModel>), StudyError> {
        let name = &self.spec.parameter;
        let swept = |reason| StudyError::from(SweptError { parameter: name.clone(), value, reason });
        SweptModels::of(self.prepared, name).build(value).map_err(swept)
    }

    /// Hands the state at a value to `read`, an equilibrium found from the nearest known one.
    fn with<T>(
        &self,
        value: f64,
        read: impl FnOnce(&Prepared, &State, &[f64]) -> Result<T, StudyError>,
    ) -> Result<T, StudyError> {
        let (mut system, member) = self.model_at(value)?;
        let (about, time) = (self.spec.about, self.spec.time);
        let at_value = |cause: StudyError| {
            StudyError::from(AtValueError {
                parameter: self.spec.parameter.clone(),
                value,
                cause: Box::new(cause),
            })
        };
        let nearest =
            self.rests.iter().min_by(|a, b| (a.value - value).abs().total_cmp(&(b.value - value).abs()));
        if let (About::Equilibrium, Some(rest)) = (about, nearest) {
            rest.start(&mut system, time);
        }
        let SweptModel { model, assembly } = &*member;
        let prepared = match (about, nearest) {
            (About::Equilibrium, Some(_)) => begin_as_modelled(model, system, assembly.clone(), time),
            _ => begin(model, system, assembly.clone(), time),
        };
        let prepared = prepared.map_err(at_value)?;
        let (state, a) = base_state(&prepared, about, time).map_err(at_value)?;
        read(&prepared, &state, &a).map_err(at_value)
    }

    fn spectrum(&mut self, value: f64, study: &CampbellStudy) -> Result<Spectrum, StudyError> {
        self.say(value, study);
        let (spec, axis) = (self.spec, self.axis);
        let is_first = self.rests.is_empty();
        let mut deformation = std::mem::take(&mut self.deformation);
        let (spectrum, rest, doubts) = self.with(value, |prepared, state, a| {
            let Prepared { model, system, assembly, .. } = prepared;
            let speed = model.parameters.iter().find(|p| p.name == spec.speed).map_or(0.0, |p| p.value);
            let node = assembly.node(spec.observer);
            deformation.note(system, assembly, model, &instant(state, a), value);
            let spectrum = Spectrum::about(system, (state, a), node, spec.count, (speed, axis))?;
            let doubts = if is_first { doubts(prepared, spec.about, state, a) } else { vec![] };
            Ok((spectrum, Rest::new(value, prepared, state, a), doubts))
        })?;
        self.deformation = deformation;
        self.rests.push(rest);
        self.warnings.extend(doubts);
        Ok(spectrum)
    }

    /// Progress by the values of the study that are done; crossings and onsets are located after the last.
    fn say(&mut self, value: f64, study: &CampbellStudy) {
        let at = format!("{} = {value:.5}", self.spec.parameter);
        match study.values.get(self.planned) {
            Some(_) => self.progress.share(self.planned as f64 / study.values.len() as f64, &at),
            None => self.progress.share(1.0, &format!("{at}, locating")),
        }
        self.planned += usize::from(study.values.get(self.planned) == Some(&value));
    }

    /// The expectations with the numbers that the model has at their value of the parameter.
    fn expectations(&self, found: &Campbell) -> Result<Vec<results::Expectation>, StudyError> {
        let expects = &self.prepared.model.expects;
        let value_of = |k: usize| expects[k].at.unwrap_or(self.spec.range[1]);
        let mut judged: Vec<Option<results::Expectation>> = vec![None; expects.len()];
        for k in 0..expects.len() {
            if judged[k].is_some() {
                continue;
            }
            // All that belong to this value at once.
            let value = value_of(k);
            let row = found.values.iter().position(|v| *v == value);
            let answers = |result| answer(result, found, row);
            let here = self.with(value, |prepared, state, a| {
                let measured = summarize::snapshot(prepared, state, a, &answers)?.1;
                Ok(summarize::expectations(prepared.model, &measured, self.spec.time))
            })?;
            for (i, mut one) in here.into_iter().enumerate().filter(|(i, _)| value_of(*i) == value) {
                one.signal += &format!(" ({} = {value})", self.spec.parameter);
                one.at = self.spec.time;
                judged[i] = Some(one);
            }
        }
        Ok(judged.into_iter().flatten().collect())
    }

    /// One row for each value: the parameter, the modes, the signals of the model.
    fn table(&self, found: &Campbell) -> Result<results::SignalTable, StudyError> {
        let (spec, model) = (self.spec, self.prepared.model);
        let mut columns = vec![results::Column::new(&spec.parameter, "", "the parameter that is changed")];
        let has_speed = spec.speed != spec.parameter;
        if has_speed {
            columns.push(results::Column::new(&spec.speed, "rad/s", "speed of rotation"));
        }
        for k in 1..=found.branches.len() {
            let column = |what: &str, unit: &str, words: &str| {
                results::Column::new(format!("mode{k}.{what}"), unit, words)
            };
            columns.push(column("frequency", "Hz", "frequency"));
            columns.push(column("damping_ratio", "", "damping ratio"));
            columns.push(column("real", "1/s", "growth"));
            columns.push(column("whirl", "", "1 forwards, −1 backwards, 0 neither"));
            columns.push(column("assurance", "", "modal assurance criterion with the row before"));
        }
        if !model.signals.is_empty() {
            columns.extend(crate::record::columns(model));
        }
        let mut table = results::SignalTable::new(columns)?;
        for (row, &value) in found.values.iter().enumerate() {
            let mut cells = vec![value];
            cells.extend(has_speed.then_some(found.speeds[row]));
            found.branches.iter().for_each(|branch| cells.extend(cells_of(branch, row)));
            let signals = self.rests.iter().find(|rest| rest.value == value).map(|rest| &rest.signals);
            let first = cells.len();
            cells.extend(signals.into_iter().flatten());
            table.push_with_gaps(spec.time, &cells, first..cells.len())?;
        }
        Ok(table)
    }

    /// Frames of some values of the parameter, and the shapes of all modes about them, mode by mode.
    fn shapes(
        &self,
        found: &Campbell,
        scene: &Scene,
    ) -> Result<(results::Frames, Option<results::ModeShapes>), StudyError> {
        let mut frames = results::Frames::new(results::FrameSize::of(scene));
        let rest_at = |row: usize| self.rests.iter().find(|rest| rest.value == found.values[row]);
        let rows = some_rows(found.values.len()).into_iter();
        let shown: Vec<(usize, &Rest)> = rows
            .filter_map(|row| rest_at(row).map(|rest| (row, rest)))
            .filter(|(_, rest)| rest.frame.iter().all(|x| x.is_finite()))
            .collect();
        shown.iter().for_each(|(_, rest)| frames.push(rest.value, &rest.frame));
        let Some((_, first)) = shown.first().filter(|_| !scene.bodies.is_empty()) else {
            return Ok((frames, None));
        };
        let mut shapes = vec![];
        for (k, branch) in found.branches.iter().enumerate() {
            for (frame, (row, rest)) in shown.iter().enumerate() {
                if branch.values[*row].norm() > 0.0 && !branch.shapes[*row].is_empty() {
                    let number = shapes.len() as u64 + 1;
                    let shape = self.shape((k, branch), *row, rest);
                    shapes.push(results::ModeShape { number, frame, ..shape });
                }
            }
        }
        let shapes = match shapes.is_empty() {
            true => None,
            false => Some(shapes_about(self.prepared, &first.state, shapes)?),
        };
        Ok((frames, shapes))
    }

    /// The shape of a mode at a value: complex, so that a whirl goes forwards or backwards as it does.
    fn shape(&self, (k, branch): (usize, &ModeBranch), row: usize, rest: &Rest) -> results::ModeShape {
        let (spec, value) = (self.spec, branch.values[row]);
        let eigenvalue = results::Complex::new(value.re, value.im);
        let mode = Mode::of(k as u64 + 1, eigenvalue, 1e-9 * value.norm(), vec![]);
        let at = format!("{} {}", results::short(rest.value, 5), unit(spec));
        let whirl = Whirl::of(branch.whirls[row]).word();
        let hertz = results::short(mode.frequency_hz, 5);
        let name = format!("mode {} at {} = {}: {hertz} Hz", k + 1, spec.parameter, at.trim_end());
        let damping = if mode.damping_ratio.abs() < 1e-9 { 0.0 } else { mode.damping_ratio };
        results::ModeShape {
            name,
            details: vec![
                ("Mode".into(), (k + 1).to_string()),
                (spec.parameter.clone(), at.trim_end().to_owned()),
                ("Frequency".into(), format!("{hertz} Hz")),
                ("Damping".into(), format!("{} %", results::short(100.0 * damping, 3))),
                ("Whirl".into(), whirl.into()),
            ],
            eigenvalue,
            frequency_hz: mode.frequency_hz,
            damping_ratio: mode.damping_ratio,
            kind: mode.kind,
            bodies: amplitudes(self.prepared, &rest.state.frames, &branch.shapes[row]),
            amplitudes: deformations(self.prepared, &branch.shapes[row]),
            ..results::ModeShape::default()
        }
    }

    fn summary(
        &self,
        study: &CampbellStudy,
        found: &Campbell,
        expectations: Vec<results::Expectation>,
        wall_time_s: f64,
    ) -> CampbellSummary {
        let (spec, Prepared { model, system, start, set_up, .. }) = (self.spec, self.prepared);
        let outcome = if found.stopped { stopped(spec, found) } else { summarize::completed() };
        let mut common = summarize::common(model, system, start, outcome);
        common.expectations = expectations;
        common.flexible = self.deformation.audits();
        let mut warnings = self.warnings.clone();
        for (value, branches) in &found.mixed {
            let numbers: Vec<String> = branches.iter().map(|k| (k + 1).to_string()).collect();
            warnings.push(format!(
                "near {} = {value} the shapes of modes {} change too quickly to be followed: from there on their numbers may be \
                 exchanged; more `points` may help",
                spec.parameter,
                numbers.join(", ")
            ));
        }
        CampbellSummary {
            common,
            about: about_words(spec.about),
            time: spec.time,
            observer: observer_name(self.prepared, spec.observer),
            parameter: spec.parameter.clone(),
            speed: spec.speed.clone(),
            range: spec.range,
            values: found.values.len() as u64,
            inserted: inserted(study, found),
            branches: found.branches.iter().enumerate().map(branch).collect(),
            crossings: found.crossings.iter().map(crossing).collect(),
            instabilities: found.instabilities.iter().map(instability).collect(),
            lowest_only: !found.complete,
            no_verdict: found.changing.as_ref().map_or(String::new(), |(value, changing)| {
                format!("at {} = {value} {}", spec.parameter, no_verdict(changing, spec.time).reason)
            }),
            undecided: undecided(spec, found),
            veerings: found.veerings.iter().map(veering).collect(),
            method: found.method.into(),
            evaluations: found.evaluations as u64,
            wall_time_s,
            set_up_time_s: *set_up,
            warnings,
        }
    }
}

/// Values that are not of the study itself, which stand in order.
fn inserted(study: &CampbellStudy, found: &Campbell) -> u64 {
    let is_new = |v: &&f64| study.values.binary_search_by(|x| x.total_cmp(v)).is_err();
    found.values.iter().filter(is_new).count() as u64
}

/// The outcome of a study that the user has stopped.
fn stopped(spec: &CampbellSpec, found: &Campbell) -> results::Outcome {
    let last = found.values.last().copied().unwrap_or(spec.range[0]);
    results::Outcome {
        status: results::Status::Interrupted,
        message: format!("stopped by the user at {} = {}", spec.parameter, results::short(last, 6)),
        ..summarize::completed()
    }
}

/// Why modes that seem to be zero may be none.
fn undecided(spec: &CampbellSpec, found: &Campbell) -> Option<String> {
    let (first, last) = found.unresolved.first().zip(found.unresolved.last())?;
    let (name, first, last) = (&spec.parameter, results::short(*first, 6), results::short(*last, 6));
    Some(format!(
        "beside the stiffest parts slow modes cannot be told from freedoms without stiffness \
         (from {name} = {first} to {last})"
    ))
}

impl Rest {
    fn new(value: f64, prepared: &Prepared, state: &State, a: &[f64]) -> Rest {
        let Prepared { model, system, assembly, .. } = prepared;
        let networks = system.networks().iter();
        let variables =
            networks.flat_map(|n| (0..n.law.variables.len()).map(|j| state.v[n.unknown(j)])).collect();
        Rest {
            value,
            state: state.clone(),
            frame: FrameRecorder::default().row(model, system, assembly, &instant(state, a)).to_vec(),
            variables,
            signals: signals((model, system, assembly), state, a),
        }
    }

    /// Makes this the start of a system that has the same parts.
    fn start(&self, system: &mut System, time: f64) {
        let mut state = system.start_state(time);
        state.v.fill(0.0);
        let unknowns: Vec<usize> = system
            .networks()
            .iter()
            .flat_map(|n| (0..n.law.variables.len()).map(|j| n.unknown(j)).collect::<Vec<_>>())
            .collect();
        if self.state.frames.len() == state.frames.len() && self.variables.len() == unknowns.len() {
            state.frames.clone_from(&self.state.frames);
            unknowns.iter().zip(&self.variables).for_each(|(&i, value)| state.v[i] = *value);
            system.set_start(&state);
        }
    }
}

/// The signals of a model at a state.
fn signals((model, system, assembly): (&Model, &System, &Assembly), state: &State, a: &[f64]) -> Vec<f64> {
    let at = instant(state, a);
    let balance = system.balance(&at, &mut Scratch::default());
    Probe::default().signals(&View { model, assembly, system, at, balance: &balance, results: None })
}

/// The axis that things rotate about: of the turning frame, of the observer, of a gyrostat, of the body that
/// turns fastest.
fn axis(model: &Model, observer: BodyRef) -> Option<Vec3> {
    let spin = |k: usize| match &model.bodies[k].kind {
        BodyKind::Rigid(rigid) => rigid.angular_velocity,
        BodyKind::BeamNode(node) | BodyKind::FloatingFrame(node) | BodyKind::Interface(node) => {
            node.angular_velocity
        }
        BodyKind::CableNode(cable) => cable.node.angular_velocity,
        BodyKind::Point(_) | BodyKind::PlateNode(_) => Vec3::zeros(),
    };
    let frame = model.turning.map(|frame| frame.rate);
    let observed = match observer {
        BodyRef::Body(k) => Some(spin(k)),
        BodyRef::Ground => None,
    };
    let gyrostat = model.forces.iter().find_map(|force| force.kind.spin());
    let gyrostat = gyrostat.map(|(on, axis, momentum)| model.pose(on).rotation * axis * momentum);
    let spins = (0..model.bodies.len()).map(spin);
    let fastest = spins.max_by(|a, b| a.norm().total_cmp(&b.norm()));
    let candidates = [frame, observed, gyrostat, fastest].into_iter().flatten();
    candidates.filter_map(|axis| axis.try_normalize(f64::MIN_POSITIVE)).next()
}

fn damping_ratio(branch: &ModeBranch, row: usize) -> f64 {
    let value = branch.values[row];
    if value.norm() > 0.0 { 0.0 - value.re / value.norm() } else { 0.0 }
}

fn cells_of(branch: &ModeBranch, row: usize) -> [f64; 5] {
    let value = branch.values[row];
    let whirl = branch.whirls[row].unwrap_or(0.0);
    [value.im / TAU, damping_ratio(branch, row), value.re, whirl, branch.assurance[row]]
}

fn branch((k, branch): (usize, &ModeBranch)) -> CampbellBranch {
    let ends = [0, branch.values.len() - 1];
    CampbellBranch {
        number: k as u64 + 1,
        frequency_hz: ends.map(|row| branch.values[row].im / TAU),
        damping_ratio: ends.map(|row| damping_ratio(branch, row)),
        whirl: ends.map(|row| Whirl::of(branch.whirls[row])),
    }
}

fn crossing(c: &poinsot_analysis::OrderCrossing) -> CampbellCrossing {
    let mode = c.branch as u64 + 1;
    CampbellCrossing { value: c.value, mode, order: c.order, frequency_hz: c.frequency }
}

fn instability(i: &poinsot_analysis::Instability) -> CampbellInstability {
    let kind = match i.kind {
        InstabilityKind::Divergence => "divergence",
        InstabilityKind::Flutter => "flutter",
    };
    CampbellInstability {
        from: i.from,
        to: i.to,
        kind: kind.into(),
        frequency_hz: i.frequency,
        growth: i.growth,
    }
}

fn veering(v: &poinsot_analysis::Veering) -> CampbellVeering {
    CampbellVeering { value: v.value, modes: v.branches.map(|k| k as u64 + 1), gap_hz: v.gap }
}

fn plot(spec: &CampbellSpec, found: &Campbell) -> CampbellPlot {
    let unit = if spec.speed == spec.parameter { " [rad/s]" } else { "" };
    let frequencies = |b: &ModeBranch| b.values.iter().map(|v| v.im / TAU).collect();
    let unstable =
        |i: &poinsot_analysis::Instability| (i.from.unwrap_or(spec.range[0]), i.to.unwrap_or(spec.range[1]));
    CampbellPlot {
        parameter: format!("{}{unit}", spec.parameter),
        values: found.values.clone(),
        frequencies: found.branches.iter().map(frequencies).collect(),
        speed: found.speeds.iter().map(|s| s / TAU).collect(),
        orders: spec.orders.clone(),
        crossings: found.crossings.iter().map(|c| (c.value, c.frequency)).collect(),
        unstable: found.instabilities.iter().map(unstable).collect(),
    }
}
