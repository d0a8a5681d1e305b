//! Small bodies of these tests: chains of beams and lattices of springs.

use nalgebra::{DMatrix, Matrix3xX};
use poinsot_flexible::{Component, FullBody, MassProducts, Unknown};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_numerics::SymmetricMatrix;
use std::collections::BTreeMap;

/// Gauss points and weights on (0, 1), five of them.
pub fn gauss() -> [(f64, f64); 5] {
    let (a, b) = (2.0 * (10.0_f64 / 7.0).sqrt(), 13.0 * 70.0_f64.sqrt());
    let [inner, outer] = [(5.0 - a).sqrt() / 3.0, (5.0 + a).sqrt() / 3.0];
    let [wi, wo] = [(322.0 + b) / 900.0, (322.0 - b) / 900.0];
    [(0.0, 128.0 / 225.0), (inner, wi), (-inner, wi), (outer, wo), (-outer, wo)]
        .map(|(x, w)| (0.5 * (1.0 + x), 0.5 * w))
}

/// A mass at a point of an element: mass, place, shape functions of its unknowns.
pub type MassPoint = (f64, Vec3, Matrix3xX<f64>);

/// An element: its unknowns, its stiffness and its mass.
pub struct Element {
    pub unknowns: Vec<usize>,
    pub stiffness: DMatrix<f64>,
    pub masses: Vec<MassPoint>,
}

/// A body of elements.
pub fn assemble(nodes: Vec<Vec3>, unknowns: Vec<Unknown>, elements: &[Element]) -> FullBody {
    let n = unknowns.len();
    let (mut stiffness, mut mass) = (vec![], vec![]);
    let mut pairs: BTreeMap<(usize, usize), Mat3> = BTreeMap::new();
    let mut body = FullBody {
        nodes,
        unknowns,
        stiffness: SymmetricMatrix::from_entries(0, [].into_iter()),
        mass: SymmetricMatrix::from_entries(0, [].into_iter()),
        total_mass: 0.0,
        first_moment: Vec3::zeros(),
        second_moment: Mat3::zeros(),
        mean: DMatrix::zeros(3, n),
        moments: DMatrix::zeros(9, n),
        products: MassProducts::Pairs(vec![]),
        skin: Default::default(),
    };
    for Element { unknowns, stiffness: k, masses } in elements {
        for (m, x, s) in masses {
            body.total_mass += m;
            body.first_moment += x * *m;
            body.second_moment += x * x.transpose() * *m;
            for (i, &a) in unknowns.iter().enumerate() {
                let own: Vec3 = s.column(i).into_owned();
                let mut column = body.mean.column_mut(a);
                column += own * *m;
                let moment = own * x.transpose() * *m;
                for (k, value) in moment.as_slice().iter().enumerate() {
                    body.moments[(k, a)] += value;
                }
            }
        }
        for (i, &a) in unknowns.iter().enumerate() {
            for (j, &b) in unknowns.iter().enumerate().filter(|(_, b)| a <= **b) {
                stiffness.push((a, b, k[(i, j)]));
                let product: Mat3 =
                    masses.iter().map(|(m, _, s)| s.column(i) * s.column(j).transpose() * *m).sum();
                mass.push((a, b, product.trace()));
                *pairs.entry((a, b)).or_insert_with(Mat3::zeros) += product;
            }
        }
    }
    body.stiffness = SymmetricMatrix::from_entries(n, stiffness.into_iter());
    body.mass = SymmetricMatrix::from_entries(n, mass.into_iter());
    body.products = MassProducts::Pairs(pairs.into_iter().map(|((a, b), value)| (a, b, value)).collect());
    body
}

/// A straight beam along x.
#[derive(Clone, Copy)]
pub struct Beam {
    pub length: f64,
    pub elements: usize,
    /// EA, EI.
    pub axial: f64,
    pub bending: f64,
    /// Mass of a metre.
    pub line_mass: f64,
}

impl Beam {
    pub fn unit(elements: usize) -> Self {
        Beam { length: 1.0, elements, axial: 1e4, bending: 1.0, line_mass: 1.0 }
    }

    pub fn step(&self) -> f64 {
        self.length / self.elements as f64
    }

    /// Planar elements (floating-frame-and-ancf 1.17): displacements along x, y and the slope of each node.
    pub fn planar(&self) -> FullBody {
        let components = [Component::Translation(0), Component::Translation(1), Component::Rotation(2)];
        let nodes: Vec<Vec3> =
            (0..=self.elements).map(|i| Vec3::new(i as f64 * self.step(), 0.0, 0.0)).collect();
        let unknowns =
            (0..nodes.len()).flat_map(|node| components.map(|component| Unknown { node, component }));
        let l = self.step();
        let elements: Vec<Element> = (0..self.elements)
            .map(|e| Element {
                unknowns: (3 * e..3 * e + 6).collect(),
                stiffness: planar_stiffness(self.axial, self.bending, l),
                masses: gauss()
                    .map(|(xi, w)| {
                        let place = Vec3::new((e as f64 + xi) * l, 0.0, 0.0);
                        (w * l * self.line_mass, place, planar_shapes(xi, l))
                    })
                    .to_vec(),
            })
            .collect();
        assemble(nodes.clone(), unknowns.collect(), &elements)
    }

