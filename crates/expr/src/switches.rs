//! Functions whose passing a level is a kink or a jump of an expression.
//!
//! An expression with `if`, `abs`, `min`, tables of straight lines and the like is smooth as long as none of
//! the functions that it branches on passes a level: the difference of the two sides of a comparison or of
//! two arguments of `min` passes zero, the argument of a table one of its points, that of `floor` a whole
//! number. Who integrates such an expression watches these functions and ends a step there.

use crate::builtin::constant;
use crate::evaluate::EvalError;
use crate::expr::{Expr, Node};
use crate::graph::{Graph, Id};
use crate::operator::{BinaryOperator, Binding, UnaryOperator};
use crate::places::Places;
use crate::program::Program;
use crate::shared::{Parts, Shared};
use crate::table::{Extrapolation, Interpolation, Table};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// Names of the time in model files; what depends on it alone is known beforehand, see [`Expr::breaks`].
const TIMES: [&str; 2] = ["t", "time"];

/// Values at which something switches, in ascending order, repeated with a period if there is one.
#[derive(Debug, Clone, PartialEq)]
pub struct Levels {
    points: Vec<f64>,
    period: Option<f64>,
}

impl Levels {
    fn zero() -> Self {
        Levels { points: vec![0.0], period: None }
    }

    fn every(offset: f64, period: f64) -> Self {
        Levels { points: vec![offset], period: Some(period) }
    }

    /// The points where a table is not smooth: all if it is made of straight lines, the ends of a spline.
    fn of(table: &Table) -> Self {
        let all: Vec<f64> = table.points().iter().map(|p| p.0).collect();
        let (first, last) = (all[0], all[all.len() - 1]);
        match (table.interpolation(), table.extrapolation()) {
            (Interpolation::Linear, Extrapolation::Periodic) => {
                Levels { points: all[..all.len() - 1].to_vec(), period: Some(last - first) }
            }
            (Interpolation::Linear, _) => Levels { points: all, period: None },
            (Interpolation::Spline, Extrapolation::Periodic) => Levels { points: vec![], period: None },
            (Interpolation::Spline, _) => Levels { points: vec![first, last], period: None },
        }
    }

    /// The two levels between which `x` lies, infinite where there is none; nothing if `x` is a level or no
    /// number.
    ///
    /// ```
    /// use poinsot_expr::Expr;
    /// let law = Expr::parse("floor(x)")?;
    /// let switches = law.switches(&["x"], &|_| None)?;
    /// assert_eq!(switches[0].levels().around(2.3), Some((2.0, 3.0)));
    /// assert_eq!(switches[0].levels().around(2.0), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn around(&self, x: f64) -> Option<(f64, f64)> {
        if !x.is_finite() {
            return None;
        }
        let (low, high) = (self.below(x), self.above(x));
        let is_level = match self.period {
            None => self.points.contains(&x),
            Some(period) => self.points.iter().any(|p| ((x - p) / period).fract() == 0.0),
        };
        (!is_level).then_some((low, high))
    }

    /// The nearest level above `x`, infinite where there is none.
    pub fn above(&self, x: f64) -> f64 {
        let Some((&first, period)) = self.points.first().zip(self.period) else {
            return self.points.iter().copied().find(|p| *p > x).unwrap_or(f64::INFINITY);
        };
        let turn = ((x - first) / period).floor();
        let shifted = |turn: f64| self.points.iter().map(move |p| p + turn * period);
        shifted(turn).chain(shifted(turn + 1.0)).find(|p| *p > x).unwrap_or(f64::INFINITY)
    }

    /// The nearest level below `x`, infinite where there is none.
    pub fn below(&self, x: f64) -> f64 {
        let none = f64::NEG_INFINITY;
        let Some((&first, period)) = self.points.first().zip(self.period) else {
            return self.points.iter().rev().copied().find(|p| *p < x).unwrap_or(none);
        };
        let turn = ((x - first) / period).floor();
        let shifted = |turn: f64| self.points.iter().rev().map(move |p| p + turn * period);
        shifted(turn).chain(shifted(turn - 1.0)).find(|p| *p < x).unwrap_or(none)
    }
}

/// A function whose passing a level is a kink or a jump of an expression.
#[derive(Debug, Clone)]
pub struct Switch {
    expr: Expr,
    levels: Levels,
    value: Program,
    /// The arguments that the function depends on.
    slopes: Vec<Slope>,
    /// The function, constants put in.
    bound: Expr,
    /// It matters while one of these holds; always if there are none.
    conditions: Vec<Program>,
}

