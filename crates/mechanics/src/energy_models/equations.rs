//! Lagrange's equation of an energy model in every form.

use super::lagrangian::{
    EquationForm, Lagrangian, LagrangianEquations, LagrangianError, Row, RowKind, Unknown, UnknownKind,
};
use poinsot_expr::{Expr, rate_name};
use std::collections::HashMap;

/// Names with their places.
type Places<'a> = HashMap<&'a str, usize>;

pub(super) fn places<'a>(names: impl IntoIterator<Item = &'a String>) -> Places<'a> {
    names.into_iter().enumerate().map(|(k, name)| (name.as_str(), k)).collect()
}

/// ∂/∂x of the names that have a place, those that are not zero.
pub(super) fn partials(expr: &Expr, by: &Places) -> Vec<(usize, Expr)> {
    expr.gradient(&|name| by.get(name).copied())
}

pub(super) fn zero() -> Expr {
    Expr::number(0.0)
}

pub(super) fn variable(name: &str) -> Expr {
    Expr::name(name).unwrap_or_else(|| Expr::rate(name))
}

/// A sum in its simplest form.
pub(super) fn total(terms: Vec<Expr>) -> Expr {
    Expr::sum(terms).tidy()
}

/// d/dt along the motion.
struct Along<'a> {
    places: Places<'a>,
    rates: Vec<Expr>,
}

impl<'a> Along<'a> {
    /// The rates of q, f, r and t; accelerations of the mechanics are not known.
    fn new(model: &'a Lagrangian) -> Self {
        let coordinates = model.coordinates.iter().map(|c| &c.coordinate);
        let names = model.displacements.iter().chain(&model.flows).chain(coordinates).chain([&model.time]);
        let displacements = model.flows.iter().map(|f| variable(f));
        let flows = model.flows.iter().map(|f| Expr::rate(f));
        let coordinates = model.coordinates.iter().map(|c| variable(&c.rate));
        let rates = displacements.chain(flows).chain(coordinates).chain([Expr::number(1.0)]);
        Along { places: places(names), rates: rates.collect() }
    }

    pub(super) fn rate(&self, expr: &Expr) -> Expr {
        let terms = partials(expr, &self.places).into_iter().map(|(k, slope)| slope * self.rates[k].clone());
        total(terms.collect())
    }
}

impl Lagrangian {
    /// Lagrange's equation and the constraints in a form.
    pub fn equations(&self, form: EquationForm) -> Result<LagrangianEquations, LagrangianError> {
        self.check()?;
        if form == EquationForm::Ode {
            return self.underlying_equation();
        }
        let names = self.multiplier_names();
        let along = Along::new(self);
        let (momentum, loads) = self.momentum(&names, &along);
        let mut rows = self.kinematic_rows(form, &names);
        let mut push = |kind, list: Vec<Expr>| {
            rows.extend(list.into_iter().enumerate().map(|(index, expr)| Row { kind, index, expr }));
        };
        push(RowKind::Momentum, momentum);
        let dynamic = |(s, rate): (&String, &Expr)| Expr::rate(s) - rate.clone();
        push(RowKind::Dynamic, self.dynamics.iter().zip(&self.dynamic_rates).map(dynamic).collect());
        let (phi, psi) = (&self.displacement_constraints, &self.flow_constraints);
        let rates = || phi.iter().map(|phi| along.rate(phi)).collect::<Vec<_>>();
        match form {
            EquationForm::Index3 => push(RowKind::Displacement, phi.clone()),
            EquationForm::Index2 => push(RowKind::Displacement, rates()),
            EquationForm::Stabilised => {
                push(RowKind::Displacement, phi.clone());
                push(RowKind::DisplacementRate, rates());
            }
            EquationForm::Index1 | EquationForm::Ode => {
                self.check_accelerations()?;
                push(RowKind::Displacement, rates().iter().map(|rate| along.rate(rate)).collect());
            }
        }
        match form {
            EquationForm::Index1 => push(RowKind::Flow, psi.iter().map(|psi| along.rate(psi)).collect()),
            _ => push(RowKind::Flow, psi.clone()),
        }
        // Without efforts Γ gives a flow, as ψ does.
        let late: Vec<&String> =
            self.dynamics.iter().chain(&self.efforts).chain(&self.flow_multipliers).collect();
        let gives_flow = |gamma: &Expr| !late.iter().any(|name| gamma.contains(name));
        let effort = |gamma: &Expr| match form {
            EquationForm::Index1 if gives_flow(gamma) => along.rate(gamma),
            _ => gamma.clone(),
        };
        push(RowKind::Effort, self.effort_constraints.iter().map(effort).collect());
        Ok(LagrangianEquations { unknowns: self.unknowns(form, &names), rows, loads })
    }

