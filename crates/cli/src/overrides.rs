//! Changes to a model from the command line.

use crate::message;
use clap::Args;
use poinsot_integrators::{Method, Tolerance};
use poinsot_model::Model;
use poinsot_model::spec::{
    BodyCoordinates, Form, IntegratorKey, IntegratorName, IntegratorRequest, IntegratorSpec, MotionSpec,
    PaceSpec, integrators,
};
use poinsot_studies::kinematics::KinematicsSpec;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Changes to a model from the command line.
#[derive(Args, Clone, Default)]
pub struct Overrides {
    /// Set a parameter, e.g. --set L=0.5; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub set: Vec<(String, String)>,
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
    /// Number of stages of radau, gauss, lobatto or galerkin.
    #[arg(long, value_name = "N")]
    pub stages: Option<usize>,
    /// How the constraints are imposed (see `poinsot integrators`).
    #[arg(long, visible_alias = "constraints", value_name = "FORM", value_parser = clap::builder::PossibleValuesParser::new(Form::WORDS))]
    pub form: Option<String>,
    /// Unknowns of rigid bodies in structure-preserving steps.
    #[arg(long, value_name = "WORD", value_parser = clap::builder::PossibleValuesParser::new(BodyCoordinates::WORDS))]
    pub coordinates: Option<String>,
    /// Stiffness of the penalty in structure-preserving steps.
    #[arg(long, value_name = "STIFFNESS")]
    pub penalty: Option<f64>,
    /// Numerical dissipation of energy-momentum, from 0 upwards.
    #[arg(long, value_name = "CHI")]
    pub dissipation: Option<f64>,
    /// Gauss points of averaged-gradient.
    #[arg(long, value_name = "N")]
    pub points: Option<usize>,
    /// Parameter of the integrator, between 0 and 1.
    #[arg(long, value_name = "RHO")]
    pub rho: Option<f64>,
}

/// A setting NAME=VALUE.
pub fn parse_setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().into(), value.trim().into())),
        _ => Err(format!("`{text}` is not of the form NAME=VALUE")),
    }
}

/// Loads a model and applies the overrides; complains and gives the exit code if that fails.
pub fn load(path: &Path, overrides: &Overrides) -> Result<Model, ExitCode> {
    let (mut model, diagnostics) =
        poinsot_studies::load(path, &overrides.set).map_err(|e| message::load_error(&e))?;
    message::warnings(&model.source, &diagnostics);
    overrides.apply(&mut model).map_err(|text| message::bad_input(&text))?;
    Ok(model)
}

impl Overrides {
    /// The same as a command line.
    pub fn line(&self) -> Vec<String> {
        let mut line = vec![];
        for (name, value) in &self.set {
            line.push(format!("--set={name}={value}"));
        }
        let numbers = [
            ("--until", self.until),
            ("--step", self.step),
            ("--tolerance", self.tolerance),
            ("--rho", self.rho),
            ("--stages", self.stages.map(|stages| stages as f64)),
            ("--penalty", self.penalty),
            ("--dissipation", self.dissipation),
            ("--points", self.points.map(|points| points as f64)),
        ];
        line.extend(numbers.iter().filter_map(|(flag, value)| value.map(|value| format!("{flag}={value}"))));
        let words = [
            ("--integrator", &self.integrator),
            ("--form", &self.form),
            ("--coordinates", &self.coordinates),
        ];
        line.extend(
            words.iter().filter_map(|(flag, word)| word.as_ref().map(|word| format!("{flag}={word}"))),
        );
        line.extend(self.adaptive.then(|| "--adaptive".into()));
        line
    }

    /// Whether the integration itself is to change.
    fn integrates(&self) -> bool {
        self.changes_integrator() || self.tolerance.is_some() || self.adaptive
    }

