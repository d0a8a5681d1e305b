//! Interfaces: points that move with nodes, and the rows that tell how.
//!
//! ```text
//! u_I = T b          rigid: the nodes follow the six motions b of the point (RBE2)
//! b = (TᵀWT)⁻¹TᵀW u_I    mean: the point follows the nodes, by least squares (RBE3)
//! ```

use super::rigid;
use super::{InterfaceKind, InterfaceRequest, ReductionError};
use crate::{Component, FullBody};
use nalgebra::DMatrix;
use poinsot_geometry::Vec3;

/// A row of a sparse matrix.
pub type Row = Vec<(usize, f64)>;

/// An interface of a body.
pub struct BodyInterface {
    pub name: String,
    pub place: Vec3,
    pub kind: InterfaceKind,
    /// Its unknowns in the full body.
    pub unknowns: Vec<usize>,
    /// What they do in its motions: T, a column for each motion of the body.
    pub follow: DMatrix<f64>,
    /// Weights of the unknowns.
    weights: Vec<f64>,
}

impl BodyInterface {
    /// `motions`: those of the six that the body can make. `of_node`: unknowns of each node.
    pub fn new(
        body: &FullBody,
        request: &InterfaceRequest,
        motions: &[usize],
        of_node: &[Vec<usize>],
    ) -> Result<Self, ReductionError> {
        check_nodes(body, request, of_node)?;
        let weight = |k: usize| request.weights.get(k).copied().unwrap_or(1.0);
        let place = request.place.unwrap_or_else(|| mean_place(body, request));
        let list = request.nodes.iter().enumerate();
        let (unknowns, weights): (Vec<usize>, Vec<f64>) = list
            .flat_map(|(k, &node)| of_node[node].iter().map(move |&unknown| (unknown, weight(k))))
            .unzip();
        let all = rigid::rows(body, unknowns.iter().map(|&a| &body.unknowns[a]), &place);
        let follow = all.select_columns(motions);
        let interface = BodyInterface {
            name: request.name.clone(),
            place,
            kind: request.kind,
            unknowns,
            follow,
            weights,
        };
        interface.check_rank(&request.nodes)?;
        Ok(interface)
    }

    /// All motions must move the nodes, each in its own way.
    fn check_rank(&self, nodes: &[usize]) -> Result<(), ReductionError> {
        let interface = self.name.clone();
        match (rigid::independent(&self.follow).len() == self.follow.ncols(), nodes) {
            (true, _) => Ok(()),
            (false, &[node]) => Err(ReductionError::OneNode { interface, node }),
            (false, nodes) => Err(ReductionError::Collinear { interface, nodes: nodes.len() }),
        }
    }

    /// b as rows over the unknowns of the full body.
    pub fn mean_rows(&self, body: &FullBody) -> Vec<Row> {
        let turns = |a: usize| matches!(body.unknowns[a].component, Component::Rotation(_));
        let weighed = |with_rotations: bool| {
            let mut weighed = self.follow.clone();
            for (i, mut row) in weighed.row_iter_mut().enumerate() {
                row *= if with_rotations || !turns(self.unknowns[i]) { self.weights[i] } else { 0.0 };
            }
            weighed
        };
        // Displacements alone where they tell all; rotations of the nodes only where they must.
        let alone = weighed(false);
        let tells = rigid::independent(&alone).len() == alone.ncols();
        let weighed = if tells { alone } else { weighed(true) };
        let normal = weighed.tr_mul(&self.follow);
        let inverse = normal.clone().cholesky().map(|factors| factors.inverse());
        let rows = inverse.unwrap_or_else(|| normal.pseudo_inverse(1e-12).expect("not negative"))
            * weighed.transpose();
        let row = |k: usize| {
            let terms = self.unknowns.iter().enumerate().map(|(i, &a)| (a, rows[(k, i)]));
            terms.filter(|(_, value)| *value != 0.0).collect()
        };
        (0..self.follow.ncols()).map(row).collect()
    }
}

fn mean_place(body: &FullBody, request: &InterfaceRequest) -> Vec3 {
    let weight = |k: usize| request.weights.get(k).copied().unwrap_or(1.0);
    let sum: Vec3 = request.nodes.iter().enumerate().map(|(k, &node)| body.nodes[node] * weight(k)).sum();
    sum / (0..request.nodes.len()).map(weight).sum::<f64>()
}

fn check_nodes(
    body: &FullBody,
    request: &InterfaceRequest,
    of_node: &[Vec<usize>],
) -> Result<(), ReductionError> {
    let wrong = |problem: String| Err(ReductionError::Interface { interface: request.name.clone(), problem });
    if request.nodes.is_empty() {
        return wrong("it has no nodes".into());
    }
    if let Some(node) = request.nodes.iter().find(|&&node| node >= body.nodes.len()) {
        return wrong(format!("node {node} does not exist: the body has {}", body.nodes.len()));
    }
    if let Some(node) = request.nodes.iter().find(|&&node| of_node[node].is_empty()) {
        return wrong(format!("node {node} belongs to no element"));
    }
    let mut sorted = request.nodes.clone();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return wrong(format!("node {} is named twice", pair[0]));
    }
    let weights = &request.weights;
    if !weights.is_empty() && weights.len() != request.nodes.len() {
        return wrong(format!("{} weights for {} nodes", weights.len(), request.nodes.len()));
    }
    if let Some(weight) = weights.iter().find(|weight| !(**weight > 0.0 && weight.is_finite())) {
        return wrong(format!("a weight is {weight}; weights are positive"));
    }
    if request.place.is_some_and(|place| !place.iter().all(|x| x.is_finite())) {
        return wrong("its place is not finite".into());
    }
    Ok(())
}

/// No node belongs to two interfaces.
pub fn check_shared(requests: &[InterfaceRequest], nodes: usize) -> Result<(), ReductionError> {
    let mut owner = vec![None; nodes];
    for (i, request) in requests.iter().enumerate() {
        for &node in request.nodes.iter().filter(|&&node| node < nodes) {
            if let Some(first) = owner[node].replace(i).filter(|&first| first != i) {
                let (first, second) = (requests[first].name.clone(), request.name.clone());
                return Err(ReductionError::SharedNode { first, second, node });
            }
        }
        if let Some(twin) = requests[..i].iter().find(|twin| twin.name == request.name) {
            let problem = "two interfaces have this name".to_string();
            return Err(ReductionError::Interface { interface: twin.name.clone(), problem });
        }
    }
    Ok(())
}
