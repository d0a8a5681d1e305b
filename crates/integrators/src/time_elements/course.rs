//! The motion of a system over a time element.

use crate::time_elements::layout::{Layout, Unknown};
use crate::time_elements::motion_path::{MotionPath, pose};
use crate::time_elements::scheme::{MOST, Place, Scheme};
use poinsot_geometry::{Pose, Vec3, Vec6, se3, so3};
use poinsot_mechanics::{Frame, Instant, State, System};

/// The fields of an element as its unknowns make them. The numbers of unknown e stand at s·e … s·e + s − 1.
#[derive(Clone, Debug)]
pub struct Course {
    /// Length of the element (s).
    pub h: f64,
    /// Whether nothing jumps at its start.
    pub is_continuous: bool,
    /// The state before it.
    pub start: State,
    /// Its velocities in the axes of the frames.
    pub start_w: Vec<f64>,
    /// Frames that turn in space at the nodes of the path, one after the other.
    pub frames: Vec<Frame>,
    /// Coordinates at the nodes less those before; variables and multipliers at the points of the
    /// constraints.
    pub values: Vec<f64>,
    /// Velocities at the Gauss points, in the axes of the frames.
    pub w: Vec<f64>,
}

/// A system at a place of an element.
#[derive(Clone, Debug)]
pub(super) struct PlaceValues {
    pub t: f64,
    pub frames: Vec<Frame>,
    pub v: Vec<f64>,
    /// Accelerations and rates, with multipliers in the entries of rows.
    pub a: Vec<f64>,
    /// The same without multipliers.
    pub free: Vec<f64>,
    /// Of frames that turn: w, and ẇ + ω × w of the linear part, in their axes.
    pub w: Vec<Vec6>,
    pub c: Vec<Vec3>,
    /// What the equations leave, in the axes of the frames.
    pub residual: Vec<f64>,
}

impl PlaceValues {
    pub fn new(system: &System, layout: &Layout) -> Self {
        let zero = vec![0.0; system.size()];
        PlaceValues {
            t: 0.0,
            frames: system.nodes().iter().map(|node| node.start).collect(),
            v: zero.clone(),
            a: zero.clone(),
            free: zero.clone(),
            w: vec![Vec6::zeros(); layout.motions.len()],
            c: vec![Vec3::zeros(); layout.motions.len()],
            residual: zero,
        }
    }

    /// What the equations are evaluated at.
    pub fn instant<'a>(&'a self, memory: &'a [f64], multipliers: bool) -> Instant<'a> {
        let a = if multipliers { &self.a } else { &self.free };
        Instant { t: self.t, frames: &self.frames, v: &self.v, a, memory, rates: &[] }
    }
}

/// Velocities in the axes of the frames from those of the charts, or back.
fn turned(system: &System, layout: &Layout, frames: &[Frame], v: &mut [f64], into: bool) {
    for &id in &layout.motions {
        let (first, rot) = (system.nodes()[id].unknowns().start, &frames[id].rot);
        let linear = Vec3::from_column_slice(&v[first..first + 3]);
        let linear = if into { rot.tr_mul(&linear) } else { rot * linear };
        v[first..first + 3].copy_from_slice(linear.as_slice());
    }
}

/// Σ_j weight_j values_j.
#[inline]
pub(super) fn combined(weights: &[f64; MOST], values: &[f64]) -> f64 {
    values.iter().zip(weights).map(|(x, w)| x * w).sum()
}

impl Course {
    pub(super) fn new(system: &System, layout: &Layout, scheme: &Scheme, start: &State) -> Self {
        let (n, s) = (system.size(), scheme.stages());
        let mut course = Course {
            h: 1.0,
            is_continuous: scheme.is_continuous,
            start: start.clone(),
            start_w: vec![0.0; n],
            frames: vec![Frame::identity(); s * layout.motions.len()],
            values: vec![0.0; s * n],
            w: vec![0.0; s * n],
        };
        course.begin(system, layout, scheme, start, 1.0);
        course
    }

    /// An element of length h after a state, at rest there.
    pub(super) fn begin(&mut self, system: &System, layout: &Layout, scheme: &Scheme, start: &State, h: f64) {
        self.h = h;
        self.start.clone_from(start);
        self.start_w.copy_from_slice(&start.v);
        turned(system, layout, &start.frames, &mut self.start_w, true);
        let s = scheme.stages();
        for (frames, &id) in self.frames.chunks_exact_mut(s).zip(&layout.motions) {
            frames.fill(start.frames[id]);
        }
        self.values.fill(0.0);
        self.w.fill(0.0);
    }

    /// The same as another course.
    pub(crate) fn copy_from(&mut self, other: &Course) {
        self.h = other.h;
        self.start.clone_from(&other.start);
        self.start_w.copy_from_slice(&other.start_w);
        self.frames.copy_from_slice(&other.frames);
        self.values.copy_from_slice(&other.values);
        self.w.copy_from_slice(&other.w);
    }

