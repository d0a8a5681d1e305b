//! The lines of a summary read back from its text.

use super::LABEL;

/// A line `mark label text` with those that continue it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Line {
    /// Whether what it says holds, if that was judged.
    pub verdict: Option<bool>,
    /// True where it does not fail but should be looked at.
    pub attention: bool,
    /// Label.
    pub label: String,
    /// Text, and the text of the lines that continue it.
    pub text: Vec<String>,
}

impl Line {
    /// The time that the line tells of, `t = 1.5 s`.
    pub fn time(&self) -> Option<f64> {
        let after = |text: &String| {
            let (_, rest) = text.split_once("t = ")?;
            let (number, rest) = rest.split_once(' ')?;
            rest.starts_with('s').then(|| number.parse().ok()).flatten()
        };
        self.text.iter().find_map(after)
    }
}

/// The lines after the title.
pub(crate) fn lines(text: &str) -> Vec<Line> {
    let mut found: Vec<Line> = vec![];
    for line in text.lines().skip(1) {
        let mut chars = line.chars();
        let mark = chars.next();
        let rest: String = chars.skip(1).collect();
        let split = rest.char_indices().nth(LABEL).map_or(rest.len(), |(at, _)| at);
        let (label, said) = (rest[..split].trim(), rest[split..].trim());
        let verdict = match mark {
            Some('✓') => Some(true),
            Some('✗' | '!') => Some(false),
            _ => None,
        };
        let attention = mark == Some('!');
        match found.last_mut() {
            Some(last) if label.is_empty() => {
                // The worst of what stands under one label.
                if verdict == Some(false) && (last.verdict != Some(false) || last.attention) {
                    (last.verdict, last.attention) = (verdict, attention);
                } else if last.verdict.is_none() {
                    last.verdict = verdict;
                }
                last.text.push(said.into());
            }
            _ if label.is_empty() => {}
            _ => found.push(Line { verdict, attention, label: label.into(), text: vec![said.into()] }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_with_their_verdicts() {
        let text = "Crane  (crane.toml)\n\
            ✓ completed    t = 0 … 25 s in 15 ms\n\
            \x20 method       generalized-alpha\n\
            ✓ constraints  position  1e-11  t = 17.01 s\n\
            ✗              velocity  5e-3\n\
            ! warnings     look\n";
        let found = lines(text);
        let labels: Vec<&str> = found.iter().map(|l| l.label.as_str()).collect();
        assert_eq!(labels, ["completed", "method", "constraints", "warnings"]);
        assert_eq!((found[2].verdict, found[2].text.len()), (Some(false), 2));
        assert_eq!(found[2].time(), Some(17.01));
        assert_eq!((found[0].time(), found[1].verdict), (None, None));
        assert!(found[3].attention);
    }
}
