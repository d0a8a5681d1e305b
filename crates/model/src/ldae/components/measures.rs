//! Whether the dimensions of energies, efforts and parameters fit.

use super::super::keyword::Keyword;
use super::super::statement::Word;
use super::body::Definition;
use super::expand::{Defined, Expanded};
use super::formula::Formula;
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::units::{Dimensions, Measure, Unit, dimensions_of};
use poinsot_expr::Expr;
use std::cell::RefCell;
use std::collections::HashMap;

/// What is known of names.
struct Scope<'a> {
    variables: &'a HashMap<String, String>,
    definitions: HashMap<&'a str, &'a Defined>,
    /// Definitions whose dimensions are known; those that are looked for are anything meanwhile.
    found: RefCell<HashMap<String, Measure>>,
}

/// Checks the dimensions of a model whose variables have the given units; returns the units of definitions.
/// Time may be anything, so that `sin(t)` needs no factor.
pub(crate) fn check(
    expanded: &Expanded,
    study: &[(Word, Formula)],
    units: &HashMap<String, String>,
    diagnostics: &mut Diagnostics,
) -> Vec<(String, String)> {
    let definitions = expanded.definitions.iter().map(|defined| (defined.name.as_str(), defined)).collect();
    let scope = Scope { variables: units, definitions, found: RefCell::default() };
    for defined in &expanded.definitions {
        scope.check_definition(defined, diagnostics);
    }
    for (keyword, wanted) in [
        (Keyword::KineticCoEnergy, Some(Dimensions::ENERGY)),
        (Keyword::PotentialEnergy, Some(Dimensions::ENERGY)),
        (Keyword::DissipationFunction, Some(Dimensions::POWER)),
        (Keyword::DisplacementConstraints, None),
        (Keyword::FlowConstraints, None),
        (Keyword::EffortConstraints, None),
        (Keyword::DynamicConstraints, None),
    ] {
        for law in expanded.laws(keyword) {
            let what = format!("{} is", keyword.word());
            scope.demand(law, wanted, &what, diagnostics);
        }
    }
    for (word, value) in study {
        let wanted = match Keyword::from_word(&word.text) {
            Some(Keyword::InitialTime | Keyword::FinalTime | Keyword::InitialStepSize) => Dimensions::TIME,
            Some(Keyword::OutputPoints | Keyword::MaxSteps) => Dimensions::NONE,
            _ => continue,
        };
        scope.demand(value, Some(wanted), &format!("{} is", word.text), diagnostics);
    }
    for motion in &expanded.motions {
        // e^s δq is energy.
        let Measure::Known(displacement) = scope.measure(&motion.displacement) else { continue };
        if let Some(applied) = &motion.applied {
            let what = format!("the effort on `{}` is", motion.displacement);
            scope.demand(applied, Some(Dimensions::ENERGY.over(displacement)), &what, diagnostics);
        }
        for (start, name) in motion.start.iter().zip([&motion.displacement, &motion.flow]) {
            if let (Some(start), Measure::Known(wanted)) = (start, scope.measure(name)) {
                scope.demand(start, Some(wanted), &format!("the start of `{name}` is"), diagnostics);
            }
        }
    }
    let unit = |defined: &Defined| match scope.measure(&defined.name) {
        Measure::Known(dimensions) => Some((defined.name.clone(), dimensions.to_string())),
        Measure::Any => None,
    };
    expanded.definitions.iter().filter_map(unit).collect()
}

impl Scope<'_> {
    /// What is known of a name.
    fn measure(&self, name: &str) -> Measure {
        if let Some(unit) = self.variables.get(name) {
            return Unit::parse(unit).map_or(Measure::Any, |unit| Measure::Known(unit.dimensions));
        }
        if let Some(found) = self.found.borrow().get(name) {
            return *found;
        }
        match self.definitions.get(name) {
            Some(defined) => {
                self.found.borrow_mut().insert(name.to_owned(), Measure::Any);
                let measure = self.of_definition(defined);
                self.found.borrow_mut().insert(name.to_owned(), measure);
                measure
            }
            None if name == "pi" => Measure::Known(Dimensions::NONE),
            None => Measure::Any,
        }
    }

    /// A parameter has the dimensions of its default, a definition those of its value.
    fn of_definition(&self, defined: &Defined) -> Measure {
        let of = |formula: &Formula| self.of(formula).ok().flatten().unwrap_or(Measure::Any);
        let Definition::Formula(value) = &defined.value else { return Measure::Any };
        match defined.default.as_ref().map(of) {
            Some(Measure::Known(dimensions)) => Measure::Known(dimensions),
            _ => of(value),
        }
    }

    /// The dimensions of a formula; nothing if it cannot be read, which is reported elsewhere.
    fn of(&self, formula: &Formula) -> Result<Option<Measure>, (String, Span)> {
        let (text, quantities) = formula.measured();
        let Ok(expr) = Expr::parse(&text.text) else { return Ok(None) };
        let scope = |name: &str| match quantities.iter().find(|(quantity, _)| quantity == name) {
            Some((_, dimensions)) => Measure::Known(*dimensions),
            None => self.measure(name),
        };
        match dimensions_of(&expr, &scope) {
            Ok(measure) => Ok(Some(measure)),
            Err(error) => {
                // Numbers with units as they were written.
                let mut message = error.message;
                for ((name, _), written) in quantities.iter().zip(formula.quantities()) {
                    message = message.replace(name.as_str(), &written);
                }
                Err((message, text.origin(&error.span)))
            }
        }
    }

    fn demand(
        &self,
        formula: &Formula,
        wanted: Option<Dimensions>,
        what: &str,
        diagnostics: &mut Diagnostics,
    ) {
        match (self.of(formula), wanted) {
            (Err((message, span)), _) => {
                diagnostics.push(Diagnostic::error(message).at(span, "does not fit"));
            }
            (Ok(Some(Measure::Known(found))), Some(wanted)) if found != wanted => {
                let message = format!("{what} in {wanted}, but this is in {found}");
                diagnostics
                    .push(Diagnostic::error(message).at(formula.origin.clone(), format!("in {found}")));
            }
            _ => {}
        }
    }

    fn check_definition(&self, defined: &Defined, diagnostics: &mut Diagnostics) {
        let Definition::Formula(value) = &defined.value else { return };
        let wanted = match self.measure(&defined.name) {
            Measure::Known(dimensions) => Some(dimensions),
            Measure::Any => None,
        };
        self.demand(value, wanted, &format!("`{}` is", defined.name), diagnostics);
    }
}
