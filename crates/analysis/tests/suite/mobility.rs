//! Mobility of mechanisms (lagrangian-dae-modeling VC-2.9 … VC-2.11): the count of Grübler and the rank of
//! the constraints.

use crate::mechanisms;

use mechanisms::*;
use poinsot_analysis::*;
use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::joints::*;
use poinsot_mechanics::*;

/// F = λ (l − j − 1) + Σ f_i; l counts the ground.
fn gruebler(lambda: i64, links: i64, freedoms: &[i64]) -> i64 {
    lambda * (links - freedoms.len() as i64 - 1) + freedoms.iter().sum::<i64>()
}

/// Freedoms that the constraints leave at the start, by rank.
fn mobility(builder: SystemBuilder) -> usize {
    let mut system = builder.build();
    consistent_start(&mut system, 0.0).unwrap_or_else(|error| panic!("{error}"));
    system.coordinates() - system.active_rows()
}

fn bars(points: &[(f64, f64, f64)]) -> (SystemBuilder, Vec<NodeId>) {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let bar = |(k, p): (usize, &(f64, f64, f64))| {
        let place = Vec3::new(p.0, p.1, p.2);
        rigid(&mut b, &format!("link {k}"), place, Mat3::identity(), 1.0, Vec3::new(0.1, 0.2, 0.3))
    };
    let nodes = points.iter().enumerate().map(bar).collect();
    (b, nodes)
}

/// A hinge along the third axis of the world.
fn hinge(b: &mut SystemBuilder, first: NodeId, second: NodeId, x: f64, y: f64) -> [Attachment; 2] {
    let ends = [first, second].map(|node| attach_at(b, node, Vec3::new(x, y, 0.0), Mat3::identity()));
    b.constraint(&format!("hinge {first}-{second}"), Box::new(revolute(&ends[0], &ends[1])));
    ends
}

#[test]
fn robot_with_two_hinges() {
    assert_eq!(gruebler(3, 3, &[1, 1]), 2);
    let (mut b, n) = bars(&[(0.5, 0.0, 0.0), (1.0, 0.5, 0.0)]);
    hinge(&mut b, GROUND, n[0], 0.0, 0.0);
    hinge(&mut b, n[0], n[1], 1.0, 0.0);
    assert_eq!(mobility(b), 2);
}

#[test]
fn slider_crank() {
    assert_eq!(gruebler(3, 4, &[1, 1, 1, 1]), 1);
    let (mut b, n) = bars(&[(0.3, 0.4, 0.0), (1.6, 0.4, 0.0), (2.6, 0.0, 0.0)]);
    hinge(&mut b, GROUND, n[0], 0.0, 0.0);
    hinge(&mut b, n[0], n[1], 0.6, 0.8);
    hinge(&mut b, n[1], n[2], 2.6, 0.0);
    // The slide runs along x.
    let ends =
        [GROUND, n[2]].map(|node| attach_at(&b, node, Vec3::new(2.6, 0.0, 0.0), axes_along(&Vec3::x())));
    b.constraint("slide", Box::new(prismatic(&ends[0], &ends[1])));
    assert_eq!(mobility(b), 1);
    // In space the same mechanism counts three freedoms less than it has: three rows are redundant.
    assert_eq!(gruebler(6, 4, &[1, 1, 1, 1]), -2);
}

#[test]
fn four_bar() {
    assert_eq!(gruebler(3, 4, &[1, 1, 1, 1]), 1);
    let (mut b, n) = bars(&[(0.0, 0.5, 0.0), (1.0, 1.25, 0.0), (2.0, 0.75, 0.0)]);
    hinge(&mut b, GROUND, n[0], 0.0, 0.0);
    hinge(&mut b, n[0], n[1], 0.0, 1.0);
    hinge(&mut b, n[1], n[2], 2.0, 1.5);
    hinge(&mut b, n[2], GROUND, 2.0, 0.0);
    assert_eq!(mobility(b), 1);
}

