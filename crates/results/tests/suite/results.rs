//! Files, summaries, plots and folders of a run, through the public interface.

use crate::svg;

use std::fs;

use poinsot_results::*;
use svg::read_svg;

/// A table with awkward names and numbers.
fn awkward_table() -> SignalTable {
    let mut table = SignalTable::new(vec![
        Column::new("crank.angle", "rad", "Angle of the crank"),
        Column::new("a, \"quoted\" name", "m/s^2", "With a comma"),
        Column::new("list[0]", "", "Pure number"),
    ])
    .unwrap();
    let values = [
        [0.1 + 0.2, 1e300, -0.0],
        [f64::MIN_POSITIVE, -1.0 / 3.0, 5e-324],
        [f64::MAX, 123_456_789.123_456_78, 1e16],
    ];
    for (i, row) in values.iter().enumerate() {
        table.push(i as f64 * 0.1, row).unwrap();
    }
    table
}

fn bits(table: &SignalTable) -> Vec<Vec<u64>> {
    std::iter::once(table.time())
        .chain((0..table.columns().len()).map(|i| table.samples(i).unwrap()))
        .map(|column| column.iter().map(|v| v.to_bits()).collect())
        .collect()
}

#[test]
fn parquet_gives_back_what_the_rows_are_ordered_by() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signals.parquet");
    let point = Column::new("point", "", "Number of the point");
    let mut table = SignalTable::along(point, vec![Column::new("load", "N", "")]).unwrap();
    for (k, load) in [0.0, 3.5, 2.25].into_iter().enumerate() {
        table.push(k as f64 + 1.0, &[load]).unwrap();
    }
    write_parquet(&table, &path).unwrap();
    assert_eq!(read_parquet(&path).unwrap(), table);
}

#[test]
fn parquet_gives_back_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signals.parquet");
    let table = awkward_table();
    write_parquet(&table, &path).unwrap();
    let back = read_parquet(&path).unwrap();
    assert_eq!(back.columns(), table.columns());
    assert_eq!(bits(&back), bits(&table));
}

#[test]
fn csv_gives_back_the_numbers_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signals.csv");
    let table = awkward_table();
    write_csv(&table, &path).unwrap();
    let header = fs::read_to_string(&path).unwrap();
    assert!(header.starts_with("time [s],crank.angle [rad],\"a, \"\"quoted\"\" name [m/s^2]\",list[0]\n"));
    let back = read_csv(&path).unwrap();
    assert_eq!(bits(&back), bits(&table));
    for (read, written) in back.columns().iter().zip(table.columns()) {
        assert_eq!((&read.name, &read.unit), (&written.name, &written.unit));
    }
}

#[test]
fn tables_without_rows_or_signals_go_round_too() {
    let folder = tempfile::tempdir().unwrap();
    let empty = SignalTable::new(vec![Column::new("x", "m", "")]).unwrap();
    let mut only_time = SignalTable::new(vec![]).unwrap();
    only_time.push(0.5, &[]).unwrap();
    for table in [empty, only_time] {
        let (p, c) = (folder.path().join("t.parquet"), folder.path().join("t.csv"));
        write_parquet(&table, &p).unwrap();
        write_csv(&table, &c).unwrap();
        assert_eq!(read_parquet(&p).unwrap(), table);
        assert_eq!(read_csv(&c).unwrap(), table);
    }
}

#[test]
fn long_tables_cross_batches() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.parquet");
    let mut table = SignalTable::new(vec![Column::new("x", "m", "")]).unwrap();
    for i in 0..150_001 {
        table.push(i as f64, &[(i as f64).sin()]).unwrap();
    }
    write_parquet(&table, &path).unwrap();
    assert_eq!(bits(&read_parquet(&path).unwrap()), bits(&table));
}

