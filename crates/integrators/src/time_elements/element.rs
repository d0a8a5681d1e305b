//! The equations of a time element on a system (motion-interpolation-galerkin §1.16).
//!
//! ```text
//! balance       ρ_g + Σ_r B_gr (Gᵀλ)_r = 0          at the points g of the balance
//! constraints   Φ(β_r) = 0, or G v + drift = 0      at the points r of the constraints
//! variables     their equations at the points r
//! ```
//! ρ = M a − Q is the residual of the system, in the axes of the frames; what follows multipliers (Gᵀλ,
//! friction, laws of reactions) is taken at the points of the constraints. Where points are the same the
//! system is evaluated once: see [`Scheme`] for what is taken where. The equations are combined so that
//! their matrix is that of the system for each point, and a part that goes with h:
//!
//! ```text
//! balance  h A (ρ + B Gᵀλ),     positions  (path)⁻¹ Φ/h,     velocities  (stage)⁻¹ Φ̇,     rates  h A_x ρ_x
//! unknowns  δu_a = h Σ_j V⁻¹_aj y_j,     δx_r = y_r,     δλ_r = (1/h) Σ_j (A B)⁻¹_rj y_j
//! ```

use crate::linear::factors::Factors;
use crate::linear::saddle_point::instant;
use crate::time_elements::blocks::{Blocks, expanded_pattern};
use crate::time_elements::course::{Course, PlaceValues, combined, frame};
use crate::time_elements::layout::{Equation, Layout, Unknown};
use crate::time_elements::motion_path::pose;
use crate::time_elements::scheme::{MOST, Part, Scheme};
use crate::time_elements::tangent::MotionOperators;
use poinsot_geometry::{Mat3, Vec3, Vec6};
use poinsot_mechanics::{Scratch, State, StepPolynomial, System};
use poinsot_numerics::lu::PivotError;
use poinsot_numerics::pattern::Pattern;

/// A time element on a system: its unknowns, its equations and their exact derivatives. It knows no steps:
/// initial value problems, periodic ones and controls put elements together in their own ways.
#[derive(Debug)]
pub struct TimeElement<'s> {
    pub(super) system: &'s System,
    pub(super) scheme: Scheme,
    pub(super) layout: Layout,
    /// The motion over the element.
    pub(super) course: Course,
    /// The system at the places of the scheme.
    pub(super) places: Vec<PlaceValues>,
    pub(super) end: PlaceValues,
    pub(super) pattern: Pattern,
    pub(super) blocks: Blocks,
    pub(super) values: Vec<f64>,
    pub(super) factors: Factors,
    pub(super) operators: MotionOperators,
    pub(super) polynomials: [StepPolynomial; 2],
    pub(super) identity: Vec<Mat3>,
    pub(super) other: [Vec<f64>; 2],
    /// Work arrays, free for the caller's own evaluations.
    pub scratch: Scratch,
}

impl<'s> TimeElement<'s> {
    /// An element after a state.
    pub fn new(system: &'s System, scheme: Scheme, start: &State) -> Self {
        let layout = Layout::new(system);
        let count = scheme.places.len();
        let pattern = expanded_pattern(system, &layout, scheme.stages());
        let zero = vec![0.0; system.size()];
        TimeElement {
            course: Course::new(system, &layout, &scheme, start),
            places: vec![PlaceValues::new(system, &layout); count],
            end: PlaceValues::new(system, &layout),
            blocks: Blocks::new(system, &layout, &pattern, scheme.stages()),
            values: vec![0.0; pattern.nnz()],
            factors: Factors::of(&pattern),
            operators: MotionOperators::new(&layout, &scheme),
            polynomials: std::array::from_fn(|_| StepPolynomial::new(system)),
            identity: vec![Mat3::identity(); system.nodes().len()],
            other: [zero.clone(), zero],
            scratch: Scratch::default(),
            pattern,
            layout,
            scheme,
            system,
        }
    }

    /// The numbers of the element.
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// The motion over the element.
    pub fn course(&self) -> &Course {
        &self.course
    }

    /// Unknowns of the element: those of the system at each point.
    pub fn size(&self) -> usize {
        self.system.size() * self.scheme.stages()
    }

    /// Begins an element of length h after a state; a guess is to follow.
    pub fn begin(&mut self, start: &State, h: f64) {
        self.course.begin(self.system, &self.layout, &self.scheme, start, h);
    }

