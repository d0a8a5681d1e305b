//! Files, plots and folders of a run, through the public interface.

use crate::svg;

use std::fs;

use poinsot_results::summary_text::Report;
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

/// A summary with nothing but what all have.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
struct Plain {
    common: Common,
    end: f64,
    warnings: Vec<String>,
}

impl StudySummary for Plain {
    const ANALYSIS: &'static str = "plain";
    fn common(&self) -> &Common {
        &self.common
    }
    fn common_mut(&mut self) -> &mut Common {
        &mut self.common
    }
    fn warnings_mut(&mut self) -> &mut Vec<String> {
        &mut self.warnings
    }
    fn tell(&self) -> Report {
        Report::open(&self.common, "").close(&self.common)
    }
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
    let mut summary = Plain::default();
    folder.finish(&mut summary).unwrap();
    let names: Vec<&str> = folder.files().iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["signals.parquet", "signals.csv", "signals.svg", "old.txt", "summary.json"]);
    assert_eq!(Plain::read(&path.join("summary.json")).unwrap().common.files.len(), 4);
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
    let mut bad = Plain { end: f64::NAN, ..Plain::default() };
    assert!(folder.finish(&mut bad).is_err());
}
