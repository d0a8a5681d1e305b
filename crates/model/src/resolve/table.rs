//! Tables: functions through points of the model file or of a CSV file.

use super::Resolver;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{self, FileTable, TableTable};
use crate::spec::TableSpec;
use crate::value::{Count, Located, Number, Text};
use poinsot_expr::{Extrapolation, Interpolation, Table, TableError};
use std::sync::Arc;
use thiserror::Error;

/// Arguments of laws, which a table may not hide.
const ARGUMENTS: [&str; 5] = ["s", "length", "rate", "angle", "e"];

/// The points of a table and where each came from.
struct Points {
    values: Vec<(f64, f64)>,
    origin: Origin,
}

/// Where the points came from.
enum Origin {
    /// Places in the model file.
    Rows(Vec<Span>),
    /// Lines of another file, from 1.
    Lines(Vec<usize>),
}

impl Resolver<'_> {
    /// Resolves a table and enters it for the expressions that follow.
    pub fn table(&mut self, table: &TableTable, file: &FileTable) -> Option<TableSpec> {
        let name = &table.name;
        let found = self.check_table_name(name, file).and_then(|()| self.new_table(table));
        // After a mistake something must stand for it, or every use would be reported.
        let level = [(0.0, 0.0), (1.0, 0.0)];
        let stand_in = || Table::new(&name.value, &level, Interpolation::Spline, Extrapolation::Hold).ok();
        let entered = found.clone().or_else(|| stand_in().map(Arc::new));
        self.scope.tables.extend(entered);
        Some(TableSpec { name: name.value.clone(), span: name.span.clone(), table: found? })
    }

    /// An expression cannot tell a table from a number of the same name.
    fn check_table_name(&mut self, name: &Text, file: &FileTable) -> Option<()> {
        if self.names.is_lost(&name.value) {
            return None;
        }
        let parameters = file.parameters.table.as_ref().map_or(&[][..], |t| &t.list);
        if let Some((other, _)) = parameters.iter().find(|(other, _)| other.value == name.value) {
            self.duplicate_value(name, "parameter", other.span.clone());
            return None;
        }
        if ARGUMENTS.contains(&name.value.as_str()) {
            self.diagnostics.push(
                Diagnostic::error(format!("`{}` cannot be the name of a table", name.value))
                    .at(name.span.clone(), "reserved name")
                    .help("it has a meaning of its own in laws; choose another name"),
            );
            return None;
        }
        Some(())
    }

    fn new_table(&mut self, table: &TableTable) -> Option<Arc<Table>> {
        let points = self.table_points(table)?;
        let interpolation = match table.interpolation.value {
            file::Interpolation::Spline => Interpolation::Spline,
            file::Interpolation::Linear => Interpolation::Linear,
        };
        let extrapolation = match table.extrapolation.value {
            file::Extrapolation::Hold => Extrapolation::Hold,
            file::Extrapolation::Linear => Extrapolation::Linear,
            file::Extrapolation::Periodic => Extrapolation::Periodic,
        };
        match Table::new(&table.name.value, &points.values, interpolation, extrapolation) {
            Ok(table) => Some(Arc::new(table)),
            Err(error) => {
                self.report_table(table, &points.origin, &error);
                None
            }
        }
    }

    fn table_points(&mut self, table: &TableTable) -> Option<Points> {
        match (&table.points, &table.file) {
            (Some(points), None) => {
                if let Some(columns) = &table.columns {
                    self.diagnostics.push(
                        Diagnostic::error(format!("`{}` has `columns` but no `file`", table.name.value))
                            .at(columns.span.clone(), "there is no file")
                            .help("remove `columns`"),
                    );
                    return None;
                }
                self.points_of_rows(&points.value.0)
            }
            (None, Some(file)) => self.points_of_file(file, table.columns.as_ref()),
            (points, _) => {
                let message = match points {
                    Some(_) => format!("`{}` has both `points` and `file`", table.name.value),
                    None => "missing key `points` in table".to_owned(),
                };
                self.diagnostics.push(
                    Diagnostic::error(message)
                        .at(table.span.clone(), "this table needs one of the two")
                        .help("give `points = [[x, y], …]` or `file`"),
                );
                None
            }
        }
    }

    fn points_of_rows(&mut self, rows: &[Located<[Number; 2]>]) -> Option<Points> {
        let values: Vec<_> = rows.iter().map(|row| self.numbers(&row.value).map(|[x, y]| (x, y))).collect();
        let spans = rows.iter().map(|row| row.span.clone()).collect();
        Some(Points { values: values.into_iter().collect::<Option<_>>()?, origin: Origin::Rows(spans) })
    }

    fn points_of_file(&mut self, file: &Text, columns: Option<&Located<[Count; 2]>>) -> Option<Points> {
        let path = self.directory.join(&file.value);
        let columns = columns.map_or([0, 1], |columns| columns.value.map(|Count(number)| number - 1));
        let text_of = |bytes: Arc<Vec<u8>>| String::from_utf8(bytes.to_vec()).map_err(std::io::Error::other);
        let read = self.files.data(&path).and_then(text_of);
        let text = read.map_err(|error| {
            Diagnostic::error(format!("cannot read the table file {:?}: {error}", file.value))
                .at(file.span.clone(), "no such table")
                .help(format!("looked for {}", path.display()))
        });
        let points = text.and_then(|text| {
            read_csv(&text, columns).map_err(|(line, why)| {
                Diagnostic::error(format!("{}, line {line}: {why}", file.value))
                    .at(file.span.clone(), "in this file")
                    .help("a table file has numbers in columns, separated by commas, semicolons or spaces")
            })
        });
        points.map_err(|diagnostic| self.diagnostics.push(diagnostic)).ok()
    }

    /// Points at the row of the model file, or names the line of the other file.
    fn report_table(&mut self, table: &TableTable, origin: &Origin, error: &TableError) {
        let index = match error {
            TableError::NotFinite { index, .. }
            | TableError::NotIncreasing { index, .. }
            | TableError::EndsDiffer { index, .. }
            | TableError::Overflow { index, .. } => Some(*index),
            TableError::Name { .. } | TableError::TooFewPoints { .. } => None,
        };
        let help = match error {
            TableError::EndsDiffer { .. } => Some(
                "the last y must equal the first, for extrapolation = \"periodic\" repeats the points"
                    .to_owned(),
            ),
            _ => None,
        };
        let given = table.points.as_ref().map(|points| &points.span);
        let whole = given.or(table.file.as_ref().map(|file| &file.span)).unwrap_or(&table.span).clone();
        let place = match (origin, index) {
            (Origin::Rows(spans), Some(index)) => spans.get(index).cloned().unwrap_or(whole),
            _ => whole,
        };
        let line = match (origin, index, &table.file) {
            (Origin::Lines(lines), Some(index), Some(file)) => {
                lines.get(index).map(|line| format!("{}, line {line}: ", file.value))
            }
            _ => None,
        };
        let message = format!("{}{error}", line.unwrap_or_default());
        self.diagnostics.push(Diagnostic::error(message).at(place, "not a table").maybe_help(help));
    }
}

