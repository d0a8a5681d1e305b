//! The table of first-order equations.

use crate::read::{FromToml, Node, Reader, record};
use crate::value::{List, Located, Number, Text};
use schemars::{Schema, SchemaGenerator, json_schema};
use toml::de::DeValue;

record! {
    /// First-order equations beside the mechanics: circuits, controllers, heat, reactions. Each block has as
    /// many equations as variables.
    pub struct EquationsTable "block of equations" {
        /// Name, unique among all things of the model.
        name: Text,
        /// The variables: each a start value, or a table { start, nominal, unit, description }. Without any
        /// the block is loads alone.
        variables: VariablesTable,
        /// The equations: `left = right`, or an expression that is zero. `der(x)` is the rate of the variable
        /// `x`, `t` the time; variables of other blocks and quantities of the mechanics have their full
        /// names.
        equations: List<Text> = [],
        /// Efforts on the mechanics: the coordinate of a joint, length of a spring or position, or a
        /// component of a force or torque on a body (`arm.force.x`, `arm.torque.z`, world axes), and an
        /// expression.
        loads: Option<EffortsTable>,
    }
}

record! {
    /// A variable of first-order equations.
    pub struct VariableTable "variable" {
        /// Value at the start. Where equations without rates do not hold with it, it is changed as little as
        /// possible.
        start: Number,
        /// A usual size: the absolute tolerance is relative to it.
        nominal: Number = 1,
        /// Unit, shown on plots.
        unit: Option<Text>,
        /// What it is, kept in the Parquet file.
        description: Option<Text>,
    }
}

/// Variables by name.
#[derive(Clone, Debug)]
pub struct VariablesTable {
    /// Names and tables in the order of the file.
    pub list: Vec<(Text, VariableTable)>,
}

impl VariableTable {
    /// A start value alone, or a table.
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        if node.get_ref().is_table() {
            return Self::from_toml(node, reader);
        }
        let span = reader.span(node.span());
        let start = Number::from_toml(node, reader)?;
        let nominal = Number::Value(Located { value: 1.0, span: span.clone() });
        Some(VariableTable { start, nominal, unit: None, description: None, span })
    }
}

impl FromToml for VariablesTable {
    fn expected() -> String {
        "a table of variables with their start values".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        let DeValue::Table(table) = node.get_ref() else {
            reader.mismatch(node, &Self::expected());
            return None;
        };
        let mut list: Vec<(Text, Option<VariableTable>)> = table
            .iter()
            .map(|(key, value)| {
                (Text::new(key.get_ref(), key.span(), reader), VariableTable::read(value, reader))
            })
            .collect();
        list.sort_by_key(|(name, _)| name.span.start);
        let list = list.into_iter().map(|(name, table)| Some((name, table?))).collect::<Option<_>>()?;
        Some(VariablesTable { list })
    }
    fn absent() -> Option<Self> {
        Some(VariablesTable { list: vec![] })
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let values = [Number::schema(generator), VariableTable::schema(generator)];
        json_schema!({ "type": "object", "additionalProperties": { "anyOf": values } })
    }
}

/// Efforts by the coordinate that they act along.
#[derive(Clone, Debug)]
pub struct EffortsTable {
    /// Coordinates and efforts in the order of the file.
    pub list: Vec<(Text, Number)>,
}

impl EffortsTable {
    /// Reads the entries below `prefix`: a name with a dot that is not in quotes is a table in a table.
    fn read(
        node: &Node,
        prefix: Option<&Text>,
        list: &mut Vec<(Text, Number)>,
        reader: &mut Reader,
    ) -> Option<()> {
        let DeValue::Table(table) = node.get_ref() else {
            let number = Number::from_toml(node, reader);
            list.push((prefix?.clone(), number?));
            return Some(());
        };
        let mut good = Some(());
        for (key, value) in table.iter() {
            let name = match prefix {
                Some(before) => {
                    let value = format!("{}.{}", before.value, key.get_ref());
                    Text::new(&value, before.span.start..key.span().end.max(before.span.end), reader)
                }
                None => Text::new(key.get_ref(), key.span(), reader),
            };
            good = Self::read(value, Some(&name), list, reader).and(good);
        }
        good
    }
}

impl FromToml for EffortsTable {
    fn expected() -> String {
        "a table of coordinates with their loads".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        if !node.get_ref().is_table() {
            reader.mismatch(node, &Self::expected());
            return None;
        }
        let mut list = Vec::new();
        Self::read(node, None, &mut list, reader)?;
        list.sort_by_key(|(name, _)| name.span.start);
        Some(EffortsTable { list })
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": Number::schema(generator) })
    }
}
