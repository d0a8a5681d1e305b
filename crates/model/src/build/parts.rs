//! Joints, couplings, drives and equations of a model as constraints of the system.

use super::Site;
use super::cable::LineNode;
use super::line_place::HeldPlace;
use crate::diagnostic::Diagnostic;
use crate::file::Frame;
use crate::quantity::{FlexibleQuantity, ForceQuantity, JointQuantity, Motion, Quantity};
use crate::spec::{
    AngularVelocityDrive, BearingLoad, BodyRef, ConstraintSpec, CouplingSpec, DriveLevel, DriveSpec, EndSpec,
    FrictionSpec, JointEnds, JointSpec, JointStartValue, LawSpec, Model, PointDrive,
};
use poinsot_expr::{EvalError, Expr, SmoothFunction};
use poinsot_geometry::{Mat3, Pose, Vec3};
use poinsot_mechanics::forces::Stop;
use poinsot_mechanics::joints::Attachment;
use poinsot_mechanics::{
    Asked, Carried, Coordinate, Equation, Equations, Friction, GROUND, Law, MAX_ROWS, NodeId, Speed,
    StartValue, SystemBuilder, couplings, drives,
};

/// The system under construction.
pub(super) struct Parts<'a> {
    pub model: &'a Model,
    pub builder: SystemBuilder,
    pub nodes: Vec<NodeId>,
    pub centres: Vec<Vec3>,
    /// Places and slopes of the bodies that are nodes of lines with slopes.
    pub lines: Vec<Option<LineNode>>,
    /// Vectors of the bodies that are nodes with section axes as slopes and have no frame.
    pub sections: Vec<Option<Vec<Carried>>>,
    /// Numbers of the shapes of each flexible body.
    pub shapes: Vec<Vec<NodeId>>,
    /// Coordinates of each joint so far, in the order of its kind.
    pub coordinates: Vec<Vec<Coordinate>>,
    /// Constraint of each coupling so far.
    pub couplings: Vec<usize>,
    /// Constraint of each drive so far.
    pub drives: Vec<usize>,
    /// Constraint of each equation so far.
    pub equations: Vec<usize>,
    /// Rows that follow variables so far.
    pub commands: Vec<Command>,
    /// Places along lines that forces hold.
    pub places: Vec<HeldPlace>,
}

/// A row of a constraint that follows variables.
pub(super) struct Command {
    pub constraint: usize,
    pub row: usize,
    /// Name of the variable that is what it follows.
    pub name: String,
    pub law: LawSpec,
}

/// Name of the coordinate that a drive imposes; no quantity is called so.
const DRIVEN: &str = "driven_";

/// The arguments of a row while it is made.
struct Row<'a> {
    names: Vec<&'a str>,
    coordinates: Vec<usize>,
    time: &'a str,
}

/// A quantity as an argument of an equation.
pub(super) enum Argument {
    Time,
    Coordinate(Coordinate),
    Speed(Speed),
}

