//! What an element reads off the motion of the whole system, and how forces follow it.

use crate::coordinate::Coordinate;
use crate::element_buffers::MAX_CARRIED;
use crate::force::Motion;
use crate::nodes::carried::Carried;
use crate::reaction_reading::MAX_REACTIONS;
use crate::reading::Reading;
use crate::speed::Speed;
use poinsot_geometry::Vec3;
use std::ops::Range;

/// Most carried vectors of a reading.
const MAX_READ: usize = 4;

/// A law that reads too much for one element.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateLawError {
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
    sights: Vec<Sight>,
    /// The vectors x_b that readings depend on, then those whose ẋ_b they depend on, each once.
    columns: [Vec<usize>; 2],
}

/// What a slope is taken by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    Position,
    Velocity,
}

/// A coordinate, its rate or both, or another speed, as the readings `value` and `rate`.
#[derive(Clone, Debug)]
struct Sight {
    seen: Seen,
    value: Option<usize>,
    rate: Option<usize>,
    /// How many vectors it has, and where they stand among those of the element; behind them the first again.
    count: usize,
    places: [usize; MAX_READ],
    /// Whether they stand there one after the other.
    in_order: bool,
    /// Which of them it depends on by position and by velocity, and where these are among the columns.
    by: [Range<usize>; 2],
    columns: [[usize; MAX_READ]; 2],
}

/// What is seen.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    /// A world component of a vector: its slope is the unit vector.
    Component(Carried, usize),
    Coordinate(Coordinate),
    /// A speed that is no rate of a coordinate.
    Speed(Speed),
}

