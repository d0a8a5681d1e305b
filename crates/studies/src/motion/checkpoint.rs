//! Checkpoints of a run: files in its folder from which `poinsot resume` goes on.
//!
//! `checkpoint.bin` holds the command, the state of the motion and of the recorder; it is replaced whole or
//! not at all. The recorded rows stand in `checkpoint-rows.bin` and the frames of the scene in
//! `checkpoint-frames.bin`, to which every checkpoint appends the new ones.

use poinsot_analysis::Checkpoint;
use poinsot_model::{InputFile, Model, fnv1a, fnv1a_on};
use poinsot_results::{
    EnergyHistory, FrameCourse, FrameSize, Frames, ResultsError, SignalTable, write_atomically,
};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The names of the files, with what they are.
pub const FILES: [(&str, &str); 3] = [
    (POINT, "The last checkpoint, for `poinsot resume`"),
    (ROWS, "The rows up to the last checkpoint"),
    (FRAMES, "The frames of the scene up to the last checkpoint"),
];

const POINT: &str = "checkpoint.bin";
const ROWS: &str = "checkpoint-rows.bin";
const FRAMES: &str = "checkpoint-frames.bin";
/// The first line of the file: what it is, and the number of its form. The second is the version of the
/// program.
const FORM: &str = "poinsot checkpoint 5";
const WHAT: &str = "poinsot checkpoint ";

/// Numbers of a row besides time and signals: energies.
const ENERGIES: usize = 6;

/// What tells one run from another.
#[derive(Clone, Debug, PartialEq)]
pub struct Identity {
    /// The command line after `poinsot`.
    pub arguments: Vec<String>,
    /// Where it was given.
    pub directory: PathBuf,
    /// Hash of the text of the model.
    pub model: u64,
    /// The other files that it reads, with their hashes.
    pub files: Vec<InputFile>,
}

impl Identity {
    /// Of a command that runs a model.
    pub fn new(arguments: Vec<String>, model: &Model) -> Self {
        let directory = std::env::current_dir().unwrap_or_default();
        let hash = fnv1a(model.source.text.as_bytes());
        Identity { arguments, directory, model: hash, files: model.files.clone() }
    }

    /// The first file that is not what it was when the checkpoint was written.
    pub fn changed(&self, model: &Model) -> Option<PathBuf> {
        if fnv1a(model.source.text.as_bytes()) != self.model {
            return Some(PathBuf::from(&model.source.name));
        }
        // The folder may be named another way than before, but the files are read in the same order.
        let then = self.files.iter().map(|file| (file.path.file_name(), file.hash));
        let now = model.files.iter().map(|file| (file.path.file_name(), file.hash));
        if then.clone().eq(now.clone()) {
            return None;
        }
        let position = then.zip(now).position(|(then, now)| then != now);
        let position = position.unwrap_or(self.files.len().min(model.files.len()));
        let file = model.files.get(position).or(self.files.get(position));
        file.map(|file| file.path.clone())
    }
}

/// A hash that grows with a file: 64-bit FNV-1a.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Growing(u64);

impl Growing {
    fn add(&mut self, bytes: &[u8]) {
        self.0 = fnv1a_on(self.0, bytes);
    }
}

impl Default for Growing {
    fn default() -> Self {
        Growing(fnv1a(&[]))
    }
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
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
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

/// The entries in a file: how many, and the hash of their bytes.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Entries {
    count: usize,
    hash: Growing,
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
    rows: Entries,
    /// Frames in their file, and how far their recording had come.
    frames: Entries,
    course: FrameCourse,
    folder: PathBuf,
}

