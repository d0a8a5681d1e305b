//! Laws of loads and moments per length that read the state: the place and motion of the section that they
//! act on, and anything else of the system. Where the section is, the element says.
//!
//! ```text
//! q_i = q_i(t, s, x, ẋ, d₁, d₂, d₃, r, ρ)
//! ```

use crate::element_buffers::MAX_CARRIED;
use crate::force::Motion;
use crate::forces::{Readings, StateLawError, merged_switches, place_of};
use crate::nodes::carried::Carried;
use crate::reaction_reading::{MAX_REACTIONS, ReactionReading};
use crate::reading::Reading;
use crate::variable_reading::VariableReading;
use poinsot_expr::{Block, Engine, Function, Switch};
use poinsot_geometry::Vec3;

/// Arguments before the readings: t, s, and five vectors of the section.
pub const SECTION_ARGUMENTS: usize = 17;
/// The arc length among the arguments.
const ARC_LENGTH: usize = 1;
/// The section's vectors among the arguments: x, ẋ, d₁, d₂, d₃.
const FIRST_VECTOR: usize = 2;
pub(crate) const SECTION_VECTORS: usize = 5;
/// Their components.
pub(crate) const SECTION_COMPONENTS: usize = 3 * SECTION_VECTORS;
/// ẋ among them.
pub(crate) const VELOCITY: usize = 1;

/// What a law along a line reads besides the section: readings, reactions and variables.
pub type LineReadings = (Vec<Reading>, Vec<ReactionReading>, Vec<VariableReading>);

/// What an argument of a law is.
pub(crate) enum LawArgument {
    /// A component of the vectors of the section.
    Section(usize),
    /// A reading, reaction or variable.
    Read(usize),
}

/// Three components that follow the state.
#[derive(Clone, Debug)]
pub(crate) struct LineLaw {
    pub readings: Readings,
    reactions: Vec<ReactionReading>,
    variables: Vec<VariableReading>,
    code: Block,
    switches: Vec<Switch>,
}

impl LineLaw {
    /// A law of functions of t, s, position, velocity, d₁, d₂, d₃ (three components each), the readings, the
    /// reactions and the variables. What they carry is added to `carried`.
    pub fn new(
        carried: &mut Vec<Carried>,
        (readings, mut reactions, variables): LineReadings,
        law: &[Function; 3],
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
        let functions = law.each_ref();
        let inputs = SECTION_ARGUMENTS + readings.len() + pressing;
        let code = Block::of(&functions, inputs, &|i| i >= FIRST_VECTOR, Engine::default());
        let mut switches = merged_switches(law);
        // The arc length of a point stays what it is.
        switches.retain(|switch| (0..inputs).any(|i| i != ARC_LENGTH && switch.depends_on(i)));
        Ok(LineLaw { readings, reactions, variables, code, switches })
    }

    /// How many arguments it has.
    pub fn count(&self) -> usize {
        SECTION_ARGUMENTS + self.read()
    }

    /// How many partial derivatives it has.
    pub fn partials(&self) -> usize {
        self.code.entries().len()
    }

    /// How many readings, reactions and variables it has.
    pub fn read(&self) -> usize {
        self.readings.len() + self.reactions.len() + self.variables.len()
    }

    /// Place of reaction or variable j among those.
    pub fn pressing(&self, j: usize) -> usize {
        self.readings.len() + j
    }

    pub fn is_pressed(&self) -> bool {
        !self.reactions.is_empty() || !self.variables.is_empty()
    }

    pub fn reactions(&self) -> &[ReactionReading] {
        &self.reactions
    }

    pub fn variables(&self) -> &[VariableReading] {
        &self.variables
    }

    /// Whether it reads a vector of the section.
    pub fn reads(&self, vector: usize) -> bool {
        let components = FIRST_VECTOR + 3 * vector..FIRST_VECTOR + 3 * vector + 3;
        self.code.entries().iter().any(|(_, i)| components.contains(i))
    }

    /// Arguments that are the same at all points: readings, reactions and variables.
    pub fn fill_read(&self, at: &Motion, arguments: &mut [f64]) {
        let (readings, pressing) = arguments[SECTION_ARGUMENTS..].split_at_mut(self.readings.len());
        self.readings.values(at, readings);
        pressing.iter_mut().zip(at.reactions).for_each(|(out, reaction)| *out = *reaction);
    }

    /// Arguments of a section besides these.
    pub fn fill_section(t: f64, s: f64, section: &[Vec3; SECTION_VECTORS], arguments: &mut [f64]) {
        arguments[0] = t;
        arguments[ARC_LENGTH] = s;
        for (place, vector) in arguments[FIRST_VECTOR..].chunks_exact_mut(3).zip(section) {
            place.copy_from_slice(vector.as_slice());
        }
    }

    /// q_i.
    pub fn value(&self, arguments: &[f64]) -> [f64; 3] {
        let mut q = [0.0; 3];
        self.code.eval(arguments, &mut q);
        q
    }

    /// q_i, and ∂q_i by each argument it depends on.
    pub fn slopes(
        &self,
        arguments: &[f64],
        partials: &mut [f64],
        mut each: impl FnMut(usize, LawArgument, f64),
    ) -> [f64; 3] {
        let mut q = [0.0; 3];
        self.code.eval_derivatives(arguments, &mut q, partials);
        // As with laws of forces: where there is no slope, Newton's method goes on without it.
        for (&(i, argument), partial) in self.code.entries().iter().zip(&*partials) {
            if !partial.is_finite() {
                continue;
            }
            let argument = match argument.checked_sub(SECTION_ARGUMENTS) {
                None => LawArgument::Section(argument - FIRST_VECTOR),
                Some(j) => LawArgument::Read(j),
            };
            each(i, argument, *partial);
        }
        q
    }

    pub fn switches(&self) -> &[Switch] {
        &self.switches
    }

    /// Whether a switch depends on reactions.
    pub fn reads_reactions(&self, switch: &Switch) -> bool {
        let first = SECTION_ARGUMENTS + self.readings.len();
        (first..first + self.reactions.len()).any(|i| switch.depends_on(i))
    }

    /// Whether a switch has another value at each point.
    pub fn is_local(&self, switch: &Switch) -> bool {
        (ARC_LENGTH..SECTION_ARGUMENTS).any(|i| switch.depends_on(i))
    }
}
