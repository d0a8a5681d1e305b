//! The conserving view of every element: work, momentum, exact derivatives, consistency and symmetry over a
//! step.

#![allow(unsafe_code, reason = "a global allocator cannot be had without")]

#[path = "suite/random.rs"]
#[allow(dead_code, reason = "uses a part of them")]
mod random;

use poinsot_expr::{Expr, Function, SmoothFunction};
use poinsot_geometry::{Mat3, Mat6, Vec3, so3};
use poinsot_mechanics::forces::{
    Bushing, CoordinateForce, FrameInertia, Governed, Gyrostat, PointForce, Stop, Torque, Turning,
};
use poinsot_mechanics::joints::*;
use poinsot_mechanics::*;
use random::Random;
use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::cell::Cell;

thread_local! {
    /// Allocations of this thread.
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: everything is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        unsafe { Heap.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { Heap.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

impl Random {
    fn unit(&mut self) -> Vec3 {
        self.vector().normalize()
    }

    fn attachment(&mut self, node: usize) -> Attachment {
        Attachment { node, origin: self.vector(), axes: so3::exp(&(self.vector() * 1.5)) }
    }
}

/// Sizes of the turns (rad) and moves (m) in a step.
const SIZES: [f64; 6] = [1e-9, 1e-6, 3e-5, 1e-3, 2e-2, 0.5];
/// Those at which differences by x⁺ can be taken: Gonzalez' correction is of second order in Δ, but not a
/// polynomial, so their spacing must be much smaller than |Δ|, or so much larger that the polynomial is all
/// they see.
const SPACED: [f64; 4] = [1e-9, 1e-3, 2e-2, 0.5];
const FIRST: usize = 1;
const SECOND: usize = 2;
const PLACE: usize = 3;
const H: f64 = 0.02;
const T: f64 = 0.7;

/// Frames of ground, two bodies and a curve parameter.
type Frames = [Frame; 4];

/// A path of all frames through a middle: z(τ).
struct Path {
    middle: Frames,
    turn: [Vec3; 4],
    shift: [Vec3; 4],
}

impl Path {
    fn new(rng: &mut Random, relative_turn: f64) -> Self {
        let first = so3::exp(&(rng.vector() * 1.5));
        let second = first * so3::exp(&(rng.unit() * relative_turn));
        let frame = |r, rot| Frame { r, rot };
        Path {
            middle: [
                frame(Vec3::zeros(), Mat3::identity()),
                frame(rng.vector(), first),
                frame(rng.vector() + Vec3::x() * 3.0, second),
                frame(Vec3::x() * rng.next(), Mat3::identity()),
            ],
            turn: [Vec3::zeros(), rng.unit(), rng.unit(), Vec3::zeros()],
            shift: [Vec3::zeros(), rng.unit(), rng.unit(), Vec3::x() * 0.8],
        }
    }

    fn at(&self, tau: f64) -> Frames {
        std::array::from_fn(|k| Frame {
            r: self.middle[k].r + self.shift[k] * tau,
            rot: self.middle[k].rot * so3::exp(&(self.turn[k] * tau)),
        })
    }
}

fn values(carried: &[Carried], frames: &Frames) -> Vec<Vec3> {
    carried.iter().map(|c| c.value(&frames[c.node])).collect()
}

/// The vectors of a step that a [`StepEnds`] borrows.
#[derive(Clone)]
struct Step {
    t: f64,
    h: f64,
    from: Vec<Vec3>,
    to: Vec<Vec3>,
    mean: Vec<Vec3>,
    rate: Vec<Vec3>,
    memory: Vec<f64>,
    dissipation: f64,
}

impl Step {
    fn new(from: Vec<Vec3>, to: Vec<Vec3>, h: f64, memory: Vec<f64>) -> Self {
        let mean = from.iter().zip(&to).map(|(x, y)| (x + y) * 0.5).collect();
        let rate = from.iter().zip(&to).map(|(x, y)| (y - x) / h).collect();
        Step { t: T, h, from, to, mean, rate, memory, dissipation: 0.0 }
    }

    fn with_end(&self, to: Vec<Vec3>) -> Self {
        let (t, dissipation) = (self.t, self.dissipation);
        Step { t, dissipation, ..Step::new(self.from.clone(), to, self.h, self.memory.clone()) }
    }

    /// The end moved by `by` at component `c` of vector `b`.
    fn moved(&self, b: usize, c: usize, by: f64) -> Self {
        let mut to = self.to.clone();
        to[b][c] += by;
        self.with_end(to)
    }

    /// The step back.
    fn reversed(&self, memory: Vec<f64>) -> Self {
        Step { t: self.t + self.h, ..Step::new(self.to.clone(), self.from.clone(), -self.h, memory) }
    }

    fn view(&self) -> StepEnds<'_> {
        StepEnds {
            t: self.t,
            h: self.h,
            span: LawSpan::ALL,
            from: &self.from,
            to: &self.to,
            mean: &self.mean,
            rate: &self.rate,
            memory: &self.memory,
            reactions: &[],
            dissipation: self.dissipation,
        }
    }
}

fn along(f: &[Vec3], step: &Step) -> f64 {
    f.iter().zip(step.from.iter().zip(&step.to)).map(|(f, (x, y))| f.dot(&(y - x))).sum()
}

/// Σ f over points and Σ mean × f, both relative to the size of their terms.
fn momentum(carried: &[Carried], f: &[Vec3], step: &Step) -> f64 {
    let (mut linear, mut angular, mut size) = (Vec3::zeros(), Vec3::zeros(), 1e-30);
    for ((c, f), x) in carried.iter().zip(f).zip(&step.mean) {
        linear += f * c.c0;
        angular += x.cross(f);
        size += f.norm() * (1.0 + x.norm());
    }
    (linear.norm() + angular.norm()) / size
}

fn close(got: f64, expected: f64, tolerance: f64, label: &str) {
    let error = (got - expected).abs();
    assert!(error <= tolerance, "{label}: {got} instead of {expected}, off by {error:.1e} > {tolerance:.1e}");
}

// ---------------------------------------------------------------- coordinates

fn coordinates(rng: &mut Random) -> Vec<Coordinate> {
    let (first, second) = (rng.attachment(FIRST), rng.attachment(SECOND));
    vec![
        Coordinate::distance(&first, &second),
        Coordinate::displacement(&first, &second),
        Coordinate::angle(&first, &second),
        Coordinate::first_cross_angle(&first, &second),
        Coordinate::second_cross_angle(&first, &second),
        Coordinate::Cosine([first.axis(0), second.axis(2)]),
        Coordinate::component(second.point(), 1),
    ]
}

fn slopes(s: &Coordinate, step: &Step) -> Vec<Vec3> {
    s.discrete_slope(&step.from, &step.to)[..s.carried().len()].to_vec()
}

#[test]
fn slopes_of_coordinates() {
    let mut rng = Random(0x9e3779b97f4a7c15);
    for _ in 0..40 {
        let path = Path::new(&mut rng, 1.0);
        for s in coordinates(&mut rng) {
            for size in SIZES {
                let label = format!("{s:?} at {size}");
                let ends = [-0.5, 0.5].map(|tau| values(s.carried(), &path.at(tau * size)));
                let step = Step::new(ends[0].clone(), ends[1].clone(), H, vec![]);
                let slope = slopes(&s, &step);
                let change = s.change(&step.from, &step.to);
                let first = s.value(&step.from, 0.0);
                let rise = s.value(&step.to, first) - first;
                close(along(&slope, &step), rise, 1e-14 * (1.0 + first.abs()), &label);
                // The change keeps its digits where the difference of values has lost them.
                close(along(&slope, &step), change, 1e-14 * change.abs() + 1e-15 * size, &label);
                if !matches!(s, Coordinate::Component(..)) {
                    assert!(momentum(s.carried(), &slope, &step) < 1e-15, "{label}");
                }
                let back = slopes(&s, &step.reversed(vec![]));
                for (forth, back) in slope.iter().zip(&back) {
                    close((forth - back).norm(), 0.0, 1e-14 * (1.0 + forth.norm()), &label);
                }
                if SPACED.contains(&size) {
                    check_curvature(&s, &step, &label);
                }
            }
            let x = values(s.carried(), &path.at(0.0));
            let here = Step::new(x.clone(), x.clone(), H, vec![]);
            for (got, expected) in slopes(&s, &here).iter().zip(&s.slope(&x)) {
                close((got - expected).norm(), 0.0, 1e-14 * (1.0 + expected.norm()), "limit");
            }
        }
    }
}

fn check_curvature(s: &Coordinate, step: &Step, label: &str) {
    let (n, e) = (s.carried().len(), 1e-5);
    let mut blocks = Blocks::default();
    s.discrete_curvature(&step.from, &step.to, 1.0, &mut blocks);
    for b in 0..n {
        for c in 0..3 {
            let (plus, minus) = (slopes(s, &step.moved(b, c, e)), slopes(s, &step.moved(b, c, -e)));
            for a in 0..n {
                let expected = (plus[a] - minus[a]) / (2.0 * e);
                let of = |block: &&Block| block.a == a && block.b == b;
                let got: Vec3 =
                    blocks.entries().iter().filter(of).map(|k| k.value.column(c).into_owned()).sum();
                close((got - expected).norm(), 0.0, 1e-7 * (1.0 + expected.norm()), label);
            }
        }
    }
}

/// A turn about a fixed axis is found to all the digits that the vectors have, over many turns too.
#[test]
fn turns_of_any_size() {
    let s = Coordinate::Angle([
        Carried::direction(GROUND, Vec3::x()),
        Carried::direction(GROUND, Vec3::y()),
        Carried::direction(FIRST, Vec3::x()),
    ]);
    let at = |angle: f64| vec![Vec3::x(), Vec3::y(), Vec3::new(angle.cos(), angle.sin(), 0.0)];
    for (from, change) in [(0.0, 1e-12), (0.0, 3.0), (3.1, 0.2), (-3.1, -0.5), (1.0, -3.1), (40.0, 2.0)] {
        let change_found = s.change(&at(from), &at(from + change));
        close(change_found, change, 1e-14 * (1.0 + from.abs()) * change.abs().max(1e-2), "change");
        let start = s.value(&at(from), from);
        close(
            s.value(&at(from + change), start) - start,
            change_found,
            1e-14 * (1.0 + from.abs()),
            "unwrapped",
        );
    }
}

/// Distance of points that meet at one end or at both.
#[test]
fn points_that_meet() {
    let s =
        Coordinate::Distance([Carried::point(FIRST, Vec3::zeros()), Carried::point(SECOND, Vec3::zeros())]);
    let (here, there) = ([Vec3::x(), Vec3::x()], [Vec3::x(), Vec3::new(1.0, 0.3, 0.4)]);
    assert_eq!(s.discrete_slope(&here, &here), [Vec3::zeros(); 3]);
    close(s.change(&here, &there), 0.5, 1e-15, "parting");
    close(s.change(&there, &here), -0.5, 1e-15, "meeting");
    let mut blocks = Blocks::default();
    s.discrete_curvature(&here, &here, 1.0, &mut blocks);
    s.discrete_curvature(&there, &here, 1.0, &mut blocks);
    assert!(blocks.entries().iter().all(|b| b.value.iter().all(|v| v.is_finite())));
}

// ---------------------------------------------------------------- constraints

fn of_time(text: &str) -> SmoothFunction {
    SmoothFunction::new(&Expr::parse(text).unwrap(), &["t"], &|_| None).unwrap()
}

fn law(text: &str, arguments: &[&str]) -> Law {
    Law::Expression(SmoothFunction::new(&Expr::parse(text).unwrap(), arguments, &|_| None).unwrap())
}

/// A constraint that uses the trait's defaults: Φ = (x·x)(x·u) − t² x₁ u₃ and ψ = (u·x) u·ẋ.
#[derive(Debug)]
struct Custom([Carried; 2]);

impl Constraint for Custom {
    fn kind(&self) -> &'static str {
        "custom"
    }

    fn row_name(&self, _k: usize) -> &'static str {
        "custom"
    }

    fn rows(&self) -> usize {
        2
    }

    fn carried(&self) -> &[Carried] {
        &self.0
    }

    fn reaction_point(&self) -> usize {
        0
    }

    fn is_velocity_row(&self, k: usize) -> bool {
        k == 1
    }

    fn is_driven(&self) -> bool {
        true
    }

    fn residual(&self, at: &Configuration, phi: &mut [f64]) {
        let (x, u) = (at.x[0], at.x[1]);
        phi[0] = x.norm_squared() * x.dot(&u) - at.t * at.t * x.x * u.z;
    }

    fn gradients(&self, at: &Configuration, g: &mut Gradients) {
        let (x, u, t) = (at.x[0], at.x[1], at.t * at.t);
        g.push(0, 0, x * (2.0 * x.dot(&u)) + u * x.norm_squared() - Vec3::x() * (t * u.z));
        g.push(1, 0, u * x.dot(&u));
        g.push(0, 1, x * x.norm_squared() - Vec3::z() * (t * x.x));
    }

    fn rate_gradients(&self, _at: &Configuration, _xdot: &[Vec3], _g: &mut Gradients) {
        unimplemented!("not part of a step")
    }

    fn hessian(&self, at: &Configuration, lambda: &[f64], h: &mut Blocks) {
        let (x, u, t) = (at.x[0], at.x[1], at.t * at.t);
        let eye = Mat3::identity();
        let own = eye * (2.0 * x.dot(&u)) + (x * u.transpose() + u * x.transpose()) * 2.0;
        let across = x * x.transpose() * 2.0 + eye * x.norm_squared() - Vec3::x() * Vec3::z().transpose() * t;
        h.push(0, 0, own * lambda[0] + u * u.transpose() * lambda[1]);
        h.push(0, 1, across * lambda[0] + (eye * x.dot(&u) + u * x.transpose()) * lambda[1]);
        h.push(1, 0, across.transpose() * lambda[0]);
    }
}

