//! Multipliers and exponents of a periodic motion.
//!
//! ```text
//! E p_0 + F p_K = 0,   p_K = λ p_0,      λ = exp(σ T),   σ = (ln |λ| + i arg λ)/T + i j 2π/T
//! ```
//! The multipliers are the eigenvalues of the product of the linearised steps
//! ([`poinsot_numerics::product`]), in changes that the constraints allow. λ says nothing of j: of the
//! harmonics of the mode u(t) = e^{−σt} δx(t), which is periodic, that with the greatest share is taken, so
//! that the frequency is the one that is seen most.
//!
//! A motion that does not depend on time has the multiplier 1 along itself, ẋ(T) = ẋ(0): how far it is from 1
//! tells how exact the others are. Others are told by the motion on another mesh.

use crate::periodic::changes::Changes;
use crate::periodic::correction::Linearised;
use crate::periodic::error::PeriodicError;
use crate::periodic::orbit::Orbit;
use poinsot_mechanics::System;
use poinsot_numerics::dense::{Mat, c64};
use poinsot_numerics::product::ProductEigenvalue;
use std::f64::consts::TAU;

/// Highest harmonic that is looked at.
const HARMONICS: i32 = 24;
/// Most modes whose shapes are computed.
const SHAPES: usize = 40;
/// So many multipliers near 1 are looked at for that of the motion itself.
const CANDIDATES: usize = 8;
/// Rounding of a multiplier, by its size and the number of elements.
const ROUNDING: f64 = 1e-14;
/// Squared part of a motion that constraints hold, relative to it, that is rounding.
const HELD: f64 = 1e-8;
/// A multiplier this far from 1, beside the one of the motion itself, is one of a family or of a free motion.
const ALONG: f64 = 0.9;

/// A multiplier with its mode.
#[derive(Clone, Debug)]
pub struct Multiplier {
    /// λ.
    pub value: c64,
    /// ln |λ|, also beyond the range of numbers.
    pub log_size: f64,
    /// arg λ.
    pub angle: f64,
    /// Growth rate Re σ (1/s).
    pub growth: f64,
    /// |Im σ| of the strongest harmonic (rad/s).
    pub frequency: f64,
    /// That harmonic.
    pub harmonic: i32,
    /// Its share of the mode.
    pub share: f64,
    /// What is left open of λ: the difference between two meshes, and rounding.
    pub error: f64,
    /// Whether it is that of the motion itself.
    pub trivial: bool,
    /// Share of each node and each variable in the mode, by |δq/S|².
    pub participation: Vec<f64>,
    /// δx at the starts of the elements, of the modes that are kept.
    pub shape: Vec<Vec<c64>>,
    /// S⁻¹δx at the start of the period, where the shape is known.
    pub start: Vec<c64>,
    /// Displacements δq of the strongest harmonic: they go as Re(δq e^{iωt}) with the frequency ω above.
    pub swing: Vec<c64>,
}

/// What the multipliers say.
#[derive(Clone, Debug, PartialEq)]
pub enum FloquetVerdict {
    /// All lie inside the unit circle, but for that of the motion itself.
    AsymptoticallyStable,
    /// The largest lies outside.
    Unstable,
    /// So many lie on the unit circle as far as is known; none outside.
    Undecided(usize),
}

/// The multipliers of a periodic motion.
#[derive(Clone, Debug)]
pub struct Floquet {
    /// Largest first.
    pub multipliers: Vec<Multiplier>,
    /// |λ − 1| of the motion itself, where nothing depends on time.
    pub gauge: Option<f64>,
    /// Whether all multipliers are known, not only the largest.
    pub complete: bool,
}

