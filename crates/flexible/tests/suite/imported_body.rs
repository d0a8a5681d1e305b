//! Bodies made of matrices, and what is found out about them.

use super::matrix_files::{bytes, calculix};
use poinsot_flexible::{
    BodyMatrices, Component, Doubt, FullBody, ImportError, MassProducts, MatrixInput, NodeTable,
    ProductsFrom, UnknownLabel, check_body, import_body, read_inp, read_node_csv,
};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_numerics::SymmetricMatrix;
use std::f64::consts::TAU;

/// A block of 0.4 × 0.1 × 0.1 m of steel, by CalculiX.
fn block() -> BodyMatrices {
    let nodes = read_inp("block.inp", &bytes("block.inp"), &mut |_| Err("".into())).unwrap().node_table();
    BodyMatrices {
        mass: calculix("block.mas"),
        stiffness: calculix("block.sti"),
        damping: None,
        nodes,
        labels: None,
    }
}

fn scaled(matrix: &SymmetricMatrix, factor: f64) -> SymmetricMatrix {
    SymmetricMatrix::from_entries(matrix.size(), matrix.entries().map(|(i, j, value)| (i, j, factor * value)))
}

fn plain(size: usize, entries: Vec<(usize, usize, f64)>) -> MatrixInput {
    MatrixInput { matrix: SymmetricMatrix::from_entries(size, entries.into_iter()), labels: None }
}

#[test]
fn a_solid_has_exact_products_of_inertia() {
    let imported = import_body(&block()).unwrap();
    assert_eq!(imported.products_from, ProductsFrom::Nodes);
    assert_eq!(imported.node_labels[11], 22);
    let check = check_body(&imported.body);
    assert!(check.doubts.is_empty(), "{:?}", check.doubts);
    // m = 7800 · 0.4 · 0.1 · 0.1; of a box (m/12)(b² + c²).
    assert!((check.mass - 31.2).abs() < 1e-10);
    assert!((check.centre - Vec3::new(0.2, 0.05, 0.05)).norm() < 1e-12);
    let inertia = Mat3::from_diagonal(&Vec3::new(0.052, 0.442, 0.442));
    assert!((check.inertia - inertia).norm() < 1e-10, "{}", check.inertia);
    assert_eq!((check.rigid_motions, check.zero_modes), (6, Some(6)));
    // The same matrices in SciPy: scipy.linalg.eigh(K, M).
    for (found, known) in check.frequencies.iter().zip([4435.33508, 5034.64527, 5034.64527, 7110.55781]) {
        assert!((found - known).abs() < 1e-5 * known, "{:?}", check.frequencies);
    }
    let speed = check.wave_speed.unwrap();
    assert!((2000.0..20000.0).contains(&speed), "{speed}");
    // Sums over all unknowns: the field X itself has the moments ∫ρ X Xᵀ.
    let FullBody { unknowns, nodes, moments, second_moment, .. } = &imported.body;
    let mut sum = Mat3::zeros();
    for (a, unknown) in unknowns.iter().enumerate() {
        let Component::Translation(axis) = unknown.component else { panic!("no rotations") };
        sum += nodes[unknown.node][axis] * Mat3::from_column_slice(moments.column(a).as_slice());
    }
    assert!((sum - second_moment).norm() < 1e-12);
}

#[test]
fn a_table_of_nodes_and_the_order_of_rows_are_enough() {
    let mut matrices = block();
    matrices.mass.labels = None;
    matrices.stiffness.labels = None;
    matrices.nodes = read_node_csv("nodes.csv", &bytes("nodes.csv")).unwrap();
    let plain = import_body(&matrices).unwrap().body;
    let labelled = import_body(&block()).unwrap().body;
    assert_eq!((&plain.unknowns, &plain.nodes), (&labelled.unknowns, &labelled.nodes));
    assert_eq!(plain.mass, labelled.mass);
    matrices.nodes.labels.pop();
    matrices.nodes.places.pop();
    assert_eq!(import_body(&matrices).unwrap_err(), ImportError::NoLabels { size: 36, nodes: 11 });
    let mut missing = block();
    missing.nodes.labels[3] = 1000;
    assert_eq!(import_body(&missing).unwrap_err(), ImportError::UnknownNode { label: 4 });
    let mut other = block();
    other.stiffness.labels = None;
    other.stiffness.matrix = scaled(&plain.mass, 1.0);
    other.damping = Some(self::plain(30, vec![(0, 0, 1.0)]));
    let expected = ImportError::Size { what: "the damping matrix", size: 30, expected: 36 };
    assert_eq!(import_body(&other).unwrap_err(), expected);
}

