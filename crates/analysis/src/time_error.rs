//! The error in time of a motion: how far its steps lead away from the exact motion.
//!
//! Some steps are taken again from the same state by another method, Radau IIA of fifth order in
//! two halves. The difference at the end is the error e of that step in every quantity: place, turn,
//! speed and spin of a node, variables with a rate. The steps in between are weighed by the third
//! difference of the velocities, which costs next to nothing,
//!
//! ```text
//! I = max |v_n − 3v_{n−1} + 3v_{n−2} − v_{n−3}|
//! E = Σ_classes (Σ_again e / Σ_again I) Σ_all I
//! ```
//! Steps fall into classes by the power of ten of I, so that a blow of a few steps does not hide among
//! thousands of smooth ones. In each class the first step is taken again, and then others at growing
//! distances. A class of its own are steps of which I is not known yet, after a start. Errors are summed as
//! if none were damped and none cancelled. What a sensitive motion makes of them is not in the sum.
//!
//! E is compared with the motion's own size: the largest change of the quantity, and not less than a
//! tenth of its largest size and of that of the same quantity of any node.

use poinsot_geometry::Vec3;
use poinsot_mechanics::{State, System};

/// Distances between the steps of a class that are taken again grow by this factor, up to a distance
/// that is prime, so that it does not follow the period of a motion.
const DISTANCES: (usize, usize) = (3, 997);

/// Classes by the power of ten of I, from 1e-16 on, and one for steps whose I is not known.
const CLASSES: usize = 25;
const UNKNOWN: usize = CLASSES - 1;
const FIRST_POWER: f64 = -16.0;

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
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Track {
    /// Largest size and largest change since the start.
    pub size: f64,
    pub change: f64,
    /// Sums of the errors of steps that were taken again, class by class.
    pub errors: [f64; CLASSES],
}

