//! An expression compiled for repeated evaluation.
//!
//! The program is a flat tape for a stack machine. Operands are evaluated neediest first (Sethi and Ullman):
//! an expression that needs k stack slots then has at least 2^(k-1) leaves (√3^(k-1) with functions of three
//! arguments), so that 64 slots are enough for any expression that fits in a memory, and evaluation never
//! allocates. An expression with shared parts becomes a tape over registers instead (`tape.rs`), which
//! computes each part once.

use crate::builtin::{Builtin, Value, constant};
use crate::evaluate::EvalError;
use crate::expr::{Expr, Node};
use crate::graph::{self, Graph};
use crate::operator::{BinaryOperator, UnaryOperator, not, power, truth};
use crate::places::Places;
use crate::schedule::schedule;
use crate::shared::Parts;
use crate::table::Table;
use crate::tape::Tape as SharedTape;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Slots that most expressions make do with.
const FEW: usize = 8;
/// Slots that are enough for all.
const ALL: usize = 64;

/// A compiled expression: a real function of an ordered list of variables.
///
/// Its values are those of [`Expr::eval`] bit for bit; but where that gives an error, the value here
/// follows IEEE arithmetic (infinite or NaN as a rule).
///
/// ```
/// use poinsot_expr::{Expr, Program};
/// let expr = Expr::parse("F0*sin(2*pi*f*t)")?;
/// let constants = |name: &str| match name {
///     "F0" => Some(10.0),
///     "f" => Some(0.25),
///     _ => None,
/// };
/// let force = Program::compile(&expr, &["t"], &constants)?;
/// assert_eq!(force.eval(&[1.0]), 10.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Program {
    body: Body,
}

#[derive(Clone)]
enum Body {
    Constant(f64),
    /// A variable by itself.
    Variable(usize),
    Tape {
        tape: Box<[Instruction]>,
        tables: Box<[Arc<Table>]>,
        slots: usize,
    },
    /// An expression with shared parts: each is computed once.
    Shared(Arc<SharedTape>),
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Program");
        match &self.body {
            Body::Constant(value) => shown.field("constant", value),
            Body::Variable(index) => shown.field("variable", index),
            Body::Tape { tape, slots, .. } => shown.field("instructions", &tape.len()).field("slots", slots),
            Body::Shared(tape) => shown.field("shared", tape),
        };
        shown.finish()
    }
}

impl Program {
    /// Compiles the expression as a function of `variables`, in this order.
    ///
    /// All other names must have a value in `constants` or be `pi` or `e`. What does not depend on a
    /// variable is computed here; if it has no finite value, and is not in a branch that may never be
    /// taken, that is an error.
    pub fn compile(
        expr: &Expr,
        variables: &[&str],
        constants: &dyn Fn(&str) -> Option<f64>,
    ) -> Result<Self, EvalError> {
        let places = Places::new(variables);
        Self::with_places(expr, &|name| places.of(name), constants, true)
            .map_err(|error| error.with_candidates(variables))
    }

    /// As [`Program::compile`], with the place of each variable. Unless `checked`, constant parts may be
    /// infinite or NaN: that is for derivatives, as that of `0^x` contains `log(0)`.
    pub(crate) fn with_places(
        expr: &Expr,
        place: &dyn Fn(&str) -> Option<usize>,
        constants: &dyn Fn(&str) -> Option<f64>,
        checked: bool,
    ) -> Result<Self, EvalError> {
        let parts = Parts::of(expr, |part, parts| {
            let scope = Scope { place, constants, parts };
            [false, true].map(|checked| scope.lower(part, checked).map(|term| term.value()))
        });
        let has_parts = !parts.is_empty();
        let term = Scope { place, constants, parts: &parts }.lower(expr, checked)?;
        if has_parts && term.value().is_none() {
            return Ok(Self::with_parts(expr, place, constants));
        }
        Ok(Self::assemble(term))
    }

