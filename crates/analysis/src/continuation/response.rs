//! Response curves: periodic motions along a parameter, with what happens on the way.

use crate::continuation::curve::{Curve, Direction, Miss, OnCurve, Place};
use crate::continuation::orbit_curve::OrbitCurve;
use crate::continuation::orbit_member::{OrbitFamily, OrbitMember, OrbitMembers};
use crate::continuation::orbit_point::{OrbitPoint, OrbitWay, weights};
use crate::continuation::orbit_singular::{
    OrbitFound, OrbitSingular, OrbitSingularKind, assess, multipliers,
};
use crate::continuation::switch::{across, leave};
use crate::continuation::tracer::{CurveObserver, Ending, Pace, Stop, Tracer};
use crate::continuation::{size, tangent};
use crate::family::FamilyError;
use crate::halt::Halt;
use crate::hopf::HopfMotion;
use crate::periodic::{Changes, Orbit, PeriodicScheme, mesh};
use poinsot_mechanics::{State, System};
use poinsot_numerics::dense::c64;
use std::f64::consts::TAU;
use std::rc::Rc;
use thiserror::Error;

/// Least part of the unit circle's neighbourhood that counts as on it, as ln |λ|.
const OPEN: f64 = 1e-6;
/// How much more than errors of multipliers at the start is left open all along.
const MARGIN: f64 = 10.0;
/// Multipliers this near to 1 at the start belong to motions that nothing holds.
const IDLE: f64 = 1e-6;
/// Errors of elements, beside the tolerance, at which they are chosen anew.
const WORN: f64 = 4.0;

/// How motions are followed.
#[derive(Clone, Debug)]
pub struct ResponseSettings {
    /// Value of the parameter at the start.
    pub from: f64,
    /// Value towards which the curve sets out; the distance is the scale of the parameter.
    pub to: f64,
    /// The curve ends where the parameter leaves this range.
    pub range: [f64; 2],
    /// Time at which the period starts (s).
    pub start: f64,
    /// The steps.
    pub scheme: PeriodicScheme,
    /// Sum of the errors of the elements above which they are chosen anew; without it they stay.
    pub mesh_tolerance: Option<f64>,
    /// Parts of the period at which laws of time have a break.
    pub breaks: Vec<f64>,
    /// First step.
    pub step: f64,
    /// Step below which the curve is given up.
    pub shortest: f64,
    /// Longest step.
    pub longest: f64,
    /// Points of each branch at most.
    pub points: usize,
    /// Size of a correction at which a point counts as found.
    pub tolerance: f64,
    /// What is left open of multipliers.
    pub multiplier_error: f64,
    /// Values of the parameter that are met exactly.
    pub values: Vec<f64>,
    /// Singular points at which the curve is to be changed, by kind and number among those of the first
    /// branch.
    pub switches: Vec<(OrbitSingularKind, usize)>,
}

/// Where a curve of motions begins.
pub enum ResponseStart {
    /// A motion that closes.
    Orbit(Orbit),
    /// An equilibrium at which a pair of eigenvalues ±iω crosses the imaginary axis, with the small motion
    /// around it.
    Hopf(Box<HopfMotion>),
}

/// Where a branch ends.
#[derive(Clone, Debug, PartialEq)]
pub enum ResponseEnding {
    /// The parameter leaves its range.
    Parameter,
    /// All points have been taken.
    Points,
    /// Stopped on request.
    Interrupted,
    /// Not even the shortest step succeeds: the last value, the arc length, and why.
    Failed(f64, f64, String),
    /// The observer does not go on.
    Halted(Halt),
}

/// A curve of motions.
#[derive(Clone, Debug)]
pub struct ResponseBranch {
    /// The singular point at which it begins, as an index into [`ResponseReport::singular`], and the side.
    pub origin: Option<(usize, f64)>,
    /// Its points.
    pub points: Vec<OrbitPoint>,
    /// Why it ends.
    pub ending: ResponseEnding,
}

