//! A study is run, its results are written and told: the way that all analyses go.

use crate::chosen_study::ChosenStudy;
use crate::complaints::{study_error, unkept};
use crate::message;
use crate::output::{Output, default_folder, export_vtk, study_folder};
use crate::overrides::{forget_later, load_with};
use crate::parameters::Parameters;
use crate::progress::{Bar, catch_interrupt};
use crate::tell::tell;
use poinsot_model::Model;
use poinsot_model::study::StudyRequest;
use poinsot_results::{ResultsError, RunFolder};
use poinsot_studies::checkpoint;
use poinsot_studies::{Checkpoints, Product, RunOptions, perform};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Runs the study of a model, writes its results and tells.
pub fn carry_out(path: &Path, model: &Model, suffix: &str, output: &Output, options: RunOptions) -> ExitCode {
    let place = output.out.clone().unwrap_or_else(|| default_folder(path, suffix));
    carry_out_in(place, model, output, options).0
}

/// Runs the study of a model, writes its results into a folder and tells; with what it gave.
pub fn carry_out_in(
    place: PathBuf,
    model: &Model,
    output: &Output,
    options: RunOptions,
) -> (ExitCode, Option<Product>) {
    catch_interrupt();
    // Before anything is computed: can the results be kept?
    let opened = open_folder(place, &options.checkpoints);
    let mut folder = match opened {
        Ok(folder) => folder,
        Err(error) => return (unkept(&error), None),
    };
    let performed = perform(model, &options, &Bar::new(output.quiet));
    let mut product = match performed {
        Ok(product) => product,
        Err(error) => return (study_error(model, &error), None),
    };
    let code = match product.write(&mut folder, model, output.csv) {
        Ok(written) => {
            let exported = export_vtk(output, &product, &written.summary);
            let told = tell(output, &product, &written.summary);
            let troubles = written.troubles.into_iter().chain(exported.err());
            troubles.fold(told, |_, error| unkept(&error))
        }
        Err(error) => {
            // What cannot be kept is at least said.
            message::print_words(&product.summary.text_within(message::columns()));
            unkept(&error)
        }
    };
    (code, Some(product))
}

/// Makes the folder of a run its own.
fn open_folder(path: PathBuf, checkpoints: &Option<Checkpoints>) -> Result<RunFolder, ResultsError> {
    let mut folder = RunFolder::create(path)?;
    if checkpoints.is_some() {
        checkpoint::FILES.iter().try_for_each(|(name, _)| folder.reserve(name).map(|_| ()))?;
    }
    Ok(folder)
}

/// Loads a model and gives it the study that a command asks for; expectations of another study are left out.
pub fn analysis<R: StudyRequest>(
    word: &str,
    path: &Path,
    parameters: &Parameters,
    output: &Output,
    study: impl Fn(&Model) -> Result<R, String>,
) -> ExitCode {
    let mut model = match load_with(path, parameters) {
        Ok(model) => model,
        Err(code) => return code,
    };
    // Of several studies of the file the first one of this kind is meant, unless one is named.
    let own = model.studies().into_iter().find(|head| head.word == word).and_then(|head| head.name);
    if let (None, Some(name)) = (&parameters.chosen.study, own) {
        let chosen = ChosenStudy { study: Some(name), ..parameters.chosen.clone() };
        model = match chosen.of(model) {
            Ok(model) => model,
            Err(error) => return message::load_error(&error),
        };
    }
    let study = match study(&model) {
        Ok(study) => study,
        Err(text) => return message::bad_input(&text),
    };
    let in_file = model.study.as_ref().map(|s| s.word()) == Some(study.word());
    if !in_file {
        model.expects.clear();
    } else if let (Some(old), Some(new)) = (model.study.as_ref().and_then(|s| s.times()), study.times())
        && new.1 < old.1
    {
        forget_later(&mut model, new.1);
    }
    model.study = Some(Arc::new(study));
    if in_file {
        let place = output.out.clone().unwrap_or_else(|| study_folder(path, &model));
        return carry_out_in(place, &model, output, RunOptions::default()).0;
    }
    model.study_name = None;
    carry_out(path, &model, word, output, RunOptions::default())
}
