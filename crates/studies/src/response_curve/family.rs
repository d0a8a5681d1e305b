//! The members of a response curve: models of all values of the parameter, with their periods.

use super::ResponseSpec;
use crate::motion::law_kinks;
use crate::parameter_sweep::SweptModels;
use crate::periodic::{PeriodSpec, advances};
use poinsot_analysis::{FamilyError, OrbitFamily, OrbitMember};
use std::cell::RefCell;
use std::rc::Rc;

/// The models of all values of the parameter.
pub struct Family {
    /// They are shared with who measures.
    pub models: Rc<RefCell<SweptModels>>,
}

impl OrbitFamily for Family {
    fn member(&mut self, parameter: f64) -> Result<OrbitMember, FamilyError> {
        let not_built = |reason: String| FamilyError::NotBuilt(reason);
        let built = self.models.borrow_mut().build(parameter);
        let (system, member) = built.map_err(|reason| not_built(reason.to_string()))?;
        let lost = || not_built("its study is another one".into());
        let spec = member.model.study_of::<ResponseSpec>().ok_or_else(lost)?;
        let period = match spec.motion.period {
            PeriodSpec::Known(period) => Some(period),
            PeriodSpec::Unknown(_) => None,
        };
        let start = spec.motion.start;
        let breaks = period.map_or(vec![], |period| {
            let kinks = law_kinks(&member.model, start, start + period).into_iter();
            let parts = kinks.map(|t| (t - start) / period);
            parts.filter(|part| *part > 1e-9 && *part < 1.0 - 1e-9).collect()
        });
        let advances = advances(&member.model, &system, &member.assembly, &spec.motion)
            .map_err(|error| not_built(error.to_string()))?;
        Ok(OrbitMember { system, period, breaks, advances })
    }
}
