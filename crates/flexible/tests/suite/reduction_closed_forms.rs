//! Beams against closed forms and the numbers of floating-frame-and-ancf V33, V53.

use crate::reduction_bodies::{Beam, close, gauss};
use nalgebra::DMatrix;
use poinsot_flexible::reduction::{
    Damping, InterfaceRequest, LineSection, LineShape, Method, ModeChoice, Reduction, Reference, RitzBody,
    RitzLine, inertia_integrals, reduce, ritz_body,
};
use poinsot_flexible::{Component, FullBody, InertiaIntegrals, MassProducts, Unknown};
use poinsot_geometry::{Mat3, Vec3};
use std::f64::consts::{PI, TAU};

fn request(method: Method, reference: Reference) -> Reduction {
    Reduction { interfaces: vec![], method, reference, damping: Damping::None, compare: 0 }
}

/// Circular frequencies of the shapes.
fn omegas(body: &FullBody, request: &Reduction) -> Vec<f64> {
    reduce(body, request).unwrap().report.frequencies.iter().map(|frequency| frequency * TAU).collect()
}

fn simply_supported(body: &FullBody) -> Reference {
    let last = body.nodes.len() - 1;
    let held = [(0, 0), (0, 1), (last, 1)];
    Reference::Held(
        held.map(|(node, axis)| Unknown { node, component: Component::Translation(axis) }).to_vec(),
    )
}

#[test]
fn free_beam() {
    let method = Method::Free { modes: ModeChoice::Count(3), corrections: 0 };
    let found = omegas(&Beam::unit(40).planar(), &request(method, Reference::MeanAxis));
    for (found, beta) in found.iter().zip([4.730040744862704_f64, 7.853204624095838, 10.99560783800167]) {
        close(*found, beta * beta, 1e-5);
    }
}

#[test]
fn simply_supported_beam() {
    let body = Beam::unit(40).planar();
    let method = Method::Supported { modes: ModeChoice::Count(3), corrections: 0 };
    let found = omegas(&body, &request(method, simply_supported(&body)));
    for (found, n) in found.iter().zip(1..) {
        close(*found, (f64::from(n) * PI).powi(2), 1e-5);
    }
}

#[test]
fn cantilever_beam_held_at_an_interface() {
    let body = Beam::unit(40).planar();
    let method = Method::Supported { modes: ModeChoice::Count(3), corrections: 0 };
    let mut request = request(method, Reference::Interface("root".into()));
    request.interfaces = vec![InterfaceRequest::rigid("root", &[0])];
    let found = omegas(&body, &request);
    for (found, beta) in found.iter().zip([1.875104068711961_f64, 4.694091132974175, 7.854757438237613]) {
        close(*found, beta * beta, 1e-5);
    }
    // The same with a mean interface, which is the node itself.
    request.interfaces = vec![InterfaceRequest::mean("root", &[0])];
    for (mean, rigid) in omegas(&body, &request).iter().zip(&found) {
        close(*mean, *rigid, 1e-9);
    }
}

/// Bending, twist and stretch of a beam in space, free.
#[test]
fn free_beam_in_space() {
    let (width, height, e, density) = (0.01, 0.02, 2e11, 7800.0);
    let beam = Beam { length: 1.0, elements: 40, axial: 0.0, bending: 0.0, line_mass: 0.0 };
    let body = beam.spatial(width, height, e, density);
    let method = Method::Free { modes: ModeChoice::UpTo(3000.0), corrections: 0 };
    let reduced = reduce(&body, &request(method, Reference::MeanAxis)).unwrap();
    let found = &reduced.report.frequencies;
    let has = |omega: f64, tolerance: f64| {
        let nearest = found.iter().map(|f| (f * TAU - omega).abs() / omega).fold(f64::MAX, f64::min);
        assert!(nearest < tolerance, "{omega} is missed by {nearest}: {found:?}");
    };
    for side in [width, height] {
        // Rotary inertia lowers them by less than (side/length)² β²/24.
        let slender = (e * side * side / 12.0 / density).sqrt();
        has(slender * 4.730040744862704_f64.powi(2), 2e-3);
        has(slender * 7.853204624095838_f64.powi(2), 5e-3);
    }
    has(PI * (e / 2.6 / density).sqrt(), 1e-3);
    has(PI * (e / density).sqrt(), 1e-3);
    let inertia = &reduced.body.inertia;
    close(inertia.mass, width * height * density, 1e-12);
    // The section has its own inertia: a straight beam is no line.
    close(inertia.second_moment[(1, 1)], inertia.mass * width * width / 12.0, 1e-12);
    assert!((inertia.shape_mass() - DMatrix::identity(found.len(), found.len())).amax() < 1e-9);
}

