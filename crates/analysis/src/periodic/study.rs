//! From a guess to a periodic motion with its multipliers and what is known of their accuracy.

use crate::fourier_orbit::FourierOrbit;
use crate::periodic::autonomy::{Dependence, dependence, unlike_after};
use crate::periodic::changes::Changes;
use crate::periodic::correction::{Correction, CorrectionReport, Linearised, Pins};
use crate::periodic::error::PeriodicError;
use crate::periodic::floquet::Floquet;
use crate::periodic::mesh::{self, MeshReport};
use crate::periodic::orbit::{Orbit, Winding};
use crate::periodic::scheme::PeriodicScheme;
use crate::periodic::spectral;
use crate::periodic::swing::exponents;
use poinsot_integrators::StepMap;
use poinsot_mechanics::{State, System};
use std::f64::consts::TAU;

/// Rounds of new elements.
const ROUNDS: usize = 8;
/// Twice as many elements make errors of multipliers smaller by this at least, or no more are taken, once
/// they are small enough for it.
const FALLS: f64 = 0.5;
/// Errors of multipliers that are that small fall with the elements.
const ASYMPTOTIC: f64 = 1e-3;
/// States at which dependence on time is looked at.
const LOOKED_AT: usize = 5;

/// The period as it is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PeriodGiven {
    /// Known.
    Known(f64),
    /// Unknown, about so long.
    Unknown(f64),
}

impl PeriodGiven {
    /// The period, or the guess of it.
    pub fn value(self) -> f64 {
        match self {
            PeriodGiven::Known(period) | PeriodGiven::Unknown(period) => period,
        }
    }
}

/// How a motion is to close.
#[derive(Clone, Copy)]
pub struct Closure<'a> {
    /// By how much variables advance in a period: equation and advance.
    pub advances: &'a [(usize, f64)],
    /// Conditions at the start, in place of the phase of a motion of unknown period.
    pub pins: Option<Pins<'a>>,
}

/// How a periodic motion is looked for.
#[derive(Clone, Debug)]
pub struct PeriodicSettings {
    /// Time of its start (s).
    pub start: f64,
    /// The period.
    pub period: PeriodGiven,
    /// The steps.
    pub scheme: PeriodicScheme,
    /// Elements at first, or all.
    pub elements: usize,
    /// Sum of the errors of the elements, in units of the states; the elements stay as they are without it.
    pub tolerance: Option<f64>,
    /// Error that is left of multipliers, relative to those that are larger than 1, where elements are
    /// chosen.
    pub multipliers: f64,
    /// Parts of the period at which laws of time have a break, ascending.
    pub breaks: Vec<f64>,
    /// Whether the guess is one state at all times: the first correction is then the linear answer to loads.
    pub from_rest: bool,
}

impl PeriodicSettings {
    /// The elements of the guess: equal, but for breaks.
    pub fn first_fractions(&self) -> Vec<f64> {
        let mut ends = vec![];
        let mut from = 0.0;
        for bound in self.breaks.iter().copied().filter(|b| *b > 1e-9 && *b < 1.0 - 1e-9).chain([1.0]) {
            let count = ((bound - from) * self.elements as f64).round().max(1.0) as usize;
            ends.extend((0..count).map(|_| (bound - from) / count as f64));
            from = bound;
        }
        ends
    }
}

/// A periodic motion.
#[derive(Clone, Debug)]
pub struct PeriodicReport {
    /// The motion.
    pub orbit: Orbit,
    /// Its multipliers.
    pub floquet: Floquet,
    /// What the corrections came to.
    pub correction: CorrectionReport,
    /// The elements.
    pub mesh: MeshReport,
    /// Change of the states between this mesh and another one, in units of the states.
    pub change: f64,
    /// Relative change of the period, where it is unknown.
    pub period_change: f64,
    /// Whether anything depends on time.
    pub dependence: Dependence,
    /// Coordinates that advance by whole turns.
    pub windings: Vec<Winding>,
    /// Largest velocity or change of a variable, in units of the states: zero at rest.
    pub movement: f64,
    /// Elements of the other mesh.
    pub compared: usize,
    /// The motion by harmonics, where it was found by them.
    pub fourier: Option<FourierOrbit>,
}

/// The guess of a motion: the way of one period from a state, or that state at all times.
fn guess(
    correction: &mut Correction,
    state: State,
    settings: &PeriodicSettings,
) -> Result<Orbit, PeriodicError> {
    let fractions = settings.first_fractions();
    let period = settings.period.value();
    let mut states = vec![state.clone()];
    states[0].t = settings.start;
    let mut end = state;
    for (i, fraction) in fractions.iter().enumerate() {
        let from = states[i].clone();
        if settings.from_rest {
            end.clone_from(&from);
            end.t = from.t + fraction * period;
            correction.changes.settle(&mut end)?;
        } else {
            correction.step(&from, fraction * period, &mut end)?;
        }
        states.push(end.clone());
    }
    states.pop();
    let mut orbit = Orbit { states, end, fractions, period };
    orbit.set_times(settings.start);
    Ok(orbit)
}

