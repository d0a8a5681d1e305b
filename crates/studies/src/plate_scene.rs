//! Plates in pictures: their nodes with axes and slopes, between which a smooth surface is drawn.

use poinsot_geometry::{Mat3, Vec3, Vec6};
use poinsot_mechanics::{Carried, Instant};
use poinsot_model::spec::{BodyKind, PlateSpec};
use poinsot_model::{Assembly, Model};
use poinsot_results::Block;
use poinsot_results::scene::ScenePlate;

/// Least thickness that is drawn, in lengths of the model.
const THIN: f64 = 0.002;

/// All plates.
pub fn scene_plates(model: &Model, length: f64) -> Vec<ScenePlate> {
    let mut first: usize = model.beams.iter().map(|beam| beam.elements()).sum();
    let scene = |plate: &PlateSpec| {
        let elements = plate.elements;
        first += elements[0] * elements[1];
        ScenePlate {
            name: plate.name.clone(),
            nodes: plate.nodes.clone().collect(),
            elements,
            first: first - elements[0] * elements[1],
            slopes: Block::f32(&[plate.reference.len(), 6], slopes(plate)),
            thickness: plate.thickness.max(THIN * length),
            color: plate.color.as_ref().map(ToString::to_string),
        }
    };
    model.plates.iter().map(scene).collect()
}

/// Slopes of the nodes over an element in their own axes, where the plate is modelled.
fn slopes(plate: &PlateSpec) -> Vec<f32> {
    let lengths = [0, 1].map(|d| plate.sides[d] / plate.elements[d] as f64);
    let of_node = |vectors: &Vec<Vec3>| {
        let (by_u, by_v) = (vectors[1], vectors[2]);
        let axes = surface_axes(&by_u, &by_v).unwrap_or_else(Mat3::identity);
        [axes.tr_mul(&by_u) * lengths[0], axes.tr_mul(&by_v) * lengths[1]]
    };
    plate.reference.iter().flat_map(of_node).flat_map(|slope| [0, 1, 2].map(|i| slope[i] as f32)).collect()
}

/// Axes of a node of a plate: along the first side, across it, the normal.
pub fn axes_on_plate(model: &Model, assembly: &Assembly, at: &Instant, k: usize) -> Option<Mat3> {
    let [by_u, by_v] = slopes_at(model, assembly, k)?.map(|slope| slope.value(&at.frames[slope.node]));
    surface_axes(&by_u, &by_v)
}

/// The slopes of a node of a plate.
pub fn slopes_at(model: &Model, assembly: &Assembly, k: usize) -> Option<[Carried; 2]> {
    let BodyKind::PlateNode(_) = &model.bodies[k].kind else { return None };
    let plate = model.plates.iter().position(|plate| plate.nodes.contains(&k))?;
    Some(assembly.plate_slopes[plate][k - model.plates[plate].nodes.start])
}

fn surface_axes(by_u: &Vec3, by_v: &Vec3) -> Option<Mat3> {
    let along = by_u.try_normalize(f64::MIN_POSITIVE.sqrt())?;
    let normal = by_u.cross(by_v).try_normalize(f64::MIN_POSITIVE.sqrt())?;
    Some(Mat3::from_columns(&[along, normal.cross(&along), normal]))
}

/// Forces and moments of a strip along the first side in the axes of its section, as a beam has them, from
/// those per length: shear 13, shear 12 and tension 11; no moment about the normal, bending 11, torque 12.
pub fn strip_resultant([force, moment, _]: &[Vec6; 3], width: f64) -> [f64; 6] {
    [force[4], force[3], force[0], 0.0, -moment[0], moment[3]].map(|x| x * width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_of_oblique_slopes_lie_in_the_surface() {
        let axes = surface_axes(&Vec3::new(0.0, 2.0, 0.0), &Vec3::new(-1.0, 5.0, 0.0)).unwrap();
        assert_eq!(axes, Mat3::from_columns(&[Vec3::y(), -Vec3::x(), Vec3::z()]));
        assert_eq!(surface_axes(&Vec3::x(), &Vec3::x()), None);
    }
}
