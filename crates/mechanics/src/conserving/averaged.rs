//! Forces averaged along the straight path from z to z⁺.

use crate::discrete_gradients::StepEnds;
use crate::element_buffers::MAX_CARRIED;
use crate::force::{Force, Motion};
use poinsot_geometry::Vec3;

/// The force averaged along the straight path.
pub(super) fn averaged_force(
    law: &dyn Force,
    ends: &StepEnds,
    rule: &[(f64, f64)],
    x: &mut [Vec3],
    f: &mut [Vec3],
) {
    let n = f.len();
    for (alpha, weight) in rule {
        let mut here = [Vec3::zeros(); MAX_CARRIED];
        law.force(&between(ends, *alpha, x), &mut here[..n]);
        f.iter_mut().zip(&here).for_each(|(f, here)| *f += here * *weight);
    }
}

/// The motion at a share of the step.
pub(super) fn between<'a>(ends: &StepEnds<'a>, alpha: f64, x: &'a mut [Vec3]) -> Motion<'a> {
    let n = ends.to.len();
    for (a, x) in x[..n].iter_mut().enumerate() {
        *x = ends.from[a] + ends.rate[a] * (alpha * ends.h);
    }
    Motion { t: ends.time(alpha), x: &x[..n], ..ends.motion() }
}
