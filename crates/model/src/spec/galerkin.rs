//! Galerkin steps: polynomials of a degree in each step, structure-preserving like those of
//! [`super::conserving`] and of higher order.

use super::conserving::MAX_POINTS;
use super::{Form, IntegratorEntry, IntegratorError, IntegratorKey, IntegratorRequest, IntegratorSpec};
use poinsot_integrators::{GalerkinSettings, MAX_GALERKIN_DEGREE};

pub(super) const NAMES: [&str; 3] = ["galerkin", "cg", "mg"];

/// Degree that is not given.
const DEGREE: usize = 2;

pub(super) fn entry() -> IntegratorEntry {
    IntegratorEntry {
        name: NAMES[0],
        aliases: &["cg", "mg"],
        choices: format!("stages 1 … {MAX_GALERKIN_DEGREE}, points"),
        forms: vec![Form::Multipliers],
        adaptive: false,
        summary: "polynomials of degree s in a step (cG(s), mG(s)), order 2s: energy to the accuracy of the Gauss rule",
    }
}

impl IntegratorRequest<'_> {
    pub(super) fn galerkin(&self) -> Result<(IntegratorSpec, Vec<IntegratorKey>), IntegratorError> {
        let form = self.form_of(NAMES[0], &[Form::Multipliers])?;
        let degree = self.stages.unwrap_or(DEGREE);
        if !(1..=MAX_GALERKIN_DEGREE).contains(&degree) {
            return Err(IntegratorError {
                key: IntegratorKey::Stages,
                message: format!("Galerkin steps cannot have {degree} stages"),
                help: Some(format!("it can have 1 to {MAX_GALERKIN_DEGREE}")),
            });
        }
        let default = GalerkinSettings::new(degree);
        let points = self.points.unwrap_or(default.points);
        if !(degree..=MAX_POINTS).contains(&points) {
            return Err(IntegratorError {
                key: IntegratorKey::Points,
                message: format!("Galerkin steps with {degree} stages cannot have {points} Gauss points"),
                help: Some(format!(
                    "it can have {degree} to {MAX_POINTS}; {} is the default",
                    default.points
                )),
            });
        }
        let tolerance = self.tolerance.unwrap_or(default.tolerance);
        let settings = GalerkinSettings { points, tolerance, ..default };
        let spec =
            IntegratorSpec { stages: Some(degree), ..IntegratorSpec::plain(NAMES[0], form, settings.into()) };
        let unused = [
            IntegratorKey::Rho,
            IntegratorKey::Order,
            IntegratorKey::Project,
            IntegratorKey::Forces,
            IntegratorKey::Coordinates,
            IntegratorKey::Penalty,
            IntegratorKey::ConstraintTolerance,
            IntegratorKey::Dissipation,
        ];
        Ok((spec, self.unused(&unused)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::IntegratorName;
    use super::*;

    #[test]
    fn degree_and_points() {
        let request = |stages, points| {
            let name = IntegratorName::Name("galerkin");
            IntegratorRequest { stages, points, ..IntegratorRequest::new(name) }.resolve()
        };
        let order = |stages| request(stages, None).map(|(spec, _)| (spec.order(), spec.stages));
        assert_eq!(order(None).unwrap(), (4, Some(2)));
        assert_eq!(order(Some(3)).unwrap(), (6, Some(3)));
        assert_eq!(order(Some(7)).unwrap_err().key, IntegratorKey::Stages);
        assert_eq!(request(Some(3), Some(2)).unwrap_err().key, IntegratorKey::Points);
        assert!(request(Some(3), Some(3)).is_ok());
    }
}
