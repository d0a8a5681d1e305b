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
        self.refuse_requests(table)?;
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
        body.interfaces = asked.into_iter().collect::<Option<_>>()?;
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

    /// What belongs to the reduction cannot be asked for again.
    fn refuse_requests(&mut self, table: &FlexibleTable) -> Option<()> {
        let asked: [(&str, Option<Span>); 7] = [
            ("method", table.method.as_ref().map(|key| key.span.clone())),
            ("modes", table.modes.as_ref().map(|key| key.span())),
            ("up_to", table.up_to.as_ref().map(|key| key.span())),
            ("reference", table.reference.as_ref().map(|key| key.span.clone())),
            ("held", table.held.as_ref().map(|key| key.span.clone())),
            ("geometric_stiffness", table.geometric_stiffness.as_ref().map(|key| key.span.clone())),
            ("rayleigh", table.rayleigh.as_ref().map(|key| key.span.clone())),
        ];
        let found = asked.into_iter().find_map(|(key, span)| Some((key, span?)));
        let Some((key, span)) = found else { return Some(()) };
        let message = format!("`{key}` belongs to the reduction, and `{}` is reduced", table.name.value);
        let help = "remove it, or reduce the body again with it";
        self.diagnostics.push(Diagnostic::error(message).at(span, "too late").help(help));
        None
    }
}
