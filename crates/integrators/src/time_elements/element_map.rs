//! A time element as a map from the state before it to its end, with the exact derivative.
//!
//! The element E(y; x, h) = 0 is solved to rounding; its end has positions on the constraints, and its
//! velocities ṽ are moved onto them with the least change in the sense of the masses:
//!
//! ```text
//! δy = −E_y⁻¹ (E_x δx + E_h δh),     (δq, δṽ) = ∂end/∂y δy + ∂end/∂x δx
//! M (v − ṽ) + Gᵀμ = 0,   G v + drift = 0:
//! [ M Gᵀ ] [ δv − δṽ ]     [ ∂(M (v − ṽ) + Gᵀμ)/∂q δq                    ]
//! [ G 0  ] [ δμ      ] = − [ ∂(G v + drift)/∂q δq + G δṽ − δu            ]
//! ```
//! with the masses and the v − ṽ held in the first row, and u the variables that rows follow. What elements
//! remember (turns of angles) is held. The derivative by the length leaves out what applied forces and
//! equations of networks do as functions of time alone; driven constraints are in it.

use crate::control::{ErrorMeasure, Tolerance};
use crate::linear::saddle_point::{SaddlePoint, instant};
use crate::newton::policy::RADAU;
use crate::step_failure::StepFailure;
use crate::step_map::StepMap;
use crate::step_report::Counters;
use crate::time_elements::course::combined;
use crate::time_elements::guess::KnownCourses;
use crate::time_elements::layout::Unknown;
use crate::time_elements::newton::{ElementNewton, Until};
use crate::time_elements::slopes::{PlaceChange, Slopes, adjoint_at, change_at, length_change_at};
use crate::time_elements::{Scheme, TimeElement};
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6, se3, so3};
use poinsot_mechanics::{Chart, Instant, State, StepPolynomial, System};

/// Tolerance by whose weights increments are added up; the iteration goes on to rounding.
const WEIGHTS: f64 = 1e-9;

/// A time element that is solved to rounding, as a map.
#[derive(Debug)]
pub struct ElementMap<'s> {
    element: TimeElement<'s>,
    newton: ElementNewton,
    measure: ErrorMeasure,
    saddle: SaddlePoint,
    counters: Counters,
    /// Accelerations before the element.
    a: Vec<f64>,
    end_a: Vec<f64>,
    slopes: Slopes,
    projection: Projection,
    /// Whether the slopes are those of the last step.
    ready: bool,
    /// Whether they could be factored.
    sound: bool,
    /// What steps over places of a mesh came to, and the place of the next step.
    known: KnownCourses,
    place: Option<(usize, f64)>,
    /// Combined equations, two of them, and changes of the end.
    equations: [Vec<f64>; 2],
    end: PlaceChange,
}

/// The derivative of the projection of velocities at the end.
#[derive(Debug)]
struct Projection {
    /// Whether there are rows at all.
    wanted: bool,
    /// In which rows there is a constraint, and where it is one on positions.
    in_force: Vec<bool>,
    on_positions: Vec<bool>,
    /// v − ṽ with μ in the entries of rows.
    impulse: Vec<f64>,
    /// With the impulse, and without.
    polynomials: [StepPolynomial; 2],
    identity: Vec<Mat3>,
    rhs: Vec<f64>,
    zero: Vec<f64>,
    held: Vec<f64>,
    /// The end.
    state: State,
}

