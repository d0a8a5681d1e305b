//! How the equations of a time element change with what it is given: the state before it, and its length.
//!
//! The unknowns of the element stay: frames at the nodes of the path, coordinates at the nodes less those
//! before, variables and multipliers at the points of the constraints. With changes {δq_b ; δw_b} of the state
//! before, δw_b = Rᵀδṙ + w × δψ, and ∂jq/∂u_b of a frame that turns, at a place
//!
//! ```text
//! coordinates   δq = δq_b,   δw = 0,                                     δẇ = r̄′ δw_b/h
//! variables                                                              δẋ = r̄′ δx_b/h
//! frames        δu = 0,      δw = −Σ_g s_g r̄′(α_g) ∂jq/∂u_b u_b/h,
//!                            δẇ = (−Σ_g s′_g r̄′(α_g) ∂jq/∂u_b u_b/h + r̄′ δw_b)/h
//! ```
//! with s and s′ the values and slopes of w by those at the Gauss points, and with the length
//!
//! ```text
//! ∂w/∂h = −w/h,     ∂ẇ/∂h = −2 ẇ/h + r̄′ w_b/h²,     ∂ẋ/∂h = −ẋ/h,     ∂t/∂h = α
//! ```
//! The derivatives of the system at the place do the rest.

use crate::time_elements::course::PlaceValues;
use crate::time_elements::element::{TimeElement, row_weight};
use crate::time_elements::layout::{Equation, Unknown};
use crate::time_elements::scheme::{MOST, Place};
use crate::time_elements::tangent::level;
use poinsot_geometry::{Mat6, Vec3, Vec6, se3};
use poinsot_mechanics::{Frame, Instant, StepPolynomial};

/// Changes of what the system is evaluated at in its charts, or the adjoints of these.
#[derive(Clone, Debug)]
pub(super) struct PlaceChange {
    pub a: Vec<f64>,
    pub v: Vec<f64>,
    pub q: Vec<f64>,
}

impl PlaceChange {
    pub fn new(n: usize) -> Self {
        PlaceChange { a: vec![0.0; n], v: vec![0.0; n], q: vec![0.0; n] }
    }

    pub fn clear(&mut self) {
        self.a.fill(0.0);
        self.v.fill(0.0);
        self.q.fill(0.0);
    }
}

/// The state before an element changes, as its frames that turn see it: by how much jq and w_b do.
#[derive(Clone, Debug)]
pub(super) struct StartChange {
    pub jump: Vec<Vec6>,
    pub speed: Vec<Vec6>,
}

/// The derivatives of the system at the places of an element.
#[derive(Debug)]
pub(super) struct Slopes {
    /// At the Gauss points, then at those of the constraints.
    places: Vec<StepPolynomial>,
    /// Of every row.
    kinds: Vec<Equation>,
    /// ∂jq/∂u_b of the frames that turn.
    jumps: Vec<Mat6>,
    pub start: StartChange,
    change: PlaceChange,
    row: Vec<f64>,
    zero: Vec<f64>,
    pulling: Vec<f64>,
}

impl Slopes {
    pub fn new(element: &TimeElement) -> Self {
        let (system, layout) = (element.system, &element.layout);
        let (n, motions) = (system.size(), layout.motions.len());
        let count = if layout.has_joints { 2 } else { 1 } * element.scheme.stages();
        let mut kinds = vec![Equation::Idle; n];
        for group in &layout.groups {
            kinds[group.unknowns.clone()].fill(group.equation);
        }
        let none = vec![Vec6::zeros(); motions];
        Slopes {
            places: vec![StepPolynomial::new(system); count],
            kinds,
            jumps: vec![Mat6::zeros(); motions],
            start: StartChange { jump: none.clone(), speed: none },
            change: PlaceChange::new(n),
            row: vec![0.0; n],
            zero: vec![0.0; n],
            pulling: vec![0.0; n],
        }
    }

    /// The power of the polynomial with which accelerations stand in a row, none if the row is not taken at
    /// the place.
    fn power(&self, row: usize, joint: bool) -> Option<usize> {
        let kind = self.kinds[row];
        let taken = kind != Equation::Idle && (joint || kind == Equation::Balance);
        taken.then(|| level(kind))
    }

    /// The derivatives at the unknowns that an element has now; its operators are made anew.
    pub fn take(&mut self, element: &mut TimeElement, room: &mut [f64]) {
        element.residual(room);
        let s = element.scheme.stages();
        for motion in 0..element.layout.motions.len() {
            element.take_operators(motion);
            self.jumps[motion] = element.course.path(&element.layout, motion).jump_tangents()[1];
        }
        for (p, out) in self.places.iter_mut().enumerate() {
            element.take_polynomials(p);
            let [own, free] = &element.polynomials;
            for (out, (own, free)) in out.powers.iter_mut().zip(own.powers.iter().zip(&free.powers)) {
                out.copy_from_slice(own);
                // What does not follow multipliers is taken at the Gauss points.
                for c in (0..self.kinds.len()).filter(|_| p >= s) {
                    let pattern = element.system.pattern();
                    for (&r, slot) in pattern.rows(c).iter().zip(pattern.slots(c)) {
                        if self.kinds[r] == Equation::Balance {
                            out[slot] -= free[slot];
                        }
                    }
                }
            }
        }
    }

