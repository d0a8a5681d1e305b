//! What a linearize study is asked for.

use crate::small_motions::About;
use poinsot_model::spec::{BodyRef, InputSpec};
use poinsot_model::study::{List, Located, Number, StudyContext, StudyRequest, Text};
use poinsot_model::{Diagnostic, Span, choice, record};

record! {
    /// Matrices A, B, C, D of the linear system of small motions.
    pub struct LinearizeTable "linearize study" {
        /// The state about which motions are small; default: the equilibrium, or the start if the study has
        /// `initial`.
        about: Option<Located<About>>,
        /// Time at which loads and drives are taken, s.
        time: Number = 0,
        /// The body in whose frame the state is at rest, or "ground".
        observer: Text = "ground",
        /// Inputs: `NAME.x`, `NAME.y`, `NAME.z` of a force or torque, `NAME` of a spring or torsion spring, a
        /// variable of equations that an algebraic one determines, a parameter.
        inputs: List<Text> = [],
        /// Outputs: names of signals.
        outputs: List<Text> = [],
        /// Files to write.
        format: Located<List<Located<MatrixFormat>>> = ["json", "npz", "mat"],
    }
}

choice! {
    /// A kind of file for matrices.
    pub enum MatrixFormat "format" {
        /// JSON.
        "json" => Json,
        /// NumPy archive.
        "npz" => Npz,
        /// MATLAB level 5.
        "mat" => Mat,
    }
}

/// The linear system x' = A x + B u, y = C x + D u of small motions about a state.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearizeSpec {
    /// The state.
    pub about: About,
    /// Time at which loads and drives are taken.
    pub time: f64,
    /// The body in whose frame the state is at rest.
    pub observer: BodyRef,
    /// The inputs u.
    pub inputs: Vec<InputSpec>,
    /// The outputs y: indices into [`Model::signals`](poinsot_model::Model::signals).
    pub outputs: Vec<usize>,
    /// Files to write.
    pub formats: Vec<MatrixFormat>,
    /// Place of the table's header.
    pub span: Span,
}

impl LinearizeSpec {
    /// The system about the equilibrium at a time, with the first signals as outputs and no inputs, and the
    /// defaults of the file format.
    pub fn at(time: f64, signals: usize) -> Self {
        LinearizeSpec {
            about: About::Equilibrium,
            time,
            observer: BodyRef::Ground,
            inputs: vec![],
            outputs: (0..signals).collect(),
            formats: vec![MatrixFormat::Json, MatrixFormat::Npz, MatrixFormat::Mat],
            span: 0..0,
        }
    }
}

impl StudyRequest for LinearizeSpec {
    fn word(&self) -> &'static str {
        "linearize"
    }
    fn span(&self) -> &Span {
        &self.span
    }
    fn start(&self) -> f64 {
        self.time
    }
}

/// Evaluates and checks the table.
pub fn resolve(table: &LinearizeTable, context: &mut StudyContext) -> Option<LinearizeSpec> {
    let time = context.number(&table.time);
    let observer = context.observer(&table.observer);
    let inputs: Vec<_> = table.inputs.0.iter().map(|input| context.input(input)).collect();
    let outputs: Vec<_> = table.outputs.0.iter().map(|output| context.signal(output)).collect();
    check_doubles(context, &table.inputs.0, "input");
    check_doubles(context, &table.outputs.0, "output");
    Some(LinearizeSpec {
        about: About::meant(table.about.as_ref(), context.has_initial()),
        time: time?,
        observer: observer?,
        inputs: inputs.into_iter().collect::<Option<_>>()?,
        outputs: outputs.into_iter().collect::<Option<_>>()?,
        formats: formats(context, table)?,
        span: table.span.clone(),
    })
}

/// Each name must be there once.
fn check_doubles(context: &mut StudyContext, names: &[Text], what: &str) {
    for (i, name) in names.iter().enumerate() {
        if let Some(before) = names[..i].iter().find(|other| other.value == name.value) {
            context.report(
                Diagnostic::error(format!("the {what} `{}` is named twice", name.value))
                    .at(name.span.clone(), "again here")
                    .and(before.span.clone(), "first here"),
            );
        }
    }
}

/// The kinds of files, each once and at least one.
fn formats(context: &mut StudyContext, table: &LinearizeTable) -> Option<Vec<MatrixFormat>> {
    let mut formats: Vec<MatrixFormat> = Vec::new();
    for Located { value, span } in &table.format.value.0 {
        if formats.contains(value) {
            let message = format!("the format {:?} is named twice", value.word());
            context.report(Diagnostic::warning(message).at(span.clone(), "again here"));
        } else {
            formats.push(*value);
        }
    }
    if formats.is_empty() {
        context.report(
            Diagnostic::error("the study has no format to write its matrices in")
                .at(table.format.span.clone(), "empty")
                .help("choose of json, npz, mat; without the key all are written"),
        );
        return None;
    }
    Some(formats)
}
