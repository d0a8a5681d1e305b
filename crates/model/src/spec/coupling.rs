//! Couplings of joints.

use crate::diagnostic::Span;

/// A linear relation Σ factor·coordinate = offset between joint coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct CouplingSpec {
    /// Its name.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// Its word in the file.
    pub kind: &'static str,
    /// The left side.
    pub terms: Vec<CouplingTerm>,
    /// The right side; `None` is the value at the start.
    pub offset: Option<f64>,
}

/// A joint coordinate with its factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CouplingTerm {
    /// Index into [`Model::joints`](crate::Model::joints).
    pub joint: usize,
    /// Index into the joint's [`coordinates`](crate::spec::JointType::coordinates).
    pub coordinate: usize,
    /// The factor, not zero.
    pub factor: f64,
}
