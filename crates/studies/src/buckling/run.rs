//! From the request to critical values and their shapes.

use crate::buckling::{BucklingSpec, BucklingSummary, CriticalPlot, CriticalValue, Side};
use crate::failure::StudyError;
use crate::flexible_audit::deformation_at;
use crate::modes::Participation;
use crate::parameter_sweep::{SweptModels, value_of, with_value};
use crate::scene::{FrameRecorder, scene};
use crate::shapes::{amplitudes, deformations, shapes_about};
use crate::study::{Prepared, Product};
use crate::summarize;
use poinsot_analysis::{Buckling, BucklingMode, find_buckling};
use poinsot_integrators::instant;
use poinsot_model::study::StudyResult;
use poinsot_numerics::dense::c64;
use poinsot_results::{self as results, Artifact, Signals};
use std::time::Instant;

/// Bodies named in a mode.
const NAMED: usize = 3;
/// Relative error of a critical value that is told.
const POOR: f64 = 1e-5;

/// Runs the study.
pub fn run(prepared: Prepared, spec: &BucklingSpec) -> Result<Product, StudyError> {
    let at = spec.at.unwrap_or(value_of(prepared.model, &spec.parameter));
    with_value(prepared, &spec.parameter, at, |prepared| find(prepared, spec, at))
}

fn find(mut prepared: Prepared, spec: &BucklingSpec, at: f64) -> Result<Product, StudyError> {
    let clock = Instant::now();
    let mut members = SweptModels::of(&prepared, &spec.parameter);
    // The search takes a system of its own.
    let again = crate::study::prepare(prepared.model, spec.time)?;
    let wanted = |value: f64| match spec.side {
        Side::Up => value > at,
        Side::Down => value < at,
        Side::Both => true,
    };
    let found = find_buckling(again.system, again.state, &mut members, at, spec.count, &wanted)?;
    prepared.state = found.state.clone();
    let answers = |result: StudyResult| found.modes.get(result.at[0]).map(|mode| mode.value);
    let (table, measured) = summarize::snapshot(&prepared, &found.state, &found.a, &answers)?;
    let Prepared { model, system, assembly, start, set_up, .. } = &prepared;
    let mut common = summarize::common(model, system, start, summarize::completed());
    common.expectations = summarize::expectations(model, &measured, spec.time);
    common.flexible = deformation_at(model, system, assembly, &found.state);
    let critical = found.modes.iter().enumerate().map(|(k, mode)| critical(&prepared, k, mode, at));
    let critical: Vec<CriticalValue> = critical.collect();
    let shapes = match found.modes.is_empty() {
        true => None,
        false => Some(pictures(&prepared, spec, &found, &critical)?),
    };
    let plot = CriticalPlot {
        parameter: spec.parameter.clone(),
        at,
        values: critical.iter().map(|c| c.value).collect(),
    };
    let summary = BucklingSummary {
        common,
        parameter: spec.parameter.clone(),
        at,
        time: spec.time,
        critical,
        method: found.method.into(),
        wall_time_s: clock.elapsed().as_secs_f64(),
        set_up_time_s: *set_up,
        warnings: warnings(&found, spec),
    };
    let method = format!("Critical values of {} about {at}, {} of them.", spec.parameter, found.modes.len());
    let scene = scene(model, system, assembly);
    let mut recorder = FrameRecorder::new(&scene);
    recorder.record(model, system, assembly, &instant(&found.state, &found.a), spec.time);
    let shapes = shapes.map(|shapes| Artifact::Shapes { shapes, drawn: true });
    let critical = (!plot.values.is_empty()).then(|| Artifact::Drawing(Box::new(plot)));
    let product = Product::new(Box::new(summary), method, Signals::new(table));
    let product = product.ending(vec![], prepared.named(&found.state));
    Ok(product.with(shapes).with(critical).with(Artifact::Scene(scene, recorder.frames)))
}

fn critical(prepared: &Prepared, k: usize, mode: &BucklingMode, at: f64) -> CriticalValue {
    let shares = shares(prepared, &mode.shape);
    let names = prepared.model.bodies.iter().enumerate();
    let mut participation: Vec<Participation> = names
        .map(|(k, body)| Participation { body: body.name.clone(), share: shares[prepared.assembly.nodes[k]] })
        .collect();
    participation.sort_by(|a, b| b.share.total_cmp(&a.share));
    participation.truncate(NAMED);
    participation.retain(|p| p.share > 0.01);
    CriticalValue {
        number: k as u64 + 1,
        value: mode.value,
        error: mode.error,
        factor: (at != 0.0).then(|| mode.value / at),
        participation,
    }
}

/// Shares of the nodes in the square of a shape, lengths by that of the model.
fn shares(prepared: &Prepared, shape: &[f64]) -> Vec<f64> {
    let length = prepared.system.length_scale();
    let square = |k: usize| {
        let twist = prepared.system.twist(k, shape);
        twist.linear.norm_squared() / (length * length) + twist.angular.norm_squared()
    };
    let squares: Vec<f64> = (0..prepared.system.nodes().len()).map(square).collect();
    let total: f64 = squares.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    squares.iter().map(|s| s / total).collect()
}

/// Shapes as those of modes, with critical value and load factor in place of a frequency.
fn pictures(
    prepared: &Prepared,
    spec: &BucklingSpec,
    found: &Buckling,
    critical: &[CriticalValue],
) -> Result<results::ModeShapes, StudyError> {
    let shape = |(mode, critical): (&BucklingMode, &CriticalValue)| {
        let value = results::short(critical.value, 6);
        let factor = critical.factor.map(|factor| results::short(factor, 6));
        let mut name = format!("{} = {value}", spec.parameter);
        let mut details = vec![(spec.parameter.clone(), value)];
        if let Some(factor) = factor {
            name += &format!(", load factor {factor}");
            details.push(("Load factor".into(), factor));
        }
        let most = critical.participation.iter().map(|p| format!("{} {:.0}%", p.body, 100.0 * p.share));
        details.push(("Moving most".into(), most.collect::<Vec<_>>().join(", ")));
        let complex: Vec<c64> = mode.shape.iter().map(|x| c64::new(*x, 0.0)).collect();
        results::ModeShape {
            number: critical.number,
            name,
            details,
            bodies: amplitudes(prepared, &found.state.frames, &complex),
            amplitudes: deformations(prepared, &complex),
            ..results::ModeShape::default()
        }
    };
    shapes_about(prepared, &found.state, found.modes.iter().zip(critical).map(shape).collect())
}

fn warnings(found: &Buckling, spec: &BucklingSpec) -> Vec<String> {
    let mut warnings = vec![];
    let poor = found.modes.iter().filter(|mode| mode.error > POOR * mode.value.abs()).count();
    if poor > 0 {
        warnings.push(format!(
            "{poor} of the critical values are known to less than five digits: beside the stiffest \
             parts the softest are rounding"
        ));
    }
    if found.modes.len() < spec.count {
        let side = match spec.side {
            Side::Up => " above the state",
            Side::Down => " below the state",
            Side::Both => "",
        };
        warnings.push(format!(
            "only {} of {} critical values were found{side}",
            found.modes.len(),
            spec.count
        ));
    }
    if found.complex > 0 {
        warnings.push(format!(
            "{} pairs of critical values are complex: loads that follow the motion may make it flutter, see `modes`",
            found.complex
        ));
    }
    warnings
}
