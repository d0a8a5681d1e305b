//! Whether what runs claim is true.

use crate::choice::{Choice, Family, Pace};
use crate::mechanism::{Mechanism, Watched};
use crate::program::{Bench, Bound, Claim, Run};
use crate::random::norm;

/// What a wrong claim comes from, as far as further runs tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Fixed steps are too long, nothing says so, and shorter ones are right.
    LongSteps,
    /// Adaptive steps of GS4 miss their tolerance by more than ten times.
    AdaptiveGs4,
    /// Adaptive steps with constraints on positions alone do.
    AdaptivePosition,
    /// Adaptive steps of another method do.
    Adaptive,
    /// Embedding is wrong where projection is right.
    Embedding,
    /// Shorter steps do not help.
    Diverging,
    /// The reference differs from two unrelated runs that agree.
    Reference,
    /// Two runs differ and there is no reference.
    Disagreement,
    /// A panic, silence, or a mark that contradicts the exit code.
    Broken,
    /// A run is marked ✗ whose answer is right.
    FalseAlarm,
    /// A run is marked ✗ and exits with 0.
    QuietCross,
}

/// A claim that is not true.
#[derive(Clone, Debug)]
pub struct Finding {
    pub class: Class,
    pub choice: Choice,
    pub words: String,
}

/// What became of a case.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// All that was claimed is true.
    Agreed,
    /// The motion is so sensitive, or so hard, that nobody knows.
    Unsettled(&'static str),
    /// No run claimed anything that could be compared.
    NoClaim,
    Wrong(Finding),
}

/// A case and its runs in words for statistics.
pub struct Judged {
    pub verdict: Verdict,
    pub claims: Vec<(String, Claim)>,
    /// Errors of the two against the reference in parts of what is claimed.
    pub errors: Vec<f64>,
    /// What the runs took (s).
    pub times: Vec<f64>,
}

/// Size of the disturbance that tells how sensitive a motion is: the part of the model, or of a radian, by
/// which it moves a free body until the end.
const NUDGE: f64 = 1e-7;
/// A motion that enlarges a disturbance by more is not judged.
const MOST_SENSITIVE: f64 = 1e3;
/// Errors in other directions may grow so many times more than the disturbance.
const DIRECTIONS: f64 = 5.0;
/// Right: an error below this part of the motion.
const RIGHT: Bound = Bound::Motion(1e-6);

/// Judges a mechanism run by two integrators and, where they claim something, by the reference.
pub fn judge(bench: &Bench, mechanism: &Mechanism, pair: &[Choice; 2]) -> Judged {
    let runs = [bench.run(mechanism, &pair[0], 0.0), bench.run(mechanism, &pair[1], 0.0)];
    let named = |(choice, run): (&Choice, &Run)| (choice.words(), run.claim.clone());
    let mut claims: Vec<_> = pair.iter().zip(&runs).map(named).collect();
    let silent = |run: &Run| {
        matches!(run.claim, Claim::Attention(_) | Claim::Fails(_) | Claim::Refused(_) | Claim::Slow)
    };
    if runs.iter().all(silent) {
        return Judged { verdict: Verdict::NoClaim, claims, errors: vec![], times: vec![] };
    }
    let mut times: Vec<_> = runs.iter().map(|run| run.time).collect();
    let mut broken = None;
    let truth = Choice::references().into_iter().enumerate().find_map(|(which, choice)| {
        let run = bench.run(mechanism, &choice, 0.0);
        claims.push((format!("reference {which}"), run.claim.clone()));
        times.push(run.time);
        if let Claim::Broken(words) = &run.claim {
            broken.get_or_insert(wrong(Class::Broken, &choice, words.clone()));
        }
        let settled = matches!(run.claim, Claim::Holds(_) | Claim::Attention(_));
        run.rows.filter(|_| settled).map(|rows| Truth { which, rows })
    });
    let error = |run: &Run| match (&run.rows, &truth, &run.claim) {
        (Some(rows), Some(truth), Claim::Holds(bound)) => {
            apart(mechanism, rows, &truth.rows, &truth.rows, *bound)
        }
        _ => f64::NAN,
    };
    let errors = runs.iter().map(error).collect();
    let verdict = broken.unwrap_or_else(|| verdict(bench, mechanism, pair, &runs, truth.as_ref()));
    Judged { verdict, claims, errors, times }
}

/// What the reference that came to its end found.
struct Truth {
    /// Number of the reference.
    which: usize,
    rows: Vec<Vec<f64>>,
}

