//! The equilibrium nearest to the start, its eigenvalues, and a Lyapunov function.

use crate::complaint::Complaint;
use crate::equilibrium::potential;
use crate::equilibrium::{self, EquilibriumSpec, solve};
use crate::failure::StudyError;
use crate::ranges::{complex, significant};
use crate::small_motions::lasting;
use crate::study::{Prepared, prepare};
use poinsot_analysis::{
    Equilibrium, ExplicitError, LyapunovCheck, LyapunovError, LyapunovReport, LyapunovVerdict, Nearness,
    explicit_form, find_modes,
};
use poinsot_expr::{Expr, ParseError};
use poinsot_model::spec::EquationsSpec;
use poinsot_model::{Model, Quantity};
use poinsot_numerics::dense::c64;
use poinsot_results as results;
use serde_json::json;
use thiserror::Error;

/// Modes of a mechanism that are looked at.
const MODES: usize = 1000;
/// Variables and eigenvalues that are printed.
const PRINTED: usize = 40;

/// What is asked about the stability of a model.
#[derive(Clone, Debug)]
pub struct StabilityRequest {
    /// Time at which loads and drives are taken (s); by default that of the study.
    pub time: Option<f64>,
    /// A candidate for a Lyapunov function.
    pub lyapunov: Option<String>,
    /// Radius of the ball in which it is looked at, in nominal sizes of the variables.
    pub radius: f64,
    /// Directions in which it is looked at.
    pub samples: usize,
    /// Answer as JSON.
    pub json: bool,
}

