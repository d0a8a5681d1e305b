//! Phase portraits: trajectories from a grid of starts in the plane of two variables, and the equilibria.

mod picture;

pub use picture::{EquilibriumMark, MarkKind, PhaseAxis, PhasePortrait, portrait_svg};

use crate::complaint::Complaint;
use crate::equilibrium::search::{kind, ranges};
use crate::equilibrium::{EquilibriumSpec, settings};
use crate::failure::{RequestError, StudyError};
use crate::motion::motion_study;
use crate::ranges::NamedRange;
use crate::small_motions::no_verdict;
use crate::study::{Prepared, prepare};
use poinsot_analysis::{
    Halt, Observer, Pace, Sample, SearchRange, changing, consistent_start, run_motion, search_equilibria,
};
use poinsot_integrators::Given;
use poinsot_mechanics::{GROUND, Scratch, State, System};
use poinsot_model::Model;
use poinsot_model::spec::{IntegratorSpec, MotionSpec, PaceSpec};

/// Length of a trajectory, in widths of the picture.
const LENGTH: f64 = 0.45;
/// How far beyond the ranges a trajectory is followed, in widths.
const BEYOND: f64 = 0.05;
/// Samples of a trajectory at most.
const SAMPLES: f64 = 600.0;
/// Starts of the search for equilibria.
const SEARCHES: usize = 60;

/// What a portrait shows.
#[derive(Clone, Debug)]
pub struct PortraitRequest {
    /// The horizontal variable and its range.
    pub x: NamedRange,
    /// The vertical variable and its range.
    pub y: NamedRange,
    /// Starts along each axis.
    pub grid: usize,
    /// Longest time of a trajectory (s); by default as long as a typical one needs.
    pub time: Option<f64>,
}

/// A portrait, and what must be known about it.
pub struct Portrait {
    /// The picture.
    pub picture: PhasePortrait,
    /// Starts that no trajectory leads from.
    pub left_out: usize,
    /// Why the equilibria are not judged, if they are not.
    pub doubt: Option<String>,
}

/// Follows the trajectories of a model and finds its equilibria.
pub fn portrait(model: &Model, request: &PortraitRequest) -> Result<Portrait, Complaint> {
    let mut prepared = prepare(model, model.start())?;
    let found = ranges(&prepared, &[request.x.clone(), request.y.clone()]).map_err(Complaint::bad_input)?;
    let plane = [found[0], found[1]];
    let starts = grid(&prepared, plane, request.grid);
    let time = request.time.unwrap_or_else(|| typical_time(&prepared, plane, &starts));
    let (mut curves, mut left_out) = (vec![], 0);
    for start in starts {
        match follow(&mut prepared, plane, start, time) {
            Ok(curve) => curves.push(curve),
            Err(error @ StudyError::Model(_)) => return Err(error.into()),
            Err(_) => left_out += 1,
        }
    }
    if curves.is_empty() {
        let name = &model.source.name;
        return Err(Complaint::failed(format!("{name}: no trajectory could be computed")));
    }
    let (marks, doubt) = equilibria(&prepared, plane);
    let axis = |range: &NamedRange| PhaseAxis {
        name: range.name.clone(),
        unit: unit(model, &range.name),
        low: range.low,
        high: range.high,
    };
    let picture = PhasePortrait { x: axis(&request.x), y: axis(&request.y), curves, marks };
    Ok(Portrait { picture, left_out, doubt })
}

fn unit(model: &Model, name: &str) -> String {
    let found = model.variable(name).and_then(|(block, k)| model.equations[block].variables[k].unit.clone());
    found.unwrap_or_default()
}

/// Starts in the middle of the cells of a grid.
fn grid(prepared: &Prepared, [x, y]: [SearchRange; 2], count: usize) -> Vec<State> {
    let at = |range: &SearchRange, k: usize| {
        range.low + (range.high - range.low) * (k as f64 + 0.5) / count as f64
    };
    let mut starts = vec![];
    for i in 0..count {
        for j in 0..count {
            let mut state = prepared.state.clone();
            (state.v[x.variable], state.v[y.variable]) = (at(&x, i), at(&y, j));
            starts.push(state);
        }
    }
    starts
}

