//! The reference page is what the declarations say, and its examples run.

use poinsot_analysis::{Ending, Observer, Sample, consistent_start, run_motion};
use poinsot_mechanics::System;
use poinsot_model::{build, declared_examples, example_model, load_str, model_file_reference, motion_study};
use std::path::Path;

/// Lets a motion run.
struct Nobody;

impl Observer for Nobody {
    fn sample(&mut self, _: &System, _: &Sample) -> Result<(), String> {
        Ok(())
    }

    fn keep_going(&mut self, _: f64) -> bool {
        true
    }
}

/// `POINSOT_UPDATE=1` writes the page.
#[test]
fn the_page_is_that_of_the_declarations() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/model-file.md");
    let page = model_file_reference();
    if std::env::var_os("POINSOT_UPDATE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let shipped = std::fs::read_to_string(&path).unwrap();
    assert!(shipped == page, "docs/model-file.md is old: POINSOT_UPDATE=1 writes it");
}

#[test]
fn every_declared_example_runs() {
    let examples = declared_examples();
    assert!(examples.len() >= 29, "{}", examples.len());
    for (word, example) in examples {
        assert!(example.contains(&format!("type = \"{word}\"")), "{example}");
        let text = example_model(example);
        let (model, warnings) =
            load_str(word, &text, &[]).unwrap_or_else(|error| panic!("{}\n{text}", error.render(false)));
        assert!(warnings.is_empty(), "{word}: {warnings:?}");
        let (mut system, assembly) =
            build(&model).unwrap_or_else(|d| panic!("{}", d.one_line(&model.source)));
        let (state, _) = consistent_start(&mut system, 0.0).unwrap_or_else(|error| panic!("{word}: {error}"));
        let study = motion_study(&model, &system, &assembly).unwrap();
        let report = run_motion(&mut system, state, &study, &mut Nobody).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(report.ending, Ending::Completed, "{word}");
    }
}
