//! `report.html`: one page with the scene, the plots and the audit, which opens by double click.
//!
//! The page is built from `viewer/` and is part of the program; a run puts its payload into it. The same
//! payload, with the addresses of the full data, answers the page when it is served.

use crate::artifact::{Artifact, Signals};
use crate::block::{Block, Content, NumberType};
use crate::error::ResultsError;
use crate::frames::Frames;
use crate::mode_shapes::ModeShapes;
use crate::plain_file;
use crate::plot::EnergyHistory;
use crate::scene::Scene;
use crate::summary::RunSummary;
use crate::summary::common::{FileEntry, Status};
use crate::summary_text::line::{Judgement, SummaryLine};
use crate::table::SignalTable;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// The page, where it is part of the program.
#[cfg(feature = "viewer")]
const PAGE: Option<&str> = Some(include_str!("../assets/viewer.html"));
#[cfg(not(feature = "viewer"))]
const PAGE: Option<&str> = None;
/// Begins the element of the page that holds the payload.
const OPENING: &str = r#"<script type="application/json" id="poinsot-data">"#;
/// Ends it.
const CLOSING: &str = "</script>";
/// Numbers of the frames in a report: 4 MB.
const FRAME_NUMBERS: usize = 1_000_000;
/// Frames in a report at most.
const MOST_FRAMES: usize = 2000;
/// Samples of the signals in a report, about.
const SAMPLES: usize = 4000;

/// What a page shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Payload {
    format: String,
    version: u64,
    /// Whether the page should wait for changes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub live: bool,
    /// The runs.
    pub runs: Vec<ReportedRun>,
}

/// A run as a page shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReportedRun {
    /// Name of the model.
    pub name: String,
    /// The analysis.
    pub study: String,
    /// How it ended.
    pub status: Status,
    /// What happened.
    #[serde(default)]
    pub message: String,
    /// What can be done about it.
    #[serde(default)]
    pub remedy: String,
    /// What was done, label by label.
    pub summary: Vec<(String, String)>,
    /// The summary as in a terminal.
    pub text: String,
    /// The model file.
    pub source: SourceText,
    /// Whether to trust it.
    pub checks: Vec<Check>,
    /// Files and what they hold.
    pub files: Vec<(String, String)>,
    /// What there is to see.
    pub scene: Option<Scene>,
    /// What the frames run over.
    pub axis: AxisName,
    /// Where things are.
    pub frames: Option<FrameBlocks>,
    /// The signals.
    pub signals: Option<SignalBlocks>,
    /// The energies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyBlocks>,
    /// Shapes of modes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modes: Option<serde_json::Value>,
    /// Plots of signals that the page begins with; without any it chooses itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plots: Vec<SignalPlot>,
    /// Drawings of the study as a whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagrams: Vec<Diagram>,
    /// How much of the data is here.
    pub kept: Kept,
}

/// Name and text of a file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SourceText {
    /// Name.
    pub name: String,
    /// Text.
    pub text: String,
}

/// What the frames run over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AxisName {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// The signal that holds its values, where the rows of the table stand in another order.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub signal: String,
}

impl Default for AxisName {
    fn default() -> Self {
        AxisName { name: "t".into(), unit: "s".into(), signal: String::new() }
    }
}

impl AxisName {
    /// A parameter, whose values are the signal of its name.
    pub fn parameter(name: &str, unit: &str) -> Self {
        AxisName { name: name.into(), unit: unit.into(), signal: name.into() }
    }

    /// The values of the axis in a table of signals.
    pub fn values<'a>(&self, table: &'a SignalTable) -> &'a [f64] {
        let named = if self.signal.is_empty() { None } else { table.column(&self.signal) };
        named.unwrap_or(table.time())
    }
}

/// A plot of signals.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SignalPlot {
    /// Signals along the vertical axis; an empty name is the axis of the run.
    pub names: Vec<String>,
    /// The signal along the horizontal axis, if it is not the axis of the run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub x: String,
}

