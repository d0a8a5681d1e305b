//! From step to step along a curve: how long they are, where they end, what they have passed.

use crate::continuation::corrector::at_distance;
use crate::continuation::curve::{Curve, Miss, OnCurve, Passed, Place, Step};
use crate::continuation::root::root;
use crate::halt::Halt;

/// Corrections that a step should take.
const WANTED_CORRECTIONS: f64 = 4.0;
/// What is left of a step that failed. Steps of equal parts would come to the same place again, and that may
/// be a singular one.
const SHORTER: f64 = 0.4;
/// Largest sum of the corrections, relative to the step: more has jumped to another curve.
const LARGEST_CORRECTION: f64 = 0.75;
/// Accuracy with which watched values are met, relative to the step.
const MET: f64 = 1e-13;

/// Lengths of steps, and where they end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pace {
    /// The curve ends where the parameter leaves this range.
    pub range: [f64; 2],
    /// First step.
    pub step: f64,
    /// Step below which the curve is given up.
    pub shortest: f64,
    /// Longest step.
    pub longest: f64,
    /// Largest turn of the tangent in a step (rad).
    pub turn: f64,
    /// Points at most.
    pub points: usize,
}

/// What ends a step before its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Stop {
    /// The parameter leaves its range.
    Parameter,
    /// A watched function of this index, which ends the curve, is zero.
    Watched(usize),
}

/// Where a curve ends.
#[derive(Clone, Debug)]
pub(crate) enum Ending {
    Stop(Stop),
    /// All points have been taken.
    Points,
    /// Stopped on request.
    Interrupted,
    /// Not even the shortest step succeeds: the last parameter and arc length.
    Failed(f64, f64, Miss),
    /// The observer does not go on from a point.
    Halted(Halt),
}

/// Watches a curve.
pub(crate) trait CurveObserver<C: Curve> {
    /// A point; false asks to stop, a halt ends the curve.
    fn point(&mut self, curve: &mut C, branch: usize, point: &C::Point) -> Result<bool, Halt>;

    /// Functions of a point whose zeros are to be met, always as many.
    fn watched(&mut self, curve: &mut C, branch: usize, point: &C::Point) -> Result<Vec<f64>, Miss>;

    /// Whether the curve ends where the function of this index is zero.
    fn ends(&self, index: usize) -> bool;

    /// The function of this index is zero here.
    fn met(&mut self, curve: &mut C, branch: usize, index: usize, point: &C::Point) -> Result<(), Miss>;

    /// A singular point has been met.
    fn found(&mut self, curve: &mut C, found: C::Found);

    /// After a step: the place to go on from, which is this one or the same in other unknowns.
    fn prepared(
        &mut self,
        _curve: &mut C,
        place: Place<C::Point, C::Way>,
    ) -> Result<Place<C::Point, C::Way>, Miss> {
        Ok(place)
    }
}

/// Follows a curve.
pub(crate) struct Tracer<'a, C: Curve> {
    pub curve: &'a mut C,
    pub pace: Pace,
    pub observer: &'a mut dyn CurveObserver<C>,
    /// Steps that were tried again with a shorter one.
    pub rejected: usize,
}

/// Where a watched function is zero inside a step.
struct Zero<P> {
    /// Number of the function.
    index: usize,
    /// Arc length from the start of the step.
    arc: f64,
    point: P,
}

type PlaceOf<C> = Place<<C as Curve>::Point, <C as Curve>::Way>;

/// A step that was taken.
struct Taken<C: Curve> {
    place: PlaceOf<C>,
    stop: Option<Stop>,
    found: Vec<C::Found>,
    /// Turn of the tangent (rad).
    turn: f64,
    corrections: usize,
}

