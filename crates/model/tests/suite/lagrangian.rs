//! Energy models beside the mechanics, against the same systems as energy models alone.

use crate::energy;

use energy::{Record, model, run};
use poinsot_studies::{load, load_str};

/// An arm on a hinge: centre of mass at l along x, axis y, gravity along −z. Rotated by θ about y its height
/// is −l sin θ.
const ARM: &str = r#"
[model]
gravity = [0, 0, -9.81]
[parameters]
m = 2
l = 0.4
R0 = 0.5
[[body]]
name = "arm"
mass = "m"
inertia = [0.03, 0.03, 0.03]
position = ["l", 0, 0]
[[joint]]
name = "shoulder"
type = "revolute"
between = ["ground", "arm"]
at = [0, 0, 0]
axis = [0, 1, 0]
[[signal]]
name = "angle"
value = "shoulder.angle"
[[signal]]
name = "speed"
value = "shoulder.rate"
[study]
end = 1
integrator = "radau"
relative_tolerance = 1e-12
absolute_tolerance = 1e-12
"#;

/// The same arm by its energies.
const ARM_ENERGIES: &str = "m = 2; l = 0.4; J = 0.03 + m*l^2; g = 9.81; R = 1;\n\
    InitialTime = 0; FinalTime = 1; AbsoluteTolerance = 1e-12; RelativeTolerance = 1e-12;\n";

fn compare(a: &Record, b: &Record, pairs: &[(&str, &str)], bound: f64) {
    for t in [0.25, 0.5, 1.0] {
        for (x, y) in pairs {
            let (x, y) = (a.at(t, x), b.at(t, y));
            assert!((x - y).abs() <= bound * y.abs().max(1.0), "{t}: {x} and {y}");
        }
    }
}

const TIMES: [f64; 3] = [0.25, 0.5, 1.0];

/// An armature with inductance: reads the speed, loads the joint. Its file gives R, the model sets it to 2
/// R0.
#[test]
fn a_motor_drives_an_arm() {
    let both = model(
        "arm.toml",
        &format!(
            r#"{ARM}
[[signal]]
name = "current"
value = "motor.i"
[[lagrangian]]
name = "motor"
model = """
R = 7; L = 0.05; K = 1.5; U = 12*sin(3*t);
DisplacementVariables = [q]; FlowVariables = [i];
KineticCoEnergy = L*i^2/2;
DissipationFunction = R*i^2/2;
GeneralizedEfforts = [U - K*w];
InitialDisplacements = [0]; InitialFlows = [0.5];
"""
read = {{ w = "shoulder.rate" }}
loads = {{ "shoulder.angle" = "K*i" }}
[lagrangian.parameters]
R = "2*R0"
"#
        ),
    );
    let block = &both.equations[0];
    assert_eq!(block.variables.iter().map(|v| v.name.as_str()).collect::<Vec<_>>(), ["q", "i"]);
    let kinematic = energy::value(&block.equations[0].expr, &[("der(motor.q)", 5.0), ("motor.i", 2.0)]);
    assert_eq!(kinematic, 3.0);
    let resistance = both.parameters.iter().find(|p| p.name == "motor.R").unwrap();
    // What the file says follows parameters that events set.
    assert_eq!((resistance.value, resistance.overridden), (1.0, false));
    let alone = model(
        "alone.ldae",
        &format!(
            "{ARM_ENERGIES}L = 0.05; K = 1.5; U = 12*sin(3*t);\n\
             DisplacementVariables = [q, th]; FlowVariables = [i, w]; EffortVariables = [tau];\n\
             KineticCoEnergy = (L*i^2 + J*w^2)/2; PotentialEnergy = -m*g*l*sin(th);\n\
             DissipationFunction = R*i^2/2; GeneralizedEfforts = [U - K*w, tau]; EffortConstraints = [tau - K*i];\n\
             InitialDisplacements = [0, 0]; InitialFlows = [0.5, 0];"
        ),
    );
    let (a, b) = (run(&both, None, &TIMES), run(&alone, None, &TIMES));
    compare(&a, &b, &[("angle", "th"), ("speed", "w"), ("current", "i")], 1e-9);
    // A parameter of the energy model from the command line.
    let set = [("motor.R".to_owned(), "3".to_owned())];
    let (other, _) = load_str("arm.toml", &both.source.text, &set).unwrap();
    assert_eq!(other.parameters.iter().find(|p| p.name == "motor.R").unwrap().value, 3.0);
    let wrong = [("motor.resist".to_owned(), "3".to_owned())];
    assert!(
        load_str("arm.toml", &both.source.text, &wrong)
            .unwrap_err()
            .to_string()
            .contains("cannot set `resist`: no such parameter")
    );
}

