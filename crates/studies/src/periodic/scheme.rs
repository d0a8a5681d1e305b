//! The steps that a periodic motion is made of, as they are asked for.

use super::table::{PeriodicTable, Points, Scheme};
use poinsot_analysis::{PeriodicScheme, Spectral};
use poinsot_integrators::{CollocationPoints, MAX_COLLOCATION_POINTS, MAX_ELEMENT_DEGREE, Tolerance};
use poinsot_model::Diagnostic;
use poinsot_model::spec::IntegratorSpec;
use poinsot_model::study::{Count, Located, StudyContext};

/// Newton's iterations of steps leave no more than this, relative.
const EXACT: f64 = 1e-13;
/// Steps in an element where their number is not given.
const STEPS: usize = 4;
/// Points of collocation where their number is not given, and where tolerances are fine.
const STAGES: [usize; 2] = [3, 4];
/// Tolerances from here on are fine: fewer elements of a higher order are cheaper there.
const FINE: f64 = 1e-7;
/// Most harmonics.
const MOST_HARMONICS: usize = 500;
/// Times of harmonic balance beside those that the harmonics need.
const OVERSAMPLING: f64 = 2.0;
/// Degree of time elements where it is not given.
const DEGREE: usize = 2;

/// The steps.
#[derive(Clone, Debug, PartialEq)]
pub enum SchemeSpec {
    /// Of an integrator, so many in an element.
    Shooting {
        /// The integrator.
        integrator: IntegratorSpec,
        /// Steps.
        steps: usize,
    },
    /// Discontinuous time elements of a degree.
    Discontinuous {
        /// Degree.
        degree: usize,
    },
    /// Continuous Galerkin elements of degree one.
    Continuous,
    /// Collocation at so many points of an element.
    Collocation {
        /// Points.
        points: usize,
        /// Where they are.
        at: Points,
    },
    /// Harmonics.
    Spectral(Spectral),
}

impl SchemeSpec {
    /// As the analysis knows it.
    pub fn scheme(&self) -> PeriodicScheme {
        match self {
            SchemeSpec::Shooting { integrator, steps } => {
                let mut method = integrator.method;
                method.set_local_tolerance(Tolerance::both(EXACT), false);
                method.tighten(EXACT);
                PeriodicScheme::Shooting { method, steps: *steps }
            }
            SchemeSpec::Discontinuous { degree } => PeriodicScheme::Discontinuous { degree: *degree },
            SchemeSpec::Continuous => PeriodicScheme::Continuous,
            SchemeSpec::Collocation { points, at } => {
                let at = match at {
                    Points::Gauss => CollocationPoints::Gauss,
                    Points::Radau => CollocationPoints::Radau,
                };
                PeriodicScheme::Collocation { points: *points, at }
            }
            SchemeSpec::Spectral(spectral) => PeriodicScheme::Spectral(*spectral),
        }
    }

    /// In words.
    pub fn words(&self) -> String {
        match self {
            SchemeSpec::Shooting { integrator, steps } => {
                format!("shooting with {}, {steps} steps in an element", integrator.name)
            }
            SchemeSpec::Discontinuous { degree } => format!("discontinuous time elements of degree {degree}"),
            SchemeSpec::Continuous => "continuous time elements of degree 1".into(),
            SchemeSpec::Collocation { points, at } => {
                let of = match at {
                    Points::Gauss => "Gauss",
                    Points::Radau => "Radau",
                };
                match points {
                    1 => format!("collocation at 1 {of} point of an element"),
                    points => format!("collocation at {points} {of} points of an element"),
                }
            }
            SchemeSpec::Spectral(Spectral { oversampling: None, .. }) => "Fourier collocation".into(),
            SchemeSpec::Spectral(Spectral { oversampling: Some(_), .. }) => "harmonic balance".into(),
        }
    }
}

