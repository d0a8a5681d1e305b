//! Joints: the two ends and their frames in body axes.

use super::Resolver;
use super::names::Thing;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{DistanceTable, JointTable, Triple, UniversalTable};
use crate::spec::{BodyRef, EndSpec, JointKind, JointSpec};
use crate::value::{Located, Text};
use poinsot_geometry::{Mat3, Pose, Vec3};

/// Greatest cosine between axes that pass as perpendicular.
const PERPENDICULAR: f64 = 1e-6;

/// One end as it was named: a body, or a marker with its world pose at the start.
#[derive(Clone, Copy)]
pub(super) struct End {
    pub body: BodyRef,
    /// World pose of the body at the start.
    pub pose: Pose,
    /// Index and world pose of the marker.
    pub marker: Option<(usize, Pose)>,
}

impl End {
    /// The marker's world frame, else the given one.
    fn own_or(&self, world: Pose) -> Pose {
        self.marker.map_or(world, |(_, pose)| pose)
    }

    /// The frame of this end in body axes: the marker's own, else the given world frame.
    pub fn with_frame(&self, world: Pose) -> EndSpec {
        EndSpec {
            body: self.body,
            frame: self.pose.relative(&self.own_or(world)),
            marker: self.marker.map(|(index, _)| index),
        }
    }
}

/// A frame with z along `z` and x as near as possible to `x`.
fn triad(z: Vec3, x: Vec3) -> Mat3 {
    let across = x - z * z.dot(&x);
    let x = match across.try_normalize(1e-9) {
        Some(x) => x,
        None => perpendicular(z),
    };
    Mat3::from_columns(&[x, z.cross(&x), z])
}

/// A unit vector perpendicular to `z`.
fn perpendicular(z: Vec3) -> Vec3 {
    let least = if z.x.abs() <= z.y.abs() && z.x.abs() <= z.z.abs() {
        Vec3::x()
    } else if z.y.abs() <= z.z.abs() {
        Vec3::y()
    } else {
        Vec3::z()
    };
    (least - z * z.dot(&least)).normalize()
}

/// What the tables of joints with one common frame have.
struct Plain<'a> {
    name: &'a Text,
    between: &'a Located<[Text; 2]>,
    at: Option<&'a Triple>,
    /// `None` for joints without an axis.
    axis: Option<Option<&'a Triple>>,
    span: &'a Span,
}

