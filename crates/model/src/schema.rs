//! JSON Schema of model files, for completion and checking in editors.

use crate::file::FileTable;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// The JSON Schema (draft 7) of a model file.
pub fn schema() -> Value {
    let mut schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<FileTable>();
    let root = schema.ensure_object();
    root.insert("title".into(), "Poinsot model file, format 1".into());
    schema.to_value()
}