#[test]
fn bad_csv_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.csv");
    let cases = [
        ("time [s],x\n0,1\n1,abc\n", "line 3"),
        ("time [s],x\n0,1\n1\n", "line 3"),
        ("time [s],x\n0,NaN\n", "`x` is not a finite number"),
        ("x,y\n0,1\n", "first column is not `time`"),
        ("time,\"x\n0,1\n", "not closed"),
        ("", "first column is not `time`"),
    ];
    for (text, expected) in cases {
        fs::write(&path, text).unwrap();
        let error = read_csv(&path).unwrap_err().to_string();
        assert!(error.contains(expected), "{text:?}: {error}");
    }
    fs::write(&path, "not parquet").unwrap();
    assert!(read_parquet(&path).is_err());
    assert!(read_csv(&folder.path().join("none.csv")).is_err());
}

fn full_summary() -> Summary {
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
    Summary {
        common: Common {
            model: ModelIdentity {
                name: "slider-crank".into(),
                file: "slider_crank.toml".into(),
                hash: "fnv1a64:9f3c0a1b2c3d4e5f".into(),
            },
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
                variables: 0,
            },
            redundancy: None,
            start: Some(Start {
                position_correction: 1.2e-9,
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
    assert_eq!(Summary::read(&path).unwrap(), summary);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"status\": \"completed\""));
    Summary::default().write(&path).unwrap();
    assert_eq!(Summary::read(&path).unwrap(), Summary::default());
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
        "✓ completed    t = 0 … 10 s in 1.23 s (8.1 × real time), set up in 12.3 ms",
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
    let energy = |good: &mut Summary, imbalance: f64, explained: Option<f64>| {
        let energy = good.audit.energy.as_mut().unwrap();
        (energy.max_relative_imbalance, energy.explained) = (imbalance, explained);
        let mark = good.text().lines().find(|l| l.contains("energy ")).unwrap().chars().next().unwrap();
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
    let mut summary = Summary::default();
    summary.common.outcome.message = "Newton iteration did not converge at t = 0.31 s".into();
    summary.common.outcome.remedy = "Try a step below 1 ms".into();
    summary.study.t_end = 2.0;
    summary.audit.warnings = (0..9).map(|i| format!("warning {i}")).collect();
    let text = summary.text();
    assert!(text.contains("✗ failed"), "{text}");
    assert!(text.contains("of 2 s") && text.contains("Try a step"), "{text}");
    assert!(text.contains("and 6 more"), "{text}");
}

#[test]
fn signal_plots_carry_title_units_and_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signals.svg");
    let mut table = SignalTable::new(vec![
        Column::new("a<b>&\"c\"", "m", ""),
        Column::new("slider.acceleration", "m/s^2", ""),
        Column::new("hinge.force", "N", ""),
    ])
    .unwrap();
    for i in 0..100 {
        let t = i as f64 * 0.01;
        table.push(t, &[t.sin(), -t, 4e4 * t]).unwrap();
    }
    let written = plot_signals(&table, "Slider & crank\u{0}", &path).unwrap();
    assert_eq!(written, std::slice::from_ref(&path));
    let svg = read_svg(&path);
    for expected in [
        "Slider &amp; crank",
        "[m/s²]",
        "[N]",
        "time [s]",
        "a&lt;b&gt;&amp;&quot;c&quot;",
        "hinge.force",
        "×10³",
        "−0.2",
        "width=\"900\"",
    ] {
        assert!(svg.contains(expected), "{expected}");
    }
}

#[test]
fn many_signals_go_to_several_sheets() {
    let folder = tempfile::tempdir().unwrap();
    let columns = (0..40).map(|i| Column::new(format!("q{i}"), "rad", ""));
    let mut table = SignalTable::new(columns.collect()).unwrap();
    for i in 0..10 {
        table.push(i as f64, &[i as f64; 40]).unwrap();
    }
    let written = plot_signals(&table, "Many", &folder.path().join("q.svg")).unwrap();
    assert_eq!(written.len(), 2);
    assert!(written[1].ends_with("q-2.svg"));
    assert!(read_svg(&written[1]).contains("Many (2 of 2)"));
    let all = read_svg(&written[0]) + &read_svg(&written[1]);
    for i in 0..40 {
        assert!(all.contains(&format!("q{i}\n")), "q{i}");
    }
}

#[test]
fn constant_single_and_extreme_data_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.svg");
    for value in [0.0, 3.0, -1e-13, 1e300, -f64::MAX, 5e-324] {
        for rows in [1, 2, 50] {
            let mut table = SignalTable::new(vec![Column::new("x", "m", "")]).unwrap();
            for i in 0..rows {
                table.push(i as f64 * 1e-3, &[value]).unwrap();
            }
            plot_signals(&table, "Constant", &path).unwrap();
            let svg = read_svg(&path);
            let shape = if rows == 1 { "<circle" } else { "<polyline" };
            assert!(svg.contains(shape), "{value} {rows}");
        }
    }
    let mut table = SignalTable::new(vec![Column::new("x", "", "")]).unwrap();
    assert!(plot_signals(&table, "Empty", &path).is_err());
    table.push(0.0, &[f64::MAX]).unwrap();
    table.push(0.0, &[-f64::MAX]).unwrap();
    plot_signals(&table, "Huge", &path).unwrap();
    read_svg(&path);
}

