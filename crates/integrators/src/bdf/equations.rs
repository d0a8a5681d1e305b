//! What the equations of a step are.

use crate::equation_rows::EquationRows;
use crate::runge_kutta::implicit::settings::StageForm;
use poinsot_mechanics::System;

/// Entry of `powers` for a balance.
pub(super) const BALANCE: u8 = 2;

/// The equations in the form of the constraints.
#[derive(Clone, Debug)]
pub(super) struct StepEquations {
    pub has_rows: bool,
    /// Power of β that every entry of the right side is multiplied by, plus one; whether it is a row at the
    /// level of the form.
    pub powers: Vec<u8>,
    pub is_level: Vec<bool>,
    /// Whether an unknown is a velocity of the mechanics.
    pub is_mechanical: Vec<bool>,
}

impl StepEquations {
    pub fn new(system: &System, rows: &EquationRows, form: StageForm) -> Self {
        let n = system.size();
        let mut powers = vec![BALANCE; n];
        rows.velocity.iter().for_each(|&row| powers[row] = 1);
        let level_power = match form {
            StageForm::Position => 0,
            StageForm::Stabilised | StageForm::Velocity => 1,
            StageForm::Acceleration => 2,
        };
        rows.level.iter().for_each(|&row| powers[row] = level_power);
        let mut is_level = vec![false; n];
        rows.level.iter().for_each(|&row| is_level[row] = true);
        let mut is_mechanical = vec![false; n];
        system.nodes().iter().for_each(|node| is_mechanical[node.unknowns()].fill(true));
        StepEquations { has_rows: rows.is_row.contains(&true), powers, is_level, is_mechanical }
    }
}
