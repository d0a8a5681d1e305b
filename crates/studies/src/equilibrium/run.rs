//! The equilibrium study.

use crate::equilibrium::results::answer;
use crate::equilibrium::{BodyPlacement, EquilibriumSpec, EquilibriumSummary, OutOfBalance, VariableValue};
use crate::failure::{Failure, StudyError};
use crate::flexible_audit::deformation_at;
use crate::scene::{FrameRecorder, scene};
use crate::small_motions::lasting;
use crate::stability;
use crate::study::{Prepared, Product};
use crate::summarize::{self, CONSTRAINT_LIMIT, is_beam_node};
use poinsot_analysis::{
    EigenvalueVerdict, Equilibrium, EquilibriumSettings, Nearness, Stability, VelocityForces, changing,
    largest_residual, nearest_equilibrium,
};
use poinsot_geometry::so3;
use poinsot_mechanics::GROUND;
use poinsot_model::spec::BodyRef;
use poinsot_results::{self as results, Artifact, Signals};
use std::time::Instant;

impl Failure for poinsot_analysis::EquilibriumError {}

/// The settings of a study.
pub fn settings(spec: &EquilibriumSpec) -> EquilibriumSettings {
    EquilibriumSettings {
        tolerance: spec.tolerance,
        iterations: spec.max_iterations,
        load_steps: spec.load_steps,
        ..EquilibriumSettings::default()
    }
}

/// Finds the equilibrium nearest to the start with the settings of a study.
pub fn solve(prepared: &Prepared, spec: &EquilibriumSpec) -> Result<(Equilibrium, Nearness), StudyError> {
    Ok(nearest_equilibrium(&prepared.system, &prepared.state, &settings(spec))?)
}

/// The place of the equilibrium at a time, for studies that judge by themselves.
pub fn place(prepared: &Prepared, time: f64) -> Result<Equilibrium, StudyError> {
    let settings = EquilibriumSettings { judge: false, ..settings(&EquilibriumSpec::at(time)) };
    Ok(nearest_equilibrium(&prepared.system, &prepared.state, &settings)?.0)
}

/// What is known of how near it is; nothing where the start is there.
pub fn nearness_words(nearness: &Nearness) -> String {
    let Nearness { distance, passed, starts } = nearness;
    let away =
        format!("{} from the start, in lengths, radians or nominal sizes", results::short(*distance, 4));
    let first = match passed {
        Some(first) => format!("; the one found first is {} off", results::short(*first, 4)),
        None => String::new(),
    };
    match starts {
        _ if nearness.is_there() => String::new(),
        0 => format!("{away}; not proven to be the nearest"),
        _ => format!("{away}; no nearer one from {starts} points around it{first}"),
    }
}

/// Runs the study.
pub fn run(prepared: Prepared, spec: &EquilibriumSpec) -> Result<Product, StudyError> {
    let clock = Instant::now();
    let (found, nearness) = solve(&prepared, spec)?;
    let wall_time_s = clock.elapsed().as_secs_f64();
    let stability = judged(&prepared, &found);
    let stable = found.verdict.stability == Stability::Stable;
    let stable = (stability.verdict != results::Verdict::None).then_some(stable);
    let answers = |result| answer(result, stable);
    let (table, measured) = summarize::snapshot(&prepared, &found.state, &found.a, &answers)?;
    let Prepared { model, system, assembly, start, set_up, .. } = &prepared;
    let mut common = summarize::common(model, system, start, summarize::completed());
    common.expectations = summarize::expectations(model, &measured, spec.time);
    common.flexible = deformation_at(model, system, assembly, &found.state);
    let (bodies, beam_nodes) = placements(&prepared, &found);
    let (eq, open) = largest_residual(system, &found.state);
    let summary = EquilibriumSummary {
        common,
        time: spec.time,
        method: found.method.into(),
        iterations: found.iterations as u64,
        load_steps: found.load_steps as u64,
        out_of_balance: Some(OutOfBalance {
            max: found.residual.0,
            unit: if model.has_variables() { "of its terms" } else { "of the largest force" }.into(),
            equation: found.residual.1.clone(),
            limit: Some(10.0 * spec.tolerance),
        }),
        constraint_residual: (system.active_rows() > 0).then(|| results::Residual {
            max: open,
            joint: system.equation_name(eq),
            time: spec.time,
            limit: Some(CONSTRAINT_LIMIT * system.length_scale()),
            wrong_above: None,
            remark: String::new(),
        }),
        stability: Some(stability),
        eigenvalues: eigenvalues(&found),
        bodies,
        beam_nodes,
        variables: variables(&prepared, &found),
        held: found.held.clone(),
        nearest: nearness_words(&nearness),
        wall_time_s,
        set_up_time_s: *set_up,
        warnings: vec![],
    };
    let scene = scene(model, system, assembly);
    let mut recorder = FrameRecorder::new(&scene);
    let rest = vec![0.0; system.size()];
    for (share, state, a) in [(0.0, &prepared.state, &rest), (1.0, &found.state, &found.a)] {
        recorder.record(model, system, assembly, &poinsot_integrators::instant(state, a), share);
    }
    let axis = results::AxisName { name: "way to rest".into(), unit: String::new(), signal: String::new() };
    let method = format!("Equilibrium by {}, {} iterations.", summary.method.words(), summary.iterations);
    let signals = Signals { axis, ..Signals::new(table) };
    let product =
        Product::new(Box::new(summary), method, signals).ending(vec![], prepared.named(&found.state));
    Ok(product.with(Artifact::Scene(scene, recorder.frames)))
}

