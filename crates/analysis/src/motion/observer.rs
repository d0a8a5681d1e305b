//! Who receives samples and progress.

use crate::checkpoint::Checkpoint;
use crate::halt::Halt;
use poinsot_mechanics::{Balance, Instant, System};

/// A sample: the state with accelerations and multipliers that belong to it, and its balance.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// State, accelerations and multipliers.
    pub at: Instant<'a>,
    /// Energies and momenta.
    pub balance: &'a Balance,
    /// Work supplied since the start (J).
    pub supplied: f64,
    /// Work dissipated since the start (J).
    pub dissipated: f64,
}

/// Receives samples and progress.
pub trait Observer {
    /// A sample; a halt ends the run.
    fn sample(&mut self, system: &System, sample: &Sample) -> Result<(), Halt>;

    /// Called after each step; false asks to stop.
    fn keep_going(&mut self, _t: f64) -> bool {
        true
    }

    /// A place from which the motion can be taken up again; a halt ends the run.
    fn checkpoint(&mut self, _at: &Checkpoint) -> Result<(), Halt> {
        Ok(())
    }
}

/// A closure sees every sample.
impl<F: FnMut(&System, &Sample)> Observer for F {
    fn sample(&mut self, system: &System, sample: &Sample) -> Result<(), Halt> {
        self(system, sample);
        Ok(())
    }
}
