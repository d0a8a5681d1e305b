//! From the table of a motion study to its request: times, integrator, steps and tolerances.

use super::table::{Family, FamilyTable, IntegratorTable, MotionTable, ToleranceKey, ToleranceTable};
use poinsot_integrators::{Member, Tolerance};
use poinsot_model::spec::{
    BodyRef, Form, IntegratorError, IntegratorKey, IntegratorName, IntegratorRequest, IntegratorSpec, Kinks,
    MotionSpec, PaceSpec, ToleranceOf, ToleranceSpec, is_conserving,
};
use poinsot_model::study::{Number, StudyContext, Text, transpose};
use poinsot_model::{Diagnostic, Span};

/// Evaluates and checks the table.
pub fn resolve(table: &MotionTable, context: &mut StudyContext) -> Option<MotionSpec> {
    check_equations(table, context);
    let times = context.times([&table.start, &table.end], table.step.as_ref());
    let output_step = table.output_step.as_ref().map(|n| context.positive(n, "the output step"));
    let integrator = integrator(context, table);
    let tolerance = local_tolerance(context, table, integrator.as_ref());
    let tolerances = tolerances(context, table, tolerance.flatten());
    let (start, end, step) = times?;
    let pace = pace(context, table, step, integrator.as_ref());
    let mut motion = MotionSpec {
        start,
        end,
        integrator: integrator?,
        pace: pace?,
        tolerance: tolerance?,
        tolerances: tolerances?,
        kinks: table.kinks.value,
        output_step: transpose(output_step)?,
        stops: vec![],
        max_steps: None,
        span: table.span.clone(),
    };
    motion.settle_order(context.has_beams());
    Some(motion)
}

/// Structure-preserving steps know mechanics only.
fn check_equations(table: &MotionTable, context: &mut StudyContext) {
    let Some(block) = context.equations().map(|block| block.span.clone()) else { return };
    let Some(IntegratorTable::Name(name)) = &table.integrator else { return };
    if !is_conserving(&name.value) {
        return;
    }
    context.report(
        Diagnostic::error(format!("the integrator {:?} does not know [[equations]]", name.value))
            .at(name.span.clone(), "for mechanics only")
            .and(block, "these equations")
            .help("choose another, for example generalized-alpha or radau"),
    );
}

fn integrator(context: &mut StudyContext, table: &MotionTable) -> Option<IntegratorSpec> {
    let rho = transpose(table.rho.as_ref().map(|number| rho(context, number)));
    let tolerance = match &table.tolerance {
        Some(ToleranceKey::Newton(number)) => context.positive(number, "the tolerance").map(Some),
        _ => Some(None),
    };
    let (name, place) = match &table.integrator {
        None => (IntegratorName::Name(default_integrator(context, table)), table.span.clone()),
        Some(IntegratorTable::Name(Text { value, span, .. })) => (IntegratorName::Name(value), span.clone()),
        Some(IntegratorTable::Family(roots)) => {
            (IntegratorName::Member(family(context, roots, table.rho.as_ref())?), roots.span.clone())
        }
    };
    let [penalty, constraint_tolerance, dissipation] =
        [&table.penalty, &table.constraint_tolerance, &table.dissipation]
            .map(|key| transpose(key.as_ref().map(|number| context.number(number))));
    let form = form(context, table);
    let by_roots = matches!(name, IntegratorName::Member(_));
    let request = IntegratorRequest {
        name,
        rho: rho?.filter(|_| !by_roots),
        stages: table.stages.as_ref().map(|stages| stages.value.0),
        form: form?,
        tolerance: tolerance?,
        order: table.order.as_ref().map(|order| order.value.0),
        project: table.project.as_ref().map(|project| project.value),
        forces: table.forces.as_ref().map(|forces| forces.value),
        coordinates: table.coordinates.as_ref().map(|coordinates| coordinates.value),
        penalty: penalty?,
        constraint_tolerance: constraint_tolerance?,
        dissipation: dissipation?,
        points: table.points.as_ref().map(|points| points.value.0),
    };
    match request.resolve() {
        Ok((spec, unused)) => {
            for key in unused {
                let message = match key {
                    IntegratorKey::Rho => {
                        format!("the integrator {:?} has no parameter `rho`", spec.name)
                    }
                    key => format!("the integrator {:?} does not use `{}`", spec.name, key.word()),
                };
                let span = key_span(table, key).unwrap_or_else(|| place.clone());
                context.report(Diagnostic::warning(message).at(span, "not used"));
            }
            Some(IntegratorSpec { by_default: table.integrator.is_none(), ..spec })
        }
        Err(IntegratorError { key, message, help }) => {
            let label = match key {
                IntegratorKey::Name => "not an integrator",
                IntegratorKey::Rho => "outside its range",
                IntegratorKey::Order => "not an order of it",
                IntegratorKey::Project => "not possible here",
                IntegratorKey::Forces => "not with this integrator",
                IntegratorKey::Form => "not a form of this integrator",
                IntegratorKey::Penalty
                | IntegratorKey::ConstraintTolerance
                | IntegratorKey::Dissipation
                | IntegratorKey::Points => "outside its range",
                IntegratorKey::Stages | IntegratorKey::Tolerance | IntegratorKey::Coordinates => {
                    "not possible"
                }
            };
            let span = key_span(table, key).unwrap_or(place);
            context.report(Diagnostic::error(message).at(span, label).maybe_help(help));
            None
        }
    }
}

