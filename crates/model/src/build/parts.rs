//! Joints, couplings, drives and equations of a model as constraints of the system.

use crate::diagnostic::Diagnostic;
use crate::quantity::{ForceQuantity, JointQuantity, Motion, Quantity};
use crate::spec::{
    BodyRef, ConstraintSpec, CouplingSpec, DriveKind, DriveLevel, DriveSpec, EndSpec, ForceKind, Frame,
    FrictionSpec, JointKind, JointSpec, Model,
};
use poinsot_expr::SmoothFunction;
use poinsot_geometry::{Mat3, Pose, Vec3};
use poinsot_mechanics::forces::Stop;
use poinsot_mechanics::joints::{self, Attachment};
use poinsot_mechanics::{
    Carried, Constraint, Coordinate, Equation, Equations, Friction, GROUND, Law, MAX_ROWS, NodeId, Speed,
    SystemBuilder, couplings, drives,
};

/// The system under construction.
pub(super) struct Parts<'a> {
    pub model: &'a Model,
    pub builder: SystemBuilder,
    pub nodes: Vec<NodeId>,
    pub centres: Vec<Vec3>,
    /// Coordinates of each joint so far, in the order of its kind.
    pub coordinates: Vec<Vec<Coordinate>>,
}

/// A quantity as an argument of an equation.
pub(super) enum Argument {
    Time,
    Coordinate(Coordinate),
    Speed(Speed),
}

