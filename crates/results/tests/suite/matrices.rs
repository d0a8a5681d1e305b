//! Files of matrices, read back byte by byte and, where it is installed, by
//! NumPy and SciPy.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use poinsot_results::*;

/// Rows, columns and elements row by row.
type Matrix = (usize, usize, Vec<f64>);

fn names(entries: &[&str]) -> Vec<String> {
    entries.iter().map(|e| e.to_string()).collect()
}

/// A set with names of odd lengths, awkward numbers and empty parts.
fn awkward_set() -> MatrixSet {
    let mut set = plain_set();
    set.add_list("rare", names(&["𝄞", "a𝄞b"])).unwrap();
    set
}

/// The same without characters of two UTF-16 units, which SciPy cannot read
/// from a .mat file.
fn plain_set() -> MatrixSet {
    let mut set = MatrixSet::new();
    set.add_matrix("A", 2, 3, vec![1.0, 2.0, 3.0, 0.1 + 0.2, -0.0, f64::MAX]).unwrap();
    set.add_matrix("feed_through", 1, 1, vec![5e-324]).unwrap();
    set.add_matrix("none", 0, 4, vec![]).unwrap();
    set.add_matrix("mass", 3, 1, vec![-1.0 / 3.0, 1e300, f64::MIN_POSITIVE]).unwrap();
    set.add_list("states", names(&["crank.angle", "θ₁", "", "a \"b\" é"])).unwrap();
    set.add_list("inputs", vec![]).unwrap();
    set
}

fn matrices(set: &MatrixSet) -> BTreeMap<String, Matrix> {
    let matrix = |m: &NamedMatrix| (m.name().to_owned(), (m.rows(), m.columns(), m.values().to_vec()));
    set.matrices().iter().map(matrix).collect()
}

fn lists(set: &MatrixSet) -> BTreeMap<String, Vec<String>> {
    set.lists().iter().map(|l| (l.name().to_owned(), l.entries().to_vec())).collect()
}

/// Equal bit for bit: −0 is not 0.
fn assert_same(read: &BTreeMap<String, Matrix>, written: &BTreeMap<String, Matrix>) {
    assert_eq!(read, written);
    for (name, (_, _, values)) in read {
        let bits = |v: &[f64]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(values), bits(&written[name].2), "{name}");
    }
}

fn u16_at(bytes: &[u8], at: usize) -> usize {
    u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap()).into()
}

fn u32_at(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

fn doubles(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
}

#[test]
fn json_holds_every_number_and_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.json");
    let set = awkward_set();
    set.write(MatrixFormat::Json, &path).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("        [1.0,2.0,3.0],\n"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let matrix = |m: &serde_json::Value| -> Matrix {
        let rows: Vec<Vec<f64>> = serde_json::from_value(m["values"].clone()).unwrap();
        let (r, c) = (m["rows"].as_u64().unwrap() as usize, m["columns"].as_u64().unwrap() as usize);
        assert!(rows.len() == r && rows.iter().all(|row| row.len() == c));
        (r, c, rows.concat())
    };
    let read = json["matrices"].as_object().unwrap();
    assert_same(&read.iter().map(|(n, m)| (n.clone(), matrix(m))).collect(), &matrices(&set));
    let read: BTreeMap<String, Vec<String>> = serde_json::from_value(json["lists"].clone()).unwrap();
    assert_eq!(read, lists(&set));
    MatrixSet::new().write(MatrixFormat::Json, &path).unwrap();
    let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(json, serde_json::json!({"matrices": {}, "lists": {}}));
}

/// The entries of an uncompressed zip archive, by its central directory.
fn unzipped(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let end = bytes.len() - 22;
    assert_eq!(&bytes[end..end + 4], b"PK\x05\x06");
    let (number, mut at) = (u16_at(bytes, end + 10), u32_at(bytes, end + 16));
    let mut entries = Vec::new();
    for _ in 0..number {
        assert_eq!(&bytes[at..at + 4], b"PK\x01\x02");
        assert_eq!(u16_at(bytes, at + 10), 0, "compressed");
        let (crc, size) = (u32_at(bytes, at + 16), u32_at(bytes, at + 24));
        let (name, extra, comment) = (u16_at(bytes, at + 28), u16_at(bytes, at + 30), u16_at(bytes, at + 32));
        let local = u32_at(bytes, at + 42);
        assert_eq!(&bytes[local..local + 4], b"PK\x03\x04");
        let data = local + 30 + u16_at(bytes, local + 26) + u16_at(bytes, local + 28);
        let content = bytes[data..data + size].to_vec();
        assert_eq!(crc32(&content) as usize, crc);
        entries.push((String::from_utf8(bytes[at + 46..at + 46 + name].to_vec()).unwrap(), content));
        at += 46 + name + extra + comment;
    }
    entries
}

/// The reflected CRC of polynomial 0x04C11DB7, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |c, _| (c >> 1) ^ (0xEDB8_8320 & (c & 1).wrapping_neg()))
    })
}

