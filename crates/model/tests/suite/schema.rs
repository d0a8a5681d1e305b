//! The JSON Schema agrees with the reader.

use poinsot_model::model_file_reference;
use poinsot_studies::schema;
use serde_json::{Value, json};
use std::collections::HashSet;

const GOOD: &str = include_str!("good.toml");
const MECHANISM: &str = include_str!("mechanism.toml");

/// A validator of the keywords the schema uses.
fn validate(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    let fail = |why: &str| Err(format!("{why}: {value} against {schema}"));
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.trim_start_matches('#'));
        return validate(root, target.ok_or("dangling reference")?, value);
    }
    let list = |key: &str| schema[key].as_array().map(Vec::as_slice).unwrap_or(&[]);
    for part in list("allOf") {
        validate(root, part, value)?;
    }
    for key in ["anyOf", "oneOf"] {
        let choices = list(key);
        let errors: Vec<String> = choices.iter().filter_map(|c| validate(root, c, value).err()).collect();
        let matching = choices.len() - errors.len();
        if !choices.is_empty() && (matching == 0 || key == "oneOf" && matching != 1) {
            return fail(&format!("{matching} of {key}"));
        }
    }
    let fits = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some(other) => return fail(other),
        None => true,
    };
    if !fits {
        return fail("type");
    }
    if !list("enum").is_empty() && !list("enum").contains(value) {
        return fail("enum");
    }
    if schema.get("const").is_some_and(|constant| constant != value) {
        return fail("const");
    }
    if let Some(items) = value.as_array() {
        let count = items.len() as u64;
        let least = schema["minItems"].as_u64().unwrap_or(0);
        let most = schema["maxItems"].as_u64().unwrap_or(u64::MAX);
        if !(least..=most).contains(&count) {
            return fail("items");
        }
        if let Some(item) = schema.get("items") {
            items.iter().try_for_each(|i| validate(root, item, i))?;
        }
    }
    if let Some(object) = value.as_object() {
        for key in list("required") {
            if !object.contains_key(key.as_str().unwrap()) {
                return fail(&format!("missing {key}"));
            }
        }
        for (key, inner) in object {
            match (schema["properties"].get(key), &schema["additionalProperties"]) {
                (Some(property), _) => validate(root, property, inner)?,
                (None, Value::Bool(false)) => return fail(&format!("extra {key}")),
                (None, Value::Null) => {}
                (None, other) => validate(root, other, inner)?,
            }
        }
    }
    Ok(())
}

fn accepts(text: &str) -> Result<(), String> {
    let value: Value = toml::from_str(text).unwrap();
    let schema = schema();
    validate(&schema, &schema, &value)
}

#[test]
fn the_good_files_are_valid() {
    accepts(GOOD).unwrap();
    accepts(MECHANISM).unwrap();
}

#[test]
fn mistakes_are_refused() {
    for (from, to) in [
        ("angular_velocity_body =", "angular_velocity_bdy ="),
        ("type = \"spherical\"", "type = \"sperical\""),
        ("frame = \"body\"", "frame = \"local\""),
        ("gravity = [0, 0, \"-g\"]", "gravity = [0, 0]"),
        ("step = 1e-3\n", "step = true\n"),
        ("integrator = \"generalized-alpha\"", "integrator = \"eulr\""),
        ("m = 15", "m = []"),
    ] {
        let text = GOOD.replacen(from, to, 1);
        assert_ne!(text, GOOD, "{from}");
        assert!(accepts(&text).is_err(), "{to}");
    }
    for (from, to) in [
        ("lead = -0.005\n", ""),
        ("static = 0.2", "statics = 0.2"),
        ("transition_velocity = 2e-3", "radius = 0.1"),
        ("internal = true", "internal = 1"),
        ("radii = [0.1, 0.2]", "radii = [0.1]"),
        ("offset = 0.5", "offset = true"),
        ("coordinate = \"displacement\"", "coordinates = \"displacement\""),
        ("interpolation = \"linear\"", "interpolation = \"cubic\""),
        ("type = \"kinematics\"", "type = \"kinematic\""),
        ("equation = \"height", "equality = \"height"),
    ] {
        let text = MECHANISM.replacen(from, to, 1);
        assert_ne!(text, MECHANISM, "{from}");
        assert!(accepts(&text).is_err(), "{to}");
    }
}

