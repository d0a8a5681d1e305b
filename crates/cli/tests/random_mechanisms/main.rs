//! Random mechanisms, each run with two unrelated integrators and with tight Radau: what a run
//! claims is true, or it does not claim it.
//!
//! | variable | meaning |
//! |---|---|
//! | `POINSOT_CASES=50000` | so many cases |
//! | `POINSOT_FIRST=7` | beginning with this one |
//! | `POINSOT_SEED=7` | this one alone, told in detail; a finding is made smaller |
//! | `POINSOT_FINDINGS=folder` | keeps the models of all findings there |
//! | `POINSOT_LOG=1` | tells every case |
//! | `POINSOT_PATIENCE=30` | seconds of the processor that a run may take |
//! | `POINSOT=path` | another program |

mod choice;
mod found;
mod generator;
mod judge;
mod mechanism;
mod program;
mod random;
mod shrink;

use choice::Choice;
use judge::{Class, Finding, Verdict, judge};
use program::{Bench, Claim};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Cases without further word.
const CASES: u64 = 2000;

/// Classes of findings that are known and not yet mended, each with the share of the cases that it may have
/// and what is known of it. To be empty.
const KNOWN: &[(Class, f64, &str)] = &[];

/// Part of the cases at least in which a claim is confirmed, and at most in which nothing is claimed:
/// otherwise little is tested.
const CONFIRMED: f64 = 0.6;
const SILENT: f64 = 0.2;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

/// What all cases together gave.
#[derive(Default)]
struct Tally {
    verdicts: BTreeMap<String, usize>,
    claims: BTreeMap<String, usize>,
    kinds: BTreeMap<&'static str, usize>,
    findings: Vec<(u64, Finding)>,
}

impl Tally {
    fn count(&mut self, kinds: &[&'static str], judged: &judge::Judged) {
        for kind in kinds {
            *self.kinds.entry(kind).or_default() += 1;
        }
        for (_, claim) in &judged.claims {
            let word = match claim {
                Claim::Holds(_) => "claims to be right",
                Claim::Attention(_) => "needs eyes",
                Claim::Crossed { .. } => "says it is wrong",
                Claim::Fails(_) => "fails",
                Claim::Refused(_) => "refused",
                Claim::Slow => "slow",
                Claim::Broken(_) => "broken",
            };
            *self.claims.entry(word.into()).or_default() += 1;
        }
        let word = match &judged.verdict {
            Verdict::Agreed => "agreed".into(),
            Verdict::Unsettled(why) => format!("unsettled: {why}"),
            Verdict::NoClaim => "no claim".into(),
            Verdict::Wrong(finding) => format!("wrong: {:?}", finding.class),
        };
        *self.verdicts.entry(word).or_default() += 1;
    }

    fn words(&self) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "cases  {:?}", self.verdicts);
        let _ = writeln!(text, "runs   {:?}", self.claims);
        let _ = writeln!(text, "pieces {:?}", self.kinds);
        text
    }
}

#[test]
fn what_runs_claim_is_true() {
    if let Some(seed) = number("POINSOT_SEED") {
        return look_at(seed);
    }
    let (first, cases) = (number("POINSOT_FIRST").unwrap_or(0), number("POINSOT_CASES").unwrap_or(CASES));
    let next = AtomicU64::new(first);
    let tally = Mutex::new(Tally::default());
    let work = || {
        let bench = Bench::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + cases {
                return;
            }
            let mut mechanism = generator::draw(seed);
            let pair = Choice::pair(&mut mechanism);
            let judged = judge(&bench, &mechanism, &pair);
            let mut tally = tally.lock().unwrap();
            tally.count(&mechanism.kinds(), &judged);
            log(seed, &mechanism.kinds(), &judged);
            if let Verdict::Wrong(finding) = judged.verdict {
                keep(&mechanism, &finding);
                tally.findings.push((seed, finding));
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get());
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let tally = tally.into_inner().unwrap();
    println!("{}", tally.words());
    let of = |class: Class| tally.findings.iter().filter(|(_, f)| f.class == class).count() as f64;
    let known = |finding: &Finding| {
        let is = |(class, share, _): &(Class, f64, &str)| {
            *class == finding.class && of(*class) <= (share * cases as f64).max(1.0)
        };
        KNOWN.iter().any(is)
    };
    let mut news: Vec<_> = tally.findings.iter().filter(|(_, finding)| !known(finding)).collect();
    news.sort_by_key(|(seed, _)| *seed);
    let told: Vec<String> = news
        .iter()
        .map(|(seed, f)| format!("POINSOT_SEED={seed}: {:?}, {}: {}", f.class, f.choice.words(), f.words))
        .collect();
    assert!(news.is_empty(), "{} wrong claims\n{}", news.len(), told.join("\n"));
    let part = |verdict: &str| tally.verdicts.get(verdict).copied().unwrap_or(0) as f64 / cases as f64;
    assert!(part("agreed") >= CONFIRMED, "{}", tally.words());
    // A few cases may all be hard ones.
    assert!(part("no claim") <= SILENT || cases < CASES, "{}", tally.words());
}

/// Writes every case to the standard error where `POINSOT_LOG` is set.
fn log(seed: u64, kinds: &[&str], judged: &judge::Judged) {
    if std::env::var_os("POINSOT_LOG").is_some() {
        let judge::Judged { verdict, claims, errors, times } = judged;
        eprintln!("{seed}\t{verdict:?}\t{claims:?}\t{kinds:?}\t{errors:?}\t{times:?}");
    }
}

/// Keeps the model of a finding.
fn keep(mechanism: &mechanism::Mechanism, finding: &Finding) {
    let Some(folder) = std::env::var_os("POINSOT_FINDINGS").map(PathBuf::from) else { return };
    std::fs::create_dir_all(&folder).unwrap();
    let name = format!("{:?}_{}.toml", finding.class, mechanism.seed);
    let head = format!("# {:?}: {}: {}\n", finding.class, finding.choice.words(), finding.words);
    let text = mechanism.text(&finding.choice.study(mechanism), 0.0);
    std::fs::write(folder.join(name), head + &text).unwrap();
}

/// One case in words; a finding is made smaller.
fn look_at(seed: u64) {
    let bench = Bench::new();
    let mut mechanism = generator::draw(seed);
    let pair = Choice::pair(&mut mechanism);
    let judged = judge(&bench, &mechanism, &pair);
    println!("{}", mechanism.text(&pair[0].study(&mechanism), 0.0));
    for (choice, claim) in &judged.claims {
        println!("{choice}: {claim:?}");
    }
    println!("{:?}", judged.verdict);
    let Verdict::Wrong(finding) = judged.verdict else { return };
    let same = |small: &mechanism::Mechanism| {
        let Verdict::Wrong(found) = judge(&bench, small, &pair).verdict else { return false };
        found.class == finding.class && found.choice == finding.choice
    };
    let small = shrink::shrink(mechanism, same);
    let Verdict::Wrong(finding) = judge(&bench, &small, &pair).verdict else { unreachable!("it is shown") };
    keep(&small, &finding);
    println!("{}", small.text(&finding.choice.study(&small), 0.0));
    panic!("{:?}: {}: {}", finding.class, finding.choice.words(), finding.words);
}
