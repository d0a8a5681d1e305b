//! From an energy model to a block of first-order equations.

use super::energy::EnergyModel;
use super::names::TIME;
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::quantity::{Quantity, VariableQuantity};
use crate::resolve::per_second;
use crate::spec::{EquationsSpec, LagrangianSpec, LawSpec, VariableSpec};
use poinsot_expr::{Expr, rate_name, rate_of};
use poinsot_mechanics::{
    EquationForm, LagrangianEquations, LagrangianError, LagrangianStart, StartGuess, Unknown, UnknownKind,
};
use std::collections::{BTreeSet, HashMap};

/// The canonical name of time in equations.
const TIME_OF_EQUATIONS: &str = "time";

/// An energy model with its equations.
pub(crate) struct Derived {
    pub model: EnergyModel,
    pub equations: LagrangianEquations,
    pub form: EquationForm,
    /// Start values of all unknowns.
    pub start: Vec<f64>,
}

/// Derives the equations in a form, from a consistent start where `readings` do not keep that from being
/// known. Constraints that follow from others are left out.
pub(crate) fn derive(
    mut model: EnergyModel,
    form: EquationForm,
    reads: bool,
    diagnostics: &mut Diagnostics,
) -> Option<Derived> {
    let start = if reads { None } else { Some(consistent_start(&mut model, diagnostics)?) };
    let equations = match model.lagrangian.equations(form) {
        Ok(equations) => equations,
        Err(error) => {
            let help = match error {
                LagrangianError::Acceleration { .. } => "choose the form stabilised, index2 or index3",
                _ => "look at the energies and constraints",
            };
            let message = Diagnostic::error(error.to_string()).at(model.span.clone(), "this energy model");
            diagnostics.push(message.help(help));
            return None;
        }
    };
    let mut values = vec![0.0; equations.unknowns.len()];
    let known = start.as_ref().map_or(&model.start, |start| &start.values);
    values.iter_mut().zip(known).for_each(|(slot, value)| *slot = *value);
    let rates = start.iter().flat_map(|start| &start.rates[model.lagrangian.displacements.len()..]);
    let accelerations = equations.unknowns.iter().zip(&mut values);
    let accelerations = accelerations.filter(|(unknown, _)| unknown.kind == UnknownKind::Acceleration);
    accelerations.zip(rates).for_each(|((_, slot), rate)| *slot = rate.unwrap_or(0.0));
    Some(Derived { model, equations, form, start: values })
}

/// The start values moved onto the constraints; what was changed is said.
fn consistent_start(model: &mut EnergyModel, diagnostics: &mut Diagnostics) -> Option<LagrangianStart> {
    let keep: Vec<bool> = model
        .variables
        .iter()
        .map(|word| {
            let dynamic = model.lagrangian.dynamics.contains(&word.text);
            dynamic || model.options.keep.iter().any(|kept| kept.text == word.text)
        })
        .collect();
    let sizes = model.options.nominal.clone().unwrap_or_else(|| vec![1.0; model.variables.len()]);
    let values: HashMap<&str, f64> = model.parameters.iter().map(|p| (p.name.as_str(), p.value)).collect();
    let found = model.lagrangian.consistent_start(&StartGuess {
        values: &model.start,
        keep: &keep,
        sizes: &sizes,
        time: model.times.start.as_ref().map_or(0.0, |time| time.value),
        constants: &|name| values.get(name).copied(),
    });
    let start = match found {
        Ok(start) => without_rounding(start, &model.start, &sizes),
        Err(error) => {
            let place = model.variables.first().map_or(model.span.clone(), |word| word.span.clone());
            let help = "look at the constraints, and give start values that nearly satisfy them; `Keep` names those that stay";
            diagnostics.push(
                Diagnostic::error(format!("there is no consistent start: {error}"))
                    .at(place, "this energy model")
                    .help(help),
            );
            return None;
        }
    };
    say_what_changed(model, &start, diagnostics);
    drop_dependent(model, &start, diagnostics);
    Some(start)
}

/// A start in which what has changed by rounding only is as it was given.
fn without_rounding(mut start: LagrangianStart, given: &[f64], sizes: &[f64]) -> LagrangianStart {
    for ((value, old), size) in start.values.iter_mut().zip(given).zip(sizes) {
        if (*value - old).abs() <= 1e-14 * size.max(old.abs()) {
            *value = *old;
        }
    }
    start
}