    /// `row` := ∂R_p/∂(a, v, q) `change`.
    fn push(&mut self, element: &TimeElement, p: usize) {
        let (pattern, joint) = (element.system.pattern(), p >= element.scheme.stages());
        let powers = &self.places[p].powers;
        self.row.fill(0.0);
        for c in 0..pattern.n() {
            let x = [self.change.a[c], self.change.v[c], self.change.q[c]];
            if x == [0.0; 3] {
                continue;
            }
            for (&r, slot) in pattern.rows(c).iter().zip(pattern.slots(c)) {
                let Some(first) = self.power(r, joint) else { continue };
                self.row[r] += powers.iter().zip(&x[first..]).map(|(power, x)| power[slot] * x).sum::<f64>();
            }
        }
    }

    /// `change` := ∂R_p/∂(a, v, q)ᵀ `row`.
    fn pull(&mut self, element: &TimeElement, p: usize) {
        let (pattern, joint) = (element.system.pattern(), p >= element.scheme.stages());
        for c in 0..pattern.n() {
            let mut x = [0.0; 3];
            for (&r, slot) in pattern.rows(c).iter().zip(pattern.slots(c)) {
                let Some(first) = self.power(r, joint) else { continue };
                let powers = &self.places[p].powers;
                let row = self.row[r];
                x[first..].iter_mut().zip(powers).for_each(|(x, power)| *x += power[slot] * row);
            }
            [self.change.a[c], self.change.v[c], self.change.q[c]] = x;
        }
    }

    /// Forces on frames that turn from world axes into theirs, or back.
    fn turn(&mut self, element: &TimeElement, p: usize, into: bool) {
        for &id in &element.layout.motions {
            let first = element.system.nodes()[id].unknowns().start;
            let (rot, row) = (&element.places[p].frames[id].rot, &mut self.row[first..first + 3]);
            let force = Vec3::from_column_slice(row);
            let turned = if into { rot.tr_mul(&force) } else { rot * force };
            row.copy_from_slice(turned.as_slice());
        }
    }

    /// `out` += what the combined equations change by, if the system at place p changes by `row`.
    fn combine(&self, element: &TimeElement, p: usize, out: &mut [f64]) {
        let (s, h) = (element.scheme.stages(), element.course.h);
        for (e, (&kind, &x)) in self.kinds.iter().zip(&self.row).enumerate().filter(|(_, (_, x))| **x != 0.0)
        {
            for i in 0..s {
                out[s * e + i] += row_weight(&element.scheme, kind, [i, p], h) * x;
            }
        }
    }

    /// ∂E/∂(state before) x into `out`.
    pub fn by_start(&mut self, element: &TimeElement, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.see_start(element, x);
        for p in 0..self.places.len() {
            let (place, values) = (place_of(element, p), &element.places[p]);
            let (start, change) = (&self.start, &mut self.change);
            change_at(element, place, values, &values.frames, (x, start), change);
            self.push(element, p);
            self.turn(element, p, true);
            self.combine(element, p, out);
        }
    }

    /// x += (∂E/∂(state before))ᵀ y.
    pub fn by_start_transposed(&mut self, element: &TimeElement, y: &[f64], x: &mut [f64]) {
        let (s, h) = (element.scheme.stages(), element.course.h);
        self.start.clear();
        for p in 0..self.places.len() {
            for (e, (row, &kind)) in self.row.iter_mut().zip(&self.kinds).enumerate() {
                *row = (0..s).map(|i| row_weight(&element.scheme, kind, [i, p], h) * y[s * e + i]).sum();
            }
            self.turn(element, p, false);
            self.pull(element, p);
            let (place, values) = (place_of(element, p), &element.places[p]);
            adjoint_at(element, place, values, &values.frames, &self.change, (x, &mut self.start));
        }
        self.unsee_start(element, x);
    }

    /// ∂E/∂h into `out`, but for what applied forces and equations of networks with rates follow time by
    /// themselves.
    pub fn by_length(&mut self, element: &mut TimeElement, out: &mut [f64]) {
        out.fill(0.0);
        let s = element.scheme.stages();
        for p in 0..self.places.len() {
            let (place, values) = (*place_of(element, p), &element.places[p]);
            length_change_at(element, &place, values, &values.frames, &mut self.change);
            self.push(element, p);
            if p >= s {
                self.follow_time(element, p, place.alpha);
            }
            self.turn(element, p, true);
            self.combine(element, p, out);
        }
    }

