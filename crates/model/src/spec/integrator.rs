//! Integrators: one list for model files, the command line and the schema, and the choice among them.
//!
//! What is asked for by name, stages, form and so on becomes a [`Method`], or a refusal that says which of
//! them is wrong. A new integrator is an entry of [`integrators`] and an arm of
//! [`IntegratorRequest::resolve`].

use super::conserving::{CONSERVING, Conserving};
use super::galerkin;
use super::{BodyCoordinates, Forces, Form};
use crate::suggest::did_you_mean;
use poinsot_integrators::{
    BdfSettings, DEFAULT_RHO, EXPLICIT, ExplicitSettings, Form as Gs4Form, ImplicitFamily, ImplicitSettings,
    MAX_BDF_ORDER, Member, MemberError, Method, NAMED, NamedExplicit, NamedMember, Procedure, Projection,
    Settings, StageForm, Switches,
};

/// An integrator with its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct IntegratorSpec {
    /// Its name in the list of integrators; "gs4" if it was given by its roots.
    pub name: &'static str,
    /// The parameter of a named one; `None` if it takes none.
    pub rho: Option<f64>,
    /// Stages, of an integrator that can have several numbers of them.
    pub stages: Option<usize>,
    /// How the constraints are imposed.
    pub form: Form,
    /// Stiffness of a penalty method, if it is given.
    pub penalty: Option<f64>,
    /// Largest |Φ| of augmented Lagrange, if it is given.
    pub constraint_tolerance: Option<f64>,
    /// Highest order, if it is given.
    pub order: Option<usize>,
    /// Whether nobody has named it: the model decides.
    pub by_default: bool,
    /// The method; the tolerances of implicit Runge–Kutta methods are those of the study, and penalties that
    /// are not given follow from the model.
    pub method: Method,
}

impl Default for IntegratorSpec {
    fn default() -> Self {
        IntegratorSpec {
            rho: Some(DEFAULT_RHO),
            by_default: true,
            ..IntegratorSpec::plain(NAMED[0].name, Form::Stabilised, Method::default())
        }
    }
}

impl IntegratorSpec {
    /// One without parameters.
    pub(super) fn plain(name: &'static str, form: Form, method: Method) -> Self {
        IntegratorSpec {
            name,
            rho: None,
            stages: None,
            form,
            penalty: None,
            constraint_tolerance: None,
            order: None,
            by_default: false,
            method,
        }
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

/// The part of a request that is wrong or of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegratorKey {
    /// `integrator`.
    Name,
    /// `rho`.
    Rho,
    /// `stages`.
    Stages,
    /// `form`.
    Form,
    /// `tolerance`.
    Tolerance,
    /// `order`.
    Order,
    /// `project`.
    Project,
    /// `forces`.
    Forces,
    /// `coordinates`.
    Coordinates,
    /// `penalty`.
    Penalty,
    /// `constraint_tolerance`.
    ConstraintTolerance,
    /// `dissipation`.
    Dissipation,
    /// `points`.
    Points,
}

/// Keys of structure-preserving integrators alone.
const CONSERVING_KEYS: [IntegratorKey; 5] = [
    IntegratorKey::Coordinates,
    IntegratorKey::Penalty,
    IntegratorKey::ConstraintTolerance,
    IntegratorKey::Dissipation,
    IntegratorKey::Points,
];

impl IntegratorKey {
    /// Its word in a model file.
    pub fn word(self) -> &'static str {
        match self {
            IntegratorKey::Name => "integrator",
            IntegratorKey::Rho => "rho",
            IntegratorKey::Stages => "stages",
            IntegratorKey::Form => "form",
            IntegratorKey::Tolerance => "tolerance",
            IntegratorKey::Order => "order",
            IntegratorKey::Project => "project",
            IntegratorKey::Forces => "forces",
            IntegratorKey::Coordinates => "coordinates",
            IntegratorKey::Penalty => "penalty",
            IntegratorKey::ConstraintTolerance => "constraint_tolerance",
            IntegratorKey::Dissipation => "dissipation",
            IntegratorKey::Points => "points",
        }
    }
}

/// Why there is no such integrator.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct IntegratorError {
    /// What is wrong.
    pub key: IntegratorKey,
    /// In words.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

/// An integrator by name, or by the roots of a member of GS4.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IntegratorName<'a> {
    /// A name or alias of the list.
    Name(&'a str),
    /// A member of GS4.
    Member(Member),
}

