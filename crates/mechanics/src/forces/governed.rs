//! An element whose inputs follow a law of the state.
//!
//! ```text
//! f_a = f_a of the element + Σ_i e_i(t, r, ρ) B_ai(x)
//! ```
//! The law takes what it adds as power P = Σ_a f_a·ẋ_a: supplied where P > 0, dissipated where P < 0. Over a
//! step e is taken at the mean of the vectors and their mean rates, and its work is Σ_a f_a·(x⁺_a − x_a): a
//! force across the velocity, as that of a magnetic field, does none.

use super::input_element::InputElement;
use super::readings::StateLawError;
use super::state_law::{Pushing, StateLaw, booked};
use super::{Along, CoordinateElement, PiecewiseElement, PressedElement};
use crate::coordinate::Coordinate;
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::Blocks;
use crate::force::{Extensions, Force, Motion, Power};
use crate::nodes::carried::Carried;
use crate::reaction_reading::ReactionReading;
use crate::reading::Reading;
use crate::room::with_vectors;
use crate::variable_reading::VariableReading;
use poinsot_expr::{Function, Switch};
use poinsot_geometry::Vec3;

/// An element with a law for its inputs.
#[derive(Debug)]
pub struct Governed {
    element: Box<dyn Force>,
    carried: Vec<Carried>,
    law: StateLaw,
    /// Vectors and inputs of the element, and how many of its vectors the inputs push.
    own: usize,
    inputs: usize,
    pushed: usize,
    /// Whether there is nothing but the law.
    alone: bool,
}

impl Governed {
    /// The element with efforts that are functions of (t, r₁, …, r_n), one for each of its inputs.
    ///
    /// # Panics
    ///
    /// If the element has another number of inputs.
    pub fn new(
        element: Box<dyn Force>,
        readings: Vec<Reading>,
        efforts: &[Function],
    ) -> Result<Self, StateLawError> {
        Self::pressed(element, readings, vec![], efforts)
    }

    /// The element with efforts that are functions of (t, r₁, …, r_n, ρ₁, …, ρ_m): of readings and of
    /// reactions.
    ///
    /// # Panics
    ///
    /// If the element has another number of inputs.
    pub fn pressed(
        element: Box<dyn Force>,
        readings: Vec<Reading>,
        reactions: Vec<ReactionReading>,
        efforts: &[Function],
    ) -> Result<Self, StateLawError> {
        Self::reading(element, readings, (reactions, vec![]), efforts)
    }

    /// The same with variables of networks as the last of the ρ.
    ///
    /// # Panics
    ///
    /// If the element has another number of inputs.
    pub fn reading(
        element: Box<dyn Force>,
        readings: Vec<Reading>,
        (reactions, variables): (Vec<ReactionReading>, Vec<VariableReading>),
        efforts: &[Function],
    ) -> Result<Self, StateLawError> {
        let input = element.extensions().input;
        let (inputs, pushed) = input.map_or((0, 0), |input| (input.inputs(), input.pushed()));
        let alone = input.is_some_and(InputElement::is_idle);
        assert_eq!(inputs, efforts.len(), "as many efforts as the element has inputs");
        let mut carried = element.carried().to_vec();
        let own = carried.len();
        let against = element.extensions().input.and_then(InputElement::against);
        let law = StateLaw::new(&mut carried, readings, reactions, variables, efforts)?;
        let law = law.pulling_against(against);
        Ok(Governed { element, carried, law, own, inputs, pushed, alone })
    }

