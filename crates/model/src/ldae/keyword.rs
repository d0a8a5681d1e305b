//! The keywords: what a statement of an energy model can say.

/// What a statement gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Keyword {
    DisplacementVariables,
    FlowVariables,
    EffortVariables,
    DynamicVariables,
    KineticCoEnergy,
    PotentialEnergy,
    DissipationFunction,
    GeneralizedEfforts,
    DisplacementConstraints,
    FlowConstraints,
    EffortConstraints,
    DynamicConstraints,
    InitialDisplacements,
    InitialFlows,
    InitialEfforts,
    InitialDynamic,
    InitialTime,
    FinalTime,
    OutputPoints,
    AbsoluteTolerance,
    RelativeTolerance,
    NominalSizes,
    InitialStepSize,
    MaxSteps,
    EventTimes,
    DifferentiationIndex,
    Form,
    Keep,
    FlowMultipliers,
    Component,
    Ports,
    Branches,
    Flows,
}

/// What the value of a keyword is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A vector of new names.
    Names,
    /// An expression.
    Expression,
    /// A vector of expressions.
    Expressions,
    /// A number.
    Number,
    /// A vector of numbers.
    Numbers,
    /// A number, or a vector of them.
    NumberOrNumbers,
    /// A word.
    Word,
    /// A vector of names of variables.
    Variables,
    /// A vector of ports with their disciplines.
    Ports,
    /// A vector of branches between nodes.
    Branches,
}

impl Kind {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Names => "a vector of names in brackets",
            Kind::Expression => "an expression",
            Kind::Expressions => "a vector of expressions in brackets",
            Kind::Number => "a number",
            Kind::Numbers => "a vector of numbers in brackets",
            Kind::NumberOrNumbers => "a number or a vector of numbers in brackets",
            Kind::Word => "a word",
            Kind::Variables => "a vector of names of variables in brackets",
            Kind::Ports => "a vector of ports in brackets",
            Kind::Branches => "a vector of branches in brackets",
        }
    }

    /// An example of the value.
    pub fn example(self) -> &'static str {
        match self {
            Kind::Names | Kind::Variables => "[q1, q2]",
            Kind::Expression => "m*f*f/2",
            Kind::Expressions => "[F, 0]",
            Kind::Number => "10",
            Kind::Numbers => "[0, 1]",
            Kind::NumberOrNumbers => "1e-6",
            Kind::Word => "stabilised",
            Kind::Ports => "[p: electrical, n: electrical]",
            Kind::Branches => "[i: p -> n]",
        }
    }
}

/// The keywords (lagrangian-dae-modeling §1.29, §1.30): the first [`ORIGINAL`] are those of the book.
const TABLE: [(Keyword, &str, Kind); 33] = [
    (Keyword::DisplacementVariables, "DisplacementVariables", Kind::Names),
    (Keyword::FlowVariables, "FlowVariables", Kind::Names),
    (Keyword::EffortVariables, "EffortVariables", Kind::Names),
    (Keyword::DynamicVariables, "DynamicVariables", Kind::Names),
    (Keyword::KineticCoEnergy, "KineticCoEnergy", Kind::Expression),
    (Keyword::PotentialEnergy, "PotentialEnergy", Kind::Expression),
    (Keyword::DissipationFunction, "DissipationFunction", Kind::Expression),
    (Keyword::GeneralizedEfforts, "GeneralizedEfforts", Kind::Expressions),
    (Keyword::DisplacementConstraints, "DisplacementConstraints", Kind::Expressions),
    (Keyword::FlowConstraints, "FlowConstraints", Kind::Expressions),
    (Keyword::EffortConstraints, "EffortConstraints", Kind::Expressions),
    (Keyword::DynamicConstraints, "DynamicConstraints", Kind::Expressions),
    (Keyword::InitialDisplacements, "InitialDisplacements", Kind::Numbers),
    (Keyword::InitialFlows, "InitialFlows", Kind::Numbers),
    (Keyword::InitialEfforts, "InitialEfforts", Kind::Numbers),
    (Keyword::InitialDynamic, "InitialDynamic", Kind::Numbers),
    (Keyword::InitialTime, "InitialTime", Kind::Number),
    (Keyword::FinalTime, "FinalTime", Kind::Number),
    (Keyword::OutputPoints, "OutputPoints", Kind::Number),
    (Keyword::AbsoluteTolerance, "AbsoluteTolerance", Kind::NumberOrNumbers),
    (Keyword::RelativeTolerance, "RelativeTolerance", Kind::NumberOrNumbers),
    (Keyword::NominalSizes, "NominalSizes", Kind::Numbers),
    (Keyword::InitialStepSize, "InitialStepSize", Kind::Number),
    (Keyword::MaxSteps, "MaxSteps", Kind::Number),
    (Keyword::EventTimes, "EventTimes", Kind::Numbers),
    (Keyword::DifferentiationIndex, "DifferentiationIndex", Kind::Numbers),
    (Keyword::Form, "Form", Kind::Word),
    (Keyword::Keep, "Keep", Kind::Variables),
    (Keyword::FlowMultipliers, "FlowMultipliers", Kind::Names),
    (Keyword::Component, "Component", Kind::Word),
    (Keyword::Ports, "Ports", Kind::Ports),
    (Keyword::Branches, "Branches", Kind::Branches),
    (Keyword::Flows, "Flows", Kind::Word),
];

/// How many keywords the book has.
const ORIGINAL: usize = 19;

impl Keyword {
    /// The keyword that is written so, upper and lower case exactly.
    pub fn from_word(word: &str) -> Option<Self> {
        TABLE.iter().find(|(_, text, _)| *text == word).map(|(keyword, ..)| *keyword)
    }

    /// How it is written.
    pub fn word(self) -> &'static str {
        TABLE.iter().find(|(keyword, ..)| *keyword == self).map_or("", |(_, word, _)| word)
    }

    /// What its value is.
    pub fn kind(self) -> Kind {
        TABLE.iter().find(|(keyword, ..)| *keyword == self).map_or(Kind::Word, |(_, _, kind)| *kind)
    }

    /// All words.
    pub fn words() -> impl Iterator<Item = &'static str> {
        TABLE.iter().map(|(_, word, _)| *word)
    }

    /// A keyword of the book that differs from the word in case only.
    pub fn in_other_case(word: &str) -> Option<&'static str> {
        TABLE[..ORIGINAL].iter().map(|(_, text, _)| *text).find(|text| text.eq_ignore_ascii_case(word))
    }
}