    /// Guess: the motion goes on with accelerations and multipliers that are known before the element.
    pub fn go_on(&mut self, a: &[f64]) {
        // d(Rᵀṙ)/dt = Rᵀr̈ − ω × Rᵀṙ.
        let turning = &mut self.other[0];
        turning.copy_from_slice(a);
        for &id in &self.layout.motions {
            let first = self.system.nodes()[id].unknowns().start;
            let w = Vec6::from_column_slice(&self.course.start_w[first..first + 6]);
            let (linear, angular) = poinsot_geometry::se3::split(&w);
            let rot = &self.course.start.frames[id].rot;
            let rate = rot.tr_mul(&Vec3::from_column_slice(&a[first..first + 3])) - angular.cross(&linear);
            turning[first..first + 3].copy_from_slice(rate.as_slice());
        }
        self.go_on_with(a);
    }

    /// Guess: every frame goes on along its screw, with the velocity that it has in its own axes. What turns
    /// as one goes on turning as one, without a strain.
    pub fn go_on_turning(&mut self) {
        self.other[0].fill(0.0);
        self.go_on_with(&[]);
    }

    /// Goes on with the rates of velocities in `other[0]`, and the multipliers among `a`, zero without it.
    fn go_on_with(&mut self, a: &[f64]) {
        let (s, h) = (self.scheme.stages(), self.course.h);
        let turning = std::mem::take(&mut self.other[0]);
        for group in &self.layout.groups {
            for e in group.unknowns.clone() {
                let places = match group.unknown {
                    Unknown::Coordinate | Unknown::Motion => &self.scheme.balance,
                    Unknown::Variable | Unknown::Multiplier => &self.scheme.joints,
                };
                for (j, place) in places.iter().enumerate() {
                    let on = self.course.start_w[e] + place.alpha * h * turning[e];
                    let known = || a.get(e).copied().unwrap_or(0.0);
                    let value = if group.unknown == Unknown::Multiplier { known() } else { on };
                    let to = match group.unknown {
                        Unknown::Coordinate | Unknown::Motion => &mut self.course.w,
                        Unknown::Variable | Unknown::Multiplier => &mut self.course.values,
                    };
                    to[s * e + j] = value;
                }
            }
        }
        self.other[0] = turning;
        self.move_nodes();
        self.course.take_velocities(self.system, &self.layout, &self.scheme);
    }

    /// The nodes of the path from the velocities at the Gauss points, exact but for frames that turn.
    fn move_nodes(&mut self) {
        let (s, h) = (self.scheme.stages(), self.course.h);
        let along = |w: &[f64], a: usize| h * combined(&self.scheme.nodes_of_velocities[a], w);
        for group in &self.layout.groups {
            match group.unknown {
                Unknown::Coordinate => {
                    for e in group.unknowns.clone() {
                        for a in 0..s {
                            self.course.values[s * e + a] = along(&self.course.w[s * e..s * e + s], a);
                        }
                    }
                }
                Unknown::Motion => {
                    let before = pose(&self.course.start.frames[self.layout.motions[group.motion]]);
                    for a in 0..s {
                        let moved = Vec6::from_fn(|m, _| {
                            let e = group.unknowns.start + m;
                            along(&self.course.w[s * e..s * e + s], a)
                        });
                        self.course.frames[s * group.motion + a] = frame(&before.update(&moved));
                    }
                }
                Unknown::Variable | Unknown::Multiplier => {}
            }
        }
    }

    /// What the equations leave, combined as the head of this file says: entry i of equation e at s·e + i.
    pub fn residual(&mut self, out: &mut [f64]) {
        let (s, h) = (self.scheme.stages(), self.course.h);
        let used = self.used_places();
        for p in 0..used {
            self.course.visit(self.system, &self.layout, &self.scheme.places[p].0, &mut self.places[p]);
            match (self.layout.has_joints, self.scheme.places[p].1) {
                (false, _) | (true, Part::Free) => self.evaluate_free(p),
                (true, part) => self.evaluate_joints(p, part),
            }
            self.turn_residual(p);
        }
        out.fill(0.0);
        for group in &self.layout.groups {
            for e in group.unknowns.clone() {
                for i in 0..s {
                    out[s * e + i] = (0..used)
                        .map(|p| {
                            row_weight(&self.scheme, group.equation, [i, p], h) * self.places[p].residual[e]
                        })
                        .sum();
                }
            }
        }
    }

