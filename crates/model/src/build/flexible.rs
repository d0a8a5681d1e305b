//! Flexible bodies of a model: numbers for their shapes, and the elements between them.

use super::parts::Parts;
use crate::spec::{FlexibleSpec, Model};
use poinsot_flexible::{Ball, InertiaIntegrals, ReducedBody};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::flexible::{Elasticity, FlexibleInertia, Interface, TransmittedLoad};
use poinsot_mechanics::{Body, Constraint, MassProperties, NodeId, SystemBuilder};

impl Parts<'_> {
    /// Adds the elements of a flexible body, whose frames and numbers are nodes already.
    pub fn flexible(&mut self, index: usize) {
        let spec = &self.model.flexible[index];
        let (frame, numbers, body) = (self.nodes[spec.frame], &self.shapes[index], &spec.body);
        let (inertia, ball) = shared_mass(body);
        let mut law = FlexibleInertia::new(frame, numbers, &inertia);
        if let Some(geometric) = &body.geometric {
            law = law.with_geometric(geometric);
        }
        let mut elasticity = Elasticity::new(numbers, &body.stiffness, &body.damping);
        if spec.one_way {
            (law, elasticity) = (law.one_way(&body.inertia), elasticity.uncounted());
        }
        self.builder.flexible_inertia(law);
        self.builder.force(&spec.name, Box::new(elasticity));
        for (i, (interface, index)) in body.interfaces.iter().zip(spec.interfaces.clone()).enumerate() {
            let properties = MassProperties::new(ball.mass, Vec3::zeros(), Mat3::identity() * ball.inertia);
            self.builder.body(Body::new(self.nodes[index], &properties));
            let name = &self.model.bodies[index].name;
            let tie = |numbers: &[NodeId], displacements, rotations| {
                Interface::new(self.nodes[index], frame, numbers, interface.place, displacements, rotations)
            };
            let (displacements, rotations) = (interface.displacements.clone(), interface.rotations.clone());
            if !spec.one_way {
                let tie = tie(numbers, displacements, rotations);
                let second = body.geometric.as_ref().map(|geometric| &geometric.loads[i]);
                let tie = match second {
                    Some(second) => tie.with_second_order(second),
                    None => tie,
                };
                self.builder.constraint(name, Box::new(tie));
                continue;
            }
            let tie = tie(&[], vec![], vec![]);
            let at = (self.builder.constraint(name, Box::new(tie.clone())), &tie as &dyn Constraint);
            let load = TransmittedLoad::new(numbers, at, &displacements, &rotations);
            self.builder.force(name, Box::new(load));
        }
    }
}

/// The share of a body's mass that its interfaces carry, each: it makes their equations of motion regular.
/// The sum stays the same; only the inertia of rotation of the share is that of rigid balls, which differs
/// from that of small rotations by terms of second order in the rotation.
const SHARE: f64 = 1e-3;

/// The integrals without the balls at the interfaces, and the ball: smaller where masses would not stay
/// positive.
fn shared_mass(body: &ReducedBody) -> (InertiaIntegrals, Ball) {
    let whole = &body.inertia;
    // J = tr(E) 1 − E about the mass centre; its mean is two thirds of tr(E).
    let spread = whole.second_moment.trace() - whole.first_moment.norm_squared() / whole.mass;
    let mut ball = Ball { mass: SHARE * whole.mass, inertia: SHARE * spread * 2.0 / 3.0 };
    for _ in 0..20 {
        let mut rest = whole.clone();
        body.interfaces.iter().for_each(|interface| rest.remove_ball(&ball, interface));
        if rest.is_positive() {
            return (rest, ball);
        }
        ball = Ball { mass: 0.1 * ball.mass, inertia: 0.1 * ball.inertia };
    }
    (whole.clone(), Ball { mass: 0.0, inertia: 0.0 })
}

/// Adds the numbers of the shapes of flexible bodies.
pub(super) fn add_numbers(model: &Model, builder: &mut SystemBuilder) -> Vec<Vec<NodeId>> {
    let mut numbers = |spec: &FlexibleSpec| {
        let name = |k| format!("{}.mode{}", spec.name, k + 1);
        (0..spec.body.size()).map(|k| builder.number(&name(k), 0.0, 0.0)).collect()
    };
    model.flexible.iter().map(&mut numbers).collect()
}
