//! The folder that holds the files of a run.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::artifact::Drawing;
use crate::atomic_file::{meant_by, write_atomically};
use crate::beam_shape::BeamShape;
use crate::csv_file::write_csv;
use crate::error::ResultsError;
use crate::folder_lock::{FolderLock, LOCK};
use crate::frames::Frames;
use crate::matrix_file::{MatrixFormat, MatrixSet};
use crate::mode_shapes::ModeShapes;
use crate::parquet_file::write_parquet;
use crate::plot::{
    EnergyHistory, PathAxes, Trajectory, energy_svg, mode_shapes_svg, path_svg, sheet_name, signal_svgs,
};
use crate::report::{Diagram, Payload};
use crate::reserve::{RESERVE, Reserve};
use crate::scene::Scene;
use crate::summary::RunSummary;
use crate::summary::common::FileEntry;
use crate::table::SignalTable;

/// Lists the files that runs wrote into the folder, one name a line.
const MANIFEST: &str = ".poinsot-files";

/// The folder that holds the files of a run.
///
/// A file that a run wrote may be overwritten by the next run into the same
/// folder; any other file is left alone, and a file of the same name is
/// refused rather than lost. Which files runs wrote is kept in a hidden list
/// in the folder, which is brought up to date before each file appears.
///
/// It belongs to one run at a time: a second one is refused as long as the
/// first has it. Whether it can be written to is found out when it is
/// created, before anything is computed.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// Room for the summary; given up before the lock.
    reserve: Option<Reserve>,
    lock: Option<FolderLock>,
    /// The folders that were made for it, from the innermost.
    made: Vec<PathBuf>,
    /// Names in the hidden list: this run's files and those of earlier runs.
    ours: BTreeSet<String>,
    written: Vec<FileEntry>,
    /// Files that could not be written, with the reason.
    missing: Vec<FileEntry>,
    diagrams: Vec<Diagram>,
}

impl RunFolder {
    /// Name of the summary in the folder.
    pub const SUMMARY: &'static str = "summary.json";

    /// Name of the file of whole states.
    pub const STATES: &'static str = "states.json";

