//! Reads any text as an energy model: no panic, and every diagnostic can be shown.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match poinsot_model::load_str("fuzz.ldae", text, &[], poinsot_model::Studies::default()) {
        Ok((model, warnings)) => {
            warnings.iter().for_each(|warning| assert!(!warning.render(&model.source, false).is_empty()));
        }
        Err(error) => assert!(!error.render(false).is_empty()),
    }
});
