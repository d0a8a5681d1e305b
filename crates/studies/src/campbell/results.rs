//! Results of a Campbell study in expectations: `crossing.1.value`, `instability.1.from`, and modes.

use super::CampbellSpec;
use crate::modes::results as modes;
use poinsot_analysis::{Campbell, Instability, OrderCrossing};
use poinsot_model::study::{Asked, NoResult, ResultFamily, StudyResult};

/// What expectations can name.
pub const RESULTS: &[ResultFamily] = &[
    modes::family(|asked| modes::read(asked, asked.request::<CampbellSpec>().map(|study| study.count))),
    ResultFamily {
        root: "crossing",
        example: "crossing.K.value",
        fits: |rest| rest.len() == 2,
        read: |asked| read(asked, &CROSSING),
    },
    ResultFamily {
        root: "instability",
        example: "instability.K.from",
        fits: |rest| rest.len() == 2,
        read: |asked| read(asked, &INSTABILITY),
    },
];

/// A word with the result that it stands for and its unit.
type Words = [(&'static str, (&'static str, Option<&'static str>))];

/// Of a crossing of a mode with an engine order.
const CROSSING: [(&str, (&str, Option<&str>)); 4] = [
    ("value", ("crossing.value", None)),
    ("frequency", ("crossing.frequency", Some("Hz"))),
    ("mode", ("crossing.mode", None)),
    ("order", ("crossing.order", None)),
];

/// Of a range in which small motions grow.
const INSTABILITY: [(&str, (&str, Option<&str>)); 3] = [
    ("from", ("instability.from", None)),
    ("to", ("instability.to", None)),
    ("frequency", ("instability.frequency", Some("Hz"))),
];

fn read(asked: &Asked, words: &Words) -> Result<StudyResult, NoResult> {
    let index = asked.counted(asked.rest[0])?;
    let (what, unit) = asked.pick(asked.rest[1], words)?;
    Ok(StudyResult::new(what, [index, 0], unit))
}

/// Of a diagram, with modes at a row of it. The ends of a range that the study cuts off have no value.
pub fn answer(result: StudyResult, found: &Campbell, row: Option<usize>) -> Option<f64> {
    let crossing = |of: fn(&OrderCrossing) -> f64| found.crossings.get(result.at[0]).map(of);
    let unstable = |of: fn(&Instability) -> Option<f64>| found.instabilities.get(result.at[0]).and_then(of);
    match result.what {
        "crossing.value" => crossing(|c| c.value),
        "crossing.frequency" => crossing(|c| c.frequency),
        "crossing.mode" => crossing(|c| (c.branch + 1) as f64),
        "crossing.order" => crossing(|c| c.order),
        "instability.from" => unstable(|i| i.from),
        "instability.to" => unstable(|i| i.to),
        "instability.frequency" => unstable(|i| Some(i.frequency)),
        _ => {
            let value = |row: usize| found.branches.iter().map(move |branch| branch.values[row]);
            let parts: Vec<(f64, f64)> = value(row?).map(|value| (value.re, value.im)).collect();
            modes::answer(result, &parts)
        }
    }
}