    /// Creates the folder, with its parents, or takes the existing one, and makes sure that a summary can be
    /// written.
    pub fn create(path: impl Into<PathBuf>) -> Result<Self, ResultsError> {
        let path = path.into();
        if path.exists() && !path.is_dir() {
            return Err(ResultsError::NotAFolder { path });
        }
        let missing = path.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists());
        let made = missing.map(Path::to_owned).collect();
        fs::create_dir_all(&path).map_err(ResultsError::io("create the folder", &path))?;
        let mut folder = RunFolder {
            path,
            reserve: None,
            lock: None,
            made,
            ours: BTreeSet::new(),
            written: Vec::new(),
            missing: Vec::new(),
            diagrams: Vec::new(),
        };
        folder.lock = Some(FolderLock::take(&folder.path)?);
        folder.ours = read_manifest(&folder.path.join(MANIFEST))?;
        folder.remove_halves();
        folder.reserve = Some(Reserve::take(&folder.path)?);
        let summary = folder.path.join(Self::SUMMARY);
        if !folder.ours.contains(Self::SUMMARY) && summary.symlink_metadata().is_ok() {
            return Err(ResultsError::ForeignFile { path: summary });
        }
        Ok(folder)
    }

    /// Removes what runs left that were killed while they wrote a file; what cannot be removed does no harm.
    fn remove_halves(&self) {
        let ours = |name: &str| {
            let meant = if name == RESERVE { Some(name) } else { meant_by(name) };
            meant.is_some_and(|name| [MANIFEST, RESERVE].contains(&name) || self.ours.contains(name))
        };
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            if entry.file_name().to_str().is_some_and(ours) {
                fs::remove_file(entry.path()).ok();
            }
        }
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The files written so far by this run, in their order.
    pub fn files(&self) -> &[FileEntry] {
        &self.written
    }

    /// The files that could not be written so far, with the reason in place of a description.
    pub fn missing(&self) -> &[FileEntry] {
        &self.missing
    }

    /// The drawings of the study as a whole that were written so far.
    pub fn diagrams(&self) -> &[Diagram] {
        &self.diagrams
    }

    /// Writes a drawing of the study as a whole, which the page shows too.
    pub fn draw(&mut self, drawing: &dyn Drawing, heading: &str) -> Result<PathBuf, ResultsError> {
        let (file, title, svg) = (drawing.file(), drawing.title(), drawing.svg(heading)?);
        let path = self.write(file, &title, svg.as_bytes())?;
        self.diagrams.push(Diagram { file: file.into(), title, svg });
        Ok(path)
    }

    /// Writes `signals.parquet`.
    pub fn write_signals_parquet(&mut self, table: &SignalTable) -> Result<PathBuf, ResultsError> {
        let over = &table.abscissa().name;
        let description = &format!("All signals over {over}, with units (Parquet)");
        self.write_with("signals.parquet", description, |path| write_parquet(table, path))
    }

    /// Writes `signals.csv`.
    pub fn write_signals_csv(&mut self, table: &SignalTable) -> Result<PathBuf, ResultsError> {
        let description = &format!("All signals over {} (text)", table.abscissa().name);
        self.write_with("signals.csv", description, |path| write_csv(table, path))
    }

    /// Writes the shapes of a beam into `beam_NAME.parquet`, or `beam_NAME.csv`.
    pub fn write_beam_shape(&mut self, shape: &BeamShape, csv: bool) -> Result<PathBuf, ResultsError> {
        let description = format!("Shapes of the beam {} over time", shape.beam);
        let name = format!("beam_{}.{}", shape.beam, if csv { "csv" } else { "parquet" });
        self.write_with(&name, &description, |path| match csv {
            true => write_csv(&shape.table, path),
            false => write_parquet(&shape.table, path),
        })
    }

    /// Draws the signals into `signals.svg` and, if there are many, into
    /// `signals-2.svg` and so on.
    pub fn plot_signals(&mut self, table: &SignalTable, title: &str) -> Result<Vec<PathBuf>, ResultsError> {
        let first = "signals.svg";
        let sheets = signal_svgs(table, title, first)?;
        let number = sheets.len();
        let mut paths = Vec::with_capacity(number);
        for (i, svg) in sheets.into_iter().enumerate() {
            let description = match number {
                1 => "Plot of the signals".to_owned(),
                _ => format!("Plot of the signals, sheet {} of {number}", i + 1),
            };
            let name = sheet_name(first, i);
            paths.push(self.write(&name, &description, svg.as_bytes())?);
        }
        Ok(paths)
    }

    /// Draws the energies into `energy.svg`.
    pub fn plot_energy(&mut self, history: &EnergyHistory, title: &str) -> Result<PathBuf, ResultsError> {
        let svg = energy_svg(history, title)?;
        let description = "Plot of the energies and of their imbalance";
        self.write("energy.svg", description, svg.as_bytes())
    }

    /// Draws trajectories in a plane into the file `name`.
    pub fn plot_path(
        &mut self,
        name: &str,
        trajectories: &[Trajectory<'_>],
        axes: PathAxes<'_>,
        title: &str,
    ) -> Result<PathBuf, ResultsError> {
        let svg = path_svg(trajectories, axes, title)?;
        self.write(name, &format!("Plot of {title}"), svg.as_bytes())
    }

    /// Writes `scene.json`.
    pub fn write_scene(&mut self, scene: &Scene) -> Result<PathBuf, ResultsError> {
        let content = scene.json()?;
        self.write(Scene::FILE, "What there is to see, for viewers", content.as_bytes())
    }

    /// Writes `motion.parquet`.
    pub fn write_frames(&mut self, scene: &Scene, frames: &Frames) -> Result<PathBuf, ResultsError> {
        let description = "Poses of all bodies, reactions, loads and stress resultants (Parquet)";
        self.write_with(Frames::FILE, description, |path| frames.write(scene, path))
    }

    /// Writes `report.html`.
    pub fn write_report(&mut self, payload: &Payload) -> Result<PathBuf, ResultsError> {
        let page = payload.page()?;
        self.write(Payload::FILE, "Animation, plots and audit: opens by double click", page.as_bytes())
    }

    /// Writes the shapes of modes into `modes.json`.
    pub fn write_mode_shapes(&mut self, shapes: &ModeShapes) -> Result<PathBuf, ResultsError> {
        let content = shapes.json()?;
        let description = "Shapes of the modes, for viewers";
        self.write("modes.json", description, content.as_bytes())
    }

    /// Writes matrices into `stem.json`, `stem.npz` or `stem.mat`.
    pub fn write_matrices(
        &mut self,
        stem: &str,
        set: &MatrixSet,
        format: MatrixFormat,
    ) -> Result<PathBuf, ResultsError> {
        let name = format!("{stem}.{}", format.extension());
        let names: Vec<&str> = set.matrices().iter().map(|m| m.name()).collect();
        let description = format!("Matrices {} ({})", names.join(", "), format.program());
        self.write_with(&name, &description, |path| set.write(format, path))
    }

    /// Draws the shapes of the first six modes into `mode_shapes.svg`.
    pub fn plot_mode_shapes(&mut self, shapes: &ModeShapes, title: &str) -> Result<PathBuf, ResultsError> {
        let svg = mode_shapes_svg(shapes, title)?;
        self.write("mode_shapes.svg", "Plot of the shapes of the first modes", svg.as_bytes())
    }

    /// The path of a file that is written by other means while a run goes on; the summary of an earlier run
    /// is withdrawn. The file is removed at the end unless it is kept.
    pub fn reserve(&mut self, name: &str) -> Result<PathBuf, ResultsError> {
        if !is_plain(name) {
            return Err(ResultsError::FileName { name: name.into() });
        }
        self.withdraw_summary()?;
        self.claim(name)?;
        Ok(self.path.join(name))
    }

    /// Puts a name on the hidden list, unless a file of that name is somebody else's.
    fn claim(&mut self, name: &str) -> Result<(), ResultsError> {
        if self.ours.contains(name) {
            return Ok(());
        }
        let path = self.path.join(name);
        if path.symlink_metadata().is_ok() {
            return Err(ResultsError::ForeignFile { path });
        }
        self.ours.insert(name.to_owned());
        self.write_manifest().inspect_err(|_| {
            self.ours.remove(name);
        })
    }

    /// Keeps a reserved file, if it is there, among those of the run.
    pub fn keep(&mut self, name: &str, description: &str) {
        if self.ours.contains(name) && self.path.join(name).is_file() {
            self.written.retain(|file| file.name != name);
            self.written.push(FileEntry { name: name.to_owned(), description: description.to_owned() });
        }
    }

    /// Writes a file of the given content.
    pub fn write(&mut self, name: &str, description: &str, content: &[u8]) -> Result<PathBuf, ResultsError> {
        self.write_with(name, description, |path| write_atomically(path, content))
    }

    /// Writes `summary.json` with the list of files, then removes the files
    /// of earlier runs that this run did not replace. It is the last file:
    /// a folder that has it is complete.
    pub fn finish(&mut self, summary: &mut dyn RunSummary) -> Result<PathBuf, ResultsError> {
        let common = summary.common_mut();
        common.files = self.written.clone();
        common.missing = self.missing.clone();
        let content = summary.json()?;
        let description = match summary.analysis() {
            "motion" => "Outcome, statistics and audit of the run".to_owned(),
            analysis => format!("Outcome and findings of the analysis: {analysis}"),
        };
        self.reserve = None;
        let path = self.write(Self::SUMMARY, &description, content.as_bytes())?;
        self.remove_left_over()?;
        Ok(path)
    }

    /// Writes a file through `write`, which is given its path.
    fn write_with(
        &mut self,
        name: &str,
        description: &str,
        write: impl FnOnce(&Path) -> Result<(), ResultsError>,
    ) -> Result<PathBuf, ResultsError> {
        if !is_plain(name) {
            return Err(ResultsError::FileName { name: name.into() });
        }
        let path = self.path.join(name);
        if self.written.is_empty() {
            self.withdraw_summary()?;
        }
        if let Err(error) = self.claim(name).and_then(|()| write(&path)) {
            self.missing.push(FileEntry { name: name.to_owned(), description: error.to_string() });
            return Err(error);
        }
        self.written.retain(|file| file.name != name);
        self.written.push(FileEntry { name: name.to_owned(), description: description.to_owned() });
        Ok(path)
    }

    /// Removes the summary of an earlier run before its files are replaced,
    /// so that it never stands beside files it does not describe.
    fn withdraw_summary(&self) -> Result<(), ResultsError> {
        let path = self.path.join(Self::SUMMARY);
        if self.ours.contains(Self::SUMMARY) && path.is_file() {
            fs::remove_file(&path).map_err(ResultsError::io("remove", &path))?;
        }
        Ok(())
    }

    fn remove_left_over(&mut self) -> Result<(), ResultsError> {
        let current: BTreeSet<String> = self.written.iter().map(|f| f.name.clone()).collect();
        let left: Vec<&String> = self.ours.difference(&current).collect();
        // Backwards: a checkpoint goes before its rows, so that none is ever left without them.
        for name in left.into_iter().rev() {
            let path = self.path.join(name);
            if path.is_file() {
                fs::remove_file(&path).map_err(ResultsError::io("remove", &path))?;
            }
        }
        self.ours = current;
        self.write_manifest()
    }

    fn write_manifest(&self) -> Result<(), ResultsError> {
        let text: String = self.ours.iter().map(|name| format!("{name}\n")).collect();
        write_atomically(&self.path.join(MANIFEST), text.as_bytes())
    }
}

impl Drop for RunFolder {
    /// A folder that was made for nothing goes away again.
    fn drop(&mut self) {
        self.reserve = None;
        self.lock = None;
        if self.written.is_empty() {
            // Only those that are empty can be removed.
            self.made.iter().try_for_each(fs::remove_dir).ok();
        }
    }
}

/// The names in the hidden list; one that is not a plain file name, put there
/// by another hand, is passed over.
fn read_manifest(path: &Path) -> Result<BTreeSet<String>, ResultsError> {
    if !path.exists() {
        return Ok(BTreeSet::new());
    }
    let text = fs::read_to_string(path).map_err(ResultsError::io("read", path))?;
    Ok(text.lines().filter(|name| is_plain(name)).map(str::to_owned).collect())
}

/// True for the name of a file right inside the folder.
fn is_plain(name: &str) -> bool {
    let mut components = Path::new(name).components();
    let single = matches!(components.next(), Some(Component::Normal(part)) if part == name)
        && components.next().is_none();
    single && ![MANIFEST, LOCK, RESERVE].contains(&name) && !name.contains(['/', '\\', '\n', '\r'])
}