/// A warning for displacements and flows that had to be moved; efforts follow from their constraints.
fn say_what_changed(model: &EnergyModel, start: &LagrangianStart, diagnostics: &mut Diagnostics) {
    let given = model.lagrangian.displacements.len() + model.lagrangian.flows.len();
    let moved: Vec<usize> = start
        .changed
        .iter()
        .copied()
        .filter(|&j| j < given && !model.free.contains(&model.variables[j].text))
        .collect();
    let Some(&first) = moved.first() else { return };
    let change = |&j: &usize| {
        let (old, new) = apart(model.start[j], start.values[j]);
        format!("`{}` from {old} to {new}", model.variables[j].text)
    };
    let list: Vec<String> = moved.iter().take(6).map(change).collect();
    let more = moved.len().saturating_sub(6);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    diagnostics.push(
        Diagnostic::warning(format!(
            "the start does not satisfy the constraints: changed {}{more}",
            list.join(", ")
        ))
        .at(model.variables[first].span.clone(), "changed at the start")
        .help("`Keep = [...];` names displacements and flows whose start values stay"),
    );
}

/// Two different numbers with six digits, or as many as it takes to tell them apart.
fn apart(a: f64, b: f64) -> (String, String) {
    let text = |x: f64, digits: usize| match rounded(x, digits) {
        x if x == 0.0 || (1e-3..1e6).contains(&x.abs()) => format!("{x}"),
        x => format!("{x:e}"),
    };
    let differ = |digits: &usize| text(a, *digits) != text(b, *digits);
    let digits = (6..17).find(differ).unwrap_or(17);
    (text(a, digits), text(b, digits))
}

/// To so many significant digits.
fn rounded(x: f64, digits: usize) -> f64 {
    format!("{x:.*e}", digits - 1).parse().unwrap_or(x)
}

/// Leaves out constraints that follow from others: they have no multiplier of their own.
fn drop_dependent(model: &mut EnergyModel, start: &LagrangianStart, diagnostics: &mut Diagnostics) {
    let [phi, psi] = &start.dependent;
    let mut index = 0..;
    model.lagrangian.flow_multipliers.retain(|_| index.next().is_none_or(|k| !psi.contains(&k)));
    let lists = [
        (phi, &mut model.lagrangian.displacement_constraints, "displacement"),
        (psi, &mut model.lagrangian.flow_constraints, "flow"),
    ];
    for (dependent, list, word) in lists {
        for &j in dependent {
            diagnostics.push(Diagnostic::warning(format!(
                "{word} constraint {} follows from the others: it is left out",
                j + 1
            )));
        }
        let mut index = 0..;
        list.retain(|_| index.next().is_none_or(|k| !dependent.contains(&k)));
    }
}

/// The places of unknowns by name.
pub(crate) fn places(unknowns: &[Unknown]) -> HashMap<&str, usize> {
    unknowns.iter().enumerate().map(|(k, unknown)| (unknown.name.as_str(), k)).collect()
}

/// How the names of an energy model are called in the equations of a whole model.
pub(crate) struct Lowering<'a> {
    /// Name of the block.
    pub block: &'a str,
    /// Its index among the blocks of equations.
    pub index: usize,
    /// Places of the unknowns.
    pub unknowns: HashMap<&'a str, usize>,
    /// Names and values of parameters.
    pub parameters: &'a HashMap<String, f64>,
    /// Whether parameters carry the name of the block.
    pub prefixed: bool,
    /// What is read: the full name and the quantity.
    pub readings: &'a HashMap<String, (String, Quantity)>,
}

