//! Shape functions of faces and solids, tabulated at the points where elements are integrated.

mod hex20;
mod hex8;
mod quad4;
mod quad8;
mod tet10;
mod tet4;
mod tri3;
mod tri6;
mod wedge15;
mod wedge6;

use super::jet::Jet;
use super::quadrature::Rule;
use crate::mesh::ElementKind;
use nalgebra::DMatrix;
use poinsot_geometry::Vec3;
use std::sync::LazyLock;

/// What a file of this folder says of its shape.
struct Declaration {
    kind: ElementKind,
    /// The shape with the same corners and no other nodes.
    corners: ElementKind,
    /// Places of the nodes (ξ, η, ζ).
    places: Vec<Vec3>,
    /// N_a at (ξ, η, ζ).
    functions: fn([Jet; 3]) -> Vec<Jet>,
    /// Points of the stiffness.
    stiffness: Rule,
    /// Those that CalculiX takes, for the mass too.
    calculix: Rule,
    /// Points of the mass: exact for N_a N_b of elements that are not distorted.
    mass: Rule,
    /// As many points as there are corners, at which stresses are best.
    stress: Rule,
}

/// Shape functions at a point.
pub(crate) struct Station {
    /// (ξ, η, ζ).
    pub at: Vec3,
    /// Weight on the reference shape.
    pub weight: f64,
    /// N_a.
    pub values: Vec<f64>,
    /// ∂N_a/∂(ξ, η, ζ).
    pub slopes: Vec<Vec3>,
}

/// A shape with its tables.
pub(crate) struct Shape {
    pub kind: ElementKind,
    pub stiffness: Vec<Station>,
    pub calculix: Vec<Station>,
    pub mass: Vec<Station>,
    pub stress: Vec<Station>,
    /// The centre.
    pub centre: Station,
    /// From values at the stress points to values at the nodes.
    pub extrapolation: DMatrix<f64>,
    functions: fn([Jet; 3]) -> Vec<Jet>,
}

impl Shape {
    /// The shape of faces and solids; nothing for lines.
    pub fn of(kind: ElementKind) -> Option<&'static Shape> {
        static SHAPES: LazyLock<Vec<Shape>> =
            LazyLock::new(|| declarations().iter().map(Shape::tabulate).collect());
        SHAPES.iter().find(|shape| shape.kind == kind)
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.kind.nodes()
    }

    /// The functions at a point.
    pub fn station(&self, at: &Vec3, weight: f64) -> Station {
        station(self.functions, at, weight)
    }

    fn tabulate(declaration: &Declaration) -> Shape {
        let table = |rule: &Rule| {
            rule.iter().map(|(at, weight)| station(declaration.functions, at, *weight)).collect::<Vec<_>>()
        };
        let centre: Vec3 = declaration.stiffness.iter().map(|(at, weight)| at * *weight).sum::<Vec3>()
            / declaration.stiffness.iter().map(|(_, weight)| weight).sum::<f64>();
        Shape {
            kind: declaration.kind,
            stiffness: table(&declaration.stiffness),
            calculix: table(&declaration.calculix),
            mass: table(&declaration.mass),
            stress: table(&declaration.stress),
            centre: station(declaration.functions, &centre, 1.0),
            extrapolation: extrapolation(declaration),
            functions: declaration.functions,
        }
    }
}

fn declarations() -> Vec<Declaration> {
    vec![
        tri3::declaration(),
        tri6::declaration(),
        quad4::declaration(),
        quad8::declaration(),
        tet4::declaration(),
        tet10::declaration(),
        hex8::declaration(),
        hex20::declaration(),
        wedge6::declaration(),
        wedge15::declaration(),
    ]
}

fn station(functions: fn([Jet; 3]) -> Vec<Jet>, at: &Vec3, weight: f64) -> Station {
    let jets = functions(Jet::coordinates(at));
    Station {
        at: *at,
        weight,
        values: jets.iter().map(|jet| jet.value).collect(),
        slopes: jets.iter().map(|jet| jet.slope).collect(),
    }
}

