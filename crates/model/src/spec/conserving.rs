//! Structure-preserving integrators: energy–momentum, variational midpoint and averaged gradient, with the
//! treatments of their constraints.

use super::{
    BodyCoordinates, Form, IntegratorEntry, IntegratorError, IntegratorKey, IntegratorRequest, IntegratorSpec,
};
use poinsot_integrators::{ConservingSettings, Treatment};
use poinsot_mechanics::System;
use poinsot_mechanics::conserving::{Coordinates, Rule};

/// Most Gauss points in a step.
pub const MAX_POINTS: usize = 10;

/// A penalty that is not given, in units of the model's mass over step². Under accelerations a the
/// constraints then give way by a·step²/2000: a small part of what a step of second order is off by, for
/// every mass and every step, and multipliers of augmented Lagrange improve by a factor of about 500 each
/// time (energy-momentum-null-space I-23, G-11).
const PENALTY: f64 = 1e3;

/// A constraint tolerance that is not given, in lengths of the model.
const CONSTRAINT_TOLERANCE: f64 = 1e-10;

/// A structure-preserving integrator in the list.
pub(super) struct Conserving {
    name: &'static str,
    aliases: &'static [&'static str],
    rule: Rule,
    forms: &'static [Form],
    choices: &'static str,
    summary: &'static str,
}

const FORMS: [Form; 6] = [
    Form::Automatic,
    Form::Multipliers,
    Form::NullSpace,
    Form::Minimal,
    Form::AugmentedLagrange,
    Form::Penalty,
];
/// Velocities are projected onto the constraints, which a penalty lets give way.
const VARIATIONAL_FORMS: [Form; 5] =
    [Form::Automatic, Form::Multipliers, Form::NullSpace, Form::Minimal, Form::AugmentedLagrange];

pub(super) const CONSERVING: [Conserving; 3] = [
    Conserving {
        name: "energy-momentum",
        aliases: &[],
        rule: Rule::EnergyMomentum,
        forms: &FORMS,
        choices: "dissipation",
        summary: "discrete gradients, order 2: energy and momentum are conserved exactly",
    },
    Conserving {
        name: "variational-midpoint",
        aliases: &["symplectic-midpoint"],
        rule: Rule::Variational,
        forms: &VARIATIONAL_FORMS,
        choices: "",
        summary: "variational midpoint rule, order 2: symplectic, momentum exact, energy errors stay bounded",
    },
    Conserving {
        name: "averaged-gradient",
        aliases: &["cg1"],
        rule: Rule::Averaged,
        forms: &FORMS,
        choices: "points 1 … 10",
        summary: "forces averaged over the step (cG(1)), order 2: energy to the accuracy of the Gauss rule",
    },
];

impl Conserving {
    pub(super) fn find(name: &str) -> Option<&'static Conserving> {
        CONSERVING.iter().find(|entry| entry.name == name || entry.aliases.contains(&name))
    }

    pub(super) fn entry(&self) -> IntegratorEntry {
        IntegratorEntry {
            name: self.name,
            aliases: self.aliases,
            choices: self.choices.into(),
            forms: self.forms.to_vec(),
            adaptive: false,
            summary: self.summary,
        }
    }
}

/// Whether a name is that of a structure-preserving integrator.
pub fn is_conserving(name: &str) -> bool {
    Conserving::find(name).is_some() || super::galerkin::NAMES.contains(&name)
}

impl From<BodyCoordinates> for Coordinates {
    fn from(coordinates: BodyCoordinates) -> Self {
        match coordinates {
            BodyCoordinates::Motion => Coordinates::Motion,
            BodyCoordinates::Directors => Coordinates::Directors,
            BodyCoordinates::EulerParameters => Coordinates::EulerParameters,
        }
    }
}

impl From<Coordinates> for BodyCoordinates {
    fn from(coordinates: Coordinates) -> Self {
        match coordinates {
            Coordinates::Motion => BodyCoordinates::Motion,
            Coordinates::Directors => BodyCoordinates::Directors,
            Coordinates::EulerParameters => BodyCoordinates::EulerParameters,
        }
    }
}

