//! Ties a node to a point of a flexible body: six rows.
//!
//! ```text
//! Φ_i = d_i·(x − r) − X_i − Σ_k S_ik q_k = 0
//! Φ_θ = axial(Aᵀ B) − Σ_k φ_k q_k = 0,       axial(Aᵀ B)_1 = ½ (d_3·b_2 − d_2·b_3), …
//! ```
//! x and b_i are origin and directors of the node, r and d_i those of the floating frame, X the place of the
//! point, S_k and φ_k its displacement and rotation in each shape (floating-frame-and-ancf §1.8.3, §1.11.3).
//! With geometric stiffness Φ_c has ½ Σ_kl G_kl,c q_k q_l besides: where the body bends, its points move
//! back, and a force on the interface makes it stiffer or softer (`reduction/geometric.rs`).
//!
//! The node turns against the frame about Σ φ_k q_k by the angle whose sine that is: to second order the
//! small rotation of the theory, yet B stays a rotation. All rows are quadratic in the natural coordinates
//! and the same in turned axes, so that the mean Jacobian is a discrete gradient that keeps energy and
//! momentum.

use crate::constraint::{Configuration, Constraint};
use crate::element_buffers::{Blocks, Gradients};
use crate::nodes::carried::{Carried, NodeId};
use poinsot_geometry::{Mat3, Vec3};

/// A point of a flexible body, as a node to which other things can be attached.
#[derive(Clone, Debug)]
pub struct Interface {
    carried: Vec<Carried>,
    /// X.
    place: Vec3,
    /// S_k at the point.
    displacements: Vec<Vec3>,
    /// φ_k at the point.
    rotations: Vec<Vec3>,
    /// G_kl of the six rows at k n + l; none without geometric stiffness.
    second: Vec<[f64; 6]>,
}

/// Places of the vectors in `carried`.
const NODE: usize = 0;
const NODE_AXES: usize = 1;
const FRAME: usize = 4;
const FRAME_AXES: usize = 5;
const NUMBERS: usize = 8;

/// The components of axial(Aᵀ B): (row, axis of the frame, axis of the node), each with ½ and then, for the
/// same two axes exchanged, with −½.
const AXIAL: [(usize, usize, usize); 3] = [(0, 2, 1), (1, 0, 2), (2, 1, 0)];

impl Interface {
    /// The node `node` at X of the body with floating frame `frame` and the numbers q_k.
    pub fn new(
        node: NodeId,
        frame: NodeId,
        numbers: &[NodeId],
        place: Vec3,
        displacements: Vec<Vec3>,
        rotations: Vec<Vec3>,
    ) -> Self {
        let axes = |node| (0..3).map(move |k| Carried::direction(node, Mat3::identity().column(k).into()));
        let mut carried = vec![Carried::point(node, Vec3::zeros())];
        carried.extend(axes(node));
        carried.push(Carried::point(frame, Vec3::zeros()));
        carried.extend(axes(frame));
        carried.extend(numbers.iter().map(|&number| Carried::point(number, Vec3::zeros())));
        Interface { carried, place, displacements, rotations, second: vec![] }
    }

    /// With what the point moves of second order: G_kl of the six rows, symmetric, at k n + l.
    pub fn with_second_order(mut self, second: &[[f64; 6]]) -> Self {
        let n = self.displacements.len();
        assert_eq!(second.len(), n * n, "six numbers for each pair of shapes");
        if second.iter().flatten().any(|value| *value != 0.0) {
            self.second = second.to_vec();
        }
        self
    }

    /// Calls `f(row, k, Σ_l G_kl q_l)` for the numbers in `x`.
    fn second_gradients(&self, x: &[Vec3], mut f: impl FnMut(usize, usize, f64)) {
        let n = self.displacements.len();
        for (k, pairs) in self.second.chunks(n.max(1)).enumerate() {
            for row in 0..6 {
                f(row, k, pairs.iter().zip(&x[NUMBERS..]).map(|(pair, q)| pair[row] * q.x).sum());
            }
        }
    }

    /// Calls `f(row, a, value)` for the gradients of the rows of rotation that do not belong to numbers: they
    /// are linear in the axes.
    fn axial_gradients(x: &[Vec3], mut f: impl FnMut(usize, usize, Vec3)) {
        for (row, i, j) in AXIAL {
            f(3 + row, FRAME_AXES + i, x[NODE_AXES + j] * 0.5);
            f(3 + row, NODE_AXES + j, x[FRAME_AXES + i] * 0.5);
            f(3 + row, FRAME_AXES + j, x[NODE_AXES + i] * -0.5);
            f(3 + row, NODE_AXES + i, x[FRAME_AXES + j] * -0.5);
        }
    }

