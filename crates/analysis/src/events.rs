//! Events: times, and zero crossings of signals, at which a motion changes its course.
//!
//! A signal is looked at after every step, at its end and at a few places inside. Where it changes its sign
//! in the wanted direction the crossing is located on the dense output. The motion then goes on from there,
//! made consistent again, after what the event does: stop, change the system, change the state. A signal that
//! thereby jumps to the other side of zero crosses it too: it is the next event, at the same time.

use crate::halt::Halt;
use poinsot_expr::TimeLaw;
use poinsot_mechanics::{Instant, State, System};
use serde::{Deserialize, Serialize};

/// Direction in which a signal crosses zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Crossing {
    /// From negative to positive.
    Rising,
    /// From positive to negative.
    Falling,
    /// Either way.
    #[default]
    Both,
}

impl Crossing {
    /// Whether going from `before` to `after` crosses zero this way.
    pub fn is_met(self, before: f64, after: f64) -> bool {
        let rising = before < 0.0 && after >= 0.0;
        let falling = before > 0.0 && after <= 0.0;
        match self {
            Crossing::Rising => rising,
            Crossing::Falling => falling,
            Crossing::Both => rising || falling,
        }
    }
}

/// How a motion goes on after an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continuation {
    /// From the state as the event left it.
    Continue,
    /// The same, and the signal goes back to the side of zero that it came from: coming through again is the
    /// next event, however soon.
    Rebound,
    /// Not at all: the motion has reached its end.
    Stop,
}

/// The events of a motion and what they do.
pub trait EventHandler {
    /// Number of signals that are watched.
    fn signals(&self) -> usize;

    /// The crossing of signal k that is an event.
    fn crossing(&self, k: usize) -> Crossing;

    /// Whether the signals depend on accelerations or reactions.
    fn needs_accelerations(&self) -> bool;

    /// Values of all signals.
    fn values(&mut self, system: &System, at: &Instant, out: &mut [f64]);

    /// Times at which something happens, in ascending order.
    fn times(&self) -> &[f64];

    /// What laws of time tell beforehand, where events have changed it; nothing while it is what the study
    /// says.
    fn law_times(&self) -> Option<LawTimes> {
        None
    }

    /// A signal has crossed zero. The handler may change the system and the state; a halt ends the
    /// motion.
    fn crossed(&mut self, k: usize, system: &mut System, state: &mut State) -> Result<Continuation, Halt>;

    /// One of the times has come.
    fn time_has_come(
        &mut self,
        k: usize,
        system: &mut System,
        state: &mut State,
    ) -> Result<Continuation, Halt>;
}

/// What laws of time tell beforehand.
#[derive(Clone, Debug, Default)]
pub struct LawTimes {
    /// As in [`MotionStudy::kinks`](crate::MotionStudy::kinks).
    pub kinks: Vec<f64>,
    /// As in [`MotionStudy::laws`](crate::MotionStudy::laws).
    pub laws: Vec<TimeLaw>,
}

/// No events.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEvents;

impl EventHandler for NoEvents {
    fn signals(&self) -> usize {
        0
    }

    fn crossing(&self, _k: usize) -> Crossing {
        Crossing::Both
    }

    fn needs_accelerations(&self) -> bool {
        false
    }

    fn values(&mut self, _system: &System, _at: &Instant, _out: &mut [f64]) {}

    fn times(&self) -> &[f64] {
        &[]
    }

    fn crossed(&mut self, _: usize, _: &mut System, _: &mut State) -> Result<Continuation, Halt> {
        Ok(Continuation::Continue)
    }

    fn time_has_come(&mut self, _: usize, _: &mut System, _: &mut State) -> Result<Continuation, Halt> {
        Ok(Continuation::Continue)
    }
}

/// What has happened.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum EventId {
    /// Signal k has crossed zero.
    Crossed(usize),
    /// Time k has come.
    Time(usize),
}

/// Places inside a step at which signals are looked at, besides its end.
const LOOKS: usize = 4;

/// Relative to the step, how exactly a crossing is located.
const EXACTNESS: f64 = 1e-13;

/// Iterations of the location at most.
const MAX_ITERATIONS: usize = 100;

/// The signals that cross zero at the same time, each with the side that it comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Crossings {
    pub time: f64,
    pub signals: Vec<(usize, f64)>,
    /// Sides of zero of all signals then.
    pub sides: Vec<f64>,
}

/// Follows the signals of a handler from step to step.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    /// Values where the last step ended; zero for a signal whose sign is not known yet.
    before: Vec<f64>,
    now: Vec<f64>,
    trial: Vec<f64>,
}

