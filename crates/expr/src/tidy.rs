//! The form in which people write an expression: numbers in front, equal terms and equal factors together.
//!
//! An expression is a sum of terms
//!
//! ```text
//! Σ_k r_k Π_i f_ki^n_ki / Π_j g_kj^m_kj
//! ```
//! with numbers r_k and whole powers. Terms with the same factors are added up. Nothing is cancelled but
//! numbers, as any other divisor may be 0, and products of sums stay as they are.

use crate::builtin::Builtin;
use crate::evaluate::finite;
use crate::expr::{Expr, Node};
use crate::operator::{BinaryOperator, UnaryOperator};
use crate::ratio::Ratio;
use crate::shared::Parts;
use crate::simplify::{binary, call, table, unary};
use crate::table::Table;
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// The greatest power that is taken apart.
const HIGHEST: f64 = 64.0;

/// Terms that are sooner compared one by one than looked up.
const FEW: usize = 12;

/// f(-x) = -f(x).
const ODD: [&str; 10] = ["sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "cbrt", "sign"];
/// f(-x) = f(x).
const EVEN: [&str; 3] = ["cos", "cosh", "abs"];

impl Expr {
    /// An equal expression in a normal form: numeric factors multiplied and in front, equal terms of a sum
    /// added up, equal factors as whole powers, signs drawn out.
    ///
    /// Equal means the same value, up to rounding, wherever all parts of the original have a finite value.
    /// Terms and factors keep the order in which they first stand.
    ///
    /// ```
    /// use poinsot_expr::Expr;
    /// let kinetic = Expr::parse("(L*qdot*qdot + I*w*w)/2")?;
    /// assert_eq!(kinetic.tidy().to_string(), "(L*qdot^2 + I*w^2)/2");
    /// assert_eq!(kinetic.derivative("qdot").tidy().to_string(), "L*qdot");
    /// # Ok::<(), poinsot_expr::ParseError>(())
    /// ```
    pub fn tidy(&self) -> Self {
        let parts = Parts::of(self, |part, parts| Sum::of(part, parts).shared(&part.span));
        Sum::of(self, &parts).into_expr(&self.span)
    }
}

/// What tells apart parts of expressions: equal parts have equal marks, whatever the order of their terms and
/// factors. Different ones have different marks but for a chance of 2^-128.
pub(crate) type Mark = u128;

pub(crate) fn mark(parts: impl Hash) -> Mark {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, &parts).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    (half(1) << 64) | half(2)
}

#[derive(Clone)]
enum Base {
    Atom(Expr),
    Sum(Sum),
}

/// A whole power of what is not a product.
#[derive(Clone)]
struct Factor {
    base: Base,
    /// That of the base or of its negative, whichever is less.
    mark: Mark,
    /// Whether the mark is that of the negative.
    negative: bool,
    power: u32,
}

impl Factor {
    fn atom(expr: Expr, mark: Mark) -> Self {
        Factor { base: Base::Atom(expr), mark, negative: false, power: 1 }
    }

    fn sum(sum: Sum) -> Self {
        let (plus, minus) = (sum.mark(), sum.negative_mark());
        Factor { base: Base::Sum(sum), mark: plus.min(minus), negative: minus < plus, power: 1 }
    }

    fn into_expr(self, span: &Range<usize>) -> Expr {
        let base = match self.base {
            Base::Atom(expr) => expr,
            Base::Sum(sum) => sum.into_expr(span),
        };
        if self.power == 1 {
            return base;
        }
        pair(BinaryOperator::Power, base, Expr::number(f64::from(self.power)), span)
    }
}

fn pair(op: BinaryOperator, a: Expr, b: Expr, span: &Range<usize>) -> Expr {
    Expr::new(Node::Binary(op, Box::new(a), Box::new(b)), span.clone())
}

/// A number times factors over factors.
#[derive(Clone)]
struct Term {
    ratio: Ratio,
    above: Vec<Factor>,
    below: Vec<Factor>,
}

