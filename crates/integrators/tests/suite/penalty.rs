//! The penalty form (gs4-isochronous-integrators I-59): constraints as stiff elements with a mass, λ
//! recovered.

use crate::common;

use common::order;
use common::pendulum::{Rod, Run, exact, pendulum};
use common::tight;
use poinsot_integrators::{Gs4Form, Member, Settings, Switches};

fn form(softness: f64, frequency: f64) -> Gs4Form {
    Gs4Form::Penalty { softness: Some(softness), frequency: Some(frequency), damping: None }
}

/// Largest errors of q, v and λ̃ against the rigid pendulum, and largest elongation, over the last half of t
/// = 0 … 1.
fn errors(form: Gs4Form, member: Member, switches: Switches, h: f64) -> [f64; 4] {
    let system = pendulum(Rod::Joint, 0.5);
    let settings = Settings { switches, ..tight(member, form) };
    let mut run = Run::with(&system, settings, h, false);
    let n = (1.0 / h).round() as usize;
    let mut worst = [0.0; 4];
    for k in 1..=n {
        run.step(h);
        if 2 * k > n && k % (n / 20) == 0 {
            let t = k as f64 * h;
            let (got, end) = (run.values(), exact(t, 0.5));
            let tension = exact(t + (run.gs4.weights().w1 - 1.0) * h, 0.5).lambda;
            let now = [
                (got.q - end.q).amax(),
                (got.v - end.v).amax(),
                (run.stage_lambda() - tension).abs(),
                (got.q.norm() - 1.0).abs(),
            ];
            worst = std::array::from_fn(|i| f64::max(worst[i], now[i]));
        }
    }
    worst
}

const MEMBER: Member = Member::u0(0.8, 0.8, 0.8);

/// p → 0 at fixed ω: motion, tension and elongation approach those of the rigid rod linearly in p.
#[test]
fn softness_tends_to_zero() {
    let run = |p| errors(form(p, 30.0), MEMBER, Switches::IMPLICIT, 2.5e-4);
    let (coarse, fine) = (run(4e-2), run(2e-2));
    for (k, name) in ["q", "v", "λ", "length"].into_iter().enumerate() {
        let got = order(coarse[k], fine[k]);
        assert!((got - 1.0).abs() < 0.05, "order {got:.3} in p of {name}: {coarse:?} {fine:?}");
    }
    // λ opens the rod by pλ/ω².
    let tension = 20.0;
    assert!(fine[3] < 1.2 * 2e-2 * tension / 900.0, "elongation {:.2e}", fine[3]);
}

/// ω → ∞ at fixed p: elongation, motion and velocity approach those of the rigid rod as 1/ω².
#[test]
fn frequency_tends_to_infinity() {
    let run = |omega| errors(form(0.02, omega), MEMBER, Switches::IMPLICIT, 2.5e-4);
    let (coarse, fine) = (run(60.0), run(120.0));
    for (k, name) in [(0, "q"), (1, "v"), (3, "length")] {
        let got = order(coarse[k], fine[k]);
        assert!((got - 2.0).abs() < 0.1, "order {got:.3} in 1/ω of {name}: {coarse:?} {fine:?}");
    }
}

/// With everything from the step the motion and the recovered tension are of second order in h, implicit or
/// explicit.
#[test]
fn defaults_are_second_order() {
    let cases = [
        (MEMBER, Switches::IMPLICIT),
        (Member::v0(1.0, 1.0, 0.0), Switches::IMPLICIT),
        (Member::u0(0.5, 1.0, 0.5), Switches::IMPLICIT),
        (Member::u0(1.0, 1.0, 0.0), Switches::EXPLICIT),
    ];
    for (member, switches) in cases {
        let run = |h| errors(Gs4Form::PENALTY, member, switches, h);
        let (coarse, fine) = (run(1.0 / 200.0), run(1.0 / 400.0));
        for (k, name) in ["q", "v", "λ"].into_iter().enumerate() {
            let got = order(coarse[k], fine[k]);
            assert!((got - 2.0).abs() < 0.2, "{member:?}, {switches:?}: order {got:.3} of {name}");
        }
        assert!(fine[2] < 2e-3, "{member:?}: tension off by {:.1e} of about 15", fine[2]);
    }
}