#[test]
fn damping_and_labels_in_another_order_follow_the_stiffness() {
    let mut matrices = block();
    // M with its rows backwards, and labels to match.
    let reversed = |input: &MatrixInput| {
        let n = input.matrix.size();
        let entries = input.matrix.entries().map(|(i, j, value)| (n - 1 - i, n - 1 - j, value));
        let labels: Vec<UnknownLabel> = input.labels.as_ref().unwrap().iter().rev().copied().collect();
        MatrixInput { matrix: SymmetricMatrix::from_entries(n, entries), labels: Some(labels) }
    };
    matrices.mass = reversed(&matrices.mass);
    matrices.damping = Some(reversed(&matrices.stiffness));
    let imported = import_body(&matrices).unwrap();
    assert_eq!(imported.body.mass, import_body(&block()).unwrap().body.mass);
    assert_eq!(imported.damping.unwrap(), imported.body.stiffness);
}

const MASS_OF_LENGTH: f64 = 7.8;
const BENDING: f64 = 175.0;
const POLAR: f64 = 1.3e-3;

/// A beam of length 1 along some axis, of Euler–Bernoulli elements with six unknowns of each node.
fn beam(elements: usize, axes: &Mat3) -> BodyMatrices {
    let l = 1.0 / elements as f64;
    let n = 6 * (elements + 1);
    let rotation =
        nalgebra::DMatrix::from_fn(12, 12, |i, j| if i / 3 == j / 3 { axes[(i % 3, j % 3)] } else { 0.0 });
    let (mut m, mut k) = (nalgebra::DMatrix::zeros(12, 12), nalgebra::DMatrix::zeros(12, 12));
    let put = |matrix: &mut nalgebra::DMatrix<f64>,
               places: &[usize],
               signs: &[f64],
               values: &[f64],
               factor: f64| {
        let size = places.len();
        for a in 0..size {
            for b in 0..size {
                matrix[(places[a], places[b])] += signs[a] * signs[b] * factor * values[a * size + b];
            }
        }
    };
    let (ones, linear, pull) = ([1.0; 2], [2.0, 1.0, 1.0, 2.0], [1.0, -1.0, -1.0, 1.0]);
    put(&mut m, &[0, 6], &ones, &linear, MASS_OF_LENGTH * l / 6.0);
    put(&mut m, &[3, 9], &ones, &linear, POLAR * l / 6.0);
    put(&mut k, &[0, 6], &ones, &pull, 2.1e8 / l);
    put(&mut k, &[3, 9], &ones, &pull, 130.0 / l);
    #[rustfmt::skip]
    let bent_mass = [
        156.0, 22.0 * l, 54.0, -13.0 * l, 22.0 * l, 4.0 * l * l, 13.0 * l, -3.0 * l * l,
        54.0, 13.0 * l, 156.0, -22.0 * l, -13.0 * l, -3.0 * l * l, -22.0 * l, 4.0 * l * l,
    ];
    #[rustfmt::skip]
    let bent = [
        12.0, 6.0 * l, -12.0, 6.0 * l, 6.0 * l, 4.0 * l * l, -6.0 * l, 2.0 * l * l,
        -12.0, -6.0 * l, 12.0, -6.0 * l, 6.0 * l, 2.0 * l * l, -6.0 * l, 4.0 * l * l,
    ];
    // v with θ_z = v′, w with θ_y = −w′.
    for (places, signs) in [([1, 5, 7, 11], [1.0; 4]), ([2, 4, 8, 10], [1.0, -1.0, 1.0, -1.0])] {
        put(&mut m, &places, &signs, &bent_mass, MASS_OF_LENGTH * l / 420.0);
        put(&mut k, &places, &signs, &bent, BENDING / l.powi(3));
    }
    let turned = |matrix: &nalgebra::DMatrix<f64>| {
        let turned = &rotation * matrix * rotation.transpose();
        let mut entries = vec![];
        for element in 0..elements {
            for i in 0..12 {
                entries.extend((0..=i).map(|j| (6 * element + i, 6 * element + j, turned[(i, j)])));
            }
        }
        plain(n, entries)
    };
    let places = (0..=elements).map(|k| axes * Vec3::new(k as f64 * l, 0.0, 0.0)).collect();
    let nodes = NodeTable { labels: (1..=elements as u64 + 1).collect(), places };
    BodyMatrices { mass: turned(&m), stiffness: turned(&k), damping: None, nodes, labels: None }
}

