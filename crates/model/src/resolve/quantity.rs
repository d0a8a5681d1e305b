//! Names of quantities in formulas and what they mean.

use super::Resolver;
use super::equations::RATE_ENDING;
use super::formula::{Meaning, Place};
use super::names::Thing;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{BodyTable, FileTable};
use crate::quantity::{
    ConstraintQuantity, CouplingQuantity, DriveQuantity, ForceQuantity, JointQuantity, Motion, Quantity,
    SystemQuantity, VariableQuantity,
};
use crate::spec::BodyRef;
use crate::suggest::did_you_mean;
use crate::value::Text;

impl Resolver<'_> {
    /// What a name means.
    pub(super) fn meaning(&mut self, name: &str, span: &Span, place: &Place) -> Option<Meaning> {
        match name.split_once('.') {
            // A parameter of an energy model.
            Some(_) if self.scope.get(name).is_some() => Some(Meaning::Fixed),
            Some((root, _)) if self.studies.is_root(root) && self.names.get(root).is_none() => {
                self.study_result(name, span, place).map(Meaning::Quantity)
            }
            Some((root, rest)) => {
                let found = self.dotted(name, root, rest, span, place)?;
                Some(Meaning::Quantity(found))
            }
            None => self.plain_name(name, span, place),
        }
    }

    /// A name without dots: time, parameter, earlier signal or constant.
    fn plain_name(&mut self, name: &str, span: &Span, place: &Place) -> Option<Meaning> {
        let file = place.file;
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
        let at = place.text.locate(span.clone());
        let mut diagnostic = Diagnostic::error(format!("unknown name `{name}`")).at(at, "not known here");
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

    pub(super) fn plain_help(&self, name: &str, file: &FileTable) -> Option<String> {
        if name == "t" {
            return Some("the time is called `time` here".into());
        }
        if SystemQuantity::ROOTS.contains(&name) {
            let offered = SystemQuantity::offered();
            let names = offered.iter().map(|(n, _)| n.as_str()).filter(|n| n.starts_with(name));
            return Some(format!("one of {}", names.collect::<Vec<_>>().join(", ")));
        }
        if self.studies.is_root(name) {
            return Some(format!("`{name}` is a result of a study: name one of its parts"));
        }
        if let Some(thing) = self.names.get(name) {
            let offered = self.offered(thing, file)?;
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
    fn dotted(&mut self, name: &str, root: &str, rest: &str, span: &Span, place: &Place) -> Option<Quantity> {
        let (text, file) = (place.text, place.file);
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
            if let Thing::Beam(beam) = thing
                && let Some(found) = self.at_arc_length(beam, rest, &rest_span, place)
            {
                return found.ok();
            }
            if let Thing::Plate(plate) = thing
                && let Some(of_word) = self.offered_by_plate(plate, file, Some(first(rest)))
                && let Some((_, quantity)) = of_word.iter().find(|(name, _)| name == rest)
            {
                return Some(*quantity);
            }
            // A long beam offers thousands: what the first word leads to is looked at first.
            if let Thing::Beam(beam) = thing
                && let Some(of_word) = self.offered_by_beam(beam, file, Some(first(rest)))
                && let Some((_, quantity)) = of_word.iter().find(|(name, _)| name == rest)
            {
                self.hold_what_turns(quantity);
                return Some(*quantity);
            }
            let offered = self.offered(thing, file)?;
            let owner = format!("the {} `{root}`", self.description(thing, file));
            return self.pick(&owner, rest, rest_span, &offered, text);
        }
        if self.names.is_lost(root) {
            return None;
        }
        let things = self.names.of(|_| true);
        let candidates = things.into_iter().chain(SystemQuantity::ROOTS);
        let help = self.names.off_here(root).or_else(|| did_you_mean(root, candidates));
        let help = help.or_else(|| match root {
            "ground" => Some("the ground does not move; put a marker on it to name a place".into()),
            _ => None,
        });
        let root_span = span.start..span.start + root.len();
        self.diagnostics.push(
            Diagnostic::error(format!("unknown name `{root}` in `{name}`"))
                .at(text.locate(root_span), "nothing is called so")
                .maybe_help(help),
        );
        None
    }

    /// Finds `rest` among the quantities of an owner.
    pub(super) fn pick(
        &mut self,
        owner: &str,
        rest: &str,
        span: Span,
        offered: &[(String, Quantity)],
        text: &Text,
    ) -> Option<Quantity> {
        if let Some((_, quantity)) = offered.iter().find(|(name, _)| name == rest) {
            self.hold_what_turns(quantity);
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

    /// What is seen to turn needs a frame: a node of a line with slopes gets one.
    fn hold_what_turns(&self, quantity: &Quantity) {
        if let Quantity::Body { body, what } = quantity
            && !matches!(what, Motion::Position(_) | Motion::Velocity(_) | Motion::Acceleration(_))
        {
            self.names.held.borrow_mut().insert(*body);
        }
    }

    /// The quantities a thing offers; `None` if it has a mistake and they are not known.
    pub(super) fn offered(&self, thing: Thing, file: &FileTable) -> Option<Vec<(String, Quantity)>> {
        fn wrap<Q>(list: Vec<(String, Q)>, make: impl Fn(Q) -> Quantity) -> Vec<(String, Quantity)> {
            list.into_iter().map(|(name, what)| (name, make(what))).collect()
        }
        Some(match thing {
            Thing::Body(body) => {
                let rigid = !matches!(file.body.get(body), Some(BodyTable::Point(_)))
                    && !self.is_point(BodyRef::Body(body));
                wrap(Motion::offered(rigid), |what| Quantity::Body { body, what })
            }
            Thing::Beam(beam) => return self.offered_by_beam(beam, file, None),
            Thing::Flexible(index) => return self.offered_by_flexible(index, file),
            Thing::Plate(plate) => return self.offered_by_plate(plate, file, None),
            Thing::Marker(marker) => {
                let on = file.marker.get(marker).map(|m| self.names.get(&m.body.value));
                let on_point = matches!(on, Some(Some(Thing::Body(body)))
                    if matches!(file.body.get(body), Some(BodyTable::Point(_))));
                wrap(Motion::offered(!on_point), |what| Quantity::Marker { marker, what })
            }
            Thing::Joint(joint) => {
                let offered = JointQuantity::offered(self.joints.get(joint)?.as_ref()?);
                wrap(offered, |what| Quantity::Joint { joint, what })
            }
            Thing::Coupling(coupling) => {
                wrap(CouplingQuantity::offered(), |what| Quantity::Coupling { coupling, what })
            }
            Thing::Drive(drive) => {
                let declared = file.drive.get(drive)?.entry().declaration();
                wrap(DriveQuantity::offered(declared), |what| Quantity::Drive { drive, what })
            }
            Thing::Constraint(constraint) => {
                wrap(ConstraintQuantity::offered(), |what| Quantity::Constraint { constraint, what })
            }
            Thing::Event => Vec::new(),
            Thing::Force(force) => {
                let declared = file.force.get(force)?.entry().declaration();
                wrap(ForceQuantity::offered(declared), |what| Quantity::Force { force, what })
            }
            Thing::Equations(equations) => {
                let names = file.equations.get(equations)?.variables.list.iter();
                offered_variables(equations, names.map(|(name, _)| name.value.as_str()))
            }
            Thing::Lagrangian(index) => {
                let equations = file.equations.len() + index;
                let variables = self.variables.get(equations)?.as_ref()?;
                offered_variables(equations, variables.iter().map(|variable| variable.name.as_str()))
            }
            Thing::Table => Vec::new(),
        })
    }

    /// What a message calls a thing.
    fn description(&self, thing: Thing, file: &FileTable) -> String {
        match thing {
            Thing::Body(index) => match file.body.get(index) {
                Some(BodyTable::Point(_)) => "point".into(),
                _ => "body".into(),
            },
            Thing::Joint(index) => match self.joints.get(index) {
                Some(Some(joint)) => format!("{} joint", joint.kind.word()),
                _ => "joint".into(),
            },
            Thing::Force(index) => {
                file.force.get(index).map_or("force", |force| force.entry().declaration().noun).into()
            }
            other => other.noun().into(),
        }
    }
}

/// The variables of a block and their rates. A variable comes before a rate of the same name.
fn offered_variables<'a>(
    equations: usize,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Vec<(String, Quantity)> {
    let quantity = |index, what| Quantity::Variable { equations, index, what };
    let values = names.clone().enumerate();
    let values = values.map(|(k, name)| (name.to_owned(), quantity(k, VariableQuantity::Value)));
    let rates = names.enumerate();
    let rates = rates.map(|(k, name)| (format!("{name}{RATE_ENDING}"), quantity(k, VariableQuantity::Rate)));
    values.chain(rates).collect()
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
