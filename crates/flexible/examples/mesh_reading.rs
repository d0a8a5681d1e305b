//! How long it takes to read a mesh of a million nodes: hexahedra, as `.msh` (text and binary) and `.inp`.
//!
//! `cargo run --release -p poinsot-flexible --example mesh_reading`

use poinsot_flexible::{MeshInput, read_gmsh, read_inp};
use std::fmt::Write;
use std::time::Instant;

/// Elements along each axis.
const SIZE: usize = 100;

/// Label of a node, from 1.
fn label(i: usize, j: usize, k: usize) -> usize {
    1 + i + (SIZE + 1) * (j + (SIZE + 1) * k)
}

/// Labels of the nodes of the elements.
fn elements() -> impl Iterator<Item = [usize; 8]> {
    let all = (0..SIZE).flat_map(|k| (0..SIZE).flat_map(move |j| (0..SIZE).map(move |i| (i, j, k))));
    all.map(|(i, j, k)| {
        let base = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
        std::array::from_fn(|n| label(base[n % 4].0, base[n % 4].1, k + n / 4))
    })
}

/// Places of the nodes, with as many digits as files have.
fn nodes() -> impl Iterator<Item = [f64; 3]> {
    let all = (0..=SIZE).flat_map(|k| (0..=SIZE).flat_map(move |j| (0..=SIZE).map(move |i| [i, j, k])));
    all.map(|place| place.map(|n| n as f64 / 97.0))
}

fn input_file() -> Vec<u8> {
    let mut text = String::from("*NODE\n");
    nodes().zip(1..).for_each(|([x, y, z], n)| writeln!(text, "{n}, {x}, {y}, {z}").expect("a string"));
    text.push_str("*ELEMENT, TYPE=C3D8, ELSET=ALL\n");
    for (n, element) in elements().enumerate() {
        write!(text, "{}", n + 1).expect("a string");
        element.iter().for_each(|node| write!(text, ", {node}").expect("a string"));
        text.push('\n');
    }
    text.into_bytes()
}

fn gmsh_text() -> Vec<u8> {
    let (count, cells) = ((SIZE + 1).pow(3), SIZE.pow(3));
    let mut text = String::from("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n");
    write!(text, "$Nodes\n1 {count} 1 {count}\n3 1 0 {count}\n").expect("a string");
    (1..=count).for_each(|n| writeln!(text, "{n}").expect("a string"));
    nodes().for_each(|[x, y, z]| writeln!(text, "{x} {y} {z}").expect("a string"));
    write!(text, "$EndNodes\n$Elements\n1 {cells} 1 {cells}\n3 1 5 {cells}\n").expect("a string");
    for (n, element) in elements().enumerate() {
        write!(text, "{}", n + 1).expect("a string");
        element.iter().for_each(|node| write!(text, " {node}").expect("a string"));
        text.push('\n');
    }
    text.push_str("$EndElements\n");
    text.into_bytes()
}

fn gmsh_binary() -> Vec<u8> {
    let (count, cells) = ((SIZE + 1).pow(3), SIZE.pow(3));
    let mut bytes = b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n".to_vec();
    let sizes = |bytes: &mut Vec<u8>, list: &[usize]| {
        list.iter().for_each(|n| bytes.extend((*n as u64).to_le_bytes()));
    };
    let ints = |bytes: &mut Vec<u8>, list: [i32; 3]| list.iter().for_each(|n| bytes.extend(n.to_le_bytes()));
    sizes(&mut bytes, &[1, count, 1, count]);
    ints(&mut bytes, [3, 1, 0]);
    sizes(&mut bytes, &[count]);
    (1..=count).for_each(|n| sizes(&mut bytes, &[n]));
    nodes().flatten().for_each(|x| bytes.extend(x.to_le_bytes()));
    bytes.extend(b"\n$EndNodes\n$Elements\n");
    sizes(&mut bytes, &[1, cells, 1, cells]);
    ints(&mut bytes, [3, 1, 5]);
    sizes(&mut bytes, &[cells]);
    for (n, element) in elements().enumerate() {
        sizes(&mut bytes, &[n + 1]);
        sizes(&mut bytes, &element);
    }
    bytes.extend(b"\n$EndElements\n");
    bytes
}

fn timed(what: &str, bytes: &[u8], read: impl Fn(&[u8]) -> MeshInput) {
    let start = Instant::now();
    let input = read(bytes);
    let seconds = start.elapsed().as_secs_f64();
    let (nodes, elements) = (input.mesh.nodes.len(), input.mesh.elements.len());
    println!("{what}: {nodes} nodes, {elements} elements, {} MB in {seconds:.2} s", bytes.len() / 1_000_000);
}

fn main() {
    let gmsh = |bytes: &[u8]| read_gmsh("mesh.msh", bytes).expect("a mesh");
    timed(".msh, text", &gmsh_text(), gmsh);
    timed(".msh, binary", &gmsh_binary(), gmsh);
    let none = |_: &str| Err("".into());
    timed(".inp", &input_file(), |bytes| read_inp("mesh.inp", bytes, &mut { none }).expect("a mesh"));
}
