//! Folds, period doublings, tori and branch points of periodic motions, by their multipliers λ.
//!
//! ```text
//! fold         dp/ds = 0                        a multiplier passes 1 while the parameter turns back
//! branch       ψ₊ = Π (1 − λ)/(1 + |λ|) = 0      a multiplier passes 1, the parameter goes on: curves cross
//! doubling     ψ₋ = Π (1 + λ)/(1 + |λ|) = 0      a multiplier passes −1
//! torus        ln |λ| = 0 of a pair              a pair passes the unit circle elsewhere
//! ```
//! ψ are smooth also where two multipliers on the unit circle meet and leave it. The multiplier 1 of a motion
//! that does not depend on time is taken out before: the linearised steps map ẋ_i to ẋ_{i+1}, and what is
//! left are their parts across,
//!
//! ```text
//! A_i = [ |ẋ_{i+1}|/|ẋ_i|  * ]
//!       [ 0              B_i ]     in bases (ẋ/|ẋ|, Q);     λ of B_{K−1} … B_0
//! ```

use crate::continuation::curve::{Curve, Direction, Miss, Passed, Step};
use crate::continuation::orbit_curve::{OrbitCurve, miss};
use crate::continuation::orbit_point::{OrbitPoint, OrbitWay};
use crate::continuation::root::{point_at, root};
use crate::continuation::switch::turn;
use crate::continuation::tangent;
use poinsot_numerics::dense::{Mat, c64};
use poinsot_numerics::product::{ProductEigenvalue, product_eigenvalues};
use std::f64::consts::PI;
use std::rc::Rc;

/// Accuracy of roots along the arc, relative to the step.
const ROOT: f64 = 1e-9;
/// Angle from the real axis (rad) within which a multiplier that leaves the unit circle counts as real where
/// one has passed ±1.
const REAL: f64 = 1e-2;
/// Share of a step within which two tori are one: both of a pair.
const SAME: f64 = 1e-5;
/// Bisections at most.
const BISECTIONS: usize = 40;

/// Kind of a singular point of periodic motions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrbitSingularKind {
    /// The parameter turns back.
    Fold,
    /// Two curves cross.
    Branch,
    /// Motions of twice the period branch off.
    Doubling,
    /// Motions of two frequencies branch off (Neimark and Sacker).
    Torus,
}

/// A point at which the number of growing deviations changes.
#[derive(Clone, Debug)]
pub struct OrbitSingular {
    /// Kind.
    pub kind: OrbitSingularKind,
    /// The branch on which it was met.
    pub branch: usize,
    /// Where it is.
    pub point: OrbitPoint,
    /// |arg λ| of the multiplier that passes (rad).
    pub angle: f64,
}

/// A singular point with the tangent of the curve there.
pub(crate) struct OrbitFound {
    pub singular: OrbitSingular,
    pub tangent: OrbitWay,
}

/// The multipliers of a point, without that of the motion itself.
pub(crate) fn multipliers(curve: &mut OrbitCurve, at: &OrbitPoint) -> Result<Vec<ProductEigenvalue>, Miss> {
    let linear = curve.steps(at)?;
    let moves = linear.flows.iter().all(|flow| flow.norm_max() * at.orbit.period > 1e-9);
    let blocks = match linear.flows.is_empty() || !moves {
        true => linear.blocks.clone(),
        false => {
            let count = linear.blocks.len();
            let across: Vec<Mat<f64>> = linear
                .flows
                .iter()
                .map(|flow| {
                    let m = flow.nrows();
                    flow.qr().compute_Q().subcols(1, m - 1).to_owned()
                })
                .collect();
            let block = |i: usize| across[(i + 1) % count].transpose() * &linear.blocks[i] * &across[i];
            (0..count).map(block).collect()
        }
    };
    product_eigenvalues(&blocks).map_err(|e| miss(e.into()))
}

