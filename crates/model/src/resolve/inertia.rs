//! Inertia: the forms it may be written in, and what a real body allows.

use super::Resolver;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::InertiaTable;
use poinsot_geometry::Mat3;

/// Relative slack of the checks on an inertia: numbers are typed with few digits.
const INERTIA_SLACK: f64 = 1e-6;

impl Resolver<'_> {
    /// The inertia as a symmetric matrix.
    pub(super) fn inertia(&mut self, table: &InertiaTable) -> Option<(Mat3, Span)> {
        match table {
            InertiaTable::Diagonal(triple) => {
                let diagonal = self.vector(triple)?;
                Some((Mat3::from_diagonal(&diagonal), triple.span.clone()))
            }
            InertiaTable::Components(c) => {
                let entries = [&c.xx, &c.yy, &c.zz, &c.xy, &c.xz, &c.yz];
                let values = entries.map(|number| self.number(number));
                let [xx, yy, zz, xy, xz, yz] = values;
                let (xx, yy, zz, xy, xz, yz) = (xx?, yy?, zz?, xy?, xz?, yz?);
                let matrix = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
                Some((matrix, c.span.clone()))
            }
            InertiaTable::Matrix(rows) => {
                let [a, b, c] = self.rows(rows)?;
                let matrix = Mat3::from_fn(|i, j| [a, b, c][i][j]);
                let skew = (matrix - matrix.transpose()).amax();
                if skew > INERTIA_SLACK * matrix.amax() {
                    self.diagnostics.push(
                        Diagnostic::error(format!(
                            "an inertia must be symmetric, but entries across the diagonal differ by {skew}"
                        ))
                        .at(rows.span.clone(), "not symmetric"),
                    );
                    return None;
                }
                Some(((matrix + matrix.transpose()) / 2.0, rows.span.clone()))
            }
        }
    }

    /// Principal moments a ≤ b ≤ c of a real body: 0 < a and c ≤ a + b.
    /// In a planar model only the moment about the normal matters.
    pub(super) fn check_inertia(&mut self, inertia: &Mat3, subject: &str, span: Span) -> Option<()> {
        if let Some(plane) = self.plane {
            let normal = plane.normal();
            let moment = normal.dot(&(inertia * normal));
            let subject = format!("{subject} about the normal of the plane");
            return self.demand(moment, moment > 0.0, span, &subject, "positive").map(|_| ());
        }
        let mut moments: [f64; 3] = inertia.symmetric_eigenvalues().into();
        moments.sort_by(f64::total_cmp);
        let [a, b, c] = moments;
        let shown = format!("principal moments {}, {}, {}", digits(a), digits(b), digits(c));
        if a.is_nan() || a <= 0.0 {
            self.diagnostics.push(
                Diagnostic::error(format!("{subject} is not positive definite: {shown}"))
                    .at(span, "every principal moment must be positive"),
            );
            return None;
        }
        let excess = c - (a + b);
        if excess > INERTIA_SLACK * c {
            self.diagnostics.push(
                Diagnostic::error(format!("{subject} belongs to no real body: {shown}"))
                    .at(span, format!("the largest exceeds the sum of the others by {}", digits(excess)))
                    .help("each principal moment must be at most the sum of the two others"),
            );
            return None;
        }
        Some(())
    }
}

/// A number with at most six significant digits.
fn digits(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    match rounded.abs() {
        size if size != 0.0 && !(1e-4..1e7).contains(&size) => format!("{rounded:e}"),
        _ => format!("{rounded}"),
    }
}
