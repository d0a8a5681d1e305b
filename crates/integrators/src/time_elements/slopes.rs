//! How the equations of a time element change with what it is given: the state before it, and its length.
//!
//! The unknowns of the element stay: frames at the nodes of the path, coordinates at the nodes less those
//! before, variables and multipliers at the points of the constraints. With changes {δq_b ; δw_b} of the
//! state before, δw_b = Rᵀδṙ + w × δψ, the share b and b′ of w_b in w and in h ẇ, and what the path of a
//! frame that turns does with u_b (of a discontinuous one h ∂w_g/∂u_b = −r̄′(α_g) ∂jq/∂u_b alone), at a
//! place
//!
//! ```text
//! coordinates   δq = δq_b,          δw = b δw_b,                               δẇ = b′ δw_b/h
//! variables                         δx = b δx_b,                               δẋ = b′ δx_b/h
//! frames        δu = ∂u/∂u_b u_b,   δw = Σ_g s_g ∂w_g/∂u_b u_b + b δw_b,
//!                                   δẇ = (Σ_g s′_g ∂w_g/∂u_b u_b + b′ δw_b)/h
//! ```
//! with s and s′ the values and slopes of w by those at the points of the balance, and with the length
//!
//! ```text
//! ∂w/∂h = −(w − b w_b)/h,     ∂ẇ/∂h = −2 ẇ/h + b′ w_b/h²,     ∂ẋ/∂h = −ẋ/h,     ∂t/∂h = α
//! ```
//! The derivatives of the system at the place do the rest.

use crate::time_elements::course::{PlaceValues, combined};
use crate::time_elements::element::TimeElement;
use crate::time_elements::layout::{Equation, Unknown};
use crate::time_elements::scheme::{Part, Place, Row};
use poinsot_geometry::{Mat6, Vec3, Vec6, se3};
use poinsot_mechanics::{Frame, Instant, StepPolynomial};
use poinsot_numerics::lu::PivotError;

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

/// The state before an element changes, as its frames that turn see it: u_b and δw_b.
#[derive(Clone, Debug)]
pub(super) struct StartChange {
    pub moved: Vec<Vec6>,
    pub speed: Vec<Vec6>,
}

/// The derivatives of the system at the places of an element.
#[derive(Debug)]
pub(super) struct Slopes {
    /// At the Gauss points, then at those of the constraints.
    places: Vec<StepPolynomial>,
    /// Where what follows multipliers has a place of its own.
    shares: Vec<bool>,
    /// Of every row.
    kinds: Vec<Equation>,
    pub start: StartChange,
    change: PlaceChange,
    row: Vec<f64>,
    zero: Vec<f64>,
    pulling: Vec<f64>,
    /// Adjoints of the turning of forces.
    turned: Vec<Vec3>,
}

impl Slopes {
    pub fn new(element: &TimeElement) -> Self {
        let (system, layout) = (element.system, &element.layout);
        let (n, motions) = (system.size(), layout.motions.len());
        let mut kinds = vec![Equation::Idle; n];
        for group in &layout.groups {
            kinds[group.unknowns.clone()].fill(group.equation);
        }
        let none = vec![Vec6::zeros(); motions];
        Slopes {
            places: vec![StepPolynomial::new(system); element.used],
            shares: element.scheme.places.iter().map(|(_, part)| *part == Part::Joints).collect(),
            kinds,
            start: StartChange { moved: none.clone(), speed: none },
            change: PlaceChange::new(n),
            row: vec![0.0; n],
            zero: vec![0.0; n],
            pulling: vec![0.0; n],
            turned: vec![Vec3::zeros(); motions],
        }
    }

    /// The power of the polynomial with which accelerations stand in a row, none if the row is not taken at
    /// the place.
    fn power(&self, row: usize, part: Part) -> Option<usize> {
        let kind = self.kinds[row];
        part.has(kind).then(|| part.level(kind))
    }

    /// The derivatives at the unknowns that an element has now; its matrix is factored anew.
    pub fn take(&mut self, element: &mut TimeElement, room: &mut [f64]) -> Result<(), PivotError> {
        element.residual(room);
        let Slopes { places, kinds, shares, .. } = self;
        let pattern = element.system.pattern();
        element.factor_seeing(&mut |p, [own, free]| {
            for (out, (own, free)) in places[p].powers.iter_mut().zip(own.powers.iter().zip(&free.powers)) {
                out.copy_from_slice(own);
                // What does not follow multipliers is taken at the Gauss points.
                for c in (0..kinds.len()).filter(|_| shares[p]) {
                    for (&r, slot) in pattern.rows(c).iter().zip(pattern.slots(c)) {
                        if kinds[r] == Equation::Balance {
                            out[slot] -= free[slot];
                        }
                    }
                }
            }
        })
    }

