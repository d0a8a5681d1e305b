//! The equilibrium nearest to a start. Newton's method in bounded steps ends at one that is near, not surely
//! at the nearest: others are looked for from points inside the distance of the one that was found, and the
//! nearest of all is taken. That is evidence and no proof.
//!
//! ```text
//! points of equations     start + reach · radius · (irregular directions)
//! points of mechanisms    start, moved along K z = μ M z (the softest first), along each independent
//!                         coordinate and along mixtures of these, in small steps with [M Gᵀ; G 0]
//! ```
//! The distance of two states is the root of the sum of squares of what changed: of every joint the turn
//! (rad) or the displacement, in lengths of the model, of its bodies against each other, of every variable
//! the change in its nominal size. Where wheels roll what is near depends on the way there, and a beam has a
//! great many joints: there, and in large systems, nearer ones are not looked for.

use crate::coupled::stands_nowhere;
use crate::coupled_equilibrium::find_from;
use crate::equilibrium::{Equilibrium, EquilibriumError, EquilibriumSettings, find_equilibrium};
use crate::reduced::Reduced;
use crate::tangent::{Tangent, Weights};
use poinsot_geometry::so3;
use poinsot_integrators::{instant, retract};
use poinsot_mechanics::{GROUND, NodeId, State, System};
use poinsot_numerics::irregular;

/// Largest system in which others are looked for, and most freedoms: each start costs as much as the first.
const LARGEST: usize = 150;
const FREEDOMS: usize = 12;
/// A start that is nearer than this is as good as there.
const THERE: f64 = 1e-3;
/// An equilibrium nearer by this share is another one.
const NEARER: f64 = 0.99;
/// Directions in which others are looked for, both ways, and how far off, by the distance of the one that was
/// found.
const DIRECTIONS: usize = 6;
const REACH: [f64; 3] = [0.3, 0.6, 0.9];
/// The same of mechanisms, and how many mixtures of the others are tried.
const WALKS: usize = 16;
const MIXTURES: usize = 8;
/// A step of a walk, in the units of the distance, and how many at most.
const STEP: f64 = 0.1;
const STEPS: usize = 80;
/// Sweeps over the points, as long as they find nearer ones.
const SWEEPS: usize = 3;

/// How near an equilibrium is, and what that rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearness {
    /// Distance from the start.
    pub distance: f64,
    /// Distance of the one that was found first, if another was nearer.
    pub passed: Option<f64>,
    /// Starts from which nearer ones were looked for; zero if there are too many unknowns, or the start is
    /// there.
    pub starts: usize,
}

impl Nearness {
    /// Whether the start is as good as there.
    pub fn is_there(&self) -> bool {
        self.distance <= THERE
    }

    /// Whether nearer ones were looked for, or cannot be.
    pub fn is_nearest(&self) -> bool {
        self.is_there() || self.starts > 0
    }
}

/// Finds the equilibrium nearest to `start`, at its time.
pub fn nearest_equilibrium(
    system: &System,
    start: &State,
    settings: &EquilibriumSettings,
) -> Result<(Equilibrium, Nearness), EquilibriumError> {
    let mut best = find_equilibrium(system, start.clone(), settings)?;
    let measure = Measure::new(system);
    let first = measure.distance(start, &best.state);
    let mut nearness = Nearness { distance: first, passed: None, starts: 0 };
    if first <= THERE || !is_searched(system) {
        return Ok((best, nearness));
    }
    let quick = EquilibriumSettings { load_steps: 0, relaxations: 0, ..*settings };
    for _ in 0..SWEEPS {
        let before = nearness.distance;
        for point in points(&measure, start, before) {
            nearness.starts += 1;
            let Ok(found) = find(system, point, &quick) else { continue };
            let away = measure.distance(start, &found.state);
            if away < NEARER * nearness.distance {
                (best, nearness.distance, nearness.passed) = (found, away, Some(first));
            }
        }
        if nearness.distance >= NEARER * before {
            break;
        }
    }
    Ok((best, nearness))
}

/// An equilibrium from a point, without other points nearby.
fn find(
    system: &System,
    point: State,
    settings: &EquilibriumSettings,
) -> Result<Equilibrium, EquilibriumError> {
    match system.networks().is_empty() {
        true => find_equilibrium(system, point, settings),
        false => find_from(system, point, settings),
    }
}

