//! Steps that are taken again by another method, for the error in time.

use super::Run;
use crate::time_error::{Velocities, difference};
use poinsot_integrators::{ImplicitSettings, Method, StepFailure, Stepper, Tolerance, instant};
use poinsot_mechanics::{Scratch, State, System};

/// Into how many times the least number of parts a step is divided and to which tolerance it is solved;
/// the next where one fails, for rounding may keep the iteration from the first tolerance.
const ATTEMPTS: [(usize, f64); 3] = [(1, 1e-10), (1, 1e-7), (8, 1e-7)];

/// Stages and parts of a step that is taken again: more exact than a method of this order by far.
fn reference(order: usize) -> (usize, usize) {
    match order {
        0..=4 => (3, 1),
        5 => (3, 2),
        _ => (5, 2),
    }
}

/// A step at a kink is divided into so many times more parts, at most into so many, until the largest error
/// changes by less than this part of it, or is below the size that matters to nobody.
const FINER: (usize, usize) = (4, 256);
const SETTLED: f64 = 0.3;
const NOTHING: f64 = 1e-10;

/// Steps between looks at the energy, fewer where velocities have to be moved onto the constraints
/// first. They are prime, so that they do not follow the period of a motion.
const LOOKS: (usize, usize) = (7, 31);

/// What is needed to take steps again.
pub(super) struct Retake<'a> {
    reference: Option<Box<dyn Stepper + 'a>>,
    /// Its stages, and the least number of parts of a step.
    stages: usize,
    parts: usize,
    /// The attempt that was good for the last step.
    attempt: usize,
    velocities: Velocities,
    from: State,
    to: State,
    errors: Vec<f64>,
}

impl Retake<'_> {
    pub fn new(method: &Method, state: &State) -> Self {
        let order = method.order();
        let (stages, parts) = reference(order);
        Retake {
            reference: None,
            stages,
            parts,
            attempt: 0,
            velocities: Velocities::new(order, state),
            from: state.clone(),
            to: state.clone(),
            errors: vec![],
        }
    }

    /// Starts anew at a state of the same system.
    pub fn restart(&mut self, state: &State) {
        self.velocities.restart(state);
    }
}

impl<'a> Run<'a> {
    /// Takes note of the step that was just taken and takes it again where its turn has come.
    pub(super) fn watch_error(&mut self, h: f64) {
        let state = self.integration.state();
        let seen = self.retake.velocities.step(state);
        let noted = self.log.audit.time_error.step(self.system, state, &seen);
        if noted.kink {
            self.retake.velocities.restart_behind_kink(state);
        }
        if let Some(class) = noted.again {
            let done = if noted.refined { self.take_again_finely(h) } else { self.take_again(h) };
            let errors = done.is_ok().then_some(&*self.retake.errors);
            self.log.audit.time_error.note(class, errors);
        }
        self.watch_energy();
    }

    /// The energy at some of the integrator's own steps, however the motion is recorded.
    fn watch_energy(&mut self) {
        let stride = if self.shown.is_some() { LOOKS.1 } else { LOOKS.0 };
        if !self.log.audit.time_error.steps.is_multiple_of(stride) {
            return;
        }
        let state = self.integration.state();
        let at = match &mut self.shown {
            Some(shown) => {
                shown.clone_from(state);
                if self.saddle.project_velocities(self.system, shown).is_err() {
                    return;
                }
                instant(shown, self.integration.rates())
            }
            None => instant(state, self.integration.rates()),
        };
        let balance = self.system.balance(&at, &mut self.buffers.scratch);
        // A sample tells where a motion leaves all numbers.
        if balance.total().is_finite() {
            self.log.audit.note_balance(&balance, at.t);
        }
    }

    /// The errors of the last step.
    fn take_again(&mut self, h: f64) -> Result<(), StepFailure> {
        loop {
            let (times, tolerance) = ATTEMPTS[self.retake.attempt];
            let outcome = self.take_in_parts(h, times * self.retake.parts, tolerance);
            if outcome.is_ok() || self.retake.attempt + 1 == ATTEMPTS.len() {
                return outcome;
            }
            self.retake.attempt += 1;
            self.retake.reference = None;
        }
    }

    /// The errors of the last step, which is at a kink. The method and the reference may both step over what
    /// happens there, as friction that turns round while a slider passes through rest does, and agree: only
    /// shorter steps tell.
    fn take_again_finely(&mut self, h: f64) -> Result<(), StepFailure> {
        self.take_again(h)?;
        let (times, most) = FINER;
        let mut parts = self.retake.parts;
        let mut error = self.largest_error(h);
        while parts < most {
            parts *= times;
            self.take_in_parts(h, parts, ATTEMPTS[self.retake.attempt].1)?;
            let before = std::mem::replace(&mut error, self.largest_error(h));
            if (error - before).abs() <= SETTLED * error.max(before) || error.max(before) < NOTHING {
                break;
            }
        }
        Ok(())
    }

    /// The largest of the errors of the last step relative to the motion.
    fn largest_error(&self, h: f64) -> f64 {
        self.log.audit.time_error.worst(self.system, h, &self.retake.errors).0
    }

    fn take_in_parts(&mut self, h: f64, parts: usize, tolerance: f64) -> Result<(), StepFailure> {
        let system = self.system;
        let Retake { from, to, .. } = &mut self.retake;
        from.clone_from(&self.last.before);
        to.clone_from(self.integration.state());
        // Algebraic variables are moved to where their equations hold if the method leaves that open.
        let open = self.study.method.leaves_variables_open();
        for state in [from, to] {
            state.rates.clear();
            let projected = self.saddle.project(system, state, self.length);
            projected.map_err(|e| StepFailure::singular(system, state.t, &e))?;
            if open && !system.networks().is_empty() {
                system.close_networks(state, &mut self.buffers.scratch);
            }
            system.remember_with(state, &mut self.buffers.scratch);
        }
        let retake = &mut self.retake;
        let part = h / parts as f64;
        match &mut retake.reference {
            Some(reference) => {
                reference.restart(&retake.from)?;
            }
            None => {
                let tolerance = Tolerance::both(tolerance);
                let settings = ImplicitSettings {
                    estimate: false,
                    stages: retake.stages,
                    tolerance,
                    ..ImplicitSettings::default()
                };
                retake.reference = Some(Method::from(settings).start(system, retake.from.clone(), part)?);
            }
        }
        let Some(reference) = &mut retake.reference else { return Ok(()) };
        let (zero, scratch) = (self.integration.rates(), &mut self.buffers.scratch);
        let before = energy(system, &retake.from, zero, scratch);
        // What the balance of the step leaves open, and what it leaves open of the step taken again.
        let own = energy(system, &retake.to, zero, scratch) - before - self.last.work.supplied
            + self.last.work.dissipated;
        let mut exact = -before;
        for _ in 0..parts {
            reference.step(part)?;
            exact -= reference.work().map_or(0.0, |work| work.supplied - work.dissipated);
        }
        difference(system, reference.state(), &retake.to, &mut retake.errors);
        exact += energy(system, reference.state(), zero, scratch);
        retake.errors.push((own - exact).abs());
        Ok(())
    }
}

/// The energy of a state (J).
fn energy(system: &System, state: &State, zero: &[f64], s: &mut Scratch) -> f64 {
    system.balance(&instant(state, zero), s).total()
}
