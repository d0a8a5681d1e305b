//! Laws of the state as elements of the system.

use super::parts::{Argument, Parts};
use crate::diagnostic::{Diagnostic, Span};
use crate::file::Axis;
use crate::quantity::{ConstraintQuantity, CouplingQuantity, DriveQuantity, JointQuantity, Quantity};
use crate::resolve::state_law::SECTION_NAMES;
use crate::spec::{Axial, EffortSpec, EffortTarget, EndSpec, ForceSpec, Formula, LawSpec, StopLawSpec};
use poinsot_expr::{Expr, Function};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::ancf::{CableLoadKind, CableStateLoad, SlopeNode};
use poinsot_mechanics::beams::{LineReadings, LoadAxes, StateLoad, StateMoment};
use poinsot_mechanics::forces::{CoordinateForce, Governed, PointForce, StateLawError, Torque};
use poinsot_mechanics::joints::Attachment;
use poinsot_mechanics::{
    Carried, Force, Frame, GROUND, MAX_CARRIED, MAX_UNKNOWNS, ReactionPart, ReactionReading, ReadDirection,
    Reading, VariableReading,
};

/// An element of a beam that a load or a moment per length acts on.
#[derive(Clone, Copy)]
pub(super) struct LineElement<'a> {
    pub nodes: &'a [Attachment],
    pub reference: &'a [Frame],
    /// Arc length where it starts.
    pub from: f64,
    pub axes: LoadAxes,
}

/// An element of a line with slopes that a load or a moment per length acts on.
#[derive(Clone, Copy)]
pub(super) struct CableElement<'a> {
    pub ends: &'a [SlopeNode; 2],
    /// Arc length where it starts, and its length.
    pub from: f64,
    pub length: f64,
    /// Section axes at its start in the reference.
    pub axes: &'a Mat3,
    pub normal: Option<Vec3>,
}

/// Name of the time in laws.
const TIME: &str = "time";

/// An expression of quantities, as a force or a block of equations has it.
#[derive(Clone)]
struct Law<'a> {
    expr: Expr,
    arguments: &'a [String],
    quantities: &'a [Quantity],
    span: &'a Span,
}

/// Laws as functions of what they read.
struct Functions {
    readings: Vec<Reading>,
    reactions: Vec<ReactionReading>,
    variables: Vec<VariableReading>,
    efforts: Vec<Function>,
}

impl<'a> From<&'a Formula> for Law<'a> {
    fn from(law: &'a Formula) -> Self {
        let Formula { expr, arguments, quantities, span, .. } = law;
        Law { expr: expr.clone(), arguments, quantities, span }
    }
}

impl<'a> From<&'a LawSpec> for Law<'a> {
    fn from(law: &'a LawSpec) -> Self {
        let LawSpec { expr, arguments, quantities, span, .. } = law;
        Law { expr: expr.clone(), arguments, quantities, span }
    }
}