/// What must hold for the vectors of a constraint before its identities do.
#[derive(Clone, Copy, PartialEq)]
enum Shell {
    /// Nothing.
    Anywhere,
    /// The two points of a joint coincide.
    Points,
    /// The second point is on the curve.
    Curve,
}

struct Case {
    name: &'static str,
    law: Box<dyn Constraint>,
    shell: Shell,
    /// Whether its forces are internal forces of two bodies.
    internal: bool,
}

const CURVE: [&str; 3] = ["cos(s)", "sin(2*s) + s", "exp(0.3*s)"];

fn curve() -> [SmoothFunction; 3] {
    CURVE.map(|text| SmoothFunction::new(&Expr::parse(text).unwrap(), &["s"], &|_| None).unwrap())
}

fn constraints(rng: &mut Random) -> (Vec<Case>, [Attachment; 2]) {
    let (first, second) = (rng.attachment(FIRST), rng.attachment(SECOND));
    let (a, b) = (&first, &second);
    let mut cases = vec![];
    let mut add = |name, law: Box<dyn Constraint>, shell, internal| {
        cases.push(Case { name, law, shell, internal });
    };
    add("fixed", Box::new(fixed(a, b)), Shell::Points, true);
    add("spherical", Box::new(spherical(a, b)), Shell::Points, true);
    add("revolute", Box::new(revolute(a, b)), Shell::Points, true);
    add("universal", Box::new(universal(a, b)), Shell::Points, true);
    add("constant velocity", Box::new(constant_velocity(a, b)), Shell::Points, true);
    add("prismatic", Box::new(prismatic(a, b)), Shell::Anywhere, true);
    add("cylindrical", Box::new(cylindrical(a, b)), Shell::Anywhere, true);
    add("planar", Box::new(planar(a, b)), Shell::Anywhere, true);
    add("screw", Box::new(screw(a, b, 0.3)), Shell::Anywhere, true);
    add("point on line", Box::new(point_on_line(a, b)), Shell::Anywhere, true);
    add("point on plane", Box::new(point_on_plane(a, b)), Shell::Anywhere, true);
    add("distance", Box::new(distance(a, b, 2.0)), Shell::Anywhere, true);
    add("point on curve", Box::new(point_on_curve(a, b, PLACE, curve())), Shell::Curve, true);
    add(
        "rolling disk",
        Box::new(rolling_disk(&Attachment { node: GROUND, ..first }, b, 0.4)),
        Shell::Anywhere,
        false,
    );
    add("rolling disk on a body", Box::new(rolling_disk(a, b, 0.4)), Shell::Anywhere, false);
    add("rolling ball", Box::new(rolling_ball(a, b, 0.4)), Shell::Anywhere, false);
    add("knife edge", Box::new(knife_edge(a, b)), Shell::Anywhere, false);
    let at = second.point();
    let angle = || Coordinate::angle(a, b);
    let s = || Coordinate::displacement(a, b);
    add(
        "gear",
        Box::new(couplings::gear([angle(), Coordinate::first_cross_angle(a, b)], [7.0, 3.0], false, 0.1, at)),
        Shell::Anywhere,
        true,
    );
    add(
        "belt",
        Box::new(couplings::belt([angle(), Coordinate::second_cross_angle(a, b)], [0.2, 0.3], true, 0.0, at)),
        Shell::Anywhere,
        true,
    );
    add(
        "rack and pinion",
        Box::new(couplings::rack_and_pinion(angle(), s(), 0.2, 0.0, at)),
        Shell::Anywhere,
        true,
    );
    add("drive", Box::new(drives::coordinate(angle(), of_time("sin(2*t) + t^2"), at)), Shell::Anywhere, true);
    add(
        "distance drive",
        Box::new(drives::coordinate(Coordinate::distance(a, b), of_time("t"), at)),
        Shell::Anywhere,
        true,
    );
    add(
        "rate drive",
        Box::new(drives::coordinate_rate(angle(), of_time("cos(t)"), at)),
        Shell::Anywhere,
        true,
    );
    add(
        "point drive",
        Box::new(drives::point(a, b, [Some(of_time("t")), None, Some(of_time("t^3"))])),
        Shell::Anywhere,
        true,
    );
    let spin = drives::angular_velocity(b, true, ["sin(t)", "t^2", "1"].map(of_time));
    add("angular velocity", Box::new(spin), Shell::Anywhere, false);
    let row = law("sin(q)*s*(1 + 0.3*t) + c^2*d + q*c + exp(0.2*s)", &["q", "s", "c", "d", "t"]);
    let arguments = || {
        let cosine = Coordinate::Cosine([a.axis(0), b.axis(2)]);
        vec![angle(), s(), cosine, Coordinate::distance(a, b)]
    };
    let invariant =
        Equations::try_new("user", arguments(), vec![], vec![Equation::holonomic("row", 4, row)], at);
    add("expression", Box::new(invariant.unwrap()), Shell::Anywhere, true);
    let rows = vec![
        Equation::holonomic("kink", 2, law("abs(q)*s + max(s, t)", &["q", "s", "t"])),
        Equation {
            name: "velocity",
            coordinates: vec![0, 1],
            speeds: vec![0, 1],
            law: law("s^2*u + sin(q)*v", &["q", "s", "u", "v", "t"]),
        },
        Equation { name: "world", coordinates: vec![4], speeds: vec![], law: law("y^3", &["y", "t"]) },
    ];
    let speeds = vec![Speed::Rate(Coordinate::distance(a, b)), Speed::spin(SECOND, a.axis(0))];
    let mut coordinates = arguments();
    coordinates.push(Coordinate::component(b.point(), 1));
    let mixed = Equations::try_new("user", coordinates, speeds, rows, at).unwrap();
    add("mixed expressions", Box::new(mixed), Shell::Anywhere, false);
    add("defaults", Box::new(Custom([b.point(), a.axis(1)])), Shell::Anywhere, false);
    (cases, [first, second])
}

