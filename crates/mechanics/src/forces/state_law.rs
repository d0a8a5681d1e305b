//! A law of the state: efforts as functions of time and of what is read off the motion of the whole system.
//!
//! ```text
//! e_i = f_i(t, r₁, …, r_n),     r_j = r_j(x, ẋ)
//! ∂e_i/∂x_b = Σ_j ∂f_i/∂r_j ∂r_j/∂x_b,     ∂e_i/∂ẋ_b = Σ_j ∂f_i/∂r_j ∂r_j/∂ẋ_b
//! ```

use super::input_element::MAX_INPUTS;
use crate::element_buffers::{Blocks, MAX_CARRIED};
use crate::force::Motion;
use crate::nodes::carried::Carried;
use crate::reading::Reading;
use poinsot_expr::{Block, Engine, Function, Switch};
use poinsot_geometry::Vec3;

/// Most readings of a law.
pub const MAX_READINGS: usize = 32;
/// Most carried vectors of a reading.
const MAX_READ: usize = 4;

/// Efforts as functions of time and readings, for an element with vectors of its own.
#[derive(Clone, Debug)]
pub struct StateLaw {
    readings: Vec<Reading>,
    /// Places of each reading's vectors among those of the element.
    vectors: Vec<Vec<usize>>,
    code: Block,
    switches: Vec<Switch>,
}

/// A law that reads too much for one element.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateLawError {
    /// More readings than a law may have.
    #[error("it reads {0} quantities, and a law may read {MAX_READINGS}")]
    Readings(usize),
    /// More vectors than an element may have.
    #[error("it reads {0} points and directions, and a law may read {MAX_CARRIED} with those it acts on")]
    Vectors(usize),
}

/// Most vectors that the inputs of an element push: those of a bushing.
pub(crate) const MAX_PUSHED: usize = 8;

/// B_ai of the inputs of an element.
pub(crate) type Directions = [[Vec3; MAX_PUSHED]; MAX_INPUTS];

impl StateLaw {
    /// The law of functions of (t, r₁, …, r_n) for an element whose own vectors are `carried`, to which those
    /// of the readings are added.
    pub fn new(
        carried: &mut Vec<Carried>,
        readings: Vec<Reading>,
        efforts: &[Function],
    ) -> Result<Self, StateLawError> {
        if readings.len() > MAX_READINGS {
            return Err(StateLawError::Readings(readings.len()));
        }
        let mut place = |c: &Carried| match carried.iter().position(|known| known == c) {
            Some(known) => known,
            None => {
                carried.push(*c);
                carried.len() - 1
            }
        };
        let vectors = readings.iter().map(|r| r.carried().iter().map(&mut place).collect()).collect();
        if carried.len() > MAX_CARRIED {
            return Err(StateLawError::Vectors(carried.len()));
        }
        let functions: Vec<&Function> = efforts.iter().collect();
        let code = Block::of(&functions, readings.len() + 1, &|i| i > 0, Engine::default());
        let mut switches: Vec<Switch> = vec![];
        for switch in efforts.iter().flat_map(|f| f.switches()) {
            match switches.iter_mut().find(|known| *known == switch) {
                Some(known) => known.merge(switch),
                None => switches.push(switch.clone()),
            }
        }
        Ok(StateLaw { readings, vectors, code, switches })
    }

    /// How many numbers it remembers.
    pub fn memories(&self) -> usize {
        self.readings.len()
    }

    /// What it remembers before the start.
    pub fn start_memory(&self, memory: &mut [f64]) {
        memory.iter_mut().zip(&self.readings).for_each(|(memory, r)| *memory = r.near());
    }

    /// What it remembers after a step.
    pub fn remember(&self, at: &Motion, memory: &mut [f64]) {
        for (j, memory) in memory.iter_mut().enumerate() {
            *memory = self.reading(j, at);
        }
    }

    /// Whether a reading depends on velocities.
    pub fn sees_velocity(&self) -> bool {
        self.readings.iter().any(Reading::is_speed)
    }

