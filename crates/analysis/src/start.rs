//! Consistent start: assembles the mechanism, projects the velocities, finds redundant constraints.
//!
//! ```text
//! positions    [ M Gᵀ; G −εN²/m ] (δ, μ) = (0, −Φ), then [ M Gᵀ; G 0 ] (δ, μ) = (0, −Φ)          until Φ = 0
//! velocities   [ M Gᵀ; G 0 ] (δv, ς) = (0, −Gv − Φ_t)
//! ```
//! Both change the modelled values as little as possible, measured by the masses; values that joints are
//! asked to start with are rows among the others (`start_values.rs`). Then the variables of networks give way
//! until the equations without rates hold, and what their derivatives say. A constraint row that depends on
//! others is suspended if it agrees with them, and named either way.

use crate::network_start::settle_networks;
use crate::redundancy::{Redundancy, RedundantRow};
use crate::start_values::{ReachedValue, check_values, reach_positions, reach_rates};
use poinsot_integrators::{SaddlePoint, instant, retract};
use poinsot_mechanics::{Scratch, StartValue, State, System};
use poinsot_numerics::irregular;
use poinsot_numerics::lu::PivotError;
use thiserror::Error;

/// Residual, relative to the model's length, at which the mechanism counts as assembled.
const ASSEMBLED: f64 = 1e-13;
/// The same for the first approach with all rows.
const APPROACHED: f64 = 1e-11;
/// Residual, relative to its terms, at which an algebraic equation of a network holds.
const CLOSED: f64 = 1e-9;
/// Largest rotation of a body in one iteration (rad).
const MAX_TURN: f64 = 0.3;
const MAX_ITERATIONS: usize = 60;
const MAX_APPROACH: usize = 200;
/// Rounds of velocities and the variables that they follow.
const MAX_ROUNDS: usize = 20;

/// What the start changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StartReport {
    /// Largest displacement of a body (m) and its name.
    pub moved: (f64, String),
    /// Largest rotation of a body (rad) and its name.
    pub turned: (f64, String),
    /// Largest change of velocity of a body (m/s) and its name.
    pub velocity_change: (f64, String),
    /// Largest change of angular velocity of a body (rad/s) and its name.
    pub spin_change: (f64, String),
    /// Largest constraint residual before and after.
    pub residual: (f64, f64),
    /// Variables of networks that were changed so that the equations without rates and hidden constraints
    /// hold.
    pub variables: Vec<VariableChange>,
    /// Values that joints were asked to start with.
    pub values: Vec<ReachedValue>,
    /// Redundant rows with what they depend on.
    pub redundant: Vec<RedundantRow>,
    /// Rows that nothing can change, such as those across the plane of a planar model.
    pub void: usize,
    /// Newton iterations of the assembly.
    pub iterations: usize,
    /// Distance to a singular position, see [`Redundancy::distance`].
    pub distance: Option<(f64, String)>,
}

/// A variable of a network that the start has changed.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableChange {
    /// Its name.
    pub name: String,
    /// Its value as modelled.
    pub from: f64,
    /// Its value at the start.
    pub to: f64,
}

/// Why a system cannot start.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum StartError {
    /// The joints cannot all be closed.
    #[error(
        "the mechanism cannot be assembled: {equation} stays open by {residual:.3e} after {iterations} iterations"
    )]
    NotAssembled {
        /// Worst constraint, in words.
        equation: String,
        /// Its residual.
        residual: f64,
        /// Iterations spent.
        iterations: usize,
    },
    /// The algebraic equations of a network cannot be made to hold.
    #[error("no start values satisfy the equations without rates: {equation} stays open by {residual:.3e}")]
    NotClosed {
        /// Worst equation, in words.
        equation: String,
        /// Its residual.
        residual: f64,
    },
    /// An equation has no value.
    #[error("{equation} has no finite value at the start")]
    NotFinite {
        /// The equation, in words.
        equation: String,
    },
    /// A row depends on others but contradicts them.
    #[error("{equation} contradicts the other joints: it depends on them but stays open by {residual:.3e}")]
    Conflict {
        /// The row, in words.
        equation: String,
        /// Its residual.
        residual: f64,
    },
    /// A row depends on others but asks for another speed.
    #[error(
        "{equation} contradicts the other joints: it depends on them but asks for a speed that differs by {rate:.3e}"
    )]
    ConflictingRate {
        /// The row, in words.
        equation: String,
        /// The rate that is left.
        rate: f64,
    },
    /// A joint cannot start with the value that is asked for.
    #[error("the joint `{joint}` cannot start with the `{word}` that is asked for: {reason}")]
    StartValue {
        /// The joint.
        joint: String,
        /// What of it.
        word: &'static str,
        /// Why not.
        reason: String,
    },
    /// A row depends on others only in this position.
    #[error(
        "the start is a singular position (a dead centre): there {equation} depends on the other joints, elsewhere it does not; start from a slightly different position"
    )]
    SingularPosition {
        /// The row, in words.
        equation: String,
    },
    /// The mass matrix is singular.
    #[error("the equations of motion are singular at the start: {equation} has no inertia")]
    Singular {
        /// Equation, in words.
        equation: String,
    },
}

