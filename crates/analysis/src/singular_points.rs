//! Limit and bifurcation points of a path of equilibria.
//!
//! ```text
//! limit          dp/ds = 0, F_x singular, F_p not in its range
//! bifurcation    F_x φ = 0 and F_p in its range: paths cross
//! test           [ F_x c; bᵀ 0 ] (φ, g) = (0, 1)         g changes its sign with det F_x (Govaerts)
//! ```
//! g is found from factors, which lose digits beside stiff parts: in systems that are not large the
//! eigenvalue μ of the stiffness that is nearest to zero is taken to zero in the end, K z = μ M z on the
//! motions that the constraints allow.
//!
//! A step has passed a limit point if dp/ds has changed its sign, and a bifurcation if the number of unstable
//! directions has changed otherwise. Both are found by roots of dp/ds and of g along the arc.

use crate::arc_length::{ArcLength, Direction, Miss};
use crate::continuation::switch::turn;
use crate::continuation::{self, Direction as _, Passed, point_at, root, size};
use crate::hopf;
use crate::path::{PathPoint, SingularKind, SingularPoint};
use poinsot_numerics::irregular;

/// Accuracy of roots along the arc, relative to the step.
const ROOT: f64 = 1e-11;
/// The same of bifurcations, near which the corrector itself loses digits.
const CROSSING: f64 = 1e-9;
/// Bifurcations nearer to each other than this share of the step are one of higher multiplicity.
const TOGETHER: f64 = 1e-5;
/// Inverse iterations for the border of the test function.
const BORDER_ITERATIONS: usize = 3;
/// Distance of a second point for the secant to a zero of μ, relative to the interval, and points at most.
const ASIDE: f64 = 1e-3;
const SHARPENINGS: usize = 8;
/// μ relative to the ends of a step where the stiffness is singular.
const SINGULAR: f64 = 1e-2;

/// A singular point with the tangent of the path there.
pub(crate) struct Found {
    pub singular: SingularPoint,
    pub tangent: Direction,
}

pub(crate) type Step<'a> = continuation::Step<'a, PathPoint, Direction>;

/// The singular points that a step has passed, Hopf points among them.
pub(crate) fn passed(arc: &mut ArcLength, step: &Step) -> Result<Passed<Found>, Miss> {
    let mut passed = singular(arc, step)?;
    if let (Passed::Points(found), true) = (&mut passed, arc.hopf) {
        hopf::passed(arc, step, found)?;
        found.sort_by(|a, b| a.singular.point.arc.total_cmp(&b.singular.point.arc));
    }
    Ok(passed)
}

/// Limit points and bifurcations.
fn singular(arc: &mut ArcLength, step: &Step) -> Result<Passed<Found>, Miss> {
    let (from, to) = (step.from, step.to);
    let (before, after) = (from.point.unstable, to.point.unstable);
    let turned = from.tangent.p * to.tangent.p < 0.0;
    let change = match (before, after) {
        (Some(before), Some(after)) => before.abs_diff(after),
        _ => usize::from(turned),
    };
    if turned && change != 1 {
        return Ok(Passed::Mixed);
    }
    if turned {
        return Ok(Passed::Points(vec![limit(arc, step)?]));
    }
    let mut found = vec![];
    if let (Some(before), Some(after)) = (before, after) {
        isolate(arc, step, [(0.0, before), (step.h, after)], &mut found)?;
    }
    Ok(Passed::Points(found))
}

/// The limit point of a step; also of one that has passed others with it.
pub(crate) fn limit(arc: &mut ArcLength, step: &Step) -> Result<Found, Miss> {
    let (_, place) = turn(arc, step)?;
    let (mut point, tangent) = (place.point, place.tangent);
    point.unstable = step.to.point.unstable.max(step.from.point.unstable);
    let null = tangent.q.clone();
    let singular = SingularPoint {
        kind: SingularKind::Limit,
        branch: step.branch,
        point,
        multiplicity: 1,
        null,
        frequency: 0.0,
    };
    Ok(Found { singular, tangent })
}

/// Halves the arc until each part has one bifurcation, or several that lie together.
fn isolate(
    arc: &mut ArcLength,
    step: &Step,
    [low, high]: [(f64, usize); 2],
    found: &mut Vec<Found>,
) -> Result<(), Miss> {
    match low.1.abs_diff(high.1) {
        0 => {}
        1 => found.push(simple(arc, step, [low, high])?),
        several if high.0 - low.0 <= TOGETHER * step.h => {
            let h = 0.5 * (low.0 + high.0);
            let point = point_at(arc, step.from, h)?;
            if is_singular(arc, step, &point)? {
                found.push(bifurcation(arc, step, h, point, [low.1, high.1], several, vec![]));
            }
        }
        _ => {
            let h = 0.5 * (low.0 + high.0);
            let point = point_at(arc, step.from, h)?;
            let middle = (h, arc.unstable(&point)?.unwrap_or(low.1));
            isolate(arc, step, [low, middle], found)?;
            isolate(arc, step, [middle, high], found)?;
        }
    }
    Ok(())
}

