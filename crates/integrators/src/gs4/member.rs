//! Members of the GS4-2 family and their weights (gs4-isochronous-integrators I-02 … I-24).
//!
//! Three roots at infinite frequency say everything: ρ_min, ρ_max (principal) and ρ_s (spurious), with
//! 0 ≤ ρ_s ≤ ρ_min ≤ ρ_max ≤ 1. The U0 family bounds the displacement overshoot, V0 the velocity's.

use crate::gs4::switches::Switches;
use crate::named::Label;
use thiserror::Error;

/// The two families of GS4-2; spectrally equal, different in overshoot and nonlinear behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gs4Family {
    /// No displacement overshoot; contains generalised-α, HHT, WBZ and Newmark.
    U0,
    /// No velocity overshoot; contains the midpoint rule.
    V0,
}

/// A member: family and roots at infinite frequency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// The family.
    pub family: Gs4Family,
    /// Smaller principal root ρ_min.
    pub rho_min: f64,
    /// Larger principal root ρ_max.
    pub rho_max: f64,
    /// Spurious root ρ_s.
    pub rho_s: f64,
}

/// The weights of a step, named as in the digest (W₂Λ₂ is `w2l2`, λ₃ is `l3`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// W₁: the collocation time is t_n + W₁h.
    pub w1: f64,
    /// W₂Λ₂.
    pub w2l2: f64,
    /// W₃Λ₃.
    pub w3l3: f64,
    /// W₂Λ₅.
    pub w2l5: f64,
    /// W₁Λ₆.
    pub w1l6: f64,
    /// λ₃.
    pub l3: f64,
    /// λ₅.
    pub l5: f64,
    /// Time shift of the stored acceleration: aⁿ ≈ q̈(t_n − φh).
    pub phi: f64,
}

/// Why a member cannot be had.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MemberError {
    /// The roots are not in the order 0 ≤ ρ_s ≤ ρ_min ≤ ρ_max ≤ 1.
    #[error(
        "the roots must obey 0 ≤ rho_s ≤ rho_min ≤ rho_max ≤ 1, but they are rho_min = {0}, rho_max = {1}, rho_s = {2}"
    )]
    Roots(f64, f64, f64),
    /// ρ outside the range of the named member.
    #[error("{name} needs {low} ≤ rho ≤ {high}, but rho = {rho}")]
    Rho {
        /// Member's name.
        name: &'static str,
        /// Given value.
        rho: f64,
        /// Lowest admissible value.
        low: f64,
        /// Highest admissible value.
        high: f64,
    },
    /// No such name.
    #[error("there is no integrator `{0}`")]
    Unknown(String),
}

/// A named member, for model files and the command line.
#[derive(Clone, Copy, Debug)]
pub struct NamedMember {
    /// How it is called.
    pub label: Label,
    /// Range of ρ, if the member has that parameter.
    pub rho_range: Option<(f64, f64)>,
    /// How the member is used.
    pub switches: Switches,
    make: fn(f64) -> Member,
}

impl NamedMember {
    /// The member with a parameter in its range.
    pub(crate) fn with(&self, rho: f64) -> Member {
        (self.make)(rho)
    }

    /// The member with this name or alias.
    pub fn find(name: &str) -> Option<&'static NamedMember> {
        NAMED.iter().find(|m| m.label.is_called(name))
    }
}

/// ρ of a member where none is given: little numerical damping, and second order in everything.
pub const DEFAULT_RHO: f64 = 0.9;

