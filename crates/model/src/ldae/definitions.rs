//! Definitions: `name = expression;` and `name = table(...);`.
//!
//! They may use each other in any order. Those whose values are numbers are parameters and stay in equations
//! by name; those that depend on time or on variables are signals and are put in where they are used, large
//! ones as parts that all users share.

use super::extent::Extent;
use super::names::{Meaning, Names, Placed};
use super::statement::{Value, Word, list};
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::spec::{ParameterSpec, TableSpec};
use crate::suggest::did_you_mean;
use poinsot_expr::{EvalError, Expr, Extrapolation, Interpolation, Table, TableError};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

/// A definition whose value is an expression.
#[derive(Debug)]
struct Definition {
    name: Word,
    body: Placed,
    /// Set from outside.
    overridden: bool,
}

/// A definition that depends on time or on variables.
#[derive(Clone, Debug)]
pub(crate) struct Signal {
    pub name: Word,
    /// Other signals put in; shared by those who use it.
    pub expr: Expr,
    extent: Extent,
}

/// What the definitions of a file stand for.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    /// Numbers.
    pub parameters: Vec<ParameterSpec>,
    /// Functions of time and variables.
    pub signals: Vec<Signal>,
    /// Functions through points.
    pub tables: Vec<TableSpec>,
    values: HashMap<String, f64>,
}

/// Parses a part of the text; a mistake is shown in it.
pub(crate) fn parse(
    text: &str,
    at: Span,
    tables: &[Arc<Table>],
    diagnostics: &mut Diagnostics,
) -> Option<Placed> {
    match Expr::parse_with(&text[at.clone()], tables) {
        Ok(expr) => Some(Placed { expr, at }),
        Err(error) => {
            let place = at.start + error.span.start..at.start + error.span.end;
            let help = error.suggestion.map(|s| format!("did you mean `{s}`?"));
            diagnostics
                .push(Diagnostic::error(error.message).at(place, "in this expression").maybe_help(help));
            None
        }
    }
}

/// Reports that an expression has no value.
fn report(error: &EvalError, placed: &Placed, diagnostics: &mut Diagnostics) {
    diagnostics.push(Diagnostic::error(error.to_string()).at(placed.place(error.span()), "has no value"));
}

/// Reads all definitions. `names` has them already; those with a mistake become lost.
pub(crate) fn definitions(
    text: &str,
    given: Vec<(Word, Value)>,
    overrides: &[(String, Expr)],
    names: &mut Names,
    diagnostics: &mut Diagnostics,
) -> Definitions {
    let (tables, scalars): (Vec<_>, Vec<_>) =
        given.into_iter().partition(|(_, value)| matches!(value, Value::Table { .. }));
    let stand_ins: Vec<Arc<Table>> = tables.iter().filter_map(|(name, _)| stand_in(name)).collect();
    check_overrides(overrides, &scalars, diagnostics);
    let mut list = Vec::new();
    for (name, value) in scalars {
        let by = overrides.iter().rev().find(|(other, _)| *other == name.text);
        let body = match by {
            Some((_, expr)) => Some(Placed { expr: expr.clone(), at: name.span.clone() }),
            None => parse(text, value.span(), &stand_ins, diagnostics),
        };
        match body {
            Some(body) => list.push(Definition { name, body, overridden: by.is_some() }),
            None => {
                names.lost.insert(name.text);
            }
        }
    }
    list.retain(|definition| {
        let good = check_body(definition, names, diagnostics);
        if !good {
            names.lost.insert(definition.name.text.clone());
        }
        good
    });
    let ordered = in_order(list, names, diagnostics);
    let mut out = Definitions::default();
    out.evaluate(&ordered, names, diagnostics, false);
    for (name, value) in &tables {
        match out.table(text, name, value, names, diagnostics) {
            Some(table) => {
                let (name, span) = (name.text.clone(), name.span.clone());
                out.tables.push(TableSpec { name, span, table: Arc::new(table) });
            }
            None => {
                names.lost.insert(name.text.clone());
            }
        }
    }
    let ordered = with_tables(text, ordered, &stand_ins, &out.functions(), diagnostics);
    out.evaluate(&ordered, names, diagnostics, true);
    // What has come to nothing by a mistake somewhere else.
    let known = |name: &str| {
        out.values.contains_key(name)
            || out.signals.iter().any(|signal| signal.name.text == name)
            || out.tables.iter().any(|table| table.name == name)
    };
    let unknown = names.definitions.iter().map(|word| &word.text).filter(|name| !known(name));
    let unknown: Vec<String> = unknown.cloned().collect();
    names.lost.extend(unknown);
    let place = |p: &ParameterSpec| p.span.start;
    out.parameters.sort_by_key(place);
    out
}

