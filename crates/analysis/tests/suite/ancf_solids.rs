//! Shear-deformable beams of absolute nodal coordinates in whole studies, against closed forms and reference
//! solutions.

use poinsot_analysis::{EquilibriumSettings, consistent_start, find_equilibrium, find_modes};
use poinsot_expr::{Expr, Function};
use poinsot_flexible::{Isotropic, Material};
use poinsot_geometry::{Mat3, Vec3, Vec6};
use poinsot_integrators::{ConservingSettings, EnergyMomentum, SaddlePoint, Stepper, instant};
use poinsot_mechanics::ancf::solid::{Constitution, FibreSection, SolidBeam};
use poinsot_mechanics::beams::{Section, SectionMass};
use poinsot_mechanics::conserving::Rule;
use poinsot_mechanics::forces::{PointForce, Torque};
use poinsot_mechanics::joints::Attachment;
use poinsot_mechanics::*;
use std::f64::consts::PI;

pub fn still() -> Twist {
    Twist { linear: Vec3::zeros(), angular: Vec3::zeros() }
}

fn function(text: &str) -> Function {
    Function::new(&Expr::parse(text).unwrap(), &["t"], &|_| None).unwrap()
}

pub fn load(x: &str, y: &str, z: &str) -> [Function; 3] {
    [function(x), function(y), function(z)]
}

pub fn by_time(f: Vec3) -> [Function; 3] {
    [0, 1, 2].map(|k| function(&format!("{:e}*t", f[k])))
}

/// Rest under loads that grow with t from 0 to 1, in steps.
pub fn load_up(system: &System, steps: usize) -> State {
    load_path(system, steps, |_, _| {})
}

/// The same; `look` sees every step.
pub fn load_path(system: &System, steps: usize, mut look: impl FnMut(f64, &State)) -> State {
    let mut state = system.start_state(0.0);
    for k in 1..=steps {
        state.t = k as f64 / steps as f64;
        let settings = EquilibriumSettings { relaxations: 0, judge: false, ..EquilibriumSettings::default() };
        let found = find_equilibrium(system, state, &settings).unwrap();
        state = found.state;
        look(state.t, &state);
    }
    state
}

/// Frames of a straight line with d₃ along it and d₂ as given.
fn straight(from: Vec3, to: Vec3, d2: Vec3, elements: usize, order: usize) -> Vec<Frame> {
    let d3 = (to - from).normalize();
    let d2 = (d2 - d3 * d3.dot(&d2)).normalize();
    let rot = Mat3::from_columns(&[d2.cross(&d3), d2, d3]);
    let n = elements * order;
    (0..=n).map(|k| Frame { r: from + (to - from) * (k as f64 / n as f64), rot }).collect()
}

/// How the ends of a beam are: on ground, on a massless body of its own, or free.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Ground,
    Body,
    Free,
}

/// A beam alone; gives the nodes' vectors.
fn beam(b: &mut SystemBuilder, kind: &SolidBeam, frames: &[Frame], ends: [End; 2]) -> Vec<Vec<Carried>> {
    let last = frames.len() - 1;
    let mut nodes = vec![];
    for (k, z) in frames.iter().enumerate() {
        let end = if k == 0 { ends[0] } else { ends[1] };
        let name = format!("node{k}");
        nodes.push(match end {
            End::Ground if k == 0 || k == last => {
                kind.held(&Attachment { node: GROUND, origin: z.r, axes: z.rot })
            }
            End::Body if k == 0 || k == last => {
                let node = b.node(&name, Chart::Motion, *z, still());
                kind.held(&Attachment { node, origin: Vec3::zeros(), axes: Mat3::identity() })
            }
            _ => kind.node(b, &name, z, &still()),
        });
    }
    kind.add_to(b, "beam", &nodes, frames, 0.0).unwrap();
    nodes
}

fn sections(section: &Section, order: usize) -> SolidBeam<'_> {
    SolidBeam::Sections { order, section, initial: Vec6::zeros(), stiffening: 1.0 }
}

fn light() -> SectionMass {
    SectionMass { mass: 1.0, first: [0.0; 2], second: [0.1, 0.1, 0.0] }
}

