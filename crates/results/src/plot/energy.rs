//! The energies of a run and their imbalance.

use super::canvas::PALETTE;
use super::panels::{Curve, Panel, stacked};
use super::{check_curve, nothing};
use crate::error::ResultsError;
use crate::number::typeset;

/// The energies of a system over time, in J; all vectors have one length.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EnergyHistory {
    /// Times, in s, not decreasing.
    pub time: Vec<f64>,
    /// Kinetic energy.
    pub kinetic: Vec<f64>,
    /// Potential energy.
    pub potential: Vec<f64>,
    /// Kinetic and potential energy.
    pub total: Vec<f64>,
    /// Work done on the system so far.
    pub supplied: Vec<f64>,
    /// Work dissipated so far.
    pub dissipated: Vec<f64>,
    /// total − total at the start − supplied + dissipated.
    pub imbalance: Vec<f64>,
}

/// The plot of the energies and, below it, of their imbalance.
pub(crate) fn energy_svg(history: &EnergyHistory, title: &str) -> Result<String, ResultsError> {
    let energies = [
        ("kinetic", &history.kinetic),
        ("potential", &history.potential),
        ("total", &history.total),
        ("supplied", &history.supplied),
        ("dissipated", &history.dissipated),
    ];
    let samples = history.time.len();
    check_curve("time", &history.time, samples)?;
    for (name, values) in energies {
        check_curve(name, values, samples)?;
    }
    check_curve("imbalance", &history.imbalance, samples)?;
    if samples == 0 {
        return Err(nothing(title, "sample"));
    }
    // Work that is never done would only hide the other curves at zero.
    let shown = |name: &str, values: &[f64]| {
        !matches!(name, "supplied" | "dissipated") || values.iter().any(|v| *v != 0.0)
    };
    let curves = energies.into_iter().zip(PALETTE);
    let energy = Panel {
        label: "energy [J]".into(),
        curves: curves
            .filter(|((name, values), _)| shown(name, values))
            .map(|((name, values), colour)| Curve { name, values, colour })
            .collect(),
        note: String::new(),
    };
    let imbalance = Panel {
        label: "imbalance [J]".into(),
        curves: vec![Curve { name: "imbalance", values: &history.imbalance, colour: PALETTE[1] }],
        note: largest(history),
    };
    stacked(title, "", &history.time, &[], &[energy, imbalance])
}

/// Says how large the imbalance gets, and when.
fn largest(history: &EnergyHistory) -> String {
    let pairs = history.time.iter().zip(&history.imbalance);
    let (time, size) = pairs.fold(
        (0.0, 0.0),
        |(at, most): (f64, f64), (&t, v)| {
            if v.abs() > most { (t, v.abs()) } else { (at, most) }
        },
    );
    match size {
        0.0 => "no imbalance".into(),
        _ => format!("at most {} J, at t = {} s", typeset(size, 3), typeset(time, 4)),
    }
}