/// C15: a beam held at one interface, of which six inner vibrations give the first two frequencies to 1e-6.
#[test]
fn six_inner_modes_of_a_cantilever() {
    let body = Beam { axial: 1e6, ..Beam::unit(40) }.planar();
    for reference in [Reference::MeanAxis, Reference::FirstInterface] {
        let mut request = request(Method::CraigBampton(ModeChoice::Count(6)), reference);
        request.interfaces = vec![InterfaceRequest::rigid("root", &[0])];
        request.compare = 4;
        let held = reduce(&body, &request).unwrap().report.held.unwrap();
        for (k, beta) in [1.875104068711961_f64, 4.694091132974175].into_iter().enumerate() {
            close(held.reduced[k], held.full[k], 1e-6);
            close(held.reduced[k] * TAU, beta * beta, 1e-6);
        }
    }
}

/// Two interfaces: held vibrations and statics are kept, those of the free beam come near as modes are added.
#[test]
fn inner_modes_of_a_beam_with_two_interfaces() {
    let body = Beam { axial: 1e6, ..Beam::unit(40) }.planar();
    let deviation = |modes: usize| {
        let mut request = request(Method::CraigBampton(ModeChoice::Count(modes)), Reference::MeanAxis);
        request.interfaces = vec![InterfaceRequest::rigid("a", &[0]), InterfaceRequest::rigid("b", &[40])];
        request.compare = 4;
        let reduced = reduce(&body, &request).unwrap();
        // Three motions at each end, less three rigid ones.
        assert_eq!(reduced.body.size(), 3 + modes);
        let held = reduced.report.held.as_ref().unwrap();
        (0..4).for_each(|k| close(held.reduced[k], held.full[k], 1e-9));
        assert!(reduced.report.static_error.unwrap() < 1e-10, "{:?}", reduced.report.static_error);
        let free = reduced.report.free.as_ref().unwrap();
        (0..2).for_each(|k| close(free.full[k] * TAU, [22.373285448061, 61.672822867917][k], 1e-5));
        let mac = reduced.report.mac.as_ref().unwrap();
        (0..2).for_each(|k| assert!((mac[(k, k)] - 1.0).abs() < 1e-3));
        assert!(mac[(0, 1)] < 1e-9);
        (free.reduced[0] - free.full[0]) / free.full[0]
    };
    let (few, many) = (deviation(6), deviation(12));
    assert!(few < 1e-4 && many < 0.2 * few && many > 0.0, "{few} {many}");
}

/// V53: the frequencies of crank and rod with their meshes, to all digits.
#[test]
fn slider_crank_frequencies() {
    let beam = |length: f64, elements: usize, e: f64| Beam {
        length,
        elements,
        axial: e * 7.854e-5,
        bending: e * 4.909e-10,
        line_mass: 2770.0 * 7.854e-5,
    };
    let cases = [
        (beam(0.152, 3, 1e9), vec![642.207, 2597.09, 6280.36]),
        (beam(0.304, 8, 0.5e8), vec![35.8720, 143.523, 323.258, 576.208, 695.327]),
    ];
    for (beam, expected) in cases {
        let body = beam.planar();
        let method = Method::Supported { modes: ModeChoice::Count(expected.len()), corrections: 0 };
        for (found, expected) in omegas(&body, &request(method, simply_supported(&body))).iter().zip(expected)
        {
            close(*found, expected, 1e-5);
        }
    }
}