/// Asserts the error on the finest mesh and the order, measured between the last two meshes.
fn assert_converges(what: &str, order: f64, errors: &[f64], finest: f64) {
    let measured: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
    println!("{what}: {errors:?}, orders {measured:.2?}, last {:.3e}", errors[errors.len() - 1]);
    let (error, last) = (errors[errors.len() - 1], measured[measured.len() - 1]);
    assert!(error < finest && (last - order).abs() < 0.3, "{what}: {error:e}, order {last}");
}

/// C08 (b): a thick cantilever under a large load, E = 2.07e11, 0.1 × 0.5, F = 5e8 h³. Elements of two nodes
/// give the table of Nachbagauer et al. (2011) digit by digit; all converge to the solution of Cosserat's
/// rod.
#[test]
fn c08_thick_cantilever() {
    let (young, b, h) = (2.07e11, 0.1, 0.5);
    let shear = young / 2.6 * b * h * 13.0 / 15.3;
    let [strong, weak] = [young * b * h * h * h / 12.0, young * h * b * b * b / 12.0];
    let section = Section::diagonal([shear, shear, young * b * h, weak, strong, weak], light());
    let exact = [0.1509711442393, 0.7105685978536];
    let published = [[0.07140274, 0.54225823], [0.12379212, 0.65687111], [0.14346767, 0.69593561]];
    for (order, counts, finest) in [(1, vec![1, 2, 4, 8, 16, 32, 64], 6e-5), (2, vec![1, 2, 4, 8, 16], 3e-6)]
    {
        let mut errors = vec![];
        for (row, &elements) in counts.iter().enumerate() {
            let kind = sections(&section, order);
            let frames = straight(Vec3::zeros(), Vec3::x() * 2.0, Vec3::z(), elements, order);
            let mut builder = SystemBuilder::new(Vec3::zeros());
            let nodes = beam(&mut builder, &kind, &frames, [End::Ground, End::Free]);
            let tip = nodes[nodes.len() - 1][0].node;
            let force = by_time(Vec3::y() * (-5e8 * h * h * h));
            builder.force("tip", Box::new(PointForce::dead(tip, Vec3::zeros(), force)));
            let r = load_up(&builder.build(), 4).frames[tip].r;
            let found = [2.0 - r.x, -r.y];
            println!("order {order}, {elements}: {found:.9?}");
            if order == 1 && row < published.len() {
                let apart = (0..2).map(|k| (found[k] - published[row][k]).abs()).fold(0.0, f64::max);
                assert!(apart < 6e-9, "{elements} elements: {found:?}");
            }
            errors.push((0..2).map(|k| (found[k] - exact[k]).abs()).fold(0.0, f64::max));
        }
        assert_converges("C08 (b)", 2.0 * order as f64, &errors, finest);
    }
}

