//! From the request to multipliers at every value of the parameter, and the ranges in which deviations grow.

use super::failure::AtValueError;
use super::motion::{Motion, Near, find, rotor};
use super::picture::{GrowthPlot, MultiplierPaths};
use super::request::{FloquetSpec, MultipliersBy};
use super::results::{answer, multi_blade};
use super::shapes::shapes;
use super::summary::{FloquetBranchEntry, FloquetRange, FloquetSummary, MultiBladeEntry};
use crate::failure::{Interrupted, StudyError};
use crate::initial::begin;
use crate::parameter_sweep::SweptModels;
use crate::periodic::request::PeriodSpec;
use crate::periodic::run::{moving_most, refuse, settings};
use crate::progress::{Progress, Watch};
use crate::scene::{FrameRecorder, scene};
use crate::study::{Prepared, Product};
use crate::summarize;
use poinsot_analysis::{
    FloquetBranch, FloquetSpectrum, FloquetStudy, FloquetSweep, FloquetVerdict, GrowthKind, GrowthRange,
    MultiBlade, Multiplier, PeriodicScheme, floquet_sweep,
};
use poinsot_integrators::instant;
use poinsot_mechanics::State;
use poinsot_model::study::StudyResult;
use poinsot_model::{Diagnostic, Model};
use poinsot_results::{self as results, Artifact, Signals};
use std::f64::consts::TAU;
use std::time::Instant;

/// Change of a motion between two meshes above which the summary warns.
const ROUGH: f64 = 1e-3;
/// Error of the largest multiplier above which it warns.
const OPEN: f64 = 1e-4;

/// Difference between multipliers and those of constant equations that rounding and the search for the
/// motion explain.
const EXPLAINED: f64 = 1e-6;

/// Runs the study.
pub fn run(prepared: Prepared, spec: &FloquetSpec, watch: &dyn Watch) -> Result<Product, StudyError> {
    let clock = Instant::now();
    let settings = settings(prepared.model, &spec.motion);
    refuse(prepared.model, &prepared.system, &spec.motion, &settings)?;
    needs_steps(spec, &settings.scheme)?;
    // Names of blades are looked at before the first motion.
    rotor(prepared.model, &prepared.assembly, spec)?;
    let study = FloquetStudy {
        values: values(prepared.model, spec),
        count: spec.motion.count,
        accuracy: spec.accuracy,
    };
    let mut sweep = Sweep {
        models: SweptModels::of(&prepared, &spec.parameter),
        prepared: &prepared,
        spec,
        seen: vec![],
        moving_most: vec![],
        progress: Progress::new(spec.range[0], spec.range[1], watch),
        planned: 0,
    };
    let found = floquet_sweep(&study, &mut |value| sweep.spectrum(value, &study), &|| !watch.goes_on())?;
    if found.values.is_empty() {
        return Err(Interrupted.into());
    }
    // What was stopped did not get to the values of the expectations.
    let expectations = if found.stopped { vec![] } else { sweep.expectations(&found)? };
    let table = table(spec, &found)?;
    let summary = sweep.summary(&study, &found, expectations, clock.elapsed().as_secs_f64());
    let method = format!("Multipliers of periodic motions against {}.", spec.parameter);
    let axis = results::AxisName::parameter(&spec.parameter, "");
    let plots = match found.branches.is_empty() {
        true => vec![],
        false => ["growth", "frequency"].map(|what| signal_plot(&found, what)).to_vec(),
    };
    let growth = (found.values.len() > 1).then(|| Artifact::Drawing(Box::new(growth_plot(spec, &found))));
    let paths = paths(&found);
    let paths = (!paths.0.is_empty()).then(|| Artifact::Drawing(Box::new(paths)));
    let signals = Signals { axis, plots, ..Signals::new(table) };
    let scene = scene(prepared.model, &prepared.system, &prepared.assembly);
    let (frames, shapes) = shapes(&mut sweep, &found, &scene)?;
    // Shapes at many values of a parameter are for the page alone.
    let shapes = shapes.map(|shapes| Artifact::Shapes { shapes, drawn: false });
    let product = Product::new(Box::new(summary), method, signals).with(shapes).with(growth).with(paths);
    Ok(product.with(Artifact::Scene(scene, frames)))
}

