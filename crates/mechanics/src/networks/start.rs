//! Networks whose algebraic equations have to be differentiated: a start that satisfies their hidden
//! constraints, and rates, by the stages of `hidden_equations.rs`.
//!
//! Accelerations of the mechanics that are read follow from the loads: r̈ = c + A e(y, r, t).

use crate::State;
use crate::assembly::Scratch;
use crate::networks::hidden_equations::{Given, HiddenEquations, HiddenError, Jets, Response};
use crate::networks::least_change::Stage;
use crate::networks::{NetworkEntry, OpenEquation};
use crate::system::System;
use crate::system::state::Instant;
use poinsot_expr::Function;

/// How the highest known derivatives of the readings, r̈ of coordinates and ẇ of speeds, follow from the
/// loads e of a network: c + A e.
#[derive(Clone, Debug, Default)]
pub struct ReadingResponse {
    /// (c, row of A) of each reading.
    pub rows: Vec<(f64, Vec<f64>)>,
}

/// Why there is no consistent start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NetworkStartError {
    /// A derivative by time of an equation does not hold.
    Open {
        /// The equation.
        open: OpenEquation,
        /// How often it was differentiated.
        order: usize,
    },
    /// An equation needs a derivative of the motion beyond accelerations.
    Motion {
        /// Its number.
        equation: usize,
    },
}

/// What gives the rates of a network with hidden constraints at a state.
#[derive(Debug)]
pub(crate) struct HiddenRates {
    jets: Jets,
    /// Stages κ ≤ 0 with all values kept that have a rate of their own, and stage 1 where it is known.
    stages: Vec<Stage>,
}

impl NetworkEntry {
    /// The order of the derivative of a reading that accelerations are.
    fn acceleration_order(&self, reading: usize) -> usize {
        if self.law.readings[reading].is_speed() { 1 } else { 2 }
    }

    /// The equations with their derivatives; of the motion no more is known than accelerations.
    fn with_hidden<T>(&self, act: impl FnOnce(&HiddenEquations) -> T) -> T {
        let structure = self.structure();
        let jets = Jets::new(structure, self.law.readings.len());
        let known: Vec<bool> = {
            let mut known = vec![true; jets.inputs()];
            for i in 0..jets.readings {
                let beyond = self.acceleration_order(i) + 1..=jets.top;
                beyond.for_each(|order| known[jets.reading(i, order)] = false);
            }
            known
        };
        let functions = &self.law.equations;
        act(&HiddenEquations { functions, structure, jets, unknowable: &|input| !known[input] })
    }

    fn hidden_rates(&self) -> Option<&HiddenRates> {
        let make = || {
            self.with_hidden(|hidden| {
                let orders = &hidden.structure.orders;
                let given = |j: usize| Given {
                    size: self.law.variables[j].nominal,
                    kept: orders[j] > 0,
                    wanted: false,
                };
                let last = orders.iter().max().map_or(0, |d| *d as isize);
                let none = Response::default();
                let stage = |kappa| hidden.stage(kappa, &given, (&none, &[])).ok().map(|(stage, _)| stage);
                let mut stages = (-last..=0).map(stage).collect::<Option<Vec<Stage>>>()?;
                // Where the motion beyond accelerations would be needed, rates of multipliers are not known.
                stages.extend(stage(1));
                let stages = stages.into_iter().filter(|stage| stage.unknowns().next().is_some()).collect();
                Some(HiddenRates { jets: hidden.jets, stages })
            })
        };
        self.hidden.get_or_init(make).as_ref()
    }
}

impl System {
    /// Moves the variables of a network onto its equations and hidden constraints, with the least change.
    pub fn settle_network(
        &self,
        network: usize,
        state: &mut State,
        response: &ReadingResponse,
        s: &mut Scratch,
    ) -> Result<(), NetworkStartError> {
        let entry = &self.networks[network];
        let loads: Vec<&Function> = entry.law.loads.iter().map(|load| &load.law).collect();
        let rows = response.rows.iter().enumerate();
        let rows = rows.map(|(i, (c, by))| (i, entry.acceleration_order(i), *c, by.clone()));
        let response = Response { readings: rows.collect() };
        let solved = entry.with_hidden(|hidden| {
            let zero = vec![0.0; self.n];
            let at = Instant { a: &zero, ..Instant::of(&*state) };
            let mut inputs = self.jets(entry, &hidden.jets, &at, s);
            let mut known = vec![false; inputs.len()];
            // A value that only algebraic equations determine takes what follows.
            let given = |j: usize| Given {
                size: entry.law.variables[j].nominal,
                kept: false,
                wanted: hidden.structure.orders[j] > 0,
            };
            hidden.solve(&mut inputs, &mut known, &given, (&response, &loads)).map(|()| inputs)
        });
        let worst = |list: Vec<crate::networks::hidden_equations::OpenDerivative>| {
            list.into_iter().max_by(|a, b| a.open.relative.total_cmp(&b.open.relative))
        };
        let inputs = match solved {
            Ok(inputs) => inputs,
            Err(HiddenError::Reading(k)) => {
                return Err(NetworkStartError::Motion { equation: entry.row(k) });
            }
            Err(HiddenError::Open(list)) => {
                let Some(worst) = worst(list) else { return Ok(()) };
                let open = OpenEquation {
                    equation: entry.row(worst.equation),
                    residual: worst.open.residual,
                    relative: worst.open.relative,
                };
                return Err(NetworkStartError::Open { open, order: worst.order });
            }
        };
        for (j, (&eq, value)) in entry.eq.iter().zip(&inputs).enumerate() {
            let size = entry.law.variables[j].nominal.max(state.v[eq].abs());
            // What has changed by rounding only is as it was given.
            if (value - state.v[eq]).abs() > 1e-14 * size {
                state.v[eq] = *value;
            }
        }
        Ok(())
    }

