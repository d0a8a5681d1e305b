//! The summary of a motion, through the public interface.

use std::fs;

use poinsot_results::*;
use poinsot_studies::motion::*;

fn full_summary() -> MotionSummary {
    let residual = |max: f64, joint: &str| Residual {
        max,
        joint: joint.into(),
        time: 4.21,
        limit: Some(1e-8),
        wrong_above: None,
        ..Residual::default()
    };
    let expectation = Expectation {
        signal: "slider.position.x".into(),
        unit: "m".into(),
        at: 2.0,
        expected: 0.123,
        tolerance: 1e-6,
        source: "closed form".into(),
        ..Expectation::default()
    };
    MotionSummary {
        common: Common {
            model: ModelIdentity {
                name: "slider-crank".into(),
                file: "slider_crank.toml".into(),
                hash: "fnv1a64:9f3c0a1b2c3d4e5f".into(),
            },
            study: None,
            initial: None,
            flexible: vec![],
            program: Program { name: "poinsot".into(), version: "0.1.0".into() },
            outcome: Outcome { status: Status::Completed, ..Outcome::default() },
            counts: Counts {
                bodies: 3,
                joints: 4,
                forces: 1,
                coordinates: 21,
                constraints: 20,
                redundant: vec!["guide.rotation.x".into(), "hinge_b.translation.z".into()],
                degrees_of_freedom: 1,
                ..Counts::default()
            },
            redundancy: None,
            start: Some(Start {
                position_correction: 1.2e-9,
                asked: vec![],
                velocity_correction: 0.0,
                messages: vec!["the given start is 0.3 mm off at `hinge_b`".into()],
            }),
            expectations: vec![
                expectation.clone().judge(Some(0.123_000_1)),
                expectation.clone().judge(Some(0.2)),
                expectation.judge(None),
            ],
            files: vec![FileEntry { name: "signals.parquet".into(), description: "All signals".into() }],
            missing: vec![FileEntry { name: "energy.svg".into(), description: "no room".into() }],
        },
        study: Study {
            integrator: IntegratorChoice {
                name: "GS4-2".into(),
                family: "isochronous".into(),
                roots: vec![0.9, 0.9, 0.5],
                form: "index 3".into(),
                step: 1e-3,
                tolerance: 1e-10,
                ..IntegratorChoice::default()
            },
            t_start: 0.0,
            t_end: 10.0,
            t_reached: 10.0,
        },
        statistics: Statistics {
            steps: 10_000,
            newton_iterations: 23_456,
            max_newton_iterations: 5,
            residual_evaluations: 33_456,
            factorisations: 412,
            wall_time_s: 1.234,
            set_up_time_s: 0.0123,
            simulated_per_wall: Some(8.1),
            ..Statistics::default()
        },
        events: vec![],
        audit: Audit {
            energy: Some(EnergyAudit {
                start: 12.345678,
                end: 11.1,
                kinetic: 1.0 / 3.0,
                potential: 9.0,
                supplied_work: 0.0,
                dissipated_work: 1.245,
                max_relative_imbalance: 3.2e-9,
                time_of_max: 4.217,
                explained: Some(1e-8),
                limit: Some(1e-6),
            }),
            time_error: Some(TimeErrorAudit {
                relative: Some(2.5e-4),
                quantity: "speed of `crank`".into(),
                retaken_steps: 23,
                limit: Some(0.01),
            }),
            step_check: None,
            momentum: Some(MomentumAudit::default()),
            constraints: Some(ConstraintAudit {
                position: residual(1.1e-12, "hinge_a"),
                velocity: residual(2.2e-7, "guide"),
                acceleration: residual(3.3e-10, "hinge_b"),
            }),
            nearest_singularity: None,
            max_rotation_per_step: Some(RotationAudit {
                angle: 0.034,
                body: "crank".into(),
                time: 1.0,
                limit: None,
            }),
            warnings: vec!["the step is longer than a tenth of the shortest period".into()],
        },
    }
}

#[test]
fn summary_goes_round_through_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("summary.json");
    let summary = full_summary();
    summary.write(&path).unwrap();
    assert_eq!(MotionSummary::read(&path).unwrap(), summary);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"status\": \"completed\""));
    MotionSummary::default().write(&path).unwrap();
    assert_eq!(MotionSummary::read(&path).unwrap(), MotionSummary::default());
}

#[test]
fn summary_refuses_numbers_that_are_not_finite() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("summary.json");
    let mut summary = full_summary();
    summary.common.expectations[1].error = Some(f64::NAN);
    let error = summary.write(&path).unwrap_err().to_string();
    assert!(error.contains("expectations.1.error"), "{error}");
    let mut summary = full_summary();
    summary.audit.momentum.as_mut().unwrap().linear.end[2] = f64::INFINITY;
    let error = summary.write(&path).unwrap_err().to_string();
    assert!(error.contains("audit.momentum.linear.end.2"), "{error}");
    assert!(!path.exists());
}

