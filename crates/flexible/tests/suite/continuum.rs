//! Measures of strain and stress (floating-frame-and-ancf V24 … V27).

use crate::support::{close, noise};
use nalgebra::Vector6;
use poinsot_flexible::continuum::*;
use poinsot_flexible::{Isotropic, plane_strain, plane_stress};
use poinsot_geometry::{Mat3, Vec3, so3};

fn chance(seed: usize) -> Mat3 {
    Mat3::from_fn(|i, j| noise(seed + 3 * i + j))
}

#[track_caller]
fn same(a: &Mat3, b: &Mat3, tolerance: f64) {
    assert!((a - b).abs().max() < tolerance, "{a} {b}");
}

/// V24: u1 = k1 + k2 x1, u2 = k3 + k4 x1 + k5 x1² + k6 x1³.
#[test]
fn green_strain_of_a_bent_strip() {
    let [k2, k4, k5, k6, x] = [0.03, 0.2, -0.4, 0.7, 0.6];
    let p = k4 + 2.0 * k5 * x + 3.0 * k6 * x * x;
    let mut gradient = Mat3::zeros();
    gradient[(0, 0)] = k2;
    gradient[(1, 0)] = p;
    let j = deformation_gradient(&gradient);
    same(&j, &Mat3::new(1.0 + k2, 0.0, 0.0, p, 1.0, 0.0, 0.0, 0.0, 1.0), 1e-15);
    assert!(is_admissible(&j));
    let mut expected = Mat3::zeros();
    expected[(0, 0)] = 0.5 * (2.0 * k2 + k2 * k2 + p * p);
    expected[(0, 1)] = 0.5 * p;
    expected[(1, 0)] = 0.5 * p;
    same(&green_lagrange_strain(&j), &expected, 1e-15);
}

/// V25: a rotation has no Green strain and no Eulerian strain, but a small strain of cos θ − 1.
#[test]
fn small_strain_is_not_objective() {
    let theta = 0.3f64;
    let j = so3::exp(&(Vec3::z() * theta));
    let c = theta.cos() - 1.0;
    same(&small_strain(&(j - Mat3::identity())), &Mat3::from_diagonal(&Vec3::new(c, c, 0.0)), 1e-15);
    same(&green_lagrange_strain(&j), &Mat3::zeros(), 1e-15);
    same(&eulerian_strain(&j).unwrap(), &Mat3::zeros(), 1e-15);
}

/// V26: matrices of plane stress and plane strain; with tensor shear the last entry is twice as large.
#[test]
fn elasticity_in_the_plane() {
    let (e, n) = (200.0, 0.28);
    let d = Isotropic { young: e, poisson: n }.elasticity();
    let tensor = |plane: &poinsot_geometry::Mat6| {
        let full = elasticity_for_tensor_shear(plane);
        Mat3::from_fn(|i, j| full[([0, 1, 3][i], [0, 1, 3][j])])
    };
    let stress = Mat3::new(1.0, n, 0.0, n, 1.0, 0.0, 0.0, 0.0, 1.0 - n) * (e / (1.0 - n * n));
    let strain = Mat3::new(1.0 - n, n, 0.0, n, 1.0 - n, 0.0, 0.0, 0.0, 1.0 - 2.0 * n)
        * (e / ((1.0 + n) * (1.0 - 2.0 * n)));
    same(&tensor(&plane_stress(&d)), &stress, 1e-12);
    same(&tensor(&plane_strain(&d)), &strain, 1e-12);
}

/// V27, problem 3: u = (2x1 + x2, x3, x3 − x2).
#[test]
fn strain_of_a_line_element() {
    let gradient = Mat3::new(2.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 1.0);
    let j = deformation_gradient(&gradient);
    close(j.determinant(), 9.0, 1e-14);
    let n = Vec3::repeat(1.0 / 3f64.sqrt());
    let green = green_lagrange_strain(&j);
    close(n.dot(&(green * n)), 3.0, 1e-14);
    close(line_element_strain(&green, &n), 7f64.sqrt() - 1.0, 1e-14);
    close(line_element_strain(&green, &n), (j * n).norm() - 1.0, 1e-14);
}

/// V27, problem 2: the strain is that of nᵀεn = 13k + 539k²/6.
#[test]
fn strain_of_a_line_element_from_its_component() {
    for k in [1e-9f64, 1e-3, 0.1] {
        let component = 13.0 * k + 539.0 * k * k / 6.0;
        let green = Mat3::from_diagonal(&Vec3::new(component, 0.0, 0.0));
        let expected = (1.0 + 26.0 * k + 539.0 * k * k / 3.0).sqrt() - 1.0;
        assert!((line_element_strain(&green, &Vec3::x()) - expected).abs() < 1e-15 + 1e-14 * expected);
    }
}