    /// Functions of (t, r₁, …, r_n) whose passing a level is a kink or a jump.
    pub fn switches(&self) -> &[Switch] {
        &self.switches
    }

    /// The vectors of reading j of those of the element.
    fn gather(&self, j: usize, all: &[Vec3]) -> [Vec3; MAX_READ] {
        let mut own = [Vec3::zeros(); MAX_READ];
        own.iter_mut().zip(&self.vectors[j]).for_each(|(own, &place)| *own = all[place]);
        own
    }

    fn reading(&self, j: usize, at: &Motion) -> f64 {
        let n = self.vectors[j].len();
        self.readings[j].value(&self.gather(j, at.x)[..n], &self.gather(j, at.xdot)[..n], at.memory[j])
    }

    /// (t, r₁, …, r_n); of `at.memory` the first numbers are the law's.
    pub(crate) fn arguments(&self, at: &Motion) -> [f64; MAX_READINGS + 1] {
        let mut arguments = [0.0; MAX_READINGS + 1];
        arguments[0] = at.t;
        for (j, argument) in arguments[1..=self.readings.len()].iter_mut().enumerate() {
            *argument = self.reading(j, at);
        }
        arguments
    }

    /// e_i.
    pub(crate) fn efforts(&self, at: &Motion) -> [f64; MAX_INPUTS] {
        let mut efforts = [0.0; MAX_INPUTS];
        self.code.eval(&self.arguments(at), &mut efforts);
        efforts
    }

    /// e_i, and B_ai ∂e_i/∂x_b times the first factor into `k`, B_ai ∂e_i/∂ẋ_b times the second into `c`, for
    /// directions on the first `pushed` vectors.
    pub(crate) fn linearize(
        &self,
        at: &Motion,
        (directions, pushed): (&Directions, usize),
        (k, by_position): (&mut Blocks, f64),
        (c, by_velocity): (&mut Blocks, f64),
    ) {
        let (mut efforts, mut partials) = ([0.0; MAX_INPUTS], [0.0; MAX_INPUTS * MAX_READINGS]);
        self.code.eval_derivatives(&self.arguments(at), &mut efforts, &mut partials);
        for (j, (reading, vectors)) in self.readings.iter().zip(&self.vectors).enumerate() {
            let mut along = [Vec3::zeros(); MAX_PUSHED];
            for ((i, _), partial) in self.entries_of(j, &partials) {
                along.iter_mut().zip(&directions[i]).for_each(|(along, d)| *along += d * partial);
            }
            let (n, x, xdot) = (vectors.len(), self.gather(j, at.x), self.gather(j, at.xdot));
            let slope = reading.by_position(&x[..n], &xdot[..n]);
            push_outer_all(&along[..pushed], vectors, &slope, by_position, k);
            if let Some(weights) = reading.by_velocity(&x[..n]) {
                push_outer_all(&along[..pushed], vectors, &weights, by_velocity, c);
            }
        }
    }

    /// The derivatives by reading j.
    fn entries_of<'a>(
        &'a self,
        j: usize,
        partials: &'a [f64],
    ) -> impl Iterator<Item = ((usize, usize), f64)> + 'a {
        let all = self.code.entries().iter().zip(partials);
        all.filter(move |((_, argument), _)| *argument == j + 1).map(|(&entry, &partial)| (entry, partial))
    }
}

/// Adds the blocks left_a ⊗ right_b times a factor; right vectors stand at `places`.
fn push_outer_all(left: &[Vec3], places: &[usize], right: &[Vec3], factor: f64, out: &mut Blocks) {
    for (&b, right) in places.iter().zip(right).filter(|(_, right)| **right != Vec3::zeros()) {
        for (a, left) in left.iter().enumerate().filter(|(_, left)| **left != Vec3::zeros()) {
            out.push_outer(a, b, &(left * factor), right);
        }
    }
}
