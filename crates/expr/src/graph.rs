//! Expressions as a graph in which equal parts are one.
//!
//! A node is an operation on earlier nodes, so that the order of the nodes is one of evaluation, and nothing
//! here recurses: an expression may be as deep as memory allows. Every operation is kept once, whoever asks
//! for it.

use crate::builtin::{Builtin, Value};
use crate::expr::{Expr, Node};
use crate::operator::{BinaryOperator, UnaryOperator, not, power, truth};
use crate::shared::Parts;
use crate::table::Table;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The number of a node.
pub(crate) type Id = u32;

/// A function of the language; the same if it stands at the same place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named(pub &'static Builtin);

impl PartialEq for Named {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Named {}

impl Hash for Named {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::hash(self.0, state);
    }
}

/// What a node computes from other nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    /// The bits of a number.
    Constant(u64),
    /// An input by its index.
    Input(u32),
    Negate(Id),
    Not(Id),
    /// 1 if the operand is true, 0 if not.
    Truth(Id),
    Add(Id, Id),
    Subtract(Id, Id),
    Multiply(Id, Id),
    Divide(Id, Id),
    /// a a.
    Square(Id),
    /// a a a, from the left.
    Cube(Id),
    Power(Id, Id),
    /// One of `< <= == !=`; the others are these with their sides exchanged.
    Compare(BinaryOperator, Id, Id),
    /// `if(condition, value, otherwise)`; NaN if the condition is.
    Choose(Id, Id, Id),
    One(Named, Id),
    Two(Named, Id, Id),
    Three(Named, Id, Id, Id),
    /// The derivative of the given order of a table.
    Table {
        table: u32,
        order: u32,
        x: Id,
    },
}

impl Operation {
    /// The operands, from the left.
    pub fn operands(&self) -> impl Iterator<Item = Id> + use<> {
        use Operation as O;
        let (list, count) = match *self {
            O::Constant(_) | O::Input(_) => ([0; 3], 0),
            O::Negate(a) | O::Not(a) | O::Truth(a) | O::Square(a) | O::Cube(a) | O::One(_, a) => {
                ([a, 0, 0], 1)
            }
            O::Table { x, .. } => ([x, 0, 0], 1),
            O::Add(a, b) | O::Subtract(a, b) | O::Multiply(a, b) | O::Divide(a, b) => ([a, b, 0], 2),
            O::Power(a, b) | O::Compare(_, a, b) | O::Two(_, a, b) => ([a, b, 0], 2),
            O::Choose(a, b, c) | O::Three(_, a, b, c) => ([a, b, c], 3),
        };
        list.into_iter().take(count)
    }
}

/// Expressions of common inputs, equal parts shared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    nodes: Vec<Operation>,
    known: HashMap<Operation, Id>,
    tables: Vec<Arc<Table>>,
}

impl Graph {
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn operation(&self, id: Id) -> Operation {
        self.nodes[id as usize]
    }

    pub fn tables(&self) -> &[Arc<Table>] {
        &self.tables
    }

