//! Signals: those that use each other, those without a value, rows that cost no more than a step.

use crate::trust::tools::{Finished, command_on, run};
use poinsot_results::read_parquet;
use std::time::Instant;

/// s_k = s_{k-1} − 0.02 s_{k-1} cos(s_{k-1}) + 0.01, sixty times.
fn chained(s: f64) -> f64 {
    (0..60).fold(s, |s, _| s - 0.02 * s * s.cos() + 0.01)
}

fn chain_of_signals(first: &str) -> String {
    let mut text = String::new();
    for k in 0..=60 {
        let value = match k {
            0 => first.to_owned(),
            k => format!("s{p} - 0.02*s{p}*cos(s{p}) + 0.01", p = k - 1),
        };
        text += &format!("[[signal]]\nname = \"s{k}\"\nvalue = \"{value}\"\n");
    }
    text
}

/// x' = −s60(x) by a Runge–Kutta method of fourth order with steps that leave rounding only.
fn integrated(mut x: f64, end: f64) -> f64 {
    let n = 2000;
    let h = end / f64::from(n);
    for _ in 0..n {
        let f = |x: f64| -chained(x);
        let k1 = f(x);
        let k2 = f(x + 0.5 * h * k1);
        let k3 = f(x + 0.5 * h * k2);
        let k4 = f(x + h * k3);
        x += h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0;
    }
    x
}

