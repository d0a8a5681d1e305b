//! Steady rotation: a machine that turns and is at rest in the axes that turn with it.
//!
//! Nodes turn about axes that stand in space, or spin on axles that do, at the rates ρ = ρ₀ + N s of
//! [`kinematics`]; the others are at rest. With what that makes of velocities and accelerations,
//!
//! ```text
//! v = Ω × (r − c),  ω = Ω + spin,  a = Ω × v,  ω̇ = Ω × spin           or all zero
//! R(q, λ, η, s) = M a + Gᵀλ − Q(q, v, η, t) = 0,     Φ(q, t) = 0,     F(η, η̇, q, v, t) = 0
//! ```
//! where variables η of networks are constant, or run on at a constant rate if their values stand nowhere.
//! Free speeds s are unknowns too: a motor turns its load as fast as the torques balance. `search.rs` solves.
//!
//! A position like that at one instant proves nothing: under gravity across the axis there is one for every
//! angle. So everything is turned by some angles, the time with it, and what is found there must be the same.

mod kinematics;
mod search;

use kinematics::Kinematics;
use poinsot_geometry::Vec3;
use poinsot_mechanics::{NodeId, State, System};
use poinsot_numerics::dense::DenseError;
use search::Search;
use thiserror::Error;

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
    /// Position, velocities and variables.
    pub state: State,
    /// Angular velocity of the observer (rad/s), world axes.
    pub rate: Vec3,
    /// Whether each node turns.
    pub turning: Vec<bool>,
    /// Whether the speed was found: that of balanced torques, not the one that drives or the model give.
    pub speed_found: bool,
    /// How it was found.
    pub method: SteadyMethod,
    /// Iterations.
    pub iterations: usize,
    /// Largest distance between the position and those found after a turn, in lengths and radians, in
    /// variables by their sizes, in speeds by the fastest.
    pub repeats_within: f64,
}

/// How a steady rotation was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SteadyMethod {
    /// Newton's method.
    Newton,
    /// The same, at speeds that were raised.
    Raised,
    /// A damped run in the turning axes until nothing changed.
    Relaxation,
}

impl SteadyMethod {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            SteadyMethod::Newton => "newton",
            SteadyMethod::Raised => "newton, speed raised in steps",
            SteadyMethod::Relaxation => "damped run in the turning axes",
        }
    }
}

/// Why no steady rotation is given.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SteadyError {
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
    /// Torques do not balance at any speed that was tried.
    #[error(
        "no speed is steady: at {speed:.6} rad/s the torques that remain change the speed of `{body}` by {change:.3e} rad/s², and {reason}"
    )]
    Accelerates {
        /// Speed of the observer (rad/s).
        speed: f64,
        /// What is accelerated most.
        body: String,
        /// By how much (rad/s²).
        change: f64,
        /// Why no other speed helps.
        reason: &'static str,
    },
    /// Joints or drives ask for another motion.
    #[error("the machine cannot turn as one: {equation} does not go with {speed:.6} rad/s about the axis")]
    NotRigid {
        /// The row, in words.
        equation: String,
        /// Speed (rad/s).
        speed: f64,
    },
    /// Something travels.
    #[error("`{body}` moves on along a line or a screw while the machine turns: no axes see it at rest")]
    MovesOn {
        /// The body.
        body: String,
    },
    /// The body cannot turn, or about several axes.
    #[error(
        "`{body}` does not turn at the start, and joints let it turn about {axes} axes: {}",
        if *axes == 0 { "nothing can be steady in its axes" } else { "give it an `angular_velocity` that says which" }
    )]
    NoAxis {
        /// The body.
        body: String,
        /// How many.
        axes: usize,
    },
    /// The position changes as the machine turns.
    #[error(
        "the rotation is not steady: after a turn of {angle:.3} rad {what} would be elsewhere, by {distance:.1e} {unit}; a load, a spring, gravity or a law does not turn with it"
    )]
    Changing {
        /// Angle (rad).
        angle: f64,
        /// What changes most.
        what: String,
        /// By how much.
        distance: f64,
        /// In what.
        unit: &'static str,
    },
    /// Numbers without a solution.
    #[error(transparent)]
    Dense(#[from] DenseError),
}

/// Finds the steady rotation near a state, at its time. The observer turns as it is said to, or about the
/// only axis that joints leave to it.
pub fn find_steady(
    system: &System,
    start: &State,
    observer: NodeId,
    rotation: Option<Rotation>,
) -> Result<Steady, SteadyError> {
    let kinematics = Kinematics::of(system, start, observer, rotation)?;
    Search::new(system, observer, kinematics).find(start)
}
