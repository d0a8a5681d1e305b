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

mod balance;
mod growth;
mod motion;

use crate::conserving::reduced_newton::lower_pair::PairJoint;
use crate::linear::row_space::RowSpace;
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_mechanics::conserving::{Conserving, ConservingScratch, ConservingStep, Rule};
use poinsot_mechanics::{Frame, MAX_ROWS};

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

impl JointTree {
    /// Whether all joints of the tree have closed forms, or a single row; whether there are any.
    pub fn is_explicit(&self) -> (bool, bool) {
        let closed = |link: &Link| !matches!(link.hold, Hold::Rows { .. }) || link.rows == 1;
        (self.links.iter().all(closed), self.links.iter().any(|link| link.joint.is_some()))
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
