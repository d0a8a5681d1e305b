//! A body with its rigid interfaces tied: the nodes of each follow six unknowns of the interface.
//!
//! ```text
//! u = T v,   K̂ = TᵀKT,   M̂ = TᵀMT
//! ```
//! Everything of a reduction is computed in v. Without rigid interfaces v is u.

use super::interface::{BodyInterface, Row, check_shared};
use super::{InterfaceKind, InterfaceRequest, ReductionError, rigid, small};
use crate::{Component, FullBody, MassProducts, Unknown};
use nalgebra::{DMatrix, DVector};
use poinsot_geometry::Vec3;
use poinsot_numerics::SymmetricMatrix;
use std::borrow::Cow;

/// |K r| of a rigid motion against |K| |r|, above which the body is not free.
const RIGID_RESIDUAL: f64 = 1e-6;

/// Deviation of the mass of M from that of the integrals.
const MASS_DEVIATION: f64 = 1e-4;

/// A body with its rigid interfaces tied.
pub struct Linked<'a> {
    pub full: &'a FullBody,
    pub interfaces: Vec<BodyInterface>,
    /// b of each interface as rows over v.
    pub interface_rows: Vec<Vec<Row>>,
    pub stiffness: Cow<'a, SymmetricMatrix>,
    pub mass: Cow<'a, SymmetricMatrix>,
    /// Those of the six rigid motions that the body can make.
    pub motions: Vec<usize>,
    /// Its mass centre.
    pub centre: Vec3,
    /// Rigid motions about the mass centre as columns over v.
    pub rigid: DMatrix<f64>,
    /// Node of each of v, and places of nodes; a rigid interface is a node behind the others.
    pub node_of: Vec<u32>,
    pub places: Vec<[f64; 3]>,
    ties: Ties,
}

/// T by rows.
struct Ties {
    starts: Vec<usize>,
    terms: Vec<(u32, f64)>,
    size: usize,
}

impl<'a> Linked<'a> {
    pub fn new(full: &'a FullBody, requests: &[InterfaceRequest]) -> Result<Self, ReductionError> {
        check_body(full)?;
        check_shared(requests, full.nodes.len())?;
        let centre = full.first_moment / full.total_mass;
        let all = rigid::rows(full, full.unknowns.iter(), &centre);
        let motions = rigid::independent(&all);
        let of_node = unknowns_of_nodes(full);
        let interfaces = requests
            .iter()
            .map(|request| BodyInterface::new(full, request, &motions, &of_node))
            .collect::<Result<Vec<_>, _>>()?;
        let ties = Ties::new(full, &interfaces, motions.len());
        let (node_of, places) = ties.nodes(full, &interfaces);
        let mut linked = Linked {
            full,
            interface_rows: ties.interface_rows(full, &interfaces),
            interfaces,
            stiffness: ties.tied(&full.stiffness),
            mass: ties.tied(&full.mass),
            rigid: DMatrix::zeros(0, 0),
            motions,
            centre,
            node_of,
            places,
            ties,
        };
        linked.rigid = linked.rigid_columns();
        linked.check_parts()?;
        linked.check_rigid()?;
        Ok(linked)
    }

    /// Number of unknowns v.
    pub fn size(&self) -> usize {
        self.ties.size
    }

    /// T v of columns.
    pub fn to_full(&self, v: &DMatrix<f64>) -> DMatrix<f64> {
        let rows = self.full.unknowns.len();
        DMatrix::from_fn(rows, v.ncols(), |a, k| {
            self.ties.row(a).iter().map(|(b, t)| t * v[(*b as usize, k)]).sum()
        })
    }

    /// Tᵀ f of columns of loads.
    pub fn to_linked(&self, f: &DMatrix<f64>) -> DMatrix<f64> {
        let mut tied = DMatrix::zeros(self.size(), f.ncols());
        for a in 0..f.nrows() {
            for &(b, t) in self.ties.row(a) {
                for k in 0..f.ncols() {
                    tied[(b as usize, k)] += t * f[(a, k)];
                }
            }
        }
        tied
    }

    /// The unknown of v that an unknown of u is; none where it follows a rigid interface.
    pub fn own(&self, a: usize) -> Option<usize> {
        match self.ties.row(a) {
            [(b, _)] if self.node_of[*b as usize] as usize == self.full.unknowns[a].node => Some(*b as usize),
            _ => None,
        }
    }

