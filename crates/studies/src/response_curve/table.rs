//! The table of a response curve: its own keys, and those of a periodic motion.

use crate::periodic::MotionKeys;
use poinsot_model::study::{Count, List, Located, Number, Text};
use poinsot_model::{choice, record};

choice! {
    /// Where a response curve begins.
    pub enum Begins "begin" {
        /// At the periodic motion near the start of the model.
        "motion" => Motion,
        /// At the first Hopf point that is met along the equilibria of the same range.
        "hopf" => Hopf,
    }
}

record! {
    /// Periodic motions along a parameter: response curves with folds, period doublings, tori and branch
    /// points.
    pub struct ResponseTable "response curve" {
        /// The parameter that changes along the curve. It may change the period too, as in
        /// `period = "2*pi/W"`.
        parameter: Text,
        /// Its value at the start, and the value towards which the curve sets out; it ends where the
        /// parameter leaves this range.
        range: Located<[Number; 2]>,
        /// Where the curve begins.
        begin: Located<Begins> = "motion",
        /// Names of the signals that are measured over each period; default: all.
        signals: Option<List<Text>>,
        /// First step along the curve: a share of the range, of the states, or of the period.
        step: Number = 0.02,
        /// Longest step.
        longest_step: Number = 0.05,
        /// Step below which the curve is given up.
        shortest_step: Number = 1e-6,
        /// Most motions on each curve.
        motions: Located<Count> = 300,
        /// Size of a correction, as that of steps, at which a motion counts as found.
        correction: Number = 1e-8,
        /// Points at which the other curve is followed too, as "doubling.1" or "branch.2".
        switch: Option<List<Text>>,
        /// Frames of each motion in the report.
        frames: Located<Count> = 16,
    } and motion: MotionKeys<true>
}