impl Term {
    fn number(ratio: Ratio) -> Self {
        Term { ratio, above: vec![], below: vec![] }
    }

    /// The mark of the factors without the number, and whether an odd number of them is negative.
    fn mark(&self) -> (Mark, bool) {
        let (mut sum, mut negative) = (0, false);
        for (side, list) in [&self.above, &self.below].into_iter().enumerate() {
            for f in list {
                sum = Mark::wrapping_add(sum, mark((side, f.mark, f.power)));
                negative ^= f.negative && f.power % 2 == 1;
            }
        }
        (sum, negative)
    }

    fn is_number(&self) -> bool {
        self.above.is_empty() && self.below.is_empty()
    }

    /// The sum of which the term is a multiple.
    fn multiple(&self) -> Option<&Sum> {
        match (self.above.as_slice(), self.below.as_slice()) {
            ([Factor { base: Base::Sum(sum), power: 1, .. }], []) => Some(sum),
            _ => None,
        }
    }

    /// The product; none where the numbers overflow.
    fn times(mut self, other: Term) -> Option<Term> {
        self.ratio = self.ratio.times(other.ratio)?;
        let mut negative = false;
        for (list, more) in [(&mut self.above, other.above), (&mut self.below, other.below)] {
            for factor in more {
                let Some(known) = list.iter_mut().find(|f| f.mark == factor.mark) else {
                    list.push(factor);
                    continue;
                };
                negative ^= known.negative != factor.negative && factor.power % 2 == 1;
                known.power = known.power.checked_add(factor.power)?;
            }
        }
        if negative {
            self.ratio = self.ratio.negative();
        }
        Some(self)
    }

    fn inverse(self) -> Option<Term> {
        Some(Term { ratio: self.ratio.inverse()?, above: self.below, below: self.above })
    }

    fn power(mut self, n: u32) -> Option<Term> {
        let mut ratio = Ratio::ONE;
        for _ in 0..n {
            ratio = ratio.times(self.ratio)?;
        }
        self.ratio = ratio;
        for factor in self.above.iter_mut().chain(&mut self.below) {
            factor.power = factor.power.checked_mul(n)?;
        }
        Some(self)
    }

    /// The term with or without its sign.
    fn into_expr(self, signed: bool, span: &Range<usize>) -> Expr {
        let (p, q) = if self.is_number() { self.ratio.number_parts() } else { self.ratio.parts() };
        let mut above: Vec<Expr> = Vec::with_capacity(self.above.len() + 1);
        if p != 1.0 || self.above.is_empty() {
            above.push(Expr::number(p));
        }
        above.extend(self.above.into_iter().map(|f| f.into_expr(span)));
        if signed && self.ratio.is_negative() {
            // -a*b is written with the sign at a.
            let first = std::mem::replace(&mut above[0], Expr::number(0.0));
            above[0] = Expr::new(Node::Unary(UnaryOperator::Negate, Box::new(first)), span.clone());
        }
        let mut below: Vec<Expr> = Vec::with_capacity(self.below.len() + 1);
        if q != 1.0 {
            below.push(Expr::number(q));
        }
        below.extend(self.below.into_iter().map(|f| f.into_expr(span)));
        let above = Expr::product(above);
        if below.is_empty() { above } else { pair(BinaryOperator::Divide, above, Expr::product(below), span) }
    }
}

/// Terms with different factors; none is 0.
#[derive(Clone, Default)]
struct Sum {
    terms: Vec<Term>,
    /// The place of each term by the mark of its factors; empty if they are few.
    places: HashMap<Mark, usize>,
}

impl From<Term> for Sum {
    fn from(term: Term) -> Self {
        let terms = if term.ratio.is_zero() { vec![] } else { vec![term] };
        Sum { terms, places: HashMap::new() }
    }
}

