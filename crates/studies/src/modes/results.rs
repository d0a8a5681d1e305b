//! Results of modes in expectations: `mode.1.frequency`.

use poinsot_model::study::{Asked, NoResult, ResultFamily, StudyResult};
use std::f64::consts::TAU;

/// What there is of an eigenvalue λ, with its unit.
const OF_MODE: [(&str, (&str, &str)); 5] = [
    ("frequency", ("mode.frequency", "Hz")),
    ("circular_frequency", ("mode.circular_frequency", "rad/s")),
    ("damping_ratio", ("mode.damping_ratio", "1")),
    ("real", ("mode.real", "1/s")),
    ("imaginary", ("mode.imaginary", "rad/s")),
];

/// The family `mode.K.…` of a study that has modes.
pub const fn family(read: fn(&Asked) -> Result<StudyResult, NoResult>) -> ResultFamily {
    ResultFamily { root: "mode", example: "mode.K.frequency", fits: |rest| rest.len() == 2, read }
}

/// The result of a name, of a study that computes so many modes, if that is known.
pub fn read(asked: &Asked, count: Option<usize>) -> Result<StudyResult, NoResult> {
    let index = asked.counted(asked.rest[0])?;
    if let Some(count) = count.filter(|count| index >= *count) {
        let help = format!("the study computes {count} modes: raise its `count`");
        return Err((format!("there is no mode {}", index + 1), Some(help)));
    }
    let (what, unit) = asked.pick(asked.rest[1], &OF_MODE)?;
    Ok(StudyResult::new(what, [index, 0], Some(unit)))
}

/// Of the eigenvalues λ, each by its parts: f = Im λ/2π, ω = Im λ, ζ = −Re λ/|λ|.
pub fn answer(result: StudyResult, modes: &[(f64, f64)]) -> Option<f64> {
    let (re, im) = *modes.get(result.at[0])?;
    let size = re.hypot(im);
    match result.what {
        "mode.frequency" => Some(im / TAU),
        "mode.circular_frequency" | "mode.imaginary" => Some(im),
        "mode.damping_ratio" => Some(if size == 0.0 { 0.0 } else { -re / size }),
        "mode.real" => Some(re),
        _ => None,
    }
}