/// Moves the second body so that the vectors of the case are on its shell.
fn settle(shell: Shell, ends: &[Attachment; 2], mut frames: Frames) -> Frames {
    let [x1, x2] = [&ends[0], &ends[1]].map(|end| end.point().value(&frames[end.node]));
    let wanted = match shell {
        Shell::Anywhere => return frames,
        Shell::Points => x1,
        Shell::Curve => {
            let s = [frames[PLACE].r.x];
            let r = curve().map(|r| r.value(&s));
            x1 + frames[FIRST].rot * ends[0].axes * Vec3::from(r)
        }
    };
    frames[SECOND].r += wanted - x2;
    frames
}

fn dense(law: &dyn Constraint, step: &StepEnds) -> Vec<Vec<Vec3>> {
    let mut g = Gradients::default();
    law.discrete_gradients(step, &mut g);
    collected(law, &g)
}

fn collected(law: &dyn Constraint, g: &Gradients) -> Vec<Vec<Vec3>> {
    let mut rows = vec![vec![Vec3::zeros(); law.carried().len()]; law.rows()];
    g.entries().iter().for_each(|g| rows[g.row][g.carried] += g.value);
    rows
}

fn remembered(law: &dyn Constraint, x: &[Vec3], near: Option<&[f64]>) -> Vec<f64> {
    let mut memory = vec![0.0; law.memories()];
    match near {
        Some(near) => memory.copy_from_slice(near),
        None => law.start_memory(&mut memory),
    }
    let before = memory.clone();
    law.remember(&Configuration { t: T, x, memory: &before }, &mut memory);
    memory
}

