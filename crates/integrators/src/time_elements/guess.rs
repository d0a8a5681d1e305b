//! Where Newton's iteration on a time element begins: what the motion before goes on as, or what another
//! element over the same time came to.

use crate::time_elements::course::{Course, combined, frame};
use crate::time_elements::element::TimeElement;
use crate::time_elements::layout::Unknown;
use crate::time_elements::motion_path::pose;
use crate::time_elements::scheme::{MOST, Place};
use poinsot_geometry::{Vec3, Vec6, se3};

/// Elements whose lengths differ by no more than this part have the same guess in their fractions.
const ALIKE: f64 = 0.2;
/// An element may be longer than what is known of its place by this part of it.
const LONGER: f64 = 0.25;
/// A step that is shorter than its place by more than this part does not tell what the place came to.
const WHOLE: f64 = 0.2;

/// What steps over places of a mesh came to.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownCourses {
    all: Vec<Option<Known>>,
}

/// What a step over a place of a mesh came to.
#[derive(Clone, Debug)]
struct Known {
    course: Course,
    /// Where the place begins in it, as a fraction.
    from: f64,
    /// Length of the place (s).
    length: f64,
}

impl KnownCourses {
    /// What is known of a step of length h that begins at a fraction of a place: a course, and the fraction
    /// and the share of it.
    pub fn of(&self, (place, from): (usize, f64), h: f64) -> Option<(&Course, f64, f64)> {
        let Known { course, from: first, length } = self.all.get(place)?.as_ref()?;
        let (first, share) = (first + from * length / course.h, h / course.h);
        (first + share <= 1.0 + LONGER).then_some((course, first, share))
    }

    /// Keeps what a step over a whole place came to.
    pub fn keep(&mut self, (place, from): (usize, f64), course: &Course) {
        if from > 0.0 {
            return;
        }
        if self.all.len() <= place {
            self.all.resize(place + 1, None);
        }
        match &mut self.all[place] {
            Some(known) if course.h < (1.0 - WHOLE) * known.length => {}
            Some(known) => {
                known.course.copy_from(course);
                (known.from, known.length) = (0.0, course.h);
            }
            none => *none = Some(Known { course: course.clone(), from: 0.0, length: course.h }),
        }
    }

    /// Every place falls into two halves.
    pub fn halve(&mut self) {
        let half = |known: &Known, k: usize| {
            let own = 0.5 * known.length;
            Known { from: known.from + k as f64 * own / known.course.h, length: own, ..known.clone() }
        };
        let halves = |known: &Option<Known>| [0, 1].map(|k| known.as_ref().map(|known| half(known, k)));
        self.all = self.all.iter().flat_map(halves).collect();
    }

    /// Nothing is known.
    pub fn clear(&mut self) {
        self.all.clear();
    }
}

