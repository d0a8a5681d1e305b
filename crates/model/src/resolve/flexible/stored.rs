//! Flexible bodies that were reduced before.

use crate::diagnostic::{Diagnostic, Span};
use crate::file::{FlexibleTable, InterfaceTable, ReducedSourceTable};
use crate::resolve::Resolver;
use poinsot_flexible::reduction::StoredBody;
use poinsot_flexible::{Interface, ReducedBody};
use std::path::Path;

impl Resolver<'_> {
    /// A body from a file of `poinsot reduce`.
    pub(super) fn stored_body(
        &mut self,
        table: &FlexibleTable,
        source: &ReducedSourceTable,
    ) -> Option<ReducedBody> {
        self.refuse_reduction(table, "it was reduced before")?;
        self.refuse_rayleigh(table)?;
        let bytes = self.file_beside(&source.file, &source.file.value)?;
        let stored = StoredBody::from_bytes(&bytes, Path::new(&source.file.value));
        let mut body = match stored {
            Ok(stored) => stored.body,
            Err(error) => {
                let diagnostic = Diagnostic::error(error.to_string());
                self.diagnostics.push(diagnostic.at(source.file.span.clone(), "this file"));
                return None;
            }
        };
        let asked: Vec<_> =
            table.interface.0.iter().map(|interface| self.stored_interface(interface, &body)).collect();
        let asked: Vec<Interface> = asked.into_iter().collect::<Option<_>>()?;
        if let Some(geometric) = &mut body.geometric {
            let own =
                |interface: &Interface| body.interfaces.iter().position(|own| own.name == interface.name);
            let loads = asked.iter().filter_map(|interface| geometric.loads.get(own(interface)?).cloned());
            geometric.loads = loads.collect();
        }
        body.interfaces = asked;
        if table.damping.is_some() {
            body.damping.fill(0.0);
        }
        Some(body)
    }

    fn stored_interface(&mut self, table: &InterfaceTable, body: &ReducedBody) -> Option<Interface> {
        if table.point.is_some() || table.at.is_some() || table.group.is_some() || table.kind.is_some() {
            let message = format!("the interface `{}` is that of the file", table.name.value);
            let diagnostic = Diagnostic::error(message).at(table.span.clone(), "more than its name");
            self.diagnostics.push(diagnostic.help("give its name alone"));
            return None;
        }
        let found = body.interfaces.iter().find(|interface| interface.name == table.name.value);
        if found.is_none() {
            let names: Vec<&str> = body.interfaces.iter().map(|interface| interface.name.as_str()).collect();
            self.unknown(&table.name, "interface of the reduced body", &names);
        }
        found.cloned()
    }

    /// What belongs to a reduction cannot be asked for where there is none, `because`.
    pub(super) fn refuse_reduction(&mut self, table: &FlexibleTable, because: &str) -> Option<()> {
        let asked: [(&str, Option<Span>); 8] = [
            ("method", table.method.as_ref().map(|key| key.span.clone())),
            ("modes", table.modes.as_ref().map(|key| key.span())),
            ("up_to", table.up_to.as_ref().map(|key| key.span())),
            ("corrections", table.corrections.as_ref().map(|key| key.span())),
            ("shapes", table.shapes.as_ref().map(|key| key.span.clone())),
            ("reference", table.reference.as_ref().map(|key| key.span.clone())),
            ("held", table.held.as_ref().map(|key| key.span.clone())),
            ("geometric_stiffness", table.geometric_stiffness.as_ref().map(|key| key.span.clone())),
        ];
        let found = asked.into_iter().find_map(|(key, span)| Some((key, span?)));
        let Some((key, span)) = found else { return Some(()) };
        let message =
            format!("`{key}` belongs to a reduction, and `{}` has none: {because}", table.name.value);
        let help = "remove it, or describe the body by finite elements or matrices";
        self.diagnostics.push(Diagnostic::error(message).at(span, "nothing is reduced").help(help));
        None
    }

    /// Rayleigh's damping needs the matrices of a reduction, or shapes.
    pub(super) fn refuse_rayleigh(&mut self, table: &FlexibleTable) -> Option<()> {
        let Some(rayleigh) = &table.rayleigh else { return Some(()) };
        let message = "`rayleigh` is for bodies of finite elements, matrices or functions";
        let help = "give `damping`, a ratio for each shape";
        self.diagnostics.push(Diagnostic::error(message).at(rayleigh.span.clone(), "not here").help(help));
        None
    }
}
