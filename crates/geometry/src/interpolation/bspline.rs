//! B-splines of any degree (motion-interpolation-galerkin §1.22, B.39–B.45, with degree-based indices).
//!
//! ```text
//! b_{k,p}(x) = (x − t_k)/(t_{k+p} − t_k) b_{k,p−1} + (t_{k+p+1} − x)/(t_{k+p+1} − t_{k+1}) b_{k+1,p−1}
//! b_{k,p}'   = p [ b_{k,p−1}/(t_{k+p} − t_k) − b_{k+1,p−1}/(t_{k+p+1} − t_{k+1}) ]
//! ```
//!
//! B-splines sum to one but are not nodal: they weigh control motions. [`NodalSpline`](super::NodalSpline)
//! makes the nodal functions of the same space.

use super::basis::{Basis, BasisError, ascending};

/// B-spline basis of one degree on one knot vector.
#[derive(Debug, Clone, PartialEq)]
pub struct BSpline {
    degree: usize,
    functions: usize,
    /// Clamped: `functions + degree + 1` knots. Periodic: the period and `degree` knots beyond either end.
    knots: Vec<f64>,
    /// Greville abscissae, modulo the period in a periodic basis.
    sites: Vec<f64>,
    periodic: bool,
}

impl BSpline {
    /// Basis on a given knot vector, clamped if its end knots have multiplicity `degree + 1`.
    pub fn with_knots(degree: usize, knots: Vec<f64>) -> Result<Self, BasisError> {
        let functions = knots.len().saturating_sub(degree + 1);
        if functions < degree + 1 {
            return Err(BasisError::KnotCount { knots: knots.len(), functions, degree });
        }
        ascending("knots", &knots, false)?;
        ascending("ends of the interval", &[knots[degree], knots[functions]], true)?;
        if let Some(k) = (0..functions).find(|&k| knots[k] >= knots[k + degree + 1]) {
            let (left, right) = (knots[k], knots[k + degree + 1]);
            return Err(BasisError::NotAscending { what: "knots", index: k + degree + 1, left, right });
        }
        let sites = (0..functions).map(|k| greville(degree, &knots, k)).collect();
        Ok(Self { degree, functions, knots, sites, periodic: false })
    }

    /// Clamped basis of `functions` splines with equidistant inner knots on the interval from `a` to `b`.
    pub fn clamped(degree: usize, functions: usize, a: f64, b: f64) -> Result<Self, BasisError> {
        if functions < degree + 1 {
            return Err(BasisError::TooFewNodes { found: functions, needed: degree + 1 });
        }
        let spans = functions - degree;
        let inner: Vec<f64> = (1..spans).map(|i| a + (b - a) * i as f64 / spans as f64).collect();
        Self::clamped_at(degree, &inner, a, b)
    }

    /// Clamped basis with the given inner knots.
    pub fn clamped_at(degree: usize, inner: &[f64], a: f64, b: f64) -> Result<Self, BasisError> {
        let mut knots = vec![a; degree + 1];
        knots.extend_from_slice(inner);
        knots.resize(knots.len() + degree + 1, b);
        Self::with_knots(degree, knots)
    }

    /// The not-a-knot space of data at `sites`: a clamped basis whose inner knots are the sites (odd degree)
    /// or the midpoints between them (even degree) without the outermost `⌈degree/2⌉` at either end.
    pub fn not_a_knot(degree: usize, sites: &[f64]) -> Result<Self, BasisError> {
        if sites.len() < degree + 1 {
            return Err(BasisError::TooFewNodes { found: sites.len(), needed: degree + 1 });
        }
        let last = sites.len() - 1;
        let skip = degree.div_ceil(2);
        let inner = if degree % 2 == 1 { sites[skip..=last - skip].to_vec() } else { midpoints(sites, skip) };
        Self::clamped_at(degree, &inner, sites[0], sites[last])
    }

    /// Periodic basis of `functions` splines on equidistant knots of the period that starts at `origin`.
    ///
    /// Spline `k` is centred at `origin + k T/functions`.
    pub fn periodic(degree: usize, functions: usize, origin: f64, period: f64) -> Result<Self, BasisError> {
        if functions < degree + 1 {
            return Err(BasisError::TooFewNodes { found: functions, needed: degree + 1 });
        }
        ascending("ends of the interval", &[origin, origin + period], true)?;
        let step = period / functions as f64;
        let centre = 0.5 * (degree + 1) as f64;
        let knots = (0..=functions + 2 * degree).map(|i| origin + (i as f64 - centre) * step).collect();
        let sites = (0..functions).map(|k| origin + k as f64 * step).collect();
        Ok(Self { degree, functions, knots, sites, periodic: true })
    }

