//! Runs the program on a model and reads what it claims and what it found.

use crate::choice::{Choice, Pace};
use crate::mechanism::{Mechanism, ROWS};
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A run takes at most so many seconds of the processor, mostly a hundredth of it.
fn patience() -> f64 {
    crate::number("POINSOT_PATIENCE").unwrap_or(2) as f64
}

/// So many times longer may it take on a busy machine.
const BUSY: f64 = 20.0;

/// How often it is asked what a run has taken.
const LOOKS: Duration = Duration::from_millis(100);

/// Ticks in a second of what Linux tells of a process.
const TICKS: f64 = 100.0;

/// What a process has taken of the processor (s), where Linux tells it: utime and stime, the 12th and 13th
/// word behind the name in parentheses.
fn taken(process: u32) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, behind) = text.rsplit_once(')')?;
    let ticks = behind.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Some(ticks.sum::<Result<f64, _>>().ok()? / TICKS)
}

/// An error may be so many times the tolerance, or the estimate.
const TOLERANCES: f64 = 10.0;

/// What a run says of itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    /// Every mark is ✓: the error is at most this.
    Holds(Bound),
    /// Something needs eyes.
    Attention(String),
    /// The run reached its end, but something is wrong (✗), and it says what.
    Crossed { code: i32, words: String },
    /// There is no result, and it says why.
    Fails(String),
    /// The model or the combination is refused before the run.
    Refused(String),
    /// It takes too long.
    Slow,
    /// What must not happen: a panic, an exit without a word, a mark that contradicts the exit code.
    Broken(String),
}

/// An error that is claimed not to be exceeded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Relative to how far each body moves.
    Motion(f64),
    /// Relative to the length of the model and to a radian.
    Model(f64),
    /// The looser of the two: what the tolerance promises, and what the audit states.
    Either { model: f64, motion: f64 },
}

/// A finished run.
pub struct Run {
    pub claim: Claim,
    /// The rows, if all are there.
    pub rows: Option<Vec<Vec<f64>>>,
    /// What it took (s).
    pub time: f64,
}

