//! Flexible bodies of a model: numbers for their shapes, and the elements between them.

use super::parts::Parts;
use crate::spec::{FlexibleSpec, Model};
use poinsot_mechanics::flexible::{Elasticity, FlexibleInertia, Interface};
use poinsot_mechanics::{NodeId, SystemBuilder};

impl Parts<'_> {
    /// Adds the elements of a flexible body, whose frames and numbers are nodes already.
    pub fn flexible(&mut self, index: usize) {
        let spec = &self.model.flexible[index];
        let (frame, numbers, body) = (self.nodes[spec.frame], &self.shapes[index], &spec.body);
        self.builder.flexible_inertia(FlexibleInertia::new(frame, numbers, &body.inertia));
        let elasticity = Elasticity::new(numbers, &body.stiffness, &body.damping);
        self.builder.force(&spec.name, Box::new(elasticity));
        for (interface, index) in body.interfaces.iter().zip(spec.interfaces.clone()) {
            let name = &self.model.bodies[index].name;
            let law = Interface::new(
                self.nodes[index],
                frame,
                numbers,
                interface.place,
                interface.displacements.clone(),
                interface.rotations.clone(),
            );
            self.builder.constraint(name, Box::new(law));
        }
    }
}

/// Adds the numbers of the shapes of flexible bodies.
pub(super) fn add_numbers(model: &Model, builder: &mut SystemBuilder) -> Vec<Vec<NodeId>> {
    let mut numbers = |spec: &FlexibleSpec| {
        let name = |k| format!("{}.mode{}", spec.name, k + 1);
        (0..spec.body.size()).map(|k| builder.number(&name(k), 0.0, 0.0)).collect()
    };
    model.flexible.iter().map(&mut numbers).collect()
}
