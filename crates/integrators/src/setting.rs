//! Settings of integrators: what each declares, and what was given for them.
//!
//! A [`Setting`] stands in the file of its integrator. Keys of model files, flags, arguments
//! `name(key=value)`, JSON Schema, reference page and help follow from it; all that is given in any of these
//! ways is one map, [`Given`], which is checked against the declarations.

use std::collections::BTreeMap;
use std::fmt;

/// A setting of an integrator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Its key in model files, and its flag.
    pub key: &'static str,
    /// Another word for the key.
    pub alias: Option<&'static str>,
    /// What can be given.
    pub kind: Kind,
    /// What it is, a sentence without its full stop.
    pub text: &'static str,
    /// How messages speak of a value: "{} stages" of a count, "the penalty" of a number.
    pub noun: &'static str,
    /// What holds where nothing is given: a value, or words.
    pub default: &'static str,
    /// What else helps where a value is refused.
    pub help: &'static str,
    /// The forms that use it; all if there are none.
    pub forms: &'static [&'static str],
    /// What the list of integrators shows of it.
    pub listed: Listed,
    /// Whether it belongs to the name of an integrator, `radau(stages=3)`, though it be the default.
    pub in_name: bool,
    /// Whether it holds for the integrator of the file only, and not for one that the command line names.
    pub of_the_file: bool,
}

impl Setting {
    /// One that says nothing yet.
    pub const PLAIN: Setting = Setting {
        key: "",
        alias: None,
        kind: Kind::Flag,
        text: "",
        noun: "",
        default: "",
        help: "",
        forms: &[],
        listed: Listed::No,
        in_name: false,
        of_the_file: false,
    };

    /// How the constraints are imposed: one of these words, the first of which is the default.
    pub const fn form(words: &'static [Word]) -> Setting {
        Setting {
            key: "form",
            alias: Some("constraints"),
            kind: Kind::Word(words),
            text: "How the constraints are imposed",
            default: words[0].word,
            ..Setting::PLAIN
        }
    }

    /// Relative tolerance of Newton's iteration.
    pub const fn newton(default: &'static str) -> Setting {
        Setting {
            key: "tolerance",
            kind: Kind::Number(Range::Positive),
            text: "Relative tolerance of Newton's iteration",
            noun: "the tolerance",
            default,
            ..Setting::PLAIN
        }
    }

    /// Whether each step ends with a projection.
    pub const fn project(default: &'static str) -> Setting {
        Setting {
            key: "project",
            text: "Projects positions and velocities onto the constraints after each step",
            default,
            ..Setting::PLAIN
        }
    }

    /// Its default, if that is a value.
    pub fn default_value(&self) -> Option<Value> {
        self.kind.parse(self.default)
    }

    /// Its words.
    pub fn words(&self) -> &'static [Word] {
        match self.kind {
            Kind::Word(words) => words,
            _ => &[],
        }
    }

    /// Refuses a value that it cannot have.
    pub(crate) fn check(&self, name: &str, value: Value) -> Result<(), SettingError> {
        let refusal = |label: &str, message: String, help: String| {
            let parts = [help.as_str(), self.help].into_iter().filter(|part| !part.is_empty());
            let help = parts.collect::<Vec<_>>().join("; ");
            let help = Some(help).filter(|help| !help.is_empty());
            Err(SettingError { key: self.key, label: label.into(), message, help })
        };
        let Setting { key, noun, .. } = self;
        match (self.kind, value) {
            (Kind::Number(range), Value::Number(value)) if !range.contains(value) => {
                let message = match range {
                    Range::Positive => format!("{noun} must be positive, but is {value}"),
                    Range::NotNegative => format!("{noun} must not be negative, but is {value}"),
                    Range::Between(low, high) => {
                        format!("{name} needs {low} ≤ {key} ≤ {high}, but {key} = {value}")
                    }
                };
                refusal("outside its range", message, String::new())
            }
            (Kind::Count(counts), Value::Count(count)) if !counts.contains(count) => {
                let what = noun.replace("{}", &count.to_string());
                let message = format!("the integrator {name:?} cannot have {what}");
                refusal("not possible", message, format!("it can have {}", counts.told(" to ")))
            }
            (Kind::Word(words), Value::Word(word)) if words.iter().all(|own| own.word != word) => {
                let message = format!("the integrator {name:?} does not have the {key} {word:?}");
                let own: Vec<&str> = words.iter().map(|own| own.word).collect();
                refusal(
                    &format!("not a {key} of this integrator"),
                    message,
                    format!("use {}", own.join(", ")),
                )
            }
            _ => Ok(()),
        }
    }
}

/// What can be given for a setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A number.
    Number(Range),
    /// A whole number.
    Count(Counts),
    /// Yes or no.
    Flag,
    /// One of some words.
    Word(&'static [Word]),
}