/// The largest multipliers alone, and those by harmonics beside others, need steps; the first a known period.
fn needs_steps(spec: &FloquetSpec, scheme: &PeriodicScheme) -> Result<(), StudyError> {
    let refused = |text: &str, at: &poinsot_model::Span, label: &str, help: &str| {
        Err(StudyError::Model(Box::new(Diagnostic::error(text).at(at.clone(), label).help(help))))
    };
    if spec.by == MultipliersBy::Product {
        return Ok(());
    }
    if let PeriodicScheme::Spectral(_) = scheme {
        let text = "motions by harmonics of the whole period have their multipliers by harmonics already";
        return refused(text, &spec.span, "`method` and `scheme` do not go together", "leave `method` out");
    }
    match spec.motion.period {
        PeriodSpec::Unknown(_) if spec.by == MultipliersBy::Leading => {
            let text = "the largest multipliers alone are found of motions whose period is known";
            refused(text, &spec.motion.period_span, "an unknown period", "leave `method` out")
        }
        _ => Ok(()),
    }
}

/// The values of the parameter: evenly spaced, and those that expectations ask for.
fn values(model: &Model, spec: &FloquetSpec) -> Vec<f64> {
    let ([low, high], last) = (spec.range, spec.values - 1);
    let even = |k: usize| if k == last { high } else { low + (high - low) * k as f64 / last as f64 };
    let mut values: Vec<f64> = (0..spec.values).map(even).collect();
    values.extend(model.expects.iter().filter_map(|expect| expect.at));
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

/// What a motion leaves to start the next search from, and to be told.
pub(super) struct Seen {
    pub(super) value: f64,
    period: f64,
    pub(super) state: State,
    a: Vec<f64>,
    change: f64,
    elements: usize,
    /// The frame of the scene at the start.
    pub(super) frame: Vec<f32>,
    blades: Option<Result<MultiBlade, String>>,
}

pub(super) struct Sweep<'a> {
    pub(super) prepared: &'a Prepared<'a>,
    pub(super) models: SweptModels,
    pub(super) spec: &'a FloquetSpec,
    pub(super) seen: Vec<Seen>,
    /// Of the multipliers at the first value.
    moving_most: Vec<Vec<(String, f64)>>,
    progress: Progress<'a>,
    /// Values of the study that were begun.
    planned: usize,
}

