//! A four-bar linkage from a model file: other parameters, an observer, a folder of results.
//!
//! cargo run --release --example four_bar -p poinsot

use poinsot::{Error, Model};
use std::ops::ControlFlow;

fn main() -> Result<(), Error> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/four_bar.toml");
    let model = Model::load(file)?;
    model.warnings().for_each(|warning| println!("{warning}"));
    let parameters = &model.specification().parameters;
    println!(
        "parameters: {}",
        parameters.iter().map(|p| format!("{} = {}", p.name, p.value)).collect::<Vec<_>>().join(", ")
    );

    // Every recorded row goes past the observer, which may end the run.
    let end = model.specification().motion().map_or(1.0, |motion| motion.end);
    let mut rows = 0;
    let half = model.run_observed(|row| {
        rows += 1;
        if row.time() < end / 2.0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    println!("the first half has {rows} rows, until t = {:.3} s", half.time()[half.time().len() - 1]);
    assert_eq!(half.time().len(), rows);

    // The whole, with the folder that `poinsot run` writes: tables, pictures and a page.
    let mut run = model.run()?;
    assert!(run.holds() && run.time().len() > rows);
    println!("columns: {}", run.columns().collect::<Vec<_>>().join(", "));
    let folder = std::env::temp_dir().join("poinsot-four-bar");
    println!("results in {}", run.save(&folder)?.display());
    Ok(())
}
