//! Structure-preserving integrators by name, and their settings.

use crate::conserving::energy_momentum::EnergyMomentum;
use crate::conserving::treatment::Treatment;
use crate::expected_order::{ExpectedOrder, QuantityLevel};
use crate::method::{Integrator, Listing, Method};
use crate::named::{Label, Named};
use crate::refusal::{MECHANICS_ONLY, Refusal};
use crate::setting::{Counts, Given, Kind, Listed, Range, Setting, SettingError, Word};
use crate::step_failure::StepFailure;
use crate::stepper::Stepper;
use poinsot_mechanics::conserving::{Coordinates, Rule};
use poinsot_mechanics::{State, System};

/// Settings of structure-preserving steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConservingSettings {
    /// Where forces are taken.
    pub rule: Rule,
    /// Points of the Gauss rule of [`Rule::Averaged`].
    pub points: usize,
    /// Unknowns of rigid bodies.
    pub coordinates: Coordinates,
    /// How constraints are imposed.
    pub treatment: Treatment,
    /// Numerical dissipation χ of elements that the step does not resolve, 0 for none: momentum is kept,
    /// energy decays. An element of frequency ω gets χ Ω²/(1 + Ω²), Ω = ωh, so that the order stays two.
    pub dissipation: f64,
    /// Relative accuracy of Newton's iteration.
    pub tolerance: f64,
    /// Newton iterations at most.
    pub max_iterations: usize,
}

impl ConservingSettings {
    /// A rule with multipliers, to round-off.
    pub fn new(rule: Rule) -> Self {
        ConservingSettings {
            rule,
            points: 3,
            coordinates: Coordinates::default(),
            treatment: Treatment::default(),
            dissipation: 0.0,
            tolerance: 1e-14,
            max_iterations: 30,
        }
    }
}

impl ConservingSettings {
    /// The word of its unknowns.
    pub fn coordinates_word(&self) -> &'static str {
        match self.coordinates {
            Coordinates::Motion => "motion",
            Coordinates::Directors => "directors",
            Coordinates::EulerParameters => "euler-parameters",
        }
    }

    /// Whether forces follow multipliers that belong to the start of a step instead of its middle.
    fn is_pressed_late(&self, system: &System) -> bool {
        self.rule == Rule::Variational && system.is_pressed()
    }

    /// The stiffness of a penalty, if it has one.
    pub fn penalty(&self) -> Option<f64> {
        match self.treatment {
            Treatment::Penalty { stiffness } | Treatment::AugmentedLagrange { stiffness, .. } => {
                Some(stiffness)
            }
            _ => None,
        }
    }
}

/// Why joints that slide along lines cannot be integrated so, if there are any.
pub(super) fn sliding_refusal(system: &System) -> Option<Refusal> {
    let slides = system.constraints().iter().any(|entry| entry.law.itinerary().is_some());
    slides.then_some(Refusal {
        reason: "a joint that slides along a line has no conserving step: over a step it is not a function of the \
                 ends of one element, but of all that it passes",
        remedy: "choose generalized-alpha or radau",
    })
}

/// Why flexible bodies cannot be integrated so, if there are any; `always` if no steps are made for them.
pub(super) fn flexible_refusal(system: &System, always: bool) -> Option<Refusal> {
    system.flexible().next()?;
    let remedy = "choose energy-momentum, or an integrator that is none of the conserving ones";
    if always {
        let reason = "this method needs masses that are constant, not those of flexible bodies";
        return Some(Refusal { reason, remedy });
    }
    if system.flexible().any(|body| body.is_one_way()) {
        return Some(Refusal {
            reason: "flexible bodies with one-way coupling have no conserving step: what does not act back \
                     keeps no energy",
            remedy: "choose generalized-alpha or radau, or leave the coupling out",
        });
    }
    if system.flexible().any(|body| body.is_stiffened()) {
        return Some(Refusal {
            reason: "flexible bodies with `geometric_stiffness` have no conserving step: their points are not \
                     linear in the coordinates that such a step needs",
            remedy: "choose generalized-alpha or radau, or leave the geometric stiffness out",
        });
    }
    let turns = system.frame_rate.norm() > 0.0;
    turns.then_some(Refusal {
        reason: "flexible bodies in a turning frame have no conserving step",
        remedy: "choose generalized-alpha or radau, or describe the model in a frame that does not turn",
    })
}