    /// The value of a node that is a constant.
    pub fn value(&self, id: Id) -> Option<f64> {
        match self.operation(id) {
            Operation::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    pub fn is(&self, id: Id, value: f64) -> bool {
        self.value(id) == Some(value)
    }

    /// Which nodes the given ones need, themselves included.
    pub fn needed(&self, roots: &[Id]) -> Vec<bool> {
        let mut needed = vec![false; self.len()];
        roots.iter().for_each(|&id| needed[id as usize] = true);
        for id in (0..self.len()).rev() {
            if needed[id] {
                self.nodes[id].operands().for_each(|x| needed[x as usize] = true);
            }
        }
        needed
    }

    /// The node of the operation, new or known.
    fn node(&mut self, operation: Operation) -> Id {
        let next = self.nodes.len() as Id;
        let id = *self.known.entry(operation).or_insert(next);
        if id == next {
            self.nodes.push(operation);
        }
        id
    }

    /// A number; a zero has no sign, as in [`Expr::simplify`].
    pub fn constant(&mut self, value: f64) -> Id {
        let value = if value == 0.0 { 0.0 } else { value };
        self.node(Operation::Constant(value.to_bits()))
    }

    pub fn input(&mut self, index: usize) -> Id {
        self.node(Operation::Input(index as u32))
    }

    /// The operand of a negation.
    fn negated(&self, id: Id) -> Option<Id> {
        match self.operation(id) {
            Operation::Negate(x) => Some(x),
            _ => None,
        }
    }

    /// -(-x) = x, -(c x) = (-c) x.
    pub fn negate(&mut self, x: Id) -> Id {
        if let Some(value) = self.value(x) {
            return self.constant(-value);
        }
        match self.operation(x) {
            Operation::Negate(x) => x,
            Operation::Multiply(a, b) if self.value(a).is_some() => {
                let a = self.negate(a);
                self.multiply(a, b)
            }
            _ => self.node(Operation::Negate(x)),
        }
    }

    /// 0 + b = b, a + (-b) = a - b, and the same from the right.
    pub fn add(&mut self, a: Id, b: Id) -> Id {
        if let (Some(a), Some(b)) = (self.value(a), self.value(b)) {
            return self.constant(a + b);
        }
        if self.is(a, 0.0) {
            return b;
        }
        if self.is(b, 0.0) {
            return a;
        }
        match (self.negated(a), self.negated(b)) {
            (_, Some(b)) => self.subtract(a, b),
            (Some(a), None) => self.subtract(b, a),
            // A sum is the same from either side.
            (None, None) => self.node(Operation::Add(a.min(b), a.max(b))),
        }
    }

    /// a - 0 = a, 0 - b = -b, a - (-b) = a + b.
    pub fn subtract(&mut self, a: Id, b: Id) -> Id {
        if let (Some(a), Some(b)) = (self.value(a), self.value(b)) {
            return self.constant(a - b);
        }
        if self.is(b, 0.0) {
            return a;
        }
        if self.is(a, 0.0) {
            return self.negate(b);
        }
        match self.negated(b) {
            Some(b) => self.add(a, b),
            None => self.node(Operation::Subtract(a, b)),
        }
    }

    /// 0 b = 0, 1 b = b, (-a) b = -(a b), and the same from the right; a constant stands left.
    pub fn multiply(&mut self, a: Id, b: Id) -> Id {
        let (a, b) = if self.value(b).is_some() { (b, a) } else { (a, b) };
        if let (Some(a), Some(b)) = (self.value(a), self.value(b)) {
            return self.constant(a * b);
        }
        match self.value(a) {
            Some(0.0) => return self.constant(0.0),
            Some(1.0) => return b,
            Some(-1.0) => return self.negate(b),
            Some(_) => {
                let (a, b) = match self.negated(b) {
                    Some(b) => (self.negate(a), b),
                    None => (a, b),
                };
                return self.node(Operation::Multiply(a, b));
            }
            None => {}
        }
        match (self.negated(a), self.negated(b)) {
            (None, None) => self.node(Operation::Multiply(a.min(b), a.max(b))),
            (Some(a), Some(b)) => self.multiply(a, b),
            (x, y) => {
                let product = self.multiply(x.unwrap_or(a), y.unwrap_or(b));
                self.negate(product)
            }
        }
    }

    /// 0/b = 0, a/1 = a, (-a)/b = a/(-b) = -(a/b); a power of two divides as its inverse multiplies.
    pub fn divide(&mut self, a: Id, b: Id) -> Id {
        match (self.value(a), self.value(b)) {
            (Some(a), Some(b)) => return self.constant(a / b),
            (_, Some(1.0)) | (Some(0.0), None) => return a,
            (None, Some(value)) if is_power_of_two(value) => {
                let inverse = self.constant(1.0 / value);
                return self.multiply(inverse, a);
            }
            _ => {}
        }
        match (self.negated(a), self.negated(b)) {
            (None, None) => self.node(Operation::Divide(a, b)),
            (Some(a), Some(b)) => self.divide(a, b),
            (x, y) => {
                let quotient = self.divide(x.unwrap_or(a), y.unwrap_or(b));
                self.negate(quotient)
            }
        }
    }

    /// a^0 = 1, a^1 = a, 1^b = 1; squares and cubes are products, as everywhere in the language.
    pub fn power(&mut self, a: Id, b: Id) -> Id {
        match (self.value(a), self.value(b)) {
            (Some(a), Some(b)) => self.constant(power(a, b)),
            (_, Some(0.0)) | (Some(1.0), _) => self.constant(1.0),
            (_, Some(1.0)) => a,
            (_, Some(2.0)) => self.node(Operation::Square(self.negated(a).unwrap_or(a))),
            (_, Some(3.0)) => self.node(Operation::Cube(a)),
            _ => self.node(Operation::Power(a, b)),
        }
    }

    fn not(&mut self, x: Id) -> Id {
        match self.value(x) {
            Some(value) => self.constant(not(value)),
            None => self.node(Operation::Not(x)),
        }
    }

    fn truth(&mut self, x: Id) -> Id {
        use Operation as O;
        match self.operation(x) {
            O::Constant(bits) => self.constant(truth(f64::from_bits(bits))),
            // These are 0, 1 or NaN as they are.
            O::Compare(..) | O::Not(_) | O::Truth(_) => x,
            _ => self.node(O::Truth(x)),
        }
    }

    fn compare(&mut self, op: BinaryOperator, a: Id, b: Id) -> Id {
        if let (Some(a), Some(b)) = (self.value(a), self.value(b)) {
            return self.constant(op.apply(a, b));
        }
        match op {
            BinaryOperator::Greater => self.node(Operation::Compare(BinaryOperator::Less, b, a)),
            BinaryOperator::GreaterEqual => self.node(Operation::Compare(BinaryOperator::LessEqual, b, a)),
            _ => self.node(Operation::Compare(op, a, b)),
        }
    }

    /// `if(condition, yes, no)`, decided where that is possible.
    pub fn choose(&mut self, condition: Id, yes: Id, no: Id) -> Id {
        match self.value(condition) {
            Some(value) if value.is_nan() => condition,
            Some(0.0) => no,
            Some(_) => yes,
            None if yes == no => yes,
            None => self.node(Operation::Choose(condition, yes, no)),
        }
    }

    /// `a and b` = `if(a, truth of b, 0)`, `a or b` = `if(a, 1, truth of b)`.
    fn logic(&mut self, op: BinaryOperator, a: Id, b: Id) -> Id {
        let b = self.truth(b);
        if op == BinaryOperator::And {
            let zero = self.constant(0.0);
            // An `and` with what is false is false.
            if self.is(b, 0.0) { zero } else { self.choose(a, b, zero) }
        } else {
            let one = self.constant(1.0);
            if self.is(b, 1.0) { one } else { self.choose(a, one, b) }
        }
    }

    fn binary(&mut self, op: BinaryOperator, a: Id, b: Id) -> Id {
        match op {
            BinaryOperator::Add => self.add(a, b),
            BinaryOperator::Subtract => self.subtract(a, b),
            BinaryOperator::Multiply => self.multiply(a, b),
            BinaryOperator::Divide => self.divide(a, b),
            BinaryOperator::Power => self.power(a, b),
            BinaryOperator::And | BinaryOperator::Or => self.logic(op, a, b),
            _ => self.compare(op, a, b),
        }
    }

    /// The function of as many nodes as it accepts.
    fn call(&mut self, f: &'static Builtin, x: &[Id]) -> Id {
        let values: Option<Vec<f64>> = x.iter().map(|&x| self.value(x)).collect();
        if let Some(values) = values {
            return self.constant(f.apply(&values));
        }
        match (f.value, x) {
            (Value::One(_), &[a]) => self.node(Operation::One(Named(f), a)),
            (Value::Two(_), &[a, b]) => self.node(Operation::Two(Named(f), a, b)),
            (Value::Three(_), &[a, b, c]) => self.node(Operation::Three(Named(f), a, b, c)),
            // f(x, y, z) = f(f(x, y), z)
            (Value::Fold(_), &[first, ref rest @ ..]) => {
                rest.iter().fold(first, |a, &b| match (f.value, self.value(a), self.value(b)) {
                    (Value::Fold(f), Some(a), Some(b)) => self.constant(f(a, b)),
                    _ => self.node(Operation::Two(Named(f), a, b)),
                })
            }
            _ => self.constant(f64::NAN),
        }
    }

    /// Derivatives above the degree of the table are 0.
    pub fn table(&mut self, table: u32, order: u32, x: Id) -> Id {
        let curve = &self.tables[table as usize];
        if order > curve.degree() {
            return self.constant(0.0);
        }
        match self.value(x) {
            Some(x) => {
                let value = curve.value(x, order);
                self.constant(value)
            }
            None => self.node(Operation::Table { table, order, x }),
        }
    }

    /// The place of the table, which is shared by all its uses.
    fn place(&mut self, table: &Arc<Table>) -> u32 {
        let known = self.tables.iter().position(|other| Arc::ptr_eq(other, table));
        let index = known.unwrap_or_else(|| {
            self.tables.push(Arc::clone(table));
            self.tables.len() - 1
        });
        index as u32
    }

    /// The node of an expression, where `names` gives the nodes of its names; NaN for a name without one.
    pub fn expression(&mut self, expr: &Expr, names: &mut dyn FnMut(&mut Graph, &str) -> Option<Id>) -> Id {
        // Operands come before operations; what waits is on a list of its own instead of the stack of the
        // thread.
        let mut waiting = vec![(expr, false)];
        let mut done: Vec<Id> = Vec::new();
        let mut parts: Parts<Id> = Parts::default();
        while let Some((expr, ready)) = waiting.pop() {
            if !ready {
                if let Node::Shared(part) = &expr.node
                    && let Some(id) = parts.get(part)
                {
                    done.push(*id);
                    continue;
                }
                waiting.push((expr, true));
                let first = waiting.len();
                expr.visit_children(&mut |child| waiting.push((child, false)));
                waiting[first..].reverse();
                continue;
            }
            let mut take = |count: usize| done.split_off(done.len() - count);
            let id = match &expr.node {
                Node::Number(value) => self.constant(*value),
                Node::Name(name) => match names(self, name) {
                    Some(id) => id,
                    None => self.constant(f64::NAN),
                },
                Node::Unary(UnaryOperator::Negate, _) => self.negate(take(1)[0]),
                Node::Unary(UnaryOperator::Not, _) => self.not(take(1)[0]),
                Node::Binary(op, ..) => {
                    let x = take(2);
                    self.binary(*op, x[0], x[1])
                }
                Node::If(_) => {
                    let x = take(3);
                    self.choose(x[0], x[1], x[2])
                }
                Node::Call(f, arguments) => {
                    let x = take(arguments.len());
                    self.call(f, &x)
                }
                Node::Table(table, order, _) => {
                    let (table, x) = (self.place(table), take(1)[0]);
                    self.table(table, *order, x)
                }
                Node::Shared(part) => {
                    let id = take(1)[0];
                    parts.insert(part, id);
                    id
                }
            };
            done.push(id);
        }
        done.pop().unwrap_or_else(|| self.constant(f64::NAN))
    }
}

/// Whether the number and its inverse are ±2^k.
fn is_power_of_two(value: f64) -> bool {
    let exact = |x: f64| x.is_normal() && x.to_bits() << 12 == 0;
    exact(value) && exact(1.0 / value)
}