/// A drawing of a study as a whole: a Campbell diagram, a load path.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Diagram {
    /// Name of its file.
    pub file: String,
    /// What it shows.
    pub title: String,
    /// The drawing.
    pub svg: String,
}

/// Where things are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameBlocks {
    /// Value of the axis at each frame.
    pub axis: Block,
    /// Poses.
    pub poses: Block,
    /// Reactions of joints.
    pub reactions: Block,
    /// Loads.
    pub loads: Block,
    /// Stress resultants of beam elements.
    pub resultants: Block,
    /// How far flexible bodies are deformed along their shapes.
    pub amplitudes: Block,
}

/// The signals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SignalBlocks {
    /// Value of the axis at each sample.
    pub axis: Block,
    /// Names, units, descriptions.
    pub list: Vec<SignalName>,
    /// A row for each signal.
    pub values: Block,
}

/// A signal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SignalName {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// What it is.
    pub description: String,
}

/// The energies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EnergyBlocks {
    /// Time of each sample.
    pub axis: Block,
    /// Their names.
    pub names: Vec<String>,
    /// A row for each.
    pub values: Block,
}

/// How much of the data a page has, of how much.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Kept {
    /// Frames.
    pub frames: [usize; 2],
    /// Samples of signals.
    pub signals: [usize; 2],
}

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckState {
    /// Green.
    Good,
    /// Amber.
    Doubtful,
    /// Red.
    Bad,
    /// Said without a verdict.
    Note,
}

/// Something that tells whether the results can be trusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// What was checked.
    pub label: String,
    /// How it came out.
    pub state: CheckState,
    /// What was found.
    pub value: String,
    /// What it means.
    pub meaning: String,
    /// Where on the axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
}

/// What a report is made of.
pub struct Material<'a> {
    /// The summary.
    pub summary: &'a dyn RunSummary,
    /// The model file.
    pub source: SourceText,
    /// Files of the run.
    pub files: &'a [FileEntry],
    /// What the study gave.
    pub artifacts: &'a [Artifact],
    /// Drawings of the study as a whole.
    pub diagrams: &'a [Diagram],
}

/// What of a study a page shows.
#[derive(Default)]
struct Shown<'a> {
    signals: Option<&'a Signals>,
    scene: Option<(&'a Scene, &'a Frames)>,
    energy: Option<&'a EnergyHistory>,
    shapes: Option<&'a ModeShapes>,
}

impl<'a> Shown<'a> {
    fn of(artifacts: &'a [Artifact]) -> Self {
        let mut shown = Shown::default();
        for artifact in artifacts {
            match artifact {
                Artifact::Signals(signals) => shown.signals = Some(signals),
                Artifact::Scene(scene, _) if scene.bodies.is_empty() => {}
                Artifact::Scene(scene, frames) => shown.scene = Some((scene, frames)),
                Artifact::Energies(energy) => shown.energy = Some(energy),
                Artifact::Shapes { shapes, .. } => shown.shapes = Some(shapes),
                Artifact::Drawing(_) | Artifact::Matrices(..) | Artifact::Left(..) => {}
            }
        }
        shown
    }
}

impl Payload {
    /// Name of the page in a run folder.
    pub const FILE: &'static str = "report.html";
    const FORMAT: &'static str = "poinsot-report";
    const VERSION: u64 = 1;

    /// Of some runs.
    pub fn new(runs: Vec<ReportedRun>) -> Self {
        Payload { format: Self::FORMAT.into(), version: Self::VERSION, live: false, runs }
    }

    /// The page with this payload.
    pub fn page(&self) -> Result<String, ResultsError> {
        let json = self.json()?;
        // `<` cannot end the element early, nor begin a comment in it.
        let json = json.replace('<', "\\u003c");
        Ok(served_page()?.replacen(&format!("{OPENING}null"), &format!("{OPENING}{json}"), 1))
    }

