//! How a run is recorded and shown: the table of signals, its files, the
//! summary with its audit, the plots, and the folder that holds them.
//!
//! Nothing here knows how a run is solved; every number is handed in, and a
//! number that is not finite is refused where it would enter a record.
//!
//! ```
//! use poinsot_results::{Column, SignalTable};
//!
//! let mut table = SignalTable::new(vec![Column::new("height", "m", "of the ball")])?;
//! for k in 0..=10 {
//!     let t = 0.1 * f64::from(k);
//!     table.push(t, &[10.0 - 4.905 * t * t])?;
//! }
//! assert_eq!(table.column("height").map(|heights| heights.len()), Some(11));
//! assert!(table.push(1.1, &[f64::NAN]).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arrow_schema;
mod artifact;
mod atomic_file;
mod beam_shape;
mod block;
mod complex;
mod csv_file;
mod error;
mod finite;
mod flexible_skin;
mod folder_lock;
mod frames;
mod lettering;
mod matrix_file;
mod mode_shapes;
pub mod number;
mod parquet_file;
mod plain_file;
mod plate_surface;
pub mod plot;
pub mod render;
mod report;
mod reserve;
mod run_folder;
pub mod scene;
mod sealed_parquet;
mod snapshot;
mod stored_run;
mod summary;
pub mod summary_text;

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
pub use matrix_file::{MatrixFormat, MatrixSet, MatrixShape, NamedList, NamedMatrix};
pub use mode_shapes::{
    BodyAmplitude, BodyFrame, ComplexVector, Link, LinkEnd, ModeKind, ModeShape, ModeShapes,
};
pub use number::short;
pub use parquet_file::{read_parquet, write_parquet};
pub use plot::{
    ChosenCurve, ChosenPlot, EnergyHistory, IntegratorCurve, IntegratorSheet, PathAxes, Trajectory,
    chosen_sheet, plot, plot_energy, plot_integrator, plot_mode_shapes, plot_path, plot_signals,
};
pub use report::{
    AxisName, Check, CheckState, Diagram, EnergyBlocks, FrameBlocks, Kept, Material, Payload, ReportedRun,
    SignalBlocks, SignalName, SignalPlot, SourceText, served_page,
};
pub use run_folder::RunFolder;
pub use snapshot::{Snapshot, Wrench};
pub use stored_run::{StoredRun, read_motion, read_signals, read_states};
pub use summary::common::{
    Common, Counts, Expectation, FileEntry, Initial, ModelIdentity, Outcome, Program, Start, Status,
};
pub use summary::flexible::{FlexibleAudit, LargestOf};
pub use summary::redundancy::{GrueblerCount, RedundancyReport, RedundantRow, SingularityDistance};
pub use summary::residual::{ConstraintAudit, Residual, SingularityMet};
pub use summary::stability::{Stability, Verdict};
pub use summary::{RunSummary, StudySummary};
pub use summary_text::line::{Judgement, SummaryLine};

pub use table::{Column, Gap, RecordError, SignalTable};
pub use vtk::write_vtk;
