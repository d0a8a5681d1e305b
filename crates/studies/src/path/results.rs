//! Results of a path in expectations: `limit_point.1.P`, `bifurcation.2.tip`, `limit_point.count`.

use super::PathSpec;
use crate::equilibrium::results as equilibrium;
use poinsot_model::study::{Asked, NoResult, ResultFamily, StudyResult, WholeStudy};

/// What expectations can name.
pub const RESULTS: &[ResultFamily] = &[
    equilibrium::stable("equilibrium.stable"),
    ResultFamily {
        root: "limit_point",
        example: "limit_point.K.NAME",
        fits: |_| true,
        read: |asked| read(asked, "limit_point", &LIMIT),
    },
    ResultFamily {
        root: "bifurcation",
        example: "bifurcation.K.NAME",
        fits: |_| true,
        read: |asked| read(asked, "bifurcation", &BIFURCATION),
    },
    ResultFamily {
        root: "hopf",
        example: "hopf.K.NAME",
        fits: |_| true,
        read: |asked| read(asked, "hopf", &HOPF),
    },
];

/// Singular points are those of the whole path.
const WHOLE: WholeStudy = WholeStudy {
    belongs: "singular points belong to the whole path",
    noun: "singular points",
    mixes: "mixes singular points and quantities of a state",
};

/// Number of points; at a point the parameter, a signal by its index, and the singular directions, or the
/// frequency (Hz) of a Hopf point.
type Words = [&'static str; 4];

const LIMIT: Words =
    ["limit_point.count", "limit_point.parameter", "limit_point.signal", "limit_point.multiplicity"];
const BIFURCATION: Words =
    ["bifurcation.count", "bifurcation.parameter", "bifurcation.signal", "bifurcation.multiplicity"];

const HOPF: Words = ["hopf.count", "hopf.parameter", "hopf.signal", "hopf.frequency"];

fn read(asked: &Asked, root: &str, words: &Words) -> Result<StudyResult, NoResult> {
    let [count, at_parameter, at_signal, last] = *words;
    let (_, word) = last.split_once('.').unwrap_or((root, last));
    let found = |what, at| Ok(StudyResult { whole: Some(&WHOLE), ..StudyResult::new(what, at, None) });
    // Names of signals may have dots.
    let rest = &asked.name[(root.len() + 1).min(asked.name.len())..];
    if rest == "count" {
        return found(count, [0, 0]);
    }
    let Some((index, what)) = rest.split_once('.') else {
        let help = format!("name a quantity at it: {root}.K.NAME with the parameter or a signal");
        return Err(asked.none(help));
    };
    let index = asked.counted(index)?;
    let parameter = asked.request::<PathSpec>().map_or("", |path| &path.parameter);
    match asked.signals.iter().position(|signal| *signal == what) {
        Some(signal) => found(at_signal, [index, signal]),
        None if what == parameter || asked.study.is_none() => found(at_parameter, [index, 0]),
        None if what == word => found(last, [index, 0]),
        None => {
            let known = [&asked.signals[..], &[parameter, word]].concat();
            Err(asked.none(asked.one_of(what, &known)))
        }
    }
}

/// What is known of a singular point.
#[derive(Clone, Debug, Default)]
pub struct SingularResult {
    /// Value of the parameter.
    pub parameter: f64,
    /// Values of the signals.
    pub signals: Vec<f64>,
    /// Singular directions.
    pub multiplicity: usize,
    /// Frequency of small motions that begin to grow (Hz), else zero.
    pub frequency: f64,
}

/// Of the limit points, the bifurcations and the Hopf points of a path.
pub fn answer(result: StudyResult, [limits, bifurcations, hopfs]: &[Vec<SingularResult>; 3]) -> Option<f64> {
    let of = |points: &[SingularResult], words: &Words| {
        let what = words.iter().position(|word| *word == result.what)?;
        let point = points.get(result.at[0]);
        match what {
            0 => Some(points.len() as f64),
            1 => Some(point?.parameter),
            2 => point?.signals.get(result.at[1]).copied(),
            _ if words == &HOPF => Some(point?.frequency),
            _ => Some(point?.multiplicity as f64),
        }
    };
    of(limits, &LIMIT).or_else(|| of(bifurcations, &BIFURCATION)).or_else(|| of(hopfs, &HOPF))
}
