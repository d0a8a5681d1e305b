//! Gauges: points of the surface of a flexible body at which stresses are wanted.

use crate::diagnostic::Diagnostic;
use crate::file::{FlexibleTable, GaugeTable, ShellSide};
use crate::quantity::{Quantity, StressQuantity};
use crate::resolve::Resolver;
use crate::resolve::names::{is_identifier, not_a_name};
use crate::spec::{FlexibleSpec, GaugeSpec};
use crate::value::Number;
use poinsot_flexible::{ReducedBody, ShapeStresses};

/// The largest stress of a body, and all stresses at its gauges.
pub(super) fn offered_stresses(flexible: usize, spec: &FlexibleSpec) -> Vec<(String, Quantity)> {
    if spec.body.stresses.is_none() {
        return vec![];
    }
    let what = StressQuantity::VonMises;
    let largest = ("von_mises".to_owned(), Quantity::Stress { flexible, gauge: None, what });
    let of_gauge = |(gauge, one): (usize, &GaugeSpec)| {
        let stem = one.name.clone();
        let offered = StressQuantity::offered().into_iter();
        offered.map(move |(name, what)| {
            (format!("{stem}.{name}"), Quantity::Stress { flexible, gauge: Some(gauge), what })
        })
    };
    [largest].into_iter().chain(spec.gauges.iter().enumerate().flat_map(of_gauge)).collect()
}

impl Resolver<'_> {
    /// Gauges of a body.
    pub(super) fn gauges(
        &mut self,
        table: &FlexibleTable,
        body: &ReducedBody,
        labels: Option<&[u64]>,
    ) -> Option<Vec<GaugeSpec>> {
        let Some(first) = table.gauge.0.first() else { return Some(vec![]) };
        let Some(stresses) = &body.stresses else {
            let message = format!("the stresses of `{}` are not known", table.name.value);
            let help = "gauges are for bodies whose mesh has solids, shells or planes";
            let diagnostic = Diagnostic::error(message).at(first.span.clone(), "this gauge");
            self.diagnostics.push(diagnostic.help(help));
            return None;
        };
        let all: Vec<_> =
            table.gauge.0.iter().map(|gauge| self.gauge(table, gauge, body, stresses, labels)).collect();
        all.into_iter().collect()
    }

    fn gauge(
        &mut self,
        table: &FlexibleTable,
        gauge: &GaugeTable,
        body: &ReducedBody,
        stresses: &ShapeStresses,
        labels: Option<&[u64]>,
    ) -> Option<GaugeSpec> {
        self.gauge_name(table, gauge)?;
        let node = match (&gauge.point, &gauge.at) {
            (Some(number), None) => self.gauge_node(number, body, stresses, labels)?,
            (None, Some(at)) => {
                let place = self.vector(at)?;
                let distance = |node: &usize| (body.nodes[*node] - place).norm();
                *stresses.nodes.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?
            }
            _ => {
                let message = format!("the gauge `{}` needs one of `point`, `at`", gauge.name.value);
                self.diagnostics.push(Diagnostic::error(message).at(gauge.span.clone(), "this gauge"));
                return None;
            }
        };
        let place = self.gauge_place(gauge, stresses, node)?;
        Some(GaugeSpec { name: gauge.name.value.clone(), place })
    }

    /// The name is one that can be written in expressions, and not given twice.
    fn gauge_name(&mut self, table: &FlexibleTable, gauge: &GaugeTable) -> Option<()> {
        let name = &gauge.name;
        if !is_identifier(&name.value) {
            self.diagnostics.push(not_a_name(name, "gauge"));
            return None;
        }
        let interfaces = table.interface.0.iter().map(|interface| ("interface", &interface.name));
        let gauges = table.gauge.0.iter().map(|gauge| ("gauge", &gauge.name));
        let before = interfaces.chain(gauges).take_while(|(_, other)| other.span != name.span);
        let Some((noun, other)) = before.into_iter().find(|(_, other)| other.value == name.value) else {
            return Some(());
        };
        self.duplicate(name, "gauge", (noun, other.span.clone()));
        None
    }

    /// The node of a number or label, which must be on the surface.
    fn gauge_node(
        &mut self,
        number: &Number,
        body: &ReducedBody,
        stresses: &ShapeStresses,
        labels: Option<&[u64]>,
    ) -> Option<usize> {
        let node = match labels {
            None => self.whole(number, "the number of a node", body.nodes.len() as f64)? - 1,
            Some(labels) => {
                let value = self.number(number)?;
                let found = labels.iter().position(|label| *label as f64 == value);
                if found.is_none() {
                    let message = format!("the file has no node {value}");
                    self.diagnostics.push(Diagnostic::error(message).at(number.span(), "this label"));
                }
                found?
            }
        };
        if stresses.nodes.contains(&node) {
            return Some(node);
        }
        let diagnostic = Diagnostic::error("this node is not on the surface of the body");
        let help = "`at` finds the nearest node that is";
        self.diagnostics.push(diagnostic.at(number.span(), "no stress is kept here").help(help));
        None
    }

    /// The place of a node: of a shell one of two faces, which follow what a solid has there.
    fn gauge_place(&mut self, gauge: &GaugeTable, stresses: &ShapeStresses, node: usize) -> Option<usize> {
        let places = (0..stresses.nodes.len()).filter(|place| stresses.nodes[*place] == node);
        match (&places.collect::<Vec<_>>()[..], &gauge.side) {
            ([place], None) | ([place, _, _], None) => Some(*place),
            ([.., above, below], side) => match side.as_ref().map(|side| side.value) {
                None | Some(ShellSide::Above) => Some(*above),
                Some(ShellSide::Below) => Some(*below),
            },
            (_, side) => {
                let span = side.as_ref().map_or(gauge.span.clone(), |side| side.span.clone());
                let message = format!("the gauge `{}` is not on a shell", gauge.name.value);
                self.diagnostics.push(Diagnostic::error(message).at(span, "a solid has one side"));
                None
            }
        }
    }
}