    /// An unknown of u as a row over v.
    pub fn row(&self, a: usize) -> Row {
        self.ties.row(a).iter().map(|&(b, t)| (b as usize, t)).collect()
    }

    /// Motions of an interface in columns over v.
    pub fn interface_motion(&self, interface: usize, v: &DMatrix<f64>) -> DMatrix<f64> {
        apply(&self.interface_rows[interface], v)
    }

    /// Motions of all interfaces, one below the other.
    pub fn all_motions(&self, v: &DMatrix<f64>) -> DMatrix<f64> {
        let rows: Vec<Row> = self.interface_rows.iter().flatten().cloned().collect();
        apply(&rows, v)
    }

    /// Unit loads of all interfaces as columns over v: those that do the work of b.
    pub fn interface_loads(&self, without: Option<usize>) -> DMatrix<f64> {
        let kept = self.interface_rows.iter().enumerate().filter(|(i, _)| Some(*i) != without);
        let rows: Vec<&Row> = kept.flat_map(|(_, rows)| rows).collect();
        let mut loads = DMatrix::zeros(self.size(), rows.len());
        for (k, row) in rows.iter().enumerate() {
            row.iter().for_each(|&(a, value)| loads[(a, k)] += value);
        }
        loads
    }

    /// Full six motions from those that the body can make.
    pub fn six(&self, motion: &[f64]) -> (Vec3, Vec3) {
        let mut six = [0.0; 6];
        self.motions.iter().zip(motion).for_each(|(&k, value)| six[k] = *value);
        (Vec3::new(six[0], six[1], six[2]), Vec3::new(six[3], six[4], six[5]))
    }

    /// R over v: columns over u of own unknowns, and of interfaces at their places.
    fn rigid_columns(&self) -> DMatrix<f64> {
        let mut columns = DMatrix::zeros(self.size(), self.motions.len());
        let all = rigid::rows(self.full, self.full.unknowns.iter(), &self.centre);
        for a in 0..self.full.unknowns.len() {
            if let Some(b) = self.own(a) {
                self.motions.iter().enumerate().for_each(|(k, &motion)| columns[(b, k)] = all[(a, motion)]);
            }
        }
        for (i, interface) in self.interfaces.iter().enumerate() {
            if interface.kind == InterfaceKind::Rigid {
                let motion = self.rigid_interface_motion(i);
                for (j, row) in self.interface_rows[i].iter().enumerate() {
                    columns.row_mut(row[0].0).copy_from(&motion.row(j));
                }
            }
        }
        columns
    }

    /// b of an interface in each rigid motion.
    pub fn rigid_interface_motion(&self, interface: usize) -> DMatrix<f64> {
        let from = self.interfaces[interface].place - self.centre;
        let component = |k: usize| if k < 3 { Component::Translation(k) } else { Component::Rotation(k - 3) };
        DMatrix::from_fn(self.motions.len(), self.motions.len(), |j, k| {
            rigid::row(component(self.motions[j]), &from)[self.motions[k]]
        })
    }

    /// Parts that no entry of K joins. Unknowns of a node belong together.
    fn check_parts(&self) -> Result<(), ReductionError> {
        let mut leader: Vec<u32> = (0..self.places.len() as u32).collect();
        for (i, j, value) in self.stiffness.entries() {
            let (a, b) = (find(&mut leader, self.node_of[i]), find(&mut leader, self.node_of[j]));
            if value != 0.0 && a != b {
                leader[a.max(b) as usize] = a.min(b);
            }
        }
        let mut firsts: Vec<u32> = self.node_of.iter().map(|&node| find(&mut leader, node)).collect();
        firsts.sort_unstable();
        firsts.dedup();
        match firsts[..] {
            [first, second, ..] => Err(ReductionError::Disconnected {
                parts: firsts.len(),
                first: self.named_node(first),
                second: self.named_node(second),
            }),
            _ => Ok(()),
        }
    }

    /// A node of the full body for one of ours: the first of a rigid interface.
    pub fn named_node(&self, node: u32) -> usize {
        let rigid = self.interfaces.iter().filter(|interface| interface.kind == InterfaceKind::Rigid);
        match (node as usize).checked_sub(self.full.nodes.len()) {
            None => node as usize,
            Some(behind) => {
                let unknown = rigid.map(|interface| interface.unknowns[0]).nth(behind);
                unknown.map_or(0, |a| self.full.unknowns[a].node)
            }
        }
    }

