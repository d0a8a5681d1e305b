//! What values an expression takes while a variable goes over an interval.
//!
//! An interval stands for all numbers between its ends; the value of an expression over it contains every
//! value that the expression takes there, up to rounding, and is the tighter the shorter the interval. It is
//! used to be sure that nothing happens in between: no switch passes its level, no curve turns twice.

use crate::builtin::{Builtin, Value, constant};
use crate::expr::{Expr, Node};
use crate::operator::{BinaryOperator, UnaryOperator};
use crate::shared::Parts;
use crate::table::Table;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// All numbers from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

impl Interval {
    /// All numbers: nothing is known.
    pub const ALL: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// From one number to another that is not less.
    pub fn new(low: f64, high: f64) -> Self {
        Interval { low, high }
    }

    /// A single number.
    pub fn point(x: f64) -> Self {
        if x.is_nan() { Self::ALL } else { Interval { low: x, high: x } }
    }

    /// The smallest interval with all these numbers.
    fn of(values: &[f64]) -> Self {
        if values.iter().any(|x| x.is_nan()) {
            return Self::ALL;
        }
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        Interval { low, high: values.iter().copied().fold(f64::NEG_INFINITY, f64::max) }
    }

    /// The smallest interval with both.
    pub fn hull(self, other: Self) -> Self {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Whether a number is in it.
    pub fn contains(&self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// Whether no two numbers in it have opposite signs.
    pub fn has_one_sign(&self) -> bool {
        self.low >= 0.0 || self.high <= 0.0
    }

    /// The greatest absolute value.
    pub fn magnitude(&self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// high − low.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    /// The values of a function that never falls, or never rises.
    fn rising(self, f: impl Fn(f64) -> f64) -> Self {
        Self::of(&[f(self.low), f(self.high)])
    }

    fn negative(self) -> Self {
        Interval { low: -self.high, high: -self.low }
    }

    fn add(self, other: Self) -> Self {
        Self::of(&[self.low + other.low, self.high + other.high])
    }

    fn times(self, other: Self) -> Self {
        // Nothing times anything is nothing: infinite ends stand for finite values.
        let product = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
        let (a, b) = (self, other);
        Self::of(&[
            product(a.low, b.low),
            product(a.low, b.high),
            product(a.high, b.low),
            product(a.high, b.high),
        ])
    }

    fn inverse(self) -> Self {
        if self.low < 0.0 && self.high > 0.0 || self == Self::point(0.0) {
            return Self::ALL;
        }
        // An end that is zero is the limit from inside.
        let high = if self.low == 0.0 { f64::INFINITY } else { 1.0 / self.low };
        let low = if self.high == 0.0 { f64::NEG_INFINITY } else { 1.0 / self.high };
        Interval { low, high }
    }

    fn absolute(self) -> Self {
        if self.has_one_sign() {
            return Self::of(&[self.low.abs(), self.high.abs()]);
        }
        Interval { low: 0.0, high: self.magnitude() }
    }

    fn power(self, exponent: Self) -> Self {
        let n = exponent.low;
        if exponent.low == exponent.high && n.fract() == 0.0 && n.abs() < 1e9 {
            let size = if n % 2.0 == 0.0 { self.absolute() } else { self };
            let raised = size.rising(|x| x.powf(n.abs()));
            return if n < 0.0 { raised.inverse() } else { raised };
        }
        if self.low < 0.0 {
            return Self::ALL;
        }
        let (a, b) = (self, exponent);
        // Powers rise or fall with either argument, so that the corners have the extremes.
        Self::of(&[a.low.powf(b.low), a.low.powf(b.high), a.high.powf(b.low), a.high.powf(b.high)])
    }

    /// Sine: the values at the ends, and those at the tops and bottoms in between.
    fn sine(self) -> Self {
        if !(self.width() < TAU && self.magnitude() < 1e15) {
            return Interval { low: -1.0, high: 1.0 };
        }
        let mut all = self.rising(f64::sin);
        let holds = |angle: f64| {
            let first = angle + ((self.low - angle) / TAU).ceil() * TAU;
            first <= self.high
        };
        if holds(FRAC_PI_2) {
            all.high = 1.0;
        }
        if holds(-FRAC_PI_2) {
            all.low = -1.0;
        }
        all
    }

    fn tangent(self) -> Self {
        let turn = |x: f64| (x / PI + 0.5).floor();
        if turn(self.low) == turn(self.high) { self.rising(f64::tan) } else { Self::ALL }
    }

    fn minimum(self, other: Self) -> Self {
        Interval { low: self.low.min(other.low), high: self.high.min(other.high) }
    }

    fn maximum(self, other: Self) -> Self {
        self.negative().minimum(other.negative()).negative()
    }

    fn truth(known: Option<bool>) -> Self {
        match known {
            Some(value) => Self::point(f64::from(u8::from(value))),
            None => Interval { low: 0.0, high: 1.0 },
        }
    }

    /// Whether the numbers mean yes, if all say the same.
    fn decided(self) -> Option<bool> {
        if self == Self::point(0.0) { Some(false) } else { (!self.contains(0.0)).then_some(true) }
    }
}

impl Expr {
    /// The values of an expression whose only name, if any, is a variable, over an interval of it.
    ///
    /// ```
    /// use poinsot_expr::{Expr, Interval};
    /// let wave = Expr::parse("3*sin(2*t) + 1")?;
    /// assert_eq!(wave.over(Interval::new(0.0, 10.0)), Interval::new(-2.0, 4.0));
    /// let short = wave.over(Interval::new(0.0, 0.1));
    /// assert!(short.low == 1.0 && (short.high - 3.0*0.2f64.sin() - 1.0).abs() < 1e-15);
    /// # Ok::<(), poinsot_expr::ParseError>(())
    /// ```
    pub fn over(&self, variable: Interval) -> Interval {
        let parts = Parts::of(self, |part, parts| part.values_over(variable, parts));
        self.values_over(variable, &parts)
    }

    fn values_over(&self, variable: Interval, parts: &Parts<Interval>) -> Interval {
        let x = |expr: &Expr| expr.values_over(variable, parts);
        match &self.node {
            Node::Number(value) => Interval::point(*value),
            Node::Name(name) => constant(name).map_or(variable, Interval::point),
            Node::Unary(UnaryOperator::Negate, a) => x(a).negative(),
            Node::Unary(UnaryOperator::Not, a) => Interval::truth(x(a).decided().map(|yes| !yes)),
            Node::Binary(op, a, b) => binary(*op, x(a), x(b), a == b),
            Node::If(parts) => match x(&parts[0]).decided() {
                Some(true) => x(&parts[1]),
                Some(false) => x(&parts[2]),
                None => x(&parts[1]).hull(x(&parts[2])),
            },
            Node::Table(table, order, a) => of_table(table, *order, x(a)),
            Node::Call(function, arguments) => match arguments.as_slice() {
                [a] => of_one(function, x(a)),
                list => of_several(function.name, list, &x),
            },
            Node::Shared(part) => parts.get(part).copied().unwrap_or_else(|| x(part.expr())),
        }
    }
}

fn binary(op: BinaryOperator, a: Interval, b: Interval, same: bool) -> Interval {
    let compare =
        |less: bool, more: bool| Interval::truth(if less { Some(true) } else { more.then_some(false) });
    match op {
        BinaryOperator::Add => a.add(b),
        BinaryOperator::Subtract => a.add(b.negative()),
        BinaryOperator::Multiply if same => a.power(Interval::point(2.0)),
        BinaryOperator::Multiply => a.times(b),
        BinaryOperator::Divide => a.times(b.inverse()),
        BinaryOperator::Power => a.power(b),
        BinaryOperator::Less => compare(a.high < b.low, a.low >= b.high),
        BinaryOperator::LessEqual => compare(a.high <= b.low, a.low > b.high),
        BinaryOperator::Greater => compare(a.low > b.high, a.high <= b.low),
        BinaryOperator::GreaterEqual => compare(a.low >= b.high, a.high < b.low),
        BinaryOperator::Equal | BinaryOperator::NotEqual => {
            let apart = a.high < b.low || b.high < a.low;
            let equal = a == b && a.low == a.high;
            let known = if apart { Some(false) } else { equal.then_some(true) };
            Interval::truth(known.map(|yes| yes == (op == BinaryOperator::Equal)))
        }
        BinaryOperator::And | BinaryOperator::Or => {
            let wins = op == BinaryOperator::Or;
            let (a, b) = (a.decided(), b.decided());
            let settled = a == Some(wins) || b == Some(wins);
            Interval::truth(if settled { Some(wins) } else { a.and(b).map(|_| !wins) })
        }
    }
}

fn of_one(function: &Builtin, x: Interval) -> Interval {
    match (function.name, &function.value) {
        ("sin", _) => x.sine(),
        ("cos", _) => Interval { low: x.low + FRAC_PI_2, high: x.high + FRAC_PI_2 }.sine(),
        ("tan", _) => x.tangent(),
        ("cosh", _) => x.absolute().rising(f64::cosh),
        ("abs", _) => x.absolute(),
        // The others never fall, and acos never rises.
        (_, Value::One(f)) => x.rising(f),
        _ => Interval::ALL,
    }
}

fn of_several(name: &str, list: &[Expr], x: &dyn Fn(&Expr) -> Interval) -> Interval {
    let fold = |f: fn(Interval, Interval) -> Interval| {
        let mut all = list.iter().map(x);
        let first = all.next().unwrap_or(Interval::ALL);
        all.fold(first, f)
    };
    match (name, list) {
        ("min", _) => fold(Interval::minimum),
        ("max", _) => fold(Interval::maximum),
        ("hypot", _) => fold(|a, b| {
            let (a, b) = (a.absolute(), b.absolute());
            Interval { low: a.low.hypot(b.low), high: a.high.hypot(b.high) }
        }),
        ("clamp", [value, low, high]) => x(value).maximum(x(low)).minimum(x(high)),
        ("mod", [a, b]) => {
            let (a, b) = (x(a), x(b));
            let (turns, whole) = (a.times(b.inverse()), b.low == b.high);
            if whole && turns.low.floor() == turns.high.floor() {
                return a.add(Interval::point(-turns.low.floor() * b.low));
            }
            b.hull(Interval::point(0.0))
        }
        ("atan2", _) => Interval { low: -PI, high: PI },
        _ => Interval::ALL,
    }
}

/// The values of a table, or of its derivative: those at the ends and at the points in between; of a spline,
/// which may swing out between its points, no more than a bound.
fn of_table(table: &Table, order: u32, x: Interval) -> Interval {
    table.over(x.low, x.high, order).map_or(Interval::ALL, |(low, high)| Interval { low, high })
}