    /// The program of an expression with shared parts, all of whose names are known.
    fn with_parts(
        expr: &Expr,
        place: &dyn Fn(&str) -> Option<usize>,
        constants: &dyn Fn(&str) -> Option<f64>,
    ) -> Self {
        let (mut graph, mut inputs) = (Graph::default(), 0);
        let root = graph.expression(expr, &mut |graph, name| match place(name) {
            Some(index) => {
                inputs = inputs.max(index + 1);
                Some(graph.input(index))
            }
            None => constants(name).or_else(|| constant(name)).map(|value| graph.constant(value)),
        });
        let body = match graph.operation(root) {
            graph::Operation::Constant(bits) => Body::Constant(f64::from_bits(bits)),
            graph::Operation::Input(index) => Body::Variable(index as usize),
            _ => Body::Shared(Arc::new(SharedTape::new(&graph, inputs, &schedule(&graph, &[root]), &[root]))),
        };
        Self { body }
    }

    /// The program whose value is always 0.
    pub(crate) fn zero() -> Self {
        Self { body: Body::Constant(0.0) }
    }

    fn assemble(term: Term) -> Self {
        let body = match term.kind {
            Kind::Constant(value) => Body::Constant(value),
            Kind::Variable(index) => Body::Variable(index),
            _ => {
                assert!(term.need <= ALL, "no memory holds an expression so large");
                let mut assembly = Assembly::default();
                assembly.emit(&term);
                let Assembly { tape, tables } = assembly;
                Body::Tape { tape: tape.into(), tables: tables.into(), slots: term.need }
            }
        };
        Self { body }
    }

    /// The value at the given values of the variables. Does not allocate, except that a program with shared
    /// parts keeps registers for each thread.
    ///
    /// # Panics
    ///
    /// If `values` ends before a variable that the expression uses.
    pub fn eval(&self, values: &[f64]) -> f64 {
        match &self.body {
            Body::Constant(value) => *value,
            Body::Variable(index) => values[*index],
            Body::Tape { tape, tables, slots } if *slots <= FEW => run::<FEW>(tape, tables, values),
            Body::Tape { tape, tables, .. } => run::<ALL>(tape, tables, values),
            Body::Shared(tape) => {
                let mut value = [0.0];
                tape.eval(values, [&mut value, &mut []]);
                value[0]
            }
        }
    }

    /// The value, if it depends on no variable.
    pub fn is_constant(&self) -> Option<f64> {
        match self.body {
            Body::Constant(value) => Some(value),
            _ => None,
        }
    }
}

/// One step of the stack machine.
#[derive(Clone, Copy)]
enum Instruction {
    Constant(f64),
    Variable(u32),
    /// Exchanges the two uppermost values.
    Swap,
    Apply(Simple),
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
    /// The i-th of the three uppermost values is argument `order[i]`.
    Three(fn(f64, f64, f64) -> f64, [u8; 3]),
    /// The derivative of the given order of a table of the program.
    Table {
        index: u32,
        order: u32,
    },
    /// Takes a condition: true goes on, false jumps to `otherwise`, NaN is the result itself and
    /// jumps to `end`.
    Branch {
        otherwise: u32,
        end: u32,
    },
    Jump(u32),
}

/// The operations without a function call.
#[derive(Clone, Copy, PartialEq)]
enum Simple {
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// Runs a tape that needs at most N slots; N is a power of two.
fn run<const N: usize>(tape: &[Instruction], tables: &[Arc<Table>], values: &[f64]) -> f64 {
    // The mask never changes an index of a well-formed tape; it spares the check of bounds.
    let slot = |height: usize| height & (N - 1);
    let mut stack = [0.0; N];
    let mut height: usize = 0;
    let mut at = 0;
    while let Some(instruction) = tape.get(at) {
        at += 1;
        let (top, under) = (slot(height.wrapping_sub(1)), slot(height.wrapping_sub(2)));
        match *instruction {
            Instruction::Constant(value) => {
                stack[slot(height)] = value;
                height += 1;
            }
            Instruction::Variable(index) => {
                stack[slot(height)] = values[index as usize];
                height += 1;
            }
            Instruction::Swap => stack.swap(top, under),
            Instruction::Apply(Simple::Negate) => stack[top] = -stack[top],
            Instruction::Apply(simple) => {
                let (a, b) = (stack[under], stack[top]);
                stack[under] = simple.apply(a, b);
                height -= 1;
            }
            Instruction::One(f) => stack[top] = f(stack[top]),
            Instruction::Two(f) => {
                stack[under] = f(stack[under], stack[top]);
                height -= 1;
            }
            Instruction::Three(f, order) => {
                let mut x = [0.0; 3];
                for (i, place) in order.into_iter().enumerate() {
                    x[usize::from(place)] = stack[slot(height.wrapping_sub(3) + i)];
                }
                height -= 2;
                stack[slot(height.wrapping_sub(1))] = f(x[0], x[1], x[2]);
            }
            Instruction::Table { index, order } => {
                stack[top] = tables[index as usize].value(stack[top], order);
            }
            Instruction::Branch { otherwise, end } => {
                let condition = stack[top];
                if condition.is_nan() {
                    at = end as usize;
                } else {
                    height -= 1;
                    if condition == 0.0 {
                        at = otherwise as usize;
                    }
                }
            }
            Instruction::Jump(end) => at = end as usize,
        }
    }
    stack[0]
}

impl Simple {
    fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Negate => -a,
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
        }
    }
}