/// Something that stands for a table until its points are known.
fn stand_in(name: &Word) -> Option<Arc<Table>> {
    let level = [(0.0, 0.0), (1.0, 0.0)];
    Table::new(&name.text, &level, Interpolation::Linear, Extrapolation::Hold).ok().map(Arc::new)
}

fn check_overrides(overrides: &[(String, Expr)], scalars: &[(Word, Value)], diagnostics: &mut Diagnostics) {
    for (name, _) in overrides {
        let known = || scalars.iter().map(|(word, _)| word.text.as_str());
        if known().any(|other| other == name) {
            continue;
        }
        let help = did_you_mean(name, known()).unwrap_or_else(|| match scalars.len() {
            0 => "the energy model has no parameters".into(),
            _ => format!("parameters: {}", known().collect::<Vec<_>>().join(", ")),
        });
        diagnostics.push(Diagnostic::error(format!("cannot set `{name}`: no such parameter")).help(help));
    }
}

/// The names of a definition; one that was set from outside may use parameters only.
fn check_body(definition: &Definition, names: &Names, diagnostics: &mut Diagnostics) -> bool {
    let Definition { name, body, overridden } = definition;
    if !overridden {
        return names.check_uses(body, diagnostics);
    }
    let good = |name: &str| matches!(names.meaning(name), Some(Meaning::Definition | Meaning::Constant));
    let bad = body.expr.variables().into_iter().find(|(other, _)| !good(other));
    if let Some((other, _)) = &bad {
        let message = format!("cannot set `{}`: `{other}` is not a parameter", name.text);
        diagnostics.push(Diagnostic::error(message));
    }
    bad.is_none()
}

/// Sorts so that each definition stands behind those it uses; those that depend on themselves are reported
/// and left out.
fn in_order(list: Vec<Definition>, names: &mut Names, diagnostics: &mut Diagnostics) -> Vec<Definition> {
    let index: HashMap<&str, usize> =
        list.iter().enumerate().map(|(k, d)| (d.name.text.as_str(), k)).collect();
    let uses: Vec<HashSet<usize>> = list
        .iter()
        .map(|d| d.body.expr.variables().iter().filter_map(|(n, _)| index.get(n.as_str()).copied()).collect())
        .collect();
    let mut users = vec![Vec::new(); list.len()];
    for (k, used) in uses.iter().enumerate() {
        used.iter().for_each(|&j| users[j].push(k));
    }
    let mut waiting: Vec<usize> = uses.iter().map(HashSet::len).collect();
    let mut ready: VecDeque<usize> = (0..list.len()).filter(|&k| waiting[k] == 0).collect();
    let mut order = Vec::new();
    while let Some(k) = ready.pop_front() {
        order.push(k);
        for &user in &users[k] {
            waiting[user] -= 1;
            if waiting[user] == 0 {
                ready.push_back(user);
            }
        }
    }
    if let Some(first) = (0..list.len()).find(|&k| waiting[k] > 0) {
        report_cycle(&cycle(first, &uses, &waiting), &list, diagnostics);
        let left = (0..list.len()).filter(|&k| waiting[k] > 0);
        names.lost.extend(left.map(|k| list[k].name.text.clone()));
    }
    let mut slots: Vec<Option<Definition>> = list.into_iter().map(Some).collect();
    order.into_iter().filter_map(|k| slots[k].take()).collect()
}

/// A cycle among the definitions that wait for others, from one of them on.
fn cycle(first: usize, uses: &[HashSet<usize>], waiting: &[usize]) -> Vec<usize> {
    let mut path = vec![first];
    let mut at = first;
    loop {
        // The least, so that the message is always the same.
        let Some(next) = uses[at].iter().copied().filter(|&k| waiting[k] > 0).min() else { return path };
        if let Some(start) = path.iter().position(|&k| k == next) {
            return path.split_off(start);
        }
        path.push(next);
        at = next;
    }
}

