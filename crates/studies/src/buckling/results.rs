//! Results of a buckling study in expectations: `buckling.1`.

use super::BucklingSpec;
use poinsot_model::study::{Asked, NoResult, ResultFamily, StudyResult};

/// Critical values of the parameter.
pub const CRITICAL: ResultFamily =
    ResultFamily { root: "buckling", example: "buckling.K", fits: |rest| rest.len() == 1, read };

fn read(asked: &Asked) -> Result<StudyResult, NoResult> {
    let index = asked.counted(asked.rest[0])?;
    if let Some(BucklingSpec { count, .. }) = asked.request().filter(|s: &&BucklingSpec| index >= s.count) {
        let help = format!("the study computes {count} critical values: raise its `count`");
        return Err((format!("there is no critical value {}", index + 1), Some(help)));
    }
    Ok(StudyResult::new("buckling", [index, 0], None))
}
