//! Tables of aligned columns in a report.

use super::Report;
use super::line::SummaryLine;
use super::wrap::wrapped;

/// Room between columns.
const GAP: usize = 2;

/// Least width to which a column of words is narrowed.
const WORDS: usize = 12;

/// On which side the entries of a column line up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Side {
    /// The left.
    Left,
    /// The right.
    Right,
}

/// A table: its columns, and rows of which the first are the headings.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    sides: Vec<Side>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn new(headings: &[(&str, Side)], rows: &[Vec<String>]) -> Table {
        let names = headings.iter().map(|(name, _)| (*name).to_owned()).collect();
        let rows = std::iter::once(names).chain(rows.iter().cloned()).collect();
        Table { sides: headings.iter().map(|(_, side)| *side).collect(), rows }
    }

    /// Number of its lines where all fit, the headings among them.
    pub fn height(&self) -> usize {
        self.rows.len()
    }

    /// Its lines, as wide as they need to be: one for each row.
    pub fn lines(&self) -> Vec<String> {
        let columns: Vec<usize> = (0..self.sides.len()).collect();
        self.set(&columns, &self.widths())
    }

    /// Its lines in so many letters: columns of words are narrowed and their entries wrapped; what does not
    /// fit beside the first column even so follows below.
    pub fn lines_within(&self, width: usize) -> Vec<String> {
        let mut widths = self.widths();
        let all: Vec<usize> = (0..widths.len()).collect();
        while needed(&all, &widths) > width {
            let words = all.iter().copied().filter(|&c| self.sides[c] == Side::Left && widths[c] > WORDS);
            match words.max_by_key(|&c| widths[c]) {
                Some(widest) => widths[widest] -= 1,
                None => break,
            }
        }
        let blocks = blocks(&widths, width);
        blocks.iter().flat_map(|columns| self.set(columns, &widths)).collect()
    }

    fn widths(&self) -> Vec<usize> {
        let width = |c: usize| self.rows.iter().filter_map(|row| row.get(c)).map(|e| e.chars().count()).max();
        (0..self.sides.len()).map(|c| width(c).unwrap_or(0)).collect()
    }

    /// Some columns, set in given widths.
    fn set(&self, columns: &[usize], widths: &[usize]) -> Vec<String> {
        let mut lines = vec![];
        for row in &self.rows {
            let entry = |&c: &usize| row.get(c).map_or("", String::as_str);
            let cells: Vec<Vec<String>> = columns.iter().map(|c| wrapped(entry(c), widths[*c])).collect();
            for k in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
                let part = |(cell, &c): (&Vec<String>, &usize)| {
                    let (text, width) = (cell.get(k).map_or("", String::as_str), widths[c]);
                    match self.sides[c] {
                        Side::Left => format!("{text:<width$}"),
                        Side::Right => format!("{text:>width$}"),
                    }
                };
                let parts: Vec<String> = cells.iter().zip(columns).map(part).collect();
                lines.push(parts.join(&" ".repeat(GAP)).trim_end().to_owned());
            }
        }
        lines
    }
}

/// Width of some columns with the room between them.
fn needed(columns: &[usize], widths: &[usize]) -> usize {
    columns.iter().map(|&c| widths[c]).sum::<usize>() + GAP * columns.len().saturating_sub(1)
}

/// The columns that stand side by side in so many letters, block by block; each begins with the first.
fn blocks(widths: &[usize], width: usize) -> Vec<Vec<usize>> {
    let mut blocks: Vec<Vec<usize>> = vec![vec![]];
    for c in 0..widths.len() {
        let block = blocks.last_mut().expect("there is a block");
        block.push(c);
        if block.len() > 2 && needed(block, widths) > width {
            block.pop();
            blocks.push(vec![0, c]);
        }
    }
    blocks
}

impl Report {
    /// A table with a line of headings, indented like the text of a line. The page shows it under `label`;
    /// without one it belongs to the line before.
    pub fn table(&mut self, label: &str, headings: &[(&str, Side)], rows: &[Vec<String>]) {
        if !label.is_empty() || self.lines.is_empty() {
            self.lines.push(SummaryLine::new(label, true));
        }
        let table = Table::new(headings, rows);
        self.lines.iter_mut().last().into_iter().for_each(|line| line.tabulate(table.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[&[&str]], sides: &[Side]) -> Table {
        let rows = rows.iter().map(|row| row.iter().map(|e| (*e).to_owned()).collect()).collect();
        Table { sides: sides.to_vec(), rows }
    }

    #[test]
    fn words_are_wrapped_and_numbers_are_not() {
        let rows: &[&[&str]] = &[&["body", "x m"], &["front_left_upper_suspension_arm", "1.25"]];
        let t = table(rows, &[Side::Left, Side::Right]);
        assert_eq!(t.lines()[1], "front_left_upper_suspension_arm  1.25");
        assert_eq!(
            t.lines_within(24),
            ["body                 x m", "front_left_upper_   1.25", "suspension_arm"]
        );
        assert_eq!(t.lines_within(80), t.lines());
    }

    #[test]
    fn columns_that_do_not_fit_follow_below() {
        let rows: &[&[&str]] = &[&["n", "first", "second", "third"], &["1", "10.0", "20.0", "30.0"]];
        let t = table(rows, &[Side::Right; 4]);
        assert_eq!(t.lines_within(16), ["n  first  second", "1   10.0    20.0", "n  third", "1   30.0"]);
    }
}
