//! Stops and friction of joints.

use super::{JointEntry, JointStop};
use crate::diagnostic::Diagnostic;
use crate::read::record;
use crate::resolve::{Resolver, transpose};
use crate::spec::Formula;
use crate::value::{Number, Text};

record! {
    /// Elastic stops of a joint's coordinate: `lower`, `upper` or both. Each key may be a law of `t` and of
    /// quantities of the running system.
    pub(crate) struct LimitsTable "limits" {
        /// Least free value, m or rad. With damping it may read the time and positions.
        lower: Option<Number>,
        /// Greatest free value, m or rad, likewise.
        upper: Option<Number>,
        /// Stiffness of the stops, N/m or N·m/rad.
        stiffness: Number,
        /// Damping of the stops after Hunt and Crossley, s/m or s/rad: their force grows by the factor 1 +
        /// damping · rate of penetration.
        damping: Number = 0,
    }
}

/// Declares a friction table: its own keys and those all share.
macro_rules! friction {
    ($(#[doc = $doc:literal])* $name:ident
        { $( $(#[doc = $key_doc:literal])* $key:ident : $type:ty ),* $(,)? }) => {
        record! {
            $(#[doc = $doc])*
            pub(crate) struct $name "friction" {
                /// Coefficient of static friction; default: the dynamic one.
                r#static: Option<Number>,
                /// Coefficient of dynamic friction.
                dynamic: Number,
                /// Sliding velocity over which static falls to dynamic friction, m/s; default: ten times
                /// `transition_velocity`.
                stribeck_velocity: Option<Number>,
                /// Sliding velocity below which friction is smoothed through zero, m/s.
                transition_velocity: Number = 1e-3,
                /// Viscous friction along the coordinate, N·s/m or N·m·s/rad.
                viscous: Number = 0,
                $( $(#[doc = $key_doc])* $key: $type, )*
                /// Distance of the two bearings that carry bending moments, m: a moment M loads them with
                /// M/arm; default: moments cause no friction.
                arm: Option<Number>,
                /// Normal force that is there without any load, N.
                preload: Number = 0,
            }
        }
    };
}

friction! {
    /// Dry and viscous friction of a pin in its bearing.
    PinFrictionTable {
        /// Radius of the pin, m; revolute joints only.
        radius: Number,
    }
}
friction! {
    /// Dry and viscous friction of a slider in its guide.
    GuideFrictionTable {}
}

/// Elastic stops of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitSpec {
    /// Index into [`JointType::coordinates`](super::JointType::coordinates).
    pub coordinate: usize,
    /// Their force as a quantity.
    pub force: &'static str,
    /// Least free value.
    pub lower: Option<f64>,
    /// Greatest free value, above the least.
    pub upper: Option<f64>,
    /// Stiffness, positive (N/m or N·m/rad).
    pub stiffness: f64,
    /// Damping after Hunt and Crossley, not negative (s/m or s/rad).
    pub damping: f64,
}

/// Elastic stops whose limits, stiffness or damping are laws.
#[derive(Clone, Debug)]
pub struct StopLawSpec {
    /// Index into [`JointType::coordinates`](super::JointType::coordinates).
    pub coordinate: usize,
    /// Their force as a quantity.
    pub force: &'static str,
    /// The force, positive where it pulls the coordinate back; none until signals are known.
    pub law: Option<Formula>,
}

/// Friction along the coordinate of a joint with a bearing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionSpec {
    /// Coefficient of static friction, not below the dynamic one.
    pub static_coefficient: f64,
    /// Coefficient of dynamic friction.
    pub dynamic_coefficient: f64,
    /// Sliding velocity over which static falls to dynamic friction (m/s).
    pub stribeck_velocity: f64,
    /// Sliding velocity below which friction is smoothed through zero (m/s).
    pub transition_velocity: f64,
    /// Viscous friction along the coordinate (N·s/m or N·m·s/rad).
    pub viscous: f64,
    /// Radius of the pin of a revolute joint (m); `None` for a prismatic joint.
    pub radius: Option<f64>,
    /// Distance of the two bearings, which a bending moment M loads with M/arm (m).
    pub arm: Option<f64>,
    /// Normal force without any load (N).
    pub preload: f64,
}

/// The stops of a joint.
#[derive(Debug, Default)]
pub(super) struct Stops {
    pub limits: Vec<LimitSpec>,
    pub laws: Vec<StopLawSpec>,
}

/// What the tables of friction have in common.
struct Friction<'a> {
    joint: &'a Text,
    r#static: Option<&'a Number>,
    dynamic: &'a Number,
    stribeck_velocity: Option<&'a Number>,
    transition_velocity: &'a Number,
    viscous: &'a Number,
    radius: Option<&'a Number>,
    arm: Option<&'a Number>,
    preload: &'a Number,
}

macro_rules! of_friction {
    ($joint:expr, $table:expr, $radius:expr) => {
        Friction {
            joint: $joint,
            r#static: $table.r#static.as_ref(),
            dynamic: &$table.dynamic,
            stribeck_velocity: $table.stribeck_velocity.as_ref(),
            transition_velocity: &$table.transition_velocity,
            viscous: &$table.viscous,
            radius: $radius,
            arm: $table.arm.as_ref(),
            preload: &$table.preload,
        }
    };
}

impl Resolver<'_> {
    /// The stops of a joint, in the order in which it declares those it can have.
    pub(super) fn limits(&mut self, joint: &dyn JointEntry) -> Option<Stops> {
        let stops = joint.declaration().stops.iter().zip(joint.limit_tables());
        let (mut found, mut good) = (Stops::default(), Some(()));
        for (stop, table) in stops.filter_map(|(stop, table)| Some((*stop, table?))) {
            good = good.and(self.stop(joint.name(), stop, table, &mut found));
        }
        good.map(|()| found)
    }

    fn stop(&mut self, joint: &Text, stop: JointStop, table: &LimitsTable, found: &mut Stops) -> Option<()> {
        let name = &joint.value;
        if table.lower.is_none() && table.upper.is_none() {
            self.diagnostics.push(
                Diagnostic::error(format!("the limits of `{name}` limit nothing"))
                    .at(table.span.clone(), "neither `lower` nor `upper`")
                    .help("give `lower`, `upper` or both"),
            );
            return None;
        }
        if self.is_stop_law(table) {
            let JointStop { coordinate, force } = stop;
            found.laws.push(StopLawSpec { coordinate, force, law: None });
        } else {
            found.limits.push(self.limit(name, stop, table)?);
        }
        Some(())
    }

    fn limit(&mut self, joint: &str, stop: JointStop, table: &LimitsTable) -> Option<LimitSpec> {
        let stiffness = self.positive(&table.stiffness, &format!("the stiffness of the limits of `{joint}`"));
        let damping = self.not_negative(&table.damping, &format!("the damping of the limits of `{joint}`"));
        let [lower, upper] =
            [&table.lower, &table.upper].map(|number| number.as_ref().map(|number| self.number(number)));
        let (lower, upper) = (transpose(lower)?, transpose(upper)?);
        if let (Some(low), Some(high), Some(number)) = (lower, upper, &table.upper)
            && low >= high
        {
            self.diagnostics.push(
                Diagnostic::error(format!(
                    "the upper limit {high} of `{joint}` is not above the lower one {low}"
                ))
                .at(number.span(), "not above `lower`"),
            );
            return None;
        }
        let JointStop { coordinate, force } = stop;
        Some(LimitSpec { coordinate, force, lower, upper, stiffness: stiffness?, damping: damping? })
    }

    pub(super) fn pin_friction(&mut self, joint: &Text, table: &PinFrictionTable) -> Option<FrictionSpec> {
        self.friction(of_friction!(joint, table, Some(&table.radius)))
    }

    pub(super) fn guide_friction(
        &mut self,
        joint: &Text,
        table: &GuideFrictionTable,
    ) -> Option<FrictionSpec> {
        self.friction(of_friction!(joint, table, None))
    }

    fn friction(&mut self, table: Friction) -> Option<FrictionSpec> {
        let of = |what: &str| format!("the {what} of the friction of `{}`", table.joint.value);
        let dynamic = self.not_negative(table.dynamic, &of("dynamic coefficient"));
        let fixed = table.r#static.map(|n| self.not_negative(n, &of("static coefficient")));
        let transition = self.positive(table.transition_velocity, &of("transition velocity"));
        let stribeck = table.stribeck_velocity.map(|n| self.positive(n, &of("Stribeck velocity")));
        let viscous = self.not_negative(table.viscous, &of("viscous coefficient"));
        let radius = table.radius.map(|n| self.positive(n, &of("radius")));
        let arm = table.arm.map(|n| self.positive(n, &of("arm")));
        let preload = self.not_negative(table.preload, &of("preload"));
        let (dynamic, transition) = (dynamic?, transition?);
        let fixed = transpose(fixed)?.unwrap_or(dynamic);
        if let Some(number) = table.r#static
            && fixed < dynamic
        {
            self.diagnostics.push(
                Diagnostic::error(format!("static friction {fixed} is less than dynamic friction {dynamic}"))
                    .at(number.span(), "must not be less than `dynamic`")
                    .and(table.dynamic.span(), "the dynamic coefficient"),
            );
            return None;
        }
        Some(FrictionSpec {
            static_coefficient: fixed,
            dynamic_coefficient: dynamic,
            stribeck_velocity: transpose(stribeck)?.unwrap_or(10.0 * transition),
            transition_velocity: transition,
            viscous: viscous?,
            radius: transpose(radius)?,
            arm: transpose(arm)?,
            preload: preload?,
        })
    }
}
