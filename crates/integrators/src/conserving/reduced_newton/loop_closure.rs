//! Constraints that the tree of joints leaves open: loops, couplings, drives, rows on velocities
//! (energy-momentum-null-space I-56).
//!
//! ```text
//! A = Gd_c Pd°,    Pd^c = Pd° (1 − A⁺ A) U,     A' = G_c(z⁺) P°(z⁺),    P^c = P° (1 − A'⁺ A') U
//! ```
//! on the level of the tree's degrees of freedom. U is the complement of as many rows of A' as are
//! independent, chosen by distance from each other; the rest is left out, its multipliers are zero.

use crate::conserving::reduced_newton::joint_tree::{At, Columns, JointTree};
use crate::linear::row_space::RowSpace;
use poinsot_mechanics::MAX_ROWS;
use poinsot_mechanics::conserving::{Conserving, ConservingScratch, ConservingStep, Rule};

/// One constraint.
#[derive(Debug)]
struct Closure {
    constraint: usize,
    /// Links to the roots, leaves first.
    path: Vec<usize>,
    unknowns: Vec<usize>,
    equations: Vec<usize>,
    /// First of its rows.
    first: usize,
}

/// A, row by row, and the decomposition of its independent rows.
#[derive(Debug)]
struct Rows {
    entries: Vec<f64>,
    space: RowSpace,
}

/// All of them.
#[derive(Debug)]
pub(crate) struct LoopClosure {
    closures: Vec<Closure>,
    rows: usize,
    /// Degrees of freedom of the tree, and those that remain.
    size: usize,
    free: usize,
    taken: Vec<bool>,
    test: Rows,
    end: Rows,
    /// U, row by row.
    complement: Vec<f64>,
    work: Vec<f64>,
    y: Vec<f64>,
    x: Vec<f64>,
    force: Vec<f64>,
    wide: Vec<f64>,
    room: ConservingScratch,
}

/// Rows that were independent are so no more; an equation among them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dependent(pub usize);

impl LoopClosure {
    pub fn new(view: &Conserving, tree: &JointTree) -> Self {
        let (mut closures, mut first, mut widest) = (vec![], 0, 0);
        for &constraint in &tree.closures {
            let equations: Vec<usize> = view.rows_in_force(constraint).collect();
            let unknowns = view.touched_unknowns(constraint).to_vec();
            widest = widest.max(unknowns.len());
            let path = tree.path(view, constraint);
            closures.push(Closure { constraint, path, unknowns, first, equations });
            first += closures.last().map_or(0, |c: &Closure| c.equations.len());
        }
        let (rows, size) = (first, tree.size);
        let matrix = || Rows { entries: vec![0.0; rows * size], space: RowSpace::with_room(size, rows + 1) };
        LoopClosure {
            closures,
            rows,
            size,
            free: size,
            taken: vec![false; rows],
            test: matrix(),
            end: matrix(),
            complement: vec![0.0; if rows > 0 { size * size } else { 0 }],
            work: vec![0.0; rows * size],
            y: vec![0.0; rows],
            x: vec![0.0; size],
            force: vec![0.0; view.size()],
            wide: vec![0.0; MAX_ROWS * widest],
            room: ConservingScratch::default(),
        }
    }

    /// Whether there are any.
    pub fn is_open(&self) -> bool {
        self.rows > 0
    }

    /// Degrees of freedom that remain.
    pub fn free(&self) -> usize {
        self.free
    }

