//! `signals.parquet`: the table as columns of 64-bit floats.
//!
//! The first column is `time`, or what the rows are ordered by in its place. Unit and description of a signal
//! are metadata of its field, under the keys `unit` and `description`. Where a signal has no value there is a
//! null.

use std::path::Path;

use parquet::file::properties::WriterProperties;

use crate::error::ResultsError;
use crate::sealed_parquet::{self, Chunk, Content, SealedFile};
use crate::table::{Column, SignalTable};

/// Writes the table as a Parquet file, whole or not at all.
pub fn write_parquet(table: &SignalTable, path: &Path) -> Result<(), ResultsError> {
    let gaps = table.gaps();
    let signals = (0..table.columns().len()).filter_map(|i| table.samples(i));
    let columns: Vec<_> = std::iter::once(table.abscissa())
        .chain(table.columns())
        .zip(std::iter::once(table.time()).chain(signals))
        .map(|(column, values)| sealed_parquet::Column {
            name: &column.name,
            about: vec![
                ("description".to_owned(), column.description.clone()),
                ("unit".to_owned(), column.unit.clone()),
            ],
            content: Content::Numbers { values, optional: gaps.iter().any(|gap| gap.signal == column.name) },
        })
        .collect();
    sealed_parquet::write(path, table.len(), &columns, WriterProperties::builder(), &[])
}

/// Reads a table written by [`write_parquet`].
pub fn read_parquet(path: &Path) -> Result<SignalTable, ResultsError> {
    let file = SealedFile::open(path)?;
    let (abscissa, columns) = columns_of(&file, path)?;
    let mut table = SignalTable::along(abscissa, columns)?;
    file.read(path, |rows, chunks| push_rows(&mut table, rows, chunks, path))?;
    Ok(table)
}

fn columns_of(file: &SealedFile, path: &Path) -> Result<(Column, Vec<Column>), ResultsError> {
    let refuse = |message: String| ResultsError::NotATable { path: path.to_owned(), message };
    let fields = file.columns();
    if let Some((name, kind)) = fields.iter().find(|(_, kind)| kind != "f64") {
        return Err(refuse(format!("column `{name}` is of type {kind}, not a 64-bit float")));
    }
    let about = file.about();
    let text = |k: usize, key: &str| {
        let pairs = about.get(k).into_iter().flatten();
        pairs.filter(|(known, _)| known == key).map(|(_, value)| value.clone()).next().unwrap_or_default()
    };
    let mut columns = fields
        .iter()
        .enumerate()
        .map(|(k, (name, _))| Column::new(*name, text(k, "unit"), text(k, "description")));
    // Another name than `time` (the number of a point) is that of a table of ours only where it says what it
    // is.
    let first = columns.next().filter(|c| c.name == SignalTable::TIME || !c.description.is_empty());
    let first = first.ok_or_else(|| refuse("its first column is not `time`".into()))?;
    Ok((first, columns.collect()))
}

fn push_rows(
    table: &mut SignalTable,
    rows: usize,
    chunks: &[Chunk],
    path: &Path,
) -> Result<(), ResultsError> {
    let refuse = |message: String| ResultsError::NotATable { path: path.to_owned(), message };
    let columns: Vec<&[Option<f64>]> = chunks.iter().map(Chunk::numbers).collect();
    let mut row = vec![0.0; table.columns().len()];
    for i in 0..rows {
        for (value, column) in row.iter_mut().zip(&columns[1..]) {
            *value = column[i].unwrap_or(f64::NAN);
            if column[i].is_some() && !value.is_finite() {
                return Err(refuse(format!("it has the value {value}, which is no finite number")));
            }
        }
        let time = columns[0][i].ok_or_else(|| refuse("it has rows without a time".into()))?;
        table.push_with_gaps(time, &row, 0..row.len())?;
    }
    Ok(())
}