/// An argument of a switch with the partial derivative by it.
#[derive(Debug, Clone)]
struct Slope {
    place: usize,
    name: String,
    partial: Program,
}

/// Switches are equal if they have the same function and levels.
impl PartialEq for Switch {
    fn eq(&self, other: &Self) -> bool {
        let same = self.expr == other.expr || negative(&self.expr).is_some_and(|e| e == other.expr);
        self.levels == other.levels && same
    }
}

/// The function and the level that is passed, e.g. `x - gap = 0`.
impl fmt::Display for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.levels.points.as_slice(), self.levels.period) {
            ([level], None) => write!(f, "{} = {level}", self.expr),
            ([first, .., last], None) => write!(f, "{} at a point from {first} to {last}", self.expr),
            (_, Some(period)) => write!(f, "{} in steps of a period {period}", self.expr),
            _ => write!(f, "{}", self.expr),
        }
    }
}

impl Switch {
    /// One of the arguments, with these levels in ascending order; none if there are no levels or no such
    /// argument.
    ///
    /// ```
    /// use poinsot_expr::Switch;
    /// let switch = Switch::at_points("x", &["t", "x"], &[1.0, 2.5]).unwrap();
    /// assert_eq!(switch.value(&[0.0, 2.0]), 2.0);
    /// assert_eq!(switch.levels().around(2.0), Some((1.0, 2.5)));
    /// ```
    pub fn at_points(argument: &str, arguments: &[&str], points: &[f64]) -> Option<Self> {
        let places = Places::new(arguments);
        let mut search = Search {
            place: &|name| places.of(name),
            constants: &|_| None,
            found: vec![],
            uses: Parts::default(),
        };
        search.add(Expr::name(argument)?, Levels { points: points.to_vec(), period: None }, None).ok()?;
        search.found.pop()
    }

    /// The function at values of the arguments.
    pub fn value(&self, arguments: &[f64]) -> f64 {
        self.value.eval(arguments)
    }

    /// Whether passing a level changes the expression there: a branch that is not taken has no kinks.
    pub fn matters(&self, arguments: &[f64]) -> bool {
        self.conditions.is_empty() || self.conditions.iter().any(|c| c.eval(arguments) != 0.0)
    }

    /// Σ |∂g/∂x_i| d_i: the change of the function with changes d of the arguments.
    pub fn change(&self, arguments: &[f64], by: &dyn Fn(usize) -> f64) -> f64 {
        self.slopes.iter().map(|slope| slope.partial.eval(arguments).abs() * by(slope.place)).sum()
    }

    /// Whether the function depends on argument `i`.
    pub fn depends_on(&self, i: usize) -> bool {
        self.slopes.iter().any(|slope| slope.place == i)
    }

    /// The levels.
    pub fn levels(&self) -> &Levels {
        &self.levels
    }

    /// Takes up the conditions of an equal switch.
    pub fn merge(&mut self, other: &Switch) {
        if self.conditions.is_empty() || other.conditions.is_empty() {
            self.conditions.clear();
        } else {
            self.conditions.extend(other.conditions.iter().cloned());
        }
    }

    /// The function as a node of a graph whose inputs are the arguments.
    pub(crate) fn node(&self, graph: &mut Graph) -> Id {
        let places = Places::at(self.slopes.iter().map(|slope| (slope.name.as_str(), slope.place)));
        graph.expression(&self.bound, &mut |graph, name| Some(graph.input(places.of(name)?)))
    }
}

