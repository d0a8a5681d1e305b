//! What all integrators have in common, and the choice between them.

use crate::gs4::{Gs4, Settings};
use crate::outcome::{Counters, StepFailure, StepReport};
use crate::runge_kutta::{Procedure, RungeKutta4};
use poinsot_mechanics::{Power, State, System};

/// An integration in progress.
pub trait Stepper {
    /// The current state.
    fn state(&self) -> &State;

    /// Advances by h. On failure the state is that before the step.
    fn step(&mut self, h: f64) -> Result<StepReport, StepFailure>;

    /// Sets the time exactly, to keep rounding of t + h from accumulating.
    fn snap_time(&mut self, t: f64);

    /// What the integration has cost so far.
    fn counters(&self) -> &Counters;

    /// Accelerations and multipliers inside the last step, with the fraction of the step at which they stand; before
    /// the first step those of the start, if known.
    fn stage(&self) -> (f64, &[f64]);

    /// Energy supplied and dissipated in the last step, by a method that has a quadrature of its own.
    fn work(&self) -> Option<Power> {
        None
    }

    /// How far the last step matrix is from singular: about the sine of the angle between a constraint row and the
    /// others, if the method knows.
    fn firmness(&self) -> Option<f64> {
        None
    }

    /// How often independent coordinates were chosen anew, by a method that has any.
    fn rechoices(&self) -> usize {
        0
    }
}

impl Stepper for Gs4<'_> {
    fn state(&self) -> &State {
        self.state()
    }

    fn step(&mut self, h: f64) -> Result<StepReport, StepFailure> {
        self.step(h)
    }

    fn snap_time(&mut self, t: f64) {
        self.snap_time(t);
    }

    fn counters(&self) -> &Counters {
        self.counters()
    }

    fn stage(&self) -> (f64, &[f64]) {
        (self.weights().w1, self.stage())
    }

    fn firmness(&self) -> Option<f64> {
        Some(self.firmness())
    }
}

impl Stepper for RungeKutta4<'_> {
    fn state(&self) -> &State {
        self.state()
    }

    fn step(&mut self, h: f64) -> Result<StepReport, StepFailure> {
        self.step(h)
    }

    fn snap_time(&mut self, t: f64) {
        self.snap_time(t);
    }

    fn counters(&self) -> &Counters {
        self.counters()
    }

    fn stage(&self) -> (f64, &[f64]) {
        (0.5, self.middle())
    }

    fn work(&self) -> Option<Power> {
        Some(self.work())
    }

    fn rechoices(&self) -> usize {
        self.rechoices()
    }
}

/// Name of the explicit Runge–Kutta method in lists of integrators, and what it is.
pub const RUNGE_KUTTA_4: (&str, &str) =
    ("runge-kutta-4", "explicit, order 4; form embedding (default), projected or augmented");

/// Which integrator, with its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// GS4-2, implicit, of second order.
    Gs4(Settings),
    /// Runge–Kutta, explicit, of fourth order.
    RungeKutta4(Procedure),
}

impl Default for Method {
    fn default() -> Self {
        Method::Gs4(Settings::default())
    }
}

impl From<Settings> for Method {
    fn from(settings: Settings) -> Self {
        Method::Gs4(settings)
    }
}

impl From<Procedure> for Method {
    fn from(procedure: Procedure) -> Self {
        Method::RungeKutta4(procedure)
    }
}

impl Method {
    /// Starts an integration at a consistent state; `h` is the first step.
    pub fn start<'s>(
        &self,
        system: &'s System,
        state: State,
        h: f64,
    ) -> Result<Box<dyn Stepper + 's>, StepFailure> {
        Ok(match *self {
            Method::Gs4(settings) => Box::new(Gs4::new(system, settings, state, h)?),
            Method::RungeKutta4(procedure) => Box::new(RungeKutta4::new(system, procedure, state)?),
        })
    }

    /// The settings of GS4, if that is the method.
    pub fn gs4(&self) -> Option<&Settings> {
        match self {
            Method::Gs4(settings) => Some(settings),
            Method::RungeKutta4(_) => None,
        }
    }
}
