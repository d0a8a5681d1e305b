//! Rates and gradients of formulas of positions.
//!
//! With f(x₁, x₂, …, t) of quantities x whose rates are linear in the velocities v,
//!
//! ```text
//! ḟ = ∂f/∂t + Σ ∂f/∂x_k ẋ_k(q, v) = ∂f/∂t + g·v,     g_i = Σ ∂f/∂x_k ẋ_k(q, e_i)
//! ```

use poinsot_expr::{EvalError, Function};
use poinsot_geometry::{Mat3, Pose, Vec3};
use poinsot_mechanics::{Instant, Scratch};
use poinsot_model::quantity::{
    BeamQuantity, FlexibleQuantity, ForceQuantity, JointQuantity, Motion, Quantity, SystemQuantity,
};
use poinsot_model::spec::{BodyRef, Formula};
use poinsot_model::{Probe, View};
use thiserror::Error;

/// Why a formula has no slope.
#[derive(Clone, Debug, Error)]
pub enum SlopeError {
    /// It cannot be differentiated.
    #[error(transparent)]
    Formula(#[from] EvalError),
    /// Its slope has no value here.
    #[error("`{0}` has no finite slope")]
    NotFinite(String),
}

/// The rate of a formula of positions and its gradient in equation order.
pub struct Slope {
    /// The rate.
    pub rate: f64,
    /// The gradient.
    pub gradient: Vec<f64>,
}

impl Slope {
    /// At a view; an error if the formula has no derivative there.
    pub fn of(
        formula: &Formula,
        view: &View,
        signals: &[f64],
        probe: &mut Probe,
    ) -> Result<Slope, SlopeError> {
        let terms = collect(formula, view, signals, probe)?;
        let explicit: f64 = terms.iter().filter(|(q, _)| *q == Quantity::Time).map(|(_, slope)| slope).sum();
        let along = |v: &[f64], probe: &mut Probe| -> f64 {
            let at = Instant { v, ..view.at };
            let balance = view.system.balance(&at, &mut Scratch::default());
            let view = View { at, balance: &balance, ..*view };
            terms.iter().map(|(quantity, slope)| slope * rate(*quantity, &view, signals, probe)).sum()
        };
        let rate = explicit + along(view.at.v, probe);
        let mut unit = vec![0.0; view.system.size()];
        let mut gradient = unit.clone();
        for i in view.system.nodes().iter().flat_map(|node| node.unknowns()) {
            unit[i] = 1.0;
            gradient[i] = along(&unit, probe);
            unit[i] = 0.0;
        }
        match rate.is_finite() && gradient.iter().all(|g| g.is_finite()) {
            true => Ok(Slope { rate, gradient }),
            false => Err(SlopeError::NotFinite(formula.text.clone())),
        }
    }
}

/// The quantities of a formula with its derivatives; those of signals in their place. A signal comes after
/// all that use it, so that each is differentiated once.
fn collect(
    formula: &Formula,
    view: &View,
    signals: &[f64],
    probe: &mut Probe,
) -> Result<Vec<(Quantity, f64)>, SlopeError> {
    let mut terms = vec![];
    let mut factors: Vec<Option<f64>> = vec![None; view.model.signals.len()];
    let mut add = |formula: &Formula, factor: f64, factors: &mut [Option<f64>]| {
        for (quantity, slope) in partials(formula, view, signals, probe)? {
            match quantity {
                Quantity::Signal(index) => {
                    factors[index] = Some(factors[index].unwrap_or(0.0) + factor * slope);
                }
                quantity => terms.push((quantity, factor * slope)),
            }
        }
        Ok::<(), SlopeError>(())
    };
    add(formula, 1.0, &mut factors)?;
    // Each signal uses only those above it.
    for (index, signal) in view.model.signals.iter().enumerate().rev() {
        if let Some(factor) = factors[index] {
            add(&signal.formula, factor, &mut factors)?;
        }
    }
    Ok(terms)
}

/// ∂f/∂x_k of a formula.
fn partials(
    formula: &Formula,
    view: &View,
    signals: &[f64],
    probe: &mut Probe,
) -> Result<Vec<(Quantity, f64)>, SlopeError> {
    let parameter = |name: &str| view.model.parameters.iter().find(|p| p.name == name).map(|p| p.value);
    let names: Vec<&str> = formula.arguments.iter().map(String::as_str).collect();
    let function = Function::new(&formula.expr, &names, &parameter)?;
    let values: Vec<f64> = formula.quantities.iter().map(|q| probe.quantity(*q, view, signals)).collect();
    let slopes = (0..values.len()).map(|k| function.partial(k, &values));
    Ok(formula.quantities.iter().copied().zip(slopes).collect())
}

/// The rate of a position, linear in the velocities of the view; that of the time is not.
fn rate(quantity: Quantity, view: &View, signals: &[f64], probe: &mut Probe) -> f64 {
    let other = match quantity {
        Quantity::Body { body, what: Motion::Position(axis) } => {
            Quantity::Body { body, what: Motion::Velocity(axis) }
        }
        Quantity::Beam { beam, place, what: BeamQuantity::Position(axis) } => {
            Quantity::Beam { beam, place, what: BeamQuantity::Velocity(axis) }
        }
        Quantity::Marker { marker, what: Motion::Position(axis) } => {
            Quantity::Marker { marker, what: Motion::Velocity(axis) }
        }
        Quantity::Body { body, what: Motion::Rotation(row, column) } => {
            return spin(view, BodyRef::Body(body), &Pose::identity())[(row.index(), column.index())];
        }
        Quantity::Marker { marker, what: Motion::Rotation(row, column) } => {
            let marker = &view.model.markers[marker];
            return spin(view, marker.body, &marker.pose)[(row.index(), column.index())];
        }
        Quantity::Joint { joint, what: JointQuantity::Coordinate { index } } => {
            Quantity::Joint { joint, what: JointQuantity::CoordinateRate { index } }
        }
        Quantity::Force { force, what: ForceQuantity::Coordinate } => {
            Quantity::Force { force, what: ForceQuantity::Rate }
        }
        Quantity::Flexible { flexible, shape, what: FlexibleQuantity::Value } => {
            Quantity::Flexible { flexible, shape, what: FlexibleQuantity::Rate }
        }
        Quantity::System(SystemQuantity::CentreOfMass(axis)) => {
            return view.balance.momentum[axis.index()] / view.system.total_mass();
        }
        _ => return 0.0,
    };
    probe.quantity(other, view, signals)
}

/// Ṙ of a frame on a body: R ω̃ in body axes.
fn spin(view: &View, body: BodyRef, pose: &Pose) -> Mat3 {
    let motion = view.system.angular_motion(view.assembly.node(body), &view.at);
    let columns: [Vec3; 3] = [0, 1, 2]
        .map(|k| motion.rotation * motion.velocity_body.cross(&pose.rotation.column(k).into_owned()));
    Mat3::from_columns(&columns)
}
