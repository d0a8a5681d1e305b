//! The motion beam as an element: exact derivatives in both views, objectivity, path independence,
//! conservation over a step.

use crate::random;

use poinsot_geometry::interpolation::{Metric, Quadrature};
use poinsot_geometry::motion_parameters::Generator;
use poinsot_geometry::se3::{Pose, log};
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6, so3};
use poinsot_mechanics::beams::{
    BeamElement, MotionBeam, MotionScheme, RigidSection, Section, SectionMass, StrainPoints, VirtualStrains,
    consistent_mass, node_shares,
};
use poinsot_mechanics::joints::Attachment;
use poinsot_mechanics::*;
use random::Random;

const METRICS: [Metric; 5] = [
    Metric::Geodesic,
    Metric::Quaternion,
    Metric::Matrix,
    Metric::Vector(Generator::WienerMilenkovic),
    Metric::Vector(Generator::Linear),
];

fn on(node: usize) -> Attachment {
    Attachment { node, origin: Vec3::zeros(), axes: Mat3::identity() }
}

fn spd6(rng: &mut Random) -> Mat6 {
    let m = Mat6::from_fn(|_, _| rng.next());
    m * m.transpose() + Mat6::identity()
}

fn vectors(frames: &[Frame]) -> Vec<Vec3> {
    let column = |z: &Frame, k: usize| z.rot.column(k).into_owned();
    frames.iter().flat_map(|z| [z.r, column(z, 0), column(z, 1), column(z, 2)]).collect()
}

fn at<'a>(x: &'a [Vec3], xdot: &'a [Vec3]) -> Motion<'a> {
    Motion { t: 0.0, x, xdot, memory: &[], reactions: &[] }
}

/// A curved reference of length 1.4 with its nodes, and a state that is bent and stretched against it.
fn frames(rng: &mut Random, order: usize) -> (Vec<Frame>, Vec<Frame>) {
    let (curvature, start) = (rng.vector(), rng.rotation());
    let reference: Vec<Frame> = node_shares(1, order)
        .iter()
        .map(|s| {
            let pose = poinsot_geometry::se3::exp(
                &(Vec6::new(0.0, 0.0, 1.0, curvature.x, curvature.y, curvature.z) * (1.4 * s)),
            );
            Frame { r: start * pose.r, rot: start * pose.rotation }
        })
        .collect();
    let bent = reference
        .iter()
        .map(|z| Frame { r: z.r + rng.vector() * 0.1, rot: z.rot * so3::exp(&(rng.vector() * 0.2)) })
        .collect();
    (reference, bent)
}

fn element(rng: &mut Random, reference: &[Frame], scheme: MotionScheme, viscous: bool) -> MotionBeam {
    let mut section = Section::given(spd6(rng), SectionMass::default());
    if viscous {
        section = section.with_viscosity(spd6(rng) * 0.3);
    }
    let ends: Vec<Attachment> = (1..=reference.len()).map(on).collect();
    MotionBeam::new(&ends, reference, &section, scheme).unwrap()
}

fn schemes() -> impl Iterator<Item = MotionScheme> {
    METRICS.into_iter().flat_map(|metric| {
        [StrainPoints::Gauss, StrainPoints::Lobatto].into_iter().flat_map(move |points| {
            [VirtualStrains::Consistent, VirtualStrains::Interpolated].map(|virtual_strains| MotionScheme {
                metric,
                points,
                virtual_strains,
            })
        })
    })
}

fn forces(beam: &MotionBeam, x: &[Vec3], xdot: &[Vec3]) -> Vec<Vec3> {
    let mut f = vec![Vec3::zeros(); x.len()];
    beam.force(&at(x, xdot), &mut f);
    f
}

/// Blocks as a table of 3×3 matrices.
fn table(blocks: &Blocks, n: usize) -> Vec<Vec<Mat3>> {
    let mut t = vec![vec![Mat3::zeros(); n]; n];
    blocks.entries().iter().for_each(|b| t[b.a][b.b] += b.value);
    t
}

