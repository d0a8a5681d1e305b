//! Sums of formulas with signs.

use super::flat_text::{FlatText, Origin};
use super::formula::Formula;
use crate::diagnostic::Span;

/// Σ ± formula.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sum(pub Vec<(i32, Formula)>);

impl Sum {
    /// Adds a name with a sign.
    pub fn add_name(&mut self, sign: i32, name: &str, origin: &Span) {
        self.0.push((sign, Formula::made(name, origin.clone())));
    }

    /// Adds a formula with a sign, unless it is zero.
    pub fn add(&mut self, sign: i32, formula: &Formula) {
        if !formula.is_zero() {
            self.0.push((sign, formula.clone()));
        }
    }

    /// Adds another sum, or takes it away.
    pub fn add_sum(&mut self, sign: i32, other: &Sum) {
        self.0.extend(other.0.iter().map(|(s, formula)| (s * sign, formula.clone())));
    }

    /// Writes it; nothing is zero.
    pub fn write(&self, out: &mut FlatText, origin: &Span) {
        let made = || Origin::Of(origin.clone());
        if self.0.is_empty() {
            out.push("0", made());
        }
        for (k, (sign, formula)) in self.0.iter().enumerate() {
            let operator = match (k, sign) {
                (0, 1..) => "",
                (0, _) => "-",
                (_, 1..) => " + ",
                (_, _) => " - ",
            };
            out.push(operator, made());
            let single = self.0.len() == 1 && *sign > 0;
            let brackets = !single && !formula.is_name();
            out.push(if brackets { "(" } else { "" }, made());
            formula.write(out);
            out.push(if brackets { ")" } else { "" }, made());
        }
    }
}