impl Expr {
    /// The functions of `args` whose passing a level is a kink or a jump of the expression, each once.
    /// Functions of time alone are left out: [`Expr::breaks`] knows when they do so.
    ///
    /// ```
    /// use poinsot_expr::Expr;
    /// let law = Expr::parse("if(x > gap, k*(x - gap), 0) + c*abs(v)")?;
    /// let constants = |name: &str| (name != "x" && name != "v").then_some(2.0);
    /// let switches = law.switches(&["x", "v"], &constants)?;
    /// let texts: Vec<String> = switches.iter().map(|s| s.to_string()).collect();
    /// assert_eq!(texts, ["x - gap = 0", "v = 0"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn switches(
        &self,
        args: &[&str],
        constants: &dyn Fn(&str) -> Option<f64>,
    ) -> Result<Vec<Switch>, EvalError> {
        let places = Places::new(args);
        self.switches_at(&|name| places.of(name), constants).map_err(|error| error.with_candidates(args))
    }

    /// As [`Expr::switches`], with the place of each argument.
    pub(crate) fn switches_at(
        &self,
        place: &dyn Fn(&str) -> Option<usize>,
        constants: &dyn Fn(&str) -> Option<f64>,
    ) -> Result<Vec<Switch>, EvalError> {
        let mut search = Search { place, constants, found: vec![], uses: Parts::default() };
        search.walk(self, None)?;
        // Outer parts first: what is inside matters where they do.
        for part in self.parts().into_iter().rev() {
            match search.uses.get(part).cloned() {
                Some(Use::Always) => search.walk(part.expr(), None)?,
                Some(Use::While(condition)) => search.walk(part.expr(), Some(&condition.shared()))?,
                None => {}
            }
        }
        Ok(search.found)
    }
}

struct Search<'a> {
    place: &'a dyn Fn(&str) -> Option<usize>,
    constants: &'a dyn Fn(&str) -> Option<f64>,
    found: Vec<Switch>,
    /// When the shared parts that have been met matter.
    uses: Parts<Use>,
}

/// When a shared part matters.
#[derive(Clone)]
enum Use {
    Always,
    While(Expr),
}

