//! Bodies of finite elements, reduced to a few shapes.

use crate::diagnostic::{Diagnostic, Span};
use crate::file::{FlexibleMethod, FlexibleTable, HeldDirection, HeldTable, InterfaceKind, InterfaceTable};
use crate::resolve::Resolver;
use crate::value::List;
use poinsot_flexible::reduction::{
    self, Damping, InterfaceRequest, Method, ModeChoice, Reduction, Reference, reduce, stiffen,
};
use poinsot_flexible::{Component, FiniteElements, FullBody, Group, ReducedBody, Unknown};

/// Vibrations of a body that does not say how many.
const USUAL_MODES: usize = 6;

impl Resolver<'_> {
    /// Reduces a body of finite elements as its table asks.
    pub(super) fn reduce_elements(
        &mut self,
        table: &FlexibleTable,
        elements: &FiniteElements,
        groups: &[Group],
    ) -> Option<ReducedBody> {
        let full = elements.body();
        let request = self.reduction_request(table, &full, groups)?;
        let stiffened = table.geometric_stiffness.as_ref().is_some_and(|wanted| wanted.value);
        let reduced = reduce(&full, &request).and_then(|mut reduced| {
            if stiffened {
                stiffen(elements, &full, &request, &mut reduced)?;
            }
            Ok(reduced.in_metres(&full).body)
        });
        match reduced {
            Ok(body) => Some(body),
            Err(error) => {
                let message = format!("the flexible body `{}`: {error}", table.name.value);
                self.diagnostics.push(Diagnostic::error(message).at(table.name.span.clone(), "this body"));
                None
            }
        }
    }

    /// Stiffness of stress needs elements that know their stress.
    pub(super) fn refuse_geometric(&mut self, table: &FlexibleTable) -> Option<()> {
        let Some(wanted) = table.geometric_stiffness.as_ref().filter(|wanted| wanted.value) else {
            return Some(());
        };
        let message = format!("`{}` is not of finite elements: its stress is not known", table.name.value);
        let help = "remove the key, or describe the body by finite elements";
        self.diagnostics.push(Diagnostic::error(message).at(wanted.span.clone(), "needs stress").help(help));
        None
    }

    fn reduction_request(
        &mut self,
        table: &FlexibleTable,
        full: &FullBody,
        groups: &[Group],
    ) -> Option<Reduction> {
        let interfaces: Vec<_> = table
            .interface
            .0
            .iter()
            .map(|interface| self.interface_request(interface, full, groups))
            .collect();
        let modes = self.mode_choice(table)?;
        let method = match table.method.as_ref().map(|method| method.value) {
            None | Some(FlexibleMethod::CraigBampton) => Method::CraigBampton(modes),
            Some(FlexibleMethod::Free) => Method::Free { modes, corrections: 0 },
            Some(FlexibleMethod::Supported) => Method::Supported { modes, corrections: 0 },
        };
        Some(Reduction {
            interfaces: interfaces.into_iter().collect::<Option<_>>()?,
            method,
            reference: self.reference_of_frame(table, full)?,
            damping: self.damping_of_shapes(table)?,
            compare: 0,
        })
    }

    fn mode_choice(&mut self, table: &FlexibleTable) -> Option<ModeChoice> {
        match (&table.modes, &table.up_to) {
            (Some(_), Some(up_to)) => {
                let message = format!("`{}` has both `modes` and `up_to`", table.name.value);
                let diagnostic = Diagnostic::error(message).at(up_to.span().clone(), "the second of them");
                self.diagnostics.push(diagnostic.help("remove one of the two"));
                None
            }
            (Some(count), None) => {
                let value = self.number(count)?;
                let holds = value.fract() == 0.0 && (0.0..=1e4).contains(&value);
                let subject = format!("the number of modes of `{}`", table.name.value);
                self.demand(value, holds, count.span(), &subject, "a whole number from 0 on")?;
                Some(ModeChoice::Count(value as usize))
            }
            (None, Some(up_to)) => {
                let subject = format!("the highest frequency of `{}`", table.name.value);
                self.positive(up_to, &subject).map(ModeChoice::UpTo)
            }
            (None, None) => Some(ModeChoice::Count(USUAL_MODES)),
        }
    }

    fn interface_request(
        &mut self,
        table: &InterfaceTable,
        full: &FullBody,
        groups: &[Group],
    ) -> Option<InterfaceRequest> {
        let nodes = match (&table.point, &table.at, &table.group) {
            (Some(number), None, None) => vec![self.node_number(number, full)?],
            (None, Some(at), None) => {
                let at = self.vector(at)?;
                let distance = |k: &usize| (full.nodes[*k] - at).norm();
                vec![(0..full.nodes.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))?]
            }
            (None, None, Some(name)) => {
                let Some(group) = groups.iter().find(|group| group.name == name.value) else {
                    let names: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
                    self.unknown(name, "group of the mesh", &names);
                    return None;
                };
                group.nodes.clone()
            }
            _ => {
                let message =
                    format!("the interface `{}` needs one of `point`, `at`, `group`", table.name.value);
                self.diagnostics.push(Diagnostic::error(message).at(table.span.clone(), "this interface"));
                return None;
            }
        };
        let kind = match table.kind.as_ref().map(|kind| kind.value) {
            None | Some(InterfaceKind::Rigid) => reduction::InterfaceKind::Rigid,
            Some(InterfaceKind::Mean) => reduction::InterfaceKind::Mean,
        };
        Some(InterfaceRequest { kind, ..InterfaceRequest::rigid(&table.name.value, &nodes) })
    }

    fn node_number(&mut self, number: &crate::value::Number, full: &FullBody) -> Option<usize> {
        self.whole(number, "the number of a node", full.nodes.len() as f64).map(|number| number - 1)
    }

    fn reference_of_frame(&mut self, table: &FlexibleTable, full: &FullBody) -> Option<Reference> {
        match (&table.reference, &table.held) {
            (Some(_), Some(held)) => {
                let message = format!("`{}` has both `reference` and `held`", table.name.value);
                let diagnostic = Diagnostic::error(message).at(held.span.clone(), "the second of them");
                self.diagnostics.push(diagnostic.help("remove one of the two"));
                None
            }
            (None, Some(held)) => self.held_unknowns(&held.value, full).map(Reference::Held),
            (None, None) => Some(Reference::MeanAxis),
            (Some(name), None) if name.value == "mean_axis" => Some(Reference::MeanAxis),
            (Some(name), None) => {
                let names: Vec<&str> =
                    table.interface.0.iter().map(|interface| interface.name.value.as_str()).collect();
                if names.contains(&name.value.as_str()) {
                    return Some(Reference::Interface(name.value.clone()));
                }
                let all: Vec<&str> = names.into_iter().chain(["mean_axis"]).collect();
                self.unknown(name, "reference", &all);
                None
            }
        }
    }

    fn held_unknowns(&mut self, list: &List<HeldTable>, full: &FullBody) -> Option<Vec<Unknown>> {
        let mut unknowns = vec![];
        for held in &list.0 {
            let node = self.node_number(&held.point, full)?;
            for direction in &held.directions.value.0 {
                let component = component(direction.value);
                let unknown = Unknown { node, component };
                if !full.unknowns.contains(&unknown) {
                    self.not_an_unknown(&direction.span);
                    return None;
                }
                unknowns.push(unknown);
            }
        }
        Some(unknowns)
    }

    fn not_an_unknown(&mut self, span: &Span) {
        let message = "the body has no such motion at this node";
        let help = "planar lines move along x and y and turn about z, solids do not turn";
        self.diagnostics.push(Diagnostic::error(message).at(span.clone(), "cannot be held").help(help));
    }

    fn damping_of_shapes(&mut self, table: &FlexibleTable) -> Option<Damping> {
        let Some(rayleigh) = &table.rayleigh else { return Some(Damping::None) };
        if let Some(ratios) = &table.damping {
            let message = format!("`{}` has both `damping` and `rayleigh`", table.name.value);
            let diagnostic = Diagnostic::error(message).at(rayleigh.span.clone(), "the second of them");
            self.diagnostics.push(diagnostic.and(ratios.span.clone(), "the first"));
            return None;
        }
        let subject = format!("the damping of `{}`", table.name.value);
        let [mass, stiffness] = rayleigh.value.each_ref().map(|number| self.damping(number, &subject));
        Some(Damping::Rayleigh { mass: mass?, stiffness: stiffness? })
    }
}

fn component(direction: HeldDirection) -> Component {
    match direction {
        HeldDirection::X => Component::Translation(0),
        HeldDirection::Y => Component::Translation(1),
        HeldDirection::Z => Component::Translation(2),
        HeldDirection::Rx => Component::Rotation(0),
        HeldDirection::Ry => Component::Rotation(1),
        HeldDirection::Rz => Component::Rotation(2),
    }
}