    /// Rigid motions are without strain, and move the mass of the body (gap 21).
    fn check_rigid(&self) -> Result<(), ReductionError> {
        let forces = small::product(&self.stiffness, &self.rigid);
        let momenta = small::product(&self.mass, &self.rigid);
        for (k, &motion) in self.motions.iter().enumerate() {
            let column = self.rigid.column(k);
            let sizes = sizes(&self.stiffness, column.as_slice());
            let residual = forces.column(k).amax() / sizes.max(f64::MIN_POSITIVE);
            if residual > RIGID_RESIDUAL {
                return Err(ReductionError::NotFree { motion: rigid::MOTIONS[motion], residual });
            }
            let (matrix, integral) = (column.dot(&momenta.column(k)), self.full.total_mass);
            if motion < 3 && (matrix - integral).abs() > MASS_DEVIATION * integral {
                return Err(ReductionError::Mass { axis: ['x', 'y', 'z'][motion], matrix, integral });
            }
        }
        Ok(())
    }
}

/// Largest row of |A| |x|.
fn sizes(a: &SymmetricMatrix, x: &[f64]) -> f64 {
    let mut sums = vec![0.0; x.len()];
    for (i, j, value) in a.entries() {
        sums[i] += (value * x[j]).abs();
        if i != j {
            sums[j] += (value * x[i]).abs();
        }
    }
    sums.into_iter().fold(0.0, f64::max)
}

fn find(leader: &mut [u32], mut node: u32) -> u32 {
    while leader[node as usize] != node {
        leader[node as usize] = leader[leader[node as usize] as usize];
        node = leader[node as usize];
    }
    node
}

/// B v of columns.
pub fn apply(rows: &[Row], v: &DMatrix<f64>) -> DMatrix<f64> {
    DMatrix::from_fn(rows.len(), v.ncols(), |i, k| rows[i].iter().map(|&(a, value)| value * v[(a, k)]).sum())
}

/// B v of a vector.
pub fn apply_to(rows: &[Row], v: &[f64]) -> DVector<f64> {
    DVector::from_iterator(
        rows.len(),
        rows.iter().map(|row| row.iter().map(|&(a, value)| value * v[a]).sum()),
    )
}

impl Ties {
    fn new(full: &FullBody, interfaces: &[BodyInterface], motions: usize) -> Self {
        let rigid: Vec<&BodyInterface> =
            interfaces.iter().filter(|interface| interface.kind == InterfaceKind::Rigid).collect();
        let mut follows = vec![None; full.unknowns.len()];
        for (i, interface) in rigid.iter().enumerate() {
            interface.unknowns.iter().enumerate().for_each(|(row, &a)| follows[a] = Some((i, row)));
        }
        let own = follows.iter().filter(|follow| follow.is_none()).count();
        let mut ties = Ties { starts: vec![0], terms: vec![], size: own + rigid.len() * motions };
        let mut next = 0;
        for follow in follows {
            match follow {
                None => {
                    ties.terms.push((next, 1.0));
                    next += 1;
                }
                Some((i, row)) => ties.terms.extend((0..motions).filter_map(|k| {
                    let value = rigid[i].follow[(row, k)];
                    (value != 0.0).then_some(((own + i * motions + k) as u32, value))
                })),
            }
            ties.starts.push(ties.terms.len());
        }
        ties
    }

    fn row(&self, a: usize) -> &[(u32, f64)] {
        &self.terms[self.starts[a]..self.starts[a + 1]]
    }

