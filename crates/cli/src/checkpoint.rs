//! Checkpoints of a run: files in its folder from which `poinsot resume` goes on.
//!
//! `checkpoint.bin` holds the command, the state of the motion and of the recorder; it is replaced whole or not at all.
//! The recorded rows stand in `checkpoint-rows.bin`, to which every checkpoint appends the new ones.

use poinsot_analysis::Checkpoint;
use poinsot_analysis::bytes::{Decoder, Encoder};
use poinsot_results::{EnergyHistory, ResultsError, RunFolder, SignalTable, write_atomically};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The names of both files, with what they are.
pub const FILES: [(&str, &str); 2] =
    [(POINT, "The last checkpoint, for `poinsot resume`"), (ROWS, "The rows up to the last checkpoint")];

const POINT: &str = "checkpoint.bin";
const ROWS: &str = "checkpoint-rows.bin";
const MAGIC: &str = "poinsot checkpoint 1";

/// Numbers of a row besides time and signals: energies.
const ENERGIES: usize = 6;

/// 64-bit FNV-1a: tells whether a file is whole, and two model files apart.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// What tells one run from another.
#[derive(Clone, Debug, PartialEq)]
pub struct Identity {
    /// The command line after `poinsot`.
    pub arguments: Vec<String>,
    /// Where it was given.
    pub directory: PathBuf,
    /// Hash of the text of the model.
    pub model: u64,
}

/// Why a run cannot be taken up again.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// There is no checkpoint.
    #[error("there is nothing to resume in {}: it has no {POINT}", .0.display())]
    Missing(PathBuf),
    /// A file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A file is cut off or damaged.
    #[error("{} is cut off or damaged: run the model anew", .0.display())]
    Damaged(PathBuf),
    /// It was written by another program.
    #[error("the checkpoint was written by poinsot {0}, this is {version}: run the model anew", version = env!("CARGO_PKG_VERSION"))]
    Version(String),
}

/// What the recorder has besides its rows.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// Values of expectations whose time has come.
    pub measured: Vec<Option<f64>>,
    /// Values of the others at the last sample.
    pub latest: Vec<f64>,
    /// Parameters that events have set.
    pub changes: Vec<(String, f64)>,
    /// Time that the run has taken (s).
    pub wall: f64,
}

/// A checkpoint that has been read.
#[derive(Debug)]
pub struct Saved {
    /// The run.
    pub identity: Identity,
    /// Of the recorder.
    pub notes: Notes,
    /// Of the motion.
    pub motion: Vec<u8>,
    rows: usize,
    folder: PathBuf,
}

impl Saved {
    /// Reads the checkpoint of a folder.
    pub fn read(folder: &Path) -> Result<Saved, CheckpointError> {
        let path = folder.join(POINT);
        if !path.exists() {
            return Err(CheckpointError::Missing(folder.to_owned()));
        }
        let bytes =
            std::fs::read(&path).map_err(|error| CheckpointError::Read { path: path.clone(), error })?;
        let damaged = || CheckpointError::Damaged(path.clone());
        let (content, sum) = bytes.split_last_chunk::<8>().ok_or_else(damaged)?;
        if fnv1a(content) != u64::from_le_bytes(*sum) {
            return Err(damaged());
        }
        let mut d = Decoder::new(content);
        let (magic, version) = d.text().zip(d.text()).ok_or_else(damaged)?;
        if magic != MAGIC || version != env!("CARGO_PKG_VERSION") {
            return Err(CheckpointError::Version(version));
        }
        Self::take(&mut d, folder).filter(|_| d.is_at_end()).ok_or_else(damaged)
    }

    fn take(d: &mut Decoder, folder: &Path) -> Option<Saved> {
        let arguments = d.list(|d| d.text())?;
        let directory = PathBuf::from(d.text()?);
        let model = d.count()? as u64;
        let notes = Notes {
            measured: d.list(|d| d.optional())?,
            latest: d.numbers()?,
            changes: d.list(|d| Some((d.text()?, d.number()?)))?,
            wall: d.number()?,
        };
        let (rows, motion) = (d.count()?, d.bytes()?.to_vec());
        let identity = Identity { arguments, directory, model };
        Some(Saved { identity, notes, motion, rows, folder: folder.to_owned() })
    }

