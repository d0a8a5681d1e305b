//! Results of studies that expectations name: `mode.1.frequency`, `matrix.A.1.2`, `limit_point.1.P`.

use super::{Studies, StudyKind, StudyRequest};
use crate::quantity::Quantity;
use crate::spec::Formula;
use crate::suggest::did_you_mean;

/// A result of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StudyResult {
    /// What it is, without numbers: `mode.frequency`.
    pub what: &'static str,
    /// Numbers in its name, from 0.
    pub at: [usize; 2],
    /// Its unit, if it has one.
    pub unit: Option<&'static str>,
    /// Set if it belongs to the study as a whole, not to a state.
    pub whole: Option<&'static WholeStudy>,
}

impl StudyResult {
    /// A result of a state.
    pub fn new(what: &'static str, at: [usize; 2], unit: Option<&'static str>) -> Self {
        StudyResult { what, at, unit, whole: None }
    }
}

/// What is said where an expectation takes what belongs to a whole study for that of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WholeStudy {
    /// That they belong to the whole.
    pub belongs: &'static str,
    /// What they are.
    pub noun: &'static str,
    /// What a formula mixes them with.
    pub mixes: &'static str,
}

/// A name that is no result: why, and what to do.
pub type NoResult = (String, Option<String>);

/// Results with a common first word.
pub struct ResultFamily {
    /// The word; no thing of a model that asks for the study may be called so.
    pub root: &'static str,
    /// A name of the family, for messages.
    pub example: &'static str,
    /// Whether what follows the word may be a name at all.
    pub fits: fn(&[&str]) -> bool,
    /// The result of a name.
    pub read: fn(&Asked) -> Result<StudyResult, NoResult>,
}

/// A name that was asked for.
pub struct Asked<'a> {
    /// The whole name.
    pub name: &'a str,
    /// Its parts after the first word.
    pub rest: Vec<&'a str>,
    /// The study; `None` if it has a mistake.
    pub study: Option<&'a dyn StudyRequest>,
    /// Names of all signals.
    pub signals: Vec<&'a str>,
}

impl Asked<'_> {
    /// The request of the study, if it is known and of this kind.
    pub fn request<R: StudyRequest>(&self) -> Option<&R> {
        self.study?.of()
    }

    /// There is no such result.
    pub fn none(&self, help: impl Into<String>) -> NoResult {
        (format!("there is no result `{}`", self.name), Some(help.into()))
    }

    /// A number from 1 on, as an index from 0.
    pub fn counted(&self, part: &str) -> Result<usize, NoResult> {
        match part.parse::<usize>() {
            Ok(number) if number > 0 => Ok(number - 1),
            _ => Err((format!("`{part}` in `{}` is not a number from 1 on", self.name), None)),
        }
    }

    /// One of several words.
    pub fn pick<T: Copy>(&self, part: &str, all: &[(&str, T)]) -> Result<T, NoResult> {
        pick(self.name, part, all)
    }

    /// The help that offers the nearest name, or all.
    pub fn one_of(&self, part: &str, all: &[&str]) -> String {
        did_you_mean(part, all).unwrap_or_else(|| format!("one of {}", all.join(", ")))
    }
}

/// One of several words that end a name.
pub fn pick<T: Copy>(name: &str, part: &str, all: &[(&str, T)]) -> Result<T, NoResult> {
    let found = all.iter().find(|(word, _)| *word == part);
    let words: Vec<&str> = all.iter().map(|(word, _)| *word).collect();
    found.map(|(_, value)| *value).ok_or_else(|| {
        let help = did_you_mean(part, &words).unwrap_or_else(|| format!("one of {}", words.join(", ")));
        (format!("there is no result `{name}`"), Some(help))
    })
}

/// What a study answers when it is asked for one of its results.
pub type Answers<'a> = dyn Fn(StudyResult) -> Option<f64> + 'a;

/// The value of a formula of results of a study alone; not a number where there is none.
pub fn evaluate(formula: &Formula, answers: &dyn Fn(Quantity) -> Option<f64>) -> f64 {
    let values: Vec<f64> = formula.quantities.iter().map(|q| answers(*q).unwrap_or(f64::NAN)).collect();
    formula.program.eval(&values)
}

/// The word that starts the results of events, which are the model's own.
pub(crate) const EVENT: &str = "event";

impl Studies {
    /// Whether results start with this word.
    pub(crate) fn is_root(self, word: &str) -> bool {
        word == EVENT || self.families().any(|family| family.root == word)
    }

    /// Whether results of one of the studies that are asked for, or of events, start with this word.
    pub(crate) fn is_root_of(self, word: &str, asked: &[&str]) -> bool {
        let kinds = self.0.iter().filter(|kind| asked.contains(&kind.word()));
        word == EVENT || kinds.flat_map(|kind| kind.results()).any(|family| family.root == word)
    }

    fn families(self) -> impl Iterator<Item = &'static ResultFamily> {
        self.0.iter().flat_map(|kind| kind.results())
    }

    /// The result of a name.
    pub(crate) fn result(self, asked: &Asked) -> Result<StudyResult, NoResult> {
        let (root, _) = asked.name.split_once('.').unwrap_or((asked.name, ""));
        let of = |kind: &&'static dyn StudyKind| kind.results().iter().find(|family| family.root == root);
        let owners: Vec<(&str, &ResultFamily)> =
            self.0.iter().filter_map(|kind| Some((kind.word(), of(kind)?))).collect();
        let family = match asked.study {
            None => owners.first(),
            Some(study) => owners.iter().find(|(word, _)| *word == study.word()),
        };
        let fits = |(_, family): &(&str, &ResultFamily)| (family.fits)(&asked.rest);
        if !family.map_or_else(|| owners.iter().any(fits), fits) {
            return Err(asked.none(self.all_results()));
        }
        match (family, asked.study) {
            (Some((_, family)), _) => (family.read)(asked),
            (None, study) => {
                let types: Vec<String> = owners.iter().map(|(word, _)| format!("{word:?}")).collect();
                let word = study.map_or("", |study| study.word());
                let message = format!("a study of type {word:?} has no result `{}`", asked.name);
                Err((message, Some(format!("it needs a study of type {}", types.join(" or ")))))
            }
        }
    }

    /// A name of each family.
    fn all_results(self) -> String {
        let mut names: Vec<&str> = vec![];
        for family in self.families().filter(|family| !family.example.is_empty()) {
            if !names.contains(&family.example) {
                names.push(family.example);
            }
        }
        let numbered = |name: &str| match name == names[0] {
            true => format!("{name} (K = 1, 2, …)"),
            false => name.to_owned(),
        };
        let list: Vec<String> = names.iter().map(|name| numbered(name)).collect();
        format!("results are {} and event.NAME.count", list.join(", "))
    }
}
