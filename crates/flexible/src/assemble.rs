//! From a mesh with sections to the matrices of the free body.

use crate::elements::{Element, ElementProducts, StressState};
use crate::mesh_checks::sections_of_elements;
use crate::{Component, FlexibleError, FullBody, MassProducts, Mesh, Section, SectionOf, Skin, Unknown};
use nalgebra::DMatrix;
use poinsot_geometry::{Mat3, Vec3};
use poinsot_numerics::SymmetricMatrix;

/// The body of a mesh: unknowns, matrices, integrals.
pub fn assemble(mesh: &Mesh, sections: &[SectionOf]) -> Result<FullBody, FlexibleError> {
    Ok(FiniteElements::new(mesh, sections)?.body())
}

/// A mesh with sections, checked: elements can be asked for matrices and stresses.
///
/// Unknowns are counted node by node, those of a node as translations 0, 1, 2, rotations 0, 1, 2 as far as
/// its elements have them.
pub struct FiniteElements<'a> {
    mesh: &'a Mesh,
    sections: &'a [SectionOf],
    section_of: Vec<Option<usize>>,
    /// A bit for each component that a node has.
    components: Vec<u8>,
    /// First unknown of each node.
    first: Vec<usize>,
    unknowns: Vec<Unknown>,
}

const COMPONENTS: [Component; 6] = crate::elements::ALL;

fn bit(component: Component) -> usize {
    match component {
        Component::Translation(k) => k,
        Component::Rotation(k) => 3 + k,
    }
}

impl<'a> FiniteElements<'a> {
    /// Checks the mesh and counts its unknowns.
    pub fn new(mesh: &'a Mesh, sections: &'a [SectionOf]) -> Result<Self, FlexibleError> {
        let section_of = sections_of_elements(mesh, sections)?;
        let (components, first) = (vec![0; mesh.nodes.len()], vec![]);
        let mut elements = FiniteElements { mesh, sections, section_of, components, first, unknowns: vec![] };
        for index in 0..mesh.elements.len() {
            let Some(element) = elements.element(index) else { continue };
            let bits = element.components().iter().fold(0, |bits, &component| bits | 1 << bit(component));
            mesh.elements[index].nodes.iter().for_each(|&node| elements.components[node] |= bits);
        }
        for (node, bits) in elements.components.iter().enumerate() {
            elements.first.push(elements.unknowns.len());
            let present = COMPONENTS.iter().filter(|&&component| bits & 1 << bit(component) != 0);
            elements.unknowns.extend(present.map(|&component| Unknown { node, component }));
        }
        Ok(elements)
    }

    /// The unknowns in their order.
    pub fn unknowns(&self) -> &[Unknown] {
        &self.unknowns
    }

    /// Matrices and integrals of the free body.
    pub fn body(&self) -> FullBody {
        let products = self.products();
        let mut body = FullBody {
            nodes: self.mesh.nodes.clone(),
            unknowns: self.unknowns.clone(),
            stiffness: self.summed(|element| element.stiffness()),
            mass: self.mass(&products),
            total_mass: 0.0,
            first_moment: Vec3::zeros(),
            second_moment: Mat3::zeros(),
            mean: DMatrix::zeros(3, self.unknowns.len()),
            moments: DMatrix::zeros(9, self.unknowns.len()),
            products,
            skin: self.skin(),
        };
        for (index, element) in self.elements() {
            let inertia = element.inertia();
            body.total_mass += inertia.mass;
            body.first_moment += inertia.first_moment;
            body.second_moment += inertia.second_moment;
            for (k, unknown) in self.places(index, element.components()).into_iter().enumerate() {
                let mut mean = body.mean.column_mut(unknown);
                mean += inertia.mean[k];
                let mut moments = body.moments.column_mut(unknown);
                moments += nalgebra::SVector::<f64, 9>::from_column_slice(inertia.moments[k].as_slice());
            }
        }
        body
    }

    /// What is seen of the body.
    fn skin(&self) -> Skin {
        let section = |index: usize| self.section_of[index].map(|k| &self.sections[k].section);
        let elements = (0..self.mesh.elements.len()).filter(|&index| section(index).is_some());
        Skin::of(self.mesh, elements, |index| section(index).and_then(Section::area).unwrap_or(0.0))
    }

    /// K_σ of the linear stresses of displacements, K_σ = ∫ ∇Sᵀ σ ∇S: K + K_σ is the stiffness under them.
    pub fn geometric_stiffness(&self, displacements: &[f64]) -> Result<SymmetricMatrix, FlexibleError> {
        self.check_length(displacements)?;
        Ok(self.summed_with(|index, element| {
            let own = self.gather(index, element, displacements);
            element.geometric(&StressState::Of(&own))
        }))
    }

    /// K_σ of a stress in each element of the mesh, body axes; lines take its component along them.
    pub fn geometric_stiffness_of_stresses(
        &self,
        stresses: &[Mat3],
    ) -> Result<SymmetricMatrix, FlexibleError> {
        let (found, expected) = (stresses.len(), self.mesh.elements.len());
        if found != expected {
            return Err(FlexibleError::WrongLength { found, expected });
        }
        Ok(self.summed_with(|index, element| element.geometric(&StressState::Uniform(stresses[index]))))
    }

    pub(crate) fn mesh(&self) -> &Mesh {
        self.mesh
    }

    pub(crate) fn check_length(&self, unknowns: &[f64]) -> Result<(), FlexibleError> {
        let (found, expected) = (unknowns.len(), self.unknowns.len());
        if found == expected { Ok(()) } else { Err(FlexibleError::WrongLength { found, expected }) }
    }

