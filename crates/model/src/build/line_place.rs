//! Places along lines that forces hold, as sums of what the nodes carry.
//!
//! ```text
//! cable      r(s) = Σ S_a(s) e_a,   r′(s) = Σ S_a′(s) e_a     e_a places and slopes of both nodes
//! director, element = "beam"        r(s) = Σ N_a(s) r_a
//! ```

use super::parts::{Argument, Parts};
use crate::diagnostic::{Diagnostic, Span};
use crate::quantity::Quantity;
use crate::spec::{BeamTheory, EndSpec, LinePlace};
use poinsot_geometry::Vec3;
use poinsot_mechanics::ancf::Cubic;
use poinsot_mechanics::beams::node_weights;
use poinsot_mechanics::{Carried, NodeId, Speed, SystemBuilder};

/// A place along a line as forces see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldPlace {
    pub place: LinePlace,
    /// The number of its point.
    pub point: NodeId,
    /// Its slope, on cables.
    pub slope: Option<Carried>,
}

impl Parts<'_> {
    /// Adds the places that forces hold.
    pub(super) fn hold_line_places(&mut self) {
        let model = self.model;
        for force in &model.forces {
            let load = force.kind.load().map(|load| load.on);
            let ends: Vec<&EndSpec> = force.kind.ends().into_iter().flatten().chain(load).collect();
            for place in ends.iter().filter_map(|end| end.line) {
                if !self.places.iter().any(|held| held.place == place) {
                    let held = self.held(place);
                    self.places.push(held);
                }
            }
        }
    }

    /// Refuses a quantity of a place between nodes where equations beside those of forces would read it.
    pub(super) fn on_nodes(&self, name: &str, quantity: Quantity, span: &Span) -> Result<(), Diagnostic> {
        let Some(Argument::Coordinate(s) | Argument::Speed(Speed::Rate(s))) = self.argument(quantity) else {
            return Ok(());
        };
        if !s.carried().iter().any(|c| self.builder.is_between(c)) {
            return Ok(());
        }
        Err(Diagnostic::error(format!(
            "`{name}` is measured at a place between nodes, which only forces read"
        ))
        .at(span.clone(), "constraints, drives and [[equations]] read nodes")
        .help("choose `elements` so that a node is there, or let the law of a force read it"))
    }

    fn held(&mut self, place: LinePlace) -> HeldPlace {
        let beam = &self.model.beams[place.beam];
        let (element, xi) = (place.at.element, place.at.xi());
        if let BeamTheory::Slopes(spec) = &beam.theory {
            let l = spec.bounds[element + 1] - spec.bounds[element];
            let [from, to] = self.ends_of(beam, element);
            let ends = [from.place, from.slope, to.place, to.slope];
            let shape = Cubic::at(0.5 * (1.0 + xi), l);
            let point = add_point(&mut self.builder, ends.into_iter().zip(shape.value));
            let slope = self.builder.between(ends.into_iter().zip(shape.slope).collect());
            return HeldPlace { place, point, slope: Some(Carried::slope(slope)) };
        }
        let first = beam.nodes.start + element * beam.order;
        let node = |k: usize| Carried::point(self.nodes[k], Vec3::zeros());
        let sum: Vec<_> = (first..).map(node).zip(node_weights(beam.order, xi)).collect();
        HeldPlace { place, point: add_point(&mut self.builder, sum), slope: None }
    }
}

/// The number of the point Σ w_a x_a; where that is a node alone, the node's.
fn add_point(builder: &mut SystemBuilder, sum: impl IntoIterator<Item = (Carried, f64)>) -> NodeId {
    let sum: Vec<_> = sum.into_iter().filter(|(_, weight)| *weight != 0.0).collect();
    match sum.as_slice() {
        [(carried, 1.0)] if carried.is_place() => carried.node,
        _ => builder.between(sum),
    }
}
