//! Shapes of the modes at some values of the parameter, each about the start of the motion there: its strongest
//! harmonic, which swings with the frequency that is told.

use super::run::{Seen, Sweep};
use crate::failure::StudyError;
use crate::initial::begin;
use crate::modes::Mode;
use crate::shapes::{amplitudes, deformations, shapes_about};
use poinsot_analysis::{FloquetSweep, Multiplier};
use poinsot_results as results;
use poinsot_results::scene::Scene;

/// Values of the parameter at which the page shows shapes, at most.
const SHOWN: usize = 12;

/// Frames of some values of the parameter, and the shapes of all modes about them, mode by mode.
pub(super) fn shapes(
    sweep: &mut Sweep,
    found: &FloquetSweep,
    scene: &Scene,
) -> Result<(results::Frames, Option<results::ModeShapes>), StudyError> {
    let mut frames = results::Frames::new(results::FrameSize::of(scene));
    let (last, count) = (found.values.len() - 1, found.values.len().min(SHOWN));
    let rows = (0..count).map(|k| if count > 1 { k * last / (count - 1) } else { 0 });
    let shown: Vec<(usize, usize)> = rows
        .filter_map(|row| {
            let seen = sweep.seen.iter().position(|seen| seen.value == found.values[row])?;
            sweep.seen[seen].frame.iter().all(|x| x.is_finite()).then_some((row, seen))
        })
        .collect();
    shown.iter().for_each(|(_, k)| frames.push(sweep.seen[*k].value, &sweep.seen[*k].frame));
    if scene.bodies.is_empty() || shown.is_empty() {
        return Ok((frames, None));
    }
    let mut all = vec![];
    for (frame, (row, k)) in shown.iter().enumerate() {
        let value = sweep.seen[*k].value;
        let (system, member) = sweep.models.at(value)?;
        let prepared = begin(&member.model, system, member.assembly.clone(), sweep.spec.motion.start)?;
        let seen = &sweep.seen[*k];
        for (number, branch) in found.branches.iter().enumerate() {
            let Some(place) = branch.places[*row] else { continue };
            let m = &found.spectra[*row].floquet.multipliers[place];
            if m.swing.is_empty() || m.swing.iter().all(|x| x.norm() == 0.0) {
                continue;
            }
            let named = shape(number, m, seen, &sweep.spec.parameter);
            let bodies = amplitudes(&prepared, &seen.state.frames, &m.swing);
            let along = deformations(&prepared, &m.swing);
            all.push(((number, frame), results::ModeShape { frame, bodies, amplitudes: along, ..named }));
        }
    }
    all.sort_by_key(|(place, _)| *place);
    let mut shapes: Vec<results::ModeShape> = all.into_iter().map(|(_, shape)| shape).collect();
    shapes.iter_mut().enumerate().for_each(|(k, shape)| shape.number = k as u64 + 1);
    let first = &sweep.seen[shown[0].1].state;
    Ok((frames, if shapes.is_empty() { None } else { Some(shapes_about(sweep.prepared, first, shapes)?) }))
}

fn shape(k: usize, m: &Multiplier, seen: &Seen, parameter: &str) -> results::ModeShape {
    let eigenvalue = results::Complex::new(if m.growth.is_finite() { m.growth } else { 0.0 }, m.frequency);
    let mode = Mode::of(k as u64 + 1, eigenvalue, 1e-9 * eigenvalue.norm(), vec![]);
    let at = results::short(seen.value, 5);
    let hertz = results::short(mode.frequency_hz, 5);
    results::ModeShape {
        name: format!("mode {} at {parameter} = {at}: {hertz} Hz", k + 1),
        details: vec![
            ("Mode".into(), (k + 1).to_string()),
            (parameter.to_owned(), at),
            ("Frequency".into(), format!("{hertz} Hz")),
            ("Its share".into(), format!("{} %", results::short(100.0 * m.share, 3))),
            ("Multiplier".into(), results::short(m.log_size.exp(), 6)),
            ("Growth".into(), format!("{} 1/s", results::short(eigenvalue.re, 4))),
        ],
        eigenvalue,
        frequency_hz: mode.frequency_hz,
        damping_ratio: mode.damping_ratio,
        kind: mode.kind,
        ..results::ModeShape::default()
    }
}