    /// `row` := ∂R_p/∂(a, v, q) `change`.
    fn push(&mut self, element: &TimeElement, p: usize) {
        let (pattern, part) = (element.system.pattern(), element.scheme.places[p].1);
        let powers = &self.places[p].powers;
        self.row.fill(0.0);
        for c in 0..pattern.n() {
            let x = [self.change.a[c], self.change.v[c], self.change.q[c]];
            if x == [0.0; 3] {
                continue;
            }
            for (&r, slot) in pattern.rows(c).iter().zip(pattern.slots(c)) {
                let Some(first) = self.power(r, part) else { continue };
                self.row[r] += powers.iter().zip(&x[first..]).map(|(power, x)| power[slot] * x).sum::<f64>();
            }
        }
    }

    /// `change` := ∂R_p/∂(a, v, q)ᵀ `row`.
    fn pull(&mut self, element: &TimeElement, p: usize) {
        let (pattern, part) = (element.system.pattern(), element.scheme.places[p].1);
        for c in 0..pattern.n() {
            let mut x = [0.0; 3];
            for (&r, slot) in pattern.rows(c).iter().zip(pattern.slots(c)) {
                let Some(first) = self.power(r, part) else { continue };
                let powers = &self.places[p].powers;
                let row = self.row[r];
                x[first..].iter_mut().zip(powers).for_each(|(x, power)| *x += power[slot] * row);
            }
            [self.change.a[c], self.change.v[c], self.change.q[c]] = x;
        }
    }

    /// Forces on frames that turn into their axes, δ(Rᵀf) = Rᵀδf + (Rᵀf) × δψ.
    fn turn(&mut self, element: &TimeElement, p: usize) {
        for &id in &element.layout.motions {
            let first = element.system.nodes()[id].unknowns().start;
            let (place, row) = (&element.places[p], &mut self.row[first..first + 3]);
            let of = |all: &[f64], k: usize| Vec3::from_column_slice(&all[first + k..first + k + 3]);
            let turned = place.frames[id].rot.tr_mul(&Vec3::from_column_slice(row))
                + of(&place.residual, 0).cross(&of(&self.change.q, 3));
            row.copy_from_slice(turned.as_slice());
        }
    }

    /// The adjoint of [`Slopes::turn`], which leaves its part of the change of angles for later.
    fn unturn(&mut self, element: &TimeElement, p: usize) {
        for (&id, later) in element.layout.motions.iter().zip(&mut self.turned) {
            let first = element.system.nodes()[id].unknowns().start;
            let (place, row) = (&element.places[p], &mut self.row[first..first + 3]);
            let force = Vec3::from_column_slice(row);
            // (f × δψ)·y = δψ·(y × f).
            *later = force.cross(&Vec3::from_column_slice(&place.residual[first..first + 3]));
            row.copy_from_slice((place.frames[id].rot * force).as_slice());
        }
    }

    /// `out` += what the combined equations change by, if the system at place p changes by `row`.
    fn combine(&self, element: &TimeElement, p: usize, out: &mut [f64]) {
        let s = element.scheme.stages();
        for (e, (&kind, &x)) in self.kinds.iter().zip(&self.row).enumerate().filter(|(_, (_, x))| **x != 0.0)
        {
            let weights = &element.weights.of(kind, p)[..s];
            out[s * e..s * e + s].iter_mut().zip(weights).for_each(|(out, w)| *out += w * x);
        }
    }

    /// ∂E/∂(state before) x into `out`.
    pub fn by_start(&mut self, element: &TimeElement, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.see_start(element, x);
        for p in 0..self.places.len() {
            change_at(element, Some(p), (x, &self.start), &mut self.change);
            self.push(element, p);
            self.turn(element, p);
            self.combine(element, p, out);
        }
    }

    /// x += (∂E/∂(state before))ᵀ y.
    pub fn by_start_transposed(&mut self, element: &TimeElement, y: &[f64], x: &mut [f64]) {
        let s = element.scheme.stages();
        self.start.clear();
        for p in 0..self.places.len() {
            for (e, (row, &kind)) in self.row.iter_mut().zip(&self.kinds).enumerate() {
                *row = combined(element.weights.of(kind, p), &y[s * e..s * e + s]);
            }
            self.unturn(element, p);
            self.pull(element, p);
            for (&id, turned) in element.layout.motions.iter().zip(&self.turned) {
                let first = element.system.nodes()[id].unknowns().start + 3;
                let q = &mut self.change.q[first..first + 3];
                q.iter_mut().zip(turned.iter()).for_each(|(q, turned)| *q += turned);
            }
            adjoint_at(element, Some(p), &self.change, (x, &mut self.start));
        }
        self.unsee_start(element, x);
    }

