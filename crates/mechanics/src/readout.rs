//! What can be read off a system: points, reactions, forces along coordinates.

use crate::assembly::{Scratch, reported};
use crate::beams::{SectionPlace, SectionState};
use crate::element_buffers::{MAX_CARRIED, MAX_ROWS};
use crate::forces::{Along, MAX_INPUTS};
use crate::nodes::carried::{Carried, NodeId};
use crate::system::System;
use crate::system::state::Instant;
use poinsot_geometry::{Mat3, Vec3, Vec6};

/// Motion of a point of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointMotion {
    /// Position, world.
    pub position: Vec3,
    /// Velocity, world.
    pub velocity: Vec3,
    /// Acceleration, world.
    pub acceleration: Vec3,
}

/// Orientation and angular motion of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AngularMotion {
    /// Rotation matrix, body to world.
    pub rotation: Mat3,
    /// Angular velocity, body axes.
    pub velocity_body: Vec3,
    /// Angular acceleration, body axes.
    pub acceleration_body: Vec3,
}

/// Reaction of a joint on its second body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reaction {
    /// Force, world axes.
    pub force: Vec3,
    /// Torque about the joint's point on the second body, world axes.
    pub torque: Vec3,
}

impl System {
    /// Motion of the point `c` (body axes) of a node.
    pub fn point_motion(&self, node: NodeId, c: &Vec3, at: &Instant) -> PointMotion {
        let carried = Carried::point(node, *c);
        let (z, v, a) = (&at.frames[node], self.twist(node, at.v), self.twist(node, at.a));
        PointMotion {
            position: carried.value(z),
            velocity: carried.velocity(z, &v),
            acceleration: carried.acceleration(z, &v, &a),
        }
    }

    /// Orientation and angular motion of a node.
    pub fn angular_motion(&self, node: NodeId, at: &Instant) -> AngularMotion {
        AngularMotion {
            rotation: at.frames[node].rot,
            velocity_body: self.twist(node, at.v).angular,
            acceleration_body: self.twist(node, at.a).angular,
        }
    }

    /// Reaction of constraint `index` on the node of its reaction point.
    pub fn reaction(&self, index: usize, at: &Instant, s: &mut Scratch) -> Reaction {
        let law = self.constraints[index].working();
        let chosen = law.carried()[law.reaction_point()];
        let joint = chosen.value(&at.frames[chosen.node]);
        let mut sum = Reaction { force: Vec3::zeros(), torque: Vec3::zeros() };
        for (place, x, f) in self.constraint_forces(index, at, s) {
            if place.carried.node != chosen.node {
                continue;
            }
            // A force on a direction u is the couple u × f; on a point it has the arm x − x_joint.
            let arm = if !place.carried.is_place() { x } else { x - joint };
            sum.force += f * place.carried.place();
            sum.torque += arm.cross(&f);
        }
        sum
    }

    /// Power −λᵀ(G v) that constraint `index` supplies, zero unless it is driven.
    pub fn drive_power(&self, index: usize, at: &Instant, s: &mut Scratch) -> f64 {
        let entry = &self.constraints[index];
        if !entry.driven {
            return 0.0;
        }
        let (law, places) = (entry.working(), entry.places_at(at.frames));
        let n = places.carried.len();
        self.positions(places, at.frames, s);
        for (xdot, place) in s.xdot.iter_mut().zip(&places.carried) {
            let c = &place.carried;
            *xdot = c.velocity(&at.frames[c.node], &self.twist(c.node, at.v));
        }
        let mut rate = [0.0; MAX_ROWS];
        let here = entry.configuration(self.law_time(at.t), at.memory, &s.x[..n]);
        law.push(&here, &s.xdot[..n], &mut rate, &mut s.gradients);
        reported(places, at.a).iter().zip(&rate).map(|(l, r)| -l * r).sum()
    }

    /// Multiplier of row `row` of constraint `index`, zero if the row was dropped.
    pub fn multiplier(&self, index: usize, row: usize, at: &Instant) -> f64 {
        self.row_equation(index, row).map_or(0.0, |eq| at.a[eq])
    }

    /// Coordinate, rate and force of force element `index`, if it acts along one.
    pub fn along(&self, index: usize, at: &Instant, s: &mut Scratch) -> Option<Along> {
        let law = &self.forces[index].law;
        self.with_motion(index, at, s, |m| law.extensions().coordinate.map(|c| c.along(m)))
    }