/// Whether nearer ones are looked for.
fn is_searched(system: &System) -> bool {
    let freedoms = system.coordinates().saturating_sub(system.active_rows());
    let has_beams = system.forces().iter().any(|force| force.law.extensions().beam.is_some());
    let rolls = !system.velocity_equations().is_empty();
    system.size() <= LARGEST && freedoms <= FREEDOMS && !rolls && !has_beams
}

/// What distances are made of.
struct Measure<'a> {
    system: &'a System,
    /// Nodes that a joint connects; those without any with the ground.
    pairs: Vec<(NodeId, NodeId)>,
    /// Equations and nominal sizes of the variables that stand in equations.
    variables: Vec<(usize, f64)>,
}

impl<'a> Measure<'a> {
    fn new(system: &'a System) -> Self {
        let mut pairs: Vec<(NodeId, NodeId)> = vec![];
        for constraint in system.constraints() {
            let mut nodes: Vec<NodeId> = constraint.law.carried().iter().map(|c| c.node).collect();
            nodes.sort_unstable();
            nodes.dedup();
            match nodes[..] {
                [a, b] if !pairs.contains(&(a, b)) => pairs.push((a, b)),
                _ => {}
            }
        }
        let alone = |k: &NodeId| *k != GROUND && !pairs.iter().any(|(a, b)| a == k || b == k);
        let alone: Vec<NodeId> = (0..system.nodes().len()).filter(alone).collect();
        pairs.extend(alone.into_iter().map(|k| (GROUND, k)));
        let networks = system.networks().iter();
        let all =
            networks.flat_map(|n| n.law.variables.iter().enumerate().map(|(j, v)| (n.unknown(j), v.nominal)));
        let standing = all.zip(stands_nowhere(system)).filter(|(_, absent)| !absent);
        Measure { system, pairs, variables: standing.map(|(variable, _)| variable).collect() }
    }

    /// The distance of two states.
    fn distance(&self, from: &State, to: &State) -> f64 {
        let length = self.system.length_scale();
        let joint = |&(a, b): &(NodeId, NodeId)| {
            let against = |state: &State| {
                let (a, b) = (&state.frames[a], &state.frames[b]);
                (a.rot.tr_mul(&(b.r - a.r)), a.rot.tr_mul(&b.rot))
            };
            let ((r1, rot1), (r2, rot2)) = (against(from), against(to));
            ((r1 - r2).norm() / length).max(so3::angle_between(&rot1, &rot2))
        };
        let variable = |&(eq, nominal): &(usize, f64)| (from.v[eq] - to.v[eq]) / nominal;
        let squares = self.pairs.iter().map(joint).chain(self.variables.iter().map(variable));
        squares.map(|d| d * d).sum::<f64>().sqrt()
    }
}

/// Points inside a distance of the start.
fn points(measure: &Measure, start: &State, radius: f64) -> Vec<State> {
    let mut points = variable_points(measure, start, radius);
    if measure.system.coordinates() > 0 {
        let walks = Walk::new(measure, start).map_or(vec![], |mut walk| walk.points(radius));
        points.extend(walks);
    }
    points
}

/// To and fro in irregular directions of the variables.
fn variable_points(measure: &Measure, start: &State, radius: f64) -> Vec<State> {
    let mut points = vec![];
    if measure.variables.is_empty() {
        return points;
    }
    for direction in 0..DIRECTIONS {
        for reach in REACH.iter().flat_map(|r| [*r, -*r]) {
            let mut point = start.clone();
            for &(eq, nominal) in &measure.variables {
                point.v[eq] += reach * radius * nominal * 2.0 * irregular(eq + 97 * direction);
            }
            points.push(point);
        }
    }
    points
}

/// Ways of a mechanism from its start.
struct Walk<'a> {
    measure: &'a Measure<'a>,
    start: &'a State,
    tangent: Tangent,
    mass: Vec<f64>,
    directions: Vec<Vec<f64>>,
}

const MASS: Weights = Weights { mass: 1.0, stiffness: 0.0 };
const STIFFNESS: Weights = Weights { mass: 0.0, stiffness: 1.0 };

