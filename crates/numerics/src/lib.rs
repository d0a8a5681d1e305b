//! Linear algebra of constrained mechanical systems.
//!
//! The matrices are those of a Newton step, [S Gᵀ; G⁺ 0], sparse as the graph of the mechanism. [`ordering`]
//! numbers the unknowns so that elimination in that order fills little and needs no pivoting; [`pattern`]
//! holds the structure; [`lu`] and [`complex_lu`] factor and solve; [`fallback`] pivots where a static pivot
//! fails. [`krylov`] finds a few eigenvalues of large operators, [`dense`] and [`subspace`] treat small full
//! matrices, [`descriptor`] linear differential-algebraic systems, [`exponential`] and [`pole_placement`]
//! linear ones of states.
//!
//! ```
//! use poinsot_numerics::{PatternBuilder, SparseLu};
//!
//! // [4 1; 1 3] x = [1; 2]
//! let pattern = PatternBuilder::new(2).add_clique(&[0, 1]).build();
//! let mut values = vec![0.0; pattern.nnz()];
//! for (row, column, value) in [(0, 0, 4.0), (0, 1, 1.0), (1, 0, 1.0), (1, 1, 3.0)] {
//!     values[pattern.index(row, column).unwrap()] = value;
//! }
//! let (mut lu, mut x) = (SparseLu::new(&pattern), [1.0, 2.0]);
//! lu.factor(&values)?;
//! lu.solve(&mut x);
//! assert!((x[0] - 1.0 / 11.0).abs() < 1e-15 && (x[1] - 7.0 / 11.0).abs() < 1e-15);
//! # Ok::<(), poinsot_numerics::PivotError>(())
//! ```

mod arnoldi;
mod complex_dense;
mod complex_lanes;
pub mod complex_lu;
pub mod cyclic;
pub mod dense;
pub mod descriptor;
pub mod dissection;
pub mod exponential;
pub mod fallback;
pub mod gmres;
pub mod hill;
pub mod indefinite_factors;
mod kernels;
pub mod krylov;
pub mod lanes;
pub mod lu;
mod matching;
mod mix;
mod multifrontal;
pub mod nonlinear_program;
pub mod ordering;
pub mod pattern;
pub mod pencil;
pub mod pole_placement;
pub mod product;
mod random;
mod schur;
pub mod subspace;
mod symbolic;
pub mod symmetric;
pub mod symmetric_factors;

pub use complex_lu::ComplexLu;
pub use fallback::{ComplexPivotingLu, PivotingLu};
pub use indefinite_factors::{IndefiniteFactors, Inertia};
pub use lu::{PivotError, SparseLu};
pub use mix::mix;
pub use ordering::{Coupler, GroupOrder, order_groups};
pub use pattern::{Pattern, PatternBuilder};
pub use random::irregular;
pub use symmetric::SymmetricMatrix;
pub use symmetric_factors::{EliminationOrder, SymmetricFactorError, SymmetricFactors};
