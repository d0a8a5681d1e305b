//! Results of a linear system in expectations: `matrix.A.1.2`.

use super::LinearizeSpec;
use poinsot_model::study::{Asked, NoResult, ResultFamily, StudyResult};

/// Entries of A, B, C and D.
pub const MATRIX: ResultFamily =
    ResultFamily { root: "matrix", example: "matrix.A.I.J", fits: |rest| rest.len() == 3, read };

/// The matrices, in their order.
const MATRICES: [(&str, &str); 4] =
    [("A", "matrix.A"), ("B", "matrix.B"), ("C", "matrix.C"), ("D", "matrix.D")];

fn read(asked: &Asked) -> Result<StudyResult, NoResult> {
    let what = asked.pick(asked.rest[0], &MATRICES)?;
    let (row, column) = (asked.counted(asked.rest[1])?, asked.counted(asked.rest[2])?);
    check_size(asked, row, column)?;
    Ok(StudyResult::new(what, [row, column], None))
}

/// Inputs bound the columns of B and D, outputs the rows of C and D.
fn check_size(asked: &Asked, row: usize, column: usize) -> Result<(), NoResult> {
    let Some(study) = asked.request::<LinearizeSpec>() else { return Ok(()) };
    let (inputs, outputs) = (study.inputs.len(), study.outputs.len());
    let rows = matches!(asked.rest[0], "C" | "D").then_some(outputs);
    let columns = matches!(asked.rest[0], "B" | "D").then_some(inputs);
    if rows.is_some_and(|rows| row >= rows) || columns.is_some_and(|columns| column >= columns) {
        let help = format!("the study has {inputs} inputs and {outputs} outputs");
        return Err((format!("there is no entry `{}`", asked.name), Some(help)));
    }
    Ok(())
}

/// An entry of A, B, C or D, each given as rows.
pub fn answer(result: StudyResult, matrices: &[Vec<Vec<f64>>; 4]) -> Option<f64> {
    let which = MATRICES.iter().position(|(_, what)| *what == result.what)?;
    matrices[which].get(result.at[0])?.get(result.at[1]).copied()
}
