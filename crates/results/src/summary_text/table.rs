//! Tables of aligned columns in a report.

use super::Report;
use super::line::SummaryLine;

/// Room between columns.
const GAP: &str = "  ";

/// On which side the entries of a column line up.
#[derive(Clone, Copy)]
pub enum Side {
    /// The left.
    Left,
    /// The right.
    Right,
}

impl Report {
    /// A table with a line of headings, indented like the text of a line. The page shows it under `label`;
    /// without one it belongs to the line before.
    pub fn table(&mut self, label: &str, headings: &[(&str, Side)], rows: &[Vec<String>]) {
        let width = |i: usize, heading: &str| {
            let entries = rows.iter().filter_map(|row| row.get(i)).map(|e| e.chars().count());
            entries.fold(heading.chars().count(), usize::max)
        };
        let widths: Vec<usize> = headings.iter().enumerate().map(|(i, (h, _))| width(i, h)).collect();
        let aligned = |entries: &[&str]| {
            let cells = entries.iter().zip(headings).zip(&widths);
            let set = cells.map(|((entry, (_, side)), width)| match side {
                Side::Left => format!("{entry:<width$}"),
                Side::Right => format!("{entry:>width$}"),
            });
            set.collect::<Vec<_>>().join(GAP)
        };
        if !label.is_empty() {
            self.lines.push(SummaryLine::new(label, true));
        }
        let names: Vec<&str> = headings.iter().map(|(name, _)| *name).collect();
        self.more(&aligned(&names));
        for row in rows {
            let entries: Vec<&str> = row.iter().map(String::as_str).collect();
            self.more(&aligned(&entries));
        }
    }
}
