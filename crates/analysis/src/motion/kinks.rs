//! Kinks of piecewise laws: adaptive steps end where a switch of the system passes a level.
//!
//! Inside a step that passes a kink the polynomial of the method is wrong on both sides of it. The passing is
//! therefore located on the step that was tried and the step tried again so that it ends a little before the
//! kink, on smooth ground. From there the polynomial of that step leads the small rest of the way, and the
//! integrator starts anew on the other side, with the step that it had. A method that shows nothing before it
//! has taken the step is cut off at the passing, as at an event. Where Newton's iteration fails, the motion
//! before the step is carried on to guess whether there is a kink.

use super::{Log, Run};
use poinsot_integrators::{Attempt, StepFailure, instant};
use poinsot_mechanics::Switches;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a study does about kinks in its laws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kinks {
    /// Ends adaptive steps at them.
    #[default]
    Locate,
    /// Steps over those whose time is not known beforehand.
    Ignore,
}

/// What a run has seen of kinks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KinkReport {
    /// Kinks and jumps of laws at which steps were ended, besides those at known times.
    pub located: usize,
    /// Steps that were tried again to end there.
    pub retried: usize,
    /// Switches that the motion slides along, passing them again and again in no time, with the time of
    /// giving up.
    pub sliding: Vec<(String, f64)>,
    /// The shortest step to which a law of time has held the motion, lest it misses a turn of the law.
    pub held: Option<f64>,
}

/// Places inside a step at which switches are looked at, its end among them.
const LOOKS: usize = 4;

/// A step is tried again so that it ends before the kink by this part of it.
const SHORT: f64 = 5e-3;

/// How far before the kink a step may end, and how far it is looked for beyond the end.
const REACH: (f64, f64) = (1.5e-2, 0.1);

/// Where a switch depends on algebraic variables steps are tried nearer and nearer, by this part of the rest
/// of the way each, down to so many tolerances: their polynomial is only as good as it is short beyond the
/// stages.
const NEARER: (f64, f64) = (0.02, 10.0);

/// Kinks in the first part of a step that do not harm it: no stage sees them, and a jump shows in the
/// estimated error, which knows the rates at the start.
const AT_START: f64 = 1e-4;

/// How often a step is tried again for one kink.
const MAX_TRIES: usize = 8;

/// Passing a level by less than this part of the tolerance is noise, and so it is by a few roundings.
const NOISE: f64 = 1e-2;
const ROUNDINGS: f64 = 8.0;

/// Relative to the step, how exactly a passing is located; iterations at most.
const EXACTNESS: f64 = 1e-14;
const MAX_ITERATIONS: usize = 100;

/// Passings of one switch within this part of the span that make it a sliding.
const SLIDING: (usize, f64) = (30, 1e-6);

/// Steps of a system with switches that are tried before it must have got on by this part of the time so far,
/// and so far that the end is within so many steps, unless it is at no switch.
const STALLED: (usize, f64, f64) = (1_000, 1e-3, 1e8);

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
    slide: Option<(f64, usize)>,
    /// The switch at which the motion stood then, if it did not get on.
    stuck: Option<usize>,
    /// The switch that has just passed a level, and the levels between which it stands now.
    crossed: Option<(usize, Cell)>,
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

    fn note(&mut self, found: &Passing, span: f64) {
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

/// The levels between which a switch stands; not numbers where it is not known.
type Cell = (f64, f64);

const UNKNOWN: Cell = (f64::NAN, f64::NAN);

/// The levels around `x`, if it is not so near to one of them that this is noise.
fn cell_of(x: f64, around: Option<Cell>, noise: f64) -> Cell {
    match around {
        Some((low, high)) if x - low > noise && high - x > noise => (low, high),
        _ => UNKNOWN,
    }
}

/// A switch that passes a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Passing {
    pub time: f64,
    switch: usize,
    cell: Cell,
}

/// A switch behind a level that it stood before, with the time of passing where that is known.
#[derive(Clone, Copy, Debug)]
struct Outside {
    switch: usize,
    level: f64,
    time: Option<f64>,
}

/// What is to be done with a step that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Turn {
    /// As if there were no kinks.
    Go,
    /// Try it again.
    Again,
    /// If it is good enough take it, and start anew at the kink.
    Land(Passing),
}

/// Which polynomial is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Look {
    /// That of the step that was tried.
    Ahead,
    /// That of the step before, carried on.
    CarriedOn,
    /// That of the step that was taken.
    Inside,
}

