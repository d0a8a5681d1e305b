//! Summaries of the analyses, through the public interface.

use std::fs;

use poinsot_results::summary_text::Report;
use poinsot_results::*;
use poinsot_studies::equilibrium::*;
use poinsot_studies::kinematics::KinematicsSummary;
use poinsot_studies::linearize::LinearizeSummary;
use poinsot_studies::modes::*;
use poinsot_studies::motion::MotionSummary;

fn common() -> Common {
    Common {
        model: ModelIdentity { name: "four-bar".into(), file: "four_bar.toml".into(), hash: "h".into() },
        program: Program { name: "poinsot".into(), version: "0.1.0".into() },
        outcome: Outcome { status: Status::Completed, ..Outcome::default() },
        counts: Counts {
            bodies: 3,
            joints: 4,
            forces: 2,
            coordinates: 18,
            constraints: 20,
            redundant: vec!["hinge_d.rotation.x".into()],
            degrees_of_freedom: 1,
            ..Counts::default()
        },
        ..Common::default()
    }
}

fn redundancy() -> RedundancyReport {
    RedundancyReport {
        coordinates: 18,
        rows: 20,
        rank: 17,
        mobility: 1,
        gruebler: Some(GrueblerCount::of(6, 3, 20)),
        redundant: vec![RedundantRow {
            row: "hinge_d.rotation.x".into(),
            depends_on: vec!["hinge_a".into(), "hinge_b".into(), "hinge_c".into()],
        }],
        singularity: Some(SingularityDistance { relative: 0.0123, weakest_row: "hinge_c.rotation.y".into() }),
    }
}

fn modes() -> ModesSummary {
    let most = |body: &str, share: f64| Participation { body: body.into(), share };
    ModesSummary {
        common: common(),
        about: "equilibrium".into(),
        time: 0.5,
        observer: "world".into(),
        modes: vec![
            Mode::of(1, Complex::new(-3.0, 4.0), 1e-6, vec![most("coupler", 0.71), most("crank", 0.29)]),
            Mode::of(2, Complex::new(0.25, 0.0), 1e-6, vec![most("rocker", 1.0)]),
            Mode::of(3, Complex::new(0.0, 1e4), 1e-6, vec![]),
        ],
        stability: Some(Stability {
            verdict: Verdict::Unstable,
            reason: "mode 2 grows by a factor e in 4 s".into(),
        }),
        method: EigenMethod::ShiftInvert,
        operator_applications: 12_345,
        wall_time_s: 0.012,
        set_up_time_s: 0.002,
        warnings: vec![],
    }
}

fn equilibrium() -> EquilibriumSummary {
    EquilibriumSummary {
        common: common(),
        time: 0.0,
        method: EquilibriumMethod::LoadStepping,
        iterations: 17,
        load_steps: 4,
        out_of_balance: Some(OutOfBalance {
            max: 3.2e-9,
            unit: "N*m".into(),
            equation: "crank, moment about z".into(),
            limit: Some(1e-6),
        }),
        constraint_residual: Some(Residual {
            max: 1e-14,
            joint: "hinge_a".into(),
            time: 0.0,
            limit: Some(1e-10),
            wrong_above: None,
            ..Residual::default()
        }),
        stability: Some(Stability { verdict: Verdict::AsymptoticallyStable, reason: String::new() }),
        eigenvalues: vec![Complex::new(-0.5, 3.25), Complex::new(-2.0, 0.0), Complex::new(0.0, -1.0)],
        bodies: vec![
            BodyPlacement {
                name: "crank".into(),
                position: [0.1, 0.0, -1.0 / 3.0],
                rotation_vector: [0.0; 3],
                displacement: [0.0, 0.3, -0.4],
                turned: 0.25,
            },
            BodyPlacement {
                name: "b".into(),
                position: [1.0, 2.0, 3.0],
                rotation_vector: [0.0, 0.0, std::f64::consts::PI],
                ..BodyPlacement::default()
            },
        ],
        beam_nodes: vec![],
        variables: vec![],
        held: vec![],
        nearest: String::new(),
        wall_time_s: 0.1,
        set_up_time_s: 0.2,
        warnings: vec!["the load was brought up in steps".into()],
    }
}

fn linearize() -> LinearizeSummary {
    let names = |list: &[&str]| list.iter().map(|n| n.to_string()).collect::<Vec<_>>();
    LinearizeSummary {
        common: common(),
        about: "start".into(),
        time: 0.0,
        observer: "world".into(),
        states: names(&["a", "b", "c", "d", "e"]),
        inputs: names(&["motor.torque"]),
        outputs: vec![],
        matrices: vec![
            MatrixShape { name: "A".into(), rows: 5, columns: 5 },
            MatrixShape { name: "B".into(), rows: 5, columns: 1 },
        ],
        poles: (0..10).map(|i| Complex::new(-f64::from(i), 1.5)).collect(),
        stability: None,
        wall_time_s: 1.5,
        set_up_time_s: 0.2,
        warnings: vec![],
    }
}