/// C08 (d): moments fixed in space at the end of a beam of 0.2 × 0.4, with factors for shear and torsion.
#[test]
fn c08_moments_in_space() {
    let (young, h, w) = (2.07e11, 0.2, 0.4);
    let (g, area) = (young / 2.6, h * w);
    let [about_y, about_z] = [h * w * w * w / 12.0, w * h * h * h / 12.0];
    // Axis 1 along y, 2 along z.
    let section = Section::diagonal(
        [
            g * area * 0.8331,
            g * area * 0.7961,
            young * area,
            young * about_y,
            young * about_z,
            g * 0.5768 * (about_y + about_z),
        ],
        light(),
    );
    let exact = Vec3::new(-1.09437985579e-04, -1.86436456164e-04, -1.81174027438e-02);
    let solve = |kind: &SolidBeam, elements: usize| {
        let frames = straight(Vec3::zeros(), Vec3::x() * 2.0, Vec3::z(), elements, kind.order());
        let mut b = SystemBuilder::new(Vec3::zeros());
        let nodes = beam(&mut b, kind, &frames, [End::Ground, End::Body]);
        let tip = nodes[nodes.len() - 1][0].node;
        b.force("moment", Box::new(Torque::dead(tip, by_time(Vec3::new(0.5e6, 2e6, 0.0)))));
        load_up(&b.build(), 1).frames[tip].r - Vec3::x() * 2.0
    };
    for (order, counts, finest) in [(1, [8, 16, 32], 2.5e-7), (2, [2, 4, 8], 1e-9)] {
        let kind = sections(&section, order);
        let errors = counts.map(|n| (solve(&kind, n) - exact).norm());
        println!("order {order}: {:?}", counts.map(|n| solve(&kind, n)));
        let last = (errors[1] / errors[2]).log2();
        println!("C08 (d), order {order}: {errors:?}, {last:.2}");
        assert!(errors[2] < finest, "{errors:?}");
    }
    // Fibres with Green's strains have more than the rod in the second order, r κ squared. The line shortens as
    // fibres off it stretch, ε = −(3/2 − ν) κ² I/A in bending and −½ κ² I_p/A + 2ν GJκ²/EA in torsion, where ν
    // comes of sections that the curvatures swell; and where both act, fibres bent on either side are inclined
    // by the twist: what they pull across, E I κ κ_t, is taken by a shear k G A γ, as there is no force. The rod
    // has neither by its law.
    let material = Material::isotropic(Isotropic { young, poisson: 0.3 }, 7800.0).unwrap();
    let fibres = FibreSection::rectangle([h, w]).with_factors([0.8331, 0.7961], 0.5768);
    let kind =
        SolidBeam::Full { section: &fibres, material: &material, constitution: Constitution::default() };
    let (torsion, polar) = (g * 0.5768 * (about_y + about_z), about_y + about_z);
    let (bend, twist) = (2e6 / (young * about_y), 0.5e6 / torsion);
    let shortened = (1.5 - 0.3) * bend * bend * about_y / area
        + twist * twist * (0.5 * polar / area - 2.0 * 0.3 * torsion / (young * area));
    let sheared = young * about_y * bend * twist / (g * area * 0.8331);
    let exact = exact + Vec3::new(-shortened, sheared, 0.0) * 2.0;
    let errors: Vec<f64> = [4, 8, 16, 32].iter().map(|n| (solve(&kind, *n) - exact).norm()).collect();
    println!("C08 (d), full: {errors:?}");
    // What is left is of the fourth order, (r κ)² of these terms and of bending, and that of the mesh.
    assert!(errors[3] < 2e-5 * exact.norm(), "{errors:?}");
    assert!(errors.windows(2).all(|pair| pair[0] > 2.0 * pair[1]), "{errors:?}");
}

/// C01: the bend of 45°, reference curved, P = 600 and 300.
#[test]
fn c01_bend() {
    let section = Section::diagonal([5e6, 5e6, 1e7, 1e7 / 12.0, 1e7 / 12.0, 1e7 / 12.0], light());
    let exact = Vec3::new(4.7150438573629e1, 1.5684800534039e1, 5.3474858791825e1);
    let arc = |n: usize| -> Vec<Frame> {
        let frame = |k: usize| {
            let (s, c) = (0.25 * PI * k as f64 / n as f64).sin_cos();
            let d3 = Vec3::new(c, s, 0.0);
            let d2 = Vec3::z();
            Frame {
                r: Vec3::new(100.0 * s, 100.0 * (1.0 - c), 0.0),
                rot: Mat3::from_columns(&[d2.cross(&d3), d2, d3]),
            }
        };
        (0..=n).map(frame).collect()
    };
    let solve = |kind: &SolidBeam, elements: usize| {
        let frames = arc(elements * kind.order());
        let mut b = SystemBuilder::new(Vec3::zeros());
        let nodes = beam(&mut b, kind, &frames, [End::Ground, End::Free]);
        let tip = nodes[nodes.len() - 1][0].node;
        b.force("tip", Box::new(PointForce::dead(tip, Vec3::zeros(), load("0", "0", "600*t"))));
        load_up(&b.build(), 8).frames[tip].r
    };
    for (order, counts, finest) in [(1, [8, 16, 32], 5e-2), (2, [4, 8, 16], 5e-4)] {
        let kind = sections(&section, order);
        let errors: Vec<f64> = counts.iter().map(|n| (solve(&kind, *n) - exact).norm()).collect();
        assert_converges(&format!("C01, order {order}"), 2.0 * order as f64, &errors, finest);
    }
    let material = Material::isotropic(Isotropic { young: 1e7, poisson: 0.0 }, 1.0).unwrap();
    let fibres = FibreSection::rectangle([1.0, 1.0]);
    let kind =
        SolidBeam::Full { section: &fibres, material: &material, constitution: Constitution::default() };
    let found: Vec<Vec3> = [4, 8, 16, 32].iter().map(|n| solve(&kind, *n)).collect();
    for r in &found {
        println!("C01 full: {r:?} {:.3e}", (r - exact).norm());
    }
    let errors: Vec<f64> = found.iter().map(|r| (r - exact).norm()).collect();
    assert!(errors[3] < 3e-2 && errors[2] / errors[3] > 3.0, "{errors:?}");
}

