//! Components and networks: a model that uses them becomes one without.
//!
//! A component is a text in the language of energy models that says `Component = name;`, what it is connected
//! by (`Ports`) and between which of these its flows run (`Branches`). A model uses it by a statement `R1 =
//! resistor(in, out, R = 4.7 [kohm]);`, and its variables are then `R1.q` and `R1.i`. All statements are put
//! together into one text in the language without components and units, whose pieces know where they came
//! from.

mod body;
mod contents;
mod expand;
mod flat_text;
mod formula;
mod library;
mod measures;
mod node_effort;
mod sum;
mod topology;
mod wiring;

pub(crate) use flat_text::FlatText;
pub use library::{LIBRARY, LibraryComponent, library_reference};

use super::keyword::Keyword;
use super::statement::{Value, plain, statements};
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::input_file::InputFiles;
use body::{Body, Definition, NETWORK};
use expand::{Expanded, Single};
use flat_text::Origin;
use formula::Formula;
use library::Shelf;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use sum::Sum;
use wiring::Wiring;

/// A model without components and units.
#[derive(Debug, Default)]
pub(crate) struct Flat {
    pub text: FlatText,
    /// Units of variables and definitions.
    pub units: HashMap<String, String>,
    /// Variables whose start values nobody gave.
    pub free: HashSet<String>,
}

/// Whether a text uses components, networks or units.
fn needs_flattening(text: &str, shelf: &Shelf) -> bool {
    let text = plain(text);
    let list = statements(&text, false, &mut Diagnostics::default());
    let by_keyword = |name: &str| Keyword::from_word(name).is_some_and(|keyword| NETWORK.contains(&keyword));
    let call = |value: &Value| {
        let Value::Scalar(span) = value else { return false };
        let Some((name, rest)) = text[span.clone()].split_once('(') else { return false };
        let named =
            rest.replace("==", "").replace("<=", "").replace(">=", "").replace("!=", "").contains('=');
        shelf.has(name.trim()) || (named && poinsot_expr::is_name(name.trim()))
    };
    list.iter()
        .any(|s| by_keyword(&s.name.text) || call(&s.value) || formula::has_units(&text[s.value.span()]))
}

/// The model without components and units; `Ok(None)` if it has none, an error after reporting mistakes.
/// Components are looked for in a directory before the library.
pub(crate) fn flatten(
    text: &str,
    directory: Option<&Path>,
    files: &Arc<InputFiles>,
    diagnostics: &mut Diagnostics,
) -> Result<Option<Flat>, Failed> {
    let mut shelf = Shelf::new(directory, files);
    if !needs_flattening(text, &shelf) {
        return Ok(None);
    }
    let body = Body::read(text, &|name| shelf.has(name), diagnostics);
    if let Some(word) = &body.component {
        diagnostics.push(
            Diagnostic::error(format!("`{}` is a component: a model uses it", word.text))
                .at(word.span.clone(), "not a model")
                .help(format!("for example `X1 = {}(...);` in a model beside this file", word.text)),
        );
    } else if let Some(port) = body.ports.first() {
        let message = "only a component has ports";
        diagnostics.push(Diagnostic::error(message).at(port.name.span.clone(), "in a model"));
    }
    contents::lengths(&body, diagnostics);
    if diagnostics.has_errors() {
        return Err(Failed);
    }
    let expanded = expand::expand(&body, &mut shelf, diagnostics).ok_or(Failed)?;
    let wiring = wiring::wire(&expanded, body.independent.is_some(), diagnostics);
    topology::check_readings(&expanded, diagnostics);
    let mut units = units(&expanded, &wiring);
    let of_definitions = measures::check(&expanded, &body.others, &units, diagnostics);
    units.extend(of_definitions);
    if diagnostics.has_errors() {
        return Err(Failed);
    }
    let both = |unknown: &wiring::UnknownMotion| {
        [(unknown.displacement.clone(), unknown.chosen[0]), (unknown.flow.clone(), unknown.chosen[1])]
    };
    let names = wiring.unknowns.iter().flat_map(both);
    let free = names.filter(|(_, chosen)| !chosen).map(|(name, _)| name).collect();
    Ok(Some(Flat { text: write(&body, &expanded, &wiring), units, free }))
}

/// A mistake was reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failed;

/// Units of variables: those of the discipline, or as they are written.
fn units(expanded: &Expanded, wiring: &Wiring) -> HashMap<String, String> {
    let mut units: HashMap<String, String> = wiring.units.iter().cloned().collect();
    let mut written = |name: &str, unit: &Option<crate::units::Unit>| {
        if let Some(unit) = unit {
            units.insert(name.to_owned(), unit.dimensions.to_string());
        }
    };
    for motion in &expanded.motions {
        written(&motion.displacement, &motion.units[0]);
        written(&motion.flow, &motion.units[1]);
    }
    for single in expanded.dynamics.iter().chain(&expanded.efforts) {
        written(&single.name, &single.unit);
    }
    units
}

/// Writes statements.
struct Writer {
    out: FlatText,
    /// Place of what has none.
    span: Span,
}

/// A part of a vector.
type Item<'a> = Box<dyn Fn(&mut FlatText) + 'a>;

impl Writer {
    fn made(&mut self, text: &str, span: &Span) {
        self.out.push(text, Origin::Of(span.clone()));
    }

