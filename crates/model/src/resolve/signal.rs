//! Signals and expectations: expressions over the quantities of the running system.

use super::Resolver;
use super::names::Thing;
use crate::diagnostic::{Diagnostic, Span};
use crate::expression::{parse, report};
use crate::file::{BodyTable, ExpectTable, FileTable, ForceTable, JointTable, SignalTable};
use crate::quantity::{ForceQuantity, JointQuantity, Motion, Quantity, SystemQuantity};
use crate::spec::{ExpectSpec, Formula, JointKind, SignalSpec, Tolerance};
use crate::suggest::did_you_mean;
use crate::value::Text;
use poinsot_expr::{Expr, Node, Program};

/// What a name in an expression turned out to be.
enum Meaning {
    Quantity(Quantity),
    /// A parameter or a constant of the language: a fixed number.
    Fixed,
}

impl Resolver<'_> {
    /// Resolves the signals one after the other: each may use those above it.
    pub fn resolve_signals(&mut self, file: &FileTable) {
        for index in 0..file.signal.len() {
            self.check_signal_name(index, file);
            let signal = self.signal(&file.signal[index], file);
            self.signals.push(signal);
        }
    }

    fn check_signal_name(&mut self, index: usize, file: &FileTable) {
        let name = &file.signal[index].name;
        if !self.check_name(name, "signal") {
            return;
        }
        let same = |other: &&SignalTable| other.name.value == name.value;
        if let Some(other) = file.signal[..index].iter().find(same) {
            self.duplicate_value(name, "signal", other.name.span.clone());
        }
        let parameters = file.parameters.table.as_ref().map_or(&[][..], |t| &t.list);
        if let Some((other, _)) = parameters.iter().find(|(n, _)| n.value == name.value) {
            self.duplicate_value(name, "parameter", other.span.clone());
        }
    }

    fn duplicate_value(&mut self, name: &Text, other: &str, span: Span) {
        self.diagnostics.push(
            Diagnostic::error(format!("a {other} is already called `{}`", name.value))
                .at(name.span.clone(), "used again here")
                .and(span, format!("this {other}"))
                .help("names of signals and parameters must differ"),
        );
    }

    fn signal(&mut self, table: &SignalTable, file: &FileTable) -> Option<SignalSpec> {
        let formula = self.formula(&table.value, file)?;
        let unit = match &table.unit {
            Some(unit) => Some(unit.value.clone()),
            None => self.unit(&formula),
        };
        Some(SignalSpec {
            name: table.name.value.clone(),
            span: table.name.span.clone(),
            unit,
            description: table.description.as_ref().map(|text| text.value.clone()),
            formula,
        })
    }

    /// The unit of an expression that is a single quantity.
    fn unit(&self, formula: &Formula) -> Option<String> {
        let Node::Name(_) = formula.expr.node() else {
            return None;
        };
        match formula.quantities.first()? {
            Quantity::Signal(index) => self.signals.get(*index)?.as_ref()?.unit.clone(),
            quantity => quantity.unit().map(str::to_owned),
        }
    }

    pub fn expect(
        &mut self,
        table: &ExpectTable,
        file: &FileTable,
        times: Option<(f64, f64)>,
    ) -> Option<ExpectSpec> {
        let formula = self.formula(&table.signal, file);
        let value = self.number(&table.value);
        let tolerance = self.tolerance(table);
        let at = table.at.as_ref().map(|at| self.number(at));
        let at = match at {
            Some(at) => Some(at?),
            None => None,
        };
        if !file.study.present {
            self.diagnostics.push(
                Diagnostic::error("an expectation needs a [study] that produces results")
                    .at(table.span.clone(), "nothing is simulated"),
            );
        }
        if let (Some(at), Some((start, end)), Some(number)) = (at, times, &table.at)
            && !(start..=end).contains(&at)
        {
            self.diagnostics.push(
                Diagnostic::error(format!("the time {at} is not within the study ({start} to {end})"))
                    .at(number.span(), "outside the study"),
            );
            return None;
        }
        Some(ExpectSpec {
            formula: formula?,
            at,
            value: value?,
            tolerance: tolerance?,
            source: table.source.as_ref().map(|text| text.value.clone()),
            span: table.span.clone(),
        })
    }

    fn tolerance(&mut self, table: &ExpectTable) -> Option<Tolerance> {
        match (&table.tolerance, &table.relative) {
            (Some(bound), None) => self.not_negative(bound, "the tolerance").map(Tolerance::Absolute),
            (None, Some(ratio)) => {
                self.not_negative(ratio, "the relative tolerance").map(Tolerance::Relative)
            }
            (Some(bound), Some(ratio)) => {
                self.diagnostics.push(
                    Diagnostic::error("the expectation has two tolerances")
                        .at(ratio.span(), "relative")
                        .and(bound.span(), "absolute")
                        .help("remove one of the two"),
                );
                None
            }
            (None, None) => {
                self.diagnostics.push(
                    Diagnostic::error("missing key `tolerance` in expectation")
                        .at(table.span.clone(), "this expectation needs `tolerance`")
                        .help("give `tolerance` (absolute) or `relative`"),
                );
                None
            }
        }
    }

    /// Parses an expression, gives every name its meaning and compiles it.
    fn formula(&mut self, text: &Text, file: &FileTable) -> Option<Formula> {
        let expr = parse(text, &mut self.diagnostics)?;
        let mut arguments: Vec<String> = Vec::new();
        let mut quantities = Vec::new();
        let mut known = true;
        for (name, span) in expr.variables() {
            match self.meaning(&name, &span, text, file) {
                Some(Meaning::Quantity(_)) if arguments.contains(&name) => {}
                Some(Meaning::Quantity(quantity)) => {
                    arguments.push(name);
                    quantities.push(quantity);
                }
                Some(Meaning::Fixed) => {}
                None => known = false,
            }
        }
        let program = if known { self.compile(&expr, &arguments, text) } else { None };
        Some(Formula {
            text: text.value.clone(),
            span: text.span.clone(),
            expr,
            quantities,
            program: program?,
        })
    }

    fn compile(&mut self, expr: &Expr, arguments: &[String], text: &Text) -> Option<Program> {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        match Program::compile(expr, &arguments, &|name| self.scope.get(name)) {
            Ok(program) => Some(program),
            Err(error) => {
                report(error, text, &mut self.diagnostics);
                None
            }
        }
    }

    fn meaning(&mut self, name: &str, span: &Span, text: &Text, file: &FileTable) -> Option<Meaning> {
        match name.split_once('.') {
            Some((root, rest)) => {
                let found = self.dotted(name, root, rest, span, text, file)?;
                Some(Meaning::Quantity(found))
            }
            None => self.plain_name(name, span, text, file),
        }
    }

    /// A name without dots: time, parameter, earlier signal or constant.
    fn plain_name(&mut self, name: &str, span: &Span, text: &Text, file: &FileTable) -> Option<Meaning> {
        if name == "time" {
            return Some(Meaning::Quantity(Quantity::Time));
        }
        if self.scope.get(name).is_some() {
            return Some(Meaning::Fixed);
        }
        let signal = file.signal.iter().position(|signal| signal.name.value == name);
        if let Some(index) = signal.filter(|index| *index < self.signals.len()) {
            return Some(Meaning::Quantity(Quantity::Signal(index)));
        }
        if poinsot_expr::constant(name).is_some() {
            return Some(Meaning::Fixed);
        }
        if self.scope.lost.iter().any(|lost| lost == name) {
            return None;
        }
        let place = text.locate(span.clone());
        let mut diagnostic = Diagnostic::error(format!("unknown name `{name}`")).at(place, "not known here");
        if let Some(index) = signal {
            let other = file.signal[index].name.span.clone();
            diagnostic.message = format!("the signal `{name}` is not known yet");
            diagnostic = diagnostic.and(other, "defined here").help("a signal may use only those above it");
        } else {
            diagnostic = diagnostic.maybe_help(self.plain_help(name, file));
        }
        self.diagnostics.push(diagnostic);
        None
    }

    fn plain_help(&self, name: &str, file: &FileTable) -> Option<String> {
        if name == "t" {
            return Some("the time is called `time` here".into());
        }
        if SystemQuantity::ROOTS.contains(&name) {
            let offered = SystemQuantity::offered();
            let names = offered.iter().map(|(n, _)| n.as_str()).filter(|n| n.starts_with(name));
            return Some(format!("one of {}", names.collect::<Vec<_>>().join(", ")));
        }
        if let Some(thing) = self.names.get(name) {
            let offered = self.offered(thing, file);
            let stems = stems(&offered);
            let noun = thing.noun();
            return Some(match stems.is_empty() {
                true => format!("`{name}` is a {noun} and offers no quantities"),
                false => format!("`{name}` is a {noun}: name one of its quantities, {}", stems.join(", ")),
            });
        }
        let signals = file.signal[..self.signals.len()].iter().map(|s| s.name.value.as_str());
        let parameters = self.scope.parameters.iter().map(|(n, _)| n.as_str());
        did_you_mean(name, signals.chain(parameters).chain(["time"]))
    }

    /// `owner.quantity` or a quantity of the whole system.
    fn dotted(
        &mut self,
        name: &str,
        root: &str,
        rest: &str,
        span: &Span,
        text: &Text,
        file: &FileTable,
    ) -> Option<Quantity> {
        let rest_span = span.start + root.len() + 1..span.end;
        if SystemQuantity::ROOTS.contains(&root) {
            let prefix = format!("{root}.");
            let offered: Vec<(String, Quantity)> = SystemQuantity::offered()
                .into_iter()
                .filter_map(|(n, what)| {
                    let rest = n.strip_prefix(&prefix)?.to_owned();
                    Some((rest, Quantity::System(what)))
                })
                .collect();
            let owner = format!("the {}", root.replace('_', " "));
            return self.pick(&owner, rest, rest_span, &offered, text);
        }
        if let Some(thing) = self.names.get(root) {
            let offered = self.offered(thing, file);
            let owner = format!("{} `{root}`", self.description(thing, file));
            return self.pick(&owner, rest, rest_span, &offered, text);
        }
        if self.names.is_lost(root) {
            return None;
        }
        let things = self.names.of(|_| true);
        let candidates = things.into_iter().chain(SystemQuantity::ROOTS);
        let help = did_you_mean(root, candidates).or_else(|| match root {
            "ground" => Some("the ground does not move; put a marker on it to name a place".into()),
            _ => None,
        });
        let root_span = span.start..span.start + root.len();
        self.diagnostics.push(
            Diagnostic::error(format!("unknown name `{root}` in `{name}`"))
                .at(text.locate(root_span), "no body, marker, joint or force")
                .maybe_help(help),
        );
        None
    }

    /// Finds `rest` among the quantities of an owner.
    fn pick(
        &mut self,
        owner: &str,
        rest: &str,
        span: Span,
        offered: &[(String, Quantity)],
        text: &Text,
    ) -> Option<Quantity> {
        if let Some((_, quantity)) = offered.iter().find(|(name, _)| name == rest) {
            return Some(*quantity);
        }
        let prefix = format!("{rest}.");
        let parts: Vec<&str> =
            offered.iter().map(|(name, _)| name.as_str()).filter(|name| name.starts_with(&prefix)).collect();
        let help = match parts.is_empty() {
            false => format!("name a component: {}", parts.join(", ")),
            true => component_help(rest, offered)
                .or_else(|| did_you_mean(rest, offered.iter().map(|(name, _)| name)))
                .or_else(|| did_you_mean(first(rest), stems(offered)))
                .unwrap_or_else(|| match stems(offered) {
                    stems if stems.is_empty() => format!("{owner} offers no quantities"),
                    stems => format!("{owner} offers {}", stems.join(", ")),
                }),
        };
        self.diagnostics.push(
            Diagnostic::error(format!("{owner} has no quantity `{rest}`"))
                .at(text.locate(span), "not a quantity")
                .help(help),
        );
        None
    }

    /// The quantities a thing offers.
    fn offered(&self, thing: Thing, file: &FileTable) -> Vec<(String, Quantity)> {
        fn wrap<Q>(list: Vec<(String, Q)>, make: impl Fn(Q) -> Quantity) -> Vec<(String, Quantity)> {
            list.into_iter().map(|(name, what)| (name, make(what))).collect()
        }
        match thing {
            Thing::Body(body) => {
                let rigid = matches!(file.body.get(body), Some(BodyTable::Rigid(_)));
                wrap(Motion::offered(rigid), |what| Quantity::Body { body, what })
            }
            Thing::Marker(marker) => {
                let on = file.marker.get(marker).map(|m| self.names.get(&m.body.value));
                let on_point = matches!(on, Some(Some(Thing::Body(body)))
                    if matches!(file.body.get(body), Some(BodyTable::Point(_))));
                wrap(Motion::offered(!on_point), |what| Quantity::Marker { marker, what })
            }
            Thing::Joint(joint) => match file.joint.get(joint) {
                Some(table) => {
                    let offered = JointQuantity::offered(&kind(table));
                    wrap(offered, |what| Quantity::Joint { joint, what })
                }
                None => Vec::new(),
            },
            Thing::Force(force) => {
                let offered = match file.force.get(force) {
                    Some(ForceTable::Spring(_)) => ForceQuantity::of_spring(),
                    Some(ForceTable::Torsion(_)) => ForceQuantity::of_torsion(),
                    _ => Vec::new(),
                };
                wrap(offered, |what| Quantity::Force { force, what })
            }
        }
    }

    /// What a message calls a thing.
    fn description(&self, thing: Thing, file: &FileTable) -> String {
        match thing {
            Thing::Body(index) => match file.body.get(index) {
                Some(BodyTable::Point(_)) => "the point".into(),
                _ => "the body".into(),
            },
            Thing::Marker(_) => "the marker".into(),
            Thing::Joint(index) => match file.joint.get(index) {
                Some(table) => format!("the {} joint", kind(table).word()),
                None => "the joint".into(),
            },
            Thing::Force(index) => match file.force.get(index) {
                Some(ForceTable::Torque(_)) => "the torque".into(),
                Some(ForceTable::Spring(_)) => "the spring".into(),
                Some(ForceTable::Torsion(_)) => "the torsion spring".into(),
                Some(ForceTable::Bushing(_)) => "the bushing".into(),
                _ => "the force".into(),
            },
        }
    }
}