    /// ḟ = a, and the rows of the index-1 form with a in place of ḟ.
    fn underlying_equation(&self) -> Result<LagrangianEquations, LagrangianError> {
        let mut equations = self.equations(EquationForm::Index1)?;
        let taken = |name: &str| equations.unknowns.iter().any(|u| u.name == name) || self.mentions(name);
        let fresh = |flow: &String| {
            let mut name = format!("a_{flow}");
            while taken(&name) {
                name.push('_');
            }
            name
        };
        let names: Vec<String> = self.flows.iter().map(fresh).collect();
        let accelerations: HashMap<String, Expr> =
            self.flows.iter().zip(&names).map(|(f, a)| (rate_name(f), variable(a))).collect();
        for row in &mut equations.rows {
            row.expr = row.expr.with_names(&|name| accelerations.get(name).cloned());
        }
        for (index, (f, name)) in self.flows.iter().zip(names).enumerate() {
            let expr = Expr::rate(f) - variable(&name);
            equations.rows.push(Row { kind: RowKind::Acceleration, index, expr });
            equations.unknowns.push(Unknown { name, kind: UnknownKind::Acceleration, index });
        }
        Ok(equations)
    }

    /// The unknowns q, f, s, e, λ, μ, ν of a form.
    fn unknowns(&self, form: EquationForm, [lambda, mu, nu]: &[Vec<String>; 3]) -> Vec<Unknown> {
        let none = vec![];
        let nu = if form == EquationForm::Stabilised { nu } else { &none };
        let kinds = [
            (UnknownKind::Displacement, &self.displacements),
            (UnknownKind::Flow, &self.flows),
            (UnknownKind::Dynamic, &self.dynamics),
            (UnknownKind::Effort, &self.efforts),
            (UnknownKind::DisplacementMultiplier, lambda),
            (UnknownKind::FlowMultiplier, mu),
            (UnknownKind::Stabilisation, nu),
        ];
        let of_kind = |(kind, names): (UnknownKind, &Vec<String>)| {
            let named = |(index, name): (usize, &String)| Unknown { name: name.clone(), kind, index };
            names.iter().enumerate().map(named).collect::<Vec<_>>()
        };
        kinds.into_iter().flat_map(of_kind).collect()
    }

    /// Names of λ, μ and ν that no variable has.
    pub fn multiplier_names(&self) -> [Vec<String>; 3] {
        let lists = [&self.displacements, &self.flows, &self.dynamics, &self.efforts, &self.flow_multipliers];
        let fresh = |word: &str, count: usize| -> Vec<String> {
            let name = |k: usize| {
                let mut name = format!("{word}{}", k + 1);
                while lists.iter().any(|list| list.contains(&name)) || self.mentions(&name) {
                    name.push('_');
                }
                name
            };
            (0..count).map(name).collect()
        };
        let (m1, m2) = (self.displacement_constraints.len(), self.flow_constraints.len());
        let mut mu = fresh("mu", m2);
        mu.iter_mut().zip(&self.flow_multipliers).for_each(|(mu, name)| mu.clone_from(name));
        [fresh("lambda", m1), mu, fresh("nu", m1)]
    }