impl<'a> Walk<'a> {
    /// None if the directions cannot be found.
    fn new(measure: &'a Measure<'a>, start: &'a State) -> Option<Self> {
        let system = measure.system;
        let mut tangent = Tangent::new(system);
        let zero = vec![0.0; system.size()];
        let mass = tangent.assemble(system, start, &zero, MASS).to_vec();
        let stiffness = tangent.assemble(system, start, &zero, STIFFNESS).to_vec();
        let mut directions = Reduced::directions(system, &stiffness, &mass).ok()?;
        directions.truncate(WALKS);
        let own = directions.len();
        for mixture in 0..if own > 2 { MIXTURES } else { 0 } {
            let mut mixed = vec![0.0; system.size()];
            for (k, direction) in directions[..own].iter().enumerate() {
                let largest = direction.iter().fold(f64::MIN_POSITIVE, |m: f64, y| m.max(y.abs()));
                let share = irregular(k + 61 * mixture) / largest;
                mixed.iter_mut().zip(direction).for_each(|(m, y)| *m += share * y);
            }
            directions.push(mixed);
        }
        Some(Walk { measure, start, tangent, mass, directions })
    }

    fn points(&mut self, radius: f64) -> Vec<State> {
        let mut points = vec![];
        for k in 0..self.directions.len() {
            for sign in [1.0, -1.0] {
                self.walk(k, sign, radius, &mut points);
            }
        }
        points
    }

    /// Goes along a direction, as the constraints allow, and takes the points where the reaches are passed.
    fn walk(&mut self, direction: usize, sign: f64, radius: f64, points: &mut Vec<State>) {
        let mut at = self.start.clone();
        let mut reaches = REACH.iter().map(|reach| reach * radius).peekable();
        let step = STEP.min(0.2 * radius);
        for _ in 0..STEPS {
            let Some(next) = self.step(&at, direction, sign * step) else { return };
            at = next;
            let away = self.measure.distance(self.start, &at);
            while reaches.next_if(|reach| away >= *reach).is_some() {
                points.push(at.clone());
            }
            if reaches.peek().is_none() {
                return;
            }
        }
    }

    /// [M Gᵀ; G 0] (δ, ·) = (M y, −Φ), with δ as long as the step; none where that is singular.
    fn step(&mut self, at: &State, direction: usize, size: f64) -> Option<State> {
        let (system, zero) = (self.measure.system, vec![0.0; self.measure.system.size()]);
        let mut right = zero.clone();
        system.pattern().multiply(&self.mass, &self.directions[direction], &mut right);
        let is_row = system.is_constraint_row();
        right.iter_mut().zip(&is_row).filter(|(_, row)| **row).for_each(|(r, _)| *r = 0.0);
        self.tangent.factor(system, at, &zero, MASS).ok()?;
        self.tangent.solve(&mut right);
        let turn = |k: usize| {
            let twist = system.twist(k, &right);
            twist.angular.norm().max(twist.linear.norm() / system.length_scale())
        };
        let fastest = (0..system.nodes().len()).map(turn).fold(0.0, f64::max);
        let share = size / fastest;
        if !share.is_finite() {
            return None;
        }
        let moves = right.iter().zip(&is_row).map(|(y, row)| if *row { 0.0 } else { share * y });
        let mut next = at.clone();
        retract(system, &at.frames, &moves.collect::<Vec<f64>>(), &mut next.frames);
        system.remember(&mut next);
        for _ in 0..2 {
            let mut open = zero.clone();
            system.constraint_residual(&instant(&next, &zero), &mut open, &mut self.tangent.scratch);
            open.iter_mut().zip(&is_row).for_each(|(r, row)| *r = if *row { -*r } else { 0.0 });
            self.tangent.factor(system, &next, &zero, MASS).ok()?;
            self.tangent.solve(&mut open);
            open.iter_mut().zip(&is_row).filter(|(_, row)| **row).for_each(|(r, _)| *r = 0.0);
            let from = next.frames.clone();
            retract(system, &from, &open, &mut next.frames);
            system.remember(&mut next);
        }
        next.frames.iter().all(|f| f.r.iter().all(|x| x.is_finite())).then_some(next)
    }
}