/// Finds the periodic motion near a state.
pub fn find_periodic(
    system: &System,
    state: State,
    settings: &PeriodicSettings,
    closure: Closure,
) -> Result<PeriodicReport, PeriodicError> {
    find(system, Guess::State(state), settings, closure)
}

/// Finds the periodic motion near another: its states at times from the start to a period later, of which the
/// bounds of the elements are chosen.
pub fn find_periodic_near(
    system: &System,
    course: &[State],
    settings: &PeriodicSettings,
    closure: Closure,
) -> Result<PeriodicReport, PeriodicError> {
    if let Some(harmonics) = spectral::of(&settings.scheme) {
        return spectral::find(system, course, settings, harmonics);
    }
    match mesh::among(course, settings) {
        Some(orbit) => find(system, Guess::Orbit(orbit), settings, closure),
        None => Err(PeriodicError::NoGuess),
    }
}

/// Where the search begins.
enum Guess {
    State(State),
    Orbit(Orbit),
}

fn find(
    system: &System,
    guess: Guess,
    settings: &PeriodicSettings,
    closure: Closure,
) -> Result<PeriodicReport, PeriodicError> {
    let rate = TAU / settings.period.value();
    let mut map = settings.scheme.map(system, rate)?;
    let mut changes = Changes::new(system, rate);
    let mut finder = Finder { system, settings, closure };
    finder.find(&mut *map, &mut changes, guess)
}

struct Finder<'a, 's> {
    system: &'s System,
    settings: &'a PeriodicSettings,
    closure: Closure<'a>,
}

