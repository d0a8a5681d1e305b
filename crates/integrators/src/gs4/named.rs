//! Members of GS4-2 by name or by their roots, with their settings.

use crate::gs4::form::Gs4Form;
use crate::gs4::member::{DEFAULT_RHO, Member, NAMED, NamedMember};
use crate::gs4::settings::Settings;
use crate::gs4::switches::Switches;
use crate::linear::projection::Projection;
use crate::method::{Listing, Method};
use crate::named::{Label, Named};
use crate::setting::{Given, Kind, Listed, Range, Setting, SettingError, Word};

const FORMS: [Word; 7] = [
    Word { word: "stabilised", text: "On position and velocity level." },
    Word { word: "hamiltonian", text: "As stabilised, with the force that keeps the equations Hamiltonian." },
    Word { word: "position", text: "On position level only (index 3)." },
    Word {
        word: "velocity",
        text: "On velocity level (index 2); positions drift unless they are projected.",
    },
    Word {
        word: "acceleration",
        text: "On acceleration level (index 1); positions and velocities drift unless they are projected.",
    },
    Word {
        word: "baumgarte",
        text: "On acceleration level with feedback of positions and velocities, so that the drift decays.",
    },
    Word { word: "penalty", text: "Stiff springs and dampers in the place of the constraints." },
];

const FORCES: [Word; 3] = [
    Word { word: "implicit", text: "At a stage that the step itself determines." },
    Word {
        word: "explicit",
        text: "At a stage that is known before the step: no stiffness in the matrix, but a largest stable step.",
    },
    Word {
        word: "velocity-implicit",
        text: "At a known position with the velocity of the step: dampers do not limit it.",
    },
];

const RHO: Setting = Setting {
    key: "rho",
    text: "Spectral radius at infinity",
    default: "0.9",
    listed: Listed::Range,
    in_name: true,
    ..Setting::PLAIN
};

/// The settings of members that are used like this by default.
fn settings(rho: Option<(f64, f64)>, switches: Switches) -> Vec<Setting> {
    let forces = Setting {
        key: "forces",
        kind: Kind::Word(&FORCES),
        text: "How forces enter a step",
        default: if switches.is_explicit() { "explicit" } else { "implicit" },
        ..Setting::PLAIN
    };
    let rho = rho.map(|(low, high)| Setting { kind: Kind::Number(Range::Between(low, high)), ..RHO });
    let all = [Setting::form(&FORMS), forces, Setting::project("false"), Setting::newton("1e-10")];
    rho.into_iter().chain(all).collect()
}

/// A member with what was given.
fn method(name: &str, member: Member, own: Switches, given: &Given) -> Result<Method, SettingError> {
    let refusal = |reason: &str, help: &str| SettingError {
        key: "forces",
        label: "not with this integrator".into(),
        message: format!("the integrator {name:?}: {reason}"),
        help: Some(help.into()),
    };
    let unstable = || refusal("unstable for every step if forces are explicit", "choose central-difference");
    let switches = match given.word("forces") {
        Some("explicit") => Switches::explicit(&member).ok_or_else(unstable)?,
        Some("velocity-implicit") => Switches::velocity_implicit(&member).ok_or_else(unstable)?,
        Some(_) => Switches::IMPLICIT,
        None => own,
    };
    let form = match given.word("form") {
        Some("hamiltonian") => Gs4Form::Hamiltonian,
        Some("position") => Gs4Form::Position,
        Some("velocity") => Gs4Form::Velocity,
        Some("acceleration") => Gs4Form::Acceleration,
        Some("baumgarte") => Gs4Form::BAUMGARTE,
        Some("penalty") => Gs4Form::PENALTY,
        _ => Gs4Form::Stabilised,
    };
    let projection =
        if given.flag("project") == Some(true) { Projection::STATE } else { Projection::default() };
    let default = Settings::default();
    let tolerance = given.number("tolerance").unwrap_or(default.tolerance);
    let settings = Settings { member, switches, form, projection, tolerance, ..default };
    match settings.contradiction() {
        Some(refused) => Err(refusal(refused.reason, refused.remedy)),
        None => Ok(settings.into()),
    }
}

impl Named for NamedMember {
    fn label(&self) -> Label {
        self.label
    }

    fn family(&self) -> &'static str {
        "GS4"
    }

    fn settings(&self) -> Vec<Setting> {
        settings(self.rho_range, self.switches)
    }

    fn method(&self, given: &Given) -> Result<Method, SettingError> {
        let rho = given.number("rho").unwrap_or(DEFAULT_RHO);
        method(self.label.name, self.with(rho), self.switches, given)
    }
}

impl Named for Member {
    fn label(&self) -> Label {
        Label { name: "gs4", aliases: &[], summary: "member given by its roots" }
    }

    fn family(&self) -> &'static str {
        "GS4"
    }

    fn settings(&self) -> Vec<Setting> {
        settings(None, Switches::IMPLICIT)
    }

    fn method(&self, given: &Given) -> Result<Method, SettingError> {
        method("gs4", *self, Switches::IMPLICIT, given)
    }
}

impl Listing for Settings {
    fn listed() -> Vec<&'static dyn Named> {
        NAMED.iter().map(|entry| entry as &dyn Named).collect()
    }
}
