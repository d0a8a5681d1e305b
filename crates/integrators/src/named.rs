//! Integrators by name: the one list for model files, command line, schema and reference page.

use crate::method::{Method, integrators};
use crate::setting::{Given, Kind, Listed, Setting, SettingError, Value, Word};
use std::sync::LazyLock;

/// How an integrator is called.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Label {
    /// Its name in model files.
    pub name: &'static str,
    /// Other names of the same thing.
    pub aliases: &'static [&'static str],
    /// What it is, in one line.
    pub summary: &'static str,
}

impl Label {
    /// Whether it is called by this name.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

/// An integrator that can be had by name.
pub trait Named {
    /// How it is called.
    fn label(&self) -> Label;

    /// Its name.
    fn name(&self) -> &'static str {
        self.label().name
    }

    /// Other names.
    fn aliases(&self) -> &'static [&'static str] {
        self.label().aliases
    }

    /// What it is, in one line.
    fn summary(&self) -> &'static str {
        self.label().summary
    }

    /// What it has most settings in common with: one of a family takes over what was given for another.
    fn family(&self) -> &'static str {
        self.name()
    }

    /// Whether it does not know first-order equations.
    fn mechanics_only(&self) -> bool {
        false
    }

    /// Its settings.
    fn settings(&self) -> Vec<Setting>;

    /// What one of its other names says besides.
    fn meant_by(&self, _alias: &str) -> Option<(&'static str, Value)> {
        None
    }

    /// The method with these settings, each of which was checked against its declaration.
    fn method(&self, given: &Given) -> Result<Method, SettingError>;
}

impl dyn Named + '_ {
    /// Its setting of a key.
    pub fn setting(&self, key: &str) -> Option<Setting> {
        self.settings().into_iter().find(|setting| setting.key == key)
    }

    /// What holds for a key: what was given, else the default, if that is a value.
    pub fn in_force(&self, key: &str, given: &Given) -> Option<Value> {
        given.get(key).or_else(|| self.setting(key)?.default_value())
    }

    /// The words of a key that it can have, all else being the default.
    pub fn words(&self, key: &str) -> Vec<&'static str> {
        let Some(setting) = self.setting(key) else { return vec![] };
        let with = |word| Given::from_iter([(setting.key, Value::Word(word))]);
        let words = setting.words().iter().map(|own| own.word);
        words.filter(|word| self.method(&with(word)).is_ok()).collect()
    }

    /// Whether it estimates its errors, so that a study can choose the steps.
    pub fn is_adaptive(&self) -> bool {
        self.method(&Given::default()).is_ok_and(|method| method.estimates_errors())
    }

    /// What can be chosen, in the list of integrators.
    pub fn choices(&self) -> String {
        let listed = self.settings().into_iter().filter(|setting| setting.listed != Listed::No);
        let texts = listed.map(|Setting { key, kind, listed, .. }| match kind.range() {
            Some(range) if listed == Listed::Range => format!("{key} {range}"),
            _ => key.into(),
        });
        texts.collect::<Vec<_>>().join(", ")
    }

    /// Checks what was given and makes the method.
    ///
    /// `alias` is the name that was used.
    pub fn resolve(&self, alias: &str, given: &Given) -> Result<Resolved, SettingError> {
        let mut given = given.clone();
        if let Some((key, value)) = self.meant_by(alias) {
            self.agree(alias, key, value, &mut given)?;
        }
        let settings = self.settings();
        for setting in &settings {
            if let Some(value) = given.get(setting.key) {
                setting.check(self.name(), value).map_err(|error| with_owners(error, value))?;
            }
        }
        let form = self.in_force("form", &given).and_then(Value::word);
        let uses = |setting: &Setting| {
            setting.forms.is_empty() || form.is_some_and(|form| setting.forms.contains(&form))
        };
        let used = |key: &str| settings.iter().any(|setting| setting.key == key && uses(setting));
        let unused: Vec<&'static str> = given.iter().map(|(key, _)| key).filter(|key| !used(key)).collect();
        for key in &unused {
            wanted_by_some(key, given.get(key))?;
        }
        for key in &unused {
            given.remove(key);
        }
        let method = self.method(&given)?;
        Ok(Resolved { given, method, unused })
    }

    /// A name that says a value says it alone.
    fn agree(
        &self,
        alias: &str,
        key: &'static str,
        value: Value,
        given: &mut Given,
    ) -> Result<(), SettingError> {
        match given.insert(key, value) {
            Some(other) if other != value => {
                let noun = self.setting(key).map_or("", |setting| setting.noun);
                let what = noun.replace("{}", &other.to_string());
                Err(SettingError {
                    key,
                    label: "not possible".into(),
                    message: format!("the integrator {alias:?} cannot have {what}"),
                    help: Some(format!("it can have {value}")),
                })
            }
            _ => Ok(()),
        }
    }
}