    /// Whether another integrator or other settings of it are asked for.
    fn changes_integrator(&self) -> bool {
        self.integrator.is_some()
            || self.form.is_some()
            || self.rho.is_some()
            || self.stages.is_some()
            || self.coordinates.is_some()
            || self.penalty.is_some()
            || self.dissipation.is_some()
            || self.points.is_some()
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
            motion.settle_order(!model.beams.is_empty());
            model.study = Some(Arc::new(motion));
        } else if let (Some(kinematics), false) = (study.of::<KinematicsSpec>(), self.integrates()) {
            let mut kinematics = kinematics.clone();
            set_end(self.until, kinematics.start, &mut kinematics.end)?;
            set_step(self.step, &mut kinematics.step)?;
            model.study = Some(Arc::new(kinematics));
        } else if self.integrates() || self.until.is_some() || self.step.is_some() {
            return Err(format!(
                "--until, --step, --adaptive, --tolerance, --integrator and its settings (--stages, --form, --rho, \
                 --coordinates, --penalty, --dissipation, --points) are for motions; the study is of type {}",
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
            let able: Vec<&str> = integrators().iter().filter(|i| i.adaptive).map(|i| i.name).collect();
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

    /// The integrator of the file with the changes of the command line, if there are any. What belongs to
    /// another integrator is forgotten.
    fn integrator(&self, old: &IntegratorSpec) -> Result<Option<IntegratorSpec>, String> {
        if !self.changes_integrator() {
            return Ok(None);
        }
        let newton = old.method.gs4().map(|settings| settings.tolerance);
        let by_roots = old.method.gs4().filter(|_| old.name == "gs4").map(|settings| settings.member);
        let name = match (&self.integrator, by_roots) {
            (Some(name), _) => IntegratorName::Name(name),
            (None, Some(member)) => IntegratorName::Member(member),
            (None, None) => IntegratorName::Name(old.name),
        };
        let form = self.form.as_deref().and_then(Form::from_word);
        let bare = IntegratorRequest {
            rho: self.rho,
            stages: self.stages,
            form,
            coordinates: self.coordinates.as_deref().and_then(BodyCoordinates::from_word),
            penalty: self.penalty,
            dissipation: self.dissipation,
            points: self.points,
            ..IntegratorRequest::new(name)
        };
        let complain = |error: poinsot_model::spec::IntegratorError| {
            let help = error.help.map_or(String::new(), |help| format!("; {help}"));
            format!("--{}: {}{help}", error.key.word(), error.message)
        };
        let (mut spec, mut unused) = bare.resolve().map_err(complain)?;
        let same = spec.name == old.name;
        let kept = IntegratorRequest {
            rho: bare.rho.or(old.rho.filter(|_| spec.rho.is_some())),
            stages: bare.stages.or(old.stages.filter(|_| same && self.integrator.is_none())),
            form: bare.form.or(same_kind(&spec, old).then_some(old.form)),
            tolerance: newton.filter(|_| spec.method.gs4().is_some()),
            ..bare
        };
        let kept = keep_conserving(kept, &spec, old);
        if kept != bare {
            (spec, unused) = kept.resolve().map_err(complain)?;
            unused.retain(|key| bare.gives(*key));
        }
        match unused.first() {
            Some(IntegratorKey::Rho) => Err(format!("--rho: the integrator {} has no parameter", spec.name)),
            Some(key) => Err(format!("--{}: the integrator {} does not use it", key.word(), spec.name)),
            None => Ok(Some(spec)),
        }
    }
}

/// What a structure-preserving integrator of the file says goes on to another such one.
fn keep_conserving<'a>(
    request: IntegratorRequest<'a>,
    new: &IntegratorSpec,
    old: &IntegratorSpec,
) -> IntegratorRequest<'a> {
    let (Method::Conserving(_), Method::Conserving(settings)) = (&new.method, &old.method) else {
        return request;
    };
    IntegratorRequest {
        coordinates: request.coordinates.or(Some(settings.coordinates.into())),
        penalty: request.penalty.or(old.penalty),
        constraint_tolerance: request.constraint_tolerance.or(old.constraint_tolerance),
        dissipation: request.dissipation.or(Some(settings.dissipation)),
        points: request.points.or(Some(settings.points)),
        tolerance: request.tolerance.or(Some(settings.tolerance)),
        ..request
    }
}

/// Whether two integrators are of one kind and thus have the same forms.
fn same_kind(a: &IntegratorSpec, b: &IntegratorSpec) -> bool {
    match (&a.method, &b.method) {
        (Method::Implicit(a), Method::Implicit(b)) => a.family == b.family,
        (Method::Conserving(x), Method::Conserving(y)) => x.rule == y.rule || b.form != Form::Penalty,
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

fn positive(flag: &str, value: f64) -> Result<(), String> {
    match value.is_finite() && value > 0.0 {
        true => Ok(()),
        false => Err(format!("{flag} {value} must be a positive number")),
    }
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