impl Sum {
    /// The terms of an expression.
    fn of(expr: &Expr, parts: &Parts<Sum>) -> Self {
        let span = &expr.span;
        let of = |x: &Expr| Self::of(x, parts);
        match &expr.node {
            Node::Number(value) => Term::number(Ratio::of(*value)).into(),
            Node::Name(name) => Self::atom(expr.clone(), mark(("name", name))),
            Node::Unary(UnaryOperator::Negate, x) => of(x).negated(),
            Node::Unary(op, x) => {
                let x = of(x);
                let mark = mark(("not", x.mark()));
                Self::atom(unary(*op, x.into_expr(span), span), mark)
            }
            Node::Binary(op, a, b) => Self::binary(*op, of(a), of(b), span),
            Node::If(parts) => Self::choice(parts.each_ref().map(of), span),
            Node::Call(f, arguments) => Self::call(f, arguments.iter().map(of).collect(), span),
            Node::Table(f, order, x) => {
                let x = of(x);
                let mark = mark((table_mark(f), order, x.mark()));
                Self::atom(table(f, *order, x.into_expr(span), span), mark)
            }
            Node::Shared(part) => parts.get(part).cloned().unwrap_or_else(|| of(part.expr())),
        }
    }

    /// The terms, or what they are together as one shared part if they are many.
    fn shared(self, span: &Range<usize>) -> Self {
        let mark = mark(("shared", self.mark()));
        let expr = self.clone().into_expr(span).shared();
        if matches!(expr.node, Node::Shared(_)) { Self::atom(expr, mark) } else { self }
    }

    /// What is not taken apart further.
    fn atom(expr: Expr, mark: Mark) -> Self {
        match expr.literal().and_then(finite) {
            Some(value) => Term::number(Ratio::of(value)).into(),
            None => Term { ratio: Ratio::ONE, above: vec![Factor::atom(expr, mark)], below: vec![] }.into(),
        }
    }

    fn binary(op: BinaryOperator, a: Sum, b: Sum, span: &Range<usize>) -> Self {
        match op {
            BinaryOperator::Add => a.plus(b),
            BinaryOperator::Subtract => a.plus(b.negated()),
            BinaryOperator::Multiply => a.times(b, span),
            BinaryOperator::Divide => a.over(b, span),
            BinaryOperator::Power => a.power(b, span),
            _ => Self::opaque(op, a, b, span),
        }
    }

    /// The operation on the sums as they are.
    fn opaque(op: BinaryOperator, a: Sum, b: Sum, span: &Range<usize>) -> Self {
        let mark = mark((op, a.mark(), b.mark()));
        let (a, b) = (a.into_expr(span), b.into_expr(span));
        let expr = match op {
            BinaryOperator::Multiply | BinaryOperator::Divide => pair(op, a, b, span),
            _ => binary(op, a, b, span),
        };
        Self::atom(expr, mark)
    }

    fn choice([condition, value, otherwise]: [Sum; 3], span: &Range<usize>) -> Self {
        match condition.number() {
            Some(0.0) => return otherwise,
            Some(_) => return value,
            None if value.mark() == otherwise.mark() => return value,
            None => {}
        }
        let mark = mark(("if", condition.mark(), value.mark(), otherwise.mark()));
        let parts = [condition, value, otherwise].map(|sum| sum.into_expr(span));
        Self::atom(Expr::new(Node::If(Box::new(parts)), span.clone()), mark)
    }

    fn call(f: &'static Builtin, mut sums: Vec<Sum>, span: &Range<usize>) -> Self {
        let (odd, even) = (ODD.contains(&f.name), EVEN.contains(&f.name));
        let negative = (odd || even) && sums[0].is_negative();
        if negative {
            sums = sums.into_iter().map(Sum::negated).collect();
        }
        let marks: Vec<Mark> = sums.iter().map(Sum::mark).collect();
        let mark = mark((f.name, marks));
        let atom = Self::atom(call(f, sums.into_iter().map(|x| x.into_expr(span)).collect(), span), mark);
        if negative && odd { atom.negated() } else { atom }
    }

    /// The value, if it is a number.
    fn number(&self) -> Option<f64> {
        match self.terms.as_slice() {
            [] => Some(0.0),
            [term] if term.is_number() => Some(term.ratio.value()),
            _ => None,
        }
    }