    /// The payload as JSON.
    pub fn json(&self) -> Result<String, ResultsError> {
        serde_json::to_string(self).map_err(|source| ResultsError::Json { path: Self::FILE.into(), source })
    }

    /// Reads the payload of a report.
    pub fn read(path: &Path) -> Result<Payload, ResultsError> {
        let text = plain_file::read_text(path)?;
        let refuse =
            |message: &str| ResultsError::NotAReport { path: path.to_owned(), message: message.into() };
        let whole = text.trim_end().ends_with("</html>");
        let none = if whole { "it holds no data of a run" } else { "it is cut short" };
        let from = text.find(OPENING).ok_or_else(|| refuse(none))? + OPENING.len();
        let length = text[from..].find(CLOSING).ok_or_else(|| refuse("it is cut short"))?;
        let payload: Payload = serde_json::from_str(&text[from..from + length])
            .map_err(|source| ResultsError::Json { path: path.to_owned(), source })?;
        if payload.format != Self::FORMAT || payload.version > Self::VERSION {
            return Err(refuse("another version of the program wrote it"));
        }
        Ok(payload)
    }
}

/// The page without data, which asks its server for them.
pub fn served_page() -> Result<&'static str, ResultsError> {
    PAGE.ok_or(ResultsError::NoPage)
}

impl ReportedRun {
    /// A run with as much data as a report should hold.
    pub fn new(material: &Material) -> ReportedRun {
        let common = material.summary.common();
        let found = material.summary.lines();
        let shown = Shown::of(material.artifacts);
        let frames = shown.scene.map(|(_, frames)| {
            let most = FRAME_NUMBERS / frames.size().width().max(1);
            // Shapes are about frames of their own.
            let most = if shown.shapes.is_some() { frames.len() } else { most };
            (frames.reduced(most.clamp(2, MOST_FRAMES)), frames.len())
        });
        let rows = shown.signals.map_or(vec![], |signals| few_rows(&signals.table));
        let kept = Kept {
            frames: frames.as_ref().map_or([0, 0], |(few, all)| [few.len(), *all]),
            signals: [rows.len(), shown.signals.map_or(0, |signals| signals.table.len())],
        };
        ReportedRun {
            name: common.model.name.clone(),
            study: material.summary.analysis().into(),
            status: common.outcome.status,
            message: common.outcome.message.clone(),
            remedy: common.outcome.remedy.clone(),
            summary: summary_lines(&found),
            checks: checks(&found),
            text: material.summary.text(),
            source: material.source.clone(),
            files: material.files.iter().map(|f| (f.name.clone(), f.description.clone())).collect(),
            scene: shown.scene.map(|(scene, _)| scene.clone()),
            axis: shown.signals.map_or(AxisName::default(), |signals| signals.axis.clone()),
            frames: frames.filter(|(few, _)| !few.is_empty()).map(|(few, _)| FrameBlocks::of(&few)),
            signals: shown.signals.and_then(|s| SignalBlocks::of(&s.table, &rows, &s.axis)),
            energy: shown.energy.and_then(EnergyBlocks::of),
            modes: shown.shapes.and_then(mode_list),
            plots: shown.signals.map_or(vec![], |signals| signals.plots.clone()),
            diagrams: material.diagrams.to_vec(),
            kept,
        }
    }
}

impl FrameBlocks {
    fn of(frames: &Frames) -> FrameBlocks {
        let (n, size) = (frames.len(), frames.size());
        let wrench = |part: usize, count: usize| Block::f32(&[n, count, 6], frames.part(part));
        FrameBlocks {
            axis: Block::f64(&[n], frames.axis().iter().copied()),
            poses: Block::f32(&[n, size.bodies, 7], frames.part(0)),
            reactions: wrench(1, size.joints),
            loads: wrench(2, size.loads),
            resultants: wrench(3, size.elements),
            amplitudes: Block::f32(&[n, size.amplitudes], frames.part(4)),
        }
    }

