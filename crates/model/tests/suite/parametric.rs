//! A model resolved again for other parameters: the same as loaded with them, without reading anything.

use poinsot_model::{Diagnostic, Model, build};
use poinsot_studies::{load, load_str};
use std::path::{Path, PathBuf};

/// All that was resolved, as text.
fn resolved(model: &Model) -> String {
    format!(
        "{:#?}",
        (
            (&model.name, model.gravity, model.turning, &model.parameters, &model.tables),
            (&model.bodies, &model.beams, &model.markers, &model.joints, &model.couplings),
            (&model.drives, &model.constraints, &model.equations, &model.forces),
            (&model.events, &model.signals, &model.expects, &model.looks, &model.files),
        )
    )
}

/// Model files of a folder and of those in it.
fn models(folder: &Path, list: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            models(&path, list);
        } else if path.extension().is_some_and(|ending| ending == "toml" || ending == "ldae") {
            list.push(path);
        }
    }
}

#[test]
fn every_model_with_another_parameter_is_as_if_loaded_with_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut list = vec![];
    models(&root.join("examples"), &mut list);
    models(&root.join("verification"), &mut list);
    let mut compared = 0;
    for path in list {
        // Components stand beside models and are none.
        let Ok((model, _)) = load(&path, &[]) else { continue };
        let Some(parameter) = model.parameters.first() else { continue };
        // Digits that a decimal text of few places would not carry.
        let value = parameter.value * (1.0 + 1.0 / 3.0) + 1e-3 / 7.0;
        let set = [(parameter.name.clone(), format!("{value:?}"))];
        let again = model.with_parameters(&[(parameter.name.clone(), value)]);
        match (load(&path, &set), again) {
            (Ok((loaded, first)), Ok((again, second))) => {
                assert_eq!(resolved(&loaded), resolved(&again), "{}", path.display());
                let lines = |list: &[Diagnostic]| -> Vec<String> {
                    list.iter().map(|warning| warning.one_line(&model.source)).collect()
                };
                assert_eq!(lines(&first), lines(&second), "{}", path.display());
                compared += 1;
            }
            (Err(loaded), Err(again)) => assert_eq!(loaded.to_string(), again.to_string()),
            (loaded, again) => panic!("{}: {:?} {:?}", path.display(), loaded.is_ok(), again.is_ok()),
        }
    }
    assert!(compared > 40, "{compared}");
}

#[test]
fn files_beside_a_model_are_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let beside = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    beside("force.csv", "0,0\n1,2\n");
    let corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
    let facet = |[a, b, c]: [usize; 3]| {
        let corner = |k: usize| format!("vertex {} {} {}\n", corners[k][0], corners[k][1], corners[k][2]);
        format!("facet normal 0 0 0\nouter loop\n{}{}{}endloop\nendfacet\n", corner(a), corner(b), corner(c))
    };
    let facets: String = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].map(facet).concat();
    beside("part.stl", &format!("solid part\n{facets}endsolid part\n"));
    beside(
        "circuit.ldae",
        "DisplacementVariables = [q]; FlowVariables = [f]; L = 2; KineticCoEnergy = L*f^2/2;",
    );
    beside(
        "model.toml",
        r#"
        [parameters]
        m = 1
        [[table]]
        name = "pull"
        file = "force.csv"
        [[body]]
        name = "part"
        shape = { type = "mesh", file = "part.stl", mass = "m" }
        look = { type = "mesh", file = "part.stl" }
        [[force]]
        name = "load"
        type = "force"
        on = "part"
        force = ["m*pull(t)", 0, 0]
        [[lagrangian]]
        name = "circuit"
        file = "circuit.ldae"
        "#,
    );
    let path = folder.path().join("model.toml");
    let (model, _) = load(&path, &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(model.files.len(), 3);
    std::fs::remove_dir_all(folder.path()).unwrap();
    let (twice, _) = model.with_parameters(&[("m".into(), 2.0), ("circuit.L".into(), 5.0)]).unwrap();
    assert_eq!(twice.files, model.files);
    let energy = |model: &Model| {
        let (system, _) = build(model).unwrap();
        system.bodies().map(|body| body.mass).sum::<f64>()
    };
    assert_eq!((energy(&model), energy(&twice)), (1.0, 2.0));
    let inductance = twice.parameters.iter().find(|p| p.name == "circuit.L").unwrap();
    assert!(inductance.value == 5.0 && inductance.overridden);
}

#[test]
fn what_was_chosen_stays() {
    let text = "[parameters]\na = 1\nb = \"2*a\"\n[study]\ntype = \"modes\"\n";
    let (model, _) = load_str("model.toml", text, &[("a".into(), "3".into())]).unwrap();
    let value = |model: &Model, name: &str| model.parameters.iter().find(|p| p.name == name).unwrap().value;
    let (changed, _) = model.with_parameters(&[("b".into(), 0.5)]).unwrap();
    assert_eq!((value(&changed, "a"), value(&changed, "b")), (3.0, 0.5));
    // The value that was set last counts, whoever set it before.
    let (again, _) = changed.with_parameters(&[("a".into(), 4.0)]).unwrap();
    assert_eq!((value(&again, "a"), value(&again, "b")), (4.0, 0.5));
    let wrong = model.with_parameters(&[("c".into(), 1.0)]).unwrap_err();
    assert!(wrong.to_string().contains("cannot set `c`: no such parameter"), "{wrong}");
}

#[test]
fn other_values_raise_their_own_warnings() {
    let text = r#"
        [parameters]
        d = 1
        [[body]]
        name = "a"
        type = "point"
        mass = 1
        position = [0, 0, -1]
        [[force]]
        name = "f"
        type = "spring"
        between = ["ground", "a"]
        stiffness = 1
        length = 1
        damping = "d"
    "#;
    let (model, warnings) = load_str("model.toml", text, &[]).unwrap_or_else(|error| panic!("{error}"));
    assert!(warnings.is_empty());
    let (_, warnings) = model.with_parameters(&[("d".into(), -1.0)]).unwrap();
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    assert!(warning.message.contains("it feeds energy in"), "{}", warning.message);
}
