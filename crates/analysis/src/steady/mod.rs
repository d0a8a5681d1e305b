//! Steady rotation: a machine that turns about an axis and is at rest in the axes that turn with it.
//!
//! Some nodes turn at Ω about an axis through c, the others are at rest. With what that makes of velocities
//! and accelerations,
//!
//! ```text
//! v = Ω × (r − c),  ω = Ω,  a = Ω × v            or all zero
//! R(q, λ) = M a + Gᵀλ − Q(q, v, t) = 0,          Φ(q, t) = 0
//! ```
//! by Newton's method, at once or, where that fails, at a speed that is raised in steps:
//!
//! ```text
//! [K̂ + σM Gᵀ; G 0] (δq, δλ) = −(R, Φ)            K̂ = M (W − E) W + C W + K, as in `linear.rs`
//! ```
//! σM keeps directions without stiffness in place, such as the turning itself where nothing drives it. Rows
//! on velocities have no Φ: G δq = 0.
//!
//! A position like that at one instant proves nothing: under gravity across the axis there is one for every
//! angle. So everything is turned by some angles, the time with it, and the position found there must be the
//! same.

use crate::linear::turning_stiffness;
use crate::tangent::{Tangent, Weights, largest, units};
use poinsot_geometry::{Vec3, so3};
use poinsot_integrators::{Factors, instant, retract};
use poinsot_mechanics::{Chart, GROUND, NodeId, Scratch, State, System, Twist};
use poinsot_numerics::lu::PivotError;
use thiserror::Error;

/// Largest rotation of a body in an iteration (rad), and displacement relative to the model's length.
const MAX_STEP: f64 = 0.3;
/// Newton iterations at one speed at most.
const MAX_ITERATIONS: usize = 40;
/// Correction, in lengths of the model and radians, at which a position is found, and above which a
/// correction that no longer contracts is not rounding.
const FOUND: (f64, f64) = (1e-13, 1e-8);
/// A correction larger than this share of the one before has not contracted.
const CONTRACTION: f64 = 0.5;
/// First step of the speed where Newton's method fails, as a share of it, and the shortest.
const SPEED_STEPS: (f64, f64) = (0.25, 1e-3);
/// σ relative to Ω²: keeps directions without stiffness in place.
const ANCHOR: f64 = 1e-6;
/// Angles by which everything is turned for the second look (rad), each from the one before: in no simple
/// ratio, and small enough for joints to follow their angles.
const LOOKS: [f64; 3] = [0.577216, 1.618034, 1.202057];
/// Distance between what is found there and what was turned, in lengths of the model and radians, above
/// which the motion is not steady.
const SAME: f64 = 1e-7;
/// Rate of a constraint, relative to the speed of the machine, that is none.
const STILL: f64 = 1e-9;

/// A rotation about a fixed axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation {
    /// Angular velocity Ω (rad/s), world axes.
    pub rate: Vec3,
    /// A point of the axis.
    pub centre: Vec3,
}

impl Rotation {
    /// The rotation of a node with its velocity; none if it does not turn or moves along its axis too.
    pub fn of(system: &System, state: &State, node: NodeId) -> Option<Rotation> {
        let (frame, twist) = (&state.frames[node], system.twist(node, &state.v));
        let rate = frame.rot * twist.angular;
        let along = twist.linear.dot(&rate).abs();
        let speed = rate.norm();
        if speed == 0.0 || along > 1e-9 * speed * (twist.linear.norm() + speed * system.length_scale()) {
            return None;
        }
        Some(Rotation { rate, centre: frame.r + rate.cross(&twist.linear) / (speed * speed) })
    }
}

/// A steady rotation that was found.
#[derive(Clone, Debug)]
pub struct Steady {
    /// Position and velocities.
    pub state: State,
    /// Whether each node turns.
    pub turning: Vec<bool>,
    /// Newton iterations.
    pub iterations: usize,
    /// Largest distance between the position and those found after a turn, in lengths and radians.
    pub repeats_within: f64,
}