impl Readings {
    /// For an element whose own vectors are `carried`, to which those of the readings are added.
    pub fn new(carried: &mut Vec<Carried>, list: Vec<Reading>) -> Result<Self, StateLawError> {
        let (mut sights, mut columns) = (Vec::<Sight>::new(), [vec![], vec![]]);
        for (j, reading) in list.iter().enumerate() {
            let seen = Seen::of(reading);
            let known = sights.iter_mut().position(|s| s.seen == seen && s.slot(reading).is_none());
            let at = known.unwrap_or_else(|| {
                sights.push(Sight::new(seen, reading.carried(), carried));
                sights.len() - 1
            });
            sights[at].add(j, reading, &mut columns);
        }
        match carried.len() {
            n if n > MAX_CARRIED => Err(StateLawError::Vectors(n)),
            _ => Ok(Readings { list, sights, columns }),
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

    /// A reading of a coordinate, if its vectors are the first ones of the element in their order: its slope
    /// is complete there.
    pub(crate) fn reading_of(&self, coordinate: &Coordinate) -> Option<(usize, By)> {
        let same = |sight: &&Sight| sight.places[..sight.count].iter().copied().eq(0..sight.count);
        let sight = self.sights.iter().filter(same).find(|sight| match &sight.seen {
            Seen::Coordinate(s) => s == coordinate,
            _ => false,
        })?;
        sight.value.map(|j| (j, By::Position)).or(sight.rate.map(|j| (j, By::Velocity)))
    }

    /// r_j; the first numbers that the element remembers are those of its readings.
    #[inline]
    pub fn values(&self, at: &Motion, out: &mut [f64]) {
        for sight in &self.sights {
            sight.values(at, out);
        }
    }

    /// The vectors on which readings depend.
    #[inline]
    pub(crate) fn columns(&self, by: By) -> &[usize] {
        &self.columns[by as usize]
    }

    /// ∂r_j/∂x_b and ∂r_j/∂ẋ_b of all readings: j, what they are taken by, the places of x_b among the
    /// columns, and the slopes.
    #[inline]
    pub(crate) fn slopes(&self, at: &Motion, mut each: impl FnMut(usize, By, &[usize], &[Vec3])) {
        for sight in &self.sights {
            sight.slopes(at, &mut each);
        }
    }
}

impl Seen {
    fn of(reading: &Reading) -> Self {
        match reading {
            Reading::Coordinate(Coordinate::Component([c], axis))
            | Reading::Speed(Speed::Rate(Coordinate::Component([c], axis))) => Seen::Component(*c, *axis),
            Reading::Coordinate(s) | Reading::Speed(Speed::Rate(s)) => Seen::Coordinate(s.clone()),
            Reading::Speed(w) => Seen::Speed(w.clone()),
        }
    }
}

impl Sight {
    fn new(seen: Seen, own: &[Carried], carried: &mut Vec<Carried>) -> Self {
        let found: Vec<usize> = own.iter().map(|c| place_of(c, carried)).collect();
        let mut places = [found[0]; MAX_READ];
        places[..found.len()].copy_from_slice(&found);
        Sight {
            seen,
            value: None,
            rate: None,
            count: found.len(),
            places,
            in_order: found.windows(2).all(|pair| pair[1] == pair[0] + 1),
            by: [0..0, 0..0],
            columns: [[0; MAX_READ]; 2],
        }
    }

    fn slot(&mut self, reading: &Reading) -> &mut Option<usize> {
        if reading.is_speed() { &mut self.rate } else { &mut self.value }
    }

    /// Reading j is what is seen here.
    fn add(&mut self, j: usize, reading: &Reading, columns: &mut [Vec<usize>; 2]) {
        *self.slot(reading) = Some(j);
        for (level, by) in [reading.seen_positions(), reading.seen_velocities()].into_iter().enumerate() {
            if !by.is_empty() {
                by.clone().for_each(|a| {
                    self.columns[level][a] = index_in(&mut columns[level], self.places[a]);
                });
                self.by[level] = by;
            }
        }
    }

    #[inline]
    fn values(&self, at: &Motion, out: &mut [f64]) {
        if let Seen::Component(_, axis) = self.seen {
            if let Some(j) = self.value {
                out[j] = at.x[self.places[0]][axis];
            }
            if let Some(j) = self.rate {
                out[j] = at.xdot[self.places[0]][axis];
            }
            return;
        }
        self.with_vectors(at, |x, xdot| {
            if let (Some(j), Some(rate), Seen::Coordinate(s)) = (self.value, self.rate, &self.seen) {
                (out[j], out[rate]) = s.value_and_rate(x, xdot, at.memory[j]);
                return;
            }
            if let (Some(j), Seen::Coordinate(s)) = (self.value, &self.seen) {
                out[j] = s.value(x, at.memory[j]);
            }
            if let Some(j) = self.rate {
                out[j] = match &self.seen {
                    Seen::Speed(w) => w.value(x, xdot),
                    Seen::Component(_, axis) => xdot[0][*axis],
                    Seen::Coordinate(s) => s.rate(x, xdot),
                };
            }
        });
    }

    #[inline]
    fn slopes(&self, at: &Motion, each: &mut impl FnMut(usize, By, &[usize], &[Vec3])) {
        let [position, velocity] = &self.columns;
        let [by_position, by_velocity] = [0, 1].map(|level| self.by[level].start..self.by[level].end);
        let (position, velocity) = (&position[by_position.clone()], &velocity[by_velocity.clone()]);
        if let Seen::Component(_, axis) = self.seen {
            let mut slope = [Vec3::zeros()];
            slope[0][axis] = 1.0;
            if let Some(j) = self.value {
                each(j, By::Position, position, &slope);
            }
            if let Some(j) = self.rate {
                each(j, By::Velocity, velocity, &slope);
            }
            return;
        }
        self.with_vectors(at, |x, xdot| match &self.seen {
            Seen::Component(..) => {}
            Seen::Coordinate(s) => {
                let slope = s.slope(x);
                if let Some(j) = self.value {
                    each(j, By::Position, position, &slope);
                }
                if let Some(j) = self.rate {
                    each(j, By::Position, position, &s.slope_rate(x, xdot));
                    each(j, By::Velocity, velocity, &slope);
                }
            }
            Seen::Speed(w) => {
                if let Some(j) = self.rate {
                    each(j, By::Position, position, &w.slope(x, xdot)[by_position.clone()]);
                    each(j, By::Velocity, velocity, &w.weights(x)[by_velocity.clone()]);
                }
            }
        });
    }

    /// Its vectors and their velocities.
    #[inline]
    fn with_vectors(&self, at: &Motion, mut read: impl FnMut(&[Vec3], &[Vec3])) {
        if self.in_order {
            let all = self.places[0]..self.places[0] + self.count;
            return read(&at.x[all.clone()], &at.xdot[all]);
        }
        let [x, xdot] = [at.x, at.xdot].map(|all| self.places.map(|place| all[place]));
        read(&x[..self.count], &xdot[..self.count]);
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

/// Where a place stands in a list, to which it is added if need be.
fn index_in(list: &mut Vec<usize>, place: usize) -> usize {
    let known = list.iter().position(|known| *known == place);
    known.unwrap_or_else(|| {
        list.push(place);
        list.len() - 1
    })
}
