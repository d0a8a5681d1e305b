//! What the summaries of all studies share.

use crate::record::{columns, shape_columns};
use crate::study::Prepared;
use poinsot_analysis::{ReachedValue, StartReport, reported_reactions};
use poinsot_mechanics::{Chart, Scratch, State, System};
use poinsot_model::spec::{BodyKind, BodySpec, Formula};
use poinsot_model::study::Answers;
use poinsot_model::{Model, Probe, View, fnv1a};
use poinsot_results as results;

/// Constraint residual, relative to the model's length, above which the audit complains: Newton's iterations
/// end at 1e-10, and two digits are left to rounding in ill-conditioned models.
pub const CONSTRAINT_LIMIT: f64 = 1e-8;
/// What the summaries of all studies share; expectations are added by the study.
pub fn common(
    model: &Model,
    system: &System,
    start: &StartReport,
    outcome: results::Outcome,
) -> results::Common {
    results::Common {
        model: results::ModelIdentity {
            name: model.name.clone(),
            file: model.source.name.clone(),
            hash: format!("fnv1a64:{:016x}", fnv1a(model.source.text.as_bytes())),
        },
        study: model.study_name.clone(),
        initial: None,
        program: results::Program { name: "poinsot".into(), version: env!("CARGO_PKG_VERSION").into() },
        outcome,
        counts: counts(model, system, start),
        redundancy: redundancy(model, system, start),
        start: Some(start_summary(start)),
        flexible: vec![],
        expectations: vec![],
        files: vec![],
        missing: vec![],
    }
}

/// The outcome of a study that succeeded.
pub fn completed() -> results::Outcome {
    results::Outcome { status: results::Status::Completed, message: String::new(), remedy: String::new() }
}

/// Mobility by rank and by counting, redundant rows and the distance to a singular position.
pub fn redundancy(model: &Model, system: &System, start: &StartReport) -> Option<results::RedundancyReport> {
    if system.constraints().is_empty() {
        return None;
    }
    let rows: usize = system.constraints().iter().map(|c| c.law.rows()).sum::<usize>() - start.void;
    // The places of contacts on curves and surfaces, each determined by a row.
    let parameters = system.nodes().iter().filter(|node| matches!(node.chart, Chart::Parameter)).count();
    let lambda = if model.plane.is_some() { 3 } else { 6 };
    // The rule counts rigid bodies.
    let counts = model.beams.is_empty() && !model.bodies.iter().any(|b| b.is_point());
    // Slopes are nodes without a body, too; with them the rule does not count.
    let count = || {
        let taken = rows.saturating_sub(parameters) as u64;
        results::GrueblerCount::of(lambda, model.bodies.len() as u64, taken)
    };
    let rank = system.active_rows();
    Some(results::RedundancyReport {
        coordinates: system.coordinates() as u64,
        rows: rows as u64,
        rank: rank as u64,
        mobility: system.coordinates().saturating_sub(rank) as u64,
        gruebler: counts.then(count),
        redundant: start
            .redundant
            .iter()
            .map(|r| results::RedundantRow { row: r.row.clone(), depends_on: r.depends_on.clone() })
            .collect(),
        singularity: start.distance.as_ref().map(|(relative, weakest_row)| results::SingularityDistance {
            relative: *relative,
            weakest_row: weakest_row.clone(),
        }),
    })
}

/// The signals at one state as a table of one row, and the values of the expectations.
pub fn snapshot(
    prepared: &Prepared,
    state: &State,
    a: &[f64],
    found: &Answers,
) -> Result<(results::SignalTable, Vec<Option<f64>>), results::RecordError> {
    let Prepared { model, system, assembly, .. } = prepared;
    let a = reported_reactions(system, state, a).unwrap_or_else(|_| a.to_vec());
    let at = poinsot_integrators::instant(state, &a);
    let balance = system.balance(&at, &mut Scratch::default());
    let view = View { model, assembly, system, at, balance: &balance, results: Some(found) };
    let mut probe = Probe::default();
    let signals = probe.signals(&view);
    let named = if model.signals.is_empty() { vec![] } else { columns(model) };
    let mut table = results::SignalTable::new([named, shape_columns(model)].concat())?;
    let row = [signals.as_slice(), &probe.beam_shapes(&view)].concat();
    table.push_with_gaps(state.t, &row, 0..signals.len())?;
    let value = |expect: &poinsot_model::spec::ExpectSpec| {
        let value = probe.formula(&expect.formula, &view, &signals);
        value.is_finite().then_some(value)
    };
    Ok((table, model.expects.iter().map(value).collect()))
}