/// Curves of motions with their singular points.
#[derive(Clone, Debug, Default)]
pub struct ResponseReport {
    /// The first, then those that were switched to.
    pub branches: Vec<ResponseBranch>,
    /// In the order in which they were met.
    pub singular: Vec<OrbitSingular>,
    /// Switches that led nowhere, with the reason.
    pub unreached: Vec<(usize, String)>,
    /// Switches that were asked for at points that were not met.
    pub unmet: Vec<(OrbitSingularKind, usize)>,
    /// ln |λ| up to which multipliers count as on the unit circle.
    pub open: f64,
    /// Multipliers left out of all counts, 1 of motions that nothing holds.
    pub idle: usize,
    /// Corrections of all points.
    pub iterations: usize,
    /// Steps that were tried again.
    pub rejected: usize,
    /// Members that were built.
    pub builds: usize,
    /// How often the elements were chosen anew.
    pub remeshed: usize,
}

/// Why there is no curve at all.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ResponseError {
    /// The parameter does not move.
    #[error("the curve starts where it should lead to, at {0}")]
    NoRange(f64),
    /// There is no model at the start.
    #[error(transparent)]
    Family(#[from] FamilyError),
    /// It cannot leave its start.
    #[error("the curve cannot leave its start at {parameter}: {reason}")]
    Start {
        /// Value of the parameter.
        parameter: f64,
        /// Why.
        reason: String,
    },
}

/// Watches a response curve.
pub trait ResponseObserver {
    /// A point of a branch; false asks to stop.
    fn point(&mut self, branch: usize, member: &OrbitMember, point: &OrbitPoint) -> Result<bool, Halt>;

    /// A singular point.
    fn singular(&mut self, member: &OrbitMember, singular: &OrbitSingular) -> Result<(), Halt>;

    /// The parameter has the value of this index.
    fn met(
        &mut self,
        branch: usize,
        index: usize,
        member: &OrbitMember,
        point: &OrbitPoint,
    ) -> Result<(), Halt>;
}

/// Follows the periodic motions of a family. `like` is its member at the start, started: redundant rows of
/// all others are treated as in it.
pub fn follow_response(
    like: &System,
    family: &mut dyn OrbitFamily,
    start: ResponseStart,
    settings: &ResponseSettings,
    observer: &mut dyn ResponseObserver,
) -> Result<ResponseReport, ResponseError> {
    let way = settings.to - settings.from;
    if !(way.is_finite() && way != 0.0) {
        return Err(ResponseError::NoRange(settings.from));
    }
    let first = family.member(settings.from)?;
    let orbit = match &start {
        ResponseStart::Orbit(orbit) => orbit,
        ResponseStart::Hopf(start) => &start.orbit,
    };
    let multiple = first.period.map_or(1, |period| (orbit.period / period).round().max(1.0) as usize);
    let rate = TAU / orbit.period;
    let units = Changes::new(&first.system, rate).scale().to_vec();
    let entries = units.iter().filter(|s| **s > 0.0).count();
    let members = OrbitMembers::new(family, like, &settings.breaks);
    let mut curve = OrbitCurve {
        members,
        scheme: settings.scheme,
        start: settings.start,
        scale: way.abs(),
        tolerance: settings.tolerance,
        rate,
        entries,
        open: (MARGIN * settings.multiplier_error).max(OPEN),
        idle: 0,
        mesh_tolerance: settings.mesh_tolerance,
        iterations: 0,
        remeshed: 0,
        last: None,
        next_id: 0,
    };
    let stuck = |miss: Miss| ResponseError::Start { parameter: settings.from, reason: miss.words() };
    let mut point = OrbitPoint {
        parameter: settings.from,
        orbit: orbit.clone(),
        multiple,
        arc: 0.0,
        slope: 0.0,
        corrections: vec![],
        multipliers: Rc::default(),
        unstable: None,
        id: curve.fresh(),
    };
    let known = match start {
        ResponseStart::Orbit(_) => {
            let at_one = |value: &c64| (value - c64::new(1.0, 0.0)).norm() < IDLE;
            let values = multipliers(&mut curve, &point).map_err(stuck)?;
            curve.idle = values.iter().filter(|value| at_one(&value.value)).count();
            let along = OrbitWay::along_parameter(
                curve.steps(&point).map_err(stuck)?.scale.len(),
                &point.orbit.fractions,
                way.signum(),
            );
            let tangent = tangent(&mut curve, &point, &along).map_err(stuck)?;
            point.slope = tangent.p * way.abs();
            assess(&mut curve, &mut point).map_err(stuck)?;
            vec![Place { point, tangent }]
        }
        ResponseStart::Hopf(start) => {
            let mut mode = OrbitWay {
                around: start.mode.iter().map(|change| in_units(change, &units)).collect(),
                tau: 0.0,
                p: 0.0,
                weights: weights(&point.orbit.fractions),
            };
            let length = size(&curve, &mode);
            mode.divide(length);
            let none = Miss::Other("no motion was found around the equilibrium".into());
            let place = leave(&mut curve, &point, &mode, settings.step).ok_or(none).map_err(stuck)?;
            point.unstable = place.point.unstable;
            point.multipliers = place.point.multipliers.clone();
            let at_rest = Place { point, tangent: place.tangent.clone() };
            vec![at_rest, place]
        }
    };
    let mut follower =
        Follower { curve, settings, report: ResponseReport::default(), found: vec![], observer };
    follower.trace(known, None);
    follower.switch();
    let Follower { curve, mut report, .. } = follower;
    (report.open, report.idle) = (curve.open, curve.idle);
    (report.iterations, report.builds) = (curve.iterations, curve.members.builds);
    report.remeshed = curve.remeshed;
    Ok(report)
}

