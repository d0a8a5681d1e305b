//! Modes as functions of a parameter, mostly a speed of rotation: Campbell diagram.
//!
//! Modes are followed from value to value (`mode_track.rs`). Where a match of shapes is poor, values are put
//! in between: modes that veer apart exchange their shapes within a short range. Instabilities and crossings
//! with engine orders k,
//!
//! ```text
//! max Re λ = 0,         |Im λ| = k Ω
//! ```
//! are then located between neighbouring values. What happens between two values without a trace at either is
//! not seen.

use crate::mode_track::{SAME, Spectrum, Track, advance, first_tracks};
use crate::modes::EigenMethod;
use crate::steadiness::Changing;
use poinsot_numerics::dense::c64;
use std::cell::Cell;
use std::f64::consts::TAU;

/// A match below this MAC asks for a value in between.
const POOR: f64 = 0.7;
/// How often an interval is halved for a poor match.
const DEPTH: usize = 6;
/// Accuracy of crossings and onsets, relative to the range.
const LOCATED: f64 = 1e-11;
/// A step aside of an onset, likewise.
const BESIDE: f64 = 1e-10;
/// Most evaluations to locate one.
const EVALUATIONS: usize = 60;
/// Distance of two frequencies, relative to them, up to which they can veer.
const NEAR: f64 = 0.2;

/// What to sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct CampbellStudy {
    /// Values of the parameter, ascending, at least two.
    pub values: Vec<f64>,
    /// Number of modes that are followed.
    pub count: usize,
    /// Engine orders, all positive.
    pub orders: Vec<f64>,
}

/// A mode followed through all values.
#[derive(Clone, Debug)]
pub struct ModeBranch {
    /// Its eigenvalue (1/s) at each value, imaginary part not negative; zero where it is a freedom without
    /// stiffness.
    pub values: Vec<c64>,
    /// Sense of whirl at each value, see [`Spectrum`].
    pub whirls: Vec<Option<f64>>,
    /// MAC with the value before; 1 at the first.
    pub assurance: Vec<f64>,
    /// Its shape at each value: the motion is Re(y e^(λt)) with the eigenvalue above, so that a whirl goes
    /// its way. Empty before the mode is among those that are followed.
    pub shapes: Vec<Vec<c64>>,
}

/// A frequency that is an engine order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrderCrossing {
    /// Value of the parameter.
    pub value: f64,
    /// Index of the branch.
    pub branch: usize,
    /// Engine order.
    pub order: f64,
    /// Frequency (Hz).
    pub frequency: f64,
}

/// How small motions grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstabilityKind {
    /// Without oscillation.
    Divergence,
    /// Oscillating.
    Flutter,
}

/// A range of the parameter in which small motions grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instability {
    /// Where it sets in; none if it does before the first value.
    pub from: Option<f64>,
    /// Where it ends; none if it does after the last value.
    pub to: Option<f64>,
    /// How motions grow where it sets in.
    pub kind: InstabilityKind,
    /// Frequency there (Hz), zero for divergence.
    pub frequency: f64,
    /// Largest growth rate among the values (1/s).
    pub growth: f64,
}

/// Two frequencies that approach each other and part again, while the modes exchange their shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Veering {
    /// Value of the parameter where they are nearest, among those computed.
    pub value: f64,
    /// Indices of the branches.
    pub branches: [usize; 2],
    /// Their distance there (Hz).
    pub gap: f64,
}

/// A Campbell diagram.
#[derive(Clone, Debug)]
pub struct Campbell {
    /// Values of the parameter, those put in included.
    pub values: Vec<f64>,
    /// Speeds of rotation at them (rad/s).
    pub speeds: Vec<f64>,
    /// The modes.
    pub branches: Vec<ModeBranch>,
    /// Crossings with engine orders, by value.
    pub crossings: Vec<OrderCrossing>,
    /// Ranges of instability, by value.
    pub instabilities: Vec<Instability>,
    /// Veerings, by value.
    pub veerings: Vec<Veering>,
    /// Values at which modes could not be told apart, with the branches.
    pub mixed: Vec<(f64, Vec<usize>)>,
    /// How eigenvalues were found at the first value.
    pub method: EigenMethod,
    /// Whether all eigenvalues were looked at.
    pub complete: bool,
    /// At the first value where it is not none, see [`Modes::changing`](crate::Modes::changing).
    pub changing: Option<(f64, Changing)>,
    /// Values at which modes cannot be told from zero, see [`Modes::unresolved`](crate::Modes::unresolved).
    pub unresolved: Vec<f64>,
    /// How many spectra were computed.
    pub evaluations: usize,
    /// Whether it was stopped before the last value, or before all crossings and onsets were located.
    pub stopped: bool,
}

