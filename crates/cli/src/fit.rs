//! Breaks long messages to the width of a terminal: what is wrong, and what to try. Lines of the model file,
//! and marks below them, stay as they are.

use console::{measure_text_width, strip_ansi_codes};

/// Words before text that may be broken.
const BEGIN: [&str; 5] = ["Error: ", "Warning: ", "Try: ", "Help: ", "Note: "];

/// The text with long lines broken at words.
pub fn fit(text: &str, columns: usize) -> String {
    let lines: Vec<String> = text.lines().map(|line| fit_line(line, columns)).collect();
    lines.join("\n")
}

fn fit_line(line: &str, columns: usize) -> String {
    let plain = strip_ansi_codes(line);
    let margin: String = plain.chars().take_while(|c| c.is_whitespace() || *c == '│').collect();
    let said = BEGIN.iter().find(|word| plain[margin.len()..].starts_with(**word));
    let (Some(word), true) = (said, measure_text_width(line) > columns) else { return line.into() };
    // Behind the word there are no colours.
    let Some((_, rest)) = plain.split_once(word) else { return line.into() };
    let head = &line[..line.len() - rest.len()];
    if !line.ends_with(rest) {
        return line.into();
    }
    let indent = margin.clone() + &" ".repeat(word.chars().count());
    let room = columns.saturating_sub(indent.chars().count()).max(10);
    let mut broken = vec![String::new()];
    for word in rest.split(' ') {
        let last = broken.last_mut().expect("there is one");
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > room {
            broken.push(word.into());
        } else {
            *last = if last.is_empty() { word.into() } else { format!("{last} {word}") };
        }
    }
    format!("{head}{}", broken.join(&format!("\n{indent}")))
}

#[cfg(test)]
mod tests {
    use super::fit;

    #[test]
    fn help_is_broken_below_its_margin() {
        let text =
            "    \u{1b}[31m│\u{1b}[0m \u{1b}[32mHelp\u{1b}[0m: let one of the laws read positions instead";
        let fitted = fit(text, 34);
        assert_eq!(
            fitted,
            "    \u{1b}[31m│\u{1b}[0m \u{1b}[32mHelp\u{1b}[0m: let one of the laws\n    │       read positions instead"
        );
        assert_eq!(fit(text, 80), text, "short enough");
        let code = " 22 │ a line of the file that is longer than the terminal, and stays whole";
        assert_eq!(fit(code, 30), code);
        assert_eq!(
            fit("Error: one two three four five six", 20),
            "Error: one two three\n       four five six"
        );
    }
}
