//! The weights of GS4-2 (gs4-isochronous-integrators I-03, I-04, I-17 … I-24, V-01).

use crate::common;

use common::Random;
use poinsot_integrators::{Gs4Family, Member, MemberError, NAMED, Weights};

fn families(roots: [f64; 3]) -> [Member; 2] {
    let [min, max, s] = roots;
    [Member::u0(min, max, s), Member::v0(min, max, s)]
}

fn numbers(w: &Weights) -> [f64; 8] {
    [w.w1, w.w2l2, w.w3l3, w.w2l5, w.w1l6, w.l3, w.l5, w.phi]
}

fn assert_same(x: &Weights, y: &Weights, label: &str) {
    for (x, y) in numbers(x).iter().zip(numbers(y)) {
        assert!((x - y).abs() < 1e-14, "{label}: {x} and {y}");
    }
}

/// V-01: "For random 0≤rs≤rmin≤rmax≤1: l5=½+W1L6−W1; φ formulas (2.8),(2.9)"; both sets are symmetric in
/// rmin ↔ rmax.
#[test]
fn second_order_condition_and_time_shift() {
    let mut rng = Random(0x5deece66d1234567);
    for _ in 0..400 {
        let [min, max, s] = rng.roots();
        for member in families([min, max, s]) {
            let w = member.weights();
            assert!((w.l5 - (0.5 + w.w1l6 - w.w1)).abs() < 1e-14, "{member:?}");
            let phi = match member.family {
                Gs4Family::U0 => (1.0 - min * max) / ((1.0 + min) * (1.0 + max)),
                Gs4Family::V0 => (1.0 - s) / (2.0 * (1.0 + s)),
            };
            assert!((w.phi - phi).abs() < 1e-14, "{member:?}");
            let exchanged = Member { rho_min: max, rho_max: min, ..member };
            assert_same(&w, &exchanged.weights(), "exchanged principal roots");
        }
    }
}

/// I-05: "U0 ≡ V0 iff rmax=1 and rmin=rs".
#[test]
fn families_meet_in_the_optimal_members() {
    let mut rng = Random(0x2545f4914f6cdd1d);
    for _ in 0..200 {
        let rho = rng.next();
        let [u, v] = families([rho, 1.0, rho]);
        assert_same(&u.weights(), &v.weights(), "U0(ρ,1,ρ)");
        // The branch of I-11: W=W1=W2=W3=l5=2 l3=1/(1+ρ), W1L6=(3−ρ)/(2(1+ρ)).
        let (w, x) = (u.weights(), 1.0 / (1.0 + rho));
        for (got, expected) in [
            (w.w1, x),
            (w.l5, x),
            (2.0 * w.l3, x),
            (w.w2l2, 0.5 * x),
            (w.w3l3, 0.5 * x * x),
            (w.w2l5, x * x),
            (w.w1l6, 0.5 * (3.0 - rho) * x),
        ] {
            assert!((got - expected).abs() < 1e-14, "optimal({rho})");
        }
        let [min, max, s] = rng.roots();
        if max < 0.999 || (min - s).abs() > 1e-3 {
            let [u, v] = families([min, max, s]);
            let same =
                numbers(&u.weights()).iter().zip(numbers(&v.weights())).all(|(x, y)| (x - y).abs() < 1e-9);
            assert!(!same, "the families must differ at {min}, {max}, {s}");
        }
    }
}

/// V-01: "V0(ρ,1,rs)≡GS4-1(ρ,rs)", weights of I-27.
#[test]
fn first_order_members() {
    let mut rng = Random(0x9e3779b97f4a7c15);
    for _ in 0..200 {
        let [rho, _, s] = rng.roots();
        let w = Member::v0(rho, 1.0, s).weights();
        let (p, q) = (1.0 + rho, 1.0 + s);
        for (got, expected) in [
            (w.w1, 1.0 / p),
            (w.w2l5, 1.0 / (p * q)),
            (w.l5, 1.0 / q),
            (w.w1l6, (3.0 + rho + s - rho * s) / (2.0 * p * q)),
            (w.phi, (1.0 - s) / (2.0 * q)),
        ] {
            assert!((got - expected).abs() < 1e-14, "GS4-1({rho}, {s})");
        }
    }
}

