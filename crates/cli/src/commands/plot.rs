//! `poinsot plot`: signals of results as a picture.

use super::render::stem;
use crate::message;
use clap::Args;
use poinsot_results::{
    ChosenCurve, ChosenPlot, RunFolder, SignalTable, chosen_sheet, read_signals, write_atomically,
};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Pixels of a PNG for each of the drawing.
const ZOOM: f32 = 2.0;
/// Most curves.
const CURVES: usize = 48;

/// Plot signals of results, over time or against each other.
#[derive(Args)]
#[command(after_help = "\
Examples:
  poinsot plot runs/crane                                    list the signals
  poinsot plot runs/crane 'load_*' --out load.png
  poinsot plot runs/coarse runs/fine swing --from 10
  poinsot plot runs/pendulum omega --against phi")]
pub struct Arguments {
    /// Folders of results, then names of signals; `*` stands for any letters. Without names the signals are
    /// listed.
    #[arg(required = true, value_name = "RESULT… SIGNAL")]
    words: Vec<String>,
    /// Plot against this signal instead of time.
    #[arg(long, value_name = "SIGNAL")]
    against: Option<String>,
    /// The picture, .svg or .png; default RESULT.svg, here.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Begin (s).
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    from: Option<f64>,
    /// End (s).
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    to: Option<f64>,
}

/// A result.
struct Run {
    /// Name of the folder, unique.
    name: String,
    /// Title of the model.
    title: String,
    table: SignalTable,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> ExitCode {
    match try_plot(arguments) {
        Ok(text) => message::print(&text),
        Err(text) => message::bad_input(&text),
    }
}

fn try_plot(arguments: &Arguments) -> Result<String, String> {
    let folders = arguments
        .words
        .iter()
        .enumerate()
        .take_while(|(k, word)| *k == 0 || Path::new(word).is_dir())
        .count();
    let (folders, patterns) = arguments.words.split_at(folders);
    let runs = folders.iter().map(|folder| read(Path::new(folder))).collect::<Result<Vec<_>, _>>()?;
    let runs = unique(runs);
    if patterns.is_empty() {
        return Ok(listing(&runs));
    }
    let picture = chosen(arguments, &runs, patterns)?;
    let out = arguments
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{}.svg", stem(Path::new(&folders[0])))));
    let sheet = chosen_sheet(&picture).map_err(|error| error.to_string())?;
    let bytes = match out.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).as_deref() {
        Some("svg") => sheet.svg().into_bytes(),
        Some("png") => sheet.image(ZOOM).and_then(|image| image.png()).map_err(|error| error.to_string())?,
        _ => return Err(format!("--out {}: the file must end with .svg or .png", out.display())),
    };
    write_atomically(&out, &bytes).map_err(|error| error.to_string())?;
    let names: Vec<&str> = picture.curves.iter().map(|curve| curve.name.as_str()).collect();
    Ok(format!("{}: {}\n", out.display(), names.join(", ")))
}

fn read(folder: &Path) -> Result<Run, String> {
    let table = read_signals(folder).map_err(|error| error.to_string())?;
    let name = stem(folder);
    let summary = Some(folder.join(RunFolder::SUMMARY)).filter(|path| path.is_file());
    let summary = summary.and_then(|path| std::fs::read_to_string(path).ok());
    let summary: Option<serde_json::Value> = summary.and_then(|text| serde_json::from_str(&text).ok());
    let title = summary.as_ref().and_then(|summary| summary.pointer("/model/name")?.as_str());
    Ok(Run { title: title.unwrap_or(&name).to_owned(), name, table })
}

/// Tells runs of the same name apart.
fn unique(mut runs: Vec<Run>) -> Vec<Run> {
    for k in 1..runs.len() {
        let mut number = 1;
        let plain = runs[k].name.clone();
        while runs[..k].iter().any(|run| run.name == runs[k].name) {
            number += 1;
            runs[k].name = format!("{plain} {number}");
        }
    }
    runs
}

/// All signals with units and descriptions.
fn listing(runs: &[Run]) -> String {
    let mut text = String::new();
    for run in runs {
        if runs.len() > 1 {
            text += &format!("{}\n", run.name);
        }
        let columns = run.table.columns();
        let widest =
            |width: fn(&poinsot_results::Column) -> usize| columns.iter().map(width).max().unwrap_or(0);
        let (name, unit) = (widest(|c| c.name.chars().count()), widest(|c| c.unit.chars().count()));
        for c in columns {
            text += format!("{:<name$}  {:<unit$}  {}", c.name, c.unit, c.description).trim_end();
            text.push('\n');
        }
        if columns.is_empty() {
            text += "no signals: add [[signal]] to the model\n";
        }
    }
    text
}

