//! JSON Schema of model files, for completion and checking in editors.

use crate::file::FileTable;
use crate::study::{SCHEMA_NAME, Studies};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// The JSON Schema (draft 7) of a model file that may ask for these studies.
pub fn schema(studies: Studies) -> Value {
    let mut generator = SchemaSettings::draft07().into_generator();
    let mut schema = generator.root_schema_for::<FileTable>();
    let kinds = studies.schema(&mut generator).to_value();
    let of_kinds = generator.take_definitions(true);
    let root = schema.ensure_object();
    root.insert("title".into(), "Poinsot model file, format 1".into());
    if let Some(Value::Object(known)) = root.remove("definitions") {
        // The kinds of studies take the place that was kept for them, with what they refer to behind them.
        let more: Vec<_> = of_kinds.into_iter().filter(|(name, _)| !known.contains_key(name)).collect();
        let mut all = Map::new();
        for (name, definition) in known {
            match name == SCHEMA_NAME {
                true => all.extend([(name, kinds.clone())].into_iter().chain(more.clone())),
                false => all.extend([(name, definition)]),
            }
        }
        root.insert("definitions".into(), all.into());
    }
    schema.to_value()
}