/// A folder to run in.
pub struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    pub fn new() -> Bench {
        // What a run writes is flushed to the disk: memory is faster.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Bench { folder: folder.unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a mechanism.
    pub fn run(&self, mechanism: &Mechanism, choice: &Choice, nudge: f64) -> Run {
        let text = mechanism.text(&choice.study(mechanism), nudge);
        fs::write(self.path("model.toml"), text).unwrap();
        let _ = fs::remove_dir_all(self.path("out"));
        let clock = Instant::now();
        let code = self.start();
        let time = clock.elapsed().as_secs_f64();
        let read = |name: &str| fs::read_to_string(self.path(name)).unwrap_or_default();
        let said = read("said") + &read("complained");
        let rows = match code {
            Some(0 | 1) => rows(&self.path("out/signals.csv"), mechanism),
            _ => None,
        };
        let claim = claim(code, &said, &read("out/summary.json"), choice, rows.is_some());
        Run { claim, rows, time }
    }

    /// The exit code; nothing when time runs out.
    fn start(&self) -> Option<i32> {
        let file = |name| Stdio::from(File::create(self.path(name)).unwrap());
        let program = std::env::var_os("POINSOT").unwrap_or_else(|| env!("CARGO_BIN_EXE_poinsot").into());
        let mut child = Command::new(program)
            .current_dir(self.folder.path())
            .args(["run", "model.toml", "--csv", "--out", "out"])
            .stdin(Stdio::null())
            .stdout(file("said"))
            .stderr(file("complained"))
            .spawn()
            .unwrap();
        let (clock, patience, process) = (Instant::now(), patience(), child.id());
        let (mut look, mut spent) = (LOOKS, 0.0);
        while spent < patience && clock.elapsed().as_secs_f64() < BUSY * patience {
            if let Some(status) = child.try_wait().unwrap() {
                return Some(status.code().unwrap_or(-1));
            }
            std::thread::sleep(Duration::from_millis(1));
            if clock.elapsed() > look {
                spent = taken(process).unwrap_or(clock.elapsed().as_secs_f64());
                look = clock.elapsed() + LOOKS;
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        None
    }
}

/// The signals, if every row is there and every number is one.
fn rows(file: &Path, mechanism: &Mechanism) -> Option<Vec<Vec<f64>>> {
    let text = fs::read_to_string(file).ok()?;
    let numbers = |line: &str| line.split(',').map(|n| n.parse::<f64>().unwrap_or(f64::NAN)).collect();
    let rows: Vec<Vec<f64>> = text.lines().skip(1).map(numbers).collect();
    // Rows where the integrator started anew come twice or in between: those of the grid are wanted.
    let at = |k: usize| {
        let time = k as f64 * mechanism.row();
        rows.iter().rev().find(|row| (row[0] - time).abs() < 1e-9 * mechanism.end).cloned()
    };
    (0..=ROWS).map(at).collect()
}

/// Marks and texts of the audit with their labels.
fn lines(said: &str) -> Vec<(char, String, String)> {
    let mut label = String::new();
    let mut lines = vec![];
    for line in said.lines().skip(1) {
        let mut letters = line.chars();
        let (Some(mark), Some(' ')) = (letters.next(), letters.next()) else { continue };
        let rest: String = letters.collect();
        if rest.starts_with(|c: char| c != ' ') {
            label = rest.split("  ").next().unwrap_or_default().split(' ').next().unwrap_or_default().into();
        }
        lines.push((mark, label.clone(), rest));
    }
    lines
}

/// What the exit code and the audit claim together.
fn claim(code: Option<i32>, said: &str, summary: &str, choice: &Choice, complete: bool) -> Claim {
    let Some(code) = code else { return Claim::Slow };
    let first = |needle: &str| {
        let found = said.lines().find(|line| line.contains(needle)).or(said.lines().next());
        found.unwrap_or_default().trim().to_string()
    };
    if said.contains("panicked") {
        return Claim::Broken(first("panicked"));
    }
    if !matches!(code, 0..=2) || said.trim().is_empty() {
        return Claim::Broken(format!("exit code {code}: {}", first("Error")));
    }
    let summary: Value = serde_json::from_str(summary).unwrap_or_default();
    let marked = lines(said);
    let crossed = marked.iter().find(|(mark, ..)| *mark == '✗');
    match (code, crossed) {
        (2, _) => Claim::Refused(first("Error")),
        (_, Some((_, label, words))) if label != "failed" && complete => {
            Claim::Crossed { code, words: words.clone() }
        }
        (1, _) => Claim::Fails(first("Error")),
        (_, Some((_, _, words))) => Claim::Broken(format!("exit code 0: {words}")),
        (_, None) if !complete => Claim::Broken("rows are missing".into()),
        (_, None) => confident(&marked, &summary, choice),
    }
}

/// The claim of a run without a cross. What the start changed and which rows are redundant is no doubt about
/// the motion.
fn confident(marked: &[(char, String, String)], summary: &Value, choice: &Choice) -> Claim {
    let doubt =
        |(mark, label, _): &&(char, String, String)| *mark == '!' && label != "start" && label != "redundant";
    if let Some((_, _, words)) = marked.iter().find(doubt) {
        return Claim::Attention(words.clone());
    }
    Claim::Holds(match choice.pace {
        Pace::Adaptive(tolerance) => {
            Bound::Either { model: TOLERANCES * tolerance, motion: claimed(summary) }
        }
        Pace::Fixed(_) => Bound::Motion(claimed(summary)),
    })
}

/// The error in time that the audit states: its estimate within ten times and at most its limit; without an
/// estimate its limit.
fn claimed(summary: &Value) -> f64 {
    let audit = &summary["audit"]["time_error"];
    let limit = audit["limit"].as_f64().unwrap_or(0.01);
    audit["relative"].as_f64().map_or(limit, |relative| (TOLERANCES * relative).clamp(1e-6, limit.max(1e-6)))
}
