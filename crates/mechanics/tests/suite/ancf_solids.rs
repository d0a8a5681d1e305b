//! Beams, plates and shells of absolute nodal coordinates: forces against energies, tangents against forces,
//! rigid motion, balances of conserving steps.

use crate::random::Random;

use poinsot_flexible::{Isotropic, Material};
use poinsot_geometry::nalgebra::DMatrix;
use poinsot_geometry::{Vec3, Vec6};
use poinsot_mechanics::ancf::solid::*;
use poinsot_mechanics::beams::{Section, SectionMass};
use poinsot_mechanics::*;

fn carried(n: usize) -> Vec<Carried> {
    (0..n).map(|k| Carried::point(k + 1, Vec3::zeros())).collect()
}

fn material() -> Material {
    Material::isotropic(Isotropic { young: 70.0, poisson: 0.3 }, 2.0).unwrap()
}

fn mass() -> SectionMass {
    SectionMass { mass: 1.3, first: [0.1, 0.05], second: [0.2, 0.3, 0.02] }
}

/// An element with its reference.
struct Sample {
    name: &'static str,
    element: SolidElement,
    inertia: Inertia,
    reference: Vec<Vec3>,
}

/// Nodal vectors near a straight or flat place: positions by the grid, then unit slopes.
fn near(rng: &mut Random, places: &[Vec3], slopes: &[Vec3], bent: f64) -> Vec<Vec3> {
    let mut x = vec![];
    for place in places {
        x.push(place + rng.vector() * bent);
        slopes.iter().for_each(|slope| x.push(slope + rng.vector() * bent));
    }
    x
}

/// All elements with curved references and prestress, with viscosity or without.
fn samples(rng: &mut Random, viscosity: f64, prestress: f64) -> Vec<Sample> {
    let mut out = vec![];
    let mut initial = || Vec6::from_fn(|_, _| rng.next() * prestress);
    let constitution = Constitution { initial: initial(), viscosity };
    let resultants = initial();
    let [ex, ey, ez] = [Vec3::x(), Vec3::y(), Vec3::z()];
    let mut c = poinsot_geometry::Mat6::from_fn(|_, _| rng.next() * 3.0);
    c = c * c.transpose() + poinsot_geometry::Mat6::identity() * 5.0;
    let section = Section::given(c, mass()).with_stiffness_damping(viscosity);
    for (name, nodes) in [("sections, two nodes", 2), ("sections, three nodes", 3)] {
        let places: Vec<Vec3> = (0..nodes).map(|k| ez * (0.8 * k as f64)).collect();
        let reference = near(rng, &places, &[ex, ey], 0.1);
        let carried = carried(reference.len());
        let element = section_beam(&carried, &reference, &section, &resultants, 1.3).unwrap();
        let inertia = section_beam_mass(&carried, &reference, &mass()).unwrap();
        out.push(Sample { name, element, inertia, reference });
    }
    let fibres = FibreSection::rectangle([0.3, 0.2]).with_factors([0.8, 0.7], 0.6);
    let reference = near(rng, &[Vec3::zeros(), ex * 0.9], &[ex, ey, ez], 0.1);
    let vectors = carried(8);
    let element = full_beam(&vectors, &reference, 0.9, &fibres, &material(), &constitution).unwrap();
    let inertia = full_beam_mass(&vectors, &reference, 0.9, &fibres, 2.0).unwrap();
    out.push(Sample { name: "full beam", element, inertia, reference });
    let size = [0.9, 0.7];
    let corners = [Vec3::zeros(), ex * 0.9, ex * 0.9 + ey * 0.7, ey * 0.7];
    let reference = near(rng, &corners, &[ex, ey], 0.1);
    let vectors = carried(12);
    let element = thin_plate(&vectors, &reference, size, 0.2, &material(), &constitution).unwrap();
    let inertia = thin_plate_mass(&vectors, &reference, size, 0.2, 2.0).unwrap();
    out.push(Sample { name: "thin plate", element, inertia, reference });
    let reference = near(rng, &corners, &[ex, ey, ez], 0.1);
    let vectors = carried(16);
    let plate = PlateSection::of_thickness(0.2);
    let element = thick_plate(&vectors, &reference, size, &plate, &material(), &constitution).unwrap();
    let inertia = thick_plate_mass(&vectors, &reference, size, 0.2, 2.0).unwrap();
    out.push(Sample { name: "thick plate", element, inertia, reference });
    out
}

fn moved(rng: &mut Random, x: &[Vec3], by: f64) -> Vec<Vec3> {
    x.iter().map(|x| x + rng.vector() * by).collect()
}

