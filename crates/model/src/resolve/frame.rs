//! Frames from directions.

use poinsot_geometry::{Mat3, Vec3, so3};

/// A frame with z along `z` and x as near as possible to `x`.
pub(crate) fn triad(z: Vec3, x: Vec3) -> Mat3 {
    let across = x - z * z.dot(&x);
    let x = match across.try_normalize(1e-9) {
        Some(x) => x,
        None => perpendicular(z),
    };
    Mat3::from_columns(&[x, z.cross(&x), z])
}

/// A unit vector perpendicular to `z`.
pub(crate) fn perpendicular(z: Vec3) -> Vec3 {
    let least = if z.x.abs() <= z.y.abs() && z.x.abs() <= z.z.abs() {
        Vec3::x()
    } else if z.y.abs() <= z.z.abs() {
        Vec3::y()
    } else {
        Vec3::z()
    };
    (least - z * z.dot(&least)).normalize()
}

/// The rotation about the common normal that turns `from` into `to`; `None` if they are opposite.
pub(crate) fn bend(from: Vec3, to: Vec3) -> Option<Mat3> {
    let across = from.cross(&to);
    let (sine, cosine) = (across.norm(), from.dot(&to));
    if sine <= 1e-9 {
        return (cosine > 0.0).then(Mat3::identity);
    }
    Some(so3::exp(&(across * (sine.atan2(cosine) / sine))))
}
