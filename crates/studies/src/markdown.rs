//! Tables in the terminal that are Markdown as well.

/// A table with its columns lined up, names to the left and numbers to the right; empty columns are left out.
pub fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let full = |i: &usize| rows.iter().any(|row| row.get(*i).is_some_and(|cell| !cell.is_empty()));
    let kept: Vec<usize> = (0..headings.len()).filter(full).collect();
    let headings: Vec<&str> = kept.iter().map(|&i| headings[i]).collect();
    let cell = |row: &Vec<String>, i: usize| row.get(i).cloned().unwrap_or_default();
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| kept.iter().map(|&i| cell(row, i)).collect()).collect();
    aligned(&headings, &rows)
}

fn aligned(headings: &[&str], rows: &[Vec<String>]) -> String {
    let length = |text: &str| text.chars().count();
    let width = |i: usize| {
        let cells = rows.iter().filter_map(|row| row.get(i)).map(|cell| length(cell));
        cells.chain([length(headings[i])]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let is_text: Vec<bool> = (0..headings.len())
        .map(|i| rows.iter().any(|row| row.get(i).is_some_and(|cell| is_word(cell))))
        .collect();
    let line = |cells: &[&str]| {
        let set = (0..headings.len()).map(|i| {
            let (cell, width) = (cells.get(i).copied().unwrap_or(""), widths[i]);
            if is_text[i] { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        format!("| {} |\n", set.collect::<Vec<_>>().join(" | "))
    };
    let rule = widths.iter().zip(&is_text).map(|(width, text)| {
        let dashes = "-".repeat(width + 1);
        if *text { format!("{dashes}-") } else { format!("{dashes}:") }
    });
    let mut out = line(headings);
    out += &format!("|{}|\n", rule.collect::<Vec<_>>().join("|"));
    for row in rows {
        out += &line(&row.iter().map(String::as_str).collect::<Vec<_>>());
    }
    out
}

/// Whether a cell begins with a letter.
fn is_word(cell: &str) -> bool {
    cell.chars().next().is_some_and(char::is_alphabetic)
}

/// A positive number with two digits: `3.1e-5`; plain where that is as short.
pub fn two_digits(value: f64) -> String {
    let text = format!("{value:.1e}");
    match (value == 0.0, (0.1..100.0).contains(&value.abs())) {
        (true, _) => "0".into(),
        (_, true) => text.parse::<f64>().map_or(text, |rounded| rounded.to_string()),
        _ => text,
    }
}

/// A number as short as it can be: `1e-6`, `0.25`.
pub fn short(value: f64) -> String {
    let [plain, power] = [format!("{value}"), format!("{value:e}")];
    if power.len() < plain.len() { power } else { plain }
}

/// A chosen number, to three digits at most.
pub fn few_digits(value: f64) -> String {
    format!("{value:.2e}").parse().map_or_else(|_| short(value), short)
}

/// A chosen number, to four digits at most.
pub fn rounded(value: f64) -> String {
    format!("{value:.3e}").parse().map_or_else(|_| short(value), short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_numbers_stand_to_the_right() {
        let rows = [["radau", "", "1e-6"], ["hht", "", "12.25"]].map(|row| row.map(String::from).to_vec());
        let text = table(&["name", "none", "error"], &rows);
        assert_eq!(text, "| name  | error |\n|-------|------:|\n| radau |  1e-6 |\n| hht   | 12.25 |\n");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0.0, 3.14159e-5, 0.25, 12.6, 3e8].map(two_digits),
            ["0", "3.1e-5", "0.25", "13", "3.0e8"]
        );
        assert_eq!([1e-6, 0.25, 0.001].map(short), ["1e-6", "0.25", "1e-3"]);
        assert_eq!([0.001_234_567, 0.000_123_456_7].map(rounded), ["0.001235", "1.235e-4"]);
    }
}
