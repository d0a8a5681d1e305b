//! `signals.parquet`: the table as columns of 64-bit floats.
//!
//! The first column is `time`, or what the rows are ordered by in its place. Unit and description of a signal
//! are metadata of its field, under the keys `unit` and `description`. Where a signal has no value there is a
//! null.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use parquet::file::properties::WriterProperties;

use crate::error::ResultsError;
use crate::sealed_parquet;
use crate::table::{Column, SignalTable};

/// Rows converted at a time, which bounds the memory a long run takes.
const BATCH: usize = 1 << 16;

/// Writes the table as a Parquet file, whole or not at all.
pub fn write_parquet(table: &SignalTable, path: &Path) -> Result<(), ResultsError> {
    let schema = Arc::new(schema(table));
    let batches = (0..table.len()).step_by(BATCH).map(|start| {
        let columns = arrays(table, start, (start + BATCH).min(table.len()));
        RecordBatch::try_new(schema.clone(), columns).map_err(ResultsError::parquet(path))
    });
    sealed_parquet::write(path, &schema, WriterProperties::builder(), &[], batches)
}

fn schema(table: &SignalTable) -> Schema {
    let gaps = table.gaps();
    let fields = std::iter::once(table.abscissa()).chain(table.columns()).map(|column| {
        let has_gaps = gaps.iter().any(|gap| gap.signal == column.name);
        let metadata = HashMap::from([
            ("unit".to_owned(), column.unit.clone()),
            ("description".to_owned(), column.description.clone()),
        ]);
        Field::new(&column.name, DataType::Float64, has_gaps).with_metadata(metadata)
    });
    Schema::new(fields.collect::<Vec<_>>())
}

fn arrays(table: &SignalTable, start: usize, end: usize) -> Vec<ArrayRef> {
    let signals = (0..table.columns().len()).filter_map(|i| table.samples(i));
    std::iter::once(table.time())
        .chain(signals)
        .map(|samples| {
            let values = samples[start..end].iter().map(|value| Some(*value).filter(|value| !value.is_nan()));
            Arc::new(Float64Array::from_iter(values)) as ArrayRef
        })
        .collect()
}

/// Reads a table written by [`write_parquet`].
pub fn read_parquet(path: &Path) -> Result<SignalTable, ResultsError> {
    let builder = sealed_parquet::open(path)?;
    let (abscissa, columns) = columns_of(builder.schema(), path)?;
    let mut table = SignalTable::along(abscissa, columns)?;
    let reader = builder.build().map_err(ResultsError::parquet(path))?;
    for batch in reader {
        let batch = batch.map_err(ResultsError::parquet(path))?;
        push_batch(&mut table, &batch, path)?;
    }
    Ok(table)
}

fn columns_of(schema: &Schema, path: &Path) -> Result<(Column, Vec<Column>), ResultsError> {
    let refuse = |message: String| ResultsError::NotATable { path: path.to_owned(), message };
    for field in schema.fields() {
        if field.data_type() != &DataType::Float64 {
            return Err(refuse(format!(
                "column `{}` is of type {}, not a 64-bit float",
                field.name(),
                field.data_type()
            )));
        }
    }
    let text = |field: &Field, key: &str| field.metadata().get(key).cloned().unwrap_or_default();
    let mut columns =
        schema.fields().iter().map(|f| Column::new(f.name(), text(f, "unit"), text(f, "description")));
    // Another name than `time` (the number of a point) is that of a table of ours only where it says what it
    // is.
    let first = columns.next().filter(|c| c.name == SignalTable::TIME || !c.description.is_empty());
    let first = first.ok_or_else(|| refuse("its first column is not `time`".into()))?;
    Ok((first, columns.collect()))
}

fn push_batch(table: &mut SignalTable, batch: &RecordBatch, path: &Path) -> Result<(), ResultsError> {
    let columns: Vec<&Float64Array> =
        batch.columns().iter().map(|column| column.as_primitive::<Float64Type>()).collect();
    let refuse = |message: String| ResultsError::NotATable { path: path.to_owned(), message };
    if columns.first().is_some_and(|c| c.null_count() > 0) {
        return Err(refuse("it has rows without a time".into()));
    }
    let mut row = vec![0.0; table.columns().len()];
    for i in 0..batch.num_rows() {
        for (value, column) in row.iter_mut().zip(&columns[1..]) {
            *value = if column.is_null(i) { f64::NAN } else { column.value(i) };
            if !column.is_null(i) && !value.is_finite() {
                return Err(refuse(format!("it has the value {value}, which is no finite number")));
            }
        }
        table.push_with_gaps(columns[0].value(i), &row, 0..row.len())?;
    }
    Ok(())
}