    /// Whether a name stands in an expression.
    fn mentions(&self, name: &str) -> bool {
        let single = [&self.kinetic, &self.potential, &self.dissipation];
        let lists = [
            &self.applied,
            &self.displacement_constraints,
            &self.flow_constraints,
            &self.effort_constraints,
            &self.dynamic_rates,
        ];
        single.into_iter().chain(lists.into_iter().flatten()).any(|expr| expr.contains(name))
    }

    /// q̇ − f, and + φ_qᵀ ν where φ̇ = 0 stands beside φ = 0.
    fn kinematic_rows(&self, form: EquationForm, [_, _, nu]: &[Vec<String>; 3]) -> Vec<Row> {
        let mut rows: Vec<Vec<Expr>> = self
            .displacements
            .iter()
            .zip(&self.flows)
            .map(|(q, f)| vec![Expr::rate(q), -variable(f)])
            .collect();
        if form == EquationForm::Stabilised {
            let q = places(&self.displacements);
            for (phi, nu) in self.displacement_constraints.iter().zip(nu) {
                for (i, slope) in partials(phi, &q) {
                    rows[i].push(slope * variable(nu));
                }
            }
        }
        let row = |(index, terms)| Row { kind: RowKind::Kinematic, index, expr: total(terms) };
        rows.into_iter().enumerate().map(row).collect()
    }

    /// Lagrange's equation of every displacement, and e_r of every coordinate of the mechanics. With p =
    /// ∂T*/∂f,
    ///
    /// ```text
    /// p_f ḟ + p_q f + p_r ṙ + p_t − ∂T*/∂q + ∂V/∂q + ∂D/∂f − e^s + φ_qᵀ λ + ψ_fᵀ μ
    /// ```
    fn momentum(&self, [lambda, mu, _]: &[Vec<String>; 3], along: &Along) -> (Vec<Expr>, Vec<Expr>) {
        let n = self.displacements.len();
        let q = places(self.displacements.iter().chain(self.coordinates.iter().map(|c| &c.coordinate)));
        let f = places(self.flows.iter().chain(self.coordinates.iter().map(|c| &c.rate)));
        let mut rows: Vec<Vec<Expr>> = vec![vec![]; n + self.coordinates.len()];
        for (i, p) in partials(&self.kinetic, &f) {
            rows[i].push(along.rate(&p));
        }
        for (i, slope) in partials(&self.kinetic, &q) {
            rows[i].push(-slope);
        }
        for (i, slope) in partials(&self.potential, &q) {
            rows[i].push(slope);
        }
        for (i, slope) in partials(&self.dissipation, &f) {
            rows[i].push(slope);
        }
        for (phi, lambda) in self.displacement_constraints.iter().zip(lambda) {
            for (i, slope) in partials(phi, &q) {
                rows[i].push(slope * variable(lambda));
            }
        }
        for (psi, mu) in self.flow_constraints.iter().zip(mu) {
            for (i, slope) in partials(psi, &f) {
                rows[i].push(slope * variable(mu));
            }
        }
        let applied = self.applied.iter().chain(self.coordinates.iter().map(|c| &c.applied));
        for (row, applied) in rows.iter_mut().zip(applied) {
            row.push(-applied.clone());
        }
        let loads = rows.split_off(n).into_iter().map(|terms| (-total(terms)).tidy()).collect();
        (rows.into_iter().map(total).collect(), loads)
    }

    /// The index-1 form differentiates constraints up to accelerations, which the mechanics does not tell.
    fn check_accelerations(&self) -> Result<(), LagrangianError> {
        let names: Vec<&String> = self.coordinates.iter().flat_map(|c| [&c.coordinate, &c.rate]).collect();
        let all = self.displacement_constraints.iter().chain(&self.flow_constraints);
        for (constraint, expr) in all.enumerate() {
            if let Some(name) = names.iter().find(|name| expr.contains(name)) {
                return Err(LagrangianError::Acceleration { constraint, name: name.to_string() });
            }
        }
        Ok(())
    }
}
