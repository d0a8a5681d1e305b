//! Constraints whose rows are functions of coordinates, speeds and time.
//!
//! ```text
//! holonomic row      Φ = F(s₁ … s_m, t)
//! row on velocities  ψ = F(s₁ … s_m, w₁ … w_p, t),   linear in the speeds w
//! ```
//! The chain rule gives, with W_pa the weights of speed p,
//!
//! ```text
//! holonomic:   G_a = Σ_j F_j ∂s_j,      ∂(rate)/∂x = Σ_j F_j ∂ṡ_j + Σ_j (Σ_l F_jl ṡ_l + F_jt) ∂s_j
//! velocities:  G_a = Σ_p F_p W_pa,      ∂(rate)/∂x = Σ_j F_j ∂s_j + Σ_p F_p ∂w_p
//! ```
//! so that couplings, drives, rolling contacts and constraints from a user's expression are all written as one
//! formula each.

use crate::carried::Carried;
use crate::constraint::{Configuration, Constraint, Levels};
use crate::coordinate::Coordinate;
use crate::discrete_gradient::arm;
use crate::law::Law;
use crate::lists::{Blocks, Gradients, MAX_CARRIED, MAX_MEMORY, MAX_ROWS};
use crate::passage::Passage;
use crate::speed::Speed;
use poinsot_geometry::{Mat3, Vec3};

/// One row: F of some of the coordinates, then of some of the speeds, then of t.
#[derive(Clone, Debug)]
pub struct Equation {
    /// What it forbids, for messages.
    pub name: &'static str,
    /// Indices of the coordinates.
    pub coordinates: Vec<usize>,
    /// Indices of the speeds; a row without any is holonomic.
    pub speeds: Vec<usize>,
    /// F of those and of t.
    pub law: Law,
}

impl Equation {
    /// A holonomic row over the first `count` coordinates.
    pub fn holonomic(name: &'static str, count: usize, law: Law) -> Self {
        Equation { name, coordinates: (0..count).collect(), speeds: vec![], law }
    }
}

/// A constraint made of [`Equation`]s.
#[derive(Clone, Debug)]
pub struct Equations {
    kind: &'static str,
    noun: &'static str,
    pub(crate) carried: Vec<Carried>,
    pub(crate) coordinates: Vec<(Coordinate, [usize; 3])>,
    pub(crate) speeds: Vec<(Speed, [usize; 4])>,
    pub(crate) rows: Vec<Equation>,
    reaction_point: usize,
    /// Coordinates start in the turn nearest to these values.
    near: Vec<f64>,
    /// The length that compares lengths with angles.
    pub(crate) arm: f64,
}

/// Why a constraint cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EquationsError {
    /// It refers to too many vectors.
    #[error("the constraint depends on {0} points and directions, more than {MAX_CARRIED}")]
    TooManyVectors(usize),
    /// It refers to too many coordinates.
    #[error("the constraint depends on {0} coordinates, more than {MAX_MEMORY}")]
    TooManyCoordinates(usize),
    /// It has too many rows.
    #[error("the constraint has {0} rows, more than {MAX_ROWS}")]
    TooManyRows(usize),
}

/// Numbers of arguments of F at most: coordinates, speeds and time.
pub(crate) const MAX_ARGUMENTS: usize = 2 * MAX_MEMORY + 1;

impl Equations {
    /// A constraint of the library, whose size is known to fit; reactions are reported at the point `reaction_at`.
    pub(crate) fn new(
        kind: &'static str,
        coordinates: Vec<Coordinate>,
        speeds: Vec<Speed>,
        rows: Vec<Equation>,
        reaction_at: Carried,
    ) -> Self {
        Self::try_new(kind, coordinates, speeds, rows, reaction_at).expect("a constraint of the library fits")
    }

