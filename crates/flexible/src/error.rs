//! What can be wrong with a mesh, its sections or a material.

use crate::mesh::ElementKind;
use poinsot_geometry::Vec3;
use thiserror::Error;

/// A mesh, a section or a material cannot be used. Nodes and elements are counted from 0.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FlexibleError {
    /// An element has too many or too few nodes.
    #[error("element {element} is a {kind:?} and has {found} nodes instead of {}", kind.nodes())]
    WrongNumberOfNodes {
        /// The element.
        element: usize,
        /// What it is.
        kind: ElementKind,
        /// How many nodes it has.
        found: usize,
    },
    /// An element or group names a node that there is not.
    #[error("{owner} names node {node}; the mesh has {nodes} nodes")]
    NoSuchNode {
        /// Who names it.
        owner: String,
        /// The node.
        node: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// A group names an element that there is not.
    #[error("group '{group}' names element {element}; the mesh has {elements} elements")]
    NoSuchElement {
        /// The group.
        group: String,
        /// The element.
        element: usize,
        /// Number of elements.
        elements: usize,
    },
    /// An element has a node twice.
    #[error("element {element} has node {node} twice")]
    NodeTwice {
        /// The element.
        element: usize,
        /// The node.
        node: usize,
    },
    /// The place of a node is not finite.
    #[error("the place of node {node} is not finite")]
    NotFinite {
        /// The node.
        node: usize,
    },
    /// A section is for a group that there is not.
    #[error("there is no group '{name}' with elements; the mesh has {}", names(known))]
    NoSuchGroup {
        /// The name.
        name: String,
        /// Groups with elements.
        known: Vec<String>,
    },
    /// A section is for elements of another kind.
    #[error("element {element} of {} is a {kind:?}: a {section} section does not fit it", names(groups))]
    UnfitSection {
        /// The element.
        element: usize,
        /// What it is.
        kind: ElementKind,
        /// Groups that it is in.
        groups: Vec<String>,
        /// The section.
        section: &'static str,
    },
    /// Two sections are for the same element.
    #[error("element {element} of {} has two sections", names(groups))]
    TwoSections {
        /// The element.
        element: usize,
        /// Groups that it is in.
        groups: Vec<String>,
    },
    /// No section is for an element.
    #[error("element {element} ({kind:?}) of {} has no section", names(groups))]
    WithoutSection {
        /// The element.
        element: usize,
        /// What it is.
        kind: ElementKind,
        /// Groups that it is in.
        groups: Vec<String>,
    },
    /// The determinant of the Jacobian is negative somewhere in an element.
    #[error(
        "element {element} of {} is inside out: its Jacobian falls to {determinant:.3e}; \
         is the order of its nodes {nodes:?} that of a {kind:?}?",
        names(groups)
    )]
    Inverted {
        /// The element.
        element: usize,
        /// What it is.
        kind: ElementKind,
        /// Its nodes.
        nodes: Vec<usize>,
        /// Groups that it is in.
        groups: Vec<String>,
        /// Least determinant.
        determinant: f64,
    },
    /// An element has no length, area or volume.
    #[error("element {element} ({kind:?}) of {} has no extent: its nodes are {nodes:?}", names(groups))]
    NoVolume {
        /// The element.
        element: usize,
        /// What it is.
        kind: ElementKind,
        /// Its nodes.
        nodes: Vec<usize>,
        /// Groups that it is in.
        groups: Vec<String>,
    },
    /// An element of the plane does not lie in a plane z = constant.
    #[error(
        "element {element} of {} does not lie in a plane z = constant, as one of the plane must",
        names(groups)
    )]
    OutOfPlane {
        /// The element.
        element: usize,
        /// Groups that it is in.
        groups: Vec<String>,
    },
    /// Nodes belong to no element.
    #[error(
        "{count} nodes belong to no element of the body, the first is {first}; `without_loose_nodes` drops them"
    )]
    LooseNodes {
        /// How many.
        count: usize,
        /// The first of them.
        first: usize,
    },
    /// Two nodes are at the same place.
    #[error("nodes {first} and {second} are both at ({}, {}, {})", place.x, place.y, place.z)]
    RepeatedNodes {
        /// The first.
        first: usize,
        /// The second.
        second: usize,
        /// Where.
        place: Vec3,
    },
    /// The mesh falls into parts that nothing holds together.
    #[error("the mesh falls into {} parts: {}", parts.len(), parts.iter().map(ToString::to_string)
        .collect::<Vec<_>>().join("; "))]
    Disconnected {
        /// The parts.
        parts: Vec<MeshPart>,
    },
    /// There is no element with a section.
    #[error("the mesh has no element of a body")]
    Empty,
    /// A number of a section cannot be.
    #[error("{what} of a section is {value}, it must be positive")]
    BadSection {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// The place or orientation of a section is not finite.
    #[error("{what} of a section is not finite")]
    SectionNotFinite {
        /// Which number.
        what: &'static str,
    },
    /// A number of a material cannot be.
    #[error("{what} of a material is {value}, {must}")]
    BadMaterial {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What is asked.
        must: &'static str,
    },
    /// A material gives energy back: its elasticity matrix is not symmetric and positive definite.
    #[error("the elasticity matrix of a material is not symmetric and positive definite: {why}")]
    UnstableMaterial {
        /// What is wrong.
        why: String,
    },
    /// A vector of unknowns has the wrong length.
    #[error("{found} unknowns are given, the body has {expected}")]
    WrongLength {
        /// What is given.
        found: usize,
        /// What is asked.
        expected: usize,
    },
}

impl FlexibleError {
    /// The same with nodes by the labels of their file.
    pub fn with_labels(self, label: impl Fn(usize) -> usize) -> Self {
        use FlexibleError as E;
        let all = |nodes: Vec<usize>| nodes.into_iter().map(&label).collect();
        match self {
            E::NodeTwice { element, node } => E::NodeTwice { element, node: label(node) },
            E::Inverted { element, kind, nodes, groups, determinant } => {
                E::Inverted { element, kind, nodes: all(nodes), groups, determinant }
            }
            E::NoVolume { element, kind, nodes, groups } => {
                E::NoVolume { element, kind, nodes: all(nodes), groups }
            }
            E::RepeatedNodes { first, second, place } => {
                E::RepeatedNodes { first: label(first), second: label(second), place }
            }
            E::Disconnected { parts } => {
                let part = |part: MeshPart| MeshPart { first_node: label(part.first_node), ..part };
                E::Disconnected { parts: parts.into_iter().map(part).collect() }
            }
            other => other,
        }
    }
}

/// A part of a mesh that is not connected with the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshPart {
    /// Number of nodes.
    pub nodes: usize,
    /// Its first node.
    pub first_node: usize,
    /// Groups that have elements in it.
    pub groups: Vec<String>,
}

impl std::fmt::Display for MeshPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} nodes from node {} on, in {}", self.nodes, self.first_node, names(&self.groups))
    }
}

/// Names of groups in words.
fn names(groups: &[String]) -> String {
    match groups {
        [] => "no group".to_string(),
        [one] => format!("group '{one}'"),
        many => {
            format!("groups {}", many.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", "))
        }
    }
}
