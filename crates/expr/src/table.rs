//! Functions of one variable given by points.

use crate::builtin::{constant, modulo};
use crate::expr::is_name;
use crate::spline;
use std::sync::atomic::{AtomicU32, Ordering};

/// The largest difference of the ordinates at the ends of a period, relative to their range.
const CLOSURE: f64 = 1e-9;

/// The curve between the points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpolation {
    /// The cubic spline with continuous second derivative. Without a period its ends are not-a-knot:
    /// the two intervals at each end share one cubic, so that cubics are reproduced; two points give
    /// the line, three the parabola. With a period it closes with continuous second derivative.
    Spline,
    /// Straight lines.
    Linear,
}

/// The curve outside the points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extrapolation {
    /// The value of the nearest end.
    Hold,
    /// The line with the slope of the nearest end.
    Linear,
    /// The curve repeats; the ordinates of the first and last point agree.
    Periodic,
}

/// Why points do not make a table. An `index` counts the points from 0, the message from 1.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TableError {
    /// The name cannot be that of a table (see [`is_table_name`]).
    #[error(
        "`{name}` cannot name a table: it must be a name, and not one of a function, constant or keyword"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// Fewer than two points.
    #[error("a table needs at least 2 points, but has {count}")]
    TooFewPoints {
        /// The number of points.
        count: usize,
    },
    /// A coordinate of a point is infinite or NaN.
    #[error("point {} is ({x}, {y}), which is not finite", index + 1)]
    NotFinite {
        /// The point.
        index: usize,
        /// Its abscissa.
        x: f64,
        /// Its ordinate.
        y: f64,
    },
    /// A point does not lie to the right of the point before it.
    #[error("the abscissae must increase, but point {index} has {before} and point {} has {x}", index + 1)]
    NotIncreasing {
        /// The point.
        index: usize,
        /// The abscissa of the point before.
        before: f64,
        /// Its abscissa.
        x: f64,
    },
    /// The ordinates at the ends of a period differ.
    #[error("the ordinates at the ends of a period must agree, but point 1 has {first} and point {} has {last}",
        index + 1)]
    EndsDiffer {
        /// The last point.
        index: usize,
        /// The first ordinate.
        first: f64,
        /// The last ordinate.
        last: f64,
    },
    /// The curve before a point is so steep or curved that no number holds its derivatives.
    #[error("overflow: the curve from point {index} ({}, {}) to point {} ({}, {}) is too steep",
        before.0, before.1, index + 1, point.0, point.1)]
    Overflow {
        /// The point.
        index: usize,
        /// The point before.
        before: (f64, f64),
        /// The point itself.
        point: (f64, f64),
    },
}

/// A function of one variable through given points.
///
/// At a point where a derivative jumps it has the value of the right side, at the last point that of
/// the left.
///
/// ```
/// use poinsot_expr::{Expr, Extrapolation, Interpolation, Table};
/// use std::sync::Arc;
/// let points = [(0.0, 0.0), (1.0, 2.0), (3.0, 4.0)];
/// let lift = Table::new("lift", &points, Interpolation::Linear, Extrapolation::Hold)?;
/// let expr = Expr::parse_with("2*lift(t/2) + 1", &[Arc::new(lift)])?;
/// let at = |name: &str| (name == "t").then_some(4.0);
/// assert_eq!(expr.eval(&at)?, 7.0);
/// assert_eq!(expr.derivative("t").to_string(), "2*(lift'(t/2)*0.5)");
/// assert_eq!(expr.derivative("t").eval(&at)?, 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Table {
    name: String,
    points: Box<[(f64, f64)]>,
    /// The second derivatives at the points.
    moments: Box<[f64]>,
    interpolation: Interpolation,
    extrapolation: Extrapolation,
    degree: u32,
    last: Last,
}

/// The interval in which the last argument was; threads may overwrite each other's, which costs a search at
/// most.
#[derive(Debug, Default)]
struct Last(AtomicU32);

impl Clone for Last {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Tables are equal if they have the same name, points and curve.
impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        let parts = |t: &Self| (t.interpolation, t.extrapolation);
        std::ptr::eq(self, other)
            || (self.name == other.name && parts(self) == parts(other) && self.points == other.points)
    }
}

