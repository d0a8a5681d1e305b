//! Explicit functions of time in expressions: how far they go without a turn that a step could miss.
//!
//! Who integrates an oscillating source in long steps may meet it at the same phase again and again, and
//! never see it. A stretch of time is *plain* if over it the function only rises or only falls, or bends to
//! one side only: what it does there shows at the ends and in between. A sine is plain over a quarter of its
//! period at least and half of it at most.

use crate::expr::{Expr, Node};
use crate::interval::Interval;

/// Largest size of derivatives that are looked at, in nodes.
const LARGEST: usize = 10_000;

/// An explicit function of time that is no straight line.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeLaw {
    value: Expr,
    slope: Expr,
    bend: Expr,
}

impl TimeLaw {
    fn new(value: Expr, variable: &str) -> Option<Self> {
        let slope = value.derivative(variable);
        if slope.derivative_size() > LARGEST {
            return None;
        }
        let bend = slope.derivative(variable);
        let is_line = matches!(bend.node, Node::Number(0.0));
        (!is_line).then_some(TimeLaw { value, slope, bend })
    }

    /// The values over a stretch of time.
    pub fn over(&self, span: Interval) -> Interval {
        self.value.over(span)
    }

    /// Whether the function only rises, only falls, or bends to one side only over a stretch of time.
    pub fn is_plain(&self, span: Interval) -> bool {
        self.slope.over(span).has_one_sign() || self.bend.over(span).has_one_sign()
    }
}

impl Expr {
    /// The largest parts of the expression that depend on `variable` alone and are no straight lines in it.
    ///
    /// ```
    /// use poinsot_expr::{Expr, Interval};
    /// let load = Expr::parse("U*sin(w*t)*x + 3*t*y")?;
    /// let laws = load.time_laws("t", &|name| (name == "U" || name == "w").then_some(2.0));
    /// assert_eq!(laws.len(), 1);
    /// assert!(laws[0].is_plain(Interval::new(0.0, 0.5)) && !laws[0].is_plain(Interval::new(0.0, 2.0)));
    /// # Ok::<(), poinsot_expr::ParseError>(())
    /// ```
    pub fn time_laws(&self, variable: &str, constants: &dyn Fn(&str) -> Option<f64>) -> Vec<TimeLaw> {
        let mut found = vec![];
        self.collect_laws(variable, constants, &mut found);
        // A part that depends on more than the variable is looked into once.
        for part in self.parts().into_iter().rev() {
            if !part.expr().depends_on_nothing_but(variable, constants) {
                part.expr().collect_laws(variable, constants, &mut found);
            }
        }
        found
    }

    fn collect_laws(
        &self,
        variable: &str,
        constants: &dyn Fn(&str) -> Option<f64>,
        found: &mut Vec<TimeLaw>,
    ) {
        if !self.contains(variable) {
            return;
        }
        if self.depends_on_nothing_but(variable, constants) {
            let number = |name: &str| constants(name).filter(|_| name != variable).map(Expr::number);
            let law = TimeLaw::new(self.replace_names(&number).simplify(), variable);
            found.extend(law.filter(|law| !found.contains(law)));
            return;
        }
        if !matches!(self.node, Node::Shared(_)) {
            self.visit_children(&mut |child| child.collect_laws(variable, constants, found));
        }
    }
}
