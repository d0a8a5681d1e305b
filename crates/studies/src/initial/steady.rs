//! A start in steady rotation: the machine turns, and rests in the axes that turn with it.

use super::{rest, way};
use crate::failure::{Failure, StudyError};
use crate::study::Prepared;
use poinsot_analysis::{Equilibrium, Rotation, Steady, SteadyError, consistent_start, find_steady};
use poinsot_geometry::Vec3;
use poinsot_integrators::{SaddlePoint, StepFailure};
use poinsot_mechanics::{NodeId, State};
use poinsot_model::spec::{BodyKind, BodyRef};
use poinsot_results::{Initial, short};
use thiserror::Error;

/// Change of velocity by joints and drives, relative to the speed of the machine, that is rounding.
const ROUNDING: f64 = 1e-8;

/// A speed that was found (rad/s), below which a machine stands.
const STANDING: f64 = 1e-9;

/// Why a machine cannot start in steady rotation.
#[derive(Debug, Error)]
pub enum RotationError {
    /// Joints or drives change the velocities of a steady rotation.
    #[error(
        "the machine cannot turn as one: joints or drives change the velocity of `{body}` by {change:.1e}"
    )]
    OtherMotion {
        /// The body.
        body: String,
        /// Change (m/s or rad/s).
        change: f64,
    },
    /// Speeds that variables decide.
    #[error("a steady rotation is not looked for where drives or constraints follow variables of equations")]
    Commanded,
}

/// What to do where machine parts move besides the rotation.
const REPEAT: &str = "there is no steady state, at most a motion that repeats itself: let a study with damping \
                      run until it does, and start from that one, initial = \"NAME\"";

impl Failure for RotationError {
    fn remedy(&self) -> Option<&'static str> {
        Some(match self {
            RotationError::OtherMotion { .. } => REPEAT,
            RotationError::Commanded => {
                "let a study run until the variables are constant, and start from that one, initial = \"NAME\""
            }
        })
    }
}

impl Failure for SteadyError {
    fn remedy(&self) -> Option<&'static str> {
        match self {
            SteadyError::Changing { .. } | SteadyError::NotRigid { .. } => Some(REPEAT),
            SteadyError::NotFound { .. } => Some(
                "model the machine nearer to what it looks like when it turns, or let a study with damping run up to \
                 the speed, and start from that one, initial = \"NAME\"",
            ),
            SteadyError::Accelerates { .. } => Some(
                "drive the machine at a speed, or add what balances the torque at some speed: a load, a loss",
            ),
            SteadyError::MovesOn { .. } => {
                Some("leave out what travels with `off`, or start from a study that runs, initial = \"NAME\"")
            }
            SteadyError::NoAxis { .. } | SteadyError::Dense(_) => None,
        }
    }
}

/// From a start as modelled to a steady rotation; to rest where nothing turns.
pub fn begin(prepared: Prepared, observer: Option<BodyRef>) -> Result<Prepared, StudyError> {
    if prepared.system.has_commands() {
        return Err(RotationError::Commanded.into());
    }
    let driven = driven_motion(&prepared)?;
    let named = observer.map(|body| prepared.assembly.node(body));
    match named.or_else(|| fastest(&prepared, &driven)) {
        Some(node) => {
            let rotation = rotation(&prepared, &driven, node);
            let found = find_steady(&prepared.system, &prepared.state, node, rotation)?;
            set_in_motion(prepared, node, found)
        }
        None => begin_where_nothing_turns(prepared),
    }
}

/// At rest in equilibrium, or, where there is none, turning as fast as torques balance.
fn begin_where_nothing_turns(prepared: Prepared) -> Result<Prepared, StudyError> {
    let at_rest = match rest::find(&prepared) {
        Ok(found) => return resting(prepared, found, "nothing turns"),
        Err(error) => error,
    };
    let turning = (prepared.assembly.nodes.iter())
        .find_map(|&node| Some((node, find_steady(&prepared.system, &prepared.state, node, None).ok()?)));
    let (node, found) = turning.ok_or(at_rest)?;
    set_in_motion(prepared, node, found)
}

/// A start at rest, and why.
fn resting<'m>(prepared: Prepared<'m>, found: Equilibrium, reason: &str) -> Result<Prepared<'m>, StudyError> {
    let mut resting = rest::settle(prepared, found)?;
    if let Some(initial) = &mut resting.initial {
        initial.from = format!("steady: {reason}, at rest in equilibrium");
    }
    Ok(resting)
}

