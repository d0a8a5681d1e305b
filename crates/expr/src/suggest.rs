//! "Did you mean": the nearest of a list of names.

/// Returns the candidate nearest to `name`, or `None` if all are too far off to be a slip of the
/// keyboard.
///
/// Case is ignored; a missing, extra, wrong or transposed letter counts one. Longer names may
/// differ by more: none for one letter, one up to five, two up to eight, then a third of the length
/// but at most four. The first of equally near candidates wins.
///
/// ```
/// use poinsot_expr::suggest;
/// assert_eq!(suggest("lenght", ["mass", "length"]), Some("length".to_string()));
/// assert_eq!(suggest("stiffness", ["mass", "length"]), None);
/// ```
pub fn suggest<S: AsRef<str>>(name: &str, candidates: impl IntoIterator<Item = S>) -> Option<String> {
    let wanted = letters(name);
    let mut best: Option<(usize, String)> = None;
    for candidate in candidates {
        let candidate = candidate.as_ref();
        let found = letters(candidate);
        let distance = edit_distance(&wanted, &found);
        let near = distance <= tolerance(wanted.len()) && distance < found.len();
        if near && best.as_ref().is_none_or(|(least, _)| distance < *least) {
            best = Some((distance, candidate.to_string()));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The end of an error message: ` (did you mean ...?)`, or nothing.
pub(crate) fn hint(suggestion: &Option<String>) -> String {
    match suggestion {
        Some(text) => format!(" (did you mean `{text}`?)"),
        None => String::new(),
    }
}

fn letters(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

fn tolerance(length: usize) -> usize {
    match length {
        0 | 1 => 0,
        2..=5 => 1,
        6..=8 => 2,
        _ => (length / 3).min(4),
    }
}

/// Edit distance with transposition of neighbours (optimal string alignment):
/// d(i,j) = min( d(i-1,j)+1, d(i,j-1)+1, d(i-1,j-1)+[a_i≠b_j], d(i-2,j-2)+1 if a_i a_{i-1} = b_{j-1} b_j ).
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = change.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: &str, b: &str) -> usize {
        edit_distance(&letters(a), &letters(b))
    }

    #[test]
    fn distances() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("sqrt", "sqtr"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("Mass", "mass"), 0);
    }

    #[test]
    fn short_names_are_not_guessed() {
        assert_eq!(suggest("x", ["y", "z"]), None);
        assert_eq!(suggest("l", ["L"]), Some("L".to_string()));
        assert_eq!(suggest("fx", ["x"]), None);
        assert_eq!(suggest("m3", ["m1", "m2"]), Some("m1".to_string()));
        assert_eq!(suggest("a", Vec::<String>::new()), None);
    }

    #[test]
    fn dotted_names() {
        let names = ["hinge.angle", "hinge.rate", "top.position.x"];
        assert_eq!(suggest("hinge.ange", names), Some("hinge.angle".into()));
        assert_eq!(suggest("top.positon.x", names), Some("top.position.x".into()));
    }
}
