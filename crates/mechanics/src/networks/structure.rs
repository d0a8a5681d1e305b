//! The structure of first-order equations: which variable each equation determines, and the index of every
//! variable.
//!
//! With σ_kj = 1 where the rate of variable j stands in equation k, 0 where only its value does, each
//! equation takes one variable so that the sum of σ is the largest. Then the least numbers c_k ≥ 0, d_j with
//!
//! ```text
//! d_j − c_k ≥ σ_kj,     equality where k takes j
//! ```
//! say how often equation k is to be differentiated until the derivatives of order d_j follow from algebraic
//! equations. Value j follows from equations that were differentiated c_k − d_j times, those of all variables
//! on which it depends there: its index is one more.

use crate::networks::network::{Network, NetworkError};
use poinsot_expr::Function;

/// Which variable each equation determines, and the index of every variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Structure {
    /// The variable of each equation.
    pub variable_of: Vec<usize>,
    /// The index of each variable: 0 with a rate of its own, 1 from algebraic equations, above where these
    /// are differentiated.
    pub index: Vec<usize>,
    /// c: how often each equation is differentiated.
    pub differentiations: Vec<usize>,
    /// d: the order of the derivative of each variable that then follows from algebraic equations.
    pub orders: Vec<usize>,
}

impl Structure {
    pub fn new(network: &Network) -> Result<Self, NetworkError> {
        let undetermined = |j: usize| NetworkError::Undetermined(network.variables[j].name.clone());
        Self::of(&function_entries(&network.equations, network.variables.len())).map_err(undetermined)
    }

    /// The structure of equations with the given entries; an error is a variable that is not determined.
    pub fn of(entries: &Entries) -> Result<Self, usize> {
        let variable_of = assign(entries)?;
        let (c, d) = offsets(entries, &variable_of);
        let index = indices(entries, &variable_of, &c, &d);
        Ok(Structure { variable_of, index, differentiations: c, orders: d })
    }
}

/// (variable, σ) of each equation.
pub(crate) type Entries = Vec<Vec<(usize, usize)>>;

/// The entries of functions of y, ẏ and more, of `m` variables.
pub(crate) fn function_entries(functions: &[Function], m: usize) -> Entries {
    let entry = |f: &Function, j: usize| match (f.partial_is_zero(m + j), f.partial_is_zero(j)) {
        (false, _) => Some((j, 1)),
        (true, false) => Some((j, 0)),
        (true, true) => None,
    };
    functions.iter().map(|f| (0..m).filter_map(|j| entry(f, j)).collect()).collect()
}

/// Gives each equation a variable, with as many rates as possible: every equation in turn changes the choice
/// along the path that costs the fewest rates.
fn assign(entries: &Entries) -> Result<Vec<usize>, usize> {
    let m = entries.len();
    let mut equation_of: Vec<Option<usize>> = vec![None; m];
    let mut variable_of: Vec<Option<usize>> = vec![None; m];
    for start in 0..m {
        // Cost to reach each equation and each variable, and the equation from which a variable was reached.
        let mut to_equation = vec![i64::MAX; m];
        let mut to_variable = vec![i64::MAX; m];
        let mut from = vec![None; m];
        to_equation[start] = 0;
        let mut waiting = std::collections::VecDeque::from([start]);
        while let Some(k) = waiting.pop_front() {
            for &(j, sigma) in &entries[k] {
                let cost = to_equation[k] - sigma as i64;
                if variable_of[k] == Some(j) || cost >= to_variable[j] {
                    continue;
                }
                (to_variable[j], from[j]) = (cost, Some(k));
                // The equation that has the variable now would give it back.
                if let Some(owner) = equation_of[j] {
                    let given = entries[owner].iter().find(|(other, _)| *other == j).map_or(0, |e| e.1);
                    to_equation[owner] = cost + given as i64;
                    waiting.push_back(owner);
                }
            }
        }
        let free = (0..m).filter(|&j| equation_of[j].is_none() && from[j].is_some());
        let Some(end) = free.min_by_key(|&j| to_variable[j]) else { continue };
        let mut next = Some(end);
        while let Some(j) = next {
            let Some(k) = from[j] else { break };
            next = variable_of[k].replace(j);
            equation_of[j] = Some(k);
        }
    }
    if let Some(j) = equation_of.iter().position(Option::is_none) {
        return Err(j);
    }
    Ok(variable_of.into_iter().flatten().collect())
}

/// The least c and d.
fn offsets(entries: &Entries, variable_of: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let m = entries.len();
    let (mut c, mut d) = (vec![0; m], vec![0; m]);
    // The largest sum of σ makes this end after as many rounds as there are equations.
    for _ in 0..=m {
        for (k, list) in entries.iter().enumerate() {
            list.iter().for_each(|&(j, sigma)| d[j] = d[j].max(sigma + c[k]));
        }
        let mut changed = false;
        for (k, list) in entries.iter().enumerate() {
            let own = variable_of[k];
            let sigma = list.iter().find(|(j, _)| *j == own).map_or(0, |e| e.1);
            let wanted = d[own] - sigma;
            changed |= wanted != c[k];
            c[k] = wanted;
        }
        if !changed {
            break;
        }
    }
    (c, d)
}

fn indices(entries: &Entries, variable_of: &[usize], c: &[usize], d: &[usize]) -> Vec<usize> {
    let m = entries.len();
    let mut equation_of = vec![0; m];
    variable_of.iter().enumerate().for_each(|(k, &j)| equation_of[j] = k);
    let index = |j: usize| {
        let (mut seen, mut waiting) = (vec![false; m], vec![j]);
        let mut most = 0;
        while let Some(j) = waiting.pop() {
            if std::mem::replace(&mut seen[j], true) {
                continue;
            }
            let k = equation_of[j];
            most = most.max(c[k]);
            waiting.extend(entries[k].iter().filter(|(i, sigma)| d[*i] == c[k] + sigma).map(|e| e.0));
        }
        (most + 1).saturating_sub(d[j])
    };
    (0..m).map(index).collect()
}