/// A method that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// What was given and is used.
    pub given: Given,
    /// The method.
    pub method: Method,
    /// What was given although nothing uses it.
    pub unused: Vec<&'static str>,
}

/// The integrator with this name or alias.
pub fn find(name: &str) -> Option<&'static dyn Named> {
    integrators().into_iter().find(|entry| entry.label().is_called(name))
}

/// A key of all integrators together.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// The first declaration; its words are those of all.
    pub setting: Setting,
    /// All words with their meanings.
    pub words: Vec<Word>,
    /// What it is and who has it with which range and default.
    pub text: String,
}

impl Key {
    /// The value that a text means to some integrator.
    pub fn parse(&self, text: &str) -> Option<Value> {
        match self.setting.kind {
            Kind::Word(_) => self.words.iter().find(|own| own.word == text).map(|own| Value::Word(own.word)),
            kind => kind.parse(text),
        }
    }
}

/// The keys of all integrators.
pub fn keys() -> &'static [Key] {
    static KEYS: LazyLock<Vec<Key>> = LazyLock::new(gathered);
    &KEYS
}

fn gathered() -> Vec<Key> {
    let mut all: Vec<(Setting, Vec<Word>)> = vec![];
    for setting in integrators().iter().flat_map(|entry| entry.settings()) {
        let place = all.iter().position(|(known, _)| known.key == setting.key);
        let place = place.unwrap_or_else(|| {
            all.push((setting, vec![]));
            all.len() - 1
        });
        let words = &mut all[place].1;
        for word in setting.words() {
            if words.iter().all(|known| known.word != word.word) {
                words.push(*word);
            }
        }
    }
    all.into_iter().map(|(setting, words)| Key { setting, words, text: described(setting.key) }).collect()
}

/// The names of the integrators that have a key.
pub fn owners(key: &str) -> Vec<&'static str> {
    let entries = integrators();
    entries.iter().filter(|entry| entry.setting(key).is_some()).map(|entry| entry.name()).collect()
}

