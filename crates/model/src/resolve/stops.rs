//! Stops and friction of joints.

use super::{Resolver, transpose};
use crate::diagnostic::Diagnostic;
use crate::file::{GuideFrictionTable, LimitsTable, PinFrictionTable};
use crate::spec::{FrictionSpec, LimitSpec};
use crate::value::{Number, Text};

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

macro_rules! friction {
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
    /// The stops of a joint: coordinate and table, if there is one.
    pub(super) fn limits<const N: usize>(
        &mut self,
        joint: &Text,
        tables: [(usize, Option<&LimitsTable>); N],
    ) -> Option<Vec<LimitSpec>> {
        let given = tables.into_iter().filter_map(|(index, table)| Some((index, table?)));
        let limits: Vec<_> = given.map(|(index, table)| self.limit(joint, index, table)).collect();
        limits.into_iter().collect()
    }

    fn limit(&mut self, joint: &Text, coordinate: usize, table: &LimitsTable) -> Option<LimitSpec> {
        let joint = &joint.value;
        let stiffness = self.positive(&table.stiffness, &format!("the stiffness of the limits of `{joint}`"));
        let damping = self.not_negative(&table.damping, &format!("the damping of the limits of `{joint}`"));
        let [lower, upper] =
            [&table.lower, &table.upper].map(|number| number.as_ref().map(|number| self.number(number)));
        let (lower, upper) = (transpose(lower)?, transpose(upper)?);
        if lower.is_none() && upper.is_none() {
            self.diagnostics.push(
                Diagnostic::error(format!("the limits of `{joint}` limit nothing"))
                    .at(table.span.clone(), "neither `lower` nor `upper`")
                    .help("give `lower`, `upper` or both"),
            );
            return None;
        }
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
        Some(LimitSpec { coordinate, lower, upper, stiffness: stiffness?, damping: damping? })
    }

    pub(super) fn pin_friction(&mut self, joint: &Text, table: &PinFrictionTable) -> Option<FrictionSpec> {
        self.friction(friction!(joint, table, Some(&table.radius)))
    }

    pub(super) fn guide_friction(
        &mut self,
        joint: &Text,
        table: &GuideFrictionTable,
    ) -> Option<FrictionSpec> {
        self.friction(friction!(joint, table, None))
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
