//! The body of the fuzz target over its corpus and mutations of it.

mod body;

use std::path::Path;
use std::time::{Duration, Instant};

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

/// Pieces that mutations put in.
const PIECES: [&str; 28] = [
    "x",
    "y",
    "t",
    "(",
    ")",
    ",",
    "+",
    "-",
    "*",
    "/",
    "^",
    "0",
    "1",
    "2.5",
    "1e300",
    "1e-300",
    "sin(",
    "if(x < 1, ",
    "max(",
    "exp(",
    "lift(",
    "not ",
    " and ",
    " or ",
    " == ",
    "<",
    "der(x)",
    "é",
];

fn corpus() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/expression");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

/// One text with a piece removed, doubled, put in or taken from another.
fn mutated(text: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(text.len() + 1);
        let end = (at + 1 + random.below(8)).min(text.len());
        match random.below(4) {
            0 => drop(text.drain(at..end)),
            1 => {
                let copy = text[at..end].to_vec();
                text.splice(at..at, copy);
            }
            2 => drop(text.splice(at..at, PIECES[random.below(PIECES.len())].bytes())),
            _ => {
                let from = random.below(other.len() + 1);
                let to = (from + random.below(30)).min(other.len());
                text.splice(at..at, other[from..to].iter().copied());
            }
        }
    }
    text
}

#[test]
fn nothing_panics() {
    let corpus = corpus();
    assert!(corpus.len() >= 20);
    corpus.iter().for_each(|text| body::walk(text));
    let clock = Instant::now();
    let mut random = Random(1);
    for round in 0..20_000 {
        // Always the same mutations, as many as the machine does in the time.
        if clock.elapsed() > Duration::from_millis(1500) {
            println!("{round} mutations");
            break;
        }
        let (text, other) = (&corpus[random.below(corpus.len())], &corpus[random.below(corpus.len())]);
        body::walk(&mutated(text, other, &mut random));
    }
}