    /// Puts the recorded rows back.
    pub fn rows(&self, table: &mut SignalTable, energy: &mut EnergyHistory) -> Result<(), CheckpointError> {
        let path = self.folder.join(ROWS);
        let width = 1 + table.columns().len() + ENERGIES;
        let mut bytes = vec![];
        let length = (self.rows * width * 8) as u64;
        File::open(&path)
            .and_then(|file| file.take(length).read_to_end(&mut bytes))
            .map_err(|error| CheckpointError::Read { path: path.clone(), error })?;
        if bytes.len() as u64 != length {
            return Err(CheckpointError::Damaged(path));
        }
        let numbers: Vec<f64> = bytes
            .chunks_exact(8)
            .map(|eight| f64::from_le_bytes(std::array::from_fn(|k| eight[k])))
            .collect();
        for row in numbers.chunks_exact(width) {
            let (signals, energies) = row[1..].split_at(width - 1 - ENERGIES);
            table.push(row[0], signals).map_err(|_| CheckpointError::Damaged(path.clone()))?;
            energy.time.push(row[0]);
            lists(energy).into_iter().zip(energies).for_each(|(list, value)| list.push(*value));
        }
        Ok(())
    }
}

/// The energies beside the time.
fn lists(energy: &mut EnergyHistory) -> [&mut Vec<f64>; ENERGIES] {
    let EnergyHistory { kinetic, potential, total, supplied, dissipated, imbalance, .. } = energy;
    [kinetic, potential, total, supplied, dissipated, imbalance]
}

/// Removes what a run left that was killed while it wrote a checkpoint; what cannot be removed does no harm.
fn remove_halves(folder: &Path) {
    let half = |name: &str| name.starts_with(&format!(".{POINT}.")) && name.ends_with(".tmp");
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(half) {
            std::fs::remove_file(entry.path()).ok();
        }
    }
}

/// Writes checkpoints into a folder.
#[derive(Debug)]
pub struct Keeper {
    identity: Identity,
    point: PathBuf,
    rows: File,
    path: PathBuf,
    /// Rows in the file.
    written: usize,
}

impl Keeper {
    /// For a new run, or one that goes on after `from`.
    pub fn new(
        folder: &Path,
        identity: Identity,
        from: Option<(&Saved, &SignalTable)>,
    ) -> Result<Self, ResultsError> {
        let mut folder = RunFolder::create(folder)?;
        let (point, path) = (folder.reserve(POINT)?, folder.reserve(ROWS)?);
        remove_halves(folder.path());
        let fail = |error: std::io::Error| ResultsError::io("write", &path)(error);
        if from.is_none() && point.exists() {
            std::fs::remove_file(&point).map_err(|e| ResultsError::io("remove", &point)(e))?;
        }
        let rows = OpenOptions::new().create(true).append(true).open(&path).map_err(fail)?;
        let written = from.map_or(0, |(saved, _)| saved.rows);
        let width = from.map_or(0, |(_, table)| 1 + table.columns().len() + ENERGIES);
        rows.set_len((written * width * 8) as u64).map_err(fail)?;
        Ok(Keeper { identity, point, rows, path, written })
    }

    /// Writes a checkpoint.
    pub fn write(
        &mut self,
        at: &Checkpoint,
        notes: &Notes,
        table: &SignalTable,
        energy: &EnergyHistory,
    ) -> Result<(), ResultsError> {
        self.append(table, energy)?;
        let mut e = Encoder::new();
        e.text(MAGIC);
        e.text(env!("CARGO_PKG_VERSION"));
        e.list(&self.identity.arguments, |e, argument| e.text(argument));
        e.text(&self.identity.directory.to_string_lossy());
        e.count(self.identity.model as usize);
        e.list(&notes.measured, |e, value| e.optional(*value));
        e.numbers(&notes.latest);
        e.list(&notes.changes, |e, (name, value)| {
            e.text(name);
            e.number(*value);
        });
        e.number(notes.wall);
        e.count(self.written);
        e.bytes(at.bytes());
        let mut bytes = e.into_bytes();
        bytes.extend(fnv1a(&bytes).to_le_bytes());
        write_atomically(&self.point, &bytes)
    }

    /// The rows since the last checkpoint, on disk before the checkpoint that counts them.
    fn append(&mut self, table: &SignalTable, energy: &EnergyHistory) -> Result<(), ResultsError> {
        let mut bytes = vec![];
        let lists = [
            &energy.kinetic,
            &energy.potential,
            &energy.total,
            &energy.supplied,
            &energy.dissipated,
            &energy.imbalance,
        ];
        for row in self.written..table.len() {
            bytes.extend(table.time()[row].to_le_bytes());
            for column in 0..table.columns().len() {
                let value = table.samples(column).map_or(f64::NAN, |samples| samples[row]);
                bytes.extend(value.to_le_bytes());
            }
            lists.iter().for_each(|list| bytes.extend(list[row].to_le_bytes()));
        }
        self.rows
            .write_all(&bytes)
            .and_then(|()| self.rows.sync_data())
            .map_err(|error| ResultsError::io("write", &self.path)(error))?;
        self.written = table.len();
        Ok(())
    }
}