/// Why no steady rotation is given.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SteadyError {
    /// First-order equations.
    #[error(
        "a steady rotation of a model with [[equations]] is not known: run the motion until it is steady, and start from its end"
    )]
    Equations,
    /// Newton's method failed.
    #[error(
        "no steady rotation found at {speed:.6} rad/s: {equation} stays out of balance after {iterations} iterations"
    )]
    NotFound {
        /// Speed that was reached (rad/s).
        speed: f64,
        /// The worst equation, in words.
        equation: String,
        /// Iterations.
        iterations: usize,
    },
    /// Joints or drives ask for another motion.
    #[error("the machine cannot turn as one: {equation} does not go with {speed:.6} rad/s about the axis")]
    NotRigid {
        /// The row, in words.
        equation: String,
        /// Speed (rad/s).
        speed: f64,
    },
    /// The position changes as the machine turns.
    #[error(
        "the rotation is not steady: after a turn of {angle:.3} rad `{body}` would rest elsewhere, by {distance:.1e} lengths or radians; a load, a spring or gravity does not turn with it"
    )]
    Changing {
        /// Angle (rad).
        angle: f64,
        /// What moves most.
        body: String,
        /// By how much.
        distance: f64,
    },
}

/// Finds the steady rotation near a state, at its time, in which `observer` turns as it is said to.
pub fn find_steady(
    system: &System,
    start: &State,
    observer: NodeId,
    rotation: Rotation,
) -> Result<Steady, SteadyError> {
    if !system.networks().is_empty() {
        return Err(SteadyError::Equations);
    }
    let turning = turning_nodes(system, start, observer, &rotation);
    let mut search = Search::new(system, rotation, turning);
    search.check_rates(start)?;
    let mut at = search.raise(start)?;
    search.set_motion(&mut at, 1.0);
    let repeats_within = search.look_again(&at)?;
    let Search { turning, iterations, .. } = search;
    Ok(Steady { state: at.state, turning, iterations, repeats_within })
}

/// A trial position; `a` holds accelerations, and λ in the constraint entries.
#[derive(Clone)]
struct Point {
    state: State,
    a: Vec<f64>,
}

struct Search<'a> {
    system: &'a System,
    rotation: Rotation,
    turning: Vec<bool>,
    units: Vec<f64>,
    factors: Factors,
    tangent: Tangent,
    is_row: Vec<bool>,
    velocity_rows: Vec<usize>,
    scratch: Scratch,
    iterations: usize,
}

impl<'a> Search<'a> {
    fn new(system: &'a System, rotation: Rotation, turning: Vec<bool>) -> Self {
        Search {
            system,
            rotation,
            turning,
            units: units(system, system.length_scale()),
            factors: Factors::new(system),
            tangent: Tangent::new(system),
            is_row: system.is_constraint_row(),
            velocity_rows: system.velocity_equations(),
            scratch: Scratch::default(),
            iterations: 0,
        }
    }

    /// Ω of each node at a share of the speed.
    fn rates(&self, share: f64) -> Vec<Vec3> {
        let rate = self.rotation.rate * share;
        self.turning.iter().map(|turns| if *turns { rate } else { Vec3::zeros() }).collect()
    }

    /// v = Ω × (r − c), ω = Ω and a = Ω × v at a share of the speed.
    fn set_motion(&self, at: &mut Point, share: f64) {
        for ((k, node), rate) in self.system.nodes().iter().enumerate().zip(self.rates(share)) {
            let frame = &at.state.frames[k];
            let linear = rate.cross(&(frame.r - self.rotation.centre));
            let twist = Twist { linear, angular: frame.rot.tr_mul(&rate) };
            node.chart.velocities(&twist, &mut at.state.v[node.unknowns()]);
            let change = Twist { linear: rate.cross(&linear), angular: Vec3::zeros() };
            node.chart.velocities(&change, &mut at.a[node.unknowns()]);
        }
    }

