//! Integrators on the command line: `name`, `name:form`, `name(rho=0.8)`, `radau(stages=5):position`,
//! `V0(1,1,0)`, `energy-momentum(directors,penalty=1e6):penalty`.

use poinsot_integrators::{Given, Key, Kind, Member, MemberError, SettingError, Value, keys};
use poinsot_model::spec::{IntegratorSpec, MotionSpec};
use thiserror::Error;

/// An integrator that cannot be read.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ArgumentError {
    /// One of the list.
    #[error("`{text}`: {fault}")]
    Wrong {
        /// As it was written.
        text: String,
        /// What is wrong with it.
        fault: ArgumentFault,
    },
    /// The same again.
    #[error("`{0}` stands twice in the list")]
    Twice(String),
    /// No structure-preserving scheme.
    #[error("there is no {0}")]
    NoScheme(&'static str),
}

impl ArgumentError {
    /// The same of what stands for it.
    pub(crate) fn of(self, text: &str) -> Self {
        match self {
            ArgumentError::Wrong { fault, .. } => fault.of(text),
            other => other,
        }
    }
}

/// What is wrong with an integrator as it is written.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ArgumentFault {
    /// A bracket.
    #[error("the bracket is not closed")]
    OpenBracket,
    /// Words behind the bracket.
    #[error("`{0}` behind the bracket is not `:form`")]
    Tail(String),
    /// A form before and behind the bracket.
    #[error("two forms")]
    TwoForms,
    /// A root.
    #[error("`{0}` is not a number")]
    NotANumber(String),
    /// The number of roots.
    #[error("{0} needs three roots: {0}(rmin,rmax,rs)")]
    Roots(String),
    /// The roots themselves.
    #[error(transparent)]
    Member(#[from] MemberError),
    /// The name, or the value of a setting.
    #[error("{}{}", .0.message, .0.help.as_ref().map_or(String::new(), |help| format!("; {help}")))]
    Setting(#[from] SettingError),
    /// A setting of other integrators.
    #[error("the integrator {integrator} has no `{key}`")]
    NotUsed {
        /// Its name.
        integrator: &'static str,
        /// The setting.
        key: &'static str,
    },
    /// A value of another kind.
    #[error("`{value}` is not {expected}")]
    Kind {
        /// As it was written.
        value: String,
        /// What it should be.
        expected: String,
    },
    /// An argument that no integrator has.
    #[error("`{argument}` is none of {known}{hint}")]
    NoArgument {
        /// As it was written.
        argument: String,
        /// What there is.
        known: String,
        /// The one that is meant, maybe.
        hint: String,
    },
    /// A form that no integrator has.
    #[error("there is no form `{word}`; {hint}known are {known}")]
    NoForm {
        /// As it was written.
        word: String,
        /// The one that is meant, maybe.
        hint: String,
        /// What there is.
        known: String,
    },
}

impl ArgumentFault {
    /// The error of an integrator that is written so.
    pub(crate) fn of(self, text: &str) -> ArgumentError {
        ArgumentError::Wrong { text: text.into(), fault: self }
    }
}

/// An integrator that was asked for by name.
#[derive(Clone, Debug)]
pub struct Choice {
    /// As it was written.
    pub text: String,
    /// The integrator.
    pub spec: IntegratorSpec,
    /// Fixed steps, although it could choose them.
    fixed: bool,
}

impl Choice {
    /// The integrator of a study.
    pub fn of(study: &MotionSpec) -> Self {
        let spec = study.integrator.clone();
        let member = spec.method.gs4().filter(|_| spec.name == "gs4").map(|settings| settings.member);
        let mut text = match (member, arguments(&spec)) {
            (Some(m), _) => format!("{:?}({},{},{})", m.family, m.rho_min, m.rho_max, m.rho_s),
            (None, list) if list.is_empty() => spec.name.to_string(),
            (None, list) => {
                let list: Vec<String> = list.into_iter().map(|(_, text)| text).collect();
                format!("{}({})", spec.name, list.join(","))
            }
        };
        text += &format!(":{}", spec.form());
        Choice { text, fixed: study.step().is_some(), spec }
    }

    /// Whether it chooses its steps.
    pub fn is_adaptive(&self) -> bool {
        self.spec.estimates_errors() && !self.fixed
    }

    /// Reads one; `newton` is the tolerance of Newton's iteration in GS4, if not the default.
    pub fn parse(text: &str, newton: Option<f64>) -> Result<Self, ArgumentError> {
        let wrong = |fault: ArgumentFault| fault.of(text);
        let parts = Parts::split(text).map_err(wrong)?;
        let member = parts.member().map_err(wrong)?;
        let (mut given, pace) = parts.given(member.is_some()).map_err(wrong)?;
        let resolve = |given: &Given| {
            let found = match member {
                Some(member) => IntegratorSpec::by_roots(member, given),
                None => IntegratorSpec::named(parts.name, given),
            };
            found.map_err(|error| wrong(error.into()))
        };
        let (mut spec, unused) = resolve(&given)?;
        if let Some(key) = unused.first() {
            return Err(wrong(ArgumentFault::NotUsed { integrator: spec.name, key }));
        }
        if let (Some(newton), true, None) = (newton, spec.method.gs4().is_some(), given.number("tolerance")) {
            given.insert("tolerance", Value::Number(newton));
            spec = resolve(&given)?.0;
        }
        let fixed = pace.unwrap_or(spec.method.prefers_equal_steps());
        Ok(Choice { text: text.trim().into(), spec, fixed })
    }

    /// Reads a list with commas in between.
    pub fn list(text: &str, newton: Option<f64>) -> Result<Vec<Self>, ArgumentError> {
        let mut found: Vec<Choice> = vec![];
        for part in split_outside(text) {
            let choice = Choice::parse(part, newton)?;
            if found.iter().any(|other| other.text == choice.text) {
                return Err(ArgumentError::Twice(choice.text));
            }
            found.push(choice);
        }
        Ok(found)
    }
}

/// What an integrator has besides its form, as keys with arguments in brackets: what belongs to its name, and
/// what is not the default.
pub fn arguments(spec: &IntegratorSpec) -> Vec<(&'static str, String)> {
    let besides = spec.entry().settings().into_iter().filter(|setting| setting.key != FORM);
    let values = besides.filter_map(|setting| {
        let (given, default) = (spec.given.get(setting.key), setting.default_value());
        let value = if setting.in_name { given.or(default) } else { given.filter(|v| Some(*v) != default) };
        Some((setting.key, value?))
    });
    let texts = values.map(|(key, value)| match value {
        Value::Word(word) => (key, word.to_owned()),
        value => (key, format!("{key}={value}")),
    });
    texts.collect()
}

/// The key that stands behind a colon.
const FORM: &str = "form";

/// The parts of `name(arguments):form` or `name:form(arguments)`.
struct Parts<'a> {
    name: &'a str,
    arguments: Vec<&'a str>,
    form: Option<&'a str>,
}