impl Floquet {
    /// The multipliers of a motion with its linearised steps; `autonomous` if one of them is its own.
    pub fn of(
        system: &System,
        changes: &Changes,
        orbit: &Orbit,
        (at, values): (&mut Linearised, &[ProductEigenvalue]),
        flow: Option<&[f64]>,
    ) -> Result<Self, PeriodicError> {
        let joined = at.joined()?;
        let at = &*at;
        let mut multipliers = Vec::with_capacity(values.len());
        let flow = flow.filter(|flow| is_free(changes, &at.bases[0], flow));
        let flow = flow.map(|flow| changes.gather(&at.bases[0], flow));
        let mut alignments = vec![0.0; values.len()];
        // Those nearest to 1 may be the motion's own.
        let far = |value: &ProductEigenvalue| (value.value - c64::new(1.0, 0.0)).norm();
        let mut nearest: Vec<usize> = (0..values.len()).filter(|_| flow.is_some()).collect();
        nearest.sort_by(|&a, &b| far(&values[a]).total_cmp(&far(&values[b])));
        nearest.truncate(CANDIDATES);
        let mut before: Option<(c64, Option<Mat<f64>>)> = None;
        for (k, value) in values.iter().enumerate() {
            // Of a pair one vector is that of the other turned about.
            let start = match before.take() {
                _ if k >= SHAPES && !nearest.contains(&k) => None,
                Some((other, start)) if value.value.im != 0.0 && value.value == other.conj() => start
                    .map(|p| Mat::from_fn(p.nrows(), 2, |i, j| if j == 0 { p[(i, 0)] } else { -p[(i, 1)] })),
                _ => null_vector(&joined.first, &joined.last, value),
            };
            let around = match (&start, k < SHAPES) {
                (Some(start), true) => {
                    let last = scaled(start, value.value);
                    joined.around(start, &last)
                }
                _ => vec![],
            };
            before = Some((value.value, start.clone()));
            if let (Some(flow), Some(start)) = (&flow, &start) {
                alignments[k] = aligned(flow, start);
            }
            let shape: Vec<Vec<c64>> =
                around.iter().zip(&at.bases).map(|(p, basis)| full_shape(changes, basis, p)).collect();
            multipliers.push(multiplier(system, changes, orbit, value, shape));
        }
        let mut gauge = None;
        if flow.is_some() {
            // Of multipliers near 1 the one along the motion; the nearest one if vectors do not tell.
            let far = |k: usize| (multipliers[k].value - c64::new(1.0, 0.0)).norm();
            let near = (0..multipliers.len()).filter(|&k| alignments[k] > ALONG);
            let best = near
                .min_by(|&a, &b| far(a).total_cmp(&far(b)))
                .or_else(|| (0..multipliers.len()).min_by(|&a, &b| far(a).total_cmp(&far(b))));
            if let Some(k) = best {
                gauge = Some(far(k));
                multipliers[k].trivial = true;
            }
        }
        let rounding = ROUNDING * orbit.elements() as f64;
        for m in &mut multipliers {
            m.error = rounding * (1.0 + m.value.norm());
        }
        Ok(Floquet { multipliers, gauge, complete: true })
    }

    /// The largest multipliers alone, each with its residual and its shape.
    pub(crate) fn leading(
        system: &System,
        changes: &Changes,
        orbit: &Orbit,
        found: Vec<(ProductEigenvalue, f64, Vec<Vec<c64>>)>,
    ) -> Self {
        let rounding = ROUNDING * orbit.elements() as f64;
        let of = |(value, residual, shape): (ProductEigenvalue, f64, Vec<Vec<c64>>)| {
            let mut m = multiplier(system, changes, orbit, &value, shape);
            m.error = residual.max(rounding * (1.0 + m.value.norm()));
            m
        };
        Floquet { multipliers: found.into_iter().map(of).collect(), gauge: None, complete: false }
    }

    /// What two meshes differ in becomes the error of every multiplier.
    pub fn compare(&mut self, others: impl Iterator<Item = c64>) {
        let own: Vec<c64> = self.multipliers.iter().map(|m| m.value).collect();
        for (m, difference) in self.multipliers.iter_mut().zip(differences(&own, others)) {
            m.error = m.error.max(difference);
        }
    }

    /// Leaves so much open of every multiplier at least, relative to those that are larger than 1.
    pub fn allow(&mut self, error: f64) {
        for m in &mut self.multipliers {
            m.error = m.error.max(error * m.value.norm().max(1.0));
        }
    }

    /// The largest |λ| of those that are not the motion's own.
    pub fn largest(&self) -> Option<&Multiplier> {
        self.multipliers.iter().find(|m| !m.trivial)
    }

    /// How far from 1 a multiplier counts as on the unit circle: its error, and that of the motion's own.
    pub fn tolerance(&self, m: &Multiplier) -> f64 {
        m.error.max(self.gauge.unwrap_or(0.0))
    }

    /// What the multipliers say.
    pub fn verdict(&self) -> FloquetVerdict {
        let others = || self.multipliers.iter().filter(|m| !m.trivial);
        let beyond = |m: &Multiplier| m.log_size.exp() - 1.0;
        if others().any(|m| beyond(m) > self.tolerance(m)) {
            return FloquetVerdict::Unstable;
        }
        match others().filter(|m| beyond(m) >= -self.tolerance(m)).count() {
            0 => FloquetVerdict::AsymptoticallyStable,
            open => FloquetVerdict::Undecided(open),
        }
    }
}

