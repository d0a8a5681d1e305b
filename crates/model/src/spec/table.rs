//! Tables: functions given by points.

use crate::diagnostic::Span;
use poinsot_expr::Table;
use std::sync::Arc;

/// A function of one argument given by points.
#[derive(Clone, Debug)]
pub struct TableSpec {
    /// Its name, by which expressions call it.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// The function.
    pub table: Arc<Table>,
}