impl Integrator for ConservingSettings {
    fn start<'s>(
        &self,
        system: &'s System,
        state: State,
        _h: f64,
    ) -> Result<Box<dyn Stepper + 's>, StepFailure> {
        Ok(Box::new(EnergyMomentum::new(system, *self, state)?))
    }

    fn refusal(&self, system: &System) -> Option<Refusal> {
        if !system.networks().is_empty() {
            return Some(MECHANICS_ONLY);
        }
        if self.rule == Rule::Variational && system.inertias().next().is_some() {
            return Some(Refusal {
                reason: "the variational rule needs masses of single bodies, not those that beams share between \
                         nodes",
                remedy: "choose energy-momentum, or lumped masses for the beams",
            });
        }
        if let Some(refusal) = flexible_refusal(system, self.rule == Rule::Variational) {
            return Some(refusal);
        }
        if let Some(refusal) = sliding_refusal(system) {
            return Some(refusal);
        }
        let reduces = matches!(self.treatment, Treatment::NullSpace | Treatment::Minimal);
        let reason = match system.frictions().is_empty() {
            true => {
                "a law that reads reactions needs the constraint forces, which the null space treatments \
                     eliminate"
            }
            false => "friction needs the constraint forces, which the null space treatments eliminate",
        };
        (reduces && system.is_pressed())
            .then_some(Refusal { reason, remedy: "choose form = \"multipliers\"" })
    }

    fn order(&self) -> usize {
        2
    }

    fn order_in(&self, system: &System) -> usize {
        if self.is_pressed_late(system) { 1 } else { self.order() }
    }

    /// Second order in the state and in what belongs to it. From a consistent start velocities normal to the
    /// constraints alternate between 0 and O(h²), e⁺ = −e − ½ h² Ġ v̇ (energy-momentum-null-space I-06,
    /// G-08), multipliers of the steps by O(h). With a penalty they swing about those of the constraint.
    fn expected_order(&self, level: QuantityLevel, system: &System) -> ExpectedOrder {
        use QuantityLevel::{Acceleration, Own};
        match (self.treatment, level) {
            _ if self.is_pressed_late(system) => ExpectedOrder::less(1, PRESSED_LATE),
            (Treatment::Penalty { .. }, Own | Acceleration) => ExpectedOrder::UNKNOWN,
            (_, Own) => ExpectedOrder::less(
                1,
                "what velocities have normal to the constraints alternates from step to step; those recorded do not",
            ),
            _ => ExpectedOrder::full(2),
        }
    }

    /// What the penalty methods were not told follows from mass, step and length.
    fn fit(&mut self, given: &Given, system: &System, step: Option<f64>) {
        let Some(step) = step else { return };
        let usual = || PENALTY * system.total_mass() / (step * step);
        let gap = || CONSTRAINT_TOLERANCE * system.length_scale();
        match &mut self.treatment {
            Treatment::Penalty { stiffness } => {
                *stiffness = given.number(STIFFNESS.key).unwrap_or_else(usual);
            }
            Treatment::AugmentedLagrange { stiffness, tolerance } => {
                *stiffness = given.number(STIFFNESS.key).unwrap_or_else(usual);
                *tolerance = given.number(LARGEST_GAP.key).unwrap_or_else(gap);
            }
            _ => {}
        }
    }

    /// They satisfy the hidden constraints on velocities to second order (energy-momentum-null-space I-06).
    fn velocity_remark(&self) -> &'static str {
        "monitored, not imposed: of second order in the step"
    }

    fn lags_in_rotation(&self) -> bool {
        true
    }

    /// tan θ/2 = ωh/2 for a steady spin (energy-momentum-null-space V-5, G-10).
    fn spin_lag(&self, angle: f64) -> Option<f64> {
        Some(1.0 - 0.5 * angle / (0.5 * angle).tan())
    }

    fn tolerance(&self) -> f64 {
        self.tolerance
    }

    fn holds(&self) -> (bool, bool) {
        (self.treatment.holds(), self.rule == Rule::Variational)
    }

    fn drifts(&self) -> bool {
        false
    }

    fn leaves_velocities_open(&self) -> bool {
        self.rule != Rule::Variational && self.treatment.holds()
    }
}

