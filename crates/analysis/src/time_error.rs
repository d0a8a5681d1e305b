//! The error in time of a motion: how far its steps lead away from the exact motion.
//!
//! Some steps are taken again from the same state by another method, Radau IIA of higher order. The
//! difference at the end is the error e of that step in every quantity: place, turn, speed and spin of a
//! node, variables with a rate. A slope counts as the direction that it has. The steps in between are weighed
//! by what they add to the polynomial through the velocities before, which costs next to nothing; with equal
//! steps that is their k-th difference,
//!
//! ```text
//! I = max |∇ᵏ v_n|,      k = 3 for methods of second order, one more than the order for others, at most 6
//! E = Σ_classes (Σ_again e / Σ_again I) Σ_all I
//! ```
//! The error of a smooth step is small for a method of high order, that of a step over a kink is not: only a
//! high difference tells them apart. Steps fall into classes by the power of ten of I, so that a blow of a
//! few steps does not hide among thousands of smooth ones. In each class the first step is taken again, and
//! then others at growing distances. A class of its own are steps over a kink, whose I is suddenly larger;
//! they are taken again, and I is not known of some steps behind them, where the kink would be seen once
//! more. Such steps are a class too, as the first ones behind a start or a jump are, and all of them are
//! taken again: the cause of a kink may be near and not yet passed (friction turns round a little later than
//! it begins to fall). Errors are summed as if none were damped and none cancelled. What a sensitive motion
//! makes of them is not in the sum.
//!
//! E is compared with the motion's own size: the largest change of the quantity, and not less than a
//! tenth of its largest size and of that of the same quantity of any node.

use crate::trail::Trail;
use poinsot_geometry::Vec3;
use poinsot_mechanics::{Frame, State, System};
use serde::{Deserialize, Serialize};

/// Distances between the steps of a class that are taken again grow by this factor, up to a distance
/// that is prime, so that it does not follow the period of a motion.
const DISTANCES: (usize, usize) = (3, 997);

/// Classes by the power of ten of I, from 1e-16 on, one for steps whose I is not known, and one for steps
/// whose I is larger by the factor than that of the step before: they go over a kink.
const CLASSES: usize = 26;
const UNKNOWN: usize = CLASSES - 1;
const SUDDEN: usize = CLASSES - 2;
const JUMP: f64 = 30.0;
const FIRST_POWER: f64 = -16.0;

/// So many steps at kinks, and first ones behind starts and jumps, are taken again all; of more every so
/// many.
const MOST_FRESH: (usize, usize) = (48, 31);

/// Motion that is rounding, relative to the length of the model; as a speed, over a step.
const ROUNDING: f64 = 1e-9;

/// Part of the largest motion of any node against which a node that moves less is judged.
const LEAST_SHARE: f64 = 0.1;

/// The same where it turns and the largest motion goes, or the other way round, by the length of the model.
const LEAST_CROSS_SHARE: f64 = 1e-3;

/// Size below which the variable of an equation does not count, relative to its nominal size.
const LEAST_VARIABLE: f64 = 1e-9;

/// Quantities of a node.
const KINDS: [&str; 4] = ["place", "turn", "speed", "spin"];

/// What is known of one quantity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Track {
    /// Largest size and largest change since the start.
    pub size: f64,
    pub change: f64,
    /// Sums of the errors of steps that were taken again, class by class.
    pub errors: [f64; CLASSES],
}

/// Steps with similar third differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Class {
    /// Steps, those taken again, and the number of the one that is taken again next.
    pub steps: usize,
    pub again: usize,
    pub next: usize,
    /// Σ I of all, and of those taken again.
    pub weight: f64,
    pub weight_again: f64,
}

impl Class {
    /// How much more than the steps taken again all steps weigh.
    fn factor(&self) -> f64 {
        match self.weight_again > 0.0 {
            true => self.weight / self.weight_again,
            false => self.steps as f64 / self.again.max(1) as f64,
        }
    }
}

/// Follows the error in time of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TimeError {
    pub(crate) start: State,
    /// Those of each node but the ground, then those of the variables, then the energy.
    pub(crate) tracks: Vec<Track>,
    pub(crate) classes: [Class; CLASSES],
    pub(crate) steps: usize,
    /// Length of the model.
    pub(crate) length: f64,
    /// Steps that could not be taken again.
    pub(crate) failed: usize,
    /// Steps at kinks, and first ones behind a start or a jump.
    pub(crate) fresh: usize,
    /// I of the last step, if it is known.
    recent: Option<f64>,
}

/// What is claimed of the error in time.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeErrorClaim {
    /// Error relative to the motion's own size.
    pub relative: f64,
    /// The quantity in which it is largest, in words.
    pub quantity: String,
    /// Error of the energy balance (J).
    pub energy: f64,
}