/// Differences of a force by every component of every vector.
fn assert_derivative(what: &str, exact: &[Vec<Mat3>], x: &[Vec3], f: impl Fn(&[Vec3]) -> Vec<Vec3>) {
    let h = 1e-5;
    let scale = 1.0 + exact.iter().flatten().map(|m| m.amax()).fold(0.0, f64::max);
    for b in 0..x.len() {
        for c in 0..3 {
            let moved = |step: f64| {
                let mut x = x.to_vec();
                x[b][c] += step;
                f(&x)
            };
            let (p, m, p2, m2) = (moved(h), moved(-h), moved(2.0 * h), moved(-2.0 * h));
            for a in 0..x.len() {
                let slope = ((p[a] - m[a]) * 8.0 - (p2[a] - m2[a])) / (12.0 * h);
                let error = (slope - exact[a][b].column(c)).amax();
                assert!(error < 1e-8 * scale, "{what}: ∂f_{a}/∂x_{b},{c}: {error:e} of {scale:e}");
            }
        }
    }
}

/// motion-interpolation-galerkin X9: tangents at random states, whose axes are not quite orthonormal, against
/// differences.
#[test]
fn tangents_are_derivatives() {
    let mut rng = Random(0xbea2);
    for order in 1..=5 {
        for scheme in schemes() {
            let viscous = order < 4;
            let (reference, bent) = frames(&mut rng, order);
            let beam = element(&mut rng, &reference, scheme, viscous);
            let x: Vec<Vec3> = vectors(&bent).iter().map(|x| x + rng.vector() * 0.02).collect();
            let xdot: Vec<Vec3> = x.iter().map(|_| rng.vector()).collect();
            let (mut k, mut c) = (Blocks::default(), Blocks::default());
            beam.tangent(&at(&x, &xdot), &mut k, &mut c);
            let what = format!("{scheme:?}, order {order}");
            let stiffness = table(&k, x.len());
            assert_derivative(&what, &stiffness, &x, |x| forces(&beam, x, &xdot));
            assert_derivative(&what, &table(&c, x.len()), &xdot, |xdot| forces(&beam, &x, xdot));
            if scheme.virtual_strains == VirtualStrains::Consistent && !viscous {
                for (a, row) in stiffness.iter().enumerate() {
                    for (block, other) in row.iter().zip(&stiffness) {
                        let gap = (block - other[a].transpose()).amax();
                        assert!(gap < 1e-10, "{what}: symmetric to {gap:e}");
                    }
                }
                // f = −∂V/∂x.
                let f = forces(&beam, &x, &xdot);
                for a in 0..x.len() {
                    for c in 0..3 {
                        let energy = |step: f64| {
                            let mut x = x.clone();
                            x[a][c] += step;
                            beam.potential(&at(&x, &xdot))
                        };
                        let slope = (energy(1e-6) - energy(-1e-6)) / 2e-6;
                        assert!((slope + f[a][c]).abs() < 1e-7 * (1.0 + f[a].norm()), "{what}");
                    }
                }
            }
        }
    }
}

/// A step from one bent state to another.
struct Step {
    from: Vec<Vec3>,
    to: Vec<Vec3>,
}

impl Step {
    fn passage<R>(&self, to: &[Vec3], dissipation: f64, run: impl FnOnce(&StepEnds) -> R) -> R {
        let h = 0.1;
        let mean: Vec<Vec3> = self.from.iter().zip(to).map(|(a, b)| (a + b) * 0.5).collect();
        let rate: Vec<Vec3> = self.from.iter().zip(to).map(|(a, b)| (b - a) / h).collect();
        let memory = [0.0];
        run(&StepEnds {
            t: 0.0,
            h,
            span: LawSpan::ALL,
            from: &self.from,
            to,
            mean: &mean,
            rate: &rate,
            memory: &memory,
            reactions: &[],
            dissipation,
        })
    }
}

