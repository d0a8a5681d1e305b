//! `poinsot verify`: runs models that carry expectations and compares.

use crate::complaints::study_error;
use crate::message;
use crate::overrides::{Overrides, load};
use crate::progress::Bar;
use clap::Args;
use poinsot_model::Model;
use poinsot_results::{Expectation, Status};
use poinsot_studies::{Chain, Product, RunOptions, perform};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Run models that carry expectations and compare.
#[derive(Args)]
pub struct Arguments {
    /// Model files or folders; default: verification.
    paths: Vec<PathBuf>,
    /// Only the verdict of each model.
    #[arg(long, short)]
    quiet: bool,
}

/// Models that are named as the slowest.
const NAMED: usize = 5;

/// Outcome of one study of a model.
pub enum VerifiedStudy {
    Ran(Box<Product>, String, f64),
    Failed,
}

/// A model with the outcomes of its studies.
pub struct VerifiedModel {
    pub path: PathBuf,
    pub studies: Vec<VerifiedStudy>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> ExitCode {
    let default = [PathBuf::from("verification")];
    let paths = if arguments.paths.is_empty() { &default[..] } else { &arguments.paths };
    let models = match find_models(paths) {
        Ok(models) if models.is_empty() => return message::bad_input("there are no model files there"),
        Ok(models) => models,
        Err(text) => return message::bad_input(&text),
    };
    let verified = run_all(&models);
    let (mut passed, mut failed) = (0, 0);
    let silent = verified.iter().filter(|model| model.is_silent()).count();
    let mut text = String::new();
    let studies = verified.iter().flat_map(|model| model.studies.iter().map(|study| (&model.path, study)));
    for (path, verdict) in studies {
        match verdict {
            VerifiedStudy::Ran(product, _, seconds) => {
                text += &report(path, product, *seconds, arguments.quiet);
                let common = product.summary.common();
                passed += common.expectations.iter().filter(|e| e.passed).count();
                failed += common.expectations.iter().filter(|e| !e.passed).count();
                failed += usize::from(common.outcome.status == Status::Failed);
            }
            VerifiedStudy::Failed => {
                text += &format!("✗ {} did not run\n", path.display());
                failed += 1;
            }
        }
    }
    text += &format!("\n{} models, {silent} of them without expectations\n", models.len());
    text += &slowest(&verified);
    text += &format!("{passed} passed, {failed} failed\n");
    message::print_words(&text);
    if failed > 0 { ExitCode::from(message::FAILED) } else { ExitCode::SUCCESS }
}

/// The models that took longest, where there are many.
fn slowest(verified: &[VerifiedModel]) -> String {
    let time = |model: &VerifiedModel| {
        let timed = model.studies.iter().map(|study| match study {
            VerifiedStudy::Ran(_, _, seconds) => *seconds,
            VerifiedStudy::Failed => 0.0,
        });
        timed.sum::<f64>()
    };
    let mut timed: Vec<(&PathBuf, f64)> = verified.iter().map(|model| (&model.path, time(model))).collect();
    if timed.len() <= NAMED {
        return String::new();
    }
    timed.sort_by(|a, b| b.1.total_cmp(&a.1));
    let named = timed[..NAMED].iter().map(|(path, seconds)| format!("{} ({seconds:.2} s)", path.display()));
    format!("slowest: {}\n", named.collect::<Vec<_>>().join(", "))
}

/// Model files at the paths; folders are searched.
pub fn find_models(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut models = vec![];
    for path in paths {
        collect(path, &mut models).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    }
    Ok(models)
}

fn collect(path: &Path, models: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.metadata()?.is_dir() {
        models.push(path.to_owned());
        return Ok(());
    }
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(path)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() || entry.extension().is_some_and(|e| e == "toml") {
            collect(&entry, models)?;
        }
    }
    Ok(())
}