/// Type, shape and data of a `.npy` array.
fn array(npy: &[u8]) -> (String, Vec<usize>, &[u8]) {
    assert_eq!(&npy[..8], b"\x93NUMPY\x01\x00");
    let length = u16_at(npy, 8);
    assert_eq!((10 + length) % 64, 0);
    let header = std::str::from_utf8(&npy[10..10 + length]).unwrap();
    assert!(header.ends_with('\n') && header.contains("'fortran_order': False"));
    let kind = header.split("'descr': '").nth(1).unwrap().split('\'').next().unwrap();
    let shape = header.split("'shape': (").nth(1).unwrap().split(')').next().unwrap();
    let shape = shape.split(',').filter_map(|n| n.trim().parse().ok()).collect();
    (kind.to_owned(), shape, &npy[10 + length..])
}

#[test]
fn npz_is_an_archive_of_arrays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.npz");
    let set = awkward_set();
    set.write(MatrixFormat::Npz, &path).unwrap();
    let (mut read, mut read_lists) = (BTreeMap::new(), BTreeMap::new());
    for (file, content) in unzipped(&fs::read(&path).unwrap()) {
        let name = file.strip_suffix(".npy").unwrap().to_owned();
        let (kind, shape, data) = array(&content);
        if kind == "<f8" {
            read.insert(name, (shape[0], shape[1], doubles(data)));
        } else {
            let width: usize = kind.strip_prefix("<U").unwrap().parse().unwrap();
            assert_eq!(data.len(), 4 * width * shape[0]);
            let text = |cell: &[u8]| -> String {
                let codes = cell.chunks_exact(4).map(|c| u32_at(c, 0) as u32);
                codes.take_while(|c| *c != 0).map(|c| char::from_u32(c).unwrap()).collect()
            };
            read_lists.insert(name, data.chunks_exact(4 * width).map(text).collect::<Vec<_>>());
        }
    }
    assert_same(&read, &matrices(&set));
    assert_eq!(read_lists, lists(&set));
    let first = fs::read(&path).unwrap();
    set.write(MatrixFormat::Npz, &path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), first, "equal sets make equal files");
}

/// Takes the next data element: its type and its data.
fn element<'a>(bytes: &mut &'a [u8]) -> (usize, &'a [u8]) {
    let word = u32_at(bytes, 0);
    let (kind, data, whole) = match word >> 16 {
        0 => {
            let size = u32_at(bytes, 4);
            (word, &bytes[8..8 + size], 8 + size.next_multiple_of(8))
        }
        size => (word & 0xFFFF, &bytes[4..4 + size], 8),
    };
    *bytes = &bytes[whole..];
    (kind, data)
}

/// Class, size, name and what follows of an array.
fn mat_array(mut bytes: &[u8]) -> (usize, [usize; 2], String, &[u8]) {
    let (kind, flags) = element(&mut bytes);
    assert_eq!((kind, flags.len()), (6, 8));
    let (kind, size) = element(&mut bytes);
    assert_eq!((kind, size.len()), (5, 8));
    let (kind, name) = element(&mut bytes);
    assert_eq!(kind, 1);
    let name = String::from_utf8(name.to_vec()).unwrap();
    (u32_at(flags, 0), [u32_at(size, 0), u32_at(size, 4)], name, bytes)
}