impl<'s> ElementMap<'s> {
    /// A map of elements on a system, with accelerations and constraints that are determined.
    pub fn new(system: &'s System, scheme: Scheme) -> Result<Self, StepFailure> {
        let start = system.start_state(0.0);
        if !scheme.closes {
            return Err(StepFailure::refused(
                start.t,
                "at Gauss points no constraint on positions holds at the end of an element",
                "take right Radau points",
            ));
        }
        if scheme.is_mechanical && !system.networks().is_empty() {
            return Err(StepFailure::refused(
                start.t,
                "a continuous Galerkin element has momenta at its ends, and equations of other domains have none",
                "take collocation, or a discontinuous element",
            ));
        }
        let (n, rows) = (system.size(), system.enforced_equations());
        let element = TimeElement::new(system, scheme, &start);
        let size = element.size();
        let mut in_force = vec![false; n];
        rows.iter().for_each(|&row| in_force[row] = true);
        let mut on_positions = in_force.clone();
        system.velocity_equations().into_iter().for_each(|row| on_positions[row] = false);
        Ok(ElementMap {
            newton: ElementNewton::new(size, n),
            measure: ErrorMeasure::new(system, Tolerance::both(WEIGHTS)),
            saddle: SaddlePoint::new(system),
            counters: Counters::default(),
            a: vec![0.0; n],
            end_a: vec![0.0; n],
            slopes: Slopes::new(&element),
            projection: Projection {
                wanted: !rows.is_empty(),
                in_force,
                on_positions,
                impulse: vec![0.0; n],
                polynomials: std::array::from_fn(|_| StepPolynomial::new(system)),
                identity: vec![Mat3::identity(); system.nodes().len()],
                rhs: vec![0.0; n],
                zero: vec![0.0; n],
                held: vec![0.0; n],
                state: start,
            },
            ready: false,
            sound: true,
            known: KnownCourses::default(),
            place: None,
            equations: [vec![0.0; size], vec![0.0; size]],
            end: PlaceChange::new(n),
            element,
        })
    }