impl TimeError {
    /// Nothing is known yet at a start.
    pub(crate) fn new(system: &System, start: &State) -> Self {
        TimeError { length: system.length_scale(), ..Self::of(start.clone(), count(system) + 1) }
    }

    /// The same for so many quantities.
    pub(crate) fn of(start: State, quantities: usize) -> Self {
        TimeError {
            start,
            tracks: vec![Track::default(); quantities],
            classes: [Class::default(); CLASSES],
            steps: 0,
            length: 1.0,
            failed: 0,
            fresh: 0,
            recent: None,
        }
    }

    /// Takes note of a step that leads to a state.
    pub(crate) fn step(&mut self, system: &System, state: &State, seen: &Seen) -> Noted {
        self.steps += 1;
        if self.tracks.len() != count(system) + 1 {
            self.failed += 1;
            return Noted::default();
        }
        self.follow(system, state);
        let (weight, fresh) = match seen {
            Seen::Little | Seen::Behind => (None, true),
            Seen::Added(added) => {
                (Some(self.indicator(system, state, added)).filter(|w| w.is_finite()), false)
            }
        };
        let sudden = self.recent.zip(weight).is_some_and(|(before, now)| now > JUMP * before);
        self.recent = weight;
        let power = |w: f64| (w.log10().max(FIRST_POWER) - FIRST_POWER) as usize;
        let class = if sudden { SUDDEN } else { weight.map_or(UNKNOWN, |w| power(w).min(SUDDEN - 1)) };
        let due = self.is_due(class, weight.unwrap_or(0.0), fresh || sudden);
        Noted { again: due.then_some(class), kink: sudden, refined: sudden || matches!(seen, Seen::Behind) }
    }

    /// Counts a step of a class and says whether it is to be taken again.
    fn is_due(&mut self, class: usize, weight: f64, special: bool) -> bool {
        let (all, every) = MOST_FRESH;
        self.fresh += usize::from(special);
        let special = special && (self.fresh <= all || self.fresh.is_multiple_of(every));
        let c = &mut self.classes[class];
        c.steps += 1;
        c.weight += weight;
        if c.steps < c.next && !special {
            return false;
        }
        let (growth, longest) = DISTANCES;
        c.next = (growth * c.steps).min(c.steps + longest);
        c.again += 1;
        c.weight_again += weight;
        true
    }

    /// The errors of a step of a class that was taken again, by [`difference`] and last of the
    /// energy; none if that failed.
    pub(crate) fn note(&mut self, class: usize, errors: Option<&[f64]>) {
        match errors.filter(|errors| errors.iter().all(|e| e.is_finite())) {
            Some(errors) => {
                let tracks = self.tracks.iter_mut().zip(errors);
                tracks.for_each(|(track, error)| track.errors[class] += error);
            }
            None => self.failed += 1,
        }
    }

    /// Sizes and changes at a state.
    fn follow(&mut self, system: &System, state: &State) {
        let mut tracks = self.tracks.iter_mut();
        let mut note = |size: f64, change: f64| {
            if let Some(track) = tracks.next() {
                (track.size, track.change) = (track.size.max(size), track.change.max(change));
            }
        };
        visit(system, &self.start, state, |kind, size, change| {
            // Where a node is tells nothing of how far it moves.
            let moved = if matches!(kind, Some(0 | 1)) { change } else { size };
            note(moved, change);
        });
    }

    /// I, in metres and nominal sizes per second.
    fn indicator(&self, system: &System, state: &State, added: &[f64]) -> f64 {
        let mut largest = 0.0f64;
        for (k, node) in system.nodes().iter().enumerate().skip(1) {
            let d = system.twist(k, added);
            largest = largest.max(match node.chart.is_slope() {
                true => self.length * slope_spin(&state.frames[k], &d.linear).norm(),
                false => d.linear.norm().max(self.length * d.angular.norm()),
            });
        }
        variables(system).fold(largest, |largest, (eq, nominal, _)| largest.max(added[eq].abs() / nominal))
    }

    /// The largest size of a quantity of any node.
    fn largest_size(&self, system: &System, kind: usize) -> f64 {
        let nodes = system.nodes().len() - 1;
        (0..nodes).map(|k| self.tracks[KINDS.len() * k + kind].size).fold(0.0, f64::max)
    }

    /// The state at the start of the run.
    pub fn start(&self) -> &State {
        &self.start
    }

    /// Steps that were taken again.
    pub fn retaken(&self) -> usize {
        self.classes.iter().map(|class| class.again).sum()
    }

    /// Speed below which nothing moves (m/s): the model's length times `ROUNDING` in a usual step.
    pub fn rounding_speed(&self, step: f64) -> f64 {
        ROUNDING * self.length / step
    }

