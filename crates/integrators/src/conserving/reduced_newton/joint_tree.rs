//! The joints of a model as a tree: bodies that hang on each other, from ground or from a free body, and the
//! joints that close loops.
//!
//! ```text
//! t_child = a t_parent + b ν          (energy-momentum-null-space I-54)
//! ```
//! for every body, with the closed forms of [`PairJoint`], or with a and b from the rows J = [J_p J_c] of the
//! joint ([`RowSpace`], I-25 on the level of one joint):
//!
//! ```text
//! a = −J_c⁺ J_p,    b = (1 − J_c⁺ J_c) U,    U the complement of J_c at the start of the step
//! ```
//! A point on a rod has b = (1 − d̄ d̄ᵀ/|d̄|²) U, free of the singular direction of (4.2.5) (I-31).

use crate::conserving::reduced_newton::lower_pair::PairJoint;
use crate::linear::row_space::RowSpace;
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_mechanics::conserving::{Conserving, ConservingScratch, ConservingStep, Rule};
use poinsot_mechanics::{Chart, Frame, GROUND, MAX_ROWS, Twist};
use std::collections::BinaryHeap;

/// Most unknowns of a node.
const DOFS: usize = 6;

/// Rows of a joint over the unknowns of its two nodes.
type JointRows = [f64; MAX_ROWS * 2 * DOFS];

/// a and b, row by row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    pub a: [f64; DOFS * DOFS],
    pub b: [f64; DOFS * DOFS],
}

impl Columns {
    pub fn none() -> Self {
        Columns { a: [0.0; DOFS * DOFS], b: [0.0; DOFS * DOFS] }
    }
}

/// How a body hangs on its parent.
#[derive(Clone, Copy, Debug)]
enum Hold {
    /// Not at all.
    Free,
    Pair(PairJoint),
    /// By the rows of the joint, with U.
    Rows {
        complement: [f64; DOFS * DOFS],
    },
}

/// A node and how it hangs on its parent.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub node: usize,
    /// The parent's link, none for ground.
    pub parent: Option<usize>,
    /// The constraint, none for a free node.
    pub joint: Option<usize>,
    hold: Hold,
    pub dofs: usize,
    pub parent_dofs: usize,
    /// First unknown of the node and of its parent in the view.
    pub eq: usize,
    pub parent_eq: usize,
    /// Degrees of freedom, and the first of them among those of the tree.
    pub free: usize,
    pub first: usize,
    /// First column of the node and of its parent in the rows of the joint, their number and that of all
    /// columns.
    column: usize,
    parent_column: usize,
    rows: usize,
    width: usize,
    /// Equations of the rows.
    pub equations: Vec<usize>,
}

/// Where vectors are taken: at the mean, for the test directions; at the end, for the tangent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At {
    Test(Rule),
    End,
}

/// The tree.
#[derive(Debug)]
pub(crate) struct JointTree {
    pub links: Vec<Link>,
    /// Constraints that close loops or are no joints between two bodies.
    pub closures: Vec<usize>,
    /// Degrees of freedom of the tree.
    pub size: usize,
    space: RowSpace,
    room: ConservingScratch,
    rows: JointRows,
    /// Frames and turns of the last move, by link.
    before: Vec<Frame>,
    turn: Vec<Mat3>,
    /// J_c⁺ Φ of every joint, see [`JointTree::measure_gaps`].
    gaps: Vec<[f64; DOFS]>,
    /// What is short against the model (m).
    short: f64,
}

/// A move that did not keep the joints together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeError(pub usize);

/// Steps of Newton's iteration that closes one joint at most.
const MAX_CLOSING: usize = 20;