    /// Polynomial degree.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Whether the functions are periodic.
    pub fn is_periodic(&self) -> bool {
        self.periodic
    }

    /// Knots; in a periodic basis with those beyond the period.
    pub fn knots(&self) -> &[f64] {
        &self.knots
    }

    /// Writes `b_k(x)` and `b_k'(x)`, of which `degree + 1` are not zero, and returns the index of the first
    /// of these; in a periodic basis the others follow it modulo the number of functions.
    pub fn evaluate_local(&self, x: f64, values: &mut [f64], slopes: &mut [f64]) -> usize {
        let (x, span) = self.locate(x);
        let (p, n, t) = (self.degree, self.functions, &self.knots);
        let slot = |k: usize| k % n;
        values.fill(0.0);
        slopes.fill(0.0);
        values[slot(span)] = 1.0;
        if p == 0 {
            return slot(span);
        }
        for q in 1..=p {
            if q == p {
                slopes.copy_from_slice(values);
            }
            raise_degree(t, q, span, x, slot, values);
        }
        differentiate(t, p, span, slot, slopes);
        slot(span - p)
    }

    /// `x` inside the basic interval and the index of its knot span `t_i ≤ x < t_{i+1}`.
    fn locate(&self, x: f64) -> (f64, usize) {
        let p = self.degree;
        let (first, end) = (self.knots[p], self.knots[p + self.spans()]);
        let x = if self.periodic { first + (x - first).rem_euclid(end - first) } else { x };
        let above = self.knots[..p + self.spans()].partition_point(|t| *t <= x);
        let span = above.saturating_sub(1).max(p);
        (x, span)
    }

    fn spans(&self) -> usize {
        if self.periodic { self.functions } else { self.functions - self.degree }
    }
}

impl Basis for BSpline {
    fn len(&self) -> usize {
        self.functions
    }

    /// The Greville abscissae.
    fn nodes(&self) -> &[f64] {
        &self.sites
    }

    fn interval(&self) -> (f64, f64) {
        if self.periodic {
            let step = self.knots[1] - self.knots[0];
            (self.sites[0], self.sites[0] + step * self.functions as f64)
        } else {
            (self.knots[self.degree], self.knots[self.functions])
        }
    }

    /// True only for the hat functions of degree 1 and below.
    fn is_nodal(&self) -> bool {
        self.degree <= 1
    }

    fn evaluate(&self, x: f64, values: &mut [f64], slopes: &mut [f64]) {
        self.evaluate_local(x, values, slopes);
    }
}

/// From degree `q − 1` to degree `q` in the span `i`, in place, first function first.
fn raise_degree(t: &[f64], q: usize, i: usize, x: f64, slot: impl Fn(usize) -> usize, b: &mut [f64]) {
    for k in i - q..=i {
        let rising = if k > i - q { (x - t[k]) / (t[k + q] - t[k]) * b[slot(k)] } else { 0.0 };
        let falling =
            if k < i { (t[k + q + 1] - x) / (t[k + q + 1] - t[k + 1]) * b[slot(k + 1)] } else { 0.0 };
        b[slot(k)] = rising + falling;
    }
}

/// From values of degree `p − 1` to slopes of degree `p`, in place.
fn differentiate(t: &[f64], p: usize, i: usize, slot: impl Fn(usize) -> usize, b: &mut [f64]) {
    for k in i - p..=i {
        let rising = if k > i - p { b[slot(k)] / (t[k + p] - t[k]) } else { 0.0 };
        let falling = if k < i { b[slot(k + 1)] / (t[k + p + 1] - t[k + 1]) } else { 0.0 };
        b[slot(k)] = p as f64 * (rising - falling);
    }
}

/// Mean of the inner knots of function `k`; the middle of its support for degree 0.
fn greville(degree: usize, knots: &[f64], k: usize) -> f64 {
    if degree == 0 {
        return 0.5 * (knots[k] + knots[k + 1]);
    }
    knots[k + 1..=k + degree].iter().sum::<f64>() / degree as f64
}

/// Inner knots for even degrees: midpoints of the sites, `skip` of them left out at either end.
fn midpoints(sites: &[f64], skip: usize) -> Vec<f64> {
    let middle: Vec<f64> = sites.windows(2).map(|s| 0.5 * (s[0] + s[1])).collect();
    middle.get(skip..middle.len().saturating_sub(skip)).unwrap_or_default().to_vec()
}
