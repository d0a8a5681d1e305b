//! Linear equations that integrators solve: factored step matrices, accelerations and multipliers of a state,
//! projections onto the constraints, and the constraint Jacobian.

pub(crate) mod backward_error;
pub(crate) mod complex_factors;
pub(crate) mod dense_factors;
pub(crate) mod elimination;
pub(crate) mod factors;
pub(crate) mod jacobian;
pub(crate) mod projection;
pub(crate) mod row_distances;
pub(crate) mod row_space;
pub(crate) mod saddle_point;