/// What is asked for; what is `None` has a default that depends on the integrator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntegratorRequest<'a> {
    /// Which integrator.
    pub name: IntegratorName<'a>,
    /// Spectral radius at infinity.
    pub rho: Option<f64>,
    /// Number of stages.
    pub stages: Option<usize>,
    /// How the constraints are imposed.
    pub form: Option<Form>,
    /// Relative tolerance of Newton's iteration.
    pub tolerance: Option<f64>,
    /// Largest order, of an integrator that changes it.
    pub order: Option<usize>,
    /// Whether each step ends with a projection onto the constraints.
    pub project: Option<bool>,
    /// How forces enter a step.
    pub forces: Option<Forces>,
    /// Unknowns of rigid bodies.
    pub coordinates: Option<BodyCoordinates>,
    /// Stiffness of a penalty.
    pub penalty: Option<f64>,
    /// Largest |Φ| of augmented Lagrange.
    pub constraint_tolerance: Option<f64>,
    /// Numerical dissipation.
    pub dissipation: Option<f64>,
    /// Gauss points in a step.
    pub points: Option<usize>,
}

impl<'a> IntegratorRequest<'a> {
    /// An integrator with its defaults.
    pub fn new(name: IntegratorName<'a>) -> Self {
        IntegratorRequest {
            name,
            rho: None,
            stages: None,
            form: None,
            tolerance: None,
            order: None,
            project: None,
            forces: None,
            coordinates: None,
            penalty: None,
            constraint_tolerance: None,
            dissipation: None,
            points: None,
        }
    }
}

/// A line of the list of integrators.
#[derive(Clone, Debug, PartialEq)]
pub struct IntegratorEntry {
    /// Its name.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// What can be chosen: range of rho, numbers of stages.
    pub choices: String,
    /// Forms, the default first.
    pub forms: Vec<Form>,
    /// Whether the study can choose the steps.
    pub adaptive: bool,
    /// What it is, in one line.
    pub summary: &'static str,
}

/// An implicit Runge–Kutta family in the list.
struct Implicit {
    name: &'static str,
    aliases: &'static [&'static str],
    /// Names that also fix the number of stages.
    special: &'static [(&'static str, usize)],
    family: ImplicitFamily,
    stages: &'static [usize],
    default: usize,
    summary: &'static str,
}

const IMPLICIT: [Implicit; 3] = [
    Implicit {
        name: "radau",
        aliases: &["radau-iia"],
        special: &[],
        family: ImplicitFamily::Radau,
        stages: &[1, 2, 3, 5, 7],
        default: 3,
        summary: "Radau IIA, order 2s−1: stiff motions, and motions to tight tolerances",
    },
    Implicit {
        name: "gauss",
        aliases: &["implicit-midpoint"],
        special: &[("implicit-midpoint", 1)],
        family: ImplicitFamily::Gauss,
        stages: &[1, 2, 3],
        default: 2,
        summary: "Gauss, order 2s, no numerical damping: conserves over long times",
    },
    Implicit {
        name: "lobatto",
        aliases: &["lobatto-iiia", "trapezoid"],
        special: &[("trapezoid", 2)],
        family: ImplicitFamily::Lobatto,
        stages: &[2, 3, 4],
        default: 3,
        summary: "Lobatto IIIA, order 2s−2, no numerical damping",
    },
];

const BDF: (&str, &[&str], &str) = (
    "bdf",
    &["backward-differences"],
    "backward differences of variable order: long runs, one or two residuals per step",
);

const GS4_FORMS: [Form; 7] = [
    Form::Stabilised,
    Form::Hamiltonian,
    Form::Position,
    Form::Velocity,
    Form::Acceleration,
    Form::Baumgarte,
    Form::Penalty,
];
const EXPLICIT_FORMS: [Form; 3] = [Form::Embedding, Form::Projected, Form::Augmented];
const RADAU_FORMS: [Form; 4] = [Form::Stabilised, Form::Position, Form::Velocity, Form::Acceleration];
/// Gauss and Lobatto do not damp what index 3 excites.
const CENTRED_FORMS: [Form; 3] = [Form::Velocity, Form::Acceleration, Form::Stabilised];

impl Implicit {
    fn forms(&self) -> &'static [Form] {
        match self.family {
            ImplicitFamily::Radau => &RADAU_FORMS,
            ImplicitFamily::Gauss | ImplicitFamily::Lobatto => &CENTRED_FORMS,
        }
    }

    fn has_name(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    fn stage_counts(&self) -> String {
        self.stages.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
    }
}