fn report_cycle(cycle: &[usize], list: &[Definition], diagnostics: &mut Diagnostics) {
    let name = |k: &usize| list[*k].name.text.as_str();
    let chain: Vec<&str> = cycle.iter().chain(cycle.first()).map(name).collect();
    let Some(first) = cycle.first() else { return };
    let message = format!("`{}` depends on itself: {}", name(first), chain.join(" → "));
    let mut diagnostic = Diagnostic::error(message).at(list[*first].name.span.clone(), "depends on itself");
    for other in &cycle[1..] {
        diagnostic = diagnostic.and(list[*other].name.span.clone(), "by way of this one");
    }
    diagnostics.push(diagnostic);
}

/// The definitions with the tables in place of what stood for them.
fn with_tables(
    text: &str,
    ordered: Vec<Definition>,
    stand_ins: &[Arc<Table>],
    tables: &[Arc<Table>],
    diagnostics: &mut Diagnostics,
) -> Vec<Definition> {
    if stand_ins.len() != tables.len() {
        return Vec::new();
    }
    let again = |mut definition: Definition| {
        if !definition.overridden && Extent::of(&definition.body.expr).calls_table {
            definition.body = parse(text, definition.body.at.clone(), tables, diagnostics)?;
        }
        Some(definition)
    };
    ordered.into_iter().filter_map(again).collect()
}

impl Definitions {
    /// The tables.
    pub fn functions(&self) -> Vec<Arc<Table>> {
        self.tables.iter().map(|table| Arc::clone(&table.table)).collect()
    }

