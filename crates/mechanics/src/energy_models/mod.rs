//! Energy models: Lagrange's equation on expressions, starts that satisfy its hidden constraints, and the
//! disciplines and graphs that models are made of.

mod branch_graph;
mod dependent;
mod discipline;
mod energies;
mod equations;
mod lagrangian;
mod start;

pub use branch_graph::{BranchGraph, GraphBranch, SpanningTree};
pub use discipline::{Discipline, DisciplineVariable, Sharing};
pub use lagrangian::{
    Coupled, EquationForm, Lagrangian, LagrangianEquations, LagrangianError, Row, RowKind, Unknown,
    UnknownKind,
};
pub use start::{Hidden, LagrangianStart, LagrangianStartError, StartGuess};
