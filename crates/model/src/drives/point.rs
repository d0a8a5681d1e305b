//! Drive of a point.

use super::{DriveEffort, DriveEntry, DriveLaw, DriveSpec, DriveType};
use crate::build::Site;
use crate::declared::declared;
use crate::diagnostic::Diagnostic;
use crate::file::{FileTable, Triple};
use crate::forces::{LOAD_ARGUMENTS, own_frame};
use crate::resolve::Resolver;
use crate::resolve::end::End;
use crate::resolve::kink::Roughness;
use crate::spec::EndSpec;
use crate::value::{Number, Text};
use poinsot_expr::SmoothFunction;
use poinsot_mechanics::{Constraint, drives};

/// What there is to know of the type.
pub const POINT_DRIVE: DriveType = DriveType {
    word: "point",
    what: "the position of a point",
    effort: DriveEffort::Force,
    example: r#"[[drive]]
name = "hand"
type = "point"
point = "handle"
position = ["0.1*smootherstep(t)", "free", "free"]"#,
};

declared! {
    /// Imposes the position of a point.
    PointDriveTable "point drive" is POINT_DRIVE: DriveType {
        /// The body whose origin, or the marker, that is moved.
        point: Text,
        /// Coordinates, m; each may use `t` and positions of the running system, or be "free".
        position: Triple,
        /// The body or marker from whose origin and in whose axes the position is given, or "ground".
        relative_to: Text = "ground",
    }
}

impl DriveEntry for PointDriveTable {
    fn resolve(&self, resolver: &mut Resolver, file: &FileTable) -> Option<DriveSpec> {
        let position = self.given().map(|number| match number {
            None => Some(None),
            // Written out when everything is known that it may read.
            Some(law) if resolver.reads_state(law, LOAD_ARGUMENTS, file) => {
                Some(Some(SmoothFunction::constant(0.0)))
            }
            Some(law) => resolver.drive_law(law, Roughness::Kink).map(Some),
        });
        let on = resolver.driven(&self.point);
        let reference = resolver.reference(&self.relative_to);
        let [x, y, z] = position;
        let position = [x?, y?, z?];
        if position.iter().all(Option::is_none) {
            resolver.diagnostics.push(
                Diagnostic::error(format!("`{}` drives nothing: all coordinates are free", self.name.value))
                    .at(self.position.span.clone(), "all free"),
            );
            return None;
        }
        let (on, reference) = (on?, reference?);
        if on.body == reference.body {
            let message =
                format!("`{}` and `{}` are on the same body", self.point.value, self.relative_to.value);
            resolver.diagnostics.push(
                Diagnostic::error(message)
                    .at(self.point.span.clone(), "does not move relative to it")
                    .and(self.relative_to.span.clone(), "the reference"),
            );
            return None;
        }
        let (on, relative_to) = (own_frame(on), own_frame(reference));
        Some(DriveSpec::new(self, PointDrive { on, relative_to, position }))
    }

    fn coordinates(&self) -> Option<[Option<&Number>; 3]> {
        Some(self.given())
    }
}

impl PointDriveTable {
    /// The coordinates that are not free.
    fn given(&self) -> [Option<&Number>; 3] {
        let is_free = |number: &Number| matches!(number, Number::Expression(t) if t.value.trim() == "free");
        self.position.value.each_ref().map(|number| Some(number).filter(|number| !is_free(number)))
    }
}

impl Resolver<'_> {
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

/// The position of a point in a frame over time.
#[derive(Clone, Debug)]
pub struct PointDrive {
    /// The point: origin of this end.
    pub on: EndSpec,
    /// The frame in whose axes, and from whose origin, the position is given.
    pub relative_to: EndSpec,
    /// Coordinates over time; `None` where the point is free. At least one is given.
    pub position: [Option<SmoothFunction>; 3],
}

impl DriveLaw for PointDrive {
    fn declaration(&self) -> &'static DriveType {
        &POINT_DRIVE
    }

    fn constraint(&self, site: &Site) -> Box<dyn Constraint> {
        let (reference, on) = (site.attach(&self.relative_to), site.attach(&self.on));
        Box::new(drives::point(&reference, &on, self.position.clone()))
    }

    fn laws(&self) -> Vec<&SmoothFunction> {
        self.position.iter().flatten().collect()
    }
}
