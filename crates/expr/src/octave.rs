//! Expressions as text for GNU Octave and MATLAB.

use crate::builtin::{Builtin, Value};
use crate::chain::long_chain;
use crate::equation::rate_of;
use crate::expr::{Expr, Node};
use crate::operator::{BinaryOperator, Binding, UnaryOperator};
use crate::print::binding;
use crate::table::{Extrapolation, Table};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How functions are written there. Those that are not listed have the same name and meaning.
const FUNCTIONS: [(&str, &str); 9] = [
    ("cbrt", "cbrt_"),
    ("limexp", "limexp_"),
    ("clamp", "clamp_"),
    ("step", "step_"),
    ("ramp", "ramp_"),
    ("smoothstep", "smoothstep_"),
    ("smootherstep", "smootherstep_"),
    ("radians", "deg2rad"),
    ("degrees", "rad2deg"),
];

const IF: &str = "if_";
const TABLE: &str = "table_";

/// Functions that neither Octave nor MATLAB has.
const HELPERS: [(&str, &str); 9] = [
    (
        IF,
        "function y = if_(condition, yes, no)
  if condition
    y = yes;
  else
    y = no;
  end
end
",
    ),
    (
        "cbrt_",
        "function y = cbrt_(x)
  y = sign(x)*abs(x)^(1/3);
  if y ~= 0 && isfinite(y)
    y = y - (y - (x/y)/y)/3;
  end
end
",
    ),
    (
        "limexp_",
        "function y = limexp_(x)
  y = exp(min(x, 300))*(1 + max(x - 300, 0));
end
",
    ),
    (
        "clamp_",
        "function y = clamp_(x, low, high)
  y = min(max(x, low), high);
end
",
    ),
    (
        "step_",
        "function y = step_(x)
  y = double(x >= 0);
end
",
    ),
    (
        "ramp_",
        "function y = ramp_(x)
  y = max(x, 0);
end
",
    ),
    (
        "smoothstep_",
        "function y = smoothstep_(x)
  x = min(max(x, 0), 1);
  y = x*x*(3 - 2*x);
end
",
    ),
    (
        "smootherstep_",
        "function y = smootherstep_(x)
  x = min(max(x, 0), 1);
  y = x*x*x*(x*(6*x - 15) + 10);
end
",
    ),
    (
        TABLE,
        "function y = table_(p, x, order, outside)
  % p: abscissa, ordinate and second derivative of each point
  first = p(1, 1);
  last = p(end, 1);
  if strcmp(outside, 'periodic')
    if x < first || x >= last
      x = first + mod(x - first, last - first);
    end
  elseif x < first || x > last
    at = min(max(x, first), last);
    slope = 0;
    if strcmp(outside, 'linear')
      slope = table_(p, at, 1, 'hold');
    end
    if order == 0
      y = table_(p, at, 0, 'hold');
      if slope ~= 0
        y = y + slope*(x - at);
      end
    else
      y = slope*(order == 1);
    end
    return
  end
  k = min(max(sum(p(:, 1) <= x), 1), size(p, 1) - 1);
  h = p(k + 1, 1) - p(k, 1);
  b = (x - p(k, 1))/h;
  a = 1 - b;
  y0 = p(k, 2); y1 = p(k + 1, 2); m0 = p(k, 3); m1 = p(k + 1, 3);
  switch order
    case 0
      y = a*y0 + b*y1 - a*b*((1 + a)*m0 + (1 + b)*m1)*(h*h/6);
    case 1
      y = (y1 - y0)/h + ((3*b*b - 1)*m1 - (3*a*a - 1)*m0)*(h/6);
    case 2
      y = a*m0 + b*m1;
    case 3
      y = (m1 - m0)/h;
    otherwise
      y = 0;
  end
end
",
    ),
];

/// Words that cannot be names there, and functions that the text calls.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "__FILE__", "__LINE__", "break", "case", "catch", "classdef", "continue", "do", "else", "elseif", "end",
    "end_try_catch", "end_unwind_protect", "endclassdef", "endenumeration", "endevents", "endfor", "endfunction",
    "endif", "endmethods", "endparfor", "endproperties", "endspmd", "endswitch", "endwhile", "enumeration", "events",
    "for", "function", "global", "if", "methods", "otherwise", "parfor", "persistent", "properties", "return", "spmd",
    "switch", "try", "until", "unwind_protect", "unwind_protect_cleanup", "while", "ans", "Inf", "NaN",
    "double", "deg2rad", "rad2deg",
];