/// A start in the rotation that was found in the axes of a node.
fn set_in_motion(mut prepared: Prepared, node: NodeId, found: Steady) -> Result<Prepared, StudyError> {
    let speed = found.rate.norm();
    if speed <= STANDING && found.speed_found {
        let at_rest = rest::find(&prepared)?;
        return resting(prepared, at_rest, "torques balance at no other speed than zero");
    }
    let name = prepared.system.nodes()[node].name.clone();
    let turns = found.turning.iter().filter(|turns| **turns).count();
    let way_found = found.method.words();
    let mut facts = vec![
        format!("found in {} iterations ({way_found}); {turns} bodies and nodes turn", found.iterations),
        format!("the same within {:.1e} after some turns, in lengths and radians", found.repeats_within),
    ];
    if found.speed_found {
        facts.push("the speed is the one at which torques balance".into());
    }
    facts.extend(way(&prepared.system, &prepared.state, &found.state));
    let time = prepared.state.t;
    prepared.system.set_start(&found.state);
    let (state, start) = consistent_start(&mut prepared.system, time)?;
    let changes = [(&start.velocity_change, prepared.system.length_scale()), (&start.spin_change, 1.0)];
    for ((change, body), unit) in changes {
        if *change > ROUNDING * speed * unit {
            return Err(RotationError::OtherMotion { body: body.clone(), change: *change }.into());
        }
    }
    let axis = found.rate / speed;
    let from = format!("steady rotation of `{name}` at {} rad/s about {}", short(speed, 6), words(&axis));
    let initial = Initial { from, facts, doubts: vec![] };
    Ok(Prepared { state, start, initial: Some(initial), ..prepared })
}

fn words(axis: &Vec3) -> String {
    let parts: Vec<String> = axis.iter().map(|x| short(*x, 4)).collect();
    format!("[{}]", parts.join(", "))
}

/// The velocities that drives ask for where nothing moves of itself.
fn driven_motion(prepared: &Prepared) -> Result<State, StudyError> {
    let (system, mut state) = (&prepared.system, prepared.state.clone());
    system.nodes().iter().for_each(|node| state.v[node.unknowns()].fill(0.0));
    SaddlePoint::new(system)
        .project_velocities(system, &mut state)
        .map_err(|e| StepFailure::singular(system, state.t, &e))?;
    Ok(state)
}

/// The body that turns fastest: of those that drives turn, else of those that were modelled so; the first one
/// of several.
fn fastest(prepared: &Prepared, driven: &State) -> Option<NodeId> {
    let system = &prepared.system;
    let of_drives = |body: usize| system.twist(prepared.assembly.nodes[body], &driven.v).angular.norm();
    let first_largest = |spin: &dyn Fn(usize) -> f64| {
        let larger = |best: Option<usize>, body: usize| match best {
            Some(other) if spin(body) <= (1.0 + 1e-9) * spin(other) => best,
            _ => Some(body).filter(|&body| spin(body) > 1e-9),
        };
        (0..prepared.model.bodies.len()).fold(None, larger)
    };
    let body = first_largest(&of_drives).or_else(|| first_largest(&|body| modelled_spin(prepared, body)))?;
    Some(prepared.assembly.nodes[body])
}

/// The angular velocity that a body was given.
fn modelled_spin(prepared: &Prepared, body: usize) -> f64 {
    match &prepared.model.bodies[body].kind {
        BodyKind::Rigid(rigid) => rigid.angular_velocity.norm(),
        BodyKind::BeamNode(node) | BodyKind::FloatingFrame(node) | BodyKind::Interface(node) => {
            node.angular_velocity.norm()
        }
        BodyKind::CableNode(cable) => cable.node.angular_velocity.norm(),
        BodyKind::Point(_) | BodyKind::PlateNode(_) => 0.0,
    }
}

/// The rotation of a body: what drives ask for, else that of the model. Joints may have slowed down a body
/// whose companions were modelled at rest: its speed is the one that was given.
fn rotation(prepared: &Prepared, driven: &State, node: NodeId) -> Option<Rotation> {
    let system = &prepared.system;
    if let Some(rotation) = Rotation::of(system, driven, node) {
        return Some(rotation);
    }
    let rotation = Rotation::of(system, &prepared.state, node)?;
    let body = prepared.assembly.nodes.iter().position(|&other| other == node)?;
    let given = modelled_spin(prepared, body);
    let factor = if given > 0.0 { given / rotation.rate.norm() } else { 1.0 };
    Some(Rotation { rate: rotation.rate * factor, ..rotation })
}