fn kinematics() -> KinematicsSummary {
    let residual = |max: f64, limit: f64| Residual {
        max,
        joint: "hinge_a".into(),
        time: 0.25,
        limit: Some(limit),
        wrong_above: None,
        ..Residual::default()
    };
    KinematicsSummary {
        common: common(),
        t_start: 0.0,
        t_end: 2.0,
        t_reached: 2.0,
        steps: 1000,
        iterations: 2500,
        max_iterations: 4,
        mobility: 1,
        driven_rows: 1,
        nearest_singularity: Some(SingularityMet {
            distance: 0.005,
            time: 1.25,
            weakest_row: "hinge_c.translation.x".into(),
            limit: Some(1e-6),
        }),
        residuals: Some(ConstraintAudit {
            position: residual(1e-13, 1e-10),
            velocity: residual(1e-12, 1e-10),
            acceleration: residual(1e-11, 1e-10),
        }),
        wall_time_s: 0.5,
        set_up_time_s: 0.1,
        warnings: vec![],
    }
}

fn assert_contains(text: &str, expected: &[&str]) {
    for line in expected {
        assert!(text.contains(line), "{line:?} not in\n{text}");
    }
    assert!(text.lines().all(|l| l.chars().count() <= 100), "{text}");
}

/// Writes, reads back and compares.
fn assert_round<S: RunSummary + PartialEq + std::fmt::Debug>(summary: &S, analysis: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("summary.json");
    summary.write(&path).unwrap();
    assert_eq!(&S::read(&path).unwrap(), summary);
    let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(json["analysis"], analysis);
    assert_eq!(json["model"]["name"], summary.common().model.name.as_str());
}

#[test]
fn every_summary_goes_round_through_json() {
    assert_round(&modes(), "modes");
    assert_round(&equilibrium(), "equilibrium");
    assert_round(&linearize(), "linearize");
    assert_round(&kinematics(), "kinematics");
    assert_round(&MotionSummary { common: common(), ..MotionSummary::default() }, "motion");
    let mut with_redundancy = modes();
    with_redundancy.common.redundancy = Some(redundancy());
    assert_round(&with_redundancy, "modes");
}

#[test]
fn words_in_json_are_those_of_the_reports() {
    let json: serde_json::Value = serde_json::from_str(&modes().json().unwrap()).unwrap();
    assert_eq!(json["method"], "shift-invert");
    assert_eq!(json["modes"][0]["kind"], "oscillation");
    assert_eq!(json["modes"][1]["kind"], "growth");
    assert_eq!(json["modes"][0]["eigenvalue"], serde_json::json!({"re": -3.0, "im": 4.0}));
    assert_eq!(json["stability"]["verdict"], "unstable");
    let json: serde_json::Value = serde_json::from_str(&equilibrium().json().unwrap()).unwrap();
    assert_eq!(json["method"], "load stepping");
    assert_eq!(json["stability"]["verdict"], "asymptotically stable");
}

#[test]
fn the_keys_of_a_motion_stay_as_they_were() {
    let summary = MotionSummary { common: common(), ..MotionSummary::default() };
    let json: serde_json::Value = serde_json::from_str(&summary.json().unwrap()).unwrap();
    let mut keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    let expected = [
        "analysis",
        "audit",
        "counts",
        "expectations",
        "files",
        "model",
        "outcome",
        "program",
        "start",
        "statistics",
        "study",
    ];
    assert_eq!(keys, expected);
    // Written before there were other analyses.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("summary.json");
    let mut old = json;
    old.as_object_mut().unwrap().remove("analysis");
    fs::write(&path, old.to_string()).unwrap();
    assert_eq!(MotionSummary::read(&path).unwrap(), summary);
    assert!(matches!(ModesSummary::read(&path), Err(ResultsError::OtherAnalysis { .. })));
    modes().write(&path).unwrap();
    let error = MotionSummary::read(&path).unwrap_err().to_string();
    assert!(error.contains("summary of `modes`, not of `motion`"), "{error}");
}

