//! Changes to a model from the command line.

use crate::complaints::study_error;
use crate::message;
use crate::numbers::positive;
use crate::parameters::Parameters;
use crate::progress::Bar;
use crate::setting_flags::{SettingFlags, flag, flags};
use clap::Args;
use poinsot_integrators::{Given, SettingError, Tolerance, Value, integrators};
use poinsot_model::Model;
use poinsot_model::spec::{IntegratorSpec, MotionSpec, PaceSpec};
use poinsot_studies::kinematics::KinematicsSpec;
use poinsot_studies::settled;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Changes to a model from the command line.
#[derive(Args, Clone, Default)]
pub struct Overrides {
    #[command(flatten)]
    pub parameters: Parameters,
    /// End time (s).
    #[arg(long, value_name = "TIME")]
    pub until: Option<f64>,
    /// Fixed steps of this length (s).
    #[arg(long, value_name = "TIME", conflicts_with = "adaptive")]
    pub step: Option<f64>,
    /// Steps as long as the tolerance allows, with an integrator that estimates its errors.
    #[arg(long)]
    pub adaptive: bool,
    /// Tolerance of adaptive steps, relative and absolute.
    #[arg(long, value_name = "TOLERANCE")]
    pub tolerance: Option<f64>,
    /// Integrator by name (see `poinsot integrators`).
    #[arg(long, value_name = "NAME")]
    pub integrator: Option<String>,
    /// Settings of the integrator.
    #[command(flatten)]
    pub settings: SettingFlags,
}

/// The path that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// Loads a model and applies the overrides; complains and gives the exit code if that fails.
pub fn load(path: &Path, overrides: &Overrides) -> Result<Model, ExitCode> {
    let mut model = load_file(path, &overrides.parameters)?;
    overrides.apply(&mut model).map_err(|text| message::bad_input(&text))?;
    Ok(model)
}

/// Loads a model file, or what standard input holds where the path is `-`, with the study that was chosen.
fn load_file(path: &Path, parameters: &Parameters) -> Result<Model, ExitCode> {
    let loaded = match path == Path::new(STANDARD_INPUT) {
        false => poinsot_studies::load(path, &parameters.set),
        true => {
            let text = std::io::read_to_string(std::io::stdin())
                .map_err(|error| message::bad_input(&format!("cannot read standard input: {error}")))?;
            poinsot_studies::load_str("standard input", &text, &parameters.set)
        }
    };
    let (model, diagnostics) = loaded.map_err(|e| message::load_error(&e))?;
    message::warnings(&model.source, &diagnostics);
    parameters.chosen.of(model).map_err(|e| message::load_error(&e))
}

/// Loads a model whose motion is run many times, with its motion: the study that it starts from runs once.
/// `only` says what is done with motions alone.
pub fn load_motion(
    path: &Path,
    parameters: &Parameters,
    until: Option<f64>,
    only: &str,
) -> Result<(Model, MotionSpec), ExitCode> {
    let overrides = Overrides { parameters: parameters.clone(), until, ..Overrides::default() };
    let model = load(path, &overrides)?;
    let model = match settled(&model, &Bar::new(true)) {
        Ok(found) => found.into_owned(),
        Err(error) => return Err(study_error(&model, &error)),
    };
    match model.motion().cloned() {
        Some(study) => Ok((model, study)),
        None => {
            Err(message::bad_input(&format!("only motions {only}: the model needs a [study] of a motion")))
        }
    }
}

/// Loads a model with parameters set.
pub fn load_with(path: &Path, parameters: &Parameters) -> Result<Model, ExitCode> {
    load(path, &Overrides { parameters: parameters.clone(), ..Overrides::default() })
}

/// Loads a model with parameters set, without its expectations.
pub fn load_bare(path: &Path, parameters: &Parameters) -> Result<Model, ExitCode> {
    let mut model = load_with(path, parameters)?;
    model.expects.clear();
    Ok(model)
}

impl Overrides {
    /// The same as a command line.
    pub fn line(&self) -> Vec<String> {
        let mut line = vec![];
        line.extend(self.parameters.chosen.line());
        for (name, value) in &self.parameters.set {
            line.push(format!("--set={name}={value}"));
        }
        let numbers = [("--until", self.until), ("--step", self.step), ("--tolerance", self.tolerance)];
        line.extend(numbers.iter().filter_map(|(flag, value)| value.map(|value| format!("{flag}={value}"))));
        line.extend(self.integrator.iter().map(|name| format!("--integrator={name}")));
        line.extend(self.settings.0.iter().map(|(key, value)| format!("--{}={value}", flag(key))));
        line.extend(self.adaptive.then(|| "--adaptive".into()));
        line
    }

    /// Whether the study itself is to change.
    pub fn changes_study(&self) -> bool {
        self.integrates() || self.until.is_some() || self.step.is_some()
    }

    /// Whether the integration itself is to change.
    fn integrates(&self) -> bool {
        self.changes_integrator() || self.tolerance.is_some() || self.adaptive
    }

    /// Whether another integrator or other settings of it are asked for.
    fn changes_integrator(&self) -> bool {
        self.integrator.is_some() || !self.settings.0.is_empty()
    }

