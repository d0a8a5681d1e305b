//! Multipliers of periodic motions as functions of a parameter, and the ranges in which deviations grow.
//!
//! ```text
//! λ_k(μ) = exp(σ_k T),        max |λ_k(μ)| = 1 at the ends of a range
//! ```
//! Motions are followed from value to value by the real spaces of their modes at the start of the period
//! ([`SpannedMode`]): a pair λ, λ̄ spans two directions, a real λ one. Where a match is poor, values are put
//! in between. Undamped deviations leave the unit circle, where two multipliers meet, like a root: only the
//! sign of the growth tells the end of a range, which is halved. Damped ones pass it, and the secant is taken.
//!
//! Between two values without growth a narrow range may lie where multipliers meet: a mode meets its own
//! conjugate, or two modes meet, if with the period T
//!
//! ```text
//! 2 f_i T   or   (f_i + f_j) T      is a whole number
//! ```
//! There it is looked for.

use crate::periodic::{Floquet, Multiplier};
use poinsot_numerics::dense::c64;

/// A match below this share asks for a value in between.
const POOR: f64 = 0.5;
/// How often an interval is halved for a poor match.
const DEPTH: usize = 4;
/// Multipliers nearer to each other than this, relative to their size, count as one.
const SAME: f64 = 1e-7;
/// Width of the likeness of exponents: share of their own size, and of the mean size of those followed.
const WIDTH: [f64; 2] = [0.25, 0.1];
/// Share below which a mode is not taken for the continuation of another.
const UNLIKE: f64 = 1e-3;
/// Most evaluations to locate an end, and to find where modes meet.
const EVALUATIONS: usize = 60;
/// Evaluations to find the largest growth within a range.
const PEAK: usize = 24;
/// Most places where modes meet that are looked at.
const MEETINGS: usize = 64;

/// What to sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct FloquetStudy {
    /// Values of the parameter, ascending, at least two.
    pub values: Vec<f64>,
    /// Number of modes that are followed.
    pub count: usize,
    /// Accuracy of the ends of ranges, as a part of the whole range.
    pub accuracy: f64,
}

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
    fn growth(&self, sharp: bool) -> f64 {
        self.floquet.largest().map_or(-1.0, |m| {
            let open = (1.0 + self.floquet.tolerance(m)).ln();
            m.log_size - if sharp { 0.0 } else { open }
        })
    }

    fn multiplier(&self, mode: usize) -> &Multiplier {
        &self.floquet.multipliers[self.modes[mode].multiplier]
    }
}

/// σ with the frequency of the strongest harmonic.
fn exponent(m: &Multiplier) -> c64 {
    c64::new(if m.growth.is_finite() { m.growth } else { 0.0 }, m.frequency)
}

/// Where a followed mode is at a value.
#[derive(Clone, Debug)]
struct Track {
    multiplier: Option<usize>,
    exponent: c64,
    assurance: f64,
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
fn first_tracks(spectrum: &FloquetSpectrum, count: usize) -> Vec<Track> {
    let mut order: Vec<usize> = (0..spectrum.modes.len()).collect();
    order.sort_by(|&a, &b| {
        let key = |k: usize| exponent(spectrum.multiplier(k));
        key(a).im.total_cmp(&key(b).im).then(key(b).re.total_cmp(&key(a).re))
    });
    order.truncate(count);
    order.into_iter().map(|k| Track::begin(spectrum, k)).collect()
}

/// The tracks at the next value: of all pairs of a track and a mode the most alike first.
fn advance(tracks: &[Track], spectrum: &FloquetSpectrum) -> Vec<Track> {
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
    found.into_iter().zip(tracks).map(|(next, track)| next.unwrap_or_else(|| track.lost())).collect()
}

/// How deviations grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrowthKind {
    /// λ > 1: to one side, or to and fro at the frequency of the motion.
    Divergence,
    /// λ < −1: with twice the period.
    Doubling,
    /// A pair: with a frequency of its own.
    Pair,
}

impl GrowthKind {
    fn of(m: &Multiplier) -> GrowthKind {
        match (m.value.im != 0.0, m.angle.cos() < 0.0) {
            (true, _) => GrowthKind::Pair,
            (false, true) => GrowthKind::Doubling,
            (false, false) => GrowthKind::Divergence,
        }
    }
}

