//! Sliding joints: derivatives at random states, on lines by places and slopes and of section axes.

use crate::derivatives::{check, smooth};
use crate::random::Random;
use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::ancf::SlopeNode;
use poinsot_mechanics::joints::{Attachment, arc_length, sliding};
use poinsot_mechanics::*;

/// A line of four nodes near the x axis with a mass at each of its vectors.
fn line(rng: &mut Random, b: &mut SystemBuilder, plane: Option<[Vec3; 2]>) -> Vec<SlopeNode> {
    let flat = |v: Vec3| plane.map_or(v, |[e1, e2]| e1 * e1.dot(&v) + e2 * e2.dot(&v));
    let node = |k: usize| {
        let place = flat(Vec3::x() * k as f64 + rng.vector() * 0.2);
        let slope = flat(Vec3::x() + rng.vector() * 0.3);
        let rates = [flat(rng.vector()), flat(rng.vector())];
        let node = SlopeNode::add_to(b, &format!("node{k}"), plane, [place, slope], rates);
        for carried in [node.place, node.slope] {
            b.inertia(Inertia::new(vec![carried], |_, _| 0.7));
        }
        node
    };
    (0..4).map(node).collect()
}

fn elements(nodes: &[SlopeNode]) -> Vec<[SlopeNode; 2]> {
    nodes.windows(2).map(|pair| [pair[0], pair[1]]).collect()
}

/// A body in space, as an attachment with an arm.
fn body(rng: &mut Random, b: &mut SystemBuilder) -> Attachment {
    let start = Frame { r: rng.vector(), rot: rng.rotation() };
    let twist = Twist { linear: rng.vector(), angular: rng.vector() };
    let node = b.node("body", Chart::Motion, start, twist);
    let inertia = Mat3::from_diagonal(&Vec3::new(1.1, 1.3, 1.6));
    b.body(Body::new(node, &MassProperties::new(1.4, Vec3::zeros(), inertia)));
    Attachment { node, origin: rng.vector(), axes: rng.rotation() }
}

#[test]
fn derivatives_in_every_element() {
    let mut rng = Random(0x51d3_0001_beef_cafe);
    for s in [0.3, 1.4, 2.1, -0.2, 3.1] {
        for follows in [false, true] {
            for plane in [None, Some([Vec3::x(), Vec3::y()])] {
                let mut b = SystemBuilder::new(rng.vector());
                let nodes = line(&mut rng, &mut b, plane);
                let second = body(&mut rng, &mut b);
                let place = b.parameter("slide", s);
                let law = sliding(&second, place, &elements(&nodes), &[0.0, 1.0, 1.8, 3.0], follows);
                b.constraint("slide", Box::new(law));
                // The parameter moves, too.
                let drive = drives::coordinate_rate(arc_length(place), smooth("1 + t"), second.point());
                b.constraint("motor", Box::new(drive));
                let mut system = b.build();
                let mut state = system.start_state(0.0);
                let eq = system.nodes()[place].unknowns().start;
                state.v[eq] = 0.8;
                system.set_start(&state);
                check(&system, &mut rng, &format!("sliding at {s}, {follows}, {}", plane.is_some()));
            }
        }
    }
}

/// Nodes with section axes lend their third axes as slopes.
#[test]
fn derivatives_on_lines_of_section_axes() {
    let mut rng = Random(0x51d3_0002_beef_cafe);
    for s in [0.4, 1.3] {
        let mut b = SystemBuilder::new(rng.vector());
        let nodes: Vec<SlopeNode> = (0..3)
            .map(|_| {
                let at = body(&mut rng, &mut b);
                SlopeNode {
                    place: Carried::point(at.node, Vec3::zeros()),
                    slope: Carried::direction(at.node, Vec3::z()),
                }
            })
            .collect();
        let second = body(&mut rng, &mut b);
        let place = b.parameter("slide", s);
        b.constraint("slide", Box::new(sliding(&second, place, &elements(&nodes), &[0.0, 1.0, 1.8], true)));
        check(&b.build(), &mut rng, "sliding along section axes");
    }
}

/// The pattern has room for every element, whichever the joint is in.
#[test]
fn it_passes_from_element_to_element() {
    let mut rng = Random(0x51d3_0003_beef_cafe);
    let mut b = SystemBuilder::new(Vec3::zeros());
    let nodes = line(&mut rng, &mut b, None);
    let second = body(&mut rng, &mut b);
    let place = b.parameter("slide", 0.5);
    b.constraint("slide", Box::new(sliding(&second, place, &elements(&nodes), &[0.0, 1.0, 1.8, 3.0], true)));
    let mut system = b.build();
    for s in [0.5, 0.999, 1.001, 2.5, 1.2] {
        let mut state = system.start_state(0.0);
        state.frames[place].r.x = s;
        system.set_start(&state);
        check(&system, &mut rng, &format!("sliding, moved to {s}"));
    }
    let switches = Switches::of(&system);
    assert_eq!((switches.len(), switches.levels(0).around(1.2)), (1, Some((1.0, 1.8))));
}
