//! Solids as triangles with normals at their corners.

use crate::scene::{Shape, Solid};
use nalgebra::{Isometry3, Point3, Quaternion, Rotation3, Translation3, UnitQuaternion, Vector3};
use std::f64::consts::{PI, TAU};

/// Corners around a round solid.
const AROUND: usize = 48;
/// Rings from pole to pole of a sphere.
const RINGS: usize = 16;
/// Cosine of the angle between triangles that look like one smooth surface: 40°.
const SMOOTH: f64 = 0.766;
/// A polygon with so many corners is a round section.
const ROUND: usize = 12;

pub(crate) type Vector = Vector3<f64>;

/// A triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Facet {
    pub corners: [Vector; 3],
    pub normals: [Vector; 3],
}

impl Facet {
    pub fn moved(&self, pose: &Isometry3<f64>) -> Facet {
        Facet {
            corners: self.corners.map(|corner| (pose * Point3::from(corner)).coords),
            normals: self.normals.map(|normal| pose.rotation * normal),
        }
    }

    /// With the normal of its plane.
    pub fn flat(corners: [Vector; 3]) -> Facet {
        let [a, b, c] = corners;
        let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or(Vector::z());
        Facet { corners, normals: [normal; 3] }
    }
}

/// A shape in the axes of what carries it.
pub(crate) fn facets(shape: &Shape) -> Vec<Facet> {
    let [i, j, k, w] = shape.pose.rotation;
    let turn = UnitQuaternion::try_new(Quaternion::new(w, i, j, k), 1e-9).unwrap_or_default();
    let pose = Isometry3::from_parts(Translation3::from(Vector::from(shape.pose.position)), turn);
    solid(&shape.solid).iter().map(|facet| facet.moved(&pose)).collect()
}

fn solid(solid: &Solid) -> Vec<Facet> {
    match *solid {
        Solid::Box { size } => cuboid(size),
        Solid::Sphere { radius } => lathe(&arc(radius, 0.0, -0.5 * PI, 0.5 * PI)),
        Solid::Cylinder { radius, length } => lathe_edges(&[
            [0.0, -0.5 * length],
            [radius, -0.5 * length],
            [radius, 0.5 * length],
            [0.0, 0.5 * length],
        ]),
        Solid::Tube { outer, inner, length } => {
            let h = 0.5 * length;
            lathe_edges(&[[inner, -h], [outer, -h], [outer, h], [inner, h], [inner, -h]])
        }
        Solid::Cone { radius, length } => {
            lathe_edges(&[[0.0, -0.5 * length], [radius, -0.5 * length], [0.0, 0.5 * length]])
        }
        Solid::Capsule { radius, length } => {
            let mut profile = arc(radius, -0.5 * length, -0.5 * PI, 0.0);
            profile.extend(arc(radius, 0.5 * length, 0.0, 0.5 * PI));
            lathe(&profile)
        }
        Solid::Mesh { ref vertices, ref triangles } => {
            let (Some(v), Some(t)) = (vertices.numbers(), triangles.numbers()) else { return vec![] };
            let points: Vec<Vector> = v.chunks_exact(3).map(|c| Vector::new(c[0], c[1], c[2])).collect();
            let corners = t.chunks_exact(3).map(|c| [c[0] as usize, c[1] as usize, c[2] as usize]);
            smooth(&points, &corners.filter(|c| c.iter().all(|k| *k < points.len())).collect::<Vec<_>>())
        }
    }
}

fn cuboid(size: [f64; 3]) -> Vec<Facet> {
    let half = Vector::from(size) * 0.5;
    let mut list = vec![];
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let corner = |u: f64, v: f64| {
                let mut p = Vector::zeros();
                (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (side, u * side, v);
                p.component_mul(&half)
            };
            let (a, b, c, d) = (corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0));
            list.extend([Facet::flat([a, b, c]), Facet::flat([a, c, d])]);
        }
    }
    list
}