impl Parts<'_> {
    fn node(&self, body: BodyRef) -> NodeId {
        match body {
            BodyRef::Ground => GROUND,
            BodyRef::Body(index) => self.nodes[index],
        }
    }

    /// A point of a body as seen from its node.
    fn seen_from_node(&self, body: BodyRef, point: &Vec3) -> Vec3 {
        match body {
            BodyRef::Ground => *point,
            BodyRef::Body(index) => point - self.centres[index],
        }
    }

    pub fn attach(&self, end: &EndSpec) -> Attachment {
        let origin = self.seen_from_node(end.body, &end.frame.r);
        Attachment { node: self.node(end.body), origin, axes: end.frame.rotation }
    }

    /// Adds a joint; returns its tracked coordinates.
    pub fn joint(&mut self, index: usize, joint: &JointSpec) -> Vec<usize> {
        let (first, second) = (self.attach(&joint.first), self.attach(&joint.second));
        let parameter = match joint.kind {
            JointKind::PointOnCurve { start, .. } => Some(self.builder.parameter(&joint.name, start)),
            _ => None,
        };
        self.builder.constraint(&joint.name, law(&joint.kind, &first, &second, parameter));
        let coordinates = coordinates(&joint.kind, &first, &second, parameter);
        let track = |(k, s): (usize, &Coordinate)| {
            let near = self.driven_to(index, k);
            self.builder.track(s.clone(), near)
        };
        let tracked = coordinates.iter().enumerate().map(track).collect();
        self.coordinates.push(coordinates);
        tracked
    }

    /// Where a drive wants a joint's coordinate to start, zero if there is none.
    fn driven_to(&self, joint: usize, coordinate: usize) -> f64 {
        let start = self.model.start();
        let wanted = self.model.drives.iter().find_map(|drive| match &drive.kind {
            DriveKind::Joint { joint: j, coordinate: c, law, level: DriveLevel::Position }
                if *j == joint && *c == coordinate =>
            {
                Some(law.value(&[start]))
            }
            _ => None,
        });
        wanted.unwrap_or(0.0)
    }

    pub fn friction(&mut self, index: usize, joint: &JointSpec, spec: &FrictionSpec) -> usize {
        // Rows of forces weigh one, rows of bending moments one over the distance of the bearings.
        let bending = spec.arm.map_or(0.0, |arm| 1.0 / arm);
        let mut weights = [0.0; MAX_ROWS];
        let rows: &[f64] = match joint.kind {
            JointKind::Prismatic => &[1.0, 1.0, bending, bending, bending],
            _ => &[1.0, 1.0, 1.0, bending, bending],
        };
        weights[..rows.len()].copy_from_slice(rows);
        let law = Friction {
            coordinate: self.coordinates[index][0].clone(),
            weights,
            static_coefficient: spec.static_coefficient,
            dynamic_coefficient: spec.dynamic_coefficient,
            stribeck: spec.stribeck_velocity,
            transition: spec.transition_velocity,
            lever: spec.radius.unwrap_or(1.0),
            viscous: spec.viscous,
            preload: spec.preload,
        };
        self.builder.friction(index, law)
    }

    /// Adds the stops of a joint; returns their forces.
    pub fn stops(&mut self, index: usize, joint: &JointSpec) -> Vec<usize> {
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
        joint.limits.iter().map(add).collect()
    }

    pub fn coupling(&mut self, coupling: &CouplingSpec) -> usize {
        let terms: Vec<(Coordinate, f64)> = coupling
            .terms
            .iter()
            .map(|term| (self.coordinates[term.joint][term.coordinate].clone(), term.factor))
            .collect();
        let near: Vec<f64> =
            coupling.terms.iter().map(|term| self.driven_to(term.joint, term.coordinate)).collect();
        let offset = coupling.offset.unwrap_or_else(|| {
            terms.iter().zip(&near).map(|((s, factor), near)| factor * self.start_value(s, *near)).sum()
        });
        let at = self.attach(&self.model.joints[coupling.terms[0].joint].second).point();
        let law = couplings::linear(coupling.kind, terms, offset, at).starting_near(&near);
        self.builder.constraint(&coupling.name, Box::new(law))
    }

    /// A coordinate as modelled.
    fn start_value(&self, s: &Coordinate, near: f64) -> f64 {
        let x: Vec<Vec3> = s.carried().iter().map(|c| c.value(self.builder.start(c.node))).collect();
        s.value(&x, near)
    }

    pub fn drive(&mut self, drive: &DriveSpec) -> usize {
        let law: Box<dyn Constraint> = match &drive.kind {
            DriveKind::Joint { joint, coordinate, law, level } => {
                let at = self.attach(&self.model.joints[*joint].second).point();
                let s = self.coordinates[*joint][*coordinate].clone();
                let near = self.driven_to(*joint, *coordinate);
                Box::new(match level {
                    DriveLevel::Position => drives::coordinate(s, law.clone(), at).starting_near(&[near]),
                    DriveLevel::Rate => drives::coordinate_rate(s, law.clone(), at),
                })
            }
            DriveKind::Point { on, relative_to, position } => {
                Box::new(drives::point(&self.attach(relative_to), &self.attach(on), *position.clone()))
            }
            DriveKind::AngularVelocity { on, components, frame } => {
                let own = *frame == Frame::Body;
                Box::new(drives::angular_velocity(&self.attach(on), own, *components.clone()))
            }
        };
        self.builder.constraint(&drive.name, law)
    }

    /// Adds a constraint from an equation: its arguments become coordinates, speeds and time.
    pub fn equation(&mut self, spec: &ConstraintSpec) -> Result<usize, Diagnostic> {
        let fail = |text: String| Diagnostic::error(text).at(spec.span.clone(), "this constraint");
        let (mut coordinates, mut speeds) = (vec![], vec![]);
        let (mut position_names, mut speed_names, mut time) = (vec![], vec![], "t");
        for (name, quantity) in spec.arguments.iter().zip(&spec.quantities) {
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
        let parameters = &self.model.parameters;
        let constants = |name: &str| parameters.iter().find(|p| p.name == name).map(|p| p.value);
        let function =
            SmoothFunction::new(&spec.expr, &names, &constants).map_err(|error| fail(error.to_string()))?;
        let carried = coordinates.iter().flat_map(Coordinate::carried);
        let carried = carried.chain(speeds.iter().flat_map(Speed::carried));
        let moving = carried.filter(|c| c.node != GROUND);
        let Some(at) = moving.max_by_key(|c| c.c0 != 0.0).copied() else {
            return Err(fail(format!("`{}` constrains no motion: it names nothing that moves", spec.name)));
        };
        let row = Equation {
            name: "equation",
            coordinates: (0..coordinates.len()).collect(),
            speeds: (0..speeds.len()).collect(),
            law: Law::Expression(function),
        };
        let law = Equations::try_new("constraint", coordinates, speeds, vec![row], at)
            .map_err(|error| fail(error.to_string()))?
            .called("constraint");
        Ok(self.builder.constraint(&spec.name, Box::new(law)))
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
            Quantity::Force { force, what } => {
                let s = match &self.model.forces[force].kind {
                    ForceKind::Spring { first, second, .. } => {
                        Coordinate::distance(&self.attach(first), &self.attach(second))
                    }
                    ForceKind::Torsion { joint, .. } => self.coordinates[*joint][0].clone(),
                    _ => return None,
                };
                match what {
                    ForceQuantity::Length | ForceQuantity::Angle => Some(Argument::Coordinate(s)),
                    ForceQuantity::LengthRate | ForceQuantity::AngleRate => {
                        Some(Argument::Speed(Speed::Rate(s)))
                    }
                    ForceQuantity::Force | ForceQuantity::Torque => None,
                }
            }
            _ => None,
        }
    }

    fn motion(&self, body: BodyRef, pose: &Pose, what: Motion) -> Option<Argument> {
        let node = self.node(body);
        let point = Carried::point(node, self.seen_from_node(body, &pose.r));
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

/// The equations of a joint.
fn law(
    kind: &JointKind,
    first: &Attachment,
    second: &Attachment,
    parameter: Option<NodeId>,
) -> Box<dyn Constraint> {
    match kind {
        JointKind::Fixed => Box::new(joints::fixed(first, second)),
        JointKind::Spherical => Box::new(joints::spherical(first, second)),
        JointKind::Revolute => Box::new(joints::revolute(first, second)),
        JointKind::Prismatic => Box::new(joints::prismatic(first, second)),
        JointKind::Cylindrical => Box::new(joints::cylindrical(first, second)),
        JointKind::Screw { lead } => Box::new(joints::screw(first, second, *lead)),
        JointKind::Planar => Box::new(joints::planar(first, second)),
        JointKind::Universal => Box::new(joints::universal(first, second)),
        JointKind::ConstantVelocity => Box::new(joints::constant_velocity(first, second)),
        JointKind::Distance { length } => Box::new(joints::distance(first, second, *length)),
        JointKind::PointOnLine => Box::new(joints::point_on_line(first, second)),
        JointKind::PointOnPlane => Box::new(joints::point_on_plane(first, second)),
        JointKind::PointOnCurve { curve, .. } => {
            Box::new(joints::point_on_curve(first, second, parameter.unwrap_or(GROUND), *curve.clone()))
        }
        JointKind::RollingDisk { radius } => Box::new(joints::rolling_disk(first, second, *radius)),
        JointKind::RollingBall { radius } => Box::new(joints::rolling_ball(first, second, *radius)),
        JointKind::KnifeEdge => Box::new(joints::knife_edge(first, second)),
    }
}

/// The coordinates of a joint, in the order of [`JointKind::coordinates`].
fn coordinates(
    kind: &JointKind,
    first: &Attachment,
    second: &Attachment,
    parameter: Option<NodeId>,
) -> Vec<Coordinate> {
    let angle = || Coordinate::angle(first, second);
    let along = |k| Coordinate::displacement_along(first, second, k);
    match kind {
        JointKind::Revolute => vec![angle()],
        JointKind::Prismatic | JointKind::PointOnLine => vec![along(2)],
        JointKind::Cylindrical | JointKind::Screw { .. } => vec![angle(), along(2)],
        JointKind::Universal => {
            vec![Coordinate::first_cross_angle(first, second), Coordinate::second_cross_angle(first, second)]
        }
        JointKind::Planar => vec![along(0), along(1), angle()],
        JointKind::PointOnPlane => vec![along(0), along(1)],
        JointKind::PointOnCurve { .. } => parameter.into_iter().map(joints::curve_parameter).collect(),
        JointKind::Fixed
        | JointKind::Spherical
        | JointKind::ConstantVelocity
        | JointKind::Distance { .. }
        | JointKind::RollingDisk { .. }
        | JointKind::RollingBall { .. }
        | JointKind::KnifeEdge => vec![],
    }
}