/// Why the variational rule loses an order.
const PRESSED_LATE: &str = "friction, or a law of reactions, follows multipliers that belong to the start of each \
                            step; use energy-momentum";

/// A penalty that is not given, in units of the model's mass over step². Under accelerations a the
/// constraints then give way by a·step²/2000: a small part of what a step of second order is off by, for
/// every mass and every step, and multipliers of augmented Lagrange improve by a factor of about 500 each
/// time (energy-momentum-null-space I-23, G-11).
const PENALTY: f64 = 1e3;

/// A constraint tolerance that is not given, in lengths of the model.
const CONSTRAINT_TOLERANCE: f64 = 1e-10;

/// Most Gauss points in a step.
pub(crate) const MAX_POINTS: usize = 10;

const FORMS: [Word; 6] = [
    Word {
        word: "automatic",
        text: "Structure-preserving steps: what is fastest for the model of multipliers, null-space and \
               minimal, which all give the same motion.",
    },
    MULTIPLIERS,
    Word {
        word: "null-space",
        text: "Structure-preserving steps: the balance in the directions that the constraints leave free, \
               without multipliers.",
    },
    Word { word: "minimal", text: "Structure-preserving steps: as many unknowns as freedoms." },
    Word {
        word: "augmented-lagrange",
        text: "Structure-preserving steps: a penalty with multipliers that are improved until the constraints \
               hold.",
    },
    Word { word: "penalty", text: "Stiff springs and dampers in the place of the constraints." },
];

/// The form that Galerkin steps have too.
pub(crate) const MULTIPLIERS: Word =
    Word { word: "multipliers", text: "Structure-preserving steps: Lagrange multipliers are unknowns." };

/// The words of the unknowns of rigid bodies.
const COORDINATES: [Word; 3] = [
    Word { word: "motion", text: "Six increments of a motion." },
    Word { word: "directors", text: "Place and three directors, with the six constraints of rigidity." },
    Word {
        word: "euler-parameters",
        text: "Place and four Euler parameters, with their norm as constraint.",
    },
];

/// A rule in the list of integrators.
struct NamedRule {
    label: Label,
    rule: Rule,
    forms: &'static [Word],
}

const RULES: [NamedRule; 3] = [
    NamedRule {
        label: Label {
            name: "energy-momentum",
            aliases: &[],
            summary: "discrete gradients, order 2: energy and momentum are conserved exactly",
        },
        rule: Rule::EnergyMomentum,
        forms: &FORMS,
    },
    NamedRule {
        label: Label {
            name: "variational-midpoint",
            aliases: &["symplectic-midpoint"],
            summary: "variational midpoint rule, order 2: symplectic, momentum exact, energy errors stay bounded",
        },
        rule: Rule::Variational,
        // Velocities are projected onto the constraints, which a penalty lets give way.
        forms: FORMS.split_at(5).0,
    },
    NamedRule {
        label: Label {
            name: "averaged-gradient",
            aliases: &["cg1"],
            summary: "forces averaged over the step (cG(1)), order 2: energy to the accuracy of the Gauss rule",
        },
        rule: Rule::Averaged,
        forms: &FORMS,
    },
];

impl Named for NamedRule {
    fn label(&self) -> Label {
        self.label
    }