    /// Changes a model.
    pub fn apply(&self, model: &mut Model) -> Result<(), String> {
        if model.study.is_none()
            && let (Some(end), true) = (self.until, self.step.is_some() || self.adaptive)
        {
            model.study = Some(Arc::new(MotionSpec::new(end, self.step.unwrap_or(end))));
        }
        let Some(study) = &model.study else { return Ok(()) };
        if let Some(motion) = study.of::<MotionSpec>() {
            let mut motion = motion.clone();
            self.change_motion(&mut motion)?;
            motion.settle(!model.beams.is_empty());
            model.study = Some(Arc::new(motion));
        } else if let (Some(kinematics), false) = (study.of::<KinematicsSpec>(), self.integrates()) {
            let mut kinematics = kinematics.clone();
            set_end(self.until, kinematics.start, &mut kinematics.end)?;
            set_step(self.step, &mut kinematics.step)?;
            model.study = Some(Arc::new(kinematics));
        } else if self.changes_study() {
            return Err(format!(
                "--until, --step, --adaptive, --tolerance, --integrator and its settings ({}) are for motions; \
                 the study is of type {}",
                flags(),
                study.word()
            ));
        } else {
            return Ok(());
        }
        if let Some(end) = self.until {
            forget_later(model, end);
        }
        Ok(())
    }

    fn change_motion(&self, study: &mut MotionSpec) -> Result<(), String> {
        set_end(self.until, study.start, &mut study.end)?;
        if let Some(integrator) = self.integrator(&study.integrator)? {
            study.integrator = integrator;
        }
        if let Some(tolerance) = self.tolerance {
            positive("--tolerance", tolerance)?;
            study.tolerance = Some(Tolerance::both(tolerance));
        }
        if let Some(step) = self.step {
            positive("--step", step)?;
            study.pace = PaceSpec::Fixed { step };
        } else if self.adaptive && study.step().is_some() {
            study.pace = PaceSpec::Adaptive { first: None, longest: None };
        }
        let name = study.integrator.name;
        if study.step().is_none() && !study.integrator.estimates_errors() {
            let able: Vec<&str> =
                integrators().iter().filter(|i| i.is_adaptive()).map(|i| i.name()).collect();
            return Err(format!(
                "the integrator {name} cannot choose its steps: give --step, or --integrator {}",
                able.join(", ")
            ));
        }
        let uses = study.step().is_none() || study.integrator.has_tolerance();
        if self.tolerance.is_some() && !uses {
            return Err(format!("--tolerance is not used by {name} with fixed steps"));
        }
        Ok(())
    }

    /// The integrator of the file with the changes of the command line, if there are any. What belongs to an
    /// integrator of another family is forgotten.
    fn integrator(&self, old: &IntegratorSpec) -> Result<Option<IntegratorSpec>, String> {
        if !self.changes_integrator() {
            return Ok(None);
        }
        let said = &self.settings.0;
        let complain = |error: SettingError| {
            let help = error.help.map_or(String::new(), |help| format!("; {help}"));
            format!("--{}: {}{help}", flag(error.key), error.message)
        };
        let resolve = |given: &Given| match &self.integrator {
            Some(name) => IntegratorSpec::named(name, given).map_err(complain),
            None => old.with(given).map_err(complain),
        };
        let (bare, _) = resolve(&Given::default())?;
        let given = kept(&bare, old, self.integrator.is_some()).chain(said.iter()).collect();
        let (spec, unused) = resolve(&given)?;
        match unused.iter().find(|key| said.get(key).is_some()) {
            Some(key) => Err(format!("--{}: the integrator {} does not use it", flag(key), spec.name)),
            None => Ok(Some(spec)),
        }
    }
}

/// What was given for an integrator and goes on to another one of its family; `named` says that this one has
/// been named anew.
fn kept(
    new: &IntegratorSpec,
    old: &IntegratorSpec,
    named: bool,
) -> impl Iterator<Item = (&'static str, Value)> {
    let same_family = new.entry().family() == old.entry().family();
    let settings = new.entry().settings();
    let goes_on = move |(key, value): &(&'static str, Value)| {
        let setting = settings.iter().find(|setting| setting.key == *key);
        setting.is_some_and(|setting| {
            let known = value.word().is_none_or(|word| setting.words().iter().any(|own| own.word == word));
            known && !(named && setting.of_the_file)
        })
    };
    old.given.iter().filter(move |_| same_family).filter(goes_on)
}

/// Takes the end from the command line, if it is there.
pub fn set_end(until: Option<f64>, start: f64, end: &mut f64) -> Result<(), String> {
    match until {
        Some(until) if !until.is_finite() || until <= start => {
            Err(format!("--until {until} does not lie after the start at {start}"))
        }
        until => {
            *end = until.unwrap_or(*end);
            Ok(())
        }
    }
}

/// Takes the step from the command line, if it is there.
pub fn set_step(by: Option<f64>, step: &mut f64) -> Result<(), String> {
    if let Some(by) = by {
        positive("--step", by)?;
        *step = by;
    }
    Ok(())
}

/// What lies beyond a new end cannot be measured.
pub fn forget_later(model: &mut Model, end: f64) {
    model.expects.retain(|e| e.at.is_some_and(|at| at <= end));
}