/// V33: integrals of a cantilever of one element.
#[test]
fn integrals_of_one_element() {
    let (m, l) = (1.236, 0.5);
    let body = Beam { length: l, line_mass: m / l, ..Beam::unit(1) }.planar();
    let mut shapes = DMatrix::zeros(6, 3);
    (0..3).for_each(|k| shapes[(3 + k, k)] = 1.0);
    let integrals = inertia_integrals(&body, &shapes);
    let mean = [Vec3::new(0.5, 0.0, 0.0), Vec3::new(0.0, 0.5, 0.0), Vec3::new(0.0, -l / 12.0, 0.0)];
    (0..3).for_each(|k| assert!((integrals.mean[k] - mean[k] * m).norm() < 1e-14));
    let expected = DMatrix::from_row_slice(
        3,
        3,
        &[1.0 / 3.0, 0.0, 0.0, 0.0, 13.0 / 35.0, -11.0 * l / 210.0, 0.0, -11.0 * l / 210.0, l * l / 105.0],
    ) * m;
    assert!((integrals.shape_mass() - expected).amax() < 1e-14);
    let skew =
        |k: usize, l: usize| integrals.products[3 * k + l][(0, 1)] - integrals.products[3 * k + l][(1, 0)];
    close(skew(0, 1), 7.0 * m / 20.0, 1e-13);
    close(skew(0, 2), -m * l / 20.0, 1e-13);
    close(skew(1, 0), -7.0 * m / 20.0, 1e-13);
    // ∫ρ x S_k: the load of a spin.
    close(integrals.moments[0][(0, 0)], m * l / 3.0, 1e-13);
    close(integrals.moments[1][(1, 0)], 7.0 * m * l / 20.0, 1e-13);
}

/// V33: sines as shape functions, given by their integrals.
#[test]
fn ritz_body_of_sines() {
    let (m, l, ea, ei) = (1.236, 0.5, 1e5, 2.0);
    let shapes =
        |xi: f64| [Vec3::x() * (PI * xi).sin(), Vec3::y() * (PI * xi).sin(), Vec3::y() * (TAU * xi).sin()];
    let mut inertia = InertiaIntegrals {
        mass: m,
        first_moment: Vec3::new(m * l / 2.0, 0.0, 0.0),
        second_moment: Mat3::from_diagonal(&Vec3::new(m * l * l / 3.0, 0.0, 0.0)),
        mean: vec![Vec3::zeros(); 3],
        moments: vec![Mat3::zeros(); 3],
        products: vec![Mat3::zeros(); 9],
    };
    let cells = 50;
    for cell in 0..cells {
        for (xi, w) in gauss() {
            let (xi, w) = ((f64::from(cell) + xi) / f64::from(cells), w * m / f64::from(cells));
            let s = shapes(xi);
            for k in 0..3 {
                inertia.mean[k] += s[k] * w;
                inertia.moments[k] += s[k] * Vec3::new(l * xi, 0.0, 0.0).transpose() * w;
                (0..3).for_each(|j| inertia.products[3 * k + j] += s[k] * s[j].transpose() * w);
            }
        }
    }
    assert!((inertia.mean[0] - Vec3::x() * (2.0 * m / PI)).norm() < 1e-12);
    assert!(inertia.mean[2].norm() < 1e-12);
    assert!((inertia.shape_mass() - DMatrix::identity(3, 3) * (m / 2.0)).amax() < 1e-12);
    close(inertia.products[1][(0, 1)] - inertia.products[1][(1, 0)], m / 2.0, 1e-12);
    close(inertia.angular(&Vec3::zeros())[1].z, m * l / PI, 1e-12);
    close(inertia.angular(&Vec3::zeros())[2].z, -m * l / TAU, 1e-12);
    let k =
        [PI.powi(2) * ea / (2.0 * l), PI.powi(4) * ei / (2.0 * l.powi(3)), 8.0 * PI.powi(4) * ei / l.powi(3)];
    let given = RitzBody {
        inertia,
        stiffness: DMatrix::from_diagonal(&nalgebra::DVector::from_row_slice(&k)),
        interfaces: vec![],
        nodes: vec![],
        shapes: DMatrix::zeros(0, 3),
        damping: Damping::Ratio(0.01),
    };
    let body = ritz_body(given.clone()).unwrap();
    // d = 2 ζ √(k m_ff)
    close(body.damping[(1, 1)], 0.02 * (k[1] * m / 2.0).sqrt(), 1e-12);
    let mut soft = given.clone();
    soft.stiffness[(2, 2)] = 0.0;
    assert!(ritz_body(soft).unwrap_err().to_string().contains("rigid motion"));
    let mut torn = given;
    torn.inertia.products[1] *= 2.0;
    assert!(ritz_body(torn).unwrap_err().to_string().contains("transposes"));
}