    /// The constraints must let the machine turn.
    fn check_rates(&mut self, start: &State) -> Result<(), SteadyError> {
        let mut at = Point { state: start.clone(), a: vec![0.0; self.system.size()] };
        self.set_motion(&mut at, 1.0);
        let mut rate = vec![0.0; self.system.size()];
        let zero = rate.clone();
        self.system.constraint_rate(&instant(&at.state, &zero), &mut rate, &mut self.scratch);
        let speed = self.rotation.rate.norm();
        let (row, worst) = largest(&rate);
        // The position is not yet the one sought, so that axes may be off by what a machine deforms.
        if worst > 0.1 * speed * self.system.length_scale().max(1.0) {
            return Err(SteadyError::NotRigid { equation: self.system.equation_name(row), speed });
        }
        Ok(())
    }

    /// Newton's method at full speed, else at speeds that are raised.
    fn raise(&mut self, start: &State) -> Result<Point, SteadyError> {
        let begun = Point { state: start.clone(), a: vec![0.0; self.system.size()] };
        let mut worst = 0;
        let mut attempt = |from: &Point, share: f64, search: &mut Self| {
            let mut at = from.clone();
            search.newton(&mut at, share).map_err(|row| worst = row).ok().map(|()| at)
        };
        if let Some(at) = attempt(&begun, 1.0, self) {
            return Ok(at);
        }
        let (mut at, mut done, (mut step, shortest)) = (begun, 0.0, SPEED_STEPS);
        while done < 1.0 {
            let share = (done + step).min(1.0);
            match attempt(&at, share, self) {
                Some(found) => (at, done) = (found, share),
                None if step > shortest => step *= 0.5,
                None => {
                    return Err(SteadyError::NotFound {
                        speed: done * self.rotation.rate.norm(),
                        equation: self.system.equation_name(worst),
                        iterations: self.iterations,
                    });
                }
            }
        }
        Ok(at)
    }

    /// R and Φ.
    fn balance(&mut self, at: &Point) -> Vec<f64> {
        let here = instant(&at.state, &at.a);
        let mut values = vec![0.0; self.system.size()];
        self.system.residual(&here, &mut values, &mut self.scratch);
        self.system.constraint_residual(&here, &mut values, &mut self.scratch);
        self.velocity_rows.iter().for_each(|&row| values[row] = 0.0);
        values
    }

    /// λ of the best balance in the sense of the masses.
    fn set_multipliers(&mut self, at: &mut Point) -> Result<(), PivotError> {
        let rows = |search: &Self| (0..search.is_row.len()).filter(|&k| search.is_row[k]).collect::<Vec<_>>();
        rows(self).into_iter().for_each(|k| at.a[k] = 0.0);
        let mut b = vec![0.0; self.system.size()];
        self.system.residual(&instant(&at.state, &at.a), &mut b, &mut self.scratch);
        b.iter_mut().for_each(|r| *r = -*r);
        let zero = vec![0.0; b.len()];
        self.tangent.factor(self.system, &at.state, &zero, Weights { mass: 1.0, stiffness: 0.0 })?;
        self.tangent.solve(&mut b);
        rows(self).into_iter().for_each(|k| at.a[k] = b[k]);
        Ok(())
    }

