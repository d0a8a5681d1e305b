//! Words that fit a column.

/// The text in lines of at most so many letters. It is broken between words, where they stand farther apart
/// first; a word that does not fit a line of its own, after a letter that joins its parts, else anywhere.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![];
    let mut rest: Vec<char> = text.trim_end().chars().collect();
    while rest.len() > width {
        let begin = rest.iter().position(|c| *c != ' ').unwrap_or(0);
        let wide = |&k: &usize| rest[k] == ' ' && rest.get(k + 1) == Some(&' ');
        let apart = (begin + 1..=width).rev().find(wide).filter(|k| 2 * k >= width);
        let between = apart.or_else(|| (begin + 1..=width).rev().find(|&k| rest[k] == ' '));
        let within = || (begin + 1..=width).rev().find(|&k| joins(rest[k - 1]));
        let cut = between.or_else(within).unwrap_or(width);
        let tail = rest.split_off(cut);
        lines.push(rest.into_iter().collect::<String>().trim_end().to_owned());
        rest = tail.into_iter().skip_while(|c| *c == ' ').collect();
    }
    lines.push(rest.into_iter().collect());
    lines
}

/// Whether a letter stands between the parts of a name, a path or a number.
fn joins(c: char) -> bool {
    matches!(c, '.' | '_' | '-' | '/' | ',' | ':' | '…')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("one two  three four", 9), ["one two", "three", "four"]);
        assert_eq!(wrapped("one two", 7), ["one two"]);
        assert_eq!(wrapped("0 + 1i,  0 + 2i,  0 + 3i", 20), ["0 + 1i,  0 + 2i,", "0 + 3i"]);
        assert_eq!(wrapped("", 7), [""]);
        assert_eq!(wrapped("  indented words stay so", 14), ["  indented", "words stay so"]);
    }

    #[test]
    fn long_words_break_at_their_joints() {
        assert_eq!(wrapped("at left_front.suspension.arm", 16), ["at", "left_front.", "suspension.arm"]);
        assert_eq!(wrapped("abcdefghij", 4), ["abcd", "efgh", "ij"]);
    }
}