/// Runs all models on all cores; the verdicts are in the order of the models.
pub fn run_all(models: &[PathBuf]) -> Vec<VerifiedModel> {
    let next = AtomicUsize::new(0);
    let verdicts: Mutex<Vec<Vec<VerifiedStudy>>> = Mutex::new(models.iter().map(|_| vec![]).collect());
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..cores.min(models.len()) {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    let Some(path) = models.get(k) else { break };
                    let verdict = run_studies(path);
                    if let Ok(mut verdicts) = verdicts.lock() {
                        verdicts[k] = verdict;
                    }
                }
            });
        }
    });
    let verdicts = verdicts.into_inner().unwrap_or_default();
    models.iter().cloned().zip(verdicts).map(|(path, studies)| VerifiedModel { path, studies }).collect()
}

/// Runs all studies of a model.
fn run_studies(path: &Path) -> Vec<VerifiedStudy> {
    let model = match load(path, &Overrides::default()) {
        Ok(model) => model,
        Err(_) => return vec![VerifiedStudy::Failed],
    };
    let mut chain = Chain::new(&model);
    let heads = chain.heads();
    if heads.is_empty() {
        return vec![run_one(&model)];
    }
    let mut verdicts = vec![];
    for head in &heads {
        let verdict = match (chain.model(head), chain.broken(head)) {
            (Ok(model), None) => run_one(&model),
            (Ok(model), Some(error)) => {
                study_error(&model, &error.into());
                VerifiedStudy::Failed
            }
            (Err(error), _) => {
                message::load_error(&error);
                VerifiedStudy::Failed
            }
        };
        chain.note(head, verdict.product());
        verdicts.push(verdict);
    }
    verdicts
}

impl VerifiedModel {
    /// Whether its studies ran and nothing is expected of any.
    fn is_silent(&self) -> bool {
        let silent = |study: &VerifiedStudy| {
            study.product().is_some_and(|p| p.summary.common().expectations.is_empty())
        };
        self.studies.iter().all(silent)
    }
}

impl VerifiedStudy {
    fn product(&self) -> Option<&Product> {
        match self {
            VerifiedStudy::Ran(product, ..) => Some(product),
            VerifiedStudy::Failed => None,
        }
    }
}

fn run_one(model: &Model) -> VerifiedStudy {
    let clock = Instant::now();
    match perform(model, &RunOptions::default(), &Bar::new(true)) {
        Ok(product) => {
            let description = model.description.clone().unwrap_or_default();
            VerifiedStudy::Ran(Box::new(product), description, clock.elapsed().as_secs_f64())
        }
        Err(error) => {
            study_error(model, &error);
            VerifiedStudy::Failed
        }
    }
}

fn report(path: &Path, product: &Product, seconds: f64, quiet: bool) -> String {
    let common = product.summary.common();
    let good = common.outcome.status != Status::Failed && common.expectations.iter().all(|e| e.passed);
    let mark = if good { "✓" } else { "✗" };
    let (name, analysis) = (&common.model.name, product.summary.analysis());
    let study = common.study.as_ref().map_or(String::new(), |study| format!(": {study}"));
    let mut text = format!("{mark} {} — {name}{study} ({analysis}, {seconds:.2} s)\n", path.display());
    if common.outcome.status == Status::Failed {
        text += &format!("    {}\n", common.outcome.message);
    }
    if quiet && good {
        return text;
    }
    for e in &common.expectations {
        text += &format!("    {}\n", row(e));
    }
    text
}

fn row(e: &Expectation) -> String {
    let measured = e.measured.map_or("not reached".into(), |m| format!("{m:.12e}"));
    let error = e.error.map_or(String::new(), |e| format!("{e:.1e}"));
    format!(
        "{} {:<28} t = {:<8} {measured:>20} expected {:>20.12e} error {error:>8} allowed {:.1e}  {}",
        if e.passed { "✓" } else { "✗" },
        e.signal,
        e.at,
        e.expected,
        e.tolerance,
        e.source
    )
}