impl StartError {
    /// What to try.
    pub fn remedy(&self) -> &'static str {
        match self {
            StartError::NotAssembled { .. } => {
                "look at the lengths and positions of the bodies around it; a start nearer to the closed position helps"
            }
            StartError::NotClosed { .. } => {
                "give its variables start values that nearly satisfy it, or look for equations that contradict each other"
            }
            StartError::Conflict { .. } | StartError::ConflictingRate { .. } => {
                "remove one of the joints or drives that say the same thing differently"
            }
            StartError::NotFinite { .. } => {
                "look at its expression: a root, a quotient or a logarithm that leaves its range"
            }
            StartError::StartValue { .. } => {
                "ask for a value that the joints leave free, or for fewer values: what they fix need not be given"
            }
            StartError::SingularPosition { .. } => "move the start a little along the motion",
            StartError::Singular { .. } => "give every body a mass, and look for a joint that holds nothing",
        }
    }
}

/// Assembles `system` and returns its consistent state at time `t`; redundant rows are suspended.
pub fn consistent_start(system: &mut System, t: f64) -> Result<(State, StartReport), StartError> {
    let modelled = system.start_state(t);
    let modelled_twists = twists(system, &modelled);
    let modelled_variables = variables(system);
    let values = system.take_start_values();
    let reached = values.iter().map(|value| ReachedValue::of(value, system, &modelled));
    let mut report = StartReport { values: reached.collect(), ..StartReport::default() };
    let (rates, positions): (Vec<_>, Vec<_>) = values.iter().cloned().partition(StartValue::is_rate);
    system.restore_rows();
    let mut state = system.start_state(t);
    check_finite(system, &state)?;
    report.residual.0 = largest_residual(system, &state).1;
    if !positions.is_empty() {
        reach_positions(system, t, &positions, &mut report)?;
        state = system.start_state(t);
    }
    // With rough positions redundant rows seem independent: close all of them first, then look at the rank.
    if !approach(system, &mut state, &mut report)? {
        state = system.start_state(t);
    }
    report.void = suspend_dependent(system, &state)?;
    state = system.start_state(t);
    assemble(system, &mut state, &mut report)?;
    if !rates.is_empty() {
        reach_rates(system, &state, &rates)?;
        suspend_dependent(system, &system.start_state(t))?;
        state = system.start_state(t);
    }
    settle_velocities(system, &mut state)?;
    system.set_start(&state);
    report.variables = changed_variables(system, modelled_variables, variables(system));
    check_dropped(system, &state)?;
    state = system.start_state(t);
    let mut analysis = Redundancy::new(system);
    report.redundant = analysis.redundant(system, &state).map_err(|e| singular(system, &e))?;
    report.distance = analysis.distance(system, &state).map_err(|e| singular(system, &e))?;
    check_singular(system, &state)?;
    check_rates(system, &state)?;
    check_values(system, &state, &values)?;
    report.residual.1 = largest_residual(system, &state).1;
    note_changes(system, &modelled, &modelled_twists, &state, &mut report);
    Ok((state, report))
}

