//! A study, from a loaded model to what it gives: the path that all commands share.

use crate::failure::{RequestError, StudyError};
use crate::initial::{begin, settled};
use crate::list::STUDIES;
use crate::motion::checkpoint::{Identity, Saved};
use crate::progress::Watch;
use crate::states_file;
use poinsot_analysis::{StartError, StartReport, consistent_start};
use poinsot_mechanics::{State, System};
use poinsot_model::study::{Kind, Study, StudyKind};
use poinsot_model::{Assembly, Diagnostic, Model, NamedState, build};
use poinsot_results::scene::Scene;
use poinsot_results::{
    Artifact, Frames, Gap, Initial, Material, Payload, ReportedRun, ResultsError, RunFolder, RunSummary,
    SignalTable, Signals, SourceText, served_page, short,
};
use std::path::PathBuf;
use std::time::Instant;

/// What a study gives.
pub struct Product {
    /// What was done, and the evidence.
    pub summary: Box<dyn RunSummary + Send>,
    /// How it was done, in one sentence.
    pub method: String,
    /// What there is to keep and to look at, in the order of its files.
    pub artifacts: Vec<Artifact>,
    /// Whole states by names: those that the study was to keep, and the last one.
    pub states: Vec<NamedState>,
}

/// What became of the files of a study.
#[derive(Debug)]
pub struct Written {
    /// The summary.
    pub summary: PathBuf,
    /// Why others could not be written.
    pub troubles: Vec<ResultsError>,
}

impl Product {
    /// A summary with signals, and nothing else yet.
    pub fn new(mut summary: Box<dyn RunSummary + Send>, method: String, signals: Signals) -> Self {
        summary.warnings_mut().extend(gap_warnings(&signals.table));
        Product { summary, method, artifacts: vec![Artifact::Signals(signals)], states: vec![] }
    }

    /// With the states that were kept, and the one in which the study ends.
    pub fn ending(mut self, kept: Vec<NamedState>, end: impl Into<Option<NamedState>>) -> Self {
        self.states = kept;
        self.states.extend(end.into());
        self
    }

    /// With something more.
    pub fn with(mut self, artifact: impl Into<Option<Artifact>>) -> Self {
        self.artifacts.extend(artifact.into());
        self
    }

    /// What there is to see, and where everything is.
    pub fn scene(&self) -> Option<(&Scene, &Frames)> {
        self.artifacts.iter().find_map(|artifact| match artifact {
            Artifact::Scene(scene, frames) => Some((scene, frames)),
            _ => None,
        })
    }

    /// Whether the run has left files with which it can be taken up again.
    pub fn is_resumable(&self) -> bool {
        self.artifacts.iter().any(|artifact| matches!(artifact, Artifact::Left(..)))
    }

    /// Writes everything that can be written, the summary in any case: what was computed is worth more than
    /// the order of its files.
    pub fn write(
        &mut self,
        folder: &mut RunFolder,
        model: &Model,
        csv: bool,
    ) -> Result<Written, ResultsError> {
        let each = self.artifacts.iter_mut();
        let mut troubles: Vec<_> =
            each.flat_map(|artifact| artifact.write(folder, &model.name, csv)).collect();
        troubles.extend(states_file::write(folder, model, self).err());
        troubles.extend(self.report(folder, model).err());
        Ok(Written { summary: folder.finish(&mut *self.summary)?, troubles })
    }

    /// Writes the page that shows everything.
    fn report(&mut self, folder: &mut RunFolder, model: &Model) -> Result<(), ResultsError> {
        self.summary.common_mut().files = folder.files().to_vec();
        if served_page().is_err() {
            return Ok(());
        }
        let run = ReportedRun::new(&Material {
            summary: &*self.summary,
            source: SourceText { name: model.source.name.clone(), text: model.source.text.clone() },
            files: folder.files(),
            artifacts: &self.artifacts,
            diagrams: folder.diagrams(),
        });
        folder.write_report(&Payload::new(vec![run]))?;
        Ok(())
    }
}

/// A warning for each signal that has no value in some rows.
fn gap_warnings(table: &SignalTable) -> Vec<String> {
    let of = |gap: Gap| {
        let first = match table.abscissa().name.as_str() {
            SignalTable::TIME => format!("at t = {} s", short(gap.first, 6)),
            name => format!("at {name} {}", short(gap.first, 6)),
        };
        let rows = table.len();
        let often = match (gap.rows, rows) {
            (_, 1) => String::new(),
            (n, _) if n == rows => format!(", in all {rows} rows"),
            (n, _) => format!(", in {n} of {rows} rows"),
        };
        format!("the signal `{}` has no finite value {first}{often}: it has gaps there", gap.signal)
    };
    table.gaps().into_iter().map(of).collect()
}

