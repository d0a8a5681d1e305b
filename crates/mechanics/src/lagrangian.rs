//! Energy models: Lagrange's equation with constraints, from T*, V, D and expressions.
//!
//! ```text
//! d/dt ∂T*/∂f − ∂T*/∂q + ∂V/∂q + ∂D/∂f + φ_qᵀ λ + ψ_fᵀ μ = e^s,      q̇ = f
//! ṡ = Σ(q, f, s, e, t)                                                  dynamic constraints
//! φ(q, t) = 0,   ψ(q, f, t) = 0,   Γ(q, f, s, e, t) = 0                  displacement, flow, effort constraints
//! ```
//! (lagrangian-dae-modeling §1.18). A model of any discipline is the same: q displacements, f flows, e
//! efforts, s dynamic variables. T* may be singular in f (branches without inductance) and need not be
//! quadratic.
//!
//! The energies may contain coordinates of the mechanics beside them, r with rate ṙ. These are no unknowns of
//! the model, but they are loaded with their part of Lagrange's equation,
//!
//! ```text
//! e_r = e^s_r + ∂T*/∂r − ∂V/∂r − ∂D/∂ṙ − φ_rᵀ λ − ψ_ṙᵀ μ.
//! ```

use poinsot_expr::{Expr, rate_name};
use std::collections::HashMap;

/// An energy model. Expressions use the names of variables, of what is read, `time`, and of constants.
#[derive(Clone, Debug)]
pub struct Lagrangian {
    /// Names of the displacements q.
    pub displacements: Vec<String>,
    /// Names of the flows f, as many.
    pub flows: Vec<String>,
    /// Names of the dynamic variables s.
    pub dynamics: Vec<String>,
    /// Names of the efforts e.
    pub efforts: Vec<String>,
    /// T*(q, f, t).
    pub kinetic: Expr,
    /// V(q, t).
    pub potential: Expr,
    /// D(q, f, t).
    pub dissipation: Expr,
    /// e^s, one for each displacement.
    pub applied: Vec<Expr>,
    /// φ(q, t).
    pub displacement_constraints: Vec<Expr>,
    /// ψ(q, f, t), linear in f.
    pub flow_constraints: Vec<Expr>,
    /// Γ, one for each effort.
    pub effort_constraints: Vec<Expr>,
    /// Σ, one for each dynamic variable.
    pub dynamic_rates: Vec<Expr>,
    /// Names of the multipliers of the first flow constraints: applied efforts, effort constraints and
    /// dynamic rates may use them. The others are `mu1` and so on.
    pub flow_multipliers: Vec<String>,
    /// Coordinates of the mechanics that the energies and constraints contain.
    pub coordinates: Vec<Coupled>,
    /// The name of time.
    pub time: String,
}

/// A coordinate of the mechanics that an energy model contains.
#[derive(Clone, Debug)]
pub struct Coupled {
    /// Name of the coordinate r.
    pub coordinate: String,
    /// Name of its rate ṙ.
    pub rate: String,
    /// e^s_r.
    pub applied: Expr,
}

/// The level at which displacement constraints stand in the equations (lagrangian-dae-modeling §1.24).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// φ = 0, the equations as they are.
    Index3,
    /// φ̇ = 0 in place of φ = 0: drifts.
    Index2,
    /// Gear, Gupta, Leimkuhler: φ = 0 and φ̇ = 0, with q̇ = f − φ_qᵀ ν.
    #[default]
    Stabilised,
    /// φ̈ = 0 and ψ̇ = 0: drifts.
    Index1,
    /// The same with accelerations as unknowns: the underlying ordinary differential equation q̇ = f, ḟ = a,
    /// whose right side the other rows give, linear in a, λ and μ. Explicit methods solve it, too; M must be
    /// regular on the constraints.
    Ode,
}

/// What an unknown of the equations is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnknownKind {
    /// q.
    Displacement,
    /// f.
    Flow,
    /// s.
    Dynamic,
    /// e.
    Effort,
    /// λ, of a displacement constraint.
    DisplacementMultiplier,
    /// μ, of a flow constraint.
    FlowMultiplier,
    /// ν, which keeps φ = 0 beside φ̇ = 0.
    Stabilisation,
    /// a = ḟ.
    Acceleration,
}