/// S⁻¹ δx.
fn in_units(change: &[f64], units: &[f64]) -> Vec<f64> {
    change.iter().zip(units).map(|(d, s)| if *s > 0.0 { d / s } else { 0.0 }).collect()
}

struct Follower<'a, 'f> {
    curve: OrbitCurve<'f>,
    settings: &'a ResponseSettings,
    report: ResponseReport,
    /// As many as singular points in the report.
    found: Vec<OrbitFound>,
    observer: &'a mut dyn ResponseObserver,
}

impl Follower<'_, '_> {
    fn trace(&mut self, known: Vec<Place<OrbitPoint, OrbitWay>>, origin: Option<(usize, f64)>) {
        let settings = self.settings;
        let pace = Pace {
            range: settings.range,
            step: settings.step,
            shortest: settings.shortest,
            longest: settings.longest,
            turn: 0.5,
            points: settings.points,
        };
        let branch = self.report.branches.len();
        let mut watcher = Watcher {
            observer: &mut *self.observer,
            found: vec![],
            halted: None,
            values: &settings.values,
            first: true,
        };
        let mut tracer = Tracer { curve: &mut self.curve, pace, observer: &mut watcher, rejected: 0 };
        let (points, ending) = tracer.trace(branch, known);
        self.report.rejected += tracer.rejected;
        let ending = match (watcher.halted.take(), ending) {
            (Some(halt), _) | (None, Ending::Halted(halt)) => ResponseEnding::Halted(halt),
            (None, Ending::Stop(Stop::Parameter | Stop::Watched(_))) => ResponseEnding::Parameter,
            (None, Ending::Points) => ResponseEnding::Points,
            (None, Ending::Interrupted) => ResponseEnding::Interrupted,
            (None, Ending::Failed(p, arc, miss)) => ResponseEnding::Failed(p, arc, miss.words()),
        };
        for found in watcher.found {
            self.report.singular.push(found.singular.clone());
            self.found.push(found);
        }
        self.report.branches.push(ResponseBranch { origin, points, ending });
    }

    /// Follows the curves at the points that were asked for.
    fn switch(&mut self) {
        for (kind, number) in self.settings.switches.clone() {
            let of_kind = self.report.singular.iter().enumerate().filter(|(_, s)| s.kind == kind);
            let place = of_kind.map(|(k, _)| k).nth(number);
            let Some(index) = place else {
                self.report.unmet.push((kind, number));
                continue;
            };
            let sides: &[f64] = if kind == OrbitSingularKind::Branch { &[1.0, -1.0] } else { &[1.0] };
            for &side in sides {
                if matches!(
                    self.report.branches.last(),
                    Some(b) if matches!(b.ending, ResponseEnding::Interrupted | ResponseEnding::Halted(_))
                ) {
                    return;
                }
                match self.other_curve(index, side) {
                    Ok(known) => self.trace(known, Some((index, side))),
                    Err(miss) => self.report.unreached.push((index, miss.words())),
                }
            }
        }
    }

