//! The exact derivative of the equations of a time element.
//!
//! At every place the system gives ∂R/∂a, ∂R/∂v and ∂R/∂q in its charts. In the axes of the frames, with
//! u = {Rᵀδr ; δψ} and v = {R w ; ω},
//!
//! ```text
//! δv = R (δw + δψ × w),     δa = R (δẇ + δω × w + ω × δw + δψ × c),     c = ẇ + ω × w
//! δ(Rᵀf) = Rᵀδf + (Rᵀf) × δψ
//! ```

use crate::time_elements::blocks::{Block, NONE};
use crate::time_elements::element::TimeElement;
use crate::time_elements::layout::{Equation, Layout, Unknown};
use crate::time_elements::row_weights::RowWeights;
use crate::time_elements::scheme::{MOST, Part, Scheme};
use poinsot_geometry::{Mat3, Mat6, Vec3, se3, so3};
use poinsot_mechanics::{Level, StepPolynomial};

/// Changes of u, v and a at a place by the unknowns y_j, in the axes of the frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operators {
    pub position: Mat6,
    pub velocity: Mat6,
    pub acceleration: Mat6,
}

impl Operators {
    fn zero() -> Self {
        Operators { position: Mat6::zeros(), velocity: Mat6::zeros(), acceleration: Mat6::zeros() }
    }
}

/// Of all frames that turn, at all places, by all y_j.
#[derive(Clone, Debug)]
pub(super) struct MotionOperators {
    stages: usize,
    places: usize,
    all: Vec<Operators>,
    /// ∂w_g/∂y_j at the points of the balance.
    speeds: Vec<[[Mat6; MOST]; MOST]>,
    /// ∂u/∂u_b at all places, and h ∂w_g/∂u_b.
    before: Vec<Mat6>,
    before_speeds: Vec<[Mat6; MOST]>,
}

impl MotionOperators {
    pub fn new(layout: &Layout, scheme: &Scheme) -> Self {
        let s = scheme.stages();
        let (motions, places) = (layout.motions.len(), scheme.places.len());
        MotionOperators {
            stages: s,
            places,
            all: vec![Operators::zero(); motions * places * s],
            speeds: vec![[[Mat6::zeros(); MOST]; MOST]; motions],
            before: vec![Mat6::zeros(); motions * places],
            before_speeds: vec![[Mat6::zeros(); MOST]; motions],
        }
    }

    /// ∂u/∂u_b of a frame at a place.
    pub fn before(&self, motion: usize, place: usize) -> &Mat6 {
        &self.before[motion * self.places + place]
    }

    /// h ∂w_g/∂u_b of a frame.
    pub fn before_speeds(&self, motion: usize) -> &[Mat6; MOST] {
        &self.before_speeds[motion]
    }

    /// ∂w_g/∂y_j of a frame.
    pub fn speeds(&self, motion: usize) -> &[[Mat6; MOST]; MOST] {
        &self.speeds[motion]
    }

    /// Of a frame at a place, one for each j.
    pub fn of(&self, motion: usize, place: usize) -> &[Operators] {
        let first = (motion * self.places + place) * self.stages;
        &self.all[first..first + self.stages]
    }

    fn of_mut(&mut self, motion: usize, place: usize) -> &mut [Operators] {
        let first = (motion * self.places + place) * self.stages;
        &mut self.all[first..first + self.stages]
    }
}

impl Part {
    /// Whether an equation is taken there.
    pub(super) fn has(self, equation: Equation) -> bool {
        let [balance, laws, rows] = self.takes();
        match equation {
            Equation::Balance => balance,
            Equation::Rate => laws,
            Equation::Level => rows && self != Part::Velocities,
            Equation::Velocity => rows && self != Part::Positions,
            Equation::Algebraic => rows && matches!(self, Part::Joints | Part::Whole | Part::Rows),
            Equation::Idle => false,
        }
    }

    /// The power of the system's polynomial that stands for accelerations is the first of a balance; of rows
    /// on velocities it stands for velocities, of rows on positions for positions.
    pub(super) fn level(self, equation: Equation) -> usize {
        match equation {
            Equation::Balance | Equation::Rate | Equation::Idle => 0,
            Equation::Velocity | Equation::Algebraic => 1,
            Equation::Level if self == Part::Rates => 1,
            Equation::Level => 2,
        }
    }
}

