//! Matrices as JSON, a row of a matrix on a line:
//!
//! ```json
//! {"matrices": {"A": {"rows": 1, "columns": 2, "values": [[1.0, 2.0]]}},
//!  "lists": {"states": ["x", "v"]}}
//! ```

use std::path::Path;

use super::{MatrixSet, NamedMatrix};
use crate::atomic_file::write_atomically;
use crate::error::ResultsError;

pub(super) fn write(set: &MatrixSet, path: &Path) -> Result<(), ResultsError> {
    let text = text(set).map_err(|source| ResultsError::Json { path: path.to_owned(), source })?;
    write_atomically(path, text.as_bytes())
}

fn text(set: &MatrixSet) -> serde_json::Result<String> {
    let matrices = set.matrices.iter().map(matrix).collect::<Result<Vec<_>, _>>()?;
    let list =
        |l: &super::NamedList| Ok(format!("    \"{}\": {}", l.name, serde_json::to_string(&l.entries)?));
    let lists = set.lists.iter().map(list).collect::<serde_json::Result<Vec<_>>>()?;
    Ok(format!("{{\n  \"matrices\": {},\n  \"lists\": {}\n}}\n", braced(&matrices), braced(&lists)))
}

fn matrix(m: &NamedMatrix) -> serde_json::Result<String> {
    let row = |i: usize| {
        let values = &m.values[i * m.columns..(i + 1) * m.columns];
        Ok(format!("        {}", serde_json::to_string(values)?))
    };
    let rows = (0..m.rows).map(row).collect::<serde_json::Result<Vec<_>>>()?;
    let values = match rows.len() {
        0 => "[]".to_owned(),
        _ => format!("[\n{}\n      ]", rows.join(",\n")),
    };
    Ok(format!(
        "    \"{}\": {{\n      \"rows\": {},\n      \"columns\": {},\n      \"values\": {values}\n    }}",
        m.name, m.rows, m.columns
    ))
}

fn braced(entries: &[String]) -> String {
    match entries.len() {
        0 => "{}".into(),
        _ => format!("{{\n{}\n  }}", entries.join(",\n")),
    }
}