impl JointTree {
    /// The spanning tree with the most rows, from ground or from free nodes (parameters of curves first); the
    /// step must be at rest.
    pub fn new(view: &Conserving, step: &ConservingStep) -> Self {
        let nodes = view.system().nodes();
        let constraints = view.system().constraints();
        let mut tree = JointTree {
            links: vec![],
            closures: vec![],
            size: 0,
            space: RowSpace::with_room(DOFS, MAX_ROWS),
            room: ConservingScratch::default(),
            rows: [0.0; MAX_ROWS * 2 * DOFS],
            before: vec![],
            turn: vec![],
            gaps: vec![],
            short: 1e-7 * view.system().length_scale().min(1.0),
        };
        let is_joint = |c: usize| {
            let law = &constraints[c].law;
            matches!(view.touched_nodes(c).len(), 1 | 2) && !(0..law.rows()).any(|k| law.is_velocity_row(k))
        };
        let mut around = vec![vec![]; nodes.len()];
        for c in (0..constraints.len()).filter(|&c| is_joint(c) && view.rows_in_force(c).count() > 0) {
            match view.touched_nodes(c) {
                [(node, _)] => around[GROUND].push((c, *node)),
                [(one, _), (two, _)] => {
                    around[*one].push((c, *two));
                    around[*two].push((c, *one));
                }
                _ => {}
            }
        }
        let mut link_of: Vec<Option<usize>> = vec![None; nodes.len()];
        let mut used = vec![false; constraints.len()];
        let mut roots: Vec<usize> = (1..nodes.len()).collect();
        roots.sort_by_key(|&id| nodes[id].chart != Chart::Parameter);
        let mut roots = roots.into_iter();
        // Joints with the most rows first, then in the order of the model.
        let mut heap = BinaryHeap::new();
        let mut reached = GROUND;
        loop {
            for &(c, child) in &around[reached] {
                heap.push((view.rows_in_force(c).count(), std::cmp::Reverse(c), reached, child));
            }
            let next = loop {
                match heap.pop() {
                    Some((_, std::cmp::Reverse(c), parent, child)) if link_of[child].is_none() => {
                        if let Some(link) = tree.joined(view, step, c, link_of[parent], child) {
                            used[c] = true;
                            break Some(link);
                        }
                    }
                    Some(_) => {}
                    None => break roots.find(|&id| link_of[id].is_none()).map(|id| free(view, id)),
                }
            };
            let Some(mut link) = next else { break };
            link.first = tree.size;
            tree.size += link.free;
            reached = link.node;
            link_of[reached] = Some(tree.links.len());
            tree.links.push(link);
        }
        tree.closures =
            (0..constraints.len()).filter(|&c| !used[c] && view.rows_in_force(c).count() > 0).collect();
        let n = tree.links.len();
        tree.before = vec![Frame::identity(); n];
        tree.turn = vec![Mat3::zeros(); n];
        tree.gaps = vec![[0.0; DOFS]; n];
        tree
    }

    /// Whether all joints of the tree have closed forms, or a single row; whether there are any.
    pub fn is_explicit(&self) -> (bool, bool) {
        let closed = |link: &Link| !matches!(link.hold, Hold::Rows { .. }) || link.rows == 1;
        (self.links.iter().all(closed), self.links.iter().any(|link| link.joint.is_some()))
    }

    /// A node on a joint; none if the rows do not determine part of its motion.
    fn joined(
        &mut self,
        view: &Conserving,
        step: &ConservingStep,
        joint: usize,
        parent: Option<usize>,
        node: usize,
    ) -> Option<Link> {
        let mut link = free(view, node);
        link.parent = parent;
        link.joint = Some(joint);
        link.equations = view.rows_in_force(joint).collect();
        (link.rows, link.width) = (link.equations.len(), view.touched_unknowns(joint).len());
        for &(id, column) in view.touched_nodes(joint) {
            if id == node {
                link.column = column;
            } else {
                link.parent_column = column;
            }
        }
        let parent_node = parent.map_or(GROUND, |p| self.links[p].node);
        if let Some(p) = parent {
            (link.parent_dofs, link.parent_eq) = (self.links[p].dofs, self.links[p].eq);
        }
        let entry = &view.system().constraints()[joint];
        let nodes = view.system().nodes();
        let spatial = |id: usize| id == GROUND || nodes[id].chart == Chart::Motion;
        let whole = (0..entry.law.rows()).all(|row| entry.in_force(row));
        if let Some(pair) =
            PairJoint::of(&*entry.law, parent_node).filter(|_| whole && spatial(node) && spatial(parent_node))
        {
            link.free = pair.free();
            link.hold = Hold::Pair(pair);
            return Some(link);
        }
        if link.rows > link.dofs {
            return None;
        }
        view.end_rows(joint, step, &mut self.rows, &mut self.room);
        if !self.decompose(&link) {
            return None;
        }
        link.free = link.dofs - link.rows;
        link.hold = Hold::Rows { complement: [0.0; DOFS * DOFS] };
        Some(link)
    }