    /// Newton's method at a share of the speed; the worst equation if it fails.
    fn newton(&mut self, at: &mut Point, share: f64) -> Result<(), usize> {
        self.set_motion(at, share);
        self.set_multipliers(at).map_err(|e| e.row)?;
        let rates = self.rates(share);
        let sigma = ANCHOR * self.rotation.rate.norm_squared();
        let mut last = f64::INFINITY;
        let mut worst = 0;
        for _ in 0..MAX_ITERATIONS {
            self.iterations += 1;
            let values = self.balance(at);
            worst = largest(&values).0;
            let matrix = turning_stiffness(self.system, (&at.state, &at.a), &rates, sigma);
            self.factors.factor(self.system, &matrix).map_err(|e| e.row)?;
            let mut delta: Vec<f64> = values.iter().map(|r| -r).collect();
            self.factors.solve(&mut delta);
            // One step of refinement: σM is a small pivot where there is no stiffness.
            let mut rest: Vec<f64> = values.iter().map(|r| -r).collect();
            self.system.pattern().accumulate(&matrix, &delta, -1.0, &mut rest);
            self.factors.solve(&mut rest);
            delta.iter_mut().zip(&rest).for_each(|(d, r)| *d += r);
            let size = self.size(&delta);
            if !size.is_finite() {
                return Err(worst);
            }
            let part = (MAX_STEP / size).min(1.0);
            let step: Vec<f64> = delta.iter().map(|d| part * d).collect();
            let frames = at.state.frames.clone();
            retract(self.system, &frames, &step, &mut at.state.frames);
            self.system.remember(&mut at.state);
            at.a.iter_mut()
                .zip(&step)
                .zip(&self.is_row)
                .for_each(|((a, d), row)| *a += if *row { *d } else { 0.0 });
            self.set_motion(at, share);
            let (found, rounding) = FOUND;
            if size <= found || (size <= rounding && size > CONTRACTION * last) {
                return Ok(());
            }
            last = size;
        }
        Err(worst)
    }

    /// The size of a correction in lengths of the model and radians.
    fn size(&self, delta: &[f64]) -> f64 {
        let sized = delta.iter().zip(&self.units).zip(&self.is_row);
        let sized: Vec<f64> = sized.map(|((d, unit), row)| if *row { 0.0 } else { d / unit }).collect();
        largest(&sized).1
    }

    /// Turns everything by some angles and looks whether the same position is found there.
    fn look_again(&mut self, at: &Point) -> Result<f64, SteadyError> {
        let (mut turned, speed) = (at.clone(), self.rotation.rate.norm());
        let (mut angle, mut farthest) = (0.0, 0.0_f64);
        for turn in LOOKS {
            angle += turn;
            self.turn(&mut turned.state, turn);
            turned.state.t += turn / speed;
            self.set_motion(&mut turned, 1.0);
            let mut found = turned.clone();
            let newton = self.newton(&mut found, 1.0);
            let (distance, node) = self.distance(&turned.state, &found.state);
            if newton.is_err() || distance > SAME {
                let body = self.system.nodes()[node].name.clone();
                return Err(SteadyError::Changing { angle, body, distance });
            }
            farthest = farthest.max(distance);
        }
        Ok(farthest)
    }

    /// Turns the nodes that turn, and lets angles be followed.
    fn turn(&self, state: &mut State, angle: f64) {
        let axis = self.rotation.rate.normalize();
        let by = so3::exp(&(axis * angle));
        for (frame, _) in state.frames.iter_mut().zip(&self.turning).filter(|(_, turns)| **turns) {
            frame.r = self.rotation.centre + by * (frame.r - self.rotation.centre);
            frame.rot = by * frame.rot;
        }
        self.system.remember(state);
    }

    /// The largest distance of a node between two positions, in lengths and radians, and which it is.
    fn distance(&self, one: &State, other: &State) -> (f64, NodeId) {
        let length = self.system.length_scale();
        let pairs = one.frames.iter().zip(&other.frames).enumerate();
        let apart = pairs.map(|(k, (a, b))| {
            let turned = so3::log(&a.rot.tr_mul(&b.rot)).norm();
            (((b.r - a.r).norm() / length).max(turned), k)
        });
        apart.fold((0.0, GROUND), |best, one| if one.0 > best.0 { one } else { best })
    }
}

