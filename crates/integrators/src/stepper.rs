//! What all integrators have in common, and the choice between them.

use crate::bdf::{Bdf, BdfSettings};
use crate::control::ErrorMeasure;
use crate::energy_momentum::{ConservingSettings, EnergyMomentum};
use crate::explicit_method::{ExplicitMethod, ExplicitSettings, Procedure};
use crate::explicit_runge_kutta::ExplicitRungeKutta;
use crate::form::Form;
use crate::galerkin::{Galerkin, GalerkinSettings};
use crate::gs4::Gs4;
use crate::implicit_runge_kutta::{ImplicitRungeKutta, ImplicitSettings, StageForm};
use crate::outcome::{Attempt, Counters, StepFailure, StepReport};
use crate::settings::Settings;
use poinsot_mechanics::conserving::Rule;
use poinsot_mechanics::{Power, State, System};

/// An integration in progress.
pub trait Stepper {
    /// The current state.
    fn state(&self) -> &State;

    /// Tries a step of length h; the state does not change before [`Stepper::accept`].
    fn attempt(&mut self, h: f64) -> Result<Attempt, StepFailure>;

    /// Takes the step that was tried last.
    fn accept(&mut self) -> StepReport;

    /// Advances by h. On failure the state is that before the step.
    fn step(&mut self, h: f64) -> Result<StepReport, StepFailure> {
        self.attempt(h)?;
        Ok(self.accept())
    }

    /// A step not longer than `h` that costs less, if there is one near it.
    fn convenient_step(&self, h: f64) -> f64 {
        h
    }

    /// The power of the step with which the estimated error goes.
    fn exponent(&self) -> usize;

    /// The state at a time inside the last step, if the method has a polynomial of its own.
    fn interpolate(&mut self, _t: f64, _out: &mut State) -> bool {
        false
    }

    /// The state at a time inside the step that was tried last, or little after it, before the step is taken,
    /// if the method has a polynomial of its own.
    fn look_ahead(&mut self, _t: f64, _out: &mut State) -> bool {
        false
    }

    /// Whether the method has a polynomial of its own for [`Stepper::look_ahead`].
    fn looks_ahead(&self) -> bool {
        false
    }

    /// Starts anew at a consistent state of the same system, with nothing counted, in the memory at hand.
    /// What follows is the same to the last bit as with [`Method::start`] and the same tolerances. False, and
    /// nothing has changed, if the method cannot.
    fn restart(&mut self, _state: &State) -> Result<bool, StepFailure> {
        Ok(false)
    }

    /// Rates of the variables of networks at the state, among other numbers.
    fn rates(&self) -> &[f64];

    /// Measures errors with these tolerances, by a method that estimates any.
    fn set_tolerances(&mut self, measure: ErrorMeasure);

    /// Sets the time exactly, to keep rounding of t + h from accumulating.
    fn snap_time(&mut self, t: f64);

    /// What the integration has cost so far.
    fn counters(&self) -> &Counters;

    /// Accelerations and multipliers inside the last step, with the fraction of the step at which they stand;
    /// before the first step those of the start, if known.
    fn stage(&self) -> (f64, &[f64]);

    /// Energy supplied and dissipated in the last step, by a method that has a quadrature of its own.
    fn work(&self) -> Option<Power> {
        None
    }

    /// How far the last step matrix is from singular: about the sine of the angle between a constraint row
    /// and the others, if the method knows.
    fn firmness(&self) -> Option<f64> {
        None
    }

    /// How often independent coordinates were chosen anew, by a method that has any.
    fn rechoices(&self) -> usize {
        0
    }

    /// What the steps so far say against the method, if anything.
    fn warning(&self) -> Option<&'static str> {
        None
    }
}

/// What every method has under the same name.
macro_rules! delegate {
    () => {
        fn state(&self) -> &State {
            self.state()
        }

        fn attempt(&mut self, h: f64) -> Result<Attempt, StepFailure> {
            self.attempt(h)
        }

        fn accept(&mut self) -> StepReport {
            self.accept()
        }

        fn snap_time(&mut self, t: f64) {
            self.snap_time(t);
        }

        fn counters(&self) -> &Counters {
            self.counters()
        }

        fn set_tolerances(&mut self, measure: ErrorMeasure) {
            self.set_tolerances(measure);
        }
    };
}

impl Stepper for Gs4<'_> {
    delegate!();

    fn stage(&self) -> (f64, &[f64]) {
        (self.weights().w1, self.stage())
    }

    fn firmness(&self) -> Option<f64> {
        Some(self.firmness())
    }

    fn exponent(&self) -> usize {
        3
    }

    fn rates(&self) -> &[f64] {
        self.stored_acceleration()
    }
}

impl Stepper for ExplicitRungeKutta<'_> {
    delegate!();

    fn stage(&self) -> (f64, &[f64]) {
        (1.0, self.accelerations())
    }

    fn work(&self) -> Option<Power> {
        Some(self.work())
    }

    fn rechoices(&self) -> usize {
        self.rechoices()
    }

    fn exponent(&self) -> usize {
        self.exponent()
    }

    fn interpolate(&mut self, t: f64, out: &mut State) -> bool {
        self.interpolate(t, out)
    }

    fn rates(&self) -> &[f64] {
        self.accelerations()
    }

    fn warning(&self) -> Option<&'static str> {
        self.warning()
    }
}

