//! Paths of equilibria along a parameter p: F(q, λ; p) = (Gᵀλ − Q, Φ) = 0.
//!
//! A path is followed by its arc length, so that it may turn back in p (`arc_length.rs`). On the way limit
//! and bifurcation points are located (`singular_points.rs`); at bifurcations the crossing paths can be
//! followed too (`branch.rs`).

use crate::arc_length::{ArcLength, Miss, Place};
use crate::branch::switch;
use crate::equilibrium::{EquilibriumError, EquilibriumSettings, find_equilibrium};
use crate::family::{Members, SystemFamily};
use crate::halt::Halt;
use crate::singular_points::{Found, Passed, Step, limit, passed, root};
use poinsot_mechanics::{State, System};
use thiserror::Error;

/// Corrections that a step should take.
const WANTED_CORRECTIONS: f64 = 4.0;
/// What is left of a step that failed. Steps of equal parts would come to the same place again, and that may
/// be a singular one.
const SHORTER: f64 = 0.4;
/// Largest sum of the corrections, relative to the step: more has jumped to another path.
const LARGEST_CORRECTION: f64 = 0.75;
/// Accuracy with which watched values are met, relative to the step.
const MET: f64 = 1e-13;

/// How a path is followed. Steps are in the metric of [`follow_path`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathSettings {
    /// Value of the parameter at the start.
    pub from: f64,
    /// Value towards which the path sets out; the distance is the scale of the parameter.
    pub to: f64,
    /// The path ends where the parameter leaves this range.
    pub range: [f64; 2],
    /// First step.
    pub step: f64,
    /// Step below which the path is given up.
    pub shortest: f64,
    /// Longest step.
    pub longest: f64,
    /// Largest turn of the tangent in a step (rad).
    pub turn: f64,
    /// Points of each branch at most.
    pub points: usize,
    /// Size of a correction at which a point counts as found; the error left over is about its square.
    pub tolerance: f64,
    /// Whether crossing paths are followed from the bifurcations of the first one.
    pub branches: bool,
    /// How the first equilibrium is sought.
    pub start: EquilibriumSettings,
}

impl PathSettings {
    /// From one value to another; back to as far on the other side of the start.
    pub fn between(from: f64, to: f64) -> Self {
        let other = from - (to - from);
        PathSettings {
            from,
            to,
            range: [other.min(to), other.max(to)],
            step: 0.02,
            shortest: 1e-7,
            longest: 0.1,
            turn: 0.35,
            points: 500,
            tolerance: 1e-8,
            branches: true,
            start: EquilibriumSettings::default(),
        }
    }
}

/// An equilibrium on a path.
#[derive(Clone, Debug)]
pub struct PathPoint {
    /// Value of the parameter.
    pub parameter: f64,
    /// The position; velocities are zero.
    pub state: State,
    /// Zero, with λ in the constraint entries.
    pub a: Vec<f64>,
    /// Length of the path since the start of the branch.
    pub arc: f64,
    /// dp/ds.
    pub slope: f64,
    /// Directions in which the equilibrium is unstable; none if that is not known.
    pub unstable: Option<usize>,
    /// Sizes of the corrections that it took; none at the start, which is found otherwise.
    pub corrections: Vec<f64>,
}

/// Kind of a singular point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SingularKind {
    /// The parameter turns back.
    Limit,
    /// Paths cross.
    Bifurcation,
}

/// A point where the matrix of statics is singular.
#[derive(Clone, Debug)]
pub struct SingularPoint {
    /// Kind.
    pub kind: SingularKind,
    /// The branch on which it was met.
    pub branch: usize,
    /// Where it is. The number of unstable directions is the smaller one of both sides.
    pub point: PathPoint,
    /// Singular directions: more than one at a bifurcation where several coincide, which is not switched at.
    pub multiplicity: usize,
    /// Direction of the null vector in equation order, of size one; empty at a multiple bifurcation.
    pub null: Vec<f64>,
}