/// A place of a profile, radius and height, with its normal.
type Rim = ([f64; 2], [f64; 2]);

/// A part of a circle about a point of the axis.
fn arc(radius: f64, height: f64, from: f64, to: f64) -> Vec<Rim> {
    let rings = ((RINGS as f64 * (to - from) / PI).round() as usize).max(2);
    let angle = |k: usize| from + (to - from) * k as f64 / rings as f64;
    let rim = |a: f64| ([radius * a.cos(), height + radius * a.sin()], [a.cos(), a.sin()]);
    (0..=rings).map(|k| rim(angle(k))).collect()
}

/// A profile turned about z, each of its edges flat along the profile.
fn lathe_edges(profile: &[[f64; 2]]) -> Vec<Facet> {
    let edge = |pair: &[[f64; 2]]| {
        let ([r, z], [s, w]) = (pair[0], pair[1]);
        let length = (s - r).hypot(w - z);
        let normal = [(w - z) / length, (r - s) / length];
        lathe(&[(pair[0], normal), (pair[1], normal)])
    };
    profile.windows(2).flat_map(edge).collect()
}

/// A profile turned about z.
fn lathe(profile: &[Rim]) -> Vec<Facet> {
    let mut list = vec![];
    let spun = |(p, n): &Rim, k: usize| {
        let (sin, cos) = (TAU * k as f64 / AROUND as f64).sin_cos();
        (Vector::new(p[0] * cos, p[0] * sin, p[1]), Vector::new(n[0] * cos, n[0] * sin, n[1]))
    };
    for pair in profile.windows(2) {
        for k in 0..AROUND {
            let [a, b] = [0, 1].map(|i| spun(&pair[0], k + i));
            let [c, d] = [0, 1].map(|i| spun(&pair[1], k + i));
            let facet = |[a, b, c]: [(Vector, Vector); 3]| Facet {
                corners: [a.0, b.0, c.0],
                normals: [a.1, b.1, c.1],
            };
            list.extend([facet([a, b, d]), facet([a, d, c])]);
        }
    }
    list
}

/// Triangles of a mesh; those that meet at a small angle get a common normal.
pub(super) fn smooth(points: &[Vector], triangles: &[[usize; 3]]) -> Vec<Facet> {
    let plane = |t: &[usize; 3]| (points[t[1]] - points[t[0]]).cross(&(points[t[2]] - points[t[0]]));
    let planes: Vec<Vector> = triangles.iter().map(plane).collect();
    let mut around = vec![vec![]; points.len()];
    for (k, triangle) in triangles.iter().enumerate() {
        triangle.iter().for_each(|corner| around[*corner].push(k));
    }
    let normal = |k: usize, corner: usize| {
        let own = planes[k].try_normalize(0.0).unwrap_or(Vector::z());
        let near = |other: &&usize| planes[**other].dot(&own) > SMOOTH * planes[**other].norm();
        let sum: Vector = around[corner].iter().filter(near).map(|other| planes[*other]).sum();
        sum.try_normalize(0.0).unwrap_or(own)
    };
    let facet = |(k, t): (usize, &[usize; 3])| Facet {
        corners: t.map(|c| points[c]),
        normals: t.map(|c| normal(k, c)),
    };
    triangles.iter().enumerate().map(facet).collect()
}