    /// Equations of the rows that are left out.
    pub fn left_out(&self) -> impl Iterator<Item = usize> + '_ {
        let all = self.closures.iter().flat_map(|c| &c.equations);
        all.zip(&self.taken).filter(|(_, taken)| !**taken).map(|(eq, _)| *eq)
    }

    /// Equations of the rows that are kept.
    pub fn kept(&self) -> impl Iterator<Item = usize> + '_ {
        let all = self.closures.iter().flat_map(|c| &c.equations);
        all.zip(&self.taken).filter(|(_, taken)| **taken).map(|(eq, _)| *eq)
    }

    /// Chooses independent rows and U at the end as it is; `columns` are those of the end.
    pub fn choose(
        &mut self,
        view: &Conserving,
        tree: &JointTree,
        step: &ConservingStep,
        columns: &[Columns],
    ) {
        if self.rows == 0 {
            return;
        }
        self.assemble(view, tree, step, At::End, columns);
        self.work.copy_from_slice(&self.end.entries);
        self.end.space.decompose_independent(self.size, &mut self.work, &mut self.taken);
        self.free = self.size - self.taken.iter().filter(|t| **t).count();
        self.end.space.complement(&mut self.complement[..self.size * self.free]);
    }

    /// A at the test directions or A' at the end, and its decomposition.
    pub fn load(
        &mut self,
        view: &Conserving,
        tree: &JointTree,
        step: &ConservingStep,
        at: At,
        columns: &[Columns],
    ) -> Result<(), Dependent> {
        if self.rows == 0 {
            return Ok(());
        }
        self.assemble(view, tree, step, at, columns);
        let rows = match at {
            At::Test(_) => &mut self.test,
            At::End => &mut self.end,
        };
        let all = rows.entries.chunks_exact(self.size.max(1)).zip(&self.taken);
        let independent = rows.space.decompose(self.size, all.filter(|(_, t)| **t).map(|(row, _)| row));
        if independent { Ok(()) } else { Err(Dependent(self.kept().next().unwrap_or(0))) }
    }

    fn assemble(
        &mut self,
        view: &Conserving,
        tree: &JointTree,
        step: &ConservingStep,
        at: At,
        columns: &[Columns],
    ) {
        let target = match at {
            At::Test(_) => &mut self.test.entries,
            At::End => &mut self.end.entries,
        };
        target.fill(0.0);
        for c in &self.closures {
            match at {
                At::Test(rule) => {
                    view.discrete_rows(c.constraint, rule, step, &mut self.wide, &mut self.room);
                }
                At::End => view.end_rows(c.constraint, step, &mut self.wide, &mut self.room),
            }
            for k in 0..c.equations.len() {
                let row = &self.wide[k * c.unknowns.len()..(k + 1) * c.unknowns.len()];
                for (&eq, value) in c.unknowns.iter().zip(row) {
                    self.force[eq] = *value;
                }
                let out = &mut target[(c.first + k) * self.size..(c.first + k + 1) * self.size];
                tree.pull_along(&c.path, columns, &mut self.force, out);
            }
        }
    }

    /// r = Uᵀ (1 − A⁺ A)ᵀ f; `f` is spoilt.
    pub fn pull(&mut self, f: &mut [f64], r: &mut [f64]) {
        if self.rows == 0 {
            r.copy_from_slice(f);
            return;
        }
        self.test.space.left_inverse(f, &mut self.y);
        self.test.add_transposed(&self.taken, -1.0, &self.y, f);
        r.fill(0.0);
        for (u, f) in self.complement.chunks_exact(self.free.max(1)).zip(f.iter()) {
            r.iter_mut().zip(u).for_each(|(r, u)| *r += u * f);
        }
    }

    /// ν = (1 − A⁺ A) U μ, with A at the test directions or at the end.
    pub fn push(&mut self, at: At, mu: &[f64], nu: &mut [f64]) {
        if self.rows == 0 {
            nu.copy_from_slice(mu);
            return;
        }
        for (nu, u) in nu.iter_mut().zip(self.complement.chunks_exact(self.free.max(1))) {
            *nu = u.iter().zip(mu).map(|(u, m)| u * m).sum();
        }
        let rows = match at {
            At::Test(_) => &self.test,
            At::End => &self.end,
        };
        rows.multiply(&self.taken, nu, &mut self.y);
        rows.space.right_inverse(&mut self.y, &mut self.x);
        nu.iter_mut().zip(&self.x).for_each(|(nu, x)| *nu -= x);
    }

    /// ν = −A'⁺ Φ of the closures at the end of the step.
    pub fn closing(&mut self, view: &Conserving, step: &ConservingStep, nu: &mut [f64]) {
        let (mut phi, mut next) = ([0.0; MAX_ROWS], 0);
        for c in &self.closures {
            view.end_residual(c.constraint, step, &mut phi, &mut self.room);
            for (k, phi) in phi[..c.equations.len()].iter().enumerate() {
                if self.taken[c.first + k] {
                    self.y[next] = -phi;
                    next += 1;
                }
            }
        }
        self.end.space.right_inverse(&mut self.y, nu);
    }

    /// ν = −A'⁺ (Φ + G_c δ) for residuals Φ in their equations and increments δ of the unknowns.
    pub fn closing_after(
        &mut self,
        view: &Conserving,
        step: &ConservingStep,
        residual: &[f64],
        delta: &[f64],
        nu: &mut [f64],
    ) {
        let mut next = 0;
        for c in &self.closures {
            view.end_rows(c.constraint, step, &mut self.wide, &mut self.room);
            for (k, &eq) in c.equations.iter().enumerate().filter(|(k, _)| self.taken[c.first + k]) {
                let row = &self.wide[k * c.unknowns.len()..(k + 1) * c.unknowns.len()];
                let moved: f64 = row.iter().zip(&c.unknowns).map(|(g, &eq)| g * delta[eq]).sum();
                self.y[next] = -(residual[eq] + moved);
                next += 1;
            }
        }
        self.end.space.right_inverse(&mut self.y, nu);
    }

    /// Adds to λ what balances forces `reduced` on the degrees of freedom of the tree, and its forces to `f`
    /// on the nodes.
    pub fn balance(
        &mut self,
        view: &Conserving,
        rule: Rule,
        step: &mut ConservingStep,
        reduced: &[f64],
        f: &mut [f64],
    ) {
        self.test.space.left_inverse(reduced, &mut self.y);
        let mut next = 0;
        for c in &self.closures {
            view.discrete_rows(c.constraint, rule, step, &mut self.wide, &mut self.room);
            for (k, &eq) in c.equations.iter().enumerate() {
                if !self.taken[c.first + k] {
                    step.lambda[eq] = 0.0;
                    continue;
                }
                step.lambda[eq] -= self.y[next];
                let row = &self.wide[k * c.unknowns.len()..(k + 1) * c.unknowns.len()];
                for (g, &eq) in row.iter().zip(&c.unknowns) {
                    f[eq] -= g * self.y[next];
                }
                next += 1;
            }
        }
    }
}

impl Rows {
    /// y = A x, rows taken only.
    fn multiply(&self, taken: &[bool], x: &[f64], y: &mut [f64]) {
        let rows = self.entries.chunks_exact(x.len().max(1)).zip(taken).filter(|(_, t)| **t);
        for (y, (row, _)) in y.iter_mut().zip(rows) {
            *y = row.iter().zip(x).map(|(a, x)| a * x).sum();
        }
    }

    /// f += α Aᵀ y.
    fn add_transposed(&self, taken: &[bool], alpha: f64, y: &[f64], f: &mut [f64]) {
        let rows = self.entries.chunks_exact(f.len().max(1)).zip(taken).filter(|(_, t)| **t);
        for (y, (row, _)) in y.iter().zip(rows) {
            f.iter_mut().zip(row).for_each(|(f, a)| *f += alpha * a * y);
        }
    }
}
