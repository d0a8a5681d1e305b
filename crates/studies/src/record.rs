//! Records a running system: signals, energies and the values of expectations.

use crate::flexible_audit::FlexibleMonitor;
use crate::live::LiveModel;
use crate::motion::checkpoint::{CheckpointError, Keeper, Notes, Recorded, Saved};
use crate::progress::Progress;
use crate::scene::FrameRecorder;
use poinsot_analysis::{Checkpoint, Halt, Observer, Sample, Trail};
use poinsot_mechanics::{State, System};
use poinsot_model::quantity::BeamQuantity;
use poinsot_model::spec::BodyRef;
use poinsot_model::{FoldedBeam, Model, NamedState, Probe, View};
use poinsot_results::scene::Scene;
use poinsot_results::{BeamShape, Column, EnergyHistory, RecordError, SignalTable};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

/// Most bodies whose positions are recorded when a model names no signals.
const DEFAULT_BODIES: usize = 6;

/// Most variables of equations that are recorded then.
const DEFAULT_VARIABLES: usize = 20;

/// Most rows that are recorded unless the study says how often.
const DEFAULT_ROWS: usize = 2000;

/// Receives the samples of a run.
pub struct Recorder<'w> {
    live: Rc<RefCell<LiveModel>>,
    probe: Probe,
    progress: Progress<'w>,
    /// Values of the expectations for the end, at the last sample.
    latest: Vec<f64>,
    keeper: Option<Keeper>,
    /// Whether a checkpoint could not be written; those before it are good.
    pub checkpoint_lost: bool,
    clock: Instant,
    /// Time that the run took before it was taken up again (s).
    spent: f64,
    /// Where the motion has been, if it is to be compared with another run.
    pub trail: Option<Trail>,
    /// Where everything is.
    pub frames: FrameRecorder,
    /// How far flexible bodies deform.
    pub flexible: FlexibleMonitor,
    /// The signals.
    pub table: SignalTable,
    /// The energies.
    pub energy: EnergyHistory,
    /// Value of each expectation, once its time has come.
    pub measured: Vec<Option<f64>>,
    /// States at the times at which the study keeps them.
    pub kept: Vec<NamedState>,
}

impl<'w> Recorder<'w> {
    /// A recorder for a model that runs.
    pub fn new(
        live: Rc<RefCell<LiveModel>>,
        scene: &Scene,
        progress: Progress<'w>,
    ) -> Result<Self, RecordError> {
        let (table, expects, flexible) = {
            let model = &live.borrow().model;
            let table = SignalTable::new([columns(model), shape_columns(model)].concat())?;
            (table, model.expects.len(), FlexibleMonitor::new(model, "t"))
        };
        Ok(Recorder {
            live,
            probe: Probe::default(),
            progress,
            latest: vec![f64::NAN; expects],
            keeper: None,
            checkpoint_lost: false,
            clock: Instant::now(),
            spent: 0.0,
            trail: None,
            frames: FrameRecorder::new(scene),
            flexible,
            table,
            energy: EnergyHistory::default(),
            measured: vec![None; expects],
            kept: vec![],
        })
    }

    /// Writes checkpoints from now on.
    pub fn keep(&mut self, keeper: Keeper) {
        self.keeper = Some(keeper);
    }

    /// Takes up what was recorded before a checkpoint.
    pub fn restore(&mut self, saved: &Saved) -> Result<(), CheckpointError> {
        let Notes { measured, latest, wall, .. } = saved.notes.clone();
        (self.measured, self.latest, self.spent) = (measured, latest, wall);
        self.frames.frames = saved.frames(self.frames.frames.size())?;
        saved.rows(&mut self.table, &mut self.energy)
    }

    /// What is recorded so far.
    pub fn recorded(&self) -> Recorded<'_> {
        Recorded { table: &self.table, energy: &self.energy, frames: &self.frames.frames }
    }

    /// Wall-clock time since the run began (s), without the pause before it was taken up again.
    pub fn wall(&self) -> f64 {
        self.spent + self.clock.elapsed().as_secs_f64()
    }

    /// The last sample is the end if the study is complete.
    pub fn finish(&mut self, complete: bool) {
        self.frames.frames.finish();
        let live = self.live.borrow();
        for ((expect, latest), measured) in
            live.model.expects.iter().zip(&self.latest).zip(&mut self.measured)
        {
            if complete && expect.at.is_none() && latest.is_finite() {
                *measured = Some(*latest);
            }
        }
    }
}

/// The signals of the model, or the positions of its first bodies and the first variables if it names none.
pub fn columns(model: &Model) -> Vec<Column> {
    let text = |t: &Option<String>| t.clone().unwrap_or_default();
    if model.signals.is_empty() {
        let bodies = model.bodies.iter().take(DEFAULT_BODIES);
        let positions = bodies.flat_map(|body| {
            ["x", "y", "z"].map(|axis| Column::new(format!("{}.position.{axis}", body.name), "m", ""))
        });
        let variables = default_variables(model).map(|(block, index)| {
            let (block, variable) = (&model.equations[block], &model.equations[block].variables[index]);
            Column::new(block.variable_name(index), text(&variable.unit), text(&variable.description))
        });
        return positions.chain(variables).collect();
    }
    let column = |s: &poinsot_model::spec::SignalSpec| {
        Column::new(s.name.clone(), text(&s.unit), text(&s.description))
    };
    model.signals.iter().map(column).collect()
}

