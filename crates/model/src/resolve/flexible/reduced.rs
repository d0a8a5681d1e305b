//! Bodies of finite elements, reduced to a few shapes.

use super::Shapes;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{
    FlexibleMethod, FlexibleTable, HeldDirection, HeldTable, InterfaceKind, InterfaceTable, Triple,
};
use crate::resolve::Resolver;
use crate::value::List;
use crate::value::Number;
use crate::{FlexibleRecipe, FullBodyData, RecipeError};
use poinsot_flexible::reduction::{
    self, Damping, InterfaceRequest, Method, ModeChoice, Reduction, Reference,
};
use poinsot_flexible::{Component, Doubt, Group, Unknown, read_columns};
use poinsot_geometry::Vec3;
use poinsot_geometry::nalgebra::DMatrix;
use std::sync::Arc;

/// Vibrations of a body that does not say how many.
const USUAL_MODES: usize = 6;

/// What interfaces and held points are chosen from.
pub(super) struct Outline<'a> {
    /// Places of the nodes (m).
    pub nodes: &'a [Vec3],
    /// The unknowns.
    pub unknowns: &'a [Unknown],
    /// Groups of nodes.
    pub groups: &'a [Group],
    /// Labels of the nodes in their file; without it they are counted from 1.
    pub labels: Option<&'a [u64]>,
}

impl Outline<'_> {
    /// What a node is called.
    fn label(&self, node: usize) -> usize {
        let label = self.labels.and_then(|labels| labels.get(node));
        label.map_or(node + 1, |label| *label as usize)
    }
}

