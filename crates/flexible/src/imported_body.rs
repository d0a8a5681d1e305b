//! A flexible body from matrices of another program.
//!
//! M and K say nothing about the fields S_a of the unknowns but M_ab = ∫ρ S_a·S_b. What the floating frame
//! asks for besides follows from products of M with fields that elements can represent, G being constant:
//!
//! ```text
//! u = t_i = e_i:          ∫ρ S_a = (t_iᵀ M)_a,   m = t_iᵀ M t_i
//! u = g_ij = e_i X_j:     ∫ρ S_a Xᵀ = (M g_ij)_a,   nodes turn by ½ rot u
//! u = r_k = e_k × X:      J = rᵀ M r,   ∫ρ X Xᵀ = ½ tr J − J
//! ```
//! Total mass, centre and inertia are therefore those of M for rigid motions, exactly.
//!
//! The products P_ab = ∫ρ S_a S_bᵀ are exact where M has the same mass for all components of two nodes and
//! none between different ones, M_(iα)(jβ) = m_ij δ_αβ, as solids have it. Otherwise (beams, shells, oriented
//! masses) they are taken from the 3 × 3 blocks A of M between nodes i and j, α and β being axes:
//!
//! ```text
//! translations:             P = ½ (Aᵀe_α) e_βᵀ + ½ e_α (A e_β)ᵀ
//! translation, rotation:    P = e_α (A e_β)ᵀ
//! rotations:                P = [e_α]× E [e_β]×ᵀ,   E = ½ tr A − Aᵀ,   as of a rigid piece at the node
//! ```
//! Their traces are M_ab, so that frequencies are those of M, and they do not depend on the axes. They are
//! exact for beams along an axis but for products of different components, where the mean of both masses is
//! taken, and for nodes with rigid masses and Mindlin plates; of Kirchhoff plates the rotations have the
//! right mass in a wrong direction. The errors are those of centrifugal and Coriolis terms of second order in
//! the deformation. Where nodes turn, the symmetric part of ∫ρ S_a Xᵀ has an error of the order of the square
//! of the element size.

use crate::full_body::{Component, FullBody, MassProducts, Unknown};
use crate::labels::Labels;
use crate::matrix_files::{MatrixInput, NodeTable, UnknownLabel};
use nalgebra::DMatrix;
use poinsot_geometry::{Mat3, Vec3};
use poinsot_numerics::SymmetricMatrix;

/// Masses of different components are equal, and those between components zero, to this part of the largest.
const KRONECKER: f64 = 1e-9;
/// A free body has the same mass along all axes, to this.
const ISOTROPY: f64 = 1e-6;

/// Matrices of a free body, and what they are about.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyMatrices {
    /// M.
    pub mass: MatrixInput,
    /// K.
    pub stiffness: MatrixInput,
    /// D.
    pub damping: Option<MatrixInput>,
    /// The nodes.
    pub nodes: NodeTable,
    /// Unknowns of matrices that do not tell them. Without these a matrix has three unknowns of each node, or
    /// six, node by node in the order of the table.
    pub labels: Option<Vec<UnknownLabel>>,
}

/// Where the products of inertia come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProductsFrom {
    /// From masses that hold for all components: exact.
    Nodes,
    /// From blocks of components, of beams and shells.
    Blocks,
}

/// A body made of matrices.
#[derive(Clone, Debug)]
pub struct ImportedBody {
    /// The body.
    pub body: FullBody,
    /// D in the order of its unknowns.
    pub damping: Option<SymmetricMatrix>,
    /// The label of each node.
    pub node_labels: Vec<u64>,
    /// How its products of inertia were had.
    pub products_from: ProductsFrom,
}