/// A range of the parameter in which deviations grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrowthRange {
    /// Where it begins; none if it does before the first value.
    pub from: Option<f64>,
    /// Where it ends; none if it does after the last value.
    pub to: Option<f64>,
    /// How deviations grow where they grow most.
    pub kind: GrowthKind,
    /// Where they do.
    pub peak: f64,
    /// Largest |λ|.
    pub magnitude: f64,
    /// Growth rate there (1/s).
    pub growth: f64,
    /// Frequency there (rad/s).
    pub frequency: f64,
}

/// A mode followed through all values.
#[derive(Clone, Debug, Default)]
pub struct FloquetBranch {
    /// λ at each value; none where the mode is not found.
    pub multipliers: Vec<Option<c64>>,
    /// Growth rate (1/s).
    pub growth: Vec<f64>,
    /// Frequency of the strongest harmonic (rad/s).
    pub frequency: Vec<f64>,
    /// The share of that harmonic.
    pub share: Vec<f64>,
    /// How much of the mode is in that of the value before; 1 at the first.
    pub assurance: Vec<f64>,
    /// Places among the multipliers.
    pub places: Vec<Option<usize>>,
}

/// Multipliers against a parameter.
#[derive(Clone, Debug)]
pub struct FloquetSweep {
    /// Values of the parameter, those put in included.
    pub values: Vec<f64>,
    /// The multipliers at them.
    pub spectra: Vec<FloquetSpectrum>,
    /// The modes that were followed.
    pub branches: Vec<FloquetBranch>,
    /// Where deviations grow.
    pub ranges: Vec<GrowthRange>,
    /// Values at which modes could not be told apart, with the branches.
    pub mixed: Vec<(f64, Vec<usize>)>,
    /// Motions that were computed.
    pub evaluations: usize,
    /// Whether it was stopped.
    pub stopped: bool,
}

struct Row {
    value: f64,
    spectrum: FloquetSpectrum,
    tracks: Vec<Track>,
}

struct Sweep<'a, E> {
    study: &'a FloquetStudy,
    solve: &'a mut dyn FnMut(f64) -> Result<FloquetSpectrum, E>,
    stop: &'a dyn Fn() -> bool,
    evaluations: usize,
    rows: Vec<Row>,
    mixed: Vec<(f64, Vec<usize>)>,
}

/// Follows multipliers through the values of a study; `solve` gives them at a value.
pub fn floquet_sweep<E>(
    study: &FloquetStudy,
    solve: &mut dyn FnMut(f64) -> Result<FloquetSpectrum, E>,
    stop: &dyn Fn() -> bool,
) -> Result<FloquetSweep, E> {
    let mut sweep = Sweep { study, solve, stop, evaluations: 0, rows: vec![], mixed: vec![] };
    for &value in &study.values {
        if stop() {
            break;
        }
        let spectrum = sweep.at(value)?;
        sweep.walk(value, spectrum, DEPTH)?;
    }
    sweep.meetings()?;
    let ranges = sweep.ranges()?;
    Ok(sweep.report(ranges))
}