/// Every equation must have a value and a rate.
fn check_finite(system: &System, state: &State) -> Result<(), StartError> {
    let zero = vec![0.0; system.size()];
    let (mut phi, mut rate) = (zero.clone(), zero.clone());
    system.constraint_levels(&instant(state, &zero), &mut phi, &mut rate, &mut Scratch::default());
    let bad = |row: &usize| !(phi[*row].is_finite() && rate[*row].is_finite());
    let not_finite = |row: usize| Err(StartError::NotFinite { equation: system.equation_name(row) });
    if let Some(row) = system.constraint_equations().into_iter().find(bad) {
        return not_finite(row);
    }
    let mut residual = zero.clone();
    system.residual(&instant(state, &zero), &mut residual, &mut Scratch::default());
    let equations = system.networks().iter().flat_map(|n| (0..n.law.equations.len()).map(|k| n.row(k)));
    match equations.into_iter().find(|&row| !(residual[row].is_finite() && rate[row].is_finite())) {
        Some(row) => not_finite(row),
        None => Ok(()),
    }
}

/// Names and start values of the variables of networks that a model has: not the commands of its rows.
fn variables(system: &System) -> Vec<(String, f64)> {
    let all = system.networks().iter().enumerate().flat_map(|(network, entry)| {
        let own = move |(index, _): &(usize, _)| !system.is_command(network, *index);
        entry.law.variables.iter().enumerate().filter(own)
    });
    all.map(|(_, variable)| (variable.name.clone(), variable.start)).collect()
}

/// Velocities on their rows, and variables on their equations; in turns where rows follow variables.
fn settle_velocities(system: &System, state: &mut State) -> Result<(), StartError> {
    if system.has_commands() {
        for _ in 0..MAX_ROUNDS {
            let before = state.v.clone();
            close_networks(system, state)?;
            project_velocity(system, state)?;
            let size = state.v.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            if before.iter().zip(&state.v).all(|(a, b)| (a - b).abs() <= 1e-14 * size) {
                break;
            }
        }
    }
    project_velocity(system, state)?;
    close_networks(system, state)
}

/// Makes the algebraic equations of networks hold, also the hidden ones.
fn close_networks(system: &System, state: &mut State) -> Result<(), StartError> {
    settle_networks(system, state)?;
    match system.close_networks(state, &mut Scratch::default()) {
        Some(open) if open.relative > CLOSED => Err(StartError::NotClosed {
            equation: system.equation_name(open.equation),
            residual: open.residual,
        }),
        _ => Ok(()),
    }
}

/// Change of a variable that is rounding, relative to its value and to its nominal size.
const ROUNDING: (f64, f64) = (1e-12, 1e-15);

/// The variables that are no longer as they were modelled, but for rounding.
fn changed_variables(
    system: &System,
    before: Vec<(String, f64)>,
    after: Vec<(String, f64)>,
) -> Vec<VariableChange> {
    let nominal = system.networks().iter().flat_map(|n| n.law.variables.iter().map(|y| y.nominal));
    let pairs = before.into_iter().zip(after).zip(nominal);
    let changes = pairs.map(|(((name, from), (_, to)), size)| (VariableChange { name, from, to }, size));
    let noticed = |(c, size): &(VariableChange, f64)| {
        let (of_value, of_nominal) = ROUNDING;
        let rounding = (of_value * c.from.abs().max(c.to.abs())).max(of_nominal * size);
        (c.to - c.from).abs() > rounding
    };
    changes.filter(noticed).map(|(change, _)| change).collect()
}

/// Closes all rows at once by the method of Levenberg and Marquardt, redundant ones included:
///
/// ```text
/// [ M  Gᵀ; G  −εN²/m ] (δ, μ) = (0, −Φ),     ε ~ |Φ|,  m the mean mass
/// ```
/// Directions that only redundant rows seem to ask for are left alone, and ε vanishes with Φ. False if it
/// does not close.
pub(crate) fn approach(
    system: &System,
    state: &mut State,
    report: &mut StartReport,
) -> Result<bool, StartError> {
    let mut matrix = Redundancy::new(system);
    let close = APPROACHED * system.length_scale();
    let mut caution = 1.0;
    for iteration in 0..MAX_APPROACH {
        if largest_residual(system, state).1 <= close {
            report.iterations += iteration;
            return Ok(true);
        }
        let mut delta = matrix.correction(system, state, caution).map_err(|e| singular(system, &e))?;
        limit_turn(system, &mut delta);
        let mut moved = state.clone();
        retract(system, &state.frames, &delta, &mut moved.frames);
        system.remember(&mut moved);
        if matrix.openness(system, &moved) < matrix.openness(system, state) {
            *state = moved;
            caution = (0.2 * caution).max(1e-3);
        } else {
            caution *= 10.0;
            if caution > 1e8 {
                break;
            }
        }
    }
    Ok(false)
}

