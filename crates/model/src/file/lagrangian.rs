//! The table of energy models.

use super::{EffortsTable, ParametersTable};
use crate::read::{FromToml, Node, Reader, choice, record};
use crate::value::{Located, Text};
use schemars::{Schema, SchemaGenerator, json_schema};
use toml::de::DeValue;

record! {
    /// An energy model beside the mechanics: motors, circuits, hydraulics, controllers by kinetic coenergy,
    /// potential energy, dissipation and constraints. Lagrange's equation makes first-order equations of it.
    pub struct LagrangianTable "energy model" {
        /// Name, unique among all things of the model.
        name: Text,
        /// File with the model in the language of `.ldae` files, relative to this file.
        file: Option<Text>,
        /// The same language as text; one of `file` and `model` is needed.
        model: Option<Text>,
        /// Names in the energy model that are quantities of the mechanics or variables of other blocks.
        read: Option<ReadTable>,
        /// Efforts on the mechanics: the coordinate of a joint, length of a spring or position, and an
        /// expression in names of the energy model.
        loads: Option<EffortsTable>,
        /// The level at which displacement constraints stand in the equations; default: "stabilised".
        form: Option<Located<LagrangianForm>>,
        /// Values in place of those that the energy model gives its parameters; expressions of the model's
        /// parameters are allowed.
        parameters: Option<ParametersTable>,
    }
}

choice! {
    /// The level at which displacement constraints of an energy model stand in the equations.
    pub enum LagrangianForm "form" {
        /// Displacements and flows satisfy them.
        "stabilised" => Stabilised,
        /// Displacements satisfy them.
        "index3" => Index3,
        /// Flows satisfy them; displacements drift.
        "index2" => Index2,
        /// Accelerations satisfy them; displacements and flows drift.
        "index1" => Index1,
        /// The same, with accelerations as unknowns: for explicit integrators too.
        "ode" => Ode,
    }
}

impl From<LagrangianForm> for poinsot_mechanics::EquationForm {
    fn from(form: LagrangianForm) -> Self {
        match form {
            LagrangianForm::Stabilised => Self::Stabilised,
            LagrangianForm::Index3 => Self::Index3,
            LagrangianForm::Index2 => Self::Index2,
            LagrangianForm::Index1 => Self::Index1,
            LagrangianForm::Ode => Self::Ode,
        }
    }
}

/// Names of an energy model and the quantities that they stand for.
#[derive(Clone, Debug)]
pub struct ReadTable {
    /// Names and quantities in the order of the file.
    pub list: Vec<(Text, Text)>,
}

impl FromToml for ReadTable {
    fn expected() -> String {
        "a table of names with the quantities that they stand for".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        let DeValue::Table(table) = node.get_ref() else {
            reader.mismatch(node, &Self::expected());
            return None;
        };
        let mut list = Vec::new();
        for (key, value) in table.iter() {
            let name = Text::new(key.get_ref(), key.span(), reader);
            list.push((name, Text::from_toml(value, reader)?));
        }
        list.sort_by_key(|(name, _)| name.span.start);
        Some(ReadTable { list })
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": Text::schema(generator) })
    }
}