    /// Spatial elements (1.18) of a rectangular section, mass spread over it.
    pub fn spatial(&self, width: f64, height: f64, e_modulus: f64, density: f64) -> FullBody {
        let components = [
            Component::Translation(0),
            Component::Translation(1),
            Component::Translation(2),
            Component::Rotation(0),
            Component::Rotation(1),
            Component::Rotation(2),
        ];
        let nodes: Vec<Vec3> =
            (0..=self.elements).map(|i| Vec3::new(i as f64 * self.step(), 0.0, 0.0)).collect();
        let unknowns =
            (0..nodes.len()).flat_map(|node| components.map(|component| Unknown { node, component }));
        let l = self.step();
        let across = [-0.5, 0.5].map(|x: f64| x / 3.0_f64.sqrt());
        let elements: Vec<Element> = (0..self.elements)
            .map(|e| {
                let mut masses = vec![];
                for (xi, w) in gauss() {
                    for y in across.map(|c| c * width) {
                        for z in across.map(|c| c * height) {
                            let place = Vec3::new((e as f64 + xi) * l, y, z);
                            let mass = w * l * width * height * density / 4.0;
                            masses.push((mass, place, spatial_shapes(xi, y / l, z / l, l)));
                        }
                    }
                }
                let unknowns = (6 * e..6 * e + 12).collect();
                Element { unknowns, stiffness: spatial_stiffness(e_modulus, width, height, l), masses }
            })
            .collect();
        assemble(nodes.clone(), unknowns.collect(), &elements)
    }
}

fn planar_stiffness(ea: f64, ei: f64, l: f64) -> DMatrix<f64> {
    let mut k = DMatrix::zeros(6, 6);
    let mut set = |i: usize, j: usize, value: f64| {
        k[(i, j)] = value;
        k[(j, i)] = value;
    };
    for (i, j, sign) in [(0, 0, 1.0), (3, 3, 1.0), (0, 3, -1.0)] {
        set(i, j, sign * ea / l);
    }
    bend(&mut set, [1, 2, 4, 5], ei, l, 1.0);
    k
}

/// Bending of displacement, slope, displacement, slope; `sign` of the slope.
fn bend(set: &mut dyn FnMut(usize, usize, f64), [v, p, w, q]: [usize; 4], ei: f64, l: f64, sign: f64) {
    let (c, s) = (12.0 * ei / l.powi(3), sign * 6.0 * ei / (l * l));
    for (i, j, value) in [(v, v, c), (w, w, c), (v, w, -c), (v, p, s), (v, q, s), (p, w, -s), (w, q, -s)] {
        set(i, j, value);
    }
    for (i, j, value) in [(p, p, 4.0), (q, q, 4.0), (p, q, 2.0)] {
        set(i, j, value * ei / l);
    }
}

pub fn planar_shapes(xi: f64, l: f64) -> Matrix3xX<f64> {
    let mut s = Matrix3xX::zeros(6);
    (s[(0, 0)], s[(0, 3)]) = (1.0 - xi, xi);
    let (x2, x3) = (xi * xi, xi * xi * xi);
    s[(1, 1)] = 1.0 - 3.0 * x2 + 2.0 * x3;
    s[(1, 2)] = l * (xi - 2.0 * x2 + x3);
    s[(1, 4)] = 3.0 * x2 - 2.0 * x3;
    s[(1, 5)] = l * (x3 - x2);
    s
}

fn spatial_stiffness(e: f64, width: f64, height: f64, l: f64) -> DMatrix<f64> {
    let (area, i3, i2) = (width * height, height * width.powi(3) / 12.0, width * height.powi(3) / 12.0);
    let torsion = e / 2.6 * (i2 + i3);
    let mut k = DMatrix::zeros(12, 12);
    let mut set = |i: usize, j: usize, value: f64| {
        k[(i, j)] = value;
        k[(j, i)] = value;
    };
    for (i, j, sign) in [(0, 0, 1.0), (6, 6, 1.0), (0, 6, -1.0)] {
        set(i, j, sign * e * area / l);
        set(i + 3, j + 3, sign * torsion / l);
    }
    bend(&mut set, [1, 5, 7, 11], e * i3, l, 1.0);
    bend(&mut set, [2, 4, 8, 10], e * i2, l, -1.0);
    k
}

