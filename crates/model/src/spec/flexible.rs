//! Flexible bodies with everything evaluated.

use crate::diagnostic::Span;
use crate::flexible_recipe::FlexibleRecipe;
use poinsot_flexible::ReducedBody;
use poinsot_flexible::reduction::ReductionReport;
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
    /// Whether its deformation acts back on nothing.
    pub one_way: bool,
    /// Where stresses are wanted.
    pub gauges: Vec<GaugeSpec>,
    /// How it was made, if not of shapes that are given.
    pub recipe: Option<Arc<FlexibleRecipe>>,
    /// What its reduction has kept, likewise.
    pub report: Option<Arc<ReductionReport>>,
}

/// A point of a flexible body at which stresses are wanted.
#[derive(Clone, Debug)]
pub struct GaugeSpec {
    /// Its name.
    pub name: String,
    /// Index into the places of the stresses of the body.
    pub place: usize,
}
