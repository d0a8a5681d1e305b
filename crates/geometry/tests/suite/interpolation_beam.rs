//! What a beam needs of the interpolation: the 45-degree bend of motion-interpolation-galerkin V5, solved
//! with nodal curvatures and B matrices (§1.12), and with the consistent variation and its second derivative.

use poinsot_geometry::interpolation::*;
use poinsot_geometry::nalgebra::{DMatrix, DVector};
use poinsot_geometry::se3::{Pose, ad, join, up};
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6, so3};

const RADIUS: f64 = 100.0;
const FORCE: Vec3 = Vec3::new(0.0, 0.0, 600.0);
/// Load steps.
const STEPS: i32 = 24;
/// Converged tip displacement for the printed stiffness.
const TIP: Vec3 = Vec3::new(-13.73548151, -23.82504922, 53.61385810);

/// Printed sectional stiffness.
fn stiffness() -> Mat6 {
    let mut d = Mat6::from_diagonal(&Vec6::new(1e7, 4.17e6, 4.17e6, 7.03e5, 8.33e5, 8.33e5));
    (d[(0, 5)], d[(5, 0)]) = (-8.33e3, -8.33e3);
    d
}

/// Elements of equal length with `order + 1` Lobatto nodes each.
struct Bend {
    metric: Metric,
    basis: Lagrange,
    rule: Quadrature,
    elements: usize,
    jacobian: f64,
    stiffness: Mat6,
    start: Vec<Pose>,
}

/// Force and tangent of one element.
struct Element {
    force: DVector<f64>,
    tangent: DMatrix<f64>,
}

impl Bend {
    fn new(metric: Metric, order: usize, elements: usize) -> Self {
        let basis = Lagrange::gauss_lobatto(order + 1).unwrap();
        let length = RADIUS * std::f64::consts::FRAC_PI_4 / elements as f64;
        let root = Pose::new(Vec3::zeros(), Mat3::from_columns(&[Vec3::y(), -Vec3::x(), Vec3::z()]));
        let at = |s: f64| root.update(&(s * Vec6::new(1.0, 0.0, 0.0, 0.0, 0.0, -1.0 / RADIUS)));
        let mut start = vec![root];
        for e in 0..elements {
            start.extend(basis.nodes()[1..].iter().map(|x| at(length * (e as f64 + 0.5 * (1.0 + x)))));
        }
        let rule = Quadrature::gauss_legendre(order);
        Self { metric, basis, rule, elements, jacobian: 0.5 * length, stiffness: stiffness(), start }
    }

    /// Curvatures and B matrices at the nodes.
    fn nodal(&self, nodes: &[Pose]) -> (Vec<Vec6>, Vec<Vec<Mat6>>) {
        let n = nodes.len();
        let mut interpolation = MotionInterpolation::new(self.metric, nodes).unwrap();
        let at_node = |j: usize| {
            let point = interpolation.at_node(j, self.basis.derivative_row(j)).unwrap();
            let b = (0..n).map(|k| point.curvature_increment(k) / self.jacobian).collect();
            (point.curvature() / self.jacobian, b)
        };
        (0..n).map(at_node).unzip()
    }

    /// §1.12, Gauss rule: curvature interpolated from the nodes, test functions componentwise.
    fn collocated(&self, nodes: &[Pose], start: &[Pose]) -> Element {
        let n = nodes.len();
        let ((k, b), (k0, _)) = (self.nodal(nodes), self.nodal(start));
        let d = self.stiffness;
        let mut element = Element { force: DVector::zeros(6 * n), tangent: DMatrix::zeros(6 * n, 6 * n) };
        for (x, w) in self.rule.points.iter().zip(&self.rule.weights) {
            let (l, dl) = (self.basis.values(*x), self.basis.derivatives(*x));
            let here: Vec6 = (0..n).map(|j| l[j] * k[j]).sum();
            let f = d * (0..n).map(|j| l[j] * (k[j] - k0[j])).sum::<Vec6>();
            let inner = ad(&here).transpose() * d + up(&f);
            for i in 0..n {
                let mut rows = element.force.fixed_rows_mut::<6>(6 * i);
                rows += *w * (dl[i] * f + self.jacobian * l[i] * ad(&here).transpose() * f);
                let left = *w * (dl[i] * d + self.jacobian * l[i] * inner);
                for j in 0..n {
                    let right: Mat6 = b.iter().zip(&l).map(|(b, l)| *l * b[j]).sum();
                    let mut block = element.tangent.fixed_view_mut::<6, 6>(6 * i, 6 * j);
                    block += left * right;
                }
            }
        }
        element
    }

    /// Gradient and second derivative of the strain energy of the interpolated motion itself.
    fn consistent(&self, nodes: &[Pose], start: &[Pose]) -> Element {
        let n = nodes.len();
        let mut interpolation = MotionInterpolation::new(self.metric, nodes).unwrap();
        let mut initial = MotionInterpolation::new(self.metric, start).unwrap();
        let d = self.stiffness;
        let mut element = Element { force: DVector::zeros(6 * n), tangent: DMatrix::zeros(6 * n, 6 * n) };
        for (x, w) in self.rule.points.iter().zip(&self.rule.weights) {
            let (l, dl) = (self.basis.values(*x), self.basis.derivatives(*x));
            let (_, k0) = initial.sample(&l, &dl).unwrap();
            let mut point = interpolation.at(&l, &dl).unwrap();
            let weight = *w / self.jacobian;
            let f = weight * d * (point.curvature() - k0);
            let v: Vec<Mat6> = (0..n).map(|k| point.curvature_increment(k)).collect();
            for (i, v) in v.iter().enumerate() {
                let mut rows = element.force.fixed_rows_mut::<6>(6 * i);
                rows += v.transpose() * f;
            }
            point.curvature_hessian(&f, |i, j, geometric| {
                let mut block = element.tangent.fixed_view_mut::<6, 6>(6 * i, 6 * j);
                block += weight * v[i].transpose() * d * v[j] + geometric;
            });
        }
        element
    }