/// An unknown of the equations.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: UnknownKind,
    /// Its place among those of its kind.
    pub index: usize,
}

/// What an equation says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// q̇ = f.
    Kinematic,
    /// Lagrange's equation.
    Momentum,
    /// ṡ = Σ.
    Dynamic,
    /// φ = 0, or what stands for it.
    Displacement,
    /// φ̇ = 0 beside φ = 0.
    DisplacementRate,
    /// ψ = 0, or ψ̇ = 0.
    Flow,
    /// Γ = 0.
    Effort,
    /// ḟ = a.
    Acceleration,
}

/// An equation: the expression is zero. Rates are names of the kind `der(x)`.
#[derive(Clone, Debug)]
pub struct Row {
    /// What it says.
    pub kind: RowKind,
    /// Its place among those of its kind.
    pub index: usize,
    /// The expression that is zero.
    pub expr: Expr,
}

/// The Lagrangian differential-algebraic equations of a model, in the order of the digest: unknowns q, f, s,
/// e, λ, μ, ν (or a).
#[derive(Clone, Debug)]
pub struct LagrangianEquations {
    /// The unknowns.
    pub unknowns: Vec<Unknown>,
    /// As many equations.
    pub rows: Vec<Row>,
    /// e_r for each coordinate of the mechanics, in the order of [`Lagrangian::coordinates`].
    pub loads: Vec<Expr>,
}

/// Why there are no equations.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LagrangianError {
    /// Two lists that must be equally long are not.
    #[error("{what} has {have} entries, but {want} are needed")]
    Length {
        /// Which list.
        what: &'static str,
        /// How long it is.
        have: usize,
        /// How long it should be.
        want: usize,
    },
    /// A flow constraint that is not linear in the flows.
    #[error("flow constraint {constraint} is not linear in `{flow}`")]
    Nonlinear {
        /// Which constraint, from zero.
        constraint: usize,
        /// A flow.
        flow: String,
    },
    /// A name where it must not be.
    #[error("{what} may not contain `{name}`")]
    Forbidden {
        /// The expression.
        what: &'static str,
        /// Its place in the list.
        index: usize,
        /// The name.
        name: String,
    },
    /// Accelerations of the mechanics would be needed.
    #[error(
        "constraint {constraint} contains `{name}` of the mechanics, whose acceleration the index-1 form would need"
    )]
    Acceleration {
        /// Which constraint, from zero.
        constraint: usize,
        /// The coordinate.
        name: String,
    },
}

/// Names with their places.
type Places<'a> = HashMap<&'a str, usize>;

fn places<'a>(names: impl IntoIterator<Item = &'a String>) -> Places<'a> {
    names.into_iter().enumerate().map(|(k, name)| (name.as_str(), k)).collect()
}

/// ∂/∂x of the names that have a place, those that are not zero.
fn partials(expr: &Expr, by: &Places) -> Vec<(usize, Expr)> {
    expr.gradient(&|name| by.get(name).copied())
}

fn zero() -> Expr {
    Expr::number(0.0)
}

fn variable(name: &str) -> Expr {
    Expr::name(name).unwrap_or_else(|| Expr::rate(name))
}

/// A sum in its simplest form.
fn total(terms: Vec<Expr>) -> Expr {
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

    fn rate(&self, expr: &Expr) -> Expr {
        let terms = partials(expr, &self.places).into_iter().map(|(k, slope)| slope * self.rates[k].clone());
        total(terms.collect())
    }
}

impl Lagrangian {
    /// A model with the given displacements and flows and nothing else.
    pub fn new(displacements: Vec<String>, flows: Vec<String>) -> Self {
        let applied = displacements.iter().map(|_| zero()).collect();
        Lagrangian {
            displacements,
            flows,
            dynamics: vec![],
            efforts: vec![],
            kinetic: zero(),
            potential: zero(),
            dissipation: zero(),
            applied,
            displacement_constraints: vec![],
            flow_constraints: vec![],
            effort_constraints: vec![],
            dynamic_rates: vec![],
            flow_multipliers: vec![],
            coordinates: vec![],
            time: "t".into(),
        }
    }

