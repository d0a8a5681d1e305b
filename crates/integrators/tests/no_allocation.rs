//! After the first steps a step allocates nothing: counted by a global allocator.

#![allow(unsafe_code, reason = "a global allocator cannot be had without")]

#[path = "suite/common/mod.rs"]
#[allow(dead_code, reason = "uses a part of them")]
mod common;
#[path = "suite/conserving_models.rs"]
#[allow(dead_code, reason = "uses a part of them")]
mod models;

use common::{attach, consistent_start, law};
use poinsot_expr::{Expr, Function, SmoothFunction};
use poinsot_geometry::{Mat3, Mat6, Vec3};
use poinsot_integrators::{
    Bdf, BdfSettings, ConservingSettings, EXPLICIT, EnergyMomentum, ErrorMeasure, ExplicitSettings,
    GalerkinSettings, Gs4, Gs4Form, Member, Method, Procedure, Projection, Settings, StageForm, Stepper,
    Switches, Tolerance, Treatment,
};
use poinsot_mechanics::beams::{
    BeamChain, Formulation, MassModel, MotionScheme, Section, SectionMass, VirtualStrains, node_shares,
};
use poinsot_mechanics::conserving::Rule;
use poinsot_mechanics::forces::{Bushing, CoordinateForce};
use poinsot_mechanics::joints::{Attachment, revolute, rolling_disk, spherical};
use poinsot_mechanics::*;
use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::cell::Cell;

thread_local! {
    /// Allocations of this thread.
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    // A thread that is being torn down has no counter any more.
    let _ = COUNT.try_with(|c| c.set(c.get() + 1));
}

// SAFETY: everything is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { Heap.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { Heap.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { Heap.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { Heap.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Ten links on alternating spherical and revolute joints, with springs, torsion springs, a bushing and a
/// spring at a place between nodes.
fn chain() -> System {
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let (n, l) = (10, 0.3);
    let inertia = Mat3::from_diagonal(&Vec3::new(0.002, 0.01, 0.011));
    let mut previous = (GROUND, Vec3::zeros());
    for i in 0..n {
        let x = (f64::from(i) + 0.5) * l;
        let start = Frame { r: Vec3::new(x, 0.0, 0.0), rot: Mat3::identity() };
        let velocity = Twist { linear: Vec3::y() * x, angular: Vec3::z() };
        let node = b.node(&format!("link{i}"), Chart::Motion, start, velocity);
        b.body(Body::new(node, &MassProperties::new(0.5, Vec3::zeros(), inertia)));
        let first = attach(previous.0, previous.1, Mat3::identity());
        let second = attach(node, Vec3::new(-l / 2.0, 0.0, 0.0), Mat3::identity());
        let name = format!("joint{i}");
        if i % 3 == 1 {
            b.constraint(&name, Box::new(revolute(&first, &second)));
            let torsion = Coordinate::angle(&first, &second);
            b.force(&name, Box::new(element(torsion, 0.0)));
        } else {
            b.constraint(&name, Box::new(spherical(&first, &second)));
        }
        let ground = attach(GROUND, Vec3::new(x, 0.0, 1.0), Mat3::identity());
        b.force(&name, Box::new(element(Coordinate::distance(&ground, &second), 0.9)));
        previous = (node, Vec3::new(l / 2.0, 0.0, 0.0));
    }
    let wall = attach(GROUND, Vec3::new(3.0, 0.0, 0.0), Mat3::identity());
    let tip = attach(previous.0, previous.1, Mat3::identity());
    b.force("tip", Box::new(Bushing::new(&wall, &tip, Mat6::identity() * 3.0, Mat6::identity() * 0.1)));
    let sum = vec![(tip.point(), 0.6), (Carried::point(1, Vec3::zeros()), 0.4)];
    let between = attach(b.between(sum), Vec3::zeros(), Mat3::identity());
    b.force("between", Box::new(element(Coordinate::distance(&wall, &between), 0.5)));
    b.build()
}

fn element(coordinate: Coordinate, free: f64) -> CoordinateForce {
    CoordinateForce { coordinate, stiffness: 5.0, damping: 0.05, free, law: Some(law("0.1*sin(t) + s^3")) }
}

