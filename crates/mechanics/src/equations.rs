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
//! so that couplings, drives, rolling contacts and constraints from a user's expression are all written as
//! one formula each.

use crate::carried::Carried;
use crate::constraint::{Configuration, Constraint, Levels};
use crate::coordinate::Coordinate;
use crate::discrete_gradient::arm;
use crate::law::Law;
use crate::lists::{Blocks, Gradients, MAX_CONSTRAINED, MAX_MEMORY, MAX_ROWS};
use crate::passage::Passage;
use crate::speed::Speed;
use poinsot_expr::Jet;
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

    fn is_bent(&self) -> bool {
        let n = self.coordinates.len() + self.speeds.len();
        (0..n).any(|i| (0..=n).any(|j| !self.law.second_is_zero(i, j)))
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
    /// Whether the slopes of a row change with its arguments: an F_jl or F_jt that is not zero everywhere.
    bent: Vec<bool>,
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
    #[error("the constraint depends on {0} points and directions, more than {MAX_CONSTRAINED}")]
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

/// F, then F_i of the arguments in the order of [`Equations::arguments`].
pub(crate) type First = [f64; 1 + MAX_ARGUMENTS];

/// F_ij at [`Jet::place`].
type Second = [f64; Jet::place(0, MAX_ARGUMENTS)];

const NO_SECOND: Second = [0.0; Jet::place(0, MAX_ARGUMENTS)];

/// Rows with few carried vectors need little room for their second derivatives.
const FEW_CARRIED: usize = 4;

impl Equations {
    /// A constraint of the library, whose size is known to fit; reactions are reported at the point
    /// `reaction_at`.
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
        if carried.len() > MAX_CONSTRAINED {
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
        let bent = rows.iter().map(Equation::is_bent).collect();
        let noun = "joint";
        Ok(Equations { kind, noun, carried, coordinates, speeds, rows, bent, reaction_point, near, arm })
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

    #[inline]
    fn coordinate(&self, k: usize, at: &Configuration) -> f64 {
        match &self.coordinates[k] {
            (Coordinate::Component(_, axis), places) => at.x[places[0]][*axis],
            (s, places) => s.value(&gather(places, at.x), at.memory[k]),
        }
    }

    /// F and F_i of a row; at speeds zero if no ẋ is given.
    #[inline]
    pub(crate) fn first(&self, row: &Equation, at: &Configuration, xdot: Option<&[Vec3]>) -> First {
        let mut first = [0.0; 1 + MAX_ARGUMENTS];
        row.law.first(&self.arguments(row, at, xdot), &mut first);
        first
    }

    /// F and F_i of a row, and F_ij into `second`, which starts as zero; speeds are zero.
    fn second(&self, row: &Equation, at: &Configuration, second: &mut Second) -> First {
        let mut first = [0.0; 1 + MAX_ARGUMENTS];
        row.law.second_order(&self.arguments(row, at, None), &mut first, second);
        first
    }

    /// f_a += c ∂s_k/∂x_a; gives ṡ_k, zero if no ẋ is given.
    #[inline]
    fn pull_along(&self, k: usize, x: &[Vec3], xdot: Option<&[Vec3]>, c: f64, f: &mut [Vec3]) -> f64 {
        let (s, places) = &self.coordinates[k];
        if let Coordinate::Component(_, axis) = s {
            f[places[0]][*axis] += c;
            return xdot.map_or(0.0, |xdot| xdot[places[0]][*axis]);
        }
        pull_vectors(places, &s.slope(&gather(places, x)), xdot, c, f)
    }

    /// [`Constraint::evaluate`] for at most R rows. Coordinates, speeds and their slopes are found once for
    /// all rows: with F_kj of row k by coordinate or speed j,
    ///
    /// ```text
    /// f_a += Σ_j (Σ_k λ_k F_kj) ∂s_j/∂x_a,        rate_k = F_kt + Σ_j F_kj ṡ_j
    /// ```
    /// and ψ_k at speeds zero in place of F_kt for rows on velocities.
    #[inline]
    fn evaluate_rows<const R: usize>(
        &self,
        at: &Configuration,
        lambda: &[f64],
        f: &mut [Vec3],
        wanted: Levels,
    ) {
        let Levels { mut position, velocity } = wanted;
        let mut by = [[0.0; 2 * MAX_MEMORY]; R];
        let mut rate = [0.0; R];
        for (k, (row, by)) in self.rows.iter().zip(&mut by).enumerate() {
            let first = self.first(row, at, None);
            let m = row.coordinates.len();
            if row.speeds.is_empty() {
                row.coordinates.iter().zip(&first[1..]).for_each(|(&j, slope)| by[j] += slope);
                rate[k] = first[1 + m];
                if let Some(phi) = position.as_mut() {
                    phi[k] = first[0];
                }
            } else {
                row.speeds.iter().zip(&first[1 + m..]).for_each(|(&p, slope)| by[MAX_MEMORY + p] += slope);
                rate[k] = first[0];
            }
        }
        let rows = self.rows.len();
        let xdot = velocity.as_ref().map(|(xdot, _)| *xdot);
        let mut go = |j: usize, along: &mut dyn FnMut(f64) -> f64| {
            if by[..rows].iter().any(|by| by[j] != 0.0) {
                let speed = along(by.iter().zip(lambda).map(|(by, lambda)| by[j] * lambda).sum());
                rate.iter_mut().zip(&by).for_each(|(rate, by)| *rate += by[j] * speed);
            }
        };
        for j in 0..self.coordinates.len() {
            go(j, &mut |c| self.pull_along(j, at.x, xdot, c, f));
        }
        for (p, (speed, places)) in self.speeds.iter().enumerate() {
            go(MAX_MEMORY + p, &mut |c| {
                pull_vectors(places, &speed.weights(&gather(places, at.x)), xdot, c, f)
            });
        }
        if let Some((_, rates)) = velocity {
            rates.copy_from_slice(&rate[..rows]);
        }
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
            *rate = match &self.coordinates[k] {
                (Coordinate::Component(_, axis), places) => xdot[places[0]][*axis],
                (s, places) => s.rate(&gather(places, x), &gather(places, xdot)),
            };
        }
        rates
    }

    /// Adds Σ_j c_j ∂ṡ_j to the gradients of row `k`; a component has none.
    fn add_slope_rates(&self, k: usize, x: &[Vec3], xdot: &[Vec3], c: &[f64], g: &mut Gradients) {
        for (&j, &c) in self.rows[k].coordinates.iter().zip(c).filter(|(_, c)| **c != 0.0) {
            let (s, places) = &self.coordinates[j];
            if !matches!(s, Coordinate::Component(..)) {
                let rate = s.slope_rate(&gather(places, x), &gather(places, xdot));
                push_all(k, places, s.carried().len(), &rate, c, g);
            }
        }
    }

    /// Adds Σ_j c_j ∂s_j to the gradients of row `k`.
    fn add_slopes(&self, k: usize, x: &[Vec3], c: &[f64], g: &mut Gradients) {
        for (&j, &c) in self.rows[k].coordinates.iter().zip(c).filter(|(_, c)| **c != 0.0) {
            match &self.coordinates[j] {
                (Coordinate::Component(_, axis), places) => {
                    let mut slope = Vec3::zeros();
                    slope[*axis] = c;
                    g.push(k, places[0], slope);
                }
                (s, places) => push_all(k, places, s.carried().len(), &s.slope(&gather(places, x)), c, g),
            }
        }
    }

    /// λ ∂G_a/∂x_b of row `k`.
    fn push_hessian(&self, k: usize, at: &Configuration, lambda: f64, h: &mut Blocks) {
        let row = &self.rows[k];
        if !self.bent[k] {
            return self.push_curvatures(row, at, &self.first(row, at, None), lambda, h);
        }
        let mut second = NO_SECOND;
        let first = self.second(row, at, &mut second);
        self.push_curvatures(row, at, &first, lambda, h);
        match self.carried.len() {
            ..=FEW_CARRIED => self.cross_terms::<FEW_CARRIED>(row, at, &second, lambda, h),
            _ => self.cross_terms::<MAX_CONSTRAINED>(row, at, &second, lambda, h),
        }
    }

    /// λ Σ_j F_j ∂²s_j (holonomic) or λ Σ_p F_p ∂W_p (velocities).
    fn push_curvatures(
        &self,
        row: &Equation,
        at: &Configuration,
        first: &First,
        lambda: f64,
        h: &mut Blocks,
    ) {
        let m = row.coordinates.len();
        for (&s, slope) in row.coordinates.iter().zip(&first[1..]).filter(|_| row.speeds.is_empty()) {
            let (coordinate, places) = &self.coordinates[s];
            let from = h.entries().len();
            coordinate.hessian(&gather(places, at.x), lambda * slope, h);
            renumber(h, from, places);
        }
        for (&w, slope) in row.speeds.iter().zip(&first[1 + m..]) {
            let (speed, places) = &self.speeds[w];
            let from = h.entries().len();
            speed.weight_slopes(&gather(places, at.x), lambda * slope, h);
            renumber(h, from, places);
        }
    }

    /// λ Σ_jl F_jl ∂s_j ∂s_lᵀ (holonomic) or λ Σ_pj F_pj W_p ∂s_jᵀ (velocities), pair by pair of at most N
    /// carried vectors.
    fn cross_terms<const N: usize>(
        &self,
        row: &Equation,
        at: &Configuration,
        second: &Second,
        lambda: f64,
        h: &mut Blocks,
    ) {
        let m = row.coordinates.len();
        let holonomic = row.speeds.is_empty();
        let (first, count) = if holonomic { (0, m) } else { (m, row.speeds.len()) };
        let by = |p: usize, j: usize| second[Jet::place(first + p, j)];
        if (0..count).all(|p| (0..m).all(|j| by(p, j) == 0.0)) {
            return;
        }
        let mut grid = [[Mat3::zeros(); N]; N];
        for p in (0..count).filter(|&p| (0..m).any(|j| by(p, j) != 0.0)) {
            let (places, left): ([usize; 4], [Vec3; 4]) = if holonomic {
                let (_, places) = &self.coordinates[row.coordinates[p]];
                let g = self.slope(row.coordinates[p], at.x);
                ([places[0], places[1], places[2], NONE], [g[0], g[1], g[2], Vec3::zeros()])
            } else {
                let (w, places) = &self.speeds[row.speeds[p]];
                (*places, w.weights(&gather(places, at.x)))
            };
            for j in (0..m).filter(|&j| by(p, j) != 0.0) {
                let (_, columns) = &self.coordinates[row.coordinates[j]];
                let right = self.slope(row.coordinates[j], at.x).map(|slope| slope * (lambda * by(p, j)));
                for (a, left) in places.iter().zip(&left).filter(|(a, _)| **a != NONE) {
                    for (b, right) in columns.iter().zip(&right).filter(|(b, _)| **b != NONE) {
                        grid[*a][*b] += left * right.transpose();
                    }
                }
            }
        }
        self.push_grid(&grid, h);
    }

    /// Pushes the blocks of a grid that are not zero.
    pub(crate) fn push_grid<const N: usize>(&self, grid: &[[Mat3; N]; N], h: &mut Blocks) {
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

/// f_a += c v_a; gives Σ_a v_a·ẋ_a, zero if no ẋ is given.
#[inline]
fn pull_vectors(places: &[usize], v: &[Vec3], xdot: Option<&[Vec3]>, c: f64, f: &mut [Vec3]) -> f64 {
    let mut rate = 0.0;
    for (&a, v) in places.iter().zip(v).take_while(|(a, _)| **a != NONE) {
        f[a] += v * c;
        rate += xdot.map_or(0.0, |xdot| v.dot(&xdot[a]));
    }
    rate
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
                *value = row.law.residual(&self.arguments(row, at, None));
            }
        }
    }

    fn evaluate(
        &self,
        at: &Configuration,
        lambda: &[f64],
        f: &mut [Vec3],
        wanted: Levels,
        _g: &mut Gradients,
    ) {
        match self.rows.len() {
            1 => self.evaluate_rows::<1>(at, lambda, f, wanted),
            _ => self.evaluate_rows::<MAX_ROWS>(at, lambda, f, wanted),
        }
    }

    fn gradients(&self, at: &Configuration, g: &mut Gradients) {
        for (k, row) in self.rows.iter().enumerate() {
            if !row.speeds.is_empty() {
                self.push_velocity_gradients(k, at, g);
                continue;
            }
            let first = self.first(row, at, None);
            self.add_slopes(k, at.x, &first[1..], g);
        }
    }

    fn rate_gradients(&self, at: &Configuration, xdot: &[Vec3], g: &mut Gradients) {
        for (k, row) in self.rows.iter().enumerate() {
            let m = row.coordinates.len();
            if !row.speeds.is_empty() {
                let first = self.first(row, at, Some(xdot));
                self.add_slopes(k, at.x, &first[1..=m], g);
                for (&w, &by) in row.speeds.iter().zip(&first[1 + m..]) {
                    let (speed, places) = &self.speeds[w];
                    let slope = speed.slope(&gather(places, at.x), &gather(places, xdot));
                    push_all(k, places, speed.carried().len(), &slope, by, g);
                }
            } else if self.bent[k] {
                let mut second = NO_SECOND;
                let first = self.second(row, at, &mut second);
                let rates = self.rates(row, at.x, xdot);
                let mut by = [0.0; MAX_MEMORY];
                for (j, by) in by[..m].iter_mut().enumerate() {
                    let sum: f64 = (0..m).map(|l| second[Jet::place(j, l)] * rates[l]).sum();
                    *by = sum + second[Jet::place(j, m)];
                }
                self.add_slope_rates(k, at.x, xdot, &first[1..=m], g);
                self.add_slopes(k, at.x, &by[..m], g);
            } else {
                self.add_slope_rates(k, at.x, xdot, &self.first(row, at, None)[1..=m], g);
            }
        }
    }

    fn hessian(&self, at: &Configuration, lambda: &[f64], h: &mut Blocks) {
        for (k, &lambda) in lambda.iter().enumerate().take(self.rows.len()).filter(|(_, l)| **l != 0.0) {
            self.push_hessian(k, at, lambda, h);
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
        for (k, row) in self.rows.iter().enumerate().filter(|(k, _)| lambda[*k] != 0.0) {
            match row.speeds.len() {
                0 => self.push_discrete_hessian(row, step, lambda[k], h),
                _ => self.push_hessian(k, &step.middle(), 0.5 * lambda[k], h),
            }
        }
    }

    fn is_driven(&self) -> bool {
        self.rows.iter().any(|row| row.law.is_driven(row.coordinates.len(), row.speeds.len()))
    }

    fn drift(&self, at: &Configuration, out: &mut [f64]) {
        for (out, row) in out.iter_mut().zip(&self.rows) {
            *out = match row.speeds.len() {
                0 => self.first(row, at, None)[1 + row.coordinates.len()],
                _ => row.law.residual(&self.arguments(row, at, None)),
            };
        }
    }

    fn drift_rate(&self, at: &Configuration, xdot: &[Vec3], out: &mut [f64]) {
        for (out, row) in out.iter_mut().zip(&self.rows) {
            let (m, p) = (row.coordinates.len(), row.speeds.len());
            *out = if p == 0 {
                let mut second = NO_SECOND;
                self.second(row, at, &mut second);
                let rates = self.rates(row, at.x, xdot);
                second[Jet::place(m, m)] + (0..m).map(|j| second[Jet::place(j, m)] * rates[j]).sum::<f64>()
            } else {
                self.first(row, at, Some(xdot))[1 + m + p]
            };
        }
    }
}