    /// Tᵀ A T.
    fn tied<'a>(&self, a: &'a SymmetricMatrix) -> Cow<'a, SymmetricMatrix> {
        if self.terms.iter().zip(0..).all(|((b, _), a)| *b == a) && self.size == a.size() {
            return Cow::Borrowed(a);
        }
        let terms = a.entries().flat_map(move |(i, j, value)| {
            self.row(i).iter().flat_map(move |&(p, s)| {
                let own = self.row(j).iter().filter(move |(q, _)| i != j || p >= *q);
                // An entry stands for its mirror image too, but on the diagonal.
                own.map(move |&(q, t)| {
                    (p as usize, q as usize, if p == q && i != j { 2.0 } else { 1.0 } * value * s * t)
                })
            })
        });
        Cow::Owned(SymmetricMatrix::from_entries(self.size, terms))
    }

    /// Node of each of v, and places of the nodes.
    fn nodes(&self, full: &FullBody, interfaces: &[BodyInterface]) -> (Vec<u32>, Vec<[f64; 3]>) {
        let rigid = interfaces.iter().filter(|interface| interface.kind == InterfaceKind::Rigid);
        let mut node_of: Vec<u32> = Vec::with_capacity(self.size);
        let mut places: Vec<[f64; 3]> = full.nodes.iter().map(|place| (*place).into()).collect();
        let mut tied = vec![false; full.unknowns.len()];
        rigid.clone().flat_map(|interface| &interface.unknowns).for_each(|&a| tied[a] = true);
        let own = full.unknowns.iter().zip(&tied).filter(|(_, tied)| !**tied);
        node_of.extend(own.map(|(unknown, _)| unknown.node as u32));
        for interface in rigid {
            node_of.extend((0..interface.follow.ncols()).map(|_| places.len() as u32));
            places.push(interface.place.into());
        }
        (node_of, places)
    }

    /// b of each interface over v.
    fn interface_rows(&self, full: &FullBody, interfaces: &[BodyInterface]) -> Vec<Vec<Row>> {
        let rigid = interfaces.iter().filter(|interface| interface.kind == InterfaceKind::Rigid).count();
        let motions = interfaces.first().map_or(0, |interface| interface.follow.ncols());
        let mut next = self.size - rigid * motions;
        let mut rows = |interface: &BodyInterface| match interface.kind {
            InterfaceKind::Rigid => {
                next += motions;
                (next - motions..next).map(|b| vec![(b, 1.0)]).collect()
            }
            InterfaceKind::Mean => {
                let over_u = interface.mean_rows(full);
                let tied =
                    |row: Row| row.into_iter().map(|(a, value)| (self.row(a)[0].0 as usize, value)).collect();
                over_u.into_iter().map(tied).collect()
            }
        };
        interfaces.iter().map(&mut rows).collect()
    }
}

/// Unknowns of each node.
fn unknowns_of_nodes(full: &FullBody) -> Vec<Vec<usize>> {
    let mut lists = vec![vec![]; full.nodes.len()];
    for (a, Unknown { node, .. }) in full.unknowns.iter().enumerate() {
        lists[*node].push(a);
    }
    lists
}

/// Lists fit together and all numbers are finite.
fn check_body(full: &FullBody) -> Result<(), ReductionError> {
    let n = full.unknowns.len();
    let wrong = |what: String| Err(ReductionError::Body(what));
    if n == 0 {
        return wrong("it has no unknowns".into());
    }
    for (name, size) in [("stiffness", full.stiffness.size()), ("mass", full.mass.size())] {
        if size != n {
            return wrong(format!("the {name} matrix has {size} rows for {n} unknowns"));
        }
    }
    if full.mean.shape() != (3, n) || full.moments.shape() != (9, n) {
        return wrong(format!("its integrals are not those of {n} unknowns"));
    }
    if let Some(unknown) = full.unknowns.iter().find(|unknown| unknown.node >= full.nodes.len()) {
        return wrong(format!("an unknown belongs to node {} of {}", unknown.node, full.nodes.len()));
    }
    if !(full.total_mass > 0.0 && full.total_mass.is_finite()) {
        return wrong(format!("its mass is {} kg", full.total_mass));
    }
    if let MassProducts::Nodal(masses) = &full.products
        && masses.size() != full.nodes.len()
    {
        return wrong(format!("masses between {} nodes of {}", masses.size(), full.nodes.len()));
    }
    if let MassProducts::Pairs(pairs) = &full.products
        && pairs.iter().any(|(a, b, _)| *a >= n || *b >= n)
    {
        return wrong("a product of inertia is of an unknown that does not exist".into());
    }
    let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
    let places = full.nodes.iter().all(|place| finite(place.as_slice()));
    if !places || !finite(full.stiffness.values()) || !finite(full.mass.values()) {
        return wrong("a place or an entry of a matrix is not finite".into());
    }
    if !finite(full.mean.as_slice()) || !finite(full.moments.as_slice()) {
        return wrong("an integral of inertia is not finite".into());
    }
    Ok(())
}