/// An expression with names resolved, constants folded and calls reduced to at most three operands.
struct Term {
    kind: Kind,
    /// The stack slots that its evaluation needs.
    need: usize,
}

enum Kind {
    Constant(f64),
    Variable(usize),
    Apply(Operation, Vec<Term>),
    If(Box<[Term; 3]>),
}

enum Operation {
    Simple(Simple),
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
    Three(fn(f64, f64, f64) -> f64),
    /// A table and the order of its derivative.
    Table(Arc<Table>, u32),
}

impl Operation {
    fn apply(&self, x: &[f64]) -> f64 {
        match (self, x) {
            (Self::Simple(op), &[a]) => op.apply(a, 0.0),
            (Self::Simple(op), &[a, b]) => op.apply(a, b),
            (Self::One(f), &[a]) => f(a),
            (Self::Two(f), &[a, b]) => f(a, b),
            (Self::Three(f), &[a, b, c]) => f(a, b, c),
            (Self::Table(f, order), &[a]) => f.value(a, *order),
            _ => f64::NAN,
        }
    }
}

impl Term {
    fn constant(value: f64) -> Self {
        Self { kind: Kind::Constant(value), need: 1 }
    }

    fn value(&self) -> Option<f64> {
        match self.kind {
            Kind::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The operation on the operands, folded if all are constants.
    fn apply(op: Operation, operands: Vec<Term>) -> Self {
        let values: Option<Vec<f64>> = operands.iter().map(Term::value).collect();
        if let Some(values) = values {
            return Self::constant(op.apply(&values));
        }
        let slots = |(held, i): (usize, usize)| held + operands[i].need;
        let need = order(&operands).into_iter().enumerate().map(slots).max();
        Self { need: need.unwrap_or(1), kind: Kind::Apply(op, operands) }
    }

    /// The choice, decided if the condition is a constant.
    fn choice(parts: [Term; 3]) -> Self {
        match parts[0].value() {
            Some(value) if value.is_nan() => return Self::constant(value),
            Some(value) => {
                let [_, yes, no] = parts;
                return if value == 0.0 { no } else { yes };
            }
            None => {}
        }
        Self { need: parts.iter().map(|part| part.need).max().unwrap_or(1), kind: Kind::If(Box::new(parts)) }
    }
}

/// The order of evaluation: neediest first, otherwise from the left.
fn order(operands: &[Term]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..operands.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(operands[i].need));
    order
}

/// The instructions of a program and the tables that they refer to.
#[derive(Default)]
struct Assembly {
    tape: Vec<Instruction>,
    tables: Vec<Arc<Table>>,
}

impl Assembly {
    fn emit(&mut self, term: &Term) {
        match &term.kind {
            Kind::Constant(value) => self.tape.push(Instruction::Constant(*value)),
            Kind::Variable(index) => self.tape.push(Instruction::Variable(*index as u32)),
            Kind::Apply(op, operands) => {
                let order = order(operands);
                for &i in &order {
                    self.emit(&operands[i]);
                }
                self.emit_operation(op, &order);
            }
            Kind::If(parts) => self.emit_choice(parts),
        }
    }