impl Parts<'_> {
    /// The element of a force. A law that is a load of the network comes with it.
    pub fn force(&self, spec: &ForceSpec) -> Result<Box<dyn Force>, Diagnostic> {
        let element = spec.kind.force(&self.site());
        match &spec.law {
            Some(law) if !spec.is_network_load() => {
                self.governed(element, &law.iter().map(Law::from).collect::<Vec<_>>())
            }
            _ => Ok(element),
        }
    }

    /// Adds the loads of blocks of equations without variables.
    pub fn static_loads(&mut self) -> Result<(), Diagnostic> {
        for block in self.model.equations.iter().filter(|block| block.variables.is_empty()) {
            for load in &block.loads {
                let law = self.static_load(load)?;
                self.builder.force(&block.name, law);
            }
        }
        Ok(())
    }

    fn static_load(&self, load: &EffortSpec) -> Result<Box<dyn Force>, Diagnostic> {
        let law = Law::from(&load.law);
        match &load.on {
            // A tension works against its coordinate.
            EffortTarget::Coordinate(quantity) => {
                let Some(Argument::Coordinate(coordinate)) = self.argument(*quantity) else {
                    return Err(unreadable(&load.name, &load.span));
                };
                let element =
                    CoordinateForce { coordinate, stiffness: 0.0, damping: 0.0, free: 0.0, law: None };
                self.governed(Box::new(element), &[Law { expr: -law.expr.clone(), ..law }])
            }
            EffortTarget::Component { on, axis, is_torque } => {
                let idle = Law { expr: Expr::number(0.0), arguments: &[], quantities: &[], ..law };
                let mut laws = [idle.clone(), idle.clone(), idle];
                laws[axis.index()] = law;
                self.governed(self.idle_load(on, *is_torque), &laws)
            }
        }
    }

    /// A load of world components that are zero, for others to push.
    pub fn idle_load(&self, on: &EndSpec, is_torque: bool) -> Box<dyn Force> {
        let (at, zero) = (self.attach(on), [0.0; 3].map(Function::constant));
        match is_torque {
            true => Box::new(Torque::dead(at.node, zero)),
            false => Box::new(PointForce::dead(at.node, at.origin, zero)),
        }
    }

    /// An element whose inputs follow expressions of positions, velocities, reactions, variables and time.
    fn governed(&self, element: Box<dyn Force>, laws: &[Law]) -> Result<Box<dyn Force>, Diagnostic> {
        let Functions { readings, reactions, variables, efforts } = self.functions(laws, vec![TIME])?;
        let governed = Governed::reading(element, readings, (reactions, variables), &efforts);
        self.fitting(Box::new(governed.map_err(|e| too_long(&e, laws))?), laws)
    }

    /// The element, if it does not touch more than one can.
    fn fitting(&self, element: Box<dyn Force>, laws: &[Law]) -> Result<Box<dyn Force>, Diagnostic> {
        let vectors = self.builder.vectors_of(element.carried());
        if vectors > MAX_CARRIED {
            return Err(too_long(&StateLawError::Vectors(vectors), laws));
        }
        match self.builder.unknowns_of(element.carried()) {
            0..=MAX_UNKNOWNS => Ok(element),
            n => {
                let most = format!("a law may have to do with {MAX_UNKNOWNS}, those of nine bodies in space");
                Err(too_long(&format!("it reads bodies that move by {n} unknowns, and {most}"), laws))
            }
        }
    }

    /// Stops of a joint whose keys are laws.
    pub fn stop_law(&self, joint: usize, stop: &StopLawSpec) -> Result<Box<dyn Force>, Diagnostic> {
        let coordinate = self.coordinates[joint][stop.coordinate].clone();
        let idle = CoordinateForce { coordinate, stiffness: 0.0, damping: 0.0, free: 0.0, law: None };
        self.governed(Box::new(idle), &stop.law.iter().map(Law::from).collect::<Vec<_>>())
    }

    /// A load along an element of a beam that reads the state.
    pub fn line_load(&self, laws: &[LawSpec; 3], on: &LineElement) -> Result<Box<dyn Force>, Diagnostic> {
        let laws = laws.each_ref().map(Law::from);
        let (read, efforts) = self.line_functions(&laws)?;
        let LineElement { nodes, reference, from, axes } = *on;
        let load = StateLoad::new(nodes, reference, from, axes, read, &efforts);
        self.fitting(Box::new(load.map_err(|e| too_long(&e, &laws))?), &laws)
    }

    /// The same on nodes with slopes across the line, which have no axis along it.
    pub fn section_line_load(
        &self,
        laws: &[LawSpec; 3],
        on: &LineElement,
        vectors: &[Vec<Carried>],
    ) -> Result<Box<dyn Force>, Diagnostic> {
        let laws = laws.each_ref().map(Law::from);
        let (read, efforts) = self.line_functions(&laws)?;
        let LineElement { nodes, reference, from, axes } = *on;
        let load = StateLoad::on_vectors(vectors, (nodes, reference), from, axes, read, &efforts);
        self.fitting(Box::new(load.map_err(|e| too_long(&e, &laws))?), &laws)
    }

    /// A load or moment along an element of a line with slopes that reads the state.
    pub fn cable_load(
        &self,
        laws: &[LawSpec; 3],
        on: &CableElement,
        kind: CableLoadKind,
    ) -> Result<Box<dyn Force>, Diagnostic> {
        let laws = laws.each_ref().map(Law::from);
        let (read, efforts) = self.line_functions(&laws)?;
        let CableElement { ends, from, length, axes, normal } = *on;
        let load = CableStateLoad::new(ends, from, length, kind, axes, normal, read, &efforts);
        self.fitting(Box::new(load.map_err(|e| too_long(&e, &laws))?), &laws)
    }

    /// A moment along an element of a beam that reads the state.
    pub fn line_moment(&self, laws: &[LawSpec; 3], on: &LineElement) -> Result<Box<dyn Force>, Diagnostic> {
        let laws = laws.each_ref().map(Law::from);
        let (read, efforts) = self.line_functions(&laws)?;
        let LineElement { nodes, reference, from, axes } = *on;
        let moment = StateMoment::new(nodes, reference, from, axes, read, &efforts);
        self.fitting(Box::new(moment.map_err(|e| too_long(&e, &laws))?), &laws)
    }

    /// What laws along a beam read, and the laws as functions of it.
    fn line_functions(&self, laws: &[Law; 3]) -> Result<(LineReadings, [Function; 3]), Diagnostic> {
        let own = [TIME, "s"].into_iter().chain(SECTION_NAMES).collect();
        let Functions { readings, reactions, variables, efforts } = self.functions(laws, own)?;
        let efforts = efforts.try_into().expect("as many functions as laws");
        Ok(((readings, reactions, variables), efforts))
    }

    /// What laws read, and the laws as functions of arguments that have names already, then of the readings,
    /// of the reactions and of the variables.
    fn functions<'a>(&self, laws: &'a [Law], mut names: Vec<&'a str>) -> Result<Functions, Diagnostic> {
        let (mut readings, mut pressing, mut reactions) = (vec![], vec![], vec![]);
        let (mut network, mut variables) = (vec![], vec![]);
        for law in laws {
            for (name, quantity) in law.arguments.iter().zip(law.quantities) {
                let unreadable = || unreadable(name, law.span);
                if [&names, &pressing, &network].iter().any(|known| known.contains(&name.as_str())) {
                    continue;
                }
                if quantity.is_reaction() {
                    reactions.push(self.reaction(*quantity).ok_or_else(unreadable)?);
                    pressing.push(name.as_str());
                } else if let Quantity::Variable { equations, index, .. } = *quantity {
                    variables.push(self.variable(equations, index));
                    network.push(name.as_str());
                } else {
                    readings.push(self.reading(*quantity).ok_or_else(unreadable)?);
                    names.push(name.as_str());
                }
            }
        }
        names.extend(pressing.into_iter().chain(network));
        let constant = |name: &str| self.model.parameters.iter().find(|p| p.name == name).map(|p| p.value);
        let function = |law: &Law| {
            Function::new(&law.expr, &names, &constant)
                .map_err(|error| Diagnostic::error(error.to_string()).at(law.span.clone(), "this law"))
        };
        let efforts = laws.iter().map(function).collect::<Result<_, _>>()?;
        Ok(Functions { readings, reactions, variables, efforts })
    }

    /// A variable of a block in the network that all blocks make.
    fn variable(&self, block: usize, index: usize) -> VariableReading {
        let before = self.model.equations[..block].iter().map(|block| block.variables.len());
        VariableReading { network: 0, variable: before.sum::<usize>() + index }
    }

    /// What a law reads.
    pub fn reading(&self, quantity: Quantity) -> Option<Reading> {
        match self.argument(quantity)? {
            Argument::Coordinate(s) => Some(Reading::Coordinate(s)),
            Argument::Speed(w) => Some(Reading::Speed(w)),
            Argument::Time => None,
        }
    }

    /// The reaction that a law reads.
    fn reaction(&self, quantity: Quantity) -> Option<ReactionReading> {
        let multiplier = |factor: f64| ReactionPart::Multiplier { row: 0, factor };
        let (constraint, part) = match quantity {
            Quantity::Joint { joint, what } => (joint, self.joint_reaction(joint, what)?),
            Quantity::Coupling { coupling, what: CouplingQuantity::Load } => {
                (self.couplings[coupling], multiplier(-1.0))
            }
            Quantity::Drive { drive, what } => {
                let part = match what {
                    DriveQuantity::Effort => multiplier(-1.0),
                    DriveQuantity::Force(axis) => ReactionPart::Force(world(axis)),
                    DriveQuantity::Torque(axis) => ReactionPart::Torque(world(axis)),
                    DriveQuantity::Power => return None,
                };
                (self.drives[drive], part)
            }
            Quantity::Constraint { constraint, what: ConstraintQuantity::Multiplier } => {
                (self.equations[constraint], multiplier(1.0))
            }
            _ => return None,
        };
        Some(ReactionReading::new(constraint, self.builder.constraint_law(constraint), part))
    }

    fn joint_reaction(&self, joint: usize, what: JointQuantity) -> Option<ReactionPart> {
        let spec = &self.model.joints[joint];
        let (first, second) = (self.attach(&spec.first), self.attach(&spec.second));
        let own = |k: usize| {
            let axis = spec.first.frame.rotation.column(k).into_owned();
            ReadDirection::Carried(Carried::direction(first.node, axis))
        };
        Some(match what {
            JointQuantity::ReactionForce(axis) => ReactionPart::Force(world(axis)),
            JointQuantity::ReactionTorque(axis) => ReactionPart::Torque(world(axis)),
            JointQuantity::ReactionAxial => ReactionPart::Force(match spec.kind.declaration().axial {
                Some(Axial::Line) => ReadDirection::Line(first.point(), second.point()),
                _ => own(2),
            }),
            JointQuantity::JointForce(axis) => ReactionPart::Force(own(axis.index())),
            JointQuantity::JointTorque(axis) => ReactionPart::Torque(own(axis.index())),
            _ => return None,
        })
    }
}

/// A world axis as a direction to read along.
fn world(axis: Axis) -> ReadDirection {
    ReadDirection::Carried(Carried::direction(GROUND, Mat3::identity().column(axis.index()).into_owned()))
}

/// A law that does not fit an element.
fn too_long(error: &dyn std::fmt::Display, laws: &[Law]) -> Diagnostic {
    Diagnostic::error(format!("the law is too long for one element: {error}"))
        .at(laws[0].span.clone(), "this law")
        .help("let a variable of [[equations]] sum up what it reads, and read the variable")
}

/// A quantity that is neither position nor velocity.
fn unreadable(name: &str, span: &Span) -> Diagnostic {
    Diagnostic::error(format!("a law cannot use `{name}`")).at(span.clone(), "this law")
}