impl<E> Sweep<'_, E> {
    fn at(&mut self, value: f64) -> Result<FloquetSpectrum, E> {
        self.evaluations += 1;
        (self.solve)(value)
    }

    fn accuracy(&self) -> f64 {
        let values = &self.study.values;
        self.study.accuracy * (values[values.len() - 1] - values[0])
    }

    /// From the last row to a value, by way of others where shapes change much.
    fn walk(&mut self, value: f64, spectrum: FloquetSpectrum, depth: usize) -> Result<(), E> {
        let Some(last) = self.rows.last() else {
            let tracks = first_tracks(&spectrum, self.study.count);
            self.rows.push(Row { value, spectrum, tracks });
            return Ok(());
        };
        let (from, tracks) = (last.value, advance(&last.tracks, &spectrum));
        let poor = |i: &usize| tracks[*i].assurance < POOR && last.tracks[*i].multiplier.is_some();
        let poor: Vec<usize> = (0..last.tracks.len()).filter(poor).collect();
        if depth > 0 && !poor.is_empty() && !(self.stop)() {
            let middle = 0.5 * (from + value);
            let between = self.at(middle)?;
            self.walk(middle, between, depth - 1)?;
            return self.walk(value, spectrum, depth - 1);
        }
        if !poor.is_empty() {
            self.mixed.push((value, poor));
        }
        self.rows.push(Row { value, spectrum, tracks });
        Ok(())
    }

    /// Looks for growth between values without it where modes meet.
    fn meetings(&mut self) -> Result<(), E> {
        let mut looked = 0;
        let mut row = 0;
        while row + 1 < self.rows.len() {
            let quiet = [row, row + 1].iter().all(|&k| self.rows[k].spectrum.growing().is_none());
            let count = self.rows[row].tracks.len();
            let pairs = (0..count).flat_map(|i| (i..count).map(move |j| [i, j]));
            let mut put_in = false;
            for pair in pairs.filter(|_| quiet) {
                if (self.stop)() || looked == MEETINGS {
                    return Ok(());
                }
                let sums =
                    [row, row + 1].map(|k| self.sum(&self.rows[k].spectrum, &self.rows[k].tracks, pair));
                let [Some(a), Some(b)] = sums else { continue };
                // Whether they pass a whole number; where the harmonic changes they jump.
                if (a - b).abs() > 1.0 || a.floor() == b.floor() || a.fract() == 0.0 || b.fract() == 0.0 {
                    continue;
                }
                looked += 1;
                if let Some(found) = self.meeting(row, pair, [a, b])? {
                    self.rows.insert(row + 1, found);
                    put_in = true;
                    break;
                }
            }
            row += if put_in { 2 } else { 1 };
        }
        Ok(())
    }

    /// (f_i + f_j) T of two tracks that do not decay much: others do not meet on the unit circle.
    fn sum(&self, spectrum: &FloquetSpectrum, tracks: &[Track], [i, j]: [usize; 2]) -> Option<f64> {
        let of = |k: usize| {
            let track = tracks.get(k)?;
            track.multiplier?;
            (track.exponent.re.abs() * spectrum.period < 0.3).then_some(track.exponent.im)
        };
        Some((of(i)? + of(j)?) * spectrum.period / std::f64::consts::TAU)
    }

    /// A value with growth near the place between a row and the next at which two modes meet.
    fn meeting(&mut self, row: usize, pair: [usize; 2], ends: [f64; 2]) -> Result<Option<Row>, E> {
        let whole = ends[0].max(ends[1]).floor();
        let (mut a, mut b) = (self.rows[row].value, self.rows[row + 1].value);
        let [mut fa, mut fb] = ends.map(|x| x - whole);
        for _ in 0..EVALUATIONS / 4 {
            let falsi = (a * fb - b * fa) / (fb - fa);
            let c = if a < falsi && falsi < b { falsi } else { 0.5 * (a + b) };
            let spectrum = self.at(c)?;
            let tracks = advance(&self.rows[row].tracks, &spectrum);
            if spectrum.growing().is_some() {
                return Ok(Some(Row { value: c, spectrum, tracks }));
            }
            let Some(sum) = self.sum(&spectrum, &tracks, pair) else { return Ok(None) };
            let fc = sum - whole;
            // A mode that meets its conjugate turns back: it stays on its side of the whole number.
            if fc == 0.0 || b - a <= self.accuracy() || fc.abs() > 1.0 {
                return Ok(None);
            }
            if (fc > 0.0) == (fb > 0.0) { (b, fb) = (c, fc) } else { (a, fa) = (c, fc) }
        }
        Ok(None)
    }

    fn ranges(&mut self) -> Result<Vec<GrowthRange>, E> {
        let mut found: Vec<GrowthRange> = vec![];
        let mut inside = false;
        for row in 0..self.rows.len() {
            let value = self.rows[row].value;
            let growing = self.rows[row].spectrum.growing().cloned();
            match (inside, &growing) {
                (false, Some(m)) => {
                    let from = if row == 0 { None } else { Some(self.end(row - 1)?) };
                    found.push(GrowthRange::at(from, value, m));
                }
                (true, None) => {
                    let to = self.end(row - 1)?;
                    found.iter_mut().last().into_iter().for_each(|last| last.to = Some(to));
                }
                _ => {}
            }
            inside = growing.is_some();
            if let (Some(m), Some(last)) = (growing, found.last_mut()) {
                last.see(value, &m);
            }
        }
        for range in &mut found {
            self.peak(range)?;
        }
        Ok(found)
    }

    /// Where growth begins or ends between a row and the next.
    fn end(&mut self, row: usize) -> Result<f64, E> {
        let rows = [row, row + 1];
        let quiet = if self.rows[row].spectrum.growing().is_none() { row } else { row + 1 };
        let spectrum = &self.rows[quiet].spectrum;
        // Damped deviations pass the unit circle, undamped ones leave it.
        let damped = spectrum.growth(true) < spectrum.growth(false) - spectrum.growth(true);
        let [mut fa, mut fb] = rows.map(|k| self.rows[k].spectrum.growth(damped));
        let [mut a, mut b] = rows.map(|k| self.rows[k].value);
        let accuracy = self.accuracy();
        let mut side = 0;
        for k in 1..=EVALUATIONS {
            if b - a <= accuracy || fa * fb > 0.0 || (self.stop)() {
                break;
            }
            let falsi = (a * fb - b * fa) / (fb - fa);
            let halve = !damped || k % 3 == 0 || !(a < falsi && falsi < b);
            let c = if halve { 0.5 * (a + b) } else { falsi };
            let fc = self.at(c)?.growth(damped);
            if fc == 0.0 || (!halve && fc.abs() <= self.study.accuracy * (fa.abs() + fb.abs())) {
                return Ok(c);
            }
            if (fc > 0.0) == (fb > 0.0) {
                (b, fb) = (c, fc);
                fa *= if side == 1 { 0.5 } else { 1.0 };
                side = 1;
            } else {
                (a, fa) = (c, fc);
                fb *= if side == -1 { 0.5 } else { 1.0 };
                side = -1;
            }
        }
        Ok(0.5 * (a + b))
    }

    /// The largest multiplier of a range by golden section about the largest of the values; between them it
    /// has one top.
    fn peak(&mut self, range: &mut GrowthRange) -> Result<(), E> {
        let Some(row) = self.rows.iter().position(|row| row.value == range.peak) else { return Ok(()) };
        let low = if row == 0 { range.peak } else { self.rows[row - 1].value };
        let high = self.rows.get(row + 1).map_or(range.peak, |row| row.value);
        let (mut a, mut b) =
            (range.from.map_or(low, |from| low.max(from)), range.to.map_or(high, |to| high.min(to)));
        let ratio = 0.5 * (5.0_f64.sqrt() - 1.0);
        let (mut c, mut d) = (b - ratio * (b - a), a + ratio * (b - a));
        // A top is flat: its place is known to the root of what its height is known to.
        let width = self.accuracy().max(1e-4 * (b - a));
        if b - a <= width || (self.stop)() {
            return Ok(());
        }
        let mut look = |this: &mut Self, x: f64| -> Result<f64, E> {
            let spectrum = this.at(x)?;
            if let Some(m) = spectrum.growing() {
                range.see(x, m);
            }
            Ok(spectrum.growth(true))
        };
        let (mut fc, mut fd) = (look(self, c)?, look(self, d)?);
        for _ in 0..PEAK {
            if b - a <= width || (self.stop)() {
                break;
            }
            if fc > fd {
                (b, d, fd) = (d, c, fc);
                c = b - ratio * (b - a);
                fc = look(self, c)?;
            } else {
                (a, c, fc) = (c, d, fd);
                d = a + ratio * (b - a);
                fd = look(self, d)?;
            }
        }
        Ok(())
    }

    fn report(self, ranges: Vec<GrowthRange>) -> FloquetSweep {
        let stopped = (self.stop)();
        let count = self.rows.first().map_or(0, |row| row.tracks.len());
        let branch = |k: usize| {
            let mut branch = FloquetBranch::default();
            for row in &self.rows {
                let track = &row.tracks[k];
                let m = track.multiplier.map(|place| &row.spectrum.floquet.multipliers[place]);
                branch.multipliers.push(m.map(|m| m.value));
                branch.growth.push(m.map_or(0.0, |m| exponent(m).re));
                branch.frequency.push(m.map_or(0.0, |m| m.frequency));
                branch.share.push(m.map_or(0.0, |m| m.share));
                branch.assurance.push(track.assurance);
                branch.places.push(track.multiplier);
            }
            branch
        };
        FloquetSweep {
            branches: (0..count).map(branch).collect(),
            values: self.rows.iter().map(|row| row.value).collect(),
            spectra: self.rows.into_iter().map(|row| row.spectrum).collect(),
            ranges,
            mixed: self.mixed,
            evaluations: self.evaluations,
            stopped,
        }
    }
}

impl GrowthRange {
    fn at(from: Option<f64>, value: f64, m: &Multiplier) -> GrowthRange {
        GrowthRange {
            from,
            to: None,
            kind: GrowthKind::of(m),
            peak: value,
            magnitude: m.log_size.exp(),
            growth: m.growth,
            frequency: m.frequency,
        }
    }

    fn see(&mut self, value: f64, m: &Multiplier) {
        if m.log_size.exp() > self.magnitude {
            *self = GrowthRange { to: self.to, ..GrowthRange::at(self.from, value, m) };
        }
    }
}
