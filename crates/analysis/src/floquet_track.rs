//! Modes of periodic motions at one value of a parameter recognised at the next, by the real spaces that they
//! move in at the start of the period: a pair λ, λ̄ spans two directions, a real λ one. How alike two modes
//! are is the part of one space in the other, divided by 1 + |σ₁ − σ₂|²/w², w a share of the exponents.

use crate::periodic::{Floquet, Multiplier};
use poinsot_numerics::dense::c64;

/// Multipliers nearer to each other than this, relative to their size, count as one.
const SAME: f64 = 1e-7;
/// Width of the likeness of exponents: share of their own size, and of the mean size of those followed.
const WIDTH: [f64; 2] = [0.25, 0.1];
/// Share below which a mode is not taken for the continuation of another.
const UNLIKE: f64 = 1e-3;

/// Errors of multipliers, relative to those that are larger than 1, up to which modes can be followed.
const KNOWN: f64 = 0.02;
/// ln |λ| below which nothing is left of a mode after a period.
const GONE: f64 = -12.0;
/// A real multiplier goes on as a pair with another one if so much of it is in their space.
const JOINS: f64 = 0.5;

/// The directions of the states that a mode moves in at the start of the period.
#[derive(Clone, Debug)]
struct SpannedMode {
    multiplier: usize,
    /// Orthonormal.
    span: Vec<Vec<f64>>,
}

/// The multipliers at a value, ready to be compared.
#[derive(Clone, Debug)]
pub struct FloquetSpectrum {
    /// The period (s).
    pub period: f64,
    /// The multipliers.
    pub floquet: Floquet,
    modes: Vec<SpannedMode>,
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Adds a vector to an orthonormal basis, unless it lies in its span.
fn extend(basis: &mut Vec<Vec<f64>>, mut x: Vec<f64>) {
    let size = dot(&x, &x).sqrt();
    if !(size > 0.0 && size.is_finite()) {
        return;
    }
    x.iter_mut().for_each(|x| *x /= size);
    for _ in 0..2 {
        for e in basis.iter() {
            let share = dot(e, &x);
            x.iter_mut().zip(e).for_each(|(x, e)| *x -= share * e);
        }
    }
    let rest = dot(&x, &x).sqrt();
    // Modes of a multiplier that has not enough of them coincide.
    if rest > 1e-7 {
        x.iter_mut().for_each(|x| *x /= rest);
        basis.push(x);
    }
}

/// Mean squared length of the projections of an orthonormal basis onto the span of another.
fn share(of: &[Vec<f64>], onto: &[Vec<f64>]) -> f64 {
    if of.is_empty() || onto.is_empty() {
        return 0.0;
    }
    let total: f64 = of.iter().flat_map(|x| onto.iter().map(move |e| dot(e, x).powi(2))).sum();
    (total / of.len() as f64).min(1.0)
}

impl FloquetSpectrum {
    /// Of the multipliers of a motion.
    pub fn new(period: f64, floquet: Floquet) -> Self {
        let mut modes = vec![];
        for (k, m) in floquet.multipliers.iter().enumerate() {
            // Of a pair the one above the axis stands for both.
            if m.trivial || m.value.im < 0.0 || m.start.is_empty() {
                continue;
            }
            let part = |of: fn(&c64) -> f64| m.start.iter().map(of).collect::<Vec<f64>>();
            let mut span = vec![];
            let (re, im) = (part(|z| z.re), part(|z| z.im));
            let sizes = [dot(&re, &re), dot(&im, &im)];
            // A real mode is known up to a complex factor: its larger part is the mode.
            let first = if sizes[0] >= sizes[1] { [re, im] } else { [im, re] };
            let directions = if m.value.im == 0.0 { 1 } else { 2 };
            first.into_iter().take(directions).for_each(|x| extend(&mut span, x));
            modes.push(SpannedMode { multiplier: k, span });
        }
        FloquetSpectrum { period, floquet, modes }
    }

    /// The multiplier that grows most, if one does.
    pub fn growing(&self) -> Option<&Multiplier> {
        self.floquet.largest().filter(|m| m.log_size.exp() - 1.0 > self.floquet.tolerance(m))
    }

    /// ln |λ| of the largest, less what is none unless it is asked for sharply.
    pub(crate) fn growth(&self, sharp: bool) -> f64 {
        self.floquet.largest().map_or(-1.0, |m| {
            let open = (1.0 + self.floquet.tolerance(m)).ln();
            m.log_size - if sharp { 0.0 } else { open }
        })
    }

    fn multiplier(&self, mode: usize) -> &Multiplier {
        &self.floquet.multipliers[self.modes[mode].multiplier]
    }
}

/// Whether a mode is known well enough to be followed, and something of it is left after a period: of what
/// the elements do not resolve not even the frequency is known.
pub(crate) fn is_followed(m: &Multiplier) -> bool {
    m.error <= KNOWN * m.value.norm().max(1.0) && m.log_size > GONE
}

/// σ with the frequency of the strongest harmonic.
pub(crate) fn exponent(m: &Multiplier) -> c64 {
    c64::new(if m.growth.is_finite() { m.growth } else { 0.0 }, m.frequency)
}

/// Where a followed mode is at a value.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    pub multiplier: Option<usize>,
    pub exponent: c64,
    pub assurance: f64,
    span: Vec<Vec<f64>>,
}