    /// What the element itself sees.
    fn own<'a>(&self, at: &Motion<'a>) -> Motion<'a> {
        let n = self.own;
        let memory = &at.memory[self.law.readings.len()..];
        Motion { t: at.t, x: &at.x[..n], xdot: &at.xdot[..n], memory, reactions: &[] }
    }

    /// What the element itself sees of a step.
    fn own_step<'a>(&self, step: &StepEnds<'a>) -> StepEnds<'a> {
        let n = self.own;
        StepEnds {
            from: &step.from[..n],
            to: &step.to[..n],
            mean: &step.mean[..n],
            rate: &step.rate[..n],
            memory: &step.memory[self.law.readings.len()..],
            reactions: &[],
            ..*step
        }
    }

    fn input(&self) -> &dyn InputElement {
        self.element.extensions().input.expect("the element has inputs: it was made with them")
    }

    /// Whether the law reads reactions or variables.
    fn is_pressed(&self) -> bool {
        !self.law.reactions().is_empty() || !self.law.variables().is_empty()
    }

    /// How the law pushes the element by `push`.
    fn pushing<F: Fn(&[f64], &mut [Vec3])>(&self, at_instant: bool, push: F) -> Pushing<F> {
        Pushing { vectors: self.pushed, inputs: self.inputs, at_instant, push }
    }

    /// Σ_a f_a·v_a of the forces that `push` makes of the law's efforts.
    fn booked(&self, at: &Motion, v: impl Fn(usize) -> Vec3, push: impl Fn(&[f64], &mut [Vec3])) -> Power {
        let efforts = self.law.efforts(at);
        with_vectors(self.own, |f| {
            push(&efforts[..self.inputs], f);
            booked(f.iter().enumerate().map(|(a, f)| f.dot(&v(a))).sum())
        })
    }
}

impl Force for Governed {
    fn kind(&self) -> &'static str {
        self.element.kind()
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        let (own, input) = (self.own(at), self.input());
        if !self.alone {
            self.element.force(&own, &mut f[..own.x.len()]);
        }
        let efforts = self.law.efforts(at);
        input.push(&efforts[..self.inputs], &own, f);
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, c: &mut Blocks) {
        let (own, input) = (self.own(at), self.input());
        if !self.alone {
            self.element.tangent(&own, k, c);
        }
        let pushing = self.pushing(true, |unit, f| input.push(unit, &own, f));
        let efforts = self.law.linearize(at, &pushing, (k, 1.0), (c, 1.0));
        input.push_tangent(&efforts[..self.inputs], &own, k);
    }

    fn sees_velocity(&self) -> bool {
        self.law.readings.see_velocity() || (!self.alone && self.element.sees_velocity())
    }

    fn potential(&self, at: &Motion) -> f64 {
        self.element.potential(&self.own(at))
    }

    fn power(&self, at: &Motion) -> Power {
        let own = self.element.power(&self.own(at));
        let law = self.booked(at, |a| at.xdot[a], |e, f| self.input().push(e, &self.own(at), f));
        Power { supplied: own.supplied + law.supplied, dissipated: own.dissipated + law.dissipated }
    }

    fn angular_momentum(&self, at: &Motion) -> Vec3 {
        self.element.angular_momentum(&self.own(at))
    }

    fn is_gyroscopic(&self) -> bool {
        self.element.is_gyroscopic()
    }

    fn is_active(&self) -> bool {
        // A push that follows a reaction has no potential, as one that follows a velocity has none.
        self.law.readings.see_velocity() || self.is_pressed() || self.element.is_active()
    }

    fn memories(&self) -> usize {
        self.law.readings.len() + self.element.memories()
    }

    fn start_memory(&self, near: &dyn Fn(&Coordinate) -> f64, memory: &mut [f64]) {
        let (law, own) = memory.split_at_mut(self.law.readings.len());
        self.law.readings.start_memory(near, law);
        self.element.start_memory(near, own);
    }

    fn remember(&self, at: &Motion, memory: &mut [f64]) {
        let (law, own) = memory.split_at_mut(self.law.readings.len());
        self.law.readings.values(at, law);
        self.element.remember(&self.own(at), own);
    }

    fn discrete_force(&self, step: &StepEnds, f: &mut [Vec3]) {
        let own = self.own_step(step);
        self.element.discrete_force(&own, &mut f[..own.to.len()]);
        let (efforts, input) = (self.law.efforts(&step.motion()), self.input());
        input.push_over_step(&efforts[..self.inputs], &own, f);
    }

    fn discrete_tangent(&self, step: &StepEnds, k: &mut Blocks, c: &mut Blocks) {
        let (own, input) = (self.own_step(step), self.input());
        self.element.discrete_tangent(&own, k, c);
        let pushing = self.pushing(false, |unit, f| input.push_over_step(unit, &own, f));
        c.clear();
        let efforts = self.law.linearize(&step.motion(), &pushing, (k, 0.5), (c, 1.0 / step.h));
        input.push_tangent_over_step(&efforts[..self.inputs], &own, k);
        c.entries().iter().for_each(|block| k.push(block.a, block.b, block.value));
    }

    fn discrete_work(&self, step: &StepEnds) -> Power {
        let own_step = self.own_step(step);
        let own = self.element.discrete_work(&own_step);
        let push = |e: &[f64], f: &mut [Vec3]| self.input().push_over_step(e, &own_step, f);
        let law = self.booked(&step.motion(), |a| step.change(a), push);
        Power { supplied: own.supplied + law.supplied, dissipated: own.dissipated + law.dissipated }
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            coordinate: self.element.extensions().coordinate.map(|_| self as &dyn CoordinateElement),
            input: Some(self),
            piecewise: Some(self),
            pressed: self.is_pressed().then_some(self),
            ..Extensions::default()
        }
    }
}