#[test]
fn numbers_that_are_not_finite_are_named() {
    let mut summary = modes();
    summary.modes[1].eigenvalue.im = f64::NAN;
    let error = summary.json().unwrap_err().to_string();
    assert!(error.contains("`modes.1.eigenvalue.im` is NaN"), "{error}");
    let mut summary = equilibrium();
    summary.bodies[0].position[2] = f64::INFINITY;
    assert!(summary.json().unwrap_err().to_string().contains("`bodies.0.position.2` is inf"));
    let mut summary = kinematics();
    summary.common.redundancy = Some(redundancy());
    summary.common.redundancy.as_mut().unwrap().singularity.as_mut().unwrap().relative = f64::NAN;
    let error = summary.json().unwrap_err().to_string();
    assert!(error.contains("`redundancy.singularity.relative`"), "{error}");
    let mut summary = linearize();
    summary.poles[3].re = f64::NEG_INFINITY;
    assert!(summary.json().unwrap_err().to_string().contains("`poles.3.re` is -inf"));
}

#[test]
fn modes_read_as_a_table() {
    let text = modes().text();
    assert_contains(
        &text,
        &[
            "four-bar  (four_bar.toml, poinsot 0.1.0)",
            "✓ completed    3 modes about the equilibrium at t = 0.5 s in 12 ms, set up in 2 ms",
            "  method       shift-invert, 12 345 applications of the operator, seen from world",
            "! stability    unstable: mode 2 grows by a factor e in 4 s",
            "mode       Hz  rad/s  damping  decay 1/s  kind         moving most\n",
            "   1  0.63662      4      0.6          3  oscillation  coupler 71%, crank 29%\n",
            "   2        –      –        –      -0.25  growth       rocker 100%\n",
            "   3   1591.5  10000        0          0  oscillation\n",
            "redundant: hinge_d.rotation.x",
        ],
    );
    assert!(modes().holds());
    let mut many = modes();
    many.modes = (1..=50).map(|n| Mode::of(n, Complex::new(0.0, 1.0), 0.0, vec![])).collect();
    assert!(many.text().contains("and 30 more"));
}

#[test]
fn an_equilibrium_is_judged_by_its_balance() {
    let summary = equilibrium();
    assert_contains(
        &summary.text(),
        &[
            "✓ completed    equilibrium at t = 0 s in 100 ms, set up in 200 ms",
            "  method       load stepping, 17 iterations in 4 load steps",
            "✓ balance      at most 3.2e-9 N·m out of balance, crank, moment about z  (limit 1e-6)",
            "✓ constraints  open by at most 1e-14, hinge_a  (limit 1e-10)",
            "✓ stability    asymptotically stable\n",
            "lowest eigenvalues -0.5 + 3.25i,  -2,  0 - 1i 1/s",
            "body   x m  y m       z m  rx rad  ry rad  rz rad\n",
            "crank  0.1    0  -0.33333       0       0       0\n",
            "b        1    2         3       0       0  3.1416\n",
            "! warnings     the load was brought up in steps",
        ],
    );
    assert!(summary.holds());
    let mut off = equilibrium();
    off.out_of_balance.as_mut().unwrap().max = 1.0;
    assert!(!off.holds() && off.text().contains("✗ balance"));
    let mut failed = equilibrium();
    failed.common.outcome = Outcome {
        status: Status::Failed,
        message: "Newton did not converge".into(),
        remedy: "Try load stepping".into(),
    };
    assert_contains(&failed.text(), &["✗ failed       no equilibrium at t = 0 s", "Try load stepping"]);
    assert!(!failed.holds());
}

#[test]
fn a_linearisation_names_its_parts() {
    assert_contains(
        &linearize().text(),
        &[
            "✓ completed    linear about the start at t = 0 s in 1.5 s, set up in 200 ms",
            "  states       5: a, b, c and 2 more",
            "  inputs       1: motor.torque\n",
            "  outputs      none\n",
            "  matrices     A 5×5, B 5×1\n",
            "  poles        10 poles, in 1/s\n",
            "0 + 1.5i,  -1 + 1.5i,  -2 + 1.5i\n",
            "and 1 more",
        ],
    );
}

#[test]
fn a_kinematic_motion_is_judged_level_by_level() {
    let mut summary = kinematics();
    assert_contains(
        &summary.text(),
        &[
            "✓ completed    t = 0 … 2 s in 500 ms, set up in 100 ms",
            "✓ drives       1 driven row for 1 degree of freedom",
            "  work         1000 positions, 2.5 iterations each (at most 4)",
            "✓ singularity  nearest at t = 1.25 s, distance 0.005 (0 is singular)  (limit 1e-6)\n",
            "weakest row hinge_c.translation.x\n",
            "✓ constraints  position         1e-13  hinge_a  t = 0.25 s  (limit 1e-10)",
        ],
    );
    assert!(summary.holds());
    summary.nearest_singularity.as_mut().unwrap().distance = 1e-9;
    assert!(!summary.holds());
    let mut summary = kinematics();
    summary.residuals.as_mut().unwrap().acceleration.max = 1.0;
    summary.driven_rows = 0;
    assert!(!summary.holds());
    assert!(summary.text().contains("! drives       0 driven rows for 1 degree of freedom"));
    let mut summary = kinematics();
    summary.common.expectations =
        vec![Expectation { expected: 1.0, ..Expectation::default() }.judge(Some(2.0))];
    assert!(!summary.holds());
}