impl Expr {
    /// The expression in the language of GNU Octave and MATLAB, for scalars.
    ///
    /// `name` gives the names of variables and tables. Without one, dots become underscores, `der(x)` is
    /// `der_x`, letters other than `a` to `z` are their numbers, and a name that is taken there has an
    /// underscore at its end. `e` is `exp(1)`. The text calls the functions of [`Expr::octave_helpers`].
    /// Numbers read back to the same bits.
    ///
    /// Shared parts are written out; [`Expr::with_named_parts`] gives them names before that.
    ///
    /// Both branches of an `if` are computed, but the one that is not taken is not used, whatever it is.
    /// Outside the domain of a function, where the language has no value, that of Octave may be complex.
    ///
    /// ```
    /// use poinsot_expr::Expr;
    /// let force = Expr::parse("if(top.x > 0 and not off, k*top.x^(2/3), 0)")?;
    /// let text = "if_(top_x > 0 && ~(off ~= 0), k*top_x^(2/3), 0)";
    /// assert_eq!(force.to_octave(&|_| None), text);
    /// # Ok::<(), poinsot_expr::ParseError>(())
    /// ```
    pub fn to_octave(&self, name: &dyn Fn(&str) -> Option<String>) -> String {
        let mut writer = Writer { name, text: String::new() };
        writer.expression(self);
        writer.text
    }

    /// The definitions of the functions that [`Expr::to_octave`] calls and that neither Octave nor MATLAB
    /// has, by name; the tables of the expression are among them.
    pub fn octave_helpers(&self, name: &dyn Fn(&str) -> Option<String>) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        self.add_helpers(name, &mut found);
        found
    }

    fn add_helpers(&self, name: &dyn Fn(&str) -> Option<String>, found: &mut BTreeMap<String, String>) {
        let mut add = |helper: &str| {
            if let Some((_, text)) = HELPERS.iter().find(|(other, _)| *other == helper) {
                found.entry(helper.to_string()).or_insert_with(|| (*text).to_string());
            }
        };
        match &self.node {
            Node::If(_) => add(IF),
            Node::Call(f, _) => add(function(f)),
            Node::Table(table, ..) => {
                add(TABLE);
                let own = identifier(table.name(), name);
                found.entry(own.clone()).or_insert_with(|| definition(table, &own));
            }
            _ => {}
        }
        self.visit_children(&mut |child| child.add_helpers(name, found));
    }
}

/// The function that is a table.
fn definition(table: &Table, name: &str) -> String {
    let outside = match table.extrapolation() {
        Extrapolation::Hold => "hold",
        Extrapolation::Linear => "linear",
        Extrapolation::Periodic => "periodic",
    };
    let mut text = format!("function y = {name}(x, order)\n  p = [\n");
    for ((x, y), m) in table.points().iter().zip(table.moments()) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "    {}, {}, {}", Expr::number(*x), Expr::number(*y), Expr::number(*m));
    }
    let _ = writeln!(text, "  ];\n  y = table_(p, x, order, '{outside}');\nend");
    text
}

fn function(f: &Builtin) -> &'static str {
    FUNCTIONS.iter().find(|(name, _)| *name == f.name).map_or(f.name, |(_, there)| *there)
}

fn identifier(text: &str, name: &dyn Fn(&str) -> Option<String>) -> String {
    if let Some(given) = name(text) {
        return given;
    }
    let (mut made, text) = match rate_of(text) {
        Some(variable) => ("der_".to_string(), variable),
        None => (String::new(), text),
    };
    for c in text.chars() {
        match c {
            '.' => made.push('_'),
            _ if c.is_ascii_alphanumeric() || c == '_' => made.push(c),
            _ => {
                // Writing to a String cannot fail.
                let _ = write!(made, "u{:04x}", u32::from(c));
            }
        }
    }
    if made.starts_with('_') {
        made.insert(0, 'x');
    }
    let is_taken = |text: &str| KEYWORDS.contains(&text) || HELPERS.iter().any(|(helper, _)| *helper == text);
    while is_taken(&made) {
        made.push('_');
    }
    made
}

struct Writer<'a> {
    name: &'a dyn Fn(&str) -> Option<String>,
    text: String,
}

