//! A start of an energy model that satisfies its constraints, also the hidden ones.
//!
//! The stages of `hidden_equations.rs` are here: first displacements so that φ = 0, then flows so that
//! φ̇ = 0 and ψ = 0, then accelerations, multipliers and efforts together, so that λ and ḟ are the true ones
//! (lagrangian-dae-modeling §1.25). Parameters have their values: a mass of zero is no mass.

use super::dependent::drop_constraints;
use crate::energy_models::lagrangian::{
    EquationForm, Lagrangian, LagrangianEquations, LagrangianError, Row, RowKind, UnknownKind,
};
use crate::networks::hidden_equations::{Given, HiddenEquations, HiddenError, Jets, Response};
use crate::networks::structure::{Entries, Structure, function_entries};
use poinsot_expr::{Expr, Function, rate_name, rate_of};
use std::collections::HashMap;

/// A change by this part of the nominal size is rounding.
const ROUNDING: f64 = 1e-14;

/// What is known before the start.
#[derive(Clone, Copy)]
pub struct StartGuess<'a> {
    /// Values of the unknowns q, f, s, e; those of multipliers are found.
    pub values: &'a [f64],
    /// Which of these must not be changed; efforts always follow from their constraints.
    pub keep: &'a [bool],
    /// Usual sizes: changes are measured by them.
    pub sizes: &'a [f64],
    /// Time.
    pub time: f64,
    /// Values of all other names: parameters and what is read of the mechanics.
    pub constants: &'a dyn Fn(&str) -> Option<f64>,
}

/// A consistent start.
#[derive(Clone, Debug)]
pub struct LagrangianStart {
    /// Names of the unknowns q, f, s, e, λ, μ; of constraints that are left out there is no multiplier.
    pub names: Vec<String>,
    /// Their values.
    pub values: Vec<f64>,
    /// Their rates, where the equations tell.
    pub rates: Vec<Option<f64>>,
    /// Their structural index: 0 with a rate of its own, 1 from algebraic equations, above where these are
    /// differentiated.
    pub index: Vec<usize>,
    /// The given values that were changed, by their place.
    pub changed: Vec<usize>,
    /// Constraints that follow from others: displacement constraints, then flow constraints.
    pub dependent: [Vec<usize>; 2],
    /// How often equations were differentiated, of those that were.
    pub hidden: Vec<Hidden>,
}

/// Constraints that were differentiated for the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// The equation.
    pub kind: RowKind,
    /// Its place among those of its kind.
    pub index: usize,
    /// How often.
    pub times: usize,
}

/// Why there is no consistent start.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LagrangianStartError {
    /// There are no equations.
    #[error(transparent)]
    Equations(#[from] LagrangianError),
    /// An unknown stands in no equation that is not needed for others.
    #[error("the equations do not determine `{0}`")]
    Undetermined(String),
    /// An expression has no value.
    #[error("{0}")]
    Value(String),
    /// Constraints contradict each other or the values that must stay.
    #[error("{} cannot be made to hold: {residual:.3e} is left", describe(*kind, *index, *order))]
    Contradiction {
        /// The equation that is farthest from holding.
        kind: RowKind,
        /// Its place among those of its kind.
        index: usize,
        /// Which derivative of it.
        order: usize,
        /// What is left.
        residual: f64,
    },
    /// A constraint that is dependent here but not elsewhere, at a dead centre: its place among the
    /// displacement constraints, then the flow constraints.
    #[error(
        "constraint {} (displacement constraints, then flow constraints) depends on the others at the start but not beside it: a singular position", .0 + 1
    )]
    Singular(usize),
}

fn describe(kind: RowKind, index: usize, order: usize) -> String {
    let what = match kind {
        RowKind::Kinematic => "the equation of displacement",
        RowKind::Momentum => "Lagrange's equation of displacement",
        RowKind::Dynamic => "dynamic constraint",
        RowKind::Displacement | RowKind::DisplacementRate => "displacement constraint",
        RowKind::Flow => "flow constraint",
        RowKind::Effort => "effort constraint",
        RowKind::Acceleration => "the acceleration of displacement",
    };
    match order {
        0 => format!("{what} {}", index + 1),
        1 => format!("the rate of {what} {}", index + 1),
        _ => format!("derivative {order} of {what} {}", index + 1),
    }
}