/// All named members.
pub const NAMED: &[NamedMember] = &[
    NamedMember {
        label: Label {
            name: "generalized-alpha",
            aliases: &["generalised-alpha", "chung-hulbert", "three-parameter-optimal"],
            summary: "U0(ρ,ρ,ρ): damps the top of the spectrum to ρ; second order in every variable",
        },
        rho_range: Some((0.0, 1.0)),
        switches: Switches::IMPLICIT,
        make: |r| Member::u0(r, r, r),
    },
    NamedMember {
        label: Label {
            name: "hht",
            aliases: &["hht-alpha"],
            summary: "U0(ρ,ρ,(1−ρ)/2ρ): Hilber–Hughes–Taylor",
        },
        rho_range: Some((0.5, 1.0)),
        switches: Switches::IMPLICIT,
        make: |r| Member::u0(r, r, (1.0 - r) / (2.0 * r)),
    },
    NamedMember {
        label: Label {
            name: "wbz",
            aliases: &["wbz-alpha", "bossak"],
            summary: "U0(ρ,ρ,0): Wood–Bossak–Zienkiewicz",
        },
        rho_range: Some((0.0, 1.0)),
        switches: Switches::IMPLICIT,
        make: |r| Member::u0(r, r, 0.0),
    },
    NamedMember {
        label: Label {
            name: "newmark",
            aliases: &["trapezoidal", "average-acceleration"],
            summary: "U0(1,1,0): Newmark's average acceleration, no numerical damping",
        },
        rho_range: None,
        switches: Switches::IMPLICIT,
        make: |_| Member::u0(1.0, 1.0, 0.0),
    },
    NamedMember {
        label: Label {
            name: "midpoint",
            aliases: &["midpoint-mpa"],
            summary: "V0(1,1,0): midpoint rule with mid-point acceleration, no numerical damping, symplectic",
        },
        rho_range: None,
        switches: Switches::IMPLICIT,
        make: |_| Member::v0(1.0, 1.0, 0.0),
    },
    NamedMember {
        label: Label {
            name: "midpoint-epa",
            aliases: &[],
            summary: "U0(1,1,1): midpoint rule with end-point acceleration",
        },
        rho_range: None,
        switches: Switches::IMPLICIT,
        make: |_| Member::u0(1.0, 1.0, 1.0),
    },
    NamedMember {
        label: Label {
            name: "optimal",
            aliases: &["u0v0"],
            summary: "U0(ρ,1,ρ): no overshoot in displacement or velocity; damps the middle of the spectrum",
        },
        rho_range: Some((0.0, 1.0)),
        switches: Switches::IMPLICIT,
        make: |r| Member::u0(r, 1.0, r),
    },
    NamedMember {
        label: Label {
            name: "central-difference",
            aliases: &["velocity-verlet", "explicit-newmark"],
            summary: "U0(1,1,0), explicit: velocity Verlet, no numerical damping, symplectic; stable for ωh < 2",
        },
        rho_range: None,
        switches: Switches::EXPLICIT,
        make: |_| Member::u0(1.0, 1.0, 0.0),
    },
];

impl Member {
    /// U0(ρ_min, ρ_max, ρ_s).
    pub const fn u0(rho_min: f64, rho_max: f64, rho_s: f64) -> Self {
        Member { family: Gs4Family::U0, rho_min, rho_max, rho_s }
    }

    /// V0(ρ_min, ρ_max, ρ_s).
    pub const fn v0(rho_min: f64, rho_max: f64, rho_s: f64) -> Self {
        Member { family: Gs4Family::V0, rho_min, rho_max, rho_s }
    }

    /// A member by name; `rho` is ignored by members without that parameter.
    pub fn named(name: &str, rho: f64) -> Result<Self, MemberError> {
        let entry = NamedMember::find(name).ok_or_else(|| MemberError::Unknown(name.into()))?;
        if let Some((low, high)) = entry.rho_range
            && !(low..=high).contains(&rho)
        {
            return Err(MemberError::Rho { name: entry.label.name, rho, low, high });
        }
        Ok((entry.make)(rho))
    }

    /// Checks the order of the roots, as stability of the implicit families needs it.
    pub fn check(&self) -> Result<(), MemberError> {
        let Member { rho_min, rho_max, rho_s, .. } = *self;
        // HHT at ρ = ½ has ρ_s = ½ up to rounding.
        let ordered = 0.0 <= rho_s && rho_s <= rho_min + 1e-14 && rho_min <= rho_max && rho_max <= 1.0;
        if ordered { Ok(()) } else { Err(MemberError::Roots(rho_min, rho_max, rho_s)) }
    }

    /// Checks that each root is in the range 0 … 1, which is all that explicit members need (I-05).
    pub fn check_unordered(&self) -> Result<(), MemberError> {
        let Member { rho_min, rho_max, rho_s, .. } = *self;
        let fits = [rho_min, rho_max, rho_s].iter().all(|r| (0.0..=1.0).contains(r));
        if fits { Ok(()) } else { Err(MemberError::Roots(rho_min, rho_max, rho_s)) }
    }

    /// The weights, I-03 and I-04.
    pub fn weights(&self) -> Weights {
        let Member { rho_min, rho_max, rho_s, .. } = *self;
        let d = (1.0 + rho_min) * (1.0 + rho_max);
        let s = 1.0 + rho_s;
        let product = rho_min * rho_max;
        let n = 3.0 + rho_min + rho_max - product;
        let w1l6 = (2.0 + rho_min + rho_max + rho_s - product * rho_s) / (d * s);
        let w3l3 = 1.0 / (d * s);
        let (w1, w2l2, w2l5, l3, l5) = match self.family {
            Gs4Family::U0 => (1.0 / s, 0.5 / s, n / (2.0 * d * s), 1.0 / d, n / (2.0 * d)),
            Gs4Family::V0 => (n / (2.0 * d), 1.0 / d, 2.0 / (d * s), 0.5 / s, 1.0 / s),
        };
        Weights { w1, w2l2, w3l3, w2l5, w1l6, l3, l5, phi: w1l6 - w1 }
    }

    /// Whether position-level constraints leave an undamped (−1)ⁿ mode in acceleration and multipliers
    /// (I-53: normal-direction roots {−ρ_min, −ρ_max} for U0 and {−1, −ρ_s} for V0).
    pub fn rings_at_position_level(&self) -> bool {
        self.family == Gs4Family::V0 || self.rho_max >= 1.0
    }
}
