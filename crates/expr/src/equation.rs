//! Equations: `left = right`, with rates of variables.

use crate::expr::{Expr, Node};
use crate::operator::BinaryOperator;
use crate::parse::{ParseError, parse_with_rates};
use crate::table::Table;
use std::sync::Arc;

/// The word for the rate of a variable.
pub(crate) const RATE: &str = "der";

/// The name that stands for the rate of a variable in an equation: `der(x)`.
pub fn rate_name(variable: &str) -> String {
    format!("{RATE}({variable})")
}

/// The variable whose rate a name stands for.
///
/// ```
/// use poinsot_expr::rate_of;
/// assert_eq!(rate_of("der(motor.i)"), Some("motor.i"));
/// assert_eq!(rate_of("motor.i"), None);
/// ```
pub fn rate_of(name: &str) -> Option<&str> {
    name.strip_prefix(RATE)?.strip_prefix('(')?.strip_suffix(')')
}

impl Expr {
    /// Parses `left = right` into `left - right`, or an expression that is zero as it stands.
    ///
    /// In it `der(x)` is a name of its own, the rate of `x`: the name [`rate_name`] gives. Spans refer
    /// to the whole of `source`.
    ///
    /// ```
    /// use poinsot_expr::Expr;
    /// let equation = Expr::parse_equation("L*der(i) = U - R*i", &[])?;
    /// assert_eq!(equation.to_string(), "L*der(i) - (U - R*i)");
    /// assert_eq!(equation.variables()[1], ("der(i)".to_string(), 2..8));
    /// # Ok::<(), poinsot_expr::ParseError>(())
    /// ```
    pub fn parse_equation(source: &str, tables: &[Arc<Table>]) -> Result<Self, ParseError> {
        let signs = equal_signs(source);
        let Some(&at) = signs.first() else { return parse_with_rates(source, tables) };
        if let Some(&second) = signs.get(1) {
            let message = "an equation has one `=`; equality in a condition is written `==`";
            return Err(ParseError::new(message, second..second + 1));
        }
        let side = |text: &str, blank: usize, word: &str| {
            if text.trim().is_empty() {
                let message = format!("nothing stands {word} the `=`");
                return Err(ParseError::new(message, at..at + 1));
            }
            // Blanks in place of the other side keep the spans.
            parse_with_rates(&format!("{}{text}", " ".repeat(blank)), tables)
        };
        let left = side(&source[..at], 0, "before")?;
        let right = side(&source[at + 1..], at + 1, "after")?;
        let node = Node::Binary(BinaryOperator::Subtract, Box::new(left), Box::new(right));
        Ok(Expr::new(node, 0..source.len()))
    }
}

/// Places of `=` outside parentheses that are not part of a comparison.
fn equal_signs(source: &str) -> Vec<usize> {
    let bytes = source.as_bytes();
    let around = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied().unwrap_or(b' ');
    let (mut depth, mut signs) = (0i32, Vec::new());
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b'=' if depth == 0 => {
                let (before, after) = (around(at.checked_sub(1)), around(Some(at + 1)));
                if !b"=<>!~".contains(&before) && !b"=<>".contains(&after) {
                    signs.push(at);
                }
            }
            _ => {}
        }
    }
    signs
}