    /// The path of a frame that turns.
    pub(super) fn path(&self, layout: &Layout, motion: usize) -> MotionPath {
        let s = self.frames.len() / layout.motions.len();
        let nodes = &self.frames[s * motion..s * (motion + 1)];
        MotionPath::new(&self.start.frames[layout.motions[motion]], nodes, self.is_continuous)
    }

    /// w at the Gauss points from the path.
    pub(super) fn take_velocities(&mut self, system: &System, layout: &Layout, scheme: &Scheme) {
        let (s, h) = (scheme.stages(), self.h);
        for (motion, &id) in layout.motions.iter().enumerate() {
            let path = self.path(layout, motion);
            let first = system.nodes()[id].unknowns().start;
            for (g, place) in scheme.balance.iter().enumerate() {
                let w = (path.at(place).speed - path.jump * place.jump_rate) / h;
                w.iter().enumerate().for_each(|(m, w)| self.w[s * (first + m) + g] = *w);
            }
        }
        for group in layout.groups.iter().filter(|group| group.unknown == Unknown::Coordinate) {
            for e in group.unknowns.clone() {
                let own = &self.values[s * e..s * e + s];
                for (g, place) in scheme.balance.iter().enumerate() {
                    self.w[s * e + g] = (combined(&place.slope, own) - place.jump_rate * own[0]) / h;
                }
            }
        }
    }

    /// w and ẇ of unknown e at a place.
    fn velocity(&self, place: &Place, e: usize) -> [f64; 2] {
        let s = place_count(&self.w, &self.start_w);
        let own = &self.w[s * e..s * e + s];
        let rate = combined(&place.rate, own) + place.start_rate * self.start_w[e];
        [combined(&place.stage, own) + place.start * self.start_w[e], rate / self.h]
    }

    /// The system at a place.
    pub(super) fn visit(&self, system: &System, layout: &Layout, place: &Place, out: &mut PlaceValues) {
        let s = place_count(&self.w, &self.start_w);
        out.t = self.start.t + place.alpha * self.h;
        for group in &layout.groups {
            for e in group.unknowns.clone() {
                let own = &self.values[s * e..s * e + s];
                [out.v[e], out.free[e]] = match group.unknown {
                    Unknown::Coordinate | Unknown::Motion => self.velocity(place, e),
                    Unknown::Variable => {
                        let rate = combined(&place.variable_rate, own) + place.start_rate * self.start_w[e];
                        [combined(&place.variable, own) + place.start * self.start_w[e], rate / self.h]
                    }
                    Unknown::Multiplier => [0.0, 0.0],
                };
            }
        }
        self.place_frames(system, layout, place, &mut out.frames);
        for (motion, &id) in layout.motions.iter().enumerate() {
            let first = system.nodes()[id].unknowns().start;
            let w = Vec6::from_column_slice(&out.v[first..first + 6]);
            let (linear, angular) = se3::split(&w);
            let c = Vec3::from_column_slice(&out.free[first..first + 3]) + angular.cross(&linear);
            (out.w[motion], out.c[motion]) = (w, c);
            out.free[first..first + 3].copy_from_slice(c.as_slice());
        }
        turned(system, layout, &out.frames, &mut out.v, false);
        turned(system, layout, &out.frames, &mut out.free, false);
        out.a.copy_from_slice(&out.free);
        for group in layout.groups.iter().filter(|group| group.unknown == Unknown::Multiplier) {
            let e = group.unknowns.start;
            out.a[e] = combined(&place.multiplier, &self.values[s * e..s * e + s]);
        }
    }

    /// The frames at a place.
    fn place_frames(&self, system: &System, layout: &Layout, place: &Place, out: &mut [Frame]) {
        let s = place_count(&self.w, &self.start_w);
        for (id, node) in system.nodes().iter().enumerate() {
            let mut moved = [0.0; 6];
            for (moved, e) in moved.iter_mut().zip(node.unknowns()) {
                *moved = combined(&place.base, &self.values[s * e..s * e + s]);
            }
            node.chart.retract_to(&self.start.frames[id], &moved, &mut out[id]);
        }
        for (motion, &id) in layout.motions.iter().enumerate() {
            out[id] = frame(&self.path(layout, motion).at(place).pose);
        }
    }

    /// The end of the element: configuration, velocities in the charts and variables.
    pub(super) fn end(&self, system: &System, layout: &Layout, scheme: &Scheme, out: &mut PlaceValues) {
        self.visit(system, layout, &scheme.end, out);
        let s = scheme.stages();
        for (nodes, &id) in self.frames.chunks_exact(s).zip(&layout.motions) {
            out.frames[id] = nodes[scheme.end_node];
        }
    }

