//! The equations of a network as they are given.

use crate::networks::load::Load;
use crate::networks::structure::Structure;
use crate::reading::Reading;
use poinsot_expr::Function;

/// A variable of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Value at the start.
    pub start: f64,
    /// A usual size: tolerances are relative to it.
    pub nominal: f64,
}

/// First-order equations with their loads. All functions have the arguments y, ẏ, r, t, in this order.
#[derive(Clone, Debug)]
pub struct Network {
    /// Its name.
    pub name: String,
    /// The variables y.
    pub variables: Vec<Variable>,
    /// The readings r.
    pub readings: Vec<Reading>,
    /// The equations F_k, as many as variables.
    pub equations: Vec<Function>,
    /// The loads.
    pub loads: Vec<Load>,
}

/// Why a network cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// Not as many equations as variables.
    #[error("{} for {}", number(*equations, "equation"), number(*variables, "variable"))]
    Count {
        /// Number of equations.
        equations: usize,
        /// Number of variables.
        variables: usize,
    },
    /// No assignment of variables to equations: some equations determine fewer variables than they are.
    #[error("the equations do not determine `{0}`: it stands in none that is not needed for others")]
    Undetermined(String),
    /// A load that depends on a rate or acts on something that is no coordinate and no input.
    #[error("load {0} depends on a rate of a variable or acts on no coordinate or input")]
    Load(usize),
}

fn number(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

impl Network {
    /// Number of arguments of the functions.
    pub fn arguments(&self) -> usize {
        2 * self.variables.len() + self.readings.len() + 1
    }

    /// Whether equation k has no rates in it.
    pub fn is_algebraic(&self, k: usize) -> bool {
        let m = self.variables.len();
        (m..2 * m).all(|j| self.equations[k].partial_is_zero(j))
    }

    /// The variables whose rates stand in equation k.
    pub(super) fn rates_in(&self, k: usize) -> impl Iterator<Item = usize> {
        let m = self.variables.len();
        (0..m).filter(move |&j| !self.equations[k].partial_is_zero(m + j))
    }

    /// Whether the rate of variable j stands in an equation.
    pub fn has_rate(&self, j: usize) -> bool {
        let m = self.variables.len();
        self.equations.iter().any(|f| !f.partial_is_zero(m + j))
    }

    /// Checks the network and finds which variable each equation determines, through its rate where it can.
    pub fn matching(&self) -> Result<Vec<usize>, NetworkError> {
        self.structure().map(|structure| structure.variable_of)
    }

    pub(super) fn structure(&self) -> Result<Structure, NetworkError> {
        let m = self.variables.len();
        if self.equations.len() != m {
            return Err(NetworkError::Count { equations: self.equations.len(), variables: m });
        }
        for (k, load) in self.loads.iter().enumerate() {
            let rates = (m..2 * m).any(|j| load.law.depends_on(j));
            if rates || self.path(load).is_none() {
                return Err(NetworkError::Load(k));
            }
        }
        Structure::new(self)
    }
}