/// A rotor geared to the joint by a displacement constraint: the load φ_rᵀλ acts by itself.
#[test]
fn a_gear_between_shaft_and_joint() {
    let geared = model(
        "arm.toml",
        &format!(
            r#"{ARM}
[[signal]]
name = "shaft"
value = "rotor.theta"
[[lagrangian]]
name = "rotor"
model = """
Jm = 0.002; n = 10; b = 0.01;
DisplacementVariables = [theta]; FlowVariables = [theta_rate];
KineticCoEnergy = Jm*theta_rate^2/2;
DissipationFunction = b*theta_rate^2/2;
GeneralizedEfforts = [0.3];
DisplacementConstraints = [theta - n*angle];
InitialDisplacements = [0]; InitialFlows = [0];
"""
read = {{ angle = "shoulder.angle" }}
"#
        ),
    );
    assert_eq!(geared.equations[0].loads.len(), 1);
    assert_eq!(geared.equations[0].loads[0].name, "shoulder.angle");
    let alone = model(
        "alone.ldae",
        &format!(
            "{ARM_ENERGIES}Jm = 0.002; n = 10; b = 0.01;\n\
             DisplacementVariables = [th]; FlowVariables = [w];\n\
             KineticCoEnergy = (J + n^2*Jm)*w^2/2; PotentialEnergy = -m*g*l*sin(th);\n\
             DissipationFunction = b*n^2*w^2/2; GeneralizedEfforts = [0.3*n];\n\
             InitialDisplacements = [0]; InitialFlows = [0];"
        ),
    );
    let (a, b) = (run(&geared, None, &TIMES), run(&alone, None, &TIMES));
    compare(&a, &b, &[("angle", "th"), ("speed", "w")], 1e-9);
    assert!((a.at(1.0, "shaft") - 10.0 * a.at(1.0, "angle")).abs() < 1e-10);
}

/// A PI controller: s' = angle error, torque on the joint.
#[test]
fn a_controller_by_dynamic_variables() {
    let controlled = model(
        "arm.toml",
        &format!(
            r#"{ARM}
[[lagrangian]]
name = "controller"
model = """
Kp = 40; Ki = 30; Kd = 5; target = 0.3;
DynamicVariables = [s]; EffortVariables = [tau];
DynamicConstraints = [angle - target];
EffortConstraints = [tau + Kp*(angle - target) + Ki*s + Kd*w];
InitialDynamic = [0];
"""
read = {{ angle = "shoulder.angle", w = "shoulder.rate" }}
loads = {{ shoulder.angle = "tau" }}
"#
        ),
    );
    let alone = model(
        "alone.ldae",
        &format!(
            "{ARM_ENERGIES}Kp = 40; Ki = 30; Kd = 5; target = 0.3;\n\
             DisplacementVariables = [th]; FlowVariables = [w]; DynamicVariables = [s];\n\
             KineticCoEnergy = J*w^2/2; PotentialEnergy = -m*g*l*sin(th);\n\
             GeneralizedEfforts = [-Kp*(th - target) - Ki*s - Kd*w]; DynamicConstraints = [th - target];\n\
             InitialDisplacements = [0]; InitialFlows = [0]; InitialDynamic = [0];"
        ),
    );
    let (a, b) = (run(&controlled, None, &TIMES), run(&alone, None, &TIMES));
    compare(&a, &b, &[("angle", "th"), ("speed", "w")], 1e-9);
}

/// A mass on a slide along x, 2 m from the origin.
const SLIDE: &str = r#"
[model]
gravity = [0, 0, 0]
[[body]]
name = "mass"
mass = 3
inertia = [1, 1, 1]
position = [2, 0, 0]
[[joint]]
name = "slide"
type = "prismatic"
between = ["ground", "mass"]
at = [2, 0, 0]
axis = [1, 0, 0]
[[signal]]
name = "x"
value = "slide.displacement"
[[signal]]
name = "u"
value = "slide.displacement_rate"
[study]
end = 1
integrator = "radau"
relative_tolerance = 1e-12
absolute_tolerance = 1e-12
"#;