/// The time that a trajectory of usual speed needs for twice its length.
fn typical_time(prepared: &Prepared, plane: [SearchRange; 2], starts: &[State]) -> f64 {
    let speed = |state: &State| {
        let mut a = vec![0.0; prepared.system.size()];
        prepared.system.network_rates(state, &mut a, &mut Scratch::default());
        let part = |r: &SearchRange| a[r.variable] / (r.high - r.low);
        part(&plane[0]).hypot(part(&plane[1]))
    };
    let mut speeds: Vec<f64> = starts.iter().map(speed).filter(|s| s.is_finite() && *s > 0.0).collect();
    speeds.sort_by(f64::total_cmp);
    speeds.get(speeds.len() / 4).map_or(1.0, |slow| 2.0 * LENGTH / slow)
}

/// Collects a trajectory until it is long enough or far outside.
struct Trace {
    plane: [SearchRange; 2],
    points: Vec<(f64, f64)>,
    length: f64,
    outside: bool,
}

impl Observer for Trace {
    fn sample(&mut self, _: &System, sample: &Sample) -> Result<(), Halt> {
        let [x, y] = self.plane.map(|r| sample.at.v[r.variable]);
        if self.done() {
            return Ok(());
        }
        if let Some(last) = self.points.last() {
            let part = |r: &SearchRange, d: f64| d / (r.high - r.low);
            self.length += part(&self.plane[0], x - last.0).hypot(part(&self.plane[1], y - last.1));
        }
        self.points.push((x, y));
        let beyond = |r: &SearchRange, v: f64| {
            let margin = BEYOND * (r.high - r.low);
            v < r.low - margin || v > r.high + margin
        };
        self.outside = beyond(&self.plane[0], x) || beyond(&self.plane[1], y);
        Ok(())
    }

    fn keep_going(&mut self, _: f64) -> bool {
        !self.done()
    }
}

impl Trace {
    fn done(&self) -> bool {
        self.outside || self.length > LENGTH
    }
}

/// The motion study of the file for a time, or one by radau with its own steps.
fn study_for(model: &Model, time: f64) -> Model {
    let start = model.start();
    let mut motion = match model.motion() {
        Some(motion) => motion.clone(),
        None => {
            let mut motion = MotionSpec::new(start + time, time);
            if let Ok((radau, _)) = IntegratorSpec::named("radau", &Given::default()) {
                motion.integrator = radau;
            }
            motion.pace = PaceSpec::Adaptive { first: None, longest: None };
            motion
        }
    };
    (motion.start, motion.end) = (start, start + time);
    if let PaceSpec::Fixed { step } = &mut motion.pace {
        *step = step.min(time / 50.0);
    }
    motion.output_step = None;
    model.clone().with_study(motion)
}

fn follow(
    prepared: &mut Prepared,
    plane: [SearchRange; 2],
    start: State,
    time: f64,
) -> Result<Vec<(f64, f64)>, StudyError> {
    let system = &mut prepared.system;
    system.set_start(&start);
    let (state, _) = consistent_start(system, start.t)?;
    let moving = study_for(prepared.model, time);
    let mut study = motion_study(&moving, system, &prepared.assembly).ok_or(RequestError::NoStudy)?;
    study.times.clear();
    match &mut study.pace {
        Pace::Fixed { stride, .. } => *stride = 1,
        Pace::Adaptive { every, .. } => *every = Some(time / SAMPLES),
    }
    let mut trace = Trace { plane, points: vec![], length: 0.0, outside: false };
    // A motion that breaks down on its way is drawn as far as it went.
    run_motion(system, state, &study, &mut trace)?;
    Ok(trace.points)
}

/// The equilibria in the plane and, where the system changes with time so that they are not judged, why.
fn equilibria(prepared: &Prepared, plane: [SearchRange; 2]) -> (Vec<EquilibriumMark>, Option<String>) {
    let settings = settings(&EquilibriumSpec::at(prepared.state.t));
    let found = search_equilibria(&prepared.system, &prepared.state, &plane, SEARCHES, &settings);
    let mut held = None;
    let mut mark = |e: &poinsot_analysis::Equilibrium| {
        let changing = changing(&prepared.system, &e.state, &e.a, GROUND);
        let reason = changing.map(|changing| no_verdict(&changing, e.state.t).reason);
        let kind = if reason.is_some() { MarkKind::Undecided } else { kind(e) };
        held = held.take().or(reason);
        EquilibriumMark { x: e.state.v[plane[0].variable], y: e.state.v[plane[1].variable], kind }
    };
    let marks = found.iter().map(&mut mark).collect();
    (marks, held)
}
