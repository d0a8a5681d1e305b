//! The parsed expression.

use crate::builtin::{Builtin, KEYWORDS, builtin};
use crate::operator::{BinaryOperator, UnaryOperator};
use crate::parse::{ParseError, parse};
use crate::shared::{Parts, Shared};
use crate::table::Table;
use crate::token::is_name_token;
use std::collections::BTreeMap;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

/// A parsed expression: a tree whose every node knows the bytes of the source it came from. Its leaves may be
/// parts that other expressions share, see [`Expr::shared`].
///
/// Two expressions are equal if their trees are; the spans do not count.
///
/// ```
/// use poinsot_expr::Expr;
/// let energy = Expr::parse("0.5*m*v^2")?;
/// assert_eq!(energy.derivative("v").to_string(), "0.5*m*(2*v)");
/// # Ok::<(), poinsot_expr::ParseError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Expr {
    pub(crate) node: Node,
    pub(crate) span: Range<usize>,
}

/// What an expression is made of.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// A literal; finite and without sign (`-2` is the negation of `2`).
    Number(f64),
    /// A variable, parameter or constant, dots included.
    Name(String),
    /// A prefix operator and its operand.
    Unary(UnaryOperator, Box<Expr>),
    /// An infix operator and its operands.
    Binary(BinaryOperator, Box<Expr>, Box<Expr>),
    /// `if(condition, value, otherwise)`.
    If(Box<[Expr; 3]>),
    /// A function with as many arguments as it accepts.
    Call(&'static Builtin, Vec<Expr>),
    /// The derivative of the given order of a table (0: its value) at an argument.
    Table(Arc<Table>, u32, Box<Expr>),
    /// A part that other expressions may share.
    Shared(Arc<Shared>),
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        match (&self.node, &other.node) {
            (Node::Shared(a), Node::Shared(b)) => a == b,
            (Node::Shared(part), _) => part.expr() == other,
            (_, Node::Shared(part)) => self == part.expr(),
            (a, b) => a == b,
        }
    }
}

impl FromStr for Expr {
    type Err = ParseError;
    fn from_str(source: &str) -> Result<Self, ParseError> {
        Self::parse(source)
    }
}

impl Expr {
    /// Parses the whole of `source`; its functions are those of [`BUILTINS`](crate::BUILTINS).
    ///
    /// ```
    /// use poinsot_expr::Expr;
    /// let error = Expr::parse("F0*sin(2x)").unwrap_err();
    /// assert_eq!(error.span, 7..9);
    /// assert_eq!(error.suggestion.as_deref(), Some("2*x"));
    /// ```
    pub fn parse(source: &str) -> Result<Self, ParseError> {
        parse(source, &[])
    }

    /// Parses the whole of `source`, which may also call `tables` as functions of one argument.
    ///
    /// A name of a table is one of a function: it cannot stand alone. Of tables with the same name
    /// the first counts.
    pub fn parse_with(source: &str, tables: &[Arc<Table>]) -> Result<Self, ParseError> {
        parse(source, tables)
    }

    pub(crate) fn new(node: Node, span: Range<usize>) -> Self {
        Self { node, span }
    }

    /// The expression of a value: a literal, its negation, or, for the values that no literal has,
    /// `1/0`, `-(1/0)` and `0/0`.
    pub fn number(value: f64) -> Self {
        Self::number_at(value, 0..0)
    }

    pub(crate) fn number_at(value: f64, span: Range<usize>) -> Self {
        let literal = |x: f64| Self::new(Node::Number(x), span.clone());
        let size = value.abs();
        let unsigned = if size.is_finite() {
            literal(size)
        } else {
            let numerator = if size.is_nan() { 0.0 } else { 1.0 };
            let quotient = (Box::new(literal(numerator)), Box::new(literal(0.0)));
            let node = Node::Binary(BinaryOperator::Divide, quotient.0, quotient.1);
            Self::new(node, span.clone())
        };
        if value.is_sign_negative() && !value.is_nan() {
            let node = Node::Unary(UnaryOperator::Negate, Box::new(unsigned));
            return Self::new(node, span);
        }
        unsigned
    }

    /// The expression that is a name; `None` if the text is not one (see [`is_name`]).
    pub fn name(name: &str) -> Option<Self> {
        is_name(name).then(|| Self::new(Node::Name(name.to_string()), 0..0))
    }

    /// What the expression is made of.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// The bytes of the source that the expression came from.
    ///
    /// The parts of a derivative have the span of what was differentiated.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Every use of a name, in the order of the source, with its span.
    ///
    /// `pi` and `e` are included, for the caller may give these names a value of its own.
    ///
    /// ```
    /// use poinsot_expr::Expr;
    /// let expr = Expr::parse("a.x - 2*b")?;
    /// assert_eq!(expr.variables(), [("a.x".to_string(), 0..3), ("b".to_string(), 8..9)]);
    /// # Ok::<(), poinsot_expr::ParseError>(())
    /// ```
    pub fn variables(&self) -> Vec<(String, Range<usize>)> {
        let mut names = Vec::new();
        self.visit_names(&mut |name, span| names.push((name.to_string(), span.clone())));
        names
    }

