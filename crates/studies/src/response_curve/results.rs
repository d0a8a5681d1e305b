//! Results of a response curve in expectations: `fold.1.W`, `doubling.count`, `response.x.amplitude`.

use super::{MEASURES, ResponseSpec};
use poinsot_analysis::OrbitSingularKind;
use poinsot_model::study::{Asked, NoResult, ResultFamily, StudyResult, WholeStudy};

/// What expectations can name.
pub const RESULTS: &[ResultFamily] = &[
    ResultFamily {
        root: "fold",
        example: "fold.K.NAME",
        fits: |_| true,
        read: |asked| read(asked, "fold", &FOLD),
    },
    ResultFamily {
        root: "doubling",
        example: "doubling.K.NAME",
        fits: |_| true,
        read: |asked| read(asked, "doubling", &DOUBLING),
    },
    ResultFamily {
        root: "torus",
        example: "torus.K.NAME",
        fits: |_| true,
        read: |asked| read(asked, "torus", &TORUS),
    },
    ResultFamily {
        root: "branch",
        example: "branch.K.NAME",
        fits: |_| true,
        read: |asked| read(asked, "branch", &BRANCH),
    },
    ResultFamily {
        root: "hopf",
        example: "hopf.1.NAME",
        fits: |_| true,
        read: |asked| read(asked, "hopf", &HOPF),
    },
    ResultFamily { root: "response", example: "response.SIGNAL.amplitude", fits: |_| true, read: response },
];

/// Singular points are those of the whole curve.
const WHOLE: WholeStudy = WholeStudy {
    belongs: "singular points belong to the whole curve",
    noun: "singular points",
    mixes: "mixes singular points and motions at one value of the parameter",
};

/// Number of points; at a point the parameter, a measure of a signal, the period, the frequency of the
/// multiplier that passes (Hz).
type Words = [&'static str; 5];

const FOLD: Words = ["fold.count", "fold.parameter", "fold.signal", "fold.period", "fold.frequency"];
const DOUBLING: Words =
    ["doubling.count", "doubling.parameter", "doubling.signal", "doubling.period", "doubling.frequency"];
const TORUS: Words = ["torus.count", "torus.parameter", "torus.signal", "torus.period", "torus.frequency"];
const BRANCH: Words =
    ["branch.count", "branch.parameter", "branch.signal", "branch.period", "branch.frequency"];
const HOPF: Words = ["hopf.count", "hopf.parameter", "hopf.signal", "hopf.period", "hopf.frequency"];
const POINT: [&str; 4] = ["response.signal", "response.period", "response.multiplier", "response.stable"];

/// The place of SIGNAL.MEASURE among all measures; names of signals may have dots.
fn measure(asked: &Asked, name: &str) -> Option<usize> {
    let (signal, word) = name.rsplit_once('.')?;
    let measure = MEASURES.iter().position(|(known, _)| *known == word)?;
    let signal = asked.signals.iter().position(|known| *known == signal)?;
    Some(signal * MEASURES.len() + measure)
}

fn known_words(asked: &Asked, others: &[&str]) -> Vec<String> {
    let measures = asked
        .signals
        .iter()
        .take(1)
        .flat_map(|signal| MEASURES.iter().map(move |(word, _)| format!("{signal}.{word}")));
    others.iter().map(|word| (*word).to_owned()).chain(measures).collect()
}

fn read(asked: &Asked, root: &str, words: &Words) -> Result<StudyResult, NoResult> {
    let [count, at_parameter, at_signal, period, frequency] = *words;
    let found = |what, at, unit| Ok(StudyResult { whole: Some(&WHOLE), ..StudyResult::new(what, at, unit) });
    let rest = &asked.name[(root.len() + 1).min(asked.name.len())..];
    if rest == "count" {
        return found(count, [0, 0], Some("1"));
    }
    let Some((index, what)) = rest.split_once('.') else {
        let help = format!("name a quantity at it: {root}.K.NAME with the parameter or SIGNAL.amplitude");
        return Err(asked.none(help));
    };
    let index = asked.counted(index)?;
    let parameter = asked.request::<ResponseSpec>().map_or("", |spec| &spec.parameter);
    match measure(asked, what) {
        Some(place) => found(at_signal, [index, place], None),
        None if what == parameter || asked.study.is_none() => found(at_parameter, [index, 0], None),
        None if what == "period" => found(period, [index, 0], Some("s")),
        None if what == "frequency" => found(frequency, [index, 0], Some("Hz")),
        None => {
            let known = known_words(asked, &[parameter, "period", "frequency"]);
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            Err(asked.none(asked.one_of(what, &known)))
        }
    }
}

fn response(asked: &Asked) -> Result<StudyResult, NoResult> {
    let rest = &asked.name[("response".len() + 1).min(asked.name.len())..];
    let [signal, period, multiplier, stable] = POINT;
    match measure(asked, rest) {
        Some(place) => Ok(StudyResult::new(signal, [0, place], None)),
        None if rest == "period" => Ok(StudyResult::new(period, [0, 0], Some("s"))),
        None if rest == "multiplier" => Ok(StudyResult::new(multiplier, [0, 0], Some("1"))),
        None if rest == "stable" => Ok(StudyResult::new(stable, [0, 0], Some("1"))),
        None if asked.study.is_none() => Ok(StudyResult::new(signal, [0, 0], None)),
        None => {
            let known = known_words(asked, &["period", "multiplier", "stable"]);
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            Err(asked.none(asked.one_of(rest, &known)))
        }
    }
}

/// What is known of a motion on the curve.
#[derive(Clone, Debug, Default)]
pub struct MotionResult {
    /// Value of the parameter.
    pub parameter: f64,
    /// The period (s).
    pub period: f64,
    /// Measures of all signals, one after the other.
    pub measures: Vec<f64>,
    /// Largest |λ|.
    pub multiplier: f64,
    /// Whether no multiplier lies outside the unit circle.
    pub stable: bool,
    /// Frequency of the multiplier that passes, or of the small motion (Hz).
    pub frequency: f64,
}

/// Of a motion.
pub fn of_motion(result: StudyResult, at: &MotionResult) -> Option<f64> {
    match POINT.iter().position(|word| *word == result.what)? {
        0 => at.measures.get(result.at[1]).copied(),
        1 => Some(at.period),
        2 => Some(at.multiplier),
        _ => Some(f64::from(at.stable)),
    }
}

/// Of singular points.
pub fn of_singular(
    result: StudyResult,
    points: &[(OrbitSingularKind, MotionResult)],
    hopf: Option<&MotionResult>,
) -> Option<f64> {
    let kinds = [
        (OrbitSingularKind::Fold, &FOLD),
        (OrbitSingularKind::Doubling, &DOUBLING),
        (OrbitSingularKind::Torus, &TORUS),
        (OrbitSingularKind::Branch, &BRANCH),
    ];
    let answer = |all: Vec<&MotionResult>, words: &Words| {
        let what = words.iter().position(|word| *word == result.what)?;
        let point = all.get(result.at[0]);
        match what {
            0 => Some(all.len() as f64),
            1 => Some(point?.parameter),
            2 => point?.measures.get(result.at[1]).copied(),
            3 => Some(point?.period),
            _ => Some(point?.frequency),
        }
    };
    let of_kind = |kind: OrbitSingularKind| points.iter().filter(move |(k, _)| *k == kind).map(|(_, m)| m);
    kinds
        .into_iter()
        .find_map(|(kind, words)| answer(of_kind(kind).collect(), words))
        .or_else(|| answer(hopf.into_iter().collect(), &HOPF))
}
