//! The looks that a model file gives, in place of those that follow from masses and joints.

use crate::scene::{along, placement, solid};
use poinsot_geometry::Pose;
use poinsot_model::Model;
use poinsot_model::spec::{BeamLook, BodyLook, Color, LookSolid, LookSpec, Solid as MassSolid};
use poinsot_results::scene::{SceneBeam, SceneBody, Shape, Solid};

/// Least extent of the outline of a beam that is drawn, in lengths of the model: a wire is still seen.
const WIRE: f64 = 0.006;

/// A body with its look.
pub fn dressed(model: &Model, k: usize, body: SceneBody) -> SceneBody {
    match model.looks.bodies.get(k) {
        Some(look) => SceneBody { shapes: shapes(look, body.shapes), ..body },
        None => body,
    }
}

/// What stands on the ground.
pub fn ground(model: &Model) -> Vec<Shape> {
    shapes(&model.looks.ground, vec![])
}

/// A beam with its look.
pub fn dressed_beam(beam: SceneBeam, look: Option<&BeamLook>, length: f64) -> SceneBeam {
    let Some(look) = look else { return beam };
    let color = look.color.as_ref().map(Color::to_string);
    let extent = look.outline.iter().flatten().fold(0.0, |most: f64, x| most.max(2.0 * x.abs()));
    if extent == 0.0 {
        return SceneBeam { color, ..beam };
    }
    let scale = (WIRE * length / extent).max(1.0);
    SceneBeam {
        outline: look.outline.iter().map(|corner| corner.map(|x| scale * x)).collect(),
        color,
        ..beam
    }
}

fn shapes(look: &BodyLook, otherwise: Vec<Shape>) -> Vec<Shape> {
    let shapes = match &look.solids {
        Some(solids) => solids.iter().map(given).collect(),
        None => otherwise,
    };
    let color = look.color.as_ref().map(Color::to_string);
    shapes.into_iter().map(|shape| Shape { color: shape.color.or_else(|| color.clone()), ..shape }).collect()
}

fn given(look: &LookSpec) -> Shape {
    let shape = match &look.solid {
        LookSolid::Shape(shape) => solid(&MassSolid::Shape(shape.clone()), &look.pose),
        LookSolid::Capsule { radius, length, axis } => {
            let pose = placement(&Pose::new(look.pose.r, look.pose.rotation * along(*axis)));
            let solid = Solid::Capsule { radius: *radius, length: *length };
            Shape { solid, pose, color: None, derived: false }
        }
    };
    Shape { color: look.color.as_ref().map(Color::to_string), ..shape }
}