/// Numbers that a setting can have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// x > 0.
    Positive,
    /// x ≥ 0.
    NotNegative,
    /// low ≤ x ≤ high.
    Between(f64, f64),
}

/// Whole numbers that a setting can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// All between two, both included.
    Between(usize, usize),
    /// These.
    OneOf(&'static [usize]),
}

/// A word with its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub word: &'static str,
    /// What it means.
    pub text: &'static str,
}

/// What the list of integrators shows of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// Nothing.
    No,
    /// Its key.
    Key,
    /// Its key and its range.
    Range,
}

impl Range {
    fn contains(self, x: f64) -> bool {
        x.is_finite()
            && match self {
                Range::Positive => x > 0.0,
                Range::NotNegative => x >= 0.0,
                Range::Between(low, high) => (low..=high).contains(&x),
            }
    }
}

impl Counts {
    fn contains(self, n: usize) -> bool {
        match self {
            Counts::Between(low, high) => (low..=high).contains(&n),
            Counts::OneOf(list) => list.contains(&n),
        }
    }

    fn told(self, to: &str) -> String {
        match self {
            Counts::Between(low, high) => format!("{low}{to}{high}"),
            Counts::OneOf(list) => list.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
        }
    }
}

impl Kind {
    /// What a message calls it.
    pub fn expected(self) -> String {
        match self {
            Kind::Number(_) => "a number".into(),
            Kind::Count(_) => "a whole number".into(),
            Kind::Flag => "true or false".into(),
            Kind::Word(words) => words.iter().map(|own| own.word).collect::<Vec<_>>().join(", "),
        }
    }

    /// The range in words, where there is one on both sides.
    pub fn range(self) -> Option<String> {
        match self {
            Kind::Number(Range::Between(low, high)) => Some(format!("{low} … {high}")),
            Kind::Count(counts) => Some(counts.told(" … ")),
            _ => None,
        }
    }

    /// The value that a text means, whatever its range.
    pub fn parse(self, text: &str) -> Option<Value> {
        match self {
            Kind::Number(_) => text.parse().ok().filter(|x: &f64| x.is_finite()).map(Value::Number),
            Kind::Count(_) => text.parse().ok().map(Value::Count),
            Kind::Flag => text.parse().ok().map(Value::Flag),
            Kind::Word(words) => words.iter().find(|own| own.word == text).map(|own| Value::Word(own.word)),
        }
    }
}

/// What was given for a setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A whole number.
    Count(usize),
    /// Yes or no.
    Flag(bool),
    /// A word.
    Word(&'static str),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Number(x) => {
                let text = format!("{x:?}");
                f.write_str(text.strip_suffix(".0").unwrap_or(&text))
            }
            Value::Count(n) => n.fmt(f),
            Value::Flag(yes) => yes.fmt(f),
            Value::Word(word) => f.write_str(word),
        }
    }
}

/// All that was given, by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given(BTreeMap<&'static str, Value>);

impl Given {
    /// Takes a value, in the place of one that was given before.
    pub fn insert(&mut self, key: &'static str, value: Value) -> Option<Value> {
        self.0.insert(key, value)
    }

    /// Forgets a value.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        self.0.remove(key)
    }

    /// What was given for a key.
    pub fn get(&self, key: &str) -> Option<Value> {
        self.0.get(key).copied()
    }

    /// Whether nothing was given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keys and values.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Value)> {
        self.0.iter().map(|(key, value)| (*key, *value))
    }

    /// The number that was given for a key.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.get(key)?.number()
    }

    /// The whole number that was given for a key.
    pub fn count(&self, key: &str) -> Option<usize> {
        self.get(key)?.count()
    }

    /// The yes or no that was given for a key.
    pub fn flag(&self, key: &str) -> Option<bool> {
        match self.get(key)? {
            Value::Flag(yes) => Some(yes),
            _ => None,
        }
    }

    /// The word that was given for a key.
    pub fn word(&self, key: &str) -> Option<&'static str> {
        self.get(key)?.word()
    }
}

impl FromIterator<(&'static str, Value)> for Given {
    fn from_iter<I: IntoIterator<Item = (&'static str, Value)>>(all: I) -> Self {
        Given(all.into_iter().collect())
    }
}

impl Value {
    /// The number that it is.
    pub fn number(self) -> Option<f64> {
        match self {
            Value::Number(x) => Some(x),
            _ => None,
        }
    }

    /// The whole number that it is.
    pub fn count(self) -> Option<usize> {
        match self {
            Value::Count(n) => Some(n),
            _ => None,
        }
    }

    /// The word that it is.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Value::Word(word) => Some(word),
            _ => None,
        }
    }
}

/// Why a setting is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct SettingError {
    /// Which one; "integrator" if it is the integrator itself.
    pub key: &'static str,
    /// What stands at its place.
    pub label: String,
    /// In words.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}
