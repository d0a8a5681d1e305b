//! The reference page is what the declarations say, and its examples run.

use poinsot_analysis::{Ending, Sample, consistent_start, run_motion};
use poinsot_mechanics::System;
use poinsot_model::{build, declared_examples, example_model, model_file_reference};
use poinsot_studies::motion::motion_study;
use poinsot_studies::{load_str, studies};
use std::path::Path;

/// `POINSOT_UPDATE=1` writes the page.
#[test]
fn the_page_is_that_of_the_declarations() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/model-file.md");
    let page = model_file_reference(studies());
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
        let report = run_motion(&mut system, state, &study, &mut |_: &System, _: &Sample| {})
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(report.ending, Ending::Completed, "{word}");
    }
}
