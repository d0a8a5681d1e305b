//! Laws of the state on beams and plates whose slopes are the axes of sections: loads along beams, and forces
//! on plates, against differences.

use crate::derivatives;
use crate::random::Random;
use poinsot_expr::{Expr, Function};
use poinsot_flexible::{Isotropic, Material};
use poinsot_geometry::{Mat3, Vec3, Vec6};
use poinsot_mechanics::ancf::solid::*;
use poinsot_mechanics::beams::{LoadAxes, Section, SectionMass, StateLoad};
use poinsot_mechanics::forces::{CoordinateForce, Governed, PointForce};
use poinsot_mechanics::joints::{Attachment, revolute};
use poinsot_mechanics::*;

fn function(text: &str, arguments: &[&str]) -> Function {
    Function::new(&Expr::parse(text).unwrap(), arguments, &|_| None).unwrap()
}

fn at(node: NodeId) -> Attachment {
    Attachment { node, origin: Vec3::zeros(), axes: Mat3::identity() }
}

/// What a vector of a node is, in space and in the plane.
struct Kind {
    plane: bool,
}

impl Kind {
    fn flat(&self, v: Vec3) -> Vec3 {
        if self.plane { Vec3::new(v.x, v.y, 0.0) } else { v }
    }

    fn add(&self, rng: &mut Random, b: &mut SystemBuilder, r: Vec3, is_slope: bool) -> Carried {
        let (e1, e2) = (Vec3::x(), Vec3::y());
        let chart = match (self.plane, is_slope) {
            (true, true) => Chart::PlanarSlope { e1, e2 },
            (true, false) => Chart::PlanarPoint { e1, e2 },
            (false, true) => Chart::Slope,
            (false, false) => Chart::Point,
        };
        let rate = Twist { linear: self.flat(rng.vector()), angular: Vec3::zeros() };
        let node = b.node("v", chart, Frame { r, rot: Mat3::identity() }, rate);
        if is_slope { Carried::slope(node) } else { Carried::point(node, Vec3::zeros()) }
    }
}

/// A body that turns about a joint, whose reaction and motion laws read.
fn hub(rng: &mut Random, b: &mut SystemBuilder, kind: &Kind) -> (Attachment, usize) {
    let chart = match kind.plane {
        true => Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::z() },
        false => Chart::Motion,
    };
    let spin = if kind.plane { Vec3::z() * rng.next() } else { rng.vector() };
    let twist = Twist { linear: kind.flat(rng.vector()), angular: spin };
    let start = Frame { r: kind.flat(rng.vector()) - Vec3::y() * 2.0, rot: Mat3::identity() };
    let node = b.node("hub", chart, start, twist);
    let inertia = Mat3::from_diagonal(&Vec3::new(1.1, 1.3, 1.6));
    b.body(Body::new(node, &MassProperties::new(1.5, Vec3::zeros(), inertia)));
    let rim = Attachment { origin: kind.flat(rng.vector()), ..at(node) };
    let joint = b.constraint("c", Box::new(revolute(&Attachment { node: GROUND, ..rim }, &rim)));
    (rim, joint)
}

/// Loads per length that read place, velocity, slopes, a length, its rate, a spin and a reaction.
#[test]
fn loads_along_section_beams() {
    let mut rng = Random(2718);
    for plane in [true, false] {
        for (order, round) in [(1, 0), (1, 1), (2, 0), (2, 1)] {
            let kind = Kind { plane };
            let mut b = SystemBuilder::new(rng.vector() * 9.0);
            let (rim, joint) = hub(&mut rng, &mut b, &kind);
            // The line along x; in the plane the second axis is normal to it.
            let rot = Mat3::from_columns(&[Vec3::y(), Vec3::z(), Vec3::x()]);
            let (mut vectors, mut nodes, mut reference) = (vec![], vec![], vec![]);
            for k in 0..=order {
                let r = Vec3::x() * (0.8 * k as f64);
                let place = r + kind.flat(rng.vector()) * 0.1;
                let mut own = vec![kind.add(&mut rng, &mut b, place, false)];
                for axis in 0..2 {
                    let slope = rot.column(axis).into_owned() + kind.flat(rng.vector()) * 0.2;
                    own.push(match (plane, axis) {
                        (true, 1) => Carried::direction(GROUND, Vec3::z()),
                        _ => kind.add(&mut rng, &mut b, slope, true),
                    });
                }
                nodes.push(at(own[0].node));
                reference.push(Frame { r, rot });
                vectors.push(own);
            }
            let flat_vectors = vectors.concat();
            let straight: Vec<Vec3> = reference
                .iter()
                .flat_map(|z| [z.r, z.rot.column(0).into_owned(), z.rot.column(1).into_owned()])
                .collect();
            let mass = SectionMass { mass: 1.3, first: [0.0; 2], second: [0.2, 0.3, 0.0] };
            let stiffness = Vec6::new(30.0, 25.0, 60.0, 3.0, 2.0, 4.0);
            let section = Section::given(poinsot_geometry::Mat6::from_diagonal(&stiffness), mass);
            let tension = Vec6::new(0.0, 0.0, 2.0, 0.0, 0.0, 0.0);
            let element = section_beam(&flat_vectors, &straight, &section, &tension, 1.3).unwrap();
            b.inertia(section_beam_mass(&flat_vectors, &straight, &mass).unwrap());
            b.force("beam", Box::new(element));
            let names = [
                "t", "s", "x", "y", "z", "u", "v", "w", "ax", "ay", "az", "bx", "by", "bz", "cx", "cy", "cz",
                "far", "closing", "turning", "p",
            ];
            let texts = match round {
                0 => ["x*y + far*s - u^2", "w*bz*turning + sin(ax*z) + 0.2*p", "ay*v + bx*far - t"],
                _ => ["ax*by - ay*bx + 0.1*p*u", "x*closing + az^2", "exp(-far)*v - turning*y*s"],
            };
            let laws = texts.map(|text| function(text, &names));
            let last = nodes[order];
            let readings = vec![
                Reading::Coordinate(Coordinate::distance(&rim, &last)),
                Reading::Speed(Speed::Rate(Coordinate::distance(&rim, &nodes[0]))),
                Reading::Speed(Speed::spin(rim.node, Carried::direction(rim.node, Vec3::z()))),
            ];
            let part = ReactionPart::Force(ReadDirection::Carried(Carried::direction(rim.node, Vec3::x())));
            let reactions = vec![ReactionReading::new(joint, b.constraint_law(joint), part)];
            let read = (readings, reactions, vec![]);
            let on = (nodes.as_slice(), reference.as_slice());
            let load = StateLoad::on_vectors(&vectors, on, 0.3, LoadAxes::World, read, &laws).unwrap();
            b.force("law", Box::new(load));
            let label = format!("law {round} on sections of order {order}, plane {plane}");
            derivatives::check(&b.build(), &mut rng, &label);
        }
    }
}