/// A hydraulic cylinder between two points: oil that a pump brings in is compressed by the length. The energy
/// of compression contains the length, and loads it by itself.
#[test]
fn a_hydraulic_cylinder() {
    let cylinder = model(
        "slide.toml",
        &format!(
            r#"{SLIDE}
[[signal]]
name = "volume"
value = "oil.V"
[[force]]
name = "cylinder"
type = "spring"
between = ["ground", "mass"]
points = [[0, 0, 0], [2, 0, 0]]
force = "0*length"
[[lagrangian]]
name = "oil"
model = """
A = 0.5; K = 40; x0 = 2; leak = 0.2;
DisplacementVariables = [V]; FlowVariables = [Q];
PotentialEnergy = K*(V - A*(x - x0))^2/2;
DissipationFunction = Q^2/(2*leak) + 0.7*u^2/2;
GeneralizedEfforts = [4];
InitialDisplacements = [0]; InitialFlows = [0.8];
"""
read = {{ x = "cylinder.length", u = "cylinder.rate" }}
"#
        ),
    );
    let alone = model(
        "alone.ldae",
        "A = 0.5; K = 40; leak = 0.2; FinalTime = 1; AbsoluteTolerance = 1e-12; RelativeTolerance = 1e-12;\n\
         DisplacementVariables = [V, x]; FlowVariables = [Q, u];\n\
         KineticCoEnergy = 3*u^2/2; PotentialEnergy = K*(V - A*x)^2/2;\n\
         DissipationFunction = Q^2/(2*leak) + 0.7*u^2/2; GeneralizedEfforts = [4, 0];\n\
         InitialDisplacements = [0, 0]; InitialFlows = [0.8, 0];",
    );
    let (a, b) = (run(&cylinder, None, &TIMES), run(&alone, None, &TIMES));
    compare(&a, &b, &[("x", "x"), ("u", "u"), ("volume", "V")], 1e-9);
}

/// A voice coil in a file of its own whose inductance depends on the position: T* contains the coordinate.
#[test]
fn a_voice_coil_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let coil = "L0 = 0.02; d = 0.5; R = 3; B = 4; U = 6;\n\
                DisplacementVariables = [q]; FlowVariables = [i];\n\
                KineticCoEnergy = L0/(1 + (x/d)^2)*i^2/2;\nDissipationFunction = R*i^2/2;\n\
                GeneralizedEfforts = [U - B*u];\nInitialDisplacements = [0]; InitialFlows = [0];\n\
                FinalTime = 5;\n";
    std::fs::write(folder.path().join("coil.ldae"), coil).unwrap();
    let text = format!(
        r#"{SLIDE}
[[signal]]
name = "i"
value = "coil.i"
[[lagrangian]]
name = "coil"
file = "coil.ldae"
read = {{ x = "slide.displacement", u = "slide.displacement_rate" }}
loads = {{ "slide.displacement" = "B*i" }}
"#
    );
    let path = folder.path().join("slide.toml");
    std::fs::write(&path, &text).unwrap();
    let (both, warnings) = load(&path, &[]).unwrap();
    // What the file says of a run of its own does not matter here.
    assert!(warnings.is_empty(), "{warnings:?}");
    let alone = model(
        "alone.ldae",
        "L0 = 0.02; d = 0.5; R = 3; B = 4; U = 6; FinalTime = 1; AbsoluteTolerance = 1e-12; RelativeTolerance = 1e-12;\n\
         DisplacementVariables = [q, x]; FlowVariables = [i, u];\n\
         KineticCoEnergy = L0/(1 + (x/d)^2)*i^2/2 + 3*u^2/2; DissipationFunction = R*i^2/2;\n\
         GeneralizedEfforts = [U - B*u, B*i]; InitialDisplacements = [0, 0]; InitialFlows = [0, 0];",
    );
    let (a, b) = (run(&both, None, &TIMES), run(&alone, None, &TIMES));
    compare(&a, &b, &[("x", "x"), ("u", "u"), ("i", "i")], 1e-9);
    // A mistake in the file is named with its line and column.
    std::fs::write(folder.path().join("coil.ldae"), coil.replace("R*i^2", "RR*i^2")).unwrap();
    let error = load(&path, &[]).unwrap_err().to_string();
    assert!(error.contains("coil.ldae:4:23: unknown name `RR`"), "{error}");
    std::fs::remove_file(folder.path().join("coil.ldae")).unwrap();
    assert!(load(&path, &[]).unwrap_err().to_string().contains("cannot read the energy model \"coil.ldae\""));
}