impl<'a> Parts<'a> {
    fn split(text: &'a str) -> Result<Self, ArgumentFault> {
        let text = text.trim();
        let (head, inside, tail) = match text.split_once('(') {
            None => (text, None, ""),
            Some((head, rest)) => {
                let (inside, tail) = rest.rsplit_once(')').ok_or(ArgumentFault::OpenBracket)?;
                (head, Some(inside), tail.trim())
            }
        };
        let (name, before) = match head.split_once(':') {
            Some((name, form)) => (name, Some(form)),
            None => (head, None),
        };
        let after = match (tail, tail.strip_prefix(':')) {
            ("", _) => None,
            (_, Some(form)) => Some(form),
            _ => return Err(ArgumentFault::Tail(tail.into())),
        };
        if before.is_some() && after.is_some() {
            return Err(ArgumentFault::TwoForms);
        }
        let arguments = inside.map_or(vec![], |inside| inside.split(',').map(str::trim).collect());
        Ok(Parts { name: name.trim(), arguments, form: before.or(after).map(str::trim) })
    }

    /// The member of GS4 with these roots, if it is given so.
    fn member(&self) -> Result<Option<Member>, ArgumentFault> {
        let make = match self.name {
            "U0" => Member::u0,
            "V0" => Member::v0,
            _ => return Ok(None),
        };
        let roots: Result<Vec<f64>, ArgumentFault> = self.arguments.iter().map(|text| number(text)).collect();
        let [low, high, spurious] = roots?[..] else {
            return Err(ArgumentFault::Roots(self.name.into()));
        };
        let member = make(low, high, spurious);
        member.check()?;
        Ok(Some(member))
    }

    /// The settings in brackets and behind the colon, and whether steps shall be fixed, if that is said.
    fn given(&self, by_roots: bool) -> Result<(Given, Option<bool>), ArgumentFault> {
        let (mut given, mut fixed) = (Given::default(), None);
        for argument in self.arguments.iter().filter(|_| !by_roots) {
            match (*argument, argument.split_once('=')) {
                ("fixed" | "adaptive", _) => fixed = Some(*argument == "fixed"),
                (_, Some((key, value))) => {
                    let key = besides(key.trim()).ok_or_else(|| none_of(argument))?;
                    let (value, kind) = (value.trim(), key.setting.kind);
                    let wrong = || ArgumentFault::Kind { value: value.into(), expected: kind.expected() };
                    given.insert(key.setting.key, key.parse(value).ok_or_else(wrong)?);
                }
                (word, None) => {
                    let has = |key: &&Key| key.words.iter().any(|own| own.word == word);
                    let key = keys().iter().filter(|key| key.setting.key != FORM).find(has);
                    let value = key.and_then(|key| Some((key.setting.key, key.parse(word)?)));
                    let (key, value) = value.ok_or_else(|| none_of(argument))?;
                    given.insert(key, value);
                }
            }
        }
        if let Some((key, value)) = self.form()? {
            given.insert(key, value);
        }
        Ok((given, fixed))
    }