    /// The element of the last step.
    pub fn element(&self) -> &TimeElement<'s> {
        &self.element
    }

    /// Multipliers, accelerations and rates at the end of the last step, as its polynomials have them.
    pub fn accelerations(&self) -> &[f64] {
        &self.end_a
    }

    /// What the steps have cost.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    fn system(&self) -> &'s System {
        self.element.system
    }

    /// Solves an element from what its place came to before; false if that does not help.
    fn solve_again(&mut self, place: (usize, f64), start: &State, h: f64) -> bool {
        let Some((course, first, share)) = self.known.of(place, h) else { return false };
        self.element.begin(start, h);
        let until = (Until::Rounding, RADAU.iterations[0]);
        self.element.go_along(course, first, share)
            && self.newton.solve(&mut self.element, &self.measure, until, &mut self.counters).is_ok()
    }

    /// Solves an element from the accelerations before it.
    fn solve(&mut self, start: &State, h: f64) -> Result<(), StepFailure> {
        let system = self.element.system;
        self.a.fill(0.0);
        let found = self.saddle.accelerations(system, start, &mut self.a);
        found.map_err(|e| StepFailure::singular(system, start.t, &e))?;
        system.network_rates(start, &mut self.a, &mut self.saddle.scratch);
        let until = (Until::Rounding, RADAU.iterations[1]);
        // Beside its motion a stiff model has accelerations that tell nothing of a long element. Parts of a
        // rotor that go on straight are stretched, and turned stiffer or softer than they are.
        let mut result = Ok(());
        for guess in [Guess::Accelerated, Guess::Turning, Guess::Straight] {
            self.element.begin(start, h);
            match guess {
                Guess::Accelerated => self.element.go_on(&self.a),
                Guess::Turning => self.element.go_on_turning(),
                Guess::Straight => {
                    self.a.fill(0.0);
                    self.element.go_on(&self.a);
                }
            }
            result = self.newton.solve(&mut self.element, &self.measure, until, &mut self.counters).map(drop);
            if result.is_ok() {
                break;
            }
        }
        result
    }

    /// Moves the velocities of the end onto the constraints; keeps v − ṽ and μ.
    fn close(&mut self, end: &mut State) -> Result<(), StepFailure> {
        let (system, Projection { wanted, impulse, state, .. }) = (self.element.system, &mut self.projection);
        impulse.fill(0.0);
        if *wanted {
            self.saddle.factor(system, end).map_err(|e| StepFailure::singular(system, end.t, &e))?;
            let before = &mut self.end.v;
            before.copy_from_slice(&end.v);
            system.constraint_rate(&instant(end, &self.end.a), impulse, &mut self.saddle.scratch);
            system.hold_variables(impulse);
            impulse.iter_mut().for_each(|rate| *rate = -*rate);
            self.saddle.solve(impulse);
            self.saddle.close_velocities(system, end);
            for e in system.nodes().iter().flat_map(|node| node.unknowns()) {
                impulse[e] = end.v[e] - before[e];
            }
        }
        state.clone_from(end);
        Ok(())
    }

    /// The derivatives of the last step.
    fn prepare(&mut self) {
        if std::mem::replace(&mut self.ready, true) {
            return;
        }
        self.sound = self.slopes.take(&mut self.element, &mut self.equations[0]).is_ok();
        let Projection { wanted, impulse, polynomials, identity, state, rhs, .. } = &mut self.projection;
        if *wanted {
            let system = self.element.system;
            let [with, without] = polynomials;
            rhs.fill(0.0);
            for (a, polynomial) in [(&*impulse, with), (&*rhs, without)] {
                let at = instant(state, a);
                system.inertia_polynomial(at, identity, polynomial, &mut self.saddle.scratch);
            }
        }
    }

    /// Changes of the end by increments y of the unknowns.
    fn add_increments(&mut self, which: usize) {
        let (element, y, out) = (&self.element, &self.equations[which], &mut self.end);
        let (s, h, place) = (element.scheme.stages(), element.course.h, &element.scheme.end);
        for group in &element.layout.groups {
            if group.unknown != Unknown::Motion {
                for e in group.unknowns.clone() {
                    let y = &y[s * e..s * e + s];
                    match group.unknown {
                        Unknown::Coordinate => {
                            out.q[e] += h * combined(&place.path, y);
                            out.v[e] += combined(&place.stage, y);
                        }
                        Unknown::Variable => out.v[e] += combined(&place.variable, y),
                        Unknown::Motion | Unknown::Multiplier => {}
                    }
                }
                continue;
            }
            let first = group.unknowns.start;
            let frame = &element.end.frames[element.layout.motions[group.motion]];
            let by = |j: usize| Vec6::from_fn(|m, _| y[s * (first + m) + j]);
            let moved: Vec6 = (0..s).map(|j| by(j) * (h * place.path[j])).sum();
            let w: Vec6 = (0..s).map(|j| end_speed(element, group.motion, j) * by(j)).sum();
            let ((r, turn), (v, spin)) = (se3::split(&moved), se3::split(&w));
            let own = se3::split(&element.end.w[group.motion]).0;
            add(&mut out.q, first, [frame.rot * r, turn]);
            add(&mut out.v, first, [frame.rot * (v + turn.cross(&own)), spin]);
        }
    }

    /// The adjoint: `equations[0]` := what the adjoints of the end are for the unknowns.
    fn pull_increments(&mut self) {
        let (element, end, y) = (&self.element, &self.end, &mut self.equations[0]);
        let (s, h, place) = (element.scheme.stages(), element.course.h, &element.scheme.end);
        y.fill(0.0);
        for group in &element.layout.groups {
            if group.unknown != Unknown::Motion {
                for e in group.unknowns.clone() {
                    for j in 0..s {
                        y[s * e + j] = match group.unknown {
                            Unknown::Coordinate => h * place.path[j] * end.q[e] + place.stage[j] * end.v[e],
                            Unknown::Variable => place.variable[j] * end.v[e],
                            Unknown::Motion | Unknown::Multiplier => 0.0,
                        };
                    }
                }
                continue;
            }
            let first = group.unknowns.start;
            let rot = &element.end.frames[element.layout.motions[group.motion]].rot;
            let take = |from: &[f64], k: usize| Vec3::from_column_slice(&from[first + k..first + k + 3]);
            let own = se3::split(&element.end.w[group.motion]).0;
            let (r, v) = (rot.tr_mul(&take(&end.q, 0)), rot.tr_mul(&take(&end.v, 0)));
            // (δψ × w)·v = δψ·(w × v).
            let moved = se3::join(&r, &(take(&end.q, 3) + own.cross(&v)));
            let w = se3::join(&v, &take(&end.v, 3));
            for j in 0..s {
                let by = moved * (h * place.path[j]) + end_speed(element, group.motion, j).tr_mul(&w);
                by.iter().enumerate().for_each(|(m, by)| y[s * (first + m) + j] = *by);
            }
        }
    }

    /// Projects the changes of the end; `drifts` are those of the rates besides.
    fn project(&mut self, drifts: bool) {
        let (system, Projection { wanted, in_force, polynomials, rhs, .. }) =
            (self.element.system, &mut self.projection);
        if !*wanted {
            return;
        }
        if !drifts {
            rhs.fill(0.0);
        }
        let [with, without] = &*polynomials;
        let (pattern, PlaceChange { q, v, .. }) = (system.pattern(), &self.end);
        for c in 0..pattern.n() {
            if in_force[c] || (q[c] == 0.0 && v[c] == 0.0) {
                continue;
            }
            for (&r, slot) in pattern.rows(c).iter().zip(pattern.slots(c)) {
                rhs[r] += if in_force[r] {
                    with.powers[1][slot] * q[c] + with.powers[0][slot] * v[c]
                } else {
                    (with.powers[2][slot] - without.powers[2][slot]) * q[c]
                };
            }
        }
        system.hold_variables(rhs);
        self.saddle.solve(rhs);
        for e in system.nodes().iter().flat_map(|node| node.unknowns()) {
            self.end.v[e] -= rhs[e];
        }
    }

    /// The adjoint of [`ElementMap::project`] without drifts.
    fn project_transposed(&mut self) {
        let (system, Projection { wanted, in_force, polynomials, rhs, .. }) =
            (self.element.system, &mut self.projection);
        if !*wanted {
            return;
        }
        rhs.fill(0.0);
        for e in system.nodes().iter().flat_map(|node| node.unknowns()) {
            rhs[e] = -self.end.v[e];
        }
        self.saddle.solve_transposed(rhs);
        system.hold_variables(rhs);
        let [with, without] = &*polynomials;
        let pattern = system.pattern();
        for c in (0..pattern.n()).filter(|&c| !in_force[c]) {
            for (&r, slot) in pattern.rows(c).iter().zip(pattern.slots(c)) {
                if in_force[r] {
                    self.end.q[c] += with.powers[1][slot] * rhs[r];
                    self.end.v[c] += with.powers[0][slot] * rhs[r];
                } else {
                    self.end.q[c] += (with.powers[2][slot] - without.powers[2][slot]) * rhs[r];
                }
            }
        }
    }

    /// Φ of one change whose increments stand in `equations[which]`.
    fn end_of(&mut self, x: &[f64], which: usize, out: &mut [f64]) {
        let (element, n) = (&self.element, self.element.system.size());
        self.slopes.see_start(element, x);
        change_at(element, None, (x, &self.slopes.start), &mut self.end);
        self.add_increments(which);
        self.project(false);
        out[..n].copy_from_slice(&self.end.q);
        out[n..].copy_from_slice(&self.end.v);
        self.clear_rows(out);
    }

    /// Zero in the entries of multipliers.
    fn clear_rows(&self, out: &mut [f64]) {
        let n = self.element.system.size();
        for group in self.element.layout.groups.iter().filter(|group| group.unknown == Unknown::Multiplier) {
            let e = group.unknowns.start;
            (out[e], out[n + e]) = (0.0, 0.0);
        }
    }
}

