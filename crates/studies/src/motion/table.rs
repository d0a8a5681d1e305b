//! The table of a motion study.

use poinsot_integrators::{integrators, keys};
use poinsot_model::read::{FromToml, Node, Reader};
use poinsot_model::spec::{Kinks, SettingsTable};
use poinsot_model::study::{Located, Number, Text};
use poinsot_model::{Triple, choice, record};
use schemars::{Schema, SchemaGenerator, json_schema};
use toml::de::DeValue;

record! {
    /// Motion under loads: integrates the equations of motion.
    pub struct MotionTable "[study]" {
        /// End time, s.
        end: Number,
        /// Step of the integrator, s. Without it the study chooses the steps by the tolerances, with an
        /// integrator that estimates its errors.
        step: Option<Number>,
        /// Start time, s.
        start: Number = 0,
        /// Name of the integrator, or { family = "U0", roots = [rmin, rmax, rs] }. Without it the model
        /// decides: "radau" with [[equations]] or [[lagrangian]], otherwise "generalized-alpha".
        integrator: Option<IntegratorTable>,
        /// Or [[study.tolerance]]: tolerances of single bodies in adaptive steps.
        tolerance: Option<ToleranceKey>,
        /// Local error of adaptive steps relative to the size of each quantity; default 1e-6. With fixed
        /// steps it bounds what Newton's iteration leaves over in radau, gauss and lobatto; default 1e-8.
        relative_tolerance: Option<Number>,
        /// Local error relative to the nominal size of each quantity: the length of the model, a radian, both
        /// per second; default as relative_tolerance.
        absolute_tolerance: Option<Number>,
        /// First adaptive step, s; default: found from the motion at the start.
        first_step: Option<Number>,
        /// Longest adaptive step, s.
        longest_step: Option<Number>,
        /// What adaptive steps do about kinks and jumps of piecewise laws (`if`, `abs`, `min`, tables) in the
        /// state.
        kinks: Located<Kinks> = "locate",
        /// Time between recorded rows, s; default with fixed steps: every step, thinned to at most 2000 rows,
        /// with adaptive steps: a thousandth of the study.
        output_step: Option<Number>,
    } and settings: SettingsTable
}

record! {
    /// The tolerance of a body in adaptive steps.
    pub struct ToleranceTable "tolerance" {
        /// The body.
        of: Text,
        /// Relative to the size of each quantity; default: that of the study.
        relative: Option<Number>,
        /// Relative to the nominal size of each quantity; default: that of the study.
        absolute: Option<Number>,
    }
}

/// A tolerance of Newton's iteration, or tolerances of single bodies.
#[derive(Clone, Debug)]
pub enum ToleranceKey {
    /// Of Newton's iteration.
    Newton(Number),
    /// Of single bodies.
    Parts(Vec<ToleranceTable>),
}

impl FromToml for ToleranceKey {
    fn expected() -> String {
        "a number or tables [[study.tolerance]]".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        match node.get_ref() {
            DeValue::Array(_) => Vec::from_toml(node, reader).map(ToleranceKey::Parts),
            DeValue::Table(_) => {
                ToleranceTable::from_toml(node, reader).map(|one| ToleranceKey::Parts(vec![one]))
            }
            _ => Number::from_toml(node, reader).map(ToleranceKey::Newton),
        }
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let table = ToleranceTable::schema(generator);
        json_schema!({ "anyOf": [
            Number::schema(generator),
            { "type": "array", "items": table },
            table,
        ] })
    }
    fn described(text: String) -> String {
        let newton = keys().iter().find(|key| key.setting.key == NEWTON);
        newton.map_or(String::new(), |key| format!("{} ", key.text)) + &text
    }
}

/// The key of integrators that shares its word with the tolerances of bodies.
pub const NEWTON: &str = "tolerance";

choice! {
    /// A family of integrators with three roots.
    pub enum Family "family" {
        /// No overshoot in displacement.
        "U0" => U0,
        /// No overshoot in velocity.
        "V0" => V0,
    }
}

record! {
    /// A member of a family of integrators by its roots at infinity.
    pub struct FamilyTable "integrator" {
        /// The family.
        family: Located<Family>,
        /// Roots at infinity [rmin, rmax, rs] with 0 ≤ rs ≤ rmin ≤ rmax ≤ 1.
        roots: Triple,
    }
}

/// An integrator by name or by roots.
#[derive(Clone, Debug)]
pub enum IntegratorTable {
    /// By name.
    Name(Text),
    /// By family and roots.
    Family(FamilyTable),
}

impl FromToml for IntegratorTable {
    fn expected() -> String {
        "the name of an integrator or a table { family, roots }".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        match node.get_ref() {
            DeValue::String(_) => Text::from_toml(node, reader).map(IntegratorTable::Name),
            DeValue::Table(_) => FamilyTable::from_toml(node, reader).map(IntegratorTable::Family),
            _ => {
                reader.mismatch(node, &Self::expected());
                None
            }
        }
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let list = integrators();
        let spellings = list.iter().flat_map(|entry| {
            let names = std::iter::once(entry.name()).chain(entry.aliases().iter().copied());
            names.map(|name| (name, entry.summary()))
        });
        let (names, docs): (Vec<&str>, Vec<&str>) = spellings.unzip();
        json_schema!({ "anyOf": [
            {
                "type": "string",
                "enum": names,
                "x-taplo": { "docs": { "enumValues": docs } },
            },
            FamilyTable::schema(generator),
        ] })
    }
}
