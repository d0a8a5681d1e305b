//! Meshes of blocks and sheets, dense matrices and frequencies for the tests of this crate.

use nalgebra::{DMatrix, DVector};
use poinsot_flexible::{Component, ElementKind, FullBody, Isotropic, Material, Mesh, MeshElement};
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_numerics::SymmetricMatrix;
use std::collections::BTreeMap;

/// Something like steel in small numbers: E = 210, ν = 0.3, ρ = 7.8.
pub const STEEL: Isotropic = Isotropic { young: 210.0, poisson: 0.3 };
pub const DENSITY: f64 = 7.8;

pub fn steel() -> Material {
    Material::isotropic(STEEL, DENSITY).unwrap()
}

/// All kinds of solids.
pub const SOLIDS: [ElementKind; 6] = [
    ElementKind::Tet4,
    ElementKind::Tet10,
    ElementKind::Hex8,
    ElementKind::Hex20,
    ElementKind::Wedge6,
    ElementKind::Wedge15,
];

/// All kinds of faces.
pub const FACES: [ElementKind; 4] =
    [ElementKind::Tri3, ElementKind::Tri6, ElementKind::Quad4, ElementKind::Quad8];

pub fn dense(matrix: &SymmetricMatrix) -> DMatrix<f64> {
    let mut full = DMatrix::zeros(matrix.size(), matrix.size());
    for (i, j, value) in matrix.entries() {
        full[(i, j)] = value;
        full[(j, i)] = value;
    }
    full
}

/// Numbers between −1 and 1 that look like chance.
pub fn noise(k: usize) -> f64 {
    let x = ((k as f64) * 12.9898 + 4.1).sin() * 43758.5453;
    2.0 * (x - x.floor()) - 1.0
}

/// A rotation without symmetry.
pub fn tilt() -> Mat3 {
    so3::exp(&Vec3::new(0.4, -0.7, 1.1))
}

/// Edges between corners, in the order of the nodes behind the corners.
fn edges(kind: ElementKind) -> &'static [(usize, usize)] {
    match kind {
        ElementKind::Tri6 => &[(0, 1), (1, 2), (2, 0)],
        ElementKind::Quad8 => &[(0, 1), (1, 2), (2, 3), (3, 0)],
        ElementKind::Tet10 => &[(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)],
        ElementKind::Hex20 => {
            &[(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
        }
        ElementKind::Wedge15 => &[(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)],
        _ => &[],
    }
}

/// Corners of the elements that a cell of eight (or four) corners is cut into.
fn pieces(kind: ElementKind) -> Vec<Vec<usize>> {
    match kind {
        ElementKind::Hex8 | ElementKind::Hex20 => vec![(0..8).collect()],
        ElementKind::Wedge6 | ElementKind::Wedge15 => vec![vec![0, 1, 2, 4, 5, 6], vec![0, 2, 3, 4, 6, 7]],
        // Six tetrahedra around the diagonal from corner 0 to corner 6.
        ElementKind::Tet4 | ElementKind::Tet10 => vec![
            vec![0, 1, 2, 6],
            vec![0, 2, 3, 6],
            vec![0, 3, 7, 6],
            vec![0, 7, 4, 6],
            vec![0, 4, 5, 6],
            vec![0, 5, 1, 6],
        ],
        ElementKind::Quad4 | ElementKind::Quad8 => vec![(0..4).collect()],
        ElementKind::Tri3 | ElementKind::Tri6 => vec![vec![0, 1, 2], vec![0, 2, 3]],
        ElementKind::Bar2 | ElementKind::Beam2 => panic!("a line is no block"),
    }
}

/// A grid of cells with sides 1, its places moved by `place`, middles of edges at the middle.
pub fn grid(kind: ElementKind, cells: [usize; 3], place: impl Fn(usize, Vec3) -> Vec3) -> Mesh {
    let flat = kind.dimension() == 2;
    let [nx, ny, nz] = [cells[0], cells[1], if flat { 0 } else { cells[2] }];
    let node = |i: usize, j: usize, k: usize| (k * (ny + 1) + j) * (nx + 1) + i;
    let mut nodes = vec![];
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..=nx {
                nodes.push(place(nodes.len(), Vec3::new(i as f64, j as f64, k as f64)));
            }
        }
    }
    let mut elements = vec![];
    for k in 0..nz.max(1) {
        for j in 0..ny {
            for i in 0..nx {
                let base =
                    |k: usize| [node(i, j, k), node(i + 1, j, k), node(i + 1, j + 1, k), node(i, j + 1, k)];
                let corners = if flat { base(0).to_vec() } else { [base(k), base(k + 1)].concat() };
                for piece in pieces(kind) {
                    let nodes = piece.iter().map(|&corner| corners[corner]).collect();
                    elements.push(MeshElement { kind, nodes });
                }
            }
        }
    }
    add_middles(&mut nodes, &mut elements);
    Mesh { nodes, elements, groups: vec![] }
}