impl IntegratorRequest<'_> {
    pub(super) fn conserving(
        &self,
        entry: &'static Conserving,
    ) -> Result<(IntegratorSpec, Vec<IntegratorKey>), IntegratorError> {
        let form = self.form_of(entry.name, entry.forms)?;
        self.check_range()?;
        // What is not given is completed once the model is known.
        let (stiffness, tolerance) =
            (self.penalty.unwrap_or_default(), self.constraint_tolerance.unwrap_or_default());
        let treatment = match form {
            Form::Multipliers => Treatment::Multipliers,
            Form::NullSpace => Treatment::NullSpace,
            Form::Minimal => Treatment::Minimal,
            Form::Penalty => Treatment::Penalty { stiffness },
            Form::AugmentedLagrange => Treatment::AugmentedLagrange { stiffness, tolerance },
            _ => Treatment::Automatic,
        };
        let default = ConservingSettings::new(entry.rule);
        let settings = ConservingSettings {
            points: self.points.unwrap_or(default.points),
            coordinates: self.coordinates.map_or(default.coordinates, Coordinates::from),
            treatment,
            dissipation: self.dissipation.unwrap_or(default.dissipation),
            tolerance: self.tolerance.unwrap_or(default.tolerance),
            ..default
        };
        let spec = IntegratorSpec {
            penalty: self.penalty,
            constraint_tolerance: self.constraint_tolerance,
            ..IntegratorSpec::plain(entry.name, form, settings.into())
        };
        Ok((spec, self.unused(&not_for(entry.rule, form))))
    }

    fn check_range(&self) -> Result<(), IntegratorError> {
        let refusal = |key: IntegratorKey, message: String, help: &str| {
            Err(IntegratorError { key, message, help: Some(help.into()) })
        };
        let positive = |value: f64| value.is_finite() && value > 0.0;
        match *self {
            Self { points: Some(points), .. } if !(1..=MAX_POINTS).contains(&points) => refusal(
                IntegratorKey::Points,
                format!("the averaged gradient cannot have {points} Gauss points"),
                "it can have 1 to 10; 3 average forces exactly that are polynomials of degree 5 along the step",
            ),
            Self { dissipation: Some(chi), .. } if !(chi >= 0.0 && chi.is_finite()) => refusal(
                IntegratorKey::Dissipation,
                format!("the numerical dissipation must not be negative, but is {chi}"),
                "0 conserves energy, 0.5 takes the forces of springs at the end of the step",
            ),
            Self { penalty: Some(stiffness), .. } if !positive(stiffness) => refusal(
                IntegratorKey::Penalty,
                format!("the penalty must be positive, but is {stiffness}"),
                "leave it out for one that suits mass and step",
            ),
            Self { constraint_tolerance: Some(tolerance), .. } if !positive(tolerance) => refusal(
                IntegratorKey::ConstraintTolerance,
                format!("the constraint tolerance must be positive, but is {tolerance}"),
                "leave it out for 1e-10 of the length of the model",
            ),
            _ => Ok(()),
        }
    }
}

/// Keys that say nothing to a rule with a form.
fn not_for(rule: Rule, form: Form) -> Vec<IntegratorKey> {
    let mut keys = vec![
        IntegratorKey::Rho,
        IntegratorKey::Stages,
        IntegratorKey::Order,
        IntegratorKey::Project,
        IntegratorKey::Forces,
    ];
    let also = [
        (rule != Rule::EnergyMomentum, IntegratorKey::Dissipation),
        (rule != Rule::Averaged, IntegratorKey::Points),
        (!matches!(form, Form::Penalty | Form::AugmentedLagrange), IntegratorKey::Penalty),
        (form != Form::AugmentedLagrange, IntegratorKey::ConstraintTolerance),
        // There are none but the freedoms.
        (form == Form::Minimal, IntegratorKey::Coordinates),
    ];
    keys.extend(also.iter().filter(|(unused, _)| *unused).map(|(_, key)| *key));
    keys
}

impl IntegratorSpec {
    /// The settings for a model and a step: what the penalty methods were not told follows from mass, step
    /// and length.
    pub(crate) fn conserving_settings(
        &self,
        settings: ConservingSettings,
        system: &System,
        step: f64,
    ) -> ConservingSettings {
        let mass = system.total_mass();
        let stiffness = self.penalty.unwrap_or(PENALTY * mass / (step * step));
        let treatment = match settings.treatment {
            Treatment::Penalty { .. } => Treatment::Penalty { stiffness },
            Treatment::AugmentedLagrange { .. } => {
                let tolerance =
                    self.constraint_tolerance.unwrap_or(CONSTRAINT_TOLERANCE * system.length_scale());
                Treatment::AugmentedLagrange { stiffness, tolerance }
            }
            other => other,
        };
        ConservingSettings { treatment, ..settings }
    }
}

