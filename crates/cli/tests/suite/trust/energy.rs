//! First-order equations and energy models: starts on hidden constraints, sources that
//! read, events, defaults.

use crate::trust::tools::{Finished, command_on, run};

fn near(found: f64, wanted: f64, tolerance: f64) {
    assert!((found - wanted).abs() <= tolerance, "{found} is not {wanted} ± {tolerance}");
}

fn first(finished: &Finished, name: &str) -> f64 {
    finished.signal(name)[0]
}

/// A pendulum of length 1 whose constraint is one on velocities: λ = u² + v² − g y, λ̇ = −3 g v.
fn pendulum(multiplier: &str, study: &str) -> String {
    format!(
        "[[equations]]
         name = \"p\"
         variables = {{ x = 0.6, y = -0.8, u = 0.8, v = 0.6, l = {multiplier} }}
         equations = [\"der(x) = u\", \"der(y) = v\", \"der(u) = -l*x\", \"der(v) = -l*y - 9.81\", \
         \"0 = x*u + y*v\"]
         [study]
         end = 0.5
         {study}"
    )
}

#[test]
fn multipliers_and_rates_at_the_start_are_the_true_ones() {
    for typed in ["0", "5", "-1e3"] {
        let mut text = pendulum(typed, "integrator = \"radau\"\noutput_step = 0.1");
        for name in ["l", "u_rate", "v_rate", "l_rate"] {
            text += &format!("\n[[signal]]\nname = \"{name}\"\nvalue = \"p.{name}\"");
        }
        let done = run(&text, &[]);
        assert_eq!(done.code, 0, "{}", done.said());
        let l = 1.0 + 9.81 * 0.8;
        near(first(&done, "l"), l, 1e-12);
        near(first(&done, "u_rate"), -l * 0.6, 1e-11);
        near(first(&done, "v_rate"), l * 0.8 - 9.81, 1e-11);
        near(first(&done, "l_rate"), -3.0 * 9.81 * 0.6, 1e-10);
        assert!(done.out.contains("equations changed `p.l` from"), "{}", done.said());
    }
}

/// Each unknown has the order that theory allows at index 2 (Hairer, Wanner, Solving ODEs II, VII.4): 2s − 1
/// and s for Radau, 2s − 2 and s (even) or s − 1 (odd) for Lobatto. With Gauss λ follows from the others.
#[test]
fn every_integrator_keeps_its_order_in_algebraic_unknowns() {
    let exact = run(
        &pendulum(
            "0",
            "integrator = \"radau\"\nstages = 7\nrelative_tolerance = 1e-13\nabsolute_tolerance = 1e-14",
        ),
        &[],
    );
    assert_eq!(exact.code, 0, "{}", exact.said());
    let errors = |study: &str, step: f64| -> [f64; 2] {
        let done = run(&pendulum("0", &format!("{study}\nstep = {step:e}")), &[]);
        assert_eq!(done.code, 0, "{study}: {}", done.said());
        ["p.x", "p.l"].map(|name| (done.last(name) - exact.last(name)).abs())
    };
    // (integrator, step, order of x, order of λ)
    let cases = [
        ("generalized-alpha", "", 5e-3, 2.0, 2.0),
        ("newmark", "", 5e-3, 2.0, 2.0),
        ("midpoint", "", 5e-3, 2.0, 2.0),
        ("hht", "", 5e-3, 2.0, 2.0),
        ("bdf", "order = 1", 5e-3, 1.0, 1.0),
        ("bdf", "order = 2", 2.5e-3, 2.0, 2.0),
        ("radau", "stages = 2", 2e-2, 3.0, 2.0),
        ("radau", "stages = 3", 5e-2, 5.0, 3.0),
        ("lobatto", "stages = 2", 5e-3, 2.0, 2.0),
        ("lobatto", "stages = 3", 2e-2, 4.0, 2.0),
        ("gauss", "stages = 1", 5e-3, 2.0, 2.0),
        ("gauss", "stages = 2", 2e-2, 2.0, 2.0),
    ];
    for (name, more, step, of_x, of_l) in cases {
        let study = format!("integrator = \"{name}\"\n{more}");
        let (coarse, fine) = (errors(&study, step), errors(&study, step / 2.0));
        for (k, wanted) in [of_x, of_l].into_iter().enumerate() {
            let order = (coarse[k] / fine[k]).log2();
            let rounding = fine[k] < 1e-12;
            assert!(rounding || order > wanted - 0.4, "{name} {more}: order {order} of {}", ["x", "λ"][k]);
        }
    }
}

/// The same with the constraint on positions: velocities that do not fit are changed as little as possible.
#[test]
fn index_three_starts_on_both_hidden_constraints() {
    let text = "
        [[equations]]
        name = \"p\"
        variables = { x = 0.6, y = -0.8, u = 1, v = 0, l = 0 }
        equations = [\"der(x) = u\", \"der(y) = v\", \"der(u) = -l*x\", \"der(v) = -l*y - 9.81\", \"0 = x^2 + y^2 - 1\"]
        [study]
        end = 0.1
        integrator = \"radau\"";
    let done = run(text, &[]);
    assert_eq!(done.code, 0, "{}", done.said());
    // (1, 0) projected on the tangent (0.8, 0.6).
    near(first(&done, "p.u"), 0.64, 1e-12);
    near(first(&done, "p.v"), 0.48, 1e-12);
    near(first(&done, "p.l"), 0.64 + 9.81 * 0.8, 1e-11);
    assert!(done.out.contains("`p.u` from 1 to"), "{}", done.said());
}

/// A motor with inertia 0.02 turns a bar of 0.5 kg m² over a gear of ratio 3 that is an equation
/// between both: α = 3 τ/(J + 9 J_m), λ = τ − 3 J_m α.
#[test]
fn a_constraint_between_equations_and_mechanics_has_its_reaction_at_once() {
    let text = "
        [model]
        gravity = [0, 0, 0]
        [[body]]
        name = \"bar\"
        mass = 1
        inertia = { xx = 0.5, yy = 0.5, zz = 0.5 }
        [[joint]]
        name = \"hinge\"
        type = \"revolute\"
        between = [\"ground\", \"bar\"]
        at = [0, 0, 0]
        axis = [0, 0, 1]
        [[equations]]
        name = \"m\"
        variables = { th = 0, w = 0, lam = 0 }
        equations = [\"der(th) = w\", \"0.02*der(w) = 2 - lam\", \"0 = th - 3*hinge.angle\"]
        loads = { \"hinge.angle\" = \"3*lam\" }
        [study]
        end = 0.2
        integrator = \"radau\"
        [[signal]]
        name = \"angle\"
        value = \"hinge.angle\"
        [[signal]]
        name = \"reaction\"
        value = \"m.lam\"
        [[signal]]
        name = \"acceleration\"
        value = \"m.w_rate\"";
    let done = run(text, &[]);
    assert_eq!(done.code, 0, "{}", done.said());
    let alpha = 3.0 * 2.0 / (0.5 + 9.0 * 0.02);
    near(first(&done, "reaction"), 2.0 - 0.06 * alpha, 1e-10);
    near(first(&done, "acceleration"), 3.0 * alpha, 1e-10);
    near(done.last("angle"), 0.5 * alpha * 0.04, 1e-7);
}

fn ldae(text: &str) -> Finished {
    command_on("run", "model.ldae", text, &["--csv"])
}

/// Voltages and currents controlled by voltages and currents, and the same in fluids.
#[test]
fn all_four_kinds_of_regulated_sources() {
    let done = ldae(
        "V1 = voltage_source(a, ground, v = 2);
         R1 = resistor(a, ground, R = 4);
         E1 = voltage_source(b, ground, v = 3*a.v);
         Rb = resistor(b, ground, R = 1);
         E2 = voltage_source(c, ground, v = 10 [ohm]*R1.i);
         Rc = resistor(c, ground, R = 1);
         I1 = current_source(d, ground, i = 0.5 [S]*a.v);
         Rd = resistor(d, ground, R = 2);
         I2 = current_source(f, ground, i = 7*R1.i);
         Rf = resistor(f, ground, R = 1);
         P1 = pump(p, ground, P = 1e5);
         G1 = valve(p, ground, R = 1e8);
         Q1 = flow_source(q, ground, Q = 3*G1.Q);
         G2 = valve(q, ground, R = 1e8);
         FinalTime = 1; OutputPoints = 2;",
    );
    assert_eq!(done.code, 0, "{}", done.said());
    for row in 0..2 {
        let at = |name: &str| done.signal(name)[row];
        near(at("R1.i"), 0.5, 1e-12);
        near(at("b.v"), 6.0, 1e-12);
        near(at("c.v"), 5.0, 1e-12);
        near(at("d.v"), 2.0, 1e-12);
        near(at("Rf.i"), 3.5, 1e-12);
        near(at("I2.v"), 3.5, 1e-12);
        near(at("G1.Q"), 1e-3, 1e-15);
        near(at("q.P"), 3e5, 1e-6);
    }
}

/// A drive at twice the speed of a free shaft does not brake it: w = t, and its own torque is 10 · 2.
#[test]
fn a_speed_source_that_reads_a_shaft_leaves_it_alone() {
    let done = ldae(
        "T1 = torque(s1, ground, tau = 1);
         J1 = inertia(s1, J = 1);
         W2 = speed_source(s2, ground, w = 2*s1.w);
         J2 = inertia(s2, J = 10);
         F1 = force(c, ground, F = 1);
         M1 = mass(c, m = 1);
         U1 = velocity_source(d, ground, v = 2*c.v);
         M2 = mass(d, m = 10);
         FinalTime = 1; OutputPoints = 2;",
    );
    assert_eq!(done.code, 0, "{}", done.said());
    near(done.last("s1.w"), 1.0, 1e-9);
    near(done.last("s2.w"), 2.0, 1e-9);
    near(done.last("W2.tau"), 20.0, 1e-8);
    near(done.last("c.v"), 1.0, 1e-9);
    near(done.last("d.v"), 2.0, 1e-9);
    near(done.last("U1.F"), 20.0, 1e-8);
}

/// A flow constraint acts on all flows in it: what would make a transformer of a source is refused.
#[test]
fn a_flow_constraint_may_not_read_a_flow_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let source = "Component = follower; Ports = [p: electrical, n: electrical]; I = 0 [A];
        DisplacementVariables = [q]; FlowVariables = [j]; Branches = [j: n -> p]; FlowConstraints = [j - I];";
    std::fs::write(folder.path().join("follower.ldae"), source).unwrap();
    let model = "V1 = voltage_source(a, ground, v = 2); R1 = resistor(a, ground, R = 4);
        I2 = follower(f, ground, I = 7*R1.i); Rf = resistor(f, ground, R = 1); FinalTime = 1;";
    std::fs::write(folder.path().join("model.ldae"), model).unwrap();
    let mut command = crate::common::poinsot(folder.path());
    let (code, out, err) = crate::common::output(command.args(["run", "model.ldae"]));
    assert_eq!(code, 2, "{out}{err}");
    assert!(err.contains("`I2.I` stands in a flow constraint and reads `R1.i`"), "{err}");
}

#[test]
fn a_given_start_that_a_source_overrides_is_told() {
    for c in ["1e-6", "1e-12"] {
        let text = format!(
            "V1 = voltage_source(a, ground, v = 5); C1 = capacitor(a, ground, C = {c}, v0 = 1); FinalTime = 1;"
        );
        let done = ldae(&text);
        assert_eq!(done.code, 0, "{}", done.said());
        assert!(done.err.contains("`C1.q` from"), "{}", done.said());
    }
    let silent =
        ldae("V1 = voltage_source(a, ground, v = 5); C1 = capacitor(a, ground, C = 1e-6); FinalTime = 1;");
    assert!(!silent.err.contains("C1.q"), "{}", silent.said());
}

#[test]
fn the_end_is_a_time() {
    let text = "R1 = resistor(a, ground, R = 1); V1 = voltage_source(a, ground, v = 1); FinalTime = 1 [m];";
    let done = ldae(text);
    assert_eq!(done.code, 2, "{}", done.said());
    assert!(done.err.contains("FinalTime is in s, but this is in m"), "{}", done.said());
    assert_eq!(ldae(&text.replace("1 [m]", "200 [ms]")).code, 0);
}

/// A mass that is zero by its value is no mass: b ẋ = −k x, and without b nothing moves.
#[test]
fn a_mass_of_zero_is_no_mass() {
    let model = |b: f64| {
        format!(
            "m = 0; k = 10; b = {b}; DisplacementVariables = [x]; FlowVariables = [v]; KineticCoEnergy = m*v^2/2;
             PotentialEnergy = k*x^2/2; DissipationFunction = b*v^2/2; InitialDisplacements = [1]; InitialFlows = [0];
             FinalTime = 1; OutputPoints = 2;"
        )
    };
    let done = ldae(&model(5.0));
    assert_eq!(done.code, 0, "{}", done.said());
    near(first(&done, "v"), -2.0, 1e-12);
    near(done.last("x"), (-2f64).exp(), 1e-6);
    let done = ldae(&model(0.0));
    assert_eq!(done.code, 0, "{}", done.said());
    near(first(&done, "x"), 0.0, 1e-12);
    assert!(done.err.contains("`x` from 1 to 0"), "{}", done.said());
}

#[test]
fn an_event_reaches_formulas_in_the_parameters_of_an_energy_model() {
    let text = "
        [parameters]
        u = 0
        [[lagrangian]]
        name = \"p\"
        model = '''
        m = 1; force = 0; DisplacementVariables = [x]; FlowVariables = [v]; KineticCoEnergy = m*v^2/2;
        GeneralizedEfforts = [force]; InitialDisplacements = [0]; InitialFlows = [0];
        '''
        [lagrangian.parameters]
        force = \"u\"
        [study]
        end = 2
        integrator = \"radau\"
        [[event]]
        name = \"sample\"
        at = 1
        set = { u = 3 }
        [[signal]]
        name = \"x\"
        value = \"p.x\"";
    let done = run(text, &[]);
    assert_eq!(done.code, 0, "{}", done.said());
    near(done.last("x"), 1.5, 1e-9);
    // What the command line sets stays.
    let held = run(text, &["--set", "p.force=1"]);
    near(held.last("x"), 2.0, 1e-9);
}

/// The folder of the project.
fn project() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A copy of all models in a folder below.
fn copy_models(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        match path.is_dir() {
            true if entry.file_name() != "runs" => copy_models(&path, &target),
            true => {}
            false => assert!(std::fs::copy(&path, &target).is_ok()),
        }
    }
}

/// The text without the integrator of its motion; none if it has none, or no first-order equations: models of
/// mechanics alone keep the default they always had.
fn without_integrator(text: &str) -> Option<String> {
    if !text.contains("[[equations]]") && !text.contains("[[lagrangian]]") {
        return None;
    }
    let own = ["integrator", "rho", "stages", "order", "form", "constraints", "project", "points"];
    let (mut inside, mut found) = (false, false);
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.starts_with('[') {
            inside = line.trim_end() == "[study]";
        }
        let key = line.split('=').next().unwrap_or("").trim();
        if inside && own.contains(&key) {
            found |= key == "integrator";
        } else {
            lines.push(line);
        }
    }
    found.then(|| lines.join("\n"))
}

/// No example and no verification model with first-order equations needs a hand-picked integrator
/// to finish, and all of them meet their expectations.
#[test]
fn models_finish_with_the_integrator_that_is_chosen_for_them() {
    let folder = tempfile::tempdir().unwrap();
    for part in ["examples", "verification"] {
        copy_models(&project().join(part), &folder.path().join(part));
    }
    let mut waiting = vec![folder.path().to_path_buf()];
    let mut models = Vec::new();
    while let Some(here) = waiting.pop() {
        for path in std::fs::read_dir(here).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|end| end == "toml") {
                let Some(text) = without_integrator(&std::fs::read_to_string(&path).unwrap()) else {
                    continue;
                };
                std::fs::write(&path, text).unwrap();
                models.push(path);
            }
        }
    }
    assert!(models.len() > 30, "{}", models.len());
    let half = models.len() / 2;
    let check = |models: &[std::path::PathBuf]| {
        for path in models {
            let mut command = crate::common::poinsot(folder.path());
            let (code, out, err) = crate::common::output(command.arg("run").arg(path));
            assert_eq!(code, 0, "{}: {out}{err}", path.display());
            assert!(out.contains("chosen for"), "{}: {out}", path.display());
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| check(&models[..half]));
        check(&models[half..]);
    });
}