    /// The blocks of frames that are served, `at` giving the address of each part by its name.
    pub fn served(frames: &Frames, at: impl Fn(&str) -> String) -> FrameBlocks {
        let (n, size) = (frames.len(), frames.size());
        let block = |kind, name: &str, shape: &[usize]| Block {
            kind,
            shape: shape.to_vec(),
            content: Content::Url(at(name)),
        };
        FrameBlocks {
            axis: block(NumberType::F64, "axis", &[n]),
            poses: block(NumberType::F32, "poses", &[n, size.bodies, 7]),
            reactions: block(NumberType::F32, "reactions", &[n, size.joints, 6]),
            loads: block(NumberType::F32, "loads", &[n, size.loads, 6]),
            resultants: block(NumberType::F32, "resultants", &[n, size.elements, 6]),
            amplitudes: block(NumberType::F32, "amplitudes", &[n, size.amplitudes]),
        }
    }
}

impl SignalBlocks {
    fn of(table: &SignalTable, rows: &[usize], axis: &AxisName) -> Option<SignalBlocks> {
        if table.is_empty() || table.columns().is_empty() {
            return None;
        }
        let columns = table.columns().len();
        let values = (0..columns).filter_map(|c| table.samples(c));
        Some(SignalBlocks {
            axis: Block::f64(&[rows.len()], rows.iter().map(|&k| axis.values(table)[k])),
            list: names(table),
            values: Block::f32(
                &[columns, rows.len()],
                values.flat_map(|s| rows.iter().map(|&k| s[k] as f32)),
            ),
        })
    }

    /// The blocks of signals that are served.
    pub fn served(table: &SignalTable, at: impl Fn(&str) -> String) -> Option<SignalBlocks> {
        if table.is_empty() || table.columns().is_empty() {
            return None;
        }
        let block = |name: &str, shape: &[usize]| Block {
            kind: NumberType::F64,
            shape: shape.to_vec(),
            content: Content::Url(at(name)),
        };
        let (axis, values) =
            (block("time", &[table.len()]), block("signals", &[table.columns().len(), table.len()]));
        Some(SignalBlocks { axis, list: names(table), values })
    }
}

fn names(table: &SignalTable) -> Vec<SignalName> {
    let name = |c: &crate::table::Column| SignalName {
        name: c.name.clone(),
        unit: c.unit.clone(),
        description: c.description.clone(),
    };
    table.columns().iter().map(name).collect()
}

impl EnergyBlocks {
    fn of(history: &EnergyHistory) -> Option<EnergyBlocks> {
        let all: [(&str, &[f64]); 6] = [
            ("kinetic", &history.kinetic),
            ("potential", &history.potential),
            ("total", &history.total),
            ("supplied", &history.supplied),
            ("dissipated", &history.dissipated),
            ("imbalance", &history.imbalance),
        ];
        let columns: Vec<&[f64]> = all.iter().map(|(_, values)| *values).collect();
        let rows = few(&columns, history.time.len());
        if rows.is_empty() {
            return None;
        }
        Some(EnergyBlocks {
            axis: Block::f64(&[rows.len()], rows.iter().map(|&k| history.time[k])),
            names: all.iter().map(|(name, _)| (*name).to_owned()).collect(),
            values: Block::f32(
                &[all.len(), rows.len()],
                columns.iter().flat_map(|values| rows.iter().map(|&k| values[k] as f32)),
            ),
        })
    }
}

fn few_rows(table: &SignalTable) -> Vec<usize> {
    let columns: Vec<&[f64]> = (0..table.columns().len()).filter_map(|c| table.samples(c)).collect();
    few(&columns, table.len())
}

