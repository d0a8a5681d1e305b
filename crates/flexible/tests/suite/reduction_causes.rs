//! What cannot be reduced is refused with its cause.

use crate::reduction_bodies::{Beam, lattice, nodes_at, of_springs};
use poinsot_flexible::reduction::{
    Damping, InterfaceRequest, Method, ModeChoice, Reduction, ReductionError, Reference, reduce,
};
use poinsot_flexible::{Component, FullBody, Unknown};
use poinsot_geometry::Vec3;
use poinsot_numerics::SymmetricMatrix;

fn request(interfaces: Vec<InterfaceRequest>) -> Reduction {
    Reduction {
        method: Method::CraigBampton(ModeChoice::Count(2)),
        interfaces,
        reference: Reference::MeanAxis,
        damping: Damping::None,
        compare: 0,
    }
}

fn free(count: usize) -> Reduction {
    Reduction { method: Method::Free { modes: ModeChoice::Count(count), corrections: 0 }, ..request(vec![]) }
}

fn refusal(body: &FullBody, request: &Reduction) -> ReductionError {
    reduce(body, request).unwrap_err()
}

#[test]
fn a_body_in_two_parts() {
    // Two tetrahedra, far apart.
    let mut nodes = vec![];
    for x in [0.0, 5.0] {
        nodes.extend([Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()].map(|p| p + Vec3::x() * x));
    }
    let springs: Vec<_> = [0, 4]
        .iter()
        .flat_map(|f| [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].map(|(a, b)| (a + f, b + f)))
        .collect();
    let body = of_springs(nodes.clone(), &springs, &[1.0; 8], 100.0);
    assert_eq!(refusal(&body, &free(1)), ReductionError::Disconnected { parts: 2, first: 0, second: 4 });
    // A hinge: joined at one node, they swing.
    let mut joined = springs;
    joined.iter_mut().for_each(|pair| {
        if pair.0 == 4 {
            pair.0 = 1
        }
    });
    let order = |(a, b): (usize, usize)| (a.min(b), a.max(b));
    let joined: Vec<_> =
        joined.into_iter().map(order).map(|(a, b)| if b > 4 { (a, b - 1) } else { (a, b) }).collect();
    let joined: Vec<_> = joined.into_iter().map(|(a, b)| if a > 4 { (a - 1, b) } else { (a, b) }).collect();
    nodes.remove(4);
    let body = of_springs(nodes, &joined, &[1.0; 7], 100.0);
    let error = refusal(&body, &free(1));
    assert!(matches!(error, ReductionError::Mechanism { rigid: 6, .. }), "{error}");
}

/// A hinge in a large lattice: one node more that hangs on one spring, in bodies of several sizes.
#[test]
fn a_loose_node_is_named() {
    for counts in [[3, 3, 3], [8, 5, 5], [24, 8, 8]] {
        let solid = lattice(counts, false);
        let mut nodes = solid.nodes.clone();
        let loose = nodes.len();
        nodes.push(nodes[0] - Vec3::new(0.1, 0.03, 0.02));
        let near = |a: usize, b: usize| (nodes[a] - nodes[b]).amax() < 0.101;
        let reach = counts[1] * counts[2] + counts[2] + 3;
        let mut springs: Vec<(usize, usize)> =
            (0..loose).flat_map(|a| (a + 1..(a + reach).min(loose)).map(move |b| (a, b))).collect();
        springs.retain(|&(a, b)| near(a, b));
        springs.push((0, loose));
        let masses = vec![0.02; nodes.len()];
        let error = refusal(&of_springs(nodes, &springs, &masses, 1e5), &free(2));
        assert_eq!(error, ReductionError::Mechanism { node: loose, rigid: 6 }, "{error}");
    }
}