    /// Newton's iteration in load steps; the tip displacement and the last increments' norms.
    fn solve(&self, element: impl Fn(&Self, &[Pose], &[Pose]) -> Element) -> (Vec3, Vec<f64>) {
        let mut nodes = self.start.clone();
        let (order, last) = (self.basis.len() - 1, self.start.len() - 1);
        let mut history = Vec::new();
        for step in 1..=STEPS {
            let load = FORCE * f64::from(step) / f64::from(STEPS);
            history.clear();
            for _ in 0..20 {
                let size = 6 * nodes.len();
                let (mut r, mut k) = (DVector::zeros(size), DMatrix::zeros(size, size));
                for e in 0..self.elements {
                    let (at, count) = (e * order, order + 1);
                    let part = element(self, &nodes[at..at + count], &self.start[at..at + count]);
                    let mut rows = r.rows_mut(6 * at, 6 * count);
                    rows += part.force;
                    let mut block = k.view_mut((6 * at, 6 * at), (6 * count, 6 * count));
                    block += part.tangent;
                }
                // dead force in material components and its stiffness
                let local = nodes[last].rotation.transpose() * load;
                let mut rows = r.fixed_rows_mut::<6>(6 * last);
                rows -= join(&local, &Vec3::zeros());
                let mut block = k.fixed_view_mut::<3, 3>(6 * last, 6 * last + 3);
                block -= so3::skew(&local);
                let free = size - 6;
                let matrix = k.view((6, 6), (free, free)).into_owned();
                let increment = matrix.lu().solve(&-r.rows(6, free).into_owned()).unwrap();
                for (i, node) in nodes.iter_mut().skip(1).enumerate() {
                    *node = node.update(&increment.fixed_rows::<6>(6 * i).into_owned());
                }
                history.push(increment.norm());
                if increment.norm() < 1e-9 {
                    break;
                }
            }
        }
        (nodes[last].r - self.start[last].r, history)
    }
}

// V5: relative errors of the tip with 8 elements, printed with three digits.
#[test]
fn bend_with_nodal_curvatures() {
    let table = [
        (2, Metric::Matrix, 3.07e-5),
        (2, Metric::Quaternion, 9.63e-6),
        (2, Metric::Geodesic, 8.28e-6),
        (3, Metric::Matrix, 8.98e-8),
        (3, Metric::Quaternion, 3.22e-8),
        (3, Metric::Geodesic, 2.98e-8),
    ];
    for (order, metric, printed) in table {
        let (tip, history) = Bend::new(metric, order, 8).solve(Bend::collocated);
        let error = (tip - TIP).norm() / TIP.norm();
        assert!((error / printed - 1.0).abs() < 2e-2, "{metric:?}, order {order}: {error:e}");
        assert!(history[history.len() - 1] < 1e-9, "{history:?}");
    }
}

// The same with exact sectional constants and three nodes: tips printed with five decimals, and the
// dissertation's own table (Gauss rule) to 3e-3.
#[test]
fn bend_with_exact_section() {
    let bending = 1e7 / 12.0;
    let mut d =
        Mat6::from_diagonal(&Vec6::new(1e7, 25e6 / 6.0, 25e6 / 6.0, 0.140577 * 5e6, bending, bending));
    (d[(0, 5)], d[(5, 0)]) = (-bending / RADIUS, -bending / RADIUS);
    let table = [
        (Metric::Matrix, [-13.73330, -23.81880, 53.60951]),
        (Metric::Quaternion, [-13.73261, -23.81904, 53.60823]),
        (Metric::Geodesic, [-13.73249, -23.81905, 53.60795]),
    ];
    for (metric, printed) in table {
        let bend = Bend { stiffness: d, ..Bend::new(metric, 2, 8) };
        let (tip, _) = bend.solve(Bend::collocated);
        assert!((tip - Vec3::from(printed)).amax() < 6e-6, "{metric:?}: {tip}");
        assert!((tip - Vec3::new(-13.731, -23.818, 53.607)).amax() < 3e-3);
    }
}

// The consistent element converges to the same tip with order 2N as well, and Newton's iteration is
// quadratic, which only the exact second derivative makes it.
#[test]
fn bend_with_consistent_variation() {
    for metric in [Metric::Matrix, Metric::Quaternion, Metric::Geodesic] {
        let error = |order: usize, elements: usize| {
            let (tip, history) = Bend::new(metric, order, elements).solve(Bend::consistent);
            let [.., before, last] = history[..] else { panic!("{history:?}") };
            assert!(before > 1e-4 && last < before * before, "{history:?}");
            (tip - TIP).norm() / TIP.norm()
        };
        for order in [2, 3] {
            let rate = (error(order, 4) / error(order, 8)).log2();
            assert!((rate - 2.0 * order as f64).abs() < 0.25, "{metric:?}, order {order}: {rate}");
        }
    }
    // Closer than with nodal curvatures (8.28e-6, 2.98e-8).
    for (order, bound) in [(2, 3.2e-6), (3, 5e-9)] {
        let (tip, _) = Bend::new(Metric::Geodesic, order, 8).solve(Bend::consistent);
        assert!((tip - TIP).norm() / TIP.norm() < bound);
    }
}