/// Which nodes turn: the observer, and what is joined to it in such a way that it cannot be at rest, or by
/// springs and beams alone. The ground is at rest, with what must be.
fn turning_nodes(system: &System, state: &State, observer: NodeId, rotation: &Rotation) -> Vec<bool> {
    let count = system.nodes().len();
    let mut known: Vec<Option<bool>> = vec![None; count];
    known[GROUND] = Some(false);
    known[observer] = Some(true);
    let fixed = |node: NodeId| {
        let chart = &system.nodes()[node].chart;
        *chart == Chart::Fixed || chart.is_number()
    };
    let mut groups = Groups { system, state, rotation, scratch: Scratch::default() };
    loop {
        let mut changed = false;
        for c in 0..system.constraints().len() {
            changed |= groups.by_constraint(c, &mut known);
        }
        if changed {
            continue;
        }
        // What is held by springs and beams goes with what it is held by, rather than with the ground.
        for force in system.forces() {
            let mut nodes: Vec<NodeId> = force.law.carried().iter().map(|c| c.node).collect();
            nodes.retain(|&node| !fixed(node));
            let Some(group) = nodes.iter().find_map(|&node| known[node]) else { continue };
            for &node in nodes.iter().filter(|&&node| known[node].is_none()).collect::<Vec<_>>() {
                known[node] = Some(group);
                changed = true;
            }
            if changed {
                break;
            }
        }
        if !changed {
            break;
        }
    }
    // What nothing holds turns if it was modelled so.
    let modelled = |node: NodeId| {
        let spin = state.frames[node].rot * system.twist(node, &state.v).angular;
        (spin - rotation.rate).norm() <= 1e-6 * rotation.rate.norm()
    };
    (0..count).map(|k| known[k].unwrap_or_else(|| !fixed(k) && modelled(k))).collect()
}

struct Groups<'a> {
    system: &'a System,
    state: &'a State,
    rotation: &'a Rotation,
    scratch: Scratch,
}

impl Groups<'_> {
    /// What a constraint says about a node whose group is not known: it must be in the one that the
    /// constraint can bear, if it can bear only one.
    fn by_constraint(&mut self, c: usize, known: &mut [Option<bool>]) -> bool {
        let mut nodes: Vec<NodeId> =
            self.system.constraints()[c].law.carried().iter().map(|x| x.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let open: Vec<NodeId> = nodes.iter().copied().filter(|&node| known[node].is_none()).collect();
        let [node] = open[..] else { return false };
        if nodes.len() < 2 {
            return false;
        }
        let bears = [false, true].map(|turns| {
            let of = |k: NodeId| if k == node { turns } else { known[k].unwrap_or(false) };
            self.rate_of(c, &nodes, of)
                <= STILL * self.rotation.rate.norm() * self.system.length_scale().max(1.0)
        });
        match bears {
            [true, true] => false,
            [at_rest, turns] if at_rest != turns => {
                known[node] = Some(turns);
                true
            }
            // Neither: the node goes with the others, and the check of the whole will tell.
            _ => {
                known[node] = nodes.iter().find_map(|&k| known[k].filter(|_| k != GROUND)).or(Some(false));
                true
            }
        }
    }

    /// The largest rate of a constraint if these nodes turn or not.
    fn rate_of(&mut self, c: usize, nodes: &[NodeId], turns: impl Fn(NodeId) -> bool) -> f64 {
        let mut v = vec![0.0; self.system.size()];
        for &k in nodes.iter().filter(|&&k| turns(k)) {
            let (node, frame) = (&self.system.nodes()[k], &self.state.frames[k]);
            let linear = self.rotation.rate.cross(&(frame.r - self.rotation.centre));
            let twist = Twist { linear, angular: frame.rot.tr_mul(&self.rotation.rate) };
            node.chart.velocities(&twist, &mut v[node.unknowns()]);
        }
        let state = State { v, ..self.state.clone() };
        let mut rate = vec![0.0; self.system.size()];
        let zero = rate.clone();
        self.system.constraint_rate(&instant(&state, &zero), &mut rate, &mut self.scratch);
        let rows = 0..self.system.constraints()[c].law.rows();
        rows.filter_map(|row| self.system.row_equation(c, row)).fold(0.0, |m: f64, eq| m.max(rate[eq].abs()))
    }
}