    /// The first two places on the other curve at a singular point.
    fn other_curve(&mut self, index: usize, side: f64) -> Result<Vec<Place<OrbitPoint, OrbitWay>>, Miss> {
        let found = &self.found[index];
        let mut origin = found.singular.point.clone();
        let direction = match found.singular.kind {
            OrbitSingularKind::Branch => {
                let null = self.curve.null(&origin)?;
                across(&self.curve, &found.tangent, &null, side)
            }
            OrbitSingularKind::Doubling => {
                let mode = self.curve.reversing(&origin)?;
                let id = self.curve.fresh();
                let member = self.curve.member(origin.parameter)?;
                let (point, mut way) = twice(&origin, &mode, &member, self.curve.start, id);
                origin = point;
                let length = size(&self.curve, &way);
                way.divide(length);
                way
            }
            OrbitSingularKind::Fold | OrbitSingularKind::Torus => {
                return Err(Miss::Other("no curve of periodic motions leaves there".into()));
            }
        };
        let nothing = Miss::Other("no motion was found on the other curve".into());
        let place = leave(&mut self.curve, &origin, &direction, self.settings.step).ok_or(nothing)?;
        origin.arc = 0.0;
        assess(&mut self.curve, &mut origin)?;
        Ok(vec![Place { point: origin, tangent: place.tangent.clone() }, place])
    }
}

/// A motion taken twice, and the direction of a mode that changes its sign after the first time.
fn twice(
    point: &OrbitPoint,
    mode: &OrbitWay,
    member: &OrbitMember,
    start: f64,
    id: u64,
) -> (OrbitPoint, OrbitWay) {
    let orbit = &point.orbit;
    let turns: Vec<f64> = orbit.end.memory.iter().zip(&orbit.states[0].memory).map(|(b, a)| b - a).collect();
    let later = |state: &State| {
        let mut state = state.clone();
        state.memory.iter_mut().zip(&turns).for_each(|(m, turn)| *m += turn);
        member.advances.iter().for_each(|&(eq, advance)| state.v[eq] += advance * point.multiple as f64);
        state
    };
    let half: Vec<f64> = orbit.fractions.iter().map(|f| 0.5 * f).collect();
    let mut doubled = Orbit {
        states: orbit.states.iter().cloned().chain(orbit.states.iter().map(later)).collect(),
        end: later(&orbit.end),
        fractions: [half.clone(), half].concat(),
        period: 2.0 * orbit.period,
    };
    doubled.set_times(start);
    let back = mode.around.iter().map(|change| change.iter().map(|d| -d).collect());
    let way = OrbitWay {
        around: mode.around.iter().cloned().chain(back).collect(),
        tau: 0.0,
        p: 0.0,
        weights: weights(&doubled.fractions),
    };
    let point = OrbitPoint {
        orbit: doubled,
        multiple: 2 * point.multiple,
        unstable: None,
        multipliers: Rc::default(),
        id,
        ..point.clone()
    };
    (point, way)
}

struct Watcher<'a> {
    observer: &'a mut dyn ResponseObserver,
    found: Vec<OrbitFound>,
    halted: Option<Halt>,
    values: &'a [f64],
    /// Whether no point has come yet.
    first: bool,
}

