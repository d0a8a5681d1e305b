//! Follows the switches from step to step.

use super::level::{Cell, NOISE, Outside, Passing, ROUNDINGS, UNKNOWN, cell_of};
use crate::motion::{Log, Run};
use poinsot_integrators::instant;
use poinsot_mechanics::Switches;
use std::sync::Arc;

/// Follows the switches from step to step.
#[derive(Debug)]
pub(crate) struct KinkWatch {
    pub(super) switches: Arc<Switches>,
    pub(super) tolerance: f64,
    pub(super) cells: Vec<Cell>,
    /// The same as far as a step has been looked at.
    pub(super) trial: Vec<Cell>,
    pub(super) values: Vec<f64>,
    pub(super) sizes: Vec<f64>,
    /// Values at the start and in the middle of the step.
    pub(super) before: Vec<f64>,
    pub(super) middle: Vec<f64>,
    pub(super) outside: Vec<Outside>,
    /// Time at which the step shall end, and how often one was tried.
    pub(super) aim: Option<f64>,
    pub(super) tries: usize,
    /// The last time at which one could end before the kink.
    pub(super) clean: Option<f64>,
    /// Passings at the start of the step.
    pub(super) at_start: Vec<Passing>,
    pub(super) guessed: bool,
    /// Whether the method shows a step before it is taken.
    pub(super) ahead: bool,
    /// Numbers of the variables of networks.
    pub(super) variables: Vec<usize>,
}

impl KinkWatch {
    fn new(switches: Arc<Switches>, tolerance: f64, variables: Vec<usize>) -> Self {
        let n = switches.len();
        KinkWatch {
            switches,
            tolerance,
            cells: vec![UNKNOWN; n],
            trial: vec![UNKNOWN; n],
            values: vec![0.0; n],
            sizes: vec![0.0; n],
            before: vec![0.0; n],
            middle: vec![0.0; n],
            outside: vec![],
            aim: None,
            tries: 0,
            clean: None,
            at_start: vec![],
            guessed: false,
            ahead: false,
            variables,
        }
    }

    /// Begins where the values and cells are known.
    fn begin(&mut self) {
        self.trial.copy_from_slice(&self.cells);
        self.before.copy_from_slice(&self.values);
        self.outside.clear();
        self.at_start.clear();
        (self.aim, self.tries, self.clean, self.guessed) = (None, 0, None, false);
    }

    /// Whether every switch stays between its levels with as much room on both sides as it needs for the
    /// values before, in the middle and at the end of a step, so that a curve through them does not come out
    /// in between.
    pub(super) fn is_calm(&self) -> bool {
        let values = self.before.iter().zip(&self.middle).zip(&self.values);
        values.zip(&self.cells).all(|(((before, middle), after), (low, high))| {
            let least = before.min(*middle).min(*after);
            let most = before.max(*middle).max(*after);
            let room = most - least;
            // Nothing is calm that is not known.
            least - room > *low && most + room < *high
        })
    }
}

impl Run<'_> {
    /// Watches the switches of the system from here on, if there are any.
    pub fn watch_kinks(&mut self, tolerance: f64) {
        let switches = Arc::clone(&self.log.kinks.switches);
        let n = switches.len();
        if n == 0 {
            return;
        }
        let tolerance = tolerance.max(ROUNDINGS * f64::EPSILON / NOISE);
        let mut watch = match self.kinks.take() {
            Some(watch) if Arc::ptr_eq(&watch.switches, &switches) => watch,
            _ => KinkWatch::new(switches, tolerance, self.system.variable_equations()),
        };
        self.buffers.inside.clone_from(self.integration.state());
        // Where the reactions are not to be had the step itself will tell.
        let _ = self.know_reactions(&watch.switches);
        let KinkWatch { switches, cells, values, sizes, .. } = &mut watch;
        let at = instant(&self.buffers.inside, &self.buffers.a);
        switches.values_and_sizes(self.system, &at, values, sizes, &mut self.buffers.scratch);
        for (k, cell) in cells.iter_mut().enumerate() {
            *cell = cell_of(values[k], switches.levels(k).around(values[k]), NOISE * tolerance * sizes[k]);
        }
        if let Some((k, cell)) = self.log.kinks.crossed.take() {
            cells[k] = cell;
            self.behind_kink = self.log.step;
        }
        watch.begin();
        self.kinks = Some(watch);
    }

    /// The step that is to end near a kink, if one is aimed at.
    pub fn aimed_step(&self) -> Option<f64> {
        let aim = self.kinks.as_ref()?.aim?;
        Some(aim - self.integration.state().t)
    }

    /// A step was not good enough, whatever it aimed at.
    pub fn forget_aim(&mut self) {
        if let Some(watch) = &mut self.kinks {
            (watch.aim, watch.tries, watch.clean) = (None, 0, None);
        }
    }

    /// A step has been taken.
    pub fn kinks_passed(&mut self) {
        let Some(watch) = &mut self.kinks else { return };
        std::mem::swap(&mut watch.cells, &mut watch.trial);
        std::mem::swap(&mut watch.before, &mut watch.values);
        (watch.aim, watch.tries, watch.clean, watch.guessed) = (None, 0, None, false);
        let span = self.study.end - self.log.start;
        watch.at_start.drain(..).for_each(|passing| self.log.kinks.note(&passing, span));
    }

    /// The integrator is to start anew behind a kink.
    pub fn note_kink(&mut self, found: &Passing) {
        let Log { kinks, start, .. } = &mut *self.log;
        kinks.note(found, self.study.end - *start);
        kinks.crossed = Some((found.switch, found.cell));
    }
}
