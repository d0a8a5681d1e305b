//! How far flexible bodies deform, and how fast they spin: whether their shapes are enough.

use serde::{Deserialize, Serialize};

/// What a flexible body does over a study. It is made for small deformations.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FlexibleAudit {
    /// Its name.
    pub body: String,
    /// What goes on along the study: `t`, the name of a parameter; empty where there is one state alone.
    pub along: String,
    /// The largest elastic displacement of a point, relative to the length of the body.
    pub displacement: LargestOf,
    /// The largest rotation of an interface against the floating frame, in rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<LargestOf>,
    /// The largest rate of spin, relative to the lowest circular frequency of the body held at an interface;
    /// where stiffness of stress is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spin: Option<LargestOf>,
    /// That frequency, in rad/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lowest: Option<f64>,
    /// The largest equivalent stress of von Mises on the surface, in Pa, and where; it has no limit here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stress: Option<LargestOf>,
}

/// The largest value of something.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LargestOf {
    /// The value.
    pub value: f64,
    /// Whose it is, where the body has several.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub of: String,
    /// Where along the study.
    pub at: f64,
    /// The value above which it needs attention.
    pub limit: f64,
}

impl LargestOf {
    /// Nothing yet.
    pub fn below(limit: f64) -> Self {
        LargestOf { limit, ..LargestOf::default() }
    }

    /// Takes in a value.
    pub fn note(&mut self, value: f64, at: f64, of: impl FnOnce() -> String) {
        if value > self.value && value.is_finite() {
            *self = LargestOf { value, at, of: of(), limit: self.limit };
        }
    }

    /// Whether it keeps its limit.
    pub fn holds(&self) -> bool {
        self.value <= self.limit
    }
}
