//! Starts of models that laws drive: drag, a magnet, a controller through first-order equations, a brake that
//! reads a reaction; each start with each kind of study.

use crate::starts::{model, run, starting};
use poinsot_model::study::InitialSpec;
use poinsot_results::{RunFolder, Status};

/// A pendulum in a plane, with a load that a parameter says.
const PENDULUM: &str = r#"
[parameters]
load = 0.1
[[body]]
name = "rod"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0.3, 0, -0.5]
[[joint]]
name = "pivot"
type = "revolute"
between = ["ground", "rod"]
at = [0, 0, 0]
axis = [0, 1, 0]
[[force]]
name = "push"
type = "force"
on = "rod"
force = ["load", 0, 0]
"#;

const LAWS: [(&str, &str); 4] = [
    (
        "drag",
        r#"
[[force]]
name = "law"
type = "force"
on = "rod"
force = ["-0.4*rod.velocity.x*hypot(rod.velocity.x, rod.velocity.z) - 0.2*rod.velocity.x", 0, "-0.2*rod.velocity.z"]
"#,
    ),
    (
        "magnet",
        r#"
[[force]]
name = "law"
type = "force"
on = "rod"
force = ["0.3*(1 - rod.position.x)/((1 - rod.position.x)^2 + rod.position.z^2)^2 - 0.1*rod.velocity.x", 0, 0]
"#,
    ),
    (
        "controller",
        r#"
[[equations]]
name = "law"
variables = { u = 0, sum = 0 }
equations = ["der(u) = 20*(3*(0.4 - pivot.angle) - 0.8*pivot.rate + 2*sum - u)", "der(sum) = 0.4 - pivot.angle"]
loads = { "pivot.angle" = "u" }
"#,
    ),
    (
        "reaction",
        r#"
[[force]]
name = "law"
type = "force"
on = "rod"
force = ["-0.1*pivot.reaction.force.z*tanh(rod.velocity.x/0.5)", 0, 0]
"#,
    ),
];

const TARGETS: [(&str, &str); 6] = [
    ("motion", "end = 0.2\nstep = 1e-2\nintegrator = \"radau\""),
    ("equilibrium", "type = \"equilibrium\""),
    ("modes", "type = \"modes\"\ncount = 1"),
    ("linearize", "type = \"linearize\""),
    ("path", "type = \"path\"\nparameter = \"load\"\nto = 0.5\npoints = 20"),
    ("campbell", "type = \"campbell\"\nparameter = \"load\"\nrange = [0, 0.5]\npoints = 3\ncount = 1"),
];

/// From rest in equilibrium, from a steady state, from a run at a time, from a study that leaves the law out.
#[test]
fn every_start_of_a_model_with_laws_goes_with_every_study() {
    for (law, tables) in LAWS {
        let base = format!("{PENDULUM}{tables}");
        let first =
            model(&format!("{base}[study]\nend = 0.3\nstep = 1e-2\nintegrator = \"radau\"\nkeep = [0.1]\n"));
        let mut kept = run(&first).unwrap_or_else(|error| panic!("{law}: {error}"));
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("first");
        kept.write(&mut RunFolder::create(&place).unwrap(), &first, false).unwrap();
        // A path refuses equations, wherever it starts.
        for (target, keys) in
            TARGETS.into_iter().filter(|(target, _)| (law, *target) != ("controller", "path"))
        {
            let plain = model(&format!("{base}[study]\n{keys}\n"));
            let other = format!(
                "{base}[[study]]\nname = \"without\"\ntype = \"equilibrium\"\noff = [\"law\"]\n\
                 [[study]]\nname = \"then\"\ninitial = \"without\"\n{keys}\n"
            );
            let starts = [
                ("equilibrium", starting(&plain, InitialSpec::Equilibrium)),
                ("steady", starting(&plain, InitialSpec::Steady(None))),
                ("run", starting(&plain, InitialSpec::Run { folder: place.clone(), time: Some(0.1) })),
                ("without", model(&other).with_study_named("then").unwrap()),
            ];
            for (start, model) in starts {
                let what = format!("{law}: {start} → {target}");
                let product = run(&model).unwrap_or_else(|error| panic!("{what}: {error}"));
                let common = product.summary.common();
                assert_eq!(common.outcome.status, Status::Completed, "{what}: {}", common.outcome.message);
                assert!(common.initial.is_some(), "{what}");
                assert!(
                    product
                        .states
                        .iter()
                        .all(|state| state.nodes.iter().all(|n| n.position.norm().is_finite()))
                );
            }
        }
    }
}

/// What starts in the equilibrium that laws make stays there, and its modes are those about it.
#[test]
fn equilibria_of_laws_stay() {
    for (law, tables) in LAWS {
        let text = format!(
            "{PENDULUM}{tables}[study]\ninitial = \"equilibrium\"\nend = 5\nstep = 1e-2\n\
             integrator = \"radau\"\nkeep = [0]\n"
        );
        let product = run(&model(&text)).unwrap_or_else(|error| panic!("{law}: {error}"));
        let [first, last] = [&product.states[0], &product.states[1]];
        let moved = (first.nodes[0].position - last.nodes[0].position).norm();
        assert!(moved < 1e-9, "{law}: {moved:e}");
        for (a, b) in first.variables.iter().zip(&last.variables) {
            assert!((a.values[0] - b.values[0]).abs() < 1e-8, "{law}: {a:?} {b:?}");
        }
    }
}