/// Matrices that do not make a body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ImportError {
    /// An unknown of a node that has no place.
    #[error("node {label} of the matrices is not in the table of nodes")]
    UnknownNode {
        /// Its label.
        label: u64,
    },
    /// An unknown with two rows.
    #[error("node {label} has its {component:?} twice")]
    Twice {
        /// Label of the node.
        label: u64,
        /// The component.
        component: Component,
    },
    /// Matrices and unknowns are not as many.
    #[error("{what} has {size} rows, but there are {expected} unknowns")]
    Size {
        /// Which matrix.
        what: &'static str,
        /// Its rows.
        size: usize,
        /// Number of unknowns.
        expected: usize,
    },
    /// Nothing tells what the rows are.
    #[error(
        "the matrices have {size} rows for {nodes} nodes, which is neither 3 nor 6 for each: give a file of \
         unknowns"
    )]
    NoLabels {
        /// Rows.
        size: usize,
        /// Nodes of the table.
        nodes: usize,
    },
    /// The mass is not positive.
    #[error("the mass matrix gives a mass of {mass:e} kg")]
    NoMass {
        /// The mass.
        mass: f64,
    },
    /// The mass depends on the direction.
    #[error(
        "the mass is {:e} kg along x, {:e} along y and {:e} along z: these are not matrices of a free body. Write \
         them without supports, and with all unknowns of each node", along[0], along[1], along[2]
    )]
    NotFree {
        /// Mass along each axis.
        along: [f64; 3],
    },
}

/// Unknowns by their nodes, and the places and labels of these.
type Numbered = (Vec<Unknown>, Vec<Vec3>, Vec<u64>);

/// Node and component of a row and of a column of M, and the entry.
type BlockEntry = ((usize, usize), (usize, usize), f64);

/// Makes a body of matrices.
pub fn import_body(matrices: &BodyMatrices) -> Result<ImportedBody, ImportError> {
    let labels = unknown_labels(matrices)?;
    let (unknowns, nodes, node_labels) = numbered(&labels, &matrices.nodes)?;
    let arranged = |what, input: &MatrixInput| arranged(what, input, &labels);
    let mass = arranged("the mass matrix", &matrices.mass)?;
    let stiffness = arranged("the stiffness matrix", &matrices.stiffness)?;
    let damping = matrices.damping.as_ref().map(|input| arranged("the damping matrix", input)).transpose()?;
    let blocks = Blocks::new(&mass, &unknowns, nodes.len());
    let nodal = blocks.nodal();
    let products_from = if nodal.is_some() { ProductsFrom::Nodes } else { ProductsFrom::Blocks };
    let fields = Fields::new(&mass, &unknowns, &nodes);
    let (total_mass, first_moment, second_moment) = match products_from {
        ProductsFrom::Nodes => fields.sums(),
        ProductsFrom::Blocks => fields.rigid_sums()?,
    };
    if total_mass.is_nan() || total_mass <= 0.0 {
        return Err(ImportError::NoMass { mass: total_mass });
    }
    let products = nodal.map_or_else(|| MassProducts::Pairs(blocks.pairs()), MassProducts::Nodal);
    let (mean, moments) = (fields.mean(), fields.moments());
    let body = FullBody {
        nodes,
        unknowns,
        stiffness,
        mass,
        total_mass,
        first_moment,
        second_moment,
        mean,
        moments,
        products,
        skin: crate::Skin::default(),
    };
    Ok(ImportedBody { body, damping, node_labels, products_from })
}

/// What the rows of the body are: labels of any matrix that has them, others besides, or a guess by the size.
fn unknown_labels(matrices: &BodyMatrices) -> Result<Vec<UnknownLabel>, ImportError> {
    let inputs = [Some(&matrices.stiffness), Some(&matrices.mass), matrices.damping.as_ref()];
    let mut all: Vec<UnknownLabel> = matrices.labels.clone().unwrap_or_default();
    let mut known: std::collections::HashSet<(u64, usize)> = all.iter().map(key).collect();
    for label in inputs.into_iter().flatten().filter_map(|input| input.labels.as_ref()).flatten() {
        if known.insert(key(label)) {
            all.push(*label);
        }
    }
    if !all.is_empty() {
        return Ok(all);
    }
    let (size, nodes) = (matrices.stiffness.matrix.size(), matrices.nodes.labels.len());
    let each = [3, 6].into_iter().find(|each| each * nodes == size);
    let each = each.ok_or(ImportError::NoLabels { size, nodes })?;
    let of_node = |node: &u64| {
        let node = *node;
        (0..each).map(move |k| UnknownLabel { node, component: component(k) })
    };
    Ok(matrices.nodes.labels.iter().flat_map(of_node).collect())
}