    /// The value of a parameter.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.values.get(name).copied()
    }

    /// The value of an expression of parameters; a mistake is reported.
    pub fn number(&self, placed: &Placed, diagnostics: &mut Diagnostics) -> Option<f64> {
        placed.expr.eval(&|name| self.value(name)).map_err(|error| report(&error, placed, diagnostics)).ok()
    }

    /// The expression with signals put in; `None` after reporting that it is too large.
    pub fn expand(&self, placed: &Placed, diagnostics: &mut Diagnostics) -> Option<Placed> {
        let mut used: Vec<&Signal> = Vec::new();
        let mut extent = Extent::of(&placed.expr);
        for (name, _) in placed.expr.variables() {
            let Some(signal) = self.signals.iter().find(|signal| signal.name.text == name) else { continue };
            extent = extent.with(signal.extent, 1);
            if !used.iter().any(|other| other.name == signal.name) {
                used.push(signal);
            }
        }
        if !extent.fits() {
            diagnostics.push(
                Diagnostic::error("the expression with its definitions put in is too large")
                    .at(placed.at.clone(), "too large")
                    .help("make a part of it an effort variable with an effort constraint of its own"),
            );
            return None;
        }
        let put_in = |expr: Expr, signal: &Signal| expr.substitute(&signal.name.text, &signal.expr);
        Some(Placed { expr: used.into_iter().fold(placed.expr.clone(), put_in), at: placed.at.clone() })
    }

    /// Gives the definitions that have none yet their values: those that call tables only where `tables` are
    /// known.
    fn evaluate(
        &mut self,
        ordered: &[Definition],
        names: &mut Names,
        diagnostics: &mut Diagnostics,
        tables: bool,
    ) {
        let mut waits: HashSet<&str> = HashSet::new();
        for Definition { name, body, overridden } in ordered {
            let used = body.expr.variables();
            let known = |other: &Signal| other.name.text == name.text;
            if self.values.contains_key(&name.text) || self.signals.iter().any(known) {
                continue;
            }
            if used.iter().any(|(other, _)| names.lost.contains(other)) {
                names.lost.insert(name.text.clone());
                continue;
            }
            let calls = Extent::of(&body.expr).calls_table;
            if !tables && (calls || used.iter().any(|(other, _)| waits.contains(other.as_str()))) {
                waits.insert(&name.text);
                continue;
            }
            let moves = |other: &str| match names.meaning(other) {
                Some(Meaning::Variable | Meaning::Reading | Meaning::Time) => true,
                _ => self.signals.iter().any(|signal| signal.name.text == other),
            };
            let moving = used.iter().find(|(other, _)| moves(other));
            let entered = match moving {
                Some((other, _)) if *overridden => {
                    let message = format!("cannot set `{}`: `{other}` is not a parameter", name.text);
                    diagnostics.push(Diagnostic::error(message));
                    None
                }
                Some(_) => self.enter_signal(name, body, diagnostics),
                None => self.enter_parameter(name, body, *overridden, diagnostics),
            };
            if entered.is_none() {
                names.lost.insert(name.text.clone());
            }
        }
    }

    fn enter_signal(&mut self, name: &Word, body: &Placed, diagnostics: &mut Diagnostics) -> Option<()> {
        let expr = self.expand(body, diagnostics)?.expr.shared();
        let extent = Extent::of(&expr);
        self.signals.push(Signal { name: name.clone(), expr, extent });
        Some(())
    }

    fn enter_parameter(
        &mut self,
        name: &Word,
        body: &Placed,
        overridden: bool,
        diagnostics: &mut Diagnostics,
    ) -> Option<()> {
        let value = match body.expr.eval(&|other| self.value(other)) {
            Ok(value) => value,
            Err(error) if overridden => {
                diagnostics.push(Diagnostic::error(format!("cannot set `{}`: {error}", name.text)));
                return None;
            }
            Err(error) => {
                report(&error, body, diagnostics);
                return None;
            }
        };
        self.values.insert(name.text.clone(), value);
        let (name, span) = (name.text.clone(), name.span.clone());
        self.parameters.push(ParameterSpec { name, value, overridden, span });
        Some(())
    }

    /// `table([x, y], ...)`, with the words `linear`, `cubic` and `periodic` before the points.
    fn table(
        &self,
        text: &str,
        name: &Word,
        value: &Value,
        names: &Names,
        diagnostics: &mut Diagnostics,
    ) -> Option<Table> {
        let Value::Table { arguments, span } = value else { return None };
        let (mut interpolation, mut extrapolation) = (Interpolation::Spline, Extrapolation::Hold);
        let mut points: Vec<((f64, f64), Span)> = Vec::new();
        for argument in arguments {
            match &text[argument.clone()] {
                "linear" => interpolation = Interpolation::Linear,
                "cubic" => interpolation = Interpolation::Spline,
                "periodic" => extrapolation = Extrapolation::Periodic,
                point if point.starts_with('[') => {
                    points.push((self.point(text, argument, names, diagnostics)?, argument.clone()));
                }
                other => {
                    diagnostics.push(
                        Diagnostic::error(format!("`{other}` is not a point of a table"))
                            .at(argument.clone(), "not a point")
                            .help("write `table([x, y], [x, y])`, with `linear`, `cubic` or `periodic` before the points"),
                    );
                    return None;
                }
            }
        }
        let values: Vec<(f64, f64)> = points.iter().map(|(point, _)| *point).collect();
        let made = Table::new(&name.text, &values, interpolation, extrapolation);
        let complain = |error: TableError| {
            let index = match &error {
                TableError::NotFinite { index, .. }
                | TableError::NotIncreasing { index, .. }
                | TableError::EndsDiffer { index, .. }
                | TableError::Overflow { index, .. } => Some(*index),
                TableError::Name { .. } | TableError::TooFewPoints { .. } => None,
            };
            let place = index.and_then(|index| points.get(index)).map_or(span.clone(), |(_, at)| at.clone());
            diagnostics.push(Diagnostic::error(error.to_string()).at(place, "not a table"));
        };
        made.map_err(complain).ok()
    }

    /// `[x, y]`: two expressions of parameters.
    fn point(
        &self,
        text: &str,
        at: &Span,
        names: &Names,
        diagnostics: &mut Diagnostics,
    ) -> Option<(f64, f64)> {
        let parts = list(text, at.clone(), at.start, diagnostics)?;
        let [x, y] = parts.as_slice() else {
            diagnostics.push(
                Diagnostic::error(format!("a point has 2 numbers, not {}", parts.len()))
                    .at(at.clone(), "not a point")
                    .help("write `[x, y]`"),
            );
            return None;
        };
        let mut number = |at: &Span| {
            let placed = parse(text, at.clone(), &[], diagnostics)?;
            if !names.check_uses(&placed, diagnostics) {
                return None;
            }
            let unknown = |name: &&(String, Span)| self.value(&name.0).is_none() && name.0 != "pi";
            if let Some((name, span)) = placed.expr.variables().iter().find(unknown) {
                diagnostics.push(
                    Diagnostic::error(format!("the points of a table cannot use `{name}`"))
                        .at(placed.place(span.clone()), "not a number")
                        .help("points are expressions of parameters, and these may not call tables"),
                );
                return None;
            }
            self.number(&placed, diagnostics)
        };
        Some((number(x)?, number(y)?))
    }
}