/// The products that are summed over pairs are those of the mass matrix.
#[test]
fn products_of_a_beam_are_its_mass_matrix() {
    let body = Beam::unit(3).planar();
    let MassProducts::Pairs(pairs) = &body.products else { panic!("pairs") };
    let unit = DMatrix::identity(12, 12);
    let integrals = inertia_integrals(&body, &unit);
    let mass = integrals.shape_mass();
    for (a, b, value) in pairs {
        close(mass[(*a, *b)] + 1.0, value.trace() + 1.0, 1e-14);
        assert!((integrals.products[a * 12 + b] - value).amax() < 1e-15);
    }
}

/// V30, V31 and V33: integrals and stiffness of shape functions of x. Sections are thin here; their rotation
/// adds ρI ∫v_k' v_l' to the mass.
#[test]
fn shape_functions_of_x() {
    let (m, l, area, bending) = (1.236, 0.5, 1e-2, 1e-9);
    let young = 2e9;
    let section = |_: f64| LineSection {
        area,
        inertia_y: bending,
        inertia_z: bending,
        torsion: bending,
        young,
        shear: 0.4 * young,
        density: m / (area * l),
    };
    let along = |k: usize, [value, slope, curvature]: [f64; 3]| {
        let mut shape = LineShape::default();
        (shape.value[k], shape.slope[k], shape.curvature[k]) = (value, slope, curvature);
        shape
    };
    let body = |shapes: &dyn Fn(f64) -> Vec<LineShape>| {
        let interfaces = [("tip".to_owned(), Vec3::new(l, 0.01, 0.0))];
        let line = RitzLine {
            length: l,
            section: &section,
            shapes,
            interfaces: &interfaces,
            points: 3,
            damping: Damping::None,
        };
        ritz_body(line.body()).unwrap()
    };
    // S = diag(ξ, 3ξ² − 2ξ³).
    let cantilever = body(&|x| {
        let xi = x / l;
        let bend =
            [3.0 * xi * xi - 2.0 * xi.powi(3), 6.0 * (xi - xi * xi) / l, 6.0 * (1.0 - 2.0 * xi) / (l * l)];
        vec![along(0, [xi, 1.0 / l, 0.0]), along(1, bend)]
    });
    let inertia = &cantilever.inertia;
    close(inertia.mass, m, 1e-12);
    close(inertia.first_moment.x, m * l / 2.0, 1e-12);
    close(inertia.second_moment[(0, 0)], m * l * l / 3.0, 1e-12);
    assert!((inertia.mean[0] - Vec3::x() * (m / 2.0)).norm() < 1e-13);
    assert!((inertia.mean[1] - Vec3::y() * (m / 2.0)).norm() < 1e-13);
    // ρI ∫v'², v' = 6(ξ − ξ²)/l.
    let rotary = m / (area * l) * bending * 6.0 / (5.0 * l);
    let mass = DMatrix::from_row_slice(2, 2, &[m / 3.0, 0.0, 0.0, 13.0 * m / 35.0 + rotary]);
    assert!((inertia.shape_mass() - mass).amax() < 1e-12);
    close(inertia.products[1][(0, 1)] - inertia.products[1][(1, 0)], 7.0 * m / 20.0, 1e-10);
    close(inertia.moments[0][(0, 0)], m * l / 3.0, 1e-12);
    // Sections that turn add ρI ∫v'.
    close(inertia.angular(&Vec3::zeros())[1].z, 7.0 * m * l / 20.0 + m / (area * l) * bending, 1e-12);
    close(cantilever.stiffness[(0, 0)], young * area / l, 1e-12);
    close(cantilever.stiffness[(1, 1)], 12.0 * young * bending / l.powi(3), 1e-12);
    // The tip turns by nothing and is displaced by the unit; y = 0.01 goes along.
    let tip = &cantilever.interfaces[0];
    assert!((tip.displacements[1] - Vec3::y()).norm() < 1e-13 && tip.rotations[1].norm() < 1e-13);
    assert!((cantilever.shapes.fixed_view::<3, 1>(6, 1) - Vec3::y()).norm() < 1e-13);

    // S = diag(sin πξ, sin πξ), and a rotation 1 − cos πξ.
    let sines = body(&|x| {
        let (s, c) = (PI * x / l).sin_cos();
        let (first, second) = (PI / l, (PI / l).powi(2));
        let sine = [s, first * c, -second * s];
        vec![along(0, sine), along(1, sine), along(3, [1.0 - c, first * s, second * c])]
    });
    close(sines.inertia.mean[0].x, 2.0 * m / PI, 1e-12);
    close(sines.inertia.shape_mass()[(0, 0)], m / 2.0, 1e-12);
    close(sines.inertia.angular(&Vec3::zeros())[1].z, m * l / PI, 1e-6);
    close(sines.stiffness[(0, 0)], PI.powi(2) * young * area / (2.0 * l), 1e-12);
    close(sines.stiffness[(1, 1)], PI.powi(4) * young * bending / (2.0 * l.powi(3)), 1e-12);
    close(sines.stiffness[(2, 2)], PI.powi(2) * 0.4 * young * bending / (2.0 * l), 1e-12);
    // The polar moment of the two second moments turns: ρ(I_y + I_z) ∫(1 − cos)² = 3/2 of it times l.
    close(sines.inertia.shape_mass()[(2, 2)], m / area * 2.0 * bending * 1.5, 1e-9);
    let tip = &sines.interfaces[0];
    assert!((tip.displacements[2] - Vec3::z() * 0.02).norm() < 1e-13);
    assert!((tip.rotations[2] - Vec3::x() * 2.0).norm() < 1e-13);
}

