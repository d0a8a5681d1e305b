//! Orientation sets agree with each other, and bad input is named; direction cosines of
//! floating-frame-and-ancf §1.2.12 and gs4-isochronous-integrators I-69.

use crate::common;
use common::*;
use poinsot_geometry::axis_angle::AxisAngle;
use poinsot_geometry::direction_cosines::{self, DirectionCosineError};
use poinsot_geometry::euler::Sequence;
use poinsot_geometry::orientation::FrameAxis;
use poinsot_geometry::quaternion::EulerParameters;
use poinsot_geometry::{Mat3, Orientation, OrientationError, Vec3, rodrigues};
use proptest::prelude::*;

proptest! {
    #[test]
    fn all_sets_agree(v in unit(), angle in 0.01..3.1_f64, i in 0..12usize) {
        let r = AxisAngle::new(&v, angle).unwrap();
        let a = r.matrix();
        let q = EulerParameters::from_matrix(&a).to_vec4();
        let sequence = Sequence::ALL[i];
        let columns = [0, 1, 2].map(|k| (k as f64 + 0.5) * Vec3::from(a.column(k)));
        let sets = [
            Orientation::AxisAngle { axis: 3.0 * v, angle },
            Orientation::EulerParameters(q.into()),
            Orientation::Rodrigues(rodrigues::from_matrix(&a).unwrap()),
            Orientation::Euler { sequence, angles: sequence.extract(&a).angles() },
            Orientation::RotationVector(angle * v),
            Orientation::Matrix(a),
            Orientation::Axes(columns),
            Orientation::Successive(vec![
                Orientation::Identity,
                Orientation::AxisAngle { axis: v, angle: 0.3 },
                Orientation::AxisAngle { axis: v, angle: angle - 0.3 },
            ]),
        ];
        for set in sets {
            close(set.to_matrix().unwrap(), a, 1e-13);
            close(set.to_quaternion().unwrap().to_matrix(), a, 1e-13);
        }
    }

    #[test]
    fn two_directions_build_the_frame(a in rotation(), s in 0.2..5.0_f64, slant in -1.0..1.0_f64) {
        let axes = [FrameAxis::X, FrameAxis::Y, FrameAxis::Z];
        for (i, &primary) in axes.iter().enumerate() {
            for (j, &secondary) in axes.iter().enumerate().filter(|(j, _)| *j != i) {
                let along = s * a.column(i);
                let towards = a.column(j) + slant * a.column(i);
                let o = Orientation::TwoDirections { primary, along, secondary, towards };
                close(o.to_matrix().unwrap(), a, 1e-13);
            }
        }
    }

    #[test]
    fn rounded_matrices_are_repaired(a in rotation()) {
        let rounded = a.map(|x| (x * 1e5).round() / 1e5);
        let fixed = Orientation::Matrix(rounded).to_matrix().unwrap();
        prop_assert!(direction_cosines::orthonormality_defect(&fixed) < 1e-14);
        close(fixed, a, 3e-5);
    }

    // §1.2.12: the six orthonormality relations, measured.
    #[test]
    fn defect_is_measured(a in rotation(), e in 1e-6..1e-2_f64) {
        let stretched = a * Mat3::from_diagonal(&Vec3::new(1.0 + e, 1.0, 1.0));
        let defect = direction_cosines::orthonormality_defect(&stretched);
        close(defect, 2.0 * e + e * e, 1e-13);
        prop_assert!(direction_cosines::check(&stretched, defect * 1.01).is_ok());
        let error = direction_cosines::check(&stretched, defect * 0.99).unwrap_err();
        let measured = matches!(error, DirectionCosineError::NotOrthonormal { defect: d, .. } if d == defect);
        prop_assert!(measured);
        close(direction_cosines::nearest_rotation(&stretched).unwrap(), a, 1e-13);
    }

    // I-69: entries are the cosines e_i·e_j between the axes of the two frames; determinant +1.
    #[test]
    fn entries_are_cosines(a in rotation()) {
        for i in 0..3 {
            for j in 0..3 {
                let body_axis: Vec3 = a.column(j).into();
                close(a[(i, j)], Vec3::ith(i, 1.0).dot(&body_axis), 0.0);
            }
        }
        close(a.determinant(), 1.0, 1e-14);
        close(a.try_inverse().unwrap(), a.transpose(), 1e-14);
    }

    #[test]
    fn reflections_are_refused(a in rotation()) {
        let mirrored = a * Mat3::from_diagonal(&Vec3::new(1.0, 1.0, -1.0));
        let error = Orientation::Matrix(mirrored).to_matrix().unwrap_err();
        let improper = matches!(
            error,
            OrientationError::DirectionCosines(DirectionCosineError::Improper { determinant })
                if (determinant + 1.0).abs() < 1e-14
        );
        prop_assert!(improper);
    }
}

#[test]
fn errors_name_the_fault() {
    let text = |o: Orientation| o.to_matrix().unwrap_err().to_string();
    let nan = Vec3::new(f64::NAN, 0.0, 0.0);
    let cases = [
        (Orientation::AxisAngle { axis: Vec3::zeros(), angle: 1.0 }, "no direction"),
        (Orientation::AxisAngle { axis: Vec3::x(), angle: f64::INFINITY }, "axis and angle"),
        (Orientation::EulerParameters([1.0, 0.1, 0.0, 0.0]), "norm 1.00498"),
        (Orientation::EulerParameters([0.0; 4]), "norm 0"),
        (Orientation::Rodrigues(nan), "Rodrigues parameters"),
        (Orientation::RotationVector(nan), "rotation vector"),
        (Orientation::Euler { sequence: Sequence::XYZ, angles: nan }, "Euler angles"),
        (Orientation::Matrix(Mat3::from_diagonal_element(1.1)), "2.1"),
        (Orientation::Matrix(Mat3::from_element(f64::NAN)), "not finite"),
        (Orientation::Axes([Vec3::x(), Vec3::y(), Vec3::zeros()]), "axis 3"),
        (Orientation::Axes([Vec3::x(), Vec3::y(), -Vec3::z()]), "left-handed"),
        (Orientation::Successive(vec![Orientation::EulerParameters([2.0, 0.0, 0.0, 0.0])]), "norm 2"),
    ];
    for (orientation, word) in cases {
        let message = text(orientation);
        assert!(message.contains(word), "{message}");
    }
    let frame = |primary, along, towards| Orientation::TwoDirections {
        primary,
        along,
        secondary: FrameAxis::Y,
        towards,
    };
    assert!(text(frame(FrameAxis::Y, Vec3::x(), Vec3::y())).contains("both for the Y axis"));
    assert!(text(frame(FrameAxis::X, Vec3::x(), -Vec3::x())).contains("parallel"));
    assert!(text(frame(FrameAxis::X, Vec3::zeros(), Vec3::y())).contains("no direction"));
}

#[test]
fn singular_matrices_have_no_nearest_rotation() {
    let flat = Mat3::from_diagonal(&Vec3::new(1.0, 1.0, 0.0));
    assert!(matches!(direction_cosines::nearest_rotation(&flat), Err(DirectionCosineError::Singular { .. })));
}
