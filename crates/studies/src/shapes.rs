//! Shapes of bodies and joints that vibrate or buckle.

use crate::failure::StudyError;
use crate::node_turn::turn_of_slopes;
use crate::study::Prepared;
use poinsot_geometry::Vec3;
use poinsot_mechanics::{Frame, State};
use poinsot_model::spec::{BeamSpec, BodyRef};
use poinsot_numerics::dense::c64;
use poinsot_results as results;

/// Shapes with the bodies and joints of a state.
pub fn shapes_about(
    prepared: &Prepared,
    state: &State,
    shapes: Vec<results::ModeShape>,
) -> Result<results::ModeShapes, StudyError> {
    let Prepared { model, system, assembly, .. } = prepared;
    let zero = vec![0.0; system.size()];
    let at = poinsot_integrators::instant(state, &zero);
    let frame = |(k, body): (usize, &poinsot_model::spec::BodySpec)| {
        let z = &state.frames[assembly.nodes[k]];
        results::BodyFrame {
            name: body.name.clone(),
            position: assembly.position(BodyRef::Body(k), &at).into(),
            rotation: std::array::from_fn(|i| std::array::from_fn(|j| z.rot[(i, j)])),
            centre_of_mass: z.r.into(),
        }
    };
    let bodies = model.bodies.iter().enumerate().map(frame).collect();
    let link = |joint: &poinsot_model::spec::JointSpec| {
        let end = |end: &poinsot_model::spec::EndSpec| {
            let z = &state.frames[assembly.node(end.body)];
            let body = match end.body {
                BodyRef::Ground => None,
                BodyRef::Body(k) => Some(k),
            };
            let position = (z.r + z.rot * assembly.from_node(end.body, &end.frame.r)).into();
            results::LinkEnd { body, position }
        };
        results::Link { name: joint.name.clone(), ends: [end(&joint.first), end(&joint.second)] }
    };
    let node =
        |k: usize| results::LinkEnd { body: Some(k), position: state.frames[assembly.nodes[k]].r.into() };
    let line = |beam: &BeamSpec| {
        let pieces = beam.nodes.clone().zip(beam.nodes.clone().skip(1));
        let name = beam.name.clone();
        pieces.map(move |(a, b)| results::Link { name: name.clone(), ends: [node(a), node(b)] })
    };
    let links = model.joints.iter().map(link).chain(model.beams.iter().flat_map(line)).collect();
    Ok(results::ModeShapes::new(bodies, links, system.length_scale(), shapes)?)
}

/// How far a shape deforms flexible bodies along theirs.
pub fn deformations(prepared: &Prepared, shape: &[c64]) -> Vec<results::Complex> {
    let part = |pick: fn(&c64) -> f64| shape.iter().map(pick).collect::<Vec<f64>>();
    let (re, im) = (part(|c| c.re), part(|c| c.im));
    let along = |node: usize, values: &[f64]| prepared.system.twist(node, values).linear.x;
    let nodes = prepared.assembly.shapes.iter().flatten();
    nodes.map(|&node| results::Complex::new(along(node, &re), along(node, &im))).collect()
}

/// How a shape moves each body of a state.
pub fn amplitudes(prepared: &Prepared, state: &[Frame], shape: &[c64]) -> Vec<results::BodyAmplitude> {
    let part = |pick: fn(&c64) -> f64| shape.iter().map(pick).collect::<Vec<f64>>();
    let (re, im) = (part(|c| c.re), part(|c| c.im));
    let moved = |(k, &node): (usize, &usize)| {
        let [(a, tilt_a), (b, tilt_b)] = [&re, &im].map(|values| {
            let twist = prepared.system.twist(node, values);
            let of_slopes = turn_of_slopes(prepared, state, values, k);
            (twist.linear, of_slopes.unwrap_or_else(|| state[node].rot * twist.angular))
        });
        let complex = |re: Vec3, im: Vec3| {
            results::ComplexVector::new(std::array::from_fn(|k| results::Complex::new(re[k], im[k])))
        };
        results::BodyAmplitude { translation: complex(a, b), rotation: complex(tilt_a, tilt_b) }
    };
    prepared.assembly.nodes.iter().enumerate().map(moved).collect()
}