    /// J_c = Rᵀ Qᵀ of the rows at hand; false if they are dependent.
    fn decompose(&mut self, link: &Link) -> bool {
        let child = |k: usize| k * link.width + link.column..k * link.width + link.column + link.dofs;
        let rows = (0..link.rows).map(|k| &self.rows[child(k)]);
        self.space.decompose(link.dofs, rows)
    }

    /// U of the joints without closed forms; the step must be at rest.
    pub fn begin(&mut self, view: &Conserving, step: &ConservingStep) -> Result<(), TreeError> {
        for index in 0..self.links.len() {
            let link = self.links[index].clone_head();
            let (Hold::Rows { .. }, Some(joint)) = (link.hold, link.joint) else { continue };
            view.end_rows(joint, step, &mut self.rows, &mut self.room);
            if !self.decompose(&link) {
                return Err(TreeError(link.eq));
            }
            let Hold::Rows { complement } = &mut self.links[index].hold else { continue };
            self.space.complement(&mut complement[..link.dofs * link.free]);
        }
        Ok(())
    }

    /// a and b of every link.
    pub fn columns(
        &mut self,
        view: &Conserving,
        step: &ConservingStep,
        at: At,
        out: &mut [Columns],
    ) -> Result<(), TreeError> {
        for (index, out) in out.iter_mut().enumerate() {
            let link = self.links[index].clone_head();
            match &link.hold {
                Hold::Free => (0..link.dofs).for_each(|k| out.b[k * link.dofs + k] = 1.0),
                Hold::Pair(pair) => {
                    let motion = pair.motion(|id| match at {
                        At::Test(rule) => *view.tested(rule, step, id),
                        At::End => step.end[id],
                    });
                    if link.parent_dofs > 0 {
                        carry(&motion.c, motion.turns_along, &mut out.a);
                    }
                    for k in 0..3 {
                        for (j, (linear, angular)) in motion.b[..link.free].iter().enumerate() {
                            out.b[k * link.free + j] = linear[k];
                            out.b[(3 + k) * link.free + j] = angular[k];
                        }
                    }
                }
                Hold::Rows { complement } => {
                    self.load_rows(view, step, at, &link);
                    if !self.decompose(&link) {
                        return Err(TreeError(link.eq));
                    }
                    self.solve_rows(&link, complement, out);
                }
            }
        }
        Ok(())
    }

    fn load_rows(&mut self, view: &Conserving, step: &ConservingStep, at: At, link: &Link) {
        let Some(joint) = link.joint else { return };
        match at {
            At::Test(rule) => view.discrete_rows(joint, rule, step, &mut self.rows, &mut self.room),
            At::End => view.end_rows(joint, step, &mut self.rows, &mut self.room),
        }
    }

    /// a = −J_c⁺ J_p and b = (1 − J_c⁺ J_c) U.
    fn solve_rows(&self, link: &Link, complement: &[f64], out: &mut Columns) {
        let (mut y, mut x) = ([0.0; MAX_ROWS], [0.0; DOFS]);
        for j in 0..link.parent_dofs {
            for (k, y) in y[..link.rows].iter_mut().enumerate() {
                *y = -self.rows[k * link.width + link.parent_column + j];
            }
            self.space.right_inverse(&mut y, &mut x[..link.dofs]);
            (0..link.dofs).for_each(|i| out.a[i * link.parent_dofs + j] = x[i]);
        }
        for j in 0..link.free {
            for (k, y) in y[..link.rows].iter_mut().enumerate() {
                let row = &self.rows[k * link.width + link.column..][..link.dofs];
                *y = row.iter().enumerate().map(|(i, r)| r * complement[i * link.free + j]).sum();
            }
            self.space.right_inverse(&mut y, &mut x[..link.dofs]);
            (0..link.dofs).for_each(|i| out.b[i * link.free + j] = complement[i * link.free + j] - x[i]);
        }
    }

