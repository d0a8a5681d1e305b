//! The keys that other studies have in common with a periodic one: all that say which motion is meant.

use super::PeriodicTable;
use poinsot_model::read::{Reader, Record, RestOfTable};
use schemars::SchemaGenerator;
use serde_json::{Map, Value};
use toml::de::DeTable;

/// The key that a study without rows has no use for.
const OF_ROWS: &str = "rows";

/// The keys of a periodic study, in the table of another one that has rows over the period or has none.
#[derive(Clone, Debug)]
pub struct MotionKeys<const ROWS: bool>(pub PeriodicTable);

impl<const ROWS: bool> RestOfTable for MotionKeys<ROWS> {
    fn keys(own: &[&'static str]) -> Vec<&'static str> {
        let wanted = |key: &&&'static str| !own.contains(*key) && (ROWS || **key != OF_ROWS);
        PeriodicTable::KEYS.iter().filter(wanted).copied().collect()
    }

    fn read(table: &DeTable, _: &[&'static str], reader: &mut Reader) -> Option<Self> {
        // Unknown keys were told by the table that these stand in.
        let all: Vec<&str> = table.iter().map(|(key, _)| key.get_ref().as_ref()).collect();
        let place = table.iter().map(|(key, _)| key.span()).min_by_key(|span| span.start);
        let span = reader.span(place.unwrap_or(0..0));
        PeriodicTable::read(table, span, &all, reader).map(MotionKeys)
    }

    fn properties(own: &[&'static str], generator: &mut SchemaGenerator, object: &mut Map<String, Value>) {
        let schema = PeriodicTable::object(generator, None);
        let Some(Value::Object(all)) = schema.get("properties") else { return };
        for key in Self::keys(own) {
            object.extend(all.get(key).map(|schema| (key.to_owned(), schema.clone())));
        }
    }
}