    /// The gradients that vary, at x; of a bilinear function they are linear in x, so that at ẋ they are the
    /// rates of the gradients.
    fn varying_gradients(x: &[Vec3], g: &mut Gradients) {
        for i in 0..3 {
            g.push(i, NODE, x[FRAME_AXES + i]);
            g.push(i, FRAME, -x[FRAME_AXES + i]);
            g.push(i, FRAME_AXES + i, x[NODE] - x[FRAME]);
        }
        Self::axial_gradients(x, |row, a, value| g.push(row, a, value));
    }
}

/// Σ_k shape_k q_k for the numbers in `x`.
fn combined(shapes: &[Vec3], x: &[Vec3]) -> Vec3 {
    shapes.iter().zip(&x[NUMBERS..]).fold(Vec3::zeros(), |sum, (shape, q)| sum + shape * q.x)
}

impl Constraint for Interface {
    fn kind(&self) -> &'static str {
        "interface"
    }

    fn noun(&self) -> &'static str {
        "interface"
    }

    fn row_name(&self, k: usize) -> &'static str {
        ["place along x", "place along y", "place along z", "rotation 1", "rotation 2", "rotation 3"][k]
    }

    fn rows(&self) -> usize {
        6
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn reaction_point(&self) -> usize {
        NODE
    }

    fn residual(&self, at: &Configuration, phi: &mut [f64]) {
        let place = self.place + combined(&self.displacements, at.x);
        let small = combined(&self.rotations, at.x);
        let apart = at.x[NODE] - at.x[FRAME];
        (0..3).for_each(|i| phi[i] = at.x[FRAME_AXES + i].dot(&apart) - place[i]);
        for (row, i, j) in AXIAL {
            let pair = at.x[FRAME_AXES + i].dot(&at.x[NODE_AXES + j]);
            let other = at.x[FRAME_AXES + j].dot(&at.x[NODE_AXES + i]);
            phi[3 + row] = 0.5 * (pair - other) - small[row];
        }
        self.second_gradients(at.x, |row, k, slope| phi[row] += 0.5 * slope * at.x[NUMBERS + k].x);
    }

    fn gradients(&self, at: &Configuration, g: &mut Gradients) {
        for (first, shapes) in [(0, &self.displacements), (3, &self.rotations)] {
            for (k, shape) in shapes.iter().enumerate() {
                (0..3).for_each(|i| g.push(first + i, NUMBERS + k, Vec3::new(-shape[i], 0.0, 0.0)));
            }
        }
        Self::varying_gradients(at.x, g);
        self.second_gradients(at.x, |row, k, slope| g.push(row, NUMBERS + k, Vec3::x() * slope));
    }

    fn rate_gradients(&self, _at: &Configuration, xdot: &[Vec3], g: &mut Gradients) {
        Self::varying_gradients(xdot, g);
        self.second_gradients(xdot, |row, k, slope| g.push(row, NUMBERS + k, Vec3::x() * slope));
    }

    fn hessian(&self, _at: &Configuration, lambda: &[f64], h: &mut Blocks) {
        for (i, lambda) in lambda[..3].iter().enumerate() {
            let block = Mat3::from_diagonal_element(*lambda);
            for (a, block) in [(NODE, block), (FRAME, -block)] {
                h.push(FRAME_AXES + i, a, block);
                h.push(a, FRAME_AXES + i, block);
            }
        }
        for (row, i, j) in AXIAL {
            let half = Mat3::from_diagonal_element(0.5 * lambda[3 + row]);
            for (a, b, block) in
                [(FRAME_AXES + i, NODE_AXES + j, half), (FRAME_AXES + j, NODE_AXES + i, -half)]
            {
                h.push(a, b, block);
                h.push(b, a, block);
            }
        }
        let n = self.displacements.len();
        for (i, pair) in self.second.iter().enumerate() {
            let value: f64 = pair.iter().zip(lambda).map(|(g, lambda)| g * lambda).sum();
            let along = Mat3::from_diagonal(&Vec3::new(value, 0.0, 0.0));
            h.push(NUMBERS + i / n, NUMBERS + i % n, along);
        }
    }

    fn is_quadratic(&self) -> bool {
        true
    }
}