/// Computes the multipliers of a point, unless they are known.
pub(crate) fn assess(curve: &mut OrbitCurve, at: &mut OrbitPoint) -> Result<(), Miss> {
    if at.unstable.is_none() {
        at.multipliers = Rc::new(multipliers(curve, at)?);
        at.unstable = Some(outside(curve, at).len());
    }
    Ok(())
}

/// Multipliers that count, largest first: without those of motions that nothing holds.
fn counted(curve: &OrbitCurve, at: &OrbitPoint) -> Vec<ProductEigenvalue> {
    let mut values = at.multipliers.to_vec();
    for _ in 0..curve.idle.min(values.len()) {
        let far = |k: &usize| (values[*k].value - c64::new(1.0, 0.0)).norm();
        if let Some(k) = (0..values.len()).min_by(|a, b| far(a).total_cmp(&far(b))) {
            values.remove(k);
        }
    }
    values
}

/// Those outside the unit circle by more than is left open.
fn outside(curve: &OrbitCurve, at: &OrbitPoint) -> Vec<ProductEigenvalue> {
    let mut values = counted(curve, at);
    values.retain(|value| value.log_size > curve.open);
    values
}

/// ψ with 1 or −1, positive or negative with the number of multipliers beyond it.
fn psi(curve: &OrbitCurve, at: &OrbitPoint, one: f64) -> f64 {
    let factor = |value: &ProductEigenvalue| {
        let direction = c64::new(value.angle.cos(), value.angle.sin());
        match value.log_size > 0.0 {
            true => {
                let inverse = (-value.log_size).exp();
                (c64::new(inverse, 0.0) - direction * one) / (1.0 + inverse)
            }
            false => {
                let size = value.log_size.exp();
                (c64::new(1.0, 0.0) - direction * (one * size)) / (1.0 + size)
            }
        }
    };
    counted(curve, at).iter().map(factor).fold(c64::new(1.0, 0.0), |a, b| a * b).re
}

/// The singular points that a step has passed.
pub(crate) fn passed(
    curve: &mut OrbitCurve,
    step: &Step<OrbitPoint, OrbitWay>,
) -> Result<Passed<OrbitFound>, Miss> {
    let (mut from, to) = (step.from.point.clone(), &step.to.point);
    assess(curve, &mut from)?;
    let turned = step.from.tangent.p() * step.to.tangent.p() < 0.0;
    let mut found: Vec<(f64, OrbitFound)> = vec![];
    let mut changed = [false; 2];
    for (k, one) in [1.0, -1.0].into_iter().enumerate() {
        let ends = [(0.0, psi(curve, &from, one)), (step.h, psi(curve, to, one))];
        changed[k] = ends[0].1 * ends[1].1 < 0.0;
        if !changed[k] || (one > 0.0 && turned) {
            continue;
        }
        let mut value = |curve: &mut OrbitCurve, at: &mut OrbitPoint| {
            assess(curve, at)?;
            Ok(psi(curve, at, one))
        };
        let (h, point) = root(curve, step.from, ends, ROOT, &mut value)?;
        let kind = if one > 0.0 { OrbitSingularKind::Branch } else { OrbitSingularKind::Doubling };
        let angle = if one > 0.0 { 0.0 } else { PI };
        found.push((h, singular(curve, step, point, kind, angle)?));
    }
    if turned && !changed[0] {
        return Ok(Passed::Mixed);
    }
    if turned {
        let fold = fold(curve, step)?;
        found.push((fold.singular.point.arc - step.from.point.arc, fold));
    }
    tori(curve, step, &from, changed, &mut found)?;
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(Passed::Points(found.into_iter().map(|(_, found)| found).collect()))
}

/// The fold of a step.
pub(crate) fn fold(curve: &mut OrbitCurve, step: &Step<OrbitPoint, OrbitWay>) -> Result<OrbitFound, Miss> {
    let (h, mut place) = turn(curve, step)?;
    place.point.arc = step.from.point.arc + h;
    assess(curve, &mut place.point)?;
    let (point, tangent) = (place.point, place.tangent);
    let singular = OrbitSingular { kind: OrbitSingularKind::Fold, branch: step.branch, point, angle: 0.0 };
    Ok(OrbitFound { singular, tangent })
}