#[test]
fn a_beam_keeps_mass_centre_inertia_and_frequencies() {
    let x = Vec3::new(2.0, -1.0, 0.5).normalize();
    let y = x.cross(&Vec3::new(0.0, 0.3, 1.0)).normalize();
    let turned = Mat3::from_columns(&[x, y, x.cross(&y)]);
    for axes in [Mat3::identity(), turned] {
        let imported = import_body(&beam(8, &axes)).unwrap();
        assert_eq!(imported.products_from, ProductsFrom::Blocks);
        let body = &imported.body;
        let check = check_body(body);
        assert!(check.doubts.is_empty(), "{:?}", check.doubts);
        assert!((check.mass - MASS_OF_LENGTH).abs() < 1e-12);
        assert!((check.centre - axes * Vec3::new(0.5, 0.0, 0.0)).norm() < 1e-12, "{:?}", check.centre);
        // A rod: μ/12 across, and the inertia of its sections along it; none of the sections across.
        let across = MASS_OF_LENGTH / 12.0;
        let inertia = axes * Mat3::from_diagonal(&Vec3::new(POLAR, across, across)) * axes.transpose();
        assert!((check.inertia - inertia).norm() < 1e-11, "{}", check.inertia);
        // Free at both ends: β₁ L = 4.7300407.
        let first = 4.7300407f64.powi(2) * (BENDING / MASS_OF_LENGTH).sqrt() / TAU;
        assert!((check.frequencies[0] - first).abs() < 2e-4 * first, "{:?}", check.frequencies);
        // tr P_ab = M_ab for all pairs.
        let MassProducts::Pairs(pairs) = &body.products else { panic!("no pairs") };
        let traces = pairs.iter().map(|(a, b, p)| (*b, *a, p.trace())).collect::<Vec<_>>();
        let both = body.mass.entries().chain(traces.into_iter().map(|(i, j, value)| (i, j, -value)));
        let both: Vec<_> = both.collect();
        let rest = SymmetricMatrix::from_entries(body.mass.size(), both.into_iter());
        let worst = rest.entries().map(|(.., value)| value.abs()).fold(0.0, f64::max);
        assert!(worst < 1e-14, "{worst}");
        // A displacement along d and one along e: ∫ρ d eᵀ = m d eᵀ by all pairs.
        let (d, e) = (Vec3::new(0.3, -1.0, 0.7), Vec3::new(1.1, 0.2, -0.4));
        let value = |v: &Vec3, k: usize| match body.unknowns[k].component {
            Component::Translation(axis) => v[axis],
            Component::Rotation(_) => 0.0,
        };
        let mut sum = Mat3::zeros();
        for (a, b, p) in pairs {
            sum += value(&d, *a) * value(&e, *b) * p;
            if a != b {
                sum += value(&d, *b) * value(&e, *a) * p.transpose();
            }
        }
        assert!((sum - MASS_OF_LENGTH * d * e.transpose()).norm() < 1e-12, "{sum}");
    }
}

#[test]
fn products_of_a_beam_along_an_axis_have_the_directions_of_its_fields() {
    let body = import_body(&beam(1, &Mat3::identity())).unwrap().body;
    let MassProducts::Pairs(pairs) = &body.products else { panic!("no pairs") };
    let of =
        |a: usize, b: usize| pairs.iter().find(|(i, j, _)| (*i, *j) == (a, b)).map_or(Mat3::zeros(), |p| p.2);
    let at = |i: usize, j: usize| Mat3::from_fn(|a, b| f64::from(u8::from((a, b) == (i, j))));
    let m = MASS_OF_LENGTH / 420.0;
    // v with itself and with θ_z, w with θ_y: along y and z.
    assert!((of(1, 1) - 156.0 * m * at(1, 1)).norm() < 1e-12);
    assert!((of(1, 5) - 22.0 * m * at(1, 1)).norm() < 1e-12);
    assert!((of(2, 4) + 22.0 * m * at(2, 2)).norm() < 1e-12);
    assert!((of(1, 2) - 156.0 * m * at(1, 2)).norm() < 1e-12);
    // θ_z: mostly along y; the rotary inertia of the section adds a little that has no direction.
    assert!((of(5, 5) - 4.0 * m * at(1, 1)).norm() < 2.0 * POLAR);
}