impl<'s> Finder<'_, 's> {
    fn find(
        &mut self,
        map: &mut dyn StepMap,
        changes: &mut Changes<'s>,
        from: Guess,
    ) -> Result<PeriodicReport, PeriodicError> {
        let settings = self.settings;
        let mut correction = Correction {
            system: self.system,
            map,
            changes,
            start: settings.start,
            free_period: matches!(settings.period, PeriodGiven::Unknown(_)),
            breaks: !settings.breaks.is_empty(),
            advances: self.closure.advances,
            pins: self.closure.pins,
        };
        let mut orbit = match from {
            Guess::State(state) => guess(&mut correction, state, settings)?,
            Guess::Orbit(orbit) => orbit,
        };
        let dependence = self.check_time(&mut correction, &orbit)?;
        let (mut at, mut closed) = correction.close(&mut orbit)?;
        let order = settings.scheme.order(self.system);
        let mut errors = mesh::errors(&mut correction, &orbit)?;
        let mut rounds = 0;
        while let Some(tolerance) = settings.tolerance {
            if errors.iter().sum::<f64>() <= tolerance || rounds == ROUNDS || orbit.elements() >= mesh::MOST {
                break;
            }
            rounds += 1;
            let mut other =
                mesh::remeshed(&mut correction, &orbit, &errors, (order, tolerance), &settings.breaks)?;
            let (then, report) = correction.close(&mut other)?;
            closed = CorrectionReport { iterations: closed.iterations + report.iterations, ..report };
            (orbit, at) = (other, then);
            errors = mesh::errors(&mut correction, &orbit)?;
        }
        let mut other = mesh::halved(&mut correction, &orbit)?;
        let (fine, mut fine_report) = correction.close(&mut other)?;
        let mut own = self.floquet(&mut correction, &orbit, &at, &dependence)?;
        let mut halved = self.floquet(&mut correction, &other, &fine, &dependence)?;
        let mut left = f64::INFINITY;
        // The elements suit the motion; its multipliers may need shorter ones.
        while let Some(tolerance) = settings.tolerance.map(|_| settings.multipliers) {
            let open = if own.complete && halved.complete {
                halved.compare(&own);
                halved.largest_error()
            } else {
                f64::INFINITY
            };
            let more = 2 * other.elements() <= mesh::MOST;
            if open <= tolerance || !more || (left < ASYMPTOTIC && open >= FALLS * left) {
                break;
            }
            left = open;
            errors = mesh::errors(&mut correction, &other)?;
            (orbit, own) = (other, halved);
            other = mesh::halved(&mut correction, &orbit)?;
            let (finer, report) = correction.close(&mut other)?;
            fine_report =
                CorrectionReport { iterations: fine_report.iterations + report.iterations, ..report };
            halved = self.floquet(&mut correction, &other, &finer, &dependence)?;
        }
        let change = self.change(&correction, &orbit, &other);
        let period_change = (other.period / orbit.period - 1.0).abs();
        // Where the elements may be chosen the finer ones are the answer, else those that were asked for.
        let compared;
        let (orbit, mut floquet, against, fractions_errors) = match settings.tolerance {
            Some(_) => {
                compared = orbit.elements();
                closed.iterations += fine_report.iterations;
                closed.gap = fine_report.gap;
                (other, halved, own, errors)
            }
            None => {
                compared = other.elements();
                (orbit, own, halved, errors)
            }
        };
        // Without multipliers on the other mesh nothing is known of the error of these.
        if !against.complete {
            floquet = against;
        } else {
            floquet.compare(&against);
        }
        floquet.allow(settings.scheme.rounding() * orbit.elements() as f64);
        let mesh = MeshReport {
            elements: orbit.elements(),
            error: fractions_errors.iter().sum(),
            longest: orbit.fractions.iter().copied().fold(0.0, f64::max),
            shortest: orbit.fractions.iter().copied().fold(1.0, f64::min),
            rounds,
        };
        let movement = self.movement(&mut correction, &orbit)?;
        let windings = orbit.windings(self.system);
        Ok(PeriodicReport {
            orbit,
            floquet,
            correction: closed,
            mesh,
            change,
            period_change,
            dependence,
            windings,
            movement,
            compared,
            fourier: None,
        })
    }

    fn floquet(
        &self,
        correction: &mut Correction<'_, 's>,
        orbit: &Orbit,
        at: &Linearised,
        dependence: &Dependence,
    ) -> Result<Floquet, PeriodicError> {
        let flow = match dependence {
            Dependence::Autonomous => {
                let flow = correction.changes.flow(&orbit.states[0])?;
                (correction.changes.measure(&flow) * orbit.period > 1e-9).then_some(flow)
            }
            Dependence::Forced(_) => None,
        };
        if let Some(fastest) = self.settings.scheme.fastest()
            && self.fastest(orbit)? > fastest
        {
            return Ok(Floquet { multipliers: vec![], gauge: None, complete: false });
        }
        Floquet::of(self.system, correction.changes, orbit, at, flow.as_deref())
    }

    /// The largest |σ| h at some states of a motion; infinite where it is not known.
    fn fastest(&self, orbit: &Orbit) -> Result<f64, PeriodicError> {
        let count = orbit.elements();
        let longest = orbit.fractions.iter().copied().fold(0.0, f64::max) * orbit.period;
        let mut largest: f64 = 0.0;
        for k in 0..LOOKED_AT.min(count) {
            let state = &orbit.states[k * count / LOOKED_AT.min(count)];
            match exponents(self.system, state, longest)? {
                Some((all, _)) => {
                    largest = all.iter().map(|sigma| sigma.norm() * longest).fold(largest, f64::max);
                }
                None => return Ok(f64::INFINITY),
            }
        }
        Ok(largest)
    }

    /// Whether time matters, and whether the model repeats itself after the period.
    fn check_time(
        &self,
        correction: &mut Correction<'_, 's>,
        orbit: &Orbit,
    ) -> Result<Dependence, PeriodicError> {
        let count = orbit.elements();
        let picked: Vec<usize> =
            (0..LOOKED_AT.min(count)).map(|k| k * count / LOOKED_AT.min(count)).collect();
        let mut states = vec![];
        let mut accelerations = vec![];
        for &i in &picked {
            // At the bounds of breaks a law has two values: a little behind them it has one.
            let mut state = orbit.states[i].clone();
            if correction.breaks {
                let mut inside = state.clone();
                correction.step(&state, 0.37 * orbit.fractions[i] * orbit.period, &mut inside)?;
                state = inside;
            }
            accelerations.push(correction.changes.accelerations(&state)?);
            states.push(state);
        }
        time_dependence(self.system, (&states, &accelerations), orbit, self.settings.period)
    }

    /// Largest difference at the bounds that both meshes have.
    fn change(&self, correction: &Correction<'_, 's>, coarse: &Orbit, fine: &Orbit) -> f64 {
        let mut way = vec![0.0; correction.changes.size()];
        let mut largest: f64 = 0.0;
        for (i, state) in coarse.states.iter().enumerate() {
            if let Some(other) = fine.states.get(2 * i) {
                correction.changes.difference(state, other, &mut way);
                largest = largest.max(correction.changes.measure(&way));
            }
        }
        largest
    }

    fn movement(&self, correction: &mut Correction<'_, 's>, orbit: &Orbit) -> Result<f64, PeriodicError> {
        let mut largest: f64 = 0.0;
        for state in &orbit.states {
            let flow = correction.changes.flow(state)?;
            largest = largest.max(correction.changes.measure(&flow) * orbit.period);
        }
        Ok(largest)
    }
}

/// Whether time matters at some states of a motion, and whether the model repeats itself after the period.
pub(super) fn time_dependence(
    system: &System,
    (states, accelerations): (&[State], &[Vec<f64>]),
    orbit: &Orbit,
    period: PeriodGiven,
) -> Result<Dependence, PeriodicError> {
    let found = dependence(system, states, accelerations, orbit.period);
    if let Dependence::Forced(by) = &found {
        if let PeriodGiven::Unknown(_) = period {
            return Err(PeriodicError::Driven { by: by.clone() });
        }
        for (state, a) in states.iter().zip(accelerations) {
            let turns = orbit.states[0].memory.iter().zip(&orbit.end.memory);
            let turns = turns.map(|(a, b)| TAU * ((b - a) / TAU).round());
            let wound: Vec<f64> = state.memory.iter().zip(turns).map(|(m, turn)| m + turn).collect();
            if let Some((what, share)) = unlike_after(system, state, a, orbit.period, &wound) {
                let (t, period) = (state.t, orbit.period);
                return Err(PeriodicError::NotPeriodic { period, t, what, share });
            }
        }
    }
    Ok(found)
}
