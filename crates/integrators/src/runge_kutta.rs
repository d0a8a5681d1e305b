//! Runge–Kutta methods: their coefficients, and explicit and fully implicit steps with them.

pub(crate) mod explicit;
pub(crate) mod implicit;
pub mod rooted_trees;
pub(crate) mod tableau;