/// All integrators that a study can name.
pub fn integrators() -> Vec<IntegratorEntry> {
    let gs4 = NAMED.iter().map(|m| IntegratorEntry {
        name: m.name,
        aliases: m.aliases,
        choices: m.rho_range.map_or(String::new(), |(low, high)| format!("rho {low} … {high}")),
        forms: GS4_FORMS.into_iter().filter(|form| m.switches.eta3 || *form != Form::Position).collect(),
        adaptive: true,
        summary: m.summary,
    });
    let implicit = IMPLICIT.iter().map(|i| IntegratorEntry {
        name: i.name,
        aliases: i.aliases,
        choices: format!("stages {}", i.stage_counts()),
        forms: i.forms().to_vec(),
        adaptive: i.family == ImplicitFamily::Radau,
        summary: i.summary,
    });
    let bdf = IntegratorEntry {
        name: BDF.0,
        aliases: BDF.1,
        choices: format!("order 1 … {MAX_BDF_ORDER}"),
        forms: RADAU_FORMS.to_vec(),
        adaptive: true,
        summary: BDF.2,
    };
    let explicit = EXPLICIT.iter().map(|entry| IntegratorEntry {
        name: entry.name,
        aliases: entry.aliases,
        choices: String::new(),
        forms: EXPLICIT_FORMS.to_vec(),
        adaptive: entry.method.is_pair(),
        summary: entry.summary,
    });
    let conserving = CONSERVING.iter().map(Conserving::entry);
    gs4.chain(conserving).chain([galerkin::entry()]).chain(implicit).chain([bdf]).chain(explicit).collect()
}