/// A model as a system at its consistent start.
pub struct Prepared<'a> {
    /// The model.
    pub model: &'a Model,
    /// The system.
    pub system: System,
    /// Where the model's things are in it.
    pub assembly: Assembly,
    /// The consistent start.
    pub state: State,
    /// What the start changed.
    pub start: StartReport,
    /// What is to be told of the state that it starts from, if it does not start as modelled.
    pub initial: Option<Initial>,
    /// Time it took (s).
    pub set_up: f64,
}

impl Prepared<'_> {
    /// A state of its system by names.
    pub fn named(&self, state: &State) -> NamedState {
        NamedState::of(self.model, &self.system, state, &self.assembly)
    }
}

/// How a study is carried out.
#[derive(Debug, Default)]
pub struct RunOptions {
    /// Checkpoints on the way.
    pub checkpoints: Option<Checkpoints>,
    /// Run a motion once more with shorter steps and compare.
    pub check_step: bool,
}

/// Checkpoints of a run.
#[derive(Debug)]
pub struct Checkpoints {
    /// The folder of the run.
    pub folder: PathBuf,
    /// Steps between them.
    pub every: usize,
    /// What tells the run from others.
    pub identity: Identity,
    /// Where to go on.
    pub from: Option<Saved>,
}

/// The consistent start of a model's system; what is wrong with a start value is told at its place.
pub fn model_start(
    model: &Model,
    system: &mut System,
    time: f64,
) -> Result<(State, StartReport), StudyError> {
    consistent_start(system, time).map_err(|error| {
        let StartError::StartValue { joint, word, .. } = &error else { return error.into() };
        let joint = model.joints.iter().find(|known| known.name == *joint);
        let place = joint.and_then(|joint| joint.start.iter().find(|start| start.word == *word));
        let Some(place) = place else { return error.into() };
        let diagnostic = Diagnostic::error(error.to_string()).at(place.span.clone(), "asked for here");
        StudyError::Model(Box::new(diagnostic.help(error.remedy())))
    })
}

/// Builds a model and starts it where it says.
pub fn prepare(model: &Model, time: f64) -> Result<Prepared<'_>, StudyError> {
    let clock = Instant::now();
    let (system, assembly) = build(model).map_err(|d| StudyError::Model(Box::new(d)))?;
    let mut prepared = begin(model, system, assembly, time)?;
    prepared.set_up = clock.elapsed().as_secs_f64();
    Ok(prepared)
}

/// A study that can be carried out.
pub trait Perform: Study {
    /// Whether it goes along time in steps, so that it can keep checkpoints and check its steps.
    const IN_STEPS: bool = false;

    /// From the model at its start to the results.
    fn run(
        prepared: Prepared,
        request: &Self::Request,
        options: &RunOptions,
        watch: &dyn Watch,
    ) -> Result<Product, StudyError>;
}

/// A study that can be carried out, whichever it is.
pub trait AnyStudy: StudyKind {
    /// Whether it goes along time in steps.
    fn in_steps(&self) -> bool;

    /// Runs the study that the model asks for, which is of this kind.
    fn run(&self, prepared: Prepared, options: &RunOptions, watch: &dyn Watch)
    -> Result<Product, StudyError>;
}

impl<S: Perform> AnyStudy for Kind<S> {
    fn in_steps(&self) -> bool {
        S::IN_STEPS
    }

    fn run(
        &self,
        prepared: Prepared,
        options: &RunOptions,
        watch: &dyn Watch,
    ) -> Result<Product, StudyError> {
        let request = prepared.model.study_of::<S::Request>().ok_or(RequestError::NoStudy)?;
        S::run(prepared, request, options, watch)
    }
}

/// Runs the study of a model, and before it those that it starts from.
pub fn perform(model: &Model, options: &RunOptions, watch: &dyn Watch) -> Result<Product, StudyError> {
    let request = model.study.as_ref().ok_or(RequestError::NoStudy)?;
    let word = request.word();
    let study = STUDIES.iter().find(|study| study.word() == word).ok_or(RequestError::NoStudy)?;
    if model.has_variables() && study.without_equations().is_some() {
        return Err(RequestError::Equations(word).into());
    }
    if options.checkpoints.is_some() && !study.in_steps() {
        return Err(RequestError::NoCheckpoints(word).into());
    }
    if options.check_step && !study.in_steps() {
        return Err(RequestError::NoSteps(word).into());
    }
    let mut model = settled(model, watch)?.into_owned();
    model.raised = model.raised.afresh();
    let mut prepared = prepare(&model, request.start())?;
    let initial = prepared.initial.take();
    let mut product = study.run(prepared, options, watch)?;
    product.summary.common_mut().initial = initial;
    product.summary.warnings_mut().extend(model.raised.told());
    Ok(product)
}