    /// `row` += rate · ∂R_p/∂t of the constraints and of equations without rates. ∂Φ/∂t is the rate at rest,
    /// ∂(Gᵀλ)/∂t = (∂²Φ/∂q∂t)ᵀλ its derivative by positions there; ∂Φ̇/∂t is Φ̈ without accelerations, less
    /// what the velocities do.
    fn follow_time(&mut self, element: &mut TimeElement, p: usize, rate: f64) {
        let Slopes { zero, pulling, row, kinds, places, .. } = self;
        let (system, values) = (element.system, &element.places[p]);
        let at = values.instant(&element.course.start.memory, true);
        let rest = Instant { v: zero, a: zero, ..at };
        let [levels, rates] = &mut element.other;
        let scratch = &mut element.scratch;
        levels.fill(0.0);
        rates.fill(0.0);
        system.constraint_rate(&rest, levels, scratch);
        system.constraint_acceleration(&Instant { a: zero, ..at }, rates, scratch);
        let pattern = system.pattern();
        for c in system.nodes().iter().flat_map(|node| node.unknowns()) {
            for (&r, slot) in pattern.rows(c).iter().zip(pattern.slots(c)) {
                rates[r] -= places[p].powers[1][slot] * at.v[c];
            }
        }
        for (r, kind) in kinds.iter().enumerate() {
            row[r] += match kind {
                Equation::Level => rate * levels[r],
                Equation::Velocity | Equation::Algebraic => rate * rates[r],
                Equation::Balance | Equation::Rate | Equation::Idle => 0.0,
            };
        }
        pulling.copy_from_slice(at.a);
        pulling.iter_mut().zip(kinds.iter()).for_each(|(x, kind)| {
            if *kind != Equation::Level {
                *x = 0.0;
            }
        });
        system.add_rate_pull(&rest, pulling, rate, row, scratch);
    }

    /// What the frames that turn see of a change of the state before.
    pub fn see_start(&mut self, element: &TimeElement, x: &[f64]) {
        let (n, course) = (element.system.size(), &element.course);
        for (motion, &id) in element.layout.motions.iter().enumerate() {
            let first = element.system.nodes()[id].unknowns().start;
            let rot = &course.start.frames[id].rot;
            let [r, turn] = [0, 3].map(|k| Vec3::from_column_slice(&x[first + k..first + k + 3]));
            let [v, spin] = [0, 3].map(|k| Vec3::from_column_slice(&x[n + first + k..n + first + k + 3]));
            let w = Vec3::from_column_slice(&course.start_w[first..first + 3]);
            self.start.jump[motion] = self.jumps[motion] * se3::join(&rot.tr_mul(&r), &turn);
            self.start.speed[motion] = se3::join(&(rot.tr_mul(&v) + w.cross(&turn)), &spin);
        }
    }

    /// x += the adjoint of [`Slopes::see_start`].
    pub fn unsee_start(&self, element: &TimeElement, x: &mut [f64]) {
        let (n, course) = (element.system.size(), &element.course);
        for (motion, &id) in element.layout.motions.iter().enumerate() {
            let first = element.system.nodes()[id].unknowns().start;
            let rot = &course.start.frames[id].rot;
            let w = Vec3::from_column_slice(&course.start_w[first..first + 3]);
            let (r, turn) = se3::split(&(self.jumps[motion].transpose() * self.start.jump[motion]));
            let (v, spin) = se3::split(&self.start.speed[motion]);
            let parts = [rot * r, turn - w.cross(&v), rot * v, spin];
            for (to, part) in [first, first + 3, n + first, n + first + 3].into_iter().zip(parts) {
                x[to..to + 3].iter_mut().zip(part.iter()).for_each(|(x, part)| *x += part);
            }
        }
    }
}

impl StartChange {
    pub fn clear(&mut self) {
        self.jump.fill(Vec6::zeros());
        self.speed.fill(Vec6::zeros());
    }
}

fn place_of<'e>(element: &'e TimeElement, p: usize) -> &'e Place {
    let s = element.scheme.stages();
    if p < s { &element.scheme.balance[p] } else { &element.scheme.joints[p - s] }
}

/// Shares of ∂jq in w and ẇ at a place.
fn of_jump(element: &TimeElement, place: &Place) -> [f64; 2] {
    let h = element.course.h;
    let sum = |weights: &[f64; MOST]| -> f64 {
        element.scheme.balance.iter().zip(weights).map(|(at, weight)| at.correction_rate * weight).sum()
    };
    [-sum(&place.stage) / h, -sum(&place.rate) / (h * h)]
}