/// A component by its number, translations first.
fn component(k: usize) -> Component {
    if k < 3 { Component::Translation(k) } else { Component::Rotation(k - 3) }
}

fn number(component: Component) -> usize {
    match component {
        Component::Translation(axis) => axis,
        Component::Rotation(axis) => 3 + axis,
    }
}

fn key(label: &UnknownLabel) -> (u64, usize) {
    (label.node, number(label.component))
}

/// Unknowns by numbers of nodes, and places and labels of those nodes that have any.
fn numbered(labels: &[UnknownLabel], table: &NodeTable) -> Result<Numbered, ImportError> {
    let mut known = Labels::default();
    for label in &table.labels {
        known.add(*label);
    }
    let mut used = vec![[false; 6]; table.labels.len()];
    for label in labels {
        let node = known.place(label.node).ok_or(ImportError::UnknownNode { label: label.node })?;
        if std::mem::replace(&mut used[node][number(label.component)], true) {
            return Err(ImportError::Twice { label: label.node, component: label.component });
        }
    }
    let mut new = vec![0; used.len()];
    let (mut places, mut node_labels) = (vec![], vec![]);
    for (node, _) in used.iter().enumerate().filter(|(_, used)| used.contains(&true)) {
        new[node] = places.len();
        places.push(table.places[node]);
        node_labels.push(table.labels[node]);
    }
    let unknown = |label: &UnknownLabel| {
        let node = known.place(label.node).expect("looked up above");
        Unknown { node: new[node], component: label.component }
    };
    Ok((labels.iter().map(unknown).collect(), places, node_labels))
}

/// A matrix in the order of the unknowns of the body. Rows that it has not are zero.
fn arranged(
    what: &'static str,
    input: &MatrixInput,
    labels: &[UnknownLabel],
) -> Result<SymmetricMatrix, ImportError> {
    let size = labels.len();
    match &input.labels {
        None if input.matrix.size() == size => Ok(input.matrix.clone()),
        Some(own) if own.len() == input.matrix.size() => {
            let place: std::collections::HashMap<_, _> = labels.iter().map(key).zip(0..).collect();
            let new: Vec<usize> = own.iter().map(|label| place[&key(label)]).collect();
            let entries = input.matrix.entries().map(|(i, j, value)| (new[i], new[j], value));
            Ok(SymmetricMatrix::from_entries(size, entries))
        }
        _ => Err(ImportError::Size { what, size: input.matrix.size(), expected: size }),
    }
}

/// M between two nodes i ≤ j, by components.
struct Block {
    nodes: (usize, usize),
    masses: [[f64; 6]; 6],
}

/// M by nodes.
struct Blocks {
    /// Unknowns of each node.
    unknowns: Vec<[Option<usize>; 6]>,
    list: Vec<Block>,
    largest: f64,
}

impl Blocks {
    fn new(mass: &SymmetricMatrix, unknowns: &[Unknown], nodes: usize) -> Self {
        let mut of_node = vec![[None; 6]; nodes];
        for (k, unknown) in unknowns.iter().enumerate() {
            of_node[unknown.node][number(unknown.component)] = Some(k);
        }
        let place = |k: usize| (unknowns[k].node, number(unknowns[k].component));
        let mut entries: Vec<BlockEntry> = mass
            .entries()
            .map(|(a, b, value)| {
                let (a, b) = (place(a), place(b));
                if a.0 <= b.0 { (a, b, value) } else { (b, a, value) }
            })
            .collect();
        entries.sort_by_key(|(a, b, _)| (a.0, b.0));
        let mut list = vec![];
        for group in entries.chunk_by(|x, y| (x.0.0, x.1.0) == (y.0.0, y.1.0)) {
            let nodes = (group[0].0.0, group[0].1.0);
            let mut masses = [[0.0; 6]; 6];
            for ((_, alpha), (_, beta), value) in group {
                masses[*alpha][*beta] = *value;
                if nodes.0 == nodes.1 {
                    masses[*beta][*alpha] = *value;
                }
            }
            list.push(Block { nodes, masses });
        }
        let largest = mass.entries().map(|(.., value)| value.abs()).fold(0.0, f64::max);
        Blocks { unknowns: of_node, list, largest }
    }