impl Sweep<'_> {
    fn spectrum(&mut self, value: f64, study: &FloquetStudy) -> Result<FloquetSpectrum, StudyError> {
        self.say(value, study);
        let (found, frame) = self.motion(value).map_err(|cause| self.placed(value, cause))?;
        let Motion { period, mut floquet, state, a, change, elements, blades } = found;
        // The whole course of a mode is large; its start and its strongest harmonic are kept.
        floquet.multipliers.iter_mut().for_each(|m| m.shape.clear());
        self.seen.push(Seen { value, blades, frame, period, state, a, change, elements });
        Ok(FloquetSpectrum::new(period, floquet))
    }

    /// A mistake in the model has its place; else it is told where the sweep was.
    fn placed(&self, value: f64, cause: StudyError) -> StudyError {
        match cause {
            StudyError::Model(_) => cause,
            _ => {
                let parameter = self.spec.parameter.clone();
                AtValueError { parameter, value, cause: Box::new(cause) }.into()
            }
        }
    }

    fn motion(&mut self, value: f64) -> Result<(Motion, Vec<f32>), StudyError> {
        let (system, member) = self.models.at(value)?;
        // The table of the study may use the parameter: a period, a start.
        let request = self.prepared.model.request_with(&[(self.spec.parameter.clone(), value)]);
        let request = request.ok().flatten();
        let own = request.as_deref().and_then(|request| request.of::<FloquetSpec>()).unwrap_or(self.spec);
        let spec = FloquetSpec { motion: own.motion.clone(), ..self.spec.clone() };
        let mut prepared = begin(&member.model, system, member.assembly.clone(), spec.motion.start)?;
        let nearest =
            self.seen.iter().min_by(|a, b| (a.value - value).abs().total_cmp(&(b.value - value).abs()));
        let near = nearest.map(|seen| Near { state: &seen.state, period: seen.period });
        let is_first = near.is_none();
        let found = match find(&mut prepared, &spec, near) {
            // Not from its neighbour: perhaps as the first one.
            Err(_) if !is_first => find(&mut prepared, &spec, None)?,
            found => found?,
        };
        if self.seen.is_empty() {
            let of = |m| moving_most(prepared.model, &prepared.system, m);
            self.moving_most = found.floquet.multipliers.iter().map(of).collect();
        }
        let at = instant(&found.state, &found.a);
        let Prepared { model, system, assembly, .. } = &prepared;
        let frame = FrameRecorder::default().row(model, system, assembly, &at).to_vec();
        Ok((found, frame))
    }

    /// Progress by the values of the study that are done; ends of ranges are located after the last.
    fn say(&mut self, value: f64, study: &FloquetStudy) {
        let at = format!("{} = {value:.5}", self.spec.parameter);
        match study.values.get(self.planned) {
            Some(_) => self.progress.share(self.planned as f64 / study.values.len() as f64, &at),
            None => self.progress.share(1.0, &format!("{at}, locating")),
        }
        self.planned += usize::from(study.values.get(self.planned) == Some(&value));
    }

    /// The expectations with what the model has at their value of the parameter, at the start of the period.
    fn expectations(&mut self, found: &FloquetSweep) -> Result<Vec<results::Expectation>, StudyError> {
        let expects = &self.prepared.model.expects;
        let last = found.values[found.values.len() - 1];
        let mut judged = vec![];
        for (k, expect) in expects.iter().enumerate() {
            let value = expect.at.unwrap_or(last);
            let row = found.values.iter().position(|v| *v == value);
            let Some(seen) = self.seen.iter().find(|seen| seen.value == value) else { continue };
            let (system, member) = self.models.at(value)?;
            let start = self.spec.motion.start;
            let prepared = begin(&member.model, system, member.assembly.clone(), start)?;
            let changes = |row: usize| {
                let value = found.values[row];
                self.seen.iter().find(|seen| seen.value == value).map(|seen| seen.change)
            };
            let blades = seen.blades.as_ref().and_then(|blades| blades.as_ref().ok());
            let answers = |result: StudyResult| match result.what.starts_with("multi_blade.") {
                true => multi_blade(result, blades),
                false => answer(result, found, row, &changes),
            };
            let measured = summarize::snapshot(&prepared, &seen.state, &seen.a, &answers)?.1;
            let mut all = summarize::expectations(prepared.model, &measured, start);
            if k < all.len() {
                let mut one = all.swap_remove(k);
                if expect.at.is_some() {
                    one.signal += &format!(" ({} = {value})", self.spec.parameter);
                }
                one.at = start;
                judged.push(one);
            }
        }
        Ok(judged)
    }

    fn summary(
        &self,
        study: &FloquetStudy,
        found: &FloquetSweep,
        expectations: Vec<results::Expectation>,
        wall_time_s: f64,
    ) -> FloquetSummary {
        let (spec, Prepared { model, system, start, set_up, .. }) = (self.spec, self.prepared);
        let outcome = if found.stopped { stopped(spec, found) } else { summarize::completed() };
        let mut common = summarize::common(model, system, start, outcome);
        common.expectations = expectations;
        let count = |which: fn(&FloquetVerdict) -> bool| {
            found.spectra.iter().filter(|s| which(&s.floquet.verdict())).count() as u64
        };
        let elements = || self.seen.iter().map(|seen| seen.elements as u64);
        let inserted = |v: &&f64| study.values.binary_search_by(|x| x.total_cmp(v)).is_err();
        let error = found.spectra.iter().filter_map(|s| s.floquet.largest());
        let error = error.map(|m| m.error).fold(0.0, f64::max);
        let gauges = found.spectra.iter().filter_map(|s| s.floquet.gauge);
        let branch = |(k, branch)| {
            let moving = |place: &usize| self.moving_most.get(*place).cloned();
            let first = branch_first(branch);
            let moving_most = first.and_then(|place| moving(&place)).unwrap_or_default();
            FloquetBranchEntry { moving_most, ..branch_entry(k, branch) }
        };
        FloquetSummary {
            common,
            parameter: spec.parameter.clone(),
            range: spec.range,
            periods: [0, found.spectra.len() - 1].map(|row| found.spectra[row].period),
            scheme: spec.motion.scheme.words(),
            method: by_words(spec.by),
            values: found.values.len() as u64,
            inserted: found.values.iter().filter(inserted).count() as u64,
            evaluations: found.evaluations as u64,
            elements: [elements().min().unwrap_or(0), elements().max().unwrap_or(0)],
            branches: found.branches.iter().enumerate().map(branch).collect(),
            instabilities: found.ranges.iter().map(range).collect(),
            accuracy: spec.accuracy * (spec.range[1] - spec.range[0]),
            verdicts: [
                count(|v| *v == FloquetVerdict::AsymptoticallyStable),
                count(|v| *v == FloquetVerdict::Unstable),
                count(|v| matches!(v, FloquetVerdict::Undecided(_))),
            ],
            largest_only: found.spectra.iter().any(|s| !s.floquet.complete),
            error,
            gauge: gauges.fold(None, |most: Option<f64>, gauge| Some(most.map_or(gauge, |m| m.max(gauge)))),
            wall_time_s,
            set_up_time_s: *set_up,
            multi_blade: self.blades(found),
            warnings: self.warnings(found, error),
        }
    }

    /// What multi-blade coordinates come to.
    fn blades(&self, found: &FloquetSweep) -> Option<MultiBladeEntry> {
        let all: Vec<_> =
            self.seen.iter().filter_map(|seen| Some((seen.value, seen.blades.as_ref()?))).collect();
        let (mut entry, mut any) = (MultiBladeEntry::default(), false);
        for (value, blades) in all {
            any = true;
            match blades {
                Ok(blades) => {
                    entry.constant += 1;
                    entry.variation = entry.variation.max(blades.variation);
                    let Some(row) = found.values.iter().position(|v| *v == value) else { continue };
                    let spectrum = &found.spectra[row];
                    let far = |m: &Multiplier| {
                        let near =
                            blades.exponents.iter().map(|s| ((*s * spectrum.period).exp() - m.value).norm());
                        near.fold(f64::INFINITY, f64::min)
                    };
                    let own = || spectrum.floquet.multipliers.iter().filter(|m| !m.trivial);
                    entry.difference = own().map(far).fold(entry.difference, f64::max);
                    let open = |m: &Multiplier| far(m) - EXPLAINED.max(10.0 * m.error);
                    entry.unexplained = own().map(open).fold(entry.unexplained, f64::max);
                }
                Err(reason) => {
                    entry.not_at += 1;
                    entry
                        .reason
                        .get_or_insert_with(|| format!("at {} = {value}: {reason}", self.spec.parameter));
                }
            }
        }
        any.then_some(entry)
    }

    fn warnings(&self, found: &FloquetSweep, error: f64) -> Vec<String> {
        let (name, mut warnings) = (&self.spec.parameter, vec![]);
        for (value, branches) in &found.mixed {
            let numbers: Vec<String> = branches.iter().map(|k| (k + 1).to_string()).collect();
            warnings.push(format!(
                "near {name} = {value} modes {} change too quickly to be followed: from there on their numbers \
                 may be exchanged; more `values` may help",
                numbers.join(", ")
            ));
        }
        let rough = self.seen.iter().filter(|seen| seen.change > ROUGH);
        if let Some(worst) = rough.max_by(|a, b| a.change.total_cmp(&b.change)) {
            warnings.push(format!(
                "at {name} = {} the motion changes by {} of the units of the states with another number of \
                 elements: take more",
                worst.value,
                results::short(worst.change, 2)
            ));
        }
        if error > OPEN {
            warnings.push(format!(
                "the largest multipliers are known to {} only: more `elements` tell them better",
                results::short(error, 2)
            ));
        }
        warnings
    }
}

