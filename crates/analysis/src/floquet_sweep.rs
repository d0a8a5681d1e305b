//! Multipliers of periodic motions as functions of a parameter, and the ranges in which deviations grow.
//!
//! ```text
//! λ_k(μ) = exp(σ_k T),        max |λ_k(μ)| = 1 at the ends of a range
//! ```
//! Modes are followed from value to value (`floquet_track.rs`). Where a match is poor, values are put in
//! between. Undamped deviations leave the unit circle, where two multipliers meet, like a root: only the
//! sign of the growth tells the end of a range, which is halved. Damped ones pass it: the secant is taken.
//!
//! Between two values without growth a narrow range may lie where multipliers meet: a mode meets its own
//! conjugate, or two modes meet, if with the period T
//!
//! ```text
//! 2 f_i T   or   (f_i + f_j) T      is a whole number
//! ```
//! There it is looked for.

use crate::floquet_track::{FloquetSpectrum, Track, advance, exponent, first_tracks, is_followed};
use crate::periodic::Multiplier;
use poinsot_numerics::dense::c64;

/// A match below this share asks for a value in between.
const POOR: f64 = 0.5;
/// How often an interval is halved for a poor match.
const DEPTH: usize = 4;
/// Most evaluations to locate an end, and to find where modes meet.
const EVALUATIONS: usize = 60;
/// Evaluations to find the largest growth within a range.
const PEAK: usize = 24;
/// Two modes are as good as met if their sum is that near to a whole number.
const MET: f64 = 1e-3;
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
        let followed = |spectrum: &FloquetSpectrum, track: &Track| {
            track.multiplier.is_some_and(|place| is_followed(&spectrum.floquet.multipliers[place]))
        };
        // What the elements do not resolve, or what dies away at once, is of no interest.
        let poor = |i: &usize| {
            let (before, after) = (&last.tracks[*i], &tracks[*i]);
            let lost = after.multiplier.is_none() || followed(&spectrum, after);
            after.assurance < POOR && followed(&last.spectrum, before) && lost
        };
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
            let m = &spectrum.floquet.multipliers[track.multiplier?];
            (is_followed(m) && track.exponent.re.abs() * spectrum.period < 0.3).then_some(track.exponent.im)
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
            if fc.abs() <= MET || b - a <= self.accuracy() || fc.abs() > 1.0 {
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
