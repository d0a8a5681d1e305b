//! Time elements on linear oscillators, around a period (motion-interpolation-galerkin V10, X2, X11, X12).

use crate::common;

use common::{along_x, attach, law, unit_point};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::{
    CollocationPoints, ConstraintPoints, ElementMap, Scheme, StepMap, projected_velocities,
};
use poinsot_mechanics::forces::CoordinateForce;
use poinsot_mechanics::{Coordinate, GROUND, State, System, SystemBuilder};
use poinsot_numerics::dense::c64;
use std::f64::consts::{PI, TAU};

/// A unit mass on a spring with a law f(t, s).
fn oscillator(text: &str) -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let node = unit_point(&mut b, Vec3::zeros(), Vec3::zeros());
    let ground = attach(GROUND, Vec3::zeros(), along_x());
    let point = attach(node, Vec3::zeros(), Mat3::identity());
    let coordinate = Coordinate::displacement(&ground, &point);
    let element =
        CoordinateForce { coordinate, stiffness: 0.0, damping: 0.0, free: 0.0, law: Some(law(text)) };
    b.force("element", Box::new(element));
    b.build()
}

/// The unknown along x, and what a state is there.
fn along(system: &System) -> usize {
    system.nodes()[1].unknowns().start
}

/// The derivative of K equal elements by the state before them, {δq ; δv} along x, about rest.
fn transition(system: &System, scheme: &Scheme, elements: usize, end: f64) -> [[f64; 2]; 2] {
    let mut map = ElementMap::new(system, scheme.clone()).unwrap();
    let (n, e) = (system.size(), along(system));
    let mut state = system.start_state(0.0);
    let mut next = state.clone();
    let mut changes = vec![0.0; 4 * n];
    (changes[e], changes[2 * n + n + e]) = (1.0, 1.0);
    let mut out = changes.clone();
    for _ in 0..elements {
        map.advance(&state, end / elements as f64, &mut next).unwrap();
        map.push(&changes, &mut out);
        std::mem::swap(&mut state, &mut next);
        std::mem::swap(&mut changes, &mut out);
    }
    [[changes[e], changes[2 * n + e]], [changes[n + e], changes[2 * n + n + e]]]
}

/// Eigenvalues of two rows.
fn multipliers([[a, b], [c, d]]: [[f64; 2]; 2]) -> [c64; 2] {
    let (half, det) = ((a + d) / 2.0, a * d - b * c);
    let root = c64::new(half * half - det, 0.0).sqrt();
    [c64::new(half, 0.0) + root, c64::new(half, 0.0) - root]
}

/// X2: cos θ = (1 − y²/3)/(1 + y²/6), stable to y = √12.
#[test]
fn continuous_elements_are_stable_to_the_root_of_twelve() {
    let system = oscillator("s");
    for y in [0.3, 1.0, 2.5, 12f64.sqrt() * (1.0 - 1e-9), 12f64.sqrt() * (1.0 + 1e-6), 5.0] {
        let of = transition(&system, &Scheme::continuous(), 1, y);
        let (trace, det) = (of[0][0] + of[1][1], of[0][0] * of[1][1] - of[0][1] * of[1][0]);
        let cosine = (1.0 - y * y / 3.0) / (1.0 + y * y / 6.0);
        assert!((det - 1.0).abs() < 1e-12 * y * y.max(1.0), "y = {y}: determinant {det}");
        assert!((trace / 2.0 - cosine).abs() < 1e-12, "y = {y}: {} instead of {cosine}", trace / 2.0);
        let largest = multipliers(of).iter().map(|l| l.norm()).fold(0.0, f64::max);
        assert_eq!(largest > 1.0 + 1e-6, y > 12f64.sqrt(), "y = {y}: {largest}");
    }
}

