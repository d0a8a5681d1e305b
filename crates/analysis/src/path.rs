//! Paths of equilibria along a parameter p: F(q, λ; p) = (Gᵀλ − Q, Φ) = 0.
//!
//! A path is a curve (`continuation`) of equilibria (`arc_length.rs`), which may turn back in p. On the way
//! limit and bifurcation points are located (`singular_points.rs`); at bifurcations the crossing paths can be
//! followed too.

use crate::arc_length::{ArcLength, Direction, Place};
use crate::continuation::switch::{across, leave};
use crate::continuation::{CurveObserver, Ending, Miss, Pace, Stop, Tracer, tangent};
use crate::equilibrium::{EquilibriumError, EquilibriumSettings, find_equilibrium};
use crate::family::{Members, SystemFamily};
use crate::halt::Halt;
use crate::singular_points::Found;
use poinsot_mechanics::{State, System};
use thiserror::Error;

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
    /// Whether Hopf points are looked for, in systems that are not large.
    pub hopf: bool,
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
            hopf: true,
            start: EquilibriumSettings::default(),
        }
    }

    fn pace(&self) -> Pace {
        let PathSettings { range, step, shortest, longest, turn, points, .. } = *self;
        Pace { range, step, shortest, longest, turn, points }
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
    /// Small motions of a frequency begin to grow: a family of periodic motions begins.
    Hopf,
}

/// A point where the matrix of statics is singular, or small motions begin to grow.
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
    /// Frequency of the small motions at a Hopf point (rad/s), else zero.
    pub frequency: f64,
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
    /// Hopf points, likewise.
    pub hopfs: Vec<SingularPoint>,
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
    arc.hopf = settings.hopf;
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
    let tangent = tangent(&mut arc, &point, &along).map_err(stuck)?;
    point.slope = tangent.p * way.abs();
    point.unstable = arc.unstable(&point).map_err(stuck)?;
    let start = Place { point, tangent };
    let mut follower = Follower { arc, settings, observer, report: PathReport::default() };
    let crossings = follower.trace(vec![start], None);
    if settings.branches {
        for (index, found) in &crossings {
            follower.follow_crossing(*index, found);
        }
    }
    let Follower { arc, mut report, .. } = follower;
    (report.iterations, report.builds) = (arc.iterations, arc.members.builds);
    Ok(report)
}

struct Follower<'a, 'f> {
    arc: ArcLength<'f>,
    settings: &'a PathSettings,
    observer: &'a mut dyn PathObserver,
    report: PathReport,
}

impl Follower<'_, '_> {
    /// Follows both sides of the path that crosses at a bifurcation.
    fn follow_crossing(&mut self, index: usize, found: &Found) {
        for side in [1.0, -1.0] {
            if matches!(self.report.branches.last(), Some(b) if b.ending == PathEnding::Interrupted) {
                return;
            }
            let null = Direction { q: found.singular.null.clone(), p: 0.0 };
            let across = across(&self.arc, &found.tangent, &null, side);
            match leave(&mut self.arc, &found.singular.point, &across, self.settings.step) {
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
        let mut watcher =
            Watcher { observer: &mut *self.observer, report: &mut self.report, crossings: vec![] };
        let pace = self.settings.pace();
        let mut tracer = Tracer { curve: &mut self.arc, pace, observer: &mut watcher, rejected: 0 };
        let (points, ending) = tracer.trace(branch, known);
        let rejected = tracer.rejected;
        let crossings = watcher.crossings;
        self.report.rejected += rejected;
        let ending = match ending {
            Ending::Stop(Stop::Parameter) => PathEnding::Parameter,
            Ending::Stop(Stop::Watched(index)) => PathEnding::Watched(index),
            Ending::Points => PathEnding::Points,
            Ending::Interrupted => PathEnding::Interrupted,
            Ending::Halted(halt) => PathEnding::Halted(halt),
            Ending::Failed(parameter, arc, miss) => {
                PathEnding::Failed(PathFailure { parameter, arc, reason: miss.words() })
            }
        };
        self.report.branches.push(Branch { origin, points, ending });
        crossings
    }
}

/// Hands on to the observer of a path, and keeps what was found.
struct Watcher<'a> {
    observer: &'a mut dyn PathObserver,
    report: &'a mut PathReport,
    crossings: Vec<(usize, Found)>,
}

impl<'f> CurveObserver<ArcLength<'f>> for Watcher<'_> {
    fn point(&mut self, arc: &mut ArcLength<'f>, branch: usize, point: &PathPoint) -> Result<bool, Halt> {
        let remedy = "look at the model with that value of the parameter";
        let system = arc.member(point.parameter).map_err(|error| Halt::new(error.to_string(), remedy))?;
        self.observer.point(branch, system, point)
    }

    fn watched(
        &mut self,
        arc: &mut ArcLength<'f>,
        branch: usize,
        point: &PathPoint,
    ) -> Result<Vec<f64>, Miss> {
        let system = arc.member(point.parameter).map_err(Miss::Family)?;
        Ok(self.observer.watched(branch, system, point))
    }

    fn ends(&self, index: usize) -> bool {
        self.observer.ends(index)
    }

    fn met(
        &mut self,
        arc: &mut ArcLength<'f>,
        branch: usize,
        index: usize,
        point: &PathPoint,
    ) -> Result<(), Miss> {
        let system = arc.member(point.parameter).map_err(Miss::Family)?;
        self.observer.met(branch, index, system, point);
        Ok(())
    }

    fn found(&mut self, arc: &mut ArcLength<'f>, found: Found) {
        // A point of the path at this value was found, with this member or with those to both sides of it.
        if let Ok(system) = arc.member(found.singular.point.parameter) {
            self.observer.singular(system, &found.singular);
        }
        match found.singular.kind {
            SingularKind::Limit => self.report.limits.push(found.singular),
            SingularKind::Hopf => self.report.hopfs.push(found.singular),
            SingularKind::Bifurcation => {
                self.report.bifurcations.push(found.singular.clone());
                if found.singular.multiplicity == 1 {
                    self.crossings.push((self.report.bifurcations.len() - 1, found));
                }
            }
        }
    }
}