/// A closed outline in the axes 1 and 2 pushed along a line, with its ends closed.
pub(crate) fn swept(outline: &[[f64; 2]], line: &[Isometry3<f64>]) -> Vec<Facet> {
    let n = outline.len();
    let sense = if area(outline) < 0.0 { -1.0 } else { 1.0 };
    let edge_normal = |k: usize| {
        let ([a, b], [c, d]) = (outline[k % n], outline[(k + 1) % n]);
        Vector::new(d - b, a - c, 0.0).try_normalize(0.0).unwrap_or_default() * sense
    };
    let shown = |k: usize, edge: usize| match n >= ROUND {
        true => {
            let (before, after) = (edge_normal(k + n - 1), edge_normal(k));
            let own = edge_normal(edge);
            let sum = [before, after].iter().filter(|m| m.dot(&own) > SMOOTH).sum::<Vector>();
            sum.try_normalize(0.0).unwrap_or(own)
        }
        false => edge_normal(edge),
    };
    let at = |pose: &Isometry3<f64>, k: usize| {
        (pose * Point3::new(outline[k % n][0], outline[k % n][1], 0.0)).coords
    };
    let mut list = vec![];
    for pair in line.windows(2) {
        for k in 0..n {
            let [a, b] = [at(&pair[0], k), at(&pair[0], k + 1)];
            let [c, d] = [at(&pair[1], k), at(&pair[1], k + 1)];
            let (left, right) = (shown(k, k), shown(k + 1, k));
            let [p, q, r, s] = [
                pair[0].rotation * left,
                pair[0].rotation * right,
                pair[1].rotation * left,
                pair[1].rotation * right,
            ];
            list.push(Facet { corners: [a, b, d], normals: [p, q, s] });
            list.push(Facet { corners: [a, d, c], normals: [p, s, r] });
        }
    }
    for pose in [line.first(), line.last()].into_iter().flatten() {
        list.extend(ears(outline).iter().map(|ear| Facet::flat(ear.map(|k| at(pose, k)))));
    }
    list
}

/// A round rod along points.
pub(crate) fn rod(points: &[Vector], radius: f64) -> Vec<Facet> {
    let circle: Vec<[f64; 2]> = (0..ROUND)
        .map(|k| (TAU * k as f64 / ROUND as f64).sin_cos())
        .map(|(sin, cos)| [radius * cos, radius * sin])
        .collect();
    let mut turn = UnitQuaternion::identity();
    let mut line = vec![];
    for (k, point) in points.iter().enumerate() {
        let (before, after) = (points[k.saturating_sub(1)], points[(k + 1).min(points.len() - 1)]);
        let from = turn * Vector::z();
        let step = Rotation3::rotation_between(&from, &(after - before))
            .unwrap_or_else(|| Rotation3::from_axis_angle(&Vector::x_axis(), PI));
        turn = UnitQuaternion::from_rotation_matrix(&step) * turn;
        line.push(Isometry3::from_parts(Translation3::from(*point), turn));
    }
    swept(&circle, &line)
}

/// Twice the area of a polygon, positive if it turns to the left.
fn area(polygon: &[[f64; 2]]) -> f64 {
    let pairs = polygon.iter().zip(polygon.iter().cycle().skip(1));
    pairs.map(|([a, b], [c, d])| a * d - b * c).sum()
}