/// X11: ẍ + w² (1 − 0.3 cos(W t)) x = 0 with W = 2w, twelve elements in a period.
#[test]
fn multipliers_of_the_mathieu_equation() {
    let system = oscillator("(1 - 0.3*cos(2*t))*s");
    let of = |scheme: &Scheme, elements| {
        let mut real = multipliers(transition(&system, scheme, elements, PI)).map(|l| l.re);
        real.sort_by(f64::total_cmp);
        real
    };
    let dg = of(&Scheme::new(1, ConstraintPoints::Radau), 12);
    assert!((dg[0] + 1.263861).abs() < 6e-7 && (dg[1] + 0.789946).abs() < 6e-7, "{dg:?}");
    let cg = of(&Scheme::continuous(), 12);
    assert!((cg[0] + 1.261990).abs() < 6e-7, "{cg:?}");
    // V9: 1.264911 exactly, and 1.26478 with 24 discontinuous elements.
    let finer = of(&Scheme::new(1, ConstraintPoints::Radau), 24);
    assert!((finer[0] + 1.26478).abs() < 6e-6, "{finer:?}");
    for scheme in [Scheme::collocation(4, CollocationPoints::Gauss), Scheme::new(3, ConstraintPoints::Radau)]
    {
        let exact = of(&scheme, 12);
        assert!((exact[0] + 1.264911).abs() < 6e-7, "{}: {exact:?}", scheme.name());
    }
}

/// X12: |λ| = |R(iωh)|^K of discontinuous elements, 1 of the others.
#[test]
fn multipliers_of_an_oscillator_are_powers() {
    let system = oscillator("s");
    let (elements, h) = (10_i32, 0.8);
    let size = |scheme: &Scheme| {
        multipliers(transition(&system, scheme, elements as usize, h * f64::from(elements))).map(|l| l.norm())
    };
    for degree in 1..=3 {
        let scheme = Scheme::new(degree, ConstraintPoints::Radau);
        let exact = scheme.tableau().unwrap().stability(c64::new(0.0, h)).norm().powi(elements);
        let found = size(&scheme);
        assert!(found.iter().all(|l| (l - exact).abs() < 1e-12), "k {degree}: {found:?} not {exact}");
    }
    for scheme in [Scheme::continuous(), Scheme::collocation(2, CollocationPoints::Gauss)] {
        let found = size(&scheme);
        assert!(found.iter().all(|l| (l - 1.0).abs() < 1e-12), "{}: {found:?}", scheme.name());
    }
}

/// Relative errors of V10 over the period: x, v, both corrected, v projected.
struct Errors([f64; 5]);

/// V10: ẍ + W² x = W² cos t, W² = `square`, around the period by K elements.
fn harmonic(square: f64, scheme: &Scheme, elements: usize) -> Errors {
    let system = oscillator(&format!("{square}*(s - cos(t))"));
    let (n, e, h) = (system.size(), along(&system), TAU / elements as f64);
    let mut map = ElementMap::new(&system, scheme.clone()).unwrap();
    // x_K = A x_0 + b is linear, so that x_0 = (1 − A)⁻¹ b.
    let run = |map: &mut ElementMap, q: f64, v: f64, seen: &mut dyn FnMut(&ElementMap)| -> State {
        let mut state = system.start_state(0.0);
        (state.frames[1].r.x, state.v[e]) = (q, v);
        let mut next = state.clone();
        for _ in 0..elements {
            map.advance(&state, h, &mut next).unwrap();
            seen(map);
            std::mem::swap(&mut state, &mut next);
        }
        state
    };
    let rest = run(&mut map, 0.0, 0.0, &mut |_| {});
    let [[a, b], [c, d]] = transition(&system, scheme, elements, TAU);
    let (b0, b1, det) = (rest.frames[1].r.x, rest.v[e], (1.0 - a) * (1.0 - d) - b * c);
    let (q, v) = (((1.0 - d) * b0 + b * b1) / det, (c * b0 + (1.0 - a) * b1) / det);
    let exact = square / (square - 1.0);
    let points = [-0.906179845938664, -0.5384693101056831, 0.0, 0.5384693101056831, 0.906179845938664];
    let weights =
        [0.2369268850561891, 0.4786286704993665, 128.0 / 225.0, 0.4786286704993665, 0.2369268850561891];
    let (mut sums, mut bounds, mut times) = ([0.0; 4], vec![], vec![]);
    let mut state = system.start_state(0.0);
    let is_continuous = scheme.is_continuous;
    let end = run(&mut map, q, v, &mut |map| {
        let (element, course) = (map.element(), map.element().course());
        let s = scheme.stages();
        let own = |values: &[f64], weights: &[f64]| -> f64 {
            values[s * e..s * e + s].iter().zip(weights).map(|(x, w)| x * w).sum()
        };
        // Of continuous elements w is that of the path, constant.
        let speed = |alpha: f64| match is_continuous {
            true => course.w[s * e],
            false => own(&course.w, &scheme.place(alpha).stage),
        };
        bounds.push([speed(0.0), speed(1.0)]);
        times.push(course.start.t);
        for (x, weight) in points.iter().zip(weights) {
            let alpha = 0.5 + 0.5 * x;
            let (t, place) = (course.start.t + alpha * h, scheme.place(alpha));
            element.motion(course, alpha, &mut state);
            let (position, velocity) = (exact * t.cos(), -exact * t.sin());
            let before = course.start.frames[1].r.x;
            let found = [
                before + own(&course.values, &place.base) - position,
                speed(alpha) - velocity,
                state.frames[1].r.x - position,
                state.v[e] - velocity,
            ];
            sums.iter_mut().zip(found).for_each(|(sum, found)| *sum += 0.5 * h * weight * found * found);
        }
    });
    // Continuous elements are unstable beyond ωh = 3.46: rounding grows by 3.7 in each.
    let open = (end.frames[1].r.x - q).abs().max((end.v[e] - v).abs() / square.sqrt());
    assert!(open < 1e-5 * exact, "not closed by {open}");
    assert_eq!(n, system.size());
    let nodes = projected_velocities(&vec![h; elements], &bounds, true);
    let mut projected = 0.0;
    for (k, t) in times.iter().enumerate() {
        for (x, weight) in points.iter().zip(weights) {
            let alpha = 0.5 + 0.5 * x;
            let found = (1.0 - alpha) * nodes[k] + alpha * nodes[(k + 1) % elements];
            projected += 0.5 * h * weight * (found + exact * (t + alpha * h).sin()).powi(2);
        }
    }
    let size = exact.abs() * PI.sqrt();
    let [x, v, corrected_x, corrected_v] = sums.map(|sum| sum.sqrt() / size);
    Errors([x, v, corrected_x, corrected_v, projected.sqrt() / size])
}