#[test]
fn a_million_rows_make_a_small_plot() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.svg");
    let columns = (0..6).map(|i| Column::new(format!("noise.{i}"), "V", ""));
    let mut table = SignalTable::new(columns.collect()).unwrap();
    let mut state = 1u64;
    for i in 0..1_000_000 {
        let row: [f64; 6] = std::array::from_fn(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            (state >> 40) as f64
        });
        table.push(i as f64 * 1e-4, &row).unwrap();
    }
    plot_signals(&table, "Noise", &path).unwrap();
    assert!(fs::metadata(&path).unwrap().len() < 500_000);
    read_svg(&path);
}

#[test]
fn energy_plots_have_two_panels() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("energy.svg");
    let time: Vec<f64> = (0..500).map(|i| i as f64 * 0.01).collect();
    let of = |f: &dyn Fn(f64) -> f64| time.iter().map(|t| f(*t)).collect::<Vec<f64>>();
    let mut history = EnergyHistory {
        kinetic: of(&|t| t.sin().powi(2)),
        potential: of(&|t| t.cos().powi(2)),
        total: of(&|_| 1.0),
        supplied: of(&|_| 0.0),
        dissipated: of(&|t| 0.1 * t),
        imbalance: of(&|t| -2e-9 * t),
        time: time.clone(),
    };
    plot_energy(&history, "Energy of the run", &path).unwrap();
    let svg = read_svg(&path);
    for expected in [
        "Energy of the run",
        "energy [J]",
        "imbalance [J]",
        "kinetic",
        "dissipated",
        "×10⁻⁹",
        "at most 9.98×10⁻⁹ J, at t = 4.99 s",
    ] {
        assert!(svg.contains(expected), "{expected}");
    }
    assert!(!svg.contains("supplied"));
    history.total[7] = f64::NAN;
    let error = plot_energy(&history, "x", &path).unwrap_err().to_string();
    assert!(error.contains("`total`") && error.contains("sample 7"), "{error}");
    history.total.pop();
    assert!(matches!(plot_energy(&history, "x", &path), Err(ResultsError::CurveLength { .. })));
    let empty = EnergyHistory::default();
    assert!(matches!(plot_energy(&empty, "x", &path), Err(ResultsError::NothingToPlot { .. })));
}

