//! `poinsot equations`: the equations of a model in symbols, for people and for other programs.

use crate::complaints::study_error;
use crate::message;
use crate::overrides::{Overrides, load};
use clap::{Args, ValueEnum};
use poinsot_model::{Model, Symbols, build};
use poinsot_studies::StudyError;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Print the equations of a model in symbols: listing, LaTeX, functions for GNU Octave and MATLAB,
/// structure.
#[derive(Args)]
#[command(after_help = "\
Examples:
  poinsot equations motor.ldae
  poinsot equations motor.ldae --format latex --out motor.tex
  poinsot equations motor.ldae --format octave --out matlab
  poinsot equations motor.ldae --format structure")]
pub struct Arguments {
    /// The model file; `-` reads it from standard input.
    model: PathBuf,
    /// What to print.
    #[arg(long, value_enum, default_value_t = Format::Listing)]
    format: Format,
    /// Folder for the files of the format octave, otherwise the file to write to.
    #[arg(long)]
    out: Option<PathBuf>,
    #[command(flatten)]
    overrides: Overrides,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line for each equation; `y_ddt` is the rate of `y`.
    Listing,
    /// An environment `align` for LaTeX.
    Latex,
    /// Residual and Jacobians as functions for GNU Octave and MATLAB, in two files.
    Octave,
    /// Which equation determines which unknown, and the index of every unknown.
    Structure,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> ExitCode {
    let model = match load(&arguments.model, &arguments.overrides) {
        Ok(model) => model,
        Err(code) => return code,
    };
    let symbols = match Symbols::of(&model) {
        Ok(symbols) => symbols,
        Err(error) => return message::bad_input(&error.to_string()),
    };
    let text = match arguments.format {
        Format::Listing => symbols.listing(),
        Format::Latex => symbols.latex(),
        Format::Octave => return octave(&symbols, arguments.out.as_deref().unwrap_or(Path::new("."))),
        Format::Structure => match structure(&model, &symbols) {
            Ok(text) => text,
            Err(code) => return code,
        },
    };
    match &arguments.out {
        None => message::print(&text),
        Some(path) => write(path, &text),
    }
}

fn write(path: &Path, text: &str) -> ExitCode {
    match std::fs::write(path, text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => message::bad_input(&format!("cannot write {}: {error}", path.display())),
    }
}

fn octave(symbols: &Symbols, folder: &Path) -> ExitCode {
    let files = match symbols.octave() {
        Ok(files) => files,
        Err(error) => return message::bad_input(&error.to_string()),
    };
    if let Err(error) = std::fs::create_dir_all(folder) {
        return message::bad_input(&format!("cannot make {}: {error}", folder.display()));
    }
    let mut text = String::new();
    for (name, content) in [&files.residual, &files.jacobian] {
        let path = folder.join(name);
        if let Err(error) = std::fs::write(&path, content) {
            return message::bad_input(&format!("cannot write {}: {error}", path.display()));
        }
        text += &format!("{}\n", path.display());
    }
    message::print(&text)
}

/// A line for each equation: the unknown it determines, its index, the equation.
fn structure(model: &Model, symbols: &Symbols) -> Result<String, ExitCode> {
    let (system, _) =
        build(model).map_err(|error| study_error(model, &StudyError::Model(Box::new(error))))?;
    let [network] = system.networks() else {
        return Err(message::bad_input("the model has no equations of first order"));
    };
    let variable_of = network.law.matching().map_err(|error| message::bad_input(&error.to_string()))?;
    let indices: Vec<usize> = (0..symbols.unknowns.len()).map(|j| network.index(j)).collect();
    let largest = indices.iter().copied().max().unwrap_or(0);
    let rates = (0..indices.len()).filter(|&j| !network.is_algebraic(j)).count();
    let mut text = format!(
        "{} unknowns, {rates} of them with a rate; structural index {largest}\n\n{:<16} {:>5}  determined by\n",
        indices.len(),
        "unknown",
        "index"
    );
    let listing = symbols.listing();
    let lines: Vec<&str> = listing.lines().filter(|line| line.starts_with("0 = ")).collect();
    for (j, unknown) in symbols.unknowns.iter().enumerate() {
        let equation = variable_of.iter().position(|&variable| variable == j).map_or("", |k| lines[k]);
        text += &format!("{unknown:<16} {:>5}  {equation}\n", indices[j]);
    }
    text += match largest {
        0 | 1 => "\nNo equation has to be differentiated for the unknowns.\n",
        2 => {
            "\nIndex 2: equations are differentiated once; Radau IIA and BDF solve it, errors of index-2 unknowns are judged by h.\n"
        }
        _ => "\nIndex 3: the stabilised form (φ = 0 with φ̇ = 0) is solved more accurately.\n",
    };
    Ok(text)
}