    /// Whether the name occurs.
    pub fn contains(&self, name: &str) -> bool {
        let mut found = false;
        self.visit_names(&mut |other, _| found |= other == name);
        found
    }

    /// Shows every use of a name. Those in a shared part stand where the part does, each once.
    pub(crate) fn visit_names(&self, see: &mut dyn FnMut(&str, &Range<usize>)) {
        match &self.node {
            Node::Name(name) => see(name, &self.span),
            Node::Shared(part) => part.names().iter().for_each(|name| see(name, &self.span)),
            _ => self.visit_children(&mut |child| child.visit_names(see)),
        }
    }

    /// The names that have a place, each once, sorted by it.
    pub(crate) fn names_at(&self, place: &dyn Fn(&str) -> Option<usize>) -> Vec<(usize, String)> {
        let mut names = BTreeMap::new();
        self.visit_names(&mut |name, _| {
            if let Some(place) = place(name) {
                names.entry(place).or_insert_with(|| name.to_string());
            }
        });
        names.into_iter().collect()
    }

    /// Shows the operands, from the left.
    pub(crate) fn visit_children<'a>(&'a self, see: &mut dyn FnMut(&'a Expr)) {
        match &self.node {
            Node::Number(_) | Node::Name(_) => {}
            Node::Unary(_, x) | Node::Table(_, _, x) => see(x),
            Node::Shared(part) => see(part.expr()),
            Node::Binary(_, a, b) => {
                see(a);
                see(b);
            }
            Node::If(parts) => parts.iter().for_each(see),
            Node::Call(_, arguments) => arguments.iter().for_each(see),
        }
    }

    /// The expression with `replacement` in place of every use of `name`.
    ///
    /// The replacement takes the span of the name, so that an error in it points at the use.
    ///
    /// ```
    /// use poinsot_expr::Expr;
    /// let force = Expr::parse("-k*x")?;
    /// let shifted = force.substitute("x", &Expr::parse("x - x0")?);
    /// assert_eq!(shifted.to_string(), "-k*(x - x0)");
    /// # Ok::<(), poinsot_expr::ParseError>(())
    /// ```
    pub fn substitute(&self, name: &str, replacement: &Expr) -> Self {
        self.replace_names(&|other| (other == name).then(|| replacement.clone()))
    }

    /// Replaces all names for which `value` has an expression, at once.
    pub(crate) fn replace_names(&self, value: &dyn Fn(&str) -> Option<Expr>) -> Self {
        self.map_parts(&|expr, parts| expr.replaced(value, parts))
    }

    fn replaced(&self, value: &dyn Fn(&str) -> Option<Expr>, parts: &Parts<Expr>) -> Self {
        match &self.node {
            Node::Name(name) => match value(name) {
                Some(expr) => expr.relocated(&self.span),
                None => self.clone(),
            },
            Node::Shared(part) => parts.expr(part, &self.span),
            _ => self.map_children(&|child| child.replaced(value, parts)),
        }
    }

    /// The expression with the same span on every node of its tree.
    pub(crate) fn relocated(&self, span: &Range<usize>) -> Self {
        let mut moved = self.map_children(&|child| child.relocated(span));
        moved.span = span.clone();
        moved
    }

    /// The same node over changed children; a shared part stays as it is.
    pub(crate) fn map_children(&self, change: &dyn Fn(&Expr) -> Expr) -> Self {
        let node = match &self.node {
            Node::Number(_) | Node::Name(_) | Node::Shared(_) => self.node.clone(),
            Node::Unary(op, x) => Node::Unary(*op, Box::new(change(x))),
            Node::Binary(op, a, b) => Node::Binary(*op, Box::new(change(a)), Box::new(change(b))),
            Node::If(parts) => Node::If(Box::new(parts.each_ref().map(change))),
            Node::Call(f, arguments) => Node::Call(f, arguments.iter().map(change).collect()),
            Node::Table(table, order, x) => Node::Table(Arc::clone(table), *order, Box::new(change(x))),
        };
        Self::new(node, self.span.clone())
    }
}

/// Whether the text can stand for a variable: letters, digits and underscores, not beginning with a
/// digit, in parts joined by dots, and not a keyword or the name of a function.
///
/// ```
/// use poinsot_expr::is_name;
/// assert!(is_name("top.position.x") && is_name("e"));
/// assert!(!is_name("2x") && !is_name("sin") && !is_name("and"));
/// ```
pub fn is_name(text: &str) -> bool {
    is_name_token(text) && !KEYWORDS.contains(&text) && builtin(text).is_none()
}
