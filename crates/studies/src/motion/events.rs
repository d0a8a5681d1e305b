//! The events of a model: watches their formulas and does what they do.

use crate::live::{ChangeError, LiveModel};
use crate::motion::law_times::law_times;
use crate::motion::slope::{Slope, SlopeError};
use poinsot_analysis::{
    Continuation, Crossing, EventHandler, EventId, Halt, Impulse, ImpulseError, LawTimes, apply_impulses,
    rebound,
};
use poinsot_geometry::Vec3;
use poinsot_integrators::{SaddlePoint, instant};
use poinsot_mechanics::{Instant, Scratch, State, System};
use poinsot_model::spec::{self, EventSpec, Formula, Frame, ImpulseSpec, Model, Trigger};
use poinsot_model::{Probe, Quantity, View};
use std::cell::RefCell;
use std::rc::Rc;
use thiserror::Error;

/// Why an event cannot do what it is to do.
#[derive(Debug, Error)]
enum EventError {
    /// Set parameters.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// Strike, or throw back.
    #[error(transparent)]
    Impulse(#[from] ImpulseError),
    /// Throw a coordinate back.
    #[error(transparent)]
    Slope(#[from] SlopeError),
    /// A formula has no value.
    #[error("`{formula}` is {value}")]
    NoValue { formula: String, value: f64 },
    /// There are no accelerations.
    #[error("the equations are singular: {0}")]
    Singular(String),
}

/// Handles the events of a model that runs.
#[derive(Debug)]
pub struct ModelEvents {
    live: Rc<RefCell<LiveModel>>,
    probe: Probe,
    scratch: Scratch,
    /// Event of each watched signal, with the crossing.
    watched: Vec<(usize, Crossing)>,
    times: Vec<f64>,
    /// Event of each time.
    timed: Vec<usize>,
    needs_accelerations: bool,
    /// Whether a watched formula names signals.
    needs_signals: bool,
}

/// The direction of a crossing.
fn direction(crossing: spec::Crossing) -> Crossing {
    match crossing {
        spec::Crossing::Rising => Crossing::Rising,
        spec::Crossing::Falling => Crossing::Falling,
        spec::Crossing::Both => Crossing::Both,
    }
}

/// What a formula asks for, signals followed.
fn needs(model: &Model, formula: &Formula, what: fn(Quantity) -> bool) -> bool {
    let mut used = vec![false; model.signals.len()];
    let asks = |formula: &Formula, used: &mut [bool]| {
        formula.quantities.iter().fold(false, |found, quantity| match quantity {
            Quantity::Signal(index) => {
                used[*index] = true;
                found
            }
            quantity => found || what(*quantity),
        })
    };
    let mut found = asks(formula, &mut used);
    // Each signal uses only those above it.
    for (index, signal) in model.signals.iter().enumerate().rev() {
        found = (used[index] && asks(&signal.formula, &mut used)) || found;
    }
    found
}

impl ModelEvents {
    /// For a model that is about to run.
    pub fn new(live: Rc<RefCell<LiveModel>>) -> Self {
        let (mut watched, mut timed) = (vec![], vec![]);
        let (mut needs_accelerations, mut needs_signals) = (false, false);
        {
            let model = &live.borrow().model;
            for (index, event) in model.events.iter().enumerate() {
                match &event.trigger {
                    Trigger::Crossing { formula, crossing } => {
                        watched.push((index, direction(*crossing)));
                        needs_accelerations |= needs(model, formula, Quantity::needs_accelerations);
                        needs_signals |= formula.quantities.iter().any(|q| matches!(q, Quantity::Signal(_)));
                    }
                    Trigger::Times(times) => timed.extend(times.iter().map(|time| (*time, index))),
                }
            }
        }
        timed.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (times, timed) = timed.into_iter().unzip();
        ModelEvents {
            live,
            probe: Probe::default(),
            scratch: Scratch::default(),
            watched,
            times,
            timed,
            needs_accelerations,
            needs_signals,
        }
    }

    /// The event of the model that has happened: index into [`Model::events`].
    pub fn event(&self, what: EventId) -> usize {
        match what {
            EventId::Crossed(k) => self.watched[k].0,
            EventId::Time(k) => self.timed[k],
        }
    }

    /// Sets parameters, strikes, throws back.
    fn act(&mut self, event: usize, system: &mut System, state: &mut State) -> Result<Continuation, Halt> {
        let spec = self.live.borrow().model.events[event].clone();
        let t = state.t;
        let outcome = self.set(&spec, system, state).and_then(|()| self.strike(event, system, state));
        outcome.map_err(|error| Halt::of_event(format!("event `{}` at t = {t:.9} s: {error}", spec.name)))
    }

    fn set(&mut self, spec: &EventSpec, system: &mut System, state: &mut State) -> Result<(), EventError> {
        if spec.set.is_empty() {
            return Ok(());
        }
        let formulas: Vec<&Formula> = spec.set.iter().map(|(_, formula)| formula).collect();
        let values = self.evaluate(&formulas, system, state)?;
        let names = spec.set.iter().map(|(name, _)| name.clone());
        let values: Vec<(String, f64)> = names.zip(values).collect();
        Ok(self.live.borrow_mut().set(&values, system, state)?)
    }

    /// Impulses and the bounce, of the event as it is with the new parameters.
    fn strike(
        &mut self,
        event: usize,
        system: &System,
        state: &mut State,
    ) -> Result<Continuation, EventError> {
        let spec = self.live.borrow().model.events[event].clone();
        let mut impulses = vec![];
        for impulse in &spec.impulses {
            impulses.push(self.impulse(impulse, system, state)?);
        }
        if !impulses.is_empty() {
            apply_impulses(system, state, &impulses)?;
        }
        if let Some(bounce) = &spec.bounce {
            let Slope { rate, gradient } = self.look(system, state, false, |probe, view, signals| {
                Slope::of(&bounce.coordinate, view, signals, probe)
            })??;
            rebound(system, state, &gradient, rate, bounce.restitution)?;
        }
        // Where the watched coordinate itself is thrown back it returns to the side that it came from.
        let returns = match (&spec.trigger, &spec.bounce) {
            (Trigger::Crossing { formula, .. }, Some(bounce)) => formula.text == bounce.coordinate.text,
            _ => false,
        };
        Ok(match (spec.stop, returns) {
            (true, _) => Continuation::Stop,
            (false, true) => Continuation::Rebound,
            (false, false) => Continuation::Continue,
        })
    }

    fn impulse(
        &mut self,
        impulse: &ImpulseSpec,
        system: &System,
        state: &State,
    ) -> Result<Impulse, EventError> {
        let formulas: Vec<&Formula> = impulse.force.iter().chain(&impulse.torque).collect();
        let values = self.evaluate(&formulas, system, state)?;
        let live = self.live.borrow();
        let (node, on) = (live.assembly.node(impulse.on.body), &impulse.on);
        let axes = state.frames[node].rot * on.frame.rotation;
        let world = |v: Vec3| match impulse.frame {
            Frame::World => v,
            Frame::Body => axes * v,
        };
        Ok(Impulse {
            node,
            point: live.assembly.from_node(on.body, &on.frame.r),
            force: world(Vec3::from_column_slice(&values[..3])),
            torque: world(Vec3::from_column_slice(&values[3..])),
        })
    }

    /// Values of formulas at a state; they must be finite.
    fn evaluate(
        &mut self,
        formulas: &[&Formula],
        system: &System,
        state: &State,
    ) -> Result<Vec<f64>, EventError> {
        let accelerations = {
            let model = &self.live.borrow().model;
            formulas.iter().any(|formula| needs(model, formula, Quantity::needs_accelerations))
        };
        let values = self.look(system, state, accelerations, |probe, view, signals| -> Vec<f64> {
            formulas.iter().map(|formula| probe.formula(formula, view, signals)).collect()
        })?;
        match formulas.iter().zip(&values).find(|(_, value)| !value.is_finite()) {
            Some((formula, value)) => {
                Err(EventError::NoValue { formula: formula.text.clone(), value: *value })
            }
            None => Ok(values),
        }
    }

    /// Looks at a state, with accelerations if they are needed.
    fn look<T>(
        &mut self,
        system: &System,
        state: &State,
        accelerations: bool,
        see: impl FnOnce(&mut Probe, &View, &[f64]) -> T,
    ) -> Result<T, EventError> {
        let mut a = vec![0.0; system.size()];
        if accelerations {
            let found = SaddlePoint::new(system).accelerations(system, state, &mut a);
            found.map_err(|e| EventError::Singular(system.equation_name(e.row)))?;
        }
        let live = self.live.borrow();
        let at = instant(state, &a);
        let balance = system.balance(&at, &mut self.scratch);
        let (model, assembly) = (&live.model, &live.assembly);
        let view = View { model, assembly, system, at, balance: &balance, results: None };
        let signals = self.probe.signals(&view);
        Ok(see(&mut self.probe, &view, &signals))
    }
}

impl EventHandler for ModelEvents {
    fn signals(&self) -> usize {
        self.watched.len()
    }

    fn crossing(&self, k: usize) -> Crossing {
        self.watched[k].1
    }

    fn needs_accelerations(&self) -> bool {
        self.needs_accelerations
    }

    fn values(&mut self, system: &System, at: &Instant, out: &mut [f64]) {
        let live = self.live.borrow();
        let balance = system.balance(at, &mut self.scratch);
        let (model, assembly) = (&live.model, &live.assembly);
        let view = View { model, assembly, system, at: *at, balance: &balance, results: None };
        let signals = if self.needs_signals { self.probe.signals(&view) } else { vec![] };
        for (out, (event, _)) in out.iter_mut().zip(&self.watched) {
            if let Trigger::Crossing { formula, .. } = &live.model.events[*event].trigger {
                *out = self.probe.formula(formula, &view, &signals);
            }
        }
    }

    fn times(&self) -> &[f64] {
        &self.times
    }

    fn law_times(&self) -> Option<LawTimes> {
        let live = self.live.borrow();
        if live.changes().is_empty() { None } else { law_times(&live.model) }
    }

    fn crossed(&mut self, k: usize, system: &mut System, state: &mut State) -> Result<Continuation, Halt> {
        self.act(self.watched[k].0, system, state)
    }

    fn time_has_come(
        &mut self,
        k: usize,
        system: &mut System,
        state: &mut State,
    ) -> Result<Continuation, Halt> {
        self.act(self.timed[k], system, state)
    }
}
