//! What a modes study is asked for.

use crate::small_motions::About;
use poinsot_model::spec::BodyRef;
use poinsot_model::study::{Count, Located, Number, StudyContext, StudyRequest, Text};
use poinsot_model::{Span, record};

record! {
    /// Natural frequencies, damping ratios and mode shapes of small motions.
    pub struct ModesTable "modes study" {
        /// The state about which motions are small; default: the equilibrium, or the start if the study has
        /// `initial`.
        about: Option<Located<About>>,
        /// Number of modes, from the lowest frequency.
        count: Located<Count> = 10,
        /// Time at which loads and drives are taken, s.
        time: Number = 0,
        /// The body in whose frame the state is at rest, or "ground".
        observer: Text = "ground",
    }
}

/// Small free motions about a state.
#[derive(Clone, Debug, PartialEq)]
pub struct ModesSpec {
    /// The state.
    pub about: About,
    /// Number of modes.
    pub count: usize,
    /// Time at which loads and drives are taken.
    pub time: f64,
    /// The body in whose frame the state is at rest.
    pub observer: BodyRef,
    /// Place of the table's header.
    pub span: Span,
}

impl ModesSpec {
    /// The lowest modes about the equilibrium at a time, with the defaults of the file format.
    pub fn at(time: f64) -> Self {
        ModesSpec { about: About::Equilibrium, count: 10, time, observer: BodyRef::Ground, span: 0..0 }
    }
}

impl StudyRequest for ModesSpec {
    fn word(&self) -> &'static str {
        "modes"
    }
    fn span(&self) -> &Span {
        &self.span
    }
    fn start(&self) -> f64 {
        self.time
    }
}

/// Evaluates and checks the table.
pub fn resolve(table: &ModesTable, context: &mut StudyContext) -> Option<ModesSpec> {
    let time = context.number(&table.time);
    let observer = context.observer(&table.observer);
    Some(ModesSpec {
        about: About::meant(table.about.as_ref(), context.has_initial()),
        count: table.count.value.0,
        time: time?,
        observer: observer?,
        span: table.span.clone(),
    })
}