    /// Number of places at which anything is taken: those of the balance are enough where there is no more.
    pub(super) fn used_places(&self) -> usize {
        if self.layout.has_joints { self.places.len() } else { self.scheme.free }
    }

    /// What the equations leave without multipliers.
    fn evaluate_free(&mut self, p: usize) {
        let place = &mut self.places[p];
        let mut residual = std::mem::take(&mut place.residual);
        let at = place.instant(&self.course.start.memory, false);
        self.system.residual(&at, &mut residual, &mut self.scratch);
        place.residual = residual;
    }

    /// What the equations leave with multipliers, or what of it follows these.
    fn evaluate_joints(&mut self, p: usize, part: Part) {
        let system = self.system;
        let place = &mut self.places[p];
        let mut residual = std::mem::take(&mut place.residual);
        let (memory, [phi, other]) = (&self.course.start.memory, &mut self.other);
        let at = place.instant(memory, true);
        residual.fill(0.0);
        phi.fill(0.0);
        other.fill(0.0);
        if part != Part::Joints {
            system.residual_with_levels(&at, &mut residual, Some(phi), &mut self.scratch);
        } else if self.layout.is_pressed || self.layout.has_networks {
            system.residual_with_levels(&at, &mut residual, Some(phi), &mut self.scratch);
            if self.layout.is_pressed {
                system.residual(&place.instant(memory, false), other, &mut self.scratch);
            } else {
                other.copy_from_slice(&residual);
                let balances = self.layout.groups.iter().filter(|g| g.equation == Equation::Balance);
                balances.flat_map(|g| g.unknowns.clone()).for_each(|e| residual[e] = 0.0);
                system.add_pull(&at, at.a, &mut residual, &mut self.scratch);
                other.fill(0.0);
            }
        } else {
            system.constraint_levels(&at, phi, &mut residual, &mut self.scratch);
            system.add_pull(&at, at.a, &mut residual, &mut self.scratch);
        }
        for group in &self.layout.groups {
            for e in group.unknowns.clone() {
                match group.equation {
                    Equation::Balance => residual[e] -= other[e],
                    Equation::Level if part == Part::Rates => {}
                    Equation::Level => residual[e] = phi[e],
                    Equation::Idle => residual[e] = 0.0,
                    Equation::Velocity | Equation::Rate | Equation::Algebraic => {}
                }
            }
        }
        self.places[p].residual = residual;
    }

    /// Forces on frames that turn, in their axes.
    fn turn_residual(&mut self, p: usize) {
        let place = &mut self.places[p];
        for &id in &self.layout.motions {
            let first = self.system.nodes()[id].unknowns().start;
            let force = Vec3::from_column_slice(&place.residual[first..first + 3]);
            let turned = place.frames[id].rot.tr_mul(&force);
            place.residual[first..first + 3].copy_from_slice(turned.as_slice());
        }
    }

    /// Moves the unknowns by an increment y.
    pub fn improve(&mut self, y: &[f64]) {
        let (s, h) = (self.scheme.stages(), self.course.h);
        let along = |rows: &[[f64; MOST]; MOST], e: usize, a: usize| combined(&rows[a], &y[s * e..s * e + s]);
        for group in &self.layout.groups {
            if group.unknown == Unknown::Motion {
                for a in 0..s {
                    let nodes = &self.scheme.nodes_of_velocities;
                    let moved = Vec6::from_fn(|m, _| h * along(nodes, group.unknowns.start + m, a));
                    let node = &mut self.course.frames[s * group.motion + a];
                    *node = frame(&pose(node).update(&moved));
                }
                continue;
            }
            for e in group.unknowns.clone() {
                for a in 0..s {
                    self.course.values[s * e + a] += match group.unknown {
                        Unknown::Coordinate => h * along(&self.scheme.nodes_of_velocities, e, a),
                        Unknown::Multiplier => {
                            combined(&self.scheme.joints[a].pulled, &y[s * e..s * e + s]) / h
                        }
                        Unknown::Variable | Unknown::Motion => y[s * e + a],
                    };
                }
            }
        }
        self.course.take_velocities(self.system, &self.layout, &self.scheme);
    }

