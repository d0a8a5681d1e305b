//! The four metrics on rotations and motions: motion-interpolation-galerkin §1.9 … §1.11, X7, X8, X9.

use crate::common;
use common::*;
use poinsot_geometry::dual::{Dual, DualMat3, DualNumber};
use poinsot_geometry::interpolation::*;
use poinsot_geometry::motion::motion_tensor;
use poinsot_geometry::motion_parameters::Generator;
use poinsot_geometry::nalgebra::{DMatrix, SVector};
use poinsot_geometry::se3::{self, Pose, ad, join, split};
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6, so3};
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, PI};

const METRICS: [Metric; 9] = [
    Metric::Matrix,
    Metric::Quaternion,
    Metric::Geodesic,
    Metric::Vector(Generator::Cartesian),
    Metric::Vector(Generator::Linear),
    Metric::Vector(Generator::EulerRodrigues),
    Metric::Vector(Generator::QuarterSine),
    Metric::Vector(Generator::CayleyGibbs),
    Metric::Vector(Generator::WienerMilenkovic),
];

/// Poses within `spread` rad of a base pose.
fn cluster(n: usize, spread: f64) -> impl Strategy<Value = Vec<Pose>> {
    (pose(), prop::collection::vec(twist(spread), n))
        .prop_map(|(base, twists)| twists.iter().map(|s| base.update(s)).collect())
}

/// Weights and slopes of a spectral element at `x`.
fn weights(n: usize, x: f64) -> (Vec<f64>, Vec<f64>) {
    let basis = Lagrange::gauss_lobatto(n).unwrap();
    (basis.values(x), basis.derivatives(x))
}

fn moved(nodes: &[Pose], node: usize, s: &Vec6) -> Vec<Pose> {
    let mut nodes = nodes.to_vec();
    nodes[node] = nodes[node].update(s);
    nodes
}

fn rotations(nodes: &[Pose]) -> Vec<Mat3> {
    nodes.iter().map(|pose| pose.rotation).collect()
}

fn close_pose(a: &Pose, b: &Pose, tolerance: f64) {
    close(a.rotation, b.rotation, tolerance);
    close(a.r, b.r, tolerance);
}