/// Steps with similar third differences.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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
#[derive(Clone, Debug)]
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
        }
    }

    /// Takes note of a step that leads to a state; `third` is the third difference of its velocities,
    /// where they are known. Gives the class of the step if it is to be taken again.
    pub(crate) fn step(&mut self, system: &System, state: &State, third: Option<&[f64]>) -> Option<usize> {
        self.steps += 1;
        if self.tracks.len() != count(system) + 1 {
            self.failed += 1;
            return None;
        }
        self.follow(system, state);
        let weight = third.map(|d| self.indicator(system, d)).filter(|w| w.is_finite());
        let power = |w: f64| (w.log10().max(FIRST_POWER) - FIRST_POWER) as usize;
        let class = weight.map_or(UNKNOWN, |w| power(w).min(UNKNOWN - 1));
        let weight = weight.unwrap_or(0.0);
        let c = &mut self.classes[class];
        c.steps += 1;
        c.weight += weight;
        if c.steps < c.next {
            return None;
        }
        let (growth, longest) = DISTANCES;
        c.next = (growth * c.steps).min(c.steps + longest);
        c.again += 1;
        c.weight_again += weight;
        Some(class)
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
    fn indicator(&self, system: &System, third: &[f64]) -> f64 {
        let mut largest = 0.0f64;
        for k in 1..system.nodes().len() {
            let d = system.twist(k, third);
            largest = largest.max(d.linear.norm()).max(self.length * d.angular.norm());
        }
        variables(system).fold(largest, |largest, (eq, nominal, _)| largest.max(third[eq].abs() / nominal))
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

    /// How far joints are open, and how fast they open, relative to the largest motion: what a form of the
    /// constraints lets drift is not in the errors of single steps, which are compared on the constraints.
    pub fn drift(&self, system: &System, open: f64, opening: f64) -> f64 {
        let share = |open: f64, kinds: [usize; 2]| {
            let size = kinds.map(|kind| self.largest_size(system, kind));
            let size = size[0].max(size[1] * self.length);
            if size > 0.0 { open / size } else { 0.0 }
        };
        share(open, [0, 1]) + share(opening, [2, 3])
    }

    /// The claim, if enough is known; `step` is a usual one.
    pub fn claim(&self, system: &System, step: f64) -> Option<TimeErrorClaim> {
        if self.retaken() == 0 || self.failed > 0 || self.tracks.len() != count(system) + 1 {
            return None;
        }
        let factors = self.classes.map(|class| class.factor());
        let total = |track: &Track| track.errors.iter().zip(factors).map(|(e, f)| e * f).sum::<f64>();
        let length = self.length;
        let [place, turn, speed, spin] = [0, 1, 2, 3].map(|kind| self.largest_size(system, kind));
        let least = |own: f64, other: f64| (LEAST_SHARE * own).max(LEAST_CROSS_SHARE * other);
        let least = [
            least(place, turn * length).max(ROUNDING * length),
            least(turn, place / length).max(ROUNDING),
            least(speed, spin * length).max(ROUNDING * length / step),
            least(spin, speed / length).max(ROUNDING / step),
        ];
        let mut worst = (0.0, String::new());
        let mut judge = |track: &Track, least: f64, most: f64, name: &dyn Fn() -> String| {
            let size = track.change.max(LEAST_SHARE * track.size).max(least).min(most);
            if size > 0.0 && total(track) > worst.0 * size {
                worst = (total(track) / size, name());
            }
        };
        for (k, node) in system.nodes().iter().enumerate().skip(1) {
            for (kind, word) in KINDS.iter().enumerate() {
                let track = &self.tracks[KINDS.len() * (k - 1) + kind];
                let most = if kind == 1 { 1.0 } else { f64::INFINITY };
                judge(track, least[kind], most, &|| format!("{word} of `{}`", node.name));
            }
        }
        let first = KINDS.len() * (system.nodes().len() - 1);
        for ((_, nominal, name), track) in variables(system).zip(&self.tracks[first..]) {
            if track.size > LEAST_VARIABLE * nominal {
                judge(track, 0.0, f64::INFINITY, &|| format!("`{name}`"));
            }
        }
        let energy = self.tracks.last().map_or(0.0, total);
        let (relative, quantity) = worst;
        Some(TimeErrorClaim { relative, quantity, energy })
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

/// The differences of all quantities between two states into `out`.
pub(crate) fn difference(system: &System, a: &State, b: &State, out: &mut Vec<f64>) {
    out.clear();
    visit(system, a, b, |_, _, change| out.push(change));
}

/// The velocities of the last steps and their third difference.
#[derive(Debug, Default)]
pub(crate) struct Velocities {
    past: [Vec<f64>; 3],
    times: [f64; 3],
    known: usize,
    third: Vec<f64>,
}

impl Velocities {
    /// Starts anew at a state.
    pub fn restart(&mut self, state: &State) {
        self.known = 0;
        self.add(state);
    }

    fn add(&mut self, state: &State) {
        self.past.rotate_right(1);
        self.times.rotate_right(1);
        self.past[0].clone_from(&state.v);
        self.times[0] = state.t;
        self.known = (self.known + 1).min(3);
    }

    /// What a step to a state adds to the parabola through the velocities before; with equal
    /// steps that is their third difference.
    pub fn step(&mut self, state: &State) -> Option<&[f64]> {
        let known = self.known == 3;
        if known {
            let [a, b, c] = self.times;
            let weight = |at: f64, x: f64, y: f64| (state.t - x) * (state.t - y) / ((at - x) * (at - y));
            let (wa, wb, wc) = (weight(a, b, c), weight(b, a, c), weight(c, a, b));
            self.third.clone_from(&state.v);
            let [va, vb, vc] = &self.past;
            for (i, third) in self.third.iter_mut().enumerate() {
                *third -= wa * va[i] + wb * vb[i] + wc * vc[i];
            }
        }
        self.add(state);
        known.then_some(&*self.third)
    }
}