    /// Makes a constraint; reactions are reported at the point `reaction_at`.
    pub fn try_new(
        kind: &'static str,
        coordinates: Vec<Coordinate>,
        speeds: Vec<Speed>,
        rows: Vec<Equation>,
        reaction_at: Carried,
    ) -> Result<Self, EquationsError> {
        let mut carried: Vec<Carried> = Vec::new();
        let mut place = |c: &Carried| match carried.iter().position(|known| known == c) {
            Some(k) => k,
            None => {
                carried.push(*c);
                carried.len() - 1
            }
        };
        let reaction_point = place(&reaction_at);
        let coordinates: Vec<_> = coordinates
            .into_iter()
            .map(|s| {
                let places = places_of(s.carried(), &mut place);
                (s, places)
            })
            .collect();
        let speeds: Vec<_> = speeds
            .into_iter()
            .map(|w| {
                let places = places_of(w.carried(), &mut place);
                (w, places)
            })
            .collect();
        if carried.len() > MAX_CARRIED {
            return Err(EquationsError::TooManyVectors(carried.len()));
        }
        if coordinates.len() > MAX_MEMORY || speeds.len() > MAX_MEMORY {
            return Err(EquationsError::TooManyCoordinates(coordinates.len().max(speeds.len())));
        }
        if rows.len() > MAX_ROWS {
            return Err(EquationsError::TooManyRows(rows.len()));
        }
        let near = vec![0.0; coordinates.len()];
        let arm = arm(&carried);
        Ok(Equations { kind, noun: "joint", carried, coordinates, speeds, rows, reaction_point, near, arm })
    }

    /// Gives it another noun than joint, see [`Constraint::noun`].
    pub fn called(mut self, noun: &'static str) -> Self {
        self.noun = noun;
        self
    }

    /// Starts the coordinates in the turns nearest to the given values.
    pub fn starting_near(mut self, near: &[f64]) -> Self {
        self.near.iter_mut().zip(near).for_each(|(own, near)| *own = *near);
        self
    }

    /// The coordinates.
    pub fn coordinates(&self) -> impl Iterator<Item = &Coordinate> {
        self.coordinates.iter().map(|(s, _)| s)
    }

    fn coordinate(&self, k: usize, at: &Configuration) -> f64 {
        let (s, places) = &self.coordinates[k];
        s.value(&gather(places, at.x), at.memory[k])
    }

    pub(crate) fn slope(&self, k: usize, x: &[Vec3]) -> [Vec3; 3] {
        let (s, places) = &self.coordinates[k];
        s.slope(&gather(places, x))
    }

    /// The arguments of a row: coordinates, speeds, time.
    #[inline]
    pub(crate) fn arguments(
        &self,
        row: &Equation,
        at: &Configuration,
        xdot: Option<&[Vec3]>,
    ) -> [f64; MAX_ARGUMENTS] {
        let mut values = [0.0; MAX_ARGUMENTS];
        let m = row.coordinates.len();
        for (value, &k) in values.iter_mut().zip(&row.coordinates) {
            *value = self.coordinate(k, at);
        }
        if let Some(xdot) = xdot {
            for (value, &k) in values[m..].iter_mut().zip(&row.speeds) {
                let (w, places) = &self.speeds[k];
                *value = w.value(&gather(places, at.x), &gather(places, xdot));
            }
        }
        values[m + row.speeds.len()] = at.t;
        values
    }

    /// ṡ of the coordinates of a row.
    fn rates(&self, row: &Equation, x: &[Vec3], xdot: &[Vec3]) -> [f64; MAX_MEMORY] {
        let mut rates = [0.0; MAX_MEMORY];
        for (rate, &k) in rates.iter_mut().zip(&row.coordinates) {
            let (s, places) = &self.coordinates[k];
            *rate = s.rate(&gather(places, x), &gather(places, xdot));
        }
        rates
    }

    /// Adds Σ_j c_j ∂s_j to the gradients of row `k`.
    fn add_slopes(&self, k: usize, x: &[Vec3], c: &[f64], g: &mut Gradients) {
        for (&j, &c) in self.rows[k].coordinates.iter().zip(c).filter(|(_, c)| **c != 0.0) {
            let (s, places) = &self.coordinates[j];
            push_all(k, places, s.carried().len(), &self.slope(j, x), c, g);
        }
    }

