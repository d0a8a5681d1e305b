//! The lines of a summary: what the text in a terminal and the audit of a page are both made of.

use super::table::Table;
use super::wrap::wrapped;

/// Least width of the text beside the labels, however narrow the terminal.
const LEAST_ROOM: usize = 24;

/// How what a line says was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Judgement {
    /// Not at all: it is for information.
    #[default]
    None,
    /// It holds.
    Holds,
    /// It should be looked at.
    Attention,
    /// It does not hold.
    Fails,
}

impl Judgement {
    /// Of what keeps its limit or not, if it has one.
    pub fn of(holds: Option<bool>) -> Judgement {
        match holds {
            Some(true) => Judgement::Holds,
            Some(false) => Judgement::Fails,
            None => Judgement::None,
        }
    }

    /// Whether it holds or fails, `None` if neither.
    pub fn verdict(self) -> Option<bool> {
        match self {
            Judgement::Holds => Some(true),
            Judgement::Fails => Some(false),
            Judgement::None | Judgement::Attention => None,
        }
    }

    /// The mark in front of a line.
    fn mark(self) -> char {
        match self {
            Judgement::Holds => '✓',
            Judgement::Fails => '✗',
            Judgement::Attention => '!',
            Judgement::None => ' ',
        }
    }

    /// The one that counts for several together: the worst.
    fn worst(self, other: Judgement) -> Judgement {
        let rank = |j: Judgement| match j {
            Judgement::None => 0,
            Judgement::Holds => 1,
            Judgement::Attention => 2,
            Judgement::Fails => 3,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

/// What a summary says under one label.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SummaryLine {
    /// What it is about.
    pub label: String,
    /// What was found, line by line.
    pub text: Vec<String>,
    /// How it was judged: the worst of its lines.
    pub judgement: Judgement,
    /// What it means for somebody who wants to know whether to trust the results; empty where it does not
    /// bear on that.
    pub meaning: &'static str,
    /// Where on the time axis it happened.
    pub at: Option<f64>,
    /// How each line was judged.
    marks: Vec<Judgement>,
    /// Tables, with the number of the line in which each begins.
    tables: Vec<(usize, Table)>,
    /// The terminal leaves the label out.
    silent: bool,
}

impl SummaryLine {
    pub(super) fn new(label: &str, silent: bool) -> SummaryLine {
        SummaryLine { label: label.into(), meaning: meaning(label), silent, ..SummaryLine::default() }
    }

    pub(super) fn say(&mut self, judgement: Judgement, text: &str) {
        self.text.push(text.trim_end().into());
        self.marks.push(judgement);
        self.judgement = self.judgement.worst(judgement);
    }

    /// Says before all else what speaks against it; what held needs attention then.
    pub(super) fn but(&mut self, against: &str) {
        self.marks.iter_mut().filter(|mark| **mark == Judgement::Holds).for_each(|m| *m = Judgement::None);
        self.text.insert(0, format!("but {against}"));
        self.marks.insert(0, Judgement::Attention);
        self.tables.iter_mut().for_each(|(first, _)| *first += 1);
        self.judgement = self.judgement.worst(Judgement::Attention);
    }

    /// What does not hold.
    pub fn failures(&self) -> impl Iterator<Item = &str> {
        let failed = |(mark, _): &(&Judgement, &String)| **mark == Judgement::Fails;
        self.marks.iter().zip(&self.text).filter(failed).map(|(_, text)| text.as_str())
    }

    /// Takes in a table, each row of it being a line.
    pub(super) fn tabulate(&mut self, table: Table) {
        let first = self.text.len();
        table.lines().iter().for_each(|line| self.say(Judgement::None, line));
        self.tables.push((first, table));
    }

    /// The lines `mark label text`, with a column of so many letters for the labels; in lines of at most
    /// `columns` letters, if that is given.
    pub(super) fn write(&self, width: usize, columns: Option<usize>, out: &mut String) {
        let room = columns.map(|all| all.saturating_sub(width + 2).max(LEAST_ROOM));
        let mut k = 0;
        while k < self.text.len() {
            let table = self.tables.iter().find(|(first, _)| *first == k).map(|(_, table)| table);
            let (lines, taken) = match (table, room) {
                (Some(table), Some(room)) => (table.lines_within(room), table.height()),
                (None, Some(room)) => (wrapped(&self.text[k], room), 1),
                (_, None) => (vec![self.text[k].clone()], 1),
            };
            for (part, text) in lines.iter().enumerate() {
                let mark = if part == 0 { self.marks[k].mark() } else { ' ' };
                let label = if k + part == 0 && !self.silent { &self.label } else { "" };
                let line = format!("{mark} {label:width$}{text}");
                out.push_str(line.trim_end());
                out.push('\n');
            }
            k += taken;
        }
    }
}

/// What a line that several studies have means, for those that bear on trust.
fn meaning(label: &str) -> &'static str {
    match label {
        "completed" | "interrupted" | "failed" => "How far the study got.",
        "constraints" => {
            "How far the joints are open. Zero would be exact; the limit is far below what can be seen."
        }
        "singularity" => {
            "How near the mechanism is to a position where its joints lose hold of it or lock it. There numbers become unreliable."
        }
        "redundant" => {
            "Rows of constraints that say again what others say. Their reactions are one distribution of many."
        }
        "expected" => "Values that the model file says to expect, from a source outside this program.",
        "stability" => "Whether small deviations from the state grow.",
        "warnings" => "What else should be known before the results are used.",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_counts_and_every_line_keeps_its_mark() {
        let mut line = SummaryLine::new("constraints", false);
        line.say(Judgement::Holds, "position  1e-11");
        line.say(Judgement::Fails, "velocity  5e-3");
        line.say(Judgement::None, "acceleration");
        assert_eq!((line.judgement, line.text.len()), (Judgement::Fails, 3));
        let mut text = String::new();
        line.write(13, None, &mut text);
        assert_eq!(
            text,
            "✓ constraints  position  1e-11\n✗              velocity  5e-3\n               acceleration\n"
        );
        assert!(line.meaning.starts_with("How far the joints are open"));
    }

    #[test]
    fn long_lines_go_on_below_their_text() {
        let mut line = SummaryLine::new("warnings", false);
        line.say(Judgement::Attention, "the joints of this mechanism lock it in one position");
        line.say(Judgement::Attention, "short");
        let mut text = String::new();
        line.write(13, Some(48), &mut text);
        assert_eq!(
            text,
            "! warnings     the joints of this mechanism lock\n               it in one position\n!              short\n"
        );
    }

    #[test]
    fn a_silent_label_is_for_the_page_alone() {
        let mut line = SummaryLine::new("modes", true);
        line.say(Judgement::None, "mode  Hz   ");
        let mut text = String::new();
        line.write(13, None, &mut text);
        assert_eq!(text, "               mode  Hz\n");
        assert_eq!((line.label.as_str(), line.meaning), ("modes", ""));
    }
}
