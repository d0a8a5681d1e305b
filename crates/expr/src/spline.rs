//! The second derivatives of interpolating cubic splines at their points.
//!
//! Let hᵢ = xᵢ₊₁ - xᵢ, sᵢ = (yᵢ₊₁ - yᵢ)/hᵢ, and mᵢ the second derivative at xᵢ. The cubics of
//! neighbouring intervals, with common value and second derivative, have a common slope at xᵢ if
//!
//! ```text
//! hᵢ₋₁ mᵢ₋₁ + 2 (hᵢ₋₁ + hᵢ) mᵢ + hᵢ mᵢ₊₁ = 6 (sᵢ - sᵢ₋₁)                  (1)
//! ```
//!
//! This holds at the inner points; the ends need a condition each. All systems here are strictly
//! diagonally dominant: elimination needs no pivots.

/// One equation `before x₋ + diagonal x + after x₊ = right` of a tridiagonal system.
#[derive(Clone, Copy)]
struct Row {
    before: f64,
    diagonal: f64,
    after: f64,
    right: f64,
}

/// Lengths and slopes of the intervals.
struct Intervals {
    h: Vec<f64>,
    s: Vec<f64>,
}

impl Intervals {
    fn new(points: &[(f64, f64)]) -> Self {
        let h: Vec<f64> = points.windows(2).map(|p| p[1].0 - p[0].0).collect();
        let s = points.windows(2).zip(&h).map(|(p, h)| (p[1].1 - p[0].1) / h).collect();
        Self { h, s }
    }

    /// Equation (1) at the point between the intervals `i` and `j`.
    fn row(&self, i: usize, j: usize) -> Row {
        let (before, after) = (self.h[i], self.h[j]);
        Row { before, diagonal: 2.0 * (before + after), after, right: 6.0 * (self.s[j] - self.s[i]) }
    }
}

/// The second derivatives of the spline without a knot at the second and the last but one point: the
/// third derivative is continuous there. Of two points it is the line, of three the parabola.
pub(crate) fn not_a_knot(points: &[(f64, f64)]) -> Vec<f64> {
    let intervals = Intervals::new(points);
    let (h, s) = (&intervals.h, &intervals.s);
    let n = h.len();
    if n < 2 {
        return vec![0.0; points.len()];
    }
    if n == 2 {
        return vec![2.0 * (s[1] - s[0]) / (h[0] + h[1]); 3];
    }
    let mut rows: Vec<Row> = (1..n).map(|i| intervals.row(i - 1, i)).collect();
    // (m₁ - m₀)/h₀ = (m₂ - m₁)/h₁ takes m₀ out of the first equation, which divided by
    // (h₀ + h₁)/h₁ reads (h₀ + 2 h₁) m₁ + (h₁ - h₀) m₂ = 6 (s₁ - s₀) h₁/(h₀ + h₁).
    let first = &mut rows[0];
    first.diagonal = h[0] + 2.0 * h[1];
    first.after = h[1] - h[0];
    first.right *= h[1] / (h[0] + h[1]);
    // The same from the other end.
    let last = &mut rows[n - 2];
    last.diagonal = h[n - 1] + 2.0 * h[n - 2];
    last.before = h[n - 2] - h[n - 1];
    last.right *= h[n - 2] / (h[n - 2] + h[n - 1]);
    let inner = solve(&rows);
    let end = |near: f64, far: f64, ratio: f64| near + ratio * (near - far);
    let mut m = vec![end(inner[0], inner[1], h[0] / h[1])];
    m.extend_from_slice(&inner);
    m.push(end(inner[n - 2], inner[n - 3], h[n - 1] / h[n - 2]));
    m
}

/// The second derivatives of the spline whose value, slope and second derivative at the last point
/// are those at the first: (1) holds at every point, the ends being one. The ordinates agree there.
pub(crate) fn periodic(points: &[(f64, f64)]) -> Vec<f64> {
    let intervals = Intervals::new(points);
    let n = intervals.h.len();
    if n < 2 {
        return vec![0.0; points.len()];
    }
    // m₁ … mₙ₋₁ = u + m₀ v solve the inner equations for any m₀, which follows from the one at the ends.
    let mut rows: Vec<Row> = (1..n).map(|i| intervals.row(i - 1, i)).collect();
    let u = solve(&rows);
    let ends = intervals.row(n - 1, 0);
    rows.iter_mut().for_each(|row| row.right = 0.0);
    rows[0].right -= ends.after;
    rows[n - 2].right -= ends.before;
    let v = solve(&rows);
    let through = |w: &[f64]| ends.before * w[n - 2] + ends.after * w[0];
    let m0 = (ends.right - through(&u)) / (ends.diagonal + through(&v));
    let inner = u.iter().zip(&v).map(|(u, v)| u + m0 * v);
    [m0].into_iter().chain(inner).chain([m0]).collect()
}

/// Solves a tridiagonal system; `before` of the first row and `after` of the last do not count.
fn solve(rows: &[Row]) -> Vec<f64> {
    let mut reduced: Vec<Row> = Vec::with_capacity(rows.len());
    for row in rows {
        let mut row = *row;
        if let Some(above) = reduced.last() {
            let factor = row.before / above.diagonal;
            row.diagonal -= factor * above.after;
            row.right -= factor * above.right;
        }
        reduced.push(row);
    }
    let mut x = vec![0.0; rows.len()];
    let mut below = 0.0;
    for (i, row) in reduced.iter().enumerate().rev() {
        let after = if i + 1 < rows.len() { row.after * below } else { 0.0 };
        below = (row.right - after) / row.diagonal;
        x[i] = below;
    }
    x
}