    /// Whether all terms are negative.
    fn is_negative(&self) -> bool {
        !self.terms.is_empty() && self.terms.iter().all(|term| term.ratio.is_negative())
    }

    fn mark(&self) -> Mark {
        self.marked(false)
    }

    /// The mark of the negative.
    fn negative_mark(&self) -> Mark {
        self.marked(true)
    }

    fn marked(&self, negated: bool) -> Mark {
        let one = |term: &Term| {
            let (factors, negative) = term.mark();
            let ratio = if negative != negated { term.ratio.negative() } else { term.ratio };
            mark((factors, ratio.value().to_bits()))
        };
        self.terms.iter().map(one).fold(0, Mark::wrapping_add)
    }

    fn negated(mut self) -> Self {
        self.terms.iter_mut().for_each(|term| term.ratio = term.ratio.negative());
        self
    }

    fn plus(mut self, other: Sum) -> Self {
        let mut vanished = false;
        for term in other.terms {
            vanished |= self.add(term);
        }
        if vanished {
            self.terms.retain(|term| !term.ratio.is_zero());
            self.places.clear();
            self.index();
        }
        self.collect_multiples()
    }

    /// Adds a term; true if nothing is left of it and the one like it.
    fn add(&mut self, term: Term) -> bool {
        let (mark, negative) = term.mark();
        if let Some(known) = self.place(mark).map(|place| &mut self.terms[place]) {
            let more = if known.mark().1 == negative { term.ratio } else { term.ratio.negative() };
            if let Some(ratio) = known.ratio.plus(more) {
                known.ratio = ratio;
                return ratio.is_zero();
            }
        }
        self.terms.push(term);
        if self.places.is_empty() {
            self.index();
        } else {
            self.places.entry(mark).or_insert(self.terms.len() - 1);
        }
        false
    }

    fn place(&self, mark: Mark) -> Option<usize> {
        if self.places.is_empty() {
            return self.terms.iter().position(|term| term.mark().0 == mark);
        }
        self.places.get(&mark).copied()
    }

    fn index(&mut self) {
        if self.terms.len() > FEW {
            for (place, term) in self.terms.iter().enumerate() {
                self.places.entry(term.mark().0).or_insert(place);
            }
        }
    }

    /// 2 (x + y) - 2 x = 2 y: takes apart multiples of sums that have terms in common with other terms.
    fn collect_multiples(self) -> Self {
        if !self.terms.iter().any(|term| term.multiple().is_some()) {
            return self;
        }
        let mut count: HashMap<Mark, usize> = HashMap::new();
        for term in &self.terms {
            match term.multiple() {
                Some(sum) => sum.terms.iter().for_each(|t| *count.entry(t.mark().0).or_default() += 1),
                None => *count.entry(term.mark().0).or_default() += 1,
            }
        }
        let helps = |sum: &Sum| sum.terms.iter().any(|t| count[&t.mark().0] > 1);
        if !self.terms.iter().any(|term| term.multiple().is_some_and(helps)) {
            return self;
        }
        let mut all = Sum::default();
        for term in self.terms {
            let parts = match term.multiple() {
                Some(sum) if helps(sum) => sum.scaled(term.ratio),
                _ => None,
            };
            match parts {
                Some(parts) => parts.into_iter().for_each(|part| {
                    all.add(part);
                }),
                None => {
                    all.add(term);
                }
            }
        }
        all.terms.retain(|term| !term.ratio.is_zero());
        all.places.clear();
        all.index();
        all
    }

    fn scaled(&self, ratio: Ratio) -> Option<Vec<Term>> {
        let scale = |term: &Term| Some(Term { ratio: term.ratio.times(ratio)?, ..term.clone() });
        self.terms.iter().map(scale).collect()
    }

