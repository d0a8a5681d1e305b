//! Rules of integration: points and weights on the reference shapes.
//!
//! Lines and squares are −1 … 1, triangles and tetrahedra have the corners 0, e1, e2 (, e3); a wedge is a
//! triangle times −1 … 1. Rules for triangles and tetrahedra: those of Hammer and Stroud, collected by
//! Stroud (1971).

use poinsot_geometry::Vec3;

/// Points with their weights.
pub(crate) type Rule = Vec<(Vec3, f64)>;

/// Gauss on −1 … 1, exact to degree 2n − 1.
pub(crate) fn line(points: usize) -> Vec<(f64, f64)> {
    match points {
        1 => vec![(0.0, 2.0)],
        2 => {
            let x = (1.0f64 / 3.0).sqrt();
            vec![(-x, 1.0), (x, 1.0)]
        }
        3 => {
            let x = 0.6f64.sqrt();
            vec![(-x, 5.0 / 9.0), (0.0, 8.0 / 9.0), (x, 5.0 / 9.0)]
        }
        _ => {
            let root = 2.0 / 7.0 * 1.2f64.sqrt();
            let (near, far) = ((3.0 / 7.0 - root).sqrt(), (3.0 / 7.0 + root).sqrt());
            let part = 30.0f64.sqrt() / 36.0;
            vec![(-far, 0.5 - part), (-near, 0.5 + part), (near, 0.5 + part), (far, 0.5 - part)]
        }
    }
}

/// n × n points on the square.
pub(crate) fn square(n: usize) -> Rule {
    let line = line(n);
    let mut rule = vec![];
    for &(y, wy) in &line {
        rule.extend(line.iter().map(|&(x, wx)| (Vec3::new(x, y, 0.0), wx * wy)));
    }
    rule
}

/// n × n × n points on the cube.
pub(crate) fn cube(n: usize) -> Rule {
    stacked(&square(n), n)
}

/// A rule of a face in n layers.
pub(crate) fn stacked(face: &Rule, n: usize) -> Rule {
    let mut rule = vec![];
    for (z, weight) in line(n) {
        rule.extend(face.iter().map(|(at, w)| (Vec3::new(at.x, at.y, z), w * weight)));
    }
    rule
}

/// The centre of the triangle, degree 1.
pub(crate) fn triangle1() -> Rule {
    vec![(Vec3::new(1.0 / 3.0, 1.0 / 3.0, 0.0), 0.5)]
}

/// Three points in the triangle, degree 2.
pub(crate) fn triangle3() -> Rule {
    three(1.0 / 6.0, 1.0 / 6.0)
}

/// Seven points in the triangle, degree 5.
pub(crate) fn triangle7() -> Rule {
    let root = 15.0f64.sqrt();
    let mut rule = vec![(Vec3::new(1.0 / 3.0, 1.0 / 3.0, 0.0), 9.0 / 80.0)];
    rule.extend(three((6.0 - root) / 21.0, (155.0 - root) / 2400.0));
    rule.extend(three((6.0 + root) / 21.0, (155.0 + root) / 2400.0));
    rule
}

/// The points with two barycentric coordinates a, in the order of the corners that they are near to or face.
fn three(a: f64, weight: f64) -> Rule {
    let b = 1.0 - 2.0 * a;
    [(a, a), (b, a), (a, b)].iter().map(|&(x, y)| (Vec3::new(x, y, 0.0), weight)).collect()
}

/// The centre of the tetrahedron, degree 1.
pub(crate) fn tetrahedron1() -> Rule {
    vec![(Vec3::repeat(0.25), 1.0 / 6.0)]
}

/// Four points in the tetrahedron, degree 2.
pub(crate) fn tetrahedron4() -> Rule {
    four((5.0 - 5.0f64.sqrt()) / 20.0, 1.0 / 24.0)
}

/// Fifteen points in the tetrahedron, degree 5.
pub(crate) fn tetrahedron15() -> Rule {
    let root = 15.0f64.sqrt();
    let mut rule = vec![(Vec3::repeat(0.25), 8.0 / 405.0)];
    rule.extend(four((7.0 - root) / 34.0, (2665.0 + 14.0 * root) / 226_800.0));
    rule.extend(four((7.0 + root) / 34.0, (2665.0 - 14.0 * root) / 226_800.0));
    let (near, far) = ((5.0 - root) / 20.0, (5.0 + root) / 20.0);
    let pairs = [(near, near, far), (near, far, near), (far, near, near)];
    let others = [(near, far, far), (far, near, far), (far, far, near)];
    rule.extend(pairs.iter().chain(&others).map(|&(x, y, z)| (Vec3::new(x, y, z), 5.0 / 567.0)));
    rule
}

/// The points with three barycentric coordinates a.
fn four(a: f64, weight: f64) -> Rule {
    let b = 1.0 - 3.0 * a;
    [(a, a, a), (b, a, a), (a, b, a), (a, a, b)]
        .iter()
        .map(|&(x, y, z)| (Vec3::new(x, y, z), weight))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factorial(n: i32) -> f64 {
        (1..=n).map(f64::from).product()
    }

    fn sum(rule: &Rule, [i, j, k]: [i32; 3]) -> f64 {
        rule.iter().map(|(at, w)| w * at.x.powi(i) * at.y.powi(j) * at.z.powi(k)).sum()
    }

    fn monomials(degree: i32) -> impl Iterator<Item = [i32; 3]> {
        (0..=degree).flat_map(move |i| {
            (0..=degree - i).flat_map(move |j| (0..=degree - i - j).map(move |k| [i, j, k]))
        })
    }

    #[test]
    fn rules_are_exact_to_their_degree() {
        for (rule, degree) in [(tetrahedron1(), 1), (tetrahedron4(), 2), (tetrahedron15(), 5)] {
            for m @ [i, j, k] in monomials(degree) {
                let exact = factorial(i) * factorial(j) * factorial(k) / factorial(i + j + k + 3);
                assert!((sum(&rule, m) - exact).abs() < 1e-15, "{m:?} {degree}");
            }
        }
        for (rule, degree) in [(triangle1(), 1), (triangle3(), 2), (triangle7(), 5)] {
            for m @ [i, j, _] in monomials(degree).filter(|m| m[2] == 0) {
                let exact = factorial(i) * factorial(j) / factorial(i + j + 2);
                assert!((sum(&rule, m) - exact).abs() < 1e-15, "{m:?} {degree}");
            }
        }
        for n in 1..=4 {
            for power in 0..2 * n as i32 {
                let exact = if power % 2 == 0 { 2.0 / f64::from(power + 1) } else { 0.0 };
                let value: f64 = line(n).iter().map(|(x, w)| w * x.powi(power)).sum();
                assert!((value - exact).abs() < 1e-15, "{n} {power}");
            }
        }
    }
}