    /// ∂E/∂h into `out`, but for what applied forces and equations of networks with rates follow time by
    /// themselves.
    pub fn by_length(&mut self, element: &mut TimeElement, out: &mut [f64]) {
        out.fill(0.0);
        for p in 0..self.places.len() {
            let (place, part) = element.scheme.places[p];
            length_change_at(element, Some(p), &mut self.change);
            self.push(element, p);
            if part != Part::Free && element.layout.has_joints {
                self.follow_time(element, p, place.alpha);
            }
            self.turn(element, p);
            self.combine(element, p, out);
        }
    }

    /// `row` += rate · ∂R_p/∂t of the constraints and of equations without rates. ∂Φ/∂t is the rate at rest,
    /// ∂(Gᵀλ)/∂t = (∂²Φ/∂q∂t)ᵀλ its derivative by positions there; ∂Φ̇/∂t is Φ̈ without accelerations, less
    /// what the velocities do.
    fn follow_time(&mut self, element: &mut TimeElement, p: usize, rate: f64) {
        let Slopes { zero, pulling, row, kinds, places, .. } = self;
        let (system, values, part) = (element.system, &element.places[p], element.scheme.places[p].1);
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
        for (r, kind) in kinds.iter().enumerate().filter(|(_, kind)| part.has(**kind)) {
            row[r] += match kind {
                Equation::Level if part != Part::Rates => rate * levels[r],
                Equation::Level | Equation::Velocity | Equation::Algebraic => rate * rates[r],
                Equation::Balance | Equation::Rate | Equation::Idle => 0.0,
            };
        }
        pulling.copy_from_slice(at.a);
        pulling.iter_mut().zip(kinds.iter()).for_each(|(x, kind)| {
            if *kind != Equation::Level {
                *x = 0.0;
            }
        });
        if part.has(Equation::Balance) {
            system.add_rate_pull(&rest, pulling, rate, row, scratch);
        }
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
            self.start.moved[motion] = se3::join(&rot.tr_mul(&r), &turn);
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
            let (r, turn) = se3::split(&self.start.moved[motion]);
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
        self.moved.fill(Vec6::zeros());
        self.speed.fill(Vec6::zeros());
    }
}

/// A place of the scheme, or the end, and the system there.
fn place_of<'e>(element: &'e TimeElement, p: Option<usize>) -> (&'e Place, &'e PlaceValues) {
    match p {
        Some(p) => (&element.scheme.places[p].0, &element.places[p]),
        None => (&element.scheme.end, &element.end),
    }
}

/// ∂{u, w, ẇ}/∂u_b of a frame at a place. The node at the end is held.
fn by_before(element: &TimeElement, motion: usize, p: Option<usize>) -> [Mat6; 3] {
    let (place, _) = place_of(element, p);
    let (h, speeds) = (element.course.h, element.operators.before_speeds(motion));
    let sum = |weights: &Row, of: f64| -> Mat6 {
        speeds.iter().zip(weights).map(|(speed, weight)| speed * (weight * of)).sum()
    };
    let moved = p.map_or_else(Mat6::zeros, |p| *element.operators.before(motion, p));
    [moved, sum(&place.stage, 1.0 / h), sum(&place.rate, 1.0 / (h * h))]
}

/// Changes u, δw and δẇ of a frame that turns, into its chart:
///
/// ```text
/// δv = R (δw + δψ × w),     δa = R (δẇ + δω × w + ω × δw + δψ × c)
/// ```
fn into_chart(
    (motion, first): (usize, usize),
    [u, w, rate]: [Vec6; 3],
    values: &PlaceValues,
    frame: &Frame,
    out: &mut PlaceChange,
) {
    let (own, omega) = se3::split(&values.w[motion]);
    let ((r, turn), (linear, angular)) = (se3::split(&u), se3::split(&w));
    let (rate, spin) = se3::split(&rate);
    let pull = rate + angular.cross(&own) + omega.cross(&linear) + turn.cross(&values.c[motion]);
    let set = |to: &mut [f64], x: Vec3| to.copy_from_slice(x.as_slice());
    set(&mut out.q[first..first + 3], frame.rot * r);
    set(&mut out.q[first + 3..first + 6], turn);
    set(&mut out.v[first..first + 3], frame.rot * (linear + turn.cross(&own)));
    set(&mut out.v[first + 3..first + 6], angular);
    set(&mut out.a[first..first + 3], frame.rot * pull);
    set(&mut out.a[first + 3..first + 6], spin);
}