/// Why a line has no number in a column; columns count from 1.
#[derive(Clone, Debug, Error, PartialEq)]
enum CellError {
    #[error("there is no column {0}")]
    NoColumn(usize),
    #[error("{text:?} in column {column} is not a number")]
    NoNumber { text: String, column: usize },
}

/// Numbers of two columns. The first line may be a header; empty lines and those after `#` are left out.
/// A mistake is named with its line.
fn read_csv(text: &str, columns: [usize; 2]) -> Result<Points, (usize, CellError)> {
    let (mut values, mut lines) = (Vec::new(), Vec::new());
    let mut header = true;
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let may_be_header = std::mem::replace(&mut header, false);
        match columns.map(|column| cell(line, column)) {
            [Ok(x), Ok(y)] => {
                values.push((x, y));
                lines.push(index + 1);
            }
            [Err(_), _] | [_, Err(_)] if may_be_header && !line.starts_with(is_numeric) => {}
            [Err(why), _] | [_, Err(why)] => return Err((index + 1, why)),
        }
    }
    Ok(Points { values, origin: Origin::Lines(lines) })
}

/// True for what a number can start with.
fn is_numeric(first: char) -> bool {
    first.is_ascii_digit() || ['-', '+', '.'].contains(&first)
}

/// The number in a column of a line.
fn cell(line: &str, column: usize) -> Result<f64, CellError> {
    let separator = [',', ';', '\t'].into_iter().find(|separator| line.contains(*separator));
    let found = match separator {
        Some(separator) => line.split(separator).nth(column),
        None => line.split_whitespace().nth(column),
    };
    let column = column + 1;
    let text = found.ok_or(CellError::NoColumn(column))?.trim().trim_matches('"');
    let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
    value.ok_or_else(|| CellError::NoNumber { text: text.into(), column })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_forms() {
        let values = |text: &str, columns| {
            let points = read_csv(text, columns).map_err(|(line, why)| (line, why.to_string()));
            points.map(|points| points.values)
        };
        assert_eq!(values("0,1\n2,3\n", [0, 1]), Ok(vec![(0.0, 1.0), (2.0, 3.0)]));
        assert_eq!(values("time;force\n\n# mm\n0 ; 1e3\n1;-2", [0, 1]), Ok(vec![(0.0, 1e3), (1.0, -2.0)]));
        assert_eq!(values("a b c\n1 2 3", [2, 0]), Ok(vec![(3.0, 1.0)]));
        assert_eq!(values("\"t\",\"x\"\n\"1\",\"2\"", [0, 1]), Ok(vec![(1.0, 2.0)]));
        assert_eq!(values("0,1\n2,x", [0, 1]), Err((2, "\"x\" in column 2 is not a number".into())));
        assert_eq!(values("0,1", [0, 2]), Err((1, "there is no column 3".into())));
        assert_eq!(values("t,x\n0,1\n\nt,x", [0, 1]), Err((4, "\"t\" in column 1 is not a number".into())));
    }
}
