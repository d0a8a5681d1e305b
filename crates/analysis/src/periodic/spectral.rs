//! Periodic motions by harmonics: Fourier collocation and harmonic balance, with multipliers by Hill's method
//! ([`crate::fourier_orbit`], [`crate::periodic_linear`], [`poinsot_numerics::hill`]).
//!
//! The number of harmonics grows until the highest ones of the motion are as small as asked for. Then it is
//! compared with the motion of a third more harmonics: in the states, the period and each multiplier.

use crate::fourier_orbit::{FourierOrbit, FourierOrbitError, fourier_orbit, harmonic_balance};
use crate::periodic::autonomy::Dependence;
use crate::periodic::changes::Changes;
use crate::periodic::correction::CorrectionReport;
use crate::periodic::error::PeriodicError;
use crate::periodic::floquet::{Floquet, Multiplier, multiplier};
use crate::periodic::mesh::MeshReport;
use crate::periodic::orbit::Orbit;
use crate::periodic::scheme::{PeriodicScheme, Spectral};
use crate::periodic::study::{self, PeriodGiven, PeriodicReport, PeriodicSettings};
use crate::periodic_linear::{PeriodicLinear, derivatives};
use poinsot_mechanics::{State, System};
use poinsot_numerics::dense::{Mat, c64};
use poinsot_numerics::hill::hill_exponents;
use poinsot_numerics::product::ProductEigenvalue;
use std::f64::consts::{PI, TAU};

/// Times the tolerance that the motion may change by with more harmonics.
const CHANGES: f64 = 10.0;
/// An angle of a multiplier below this is rounding.
const REAL: f64 = 1e-12;
/// Rounding of a multiplier, by its size and the number of times.
const ROUNDING: f64 = 1e-14;
/// Largest matrix of Hill's method.
const MOST_OF_HILL: usize = 1600;

/// More harmonics.
fn more(harmonics: usize) -> usize {
    harmonics + (harmonics / 3).max(2)
}

struct Search<'a, 's> {
    system: &'s System,
    settings: &'a PeriodicSettings,
    spectral: &'a Spectral,
    changes: Changes<'s>,
}

/// Finds the motion near one whose states are known at many times.
pub fn find(
    system: &System,
    course: &[State],
    settings: &PeriodicSettings,
    spectral: &Spectral,
) -> Result<PeriodicReport, PeriodicError> {
    let changes = Changes::new(system, TAU / settings.period.value());
    Search { system, settings, spectral, changes }.find(course)
}

impl Search<'_, '_> {
    fn find(&mut self, course: &[State]) -> Result<PeriodicReport, PeriodicError> {
        let (first, last) = match (course.first(), course.last()) {
            (Some(first), Some(last)) if last.t > first.t => (first.t, last.t),
            _ => return Err(PeriodicError::NoGuess),
        };
        let mut harmonics = self.spectral.first();
        let count = self.spectral.times(harmonics);
        let nearest = |k: usize| {
            let t = first + (last - first) * k as f64 / count as f64;
            let place = course.partition_point(|state| state.t < t).clamp(1, course.len() - 1);
            let before = t - course[place - 1].t < course[place].t - t;
            State { t, ..course[if before { place - 1 } else { place }].clone() }
        };
        let guess: Vec<State> = (0..count).map(nearest).collect();
        let mut orbit = self.solve(guess, self.settings.period.value(), harmonics)?;
        let mut iterations = orbit.iterations;
        let mut rounds = 0;
        let mut fine = self.refined(&orbit, more(harmonics))?;
        iterations += fine.iterations;
        if let (Some(tolerance), None) = (self.settings.tolerance, self.spectral.harmonics) {
            while orbit.edge > tolerance || self.change(&orbit, &fine) > CHANGES * tolerance {
                harmonics = more(harmonics);
                orbit = fine;
                fine = self.refined(&orbit, more(harmonics))?;
                iterations += fine.iterations;
                rounds += 1;
            }
        }
        let (own, other) = (self.multipliers(&orbit)?, self.multipliers(&fine)?);
        let change = self.change(&orbit, &fine);
        let period_change = (fine.period / orbit.period - 1.0).abs();
        let free = self.spectral.harmonics.is_none() && self.settings.tolerance.is_some();
        let (compared, chosen, mut floquet, against) = match free {
            true => (orbit.motion.len(), fine, other, own),
            false => (fine.motion.len(), orbit, own, other),
        };
        floquet.compare(against.multipliers.iter().map(|m| m.value));
        self.report(chosen, floquet, Compared { compared, change, period_change, rounds, iterations })
    }

