//! Explicit and velocity-implicit members (gs4-isochronous-integrators I-14, V-01, V-03).

use crate::common;

use common::oscillator::{Q0, V0, acceleration, oscillator, reference};
use common::pendulum::{Rod, Series, pendulum};
use common::{order, tight, violation};
use poinsot_integrators::{Gs4, Gs4Form, Member, NamedMember, Settings, Stepper, Switches};

const EXPLICIT: Switches = Switches::EXPLICIT;
const DISSIPATIVE: Switches = Switches::EXPLICIT_DISSIPATIVE;

/// Table I-14: which members are stable at all for η = (0,0,0) and (0,0,1).
#[test]
fn stability_at_small_frequencies() {
    let table = [
        (Member::u0(1.0, 1.0, 0.0), true, true),
        (Member::u0(0.3, 0.8, 0.0), true, true),
        (Member::u0(0.0, 0.0, 0.0), true, true),
        (Member::u0(0.0, 1.0, 0.0), true, true),
        (Member::u0(1.0, 1.0, 0.5), true, true),
        (Member::u0(1.0, 1.0, 1.0), true, false),
        (Member::v0(0.4, 1.0, 1.0), true, true),
        (Member::u0(0.5, 1.0, 0.5), false, true),
        (Member::u0(0.5, 0.5, 0.5), false, true),
        (Member::v0(1.0, 1.0, 0.0), false, true),
        (Member::v0(0.5, 0.5, 0.5), true, true),
        (Member::v0(0.0, 0.0, 0.5), true, true),
    ];
    for (member, plain, dissipative) in table {
        assert_eq!(EXPLICIT.suits(&member), plain, "{member:?}, (0,0,0)");
        assert_eq!(DISSIPATIVE.suits(&member), dissipative, "{member:?}, (0,0,1)");
        // Without damping in the model η₂ makes no difference.
        assert_eq!(Switches::VELOCITY_IMPLICIT.suits(&member), plain);
        assert_eq!(Switches::explicit(&member), Some(if plain { EXPLICIT } else { DISSIPATIVE }));
        assert!(Switches::IMPLICIT.suits(&member));
    }
}

/// What cannot work is refused with a reason.
#[test]
fn refusals() {
    let system = pendulum(Rod::Joint, 0.5);
    let reason = |member, switches, form| {
        let settings = Settings { member, switches, form, ..Settings::default() };
        Gs4::new(&system, settings, system.start_state(0.0), 0.01).err().map(|e| e.reason)
    };
    let unstable = reason(Member::u0(0.5, 1.0, 0.5), EXPLICIT, Gs4Form::Stabilised).unwrap();
    assert!(unstable.contains("unstable for every step length"), "{unstable}");
    let level = reason(Member::u0(1.0, 1.0, 0.0), EXPLICIT, Gs4Form::Position).unwrap();
    assert!(level.contains("position level"), "{level}");
    // Explicit members need no order of the roots, implicit ones do.
    let unordered = Member::v0(0.4, 1.0, 1.0);
    assert!(reason(unordered, EXPLICIT, Gs4Form::Stabilised).is_none());
    assert!(reason(unordered, Switches::IMPLICIT, Gs4Form::Stabilised).unwrap().contains("roots"));
    assert!(reason(Member::u0(1.0, 1.2, 0.0), EXPLICIT, Gs4Form::Stabilised).unwrap().contains("roots"));
    let bad = Gs4Form::Baumgarte { alpha: Some(-1.0), beta: None };
    assert!(reason(Member::u0(0.5, 0.5, 0.5), Switches::IMPLICIT, bad).unwrap().contains("parameter"));
}

/// Members and switches that are stable.
const CASES: [(Member, Switches); 10] = [
    (Member::u0(1.0, 1.0, 0.0), EXPLICIT),
    (Member::u0(0.3, 0.8, 0.0), EXPLICIT),
    (Member::u0(1.0, 1.0, 0.5), EXPLICIT),
    (Member::v0(0.5, 0.5, 0.5), EXPLICIT),
    (Member::u0(0.5, 1.0, 0.5), DISSIPATIVE),
    (Member::u0(0.5, 0.5, 0.5), DISSIPATIVE),
    (Member::u0(0.0, 0.0, 0.0), DISSIPATIVE),
    (Member::v0(1.0, 1.0, 0.0), DISSIPATIVE),
    (Member::u0(1.0, 1.0, 0.0), Switches::VELOCITY_IMPLICIT),
    (Member::u0(0.5, 0.5, 0.5), Switches::VELOCITY_IMPLICIT_DISSIPATIVE),
];

