//! Spectra, mode shapes and the folder that holds them.

use crate::svg;

use std::f64::consts::PI;
use std::fs;

use poinsot_results::*;
use poinsot_studies::linearize::LinearizeSummary;
use poinsot_studies::modes::*;
use svg::read_svg;

fn real(re: [f64; 3]) -> ComplexVector {
    ComplexVector { re, im: [0.0; 3] }
}

const UPRIGHT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Masses on a string from x = 0 to 1, whose modes are sin(kπx): the odd ones
/// along z, the even ones along y and turning.
fn string(masses: usize, modes: usize) -> ModeShapes {
    let at = |i: usize| [(i + 1) as f64 / (masses + 1) as f64, 0.0, 0.0];
    let frame = |i: usize| BodyFrame {
        name: format!("m{i}"),
        position: at(i),
        rotation: UPRIGHT,
        centre_of_mass: at(i),
    };
    let end = |body: Option<usize>, position: [f64; 3]| LinkEnd { body, position };
    let link = |i: usize| {
        let from = if i == 0 { end(None, [0.0; 3]) } else { end(Some(i - 1), at(i - 1)) };
        let to = if i == masses { end(None, [1.0, 0.0, 0.0]) } else { end(Some(i), at(i)) };
        Link { name: format!("string{i}"), ends: [from, to] }
    };
    let mode = |k: usize| {
        let amplitude = |i: usize| {
            let u = 0.3 * (k as f64 * PI * at(i)[0]).sin();
            let translation = match k % 2 {
                1 => real([0.0, 0.0, u]),
                // A quarter of a period between y and z: the mass runs round.
                _ => ComplexVector { re: [0.0, u, 0.0], im: [0.0, 0.0, 0.6 * u] },
            };
            BodyAmplitude { translation, rotation: ComplexVector::default() }
        };
        let eigenvalue = Complex::new(-0.05 * k as f64, k as f64 * PI);
        let m = Mode::of(k as u64, eigenvalue, 1e-9, vec![]);
        ModeShape {
            number: m.number,
            eigenvalue,
            frequency_hz: m.frequency_hz,
            damping_ratio: m.damping_ratio,
            kind: m.kind,
            bodies: (0..masses).map(amplitude).collect(),
            ..ModeShape::default()
        }
    };
    let bodies = (0..masses).map(frame).collect();
    ModeShapes::new(bodies, (0..=masses).map(link).collect(), 1.0, (1..=modes).map(mode).collect()).unwrap()
}

#[test]
fn mode_shapes_are_normalised_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("modes.json");
    string(3, 2).write(&path).unwrap();
    let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!((&json["format"], &json["version"]), (&"poinsot-modes".into(), &1.into()));
    assert_eq!(json["bodies"][1]["name"], "m1");
    assert_eq!(json["bodies"][1]["centre_of_mass"], serde_json::json!([0.5, 0.0, 0.0]));
    assert_eq!(json["bodies"][1]["rotation"], serde_json::json!(UPRIGHT));
    assert_eq!(json["links"][0]["ends"][0]["body"], serde_json::Value::Null);
    let z = |i: usize| json["modes"][0]["bodies"][i]["translation"]["re"][2].as_f64().unwrap();
    // sin(πx) at the quarters over that in the middle.
    assert!((z(1) - 1.0).abs() < 1e-15 && (z(0) - 0.5f64.sqrt()).abs() < 1e-15, "{} {}", z(0), z(1));
    let spinning = &json["modes"][1]["bodies"][2]["translation"];
    assert!((spinning["re"][1].as_f64().unwrap() + 1.0).abs() < 1e-12, "{spinning}");
    assert!((spinning["im"][2].as_f64().unwrap() + 0.6).abs() < 1e-12, "{spinning}");
    assert!((json["modes"][1]["frequency_hz"].as_f64().unwrap() - 1.0).abs() < 1e-15);
}

