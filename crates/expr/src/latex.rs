//! Expressions as formulas in LaTeX.

use crate::builtin::Builtin;
use crate::chain::long_chain;
use crate::equation::rate_of;
use crate::expr::{Expr, Node};
use crate::operator::{BinaryOperator, Binding, UnaryOperator};
use crate::print::binding;

/// Functions that LaTeX has a command for, with that command.
const COMMANDS: [(&str, &str); 15] = [
    ("sin", r"\sin"),
    ("cos", r"\cos"),
    ("tan", r"\tan"),
    ("asin", r"\arcsin"),
    ("acos", r"\arccos"),
    ("atan", r"\arctan"),
    ("sinh", r"\sinh"),
    ("cosh", r"\cosh"),
    ("tanh", r"\tanh"),
    ("log", r"\ln"),
    ("log10", r"\log_{10}"),
    ("log2", r"\log_{2}"),
    ("min", r"\min"),
    ("max", r"\max"),
    ("exp", r"\exp"),
];

/// Greek letters by their names in LaTeX, and as characters.
const GREEK: [(&str, &str); 40] = [
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("delta", "δ"),
    ("epsilon", "ϵ"),
    ("varepsilon", "ε"),
    ("zeta", "ζ"),
    ("eta", "η"),
    ("theta", "θ"),
    ("vartheta", "ϑ"),
    ("iota", "ι"),
    ("kappa", "κ"),
    ("lambda", "λ"),
    ("mu", "μ"),
    ("nu", "ν"),
    ("xi", "ξ"),
    ("pi", "π"),
    ("rho", "ρ"),
    ("varrho", "ϱ"),
    ("sigma", "σ"),
    ("varsigma", "ς"),
    ("tau", "τ"),
    ("upsilon", "υ"),
    ("phi", "ϕ"),
    ("varphi", "φ"),
    ("chi", "χ"),
    ("psi", "ψ"),
    ("omega", "ω"),
    ("Gamma", "Γ"),
    ("Delta", "Δ"),
    ("Theta", "Θ"),
    ("Lambda", "Λ"),
    ("Xi", "Ξ"),
    ("Pi", "Π"),
    ("Sigma", "Σ"),
    ("Upsilon", "Υ"),
    ("Phi", "Φ"),
    ("Psi", "Ψ"),
    ("Omega", "Ω"),
    ("ell", "ℓ"),
];

impl Expr {
    /// The expression as a formula in LaTeX, for mathematics mode with the package `amsmath`.
    ///
    /// `symbol` gives the symbols of names. A name without one is read as people mean it: `theta_d` is θ with
    /// the index d, `m1` has an index 1, `qdot` and `der(q)` have a dot, `motor.i` is i with the index motor.
    ///
    /// ```
    /// use poinsot_expr::Expr;
    /// let moment = Expr::parse("m1*g*sin(theta_d)/2 - alpha*qdot^2")?;
    /// let formula = r"\frac{m_{1} \, g \, \sin\left(\theta_{d}\right)}{2} - \alpha \, \dot{q}^{2}";
    /// assert_eq!(moment.to_latex(&|_| None), formula);
    /// # Ok::<(), poinsot_expr::ParseError>(())
    /// ```
    pub fn to_latex(&self, symbol: &dyn Fn(&str) -> Option<String>) -> String {
        let mut writer = Writer { symbol, text: String::new() };
        writer.expression(self);
        writer.text
    }
}

struct Writer<'a> {
    symbol: &'a dyn Fn(&str) -> Option<String>,
    text: String,
}