impl Search<'_> {
    /// The switches of an expression that matters while a condition holds.
    fn walk(&mut self, expr: &Expr, condition: Option<&Expr>) -> Result<(), EvalError> {
        match &expr.node {
            Node::If(parts) => {
                let [choice, value, otherwise] = &**parts;
                self.walk(choice, condition)?;
                self.walk(value, Some(&both(condition, choice.clone())))?;
                return self.walk(otherwise, Some(&both(condition, not(choice))));
            }
            // What happens inside a comparison does not matter before it turns over.
            Node::Binary(op, a, b) if op.binding() == Binding::Comparison => {
                return self.add(difference(a, b), Levels::zero(), condition);
            }
            Node::Shared(part) => {
                self.note(part, condition);
                return Ok(());
            }
            Node::Table(table, _, x) => self.add((**x).clone(), Levels::of(table), condition)?,
            Node::Call(function, arguments) if self.call(function.name, arguments, condition)? => {
                return Ok(());
            }
            _ => {}
        }
        let mut children = vec![];
        expr.visit_children(&mut |child| children.push(child));
        children.into_iter().try_for_each(|child| self.walk(child, condition))
    }

    /// A use of a shared part while a condition holds: it is looked into when all its uses are known.
    fn note(&mut self, part: &Arc<Shared>, condition: Option<&Expr>) {
        let together = match (self.uses.get(part), condition) {
            (Some(Use::Always), _) | (_, None) => Use::Always,
            (Some(Use::While(known)), Some(new)) if known == new => return,
            (Some(Use::While(known)), Some(new)) => Use::While(compare(BinaryOperator::Or, known, new)),
            (None, Some(new)) => Use::While(new.clone()),
        };
        self.uses.insert(part, together);
    }

    /// The switches of a function itself; true if those of its arguments are among them.
    fn call(&mut self, name: &str, arguments: &[Expr], condition: Option<&Expr>) -> Result<bool, EvalError> {
        match (name, arguments) {
            ("abs" | "sign" | "step", [x]) => self.add(x.clone(), Levels::zero(), condition)?,
            ("ramp", [x]) => {
                self.add(x.clone(), Levels::zero(), condition)?;
                let above = compare(BinaryOperator::Greater, x, &Expr::number(0.0));
                self.walk(x, Some(&both(condition, above)))?;
                return Ok(true);
            }
            ("smoothstep" | "smootherstep", [x]) => {
                self.add(x.clone(), Levels { points: vec![0.0, 1.0], period: None }, condition)?;
            }
            ("floor" | "ceil", [x]) => self.add(x.clone(), Levels::every(0.0, 1.0), condition)?,
            ("round", [x]) => self.add(x.clone(), Levels::every(0.5, 1.0), condition)?,
            ("mod", [x, y]) => {
                let turns = Expr::new(
                    Node::Binary(BinaryOperator::Divide, Box::new(x.clone()), Box::new(y.clone())),
                    x.span(),
                );
                self.add(turns, Levels::every(0.0, 1.0), condition)?;
            }
            ("clamp", [x, low, high]) => {
                self.add(difference(x, low), Levels::zero(), condition)?;
                self.add(difference(x, high), Levels::zero(), condition)?;
            }
            ("min" | "max", [a, b]) => {
                self.add(difference(a, b), Levels::zero(), condition)?;
                let op = if name == "min" { BinaryOperator::LessEqual } else { BinaryOperator::GreaterEqual };
                let first = compare(op, a, b);
                self.walk(a, Some(&both(condition, first.clone())))?;
                self.walk(b, Some(&both(condition, not(&first))))?;
                return Ok(true);
            }
            ("min" | "max", list) => {
                for (k, a) in list.iter().enumerate() {
                    for b in &list[..k] {
                        self.add(difference(b, a), Levels::zero(), condition)?;
                    }
                }
            }
            _ => {}
        }
        Ok(false)
    }

    /// Adds a switch unless it is known, never moves, never matters or moves with the time alone.
    fn add(&mut self, expr: Expr, levels: Levels, condition: Option<&Expr>) -> Result<(), EvalError> {
        let used = expr.names_at(self.place);
        if levels.points.is_empty() || used.is_empty() || self.is_known(&expr, &used) {
            return Ok(());
        }
        let compile = |expr: &Expr| Program::with_places(expr, self.place, self.constants, false);
        let value = compile(&expr)?;
        let conditions = condition.map(compile).transpose()?;
        let never = |c: &Program| c.is_constant() == Some(0.0);
        if value.is_constant().is_some() || conditions.as_ref().is_some_and(never) {
            return Ok(());
        }
        let always = |c: &Program| c.is_constant().is_some();
        let gradient: HashMap<usize, Expr> = expr.gradient(self.place).into_iter().collect();
        let slope = |(place, name): (usize, String)| {
            let partial = gradient.get(&place).map_or_else(|| Ok(Program::zero()), compile)?;
            Ok(Slope { place, name, partial })
        };
        let slopes = used.into_iter().map(slope).collect::<Result<_, EvalError>>()?;
        let conditions = conditions.filter(|c| !always(c)).into_iter().collect();
        let number = |name: &str| {
            let value = (self.constants)(name).or_else(|| constant(name));
            value.filter(|_| (self.place)(name).is_none()).map(Expr::number)
        };
        let bound = expr.replace_names(&number);
        let switch = Switch { expr, levels, value, slopes, bound, conditions };
        match self.found.iter_mut().find(|other| **other == switch) {
            Some(other) => other.merge(&switch),
            None => self.found.push(switch),
        }
        Ok(())
    }

    /// Whether the function moves with the time alone.
    fn is_known(&self, expr: &Expr, used: &[(usize, String)]) -> bool {
        let [(_, only)] = used else { return false };
        let constants = |name: &str| (self.constants)(name).or_else(|| constant(name));
        TIMES.contains(&only.as_str()) && expr.depends_on_nothing_but(only, &constants)
    }
}

/// a − b; a alone if b is zero.
fn difference(a: &Expr, b: &Expr) -> Expr {
    let is_zero = |x: &Expr| matches!(x.node, Node::Number(0.0));
    if is_zero(b) {
        return a.clone();
    }
    if is_zero(a) {
        return b.clone();
    }
    let node = Node::Binary(BinaryOperator::Subtract, Box::new(a.clone()), Box::new(b.clone()));
    Expr::new(node, a.span())
}

/// b − a of a − b, −(−a).
fn negative(expr: &Expr) -> Option<Expr> {
    match &expr.node {
        Node::Binary(BinaryOperator::Subtract, a, b) => Some(difference(b, a)),
        Node::Unary(UnaryOperator::Negate, x) => Some((**x).clone()),
        _ => None,
    }
}

fn compare(op: BinaryOperator, a: &Expr, b: &Expr) -> Expr {
    Expr::new(Node::Binary(op, Box::new(a.clone()), Box::new(b.clone())), a.span())
}

fn not(x: &Expr) -> Expr {
    Expr::new(Node::Unary(UnaryOperator::Not, Box::new(x.clone())), x.span())
}

fn both(condition: Option<&Expr>, further: Expr) -> Expr {
    match condition {
        None => further,
        Some(condition) => compare(BinaryOperator::And, condition, &further),
    }
}