#[test]
fn steps_do_not_allocate() {
    let system = chain();
    let start = consistent_start(&system);
    let usual = Settings { member: Member::u0(0.8, 0.8, 0.8), ..Settings::default() };
    let forms = [
        Gs4Form::Stabilised,
        Gs4Form::Hamiltonian,
        Gs4Form::Position,
        Gs4Form::Velocity,
        Gs4Form::Acceleration,
        Gs4Form::BAUMGARTE,
        Gs4Form::PENALTY,
    ];
    let mut cases: Vec<Settings> = forms.map(|form| Settings { form, ..usual }).into();
    let projection = Projection { position: true, velocity: true, acceleration: true };
    cases.push(Settings { form: Gs4Form::Acceleration, projection, ..usual });
    cases.push(Settings { switches: Switches::EXPLICIT_DISSIPATIVE, ..usual });
    for settings in cases {
        let h = 0.002;
        let mut gs4 = Gs4::new(&system, settings, start.clone(), h).unwrap();
        for _ in 0..3 {
            gs4.step(h).unwrap();
        }
        let factored = gs4.counters().factorisations;
        let before = COUNT.get();
        for _ in 0..200 {
            gs4.step(h).unwrap();
        }
        // A changed step needs a new matrix and shifts the stored acceleration.
        for k in 0..20 {
            gs4.step(if k % 2 == 0 { 0.5 * h } else { h }).unwrap();
        }
        let allocated = COUNT.get() - before;
        assert!(gs4.counters().factorisations > factored, "no factorisation was under test");
        assert_eq!(allocated, 0, "{settings:?}: allocations in 220 steps");
        gs4.set_tolerances(ErrorMeasure::new(&system, Tolerance::default()));
        // The first attempt makes room for the estimate of the local error.
        gs4.attempt(h).unwrap();
        let before = COUNT.get();
        for k in 0..20 {
            gs4.attempt(2.0 * h).unwrap();
            gs4.attempt(if k % 5 == 0 { 0.5 * h } else { h }).unwrap();
            gs4.accept();
        }
        assert_eq!(COUNT.get() - before, 0, "{settings:?}: allocations in 40 attempts");
    }
}

/// A rolling disk, a driven crank and a pendulum with friction in its pin.
fn machines() -> System {
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let inertia = Mat3::from_diagonal(&Vec3::new(0.0625, 0.0625, 0.125));
    let mut body = |name: &str, r: Vec3, rot: Mat3, twist: Twist| {
        let node = b.node(name, Chart::Motion, Frame { r, rot }, twist);
        b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), inertia)));
        node
    };
    let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
    let upright = Mat3::from_columns(&[Vec3::z(), Vec3::x(), Vec3::y()]);
    let rolling = Twist { linear: Vec3::new(2.0, 0.0, 0.0), angular: Vec3::new(0.3, 0.0, 4.0) };
    let disk = body("disk", Vec3::new(0.0, 0.0, 0.5), upright, rolling);
    let crank = body("crank", Vec3::new(5.0, 0.0, 0.0), Mat3::identity(), still);
    let bob = body("bob", Vec3::new(5.0, 1.0, -1.0), Mat3::identity(), still);
    let here = |node: NodeId, origin: Vec3| attach(node, origin, Mat3::identity());
    let contact = rolling_disk(&here(GROUND, Vec3::zeros()), &here(disk, Vec3::zeros()), 0.5);
    b.constraint("contact", Box::new(contact));
    let axle = [here(GROUND, Vec3::new(5.0, 0.0, 0.0)), here(crank, Vec3::zeros())];
    b.constraint("axle", Box::new(revolute(&axle[0], &axle[1])));
    let law = SmoothFunction::new(&Expr::parse("3*t + 0.2*sin(5*t)").unwrap(), &["t"], &|_| None).unwrap();
    let angle = Coordinate::angle(&axle[0], &axle[1]);
    b.constraint("motor", Box::new(drives::coordinate(angle, law, axle[1].point())));
    let pin = [attach(GROUND, Vec3::new(5.0, 1.0, 0.0), upright), attach(bob, Vec3::z(), upright)];
    let hinge = b.constraint("pin", Box::new(revolute(&pin[0], &pin[1])));
    b.force("push", Box::new(element(Coordinate::angle(&pin[0], &pin[1]), 0.5)));
    b.friction(
        hinge,
        Friction {
            coordinate: Coordinate::angle(&pin[0], &pin[1]),
            weights: [1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
            static_coefficient: 0.2,
            dynamic_coefficient: 0.1,
            stribeck: 0.05,
            transition: 0.01,
            lever: 0.02,
            viscous: 0.0,
            preload: 0.0,
        },
    );
    b.network(filter(&pin)).unwrap();
    b.build()
}