fn verdict(
    bench: &Bench,
    mechanism: &Mechanism,
    pair: &[Choice; 2],
    runs: &[Run; 2],
    truth: Option<&Truth>,
) -> Verdict {
    for (choice, run) in pair.iter().zip(runs) {
        if let Claim::Broken(words) = &run.claim {
            return wrong(Class::Broken, choice, words.clone());
        }
    }
    let Some(reference) = truth else { return without_reference(bench, mechanism, pair, runs) };
    let truth = &reference.rows;
    let mut looked = 0;
    for (k, (choice, run)) in pair.iter().zip(runs).enumerate() {
        let Some(rows) = &run.rows else { continue };
        match &run.claim {
            Claim::Holds(bound) => {
                looked += 1;
                let error = apart(mechanism, rows, truth, truth, *bound);
                if error <= 1.0 {
                    continue;
                }
                let other = runs[1 - k].rows.as_ref();
                let found = suspect(bench, mechanism, choice, rows, *bound, reference, other);
                if !matches!(found, Verdict::Agreed) {
                    return found;
                }
            }
            Claim::Crossed { words, .. } if apart(mechanism, rows, truth, truth, RIGHT) <= 1.0 => {
                return wrong(Class::FalseAlarm, choice, words.clone());
            }
            _ => {}
        }
    }
    for (choice, run) in pair.iter().zip(runs) {
        if let Claim::Crossed { code: 0, words } = &run.claim {
            return wrong(Class::QuietCross, choice, words.clone());
        }
    }
    if looked == 0 { Verdict::NoClaim } else { Verdict::Agreed }
}

fn wrong(class: Class, choice: &Choice, words: String) -> Verdict {
    Verdict::Wrong(Finding { class, choice: choice.clone(), words })
}

/// A run further from the reference than it claims: is the reference right, and how sensitive is the motion?
fn suspect(
    bench: &Bench,
    mechanism: &Mechanism,
    choice: &Choice,
    rows: &[Vec<f64>],
    bound: Bound,
    reference: &Truth,
    other: Option<&Vec<Vec<f64>>>,
) -> Verdict {
    let (references, truth) = (Choice::references(), &reference.rows);
    let error = apart(mechanism, rows, truth, truth, bound);
    let mut others = references[reference.which + 1..].iter();
    let Some(second) = others.find_map(|choice| bench.run(mechanism, choice, 0.0).rows) else {
        return Verdict::Unsettled("the other references fail");
    };
    if apart(mechanism, &second, truth, truth, bound) > 0.3 {
        let agree = other.is_some_and(|other| apart(mechanism, rows, other, truth, bound) < 0.3);
        if agree && apart(mechanism, &second, rows, truth, bound) < 0.3 {
            let words = format!("{error:.1} times the bound");
            return wrong(Class::Reference, &references[reference.which], words);
        }
        return Verdict::Unsettled("references differ");
    }
    let Some(nudged) = bench.run(mechanism, &references[reference.which], nudge(mechanism)).rows else {
        return Verdict::Unsettled("the disturbed reference fails");
    };
    let sensitivity = apart(mechanism, &nudged, truth, truth, Bound::Model(NUDGE)).max(1.0);
    if sensitivity > MOST_SENSITIVE {
        return Verdict::Unsettled("sensitive");
    }
    // What a step errs grows like a disturbance.
    if error <= DIRECTIONS * sensitivity {
        return Verdict::Agreed;
    }
    let words = format!("{error:.1} times {bound:?}, sensitivity {sensitivity:.1}");
    wrong(class(bench, mechanism, choice, truth, error, bound), choice, words)
}

/// The disturbance of velocities (m/s, rad/s).
fn nudge(mechanism: &Mechanism) -> f64 {
    NUDGE * (mechanism.length.max(1.0) / mechanism.end).max(1.0)
}

/// What is wrong with a run, by running it otherwise.
fn class(
    bench: &Bench,
    mechanism: &Mechanism,
    choice: &Choice,
    truth: &[Vec<f64>],
    error: f64,
    bound: Bound,
) -> Class {
    let better = |choice: &Choice| {
        let rows = bench.run(mechanism, choice, 0.0).rows;
        rows.is_some_and(|rows| apart(mechanism, &rows, truth, truth, bound) < 0.3 * error)
    };
    if choice.form == "embedding" && better(&Choice { form: "projected", ..choice.clone() }) {
        return Class::Embedding;
    }
    match choice.pace {
        Pace::Adaptive(_) if choice.family == Family::Gs4 => Class::AdaptiveGs4,
        Pace::Adaptive(_) if choice.form == "position" => Class::AdaptivePosition,
        Pace::Adaptive(_) => Class::Adaptive,
        Pace::Fixed(_) if [4, 16].iter().any(|k| choice.finer(*k).is_some_and(|finer| better(&finer))) => {
            Class::LongSteps
        }
        Pace::Fixed(_) => Class::Diverging,
    }
}