/// What stands in `checkpoint.bin` after the versions and before the hash of all that.
#[derive(Serialize, Deserialize)]
struct Point {
    arguments: Vec<String>,
    directory: String,
    model: u64,
    files: Vec<(String, u64)>,
    notes: Notes,
    rows: Entries,
    frames: Entries,
    course: FrameCourse,
    motion: Vec<u8>,
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
        let (form, rest) = line(content).filter(|(form, _)| form.starts_with(WHAT)).ok_or_else(damaged)?;
        let (version, rest) = line(rest).ok_or_else(damaged)?;
        if form != FORM || version != env!("CARGO_PKG_VERSION") {
            return Err(CheckpointError::Version(version.to_owned()));
        }
        let point = postcard::take_from_bytes::<Point>(rest).ok().filter(|(_, rest)| rest.is_empty());
        let (Point { arguments, directory, model, files, notes, rows, frames, course, motion }, _) =
            point.ok_or_else(damaged)?;
        let files = files.into_iter().map(|(path, hash)| InputFile { path: PathBuf::from(path), hash });
        let identity =
            Identity { arguments, directory: PathBuf::from(directory), model, files: files.collect() };
        Ok(Saved { identity, notes, motion, rows, frames, course, folder: folder.to_owned() })
    }

    /// The recorded frames.
    pub fn frames(&self, size: FrameSize) -> Result<Frames, CheckpointError> {
        let record = frame_bytes(size);
        let bytes = read_entries(&self.folder.join(FRAMES), &self.frames, record)?;
        let records: Vec<(usize, f64, Vec<f32>)> = bytes
            .chunks_exact(record)
            .map(|bytes| {
                let eight = |from: usize| std::array::from_fn(|k| bytes[from + k]);
                let (number, axis) = (u64::from_le_bytes(eight(0)), f64::from_le_bytes(eight(8)));
                (number as usize, axis, floats(&bytes[16..]))
            })
            .collect();
        let list = records.iter().map(|(number, axis, frame)| (*number, *axis, frame.as_slice()));
        Ok(Frames::resumed(size, self.course.clone(), list))
    }

    /// Puts the recorded rows back.
    pub fn rows(&self, table: &mut SignalTable, energy: &mut EnergyHistory) -> Result<(), CheckpointError> {
        let path = self.folder.join(ROWS);
        let width = 1 + table.columns().len() + ENERGIES;
        let bytes = read_entries(&path, &self.rows, width * 8)?;
        let numbers: Vec<f64> = bytes
            .chunks_exact(8)
            .map(|eight| f64::from_le_bytes(std::array::from_fn(|k| eight[k])))
            .collect();
        for row in numbers.chunks_exact(width) {
            let (signals, energies) = row[1..].split_at(width - 1 - ENERGIES);
            table
                .push_with_gaps(row[0], signals, 0..signals.len())
                .map_err(|_| CheckpointError::Damaged(path.clone()))?;
            energy.time.push(row[0]);
            lists(energy).into_iter().zip(energies).for_each(|(list, value)| list.push(*value));
        }
        Ok(())
    }
}

/// The first line, and what follows it.
fn line(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    Some((std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..]))
}

/// The entries of a file, each of so many bytes; they must be as they were written.
fn read_entries(path: &Path, entries: &Entries, size: usize) -> Result<Vec<u8>, CheckpointError> {
    let damaged = || CheckpointError::Damaged(path.to_owned());
    let length = entries.count.checked_mul(size).ok_or_else(damaged)?;
    let mut bytes = vec![];
    File::open(path)
        .and_then(|file| file.take(length as u64).read_to_end(&mut bytes))
        .map_err(|error| CheckpointError::Read { path: path.to_owned(), error })?;
    let mut hash = Growing::default();
    hash.add(&bytes);
    if bytes.len() != length || hash != entries.hash {
        return Err(damaged());
    }
    Ok(bytes)
}

/// Bytes of a frame with its number and the value of the axis.
fn frame_bytes(size: FrameSize) -> usize {
    16 + 4 * size.width()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|four| f32::from_le_bytes(std::array::from_fn(|k| four[k]))).collect()
}

fn float_bytes(values: &[f32]) -> impl Iterator<Item = u8> + '_ {
    values.iter().flat_map(|x| x.to_le_bytes())
}

/// The energies beside the time.
fn lists(energy: &mut EnergyHistory) -> [&mut Vec<f64>; ENERGIES] {
    let EnergyHistory { kinetic, potential, total, supplied, dissipated, imbalance, .. } = energy;
    [kinetic, potential, total, supplied, dissipated, imbalance]
}

/// Writes checkpoints into a folder.
#[derive(Debug)]
pub struct Keeper {
    identity: Identity,
    point: PathBuf,
    rows: Appended,
    frames: Appended,
    /// Number of the next frame to be written, among those offered.
    next_frame: usize,
}

/// A file that grows, with the entries in it.
#[derive(Debug)]
struct Appended {
    file: File,
    path: PathBuf,
    entries: Entries,
}