/// Changes of w and ẇ of a frame that turns, into its chart.
fn into_chart(
    (motion, first): (usize, usize),
    [w, rate]: [Vec6; 2],
    values: &PlaceValues,
    frame: &Frame,
    out: &mut PlaceChange,
) {
    let (own, omega) = se3::split(&values.w[motion]);
    let ((linear, angular), (rate, spin)) = (se3::split(&w), se3::split(&rate));
    let pull = rate + angular.cross(&own) + omega.cross(&linear);
    let set = |to: &mut [f64], x: Vec3| to.copy_from_slice(x.as_slice());
    set(&mut out.v[first..first + 3], frame.rot * linear);
    set(&mut out.v[first + 3..first + 6], angular);
    set(&mut out.a[first..first + 3], frame.rot * pull);
    set(&mut out.a[first + 3..first + 6], spin);
}

/// What a place sees of a change of the state before.
pub(super) fn change_at(
    element: &TimeElement,
    place: &Place,
    values: &PlaceValues,
    frames: &[Frame],
    (x, start): (&[f64], &StartChange),
    out: &mut PlaceChange,
) {
    let (n, share) = (element.system.size(), place.correction_rate / element.course.h);
    let [of_velocity, of_rate] = of_jump(element, place);
    out.clear();
    for group in &element.layout.groups {
        match group.unknown {
            Unknown::Coordinate => group.unknowns.clone().for_each(|e| {
                (out.a[e], out.q[e]) = (share * x[n + e], x[e]);
            }),
            Unknown::Variable => group.unknowns.clone().for_each(|e| out.a[e] = share * x[n + e]),
            Unknown::Motion => {
                let (jump, speed) = (start.jump[group.motion], start.speed[group.motion]);
                let changes = [jump * of_velocity, jump * of_rate + speed * share];
                let frame = &frames[element.layout.motions[group.motion]];
                into_chart((group.motion, group.unknowns.start), changes, values, frame, out);
            }
            Unknown::Multiplier => {}
        }
    }
}

/// The adjoint of [`change_at`].
pub(super) fn adjoint_at(
    element: &TimeElement,
    place: &Place,
    values: &PlaceValues,
    frames: &[Frame],
    change: &PlaceChange,
    (x, start): (&mut [f64], &mut StartChange),
) {
    let (n, share) = (element.system.size(), place.correction_rate / element.course.h);
    let [of_velocity, of_rate] = of_jump(element, place);
    for group in &element.layout.groups {
        match group.unknown {
            Unknown::Coordinate => group.unknowns.clone().for_each(|e| {
                x[n + e] += share * change.a[e];
                x[e] += change.q[e];
            }),
            Unknown::Variable => group.unknowns.clone().for_each(|e| x[n + e] += share * change.a[e]),
            Unknown::Motion => {
                let first = group.unknowns.start;
                let rot = &frames[element.layout.motions[group.motion]].rot;
                let take = |from: &[f64], k: usize| Vec3::from_column_slice(&from[first + k..first + k + 3]);
                let (own, omega) = se3::split(&values.w[group.motion]);
                let pull = rot.tr_mul(&take(&change.a, 0));
                let linear = rot.tr_mul(&take(&change.v, 0)) - omega.cross(&pull);
                let angular = take(&change.v, 3) + own.cross(&pull);
                let (w, rate) = (se3::join(&linear, &angular), se3::join(&pull, &take(&change.a, 3)));
                start.jump[group.motion] += w * of_velocity + rate * of_rate;
                start.speed[group.motion] += rate * share;
            }
            Unknown::Multiplier => {}
        }
    }
}

/// What a place sees of a change of the length.
pub(super) fn length_change_at(
    element: &TimeElement,
    place: &Place,
    values: &PlaceValues,
    frames: &[Frame],
    out: &mut PlaceChange,
) {
    let h = element.course.h;
    let before = |e: usize| place.correction_rate * element.course.start_w[e] / (h * h);
    out.clear();
    for group in &element.layout.groups {
        match group.unknown {
            Unknown::Coordinate => group.unknowns.clone().for_each(|e| {
                out.v[e] = -values.v[e] / h;
                out.a[e] = before(e) - 2.0 * values.free[e] / h;
            }),
            Unknown::Variable => group.unknowns.clone().for_each(|e| out.a[e] = -values.free[e] / h),
            Unknown::Motion => {
                let first = group.unknowns.start;
                let (own, omega) = se3::split(&values.w[group.motion]);
                let linear = values.c[group.motion] - omega.cross(&own);
                let angular = Vec3::from_column_slice(&values.free[first + 3..first + 6]);
                let rate = Vec6::from_fn(|m, _| before(first + m)) - se3::join(&linear, &angular) * (2.0 / h);
                let changes = [values.w[group.motion] / -h, rate];
                let frame = &frames[element.layout.motions[group.motion]];
                into_chart((group.motion, first), changes, values, frame, out);
            }
            Unknown::Multiplier => {}
        }
    }
}
