//! The result of an equilibrium in expectations: `equilibrium.stable`.

use poinsot_model::study::{ResultFamily, StudyResult};

/// 1 if the equilibrium is stable, else 0; lists of all results show the name once, by `example`.
pub const fn stable(example: &'static str) -> ResultFamily {
    ResultFamily {
        root: "equilibrium",
        example,
        fits: |rest| rest == ["stable"],
        read: |_| Ok(StudyResult::new("equilibrium.stable", [0, 0], Some("1"))),
    }
}

/// Whether it is stable, if that is known.
pub fn answer(result: StudyResult, stable: Option<bool>) -> Option<f64> {
    let stable = stable.filter(|_| result.what == "equilibrium.stable")?;
    Some(f64::from(u8::from(stable)))
}