    /// r = Pᵀ f: from the leaves to the roots; `f` is overwritten.
    pub fn pull(&self, columns: &[Columns], f: &mut [f64], r: &mut [f64]) {
        for (link, columns) in self.links.iter().zip(columns).rev() {
            pull_link(link, columns, f, r);
        }
    }

    /// The same for forces on a few nodes only, along the links that carry them to the roots.
    pub fn pull_along(&self, path: &[usize], columns: &[Columns], f: &mut [f64], r: &mut [f64]) {
        for &index in path {
            let link = &self.links[index];
            pull_link(link, &columns[index], f, r);
            f[link.eq..link.eq + link.dofs].fill(0.0);
        }
    }

    /// δ = P ν: from the roots to the leaves.
    pub fn push(&self, columns: &[Columns], nu: &[f64], delta: &mut [f64]) {
        for (link, columns) in self.links.iter().zip(columns) {
            push_link(link, columns, &nu[link.first..link.first + link.free], delta);
        }
    }

    /// The least ν whose P ν comes nearest to given increments of every node relative to its parent.
    pub fn relative(&mut self, columns: &[Columns], delta: &[f64], nu: &mut [f64]) {
        let mut column = [[0.0; DOFS]; DOFS];
        for (link, c) in self.links.iter().zip(columns) {
            let mut x = [0.0; DOFS];
            for (i, x) in x[..link.dofs].iter_mut().enumerate() {
                let a = &c.a[i * link.parent_dofs..(i + 1) * link.parent_dofs];
                let along: f64 = a.iter().zip(&delta[link.parent_eq..]).map(|(a, d)| a * d).sum();
                *x = delta[link.eq + i] - along;
            }
            for (j, column) in column[..link.free].iter_mut().enumerate() {
                (0..link.dofs).for_each(|i| column[i] = c.b[i * link.free + j]);
            }
            let columns = column[..link.free].iter().map(|c| &c[..link.dofs]);
            let nu = &mut nu[link.first..link.first + link.free];
            match self.space.decompose(link.dofs, columns) {
                true => self.space.left_inverse(&x[..link.dofs], nu),
                false => nu.fill(0.0),
            }
        }
    }

    /// The links from the nodes of a constraint to the roots, leaves first.
    pub fn path(&self, view: &Conserving, constraint: usize) -> Vec<usize> {
        let mut on_path = vec![false; self.links.len()];
        for &(id, _) in view.touched_nodes(constraint) {
            let mut next = self.links.iter().position(|link| link.node == id);
            while let Some(index) = next {
                on_path[index] = true;
                next = self.links[index].parent;
            }
        }
        (0..self.links.len()).rev().filter(|&k| on_path[k]).collect()
    }
}

impl Link {
    /// The link without the list of its equations, so that the tree can be changed meanwhile.
    fn clone_head(&self) -> Link {
        Link { equations: Vec::new(), ..*self }
    }
}

impl JointTree {
    /// F: moves the end along the joints by ν, from the roots to the leaves (I-55). Joints without closed
    /// forms are closed by Newton's iteration on their own rows; `columns` are those of the end, perhaps of
    /// an earlier one.
    pub fn update(
        &mut self,
        view: &Conserving,
        step: &mut ConservingStep,
        columns: &[Columns],
        nu: &[f64],
    ) -> Result<(), TreeError> {
        for index in 0..self.links.len() {
            let link = self.links[index].clone_head();
            let nu = &nu[link.first..link.first + link.free];
            self.before[index] = step.end[link.node];
            match &link.hold {
                Hold::Free => {
                    step.advance_node(view, link.node, nu);
                    self.turn[index] = turn_of(view, step, link.node, nu);
                }
                Hold::Pair(pair) => {
                    let ground = (Mat3::zeros(), Frame::identity());
                    let (turn, parent) = link.parent.map_or(ground, |p| (self.turn[p], self.before[p]));
                    self.turn[index] = pair.update(step, &turn, (&self.before[index], &parent), nu);
                }
                Hold::Rows { .. } => {
                    let (mut own, columns) = ([0.0; DOFS], &columns[index]);
                    let parent = link.parent.map_or([0.0; DOFS], |p| self.moved(view, step, p));
                    for (i, own) in own[..link.dofs].iter_mut().enumerate() {
                        let a = &columns.a[i * link.parent_dofs..(i + 1) * link.parent_dofs];
                        let b = &columns.b[i * link.free..(i + 1) * link.free];
                        *own = a.iter().zip(&parent).chain(b.iter().zip(nu)).map(|(c, d)| c * d).sum();
                    }
                    step.advance_node(view, link.node, &own[..link.dofs]);
                    self.close(view, step, &link)?;
                    let (from, to) = (&self.before[index].rot, &step.end[link.node].rot);
                    self.turn[index] = (to - from) * from.transpose();
                }
            }
        }
        Ok(())
    }

