//! What a force declares.

use crate::build::Site;
use crate::declared::Declared;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{Axis, FileTable, Frame};
use crate::joints::Dimension;
use crate::quantity::Quantity;
use crate::resolve::end::End;
use crate::resolve::{Resolver, transpose};
use crate::spec::{BodyRef, EndSpec, Formula};
use crate::value::{Number, Text};
use poinsot_expr::{Function, SmoothFunction};
use poinsot_geometry::Vec3;
use poinsot_mechanics::{Coordinate, Force};
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;
use thiserror::Error;

use crate::file::Triple;

/// What is the same for all forces of a type.
#[derive(Clone, Copy, Debug)]
pub struct ForceType {
    /// Its word in the file.
    pub word: &'static str,
    /// What messages call it.
    pub noun: &'static str,
    /// What it is, for the reference page.
    pub what: &'static str,
    /// The coordinate that it works along, if it has one.
    pub along: Option<ForceCoordinate>,
    /// What of it can be an input of a linear system.
    pub input: ForceInput,
    /// Whether it is drawn as a spring between its ends.
    pub is_link: bool,
    /// Whether rods are drawn to its ends on bodies without a look.
    pub holds_rods: bool,
    /// More for the reference page.
    pub notes: &'static str,
    /// A force of a model file, for the reference page.
    pub example: &'static str,
}

impl ForceType {
    /// The component of an input of the name `NAME` or `NAME.axis`; the axis is empty if there is none of
    /// that name. An error says what inputs there are.
    pub(crate) fn component(
        &self,
        name: &str,
        axis: Option<Option<Axis>>,
    ) -> Result<Option<Axis>, NotAnInput> {
        match (self.input, axis) {
            (ForceInput::Components, Some(Some(axis))) => Ok(Some(axis)),
            (ForceInput::Whole(_), None) => Ok(None),
            (ForceInput::Components, _) => Err(NotAnInput::Component(name.into())),
            (ForceInput::Whole(what), _) => Err(NotAnInput::Whole { what, name: name.into() }),
            (ForceInput::None(why), _) => Err(NotAnInput::None(why)),
        }
    }
}

/// Why a name is no input, and what is.
#[derive(Clone, Debug, Error, PartialEq)]
pub(crate) enum NotAnInput {
    /// A force with components.
    #[error("name a component: {0}.x, {0}.y or {0}.z")]
    Component(String),
    /// A force that is one input.
    #[error("{what} is `{name}`")]
    Whole { what: &'static str, name: String },
    /// A force that is none.
    #[error("{0}")]
    None(&'static str),
}

/// The scalar coordinate of a force, its rate and the effort as quantities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForceCoordinate {
    /// Name of the coordinate.
    pub name: &'static str,
    /// Name of its rate.
    pub rate: &'static str,
    /// Name of the force or torque along it.
    pub effort: &'static str,
    /// What it measures.
    pub dimension: Dimension,
    /// The sign of the effort, for the reference page.
    pub sign: &'static str,
}

/// What of a force can be an input of a linear system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForceInput {
    /// Each of its components.
    Components,
    /// The one force that it adds, in words.
    Whole(&'static str),
    /// Nothing, and why.
    None(&'static str),
}

/// A load with given components.
#[derive(Clone, Copy, Debug)]
pub struct Load<'a> {
    /// What it acts on; the axes of the frame are those of a follower's components.
    pub on: &'a EndSpec,
    /// Components as functions of `t`.
    pub components: &'a [Function; 3],
    /// Axes of the components.
    pub frame: Frame,
    /// Whether it is a torque.
    pub is_torque: bool,
}

/// A force's law with its numbers.
pub trait ForceLaw: Any + Debug + Send + Sync {
    /// Its type.
    fn declaration(&self) -> &'static ForceType;

    /// The element of the system.
    fn force(&self, site: &Site) -> Box<dyn Force>;

