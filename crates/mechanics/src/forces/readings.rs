//! What an element reads off the motion of the whole system, and how forces follow it.

use crate::coordinate::Coordinate;
use crate::element_buffers::{Blocks, MAX_CARRIED};
use crate::force::Motion;
use crate::nodes::carried::Carried;
use crate::reaction_reading::MAX_REACTIONS;
use crate::reading::Reading;
use poinsot_geometry::Vec3;

/// Most readings of a law.
pub const MAX_READINGS: usize = 32;
/// Most carried vectors of a reading.
const MAX_READ: usize = 4;

/// A law that reads too much for one element.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateLawError {
    /// More readings than a law may have.
    #[error("it reads {0} quantities, and a law may read {MAX_READINGS}")]
    Readings(usize),
    /// More reactions and variables than a law may read.
    #[error("it reads {0} reactions and variables, and a law may read {MAX_REACTIONS}")]
    Reactions(usize),
    /// More vectors than an element may have.
    #[error("it reads {0} points and directions, and a law may read {MAX_CARRIED} with those it acts on")]
    Vectors(usize),
}

/// Readings r_j(x, ẋ) of an element, with the places of their vectors among its own.
#[derive(Clone, Debug)]
pub struct Readings {
    list: Vec<Reading>,
    vectors: Vec<Vec<usize>>,
}

impl Readings {
    /// For an element whose own vectors are `carried`, to which those of the readings are added.
    pub fn new(carried: &mut Vec<Carried>, list: Vec<Reading>) -> Result<Self, StateLawError> {
        if list.len() > MAX_READINGS {
            return Err(StateLawError::Readings(list.len()));
        }
        let mut places = |r: &Reading| r.carried().iter().map(|c| place_of(c, carried)).collect();
        let vectors = list.iter().map(&mut places).collect();
        match carried.len() {
            n if n > MAX_CARRIED => Err(StateLawError::Vectors(n)),
            _ => Ok(Readings { list, vectors }),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether one of them depends on velocities.
    pub fn see_velocity(&self) -> bool {
        self.list.iter().any(Reading::is_speed)
    }

    /// What is remembered of them before the start.
    pub fn start_memory(&self, near: &dyn Fn(&Coordinate) -> f64, memory: &mut [f64]) {
        for (memory, reading) in memory.iter_mut().zip(&self.list) {
            *memory = reading.as_coordinate().map_or(0.0, near);
        }
    }

    /// r_j; the first numbers that the element remembers are those of its readings.
    #[inline]
    pub fn values(&self, at: &Motion, out: &mut [f64]) {
        for (j, (reading, vectors)) in self.list.iter().zip(&self.vectors).enumerate() {
            let (n, x, xdot) = (vectors.len(), gather(vectors, at.x), gather(vectors, at.xdot));
            out[j] = reading.value(&x[..n], &xdot[..n], at.memory[j]);
        }
    }

    /// Adds D_aj ⊗ ∂r_j/∂x_b times the first factor to `k` and D_aj ⊗ ∂r_j/∂ẋ_b times the second to `c`, for
    /// the directions D_aj = `along(j)[a]` in which the forces on the first vectors change with r_j.
    #[inline]
    pub fn push_slopes<const N: usize>(
        &self,
        at: &Motion,
        along: impl Fn(usize) -> [Vec3; N],
        (k, by_position): (&mut Blocks, f64),
        (c, by_velocity): (&mut Blocks, f64),
    ) {
        for (j, (reading, vectors)) in self.list.iter().zip(&self.vectors).enumerate() {
            let along = along(j);
            let (n, x, xdot) = (vectors.len(), gather(vectors, at.x), gather(vectors, at.xdot));
            push_all(&along, vectors, &reading.by_position(&x[..n], &xdot[..n]), by_position, k);
            if let Some(weights) = reading.by_velocity(&x[..n]) {
                push_all(&along, vectors, &weights, by_velocity, c);
            }
        }
    }
}

/// Where a vector stands among those of an element, to which it is added if need be.
pub(crate) fn place_of(c: &Carried, carried: &mut Vec<Carried>) -> usize {
    let known = carried.iter().position(|known| known == c);
    known.unwrap_or_else(|| {
        carried.push(*c);
        carried.len() - 1
    })
}

/// The vectors at some places.
#[inline]
fn gather(places: &[usize], all: &[Vec3]) -> [Vec3; MAX_READ] {
    let mut own = [Vec3::zeros(); MAX_READ];
    own.iter_mut().zip(places).for_each(|(own, &place)| *own = all[place]);
    own
}

/// Adds the blocks left_a ⊗ right_b times a factor; right vectors stand at `places`.
#[inline]
fn push_all(left: &[Vec3], places: &[usize], right: &[Vec3], factor: f64, out: &mut Blocks) {
    for (&b, right) in places.iter().zip(right).filter(|(_, right)| **right != Vec3::zeros()) {
        for (a, left) in left.iter().enumerate().filter(|(_, left)| **left != Vec3::zeros()) {
            out.push_outer(a, b, &(left * factor), right);
        }
    }
}