/// Where a branch ends.
#[derive(Clone, Debug, PartialEq)]
pub enum PathEnding {
    /// The parameter leaves its range.
    Parameter,
    /// A watched value of this index has been met that ends the path.
    Watched(usize),
    /// All points have been taken.
    Points,
    /// Stopped on request.
    Interrupted,
    /// Not even the shortest step succeeds.
    Failed(PathFailure),
    /// The observer does not go on from a point.
    Halted(Halt),
}

/// Why a path does not go on.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("the path is lost after a parameter of {parameter:.9e} at arc length {arc:.6}: {reason}")]
pub struct PathFailure {
    /// Value of the parameter at the last point.
    pub parameter: f64,
    /// Length of the path up to there.
    pub arc: f64,
    /// What fails, with the equation in words.
    pub reason: String,
}

/// A path from its start, or from a bifurcation.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The bifurcation at which it starts, as an index into [`PathReport::bifurcations`], and the side; none
    /// for the first path.
    pub origin: Option<(usize, f64)>,
    /// The points.
    pub points: Vec<PathPoint>,
    /// Why it ends.
    pub ending: PathEnding,
}

/// Paths with their singular points.
#[derive(Clone, Debug, Default)]
pub struct PathReport {
    /// The first path, then those that cross it.
    pub branches: Vec<Branch>,
    /// Limit points in the order in which they were met.
    pub limits: Vec<SingularPoint>,
    /// Bifurcations, likewise.
    pub bifurcations: Vec<SingularPoint>,
    /// Bifurcations from which no crossing path could be reached: index and side.
    pub unreached: Vec<(usize, f64)>,
    /// Corrections of all points.
    pub iterations: usize,
    /// Steps that were tried again with a shorter one.
    pub rejected: usize,
    /// Systems that were built for other values of the parameter.
    pub builds: usize,
}

/// Why there is no path at all.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PathError {
    /// First-order equations have no place here.
    #[error("paths of equilibria do not know first-order equations")]
    Equations,
    /// The parameter does not move.
    #[error("the path starts where it should lead to, at {0}")]
    NoRange(f64),
    /// There is no equilibrium to start from.
    #[error("the path has no start: {0}")]
    Start(#[from] EquilibriumError),
    /// The first point is singular itself.
    #[error(
        "the path cannot leave its start at {parameter}: {reason}; start at another value of the parameter, or with a small disturbance"
    )]
    SingularStart {
        /// Value of the parameter.
        parameter: f64,
        /// What fails.
        reason: String,
    },
}

/// Watches a path.
pub trait PathObserver {
    /// A point of a branch; false asks to stop, a halt ends the path.
    fn point(&mut self, _branch: usize, _system: &System, _point: &PathPoint) -> Result<bool, Halt> {
        Ok(true)
    }

    /// Functions of a point whose zeros are to be met, always as many.
    fn watched(&mut self, _branch: usize, _system: &System, _point: &PathPoint) -> Vec<f64> {
        vec![]
    }

    /// Whether the path ends where the function of this index is zero.
    fn ends(&self, _index: usize) -> bool {
        false
    }

    /// A singular point has been met.
    fn singular(&mut self, _system: &System, _singular: &SingularPoint) {}

