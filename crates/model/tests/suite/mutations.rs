//! No text makes the reader panic, and every diagnostic can be shown.

use poinsot_model::LoadError;
use poinsot_studies::load_str;
use proptest::prelude::*;

const GOOD: &str = include_str!("good.toml");
const MECHANISM: &str = include_str!("mechanism.toml");

/// One of the two files.
fn file(second: bool) -> &'static str {
    if second { MECHANISM } else { GOOD }
}

/// Things that stand in the wrong place.
const FRAGMENTS: &[&str] = &[
    "0",
    "-1",
    "inf",
    "nan",
    "1e308",
    "-1e-320",
    "\"\"",
    "\"x\"",
    "\"t\"",
    "\"2*(\"",
    "\"\\u00e9 + 1\"",
    "'''\né'''",
    "[]",
    "[1]",
    "[1, 2, 3]",
    "[[1, 2], 3]",
    "[[0, 0, 0], [0, 0, 0], [0, 0, 0]]",
    "{}",
    "{ type = \"box\" }",
    "true",
    "1979-05-27",
    "\"ground\"",
    "\"top\"",
    "\"tip\"",
    "\"hinge\"",
    "\"energy.total\"",
    "\"bearing.angle\"",
    "\"bearing\"",
    "\"lift\"",
    "\"lift(t)\"",
    "\"mode.1.real\"",
    "\"free\"",
    "{ stiffness = 1 }",
    "\"top.position\"",
    "=",
    "]",
    "\"",
    "\n",
    "[",
    "\n[[joint]]\n",
    "\n[study]\n",
    "é",
    "\u{0}",
    "99999999999999999999999999",
];

/// Loads and, on failure, renders every diagnostic.
fn survive(text: &str) -> Result<(), TestCaseError> {
    match load_str("f.toml", text, &[]) {
        Ok((model, warnings)) => {
            for warning in warnings {
                prop_assert!(!warning.render(&model.source, false).is_empty());
            }
        }
        Err(error) => {
            prop_assert!(!error.to_string().is_empty());
            prop_assert!(!error.render(true).is_empty());
            let LoadError::Invalid { diagnostics, .. } = error else {
                return Err(TestCaseError::fail("nothing was read"));
            };
            prop_assert!(diagnostics.iter().any(|d| d.is_error()));
            for diagnostic in diagnostics {
                let ends = diagnostic.primary.map(|label| label.span.end);
                prop_assert!(ends.unwrap_or(0) <= text.len());
            }
        }
    }
    Ok(())
}

/// The nearest character boundary at or below.
fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn replaced_bytes(
        second: bool,
        edits in prop::collection::vec((0.0..1.0f64, 0..12usize, 0..FRAGMENTS.len()), 1..6),
    ) {
        let mut text = file(second).to_owned();
        for (place, length, fragment) in edits {
            let start = boundary(&text, (place * text.len() as f64) as usize);
            let end = boundary(&text, (start + length).min(text.len()));
            text.replace_range(start..end, FRAGMENTS[fragment]);
        }
        survive(&text)?;
    }

    #[test]
    fn replaced_values(
        second: bool,
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..FRAGMENTS.len()), 1..6),
    ) {
        let mut lines: Vec<String> = file(second).lines().map(str::to_owned).collect();
        for (index, fragment) in edits {
            let line = index.get(&lines).clone();
            let at = lines.iter().position(|l| *l == line).unwrap_or(0);
            if let Some((key, _)) = line.split_once('=') {
                lines[at] = format!("{key}= {}", FRAGMENTS[fragment]);
            }
        }
        survive(&lines.join("\n"))?;
    }

    #[test]
    fn moved_and_lost_lines(
        second: bool,
        moves in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4),
        losses in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
    ) {
        let mut lines: Vec<&str> = file(second).lines().collect();
        for (from, to) in moves {
            let line = lines.remove(from.index(lines.len()));
            lines.insert(to.index(lines.len()), line);
        }
        for loss in losses {
            lines.remove(loss.index(lines.len()));
        }
        survive(&lines.join("\n"))?;
    }

    #[test]
    fn any_text(text in "\\PC{0,80}") {
        survive(&text)?;
    }
}

#[test]
fn cut_anywhere() {
    for text in [GOOD, MECHANISM] {
        for (at, _) in text.char_indices().step_by(7) {
            survive(&text[..at]).unwrap();
        }
    }
}