    fn solve(&self, guess: Vec<State>, period: f64, harmonics: usize) -> Result<FourierOrbit, PeriodicError> {
        let free = matches!(self.settings.period, PeriodGiven::Unknown(_));
        let found = match self.spectral.oversampling {
            None => fourier_orbit(self.system, guess, period, free),
            Some(_) => harmonic_balance(self.system, guess, period, free, harmonics),
        };
        let orbit = found?;
        if orbit.period.is_nan() || orbit.period <= 0.0 {
            return Err(PeriodicError::Period { period: orbit.period });
        }
        Ok(orbit)
    }

    /// The motion with other harmonics, from what it is with these.
    fn refined(&mut self, orbit: &FourierOrbit, harmonics: usize) -> Result<FourierOrbit, PeriodicError> {
        let count = self.spectral.times(harmonics);
        let start = orbit.motion[0].0.t;
        let mut guess = vec![];
        for k in 0..count {
            let mut state = orbit.state_at(self.system, start + orbit.period * k as f64 / count as f64);
            self.changes.settle(&mut state)?;
            guess.push(state);
        }
        self.solve(guess, orbit.period, harmonics)
    }

    /// Largest difference of two motions at the times of the first.
    fn change(&self, coarse: &FourierOrbit, fine: &FourierOrbit) -> f64 {
        let start = coarse.motion[0].0.t;
        let mut way = vec![0.0; self.changes.size()];
        let mut largest: f64 = 0.0;
        for (k, (state, _)) in coarse.motion.iter().enumerate() {
            let t = start + fine.period * k as f64 / coarse.motion.len() as f64;
            self.changes.difference(state, &fine.state_at(self.system, t), &mut way);
            largest = largest.max(self.changes.measure(&way));
        }
        largest
    }

    /// Multipliers by Hill's method, with the copy of the lowest harmonics.
    fn multipliers(&mut self, orbit: &FourierOrbit) -> Result<Floquet, PeriodicError> {
        let linear = PeriodicLinear::along(self.system, &orbit.motion, orbit.period)?;
        let states = linear.samples.first().map_or(0, Mat::nrows);
        if states == 0 {
            return Ok(Floquet { multipliers: vec![], gauge: None, complete: true });
        }
        if states * orbit.motion.len() > MOST_OF_HILL {
            let wanted = states * orbit.motion.len();
            return Err(PeriodicError::TooLarge { wanted, most: MOST_OF_HILL });
        }
        let modes = hill_exponents(&linear.samples, orbit.period, None)?;
        let around = orbit.orbit(self.system);
        let rates = derivatives(&linear.basis, orbit.period);
        let mut multipliers: Vec<Multiplier> = vec![];
        for mode in &modes {
            let turn = mode.exponent.im * orbit.period;
            let mut angle = turn - TAU * (turn / TAU).round();
            // A real one, whose exponent has rounding alone.
            if angle.abs() < REAL || PI - angle.abs() < REAL {
                angle = if angle.abs() < 1.0 { 0.0 } else { PI };
            }
            let log_size = mode.exponent.re * orbit.period;
            let size = log_size.exp();
            let value = match angle {
                0.0 => c64::new(size, 0.0),
                PI => c64::new(-size, 0.0),
                _ => c64::new(size * angle.cos(), size * angle.sin()),
            };
            let value = ProductEigenvalue { value, log_size, angle };
            let shape = self.shape(&linear, &rates, &mode.course, mode.exponent);
            let mut found = multiplier(self.system, &self.changes, &around, &value, shape);
            found.error = ROUNDING * orbit.motion.len() as f64 * (1.0 + size) + mode.edge.powi(2);
            multipliers.push(found);
        }
        multipliers.sort_by(|a, b| b.log_size.total_cmp(&a.log_size).then(b.angle.total_cmp(&a.angle)));
        let mut gauge = None;
        let dependence = self.dependence(orbit, &around)?;
        if dependence == Dependence::Autonomous && self.movement(orbit) > 1e-9 {
            let far = |m: &Multiplier| (m.value - c64::new(1.0, 0.0)).norm();
            let own = multipliers.iter_mut().min_by(|a, b| far(a).total_cmp(&far(b)));
            if let Some(own) = own {
                gauge = Some(far(own));
                own.trivial = true;
            }
        }
        Ok(Floquet { multipliers, gauge, complete: true })
    }

