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

use super::equations::{partials, places, zero};
use poinsot_expr::Expr;

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
pub enum EquationForm {
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
}
