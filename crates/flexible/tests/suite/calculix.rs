//! Comparison with CalculiX 2.20: matrices and frequencies of the same meshes.
//!
//! The figures that `ccx` gave are kept here and asserted always. Where `ccx` is installed it is run besides,
//! and every entry of its matrices is compared.

use crate::support::{DENSITY, STEEL, close, dense, grid, noise, squares_of_frequencies, steel};
use nalgebra::{DMatrix, DVector};
use poinsot_flexible::{
    Component, ElementKind, FullBody, Integration, Mesh, Section, SectionOf, SolidSection, assemble,
};
use poinsot_geometry::Vec3;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What `ccx` gave for a kind of element.
struct Given {
    kind: ElementKind,
    name: &'static str,
    /// Trace of K, xᵀKx, trace of M, xᵀMx of the free mesh, x = sin(3 node + direction), counted from 1.
    sums: [f64; 4],
    /// ω² with the face x = 0 held; `ccx` prints seven digits.
    squares: [f64; 5],
}

const GIVEN: [Given; 6] = [
    Given {
        kind: ElementKind::Tet4,
        name: "C3D4",
        sums: [1.659826089687e4, 7.821200291517e3, 3.591310773486e1, 1.548060629327e1],
        squares: [1.0173, 1.49359, 8.106662, 8.861692, 16.31809],
    },
    Given {
        kind: ElementKind::Tet10,
        name: "C3D10",
        sums: [7.635200012560e4, 3.603779932878e4, 5.339156371560e1, 1.343151323879e1],
        squares: [0.3171072, 0.8944734, 2.100655, 6.958926, 7.554922],
    },
    Given {
        kind: ElementKind::Hex8,
        name: "C3D8",
        sums: [7.256692706148e3, 4.387137551429e3, 4.255335762929e1, 1.408194648185e1],
        squares: [0.4510047, 1.015889, 2.254598, 7.88911, 10.59408],
    },
    Given {
        kind: ElementKind::Hex20,
        name: "C3D20",
        sums: [4.285246180901e4, 1.651012885478e4, 1.319344250700e2, 3.206501365635e1],
        squares: [0.3132891, 0.8769262, 1.942694, 6.757054, 7.414209],
    },
    Given {
        kind: ElementKind::Wedge6,
        name: "C3D6",
        sums: [9.160174042903e3, 4.460975172389e3, 3.200740351605e1, 5.871737264136],
        squares: [0.3969138, 1.416461, 4.640449, 7.933208, 12.32502],
    },
    Given {
        kind: ElementKind::Wedge15,
        name: "C3D15",
        sums: [5.661407710626e4, 2.700667818131e4, 9.318434546443e1, 3.239288867417e1],
        squares: [0.3120306, 0.8723957, 1.954507, 6.703422, 7.384903],
    },
];

/// Distorted cells with the face x = 0 in its plane; coordinates are decimals of five digits.
fn mesh(kind: ElementKind) -> Mesh {
    grid(kind, [3, 2, 1], |n, x| {
        let mut shift = Vec3::new(noise(3 * n), noise(3 * n + 1), noise(3 * n + 2)) * 0.12;
        if x.x == 0.0 {
            shift.x = 0.0;
        }
        (x + shift).map(|coordinate| (coordinate * 1e4).round() / 1e4)
    })
}

fn body(mesh: &Mesh, integration: Integration) -> FullBody {
    let section = SolidSection { incompatible_modes: false, integration, ..SolidSection::new(steel()) };
    assemble(mesh, &[SectionOf::all(Section::Solid(section))]).unwrap()
}

fn is_held(place: &Vec3) -> bool {
    place.x.abs() < 1e-9
}

#[test]
fn matrices_have_the_sums_that_calculix_gave() {
    for given in &GIVEN {
        let body = body(&mesh(given.kind), Integration::AsCalculix);
        let direction = |component| match component {
            Component::Translation(k) | Component::Rotation(k) => k + 1,
        };
        let x = body.unknowns.iter().map(|u| ((3 * (u.node + 1) + direction(u.component)) as f64).sin());
        let x = DVector::from_iterator(body.unknowns.len(), x);
        let (k, m) = (dense(&body.stiffness), dense(&body.mass));
        let found = [k.trace(), (&k * &x).dot(&x), m.trace(), (&m * &x).dot(&x)];
        for (found, expected) in found.iter().zip(given.sums) {
            assert!((found / expected - 1.0).abs() < 1e-10, "{}: {found} {expected}", given.name);
        }
    }
}

