//! Exponentials that do not overflow, for equations that are solved by iteration.

use crate::builtin::{Builtin, builtin};
use crate::expr::{Expr, Node};
use crate::shared::Parts;

impl Expr {
    /// The expression with `limexp` in place of `exp`.
    ///
    /// Newton's method tries values far from the solution, where the exponential of a diode or a reaction
    /// overflows and infinite terms cancel to NaN. `limexp(x)` is `exp(x)` up to x = 300, where it has long
    /// left the range of any solution, and goes on along the tangent: finite, rising, with a continuous
    /// derivative, so that the iteration finds its way back. Other functions that grow as fast (`sinh`,
    /// `cosh`, powers) stay as they are.
    ///
    /// ```
    /// use poinsot_expr::Expr;
    /// let diode = Expr::parse("Is*(exp(40*u) - 1)")?.with_limited_exponentials();
    /// assert_eq!(diode.to_string(), "Is*(limexp(40*u) - 1)");
    /// let at = |u: f64| move |name: &str| Some(if name == "u" { u } else { 1e-12 });
    /// assert_eq!(diode.eval(&at(0.5))?, 1e-12*(20f64.exp() - 1.0));
    /// assert!(diode.eval(&at(1e3))?.is_finite());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_limited_exponentials(&self) -> Self {
        match builtin("limexp") {
            Some(limited) => self.map_parts(&|expr, parts| expr.limited(limited, parts)),
            None => self.clone(),
        }
    }

    fn limited(&self, limited: &'static Builtin, parts: &Parts<Expr>) -> Self {
        if let Node::Shared(part) = &self.node {
            return parts.expr(part, &self.span);
        }
        let mut expr = self.map_children(&|child| child.limited(limited, parts));
        if let Node::Call(f, _) = &mut expr.node
            && f.name == "exp"
        {
            *f = limited;
        }
        expr
    }
}