impl IntegratorRequest<'_> {
    /// The integrator, and what was asked for but is not used by it.
    pub fn resolve(&self) -> Result<(IntegratorSpec, Vec<IntegratorKey>), IntegratorError> {
        let name = match self.name {
            IntegratorName::Member(member) => return self.gs4("gs4", member, None, Switches::IMPLICIT),
            IntegratorName::Name(name) => name,
        };
        if let Some(entry) = NamedMember::find(name) {
            return self.named(entry);
        }
        if let Some(entry) = Conserving::find(name) {
            return self.conserving(entry);
        }
        if galerkin::NAMES.contains(&name) {
            return self.galerkin();
        }
        if let Some(entry) = IMPLICIT.iter().find(|entry| entry.has_name(name)) {
            return self.implicit(entry, name);
        }
        if name == BDF.0 || BDF.1.contains(&name) {
            return self.bdf();
        }
        if let Some(entry) = NamedExplicit::find(name) {
            return self.explicit(entry);
        }
        Err(unknown(name))
    }

    /// What of these was given although nobody uses it.
    pub(super) fn unused(&self, keys: &[IntegratorKey]) -> Vec<IntegratorKey> {
        keys.iter().copied().filter(|key| self.gives(*key)).collect()
    }

    /// Whether it says anything about a key.
    pub fn gives(&self, key: IntegratorKey) -> bool {
        match key {
            IntegratorKey::Name => false,
            IntegratorKey::Rho => self.rho.is_some(),
            IntegratorKey::Stages => self.stages.is_some(),
            IntegratorKey::Form => self.form.is_some(),
            IntegratorKey::Tolerance => self.tolerance.is_some(),
            IntegratorKey::Order => self.order.is_some(),
            IntegratorKey::Project => self.project.is_some(),
            IntegratorKey::Forces => self.forces.is_some(),
            IntegratorKey::Coordinates => self.coordinates.is_some(),
            IntegratorKey::Penalty => self.penalty.is_some(),
            IntegratorKey::ConstraintTolerance => self.constraint_tolerance.is_some(),
            IntegratorKey::Dissipation => self.dissipation.is_some(),
            IntegratorKey::Points => self.points.is_some(),
        }
    }

    /// The form that was asked for, if it is one of these; the first of them is the default.
    pub(super) fn form_of(&self, name: &str, forms: &[Form]) -> Result<Form, IntegratorError> {
        match self.form {
            None => Ok(forms[0]),
            Some(form) if forms.contains(&form) => Ok(form),
            Some(form) => {
                let words: Vec<&str> = forms.iter().map(|form| form.word()).collect();
                let owners: Vec<&str> = integrators()
                    .iter()
                    .filter(|entry| entry.forms.contains(&form))
                    .map(|entry| entry.name)
                    .collect();
                Err(IntegratorError {
                    key: IntegratorKey::Form,
                    message: format!("the integrator {name:?} does not have the form {:?}", form.word()),
                    help: Some(format!(
                        "use {}; {} is for {}",
                        words.join(", "),
                        form.word(),
                        owners.join(", ")
                    )),
                })
            }
        }
    }

    fn named(
        &self,
        entry: &'static NamedMember,
    ) -> Result<(IntegratorSpec, Vec<IntegratorKey>), IntegratorError> {
        let rho = entry.rho_range.map(|_| self.rho.unwrap_or(DEFAULT_RHO));
        let member =
            Member::named(entry.name, rho.unwrap_or(DEFAULT_RHO)).map_err(|error: MemberError| {
                IntegratorError { key: IntegratorKey::Rho, message: error.to_string(), help: None }
            })?;
        self.gs4(entry.name, member, rho, entry.switches)
    }

    fn gs4(
        &self,
        name: &'static str,
        member: Member,
        rho: Option<f64>,
        own: Switches,
    ) -> Result<(IntegratorSpec, Vec<IntegratorKey>), IntegratorError> {
        let form = self.form_of(name, &GS4_FORMS)?;
        let inner = match form {
            Form::Hamiltonian => Gs4Form::Hamiltonian,
            Form::Position => Gs4Form::Position,
            Form::Velocity => Gs4Form::Velocity,
            Form::Acceleration => Gs4Form::Acceleration,
            Form::Baumgarte => Gs4Form::BAUMGARTE,
            Form::Penalty => Gs4Form::PENALTY,
            _ => Gs4Form::Stabilised,
        };
        let refusal = |reason: &str, help: &str| IntegratorError {
            key: IntegratorKey::Forces,
            message: format!("the integrator {name:?}: {reason}"),
            help: Some(help.into()),
        };
        let unstable =
            || refusal("unstable for every step if forces are explicit", "choose central-difference");
        let switches = match self.forces {
            None => own,
            Some(Forces::Implicit) => Switches::IMPLICIT,
            Some(Forces::Explicit) => Switches::explicit(&member).ok_or_else(unstable)?,
            Some(Forces::VelocityImplicit) => Switches::velocity_implicit(&member).ok_or_else(unstable)?,
        };
        let projection = if self.project == Some(true) { Projection::STATE } else { Projection::default() };
        let default = Settings::default();
        let tolerance = self.tolerance.unwrap_or(default.tolerance);
        let settings = Settings { member, switches, form: inner, projection, tolerance, ..default };
        if let Some(refused) = settings.contradiction() {
            return Err(refusal(refused.reason, refused.remedy));
        }
        let method = settings.into();
        let mut unused = self.unused(&[IntegratorKey::Stages, IntegratorKey::Order]);
        unused.extend(self.unused(&CONSERVING_KEYS));
        if rho.is_none() {
            unused.extend(self.unused(&[IntegratorKey::Rho]));
        }
        Ok((IntegratorSpec { rho, ..IntegratorSpec::plain(name, form, method) }, unused))
    }

    fn implicit(
        &self,
        entry: &'static Implicit,
        name: &str,
    ) -> Result<(IntegratorSpec, Vec<IntegratorKey>), IntegratorError> {
        let special = entry.special.iter().find(|(alias, _)| *alias == name).map(|(_, stages)| *stages);
        let stages = self.stages.or(special).unwrap_or(entry.default);
        let allowed = special.map_or(entry.stages.contains(&stages), |only| stages == only);
        if !allowed {
            let counts = special.map_or_else(|| entry.stage_counts(), |only| only.to_string());
            return Err(IntegratorError {
                key: IntegratorKey::Stages,
                message: format!("the integrator {name:?} cannot have {stages} stages"),
                help: Some(format!("it can have {counts}")),
            });
        }
        let form = self.form_of(entry.name, entry.forms())?;
        let inner = stage_form(form);
        // What the stages do not hold would drift.
        let project = self.project.unwrap_or(matches!(form, Form::Velocity | Form::Acceleration));
        let method =
            ImplicitSettings { family: entry.family, stages, form: inner, project, ..Default::default() };
        let mut unused = self.unused(&[
            IntegratorKey::Rho,
            IntegratorKey::Tolerance,
            IntegratorKey::Order,
            IntegratorKey::Forces,
        ]);
        unused.extend(self.unused(&CONSERVING_KEYS));
        let plain = IntegratorSpec::plain(entry.name, form, method.into());
        Ok((IntegratorSpec { stages: Some(stages), ..plain }, unused))
    }

    fn bdf(&self) -> Result<(IntegratorSpec, Vec<IntegratorKey>), IntegratorError> {
        let form = self.form_of(BDF.0, &RADAU_FORMS)?;
        let project = self.project.unwrap_or(matches!(form, Form::Velocity | Form::Acceleration));
        let max_order = self.order.unwrap_or(BdfSettings::default().max_order);
        if !(1..=MAX_BDF_ORDER).contains(&max_order) {
            return Err(IntegratorError {
                key: IntegratorKey::Order,
                message: format!("backward differences cannot have the order {max_order}"),
                help: Some(format!("it lies between 1 and {MAX_BDF_ORDER}")),
            });
        }
        let method = BdfSettings { max_order, form: stage_form(form), project, ..Default::default() }.into();
        let mut unused = self.unused(&[
            IntegratorKey::Rho,
            IntegratorKey::Stages,
            IntegratorKey::Tolerance,
            IntegratorKey::Forces,
        ]);
        unused.extend(self.unused(&CONSERVING_KEYS));
        Ok((IntegratorSpec { order: self.order, ..IntegratorSpec::plain(BDF.0, form, method) }, unused))
    }

    fn explicit(
        &self,
        entry: &'static NamedExplicit,
    ) -> Result<(IntegratorSpec, Vec<IntegratorKey>), IntegratorError> {
        let form = self.form_of(entry.name, &EXPLICIT_FORMS)?;
        let procedure = match form {
            Form::Projected => Procedure::Projected,
            Form::Augmented => Procedure::Augmented,
            _ => Procedure::Embedding,
        };
        let mut unused = self.unused(&[
            IntegratorKey::Rho,
            IntegratorKey::Stages,
            IntegratorKey::Tolerance,
            IntegratorKey::Order,
            IntegratorKey::Project,
            IntegratorKey::Forces,
        ]);
        unused.extend(self.unused(&CONSERVING_KEYS));
        let method = ExplicitSettings::new(entry.method, procedure).into();
        Ok((IntegratorSpec::plain(entry.name, form, method), unused))
    }
}

