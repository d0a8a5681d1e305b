//! The table of a constraint.

use crate::read::record;
use crate::value::Text;

record! {
    /// A constraint given by an equation.
    pub struct ConstraintTable "constraint" {
        /// Name, unique among all things of the model.
        name: Text,
        /// Expression of quantities that stays zero: positions, rotations, joint coordinates and `time`, or
        /// linear in velocities and rates.
        equation: Text,
    }
}