/// C02: a moment 2π EI/L rolls a cantilever up to a circle.
#[test]
fn c02_roll_up() {
    let section = Section::diagonal([1e4, 1e4, 1e4, 100.0, 100.0, 100.0], light());
    for (order, counts, finest) in [(1, [16, 32, 64], 6.6e-2), (2, [8, 16, 32], 2e-4)] {
        let mut errors = vec![];
        for elements in counts {
            let kind = sections(&section, order);
            let frames = straight(Vec3::zeros(), Vec3::x() * 10.0, Vec3::z(), elements, order);
            let mut b = SystemBuilder::new(Vec3::zeros());
            let nodes = beam(&mut b, &kind, &frames, [End::Ground, End::Body]);
            let tip = nodes[nodes.len() - 1][0].node;
            b.force("moment", Box::new(Torque::dead(tip, load("0", "0", "20*pi*t"))));
            errors.push(load_up(&b.build(), 20).frames[tip].r.norm());
        }
        assert_converges(&format!("C02, order {order}"), 2.0 * order as f64, &errors, finest);
    }
}

/// C09: the Princeton beam, P₃ at 45°: bending about both axes with torsion.
#[test]
fn c09_princeton() {
    let section = Section::diagonal(
        [9.03914985420e5, 9.03914985420e5, 2.84190871416e6, 2.42873444335, 36.2793635440, 3.10333827081],
        light(),
    );
    let exact = Vec3::new(-3.0361114457e-2, 1.5342257577e-2, 1.5658782332e-1);
    let mut errors = vec![];
    for elements in [4, 8, 16] {
        let kind = sections(&section, 2);
        let frames = straight(Vec3::zeros(), Vec3::x() * 0.508, Vec3::z(), elements, 2);
        let mut b = SystemBuilder::new(Vec3::zeros());
        let nodes = beam(&mut b, &kind, &frames, [End::Ground, End::Free]);
        let tip = nodes[nodes.len() - 1][0].node;
        let force = by_time(Vec3::new(0.0, 1.0, 1.0) * (13.345 * 0.5f64.sqrt()));
        b.force("tip", Box::new(PointForce::dead(tip, Vec3::zeros(), force)));
        errors.push((load_up(&b.build(), 8).frames[tip].r - Vec3::x() * 0.508 - exact).norm());
    }
    assert_converges("C09", 4.0, &errors, 2e-6);
}

/// A small load: Timoshenko's w = F L³/3EI + F L/kGA, also with ν = 0.3 and Green's strains, where elements
/// without a cure are too stiff by the factor (1 − ν)/((1 + ν)(1 − 2ν)).
#[test]
fn timoshenko_cantilever() {
    let (young, nu, side, length) = (2e11, 0.3, 0.1, 1.0);
    let material = Material::isotropic(Isotropic { young, poisson: nu }, 7800.0).unwrap();
    let factor = 5.0 / 6.0;
    let fibres = FibreSection::rectangle([side, side]).with_factors([factor; 2], 0.8436);
    let kind =
        SolidBeam::Full { section: &fibres, material: &material, constitution: Constitution::default() };
    let (bending, shear) = (young * side.powi(4) / 12.0, factor * young / (2.0 * (1.0 + nu)) * side * side);
    let exact = 1.0 / (3.0 * bending) + 1.0 / shear;
    let mut errors = vec![];
    for elements in [2, 4, 8, 16] {
        let frames = straight(Vec3::zeros(), Vec3::x() * length, Vec3::z(), elements, 1);
        let mut b = SystemBuilder::new(Vec3::zeros());
        let nodes = beam(&mut b, &kind, &frames, [End::Ground, End::Free]);
        let tip = nodes[nodes.len() - 1][0].node;
        b.force("tip", Box::new(PointForce::dead(tip, Vec3::zeros(), load("0", "t", "0"))));
        let w = load_up(&b.build(), 1).frames[tip].r.y;
        errors.push((w / exact - 1.0).abs());
    }
    println!("Timoshenko, full: {errors:?}");
    assert_converges("Timoshenko", 2.0, &errors, 2e-3);
}