    /// How far joints are open, and how fast they open, relative to the largest motion: what a form of the
    /// constraints lets drift is not in the errors of single steps, which are compared on the constraints.
    /// Where nothing moves but rounding, that is no motion to compare with.
    pub fn drift(&self, system: &System, step: f64, open: f64, opening: f64) -> f64 {
        let share = |open: f64, kinds: [usize; 2], least: f64| {
            let size = kinds.map(|kind| self.largest_size(system, kind));
            let size = size[0].max(size[1] * self.length).max(least);
            if size > 0.0 { open / size } else { 0.0 }
        };
        let least = self.rounding_speed(step);
        share(open, [0, 1], least * step) + share(opening, [2, 3], least)
    }

    /// The claim, if enough is known; `step` is a usual one.
    pub fn claim(&self, system: &System, step: f64) -> Option<TimeErrorClaim> {
        if self.retaken() == 0 || self.failed > 0 || self.tracks.len() != count(system) + 1 {
            return None;
        }
        let factors = self.classes.map(|class| class.factor());
        let total = |track: &Track| track.errors.iter().zip(factors).map(|(e, f)| e * f).sum::<f64>();
        let errors: Vec<f64> = self.tracks.iter().map(total).collect();
        let (relative, quantity) = self.worst(system, step, &errors);
        Some(TimeErrorClaim { relative, quantity, energy: errors.last().copied().unwrap_or(0.0) })
    }

    /// How far another run of this motion is away at most, relative to the motion's own size, and the
    /// quantity in which that is largest; nothing if they cannot be compared.
    pub fn apart(&self, system: &System, step: f64, own: &Trail, other: &Trail) -> Option<(f64, String)> {
        let quantities = count(system);
        let sizes = (system.nodes().len(), system.size());
        let fits = |state: &State| (state.frames.len(), state.v.len()) == sizes;
        let pairs = own.pairs(other);
        if self.tracks.len() != quantities + 1 || pairs.is_empty() {
            return None;
        }
        let (mut largest, mut errors) = (vec![0.0; quantities], vec![]);
        for (a, b) in pairs {
            if !fits(a) || !fits(b) {
                return None;
            }
            difference(system, a, b, &mut errors);
            largest.iter_mut().zip(&errors).for_each(|(most, error)| *most = error.max(*most));
        }
        Some(self.worst(system, step, &largest))
    }

    /// The largest of these errors of all quantities relative to the motion's own size, and its quantity.
    pub(crate) fn worst(&self, system: &System, step: f64, errors: &[f64]) -> (f64, String) {
        let length = self.length;
        let [place, turn, speed, spin] = [0, 1, 2, 3].map(|kind| self.largest_size(system, kind));
        let least = |own: f64, other: f64| (LEAST_SHARE * own).max(LEAST_CROSS_SHARE * other);
        let least = [
            least(place, turn * length).max(ROUNDING * length),
            least(turn, place / length).max(ROUNDING),
            least(speed, spin * length).max(self.rounding_speed(step)),
            least(spin, speed / length).max(ROUNDING / step),
        ];
        let mut worst = (0.0, String::new());
        let mut judge = |k: usize, least: f64, most: f64, name: &dyn Fn() -> String| {
            let (track, error) = (&self.tracks[k], errors[k]);
            let size = track.change.max(LEAST_SHARE * track.size).max(least).min(most);
            if size > 0.0 && error > worst.0 * size {
                worst = (error / size, name());
            }
        };
        for (k, node) in system.nodes().iter().enumerate().skip(1) {
            for (kind, word) in KINDS.iter().enumerate() {
                let most = if kind == 1 { 1.0 } else { f64::INFINITY };
                judge(KINDS.len() * (k - 1) + kind, least[kind], most, &|| {
                    format!("{word} of `{}`", node.name)
                });
            }
        }
        let first = KINDS.len() * (system.nodes().len() - 1);
        for (k, (_, nominal, name)) in variables(system).enumerate() {
            if self.tracks[first + k].size > LEAST_VARIABLE * nominal {
                judge(first + k, 0.0, f64::INFINITY, &|| format!("`{name}`"));
            }
        }
        worst
    }
}

/// Variables with a rate: equation number, nominal size and name.
fn variables(system: &System) -> impl Iterator<Item = (usize, f64, &str)> {
    system.networks().iter().flat_map(|network| {
        let all = network.law.variables.iter().enumerate();
        all.filter(|(j, _)| !network.is_algebraic(*j))
            .map(|(j, variable)| (network.unknown(j), variable.nominal, variable.name.as_str()))
    })
}

/// Number of quantities.
fn count(system: &System) -> usize {
    KINDS.len() * (system.nodes().len() - 1) + variables(system).count()
}

