//! From a guess to a periodic motion with its multipliers and what is known of their accuracy.

use crate::fourier_orbit::FourierOrbit;
use crate::periodic::autonomy::{Dependence, dependence, unlike_after};
use crate::periodic::changes::Changes;
use crate::periodic::correction::{Correction, CorrectionReport, Linearised, Pins, Until};
use crate::periodic::error::PeriodicError;
use crate::periodic::floquet::{Floquet, largest_difference};
use crate::periodic::mesh::{self, Halves, MeshReport};
use crate::periodic::orbit::{Orbit, Winding};
use crate::periodic::scheme::PeriodicScheme;
use crate::periodic::spectral;
use crate::periodic::swing::exponents;
use poinsot_integrators::StepMap;
use poinsot_mechanics::{State, System};
use poinsot_numerics::product::{ProductEigenvalue, product_eigenvalues};
use std::f64::consts::TAU;

/// Rounds of new elements.
const ROUNDS: usize = 8;
/// Twice as many elements make errors of multipliers smaller by this at least, or no more are taken, once
/// they are small enough for it.
const FALLS: f64 = 0.5;
/// Errors of multipliers that are that small fall with the elements.
const ASYMPTOTIC: f64 = 1e-3;
/// Part of the tolerance below which no more corrections are made.
const PART: f64 = 1e-3;
/// The motion that is told has no correction above this left.
const CLOSED: f64 = 1e-11;
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
    match mesh::among(course, settings, settings.scheme.order(system)) {
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
        // Where elements are chosen the motion on the first ones is but the way to the next.
        let coarse = match settings.tolerance {
            Some(tolerance) => Until { size: PART * tolerance, ..Until::ROUNDED },
            None => Until::ROUNDED,
        };
        let (mut at, mut closed) = correction.close(&mut orbit, coarse)?;
        let order = settings.scheme.order(self.system);
        let mut halves = mesh::halves(&mut correction, &orbit, &at.ends)?;
        let mut rounds = 0;
        while let Some(tolerance) = settings.tolerance {
            let total = halves.errors.iter().sum::<f64>();
            if total <= tolerance || rounds == ROUNDS || orbit.elements() >= mesh::MOST {
                break;
            }
            rounds += 1;
            let goal = (order, tolerance);
            let mut other = mesh::remeshed(&mut correction, &orbit, &halves.errors, goal, &settings.breaks)?;
            let (then, report) = correction.close(&mut other, coarse)?;
            closed = CorrectionReport { iterations: closed.iterations + report.iterations, ..report };
            (orbit, at) = (other, then);
            halves = mesh::halves(&mut correction, &orbit, &at.ends)?;
        }
        let (mut other, mut fine, mut fine_report) = self.refined(&mut correction, &orbit, &at, &halves)?;
        let mut own = self.values(&orbit, &at)?;
        let mut halved = self.values(&other, &fine)?;
        let mut left = f64::INFINITY;
        // The elements suit the motion; its multipliers may need shorter ones.
        while let Some(tolerance) = settings.tolerance.map(|_| settings.multipliers) {
            let open = match (&own, &halved) {
                (Some(own), Some(halved)) => largest_difference(halved, own),
                _ => f64::INFINITY,
            };
            let more = 2 * other.elements() <= mesh::MOST;
            if open <= tolerance || !more || (left < ASYMPTOTIC && open >= FALLS * left) {
                break;
            }
            left = open;
            (orbit, at, own) = (other, fine, halved);
            halves = mesh::halves(&mut correction, &orbit, &at.ends)?;
            let (finer, then, report) = self.refined(&mut correction, &orbit, &at, &halves)?;
            fine_report =
                CorrectionReport { iterations: fine_report.iterations + report.iterations, ..report };
            (other, fine) = (finer, then);
            halved = self.values(&other, &fine)?;
        }
        let change = self.change(&correction, &orbit, &other);
        let period_change = (other.period / orbit.period - 1.0).abs();
        // Where the elements may be chosen the finer ones are the answer, else those that were asked for.
        let (compared, orbit, mut at, values, against) = match settings.tolerance {
            Some(_) => {
                closed.iterations += fine_report.iterations;
                (closed.gap, closed.left) = (fine_report.gap, fine_report.left);
                (orbit.elements(), other, fine, halved, own)
            }
            None => (other.elements(), orbit, at, own, halved),
        };
        // Without multipliers on the other mesh nothing is known of the error of these.
        let mut floquet = match (values, against) {
            (Some(values), Some(against)) => {
                let found = (&mut at, values.as_slice());
                let mut floquet = self.floquet(&mut correction, &orbit, found, &dependence)?;
                floquet.compare(against.iter().map(|m| m.value));
                floquet
            }
            _ => Floquet { multipliers: vec![], gauge: None, complete: false },
        };
        floquet.allow(settings.scheme.rounding() * orbit.elements() as f64 + closed.left);
        let mesh = MeshReport {
            elements: orbit.elements(),
            error: halves.errors.iter().sum(),
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

    /// The motion on elements of half the length. Where it leads in first order is known from what half the
    /// steps make of the elements.
    fn refined(
        &self,
        correction: &mut Correction<'_, 's>,
        orbit: &Orbit,
        at: &Linearised,
        halves: &Halves,
    ) -> Result<(Orbit, Linearised, CorrectionReport), PeriodicError> {
        let until = match self.settings.tolerance {
            Some(tolerance) => Until { size: (PART * tolerance).min(CLOSED), halves: true },
            None => Until { halves: true, ..Until::ROUNDED },
        };
        let begin = correction.shifted(orbit, at, &halves.ways)?;
        let mut fine = mesh::halved(correction, &begin, &halves.middles);
        let (then, report) = correction.close(&mut fine, until)?;
        Ok((fine, then, report))
    }

    /// The multipliers of a motion, if its elements have any to tell.
    fn values(
        &self,
        orbit: &Orbit,
        at: &Linearised,
    ) -> Result<Option<Vec<ProductEigenvalue>>, PeriodicError> {
        if let Some(fastest) = self.settings.scheme.fastest()
            && self.fastest(orbit)? > fastest
        {
            return Ok(None);
        }
        Ok(Some(product_eigenvalues(&at.blocks)?))
    }

    fn floquet(
        &self,
        correction: &mut Correction<'_, 's>,
        orbit: &Orbit,
        found: (&mut Linearised, &[ProductEigenvalue]),
        dependence: &Dependence,
    ) -> Result<Floquet, PeriodicError> {
        let flow = match dependence {
            Dependence::Autonomous => {
                let flow = correction.changes.flow(&orbit.states[0])?;
                (correction.changes.measure(&flow) * orbit.period > 1e-9).then_some(flow)
            }
            Dependence::Forced(_) => None,
        };
        Floquet::of(self.system, correction.changes, orbit, found, flow.as_deref())
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