#[test]
fn interfaces_that_cannot_rotate() {
    let body = lattice([4, 3, 3], false);
    let error = refusal(&body, &request(vec![InterfaceRequest::rigid("pin", &[0])]));
    assert_eq!(error, ReductionError::OneNode { interface: "pin".into(), node: 0 });
    assert!(error.to_string().contains("three nodes or more"));
    let line = nodes_at(&body, |x| x.y < 0.01 && x.z < 0.01);
    for kind in [InterfaceRequest::rigid, InterfaceRequest::mean] {
        let error = refusal(&body, &request(vec![kind("edge", &line)]));
        assert_eq!(error, ReductionError::Collinear { interface: "edge".into(), nodes: 4 });
    }
    // A node of a beam rotates: one is enough.
    assert!(reduce(&Beam::unit(4).planar(), &request(vec![InterfaceRequest::rigid("end", &[0])])).is_ok());
}

#[test]
fn interfaces_that_are_wrong() {
    let body = lattice([4, 3, 3], false);
    let face = nodes_at(&body, |x| x.x < 0.01);
    let other = nodes_at(&body, |x| x.z < 0.01);
    let shared = vec![InterfaceRequest::rigid("a", &face), InterfaceRequest::mean("b", &other)];
    let error = refusal(&body, &request(shared));
    assert_eq!(error, ReductionError::SharedNode { first: "a".into(), second: "b".into(), node: 0 });
    let cases = [
        (InterfaceRequest::rigid("a", &[]), "no nodes"),
        (InterfaceRequest::rigid("a", &[0, 99]), "does not exist"),
        (InterfaceRequest::rigid("a", &[0, 1, 1]), "named twice"),
        (InterfaceRequest { weights: vec![1.0], ..InterfaceRequest::mean("a", &face) }, "1 weights"),
        (InterfaceRequest { weights: vec![-1.0; 9], ..InterfaceRequest::mean("a", &face) }, "positive"),
    ];
    for (interface, words) in cases {
        let error = refusal(&body, &request(vec![interface])).to_string();
        assert!(error.contains(words), "{error}");
    }
    let error = refusal(&body, &request(vec![])).to_string();
    assert!(error.contains("has none"), "{error}");
}

#[test]
fn references_that_do_not_hold() {
    let body = lattice([4, 3, 3], false);
    let at = |node: usize, axis: usize| Unknown { node, component: Component::Translation(axis) };
    let face = vec![InterfaceRequest::rigid("a", &nodes_at(&body, |x| x.x < 0.01))];
    let mut wrong = request(face);
    wrong.reference = Reference::Held(vec![at(20, 0), at(20, 1), at(20, 2)]);
    assert!(matches!(refusal(&body, &wrong), ReductionError::Reference { held: 3, rigid: 6, .. }));
    wrong.method = Method::Supported { modes: ModeChoice::Count(1), corrections: 0 };
    assert!(matches!(refusal(&body, &wrong), ReductionError::Reference { held: 3, rigid: 6, .. }));
    wrong.reference = Reference::Interface("b".into());
    assert!(refusal(&body, &wrong).to_string().contains("there are: a"));
    wrong.reference = Reference::MeanAxis;
    assert!(refusal(&body, &wrong).to_string().contains("need something held"));
    wrong.reference = Reference::Held(vec![Unknown { node: 0, component: Component::Rotation(1) }]);
    assert!(refusal(&body, &wrong).to_string().contains("no unknown"));
}

#[test]
fn matrices_that_are_not_of_a_free_body() {
    let mut body = lattice([4, 3, 3], false);
    body.stiffness = SymmetricMatrix::from_entries(108, body.stiffness.entries().chain([(4, 4, 1e4)]));
    assert!(matches!(
        refusal(&body, &free(2)),
        ReductionError::NotFree { motion: "a displacement along y", .. }
    ));
    let mut body = lattice([4, 3, 3], false);
    body.total_mass *= 1.01;
    assert!(matches!(refusal(&body, &free(2)), ReductionError::Mass { axis: 'x', .. }));
    let mut body = lattice([4, 3, 3], false);
    body.nodes[3].x = f64::NAN;
    assert!(matches!(refusal(&body, &free(2)), ReductionError::Body(_)));
    body.unknowns.pop();
    assert!(refusal(&body, &free(2)).to_string().contains("108 rows for 107 unknowns"));
}