impl Resolver<'_> {
    pub fn joint(&mut self, joint: &JointTable) -> Option<JointSpec> {
        macro_rules! plain {
            ($table:expr, $axis:expr) => {
                Plain {
                    name: &$table.name,
                    between: &$table.between,
                    at: $table.at.as_ref(),
                    axis: $axis,
                    span: &$table.span,
                }
            };
        }
        match joint {
            JointTable::Fixed(t) => self.plain(plain!(t, None), JointKind::Fixed),
            JointTable::Spherical(t) => self.plain(plain!(t, None), JointKind::Spherical),
            JointTable::Revolute(t) => self.plain(plain!(t, Some(t.axis.as_ref())), JointKind::Revolute),
            JointTable::Prismatic(t) => self.plain(plain!(t, Some(t.axis.as_ref())), JointKind::Prismatic),
            JointTable::Cylindrical(t) => {
                self.plain(plain!(t, Some(t.axis.as_ref())), JointKind::Cylindrical)
            }
            JointTable::Planar(t) => self.plain(plain!(t, Some(t.axis.as_ref())), JointKind::Planar),
            JointTable::Universal(t) => self.universal(t),
            JointTable::Distance(t) => self.distance(t),
        }
    }

    /// A joint with one point and at most one axis.
    fn plain(&mut self, table: Plain, kind: JointKind) -> Option<JointSpec> {
        let ends = self.ends(table.between);
        let at = table.at.map(|at| self.vector(at));
        let subject = format!("the axis of `{}`", table.name.value);
        let given = table.axis.flatten();
        let axis = given.map(|axis| self.direction(axis, &subject));
        let ends = ends?;
        self.refuse_points(&ends, table.between, &kind)?;
        self.warn_unused(&ends, table.name, &[("at", table.at), ("axis", given)]);
        if ends.iter().all(|end| end.marker.is_some()) {
            // Each end has its own frame.
            let ends = ends.map(|end| end.with_frame(Pose::identity()));
            return Some(joint(table.name, kind, ends));
        }
        let marker = ends.iter().find_map(|end| end.marker.map(|(_, pose)| pose));
        let point = at.unwrap_or_else(|| match (marker, kind) {
            (Some(pose), _) => Some(pose.r),
            (None, JointKind::Fixed) => Some(ends[1].pose.r),
            (None, _) => {
                self.missing_at(table.span, kind.word());
                None
            }
        });
        let rotation = match (axis, marker) {
            (Some(axis), Some(pose)) => axis.map(|z| triad(z, pose.rotation.column(0).into())),
            (Some(axis), None) => axis.map(|z| triad(z, perpendicular(z))),
            (None, Some(pose)) => Some(pose.rotation),
            (None, None) if table.axis.is_none() => Some(Mat3::identity()),
            (None, None) => {
                self.missing(table.span, kind.word(), "axis", "a world direction");
                None
            }
        };
        let world = Pose::new(point?, rotation?);
        Some(joint(table.name, kind, ends.map(|end| end.with_frame(world))))
    }

    /// Two axes, each fixed in its own body, perpendicular at the start.
    fn universal(&mut self, table: &UniversalTable) -> Option<JointSpec> {
        let ends = self.ends(&table.between);
        let at = table.at.as_ref().map(|at| self.vector(at));
        let given = [("axis", table.axis.as_ref()), ("second_axis", table.second_axis.as_ref())];
        let axes = given.map(|(key, triple)| {
            let subject = format!("the {} of `{}`", key.replace('_', " "), table.name.value);
            triple.map(|triple| self.direction(triple, &subject))
        });
        let ends = ends?;
        self.refuse_points(&ends, &table.between, &JointKind::Universal)?;
        self.warn_unused(&ends, &table.name, &[("at", table.at.as_ref())]);
        let marker = ends.iter().find_map(|end| end.marker.map(|(_, pose)| pose));
        let point = at.unwrap_or_else(|| marker.map(|pose| pose.r));
        if at.is_none() && marker.is_none() {
            self.missing_at(&table.span, "universal");
        }
        let [first, second] = [0, 1].map(|i| self.own_axis(table, ends[i], given[i], axes[i]));
        let (first, second, point) = (first?, second?, point?);
        self.check_perpendicular(table, first, second)?;
        let first_frame = Pose::new(point, triad(first, second));
        let second_frame = Pose::new(point, triad(second, first));
        let ends = [ends[0].with_frame(first_frame), ends[1].with_frame(second_frame)];
        Some(joint(&table.name, JointKind::Universal, ends))
    }

    /// The world axis of one end of a universal joint: the marker's z axis, else the given one.
    fn own_axis(
        &mut self,
        table: &UniversalTable,
        end: End,
        (key, given): (&str, Option<&Triple>),
        axis: Option<Option<Vec3>>,
    ) -> Option<Vec3> {
        match (end.marker, axis) {
            (Some((_, pose)), _) => {
                if let Some(given) = given {
                    self.unused(&table.name, key, given.span.clone());
                }
                Some(pose.rotation.column(2).into())
            }
            (None, Some(axis)) => axis,
            (None, None) => {
                self.missing(&table.span, "universal", key, "a world direction");
                None
            }
        }
    }

    fn check_perpendicular(&mut self, table: &UniversalTable, first: Vec3, second: Vec3) -> Option<()> {
        let cosine = first.dot(&second);
        if cosine.abs() <= PERPENDICULAR {
            return Some(());
        }
        let name = &table.name.value;
        let angle = cosine.clamp(-1.0, 1.0).acos().to_degrees();
        let place = |triple: &Option<Triple>| match triple {
            Some(triple) => triple.span.clone(),
            None => table.span.clone(),
        };
        self.diagnostics.push(
            Diagnostic::error(format!(
                "the axes of the universal joint `{name}` are not perpendicular: \
                 the angle between them is {angle:.4}°"
            ))
            .at(place(&table.second_axis), "the second axis")
            .and(place(&table.axis), "the first axis"),
        );
        None
    }

    fn distance(&mut self, table: &DistanceTable) -> Option<JointSpec> {
        let name = &table.name.value;
        let given =
            table.length.as_ref().map(|length| self.positive(length, &format!("the length of `{name}`")));
        let (ends, start) = self.end_points(&table.between, table.points.as_ref(), &table.name)?;
        let length = given.unwrap_or(Some(start))?;
        Some(joint(&table.name, JointKind::Distance { length }, ends))
    }

    /// The ends of a distance joint or spring and their distance at the start.
    pub(super) fn end_points(
        &mut self,
        between: &Located<[Text; 2]>,
        points: Option<&Located<[Triple; 2]>>,
        name: &Text,
    ) -> Option<([EndSpec; 2], f64)> {
        let ends = self.ends(between);
        let given = points.map(|points| points.value.each_ref().map(|p| self.vector(p)));
        let ends = ends?;
        if let Some(points) = points
            && ends.iter().all(|end| end.marker.is_some())
        {
            self.unused(name, "points", points.span.clone());
        }
        let [a, b] = match (given, points) {
            (Some(given), Some(points)) => [0, 1].map(|i| {
                let at = given[i]?;
                self.check_point_of_attack(ends[i], at, &points.value[i])?;
                Some(Pose::new(at, ends[i].pose.rotation))
            }),
            _ => ends.map(|end| Some(end.pose)),
        };
        let world = [ends[0].own_or(a?), ends[1].own_or(b?)];
        let length = (world[1].r - world[0].r).norm();
        let size = world[0].r.norm().max(world[1].r.norm());
        if length <= 1e-12 * size {
            let span = points.map_or(&between.span, |points| &points.span);
            let name = &name.value;
            self.diagnostics.push(
                Diagnostic::error(format!("the two points of `{name}` coincide at the start"))
                    .at(span.clone(), "length zero, no direction")
                    .help("give `points` that differ, or markers"),
            );
            return None;
        }
        let specs = [ends[0].with_frame(world[0]), ends[1].with_frame(world[1])];
        Some((specs, length))
    }

    /// A point mass can be held at no point but itself.
    fn check_point_of_attack(&mut self, end: End, at: Vec3, given: &Triple) -> Option<()> {
        let off = (at - end.pose.r).norm();
        if !self.is_point(end.body) || off <= 1e-9 * at.norm().max(1.0) {
            return Some(());
        }
        self.diagnostics.push(
            Diagnostic::error(format!("this end is a point mass, but the given point is {off} away from it"))
                .at(given.span.clone(), "not at the point mass"),
        );
        None
    }

    /// The two ends named by `between`; they must be on different bodies.
    pub(super) fn ends(&mut self, between: &Located<[Text; 2]>) -> Option<[End; 2]> {
        let [first, second] = &between.value;
        let ends = [self.end(first), self.end(second)];
        let bodies = ends.map(|end| end.map(|(body, _)| body));
        if let [Some(a), Some(b)] = bodies
            && a == b
        {
            let message = match first.value == second.value {
                true => format!("both ends are `{}`", first.value),
                false => format!("`{}` and `{}` are on the same body", first.value, second.value),
            };
            self.diagnostics.push(
                Diagnostic::error(message)
                    .at(second.span.clone(), "the same body again")
                    .and(first.span.clone(), "first end")
                    .help("the two ends must be on different bodies"),
            );
            return None;
        }
        let [first, second] = ends.map(|end| self.place(end?));
        Some([first?, second?])
    }

    /// A body or marker by name.
    pub(super) fn end(&mut self, name: &Text) -> Option<(BodyRef, Option<usize>)> {
        if name.value == "ground" {
            return Some((BodyRef::Ground, None));
        }
        match self.names.get(&name.value) {
            Some(Thing::Body(index)) => Some((BodyRef::Body(index), None)),
            Some(Thing::Marker(index)) => {
                let marker = self.markers.get(index)?.as_ref()?;
                Some((marker.body, Some(index)))
            }
            _ => {
                let wanted = |thing| matches!(thing, Thing::Body(_) | Thing::Marker(_));
                let names = self.names.of(wanted);
                let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
                names.push("ground".into());
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                self.unknown(name, "body or marker", &names);
                None
            }
        }
    }

    /// World poses of an end at the start.
    pub(super) fn place(&self, (body, marker): (BodyRef, Option<usize>)) -> Option<End> {
        let pose = self.pose(body)?;
        let marker = match marker {
            Some(index) => {
                let inner = self.markers.get(index)?.as_ref()?.pose;
                Some((index, pose * inner))
            }
            None => None,
        };
        Some(End { body, pose, marker })
    }

    /// Most joints hold an orientation, which a point mass has not.
    fn refuse_points(
        &mut self,
        ends: &[End; 2],
        between: &Located<[Text; 2]>,
        kind: &JointKind,
    ) -> Option<()> {
        if *kind == JointKind::Spherical {
            return Some(());
        }
        self.refuse_point_ends(ends, between, &format!("a {} joint", kind.word()))
    }

    /// Reports the ends that are point masses.
    pub(super) fn refuse_point_ends(
        &mut self,
        ends: &[End; 2],
        between: &Located<[Text; 2]>,
        what: &str,
    ) -> Option<()> {
        let mut fine = Some(());
        for (end, name) in ends.iter().zip(&between.value) {
            if self.is_point(end.body) {
                self.no_orientation(name, what);
                fine = None;
            }
        }
        fine
    }

    /// Reports that a point mass cannot be used here.
    pub(super) fn no_orientation(&mut self, name: &Text, what: &str) {
        self.diagnostics.push(
            Diagnostic::error(format!("{what} cannot act on the point mass `{}`", name.value))
                .at(name.span.clone(), "has no orientation")
                .help("a point mass can have spherical and distance joints, springs and world forces"),
        );
    }

    /// Keys that two markers make superfluous.
    fn warn_unused(&mut self, ends: &[End; 2], name: &Text, keys: &[(&str, Option<&Triple>)]) {
        if ends.iter().all(|end| end.marker.is_some()) {
            for (key, triple) in keys {
                if let Some(triple) = triple {
                    self.unused(name, key, triple.span.clone());
                }
            }
        }
    }

    pub(super) fn unused(&mut self, name: &Text, key: &str, span: Span) {
        self.diagnostics.push(
            Diagnostic::warning(format!("`{key}` of `{}` is not used", name.value))
                .at(span, "the marker's own frame is used")
                .help(format!("remove `{key}`, or name the body instead of the marker")),
        );
    }

    fn missing_at(&mut self, span: &Span, word: &str) {
        self.missing(span, word, "at", "the world point where both bodies meet");
    }

    fn missing(&mut self, span: &Span, word: &str, key: &str, what: &str) {
        self.diagnostics.push(
            Diagnostic::error(format!("missing key `{key}` in {word} joint"))
                .at(span.clone(), format!("this {word} joint needs `{key}`"))
                .help(format!("give `{key}` ({what}), or use a marker as an end")),
        );
    }
}

fn joint(name: &Text, kind: JointKind, [first, second]: [EndSpec; 2]) -> JointSpec {
    JointSpec { name: name.value.clone(), span: name.span.clone(), kind, first, second }
}