/// Size and change against another state of all quantities in their order, with the kind of those of nodes.
fn visit(system: &System, from: &State, to: &State, mut note: impl FnMut(Option<usize>, f64, f64)) {
    for k in 1..to.frames.len() {
        let (a, b) = (&from.frames[k], &to.frames[k]);
        let (u, v) = (system.twist(k, &from.v), system.twist(k, &to.v));
        let size = |x: &Vec3| x.norm();
        // A slope has no place: it is measured as the direction that it has.
        if system.nodes()[k].chart.is_slope() {
            let [along_a, along_b] = [a, b].map(|z| z.r / length_of(z));
            let (spin_a, spin_b) = (slope_spin(a, &u.linear), slope_spin(b, &v.linear));
            note(Some(0), 0.0, 0.0);
            note(Some(1), 1.0, size(&(along_b - along_a)));
            note(Some(2), 0.0, 0.0);
            note(Some(3), size(&spin_b), size(&(spin_b - spin_a)));
            continue;
        }
        note(Some(0), size(&b.r), size(&(b.r - a.r)));
        // |R_b − R_a|/√2 is 2 sin of half the angle between.
        note(Some(1), 1.0, (b.rot - a.rot).norm() * std::f64::consts::FRAC_1_SQRT_2);
        note(Some(2), size(&v.linear), size(&(v.linear - u.linear)));
        note(Some(3), size(&v.angular), size(&(v.angular - u.angular)));
    }
    for (eq, _, _) in variables(system) {
        note(None, to.v[eq].abs(), (to.v[eq] - from.v[eq]).abs());
    }
}

fn length_of(slope: &Frame) -> f64 {
    slope.r.norm().max(f64::MIN_POSITIVE)
}

/// ω = s × ṡ/s²: how fast a slope turns. How fast it stretches is a rate of strain, as of any element: places
/// tell what it does to the motion.
fn slope_spin(slope: &Frame, rate: &Vec3) -> Vec3 {
    let length = length_of(slope);
    (slope.r / length).cross(rate) / length
}

/// The differences of all quantities between two states into `out`.
pub(crate) fn difference(system: &System, a: &State, b: &State, out: &mut Vec<f64>) {
    out.clear();
    visit(system, a, b, |_, _, change| out.push(change));
}

/// What is to be done about a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Noted {
    /// Its class, if it is to be taken again.
    pub again: Option<usize>,
    /// It went over a kink: the velocities before tell nothing of the steps behind it.
    pub kink: bool,
    /// It is at a kink, and only much shorter steps tell its error.
    pub refined: bool,
}

/// What the velocities before a step tell of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Seen<'a> {
    /// Too few steps went before it since a start or a jump.
    Little,
    /// A kink is among the few steps before it.
    Behind,
    /// What it adds to the polynomial through the velocities before.
    Added(&'a [f64]),
}

/// The velocities of the last steps.
#[derive(Debug)]
pub(crate) struct Velocities {
    /// The last first.
    past: Vec<Vec<f64>>,
    times: Vec<f64>,
    known: usize,
    /// What they begin with is a kink.
    behind_kink: bool,
    added: Vec<f64>,
}

impl Velocities {
    /// For a method of this order, from a state on.
    pub fn new(order: usize, state: &State) -> Self {
        let points = (order + 1).clamp(3, 6);
        let mut all = Velocities {
            past: vec![state.v.clone(); points],
            times: vec![state.t; points],
            known: 0,
            behind_kink: false,
            added: state.v.clone(),
        };
        all.restart(state);
        all
    }

    /// Starts anew at a state.
    pub fn restart(&mut self, state: &State) {
        (self.known, self.behind_kink) = (0, false);
        self.add(state);
    }

    /// Starts anew behind a kink.
    pub fn restart_behind_kink(&mut self, state: &State) {
        self.restart(state);
        self.behind_kink = true;
    }

    fn add(&mut self, state: &State) {
        self.past.rotate_right(1);
        self.times.rotate_right(1);
        self.past[0].clone_from(&state.v);
        self.times[0] = state.t;
        self.known = (self.known + 1).min(self.past.len());
    }

    /// What a step to a state adds to the polynomial through the velocities v_i before, all of them weighed
    /// by w_i = Π_{j≠i} (t − t_j)/(t_i − t_j); with equal steps that is their difference of highest order.
    pub fn step(&mut self, state: &State) -> Seen<'_> {
        let (known, t) = (self.known, state.t);
        if known == self.past.len() {
            self.added.clone_from(&state.v);
            for (i, (past, at)) in self.past.iter().zip(&self.times).enumerate() {
                let others = self.times.iter().enumerate().filter(|(j, _)| *j != i);
                let weight: f64 = others.map(|(_, other)| (t - other) / (at - other)).product();
                self.added.iter_mut().zip(past).for_each(|(added, v)| *added -= weight * v);
            }
        }
        self.add(state);
        match known {
            n if n == self.past.len() => Seen::Added(&self.added),
            _ if self.behind_kink => Seen::Behind,
            _ => Seen::Little,
        }
    }
}