impl Writer<'_> {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn expression(&mut self, expr: &Expr) {
        match &expr.node {
            Node::Number(_) => self.push(&expr.to_string()),
            Node::Name(name) if name == "e" && (self.name)(name).is_none() => self.push("exp(1)"),
            Node::Name(name) => self.push(&identifier(name, self.name)),
            Node::Unary(UnaryOperator::Negate, x) => {
                self.push("-");
                self.operand(x, Binding::Power);
            }
            Node::Binary(BinaryOperator::Power, a, b) => self.power(a, b),
            Node::Binary(op, a, b) if is_arithmetic(*op) => match long_chain(expr) {
                Some(operands) => self.chain(&operands),
                None => self.chain(&[(*op, a), (*op, b)]),
            },
            // Truth as a number.
            Node::Unary(UnaryOperator::Not, _) | Node::Binary(..) => {
                self.push("double(");
                self.condition(expr);
                self.push(")");
            }
            Node::If(parts) => {
                self.push("if_(");
                self.condition(&parts[0]);
                for branch in &parts[1..] {
                    self.push(", ");
                    self.expression(branch);
                }
                self.push(")");
            }
            Node::Call(f, arguments) => self.call(f, arguments),
            Node::Table(table, order, x) => {
                self.push(&identifier(table.name(), self.name));
                self.push("(");
                self.expression(x);
                let _ = write!(self.text, ", {order})");
            }
            Node::Shared(part) => self.expression(part.expr()),
        }
    }

    fn operand(&mut self, expr: &Expr, loosest: Binding) {
        if octave_binding(expr) < loosest {
            self.push("(");
            self.expression(expr);
            self.push(")");
        } else {
            self.expression(expr);
        }
    }

    fn chain(&mut self, operands: &[(BinaryOperator, &Expr)]) {
        for (place, (op, x)) in operands.iter().enumerate() {
            let (left, right) = op.operand_bindings();
            if place == 0 {
                self.operand(x, left);
                continue;
            }
            match op.binding() {
                Binding::Product => self.push(op.symbol()),
                _ => {
                    let _ = write!(self.text, " {op} ");
                }
            }
            // No two operators in a row.
            let signed = matches!(x.node, Node::Unary(UnaryOperator::Negate, _));
            self.operand(x, if signed { Binding::Power } else { right });
        }
    }

    /// `^` groups from the left there.
    fn power(&mut self, a: &Expr, b: &Expr) {
        self.operand(a, Binding::Atom);
        self.push("^");
        self.operand(b, Binding::Atom);
    }

    /// A truth value.
    fn condition(&mut self, expr: &Expr) {
        match &expr.node {
            Node::Unary(UnaryOperator::Not, x) => {
                self.push("~(");
                self.condition(x);
                self.push(")");
            }
            Node::Binary(op @ (BinaryOperator::And | BinaryOperator::Or), a, b) => {
                let operands = long_chain(expr).unwrap_or_else(|| vec![(*op, a), (*op, b)]);
                for (place, (op, x)) in operands.into_iter().enumerate() {
                    if place > 0 {
                        self.push(if op == BinaryOperator::And { " && " } else { " || " });
                    }
                    let nested =
                        matches!(&x.node, Node::Binary(BinaryOperator::And | BinaryOperator::Or, ..));
                    self.push(if nested { "(" } else { "" });
                    self.condition(x);
                    self.push(if nested { ")" } else { "" });
                }
            }
            Node::Binary(op, a, b) if op.binding() == Binding::Comparison => {
                self.operand(a, Binding::Sum);
                let symbol = if *op == BinaryOperator::NotEqual { "~=" } else { op.symbol() };
                let _ = write!(self.text, " {symbol} ");
                self.operand(b, Binding::Sum);
            }
            _ => {
                self.operand(expr, Binding::Sum);
                self.push(" ~= 0");
            }
        }
    }

    fn call(&mut self, f: &Builtin, arguments: &[Expr]) {
        let name = function(f);
        let Value::Fold(_) = f.value else { return self.plain_call(name, arguments) };
        // f(x, y, z) = f(f(x, y), z)
        for _ in 2..arguments.len() {
            self.push(name);
            self.push("(");
        }
        self.plain_call(name, &arguments[..arguments.len().min(2)]);
        for x in arguments.iter().skip(2) {
            self.push(", ");
            self.expression(x);
            self.push(")");
        }
    }

    fn plain_call(&mut self, name: &str, arguments: &[Expr]) {
        self.push(name);
        self.push("(");
        for (place, x) in arguments.iter().enumerate() {
            if place > 0 {
                self.push(", ");
            }
            self.expression(x);
        }
        self.push(")");
    }
}

fn is_arithmetic(op: BinaryOperator) -> bool {
    matches!(op.binding(), Binding::Sum | Binding::Product)
}

/// Truth values are calls here.
fn octave_binding(expr: &Expr) -> Binding {
    match &expr.node {
        Node::Unary(UnaryOperator::Not, _) => Binding::Atom,
        Node::Shared(part) => octave_binding(part.expr()),
        Node::Binary(op, ..) if !is_arithmetic(*op) && *op != BinaryOperator::Power => Binding::Atom,
        _ => binding(expr),
    }
}