impl<C: Curve> Tracer<'_, C> {
    /// Follows a curve from its last known place, to which those before it lead; gives its points.
    pub fn trace(&mut self, branch: usize, known: Vec<PlaceOf<C>>) -> (Vec<C::Point>, Ending) {
        let mut points: Vec<C::Point> = known.iter().map(|place| place.point.clone()).collect();
        let mut ending = None;
        for point in &points {
            ending = ending.or(self.tell(branch, point));
        }
        // A curve has at least its first place.
        let Some(mut at) = known.into_iter().next_back() else { return (points, Ending::Points) };
        let mut h = self.pace.step;
        let ending = loop {
            if let Some(ending) = ending {
                break ending;
            }
            if points.len() >= self.pace.points {
                break Ending::Points;
            }
            match self.advance(branch, &at, &mut h) {
                Ok(taken) => {
                    points.push(taken.place.point.clone());
                    ending = self.tell(branch, &taken.place.point).or(taken.stop.map(Ending::Stop));
                    for found in taken.found {
                        self.observer.found(self.curve, found);
                    }
                    match self.observer.prepared(self.curve, taken.place) {
                        Ok(place) => at = place,
                        Err(miss) => {
                            let last = &points[points.len() - 1];
                            break Ending::Failed(last.parameter(), last.arc(), miss);
                        }
                    }
                }
                Err(miss) => break Ending::Failed(at.point.parameter(), at.point.arc(), miss),
            }
        };
        (points, ending)
    }

    fn tell(&mut self, branch: usize, point: &C::Point) -> Option<Ending> {
        match self.observer.point(self.curve, branch, point) {
            Ok(true) => None,
            Ok(false) => Some(Ending::Interrupted),
            Err(halt) => Some(Ending::Halted(halt)),
        }
    }

    /// One step, as long as it succeeds; `h` becomes the next one to try.
    fn advance(&mut self, branch: usize, from: &PlaceOf<C>, h: &mut f64) -> Result<Taken<C>, Miss> {
        let pace = self.pace;
        let mut trial = h.clamp(pace.shortest, pace.longest);
        loop {
            let tried = self.try_step(branch, from, trial);
            let shorter = SHORTER * trial;
            match tried {
                Ok(Some(taken)) => {
                    let corrections = taken.corrections.max(1) as f64;
                    let by_corrections = (WANTED_CORRECTIONS / corrections).sqrt();
                    let by_turn = 0.5 * pace.turn / taken.turn.max(1e-12);
                    *h = trial * by_corrections.min(by_turn).clamp(0.5, 2.0);
                    return Ok(taken);
                }
                Err(miss) if shorter < pace.shortest => return Err(miss),
                Ok(None) if shorter < pace.shortest => {
                    return Err(Miss::Diverged("a path that turns too sharply".into()));
                }
                _ => {
                    self.rejected += 1;
                    trial = shorter;
                }
            }
        }
    }

    /// A step of a given length; none if it should be shorter.
    fn try_step(&mut self, branch: usize, from: &PlaceOf<C>, h: f64) -> Result<Option<Taken<C>>, Miss> {
        let (mut to, corrections) = at_distance(self.curve, from, h)?;
        let moved: f64 = corrections.iter().sum();
        let turn = self.curve.dot(&from.tangent, &to.tangent).clamp(-1.0, 1.0).acos();
        if moved > LARGEST_CORRECTION * h || turn > self.pace.turn {
            return Ok(None);
        }
        if !self.curve.confirm(&to.point)? {
            // Again, with members that are built.
            return self.try_step(branch, from, h);
        }
        let (stop, h) = match self.stop(branch, from, &to, h)? {
            Some((stop, h)) => {
                to = at_distance(self.curve, from, h)?.0;
                self.settle(stop, &mut to);
                (Some(stop), h)
            }
            None => (None, h),
        };
        self.curve.assess(&mut to.point)?;
        let step = Step { from, to: &to, h, branch };
        let found = match self.curve.passed(&step)? {
            Passed::Points(found) => found,
            Passed::Mixed if h > 1e3 * self.pace.shortest => return Ok(None),
            Passed::Mixed => vec![self.curve.turn_of(&step)?],
        };
        self.meet(branch, from, &to, h)?;
        Ok(Some(Taken { place: to, stop, found, turn, corrections: corrections.len() }))
    }

    /// The parameter at the end of its range is exactly that.
    fn settle(&self, stop: Stop, to: &mut PlaceOf<C>) {
        if stop == Stop::Parameter {
            let near = |bound: f64| (to.point.parameter() - bound).abs() <= 1e-9 * self.curve.scale();
            if let Some(bound) = self.pace.range.into_iter().find(|b| near(*b)) {
                to.point.set_parameter(bound);
            }
        }
    }

    /// Where the curve ends inside a step, if it does.
    fn stop(
        &mut self,
        branch: usize,
        from: &PlaceOf<C>,
        to: &PlaceOf<C>,
        h: f64,
    ) -> Result<Option<(Stop, f64)>, Miss> {
        let mut first: Option<(Stop, f64)> = None;
        let [low, high] = self.pace.range;
        let there = to.point.parameter();
        for (bound, beyond) in [(low, there < low), (high, there > high)] {
            if beyond {
                let scale = self.curve.scale();
                let gap = |p: &C::Point| (p.parameter() - bound) / scale;
                let ends = [(0.0, gap(&from.point)), (h, gap(&to.point))];
                let found = match ends[0].1 * ends[1].1 < 0.0 {
                    true => root(self.curve, from, ends, MET, &mut |_, at| Ok(gap(at)))?.0,
                    false => h,
                };
                first = Some((Stop::Parameter, found));
            }
        }
        for zero in self.zeros(branch, from, to, h, true)? {
            if first.as_ref().is_none_or(|(_, other)| zero.arc < *other) {
                first = Some((Stop::Watched(zero.index), zero.arc));
            }
        }
        Ok(first)
    }

    /// Zeros of watched functions inside a step, of those that end the curve or of the others.
    fn zeros(
        &mut self,
        branch: usize,
        from: &PlaceOf<C>,
        to: &PlaceOf<C>,
        h: f64,
        ending: bool,
    ) -> Result<Vec<Zero<C::Point>>, Miss> {
        let before = self.observer.watched(self.curve, branch, &from.point)?;
        let after = self.observer.watched(self.curve, branch, &to.point)?;
        let mut zeros = vec![];
        for (index, (&a, &b)) in before.iter().zip(&after).enumerate() {
            let passes = a * b < 0.0 || (b == 0.0 && a != 0.0);
            if !passes || self.observer.ends(index) != ending {
                continue;
            }
            let observer = &mut *self.observer;
            let mut value =
                |curve: &mut C, at: &mut C::Point| Ok(observer.watched(curve, branch, at)?[index]);
            let (arc, point) = match b == 0.0 {
                true => (h, to.point.clone()),
                false => root(self.curve, from, [(0.0, a), (h, b)], MET, &mut value)?,
            };
            zeros.push(Zero { index, arc, point });
        }
        Ok(zeros)
    }

    /// Tells of watched values that are met inside a step.
    fn meet(&mut self, branch: usize, from: &PlaceOf<C>, to: &PlaceOf<C>, h: f64) -> Result<(), Miss> {
        for Zero { index, point, .. } in self.zeros(branch, from, to, h, false)? {
            self.observer.met(self.curve, branch, index, &point)?;
        }
        Ok(())
    }
}