/// How far multipliers are from those on another mesh, one for each.
pub fn differences(own: &[c64], others: impl Iterator<Item = c64>) -> Vec<f64> {
    let mut left: Vec<c64> = others.collect();
    let nearest = |value: &c64| {
        let far = |k: &usize| (left[*k] - value).norm();
        let near = (0..left.len()).min_by(|a, b| far(a).total_cmp(&far(b)));
        near.map_or(0.0, |k| (left.swap_remove(k) - value).norm())
    };
    own.iter().map(nearest).collect()
}

/// What is left open of multipliers by another mesh, relative to those that are larger than 1.
pub fn largest_difference(own: &[ProductEigenvalue], others: &[ProductEigenvalue]) -> f64 {
    let values: Vec<c64> = own.iter().map(|m| m.value).collect();
    let all = differences(&values, others.iter().map(|m| m.value));
    all.iter().zip(&values).map(|(error, value)| error / value.norm().max(1.0)).fold(0.0, f64::max)
}

/// Two columns, real and imaginary part, times a complex number.
fn scaled(p: &Mat<f64>, by: c64) -> Mat<f64> {
    Mat::from_fn(p.nrows(), 2, |i, k| match k {
        0 => by.re * p[(i, 0)] - by.im * p[(i, 1)],
        _ => by.re * p[(i, 1)] + by.im * p[(i, 0)],
    })
}

/// |cos| of the angle between a direction and the real or imaginary part of a mode.
fn aligned(flow: &Mat<f64>, p: &Mat<f64>) -> f64 {
    let dot = |k: usize| (0..p.nrows()).map(|i| flow[(i, 0)] * p[(i, k)]).sum::<f64>();
    let size = flow.norm_l2() * p.norm_l2();
    if size > 0.0 { dot(0).hypot(dot(1)) / size } else { 0.0 }
}

/// p_0 of E p_0 + λ F p_0 = 0 as real and imaginary part, by inverse iteration; none if it does not settle.
fn null_vector(e: &Mat<f64>, f: &Mat<f64>, value: &ProductEigenvalue) -> Option<Mat<f64>> {
    let n = e.nrows();
    if !(value.value.re.is_finite() && value.value.im.is_finite()) {
        return None;
    }
    // A real matrix of twice the size; a tiny shift keeps it regular.
    let shifted = value.value * (1.0 + 1e-13) + c64::new(1e-300, 0.0);
    let (re, im) = (shifted.re, shifted.im);
    let matrix = Mat::from_fn(2 * n, 2 * n, |i, j| {
        let (a, b) = (i % n, j % n);
        match (i < n, j < n) {
            (true, true) | (false, false) => e[(a, b)] + re * f[(a, b)],
            (true, false) => -im * f[(a, b)],
            (false, true) => im * f[(a, b)],
        }
    });
    let lu = poinsot_numerics::dense::DenseLu::new(matrix.as_ref()).ok()?;
    let mut x: Vec<f64> = (0..2 * n).map(poinsot_numerics::irregular).collect();
    if im == 0.0 {
        x[n..].fill(0.0);
    }
    for _ in 0..3 {
        lu.solve(&mut x);
        let size = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        if !(size.is_finite() && size > 0.0) {
            return None;
        }
        x.iter_mut().for_each(|x| *x /= size);
    }
    Some(Mat::from_fn(n, 2, |i, k| x[i + k * n]))
}

fn full_shape(changes: &Changes, basis: &Mat<f64>, p: &Mat<f64>) -> Vec<c64> {
    let full = changes.spread(basis, p);
    let (re, im) = full.split_at(changes.size());
    re.iter().zip(im).map(|(re, im)| c64::new(*re, *im)).collect()
}