fn add_middles(nodes: &mut Vec<Vec3>, elements: &mut [MeshElement]) {
    let mut middles = BTreeMap::new();
    for element in elements {
        for &(a, b) in edges(element.kind) {
            let (a, b) = (element.nodes[a], element.nodes[b]);
            let middle = *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                nodes.push((nodes[a] + nodes[b]) * 0.5);
                nodes.len() - 1
            });
            element.nodes.push(middle);
        }
    }
}

/// A grid of distorted cells, turned in space if it is solid.
pub fn distorted(kind: ElementKind, cells: [usize; 3]) -> Mesh {
    let flat = kind.dimension() == 2;
    grid(kind, cells, |n, x| {
        let shift = Vec3::new(noise(3 * n), noise(3 * n + 1), noise(3 * n + 2)) * 0.12;
        if flat { Vec3::new(x.x + shift.x, x.y + shift.y, 0.3) } else { tilt() * (x + shift) }
    })
}

/// Unknowns of a field: displacements and small rotations at a place.
pub fn sample(body: &FullBody, field: impl Fn(&Vec3) -> (Vec3, Vec3)) -> DVector<f64> {
    let values = body.unknowns.iter().map(|unknown| {
        let (translation, rotation) = field(&body.nodes[unknown.node]);
        match unknown.component {
            Component::Translation(k) => translation[k],
            Component::Rotation(k) => rotation[k],
        }
    });
    DVector::from_iterator(body.unknowns.len(), values)
}

/// ω² of K a = ω² M a with the unknowns of some nodes held, ascending. K must then be definite; M need not
/// be.
pub fn squares_of_frequencies(body: &FullBody, held: impl Fn(&Vec3) -> bool) -> Vec<f64> {
    let free: Vec<usize> =
        (0..body.unknowns.len()).filter(|&k| !held(&body.nodes[body.unknowns[k].node])).collect();
    let part = |matrix: &SymmetricMatrix| dense(matrix).select_rows(&free).select_columns(&free);
    generalised(&part(&body.stiffness), &part(&body.mass)).iter().map(|mu| 1.0 / mu).collect()
}

/// μ of B a = μ A a, A definite, descending.
pub fn generalised(a: &DMatrix<f64>, b: &DMatrix<f64>) -> Vec<f64> {
    let factor = a.clone().cholesky().expect("definite").l();
    let half = factor.solve_lower_triangular(b).expect("regular");
    let whole = factor.solve_lower_triangular(&half.transpose()).expect("regular");
    let mut values: Vec<f64> = whole.symmetric_eigenvalues().iter().copied().collect();
    values.sort_by(|x, y| y.total_cmp(x));
    values
}

/// The largest μ of B a = μ A a, A definite, by iteration.
pub fn largest(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    let factor = a.clone().cholesky().expect("definite");
    let mut x = DVector::from_fn(a.nrows(), |k, _| noise(k));
    for _ in 0..80 {
        x = factor.solve(&(b * &x)).normalize();
    }
    (b * &x).dot(&x) / (a * &x).dot(&x)
}

/// Eigenvalues of a symmetric matrix that are zero beside the largest.
pub fn zeros(matrix: &DMatrix<f64>) -> usize {
    let values = matrix.symmetric_eigenvalues();
    let most = values.amax();
    assert!(values.min() > -1e-11 * most, "a negative eigenvalue: {}", values.min() / most);
    values.iter().filter(|value| value.abs() < 1e-11 * most).count()
}

#[track_caller]
pub fn close(value: f64, expected: f64, tolerance: f64) {
    assert!(
        (value - expected).abs() <= tolerance * expected.abs().max(1.0),
        "{value:.15e} instead of {expected:.15e}"
    );
}