impl Track {
    fn begin(spectrum: &FloquetSpectrum, mode: usize) -> Track {
        let own = &spectrum.modes[mode];
        Track {
            multiplier: Some(own.multiplier),
            exponent: exponent(spectrum.multiplier(mode)),
            assurance: 1.0,
            span: own.span.clone(),
        }
    }

    /// The track if it goes on with a mode, in the space of all modes of that multiplier.
    fn step(&self, spectrum: &FloquetSpectrum, mode: usize) -> Track {
        let mut next = Track::begin(spectrum, mode);
        let value = spectrum.multiplier(mode).value;
        let same = |other: &usize| {
            (spectrum.multiplier(*other).value - value).norm() <= SAME * value.norm() && *other != mode
        };
        let mut group = next.span.clone();
        let own = group.len();
        for other in (0..spectrum.modes.len()).filter(same) {
            spectrum.modes[other].span.iter().for_each(|x| extend(&mut group, x.clone()));
        }
        // One of two directions goes on as both, and both as one, where a pair meets and parts.
        next.assurance = share(&self.span, &group).max(share(&next.span, &self.span));
        if group.len() > own {
            let mut shadow = vec![];
            for x in &self.span {
                let mut inside = vec![0.0; x.len()];
                for e in &group {
                    let part = dot(e, x);
                    inside.iter_mut().zip(e).for_each(|(y, e)| *y += part * e);
                }
                extend(&mut shadow, inside);
            }
            next.span = shadow;
        }
        next
    }

    fn likeness(&self, next: &Track, scale: f64) -> f64 {
        let width = WIDTH[0] * self.exponent.norm().max(next.exponent.norm()) + WIDTH[1] * scale;
        let away = (next.exponent - self.exponent).norm() / width.max(f64::MIN_POSITIVE);
        // Of a growing and a decaying one that are alike the growing one.
        let growing = if next.exponent.re > 0.0 { 1e-6 } else { 0.0 };
        (next.assurance + growing) / (1.0 + away * away)
    }

    fn lost(&self) -> Track {
        Track { multiplier: None, assurance: 0.0, ..self.clone() }
    }
}

/// The modes of the lowest frequencies.
pub(crate) fn first_tracks(spectrum: &FloquetSpectrum, count: usize) -> Vec<Track> {
    let mut order: Vec<usize> = (0..spectrum.modes.len()).collect();
    order.sort_by(|&a, &b| {
        let key = |k: usize| exponent(spectrum.multiplier(k));
        let lost = |k: usize| !is_followed(spectrum.multiplier(k));
        lost(a).cmp(&lost(b)).then(key(a).im.total_cmp(&key(b).im).then(key(b).re.total_cmp(&key(a).re)))
    });
    order.truncate(count);
    order.into_iter().map(|k| Track::begin(spectrum, k)).collect()
}

/// The tracks at the next value: of all pairs of a track and a mode the most alike first.
pub(crate) fn advance(tracks: &[Track], spectrum: &FloquetSpectrum) -> Vec<Track> {
    let sizes = tracks.iter().map(|t| t.exponent.norm());
    let scale = sizes.sum::<f64>() / tracks.len().max(1) as f64;
    let mut pairs = vec![];
    for k in 0..spectrum.modes.len() {
        for (i, track) in tracks.iter().enumerate() {
            let next = track.step(spectrum, k);
            pairs.push((track.likeness(&next, scale), i, k, next));
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut found: Vec<Option<Track>> = vec![None; tracks.len()];
    let mut taken = vec![false; spectrum.modes.len()];
    for (likeness, i, k, next) in pairs {
        if likeness > UNLIKE && found[i].is_none() && !taken[k] {
            (found[i], taken[k]) = (Some(next), true);
        }
    }
    for (i, track) in tracks.iter().enumerate() {
        let same = |other: &&Track| other.multiplier.is_some() && other.multiplier == track.multiplier;
        let joined_before = tracks.iter().filter(same).count() > 1;
        if found[i].is_some() || (track.span.len() != 1 && !joined_before) {
            continue;
        }
        // Two real multipliers that meet are one pair: both tracks go on as that.
        let pairs = (0..spectrum.modes.len()).filter(|&k| spectrum.modes[k].span.len() == 2);
        let joined = pairs.map(|k| track.step(spectrum, k)).filter(|next| next.assurance > JOINS);
        found[i] = joined.max_by(|a, b| a.assurance.total_cmp(&b.assurance));
    }
    found.into_iter().zip(tracks).map(|(next, track)| next.unwrap_or_else(|| track.lost())).collect()
}