// §1.10: the table of distances and their dual parts.
#[test]
fn distances() {
    for theta in [1e-7, 0.3, 1.2, 2.9] {
        let slide = 0.7;
        let a = se3::exp(&Vec6::new(0.3, -0.2, 0.5, 0.4, 1.0, -0.3));
        let n = Vec3::new(2.0, -1.0, 2.0) / 3.0;
        let b = a.update(&join(&(slide * n), &(theta * n)));
        let phi = Dual::new(theta, slide);
        let real = DualNumber::real;
        let half = real(0.5) * phi;
        let quarter = real(0.25) * phi;
        let expected = [
            (Metric::Matrix, real(4.0) * (real(1.0) - phi.cos())),
            (Metric::Quaternion, real(2.0) * (real(1.0) - half.cos())),
            (Metric::Geodesic, phi * phi),
            (Metric::Vector(Generator::Linear), phi.sin() * phi.sin()),
            (Metric::Vector(Generator::EulerRodrigues), real(4.0) * half.sin() * half.sin()),
            (Metric::Vector(Generator::QuarterSine), real(16.0) * quarter.sin() * quarter.sin()),
            (Metric::Vector(Generator::CayleyGibbs), real(4.0) * half.tan() * half.tan()),
            (Metric::Vector(Generator::WienerMilenkovic), real(16.0) * quarter.tan() * quarter.tan()),
        ];
        for (metric, distance) in expected {
            let scale = 1.0 + distance.re.abs() + distance.du.abs();
            close(metric.distance_squared(&a, &b), distance, 1e-13 * scale);
            close(metric.rotation_distance_squared(&a.rotation, &b.rotation), distance.re, 1e-13 * scale);
        }
        let frobenius = (a.rotation - b.rotation).norm_squared();
        close(Metric::Matrix.rotation_distance_squared(&a.rotation, &b.rotation), frobenius, 1e-14 * 8.0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    // X7: frame indifference, order of the data, exactness at the nodes, for all metrics.
    #[test]
    fn objectivity(nodes in cluster(4, 0.3), by in pose(), x in -1.0..1.0_f64) {
        let (l, dl) = weights(4, x);
        let moved: Vec<Pose> = nodes.iter().map(|node| by * *node).collect();
        let order = [2, 0, 3, 1];
        let shuffled: Vec<Pose> = order.iter().map(|&k| nodes[k]).collect();
        let pick = |v: &[f64]| -> Vec<f64> { order.iter().map(|&k| v[k]).collect() };
        for metric in METRICS {
            let mut direct = MotionInterpolation::new(metric, &nodes).unwrap();
            let mut after = MotionInterpolation::new(metric, &moved).unwrap();
            let mut mixed = MotionInterpolation::new(metric, &shuffled).unwrap();
            let point = direct.at(&l, &dl).unwrap();
            let (place, k) = (point.pose(), point.curvature());
            let (pose, curvature) = after.sample(&l, &dl).unwrap();
            close_pose(&pose, &(by * place), 1e-12);
            close(curvature, k, 1e-12);
            let point = mixed.at(&pick(&l), &pick(&dl)).unwrap();
            close_pose(&point.pose(), &place, 1e-12);
            close(point.curvature(), k, 1e-12);
            for (j, node) in nodes.iter().enumerate() {
                let mut unit = vec![0.0; 4];
                unit[j] = 1.0;
                close_pose(&direct.pose(&unit).unwrap(), node, 1e-13);
                let slopes = weights(4, Lagrange::gauss_lobatto(4).unwrap().nodes()[j]).1;
                let there = direct.at(&unit, &slopes).unwrap().curvature();
                let point = direct.at_node(j, &slopes).unwrap();
                close_pose(&point.pose(), node, 1e-14);
                close(point.curvature(), there, 1e-12);
            }
        }
    }

    // Rotations are the rotation part of motions.
    #[test]
    fn rotations_agree_with_motions(nodes in cluster(5, 0.3), x in -1.0..1.0_f64) {
        let (l, dl) = weights(5, x);
        for metric in METRICS {
            let mut motions = MotionInterpolation::new(metric, &nodes).unwrap();
            let mut turns = RotationInterpolation::new(metric, &rotations(&nodes)).unwrap();
            let motion = motions.at(&l, &dl).unwrap();
            let turn = turns.at(&l, &dl).unwrap();
            close(motion.pose().rotation, turn.rotation(), 1e-14);
            close(split(&motion.curvature()).1, turn.curvature(), 1e-12);
            for k in 0..5 {
                close(motion.increment(k).fixed_view::<3, 3>(3, 3).into_owned(), turn.increment(k), 1e-12);
                let block = motion.curvature_increment(k).fixed_view::<3, 3>(3, 3).into_owned();
                close(block, turn.curvature_increment(k), 1e-11);
            }
            close(motion.least_stiffness(), turn.least_stiffness(), 1e-13);
        }
    }

    // X8: polar decomposition, Davenport's eigenproblem and the stationarity condition; any rotations.
    #[test]
    fn matrix_metric_solvers_agree(
        nodes in [pose(), pose(), pose(), pose()],
        w in [0.2..1.0_f64, 0.2..1.0, 0.2..1.0, 0.2..1.0],
    ) {
        let zero = Dual::new(Mat3::zeros(), Mat3::zeros());
        let weighted = nodes.iter().zip(w).map(|(node, w)| DualNumber::real(w) * motion_tensor(node));
        let g: DualMat3 = weighted.fold(zero, |sum, tensor| sum + tensor);
        let mut interpolation = MotionInterpolation::new(Metric::Matrix, &nodes).unwrap();
        let point = interpolation.at(&w, &[0.0; 4]).unwrap();
        prop_assume!(point.least_stiffness() > 0.05);
        let found = point.pose();
        close_pose(&matrix_metric::polar_motion(&g).unwrap(), &found, 1e-12);
        close_pose(&matrix_metric::davenport_motion(&g).unwrap(), &found, 1e-12);
        // S = RᵀG is symmetric in both parts
        let s = motion_tensor(&found).transpose() * g;
        prop_assert!(s.axial().re.norm() < 1e-13 && s.axial().du.norm() < 1e-12);
        // and nothing is nearer
        let cost = |pose: &Pose| -> f64 {
            let distance = |r: &Mat3| Metric::Matrix.rotation_distance_squared(&pose.rotation, r);
            nodes.iter().zip(w).map(|(node, w)| w * distance(&node.rotation)).sum()
        };
        let least = cost(&found);
        for node in &nodes {
            prop_assert!(cost(node) >= least - 1e-12);
        }
    }

    // The vector metrics that coincide with other ones.
    #[test]
    fn coinciding_metrics(nodes in cluster(4, 0.8), x in -1.0..1.0_f64) {
        let (l, dl) = weights(4, x);
        let twins = [
            (Metric::Matrix, Generator::EulerRodrigues),
            (Metric::Quaternion, Generator::QuarterSine),
            (Metric::Geodesic, Generator::Cartesian),
        ];
        for (metric, generator) in twins {
            let mut a = MotionInterpolation::new(metric, &nodes).unwrap();
            let mut b = MotionInterpolation::new(Metric::Vector(generator), &nodes).unwrap();
            let (a, b) = (a.at(&l, &dl).unwrap(), b.at(&l, &dl).unwrap());
            close_pose(&a.pose(), &b.pose(), 1e-14);
            close(a.curvature(), b.curvature(), 1e-13);
        }
    }

    // The stationary frame: gradient of the weighted squared distances of rotation vanishes, for every
    // metric.
    #[test]
    fn distances_are_stationary(nodes in cluster(4, 0.3), x in -1.0..1.0_f64, along in unit()) {
        let (l, _) = weights(4, x);
        let turns = rotations(&nodes);
        for metric in METRICS {
            let found = RotationInterpolation::new(metric, &turns).unwrap().rotation(&l).unwrap();
            let slope = time_derivative(|t| {
                let r = found * so3::exp(&(t * along));
                let pairs = turns.iter().zip(&l);
                SVector::<f64, 1>::new(pairs.map(|(node, l)| l * metric.rotation_distance_squared(&r, node)).sum())
            });
            prop_assert!(slope[0].abs() < 1e-10, "{metric:?}: {}", slope[0]);
        }
    }

    // k = axial(X⁻¹ X') against a difference of the interpolated motion.
    #[test]
    fn curvature_is_the_derivative_of_the_motion(nodes in cluster(4, 0.3), x in -0.9..0.9_f64) {
        let basis = Lagrange::gauss_lobatto(4).unwrap();
        for metric in METRICS {
            let mut interpolation = MotionInterpolation::new(metric, &nodes).unwrap();
            let point = interpolation.at(&basis.values(x), &basis.derivatives(x)).unwrap();
            let (here, k) = (point.pose(), point.curvature());
            let difference = {
                let interpolation = std::cell::RefCell::new(&mut interpolation);
                time_derivative(|t| {
                    let there = interpolation.borrow_mut().pose(&basis.values(x + t)).unwrap();
                    se3::log(&here.relative(&there))
                })
            };
            close(k, difference, 1e-9 * (1.0 + k.norm()));
        }
    }

    // X9: N_k, V_k against differences, and δk = (δu)' + ad(k) δu.
    #[test]
    fn first_derivatives(nodes in cluster(4, 0.3), x in -0.9..0.9_f64) {
        let basis = Lagrange::gauss_lobatto(4).unwrap();
        let (l, dl) = (basis.values(x), basis.derivatives(x));
        for metric in METRICS {
            let mut interpolation = MotionInterpolation::new(metric, &nodes).unwrap();
            let point = interpolation.at(&l, &dl).unwrap();
            let (here, k) = (point.pose(), point.curvature());
            for node in 0..4 {
                let (n, v) = (point.increment(node), point.curvature_increment(node));
                let state = |s: &Vec6| -> SVector<f64, 12> {
                    let mut other = MotionInterpolation::new(metric, &moved(&nodes, node, s)).unwrap();
                    let point = other.at(&l, &dl).unwrap();
                    let mut both = SVector::<f64, 12>::zeros();
                    both.fixed_rows_mut::<6>(0).copy_from(&se3::log(&here.relative(&point.pose())));
                    both.fixed_rows_mut::<6>(6).copy_from(&point.curvature());
                    both
                };
                let difference = jacobian(state, &Vec6::zeros());
                close(n, difference.fixed_rows::<6>(0).into_owned(), 1e-9 * (1.0 + n.norm()));
                close(v, difference.fixed_rows::<6>(6).into_owned(), 2e-9 * (1.0 + v.norm()));
                // commutation: V_k = N_k' + ad(k) N_k
                let slope = time_derivative(|t| {
                    let mut other = MotionInterpolation::new(metric, &nodes).unwrap();
                    let point = other.at(&basis.values(x + t), &basis.derivatives(x + t)).unwrap();
                    point.increment(node)
                });
                close(v, slope + ad(&k) * n, 2e-9 * (1.0 + v.norm()));
            }
        }
    }

    // ∂(N_iᵀ f)/∂u_j and ∂(V_iᵀ f)/∂u_j against differences of the first derivatives.
    #[test]
    fn second_derivatives(nodes in cluster(3, 0.4), x in -0.9..0.9_f64, f in vec6()) {
        let (l, dl) = weights(3, x);
        for metric in METRICS {
            let mut interpolation = MotionInterpolation::new(metric, &nodes).unwrap();
            let mut point = interpolation.at(&l, &dl).unwrap();
            let (mut first, mut second) = (vec![Mat6::zeros(); 9], vec![Mat6::zeros(); 9]);
            point.increment_hessian(&f, |i, j, block| first[3 * i + j] = block);
            point.curvature_hessian(&f, |i, j, block| second[3 * i + j] = block);
            for j in 0..3 {
                let gradients = |s: &Vec6| -> SVector<f64, 36> {
                    let mut other = MotionInterpolation::new(metric, &moved(&nodes, j, s)).unwrap();
                    let point = other.at(&l, &dl).unwrap();
                    let mut all = SVector::<f64, 36>::zeros();
                    for i in 0..3 {
                        all.fixed_rows_mut::<6>(6 * i).copy_from(&(point.increment(i).transpose() * f));
                        let v = point.curvature_increment(i).transpose() * f;
                        all.fixed_rows_mut::<6>(18 + 6 * i).copy_from(&v);
                    }
                    all
                };
                let difference = jacobian(gradients, &Vec6::zeros());
                for i in 0..3 {
                    let (a, b) = (first[3 * i + j], second[3 * i + j]);
                    close(a, difference.fixed_rows::<6>(6 * i).into_owned(), 5e-9 * (1.0 + a.norm()));
                    close(b, difference.fixed_rows::<6>(18 + 6 * i).into_owned(), 5e-9 * (1.0 + b.norm()));
                }
            }
        }
    }

    // The same for rotations. H is symmetric but for the bracket of two increments of one node: H − Hᵀ = ~g
    // there.
    #[test]
    fn second_derivatives_of_rotations(nodes in cluster(3, 0.5), x in -0.9..0.9_f64, moment in vec3()) {
        let (l, dl) = weights(3, x);
        let turns = rotations(&nodes);
        for metric in METRICS {
            let mut interpolation = RotationInterpolation::new(metric, &turns).unwrap();
            let mut point = interpolation.at(&l, &dl).unwrap();
            let mut hessian = [[Mat3::zeros(); 3]; 3];
            point.curvature_hessian(&moment, |i, j, block| hessian[i][j] = block);
            let gradient: Vec<Vec3> = (0..3).map(|k| point.curvature_increment(k).transpose() * moment).collect();
            let mut first = [[Mat3::zeros(); 3]; 3];
            point.increment_hessian(&moment, |i, j, block| first[i][j] = block);
            for (i, row) in hessian.iter().enumerate() {
                for (j, block) in row.iter().enumerate() {
                    let asymmetry = block - hessian[j][i].transpose();
                    let bracket = if i == j { so3::skew(&gradient[i]) } else { Mat3::zeros() };
                    close(asymmetry, bracket, 1e-10 * (1.0 + block.norm()));
                }
            }
            for j in 0..3 {
                let gradients = |s: &Vec3| -> SVector<f64, 9> {
                    let mut other = turns.clone();
                    other[j] *= so3::exp(s);
                    let mut other = RotationInterpolation::new(metric, &other).unwrap();
                    let point = other.at(&l, &dl).unwrap();
                    let mut all = SVector::<f64, 9>::zeros();
                    for i in 0..3 {
                        all.fixed_rows_mut::<3>(3 * i).copy_from(&(point.increment(i).transpose() * moment));
                    }
                    all
                };
                let difference = jacobian(gradients, &Vec3::zeros());
                for (i, row) in first.iter().enumerate() {
                    let rows = difference.fixed_rows::<3>(3 * i).into_owned();
                    close(row[j], rows, 2e-9 * (1.0 + row[j].norm()));
                }
            }
        }
    }

    // §1.11.5a: the closed form of two nodes against the general one.
    #[test]
    fn screw_segment(start in pose(), s in twist(3.0), alpha in 0.0..1.0_f64) {
        let end = start.update(&s);
        let segment = ScrewSegment::new(start, &end);
        close(segment.curvature(), s, 1e-10);
        close_pose(&segment.pose(alpha), &start.update(&(alpha * s)), 1e-10);
        let mut general = MotionInterpolation::new(Metric::Geodesic, &[start, end]).unwrap();
        let point = general.at(&[1.0 - alpha, alpha], &[-1.0, 1.0]).unwrap();
        close_pose(&point.pose(), &segment.pose(alpha), 1e-11);
        close(point.curvature(), segment.curvature(), 1e-11);
        for (k, (n, v)) in segment.increments(alpha).iter().zip(segment.curvature_increments()).enumerate() {
            close(point.increment(k), *n, 1e-10);
            close(point.curvature_increment(k), v, 1e-10);
        }
    }

    // §1.11.5b: the closed form of the quaternion metric, (3.42) and (3.43).
    #[test]
    fn quaternion_metric_closed_form(nodes in cluster(4, 0.4), x in -1.0..1.0_f64) {
        let (l, dl) = weights(4, x);
        let mut interpolation = MotionInterpolation::new(Metric::Quaternion, &nodes).unwrap();
        let point = interpolation.at(&l, &dl).unwrap();
        let k = poinsot_geometry::dual::DualVec3::from_extended(&point.curvature());
        let here = point.pose();
        let real = DualNumber::real;
        let generator = Generator::EulerRodrigues;
        let s: Vec<_> = nodes.iter().map(|node| generator.parameter(&here.relative(node)).unwrap()).collect();
        let root = |s: &Dual<Vec3>| (real(1.0) - real(0.25) * s.dot(s)).sqrt();
        let sigma = s.iter().zip(&l).fold(real(0.0), |sum, (s, l)| sum + real(*l) * root(s));
        let rate = s.iter().zip(&dl).fold(real(0.0), |sum, (s, dl)| sum + real(*dl) * root(s)) / sigma;
        let one = real(1.0);
        let left = rate * DualMat3::identity() - real(0.5) * k.skew();
        for (node, s) in s.iter().enumerate() {
            let inverse = generator.tangent_inv(s).unwrap();
            let n = (real(l[node]) / sigma) * inverse;
            close(point.increment(node), n.extended(), 1e-12);
            let outer = Dual::new(
                k.re * s.re.transpose(),
                k.re * s.du.transpose() + k.du * s.re.transpose(),
            );
            let direct = (one / sigma) * (real(dl[node]) * inverse + real(0.25 * l[node]) * outer);
            close(point.curvature_increment(node), (direct - left * n).extended(), 1e-11);
        }
    }

    // §1.11.5c: nodal curvature and B matrix, (3.44)–(3.46).
    #[test]
    fn nodal_b_matrix(nodes in cluster(4, 0.4), j in 0..4_usize) {
        let basis = Lagrange::gauss_lobatto(4).unwrap();
        let slopes = basis.derivative_row(j);
        let generators = [
            (Metric::Matrix, Generator::Linear),
            (Metric::Quaternion, Generator::EulerRodrigues),
            (Metric::Geodesic, Generator::Cartesian),
        ];
        for (metric, generator) in generators {
            let mut interpolation = MotionInterpolation::new(metric, &nodes).unwrap();
            let point = interpolation.at_node(j, slopes).unwrap();
            let (mut k, mut own) = (Vec6::zeros(), Mat6::zeros());
            for i in (0..4).filter(|&i| i != j) {
                let s = generator.parameter(&nodes[j].relative(&nodes[i])).unwrap();
                let inverse = generator.tangent_inv(&s).unwrap().extended();
                k += slopes[i] * s.extended();
                own -= slopes[i] * inverse;
                close(point.curvature_increment(i), slopes[i] * inverse, 1e-12);
            }
            close(point.curvature(), k, 1e-12);
            close(point.curvature_increment(j), own + ad(&k), 1e-11);
            close(point.increment(j), Mat6::identity(), 1e-14);
        }
    }

    // A helix is reproduced by the geodesic metric with any basis that reproduces x, and by no other.
    #[test]
    fn helix(start in pose(), n in 2..9_usize, x in -1.0..1.0_f64) {
        let k = Vec6::new(0.5, -0.2, 0.9, 0.3, -0.7, 0.8);
        let basis = Lagrange::gauss_lobatto(n).unwrap();
        let nodes: Vec<Pose> = basis.nodes().iter().map(|x| start.update(&(*x * k))).collect();
        let (l, dl) = (basis.values(x), basis.derivatives(x));
        let mut geodesic = MotionInterpolation::new(Metric::Geodesic, &nodes).unwrap();
        let point = geodesic.at(&l, &dl).unwrap();
        close_pose(&point.pose(), &start.update(&(x * k)), 1e-12);
        close(point.curvature(), k, 1e-12);
    }

    // Rigid placement alone: equal nodes give the node, no curvature, and N_k = l_k I.
    #[test]
    fn equal_nodes(node in pose(), x in -1.0..1.0_f64) {
        let (l, dl) = weights(5, x);
        for metric in METRICS {
            let mut interpolation = MotionInterpolation::new(metric, &[node; 5]).unwrap();
            let point = interpolation.at(&l, &dl).unwrap();
            close_pose(&point.pose(), &node, 1e-14);
            prop_assert!(point.curvature().norm() < 1e-13);
            for k in 0..5 {
                close(point.increment(k), l[k] * Mat6::identity(), 1e-13);
                close(point.curvature_increment(k), dl[k] * Mat6::identity(), 1e-13);
            }
            close(point.least_stiffness(), 2.0, 1e-13);
        }
    }
}

/// Largest relative error of N_k, V_k and both second derivatives against differences, over all nodes.
fn derivative_error(metric: Metric, nodes: &[Pose], l: &[f64], dl: &[f64], f: &Vec6) -> f64 {
    let n = nodes.len();
    let mut interpolation = MotionInterpolation::new(metric, nodes).unwrap();
    let mut point = interpolation.at(l, dl).unwrap();
    let here = point.pose();
    let first: Vec<(Mat6, Mat6)> =
        (0..n).map(|k| (point.increment(k), point.curvature_increment(k))).collect();
    let mut second = vec![(Mat6::zeros(), Mat6::zeros()); n * n];
    point.increment_hessian(f, |i, j, block| second[n * i + j].0 = block);
    point.curvature_hessian(f, |i, j, block| second[n * i + j].1 = block);
    let mut worst = 0.0_f64;
    let mut compare = |exact: &Mat6, difference: Mat6| {
        worst = worst.max((exact - difference).norm() / (1.0 + exact.norm()));
    };
    for j in 0..n {
        for i in 0..n {
            let state = |s: &Vec6| -> SVector<f64, 24> {
                let mut other = MotionInterpolation::new(metric, &moved(nodes, j, s)).unwrap();
                let point = other.at(l, dl).unwrap();
                let mut all = SVector::<f64, 24>::zeros();
                all.fixed_rows_mut::<6>(0).copy_from(&se3::log(&here.relative(&point.pose())));
                all.fixed_rows_mut::<6>(6).copy_from(&point.curvature());
                all.fixed_rows_mut::<6>(12).copy_from(&(point.increment(i).transpose() * f));
                all.fixed_rows_mut::<6>(18).copy_from(&(point.curvature_increment(i).transpose() * f));
                all
            };
            let difference = jacobian(state, &Vec6::zeros());
            compare(&first[j].0, difference.fixed_rows::<6>(0).into_owned());
            compare(&first[j].1, difference.fixed_rows::<6>(6).into_owned());
            compare(&second[n * i + j].0, difference.fixed_rows::<6>(12).into_owned());
            compare(&second[n * i + j].1, difference.fixed_rows::<6>(18).into_owned());
        }
    }
    worst
}

// Elements that bend by more than a right angle, and a global interpolation of more than one turn, in which
// relative quaternions have negative scalar parts.
#[test]
fn derivatives_at_large_rotations() {
    let f = Vec6::new(0.7, -1.1, 0.4, 0.9, 0.3, -0.8);
    let path = |x: f64| {
        let base = Pose::new(Vec3::new(2.0, -1.0, 0.5), so3::exp(&Vec3::new(0.0, 0.0, 2.2 * x)));
        base.update(&Vec6::new(x, x * x, 0.2, 0.4 * x, 0.5 * x * x, 0.3))
    };
    let (l, dl) = weights(4, 0.31);
    let nodes: Vec<Pose> =
        Lagrange::gauss_lobatto(4).unwrap().nodes().iter().map(|x| path(0.55 * x)).collect();
    let local =
        [Metric::Matrix, Metric::Quaternion, Metric::Geodesic, Metric::Vector(Generator::WienerMilenkovic)];
    for metric in local {
        let error = derivative_error(metric, &nodes, &l, &dl, &f);
        assert!(error < 1e-8, "{metric:?}: {error:e}");
    }
    let basis = chebyshev(9, -1.7, 1.7).unwrap();
    let nodes: Vec<Pose> = basis.nodes().iter().map(|x| path(*x)).collect();
    let (l, dl) = (basis.values(0.4), basis.derivatives(0.4));
    for metric in [Metric::Matrix, Metric::Quaternion] {
        let mut interpolation = MotionInterpolation::new(metric, &nodes).unwrap();
        let (pose, _) = interpolation.sample(&l, &dl).unwrap();
        assert!(so3::angle_between(&pose.rotation, &path(0.4).rotation) < 0.05);
        let error = derivative_error(metric, &nodes, &l, &dl, &f);
        assert!(error < 1e-8, "{metric:?}, global: {error:e}");
    }
}

// §1.9: equal weights give the mean; motions in opposite directions cancel.
#[test]
fn mean_of_motions() {
    let centre = Pose::new(Vec3::new(0.3, 2.0, -1.0), so3::exp(&Vec3::new(1.0, -2.0, 0.5)));
    let s = Vec6::new(0.4, -0.1, 0.8, 0.1, 0.2, -0.15);
    let nodes = [centre.update(&s), centre, centre.update(&-s)];
    for metric in METRICS {
        let mean = MotionInterpolation::new(metric, &nodes).unwrap().pose(&[1.0 / 3.0; 3]).unwrap();
        close_pose(&mean, &centre, 1e-13);
    }
}

// Error of the interpolated helix of half a turn falls with the order n of the nodes where it is not exact.
#[test]
fn order_of_the_metrics_on_a_helix() {
    let k = Vec6::new(1.0, 0.0, 0.2, 0.3, -0.7, 0.8);
    let errors = |metric: Metric, n: usize, h: f64| -> (f64, f64) {
        let basis = Lagrange::gauss_lobatto(n).unwrap();
        let nodes: Vec<Pose> = basis.nodes().iter().map(|x| se3::exp(&(0.5 * h * x * k))).collect();
        let mut interpolation = MotionInterpolation::new(metric, &nodes).unwrap();
        let x = 0.23;
        let point = interpolation.at(&basis.values(x), &basis.derivatives(x)).unwrap();
        let exact = se3::exp(&(0.5 * h * x * k));
        ((point.pose().r - exact.r).norm(), (point.curvature() / (0.5 * h) - k).norm())
    };
    for metric in [Metric::Matrix, Metric::Quaternion, Metric::Vector(Generator::WienerMilenkovic)] {
        // Symmetric nodes: for even n the error of a helix gains an order.
        for (n, pose_order, curvature_order) in [(2, 3.0, 2.0), (3, 3.0, 2.0), (4, 5.0, 4.0), (5, 5.0, 4.0)] {
            let ((a, b), (c, d)) = (errors(metric, n, 0.4), errors(metric, n, 0.2));
            let (found, found_curvature) = ((a / c).log2(), (b / d).log2());
            assert!((found - pose_order).abs() < 0.15, "{metric:?} n {n}: order {found} of the place");
            assert!((found_curvature - curvature_order).abs() < 0.15, "{metric:?} n {n}: {found_curvature}");
        }
    }
}

// Nodes all round the circle: the matrix metric does not mind, the geodesic one refuses.
#[test]
fn far_nodes() {
    let about = |angle: f64| so3::exp(&Vec3::new(0.0, 0.0, angle));
    let nodes = [about(0.0), about(FRAC_PI_2), about(PI)];
    let basis = Lagrange::equidistant(3).unwrap();
    let mut matrix = RotationInterpolation::new(Metric::Matrix, &nodes).unwrap();
    let middle = matrix.rotation(&basis.values(0.0)).unwrap();
    close(middle, nodes[1], 1e-14);
    // At the ends one node is half a turn away.
    assert!(matrix.at(&basis.values(-1.0), &basis.derivatives(-1.0)).is_ok());
    let mut geodesic = RotationInterpolation::new(Metric::Geodesic, &nodes).unwrap();
    let far = geodesic.at_node(0, basis.derivatives(-1.0).as_slice()).map(|_| ());
    assert!(matches!(far, Err(InterpolationError::TooFar { node: 2, .. })), "{far:?}");
    // Opposite frames in equal parts have no mean.
    let opposite = [about(0.0), about(PI)];
    let mut matrix = RotationInterpolation::new(Metric::Matrix, &opposite).unwrap();
    let found = matrix.rotation(&[0.5, 0.5]);
    assert_eq!(found, Err(InterpolationError::Undefined { metric: Metric::Matrix }));
    // Wrong numbers of everything.
    assert_eq!(matrix.rotation(&[1.0]), Err(InterpolationError::WeightCount { expected: 2, found: 1 }));
    assert_eq!(matrix.rotation(&[f64::NAN, 1.0]), Err(InterpolationError::NotFinite));
    assert!(matches!(
        matrix.at_node(2, &[0.0, 0.0]),
        Err(InterpolationError::NoSuchNode { node: 2, count: 2 })
    ));
    assert!(matches!(RotationInterpolation::new(Metric::Matrix, &[]), Err(InterpolationError::NoNodes)));
}

// §1.11.1: a sum with negative determinant takes the sign on its smallest singular value.
#[test]
fn nearest_rotation_of_an_improper_sum() {
    let (u, v) = (so3::exp(&Vec3::new(0.3, 1.0, -0.4)), so3::exp(&Vec3::new(-0.9, 0.2, 0.5)));
    let g = u * Mat3::from_diagonal(&Vec3::new(2.0, 1.0, -0.3)) * v.transpose();
    let nearest = matrix_metric::nearest_rotation(&g).unwrap();
    close(nearest, u * v.transpose(), 1e-14);
    let s = nearest.transpose() * g;
    assert!((Mat3::from_diagonal_element(s.trace()) - s).symmetric_eigenvalues().min() > 0.0);
}

// A place far from the origin costs no digits of the curvature: the nodes are kept relative to the first.
#[test]
fn far_from_the_origin() {
    let k = Vec6::new(1.0, 0.1, -0.2, 0.3, -0.7, 0.8);
    let base = Pose::new(Vec3::new(4096.0, -8192.0, 2048.0), so3::exp(&Vec3::new(0.4, 0.1, 0.9)));
    let (l, dl) = weights(4, 0.37);
    let build = |base: Pose| -> Vec<Pose> {
        Lagrange::gauss_lobatto(4).unwrap().nodes().iter().map(|x| base.update(&(*x * k))).collect()
    };
    let mut interpolation = MotionInterpolation::new(Metric::Geodesic, &build(base)).unwrap();
    // The nodes themselves are rounded to 1e-12 at this distance; the slopes magnify that by 3.
    close(interpolation.at(&l, &dl).unwrap().curvature(), k, 6e-12);
}

// Loading and unloading: nodes that come back give the same strain, whatever lay between (path independence).
#[test]
fn path_independence() {
    let start: Vec<Pose> =
        (0..4).map(|i| se3::exp(&(0.2 * f64::from(i) * Vec6::new(1.0, 0.2, 0.1, 0.5, 0.3, 0.9)))).collect();
    let (l, dl) = weights(4, 0.3);
    for metric in METRICS {
        let mut interpolation = MotionInterpolation::new(metric, &start).unwrap();
        let first = interpolation.at(&l, &dl).unwrap().curvature();
        for step in 0..20 {
            let nodes: Vec<Pose> = start
                .iter()
                .enumerate()
                .map(|(i, node)| node.update(&(0.02 * f64::from(step) * Vec6::repeat(0.3 * i as f64))))
                .collect();
            interpolation.set_nodes(&nodes).unwrap();
            interpolation.at(&l, &dl).unwrap();
        }
        interpolation.set_nodes(&start).unwrap();
        assert_eq!(interpolation.at(&l, &dl).unwrap().curvature(), first);
    }
}

// The strain energy ½ eᵀ D e of an element has the gradient Σ V_iᵀ D e and the tangent Σ V_iᵀ D V_j + H_ij(D
// e).
#[test]
fn consistent_beam_tangent() {
    let stiffness = Mat6::from_diagonal(&Vec6::new(1e2, 50.0, 50.0, 3.0, 2.0, 1.0));
    let basis = Lagrange::gauss_lobatto(3).unwrap();
    let rule = Quadrature::gauss_legendre(2);
    let k0 = Vec6::new(1.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    let nodes: Vec<Pose> = basis
        .nodes()
        .iter()
        .map(|x| se3::exp(&Vec6::new(1.1 * x, 0.2 * x * x, -0.1 * x, 0.3 * x, 0.5 * x * x, 0.4 * x)))
        .collect();
    let force = |nodes: &[Pose], tangent: Option<&mut DMatrix<f64>>| -> SVector<f64, 18> {
        let mut interpolation = MotionInterpolation::new(Metric::Geodesic, nodes).unwrap();
        let mut sum = SVector::<f64, 18>::zeros();
        let mut matrix = DMatrix::zeros(18, 18);
        for (x, w) in rule.points.iter().zip(&rule.weights) {
            let mut point = interpolation.at(&basis.values(*x), &basis.derivatives(*x)).unwrap();
            let load = *w * (stiffness * (point.curvature() - k0));
            let v: Vec<Mat6> = (0..3).map(|k| point.curvature_increment(k)).collect();
            for (i, v) in v.iter().enumerate() {
                let mut rows = sum.fixed_rows_mut::<6>(6 * i);
                rows += v.transpose() * load;
            }
            point.curvature_hessian(&load, |i, j, block| {
                let elastic = *w * v[i].transpose() * stiffness * v[j];
                let mut view = matrix.fixed_view_mut::<6, 6>(6 * i, 6 * j);
                view += elastic + block;
            });
        }
        if let Some(tangent) = tangent {
            *tangent = matrix;
        }
        sum
    };
    let mut tangent = DMatrix::zeros(18, 18);
    force(&nodes, Some(&mut tangent));
    for j in 0..3 {
        let difference = jacobian(|s: &Vec6| force(&moved(&nodes, j, s), None), &Vec6::zeros());
        let columns = tangent.fixed_view::<18, 6>(0, 6 * j).into_owned();
        close(columns, difference, 1e-9 * columns.norm());
    }
    // Rigid motions of the whole element cost nothing: the resultant of the nodal forces vanishes.
    let f = force(&nodes, None);
    let resultant = (0..3)
        .fold(Vec6::zeros(), |sum, i| sum + nodes[i].adjoint_inv().transpose() * f.fixed_rows::<6>(6 * i));
    assert!(resultant.norm() < 1e-12 * f.norm(), "{resultant}");
}
