//! Joints with an axis on each body: universal and constant velocity.

use super::Resolver;
use super::end::End;
use super::frame::{bend, perpendicular, triad};
use super::joint::joint;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{ConstantVelocityTable, Triple, UniversalTable};
use crate::spec::{JointKind, JointSpec};
use crate::value::{Located, Text};
use poinsot_geometry::{Pose, Vec3};

/// Greatest cosine between axes that pass as perpendicular.
const PERPENDICULAR: f64 = 1e-6;

/// What the tables have in common.
struct Shafts<'a> {
    name: &'a Text,
    between: &'a Located<[Text; 2]>,
    at: Option<&'a Triple>,
    axes: [(&'static str, Option<&'a Triple>); 2],
    span: &'a Span,
    kind: JointKind,
}

/// Their values: ends, world point, and the world axis of each end where it is known.
struct Placed {
    ends: [End; 2],
    point: Vec3,
    axes: [Option<Vec3>; 2],
}

macro_rules! shafts {
    ($table:expr, $kind:expr) => {
        Shafts {
            name: &$table.name,
            between: &$table.between,
            at: $table.at.as_ref(),
            axes: [("axis", $table.axis.as_ref()), ("second_axis", $table.second_axis.as_ref())],
            span: &$table.span,
            kind: $kind,
        }
    };
}

impl Resolver<'_> {
    /// Two axes, each fixed in its own body, perpendicular at the start.
    pub(super) fn universal(&mut self, table: &UniversalTable) -> Option<JointSpec> {
        let shafts = shafts!(table, JointKind::Universal);
        let Placed { ends, point, axes } = self.place_shafts(&shafts)?;
        for (axis, (key, _)) in axes.iter().zip(&shafts.axes) {
            if axis.is_none() {
                self.missing(&table.span, "universal", key, "a world direction");
            }
        }
        let [first, second] = axes;
        let (first, second) = (first?, second?);
        self.check_perpendicular(table, first, second)?;
        let first_frame = Pose::new(point, triad(first, second));
        let second_frame = Pose::new(point, triad(second, first));
        let ends = [ends[0].with_frame(first_frame), ends[1].with_frame(second_frame)];
        Some(joint(&table.name, JointKind::Universal, ends))
    }

    /// Two shafts whose relative rotation at the start is the bend from one to the other.
    pub(super) fn constant_velocity(&mut self, table: &ConstantVelocityTable) -> Option<JointSpec> {
        let shafts = shafts!(table, JointKind::ConstantVelocity);
        let Placed { ends, point, axes } = self.place_shafts(&shafts)?;
        let (first, second) = match axes {
            [Some(first), second] => (first, second.unwrap_or(first)),
            // A marker on the second body gives both shafts.
            [None, Some(second)] if ends[1].marker.is_some() => (second, second),
            [None, _] => {
                self.missing(&table.span, "constant_velocity", "axis", "a world direction");
                return None;
            }
        };
        let Some(turn) = bend(first, second) else {
            let place = table.second_axis.as_ref().or(table.axis.as_ref());
            self.diagnostics.push(
                Diagnostic::error(format!("the shafts of `{}` point against each other", table.name.value))
                    .at(place.map_or(&table.span, |triple| &triple.span).clone(), "opposite direction")
                    .help(
                        "both directions point the same way along the shafts, e.g. from first to second body",
                    ),
            );
            return None;
        };
        let rotation = match ends.each_ref().map(|end| end.marker) {
            [Some((_, pose)), _] => pose.rotation,
            [None, Some((_, pose))] => turn.transpose() * pose.rotation,
            [None, None] => triad(first, perpendicular(first)),
        };
        let frames = [Pose::new(point, rotation), Pose::new(point, turn * rotation)];
        let ends = [0, 1].map(|i| ends[i].with_frame(frames[i]));
        Some(joint(&table.name, JointKind::ConstantVelocity, ends))
    }

    /// The ends, the point, and the axes: a marker's z axis, else the given one.
    fn place_shafts(&mut self, shafts: &Shafts) -> Option<Placed> {
        let ends = self.ends(shafts.between);
        let at = shafts.at.map(|at| self.vector(at));
        let given = shafts.axes.map(|(key, triple)| {
            let subject = format!("the {} of `{}`", key.replace('_', " "), shafts.name.value);
            triple.map(|triple| self.direction(triple, &subject))
        });
        let ends = ends?;
        self.refuse_points(&ends, shafts.between, &shafts.kind)?;
        self.warn_unused(&ends, shafts.name, &[("at", shafts.at)]);
        let marker = ends.iter().find_map(|end| end.marker.map(|(_, pose)| pose));
        if at.is_none() && marker.is_none() {
            self.missing_at(shafts.span, shafts.kind.word());
        }
        let mut axes = [None; 2];
        for (i, (key, triple)) in shafts.axes.into_iter().enumerate() {
            axes[i] = match (ends[i].marker, given[i]) {
                (Some((_, pose)), _) => {
                    if let Some(triple) = triple {
                        self.unused(shafts.name, key, triple.span.clone());
                    }
                    Some(pose.rotation.column(2).into())
                }
                (None, Some(axis)) => Some(axis?),
                (None, None) => None,
            };
        }
        let point = at.unwrap_or(marker.map(|pose| pose.r))?;
        Some(Placed { ends, point, axes })
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
}
