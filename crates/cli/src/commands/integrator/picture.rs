//! The picture of `poinsot integrator`: spectral radius, period and damping over the step.

use super::oscillation::meaningful;
use super::subject::{Chosen, Subject};
use poinsot_integrators::{Amplification, Member, Spectrum, Switches};
use poinsot_results::{IntegratorCurve, IntegratorSheet};
use std::f64::consts::TAU;

/// Points of a curve in the picture.
const POINTS: usize = 400;

/// The picture: the method, and two well-known ones to compare it with.
pub(super) fn sheet(chosen: &Chosen, xi: f64) -> IntegratorSheet {
    let decades = if chosen.is_explicit() { 3.0 } else { 6.0 };
    let part = |i: usize| i as f64 / POINTS as f64;
    let frequencies: Vec<f64> = (0..=POINTS).map(|i| 10f64.powf(-2.0 + decades * part(i))).collect();
    let steps: Vec<f64> = (0..=POINTS).map(|i| 0.5 * part(i)).collect();
    let curve = |name: &str, method: &dyn Amplification| {
        let limit = method.stability_limit(xi);
        let over = |f: &dyn Fn(f64) -> Option<f64>| {
            let at = |omega: f64| match omega {
                // A vanishing step has no error.
                0.0 => Some(0.0),
                omega if meaningful(omega, limit) => f(omega),
                _ => None,
            };
            steps.iter().map(|step| at(TAU * step)).collect()
        };
        IntegratorCurve {
            name: name.to_owned(),
            radius: frequencies.iter().map(|&omega| method.spectral_radius(omega, xi)).collect(),
            elongation: over(&|omega| method.period_elongation(omega, xi)),
            damping: over(&|omega| method.numerical_damping(omega, xi)),
        }
    };
    let mut curves = vec![curve(&chosen.name, chosen.amplification())];
    let known =
        [("generalized-alpha 0.9", Member::u0(0.9, 0.9, 0.9)), ("midpoint", Member::v0(1.0, 1.0, 0.0))];
    for (name, member) in known {
        let spectrum = Spectrum::new(member, Switches::IMPLICIT);
        let itself = matches!(&chosen.subject, Subject::Gs4(own) if *own == spectrum);
        if !itself {
            curves.push(curve(name, &spectrum));
        }
    }
    let limit = Some(chosen.amplification().stability_limit(xi)).filter(|l| l.is_finite());
    IntegratorSheet { frequencies, steps, curves, limit }
}