    /// λ ∂G_a/∂x_b of a row.
    fn push_hessian(&self, row: &Equation, at: &Configuration, lambda: f64, h: &mut Blocks) {
        let values = self.arguments(row, at, None);
        let m = row.coordinates.len();
        if row.speeds.is_empty() {
            for (j, &s) in row.coordinates.iter().enumerate() {
                let (coordinate, places) = &self.coordinates[s];
                let from = h.entries().len();
                coordinate.hessian(&gather(places, at.x), lambda * row.law.partial(j, &values), h);
                renumber(h, from, places);
            }
        }
        for (p, &w) in row.speeds.iter().enumerate() {
            let (speed, places) = &self.speeds[w];
            let from = h.entries().len();
            let by = lambda * row.law.partial(m + p, &values);
            speed.weight_slopes(&gather(places, at.x), by, h);
            renumber(h, from, places);
        }
        self.cross_terms(row, at, &values, lambda, h);
    }

    /// λ Σ_jl F_jl ∂s_j ∂s_lᵀ (holonomic) or λ Σ_pj F_pj W_p ∂s_jᵀ (velocities), pair by pair of carried vectors.
    fn cross_terms(&self, row: &Equation, at: &Configuration, values: &[f64], lambda: f64, h: &mut Blocks) {
        let m = row.coordinates.len();
        let holonomic = row.speeds.is_empty();
        let count = if holonomic { m } else { row.speeds.len() };
        let first = if holonomic { 0 } else { m };
        if (0..count).all(|p| (0..m).all(|j| row.law.second_is_zero(first + p, j))) {
            return;
        }
        let mut grid = [[Mat3::zeros(); MAX_CARRIED]; MAX_CARRIED];
        for p in 0..count {
            let (places, left): ([usize; 4], [Vec3; 4]) = if holonomic {
                let (_, places) = &self.coordinates[row.coordinates[p]];
                let g = self.slope(row.coordinates[p], at.x);
                ([places[0], places[1], places[2], NONE], [g[0], g[1], g[2], Vec3::zeros()])
            } else {
                let (w, places) = &self.speeds[row.speeds[p]];
                (*places, w.weights(&gather(places, at.x)))
            };
            for j in 0..m {
                let second = lambda * row.law.second(first + p, j, values);
                if second == 0.0 {
                    continue;
                }
                let (_, columns) = &self.coordinates[row.coordinates[j]];
                let right = self.slope(row.coordinates[j], at.x);
                for (a, left) in places.iter().zip(&left).filter(|(a, _)| **a != NONE) {
                    for (b, right) in columns.iter().zip(&right).filter(|(b, _)| **b != NONE) {
                        grid[*a][*b] += left * right.transpose() * second;
                    }
                }
            }
        }
        self.push_grid(&grid, h);
    }

    /// Pushes the blocks of a grid that are not zero.
    pub(crate) fn push_grid(&self, grid: &[[Mat3; MAX_CARRIED]; MAX_CARRIED], h: &mut Blocks) {
        let n = self.carried.len();
        for (a, line) in grid[..n].iter().enumerate() {
            for (b, block) in line[..n].iter().enumerate().filter(|(_, block)| **block != Mat3::zeros()) {
                h.push(a, b, *block);
            }
        }
    }
}

/// Marks an unused place.
pub(crate) const NONE: usize = usize::MAX;

fn places_of<const N: usize>(carried: &[Carried], place: &mut impl FnMut(&Carried) -> usize) -> [usize; N] {
    let mut places = [NONE; N];
    for (slot, c) in places.iter_mut().zip(carried) {
        *slot = place(c);
    }
    places
}

