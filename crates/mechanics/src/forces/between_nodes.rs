//! A force at places between nodes: it is written for vectors of its own, and these are sums of vectors that
//! nodes carry.
//!
//! ```text
//! y_i = Σ_a w_ia x_a,     ẏ_i = Σ_a w_ia ẋ_a
//! f_a = Σ_i w_ia f_i(y, ẏ, t),     ∂f_a/∂x_b = Σ_ij w_ia w_jb ∂f_i/∂y_j,     likewise by ẋ_b
//! Σ_a f_a·(x⁺_a − x_a) = Σ_i f_i·(y⁺_i − y_i)
//! ```
//! As the weights do not change, a discrete gradient by the y is one by the x, and work, power and potential
//! are those of the force itself.

use super::{Along, CoordinateElement, InputElement, PiecewiseElement, PressedElement};
use crate::coordinate::Coordinate;
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::{Blocks, MAX_CARRIED};
use crate::force::{Extensions, Force, Motion, Power};
use crate::nodes::between::Terms;
use crate::nodes::carried::Carried;
use crate::reaction_reading::ReactionReading;
use crate::variable_reading::VariableReading;
use poinsot_expr::Switch;
use poinsot_geometry::Vec3;

/// A force on vectors that are sums of carried ones.
#[derive(Debug)]
pub struct BetweenNodes {
    force: Box<dyn Force>,
    carried: Vec<Carried>,
    /// w_ia: of each vector of the force the carried ones and their weights.
    terms: Vec<Terms>,
}

/// Room for the vectors of the force.
type Own = [Vec3; MAX_CARRIED];

const NOTHING: Own = [Vec3::new(0.0, 0.0, 0.0); MAX_CARRIED];

impl BetweenNodes {
    /// The force whose vector i is the sum of these carried vectors, by their places and weights.
    ///
    /// # Panics
    ///
    /// If the force has more vectors than an element may have, or another number than there are sums.
    pub(crate) fn new(force: Box<dyn Force>, carried: Vec<Carried>, terms: Vec<Terms>) -> Self {
        assert!(terms.len() == force.carried().len() && terms.len() <= MAX_CARRIED, "a sum for each vector");
        BetweenNodes { force, carried, terms }
    }

    /// y of x.
    fn own(&self, x: &[Vec3]) -> Own {
        let mut y = NOTHING;
        for (y, terms) in y.iter_mut().zip(&self.terms) {
            *y = terms.iter().map(|(a, weight)| x[*a] * *weight).sum();
        }
        y
    }

    /// Works with what the force itself sees.
    fn seen<R>(&self, at: &Motion, work: impl FnOnce(&Motion) -> R) -> R {
        let (y, ydot, n) = (self.own(at.x), self.own(at.xdot), self.terms.len());
        work(&Motion { x: &y[..n], xdot: &ydot[..n], ..*at })
    }

    /// Works with what the force itself sees of a step.
    fn seen_step<R>(&self, step: &StepEnds, work: impl FnOnce(&StepEnds) -> R) -> R {
        let [from, to, mean, rate] = [step.from, step.to, step.mean, step.rate].map(|x| self.own(x));
        let n = self.terms.len();
        work(&StepEnds { from: &from[..n], to: &to[..n], mean: &mean[..n], rate: &rate[..n], ..*step })
    }

    /// Adds Σ_i w_ia f_i of what is pushed.
    fn spread(&self, f: &mut [Vec3], push: impl FnOnce(&mut [Vec3])) {
        let mut own = NOTHING;
        push(&mut own[..self.terms.len()]);
        for (own, terms) in own.iter().zip(&self.terms) {
            terms.iter().for_each(|(a, weight)| f[*a] += own * *weight);
        }
    }

    /// Makes the blocks from the given one on, by y, blocks by x.
    fn spread_blocks(&self, from: usize, k: &mut Blocks) {
        k.replace(from, |block, out| {
            for (a, left) in &self.terms[block.a] {
                for (b, right) in &self.terms[block.b] {
                    out.push(*a, *b, block.value * (left * right));
                }
            }
        });
    }

    fn input(&self) -> &dyn InputElement {
        self.force.extensions().input.expect("asked only of forces with inputs")
    }

    fn piecewise(&self) -> &dyn PiecewiseElement {
        self.force.extensions().piecewise.expect("asked only of forces with kinks")
    }

    fn pressed(&self) -> &dyn PressedElement {
        self.force.extensions().pressed.expect("asked only of forces that read reactions")
    }
}