/// A rigid motion of positions (every `vectors`-th) and slopes.
fn turned(rng: &mut Random, x: &[Vec3], vectors: usize) -> Vec<Vec3> {
    let (turn, shift) = (rng.rotation(), rng.vector() * 3.0);
    x.iter()
        .enumerate()
        .map(|(k, x)| turn * x + if k % vectors == 0 { shift } else { Vec3::zeros() })
        .collect()
}

fn vectors_of(name: &str) -> usize {
    match name {
        "full beam" | "thick plate" => 4,
        _ => 3,
    }
}

fn motion<'a>(x: &'a [Vec3], xdot: &'a [Vec3]) -> Motion<'a> {
    Motion { t: 0.0, x, xdot, memory: &[], reactions: &[] }
}

fn force(element: &SolidElement, x: &[Vec3], xdot: &[Vec3]) -> Vec<Vec3> {
    let mut f = vec![Vec3::zeros(); x.len()];
    element.force(&motion(x, xdot), &mut f);
    f
}

fn dense(n: usize, blocks: &Blocks) -> DMatrix<f64> {
    let mut m = DMatrix::zeros(3 * n, 3 * n);
    for block in blocks.entries() {
        let mut view = m.view_mut((3 * block.a, 3 * block.b), (3, 3));
        view += block.value;
    }
    m
}

fn shifted(x: &[Vec3], k: usize, by: f64) -> Vec<Vec3> {
    let mut x = x.to_vec();
    x[k / 3][k % 3] += by;
    x
}

/// Columns of a matrix against differences.
fn compare(label: &str, m: &DMatrix<f64>, scale: f64, column: impl Fn(usize, f64) -> Vec<Vec3>) {
    let e = 1e-5;
    for k in 0..m.ncols() {
        let (plus, minus) = (column(k, e), column(k, -e));
        for i in 0..m.nrows() {
            let wanted = (plus[i / 3][i % 3] - minus[i / 3][i % 3]) / (2.0 * e);
            assert!((m[(i, k)] - wanted).abs() < 2e-8 * scale, "{label}: ({i}, {k}) {} {wanted}", m[(i, k)]);
        }
    }
}

#[test]
fn forces_are_gradients_and_tangents_are_exact() {
    let mut rng = Random(77);
    for viscosity in [0.0, 0.3] {
        for sample in samples(&mut rng, viscosity, 1.0) {
            let (element, n) = (&sample.element, sample.reference.len());
            let x = moved(&mut rng, &sample.reference, 0.1);
            let xdot: Vec<Vec3> = (0..n).map(|_| rng.vector()).collect();
            let still = vec![Vec3::zeros(); n];
            let f = force(element, &x, &still);
            let scale = 1.0 + f.iter().map(|f| f.norm()).fold(0.0, f64::max);
            let e = 1e-5;
            for k in 0..3 * n {
                let v = |by: f64| element.potential(&motion(&shifted(&x, k, by), &still));
                let wanted = -(v(e) - v(-e)) / (2.0 * e);
                assert!((f[k / 3][k % 3] - wanted).abs() < 1e-8 * scale, "{}: {k}", sample.name);
            }
            assert_eq!(element.sees_velocity(), viscosity > 0.0);
            let (mut k, mut c) = (Blocks::default(), Blocks::default());
            element.tangent(&motion(&x, &xdot), &mut k, &mut c);
            let (k, c) = (dense(n, &k), dense(n, &c));
            let scale = k.amax();
            compare(sample.name, &k, scale, |j, e| force(element, &shifted(&x, j, e), &xdot));
            if viscosity > 0.0 {
                compare(sample.name, &c, scale, |j, e| force(element, &x, &shifted(&xdot, j, e)));
                // Power of the viscous part.
                let drag = force(element, &x, &xdot).iter().zip(&f).map(|(a, b)| a - b).collect::<Vec<_>>();
                let power: f64 = drag.iter().zip(&xdot).map(|(f, v)| f.dot(v)).sum();
                let told = element.power(&motion(&x, &xdot)).dissipated;
                assert!(told > 0.0 && (told + power).abs() < 1e-12 * told, "{}", sample.name);
            }
        }
    }
}

