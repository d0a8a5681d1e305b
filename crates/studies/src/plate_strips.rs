//! Plates in pictures: strips along the first side, drawn like beams.

use poinsot_geometry::{Mat3, Vec3, Vec6};
use poinsot_mechanics::Instant;
use poinsot_model::spec::BodyKind;
use poinsot_model::{Assembly, Model};
use poinsot_results::scene::SceneBeam;

/// Least thickness that is drawn, in lengths of the model.
const THIN: f64 = 0.002;

/// The strips of all plates: one for each row of elements, from its line of nodes towards the next.
pub fn strips(model: &Model, length: f64) -> Vec<SceneBeam> {
    let mut first: usize = model.beams.iter().map(|beam| beam.elements()).sum();
    let mut strips = vec![];
    for plate in &model.plates {
        let [nu, nv] = plate.elements;
        for j in 0..nv {
            let line = plate.nodes.start + j * (nu + 1);
            // The strip is as wide as the distance to the next line where it is modelled.
            let place = |k: usize| plate.reference[k][0];
            let apart = |i: usize| (place((j + 1) * (nu + 1) + i) - place(j * (nu + 1) + i)).norm();
            let width = (0..=nu).map(apart).sum::<f64>() / (nu + 1) as f64;
            let half = 0.5 * plate.thickness.max(THIN * length);
            strips.push(SceneBeam {
                name: if nv == 1 { plate.name.clone() } else { format!("{}.strip{j}", plate.name) },
                nodes: (line..=line + nu).collect(),
                order: 1,
                elements: nu,
                first,
                outline: vec![[half, width], [-half, width], [-half, 0.0], [half, 0.0]],
                color: plate.color.as_ref().map(ToString::to_string),
            });
            first += nu;
        }
    }
    strips
}

/// Axes of a node of a plate as those of a section: the normal, the direction across the strip, the first
/// side.
pub fn axes_on_plate(model: &Model, assembly: &Assembly, at: &Instant, k: usize) -> Option<Mat3> {
    let BodyKind::PlateNode(_) = &model.bodies[k].kind else { return None };
    let plate = model.plates.iter().position(|plate| plate.nodes.contains(&k))?;
    let slopes = assembly.plate_slopes[plate][k - model.plates[plate].nodes.start];
    let [by_u, by_v] = slopes.map(|slope| slope.value(&at.frames[slope.node]));
    section_axes(&by_u, &by_v)
}

fn section_axes(by_u: &Vec3, by_v: &Vec3) -> Option<Mat3> {
    let along = by_u.try_normalize(f64::MIN_POSITIVE.sqrt())?;
    let normal = by_u.cross(by_v).try_normalize(f64::MIN_POSITIVE.sqrt())?;
    Some(Mat3::from_columns(&[normal, normal.cross(&along), along]))
}

/// Forces and moments of a strip in section axes, from those per length: shear 13, shear 12 and tension 11;
/// no moment about the normal, bending 11, torque 12.
pub fn strip_resultant([force, moment, _]: &[Vec6; 3], width: f64) -> [f64; 6] {
    [force[4], force[3], force[0], 0.0, -moment[0], moment[3]].map(|x| x * width)
}