/// Forces on the nodes of plates, and springs between places of them, that read places, slopes, lengths,
/// their rates and a reaction.
#[test]
fn laws_on_plates() {
    let mut rng = Random(31);
    let (space, size) = (Kind { plane: false }, [0.9, 0.7]);
    let [ex, ey, ez] = [Vec3::x(), Vec3::y(), Vec3::z()];
    let corners = [Vec3::zeros(), ex * size[0], ex * size[0] + ey * size[1], ey * size[1]];
    let material = Material::isotropic(Isotropic { young: 70.0, poisson: 0.3 }, 2.0).unwrap();
    let constitution = Constitution { initial: Vec6::zeros(), viscosity: 0.0 };
    for thick in [false, true] {
        let mut b = SystemBuilder::new(rng.vector() * 9.0);
        let (rim, joint) = hub(&mut rng, &mut b, &space);
        let slopes: &[Vec3] = if thick { &[ex, ey, ez] } else { &[ex, ey] };
        let (mut vectors, mut flat) = (vec![], vec![]);
        for corner in corners {
            let moved = corner + rng.vector() * 0.1;
            vectors.push(space.add(&mut rng, &mut b, moved, false));
            flat.push(corner);
            for slope in slopes {
                let turned = slope + rng.vector() * 0.1;
                vectors.push(space.add(&mut rng, &mut b, turned, true));
                flat.push(*slope);
            }
        }
        let element = if thick {
            let section = PlateSection::of_thickness(0.2);
            b.inertia(thick_plate_mass(&vectors, &flat, size, 0.2, 2.0).unwrap());
            thick_plate(&vectors, &flat, size, &section, &material, &constitution).unwrap()
        } else {
            b.inertia(thin_plate_mass(&vectors, &flat, size, 0.2, 2.0).unwrap());
            thin_plate(&vectors, &flat, size, 0.2, &material, &constitution).unwrap()
        };
        b.force("plate", Box::new(element));
        let stride = 1 + slopes.len();
        let node = |k: usize| at(vectors[stride * k].node);
        let readings = vec![
            Reading::Coordinate(Coordinate::component(vectors[1], 2)),
            Reading::Coordinate(Coordinate::Cosine([vectors[1], vectors[stride + 2]])),
            Reading::Coordinate(Coordinate::distance(&node(2), &rim)),
            Reading::Speed(Speed::Rate(Coordinate::distance(&node(0), &node(2)))),
            Reading::Speed(Speed::Rate(Coordinate::component(vectors[2 * stride + 1], 0))),
        ];
        let part = ReactionPart::Torque(ReadDirection::Line(rim.point(), node(1).point()));
        let reactions = vec![ReactionReading::new(joint, b.constraint_law(joint), part)];
        let names = ["t", "tilt", "shear", "far", "closing", "turning", "p"];
        let texts = ["tilt*closing + 0.1*p", "sin(far)*shear - turning^2", "t*tilt - far*closing*shear"];
        let laws = texts.map(|text| function(text, &names));
        let idle = PointForce::dead(node(1).node, Vec3::zeros(), [0.0; 3].map(Function::constant));
        let law = Governed::pressed(Box::new(idle), readings, reactions, &laws).unwrap();
        b.force("law", Box::new(law));
        // A spring from the hub to a place inside, by the bilinear shares of the corners.
        let [x, y] = [0.3, 0.6];
        let shares = [(1.0 - x) * (1.0 - y), x * (1.0 - y), x * y, (1.0 - x) * y];
        let inside = at(b.between(shares.iter().enumerate().map(|(k, w)| (node(k).point(), *w)).collect()));
        let coordinate = Coordinate::distance(&inside, &rim);
        let law = Some(function("s*v + cos(t)*s^2", &["t", "s", "v"]));
        b.force(
            "spring",
            Box::new(CoordinateForce { coordinate, stiffness: 5.0, damping: 0.2, free: 0.5, law }),
        );
        derivatives::check(&b.build(), &mut rng, &format!("laws on a plate, thick {thick}"));
    }
}