    fn element(&self, index: usize) -> Option<Box<dyn Element>> {
        let section = &self.sections[self.section_of[index]?].section;
        Some(section.element(self.mesh, &self.mesh.elements[index]))
    }

    /// The elements of the body, each made anew: it is little beside its matrices.
    pub(crate) fn elements(&self) -> impl Iterator<Item = (usize, Box<dyn Element>)> + '_ {
        (0..self.mesh.elements.len()).filter_map(|index| Some((index, self.element(index)?)))
    }

    /// Unknowns of an element.
    fn places(&self, index: usize, components: &[Component]) -> Vec<usize> {
        let nodes = &self.mesh.elements[index].nodes;
        nodes.iter().flat_map(|&node| components.iter().map(move |&c| self.unknown(node, c))).collect()
    }

    fn unknown(&self, node: usize, component: Component) -> usize {
        let before = self.components[node] & ((1 << bit(component)) - 1);
        self.first[node] + before.count_ones() as usize
    }

    /// Values of the unknowns of an element.
    pub(crate) fn gather(&self, index: usize, element: &dyn Element, all: &[f64]) -> Vec<f64> {
        self.places(index, element.components()).into_iter().map(|k| all[k]).collect()
    }

    fn summed(&self, matrix: impl Fn(&dyn Element) -> DMatrix<f64>) -> SymmetricMatrix {
        self.summed_with(|_, element| matrix(element))
    }

    /// Σ of element matrices. The places of the entries are found first, so that no list of all entries of
    /// all elements is ever held.
    fn summed_with(&self, matrix: impl Fn(usize, &dyn Element) -> DMatrix<f64>) -> SymmetricMatrix {
        let places: Vec<Vec<usize>> =
            self.elements().map(|(index, element)| self.places(index, element.components())).collect();
        let mut sum = SymmetricMatrix::of_cliques(self.unknowns.len(), &places);
        for ((index, element), places) in self.elements().zip(&places) {
            add_lower(&mut sum, places, &matrix(index, &*element));
        }
        sum
    }

    fn products(&self) -> MassProducts {
        let translation = |component: &Component| matches!(component, Component::Translation(_));
        let nodal = self.elements().all(|(_, element)| element.components().iter().all(translation));
        if nodal { MassProducts::Nodal(self.nodal_mass()) } else { MassProducts::Pairs(self.pairs()) }
    }

    fn nodal_mass(&self) -> SymmetricMatrix {
        let nodes: Vec<Vec<usize>> =
            self.elements().map(|(index, _)| self.mesh.elements[index].nodes.clone()).collect();
        let mut sum = SymmetricMatrix::of_cliques(self.mesh.nodes.len(), &nodes);
        for ((_, element), nodes) in self.elements().zip(&nodes) {
            if let ElementProducts::Nodal(m) = element.inertia().products {
                add_lower(&mut sum, nodes, &m);
            }
        }
        sum
    }

    /// ∫ρ S_a S_bᵀ of unknowns a ≤ b, in the order of the columns of M.
    fn pairs(&self) -> Vec<(usize, usize, Mat3)> {
        let places: Vec<Vec<usize>> =
            self.elements().map(|(index, element)| self.places(index, element.components())).collect();
        let pattern = SymmetricMatrix::of_cliques(self.unknowns.len(), &places);
        let mut values = vec![Mat3::zeros(); pattern.stored()];
        for ((_, element), places) in self.elements().zip(&places) {
            let components = element.components();
            let products = element.inertia().products;
            for (i, &row) in places.iter().enumerate() {
                for (j, &column) in places.iter().enumerate().filter(|(_, column)| **column <= row) {
                    let product = product(&products, components, places.len(), (j, i));
                    values[pattern.position(row, column).expect("of the pattern")] += product;
                }
            }
        }
        let entries = pattern.entries().zip(values);
        entries.filter(|(_, p)| *p != Mat3::zeros()).map(|((row, column, _), p)| (column, row, p)).collect()
    }

    fn mass(&self, products: &MassProducts) -> SymmetricMatrix {
        let size = self.unknowns.len();
        match products {
            MassProducts::Nodal(nodal) => {
                let both = |a: usize, b: usize| {
                    let bits = self.components[a] & self.components[b];
                    COMPONENTS[..3].iter().filter(move |&&component| bits & 1 << bit(component) != 0)
                };
                let entries = nodal.entries().flat_map(|(a, b, value)| {
                    both(a, b).map(move |&c| (self.unknown(a, c), self.unknown(b, c), value))
                });
                SymmetricMatrix::from_entries(size, entries)
            }
            MassProducts::Pairs(pairs) => {
                let entries = pairs.iter().map(|(a, b, product)| (*a, *b, product.trace()));
                SymmetricMatrix::from_entries(size, entries)
            }
        }
    }
}

/// ∫ρ S_i S_jᵀ of the unknowns i, j of an element.
fn product(
    products: &ElementProducts,
    components: &[Component],
    unknowns: usize,
    (i, j): (usize, usize),
) -> Mat3 {
    match products {
        ElementProducts::Pairs(pairs) => pairs[i * unknowns + j],
        ElementProducts::Nodal(m) => {
            let c = components.len();
            let axis = |k: usize| Vec3::ith(bit(components[k % c]), 1.0);
            axis(i) * axis(j).transpose() * m[(i / c, j / c)]
        }
    }
}

fn add_lower(sum: &mut SymmetricMatrix, places: &[usize], matrix: &DMatrix<f64>) {
    for (j, &column) in places.iter().enumerate() {
        for (i, &row) in places.iter().enumerate().filter(|(_, row)| **row >= column) {
            sum.add(row, column, matrix[(i, j)]);
        }
    }
}
