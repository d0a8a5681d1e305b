//! What a Campbell study is asked for.

use crate::small_motions::About;
use poinsot_model::spec::BodyRef;
use poinsot_model::study::{Count, List, Located, Number, StudyContext, StudyRequest, Text};
use poinsot_model::{Diagnostic, Span, record};

record! {
    /// Modes as functions of a parameter, mostly a speed of rotation: Campbell diagram.
    pub struct CampbellTable "campbell study" {
        /// The parameter that is changed.
        parameter: Text,
        /// Its first and last value.
        range: Located<[Number; 2]>,
        /// Number of values, evenly spaced; more are put in where modes change quickly.
        points: Located<Count> = 41,
        /// Number of modes that are followed, from the lowest frequency at the first value.
        count: Located<Count> = 6,
        /// Engine orders k: crossings of frequencies with k times the speed are located.
        orders: List<Number> = [],
        /// The parameter that is the speed of rotation, rad/s; default: the one that is changed.
        speed: Option<Text>,
        /// The state about which motions are small, at each value; default: the equilibrium, or the start if
        /// the study has initial = "steady".
        about: Option<Located<About>>,
        /// Time at which loads and drives are taken, s.
        time: Number = 0,
        /// The body in whose frame the state is at rest, or "ground".
        observer: Text = "ground",
    }
}

/// Modes as functions of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct CampbellSpec {
    /// Name of the parameter.
    pub parameter: String,
    /// Its first and last value, the last one larger.
    pub range: [f64; 2],
    /// Number of values, at least two.
    pub points: usize,
    /// Number of modes.
    pub count: usize,
    /// Engine orders, all positive.
    pub orders: Vec<f64>,
    /// Name of the parameter that is the speed of rotation.
    pub speed: String,
    /// The state.
    pub about: About,
    /// Time at which loads and drives are taken.
    pub time: f64,
    /// The body in whose frame the state is at rest.
    pub observer: BodyRef,
    /// Place of the table's header.
    pub span: Span,
}

impl CampbellSpec {
    /// A parameter over a range, with the defaults of the file format.
    pub fn over(parameter: &str, range: [f64; 2], time: f64) -> Self {
        CampbellSpec {
            parameter: parameter.to_owned(),
            range,
            points: 41,
            count: 6,
            orders: vec![],
            speed: parameter.to_owned(),
            about: About::Equilibrium,
            time,
            observer: BodyRef::Ground,
            span: 0..0,
        }
    }
}

impl StudyRequest for CampbellSpec {
    fn word(&self) -> &'static str {
        "campbell"
    }
    fn span(&self) -> &Span {
        &self.span
    }
    fn start(&self) -> f64 {
        self.time
    }
    fn passes(&self, at: f64) -> Result<(), (String, &'static str, Option<&'static str>)> {
        let ([low, high], name) = (self.range, &self.parameter);
        match (low..=high).contains(&at) {
            true => Ok(()),
            false => Err((
                format!("{name} = {at} is not within the study ({low} to {high})"),
                "outside the range of the parameter",
                None,
            )),
        }
    }
}

/// Evaluates and checks the table.
pub fn resolve(table: &CampbellTable, context: &mut StudyContext) -> Option<CampbellSpec> {
    let parameter = context.parameter(&table.parameter);
    let speed = match &table.speed {
        Some(name) => context.parameter(name),
        None => parameter.clone(),
    };
    let range = context.numbers(&table.range.value);
    let orders: Vec<_> =
        table.orders.0.iter().map(|order| context.positive(order, "an engine order")).collect();
    let time = context.number(&table.time);
    let observer = context.observer(&table.observer);
    let range = range?;
    if range[1] <= range[0] {
        context.report(
            Diagnostic::error(format!("the range from {} to {} is empty", range[0], range[1]))
                .at(table.range.span.clone(), "the last value must be larger than the first"),
        );
        return None;
    }
    let points = &table.points;
    if points.value.0 < 2 {
        context.report(
            Diagnostic::error("a range needs at least two points").at(points.span.clone(), "too few"),
        );
        return None;
    }
    Some(CampbellSpec {
        parameter: parameter?,
        range,
        points: points.value.0,
        count: table.count.value.0,
        orders: orders.into_iter().collect::<Option<_>>()?,
        speed: speed?,
        about: About::meant(table.about.as_ref(), context.is_steady()),
        time: time?,
        observer: observer?,
        span: table.span.clone(),
    })
}