    /// `name = [a, b];`, nothing if it is empty.
    fn vector(&mut self, keyword: Keyword, items: &[Item]) {
        if items.is_empty() {
            return;
        }
        let span = self.span.clone();
        self.made(&format!("{} = [", keyword.word()), &span);
        for (k, item) in items.iter().enumerate() {
            self.made(if k == 0 { "" } else { ",\n  " }, &span);
            item(&mut self.out);
        }
        self.made("];\n", &span);
    }

    /// `name = (a) + (b);`, nothing if it is empty.
    fn sum(&mut self, keyword: Keyword, terms: &[Formula]) {
        let mut sum = Sum::default();
        terms.iter().for_each(|term| sum.add(1, term));
        if sum.0.is_empty() {
            return;
        }
        let span = self.span.clone();
        self.made(&format!("{} = ", keyword.word()), &span);
        sum.write(&mut self.out, &span);
        self.made(";\n", &span);
    }
}

fn item_name<'a>(name: &'a str, span: &'a Span) -> Item<'a> {
    Box::new(move |out| out.push(name, Origin::Of(span.clone())))
}

fn item_sum<'a>(sum: &'a Sum, span: &'a Span) -> Item<'a> {
    Box::new(move |out| sum.write(out, span))
}

fn item_formula<'a>(formula: &'a Formula) -> Item<'a> {
    Box::new(|out| formula.write(out))
}

fn item_start<'a>(single: &'a Single) -> Item<'a> {
    match &single.start {
        Some(start) => item_formula(start),
        None => item_name("0", &single.span),
    }
}

/// Everything in one text.
fn write(body: &Body, expanded: &Expanded, wiring: &Wiring) -> FlatText {
    let mut writer = Writer { out: FlatText::default(), span: body.span.clone() };
    for defined in &expanded.definitions {
        let (Definition::Formula(value) | Definition::Table(value)) = &defined.value;
        writer.made(&format!("{} = ", defined.name), &defined.span);
        value.write(&mut writer.out);
        writer.made(";\n", &defined.span);
    }
    for dependent in &wiring.dependents {
        writer.made(&format!("{} = ", dependent.name), &dependent.span);
        dependent.value.write(&mut writer.out, &dependent.span);
        writer.made(";\n", &dependent.span);
    }
    write_variables(&mut writer, expanded, wiring);
    for keyword in [Keyword::KineticCoEnergy, Keyword::PotentialEnergy, Keyword::DissipationFunction] {
        writer.sum(keyword, expanded.laws(keyword));
    }
    let formulas =
        |keyword: Keyword| -> Vec<Item> { expanded.laws(keyword).iter().map(item_formula).collect() };
    for keyword in [Keyword::DisplacementConstraints, Keyword::EffortConstraints, Keyword::DynamicConstraints]
    {
        writer.vector(keyword, &formulas(keyword));
    }
    // Those of nodes first: their multipliers have names.
    let continuity = wiring.continuity.iter().map(|node| item_sum(&node.value, &node.span));
    let constraints: Vec<Item> = continuity.chain(formulas(Keyword::FlowConstraints)).collect();
    writer.vector(Keyword::FlowConstraints, &constraints);
    let efforts: Vec<Item> =
        wiring.continuity.iter().map(|node| item_name(&node.effort, &node.span)).collect();
    writer.vector(Keyword::FlowMultipliers, &efforts);
    for (word, value) in &body.others {
        writer.out.push(&word.text, Origin::At(word.span.start));
        writer.made(" = ", &word.span);
        value.write(&mut writer.out);
        writer.made(";\n", &word.span);
    }
    writer.out
}

/// Names, efforts and start values of q, f, s, e.
fn write_variables(writer: &mut Writer, expanded: &Expanded, wiring: &Wiring) {
    let unknowns = &wiring.unknowns;
    let names = |which: fn(&wiring::UnknownMotion) -> &String| -> Vec<Item> {
        unknowns.iter().map(|unknown| item_name(which(unknown), &unknown.span)).collect()
    };
    writer.vector(Keyword::DisplacementVariables, &names(|unknown| &unknown.displacement));
    writer.vector(Keyword::FlowVariables, &names(|unknown| &unknown.flow));
    let sums = |which: fn(&wiring::UnknownMotion) -> &Sum| -> Vec<Item> {
        unknowns.iter().map(|unknown| item_sum(which(unknown), &unknown.span)).collect()
    };
    writer.vector(Keyword::GeneralizedEfforts, &sums(|unknown| &unknown.applied));
    writer.vector(Keyword::InitialDisplacements, &sums(|unknown| &unknown.start[0]));
    writer.vector(Keyword::InitialFlows, &sums(|unknown| &unknown.start[1]));
    for (names, starts, singles) in [
        (Keyword::DynamicVariables, Keyword::InitialDynamic, &expanded.dynamics),
        (Keyword::EffortVariables, Keyword::InitialEfforts, &expanded.efforts),
    ] {
        let list: Vec<Item> = singles.iter().map(|single| item_name(&single.name, &single.span)).collect();
        writer.vector(names, &list);
        let list: Vec<Item> = singles.iter().map(item_start).collect();
        writer.vector(starts, &list);
    }
}