impl Parts<'_> {
    /// Where things are so far.
    pub fn site(&self) -> Site<'_> {
        let Parts { model, nodes, centres, coordinates, places, .. } = self;
        Site { model, nodes, centres, coordinates, places }
    }

    pub fn attach(&self, end: &EndSpec) -> Attachment {
        self.site().attach(end)
    }

    /// Adds a joint; returns its tracked coordinates.
    pub fn joint(&mut self, index: usize, joint: &JointSpec) -> Vec<usize> {
        let mut ends = JointEnds::new(self.attach(&joint.first), self.attach(&joint.second));
        if let Some(start) = joint.kind.parameter() {
            ends.parameter = self.builder.parameter(&joint.name, start);
        }
        ends.others = joint.kind.others().iter().map(|end| self.attach(end)).collect();
        if let Some(line) = joint.kind.line() {
            ends.line = self.elements_of(line);
        }
        self.builder.constraint(&joint.name, joint.kind.constraint(&ends));
        let coordinates: Vec<_> = joint.kind.coordinates().iter().map(|s| (s.of)(&ends)).collect();
        let track = |(k, s): (usize, &Coordinate)| {
            let near = self.site().driven_to(index, k);
            self.builder.track(s.clone(), near)
        };
        let tracked = coordinates.iter().enumerate().map(track).collect();
        for start in &joint.start {
            let nodes = [ends.first.node, ends.second.node];
            let asked = match start.value {
                JointStartValue::Coordinate { index, level: DriveLevel::Position, value } => {
                    Asked::Coordinate(coordinates[index].clone(), value)
                }
                JointStartValue::Coordinate { index, level: DriveLevel::Rate, value } => {
                    Asked::Rate(coordinates[index].clone(), value)
                }
                JointStartValue::Orientation(axes) => Asked::Orientation(nodes, axes),
                JointStartValue::AngularVelocity(rate) => Asked::AngularVelocity(nodes, rate),
            };
            self.builder.start_value(StartValue { joint: joint.name.clone(), word: start.word, asked });
        }
        self.coordinates.push(coordinates);
        tracked
    }

    pub fn friction(&mut self, index: usize, joint: &JointSpec, spec: &FrictionSpec) -> usize {
        // Rows of forces weigh one, rows of bending moments one over the distance of the bearings.
        let bending = spec.arm.map_or(0.0, |arm| 1.0 / arm);
        let mut weights = [0.0; MAX_ROWS];
        for (weight, load) in weights.iter_mut().zip(joint.kind.declaration().bearing) {
            *weight = match load {
                BearingLoad::Force => 1.0,
                BearingLoad::Bending => bending,
            };
        }
        let law = Friction {
            coordinate: self.coordinates[index][0].clone(),
            weights,
            static_coefficient: joint.kind.pressed_share(spec.static_coefficient),
            dynamic_coefficient: joint.kind.pressed_share(spec.dynamic_coefficient),
            stribeck: spec.stribeck_velocity,
            transition: spec.transition_velocity,
            lever: spec.radius.unwrap_or(1.0),
            viscous: spec.viscous,
            preload: spec.preload,
        };
        self.builder.friction(index, law)
    }

    /// Adds the stops of a joint; returns their forces.
    pub fn stops(&mut self, index: usize, joint: &JointSpec) -> Result<Vec<usize>, Diagnostic> {
        let add = |limit: &crate::spec::LimitSpec| {
            let law = Stop {
                coordinate: self.coordinates[index][limit.coordinate].clone(),
                lower: limit.lower.unwrap_or(f64::NEG_INFINITY),
                upper: limit.upper.unwrap_or(f64::INFINITY),
                stiffness: limit.stiffness,
                damping: limit.damping,
            };
            self.builder.force(&format!("{} stop", joint.name), Box::new(law))
        };
        let mut stops: Vec<usize> = joint.limits.iter().map(add).collect();
        for law in &joint.stop_laws {
            let law = self.stop_law(index, law)?;
            stops.push(self.builder.force(&format!("{} stop", joint.name), law));
        }
        Ok(stops)
    }

    pub fn coupling(&mut self, coupling: &CouplingSpec) -> Result<(), Diagnostic> {
        if let Some(relation) = &coupling.relation {
            let index = self.relation(relation, "coupling")?;
            self.couplings.push(index);
            return Ok(());
        }
        let terms: Vec<(Coordinate, f64)> = coupling
            .terms
            .iter()
            .map(|term| (self.coordinates[term.joint][term.coordinate].clone(), term.factor))
            .collect();
        let near: Vec<f64> =
            coupling.terms.iter().map(|term| self.site().driven_to(term.joint, term.coordinate)).collect();
        let offset = coupling.offset.unwrap_or_else(|| {
            terms.iter().zip(&near).map(|((s, factor), near)| factor * self.start_value(s, *near)).sum()
        });
        let at = self.attach(&self.model.joints[coupling.terms[0].joint].second).point();
        let law = couplings::linear(coupling.kind.word, terms, offset, at);
        self.couplings.push(self.builder.constraint(&coupling.name, Box::new(law)));
        Ok(())
    }

    /// A coordinate as modelled.
    fn start_value(&self, s: &Coordinate, near: f64) -> f64 {
        let x: Vec<Vec3> = s.carried().iter().map(|c| c.value(self.builder.start(c.node))).collect();
        s.value(&x, near)
    }

    pub fn drive(&mut self, drive: &DriveSpec) -> Result<(), Diagnostic> {
        let index = match (&drive.relation, &drive.coordinates) {
            (Some(relation), _) => self.relation(relation, "drive")?,
            (None, Some(laws)) => self.driven_point(drive, laws)?,
            (None, None) => match &drive.angular_velocity {
                Some(laws) => self.driven_spin(drive, laws)?,
                None => self.builder.constraint(&drive.name, drive.kind.constraint(&self.site())),
            },
        };
        self.drives.push(index);
        Ok(())
    }

    /// Adds a drive of a point whose coordinates read the running system: Φ_k = u_k·(x₂ − x₁) − f_k = 0.
    fn driven_point(&mut self, drive: &DriveSpec, laws: &[Option<LawSpec>; 3]) -> Result<usize, Diagnostic> {
        const NAMES: [&str; 3] = ["prescribed x", "prescribed y", "prescribed z"];
        let fail = |text: String| Diagnostic::error(text).at(drive.span.clone(), "this drive");
        let point = drive.law::<PointDrive>().expect("coordinates are imposed on points");
        let (reference, on) = (self.attach(&point.relative_to), self.attach(&point.on));
        let (mut coordinates, mut rows) = (vec![], vec![]);
        for (k, law) in laws.iter().enumerate() {
            let Some(law) = law else { continue };
            let mut own = Row { names: vec![DRIVEN], coordinates: vec![coordinates.len()], time: "t" };
            coordinates.push(Coordinate::displacement_along(&reference, &on, k));
            for (name, quantity) in law.arguments.iter().zip(&law.quantities) {
                self.on_nodes(name, *quantity, &drive.span)?;
                match self.argument(*quantity) {
                    Some(Argument::Time) => own.time = name,
                    Some(Argument::Coordinate(s)) => {
                        let known = coordinates.iter().position(|known| *known == s);
                        own.names.push(name.as_str());
                        own.coordinates.push(known.unwrap_or(coordinates.len()));
                        coordinates.extend(known.is_none().then_some(s));
                    }
                    _ => return Err(fail(format!("`{name}` is no position"))),
                }
            }
            let driven = Expr::name(DRIVEN).expect("a name");
            let names: Vec<&str> = own.names.into_iter().chain([own.time]).collect();
            let function =
                self.smooth(&(driven - law.expr.clone()), &names).map_err(|error| fail(error.to_string()))?;
            let law = Law::Expression(function);
            rows.push(Equation { name: NAMES[k], coordinates: own.coordinates, speeds: vec![], law });
        }
        let law = Equations::try_new("point drive", coordinates, vec![], rows, on.point())
            .map_err(|error| fail(error.to_string()))?
            .called("drive");
        Ok(self.builder.constraint(&drive.name, Box::new(law)))
    }

    /// Adds a drive of an angular velocity whose components read the running system: ψ_k = u_k·ω − f_k = 0,
    /// or u_k·ω − u = 0 where f_k reads variables.
    fn driven_spin(&mut self, drive: &DriveSpec, laws: &[LawSpec; 3]) -> Result<usize, Diagnostic> {
        let fail = |text: String| Diagnostic::error(text).at(drive.span.clone(), "this drive");
        let spin = drive.law::<AngularVelocityDrive>().expect("components are imposed on angular velocities");
        let on = self.attach(&spin.on);
        let (mut coordinates, mut functions) = (vec![], vec![]);
        for law in laws {
            let follows = law.quantities.iter().any(|quantity| matches!(quantity, Quantity::Variable { .. }));
            if follows {
                functions.push((vec![], Law::linear(vec![1.0], 0.0)));
                continue;
            }
            let mut own = Row { names: vec![], coordinates: vec![], time: "t" };
            for (name, quantity) in law.arguments.iter().zip(&law.quantities) {
                self.on_nodes(name, *quantity, &drive.span)?;
                match self.argument(*quantity) {
                    Some(Argument::Time) => own.time = name,
                    Some(Argument::Coordinate(s)) => {
                        let known = coordinates.iter().position(|known| *known == s);
                        own.names.push(name.as_str());
                        own.coordinates.push(known.unwrap_or(coordinates.len()));
                        coordinates.extend(known.is_none().then_some(s));
                    }
                    _ => return Err(fail(format!("`{name}` is no position"))),
                }
            }
            let driven = Expr::name(DRIVEN).expect("a name");
            let names: Vec<&str> = own.names.into_iter().chain([DRIVEN, own.time]).collect();
            let function =
                self.smooth(&(driven - law.expr.clone()), &names).map_err(|error| fail(error.to_string()))?;
            functions.push((own.coordinates, Law::Expression(function)));
        }
        let functions: [(Vec<usize>, Law); 3] =
            functions.try_into().map_err(|_| fail("an angular velocity has three components".into()))?;
        let law = drives::angular_velocity_by(&on, spin.frame == Frame::Body, coordinates, functions)
            .map_err(|error| fail(error.to_string()))?;
        let constraint = self.builder.constraint(&drive.name, Box::new(law));
        for (row, (law, axis)) in laws.iter().zip(["x", "y", "z"]).enumerate() {
            if law.quantities.iter().any(|quantity| matches!(quantity, Quantity::Variable { .. })) {
                let name = format!("{}.command_{axis}", drive.name);
                self.commands.push(Command { constraint, row, name, law: law.clone() });
            }
        }
        Ok(constraint)
    }

    /// A function of arguments, parameters put in.
    fn smooth(&self, expr: &Expr, names: &[&str]) -> Result<SmoothFunction, EvalError> {
        let parameters = &self.model.parameters;
        let constants = |name: &str| parameters.iter().find(|p| p.name == name).map(|p| p.value);
        SmoothFunction::new(expr, names, &constants)
    }

    /// Adds a constraint from an equation.
    pub fn equation(&mut self, spec: &ConstraintSpec) -> Result<(), Diagnostic> {
        let index = self.relation(spec, "constraint")?;
        self.equations.push(index);
        Ok(())
    }

    /// Adds a relation under a noun: its arguments become coordinates, speeds and time.
    fn relation(&mut self, spec: &ConstraintSpec, noun: &'static str) -> Result<usize, Diagnostic> {
        let fail = |text: String| Diagnostic::error(text).at(spec.span.clone(), "this constraint");
        let (mut coordinates, mut speeds) = (vec![], vec![]);
        let (mut position_names, mut speed_names, mut time) = (vec![], vec![], "t");
        for (name, quantity) in spec.arguments.iter().zip(&spec.quantities) {
            self.on_nodes(name, *quantity, &spec.span)?;
            match self.argument(*quantity) {
                Some(Argument::Time) => time = name,
                Some(Argument::Coordinate(s)) => {
                    coordinates.push(s);
                    position_names.push(name.as_str());
                }
                Some(Argument::Speed(w)) => {
                    speeds.push(w);
                    speed_names.push(name.as_str());
                }
                None => return Err(fail(format!("`{name}` cannot be constrained"))),
            }
        }
        let names: Vec<&str> = position_names.into_iter().chain(speed_names).chain([time]).collect();
        let function = self.smooth(&spec.expr, &names).map_err(|error| fail(error.to_string()))?;
        let carried = coordinates.iter().flat_map(Coordinate::carried);
        let carried = carried.chain(speeds.iter().flat_map(Speed::carried));
        let moving = carried.filter(|c| c.node != GROUND);
        let Some(at) = moving.max_by_key(|c| c.is_place()).copied() else {
            return Err(fail(format!("`{}` constrains no motion: it names nothing that moves", spec.name)));
        };
        let row = Equation {
            name: "equation",
            coordinates: (0..coordinates.len()).collect(),
            speeds: (0..speeds.len()).collect(),
            law: Law::Expression(function),
        };
        let law = Equations::try_new(noun, coordinates, speeds, vec![row], at)
            .map_err(|error| fail(error.to_string()))?
            .called(noun);
        let index = self.builder.constraint(&spec.name, Box::new(law));
        if let Some(command) = &spec.command {
            let name = format!("{}.command", spec.name);
            self.commands.push(Command { constraint: index, row: 0, name, law: command.clone() });
        }
        Ok(index)
    }

    pub(super) fn argument(&self, quantity: Quantity) -> Option<Argument> {
        match quantity {
            Quantity::Time => Some(Argument::Time),
            Quantity::Body { body, what } => self.motion(BodyRef::Body(body), &Pose::identity(), what),
            Quantity::Marker { marker, what } => {
                let marker = &self.model.markers[marker];
                self.motion(marker.body, &marker.pose, what)
            }
            Quantity::Joint { joint, what: JointQuantity::Coordinate { index } } => {
                Some(Argument::Coordinate(self.coordinates[joint][index].clone()))
            }
            Quantity::Joint { joint, what: JointQuantity::CoordinateRate { index } } => {
                Some(Argument::Speed(Speed::Rate(self.coordinates[joint][index].clone())))
            }
            Quantity::Flexible { flexible, shape, what } => {
                let number = Carried::point(self.shapes[flexible][shape], Vec3::zeros());
                let s = Coordinate::component(number, 0);
                Some(match what {
                    FlexibleQuantity::Value => Argument::Coordinate(s),
                    FlexibleQuantity::Rate => Argument::Speed(Speed::Rate(s)),
                })
            }
            Quantity::Force { force, what } => {
                let s = self.model.forces[force].kind.coordinate(&self.site())?;
                match what {
                    ForceQuantity::Coordinate => Some(Argument::Coordinate(s)),
                    ForceQuantity::Rate => Some(Argument::Speed(Speed::Rate(s))),
                    ForceQuantity::Effort => None,
                }
            }
            _ => None,
        }
    }

    fn motion(&self, body: BodyRef, pose: &Pose, what: Motion) -> Option<Argument> {
        let node = self.site().node(body);
        let point = Carried::point(node, self.site().seen_from_node(body, &pose.r));
        let axis = |k: usize| Carried::direction(node, pose.rotation.column(k).into_owned());
        let world = |k: usize| Carried::direction(GROUND, Mat3::identity().column(k).into_owned());
        Some(match what {
            Motion::Position(k) => Argument::Coordinate(Coordinate::component(point, k.index())),
            Motion::Velocity(k) => Argument::Speed(Speed::Rate(Coordinate::component(point, k.index()))),
            Motion::Rotation(row, column) => {
                Argument::Coordinate(Coordinate::component(axis(column.index()), row.index()))
            }
            Motion::AngularVelocity(k) => Argument::Speed(Speed::spin(node, world(k.index()))),
            Motion::AngularVelocityBody(k) => Argument::Speed(Speed::spin(node, axis(k.index()))),
            Motion::Acceleration(_) | Motion::AngularAcceleration(_) | Motion::RotationVector(_) => {
                return None;
            }
        })
    }
}
