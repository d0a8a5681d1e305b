//! Loads and compliant elements.

use super::end::End;
use super::names::Thing;
use super::{Resolver, transpose};
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{
    BushingTable, FileTable, ForceTable, Frame, GyrostatTable, LoadTable, SixTable, SpringTable, TorqueTable,
    TorsionTable, Triple,
};
use crate::spec::{BodyRef, EndSpec, ForceKind, ForceSpec};
use crate::value::{Located, Number, Text};
use poinsot_expr::{Function, SmoothFunction};
use poinsot_geometry::{Mat6, Pose};

/// Arguments of the laws, in the order of the compiled functions.
pub(crate) const LOAD_ARGUMENTS: &[&str] = &["t"];
pub(crate) const SPRING_ARGUMENTS: &[&str] = &["t", "length", "rate"];
pub(crate) const TORSION_ARGUMENTS: &[&str] = &["t", "angle", "rate"];

impl Resolver<'_> {
    pub fn force(&mut self, force: &ForceTable, file: &FileTable) -> Option<ForceSpec> {
        let (name, kind) = match force {
            ForceTable::Force(table) => (&table.name, self.load(table)),
            ForceTable::Torque(table) => (&table.name, self.torque(table)),
            ForceTable::Spring(table) => (&table.name, self.spring(table)),
            ForceTable::Torsion(table) => (&table.name, self.torsion(table, file)),
            ForceTable::Bushing(table) => (&table.name, self.bushing(table)),
            ForceTable::Gyrostat(table) => (&table.name, self.gyrostat(table)),
        };
        Some(ForceSpec { name: name.value.clone(), span: name.span.clone(), kind: kind? })
    }

    pub(crate) fn function(&mut self, number: &Number, arguments: &[&str]) -> Option<Function> {
        self.scope.function(number, arguments, &mut self.diagnostics)
    }

    fn components(&mut self, triple: &Triple) -> Option<[Function; 3]> {
        let [x, y, z] = triple.value.each_ref().map(|n| self.function(n, LOAD_ARGUMENTS));
        Some([x?, y?, z?])
    }

    fn load(&mut self, table: &LoadTable) -> Option<ForceKind> {
        let force = self.components(&table.force);
        let at = table.at.as_ref().map(|at| self.vector(at));
        let end = self.loaded(&table.on)?;
        if self.is_point(end.body) {
            if table.frame.value == Frame::Body {
                self.no_orientation(&table.on, "a force in body axes");
                return None;
            }
            if let Some(at) = &table.at {
                self.diagnostics.push(
                    Diagnostic::error(format!(
                        "`{}` is a point mass: it has no other points",
                        table.on.value
                    ))
                    .at(at.span.clone(), "remove `at`"),
                );
                return None;
            }
        }
        let mut on = own_frame(end);
        if let Some(at) = at {
            on.frame.r = at?;
        }
        Some(ForceKind::Force { on, force: force?, frame: table.frame.value })
    }

    fn torque(&mut self, table: &TorqueTable) -> Option<ForceKind> {
        let torque = self.components(&table.torque);
        let end = self.loaded(&table.on)?;
        if self.is_point(end.body) {
            self.no_orientation(&table.on, "a torque");
            return None;
        }
        Some(ForceKind::Torque { on: own_frame(end), torque: torque?, frame: table.frame.value })
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

    fn spring(&mut self, table: &SpringTable) -> Option<ForceKind> {
        let name = &table.name.value;
        let stiffness = self.number(&table.stiffness);
        let damping = self.damping(&table.damping, &format!("the damping of `{name}`"));
        let free = table
            .length
            .as_ref()
            .map(|length| self.not_negative(length, &format!("the free length of `{name}`")));
        let law = table.force.as_ref().map(|law| self.function(law, SPRING_ARGUMENTS));
        let ends = self.end_points(&table.between, table.points.as_ref(), &table.name);
        let ([first, second], start) = ends?;
        let (stiffness, damping) = (stiffness?, damping?);
        self.warn_idle(&table.name, [stiffness, damping], table.force.is_some());
        Some(ForceKind::Spring {
            first,
            second,
            stiffness,
            damping,
            length: free.unwrap_or(Some(start))?,
            law: transpose(law)?,
        })
    }

    fn torsion(&mut self, table: &TorsionTable, file: &FileTable) -> Option<ForceKind> {
        let name = &table.name.value;
        let stiffness = self.number(&table.stiffness);
        let damping = self.damping(&table.damping, &format!("the damping of `{name}`"));
        let angle = self.number(&table.angle);
        let law = table.torque.as_ref().map(|law| self.function(law, TORSION_ARGUMENTS));
        let joint = self.turning_joint(&table.joint, file);
        let (stiffness, damping) = (stiffness?, damping?);
        self.warn_idle(&table.name, [stiffness, damping], table.torque.is_some());
        Some(ForceKind::Torsion { joint: joint?, stiffness, damping, angle: angle?, law: transpose(law)? })
    }

    /// A revolute or cylindrical joint by name.
    fn turning_joint(&mut self, name: &Text, file: &FileTable) -> Option<usize> {
        let turns = |index: usize| match file.joint.get(index) {
            Some(joint) => joint.entry().declaration().takes_torsion,
            // At the end of a beam.
            None => matches!(self.joints.get(index), Some(Some(joint))
                if joint.kind.declaration().takes_torsion),
        };
        if let Some(index) = self.names.joint(&name.value) {
            if turns(index) {
                return Some(index);
            }
            let end = |index: usize| self.joints.get(index)?.as_ref().map(|joint| joint.span.clone());
            let span = file.joint.get(index).map(|j| j.entry().name().span.clone()).or_else(|| end(index));
            let span = span.unwrap_or_else(|| name.span.clone());
            self.diagnostics.push(
                Diagnostic::error(format!("the joint `{}` has no angle", name.value))
                    .at(name.span.clone(), "must be revolute or cylindrical")
                    .and(span, "this joint"),
            );
            return None;
        }
        let wanted = |thing| matches!(thing, Thing::Joint(index) if turns(index));
        let names: Vec<String> = self.names.of(wanted).into_iter().map(str::to_owned).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.unknown(name, "revolute or cylindrical joint", &names);
        None
    }

    fn warn_idle(&mut self, name: &Text, coefficients: [f64; 2], has_law: bool) {
        if coefficients == [0.0, 0.0] && !has_law {
            self.diagnostics.push(
                Diagnostic::warning(format!("`{}` has no stiffness, no damping and no law", name.value))
                    .at(name.span.clone(), "has no effect"),
            );
        }
    }

    fn bushing(&mut self, table: &BushingTable) -> Option<ForceKind> {
        let stiffness = self.six(&table.stiffness);
        let damping = self.six(&table.damping);
        let at = table.at.as_ref().map(|at| self.vector(at));
        let axes = table.orientation.as_ref().map(|o| self.rotation(Some(o)));
        let ends = self.ends(&table.between)?;
        self.refuse_point_ends(&ends, &table.between, "a bushing")?;
        let marker = ends.iter().find_map(|end| end.marker.map(|m| m.1));
        if ends.iter().all(|end| end.marker.is_some()) {
            let keys = [
                ("at", table.at.as_ref().map(|t| t.span.clone())),
                ("orientation", table.orientation.as_ref().map(|t| t.span.clone())),
            ];
            for (key, span) in keys {
                if let Some(span) = span {
                    self.unused(&table.name, key, span);
                }
            }
        }
        let point = at.unwrap_or(marker.map(|pose| pose.r));
        if at.is_none() && point.is_none() {
            self.missing_bushing_point(&table.span);
        }
        let default = marker.map_or(Pose::identity().rotation, |pose| pose.rotation);
        let world = Pose::new(point?, axes.unwrap_or(Some(default))?);
        let [first, second] = ends.map(|end| end.with_frame(world));
        Some(ForceKind::Bushing {
            first,
            second,
            stiffness: Box::new(stiffness?),
            damping: Box::new(damping?),
        })
    }

    fn gyrostat(&mut self, table: &GyrostatTable) -> Option<ForceKind> {
        let axis = self.direction(&table.axis, &format!("the axis of `{}`", table.name.value));
        let momentum = self.number(&table.momentum);
        let end = self.loaded(&table.on)?;
        if self.is_point(end.body) {
            self.no_orientation(&table.on, "a gyrostat");
            return None;
        }
        if self.plane.is_some() && !self.is_turning {
            // −ω × h lies in the plane that ω is normal to.
            self.diagnostics.push(
                Diagnostic::warning(format!(
                    "the gyrostat `{}` has no effect in a planar model",
                    table.name.value
                ))
                .at(table.name.span.clone(), "its torque turns bodies out of the plane"),
            );
        }
        let on = own_frame(end);
        Some(ForceKind::Gyrostat { on: on.body, axis: on.frame.rotation * axis?, momentum: momentum? })
    }

    fn missing_bushing_point(&mut self, span: &Span) {
        self.diagnostics.push(
            Diagnostic::error("missing key `at` in bushing")
                .at(span.clone(), "this bushing needs `at`")
                .help("give `at` (the world point of the bushing), or use a marker as an end"),
        );
    }

    /// A 6×6 matrix from its diagonal or in full.
    pub(crate) fn six(&mut self, table: &SixTable) -> Option<Mat6> {
        match table {
            SixTable::Diagonal(numbers) => {
                let values = self.numbers(&numbers.value)?;
                Some(Mat6::from_diagonal(&values.into()))
            }
            SixTable::Matrix(rows) => self.full_six(rows),
        }
    }

    fn full_six(&mut self, rows: &Located<[[Number; 6]; 6]>) -> Option<Mat6> {
        let values = self.rows(rows)?;
        let matrix = Mat6::from_fn(|i, j| values[i][j]);
        let skew = (matrix - matrix.transpose()).amax();
        if skew > 1e-9 * matrix.amax() {
            self.diagnostics.push(
                Diagnostic::warning(format!(
                    "this matrix is not symmetric (entries differ by {skew}): the element is not conservative"
                ))
                .at(rows.span.clone(), "not symmetric"),
            );
        }
        Some(matrix)
    }
}

/// The end with the frame of the body or marker itself.
pub(crate) fn own_frame(end: End) -> EndSpec {
    end.with_frame(end.pose)
}
