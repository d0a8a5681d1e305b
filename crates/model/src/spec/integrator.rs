//! The integrator of a study: what was asked for by name and settings, checked against what the integrators
//! declare.

use crate::suggest::did_you_mean;
use poinsot_integrators::{
    Given, Member, Method, NAMED, Named, Resolved, SettingError, Value, find, integrators,
};

/// An integrator with its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct IntegratorSpec {
    /// Its name in the list of integrators; "gs4" if it was given by its roots.
    pub name: &'static str,
    /// What was given for its settings.
    pub given: Given,
    /// Whether nobody has named it: the model decides.
    pub by_default: bool,
    /// The method; tolerances of the local error are those of the study, and what was not given may follow
    /// from the model.
    pub method: Method,
}

impl Default for IntegratorSpec {
    fn default() -> Self {
        IntegratorSpec {
            name: NAMED[0].label.name,
            given: Given::default(),
            by_default: true,
            method: Method::default(),
        }
    }
}

/// An integrator, and the keys that were given although it does not use them.
pub type Checked = (IntegratorSpec, Vec<&'static str>);

impl IntegratorSpec {
    /// The integrator with a name or alias.
    pub fn named(name: &str, given: &Given) -> Result<Checked, SettingError> {
        Self::resolve(find(name).ok_or_else(|| unknown(name))?, name, given)
    }

    /// A member of GS4 by its roots.
    pub fn by_roots(member: Member, given: &Given) -> Result<Checked, SettingError> {
        Self::resolve(&member, "", given)
    }

    fn resolve(entry: &dyn Named, alias: &str, given: &Given) -> Result<Checked, SettingError> {
        let Resolved { given, method, unused } = entry.resolve(alias, given)?;
        Ok((IntegratorSpec { name: entry.name(), given, by_default: false, method }, unused))
    }

    /// The same integrator with other settings.
    pub fn with(&self, given: &Given) -> Result<Checked, SettingError> {
        Self::resolve(self.entry(), "", given)
    }

    /// What declares its settings.
    pub fn entry(&self) -> &dyn Named {
        let by_roots = || self.method.gs4().map_or(&NAMED[0] as &dyn Named, |settings| &settings.member);
        find(self.name).unwrap_or_else(by_roots)
    }

    /// What holds for a setting: what was given, else the default, if that is a value.
    pub fn value(&self, key: &str) -> Option<Value> {
        self.entry().in_force(key, &self.given)
    }

    /// How the constraints are imposed.
    pub fn form(&self) -> &'static str {
        self.value("form").and_then(Value::word).unwrap_or_default()
    }

    /// Whether it estimates its errors, so that the study can choose the steps.
    pub fn estimates_errors(&self) -> bool {
        self.method.estimates_errors()
    }

    /// Whether its Newton iteration ends by the tolerance of the study, with fixed steps too.
    pub fn has_tolerance(&self) -> bool {
        self.method.ends_by_local_tolerance()
    }

    /// Order of the method in smooth motions.
    pub fn order(&self) -> usize {
        self.method.order()
    }
}

fn unknown(name: &str) -> SettingError {
    let list = integrators();
    let names: Vec<&str> = list.iter().map(|entry| entry.name()).collect();
    let aliases = list.iter().flat_map(|entry| entry.aliases().iter().copied());
    let known = format!("known are {}", names.join(", "));
    let help = match did_you_mean(name, names.iter().copied().chain(aliases)) {
        Some(help) => format!("{help} {known}"),
        None => known,
    };
    SettingError {
        key: "integrator",
        label: "not an integrator".into(),
        message: format!("unknown integrator {name:?}"),
        help: Some(help),
    }
}