    /// The function of this index is zero here.
    fn met(&mut self, _branch: usize, _index: usize, _system: &System, _point: &PathPoint) {}
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl PathObserver for NoObserver {}

/// Follows the equilibria of a family from `settings.from` on. `system` is the member there, and `state` near
/// its equilibrium, at the time at which loads are taken; redundant rows of all members are treated as in it.
///
/// Lengths of path are measured by |x|² = mean of (δq/unit)² + (δp/(to − from))² with the length of the model
/// and a radian as units.
pub fn follow_path(
    system: System,
    state: State,
    family: &mut dyn SystemFamily,
    settings: &PathSettings,
    observer: &mut dyn PathObserver,
) -> Result<PathReport, PathError> {
    if !system.networks().is_empty() {
        return Err(PathError::Equations);
    }
    let way = settings.to - settings.from;
    if !(way.is_finite() && way != 0.0) {
        return Err(PathError::NoRange(settings.from));
    }
    let found = find_equilibrium(&system, state, &settings.start)?;
    // Directions without stiffness are held by a little inertia, as in the search for the equilibrium.
    let anchor = match found.verdict.zero {
        0 => 0.0,
        _ => 1e-7 * found.lowest.iter().map(|l| l.abs()).fold(1e-6, f64::max),
    };
    let members = Members::new(family, system, settings.from, way.abs());
    let mut arc = ArcLength::new(members, anchor, settings.tolerance);
    let mut point = PathPoint {
        parameter: settings.from,
        state: found.state,
        a: found.a,
        arc: 0.0,
        slope: 0.0,
        unstable: None,
        corrections: vec![],
    };
    arc.interpolate(settings.to, &point);
    let mut along = arc.along_parameter();
    along.p = way.signum();
    let stuck = |miss: Miss| PathError::SingularStart { parameter: settings.from, reason: miss.words() };
    let tangent = arc.tangent(&point, &along).map_err(stuck)?;
    point.slope = tangent.p * way.abs();
    point.unstable = arc.unstable(&point).map_err(stuck)?;
    let start = Place { point, tangent };
    let mut tracer = Tracer { arc, settings, observer, report: PathReport::default() };
    let crossings = tracer.trace(vec![start], None);
    if settings.branches {
        for (index, found) in &crossings {
            tracer.follow_crossing(*index, found);
        }
    }
    let Tracer { arc, mut report, .. } = tracer;
    (report.iterations, report.builds) = (arc.iterations, arc.members.builds);
    Ok(report)
}

impl Miss {
    fn words(&self) -> String {
        match self {
            Miss::Family(reason) => format!("the system cannot be built there: {reason}"),
            Miss::Singular(equation) => format!("the equations are singular, {equation}"),
            Miss::Diverged(equation) => format!("the corrections do not converge, worst in {equation}"),
        }
    }
}

struct Tracer<'a, 'f> {
    arc: ArcLength<'f>,
    settings: &'a PathSettings,
    observer: &'a mut dyn PathObserver,
    report: PathReport,
}

/// What ends a step before its end.
enum Stop {
    Parameter,
    Watched(usize),
}

/// Where a watched function is zero inside a step.
struct Zero {
    /// Number of the function.
    index: usize,
    /// Arc length from the start of the step.
    arc: f64,
    point: PathPoint,
}

impl Tracer<'_, '_> {
    /// Follows both sides of the path that crosses at a bifurcation.
    fn follow_crossing(&mut self, index: usize, found: &Found) {
        for side in [1.0, -1.0] {
            if matches!(self.report.branches.last(), Some(b) if b.ending == PathEnding::Interrupted) {
                return;
            }
            match switch(&mut self.arc, found, side, self.settings.step) {
                Some(place) => {
                    let mut origin = found.singular.point.clone();
                    origin.arc = 0.0;
                    let first = Place { point: origin, tangent: place.tangent.clone() };
                    self.trace(vec![first, place], Some((index, side)));
                }
                None => self.report.unreached.push((index, side)),
            }
        }
    }

    /// Follows a branch from its last known place; returns the simple bifurcations with their indices.
    fn trace(&mut self, known: Vec<Place>, origin: Option<(usize, f64)>) -> Vec<(usize, Found)> {
        let branch = self.report.branches.len();
        let mut crossings = vec![];
        let mut points: Vec<PathPoint> = known.iter().map(|place| place.point.clone()).collect();
        let mut ending = None;
        for point in &points {
            ending = ending.or(self.tell(branch, point));
        }
        // A branch has at least its first place.
        let Some(mut at) = known.into_iter().next_back() else { return crossings };
        let mut h = self.settings.step;
        while ending.is_none() {
            if points.len() >= self.settings.points {
                ending = Some(PathEnding::Points);
                break;
            }
            match self.advance(branch, &at, &mut h) {
                Ok((place, stop, found)) => {
                    points.push(place.point.clone());
                    ending = self.tell(branch, &place.point).or(stop.map(|stop| match stop {
                        Stop::Parameter => PathEnding::Parameter,
                        Stop::Watched(index) => PathEnding::Watched(index),
                    }));
                    at = place;
                    for found in found {
                        self.keep(found, &mut crossings);
                    }
                }
                Err(miss) => {
                    let (parameter, arc) = (at.point.parameter, at.point.arc);
                    ending = Some(PathEnding::Failed(PathFailure { parameter, arc, reason: miss.words() }));
                }
            }
        }
        let ending = ending.unwrap_or(PathEnding::Points);
        self.report.branches.push(Branch { origin, points, ending });
        crossings
    }

