//! How a run is recorded and shown: the table of signals, its files, the
//! summary with its audit, the plots, and the folder that holds them.
//!
//! Nothing here knows how a run is solved; every number is handed in, and a
//! number that is not finite is refused where it would enter a record.

mod atomic_file;
mod csv_file;
mod error;
mod finite;
mod number;
mod parquet_file;
mod plot;
mod run_folder;
mod summary;
mod summary_text;
mod table;

pub use atomic_file::write_atomically;
pub use csv_file::{read_csv, write_csv};
pub use error::ResultsError;
pub use parquet_file::{read_parquet, write_parquet};
pub use plot::{EnergyHistory, PathAxes, Trajectory, plot_energy, plot_path, plot_signals};
pub use run_folder::RunFolder;
pub use summary::{
    Audit, ConstraintAudit, Counts, EnergyAudit, Expectation, FileEntry, IntegratorChoice, ModelIdentity,
    MomentumAudit, MomentumChange, Outcome, Program, Residual, RotationAudit, Start, Statistics, Status,
    Study, Summary,
};
pub use table::{Column, RecordError, SignalTable};
