//! The models of all values of a parameter whose periodic motions are followed.

use crate::family::{FamilyError, Likeness};
use crate::periodic::Changes;
use poinsot_integrators::{StepFailure, StepMap};
use poinsot_mechanics::System;
use std::collections::VecDeque;
use std::rc::Rc;

use crate::periodic::PeriodicScheme;

/// Members that are kept.
const KEPT: usize = 8;

/// A model at a value of the parameter.
#[derive(Debug)]
pub struct OrbitMember {
    /// The system; it need not be started.
    pub system: System,
    /// The period (s), where it is known.
    pub period: Option<f64>,
    /// Parts of the period at which laws of time have a break.
    pub breaks: Vec<f64>,
    /// By how much variables advance in a period: equation and advance.
    pub advances: Vec<(usize, f64)>,
}

/// A model for each value of a parameter. All have the same elements in the same order.
pub trait OrbitFamily {
    /// The member at a value; the error says why there is none.
    fn member(&mut self, parameter: f64) -> Result<OrbitMember, FamilyError>;
}

/// The members that are in use.
pub(crate) struct OrbitMembers<'f> {
    family: &'f mut dyn OrbitFamily,
    likeness: Likeness,
    recent: VecDeque<(u64, Rc<OrbitMember>)>,
    breaks: Vec<f64>,
    /// Members that were built.
    pub builds: usize,
}

impl<'f> OrbitMembers<'f> {
    /// `first` is started: redundant rows of all others are treated as there.
    pub fn new(family: &'f mut dyn OrbitFamily, first: &System, breaks: &[f64]) -> Self {
        let likeness = Likeness::of(first);
        OrbitMembers { family, likeness, recent: VecDeque::new(), breaks: breaks.to_vec(), builds: 0 }
    }

    /// The member at a value.
    pub fn at(&mut self, parameter: f64) -> Result<Rc<OrbitMember>, FamilyError> {
        if let Some((_, known)) = self.recent.iter().find(|(bits, _)| *bits == parameter.to_bits()) {
            return Ok(known.clone());
        }
        let mut member = self.family.member(parameter)?;
        self.builds += 1;
        self.likeness.make(&mut member.system)?;
        let same = member.breaks.len() == self.breaks.len()
            && member.breaks.iter().zip(&self.breaks).all(|(a, b)| (a - b).abs() < 1e-9);
        if !same {
            return Err(FamilyError::NotBuilt(
                "breaks of its laws of time move within the period, which elements cannot follow".into(),
            ));
        }
        let member = Rc::new(member);
        if self.recent.len() == KEPT {
            self.recent.pop_front();
        }
        self.recent.push_back((parameter.to_bits(), member.clone()));
        Ok(member)
    }

    /// Whether laws of time have breaks.
    pub fn breaks(&self) -> &[f64] {
        &self.breaks
    }
}

/// The steps and changes of a member.
pub(crate) fn tools<'s>(
    scheme: &PeriodicScheme,
    system: &'s System,
    rate: f64,
) -> Result<(Box<dyn StepMap + 's>, Changes<'s>), StepFailure> {
    Ok((scheme.map(system, rate)?, Changes::new(system, rate)))
}
