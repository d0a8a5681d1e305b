//! Parts that many expressions use, kept once.
//!
//! A signal that uses another twice, which uses a third twice, would double with every step if each were put
//! in as a copy. A large part is therefore put in as a reference to the one copy. What is computed of an
//! expression (its simplification, derivatives, values) is computed once for each part, inner parts first, so
//! that the cost grows with what was written and not with what it would be if written out, and nothing
//! recurses from part to part.

use crate::expr::{Expr, Node};
use crate::tidy::{Mark, mark, table_mark};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Nodes up to which a part is copied: a reference would not be smaller by much, and copies can be
/// simplified.
const COPIED: usize = 100;

/// A part of expressions that is kept once.
#[derive(Debug)]
pub struct Shared {
    expr: Expr,
    /// The names in it, each once.
    names: Box<[String]>,
    height: usize,
    written_out: usize,
    mark: Mark,
}

/// Parts are equal if they are written alike.
impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        self.mark == other.mark
    }
}

impl Shared {
    fn new(expr: Expr) -> Self {
        let mut names = BTreeSet::new();
        expr.visit_names(&mut |name, _| {
            names.insert(name.to_string());
        });
        Shared {
            height: expr.height(),
            written_out: expr.written_out(),
            mark: mark_of(&expr),
            names: names.into_iter().collect(),
            expr,
        }
    }

    /// What the part is.
    pub fn expr(&self) -> &Expr {
        &self.expr
    }

    /// The names in it, each once.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Height of the tree that it would be if written out.
    pub fn height(&self) -> usize {
        self.height
    }
}

impl Expr {
    /// The expression as a part that its users share: they refer to it unless it is small.
    ///
    /// ```
    /// use poinsot_expr::Expr;
    /// let mut signal = Expr::parse("x")?;
    /// for _ in 0..60 {
    ///     signal = Expr::parse("s - s*cos(s)/2")?.substitute("s", &signal.shared());
    /// }
    /// let slope = signal.derivative("x");
    /// let at = |x: f64| move |name: &str| (name == "x").then_some(x);
    /// let (low, high) = (signal.eval(&at(0.9999))?, signal.eval(&at(1.0001))?);
    /// let ratio = slope.eval(&at(1.0))?/((high - low)/0.0002);
    /// assert!((ratio - 1.0).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shared(self) -> Self {
        if matches!(self.node, Node::Shared(_)) || self.is_smaller_than(COPIED) {
            return self;
        }
        let span = self.span.clone();
        Expr::new(Node::Shared(Arc::new(Shared::new(self))), span)
    }

    /// Whether the tree has fewer nodes; a shared part is one.
    fn is_smaller_than(&self, nodes: usize) -> bool {
        let (mut waiting, mut seen) = (vec![self], 0);
        while let Some(expr) = waiting.pop() {
            seen += 1;
            if seen >= nodes {
                return false;
            }
            if !matches!(expr.node, Node::Shared(_)) {
                expr.visit_children(&mut |child| waiting.push(child));
            }
        }
        true
    }

    /// Height of the tree that the expression would be if written out.
    pub fn height(&self) -> usize {
        if let Node::Shared(part) = &self.node {
            return part.height;
        }
        let mut below = 0;
        self.visit_children(&mut |child| below = below.max(child.height()));
        below.saturating_add(1)
    }

    /// Nodes of the tree that the expression would be if written out.
    pub(crate) fn written_out(&self) -> usize {
        if let Node::Shared(part) = &self.node {
            return part.written_out;
        }
        let mut nodes = 1usize;
        self.visit_children(&mut |child| nodes = nodes.saturating_add(child.written_out()));
        nodes
    }

    /// The shared parts of the expression, each once, those inside others first.
    pub(crate) fn parts(&self) -> Vec<&Arc<Shared>> {
        let (mut found, mut known) = (vec![], HashSet::new());
        // A part comes again, with true, when those inside it are there.
        let mut waiting: Vec<(&Arc<Shared>, bool)> = vec![];
        self.visit_parts(&mut |part| waiting.push((part, false)));
        waiting.reverse();
        while let Some((part, ready)) = waiting.pop() {
            if ready {
                found.push(part);
            } else if known.insert(Arc::as_ptr(part)) {
                waiting.push((part, true));
                let first = waiting.len();
                part.expr.visit_parts(&mut |inner| waiting.push((inner, false)));
                waiting[first..].reverse();
            }
        }
        found
    }

    /// Shows the parts that the tree refers to, not those inside them.
    fn visit_parts<'a>(&'a self, see: &mut dyn FnMut(&'a Arc<Shared>)) {
        match &self.node {
            Node::Shared(part) => see(part),
            _ => self.visit_children(&mut |child| child.visit_parts(see)),
        }
    }

    /// Expressions without shared parts: each reference becomes a name, which is defined in the list that
    /// comes first. Definitions use only names that are defined before them. `name` gives new names by their
    /// number.
    ///
    /// ```
    /// use poinsot_expr::Expr;
    /// let long = (0..50).map(|k| format!("x^{k}")).collect::<Vec<_>>().join(" + ");
    /// let law = Expr::parse("s*cos(s)")?.substitute("s", &Expr::parse(&long)?.shared());
    /// let (parts, laws) = Expr::with_named_parts(&[law], &|k| format!("part{}", k + 1));
    /// assert_eq!((parts[0].0.as_str(), laws[0].to_string().as_str()), ("part1", "part1*cos(part1)"));
    /// assert!(parts[0].1.to_string().starts_with("x^0 + x^1 + "));
    /// # Ok::<(), poinsot_expr::ParseError>(())
    /// ```
    pub fn with_named_parts(
        list: &[Expr],
        name: &dyn Fn(usize) -> String,
    ) -> (Vec<(String, Expr)>, Vec<Expr>) {
        let mut definitions: Vec<(String, Expr)> = vec![];
        // Parts of different expressions may be equal.
        let mut known: HashMap<Mark, String> = HashMap::new();
        for part in list.iter().flat_map(Expr::parts) {
            if !known.contains_key(&part.mark) {
                let new = name(definitions.len());
                definitions.push((new.clone(), part.expr.with_names_of_parts(&known)));
                known.insert(part.mark, new);
            }
        }
        (definitions, list.iter().map(|expr| expr.with_names_of_parts(&known)).collect())
    }

    fn with_names_of_parts(&self, known: &HashMap<Mark, String>) -> Expr {
        match &self.node {
            Node::Shared(part) => match known.get(&part.mark) {
                Some(name) => Expr::new(Node::Name(name.clone()), self.span.clone()),
                None => self.clone(),
            },
            _ => self.map_children(&|child| child.with_names_of_parts(known)),
        }
    }

    /// The expression with the same change made to every part and to the rest, where the change is told those
    /// parts.
    pub(crate) fn map_parts(&self, change: &dyn Fn(&Expr, &Parts<Expr>) -> Expr) -> Expr {
        let parts = Parts::of(self, |part, parts| change(part, parts).shared());
        change(self, &parts)
    }
}