    /// The derivative of [`Self::residual`] by the increments of [`Self::improve`] at the unknowns of the
    /// last residual, factored.
    pub fn factor(&mut self) -> Result<(), PivotError> {
        self.linearize();
        self.factors.factor_of(&self.pattern, &self.values)
    }

    /// b := A⁻¹ b.
    pub fn solve(&self, b: &mut [f64]) {
        self.factors.solve(b);
    }

    /// b := A⁻¹ b and c := A⁻¹ c.
    pub fn solve2(&self, b: &mut [f64], c: &mut [f64]) {
        self.factors.solve2(b, c);
    }

    /// b := A⁻ᵀ b.
    pub fn solve_transposed(&self, b: &mut [f64]) {
        self.factors.solve_transposed(b);
    }

    /// The structure of the matrix of the element, and its entries as they were made last.
    pub fn matrix(&self) -> (&Pattern, &[f64]) {
        (&self.pattern, &self.values)
    }

    /// The state at the end of the element into `out`, and accelerations with multipliers there into `a`.
    pub fn finish(&mut self, out: &mut State, a: &mut [f64]) {
        self.course.end(self.system, &self.layout, &self.scheme, &mut self.end);
        out.t = self.course.start.t + self.course.h;
        out.frames.copy_from_slice(&self.end.frames);
        out.v.copy_from_slice(&self.end.v);
        out.memory.copy_from_slice(&self.course.start.memory);
        a.copy_from_slice(&self.end.a);
    }

    /// The continuous motion at a fraction of an element, by the Radau correction.
    pub fn motion(&self, course: &Course, alpha: f64, out: &mut State) {
        course.corrected(self.system, &self.layout, &self.scheme, alpha, out);
    }

    /// The way from the state before the element to its end, in the charts.
    pub fn moved(&self, out: &mut [f64]) {
        self.course.moved(self.system, &self.layout, &self.scheme, out);
    }

    /// The jumps at the start: of positions, and of velocities and variables, in the axes of the charts.
    pub fn jumps(&self, position: &mut [f64], velocity: &mut [f64]) {
        self.course.jumps(self.system, &self.layout, &self.scheme, position, velocity);
    }

    /// Energy supplied and dissipated over the element, by the quadrature of the constraints.
    pub fn work(&mut self) -> poinsot_mechanics::Power {
        let mut work = poinsot_mechanics::Power::default();
        for (place, values) in self.scheme.joints.iter().zip(&mut self.places) {
            self.course.visit(self.system, &self.layout, place, values);
            let power =
                self.system.power(&values.instant(&self.course.start.memory, true), &mut self.scratch);
            work.supplied += place.weight * self.course.h * power.supplied;
            work.dissipated += place.weight * self.course.h * power.dissipated;
        }
        work
    }

    /// How far positions and velocities at the end are from the constraints.
    pub fn open(&mut self, state: &State) -> [f64; 2] {
        let [phi, rate] = &mut self.other;
        phi.fill(0.0);
        rate.fill(0.0);
        self.system.constraint_levels(&instant(state, &self.end.free), phi, rate, &mut self.scratch);
        self.system.hold_variables(rate);
        [phi, rate].map(|rows| rows.iter().fold(0.0, |m: f64, x| m.max(x.abs())))
    }
}

/// The share of place p in equation i: [i, p].
pub(super) fn row_weight(scheme: &Scheme, equation: Equation, [i, p]: [usize; 2], h: f64) -> f64 {
    let [law, row] = scheme.first.map(|first| p.wrapping_sub(first));
    if !scheme.places[p].1.has(equation) {
        return 0.0;
    }
    match (equation, scheme.places[p].1) {
        (Equation::Level | Equation::Velocity, Part::Rates) => f64::from(i == 1),
        (Equation::Velocity, Part::Velocities) => f64::from(i == 0 && p == 0),
        (Equation::Balance, Part::Joints) => h * scheme.pull[i][law],
        (Equation::Balance, Part::Free) => h * scheme.integration[i][p],
        (Equation::Balance, _) => h * scheme.integration[i][law],
        (Equation::Level, _) => scheme.level[i][row] / h,
        (Equation::Velocity, _) => scheme.velocity[i][row],
        (Equation::Rate, _) => h * scheme.variables[i][law],
        (Equation::Algebraic, _) => scheme.algebraic[i][row],
        (Equation::Idle, _) => 0.0,
    }
}