    /// m_ij, if there are such: M_(iα)(jβ) = m_ij δ_αβ and no rotations with mass.
    fn nodal(&self) -> Option<SymmetricMatrix> {
        let small = KRONECKER * self.largest;
        let mut entries = vec![];
        for Block { nodes: (i, j), masses } in &self.list {
            let both = |k: usize| self.unknowns[*i][k].is_some() && self.unknowns[*j][k].is_some();
            let diagonal: Vec<f64> = (0..3).filter(|k| both(*k)).map(|k| masses[k][k]).collect();
            let equal = diagonal.iter().all(|m| (m - diagonal[0]).abs() <= small);
            let mut off = (0..6).flat_map(|a| (0..6).map(move |b| (a, b))).filter(|(a, b)| a != b || *a > 2);
            if !equal || off.any(|(a, b)| masses[a][b].abs() > small) {
                return None;
            }
            let mean = diagonal.iter().sum::<f64>() / diagonal.len().max(1) as f64;
            entries.push((*j, *i, mean));
        }
        Some(SymmetricMatrix::from_entries(self.unknowns.len(), entries.into_iter()))
    }

    /// P_ab of all pairs of unknowns of coupled nodes.
    fn pairs(&self) -> Vec<(usize, usize, Mat3)> {
        let mut pairs = vec![];
        for block in &self.list {
            let (i, j) = block.nodes;
            for (alpha, a) in (0..6).filter_map(|k| Some((k, self.unknowns[i][k]?))) {
                for (beta, b) in (0..6).filter_map(|k| Some((k, self.unknowns[j][k]?))) {
                    // Inside a node each pair comes twice.
                    if i == j && a > b {
                        continue;
                    }
                    let p = block.product(alpha, beta);
                    if p != Mat3::zeros() {
                        pairs.push(if a <= b { (a, b, p) } else { (b, a, p.transpose()) });
                    }
                }
            }
        }
        pairs
    }
}

impl Block {
    /// The 3 × 3 block of translations or rotations.
    fn part(&self, rows: usize, columns: usize) -> Mat3 {
        Mat3::from_fn(|a, b| self.masses[rows + a][columns + b])
    }

    /// P of two components.
    fn product(&self, alpha: usize, beta: usize) -> Mat3 {
        let e = |k: usize| Vec3::ith(k % 3, 1.0);
        let (a, b) = (e(alpha), e(beta));
        match (alpha < 3, beta < 3) {
            (true, true) => {
                let m = self.part(0, 0);
                0.5 * (m.tr_mul(&a) * b.transpose() + a * (m * b).transpose())
            }
            (true, false) => a * (self.part(0, 3) * b).transpose(),
            (false, true) => (self.part(3, 0).tr_mul(&a)) * b.transpose(),
            (false, false) => {
                let m = self.part(3, 3);
                let e = Mat3::identity() * (0.5 * m.trace()) - m.transpose();
                a.cross_matrix() * e * b.cross_matrix().transpose()
            }
        }
    }
}

/// Fields t_i and g_ij of a body, and M times them.
struct Fields {
    /// t_i, then g_ij at 3 + i + 3 j.
    fields: Vec<Vec<f64>>,
    products: Vec<Vec<f64>>,
    /// Along which axes nodes move.
    along: [bool; 3],
}