/// I-24, "DNA values for unit tests": W1, W2L2, W3L3, W2L5, W1L6, l3, l5, φ, and r0 = 1 − 1/W1L6.
#[test]
fn table_of_values() {
    let third = 1.0 / 3.0;
    #[rustfmt::skip]
    let table = [
        (Member::u0(1.0, 1.0, 1.0),   [0.5, 0.25, 0.125, 0.25, 0.5, 0.25, 0.5, 0.0, -1.0]),
        (Member::v0(1.0, 1.0, 1.0),   [0.5, 0.25, 0.125, 0.25, 0.5, 0.25, 0.5, 0.0, -1.0]),
        (Member::u0(1.0, 1.0, 0.0),   [1.0, 0.5, 0.25, 0.5, 1.0, 0.25, 0.5, 0.0, 0.0]),
        (Member::u0(1.0, 1.0, 0.5),   [0.666667, 0.333333, 0.166667, 0.333333, 0.666667, 0.25, 0.5, 0.0, -0.5]),
        (Member::v0(1.0, 1.0, 0.0),   [0.5, 0.25, 0.25, 0.5, 1.0, 0.5, 1.0, 0.5, 0.0]),
        (Member::v0(1.0, 1.0, 0.5),   [0.5, 0.25, 0.166667, 0.333333, 0.666667, 0.333333, 0.666667, 0.166667, -0.5]),
        (Member::u0(0.0, 1.0, 0.0),   [1.0, 0.5, 0.5, 1.0, 1.5, 0.5, 1.0, 0.5, 0.333333]),
        (Member::u0(0.5, 1.0, 0.5),   [0.666667, 0.333333, 0.222222, 0.444444, 0.833333, 0.333333, 0.666667, 0.166667, -0.2]),
        (Member::u0(0.8, 1.0, 0.8),   [0.555556, 0.277778, 0.154321, 0.308642, 0.611111, 0.277778, 0.555556, 0.055556, -0.636364]),
        (Member::u0(0.9, 1.0, 0.9),   [0.526316, 0.263158, 0.138504, 0.277008, 0.552632, 0.263158, 0.526316, 0.026316, -0.809524]),
        (Member::u0(0.0, 0.0, 0.0),   [1.0, 0.5, 1.0, 1.5, 2.0, 1.0, 1.5, 1.0, 0.5]),
        (Member::u0(0.5, 0.5, 0.5),   [0.666667, 0.333333, 0.296296, 0.555556, 1.0, 0.444444, 0.833333, 0.333333, 0.0]),
        (Member::u0(0.8, 0.8, 0.8),   [0.555556, 0.277778, 0.171468, 0.339506, 0.666667, 0.308642, 0.611111, 0.111111, -0.5]),
        (Member::u0(0.5, 0.5, 0.0),   [1.0, 0.5, 0.444444, 0.833333, 1.333333, 0.444444, 0.833333, 0.333333, 0.25]),
        (Member::u0(0.6, 0.6, third), [0.75, 0.375, 0.292969, 0.5625, 1.0, 0.390625, 0.75, 0.25, 0.0]),
        (Member::v0(0.5, 0.5, 0.5),   [0.833333, 0.444444, 0.296296, 0.592593, 1.0, 0.333333, 0.666667, 0.166667, 0.0]),
        (Member::v0(0.5, 0.5, 0.0),   [0.833333, 0.444444, 0.444444, 0.888889, 1.333333, 0.5, 1.0, 0.5, 0.25]),
        (Member::v0(0.6, 0.6, third), [0.75, 0.390625, 0.292969, 0.585938, 1.0, 0.375, 0.75, 0.25, 0.0]),
    ];
    for (member, expected) in table {
        let w = member.weights();
        let r0 = 1.0 - 1.0 / w.w1l6;
        for (got, expected) in numbers(&w).iter().chain([&r0]).zip(expected) {
            assert!((got - expected).abs() < 5.1e-7, "{member:?}: {got} instead of {expected}");
        }
    }
}

/// The parameters (α_m, α_f, β, γ) that U0 stands for: 1−α_m=W1L6, 1−α_f=W1, β=l3, γ=l5 (I-18).
fn alpha(member: Member) -> [f64; 4] {
    let w = member.weights();
    [1.0 - w.w1l6, 1.0 - w.w1, w.l3, w.l5]
}

fn assert_alpha(name: &str, rho: f64, expected: [f64; 4]) {
    let member = Member::named(name, rho).unwrap();
    assert_eq!(member.family, Gs4Family::U0);
    member.check().unwrap();
    for (got, expected) in alpha(member).iter().zip(expected) {
        assert!((got - expected).abs() < 1e-14, "{name}({rho}): {got} instead of {expected}");
    }
}

