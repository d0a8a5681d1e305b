//! A law of the state: efforts as functions of time and of what is read off the motion of the whole system.
//!
//! ```text
//! e_i = f_i(t, r₁, …, r_n),     r_j = r_j(x, ẋ)
//! ∂e_i/∂x_b = Σ_j ∂f_i/∂r_j ∂r_j/∂x_b,     ∂e_i/∂ẋ_b = Σ_j ∂f_i/∂r_j ∂r_j/∂ẋ_b
//! ```

use super::input_element::MAX_INPUTS;
use super::readings::{MAX_READINGS, Readings, StateLawError};
use crate::element_buffers::Blocks;
use crate::force::{Motion, Power};
use crate::nodes::carried::Carried;
use crate::reading::Reading;
use poinsot_expr::{Block, Engine, Function, Switch};
use poinsot_geometry::Vec3;

/// Most vectors that the inputs of an element push: those of a bushing.
pub(crate) const MAX_PUSHED: usize = 8;

/// B_ai of the inputs of an element.
pub(crate) type Directions = [[Vec3; MAX_PUSHED]; MAX_INPUTS];

/// Efforts as functions of time and readings, for an element with vectors of its own.
#[derive(Clone, Debug)]
pub struct StateLaw {
    /// What it reads.
    pub readings: Readings,
    code: Block,
    switches: Vec<Switch>,
}

impl StateLaw {
    /// The law of functions of (t, r₁, …, r_n) for an element whose own vectors are `carried`, to which those
    /// of the readings are added.
    pub fn new(
        carried: &mut Vec<Carried>,
        readings: Vec<Reading>,
        efforts: &[Function],
    ) -> Result<Self, StateLawError> {
        let readings = Readings::new(carried, readings)?;
        let functions: Vec<&Function> = efforts.iter().collect();
        let code = Block::of(&functions, readings.len() + 1, &|i| i > 0, Engine::default());
        Ok(StateLaw { readings, code, switches: merged_switches(efforts) })
    }

    /// Functions of (t, r₁, …, r_n) whose passing a level is a kink or a jump.
    pub fn switches(&self) -> &[Switch] {
        &self.switches
    }

    /// (t, r₁, …, r_n).
    pub(crate) fn arguments(&self, at: &Motion) -> [f64; MAX_READINGS + 1] {
        let mut arguments = [0.0; MAX_READINGS + 1];
        arguments[0] = at.t;
        self.readings.values(at, &mut arguments[1..]);
        arguments
    }

    /// e_i.
    pub(crate) fn efforts(&self, at: &Motion) -> [f64; MAX_INPUTS] {
        let mut efforts = [0.0; MAX_INPUTS];
        self.code.eval(&self.arguments(at), &mut efforts);
        efforts
    }

    /// e_i; B_ai ∂e_i/∂x_b times the first factor into `k`, B_ai ∂e_i/∂ẋ_b times the second into `c`.
    pub(crate) fn linearize(
        &self,
        at: &Motion,
        directions: &Directions,
        k: (&mut Blocks, f64),
        c: (&mut Blocks, f64),
    ) -> [f64; MAX_INPUTS] {
        let (mut efforts, mut partials) = ([0.0; MAX_INPUTS], [0.0; MAX_INPUTS * MAX_READINGS]);
        self.code.eval_derivatives(&self.arguments(at), &mut efforts, &mut partials);
        let along = |j: usize| {
            let mut along = [Vec3::zeros(); MAX_PUSHED];
            let entries = self.code.entries().iter().zip(&partials);
            for (&(i, _), partial) in entries.filter(|((_, argument), _)| *argument == j + 1) {
                along.iter_mut().zip(&directions[i]).for_each(|(along, d)| *along += d * *partial);
            }
            along
        };
        self.readings.push_slopes(at, along, k, c);
        efforts
    }
}

/// The switches of functions with the same arguments, each once.
pub(crate) fn merged_switches(functions: &[Function]) -> Vec<Switch> {
    let mut switches: Vec<Switch> = vec![];
    for switch in functions.iter().flat_map(|f| f.switches()) {
        match switches.iter_mut().find(|known| *known == switch) {
            Some(known) => known.merge(switch),
            None => switches.push(switch.clone()),
        }
    }
    switches
}

/// What a law adds to the energy, by its sign.
pub(crate) fn booked(added: f64) -> Power {
    Power { supplied: added.max(0.0), dissipated: (-added).max(0.0) }
}