impl Stepper for ImplicitRungeKutta<'_> {
    delegate!();

    fn convenient_step(&self, h: f64) -> f64 {
        self.convenient_step(h)
    }

    fn stage(&self) -> (f64, &[f64]) {
        (1.0, self.accelerations())
    }

    fn work(&self) -> Option<Power> {
        Some(self.work())
    }

    fn exponent(&self) -> usize {
        self.exponent()
    }

    fn interpolate(&mut self, t: f64, out: &mut State) -> bool {
        self.interpolate(t, out);
        true
    }

    fn look_ahead(&mut self, t: f64, out: &mut State) -> bool {
        self.look_ahead(t, out);
        true
    }

    fn looks_ahead(&self) -> bool {
        true
    }

    fn restart(&mut self, state: &State) -> Result<bool, StepFailure> {
        self.restart(state).map(|()| true)
    }

    fn rates(&self) -> &[f64] {
        self.accelerations()
    }
}

impl Stepper for Bdf<'_> {
    delegate!();

    fn stage(&self) -> (f64, &[f64]) {
        (1.0, self.accelerations())
    }

    fn work(&self) -> Option<Power> {
        Some(self.work())
    }

    fn exponent(&self) -> usize {
        self.exponent()
    }

    fn interpolate(&mut self, t: f64, out: &mut State) -> bool {
        self.interpolate(t, out);
        true
    }

    fn rates(&self) -> &[f64] {
        self.accelerations()
    }
}

impl Stepper for EnergyMomentum<'_> {
    delegate!();

    fn stage(&self) -> (f64, &[f64]) {
        (0.5, self.mean())
    }

    fn work(&self) -> Option<Power> {
        self.work()
    }

    fn exponent(&self) -> usize {
        3
    }

    fn rates(&self) -> &[f64] {
        self.mean()
    }
}

impl Stepper for Galerkin<'_> {
    delegate!();

    fn stage(&self) -> (f64, &[f64]) {
        (0.5, self.middle())
    }

    fn work(&self) -> Option<Power> {
        Some(self.work())
    }

    fn exponent(&self) -> usize {
        self.exponent()
    }

    fn rates(&self) -> &[f64] {
        self.middle()
    }
}

/// Which integrator, with its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// GS4-2, implicit, of second order.
    Gs4(Settings),
    /// An explicit Runge–Kutta method.
    Explicit(ExplicitSettings),
    /// Radau IIA, Gauss or Lobatto IIIA.
    Implicit(ImplicitSettings),
    /// Backward differentiation formulas of variable order.
    Bdf(BdfSettings),
    /// Energy–momentum and other structure-preserving steps.
    Conserving(ConservingSettings),
    /// Galerkin steps of degree k.
    Galerkin(GalerkinSettings),
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
    /// The classical Runge–Kutta method of order 4 in this procedure.
    fn from(procedure: Procedure) -> Self {
        ExplicitSettings::new(ExplicitMethod::RungeKutta4, procedure).into()
    }
}

impl From<ExplicitSettings> for Method {
    fn from(settings: ExplicitSettings) -> Self {
        Method::Explicit(settings)
    }
}

impl From<ImplicitSettings> for Method {
    fn from(settings: ImplicitSettings) -> Self {
        Method::Implicit(settings)
    }
}

impl From<ConservingSettings> for Method {
    fn from(settings: ConservingSettings) -> Self {
        Method::Conserving(settings)
    }
}

impl From<GalerkinSettings> for Method {
    fn from(settings: GalerkinSettings) -> Self {
        Method::Galerkin(settings)
    }
}

impl From<BdfSettings> for Method {
    fn from(settings: BdfSettings) -> Self {
        Method::Bdf(settings)
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
            Method::Explicit(settings) => Box::new(ExplicitRungeKutta::new(system, settings, state)?),
            Method::Implicit(settings) => Box::new(ImplicitRungeKutta::new(system, settings, state)?),
            Method::Bdf(settings) => Box::new(Bdf::new(system, settings, state)?),
            Method::Conserving(settings) => Box::new(EnergyMomentum::new(system, settings, state)?),
            Method::Galerkin(settings) => Box::new(Galerkin::new(system, settings, state)?),
        })
    }

    /// Whether velocities at the ends of steps satisfy the constraints to the order of the method only, and
    /// alternate about them (energy-momentum-null-space G-08), although positions satisfy them.
    pub fn leaves_velocities_open(&self) -> bool {
        match self {
            Method::Conserving(s) => s.rule != Rule::Variational && s.treatment.holds(),
            _ => false,
        }
    }

    /// Whether positions and velocities at the ends of steps satisfy the constraints to rounding.
    pub fn holds(&self) -> (bool, bool) {
        let staged = |form: StageForm, project: bool| {
            let (position, velocity) = form.holds();
            (position || project, velocity || project)
        };
        match self {
            Method::Gs4(s) => (
                s.form.holds_position() || s.projection.position,
                s.form.holds_velocity() || s.projection.velocity,
            ),
            Method::Explicit(s) => {
                let holds = s.procedure != Procedure::Augmented;
                (holds, holds)
            }
            Method::Implicit(s) => staged(s.form, s.project),
            Method::Bdf(s) => staged(s.form, s.project),
            Method::Conserving(s) => (s.treatment.holds(), s.rule == Rule::Variational),
            Method::Galerkin(_) => (true, false),
        }
    }

    /// Whether joints open more and more, since nothing brings them back.
    pub fn drifts(&self) -> bool {
        let returns = match self {
            Method::Gs4(s) => matches!(s.form, Form::Baumgarte { .. } | Form::Penalty { .. }),
            Method::Conserving(_) => true,
            _ => false,
        };
        !self.holds().0 && !returns
    }

    /// The settings of GS4, if that is the method.
    pub fn gs4(&self) -> Option<&Settings> {
        match self {
            Method::Gs4(settings) => Some(settings),
            _ => None,
        }
    }
}
