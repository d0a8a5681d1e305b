//! Plates in pictures: one smooth surface through their nodes.
//!
//! Over an element with ξ, η from 0 to 1 and the cubics H and G of Hermite for values and slopes
//!
//! ```text
//! r = Σ_ab H_a(ξ) H_b(η) r_ab + G_a(ξ) H_b(η) r_ξ,ab + H_a(ξ) G_b(η) r_η,ab
//! ```
//! Slopes turn with the axes of their node. They stretch as the edges that meet there: an edge is taken for
//! an arc of a circle between its tangents.

use crate::render::Facet;
use crate::scene::ScenePlate;
use crate::snapshot::Snapshot;
use nalgebra::Vector3;

type Vector = Vector3<f64>;

/// Parts along a direction of a plate, about so many, and of an element at most.
const PARTS: [usize; 2] = [96, 6];

/// A surface of a scene with its numbers at hand.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlateSurface {
    nodes: Vec<usize>,
    elements: [usize; 2],
    half: f64,
    /// r_ξ and r_η of each node in its axes (m).
    slopes: Vec<[Vector; 2]>,
    /// Parts of an element along both directions.
    parts: [usize; 2],
}

/// Points of the middle surface and normals there, along the first direction faster.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SurfaceGrid {
    /// Points along both directions.
    pub size: [usize; 2],
    pub places: Vec<Vector>,
    pub normals: Vec<Vector>,
}

/// H₀, H₁, G₀, G₁ and their derivatives.
fn cubics(x: f64) -> [[f64; 4]; 2] {
    let y = 1.0 - x;
    let values = [(1.0 + 2.0 * x) * y * y, x * x * (3.0 - 2.0 * x), x * y * y, -x * x * y];
    [values, [-6.0 * x * y, 6.0 * x * y, y * (y - 2.0 * x), x * (x - 2.0 * y)]]
}

impl PlateSurface {
    /// None if numbers are missing or do not fit each other.
    pub fn of(scene: &ScenePlate) -> Option<PlateSurface> {
        let numbers = scene.slopes.numbers()?;
        let [nu, nv] = scene.elements;
        let count = nu.checked_add(1)?.checked_mul(nv.checked_add(1)?)?;
        let fits = nu > 0 && nv > 0 && scene.nodes.len() == count && numbers.len() == 6 * count;
        fits.then(|| PlateSurface {
            nodes: scene.nodes.clone(),
            elements: scene.elements,
            half: 0.5 * scene.thickness,
            slopes: numbers
                .chunks_exact(6)
                .map(|c| [0, 3].map(|i| Vector::new(c[i], c[i + 1], c[i + 2])))
                .collect(),
            parts: scene.elements.map(|n| (PARTS[0] / n).clamp(1, PARTS[1])),
        })
    }

    /// Parts of an element along both directions.
    pub fn parts(&self) -> [usize; 2] {
        self.parts
    }

    /// Places and slopes of the nodes in the world.
    fn nodes(&self, state: &Snapshot) -> Vec<[Vector; 3]> {
        let turned = self.nodes.iter().zip(&self.slopes).map(|(&k, [u, v])| {
            let pose = state.poses.get(k).copied().unwrap_or_default();
            [pose.translation.vector, pose.rotation * u, pose.rotation * v]
        });
        let turned: Vec<[Vector; 3]> = turned.collect();
        let across = self.elements[0] + 1;
        let stretched = |k: usize| {
            let at = [k % across, k / across];
            let [place, slopes @ ..] = turned[k];
            let [u, v] = [0, 1].map(|d| {
                let stride = [1, across][d];
                let before = (at[d] > 0).then(|| stretch(&turned[k - stride], &turned[k], d));
                let behind = (at[d] < self.elements[d]).then(|| stretch(&turned[k], &turned[k + stride], d));
                let count = before.iter().chain(&behind).count().max(1) as f64;
                slopes[d] * (before.iter().chain(&behind).sum::<f64>() / count)
            });
            [place, u, v]
        };
        (0..turned.len()).map(stretched).collect()
    }

    /// The middle surface in a state.
    pub fn grid(&self, state: &Snapshot) -> SurfaceGrid {
        let nodes = self.nodes(state);
        let ([nu, nv], [pu, pv]) = (self.elements, self.parts);
        let size = [nu * pu + 1, nv * pv + 1];
        let (mut places, mut normals) = (vec![], vec![]);
        for j in 0..size[1] {
            let (ev, [hv, dv]) = Self::within(j, pv, nv);
            for i in 0..size[0] {
                let (eu, [hu, du]) = Self::within(i, pu, nu);
                let [mut r, mut by_u, mut by_v] = [Vector::zeros(); 3];
                for b in 0..2 {
                    for a in 0..2 {
                        let [x, u, v] = nodes[(ev + b) * (nu + 1) + eu + a];
                        r += x * (hu[a] * hv[b]) + u * (hu[2 + a] * hv[b]) + v * (hu[a] * hv[2 + b]);
                        by_u += x * (du[a] * hv[b]) + u * (du[2 + a] * hv[b]) + v * (du[a] * hv[2 + b]);
                        by_v += x * (hu[a] * dv[b]) + u * (hu[2 + a] * dv[b]) + v * (hu[a] * dv[2 + b]);
                    }
                }
                places.push(r);
                normals.push(by_u.cross(&by_v).try_normalize(0.0).unwrap_or(Vector::z()));
            }
        }
        SurfaceGrid { size, places, normals }
    }

