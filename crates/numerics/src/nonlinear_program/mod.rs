//! Nonlinear programs: a function made least under conditions and bounds, large and sparse.
//!
//! ```
//! use poinsot_numerics::nonlinear_program::{NoValue, Program, Range, Settings, solve};
//!
//! /// The point of the line x + 2y = 5 that is nearest to the origin.
//! struct Nearest;
//!
//! impl Program for Nearest {
//!     fn unknowns(&self) -> usize { 2 }
//!     fn rows(&self) -> usize { 1 }
//!     fn row_range(&self, _row: usize) -> Range { Range::exactly(5.0) }
//!     fn objective(&mut self, x: &[f64]) -> Result<f64, NoValue> { Ok(x[0] * x[0] + x[1] * x[1]) }
//!     fn gradient(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
//!         out.copy_from_slice(&[2.0 * x[0], 2.0 * x[1]]);
//!         Ok(())
//!     }
//!     fn conditions(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
//!         out[0] = x[0] + 2.0 * x[1];
//!         Ok(())
//!     }
//!     fn jacobian_places(&self) -> Vec<(usize, usize)> { vec![(0, 0), (0, 1)] }
//!     fn jacobian(&mut self, _x: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
//!         out.copy_from_slice(&[1.0, 2.0]);
//!         Ok(())
//!     }
//!     fn hessian_places(&self) -> Vec<(usize, usize)> { vec![(0, 0), (1, 1)] }
//!     fn hessian(&mut self, _x: &[f64], w: f64, _: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
//!         out.fill(2.0 * w);
//!         Ok(())
//!     }
//! }
//!
//! let found = solve(&mut Nearest, &vec![3.0, -1.0].into(), &Settings::default(), &mut |_| true)?;
//! assert!((found.x[0] - 1.0).abs() < 1e-9 && (found.x[1] - 2.0).abs() < 1e-9);
//! # Ok::<(), poinsot_numerics::nonlinear_program::Failure>(())
//! ```

mod filter;
mod interior_point;
mod kkt;
mod outcome;
mod program;
mod restoration;
mod standard;

pub use interior_point::solve;
pub use outcome::{Failure, Progress, Reason, Settings, Solution, Start};
pub use program::{NoValue, Program, Range};