/// Two first-order equations that follow the angle of a joint and push back.
fn filter(pin: &[Attachment; 2]) -> Network {
    let arguments = ["x", "y", "dx", "dy", "angle", "speed", "t"];
    let function = |text| Function::new(&Expr::parse(text).unwrap(), &arguments, &|_| None).unwrap();
    let variable = |name: &str| Variable { name: name.into(), start: 0.0, nominal: 1.0 };
    let angle = Coordinate::angle(&pin[0], &pin[1]);
    Network {
        name: "filter".into(),
        variables: vec![variable("x"), variable("y")],
        readings: vec![Reading::Coordinate(angle.clone()), Reading::Coordinate(angle)],
        equations: vec![function("0.1*dy + y - x"), function("dx + 20*(x - angle) + 0.1*sin(speed)")],
        loads: vec![Load::along(0, function("-0.3*y"))],
    }
}

#[test]
fn steps_of_machines_do_not_allocate() {
    let system = machines();
    let start = consistent_start(&system);
    let h = 0.002;
    let explicit = EXPLICIT.iter().flat_map(|entry| {
        let settings = |procedure| Method::from(ExplicitSettings::new(entry.method, procedure));
        [Procedure::Augmented, Procedure::Projected].map(settings)
    });
    for method in std::iter::once(Method::from(Settings::default())).chain(explicit) {
        let mut stepper = method.start(&system, start.clone(), h).unwrap();
        for _ in 0..3 {
            stepper.step(h).unwrap();
        }
        let before = COUNT.get();
        for _ in 0..100 {
            stepper.step(h).unwrap();
        }
        assert_eq!(COUNT.get() - before, 0, "{method:?}: allocations in 100 steps");
    }
}

#[test]
fn steps_of_backward_differences_do_not_allocate() {
    for system in [chain(), machines()] {
        let start = consistent_start(&system);
        for form in [StageForm::Stabilised, StageForm::Position, StageForm::Velocity, StageForm::Acceleration]
        {
            for variable in [false, true] {
                let settings =
                    BdfSettings { form, project: form == StageForm::Acceleration, ..Default::default() };
                let mut bdf = Bdf::new(&system, settings, start.clone()).unwrap();
                let mut h: f64 = if variable { 1e-6 } else { 1e-3 };
                if variable {
                    bdf.set_tolerances(ErrorMeasure::new(&system, settings.tolerance));
                }
                let mut inside = start.clone();
                let mut steps = |bdf: &mut Bdf, n: usize| {
                    for _ in 0..n {
                        let next = match bdf.attempt(h) {
                            Ok(attempt) if !variable || attempt.error.unwrap() <= 1.0 => {
                                bdf.accept();
                                bdf.interpolate(bdf.state().t - 0.5 * h, &mut inside);
                                attempt.next.unwrap_or(h)
                            }
                            _ => 0.5 * h,
                        };
                        h = next.min(2e-3);
                    }
                };
                steps(&mut bdf, 8);
                let before = COUNT.get();
                steps(&mut bdf, 100);
                assert_eq!(
                    COUNT.get() - before,
                    0,
                    "{form:?}, variable {variable}: allocations in 100 steps"
                );
                assert!(bdf.counters().jacobians > 1);
            }
        }
    }
}