/// Centres of the circles of a colour, in drawing units.
fn circles(svg: &str, colour: &str) -> Vec<(f64, f64)> {
    let number = |tag: &str, key: &str| -> f64 {
        tag.split(&format!("{key}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    let tags = svg.split("<circle").skip(1).map(|t| t.split('>').next().unwrap());
    let coloured = tags.filter(|t| t.contains(&format!("fill=\"{colour}\"")));
    coloured.map(|t| (number(t, "cx"), number(t, "cy"))).collect()
}

const BLUE: &str = "#0072B2";
const VERMILION: &str = "#D55E00";

#[test]
fn a_mode_is_drawn_at_its_two_extremes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shapes.svg");
    plot_mode_shapes(&string(3, 1), "String <3 masses>", &path).unwrap();
    let svg = read_svg(&path);
    for expected in ["String &lt;3 masses&gt;", "Mode 1: 0.5 Hz, ζ = 0.016", "reference", "phase π", "0.1 m"]
    {
        assert!(svg.contains(expected), "{expected}");
    }
    // Three masses each, and the disc of the legend.
    let (up, down, rest) = (circles(&svg, BLUE), circles(&svg, VERMILION), circles(&svg, "#B0B0B0"));
    assert_eq!([up.len(), down.len(), rest.len()], [4; 3]);
    for i in 0..3 {
        assert_eq!(up[i].0, rest[i].0);
        assert!((up[i].1 + down[i].1 - 2.0 * rest[i].1).abs() <= 1.0, "mirror images");
    }
    let rise = |i: usize| rest[i].1 - up[i].1;
    assert!((rise(0) / rise(1) - 0.5f64.sqrt()).abs() < 0.01 && rise(1) > 0.0);
    // The largest displacement is 16 % of the length of the string, which is
    // 4 distances of masses.
    assert!((rise(1) / (4.0 * (rest[1].0 - rest[0].0)) - 0.16).abs() < 1e-3);
}

#[test]
fn at_most_six_modes_are_drawn_in_planes_that_show_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shapes.svg");
    plot_mode_shapes(&string(5, 8), "String", &path).unwrap();
    let svg = read_svg(&path);
    assert_eq!(svg.matches("Mode ").count(), 6);
    let axis = |name: &str| svg.matches(&format!("\n{name}\n")).count();
    assert_eq!((axis("x"), axis("z"), axis("y")), (6, 3, 3));
    for modes in 1..=6 {
        plot_mode_shapes(&string(2, modes), "String", &path).unwrap();
        assert_eq!(read_svg(&path).matches("Mode ").count(), modes);
    }
    let none = ModeShapes::new(vec![], vec![], 1.0, vec![]).unwrap();
    assert!(matches!(plot_mode_shapes(&none, "x", &path), Err(ResultsError::NothingToPlot { .. })));
}

#[test]
fn odd_shapes_are_drawn_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shapes.svg");
    let frame = |c: [f64; 3]| BodyFrame { rotation: UPRIGHT, centre_of_mass: c, ..BodyFrame::default() };
    let turning = BodyAmplitude { rotation: real([0.0, 1.0, 0.0]), ..BodyAmplitude::default() };
    let huge =
        BodyAmplitude { translation: real([f64::MAX, 0.0, 1.0]), rotation: real([0.0, 0.0, f64::MAX]) };
    for (centre, amplitude) in [
        ([0.0; 3], turning),
        ([0.0; 3], BodyAmplitude::default()),
        ([f64::MAX, -f64::MAX, 0.0], turning),
        ([1.0, 2.0, 3.0], huge),
    ] {
        for length in [1e-300, 1.0, f64::MAX] {
            let mode = ModeShape { number: 1, bodies: vec![amplitude], ..ModeShape::default() };
            let shapes = ModeShapes::new(vec![frame(centre)], vec![], length, vec![mode]).unwrap();
            plot_mode_shapes(&shapes, "Odd", &path).unwrap();
            read_svg(&path);
        }
    }
}

fn points(eigenvalues: &[(f64, f64)]) -> Vec<SpectrumPoint> {
    let numbered = eigenvalues.iter().zip(1..);
    numbered.map(|(e, number)| SpectrumPoint { number, eigenvalue: Complex::from(*e) }).collect()
}