/// Finds the rows that depend on others at `state` and suspends them; returns how many are void and were
/// dropped.
pub(crate) fn suspend_dependent(system: &mut System, state: &State) -> Result<usize, StartError> {
    system.set_start(state);
    system.restore_rows();
    let state = system.start_state(state.t);
    let (dependent, void) =
        Redundancy::new(system).dependent(system, &state).map_err(|e| singular(system, &e))?;
    let (dependent, void) = (system.rows_at(&dependent), system.rows_at(&void));
    // A joint or an interface may have rows that a planar model does not need, and a start value may be what
    // is anyway; anything else is meant to do something.
    let meant = |c: usize| {
        let noun = system.constraints()[c].law.noun();
        noun != "joint" && noun != "interface" && !system.imposed().contains(&c)
    };
    if let Some(&(c, row)) = void.iter().find(|(c, _)| meant(*c)) {
        return Err(StartError::SingularPosition { equation: system.constraints()[c].row_in_words(row) });
    }
    system.drop_rows(&void, !dependent.is_empty());
    if !dependent.is_empty() {
        system.suspend_rows(&dependent);
        let state = system.start_state(state.t);
        Redundancy::new(system).exchange(system, &state).map_err(|e| singular(system, &e))?;
    }
    Ok(void.len())
}

/// Closes the rows in force.
pub(crate) fn assemble(
    system: &System,
    state: &mut State,
    report: &mut StartReport,
) -> Result<(), StartError> {
    let mut matrix = SaddlePoint::new(system);
    let tolerance = ASSEMBLED * system.length_scale();
    let mut b = vec![0.0; system.size()];
    let zero = vec![0.0; system.size()];
    let mut best = f64::INFINITY;
    for iteration in 0..MAX_ITERATIONS {
        let (_, size) = largest_residual(system, state);
        // Round-off may end the iteration a little above the tolerance.
        if size <= tolerance || (size <= 1e3 * tolerance && size >= 0.5 * best) {
            report.iterations += iteration;
            return Ok(());
        }
        best = best.min(size);
        b.fill(0.0);
        system.constraint_residual(&instant(state, &zero), &mut b, &mut matrix.scratch);
        b.iter_mut().for_each(|r| *r = -*r);
        matrix.factor(system, state).map_err(|e| singular(system, &e))?;
        matrix.solve(&mut b);
        limit_turn(system, &mut b);
        let frames = state.frames.clone();
        retract(system, &frames, &b, &mut state.frames);
        system.remember(state);
    }
    let (equation, residual) = largest_residual(system, state);
    Err(StartError::NotAssembled {
        equation: system.equation_name(equation),
        residual,
        iterations: MAX_ITERATIONS,
    })
}

/// Scales an increment so that no body turns by more than [`MAX_TURN`].
fn limit_turn(system: &System, delta: &mut [f64]) {
    let largest =
        (1..system.nodes().len()).map(|k| system.twist(k, delta).angular.norm()).fold(0.0, f64::max);
    if largest > MAX_TURN {
        delta.iter_mut().for_each(|d| *d *= MAX_TURN / largest);
    }
}

/// Again and again until rounding is left: one solution is not enough where masses differ by many orders of
/// magnitude.
pub(crate) fn project_velocity(system: &System, state: &mut State) -> Result<(), StartError> {
    SaddlePoint::new(system).project_velocities(system, state).map_err(|e| singular(system, &e))
}

/// Rows out of force must still hold.
pub(crate) fn check_dropped(system: &System, state: &State) -> Result<(), StartError> {
    match system.dropped_residual(state.t, &state.frames, &state.memory) {
        Some((residual, equation)) if residual > 1e-8 * system.length_scale() => {
            Err(StartError::Conflict { equation, residual })
        }
        _ => Ok(()),
    }
}