/// The vectors of an element among those of the constraint.
#[inline]
pub(crate) fn gather<const N: usize>(places: &[usize; N], x: &[Vec3]) -> [Vec3; N] {
    places.map(|k| if k == NONE { Vec3::zeros() } else { x[k] })
}

/// Pushes c · v_a for the vectors of one element.
pub(crate) fn push_all(row: usize, places: &[usize], count: usize, v: &[Vec3], c: f64, g: &mut Gradients) {
    for (&a, v) in places[..count].iter().zip(v) {
        g.push(row, a, v * c);
    }
}

/// Moves blocks of one element, pushed since `from`, to the constraint's numbering.
pub(crate) fn renumber(h: &mut Blocks, from: usize, places: &[usize]) {
    for block in h.entries_mut(from) {
        block.a = places[block.a];
        block.b = places[block.b];
    }
}

impl Constraint for Equations {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn noun(&self) -> &'static str {
        self.noun
    }

    fn row_name(&self, k: usize) -> &'static str {
        self.rows[k].name
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn reaction_point(&self) -> usize {
        self.reaction_point
    }

    fn is_velocity_row(&self, k: usize) -> bool {
        !self.rows[k].speeds.is_empty()
    }

    fn memories(&self) -> usize {
        self.coordinates.len()
    }

    fn start_memory(&self, memory: &mut [f64]) {
        memory.copy_from_slice(&self.near);
    }

    fn remember(&self, at: &Configuration, memory: &mut [f64]) {
        for (k, slot) in memory.iter_mut().enumerate() {
            *slot = self.coordinate(k, at);
        }
    }

    fn residual(&self, at: &Configuration, phi: &mut [f64]) {
        for (value, row) in phi.iter_mut().zip(&self.rows) {
            if row.speeds.is_empty() {
                *value = row.law.value(&self.arguments(row, at, None));
            }
        }
    }

    /// Coordinates and slopes once for all: f_a += λ F_j ∂s_j, Φ = F, rate = Σ_j F_j ṡ_j + F_t.
    fn evaluate(
        &self,
        at: &Configuration,
        lambda: &[f64],
        f: &mut [Vec3],
        mut wanted: Levels,
        _g: &mut Gradients,
    ) {
        for (k, (row, &lambda)) in self.rows.iter().zip(lambda).enumerate() {
            let values = self.arguments(row, at, None);
            let m = row.coordinates.len();
            let holonomic = row.speeds.is_empty();
            if let Some(phi) = wanted.position.as_mut().filter(|_| holonomic) {
                phi[k] = row.law.value(&values);
            }
            let xdot = wanted.velocity.as_ref().map(|(xdot, _)| *xdot);
            let mut rate = match xdot {
                None => 0.0,
                Some(_) if holonomic => row.law.partial(m, &values),
                Some(_) => row.law.value(&values),
            };
            let mut along = |places: &[usize], slope: &[Vec3], by: f64| {
                for (&a, slope) in places.iter().zip(slope).take_while(|(a, _)| **a != NONE) {
                    let gradient = slope * by;
                    f[a] += gradient * lambda;
                    rate += xdot.map_or(0.0, |xdot| gradient.dot(&xdot[a]));
                }
            };
            for (j, &s) in row.coordinates.iter().enumerate().filter(|_| holonomic) {
                let by = row.law.partial(j, &values);
                if by != 0.0 {
                    along(&self.coordinates[s].1, &self.slope(s, at.x), by);
                }
            }
            for (p, &w) in row.speeds.iter().enumerate() {
                let (speed, places) = &self.speeds[w];
                along(places, &speed.weights(&gather(places, at.x)), row.law.partial(m + p, &values));
            }
            if let Some((_, rates)) = &mut wanted.velocity {
                rates[k] = rate;
            }
        }
    }

    fn gradients(&self, at: &Configuration, g: &mut Gradients) {
        for (k, row) in self.rows.iter().enumerate() {
            if !row.speeds.is_empty() {
                self.push_velocity_gradients(k, at, g);
                continue;
            }
            let values = self.arguments(row, at, None);
            let m = row.coordinates.len();
            let mut first = [0.0; MAX_MEMORY];
            (0..m).for_each(|j| first[j] = row.law.partial(j, &values));
            self.add_slopes(k, at.x, &first[..m], g);
        }
    }

    fn rate_gradients(&self, at: &Configuration, xdot: &[Vec3], g: &mut Gradients) {
        for (k, row) in self.rows.iter().enumerate() {
            let values = self.arguments(row, at, Some(xdot));
            let (m, p) = (row.coordinates.len(), row.speeds.len());
            let f = &row.law;
            let mut by_slope = [0.0; MAX_MEMORY];
            if p == 0 {
                let rates = self.rates(row, at.x, xdot);
                for (j, &s) in row.coordinates.iter().enumerate() {
                    let sum: f64 = (0..m).map(|l| f.second(j, l, &values) * rates[l]).sum();
                    by_slope[j] = sum + f.second(j, m, &values);
                    let (coordinate, places) = &self.coordinates[s];
                    let rate = coordinate.slope_rate(&gather(places, at.x), &gather(places, xdot));
                    push_all(k, places, coordinate.carried().len(), &rate, f.partial(j, &values), g);
                }
            } else {
                (0..m).for_each(|j| by_slope[j] = f.partial(j, &values));
            }
            self.add_slopes(k, at.x, &by_slope[..m], g);
            for (p, &w) in row.speeds.iter().enumerate() {
                let (speed, places) = &self.speeds[w];
                let slope = speed.slope(&gather(places, at.x), &gather(places, xdot));
                push_all(k, places, speed.carried().len(), &slope, f.partial(m + p, &values), g);
            }
        }
    }

    fn hessian(&self, at: &Configuration, lambda: &[f64], h: &mut Blocks) {
        for (row, &lambda) in self.rows.iter().zip(lambda).filter(|(_, l)| **l != 0.0) {
            self.push_hessian(row, at, lambda, h);
        }
    }

    fn is_quadratic(&self) -> bool {
        self.rows_are_quadratic()
    }

    fn discrete_gradients(&self, step: &Passage, g: &mut Gradients) {
        for (k, row) in self.rows.iter().enumerate() {
            match row.speeds.len() {
                0 => self.push_discrete_gradients(k, step, g),
                _ => self.push_velocity_gradients(k, &step.middle(), g),
            }
        }
    }

    fn discrete_hessian(&self, step: &Passage, lambda: &[f64], h: &mut Blocks) {
        for (row, &lambda) in self.rows.iter().zip(lambda).filter(|(_, l)| **l != 0.0) {
            match row.speeds.len() {
                0 => self.push_discrete_hessian(row, step, lambda, h),
                _ => self.push_hessian(row, &step.middle(), 0.5 * lambda, h),
            }
        }
    }

    fn is_driven(&self) -> bool {
        self.rows.iter().any(|row| row.law.is_driven(row.coordinates.len(), row.speeds.len()))
    }

    fn drift(&self, at: &Configuration, out: &mut [f64]) {
        for (out, row) in out.iter_mut().zip(&self.rows) {
            let values = self.arguments(row, at, None);
            *out = match row.speeds.len() {
                0 => row.law.partial(row.coordinates.len(), &values),
                _ => row.law.value(&values),
            };
        }
    }

    fn drift_rate(&self, at: &Configuration, xdot: &[Vec3], out: &mut [f64]) {
        for (out, row) in out.iter_mut().zip(&self.rows) {
            let values = self.arguments(row, at, Some(xdot));
            let (m, p) = (row.coordinates.len(), row.speeds.len());
            let f = &row.law;
            *out = if p == 0 {
                let rates = self.rates(row, at.x, xdot);
                f.second(m, m, &values) + (0..m).map(|j| f.second(j, m, &values) * rates[j]).sum::<f64>()
            } else {
                f.partial(m + p, &values)
            };
        }
    }
}
