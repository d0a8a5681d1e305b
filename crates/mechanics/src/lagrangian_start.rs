//! A start of an energy model that satisfies its constraints, also the hidden ones.
//!
//! The stages of [`crate::hidden_equations`] are here: first displacements so that φ = 0, then flows so that
//! φ̇ = 0 and ψ = 0, then accelerations, multipliers and efforts together, so that λ and ḟ are the true ones
//! (lagrangian-dae-modeling §1.25). Parameters have their values: a mass of zero is no mass.

use crate::hidden_equations::{Given, HiddenEquations, HiddenError, Jets, Response};
use crate::lagrangian::{Form, Lagrangian, LagrangianEquations, LagrangianError, Row, RowKind, UnknownKind};
use crate::least_change::{Open, Stage, StageUnknown};
use crate::network_structure::{Entries, Structure, function_entries};
use poinsot_expr::{Block, Engine, Expr, Function, rate_name, rate_of};
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

/// A row of G whose part across the earlier ones is below this, relative to its length, depends on them.
const DEPENDENT: f64 = 1e-8;

impl Lagrangian {
    /// The structural index of the unknowns q, f, s, e, λ, μ of the equations as they are; an error names an
    /// unknown that is not determined.
    pub fn structural_index(&self) -> Result<Vec<usize>, LagrangianStartError> {
        let equations = self.equations(Form::Index3)?;
        Ok(structure(&equations)?.index)
    }

