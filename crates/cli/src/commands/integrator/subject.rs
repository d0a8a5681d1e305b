//! Which integrator `poinsot integrator` looks at: a member of GS4-2 or a Runge–Kutta method.

use super::Arguments;
use super::numbers::triple;
use poinsot_integrators::{
    Amplification, DEFAULT_RHO, Given, Member, NamedMember, Spectrum, StabilityFunction, Switches, TABLEAUS,
    Tableau, find, integrators,
};
use poinsot_numerics::dense::c64;

/// What the command looks at.
pub(super) enum Subject {
    Gs4(Spectrum),
    /// A Runge–Kutta method with its stability function.
    RungeKutta {
        tableau: Tableau,
        amplification: Box<dyn Amplification>,
    },
}

/// The subject with the words for it.
pub(super) struct Chosen {
    pub(super) subject: Subject,
    /// As in the legend of the picture.
    pub(super) name: String,
    pub(super) summary: &'static str,
}

impl Chosen {
    pub(super) fn amplification(&self) -> &dyn Amplification {
        match &self.subject {
            Subject::Gs4(spectrum) => spectrum,
            Subject::RungeKutta { amplification, .. } => &**amplification,
        }
    }

    pub(super) fn is_explicit(&self) -> bool {
        match &self.subject {
            Subject::Gs4(spectrum) => spectrum.switches.is_explicit_in_positions(),
            Subject::RungeKutta { tableau, .. } => tableau.is_explicit(),
        }
    }
}

/// What the arguments ask for.
pub(super) fn choose(arguments: &Arguments) -> Result<Chosen, String> {
    let switches = match (arguments.explicit, arguments.velocity_implicit, arguments.dissipative) {
        (true, _, false) => Switches::EXPLICIT,
        (true, _, true) => Switches::EXPLICIT_DISSIPATIVE,
        (_, true, false) => Switches::VELOCITY_IMPLICIT,
        (_, true, true) => Switches::VELOCITY_IMPLICIT_DISSIPATIVE,
        _ => Switches::IMPLICIT,
    };
    let kind = match switches {
        Switches::EXPLICIT => ", explicit",
        Switches::EXPLICIT_DISSIPATIVE => ", explicit, dissipative",
        Switches::VELOCITY_IMPLICIT => ", velocity-implicit",
        Switches::VELOCITY_IMPLICIT_DISSIPATIVE => ", velocity-implicit, dissipative",
        _ => "",
    };
    let (name, summary, member) = match (arguments.roots, &arguments.name) {
        (Some(roots), _) => {
            let member = by_roots(roots, &arguments.family, switches)?;
            (triple(&member), "member given by its roots", member)
        }
        (None, Some(name)) if NamedMember::find(name).is_none() => return runge_kutta(name, arguments),
        (None, Some(name)) => by_name(name, arguments.rho)?,
        (None, None) => return Err("give the name of an integrator, or --roots".into()),
    };
    let subject = Subject::Gs4(Spectrum::new(member, switches));
    Ok(Chosen { subject, name: name + kind, summary })
}

fn runge_kutta(name: &str, arguments: &Arguments) -> Result<Chosen, String> {
    let (label, summary, tableau) = tableau(name)?;
    if arguments.rho.is_some() || arguments.explicit || arguments.velocity_implicit {
        return Err(format!(
            "`{name}` has no parameter and no switches: only --damping and --out go with it"
        ));
    }
    let stability = tableau.clone();
    let amplification = Box::new(StabilityFunction(move |z: c64| stability.stability(z)));
    Ok(Chosen { subject: Subject::RungeKutta { tableau, amplification }, name: label.into(), summary })
}

/// The coefficients of a Runge–Kutta method by the name of its tableau or of an integrator, with the name and
/// what it is.
fn tableau(name: &str) -> Result<(&'static str, &'static str, Tableau), String> {
    let known = TABLEAUS.iter().find(|entry| entry.name == name || entry.aliases.contains(&name));
    if let Some(entry) = known {
        return Ok((entry.name, entry.summary, entry.tableau()));
    }
    let entry = find(name).ok_or_else(|| unknown(name))?;
    let method = entry.method(&Given::default()).map_err(|error| error.message)?;
    let none =
        || format!("`{name}` is no one-step method with the same formula in each step: nothing to show");
    let tableau = method.tableau().ok_or_else(none)?;
    Ok((entry.name(), entry.summary(), tableau))
}

fn by_name(name: &str, rho: Option<f64>) -> Result<(String, &'static str, Member), String> {
    let entry = NamedMember::find(name).ok_or_else(|| unknown(name))?;
    let own = entry.label;
    let label = match (entry.rho_range, rho) {
        (Some(_), rho) => format!("{} {}", own.name, rho.unwrap_or(DEFAULT_RHO)),
        (None, None) => own.name.to_owned(),
        (None, Some(_)) => return Err(format!("the integrator `{}` has no parameter `rho`", own.name)),
    };
    let member = Member::named(own.name, rho.unwrap_or(DEFAULT_RHO)).map_err(|e| e.to_string())?;
    Ok((label, own.summary, member))
}

fn unknown(name: &str) -> String {
    let mut names: Vec<&str> = integrators().into_iter().map(|entry| entry.name()).collect();
    for entry in TABLEAUS {
        if !names.contains(&entry.name) {
            names.push(entry.name);
        }
    }
    let aliases = integrators().into_iter().flat_map(|entry| entry.aliases().iter().copied());
    let near = poinsot_expr::suggest(name, names.iter().copied().chain(aliases));
    let hint = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    format!("unknown integrator `{name}`\n{hint}known are {}", names.join(", "))
}

/// Implicit members need ordered roots; explicit ones only roots from 0 to 1
/// (gs4-isochronous-integrators I-05).
fn by_roots([min, max, s]: [f64; 3], family: &str, switches: Switches) -> Result<Member, String> {
    let member = if family == "v0" { Member::v0(min, max, s) } else { Member::u0(min, max, s) };
    if switches == Switches::IMPLICIT {
        member.check().map_err(|e| e.to_string())?;
    } else if ![min, max, s].iter().all(|r| (0.0..=1.0).contains(r)) {
        return Err(format!("the roots must lie between 0 and 1, but are {min}, {max}, {s}"));
    }
    Ok(member)
}