/// V10, soft and stiff: errors of discontinuous elements, raw, corrected and projected; of continuous ones,
/// raw and projected.
#[test]
fn errors_around_a_period_are_those_of_the_table() {
    let dg = Scheme::new(1, ConstraintPoints::Radau);
    for (square, elements, cg, [x, corrected_x, v, corrected_v, projected]) in [
        (2.0, 8, [6.08e-2, 2.49e-1, 5.86e-2], [3.75e-2, 1.95e-2, 3.95e-2, 2.63e-2, 3.11e-2]),
        (2.0, 32, [3.54e-3, 5.70e-2, 3.53e-3], [2.34e-3, 3.21e-4, 2.35e-3, 4.31e-4, 1.48e-3]),
        (2.0, 128, [2.20e-4, 1.42e-2, 2.20e-4], [1.47e-4, 5.03e-6, 1.47e-4, 6.77e-6, 9.00e-5]),
        (2e7, 8, [2.47e-2, 2.30e-1, 2.48e-2], [2.28e-2, 2.31e-2, 2.15e-1, 1.78e-1, 2.47e-2]),
        (2e7, 32, [1.44e-3, 5.67e-2, 1.44e-3], [1.44e-3, 1.44e-3, 5.65e-2, 4.40e-2, 1.44e-3]),
    ] {
        let near = |found: f64, printed: f64, what: &str| {
            assert!(
                (found / printed - 1.0).abs() < 6e-3,
                "{square}, {elements}, {what}: {found} not {printed}"
            );
        };
        let Errors(found) = harmonic(square, &dg, elements);
        println!("{square} {elements} dg {found:.3?}");
        let table = [
            (x, "x"),
            (v, "v"),
            (corrected_x, "x corrected"),
            (corrected_v, "v corrected"),
            (projected, "v projected"),
        ];
        for (found, (printed, what)) in found.into_iter().zip(table) {
            near(found, printed, what);
        }
        if square > 1e6 && elements > 8 {
            continue;
        }
        let Errors(found) = harmonic(square, &Scheme::continuous(), elements);
        println!("{square} {elements} cg {found:.3?}");
        for (found, (printed, what)) in [found[0], found[1], found[4]].into_iter().zip(cg.into_iter().zip([
            "cg x",
            "cg v",
            "cg v projected",
        ])) {
            near(found, printed, what);
        }
    }
}
