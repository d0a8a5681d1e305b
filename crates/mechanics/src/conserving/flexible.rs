//! Flexible bodies in a conserving step; see [`crate::flexible`] for their natural coordinates.
//!
//! ```text
//! f_y = (2/h) M (Δy/h − w) − weight,   y = (r, A, Y_k),   Y_k = q_k A
//! on A: f_A − Σ_k Ȳ_k f_kᵀ Ā⁻ᵀ,      on q_k: Ā⁻ᵀ : f_k
//! ```
//! The rates of Y_k are kept in the directors of the number's [`FrameRate`].

use crate::assembly::{clear_rows, scatter_block};
use crate::conserving::Rule;
use crate::conserving::layout::Conserving;
use crate::conserving::step::{ConservingScratch, ConservingStep};
use crate::flexible::FlexibleInertia;
use crate::nodes::natural::FrameRate;
use poinsot_geometry::Mat3;

impl Conserving<'_> {
    /// Y_k⁺ − Y_k = q̄_k ΔA + Ā Δq_k of all shapes into what changes in the step.
    pub fn follow_shapes(&self, step: &mut ConservingStep) {
        for law in self.system.flexible() {
            let (turned, mean) = (step.change[law.frame()].rot, step.mean[law.frame()].rot);
            for k in 0..law.size() {
                let id = law.number(k);
                step.change[id].rot = turned * step.mean[id].r.x + mean * step.change[id].r.x;
            }
        }
    }

    /// Adds the weight of flexible bodies to what acts on frames and numbers.
    pub(super) fn add_flexible_weight(&self, step: &mut ConservingStep) {
        for law in self.system.flexible() {
            let id = law.frame();
            let mut own = self.flexible_weight(law);
            let tests = ProductTests::new(step, id);
            for k in 0..law.size() {
                let (weight, number) = (self.shape_weight(law, k), law.number(k));
                own.rot += tests.on_frame(&weight, &mean_product(step, id, number));
                step.applied[number].r.x += tests.on_number(&weight);
            }
            step.applied[id] = step.applied[id] + own;
        }
    }

    fn flexible_weight(&self, law: &FlexibleInertia) -> FrameRate {
        let g = &self.system.gravity;
        FrameRate { r: g * -law.mass(), rot: g * -law.integrals().first_moment.transpose() }
    }

    fn shape_weight(&self, law: &FlexibleInertia, k: usize) -> Mat3 {
        self.system.gravity * -law.integrals().mean[k].transpose()
    }

    /// (2/h)(Δy/h − w) of a node.
    fn jump(step: &ConservingStep, id: usize) -> FrameRate {
        (step.change[id] * (1.0 / step.h) - step.rates[id]) * (2.0 / step.h)
    }

    /// Inertia forces of flexible bodies into the forces on frames and numbers.
    pub(super) fn add_flexible_inertia(&self, step: &mut ConservingStep) {
        for law in self.system.flexible() {
            let id = law.frame();
            let jump = Self::jump(step, id);
            let mut own = law.frame_momentum(&jump, &|k: usize| Self::jump(step, law.number(k)).rot);
            let tests = ProductTests::new(step, id);
            for k in 0..law.size() {
                let number = law.number(k);
                let f = law.shape_momentum(k, &jump, &|l: usize| Self::jump(step, law.number(l)).rot);
                own.rot += tests.on_frame(&f, &mean_product(step, id, number));
                step.forces[number].r.x += tests.on_number(&f);
            }
            step.forces[id] = step.forces[id] + own;
        }
    }

    /// f_k, inertia less weight, on the products of shape k.
    fn product_force(&self, law: &FlexibleInertia, k: usize, step: &ConservingStep) -> Mat3 {
        let jump = Self::jump(step, law.frame());
        let inertia = law.shape_momentum(k, &jump, &|l: usize| Self::jump(step, law.number(l)).rot);
        inertia + self.shape_weight(law, k)
    }

    /// Their share of the step matrix:
    ///
    /// ```text
    /// δY_k⁺ = δq_k A⁺ + q_k⁺ δA⁺,   δȲ = ½ δY⁺,   δĀ⁻ᵀ = −½ Ā⁻ᵀ δA⁺ᵀ Ā⁻ᵀ,   δf = M δy⁺ + β …
    /// ```
    pub(super) fn add_flexible_matrix(
        &self,
        rule: Rule,
        step: &ConservingStep,
        beta: f64,
        values: &mut [f64],
        s: &mut ConservingScratch,
    ) {
        for (law, places) in self.system.flexible().zip(&self.flexible) {
            let unknowns = places.unknowns.len();
            self.load_directions(places, rule, step, s);
            clear_rows(&mut s.local[..unknowns], unknowns);
            let frame = law.frame();
            let own = self.nodes[frame].kind.dofs();
            let (end, tests) = (step.end[frame].rot, ProductTests::new(step, frame));
            for k in 0..law.size() {
                // Without a length of the step there is mass alone.
                let mass_alone = beta == 0.0;
                s.products[k] =
                    if mass_alone { Mat3::zeros() } else { self.product_force(law, k, step) * (-0.5 * beta) };
            }
            for j in 0..unknowns {
                let in_frame = j < own;
                let (rate, moved) = if in_frame {
                    let rot = Mat3::from_columns(&[s.trial[1][j], s.trial[2][j], s.trial[3][j]]);
                    (FrameRate { r: s.trial[0][j], rot }, None)
                } else {
                    (FrameRate::zero(), Some(j - own))
                };
                let products = |l: usize| match moved {
                    Some(k) if k == l => end,
                    Some(_) => Mat3::zeros(),
                    None => rate.rot * step.end[law.number(l)].r.x,
                };
                let mut f = law.frame_momentum(&rate, &products);
                let turned = tests.inverse * rate.rot.transpose() * tests.inverse;
                for k in 0..law.size() {
                    let p = law.shape_momentum(k, &rate, &products);
                    let mean = mean_product(step, frame, law.number(k));
                    // Half of the force itself, with the sign of the derivative of the inverse.
                    let held = &s.products[k];
                    f.rot += tests.on_frame(&p, &mean) - tests.on_frame(held, &products(k));
                    f.rot -= mean * held.transpose() * turned;
                    s.local[own + k][j] = tests.on_number(&p) + held.dot(&turned);
                }
                for i in 0..own {
                    let axes = (0..3).map(|a| s.test[1 + a][i].dot(&f.rot.column(a))).sum::<f64>();
                    s.local[i][j] = s.test[0][i].dot(&f.r) + axes;
                }
            }
            scatter_block(&s.local, &places.block, unknowns, 1.0, values);
        }
    }
}

/// No product, for each shape that there may be.
pub(super) fn no_products() -> Vec<Mat3> {
    vec![Mat3::zeros(); crate::element_buffers::MAX_SHAPES]
}

/// How the products are tested: Ā⁻ᵀ.
struct ProductTests {
    inverse: Mat3,
}

impl ProductTests {
    fn new(step: &ConservingStep, frame: usize) -> Self {
        // Mean directors are singular only where a step turns the body by half a turn, which is refused.
        let inverse = step.mean[frame].rot.try_inverse().unwrap_or_else(Mat3::identity);
        ProductTests { inverse: inverse.transpose() }
    }

    /// −Ȳ_k f_kᵀ Ā⁻ᵀ on the directors.
    fn on_frame(&self, f: &Mat3, mean: &Mat3) -> Mat3 {
        -(mean * f.transpose() * self.inverse)
    }

    /// Ā⁻ᵀ : f_k on the number.
    fn on_number(&self, f: &Mat3) -> f64 {
        self.inverse.dot(f)
    }
}

/// Ȳ_k = Y_k + ½ ΔY_k.
fn mean_product(step: &ConservingStep, frame: usize, number: usize) -> Mat3 {
    step.start[frame].rot * step.start[number].r.x + step.change[number].rot * 0.5
}
