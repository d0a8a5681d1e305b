//! Constraints of an energy model that follow from others.

use super::start::{LagrangianStartError, Names, StartGuess};
use crate::energy_models::lagrangian::{Lagrangian, LagrangianEquations, RowKind, UnknownKind};
use crate::networks::hidden_equations::Jets;
use crate::networks::least_change::{Open, Stage, StageUnknown};
use poinsot_expr::{Block, Engine, Expr, Function};

/// A row of G whose part across the earlier ones is below this, relative to its length, depends on them.
const DEPENDENT: f64 = 1e-8;

impl Lagrangian {
    /// Displacement and flow constraints that follow from those before them, at a position where φ = 0.
    pub(super) fn dependent_constraints(
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
    pub(super) fn check_dependent(
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

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Takes constraints and their multipliers out.
pub(super) fn drop_constraints(equations: &mut LagrangianEquations, dependent: &[Vec<usize>; 2]) {
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
