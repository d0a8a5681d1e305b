//! A law of the state: efforts as functions of time, of what is read off the motion of the whole system, and
//! of reactions and variables of networks.
//!
//! ```text
//! e_i = f_i(t, r₁, …, r_n, ρ₁, …, ρ_m),     r_j = r_j(x, ẋ),     ρ_j = ρ_j(x, λ) or y_j
//! ∂e_i/∂x_b = Σ_j ∂f_i/∂r_j ∂r_j/∂x_b,     ∂e_i/∂ẋ_b = Σ_j ∂f_i/∂r_j ∂r_j/∂ẋ_b
//! ```

use super::input_element::MAX_INPUTS;
use super::readings::{MAX_READINGS, Readings, StateLawError, place_of};
use crate::element_buffers::{Blocks, MAX_CARRIED};
use crate::force::{Motion, Power};
use crate::nodes::carried::Carried;
use crate::reaction_reading::{MAX_REACTIONS, ReactionReading};
use crate::reading::Reading;
use crate::variable_reading::VariableReading;
use poinsot_expr::{Block, Engine, Function, Switch};
use poinsot_geometry::Vec3;

/// Most arguments of a law: the time, readings, reactions.
const MAX_ARGUMENTS: usize = 1 + MAX_READINGS + MAX_REACTIONS;
/// Most derivatives of a law.
const MAX_PARTIALS: usize = MAX_INPUTS * (MAX_READINGS + MAX_REACTIONS);

/// Most vectors that the inputs of an element push: those of a bushing.
pub(crate) const MAX_PUSHED: usize = 8;

/// B_ai of the inputs of an element.
pub(crate) type Directions = [[Vec3; MAX_PUSHED]; MAX_INPUTS];

/// Efforts as functions of time and readings, for an element with vectors of its own.
#[derive(Clone, Debug)]
pub struct StateLaw {
    /// What it reads of the motion.
    pub readings: Readings,
    reactions: Vec<ReactionReading>,
    variables: Vec<VariableReading>,
    code: Block,
    switches: Vec<Switch>,
}

impl StateLaw {
    /// The law of functions of (t, r₁, …, r_n, ρ₁, …, ρ_m) for an element whose own vectors are `carried`, to
    /// which those of the readings and reactions are added. The last of the ρ are variables.
    pub fn new(
        carried: &mut Vec<Carried>,
        readings: Vec<Reading>,
        mut reactions: Vec<ReactionReading>,
        variables: Vec<VariableReading>,
        efforts: &[Function],
    ) -> Result<Self, StateLawError> {
        let pressing = reactions.len() + variables.len();
        if pressing > MAX_REACTIONS {
            return Err(StateLawError::Reactions(pressing));
        }
        let readings = Readings::new(carried, readings)?;
        reactions.iter_mut().for_each(|reading| reading.put(&mut |c| place_of(c, carried)));
        if carried.len() > MAX_CARRIED {
            return Err(StateLawError::Vectors(carried.len()));
        }
        let functions: Vec<&Function> = efforts.iter().collect();
        let code = Block::of(&functions, readings.len() + 1 + pressing, &|i| i > 0, Engine::default());
        let switches = merged_switches(efforts);
        Ok(StateLaw { readings, reactions, variables, code, switches })
    }

    /// The reactions that it reads.
    pub fn reactions(&self) -> &[ReactionReading] {
        &self.reactions
    }

    /// The variables that it reads.
    pub fn variables(&self) -> &[VariableReading] {
        &self.variables
    }

    /// Whether a switch depends on reactions.
    pub(crate) fn reads_reactions(&self, switch: &Switch) -> bool {
        let first = 1 + self.readings.len();
        (first..first + self.reactions.len()).any(|i| switch.depends_on(i))
    }

    /// Functions of the arguments whose passing a level is a kink or a jump.
    pub fn switches(&self) -> &[Switch] {
        &self.switches
    }

    /// How many arguments the law has, the time among them.
    pub(crate) fn count(&self) -> usize {
        1 + self.readings.len() + self.reactions.len() + self.variables.len()
    }

    /// (t, r₁, …, r_n, ρ₁, …, ρ_m).
    pub(crate) fn arguments(&self, at: &Motion) -> [f64; MAX_ARGUMENTS] {
        let mut arguments = [0.0; MAX_ARGUMENTS];
        arguments[0] = at.t;
        self.readings.values(at, &mut arguments[1..]);
        arguments[1 + self.readings.len()..self.count()].copy_from_slice(at.reactions);
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
        let (efforts, partials) = self.slopes(at);
        self.readings.push_slopes(at, |j| self.along(j, &partials, directions), k, c);
        efforts
    }

    /// e_i and ∂e_i/∂r_j. Where a law has no slope, as drag v √(v₁² + v₂²) by the rules of derivatives at
    /// rest, or √(ρ₁² + ρ₂²) before the first reaction is known, Newton's method goes on without it.
    fn slopes(&self, at: &Motion) -> ([f64; MAX_INPUTS], [f64; MAX_PARTIALS]) {
        let (mut efforts, mut partials) = ([0.0; MAX_INPUTS], [0.0; MAX_PARTIALS]);
        self.code.eval_derivatives(&self.arguments(at), &mut efforts, &mut partials);
        partials.iter_mut().filter(|partial| !partial.is_finite()).for_each(|partial| *partial = 0.0);
        (efforts, partials)
    }

    /// Adds B_ai ∂e_i/∂ρ_j.
    pub(crate) fn by_reaction(&self, j: usize, at: &Motion, directions: &Directions, f: &mut [Vec3]) {
        let (_, partials) = self.slopes(at);
        let along = self.along(self.readings.len() + j, &partials, directions);
        f.iter_mut().zip(&along).for_each(|(f, along)| *f += along);
    }

    /// Σ_i B_ai ∂e_i/∂r_j, reactions behind the other readings.
    fn along(&self, j: usize, partials: &[f64], directions: &Directions) -> [Vec3; MAX_PUSHED] {
        let mut along = [Vec3::zeros(); MAX_PUSHED];
        let entries = self.code.entries().iter().zip(partials);
        for (&(i, _), partial) in entries.filter(|((_, argument), _)| *argument == j + 1) {
            along.iter_mut().zip(&directions[i]).for_each(|(along, d)| *along += d * *partial);
        }
        along
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
