//! How far constraints are open, and how near a motion came to a singular position.

use serde::{Deserialize, Serialize};

/// Largest residuals of the constraints.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ConstraintAudit {
    /// Of the constraints themselves.
    pub position: Residual,
    /// Of their first time derivative.
    pub velocity: Residual,
    /// Of their second time derivative.
    pub acceleration: Residual,
}

/// The largest residual of a kind and where it occurred.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Residual {
    /// Its size.
    pub max: f64,
    /// The joint in which it occurred.
    pub joint: String,
    /// When it occurred, in s.
    pub time: f64,
    /// Largest residual that is accepted.
    pub limit: Option<f64>,
    /// The residual above which the results are wrong; the limit, if there is no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong_above: Option<f64>,
    /// What must be known about it, e.g. that nothing imposes it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub remark: String,
}

/// The nearest that a motion came to a singular position.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SingularityMet {
    /// Distance: 0 at a singular position, 1 where no constraint row weakens another.
    pub distance: f64,
    /// When it occurred, in s.
    pub time: f64,
    /// The row that counts least there; empty if not known.
    pub weakest_row: String,
    /// Least distance that is accepted.
    pub limit: Option<f64>,
}

impl SingularityMet {
    /// Whether the distance keeps its limit, `None` if it has none.
    pub fn holds(&self) -> Option<bool> {
        self.limit.map(|limit| self.distance >= limit)
    }
}