/// Follows modes through the values of a study; `solve` gives the spectrum at a value. Once `stop` says so it
/// goes no further and reports what there is.
pub fn campbell<E>(
    study: &CampbellStudy,
    solve: &mut dyn FnMut(f64) -> Result<Spectrum, E>,
    stop: &dyn Fn() -> bool,
) -> Result<Campbell, E> {
    let mut sweep = Sweep { study, solve, stop, evaluations: 0, rows: vec![], mixed: vec![] };
    sweep.run()?;
    let crossings = sweep.crossings()?;
    let instabilities = sweep.instabilities()?;
    Ok(sweep.report(crossings, instabilities))
}

/// Follows modes.
struct Sweep<'a, E> {
    study: &'a CampbellStudy,
    solve: &'a mut dyn FnMut(f64) -> Result<Spectrum, E>,
    stop: &'a dyn Fn() -> bool,
    evaluations: usize,
    rows: Vec<Row>,
    mixed: Vec<(f64, Vec<usize>)>,
}

/// All that is known at a value.
struct Row {
    value: f64,
    spectrum: Spectrum,
    tracks: Vec<Track>,
}

impl<E> Sweep<'_, E> {
    fn at(&mut self, value: f64) -> Result<Spectrum, E> {
        self.evaluations += 1;
        (self.solve)(value)
    }

    /// Fills the rows.
    fn run(&mut self) -> Result<(), E> {
        for &value in &self.study.values {
            if (self.stop)() {
                break;
            }
            let spectrum = self.at(value)?;
            match self.rows.last() {
                None => {
                    let tracks = first_tracks(&spectrum, self.study.count);
                    self.rows.push(Row { value, spectrum, tracks });
                }
                Some(_) => self.walk(value, spectrum, DEPTH)?,
            }
        }
        self.order_ties();
        Ok(())
    }

    /// Modes of one frequency at the first value are numbered by what they become.
    fn order_ties(&mut self) {
        let count = self.rows.first().map_or(0, |row| row.tracks.len());
        let course = |k: usize| self.rows.iter().map(move |row| row.tracks[k].reported.im);
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&a, &b| {
            let differs = |(x, y): &(f64, f64)| (x - y).abs() > 1e-6 * x.max(*y);
            let first = course(a).zip(course(b)).find(differs);
            let still = |k: usize| course(k).next() == Some(0.0);
            still(a).cmp(&still(b)).then(first.map_or(std::cmp::Ordering::Equal, |(x, y)| x.total_cmp(&y)))
        });
        for row in &mut self.rows {
            let rest = row.tracks.split_off(count);
            let mut sorted: Vec<Track> = order.iter().map(|&k| row.tracks[k].clone()).collect();
            sorted.extend(rest);
            row.tracks = sorted;
        }
        for branch in self.mixed.iter_mut().flat_map(|(_, branches)| branches.iter_mut()) {
            *branch = order.iter().position(|k| k == branch).unwrap_or(*branch);
        }
    }

    /// From the last row to a value, by way of others where shapes change much.
    fn walk(&mut self, value: f64, spectrum: Spectrum, depth: usize) -> Result<(), E> {
        let Some(last) = self.rows.last() else { return Ok(()) };
        let (from, tracks) = (last.value, advance(&last.tracks, &spectrum, self.study.count));
        let poor: Vec<usize> = (0..last.tracks.len())
            .filter(|&i| tracks[i].assurance < POOR && last.tracks[i].reported.norm() > 0.0)
            .collect();
        // Modes that seem to cross may veer within a short range.
        if depth > 0 && (!poor.is_empty() || swap(&last.tracks, &tracks)) && !(self.stop)() {
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

    /// A root of `f` of the spectrum and of its tracks between two rows where it has opposite signs: regula
    /// falsi in the form of Illinois and every third step a bisection, or bisections alone where only the
    /// sign of `f` means something.
    fn locate(
        &mut self,
        row: usize,
        [mut fa, mut fb]: [f64; 2],
        only_sign: bool,
        f: &dyn Fn(&Spectrum, &[Track]) -> f64,
    ) -> Result<(f64, Spectrum, Vec<Track>), E> {
        let (mut a, mut b) = (self.rows[row].value, self.rows[row + 1].value);
        let range = self.study.values[self.study.values.len() - 1] - self.study.values[0];
        let (mut side, mut k) = (0, 0);
        loop {
            k += 1;
            let falsi = (a * fb - b * fa) / (fb - fa);
            let halve = only_sign || k % 3 == 0 || !(a < falsi && falsi < b);
            let c = if halve { 0.5 * (a + b) } else { falsi };
            let spectrum = self.at(c)?;
            let tracks = advance(&self.rows[row].tracks, &spectrum, self.study.count);
            let fc = f(&spectrum, &tracks);
            // Near a simple root both ends need not close in: there the secant is as good.
            let settled = !halve && fc.abs() <= LOCATED * (fa.abs() + fb.abs());
            if fc == 0.0 || settled || b - a <= LOCATED * range || k == EVALUATIONS || (self.stop)() {
                return Ok((c, spectrum, tracks));
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
    }

    /// |Im λ| = k Ω.
    fn crossings(&mut self) -> Result<Vec<OrderCrossing>, E> {
        let mut found = vec![];
        for order in self.study.orders.clone() {
            for row in 0..self.rows.len().saturating_sub(1) {
                for branch in 0..self.rows[row].tracks.len() {
                    found.extend(self.crossing(row, branch, order)?);
                }
            }
        }
        found.sort_by(|a: &OrderCrossing, b| a.value.total_cmp(&b.value).then(a.branch.cmp(&b.branch)));
        Ok(found)
    }

    fn crossing(&mut self, row: usize, branch: usize, order: f64) -> Result<Option<OrderCrossing>, E> {
        if (self.stop)() {
            return Ok(None);
        }
        let above = move |spectrum: &Spectrum, tracks: &[Track]| {
            let speed = order * spectrum.speed.abs();
            tracks.get(branch).map_or(0.0, |t| t.reported.im - speed)
        };
        let [here, next] = [row, row + 1].map(|k| &self.rows[k]);
        let ends = [here, next].map(|row| above(&row.spectrum, &row.tracks));
        let oscillates = here.tracks[branch].reported.im > 0.0 || next.tracks[branch].reported.im > 0.0;
        let at_end = ends[1] == 0.0 && next.spectrum.speed != 0.0;
        let (value, tracks) = match () {
            () if at_end && oscillates => (next.value, next.tracks.clone()),
            () if ends[0] * ends[1] < 0.0 && oscillates => {
                let (value, _, tracks) = self.locate(row, ends, false, &above)?;
                (value, tracks)
            }
            () => return Ok(None),
        };
        Ok(Some(OrderCrossing { value, branch, order, frequency: tracks[branch].reported.im / TAU }))
    }

    /// Ranges with a mode that grows.
    fn instabilities(&mut self) -> Result<Vec<Instability>, E> {
        let mut found: Vec<Instability> = vec![];
        for row in 0..self.rows.len() {
            let growing = self.rows[row].spectrum.growing().map(|mode| mode.value);
            let before = if row > 0 { self.rows[row - 1].spectrum.growing().map(|m| m.value) } else { None };
            match (before, growing) {
                (None, Some(value)) if row == 0 => found.push(set_in(None, value)),
                (None, Some(value)) => {
                    let (from, at) = self.onset(row - 1)?;
                    found.push(set_in(Some(from), at.unwrap_or(value)));
                }
                (Some(_), None) => {
                    let (to, _) = self.onset(row - 1)?;
                    found.iter_mut().last().into_iter().for_each(|last| last.to = Some(to));
                }
                _ => {}
            }
            if let (Some(value), Some(last)) = (growing, found.last_mut()) {
                last.growth = last.growth.max(value.re);
            }
        }
        Ok(found)
    }

    /// Where growth sets in or ends between a row and the next, and the eigenvalue that grows nearest to
    /// that.
    fn onset(&mut self, row: usize) -> Result<(f64, Option<c64>), E> {
        let stable = if self.rows[row].spectrum.growing().is_none() { row } else { row + 1 };
        // Damped motions pass the imaginary axis, undamped ones leave it.
        let fastest = self.rows[stable].spectrum.fastest();
        let damped = fastest.is_some_and(|mode| mode.value.re < -mode.least_growth());
        let ends = [row, row + 1].map(|k| self.rows[k].spectrum.growth(damped));
        if ends[0] * ends[1] >= 0.0 {
            return Ok((self.rows[row + 1].value, None));
        }
        let unstable = if stable == row { row + 1 } else { row };
        let last = Cell::new(self.rows[unstable].spectrum.growing().map(|mode| mode.value));
        let growth = |spectrum: &Spectrum, _: &[Track]| {
            // On the axis the mode that passes it is the one that grows most, else it cannot be told from the
            // others.
            let seen = if damped { spectrum.fastest() } else { spectrum.growing() };
            // What has passed zero may be zero to rounding on the other side.
            let seen = seen.filter(|mode| mode.value.re > 0.0);
            last.set(seen.map(|mode| mode.value).or(last.get()));
            spectrum.growth(damped)
        };
        let (value, ..) = self.locate(row, ends, !damped, &growth)?;
        let diverges = last.get().is_some_and(|value| !oscillates(value));
        let value = if diverges && !damped { self.middle(row, stable, value)? } else { value };
        Ok((value, last.get()))
    }

    /// Between oscillation and divergence rounding does not tell slow modes from zero: λ² passes it in the
    /// middle.
    fn middle(&mut self, row: usize, stable: usize, grows: f64) -> Result<f64, E> {
        let zeros = |spectrum: &Spectrum| spectrum.modes.iter().filter(|m| m.value.norm() == 0.0).count();
        // The stable value may lie among those itself; then the one beyond it does not.
        let beyond =
            if stable == row { stable.saturating_sub(1) } else { (stable + 1).min(self.rows.len() - 1) };
        let least = zeros(&self.rows[stable].spectrum).min(zeros(&self.rows[beyond].spectrum));
        let passed = |spectrum: &Spectrum, _: &[Track]| {
            if spectrum.growing().is_some() || zeros(spectrum) > least { 1.0 } else { -1.0 }
        };
        let range = self.study.values[self.study.values.len() - 1] - self.study.values[0];
        let aside = grows + BESIDE * range * (self.rows[stable].value - grows).signum();
        if passed(&self.at(aside)?, &[]) < 0.0 {
            return Ok(grows);
        }
        let inside = passed(&self.rows[stable].spectrum, &[]) > 0.0;
        let row = if inside { stable.min(beyond) } else { row };
        let ends = [row, row + 1].map(|k| passed(&self.rows[k].spectrum, &[]));
        if ends[0] * ends[1] >= 0.0 {
            return Ok(grows);
        }
        let (fades, ..) = self.locate(row, ends, true, &passed)?;
        Ok(0.5 * (grows + fades))
    }

    /// Neighbouring frequencies with a nearest approach at which the shapes change places.
    fn veerings(&self) -> Vec<Veering> {
        let count = self.rows.last().map_or(0, |row| row.tracks.len());
        let mut found = vec![];
        for i in 0..count {
            for j in i + 1..count {
                let frequency =
                    |row: usize, k: usize| self.rows[row].tracks.get(k).map_or(0.0, |t| t.reported.im);
                let gap = |row: usize| frequency(row, i) - frequency(row, j);
                for row in 1..self.rows.len().saturating_sub(1) {
                    let [before, here, after] = [row - 1, row, row + 1].map(gap);
                    let nearest = here.abs() < before.abs() && here.abs() <= after.abs();
                    let crosses = before * here <= 0.0 || here * after <= 0.0;
                    let larger = frequency(row, i).max(frequency(row, j));
                    // Modes of one frequency are a group, whose members have no shapes of their own.
                    let near = here.abs() < NEAR * larger && here.abs() > SAME * larger;
                    if nearest && near && !crosses && self.exchange(row, [i, j]) {
                        let gap = here.abs() / TAU;
                        found.push(Veering { value: self.rows[row].value, branches: [i, j], gap });
                    }
                }
            }
        }
        found.sort_by(|a, b| a.value.total_cmp(&b.value));
        found
    }

    /// Whether a branch is more like the other one was than like itself, from where the gap was twice as wide
    /// to where it is again.
    fn exchange(&self, row: usize, [i, j]: [usize; 2]) -> bool {
        let gap = |row: usize| {
            let tracks = &self.rows[row].tracks;
            let value = |k: usize| tracks.get(k).map_or(0.0, |t| t.reported.im);
            (value(i) - value(j)).abs()
        };
        let wide = 2.0 * gap(row);
        let before = (0..row).rev().find(|&k| gap(k) >= wide);
        let after = (row + 1..self.rows.len()).find(|&k| gap(k) >= wide);
        let (Some(before), Some(after)) = (before, after) else { return false };
        let [before, after] = [before, after].map(|k| &self.rows[k].tracks);
        let (Some(old), Some(other)) = (before.get(i), before.get(j)) else { return false };
        let Some(new) = after.get(i) else { return false };
        new.assurance_with(other) > new.assurance_with(old)
    }

    fn report(self, crossings: Vec<OrderCrossing>, instabilities: Vec<Instability>) -> Campbell {
        let count = self.rows.last().map_or(0, |row| row.tracks.len());
        let branch = |k: usize| {
            let of = |row: &Row| row.tracks.get(k).cloned();
            let zero = c64::new(0.0, 0.0);
            ModeBranch {
                values: self.rows.iter().map(|row| of(row).map_or(zero, |t| t.reported)).collect(),
                whirls: self.rows.iter().map(|row| of(row).and_then(|t| t.whirl)).collect(),
                assurance: self.rows.iter().map(|row| of(row).map_or(1.0, |t| t.assurance)).collect(),
                shapes: self.rows.iter().map(|row| row.tracks.get(k).map_or(vec![], Track::motion)).collect(),
            }
        };
        Campbell {
            values: self.rows.iter().map(|row| row.value).collect(),
            speeds: self.rows.iter().map(|row| row.spectrum.speed).collect(),
            branches: (0..count).map(branch).collect(),
            crossings,
            instabilities,
            veerings: self.veerings(),
            method: self.rows.first().map_or(EigenMethod::Dense, |row| row.spectrum.method),
            complete: self.rows.iter().all(|row| row.spectrum.complete),
            changing: self.rows.iter().find_map(|row| Some((row.value, row.spectrum.changing.clone()?))),
            unresolved: (self.rows.iter().filter(|row| row.spectrum.unresolved > 0))
                .map(|row| row.value)
                .collect(),
            stopped: (self.stop)(),
            mixed: self.mixed,
            evaluations: self.evaluations,
        }
    }
}

/// Whether two modes that oscillate change their order.
fn swap(before: &[Track], after: &[Track]) -> bool {
    let frequencies = |tracks: &[Track]| tracks.iter().map(|t| t.reported.im).collect::<Vec<_>>();
    let (f, g) = (frequencies(before), frequencies(after));
    let apart = |x: f64, y: f64| if (x - y).abs() > 1e-6 * x.max(y) { x - y } else { 0.0 };
    let swaps =
        |i: usize, j: usize| f[i] * f[j] * g[i] * g[j] > 0.0 && apart(f[i], f[j]) * apart(g[i], g[j]) < 0.0;
    (0..f.len()).any(|i| (0..i).any(|j| swaps(i, j)))
}

fn oscillates(value: c64) -> bool {
    value.im > 1e-3 * value.norm()
}

/// An instability that sets in with an eigenvalue.
fn set_in(from: Option<f64>, value: c64) -> Instability {
    let oscillates = oscillates(value);
    let kind = if oscillates { InstabilityKind::Flutter } else { InstabilityKind::Divergence };
    let frequency = if oscillates { value.im / TAU } else { 0.0 };
    Instability { from, to: None, kind, frequency, growth: value.re }
}