/// A block of at most six rows and columns.
type Local = [[f64; 6]; 6];

impl TimeElement<'_> {
    /// The matrix of the element at the unknowns of the last residual; what it is made of at the places is
    /// shown to the caller.
    pub(super) fn linearize(&mut self, see: &mut dyn FnMut(usize, &[StepPolynomial; 2])) {
        let s = self.scheme.stages();
        self.values.fill(0.0);
        for motion in 0..self.layout.motions.len() {
            self.take_operators(motion);
        }
        for p in 0..self.used {
            self.take_polynomials(p);
            see(p, &self.polynomials);
            let blocks = std::mem::take(&mut self.blocks);
            for block in &blocks.all {
                let slots = (&blocks.from[block.from..], &blocks.to[block.to..]);
                self.add_block(block, slots, p);
            }
            self.blocks = blocks;
        }
        for group in self.layout.groups.iter().filter(|group| group.equation == Equation::Idle) {
            for e in s * group.unknowns.start..s * group.unknowns.end {
                let slot = self.pattern.index(e, e).expect("the diagonal is stored");
                self.values[slot] = 1.0;
            }
        }
    }

    /// Derivatives of the system at a place, with multipliers and without where both are wanted.
    pub(super) fn take_polynomials(&mut self, p: usize) {
        let (part, memory) = (self.scheme.places[p].1, &self.course.start.memory);
        let [own, free] = &mut self.polynomials;
        let place = &self.places[p];
        let level = if part == Part::Rates { Level::Velocity } else { Level::Position };
        let (identity, scratch) = (&self.identity, &mut self.scratch);
        let at = place.instant(memory, part != Part::Free);
        self.system.step_polynomial(at, identity, level, own, scratch);
        if part == Part::Joints {
            let at = place.instant(memory, false);
            self.system.step_polynomial(at, identity, Level::Position, free, scratch);
        }
    }

    /// How a frame moves at all places.
    pub(super) fn take_operators(&mut self, motion: usize) {
        let (s, h) = (self.scheme.stages(), self.course.h);
        let path = self.course.path(&self.layout, motion);
        let (nodes, [by_first, by_before]) = (path.node_tangents(), path.jump_tangents());
        let of_nodes = &self.scheme.nodes_of_velocities;
        let mut speeds = [[Mat6::zeros(); MOST]; MOST];
        let (places, used) = (self.scheme.places.len(), self.used);
        for (p, (place, _)) in self.scheme.places.iter().enumerate().take(used) {
            let tangent = path.tangent(&path.at(place), place, &nodes);
            self.operators.before[motion * places + p] = tangent.before[0];
            if let Some(speed) = self.operators.before_speeds[motion][..s].get_mut(p) {
                *speed = tangent.before[1] - by_before * place.jump_rate;
            }
            for (j, operators) in self.operators.of_mut(motion, p).iter_mut().enumerate() {
                operators.position = (0..s).map(|a| tangent.moved[a] * (h * of_nodes[a][j])).sum();
                if let Some(speeds) = speeds[..s].get_mut(p) {
                    speeds[j] = (0..s).map(|a| tangent.speed[a] * of_nodes[a][j]).sum::<Mat6>()
                        - by_first * (place.jump_rate * of_nodes[0][j]);
                }
            }
        }
        for (p, (place, _)) in self.scheme.places.iter().enumerate().take(used) {
            let values = &self.places[p];
            let (linear, angular) = se3::split(&values.w[motion]);
            let [w, omega, c] = [linear, angular, values.c[motion]].map(|x| so3::skew(&x));
            for (j, operators) in self.operators.of_mut(motion, p).iter_mut().enumerate() {
                let velocity: Mat6 = (0..s).map(|g| speeds[g][j] * place.stage[g]).sum();
                let rate: Mat6 = (0..s).map(|g| speeds[g][j] * (place.rate[g] / h)).sum();
                (operators.velocity, operators.acceleration) =
                    in_chart(&operators.position, velocity, rate, [w, omega, c]);
            }
        }
        self.operators.speeds[motion] = speeds;
    }

    /// Adds what a block of the system's matrix is at a place to all points of its row.
    fn add_block(&mut self, block: &Block, (from, to): (&[u32], &[u32]), p: usize) {
        let (s, h) = (self.scheme.stages(), self.course.h);
        let (row, column) = (&self.layout.groups[block.row], &self.layout.groups[block.column]);
        let part_of_place = self.scheme.places[p].1;
        let multiplier = column.unknown == Unknown::Multiplier;
        if !part_of_place.has(row.equation) || (multiplier && part_of_place == Part::Free) {
            return;
        }
        let [rows, columns] = [row.unknowns.len(), column.unknowns.len()];
        if row.unknown != Unknown::Motion && column.unknown != Unknown::Motion {
            self.add_plain(block, (from, to), p);
            return;
        }
        // What follows multipliers alone is taken at the points of the constraints.
        let share = part_of_place == Part::Joints && row.equation == Equation::Balance && !multiplier;
        let mut parts = [[[0.0; 6]; 6]; 3];
        let mut any = [false; 3];
        for m in 0..rows {
            for n in 0..columns {
                let slot = from[m * columns + n];
                if slot == NONE {
                    continue;
                }
                for ((part, any), power) in parts.iter_mut().zip(&mut any).zip(0..3) {
                    let [own, free] = [0, 1].map(|k| self.polynomials[k].powers[power][slot as usize]);
                    part[m][n] = if share { own - free } else { own };
                    *any |= part[m][n] != 0.0;
                }
            }
        }
        let turned = |id: usize| self.places[p].frames[self.layout.motions[id]].rot;
        for (part, _) in parts.iter_mut().zip(&any).filter(|(_, any)| **any) {
            if row.unknown == Unknown::Motion {
                turn_rows(part, &turned(row.motion), columns);
            }
            if column.unknown == Unknown::Motion {
                turn_columns(part, &turned(column.motion), rows);
            }
        }
        let own = block.row == block.column && row.unknown == Unknown::Motion;
        if !(own || any.contains(&true)) {
            return;
        }
        let first = row.unknowns.start;
        let residual = &self.places[p].residual;
        for j in 0..s {
            let mut out = [[0.0; 6]; 6];
            if column.unknown == Unknown::Motion {
                let operators = &self.operators.of(column.motion, p)[j];
                let all = [&operators.acceleration, &operators.velocity, &operators.position];
                let of = part_of_place.level(row.equation);
                for ((part, _), operator) in
                    parts.iter().zip(&any).zip(&all[of..]).filter(|((_, any), _)| **any)
                {
                    multiply(part, operator, [rows, columns], &mut out);
                }
                if own {
                    let force = so3::skew(&[0, 1, 2].map(|m| residual[first + m]).into());
                    let moved = force * operators.position.fixed_view::<3, 6>(3, 0);
                    for (m, out) in out.iter_mut().enumerate().take(3) {
                        out.iter_mut().enumerate().for_each(|(n, out)| *out += moved[(m, n)]);
                    }
                }
            } else {
                let factors = self.factors_of(column.unknown, p, j, h);
                let of = part_of_place.level(row.equation);
                let factors = match multiplier {
                    true => [factors[0], 0.0, 0.0],
                    false => std::array::from_fn(|k| factors.get(k + of).copied().unwrap_or(0.0)),
                };
                for (part, factor) in parts.iter().zip(factors) {
                    for (out, part) in out.iter_mut().zip(part).take(rows) {
                        out.iter_mut().zip(part).take(columns).for_each(|(out, x)| *out += factor * x);
                    }
                }
            }
            let target = Target { s, weights: &self.weights, values: &mut self.values };
            target.scatter(&out, [rows, columns], to, [j, p], row.equation);
        }
    }

    /// [`Self::add_block`] of a block without frames that turn.
    fn add_plain(&mut self, block: &Block, (from, to): (&[u32], &[u32]), p: usize) {
        let (s, h) = (self.scheme.stages(), self.course.h);
        let (row, column) = (&self.layout.groups[block.row], &self.layout.groups[block.column]);
        let part_of_place = self.scheme.places[p].1;
        let multiplier = column.unknown == Unknown::Multiplier;
        let share = part_of_place == Part::Joints && row.equation == Equation::Balance && !multiplier;
        let [rows, columns] = [row.unknowns.len(), column.unknowns.len()];
        let of = part_of_place.level(row.equation);
        let mut factors = [[0.0; 3]; MOST];
        for (j, factors) in factors.iter_mut().enumerate().take(s) {
            let all = self.factors_of(column.unknown, p, j, h);
            match multiplier {
                true => factors[0] = all[0],
                false => factors[..3 - of].copy_from_slice(&all[of..]),
            }
        }
        let weights = &self.weights.of(row.equation, p)[..s];
        for m in 0..rows {
            for n in 0..columns {
                let slot = from[m * columns + n];
                if slot == NONE {
                    continue;
                }
                let slot = slot as usize;
                let [own, free] = &self.polynomials;
                let mut parts: [f64; 3] = std::array::from_fn(|k| own.powers[k][slot]);
                if share {
                    parts.iter_mut().zip(&free.powers).for_each(|(part, free)| *part -= free[slot]);
                }
                if parts == [0.0; 3] {
                    continue;
                }
                for (j, factors) in factors.iter().enumerate().take(s) {
                    let by: f64 = parts.iter().zip(factors).map(|(part, factor)| part * factor).sum();
                    let first = to[s * n + j] as usize + s * m;
                    let values = &mut self.values[first..first + s];
                    values.iter_mut().zip(weights).for_each(|(value, weight)| *value += weight * by);
                }
            }
        }
    }

    /// Changes of acceleration, velocity and position of an unknown by its y_j, or that of a multiplier.
    fn factors_of(&self, unknown: Unknown, p: usize, j: usize, h: f64) -> [f64; 3] {
        let place = &self.scheme.places[p].0;
        match unknown {
            Unknown::Coordinate | Unknown::Motion => [place.rate[j] / h, place.stage[j], h * place.path[j]],
            Unknown::Variable => [place.variable_rate[j] / h, place.variable[j], 0.0],
            Unknown::Multiplier => [place.pulled[j] / h, 0.0, 0.0],
        }
    }
}