fn doubts(matrices: &BodyMatrices) -> Vec<Doubt> {
    check_body(&import_body(matrices).unwrap().body).doubts
}

#[test]
fn supports_in_the_matrices_are_told() {
    let mut held = block();
    let labels = held.stiffness.labels.clone();
    let spring = [(0, 0, 1e9), (1, 1, 1e9), (2, 2, 1e9)];
    let entries: Vec<_> = held.stiffness.matrix.entries().chain(spring).collect();
    held.stiffness = MatrixInput { labels, ..plain(36, entries) };
    let found = doubts(&held);
    assert!(found.iter().any(|doubt| matches!(doubt, Doubt::Held { motion: 0, .. })), "{found:?}");
    assert!(found.contains(&Doubt::Fixed { found: 3, rigid: 6 }), "{found:?}");
    // Rows of a support that were taken out.
    let mut cut = beam(4, &Mat3::identity());
    let kept = |input: &MatrixInput| {
        let entries = input.matrix.entries().filter(|(i, j, _)| *i >= 1 && *j >= 1);
        plain(29, entries.map(|(i, j, value)| (i - 1, j - 1, value)).collect())
    };
    let component = |k: usize| if k < 3 { Component::Translation(k) } else { Component::Rotation(k - 3) };
    cut.labels = Some(
        (1..30).map(|k| UnknownLabel { node: k / 6 + 1, component: component(k as usize % 6) }).collect(),
    );
    (cut.mass, cut.stiffness) = (kept(&cut.mass), kept(&cut.stiffness));
    let error = import_body(&cut).unwrap_err();
    assert!(matches!(error, ImportError::NotFree { along } if along[0] < along[1]), "{error}");
}

#[test]
fn loose_parts_and_negative_stiffness_are_told() {
    // Two blocks that are not joined.
    let one = block();
    let twice = |input: &MatrixInput| {
        let entries = input.matrix.entries();
        plain(72, entries.clone().chain(entries.map(|(i, j, value)| (i + 36, j + 36, value))).collect())
    };
    let places: Vec<Vec3> =
        one.nodes.places.iter().copied().chain(one.nodes.places.iter().map(|x| x.add_scalar(1.0))).collect();
    let nodes = NodeTable { labels: (1..=24).collect(), places };
    let two = BodyMatrices {
        mass: twice(&one.mass),
        stiffness: twice(&one.stiffness),
        damping: None,
        nodes,
        labels: None,
    };
    assert_eq!(doubts(&two), [Doubt::Loose { found: 10, rigid: 6 }]);
    let mut negative = block();
    negative.stiffness.matrix = scaled(&negative.stiffness.matrix, -1.0);
    assert!(
        doubts(&negative).iter().any(|doubt| matches!(doubt, Doubt::Stiffness { .. } | Doubt::Unknown(_)))
    );
    let mut soft = block();
    let entries: Vec<_> = soft.stiffness.matrix.entries().chain([(4, 4, -2e10)]).collect();
    soft.stiffness.matrix = SymmetricMatrix::from_entries(36, entries.into_iter());
    let found = doubts(&soft);
    assert!(found.iter().any(|doubt| matches!(doubt, Doubt::Stiffness { negative: 1 })), "{found:?}");
}

#[test]
fn units_that_do_not_fit_are_told() {
    // mm, t, MPa: stiffness in N/mm, mass in t.
    let mut small = block();
    small.nodes.places.iter_mut().for_each(|x| *x *= 1e3);
    small.stiffness.matrix = scaled(&small.stiffness.matrix, 1e-3);
    small.mass.matrix = scaled(&small.mass.matrix, 1e-3);
    let words: Vec<String> = doubts(&small).iter().map(ToString::to_string).collect();
    assert!(
        words.iter().any(|text| text.contains("multiply places by 1e-3, both matrices by 1e3")),
        "{words:?}"
    );
    // A mesh in mm with Pa and kg/m³: a body of 400 m.
    let mut large = block();
    large.nodes.places.iter_mut().for_each(|x| *x *= 1e3);
    large.stiffness.matrix = scaled(&large.stiffness.matrix, 1e3);
    large.mass.matrix = scaled(&large.mass.matrix, 1e9);
    let words: Vec<String> = doubts(&large).iter().map(ToString::to_string).collect();
    let doubt = "the body is 400.000 m long and has a mass of 3.120e10 kg: is the mesh in mm? Its frequencies \
                 are then a thousand times too low";
    assert_eq!(words, [doubt]);
}