    fn family(&self) -> &'static str {
        "structure-preserving steps"
    }

    fn mechanics_only(&self) -> bool {
        true
    }

    fn settings(&self) -> Vec<Setting> {
        let own = match self.rule {
            Rule::EnergyMomentum => Some(DISSIPATION),
            Rule::Variational => None,
            Rule::Averaged => Some(POINTS),
        };
        let shared = [UNKNOWNS, STIFFNESS, LARGEST_GAP, Setting::newton("1e-14")];
        [Setting::form(self.forms)].into_iter().chain(own).chain(shared).collect()
    }

    fn method(&self, given: &Given) -> Result<Method, SettingError> {
        // What is not given is completed once the model is known.
        let stiffness = given.number(STIFFNESS.key).unwrap_or_default();
        let tolerance = given.number(LARGEST_GAP.key).unwrap_or_default();
        let treatment = match given.word("form") {
            Some("multipliers") => Treatment::Multipliers,
            Some("null-space") => Treatment::NullSpace,
            Some("minimal") => Treatment::Minimal,
            Some("penalty") => Treatment::Penalty { stiffness },
            Some("augmented-lagrange") => Treatment::AugmentedLagrange { stiffness, tolerance },
            _ => Treatment::Automatic,
        };
        let coordinates = match given.word(UNKNOWNS.key) {
            Some("directors") => Coordinates::Directors,
            Some("euler-parameters") => Coordinates::EulerParameters,
            _ => Coordinates::Motion,
        };
        let default = ConservingSettings::new(self.rule);
        let settings = ConservingSettings {
            points: given.count(POINTS.key).unwrap_or(default.points),
            coordinates,
            treatment,
            dissipation: given.number(DISSIPATION.key).unwrap_or(default.dissipation),
            tolerance: given.number("tolerance").unwrap_or(default.tolerance),
            ..default
        };
        Ok(settings.into())
    }
}

impl Listing for ConservingSettings {
    fn listed() -> Vec<&'static dyn Named> {
        RULES.iter().map(|entry| entry as &dyn Named).collect()
    }
}

const DISSIPATION: Setting = Setting {
    key: "dissipation",
    kind: Kind::Number(Range::NotNegative),
    text: "Numerical dissipation χ ≥ 0 of springs, bushings and stops; with 0 energy is conserved",
    noun: "the numerical dissipation",
    default: "0",
    help: "0 conserves energy, 0.5 takes the forces of springs at the end of the step",
    listed: Listed::Key,
    ..Setting::PLAIN
};

const POINTS: Setting = Setting {
    key: "points",
    kind: Kind::Count(Counts::Between(1, MAX_POINTS)),
    text: "Gauss points in a step",
    noun: "{} Gauss points",
    default: "3",
    help: "3 average forces exactly that are polynomials of degree 5 along the step",
    listed: Listed::Range,
    in_name: true,
    ..Setting::PLAIN
};

const UNKNOWNS: Setting = Setting {
    key: "coordinates",
    kind: Kind::Word(&COORDINATES),
    text: "Unknowns of rigid bodies",
    default: "motion",
    // Minimal has none but the freedoms.
    forms: &["automatic", "multipliers", "null-space", "augmented-lagrange", "penalty"],
    ..Setting::PLAIN
};

const STIFFNESS: Setting = Setting {
    key: "penalty",
    kind: Kind::Number(Range::Positive),
    text: "Stiffness μ of the springs μ|Φ|² with the forms \"penalty\" and \"augmented-lagrange\"",
    noun: "the penalty",
    default: "1000 times the mass of the model over step²",
    help: "leave it out for one that suits mass and step",
    forms: &["penalty", "augmented-lagrange"],
    ..Setting::PLAIN
};

const LARGEST_GAP: Setting = Setting {
    key: "constraint_tolerance",
    kind: Kind::Number(Range::Positive),
    text: "Largest |Φ| at which the form \"augmented-lagrange\" is content",
    noun: "the constraint tolerance",
    default: "1e-10 of the length of the model",
    help: "leave it out for 1e-10 of the length of the model",
    forms: &["augmented-lagrange"],
    ..Setting::PLAIN
};
