//! Inputs of linear systems.

use super::Axis;

/// An input of a linear system.
#[derive(Clone, Debug, PartialEq)]
pub struct InputSpec {
    /// Its name in the file.
    pub name: String,
    /// What it is.
    pub kind: InputKind,
}

/// What an input of a linear system is.
#[derive(Clone, Debug, PartialEq)]
pub enum InputKind {
    /// An addition to a force.
    Force {
        /// Index into [`Model::forces`](crate::Model::forces).
        force: usize,
        /// Component of a force or torque; `None` for a spring's tension or a torsion spring's torque.
        component: Option<Axis>,
    },
    /// An addition to a variable that an algebraic equation determines.
    Variable {
        /// Index into [`Model::equations`](crate::Model::equations).
        equations: usize,
        /// Index of the variable in the block.
        index: usize,
    },
    /// A change of the parameter of this name.
    Parameter(String),
}