/// E = 70: energy and force of a rigid motion are below 1e-11 of that, the tangent has six zeros.
#[test]
fn rigid_motion_is_free() {
    let mut rng = Random(5);
    for sample in samples(&mut rng, 0.2, 0.0) {
        let (element, n) = (&sample.element, sample.reference.len());
        let x = turned(&mut rng, &sample.reference, vectors_of(sample.name));
        let spin = rng.vector();
        let (shift, vectors) = (rng.vector(), vectors_of(sample.name));
        let xdot: Vec<Vec3> = (0..n)
            .map(|k| spin.cross(&x[k]) + if k % vectors == 0 { shift } else { Vec3::zeros() })
            .collect();
        let energy = element.potential(&motion(&x, &xdot));
        let f = force(element, &x, &xdot);
        let largest = f.iter().map(|f| f.norm()).fold(0.0, f64::max);
        assert!(energy.abs() < 70e-11 && largest < 70e-11, "{}: {energy:e} {largest:e}", sample.name);
        let (mut k, mut c) = (Blocks::default(), Blocks::default());
        let still = vec![Vec3::zeros(); n];
        element.tangent(&motion(&x, &still), &mut k, &mut c);
        let mut values: Vec<f64> = (-dense(n, &k)).symmetric_eigenvalues().iter().copied().collect();
        values.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
        let top = values[values.len() - 1];
        println!("{}: {:.2e} {:?}", sample.name, top, &values[..9]);
        assert!(values[5].abs() < 1e-10 * top && values[6] > 1e-6 * top, "{}: {values:?}", sample.name);
    }
}

/// Mass: translations see all of it, and it is symmetric and positive.
#[test]
fn mass_is_that_of_the_body() {
    let mut rng = Random(9);
    for sample in samples(&mut rng, 0.0, 0.0) {
        let (n, vectors) = (sample.reference.len(), vectors_of(sample.name));
        let m = DMatrix::from_fn(n, n, |a, b| sample.inertia.coefficient(a, b));
        let whole: f64 = (0..n * n)
            .map(|k| (k / n, k % n))
            .filter(|(a, b)| a % vectors == 0 && b % vectors == 0)
            .map(|k| m[k])
            .sum();
        assert!((&m - m.transpose()).amax() == 0.0);
        assert!(m.symmetric_eigenvalues().min() > 0.0, "{}", sample.name);
        assert!(whole > 0.01 && whole < 4.0, "{}: {whole}", sample.name);
    }
}

/// Over a step: work and energy balance, no resultant and no moment about the mean, exact derivative.
#[test]
fn steps_conserve() {
    let mut rng = Random(31);
    for (viscosity, dissipation) in [(0.0, 0.0), (0.3, 0.2)] {
        for sample in samples(&mut rng, viscosity, 1.0) {
            let (element, n) = (&sample.element, sample.reference.len());
            let vectors = vectors_of(sample.name);
            let from = moved(&mut rng, &sample.reference, 0.05);
            for turn in [1e-6, 0.02, 1.0] {
                let target = if turn == 1.0 { turned(&mut rng, &from, vectors) } else { from.clone() };
                let to = moved(&mut rng, &target, 0.1 * turn);
                let h = 0.1;
                let discrete = |to: &[Vec3]| -> (Vec<Vec3>, Power, DMatrix<f64>) {
                    let mean: Vec<Vec3> = from.iter().zip(to).map(|(a, b)| (a + b) * 0.5).collect();
                    let rate: Vec<Vec3> = from.iter().zip(to).map(|(a, b)| (b - a) / h).collect();
                    let step = StepEnds {
                        t: 0.0,
                        h,
                        span: LawSpan::ALL,
                        from: &from,
                        to,
                        mean: &mean,
                        rate: &rate,
                        memory: &[],
                        reactions: &[],
                        dissipation,
                    };
                    let mut f = vec![Vec3::zeros(); n];
                    element.discrete_force(&step, &mut f);
                    let (mut k, mut c) = (Blocks::default(), Blocks::default());
                    element.discrete_tangent(&step, &mut k, &mut c);
                    (f, element.discrete_work(&step), dense(n, &k))
                };
                let (f, power, k) = discrete(&to);
                let largest = f.iter().map(|f| f.norm()).fold(1.0, f64::max);
                let work: f64 = (0..n).map(|a| f[a].dot(&(to[a] - from[a]))).sum();
                let still = vec![Vec3::zeros(); n];
                let energy = |x: &[Vec3]| element.potential(&motion(x, &still));
                let balance = work + energy(&to) - energy(&from) + power.dissipated;
                assert!(balance.abs() < 1e-12 * largest, "{} {turn}: {balance:e} of {work:e}", sample.name);
                assert!((power.dissipated > 0.0) == (viscosity > 0.0) && power.supplied == 0.0);
                let whole: Vec3 = f.iter().step_by(vectors).sum();
                let moment: Vec3 = (0..n).map(|a| ((from[a] + to[a]) * 0.5).cross(&f[a])).sum();
                assert!(whole.norm() < 1e-12 * largest, "{} {turn}", sample.name);
                assert!(moment.norm() < 1e-11 * largest, "{} {turn}: {moment}", sample.name);
                if turn != 1e-6 {
                    compare(sample.name, &k, k.amax(), |j, e| discrete(&shifted(&to, j, e)).0);
                }
            }
        }
    }
}
