//! Materials: constants, axes, what is refused.

use crate::support::{close, noise, tilt};
use poinsot_flexible::continuum::{engineering_of_strain, stress_of_voigt};
use poinsot_flexible::{FlexibleError, Isotropic, Material, Orthotropic};
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6};
use std::f64::consts::FRAC_PI_2;

const WOOD: Orthotropic =
    Orthotropic { young: [12.0, 0.9, 0.5], poisson: [0.4, 0.45, 0.6], shear: [0.8, 0.7, 0.07] };

#[test]
fn constants_of_isotropic_materials_agree() {
    let steel = Isotropic { young: 2.1e11, poisson: 0.3 };
    let (lambda, mu) = steel.lame();
    close(mu, 8.076923076923077e10, 1e-15);
    close(lambda, 1.2115384615384615e11, 1e-15);
    for other in
        [Isotropic::from_lame(lambda, mu), Isotropic::from_bulk_and_shear(steel.bulk(), steel.shear())]
    {
        close(other.young, steel.young, 1e-14);
        close(other.poisson, steel.poisson, 1e-14);
    }
    close(steel.bulk(), lambda + 2.0 / 3.0 * mu, 1e-14);
}

#[test]
fn an_isotropic_material_is_orthotropic_and_alike_in_all_axes() {
    let constants = Isotropic { young: 5.0, poisson: 0.25 };
    let g = constants.shear();
    let other = Orthotropic { young: [5.0; 3], poisson: [0.25; 3], shear: [g; 3] };
    let material = Material::isotropic(constants, 1.0).unwrap();
    let other = Material::orthotropic(&other, 1.0).unwrap();
    assert!((material.elasticity() - other.elasticity()).abs().max() < 1e-13);
    assert!((material.turned(&tilt()).elasticity() - material.elasticity()).abs().max() < 1e-13);
}

/// A pull along an axis of an orthotropic material: ε1 = σ/E1, ε2 = −ν12 σ/E1, ε3 = −ν13 σ/E1.
#[test]
fn orthotropic_constants_mean_what_they_say() {
    let compliance = Material::orthotropic(&WOOD, 1.0).unwrap().elasticity().try_inverse().unwrap();
    let strain = compliance * Vec6::ith(0, 1.0);
    for (found, expected) in strain.iter().zip([1.0 / 12.0, -0.4 / 12.0, -0.45 / 12.0, 0.0, 0.0, 0.0]) {
        assert!((found - expected).abs() < 1e-13);
    }
    let shear = compliance * Vec6::ith(3, 1.0);
    close(shear[3], 1.0 / 0.8, 1e-13);
}

/// Turned by a right angle about z, the axes 1 and 2 change places; stress and strain turn together.
#[test]
fn a_turned_material_answers_with_turned_stresses() {
    let wood = Material::orthotropic(&WOOD, 1.0).unwrap();
    let quarter = poinsot_geometry::so3::exp(&(Vec3::z() * FRAC_PI_2));
    let compliance = wood.turned(&quarter).elasticity().try_inverse().unwrap();
    close(compliance[(1, 1)], 1.0 / 12.0, 1e-13);
    close(compliance[(0, 0)], 1.0 / 0.9, 1e-13);
    let strain = Mat3::from_fn(|i, j| noise(i + j + 3 * i * j));
    let stress = |material: &Material, strain: &Mat3| {
        stress_of_voigt(&(material.elasticity() * engineering_of_strain(strain)))
    };
    let own = stress(&wood, &(tilt().transpose() * strain * tilt()));
    let turned = stress(&wood.turned(&tilt()), &strain);
    assert!((turned - tilt() * own * tilt().transpose()).abs().max() < 1e-13);
}

#[test]
fn materials_that_cannot_be_are_refused() {
    let refused = |result: Result<Material, FlexibleError>| result.unwrap_err().to_string();
    let isotropic = |young, poisson, density| Material::isotropic(Isotropic { young, poisson }, density);
    assert_eq!(
        refused(isotropic(-1.0, 0.3, 1.0)),
        "Young's modulus of a material is -1, it must be positive"
    );
    assert!(refused(isotropic(1.0, 0.5, 1.0)).contains("below 0.5"));
    assert!(refused(isotropic(1.0, 0.3, f64::NAN)).contains("density"));
    let unstable = Orthotropic { poisson: [4.0, 0.45, 0.6], ..WOOD };
    assert!(refused(Material::orthotropic(&unstable, 1.0)).contains("least eigenvalue"));
    let mut skew = Mat6::identity();
    skew[(0, 1)] = 0.1;
    assert!(refused(Material::anisotropic(skew, 1.0)).contains("differ by"));
}