    /// Whether lists fit, names stand where they may, and flow constraints are linear in the flows.
    pub fn check(&self) -> Result<(), LagrangianError> {
        let lengths = [
            ("FlowVariables", self.flows.len(), self.displacements.len()),
            ("GeneralizedEfforts", self.applied.len(), self.displacements.len()),
            ("EffortConstraints", self.effort_constraints.len(), self.efforts.len()),
            ("DynamicConstraints", self.dynamic_rates.len(), self.dynamics.len()),
        ];
        for (what, have, want) in lengths {
            if have != want {
                return Err(LagrangianError::Length { what, have, want });
            }
        }
        self.check_names()?;
        let flows = places(self.flows.iter().chain(self.coordinates.iter().map(|c| &c.rate)));
        for (constraint, psi) in self.flow_constraints.iter().enumerate() {
            for (_, slope) in partials(psi, &flows) {
                if let Some(flow) =
                    slope.variables().into_iter().find(|(name, _)| flows.contains_key(name.as_str()))
                {
                    return Err(LagrangianError::Nonlinear { constraint, flow: flow.0 });
                }
            }
        }
        Ok(())
    }

    fn check_names(&self) -> Result<(), LagrangianError> {
        let late: Vec<&String> =
            self.dynamics.iter().chain(&self.efforts).chain(&self.flow_multipliers).collect();
        let rates: Vec<&String> = self.coordinates.iter().map(|c| &c.rate).collect();
        let moving: Vec<&String> = self.flows.iter().chain(rates.iter().copied()).collect();
        let refuse = |what: &'static str, list: &[Expr], names: &[&String]| {
            let bad = |(index, expr): (usize, &Expr)| {
                let name = names.iter().find(|name| expr.contains(name))?.to_string();
                Some(LagrangianError::Forbidden { what, index, name })
            };
            list.iter().enumerate().find_map(bad).map_or(Ok(()), Err)
        };
        let one = std::slice::from_ref::<Expr>;
        for (what, list) in [
            ("KineticCoEnergy", one(&self.kinetic)),
            ("PotentialEnergy", one(&self.potential)),
            ("DissipationFunction", one(&self.dissipation)),
            ("DisplacementConstraints", &self.displacement_constraints),
            ("FlowConstraints", &self.flow_constraints),
        ] {
            refuse(what, list, &late)?;
        }
        refuse("KineticCoEnergy", one(&self.kinetic), &rates)?;
        refuse("PotentialEnergy", one(&self.potential), &moving)?;
        refuse("DisplacementConstraints", &self.displacement_constraints, &moving)
    }

    /// Lagrange's equation and the constraints in a form.
    pub fn equations(&self, form: Form) -> Result<LagrangianEquations, LagrangianError> {
        self.check()?;
        if form == Form::Ode {
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
            Form::Index3 => push(RowKind::Displacement, phi.clone()),
            Form::Index2 => push(RowKind::Displacement, rates()),
            Form::Stabilised => {
                push(RowKind::Displacement, phi.clone());
                push(RowKind::DisplacementRate, rates());
            }
            Form::Index1 | Form::Ode => {
                self.check_accelerations()?;
                push(RowKind::Displacement, rates().iter().map(|rate| along.rate(rate)).collect());
            }
        }
        match form {
            Form::Index1 => push(RowKind::Flow, psi.iter().map(|psi| along.rate(psi)).collect()),
            _ => push(RowKind::Flow, psi.clone()),
        }
        // Without efforts Γ gives a flow, as ψ does.
        let late: Vec<&String> =
            self.dynamics.iter().chain(&self.efforts).chain(&self.flow_multipliers).collect();
        let gives_flow = |gamma: &Expr| !late.iter().any(|name| gamma.contains(name));
        let effort = |gamma: &Expr| match form {
            Form::Index1 if gives_flow(gamma) => along.rate(gamma),
            _ => gamma.clone(),
        };
        push(RowKind::Effort, self.effort_constraints.iter().map(effort).collect());
        Ok(LagrangianEquations { unknowns: self.unknowns(form, &names), rows, loads })
    }

    /// ḟ = a, and the rows of the index-1 form with a in place of ḟ.
    fn underlying_equation(&self) -> Result<LagrangianEquations, LagrangianError> {
        let mut equations = self.equations(Form::Index1)?;
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
    fn unknowns(&self, form: Form, [lambda, mu, nu]: &[Vec<String>; 3]) -> Vec<Unknown> {
        let none = vec![];
        let nu = if form == Form::Stabilised { nu } else { &none };
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
    fn kinematic_rows(&self, form: Form, [_, _, nu]: &[Vec<String>; 3]) -> Vec<Row> {
        let mut rows: Vec<Vec<Expr>> = self
            .displacements
            .iter()
            .zip(&self.flows)
            .map(|(q, f)| vec![Expr::rate(q), -variable(f)])
            .collect();
        if form == Form::Stabilised {
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

    /// The kinetic energy Σ f ∂T*/∂f − T*.
    pub fn kinetic_energy(&self) -> Expr {
        total(std::iter::once(-self.kinetic.clone()).chain(self.times_flows(&self.kinetic)).collect())
    }

    /// The stored energy Σ f ∂T*/∂f − T* + V.
    pub fn energy(&self) -> Expr {
        total(vec![self.kinetic_energy(), self.potential.clone()])
    }

    /// The power that is lost, Σ f ∂D/∂f + Σ ṙ ∂D/∂ṙ.
    pub fn dissipated_power(&self) -> Expr {
        let rates: Vec<String> = self.coordinates.iter().map(|c| c.rate.clone()).collect();
        let slopes = partials(&self.dissipation, &places(&rates)).into_iter();
        let coupled = slopes.map(|(i, slope)| slope * variable(&rates[i]));
        total(self.times_flows(&self.dissipation).into_iter().chain(coupled).collect())
    }

    /// The power that comes in: of the applied efforts, of constraints that are driven, of energies that
    /// depend on time, and what the model does not give on to the coordinates that it loads with e_r,
    ///
    /// ```text
    /// Σ e^s f + λᵀ ∂φ/∂t + μᵀ ψ(f = 0) + ∂V/∂t − ∂T*/∂t + Σ (e^s_r − e_r) ṙ
    /// ```
    pub fn supplied_power(&self, loads: &[Expr]) -> Expr {
        let [lambda, mu, _] = self.multiplier_names();
        let mut terms: Vec<Expr> =
            self.applied.iter().zip(&self.flows).map(|(e, f)| e.clone() * variable(f)).collect();
        terms.push(self.potential.derivative(&self.time));
        terms.push(-self.kinetic.derivative(&self.time));
        let driven = self.displacement_constraints.iter().map(|phi| phi.derivative(&self.time));
        terms.extend(driven.zip(&lambda).map(|(rate, lambda)| rate * variable(lambda)));
        let kept = self.coordinates.iter().zip(loads);
        terms.extend(kept.map(|(c, load)| (c.applied.clone() - load.clone()) * variable(&c.rate)));
        let moves = |name: &str| {
            self.flows.iter().any(|f| f == name) || self.coordinates.iter().any(|c| c.rate == name)
        };
        let still = |psi: &Expr| psi.with_names(&|name| moves(name).then(zero)).simplify();
        terms.extend(self.flow_constraints.iter().zip(&mu).map(|(psi, mu)| still(psi) * variable(mu)));
        total(terms)
    }

    /// The terms f ∂/∂f.
    fn times_flows(&self, expr: &Expr) -> Vec<Expr> {
        let slopes = partials(expr, &places(&self.flows)).into_iter();
        slopes.map(|(i, slope)| slope * variable(&self.flows[i])).collect()
    }
}