impl Table {
    /// The table through `points`, whose abscissae increase strictly.
    ///
    /// With [`Extrapolation::Periodic`] the last ordinate is set to the first, from which it may
    /// differ by 1e-9 of the range of the ordinates.
    pub fn new(
        name: &str,
        points: &[(f64, f64)],
        interpolation: Interpolation,
        extrapolation: Extrapolation,
    ) -> Result<Self, TableError> {
        if !is_table_name(name) {
            return Err(TableError::Name { name: name.to_string() });
        }
        check_points(points)?;
        let mut points: Box<[(f64, f64)]> = points.into();
        if extrapolation == Extrapolation::Periodic {
            close(&mut points)?;
        }
        let moments = match (interpolation, extrapolation) {
            (Interpolation::Linear, _) => vec![0.0; points.len()],
            (Interpolation::Spline, Extrapolation::Periodic) => spline::periodic(&points),
            (Interpolation::Spline, _) => spline::not_a_knot(&points),
        };
        check_curve(&points, &moments)?;
        let degree = degree(&points, &moments);
        let name = name.to_string();
        let last = Last::default();
        Ok(Self { name, points, moments: moments.into(), interpolation, extrapolation, degree, last })
    }

    /// The name by which expressions call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The points, abscissa before ordinate.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// The second derivatives at the points.
    pub(crate) fn moments(&self) -> &[f64] {
        &self.moments
    }

    /// The curve between the points.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// The curve outside the points.
    pub fn extrapolation(&self) -> Extrapolation {
        self.extrapolation
    }

    /// The highest degree of the polynomials that the table is made of: all derivatives of higher
    /// order are 0 everywhere.
    pub fn degree(&self) -> u32 {
        self.degree
    }

    /// The value at `x` (order 0) or the derivative of the given order. Does not allocate.
    pub fn value(&self, x: f64, order: u32) -> f64 {
        if x.is_nan() {
            return x;
        }
        let (first, last) = (self.points[0], self.points[self.points.len() - 1]);
        if self.extrapolation == Extrapolation::Periodic {
            let inside = first.0 <= x && x < last.0;
            let phase = || first.0 + modulo(x - first.0, last.0 - first.0);
            return self.between(if inside { x } else { phase() }, order);
        }
        if x < first.0 {
            self.beyond(first, x, order)
        } else if x > last.0 {
            self.beyond(last, x, order)
        } else {
            self.between(x, order)
        }
    }

    /// Bounds of the values, or of the derivatives of the given order, while the argument goes from `low` to
    /// `high`; none if nothing is known. Between two points a cubic is nowhere farther than h²/8 max |m| from
    /// the straight line, and its slope nowhere farther than h/2 max |m| from that of the line.
    pub(crate) fn over(&self, low: f64, high: f64, order: u32) -> Option<(f64, f64)> {
        if !(low.is_finite() && high.is_finite()) || order > 2 {
            return None;
        }
        let all = 0..self.points.len() - 1;
        let touched = match self.extrapolation {
            Extrapolation::Periodic => all,
            _ => self.interval(low)..self.interval(high) + 1,
        };
        let ends = [self.value(low, order), self.value(high, order)];
        let mut bounds = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        for i in touched {
            let ((x0, y0), (x1, y1)) = (self.points[i], self.points[i + 1]);
            let (m0, m1) = (self.moments[i], self.moments[i + 1]);
            let (h, bend) = (x1 - x0, m0.abs().max(m1.abs()));
            let inside = |x: f64| (low..=high).contains(&x) || self.extrapolation == Extrapolation::Periodic;
            let is_line = bend == 0.0;
            let (a, b, room) = match order {
                // Of a line only the points inside matter, the ends are known.
                0 if is_line => {
                    let value = |x: f64, y: f64| if inside(x) { y } else { ends[0] };
                    (value(x0, y0), value(x1, y1), 0.0)
                }
                0 => (y0, y1, bend * h * h / 8.0),
                1 => ((y1 - y0) / h, (y1 - y0) / h, bend * h / 2.0),
                _ => (m0, m1, 0.0),
            };
            bounds = (bounds.0.min(a.min(b) - room), bounds.1.max(a.max(b) + room));
        }
        Some(bounds)
    }

    /// y + s (x - x₀) outside the end (x₀, y), where s is the slope of the end, or 0 if it is held.
    fn beyond(&self, (end, y): (f64, f64), x: f64, order: u32) -> f64 {
        let slope = match self.extrapolation {
            Extrapolation::Linear => self.between(end, 1),
            _ => 0.0,
        };
        match order {
            // A level line is level to infinity.
            0 if slope == 0.0 => y,
            0 => y + slope * (x - end),
            1 => slope,
            _ => 0.0,
        }
    }

    /// The interval that contains x, or the one nearest to it: that of the last time as a rule.
    fn interval(&self, x: f64) -> usize {
        let last = self.last.0.load(Ordering::Relaxed) as usize;
        if self.points[last].0 <= x && x < self.points[last + 1].0 {
            return last;
        }
        let after = self.points.partition_point(|point| point.0 <= x);
        let found = after.clamp(1, self.points.len() - 1) - 1;
        self.last.0.store(found as u32, Ordering::Relaxed);
        found
    }