    /// Increments in the charts from the state before to the end.
    pub(super) fn moved(&self, system: &System, layout: &Layout, scheme: &Scheme, out: &mut [f64]) {
        let (s, end) = (scheme.stages(), scheme.end_node);
        out.fill(0.0);
        for group in layout.groups.iter().filter(|group| group.unknown == Unknown::Coordinate) {
            group.unknowns.clone().for_each(|e| out[e] = self.values[s * e + end]);
        }
        for (nodes, &id) in self.frames.chunks_exact(s).zip(&layout.motions) {
            let (first, before) = (system.nodes()[id].unknowns().start, &self.start.frames[id]);
            out[first..first + 3].copy_from_slice((nodes[end].r - before.r).as_slice());
            let turn = so3::log(&before.rot.tr_mul(&nodes[end].rot));
            out[first + 3..first + 6].copy_from_slice(turn.as_slice());
        }
    }

    /// The continuous motion inside the element, by the Radau correction (motion-interpolation-galerkin
    /// §1.18), with jumps "after less before":
    ///
    /// ```text
    /// w*(α) = w(α) − r̄(α) [[w]],     q*(α) = q(α) − r̄(α) [[q]],     H*(α) = H_b exp( (1 − r̄(α)) jq ) exp( p(α) )
    /// ```
    /// Of order k + 2 where w is of order k + 1. A motion is moved at its start, so that it is continuous
    /// too.
    pub(super) fn corrected(
        &self,
        system: &System,
        layout: &Layout,
        scheme: &Scheme,
        alpha: f64,
        out: &mut State,
    ) {
        let (s, place, first) = (scheme.stages(), scheme.place(alpha), scheme.place(0.0));
        out.t = self.start.t + alpha * self.h;
        out.memory.copy_from_slice(&self.start.memory);
        for group in &layout.groups {
            for e in group.unknowns.clone() {
                let (own, w) = (&self.values[s * e..s * e + s], &self.w[s * e..s * e + s]);
                let before = self.start_w[e];
                let [here, after] = match group.unknown {
                    Unknown::Coordinate | Unknown::Motion => {
                        [combined(&place.stage, w), combined(&first.stage, w)]
                    }
                    Unknown::Variable => [combined(&place.variable, own), combined(&first.variable, own)],
                    Unknown::Multiplier => [0.0, before],
                };
                out.v[e] = here + place.start * before - place.correction * (after - before);
            }
        }
        for (id, node) in system.nodes().iter().enumerate() {
            let mut moved = [0.0; 6];
            for (moved, e) in moved.iter_mut().zip(node.unknowns()) {
                let own = &self.values[s * e..s * e + s];
                *moved = combined(&place.base, own) - place.correction * own[0];
            }
            node.chart.retract_to(&self.start.frames[id], &moved, &mut out.frames[id]);
        }
        for (motion, &id) in layout.motions.iter().enumerate() {
            let path = self.path(layout, motion);
            let back = path.jump * (1.0 - place.correction);
            out.frames[id] = frame(&(pose(&self.start.frames[id]).update(&back) * path.relative(&place)));
        }
        turned(system, layout, &out.frames, &mut out.v, false);
    }

    /// The jumps at the start, in the axes of the charts: of positions, and of velocities and variables.
    pub(super) fn jumps(
        &self,
        system: &System,
        layout: &Layout,
        scheme: &Scheme,
        position: &mut [f64],
        velocity: &mut [f64],
    ) {
        let (s, first) = (scheme.stages(), scheme.place(0.0));
        for group in &layout.groups {
            for e in group.unknowns.clone() {
                let (own, w) = (&self.values[s * e..s * e + s], &self.w[s * e..s * e + s]);
                let after = match group.unknown {
                    Unknown::Coordinate | Unknown::Motion => combined(&first.stage, w),
                    Unknown::Variable => combined(&first.variable, own),
                    Unknown::Multiplier => self.start_w[e],
                };
                (position[e], velocity[e]) = (0.0, after - self.start_w[e]);
                if group.unknown == Unknown::Coordinate {
                    position[e] = own[0];
                }
            }
        }
        for (motion, &id) in layout.motions.iter().enumerate() {
            let unknowns = system.nodes()[id].unknowns();
            position[unknowns].copy_from_slice(self.path(layout, motion).jump.as_slice());
        }
        turned(system, layout, &self.start.frames, position, false);
        turned(system, layout, &self.start.frames, velocity, false);
    }
}

/// A pose as a frame.
pub(super) fn frame(pose: &Pose) -> Frame {
    Frame { r: pose.r, rot: pose.rotation }
}

/// Numbers for each unknown.
fn place_count(all: &[f64], one: &[f64]) -> usize {
    if one.is_empty() { 1 } else { all.len() / one.len() }
}