    fn keep(&mut self, found: Found, crossings: &mut Vec<(usize, Found)>) {
        // A point of the path at this value was found, with this member or with those to both sides of it.
        if let Ok(system) = self.arc.member(found.singular.point.parameter) {
            self.observer.singular(system, &found.singular);
        }
        match found.singular.kind {
            SingularKind::Limit => self.report.limits.push(found.singular),
            SingularKind::Bifurcation => {
                self.report.bifurcations.push(found.singular.clone());
                if found.singular.multiplicity == 1 {
                    crossings.push((self.report.bifurcations.len() - 1, found));
                }
            }
        }
    }

    fn tell(&mut self, branch: usize, point: &PathPoint) -> Option<PathEnding> {
        let system = match self.arc.member(point.parameter) {
            Ok(system) => system,
            Err(error) => {
                let remedy = "look at the model with that value of the parameter";
                return Some(PathEnding::Halted(Halt::new(error.to_string(), remedy)));
            }
        };
        match self.observer.point(branch, system, point) {
            Ok(true) => None,
            Ok(false) => Some(PathEnding::Interrupted),
            Err(halt) => Some(PathEnding::Halted(halt)),
        }
    }

    /// One step, as long as it succeeds; `h` becomes the next one to try.
    fn advance(
        &mut self,
        branch: usize,
        from: &Place,
        h: &mut f64,
    ) -> Result<(Place, Option<Stop>, Vec<Found>), Miss> {
        let settings = self.settings;
        let mut trial = h.clamp(settings.shortest, settings.longest);
        loop {
            let tried = self.try_step(branch, from, trial);
            let shorter = SHORTER * trial;
            match tried {
                Ok(Some((place, stop, found, turn))) => {
                    let corrections = self.arc.corrections.len().max(1) as f64;
                    let by_corrections = (WANTED_CORRECTIONS / corrections).sqrt();
                    let by_turn = 0.5 * settings.turn / turn.max(1e-12);
                    *h = trial * by_corrections.min(by_turn).clamp(0.5, 2.0);
                    return Ok((place, stop, found));
                }
                Err(miss) if shorter < settings.shortest => return Err(miss),
                Ok(None) if shorter < settings.shortest => {
                    return Err(Miss::Diverged("a path that turns too sharply".into()));
                }
                _ => {
                    self.report.rejected += 1;
                    trial = shorter;
                }
            }
        }
    }

    /// A step of a given length: the place it leads to, why it stops, the singular points on it and the turn
    /// of the tangent; none if it should be shorter.
    #[expect(clippy::type_complexity, reason = "there is one caller")]
    fn try_step(
        &mut self,
        branch: usize,
        from: &Place,
        h: f64,
    ) -> Result<Option<(Place, Option<Stop>, Vec<Found>, f64)>, Miss> {
        let arc = &mut self.arc;
        let mut to = arc.at_distance(from, h)?;
        let moved: f64 = arc.corrections.iter().sum();
        let corrections = std::mem::take(&mut arc.corrections);
        let turn = arc.dot(&from.tangent, &to.tangent).clamp(-1.0, 1.0).acos();
        if moved > LARGEST_CORRECTION * h || turn > self.settings.turn {
            return Ok(None);
        }
        if !arc.confirm(&to.point)? {
            // Again, with members that are built.
            return self.try_step(branch, from, h);
        }
        let (stop, h) = match self.stop(branch, from, &to, h)? {
            Some((stop, h)) => {
                to = self.arc.at_distance(from, h)?;
                self.settle(&stop, &mut to);
                (Some(stop), h)
            }
            None => (None, h),
        };
        to.point.unstable = self.arc.unstable(&to.point)?;
        let step = Step { from, to: &to, h, branch };
        let found = match passed(&mut self.arc, &step)? {
            Passed::Points(found) => found,
            Passed::Mixed if h > 1e3 * self.settings.shortest => return Ok(None),
            Passed::Mixed => vec![limit(&mut self.arc, &step)?],
        };
        self.meet(branch, from, &to, h)?;
        self.arc.corrections = corrections;
        Ok(Some((to, stop, found, turn)))
    }