fn mat_text(bytes: &[u8]) -> String {
    let (class, size, name, mut rest) = mat_array(bytes);
    assert_eq!((class, name.as_str()), (4, ""));
    let (kind, data) = element(&mut rest);
    assert_eq!((kind, data.len(), rest.len()), (17, 2 * size[0] * size[1], 0));
    let units: Vec<u16> = data.chunks_exact(2).map(|c| u16_at(c, 0) as u16).collect();
    String::from_utf16(&units).unwrap()
}

#[test]
fn mat_is_a_level_5_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.mat");
    let set = awkward_set();
    set.write(MatrixFormat::Mat, &path).unwrap();
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.starts_with(b"MATLAB 5.0 MAT-file"));
    assert_eq!(&bytes[124..128], b"\x00\x01IM");
    let (mut read, mut read_lists) = (BTreeMap::new(), BTreeMap::new());
    let mut rest = &bytes[128..];
    while !rest.is_empty() {
        let (kind, content) = element(&mut rest);
        assert_eq!(kind, 14);
        let (class, [rows, columns], name, mut inside) = mat_array(content);
        if class == 6 {
            let (kind, data) = element(&mut inside);
            assert_eq!((kind, inside.len()), (9, 0));
            let by_column = doubles(data);
            let element = |k: usize| by_column[(k % columns) * rows + k / columns];
            read.insert(name, (rows, columns, (0..rows * columns).map(element).collect()));
        } else {
            assert_eq!((class, columns), (1, 1));
            let cells = (0..rows).map(|_| element(&mut inside)).map(|(_, cell)| mat_text(cell));
            read_lists.insert(name, cells.collect::<Vec<_>>());
            assert!(inside.is_empty());
        }
    }
    assert_same(&read, &matrices(&set));
    assert_eq!(read_lists, lists(&set));
}

/// A Python that has the module: `POINSOT_PYTHON` or one on the path.
fn python_with(module: &str) -> Option<String> {
    let named = std::env::var("POINSOT_PYTHON").ok();
    let candidates = named.into_iter().chain(["python3".to_owned(), "python".to_owned()]);
    let found = { candidates }.find(|python| {
        let tried = Command::new(python).args(["-c", &format!("import {module}")]).output();
        tried.is_ok_and(|o| o.status.success())
    });
    if found.is_none() {
        println!("skipped: no Python with {module}; set POINSOT_PYTHON to one that has it");
    }
    found
}

fn run_python(python: &str, script: &str, folder: &Path) {
    let out = Command::new(python).arg("-c").arg(script).current_dir(folder).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn numpy_and_scipy_read_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let set = plain_set();
    for format in MatrixFormat::ALL {
        set.write(format, &folder.path().join(format!("m.{}", format.extension()))).unwrap();
    }
    let expect = "
import json, numpy as np
j = json.load(open('m.json'))
want = {n: np.array(m['values'], dtype=float).reshape(m['rows'], m['columns']) for n, m in j['matrices'].items()}
def same(a, b):
    assert a.shape == b.shape and a.dtype == np.float64, (a, b)
    assert a.tobytes('C') == b.tobytes('C'), (a, b)
";
    if let Some(python) = python_with("numpy") {
        let script = "
got = np.load('m.npz', allow_pickle=False)
assert set(got.files) == set(want) | set(j['lists'])
for n in want: same(got[n], want[n])
for n, l in j['lists'].items():
    assert got[n].dtype.kind == 'U' and got[n].shape == (len(l),) and got[n].tolist() == l, got[n]
";
        run_python(&python, &format!("{expect}{script}"), folder.path());
    }
    if let Some(python) = python_with("scipy.io") {
        let script = "
from scipy.io import loadmat
got = loadmat('m.mat')
assert {n for n in got if not n.startswith('__')} == set(want) | set(j['lists'])
for n in want: same(got[n], want[n])
for n, l in j['lists'].items():
    assert got[n].dtype == object and got[n].shape == (len(l), 1), got[n]
    assert [str(c[0]) if c.size else '' for c in got[n][:, 0]] == l, got[n]
";
        run_python(&python, &format!("{expect}{script}"), folder.path());
    }
}
