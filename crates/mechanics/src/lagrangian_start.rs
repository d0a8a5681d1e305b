//! A start of an energy model that satisfies its constraints, also the hidden ones.
//!
//! The structure of the equations F_k(y, ẏ, t) = 0 tells how often each is differentiated, c_k, until the derivatives of
//! order d_j of the unknowns follow. The start is found in stages κ = −max d … 0, each of them
//!
//! ```text
//! d^(κ + c_k) F_k / dt^(κ + c_k) = 0     for     y_j^(κ + d_j)
//! ```
//! with the least change of the given values: first displacements so that φ = 0, then flows so that φ̇ = 0 and ψ = 0,
//! then accelerations, multipliers and efforts together, so that λ and ḟ are the true ones
//! (lagrangian-dae-modeling 1.25).

use crate::lagrangian::{Form, Lagrangian, LagrangianEquations, LagrangianError, Row, RowKind, UnknownKind};
use crate::network_structure::{Entries, Structure};
use poinsot_expr::{Block, Engine, Expr, rate_name, rate_of};
use poinsot_numerics::PivotingLu;
use poinsot_numerics::dense::Mat;
use poinsot_numerics::fallback::FallbackError;
use poinsot_numerics::pattern::PatternBuilder;
use poinsot_numerics::subspace::{null_space, pseudo_solve};
use std::collections::{BTreeSet, HashMap, HashSet};

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
    /// Their structural index: 0 with a rate of its own, 1 from algebraic equations, above where these are differentiated.
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
    /// A constraint that is dependent here but not elsewhere, at a dead centre: its place among the displacement constraints,
    /// then the flow constraints.
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

/// Residual, relative to its terms, at which an equation holds.
const HOLDS: f64 = 1e-9;

/// Newton steps of a stage, and how often one is halved.
const ITERATIONS: usize = 60;
const CUTS: usize = 30;

/// A row of G whose part across the earlier ones is below this, relative to its length, depends on them.
const DEPENDENT: f64 = 1e-8;

/// Singular values below this, relative to the largest, are zero.
const RANK: f64 = 1e-12;

/// Unknowns up to which the least change is found by singular values, beyond by sparse factors.
const DENSE: usize = 120;

impl Lagrangian {
    /// The structural index of the unknowns q, f, s, e, λ, μ of the equations as they are; an error names an unknown that is
    /// not determined.
    pub fn structural_index(&self) -> Result<Vec<usize>, LagrangianStartError> {
        let equations = self.equations(Form::Index3)?;
        Ok(structure(&equations)?.index)
    }

    /// Finds a start that satisfies all constraints.
    pub fn consistent_start(&self, guess: &StartGuess) -> Result<LagrangianStart, LagrangianStartError> {
        let mut equations = self.equations(Form::Index3)?;
        let given = self.displacements.len() + self.flows.len() + self.dynamics.len() + self.efforts.len();
        let dependent = self.dependent_constraints(guess)?;
        drop_constraints(&mut equations, &dependent);
        let structure = structure(&equations)?;
        let names: Vec<String> = equations.unknowns.iter().map(|u| u.name.clone()).collect();
        let mut point = Point::new(self, guess);
        point.values.extend(names.iter().cloned().zip(guess.values[..given].iter().copied()));
        let last = *structure.orders.iter().max().unwrap_or(&0);
        let mut array = DerivativeArray::new(self, &equations);
        for before in (0..=last).rev() {
            let mut stage = Stage::default();
            for (k, &c) in structure.differentiations.iter().enumerate().filter(|(_, c)| **c >= before) {
                stage.push_row(&equations.rows[k], c - before, array.get(k, c - before));
            }
            for (j, &d) in structure.orders.iter().enumerate().filter(|(_, d)| **d >= before) {
                let is_given = d == before && j < given && equations.unknowns[j].kind != UnknownKind::Effort;
                if !is_given || !guess.keep[j] {
                    let size = if d == before && j < given { guess.sizes[j] } else { 1.0 };
                    stage.unknowns.push(StageUnknown {
                        name: derivative_name(&names[j], d - before),
                        size,
                        is_given,
                    });
                }
            }
            stage.solve(&mut point)?;
        }
        self.check_dependent(&dependent, &array, &point)?;
        let values: Vec<f64> = names.iter().map(|name| point.get(name)).collect();
        let moved = |j: &usize| {
            let (old, new) = (guess.values[*j], values[*j]);
            (new - old).abs() > 1e-9 * guess.sizes[*j].max(old.abs())
        };
        let differentiated =
            |(row, &times): (&Row, &usize)| Hidden { kind: row.kind, index: row.index, times };
        let hidden = equations.rows.iter().zip(&structure.differentiations).map(differentiated);
        Ok(LagrangianStart {
            rates: names.iter().map(|name| point.values.get(&rate_name(name)).copied()).collect(),
            index: structure.index,
            changed: (0..given).filter(moved).collect(),
            dependent,
            hidden: hidden.filter(|h| h.times > 0 && h.kind != RowKind::Kinematic).collect(),
            names,
            values,
        })
    }