    /// The element of a point and the cubics there.
    fn within(k: usize, parts: usize, elements: usize) -> (usize, [[f64; 4]; 2]) {
        let element = (k / parts).min(elements - 1);
        (element, cubics((k - element * parts) as f64 / parts as f64))
    }

    /// Both sides and the rim.
    pub fn facets(&self, state: &Snapshot) -> Vec<Facet> {
        let SurfaceGrid { size: [nu, nv], places, normals } = self.grid(state);
        let at = |k: usize, side: f64| places[k] + normals[k] * (side * self.half);
        let mut list = vec![];
        for j in 0..nv - 1 {
            for i in 0..nu - 1 {
                let [a, b] = [j * nu + i, (j + 1) * nu + i];
                for triangle in [[a, a + 1, b + 1], [a, b + 1, b]] {
                    let facet = |side: f64| Facet {
                        corners: triangle.map(|k| at(k, side)),
                        normals: triangle.map(|k| normals[k] * side),
                    };
                    let mut below = facet(-1.0);
                    below.corners.swap(1, 2);
                    below.normals.swap(1, 2);
                    list.extend([facet(1.0), below]);
                }
            }
        }
        let last = (nv - 1) * nu;
        let mut rim: Vec<usize> = (0..nu).chain((1..nv).map(|j| j * nu + nu - 1)).collect();
        rim.extend((0..nu - 1).rev().map(|i| last + i).chain((0..nv - 1).rev().map(|j| j * nu)));
        for pair in rim.windows(2) {
            let [a, b] = [pair[0], pair[1]];
            let [p, q, r, s] = [at(a, -1.0), at(b, -1.0), at(b, 1.0), at(a, 1.0)];
            list.extend([Facet::flat([p, q, r]), Facet::flat([p, r, s])]);
        }
        list
    }
}

/// Length of the arc of an edge over the mean of the slopes at its ends.
fn stretch(a: &[Vector; 3], b: &[Vector; 3], direction: usize) -> f64 {
    let [s, t] = [a[1 + direction], b[1 + direction]];
    let modelled = 0.5 * (s.norm() + t.norm());
    let cosine = s.dot(&t) / (s.norm() * t.norm()).max(f64::MIN_POSITIVE);
    let half = (0.5 * (1.0 + cosine)).clamp(0.0, 1.0).sqrt();
    (b[0] - a[0]).norm() / (0.5 * (1.0 + half) * modelled).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Block;
    use nalgebra::{Isometry3, Translation3, UnitQuaternion};
    use std::f64::consts::FRAC_PI_2;

    /// Nodes on a cylinder of radius 1 about y, a quarter around and 2 long, with axes along u, v and the
    /// normal.
    fn quarter(elements: [usize; 2], stretched: f64) -> (PlateSurface, Snapshot) {
        let [nu, nv] = elements;
        let (mut poses, mut slopes) = (vec![], vec![]);
        for j in 0..=nv {
            for i in 0..=nu {
                let angle = FRAC_PI_2 * i as f64 / nu as f64;
                let place =
                    Vector::new(angle.sin(), 2.0 * j as f64 / nv as f64, 1.0 - angle.cos()) * stretched;
                let turn = UnitQuaternion::from_scaled_axis(Vector::y() * -angle);
                poses.push(Isometry3::from_parts(Translation3::from(place), turn));
                slopes.extend([FRAC_PI_2 / nu as f64, 0.0, 0.0, 0.0, 2.0 / nv as f64, 0.0].map(|x| x as f32));
            }
        }
        let count = poses.len();
        let scene = ScenePlate {
            name: "shell".into(),
            nodes: (0..count).collect(),
            elements,
            first: 0,
            slopes: Block::f32(&[count, 6], slopes),
            thickness: 0.1,
            color: None,
        };
        (PlateSurface::of(&scene).unwrap(), Snapshot { poses, ..Snapshot::default() })
    }

    #[test]
    fn a_bent_plate_is_round_and_as_long_as_its_edges() {
        for stretched in [1.0, 1.5] {
            let (surface, state) = quarter([2, 1], stretched);
            let grid = surface.grid(&state);
            assert_eq!(grid.size, [13, 7]);
            for (place, normal) in grid.places.iter().zip(&grid.normals) {
                let out = Vector::new(place.x, 0.0, place.z - stretched);
                assert!((out.norm() / stretched - 1.0).abs() < 3e-4, "{}", out.norm());
                assert!((normal + out.normalize()).norm() < 3e-3, "{normal}");
            }
        }
    }

    /// V = Σ a·(b × c)/6 of a closed skin that looks outwards.
    #[test]
    fn sides_and_rim_close_a_solid() {
        let (surface, state) = quarter([3, 2], 1.0);
        let volume: f64 = surface
            .facets(&state)
            .iter()
            .map(|f| f.corners[0].dot(&f.corners[1].cross(&f.corners[2])) / 6.0)
            .sum();
        assert!((volume / (FRAC_PI_2 * 2.0 * 0.1) - 1.0).abs() < 2e-3, "{volume}");
    }
}
