//! The table of a table.

use crate::read::{choice, record};
use crate::value::{Count, List, Located, Number, Text};

record! {
    /// A function of one variable through points, for use in expressions.
    pub struct TableTable "table" {
        /// Name, by which expressions call it.
        name: Text,
        /// The points [x, y]; x increases.
        points: Option<Located<List<Located<[Number; 2]>>>>,
        /// Path of a CSV file with the points instead, relative to the model file.
        file: Option<Text>,
        /// The columns of x and y in the file, counted from 1; default: the first two.
        columns: Option<Located<[Count; 2]>>,
        /// The curve between the points.
        interpolation: Located<Interpolation> = "spline",
        /// The curve outside the points.
        extrapolation: Located<Extrapolation> = "hold",
    }
}

choice! {
    /// The curve between the points of a table.
    pub enum Interpolation "interpolation" {
        /// Cubic spline with continuous second derivative.
        "spline" => Spline,
        /// Straight lines.
        "linear" => Linear,
    }
}

choice! {
    /// The curve outside the points of a table.
    pub enum Extrapolation "extrapolation" {
        /// The value of the nearest end.
        "hold" => Hold,
        /// The line with the slope of the nearest end.
        "linear" => Linear,
        /// The curve repeats; first and last y must agree.
        "periodic" => Periodic,
    }
}