impl Resolver<'_> {
    /// Reduces a body of finite elements or matrices as its table asks.
    pub(super) fn reduce_body(
        &mut self,
        table: &FlexibleTable,
        outline: &Outline,
        data: FullBodyData,
        place: &Span,
    ) -> Option<Shapes> {
        let interfaces: Vec<_> =
            table.interface.0.iter().map(|interface| self.interface_request(interface, outline)).collect();
        let modes = self.mode_choice(table)?;
        let method = self.method_of_shapes(table, modes)?;
        let request = Reduction {
            interfaces: interfaces.into_iter().collect::<Option<_>>()?,
            method,
            reference: self.reference_of_frame(table, outline)?,
            damping: self.damping_of_shapes(table)?,
            compare: 0,
        };
        let geometric = table.geometric_stiffness.as_ref().is_some_and(|wanted| wanted.value);
        let recipe = Arc::new(FlexibleRecipe { data, request, geometric });
        let made = match self.files.flexible.get(&recipe) {
            Ok(made) => made,
            Err(error) => {
                self.not_reduced(table, outline, error);
                return None;
            }
        };
        for doubt in &made.doubts {
            let message = format!("the flexible body `{}`: {doubt}", table.name.value);
            let diagnostic = Diagnostic::warning(message).at(place.clone(), "its data");
            self.diagnostics.push(diagnostic.maybe_help(remedy(doubt).map(str::to_owned)));
        }
        let report = Some(Arc::new(made.report.clone()));
        let labels = outline.labels.map(<[u64]>::to_vec);
        Some(Shapes { body: made.body.clone(), recipe: Some(recipe), report, labels })
    }

    fn method_of_shapes(&mut self, table: &FlexibleTable, modes: ModeChoice) -> Option<Method> {
        let method = table.method.as_ref().map_or(FlexibleMethod::CraigBampton, |method| method.value);
        if let (FlexibleMethod::CraigBampton | FlexibleMethod::Given, Some(blocks)) =
            (method, &table.corrections)
        {
            let message = "`corrections` belong to the methods \"free\" and \"supported\"";
            let help = "shapes of Craig and Bampton answer loads at interfaces exactly";
            self.diagnostics.push(Diagnostic::error(message).at(blocks.span(), "not here").help(help));
            return None;
        }
        if let (Some(shapes), true) = (&table.shapes, method != FlexibleMethod::Given) {
            let message = "`shapes` belong to the method \"given\"";
            self.diagnostics.push(Diagnostic::error(message).at(shapes.span.clone(), "not here"));
            return None;
        }
        let corrections = match &table.corrections {
            None => 0,
            Some(blocks) => {
                let value = self.number(blocks)?;
                let holds = value.fract() == 0.0 && (0.0..=20.0).contains(&value);
                let subject = format!("the number of corrections of `{}`", table.name.value);
                self.demand(value, holds, blocks.span(), &subject, "a whole number from 0 to 20")? as usize
            }
        };
        Some(match method {
            FlexibleMethod::CraigBampton => Method::CraigBampton(modes),
            FlexibleMethod::Free => Method::Free { modes, corrections },
            FlexibleMethod::Supported => Method::Supported { modes, corrections },
            FlexibleMethod::Given => Method::Given(self.given_shapes(table)?),
        })
    }

    /// Shapes of a file.
    fn given_shapes(&mut self, table: &FlexibleTable) -> Option<DMatrix<f64>> {
        for (key, number) in [("modes", &table.modes), ("up_to", &table.up_to)] {
            if let Some(number) = number {
                let message =
                    format!("`{key}` chooses vibrations, and the shapes of `{}` are given", table.name.value);
                self.diagnostics.push(Diagnostic::error(message).at(number.span(), "remove it"));
                return None;
            }
        }
        let Some(file) = &table.shapes else {
            let message = format!("the shapes of `{}` are to be given", table.name.value);
            let help =
                "name their file: `shapes = \"shapes.csv\"`, a row for each unknown, a column for each shape";
            let diagnostic = Diagnostic::error(message).at(table.name.span.clone(), "this body");
            self.diagnostics.push(diagnostic.help(help));
            return None;
        };
        let bytes = self.file_beside(file, &file.value)?;
        read_columns(&file.value, &bytes).map_err(|error| self.file_fault(&error, &file.span)).ok()
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

    /// Says why a body cannot be reduced, at the interface that it is about.
    fn not_reduced(&mut self, table: &FlexibleTable, outline: &Outline, error: RecipeError) {
        let error = match error {
            RecipeError::Reduction(error) => {
                RecipeError::Reduction(error.with_labels(|node| outline.label(node)))
            }
            other => other,
        };
        let about = match &error {
            RecipeError::Reduction(error) => error.interface(),
            RecipeError::Elements(_) | RecipeError::Matrices(_) => None,
        };
        let interface = table.interface.0.iter().find(|one| Some(one.name.value.as_str()) == about);
        let (span, what) = match interface {
            Some(interface) => (interface.span.clone(), "this interface"),
            None => (table.name.span.clone(), "this body"),
        };
        let message = format!("the flexible body `{}`: {error}", table.name.value);
        self.diagnostics.push(Diagnostic::error(message).at(span, what));
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

    fn interface_request(&mut self, table: &InterfaceTable, outline: &Outline) -> Option<InterfaceRequest> {
        self.radius_has_a_place(table)?;
        let nodes = match (&table.point, &table.at, &table.group) {
            (Some(number), None, None) => vec![self.node_number(number, outline)?],
            (None, Some(at), None) => self.nodes_near(at, table.radius.as_ref(), outline)?,
            (None, None, Some(name)) => {
                let groups = outline.groups;
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

    fn radius_has_a_place(&mut self, table: &InterfaceTable) -> Option<()> {
        let (Some(radius), None) = (&table.radius, &table.at) else { return Some(()) };
        let message = format!("the interface `{}` has a `radius` without `at`", table.name.value);
        self.diagnostics.push(Diagnostic::error(message).at(radius.span(), "around which place?"));
        None
    }

    /// The nearest node, or all within a radius.
    fn nodes_near(&mut self, at: &Triple, radius: Option<&Number>, outline: &Outline) -> Option<Vec<usize>> {
        let radius = radius.map(|radius| self.positive(radius, "the radius of an interface"));
        let place = self.vector(at)?;
        let distance = |k: &usize| (outline.nodes[*k] - place).norm();
        let all = 0..outline.nodes.len();
        let nearest = all.clone().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let Some(radius) = radius else { return Some(vec![nearest]) };
        let radius = radius?;
        let near: Vec<usize> = all.filter(|k| distance(k) <= radius).collect();
        if near.is_empty() {
            let message = format!("no node is within {radius} m of this place");
            let help = format!("the nearest is {:.6} m away", distance(&nearest));
            self.diagnostics.push(Diagnostic::error(message).at(at.span.clone(), "here").help(help));
            return None;
        }
        Some(near)
    }

    /// A node by its label, or by its number from 1.
    fn node_number(&mut self, number: &Number, outline: &Outline) -> Option<usize> {
        let Some(labels) = outline.labels else {
            return self.whole(number, "the number of a node", outline.nodes.len() as f64).map(|k| k - 1);
        };
        let value = self.number(number)?;
        let found = labels.iter().position(|label| *label as f64 == value);
        if found.is_none() {
            let message = format!("the file has no node {value} with mass or stiffness");
            self.diagnostics.push(Diagnostic::error(message).at(number.span(), "this label"));
        }
        found
    }

    fn reference_of_frame(&mut self, table: &FlexibleTable, outline: &Outline) -> Option<Reference> {
        match (&table.reference, &table.held) {
            (Some(_), Some(held)) => {
                let message = format!("`{}` has both `reference` and `held`", table.name.value);
                let diagnostic = Diagnostic::error(message).at(held.span.clone(), "the second of them");
                self.diagnostics.push(diagnostic.help("remove one of the two"));
                None
            }
            (None, Some(held)) => self.held_unknowns(&held.value, outline).map(Reference::Held),
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

    fn held_unknowns(&mut self, list: &List<HeldTable>, outline: &Outline) -> Option<Vec<Unknown>> {
        let mut unknowns = vec![];
        for held in &list.0 {
            let node = self.node_number(&held.point, outline)?;
            for direction in &held.directions.value.0 {
                let component = component(direction.value);
                let unknown = Unknown { node, component };
                if !outline.unknowns.contains(&unknown) {
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

    pub(super) fn damping_of_shapes(&mut self, table: &FlexibleTable) -> Option<Damping> {
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

/// What to do about doubtful units.
fn remedy(doubt: &Doubt) -> Option<&'static str> {
    match doubt {
        Doubt::Units { .. } | Doubt::Size { .. } => {
            Some("`scale = 0.001` is for files in mm; with t and MPa also `mass_unit = 1000`")
        }
        _ => None,
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