impl StepMap for ElementMap<'_> {
    fn size(&self) -> usize {
        2 * self.system().size()
    }

    fn advance(&mut self, start: &State, h: f64, end: &mut State) -> Result<(), StepFailure> {
        let system = self.system();
        self.ready = false;
        self.measure.weigh_at(start, h);
        let place = self.place.take();
        if !place.is_some_and(|place| self.solve_again(place, start, h)) {
            self.solve(start, h)?;
        }
        if let Some(place) = place {
            self.known.keep(place, self.element.course());
        }
        end.clone_from(start);
        self.element.finish(end, &mut self.end_a);
        self.close(end)?;
        for (node, frame) in system.nodes().iter().zip(&mut end.frames) {
            if matches!(node.chart, Chart::Motion | Chart::Planar { .. }) {
                frame.rot = so3::orthonormalize(&frame.rot);
            }
        }
        system.remember_with(end, &mut self.element.scratch);
        self.counters.steps += 1;
        Ok(())
    }

    fn resume(&mut self, place: usize, from: f64) {
        self.place = Some((place, from));
    }

    fn halve(&mut self) {
        self.known.halve();
    }

    fn forget(&mut self) {
        self.known.clear();
    }

    fn push(&mut self, changes: &[f64], out: &mut [f64]) {
        self.prepare();
        if !self.sound {
            return out.fill(f64::NAN);
        }
        let size = self.size();
        for (pair, out) in changes.chunks(2 * size).zip(out.chunks_mut(2 * size)) {
            let count = pair.len() / size;
            for (k, x) in pair.chunks_exact(size).enumerate() {
                self.slopes.by_start(&self.element, x, &mut self.equations[k]);
                self.equations[k].iter_mut().for_each(|e| *e = -*e);
            }
            let [one, two] = &mut self.equations;
            match count {
                1 => self.element.solve(one),
                _ => self.element.solve2(one, two),
            }
            for (k, (x, out)) in pair.chunks_exact(size).zip(out.chunks_exact_mut(size)).enumerate() {
                self.end_of(x, k, out);
            }
        }
    }

    fn pull(&mut self, changes: &[f64], out: &mut [f64]) {
        self.prepare();
        if !self.sound {
            return out.fill(f64::NAN);
        }
        let (n, size) = (self.system().size(), self.size());
        for (y, out) in changes.chunks_exact(size).zip(out.chunks_exact_mut(size)) {
            self.end.a.fill(0.0);
            self.end.q.copy_from_slice(&y[..n]);
            self.end.v.copy_from_slice(&y[n..]);
            for group in self.element.layout.groups.iter().filter(|g| g.unknown == Unknown::Multiplier) {
                let e = group.unknowns.start;
                (self.end.q[e], self.end.v[e]) = (0.0, 0.0);
            }
            self.project_transposed();
            self.pull_increments();
            let equations = &mut self.equations[0];
            self.element.solve_transposed(equations);
            equations.iter_mut().for_each(|e| *e = -*e);
            out.fill(0.0);
            self.slopes.by_start_transposed(&self.element, equations, out);
            // What the end sees of the start at once.
            let element = &self.element;
            self.slopes.start.clear();
            adjoint_at(element, None, &self.end, (out, &mut self.slopes.start));
            self.slopes.unsee_start(element, out);
            self.clear_rows(out);
        }
    }

    fn by_length(&mut self, out: &mut [f64]) {
        self.prepare();
        if !self.sound {
            return out.fill(f64::NAN);
        }
        let n = self.system().size();
        self.slopes.by_length(&mut self.element, &mut self.equations[0]);
        let equations = &mut self.equations[0];
        equations.iter_mut().for_each(|e| *e = -*e);
        self.element.solve(equations);
        length_change_at(&self.element, None, &mut self.end);
        self.add_increments(0);
        self.drift();
        self.project(true);
        out[..n].copy_from_slice(&self.end.q);
        out[n..].copy_from_slice(&self.end.v);
        self.clear_rows(out);
    }
}

