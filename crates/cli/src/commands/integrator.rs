//! `poinsot integrator`: what an integrator does to oscillations and to constraints.

use crate::message;
use clap::Args;
use poinsot_integrators::{
    Amplification, ConstraintForm, DEFAULT_RHO, Given, Gs4Family, Member, NamedMember, NormalRoots,
    Overshoot, Spectrum, StabilityFunction, Switches, TABLEAUS, Tableau, find, integrators, verdict,
};
use poinsot_numerics::dense::c64;
use poinsot_results::{IntegratorCurve, IntegratorSheet, plot_integrator};
use std::f64::consts::TAU;
use std::path::PathBuf;
use std::process::ExitCode;

/// Steps over the period in the table.
const STEPS: [f64; 7] = [0.01, 0.05, 0.1, 0.2, 0.5, 1.0, 10.0];
/// Points of a curve in the picture.
const POINTS: usize = 400;
/// Columns of the text.
const COLUMNS: usize = 104;

/// Show what an integrator does: numerical damping, period error, overshoot, largest step, constraint
/// forms.
#[derive(Args)]
#[command(after_help = "\
Examples:
  poinsot integrator generalized-alpha --rho 0.5
  poinsot integrator optimal --rho 0.8 --out optimal.svg
  poinsot integrator --roots 0.3,0.8,0 --family v0
  poinsot integrator newmark --explicit --damping 0.05")]
pub struct Arguments {
    /// Name, as in model files (see `poinsot integrators`).
    #[arg(value_name = "NAME", required_unless_present = "roots", conflicts_with = "roots")]
    name: Option<String>,
    /// Parameter of the integrator.
    #[arg(long, value_name = "RHO", conflicts_with = "roots")]
    rho: Option<f64>,
    /// Any member by its roots at infinite frequency, e.g. --roots 0.3,0.8,0.
    #[arg(long, value_name = "MIN,MAX,S", value_parser = parse_roots)]
    roots: Option<[f64; 3]>,
    /// Family of the member given by roots.
    #[arg(long, value_name = "FAMILY", value_parser = ["u0", "v0"], default_value = "u0", requires = "roots")]
    family: String,
    /// The explicit member, η = (0, 0, 0).
    #[arg(long, group = "explicitness")]
    explicit: bool,
    /// Explicit in positions, implicit in velocities, η = (0, 1, 0).
    #[arg(long, group = "explicitness")]
    velocity_implicit: bool,
    /// Explicit with numerical damping, η3 = 1.
    #[arg(long, requires = "explicitness")]
    dissipative: bool,
    /// Damping ratio of the oscillation itself.
    #[arg(long, value_name = "XI", default_value_t = 0.0)]
    damping: f64,
    /// Draw spectral radius, period and damping into this file (SVG).
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// MIN,MAX,S.
fn parse_roots(text: &str) -> Result<[f64; 3], String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse::<f64>()).collect();
    let wrong = || format!("`{text}` is not three numbers MIN,MAX,S, e.g. 0.3,0.8,0");
    numbers.ok().and_then(|n| n.try_into().ok()).ok_or_else(wrong)
}

/// What the command looks at.
enum Subject {
    Gs4(Spectrum),
    /// A Runge–Kutta method with its stability function.
    RungeKutta {
        tableau: Tableau,
        amplification: Box<dyn Amplification>,
    },
}

/// The subject with the words for it.
struct Chosen {
    subject: Subject,
    /// As in the legend of the picture.
    name: String,
    summary: &'static str,
}

impl Chosen {
    fn amplification(&self) -> &dyn Amplification {
        match &self.subject {
            Subject::Gs4(spectrum) => spectrum,
            Subject::RungeKutta { amplification, .. } => &**amplification,
        }
    }