#[test]
fn paths_are_drawn_to_one_scale() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("path.svg");
    let axes = PathAxes { x: "x", y: "z", unit: "mm" };
    let angle: Vec<f64> = (0..=360).map(|i| (i as f64).to_radians()).collect();
    let x: Vec<f64> = angle.iter().map(|a| a.cos()).collect();
    let y: Vec<f64> = angle.iter().map(|a| a.sin()).collect();
    let circle = Trajectory { name: "tip", x: &x, y: &y };
    plot_path(&[circle], axes, "Circle", &path).unwrap();
    let svg = read_svg(&path);
    for expected in ["Circle", "x [mm]", "z [mm]", "tip"] {
        assert!(svg.contains(expected), "{expected}");
    }
    let points = svg.split("<polyline").nth(1).unwrap();
    let points = points.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
    let (xs, ys): (Vec<i32>, Vec<i32>) = points
        .split_whitespace()
        .map(|p| p.split_once(',').unwrap())
        .map(|(x, y)| (x.parse::<i32>().unwrap(), y.parse::<i32>().unwrap()))
        .unzip();
    let extent = |v: &[i32]| v.iter().max().unwrap() - v.iter().min().unwrap();
    assert!((extent(&xs) - extent(&ys)).abs() <= 2);
    for (x, y) in [([0.0, 0.0], [0.0, 0.0]), ([1.0, 1.0], [5.0, 5.0]), ([-1e308, 1e308], [0.0, 1.0])] {
        let odd = Trajectory { name: "", x: &x, y: &y };
        plot_path(&[odd], axes, "Odd", &path).unwrap();
        read_svg(&path);
    }
    let short = Trajectory { name: "p", x: &x, y: &y[1..] };
    assert!(plot_path(&[short], axes, "Bad", &path).is_err());
    assert!(plot_path(&[], axes, "None", &path).is_err());
}

#[test]
fn a_run_folder_is_reused_without_loss() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("runs/first");
    let table = awkward_table();
    let mut folder = RunFolder::create(&path).unwrap();
    folder.write_signals_parquet(&table).unwrap();
    folder.write_signals_csv(&table).unwrap();
    folder.plot_signals(&table, "Run").unwrap();
    folder.write("old.txt", "A file of this run only", b"old").unwrap();
    let mut summary = full_summary();
    folder.finish(&mut summary).unwrap();
    let names: Vec<&str> = folder.files().iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["signals.parquet", "signals.csv", "signals.svg", "old.txt", "summary.json"]);
    assert_eq!(Summary::read(&path.join("summary.json")).unwrap().common.files.len(), 4);
    assert!(matches!(RunFolder::create(&path), Err(ResultsError::Held { .. })));
    drop(folder);

    fs::write(path.join("notes.md"), "mine").unwrap();
    let mut folder = RunFolder::create(&path).unwrap();
    assert!(matches!(folder.write("notes.md", "", b"x"), Err(ResultsError::ForeignFile { .. })));
    folder.write_signals_csv(&table).unwrap();
    assert!(!path.join("summary.json").exists());
    folder.finish(&mut summary).unwrap();
    assert!(!path.join("old.txt").exists() && !path.join("signals.parquet").exists());
    assert_eq!(fs::read_to_string(path.join("notes.md")).unwrap(), "mine");
    assert!(path.join("summary.json").exists());
}

#[test]
fn a_run_folder_refuses_what_it_must_not_touch() {
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("file");
    fs::write(&file, "mine").unwrap();
    assert!(matches!(RunFolder::create(&file), Err(ResultsError::NotAFolder { .. })));
    fs::write(parent.path().join("summary.json"), "mine").unwrap();
    fs::write(parent.path().join(".poinsot-files"), "../outside\n/etc/x\n").unwrap();
    // Found out before anything is computed.
    assert!(matches!(RunFolder::create(parent.path()), Err(ResultsError::ForeignFile { .. })));
    fs::rename(parent.path().join("summary.json"), parent.path().join("mine.json")).unwrap();
    let mut folder = RunFolder::create(parent.path()).unwrap();
    for name in ["../a", "a/b", "", ".", "..", "/a", ".poinsot-files", "a\nb", "./a"] {
        let error = folder.write(name, "", b"x").unwrap_err();
        assert!(matches!(error, ResultsError::FileName { .. }), "{name:?}");
    }
    assert_eq!(fs::read_to_string(parent.path().join("mine.json")).unwrap(), "mine");
    let mut bad = full_summary();
    bad.study.t_end = f64::NAN;
    assert!(folder.finish(&mut bad).is_err());
}