/// Evaluates and checks what a table says of the steps.
pub fn resolve(
    table: &PeriodicTable,
    integrator: &IntegratorSpec,
    tolerance: Option<f64>,
    context: &mut StudyContext,
) -> Option<SchemeSpec> {
    let scheme = table.scheme.value;
    let word = scheme.word();
    let own: &[&str] = match scheme {
        Scheme::Shooting => &["steps"],
        Scheme::Discontinuous => &["degree"],
        Scheme::Continuous => &["elements"],
        Scheme::Collocation => &["stages", "points"],
        Scheme::Fourier => &["harmonics"],
        Scheme::Balance => &["harmonics", "oversampling"],
    };
    let is_spectral = matches!(scheme, Scheme::Fourier | Scheme::Balance);
    if let (Some(number), false) = (&table.oversampling, scheme == Scheme::Balance) {
        let message = format!("`oversampling` is not used by the scheme {word:?}");
        context.report(Diagnostic::warning(message).at(number.span(), "only \"harmonic_balance\" takes it"));
    }
    if let (Some(points), false) = (&table.points, scheme == Scheme::Collocation) {
        let message = format!("`points` is not used by the scheme {word:?}");
        let label = "only \"collocation\" takes it";
        context.report(Diagnostic::warning(message).at(points.span.clone(), label));
    }
    if let (Some(elements), true) = (&table.elements, is_spectral) {
        let message = format!("the scheme {word:?} has no elements");
        let help = "give `harmonics`, or a `tolerance` from which they follow";
        context.report(Diagnostic::error(message).at(elements.span.clone(), "not known to it").help(help));
        return None;
    }
    for (list, key) in [(&table.hold, "hold"), (&table.advance, "advance")] {
        if let (Some((name, _)), true) = (list.as_ref().and_then(|names| names.list.first()), is_spectral) {
            let message = format!("the scheme {word:?} does not know `{key}`");
            let help = "take scheme = \"dg\" or \"shooting\"";
            context.report(Diagnostic::error(message).at(name.span.clone(), "not with harmonics").help(help));
            return None;
        }
    }
    if let (Some(number), true) = (&table.multiplier_tolerance, is_spectral) {
        let message = format!("`multiplier_tolerance` is not used by the scheme {word:?}");
        context.report(Diagnostic::warning(message).at(number.span(), "not used"));
    }
    for (key, given) in [
        ("steps", &table.steps),
        ("degree", &table.degree),
        ("stages", &table.stages),
        ("harmonics", &table.harmonics),
    ] {
        if let Some(count) = given
            && !own.contains(&key)
        {
            let message = format!("`{key}` is not used by the scheme {word:?}");
            let help = format!("{word:?} takes {}", own.join(" and "));
            context.report(Diagnostic::warning(message).at(count.span.clone(), "not used").help(help));
        }
    }
    match scheme {
        Scheme::Shooting => {
            let steps = table.steps.as_ref().map_or(STEPS, |steps| steps.value.0);
            Some(SchemeSpec::Shooting { integrator: integrator.clone(), steps })
        }
        Scheme::Discontinuous => {
            let degree = counted(&table.degree, DEGREE, 1..=MAX_ELEMENT_DEGREE, "degree", context)?;
            Some(SchemeSpec::Discontinuous { degree })
        }
        Scheme::Continuous if context.has_variables() => {
            let message = "continuous time elements do not know [[equations]]";
            let help = "take scheme = \"collocation\"";
            let place = table.scheme.span.clone();
            context.report(Diagnostic::error(message).at(place, "for mechanics only").help(help));
            None
        }
        Scheme::Continuous => Some(SchemeSpec::Continuous),
        Scheme::Collocation => {
            let usual = STAGES[usize::from(tolerance.is_some_and(|tolerance| tolerance <= FINE))];
            let points =
                counted(&table.stages, usual, 1..=MAX_COLLOCATION_POINTS, "number of points", context)?;
            let at = table.points.as_ref().map_or(Points::Gauss, |at| at.value);
            Some(SchemeSpec::Collocation { points, at })
        }
        Scheme::Fourier | Scheme::Balance => {
            let harmonics = match &table.harmonics {
                None => None,
                given => Some(counted(given, 0, 1..=MOST_HARMONICS, "number of harmonics", context)?),
            };
            let oversampling = match (&table.oversampling, scheme) {
                (_, Scheme::Fourier) => None,
                (None, _) => Some(OVERSAMPLING),
                (Some(number), _) => {
                    let factor = context.number(number)?;
                    let range = "between 1 and 8";
                    context.demand(
                        factor,
                        (1.0..=8.0).contains(&factor),
                        number.span(),
                        "`oversampling`",
                        range,
                    )?;
                    Some(factor)
                }
            };
            Some(SchemeSpec::Spectral(Spectral { harmonics, oversampling }))
        }
    }
}

/// A count in a range, or what it is where it is not given.
fn counted(
    given: &Option<Located<Count>>,
    usual: usize,
    range: std::ops::RangeInclusive<usize>,
    what: &str,
    context: &mut StudyContext,
) -> Option<usize> {
    let Some(count) = given else { return Some(usual) };
    if range.contains(&count.value.0) {
        return Some(count.value.0);
    }
    let message = format!("the {what} must be between {} and {}", range.start(), range.end());
    context.report(Diagnostic::error(message).at(count.span.clone(), "out of range"));
    None
}