/// What is wrong with a candidate for a Lyapunov function.
#[derive(Debug, Error)]
enum CandidateError {
    /// The model has no variables.
    #[error("the model has no [[equations]] whose variables it could be made of")]
    NoEquations,
    /// It is no expression.
    #[error("{} at character {}{}", .0.message, .0.span.start + 1, did_you_mean(.0.suggestion.as_deref()))]
    Parse(ParseError),
    /// A name that means nothing.
    #[error("unknown name `{name}`{}", did_you_mean(.near.as_deref()))]
    UnknownName { name: String, near: Option<String> },
    /// The equations are not alone.
    #[error("the equations read the mechanics; the check is for equations alone")]
    Mechanics,
    /// The equations cannot be solved for the rates.
    #[error(transparent)]
    Explicit(#[from] ExplicitError),
    /// It cannot be checked.
    #[error(transparent)]
    Check(#[from] LyapunovError),
}

/// The end of a message that offers a name.
fn did_you_mean(near: Option<&str>) -> String {
    near.map_or(String::new(), |near| format!("; did you mean `{near}`?"))
}

/// Judges the equilibrium of a model, as JSON or in words.
pub fn stability(model: &Model, request: &StabilityRequest) -> Result<String, Complaint> {
    let of_candidate = |error: CandidateError| Complaint::bad_input(format!("--lyapunov: {error}"));
    let candidate = request.lyapunov.as_deref().map(|text| read_candidate(model, text)).transpose();
    let candidate = candidate.map_err(of_candidate)?;
    let mut spec = model.study_of().cloned().unwrap_or_else(|| EquilibriumSpec::at(model.start()));
    spec.time = request.time.unwrap_or(spec.time);
    let prepared = prepare(model, spec.time)?;
    let (found, nearness) = solve(&prepared, &spec)?;
    let (verdict, values) = judge(&prepared, &found)?;
    let report =
        candidate.map(|v| check(request, &prepared, &found, &v)).transpose().map_err(of_candidate)?;
    let potentials = potential::lines(&prepared, &found);
    let answer = Answer { prepared: &prepared, found: &found, nearness, verdict, values, potentials, report };
    Ok(if request.json { answer.json() } else { answer.text() })
}

/// Verdict and eigenvalues.
fn judge(prepared: &Prepared, found: &Equilibrium) -> Result<(results::Stability, Vec<c64>), StudyError> {
    if prepared.model.has_variables() {
        let values = found.linear.as_ref().map_or(vec![], |l| l.values.clone());
        return Ok((equilibrium::judged(prepared, found), values));
    }
    let modes = find_modes(&prepared.system, &found.state, &found.a, 0, MODES)?;
    let values: Vec<c64> = modes.modes.iter().map(|m| m.value).collect();
    let verdict = crate::modes::verdict(&modes);
    Ok((lasting(verdict, modes.changing.as_ref(), (&prepared.system, &found.state)), values))
}

/// The candidate with full names of variables; a complaint about what is wrong with it.
fn read_candidate(model: &Model, text: &str) -> Result<Expr, CandidateError> {
    if !model.has_variables() {
        return Err(CandidateError::NoEquations);
    }
    let mut expr = Expr::parse(text).map_err(CandidateError::Parse)?;
    for (name, _) in expr.clone().variables() {
        if let Some((block, k)) = model.variable(&name) {
            let full = Expr::name(&model.equations[block].variable_name(k));
            expr = full.map_or(expr.clone(), |full| expr.substitute(&name, &full));
            continue;
        }
        let known =
            model.parameters.iter().any(|p| p.name == name) || poinsot_expr::constant(&name).is_some();
        if !known {
            let own = model.equations.iter().flat_map(|b| b.variables.iter().map(|v| v.name.clone()));
            let all: Vec<String> = own.chain(model.parameters.iter().map(|p| p.name.clone())).collect();
            let near = poinsot_expr::suggest(&name, &all);
            return Err(CandidateError::UnknownName { name, near });
        }
    }
    Ok(expr)
}

/// The equations of a model solved for their rates.
struct Explicit {
    states: Vec<String>,
    rates: Vec<Expr>,
    /// Variables without a rate, as expressions of the states.
    algebraic: Vec<(String, Expr)>,
}

/// Lyapunov's method about the equilibrium.
fn check(
    request: &StabilityRequest,
    prepared: &Prepared,
    found: &Equilibrium,
    v: &Expr,
) -> Result<LyapunovReport, CandidateError> {
    let model = prepared.model;
    let networks = prepared.system.networks().iter();
    let values: Vec<(String, f64, f64)> = networks
        .flat_map(|n| n.law.variables.iter().enumerate().map(|(j, v)| (v, n.unknown(j))))
        .map(|(v, eq)| (v.name.clone(), found.state.v[eq], v.nominal))
        .collect();
    let parameter = |name: &str| model.parameters.iter().find(|p| p.name == name).map(|p| p.value);
    let explicit = explicit(model, found.state.t, &|name| {
        let variable = values.iter().find(|(n, _, _)| n == name).map(|(_, value, _)| *value);
        variable.or_else(|| parameter(name)).or_else(|| poinsot_expr::constant(name))
    })?;
    let mut v = v.clone();
    for (name, expr) in &explicit.algebraic {
        v = v.substitute(name, expr);
    }
    let of =
        |name: &String| values.iter().find(|(n, _, _)| n == name).map_or((0.0, 1.0), |(_, x, s)| (*x, *s));
    let at: Vec<f64> = explicit.states.iter().map(|name| of(name).0).collect();
    let radius: Vec<f64> = explicit.states.iter().map(|name| request.radius * of(name).1).collect();
    let check = LyapunovCheck {
        states: &explicit.states,
        rates: &explicit.rates,
        at: &at,
        radius: &radius,
        samples: request.samples,
        parameters: &parameter,
    };
    Ok(check.check(&v)?)
}

fn explicit(model: &Model, time: f64, at: &dyn Fn(&str) -> Option<f64>) -> Result<Explicit, CandidateError> {
    let laws = || model.equations.iter().flat_map(|b| &b.equations);
    let foreign = |q: &Quantity| !matches!(q, Quantity::Variable { .. } | Quantity::Time);
    if laws().any(|law| law.quantities.iter().any(foreign)) {
        return Err(CandidateError::Mechanics);
    }
    let time = Expr::number(time);
    let equations: Vec<Expr> = laws().map(|law| law.expr.substitute("time", &time)).collect();
    let named = |b: &EquationsSpec| {
        (0..b.variables.len()).map(|k| (b.variable_name(k), b.rate_name(k))).collect::<Vec<_>>()
    };
    let names: Vec<(String, String)> = model.equations.iter().flat_map(named).collect();
    let (with_rate, without): (Vec<_>, Vec<_>) =
        names.into_iter().partition(|(_, rate)| equations.iter().any(|e| e.contains(rate)));
    let states: Vec<String> = with_rate.iter().map(|(name, _)| name.clone()).collect();
    let rates = with_rate.into_iter().map(|(_, rate)| rate);
    let unknowns: Vec<String> = rates.chain(without.iter().map(|(name, _)| name.clone())).collect();
    let mut solved = explicit_form(&equations, &unknowns, at)?;
    let algebraic = solved.split_off(states.len());
    let algebraic = without.into_iter().map(|(name, _)| name).zip(algebraic).collect();
    Ok(Explicit { states, rates: solved, algebraic })
}

/// Everything that was found.
struct Answer<'a> {
    prepared: &'a Prepared<'a>,
    found: &'a Equilibrium,
    nearness: Nearness,
    verdict: results::Stability,
    values: Vec<c64>,
    /// What the potentials of energy models say.
    potentials: Vec<String>,
    report: Option<LyapunovReport>,
}

impl Answer<'_> {
    fn variables(&self) -> Vec<(String, f64)> {
        let networks = self.prepared.system.networks().iter();
        let all = networks
            .flat_map(|n| n.law.variables.iter().enumerate().map(|(j, v)| (v.name.clone(), n.unknown(j))));
        all.map(|(name, eq)| (name, self.found.state.v[eq])).collect()
    }