    /// Displacement and flow constraints that follow from those before them, at a position where φ = 0.
    fn dependent_constraints(&self, guess: &StartGuess) -> Result<[Vec<usize>; 2], LagrangianStartError> {
        let n = self.displacements.len();
        if self.displacement_constraints.is_empty() && self.flow_constraints.len() < 2 {
            return Ok([vec![], vec![]]);
        }
        let mut point = Point::new(self, guess);
        let names = self.displacements.iter().chain(&self.flows).cloned();
        point.values.extend(names.zip(guess.values.iter().copied()));
        let displacement = |j: usize| {
            let (name, size) = (self.displacements[j].clone(), guess.sizes[j]);
            StageUnknown { name, size, is_given: true }
        };
        let constraints = |rows: &[usize], unknowns: Vec<StageUnknown>| {
            let mut stage = Stage { unknowns, ..Stage::default() };
            for &index in rows {
                let expr = self.displacement_constraints[index].clone();
                stage.push_row(&Row { kind: RowKind::Displacement, index, expr: expr.clone() }, 0, &expr);
            }
            stage
        };
        let all: Vec<usize> = (0..self.displacement_constraints.len()).collect();
        constraints(&all, (0..n).filter(|&j| !guess.keep[j]).map(displacement).collect())
            .solve(&mut point)?;
        let dependent = self.dependent_rows(&point)?;
        if dependent.iter().any(|list| !list.is_empty()) {
            // Beside the start, also beside what must stay there: what depends only here is no redundancy.
            for (j, name) in self.displacements.iter().enumerate() {
                let aside = 1e-3 * guess.sizes[j] * ((1 + j) as f64 * 0.618_033_988_749_895).fract();
                *point.values.entry(name.clone()).or_default() += aside;
            }
            let unknowns: Vec<StageUnknown> = (0..n).map(displacement).collect();
            let kept: Vec<usize> = all.iter().copied().filter(|j| !dependent[0].contains(j)).collect();
            constraints(&kept, unknowns.clone()).solve(&mut point)?;
            let follow = constraints(&dependent[0], unknowns).check(&point).is_ok();
            let beside = self.dependent_rows(&point)?;
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
        array: &DerivativeArray,
        point: &Point,
    ) -> Result<(), LagrangianStartError> {
        let lists = [
            (RowKind::Displacement, &self.displacement_constraints, phi, 2),
            (RowKind::Flow, &self.flow_constraints, psi, 1),
        ];
        let mut stage = Stage::default();
        for (kind, list, dependent, last) in lists {
            for &index in dependent {
                let mut row = Row { kind, index, expr: list[index].clone() };
                for order in 0..=last {
                    // A rate that the equations did not need is not known.
                    let known = |name: &str| !array.is_unknown(name) || point.values.contains_key(name);
                    if !row.expr.variables().iter().all(|(name, _)| known(name)) {
                        break;
                    }
                    stage.push_row(&row, order, &row.expr);
                    row.expr = array.rate(&row.expr);
                }
            }
        }
        let names: BTreeSet<String> =
            stage.exprs.iter().flat_map(|expr| expr.variables()).map(|(name, _)| name).collect();
        let known = names.into_iter().filter(|name| array.is_unknown(name));
        stage.unknowns = known.map(|name| StageUnknown { name, size: 1.0, is_given: true }).collect();
        stage.check(point)
    }

    /// Rows of φ_q, then of ψ_f, that depend on earlier ones.
    fn dependent_rows(&self, point: &Point) -> Result<[Vec<usize>; 2], LagrangianStartError> {
        let lists =
            [(&self.displacement_constraints, &self.displacements), (&self.flow_constraints, &self.flows)];
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let mut dependent = [vec![], vec![]];
        for ((constraints, names), dependent) in lists.into_iter().zip(&mut dependent) {
            for (j, gradient) in point.gradients(constraints, names)?.into_iter().enumerate() {
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
        Ok(dependent)
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// x, der(x), der(der(x)) …
fn derivative_name(name: &str, order: usize) -> String {
    (0..order).fold(name.to_owned(), |name, _| rate_name(&name))
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

/// The equations and their derivatives by time, made when they are asked for.
struct DerivativeArray<'a> {
    model: &'a Lagrangian,
    unknowns: HashSet<&'a str>,
    levels: Vec<Vec<Expr>>,
}

impl<'a> DerivativeArray<'a> {
    fn new(model: &'a Lagrangian, equations: &'a LagrangianEquations) -> Self {
        DerivativeArray {
            model,
            unknowns: equations.unknowns.iter().map(|u| u.name.as_str()).collect(),
            levels: equations.rows.iter().map(|row| vec![row.expr.clone()]).collect(),
        }
    }

    /// Derivative `order` of equation k.
    fn get(&mut self, k: usize, order: usize) -> &Expr {
        while self.levels[k].len() <= order {
            let next = self.rate(&self.levels[k][self.levels[k].len() - 1]);
            self.levels[k].push(next);
        }
        &self.levels[k][order]
    }

    /// d/dt: unknowns and their derivatives have rates, coordinates of the mechanics known ones; those of all else that is
    /// read are taken as zero.
    fn rate(&self, expr: &Expr) -> Expr {
        let names: BTreeSet<String> = expr.variables().into_iter().map(|(name, _)| name).collect();
        let rate = |name: &str| {
            if name == self.model.time {
                return Some(Expr::number(1.0));
            }
            match self.model.coordinates.iter().find(|c| c.coordinate == name) {
                Some(coupled) => Expr::name(&coupled.rate),
                None => self.is_unknown(name).then(|| Expr::rate(name)),
            }
        };
        let moving: Vec<(String, Expr)> =
            names.into_iter().filter_map(|name| rate(&name).map(|rate| (name, rate))).collect();
        let index = |name: &str| moving.binary_search_by(|(other, _)| other.as_str().cmp(name)).ok();
        let terms = expr.gradient(&index).into_iter().map(|(k, slope)| slope * moving[k].1.clone());
        Expr::sum(terms.collect())
    }

    fn is_unknown(&self, name: &str) -> bool {
        let mut base = name;
        while let Some(inner) = rate_of(base) {
            base = inner;
        }
        self.unknowns.contains(base)
    }
}

/// Values of names.
struct Point<'a> {
    values: HashMap<String, f64>,
    constants: &'a dyn Fn(&str) -> Option<f64>,
}

impl<'a> Point<'a> {
    fn new(model: &Lagrangian, guess: &StartGuess<'a>) -> Self {
        Point { values: HashMap::from([(model.time.clone(), guess.time)]), constants: guess.constants }
    }

    /// The value of an unknown; zero as long as it is not known.
    fn get(&self, name: &str) -> f64 {
        self.values.get(name).copied().unwrap_or(0.0)
    }

    /// Known values, parameters, zero for rates that nobody knows.
    fn constant(&self, name: &str) -> Option<f64> {
        self.values
            .get(name)
            .copied()
            .or_else(|| (self.constants)(name))
            .or_else(|| rate_of(name).map(|_| 0.0))
    }

    /// ∂/∂x of expressions by names, dense.
    fn gradients(&self, list: &[Expr], names: &[String]) -> Result<Vec<Vec<f64>>, LagrangianStartError> {
        let inputs: Vec<&str> = names.iter().map(String::as_str).collect();
        let block = compile(list, &inputs, self)?;
        let arguments: Vec<f64> = names.iter().map(|name| self.get(name)).collect();
        let mut values = vec![0.0; list.len()];
        let mut partials = vec![0.0; block.entries().len()];
        block.eval_derivatives(&arguments, &mut values, &mut partials);
        let mut rows = vec![vec![0.0; names.len()]; list.len()];
        block.entries().iter().zip(partials).for_each(|(&(i, j), partial)| rows[i][j] = partial);
        Ok(rows)
    }
}

fn compile(list: &[Expr], inputs: &[&str], point: &Point) -> Result<Block, LagrangianStartError> {
    let constants = |name: &str| point.constant(name);
    Block::new(list, inputs, &constants, Engine::Interpreter)
        .map_err(|error| LagrangianStartError::Value(error.to_string()))
}

/// Equations that are solved together.
#[derive(Default)]
struct Stage {
    /// (kind, index, order) of each equation.
    rows: Vec<(RowKind, usize, usize)>,
    exprs: Vec<Expr>,
    unknowns: Vec<StageUnknown>,
}

/// An unknown of a stage.
#[derive(Clone)]
struct StageUnknown {
    name: String,
    /// A usual size; changes are measured by it.
    size: f64,
    /// Whether its value is wanted as near as possible; all others take what follows.
    is_given: bool,
}

impl Stage {
    fn push_row(&mut self, row: &Row, order: usize, expr: &Expr) {
        self.rows.push((row.kind, row.index, order));
        self.exprs.push(expr.clone());
    }

    /// Newton's method with the least change of the unknowns; steps are shortened until the equations are nearer to zero.
    fn solve(&self, point: &mut Point) -> Result<(), LagrangianStartError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let inputs: Vec<&str> = self.unknowns.iter().map(|u| u.name.as_str()).collect();
        let block = compile(&self.exprs, &inputs, point)?;
        let mut x: Vec<f64> = inputs.iter().map(|name| point.get(name)).collect();
        let mut newton = Newton::new(&block, &self.unknowns);
        for _ in 0..ITERATIONS {
            if !newton.step(&mut x) {
                break;
            }
        }
        self.hold(&mut newton, &x)?;
        point.values.extend(self.unknowns.iter().map(|u| u.name.clone()).zip(x));
        Ok(())
    }

    /// Whether the equations hold as they are.
    fn check(&self, point: &Point) -> Result<(), LagrangianStartError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let inputs: Vec<&str> = self.unknowns.iter().map(|u| u.name.as_str()).collect();
        let block = compile(&self.exprs, &inputs, point)?;
        let x: Vec<f64> = inputs.iter().map(|name| point.get(name)).collect();
        self.hold(&mut Newton::new(&block, &self.unknowns), &x)
    }

    /// Of the equations that do not hold, the farthest is told; q̇ = f only if there is no other, for it means a flow.
    fn hold(&self, newton: &mut Newton, x: &[f64]) -> Result<(), LagrangianStartError> {
        let relative = newton.relative(x);
        let open = |k: &usize| relative[*k] > HOLDS;
        let rank = |k: &usize| (self.rows[*k].0 != RowKind::Kinematic, relative[*k]);
        let worst = (0..relative.len()).filter(open).max_by(|a, b| {
            let (a, b) = (rank(a), rank(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        let Some(worst) = worst else { return Ok(()) };
        let (kind, index, order) = self.rows[worst];
        Err(LagrangianStartError::Contradiction { kind, index, order, residual: newton.values[worst].abs() })
    }
}

/// Newton's method for fewer or more equations than unknowns.
struct Newton<'a> {
    block: &'a Block,
    unknowns: &'a [StageUnknown],
    values: Vec<f64>,
    partials: Vec<f64>,
}

impl<'a> Newton<'a> {
    fn new(block: &'a Block, unknowns: &'a [StageUnknown]) -> Self {
        Newton {
            block,
            unknowns,
            values: vec![0.0; block.outputs()],
            partials: vec![0.0; block.entries().len()],
        }
    }

    /// Σ_j |∂F_k/∂x_j| max(|x_j|, size) of each equation; the derivatives must be loaded.
    fn terms(&self, x: &[f64]) -> Vec<f64> {
        let mut terms = vec![0.0; self.block.outputs()];
        for (&(k, j), partial) in self.block.entries().iter().zip(&self.partials) {
            terms[k] += partial.abs() * x[j].abs().max(self.unknowns[j].size);
        }
        terms
    }

    /// One step; false where nothing is left to do.
    fn step(&mut self, x: &mut Vec<f64>) -> bool {
        self.block.eval_derivatives(x, &mut self.values, &mut self.partials);
        let scale: Vec<f64> = self.terms(x).iter().map(|t| if *t > 0.0 { 1.0 / t } else { 0.0 }).collect();
        let open = |values: &[f64]| values.iter().zip(&scale).map(|(v, s)| (v * s).powi(2)).sum::<f64>();
        let before = open(&self.values);
        if before == 0.0 || !before.is_finite() {
            return false;
        }
        let Some(step) = self.direction(&scale) else { return false };
        let mut part = 1.0;
        for _ in 0..CUTS {
            let trial: Vec<f64> = x.iter().zip(&step).map(|(x, d)| x - part * d).collect();
            let mut values = vec![0.0; self.values.len()];
            self.block.eval(&trial, &mut values);
            if open(&values) < before {
                let moved = x.iter().zip(&trial).zip(self.unknowns).any(|((old, new), unknown)| {
                    (new - old).abs() > 4.0 * f64::EPSILON * old.abs().max(unknown.size)
                });
                *x = trial;
                return moved;
            }
            part *= 0.5;
        }
        false
    }

    /// The step that makes the linear equations hold, with the least change of given values, measured by the sizes.
    fn direction(&self, scale: &[f64]) -> Option<Vec<f64>> {
        let right: Vec<f64> = self.values.iter().zip(scale).map(|(v, s)| v * s).collect();
        let size = |j: usize| self.unknowns[j].size;
        let entries = || {
            self.block.entries().iter().zip(&self.partials).map(|(&(k, j), p)| (k, j, p * scale[k] * size(j)))
        };
        let sparse = || least_change(self.unknowns, entries(), &right).ok();
        let dense = || dense_least_change(self.unknowns, entries(), &right);
        let step = if self.unknowns.len() > DENSE { sparse().or_else(dense) } else { dense() }?;
        Some(step.into_iter().enumerate().map(|(j, step)| step * size(j)).collect())
    }

    /// |F| of each equation, relative to its terms.
    fn relative(&mut self, x: &[f64]) -> Vec<f64> {
        self.block.eval_derivatives(x, &mut self.values, &mut self.partials);
        let relative = |(value, term): (&f64, f64)| match value.abs() / term {
            _ if *value == 0.0 => 0.0,
            // A constant that should be zero, or something that has no value.
            ratio if !ratio.is_finite() => f64::INFINITY,
            ratio => ratio,
        };
        self.values.iter().zip(self.terms(x)).map(relative).collect()
    }
}

/// The x with A x = b whose given part g is the least, from [I 0 A_gᵀ; 0 0 A_fᵀ; A_g A_f 0] with pivoting. All else, f, is
/// unique where the equations are regular.
fn least_change(
    unknowns: &[StageUnknown],
    entries: impl Iterator<Item = (usize, usize, f64)> + Clone,
    b: &[f64],
) -> Result<Vec<f64>, FallbackError> {
    let columns = unknowns.len();
    let n = b.len() + columns;
    let mut builder = PatternBuilder::new(n);
    (0..n).for_each(|j| {
        builder.add_block(&[j], &[j]);
    });
    for (k, j, _) in entries.clone() {
        builder.add_block(&[columns + k], &[j]).add_block(&[j], &[columns + k]);
    }
    let pattern = builder.build();
    let mut values = vec![0.0; pattern.nnz()];
    let mut put = |row: usize, column: usize, value: f64| {
        if let Some(slot) = pattern.index(row, column) {
            values[slot] += value;
        }
    };
    unknowns.iter().enumerate().filter(|(_, u)| u.is_given).for_each(|(j, _)| put(j, j, 1.0));
    for (k, j, value) in entries {
        put(columns + k, j, value);
        put(j, columns + k, value);
    }
    let mut lu = PivotingLu::new(&pattern)?;
    lu.factor(&values)?;
    let mut x = vec![0.0; n];
    x[columns..].copy_from_slice(b);
    lu.solve(&mut x);
    x.truncate(columns);
    if x.iter().all(|x| x.is_finite()) { Ok(x) } else { Err(FallbackError::Singular) }
}

/// The same by singular values, also where equations depend on each other or contradict. With Z across A_f, Zᵀ A_f = 0,
///
/// ```text
/// Zᵀ A_g g = Zᵀ b     least g,          A_f f = b − A_g g     least f.
/// ```
fn dense_least_change(
    unknowns: &[StageUnknown],
    entries: impl Iterator<Item = (usize, usize, f64)>,
    b: &[f64],
) -> Option<Vec<f64>> {
    let rows = b.len();
    let places = |given: bool| -> Vec<usize> {
        (0..unknowns.len()).filter(|&j| unknowns[j].is_given == given).collect()
    };
    let (given, free) = (places(true), places(false));
    let mut place = vec![0; unknowns.len()];
    for list in [&given, &free] {
        list.iter().enumerate().for_each(|(k, &j)| place[j] = k);
    }
    let mut of_given = Mat::zeros(rows, given.len());
    let mut of_free = Mat::zeros(rows, free.len());
    for (k, j, value) in entries {
        let matrix = if unknowns[j].is_given { &mut of_given } else { &mut of_free };
        matrix[(k, place[j])] = value;
    }
    let column = |x: &[f64]| Mat::from_fn(rows, 1, |k, _| x[k]);
    let mut x = vec![0.0; unknowns.len()];
    let mut rest = b.to_vec();
    if !given.is_empty() {
        let step = if free.is_empty() {
            pseudo_solve(of_given.as_ref(), b, RANK).ok()?.0
        } else {
            let (across, _) = null_space(of_free.transpose(), RANK).ok()?;
            let projected = across.transpose() * column(b);
            let projected: Vec<f64> = (0..projected.nrows()).map(|k| projected[(k, 0)]).collect();
            let matrix: Mat<f64> = across.transpose() * &of_given;
            pseudo_solve(matrix.as_ref(), &projected, RANK).ok()?.0
        };
        for (&j, step) in given.iter().zip(&step) {
            x[j] = *step;
            (0..rows).for_each(|k| rest[k] -= of_given[(k, place[j])] * step);
        }
    }
    if !free.is_empty() {
        let (step, _) = pseudo_solve(of_free.as_ref(), &rest, RANK).ok()?;
        free.iter().zip(step).for_each(|(&j, step)| x[j] = step);
    }
    Some(x)
}