    fn form(&self) -> Result<Option<(&'static str, Value)>, ArgumentFault> {
        let (Some(word), Some(key)) = (self.form, keys().iter().find(|key| key.setting.key == FORM)) else {
            return Ok(None);
        };
        let unknown = || {
            let words: Vec<&str> = key.words.iter().map(|own| own.word).collect();
            let hint = poinsot_expr::suggest(word, &words)
                .map_or(String::new(), |s| format!("did you mean `{s}`? "));
            ArgumentFault::NoForm { word: word.into(), hint, known: words.join(", ") }
        };
        key.parse(word).map(|value| Some((key.setting.key, value))).ok_or_else(unknown)
    }
}

/// A setting that stands in brackets.
fn besides(key: &str) -> Option<&'static Key> {
    keys().iter().find(|own| own.setting.key == key && key != FORM)
}

/// What an argument can be.
fn none_of(argument: &str) -> ArgumentFault {
    let rest = keys().iter().filter(|key| key.setting.key != FORM);
    let (words, numbers): (Vec<&Key>, Vec<&Key>) =
        rest.partition(|key| matches!(key.setting.kind, Kind::Word(_)));
    let names: Vec<&str> = numbers.iter().map(|key| key.setting.key).collect();
    let hint = argument.split('=').next().and_then(|key| poinsot_expr::suggest(key.trim(), &names));
    let hint = hint.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    let numbers = names.iter().map(|key| format!("{key}=…"));
    let words = words.iter().flat_map(|key| key.words.iter().map(|own| own.word.to_owned()));
    let all: Vec<String> = numbers.chain(["fixed".into(), "adaptive".into()]).chain(words).collect();
    ArgumentFault::NoArgument { argument: argument.into(), known: all.join(", "), hint }
}

fn number(text: &str) -> Result<f64, ArgumentFault> {
    text.parse()
        .ok()
        .filter(|value: &f64| value.is_finite())
        .ok_or_else(|| ArgumentFault::NotANumber(text.into()))
}

/// Splits at commas outside of brackets.
pub fn split_outside(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (vec![], 0usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use poinsot_mechanics::conserving::Coordinates;

    #[test]
    fn every_way_of_writing() {
        let list = Choice::list(
            "radau:position, generalized-alpha(rho=0.8),radau(stages=5, fixed),V0(1,1,0):position",
            None,
        );
        let list = list.unwrap();
        let forms: Vec<&str> = list.iter().map(|c| c.spec.form()).collect();
        assert_eq!(forms, ["position", "stabilised", "stabilised", "position"]);
        assert_eq!(list[1].spec.value("rho"), Some(Value::Number(0.8)));
        assert_eq!(list[2].spec.value("stages"), Some(Value::Count(5)));
        let adaptive: Vec<bool> = list.iter().map(Choice::is_adaptive).collect();
        assert_eq!(adaptive, [true, false, false, false]);
        assert_eq!(list[3].spec.method.gs4().unwrap().member, Member::v0(1.0, 1.0, 0.0));
        let whole =
            Choice::parse("energy-momentum(directors,penalty=1e6,dissipation=0.1):penalty", None).unwrap();
        assert_eq!((whole.spec.form(), whole.spec.given.number("penalty")), ("penalty", Some(1e6)));
        let settings = whole.spec.method.conserving().unwrap();
        assert_eq!((settings.coordinates, settings.dissipation), (Coordinates::Directors, 0.1));
        assert!(!whole.is_adaptive());
        let two = Choice::parse("radau:position(stages=2)", None).unwrap();
        assert_eq!(two.spec.value("stages"), Some(Value::Count(2)));
        assert_eq!(Choice::parse("hht", Some(1e-13)).unwrap().spec.method.gs4().unwrap().tolerance, 1e-13);
    }

    #[test]
    fn mistakes_are_named() {
        let says = |text: &str, part: &str| {
            let error = Choice::list(text, None).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        says("radua", "did you mean `radau`?");
        says("radau:positon", "did you mean `position`?");
        says("radau(stages=4)", "cannot have 4 stages");
        says("radau(rho=1)", "has no `rho`");
        says("radau(stags=3)", "did you mean `stages`?");
        says("radau(stages=three)", "`three` is not a whole number");
        says("radau(colour=red)", "none of rho");
        says("radau(stages=3", "not closed");
        says("V0(1,1)", "three roots");
        says("U0(1,0.5,0)", "must obey");
        says("energy-momentum(points=3)", "has no `points`");
        says("cg1(points=11)", "cannot have 11 Gauss points");
        says("hht(directors)", "has no `coordinates`");
        says("variational-midpoint:penalty", "does not have the form \"penalty\"");
        says("hht,hht", "stands twice");
        says("hht,", "unknown integrator");
    }
}