    fn bodies(&self) -> Vec<(String, [f64; 3])> {
        let at = poinsot_integrators::instant(&self.found.state, &self.found.a);
        let place = |(k, body): (usize, &poinsot_model::spec::BodySpec)| {
            let r = self.prepared.assembly.position(poinsot_model::spec::BodyRef::Body(k), &at);
            (body.name.clone(), r.into())
        };
        self.prepared.model.bodies.iter().enumerate().map(place).collect()
    }

    fn text(&self) -> String {
        let which = if self.nearness.is_nearest() { "nearest to" } else { "found from" };
        let mut text = format!("{}: equilibrium {which} the start\n\n", self.prepared.model.name);
        for (name, [x, y, z]) in self.bodies().iter().take(PRINTED) {
            let [x, y, z] = [x, y, z].map(|v| significant(*v, 6));
            text += &format!("  {name:<24}at ({x}, {y}, {z}) m\n");
        }
        for (name, value) in self.variables().iter().take(PRINTED) {
            text +=
                &format!("  {name:<24}{}\n", significant(if value.abs() < 1e-13 { 0.0 } else { *value }, 9));
        }
        if !self.found.held.is_empty() {
            text += &format!("  held: {} (free in these equations)\n", self.found.held.join(", "));
        }
        let near = equilibrium::nearness_words(&self.nearness);
        if !near.is_empty() {
            text += &format!("  {near}\n");
        }
        let values: Vec<String> = self.values.iter().take(PRINTED).map(|v| complex(*v, 8)).collect();
        text += &format!("\neigenvalues  {}\n", values.join(",  "));
        text += &format!("verdict      {}: {}\n", self.verdict.verdict.words(), self.verdict.reason);
        self.potentials.iter().for_each(|line| text += &format!("{line}\n"));
        if let Some(report) = &self.report {
            text += &format!("\nLyapunov     {}: {}\n", words(report.verdict), report.reason);
            text += &format!("rate of V    {}\n", report.derivative);
            if let Some(point) = &report.point {
                let point: Vec<String> = point.iter().map(|x| significant(*x, 6)).collect();
                text += &format!("at           ({})\n", point.join(", "));
            }
            text += &format!("evidence     signs at {} points, not a proof\n", report.samples);
        }
        text
    }

    fn json(&self) -> String {
        let variables: serde_json::Map<String, serde_json::Value> =
            self.variables().into_iter().map(|(name, value)| (name, json!(value))).collect();
        let values: Vec<_> = self.values.iter().map(|v| json!({ "re": v.re, "im": v.im })).collect();
        let lyapunov = self.report.as_ref().map(|report| {
            json!({
                "verdict": words(report.verdict),
                "reason": report.reason,
                "rate": report.derivative.to_string(),
                "point": report.point,
                "samples": report.samples,
            })
        });
        let value = json!({
            "variables": variables,
            "held": self.found.held,
            "distance": self.nearness.distance,
            "starts": self.nearness.starts,
            "passed": self.nearness.passed,
            "eigenvalues": values,
            "verdict": self.verdict.verdict.words(),
            "reason": self.verdict.reason,
            "potential": self.potentials,
            "lyapunov": lyapunov,
        });
        format!("{value:#}\n")
    }
}

fn words(verdict: LyapunovVerdict) -> &'static str {
    match verdict {
        LyapunovVerdict::Stable => "stable",
        LyapunovVerdict::AsymptoticallyStable | LyapunovVerdict::Krasovskii => "asymptotically stable",
        LyapunovVerdict::NotShown => "not shown",
    }
}