/// Follows the switches from step to step.
#[derive(Debug)]
pub(super) struct KinkWatch {
    switches: Arc<Switches>,
    tolerance: f64,
    cells: Vec<Cell>,
    /// The same as far as a step has been looked at.
    trial: Vec<Cell>,
    values: Vec<f64>,
    sizes: Vec<f64>,
    /// Values at the start and in the middle of the step.
    before: Vec<f64>,
    middle: Vec<f64>,
    outside: Vec<Outside>,
    /// Time at which the step shall end, and how often one was tried.
    aim: Option<f64>,
    tries: usize,
    /// The last time at which one could end before the kink.
    clean: Option<f64>,
    /// Passings at the start of the step.
    at_start: Vec<Passing>,
    guessed: bool,
    /// Whether the method shows a step before it is taken.
    ahead: bool,
    /// Numbers of the variables of networks.
    variables: Vec<usize>,
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
    fn is_calm(&self) -> bool {
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

impl<'a> Run<'a> {
    /// Watches the switches of the system from here on, if there are any.
    pub(super) fn watch_kinks(&mut self, tolerance: f64) {
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
        self.inside.clone_from(self.integration.state());
        let KinkWatch { switches, cells, values, sizes, .. } = &mut watch;
        let at = instant(&self.inside, &self.a);
        switches.values_and_sizes(self.system, &at, values, sizes, &mut self.scratch);
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

    /// The failure of a motion that sticks to a switch and does not get on.
    pub(super) fn stalled(&mut self) -> Option<StepFailure> {
        let watch = self.kinks.as_ref()?;
        let t = self.integration.state().t;
        let (since, tried) = self.log.kinks.slide.get_or_insert((t, 0));
        *tried += 1;
        let (most, part, farthest) = STALLED;
        if *tried < most {
            return None;
        }
        let step = t - *since;
        (*since, *tried) = (t, 0);
        let steps_to_the_end = (self.study.end - t) / step * most as f64;
        if step > part * (t - self.log.start) && steps_to_the_end < farthest {
            return None;
        }
        let (switches, tolerance) = (Arc::clone(&watch.switches), watch.tolerance);
        let stuck = self.nearest_switch(&switches).filter(|(_, distance)| *distance <= tolerance)?.0;
        // Once may be by chance.
        let k = self.log.kinks.stuck.replace(stuck).filter(|k| *k == stuck)?;
        let known = &mut self.log.kinks.sliding[k];
        *known = known.min(t);
        let reason = "the motion sticks to a switch and does not get on";
        let remedy = "smooth the law there: tanh(x/small) instead of sign(x), for example";
        Some(StepFailure { t, step, reason, equation: switches.name(k).to_owned(), remedy })
    }

    /// The switch that is nearest to one of its levels, and how near in sizes of its own.
    fn nearest_switch(&mut self, switches: &Switches) -> Option<(usize, f64)> {
        let at = instant(self.integration.state(), &self.a);
        let mut distance = |k: usize| {
            let x = switches.value(k, self.system, &at, &mut self.scratch);
            let Some((low, high)) = switches.levels(k).around(x) else { return 0.0 };
            (x - low).min(high - x) / switches.size(k, self.system, &at, &mut self.scratch)
        };
        (0..switches.len()).map(|k| (k, distance(k))).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The step that is to end near a kink, if one is aimed at.
    pub(super) fn aimed_step(&self) -> Option<f64> {
        let aim = self.kinks.as_ref()?.aim?;
        Some(aim - self.integration.state().t)
    }

    /// Looks for kinks in a step that was tried up to `end` at most.
    pub(super) fn turn(
        &mut self,
        h: f64,
        attempt: &Result<Attempt, StepFailure>,
        end: f64,
    ) -> Result<Turn, StepFailure> {
        let Some(mut watch) = self.kinks.take() else { return Ok(Turn::Go) };
        let turn = match attempt {
            Ok(_) => self.turn_solved(h, end, &mut watch),
            Err(_) => self.turn_unsolved(h, &mut watch),
        };
        if turn == Ok(Turn::Go) {
            watch.aim = None;
        }
        self.kinks = Some(watch);
        turn
    }

    fn turn_solved(&mut self, h: f64, end: f64, watch: &mut KinkWatch) -> Result<Turn, StepFailure> {
        let start = self.integration.state().t;
        let now = start + h;
        watch.ahead = self.integration.looks_ahead();
        if !watch.ahead {
            return Ok(Turn::Go);
        }
        if watch.aim.is_none() && self.goes_calmly((start, now), Look::Ahead, watch)? {
            return Ok(Turn::Go);
        }
        if let Some(found) = self.first_passing((start, now), Look::Ahead, watch)? {
            // A jump may deceive about where it is: with the tries the way becomes shorter.
            let way = (found.time - start) * (1.0 - SHORT) * if watch.tries < 3 { 1.0 } else { 0.8 };
            watch.tries += 1;
            if watch.tries > MAX_TRIES || start + way <= start {
                return Ok(Turn::Land(found));
            }
            watch.aim = Some(start + way);
            return Ok(Turn::Again);
        }
        if watch.aim.is_none() {
            return Ok(Turn::Go);
        }
        let (known, at_start) = (watch.trial.clone(), std::mem::take(&mut watch.at_start));
        let values = watch.values.clone();
        let found = self.first_passing_from(&known, (now, now + REACH.1 * h), Look::Ahead, watch)?;
        (watch.trial, watch.at_start, watch.values) = (known, at_start, values);
        let Some(found) = found.filter(|found| found.time <= end) else { return Ok(Turn::Go) };
        let algebraic = watch.switches.is_algebraic(found.switch, self.system);
        let (gap, reach) = (found.time - now, if algebraic { NEARER.1 * watch.tolerance } else { REACH.0 });
        if gap <= reach * h || (watch.tries >= MAX_TRIES && !algebraic) {
            return Ok(Turn::Land(found));
        }
        if watch.tries >= MAX_TRIES {
            // From here the rest of the way is short enough to see better.
            return Ok(Turn::Go);
        }
        watch.tries += 1;
        watch.clean = watch.aim;
        let short = if gap <= REACH.0 * h { NEARER.0 * gap } else { SHORT * (found.time - start) };
        watch.aim = Some(found.time - short);
        Ok(Turn::Again)
    }

    /// Where Newton's iteration has failed there may be a kink in the step: tries the step that would end
    /// there, once.
    fn turn_unsolved(&mut self, h: f64, watch: &mut KinkWatch) -> Result<Turn, StepFailure> {
        let start = self.integration.state().t;
        if let Some(clean) = watch.clean.take() {
            // Too near: then from where it could be done.
            (watch.aim, watch.tries) = (Some(clean), MAX_TRIES);
            return Ok(Turn::Again);
        }
        if std::mem::replace(&mut watch.guessed, true) || watch.aim.is_some() {
            return Ok(Turn::Go);
        }
        let found = self.first_passing((start, start + h), Look::CarriedOn, watch)?;
        let way = found.map_or(0.0, |found| (found.time - start) * (1.0 - SHORT));
        if way <= AT_START * h {
            return Ok(Turn::Go);
        }
        self.log.counters.unsolved += 1;
        watch.aim = Some(start + way);
        watch.tries += 1;
        Ok(Turn::Again)
    }

    /// The passing inside a step that has been taken by a method that shows nothing before.
    pub(super) fn passing_inside(&mut self) -> Result<Option<Passing>, StepFailure> {
        let Some(mut watch) = self.kinks.take_if(|watch| !watch.ahead) else { return Ok(None) };
        let (start, now) = (self.before.t, self.integration.state().t);
        let found = match self.goes_calmly((start, now), Look::Inside, &mut watch) {
            Ok(true) => Ok(None),
            Ok(false) => self.first_passing((start, now), Look::Inside, &mut watch),
            Err(failure) => Err(failure),
        };
        self.kinks = Some(watch);
        found
    }

    /// A step was not good enough, whatever it aimed at.
    pub(super) fn forget_aim(&mut self) {
        if let Some(watch) = &mut self.kinks {
            (watch.aim, watch.tries, watch.clean) = (None, 0, None);
        }
    }

    /// A step has been taken.
    pub(super) fn kinks_passed(&mut self) {
        let Some(watch) = &mut self.kinks else { return };
        std::mem::swap(&mut watch.cells, &mut watch.trial);
        std::mem::swap(&mut watch.before, &mut watch.values);
        (watch.aim, watch.tries, watch.clean, watch.guessed) = (None, 0, None, false);
        let span = self.study.end - self.log.start;
        watch.at_start.drain(..).for_each(|passing| self.log.kinks.note(&passing, span));
    }

    /// The integrator is to start anew behind a kink.
    pub(super) fn note_kink(&mut self, found: &Passing) {
        let Log { kinks, start, .. } = &mut *self.log;
        kinks.note(found, self.study.end - *start);
        kinks.crossed = Some((found.switch, found.cell));
    }

    /// Whether no switch comes near one of its levels in a step, as far as its middle and its end tell.
    fn goes_calmly(
        &mut self,
        (start, end): (f64, f64),
        look: Look,
        watch: &mut KinkWatch,
    ) -> Result<bool, StepFailure> {
        self.see(0.5 * (start + end), look, watch)?;
        let at = instant(&self.inside, &self.a);
        watch.switches.values(self.system, &at, &mut watch.middle, &mut self.scratch);
        self.see(end, look, watch)?;
        let at = instant(&self.inside, &self.a);
        watch.switches.values(self.system, &at, &mut watch.values, &mut self.scratch);
        watch.trial.copy_from_slice(&watch.cells);
        watch.at_start.clear();
        Ok(watch.is_calm())
    }

    fn first_passing(
        &mut self,
        span: (f64, f64),
        look: Look,
        watch: &mut KinkWatch,
    ) -> Result<Option<Passing>, StepFailure> {
        let cells = std::mem::take(&mut watch.cells);
        let found = self.first_passing_from(&cells, span, look, watch);
        watch.cells = cells;
        found
    }

    /// The first passing of a level in a span of time, by a switch that matters.
    fn first_passing_from(
        &mut self,
        cells: &[Cell],
        (start, end): (f64, f64),
        look: Look,
        watch: &mut KinkWatch,
    ) -> Result<Option<Passing>, StepFailure> {
        watch.trial.copy_from_slice(cells);
        watch.at_start.clear();
        let mut from = start;
        for k in 1..=LOOKS {
            let to = if k == LOOKS { end } else { start + (end - start) * k as f64 / LOOKS as f64 };
            self.see(to, look, watch)?;
            let at = instant(&self.inside, &self.a);
            watch.switches.values(self.system, &at, &mut watch.values, &mut self.scratch);
            self.step_outside(watch);
            let mut found = std::mem::take(&mut watch.outside);
            while let Some(passing) = self.take_first(&mut found, (from, to), look, watch)? {
                let at_start = look == Look::Ahead && passing.time - start <= AT_START * (end - start);
                if self.passing_matters(&passing, look, watch)? {
                    if !at_start {
                        found.clear();
                        watch.outside = found;
                        return Ok(Some(passing));
                    }
                    watch.at_start.push(passing);
                }
                watch.trial[passing.switch] = watch
                    .switches
                    .levels(passing.switch)
                    .around(watch.values[passing.switch])
                    .unwrap_or(passing.cell);
            }
            watch.outside = found;
            from = to;
        }
        Ok(None)
    }

    /// Takes the first of the passings between two times out of the list. Where a switch is not behind its
    /// level yet when another one passes it comes later, whenever that is.
    fn take_first(
        &mut self,
        outside: &mut Vec<Outside>,
        (from, to): (f64, f64),
        look: Look,
        watch: &KinkWatch,
    ) -> Result<Option<Passing>, StepFailure> {
        let mut first: Option<(usize, f64)> = None;
        for (i, own) in outside.iter_mut().enumerate() {
            let time = match (own.time, first) {
                (Some(time), _) => time,
                (None, None) => {
                    let at_end = watch.values[own.switch] - own.level;
                    self.locate(own, (from, to), at_end, look, watch)?
                }
                (None, Some((_, end))) => {
                    let at_end = self.distance(own, end, look, watch)?;
                    if at_end == 0.0 || (at_end > 0.0) != (watch.values[own.switch] > own.level) {
                        continue;
                    }
                    self.locate(own, (from, end), at_end, look, watch)?
                }
            };
            own.time = Some(time);
            if first.is_none_or(|(_, earliest)| time < earliest) {
                first = Some((i, time));
            }
        }
        let Some((i, time)) = first else { return Ok(None) };
        let Outside { switch, level, .. } = outside.remove(i);
        let levels = watch.switches.levels(switch);
        let up = watch.values[switch] > level;
        let cell = if up { (level, levels.above(level)) } else { (levels.below(level), level) };
        Ok(Some(Passing { time, switch, cell }))
    }

    /// The levels between which a switch stands at `inside`, if it is not so near to one of them that this is
    /// noise.
    fn cell(&mut self, k: usize, x: f64, switches: &Switches, tolerance: f64) -> Cell {
        let at = instant(&self.inside, &self.a);
        let size = switches.size(k, self.system, &at, &mut self.scratch);
        cell_of(x, switches.levels(k).around(x), NOISE * tolerance * size)
    }

    /// The switches that stand outside of their levels by more than noise, with the level that they have
    /// passed.
    fn step_outside(&mut self, watch: &mut KinkWatch) {
        for k in 0..watch.values.len() {
            let (x, (low, high)) = (watch.values[k], watch.trial[k]);
            if low.is_nan() {
                watch.trial[k] = self.cell(k, x, &watch.switches, watch.tolerance);
                continue;
            }
            let level = if x > high {
                high
            } else if x < low {
                low
            } else {
                continue;
            };
            if self.log.kinks.sliding[k].is_finite() {
                continue;
            }
            let at = instant(&self.inside, &self.a);
            let size = watch.switches.size(k, self.system, &at, &mut self.scratch);
            if (x - level).abs() > NOISE * watch.tolerance * size {
                watch.outside.push(Outside { switch: k, level, time: None });
            }
        }
    }

    /// Whether the law is another one behind the passing.
    fn passing_matters(
        &mut self,
        passing: &Passing,
        look: Look,
        watch: &KinkWatch,
    ) -> Result<bool, StepFailure> {
        self.see(passing.time, look, watch)?;
        let at = instant(&self.inside, &self.a);
        Ok(watch.switches.matters(passing.switch, self.system, &at, &mut self.scratch))
    }

    /// The state at a time on a polynomial into `inside`.
    fn see(&mut self, t: f64, look: Look, watch: &KinkWatch) -> Result<(), StepFailure> {
        match look {
            Look::Ahead => {
                self.integration.look_ahead(t, &mut self.inside);
            }
            Look::Inside => self.see_inside(t)?,
            Look::CarriedOn => {
                let stepped = self.integration.counters().steps > 0;
                if !(stepped && self.integration.interpolate(t, &mut self.inside)) {
                    let state = self.integration.state();
                    self.inside.clone_from(state);
                    let (rates, way) = (self.integration.rates(), t - state.t);
                    watch.variables.iter().for_each(|&k| self.inside.v[k] += way * rates[k]);
                    self.inside.t = t;
                }
            }
        }
        Ok(())
    }

    /// How far a switch is above its level at a time.
    fn distance(&mut self, own: &Outside, t: f64, look: Look, watch: &KinkWatch) -> Result<f64, StepFailure> {
        self.see(t, look, watch)?;
        let at = instant(&self.inside, &self.a);
        Ok(watch.switches.value(own.switch, self.system, &at, &mut self.scratch) - own.level)
    }

    /// The first time in a small interval at which a switch is behind a level, where it is at the end:
    /// inverse quadratic interpolation, with bisection where that is not safe (T. R. Chandrupatla, "A new
    /// hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function", 1997).
    fn locate(
        &mut self,
        own: &Outside,
        (low, high): (f64, f64),
        at_high: f64,
        look: Look,
        watch: &KinkWatch,
    ) -> Result<f64, StepFailure> {
        let at_low = self.distance(own, low, look, watch)?;
        let is_behind = |x: f64| x != 0.0 && (x > 0.0) == (at_high > 0.0);
        if !at_low.is_finite() || is_behind(at_low) {
            return Ok(low);
        }
        let exactness = EXACTNESS * (high - low) + 2.0 * f64::EPSILON * high.abs();
        // The passing is between the newest time and the one on the other side; the third is the one before.
        let (mut newest, mut other) = ((high, at_high), (low, at_low));
        let mut part = at_high / (at_high - at_low);
        for _ in 0..MAX_ITERATIONS {
            let width = other.0 - newest.0;
            let least = 0.5 * exactness / width.abs();
            if least >= 0.5 || least.is_nan() {
                break;
            }
            let t = newest.0 + part.clamp(least, 1.0 - least) * width;
            if t == newest.0 || t == other.0 {
                break;
            }
            let x = self.distance(own, t, look, watch)?;
            let before = if is_behind(x) == is_behind(newest.1) {
                newest
            } else {
                std::mem::replace(&mut other, newest)
            };
            newest = (t, x);
            part = part_of_the_way(newest, other, before);
        }
        Ok(if is_behind(newest.1) { newest.0 } else { other.0 })
    }
}

/// The part of the way from a to b at which a function is zero that has opposite signs there, by a third
/// point c.
fn part_of_the_way(a: (f64, f64), b: (f64, f64), c: (f64, f64)) -> f64 {
    let xi = (a.0 - b.0) / (c.0 - b.0);
    let phi = (a.1 - b.1) / (c.1 - b.1);
    if phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi {
        let quadratic = a.1 / (b.1 - a.1) * c.1 / (b.1 - c.1);
        quadratic + (c.0 - a.0) / (b.0 - a.0) * a.1 / (c.1 - a.1) * b.1 / (c.1 - b.1)
    } else {
        0.5
    }
}