impl Lagrangian {
    /// The structural index of the unknowns q, f, s, e, λ, μ of the equations as they are; an error names an
    /// unknown that is not determined.
    pub fn structural_index(&self) -> Result<Vec<usize>, LagrangianStartError> {
        let equations = self.equations(EquationForm::Index3)?;
        Ok(structure(&equations)?.index)
    }

    /// Finds a start that satisfies all constraints.
    pub fn consistent_start(&self, guess: &StartGuess) -> Result<LagrangianStart, LagrangianStartError> {
        let mut equations = self.equations(EquationForm::Index3)?;
        let given = self.displacements.len() + self.flows.len() + self.dynamics.len() + self.efforts.len();
        let dependent = self.dependent_constraints(&equations, guess)?;
        drop_constraints(&mut equations, &dependent);
        let names = Names::new(self, &equations, guess);
        let functions = names.functions(equations.rows.iter().map(|row| &row.expr))?;
        let structure = Structure::of(&function_entries(&functions, names.count))
            .map_err(|j| LagrangianStartError::Undetermined(equations.unknowns[j].name.clone()))?;
        let jets = Jets::new(&structure, self.coordinates.len());
        let mut inputs = names.inputs(self, guess, &jets, given);
        let mut known = vec![false; inputs.len()];
        (0..given).for_each(|j| known[j] = true);
        let value = |j: usize| Given {
            size: if j < given { guess.sizes[j] } else { 1.0 },
            wanted: j < given && equations.unknowns[j].kind != UnknownKind::Effort,
            kept: j < given && equations.unknowns[j].kind != UnknownKind::Effort && guess.keep[j],
        };
        let hidden =
            HiddenEquations { functions: &functions, structure: &structure, jets, unknowable: &|_| false };
        let none = Response::default();
        hidden
            .solve(&mut inputs, &mut known, &value, (&none, &[]))
            .map_err(|e| contradiction(&equations, e))?;
        self.check_dependent(&dependent, &names, &jets, (&inputs, &known))?;
        let values: Vec<f64> = inputs[..names.count].to_vec();
        // Small things count too, a capacitor of 1 pF; what is left of rounded input beside larger ones does
        // not, nor does rounding of the nominal size.
        let kinds = [0..self.displacements.len(), self.displacements.len()..given];
        let largest = kinds.map(|kind| (kind.end, values[kind].iter().fold(0.0, |m: f64, x| m.max(x.abs()))));
        let moved = |j: &usize| {
            let (old, new) = (guess.values[*j], values[*j]);
            let largest = largest.iter().find(|(end, _)| j < end).map_or(0.0, |(_, size)| *size);
            let size = guess.sizes[*j];
            let rounding = (1e-9 * size).min(1e-6 * largest).max(ROUNDING * size);
            (new - old).abs() > rounding.max(1e-8 * old.abs())
        };
        let differentiated =
            |(row, &times): (&Row, &usize)| Hidden { kind: row.kind, index: row.index, times };
        let hidden = equations.rows.iter().zip(&structure.differentiations).map(differentiated);
        let rate = |j: usize| known[jets.variable(j, 1)].then(|| inputs[jets.variable(j, 1)]);
        Ok(LagrangianStart {
            rates: (0..names.count).map(rate).collect(),
            index: structure.index.clone(),
            changed: (0..given).filter(moved).collect(),
            dependent,
            hidden: hidden.filter(|h| h.times > 0 && h.kind != RowKind::Kinematic).collect(),
            names: equations.unknowns.iter().map(|u| u.name.clone()).collect(),
            values,
        })
    }
}