/// The kind of a joint; a length is not needed to know what it offers.
fn kind(table: &JointTable) -> JointKind {
    match table {
        JointTable::Fixed(_) => JointKind::Fixed,
        JointTable::Spherical(_) => JointKind::Spherical,
        JointTable::Revolute(_) => JointKind::Revolute,
        JointTable::Prismatic(_) => JointKind::Prismatic,
        JointTable::Cylindrical(_) => JointKind::Cylindrical,
        JointTable::Planar(_) => JointKind::Planar,
        JointTable::Universal(_) => JointKind::Universal,
        JointTable::Distance(_) => JointKind::Distance { length: 0.0 },
    }
}

/// The quantities without their components, each once.
fn stems(offered: &[(String, Quantity)]) -> Vec<&str> {
    let mut stems: Vec<&str> = Vec::new();
    for (name, _) in offered {
        let stem = first(name);
        if !stems.contains(&stem) {
            stems.push(stem);
        }
    }
    stems
}

/// The part of a quantity's name before its first dot.
fn first(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// Help for a wrong component of a right quantity.
fn component_help(rest: &str, offered: &[(String, Quantity)]) -> Option<String> {
    let prefix = format!("{}.", first(rest));
    let names = offered.iter().map(|(name, _)| name.as_str());
    let parts: Vec<&str> = names.filter(|name| name.starts_with(&prefix)).collect();
    let near = did_you_mean(rest, &parts).filter(|_| rest.len() > prefix.len() + 1);
    match parts.is_empty() {
        true => None,
        false => near.or_else(|| Some(format!("one of {}", parts.join(", ")))),
    }
}