#[test]
fn galerkin_steps_do_not_allocate() {
    let system = chain();
    let start = consistent_start(&system);
    for degree in 1..=3 {
        let method = Method::from(GalerkinSettings::new(degree));
        let mut stepper = method.start(&system, start.clone(), 0.002).unwrap();
        for _ in 0..3 {
            stepper.step(0.002).unwrap();
        }
        let before = COUNT.get();
        for k in 0..40 {
            stepper.step(if k % 7 == 0 { 0.001 } else { 0.002 }).unwrap();
        }
        assert_eq!(COUNT.get() - before, 0, "degree {degree}: allocations in 40 steps");
        assert!(stepper.counters().factorisations > 5);
    }
}

#[test]
fn structure_preserving_steps_do_not_allocate() {
    let treatments = [
        Treatment::Multipliers,
        Treatment::NullSpace,
        Treatment::Minimal,
        Treatment::Penalty { stiffness: 1e7 },
        Treatment::AugmentedLagrange { stiffness: 1e7, tolerance: 1e-9 },
    ];
    let mut regular = models::linkage();
    regular.suspend_rows(&[(6, 4)]);
    for system in [models::mixed_tree(true), regular, models::double_spherical_pendulum()] {
        for rule in [Rule::EnergyMomentum, Rule::Variational, Rule::Averaged] {
            for treatment in treatments {
                let settings = ConservingSettings { treatment, ..ConservingSettings::new(rule) };
                let mut steps = EnergyMomentum::new(&system, settings, system.start_state(0.0)).unwrap();
                let mut advance = |n: usize, h: f64| {
                    for _ in 0..n {
                        steps.attempt(h).unwrap();
                        steps.accept();
                    }
                };
                advance(5, 1e-3);
                let before = COUNT.get();
                advance(50, 1e-3);
                advance(5, 5e-4);
                assert_eq!(COUNT.get() - before, 0, "{rule:?} {treatment:?}: allocations in 55 steps");
            }
        }
    }
}

/// A clamped beam of quadratic elements that swings under its weight.
#[test]
fn steps_of_beams_do_not_allocate() {
    let published = MotionScheme { virtual_strains: VirtualStrains::Interpolated, ..MotionScheme::default() };
    for formulation in
        [Formulation::Director, Formulation::Motion(MotionScheme::default()), Formulation::Motion(published)]
    {
        steps_of_a_beam_do_not_allocate(formulation);
    }
}

fn steps_of_a_beam_do_not_allocate(formulation: Formulation) {
    let mass = SectionMass { mass: 2.0, first: [0.0; 2], second: [0.01, 0.02, 0.0] };
    let section = Section::diagonal([1e4, 1e4, 2e4, 30.0, 20.0, 10.0], mass).with_stiffness_damping(1e-3);
    let mut b = SystemBuilder::new(Vec3::new(3.0, -9.81, 0.0));
    let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
    let shares = node_shares(4, 2);
    let reference: Vec<Frame> =
        shares.iter().map(|s| Frame { r: Vec3::z() * *s, rot: Mat3::identity() }).collect();
    let mut nodes = vec![attach(GROUND, Vec3::zeros(), Mat3::identity())];
    for z in &reference[1..] {
        nodes.push(attach(b.node("node", Chart::Motion, *z, still), Vec3::zeros(), Mat3::identity()));
    }
    let (mass, mass_damping) = (MassModel::Consistent, 0.1);
    let beam = BeamChain {
        name: "beam",
        nodes: &nodes,
        reference: &reference,
        order: 2,
        section: &section,
        mass,
        mass_damping,
    };
    beam.add_as(formulation, &mut b).unwrap();
    let system = b.build();
    let h = 1e-3;
    let methods = [
        Method::from(Settings::default()),
        Method::from(ConservingSettings::new(Rule::EnergyMomentum)),
        Method::from(ConservingSettings::new(Rule::Averaged)),
        Method::from(GalerkinSettings::new(2)),
    ];
    for method in methods {
        let mut stepper = method.start(&system, system.start_state(0.0), h).unwrap();
        for _ in 0..5 {
            stepper.step(h).unwrap();
        }
        let before = COUNT.get();
        for _ in 0..50 {
            stepper.step(h).unwrap();
        }
        assert_eq!(COUNT.get() - before, 0, "{method:?}, {formulation:?}: allocations in 50 steps");
    }
}