impl<'f> CurveObserver<OrbitCurve<'f>> for Watcher<'_> {
    fn point(&mut self, curve: &mut OrbitCurve<'f>, branch: usize, point: &OrbitPoint) -> Result<bool, Halt> {
        if let Some(halt) = &self.halted {
            return Err(halt.clone());
        }
        let remedy = "look at the model with that value of the parameter";
        let member = curve.member(point.parameter).map_err(|miss| Halt::new(miss.words(), remedy))?;
        let goes_on = self.observer.point(branch, &member, point)?;
        // A curve that starts at a value does not pass it.
        if std::mem::take(&mut self.first) {
            for (index, _) in self.values.iter().enumerate().filter(|(_, v)| **v == point.parameter) {
                self.observer.met(branch, index, &member, point)?;
            }
        }
        Ok(goes_on)
    }

    fn watched(&mut self, _: &mut OrbitCurve<'f>, _: usize, at: &OrbitPoint) -> Result<Vec<f64>, Miss> {
        Ok(self.values.iter().map(|value| at.parameter - value).collect())
    }

    fn ends(&self, _: usize) -> bool {
        false
    }

    fn met(
        &mut self,
        curve: &mut OrbitCurve<'f>,
        branch: usize,
        index: usize,
        point: &OrbitPoint,
    ) -> Result<(), Miss> {
        let mut point = point.clone();
        assess(curve, &mut point)?;
        let member = curve.member(point.parameter)?;
        if let Err(halt) = self.observer.met(branch, index, &member, &point) {
            self.halted = Some(halt);
        }
        Ok(())
    }

    fn found(&mut self, curve: &mut OrbitCurve<'f>, found: OrbitFound) {
        if let Ok(member) = curve.member(found.singular.point.parameter)
            && let Err(halt) = self.observer.singular(&member, &found.singular)
        {
            self.halted = Some(halt);
        }
        self.found.push(found);
    }

    fn prepared(
        &mut self,
        curve: &mut OrbitCurve<'f>,
        place: Place<OrbitPoint, OrbitWay>,
    ) -> Result<Place<OrbitPoint, OrbitWay>, Miss> {
        remesh(curve, place)
    }
}

/// The same motion with other elements, where those it has are no longer exact enough.
fn remesh(
    curve: &mut OrbitCurve,
    place: Place<OrbitPoint, OrbitWay>,
) -> Result<Place<OrbitPoint, OrbitWay>, Miss> {
    let Some(tolerance) = curve.mesh_tolerance else { return Ok(place) };
    let member = curve.member(place.point.parameter)?;
    let orbit = &place.point.orbit;
    let breaks = curve.members.breaks().to_vec();
    let order = curve.scheme.order(&member.system);
    let other = curve.with(&member, place.point.multiple, |correction| {
        let errors = mesh::errors(correction, orbit)?;
        if errors.iter().sum::<f64>() <= WORN * tolerance || orbit.elements() >= mesh::MOST {
            return Ok(None);
        }
        mesh::remeshed(correction, orbit, &errors, (order, tolerance), &breaks).map(Some)
    })?;
    let Some(other) = other else { return Ok(place) };
    curve.remeshed += 1;
    let normal = carried(&place.tangent, &orbit.fractions, &other.fractions);
    let mut point = OrbitPoint { orbit: other, id: curve.fresh(), unstable: None, ..place.point.clone() };
    crate::continuation::corrector::correct(curve, &mut point, &normal)?;
    let tangent = tangent(curve, &point, &normal)?;
    point.set_slope(tangent.p() * curve.scale());
    assess(curve, &mut point)?;
    Ok(Place { point, tangent })
}

/// A direction at other bounds, by lines between those it is known at.
fn carried(way: &OrbitWay, from: &[f64], to: &[f64]) -> OrbitWay {
    let bounds = |fractions: &[f64]| {
        let mut sum = 0.0;
        let start = |f: &f64| {
            sum += f;
            sum - f
        };
        fractions.iter().map(start).collect::<Vec<f64>>()
    };
    let (old, new) = (bounds(from), bounds(to));
    let count = old.len();
    let at = |place: &f64| {
        let i = old.partition_point(|bound| bound <= place).max(1) - 1;
        let share = ((place - old[i]) / from[i]).clamp(0.0, 1.0);
        let (a, b) = (&way.around[i], &way.around[(i + 1) % count]);
        a.iter().zip(b).map(|(a, b)| (1.0 - share) * a + share * b).collect()
    };
    OrbitWay { around: new.iter().map(at).collect(), tau: way.tau, p: way.p, weights: weights(to) }
}