    /// Strains and stress resultants of force element `index` at a place ξ in [−1, 1], if it is a beam.
    pub fn section_state(
        &self,
        index: usize,
        xi: f64,
        at: &Instant,
        s: &mut Scratch,
    ) -> Option<SectionState> {
        let law = &self.forces[index].law;
        self.with_motion(index, at, s, |m| law.extensions().beam.map(|beam| beam.section_state(m, xi)))
    }

    /// Integrals of the stress over the fibres of force element `index` at a place (ξ, η) in [−1, 1], if it
    /// tells stresses: see
    /// [`StressElement::stress_resultants`](crate::ancf::solid::StressElement::stress_resultants).
    pub fn stress_resultants(
        &self,
        index: usize,
        place: [f64; 2],
        at: &Instant,
        s: &mut Scratch,
    ) -> Option<[Vec6; 3]> {
        let law = &self.forces[index].law;
        self.with_motion(index, at, s, |m| {
            law.extensions().stresses.map(|element| element.stress_resultants(m, place))
        })
    }

    /// Stress of force element `index` at a place (ξ, η) in [−1, 1] and a fibre (m), if it tells stresses:
    /// see [`StressElement::stress`](crate::ancf::solid::StressElement::stress).
    pub fn stress(
        &self,
        index: usize,
        place: [f64; 2],
        fibre: [f64; 2],
        at: &Instant,
        s: &mut Scratch,
    ) -> Option<Vec6> {
        let law = &self.forces[index].law;
        self.with_motion(index, at, s, |m| {
            law.extensions().stresses.map(|element| element.stress(m, place, fibre))
        })
    }

    /// Point of the line and section axes of force element `index` at a place ξ in [−1, 1], if it is a beam.
    pub fn section_place(
        &self,
        index: usize,
        xi: f64,
        at: &Instant,
        s: &mut Scratch,
    ) -> Option<SectionPlace> {
        let law = &self.forces[index].law;
        self.with_motion(index, at, s, |m| law.extensions().beam.and_then(|beam| beam.section_place(m, xi)))
    }

    /// The forces f_a of force `index` on its carried vectors.
    pub fn force_on_vectors(&self, index: usize, at: &Instant, s: &mut Scratch) -> Vec<Vec3> {
        let law = &self.forces[index].law;
        let mut f = vec![Vec3::zeros(); law.carried().len()];
        self.with_motion(index, at, s, |motion| law.force(motion, &mut f));
        f
    }

    /// The generalised forces of a unit of an input of force `index`, added to `out`; false if it has no such
    /// input.
    pub fn unit_input(
        &self,
        index: usize,
        component: usize,
        at: &Instant,
        out: &mut [f64],
        s: &mut Scratch,
    ) -> bool {
        let entry = &self.forces[index];
        let mut f = [Vec3::zeros(); MAX_CARRIED];
        let n = entry.places.carried.len();
        let has = self.with_motion(index, at, s, |motion| {
            let mut f = [Vec3::zeros(); MAX_CARRIED];
            let input = entry.law.extensions().input.filter(|input| component < input.inputs())?;
            let mut unit = [0.0; MAX_INPUTS];
            unit[component] = 1.0;
            input.push(&unit[..input.inputs()], motion, &mut f[..n]);
            Some(f)
        });
        if let Some(unit) = has {
            f = unit;
        }
        self.scatter_force(&entry.places, at.frames, &f[..n], 1.0, out);
        has.is_some()
    }

    /// Value and rate of tracked coordinate `index`.
    pub fn tracked(&self, index: usize, at: &Instant, s: &mut Scratch) -> (f64, f64) {
        let (coordinate, _) = &self.trackers.list[index];
        let n = coordinate.carried().len();
        for (k, c) in coordinate.carried().iter().enumerate() {
            s.x[k] = c.value(&at.frames[c.node]);
            s.xdot[k] = c.velocity(&at.frames[c.node], &self.twist(c.node, at.v));
        }
        let memory = at.memory[self.trackers.memory + index];
        (coordinate.value(&s.x[..n], memory), coordinate.rate(&s.x[..n], &s.xdot[..n]))
    }
}
