//! Matrices from files of SciPy, MatrixMarket, CalculiX and Abaqus.

use poinsot_flexible::{
    Component, Fault, FileError, MatrixInput, read_abaqus_matrix, read_calculix_matrix,
    read_calculix_unknowns, read_matrix, read_node_csv, read_node_npy, read_npy, read_npz,
};
use poinsot_numerics::SymmetricMatrix;
use std::fmt::Write;
use std::path::Path;

pub fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)).unwrap()
}

/// A matrix that CalculiX has stored of `block.inp`.
pub fn calculix(name: &str) -> MatrixInput {
    let labels = read_calculix_unknowns("block.dof", &bytes("block.dof")).unwrap();
    read_calculix_matrix(name, &bytes(name), labels).unwrap()
}

fn read(name: &str, bytes: &[u8]) -> Result<MatrixInput, FileError> {
    read_matrix(name, bytes, name.starts_with("dense").then_some("K"))
}

/// Largest difference of two matrices, relative to the largest entry.
fn difference(a: &SymmetricMatrix, b: &SymmetricMatrix) -> f64 {
    assert_eq!(a.size(), b.size());
    let both = a.entries().chain(b.entries().map(|(i, j, value)| (i, j, -value)));
    let largest = |m: &SymmetricMatrix| m.entries().map(|(.., value)| value.abs()).fold(0.0, f64::max);
    let entries: Vec<_> = both.collect();
    largest(&SymmetricMatrix::from_entries(a.size(), entries.into_iter())) / largest(a)
}

/// A matrix as Abaqus writes it: lines of labels, one side or both.
fn abaqus(input: &MatrixInput, both: bool) -> String {
    let number = |component| match component {
        Component::Translation(axis) => axis + 1,
        Component::Rotation(axis) => axis + 4,
    };
    let mut text = String::from("** Assembled matrix\n*MATRIX INPUT, NAME=X, TYPE=SYMMETRIC\n");
    for (i, j, value) in input.matrix.entries() {
        let [a, b] = [i, j].map(|k| input.labels.as_ref().unwrap()[k]);
        let (p, q) = (number(a.component), number(b.component));
        writeln!(text, "{}, {p}, {}, {q}, {value:.17e}", a.node, b.node).unwrap();
        if both && i != j {
            writeln!(text, "{},{q}, {},{p},  {value:.17e}", b.node, a.node).unwrap();
        }
    }
    text
}

#[test]
fn all_forms_of_a_matrix_are_the_same() {
    let (stiffness, mass) = (calculix("block.sti"), calculix("block.mas"));
    assert_eq!((stiffness.matrix.size(), mass.matrix.size()), (36, 36));
    let labels = stiffness.labels.as_ref().unwrap();
    assert_eq!((labels[35].node, labels[35].component), (22, Component::Translation(2)));
    let of_mass =
        ["mass-coo.npz", "mass-csc.npz", "mass-general.mtx", "mass-array.mtx", "mass-array-symmetric.mtx"];
    for name in of_mass {
        let found = read(name, &bytes(name)).unwrap_or_else(|error| panic!("{error}"));
        assert!(difference(&mass.matrix, &found.matrix) < 1e-13, "{name}");
    }
    for name in ["stiffness-csr.npz", "dense.npz", "stiffness-symmetric.mtx"] {
        let found = read(name, &bytes(name)).unwrap_or_else(|error| panic!("{error}"));
        assert!(difference(&stiffness.matrix, &found.matrix) < 1e-13, "{name}");
    }
    for both in [false, true] {
        let found = read_abaqus_matrix("x.mtx", abaqus(&stiffness, both).as_bytes()).unwrap();
        assert_eq!(difference(&stiffness.matrix, &found.matrix), 0.0);
        assert_eq!(found.labels, stiffness.labels);
    }
}

#[test]
fn a_matrix_that_is_not_symmetric_is_refused_with_its_worst_pair() {
    let text = "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 4\n2 2 4\n3 3 4\n1 3 1.5\n3 1 1\n";
    let error = read("a.mtx", text.as_bytes()).unwrap_err();
    let expected = "a.mtx: the matrix is not symmetric: entry (1, 3) is 1.5e0, entry (3, 1) is 1e0";
    assert_eq!((error.to_string().as_str(), error.help()), (expected, None));
    let error = read("a.mtx", text.replace("1 3 1.5", "3 2 1.5").as_bytes()).unwrap_err();
    assert!(matches!(error.fault, Fault::Asymmetric { row: 2, column: 3, triangle: true, .. }), "{error}");
    assert!(error.help().unwrap().contains("one side of the diagonal is empty"));
    // Rounding is no lack of symmetry: the mean is taken.
    let close = read("a.mtx", text.replace("3 1 1", "3 1 1.5000000004").as_bytes()).unwrap();
    assert!((close.matrix.column(0).last().unwrap().1 - 1.5000000002).abs() < 1e-15);
}

