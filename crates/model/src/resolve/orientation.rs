//! Orientations: which of the forms was written, and its rotation matrix.

use super::Resolver;
use crate::diagnostic::Diagnostic;
use crate::file::{OrientationTable, Triple};
use poinsot_geometry::euler::Sequence;
use poinsot_geometry::orientation::FrameAxis;
use poinsot_geometry::{Mat3, Orientation, Vec3};

const FORMS: &str = "give one of: axis and angle; rotation_vector; euler_parameters; rodrigues; \
                     sequence and angles; matrix; two of x_axis, y_axis, z_axis";

/// The keys that were written.
fn keys(table: &OrientationTable) -> Vec<&'static str> {
    [
        ("axis", table.axis.is_some()),
        ("angle", table.angle.is_some()),
        ("rotation_vector", table.rotation_vector.is_some()),
        ("euler_parameters", table.euler_parameters.is_some()),
        ("rodrigues", table.rodrigues.is_some()),
        ("sequence", table.sequence.is_some()),
        ("angles", table.angles.is_some()),
        ("matrix", table.matrix.is_some()),
        ("x_axis", table.x_axis.is_some()),
        ("y_axis", table.y_axis.is_some()),
        ("z_axis", table.z_axis.is_some()),
    ]
    .iter()
    .filter(|(_, given)| *given)
    .map(|(key, _)| *key)
    .collect()
}

impl Resolver<'_> {
    /// Rotation matrix of an orientation; the identity if there is none.
    pub fn rotation(&mut self, table: Option<&OrientationTable>) -> Option<Mat3> {
        let Some(table) = table else {
            return Some(Mat3::identity());
        };
        let orientation = self.orientation(table)?;
        match orientation.to_matrix() {
            Ok(matrix) => Some(matrix),
            Err(error) => {
                self.diagnostics
                    .push(Diagnostic::error(error.to_string()).at(table.span.clone(), "not an orientation"));
                None
            }
        }
    }

    fn orientation(&mut self, table: &OrientationTable) -> Option<Orientation> {
        match keys(table).as_slice() {
            ["axis", "angle"] => {
                let axis = self.direction(table.axis.as_ref()?, "the axis of rotation");
                let angle = self.number(table.angle.as_ref()?);
                Some(Orientation::AxisAngle { axis: axis?, angle: angle? })
            }
            ["rotation_vector"] => {
                let vector = self.vector(table.rotation_vector.as_ref()?)?;
                Some(Orientation::RotationVector(vector))
            }
            ["euler_parameters"] => {
                let values = self.numbers(&table.euler_parameters.as_ref()?.value)?;
                Some(Orientation::EulerParameters(values))
            }
            ["rodrigues"] => {
                let vector = self.vector(table.rodrigues.as_ref()?)?;
                Some(Orientation::Rodrigues(vector))
            }
            ["sequence", "angles"] => self.euler_angles(table),
            ["matrix"] => {
                let [x, y, z] = self.rows(table.matrix.as_ref()?)?;
                let rows = [Vec3::from(x).transpose(), Vec3::from(y).transpose(), Vec3::from(z).transpose()];
                Some(Orientation::Matrix(Mat3::from_rows(&rows)))
            }
            ["x_axis", "y_axis"] => {
                self.two_axes((FrameAxis::X, &table.x_axis), (FrameAxis::Y, &table.y_axis))
            }
            ["x_axis", "z_axis"] => {
                self.two_axes((FrameAxis::X, &table.x_axis), (FrameAxis::Z, &table.z_axis))
            }
            ["y_axis", "z_axis"] => {
                self.two_axes((FrameAxis::Y, &table.y_axis), (FrameAxis::Z, &table.z_axis))
            }
            given => {
                let message = match given {
                    [] => "the orientation is empty".to_owned(),
                    given => format!("an orientation cannot be made of {}", list(given)),
                };
                self.diagnostics.push(
                    Diagnostic::error(message).at(table.span.clone(), "not one of the forms").help(FORMS),
                );
                None
            }
        }
    }

    fn euler_angles(&mut self, table: &OrientationTable) -> Option<Orientation> {
        let text = table.sequence.as_ref()?;
        let sequence = text.value.parse::<Sequence>();
        if let Err(error) = &sequence {
            self.diagnostics
                .push(Diagnostic::error(error.to_string()).at(text.span.clone(), "not a sequence"));
        }
        let angles = self.vector(table.angles.as_ref()?)?;
        Some(Orientation::Euler { sequence: sequence.ok()?, angles })
    }

    fn two_axes(
        &mut self,
        first: (FrameAxis, &Option<Triple>),
        second: (FrameAxis, &Option<Triple>),
    ) -> Option<Orientation> {
        let along = self.direction(first.1.as_ref()?, "this axis");
        let towards = self.direction(second.1.as_ref()?, "this axis");
        Some(Orientation::TwoDirections {
            primary: first.0,
            along: along?,
            secondary: second.0,
            towards: towards?,
        })
    }
}

/// `a`, `b` and `c`.
fn list(keys: &[&str]) -> String {
    let quoted: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => format!("{last} alone"),
        Some((last, rest)) => format!("{} and {last} together", rest.join(", ")),
        None => String::new(),
    }
}
