//! The signals of a run over time.

use super::canvas::PALETTE;
use super::panels::{Curve, Panel, stacked};
use super::{nothing, sheet_name};
use crate::error::ResultsError;
use crate::number::unit;
use crate::summary_text::some_of;
use crate::table::{Column, SignalTable};

/// Most curves in a panel.
const CURVES: usize = 6;

/// Most panels on a sheet.
const PANELS: usize = 5;

/// Most other sheets that a sheet names.
const SHEETS: usize = 5;

/// The plots of all signals, one document for each sheet. `file` is the name of the first: with several, each
/// says which of the signals it has and where the others are.
pub(crate) fn signal_svgs(table: &SignalTable, title: &str, file: &str) -> Result<Vec<String>, ResultsError> {
    if table.is_empty() {
        return Err(nothing(title, "sample"));
    }
    if table.columns().is_empty() {
        return Err(nothing(title, "signal"));
    }
    let panels: Vec<Panel<'_>> = grouped(table.columns()).iter().map(|group| panel(table, group)).collect();
    let number = panels.len().div_ceil(PANELS);
    // Sheets of nearly equal length, not a full one and a lone panel.
    let sheets = panels.chunks(panels.len().div_ceil(number));
    let number = sheets.len();
    sheets
        .enumerate()
        .map(|(i, sheet)| {
            let (heading, note) = match number {
                1 => (title.to_owned(), String::new()),
                _ => (format!("{title} ({} of {number})", i + 1), others(table, sheet, file, (i, number))),
            };
            stacked(&heading, &note, table.time(), table.marks(), sheet)
        })
        .collect()
}

/// How many signals a sheet has, and where the others are.
fn others(table: &SignalTable, sheet: &[Panel<'_>], file: &str, (i, number): (usize, usize)) -> String {
    let here: usize = sheet.iter().map(|panel| panel.curves.len()).sum();
    let elsewhere: Vec<String> = (0..number).filter(|&k| k != i).map(|k| sheet_name(file, k)).collect();
    format!("{here} of {} signals; the others: {}", table.columns().len(), some_of(&elsewhere, SHEETS))
}

fn panel<'a>(table: &'a SignalTable, positions: &[usize]) -> Panel<'a> {
    let columns = table.columns();
    let curves = positions
        .iter()
        .zip(PALETTE)
        .filter_map(|(&i, colour)| Some(Curve { name: &columns[i].name, values: table.samples(i)?, colour }));
    Panel { label: axis_label(&columns[positions[0]].unit), curves: curves.collect(), note: String::new() }
}

/// The unit in brackets, a dash for a pure number.
fn axis_label(plain: &str) -> String {
    match plain {
        "" | "1" | "-" => "[–]".into(),
        _ => format!("[{}]", unit(plain)),
    }
}

/// Positions of the columns that share a panel: those of one unit, in the
/// order in which units first appear, the signals of one element together
/// where they fit.
fn grouped(columns: &[Column]) -> Vec<Vec<usize>> {
    let mut panels: Vec<Vec<usize>> = Vec::new();
    for unit in distinct(columns.iter().map(|c| c.unit.as_str())) {
        let of_unit: Vec<usize> = (0..columns.len()).filter(|&i| columns[i].unit == unit).collect();
        panels.extend(packed(columns, &of_unit));
    }
    panels
}

/// Fills panels with whole elements; an element with more signals than a
/// panel takes is spread over several, evenly.
fn packed(columns: &[Column], positions: &[usize]) -> Vec<Vec<usize>> {
    let mut panels: Vec<Vec<usize>> = vec![Vec::new()];
    for element in distinct(positions.iter().map(|&i| element_of(&columns[i].name))) {
        let of_element: Vec<usize> =
            (positions.iter().copied()).filter(|&i| element_of(&columns[i].name) == element).collect();
        let parts = of_element.len().div_ceil(CURVES);
        for part in of_element.chunks(of_element.len().div_ceil(parts)) {
            match panels.last_mut() {
                Some(panel) if panel.len() + part.len() <= CURVES => panel.extend(part),
                _ => panels.push(part.to_vec()),
            }
        }
    }
    panels
}

/// The part of a name before its last dot: `crank.angle` is of `crank`.
fn element_of(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(element, _)| element)
}

/// The distinct texts in the order of their first appearance.
fn distinct<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = std::collections::HashSet::new();
    texts.filter(|text| seen.insert(*text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(names: &[(&str, &str)]) -> Vec<Column> {
        names.iter().map(|(n, u)| Column::new(*n, *u, "")).collect()
    }

    #[test]
    fn units_share_panels_and_elements_stay_together() {
        let c = columns(&[
            ("a.x", "m"),
            ("a.y", "m"),
            ("a.v", "m/s"),
            ("b.x", "m"),
            ("b.y", "m"),
            ("c.x", "m"),
            ("c.y", "m"),
            ("c.z", "m"),
        ]);
        assert_eq!(grouped(&c), [vec![0, 1, 3, 4], vec![5, 6, 7], vec![2]]);
    }

    #[test]
    fn large_elements_are_spread_evenly() {
        let names: Vec<String> = (0..8).map(|i| format!("q{i}")).collect();
        let c: Vec<Column> = names.iter().map(|n| Column::new(n, "rad", "")).collect();
        assert_eq!(grouped(&c), [vec![0, 1, 2, 3], vec![4, 5, 6, 7]]);
    }

    #[test]
    fn every_signal_is_on_a_sheet_and_sheets_name_each_other() {
        let names: Vec<(String, String)> =
            (0..40).map(|i| (format!("s{i}"), format!("u{}", i % 8))).collect();
        let list: Vec<Column> = names.iter().map(|(n, u)| Column::new(n, u, "")).collect();
        let mut table = SignalTable::new(list).unwrap();
        for t in [0.0, 1.0] {
            table.push(t, &[t; 40]).unwrap();
        }
        let sheets = signal_svgs(&table, "Many", "signals.svg").unwrap();
        assert_eq!(sheets.len(), 2);
        assert!(sheets[0].contains("20 of 40 signals; the others: signals-2.svg"), "{}", sheets[0]);
        assert!(sheets[1].contains("20 of 40 signals; the others: signals.svg"));
        for (name, _) in &names {
            let drawn = sheets.iter().filter(|sheet| sheet.contains(&format!("\n{name}\n"))).count();
            assert_eq!(drawn, 1, "{name}");
        }
        let few = SignalTable::new(vec![Column::new("x", "m", "")]).and_then(|mut table| {
            table.push(0.0, &[1.0])?;
            Ok(table)
        });
        let single = signal_svgs(&few.unwrap(), "Few", "signals.svg").unwrap();
        assert!(single.len() == 1 && !single[0].contains("the others"));
    }
}