/// Of the equations that do not hold, the farthest is told; q̇ = f only if there is no other, for it means a
/// flow.
fn contradiction(equations: &LagrangianEquations, error: HiddenError) -> LagrangianStartError {
    let HiddenError::Open(list) = error else {
        return LagrangianStartError::Value("a derivative of what is read is not known".into());
    };
    let rank = |k: usize| equations.rows[k].kind != RowKind::Kinematic;
    let worst = list.into_iter().max_by(|a, b| {
        let kinds = rank(a.equation).cmp(&rank(b.equation));
        kinds.then(a.open.relative.total_cmp(&b.open.relative))
    });
    let Some(worst) = worst else {
        return LagrangianStartError::Value("the equations have no value".into());
    };
    let Row { kind, index, .. } = equations.rows[worst.equation];
    LagrangianStartError::Contradiction { kind, index, order: worst.order, residual: worst.open.residual }
}

/// Which unknowns stand in which equations, and which rates.
fn structure(equations: &LagrangianEquations) -> Result<Structure, LagrangianStartError> {
    let place: HashMap<&str, usize> =
        equations.unknowns.iter().enumerate().map(|(j, u)| (u.name.as_str(), j)).collect();
    let entries: Entries = equations
        .rows
        .iter()
        .map(|row| {
            let mut sigma: HashMap<usize, usize> = HashMap::new();
            for (name, _) in row.expr.variables() {
                let (name, order) = rate_of(&name).map_or((name.as_str(), 0), |name| (name, 1));
                if let Some(&j) = place.get(name) {
                    let known = sigma.entry(j).or_insert(order);
                    *known = order.max(*known);
                }
            }
            let mut list: Vec<(usize, usize)> = sigma.into_iter().collect();
            list.sort_unstable();
            list
        })
        .collect();
    Structure::of(&entries)
        .map_err(|j| LagrangianStartError::Undetermined(equations.unknowns[j].name.clone()))
}

/// What the names in expressions mean.
pub(super) struct Names<'a> {
    /// Number of unknowns.
    pub(super) count: usize,
    /// Places of unknowns, of their rates, of coordinates that are read and of time among the arguments.
    places: HashMap<String, usize>,
    constants: &'a dyn Fn(&str) -> Option<f64>,
}

impl<'a> Names<'a> {
    pub(super) fn new(model: &Lagrangian, equations: &LagrangianEquations, guess: &StartGuess<'a>) -> Self {
        let count = equations.unknowns.len();
        let mut places = HashMap::from([(model.time.clone(), 2 * count + model.coordinates.len())]);
        for (i, coupled) in model.coordinates.iter().enumerate() {
            places.insert(coupled.coordinate.clone(), 2 * count + i);
        }
        for (j, unknown) in equations.unknowns.iter().enumerate() {
            places.insert(rate_name(&unknown.name), count + j);
            places.insert(unknown.name.clone(), j);
        }
        Names { count, places, constants: guess.constants }
    }

    pub(super) fn functions<'e>(
        &self,
        list: impl IntoIterator<Item = &'e Expr>,
    ) -> Result<Vec<Function>, LagrangianStartError> {
        let place = |name: &str| self.places.get(name).copied();
        // Rates that nobody knows are zero.
        let constants = |name: &str| (self.constants)(name).or_else(|| rate_of(name).map(|_| 0.0));
        let function = |expr: &Expr| {
            Function::with_places(expr, &place, &constants)
                .map_err(|error| LagrangianStartError::Value(error.to_string()))
        };
        list.into_iter().map(function).collect()
    }

    /// The first `given` values, what is read with its rate, and the time; zero for all else.
    pub(super) fn inputs(
        &self,
        model: &Lagrangian,
        guess: &StartGuess,
        jets: &Jets,
        given: usize,
    ) -> Vec<f64> {
        let mut inputs = vec![0.0; jets.inputs()];
        inputs[..given].copy_from_slice(&guess.values[..given]);
        inputs[jets.time()] = guess.time;
        for (i, coupled) in model.coordinates.iter().enumerate() {
            inputs[jets.reading(i, 0)] = (self.constants)(&coupled.coordinate).unwrap_or(0.0);
            inputs[jets.reading(i, 1)] = (self.constants)(&coupled.rate).unwrap_or(0.0);
        }
        inputs
    }
}