fn constraint_step(case: &Case, ends: &[Attachment; 2], path: &Path, size: f64) -> Step {
    let [from, to] =
        [-0.5, 0.5].map(|tau| values(case.law.carried(), &settle(case.shell, ends, path.at(tau * size))));
    let memory = remembered(&*case.law, &from, None);
    Step::new(from, to, H, memory)
}

/// Φ averaged over the times of both ends.
fn mean_residual(law: &dyn Constraint, step: &Step, x: &[Vec3]) -> Vec<f64> {
    let mut mean = vec![0.0; law.rows()];
    for t in [step.t, step.t + step.h] {
        let mut phi = vec![0.0; law.rows()];
        law.residual(&Configuration { t, x, memory: &step.memory }, &mut phi);
        mean.iter_mut().zip(&phi).for_each(|(mean, phi)| *mean += 0.5 * phi);
    }
    mean
}

#[test]
fn work_and_momentum_of_constraints() {
    let mut rng = Random(0x7c0ffee123456789);
    for _ in 0..30 {
        let path = Path::new(&mut rng, 1.0);
        let (cases, ends) = constraints(&mut rng);
        for case in &cases {
            for size in SIZES {
                let label = format!("{} at {size}", case.name);
                let step = constraint_step(case, &ends, &path, size);
                let gd = dense(&*case.law, &step.view());
                let first = mean_residual(&*case.law, &step, &step.from);
                let last = mean_residual(&*case.law, &step, &step.to);
                for (k, g) in gd.iter().enumerate() {
                    if !case.law.is_velocity_row(k) {
                        let scale = 1.0 + first[k].abs() + g.iter().map(|g| g.norm()).sum::<f64>();
                        close(along(g, &step), last[k] - first[k], 1e-14 * scale, &label);
                    }
                    if case.internal {
                        let points = if case.shell == Shell::Curve { 5 } else { g.len() };
                        let defect = momentum(&case.law.carried()[..points], &g[..points], &step);
                        assert!(defect < 1e-14, "{label}: momentum {defect:e}");
                    }
                }
                let back_memory = remembered(&*case.law, &step.to, Some(&step.memory));
                let back = dense(&*case.law, &step.reversed(back_memory).view());
                for (forth, back) in gd.iter().flatten().zip(back.iter().flatten()) {
                    close(
                        (forth - back).norm(),
                        0.0,
                        2e-12 * (1.0 + forth.norm()),
                        &format!("{label} reversed"),
                    );
                }
            }
        }
    }
}

/// Directionality does not need the constraint to hold, as penalties and augmented multipliers ask.
#[test]
fn work_away_from_the_constraint() {
    let mut rng = Random(0x510e527fade682d1);
    for _ in 0..30 {
        let path = Path::new(&mut rng, 1.0);
        let (cases, _) = constraints(&mut rng);
        for case in cases.iter().filter(|case| case.shell != Shell::Anywhere) {
            for size in SIZES {
                let [from, to] = [-0.5, 0.5].map(|tau| values(case.law.carried(), &path.at(tau * size)));
                let memory = remembered(&*case.law, &from, None);
                let step = Step::new(from, to, H, memory);
                let first = mean_residual(&*case.law, &step, &step.from);
                let last = mean_residual(&*case.law, &step, &step.to);
                for (k, g) in dense(&*case.law, &step.view()).iter().enumerate() {
                    close(along(g, &step), last[k] - first[k], 1e-14 * (1.0 + first[k].abs()), case.name);
                }
            }
        }
    }
}

