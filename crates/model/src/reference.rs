//! The reference page of model files, `docs/model-file.md`: prose from `reference/model-file.md`, in which
//! lines `{{…}}` stand for what the declarations say.
//!
//! | line | stands for |
//! |---|---|
//! | `{{keys TITLE}}` | the keys of the table of this title: type, default, meaning |
//! | `{{joint types}}`, `{{joint sections}}` | all types in a table; each with its keys, notes and example |
//! | `{{joint quantities}}` | rows of the table of quantities |
//! | `{{study keys}}` | the keys that all studies have |
//! | `{{integrators}}`, `{{integrator forms}}` | all integrators with their keys; their forms |
//!
//! and so for couplings, drives and forces.

use crate::couplings::{CouplingTable, CouplingType};
use crate::drives::{DriveEffort, DriveTable, DriveType};
use crate::forces::{ForceTable, ForceType};
use crate::joints::{Axial, JointTable, JointType};
use crate::load::load_str;
use crate::read::Record;
use crate::schema::schema;
use crate::spec::{EndSpec, JointEnds, JointSpec};
use crate::study::{Studies, StudyKeys};
use poinsot_integrators::{families, integrators};
use poinsot_mechanics::NodeId;
use poinsot_mechanics::joints::Attachment;
use schemars::generate::SchemaSettings;
use serde_json::Value;

const TEMPLATE: &str = include_str!("../reference/model-file.md");

/// Longest line of prose.
const WIDTH: usize = 110;

/// Most words of a key that are listed.
const MOST_WORDS: usize = 6;

