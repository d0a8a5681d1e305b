//! What is kept of kinks over the whole run.

use super::KinkReport;
use super::level::{Cell, Passing};
use poinsot_mechanics::Switches;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Passings of one switch within this part of the span that make it a sliding.
const SLIDING: (usize, f64) = (30, 1e-6);

/// What is kept of kinks over the whole run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct KinkLog {
    #[serde(skip)]
    pub switches: Arc<Switches>,
    pub located: usize,
    /// Steps that were tried again for a kink.
    pub retried: usize,
    /// Passings of each switch: how many since when.
    pub recent: Vec<(usize, f64)>,
    /// When each switch was found to be one that the motion slides along, or infinity.
    pub sliding: Vec<f64>,
    /// When it was last looked whether the motion gets on, and how many steps were tried since.
    pub(super) slide: Option<(f64, usize)>,
    /// The switch at which the motion stood then, if it did not get on.
    pub(super) stuck: Option<usize>,
    /// The switch that has just passed a level, and the levels between which it stands now.
    pub(super) crossed: Option<(usize, Cell)>,
}

impl KinkLog {
    /// Looks for the switches of a system that is new or has changed.
    pub fn watch(&mut self, switches: Switches) {
        self.recent.resize(switches.len(), (0, f64::NEG_INFINITY));
        self.sliding.resize(switches.len(), f64::INFINITY);
        self.switches = Arc::new(switches);
        self.crossed = None;
    }

    pub fn report(&self) -> KinkReport {
        let slides = self.sliding.iter().enumerate().filter(|(_, t)| t.is_finite());
        let sliding = slides.map(|(k, t)| (self.switches.name(k).to_owned(), *t)).collect();
        KinkReport { located: self.located, retried: self.retried, sliding, held: None }
    }

    pub(super) fn note(&mut self, found: &Passing, span: f64) {
        self.located += 1;
        let (most, window) = SLIDING;
        let (count, since) = &mut self.recent[found.switch];
        if found.time - *since > window * span {
            (*count, *since) = (0, found.time);
        }
        *count += 1;
        if *count >= most {
            self.sliding[found.switch] = found.time;
        }
    }
}