impl Appended {
    /// With the first entries of a file that may be there, each of so many bytes.
    fn open(path: PathBuf, entries: Entries, size: usize) -> Result<Self, ResultsError> {
        let fail = |error: std::io::Error| ResultsError::io("write", &path)(error);
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(fail)?;
        file.set_len((entries.count * size) as u64).map_err(fail)?;
        Ok(Appended { file, path, entries })
    }

    /// Adds entries; they are on disk before the checkpoint that counts them.
    fn add(&mut self, bytes: &[u8], entries: usize) -> Result<(), ResultsError> {
        self.file
            .write_all(bytes)
            .and_then(|()| self.file.sync_data())
            .map_err(|error| ResultsError::io("write", &self.path)(error))?;
        self.entries.count += entries;
        self.entries.hash.add(bytes);
        Ok(())
    }
}

/// What a recorder has.
pub struct Recorded<'a> {
    /// The signals.
    pub table: &'a SignalTable,
    /// The energies.
    pub energy: &'a EnergyHistory,
    /// Where everything is.
    pub frames: &'a Frames,
}

impl Keeper {
    /// For a new run, or one that goes on after `from` with what is recorded up to there. The names of the
    /// files are reserved.
    pub fn new(
        folder: &Path,
        identity: Identity,
        from: Option<&Saved>,
        recorded: &Recorded,
    ) -> Result<Self, ResultsError> {
        let (point, rows, frames) = (folder.join(POINT), folder.join(ROWS), folder.join(FRAMES));
        if from.is_none() && point.exists() {
            std::fs::remove_file(&point).map_err(|e| ResultsError::io("remove", &point)(e))?;
        }
        let width = 1 + recorded.table.columns().len() + ENERGIES;
        let rows = Appended::open(rows, from.map_or_else(Entries::default, |saved| saved.rows), 8 * width)?;
        let size = frame_bytes(recorded.frames.size());
        let frames = Appended::open(frames, from.map_or_else(Entries::default, |saved| saved.frames), size)?;
        let next_frame = from.map_or(0, |saved| saved.course.offered);
        Ok(Keeper { identity, point, rows, frames, next_frame })
    }

    /// Writes a checkpoint.
    pub fn write(&mut self, at: &Checkpoint, notes: &Notes, recorded: &Recorded) -> Result<(), ResultsError> {
        self.append_rows(recorded)?;
        self.append_frames(recorded.frames)?;
        let Identity { arguments, directory, model, files } = &self.identity;
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let point = Point {
            arguments: arguments.clone(),
            directory: text(directory),
            model: *model,
            files: files.iter().map(|file| (text(&file.path), file.hash)).collect(),
            notes: notes.clone(),
            rows: self.rows.entries,
            frames: self.frames.entries,
            course: recorded.frames.course(),
            motion: at.bytes().to_vec(),
        };
        let point = postcard::to_stdvec(&point).expect("writing to memory does not fail");
        let mut bytes = format!("{FORM}\n{}\n", env!("CARGO_PKG_VERSION")).into_bytes();
        bytes.extend(point);
        bytes.extend(fnv1a(&bytes).to_le_bytes());
        write_atomically(&self.point, &bytes)
    }

    /// The rows since the last checkpoint.
    fn append_rows(&mut self, Recorded { table, energy, .. }: &Recorded) -> Result<(), ResultsError> {
        let mut bytes = vec![];
        let lists = [
            &energy.kinetic,
            &energy.potential,
            &energy.total,
            &energy.supplied,
            &energy.dissipated,
            &energy.imbalance,
        ];
        for row in self.rows.entries.count..table.len() {
            bytes.extend(table.time()[row].to_le_bytes());
            for column in 0..table.columns().len() {
                let value = table.samples(column).map_or(f64::NAN, |samples| samples[row]);
                bytes.extend(value.to_le_bytes());
            }
            lists.iter().for_each(|list| bytes.extend(list[row].to_le_bytes()));
        }
        self.rows.add(&bytes, table.len() - self.rows.entries.count)
    }

    /// The frames since the last checkpoint.
    fn append_frames(&mut self, frames: &Frames) -> Result<(), ResultsError> {
        let (mut bytes, mut count) = (vec![], 0);
        for (number, axis, frame) in frames.offered_from(self.next_frame) {
            bytes.extend((number as u64).to_le_bytes());
            bytes.extend(axis.to_le_bytes());
            bytes.extend(float_bytes(frame));
            count += 1;
        }
        self.next_frame = frames.offered();
        self.frames.add(&bytes, count)
    }
}
