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
    let wanted = name.to_lowercase();
    let mut best: Option<(usize, String)> = None;
    for candidate in candidates {
        let candidate = candidate.as_ref();
        let found = candidate.to_lowercase();
        let distance = strsim::osa_distance(&wanted, &found);
        let near = distance <= tolerance(wanted.chars().count()) && distance < found.chars().count();
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

fn tolerance(length: usize) -> usize {
    match length {
        0 | 1 => 0,
        2..=5 => 1,
        6..=8 => 2,
        _ => (length / 3).min(4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
