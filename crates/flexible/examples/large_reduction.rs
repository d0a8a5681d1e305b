//! What it costs to reduce a large body, in units of a factorisation of its stiffness and a solution:
//! `large_reduction NX NY NZ [MODES]`, a block of Hex20 with rigid ends.
//!
//! `cargo run --release -p poinsot-flexible --example large_reduction 3700 4 4 30`

use poinsot_flexible::reduction::{
    Damping, InterfaceRequest, Method, ModeChoice, Reduction, Reference, reduce,
};
use poinsot_flexible::{
    ElementKind, FullBody, Isotropic, Material, Mesh, MeshElement, Section, SectionOf, SolidSection, assemble,
};
use poinsot_geometry::Vec3;
use poinsot_numerics::{EliminationOrder, SymmetricFactors, SymmetricMatrix};
use std::collections::HashMap;
use std::time::Instant;

/// Corners of a cell and middles of its edges, as steps of half a cell, in the order of the element.
const CELL: [[usize; 3]; 20] = [
    [0, 0, 0],
    [2, 0, 0],
    [2, 2, 0],
    [0, 2, 0],
    [0, 0, 2],
    [2, 0, 2],
    [2, 2, 2],
    [0, 2, 2],
    [1, 0, 0],
    [2, 1, 0],
    [1, 2, 0],
    [0, 1, 0],
    [1, 0, 2],
    [2, 1, 2],
    [1, 2, 2],
    [0, 1, 2],
    [0, 0, 1],
    [2, 0, 1],
    [2, 2, 1],
    [0, 2, 1],
];

/// Cells of 1 cm.
fn plate([nx, ny, nz]: [usize; 3]) -> Mesh {
    let mut number = HashMap::new();
    let mut mesh = Mesh { nodes: vec![], elements: vec![], groups: vec![] };
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let node = |[a, b, c]: [usize; 3]| {
                    let at = [2 * i + a, 2 * j + b, 2 * k + c];
                    *number.entry(at).or_insert_with(|| {
                        mesh.nodes.push(Vec3::from(at.map(|n| 0.005 * n as f64)));
                        mesh.nodes.len() - 1
                    })
                };
                let nodes = CELL.map(node).to_vec();
                mesh.elements.push(MeshElement { kind: ElementKind::Hex20, nodes });
            }
        }
    }
    mesh
}

/// CPU seconds of this process, where the system tells them.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |k: usize| fields.get(k).and_then(|word| word.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

/// The most memory this process ever had, GB.
fn most_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|word| word.parse::<f64>().ok()).unwrap_or(0.0) / 1048576.0
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> (T, f64) {
    let (wall, before) = (Instant::now(), cpu());
    let result = work();
    let spent = cpu() - before;
    println!("{what:<28} {spent:9.2} s of CPU {:9.2} s", wall.elapsed().as_secs_f64());
    (result, spent)
}

/// A factorisation of K without the nodes at x = 0, and a solution.
fn unit(full: &FullBody) -> f64 {
    let free: Vec<usize> =
        (0..full.unknowns.len()).filter(|a| full.nodes[full.unknowns[*a].node].x > 0.0).collect();
    let mut place = vec![None; full.unknowns.len()];
    free.iter().enumerate().for_each(|(k, a)| place[*a] = Some(k));
    let inner = full.stiffness.entries().filter_map(|(i, j, value)| Some((place[i]?, place[j]?, value)));
    let matrix = SymmetricMatrix::from_entries(free.len(), inner);
    let node_of: Vec<u32> = free.iter().map(|a| full.unknowns[*a].node as u32).collect();
    let places: Vec<[f64; 3]> = full.nodes.iter().map(|x| [x.x, x.y, x.z]).collect();
    let order = EliminationOrder::Dissection { node_of: &node_of, places: &places };
    let (factors, factor) = timed("factor", || SymmetricFactors::new(&matrix, order).expect("factors"));
    println!("{:<28} {:.3e} numbers", "factors", factors.stored() as f64);
    let mut x: Vec<f64> = (0..free.len()).map(|k| (k as f64).sin()).collect();
    let (_, solve) = timed("solve", || factors.solve(&mut x));
    factor + solve
}

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|word| word.parse().expect("a number")).collect();
    let size: [usize; 3] = numbers[..3].try_into().expect("three numbers");
    let modes = numbers.get(3).copied().unwrap_or(30);
    let mesh = plate(size);
    let steel = Material::isotropic(Isotropic { young: 2.1e11, poisson: 0.3 }, 7850.0).expect("a material");
    let sections = [SectionOf::all(Section::Solid(SolidSection::new(steel)))];
    println!("{} nodes, {} elements", mesh.nodes.len(), mesh.elements.len());
    let (full, _) = timed("assemble", || assemble(&mesh, &sections).expect("a body"));
    println!("{} unknowns", full.unknowns.len());
    let unit = unit(&full);
    println!("{:<28} {:.2} GB", "most memory so far", most_memory());
    let end = 0.01 * size[0] as f64;
    let face = |x: f64| -> Vec<usize> {
        let near = |node: &usize| (full.nodes[*node].x - x).abs() < 1e-9;
        (0..full.nodes.len()).filter(near).collect()
    };
    let request = Reduction {
        interfaces: vec![
            InterfaceRequest::rigid("root", &face(0.0)),
            InterfaceRequest::rigid("tip", &face(end)),
        ],
        method: Method::CraigBampton(ModeChoice::Count(modes)),
        reference: Reference::MeanAxis,
        damping: Damping::None,
        compare: 0,
    };
    let (reduced, spent) = timed("reduce", || reduce(&full, &request).expect("a reduced body"));
    println!("{} shapes, the first {:.3} Hz", reduced.body.size(), reduced.report.frequencies[0]);
    println!("{:<28} {:.2} units of a factor and a solve", "reduction", spent / unit);
    println!("{:<28} {:.2} GB", "most memory", most_memory());
}
