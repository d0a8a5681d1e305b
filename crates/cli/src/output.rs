//! Where the results of an analysis go, and what is said of them.

use crate::commands::render::export;
use crate::message;
use crate::overrides::STANDARD_INPUT;
use clap::Args;
use poinsot_model::Model;
use poinsot_results::ResultsError;
use poinsot_studies::Product;
use std::path::{Path, PathBuf};

/// Where results go and what is said; the same for all analyses.
#[derive(Args, Clone)]
pub struct Output {
    /// Folder for the results; default runs/MODEL, with the name of the analysis for those that are not in
    /// the file. Several studies of a file have each a folder of its name in it.
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Also write signals.csv.
    #[arg(long)]
    pub csv: bool,
    /// Also write the frames for ParaView, into the folder vtk of the results.
    #[arg(long)]
    pub vtk: bool,
    /// Print summary.json instead of the audit.
    #[arg(long)]
    pub json: bool,
    /// No progress bar and no audit.
    #[arg(long, short)]
    pub quiet: bool,
}

/// Writes the frames for ParaView beside the summary, if that is wanted.
pub fn export_vtk(output: &Output, product: &Product, summary: &Path) -> Result<(), ResultsError> {
    if let (true, Some((scene, frames))) = (output.vtk, product.scene()) {
        let told = export(scene, frames, &summary.with_file_name("vtk"))?;
        if !output.quiet && !output.json {
            message::print(&told);
        }
    }
    Ok(())
}

/// Folder of the study at hand: that of the model, and in it one of its name where the file has several.
pub fn study_folder(path: &Path, model: &Model) -> PathBuf {
    let folder = default_folder(path, "");
    match &model.study_name {
        Some(name) if model.studies().len() > 1 => folder.join(name),
        _ => folder,
    }
}

/// Folder of results where none is given.
pub fn default_folder(model: &Path, suffix: &str) -> PathBuf {
    let mut name = match model == Path::new(STANDARD_INPUT) {
        true => "stdin".into(),
        false => model.file_stem().unwrap_or(model.as_os_str()).to_owned(),
    };
    if !suffix.is_empty() {
        name.push("-");
        name.push(suffix);
    }
    Path::new("runs").join(name)
}