#[test]
fn redundancy_reads_alone_and_within_a_summary() {
    let report = redundancy();
    let expected = [
        "  mobility     1 degree of freedom: 18 coordinates less rank 17 of 20 constraints\n",
        "-2 by Grübler–Kutzbach: 6·3 − 20 (λ = 6)\n",
        "! redundant    hinge_d.rotation.x, follows from hinge_a, hinge_b, hinge_c\n",
        "  singularity  distance 0.0123 (0 is singular, 1 the farthest), weakest row hinge_c.rotation.y\n",
    ];
    let mut alone = Report::default();
    alone.redundancy(&report);
    assert_contains(&alone.text(), &expected);
    assert!(report.overconstrained());
    let mut summary = modes();
    summary.common.redundancy = Some(report.clone());
    assert_contains(&summary.text(), &expected);
    assert!(!summary.text().contains("redundant: "));
}

#[test]
fn variables_and_what_is_held_are_told() {
    let mut summary = equilibrium();
    summary.variables = vec![VariableValue { name: "coil.i".into(), value: 0.125, unit: "A".into() }];
    summary.held = vec!["coil.q".into()];
    let text = summary.text();
    assert!(
        text.contains("coil.i") && text.contains("0.125") && text.contains("coil.q: free in these"),
        "{text}"
    );
    assert!(summary.json().unwrap().contains("\"held\""));
    assert!(!equilibrium().json().unwrap().contains("\"held\""));
}

/// The longest line of a text, in letters.
fn longest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

#[test]
fn summaries_fit_a_terminal_and_lose_no_word() {
    let mut crowded = equilibrium();
    let long = "front_left_upper_suspension_arm_with_its_rear_bushing";
    crowded.common.model.name =
        "A model whose name alone is nearly as long as a line of the terminal is".into();
    crowded.common.model.file = format!("models/of/a/vehicle/{long}.toml");
    crowded.bodies[0].name = long.into();
    crowded.bodies[0].position = [-1.23456e-123, 2.34567e100, -3.45678e-12];
    crowded.warnings = vec![format!("the joint `{long}` is nearly singular there"); 5];
    let all: [&dyn RunText; 4] = [&modes(), &crowded, &linearize(), &kinematics()];
    for summary in all {
        for columns in [60, 80] {
            let text = summary.within(Some(columns));
            assert!(longest(&text) <= columns, "{columns}: {text}");
        }
        let whole = summary.within(None);
        let words = |text: &str| text.split_whitespace().collect::<String>();
        // A column that follows below repeats the first; nothing else is said twice or left out.
        let letters = |text: &str| words(text).chars().filter(|c| c.is_alphanumeric()).count();
        assert!(letters(&summary.within(Some(80))) >= letters(&whole));
        assert_eq!(summary.within(Some(10_000)), whole);
    }
}

/// A summary in words, whichever it is.
trait RunText {
    fn within(&self, columns: Option<usize>) -> String;
}

impl<S: RunSummary> RunText for S {
    fn within(&self, columns: Option<usize>) -> String {
        self.text_within(columns)
    }
}

#[test]
fn an_equilibrium_says_what_moved() {
    let mut summary = equilibrium();
    let node = |name: &str, x: f64| BodyPlacement {
        name: name.into(),
        displacement: [x, 0.0, 0.0],
        ..BodyPlacement::default()
    };
    summary.beam_nodes = vec![node("rod.node0", 0.0), node("rod.node1", 0.75), node("rod.node2", 0.25)];
    assert_contains(
        &summary.text(),
        &[
            "  moved        from the start: most rod.node1 by 0.75 m, crank turned by 0.25 rad\n",
            "               rod.node1  0.75  0.75    0     0           0\n",
            "               crank       0.5     0  0.3  -0.4        0.25\n",
        ],
    );
    assert!(!summary.text().contains("rod.node2"));
    summary.bodies.iter_mut().for_each(|body| {
        body.displacement = [0.0; 3];
        body.turned = 0.0;
    });
    summary.beam_nodes.clear();
    assert_contains(&summary.text(), &["  moved        nothing: the start is the equilibrium\n"]);
}