/// E = N(nodes) N(points)⁻¹ with the functions N of the corners: a field that is of their kind between the
/// points is carried on to the nodes.
fn extrapolation(declaration: &Declaration) -> DMatrix<f64> {
    let corners = declarations().into_iter().find(|other| other.kind == declaration.corners);
    let corners = corners.expect("a declared shape").functions;
    let rows = |places: &[Vec3]| {
        let values: Vec<_> = places.iter().map(|at| station(corners, at, 1.0).values).collect();
        DMatrix::from_fn(places.len(), values[0].len(), |i, j| values[i][j])
    };
    let points: Vec<Vec3> = declaration.stress.iter().map(|(at, _)| *at).collect();
    rows(&declaration.places) * rows(&points).try_inverse().expect("points in general position")
}

/// Places of corners, and behind them the middles of edges.
fn with_middles(corners: &[[f64; 3]], edges: &[(usize, usize)]) -> Vec<Vec3> {
    let corners: Vec<Vec3> = corners.iter().map(|c| Vec3::from(*c)).collect();
    let middles = edges.iter().map(|&(a, b)| (corners[a] + corners[b]) * 0.5);
    corners.iter().copied().chain(middles).collect()
}

/// Barycentric coordinates of a triangle: 1 − ξ − η, ξ, η.
fn triangle_coordinates([xi, eta, _]: [Jet; 3]) -> [Jet; 3] {
    [-(xi + eta) + 1.0, xi, eta]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_one_at_their_node_and_sum_to_one() {
        for declaration in declarations() {
            let shape = Shape::of(declaration.kind).unwrap();
            assert_eq!(declaration.places.len(), shape.nodes());
            for (a, place) in declaration.places.iter().enumerate() {
                for (b, value) in shape.station(place, 1.0).values.iter().enumerate() {
                    let expected = f64::from(a == b);
                    assert!((value - expected).abs() < 1e-14, "{:?} {a} {b}", declaration.kind);
                }
            }
            let station = shape.station(&Vec3::new(0.21, 0.34, 0.17), 1.0);
            assert!((station.values.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            assert!(station.slopes.iter().sum::<Vec3>().norm() < 1e-13);
            let linear: Vec3 =
                station.values.iter().zip(&declaration.places).map(|(value, place)| place * *value).sum();
            let used = if declaration.kind.dimension() == 2 { 2 } else { 3 };
            assert!((linear - station.at).rows(0, used).norm() < 1e-14, "{:?}", declaration.kind);
        }
    }

    #[test]
    fn slopes_are_differences_of_values() {
        for declaration in declarations() {
            let shape = Shape::of(declaration.kind).unwrap();
            let at = Vec3::new(0.21, 0.34, 0.17);
            let here = shape.station(&at, 1.0);
            for k in 0..declaration.kind.dimension() {
                let step = Vec3::ith(k, 1e-5);
                let (plus, minus) = (shape.station(&(at + step), 1.0), shape.station(&(at - step), 1.0));
                for a in 0..shape.nodes() {
                    let difference = (plus.values[a] - minus.values[a]) / 2e-5;
                    assert!((difference - here.slopes[a][k]).abs() < 1e-8, "{:?}", declaration.kind);
                }
            }
        }
    }

    #[test]
    fn extrapolation_is_exact_for_linear_fields() {
        for declaration in declarations() {
            let shape = Shape::of(declaration.kind).unwrap();
            let field =
                |at: &Vec3| 1.0 + 2.0 * at.x - 3.0 * at.y + if at.z == 0.0 { 0.0 } else { 0.5 * at.z };
            let points = nalgebra::DVector::from_iterator(
                shape.stress.len(),
                shape.stress.iter().map(|station| field(&station.at)),
            );
            let nodes = &shape.extrapolation * points;
            for (value, place) in nodes.iter().zip(&declaration.places) {
                assert!((value - field(place)).abs() < 1e-13, "{:?}", declaration.kind);
            }
        }
    }
}
