//! Times at which an expression of time has kinks and jumps.
//!
//! Where a function of the variable meets a level at which something switches, there is a break: the two
//! sides of a comparison are equal, the argument of `abs` is zero, that of a table is one of its points.
//! Straight lines meet levels at places that can be written down; those of curves are enclosed by
//! [`Interval`]s. Functions of other variables switch when these do, which nobody knows beforehand.

use crate::builtin::constant;
use crate::expr::{Expr, Node};
use crate::interval::Interval;
use crate::operator::{BinaryOperator, Binding, UnaryOperator};
use crate::shared::Parts;
use crate::table::{Extrapolation, Interpolation, Table};

/// Most breaks that one function may add.
const MOST: usize = 1_000_000;

/// Breaks as near as this, relative to their size, are one; at the ends of the interval they count.
const SAME: f64 = 8.0 * f64::EPSILON;

impl Expr {
    /// The values of `variable` between `from` and `to` at which the expression has a kink or a jump, in
    /// their order: where a comparison, a step, an absolute value, a remainder or a table of straight lines
    /// changes over, as far as its argument depends on the variable alone. Of a spline the ends count.
    ///
    /// ```
    /// use poinsot_expr::Expr;
    /// let pulse = Expr::parse("if(mod(t, 2) < 0.5, U, 0)*x")?;
    /// let constants = |name: &str| (name == "U").then_some(5.0);
    /// assert_eq!(pulse.breaks("t", &constants, 0.0, 5.0), [0.0, 0.5, 2.0, 2.5, 4.0, 4.5]);
    /// # Ok::<(), poinsot_expr::ParseError>(())
    /// ```
    pub fn breaks(
        &self,
        variable: &str,
        constants: &dyn Fn(&str) -> Option<f64>,
        from: f64,
        to: f64,
    ) -> Vec<f64> {
        let mut search = Search { variable, constants, from, to, parts: Parts::default() };
        for part in self.parts() {
            let x = part.expr();
            let known =
                Known { line: search.line(x), is_of_lines: search.is_of_lines(x), breaks: search.breaks(x) };
            search.parts.insert(part, known);
        }
        search.breaks(self)
    }

    /// Whether nothing but the variable changes in the expression, so that its breaks are all known.
    pub(crate) fn depends_on_nothing_but(
        &self,
        variable: &str,
        constants: &dyn Fn(&str) -> Option<f64>,
    ) -> bool {
        let mut known = true;
        let is_constant = |name: &str| constants(name).or_else(|| constant(name)).is_some();
        self.visit_names(&mut |name, _| known = known && (name == variable || is_constant(name)));
        known
    }
}

struct Search<'a> {
    variable: &'a str,
    constants: &'a dyn Fn(&str) -> Option<f64>,
    from: f64,
    to: f64,
    /// Shared parts of what is searched.
    parts: Parts<Known>,
}

/// What is known of a shared part.
struct Known {
    line: Option<(f64, f64)>,
    is_of_lines: bool,
    breaks: Vec<f64>,
}

/// Values at which a function switches when its argument meets them.
enum Levels<'a> {
    One(f64),
    /// offset + k period with all whole k.
    Every {
        offset: f64,
        period: f64,
    },
    Points(&'a Table),
}

