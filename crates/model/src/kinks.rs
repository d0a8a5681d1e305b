//! Times at which a law of the model has a kink or a jump: adaptive steps end there.

use crate::spec::{BeamSpec, DriveKind, ForceKind, LawSpec, Model};
use poinsot_expr::{Function, SmoothFunction};

/// The kinks of all loads, drives and equations between two times, in order.
pub fn kinks(model: &Model, from: f64, to: f64) -> Vec<f64> {
    let of = |law: &Function| law.breaks("t", from, to);
    let smooth = |law: &SmoothFunction| of(law.function());
    let mut times: Vec<f64> = Vec::new();
    for force in &model.forces {
        match &force.kind {
            ForceKind::Force { force: laws, .. } | ForceKind::Torque { torque: laws, .. } => {
                times.extend(laws.iter().flat_map(of));
            }
            ForceKind::Spring { law, .. } | ForceKind::Torsion { law, .. } => {
                times.extend(law.iter().flat_map(of));
            }
            _ => {}
        }
    }
    let along =
        |beam: &BeamSpec| beam.load.iter().chain(&beam.moment).flatten().flat_map(of).collect::<Vec<_>>();
    times.extend(model.beams.iter().flat_map(along));
    for drive in &model.drives {
        match &drive.kind {
            DriveKind::Joint { law, .. } => times.extend(smooth(law)),
            DriveKind::Point { position, .. } => times.extend(position.iter().flatten().flat_map(smooth)),
            DriveKind::AngularVelocity { components, .. } => times.extend(components.iter().flat_map(smooth)),
        }
    }
    let parameter = |name: &str| model.parameters.iter().find(|p| p.name == name).map(|p| p.value);
    let of_equation = |law: &LawSpec| {
        let named = |time: &str| law.expr.breaks(time, &parameter, from, to);
        [named("t"), named("time")].concat()
    };
    for block in &model.equations {
        times.extend(block.equations.iter().flat_map(of_equation));
        times.extend(block.loads.iter().flat_map(|load| of_equation(&load.law)));
    }
    times.sort_by(f64::total_cmp);
    times.dedup_by(|a, b| (*a - *b).abs() <= 1e-12 * a.abs().max(b.abs()));
    times
}