impl Writer<'_> {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn expression(&mut self, expr: &Expr) {
        match &expr.node {
            Node::Number(value) => self.push(&number(*value)),
            Node::Name(name) => self.push(&(self.symbol)(name).unwrap_or_else(|| symbol(name))),
            Node::Unary(UnaryOperator::Negate, x) => {
                self.push("-");
                self.operand(x, Binding::Power);
            }
            Node::Unary(UnaryOperator::Not, x) => {
                self.push(r"\lnot ");
                self.operand(x, Binding::Not);
            }
            Node::Binary(op, a, b) => match long_chain(expr) {
                Some(operands) => self.chain(&operands),
                None => self.binary(*op, a, b),
            },
            Node::If(parts) => self.choice(parts),
            Node::Call(f, arguments) => self.call(f, arguments, None),
            Node::Table(table, order, x) => {
                let name = (self.symbol)(table.name()).unwrap_or_else(|| operator_name(table.name()));
                self.push(&name);
                self.push(&"'".repeat(*order as usize));
                self.arguments(std::slice::from_ref(x));
            }
            Node::Shared(part) => self.expression(part.expr()),
        }
    }

    /// An operand, in parentheses if it binds less tightly.
    fn operand(&mut self, expr: &Expr, loosest: Binding) {
        if formula_binding(expr) < loosest { self.parenthesized(expr) } else { self.expression(expr) }
    }

    fn parenthesized(&mut self, expr: &Expr) {
        self.push(r"\left(");
        self.expression(expr);
        self.push(r"\right)");
    }

    fn braced(&mut self, expr: &Expr) {
        self.push("{");
        self.expression(expr);
        self.push("}");
    }

    fn binary(&mut self, op: BinaryOperator, a: &Expr, b: &Expr) {
        match op {
            BinaryOperator::Divide => {
                self.push(r"\frac");
                self.braced(a);
                self.braced(b);
            }
            BinaryOperator::Power => self.power(a, b),
            BinaryOperator::Multiply => {
                self.operand(a, Binding::Product);
                self.factor(b);
            }
            _ => {
                self.operand(a, op.operand_bindings().0);
                self.next(op, b);
            }
        }
    }

    /// An operand after its operator; no sign follows a sign.
    fn next(&mut self, op: BinaryOperator, x: &Expr) {
        self.push(infix(op));
        let signed = matches!(x.node, Node::Unary(UnaryOperator::Negate, _)) && op.binding() == Binding::Sum;
        self.operand(x, if signed { Binding::Power } else { op.operand_bindings().1 });
    }

    /// A factor that is not the first, after its sign.
    fn factor(&mut self, expr: &Expr) {
        // Digits must not run together, nor a sign follow an operand.
        self.push(if begins_with_digit(expr) { r" \cdot " } else { r" \, " });
        let signed = matches!(expr.node, Node::Unary(..));
        self.operand(expr, if signed { Binding::Power } else { Binding::Sign });
    }

    /// More operands than nest well.
    fn chain(&mut self, operands: &[(BinaryOperator, &Expr)]) {
        for (place, (op, x)) in operands.iter().enumerate() {
            match (place, op) {
                (0, _) => self.operand(x, op.operand_bindings().0),
                (_, BinaryOperator::Multiply) => self.factor(x),
                (_, BinaryOperator::Divide) => {
                    self.push(" / ");
                    self.operand(x, Binding::Power);
                }
                _ => self.next(*op, x),
            }
        }
    }

    /// sin(x)^2 is written sin²(x).
    fn power(&mut self, base: &Expr, exponent: &Expr) {
        let whole = matches!(exponent.node, Node::Number(n) if n >= 1.0 && n == n.trunc());
        match &base.node {
            Node::Call(f, arguments) if whole && command(f).is_some() && f.name != "exp" => {
                self.call(f, arguments, Some(exponent));
            }
            // A number with an exponent of ten is a product.
            _ if matches!(base.node, Node::Name(_)) || is_plain_number(base) => {
                self.expression(base);
                self.push("^");
                self.braced(exponent);
            }
            _ => {
                self.parenthesized(base);
                self.push("^");
                self.braced(exponent);
            }
        }
    }

    fn call(&mut self, f: &Builtin, arguments: &[Expr], power: Option<&Expr>) {
        let around = match f.name {
            "sqrt" => Some((r"\sqrt{", "}")),
            "cbrt" => Some((r"\sqrt[3]{", "}")),
            "abs" => Some((r"\left|", r"\right|")),
            "floor" => Some((r"\left\lfloor ", r"\right\rfloor ")),
            "ceil" => Some((r"\left\lceil ", r"\right\rceil ")),
            _ => None,
        };
        if let (Some((open, close)), [x]) = (around, arguments) {
            self.push(open);
            self.expression(x);
            return self.push(close);
        }
        self.push(&command(f).map_or_else(|| operator_name(f.name), str::to_string));
        if let Some(power) = power {
            self.push("^");
            self.braced(power);
        }
        self.arguments(arguments);
    }

    fn arguments(&mut self, arguments: &[Expr]) {
        self.push(r"\left(");
        for (place, x) in arguments.iter().enumerate() {
            if place > 0 {
                self.push(", ");
            }
            self.expression(x);
        }
        self.push(r"\right)");
    }

    /// Choices within the last branch are further cases.
    fn choice(&mut self, parts: &[Expr; 3]) {
        self.push(r"\begin{cases} ");
        let mut parts = parts;
        loop {
            let [condition, value, otherwise] = parts;
            self.expression(value);
            self.push(r" & \text{if } ");
            self.expression(condition);
            self.push(r" \\ ");
            match &otherwise.node {
                Node::If(more) => parts = more,
                _ => {
                    self.expression(otherwise);
                    break;
                }
            }
        }
        self.push(r" & \text{otherwise} \end{cases}");
    }
}