impl Search<'_> {
    fn breaks(&self, expr: &Expr) -> Vec<f64> {
        if let Node::Shared(part) = &expr.node
            && let Some(known) = self.parts.get(part)
        {
            return known.breaks.clone();
        }
        let mut found = Vec::new();
        expr.visit_children(&mut |child| found.extend(self.breaks(child)));
        self.own(expr, &mut found);
        let outside = SAME * self.from.abs().max(self.to.abs());
        found.retain(|t| *t >= self.from - outside && *t <= self.to + outside);
        found.sort_by(f64::total_cmp);
        found.dedup_by(|a, b| (*a - *b).abs() <= SAME * a.abs().max(b.abs()));
        found
    }

    /// The breaks that the node adds to those of its children.
    fn own(&self, expr: &Expr, found: &mut Vec<f64>) {
        let mut equal = |a: &Expr, b: &Expr| self.meet(&difference(a, b), &Levels::One(0.0), found);
        match &expr.node {
            Node::Binary(op, a, b) if op.binding() == Binding::Comparison => equal(a, b),
            Node::Table(table, _, x) => self.meet(x, &Levels::Points(table), found),
            Node::Call(function, arguments) => match (function.name, arguments.as_slice()) {
                ("abs" | "sign" | "step" | "ramp", [x]) => self.meet(x, &Levels::One(0.0), found),
                ("smoothstep" | "smootherstep", [x]) => {
                    self.meet(x, &Levels::One(0.0), found);
                    self.meet(x, &Levels::One(1.0), found);
                }
                ("floor" | "ceil", [x]) => self.meet(x, &Levels::Every { offset: 0.0, period: 1.0 }, found),
                ("round", [x]) => self.meet(x, &Levels::Every { offset: 0.5, period: 1.0 }, found),
                ("mod", [x, y]) => {
                    if let Some((0.0, period)) = self.line(y) {
                        self.meet(x, &Levels::Every { offset: 0.0, period: period.abs() }, found);
                    }
                }
                ("clamp", [x, low, high]) => {
                    equal(x, low);
                    equal(x, high);
                }
                ("min" | "max", list) => {
                    for (k, a) in list.iter().enumerate() {
                        list[..k].iter().for_each(|b| equal(a, b));
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// Adds the values of the variable at which `x` meets one of the levels.
    fn meet(&self, x: &Expr, levels: &Levels, found: &mut Vec<f64>) {
        if let Some(line) = self.line(x) {
            return self.cross(line, (self.from, self.to), levels, found);
        }
        if !self.knows_all_of(x) {
            return;
        }
        let mut ends = self.breaks(x);
        ends.insert(0, self.from);
        ends.push(self.to);
        if !self.is_of_lines(x) {
            return self.cross_curve(x, &ends, levels, found);
        }
        for piece in ends.windows(2) {
            let (p, q) = (piece[0], piece[1]);
            let (t1, t2) = (p + 0.25 * (q - p), p + 0.75 * (q - p));
            let (Some(x1), Some(x2)) = (self.value(x, t1), self.value(x, t2)) else { continue };
            let slope = (x2 - x1) / (t2 - t1);
            self.cross((slope, x1 - slope * t1), (p, q), levels, found);
        }
    }

    /// Where the line slope·t + offset meets the levels between p and q.
    fn cross(&self, (slope, offset): (f64, f64), (p, q): (f64, f64), levels: &Levels, found: &mut Vec<f64>) {
        if slope == 0.0 || !(slope.is_finite() && offset.is_finite()) {
            return;
        }
        let (x, y) = (slope * p + offset, slope * q + offset);
        for level in levels.between(x.min(y), x.max(y)) {
            found.push((level - offset) / slope);
        }
    }

    /// Where a curve that is smooth between `ends` meets the levels.
    fn cross_curve(&self, x: &Expr, ends: &[f64], levels: &Levels, found: &mut Vec<f64>) {
        let number = |name: &str| self.constant(name).filter(|_| name != self.variable).map(Expr::number);
        let value = x.replace_names(&number).simplify();
        let slope = value.derivative(self.variable);
        let mut curve = Curve { value, slope, looks: MOST };
        for piece in ends.windows(2) {
            // Inside of the breaks of the curve itself.
            let inside = SAME * piece[0].abs().max(piece[1].abs());
            let p = if piece[0] == self.from { self.from } else { piece[0] + inside };
            let q = if piece[1] == self.to { self.to } else { piece[1] - inside };
            curve.cross(p, q, levels, found);
        }
    }

    /// Whether the variable is the only thing in an expression that changes.
    fn knows_all_of(&self, expr: &Expr) -> bool {
        expr.depends_on_nothing_but(self.variable, self.constants)
    }

    /// (slope, offset) of an expression that is a straight line in the variable.
    fn line(&self, expr: &Expr) -> Option<(f64, f64)> {
        match &expr.node {
            Node::Number(value) => Some((0.0, *value)),
            Node::Name(name) if name == self.variable => Some((1.0, 0.0)),
            Node::Name(name) => self.constant(name).map(|value| (0.0, value)),
            Node::Unary(UnaryOperator::Negate, x) => self.line(x).map(|(a, b)| (-a, -b)),
            Node::Binary(op, x, y) => {
                let ((a, b), (c, d)) = (self.line(x)?, self.line(y)?);
                match op {
                    BinaryOperator::Add => Some((a + c, b + d)),
                    BinaryOperator::Subtract => Some((a - c, b - d)),
                    BinaryOperator::Multiply if a == 0.0 => Some((b * c, b * d)),
                    BinaryOperator::Multiply if c == 0.0 => Some((a * d, b * d)),
                    BinaryOperator::Divide if c == 0.0 => Some((a / d, b / d)),
                    _ if a == 0.0 && c == 0.0 => Some((0.0, op.apply(b, d))),
                    _ => None,
                }
            }
            Node::Shared(part) if self.parts.get(part).is_some() => {
                self.parts.get(part).and_then(|known| known.line)
            }
            _ if expr.contains(self.variable) => None,
            _ => self.value(expr, self.from).map(|value| (0.0, value)),
        }
    }

    /// Whether an expression is made of straight lines in the variable.
    fn is_of_lines(&self, expr: &Expr) -> bool {
        if self.line(expr).is_some() {
            return true;
        }
        let fixed = |x: &Expr| matches!(self.line(x), Some((0.0, _)));
        match &expr.node {
            Node::Number(_) | Node::Name(_) => false,
            Node::Unary(_, x) => self.is_of_lines(x),
            Node::Binary(op, a, b) => {
                let product = match op {
                    BinaryOperator::Multiply => fixed(a) || fixed(b),
                    BinaryOperator::Divide => fixed(b),
                    BinaryOperator::Power => false,
                    _ => true,
                };
                product && self.is_of_lines(a) && self.is_of_lines(b)
            }
            Node::If(parts) => parts.iter().all(|part| self.is_of_lines(part)),
            Node::Shared(part) => match self.parts.get(part) {
                Some(known) => known.is_of_lines,
                None => self.is_of_lines(part.expr()),
            },
            Node::Table(table, _, x) => table.interpolation() == Interpolation::Linear && self.is_of_lines(x),
            Node::Call(function, arguments) => {
                let lines = ["abs", "sign", "step", "ramp", "floor", "ceil", "round", "clamp", "min", "max"];
                let known = match function.name {
                    "mod" => arguments.get(1).is_some_and(fixed),
                    name => lines.contains(&name),
                };
                known && arguments.iter().all(|argument| self.is_of_lines(argument))
            }
        }
    }

    fn constant(&self, name: &str) -> Option<f64> {
        (self.constants)(name).or_else(|| constant(name))
    }

    fn value(&self, expr: &Expr, t: f64) -> Option<f64> {
        expr.eval(&|name| if name == self.variable { Some(t) } else { self.constant(name) }).ok()
    }
}

/// A smooth function of the variable that is no straight line.
struct Curve {
    value: Expr,
    slope: Expr,
    /// How often it may still be looked at.
    looks: usize,
}

impl Curve {
    /// Where the curve meets the levels between p and q: what cannot meet one is left out, where it only
    /// rises or only falls the places are found one by one, otherwise the halves are looked at.
    fn cross(&mut self, p: f64, q: f64, levels: &Levels, found: &mut Vec<f64>) {
        let shortest = SAME * p.abs().max(q.abs());
        let mut open = vec![(p, q)];
        while let Some((p, q)) = open.pop() {
            let Some(looks) = self.looks.checked_sub(1) else { return };
            self.looks = looks;
            let span = Interval::new(p, q);
            let all = self.value.over(span);
            if p >= q || (all.width().is_finite() && !levels.meet(all)) {
                continue;
            }
            if self.slope.over(span).has_one_sign() && all.width().is_finite() {
                let (x, y) = (self.at(p), self.at(q));
                let meets = levels.between(x.min(y), x.max(y));
                found.extend(meets.into_iter().map(|level| self.place_of(level, (p, x), (q, y))));
            } else if q - p <= shortest {
                found.push(p + 0.5 * (q - p));
            } else {
                let middle = p + 0.5 * (q - p);
                open.extend([(middle, q), (p, middle)]);
            }
        }
    }

    fn at(&self, t: f64) -> f64 {
        self.value.over(Interval::point(t)).low
    }

    /// Where a curve between (p, x) and (q, y) that only rises or only falls meets a level: false position,
    /// and bisection every third time.
    fn place_of(&self, level: f64, (mut p, x): (f64, f64), (mut q, y): (f64, f64)) -> f64 {
        let (mut x, mut y) = (x - level, y - level);
        for k in 0..200 {
            if x == 0.0 || y == 0.0 || q - p <= f64::EPSILON * p.abs().max(q.abs()) {
                break;
            }
            let part = if k % 3 == 2 { 0.5 } else { x / (x - y) };
            let t = (p + part * (q - p)).clamp(p, q);
            if t == p || t == q {
                // The rest is as small as rounding.
                let middle = p + 0.5 * (q - p);
                if k % 3 == 2 || middle == p || middle == q {
                    break;
                }
                continue;
            }
            let z = self.at(t) - level;
            if z == 0.0 {
                return t;
            }
            if (z > 0.0) == (x > 0.0) { (p, x) = (t, z) } else { (q, y) = (t, z) }
        }
        if x.abs() <= y.abs() { p } else { q }
    }
}

impl Levels<'_> {
    /// Whether one of the levels is among the values.
    fn meet(&self, values: Interval) -> bool {
        let every = |offset: f64, period: f64| {
            ((values.high - offset) / period).floor() >= ((values.low - offset) / period).ceil()
        };
        match self {
            Levels::One(level) => values.contains(*level),
            Levels::Every { offset, period } => every(*offset, *period),
            Levels::Points(table) => match (table.extrapolation(), table.points()) {
                (Extrapolation::Periodic, points) => {
                    let period = points[points.len() - 1].0 - points[0].0;
                    points.iter().any(|p| every(p.0, period))
                }
                (_, points) => points.iter().any(|p| values.contains(p.0)),
            },
        }
    }

    /// The levels from `low` to `high`; none if they are too many.
    fn between(&self, low: f64, high: f64) -> Vec<f64> {
        let every = |offset: f64, period: f64| -> Vec<f64> {
            let (first, last) = (((low - offset) / period).ceil(), ((high - offset) / period).floor());
            let count = last - first + 1.0;
            if !(1.0..=MOST as f64).contains(&count) {
                return vec![];
            }
            (0..count as usize).map(|k| offset + (first + k as f64) * period).collect()
        };
        match self {
            Levels::One(level) if (low..=high).contains(level) => vec![*level],
            Levels::One(_) => vec![],
            Levels::Every { offset, period } => every(*offset, *period),
            Levels::Points(table) => {
                let points = table.points();
                let (first, last) = (points[0].0, points[points.len() - 1].0);
                let kinks = match (table.interpolation(), table.extrapolation()) {
                    (Interpolation::Linear, _) => points.iter().map(|p| p.0).collect(),
                    (Interpolation::Spline, Extrapolation::Periodic) => vec![],
                    (Interpolation::Spline, _) => vec![first, last],
                };
                match table.extrapolation() {
                    Extrapolation::Periodic => {
                        kinks.iter().skip(1).flat_map(|x| every(*x, last - first)).collect()
                    }
                    _ => kinks,
                }
            }
        }
    }
}

/// a − b.
fn difference(a: &Expr, b: &Expr) -> Expr {
    let node = Node::Binary(BinaryOperator::Subtract, Box::new(a.clone()), Box::new(b.clone()));
    Expr::new(node, a.span())
}