    /// The rates of a network with hidden constraints into their entries of `a`, whose other entries are
    /// known. Values without a rate of their own are not looked at. Returns false where nothing is known of
    /// them.
    pub(crate) fn hidden_rates(
        &self,
        entry: &NetworkEntry,
        at: &State,
        a: &mut [f64],
        s: &mut Scratch,
    ) -> bool {
        let Some(HiddenRates { jets, stages }) = entry.hidden_rates() else { return false };
        let mut inputs = self.jets(entry, jets, &Instant { a, ..Instant::of(at) }, s);
        for stage in stages {
            stage.solve(&mut inputs);
        }
        let rates: Vec<f64> = (0..entry.eq.len()).map(|j| inputs[jets.variable(j, 1)]).collect();
        let finite = rates.iter().all(|rate| rate.is_finite());
        if finite {
            entry.eq.iter().zip(rates).for_each(|(&eq, rate)| a[eq] = rate);
        }
        finite
    }

    /// Gives the variables that only hidden constraints determine the values that follow from all others, at
    /// a state with the given accelerations: for methods that do not know them at the ends of their steps.
    pub fn settle_multipliers(&self, state: &mut State, a: &[f64], s: &mut Scratch) {
        for entry in self.networks.iter().filter(|entry| !entry.is_index_one()) {
            let Some(HiddenRates { jets, stages }) = entry.hidden_rates() else { continue };
            let mut inputs = self.jets(entry, jets, &Instant { a, ..Instant::of(&*state) }, s);
            stages.iter().for_each(|stage| drop(stage.solve(&mut inputs)));
            let orders = &entry.structure().orders;
            for j in (0..entry.eq.len()).filter(|&j| orders[j] == 0 && entry.index(j) > 1) {
                if inputs[j].is_finite() {
                    state.v[entry.eq[j]] = inputs[j];
                }
            }
        }
    }

    /// y, r, ṙ, accelerations that are read, and t; zero for all else.
    fn jets(&self, entry: &NetworkEntry, jets: &Jets, at: &Instant, s: &mut Scratch) -> Vec<f64> {
        self.load_twists(at.v, s);
        self.load_arguments(entry, at, s);
        let mut inputs = s.arguments.clone();
        inputs.resize(jets.inputs(), 0.0);
        let m = jets.variables;
        inputs[m..2 * m].fill(0.0);
        for i in 0..jets.readings {
            inputs[jets.reading(i, 1)] = self.reading_rate(entry, i, at, s);
            if entry.acceleration_order(i) == 2 && jets.top >= 2 {
                inputs[jets.reading(i, 2)] = self.reading_acceleration(entry, i, at, s);
            }
        }
        inputs
    }

    /// r̈ of coordinates and ẇ of speeds that a network reads.
    pub fn reading_accelerations(&self, network: usize, at: &Instant, s: &mut Scratch) -> Vec<f64> {
        let entry = &self.networks[network];
        self.load_twists(at.v, s);
        let one = |i: usize| match entry.acceleration_order(i) {
            2 => self.reading_acceleration(entry, i, at, s),
            _ => self.reading_rate(entry, i, at, s),
        };
        (0..entry.law.readings.len()).map(one).collect()
    }

    /// The efforts of the loads of a network.
    pub fn load_efforts(&self, network: usize, at: &Instant, s: &mut Scratch) -> Vec<f64> {
        let entry = &self.networks[network];
        self.load_twists(at.v, s);
        self.load_arguments(entry, at, s);
        entry.law.loads.iter().map(|load| load.law.value(&s.arguments)).collect()
    }

    /// The forces on the unknowns of the mechanics where a load of a network is one.
    pub fn unit_load(&self, network: usize, load: usize, at: &Instant, s: &mut Scratch) -> Vec<f64> {
        let entry = &self.networks[network];
        let mut out = vec![0.0; self.n];
        self.load_twists(at.v, s);
        let n = self.push_load(entry, (load, &entry.law.loads[load]), 1.0, at, s);
        self.scatter_force(&entry.pushed[load], at.frames, &s.f[..n], 1.0, &mut out);
        out
    }
}