fn spatial_shapes(x: f64, eta: f64, zeta: f64, l: f64) -> Matrix3xX<f64> {
    let (x2, x3) = (x * x, x * x * x);
    let columns = [
        [1.0 - x, 0.0, 0.0],
        [6.0 * (x - x2) * eta, 1.0 - 3.0 * x2 + 2.0 * x3, 0.0],
        [6.0 * (x - x2) * zeta, 0.0, 1.0 - 3.0 * x2 + 2.0 * x3],
        [0.0, -(1.0 - x) * l * zeta, (1.0 - x) * l * eta],
        [(1.0 - 4.0 * x + 3.0 * x2) * l * zeta, 0.0, (-x + 2.0 * x2 - x3) * l],
        [(-1.0 + 4.0 * x - 3.0 * x2) * l * eta, (x - 2.0 * x2 + x3) * l, 0.0],
        [x, 0.0, 0.0],
        [6.0 * (-x + x2) * eta, 3.0 * x2 - 2.0 * x3, 0.0],
        [6.0 * (-x + x2) * zeta, 0.0, 3.0 * x2 - 2.0 * x3],
        [0.0, -l * x * zeta, l * x * eta],
        [(-2.0 * x + 3.0 * x2) * l * zeta, 0.0, (x2 - x3) * l],
        [(2.0 * x - 3.0 * x2) * l * eta, (-x2 + x3) * l, 0.0],
    ];
    Matrix3xX::from_fn(12, |i, k| columns[k][i])
}

/// A lattice of point masses joined by springs to all neighbours within a cell, `counts` along the axes.
/// Masses differ a little, so that nothing is symmetric by accident, unless `even`.
pub fn lattice(counts: [usize; 3], even: bool) -> FullBody {
    let [nx, ny, nz] = counts;
    let number = |i: usize, j: usize, k: usize| (i * ny + j) * nz + k;
    let mut nodes = vec![];
    for i in 0..nx {
        for j in 0..ny {
            for k in 0..nz {
                nodes.push(Vec3::new(0.1 * i as f64, 0.1 * j as f64, 0.1 * k as f64));
            }
        }
    }
    let mut springs = vec![];
    for (a, from) in nodes.iter().enumerate() {
        let near = |b: &usize| (nodes[*b] - from).amax() < 0.101;
        springs.extend((a + 1..(a + number(1, 1, 1) + 2).min(nodes.len())).filter(near).map(|b| (a, b)));
    }
    let masses: Vec<f64> =
        (0..nodes.len()).map(|a| if even { 0.02 } else { 0.02 + 1e-3 * (a % 7) as f64 }).collect();
    of_springs(nodes, &springs, &masses, 1e5)
}

/// Point masses and springs.
pub fn of_springs(nodes: Vec<Vec3>, springs: &[(usize, usize)], masses: &[f64], stiffness: f64) -> FullBody {
    let count = nodes.len();
    let axes = [0, 1, 2].map(Component::Translation);
    let unknowns: Vec<Unknown> =
        (0..count).flat_map(|node| axes.map(|component| Unknown { node, component })).collect();
    let mut entries = vec![];
    for &(a, b) in springs {
        let direction = (nodes[b] - nodes[a]).normalize();
        let k = direction * direction.transpose() * stiffness;
        for i in 0..3 {
            for j in 0..3 {
                entries.push((3 * b + i, 3 * a + j, -k[(i, j)]));
                if j <= i {
                    entries.push((3 * a + i, 3 * a + j, k[(i, j)]));
                    entries.push((3 * b + i, 3 * b + j, k[(i, j)]));
                }
            }
        }
    }
    let mut mean = DMatrix::zeros(3, 3 * count);
    let mut moments = DMatrix::zeros(9, 3 * count);
    for (node, mass) in masses.iter().enumerate() {
        for i in 0..3 {
            mean[(i, 3 * node + i)] = *mass;
            (0..3).for_each(|j| moments[(3 * j + i, 3 * node + i)] = mass * nodes[node][j]);
        }
    }
    let sum = |value: &dyn Fn(usize) -> Mat3| (0..count).map(value).sum::<Mat3>();
    FullBody {
        stiffness: SymmetricMatrix::from_entries(3 * count, entries.into_iter()),
        mass: SymmetricMatrix::from_entries(3 * count, (0..3 * count).map(|a| (a, a, masses[a / 3]))),
        total_mass: masses.iter().sum(),
        first_moment: (0..count).map(|a| nodes[a] * masses[a]).sum(),
        second_moment: sum(&|a| nodes[a] * nodes[a].transpose() * masses[a]),
        mean,
        moments,
        products: MassProducts::Nodal(SymmetricMatrix::from_entries(
            count,
            (0..count).map(|a| (a, a, masses[a])),
        )),
        nodes,
        unknowns,
        skin: Default::default(),
    }
}

/// Nodes of a body with a place that fits.
pub fn nodes_at(body: &FullBody, fits: impl Fn(&Vec3) -> bool) -> Vec<usize> {
    (0..body.nodes.len()).filter(|&node| fits(&body.nodes[node])).collect()
}

pub fn close(value: f64, expected: f64, relative: f64) {
    assert!(
        (value - expected).abs() <= relative * expected.abs(),
        "{value} is not {expected} within {relative}"
    );
}
