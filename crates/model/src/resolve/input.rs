//! What a study names of a model: bodies, signals, inputs of a linear system.

use super::Resolver;
use super::names::Thing;
use crate::diagnostic::Diagnostic;
use crate::file::{Axis, FileTable};
use crate::spec::{BodyRef, InputKind, InputSpec, variable_named};
use crate::suggest::did_you_mean;
use crate::value::Text;

impl Resolver<'_> {
    /// The name of a parameter of the file.
    pub(crate) fn parameter_named(&mut self, name: &Text) -> Option<String> {
        let names: Vec<String> = self.parameters.iter().map(|p| p.name.clone()).collect();
        if names.contains(&name.value) {
            return Some(name.value.clone());
        }
        if !self.scope.lost.contains(&name.value) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            self.unknown(name, "parameter", &names);
        }
        None
    }

    /// A body or the ground by name.
    pub(crate) fn body_named(&mut self, name: &Text) -> Option<BodyRef> {
        if name.value == "ground" {
            return Some(BodyRef::Ground);
        }
        let Some(Thing::Body(index)) = self.names.hold(&name.value) else {
            let names = self.names.of(|thing| matches!(thing, Thing::Body(_)));
            let names: Vec<String> = names.into_iter().chain(["ground"]).map(str::to_owned).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            self.unknown(name, "body", &names);
            return None;
        };
        Some(BodyRef::Body(index))
    }

    /// The body in whose frame a state is at rest.
    pub(crate) fn observer(&mut self, name: &Text) -> Option<BodyRef> {
        let body = self.body_named(name)?;
        if self.is_point(body) {
            self.diagnostics.push(
                Diagnostic::error(format!("the point mass `{}` cannot be the observer", name.value))
                    .at(name.span.clone(), "has no orientation")
                    .help("choose a rigid body or \"ground\""),
            );
            return None;
        }
        Some(body)
    }

    /// `NAME.x` of a force or torque, `NAME` of a spring or torsion spring, a variable of equations, a
    /// parameter.
    pub(crate) fn input(&mut self, input: &Text, file: &FileTable) -> Option<InputSpec> {
        if let Some(kind) = self.variable_or_parameter(&input.value, file) {
            return Some(InputSpec { name: input.value.clone(), kind });
        }
        let (name, component) = match input.value.split_once('.') {
            Some((name, component)) => (name, Some(component)),
            None => (input.value.as_str(), None),
        };
        let owner = input.part(0..name.len());
        let Some(Thing::Force(force)) = self.names.get(name) else {
            let names = self.names.of(|thing| matches!(thing, Thing::Force(_)));
            let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
            let variables = file.equations.iter().flat_map(|block| {
                block.variables.list.iter().map(|(name, _)| format!("{}.{}", block.name.value, name.value))
            });
            names.extend(variables);
            names.extend(self.parameters.iter().map(|p| p.name.clone()));
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            match file.equations.is_empty() {
                true => self.unknown(&owner, "force or parameter", &names),
                false => self.unknown(input, "force, variable or parameter", &names),
            }
            return None;
        };
        let axis = component.map(Axis::from_word);
        let declared = file.force.get(force)?.entry().declaration();
        let component = declared.component(name, axis).map_err(|why| {
            self.diagnostics.push(
                Diagnostic::error(format!("`{}` is not an input", input.value))
                    .at(input.span.clone(), "not a single force")
                    .help(why.to_string()),
            );
        });
        let component = component.ok()?;
        Some(InputSpec { name: input.value.clone(), kind: InputKind::Force { force, component } })
    }

    /// The variable or parameter of a name that no force has.
    fn variable_or_parameter(&self, name: &str, file: &FileTable) -> Option<InputKind> {
        let owner = name.split_once('.').map_or(name, |(owner, _)| owner);
        if matches!(self.names.get(owner), Some(Thing::Force(_))) {
            return None;
        }
        let blocks: Vec<(&str, Vec<&str>)> = file
            .equations
            .iter()
            .map(|b| {
                (b.name.value.as_str(), b.variables.list.iter().map(|(v, _)| v.value.as_str()).collect())
            })
            .collect();
        if let Some((equations, index)) = variable_named(name, &blocks) {
            return Some(InputKind::Variable { equations, index });
        }
        self.parameters.iter().any(|p| p.name == name).then(|| InputKind::Parameter(name.to_owned()))
    }

    /// A signal by name.
    pub(crate) fn output(&mut self, output: &Text, file: &FileTable) -> Option<usize> {
        let names = || file.signal.iter().map(|signal| signal.name.value.as_str());
        let found = names().position(|name| name == output.value);
        if found.is_none() && !self.names.is_lost(&output.value) {
            let help = did_you_mean(&output.value, names())
                .unwrap_or_else(|| "outputs are names of signals: add a [[signal]]".into());
            self.diagnostics.push(
                Diagnostic::error(format!("there is no signal `{}`", output.value))
                    .at(output.span.clone(), "not found")
                    .help(help),
            );
        }
        found
    }
}