    /// The sum as one term; what is not one becomes a factor, numbers that all have in common drawn out.
    fn into_term(mut self) -> Term {
        if self.terms.len() < 2 {
            return self.terms.pop().unwrap_or(Term::number(Ratio::of(0.0)));
        }
        let content = self.content();
        if let Some(terms) = content.inverse().and_then(|inverse| self.scaled(inverse)) {
            self.terms = terms;
            return Term { ratio: content, above: vec![Factor::sum(self)], below: vec![] };
        }
        Term { ratio: Ratio::ONE, above: vec![Factor::sum(self)], below: vec![] }
    }

    /// The number of which all numbers are whole multiples, if the least is one; its sign that of all, if
    /// they have one.
    fn content(&self) -> Ratio {
        let sign = if self.is_negative() { Ratio::ONE.negative() } else { Ratio::ONE };
        let size = |term: &&Term| term.ratio.value().abs();
        let Some(least) = self.terms.iter().min_by(|a, b| size(a).total_cmp(&size(b))) else { return sign };
        let least = if least.ratio.is_negative() { least.ratio.negative() } else { least.ratio };
        let whole = |inverse: Ratio| {
            self.terms.iter().all(|term| term.ratio.times(inverse).is_some_and(Ratio::is_integer))
        };
        match least.inverse() {
            Some(inverse) if whole(inverse) => least.times(sign).unwrap_or(sign),
            _ => sign,
        }
    }

    fn times(self, other: Sum, span: &Range<usize>) -> Self {
        let known = (self.clone(), other.clone());
        match self.into_term().times(other.into_term()) {
            Some(term) => Self::settled(term),
            None => Self::opaque(BinaryOperator::Multiply, known.0, known.1, span),
        }
    }

    fn over(self, other: Sum, span: &Range<usize>) -> Self {
        let known = (self.clone(), other.clone());
        let quotient = other.into_term().inverse().and_then(|inverse| self.into_term().times(inverse));
        match quotient {
            Some(term) => Self::settled(term),
            None => Self::opaque(BinaryOperator::Divide, known.0, known.1, span),
        }
    }

    fn power(self, exponent: Sum, span: &Range<usize>) -> Self {
        let whole = exponent.number().filter(|n| *n == n.trunc() && n.abs() <= HIGHEST);
        let known = self.clone();
        let power = match whole {
            Some(0.0) => Some(Term::number(Ratio::ONE)),
            Some(n) if n > 0.0 => self.into_term().power(n as u32),
            Some(n) => self.into_term().power(-n as u32).and_then(Term::inverse),
            None => None,
        };
        match power {
            Some(term) => Self::settled(term),
            None => Self::opaque(BinaryOperator::Power, known, exponent, span),
        }
    }

    /// The term, or the sum that it is.
    fn settled(term: Term) -> Self {
        let one = [Ratio::ONE, Ratio::ONE.negative()].contains(&term.ratio);
        match term.multiple() {
            Some(sum) if one => {
                let sum = sum.clone();
                if term.ratio == Ratio::ONE { sum } else { sum.negated() }
            }
            _ => term.into(),
        }
    }

    /// The expression, a term that is not negative first if there is one.
    fn into_expr(mut self, span: &Range<usize>) -> Expr {
        if self.terms.is_empty() {
            return Expr::number_at(0.0, span.clone());
        }
        let lead = self.terms.iter().position(|term| !term.ratio.is_negative()).unwrap_or(0);
        let first = self.terms.remove(lead).into_expr(true, span);
        let signed = |term: Term| {
            let op = if term.ratio.is_negative() { BinaryOperator::Subtract } else { BinaryOperator::Add };
            (op, term.into_expr(false, span))
        };
        Expr::chained(first, self.terms.into_iter().map(signed).collect())
    }
}

pub(crate) fn table_mark(table: &Table) -> Mark {
    let points: Vec<(u64, u64)> = table.points().iter().map(|(x, y)| (x.to_bits(), y.to_bits())).collect();
    let curve = format!("{:?} {:?}", table.interpolation(), table.extrapolation());
    mark((table.name(), curve, points))
}
