//! What a drive declares.

use crate::build::Site;
use crate::declared::Declared;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::FileTable;
use crate::forces::LOAD_ARGUMENTS;
use crate::resolve::Resolver;
use crate::resolve::end::End;
use crate::resolve::kink::{Roughness, kink};
use crate::spec::{BodyRef, ConstraintSpec, LawSpec};
use crate::value::{Number, Text};
use poinsot_expr::SmoothFunction;
use poinsot_mechanics::Constraint;
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// What is the same for all drives of a type.
#[derive(Clone, Copy, Debug)]
pub struct DriveType {
    /// Its word in the file.
    pub word: &'static str,
    /// What it imposes, for the reference page.
    pub what: &'static str,
    /// What it acts with.
    pub effort: DriveEffort,
    /// A drive of a model file, for the reference page.
    pub example: &'static str,
}

/// What a drive acts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriveEffort {
    /// A force or torque along a coordinate.
    Along,
    /// A force on a point.
    Force,
    /// A torque on a body.
    Torque,
}

/// A drive's law with its functions of `t`.
pub trait DriveLaw: Any + Debug + Send + Sync {
    /// Its type.
    fn declaration(&self) -> &'static DriveType;

    /// Its equations.
    fn constraint(&self, site: &Site) -> Box<dyn Constraint>;

    /// Its functions of `t`.
    fn laws(&self) -> Vec<&SmoothFunction>;

    /// The joint that it drives and the index of the coordinate.
    fn coordinate(&self) -> Option<(usize, usize)> {
        None
    }

    /// The value of that coordinate at a time, if it imposes it.
    fn position(&self, _t: f64) -> Option<f64> {
        None
    }

    /// Whether it imposes the rate of that coordinate.
    fn imposes_rate(&self) -> bool {
        false
    }

    /// The rate of that coordinate at a time.
    fn rate(&self, _t: f64) -> Option<f64> {
        None
    }
}

/// A drive as the file has it.
pub(crate) trait DriveEntry: Declared<DriveType> {
    /// Checks it and finds what it drives.
    fn resolve(&self, resolver: &mut Resolver, file: &FileTable) -> Option<DriveSpec>;

    /// The law that may read the running system.
    fn law(&self) -> Option<&Number> {
        None
    }

    /// The coordinates of a point that it imposes, none where the point is free; each may read the running
    /// system.
    fn coordinates(&self) -> Option<[Option<&Number>; 3]> {
        None
    }

    /// The components of an angular velocity that it imposes; each may read the running system.
    fn angular_velocity(&self) -> Option<[&Number; 3]> {
        None
    }
}

/// An imposed motion.
#[derive(Clone, Debug)]
pub struct DriveSpec {
    /// Its name.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// What it is.
    pub kind: Arc<dyn DriveLaw>,
    /// The relation that it holds, if its law reads the running system.
    pub relation: Option<ConstraintSpec>,
    /// The coordinates of a point that it imposes, if one of them reads the running system.
    pub coordinates: Option<[Option<LawSpec>; 3]>,
    /// The components of an angular velocity that it imposes, if one of them reads the running system.
    pub angular_velocity: Option<[LawSpec; 3]>,
}

impl DriveSpec {
    /// A drive of a table.
    pub(super) fn new(table: &dyn Declared<DriveType>, law: impl DriveLaw) -> Self {
        let Text { value, span, .. } = table.name().clone();
        let kind = Arc::new(law);
        DriveSpec { name: value, span, kind, relation: None, coordinates: None, angular_velocity: None }
    }

    /// The law if it is of this type.
    pub fn law<L: DriveLaw>(&self) -> Option<&L> {
        (&*self.kind as &dyn Any).downcast_ref()
    }
}

impl Resolver<'_> {
    /// A law of time; warns where it is rough enough to make velocities jump.
    pub(super) fn drive_law(&mut self, number: &Number, least: Roughness) -> Option<SmoothFunction> {
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

    /// The end that a drive moves: not the ground.
    pub(super) fn driven(&mut self, on: &Text) -> Option<End> {
        let end = self.end(on)?;
        if end.0 == BodyRef::Ground {
            self.diagnostics
                .push(Diagnostic::error("the ground cannot be driven").at(on.span.clone(), "does not move"));
            return None;
        }
        self.place(end)
    }
}