#[test]
fn summary_reads_well_in_a_terminal() {
    let summary = full_summary();
    let text = summary.text();
    assert!(text.lines().count() <= 26, "{text}");
    assert!(text.lines().all(|l| l.chars().count() <= 100), "{text}");
    for expected in [
        "! completed    but not right: constraints, expected\n",
        "               t = 0 … 10 s in 1.23 s (8.1 × real time), set up in 12.3 ms",
        "✓ time error   about 0.00025 of the motion, speed of `crank`, 23 steps taken again  (limit 0.01)",
        "✓ energy       imbalance at most 3.2e-9 of the energy in play, at t = 4.217 s",
        "✓ constraints  position       1.1e-12  hinge_a  t = 4.21 s  (limit 1e-8)",
        "✗              velocity        2.2e-7  guide    t = 4.21 s  (limit 1e-8)",
        "✗ expected     1 of 3 expectations hold",
        "✗              slider.position.x at 2 s: 0.2 m, expected 0.123 ± 1e-6, off by 0.077",
        "10 000 steps, 2.35 iterations each (at most 5), 33 456 residuals",
        "1 degree of freedom",
    ] {
        assert!(text.contains(expected), "{expected:?} not in\n{text}");
    }
    assert!(!summary.holds());
    let mut good = summary.clone();
    good.common.expectations.clear();
    good.audit.constraints = None;
    assert!(good.holds());
    assert!(good.text().contains("\n✓ completed    t = 0 … 10 s in 1.23 s"), "{}", good.text());
    let energy = |good: &mut MotionSummary, imbalance: f64, explained: Option<f64>| {
        let energy = good.audit.energy.as_mut().unwrap();
        (energy.max_relative_imbalance, energy.explained) = (imbalance, explained);
        let mark = good.text().lines().find(|l| l.contains("energy ")).unwrap().chars().next().unwrap();
        // The first line does not claim more than the audit.
        let claims = good.text().contains("✓ completed");
        let admits = good.text().contains("! completed    but not right: energy\n");
        assert!(claims == good.holds() && admits != claims, "{}", good.text());
        (mark, good.holds())
    };
    // What the error of the steps explains needs eyes, what it does not explain is wrong.
    assert_eq!(energy(&mut good, 1e-7, None), ('✓', true));
    assert_eq!(energy(&mut good, 0.5, Some(0.2)), ('!', true));
    assert_eq!(energy(&mut good, 0.5, Some(1e-3)), ('✗', false));
    assert_eq!(energy(&mut good, 0.5, None), ('✗', false));
    good.audit.energy = None;
    let error = good.audit.time_error.as_mut().unwrap();
    (error.relative, error.quantity) = (None, String::new());
    assert!(good.text().contains("! time error   not known") && good.holds(), "{}", good.text());
}

#[test]
fn the_step_check_tells_the_error_and_the_difference() {
    let checked = |error: Option<f64>| StepCheck {
        changed: "half the step".into(),
        difference: error.map(|error| 0.75 * error),
        error,
        quantity: "place of `crank`".into(),
        rows: 101,
        limit: Some(0.01),
        reason: "Newton's iteration did not converge".into(),
    };
    let mut summary = full_summary();
    let mut told = |error: Option<f64>| {
        summary.audit.step_check = Some(checked(error));
        summary.text()
    };
    let text = told(Some(4e-4));
    assert!(
        text.contains("✓ step check   error about 0.0004 of the motion, place of `crank`  (limit 0.01)\n")
    );
    assert!(
        text.contains("               half the step changes it by at most 0.0003 in 101 rows\n"),
        "{text}"
    );
    assert!(told(Some(0.5)).contains("! step check"));
    assert!(told(Some(1.0)).contains("✗ step check"));
    assert!(told(None).contains("! step check   not known: the run with half the step failed\n"));
    assert!(told(None).contains("Newton's iteration did not converge"));
}

#[test]
fn failed_runs_say_why_and_what_to_do() {
    let mut summary = MotionSummary::default();
    summary.common.outcome.message = "Newton iteration did not converge at t = 0.31 s".into();
    summary.common.outcome.remedy = "Try a step below 1 ms".into();
    summary.study.t_end = 2.0;
    summary.audit.warnings = (0..9).map(|i| format!("warning {i}")).collect();
    let text = summary.text();
    assert!(text.contains("✗ failed"), "{text}");
    assert!(text.contains("of 2 s") && text.contains("Try a step"), "{text}");
    assert!(text.contains("and 6 more"), "{text}");
}
