//! The common code on curves in the plane that are known: F(x, p) = 0 with one unknown.

use crate::continuation::curve::{Curve, Direction, Miss, OnCurve, Passed, Place, Step};
use crate::continuation::switch::{across, leave, turn};
use crate::continuation::tracer::{CurveObserver, Ending, Pace, Stop, Tracer};
use crate::continuation::{root, tangent};
use crate::halt::Halt;

#[derive(Clone, Copy, Debug)]
struct Way {
    x: f64,
    p: f64,
}

impl Direction for Way {
    fn p(&self) -> f64 {
        self.p
    }
    fn add(&mut self, share: f64, other: &Self) {
        self.x += share * other.x;
        self.p += share * other.p;
    }
    fn divide(&mut self, by: f64) {
        self.x /= by;
        self.p /= by;
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Point {
    x: f64,
    p: f64,
    arc: f64,
    corrections: usize,
    /// Sign of F_x.
    sign: f64,
}

impl OnCurve for Point {
    fn parameter(&self) -> f64 {
        self.p
    }
    fn set_parameter(&mut self, value: f64) {
        self.p = value;
    }
    fn arc(&self) -> f64 {
        self.arc
    }
    fn set_arc(&mut self, arc: f64) {
        self.arc = arc;
    }
    fn set_slope(&mut self, _: f64) {}
    fn set_corrections(&mut self, corrections: &[f64]) {
        self.corrections = corrections.len();
    }
}

type F = fn(f64, f64) -> [f64; 3];

/// F, F_x and F_p.
struct Plane {
    f: F,
    at: [f64; 3],
    normal: Way,
}

#[derive(Debug)]
struct Found {
    point: Point,
    tangent: Way,
    is_turn: bool,
}

impl Plane {
    fn solve(&self, right: [f64; 2]) -> Result<Way, Miss> {
        let [_, a, b] = self.at;
        let Way { x: c, p: d } = self.normal;
        let det = a * d - b * c;
        if det == 0.0 {
            return Err(Miss::Singular("F".into()));
        }
        Ok(Way { x: (right[0] * d - b * right[1]) / det, p: (a * right[1] - c * right[0]) / det })
    }
}

impl Curve for Plane {
    type Point = Point;
    type Way = Way;
    type Found = Found;

    fn scale(&self) -> f64 {
        1.0
    }
    fn tolerance(&self) -> f64 {
        1e-9
    }
    fn dot(&self, a: &Way, b: &Way) -> f64 {
        a.x * b.x + a.p * b.p
    }
    fn go(&mut self, at: &mut Point, direction: &Way, h: f64) -> Result<(), Miss> {
        at.x += h * direction.x;
        at.p += h * direction.p;
        Ok(())
    }
    fn linearise(&mut self, at: &Point, normal: &Way) -> Result<(), Miss> {
        (self.at, self.normal) = ((self.f)(at.x, at.p), *normal);
        self.solve([0.0, 1.0]).map(|_| ())
    }
    fn correction(&mut self) -> Result<Way, Miss> {
        self.solve([-self.at[0], 0.0])
    }
    fn along(&mut self) -> Result<Way, Miss> {
        self.solve([0.0, 1.0])
    }
    fn is_balanced(&self, _: &Point) -> bool {
        self.at[0] == 0.0
    }
    fn diverged(&self) -> Miss {
        Miss::Diverged("F".into())
    }
    fn note(&mut self) {}
    fn assess(&mut self, at: &mut Point) -> Result<(), Miss> {
        at.sign = (self.f)(at.x, at.p)[1];
        Ok(())
    }
    fn passed(&mut self, step: &Step<Point, Way>) -> Result<Passed<Found>, Miss> {
        if step.from.tangent.p * step.to.tangent.p < 0.0 {
            return self.turn_of(step).map(|found| Passed::Points(vec![found]));
        }
        let ends = [(0.0, step.from.point.sign), (step.h, step.to.point.sign)];
        if ends[0].1 * ends[1].1 >= 0.0 {
            return Ok(Passed::Points(vec![]));
        }
        let mut value = |curve: &mut Plane, at: &mut Point| Ok((curve.f)(at.x, at.p)[1]);
        let (_, point) = root(self, step.from, ends, 1e-12, &mut value)?;
        Ok(Passed::Points(vec![Found { point, tangent: step.from.tangent, is_turn: false }]))
    }
    fn turn_of(&mut self, step: &Step<Point, Way>) -> Result<Found, Miss> {
        let (_, place) = turn(self, step)?;
        Ok(Found { point: place.point, tangent: place.tangent, is_turn: true })
    }
}

#[derive(Default)]
struct Watcher {
    found: Vec<Found>,
    met: Vec<Point>,
}

impl CurveObserver<Plane> for Watcher {
    fn point(&mut self, _: &mut Plane, _: usize, _: &Point) -> Result<bool, Halt> {
        Ok(true)
    }
    fn watched(&mut self, _: &mut Plane, _: usize, point: &Point) -> Result<Vec<f64>, Miss> {
        Ok(vec![point.p - 0.25])
    }
    fn ends(&self, _: usize) -> bool {
        false
    }
    fn met(&mut self, _: &mut Plane, _: usize, _: usize, point: &Point) -> Result<(), Miss> {
        self.met.push(*point);
        Ok(())
    }
    fn found(&mut self, _: &mut Plane, found: Found) {
        self.found.push(found);
    }
}

fn pace(range: [f64; 2], points: usize) -> Pace {
    Pace { range, step: 0.05, shortest: 1e-8, longest: 0.2, turn: 0.4, points }
}

fn begin(curve: &mut Plane, x: f64, p: f64, sense: f64) -> Place<Point, Way> {
    let mut point = Point { x, p, ..Point::default() };
    curve.assess(&mut point).unwrap();
    let tangent = tangent(curve, &point, &Way { x: 0.0, p: sense }).unwrap();
    Place { point, tangent }
}

/// x² + p² = 1 goes round: the parameter turns back at ±1 wherever steps end.
#[test]
fn a_circle_turns_back_at_both_sides() {
    let mut curve = Plane {
        f: |x, p| [x * x + p * p - 1.0, 2.0 * x, 2.0 * p],
        at: [0.0; 3],
        normal: Way { x: 0.0, p: 1.0 },
    };
    let start = begin(&mut curve, 1.0, 0.0, 1.0);
    let mut watcher = Watcher::default();
    let mut tracer =
        Tracer { curve: &mut curve, pace: pace([-2.0, 2.0], 45), observer: &mut watcher, rejected: 0 };
    let (points, ending) = tracer.trace(0, vec![start]);
    assert!(matches!(ending, Ending::Points) && points.len() == 45);
    assert!(points.iter().all(|at| (at.x * at.x + at.p * at.p - 1.0).abs() < 1e-14 && at.corrections <= 5));
    assert!(watcher.found.len() >= 2 && watcher.found.iter().all(|found| found.is_turn));
    for (found, exact) in watcher.found.iter().zip([1.0, -1.0]) {
        assert!((found.point.p - exact).abs() < 1e-14 && found.point.x.abs() < 1e-7);
        assert!(found.tangent.p.abs() < 1e-7);
    }
    assert!(watcher.met.len() >= 2);
    for met in &watcher.met {
        assert!((met.p - 0.25).abs() < 1e-12 && (met.x.abs() - 0.9375f64.sqrt()).abs() < 1e-12);
    }
}

/// x (p − x²) = 0: a pitchfork at 0, left to both sides onto x = ±√p.
#[test]
fn a_pitchfork_is_found_and_left_to_both_sides() {
    let f: F = |x, p| [x * (p - x * x), p - 3.0 * x * x, x];
    let mut curve = Plane { f, at: [0.0; 3], normal: Way { x: 0.0, p: 1.0 } };
    let start = begin(&mut curve, 0.0, -0.53, 1.0);
    let mut watcher = Watcher::default();
    let mut tracer =
        Tracer { curve: &mut curve, pace: pace([-1.0, 0.7], 100), observer: &mut watcher, rejected: 0 };
    let (points, ending) = tracer.trace(0, vec![start]);
    assert!(matches!(ending, Ending::Stop(Stop::Parameter)));
    assert_eq!(points[points.len() - 1].p, 0.7);
    let [found] = &watcher.found[..] else { panic!("{:?}", watcher.found) };
    assert!(!found.is_turn && found.point.p.abs() < 1e-10);
    for side in [1.0, -1.0] {
        let way = across(&curve, &found.tangent, &Way { x: 1.0, p: 0.0 }, side);
        let place = leave(&mut curve, &found.point, &way, 0.1).unwrap();
        let at = place.point;
        assert!(at.x * side > 0.09 && (at.p - at.x * at.x).abs() < 1e-13, "{at:?}");
        // The tangent of x = ±√p, away from the origin.
        assert!(
            (place.tangent.p / place.tangent.x - 2.0 * at.x).abs() < 1e-9 && place.tangent.x * side > 0.0
        );
    }
}