/// Exponent, harmonic and shares of a multiplier with its mode.
pub(super) fn multiplier(
    system: &System,
    changes: &Changes,
    orbit: &Orbit,
    value: &ProductEigenvalue,
    shape: Vec<Vec<c64>>,
) -> Multiplier {
    let n = system.size();
    let period = orbit.period;
    let (growth, principal) = (value.log_size / period, value.angle / period);
    // What is seen: displacements, and variables.
    let mut seen: Vec<usize> = system.nodes().iter().flat_map(|node| node.unknowns()).collect();
    seen.extend(system.variable_equations().into_iter().map(|e| n + e));
    seen.retain(|&e| changes.scale()[e] > 0.0);
    let count = orbit.elements();
    let weights: Vec<f64> =
        (0..count).map(|i| 0.5 * (orbit.fractions[(i + count - 1) % count] + orbit.fractions[i])).collect();
    let mut times = vec![0.0; count];
    for i in 1..count {
        times[i] = times[i - 1] + period * orbit.fractions[i - 1];
    }
    let periodic: Vec<Vec<c64>> = shape
        .iter()
        .zip(&times)
        .map(|(x, t)| {
            let (size, angle) = ((-growth * t).exp(), -principal * t);
            let back = c64::new(size * angle.cos(), size * angle.sin());
            seen.iter().map(|&e| x[e] / changes.scale()[e] * back).collect()
        })
        .collect();
    let total: f64 =
        periodic.iter().zip(&weights).map(|(u, w)| w * u.iter().map(|u| u.norm_sqr()).sum::<f64>()).sum();
    let highest = HARMONICS.min((count as i32 - 1) / 2);
    let mut best = (0, 0.0);
    if total > 0.0 && total.is_finite() {
        let mut parts = vec![c64::new(0.0, 0.0); seen.len()];
        for j in -highest..=highest {
            parts.fill(c64::new(0.0, 0.0));
            for ((u, w), t) in periodic.iter().zip(&weights).zip(&times) {
                let angle = -TAU * f64::from(j) * t / period;
                let turn = c64::new(w * angle.cos(), w * angle.sin());
                parts.iter_mut().zip(u).for_each(|(part, u)| *part += *u * turn);
            }
            let share = parts.iter().map(|part| part.norm_sqr()).sum::<f64>() / total;
            if share > best.1 + 1e-9 {
                best = (j, share);
            }
        }
    }
    let mut participation = vec![0.0; system.nodes().len() + system.variable_equations().len()];
    if total > 0.0 && total.is_finite() {
        let mut place = 0;
        let of =
            |k: usize| periodic.iter().zip(&weights).map(|(u, w)| w * u[k].norm_sqr()).sum::<f64>() / total;
        for (k, node) in system.nodes().iter().enumerate() {
            for _ in node.unknowns() {
                participation[k] += of(place);
                place += 1;
            }
        }
        for share in participation.iter_mut().skip(system.nodes().len()) {
            *share = of(place);
            place += 1;
        }
    }
    let frequency = principal + TAU * f64::from(best.0) / period;
    let swing = swing(&shape, &weights, &times, (growth, frequency), n);
    let frequency = frequency.abs();
    Multiplier {
        value: value.value,
        log_size: value.log_size,
        angle: value.angle,
        growth,
        frequency,
        harmonic: best.0,
        share: best.1,
        error: 0.0,
        trivial: false,
        participation,
        swing,
        start: shape.first().map_or(vec![], |x| in_units(changes, x)),
        shape,
    }
}

/// The part of a mode that goes with a frequency, as that of a positive one.
fn swing(
    shape: &[Vec<c64>],
    weights: &[f64],
    times: &[f64],
    (growth, frequency): (f64, f64),
    n: usize,
) -> Vec<c64> {
    if shape.is_empty() {
        return vec![];
    }
    let mut parts = vec![c64::new(0.0, 0.0); n];
    for ((x, w), t) in shape.iter().zip(weights).zip(times) {
        let back = c64::new(-growth * t, -frequency * t).exp() * *w;
        parts.iter_mut().zip(x).for_each(|(part, x)| *part += *x * back);
    }
    if frequency < 0.0 {
        parts.iter_mut().for_each(|part| *part = part.conj());
    }
    parts
}

/// Whether the constraints leave a change free: a motion along a drive's law of place is held by it, so that
/// a later part of it is no deviation from it, even where nothing else depends on time.
fn is_free(changes: &Changes, basis: &Mat<f64>, change: &[f64]) -> bool {
    let scaled = change.iter().zip(changes.scale()).filter(|(_, s)| **s > 0.0);
    let all = scaled.map(|(x, s)| (x / s).powi(2)).sum::<f64>();
    let inside = changes.gather(basis, change).squared_norm_l2();
    all - inside <= HELD * all
}

/// S⁻¹δx.
fn in_units(changes: &Changes, x: &[c64]) -> Vec<c64> {
    let scaled = |(x, s): (&c64, &f64)| if *s > 0.0 { *x / *s } else { c64::new(0.0, 0.0) };
    x.iter().zip(changes.scale()).map(scaled).collect()
}