fn singular(
    curve: &mut OrbitCurve,
    step: &Step<OrbitPoint, OrbitWay>,
    mut point: OrbitPoint,
    kind: OrbitSingularKind,
    angle: f64,
) -> Result<OrbitFound, Miss> {
    // At a branch point the tangent is not unique: between those of the ends.
    let tangent = match kind {
        OrbitSingularKind::Branch => {
            let share = (point.arc - step.from.point.arc) / step.h;
            let mut mixed = step.from.tangent.clone();
            mixed.divide(1.0 / (1.0 - share).max(1e-9));
            mixed.add(share, &step.to.tangent);
            let length = crate::continuation::size(curve, &mixed);
            mixed.divide(length);
            mixed
        }
        _ => tangent(curve, &point, &step.from.tangent)?,
    };
    point.slope = tangent.p() * curve.scale();
    let singular = OrbitSingular { kind, branch: step.branch, point, angle };
    Ok(OrbitFound { singular, tangent })
}

/// Pairs that have passed the unit circle.
fn tori(
    curve: &mut OrbitCurve,
    step: &Step<OrbitPoint, OrbitWay>,
    from: &OrbitPoint,
    changed: [bool; 2],
    found: &mut Vec<(f64, OrbitFound)>,
) -> Result<(), Miss> {
    let counts = [outside(curve, from).len(), outside(curve, &step.to.point).len()];
    let (low, high) = (counts[0].min(counts[1]), counts[0].max(counts[1]));
    for k in low..high {
        // The k-th largest goes through the unit circle, wherever its number lies.
        let (h, mut point) = crossing(curve, step, k)?;
        assess(curve, &mut point)?;
        let Some(value) = counted(curve, &point).get(k).copied() else { continue };
        let angle = value.angle.abs();
        let real = angle < REAL && changed[0] || PI - angle < REAL && changed[1];
        let known = found.iter().any(|(other, f)| {
            f.singular.kind == OrbitSingularKind::Torus && (other - h).abs() <= SAME * step.h
        });
        if value.value.im == 0.0 || real || known {
            continue;
        }
        found.push((h, singular(curve, step, point, OrbitSingularKind::Torus, angle)?));
    }
    Ok(())
}

/// Where the k-th largest multiplier is on the unit circle: by a root of ln |λ| where it goes through, by
/// halving where it stays on the circle to one side.
fn crossing(
    curve: &mut OrbitCurve,
    step: &Step<OrbitPoint, OrbitWay>,
    k: usize,
) -> Result<(f64, OrbitPoint), Miss> {
    let log = |curve: &mut OrbitCurve, at: &mut OrbitPoint| {
        assess(curve, at)?;
        Ok(counted(curve, at).get(k).map_or(-1.0, |value| value.log_size))
    };
    let mut log = log;
    let mut ends = [step.from.point.clone(), step.to.point.clone()];
    let values = [log(curve, &mut ends[0])?, log(curve, &mut ends[1])?];
    let inner = if values[0] < values[1] { values[0] } else { values[1] };
    if inner < -curve.open && values[0] * values[1] < 0.0 {
        return root(curve, step.from, [(0.0, values[0]), (step.h, values[1])], ROOT, &mut log);
    }
    let is_out = |value: f64, curve: &OrbitCurve| value > curve.open;
    let (mut low, mut high, first) = (0.0, step.h, is_out(values[0], curve));
    for _ in 0..BISECTIONS {
        if high - low <= ROOT * step.h {
            break;
        }
        let h = 0.5 * (low + high);
        let mut point = point_at(curve, step.from, h)?;
        if is_out(log(curve, &mut point)?, curve) == first { low = h } else { high = h }
    }
    let h = if first { low } else { high };
    Ok((h, point_at(curve, step.from, h)?))
}