fn chosen(arguments: &Arguments, runs: &[Run], patterns: &[String]) -> Result<ChosenPlot, String> {
    let against = arguments.against.as_deref().filter(|name| *name != SignalTable::TIME);
    let mut names: Vec<&str> = vec![];
    for pattern in patterns {
        let all = runs.iter().flat_map(|run| run.table.columns()).map(|c| c.name.as_str());
        let found: Vec<&str> = all.filter(|name| matches(pattern, name)).collect();
        if found.is_empty() {
            return Err(unknown(pattern, runs));
        }
        for name in found {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    if names.len() * runs.len() > CURVES {
        return Err(format!(
            "{} curves are too many for a picture (at most {CURVES}): name fewer signals",
            names.len() * runs.len()
        ));
    }
    let mut curves = vec![];
    for (k, name) in names.iter().enumerate() {
        for (r, run) in runs.iter().enumerate() {
            let Some(c) = run.table.columns().iter().position(|c| c.name == *name) else { continue };
            let x = match against {
                Some(name) => {
                    run.table.column(name).ok_or_else(|| unknown(name, std::slice::from_ref(run)))?
                }
                None => run.table.time(),
            };
            let rows = rows(arguments, run.table.time());
            let values = run.table.samples(c).unwrap_or_default();
            // One signal of several runs: colours for the runs; else for the signals, and dashes for the
            // runs.
            let (colour, dash) = if names.len() == 1 { (r, 0) } else { (k, r) };
            curves.push(ChosenCurve {
                name: if runs.len() > 1 { format!("{name}, {}", run.name) } else { (*name).to_owned() },
                unit: run.table.columns()[c].unit.clone(),
                x: x[rows.clone()].to_vec(),
                y: values[rows].to_vec(),
                colour,
                dash,
            });
        }
    }
    if curves.iter().all(|curve| curve.x.is_empty()) {
        return Err("there is no sample between --from and --to".into());
    }
    let mut titles: Vec<&str> = runs.iter().map(|run| run.title.as_str()).collect();
    titles.dedup();
    let unit = |name: &str| runs[0].table.columns().iter().find(|c| c.name == name).map(|c| c.unit.clone());
    Ok(ChosenPlot {
        title: titles.join(", "),
        x_name: against.unwrap_or("time").to_owned(),
        x_unit: against.map_or(Some("s".into()), unit).unwrap_or_default(),
        over_time: against.is_none(),
        curves,
    })
}

/// The rows between the given times.
fn rows(arguments: &Arguments, time: &[f64]) -> std::ops::Range<usize> {
    let from = arguments.from.map_or(0, |from| time.partition_point(|&t| t < from));
    let to = arguments.to.map_or(time.len(), |to| time.partition_point(|&t| t <= to));
    from..to.max(from)
}

fn unknown(name: &str, runs: &[Run]) -> String {
    let names: Vec<&str> = runs.iter().flat_map(|run| run.table.columns()).map(|c| c.name.as_str()).collect();
    let hint = match poinsot_expr::suggest(name, &names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("`poinsot plot {}` lists them", runs[0].name),
    };
    format!("there is no signal `{name}`; {hint}")
}

/// Whether a name fits a pattern in which `*` stands for any letters and `?` for one.
fn matches(pattern: &str, name: &str) -> bool {
    match (pattern.chars().next(), name.chars().next()) {
        (None, None) => true,
        (Some('*'), first) => {
            matches(&pattern[1..], name) || first.is_some_and(|c| matches(pattern, &name[c.len_utf8()..]))
        }
        (Some('?'), Some(c)) => matches(&pattern[1..], &name[c.len_utf8()..]),
        (Some(p), Some(c)) => p == c && matches(&pattern[p.len_utf8()..], &name[c.len_utf8()..]),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards() {
        for (pattern, name, fits) in [
            ("*.position.x", "crank.position.x", true),
            ("*.position.x", "crank.position.y", false),
            ("*", "", true),
            ("a*b*c", "axxbyyc", true),
            ("a?c", "aµc", true),
            ("a?c", "ac", false),
            ("x", "xx", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