#[test]
fn derivatives_of_constraints() {
    let mut rng = Random(0x1357924680acebdf);
    for _ in 0..6 {
        let path = Path::new(&mut rng, 1.0);
        let (cases, ends) = constraints(&mut rng);
        // The kinks of abs and max have no derivative that differences could find.
        for case in cases.iter().filter(|case| case.name != "mixed expressions") {
            for size in SPACED {
                let label = format!("{} at {size}", case.name);
                let step = constraint_step(case, &ends, &path, size);
                let lambda: Vec<f64> = (0..case.law.rows()).map(|_| 3.0 * rng.next()).collect();
                let pull = |step: &Step| -> Vec<Vec3> {
                    let rows = dense(&*case.law, &step.view());
                    (0..step.to.len())
                        .map(|a| rows.iter().zip(&lambda).map(|(g, l)| g[a] * *l).sum())
                        .collect()
                };
                let mut h = Blocks::default();
                case.law.discrete_hessian(&step.view(), &lambda, &mut h);
                compare(&step, &h, pull, &label);
            }
        }
    }
}

/// Compares blocks with central differences of `f` by all components of x⁺, extrapolated from two spacings.
fn compare(step: &Step, h: &Blocks, f: impl Fn(&Step) -> Vec<Vec3>, label: &str) {
    let n = step.to.len();
    for (b, c) in (0..n).flat_map(|b| (0..3).map(move |c| (b, c))) {
        let difference = |e: f64| -> Vec<Vec3> {
            let (plus, minus) = (f(&step.moved(b, c, e)), f(&step.moved(b, c, -e)));
            plus.iter().zip(&minus).map(|(p, m)| (p - m) / (2.0 * e)).collect()
        };
        let (wide, narrow) = (difference(2e-5), difference(1e-5));
        for a in 0..n {
            let expected = (narrow[a] * 4.0 - wide[a]) / 3.0;
            let of = |block: &&Block| block.a == a && block.b == b;
            let got: Vec3 = h.entries().iter().filter(of).map(|k| k.value.column(c).into_owned()).sum();
            let tolerance = 1e-7 * (1.0 + expected.norm());
            close((got - expected).norm(), 0.0, tolerance, &format!("{label} ({a}, {b}, {c})"));
        }
    }
}

/// Generalised forces of rows on the frames: what the equations of motion see of them.
fn generalised(carried: &[Carried], f: &[Vec3], frames: &Frames) -> Vec<Vec3> {
    let mut out = vec![Vec3::zeros(); 8];
    for (c, f) in carried.iter().zip(f) {
        out[2 * c.node] += f * c.c0;
        out[2 * c.node + 1] += (frames[c.node].rot * c.c).cross(f);
    }
    out
}

#[test]
fn consistency_of_constraints() {
    let mut rng = Random(0xabcdef0123456789);
    for _ in 0..10 {
        let path = Path::new(&mut rng, 1.0);
        let (cases, ends) = constraints(&mut rng);
        for case in cases.iter().filter(|case| case.name != "mixed expressions") {
            let law = &*case.law;
            let frames = settle(case.shell, &ends, path.at(0.0));
            let x = values(law.carried(), &frames);
            let memory = remembered(law, &x, None);
            let mut exact = Gradients::default();
            law.gradients(&Configuration { t: T + 0.5 * H, x: &x, memory: &memory }, &mut exact);
            let exact = collected(law, &exact);
            let error = |size: f64| -> f64 {
                let step = constraint_step(case, &ends, &path, size);
                let frozen = Step { t: T + 0.5 * H, h: 0.0, ..step };
                let got = dense(law, &StepEnds { h: 0.0, ..frozen.view() });
                let view = |g: &[Vec3]| generalised(law.carried(), g, &frames);
                let rows = got.iter().zip(&exact);
                rows.flat_map(|(g, e)| view(g).into_iter().zip(view(e)))
                    .map(|(g, e)| (g - e).norm())
                    .fold(0.0, f64::max)
            };
            assert!(error(0.0) < 1e-13, "{}: limit {:e}", case.name, error(0.0));
            let errors = [0.02, 0.01].map(error);
            if errors[1] > 1e-9 {
                let order = (errors[0] / errors[1]).log2();
                assert!((order - 2.0).abs() < 0.05, "{}: order {order}", case.name);
            }
        }
    }
}

#[test]
fn joints_are_quadratic() {
    let (cases, _) = constraints(&mut Random(0x5eed5eed5eed5eed));
    let quadratic: Vec<_> = cases.iter().filter(|c| c.law.is_quadratic()).map(|c| c.name).collect();
    let expected = [
        "fixed",
        "spherical",
        "revolute",
        "universal",
        "constant velocity",
        "prismatic",
        "cylindrical",
        "planar",
        "point on line",
        "point on plane",
        "rolling ball",
        "knife edge",
    ];
    assert_eq!(quadratic, expected);
}

// ---------------------------------------------------------------- forces

fn function(text: &str, arguments: &[&str]) -> Function {
    Function::new(&Expr::parse(text).unwrap(), arguments, &|_| None).unwrap()
}

fn load() -> [Function; 3] {
    ["1 + sin(t)", "2*t", "-0.7"].map(|text| function(text, &["t"]))
}

fn rest() -> [Function; 3] {
    [0.0; 3].map(Function::constant)
}

/// An element whose inputs follow a law of positions, angles and speeds of two bodies.
fn governed(element: impl Force, first: &Attachment, second: &Attachment) -> Box<dyn Force> {
    let readings = vec![
        Reading::Coordinate(Coordinate::distance(first, second)),
        Reading::Coordinate(Coordinate::angle(first, second)),
        Reading::Coordinate(Coordinate::component(second.point(), 1)),
        Reading::Speed(Speed::Rate(Coordinate::component(first.point(), 0))),
        Reading::Speed(Speed::spin(second.node, second.axis(2))),
    ];
    let names = ["t", "l", "phi", "y", "v", "w"];
    let laws = ["0.3*l^2*cos(phi) + t*y", "0.1*v^2*w - y", "sin(w)*y", "0.4*l*v", "phi*y*0.2", "-w*l"];
    let inputs = element.extensions().input.unwrap().inputs();
    let efforts: Vec<Function> = laws[..inputs].iter().map(|text| function(text, &names)).collect();
    Box::new(Governed::new(Box::new(element), readings, &efforts).unwrap())
}