    /// On the interval (x₀, x₁) of length h, with b = (x - x₀)/h and a = 1 - b, the cubic with the
    /// values y₀, y₁ and the second derivatives m₀, m₁ at the ends is
    ///
    /// ```text
    /// y    = a y₀ + b y₁ - a b ((1 + a) m₀ + (1 + b) m₁) h²/6
    /// y'   = (y₁ - y₀)/h + ((3 b² - 1) m₁ - (3 a² - 1) m₀) h/6
    /// y''  = a m₀ + b m₁
    /// y''' = (m₁ - m₀)/h
    /// ```
    ///
    /// in which y and y'' are exact at both ends.
    fn between(&self, x: f64, order: u32) -> f64 {
        let i = self.interval(x);
        let ((x0, y0), (x1, y1)) = (self.points[i], self.points[i + 1]);
        let (m0, m1) = (self.moments[i], self.moments[i + 1]);
        let h = x1 - x0;
        let b = (x - x0) / h;
        let a = 1.0 - b;
        match order {
            0 => a * y0 + b * y1 - a * b * ((1.0 + a) * m0 + (1.0 + b) * m1) * (h * h / 6.0),
            1 => (y1 - y0) / h + ((3.0 * b * b - 1.0) * m1 - (3.0 * a * a - 1.0) * m0) * (h / 6.0),
            2 => a * m0 + b * m1,
            3 => (m1 - m0) / h,
            _ => 0.0,
        }
    }
}

/// Whether the text can name a table: a name (see [`is_name`]), but not that of a constant.
///
/// ```
/// use poinsot_expr::is_table_name;
/// assert!(is_table_name("cam_lift"));
/// assert!(!is_table_name("sin") && !is_table_name("if") && !is_table_name("pi") && !is_table_name("2x"));
/// ```
pub fn is_table_name(text: &str) -> bool {
    is_name(text) && constant(text).is_none()
}

/// At least two finite points with increasing abscissae.
fn check_points(points: &[(f64, f64)]) -> Result<(), TableError> {
    if points.len() < 2 {
        return Err(TableError::TooFewPoints { count: points.len() });
    }
    for (index, &(x, y)) in points.iter().enumerate() {
        if !x.is_finite() || !y.is_finite() {
            return Err(TableError::NotFinite { index, x, y });
        }
        let before = if index == 0 { f64::NEG_INFINITY } else { points[index - 1].0 };
        if x <= before {
            return Err(TableError::NotIncreasing { index, before, x });
        }
    }
    Ok(())
}

/// Makes the ends of a period, which must agree within the tolerance, equal.
fn close(points: &mut [(f64, f64)]) -> Result<(), TableError> {
    let index = points.len() - 1;
    let (first, last) = (points[0].1, points[index].1);
    let ordinates = || points.iter().map(|point| point.1);
    let (low, high) = (ordinates().fold(first, f64::min), ordinates().fold(first, f64::max));
    // Scaled before the difference, which may overflow.
    if (last - first).abs() > CLOSURE * high - CLOSURE * low {
        return Err(TableError::EndsDiffer { index, first, last });
    }
    points[index].1 = first;
    Ok(())
}

/// The products that the evaluation forms are finite.
fn check_curve(points: &[(f64, f64)], moments: &[f64]) -> Result<(), TableError> {
    let overflow =
        |i: usize| Err(TableError::Overflow { index: i + 1, before: points[i], point: points[i + 1] });
    let length = |i: usize| points[i + 1].0 - points[i].0;
    let slope = |i: usize| (points[i + 1].1 - points[i].1) / length(i);
    let intervals = 0..points.len() - 1;
    let steep = |&i: &usize| !slope(i).is_finite() || !(length(i) * length(i)).is_finite();
    if let Some(i) = intervals.clone().find(steep) {
        return overflow(i);
    }
    let bounded = |m: f64, h: f64| m.is_finite() && (m * h * h).is_finite();
    if intervals.clone().all(|i| moments[i..=i + 1].iter().all(|&m| bounded(m, length(i)))) {
        return Ok(());
    }
    // The moments depend on all points, but the steepest interval is to blame.
    let steepest = intervals.max_by(|&i, &j| slope(i).abs().total_cmp(&slope(j).abs()));
    overflow(steepest.unwrap_or(0))
}

fn degree(points: &[(f64, f64)], moments: &[f64]) -> u32 {
    if moments.windows(2).any(|m| m[0] != m[1]) {
        3
    } else if moments[0] != 0.0 {
        2
    } else {
        u32::from(points.windows(2).any(|p| p[0].1 != p[1].1))
    }
}
