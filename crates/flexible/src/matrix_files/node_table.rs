//! Places of the nodes that matrices are about.

use super::numpy::Array;
use crate::cursor::Cursor;
use crate::file_error::{Fault, FileError};
use crate::labels::Labels;
use crate::mesh_files::MeshInput;
use poinsot_geometry::Vec3;

/// Labels and places of nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeTable {
    /// Labels.
    pub labels: Vec<u64>,
    /// Places (m).
    pub places: Vec<Vec3>,
}

/// Reads lines `label, x, y, z`; a first line of words is passed.
pub fn read_node_csv(file: &str, bytes: &[u8]) -> Result<NodeTable, FileError> {
    let mut cursor = Cursor::new(file, bytes);
    let mut table = Builder::default();
    let mut first = true;
    loop {
        let at = cursor.at;
        let Some(line) = cursor.line() else { break };
        let text = line.trim_ascii();
        let heading =
            std::mem::take(&mut first) && text.first().is_some_and(|c| c.is_ascii_alphabetic() || *c == b'"');
        if text.is_empty() || text.starts_with(b"#") || heading {
            continue;
        }
        let split = text.split(|byte| b",;".contains(byte) || byte.is_ascii_whitespace());
        let fields: Vec<&[u8]> = split.filter(|field| !field.is_empty()).collect();
        let wrong = || cursor.unexpected(at, text, "`label, x, y, z`");
        let [label, x, y, z] = fields[..] else { return Err(wrong()) };
        let label = crate::cursor::integer_of(label).and_then(|label| u64::try_from(label).ok());
        let [Some(x), Some(y), Some(z)] = [x, y, z].map(crate::cursor::real_of) else { return Err(wrong()) };
        table
            .add(label.ok_or_else(wrong)?, Vec3::new(x, y, z))
            .map_err(|fault| cursor.error_at(at, fault))?;
    }
    table.finish(file)
}

/// Reads an array of rows (label, x, y, z), or (x, y, z) with labels 1, 2, …
pub fn read_node_npy(file: &str, bytes: &[u8]) -> Result<NodeTable, FileError> {
    let array = Array::parse(file, bytes)?;
    let (rows, columns, at) = array.table()?;
    let wrong = |text: String| FileError::whole(file, Fault::Inconsistent(text));
    if columns != 3 && columns != 4 {
        return Err(wrong(format!("the table of nodes has {columns} columns: it needs label, x, y, z")));
    }
    let mut table = Builder::default();
    for row in 0..rows {
        let label = if columns == 4 { at(row, 0) } else { row as f64 + 1.0 };
        if label < 0.0 || label.fract() != 0.0 || label > 2f64.powi(53) {
            return Err(wrong(format!("{label} is not the label of a node")));
        }
        let place = Vec3::from_fn(|k, _| at(row, columns - 3 + k));
        if !place.iter().all(|x| x.is_finite()) {
            return Err(wrong(format!("the place of node {label} is not finite")));
        }
        table.add(label as u64, place).map_err(|fault| FileError::whole(file, fault))?;
    }
    table.finish(file)
}

impl MeshInput {
    /// The nodes of the mesh with their labels, for matrices of the same model.
    pub fn node_table(&self) -> NodeTable {
        NodeTable { labels: self.node_labels.clone(), places: self.mesh.nodes.clone() }
    }
}

#[derive(Default)]
struct Builder {
    labels: Labels,
    places: Vec<Vec3>,
}

impl Builder {
    fn add(&mut self, label: u64, place: Vec3) -> Result<(), Fault> {
        self.labels.add(label).ok_or_else(|| Fault::Twice { what: "node", label: label.to_string() })?;
        self.places.push(place);
        Ok(())
    }

    fn finish(self, file: &str) -> Result<NodeTable, FileError> {
        if self.places.is_empty() {
            return Err(FileError::whole(file, Fault::Inconsistent("the table has no nodes".into())));
        }
        Ok(NodeTable { labels: self.labels.all().to_vec(), places: self.places })
    }
}
