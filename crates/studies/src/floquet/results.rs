//! Results of a floquet study in expectations: `instability.1.from`, and at a value of the parameter
//! `multiplier.1.magnitude`, `mode.1.growth`, `orbit.period`.

use poinsot_analysis::{FloquetSweep, GrowthRange, MultiBlade, Multiplier};
use poinsot_model::study::{Asked, NoResult, ResultFamily, StudyResult};
use std::f64::consts::TAU;

/// What expectations can name.
pub const RESULTS: &[ResultFamily] = &[
    ResultFamily {
        root: "multiplier",
        example: "multiplier.K.magnitude",
        fits: |rest| rest.len() == 2,
        read: |asked| read(asked, &MULTIPLIER),
    },
    ResultFamily {
        root: "mode",
        example: "mode.K.growth",
        fits: |rest| rest.len() == 2,
        read: |asked| read(asked, &MODE),
    },
    ResultFamily {
        root: "instability",
        example: "instability.K.from",
        fits: |rest| rest.len() == 2 || rest == ["count"],
        read: |asked| match asked.rest[..] {
            ["count"] => Ok(StudyResult::new("instability.count", [0, 0], Some("1"))),
            _ => read(asked, &INSTABILITY),
        },
    },
    ResultFamily {
        root: "multi_blade",
        example: "multi_blade.K.growth",
        fits: |rest| rest.len() == 2,
        read: |asked| read(asked, &MULTI_BLADE),
    },
    ResultFamily {
        root: "orbit",
        example: "orbit.period",
        fits: |rest| rest.len() == 1,
        read: |asked| {
            let (what, unit) = asked.pick(asked.rest[0], &ORBIT)?;
            Ok(StudyResult::new(what, [0, 0], unit))
        },
    },
];

type Words = [(&'static str, (&'static str, Option<&'static str>))];

/// Of a multiplier at a value, the largest first; that of the motion itself is not among them.
const MULTIPLIER: [(&str, (&str, Option<&str>)); 4] = [
    ("magnitude", ("multiplier.magnitude", Some("1"))),
    ("real", ("multiplier.real", Some("1"))),
    ("imaginary", ("multiplier.imaginary", Some("1"))),
    ("error", ("multiplier.error", Some("1"))),
];

/// Of a mode that is followed, at a value.
const MODE: [(&str, (&str, Option<&str>)); 4] = [
    ("magnitude", ("mode.magnitude", Some("1"))),
    ("growth", ("mode.growth", Some("1/s"))),
    ("frequency", ("mode.frequency", Some("Hz"))),
    ("circular_frequency", ("mode.circular_frequency", Some("rad/s"))),
];

/// Of a range in which deviations grow.
const INSTABILITY: [(&str, (&str, Option<&str>)); 6] = [
    ("from", ("instability.from", None)),
    ("to", ("instability.to", None)),
    ("peak", ("instability.peak", None)),
    ("magnitude", ("instability.magnitude", Some("1"))),
    ("growth", ("instability.growth", Some("1/s"))),
    ("frequency", ("instability.frequency", Some("Hz"))),
];

/// Of an exponent in multi-blade coordinates at a value, the greatest growth first; one stands for a pair.
const MULTI_BLADE: [(&str, (&str, Option<&str>)); 3] = [
    ("growth", ("multi_blade.growth", Some("1/s"))),
    ("frequency", ("multi_blade.frequency", Some("Hz"))),
    ("circular_frequency", ("multi_blade.circular_frequency", Some("rad/s"))),
];

/// Of constant equations.
pub fn multi_blade(result: StudyResult, blades: Option<&MultiBlade>) -> Option<f64> {
    let exponent = blades?.exponents.iter().filter(|s| s.im >= 0.0).nth(result.at[0])?;
    match result.what {
        "multi_blade.growth" => Some(exponent.re),
        "multi_blade.frequency" => Some(exponent.im / TAU),
        _ => Some(exponent.im),
    }
}

/// Of the motion at a value.
const ORBIT: [(&str, (&str, Option<&str>)); 3] = [
    ("period", ("orbit.period", Some("s"))),
    ("gauge", ("orbit.gauge", Some("1"))),
    ("error", ("orbit.error", Some("1"))),
];

fn read(asked: &Asked, words: &Words) -> Result<StudyResult, NoResult> {
    let index = asked.counted(asked.rest[0])?;
    let (what, unit) = asked.pick(asked.rest[1], words)?;
    Ok(StudyResult::new(what, [index, 0], unit))
}

/// Of a sweep, with what belongs to a value at a row of it. The ends of a range that the study cuts off have
/// no value.
pub fn answer(
    result: StudyResult,
    found: &FloquetSweep,
    row: Option<usize>,
    changes: &dyn Fn(usize) -> Option<f64>,
) -> Option<f64> {
    let range = |of: fn(&GrowthRange) -> Option<f64>| found.ranges.get(result.at[0]).and_then(of);
    let multiplier = |of: fn(&Multiplier) -> f64| {
        let all = &found.spectra[row?].floquet.multipliers;
        all.iter().filter(|m| !m.trivial).nth(result.at[0]).map(of)
    };
    let mode = |of: fn(&Multiplier) -> f64| {
        let place = (*found.branches.get(result.at[0])?.places.get(row?)?)?;
        Some(of(&found.spectra[row?].floquet.multipliers[place]))
    };
    match result.what {
        "instability.count" => Some(found.ranges.len() as f64),
        "instability.from" => range(|r| r.from),
        "instability.to" => range(|r| r.to),
        "instability.peak" => range(|r| Some(r.peak)),
        "instability.magnitude" => range(|r| Some(r.magnitude)),
        "instability.growth" => range(|r| Some(r.growth)),
        "instability.frequency" => range(|r| Some(r.frequency / TAU)),
        "multiplier.magnitude" => multiplier(|m| m.log_size.exp()),
        "multiplier.real" => multiplier(|m| m.value.re),
        "multiplier.imaginary" => multiplier(|m| m.value.im),
        "multiplier.error" => multiplier(|m| m.error),
        "mode.magnitude" => mode(|m| m.log_size.exp()),
        "mode.growth" => mode(|m| m.growth),
        "mode.frequency" => mode(|m| m.frequency / TAU),
        "mode.circular_frequency" => mode(|m| m.frequency),
        "orbit.period" => Some(found.spectra[row?].period),
        "orbit.gauge" => found.spectra[row?].floquet.gauge,
        "orbit.error" => changes(row?),
        _ => None,
    }
}