/// Two cranks that carry gears, and two more bars between them: the gears take one of the two freedoms (roll
/// and slide of the teeth: f = 2).
#[test]
fn geared_linkage() {
    assert_eq!(gruebler(3, 5, &[1; 5]), 2);
    assert_eq!(gruebler(3, 5, &[1, 1, 1, 1, 1, 2]), 1);
    for geared in [false, true] {
        let (mut b, n) = bars(&[(0.0, 0.5, 0.0), (0.5, 1.6, 0.0), (1.5, 1.7, 0.0), (2.0, 0.6, 0.0)]);
        let first = hinge(&mut b, GROUND, n[0], 0.0, 0.0);
        hinge(&mut b, n[0], n[1], 0.0, 1.0);
        hinge(&mut b, n[1], n[2], 1.0, 2.0);
        hinge(&mut b, n[2], n[3], 2.0, 1.2);
        let last = hinge(&mut b, GROUND, n[3], 2.0, 0.0);
        if geared {
            let angles = [first, last].map(|ends| Coordinate::angle(&ends[0], &ends[1]));
            let gear = couplings::gear(angles, [20.0, 30.0], false, 0.0, last[1].point());
            b.constraint("gears", Box::new(gear));
        }
        assert_eq!(mobility(b), if geared { 1 } else { 2 });
    }
}

/// VC-2.10: two rollers on fixed axles. The count says 0, for rolling takes two freedoms of any pair; but the
/// distance of the axles is r2 + r3 already, and they turn.
#[test]
fn two_rollers() {
    assert_eq!(gruebler(3, 3, &[1, 1, 1]), 0);
    let (mut b, n) = bars(&[(0.0, 0.0, 0.0), (3.0, 0.0, 0.0)]);
    let ends = [hinge(&mut b, GROUND, n[0], 0.0, 0.0), hinge(&mut b, GROUND, n[1], 3.0, 0.0)];
    let angles = ends.map(|ends| Coordinate::angle(&ends[0], &ends[1]));
    let rolling = couplings::gear(angles, [1.0, 2.0], false, 0.0, ends[1][1].point());
    b.constraint("rolling", Box::new(rolling));
    // Contact: the distance of the centres is r2 + r3, which the hinges give already.
    let centres = n.iter().map(|&node| attach(node, Vec3::zeros(), Mat3::identity())).collect::<Vec<_>>();
    b.constraint("contact", Box::new(distance(&centres[0], &centres[1], 3.0)));
    assert_eq!(mobility(b), 1);
}

/// VC-2.11: R-S-S-R, one freedom passive: the coupler turns about its own axis.
#[test]
fn spatial_four_bar_with_a_passive_freedom() {
    assert_eq!(gruebler(6, 4, &[1, 3, 3, 1]), 2);
    let (mut b, n) = bars(&[(0.0, 0.5, 0.0), (1.0, 1.1, 0.4), (2.0, 0.7, 0.9)]);
    let at = |b: &SystemBuilder, nodes: [NodeId; 2], p: Vec3, axis: Vec3| {
        nodes.map(|node| attach_at(b, node, p, axes_along(&axis)))
    };
    let ends = at(&b, [GROUND, n[0]], Vec3::zeros(), Vec3::z());
    b.constraint("crank", Box::new(revolute(&ends[0], &ends[1])));
    let ends = at(&b, [n[0], n[1]], Vec3::new(0.0, 1.0, 0.0), Vec3::z());
    b.constraint("ball 1", Box::new(spherical(&ends[0], &ends[1])));
    let ends = at(&b, [n[1], n[2]], Vec3::new(2.0, 1.2, 0.8), Vec3::z());
    b.constraint("ball 2", Box::new(spherical(&ends[0], &ends[1])));
    let ends = at(&b, [n[2], GROUND], Vec3::new(2.0, 0.2, 1.0), Vec3::x());
    b.constraint("rocker", Box::new(revolute(&ends[0], &ends[1])));
    assert_eq!(mobility(b), 2);
}