/// What a place, or the end, sees of a change of the state before.
pub(super) fn change_at(
    element: &TimeElement,
    p: Option<usize>,
    (x, start): (&[f64], &StartChange),
    out: &mut PlaceChange,
) {
    let (place, values) = place_of(element, p);
    let (n, share, rate) = (element.system.size(), place.start, place.start_rate / element.course.h);
    out.clear();
    for group in &element.layout.groups {
        match group.unknown {
            Unknown::Coordinate => group.unknowns.clone().for_each(|e| {
                (out.a[e], out.v[e], out.q[e]) = (rate * x[n + e], share * x[n + e], x[e]);
            }),
            Unknown::Variable => group.unknowns.clone().for_each(|e| {
                (out.a[e], out.v[e]) = (rate * x[n + e], share * x[n + e]);
            }),
            Unknown::Motion => {
                let (moved, speed) = (start.moved[group.motion], start.speed[group.motion]);
                let [u, w, slope] = by_before(element, group.motion, p).map(|by| by * moved);
                let changes = [u, w + speed * share, slope + speed * rate];
                let frame = &values.frames[element.layout.motions[group.motion]];
                into_chart((group.motion, group.unknowns.start), changes, values, frame, out);
            }
            Unknown::Multiplier => {}
        }
    }
}

/// The adjoint of [`change_at`].
pub(super) fn adjoint_at(
    element: &TimeElement,
    p: Option<usize>,
    change: &PlaceChange,
    (x, start): (&mut [f64], &mut StartChange),
) {
    let (place, values) = place_of(element, p);
    let (n, share, rate) = (element.system.size(), place.start, place.start_rate / element.course.h);
    for group in &element.layout.groups {
        match group.unknown {
            Unknown::Coordinate => group.unknowns.clone().for_each(|e| {
                x[n + e] += rate * change.a[e] + share * change.v[e];
                x[e] += change.q[e];
            }),
            Unknown::Variable => group.unknowns.clone().for_each(|e| {
                x[n + e] += rate * change.a[e] + share * change.v[e];
            }),
            Unknown::Motion => {
                let first = group.unknowns.start;
                let rot = &values.frames[element.layout.motions[group.motion]].rot;
                let take = |from: &[f64], k: usize| Vec3::from_column_slice(&from[first + k..first + k + 3]);
                let (own, omega) = se3::split(&values.w[group.motion]);
                let pull = rot.tr_mul(&take(&change.a, 0));
                let push = rot.tr_mul(&take(&change.v, 0));
                let linear = push - omega.cross(&pull);
                let angular = take(&change.v, 3) + own.cross(&pull);
                let turn = take(&change.q, 3) + own.cross(&push) + values.c[group.motion].cross(&pull);
                let u = se3::join(&rot.tr_mul(&take(&change.q, 0)), &turn);
                let w = se3::join(&linear, &angular);
                let slope = se3::join(&pull, &take(&change.a, 3));
                let [by_u, by_w, by_slope] = by_before(element, group.motion, p);
                start.moved[group.motion] += by_u.tr_mul(&u) + by_w.tr_mul(&w) + by_slope.tr_mul(&slope);
                start.speed[group.motion] += w * share + slope * rate;
            }
            Unknown::Multiplier => {}
        }
    }
}

/// What a place, or the end, sees of a change of the length.
pub(super) fn length_change_at(element: &TimeElement, p: Option<usize>, out: &mut PlaceChange) {
    let (place, values) = place_of(element, p);
    let (h, start) = (element.course.h, &element.course.start_w);
    let before = |e: usize| place.start_rate * start[e] / (h * h);
    out.clear();
    for group in &element.layout.groups {
        match group.unknown {
            Unknown::Coordinate => group.unknowns.clone().for_each(|e| {
                out.v[e] = -(values.v[e] - place.start * start[e]) / h;
                out.a[e] = before(e) - 2.0 * values.free[e] / h;
            }),
            Unknown::Variable => group.unknowns.clone().for_each(|e| out.a[e] = -values.free[e] / h),
            Unknown::Motion => {
                let first = group.unknowns.start;
                let (own, omega) = se3::split(&values.w[group.motion]);
                let linear = values.c[group.motion] - omega.cross(&own);
                let angular = Vec3::from_column_slice(&values.free[first + 3..first + 6]);
                let rate = Vec6::from_fn(|m, _| before(first + m)) - se3::join(&linear, &angular) * (2.0 / h);
                let held = Vec6::from_fn(|m, _| place.start * start[first + m]);
                let changes = [Vec6::zeros(), (held - values.w[group.motion]) / h, rate];
                let frame = &values.frames[element.layout.motions[group.motion]];
                into_chart((group.motion, first), changes, values, frame, out);
            }
            Unknown::Multiplier => {}
        }
    }
}