fn step(rng: &mut Random, bent: &[Frame], size: f64) -> Step {
    let (turn, shift) = (rng.vector() * size, rng.vector() * size);
    let to: Vec<Frame> = bent
        .iter()
        .map(|z| Frame {
            r: so3::exp(&turn) * z.r + shift + rng.vector() * (0.1 * size),
            rot: so3::exp(&turn) * z.rot * so3::exp(&(rng.vector() * (0.3 * size))),
        })
        .collect();
    Step { from: vectors(bent), to: vectors(&to) }
}

/// Over a step the force does −ΔV of work and has neither resultant nor moment about the mean; its tangent is
/// exact.
#[test]
fn force_over_a_step_keeps_energy_and_momenta() {
    let mut rng = Random(0xc0de);
    for order in [1, 2, 3, 5] {
        for metric in METRICS {
            for (size, viscous, dissipation) in
                [(1e-7, false, 0.0), (0.05, false, 0.0), (1.0, false, 0.0), (0.3, true, 0.2)]
            {
                let scheme = MotionScheme { metric, ..MotionScheme::default() };
                let (reference, bent) = frames(&mut rng, order);
                let beam = element(&mut rng, &reference, scheme, viscous);
                let step = step(&mut rng, &bent, size);
                let what = format!("{metric:?}, order {order}, size {size}");
                let force = |to: &[Vec3]| {
                    let mut f = vec![Vec3::zeros(); to.len()];
                    step.passage(to, dissipation, |p| beam.discrete_force(p, &mut f));
                    f
                };
                let f = force(&step.to);
                let scale: f64 = f.iter().map(|f| f.norm()).sum::<f64>() + 1.0;
                let work: f64 =
                    f.iter().zip(step.from.iter().zip(&step.to)).map(|(f, (a, b))| f.dot(&(b - a))).sum();
                let zero = vec![Vec3::zeros(); f.len()];
                let rise = beam.potential(&at(&step.to, &zero)) - beam.potential(&at(&step.from, &zero));
                let lost = step.passage(&step.to, dissipation, |p| beam.discrete_work(p).dissipated);
                assert!((work + rise + lost).abs() < 2e-14 * scale, "{what}: {:e}", work + rise + lost);
                let total: Vec3 = f.iter().step_by(4).sum();
                let moment: Vec3 = f
                    .iter()
                    .zip(step.from.iter().zip(&step.to))
                    .map(|(f, (a, b))| ((a + b) * 0.5).cross(f))
                    .sum();
                assert!(
                    total.norm() < 1e-13 * scale && moment.norm() < 1e-13 * scale,
                    "{what}: {total} {moment}"
                );
                if order < 4 {
                    let (mut k, mut c) = (Blocks::default(), Blocks::default());
                    step.passage(&step.to, dissipation, |p| beam.discrete_tangent(p, &mut k, &mut c));
                    assert_derivative(&what, &table(&k, f.len()), &step.to, force);
                }
            }
        }
    }
}

/// X7: curvatures, strains and forces (in turned axes) under a superposed rigid motion.
#[test]
fn a_rigid_motion_is_not_felt() {
    let mut rng = Random(0x0b7);
    for order in 1..=8 {
        for scheme in schemes() {
            let (reference, bent) = frames(&mut rng, order);
            let beam = element(&mut rng, &reference, scheme, false);
            let (turn, shift) = (rng.rotation(), rng.vector() * 10.0);
            let moved: Vec<Frame> =
                bent.iter().map(|z| Frame { r: turn * z.r + shift, rot: turn * z.rot }).collect();
            let (x, y) = (vectors(&bent), vectors(&moved));
            let zero = vec![Vec3::zeros(); x.len()];
            let (f, g) = (forces(&beam, &x, &zero), forces(&beam, &y, &zero));
            let scale = f.iter().map(|f| f.norm()).fold(1.0, f64::max);
            for (f, g) in f.iter().zip(&g) {
                assert!(
                    (turn * f - g).norm() < 1e-12 * scale,
                    "{scheme:?} {order}: {:e} of {scale:e}",
                    (turn * f - g).norm()
                );
            }
            for xi in [-1.0, 0.2, 1.0] {
                let (s, t) = (beam.section_state(&at(&x, &zero), xi), beam.section_state(&at(&y, &zero), xi));
                // Curvatures of order N(N + 1)/2 times the round-off of places of size 10.
                assert!((s.strain - t.strain).amax() < 1e-12 * scale, "{scheme:?} {order}");
            }
            // Free of stress in its reference, wherever it is.
            let at_rest: Vec<Frame> =
                reference.iter().map(|z| Frame { r: turn * z.r + shift, rot: turn * z.rot }).collect();
            let rest = forces(&beam, &vectors(&at_rest), &zero);
            assert!(rest.iter().all(|f| f.norm() < 1e-12 * scale), "{scheme:?} {order}");
        }
    }
}