/// Errors of q, v at T = 1 and of a at T − φh on the oscillator of V-03, a⁰ = q̈(t₀).
fn errors(member: Member, switches: Switches, n: usize) -> [f64; 3] {
    let system = oscillator();
    let (h, x) = (1.0 / n as f64, system.nodes()[1].unknowns().start);
    let settings = Settings { switches, ..tight(member, Gs4Form::Stabilised) };
    let mut gs4 = Gs4::new(&system, settings, system.start_state(0.0), h).unwrap();
    let mut a = vec![0.0; system.size()];
    a[x] = acceleration(0.0, Q0, V0);
    gs4.set_stored_acceleration(&a);
    for _ in 0..n {
        gs4.step(h).unwrap();
    }
    let (end, shifted) = (reference(1.0), reference(1.0 - member.weights().phi * h));
    let state = gs4.state();
    [state.frames[1].r.x - end[0], state.v[x] - end[1], gs4.stored_acceleration()[x] - shifted[2]]
        .map(f64::abs)
}

/// I-14: "Order 2 is kept for all switch settings tested (q,v,a@shift)".
#[test]
fn second_order_with_every_switch() {
    for (member, switches) in CASES {
        let (coarse, fine) = (errors(member, switches, 320), errors(member, switches, 640));
        for k in 0..3 {
            let got = order(coarse[k], fine[k]);
            // Where the leading error happens to be small, look closer.
            let closer = || order(errors(member, switches, 2560)[k], errors(member, switches, 5120)[k]);
            let good = |order: f64| (order - 2.0).abs() < 0.1;
            assert!(good(got) || good(closer()), "{member:?}, {switches:?}: order {got:.3} in place {k}");
        }
    }
}

/// V-03, errors at N=160: "velocity-Verlet 5.87e-7, 2.75e-6, 1.86e-6".
#[test]
fn printed_errors_of_velocity_verlet() {
    let named = NamedMember::find("velocity-verlet").unwrap();
    assert_eq!((named.label.name, named.switches), ("central-difference", EXPLICIT));
    let member = Member::named(named.label.name, 0.0).unwrap();
    for (got, printed) in errors(member, named.switches, 160).into_iter().zip([5.87e-7, 2.75e-6, 1.86e-6]) {
        assert!((got / printed - 1.0).abs() < 0.005, "{got:.3e} instead of {printed:.3e}");
    }
}

/// Constrained motion with explicit forces: λ closes the step as ever, at every level that Δa can reach.
#[test]
fn constrained_motion_is_second_order() {
    for form in [
        Gs4Form::Stabilised,
        Gs4Form::Hamiltonian,
        Gs4Form::Velocity,
        Gs4Form::Acceleration,
        Gs4Form::BAUMGARTE,
    ] {
        for (member, switches) in CASES {
            let settings = Settings { switches, ..tight(member, form) };
            let series = Series { settings, plain: false, rod: Rod::Joint, ..Series::new(member, form) };
            let got = series.orders(160);
            for (k, name) in [(0, "q"), (1, "v"), (2, "a"), (4, "λ̃")] {
                let good = |order: f64| (order - 2.0).abs() < 0.15;
                let closer = || series.orders(1280)[k];
                assert!(
                    good(got[k]) || good(closer()),
                    "{member:?}, {switches:?}, {form:?}: order {:.3} of {name}",
                    got[k]
                );
            }
        }
    }
}

/// The stabilised form corrects positions beside Δa: both levels hold although λ₃ = 0.
#[test]
fn stabilised_form_keeps_both_levels() {
    let system = pendulum(Rod::Joint, 0.5);
    for (member, switches) in CASES {
        let settings = Settings { switches, ..tight(member, Gs4Form::Stabilised) };
        let mut gs4 = Gs4::new(&system, settings, system.start_state(0.0), 0.01).unwrap();
        for _ in 0..500 {
            gs4.step(0.01).unwrap();
            let (position, velocity) = violation(&system, gs4.state());
            assert!(position < 1e-13 && velocity < 1e-13, "{member:?}: {position:.1e}, {velocity:.1e}");
        }
    }
}