    /// δx at all times of x = e^{σt} y: displacements N p, velocities N p′ + Ṅ p, variables.
    fn shape(
        &self,
        linear: &PeriodicLinear,
        rates: &[Mat<f64>],
        course: &[Vec<c64>],
        exponent: c64,
    ) -> Vec<Vec<c64>> {
        let n = self.system.size();
        let count = course.len();
        let at = |(k, y): (usize, &Vec<c64>)| {
            let (basis, rate) = (&linear.basis[k], &rates[k]);
            let f = basis.ncols();
            let grown = (exponent * (linear.period * k as f64 / count as f64)).exp();
            let mut out = vec![c64::new(0.0, 0.0); 2 * n];
            for (row, &e) in linear.unknowns.iter().enumerate() {
                for j in 0..f {
                    out[e] += grown * y[j] * basis[(row, j)];
                    out[n + e] += grown * (y[f + j] * basis[(row, j)] + y[j] * rate[(row, j)]);
                }
            }
            linear.variables.iter().enumerate().for_each(|(i, &e)| out[n + e] = grown * y[2 * f + i]);
            out
        };
        course.iter().enumerate().map(at).collect()
    }

    fn dependence(&self, orbit: &FourierOrbit, around: &Orbit) -> Result<Dependence, PeriodicError> {
        let (states, accelerations): (Vec<State>, Vec<Vec<f64>>) = orbit.motion.iter().cloned().unzip();
        study::time_dependence(self.system, (&states, &accelerations), around, self.settings.period)
    }

    /// Largest velocity or change of a variable in a period, in units of the states.
    fn movement(&self, orbit: &FourierOrbit) -> f64 {
        let n = self.system.size();
        let scale = self.changes.scale();
        let of = |(state, a): &(State, Vec<f64>)| {
            let moving = (0..n).map(|e| match (scale[e] > 0.0, scale[n + e] > 0.0) {
                (true, _) => (state.v[e] / scale[e]).abs(),
                (false, true) => (a[e] / scale[n + e]).abs(),
                _ => 0.0,
            });
            moving.fold(0.0, f64::max) * orbit.period
        };
        orbit.motion.iter().map(of).fold(0.0, f64::max)
    }

    fn report(
        &self,
        orbit: FourierOrbit,
        floquet: Floquet,
        compared: Compared,
    ) -> Result<PeriodicReport, PeriodicError> {
        let around: Orbit = orbit.orbit(self.system);
        let dependence = self.dependence(&orbit, &around)?;
        let count = orbit.motion.len();
        Ok(PeriodicReport {
            correction: CorrectionReport {
                iterations: compared.iterations,
                gap: orbit.edge,
                free: 0,
                left: 0.0,
            },
            mesh: MeshReport {
                elements: count,
                error: orbit.edge,
                longest: 1.0 / count as f64,
                shortest: 1.0 / count as f64,
                rounds: compared.rounds,
            },
            change: compared.change,
            period_change: compared.period_change,
            windings: around.windings(self.system),
            movement: self.movement(&orbit),
            compared: compared.compared,
            orbit: around,
            fourier: Some(orbit),
            floquet,
            dependence,
        })
    }
}

/// What two motions have in common.
struct Compared {
    compared: usize,
    change: f64,
    period_change: f64,
    rounds: usize,
    iterations: usize,
}

/// The harmonics of a scheme, if it is one of harmonics.
pub fn of(scheme: &PeriodicScheme) -> Option<&Spectral> {
    match scheme {
        PeriodicScheme::Spectral(spectral) => Some(spectral),
        _ => None,
    }
}

impl From<FourierOrbitError> for PeriodicError {
    fn from(error: FourierOrbitError) -> Self {
        PeriodicError::Fourier(error)
    }
}