/// Whether something that moves is a node of a beam or plate: part of a thing, not a body.
pub fn is_beam_node(body: &BodySpec) -> bool {
    use BodyKind::{BeamNode, CableNode, FloatingFrame, Interface, PlateNode};
    matches!(body.kind, BeamNode(_) | CableNode(_) | FloatingFrame(_) | Interface(_) | PlateNode(_))
}

/// How many bodies, joints, equations and freedoms there are.
pub fn counts(model: &Model, system: &System, start: &StartReport) -> results::Counts {
    let (coordinates, constraints) = (system.coordinates() as u64, system.active_rows() as u64);
    let added_forces = model.additions.iter().filter(|added| added.is_force()).count();
    let added_joints = model.additions.len() - added_forces;
    let parts = model.bodies.iter().filter(|body| is_beam_node(body)).count();
    let plate_nodes: usize = model.plates.iter().map(|plate| plate.nodes.len()).sum();
    results::Counts {
        bodies: (model.bodies.len() - parts) as u64,
        beams: model.beams.len() as u64,
        beam_nodes: (parts - plate_nodes) as u64,
        plates: model.plates.len() as u64,
        plate_nodes: plate_nodes as u64,
        joints: (model.joints.len() + added_joints) as u64,
        forces: (model.forces.len() + added_forces) as u64,
        coordinates,
        constraints,
        redundant: start.redundant.iter().map(|r| r.row.clone()).collect(),
        degrees_of_freedom: coordinates.saturating_sub(constraints),
        variables: model.equations.iter().map(|block| block.variables.len() as u64).sum(),
    }
}

/// What the consistent start changed, in words.
pub fn start_summary(start: &StartReport) -> results::Start {
    let mut messages = vec![];
    let mut say = |(value, body): &(f64, String), what: &str, unit: &str, floor: f64| {
        if *value > floor {
            messages.push(format!("{what} `{body}` by {value:.3e} {unit}"));
        }
    };
    say(&start.moved, "assembly moved", "m", 1e-9);
    say(&start.turned, "assembly turned", "rad", 1e-9);
    say(&start.velocity_change, "projection changed the velocity of", "m/s", 1e-9);
    say(&start.spin_change, "projection changed the angular velocity of", "rad/s", 1e-9);
    for change in &start.variables {
        let (from, to) = apart(change.from, change.to);
        messages.push(format!("equations changed `{}` from {from} to {to}", change.name));
    }
    results::Start {
        position_correction: start.moved.0,
        velocity_correction: start.velocity_change.0,
        asked: asked(&start.values),
        messages,
    }
}

/// What joints were asked to start with, beside what was modelled; a line for each joint.
fn asked(values: &[ReachedValue]) -> Vec<String> {
    let numbers = |list: &[f64]| {
        let all: Vec<String> = list.iter().map(|x| results::short(*x, 6)).collect();
        if let [one] = all.as_slice() { one.clone() } else { format!("[{}]", all.join(", ")) }
    };
    let of_joint = |values: &[ReachedValue]| {
        let each = values.iter().map(|ReachedValue { word, modelled, asked, .. }| {
            format!("{word} {} (modelled {})", numbers(asked), numbers(modelled))
        });
        format!("`{}` starts as asked: {}", values[0].joint, each.collect::<Vec<_>>().join(", "))
    };
    values.chunk_by(|a, b| a.joint == b.joint).map(of_joint).collect()
}

/// Two different numbers with nine digits, or as many as it takes to tell them apart.
fn apart(a: f64, b: f64) -> (String, String) {
    let text = |digits: usize| (results::short(a, digits), results::short(b, digits));
    (9..17).map(text).find(|(a, b)| a != b).unwrap_or_else(|| text(17))
}

/// What was expected of the model, beside what was measured.
pub fn expectations(model: &Model, measured: &[Option<f64>], end: f64) -> Vec<results::Expectation> {
    model
        .expects
        .iter()
        .zip(measured)
        .map(|(expect, measured)| {
            results::Expectation {
                signal: expect.formula.text.clone(),
                unit: unit(model, &expect.formula),
                at: expect.at.unwrap_or(end),
                expected: expect.value,
                measured: None,
                tolerance: expect.tolerance.bound(expect.value),
                error: None,
                source: expect.source.clone().unwrap_or_default(),
                passed: false,
            }
            .judge(*measured)
        })
        .collect()
}

/// The unit of a formula that is a single quantity or signal.
fn unit(model: &Model, formula: &Formula) -> String {
    use poinsot_model::Quantity;
    match formula.quantities[..] {
        [Quantity::Signal(index)] => model.signals[index].unit.clone().unwrap_or_default(),
        [quantity] => quantity.unit(model).unwrap_or_default().into(),
        _ => String::new(),
    }
}