/// Two nodes with geodesic metric: the curvature is the dual logarithm over the length (dual SLERP).
#[test]
fn two_nodes_have_the_curvature_of_their_screw() {
    let mut rng = Random(0x51e);
    let (reference, bent) = frames(&mut rng, 1);
    let beam = element(&mut rng, &reference, MotionScheme::default(), false);
    let pose = |z: &Frame| Pose::new(z.r, z.rot);
    let screw = |z: &[Frame]| log(&pose(&z[0]).relative(&pose(&z[1])));
    let length = screw(&reference).fixed_rows::<3>(0).norm();
    assert!((beam.length() - length).abs() < 1e-14 && (length - 1.4).abs() < 1e-14);
    let x = vectors(&bent);
    let state = beam.section_state(&at(&x, &x), 0.4);
    let expected = (screw(&bent) - screw(&reference)) / length;
    assert!((state.strain - expected).amax() < 1e-14);
}

/// X7: the work over a closed loop of states is zero for the consistent kind, and of the order of the strains
/// for the published one.
#[test]
fn work_on_a_closed_loop_is_zero() {
    let Quadrature { points: quadrature, weights } = Quadrature::gauss_legendre(40);
    for (kind, closed) in [(VirtualStrains::Consistent, true), (VirtualStrains::Interpolated, false)] {
        let mut rng = Random(0x100b);
        let scheme = MotionScheme { virtual_strains: kind, ..MotionScheme::default() };
        let (reference, _) = frames(&mut rng, 2);
        let beam = element(&mut rng, &reference, scheme, false);
        let modes: Vec<[Vec3; 4]> =
            reference.iter().map(|_| std::array::from_fn(|_| rng.vector() * 0.2)).collect();
        let place = |u: f64| -> Vec<Vec3> {
            let bent: Vec<Frame> = reference
                .iter()
                .zip(&modes)
                .map(|(z, m)| Frame {
                    r: z.r + m[0] * u.sin() + m[1] * u.cos(),
                    rot: z.rot * so3::exp(&(m[2] * u.sin() + m[3] * u.cos())),
                })
                .collect();
            vectors(&bent)
        };
        let (mut work, mut size) = (0.0, 0.0);
        for (x, w) in quadrature.iter().zip(&weights) {
            let (u, h) = (std::f64::consts::PI * (1.0 + x), 1e-3);
            let difference = |h: f64| -> Vec<Vec3> {
                place(u + h).iter().zip(&place(u - h)).map(|(a, b)| (a - b) / (2.0 * h)).collect()
            };
            // Sixth order differences: an error of 1e-16.
            let (d1, d2, d3) = (difference(h), difference(2.0 * h), difference(3.0 * h));
            let rate: Vec<Vec3> = (0..d1.len()).map(|a| d1[a] * 1.5 - d2[a] * 0.6 + d3[a] * 0.1).collect();
            let f = forces(&beam, &place(u), &rate);
            let power: f64 = f.iter().zip(&rate).map(|(f, v)| f.dot(v)).sum();
            let x = place(u);
            let audit = beam.power(&at(&x, &rate)).supplied;
            work += w * std::f64::consts::PI * power;
            size += w * std::f64::consts::PI * power.abs();
            if closed {
                assert_eq!(audit, 0.0);
            }
        }
        println!("{kind:?}: {work:e} of {size:e}");
        assert_eq!(work.abs() < 1e-10 * size, closed, "{kind:?}: {work:e} of {size:e}");
    }
}