fn stage_form(form: Form) -> StageForm {
    match form {
        Form::Position => StageForm::Position,
        Form::Velocity => StageForm::Velocity,
        Form::Acceleration => StageForm::Acceleration,
        _ => StageForm::Stabilised,
    }
}

fn unknown(name: &str) -> IntegratorError {
    let list = integrators();
    let names: Vec<&str> = list.iter().map(|entry| entry.name).collect();
    let aliases = list.iter().flat_map(|entry| entry.aliases.iter().copied());
    let known = format!("known are {}", names.join(", "));
    let help = match did_you_mean(name, names.iter().copied().chain(aliases)) {
        Some(help) => format!("{help} {known}"),
        None => known,
    };
    IntegratorError {
        key: IntegratorKey::Name,
        message: format!("unknown integrator {name:?}"),
        help: Some(help),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(name: &str) -> IntegratorRequest<'_> {
        IntegratorRequest::new(IntegratorName::Name(name))
    }

    #[test]
    fn every_entry_and_alias_resolves_with_every_form() {
        for entry in integrators() {
            for name in [entry.name].iter().chain(entry.aliases) {
                for form in &entry.forms {
                    let (spec, unused) =
                        IntegratorRequest { form: Some(*form), ..request(name) }.resolve().unwrap();
                    assert_eq!((spec.name, spec.form, unused.len()), (entry.name, *form, 0));
                    assert_eq!(spec.estimates_errors(), entry.adaptive, "{name}");
                }
            }
        }
    }

    #[test]
    fn orders_and_stages() {
        let order = |name: &str, stages| {
            IntegratorRequest { stages, ..request(name) }
                .resolve()
                .map(|(spec, _)| (spec.order(), spec.stages))
        };
        assert_eq!(order("radau", None).unwrap(), (5, Some(3)));
        assert_eq!(order("radau-iia", Some(7)).unwrap(), (13, Some(7)));
        assert_eq!(order("gauss", Some(3)).unwrap(), (6, Some(3)));
        assert_eq!(order("implicit-midpoint", None).unwrap(), (2, Some(1)));
        assert_eq!(order("trapezoid", None).unwrap(), (2, Some(2)));
        assert_eq!(order("lobatto", Some(4)).unwrap(), (6, Some(4)));
        assert_eq!(order("radau", Some(4)).unwrap_err().key, IntegratorKey::Stages);
        assert_eq!(order("trapezoid", Some(3)).unwrap_err().key, IntegratorKey::Stages);
        assert_eq!(order("hht", None).unwrap(), (2, None));
    }
}