impl TimeElement<'_> {
    /// Guess: the motion goes on with accelerations and multipliers that are known before the element.
    pub fn go_on(&mut self, a: &[f64]) {
        // d(Rᵀṙ)/dt = Rᵀr̈ − ω × Rᵀṙ.
        let turning = &mut self.other[0];
        turning.copy_from_slice(a);
        for &id in &self.layout.motions {
            let first = self.system.nodes()[id].unknowns().start;
            let w = Vec6::from_column_slice(&self.course.start_w[first..first + 6]);
            let (linear, angular) = se3::split(&w);
            let rot = &self.course.start.frames[id].rot;
            let rate = rot.tr_mul(&Vec3::from_column_slice(&a[first..first + 3])) - angular.cross(&linear);
            turning[first..first + 3].copy_from_slice(rate.as_slice());
        }
        self.go_on_with(a);
    }

    /// Guess: every frame goes on along its screw, with the velocity that it has in its own axes. What turns
    /// as one goes on turning as one, without a strain.
    pub fn go_on_turning(&mut self) {
        self.other[0].fill(0.0);
        self.go_on_with(&[]);
    }

    /// Goes on with the rates of velocities in `other[0]`, and the multipliers among `a`, zero without it.
    fn go_on_with(&mut self, a: &[f64]) {
        let (s, h) = (self.scheme.stages(), self.course.h);
        let turning = std::mem::take(&mut self.other[0]);
        for group in &self.layout.groups {
            for e in group.unknowns.clone() {
                let places = match group.unknown {
                    Unknown::Coordinate | Unknown::Motion => &self.scheme.balance,
                    Unknown::Variable | Unknown::Multiplier => &self.scheme.joints,
                };
                for (j, place) in places.iter().enumerate() {
                    let on = self.course.start_w[e] + place.alpha * h * turning[e];
                    let known = || a.get(e).copied().unwrap_or(0.0);
                    let value = if group.unknown == Unknown::Multiplier { known() } else { on };
                    let to = match group.unknown {
                        Unknown::Coordinate | Unknown::Motion => &mut self.course.w,
                        Unknown::Variable | Unknown::Multiplier => &mut self.course.values,
                    };
                    to[s * e + j] = value;
                }
            }
        }
        self.other[0] = turning;
        self.move_nodes();
        self.course.take_velocities(self.system, &self.layout, &self.scheme);
    }

    /// Guess: the motion is that of another element over a share of it that begins at a fraction, moved by
    /// what differs before. An element with momenta tells nothing of its parts: then there is none.
    pub(super) fn go_along(&mut self, other: &Course, first: f64, share: f64) -> bool {
        let s = self.scheme.stages();
        let (is_first, is_whole) = (first == 0.0, first == 0.0 && (share - 1.0).abs() < ALIKE);
        if !is_whole && self.scheme.is_mechanical {
            return false;
        }
        let inside = |place: &Place| match is_whole {
            true => *place,
            false => self.scheme.place(first + share * place.alpha),
        };
        let mut balance = [self.scheme.end; MOST];
        let mut joints = balance;
        balance.iter_mut().zip(&self.scheme.balance).for_each(|(to, place)| *to = inside(place));
        joints.iter_mut().zip(&self.scheme.joints).for_each(|(to, place)| *to = inside(place));
        let begin = if is_first { self.scheme.end } else { self.scheme.place(first) };
        let Course { start_w, values, w, .. } = &mut self.course;
        for group in self.layout.groups.iter().filter(|group| group.unknown != Unknown::Motion) {
            for e in group.unknowns.clone() {
                let before = other.start_w[e];
                let (from, was) = match group.unknown {
                    Unknown::Coordinate | Unknown::Motion => (&other.w[s * e..s * e + s], &begin.stage),
                    Unknown::Variable | Unknown::Multiplier => {
                        (&other.values[s * e..s * e + s], &begin.variable)
                    }
                };
                let was = if is_first { before } else { combined(was, from) + begin.start * before };
                let moved = start_w[e] - was;
                for j in 0..s {
                    let [at, joint] = [&balance[j], &joints[j]];
                    match group.unknown {
                        Unknown::Coordinate | Unknown::Motion => {
                            w[s * e + j] = combined(&at.stage, from) + at.start * before + moved;
                        }
                        Unknown::Variable => {
                            values[s * e + j] =
                                combined(&joint.variable, from) + joint.start * before + moved;
                        }
                        Unknown::Multiplier => values[s * e + j] = combined(&joint.multiplier, from),
                    }
                }
            }
        }
        self.move_nodes();
        self.move_frames_along(other, (first, share), is_whole);
        self.course.take_velocities(self.system, &self.layout, &self.scheme);
        true
    }

    /// [`Self::go_along`] for frames that turn.
    fn move_frames_along(&mut self, other: &Course, (first, share): (f64, f64), is_whole: bool) {
        let (s, scheme) = (self.scheme.stages(), &self.scheme);
        for (motion, &id) in self.layout.motions.iter().enumerate() {
            let path = other.path(&self.layout, motion);
            let was = match first == 0.0 {
                true => pose(&other.start.frames[id]),
                false => path.at(&scheme.place(first)).pose,
            };
            let moved = pose(&self.course.start.frames[id]) * was.inverse();
            let nodes = &mut self.course.frames[s * motion..s * (motion + 1)];
            if is_whole {
                let known = &other.frames[s * motion..s * (motion + 1)];
                nodes.iter_mut().zip(known).for_each(|(node, known)| *node = frame(&(moved * pose(known))));
                continue;
            }
            for (node, alpha) in nodes.iter_mut().zip(scheme.path_nodes()) {
                *node = frame(&(moved * path.at(&scheme.place(first + share * alpha)).pose));
            }
        }
    }

    /// The nodes of the path from the velocities at the Gauss points, exact but for frames that turn.
    fn move_nodes(&mut self) {
        let (s, h) = (self.scheme.stages(), self.course.h);
        let along = |w: &[f64], a: usize| h * combined(&self.scheme.nodes_of_velocities[a], w);
        for group in &self.layout.groups {
            match group.unknown {
                Unknown::Coordinate => {
                    for e in group.unknowns.clone() {
                        for a in 0..s {
                            self.course.values[s * e + a] = along(&self.course.w[s * e..s * e + s], a);
                        }
                    }
                }
                Unknown::Motion => {
                    let before = pose(&self.course.start.frames[self.layout.motions[group.motion]]);
                    for a in 0..s {
                        let moved = Vec6::from_fn(|m, _| {
                            let e = group.unknowns.start + m;
                            along(&self.course.w[s * e..s * e + s], a)
                        });
                        self.course.frames[s * group.motion + a] = frame(&before.update(&moved));
                    }
                }
                Unknown::Variable | Unknown::Multiplier => {}
            }
        }
    }
}