/// Names in a row; those of a large family by its name, if all are there.
pub fn families(names: &[&'static str]) -> String {
    let entries = integrators();
    let mut words: Vec<&str> = vec![];
    for entry in entries.iter().filter(|entry| names.contains(&entry.name())) {
        let family: Vec<_> = entries.iter().filter(|other| other.family() == entry.family()).collect();
        let whole = family.len() > LARGE_FAMILY && family.iter().all(|other| names.contains(&other.name()));
        let word = if whole { entry.family() } else { entry.name() };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(", ")
}

/// Families up to this size are written by the names of their members.
const LARGE_FAMILY: usize = 3;

/// What a key is, then who has it, with which range and default: "Number of stages: radau 1, 2, 3, 5, 7
/// (default 3); gauss …". A default that all share comes last.
fn described(key: &str) -> String {
    type Group = ((Option<String>, &'static str), Vec<&'static str>);
    let mut texts: Vec<(&'static str, Vec<Group>)> = vec![];
    for entry in integrators() {
        let Some(setting) = entry.setting(key) else { continue };
        let place = texts.iter().position(|(text, _)| *text == setting.text).unwrap_or_else(|| {
            texts.push((setting.text, vec![]));
            texts.len() - 1
        });
        let (groups, values) = (&mut texts[place].1, (setting.kind.range(), setting.default));
        match groups.iter_mut().find(|(own, _)| *own == values) {
            Some((_, names)) => names.push(entry.name()),
            None => groups.push((values, vec![entry.name()])),
        }
    }
    let mut defaults = texts.iter().flat_map(|(_, groups)| groups).map(|((_, default), _)| *default);
    let first = defaults.next().unwrap_or_default();
    let shared = texts.len() == 1 && defaults.all(|default| default == first);
    let group = |((range, default), names): &Group| {
        let range = range.as_ref().map_or(String::new(), |range| format!(" {range}"));
        let default = if shared { String::new() } else { format!(" (default {default})") };
        format!("{}{range}{default}", families(names))
    };
    let end = if shared { format!("; default {first}") } else { String::new() };
    let sentence = |(text, groups): &(&str, Vec<Group>)| {
        format!("{text}: {}{end}.", groups.iter().map(group).collect::<Vec<_>>().join("; "))
    };
    texts.iter().map(sentence).collect::<Vec<_>>().join(" ")
}

/// Refuses a number that no integrator takes, though this one would not use it.
fn wanted_by_some(key: &str, value: Option<Value>) -> Result<(), SettingError> {
    let Some(value @ Value::Number(_)) = value else { return Ok(()) };
    let mut refusal = Ok(());
    for entry in integrators() {
        match entry.setting(key).map(|setting| setting.check(entry.name(), value)) {
            Some(Ok(())) => return Ok(()),
            Some(refused) => refusal = refusal.and(refused),
            None => {}
        }
    }
    refusal
}

/// A refused word with those that it is for.
fn with_owners(error: SettingError, value: Value) -> SettingError {
    let Value::Word(word) = value else { return error };
    let entries = integrators();
    let has = entries.iter().filter(|entry| entry.words(error.key).contains(&word));
    let names: Vec<&str> = has.map(|entry| entry.name()).collect();
    let help = error.help.map(|help| format!("{help}; {word} is for {}", names.join(", ")));
    SettingError { help, ..error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conserving::settings::ConservingSettings;
    use crate::conserving::treatment::Treatment;
    use poinsot_mechanics::conserving::{Coordinates, Rule};

    fn given(list: &[(&'static str, Value)]) -> Given {
        list.iter().copied().collect()
    }

    fn resolve(name: &str, list: &[(&'static str, Value)]) -> Result<Resolved, SettingError> {
        find(name).unwrap().resolve(name, &given(list))
    }

    fn conserving(name: &str, list: &[(&'static str, Value)]) -> ConservingSettings {
        *resolve(name, list).unwrap().method.conserving().unwrap()
    }

    #[test]
    fn every_entry_and_alias_resolves_with_every_form() {
        for entry in integrators() {
            for name in [entry.name()].iter().chain(entry.aliases()) {
                for form in entry.words("form") {
                    let found = resolve(name, &[("form", Value::Word(form))]).unwrap();
                    assert_eq!((found.given.word("form"), found.unused.len()), (Some(form), 0));
                    assert_eq!(found.method.estimates_errors(), entry.is_adaptive(), "{name}");
                }
            }
        }
    }

    #[test]
    fn names_and_keys_mean_one_thing() {
        let mut names: Vec<&str> = vec![];
        for entry in integrators() {
            names.extend([entry.name()].iter().chain(entry.aliases()));
            for setting in entry.settings() {
                let key = keys().iter().find(|key| key.setting.key == setting.key).unwrap();
                let kinds = [key.setting.kind, setting.kind].map(|kind| std::mem::discriminant(&kind));
                assert!(kinds[0] == kinds[1] && key.setting.alias == setting.alias, "{}", setting.key);
                assert!(!setting.text.is_empty() && !setting.default.is_empty(), "{}", setting.key);
                let text = format!("{} ", entry.name());
                assert!(key.text.contains(text.trim()) || key.text.contains(entry.family()), "{}", key.text);
                if let Some(value) = setting.default_value() {
                    setting.check(entry.name(), value).unwrap();
                }
            }
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    /// What holds where nothing is given is what the declaration says.
    #[test]
    fn defaults_are_those_of_the_methods() {
        for entry in integrators() {
            let plain = entry.method(&Given::default()).unwrap();
            for setting in entry.settings() {
                let Some(value) = setting.default_value() else { continue };
                assert_eq!(entry.method(&given(&[(setting.key, value)])).unwrap(), plain, "{}", setting.key);
            }
        }
    }

    #[test]
    fn texts_of_keys() {
        let text = |word: &str| keys().iter().find(|key| key.setting.key == word).unwrap().text.as_str();
        assert_eq!(
            text("rho"),
            "Spectral radius at infinity: generalized-alpha, wbz, optimal 0 … 1; hht 0.5 … 1; default 0.9."
        );
        assert_eq!(
            text("stages"),
            "Degree of the polynomials in a step: galerkin 1 … 6 (default 2). Number of stages: radau 1, 2, 3, \
             5, 7 (default 3); gauss 1, 2, 3 (default 2); lobatto 2, 3, 4 (default 3). Points of a step: one \
             more than the degree of the polynomials in it: dg 2 … 4 (default 2)."
        );
        assert!(text("project").contains(": GS4 (default false)"), "{}", text("project"));
    }

    #[test]
    fn orders_and_stages() {
        let order = |name: &str, stages: Option<usize>| {
            let list: Vec<_> = stages.map(|stages| ("stages", Value::Count(stages))).into_iter().collect();
            let found = resolve(name, &list)?;
            let stages = find(name).unwrap().in_force("stages", &found.given).and_then(Value::count);
            Ok((found.method.order(), stages))
        };
        let refused = |name: &str, stages| {
            let error: SettingError = order(name, Some(stages)).unwrap_err();
            error.key
        };
        assert_eq!(order("radau", None).unwrap(), (5, Some(3)));
        assert_eq!(order("radau-iia", Some(7)).unwrap(), (13, Some(7)));
        assert_eq!(order("gauss", Some(3)).unwrap(), (6, Some(3)));
        assert_eq!(order("implicit-midpoint", None).unwrap(), (2, Some(1)));
        assert_eq!(order("trapezoid", None).unwrap(), (2, Some(2)));
        assert_eq!(order("lobatto", Some(4)).unwrap(), (6, Some(4)));
        assert_eq!(order("galerkin", None).unwrap(), (4, Some(2)));
        assert_eq!(order("galerkin", Some(3)).unwrap(), (6, Some(3)));
        assert_eq!(
            [("radau", 4), ("trapezoid", 3), ("galerkin", 7)].map(|(n, s)| refused(n, s)),
            ["stages"; 3]
        );
        let points = |stages, points| {
            resolve("galerkin", &[("stages", Value::Count(stages)), ("points", Value::Count(points))])
        };
        assert_eq!(points(3, 2).unwrap_err().key, "points");
        assert!(points(3, 3).is_ok());
    }

    #[test]
    fn rules_treatments_and_coordinates() {
        let rules = ["energy-momentum", "variational-midpoint", "symplectic-midpoint", "cg1"];
        let found = rules.map(|name| conserving(name, &[]).rule);
        assert_eq!(found, [Rule::EnergyMomentum, Rule::Variational, Rule::Variational, Rule::Averaged]);
        let full = [
            ("form", Value::Word("augmented-lagrange")),
            ("penalty", Value::Number(1e5)),
            ("constraint_tolerance", Value::Number(1e-9)),
            ("coordinates", Value::Word("directors")),
            ("points", Value::Count(7)),
            ("tolerance", Value::Number(1e-11)),
        ];
        assert_eq!(resolve("averaged-gradient", &full).unwrap().unused, [""; 0]);
        let found = conserving("averaged-gradient", &full);
        assert_eq!(found.treatment, Treatment::AugmentedLagrange { stiffness: 1e5, tolerance: 1e-9 });
        assert_eq!((found.coordinates, found.points), (Coordinates::Directors, 7));
        assert_eq!((found.tolerance, found.dissipation), (1e-11, 0.0));
    }

    #[test]
    fn ranges_and_forms_are_checked() {
        let cg = |points| resolve("averaged-gradient", &[("points", Value::Count(points))]);
        for points in [0, 11] {
            let error = cg(points).unwrap_err();
            assert_eq!(error.key, "points");
            assert!(error.help.unwrap().contains("1 to 10; 3 average"));
        }
        for (name, key, value) in [
            ("energy-momentum", "dissipation", Value::Number(-0.1)),
            ("energy-momentum", "penalty", Value::Number(0.0)),
            ("energy-momentum", "constraint_tolerance", Value::Number(-1.0)),
            ("energy-momentum", "form", Value::Word("stabilised")),
            ("variational-midpoint", "form", Value::Word("penalty")),
            ("generalized-alpha", "form", Value::Word("minimal")),
            ("generalized-alpha", "rho", Value::Number(f64::NAN)),
            ("hht", "rho", Value::Number(0.2)),
            ("bdf", "order", Value::Count(7)),
            ("radau", "rho", Value::Number(1.5)),
            ("radau", "tolerance", Value::Number(-1.0)),
        ] {
            assert_eq!(resolve(name, &[(key, value)]).unwrap_err().key, key);
        }
    }

    #[test]
    fn keys_of_no_use_are_told() {
        let unused = |name: &str, form: Option<&'static str>| {
            let mut all = given(&[
                ("rho", Value::Number(0.5)),
                ("points", Value::Count(2)),
                ("dissipation", Value::Number(0.1)),
                ("penalty", Value::Number(1e5)),
                ("constraint_tolerance", Value::Number(1e-9)),
                ("coordinates", Value::Word("directors")),
            ]);
            form.map(|form| all.insert("form", Value::Word(form)));
            find(name).unwrap().resolve(name, &all).unwrap().unused
        };
        assert_eq!(unused("energy-momentum", None), ["constraint_tolerance", "penalty", "points", "rho"]);
        assert_eq!(
            unused("cg1", Some("minimal")),
            ["constraint_tolerance", "coordinates", "dissipation", "penalty", "rho"]
        );
        assert_eq!(
            unused("generalized-alpha", None),
            ["constraint_tolerance", "coordinates", "dissipation", "penalty", "points"]
        );
        assert_eq!(unused("energy-momentum", Some("penalty")), ["constraint_tolerance", "points", "rho"]);
    }
}
