//! Mistakes in networks, components and units: what is said and where.

use poinsot_model::{LIBRARY, library_reference};
use poinsot_studies::{load, load_str};

/// Messages of a model, one line each.
fn messages(text: &str) -> Vec<String> {
    match load_str("n.ldae", text, &[]) {
        Ok((model, warnings)) => warnings.iter().map(|warning| warning.one_line(&model.source)).collect(),
        Err(error) => error.to_string().lines().map(str::to_owned).collect(),
    }
}

fn says(text: &str, want: &str) {
    let found = messages(text);
    assert!(found.iter().any(|message| message == want), "{found:#?}\nnot\n{want}");
}

const REST: &str = "V1 = voltage_source(a, ground, v = 1); R9 = resistor(a, ground, R = 1); FinalTime = 1;";

#[test]
fn unknown_things() {
    says(
        "R1 = resistr(a, b, R = 1);\nFinalTime = 1;",
        "n.ldae:1:6: error: unknown component `resistr` (did you mean `resistor`?)",
    );
    says(
        &format!("R1 = resistor(a, ground, r = 3, Q = 4);\n{REST}"),
        "n.ldae:1:26: error: `resistor` has no parameter `r` (did you mean `R`?)",
    );
    says(
        &format!("C1 = capacitor(a, ground, eqs = 3);\n{REST}"),
        "n.ldae:1:27: error: `capacitor` has no parameter `eqs` (did you mean `eps`?)",
    );
    says(
        &format!("R1 = resistor(a, R = 3);\n{REST}"),
        "n.ldae:1:6: error: `resistor` has 2 ports, but 1 are connected (its ports are p: electrical, n: electrical)",
    );
    says(
        &format!("R1 = resistor(a, 3, R = 3);\n{REST}"),
        "n.ldae:1:18: error: `3` is neither a node nor a parameter (first the nodes, then parameters by name: \
         `resistor(a, b, R = 10)`)",
    );
    says(&format!("p = 2*R9.u;\n{REST}"), "n.ldae:1:7: error: unknown name `R9.u` (did you mean `R9.q`?)");
    says(
        &format!("R9 = resistor(a, ground, R = 3);\n{REST}"),
        "n.ldae:2:40: error: two instances are called `R9`",
    );
    says(
        &format!("a = resistor(a, ground, R = 3);\n{REST}"),
        "n.ldae:1:14: error: a node and an instance are both called `a`",
    );
}

#[test]
fn disciplines_do_not_mix_at_a_node() {
    let text = "M1 = dc_motor(a, ground, shaft);\nR1 = resistor(shaft, ground, R = 1);\n";
    says(
        &format!("{text}{REST}"),
        "n.ldae:2:15: error: node `shaft` is rotational (M1) and electrical (R1) (disciplines meet inside components, \
         e.g. `dc_motor`)",
    );
}

#[test]
fn islands_and_loose_ends() {
    says(
        &format!("R1 = resistor(x, y, R = 1);\nC1 = capacitor(y, x);\n{REST}"),
        "n.ldae:1:15: error: the electrical nodes `x`, `y` have no connection to `ground` (every island needs a \
         reference: connect one of its nodes to `ground`)",
    );
    says(
        &format!("R1 = resistor(a, oops, R = 1);\n{REST}"),
        "n.ldae:1:18: warning: only `R1` is connected to the node `oops`: no current can run through it (a misspelt \
         node? nodes with the same name are connected)",
    );
    // With independent flows an island needs no reference.
    let text = "L1 = inductor(x, y, L = 1); C1 = capacitor(y, x, C = 1, v0 = 1); Flows = independent; FinalTime = 1;";
    assert_eq!(messages(text), Vec::<String>::new());
}

#[test]
fn sources_that_contradict() {
    says(
        &format!("V2 = voltage_source(a, ground, v = 2);\n{REST}"),
        "n.ldae:2:1: error: `V1`, `V2` give every voltage of a loop (one of them is too many, or something must give \
         way between them)",
    );
    says(
        &format!("I1 = current_source(b, ground, i = 2); I2 = current_source(ground, b, i = 1);\n{REST}"),
        "n.ldae:1:1: error: `I1`, `I2` give every current into `b` (what they feed needs another way back)",
    );
    says(
        "U1 = velocity_source(c, ground, v = 1); U2 = velocity_source(c, ground, v = 2); FinalTime = 1;",
        "n.ldae:1:41: error: `U1`, `U2` give every velocity of a loop (one of them is too many, or something must \
         give way between them)",
    );
}