/// V27, problems 4 and 8: traction, principal stresses and directions.
#[test]
fn principal_stresses_and_tractions() {
    let sigma = Mat3::new(2.0, 4.0, 6.0, 4.0, 8.0, 12.0, 6.0, 12.0, 5.0);
    let n = Vec3::repeat(1.0 / 3f64.sqrt());
    assert!((traction(&sigma, &n) - Vec3::new(12.0, 24.0, 23.0) / 3f64.sqrt()).norm() < 1e-14);
    let sigma = Mat3::new(3.0, 2.0, 2.0, 2.0, 4.0, 0.0, 2.0, 0.0, 2.0);
    let Principal { values, directions } = principal(&sigma);
    let expected = [Vec3::new(2.0, 2.0, 1.0), Vec3::new(1.0, -2.0, 2.0), Vec3::new(2.0, -1.0, -2.0)];
    for ((value, expected_value), (found, expected)) in
        values.iter().zip([6.0, 3.0, 0.0]).zip(directions.iter().zip(expected))
    {
        assert!((value - expected_value).abs() < 1e-14);
        assert!((found.dot(&expected).abs() - 3.0).abs() < 1e-13);
    }
    let plane = Vec3::new(2.0, -2.0, -1.0) / 3.0;
    assert!((traction(&sigma, &plane) - Vec3::new(0.0, -4.0 / 3.0, 2.0 / 3.0)).norm() < 1e-14);
    close(tresca(&sigma), 6.0, 1e-14);
    close(von_mises(&sigma), 27f64.sqrt(), 1e-14);
    close(von_mises(&Mat3::from_diagonal(&Vec3::new(-5.0, 0.0, 0.0))), 5.0, 1e-14);
}

#[test]
fn polar_decomposition_of_any_deformation() {
    for seed in 0..20 {
        let j = chance(11 * seed) + Mat3::identity() * 2.0;
        let polar = polar_decomposition(&j).unwrap();
        same(&(polar.rotation * polar.right), &j, 1e-13);
        same(&(polar.left * polar.rotation), &j, 1e-13);
        same(&(polar.rotation.transpose() * polar.rotation), &Mat3::identity(), 1e-13);
        same(&(polar.right * polar.right), &right_cauchy_green(&j), 1e-12);
        same(&(polar.left * polar.left), &left_cauchy_green(&j), 1e-12);
        assert!(polar.right.symmetric_eigenvalues().min() > 0.0);
    }
    assert_eq!(polar_decomposition(&Mat3::from_diagonal(&Vec3::new(-1.0, 1.0, 1.0))), None);
}

/// The power of stresses is the same in all measures: |J| σ : d = S : ε̇ with ε̇ = Jᵀ d J.
#[test]
fn stress_measures_are_conjugate() {
    for seed in 0..10 {
        let j = chance(seed) * 0.4 + Mat3::identity();
        let (cauchy, rate) = (chance(100 + seed), chance(200 + seed));
        let (cauchy, rate) = (cauchy + cauchy.transpose(), rate + rate.transpose());
        let second = second_piola_of_cauchy(&cauchy, &j).unwrap();
        same(&cauchy_of_second_piola(&second, &j), &cauchy, 1e-12);
        let kirchhoff = kirchhoff_of_cauchy(&cauchy, &j);
        same(&cauchy_of_kirchhoff(&kirchhoff, &j), &cauchy, 1e-13);
        let green_rate = j.transpose() * rate * j;
        close(kirchhoff.dot(&rate), second.dot(&green_rate), 1e-12);
    }
    let singular = Mat3::from_diagonal(&Vec3::new(1.0, 1.0, 0.0));
    assert_eq!(second_piola_of_cauchy(&Mat3::identity(), &singular), None);
    assert_eq!(eulerian_strain(&singular), None);
}

/// Eulerian strain is J⁻ᵀ ε J⁻¹ of the Green strain.
#[test]
fn eulerian_strain_is_the_green_strain_carried_along() {
    let j = chance(5) * 0.5 + Mat3::identity();
    let inverse = j.try_inverse().unwrap();
    let carried = inverse.transpose() * green_lagrange_strain(&j) * inverse;
    same(&eulerian_strain(&j).unwrap(), &carried, 1e-13);
}

/// Energy needs the factor two of tensor shear (I_t), which engineering shear has in it.
#[test]
fn shear_is_counted_once() {
    let strain = chance(7) + chance(7).transpose();
    let d = Isotropic { young: 3.0, poisson: 0.2 }.elasticity();
    let stress = stress_of_voigt(&(d * engineering_of_strain(&strain)));
    let by_tensor = stress_of_voigt(&(elasticity_for_tensor_shear(&d) * tensor_shear_of_strain(&strain)));
    same(&stress, &by_tensor, 1e-14);
    let twice = Vector6::new(1.0, 1.0, 1.0, 2.0, 2.0, 2.0);
    let energy = voigt_of_stress(&stress).dot(&engineering_of_strain(&strain));
    close(energy, stress.dot(&strain), 1e-14);
    close(
        energy,
        voigt_of_stress(&stress).component_mul(&twice).dot(&tensor_shear_of_strain(&strain)),
        1e-14,
    );
    same(&strain_of_engineering(&engineering_of_strain(&strain)), &strain, 1e-15);
    same(&strain_of_tensor_shear(&tensor_shear_of_strain(&strain)), &strain, 1e-15);
}
