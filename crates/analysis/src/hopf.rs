//! Hopf points of equilibria: a pair of eigenvalues ±iω of small motions crosses the imaginary axis, and a
//! family of periodic motions begins.
//!
//! ```text
//! Re s = 0,  Im s = ω ≠ 0:     x(t) ≈ x* + ε Re(v e^{iωt}),   T = 2π/ω
//! ```
//! Small motions are those of the linearised system ([`crate::linear`]) with all its damping. Pairs that meet
//! on the axis and leave it, as in flutter without damping, begin no such family and are not counted.

use crate::arc_length::{ArcLength, Miss};
use crate::continuation::root;
use crate::linear::Linear;
use crate::path::{PathPoint, SingularKind, SingularPoint};
use crate::periodic::Orbit;
use crate::singular_points::{Found, Step};
use crate::state_space::StateSpace;
use poinsot_mechanics::{State, System};
use poinsot_numerics::dense::{c64, eigenvectors};
use std::f64::consts::TAU;

/// Most coordinates of systems whose small motions are looked at along a path.
const MOST: usize = 80;
/// Re s, relative to |s|, that counts as zero.
const OPEN: f64 = 1e-7;
/// Im s, relative to |s|, of a pair.
const PAIR: f64 = 1e-6;
/// Accuracy of roots along the arc, relative to the step.
const ROOT: f64 = 1e-11;

/// Eigenvalues of small motions above the real axis, the fastest growing first; none where they are not
/// looked at.
pub(crate) fn pairs(system: &System, at: &PathPoint) -> Option<Vec<c64>> {
    if system.coordinates() > MOST {
        return None;
    }
    let linear = Linear::about(system, &at.state, &at.a, 0);
    let space = StateSpace::new(system, &linear).ok()?;
    let (values, _) = eigenvectors(space.a.as_ref()).ok()?;
    let mut pairs: Vec<c64> = values.into_iter().filter(|s| s.im > PAIR * s.norm()).collect();
    pairs.sort_by(|a, b| b.re.total_cmp(&a.re));
    Some(pairs)
}

fn growing(pairs: &[c64]) -> usize {
    pairs.iter().filter(|s| s.re > OPEN * s.norm()).count()
}

fn of_member(arc: &mut ArcLength, at: &PathPoint) -> Result<Option<Vec<c64>>, Miss> {
    let system = arc.member(at.parameter).map_err(Miss::Family)?;
    Ok(pairs(system, at))
}

/// The Hopf points that a step has passed, with their arc lengths from its start.
pub(crate) fn passed(arc: &mut ArcLength, step: &Step, found: &mut Vec<Found>) -> Result<(), Miss> {
    let before = of_member(arc, &step.from.point)?;
    let (Some(before), Some(after)) = (before, of_member(arc, &step.to.point)?) else { return Ok(()) };
    let counts = [growing(&before), growing(&after)];
    for k in counts[0].min(counts[1])..counts[0].max(counts[1]) {
        // The k-th pair goes through the axis; what only meets another there is none.
        let (Some(first), Some(last)) = (before.get(k), after.get(k)) else { continue };
        let inner = if first.re < last.re { first } else { last };
        if inner.re > -OPEN * inner.norm() {
            continue;
        }
        let mut real = |arc: &mut ArcLength, at: &mut PathPoint| {
            Ok(of_member(arc, at)?.and_then(|pairs| pairs.get(k).copied()).map_or(inner.re, |s| s.re))
        };
        let (_, mut point) = root(arc, step.from, [(0.0, first.re), (step.h, last.re)], ROOT, &mut real)?;
        let here = of_member(arc, &point)?.and_then(|pairs| pairs.get(k).copied());
        let Some(pair) = here.filter(|s| s.re.abs() <= PAIR * s.norm()) else { continue };
        point.unstable = arc.unstable(&point)?;
        let tangent = step.from.tangent.clone();
        let singular = SingularPoint {
            kind: SingularKind::Hopf,
            branch: step.branch,
            point,
            multiplicity: 1,
            null: vec![],
            frequency: pair.im,
        };
        found.push(Found { singular, tangent });
    }
    Ok(())
}

/// The small motion at a Hopf point, over its period.
#[derive(Clone, Debug)]
pub struct HopfMotion {
    /// The equilibrium at the bounds of equal elements, with the period 2π/ω.
    pub orbit: Orbit,
    /// Re(v e^{iωt}) there, as changes of states: 2n numbers each.
    pub mode: Vec<Vec<f64>>,
}

/// The small motion of the frequency (rad/s) about an equilibrium; none if it has none near it.
pub fn hopf_motion(
    system: &System,
    state: &State,
    a: &[f64],
    frequency: f64,
    elements: usize,
) -> Option<HopfMotion> {
    let linear = Linear::about(system, state, a, 0);
    let space = StateSpace::new(system, &linear).ok()?;
    let (values, vectors) = eigenvectors(space.a.as_ref()).ok()?;
    let away = |s: &c64| (s - c64::new(0.0, frequency)).norm();
    let k = (0..values.len()).min_by(|&a, &b| away(&values[a]).total_cmp(&away(&values[b])))?;
    if away(&values[k]) > 1e-3 * frequency {
        return None;
    }
    let n = system.size();
    let mut shape = vec![c64::new(0.0, 0.0); 2 * n];
    for (i, &eq) in space.unknowns.iter().enumerate() {
        for j in 0..values.len() {
            shape[eq] += vectors[(j, k)] * space.positions[(i, j)];
            shape[n + eq] += vectors[(j, k)] * space.rates[(i, j)];
        }
    }
    let mode = (0..elements).map(|i| {
        let angle = TAU * i as f64 / elements as f64;
        let turn = c64::new(angle.cos(), angle.sin());
        shape.iter().map(|x| (x * turn).re).collect()
    });
    let mode = mode.collect();
    let mut orbit = Orbit {
        states: vec![state.clone(); elements],
        end: state.clone(),
        fractions: Orbit::equal(elements),
        period: TAU / frequency,
    };
    orbit.set_times(state.t);
    Some(HopfMotion { orbit, mode })
}