/// Columns of the shapes of beams, in the order of [`Probe::beam_shapes`].
pub fn shape_columns(model: &Model) -> Vec<Column> {
    let offered = BeamQuantity::offered();
    let mut columns = vec![];
    for beam in &model.beams {
        for (s, _) in &beam.shape {
            let column = |(name, what): &(String, BeamQuantity)| {
                Column::new(BeamShape::column(&beam.name, *s, name), what.unit(), "")
            };
            columns.extend(offered.iter().map(column));
        }
    }
    columns
}

/// The variables that are recorded when a model names no signals: block and index.
fn default_variables(model: &Model) -> impl Iterator<Item = (usize, usize)> + '_ {
    let blocks = model.equations.iter().enumerate();
    blocks.flat_map(|(k, block)| (0..block.variables.len()).map(move |j| (k, j))).take(DEFAULT_VARIABLES)
}

/// Of a row that cannot be recorded.
pub fn of_signal(error: &impl std::fmt::Display) -> Halt {
    Halt::new(error.to_string(), "look at the signal's expression where it divides or takes a root")
}

/// Of a beam that folds.
pub fn of_beam(folded: &FoldedBeam) -> Halt {
    Halt::new(folded.to_string(), FoldedBeam::REMEDY)
}

impl Observer for Recorder<'_> {
    fn sample(&mut self, system: &System, sample: &Sample) -> Result<(), Halt> {
        let t = sample.at.t;
        let live = self.live.borrow();
        let LiveModel { model, assembly, .. } = &*live;
        let view = View { model, assembly, system, at: sample.at, balance: sample.balance, results: None };
        if let Some(folded) = self.probe.folded_beam(&view) {
            return Err(of_beam(&folded));
        }
        let signals = self.probe.signals(&view);
        for (k, expect) in model.expects.iter().enumerate() {
            match expect.at {
                None => self.latest[k] = self.probe.formula(&expect.formula, &view, &signals),
                Some(due) if is_at(due, t) => {
                    let value = self.probe.formula(&expect.formula, &view, &signals);
                    self.measured[k] = value.is_finite().then_some(value);
                }
                Some(_) => {}
            }
        }
        if model.keep.iter().any(|&due| is_at(due, t)) && self.kept.last().is_none_or(|s| s.time != t) {
            self.kept.push(NamedState::of(model, system, &state_of(&sample.at), assembly));
        }
        let mut row: Vec<f64> = if model.signals.is_empty() {
            let origin = |k| assembly.position(BodyRef::Body(k), &sample.at);
            let nodes = 0..model.bodies.len().min(DEFAULT_BODIES);
            let variables = default_variables(model)
                .map(|(block, index)| sample.at.v[assembly.variable(system, block, index)]);
            nodes.flat_map(|k| <[f64; 3]>::from(origin(k))).chain(variables).collect()
        } else {
            signals
        };
        if let Some(trail) = &mut self.trail {
            trail.note(&sample.at);
        }
        row.extend(self.probe.beam_shapes(&view));
        self.table.push_with_gaps(t, &row, 0..model.signals.len()).map_err(|e| of_signal(&e))?;
        self.progress.row(&self.table);
        self.frames.record(model, system, assembly, &sample.at, t);
        self.flexible.note(system, assembly, model, &sample.at, t);
        let (b, e) = (sample.balance, &mut self.energy);
        let start = e.total.first().copied().unwrap_or(b.total());
        e.time.push(t);
        e.kinetic.push(b.kinetic);
        e.potential.push(b.potential);
        e.total.push(b.total());
        e.supplied.push(sample.supplied);
        e.dissipated.push(sample.dissipated);
        e.imbalance.push(b.total() - start - sample.supplied + sample.dissipated);
        Ok(())
    }

    fn keep_going(&mut self, t: f64) -> bool {
        self.progress.at(t);
        self.progress.goes_on()
    }

    fn checkpoint(&mut self, at: &Checkpoint) -> Result<(), Halt> {
        let notes = Notes {
            measured: self.measured.clone(),
            latest: self.latest.clone(),
            changes: self.live.borrow().changes().to_vec(),
            wall: self.wall(),
        };
        let Some(keeper) = &mut self.keeper else { return Ok(()) };
        let recorded = Recorded { table: &self.table, energy: &self.energy, frames: &self.frames.frames };
        keeper.write(at, &notes, &recorded).map_err(|error| {
            self.checkpoint_lost = true;
            let remedy = "make room, then go on from the last one with poinsot resume";
            Halt::new(format!("the checkpoint cannot be kept: {error}"), remedy)
        })
    }
}

/// Whether a sample is the one that is due at a time.
fn is_at(due: f64, t: f64) -> bool {
    (due - t).abs() <= 1e-9 * due.abs().max(t.abs())
}

/// The state of an instant.
fn state_of(at: &poinsot_mechanics::Instant) -> State {
    let (frames, v, memory) = (at.frames.to_vec(), at.v.to_vec(), at.memory.to_vec());
    State { t: at.t, frames, v, memory, rates: vec![] }
}

/// Exact times at which a study along time is looked at: those of expectations and of states to keep.
pub fn looked_at(model: &Model, end: f64) -> Vec<f64> {
    let expected = model.expects.iter().map(|expect| expect.at.unwrap_or(end));
    expected.chain(model.keep.iter().copied()).collect()
}

/// Steps between recorded rows: as asked for, or so many that a few thousand rows are enough.
pub fn sample_stride(span: f64, step: f64, output_step: Option<f64>) -> usize {
    match output_step {
        Some(interval) => (interval / step).round().max(1.0) as usize,
        None => ((span / step).ceil().max(1.0) / DEFAULT_ROWS as f64).ceil() as usize,
    }
}