impl Watch {
    /// Starts with the values at a state and the sides of zero on which the signals stood before, if they are
    /// known. Signals of events that have just happened are taken to stand on the given side; zero if that is
    /// not known.
    pub fn new(values: &[f64], sides: Option<&[f64]>, happened: &[(usize, f64)]) -> Self {
        let mut before = values.to_vec();
        for (before, side) in before.iter_mut().zip(sides.unwrap_or_default()) {
            if *before == 0.0 || before.signum() != *side {
                *before = side * f64::MIN_POSITIVE;
            }
        }
        for &(k, side) in happened {
            before[k] = side * f64::MIN_POSITIVE;
        }
        Watch { before, now: values.to_vec(), trial: values.to_vec() }
    }

    /// The sides of zero on which the signals stand; zero for one whose side is not known.
    pub fn sides(&self) -> Vec<f64> {
        self.before.iter().map(|value| if *value == 0.0 { 0.0 } else { value.signum() }).collect()
    }

    /// The first crossings between the times of the last step, if any. `values` gives the signals at a time.
    pub fn first_crossings<E>(
        &mut self,
        (start, end): (f64, f64),
        crossing: impl Fn(usize) -> Crossing,
        values: &mut impl FnMut(f64, &mut [f64]) -> Result<(), E>,
    ) -> Result<Option<Crossings>, E> {
        let mut from = start;
        for look in 1..=LOOKS {
            let to = if look == LOOKS { end } else { start + (end - start) * look as f64 / LOOKS as f64 };
            let mut now = std::mem::take(&mut self.now);
            values(to, &mut now)?;
            self.now = now;
            let met: Vec<usize> =
                (0..self.now.len()).filter(|&k| crossing(k).is_met(self.before[k], self.now[k])).collect();
            if !met.is_empty() {
                return self.earliest(&met, (from, to), values).map(Some);
            }
            for (before, now) in self.before.iter_mut().zip(&self.now) {
                *before = if *now == 0.0 { *before } else { *now };
            }
            from = to;
        }
        Ok(None)
    }

    /// The earliest of the crossings inside an interval, and all others that have happened by then.
    fn earliest<E>(
        &mut self,
        met: &[usize],
        span: (f64, f64),
        values: &mut impl FnMut(f64, &mut [f64]) -> Result<(), E>,
    ) -> Result<Crossings, E> {
        let mut first = (met[0], f64::INFINITY);
        for &k in met {
            let t = self.locate(k, span, values)?;
            if t < first.1 {
                first = (k, t);
            }
        }
        let (earliest, time) = first;
        let mut trial = std::mem::take(&mut self.trial);
        values(time, &mut trial)?;
        let crossed =
            |k: &usize| *k == earliest || trial[*k] == 0.0 || trial[*k].signum() != self.before[*k].signum();
        let signals = met.iter().copied().filter(crossed).map(|k| (k, self.before[k].signum())).collect();
        for (before, value) in self.before.iter_mut().zip(&trial) {
            *before = if *value == 0.0 { *before } else { *value };
        }
        self.trial = trial;
        Ok(Crossings { time, signals, sides: self.sides() })
    }

    /// The end of the smallest interval in which signal k changes its sign: the Illinois method with
    /// bisection where that does not shrink the interval enough.
    fn locate<E>(
        &mut self,
        k: usize,
        (mut low, mut high): (f64, f64),
        values: &mut impl FnMut(f64, &mut [f64]) -> Result<(), E>,
    ) -> Result<f64, E> {
        let (mut at_low, mut at_high) = (self.before[k], self.now[k]);
        let exactness = EXACTNESS * (high - low).abs() + 2.0 * f64::EPSILON * high.abs();
        let mut trial = std::mem::take(&mut self.trial);
        for iteration in 0..MAX_ITERATIONS {
            if (high - low).abs() <= exactness || at_high == 0.0 {
                break;
            }
            let secant = high - at_high * (high - low) / (at_high - at_low);
            // A side without a value of its own tells nothing about the slope.
            let known = at_low.abs() > f64::MIN_POSITIVE;
            let inside = known && secant > low.min(high) && secant < low.max(high);
            let middle = if inside && iteration % 4 != 3 { secant } else { 0.5 * (low + high) };
            if middle == low || middle == high {
                break;
            }
            values(middle, &mut trial)?;
            let value = trial[k];
            if value == 0.0 || (value > 0.0) == (at_high > 0.0) {
                (high, at_high) = (middle, value);
                at_low *= 0.5;
            } else {
                (low, at_low) = (middle, value);
                at_high *= 0.5;
            }
        }
        self.trial = trial;
        Ok(high)
    }
}