    fn emit_operation(&mut self, op: &Operation, order: &[usize]) {
        let commutes = matches!(op, Operation::Simple(Simple::Add | Simple::Multiply));
        if order == [1, 0] && !commutes {
            self.tape.push(Instruction::Swap);
        }
        let instruction = match *op {
            Operation::Simple(op) => Instruction::Apply(op),
            Operation::One(f) => Instruction::One(f),
            Operation::Two(f) => Instruction::Two(f),
            Operation::Three(f) => {
                let place = |i: usize| order.get(i).copied().unwrap_or(i) as u8;
                Instruction::Three(f, [place(0), place(1), place(2)])
            }
            Operation::Table(ref f, order) => Instruction::Table { index: self.index(f), order },
        };
        self.tape.push(instruction);
    }

    fn emit_choice(&mut self, [condition, value, otherwise]: &[Term; 3]) {
        self.emit(condition);
        let branch = self.tape.len();
        self.tape.push(Instruction::Jump(0));
        self.emit(value);
        let jump = self.tape.len();
        self.tape.push(Instruction::Jump(0));
        self.emit(otherwise);
        let end = self.tape.len() as u32;
        self.tape[branch] = Instruction::Branch { otherwise: jump as u32 + 1, end };
        self.tape[jump] = Instruction::Jump(end);
    }

    /// The place of the table, which is shared by all its uses.
    fn index(&mut self, table: &Arc<Table>) -> u32 {
        let known = self.tables.iter().position(|other| Arc::ptr_eq(other, table));
        let index = known.unwrap_or_else(|| {
            self.tables.push(Arc::clone(table));
            self.tables.len() - 1
        });
        index as u32
    }
}

/// What the names mean.
struct Scope<'a> {
    place: &'a dyn Fn(&str) -> Option<usize>,
    constants: &'a dyn Fn(&str) -> Option<f64>,
    /// The values of shared parts that are constant, unchecked and checked.
    parts: &'a Parts<[Result<Option<f64>, EvalError>; 2]>,
}