#[test]
fn frequencies_are_those_that_calculix_gave() {
    for given in &GIVEN {
        let mesh = mesh(given.kind);
        let squares = squares_of_frequencies(&body(&mesh, Integration::AsCalculix), is_held);
        for (found, expected) in squares.iter().zip(given.squares) {
            assert!((found / expected - 1.0).abs() < 4e-7, "{}: {found} {expected}", given.name);
        }
        // Masses in full make frequencies of coarse meshes lower or equal: M grows. So does K of this wedge.
        if given.kind == ElementKind::Wedge6 {
            continue;
        }
        let consistent = squares_of_frequencies(&body(&mesh, Integration::Full), is_held);
        for (found, with_few_points) in consistent.iter().zip(&squares).take(3) {
            assert!(*found < with_few_points * (1.0 + 1e-3), "{}: {found} {with_few_points}", given.name);
        }
    }
}

#[test]
fn every_entry_is_that_of_calculix() {
    if !is_installed() {
        eprintln!("ccx is not installed: the entries of its matrices are not compared");
        return;
    }
    for given in &GIVEN {
        let mesh = mesh(given.kind);
        let body = body(&mesh, Integration::AsCalculix);
        let folder = run(given.name, &mesh, "matrices", "*FREQUENCY,SOLVER=MATRIXSTORAGE\n", false);
        for (ending, matrix) in [("sti", &body.stiffness), ("mas", &body.mass)] {
            let ours = dense(matrix);
            let theirs = read_matrix(&folder.join(format!("{}.{ending}", given.name)), ours.nrows());
            let difference = (&ours - theirs).amax() / ours.amax();
            assert!(difference < 1e-9, "{} {ending}: {difference:.2e}", given.name);
        }
    }
}

#[test]
fn calculix_gives_the_kept_frequencies() {
    if !is_installed() {
        eprintln!("ccx is not installed: the kept frequencies are not computed again");
        return;
    }
    for given in &GIVEN {
        let folder = run(given.name, &mesh(given.kind), "frequencies", "*FREQUENCY\n5\n", true);
        let text = std::fs::read_to_string(folder.join(format!("{}.dat", given.name))).unwrap();
        let rows = text.lines().filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.first()?.parse::<usize>().ok()?;
            words.get(1)?.parse::<f64>().ok()
        });
        let found: Vec<f64> = rows.take(5).collect();
        assert_eq!(found.len(), 5);
        for (found, kept) in found.iter().zip(given.squares) {
            close(*found, kept, 1e-6);
        }
    }
}

fn is_installed() -> bool {
    Command::new("ccx").arg("-v").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Runs `ccx` on a mesh in a folder of its own.
fn run(name: &str, mesh: &Mesh, job: &str, step: &str, held: bool) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("calculix").join(job).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{name}.inp")), input(name, mesh, step, held)).unwrap();
    let status = Command::new("ccx").arg(name).current_dir(&folder).stdout(Stdio::null()).status().unwrap();
    assert!(status.success(), "ccx {name}");
    folder
}

/// The mesh in the words of CalculiX.
fn input(name: &str, mesh: &Mesh, step: &str, held: bool) -> String {
    let mut text = String::from("*NODE\n");
    for (node, x) in mesh.nodes.iter().enumerate() {
        writeln!(text, "{},{:.5},{:.5},{:.5}", node + 1, x.x, x.y, x.z).unwrap();
    }
    writeln!(text, "*ELEMENT,TYPE={name},ELSET=E").unwrap();
    for (element, found) in mesh.elements.iter().enumerate() {
        let numbers = std::iter::once(element + 1).chain(found.nodes.iter().map(|node| node + 1));
        let words: Vec<String> = numbers.map(|number| number.to_string()).collect();
        let lines: Vec<String> = words.chunks(15).map(|part| part.join(",")).collect();
        writeln!(text, "{}", lines.join(",\n")).unwrap();
    }
    writeln!(text, "*MATERIAL,NAME=M\n*ELASTIC\n{},{}", STEEL.young, STEEL.poisson).unwrap();
    writeln!(text, "*DENSITY\n{DENSITY}\n*SOLID SECTION,ELSET=E,MATERIAL=M").unwrap();
    if held {
        text.push_str("*BOUNDARY\n");
        for node in (0..mesh.nodes.len()).filter(|&node| is_held(&mesh.nodes[node])) {
            writeln!(text, "{},1,3", node + 1).unwrap();
        }
    }
    text + "*STEP\n" + step + "*END STEP\n"
}

/// Lines "row column value" of one triangle, counted from 1.
fn read_matrix(path: &std::path::Path, size: usize) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(size, size);
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [i, j] = [0, 1].map(|k| words[k].parse::<usize>().unwrap() - 1);
        let value = words[2].parse().unwrap();
        matrix[(i, j)] = value;
        matrix[(j, i)] = value;
    }
    matrix
}