#[test]
fn mistakes_are_told_with_their_places() {
    let head = "%%MatrixMarket matrix coordinate real symmetric\n% words\n";
    let cases = [
        ("a.mtx", format!("{head}2 3 1\n"), "a.mtx: the matrix is not square: 2 rows, 3 columns"),
        (
            "a.mtx",
            format!("{head}2 2 1\n1 2 x\n"),
            "a.mtx:4:4: an entry above the diagonal of a matrix that is said",
        ),
        ("a.mtx", format!("{head}2 2 1\n2 1 x\n"), "a.mtx:4:5: expected an entry, found `x`"),
        ("a.mtx", format!("{head}2 2 1\n3 1 1\n"), "a.mtx:4:2: row or column 3 of a matrix of 2"),
        (
            "a.mtx",
            format!("{head}2 2 2\n1 1 1\n"),
            "a.mtx:5:1: the file ends where a row or column is expected",
        ),
        ("a.mtx", head.replace("real", "complex"), "a.mtx:1:1: a matrix of `complex` numbers cannot be used"),
        (
            "a.mtx",
            format!("{head}4000000000 4000000000 0\n"),
            "a.mtx:3:22: the matrix has hardly any entries",
        ),
        ("b.mtx", "1,1,-2,1,3\n".into(), "b.mtx:1:1: the internal node -2 cannot be used"),
        (
            "b.mtx",
            "1,1,1,1,3\n1,11,2,1,3\n".into(),
            "b.mtx:2:1: degree of freedom 11 of node 1 cannot be used",
        ),
        (
            "b.mtx",
            "1,1\n".into(),
            "b.mtx:1:1: expected `node, dof, node, dof, value` or `row, column, value`",
        ),
    ];
    for (name, text, expected) in cases {
        let message = read(name, text.as_bytes()).unwrap_err().to_string();
        assert!(message.starts_with(expected), "{message}");
    }
    let error = read_npz("dense.npz", &bytes("dense.npz"), None).unwrap_err().to_string();
    assert_eq!(error, "dense.npz: the archive has several matrices: name one of M, K");
    let error = read_npz("dense.npz", &bytes("dense.npz"), Some("Q")).unwrap_err().to_string();
    assert!(error.contains("`Q` is not") && error.contains("M, K"), "{error}");
    let error = read_calculix_unknowns("a.dof", b"1.1\n1.2\n12\n").unwrap_err().to_string();
    assert_eq!(error, "a.dof:3:1: expected an unknown `node.direction`, found `12`");
}

#[test]
fn an_archive_that_is_damaged_is_refused() {
    for name in ["mass-coo.npz", "dense.npz"] {
        let good = bytes(name);
        // A bit of the first array, behind its header of 30 bytes, its name and what else there is.
        let mut bad = good.clone();
        let data = 30 + usize::from(good[26]) + usize::from(good[28]);
        bad[data + 90] ^= 4;
        let error = read(name, &bad).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{name}: the archive cannot be read: `")), "{error}");
        assert!(error.contains("is damaged"), "{error}");
        let error = read(name, &good[..good.len() - 30]).unwrap_err().to_string();
        assert_eq!(error, format!("{name}: the archive cannot be read: it has no directory"));
        // A comment behind the directory is no harm.
        let mut more = good.clone();
        more.extend(b"a comment");
        assert_eq!(read(name, &more).unwrap(), read(name, &good).unwrap());
    }
    // A directory that promises 4 GB for a few bytes.
    let mut bomb = bytes("mass-csc.npz");
    let header = bomb.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    bomb[header + 24..header + 28].copy_from_slice(&0xF000_0000u32.to_le_bytes());
    let error = read("mass-csc.npz", &bomb).unwrap_err().to_string();
    assert!(error.contains("is damaged"), "{error}");
}

#[test]
fn tables_of_nodes_as_text_and_as_array_are_the_same() {
    let text = read_node_csv("nodes.csv", &bytes("nodes.csv")).unwrap();
    let array = read_node_npy("nodes.npy", &bytes("nodes.npy")).unwrap();
    assert_eq!(text, array);
    assert_eq!((text.labels[11], text.places[11].x), (22, 0.4));
    let error = read_node_csv("n.csv", b"id,x,y,z\n1,0,0,0\n1,1,0,0\n").unwrap_err().to_string();
    assert_eq!(error, "n.csv:3:1: node `1` is defined twice");
    let error = read_node_csv("n.csv", b"1,0,0\n").unwrap_err().to_string();
    assert_eq!(error, "n.csv:1:1: expected `label, x, y, z`, found `1,0,0`");
}

#[test]
fn files_with_wrong_bytes_are_refused_or_read_but_never_end_the_program() {
    let names = ["mass-coo.npz", "mass-csc.npz", "dense.npz", "mass-general.mtx", "mass-array-symmetric.mtx"];
    for name in names {
        let good = bytes(name);
        let (mut refused, mut state) = (0, 3u64);
        for _ in 0..3000 {
            refused += usize::from(read(name, &super::mutated(&good, &mut state)).is_err());
        }
        assert!(refused > 500, "{name}: {refused} of 3000 refused");
    }
    let labelled = abaqus(&calculix("block.sti"), false).into_bytes();
    let (unknowns, stored, mut state) = (bytes("block.dof"), bytes("block.sti"), 5u64);
    let labels = read_calculix_unknowns("block.dof", &unknowns).unwrap();
    let [csv, npy] = ["nodes.csv", "nodes.npy"].map(bytes);
    for _ in 0..3000 {
        let mut bad = |good: &[u8]| super::mutated(good, &mut state);
        let _ = read_abaqus_matrix("a.mtx", &bad(&labelled));
        let _ = read_calculix_unknowns("a.dof", &bad(&unknowns));
        let _ = read_calculix_matrix("a.sti", &bad(&stored), labels.clone());
        let _ = (read_node_csv("a.csv", &bad(&csv)), read_node_npy("a.npy", &bad(&npy)));
        let _ = read_npy("a.npy", &bad(&npy));
    }
}