/// V32: the connecting rod of one element, simply supported; q_f = (slope at A, axial at B, slope at B).
#[test]
fn connecting_rod_of_one_element() {
    let (m, l) = (0.8, 0.6);
    let body = Beam { length: l, line_mass: m / l, ..Beam::unit(1) }.planar();
    let mut shapes = DMatrix::zeros(6, 3);
    [2, 3, 5].into_iter().enumerate().for_each(|(k, row)| shapes[(row, k)] = 1.0);
    let integrals = inertia_integrals(&body, &shapes);
    let mean = [Vec3::y() * l, Vec3::x() * 6.0, Vec3::y() * -l];
    (0..3).for_each(|k| assert!((integrals.mean[k] - mean[k] * (m / 12.0)).norm() < 1e-14));
    let (same, other) = (l * l / 105.0, -l * l / 140.0);
    let mass = DMatrix::from_row_slice(3, 3, &[same, 0.0, other, 0.0, 1.0 / 3.0, 0.0, other, 0.0, same]) * m;
    assert!((integrals.shape_mass() - mass).amax() < 1e-14);
    // S̃ = (ml/60) [[0, −2, 0], [2, 0, −3], [0, 3, 0]].
    let skew =
        |k: usize, j: usize| integrals.products[3 * k + j][(0, 1)] - integrals.products[3 * k + j][(1, 0)];
    for ((k, j), value) in [((0, 1), -2.0), ((1, 0), 2.0), ((1, 2), -3.0), ((2, 1), 3.0), ((0, 2), 0.0)] {
        assert!((skew(k, j) - value * m * l / 60.0).abs() < 1e-14, "{k} {j}");
    }
    close(integrals.angular(&Vec3::zeros())[0].z, m * l * l / 30.0, 1e-12);
    close(integrals.angular(&Vec3::zeros())[2].z, -m * l * l / 20.0, 1e-12);
    close(integrals.moments[1][(0, 0)], m * l / 3.0, 1e-12);
    let k = body
        .stiffness
        .entries()
        .map(|(i, j, value)| ((i, j), value))
        .collect::<std::collections::BTreeMap<_, _>>();
    for ((i, j), value) in [((2, 2), 4.0 / l), ((5, 5), 4.0 / l), ((5, 2), 2.0 / l), ((3, 3), 1e4 / l)] {
        close(k[&(i, j)], value, 1e-12);
    }
}