/// The integrator where none is named. First-order equations may be stiff and algebraic, which a method
/// wants that damps the fastest of them and keeps its order in algebraic unknowns: Radau. Keys that only
/// the generalized-α method has ask for this one.
fn default_integrator(context: &mut StudyContext, table: &MotionTable) -> &'static str {
    let newton = matches!(table.tolerance, Some(ToleranceKey::Newton(_)));
    let form = table.form.as_ref().or(table.constraints.as_ref()).map(|form| form.value);
    let known = [Form::Stabilised, Form::Position, Form::Velocity, Form::Acceleration];
    let suits = form.is_none_or(|form| known.contains(&form));
    match !context.has_variables() || table.rho.is_some() || newton || !suits {
        true => "generalized-alpha",
        false => "radau",
    }
}

/// `form`, or `constraints`, which is another word for it.
fn form(context: &mut StudyContext, table: &MotionTable) -> Option<Option<Form>> {
    if let (Some(form), Some(constraints)) = (&table.form, &table.constraints) {
        context.report(
            Diagnostic::error("`form` and `constraints` are two words for one thing")
                .at(constraints.span.clone(), "a second time")
                .and(form.span.clone(), "said here")
                .help("give one of them"),
        );
        return None;
    }
    Some(table.form.as_ref().or(table.constraints.as_ref()).map(|form| form.value))
}

fn rho(context: &mut StudyContext, number: &Number) -> Option<f64> {
    let value = context.number(number)?;
    let inside = (0.0..=1.0).contains(&value);
    if !inside {
        context.report(
            Diagnostic::error(format!("`rho` must lie between 0 and 1, but is {value}"))
                .at(number.span(), "not in [0, 1]"),
        );
    }
    inside.then_some(value)
}

/// 0 ≤ ρs ≤ ρmin ≤ ρmax ≤ 1
fn family(context: &mut StudyContext, table: &FamilyTable, rho: Option<&Number>) -> Option<Member> {
    if let Some(rho) = rho {
        context.report(
            Diagnostic::warning("`rho` is not used: the roots say all")
                .at(rho.span(), "not used")
                .and(table.roots.span.clone(), "the roots"),
        );
    }
    let roots = context.numbers(&table.roots.value)?;
    let [rho_min, rho_max, rho_spurious] = roots;
    for (value, number) in roots.iter().zip(&table.roots.value) {
        let inside = (0.0..=1.0).contains(value);
        context.demand(*value, inside, number.span(), "a root", "between 0 and 1")?;
    }
    if !(rho_spurious <= rho_min && rho_min <= rho_max) {
        context.report(
            Diagnostic::error(format!(
                "the roots [rmin, rmax, rs] = [{rho_min}, {rho_max}, {rho_spurious}] are out of order"
            ))
            .at(table.roots.span.clone(), "must satisfy rs ≤ rmin ≤ rmax"),
        );
        return None;
    }
    Some(match table.family.value {
        Family::U0 => Member::u0(rho_min, rho_max, rho_spurious),
        Family::V0 => Member::v0(rho_min, rho_max, rho_spurious),
    })
}

/// Fixed steps where a step is given, else adaptive ones by an integrator that can.
fn pace(
    context: &mut StudyContext,
    table: &MotionTable,
    step: Option<f64>,
    integrator: Option<&IntegratorSpec>,
) -> Option<PaceSpec> {
    let [first, longest] = [(&table.first_step, "the first step"), (&table.longest_step, "the longest step")]
        .map(|(key, subject)| transpose(key.as_ref().map(|number| context.positive(number, subject))));
    if let Some(step) = step {
        for (key, word) in [(&table.first_step, "first_step"), (&table.longest_step, "longest_step")] {
            if let Some(number) = key {
                not_used_with_step(context, word, number.span());
            }
        }
        if table.kinks.value == Kinks::Ignore {
            not_used_with_step(context, "kinks", table.kinks.span.clone());
        }
        return Some(PaceSpec::Fixed { step });
    }
    let integrator = integrator?;
    if !integrator.estimates_errors() {
        let name = integrator.name;
        context.report(
            Diagnostic::error("missing key `step` in [study]")
                .at(table.span.clone(), format!("the integrator {name:?} needs `step`"))
                .help(
                    "give `step`, s; without it integrator = \"radau\" chooses its steps by the tolerances",
                ),
        );
        return None;
    }
    Some(PaceSpec::Adaptive { first: first?, longest: longest? })
}