/// Sixty signals, each of which uses the one before twice: written out the equation would have 2^60 terms.
#[test]
fn signals_in_equations_are_shared() {
    let clock = Instant::now();
    let mut text = chain_of_signals("e.x");
    text += "
        [[equations]]
        name = \"e\"
        variables = { x = 1.5 }
        equations = [\"der(x) = -s60\"]
        [study]
        end = 1
        relative_tolerance = 1e-11
        absolute_tolerance = 1e-12
        integrator = ";
    let exact = integrated(1.5, 1.0);
    // The implicit one needs the derivative of the chain.
    for integrator in ["\"radau\"", "\"dormand-prince\""] {
        let done = run(&(text.clone() + integrator), &[]);
        assert_eq!(done.code, 0, "{}", done.said());
        assert!((done.last("s0") - exact).abs() < 1e-9, "{integrator}: {} {exact}", done.last("s0"));
        assert!((done.last("s60") - chained(done.last("s0"))).abs() < 1e-12);
    }
    assert!(clock.elapsed().as_secs_f64() < 30.0, "{:?}", clock.elapsed());
}

/// The same in a constraint, whose second derivatives are needed too, and in an energy model.
#[test]
fn signals_in_constraints_and_energy_models_are_shared() {
    let mut text = chain_of_signals("p.position.x");
    text += "
        [model]
        gravity = [0, 0, -9.81]
        [[body]]
        name = \"p\"
        type = \"point\"
        mass = 1
        position = [1, 0, 0]
        [[constraint]]
        name = \"track\"
        equation = \"p.position.z - 1e-3*s60\"
        [[signal]]
        name = \"z\"
        value = \"p.position.z\"
        [study]
        end = 0.3
        integrator = \"radau\"";
    let done = run(&text, &[]);
    assert_eq!(done.code, 0, "{}", done.said());
    assert!((done.last("z") - 1e-3 * chained(done.last("s0"))).abs() < 1e-9, "{}", done.said());

    // Conservation of energy in V = s60(x), which falls where Lagrange's equation has it wrong.
    let mut model = String::from("DisplacementVariables = [x]; FlowVariables = [v];\ns0 = x;\n");
    for k in 1..=60 {
        model += &format!("s{k} = s{p} - 0.02*s{p}*cos(s{p}) + 0.01;\n", p = k - 1);
    }
    model += "KineticCoEnergy = v^2/2;\nPotentialEnergy = s60;\nInitialDisplacements = [1.5];\n\
              InitialFlows = [0.3];\nFinalTime = 1; OutputPoints = 11; RelativeTolerance = 1e-11;\n\
              AbsoluteTolerance = 1e-12;\n";
    let done = command_on("run", "model.ldae", &model, &["--csv"]);
    assert_eq!(done.code, 0, "{}", done.said());
    let energy = |x: f64, v: f64| 0.5 * v * v + chained(x);
    let (x, v) = (done.last("x"), done.last("v"));
    assert!((energy(x, v) - energy(1.5, 0.3)).abs() < 1e-8, "{x} {v}");
    assert!((x - 1.5).abs() > 0.01);
    let listing = command_on("equations", "model.ldae", &model, &[]);
    assert_eq!(listing.code, 0, "{}", listing.said());
    assert!(listing.out.contains("part1 = ") && listing.out.len() < 60_000, "{}", listing.out.len());
}

/// x falls from 1 to −1: log(x) has no value in the second half, x/x none at the middle.
fn falling(more: &str) -> String {
    format!(
        "
        [[equations]]
        name = \"e\"
        variables = {{ x = 1 }}
        equations = [\"der(x) = -1\"]
        [[signal]]
        name = \"x\"
        value = \"e.x\"
        [[signal]]
        name = \"logarithm\"
        value = \"log(e.x)\"
        [[signal]]
        name = \"one\"
        value = \"if(abs(e.x) < 1e-9, 0/(e.x - e.x), 1)\"
        [study]
        end = 2
        step = 0.125
        integrator = \"radau\"
        {more}"
    )
}

/// Times and values of a column of the Parquet file; gaps are NaN.
fn stored(done: &Finished, name: &str) -> Vec<f64> {
    read_parquet(&done.results().join("signals.parquet")).unwrap().column(name).unwrap().to_vec()
}

#[test]
fn a_signal_without_a_value_is_a_gap_and_a_warning() {
    let done = run(&falling(""), &[]);
    assert_eq!(done.code, 0, "{}", done.said());
    let (written, kept) = (done.signal("logarithm"), stored(&done, "logarithm"));
    assert_eq!(kept.len(), 17);
    for (k, (a, b)) in written.iter().zip(&kept).enumerate() {
        let x = 1.0 - 0.125 * k as f64;
        if x > 1e-9 {
            assert!(a == b && (a - x.ln()).abs() < 1e-12, "{x}: {a} {b}");
        } else {
            assert!(a.is_nan() && b.is_nan(), "{x}: {a} {b}");
        }
    }
    let csv = std::fs::read_to_string(done.results().join("signals.csv")).unwrap();
    let lower = csv.to_lowercase();
    assert!(!lower.contains("nan") && !lower.contains("inf"), "{csv}");
    assert!(csv.lines().nth(12).unwrap().ends_with(",,1.0"), "{csv}");
    // Name, first time, how often.
    assert!(done.out.contains("`logarithm` has no finite value at t = 1 s, in 9 of 17 rows"), "{}", done.out);
    assert!(done.out.contains("`one` has no finite value at t = 1 s, in 1 of 17 rows"), "{}", done.out);
    assert!(!done.out.contains("`x` has no"), "{}", done.out);
    let warnings = done.summary()["audit"]["warnings"].to_string();
    assert!(warnings.contains("logarithm") && warnings.contains("one"), "{warnings}");
    // The curve breaks: two pieces of `one`, and no coordinate that is none.
    let svg = std::fs::read_to_string(done.results().join("signals.svg")).unwrap();
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    let whole = run(&falling("").replace("1e-9", "-1"), &[]);
    let curves = |done: &Finished| {
        let svg = std::fs::read_to_string(done.results().join("signals.svg")).unwrap();
        svg.matches("<polyline").count() + svg.matches("<path").count()
    };
    assert_eq!(curves(&done), curves(&whole) + 1);
}

#[test]
fn what_reads_signals_takes_gaps() {
    let done = run(&falling(""), &[]);
    assert_eq!(done.code, 0, "{}", done.said());
    let plot = |arguments: &[&str]| {
        let mut command = crate::common::poinsot(done.folder.path());
        crate::common::output(command.args(["plot", "runs/model"]).args(arguments))
    };
    for arguments in [
        &["logarithm", "--out", "a.svg"][..],
        &["x", "one", "--against", "logarithm", "--out", "b.svg"],
        &["logarithm", "--from", "1.5", "--out", "c.svg"],
    ] {
        let (code, out, err) = plot(arguments);
        assert_eq!(code, 0, "{arguments:?}: {out}{err}");
        let svg = std::fs::read_to_string(done.folder.path().join(arguments[arguments.len() - 1])).unwrap();
        assert!(!svg.contains("NaN"), "{arguments:?}");
    }
    // Against a reference: rows without a value do not count.
    let compared = command_on(
        "compare",
        "model.toml",
        &falling(""),
        &["--with", "radau,dormand-prince", "--tolerances", "1e-4,1e-6", "--turns", "1"],
    );
    assert_eq!(compared.code, 0, "{}", compared.said());
    assert!(!compared.out.contains("not a finite number"), "{}", compared.out);
}

/// A gap is no value: what is expected there is missed, and named; elsewhere it holds.
#[test]
fn an_expectation_on_a_gap_is_missed() {
    let expect = |at: f64, value: f64| {
        format!(
            "\n[[expect]]\nsignal = \"logarithm\"\nat = {at}\nvalue = {value}\ntolerance = 1e-9\nsource = \"log\"\n"
        )
    };
    let good = run(&falling(&expect(0.5, 0.5f64.ln())), &[]);
    assert_eq!(good.code, 0, "{}", good.said());
    for at in [1.5, 2.0] {
        let missed = run(&falling(&expect(at, 0.0)), &[]);
        assert_eq!(missed.code, 1, "{}", missed.said());
        assert!(
            missed.said().contains(&format!("logarithm at {at} s: not recorded or without a value")),
            "{}",
            missed.said()
        );
    }
}

/// Events that set what a law of time breaks at.
fn delayed(trigger: &str, study: &str) -> Finished {
    let text = format!(
        "
        [parameters]
        t0 = 0.5
        delay = 1
        [model]
        gravity = [0, 0, 0]
        [[body]]
        name = \"p\"
        type = \"point\"
        mass = 2
        [[force]]
        name = \"f\"
        type = \"force\"
        on = \"p\"
        force = [\"if(t > t0 + delay, 0, 3)\", 0, 0]
        [[equations]]
        name = \"e\"
        variables = {{ y = 0 }}
        equations = [\"der(y) = if(t > t0 + delay, 1, 0)\"]
        [[event]]
        name = \"sooner\"
        {trigger}
        set = {{ delay = 0.23 }}
        [[signal]]
        name = \"v\"
        value = \"p.velocity.x\"
        [[signal]]
        name = \"x\"
        value = \"p.position.x\"
        [[signal]]
        name = \"y\"
        value = \"e.y\"
        [study]
        end = 2
        {study}"
    );
    let done = run(&text, &[]);
    assert_eq!(done.code, 0, "{trigger}, {study}: {}", done.said());
    done
}

/// The force is switched off at 0.73, and no longer at 1.5: v = 1.5·0.73, x = 0.75·0.73² + v·1.27, y = 1.27.
#[test]
fn breaks_of_laws_of_time_move_with_what_events_set() {
    let off = 0.5 + 0.23;
    let v = 1.5 * off;
    let (x, y) = (0.75 * off * off + v * (2.0 - off), 2.0 - off);
    // At a time, and where the velocity has reached 0.9 (t = 0.6).
    for trigger in ["at = 0.31", "when = \"p.velocity.x - 0.9\"\ncrossing = \"rising\""] {
        for study in [
            "integrator = \"radau\"",
            "integrator = \"radau\"\nstep = 0.1",
            "integrator = \"radau\"\nstep = 0.0137",
            "integrator = \"runge-kutta-4\"\nstep = 0.1",
            "integrator = \"dormand-prince\"",
            "integrator = \"newmark\"\nstep = 0.01",
        ] {
            let done = delayed(trigger, study);
            let found = [done.last("v") - v, done.last("x") - x, done.last("y") - y];
            assert!(found.iter().all(|error| error.abs() < 1e-12), "{trigger}, {study}: {found:?}");
        }
    }
}

/// What an integrator cannot take is refused with place before anything runs, and named where several are
/// compared.
#[test]
fn check_and_compare_refuse_what_run_refuses() {
    // l = cos t follows from the rate of an algebraic equation: an explicit method does not know it.
    let text = "
        [[equations]]
        name = \"e\"
        variables = { x = 0, l = 1 }
        equations = [\"der(x) = l\", \"0 = x - sin(t)\"]
        [study]
        end = 1
        integrator = \"dormand-prince\"";
    let said = ["run", "check"].map(|command| {
        let done = command_on(command, "model.toml", text, &[]);
        assert_eq!(done.code, 2, "{command}: {}", done.said());
        assert!(done.err.contains("dormand-prince cannot take this model"), "{command}: {}", done.said());
        assert!(done.err.contains("model.toml:"), "{command}: {}", done.said());
        done.err
    });
    assert_eq!(said[0], said[1]);
    let list = "dormand-prince,radau,energy-momentum,bdf";
    let compared = command_on(
        "compare",
        "model.toml",
        text,
        &["--with", list, "--tolerances", "1e-4,1e-6", "--turns", "1"],
    );
    assert_eq!(compared.code, 0, "{}", compared.said());
    let of = |name: &str| -> Vec<&str> {
        compared.out.lines().filter(|line| line.trim_start_matches("| ").starts_with(name)).collect()
    };
    for (name, refused) in
        [("dormand-prince", true), ("radau", false), ("energy-momentum", true), ("bdf", false)]
    {
        let lines = of(name);
        assert!(!lines.is_empty(), "{name}: {}", compared.out);
        assert!(lines.iter().all(|line| line.contains("| refused: ") == refused), "{lines:?}");
    }
}

/// What is only rounding is no change; what is one is told with as many digits as it takes.
#[test]
fn starts_tell_changes_and_not_rounding() {
    let model = |constraint: &str, start: &str| {
        let text = format!(
            "DisplacementVariables = [x, y]; FlowVariables = [u, v]; KineticCoEnergy = (u^2 + v^2)/2;
             DisplacementConstraints = [{constraint}]; InitialDisplacements = [{start}]; InitialFlows = [0, 0];
             Keep = [y]; FinalTime = 0.1; OutputPoints = 2;"
        );
        let done = command_on("run", "model.ldae", &text, &[]);
        assert_eq!(done.code, 0, "{}", done.said());
        done.said()
    };
    // 0.1 + 0.2 - 0.3 is 5.6e-17.
    let said = model("3*x + y - (0.1 + 0.2 - 0.3)", "0, 0");
    assert!(!said.contains("changed"), "{said}");
    for (constraint, start, wanted) in [
        ("x - y - 1e-7", "1, 1", "`x` from 1 to 1.0000001"),
        ("x - y - 5e-12", "0, 0", "`x` from 0 to 5e-12"),
        ("x - y - 0.25", "1, 1", "`x` from 1 to 1.25"),
    ] {
        let said = model(constraint, start);
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
}