/// C15: frequencies of Timoshenko's cantilever, ρI = 0.0004, EI/kGA = 0.001248 in units L = EI = ρA = 1.
#[test]
fn c15_frequencies() {
    let exact = [3.502641070306319, 21.46982417966182, 58.14983170645173];
    let mass = SectionMass { mass: 1.0, first: [0.0; 2], second: [0.0004, 0.0004, 0.0] };
    let shear = 1.0 / 0.001248;
    // Bending in two planes: the second is kept out of the way.
    let section = Section::diagonal([shear, shear, 1e6, 100.0, 1.0, 100.0], mass);
    let mut errors = vec![vec![]; 3];
    for elements in [8, 16, 32] {
        let kind = sections(&section, 2);
        let frames = straight(Vec3::zeros(), Vec3::x(), Vec3::z(), elements, 2);
        let mut b = SystemBuilder::new(Vec3::zeros());
        beam(&mut b, &kind, &frames, [End::Ground, End::Free]);
        let mut system = b.build();
        let (state, _) = consistent_start(&mut system, 0.0).unwrap();
        let mut a = vec![0.0; system.size()];
        SaddlePoint::new(&system).accelerations(&system, &state, &mut a).unwrap();
        let modes = find_modes(&system, &state, &a, GROUND, 12).unwrap();
        for (errors, exact) in errors.iter_mut().zip(exact) {
            let near = modes.modes.iter().map(|m| (m.value.im / exact - 1.0).abs());
            errors.push(near.fold(f64::INFINITY, f64::min));
        }
    }
    for (k, errors) in errors.iter().enumerate() {
        assert_converges(&format!("C15, frequency {}", k + 1), 4.0, errors, 2e-5);
    }
}

fn balance(system: &System, state: &State) -> Balance {
    let zero = vec![0.0; system.size()];
    system.balance(&instant(state, &zero), &mut Scratch::default())
}

/// C11: the flying beam with 12 elements of three nodes; in free flight energy and momenta stay.
#[test]
fn c11_flying_beam() {
    let mass = SectionMass { mass: 1.0, first: [0.0; 2], second: [10.0, 10.0, 0.0] };
    let section = Section::diagonal([1e4, 1e4, 1e4, 500.0, 500.0, 500.0], mass);
    let frames = straight(Vec3::new(6.0, 0.0, 0.0), Vec3::new(0.0, 8.0, 0.0), Vec3::z(), 12, 2);
    // Rotary inertia of this problem is that of a section far larger than its stiffness: as rigid as in the
    // reference it is only with stiffening.
    let kind = SolidBeam::Sections { order: 2, section: &section, initial: Vec6::zeros(), stiffening: 1e4 };
    let mut b = SystemBuilder::new(Vec3::zeros());
    let nodes = beam(&mut b, &kind, &frames, [End::Body, End::Free]);
    let force = "if(t < 2.5, 3.2*t, if(t < 5, 16 - 3.2*t, 0))";
    let first = nodes[0][0].node;
    b.force("force", Box::new(PointForce::dead(first, Vec3::zeros(), load(force, "0", "0"))));
    b.force("moment", Box::new(Torque::dead(first, load("0", "0", &format!("-10*{force}")))));
    let system = b.build();
    let expected = [
        (5.0, [(4.299401084, 0.640248226), (7.967415293, 4.037266707), (11.823806685, 7.222035399)]),
        (10.0, [(21.065042354, 7.951492775), (17.986351098, 4.010683386), (14.957286274, 0.031299822)]),
    ];
    let points = [first, nodes[12][0].node, nodes[24][0].node];
    let mut errors = vec![];
    for h in [0.02, 0.01] {
        let settings = ConservingSettings::new(Rule::EnergyMomentum);
        let mut run = EnergyMomentum::new(&system, settings, system.start_state(0.0)).unwrap();
        let mut after = None;
        for (t, places) in &expected {
            while run.state().t < t - 0.5 * h {
                run.attempt(h).unwrap();
                run.accept();
                if run.state().t > 5.0 - 0.5 * h {
                    let now = balance(&system, run.state());
                    let then = *after.get_or_insert(now);
                    assert!((now.total() / then.total() - 1.0).abs() < 1e-11);
                    assert!((now.momentum - then.momentum).norm() < 1e-11);
                    assert!((now.angular_momentum - then.angular_momentum).norm() < 1e-9);
                }
            }
            let worst = points
                .iter()
                .zip(places)
                .map(|(node, (x, y))| (run.state().frames[*node].r - Vec3::new(*x, *y, 0.0)).norm())
                .fold(0.0, f64::max);
            println!("C11 h {h} t {t}: {worst:.3e}");
            errors.push(worst);
        }
    }
    assert!(errors[3] < 1e-3 && errors[1] / errors[3] > 3.0, "{errors:?}");
}