/// Cuts a polygon into triangles, ear by ear.
pub(crate) fn ears(polygon: &[[f64; 2]]) -> Vec<[usize; 3]> {
    let mut left: Vec<usize> = (0..polygon.len()).collect();
    if area(polygon) < 0.0 {
        left.reverse();
    }
    let cross = |a: usize, b: usize, c: usize| {
        let ([ax, ay], [bx, by], [cx, cy]) = (polygon[a], polygon[b], polygon[c]);
        (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    };
    let mut list = vec![];
    while left.len() > 2 {
        let n = left.len();
        let corner = |k: usize| [left[(k + n - 1) % n], left[k], left[(k + 1) % n]];
        let ear = |&k: &usize| {
            let [a, b, c] = corner(k);
            let same = |p: usize| [a, b, c].iter().any(|q| polygon[*q] == polygon[p]);
            let inside = |&p: &usize| {
                !same(p) && cross(a, b, p) >= 0.0 && cross(b, c, p) >= 0.0 && cross(c, a, p) >= 0.0
            };
            cross(a, b, c) > 0.0 && !left.iter().any(inside)
        };
        // A polygon that cuts itself has no ear at last: any corner will do.
        let k = (0..n)
            .find(ear)
            .or_else(|| {
                (0..n).find(|&k| {
                    let [a, b, c] = corner(k);
                    cross(a, b, c) >= 0.0
                })
            })
            .unwrap_or(0);
        list.push(corner(k));
        left.remove(k);
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Placement;

    /// Volume by the divergence theorem, V = Σ a·(b × c)/6: triangles close the solid and turn the same way.
    fn volume(list: &[Facet]) -> f64 {
        list.iter().map(|f| f.corners[0].dot(&f.corners[1].cross(&f.corners[2])) / 6.0).sum()
    }

    fn shape(solid: Solid) -> Shape {
        Shape {
            solid,
            pose: Placement { position: [1.0, 2.0, 3.0], ..Placement::default() },
            color: None,
            derived: false,
        }
    }

    #[test]
    fn solids_have_their_volume() {
        let polygon = 0.5 * AROUND as f64 * (TAU / AROUND as f64).sin();
        let cases = [
            (Solid::Box { size: [1.0, 2.0, 3.0] }, 6.0, 1e-12),
            (Solid::Cylinder { radius: 2.0, length: 3.0 }, 12.0 * polygon, 1e-10),
            (Solid::Tube { outer: 2.0, inner: 1.0, length: 3.0 }, 9.0 * polygon, 1e-10),
            (Solid::Cone { radius: 2.0, length: 3.0 }, 4.0 * polygon, 1e-10),
            (Solid::Sphere { radius: 1.0 }, 4.0 / 3.0 * PI, 0.08),
            (Solid::Capsule { radius: 1.0, length: 2.0 }, (4.0 / 3.0 + 2.0) * PI, 0.15),
        ];
        for (solid, want, tolerance) in cases {
            let name = format!("{solid:?}");
            let list = facets(&shape(solid));
            assert!((volume(&list) - want).abs() < tolerance, "{name} {}", volume(&list));
            for facet in &list {
                let [a, b, c] = facet.corners;
                let plane = (b - a).cross(&(c - a));
                // Triangles at a pole have no area.
                assert!(plane.norm() < 1e-12 || facet.normals.iter().all(|n| n.dot(&plane) > 0.0), "{name}");
            }
        }
    }

    #[test]
    fn sections_are_cut_into_triangles() {
        let i = [
            [2.0, 1.0],
            [2.0, 2.0],
            [-2.0, 2.0],
            [-2.0, 1.0],
            [-0.5, 1.0],
            [-0.5, -1.0],
            [-2.0, -1.0],
            [-2.0, -2.0],
            [2.0, -2.0],
            [2.0, -1.0],
            [0.5, -1.0],
            [0.5, 1.0],
        ];
        let sum: f64 = ears(&i).iter().map(|t| area(&t.map(|k| i[k]))).sum();
        assert!((0.5 * sum - 10.0).abs() < 1e-12, "{sum}");
        // A ring with a seam.
        let ring = [
            [2.0, 2.0],
            [-2.0, 2.0],
            [-2.0, -2.0],
            [2.0, -2.0],
            [2.0, 2.0],
            [1.0, 1.0],
            [1.0, -1.0],
            [-1.0, -1.0],
            [-1.0, 1.0],
            [1.0, 1.0],
        ];
        let sum: f64 = ears(&ring).iter().map(|t| area(&t.map(|k| ring[k]))).sum();
        assert!((0.5 * sum - 12.0).abs() < 1e-12, "{sum}");
        let straight = [0.0, 1.5]
            .map(|z| Isometry3::from_parts(Translation3::new(0.0, 0.0, z), UnitQuaternion::identity()));
        let bar = swept(&i, &straight);
        let side: f64 = bar[..4 * 6]
            .iter()
            .map(|f| 0.5 * (f.corners[1] - f.corners[0]).cross(&(f.corners[2] - f.corners[0])).norm())
            .sum();
        // Outline of the I: 4 + 4 along the flanges, 4·1 at their ends, 4·1.5 beneath, 2·2 along the web.
        assert!((side - 1.5 * 22.0).abs() < 1e-9, "{side}");
    }
}
