//! Bushing: a six-component spring–damper between two frames.
//!
//! ```text
//! u_k = a_k·(x₂ − x₁)             offset in the axes a_k of the first frame
//! θ   = log(AᵀB)                  rotation vector of the second frame relative to the first
//! S   = K (u,θ) + C (u̇,θ̇)        six generalised forces, K and C 6×6
//! f₂ = −Σ S_k a_k,  f₁ = −f₂,  f_{a_k} = −S_k (x₂ − x₁),  τ₂ = −B T⁻ᵀ(θ) S_θ = −τ₁
//! ```
//! The torques act through the directors (see [`crate::forces::Torque`]). Valid for relative rotations
//! below π. What it does over a step is written in `bushing_step.rs`.

use super::InputElement;
use super::bushing_step::{BushingStep, by_end, drag, push_tangent};
use super::torque::{directors, spin};
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::Blocks;
use crate::force::{Extensions, Force, Motion, Power};
use crate::joints::Attachment;
use crate::nodes::carried::Carried;
use poinsot_geometry::nalgebra::SMatrix;
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6, so3};

type Mat6x3 = SMatrix<f64, 6, 3>;

pub(super) const X1: usize = 0;
pub(super) const X2: usize = 1;
pub(super) const A: usize = 2;
pub(super) const B: usize = 5;

/// Six-component spring–damper between two attachments.
#[derive(Clone, Debug)]
pub struct Bushing {
    carried: Vec<Carried>,
    pub(super) stiffness: Mat6,
    pub(super) damping: Mat6,
}

impl Bushing {
    /// Bushing with symmetric stiffness and damping matrices in the axes of the first attachment.
    pub fn new(first: &Attachment, second: &Attachment, stiffness: Mat6, damping: Mat6) -> Self {
        let mut carried = vec![first.point(), second.point()];
        carried.extend(directors(first.node, &first.axes));
        carried.extend(directors(second.node, &second.axes));
        Bushing { carried, stiffness, damping }
    }

    pub(super) fn deformation(&self, at: &Motion) -> Deformation {
        let x = at.x;
        let d = x[X2] - x[X1];
        let ddot = at.xdot[X2] - at.xdot[X1];
        let a = Mat3::from_columns(&[x[A], x[A + 1], x[A + 2]]);
        let b = Mat3::from_columns(&[x[B], x[B + 1], x[B + 2]]);
        let adot = Mat3::from_columns(&[at.xdot[A], at.xdot[A + 1], at.xdot[A + 2]]);
        let theta = so3::log(&a.tr_mul(&b));
        let t_inv = so3::tangent_inv(&theta);
        let w = spin(&x[B..B + 3], &at.xdot[B..B + 3]) - spin(&x[A..A + 3], &at.xdot[A..A + 3]);
        let wb = b.tr_mul(&w);
        let (u, udot) = (a.tr_mul(&d), adot.tr_mul(&d) + a.tr_mul(&ddot));
        let (e, edot) = (stack(&u, &theta), stack(&udot, &(t_inv * wb)));
        let s = self.stiffness * e + self.damping * edot;
        Deformation { d, ddot, a, b, adot, theta, t_inv, w, wb, e, edot, s }
    }
}

/// Everything about the deformation at an instant.
pub(super) struct Deformation {
    d: Vec3,
    ddot: Vec3,
    a: Mat3,
    b: Mat3,
    adot: Mat3,
    theta: Vec3,
    t_inv: Mat3,
    w: Vec3,
    wb: Vec3,
    e: Vec6,
    edot: Vec6,
    s: Vec6,
}

pub(super) fn stack(u: &Vec3, theta: &Vec3) -> Vec6 {
    Vec6::new(u[0], u[1], u[2], theta[0], theta[1], theta[2])
}

impl Deformation {
    fn force_part(&self) -> Vec3 {
        self.s.fixed_rows::<3>(0).into_owned()
    }

    fn moment_part(&self) -> Vec3 {
        self.s.fixed_rows::<3>(3).into_owned()
    }

    /// Adds the forces of S.
    fn add_force(&self, at: &Motion, f: &mut [Vec3]) {
        let s = self.force_part();
        let force = self.a * s;
        f[X1] += force;
        f[X2] -= force;
        let half_tau = self.b * self.moment() * 0.5;
        for k in 0..3 {
            f[A + k] -= self.d * s[k] + half_tau.cross(&at.x[A + k]);
            f[B + k] += half_tau.cross(&at.x[B + k]);
        }
    }

    /// Moment on the second body in its bushing axes: m = −T⁻ᵀ S_θ.
    fn moment(&self) -> Vec3 {
        -self.t_inv.tr_mul(&self.moment_part())
    }

    /// ∂e/∂y for carried vector y, which is ∂ė/∂ẏ too.
    pub(super) fn strain(&self, y: usize) -> Mat6x3 {
        let mut m = Mat6x3::zeros();
        let half_turn = |v: &Vec3| self.t_inv * self.b.transpose() * so3::skew(v) * 0.5;
        match y {
            X1 => m.fixed_rows_mut::<3>(0).copy_from(&-self.a.transpose()),
            X2 => m.fixed_rows_mut::<3>(0).copy_from(&self.a.transpose()),
            A..B => {
                m.set_row(y - A, &self.d.transpose());
                m.fixed_rows_mut::<3>(3).copy_from(&-half_turn(&self.a.column(y - A).into_owned()));
            }
            _ => m.fixed_rows_mut::<3>(3).copy_from(&half_turn(&self.b.column(y - B).into_owned())),
        }
        m
    }