/// A force over a reference with nodes half a turn apart, without length, or with too many nodes is refused.
#[test]
fn mistakes_are_named() {
    let section = Section::given(Mat6::identity(), SectionMass::default());
    let ends: Vec<Attachment> = (1..=10).map(on).collect();
    let z = |s: f64, turn: f64| Frame { r: Vec3::z() * s, rot: so3::exp(&(Vec3::x() * turn)) };
    let make =
        |frames: &[Frame]| MotionBeam::new(&ends[..frames.len()], frames, &section, MotionScheme::default());
    let same = make(&[z(1.0, 0.0), z(1.0, 0.0)]).unwrap_err().to_string();
    assert!(same.contains("no length"), "{same}");
    let turned = make(&[z(0.0, 0.0), z(1.0, std::f64::consts::PI)]).unwrap_err().to_string();
    assert!(turned.contains("half a turn"), "{turned}");
    let many: Vec<Frame> = (0..10).map(|k| z(f64::from(k), 0.0)).collect();
    assert!(make(&many).unwrap_err().to_string().contains("2 to 9 nodes, not 10"));
}

/// A section with a centre of mass off the line and J₃ ≠ J₁ + J₂: energy and momenta of a rigid motion are
/// ∫½vᵀMv ds and so on.
#[test]
fn a_rigid_section_has_the_energy_of_its_mass_matrix() {
    let mut rng = Random(0x3a55);
    let inertia = Mat3::new(1.25, 0.57, -0.23, 0.57, 1.56, 0.34, -0.23, 0.34, 2.54) * 0.1;
    let (centre, per_length) = (Vec3::new(0.05, -0.03, 0.02), 1.7);
    let (rot, w, v, length) = (rng.rotation(), rng.vector(), rng.vector(), 1.3);
    let section = Section::rigid(Mat6::identity(), &RigidSection::new(per_length, centre, inertia));
    for order in [1, 3, 6] {
        let frames: Vec<Frame> =
            node_shares(1, order).iter().map(|s| Frame { r: rot.column(2) * (length * s), rot }).collect();
        let mut b = SystemBuilder::new(Vec3::zeros());
        for z in &frames {
            b.node("n", Chart::Motion, *z, Twist { linear: v + w.cross(&z.r), angular: rot.transpose() * w });
        }
        let ends: Vec<Attachment> = (1..=order + 1).map(on).collect();
        b.inertia(consistent_mass(&ends, &frames, &section).unwrap());
        let system = b.build();
        let state = system.start_state(0.0);
        let zero = vec![0.0; system.size()];
        let (frames, memory) = (&state.frames[..], &state.memory[..]);
        let at = Instant { t: 0.0, frames, v: &state.v, a: &zero, memory, rates: &[] };
        let now = system.balance(&at, &mut Scratch::default());
        // In section axes; the velocity is linear along the line, so two points of Gauss are exact.
        let (mut kinetic, mut momentum, mut spin) = (0.0, Vec3::zeros(), Vec3::zeros());
        let turn = rot.transpose() * w;
        for s in [0.5 - 0.5 / 3f64.sqrt(), 0.5 + 0.5 / 3f64.sqrt()] {
            let place = Vec3::z() * (length * s);
            let speed = rot.transpose() * v + turn.cross(&place);
            let p = (speed + turn.cross(&centre)) * per_length;
            let l = centre.cross(&speed) * per_length + inertia * turn;
            let share = 0.5 * length;
            kinetic += 0.5 * share * (p.dot(&speed) + l.dot(&turn));
            momentum += rot * p * share;
            spin += rot * (place.cross(&p) + l) * share;
        }
        assert!((now.kinetic - kinetic).abs() < 1e-13, "{order}: {} {kinetic}", now.kinetic);
        assert!((now.momentum - momentum).norm() < 1e-13, "{order}");
        assert!((now.angular_momentum - spin).norm() < 1e-13, "{order}: {} {spin}", now.angular_momentum);
    }
}
