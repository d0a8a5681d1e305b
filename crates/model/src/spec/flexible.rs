//! Flexible bodies with everything evaluated.

use crate::diagnostic::Span;
use poinsot_flexible::ReducedBody;
use std::ops::Range;
use std::sync::Arc;

/// A flexible body.
#[derive(Clone, Debug)]
pub struct FlexibleSpec {
    /// Its name.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// Its floating frame: index into [`Model::bodies`](super::Model::bodies).
    pub frame: usize,
    /// Its interfaces, likewise; in the order of those of `body`.
    pub interfaces: Range<usize>,
    /// Shapes, integrals, stiffness and damping.
    pub body: Arc<ReducedBody>,
}