/// The page.
pub fn model_file_reference(studies: Studies) -> String {
    let page = Page { schema: schema(studies), studies };
    let mut text = String::new();
    for line in TEMPLATE.lines() {
        match line.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")) {
            Some(directive) => text.push_str(&page.part(directive)),
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

/// The examples of the page that the declarations give, with their words.
pub fn declared_examples() -> Vec<(&'static str, &'static str)> {
    let joints = JointTable::declared().into_iter().map(|of| (of.word, of.example));
    let couplings = CouplingTable::declared().into_iter().map(|of| (of.word, of.example));
    let drives = DriveTable::declared().into_iter().map(|of| (of.word, of.example));
    let forces = ForceTable::declared().into_iter().map(|of| (of.word, of.example));
    joints.chain(couplings).chain(drives).chain(forces).collect()
}

/// What the section of a type is made of.
struct Entry {
    word: &'static str,
    /// Title of its table.
    title: String,
    /// Keys that all types have.
    shared: &'static [&'static str],
    notes: &'static str,
    example: &'static str,
}

/// A model around an example: bodies and joints of the names that it uses, and a short motion.
pub fn example_model(example: &str) -> String {
    let table: toml::Table = example.parse().unwrap_or_default();
    let (mut bodies, mut joints) = (Vec::new(), Vec::new());
    for (key, value) in table.values().filter_map(|list| list.get(0)?.as_table()).flatten() {
        let names: Vec<&str> = match value {
            toml::Value::String(name) => vec![name],
            toml::Value::Array(list) if key == "terms" => {
                let coordinates = list.iter().filter_map(|term| term.get("coordinate")?.as_str());
                coordinates.filter_map(|name| name.split('.').next()).collect()
            }
            toml::Value::Array(list) => list.iter().filter_map(toml::Value::as_str).collect(),
            _ => vec![],
        };
        match key.as_str() {
            "between" | "on" | "point" => bodies.extend(names.into_iter().filter(|name| *name != "ground")),
            "joint" => joints.extend(names.into_iter().map(|name| (name, "revolute"))),
            "joints" | "terms" => joints.extend(names.into_iter().map(|name| (name, "cylindrical"))),
            _ => {}
        }
    }
    // What the example declares itself is there.
    let own = |name: &&str| {
        let lists = table.values().filter_map(toml::Value::as_array).flatten();
        lists.filter_map(|entry| entry.get("name")?.as_str()).all(|known| known != *name)
    };
    joints.retain(|(name, _)| own(name));
    let carried: Vec<String> = joints.iter().map(|(name, _)| format!("{name}_carried")).collect();
    let bodies = bodies.into_iter().filter(own).chain(carried.iter().map(String::as_str));
    let bodies = bodies.map(|name| {
        format!("[[body]]\nname = \"{name}\"\nmass = 1\ninertia = [1, 1, 1]\nposition = [0, 0, 0.3]\n")
    });
    let joints = joints.iter().map(|(name, word)| {
        format!(
            "[[joint]]\nname = \"{name}\"\ntype = \"{word}\"\nbetween = [\"ground\", \"{name}_carried\"]\n\
             at = [0, 0, 0]\naxis = [0, 0, 1]\n"
        )
    });
    let around: String = bodies.chain(joints).collect();
    format!("{around}{example}\n[study]\nend = 0.02\nstep = 1e-3\n")
}

struct Page {
    schema: Value,
    studies: Studies,
}

impl Page {
    fn part(&self, directive: &str) -> String {
        match directive {
            "joint types" => joint_types(self.studies),
            "joint sections" => self.sections(JointTable::declared().into_iter().map(|of| Entry {
                word: of.word,
                title: format!("{} joint", of.word),
                shared: &["name", "between"],
                notes: of.notes,
                example: of.example,
            })),
            "joint quantities" => joint_quantities(&JointTable::declared()),
            "coupling types" => {
                types("relation", CouplingTable::declared().iter().map(|of| (of.word, of.relation)))
            }
            "coupling sections" => self.sections(CouplingTable::declared().into_iter().map(|of| Entry {
                word: of.word,
                title: format!("{} coupling", of.word),
                shared: &["name"],
                notes: "",
                example: of.example,
            })),
            "coupling quantities" => coupling_quantities(&CouplingTable::declared()),
            "drive types" => types("imposes", DriveTable::declared().iter().map(|of| (of.word, of.what))),
            "drive sections" => self.sections(DriveTable::declared().into_iter().map(|of| Entry {
                word: of.word,
                title: format!("{} drive", of.word),
                shared: &["name"],
                notes: "",
                example: of.example,
            })),
            "drive quantities" => drive_quantities(&DriveTable::declared()),
            "force types" => types("what", ForceTable::declared().iter().map(|of| (of.word, of.what))),
            "force sections" => self.sections(ForceTable::declared().into_iter().map(|of| Entry {
                word: of.word,
                title: of.noun.into(),
                shared: &["name"],
                notes: of.notes,
                example: of.example,
            })),
            "force quantities" => force_quantities(&ForceTable::declared()),
            "integrators" => integrator_table(),
            "integrator forms" => integrator_forms(),
            "study keys" => {
                let mut generator = SchemaSettings::draft07().into_generator();
                self.keys(StudyKeys::object(&mut generator, None).as_value(), &[])
            }
            _ => match directive.strip_prefix("keys ").and_then(|title| titled(&self.schema, title)) {
                // What all studies have stands once.
                Some(object) if text(object, "title").contains("study") => self.keys(object, StudyKeys::KEYS),
                Some(object) => self.keys(object, &[]),
                None => format!("`{directive}` is not declared."),
            },
        }
    }

    /// All types of a family, one after the other.
    fn sections(&self, entries: impl Iterator<Item = Entry>) -> String {
        entries.map(|entry| self.section(&entry)).collect::<Vec<_>>().join("\n\n")
    }

    /// A type: what it is, its keys but those that all have, notes, example.
    fn section(&self, entry: &Entry) -> String {
        let object = titled(&self.schema, &entry.title).unwrap_or(&Value::Null);
        let mut parts =
            vec![format!("### `type = \"{}\"`", entry.word), wrapped(text(object, "description"))];
        let keys = self.keys(object, entry.shared);
        parts.extend((!keys.is_empty()).then_some(keys));
        parts.extend((!entry.notes.is_empty()).then(|| wrapped(entry.notes)));
        parts.push(format!("```toml\n{}\n```", entry.example));
        parts.join("\n\n")
    }

    /// The keys of a table with type, default and meaning.
    fn keys(&self, object: &Value, left_out: &[&str]) -> String {
        let Some(properties) = object["properties"].as_object() else { return String::new() };
        let required: Vec<&str> =
            object["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let own = properties
            .iter()
            .filter(|(key, property)| property.get("const").is_none() && !left_out.contains(&key.as_str()));
        let rows: Vec<String> = own
            .map(|(key, property)| {
                let (meaning, told) = told_default(text(property, "description"));
                let default = match property.get("default") {
                    Some(value) => code(&written(value)),
                    None if required.contains(&key.as_str()) => "required".into(),
                    None => told.unwrap_or_else(|| "–".into()),
                };
                let cells =
                    format!("`{key}` | {} | {default} | {meaning}{}", self.kind(property), choices(property));
                format!("| {} |", cells.replace("|Φ|", "\\|Φ\\|"))
            })
            .collect();
        match rows.is_empty() {
            true => String::new(),
            false => table("| key | type | default | meaning |", rows.into_iter()),
        }
    }

    /// What the values of a schema are, in words.
    fn kind(&self, schema: &Value) -> String {
        if let Some(reference) = schema["$ref"].as_str() {
            let target = self.schema.pointer(reference.trim_start_matches('#')).unwrap_or(&Value::Null);
            return match text(target, "title") {
                "" => self.named(reference),
                title => linked(title),
            };
        }
        if let Some(word) = schema.get("const") {
            return code(&word.to_string());
        }
        if let Some(inner) = schema["allOf"].get(0) {
            return self.kind(inner);
        }
        if let Some(words) = schema["enum"].as_array().filter(|words| words.len() <= MOST_WORDS) {
            let words: Vec<String> = words.iter().map(|word| code(&word.to_string())).collect();
            return words.join(", ");
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(choices) = schema[key].as_array() {
                let words: Vec<String> = choices.iter().map(|choice| self.kind(choice)).collect();
                let again = words.first().map(|first| format!("array of {first}s"));
                let words = words.iter().map(|word| match Some(word) == again.as_ref() {
                    true => "array of them",
                    false => word,
                });
                return words.collect::<Vec<_>>().join(" or ");
            }
        }
        match schema["type"].as_str() {
            Some("array") => self.array(schema),
            Some("object") => match text(schema, "title") {
                "" => "table".into(),
                title => linked(title),
            },
            Some(plain) => plain.into(),
            None => "any".into(),
        }
    }

    /// A definition without a title: the number.
    fn named(&self, reference: &str) -> String {
        reference.rsplit('/').next().unwrap_or(reference).to_lowercase()
    }

    fn array(&self, schema: &Value) -> String {
        let item = self.kind(&schema["items"]);
        let count = schema["minItems"].as_u64().filter(|_| schema["minItems"] == schema["maxItems"]);
        match (count, item.as_str()) {
            (Some(3), "number") => "vector".into(),
            (Some(n), "vector") => format!("{n}×3 numbers"),
            (Some(n), inner) if inner.ends_with("numbers") => format!("{n}×{inner}"),
            (Some(n), inner) => format!("{n} {inner}s"),
            (None, inner) if inner.ends_with('s') => format!("array of {inner}"),
            (None, inner) if inner.contains(" or ") || inner.contains(", ") => format!("array, each {inner}"),
            (None, inner) => format!("array of {inner}s"),
        }
    }
}

/// The types of joints, with the rows that each has in a system.
fn joint_types(studies: Studies) -> String {
    let rows = JointTable::declared().into_iter().map(|of| {
        let names: Vec<String> = of.coordinates.iter().map(|c| code(c.name)).collect();
        format!("| {} | {} | {} | {} |", link(of.word), rows_of(of, studies), of.free, names.join(", "))
    });
    table("| `type` | rows | free | coordinates |", rows)
}

/// How many equations the joint of an example is.
fn rows_of(of: &JointType, studies: Studies) -> String {
    let Ok((model, _)) = load_str("example.toml", &example_model(of.example), &[], studies) else {
        return "its example is wrong".into();
    };
    let ends = |joint: &JointSpec| JointEnds::new(attached(&joint.first, 1), attached(&joint.second, 2));
    let rows = |joint: &JointSpec| joint.kind.constraint(&ends(joint)).rows().to_string();
    model.joints.last().map(rows).unwrap_or_default()
}

/// A frame on some node.
fn attached(end: &EndSpec, node: NodeId) -> Attachment {
    Attachment { node, origin: end.frame.r, axes: end.frame.rotation }
}

/// All integrators with the keys that they have besides their form.
fn integrator_table() -> String {
    let rows = integrators().into_iter().map(|entry| {
        let other = entry.aliases().iter().map(|alias| match entry.meant_by(alias) {
            Some((key, value)) => format!("{} ({} {value})", code(alias), code(key)),
            None => code(alias),
        });
        let keys = entry.settings().into_iter().filter(|setting| setting.key != "form");
        let keys = keys.map(|setting| match setting.kind.range() {
            Some(range) => format!("{} {range}", code(setting.key)),
            None => code(setting.key),
        });
        let (other, keys) = (other.collect::<Vec<_>>().join(", "), keys.collect::<Vec<_>>().join("; "));
        let steps = if entry.is_adaptive() { "fixed, adaptive" } else { "fixed" };
        format!("| {} | {other} | {steps} | {} | {keys} |", code(entry.name()), entry.summary())
    });
    table("| name | other names | steps | | keys |", rows)
}

/// The forms of integrators, those with the same in one row.
fn integrator_forms() -> String {
    let mut groups: Vec<(Vec<&str>, Vec<&str>)> = vec![];
    for entry in integrators() {
        let forms = entry.words("form");
        match groups.iter_mut().find(|(known, _)| *known == forms) {
            Some((_, names)) => names.push(entry.name()),
            None => groups.push((forms, vec![entry.name()])),
        }
    }
    let rows =
        groups.into_iter().map(|(forms, names)| format!("| {} | {} |", families(&names), forms.join(", ")));
    table("| integrator | forms, the default first |", rows)
}

/// The types of a family.
fn types(what: &str, rows: impl Iterator<Item = (&'static str, &'static str)>) -> String {
    let rows = rows.map(|(word, text)| format!("| {} | {text} |", link(word)));
    table(&format!("| `type` | {what} |"), rows)
}

/// A meaning that ends with "; default: …", and that default.
fn told_default(text: &str) -> (String, Option<String>) {
    let split = text.strip_suffix('.').and_then(|whole| whole.rsplit_once("; default"));
    let Some((meaning, default)) = split.filter(|(meaning, _)| !meaning.contains("default")) else {
        return (text.into(), None);
    };
    match default.strip_prefix(": ").or_else(|| default.strip_prefix(' ')).filter(|d| !d.contains(". ")) {
        Some(default) => (format!("{meaning}."), Some(default.into())),
        None => (text.into(), None),
    }
}

/// The meanings of the words that a key can have.
fn choices(property: &Value) -> String {
    let words = property["enum"].as_array().filter(|words| words.len() <= MOST_WORDS);
    let docs = property["x-taplo"]["docs"]["enumValues"].as_array();
    let (Some(words), Some(docs)) = (words, docs) else { return String::new() };
    let each = words.iter().zip(docs).filter_map(|(word, doc)| {
        Some(format!(" {}: {}", code(&word.to_string()), doc.as_str().filter(|doc| !doc.is_empty())?))
    });
    each.collect()
}

/// The object of the schema with a title.
fn titled<'a>(schema: &'a Value, title: &str) -> Option<&'a Value> {
    match schema {
        Value::Object(map) => {
            if schema["properties"].is_object() && text(schema, "title") == title {
                return Some(schema);
            }
            map.values().find_map(|value| titled(value, title))
        }
        Value::Array(list) => list.iter().find_map(|value| titled(value, title)),
        _ => None,
    }
}

