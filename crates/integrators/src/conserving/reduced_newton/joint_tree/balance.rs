//! What the joints of a tree carry, and how far they stand open.

use crate::conserving::reduced_newton::joint_tree::{At, Columns, JointTree, TreeError, push_link};
use poinsot_mechanics::MAX_ROWS;
use poinsot_mechanics::conserving::{Conserving, ConservingStep, Rule};

impl JointTree {
    /// Adds to λ what balances forces `f` on the nodes, joint by joint from the leaves to the roots: the
    /// least squares solution of J_cᵀ δλ = −f_c (energy-momentum-null-space I-63). What is left in `f` is
    /// not balanced by the joints of the tree.
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
