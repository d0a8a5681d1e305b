//! No text makes the reader of energy models panic, and every diagnostic can be shown.

use poinsot_model::LoadError;
use poinsot_studies::load_str;
use std::time::{Duration, Instant};

/// Things that stand in the wrong place.
const FRAGMENTS: &[&str] = &[
    "",
    ";",
    ",",
    "[",
    "]",
    "(",
    ")",
    "=",
    "==",
    "**",
    "^",
    "#",
    "%",
    "//",
    "\n",
    "t",
    "pi",
    "e",
    "der(q)",
    "table(",
    "table([0,0],[1,1])",
    "if(",
    "1e308",
    "1e-320",
    "0",
    "-1",
    "1/0",
    "sqrt(-1)",
    "é",
    "\u{feff}",
    "\u{0}",
    "_",
    "q_ddt",
    "FlowVariables",
    "Form = index3;",
    "Form = index1;",
    "Keep = [q];",
    "OutputPoints = 2;",
    "FinalTime = 0;",
    "λ",
    "DisplacementConstraints = [q];",
    "[[1,2],3]",
    "a = b; b = a;",
    "99999999999999999999999999",
    "exp(exp(exp(q)))",
];

/// A small generator of numbers (xorshift), the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

/// Loads and shows what is wrong.
fn survive(text: &str) {
    match load_str("f.ldae", text, &[]) {
        Ok((model, warnings)) => {
            for warning in warnings {
                assert!(!warning.render(&model.source, false).is_empty());
            }
        }
        Err(error) => {
            assert!(!error.to_string().is_empty() && !error.render(true).is_empty());
            let LoadError::Invalid { diagnostics, .. } = error else { panic!("nothing was read") };
            assert!(diagnostics.iter().any(|d| d.is_error()));
        }
    }
}

fn corpus() -> Vec<String> {
    let folder = format!("{}/../../fuzz/corpus/ldae", env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()).collect()
}

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[test]
fn mutated_files() {
    let corpus = corpus();
    assert!(corpus.len() >= 10);
    corpus.iter().for_each(|text| survive(text));
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let clock = Instant::now();
    for _ in 0..3000 {
        let mut text = corpus[numbers.below(corpus.len())].clone();
        for _ in 0..1 + numbers.below(4) {
            let start = boundary(&text, numbers.below(text.len() + 1));
            let end = boundary(&text, (start + numbers.below(12)).min(text.len()));
            text.replace_range(start..end, FRAGMENTS[numbers.below(FRAGMENTS.len())]);
        }
        survive(&text);
        if clock.elapsed() > Duration::from_secs(2) {
            break;
        }
    }
}

#[test]
fn files_cut_anywhere() {
    for text in corpus() {
        for (at, _) in text.char_indices().step_by(5) {
            survive(&text[..at]);
        }
    }
}
