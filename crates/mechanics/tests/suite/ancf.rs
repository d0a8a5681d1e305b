//! Cubic lines with absolute nodal coordinates: derivatives, steps, identities of the digests
//! (floating-frame-and-ancf V44 … V52, gs4-isochronous-integrators V-20).

use crate::derivatives;
use crate::random::Random;
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_mechanics::ancf::*;
use poinsot_mechanics::joints::Attachment;
use poinsot_mechanics::*;

const EA: f64 = 70.0;
const EI: f64 = 2.5;

fn section(viscous: bool) -> CableSection {
    let [axial_viscosity, bending_viscosity] = if viscous { [3.0, 0.4] } else { [0.0; 2] };
    CableSection { axial: EA, bending: EI, fourth: 0.2, axial_viscosity, bending_viscosity, mass: 1.3 }
}

fn design(strain: CableStrain, normal: Option<Vec3>, viscous: bool) -> CableDesign {
    CableDesign { section: section(viscous), strain, points: CablePoints::Three, normal, tension: 0.0 }
}

const L: f64 = 1.4;

/// r_O, r_O′, r_A, r_A′ of a straight line along x.
fn straight() -> [Vec3; 4] {
    [Vec3::zeros(), Vec3::x(), Vec3::x() * L, Vec3::x()]
}

/// A line that is bent without load.
fn bent() -> [Vec3; 4] {
    [Vec3::zeros(), Vec3::new(0.99, -0.2, 0.0), Vec3::x() * (0.97 * L), Vec3::new(0.98, 0.3, 0.0)]
}

fn nodes() -> [SlopeNode; 2] {
    [SlopeNode::of(1, 2), SlopeNode::of(3, 4)]
}

fn cable(strain: CableStrain, plane: bool, viscous: bool, reference: &[Vec3; 4]) -> Cable {
    let axes = Mat3::from_columns(&[Vec3::y(), Vec3::z(), Vec3::x()]);
    let axes = so3::exp(&(Vec3::z() * reference[1].y.atan2(reference[1].x))) * axes;
    let design = design(strain, plane.then(Vec3::z), viscous);
    Cable::new(&nodes(), L, reference, axes, &design).unwrap()
}

/// Every measure of strain, in the plane and in space, with and without viscosity, straight and bent.
fn all() -> Vec<(String, Cable, bool)> {
    use CableFrame::{Pinned, Tangent};
    let planar = [
        CableStrain::Curvature,
        CableStrain::Simplified,
        CableStrain::Chord(Pinned),
        CableStrain::Chord(Tangent),
        CableStrain::Green(Pinned),
        CableStrain::Green(Tangent),
    ];
    let mut out = vec![];
    for strain in planar {
        out.push((format!("{strain:?} in the plane"), cable(strain, true, false, &straight()), true));
    }
    let more = [
        ("curved in the plane", CableStrain::Curvature, true, false, bent()),
        ("chord, bent", CableStrain::Chord(Pinned), true, false, bent()),
        ("viscous in the plane", CableStrain::Curvature, true, true, bent()),
        ("in space", CableStrain::Curvature, false, false, straight()),
        ("viscous in space", CableStrain::Curvature, false, true, straight()),
        ("curved in space", CableStrain::Curvature, false, true, bent()),
        ("simplified in space", CableStrain::Simplified, false, false, straight()),
    ];
    for (name, strain, plane, viscous, reference) in more {
        out.push((name.into(), cable(strain, plane, viscous, &reference), plane));
    }
    out
}

/// Nodal vectors near the straight line, turned as a whole.
fn somewhere(rng: &mut Random, plane: bool, size: f64) -> Vec<Vec3> {
    let flat = |v: Vec3| if plane { Vec3::new(v.x, v.y, 0.0) } else { v };
    let turn = if plane { so3::exp(&(Vec3::z() * 2.0 * rng.next())) } else { rng.rotation() };
    straight().map(|x| turn * (x + flat(rng.vector()) * size)).to_vec()
}

fn at<'a>(x: &'a [Vec3], xdot: &'a [Vec3]) -> Motion<'a> {
    Motion { t: 0.0, x, xdot, memory: &[], reactions: &[] }
}

fn forces(cable: &Cable, x: &[Vec3], xdot: &[Vec3]) -> Vec<Vec3> {
    let mut f = vec![Vec3::zeros(); 4];
    cable.force(&at(x, xdot), &mut f);
    f
}