    /// ∂ė/∂y at fixed velocities.
    fn strain_rate(&self, y: usize, xdot: &[Vec3]) -> Mat6x3 {
        let mut m = Mat6x3::zeros();
        let by_theta = so3::tangent_inv_derivative(&self.theta, &self.wb);
        let turned = self.strain(y).fixed_rows::<3>(3).into_owned();
        let bt = self.b.transpose();
        let mut angular = by_theta * turned;
        match y {
            X1 => m.fixed_rows_mut::<3>(0).copy_from(&-self.adot.transpose()),
            X2 => m.fixed_rows_mut::<3>(0).copy_from(&self.adot.transpose()),
            A..B => {
                m.set_row(y - A, &self.ddot.transpose());
                angular += self.t_inv * bt * so3::skew(&xdot[y]) * 0.5;
            }
            _ => {
                let mut by_wb = bt * so3::skew(&xdot[y]) * -0.5;
                let row = by_wb.row(y - B) + self.w.transpose();
                by_wb.set_row(y - B, &row);
                angular += self.t_inv * by_wb;
            }
        }
        m.fixed_rows_mut::<3>(3).copy_from(&angular);
        m
    }

    /// Blocks ∂f_a/∂y caused by a change ∂S/∂y; with `geometric` also those at constant S.
    fn push_column(&self, y: usize, ds: &Mat6x3, geometric: bool, out: &mut Blocks) {
        let on = |k: usize| if geometric && y == k { 1.0 } else { 0.0 };
        let eye = Mat3::identity();
        let ds_u = ds.fixed_rows::<3>(0).into_owned();
        let mut dm = -self.t_inv.tr_mul(&ds.fixed_rows::<3>(3).into_owned());
        if geometric {
            let turned = self.strain(y).fixed_rows::<3>(3).into_owned();
            dm -= so3::tangent_inv_transposed_derivative(&self.theta, &self.moment_part()) * turned;
        }
        let (s, m) = (self.force_part(), self.moment());
        let mut force = self.a * ds_u;
        let mut torque = self.b * dm;
        for k in 0..3 {
            force += eye * (s[k] * on(A + k));
            torque += eye * (m[k] * on(B + k));
        }
        out.push(X1, y, force);
        out.push(X2, y, -force);
        let half_tau = so3::skew(&(self.b * m * 0.5));
        for k in 0..3 {
            let (ak, bk) = (self.a.column(k).into_owned(), self.b.column(k).into_owned());
            let mut on_a = -self.d * ds_u.row(k) - eye * (s[k] * (on(X2) - on(X1)));
            on_a += so3::skew(&ak) * torque * 0.5 - half_tau * on(A + k);
            out.push(A + k, y, on_a);
            out.push(B + k, y, so3::skew(&bk) * torque * -0.5 + half_tau * on(B + k));
        }
    }
}

impl Force for Bushing {
    fn kind(&self) -> &'static str {
        "bushing"
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        self.deformation(at).add_force(at, f);
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, c: &mut Blocks) {
        let e = self.deformation(at);
        for y in 0..self.carried.len() {
            let (strain, strain_rate) = (e.strain(y), e.strain_rate(y, at.xdot));
            e.push_column(y, &(self.stiffness * strain + self.damping * strain_rate), true, k);
            e.push_column(y, &(self.damping * strain), false, c);
        }
    }

    fn potential(&self, at: &Motion) -> f64 {
        let e = self.deformation(at).e;
        0.5 * e.dot(&(self.stiffness * e))
    }

    fn power(&self, at: &Motion) -> Power {
        let rate = self.deformation(at).edot;
        Power { supplied: 0.0, dissipated: rate.dot(&(self.damping * rate)) }
    }

    fn discrete_force(&self, step: &StepEnds, f: &mut [Vec3]) {
        let force = BushingStep::new(self, step).force();
        f.iter_mut().zip(&force).for_each(|(f, force)| *f += force);
    }

    fn discrete_tangent(&self, step: &StepEnds, k: &mut Blocks, _c: &mut Blocks) {
        push_tangent(self, step, &BushingStep::new(self, step), &by_end(self, step), k);
    }

    fn discrete_work(&self, step: &StepEnds) -> Power {
        let change = BushingStep::new(self, step).change;
        Power { supplied: 0.0, dissipated: change.dot(&(drag(self, step) * change)) }
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions { input: Some(self), ..Extensions::default() }
    }
}

/// The six generalised forces S.
impl InputElement for Bushing {
    fn inputs(&self) -> usize {
        6
    }

    fn pushed(&self) -> usize {
        self.carried.len()
    }

    fn is_idle(&self) -> bool {
        self.stiffness == Mat6::zeros() && self.damping == Mat6::zeros()
    }

    fn push(&self, s: &[f64], at: &Motion, f: &mut [Vec3]) {
        Deformation { s: Vec6::from_row_slice(s), ..self.deformation(at) }.add_force(at, f);
    }

    fn push_tangent(&self, s: &[f64], at: &Motion, k: &mut Blocks) {
        let e = Deformation { s: Vec6::from_row_slice(s), ..self.deformation(at) };
        (0..self.carried.len()).for_each(|y| e.push_column(y, &Mat6x3::zeros(), true, k));
    }

    fn push_over_step(&self, s: &[f64], step: &StepEnds, f: &mut [Vec3]) {
        let force = BushingStep::new(self, step).under(s).force();
        f.iter_mut().zip(&force).for_each(|(f, force)| *f += force);
    }

    fn push_tangent_over_step(&self, s: &[f64], step: &StepEnds, k: &mut Blocks) {
        push_tangent(self, step, &BushingStep::new(self, step).under(s), &Mat6::zeros(), k);
    }
}
