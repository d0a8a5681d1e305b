//! Signals: expressions over the quantities of the running system.

use super::Resolver;
use super::formula::Place;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{FileTable, SignalTable};
use crate::quantity::Quantity;
use crate::spec::{Formula, SignalSpec};
use crate::value::Text;
use poinsot_expr::Node;

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
        if let Some(other) = file.table.iter().find(|table| table.name.value == name.value) {
            self.duplicate_value(name, "table", other.name.span.clone());
        }
    }

    pub(super) fn duplicate_value(&mut self, name: &Text, other: &str, span: Span) {
        self.diagnostics.push(
            Diagnostic::error(format!("a {other} is already called `{}`", name.value))
                .at(name.span.clone(), "used again here")
                .and(span, format!("this {other}"))
                .help("names of signals, parameters and tables must differ"),
        );
    }

    fn signal(&mut self, table: &SignalTable, file: &FileTable) -> Option<SignalSpec> {
        let formula = self.formula(&Place::signal(&table.value, file))?;
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
            quantity => quantity.unit(self).map(str::to_owned),
        }
    }
}
