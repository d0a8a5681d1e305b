//! The search for modes: none missed, multiple ones, choices, and a body of many unknowns.

use crate::reduction_bodies::{close, lattice, nodes_at};
use poinsot_flexible::reduction::{
    Damping, InterfaceRequest, Method, ModeChoice, Reduction, ReductionError, Reference, reduce,
};
use poinsot_flexible::{FullBody, MassProducts};
use poinsot_numerics::SymmetricMatrix;

fn free(modes: ModeChoice) -> Reduction {
    Reduction {
        interfaces: vec![],
        method: Method::Free { modes, corrections: 0 },
        reference: Reference::MeanAxis,
        damping: Damping::None,
        compare: 0,
    }
}

fn held(body: &FullBody, modes: ModeChoice, mean: bool) -> Reduction {
    let nodes = nodes_at(body, |x| x.x < 0.01);
    let interface =
        if mean { InterfaceRequest::mean("a", &nodes) } else { InterfaceRequest::rigid("a", &nodes) };
    Reduction {
        interfaces: vec![interface],
        method: Method::Supported { modes, corrections: 0 },
        reference: Reference::FirstInterface,
        ..free(modes)
    }
}

fn frequencies(body: &FullBody, request: &Reduction) -> Vec<f64> {
    reduce(body, request).unwrap().report.frequencies
}

/// A bar of square section has each bending vibration twice. 432 unknowns: by Krylov iteration, and all.
#[test]
fn searched_modes_are_those_of_full_matrices() {
    let body = lattice([16, 3, 3], true);
    for make in [
        (|_: &FullBody, modes| free(modes)) as fn(&FullBody, ModeChoice) -> Reduction,
        |body, modes| held(body, modes, false),
        |body, modes| held(body, modes, true),
    ] {
        let all = frequencies(&body, &make(&body, ModeChoice::All));
        let some = frequencies(&body, &make(&body, ModeChoice::Count(11)));
        assert_eq!(some.len(), 11);
        some.iter().zip(&all).for_each(|(some, all)| close(*some, *all, 1e-8));
        // Twice the same, and an odd number asked for.
        close(all[0], all[1], 1e-6);
        let gap = (12..20).find(|&k| all[k] > 1.001 * all[k - 1]).unwrap();
        let limit = 0.5 * (all[gap - 1] + all[gap]);
        let below = frequencies(&body, &make(&body, ModeChoice::UpTo(limit)));
        assert_eq!(below.len(), gap);
        below.iter().zip(&all).for_each(|(below, all)| close(*below, *all, 1e-8));
        assert!(frequencies(&body, &make(&body, ModeChoice::UpTo(0.5 * all[0]))).is_empty());
    }
}

#[test]
fn the_number_of_all_modes_is_that_of_the_freedoms() {
    let body = lattice([5, 2, 2], false);
    assert_eq!(frequencies(&body, &free(ModeChoice::All)).len(), 60 - 6);
    assert_eq!(frequencies(&body, &held(&body, ModeChoice::All, false)).len(), 60 - 12);
    assert_eq!(frequencies(&body, &held(&body, ModeChoice::All, true)).len(), 60 - 6);
    let error = reduce(&body, &free(ModeChoice::Count(55))).unwrap_err();
    assert_eq!(error, ReductionError::TooManyModes { asked: 55, available: 54 });
    let error = reduce(&body, &free(ModeChoice::UpTo(-1.0))).unwrap_err();
    assert!(error.to_string().contains("not positive"), "{error}");
}

/// Nested dissection is taken for more than 3000 unknowns: the answers are those of a shorter bar, stretched.
#[test]
fn a_body_of_many_unknowns() {
    let body = lattice([40, 6, 6], true);
    let request = Reduction {
        interfaces: vec![
            InterfaceRequest::rigid("a", &nodes_at(&body, |x| x.x < 0.01)),
            InterfaceRequest::mean("b", &nodes_at(&body, |x| x.x > 3.89)),
        ],
        method: Method::CraigBampton(ModeChoice::Count(6)),
        compare: 4,
        ..free(ModeChoice::Count(0))
    };
    let reduced = reduce(&body, &request).unwrap();
    assert!(reduced.report.static_error.unwrap() < 1e-9, "{:?}", reduced.report.static_error);
    let free = reduced.report.free.as_ref().unwrap();
    close(free.full[0], free.full[1], 1e-2);
    (0..3).for_each(|k| close(free.reduced[k], free.full[k], 1e-2));
    let held = reduced.report.held.as_ref().unwrap();
    (0..4).for_each(|k| close(held.reduced[k], held.full[k], 1e-7));
}

/// Nodes without mass: their motions are no vibrations.
#[test]
fn nodes_without_mass() {
    let mut body = lattice([5, 2, 2], false);
    let light = |a: usize| a / 3 >= 12;
    let sum = |value: &dyn Fn(usize) -> f64| (0..12).map(value).sum::<f64>();
    let mass = |node: usize| 0.02 + 1e-3 * (node % 7) as f64;
    body.mass = SymmetricMatrix::from_entries(60, body.mass.entries().filter(|(i, _, _)| !light(*i)));
    body.total_mass = sum(&mass);
    body.first_moment = (0..12).map(|a| body.nodes[a] * mass(a)).sum();
    body.second_moment = (0..12).map(|a| body.nodes[a] * body.nodes[a].transpose() * mass(a)).sum();
    body.products = MassProducts::Nodal(SymmetricMatrix::from_entries(20, (0..12).map(|a| (a, a, mass(a)))));
    (36..60).for_each(|a| body.mean.column_mut(a).fill(0.0));
    (36..60).for_each(|a| body.moments.column_mut(a).fill(0.0));
    let all = frequencies(&body, &free(ModeChoice::All));
    assert_eq!(all.len(), 36 - 6);
    let some = frequencies(&body, &free(ModeChoice::Count(5)));
    some.iter().zip(&all).for_each(|(some, all)| close(*some, *all, 1e-8));
    let error = reduce(&body, &free(ModeChoice::Count(31))).unwrap_err();
    assert_eq!(error, ReductionError::TooManyModes { asked: 31, available: 30 });
}