/// A chain of point masses on rods, in the plane, that falls from the horizontal.
fn chain(links: usize, rows: usize) -> String {
    let all = |each: &dyn Fn(usize) -> String, between: &str| {
        (1..=links).map(each).collect::<Vec<_>>().join(between)
    };
    let rod = |k: usize| match k {
        1 => "x1^2 + y1^2 - a^2".to_string(),
        _ => format!("(x{k} - x{b})^2 + (y{k} - y{b})^2 - a^2", b = k - 1),
    };
    format!(
        "a = 0.02; m = 0.2;
DisplacementVariables = [{}];
FlowVariables = [{}];
KineticCoEnergy = m*({})/2;
PotentialEnergy = 9.81*m*({});
DisplacementConstraints = [{}];
InitialDisplacements = [{}];
InitialFlows = [{}];
FinalTime = 0.8; OutputPoints = {rows};",
        all(&|k| format!("x{k}, y{k}"), ", "),
        all(&|k| format!("u{k}, v{k}"), ", "),
        all(&|k| format!("u{k}^2 + v{k}^2"), " + "),
        all(&|k| format!("y{k}"), " + "),
        all(&rod, ", "),
        all(&|k| format!("{k}*a, 0"), ", "),
        all(&|_| "0, 0".into(), ", "),
    )
}

/// The steps do not depend on the rows, and 51 rows cost at most a fifth of the run. The shortest of several
/// times counts, for other programs only make them longer.
#[test]
fn rows_cost_less_than_steps() {
    let cost = |rows: usize| {
        let done = command_on("run", "model.ldae", &chain(40, rows), &[]);
        assert_eq!(done.code, 0, "{}", done.said());
        let statistics = done.summary()["statistics"].clone();
        let work = ["steps", "factorisations", "residual_evaluations"].map(|key| statistics[key].clone());
        (work, statistics["wall_time_s"].as_f64().unwrap())
    };
    let (mut few, mut many) = (f64::INFINITY, f64::INFINITY);
    for round in 1..=20 {
        let ((work, time), (same, longer)) = (cost(2), cost(51));
        assert_eq!(work, same);
        (few, many) = (few.min(time), many.min(longer));
        if round >= 3 && many <= 1.2 * few {
            return;
        }
    }
    panic!("51 rows take {many} s, 2 rows {few} s");
}