    /// Finds a start that satisfies all constraints.
    pub fn consistent_start(&self, guess: &StartGuess) -> Result<LagrangianStart, LagrangianStartError> {
        let mut equations = self.equations(Form::Index3)?;
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

    /// Displacement and flow constraints that follow from those before them, at a position where φ = 0.
    fn dependent_constraints(
        &self,
        equations: &LagrangianEquations,
        guess: &StartGuess,
    ) -> Result<[Vec<usize>; 2], LagrangianStartError> {
        let n = self.displacements.len();
        if self.displacement_constraints.is_empty() && self.flow_constraints.len() < 2 {
            return Ok([vec![], vec![]]);
        }
        let names = Names::new(self, equations, guess);
        let jets = Jets { variables: names.count, readings: self.coordinates.len(), top: 1 };
        let mut inputs = names.inputs(self, guess, &jets, 2 * n);
        let phi = names.functions(&self.displacement_constraints)?;
        let psi = names.functions(&self.flow_constraints)?;
        let displacement = |j: usize| StageUnknown { input: j, size: guess.sizes[j], is_given: true };
        let constraints = |rows: &[usize], unknowns: Vec<StageUnknown>| {
            let list: Vec<&Function> = rows.iter().map(|&j| &phi[j]).collect();
            Stage::new(Block::of(&list, jets.inputs(), &|i| i < n, Engine::Interpreter), unknowns)
        };
        let broken = |rows: &[usize], open: Vec<Open>| match open
            .iter()
            .max_by(|a, b| a.relative.total_cmp(&b.relative))
        {
            Some(open) => Err(LagrangianStartError::Contradiction {
                kind: RowKind::Displacement,
                index: rows[open.row],
                order: 0,
                residual: open.residual,
            }),
            None => Ok(()),
        };
        let all: Vec<usize> = (0..phi.len()).collect();
        let free: Vec<StageUnknown> = (0..n).filter(|&j| !guess.keep[j]).map(displacement).collect();
        broken(&all, constraints(&all, free).solve(&mut inputs))?;
        let dependent = dependent_rows([&phi, &psi], n, &inputs);
        if dependent.iter().any(|list| !list.is_empty()) {
            // Beside the start, also beside what must stay there: what depends only here is no redundancy.
            for (j, value) in inputs[..n].iter_mut().enumerate() {
                *value += 1e-3 * guess.sizes[j] * ((1 + j) as f64 * 0.618_033_988_749_895).fract();
            }
            let unknowns: Vec<StageUnknown> = (0..n).map(displacement).collect();
            let kept: Vec<usize> = all.iter().copied().filter(|j| !dependent[0].contains(j)).collect();
            broken(&kept, constraints(&kept, unknowns.clone()).solve(&mut inputs))?;
            let follow = constraints(&dependent[0], unknowns).check(&inputs).is_empty();
            let beside = dependent_rows([&phi, &psi], n, &inputs);
            let lost = |k: usize| {
                dependent[k].iter().copied().find(|j| !beside[k].contains(j) || (k == 0 && !follow))
            };
            if let Some(j) = lost(0).or_else(|| lost(1).map(|j| all.len() + j)) {
                return Err(LagrangianStartError::Singular(j));
            }
        }
        Ok(dependent)
    }

    /// Constraints that were left out, and their rates, follow from the others only if they hold with them.
    fn check_dependent(
        &self,
        [phi, psi]: &[Vec<usize>; 2],
        names: &Names,
        jets: &Jets,
        (inputs, known): (&[f64], &[bool]),
    ) -> Result<(), LagrangianStartError> {
        let lists = [
            (RowKind::Displacement, &self.displacement_constraints, phi, 2),
            (RowKind::Flow, &self.flow_constraints, psi, 1),
        ];
        let is_variable = |input: usize| input < 2 * names.count || input > jets.time();
        for (kind, list, dependent, last) in lists {
            for &index in dependent {
                let function = names.functions([&list[index]])?;
                for order in 0..=last {
                    let block = jets.derivative(&function[0], order);
                    let used: Vec<usize> =
                        block.entries().iter().map(|e| e.1).filter(|&input| is_variable(input)).collect();
                    // A rate that the equations did not need is not known.
                    if !used.iter().all(|&input| known[input]) {
                        break;
                    }
                    let unknown = |input| StageUnknown { input, size: 1.0, is_given: true };
                    let open = Stage::new(block, used.into_iter().map(unknown).collect()).check(inputs);
                    if let Some(open) = open.first() {
                        let residual = open.residual;
                        return Err(LagrangianStartError::Contradiction { kind, index, order, residual });
                    }
                }
            }
        }
        Ok(())
    }
}

/// Rows of φ_q, then of ψ_f, that depend on earlier ones.
fn dependent_rows(constraints: [&[Function]; 2], n: usize, inputs: &[f64]) -> [Vec<usize>; 2] {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut dependent = [vec![], vec![]];
    for (level, (constraints, dependent)) in constraints.into_iter().zip(&mut dependent).enumerate() {
        for (j, gradient) in
            gradients(constraints, level * n..(level + 1) * n, inputs).into_iter().enumerate()
        {
            let length = norm(&gradient);
            let mut rest = gradient;
            for _ in 0..2 {
                for b in &basis {
                    let along: f64 = b.iter().zip(&rest).map(|(b, r)| b * r).sum();
                    rest.iter_mut().zip(b).for_each(|(r, b)| *r -= along * b);
                }
            }
            let across = norm(&rest);
            if across <= DEPENDENT * length {
                dependent.push(j);
            } else {
                rest.iter_mut().for_each(|r| *r /= across);
                basis.push(rest);
            }
        }
    }
    dependent
}

/// Derivatives of functions by a range of inputs, dense.
fn gradients(list: &[Function], by: std::ops::Range<usize>, inputs: &[f64]) -> Vec<Vec<f64>> {
    let functions: Vec<&Function> = list.iter().collect();
    let block = Block::of(&functions, inputs.len(), &|i| by.contains(&i), Engine::Interpreter);
    let mut values = vec![0.0; list.len()];
    let mut partials = vec![0.0; block.entries().len()];
    block.eval_derivatives(inputs, &mut values, &mut partials);
    let mut rows = vec![vec![0.0; by.len()]; list.len()];
    block.entries().iter().zip(partials).for_each(|(&(k, i), partial)| rows[k][i - by.start] = partial);
    rows
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

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Takes constraints and their multipliers out.
fn drop_constraints(equations: &mut LagrangianEquations, dependent: &[Vec<usize>; 2]) {
    let [phi, psi] = dependent;
    equations.rows.retain(|row| match row.kind {
        RowKind::Displacement => !phi.contains(&row.index),
        RowKind::Flow => !psi.contains(&row.index),
        _ => true,
    });
    let gone: Vec<String> = equations
        .unknowns
        .iter()
        .filter(|u| match u.kind {
            UnknownKind::DisplacementMultiplier => phi.contains(&u.index),
            UnknownKind::FlowMultiplier => psi.contains(&u.index),
            _ => false,
        })
        .map(|u| u.name.clone())
        .collect();
    equations.unknowns.retain(|u| !gone.contains(&u.name));
    for row in equations.rows.iter_mut().filter(|row| row.kind == RowKind::Momentum) {
        for name in &gone {
            if row.expr.contains(name) {
                row.expr = row.expr.substitute(name, &Expr::number(0.0)).simplify();
            }
        }
    }
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
struct Names<'a> {
    /// Number of unknowns.
    count: usize,
    /// Places of unknowns, of their rates, of coordinates that are read and of time among the arguments.
    places: HashMap<String, usize>,
    constants: &'a dyn Fn(&str) -> Option<f64>,
}

impl<'a> Names<'a> {
    fn new(model: &Lagrangian, equations: &LagrangianEquations, guess: &StartGuess<'a>) -> Self {
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

    fn functions<'e>(
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
    fn inputs(&self, model: &Lagrangian, guess: &StartGuess, jets: &Jets, given: usize) -> Vec<f64> {
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
