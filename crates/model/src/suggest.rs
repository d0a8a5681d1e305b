//! "Did you mean …?"

/// The help line that offers the candidate nearest to a misspelt name.
pub(crate) fn did_you_mean<S: AsRef<str>>(
    name: &str,
    candidates: impl IntoIterator<Item = S>,
) -> Option<String> {
    let candidates: Vec<S> = candidates.into_iter().collect();
    let near = poinsot_expr::suggest(name, &candidates).or_else(|| {
        let singular = format!("{}y", name.strip_suffix("ies")?);
        poinsot_expr::suggest(&singular, &candidates)
    })?;
    Some(format!("did you mean `{near}`?"))
}
