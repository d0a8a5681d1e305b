//! Drives: motions imposed as functions of time.

use super::Resolver;
use super::end::End;
use super::force::{LOAD_ARGUMENTS, own_frame};
use super::kink::{Roughness, kink};
use crate::diagnostic::Diagnostic;
use crate::file::{AngularVelocityDriveTable, DriveTable, JointDriveTable, PointDriveTable};
use crate::spec::{BodyRef, DriveKind, DriveLevel, DriveSpec};
use crate::value::{Number, Text};
use poinsot_expr::SmoothFunction;

impl Resolver<'_> {
    pub fn drive(&mut self, table: &DriveTable) -> Option<DriveSpec> {
        let kind = match table {
            DriveTable::Joint(table) => self.joint_drive(table)?,
            DriveTable::Point(table) => self.point_drive(table)?,
            DriveTable::AngularVelocity(table) => self.angular_velocity_drive(table)?,
        };
        let name = table.name();
        Some(DriveSpec { name: name.value.clone(), span: name.span.clone(), kind })
    }

    fn joint_drive(&mut self, table: &JointDriveTable) -> Option<DriveKind> {
        let law = self.joint_law(table);
        let joint = self.joint_named(&table.joint)?;
        let coordinate = match &table.coordinate {
            Some(name) => self.coordinate_of(joint, &name.value, name.span.clone()),
            None => self.only_coordinate(joint, &table.joint),
        };
        let (law, level) = law?;
        Some(DriveKind::Joint { joint, coordinate: coordinate?, law, level })
    }

    /// The one law that is given, and what it imposes.
    fn joint_law(&mut self, table: &JointDriveTable) -> Option<(SmoothFunction, DriveLevel)> {
        match (&table.position, &table.rate) {
            (Some(position), None) => {
                Some((self.drive_law(position, Roughness::Kink)?, DriveLevel::Position))
            }
            (None, Some(rate)) => Some((self.drive_law(rate, Roughness::Jump)?, DriveLevel::Rate)),
            (Some(position), Some(rate)) => {
                self.diagnostics.push(
                    Diagnostic::error(format!("`{}` has both `position` and `rate`", table.name.value))
                        .at(rate.span(), "the rate")
                        .and(position.span(), "the position")
                        .help("remove one of the two"),
                );
                None
            }
            (None, None) => {
                self.diagnostics.push(
                    Diagnostic::error("missing key `position` in joint drive")
                        .at(table.span.clone(), "this joint drive needs `position`")
                        .help("give `position` or `rate`, an expression of `t`"),
                );
                None
            }
        }
    }

    /// A law of time; warns where it is rough enough to make velocities jump.
    fn drive_law(&mut self, number: &Number, least: Roughness) -> Option<SmoothFunction> {
        let law = self.smooth(number, LOAD_ARGUMENTS)?;
        if let Number::Expression(text) = number
            && let Some(expr) = self.scope.law(number, LOAD_ARGUMENTS, &mut self.diagnostics)
            && let Some((roughness, span)) = kink(&expr, LOAD_ARGUMENTS[0])
            && roughness >= least
        {
            let what = match roughness {
                Roughness::Kink => "kinks",
                Roughness::Jump => "jumps",
            };
            self.diagnostics.push(
                Diagnostic::warning(format!("this law has {what}: velocities jump there"))
                    .at(text.locate(span), "not smooth")
                    .help("use smootherstep(x) or a table with interpolation = \"spline\""),
            );
        }
        Some(law)
    }

    fn point_drive(&mut self, table: &PointDriveTable) -> Option<DriveKind> {
        let position = table.position.value.each_ref().map(|number| match number {
            Number::Expression(text) if text.value.trim() == "free" => Some(None),
            number => self.drive_law(number, Roughness::Kink).map(Some),
        });
        let on = self.driven(&table.point);
        let reference = self.reference(&table.relative_to);
        let [x, y, z] = position;
        let position = [x?, y?, z?];
        if position.iter().all(Option::is_none) {
            self.diagnostics.push(
                Diagnostic::error(format!("`{}` drives nothing: all coordinates are free", table.name.value))
                    .at(table.position.span.clone(), "all free"),
            );
            return None;
        }
        let (on, reference) = (on?, reference?);
        if on.body == reference.body {
            let message =
                format!("`{}` and `{}` are on the same body", table.point.value, table.relative_to.value);
            self.diagnostics.push(
                Diagnostic::error(message)
                    .at(table.point.span.clone(), "does not move relative to it")
                    .and(table.relative_to.span.clone(), "the reference"),
            );
            return None;
        }
        Some(DriveKind::Point {
            on: own_frame(on),
            relative_to: own_frame(reference),
            position: Box::new(position),
        })
    }

    fn angular_velocity_drive(&mut self, table: &AngularVelocityDriveTable) -> Option<DriveKind> {
        let components =
            table.angular_velocity.value.each_ref().map(|number| self.drive_law(number, Roughness::Jump));
        let on = self.driven(&table.on)?;
        if self.is_point(on.body) {
            self.no_orientation(&table.on, "an angular velocity");
            return None;
        }
        let [x, y, z] = components;
        Some(DriveKind::AngularVelocity {
            on: own_frame(on),
            components: Box::new([x?, y?, z?]),
            frame: table.frame.value,
        })
    }

    /// The end that a drive moves: not the ground.
    fn driven(&mut self, on: &Text) -> Option<End> {
        let end = self.end(on)?;
        if end.0 == BodyRef::Ground {
            self.diagnostics
                .push(Diagnostic::error("the ground cannot be driven").at(on.span.clone(), "does not move"));
            return None;
        }
        self.place(end)
    }

    /// The end whose axes a position refers to.
    fn reference(&mut self, name: &Text) -> Option<End> {
        let end = self.end(name)?;
        if self.is_point(end.0) {
            self.diagnostics.push(
                Diagnostic::error(format!("the point mass `{}` has no axes to refer to", name.value))
                    .at(name.span.clone(), "has no orientation")
                    .help("refer to a rigid body, a marker on one, or \"ground\""),
            );
            return None;
        }
        self.place(end)
    }
}
