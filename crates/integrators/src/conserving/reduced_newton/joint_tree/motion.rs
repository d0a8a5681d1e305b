//! Moves the bodies of a tree along their joints.

use crate::conserving::reduced_newton::joint_tree::{Columns, DOFS, Hold, JointTree, Link, TreeError};
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_mechanics::conserving::{Conserving, ConservingStep};
use poinsot_mechanics::{Chart, Frame, MAX_ROWS, Twist};

/// Steps of Newton's iteration that closes one joint at most.
const MAX_CLOSING: usize = 20;

impl JointTree {
    /// F: moves the end along the joints by ν, from the roots to the leaves (energy-momentum-null-space
    /// I-55). Joints without closed forms are closed by Newton's iteration on their own rows; `columns` are
    /// those of the end, perhaps of an earlier one.
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
}

/// S − 1 of the turn that increments of a node make.
fn turn_of(view: &Conserving, step: &ConservingStep, node: usize, delta: &[f64]) -> Mat3 {
    match view.system().nodes()[node].chart {
        Chart::Motion => so3::exp_less_one(&Vec3::new(delta[3], delta[4], delta[5])),
        Chart::Planar { normal, .. } => so3::exp_less_one(&(step.start[node].rot * normal * delta[2])),
        _ => Mat3::zeros(),
    }
}