/// More can be added to what the law adds.
impl InputElement for Governed {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn pushed(&self) -> usize {
        self.pushed
    }

    fn is_idle(&self) -> bool {
        false
    }

    fn push(&self, efforts: &[f64], at: &Motion, f: &mut [Vec3]) {
        self.input().push(efforts, &self.own(at), f);
    }

    fn push_tangent(&self, efforts: &[f64], at: &Motion, k: &mut Blocks) {
        self.input().push_tangent(efforts, &self.own(at), k);
    }

    fn push_over_step(&self, efforts: &[f64], step: &StepEnds, f: &mut [Vec3]) {
        self.input().push_over_step(efforts, &self.own_step(step), f);
    }

    fn push_tangent_over_step(&self, efforts: &[f64], step: &StepEnds, k: &mut Blocks) {
        self.input().push_tangent_over_step(efforts, &self.own_step(step), k);
    }
}

impl PressedElement for Governed {
    fn reactions(&self) -> &[ReactionReading] {
        self.law.reactions()
    }

    fn variables(&self) -> &[VariableReading] {
        self.law.variables()
    }

    fn by_reaction(&self, j: usize, at: &Motion, f: &mut [Vec3]) {
        let (own, input) = (self.own(at), self.input());
        let n = self.inputs;
        self.law.by_reaction(j, at, |column| input.push(&column[..n], &own, f));
    }

    fn by_reaction_over_step(&self, j: usize, step: &StepEnds, f: &mut [Vec3]) {
        let (own, input) = (self.own_step(step), self.input());
        let n = self.inputs;
        self.law.by_reaction(j, &step.motion(), |column| input.push_over_step(&column[..n], &own, f));
    }
}

impl CoordinateElement for Governed {
    fn along(&self, at: &Motion) -> Along {
        let own = self.element.extensions().coordinate.map(|element| element.along(&self.own(at)));
        let own = own.unwrap_or(Along { value: 0.0, rate: 0.0, force: 0.0 });
        Along { force: own.force + self.law.efforts(at)[0], ..own }
    }
}

impl PiecewiseElement for Governed {
    fn switches(&self) -> Vec<Switch> {
        self.law.switches().to_vec()
    }

    fn switch_arguments(&self, at: &Motion, arguments: &mut Vec<f64>) {
        let from = arguments.len();
        arguments.resize(from + self.law.count(), 0.0);
        self.law.arguments(at, &mut arguments[from..]);
    }

    fn reads_reactions(&self, switch: &Switch) -> bool {
        self.law.reads_reactions(switch)
    }
}
