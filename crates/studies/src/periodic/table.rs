//! The table of a periodic study.

use poinsot_model::read::{FromToml, Node, Reader};
use poinsot_model::study::{Count, Located, Number, Text};
use poinsot_model::{Span, choice, record};
use schemars::{Schema, SchemaGenerator, json_schema};
use toml::de::DeValue;

choice! {
    /// By which steps a periodic motion is made.
    pub enum Scheme "scheme" {
        /// Polynomials in each element that satisfy the equations at Gauss or Radau points, with exact
        /// derivatives.
        "collocation" => Collocation,
        /// Steps of an integrator, whose derivatives are differences of motions.
        "shooting" => Shooting,
        /// Discontinuous time elements with exact derivatives; they damp what is too fast for them.
        "dg" => Discontinuous,
        /// Continuous time elements of degree one, of mechanics without [[equations]]: for motions;
        /// multipliers are told only where all frequencies are slow enough.
        "cg" => Continuous,
        /// Harmonics of the whole period, equations at as many times; multipliers by Hill's method.
        "fourier" => Fourier,
        /// Harmonics of the whole period, whose equations are balanced from more times than harmonics need.
        "harmonic_balance" => Balance,
    }
}

choice! {
    /// Where polynomials satisfy the equations of motion.
    pub enum Points "points" {
        /// Gauss points: of order 2 `stages`; they damp nothing.
        "gauss" => Gauss,
        /// Radau points: of order 2 `stages` − 1; they damp what is too fast for them.
        "radau" => Radau,
    }
}

choice! {
    /// What a periodic motion is guessed to be.
    pub enum StartsAs "guess" {
        /// The motion over one period from the start.
        "motion" => Motion,
        /// The state at the start at all times: the first correction is the linear answer to loads and
        /// drives.
        "rest" => Rest,
        /// The swing about the start, an equilibrium, that grows most or dies away least, with an
        /// `amplitude`.
        "swing" => Swing,
    }
}

record! {
    /// A motion that repeats itself after a period, with its multipliers: whether small deviations grow.
    pub struct PeriodicTable "periodic study" {
        /// The period, s, or "unknown" where nothing in the model depends on time.
        period: PeriodKey,
        /// After how many times `period` the motion repeats itself: subharmonics of what drives it.
        multiple: Located<Count> = 1,
        /// About how long an unknown period is, s.
        guess: Option<Number>,
        /// Time at which the period starts, s.
        start: Number = 0,
        /// Periods that the model moves before, so that it comes near the motion; only one that is stable
        /// draws it near.
        settle: Number = 0,
        /// What the motion is guessed to be.
        from: Located<StartsAs> = "motion",
        /// Amplitude of the guess "swing", in lengths of the model, radians and nominal values of variables;
        /// default: 0.1.
        amplitude: Option<Number>,
        /// The steps that the motion is made of.
        scheme: Located<Scheme> = "collocation",
        /// Number of elements of the period. With it, and without `tolerance`, they stay equal and as many;
        /// else they are chosen by the tolerance, from 8 or 16 on.
        elements: Option<Located<Count>>,
        /// Sum of the errors of the elements, relative to the length of the model, a radian, both per typical
        /// time, and the nominal sizes of variables; default: 1e-8, unless `elements` is given.
        tolerance: Option<Number>,
        /// What may be left open of multipliers, relative to those that are larger than 1: elements are
        /// halved until it is reached, or as long as it helps. Default: hundred times `tolerance`.
        multiplier_tolerance: Option<Number>,
        /// Integrator of "shooting", and of the periods to settle.
        integrator: Text = "radau",
        /// Steps of the integrator in each element, for "shooting"; default: 4.
        steps: Option<Located<Count>>,
        /// Degree of the time elements of "dg", 1 to 3; default: 2.
        degree: Option<Located<Count>>,
        /// Points of "collocation" in each element, 1 to 4; default: 4 where `tolerance` is 1e-7 or less, as
        /// it is if nothing is said, else 3.
        stages: Option<Located<Count>>,
        /// Where these points are; default: "gauss".
        points: Option<Located<Points>>,
        /// Harmonics of "fourier" and "harmonic_balance"; default: as many as `tolerance` needs for the
        /// highest of them, from 8 on.
        harmonics: Option<Located<Count>>,
        /// How many times the times that the harmonics need "harmonic_balance" looks at; default: 2.
        oversampling: Option<Number>,
        /// By how much variables of equations advance in a period: an angle by "2*pi".
        advance: Option<NumbersByName>,
        /// Values that signals have at the start of the period; of a motion of unknown period they take the
        /// place of the phase, of one that a family has members of they choose one.
        hold: Option<NumbersByName>,
        /// Number of multipliers in the tables.
        count: Located<Count> = 12,
        /// Recorded rows in the period.
        rows: Located<Count> = 200,
    }
}

/// A period, or that it is unknown.
#[derive(Clone, Debug)]
pub enum PeriodKey {
    /// A period.
    Known(Number),
    /// Unknown; where that is said.
    Unknown(Span),
}

impl PeriodKey {
    /// Its place.
    pub fn span(&self) -> Span {
        match self {
            PeriodKey::Known(number) => number.span(),
            PeriodKey::Unknown(span) => span.clone(),
        }
    }
}

impl FromToml for PeriodKey {
    fn expected() -> String {
        "a number, an expression in quotes, or \"unknown\"".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        match node.get_ref() {
            DeValue::String(text) if text == "unknown" => Some(PeriodKey::Unknown(reader.span(node.span()))),
            _ => Number::from_toml(node, reader).map(PeriodKey::Known),
        }
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        Number::schema(generator)
    }
}

/// Numbers by the names of things.
#[derive(Clone, Debug)]
pub struct NumbersByName {
    /// In the order of the file.
    pub list: Vec<(Text, Number)>,
}

impl NumbersByName {
    /// A name with a dot that is not in quotes is a table in a table.
    fn read(
        node: &Node,
        before: Option<&Text>,
        list: &mut Vec<(Text, Number)>,
        reader: &mut Reader,
    ) -> Option<()> {
        let DeValue::Table(table) = node.get_ref() else {
            list.push((before?.clone(), Number::from_toml(node, reader)?));
            return Some(());
        };
        let mut good = Some(());
        for (key, value) in table.iter() {
            let name = match before {
                Some(before) => {
                    let name = format!("{}.{}", before.value, key.get_ref());
                    Text::new(&name, before.span.start..key.span().end.max(before.span.end), reader)
                }
                None => Text::new(key.get_ref(), key.span(), reader),
            };
            good = Self::read(value, Some(&name), list, reader).and(good);
        }
        good
    }
}

impl FromToml for NumbersByName {
    fn expected() -> String {
        "a table of numbers".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        let DeValue::Table(_) = node.get_ref() else {
            reader.mismatch(node, &Self::expected());
            return None;
        };
        let mut list = vec![];
        Self::read(node, None, &mut list, reader)?;
        list.sort_by_key(|(name, _)| name.span.start);
        Some(NumbersByName { list })
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": Number::schema(generator) })
    }
}
