//! Which study of a file a command is about, and where it starts.

use clap::Args;
use poinsot_model::study::InitialSpec;
use poinsot_model::{LoadError, Model};
use std::path::PathBuf;

/// Which study of the file, and where it starts.
#[derive(Args, Clone, Default)]
pub struct ChosenStudy {
    /// The study of the file, where it has several.
    #[arg(long, value_name = "NAME")]
    pub study: Option<String>,
    /// The state that it starts from: equilibrium, steady, the name of another study, or run=FOLDER or
    /// run=FOLDER@TIME.
    #[arg(long, value_name = "STATE")]
    pub initial: Option<String>,
}

impl ChosenStudy {
    /// The same as a command line.
    pub fn line(&self) -> impl Iterator<Item = String> {
        let study = self.study.iter().map(|name| format!("--study={name}"));
        let initial = self.initial.iter().map(|state| format!("--initial={state}"));
        study.chain(initial).collect::<Vec<_>>().into_iter()
    }

    /// The model with the study that was chosen, and its start.
    pub fn of(&self, model: Model) -> Result<Model, Box<LoadError>> {
        let mut model = match &self.study {
            Some(name) => model.with_study_named(name)?,
            None => model,
        };
        if let Some(state) = &self.initial {
            (model.initial, model.initial_place) = (initial(state), None);
            if let InitialSpec::Study { name, .. } = &model.initial {
                // Is it there?
                model.with_study_named(name)?;
            }
        }
        Ok(model)
    }

    /// Whether a study that the command asks for starts from another state than that of the model; `own` if
    /// it is the study of the file, which says itself what it is about.
    pub fn starts_elsewhere(&self, model: &Model, own: bool) -> bool {
        self.initial.is_some() || (!own && model.initial != InitialSpec::Modelled)
    }
}

fn initial(text: &str) -> InitialSpec {
    match (text, text.strip_prefix("run=")) {
        (_, Some(run)) => {
            let at = run.rsplit_once('@');
            let timed = at.and_then(|(folder, time)| Some((folder, time.parse().ok()?)));
            match timed {
                Some((folder, time)) => InitialSpec::Run { folder: PathBuf::from(folder), time: Some(time) },
                None => InitialSpec::Run { folder: PathBuf::from(run), time: None },
            }
        }
        ("equilibrium", _) => InitialSpec::Equilibrium,
        ("steady", _) => InitialSpec::Steady(None),
        ("modelled", _) => InitialSpec::Modelled,
        (name, _) => InitialSpec::Study { name: name.to_owned(), time: None },
    }
}