    /// The parameter at the end of its range is exactly that.
    fn settle(&self, stop: &Stop, to: &mut Place) {
        if let Stop::Parameter = stop {
            let [low, high] = self.settings.range;
            let near = |bound: f64| (to.point.parameter - bound).abs() <= 1e-9 * self.arc.members.scale;
            if let Some(bound) = [low, high].into_iter().find(|b| near(*b)) {
                to.point.parameter = bound;
            }
        }
    }

    fn values(&mut self, branch: usize, point: &PathPoint) -> Result<Vec<f64>, Miss> {
        let system = self.arc.member(point.parameter).map_err(Miss::Family)?;
        Ok(self.observer.watched(branch, system, point))
    }

    /// Where the path ends inside a step, if it does.
    fn stop(&mut self, branch: usize, from: &Place, to: &Place, h: f64) -> Result<Option<(Stop, f64)>, Miss> {
        let mut first: Option<(Stop, f64)> = None;
        let [low, high] = self.settings.range;
        for (bound, beyond) in [(low, to.point.parameter < low), (high, to.point.parameter > high)] {
            if beyond {
                let scale = self.arc.members.scale;
                let gap = |p: &PathPoint| (p.parameter - bound) / scale;
                let ends = [(0.0, gap(&from.point)), (h, gap(&to.point))];
                let found = match ends[0].1 * ends[1].1 < 0.0 {
                    true => root(&mut self.arc, from, ends, MET, &mut |_, at| Ok(gap(at)))?.0,
                    false => h,
                };
                first = Some((Stop::Parameter, found));
            }
        }
        for zero in self.zeros(branch, from, to, h, true)? {
            if first.as_ref().is_none_or(|(_, other)| zero.arc < *other) {
                first = Some((Stop::Watched(zero.index), zero.arc));
            }
        }
        Ok(first)
    }

    /// Zeros of watched functions inside a step, of those that end the path or of the others.
    fn zeros(
        &mut self,
        branch: usize,
        from: &Place,
        to: &Place,
        h: f64,
        ending: bool,
    ) -> Result<Vec<Zero>, Miss> {
        let before = self.values(branch, &from.point)?;
        let after = self.values(branch, &to.point)?;
        let mut zeros = vec![];
        for (index, (&a, &b)) in before.iter().zip(&after).enumerate() {
            let passes = a * b < 0.0 || (b == 0.0 && a != 0.0);
            if !passes || self.observer.ends(index) != ending {
                continue;
            }
            let observer = &mut *self.observer;
            let mut value = |arc: &mut ArcLength, at: &PathPoint| {
                let system = arc.member(at.parameter).map_err(Miss::Family)?;
                Ok(observer.watched(branch, system, at)[index])
            };
            let (arc, point) = match b == 0.0 {
                true => (h, to.point.clone()),
                false => root(&mut self.arc, from, [(0.0, a), (h, b)], MET, &mut value)?,
            };
            zeros.push(Zero { index, arc, point });
        }
        Ok(zeros)
    }

    /// Tells of watched values that are met inside a step.
    fn meet(&mut self, branch: usize, from: &Place, to: &Place, h: f64) -> Result<(), Miss> {
        for Zero { index, point, .. } in self.zeros(branch, from, to, h, false)? {
            let system = self.arc.member(point.parameter).map_err(Miss::Family)?;
            self.observer.met(branch, index, system, &point);
        }
        Ok(())
    }
}
