//! Hidden constraints: what the derivatives of equations by time say about their variables.
//!
//! The structure of the equations F_k(y, ẏ, r, t) = 0 tells how often each is differentiated, c_k, until the
//! derivatives of order d_j of the variables follow. They are solved in stages κ = −max d … 0 and beyond,
//! each of them
//!
//! ```text
//! d^(κ + c_k) F_k / dt^(κ + c_k) = 0     for     y_j^(κ + d_j)
//! ```
//! with the least change of given values (J. D. Pryce, A simple structural analysis method for DAEs, BIT 41,
//! 2001).

use crate::networks::least_change::{Open, Stage, StageUnknown};
use crate::networks::structure::Structure;
use poinsot_expr::{Block, Engine, Function, InputRate, TimeDerivative};

/// The inputs of equations that are differentiated by time: y, ẏ, r, t as they have them, then the higher
/// derivatives of y up to `top` and those of r.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jets {
    pub variables: usize,
    pub readings: usize,
    pub top: usize,
}

impl Jets {
    /// Room for the derivatives of a structure, and for one more.
    pub fn new(structure: &Structure, readings: usize) -> Self {
        let top = structure.orders.iter().chain(&structure.differentiations).max().map_or(1, |d| d + 2);
        Jets { variables: structure.orders.len(), readings, top }
    }

    /// Where y_j of an order stands.
    pub fn variable(&self, j: usize, order: usize) -> usize {
        match order {
            0 | 1 => order * self.variables + j,
            _ => self.arguments() + (order - 2) * self.variables + j,
        }
    }

    /// Where r_i of an order stands.
    pub fn reading(&self, i: usize, order: usize) -> usize {
        match order {
            0 => 2 * self.variables + i,
            _ => self.arguments() + (self.top - 1) * self.variables + (order - 1) * self.readings + i,
        }
    }

    /// Where the time stands.
    pub fn time(&self) -> usize {
        2 * self.variables + self.readings
    }

    /// Number of the arguments y, ẏ, r, t.
    fn arguments(&self) -> usize {
        self.time() + 1
    }

    /// Number of all inputs.
    pub fn inputs(&self) -> usize {
        self.arguments() + (self.top - 1) * self.variables + self.top * self.readings
    }

    /// A derivative by time of one function, with its derivatives by all inputs.
    pub fn derivative(&self, function: &Function, order: usize) -> Block {
        let row = vec![TimeDerivative::new(function, order)];
        let rate = |input: usize| self.rate(input);
        Block::of_time_derivatives(&[row], self.inputs(), &rate, &|_| true, Engine::Interpreter)
    }

    /// The input that is the rate of another.
    fn rate(&self, input: usize) -> InputRate {
        let (m, arguments) = (self.variables, self.arguments());
        let higher = arguments + (self.top - 1) * m;
        match input {
            _ if input < m => InputRate::Input(input + m),
            _ if input < 2 * m && self.top < 2 => InputRate::Zero,
            _ if input < 2 * m => InputRate::Input(self.variable(input - m, 2)),
            _ if input < self.time() => InputRate::Input(self.reading(input - 2 * m, 1)),
            _ if input == self.time() => InputRate::One,
            _ if input + m < higher => InputRate::Input(input + m),
            _ if input < higher => InputRate::Zero,
            _ if input + self.readings < self.inputs() => InputRate::Input(input + self.readings),
            _ => InputRate::Zero,
        }
    }
}

/// What a stage may do with the value of a variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    /// A usual size; changes are measured by it.
    pub size: f64,
    /// Whether it must stay.
    pub kept: bool,
    /// Whether it is wanted as near as possible to what it is.
    pub wanted: bool,
}

/// Readings that follow from the variables, as accelerations of the mechanics follow from its loads:
/// r_i⁽ᵒ⁾ = c_i + Σ_k A_ik e_k.
#[derive(Clone, Debug, Default)]
pub(crate) struct Response {
    /// (reading, order, c, A) of each.
    pub readings: Vec<(usize, usize, f64, Vec<f64>)>,
}

/// A derivative of an equation that does not hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenDerivative {
    pub equation: usize,
    /// How often it was differentiated.
    pub order: usize,
    pub open: Open,
}