    /// The coordinate that [`ForceType::along`] names.
    fn coordinate(&self, _site: &Site) -> Option<Coordinate> {
        None
    }

    /// Stiffness, damping and free value of its coordinate.
    fn spring(&self) -> Option<[f64; 3]> {
        None
    }

    /// Functions in it whose first argument is the time.
    fn laws(&self) -> &[Function] {
        &[]
    }

    /// Its two ends.
    fn ends(&self) -> Option<[&EndSpec; 2]> {
        None
    }

    /// The load that it is.
    fn load(&self) -> Option<Load<'_>> {
        None
    }

    /// Whether it holds a place along a line.
    fn holds_line(&self) -> bool {
        let load = self.load().map(|load| load.on);
        self.ends().into_iter().flatten().chain(load).any(|end| end.line.is_some())
    }

    /// The body that carries spin momentum by it, its direction in body axes and its size.
    fn spin(&self) -> Option<(BodyRef, Vec3, f64)> {
        None
    }
}

/// A force as the file has it.
pub(crate) trait ForceEntry: Declared<ForceType> {
    /// Checks it and finds its ends.
    fn resolve(&self, resolver: &mut Resolver, file: &FileTable) -> Option<ForceSpec>;

    /// The expressions that make its inputs, if it has any.
    fn law_keys(&self) -> Option<LawKeys<'_>> {
        None
    }
}

/// The expressions of a force: one for each input of its element, with its own names in them.
pub(crate) struct LawKeys<'a> {
    /// In the order of the inputs.
    pub efforts: Vec<&'a Number>,
    /// Names that mean something of the force itself.
    pub own: &'static [(&'static str, Own)],
    /// Whether the element has no law of its own, so that even numbers are a law here.
    pub always: bool,
}

/// What a name of a force's own means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Own {
    /// The time.
    Time,
    /// The coordinate that the force works along.
    Coordinate,
    /// Its rate.
    Rate,
}

/// The names in the components of loads.
pub(super) const LOAD_NAMES: &[(&str, Own)] = &[("t", Own::Time)];

/// A load or a compliant element.
#[derive(Clone, Debug)]
pub struct ForceSpec {
    /// Its name.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// What it is.
    pub kind: Arc<dyn ForceLaw>,
    /// What its inputs are where they read the running system: signals and forces of springs put in,
    /// parameters by name; the time is `time`. The element itself then adds nothing of its own.
    pub law: Option<Vec<Formula>>,
    /// Whether it holds a place along a line, or its law reads how a spring moves that does.
    pub on_lines: bool,
}

impl ForceSpec {
    /// A force of a table.
    pub(super) fn new(table: &dyn Declared<ForceType>, law: impl ForceLaw) -> Self {
        let Text { value, span, .. } = table.name().clone();
        let on_lines = law.holds_line();
        ForceSpec { name: value, span, kind: Arc::new(law), law: None, on_lines }
    }

    /// Whether its law is a load of the network: it reads variables of first-order equations, and no
    /// reactions.
    pub fn is_network_load(&self) -> bool {
        let quantities = || self.law.iter().flatten().flat_map(|law| &law.quantities);
        let variables = quantities().any(|quantity| matches!(quantity, Quantity::Variable { .. }));
        // Readings and loads of networks are on nodes.
        variables && !self.on_lines && !quantities().any(|quantity| quantity.is_reaction())
    }

    /// The law if it is of this type.
    pub fn law<L: ForceLaw>(&self) -> Option<&L> {
        (&*self.kind as &dyn Any).downcast_ref()
    }
}

/// Argument of the components of loads.
pub(crate) const LOAD_ARGUMENTS: &[&str] = &["t"];

