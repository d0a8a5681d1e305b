//! The expression language of Poinsot's model files: parse, evaluate, differentiate, print.
//!
//! ```text
//! 0.5*m*L^2        F0*sin(2*pi*f*t)        if(t < 0.1, 5, 0)        top.position.x - 2*hinge.angle
//! ```
//!
//! Everything is a real number. There are `+ - * / ^`, comparisons `< <= > >= == !=`, `and`, `or`,
//! `not`, `if(condition, value, otherwise)`, the functions of [`BUILTINS`] and the constants `pi` and
//! `e`. A comparison is 1 if it holds and 0 if not; a condition holds if it is not 0. `^` binds
//! tighter than a sign (`-2^2` is -4) and groups from the right. Names are made of letters, digits
//! and underscores, and have parts joined by dots.
//!
//! Sums and products may be as long as memory allows; nesting is limited, with an error that says where.
//!
//! [`Expr`] is the parsed tree: it evaluates with errors that point into the source, differentiates by
//! one name ([`Expr::derivative`]) or by many at once ([`Expr::gradient`]), and prints. [`Expr::simplify`]
//! removes what is 0 or 1 without changing the rounding; [`Expr::tidy`] collects equal terms and factors as
//! people do, [`Expr::to_latex`] makes a formula of it and [`Expr::to_octave`] code for GNU Octave and
//! MATLAB. [`Expr::sum`] and [`Expr::product`] join many parts.
//!
//! [`Expr::shared`] makes a part that expressions refer to instead of copying it: what is put into each other
//! again and again stays as small as it was written.
//!
//! [`Program`] is an expression compiled for repeated evaluation, [`Function`] one with
//! its partial derivatives, [`SmoothFunction`] one with its second partial derivatives too. All
//! derivatives are exact: expressions are differentiated, not their values.
//!
//! A [`Block`] is many functions of the same inputs with their derivatives, compiled together: equal
//! parts are computed once, and they run as machine code (feature `native`) or are interpreted, with
//! the same bits.
//!
//! Newton's method tries values at which exponentials overflow: `limexp` does not, and
//! [`Expr::with_limited_exponentials`] puts it in place of `exp` in equations that are solved by iteration.
//!
//! [`Expr::parse_equation`] reads `left = right`, where `der(x)` is the rate of a variable, and
//! [`Expr::breaks`] lists the times at which an expression of time has kinks and jumps;
//! [`Expr::switches`] the functions of other variables whose passing a level is one.
//!
//! A [`Table`] is a function of one variable through given points, which an expression parsed by
//! [`Expr::parse_with`] calls by name: `2*lift(t) + 1`. It is a cubic spline or made of straight
//! lines, has derivatives of every order, and so can stand wherever a built-in function can.

mod arithmetic;
mod block;
mod breaks;
mod builtin;
mod chain;
mod derivative;
mod equation;
mod evaluate;
mod expr;
mod function;
mod gradient;
mod graph;
mod interval;
mod jet;
mod latex;
mod limited_exponential;
#[cfg(feature = "native")]
mod native;
mod octave;
mod operator;
mod parse;
mod places;
mod print;
mod program;
mod ratio;
mod schedule;
mod shared;
mod simplify;
mod smooth_function;
mod spline;
mod suggest;
mod switches;
mod table;
mod tape;
mod tidy;
mod time_derivatives;
mod time_law;
mod token;

pub use block::{Block, Engine};
pub use builtin::{BUILTINS, Builtin, CONSTANTS, Constant, KEYWORDS, Value, builtin, constant, reference};
pub use equation::{rate_name, rate_of};
pub use evaluate::EvalError;
pub use expr::{Expr, Node, is_name};
pub use function::Function;
pub use interval::Interval;
pub use jet::Jet;
pub use operator::{BinaryOperator, UnaryOperator};
pub use parse::ParseError;
pub use program::Program;
pub use shared::Shared;
pub use smooth_function::SmoothFunction;
pub use suggest::suggest;
pub use switches::{Levels, Switch};
pub use table::{Extrapolation, Interpolation, Table, TableError, is_table_name};
pub use time_derivatives::{InputRate, TimeDerivative};
pub use time_law::TimeLaw;