/// A force, whether its forces are internal and whether it cannot supply energy.
struct Loaded {
    name: &'static str,
    law: Box<dyn Force>,
    internal: bool,
    passive: bool,
}

fn spd6(rng: &mut Random) -> Mat6 {
    let m = Mat6::from_fn(|_, _| rng.next());
    m * m.transpose() + Mat6::identity()
}

fn forces(rng: &mut Random) -> Vec<Loaded> {
    let (first, second) = (rng.attachment(FIRST), rng.attachment(SECOND));
    let mut all = vec![];
    let names = ["distance", "displacement", "angle", "first cross", "second cross"];
    let makes = [
        Coordinate::distance,
        Coordinate::displacement,
        Coordinate::angle,
        Coordinate::first_cross_angle,
        Coordinate::second_cross_angle,
    ];
    for (name, make) in names.into_iter().zip(makes) {
        let coordinate = make(&first, &second);
        let spring = CoordinateForce {
            coordinate: coordinate.clone(),
            stiffness: 7.0,
            damping: 0.3,
            free: 0.4,
            law: None,
        };
        let law = Some(function("sin(s) + 0.1*v^3 + t*s", &["t", "s", "v"]));
        let actuator = CoordinateForce { law, ..spring.clone() };
        let middle = 0.3 * rng.next();
        let stop =
            Stop { coordinate, lower: middle - 0.2, upper: middle + 0.2, stiffness: 50.0, damping: 0.6 };
        let edge = Stop { lower: f64::NEG_INFINITY, ..stop.clone() };
        for (law, passive) in [
            (Box::new(spring) as Box<dyn Force>, true),
            (Box::new(actuator), false),
            (Box::new(stop), true),
            (Box::new(edge), true),
        ] {
            all.push(Loaded { name, law, internal: true, passive });
        }
    }
    let bushing =
        Bushing::new(&first, &Attachment { axes: first.axes, ..second }, spd6(rng) * 10.0, spd6(rng));
    all.push(Loaded { name: "bushing", law: Box::new(bushing), internal: true, passive: true });
    let point = second.origin;
    let mut external = |name, law| all.push(Loaded { name, law, internal: false, passive: false });
    external("dead force", Box::new(PointForce::dead(SECOND, point, load())) as Box<dyn Force>);
    external("follower force", Box::new(PointForce::follower(SECOND, point, &second.axes, load())));
    external("dead torque", Box::new(Torque::dead(SECOND, load())));
    external("follower torque", Box::new(Torque::follower(SECOND, &second.axes, load())));
    external("dead force by a law", governed(PointForce::dead(SECOND, point, rest()), &first, &second));
    let follower = PointForce::follower(SECOND, point, &second.axes, rest());
    external("follower force by a law", governed(follower, &first, &second));
    external("dead torque by a law", governed(Torque::dead(SECOND, rest()), &first, &second));
    let follower = Torque::follower(SECOND, &second.axes, rest());
    external("follower torque by a law", governed(follower, &first, &second));
    for coordinate in [Coordinate::distance(&first, &second), Coordinate::angle(&first, &second)] {
        let spring = CoordinateForce { coordinate, stiffness: 3.0, damping: 0.2, free: 0.1, law: None };
        let law = governed(spring, &first, &second);
        all.push(Loaded { name: "spring by a law", law, internal: true, passive: false });
    }
    let bushing = Bushing::new(
        &first,
        &Attachment { axes: first.axes, ..second },
        Mat6::identity(),
        Mat6::identity() * 0.1,
    );
    let law = governed(bushing, &first, &second);
    all.push(Loaded { name: "bushing", law, internal: true, passive: false });
    let frame = Turning { rate: rng.vector() * 2.0, centre: rng.vector() };
    let inertia = Mat3::from_diagonal(&Vec3::new(1.1, 1.3, 1.6));
    let body = Body::new(SECOND, &MassProperties::new(1.5, rng.vector() * 0.3, inertia));
    let mut workless = |name, law| all.push(Loaded { name, law, internal: false, passive: true });
    workless("body", Box::new(FrameInertia::on_body(&body, &Chart::Motion, frame)) as Box<dyn Force>);
    workless("gyrostat", Box::new(Gyrostat::new(FIRST, &rng.unit(), 1.4, frame.rate)));
    all
}

fn force_step(law: &dyn Force, path: &Path, size: f64, dissipation: f64) -> Step {
    let [from, to] = [-0.5, 0.5].map(|tau| values(law.carried(), &path.at(tau * size)));
    let xdot = vec![Vec3::zeros(); from.len()];
    let memory = force_memory(law, &from, &xdot);
    Step { dissipation, ..Step::new(from, to, H, memory) }
}

/// What a force remembers of a place.
fn force_memory(law: &dyn Force, x: &[Vec3], xdot: &[Vec3]) -> Vec<f64> {
    let (before, mut memory) = (vec![0.0; law.memories()], vec![0.0; law.memories()]);
    law.remember(&Motion { t: T, x, xdot, memory: &before, reactions: &[] }, &mut memory);
    memory
}

fn discrete_force(law: &dyn Force, step: &Step) -> Vec<Vec3> {
    let mut f = vec![Vec3::zeros(); step.to.len()];
    law.discrete_force(&step.view(), &mut f);
    f
}