#[test]
fn a_spectrum_places_its_points() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spectrum.svg");
    let given = [(-1.0, 10.0), (-3.0, 0.0), (2.0, 5.0), (-1.0, 10.0), (0.0, 7.5)];
    plot(&Spectrum(points(&given)), "Spectrum", &path).unwrap();
    let svg = read_svg(&path);
    let expected = [
        "Spectrum",
        "real part [1/s]",
        "imaginary part [rad/s]",
        "\nstable\n",
        "\nunstable\n",
        "\n1, 4\n",
        "\n3\n",
    ];
    for text in expected.into_iter().chain(["rings: conjugates", "#EEF5F9"]) {
        assert!(svg.contains(text), "{text}");
    }
    let (blue, red) = (circles(&svg, BLUE), circles(&svg, VERMILION));
    assert_eq!((blue.len(), red.len()), (4, 1));
    // Affine: equal differences of values are equal distances.
    let per_unit = (blue[3].0 - blue[0].0) / 1.0;
    assert!(((red[0].0 - blue[3].0) / 2.0 - per_unit).abs() <= 1.0);
    let per_unit = (blue[1].1 - blue[0].1) / 10.0;
    assert!(((blue[1].1 - red[0].1) / 5.0 - per_unit).abs() <= 1.0);
    // The shade ends on the imaginary axis.
    let shade = svg.split("<rect").find(|t| t.contains("#EEF5F9")).unwrap();
    let number = |key: &str| -> f64 {
        shade.split(&format!(" {key}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    assert!((number("x") + number("width") - blue[3].0).abs() <= 1.0);
}

#[test]
fn pairs_that_are_given_whole_have_no_rings() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spectrum.svg");
    plot(&Spectrum(points(&[(-1.0, 2.0), (-1.0, -2.0), (0.0, 0.0)])), "Pairs", &path).unwrap();
    let svg = read_svg(&path);
    assert!(!svg.contains("rings") && svg.matches("<circle").count() == 3);
    for odd in [vec![(0.0, 0.0)], vec![(1e308, -1e308)], vec![(-1e-320, 0.0)], vec![(1e-14, 1e3); 40]] {
        plot(&Spectrum(points(&odd)), "Odd", &path).unwrap();
        read_svg(&path);
    }
    let error = plot(&Spectrum(points(&[(0.0, 1.0), (f64::NAN, 0.0)])), "Bad", &path).unwrap_err();
    assert!(matches!(error, ResultsError::CurveNotFinite { sample: 1, .. }));
    assert!(matches!(plot(&Spectrum(vec![]), "None", &path), Err(ResultsError::NothingToPlot { .. })));
}

#[test]
fn a_folder_holds_the_files_of_an_analysis() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("modes");
    let shapes = string(3, 3);
    let mut set = MatrixSet::new();
    set.add_matrix("A", 1, 1, vec![-1.0]).unwrap();
    let mut folder = RunFolder::create(&path).unwrap();
    folder.write_mode_shapes(&shapes).unwrap();
    folder.draw(&Spectrum(points(&[(-1.0, 2.0)])), "Spectrum").unwrap();
    folder.plot_mode_shapes(&shapes, "Shapes").unwrap();
    for format in MatrixFormat::ALL {
        folder.write_matrices("state_space", &set, format).unwrap();
    }
    let mut summary = ModesSummary::default();
    summary.common.outcome.status = Status::Completed;
    folder.finish(&mut summary).unwrap();
    let names: Vec<&str> = summary.common.files.iter().map(|f| f.name.as_str()).collect();
    let expected = [
        "modes.json",
        "spectrum.svg",
        "mode_shapes.svg",
        "state_space.json",
        "state_space.npz",
        "state_space.mat",
    ];
    assert_eq!(names, expected);
    assert_eq!(summary.common.files[4].description, "Matrices A (NumPy)");
    assert_eq!(ModesSummary::read(&path.join("summary.json")).unwrap(), summary);
    assert!(expected.iter().all(|name| path.join(name).is_file()));
    // Another analysis into the same folder leaves nothing of this one.
    drop(folder);
    let mut folder = RunFolder::create(&path).unwrap();
    folder.finish(&mut LinearizeSummary::default()).unwrap();
    assert!(expected.iter().all(|name| !path.join(name).exists()));
    assert!(LinearizeSummary::read(&path.join("summary.json")).is_ok());
}