    fn is_explicit(&self) -> bool {
        match &self.subject {
            Subject::Gs4(spectrum) => spectrum.switches.is_explicit_in_positions(),
            Subject::RungeKutta { tableau, .. } => tableau.is_explicit(),
        }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> ExitCode {
    let chosen = match choose(arguments) {
        Ok(chosen) => chosen,
        Err(text) => return message::bad_input(&text),
    };
    let xi = arguments.damping;
    if !(xi >= 0.0 && xi.is_finite()) {
        return message::bad_input(&format!(
            "the damping ratio must be a number from 0 upwards, but is {xi}"
        ));
    }
    let mut text = report(&chosen, xi);
    match &arguments.out {
        None => text += "\nNo picture was drawn; --out FILE.svg draws one.\n",
        Some(path) => {
            let title = if xi > 0.0 { format!("{}, ξ = {xi}", chosen.name) } else { chosen.name.clone() };
            if let Err(error) = plot_integrator(&sheet(&chosen, xi), &title, path) {
                return message::bad_input(&error.to_string());
            }
            text += &format!("\nLook at {}\n", path.display());
        }
    }
    message::print(&text)
}

fn choose(arguments: &Arguments) -> Result<Chosen, String> {
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

/// Orders in the forms of the constraints (lagrangian-dae-modeling §1.23).
fn of_runge_kutta(tableau: &Tableau) -> String {
    let (p, s) = (tableau.order, tableau.stages());
    if tableau.is_explicit() {
        return format!(
            "\nConstraints\n  embedding, projected   order {p} in q and v; joints hold to round-off\n  \
             augmented              order {p}; joints drift open\n"
        );
    }
    if !tableau.name.starts_with("radau") && tableau.name != "implicit-euler" {
        return format!(
            "\nConstraints\n  acceleration level, projected after each step: order {p} in q and v\n"
        );
    }
    let at_position = (2 * s - 2).max(1);
    format!(
        "\nConstraints\n  stabilised, velocity   order {p} in q and v, {s} in λ\n  \
         position (index 3)     order {at_position} in q at least, {s} in v, {} in λ\n  \
         acceleration           order {p} in q, v and λ; joints drift open\n",
        (s - 1).max(1)
    )
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

/// U0(min, max, s).
fn triple(member: &Member) -> String {
    let family = match member.family {
        Gs4Family::U0 => "U0",
        Gs4Family::V0 => "V0",
    };
    let [min, max, s] = [member.rho_min, member.rho_max, member.rho_s].map(short);
    format!("{family}({min}, {max}, {s})")
}

/// Up to four decimals.
fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

fn report(chosen: &Chosen, xi: f64) -> String {
    let mut text = String::new();
    match &chosen.subject {
        Subject::Gs4(spectrum) => {
            let triple = triple(&spectrum.member);
            let place = if chosen.name.starts_with(&triple) { String::new() } else { format!("  {triple}") };
            let of = if chosen.is_explicit() { "relative of " } else { "" };
            text += &format!("{}{place}\n{of}{}\n{}", chosen.name, chosen.summary, explicitness(spectrum));
            text += &weights(spectrum);
        }
        Subject::RungeKutta { tableau, .. } => {
            text += &format!(
                "{}\n{}\nOrder {}, {} stages\n",
                chosen.name,
                chosen.summary,
                tableau.order,
                tableau.stages()
            );
        }
    }
    text += &oscillation(chosen, xi);
    text += &stability(chosen, xi);
    text += &match &chosen.subject {
        Subject::Gs4(spectrum) => constraints(spectrum),
        Subject::RungeKutta { tableau, .. } => of_runge_kutta(tableau),
    };
    text
}

/// What the switches make of the member.
fn explicitness(spectrum: &Spectrum) -> &'static str {
    match spectrum.switches {
        Switches::EXPLICIT if spectrum.member == Member::u0(1.0, 1.0, 0.0) => {
            "η = (0, 0, 0): central differences, also called velocity Verlet\n"
        }
        Switches::EXPLICIT => "η = (0, 0, 0): explicit, only masses are solved with\n",
        Switches::EXPLICIT_DISSIPATIVE => "η = (0, 0, 1): explicit, only masses are solved with\n",
        Switches::VELOCITY_IMPLICIT => "η = (0, 1, 0): explicit in positions, implicit in velocities\n",
        Switches::VELOCITY_IMPLICIT_DISSIPATIVE => {
            "η = (0, 1, 1): explicit in positions, implicit in velocities\n"
        }
        _ => "",
    }
}

fn weights(spectrum: &Spectrum) -> String {
    let w = spectrum.weights();
    let rows = [
        ("W1", w.w1, "the balance holds at t + W1 h"),
        ("W2Λ2", w.w2l2, ""),
        ("W3Λ3", w.w3l3, "positions of the stage"),
        ("W2Λ5", w.w2l5, "velocities of the stage"),
        ("W1Λ6", w.w1l6, "accelerations of the stage"),
        ("λ3", w.l3, "new positions"),
        ("λ5", w.l5, "new velocities"),
        ("φ", w.phi, "stored accelerations belong to t − φh"),
        ("r0", spectrum.acceleration_root(), "factor per step of an error in them"),
    ];
    let mut text = String::from("\nWeights\n");
    for (name, value, meaning) in rows {
        text += format!("  {name:<6} {value:>10.6}   {meaning}").trim_end();
        text.push('\n');
    }
    if spectrum.switches == Switches::IMPLICIT {
        let a = spectrum.member.alpha_parameters();
        let values = [("α_m", a.alpha_m), ("α_f", a.alpha_f), ("β", a.beta), ("γ", a.gamma)];
        let mut list: Vec<String> = values.iter().map(|(n, v)| format!("{n} = {v:.6}")).collect();
        if spectrum.member.family == Gs4Family::V0 {
            list.extend([format!("α_k = {:.6}", a.alpha_k), format!("κ = {:.6}", a.kappa)]);
        }
        text += &format!("  as generalized-alpha: {}\n", list.join(", "));
    }
    text
}

fn oscillation(chosen: &Chosen, xi: f64) -> String {
    let of = if xi > 0.0 { format!("of damping ratio {xi}") } else { "without damping".into() };
    let mut text = format!(
        "\nOscillation {of}: a step h on the period T, Ω = 2π h/T\n  \
         {:>6} {:>9} {:>11} {:>11} {:>11}",
        "h/T", "Ω", "radius", "period", "damping"
    );
    if matches!(chosen.subject, Subject::Gs4(_)) {
        text += &format!(" {:>11} {:>11} {:>11} {:>11}", "d1/d0", "v1/(ωd0)", "d1/(v0/ω)", "v1/v0");
    }
    text.push('\n');
    let method = chosen.amplification();
    let limit = method.stability_limit(xi);
    for step in STEPS {
        let omega = TAU * step;
        // Less than two steps in a period cannot show it.
        let shown = step <= 0.5 && meaningful(omega, limit);
        let percent = |v: Option<f64>| {
            v.filter(|_| shown).map_or("–".into(), |v| format!("{:.4} %", tidy(100.0 * v)))
        };
        text += &format!(
            "  {step:>6} {omega:>9.4} {:>11} {:>11} {:>11}",
            radius(method.spectral_radius(omega, xi)),
            percent(method.period_elongation(omega, xi)),
            percent(method.numerical_damping(omega, xi)),
        );
        if let Subject::Gs4(spectrum) = &chosen.subject {
            let first = spectrum.first_step(omega, xi);
            for value in [
                first.displacement_of_displacement,
                first.velocity_of_displacement,
                first.displacement_of_velocity,
                first.velocity_of_velocity,
            ] {
                text += &format!(" {:>11}", decimal(value));
            }
        }
        text.push('\n');
    }
    if let Subject::Gs4(spectrum) = &chosen.subject {
        text += &at_infinity(spectrum);
    }
    text
}

/// Whether period and damping mean anything at Ω: not beyond the stability limit, if there is one.
fn meaningful(omega: f64, limit: f64) -> bool {
    limit == 0.0 || omega <= limit
}

/// The last line of the table, and what the first step does there.
fn at_infinity(spectrum: &Spectrum) -> String {
    let Some(roots) = spectrum.roots_at_infinity() else {
        return "  at infinite frequency a root is infinite: the member is explicit\n".into();
    };
    let largest = roots.iter().map(|r| r.norm()).fold(0.0, f64::max);
    let member = &spectrum.member;
    let [min, max, s] = roots.map(|r| complex(&r));
    let overshoot = match member.overshoot() {
        Overshoot::U0V0 => "U0V0: displacements and velocities stay bounded",
        Overshoot::U0V1 => "U0V1: displacements stay bounded, velocities grow as Ω",
        Overshoot::V0U1 => "V0U1: velocities stay bounded, displacements grow as Ω",
    };
    format!(
        "  {:>6} {:>9} {:>11}   roots {min}, {max} (principal) and {s} (spurious)\n  \
         First step from a stiff start: {overshoot}\n",
        "∞",
        "∞",
        radius(largest)
    )
}

/// Without the rounding that would show as −0.
fn tidy(value: f64) -> f64 {
    if value.abs() < 1e-9 { 0.0 } else { value }
}

/// With digits enough to tell a creeping growth.
fn radius(value: f64) -> String {
    if value < 10.0 { format!("{value:.8}") } else { decimal(value) }
}

fn decimal(value: f64) -> String {
    match value.abs() {
        size if size < 1e3 => format!("{:.6}", tidy(value)),
        _ => format!("{value:.3e}"),
    }
}

fn stability(chosen: &Chosen, xi: f64) -> String {
    let method = chosen.amplification();
    let mut text = String::from("\nStability\n");
    let mut line = |what: &str, limit: &str| text += &format!("  {what:<34} {limit}\n");
    let of_step = |limit: f64| match limit {
        0.0 => "unstable at every step, however small".into(),
        limit if limit.is_infinite() => "at every step".into(),
        limit => format!("up to Ω = {limit:.4}, h = {:.4} T", limit / TAU),
    };
    line("oscillation without damping", &of_step(method.stability_limit(0.0)));
    if xi > 0.0 {
        line(&format!("oscillation of damping ratio {xi}"), &of_step(method.stability_limit(xi)));
    }
    let real = match method.real_axis_limit() {
        0.0 => "unstable at every step, however small".into(),
        limit if limit.is_infinite() => "at every step".into(),
        limit => format!("up to |λ|h = {limit:.4}"),
    };
    line("state y' = λy with λ < 0", &real);
    if let Subject::Gs4(spectrum) = &chosen.subject
        && let Some(roots) = spectrum.first_order_roots_at_infinity()
    {
        let list: Vec<String> = roots.iter().map(complex).collect();
        line(
            "",
            &format!(
                "roots {} at λh = -∞, 1 and {} at 0",
                list.join(", "),
                short(spectrum.acceleration_root())
            ),
        );
    }
    text
}

fn complex(root: &c64) -> String {
    if root.im.abs() < 1e-6 { short(root.re) } else { format!("{}{:+.4}i", short(root.re), root.im) }
}

fn constraints(spectrum: &Spectrum) -> String {
    let roots = NormalRoots::new(spectrum.weights());
    let position = roots.position.map_or("–".into(), |r| r.each_ref().map(complex).join(", "));
    let mut text = format!("\nConstraints\n  {:<24}{:<16}verdict\n", "form", "normal roots");
    for form in ConstraintForm::ALL {
        let (name, roots) = match form {
            ConstraintForm::Position => ("position (index 3)", position.clone()),
            ConstraintForm::Velocity => ("velocity (index 2)", short(roots.velocity)),
            ConstraintForm::Acceleration => ("acceleration (index 1)", short(roots.acceleration)),
            ConstraintForm::Stabilised => ("stabilised (default)", short(roots.velocity)),
        };
        let words = verdict(&spectrum.member, spectrum.switches, form);
        text += &format!("  {name:<24}{roots:<16}{}\n", wrapped(&words, 42));
    }
    let multiplier = short(roots.multiplier);
    text + &format!("  {:<24}{multiplier:<16}of a multiplier carried from step to step\n", "multipliers")
}

/// Broken into lines, the second and later ones indented.
fn wrapped(words: &str, indent: usize) -> String {
    let mut lines = vec![String::new()];
    for word in words.split(' ') {
        let line = lines.last().map_or(0, |l| l.chars().count());
        match lines.last_mut() {
            Some(last) if line > 0 && indent + line + 1 + word.chars().count() <= COLUMNS => {
                last.push(' ');
                last.push_str(word);
            }
            Some(last) if line == 0 => last.push_str(word),
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join(&format!("\n{:indent$}", ""))
}

/// The picture: the method, and two well-known ones to compare it with.
fn sheet(chosen: &Chosen, xi: f64) -> IntegratorSheet {
    let decades = if chosen.is_explicit() { 3.0 } else { 6.0 };
    let part = |i: usize| i as f64 / POINTS as f64;
    let frequencies: Vec<f64> = (0..=POINTS).map(|i| 10f64.powf(-2.0 + decades * part(i))).collect();
    let steps: Vec<f64> = (0..=POINTS).map(|i| 0.5 * part(i)).collect();
    let curve = |name: &str, method: &dyn Amplification| {
        let limit = method.stability_limit(xi);
        let over = |f: &dyn Fn(f64) -> Option<f64>| {
            let at = |omega: f64| match omega {
                // A vanishing step has no error.
                0.0 => Some(0.0),
                omega if meaningful(omega, limit) => f(omega),
                _ => None,
            };
            steps.iter().map(|step| at(TAU * step)).collect()
        };
        IntegratorCurve {
            name: name.to_owned(),
            radius: frequencies.iter().map(|&omega| method.spectral_radius(omega, xi)).collect(),
            elongation: over(&|omega| method.period_elongation(omega, xi)),
            damping: over(&|omega| method.numerical_damping(omega, xi)),
        }
    };
    let mut curves = vec![curve(&chosen.name, chosen.amplification())];
    let known =
        [("generalized-alpha 0.9", Member::u0(0.9, 0.9, 0.9)), ("midpoint", Member::v0(1.0, 1.0, 0.0))];
    for (name, member) in known {
        let spectrum = Spectrum::new(member, Switches::IMPLICIT);
        let itself = matches!(&chosen.subject, Subject::Gs4(own) if *own == spectrum);
        if !itself {
            curves.push(curve(name, &spectrum));
        }
    }
    let limit = Some(chosen.amplification().stability_limit(xi)).filter(|l| l.is_finite());
    IntegratorSheet { frequencies, steps, curves, limit }
}