    /// The increments of a node in the last move.
    fn moved(&self, view: &Conserving, step: &ConservingStep, index: usize) -> [f64; DOFS] {
        let (node, before) = (self.links[index].node, &self.before[index]);
        let theta = so3::log(&(self.turn[index] + Mat3::identity()));
        let (chart, linear) = (&view.system().nodes()[node].chart, step.end[node].r - before.r);
        // Rigid bodies turn by increments in world axes.
        let angular = if *chart == Chart::Motion { theta } else { before.rot.tr_mul(&theta) };
        let mut moved = [0.0; DOFS];
        chart.velocities(&Twist { linear, angular }, &mut moved[..chart.dofs()]);
        moved
    }

    /// Newton's iteration on the rows of one joint, in the child's unknowns: δ = −J_c⁺ Φ.
    fn close(&mut self, view: &Conserving, step: &mut ConservingStep, link: &Link) -> Result<(), TreeError> {
        let Some(joint) = link.joint else { return Ok(()) };
        let (mut phi, mut x) = ([0.0; MAX_ROWS], [0.0; DOFS]);
        let mut last = f64::INFINITY;
        for _ in 0..MAX_CLOSING {
            view.end_residual(joint, step, &mut phi, &mut self.room);
            view.end_rows(joint, step, &mut self.rows, &mut self.room);
            if !self.decompose(link) {
                return Err(TreeError(link.eq));
            }
            phi.iter_mut().for_each(|phi| *phi = -*phi);
            self.space.right_inverse(&mut phi, &mut x[..link.dofs]);
            let size = x[..link.dofs].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            // Round-off does not shrink any more.
            if size == 0.0 || (last < self.short && size > 0.1 * last) {
                return Ok(());
            }
            if !size.is_finite() {
                break;
            }
            step.advance_node(view, link.node, &x[..link.dofs]);
            last = size;
        }
        if last < self.short { Ok(()) } else { Err(TreeError(link.eq)) }
    }

    /// Adds to λ what balances forces `f` on the nodes, joint by joint from the leaves to the roots: the
    /// least squares solution of J_cᵀ δλ = −f_c (I-63). What is left in `f` is not balanced by the joints of
    /// the tree.
    pub fn balance(
        &mut self,
        view: &Conserving,
        rule: Rule,
        step: &mut ConservingStep,
        f: &mut [f64],
    ) -> Result<(), TreeError> {
        let mut change = [0.0; MAX_ROWS];
        for index in (0..self.links.len()).rev() {
            let link = self.links[index].clone_head();
            if link.joint.is_none() {
                continue;
            }
            self.load_rows(view, step, At::Test(rule), &link);
            if !self.decompose(&link) {
                return Err(TreeError(link.eq));
            }
            self.space.left_inverse(&f[link.eq..link.eq + link.dofs], &mut change);
            for (k, &eq) in self.links[index].equations.iter().enumerate() {
                step.lambda[eq] -= change[k];
                let row = &self.rows[k * link.width..(k + 1) * link.width];
                let take = |f: &mut [f64], row: &[f64]| {
                    f.iter_mut().zip(row).for_each(|(f, g)| *f -= g * change[k]);
                };
                take(&mut f[link.eq..link.eq + link.dofs], &row[link.column..]);
                take(&mut f[link.parent_eq..link.parent_eq + link.parent_dofs], &row[link.parent_column..]);
            }
        }
        Ok(())
    }