/// Two runs without a reference: they may differ by what both claim.
fn without_reference(bench: &Bench, mechanism: &Mechanism, pair: &[Choice; 2], runs: &[Run; 2]) -> Verdict {
    let [Claim::Holds(first), Claim::Holds(second)] = [&runs[0].claim, &runs[1].claim] else {
        return Verdict::NoClaim;
    };
    let (Some(a), Some(b)) = (&runs[0].rows, &runs[1].rows) else { return Verdict::NoClaim };
    // The looser claim is asked for.
    let loose = |bound: &Bound| match bound {
        Bound::Motion(e) | Bound::Model(e) => *e,
        Bound::Either { model, motion } => model.max(*motion),
    };
    let bound = if loose(first) > loose(second) { *first } else { *second };
    if apart(mechanism, a, b, b, bound) <= 2.0 {
        return Verdict::Agreed;
    }
    // Which of them changes with shorter steps or a disturbance is not to be believed.
    for (choice, rows) in pair.iter().zip([a, b]) {
        let Some(nudged) = bench.run(mechanism, choice, nudge(mechanism)).rows else { continue };
        if apart(mechanism, &nudged, rows, rows, Bound::Model(NUDGE)) > MOST_SENSITIVE {
            return Verdict::Unsettled("sensitive");
        }
        let Some(finer) = choice.finer(4) else { continue };
        let Some(finer) = bench.run(mechanism, &finer, 0.0).rows else { continue };
        if apart(mechanism, &finer, rows, rows, bound) > 1.0 {
            return wrong(Class::LongSteps, choice, "no reference; shorter steps differ".into());
        }
    }
    wrong(Class::Disagreement, &pair[0], format!("no reference; against {}", pair[1].words()))
}

/// How far two motions are apart at most, in parts of a bound; sizes of motions are those of the third.
pub fn apart(mechanism: &Mechanism, a: &[Vec<f64>], b: &[Vec<f64>], sizes: &[Vec<f64>], bound: Bound) -> f64 {
    let mut worst = 0.0f64;
    let mut column = 1;
    for piece in &mechanism.pieces {
        match &piece.watched {
            Watched::Nothing => {}
            Watched::Point | Watched::Beam => {
                worst = worst.max(places(mechanism, column, a, b, sizes, bound));
                column += 3;
            }
            Watched::Body => {
                worst = worst.max(places(mechanism, column, a, b, sizes, bound));
                worst = worst.max(turns(column + 3, a, b, sizes, bound));
                column += 6;
            }
            Watched::Variables(names) => {
                for _ in names {
                    worst = worst.max(variable(column, a, b, sizes, bound));
                    column += 1;
                }
            }
        }
    }
    worst
}

/// A body that moves less than this part of the model's length is judged as if it moved so far.
const LEAST_SHARE: f64 = 0.1;

/// The part of the bound that an error is, for a thing that moves so far in a model of that size.
fn share(error: f64, amplitude: f64, size: f64, bound: Bound) -> f64 {
    let of_motion = |relative: f64| error / (relative * amplitude.max(LEAST_SHARE * size));
    let of_model = |relative: f64| error / (relative * amplitude.max(size));
    let share = match bound {
        Bound::Motion(relative) => of_motion(relative),
        Bound::Model(relative) => of_model(relative),
        Bound::Either { model, motion } => of_model(model).min(of_motion(motion)),
    };
    if share.is_nan() { f64::INFINITY } else { share }
}

fn places(
    m: &Mechanism,
    column: usize,
    a: &[Vec<f64>],
    b: &[Vec<f64>],
    sizes: &[Vec<f64>],
    bound: Bound,
) -> f64 {
    let at = |row: &Vec<f64>| [row[column], row[column + 1], row[column + 2]];
    let distance = |p: [f64; 3], q: [f64; 3]| norm(std::array::from_fn(|k| p[k] - q[k]));
    let error = a.iter().zip(b).map(|(a, b)| distance(at(a), at(b))).fold(0.0, worst);
    let amplitude = sizes.iter().map(|row| distance(at(row), at(&sizes[0]))).fold(0.0, worst);
    share(error, amplitude, m.length, bound)
}

fn turns(column: usize, a: &[Vec<f64>], b: &[Vec<f64>], sizes: &[Vec<f64>], bound: Bound) -> f64 {
    let at = |row: &Vec<f64>| quaternion([row[column], row[column + 1], row[column + 2]]);
    let error = a.iter().zip(b).map(|(a, b)| angle(at(a), at(b))).fold(0.0, worst);
    let amplitude = sizes.windows(2).map(|pair| angle(at(&pair[0]), at(&pair[1]))).sum();
    share(error, amplitude, 1.0, bound)
}

fn variable(column: usize, a: &[Vec<f64>], b: &[Vec<f64>], sizes: &[Vec<f64>], bound: Bound) -> f64 {
    let error = a.iter().zip(b).map(|(a, b)| (a[column] - b[column]).abs()).fold(0.0, worst);
    let amplitude = sizes.iter().map(|row| row[column].abs()).fold(0.0, worst);
    share(error, amplitude, amplitude, bound)
}

/// The greater one; what is no number is the greatest.
fn worst(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

/// Unit quaternion of a rotation vector, scalar last.
fn quaternion(v: [f64; 3]) -> [f64; 4] {
    let angle = norm(v);
    let s = if angle > 1e-12 { (angle / 2.0).sin() / angle } else { 0.5 };
    [s * v[0], s * v[1], s * v[2], (angle / 2.0).cos()]
}

/// Angle between two orientations: 4 asin(|p ∓ q|/2).
fn angle(p: [f64; 4], q: [f64; 4]) -> f64 {
    let length = |sign: f64| (0..4).map(|k| (p[k] - sign * q[k]).powi(2)).sum::<f64>().sqrt();
    4.0 * (worst(-length(1.0), -length(-1.0)).abs() / 2.0).min(1.0).asin()
}