impl ElementMap<'_> {
    /// How the equations of the projection change with time alone, into `rhs`.
    fn drift(&mut self) {
        let Projection { in_force, on_positions, polynomials, impulse, state, rhs, zero, held, .. } =
            &mut self.projection;
        let (system, scratch) = (self.element.system, &mut self.saddle.scratch);
        let at = instant(state, zero);
        rhs.fill(0.0);
        system.constraint_acceleration(&at, rhs, scratch);
        let pattern = system.pattern();
        for c in system.nodes().iter().flat_map(|node| node.unknowns()) {
            for (&r, slot) in pattern.rows(c).iter().zip(pattern.slots(c)) {
                rhs[r] -= polynomials[0].powers[1][slot] * state.v[c];
            }
        }
        rhs.iter_mut().zip(&*in_force).filter(|(_, row)| !**row).for_each(|(x, _)| *x = 0.0);
        held.copy_from_slice(impulse);
        held.iter_mut().zip(&*on_positions).filter(|(_, row)| !**row).for_each(|(x, _)| *x = 0.0);
        system.add_rate_pull(&Instant { v: zero, ..at }, held, 1.0, rhs, scratch);
    }
}

/// How a motion is guessed to go on over an element.
#[derive(Clone, Copy)]
enum Guess {
    /// With the accelerations before it.
    Accelerated,
    /// With the velocities that the frames have in their own axes.
    Turning,
    /// With the velocities in space.
    Straight,
}

/// ∂w/∂y_j at the end.
fn end_speed(element: &TimeElement, motion: usize, j: usize) -> Mat6 {
    let (speeds, stage) = (element.operators.speeds(motion), &element.scheme.end.stage);
    (0..element.scheme.stages()).map(|g| speeds[g][j] * stage[g]).sum()
}

/// Adds two vectors one after the other.
fn add(out: &mut [f64], first: usize, parts: [Vec3; 2]) {
    for (k, part) in parts.into_iter().enumerate() {
        let to = &mut out[first + 3 * k..first + 3 * k + 3];
        to.iter_mut().zip(part.iter()).for_each(|(x, part)| *x += part);
    }
}