/// The eigenvalues that the verdict rests on.
fn eigenvalues(found: &Equilibrium) -> Vec<results::Complex> {
    match &found.linear {
        Some(linear) => linear.values.iter().map(|v| results::Complex::new(v.re, v.im)).collect(),
        None => found.lowest.iter().map(|&square| eigenvalue(square)).collect(),
    }
}

/// The variables of equations at the equilibrium.
fn variables(prepared: &Prepared, found: &Equilibrium) -> Vec<VariableValue> {
    let Prepared { model, system, assembly, .. } = prepared;
    let of = |(k, block): (usize, &poinsot_model::spec::EquationsSpec)| {
        let value = |j: usize| VariableValue {
            name: block.variable_name(j),
            value: found.state.v[assembly.variable(system, k, j)],
            unit: block.variables[j].unit.clone().unwrap_or_default(),
        };
        (0..block.variables.len()).map(value).collect::<Vec<_>>()
    };
    model.equations.iter().enumerate().flat_map(of).collect()
}

/// The verdict in words, unless the system changes with time.
pub fn judged(prepared: &Prepared, found: &Equilibrium) -> results::Stability {
    let changing = changing(&prepared.system, &found.state, &found.a, GROUND);
    lasting(stability(found), changing.as_ref(), (&prepared.system, &found.state))
}

/// The verdict of one instant in words.
fn stability(found: &Equilibrium) -> results::Stability {
    if let Some(linear) = &found.linear {
        return stability::linear_stability(linear);
    }
    if let Some(reason) = &found.unjudged {
        return results::Stability { verdict: results::Verdict::Neutral, reason: reason.clone() };
    }
    if let Some((verdict, forces)) = found.by_modes {
        let mut stability = stability::stability(verdict, &[]);
        let grows = verdict == EigenvalueVerdict::Unstable;
        stability.reason = match (forces, grows) {
            (VelocityForces::Gyroscopic, true) => "gyroscopic forces do not hold what the stiffness does not",
            (VelocityForces::Gyroscopic, false) => {
                "gyroscopic forces hold what the stiffness does not: no mode grows, but damping may make one"
            }
            (VelocityForces::Laws, true) => "a mode grows, laws of velocities counted",
            (VelocityForces::Laws, false) => "no mode grows, laws of velocities counted",
        }
        .into();
        return stability;
    }
    let v = &found.verdict;
    let at_least = if v.complete { "" } else { "at least " };
    let directions = |n: usize| match n {
        1 => format!("{at_least}1 direction"),
        n => format!("{at_least}{n} directions"),
    };
    let (verdict, reason) = match v.stability {
        Stability::Stable => {
            let which = if v.complete { "every direction" } else { "the softest direction" };
            (results::Verdict::Stable, format!("{which} that the joints allow is stiff"))
        }
        Stability::Neutral => {
            (results::Verdict::Neutral, format!("{} without stiffness", directions(v.zero)))
        }
        Stability::Unstable => {
            let reason =
                format!("{} that diverge, {} that flutter", directions(v.negative), directions(v.flutter));
            (results::Verdict::Unstable, reason)
        }
    };
    results::Stability { verdict, reason }
}

/// λ of ω²: on the imaginary axis if positive, else growing.
fn eigenvalue(square: f64) -> results::Complex {
    if square >= 0.0 {
        results::Complex::new(0.0, square.sqrt())
    } else {
        results::Complex::new((-square).sqrt(), 0.0)
    }
}

/// Where bodies and nodes of beams stand, and how they came there from the start.
fn placements(prepared: &Prepared, found: &Equilibrium) -> (Vec<BodyPlacement>, Vec<BodyPlacement>) {
    let Prepared { model, assembly, state, .. } = prepared;
    let start = poinsot_integrators::instant(state, &found.a);
    let end = poinsot_integrators::instant(&found.state, &found.a);
    let place = |k: usize| {
        let (position, node) = (assembly.position(BodyRef::Body(k), &end), assembly.nodes[k]);
        let [before, after] = [&start, &end].map(|at| at.frames[node].rot);
        BodyPlacement {
            name: model.bodies[k].name.clone(),
            position: position.into(),
            rotation_vector: so3::log(&after).into(),
            displacement: (position - assembly.position(BodyRef::Body(k), &start)).into(),
            turned: so3::log(&(before.transpose() * after)).norm(),
        }
    };
    let (nodes, bodies): (Vec<usize>, Vec<usize>) =
        (0..model.bodies.len()).partition(|&k| is_beam_node(&model.bodies[k]));
    (bodies.into_iter().map(place).collect(), nodes.into_iter().map(place).collect())
}