/// Rows that show all columns: of each of many groups of rows those with the lowest and the highest value of
/// each column, and the first gap.
fn few(columns: &[&[f64]], length: usize) -> Vec<usize> {
    if length <= SAMPLES {
        return (0..length).collect();
    }
    let groups = (SAMPLES / (2 * columns.len().max(1))).clamp(50, SAMPLES / 2);
    let mut rows = BTreeSet::from([0, length - 1]);
    for group in 0..groups {
        let range = group * length / groups..(group + 1) * length / groups;
        for column in columns {
            let by_value = |a: &usize, b: &usize| column[*a].total_cmp(&column[*b]);
            let known = || range.clone().filter(|&k| !column[k].is_nan());
            rows.extend(known().min_by(by_value));
            rows.extend(known().max_by(by_value));
            rows.extend(range.clone().find(|&k| column[k].is_nan()));
        }
    }
    rows.into_iter().collect()
}

/// The modes of `modes.json`.
fn mode_list(shapes: &ModeShapes) -> Option<serde_json::Value> {
    let mut whole: serde_json::Value = serde_json::from_str(&shapes.json().ok()?).ok()?;
    Some(whole.get_mut("modes")?.take())
}

/// What was done: the lines that do not bear on trust.
fn summary_lines(found: &[SummaryLine]) -> Vec<(String, String)> {
    let said = found.iter().filter(|line| !bears_on_trust(line));
    said.map(|line| (line.label.clone(), line.text.join("\n"))).collect()
}

/// What was judged, and what else tells about trust.
fn checks(found: &[SummaryLine]) -> Vec<Check> {
    let check = |line: &SummaryLine| Check {
        label: line.label.clone(),
        state: match line.judgement {
            Judgement::Holds => CheckState::Good,
            Judgement::Attention => CheckState::Doubtful,
            Judgement::Fails => CheckState::Bad,
            Judgement::None => CheckState::Note,
        },
        value: line.text.join("\n"),
        meaning: line.meaning.into(),
        at: line.at,
    };
    found.iter().filter(|line| bears_on_trust(line)).map(check).collect()
}

fn bears_on_trust(line: &SummaryLine) -> bool {
    line.judgement != Judgement::None || !line.meaning.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_survive_the_reduction() {
        let flat = vec![0.0; 100_000];
        let mut peak = flat.clone();
        peak[54_321] = 7.0;
        let rows = few(&[&flat, &peak], peak.len());
        assert!(rows.len() <= 2 * SAMPLES && rows.contains(&54_321));
        assert_eq!((rows[0], rows[rows.len() - 1]), (0, 99_999));
        assert_eq!(few(&[&flat[..10]], 10), (0..10).collect::<Vec<_>>());
    }

    #[test]
    fn the_page_holds_the_payload_and_gives_it_back() {
        let run = ReportedRun {
            name: "</script><b>".into(),
            study: "motion".into(),
            status: Status::Completed,
            message: String::new(),
            remedy: String::new(),
            summary: vec![],
            text: "text <!-- of it".into(),
            source: SourceText::default(),
            checks: vec![],
            files: vec![],
            scene: None,
            axis: AxisName::default(),
            frames: None,
            signals: None,
            energy: None,
            modes: None,
            plots: vec![],
            diagrams: vec![Diagram { file: "a.svg".into(), title: "A".into(), svg: "<svg></svg>".into() }],
            kept: Kept::default(),
        };
        let payload = Payload::new(vec![run]);
        let page = payload.page().unwrap();
        assert!(!page.contains("</script><b>") && !page.contains(&format!("{OPENING}null")));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.html");
        std::fs::write(&path, &page).unwrap();
        assert_eq!(Payload::read(&path).unwrap(), payload);
        // Cut short, or something else.
        let place = page.find(OPENING).unwrap() + 60;
        std::fs::write(&path, &page[..place]).unwrap();
        assert!(Payload::read(&path).unwrap_err().to_string().contains("cut short"));
        std::fs::write(&path, "<html></html>").unwrap();
        assert!(Payload::read(&path).unwrap_err().to_string().contains("no data of a run"));
    }
}