fn dense(blocks: &Blocks) -> Vec<Vec<Mat3>> {
    let mut m = vec![vec![Mat3::zeros(); 4]; 4];
    blocks.entries().iter().for_each(|b| m[b.a][b.b] += b.value);
    m
}

/// Every element of a whole system against differences, in both charts.
#[test]
fn derivatives_are_exact_in_every_chart() {
    let mut rng = Random(77);
    for (name, cable, plane) in all() {
        let mut b = SystemBuilder::new(rng.vector() * 9.0);
        let axes = plane.then(|| [Vec3::x(), Vec3::y()]);
        let x = somewhere(&mut rng, plane, 0.15);
        let flat = |v: Vec3| if plane { Vec3::new(v.x, v.y, 0.0) } else { v };
        let rates: Vec<Vec3> = (0..4).map(|_| flat(rng.vector())).collect();
        let ends = [0, 2].map(|k| {
            SlopeNode::add_to(&mut b, &format!("n{k}"), axes, [x[k], x[k + 1]], [rates[k], rates[k + 1]])
        });
        assert_eq!(ends, nodes());
        b.force("cable", Box::new(cable));
        b.inertia(cable_mass(&ends, L, 1.3 * L));
        let system = b.build();
        derivatives::check(&system, &mut rng, &name);
    }
}