    /// J_c⁺ Φ of every joint, for residuals Φ in their equations.
    pub fn measure_gaps(
        &mut self,
        view: &Conserving,
        step: &ConservingStep,
        residual: &[f64],
    ) -> Result<(), TreeError> {
        let mut phi = [0.0; MAX_ROWS];
        for index in 0..self.links.len() {
            let link = self.links[index].clone_head();
            if link.joint.is_none() {
                continue;
            }
            self.load_rows(view, step, At::End, &link);
            if !self.decompose(&link) {
                return Err(TreeError(link.eq));
            }
            for (phi, &eq) in phi.iter_mut().zip(&self.links[index].equations) {
                *phi = residual[eq];
            }
            self.space.right_inverse(&mut phi, &mut self.gaps[index][..link.dofs]);
        }
        Ok(())
    }

    /// Increments along the joints that close their gaps to first order besides, δ_c = a δ_p + b ν − J_c⁺ Φ.
    pub fn push_closing(&self, columns: &[Columns], nu: &[f64], delta: &mut [f64]) {
        for ((link, columns), gap) in self.links.iter().zip(columns).zip(&self.gaps) {
            push_link(link, columns, &nu[link.first..link.first + link.free], delta);
            delta[link.eq..].iter_mut().zip(&gap[..link.dofs]).for_each(|(d, gap)| *d -= gap);
        }
    }
}

/// A node without a joint.
fn free(view: &Conserving, node: usize) -> Link {
    let unknowns = view.unknowns(node);
    Link {
        node,
        parent: None,
        joint: None,
        hold: Hold::Free,
        dofs: unknowns.len(),
        parent_dofs: 0,
        eq: unknowns.start,
        parent_eq: 0,
        free: unknowns.len(),
        first: 0,
        column: 0,
        parent_column: 0,
        rows: 0,
        width: 0,
        equations: vec![],
    }
}

/// a = [1 c̃; 0 1], or [1 c̃; 0 0].
fn carry(c: &Vec3, turns_along: bool, a: &mut [f64; DOFS * DOFS]) {
    let turn = so3::skew(c);
    for i in 0..3 {
        a[i * DOFS + i] = 1.0;
        a[(3 + i) * DOFS + 3 + i] = f64::from(u8::from(turns_along));
        for j in 0..3 {
            a[i * DOFS + 3 + j] = turn[(i, j)];
        }
    }
}

#[inline]
fn pull_link(link: &Link, columns: &Columns, f: &mut [f64], r: &mut [f64]) {
    let mut own = [0.0; DOFS];
    own[..link.dofs].copy_from_slice(&f[link.eq..link.eq + link.dofs]);
    for (i, own) in own[..link.dofs].iter().enumerate() {
        let b = &columns.b[i * link.free..(i + 1) * link.free];
        r[link.first..].iter_mut().zip(b).for_each(|(r, b)| *r += b * own);
        let a = &columns.a[i * link.parent_dofs..(i + 1) * link.parent_dofs];
        f[link.parent_eq..].iter_mut().zip(a).for_each(|(f, a)| *f += a * own);
    }
}

#[inline]
fn push_link(link: &Link, columns: &Columns, nu: &[f64], delta: &mut [f64]) {
    for i in 0..link.dofs {
        let a = &columns.a[i * link.parent_dofs..(i + 1) * link.parent_dofs];
        let b = &columns.b[i * link.free..(i + 1) * link.free];
        let carried: f64 = a.iter().zip(&delta[link.parent_eq..]).map(|(a, d)| a * d).sum();
        delta[link.eq + i] = carried + b.iter().zip(nu).map(|(b, n)| b * n).sum::<f64>();
    }
}

/// S − 1 of the turn that increments of a node make.
fn turn_of(view: &Conserving, step: &ConservingStep, node: usize, delta: &[f64]) -> Mat3 {
    match view.system().nodes()[node].chart {
        Chart::Motion => so3::exp_less_one(&Vec3::new(delta[3], delta[4], delta[5])),
        Chart::Planar { normal, .. } => so3::exp_less_one(&(step.start[node].rot * normal * delta[2])),
        _ => Mat3::zeros(),
    }
}