/// How tightly a formula binds: a fraction needs no parentheses in a product.
fn formula_binding(expr: &Expr) -> Binding {
    match &expr.node {
        Node::Number(_) if !is_plain_number(expr) => Binding::Product,
        Node::Binary(BinaryOperator::Divide, ..) if long_chain(expr).is_none() => Binding::Power,
        Node::If(_) => Binding::Or,
        _ => binding(expr),
    }
}

fn infix(op: BinaryOperator) -> &'static str {
    match op {
        BinaryOperator::Add => " + ",
        BinaryOperator::Subtract => " - ",
        BinaryOperator::Multiply => r" \, ",
        BinaryOperator::Divide => " / ",
        BinaryOperator::Power => "^",
        BinaryOperator::Less => " < ",
        BinaryOperator::LessEqual => r" \le ",
        BinaryOperator::Greater => " > ",
        BinaryOperator::GreaterEqual => r" \ge ",
        BinaryOperator::Equal => " = ",
        BinaryOperator::NotEqual => r" \ne ",
        BinaryOperator::And => r" \land ",
        BinaryOperator::Or => r" \lor ",
    }
}

fn begins_with_digit(expr: &Expr) -> bool {
    match &expr.node {
        Node::Number(_) => true,
        Node::Binary(BinaryOperator::Multiply | BinaryOperator::Power, a, _) => begins_with_digit(a),
        _ => false,
    }
}

fn command(f: &Builtin) -> Option<&'static str> {
    COMMANDS.iter().find(|(name, _)| *name == f.name).map(|(_, command)| *command)
}

fn operator_name(name: &str) -> String {
    format!(r"\operatorname{{{}}}", name.replace('_', r"\_"))
}

fn digits(expr: &Expr) -> Option<String> {
    match expr.node {
        Node::Number(_) => Some(expr.to_string()),
        _ => None,
    }
}

fn is_plain_number(expr: &Expr) -> bool {
    digits(expr).is_some_and(|text| !text.contains('e'))
}

/// 1.5e-7 is 1.5 · 10⁻⁷.
fn number(value: f64) -> String {
    let text = Expr::number(value).to_string();
    match text.split_once('e') {
        None => text,
        Some(("1", exponent)) => format!("10^{{{exponent}}}"),
        Some((mantissa, exponent)) => format!(r"{mantissa} \cdot 10^{{{exponent}}}"),
    }
}

/// The symbol of a name.
fn symbol(name: &str) -> String {
    if let Some(variable) = rate_of(name) {
        return format!(r"\dot{{{}}}", symbol(variable));
    }
    let (place, own) = match name.rsplit_once('.') {
        Some((place, own)) => (Some(place), own),
        None => (None, name),
    };
    let mut parts = own.split('_').filter(|part| !part.is_empty());
    let head = parts.next().unwrap_or_default();
    let letters = head.trim_end_matches(|c: char| c.is_ascii_digit());
    let (letters, number) = if letters.is_empty() { (head, "") } else { head.split_at(letters.len()) };
    let mut index: Vec<String> =
        std::iter::once(number).filter(|n| !n.is_empty()).chain(parts).map(word).collect();
    index.extend(place.map(|place| format!(r"\mathrm{{{}}}", escaped(place))));
    let dotted = |dots: &str, command: &str| {
        let base = letters.strip_suffix(dots).filter(|base| !base.is_empty())?;
        Some(format!("{command}{{{}}}", word(base)))
    };
    let head = dotted("ddot", r"\ddot").or_else(|| dotted("dot", r"\dot")).unwrap_or_else(|| word(letters));
    if index.is_empty() { head } else { format!("{head}_{{{}}}", index.join(",")) }
}

fn escaped(text: &str) -> String {
    text.replace('_', r"\_")
}

/// A Greek letter, a letter or digits, or a word in upright type.
fn word(text: &str) -> String {
    if let Some((name, _)) = GREEK.iter().find(|(name, letter)| *name == text || *letter == text) {
        return format!(r"\{name}");
    }
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    match text.chars().count() {
        0 => r"\_".to_string(),
        1 => text.to_string(),
        _ if digits => text.to_string(),
        _ => format!(r"\mathrm{{{text}}}"),
    }
}
