//! How a run is recorded and shown: the table of signals, its files, the
//! summary with its audit, the plots, and the folder that holds them.
//!
//! Nothing here knows how a run is solved; every number is handed in, and a
//! number that is not finite is refused where it would enter a record.

mod artifact;
mod atomic_file;
mod beam_shape;
mod block;
mod complex;
mod csv_file;
mod error;
mod finite;
mod folder_lock;
mod frames;
mod matrix_file;
mod mode_shapes;
mod number;
mod parquet_file;
mod plain_file;
mod plot;
pub mod render;
mod report;
mod reserve;
mod run_folder;
pub mod scene;
mod sealed_parquet;
mod snapshot;
mod stored_run;
mod summary;
mod summary_text;
mod svg_image;
mod table;
mod vtk;

pub use artifact::{Artifact, Drawing, Signals};
pub use atomic_file::write_atomically;
pub use beam_shape::BeamShape;
pub use block::{Block, Content, NumberType};
pub use complex::Complex;
pub use csv_file::{read_csv, write_csv};
pub use error::ResultsError;
pub use frames::{FrameCourse, FrameSize, Frames};
pub use matrix_file::{MatrixFormat, MatrixSet, NamedList, NamedMatrix};
pub use mode_shapes::{BodyAmplitude, BodyFrame, ComplexVector, Link, LinkEnd, ModeShape, ModeShapes};
pub use number::short;
pub use parquet_file::{read_parquet, write_parquet};
pub use plot::{
    CampbellPlot, ChosenCurve, ChosenPlot, CriticalPlot, EnergyHistory, EquilibriumMark, IntegratorCurve,
    IntegratorSheet, LoadPath, LoadPathCurve, LoadPathMark, LoadPathPoint, MarkKind, PathAxes, PhaseAxis,
    PhasePortrait, Spectrum, SpectrumPoint, Trajectory, WorkCurve, WorkMark, WorkPrecision, chosen_svg, plot,
    plot_energy, plot_integrator, plot_mode_shapes, plot_path, plot_portrait, plot_signals,
    plot_work_precision,
};
pub use report::{
    AxisName, Check, CheckState, Diagram, EnergyBlocks, FrameBlocks, Kept, Material, Payload, ReportedRun,
    SignalBlocks, SignalName, SignalPlot, SourceText, served_page,
};
pub use run_folder::RunFolder;
pub use snapshot::{Snapshot, Wrench};
pub use stored_run::{StoredRun, read_motion, read_signals};
pub use summary::RunSummary;
pub use summary::buckling::{BucklingSummary, CriticalValue};
pub use summary::campbell::{
    CampbellBranch, CampbellCrossing, CampbellInstability, CampbellSummary, CampbellVeering, Whirl,
};
pub use summary::common::{
    Common, Counts, Expectation, FileEntry, ModelIdentity, Outcome, Program, Start, Status,
};
pub use summary::equilibrium::{
    BodyPlacement, EquilibriumMethod, EquilibriumSummary, OutOfBalance, VariableValue,
};
pub use summary::kinematics::{KinematicsSummary, SingularityMet};
pub use summary::linearize::{LinearizeSummary, MatrixShape};
pub use summary::modes::{EigenMethod, Mode, ModeKind, ModesSummary, Participation};
pub use summary::motion::{
    Audit, ConstraintAudit, ConstraintTreatment, EnergyAudit, EventEntry, IntegratorChoice, LocalTolerance,
    MomentumAudit, MomentumChange, Residual, RotationAudit, Statistics, StepCheck, StepExtreme, Study,
    Summary, TimeErrorAudit,
};
pub use summary::path::{BranchSummary, PathSummary, SignalValue, SingularEntry};
pub use summary::redundancy::{GrueblerCount, RedundancyReport, RedundantRow, SingularityDistance};
pub use summary::stability::{Stability, Verdict};
pub use summary_text::line::{Judgement, SummaryLine};
pub use svg_image::svg_to_png;
pub use table::{Column, Gap, RecordError, SignalTable};
pub use vtk::write_vtk;