impl Resolver<'_> {
    pub(crate) fn function(&mut self, number: &Number, arguments: &[&str]) -> Option<Function> {
        self.scope.function(number, arguments, &mut self.diagnostics)
    }

    /// The components of a load as functions of time; zero where they read the running system.
    pub(super) fn load_components(&mut self, triple: &Triple, file: &FileTable) -> Option<[Function; 3]> {
        if triple.value.iter().any(|number| self.reads_state(number, LOAD_ARGUMENTS, file)) {
            return Some([0.0; 3].map(Function::constant));
        }
        let [x, y, z] = triple.value.each_ref().map(|n| self.function(n, LOAD_ARGUMENTS));
        Some([x?, y?, z?])
    }

    /// The law of a spring as a function of its arguments; none where it reads the running system.
    pub(super) fn spring_law(
        &mut self,
        law: Option<&Number>,
        arguments: &[&str],
        file: &FileTable,
    ) -> Option<Option<Function>> {
        let law = law.filter(|law| !self.reads_state(law, arguments, file));
        transpose(law.map(|law| self.function(law, arguments)))
    }

    /// A number that may depend on `arguments`, with second derivatives.
    pub(crate) fn smooth(&mut self, number: &Number, arguments: &[&str]) -> Option<SmoothFunction> {
        self.scope.smooth(number, arguments, &mut self.diagnostics)
    }

    pub(crate) fn smooth_components(
        &mut self,
        triple: &Triple,
        arguments: &[&str],
    ) -> Option<[SmoothFunction; 3]> {
        let [x, y, z] = triple.value.each_ref().map(|n| self.smooth(n, arguments));
        Some([x?, y?, z?])
    }

    /// The end a load acts on: not the ground, which would not notice.
    pub(crate) fn loaded(&mut self, on: &Text) -> Option<End> {
        let end = self.end(on)?;
        if end.0 == BodyRef::Ground {
            self.diagnostics.push(
                Diagnostic::error("a load on the ground has no effect").at(on.span.clone(), "does not move"),
            );
            return None;
        }
        self.place(end)
    }

    /// The same, or a place along a line.
    pub(super) fn loaded_place(&mut self, on: &Text, file: &FileTable) -> Option<End> {
        if Self::is_line_place(on) { self.end_or_place(on, file) } else { self.loaded(on) }
    }

    /// A load on a place along a line has components in world axes and no point of its own.
    pub(super) fn plain_on_line(
        &mut self,
        on: &Text,
        frame: Frame,
        at: Option<&Triple>,
        why: &str,
    ) -> Option<()> {
        let refused = match (frame, at) {
            (Frame::World, None) => return Some(()),
            (Frame::World, Some(at)) => (at.span.clone(), "remove `at`"),
            (Frame::Body, _) => (on.span.clone(), "only with frame = \"world\""),
        };
        self.diagnostics.push(
            Diagnostic::error(format!("this load cannot act on `{}`: {why}", on.value))
                .at(refused.0, refused.1)
                .help("write components in world axes, or name a node"),
        );
        None
    }

    /// Reports a torque that a place along a line cannot take.
    pub(super) fn no_torque_on_line(&mut self, on: &Text) {
        self.diagnostics.push(
            Diagnostic::error(format!("this torque cannot act on `{}`: no node is there", on.value))
                .at(on.span.clone(), "a place between nodes")
                .help(
                    "torques in world axes that follow time act anywhere on lines with slopes along them \
                     (formulation = \"ancf\"); others name a node",
                ),
        );
    }

    /// Warns of a spring that does nothing.
    pub(super) fn warn_idle(&mut self, name: &Text, coefficients: [f64; 2], has_law: bool) {
        if coefficients == [0.0, 0.0] && !has_law {
            self.diagnostics.push(
                Diagnostic::warning(format!("`{}` has no stiffness, no damping and no law", name.value))
                    .at(name.span.clone(), "has no effect"),
            );
        }
    }
}

/// The end with the frame of the body or marker itself.
pub(crate) fn own_frame(end: End) -> EndSpec {
    end.with_frame(end.pose)
}