/// Blocks read each other's variables.
#[test]
fn blocks_read_each_other() {
    let chain = model(
        "chain.toml",
        r#"
[[equations]]
name = "source"
variables = { u = 1 }
equations = ["der(u) = -u + 0*filter.f"]
[[lagrangian]]
name = "filter"
model = """
DisplacementVariables = [q]; FlowVariables = [f];
DissipationFunction = f^2/2; PotentialEnergy = q^2/2;
GeneralizedEfforts = [u];
InitialDisplacements = [0]; InitialFlows = [0];
"""
read = { u = "source.u" }
[[signal]]
name = "q"
value = "filter.q"
[[signal]]
name = "power"
value = "filter.f*source.u"
[study]
end = 1
integrator = "radau"
relative_tolerance = 1e-11
"#,
    );
    // q' = e^(-t) − q.
    let record = run(&chain, None, &[1.0]);
    assert!((record.at(1.0, "q") - (-1f64).exp()).abs() < 1e-10);
}

#[test]
fn mistakes() {
    let block = |rest: &str| {
        let text = format!("{ARM}\n[[lagrangian]]\nname = \"motor\"\n{rest}");
        load_str("arm.toml", &text, &[]).map(|_| ()).unwrap_err().to_string()
    };
    let lines = ARM.lines().count() + 4;
    let good = "DisplacementVariables = [q]; FlowVariables = [i];\\nDissipationFunction = i^2/2;";
    let with = |rest: &str| block(&format!("model = \"{good}\"\n{rest}"));
    assert!(block("").contains("`motor` has neither `file` nor `model`"));
    assert!(block("file = \"a\"\nmodel = \"b\"").contains("has both"));
    let place = block(
        "model = \"\"\"\nDisplacementVariables = [q]; FlowVariables = [i];\nPotentialEnergy = k*q;\"\"\"",
    );
    assert!(place.starts_with(&format!("arm.toml:{}:19: error: unknown name `k`", lines + 2)), "{place}");
    assert!(with("read = { w = \"shoulder.speed\" }").contains("has no quantity `speed`"));
    assert!(with("read = { w = \"m\" }").contains("`m` is not a quantity that can be read"));
    assert!(
        with("read = { w = \"shoulder.reaction.force.x\" }")
            .contains("cannot read `shoulder.reaction.force.x`")
    );
    assert!(with("read = { i = \"shoulder.rate\" }").contains("`i` is read from the model around"));
    assert!(with("read = { a = \"shoulder.rate\", b = \"shoulder.rate\" }").contains("is read twice"));
    assert!(with("loads = { \"shoulder.angle\" = \"k*i\" }").contains("unknown name `k`"));
    assert!(
        with("loads = { \"shoulder.rate\" = \"i\" }")
            .contains("is not a coordinate that a load can act along")
    );
    assert!(
        with("loads = { \"shoulder.angle\" = \"motor.q_rate\" }")
            .contains("a load cannot use `der(motor.q)`")
    );
    assert!(with("form = \"index5\"").contains("index3"));
    assert!(with("[lagrangian.parameters]\nR = 3").contains("cannot set `R`: no such parameter"));
    let plain = "DisplacementVariables = [q]; FlowVariables = [i];\\nDissipationFunction = (i - w)^2/2;";
    let plain = block(&format!("model = \"{plain}\"\nread = {{ w = \"arm.angular_velocity.y\" }}"));
    assert!(plain.contains("DissipationFunction may not contain `w`"), "{plain}");
    let moving = "DisplacementVariables = [q]; FlowVariables = [i];\\nDisplacementConstraints = [q - a];\\nKineticCoEnergy = i^2;";
    let accelerated =
        block(&format!("model = \"{moving}\"\nread = {{ a = \"shoulder.angle\" }}\nform = \"index1\""));
    assert!(accelerated.contains("acceleration"), "{accelerated}");
    let mass = "DisplacementVariables = [q]; FlowVariables = [i];\\nKineticCoEnergy = (i - w)^2;";
    let mass = block(&format!("model = \"{mass}\"\nread = {{ w = \"shoulder.rate\" }}"));
    assert!(mass.contains("KineticCoEnergy may not contain `w`"), "{mass}");
}