/// What is known of each shared part of an expression.
#[derive(Debug)]
pub(crate) struct Parts<T>(HashMap<*const Shared, T>);

impl<T> Default for Parts<T> {
    fn default() -> Self {
        Parts(HashMap::new())
    }
}

impl<T> Parts<T> {
    /// Computes it for each part, inner ones first: `find` is told those.
    pub fn of(expr: &Expr, mut find: impl FnMut(&Expr, &Parts<T>) -> T) -> Self {
        let mut parts = Self::default();
        for part in expr.parts() {
            let value = find(&part.expr, &parts);
            parts.insert(part, value);
        }
        parts
    }

    pub fn insert(&mut self, part: &Arc<Shared>, value: T) {
        self.0.insert(Arc::as_ptr(part), value);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is known of a part; nothing if it is no part of the expression.
    pub fn get(&self, part: &Arc<Shared>) -> Option<&T> {
        self.0.get(&Arc::as_ptr(part))
    }
}

impl Parts<Expr> {
    /// The expression that has come of a part, where the part stood.
    pub fn expr(&self, part: &Arc<Shared>, span: &Range<usize>) -> Expr {
        match self.get(part) {
            Some(expr) => expr.relocated(span),
            None => Expr::new(Node::Shared(Arc::clone(part)), span.clone()),
        }
    }
}

/// Equal for expressions that are written alike.
fn mark_of(expr: &Expr) -> Mark {
    let mut children = vec![];
    expr.visit_children(&mut |child| children.push(child));
    let inner: Vec<Mark> = match &expr.node {
        Node::Shared(part) => return part.mark,
        _ => children.into_iter().map(mark_of).collect(),
    };
    match &expr.node {
        Node::Number(value) => mark(("number", value.to_bits())),
        Node::Name(name) => mark(("name", name)),
        Node::Unary(op, _) => mark(("unary", format!("{op:?}"), inner)),
        Node::Binary(op, ..) => mark(("binary", op, inner)),
        Node::If(_) => mark(("if", inner)),
        Node::Call(f, _) => mark(("call", f.name, inner)),
        Node::Table(table, order, _) => mark(("table", table_mark(table), order, inner)),
        Node::Shared(part) => part.mark,
    }
}
