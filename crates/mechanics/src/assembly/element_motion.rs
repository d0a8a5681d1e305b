//! What an element sees of the motion: its carried vectors, their velocities, and how both depend on the
//! unknowns.

use super::scratch::{MAX_LOCAL, Scratch};
use crate::force::Motion;
use crate::nodes::carried::{columns, project};
use crate::nodes::chart::{Chart, Frame, Twist};
use crate::system::state::Instant;
use crate::system::{Places, System};
use poinsot_geometry::{Mat3, Vec3};

impl System {
    #[inline]
    pub(crate) fn positions(&self, places: &Places, frames: &[Frame], s: &mut Scratch) {
        for (x, place) in s.x.iter_mut().zip(&places.carried) {
            *x = place.carried.value(&frames[place.carried.node]);
        }
    }

    /// Twists of the watched nodes for velocities `v`, used until the next load.
    pub(crate) fn load_twists(&self, v: &[f64], s: &mut Scratch) {
        let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
        s.twists.resize(self.nodes.len(), still);
        for &k in &self.watched {
            let node = &self.nodes[k];
            s.twists[k] = node.chart.twist(&v[node.unknowns()]);
        }
    }

    #[inline]
    pub(crate) fn velocities(&self, places: &Places, frames: &[Frame], s: &mut Scratch) {
        for (xdot, place) in s.xdot.iter_mut().zip(&places.carried) {
            let node = place.carried.node;
            *xdot = place.carried.velocity(&frames[node], &s.twists[node]);
        }
    }

    pub(crate) fn columns(&self, places: &Places, frames: &[Frame], s: &mut Scratch) {
        for (p, place) in s.p.iter_mut().zip(&places.carried) {
            let c = &place.carried;
            *p = columns(&self.nodes[c.node].chart, &frames[c.node], c.c0, &c.c);
        }
    }

    /// ∂ẋ/∂q at fixed v: the columns of the carried vector ω × c.
    pub(crate) fn column_rates(&self, places: &Places, frames: &[Frame], s: &mut Scratch) {
        for (p, place) in s.p_rate.iter_mut().zip(&places.carried) {
            let c = &place.carried;
            let moved = s.twists[c.node].angular.cross(&c.c);
            *p = columns(&self.nodes[c.node].chart, &frames[c.node], 0.0, &moved);
        }
    }

    /// Multiplies the rotation columns of each node by the tangent of its retraction.
    pub(crate) fn turn_columns(&self, rows: &mut [[f64; MAX_LOCAL]], places: &Places, tangents: &[Mat3]) {
        for &(node, local) in &places.nodes {
            if !matches!(self.nodes[node].chart, Chart::Motion) {
                continue;
            }
            let t = &tangents[node];
            for row in rows.iter_mut() {
                let r = &mut row[local + 3..local + 6];
                let new = t.tr_mul(&Vec3::new(r[0], r[1], r[2]));
                r.copy_from_slice(new.as_slice());
            }
        }
    }

    /// Adds ∂(Pᵀf)/∂q at constant f, i.e. c̃ (Rᵀf)~ on the rotations of each carried vector's node.
    pub(crate) fn add_geometric(&self, places: &Places, frames: &[Frame], s: &mut Scratch) {
        for (place, f) in places.carried.iter().zip(&s.f).filter(|(place, _)| place.last == place.dofs) {
            let c = &place.carried;
            let pulled = frames[c.node].rot.tr_mul(f);
            match self.nodes[c.node].chart {
                Chart::Motion => {
                    // c̃ p̃ = p cᵀ − (c·p) I
                    let along = c.c.dot(&pulled);
                    for i in 0..3 {
                        let row = &mut s.local.k[place.local + 3 + i];
                        for j in 0..3 {
                            row[place.local + 3 + j] += pulled[i] * c.c[j];
                        }
                        row[place.local + 3 + i] -= along;
                    }
                }
                Chart::Planar { normal, .. } => {
                    let last = place.local + 2;
                    s.local.k[last][last] += normal.dot(&c.c.cross(&pulled.cross(&normal)));
                }
                _ => {}
            }
        }
    }

    #[inline]
    pub(crate) fn scatter_force(
        &self,
        places: &Places,
        frames: &[Frame],
        f: &[Vec3],
        sign: f64,
        out: &mut [f64],
    ) {
        for (place, f) in places.carried.iter().zip(f) {
            let node = place.carried.node;
            let chart = &self.nodes[node].chart;
            let q = &mut out[place.eq..place.eq + place.dofs];
            project(chart, &frames[node], &place.carried, &(f * sign), q);
        }
    }

    /// Evaluates `read` on the carried vectors of force `index`.
    #[inline]
    pub(crate) fn with_motion<T>(
        &self,
        index: usize,
        at: &Instant,
        s: &mut Scratch,
        read: impl FnOnce(&Motion) -> T,
    ) -> T {
        let entry = &self.forces[index];
        let places = &entry.places;
        let n = places.carried.len();
        self.positions(places, at.frames, s);
        for (xdot, place) in s.xdot.iter_mut().zip(&places.carried) {
            let c = &place.carried;
            *xdot = c.velocity(&at.frames[c.node], &self.twist(c.node, at.v));
        }
        let t = self.law_time(at.t);
        let reactions = self.reactions_read(&*entry.law, &entry.pressing(t, at, &s.x[..n]), &mut s.gradients);
        read(&Motion {
            reactions: &reactions[..entry.read()],
            ..entry.motion(t, at.memory, &s.x[..n], &s.xdot[..n])
        })
    }
}