impl Scope<'_> {
    /// `checked`: a constant without a finite value is an error.
    fn lower(&self, expr: &Expr, checked: bool) -> Result<Term, EvalError> {
        match &expr.node {
            Node::Number(value) => Ok(Term::constant(*value)),
            Node::Name(name) => self.name(name, &expr.span),
            Node::Unary(op, x) => {
                let op = match op {
                    UnaryOperator::Negate => Operation::Simple(Simple::Negate),
                    UnaryOperator::Not => Operation::One(not),
                };
                Ok(Term::apply(op, vec![self.lower(x, checked)?]))
            }
            Node::Binary(op, a, b) => self.binary(*op, [a, b], &expr.span, checked),
            Node::If(parts) => {
                let [condition, value, otherwise] = parts.as_ref();
                let condition = self.lower(condition, checked)?;
                // A branch is checked only if it is known to be taken.
                let taken = condition.value().map(|value| value != 0.0);
                let value = self.lower(value, checked && taken == Some(true))?;
                let otherwise = self.lower(otherwise, checked && taken == Some(false))?;
                Ok(Term::choice([condition, value, otherwise]))
            }
            Node::Call(f, arguments) => self.call(f, arguments, &expr.span, checked),
            Node::Table(f, order, x) => {
                let x = self.lower(x, checked)?;
                let argument = x.value();
                let term = Term::apply(Operation::Table(Arc::clone(f), *order), vec![x]);
                match (argument, term.value()) {
                    (Some(x), Some(value)) if checked && !value.is_finite() => {
                        Err(EvalError::table(f, *order, x, &expr.span))
                    }
                    _ => Ok(term),
                }
            }
            Node::Shared(part) => match self.parts.get(part).map(|known| &known[usize::from(checked)]) {
                Some(Ok(Some(value))) => Ok(Term::constant(*value)),
                // Something that varies; it has code of its own.
                Some(Ok(None)) => Ok(Term { kind: Kind::Variable(0), need: 1 }),
                Some(Err(error)) => Err(error.clone().relocated(&expr.span)),
                None => self.lower(part.expr(), checked),
            },
        }
    }

    fn name(&self, name: &str, span: &Range<usize>) -> Result<Term, EvalError> {
        if let Some(index) = (self.place)(name) {
            return Ok(Term { kind: Kind::Variable(index), need: 1 });
        }
        match (self.constants)(name).or_else(|| constant(name)) {
            Some(value) if value.is_finite() => Ok(Term::constant(value)),
            Some(value) => Err(EvalError::infinite_name(name, value, span)),
            None => Err(EvalError::unknown(name, span)),
        }
    }

    fn binary(
        &self,
        op: BinaryOperator,
        [a, b]: [&Expr; 2],
        span: &Range<usize>,
        checked: bool,
    ) -> Result<Term, EvalError> {
        let a = self.lower(a, checked)?;
        if matches!(op, BinaryOperator::And | BinaryOperator::Or) {
            return self.logic(op, a, b, checked);
        }
        let b = self.lower(b, checked)?;
        let operands = (a.value(), b.value());
        let term = Term::apply(operation(op), vec![a, b]);
        match (operands, term.value()) {
            ((Some(a), Some(b)), Some(value)) if checked && !value.is_finite() => {
                Err(EvalError::operator(op, a, b, span))
            }
            _ => Ok(term),
        }
    }

    /// `a and b` = `if(a, truth of b, 0)`; `a or b` = `if(a, 1, truth of b)`.
    fn logic(&self, op: BinaryOperator, a: Term, b: &Expr, checked: bool) -> Result<Term, EvalError> {
        let and = op == BinaryOperator::And;
        let taken = a.value().is_some_and(|value| (value != 0.0) == and);
        let b = self.lower(b, checked && taken)?;
        let b = Term::apply(Operation::One(truth), vec![b]);
        Ok(Term::choice(if and { [a, b, Term::constant(0.0)] } else { [a, Term::constant(1.0), b] }))
    }

    fn call(
        &self,
        f: &Builtin,
        arguments: &[Expr],
        span: &Range<usize>,
        checked: bool,
    ) -> Result<Term, EvalError> {
        let lowered = arguments.iter().map(|x| self.lower(x, checked));
        let operands = lowered.collect::<Result<Vec<Term>, EvalError>>()?;
        let values: Option<Vec<f64>> = operands.iter().map(Term::value).collect();
        if let Some(values) = values {
            let value = f.apply(&values);
            if checked && !value.is_finite() {
                return Err(EvalError::function(f, &values, span));
            }
            return Ok(Term::constant(value));
        }
        Ok(match f.value {
            Value::One(f) => Term::apply(Operation::One(f), operands),
            Value::Two(f) => Term::apply(Operation::Two(f), operands),
            Value::Three(f) => Term::apply(Operation::Three(f), operands),
            Value::Fold(f) => {
                let pair = |a, b| Term::apply(Operation::Two(f), vec![a, b]);
                let folded = operands.into_iter().reduce(pair);
                folded.unwrap_or_else(|| Term::constant(f64::NAN))
            }
        })
    }
}

fn operation(op: BinaryOperator) -> Operation {
    use BinaryOperator as B;
    match op {
        B::Add => Operation::Simple(Simple::Add),
        B::Subtract => Operation::Simple(Simple::Subtract),
        B::Multiply => Operation::Simple(Simple::Multiply),
        B::Divide => Operation::Simple(Simple::Divide),
        B::Power => Operation::Two(power),
        B::Less => Operation::Two(|a, b| B::Less.apply(a, b)),
        B::LessEqual => Operation::Two(|a, b| B::LessEqual.apply(a, b)),
        B::Greater => Operation::Two(|a, b| B::Greater.apply(a, b)),
        B::GreaterEqual => Operation::Two(|a, b| B::GreaterEqual.apply(a, b)),
        B::Equal => Operation::Two(|a, b| B::Equal.apply(a, b)),
        B::NotEqual => Operation::Two(|a, b| B::NotEqual.apply(a, b)),
        B::And => Operation::Two(|a, b| B::And.apply(a, b)),
        B::Or => Operation::Two(|a, b| B::Or.apply(a, b)),
    }
}