#[test]
fn work_and_momentum_of_forces() {
    let mut rng = Random(0x0ddba11cafef00d5);
    for _ in 0..40 {
        let path = Path::new(&mut rng, 0.9);
        for Loaded { name, law, internal, passive } in forces(&mut rng) {
            for (size, chi) in SIZES.into_iter().flat_map(|size| [(size, 0.0), (size, 0.3)]) {
                let label = format!("{name} {} at {size} with {chi}", law.kind());
                let step = force_step(&*law, &path, size, chi);
                let view = step.view();
                let f = discrete_force(&*law, &step);
                let (stored, work) =
                    (law.potential(&view.last()) - law.potential(&view.first()), law.discrete_work(&view));
                let energy = law.potential(&view.first()) + law.potential(&view.last());
                let scale = 1.0 + energy.abs() + work.dissipated + work.supplied.abs();
                close(along(&f, &step), work.supplied - work.dissipated - stored, 1e-13 * scale, &label);
                if passive {
                    assert!(work.supplied == 0.0 && work.dissipated >= 0.0, "{label}: {work:?}");
                }
                if internal {
                    let defect = momentum(law.carried(), &f, &step);
                    assert!(defect < 1e-13, "{label}: momentum {defect:e}");
                }
                if chi == 0.0 {
                    let mut memory = vec![0.0; law.memories()];
                    law.remember(&view.last(), &mut memory);
                    let back = discrete_force(&*law, &step.reversed(memory));
                    let size: f64 = 1.0 + f.iter().map(|f| f.norm()).sum::<f64>();
                    for (forth, back) in f.iter().zip(&back) {
                        close((forth - back).norm(), 0.0, 1e-13 * size, &format!("{label} reversed"));
                    }
                }
            }
        }
    }
}

#[test]
fn derivatives_of_forces() {
    let mut rng = Random(0x600dcafe600dcafe);
    for _ in 0..10 {
        let path = Path::new(&mut rng, 0.9);
        for Loaded { name, law, .. } in forces(&mut rng) {
            for (size, chi) in SPACED.into_iter().flat_map(|size| [(size, 0.0), (size, 0.3)]) {
                if name == "bushing" && size < 1e-2 {
                    continue; // see below
                }
                let label = format!("{name} {} at {size} with {chi}", law.kind());
                // A long step: the differences of v³ = (Δs/h)³ are as good as e²/h³.
                let step = Step { h: 0.5, ..force_step(&*law, &path, size, chi) };
                let step = step.with_end(step.to.clone());
                let (mut k, mut c) = (Blocks::default(), Blocks::default());
                law.discrete_tangent(&step.view(), &mut k, &mut c);
                compare(&step, &k, |step| discrete_force(&*law, step), &label);
            }
        }
    }
}

/// Where directors do not stay orthonormal, a bushing's force is smooth on the scale of the step only; along
/// rigid motions it is smooth at any size.
#[test]
fn derivatives_of_bushings() {
    let mut rng = Random(0x2545f4914f6cdd1d);
    for _ in 0..20 {
        let path = Path::new(&mut rng, 0.9);
        let law = forces(&mut rng).into_iter().find(|l| l.name == "bushing").unwrap().law;
        for (size, chi) in SPACED.into_iter().flat_map(|size| [(size, 0.0), (size, 0.3)]) {
            let step = force_step(&*law, &path, size, chi);
            let end = path.at(0.5 * size);
            let (mut k, mut c) = (Blocks::default(), Blocks::default());
            law.discrete_tangent(&step.view(), &mut k, &mut c);
            for (node, j) in [FIRST, SECOND].into_iter().flat_map(|node| (0..6).map(move |j| (node, j))) {
                let mut unit = Vec3::zeros();
                unit[j % 3] = 1.0;
                let moved = |by: f64| {
                    let mut frames = end;
                    if j < 3 {
                        frames[node].r += unit * by;
                    } else {
                        frames[node].rot *= so3::exp(&(unit * by));
                    }
                    discrete_force(&*law, &step.with_end(values(law.carried(), &frames)))
                };
                let rate = |c: &Carried| match (c.node == node, j < 3) {
                    (false, _) => Vec3::zeros(),
                    (_, true) => unit * c.c0,
                    (_, false) => end[node].rot * unit.cross(&c.c),
                };
                let e = 1e-5;
                let (plus, minus) = (moved(e), moved(-e));
                for a in 0..step.to.len() {
                    let expected = (plus[a] - minus[a]) / (2.0 * e);
                    let of = k.entries().iter().filter(|k| k.a == a);
                    let got: Vec3 = of.map(|k| k.value * rate(&law.carried()[k.b])).sum();
                    let label = format!("bushing at {size} with {chi}: {a} by {node}, {j}");
                    close((got - expected).norm(), 0.0, 1e-7 * (1.0 + expected.norm()), &label);
                }
            }
        }
    }
}

#[test]
fn consistency_of_forces() {
    let mut rng = Random(0x3c6ef372fe94f82b);
    for _ in 0..10 {
        let path = Path::new(&mut rng, 0.9);
        let frames = path.at(0.0);
        // Stops have kinks; they are tested by their own numbers.
        for Loaded { name, law, .. } in forces(&mut rng).into_iter().filter(|l| l.law.kind() != "stop") {
            let x = values(law.carried(), &frames);
            // Over a step of `size` in the time `size`, the velocities are those of the path.
            let velocity =
                |c: &Carried| path.shift[c.node] * c.c0 + frames[c.node].rot * path.turn[c.node].cross(&c.c);
            let xdot: Vec<Vec3> = law.carried().iter().map(velocity).collect();
            let memory = force_memory(&*law, &x, &xdot);
            let mut exact = vec![Vec3::zeros(); x.len()];
            law.force(&Motion { t: T, x: &x, xdot: &xdot, memory: &memory, reactions: &[] }, &mut exact);
            let error = |size: f64| -> f64 {
                let step = force_step(&*law, &path, size, 0.0);
                let step = Step { t: T - 0.5 * size, ..Step::new(step.from, step.to, size, step.memory) };
                let got = discrete_force(&*law, &step);
                got.iter().zip(&exact).map(|(g, e)| (g - e).norm()).fold(0.0, f64::max)
            };
            let errors = [0.02, 0.01].map(error);
            if errors[1] > 1e-9 {
                let order = (errors[0] / errors[1]).log2();
                assert!((order - 2.0).abs() < 0.1, "{name} {}: order {order}, {errors:?}", law.kind());
            }
            let size = 1.0 + exact.iter().map(|f| f.norm()).fold(0.0, f64::max);
            assert!(error(1e-6) < 1e-8 * size, "{name}: limit {:e} of {size:e}", error(1e-6));
        }
    }
}

