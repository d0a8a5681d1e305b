//! How a node turns that has slopes and no frame: nodes of plates, and of lines in space.
//!
//! ```text
//! line    ω = s × ṡ/s²
//! plate   ω = n × ṅ + ½ (n·(a × ȧ)/a² + n·(b × ḃ)/b²) n,      n the unit vector of a × b
//! ```

use crate::plate_scene::slopes_at;
use crate::study::Prepared;
use poinsot_geometry::Vec3;
use poinsot_mechanics::{Carried, Frame};
use poinsot_model::spec::BodyKind;

/// The turn of a body's node (world axes) by velocities `v`; none of nodes that turn themselves.
pub fn turn_of_slopes(prepared: &Prepared, frames: &[Frame], v: &[f64], k: usize) -> Option<Vec3> {
    let Prepared { model, system, assembly, .. } = prepared;
    let moved = |slope: &Carried| {
        let z = &frames[slope.node];
        (slope.value(z), slope.velocity(z, &system.twist(slope.node, v)))
    };
    match &model.bodies[k].kind {
        BodyKind::CableNode(cable) if !cable.is_framed => {
            // The slope of a node follows its place, see `SlopeNode::add_to`.
            let (s, rate) = moved(&Carried::slope(assembly.nodes[k] + 1));
            Some(of_line(&s, &rate))
        }
        BodyKind::PlateNode(_) => {
            let [a, b] = slopes_at(model, assembly, k)?.map(|slope| moved(&slope));
            Some(of_surface(a, b))
        }
        _ => None,
    }
}

fn of_line(s: &Vec3, rate: &Vec3) -> Vec3 {
    s.cross(rate) / s.norm_squared().max(f64::MIN_POSITIVE)
}

fn of_surface((a, a_rate): (Vec3, Vec3), (b, b_rate): (Vec3, Vec3)) -> Vec3 {
    let (area, rate) = (a.cross(&b), a_rate.cross(&b) + a.cross(&b_rate));
    let size = area.norm().max(f64::MIN_POSITIVE);
    let n = area / size;
    n.cross(&rate) / size + n * (0.5 * n.dot(&(of_line(&a, &a_rate) + of_line(&b, &b_rate))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_that_turn_together_tell_their_turn() {
        let spin = Vec3::new(0.3, -0.7, 1.1);
        let (a, b) = (Vec3::new(2.0, 0.1, 0.0), Vec3::new(0.4, 1.0, 0.3));
        let found = of_surface((a, spin.cross(&a)), (b, spin.cross(&b)));
        assert!((found - spin).norm() < 1e-14, "{found}");
        let along = a.normalize();
        let of_line = of_line(&a, &spin.cross(&a));
        assert!((of_line - (spin - along * along.dot(&spin))).norm() < 1e-14, "{of_line}");
    }
}
