//! What the eigenvalues say about stability.

use serde::{Deserialize, Serialize};

/// Whether small disturbances stay small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Disturbances stay small, but need not die away.
    Stable,
    /// Disturbances die away.
    #[serde(rename = "asymptotically stable")]
    AsymptoticallyStable,
    /// Some disturbance grows.
    Unstable,
    /// The linearised system does not decide.
    #[default]
    Neutral,
    /// The linearised system changes with time: eigenvalues of one instant judge nothing.
    #[serde(rename = "no verdict")]
    None,
}

impl Verdict {
    /// The verdict in words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Stable => "stable",
            Verdict::AsymptoticallyStable => "asymptotically stable",
            Verdict::Unstable => "unstable",
            Verdict::Neutral => "neutral",
            Verdict::None => "no verdict",
        }
    }
}

/// A verdict on stability and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Stability {
    /// The verdict.
    pub verdict: Verdict,
    /// Why, in words.
    pub reason: String,
}