fn by_words(by: MultipliersBy) -> String {
    match by {
        MultipliersBy::Product => "all multipliers".into(),
        MultipliersBy::Leading => "the largest multipliers".into(),
        MultipliersBy::Hill { harmonics, kept: None } => {
            format!("Hill's method with {harmonics} harmonics")
        }
        MultipliersBy::Hill { harmonics, kept: Some(kept) } => {
            format!("Hill's method with {kept} of {harmonics} harmonics")
        }
    }
}

fn stopped(spec: &FloquetSpec, found: &FloquetSweep) -> results::Outcome {
    let last = found.values.last().copied().unwrap_or(spec.range[0]);
    results::Outcome {
        status: results::Status::Interrupted,
        message: format!("stopped by the user at {} = {}", spec.parameter, results::short(last, 6)),
        ..summarize::completed()
    }
}

/// Where a branch is among the multipliers of the first value.
fn branch_first(branch: &FloquetBranch) -> Option<usize> {
    branch.places.first().copied().flatten()
}

fn branch_entry(k: usize, branch: &FloquetBranch) -> FloquetBranchEntry {
    let ends = [0, branch.growth.len() - 1];
    FloquetBranchEntry {
        number: k as u64 + 1,
        frequency_hz: ends.map(|row| branch.frequency[row] / TAU),
        growth: ends.map(|row| branch.growth[row]),
        largest_growth: branch.growth.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        moving_most: vec![],
    }
}

