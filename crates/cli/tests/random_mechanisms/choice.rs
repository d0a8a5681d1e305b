//! Integrators, and which of them are unrelated.

use crate::mechanism::{Mechanism, ROWS};
use crate::random::Random;

/// Integrators that share formulas or code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Gs4,
    Conserving,
    Galerkin,
    Explicit,
    Collocation,
    Bdf,
}

/// How a run steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// So many steps from one row to the next.
    Fixed(usize),
    /// With this tolerance.
    Adaptive(f64),
}

/// An integrator with its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub family: Family,
    pub name: &'static str,
    pub form: &'static str,
    /// Further lines of the study.
    pub keys: String,
    pub pace: Pace,
}

/// Name, family, forms, whether steps can be adaptive. The first form is the default and drawn as often as
/// all others together.
type Entry = (&'static str, Family, &'static [&'static str], bool);

const GS4: &[&str] = &["stabilised", "hamiltonian", "position", "velocity", "acceleration", "baumgarte"];
const STAGES: &[&str] = &["stabilised", "position", "velocity", "acceleration"];
const CONSERVING: &[&str] = &["automatic", "multipliers", "null-space", "minimal", "augmented-lagrange"];

const INTEGRATORS: &[(u32, Entry)] = &[
    (4, ("generalized-alpha", Family::Gs4, GS4, true)),
    (1, ("hht", Family::Gs4, GS4, true)),
    (1, ("wbz", Family::Gs4, GS4, true)),
    (1, ("newmark", Family::Gs4, GS4, true)),
    (1, ("midpoint", Family::Gs4, GS4, true)),
    (1, ("midpoint-epa", Family::Gs4, GS4, false)),
    (1, ("optimal", Family::Gs4, GS4, true)),
    (1, ("central-difference", Family::Gs4, GS4, false)),
    (3, ("energy-momentum", Family::Conserving, CONSERVING, false)),
    (
        1,
        (
            "variational-midpoint",
            Family::Conserving,
            &["automatic", "multipliers", "null-space", "minimal"],
            false,
        ),
    ),
    (1, ("averaged-gradient", Family::Conserving, CONSERVING, false)),
    (1, ("galerkin", Family::Galerkin, &["multipliers"], true)),
    (2, ("dormand-prince", Family::Explicit, &["embedding", "projected"], true)),
    (1, ("cash-karp", Family::Explicit, &["embedding", "projected"], true)),
    (2, ("runge-kutta-4", Family::Explicit, &["embedding", "projected"], false)),
    (1, ("heun", Family::Explicit, &["embedding", "projected"], true)),
    (3, ("radau", Family::Collocation, STAGES, true)),
    (1, ("gauss", Family::Collocation, &["velocity", "acceleration", "stabilised"], false)),
    (1, ("lobatto", Family::Collocation, &["velocity", "acceleration", "stabilised"], false)),
    (2, ("bdf", Family::Bdf, STAGES, true)),
];

/// Order of an integrator, with the fewest stages that are drawn.
fn order(name: &str) -> i32 {
    match name {
        "runge-kutta-4" | "dormand-prince" | "cash-karp" | "gauss" | "lobatto" => 4,
        "radau" | "bdf" => 3,
        _ => 2,
    }
}

/// Tolerances of adaptive steps. Those of second order are many where the tolerance is tight, and too many
/// for the fast modes of beams.
fn tolerances(family: Family, name: &str, beam: bool) -> &'static [f64] {
    match family == Family::Gs4 || name == "heun" {
        true if beam => &[1e-4],
        true => &[1e-4, 1e-5, 1e-6],
        false => &[1e-4, 1e-6, 1e-7],
    }
}

/// Part of the runs with steps of which nothing can be claimed, which they must not do then.
const TOO_LONG: f64 = 0.05;

/// Most fixed steps of a run.
const MOST_STEPS: f64 = 4000.0;

/// Steps from one row to the next. Most are so short that the error is small: with ω the fastest motion it is
/// about ωT (ωh)ᵖ/4.
fn steps_between_rows(random: &mut Random, mechanism: &Mechanism, order: i32) -> usize {
    let (radians, rows) = (mechanism.fastest * mechanism.end, ROWS as f64);
    if random.chance(TOO_LONG) {
        return random.decades(2.0, 10.0) as usize;
    }
    let wanted = random.decades(2e-5, 4e-4);
    let step = (4.0 * wanted / radians).powf(1.0 / f64::from(order));
    (radians / step / rows).ceil().clamp(2.0, MOST_STEPS / rows) as usize
}

impl Choice {
    /// Two integrators of different families for a mechanism, whose study they may make shorter.
    pub fn pair(mechanism: &mut Mechanism) -> [Choice; 2] {
        let mut random = Random::new(mechanism.seed ^ 0x5eed);
        let first = Choice::draw(&mut random, mechanism);
        let second = loop {
            let second = Choice::draw(&mut random, mechanism);
            if second.family != first.family {
                break second;
            }
        };
        let pair = [first, second];
        mechanism.end *= pair.iter().map(|choice| choice.part(mechanism)).fold(1.0, f64::min);
        pair
    }

    /// Part of the motion that is enough where steps are many: adaptive ones of second order with a tight
    /// tolerance, or with the fast modes of beams.
    fn part(&self, mechanism: &Mechanism) -> f64 {
        match self.pace {
            Pace::Adaptive(_) if self.family == Family::Gs4 && mechanism.has("beam") => 0.1,
            Pace::Adaptive(tolerance) if self.family == Family::Gs4 && tolerance < 2e-6 => 0.3,
            Pace::Adaptive(tolerance) if self.family == Family::Gs4 && tolerance < 2e-5 => 0.6,
            _ => 1.0,
        }
    }

    fn draw(random: &mut Random, mechanism: &Mechanism) -> Choice {
        let equations = mechanism.has("equations") || mechanism.has("energies");
        let beam = mechanism.has("beam");
        loop {
            let (name, family, forms, adaptive) = random.weighted(INTEGRATORS);
            // Refused by design; a few are left in to see the refusals.
            let implicit =
                matches!(family, Family::Gs4 | Family::Galerkin | Family::Collocation | Family::Bdf);
            if equations && (!implicit || name == "central-difference") && !random.chance(0.05) {
                continue;
            }
            if beam && (family == Family::Explicit || name == "central-difference") && !random.chance(0.1) {
                continue;
            }
            let form = if random.chance(0.5) { forms[0] } else { random.one_of(forms) };
            let mut keys = String::new();
            let mut order = order(name);
            if name == "galerkin" && (beam || random.chance(0.7)) {
                keys += "stages = 2\n";
                order = 4;
            }
            let pace = if adaptive && random.chance(0.4) {
                Pace::Adaptive(random.one_of(tolerances(family, name, beam)))
            } else {
                Pace::Fixed(steps_between_rows(random, mechanism, order))
            };
            if matches!(name, "hht" | "wbz" | "generalized-alpha" | "optimal") && random.chance(0.5) {
                keys += &format!("rho = {:?}\n", random.one_of(&[0.5, 0.7, 0.9, 1.0]));
            }
            if family == Family::Conserving && random.chance(0.2) && !mechanism.head.contains("plane") {
                keys += &format!("coordinates = \"{}\"\n", random.one_of(&["directors", "euler-parameters"]));
            }
            if name == "radau" && random.chance(0.3) {
                keys += &format!("stages = {}\n", random.one_of(&[2, 5]));
            }
            return Choice { family, name, form, keys, pace };
        }
    }

    /// What everything is compared with: the first that comes to its end. Where the next one disagrees, of
    /// another order and another form of the constraints, it is no reference.
    pub fn references() -> [Choice; 3] {
        let tight = |family, name, form, keys: &str| {
            let pace = Pace::Adaptive(1e-9);
            Choice { family, name, form, keys: keys.into(), pace }
        };
        [
            tight(Family::Collocation, "radau", "stabilised", "stages = 5\n"),
            tight(Family::Collocation, "radau", "velocity", ""),
            tight(Family::Explicit, "dormand-prince", "projected", ""),
        ]
    }

    /// The same with more steps; nothing where steps are adaptive.
    pub fn finer(&self, factor: usize) -> Option<Choice> {
        match self.pace {
            Pace::Fixed(steps) => Some(Choice { pace: Pace::Fixed(steps * factor), ..self.clone() }),
            Pace::Adaptive(_) => None,
        }
    }

    /// The lines of the study.
    pub fn study(&self, mechanism: &Mechanism) -> String {
        let Choice { name, form, keys, pace, .. } = self;
        let steps = match pace {
            Pace::Fixed(steps) => format!("step = {:?}", mechanism.row() / *steps as f64),
            Pace::Adaptive(tolerance) => format!("relative_tolerance = {tolerance:?}"),
        };
        format!("{steps}\nintegrator = \"{name}\"\nform = \"{form}\"\n{keys}")
    }

    /// In few words.
    pub fn words(&self) -> String {
        let keys = self.keys.trim().replace('\n', ", ");
        format!("{} {} {:?} {keys}", self.name, self.form, self.pace)
    }
}