/// Why variables do not follow.
#[derive(Clone, Debug)]
pub(crate) enum HiddenError {
    /// Derivatives that do not hold.
    Open(Vec<OpenDerivative>),
    /// An equation needs a derivative of a reading that nobody knows.
    Reading(usize),
}

/// Equations with the derivatives that their structure asks for.
pub(crate) struct HiddenEquations<'a> {
    pub functions: &'a [Function],
    pub structure: &'a Structure,
    pub jets: Jets,
    /// Inputs that are not known: no stage may need them.
    pub unknowable: &'a dyn Fn(usize) -> bool,
}

impl HiddenEquations<'_> {
    /// Stages κ = −max d … 0, one after the other; what each has found is marked as known.
    pub fn solve(
        &self,
        inputs: &mut [f64],
        known: &mut [bool],
        given: &dyn Fn(usize) -> Given,
        response: (&Response, &[&Function]),
    ) -> Result<(), HiddenError> {
        let last = self.structure.orders.iter().max().map_or(0, |d| *d as isize);
        for kappa in -last..=0 {
            let none = Response::default();
            let response = if kappa == 0 { response } else { (&none, response.1) };
            let (stage, rows) = self.stage(kappa, given, response)?;
            if rows.is_empty() {
                continue;
            }
            let open = stage.solve(inputs);
            if !open.is_empty() {
                let of = |open: Open| {
                    let (equation, order) = *rows.get(open.row)?;
                    Some(OpenDerivative { equation, order, open })
                };
                return Err(HiddenError::Open(open.into_iter().filter_map(of).collect()));
            }
            stage.unknowns().for_each(|input| known[input] = true);
        }
        Ok(())
    }

    /// A stage, and (equation, order) of its rows.
    pub fn stage(
        &self,
        kappa: isize,
        given: &dyn Fn(usize) -> Given,
        (response, loads): (&Response, &[&Function]),
    ) -> Result<(Stage, Vec<(usize, usize)>), HiddenError> {
        let Structure { differentiations, orders, .. } = self.structure;
        let at = |base: usize| usize::try_from(base as isize + kappa).ok();
        let of = |(k, c): (usize, &usize)| Some((k, at(*c)?));
        let rows: Vec<(usize, usize)> = differentiations.iter().enumerate().filter_map(of).collect();
        let mut unknowns = Vec::new();
        for (j, &d) in orders.iter().enumerate() {
            let Some(order) = at(d) else { continue };
            let free = Given { size: 1.0, kept: false, wanted: false };
            let value = if order == 0 { given(j) } else { free };
            if !value.kept {
                let input = self.jets.variable(j, order);
                unknowns.push(StageUnknown { input, size: value.size, is_given: value.wanted });
            }
        }
        let derivative = |&(k, order): &(usize, usize)| vec![TimeDerivative::new(&self.functions[k], order)];
        let mut sums: Vec<Vec<TimeDerivative>> = rows.iter().map(derivative).collect();
        let mut parts = Vec::new();
        for &(i, order, constant, _) in &response.readings {
            let input = self.jets.reading(i, order);
            unknowns.push(StageUnknown { input, size: 1.0, is_given: false });
            parts.push((Function::input(input), Function::constant(-constant)));
        }
        for ((own, constant), (.., by)) in parts.iter().zip(&response.readings) {
            let mut sum = vec![TimeDerivative::new(own, 0), TimeDerivative::new(constant, 0)];
            let terms = by.iter().zip(loads).filter(|(factor, _)| **factor != 0.0);
            sum.extend(
                terms
                    .map(|(factor, load)| TimeDerivative { factor: -factor, ..TimeDerivative::new(load, 0) }),
            );
            sums.push(sum);
        }
        let is_unknown: std::collections::HashSet<usize> = unknowns.iter().map(|u| u.input).collect();
        let unknowable = |input: usize| !is_unknown.contains(&input) && (self.unknowable)(input);
        let by = |input: usize| is_unknown.contains(&input) || unknowable(input);
        let rate = |input: usize| self.jets.rate(input);
        let block = Block::of_time_derivatives(&sums, self.jets.inputs(), &rate, &by, Engine::Interpreter);
        let lost = block.entries().iter().find(|(_, input)| unknowable(*input));
        if let Some(&(row, _)) = lost {
            return Err(HiddenError::Reading(rows.get(row).map_or(0, |row| row.0)));
        }
        Ok((Stage::new(block, unknowns), rows))
    }
}