fn range(range: &GrowthRange) -> FloquetRange {
    let kind = match range.kind {
        GrowthKind::Divergence => "divergence",
        GrowthKind::Doubling => "doubling",
        GrowthKind::Pair => "pair",
    };
    FloquetRange {
        from: range.from,
        to: range.to,
        kind: kind.into(),
        peak: range.peak,
        magnitude: range.magnitude,
        growth: range.growth,
        frequency_hz: range.frequency / TAU,
    }
}

/// One row for each value: the parameter, the period, the largest multiplier, the modes.
fn table(spec: &FloquetSpec, found: &FloquetSweep) -> Result<results::SignalTable, StudyError> {
    let mut columns = vec![
        results::Column::new(&spec.parameter, "", "the parameter that is changed"),
        results::Column::new("period", "s", "period of the motion"),
        results::Column::new("largest.magnitude", "", "largest |λ|"),
        results::Column::new("largest.growth", "1/s", "growth rate of that multiplier"),
        results::Column::new("largest.error", "", "what is left open of it"),
    ];
    for k in 1..=found.branches.len() {
        let column = |what: &str, unit: &str, words: &str| {
            results::Column::new(format!("mode{k}.{what}"), unit, words)
        };
        columns.push(column("real", "", "real part of λ"));
        columns.push(column("imaginary", "", "imaginary part of λ"));
        columns.push(column("growth", "1/s", "growth rate"));
        columns.push(column("frequency", "Hz", "frequency of the strongest harmonic"));
        columns.push(column("share", "", "share of that harmonic"));
        columns.push(column("assurance", "", "how much of the mode of the row before is in it"));
    }
    let mut table = results::SignalTable::new(columns)?;
    for (row, &value) in found.values.iter().enumerate() {
        let spectrum = &found.spectra[row];
        let largest = spectrum.floquet.largest();
        let of = |what: fn(&poinsot_analysis::Multiplier) -> f64| largest.map_or(f64::NAN, what);
        let mut cells =
            vec![value, spectrum.period, of(|m| m.log_size.exp()), of(|m| m.growth), of(|m| m.error)];
        for branch in &found.branches {
            let known = branch.multipliers[row];
            let or_gap = |x: f64| if known.is_some() { x } else { f64::NAN };
            cells.extend([
                known.map_or(f64::NAN, |m| m.re),
                known.map_or(f64::NAN, |m| m.im),
                or_gap(branch.growth[row]),
                or_gap(branch.frequency[row] / TAU),
                or_gap(branch.share[row]),
                or_gap(branch.assurance[row]),
            ]);
        }
        let last = cells.len();
        table.push_with_gaps(spec.motion.start, &cells, 2..last)?;
    }
    Ok(table)
}

fn signal_plot(found: &FloquetSweep, what: &str) -> results::SignalPlot {
    results::SignalPlot {
        names: (1..=found.branches.len()).map(|k| format!("mode{k}.{what}")).collect(),
        x: String::new(),
    }
}

fn growth_plot(spec: &FloquetSpec, found: &FloquetSweep) -> GrowthPlot {
    let unstable = |r: &GrowthRange| (r.from.unwrap_or(spec.range[0]), r.to.unwrap_or(spec.range[1]));
    let growth = |branch: &FloquetBranch| {
        let or_gap = |(m, x): (&Option<_>, &f64)| if m.is_some() { *x } else { f64::NAN };
        branch.multipliers.iter().zip(&branch.growth).map(or_gap).collect()
    };
    let largest = |s: &FloquetSpectrum| s.floquet.largest().map_or(f64::NAN, |m| m.growth);
    GrowthPlot {
        parameter: spec.parameter.clone(),
        values: found.values.clone(),
        largest: found.spectra.iter().map(largest).collect(),
        growth: found.branches.iter().map(growth).collect(),
        unstable: found.ranges.iter().map(unstable).collect(),
    }
}

fn paths(found: &FloquetSweep) -> MultiplierPaths {
    let way = |branch: &FloquetBranch| {
        let known = branch.multipliers.iter().flatten().filter(|m| m.re.is_finite() && m.im.is_finite());
        known.map(|m| (m.re, m.im)).collect::<Vec<_>>()
    };
    MultiplierPaths(found.branches.iter().map(way).filter(|way| !way.is_empty()).collect())
}