/// C13: the right-angled cantilever; both legs are fixed to one massless corner.
#[test]
fn c13_right_angle() {
    let mass = SectionMass { mass: 1.0, first: [0.0; 2], second: [10.0, 10.0, 0.0] };
    let section = Section::diagonal([1e6, 1e6, 1e6, 1e3, 1e3, 1e3], mass);
    let kind = sections(&section, 2);
    let (elements, corner_at) = (4, Vec3::x() * 10.0);
    let legs = [
        straight(Vec3::zeros(), corner_at, Vec3::z(), elements, 2),
        straight(corner_at, Vec3::new(10.0, 10.0, 0.0), Vec3::z(), elements, 2),
    ];
    let mut b = SystemBuilder::new(Vec3::zeros());
    let corner = b.node("corner", Chart::Motion, Frame { r: corner_at, rot: Mat3::identity() }, still());
    let mut tip = 0;
    for (leg, frames) in legs.iter().enumerate() {
        let last = frames.len() - 1;
        let on_corner = |z: &Frame| Attachment { node: corner, origin: Vec3::zeros(), axes: z.rot };
        let nodes: Vec<Vec<Carried>> = frames
            .iter()
            .enumerate()
            .map(|(k, z)| match (leg, k) {
                (0, 0) => kind.held(&Attachment { node: GROUND, origin: z.r, axes: z.rot }),
                (0, k) if k == last => kind.held(&on_corner(z)),
                (1, 0) => kind.held(&on_corner(z)),
                _ => kind.node(&mut b, &format!("leg{leg}.node{k}"), z, &still()),
            })
            .collect();
        kind.add_to(&mut b, &format!("leg{leg}"), &nodes, frames, 0.0).unwrap();
        tip = nodes[last][0].node;
    }
    let force = "if(t < 1, 50*t, if(t < 2, 100 - 50*t, 0))";
    b.force("force", Box::new(PointForce::dead(corner, Vec3::zeros(), load("0", "0", force))));
    let system = b.build();
    let expected = [
        (1.0, [[9.94580389, 0.02288157, 0.95131442], [9.99698292, 9.97661140, 0.05403185]]),
        (2.0, [[8.98888537, 0.26738902, 4.11524538], [10.10626061, 9.30785000, 0.06926370]]),
        (5.0, [[9.14820271, -0.76426983, 3.11141444], [9.45932194, 8.93752504, 5.47939782]]),
    ];
    let h = 0.02;
    let mut run =
        EnergyMomentum::new(&system, ConservingSettings::new(Rule::EnergyMomentum), system.start_state(0.0))
            .unwrap();
    for (t, places) in expected {
        while run.state().t < t - 0.5 * h {
            run.attempt(h).unwrap();
            run.accept();
        }
        let worst = [corner, tip]
            .iter()
            .zip(places)
            .map(|(node, r)| (run.state().frames[*node].r - Vec3::from(r)).norm())
            .fold(0.0, f64::max);
        println!("C13 t {t}: {worst:.3e}, energy {:.6}", balance(&system, run.state()).total());
        assert!(worst < 2e-2, "t {t}: {worst}");
    }
}