impl Lowering<'_> {
    /// The full name of something of the block.
    pub fn full(&self, name: &str) -> String {
        format!("{}.{name}", self.block)
    }

    fn unknown(&self, name: &str) -> Option<usize> {
        self.unknowns.get(name).copied()
    }

    /// What a name becomes, and the quantity that it stands for.
    fn name(&self, name: &str) -> Option<(Expr, Option<(String, Quantity)>)> {
        let variable = |index, what| Quantity::Variable { equations: self.index, index, what };
        if let Some(of) = rate_of(name) {
            let index = self.unknown(of)?;
            let full = self.full(of);
            let quantity = variable(index, VariableQuantity::Rate);
            return Some((Expr::rate(&full), Some((rate_name(&full), quantity))));
        }
        if let Some(index) = self.unknown(name) {
            let full = self.full(name);
            let quantity = variable(index, VariableQuantity::Value);
            return Some((Expr::name(&full)?, Some((full, quantity))));
        }
        if let Some((full, quantity)) = self.readings.get(name) {
            return Some((Expr::name(full)?, Some((full.clone(), *quantity))));
        }
        match self.parameters.get(name) {
            Some(_) if self.prefixed => Some((Expr::name(&self.full(name))?, None)),
            // The name that time has in equations.
            Some(value) if name == TIME_OF_EQUATIONS => Some((Expr::number(*value), None)),
            _ => None,
        }
    }

    /// The expression in names of the whole model, and the quantities among them.
    pub fn expr(&self, expr: &Expr) -> (Expr, Vec<(String, Quantity)>) {
        let names: BTreeSet<String> = expr.variables().into_iter().map(|(name, _)| name).collect();
        let (mut expr, mut named) = (expr.clone(), Vec::new());
        for name in names.iter().filter(|name| *name != TIME) {
            let Some((by, quantity)) = self.name(name) else { continue };
            expr = expr.substitute(name, &by);
            named.extend(quantity);
        }
        if names.contains(TIME)
            && let Some(time) = Expr::name(TIME_OF_EQUATIONS)
        {
            expr = expr.substitute(TIME, &time);
            named.push((TIME_OF_EQUATIONS.into(), Quantity::Time));
        }
        (expr, named)
    }

    /// A law of the whole model.
    pub fn law(&self, expr: &Expr, span: Span) -> LawSpec {
        let text = expr.to_string();
        let (expr, named) = self.expr(expr);
        let (arguments, quantities) = named.into_iter().unzip();
        LawSpec { text, span, expr, arguments, quantities }
    }

    /// Energies and powers as functions of the unknowns.
    fn energies(&self, derived: &Derived, span: &Span) -> [LawSpec; 4] {
        let model = &derived.model.lagrangian;
        let supplied = model.supplied_power(&derived.equations.loads);
        let all = [model.kinetic_energy(), model.potential.clone(), supplied, model.dissipated_power()];
        all.map(|expr| self.law(&expr, span.clone()))
    }

    /// The block without loads.
    pub fn block(&self, derived: &Derived, span: &Span, place: &dyn Fn(Span) -> Span) -> EquationsSpec {
        let law = |row: &poinsot_mechanics::Row| self.law(&row.expr, span.clone());
        EquationsSpec {
            name: self.block.to_owned(),
            span: span.clone(),
            variables: variables(derived, span, place),
            equations: derived.equations.rows.iter().map(law).collect(),
            loads: vec![],
            lagrangian: Some(Box::new(LagrangianSpec {
                lagrangian: derived.model.lagrangian.clone(),
                form: derived.form,
                unknowns: derived.equations.unknowns.clone(),
                energies: self.energies(derived, span),
            })),
        }
    }
}

/// The unknowns as variables of a block.
pub(crate) fn variables(derived: &Derived, span: &Span, place: &dyn Fn(Span) -> Span) -> Vec<VariableSpec> {
    let model = &derived.model;
    let one = |(k, unknown): (usize, &Unknown)| {
        let word = model.variables.get(k);
        VariableSpec {
            name: unknown.name.clone(),
            span: word.map_or(span.clone(), |word| place(word.span.clone())),
            start: derived.start[k],
            nominal: model.options.nominal.as_ref().and_then(|list| list.get(k).copied()).unwrap_or(1.0),
            unit: model.units.get(&unknown.name).cloned(),
            rate_unit: model.units.get(&unknown.name).map(|unit| per_second(unit)),
            description: Some(description(unknown)),
        }
    };
    derived.equations.unknowns.iter().enumerate().map(one).collect()
}

/// What an unknown is.
fn description(unknown: &Unknown) -> String {
    let of = unknown.index + 1;
    match unknown.kind {
        UnknownKind::Displacement => "displacement".into(),
        UnknownKind::Flow => "flow".into(),
        UnknownKind::Dynamic => "dynamic variable".into(),
        UnknownKind::Effort => "effort".into(),
        UnknownKind::DisplacementMultiplier => format!("multiplier of displacement constraint {of}"),
        UnknownKind::FlowMultiplier => format!("multiplier of flow constraint {of}"),
        UnknownKind::Acceleration => format!("acceleration of displacement {of}"),
        UnknownKind::Stabilisation => format!("stabilisation of displacement constraint {of}"),
    }
}