impl Fields {
    fn new(mass: &SymmetricMatrix, unknowns: &[Unknown], nodes: &[Vec3]) -> Self {
        let translation = |i: usize| {
            unknowns.iter().map(|u| f64::from(u8::from(u.component == Component::Translation(i)))).collect()
        };
        // (e_i X_j)_α = δ_αi X_j and ½ (rot e_i X_j)_β = ½ ε_βji
        let linear = |i: usize, j: usize| {
            let value = |u: &Unknown| match u.component {
                Component::Translation(axis) if axis == i => nodes[u.node][j],
                Component::Translation(_) => 0.0,
                Component::Rotation(axis) => 0.5 * Vec3::ith(j, 1.0).cross(&Vec3::ith(i, 1.0))[axis],
            };
            unknowns.iter().map(value).collect()
        };
        let linears = (0..9).map(|k| linear(k % 3, k / 3));
        let fields: Vec<Vec<f64>> = (0..3).map(translation).chain(linears).collect();
        let product = |field: &Vec<f64>| {
            let mut y = vec![0.0; field.len()];
            mass.multiply(field, &mut y);
            y
        };
        let along = [0, 1, 2].map(|i| unknowns.iter().any(|u| u.component == Component::Translation(i)));
        Fields { products: fields.iter().map(product).collect(), fields, along }
    }

    /// uᵀ M v of two fields.
    fn inner(&self, u: usize, v: usize) -> f64 {
        self.fields[u].iter().zip(&self.products[v]).map(|(a, b)| a * b).sum()
    }

    /// Mass, ∫ρ X and ∫ρ X Xᵀ, by fields along any axis.
    fn sums(&self) -> (f64, Vec3, Mat3) {
        let axes: Vec<usize> = (0..3).filter(|i| self.along[*i]).collect();
        let mean =
            |f: &dyn Fn(usize) -> f64| axes.iter().map(|i| f(*i)).sum::<f64>() / axes.len().max(1) as f64;
        let mass = mean(&|i| self.inner(i, i));
        let first = Vec3::from_fn(|j, _| mean(&|i| self.inner(i, 3 + i + 3 * j)));
        let second = Mat3::from_fn(|j, k| mean(&|i| self.inner(3 + i + 3 * j, 3 + i + 3 * k)));
        (mass, first, second)
    }

    /// The same by rigid motions: r_k = e_k × X = Σ_ij ε_ikj g_ij.
    fn rigid_sums(&self) -> Result<(f64, Vec3, Mat3), ImportError> {
        let along = [0, 1, 2].map(|i| self.inner(i, i));
        let mass = along.iter().sum::<f64>() / 3.0;
        let cross = [(0, 1), (0, 2), (1, 2)].map(|(i, j)| self.inner(i, j));
        let off = along.iter().map(|m| m - mass).chain(cross).map(f64::abs).fold(0.0, f64::max);
        if off > ISOTROPY * mass.abs() {
            return Err(ImportError::NotFree { along });
        }
        let rotation = |k: usize| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            // e_k × X has −X_j along i and X_i along j.
            [(3 + j + 3 * i, 1.0), (3 + i + 3 * j, -1.0)]
        };
        let pair = |k: usize, l: usize| -> f64 {
            let terms = rotation(k).into_iter().flat_map(|u| rotation(l).map(|v| (u, v)));
            terms.map(|((u, a), (v, b))| a * b * self.inner(u, v)).sum()
        };
        // t_iᵀ M r_k = ∫ρ (e_k × X)_i; of axes a, b, c in cyclic order ∫ρ X_c = t_aᵀ M r_b = −t_bᵀ M r_a
        let with = |i: usize, k: usize| rotation(k).iter().map(|(v, b)| b * self.inner(i, *v)).sum::<f64>();
        let first = Vec3::from_fn(|c, _| {
            let (a, b) = ((c + 1) % 3, (c + 2) % 3);
            0.5 * (with(a, b) - with(b, a))
        });
        let inertia = Mat3::from_fn(pair);
        let inertia = 0.5 * (inertia + inertia.transpose());
        Ok((mass, first, Mat3::identity() * (0.5 * inertia.trace()) - inertia))
    }

    fn mean(&self) -> DMatrix<f64> {
        DMatrix::from_fn(3, self.fields[0].len(), |i, a| self.products[i][a])
    }

    fn moments(&self) -> DMatrix<f64> {
        DMatrix::from_fn(9, self.fields[0].len(), |k, a| self.products[3 + k][a])
    }
}