#[cfg(test)]
mod tests {
    use super::super::IntegratorName;
    use super::*;
    use poinsot_integrators::Method;

    fn request(name: &str) -> IntegratorRequest<'_> {
        IntegratorRequest::new(IntegratorName::Name(name))
    }

    fn settings(request: &IntegratorRequest) -> ConservingSettings {
        match request.resolve().unwrap().0.method {
            Method::Conserving(settings) => settings,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn rules_treatments_and_coordinates() {
        let rules = ["energy-momentum", "variational-midpoint", "symplectic-midpoint", "cg1"];
        let found = rules.map(|name| settings(&request(name)).rule);
        assert_eq!(found, [Rule::EnergyMomentum, Rule::Variational, Rule::Variational, Rule::Averaged]);
        let full = IntegratorRequest {
            form: Some(Form::AugmentedLagrange),
            penalty: Some(1e5),
            constraint_tolerance: Some(1e-9),
            coordinates: Some(BodyCoordinates::Directors),
            points: Some(7),
            tolerance: Some(1e-11),
            ..request("averaged-gradient")
        };
        assert_eq!(full.resolve().unwrap().1, []);
        let found = settings(&full);
        assert_eq!(found.treatment, Treatment::AugmentedLagrange { stiffness: 1e5, tolerance: 1e-9 });
        assert_eq!((found.coordinates, found.points), (Coordinates::Directors, 7));
        assert_eq!((found.tolerance, found.dissipation), (1e-11, 0.0));
        assert_eq!(request("energy-momentum").resolve().unwrap().0.order(), 2);
    }

    #[test]
    fn ranges_and_forms_are_checked() {
        let wrong = |request: IntegratorRequest| request.resolve().unwrap_err();
        let cg = request("averaged-gradient");
        for points in [0, 11] {
            let error = wrong(IntegratorRequest { points: Some(points), ..cg });
            assert_eq!(error.key, IntegratorKey::Points);
            assert!(error.help.unwrap().contains("1 to 10"));
        }
        let em = request("energy-momentum");
        for (request, key) in [
            (IntegratorRequest { dissipation: Some(-0.1), ..em }, IntegratorKey::Dissipation),
            (IntegratorRequest { penalty: Some(0.0), ..em }, IntegratorKey::Penalty),
            (
                IntegratorRequest { constraint_tolerance: Some(-1.0), ..em },
                IntegratorKey::ConstraintTolerance,
            ),
            (IntegratorRequest { form: Some(Form::Stabilised), ..em }, IntegratorKey::Form),
            (
                IntegratorRequest { form: Some(Form::Penalty), ..request("variational-midpoint") },
                IntegratorKey::Form,
            ),
            (
                IntegratorRequest { form: Some(Form::Minimal), ..request("generalized-alpha") },
                IntegratorKey::Form,
            ),
        ] {
            assert_eq!(wrong(request).key, key);
        }
    }

    #[test]
    fn keys_of_no_use_are_told() {
        let all = |name| IntegratorRequest {
            rho: Some(0.5),
            points: Some(2),
            dissipation: Some(0.1),
            penalty: Some(1e5),
            constraint_tolerance: Some(1e-9),
            coordinates: Some(BodyCoordinates::Directors),
            ..request(name)
        };
        let unused = |request: IntegratorRequest| request.resolve().unwrap().1;
        use IntegratorKey::{ConstraintTolerance, Coordinates, Dissipation, Penalty, Points, Rho};
        assert_eq!(unused(all("energy-momentum")), [Rho, Points, Penalty, ConstraintTolerance]);
        assert_eq!(
            unused(IntegratorRequest { form: Some(Form::Minimal), ..all("cg1") }),
            [Rho, Dissipation, Penalty, ConstraintTolerance, Coordinates]
        );
        assert_eq!(
            unused(all("generalized-alpha")),
            [Coordinates, Penalty, ConstraintTolerance, Dissipation, Points]
        );
        assert_eq!(
            unused(IntegratorRequest { form: Some(Form::Penalty), ..all("energy-momentum") })[1..],
            [Points, ConstraintTolerance]
        );
    }
}
