//! Blocks of first-order equations.

use super::Resolver;
use super::constraint::{Equation, level, place};
use super::formula::{Meaning, Place};
use super::names::Thing;
use crate::diagnostic::{Diagnostic, Span};
use crate::expression::{parse, report};
use crate::file::{EquationsTable, FileTable, VariableTable};
use crate::forces::own_frame;
use crate::quantity::{ForceQuantity, JointQuantity, Motion, Owners, Quantity, VariableQuantity};
use crate::spec::{Axis, EffortSpec, EffortTarget, EquationsSpec, LawSpec, VariableSpec};
use crate::suggest::did_you_mean;
use crate::value::{Number, Text};
use poinsot_expr::{Expr, Function, rate_name, rate_of};

/// What equations may use, for messages.
const ALLOWED: &str = "equations may use variables, positions, rotations, joint coordinates and spring lengths, \
                       their velocities and rates, and the time";

/// Ending of the name of a rate: `motor.i_rate`.
pub(super) const RATE_ENDING: &str = "_rate";

impl Resolver<'_> {
    /// The variables of all blocks: everything may name them.
    pub fn resolve_variables(&mut self, file: &FileTable) {
        self.variables = file.equations.iter().map(|block| self.block_variables(block, file)).collect();
    }

    fn block_variables(&mut self, block: &EquationsTable, file: &FileTable) -> Option<Vec<VariableSpec>> {
        let list = &block.variables.list;
        if list.is_empty() && block.loads.as_ref().is_none_or(|loads| loads.list.is_empty()) {
            let message = format!("`{}` has neither variables nor loads", block.name.value);
            self.diagnostics.push(Diagnostic::error(message).at(block.name.span.clone(), "this block"));
            return None;
        }
        for (name, _) in list {
            let owner = name.value.strip_suffix(RATE_ENDING);
            if let Some((owner, _)) = list.iter().find(|(other, _)| Some(other.value.as_str()) == owner) {
                let message = format!("`{}` is the rate of `{}`", name.value, owner.value);
                self.diagnostics.push(
                    Diagnostic::error(message)
                        .at(name.span.clone(), "cannot be a variable of its own")
                        .and(owner.span.clone(), "this variable")
                        .help(format!("write `der({})` in equations", owner.value)),
                );
                return None;
            }
        }
        let read: Vec<_> = list.iter().map(|(name, table)| self.one_variable(name, table, file)).collect();
        read.into_iter().collect()
    }

    fn one_variable(&mut self, name: &Text, table: &VariableTable, file: &FileTable) -> Option<VariableSpec> {
        if !self.check_name(name, "variable") {
            return None;
        }
        let parameters = file.parameters.table.as_ref().map_or(&[][..], |t| &t.list);
        if let Some((other, _)) = parameters.iter().find(|(other, _)| other.value == name.value) {
            self.duplicate_value(name, "parameter", other.span.clone());
            return None;
        }
        if let Some(other) = file.table.iter().find(|other| other.name.value == name.value) {
            self.duplicate_value(name, "table", other.name.span.clone());
            return None;
        }
        let start = self.number(&table.start);
        let nominal = self.positive(&table.nominal, "the nominal size");
        let unit = table.unit.as_ref().map(|unit| unit.value.clone());
        Some(VariableSpec {
            name: name.value.clone(),
            span: name.span.clone(),
            start: start?,
            nominal: nominal?,
            rate_unit: unit.as_deref().map(per_second),
            unit,
            description: table.description.as_ref().map(|text| text.value.clone()),
        })
    }

    pub fn equations(&mut self, index: usize, file: &FileTable) -> Option<EquationsSpec> {
        let block = &file.equations[index];
        let laws: Vec<_> = block.equations.0.iter().map(|text| self.first_order(text, index, file)).collect();
        let efforts = block.loads.as_ref().map_or(&[][..], |loads| &loads.list);
        let loads: Vec<_> = efforts.iter().map(|(on, law)| self.effort(on, law, index, file)).collect();
        self.check_count(block)?;
        Some(EquationsSpec {
            name: block.name.value.clone(),
            span: block.name.span.clone(),
            variables: self.variables.get(index)?.clone()?,
            equations: laws.into_iter().collect::<Option<_>>()?,
            loads: loads.into_iter().collect::<Option<_>>()?,
            lagrangian: None,
        })
    }

    fn check_count(&mut self, block: &EquationsTable) -> Option<()> {
        let (equations, variables) = (block.equations.0.len(), block.variables.list.len());
        if equations == variables {
            return Some(());
        }
        let count = |n: usize, noun: &str| format!("{n} {noun}{}", if n == 1 { "" } else { "s" });
        let (have, want) = (count(equations, "equation"), count(variables, "variable"));
        let names: Vec<&str> = block.variables.list.iter().map(|(name, _)| name.value.as_str()).collect();
        self.diagnostics.push(
            Diagnostic::error(format!("`{}` has {have} for {want}", block.name.value))
                .at(block.name.span.clone(), "this block")
                .help(format!("each of the variables {} needs an equation, no more", names.join(", "))),
        );
        None
    }

    /// An equation of block `index`.
    fn first_order(&mut self, text: &Text, index: usize, file: &FileTable) -> Option<LawSpec> {
        let expr = match Expr::parse_equation(&text.value, &self.scope.tables) {
            Ok(expr) => expr,
            Err(error) => {
                let help = error.suggestion.map(|s| format!("did you mean `{s}`?"));
                self.diagnostics.push(
                    Diagnostic::error(error.message)
                        .at(text.locate(error.span), "in this equation")
                        .maybe_help(help),
                );
                return None;
            }
        };
        self.law_of(expr, text, index, file)
    }

    /// A load of block `index`.
    fn effort(&mut self, on: &Text, law: &Number, index: usize, file: &FileTable) -> Option<EffortSpec> {
        let target = self.effort_target(on, file);
        let law = match law {
            Number::Value(value) => {
                let number = self.number(law)?;
                LawSpec {
                    text: number.to_string(),
                    span: value.span.clone(),
                    expr: Expr::number(number),
                    arguments: vec![],
                    quantities: vec![],
                }
            }
            Number::Expression(text) => {
                let expr = parse(text, &self.scope.tables, &mut self.diagnostics)?;
                let law = self.law_of(expr, text, index, file)?;
                let is_rate =
                    |q: &&Quantity| matches!(q, Quantity::Variable { what: VariableQuantity::Rate, .. });
                if law.quantities.iter().any(|q| is_rate(&q)) {
                    self.diagnostics.push(
                        Diagnostic::error("a load cannot use the rate of a variable")
                            .at(text.span.clone(), "uses a rate")
                            .help("make the rate a variable of its own: x = der(y)"),
                    );
                    return None;
                }
                law
            }
        };
        Some(EffortSpec { name: on.value.clone(), span: on.span.clone(), on: target?, law })
    }

    /// What a load acts on: `body.force.x`, `body.torque.z`, or along a coordinate.
    pub(super) fn effort_target(&mut self, on: &Text, file: &FileTable) -> Option<EffortTarget> {
        let parts: Vec<&str> = on.value.rsplitn(3, '.').collect();
        let [axis, what @ ("force" | "torque"), body] = parts[..] else {
            return self.loaded_coordinate(on, file).map(EffortTarget::Coordinate);
        };
        let (Some(axis), Some(Thing::Body(_) | Thing::Marker(_))) =
            (Axis::from_word(axis), self.names.get(body))
        else {
            return self.loaded_coordinate(on, file).map(EffortTarget::Coordinate);
        };
        let end = self.loaded(&on.part(0..body.len()))?;
        let is_torque = what == "torque";
        if is_torque && self.is_point(end.body) {
            self.no_orientation(on, "a torque");
            return None;
        }
        Some(EffortTarget::Component { on: own_frame(end), axis, is_torque })
    }

    /// The coordinate that a load acts along.
    pub(super) fn loaded_coordinate(&mut self, on: &Text, file: &FileTable) -> Option<Quantity> {
        let help = "a load acts along the coordinate of a joint, the length of a spring or a position, \
                    e.g. \"hinge.angle\", or on a body, e.g. \"arm.force.x\", \"arm.torque.z\"";
        if !on.value.contains('.') {
            self.diagnostics.push(
                Diagnostic::error(format!("`{}` is not a coordinate", on.value))
                    .at(on.span.clone(), "nothing a load can act along")
                    .help(help),
            );
            return None;
        }
        let Meaning::Quantity(found) =
            self.meaning(&on.value, &(0..on.value.len()), &Place::signal(on, file))?
        else {
            return None;
        };
        let good = match found {
            Quantity::Joint { what, .. } => matches!(what, JointQuantity::Coordinate { .. }),
            Quantity::Force { what, .. } => what == ForceQuantity::Coordinate,
            Quantity::Body { what, .. } | Quantity::Marker { what, .. } => {
                matches!(what, Motion::Position(_))
            }
            _ => false,
        };
        if !good {
            self.diagnostics.push(
                Diagnostic::error(format!("`{}` is not a coordinate that a load can act along", on.value))
                    .at(on.span.clone(), "not a coordinate")
                    .help(help),
            );
        }
        good.then_some(found)
    }

    /// Gives every name its meaning and puts signals in.
    fn law_of(&mut self, expr: Expr, text: &Text, index: usize, file: &FileTable) -> Option<LawSpec> {
        let (mut canonical, mut named, mut known) = (expr.clone(), Vec::new(), Some(()));
        let at = Place::signal(text, file);
        for (name, span) in expr.variables() {
            match self.name_in_block(&name, &span, index, &at) {
                Some(Meaning::Fixed) => {}
                Some(Meaning::Quantity(quantity)) => {
                    let full = self.full_name(&name, quantity, file);
                    let by = rate_of(&full).map_or_else(|| Expr::name(&full), |name| Some(Expr::rate(name)));
                    canonical = canonical.substitute(&name, &by?);
                    if !named.iter().any(|(other, _)| *other == full) {
                        named.push((full, quantity));
                    }
                }
                None => known = None,
            }
        }
        known?;
        let Equation { expr, named } = self.without_signals(Equation { expr: canonical, named }, text)?;
        for (name, quantity) in &named {
            if level(*quantity).is_err() {
                self.diagnostics.push(
                    Diagnostic::error(format!("an equation cannot use `{name}`"))
                        .at(place(text, name), "not a variable, position or velocity")
                        .help(ALLOWED),
                );
                return None;
            }
        }
        let (arguments, quantities): (Vec<String>, Vec<Quantity>) = named.into_iter().unzip();
        let names: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let compiled = Function::new(&expr, &names, &|name| self.scope.get(name));
        compiled.map_err(|error| report(error, text, &mut self.diagnostics)).ok()?;
        Some(LawSpec { text: text.value.clone(), span: text.span.clone(), expr, arguments, quantities })
    }

    /// The name that is the same in every block.
    pub(super) fn full_name(&self, name: &str, quantity: Quantity, file: &FileTable) -> String {
        match quantity {
            Quantity::Time => "time".into(),
            Quantity::Variable { equations, index, what } => {
                let full = match file.equations.get(equations) {
                    Some(block) => format!("{}.{}", block.name.value, block.variables.list[index].0.value),
                    None => {
                        let block = file.lagrangian.get(equations - file.equations.len());
                        let block = block.map_or("", |block| block.name.value.as_str());
                        let variable = self.variable(equations, index).map_or("", |v| v.name.as_str());
                        format!("{block}.{variable}")
                    }
                };
                if what == VariableQuantity::Rate { rate_name(&full) } else { full }
            }
            _ => name.to_owned(),
        }
    }

    /// What a name means in block `index`: its own variables come first.
    fn name_in_block(&mut self, name: &str, span: &Span, index: usize, at: &Place) -> Option<Meaning> {
        if let Some(variable) = rate_of(name) {
            let written = &at.text.value[span.clone()];
            let start = span.start + written.rfind(variable).unwrap_or(0);
            return self.rate_in_block(variable, &(start..start + variable.len()), index, at);
        }
        let block = &at.file.equations[index];
        if let Some(k) = block.variables.list.iter().position(|(other, _)| other.value == name) {
            let what = VariableQuantity::Value;
            return Some(Meaning::Quantity(Quantity::Variable { equations: index, index: k, what }));
        }
        let signal = |name: &str| at.file.signal.iter().any(|signal| signal.name.value == name);
        let known = name.contains('.')
            || name == "time"
            || signal(name)
            || self.scope.get(name).is_some()
            || poinsot_expr::constant(name).is_some()
            || self.scope.lost.iter().any(|lost| lost == name);
        if name == "t" {
            return Some(Meaning::Quantity(Quantity::Time));
        }
        if known {
            return self.meaning(name, span, at);
        }
        let own = block.variables.list.iter().map(|(other, _)| other.value.as_str());
        let names = own.chain(self.scope.parameters.iter().map(|(n, _)| n.as_str()));
        let help = did_you_mean(name, names.chain(at.file.signal.iter().map(|s| s.name.value.as_str())))
            .or_else(|| self.elsewhere(name, at.file))
            .or_else(|| self.plain_help(name, at.file))
            .unwrap_or_else(|| "add it to the variables of the block or to [parameters]".into());
        self.diagnostics.push(
            Diagnostic::error(format!("unknown name `{name}`"))
                .at(at.text.locate(span.clone()), "neither variable nor parameter")
                .help(help),
        );
        None
    }

    /// A variable of that name in another block.
    fn elsewhere(&self, name: &str, file: &FileTable) -> Option<String> {
        let has = |block: &&EquationsTable| block.variables.list.iter().any(|(other, _)| other.value == name);
        let block = file.equations.iter().find(has)?;
        Some(format!("did you mean `{}.{name}`?", block.name.value))
    }

    /// The rate of a variable.
    fn rate_in_block(&mut self, variable: &str, span: &Span, index: usize, at: &Place) -> Option<Meaning> {
        match self.name_in_block(variable, span, index, at)? {
            Meaning::Quantity(Quantity::Variable { equations, index, what: VariableQuantity::Value }) => {
                let what = VariableQuantity::Rate;
                Some(Meaning::Quantity(Quantity::Variable { equations, index, what }))
            }
            _ => {
                let own = &at.file.equations[index].variables.list;
                let help = did_you_mean(variable, own.iter().map(|(other, _)| other.value.as_str()));
                let other = "`der(x)` is the rate of a variable; coordinates have rates of their own, \
                             e.g. `hinge.rate`";
                self.diagnostics.push(
                    Diagnostic::error(format!("`{variable}` is not a variable: it has no `der`"))
                        .at(at.text.locate(span.clone()), "not a variable")
                        .help(help.unwrap_or_else(|| other.into())),
                );
                None
            }
        }
    }

    /// Studies that know no first-order equations.
    pub fn check_study_of_equations(&mut self, file: &FileTable) {
        let first = file.equations.iter().find(|block| !block.variables.list.is_empty());
        let first = first.map(|block| (&block.name, "[[equations]]"));
        let first = first.or(file.lagrangian.first().map(|block| (&block.name, "[[lagrangian]]")));
        let (Some((block, table)), Some(study)) = (first, file.study.at_hand()) else { return };
        let Some(what) = self.studies.kind(study.word).and_then(|kind| kind.without_equations()) else {
            return;
        };
        self.diagnostics.push(
            Diagnostic::error(format!("{what} does not know {table}"))
                .at(study.span.clone(), "not with first-order equations")
                .and(block.span.clone(), "these equations")
                .help(format!("equations need a study of type {}", self.studies.with_equations())),
        );
    }
}

/// The unit of a rate.
pub(crate) fn per_second(unit: &str) -> String {
    match unit {
        "1" => "1/s".into(),
        unit => format!("{unit}/s"),
    }
}
