//! The buckling study: critical values of a parameter, linearised about an equilibrium.

use crate::member::{Members, value_of, with_value};
use crate::modes::shapes;
use crate::study::{Prepared, Product, StudyError};
use crate::summarize;
use poinsot_analysis::{Buckling, BucklingMode, EigenMethod, Mode, find_buckling};
use poinsot_model::StudyResults;
use poinsot_model::spec::{BucklingSpec, Side};
use poinsot_numerics::dense::c64;
use poinsot_results as results;
use std::time::Instant;

/// Bodies named in a mode.
const NAMED: usize = 3;

/// Runs the study.
pub fn run(prepared: Prepared, spec: &BucklingSpec) -> Result<Product, StudyError> {
    let at = spec.at.unwrap_or(value_of(prepared.model, &spec.parameter));
    with_value(prepared, &spec.parameter, at, |prepared| find(prepared, spec, at))
}

fn find(mut prepared: Prepared, spec: &BucklingSpec, at: f64) -> Result<Product, StudyError> {
    let clock = Instant::now();
    let mut members = Members::of(&prepared, &spec.parameter);
    // The search takes a system of its own.
    let again = crate::study::prepare(prepared.model, spec.time)?;
    let wanted = |value: f64| match spec.side {
        Side::Up => value > at,
        Side::Down => value < at,
        Side::Both => true,
    };
    let found = find_buckling(again.system, again.state, &mut members, at, spec.count, &wanted)?;
    prepared.state = found.state.clone();
    let study_results =
        StudyResults { buckling: found.modes.iter().map(|m| m.value).collect(), ..StudyResults::default() };
    let (table, measured) = summarize::snapshot(&prepared, &found.state, &found.a, &study_results)?;
    let Prepared { model, system, assembly, start, set_up, .. } = &prepared;
    let mut common = summarize::common(model, system, assembly, start, summarize::completed());
    common.expectations = summarize::expectations(model, &measured, spec.time);
    let critical = found.modes.iter().enumerate().map(|(k, mode)| critical(&prepared, k, mode, at));
    let summary = results::BucklingSummary {
        common,
        parameter: spec.parameter.clone(),
        at,
        time: spec.time,
        critical: critical.collect(),
        method: match found.method {
            EigenMethod::Dense => results::EigenMethod::Dense,
            EigenMethod::ShiftInvert => results::EigenMethod::ShiftInvert,
        },
        wall_time_s: clock.elapsed().as_secs_f64(),
        set_up_time_s: *set_up,
        warnings: warnings(&found, spec),
    };
    let method = format!("Critical values of {} about {at}, {} of them.", spec.parameter, found.modes.len());
    let shapes = if found.modes.is_empty() { None } else { Some(pictures(&prepared, &found)?) };
    Ok(Product { shapes, ..Product::new(Box::new(summary), method, table) })
}

fn critical(prepared: &Prepared, k: usize, mode: &BucklingMode, at: f64) -> results::CriticalValue {
    let shares = shares(prepared, &mode.shape);
    let names = prepared.model.bodies.iter().enumerate();
    let mut participation: Vec<results::Participation> = names
        .map(|(k, body)| results::Participation {
            body: body.name.clone(),
            share: shares[prepared.assembly.nodes[k]],
        })
        .collect();
    participation.sort_by(|a, b| b.share.total_cmp(&a.share));
    participation.truncate(NAMED);
    participation.retain(|p| p.share > 0.01);
    results::CriticalValue {
        number: k as u64 + 1,
        value: mode.value,
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

/// Shapes as those of modes, without a frequency.
fn pictures(prepared: &Prepared, found: &Buckling) -> Result<results::ModeShapes, StudyError> {
    let zero = c64::new(0.0, 0.0);
    let mode = |mode: &BucklingMode| Mode {
        value: zero,
        shape: mode.shape.iter().map(|x| c64::new(*x, 0.0)).collect(),
        shares: shares(prepared, &mode.shape),
        participation: vec![],
    };
    let modes: Vec<Mode> = found.modes.iter().map(mode).collect();
    let still = results::Complex::new(0.0, 0.0);
    let described: Vec<results::Mode> =
        (0..modes.len()).map(|k| results::Mode::of(k as u64 + 1, still, 1.0, vec![])).collect();
    shapes(prepared, &found.state, &modes, &described)
}

fn warnings(found: &Buckling, spec: &BucklingSpec) -> Vec<String> {
    let mut warnings = vec![];
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
