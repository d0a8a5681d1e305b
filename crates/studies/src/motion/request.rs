//! From the table of a motion study to its request: times, integrator, steps and tolerances.

use super::table::{Family, FamilyTable, IntegratorTable, MotionTable, NEWTON, ToleranceKey, ToleranceTable};
use poinsot_integrators::{Given, Member, NAMED, SettingError, Tolerance, Value, families, find, owners};
use poinsot_model::spec::{BodyRef, IntegratorSpec, Kinks, MotionSpec, PaceSpec, ToleranceOf, ToleranceSpec};
use poinsot_model::study::{StudyContext, transpose};
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
    motion.settle(context.has_beams());
    Some(motion)
}

/// Structure-preserving steps know mechanics only.
fn check_equations(table: &MotionTable, context: &mut StudyContext) {
    let Some(block) = context.equations().map(|block| block.span.clone()) else { return };
    let Some(IntegratorTable::Name(name)) = &table.integrator else { return };
    if !find(&name.value).is_some_and(|entry| entry.mechanics_only()) {
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
    let given = given(context, table);
    let roots = match &table.integrator {
        Some(IntegratorTable::Family(roots)) => Some(family(context, roots)?),
        _ => None,
    };
    let given = given?;
    let (found, place) = match (&table.integrator, roots) {
        (Some(IntegratorTable::Name(name)), _) => {
            (IntegratorSpec::named(&name.value, &given), name.span.clone())
        }
        (Some(IntegratorTable::Family(table)), Some(member)) => {
            (IntegratorSpec::by_roots(member, &given), table.span.clone())
        }
        _ => (IntegratorSpec::named(default_integrator(context, &given), &given), table.span.clone()),
    };
    match found {
        Ok((spec, unused)) => {
            for key in unused {
                let message = format!("the integrator {:?} does not use `{key}`", spec.name);
                let span = key_span(table, key).unwrap_or_else(|| place.clone());
                context.report(Diagnostic::warning(message).at(span, "not used").help(use_of(&spec, key)));
            }
            Some(IntegratorSpec { by_default: table.integrator.is_none(), ..spec })
        }
        Err(SettingError { key, label, message, help }) => {
            let span = key_span(table, key).unwrap_or(place);
            context.report(Diagnostic::error(message).at(span, label).maybe_help(help));
            None
        }
    }
}

/// What a key is for that is of no use here.
fn use_of(spec: &IntegratorSpec, key: &str) -> String {
    match spec.entry().setting(key) {
        Some(setting) => format!("it is for the forms {}", setting.forms.join(", ")),
        None => format!("it is for {}", families(&owners(key))),
    }
}

/// What the table says of the settings of its integrator.
fn given(context: &mut StudyContext, table: &MotionTable) -> Option<Given> {
    let newton = match &table.tolerance {
        Some(ToleranceKey::Newton(number)) => context.number(number).map(Some),
        _ => Some(None),
    };
    let mut given = table.settings.given(context)?;
    if let Some(tolerance) = newton? {
        given.insert(NEWTON, Value::Number(tolerance));
    }
    Some(given)
}

/// The integrator where none is named. First-order equations may be stiff and algebraic, which a method
/// wants that damps the fastest of them and keeps its order in algebraic unknowns: Radau. What only the
/// generalized-α method has asks for this one.
fn default_integrator(context: &mut StudyContext, given: &Given) -> &'static str {
    let [usual, radau] = [NAMED[0].label.name, "radau"];
    let can = |name: &str, (key, value): (&'static str, Value)| {
        let setting = find(name).and_then(|entry| entry.setting(key));
        setting.is_some_and(|setting| match value {
            Value::Word(word) => setting.words().iter().any(|own| own.word == word),
            _ => true,
        })
    };
    let asks = given.iter().any(|one| !can(radau, one) && (can(usual, one) || one.0 == "form"));
    if !context.has_variables() || asks { usual } else { radau }
}

/// 0 ≤ ρs ≤ ρmin ≤ ρmax ≤ 1
fn family(context: &mut StudyContext, table: &FamilyTable) -> Option<Member> {
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

/// Where a setting stands.
fn key_span(table: &MotionTable, key: &str) -> Option<Span> {
    match &table.tolerance {
        Some(ToleranceKey::Newton(number)) if key == NEWTON => Some(number.span()),
        _ => table.settings.span(key),
    }
}