/// Σ mean × force is the torque itself, although mean directors are shorter than 1, and the work is τ·2
/// tan(φ/2) n.
#[test]
fn torques() {
    let mut rng = Random(0xa54ff53a5f1d36f1);
    for size in SIZES {
        let path = Path::new(&mut rng, 0.9);
        let law = Torque::dead(SECOND, load());
        let step = force_step(&law, &path, size, 0.0);
        let f = discrete_force(&law, &step);
        let torque: Vec3 = f.iter().zip(&step.mean).map(|(f, d)| d.cross(f)).sum();
        let t = T + 0.5 * H;
        let expected = Vec3::new(1.0 + t.sin(), 2.0 * t, -0.7);
        close((torque - expected).norm(), 0.0, 1e-15 * 8.0, "torque");
        let axis = path.middle[SECOND].rot * path.turn[SECOND];
        let work = expected.dot(&axis) * 2.0 * (0.5 * size).tan();
        close(law.discrete_work(&step.view()).supplied, work, 1e-15 * 8.0, "work");
    }
}

/// A mass against a stop: F of the secant, of the damper and no pull.
#[test]
fn stop_by_numbers() {
    let point = |node| Carried::point(node, Vec3::zeros());
    let coordinate =
        Coordinate::Displacement([point(GROUND), point(FIRST), Carried::direction(GROUND, Vec3::x())]);
    let stop = Stop { coordinate, lower: -1.0, upper: 1.0, stiffness: 100.0, damping: 0.5 };
    let step = |s: f64, to: f64, chi: f64| {
        let at = |s: f64| vec![Vec3::zeros(), Vec3::x() * s, Vec3::x()];
        Step { dissipation: chi, ..Step::new(at(s), at(to), 0.1, vec![0.0]) }
    };
    // (s, s⁺, χ, force on the point, loss).
    for (s, to, chi, force, loss) in [
        // Within: V″ = k, mean depth 0.15, v = 1, χ k Δs = 1.
        (1.1, 1.2, 0.1, -(100.0 * 0.15 * 1.5 + 1.0), 100.0 * 0.15 * 0.5 * 0.1 + 0.1),
        // Coming in: half the step in contact, mean depth 0.05, v = 2.
        (0.9, 1.1, 0.0, -0.5 * 100.0 * 0.05 * 2.0, 0.5 * 100.0 * 0.05 * 0.2),
        // Going out so fast that the law would pull (1 + d v = −0.5): no force, the stored ½·100·0.1² is
        // lost.
        (1.1, 0.8, 0.0, 0.0, 0.5),
        // The lower limit, from rest.
        (-1.2, -1.2, 0.0, 20.0, 0.0),
        // From one limit to the other: V is the same at both ends; F⁺ is the share of the upper one, clear of
        // the lower.
        (-1.1, 1.1, 0.0, -(0.1 / 2.2) * 100.0 * 0.05 * 12.0, (0.1 / 2.2) * 5.0 * 11.0 * 2.2 + 0.5),
        (0.0, 0.5, 0.3, 0.0, 0.0),
    ] {
        let step = step(s, to, chi);
        let label = format!("{s} to {to}");
        close(discrete_force(&stop, &step)[1].x, force, 1e-13, &label);
        close(stop.discrete_work(&step.view()).dissipated, loss, 1e-13, &label);
    }
}

#[test]
fn friction() {
    let mut rng = Random(0xbb67ae8584caa73b);
    for _ in 0..10 {
        let path = Path::new(&mut rng, 0.9);
        let (first, second) = (rng.attachment(FIRST), rng.attachment(SECOND));
        let law = Friction {
            coordinate: Coordinate::angle(&first, &second),
            weights: [1.0, 1.0, 1.0, 2.5, 2.5, 0.0],
            static_coefficient: 0.3,
            dynamic_coefficient: 0.2,
            stribeck: 0.7,
            transition: 0.9,
            lever: 0.2,
            viscous: 0.05,
            preload: 3.0,
        };
        let lambda: [f64; MAX_ROWS] = std::array::from_fn(|_| rng.next() * 3.0);
        for size in SPACED {
            let [from, to] = [-0.5, 0.5].map(|tau| values(law.coordinate.carried(), &path.at(tau * size)));
            let step = Step::new(from, to, 0.1, vec![]);
            let force = |step: &Step| {
                let mut f = vec![Vec3::zeros(); 3];
                law.discrete_force(&step.view(), &lambda, &mut f);
                f
            };
            let f = force(&step);
            let grip = law.discrete_grip(&step.view(), &lambda);
            assert!(grip.loss > 0.0);
            close(-along(&f, &step), grip.loss, 1e-14 * grip.loss, "loss");
            assert!(momentum(law.coordinate.carried(), &f, &step) < 1e-14);
            let mut k = Blocks::default();
            law.discrete_tangent(&step.view(), &lambda, &mut k);
            compare(&step, &k, force, "friction");
            for row in 0..MAX_ROWS {
                let pressed = |by: f64| {
                    let mut lambda = lambda;
                    lambda[row] += by;
                    law.discrete_grip(&step.view(), &lambda).force
                };
                let expected = (pressed(1e-5) - pressed(-1e-5)) / 2e-5;
                close(grip.by_lambda[row], expected, 1e-9, "by reaction");
            }
        }
    }
}

/// After the first time nothing is allocated: these functions are called in every iteration of every step.
#[test]
fn no_allocation() {
    let mut rng = Random(0x9b05688c2b3e6c1f);
    let path = Path::new(&mut rng, 0.9);
    let (cases, ends) = constraints(&mut rng);
    let (mut g, mut k, mut c) = (Gradients::default(), Blocks::default(), Blocks::default());
    let counted = |name: &str, work: &mut dyn FnMut()| {
        work();
        let before = COUNT.get();
        work();
        assert_eq!(COUNT.get() - before, 0, "{name}");
    };
    for case in &cases {
        let step = constraint_step(case, &ends, &path, 0.1);
        counted(case.name, &mut || {
            g.clear();
            k.clear();
            case.law.discrete_gradients(&step.view(), &mut g);
            case.law.discrete_hessian(&step.view(), &[1.0; MAX_ROWS][..case.law.rows()], &mut k);
        });
    }
    for Loaded { name, law, .. } in forces(&mut rng) {
        let step = force_step(&*law, &path, 0.1, 0.3);
        let mut f = [Vec3::zeros(); MAX_CARRIED];
        counted(name, &mut || {
            k.clear();
            law.discrete_force(&step.view(), &mut f[..step.to.len()]);
            law.discrete_tangent(&step.view(), &mut k, &mut c);
            law.discrete_work(&step.view());
        });
    }
}
