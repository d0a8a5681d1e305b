//! `signals.csv`: the table as text.
//!
//! One header line, `time [s],crank.angle [rad],…`, then one line for each row. Numbers are the shortest that
//! read back to the same 64-bit float; where a signal has no value the cell is empty. Descriptions are not in
//! the file.

use std::io::{self, Write};
use std::path::Path;

use crate::atomic_file::replace_with;
use crate::error::ResultsError;
use crate::plain_file;
use crate::table::{Column, SignalTable};

/// Writes the table as a CSV file, whole or not at all.
pub fn write_csv(table: &SignalTable, path: &Path) -> Result<(), ResultsError> {
    replace_with(path, |file| write_table(table, file).map_err(ResultsError::io("write", path)))
}

fn write_table(table: &SignalTable, out: &mut impl Write) -> io::Result<()> {
    write!(out, "{}", header_cell(&table.abscissa().name, &table.abscissa().unit))?;
    for column in table.columns() {
        write!(out, ",{}", header_cell(&column.name, &column.unit))?;
    }
    writeln!(out)?;
    let samples: Vec<&[f64]> = (0..table.columns().len()).filter_map(|i| table.samples(i)).collect();
    for (row, time) in table.time().iter().enumerate() {
        // `{:?}` is the shortest form that reads back to the same float.
        write!(out, "{time:?}")?;
        for column in &samples {
            match column[row] {
                value if value.is_nan() => write!(out, ",")?,
                value => write!(out, ",{value:?}")?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// `name [unit]`, in quotes if it holds a character that CSV reserves.
fn header_cell(name: &str, unit: &str) -> String {
    let text = if unit.is_empty() { name.to_owned() } else { format!("{name} [{unit}]") };
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

/// Reads a table written by [`write_csv`]; descriptions come back empty.
pub fn read_csv(path: &Path) -> Result<SignalTable, ResultsError> {
    let text = plain_file::read_text(path)?;
    let (cells, body) = split_header(&text).ok_or_else(|| ResultsError::Csv {
        path: path.to_owned(),
        line: 1,
        message: "a quote in the header is not closed".into(),
    })?;
    let mut columns = cells.iter().map(|cell| name_and_unit(cell));
    if columns.next().map(|c| c.name).as_deref() != Some(SignalTable::TIME) {
        return Err(ResultsError::NotATable {
            path: path.to_owned(),
            message: "its first column is not `time`".into(),
        });
    }
    let mut table = SignalTable::new(columns.collect())?;
    let header_lines = text[..text.len() - body.len()].matches('\n').count();
    for (i, line) in body.lines().enumerate() {
        push_line(&mut table, line, path, header_lines + i + 1)?;
    }
    Ok(table)
}

fn push_line(table: &mut SignalTable, line: &str, path: &Path, number: usize) -> Result<(), ResultsError> {
    let refuse = |message: String| ResultsError::Csv { path: path.to_owned(), line: number, message };
    let number = |(place, cell): (usize, &str)| match cell.trim() {
        "" if place > 0 => Ok(f64::NAN),
        text => match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) => {
                let column = place.checked_sub(1).and_then(|k| table.columns().get(k));
                let name = column.map_or(SignalTable::TIME, |column| column.name.as_str());
                Err(refuse(format!("`{name}` is not a finite number")))
            }
            Err(_) => Err(refuse(format!("`{cell}` is not a number"))),
        },
    };
    let row = line.split(',').enumerate().map(number).collect::<Result<Vec<f64>, _>>()?;
    table.push_with_gaps(row[0], &row[1..], 0..row.len() - 1).map_err(|e| refuse(e.to_string()))
}

/// The cells of the header line and the text after it, `None` if a quoted
/// cell does not end.
fn split_header(text: &str) -> Option<(Vec<String>, &str)> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let doubled = quoted && c == '"' && characters.peek().is_some_and(|&(_, n)| n == '"');
        match c {
            '"' if doubled => {
                characters.next();
                cells.last_mut()?.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            '\r' if !quoted => {}
            '\n' if !quoted => return Some((cells, &text[at + 1..])),
            _ => cells.last_mut()?.push(c),
        }
    }
    (!quoted).then_some((cells, ""))
}

/// Splits `name [unit]`; the unit is what the last bracket pair encloses.
fn name_and_unit(cell: &str) -> Column {
    let split = cell.strip_suffix(']').and_then(|rest| rest.rsplit_once(" ["));
    match split {
        Some((name, unit)) => Column::new(name, unit, ""),
        None => Column::new(cell, "", ""),
    }
}