/// I-18 (generalised-α), I-19 (WBZ), I-20 (HHT), I-17 (Newmark).
#[test]
fn named_members_are_the_classical_schemes() {
    for k in 0..=20 {
        let rho = f64::from(k) / 20.0;
        let (am, af) = ((2.0 * rho - 1.0) / (1.0 + rho), rho / (1.0 + rho));
        let shift = am - af;
        let expected = [am, af, (1.0 - shift).powi(2) / 4.0, 0.5 - shift];
        for name in ["generalized-alpha", "generalised-alpha", "chung-hulbert", "three-parameter-optimal"] {
            assert_alpha(name, rho, expected);
        }
        let (beta, gamma) = (1.0 / (1.0 + rho).powi(2), (3.0 - rho) / (2.0 * (1.0 + rho)));
        for name in ["wbz", "wbz-alpha", "bossak"] {
            assert_alpha(name, rho, [-(1.0 - rho) / (1.0 + rho), 0.0, beta, gamma]);
        }
        if rho >= 0.5 {
            for name in ["hht", "hht-alpha"] {
                assert_alpha(name, rho, [0.0, (1.0 - rho) / (1.0 + rho), beta, gamma]);
            }
        }
        let optimal = Member::named("optimal", rho).unwrap();
        assert_eq!(optimal, Member::u0(rho, 1.0, rho));
        assert_eq!(optimal, Member::named("u0v0", rho).unwrap());
    }
    for name in ["newmark", "trapezoidal", "average-acceleration"] {
        assert_alpha(name, f64::NAN, [0.0, 0.0, 0.25, 0.5]);
    }
    assert_eq!(Member::named("midpoint", 0.3).unwrap(), Member::v0(1.0, 1.0, 0.0));
    assert_eq!(Member::named("midpoint-mpa", 0.3).unwrap(), Member::v0(1.0, 1.0, 0.0));
    assert_eq!(Member::named("midpoint-epa", 0.3).unwrap(), Member::u0(1.0, 1.0, 1.0));
}

/// Every name is unique, every listed member has admissible roots at both ends of its range.
#[test]
fn table_of_names_is_sound() {
    let mut names: Vec<&str> =
        NAMED.iter().flat_map(|m| m.label.aliases.iter().copied().chain([m.label.name])).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    for entry in NAMED {
        let (low, high) = entry.rho_range.unwrap_or((0.0, 1.0));
        for rho in [low, high] {
            Member::named(entry.label.name, rho).unwrap().check().unwrap();
        }
        assert!(!entry.label.summary.is_empty());
    }
}

#[test]
fn bad_members_are_refused() {
    let unknown = Member::named("runge-kutta", 0.5).unwrap_err();
    assert_eq!(unknown, MemberError::Unknown("runge-kutta".into()));
    assert!(unknown.to_string().contains("runge-kutta"));
    for (name, rho) in [
        ("generalized-alpha", -0.1),
        ("generalized-alpha", 1.1),
        ("hht", 0.49),
        ("wbz", 1.01),
        ("optimal", -1.0),
        ("optimal", f64::NAN),
    ] {
        let error = Member::named(name, rho).unwrap_err();
        let MemberError::Rho { name: stated, low, high, .. } = &error else { panic!("{error}") };
        assert_eq!(*stated, name);
        assert!(!(*low..=*high).contains(&rho));
        assert!(error.to_string().contains(name), "{error}");
    }
    for [min, max, s] in [
        [0.5, 0.4, 0.1],
        [0.5, 0.8, 0.6],
        [0.5, 1.1, 0.2],
        [0.5, 0.8, -0.1],
        [f64::NAN, 0.8, 0.1],
        [0.5, f64::NAN, 0.1],
        [0.5, 0.8, f64::NAN],
    ] {
        for member in families([min, max, s]) {
            let error = member.check().unwrap_err();
            assert!(matches!(error, MemberError::Roots(..)), "{error}");
        }
    }
    let mut rng = Random(0xd1342543de82ef95);
    for _ in 0..100 {
        families(rng.roots()).iter().for_each(|m| m.check().unwrap());
    }
}

/// I-53: normal-direction roots {−rmin, −rmax} for U0 and {−1, −rs} for V0 at position level.
#[test]
fn ringing_members_are_known() {
    assert!(!Member::u0(0.8, 0.8, 0.8).rings_at_position_level());
    assert!(!Member::u0(0.0, 0.0, 0.0).rings_at_position_level());
    for member in [
        Member::u0(0.5, 1.0, 0.5),
        Member::u0(1.0, 1.0, 0.0),
        Member::v0(0.5, 0.5, 0.5),
        Member::v0(1.0, 1.0, 0.0),
    ] {
        assert!(member.rings_at_position_level(), "{member:?}");
    }
}