/// A word with a link to its own section if the page has one.
fn linked(title: &str) -> String {
    let heading = TEMPLATE.lines().filter_map(|line| line.strip_prefix("### "));
    match heading.map(str::to_lowercase).any(|heading| heading == title) {
        true => format!("[{title}](#{})", title.replace(' ', "-")),
        false => "table".into(),
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or("")
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

/// A type that links to its section.
fn link(word: &str) -> String {
    format!("[`\"{word}\"`](#type--{word})")
}

/// A default as it is written in a file.
fn written(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(written).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// A table from its head and rows.
fn table(head: &str, rows: impl Iterator<Item = String>) -> String {
    let rule = "|---".repeat(head.matches('|').count() - 1) + "|";
    [head.to_owned(), rule].into_iter().chain(rows).collect::<Vec<_>>().join("\n")
}

/// Prose in lines that are not too long; text with lines of its own stays as it is.
fn wrapped(text: &str) -> String {
    if text.contains('\n') {
        return text.into();
    }
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().map(|line| line.chars().count()).unwrap_or(0);
        if line > 0 && line + 1 + word.chars().count() > WIDTH {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
    }
    lines.join("\n")
}

/// Quantities `N.name` with their units, as cells of a row.
fn quantities(list: &[(&str, Option<&str>)]) -> String {
    let names: Vec<String> = list.iter().map(|(name, _)| format!("`N.{name}`")).collect();
    let units: Vec<&str> = list.iter().filter_map(|(_, unit)| *unit).collect();
    format!("{} | {}", names.join(", "), units.join(", "))
}

/// Rows with the same quantities under the names of all that offer them.
fn grouped(rows: impl Iterator<Item = (&'static str, String)>) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (owner, cells) in rows {
        match groups.iter_mut().find(|(known, _)| *known == cells) {
            Some((_, owners)) => owners.push(owner),
            None => groups.push((cells, vec![owner])),
        }
    }
    let rows = groups.iter().map(|(cells, owners)| format!("| {} | {cells} |", owners.join(", ")));
    rows.collect::<Vec<_>>().join("\n")
}

fn joint_quantities(declared: &[&JointType]) -> String {
    let of = declared.iter();
    let coordinates = of.clone().flat_map(|of| of.coordinates.iter().map(|c| (of.word, c)));
    let coordinates = coordinates.map(|(word, c)| {
        let cells = quantities(&[(c.name, c.dimension.unit()), (c.rate, c.dimension.rate_unit())]);
        (word, format!("{cells} | {}", c.meaning))
    });
    let axial = of.clone().filter_map(|of| {
        let along = match of.axial? {
            Axial::Axis => "the axis or normal",
            Axial::Line => "the line from first to second point, so tension is negative",
        };
        let cells = quantities(&[("reaction.axial", Some("N"))]);
        Some((of.word, format!("{cells} | force on the second body along {along}")))
    });
    let friction = of.clone().filter(|of| !of.bearing.is_empty());
    let friction = friction.map(|of| {
        let cells = quantities(&[("friction", Some("N or N·m"))]);
        (of.word, format!("{cells} | friction along the coordinate"))
    });
    let stops = of.flat_map(|of| of.stops.iter().map(|stop| (of.word, stop)));
    let stops = stops.map(|(word, stop)| {
        let cells = quantities(&[(stop.force, Some("N or N·m"))]);
        (word, format!("{cells} | force of the stops along the coordinate"))
    });
    grouped(coordinates.chain(axial).chain(friction).chain(stops))
}

fn coupling_quantities(declared: &[&CouplingType]) -> String {
    let meaning = "multiplier: times the factor of a term it is the force along the term's coordinate";
    grouped(declared.iter().map(|of| {
        let cells = quantities(&[("load", of.load_unit)]);
        (of.word, format!("{cells} | {meaning}"))
    }))
}

fn drive_quantities(declared: &[&DriveType]) -> String {
    let row = |of: &DriveType| {
        let (effort, meaning) = match of.effort {
            DriveEffort::Along => (("effort", Some("N or N·m")), "force or torque along the coordinate"),
            DriveEffort::Force => (("force.x", Some("N")), "force on the point, world axes"),
            DriveEffort::Torque => (("torque.x", Some("N·m")), "torque on the body, world axes"),
        };
        let cells = quantities(&[effort, ("power", Some("W"))]);
        format!("| {} drive | {cells} | {meaning}, and the power it feeds in |", of.word)
    };
    declared.iter().map(|of| row(of)).collect::<Vec<_>>().join("\n")
}

fn force_quantities(declared: &[&ForceType]) -> String {
    let row = |of: &ForceType| {
        let along = of.along?;
        let dimension = along.dimension;
        let list = [
            (along.name, dimension.unit()),
            (along.rate, dimension.rate_unit()),
            (along.effort, dimension.effort_unit()),
        ];
        Some(format!("| {} | {} | {} |", of.noun, quantities(&list), along.sign))
    };
    declared.iter().filter_map(|of| row(of)).collect::<Vec<_>>().join("\n")
}