fn not_used_with_step(context: &mut StudyContext, word: &str, span: Span) {
    context.report(
        Diagnostic::warning(format!("`{word}` is not used: the steps are fixed"))
            .at(span, "not used")
            .help("remove `step`, and the study chooses the steps by the tolerances"),
    );
}

/// The tolerance of the local error, if any part of it was given.
fn local_tolerance(
    context: &mut StudyContext,
    table: &MotionTable,
    integrator: Option<&IntegratorSpec>,
) -> Option<Option<Tolerance>> {
    let relative = table.relative_tolerance.as_ref().map(|n| context.positive(n, "the relative tolerance"));
    let absolute = table.absolute_tolerance.as_ref().map(|n| context.positive(n, "the absolute tolerance"));
    let uses = table.step.is_none() || integrator.is_none_or(|i| i.has_tolerance());
    if !uses {
        let keys = [
            (&table.relative_tolerance, "relative_tolerance"),
            (&table.absolute_tolerance, "absolute_tolerance"),
        ];
        for (key, word) in keys {
            if let Some(number) = key {
                not_used_with_step(context, word, number.span());
            }
        }
    }
    let (relative, absolute) = (transpose(relative)?, transpose(absolute)?);
    let default = Tolerance::default();
    Some(match (relative, absolute) {
        (None, None) => None,
        (Some(relative), absolute) => Some(Tolerance { relative, absolute: absolute.unwrap_or(relative) }),
        (None, Some(absolute)) => Some(Tolerance { absolute, ..default }),
    })
}

/// Tolerances of single bodies; what one leaves out is that of the study.
fn tolerances(
    context: &mut StudyContext,
    table: &MotionTable,
    all: Option<Tolerance>,
) -> Option<Vec<ToleranceSpec>> {
    let Some(ToleranceKey::Parts(parts)) = &table.tolerance else { return Some(vec![]) };
    if table.step.is_some()
        && let Some(part) = parts.first()
    {
        not_used_with_step(context, "[[study.tolerance]]", part.span.clone());
    }
    let all = all.unwrap_or_default();
    let read: Vec<_> = parts.iter().map(|part| tolerance_of(context, part, all)).collect();
    read.into_iter().collect()
}

fn tolerance_of(context: &mut StudyContext, part: &ToleranceTable, all: Tolerance) -> Option<ToleranceSpec> {
    let relative = part.relative.as_ref().map(|n| context.positive(n, "the relative tolerance"));
    let absolute = part.absolute.as_ref().map(|n| context.positive(n, "the absolute tolerance"));
    let body = context.body(&part.of);
    if relative.is_none() && absolute.is_none() {
        context.report(
            Diagnostic::error("a tolerance without a number")
                .at(part.span.clone(), "says nothing")
                .help("give `relative` or `absolute` or both"),
        );
        return None;
    }
    let tolerance = Tolerance {
        relative: transpose(relative)?.unwrap_or(all.relative),
        absolute: transpose(absolute)?.unwrap_or(all.absolute),
    };
    let BodyRef::Body(index) = body? else {
        context.report(
            Diagnostic::error("the ground does not move: it has no tolerance")
                .at(part.of.span.clone(), "the ground"),
        );
        return None;
    };
    Some(ToleranceSpec { of: ToleranceOf::Body(index), tolerance })
}

/// Where a part of the request stands.
fn key_span(table: &MotionTable, key: IntegratorKey) -> Option<Span> {
    match key {
        IntegratorKey::Name => None,
        IntegratorKey::Rho => table.rho.as_ref().map(Number::span),
        IntegratorKey::Stages => table.stages.as_ref().map(|stages| stages.span.clone()),
        IntegratorKey::Form => {
            table.form.as_ref().or(table.constraints.as_ref()).map(|form| form.span.clone())
        }
        IntegratorKey::Tolerance => match &table.tolerance {
            Some(ToleranceKey::Newton(number)) => Some(number.span()),
            _ => None,
        },
        IntegratorKey::Order => table.order.as_ref().map(|order| order.span.clone()),
        IntegratorKey::Project => table.project.as_ref().map(|project| project.span.clone()),
        IntegratorKey::Forces => table.forces.as_ref().map(|forces| forces.span.clone()),
        IntegratorKey::Coordinates => table.coordinates.as_ref().map(|c| c.span.clone()),
        IntegratorKey::Penalty => table.penalty.as_ref().map(Number::span),
        IntegratorKey::ConstraintTolerance => table.constraint_tolerance.as_ref().map(Number::span),
        IntegratorKey::Dissipation => table.dissipation.as_ref().map(Number::span),
        IntegratorKey::Points => table.points.as_ref().map(|points| points.span.clone()),
    }
}