#[test]
fn other_forms_are_valid() {
    accepts("[study]\nend = \"2*T\"\nstep = 1\nintegrator = { family = \"U0\", roots = [1, 1, 0] }").unwrap();
    accepts("[study]\ntype = \"equilibrium\"\nload_steps = 3").unwrap();
    accepts("[study]\ntype = \"modes\"\ncount = 3\nabout = \"start\"").unwrap();
    accepts("[study]\ntype = \"linearize\"\ninputs = [\"f.x\"]\noutputs = [\"y\"]\nformat = [\"npz\"]")
        .unwrap();
    assert!(accepts("[study]\ntype = \"modes\"\ncount = 1.5").is_err());
    assert!(accepts("[study]\ntype = \"linearize\"\nformat = [\"csv\"]").is_err());
    let six = format!("[{}]", ["[1, 0, 0, 0, 0, 0]"; 6].join(", "));
    accepts(&format!(
        "[[force]]\nname = \"b\"\ntype = \"bushing\"\nbetween = [\"a\", \"b\"]\nstiffness = {six}"
    ))
    .unwrap();
}

#[test]
fn examples_of_the_reference_are_valid() {
    let reference = include_str!("../../../../docs/model-file.md");
    let examples: Vec<&str> =
        reference.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(examples.len() >= 10, "{}", examples.len());
    for example in examples {
        accepts(example).unwrap_or_else(|error| panic!("{error}\n{example}"));
    }
}

/// Every object of the schema with its properties.
fn objects<'a>(value: &'a Value, found: &mut Vec<&'a Value>) {
    if value["properties"].is_object() {
        found.push(value);
    }
    match value {
        Value::Object(map) => map.values().for_each(|v| objects(v, found)),
        Value::Array(list) => list.iter().for_each(|v| objects(v, found)),
        _ => {}
    }
}

#[test]
fn every_key_is_listed_and_described() {
    let schema = schema();
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    let mut found = Vec::new();
    objects(&schema, &mut found);
    let reference = model_file_reference(poinsot_studies::studies());
    let words: HashSet<&str> = reference.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    let mut keys: Vec<&str> = Vec::new();
    for object in found {
        assert!(object["description"].as_str().is_some_and(|d| !d.is_empty()), "{object}");
        for (key, property) in object["properties"].as_object().unwrap() {
            keys.push(key);
            assert!(words.contains(key.as_str()), "{key} is not in the reference");
            let described = property["description"].as_str().is_some_and(|d| !d.is_empty());
            assert!(described || property.get("const").is_some(), "{key}");
        }
    }
    for key in [
        "model",
        "parameters",
        "body",
        "marker",
        "joint",
        "force",
        "study",
        "signal",
        "expect",
        "name",
        "description",
        "gravity",
        "plane",
        "mass",
        "inertia",
        "inertia_about",
        "centre_of_mass",
        "shape",
        "position",
        "orientation",
        "velocity",
        "angular_velocity",
        "angular_velocity_body",
        "type",
        "size",
        "density",
        "radius",
        "length",
        "axis",
        "outer_radius",
        "inner_radius",
        "height",
        "corners",
        "file",
        "scale",
        "angle",
        "rotation_vector",
        "euler_parameters",
        "rodrigues",
        "sequence",
        "angles",
        "matrix",
        "x_axis",
        "y_axis",
        "z_axis",
        "between",
        "at",
        "second_axis",
        "points",
        "on",
        "frame",
        "torque",
        "stiffness",
        "damping",
        "end",
        "step",
        "start",
        "integrator",
        "family",
        "roots",
        "rho",
        "form",
        "tolerance",
        "output_step",
        "value",
        "unit",
        "relative",
        "source",
        "table",
        "coupling",
        "drive",
        "constraint",
        "lead",
        "point",
        "curve",
        "normal",
        "axle",
        "centre",
        "limits",
        "angle_limits",
        "displacement_limits",
        "lower",
        "upper",
        "friction",
        "static",
        "dynamic",
        "stribeck_velocity",
        "transition_velocity",
        "viscous",
        "arm",
        "preload",
        "joints",
        "teeth",
        "ratio",
        "internal",
        "radii",
        "crossed",
        "terms",
        "coordinate",
        "factor",
        "offset",
        "columns",
        "interpolation",
        "extrapolation",
        "rate",
        "relative_to",
        "equation",
        "load_steps",
        "max_iterations",
        "about",
        "count",
        "observer",
        "inputs",
        "outputs",
        "format",
        "stages",
        "relative_tolerance",
        "longest_step",
        "when",
        "crossing",
        "impulse",
        "restitution",
    ] {
        assert!(keys.contains(&key), "{key}");
    }
    let study = &schema["definitions"]["StudyTable"]["oneOf"][0];
    assert_eq!(study["properties"]["type"]["const"], "motion");
    assert_eq!(study["required"], json!(["end"]));
    assert_eq!(study["properties"]["start"]["default"], json!(0));
    let gravity = &schema["definitions"]["ModelTable"]["properties"]["gravity"];
    assert_eq!(gravity["default"], json!([0, 0, -9.81]));
}
