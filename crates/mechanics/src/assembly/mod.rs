//! Assembly of the equations of a [`System`](crate::System) and of their exact derivatives.
//!
//! ```text
//! R = M(q) a + Gᵀ(q) λ − Q(q, v, t)
//! ```

mod constraints;
mod element_motion;
mod jacobian;
mod linearization;
mod memory;
mod natural_force;
mod residual;
mod row_levels;
mod scatter;
mod scratch;
mod step_matrix;
pub(crate) mod strain;

pub(crate) use constraints::reported;
pub use linearization::{Level, Linearization, StepPolynomial, Term, Terms};
pub(crate) use natural_force::{ZERO, add_loads};
pub use row_levels::RowLevels;
pub(crate) use scatter::{
    add_blocks, add_columns, add_rows, clear_rows, gather_rows, scatter_block, scatter_rows, store_rows,
};
pub use scratch::Scratch;
pub(crate) use scratch::{LocalBlock, MAX_LOCAL};