impl Force for BetweenNodes {
    fn kind(&self) -> &'static str {
        self.force.kind()
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        self.seen(at, |own| self.spread(f, |f| self.force.force(own, f)));
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, c: &mut Blocks) {
        let from = [k.entries().len(), c.entries().len()];
        self.seen(at, |own| self.force.tangent(own, k, c));
        self.spread_blocks(from[0], k);
        self.spread_blocks(from[1], c);
    }

    fn sees_velocity(&self) -> bool {
        self.force.sees_velocity()
    }

    fn potential(&self, at: &Motion) -> f64 {
        self.seen(at, |own| self.force.potential(own))
    }

    fn power(&self, at: &Motion) -> Power {
        self.seen(at, |own| self.force.power(own))
    }

    fn angular_momentum(&self, at: &Motion) -> Vec3 {
        self.seen(at, |own| self.force.angular_momentum(own))
    }

    fn is_gyroscopic(&self) -> bool {
        self.force.is_gyroscopic()
    }

    fn is_active(&self) -> bool {
        self.force.is_active()
    }

    fn memories(&self) -> usize {
        self.force.memories()
    }

    fn start_memory(&self, near: &dyn Fn(&Coordinate) -> f64, memory: &mut [f64]) {
        self.force.start_memory(near, memory);
    }

    fn remember(&self, at: &Motion, memory: &mut [f64]) {
        self.seen(at, |own| self.force.remember(own, memory));
    }

    fn discrete_force(&self, step: &StepEnds, f: &mut [Vec3]) {
        self.seen_step(step, |own| self.spread(f, |f| self.force.discrete_force(own, f)));
    }

    fn discrete_tangent(&self, step: &StepEnds, k: &mut Blocks, c: &mut Blocks) {
        let from = k.entries().len();
        self.seen_step(step, |own| self.force.discrete_tangent(own, k, c));
        self.spread_blocks(from, k);
    }

    fn discrete_work(&self, step: &StepEnds) -> Power {
        self.seen_step(step, |own| self.force.discrete_work(own))
    }

    fn extensions(&self) -> Extensions<'_> {
        let own = self.force.extensions();
        Extensions {
            coordinate: own.coordinate.map(|_| self as &dyn CoordinateElement),
            input: own.input.map(|_| self as &dyn InputElement),
            piecewise: own.piecewise.map(|_| self as &dyn PiecewiseElement),
            pressed: own.pressed.map(|_| self as &dyn PressedElement),
            ..Extensions::default()
        }
    }
}

impl CoordinateElement for BetweenNodes {
    fn along(&self, at: &Motion) -> Along {
        let still = Along { value: 0.0, rate: 0.0, force: 0.0 };
        let own = self.force.extensions().coordinate;
        own.map_or(still, |element| self.seen(at, |own| element.along(own)))
    }
}

/// The coordinate of the force is none of its vectors here, so [`InputElement::against`] has none.
impl InputElement for BetweenNodes {
    fn inputs(&self) -> usize {
        self.input().inputs()
    }

    /// Terms stand behind all others.
    fn pushed(&self) -> usize {
        self.carried.len()
    }

    fn is_idle(&self) -> bool {
        self.input().is_idle()
    }

    fn push(&self, efforts: &[f64], at: &Motion, f: &mut [Vec3]) {
        self.seen(at, |own| self.spread(f, |f| self.input().push(efforts, own, f)));
    }

    fn push_tangent(&self, efforts: &[f64], at: &Motion, k: &mut Blocks) {
        let from = k.entries().len();
        self.seen(at, |own| self.input().push_tangent(efforts, own, k));
        self.spread_blocks(from, k);
    }

    fn push_over_step(&self, efforts: &[f64], step: &StepEnds, f: &mut [Vec3]) {
        self.seen_step(step, |own| self.spread(f, |f| self.input().push_over_step(efforts, own, f)));
    }

    fn push_tangent_over_step(&self, efforts: &[f64], step: &StepEnds, k: &mut Blocks) {
        let from = k.entries().len();
        self.seen_step(step, |own| self.input().push_tangent_over_step(efforts, own, k));
        self.spread_blocks(from, k);
    }
}

/// Vectors that nodes carry stay where they are among those of the element, so that what the force reads of
/// reactions is found by its places.
impl PressedElement for BetweenNodes {
    fn reactions(&self) -> &[ReactionReading] {
        self.pressed().reactions()
    }

    fn variables(&self) -> &[VariableReading] {
        self.pressed().variables()
    }

    fn by_reaction(&self, j: usize, at: &Motion, f: &mut [Vec3]) {
        self.seen(at, |own| self.spread(f, |f| self.pressed().by_reaction(j, own, f)));
    }

    fn by_reaction_over_step(&self, j: usize, step: &StepEnds, f: &mut [Vec3]) {
        self.seen_step(step, |own| self.spread(f, |f| self.pressed().by_reaction_over_step(j, own, f)));
    }
}

impl PiecewiseElement for BetweenNodes {
    fn switches(&self) -> Vec<Switch> {
        self.piecewise().switches()
    }

    fn switch_arguments(&self, at: &Motion, arguments: &mut Vec<f64>) {
        self.seen(at, |own| self.piecewise().switch_arguments(own, arguments));
    }

    fn reads_reactions(&self, switch: &Switch) -> bool {
        self.piecewise().reads_reactions(switch)
    }

    fn places(&self) -> usize {
        self.piecewise().places()
    }

    fn is_local(&self, switch: &Switch) -> bool {
        self.piecewise().is_local(switch)
    }

    fn switch_arguments_at(&self, place: usize, at: &Motion, arguments: &mut Vec<f64>) {
        self.seen(at, |own| self.piecewise().switch_arguments_at(place, own, arguments));
    }
}