/// Where blocks go.
struct Target<'a> {
    s: usize,
    weights: &'a RowWeights,
    values: &'a mut [f64],
}

impl Target<'_> {
    /// Adds a block by y_j at place p to the points of its rows.
    fn scatter(
        self,
        out: &Local,
        [rows, columns]: [usize; 2],
        to: &[u32],
        [j, p]: [usize; 2],
        kind: Equation,
    ) {
        let s = self.s;
        for (i, &weight) in self.weights.of(kind, p).iter().enumerate().take(s) {
            if weight == 0.0 {
                continue;
            }
            for n in 0..columns {
                let slot = to[s * n + j] as usize + i;
                for (m, out) in out.iter().enumerate().take(rows) {
                    self.values[slot + s * m] += weight * out[n];
                }
            }
        }
    }
}

/// Changes of v and a in the chart, seen in the axes of the frame.
fn in_chart(moved: &Mat6, velocity: Mat6, rate: Mat6, [w, omega, c]: [Mat3; 3]) -> (Mat6, Mat6) {
    let (mut v, mut a) = (velocity, rate);
    let turn = moved.fixed_view::<3, 6>(3, 0);
    let (linear, angular) = (velocity.fixed_view::<3, 6>(0, 0), velocity.fixed_view::<3, 6>(3, 0));
    let mut top = v.fixed_view_mut::<3, 6>(0, 0);
    top -= w * turn;
    let mut top = a.fixed_view_mut::<3, 6>(0, 0);
    top += omega * linear - w * angular - c * turn;
    (v, a)
}

/// The first three rows by Rᵀ.
fn turn_rows(part: &mut Local, rot: &Mat3, columns: usize) {
    let [x, y, z, ..] = part;
    for ((x, y), z) in x.iter_mut().zip(y).zip(z).take(columns) {
        let turned = rot.tr_mul(&Vec3::new(*x, *y, *z));
        (*x, *y, *z) = (turned.x, turned.y, turned.z);
    }
}

/// The first three columns by R.
fn turn_columns(part: &mut Local, rot: &Mat3, rows: usize) {
    for row in part.iter_mut().take(rows) {
        let x = [row[0], row[1], row[2]];
        for n in 0..3 {
            row[n] = (0..3).map(|k| x[k] * rot[(k, n)]).sum();
        }
    }
}

/// out += part operator.
fn multiply(part: &Local, operator: &Mat6, [rows, columns]: [usize; 2], out: &mut Local) {
    for (out, part) in out.iter_mut().zip(part).take(rows) {
        for (k, x) in part.iter().enumerate().take(columns).filter(|(_, x)| **x != 0.0) {
            out.iter_mut().enumerate().for_each(|(n, out)| *out += x * operator[(k, n)]);
        }
    }
}