/// A single bifurcation between two distances.
fn simple(arc: &mut ArcLength, step: &Step, [low, high]: [(f64, usize); 2]) -> Result<Found, Miss> {
    let mut ends = [point_at(arc, step.from, low.0)?, point_at(arc, step.from, high.0)?];
    for base in [1, 0] {
        let border = border(arc, &ends[base])?;
        let mut g = |arc: &mut ArcLength, at: &mut PathPoint| Ok(arc.singularity(at, &border, &border)?.0);
        let (first, last) = (g(arc, &mut ends[0])?, g(arc, &mut ends[1])?);
        if first * last < 0.0 {
            let (h, point) = root(arc, step.from, [(low.0, first), (high.0, last)], CROSSING, &mut g)?;
            let (h, point) = sharpen(arc, step, [low.0, high.0], (h, point))?;
            let (_, null) = arc.singularity(&point, &border, &border)?;
            return Ok(bifurcation(arc, step, h, point, [low.1, high.1], 1, null));
        }
    }
    let ends_of = [low.0, high.0];
    // The null vector changes along the step: by the number of unstable directions alone.
    let (mut low, mut high) = (low, high);
    while high.0 - low.0 > CROSSING * step.h {
        let h = 0.5 * (low.0 + high.0);
        let point = point_at(arc, step.from, h)?;
        match arc.unstable(&point)? {
            Some(n) if n == low.1 => low.0 = h,
            _ => high.0 = h,
        }
    }
    let point = point_at(arc, step.from, high.0)?;
    let (h, point) = sharpen(arc, step, ends_of, (high.0, point))?;
    let border = border(arc, &point)?;
    let (_, null) = arc.singularity(&point, &border, &border)?;
    Ok(bifurcation(arc, step, h, point, [low.1, high.1], 1, null))
}

/// Moves a bifurcation to where the eigenvalue μ of the stiffness is zero: beside stiff parts g has lost more
/// digits than μ.
fn sharpen(
    arc: &mut ArcLength,
    step: &Step,
    [low, high]: [f64; 2],
    (h, point): (f64, PathPoint),
) -> Result<(f64, PathPoint), Miss> {
    let Some(first) = arc.softest(&point)? else { return Ok((h, point)) };
    let (mut before, mut here, mut best) = ((h, first.value.re), h, (h, point, first.value.norm()));
    let aside = ASIDE * (high - low);
    here += if here + aside <= high { aside } else { -aside };
    for _ in 0..SHARPENINGS {
        let point = point_at(arc, step.from, here)?;
        let Some(softest) = arc.softest(&point)? else { break };
        let (now, slope) = (softest.value.re, (softest.value.re - before.1) / (here - before.0));
        if softest.value.norm() <= best.2 {
            best = (here, point, softest.value.norm());
        }
        let next = here - now / slope;
        let inside = next >= low && next <= high;
        if now == 0.0 || !inside || (next - here).abs() <= ROOT * step.h || now.abs() <= 1e-3 * softest.error
        {
            break;
        }
        before = (here, now);
        here = next;
    }
    Ok((best.0, best.1))
}

/// Whether the stiffness is singular at a point of a step; where motions begin to flutter it is not, nor
/// where counts are in doubt.
fn is_singular(arc: &mut ArcLength, step: &Step, at: &PathPoint) -> Result<bool, Miss> {
    let mut ends = f64::INFINITY;
    for end in [&step.from.point, &step.to.point] {
        ends = ends.min(arc.softest(end)?.map_or(0.0, |softest| softest.value.norm()));
    }
    let here = arc.softest(at)?;
    Ok(here.is_none_or(|here| here.value.norm() <= (SINGULAR * ends).max(here.error)))
}

/// W φ with φ near the softest direction at a point, by inverse iteration with F_x.
fn border(arc: &mut ArcLength, at: &PathPoint) -> Result<Vec<f64>, Miss> {
    let entry = |(k, (row, unit)): (usize, (&bool, &f64))| if *row { 0.0 } else { irregular(k) / unit };
    let mut border: Vec<f64> = arc.is_row().iter().zip(arc.units()).enumerate().map(entry).collect();
    for _ in 0..BORDER_ITERATIONS {
        let (_, phi) = arc.singularity(at, &border, &border)?;
        let length = size(arc, &Direction { q: phi.clone(), p: 0.0 }).max(f64::MIN_POSITIVE);
        border = arc.weighted(&phi);
        border.iter_mut().for_each(|b| *b /= length);
    }
    Ok(border)
}

fn bifurcation(
    arc: &ArcLength,
    step: &Step,
    h: f64,
    mut point: PathPoint,
    unstable: [usize; 2],
    multiplicity: usize,
    mut null: Vec<f64>,
) -> Found {
    let share = h / step.h;
    let (a, b) = (&step.from.tangent, &step.to.tangent);
    let mix = |a: f64, b: f64| (1.0 - share) * a + share * b;
    let mut tangent =
        Direction { q: a.q.iter().zip(&b.q).map(|(a, b)| mix(*a, *b)).collect(), p: mix(a.p, b.p) };
    let length = size(arc, &tangent).max(f64::MIN_POSITIVE);
    tangent.divide(length);
    let length = size(arc, &Direction { q: null.clone(), p: 0.0 }).max(f64::MIN_POSITIVE);
    null.iter_mut().for_each(|n| *n /= length);
    point.slope = tangent.p * arc.members.scale;
    point.unstable = Some(unstable[0].min(unstable[1]));
    let singular = SingularPoint {
        kind: SingularKind::Bifurcation,
        branch: step.branch,
        point,
        multiplicity,
        null,
        frequency: 0.0,
    };
    Found { singular, tangent }
}