/// Energy, momenta and derivative of a step of any size.
#[test]
fn steps_keep_energy_and_momenta() {
    let mut rng = Random(5);
    for (name, cable, plane) in all() {
        for size in [1e-6, 1e-2, 0.2] {
            let from = somewhere(&mut rng, plane, 0.15);
            let flat = |v: Vec3| if plane { Vec3::new(v.x, v.y, 0.0) } else { v };
            let to: Vec<Vec3> = from.iter().map(|x| x + flat(rng.vector()) * size).collect();
            let step = |to: &[Vec3], chi: f64, read: &mut dyn FnMut(&StepEnds)| {
                let mean: Vec<Vec3> = from.iter().zip(to).map(|(a, b)| (a + b) * 0.5).collect();
                let rate: Vec<Vec3> = from.iter().zip(to).map(|(a, b)| (b - a) / 0.02).collect();
                read(&StepEnds {
                    t: 0.0,
                    h: 0.02,
                    span: LawSpan::ALL,
                    from: &from,
                    to,
                    mean: &mean,
                    rate: &rate,
                    memory: &[],
                    reactions: &[],
                    dissipation: chi,
                });
            };
            let over = |to: &[Vec3], chi: f64| {
                let mut f = vec![Vec3::zeros(); 4];
                step(to, chi, &mut |ends| cable.discrete_force(ends, &mut f));
                f
            };
            for chi in [0.0, 0.3] {
                let f = over(&to, chi);
                let work: f64 = f.iter().zip(from.iter().zip(&to)).map(|(f, (a, b))| f.dot(&(b - a))).sum();
                let still = vec![Vec3::zeros(); 4];
                let stored = cable.potential(&at(&to, &still)) - cable.potential(&at(&from, &still));
                let mut lost = 0.0;
                step(&to, chi, &mut |ends| lost = cable.discrete_work(ends).dissipated);
                let scale: f64 = f.iter().map(|f| f.norm()).sum::<f64>() * size;
                let room = 1e-12 * scale + 1e-14 * cable.potential(&at(&to, &still));
                assert!((work + stored + lost).abs() < room, "{name} {size}: {}", work + stored + lost);
                assert!(lost >= 0.0);
                let total = f[0] + f[2];
                assert!(total.norm() < 1e-12 * scale / size, "{name}: a force on the whole");
                let moment: Vec3 =
                    f.iter().zip(from.iter().zip(&to)).map(|(f, (a, b))| ((a + b) * 0.5).cross(f)).sum();
                assert!(moment.norm() < 1e-12 * scale / size, "{name} {size}: {moment}");
                let (mut k, mut c) = (Blocks::default(), Blocks::default());
                step(&to, chi, &mut |ends| cable.discrete_tangent(ends, &mut k, &mut c));
                let k = dense(&k);
                // So that the difference is not that of a quotient of small numbers.
                if size < 1e-3 {
                    continue;
                }
                for b in 0..4 {
                    for j in (0..3).filter(|j| !plane || *j < 2) {
                        let e = 1e-6;
                        let side = |e: f64| {
                            let mut moved = to.clone();
                            moved[b][j] += e;
                            over(&moved, chi)
                        };
                        let (plus, minus) = (side(e), side(-e));
                        for a in 0..4 {
                            let expected = (plus[a] - minus[a]) / (2.0 * e);
                            for i in (0..3).filter(|i| !plane || *i < 2) {
                                let got = k[a][b][(i, j)];
                                let room = 1e-6 * (EA + expected.norm());
                                assert!(
                                    (got - expected[i]).abs() < room,
                                    "{name} {size}: {got} instead of {}",
                                    expected[i]
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Forces are the slope of the energy: the chain rule of I-94 against the energy itself.
#[test]
fn forces_are_slopes_of_the_energy() {
    let mut rng = Random(9);
    for (name, cable, plane) in all().into_iter().filter(|(name, ..)| !name.contains("viscous")) {
        let x = somewhere(&mut rng, plane, 0.2);
        let still = vec![Vec3::zeros(); 4];
        let f = forces(&cable, &x, &still);
        for a in 0..4 {
            for i in (0..3).filter(|i| !plane || *i < 2) {
                let side = |e: f64| {
                    let mut moved = x.clone();
                    moved[a][i] += e;
                    cable.potential(&at(&moved, &still))
                };
                // Richardson's difference of fourth order.
                let e = 1e-4;
                let slope = (8.0 * (side(e) - side(-e)) - side(2.0 * e) + side(-2.0 * e)) / (12.0 * e);
                assert!((f[a][i] + slope).abs() < 1e-9 * EA, "{name}: {} and {slope}", f[a][i]);
            }
        }
    }
}

/// V44, V46: rigid motions have no energy and no forces, below 1e-11 of Ea; three zero eigenvalues in the
/// plane, five in space, where nothing resists torsion and a straight line none about itself.
#[test]
fn rigid_motions_are_free() {
    let mut rng = Random(3);
    for (name, cable, plane) in all().into_iter().filter(|(name, ..)| !name.contains("viscous")) {
        let reference = if name.contains("bent") || name.contains("curved") { bent() } else { straight() };
        for _ in 0..20 {
            let turn = if plane { so3::exp(&(Vec3::z() * 4.0 * rng.next())) } else { rng.rotation() };
            let shift = Vec3::new(rng.next(), rng.next(), 0.0) * 10.0;
            let x: Vec<Vec3> =
                reference.iter().enumerate().map(|(k, x)| turn * x + shift * f64::from(k % 2 == 0)).collect();
            let still = vec![Vec3::zeros(); 4];
            assert!(cable.potential(&at(&x, &still)) < 1e-11 * EA, "{name}");
            let f = forces(&cable, &x, &still);
            assert!(f.iter().all(|f| f.norm() < 1e-11 * EA), "{name}: {f:?}");
            let (mut k, mut c) = (Blocks::default(), Blocks::default());
            cable.tangent(&at(&x, &still), &mut k, &mut c);
            let k = dense(&k);
            // Translations and turns are in the null space.
            let axes: &[Vec3] = if plane { &[Vec3::z()] } else { &[Vec3::x(), Vec3::y(), Vec3::z()] };
            let moves = |turn: &Vec3| -> Vec<Vec3> { x.iter().map(|x| turn.cross(x)).collect() };
            let mut fields: Vec<Vec<Vec3>> = axes.iter().map(moves).collect();
            fields.push((0..4).map(|a| Vec3::x() * f64::from(a % 2 == 0)).collect());
            for field in &fields {
                for row in &k {
                    let product: Vec3 = row.iter().zip(field).map(|(k, v)| k * v).sum();
                    assert!(product.norm() < 1e-10 * EA * 10.0, "{name}: {product}");
                }
            }
        }
    }
}

/// V48 and §1.21.3: at rest the bending block of the tangent is k_b EI/l³, the axial one k_a EA/l.
#[test]
fn tangent_of_the_straight_line_is_the_classical_one() {
    let l = L;
    let k_b = [
        [12.0, 6.0 * l, -12.0, 6.0 * l],
        [6.0 * l, 4.0 * l * l, -6.0 * l, 2.0 * l * l],
        [-12.0, -6.0 * l, 12.0, -6.0 * l],
        [6.0 * l, 2.0 * l * l, -6.0 * l, 4.0 * l * l],
    ];
    let k_a = [
        [6.0 / 5.0, l / 10.0, -6.0 / 5.0, l / 10.0],
        [l / 10.0, 2.0 * l * l / 15.0, -l / 10.0, -l * l / 30.0],
        [-6.0 / 5.0, -l / 10.0, 6.0 / 5.0, -l / 10.0],
        [l / 10.0, -l * l / 30.0, -l / 10.0, 2.0 * l * l / 15.0],
    ];
    for strain in [CableStrain::Curvature, CableStrain::Chord(CableFrame::Pinned)] {
        let mut design = design(strain, Some(Vec3::z()), false);
        design.points = CablePoints::Five;
        let cable = Cable::new(&nodes(), l, &straight(), Mat3::identity(), &design).unwrap();
        let (mut k, mut c) = (Blocks::default(), Blocks::default());
        cable.tangent(&at(&straight(), &[Vec3::zeros(); 4]), &mut k, &mut c);
        let k = dense(&k);
        for a in 0..4 {
            for b in 0..4 {
                let bending = EI / l.powi(3) * k_b[a][b];
                let axial = EA / l * k_a[a][b];
                assert!((-k[a][b][(1, 1)] - bending).abs() < 1e-13 * EA, "{a} {b}");
                assert!((-k[a][b][(0, 0)] - axial).abs() < 1e-13 * EA, "{a} {b}");
            }
        }
    }
}

/// V47: linearised slopes (θ, l, θl …) have the spurious axial strain √(1 + θ²) − 1 and no bending.
#[test]
fn linearised_slopes_stretch() {
    let theta = 0.3;
    let x = [
        Vec3::new(2.0, -1.0, 0.0),
        Vec3::new(1.0, theta, 0.0),
        Vec3::new(2.0 + L, -1.0 + L * theta, 0.0),
        Vec3::new(1.0, theta, 0.0),
    ];
    let energy = 0.5 * EA * L * (f64::hypot(1.0, theta) - 1.0).powi(2);
    for strain in [CableStrain::Curvature, CableStrain::Chord(CableFrame::Pinned), CableStrain::Simplified] {
        let cable = cable(strain, true, false, &straight());
        assert!((cable.potential(&at(&x, &[Vec3::zeros(); 4])) - energy).abs() < 1e-14 * EA, "{strain:?}");
    }
}

/// V-20: Green's energy is that of the strain ½[(r_x′ − y r_y″)² + r_y′² − 1] over the section, and I-92
/// has the axial force EA/l (L − l).
#[test]
fn greens_energy_is_the_integral_over_the_section() {
    let mut rng = Random(21);
    // A rectangle of the width 1 and height h: A = h, I = h³/12, Î = h⁵/80.
    let (h, young) = (0.3, 40.0);
    let section = CableSection {
        axial: young * h,
        bending: young * h.powi(3) / 12.0,
        fourth: young * h.powi(5) / 80.0,
        axial_viscosity: 0.0,
        bending_viscosity: 0.0,
        mass: 1.0,
    };
    let rule = poinsot_geometry::interpolation::Quadrature::gauss_legendre(8);
    for frame in [CableFrame::Pinned, CableFrame::Tangent] {
        let strain = CableStrain::Green(frame);
        let design = CableDesign {
            section,
            strain,
            points: CablePoints::Three,
            normal: Some(Vec3::z()),
            tension: 0.0,
        };
        let cable = Cable::new(&nodes(), L, &straight(), Mat3::identity(), &design).unwrap();
        let x = somewhere(&mut rng, true, 0.2);
        let along = if frame == CableFrame::Pinned { x[2] - x[0] } else { x[1] };
        let a = along.normalize();
        let b = Vec3::z().cross(&a);
        let mut sum = 0.0;
        for (xi, w) in rule.points.iter().zip(&rule.weights) {
            let s = Cubic::at(0.5 * (1.0 + xi), L);
            let field = |weights: &[f64; 4]| -> Vec3 { x.iter().zip(weights).map(|(x, w)| x * *w).sum() };
            let (slope, bend) = (field(&s.slope), field(&s.curvature));
            for (eta, v) in rule.points.iter().zip(&rule.weights) {
                let y = 0.5 * h * eta;
                let green = 0.5 * ((a.dot(&slope) - y * b.dot(&bend)).powi(2) + b.dot(&slope).powi(2) - 1.0);
                sum += 0.5 * L * w * 0.5 * h * v * 0.5 * young * green * green;
            }
        }
        let got = cable.potential(&at(&x, &[Vec3::zeros(); 4]));
        assert!((got - sum).abs() < 1e-13 * sum, "{frame:?}: {got} and {sum}");
    }
    let cable = cable(CableStrain::Simplified, true, false, &straight());
    let x = straight().map(|x| x * 1.2);
    let f = forces(&cable, &x, &[Vec3::zeros(); 4]);
    assert!((f[0].x - EA / L * 0.2 * L).abs() < 1e-13 * EA);
}

/// V45, V50, V52, §1.21.2: the mass of rigid motions is that of a rod; a lumped one is not (V51).
#[test]
fn mass_of_rigid_motions() {
    let (m, l) = (2.3, L);
    let mass = cable_mass(&nodes(), l, m);
    // Velocities of (R, θ) at θ: [e] = (Ṙ, θ̇ b, Ṙ + l θ̇ b, θ̇ b).
    for theta in [0.0, 0.4, 2.5] {
        let (s, c) = f64::sin_cos(theta);
        let b = Vec3::new(-s, c, 0.0);
        let columns: [[Vec3; 4]; 3] = [
            [Vec3::x(), Vec3::zeros(), Vec3::x(), Vec3::zeros()],
            [Vec3::y(), Vec3::zeros(), Vec3::y(), Vec3::zeros()],
            [Vec3::zeros(), b, b * l, b],
        ];
        let rigid = [
            [m, 0.0, -0.5 * m * l * s],
            [0.0, m, 0.5 * m * l * c],
            [-0.5 * m * l * s, 0.5 * m * l * c, m * l * l / 3.0],
        ];
        let entry = |mass: &Inertia, i: usize, j: usize| {
            let mut p = [Vec3::zeros(); 4];
            mass.apply(&columns[j], &mut p);
            columns[i].iter().zip(&p).map(|(x, p)| x.dot(p)).sum::<f64>()
        };
        for (i, row) in rigid.iter().enumerate() {
            for (j, exact) in row.iter().enumerate() {
                assert!((entry(&mass, i, j) - exact).abs() < 1e-14 * m, "{theta} {i} {j}");
            }
        }
        let slope = 0.07;
        let lumped = lumped_cable_mass(&nodes(), m, slope);
        assert!((entry(&lumped, 2, 2) - (2.0 * slope + 0.5 * m * l * l)).abs() < 1e-14);
        assert!(entry(&lumped, 2, 2) > m * l * l / 3.0);
    }
    assert!((mass.total() - m).abs() < 1e-15);
    // V52: linearised slopes keep ml²/3 but freeze the coupling at its value for θ = 0.
    let linear = [Vec3::zeros(), Vec3::y(), Vec3::y() * l, Vec3::y()];
    let mut p = [Vec3::zeros(); 4];
    mass.apply(&linear, &mut p);
    let own: f64 = linear.iter().zip(&p).map(|(x, p)| x.dot(p)).sum();
    assert!((own - m * l * l / 3.0).abs() < 1e-15);
    assert!((p[0] + p[2] - Vec3::y() * (0.5 * m * l)).norm() < 1e-15);
}

/// V49: M_f = BᵀMB is the mass matrix of the floating frame, and B is ∂e/∂q.
#[test]
fn floating_coordinates_have_the_mass_of_the_floating_frame() {
    let (m, l) = (2.3, L);
    let q: FloatingCoordinates = [0.3, -0.2, 0.7, 1.05, 1.3, 0.2, 0.9, 0.35];
    let back = floating_coordinates(&nodal_coordinates(&q));
    assert!(q.iter().zip(&back).all(|(a, b)| (a - b).abs() < 1e-15));
    let b = velocity_transformation(&q);
    for j in 0..8 {
        let side = |e: f64| {
            let mut q = q;
            q[j] += e;
            nodal_coordinates(&q)
        };
        let (plus, minus) = (side(1e-6), side(-1e-6));
        (0..8).for_each(|i| assert!((b[i][j] - (plus[i] - minus[i]) / 2e-6).abs() < 1e-9));
    }
    let mass = cable_mass(&nodes(), l, m);
    let m_f = |i: usize, j: usize| -> f64 {
        let mut sum = 0.0;
        for a in 0..4 {
            for c in 0..4 {
                sum +=
                    mass.coefficient(a, c) * (b[2 * a][i] * b[2 * c][j] + b[2 * a + 1][i] * b[2 * c + 1][j]);
            }
        }
        sum
    };
    // §1.21.8; erratum: the last row of S̃ has l²/140.
    let (s, c) = f64::sin_cos(q[2]);
    let f = &q[3..];
    let mean = [[l, 6.0, 0.0, -l, 0.0], [0.0, 0.0, 6.0, 0.0, -l]].map(|row| row.map(|x| x * m / 12.0));
    let (h, g, w) = (13.0 * l / 420.0, 11.0 * l / 210.0, l * l);
    let m_ff = [
        [w / 105.0, h, 0.0, -w / 140.0, 0.0],
        [h, 13.0 / 35.0, 0.0, -g, 0.0],
        [0.0, 0.0, 13.0 / 35.0, 0.0, -g],
        [-w / 140.0, -g, 0.0, w / 105.0, 0.0],
        [0.0, 0.0, -g, 0.0, w / 105.0],
    ];
    let skew = [
        [0.0, 0.0, h, 0.0, -w / 140.0],
        [0.0, 0.0, 13.0 / 35.0, 0.0, -g],
        [-h, -13.0 / 35.0, 0.0, g, 0.0],
        [0.0, 0.0, -g, 0.0, w / 105.0],
        [w / 140.0, g, 0.0, -w / 105.0, 0.0],
    ];
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-14 * m, "{a} and {b}");
    near(m_f(0, 0), m);
    near(m_f(1, 1), m);
    near(m_f(0, 1), 0.0);
    let moment = mean.map(|row| row.iter().zip(f).map(|(a, b)| a * b).sum::<f64>());
    near(m_f(0, 2), -s * moment[0] - c * moment[1]);
    near(m_f(1, 2), c * moment[0] - s * moment[1]);
    let quadratic: f64 = (0..5).map(|i| (0..5).map(|j| f[i] * m * m_ff[i][j] * f[j]).sum::<f64>()).sum();
    near(m_f(2, 2), quadratic);
    for j in 0..5 {
        near(m_f(0, 3 + j), c * mean[0][j] - s * mean[1][j]);
        near(m_f(1, 3 + j), s * mean[0][j] + c * mean[1][j]);
        near(m_f(2, 3 + j), (0..5).map(|i| f[i] * m * skew[i][j]).sum());
        (0..5).for_each(|i| near(m_f(3 + i, 3 + j), m * m_ff[i][j]));
    }
    // §1.21.9: translations weigh like the whole.
    (0..8).for_each(|i| near(b[i][0] - [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0][i], 0.0));
}

/// Weight, centre of mass and momenta of a line that moves like a rigid body.
#[test]
fn slopes_have_no_weight_of_their_own() {
    let (m, l, g) = (2.3, L, Vec3::new(0.0, -9.81, 0.0));
    let (turn, shift, rate, velocity) =
        (so3::exp(&(Vec3::z() * 0.8)), Vec3::new(1.0, 2.0, 0.0), 1.7, Vec3::new(0.4, -0.3, 0.0));
    let mut b = SystemBuilder::new(g);
    let plane = Some([Vec3::x(), Vec3::y()]);
    let spin = Vec3::z() * rate;
    let x = straight();
    let ends = [0, 2].map(|k| {
        let (place, slope) = (turn * x[k], turn * x[k + 1]);
        let rates = [velocity + spin.cross(&place), spin.cross(&slope)];
        SlopeNode::add_to(&mut b, &format!("n{k}"), plane, [place + shift, slope], rates)
    });
    b.inertia(cable_mass(&ends, l, m));
    let system = b.build();
    let state = system.start_state(0.0);
    let a = vec![0.0; system.size()];
    let at = Instant { t: 0.0, frames: &state.frames, v: &state.v, a: &a, memory: &[], rates: &[] };
    let balance = system.balance(&at, &mut Scratch::default());
    let centre = shift + turn * Vec3::x() * (0.5 * l);
    let own = velocity + spin.cross(&(centre - shift));
    assert!((balance.centre_of_mass - centre).norm() < 1e-15);
    assert!((balance.momentum - own * m).norm() < 1e-14);
    assert!((balance.potential + m * g.dot(&centre)).abs() < 1e-13);
    let angular = centre.cross(&(own * m)) + spin * (m * l * l / 12.0);
    assert!((balance.angular_momentum - angular).norm() < 1e-14);
    assert!((balance.kinetic - 0.5 * m * (own.norm_squared() + l * l / 12.0 * rate * rate)).abs() < 1e-14);
    assert!((system.total_mass() - m).abs() < 1e-15);
    // Q = m [½, l/12, ½, −l/12] g: the residual is inertia less weight.
    let mut out = vec![0.0; system.size()];
    system.residual(&at, &mut out, &mut Scratch::default());
    let expected = [0.5, l / 12.0, 0.5, -l / 12.0];
    for (k, share) in expected.iter().enumerate() {
        let q = &out[system.nodes()[k + 1].unknowns()];
        assert!(q[0].abs() < 1e-15 && (q[1] + m * share * g.y).abs() < 1e-14, "{k}: {q:?}");
    }
}

fn functions(texts: [&str; 3], arguments: &[&str]) -> [poinsot_expr::Function; 3] {
    texts.map(|text| {
        let expr = poinsot_expr::Expr::parse(text).unwrap();
        poinsot_expr::Function::new(&expr, arguments, &|_| None).unwrap()
    })
}

/// Section axes of a line along x, with the second normal to the plane.
fn along() -> Mat3 {
    Mat3::from_columns(&[Vec3::y(), Vec3::z(), Vec3::x()])
}

/// A load that reads all that a line has.
fn state_laws(plane: bool, kind: CableLoadKind) -> [poinsot_expr::Function; 3] {
    let names = [
        "t", "s", "x", "y", "z", "u", "v", "w", "ax", "ay", "az", "bx", "by", "bz", "cx", "cy", "cz", "far",
        "turning",
    ];
    let moment = matches!(kind, CableLoadKind::Moment | CableLoadKind::SectionMoment);
    let texts = match (plane, moment) {
        (true, true) => ["0", "x*v + far*s - u^2*ax", "x*ay*turning + sin(cx*y) - t*v"],
        (true, false) => ["x*y + far*s - u^2", "0", "v*ay*turning + sin(cx*y)*bz"],
        (false, _) => ["x*y + far*s - u^2", "w*cz*turning + sin(cx*z)", "cy*v + cx*far - t"],
    };
    functions(texts, &names)
}

/// Clamps, ties, loads and moments, in the plane and in space.
#[test]
fn ends_and_loads_have_exact_derivatives() {
    let mut rng = Random(41);
    for plane in [true, false] {
        for kind in [
            CableLoadKind::Dead,
            CableLoadKind::Follower,
            CableLoadKind::Moment,
            CableLoadKind::SectionMoment,
        ] {
            let mut b = SystemBuilder::new(rng.vector() * 9.0);
            let flat = |v: Vec3| if plane { Vec3::new(v.x, v.y, 0.0) } else { v };
            let x = somewhere(&mut rng, plane, 0.1);
            let axes = plane.then(|| [Vec3::x(), Vec3::y()]);
            let ends = [0, 2].map(|k| {
                let rates = [flat(rng.vector()), flat(rng.vector())];
                SlopeNode::add_to(&mut b, &format!("n{k}"), axes, [x[k], x[k + 1]], rates)
            });
            b.inertia(cable_mass(&ends, L, 1.3 * L));
            let rot = if plane { so3::exp(&(Vec3::z() * rng.next())) } else { rng.rotation() };
            let chart = match plane {
                true => Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::z() },
                false => Chart::Motion,
            };
            let spin = if plane { Vec3::z() * rng.next() } else { rng.vector() };
            let twist = Twist { linear: flat(rng.vector()), angular: spin };
            let hub = b.node("hub", chart, Frame { r: flat(rng.vector()), rot }, twist);
            let inertia = Mat3::from_diagonal(&Vec3::new(1.1, 1.3, 1.6));
            b.body(Body::new(hub, &MassProperties::new(1.5, Vec3::zeros(), inertia)));
            let slopes = [(ends[0], Vec3::new(0.6, 0.8, 0.0)), (ends[1], Vec3::x())];
            let law: Box<dyn Constraint> = if plane {
                Box::new(planar_tie(hub, &slopes, &Vec3::z(), [0, 1]))
            } else if kind == CableLoadKind::Moment {
                let [before, behind] = corner_ties(hub, &slopes);
                b.constraint("behind", Box::new(behind));
                Box::new(before)
            } else {
                let axes = rng.rotation();
                Box::new(clamp(
                    &poinsot_mechanics::joints::Attachment { node: hub, origin: rng.vector(), axes },
                    &ends[1],
                ))
            };
            b.constraint("held", law);
            let texts = match (plane, kind) {
                (true, CableLoadKind::Moment) => ["0", "0", "3*s + t"],
                (true, _) => ["2*s", "0", "1 + t*s"],
                _ => ["2*s", "1 - s*t", "1 + t*s"],
            };
            let load = functions(texts, &["t", "s"]);
            let laws = state_laws(plane, kind);
            let at = |node, origin| Attachment { node, origin, axes: Mat3::identity() };
            let (far, near) = (at(hub, Vec3::x()), at(ends[0].place.node, Vec3::zeros()));
            let readings = vec![
                Reading::Coordinate(Coordinate::distance(&far, &near)),
                Reading::Speed(Speed::spin(hub, Carried::direction(hub, Vec3::z()))),
            ];
            let n = plane.then(Vec3::z);
            let read = (readings, vec![], vec![]);
            let law = CableStateLoad::new(&ends, 0.3, L, kind, &along(), n, read, &laws).unwrap();
            b.force("law", Box::new(law));
            b.force("load", Box::new(CableLoad::new(&ends, 0.3, L, kind, load, &along(), n)));
            let moment = if plane { ["0", "0", "2 + t"] } else { ["1", "t", "2"] };
            b.force("moment", Box::new(SlopeMoment::new(ends[1].slope, functions(moment, &["t"]))));
            derivatives::check(&b.build(), &mut rng, &format!("{kind:?}, in a plane {plane}"));
        }
    }
}

/// What a group evaluates is what each element says: residual and step matrix of a line of three elements.
#[test]
fn groups_obey_the_equations_of_the_elements() {
    let mut rng = Random(59);
    for (name, plane, reference) in [("plane", true, bent()), ("space", false, straight())] {
        let normal = plane.then(|| if name == "plane" { -Vec3::z() } else { Vec3::z() });
        let flat = |v: Vec3| if plane { Vec3::new(v.x, v.y, 0.0) } else { v };
        let gravity = rng.vector() * 9.0;
        let start: Vec<[Vec3; 2]> = (0..4)
            .map(|k| {
                let place = Vec3::x() * (L * f64::from(k)) + flat(rng.vector()) * 0.1;
                [place, Vec3::x() + flat(rng.vector()) * 0.2]
            })
            .collect();
        let build = |alone: bool| {
            let mut b = SystemBuilder::new(gravity);
            let axes = plane.then(|| [Vec3::x(), Vec3::y()]);
            let nodes: Vec<SlopeNode> = start
                .iter()
                .enumerate()
                .map(|(k, start)| {
                    SlopeNode::add_to(&mut b, &format!("n{k}"), axes, *start, [Vec3::zeros(); 2])
                })
                .collect();
            for pair in nodes.windows(2) {
                let ends = [pair[0], pair[1]];
                let design = design(CableStrain::Curvature, normal, false);
                let cable = Cable::new(&ends, L, &reference, Mat3::identity(), &design).unwrap();
                // A wrapper that no group knows.
                b.force("cable", if alone { Box::new(Alone(cable)) } else { Box::new(cable) });
                b.inertia(cable_mass(&ends, L, 1.3 * L));
            }
            b.build()
        };
        let [together, alone] = [false, true].map(build);
        let state = together.start_state(0.0);
        let a: Vec<f64> = (0..together.size()).map(|_| rng.next()).collect();
        let at = Instant { t: 0.0, frames: &state.frames, v: &state.v, a: &a, memory: &[], rates: &[] };
        let residual = |system: &System| {
            let mut out = vec![0.0; system.size()];
            system.residual(&at, &mut out, &mut Scratch::default());
            out
        };
        let matrix = |system: &System| {
            let identity = vec![Mat3::identity(); system.nodes().len()];
            let lin =
                Linearization { mass: 0.3, stiffness: 0.7, damping: 0.2, ..Linearization::at(at, &identity) };
            let mut values = vec![0.0; system.pattern().nnz()];
            system.step_matrix(&lin, &mut values, &mut Scratch::default());
            values
        };
        for (both, size) in
            [([residual(&together), residual(&alone)], EA), ([matrix(&together), matrix(&alone)], EA)]
        {
            for (x, y) in both[0].iter().zip(&both[1]) {
                assert!((x - y).abs() < 1e-12 * size, "{name}: {x} and {y}");
            }
        }
    }
}

/// An element that no group takes.
#[derive(Debug)]
struct Alone(Cable);

impl Force for Alone {
    fn kind(&self) -> &'static str {
        self.0.kind()
    }
    fn carried(&self) -> &[Carried] {
        self.0.carried()
    }
    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        self.0.force(at, f);
    }
    fn tangent(&self, at: &Motion, k: &mut Blocks, c: &mut Blocks) {
        self.0.tangent(at, k, c);
    }
    fn power(&self, at: &Motion) -> Power {
        self.0.power(at)
    }
}