/// So must their rates: drives may agree in position, or restrict velocities only, and still contradict each
/// other.
fn check_rates(system: &System, state: &State) -> Result<(), StartError> {
    let unknowns = system.nodes().iter().flat_map(|node| node.unknowns());
    let speed = unknowns.fold(1e-6, |m: f64, i| m.max(state.v[i].abs()));
    match system.suspended_rate(state) {
        Some((rate, equation)) if rate > 1e-7 * speed => Err(StartError::ConflictingRate { equation, rate }),
        _ => Ok(()),
    }
}

/// A row that depends on others only here is not redundant: the start is a singular position. A short move
/// along the mechanism's freedoms tells, because a redundant row holds there too.
fn check_singular(system: &System, state: &State) -> Result<(), StartError> {
    let suspended = system.suspended_rows().len();
    if suspended == 0 {
        return Ok(());
    }
    let length = system.length_scale();
    let mut moved = state.clone();
    for (k, v) in moved.v.iter_mut().enumerate() {
        *v = irregular(k);
    }
    for row in system.constraint_equations() {
        moved.v[row] = 0.0;
    }
    project_velocity(system, &mut moved)?;
    // The row leaves zero with the square of the move, so the move must have a size of its own.
    let size = (1..system.nodes().len()).map(|k| system.twist(k, &moved.v));
    let size = size.fold(0.0, |m: f64, v| m.max(v.linear.norm() / length).max(v.angular.norm()));
    if size == 0.0 {
        return Ok(());
    }
    let step = 1e-2 / size;
    let delta: Vec<f64> = moved.v.iter().map(|v| v * step).collect();
    retract(system, &state.frames, &delta, &mut moved.frames);
    let mut report = StartReport::default();
    if assemble(system, &mut moved, &mut report).is_err() {
        return Ok(());
    }
    match system.dropped_residual(moved.t, &moved.frames, &moved.memory) {
        Some((residual, equation)) if residual > 1e-7 * length => {
            return Err(StartError::SingularPosition { equation });
        }
        _ => {}
    }
    let mut analysis = Redundancy::new(system);
    let (there, _) = analysis.dependent(system, &moved).map_err(|e| singular(system, &e))?;
    if there.len() < suspended {
        let here = system.suspended_rows();
        let gone =
            here.iter().find(|(c, row)| system.row_equation(*c, *row).is_some_and(|eq| !there.contains(&eq)));
        let (c, row) = *gone.unwrap_or(&here[0]);
        return Err(StartError::SingularPosition { equation: system.constraints()[c].row_in_words(row) });
    }
    Ok(())
}

/// The equation with the largest |Φ| in force, and that value.
pub fn largest_residual(system: &System, state: &State) -> (usize, f64) {
    let mut phi = vec![0.0; system.size()];
    let zero = vec![0.0; system.size()];
    system.constraint_residual(&instant(state, &zero), &mut phi, &mut Scratch::default());
    let rows = system.constraint_equations();
    let first = rows.first().copied().unwrap_or(0);
    rows.iter().fold((first, 0.0), |best, &i| if phi[i].abs() > best.1 { (i, phi[i].abs()) } else { best })
}

pub(crate) fn singular(system: &System, error: &PivotError) -> StartError {
    StartError::Singular { equation: system.equation_name(error.row) }
}

fn twists(system: &System, state: &State) -> Vec<poinsot_mechanics::Twist> {
    (0..system.nodes().len()).map(|k| system.twist(k, &state.v)).collect()
}

fn note_changes(
    system: &System,
    before: &State,
    twists_before: &[poinsot_mechanics::Twist],
    after: &State,
    report: &mut StartReport,
) {
    let larger = |slot: &mut (f64, String), value: f64, name: &str| {
        if value > slot.0 {
            *slot = (value, name.into());
        }
    };
    let bodies = system.nodes().iter().enumerate().skip(1);
    for (k, node) in bodies.filter(|(_, node)| !node.chart.is_number()) {
        let (old, new) = (&before.frames[k], &after.frames[k]);
        let twist = system.twist(k, &after.v);
        let turn = poinsot_geometry::so3::log(&old.rot.tr_mul(&new.rot)).norm();
        larger(&mut report.moved, (new.r - old.r).norm(), &node.name);
        larger(&mut report.turned, turn, &node.name);
        let change = (twist.linear - twists_before[k].linear).norm();
        larger(&mut report.velocity_change, change, &node.name);
        let spin = (twist.angular - twists_before[k].angular).norm();
        larger(&mut report.spin_change, spin, &node.name);
    }
}