#[test]
fn units_that_do_not_fit() {
    says(
        &format!("R1 = resistor(a, ground, R = 3 [F]);\n{REST}"),
        "n.ldae:1:30: error: `R1.R` is in ohm, but this is in F",
    );
    says(
        &format!("R1 = resistor(a, ground, R = 3 [khm]);\n{REST}"),
        "n.ldae:1:33: error: unknown unit `khm` (did you mean `ohm`?)",
    );
    says(
        &format!("power = R9.R*R9.i^2 + a.v;\n{REST}"),
        "n.ldae:1:23: error: `a.v` is in V, but `R9.R*R9.i^2` is in W",
    );
    says(&format!("x = 3 [m] + 2 [s];\n{REST}"), "n.ldae:1:5: error: `2 [s]` is in s, but `3 [m]` is in m");
    let own = "k = 3 [N]; DisplacementVariables = [x [m]]; FlowVariables = [v [m/s]];\n\
               PotentialEnergy = k*x*x/2; KineticCoEnergy = (2 [kg])*v*v/2; FinalTime = 1;";
    says(own, "n.ldae:2:19: error: PotentialEnergy is in J, but this is in kg·m^3·s^-2");
    assert_eq!(messages(&own.replace("[N]", "[N/m]")), Vec::<String>::new());
    says(
        &own.replace("[N]", "[N/m]").replace("FinalTime", "GeneralizedEfforts = [3 [V]]; FinalTime"),
        "n.ldae:2:84: error: the effort on `x` is in N, but this is in V",
    );
}

#[test]
fn start_values_given_twice() {
    says(
        "M1 = mass(a, m = 1, x0 = 1);\nM2 = mass(a, m = 1, x0 = 2); FinalTime = 1;",
        "n.ldae:2:1: error: the start of `M2` follows from others already (give start values for one component at each \
         node)",
    );
}

#[test]
fn components_beside_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    // Two resistors in series with a node inside, made of the component of the library.
    write(
        "divider.ldae",
        "Component = divider; Ports = [p: electrical, tap: electrical, n: electrical]; R = 1 [ohm]; part = 0.25 [1];\n\
         A = resistor(p, tap, R = (1 - part)*R); B = resistor(tap, n, R = part*R);",
    );
    // One that stands before the library's.
    write(
        "spring.ldae",
        "Component = spring; Ports = [p: translation, n: translation]; k = 1 [N/m^3];\n\
         DisplacementVariables = [x]; FlowVariables = [v]; Branches = [v: p -> n]; PotentialEnergy = k*x^4/4;",
    );
    write("bad.ldae", "Component = bad;\nPorts = [p: electrical];\nDisplacementVariables = [q];\n");
    write("loop.ldae", "Component = loop; Ports = [p: electrical];\nX = loop(p);\n");
    let model = folder.path().join("model.ldae");
    let read = |text: &str| {
        std::fs::write(&model, text).unwrap();
        match load(&model, &[]) {
            Ok((model, warnings)) => Ok((model, warnings)),
            Err(error) => Err(error.to_string()),
        }
    };
    let (found, _) = read(
        "V1 = voltage_source(a, ground, v = 8 + t); D1 = divider(a, b, ground, R = 2); R1 = resistor(b, ground, R = 1e9);
         S1 = spring(ground, m, k = 3); M1 = mass(m, x0 = 1); FinalTime = 1;",
    )
    .unwrap();
    let names: Vec<&str> = found.equations[0].variables.iter().map(|v| v.name.as_str()).collect();
    assert!(names.contains(&"D1.A.i") && names.contains(&"b.v"), "{names:?}");
    let value = |name: &str| found.parameters.iter().find(|p| p.name == name).map(|p| p.value);
    assert_eq!((value("D1.A.R"), value("D1.B.R"), value("S1.k")), (Some(1.5), Some(0.5), Some(3.0)));
    let unit =
        |name: &str| found.equations[0].variables.iter().find(|v| v.name == name).unwrap().unit.clone();
    assert_eq!(
        (unit("D1.A.i"), unit("b.v"), unit("m.x")),
        (Some("A".into()), Some("V".into()), Some("m".into()))
    );
    let error = read("B1 = bad(a); FinalTime = 1;").unwrap_err();
    assert!(error.contains("in the component `bad`") && error.contains("bad.ldae:2:10"), "{error}");
    let error = read("B1 = loop(a); FinalTime = 1;").unwrap_err();
    assert!(error.contains("the component `loop` contains itself: loop → loop"), "{error}");
    let error = load(folder.path().join("divider.ldae"), &[]).unwrap_err().to_string();
    assert!(error.contains("`divider` is a component: a model uses it"), "{error}");
}

/// Every component of the library is sound by itself, has its place in the documents and says what it is.
#[test]
fn library_is_documented() {
    let document = include_str!("../../../../docs/components.md");
    assert!(document == library_reference(), "make docs/components.md anew: poinsot components --markdown");
    for component in LIBRARY {
        let text = component.documentation();
        for word in ["Law:", "Port"] {
            assert!(text.contains(word), "{}: {word}", component.name);
        }
        let summary = component.summary();
        assert!(summary.ends_with('.'), "{}: {summary}", component.name);
        let usage = component.usage();
        let parameters = usage
            .split(&['(', ','][..])
            .filter_map(|part| part.split_once(" = "))
            .map(|(name, _)| name.trim());
        for parameter in parameters {
            let mentioned =
                text.split(|c: char| !(c == '_' || c.is_alphanumeric())).any(|word| word == parameter);
            assert!(mentioned, "{}: {parameter} is not explained", component.name);
        }
    }
}
