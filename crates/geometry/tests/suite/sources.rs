//! Citations and links lead somewhere.
//!
//! Code, docs and models cite the sources of the theory by name and key; each page of docs/sources lists the
//! keys of one source in a table. A key belongs to the source that is named last before it in the file and
//! that has keys of this form, else to the first named after it. Keys without a dash or § count only in
//! comments, in Markdown and in a list that starts with the name. Reference problems need no name.
//!
//! `POINSOT_UPDATE=1 cargo test -p poinsot-geometry --test sources` writes the column "used in" of the pages.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A page of docs/sources and the forms of its keys: `#` a digit, `%` one from 1 to 9, `+` digits, `~` small
/// letters and digits, `?` one of a, b, c; all other characters stand for themselves.
struct Source {
    name: &'static str,
    forms: &'static [&'static str],
}

const REFERENCE_PROBLEMS: &str = "reference-problems";

const SOURCES: [Source; 6] = [
    Source { name: "energy-momentum-null-space", forms: &["I-##", "V-#", "V-#.+", "G-##"] },
    Source { name: "floating-frame-and-ancf", forms: &["V%", "V%#", "V%?", "V%#?", "§1.1%", "§#.+.+"] },
    Source { name: "gs4-isochronous-integrators", forms: &["I-##", "V-##", "§0.4"] },
    Source {
        name: "lagrangian-dae-modeling",
        forms: &["VC-#.~", "P%", "P%#", "B%", "B%#", "G%#", "F###", "§#.+"],
    },
    Source {
        name: "motion-interpolation-galerkin",
        forms: &["V%", "V%#", "X%", "X%#", "§#", "§#.+", "§#.+.+", "§#.+.+?"],
    },
    Source { name: REFERENCE_PROBLEMS, forms: &["A##", "B0#", "C##", "D##", "E##", "G0#"] },
];

impl Source {
    fn has_form_of(&self, key: &str) -> bool {
        key.starts_with(|c: char| c == '§' || c.is_ascii_uppercase())
            && self.forms.iter().any(|form| matches(key, form))
    }
}

fn matches(text: &str, form: &str) -> bool {
    let Some(kind) = form.chars().next() else { return text.is_empty() };
    let rest = &form[kind.len_utf8()..];
    let accepts = |c: char| match kind {
        '#' | '+' => c.is_ascii_digit(),
        '%' => c.is_ascii_digit() && c != '0',
        '~' => c.is_ascii_digit() || c.is_ascii_lowercase(),
        '?' => ('a'..='c').contains(&c),
        literal => c == literal,
    };
    let most = if matches!(kind, '+' | '~') { usize::MAX } else { 1 };
    let mut accepted = text.char_indices().take_while(|(_, c)| accepts(*c)).take(most);
    accepted.any(|(at, c)| matches(&text[at + c.len_utf8()..], rest))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All files under a folder, as paths from the root with `/`.
fn files(folder: &str, endings: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_string()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            let path = format!("{folder}/{name}");
            if entry.file_type().unwrap().is_dir() {
                if name != "target" && name != "node_modules" {
                    folders.push(path);
                }
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A word of a text: letters, digits, `§`, `.`, `-`, `_`, without dots and dashes at its ends.
struct Word<'a> {
    text: &'a str,
    at: usize,
}

impl Word<'_> {
    fn end(&self) -> usize {
        self.at + self.text.len()
    }
}

fn words(text: &str) -> Vec<Word<'_>> {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '§' | '.' | '-' | '_');
    let mut words = Vec::new();
    for piece in text.split(|c: char| !inside(c)) {
        let trimmed = piece.trim_matches(['.', '-']);
        if !trimmed.is_empty() {
            words.push(Word { text: trimmed, at: trimmed.as_ptr() as usize - text.as_ptr() as usize });
        }
    }
    words
}

/// Keys of one source that one file cites, and what is wrong with its citations.
#[derive(Default)]
struct Citations {
    keys: BTreeSet<(&'static str, String)>,
    errors: Vec<String>,
}

/// Whether keys without a dash count at this place: comments of Rust, and Markdown.
fn is_prose(path: &str, text: &str, at: usize) -> bool {
    let line = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at];
    path.ends_with(".md") || (path.ends_with(".rs") && line.contains("//"))
}

/// Whether the place is at the beginning of an entry `source = "…"` of a model.
fn begins_entry(text: &str, at: usize) -> bool {
    text[..at].ends_with("\nsource = \"")
}

fn citations(path: &str, text: &str) -> Citations {
    let mut found = Citations::default();
    let words = words(text);
    let names: Vec<(usize, &Source)> = words
        .iter()
        .filter_map(|word| Some((word.at, SOURCES.iter().find(|source| source.name == word.text)?)))
        .collect();
    let mut listed = false;
    let mut last: Option<&Word> = None;
    for (k, word) in words.iter().enumerate() {
        let fits: Vec<&Source> = SOURCES.iter().filter(|source| source.has_form_of(word.text)).collect();
        if fits.is_empty() {
            let joins = listed && matches!(word.text, "and" | "to");
            listed = joins || SOURCES.iter().any(|source| source.name == word.text);
            last = None;
            continue;
        }
        let place = || format!("{path}:{}", text[..word.at].matches('\n').count() + 1);
        let prose = is_prose(path, text, word.at);
        if fits[0].name == REFERENCE_PROBLEMS {
            let iftomm = k > 0 && words[k - 1].text == "IFToMM";
            if !iftomm && (prose || begins_entry(text, word.at)) {
                found.keys.insert((REFERENCE_PROBLEMS, word.text.to_string()));
            }
            continue;
        }
        let dashed = word.text.contains(['-', '§']);
        if !(dashed || prose || listed) {
            continue;
        }
        let fitting =
            |(_, source): &&(usize, &'static Source)| fits.iter().any(|fit| fit.name == source.name);
        let before = names.iter().rev().filter(|(at, _)| *at < word.at).find(fitting);
        let Some((_, source)) = before.or_else(|| names.iter().find(fitting)) else {
            if dashed {
                found.errors.push(format!("{}: {} without the name of its source", place(), word.text));
            }
            continue;
        };
        found.keys.insert((source.name, word.text.to_string()));
        if let Some(first) = last {
            match separator(&text[first.end()..word.at]) {
                "…" => match range(first.text, word.text) {
                    Some(keys) => found.keys.extend(keys.into_iter().map(|key| (source.name, key))),
                    None => found.errors.push(format!("{}: {} … {}?", place(), first.text, word.text)),
                },
                "–" => found.errors.push(format!("{}: write {} … {}", place(), first.text, word.text)),
                _ => {}
            }
        }
        let next = words.get(k + 1).filter(|next| next.text.starts_with(|c: char| c.is_ascii_digit()));
        if next.is_some_and(|next| matches!(separator(&text[word.end()..next.at]), "…" | "–")) {
            found.errors.push(format!("{}: write the whole key at the end of {} …", place(), word.text));
        }
        last = Some(word);
    }
    found
}

/// What stands between two words, without blanks and marks of comments.
fn separator(between: &str) -> &str {
    between.trim_matches(|c: char| c.is_whitespace() || matches!(c, '/' | '!'))
}

/// Keys after the first up to the last of a range that counts in the number at their end.
fn range(first: &str, last: &str) -> Option<Vec<String>> {
    let split = |key: &str| {
        let prefix = key.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        Some((key[..prefix].to_string(), key.len() - prefix, key[prefix..].parse::<usize>().ok()?))
    };
    let ((prefix, width, from), (same, _, to)) = (split(first)?, split(last)?);
    (prefix == same && from < to).then(|| (from + 1..=to).map(|n| format!("{prefix}{n:0width$}")).collect())
}

/// Where each key is cited, by source and key. The pages, this file and what is generated from
/// models do not count.
fn all_citations() -> BTreeMap<(&'static str, String), BTreeSet<String>> {
    let mut paths = files("crates", &[".rs"]);
    paths.retain(|path| path != "crates/geometry/tests/suite/sources.rs");
    paths.extend(files("docs", &[".md"]).into_iter().filter(|path| {
        !path.starts_with("docs/sources/") && path != "docs/references.md" && path != "docs/verification.md"
    }));
    paths.extend(files("verification", &[".toml", ".md"]));
    paths.extend(files("examples", &[".toml", ".ldae", ".md"]));
    let mut cited: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
    let mut errors = Vec::new();
    for path in paths {
        let found = citations(&path, &read(&root().join(&path)));
        errors.extend(found.errors);
        for key in found.keys {
            cited.entry(key).or_default().insert(path.clone());
        }
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    cited
}

/// The anchor of a key on its page.
fn anchor(key: &str) -> String {
    key.to_lowercase().replace('§', "s")
}

/// The key of a row of a page's table.
fn row_key(line: &str) -> Option<&str> {
    let (anchor, rest) = line.strip_prefix("| <a id=\"")?.split_once("\"></a>")?;
    let key = rest.split_once(" | ")?.0;
    assert_eq!(anchor, self::anchor(key), "anchor of {key}");
    Some(key)
}

/// Links to the files that cite a key; the models of a folder are one link.
fn used_in(paths: &BTreeSet<String>) -> String {
    let places: BTreeSet<&str> = paths
        .iter()
        .map(|path| match path.strip_suffix(".toml").and_then(|path| path.rsplit_once('/')) {
            Some((folder, _)) if folder.starts_with("verification/") => folder,
            _ => path.as_str(),
        })
        .collect();
    let links = places.iter().map(|place| {
        let short = place.strip_prefix("crates/").unwrap_or(place);
        let target = place.strip_prefix("docs/").map_or(format!("../../{place}"), |doc| format!("../{doc}"));
        format!("[{short}]({target})")
    });
    links.collect::<Vec<_>>().join(", ")
}

#[test]
fn every_cited_key_has_an_entry_and_every_entry_is_cited() {
    let cited = all_citations();
    let update = std::env::var_os("POINSOT_UPDATE").is_some();
    let mut errors = Vec::new();
    for source in &SOURCES {
        let path = root().join(format!("docs/sources/{}.md", source.name));
        let page = read(&path);
        let mut entries = BTreeSet::new();
        let mut lines = Vec::new();
        for line in page.lines() {
            let Some(key) = row_key(line) else {
                lines.push(line.to_string());
                continue;
            };
            if !entries.insert(key.to_string()) {
                errors.push(format!("{}: {key} has two entries", source.name));
            }
            let Some(paths) = cited.get(&(source.name, key.to_string())) else {
                errors.push(format!("{}: nothing cites {key}", source.name));
                continue;
            };
            let row = line.trim_end_matches(" |").rsplit_once(" | ").expect("three columns").0;
            let expected = format!("{row} | {} |", used_in(paths));
            if line != expected && !update {
                errors.push(format!("{}: where {key} is used; POINSOT_UPDATE=1 writes it", source.name));
            }
            lines.push(expected);
        }
        for ((name, key), paths) in &cited {
            if *name == source.name && !entries.contains(key) {
                errors.push(format!("{}: no entry for {key} of {paths:?}", source.name));
            }
        }
        if update {
            fs::write(&path, lines.join("\n") + "\n").unwrap();
        }
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn keys_are_found_and_belong_to_the_source_named_before_them() {
    let found = |path: &str, text: &str| {
        let Citations { keys, errors } = citations(path, text);
        (
            keys.into_iter().map(|(name, key)| format!("{} {key}", &name[..3])).collect::<Vec<_>>(),
            errors.len(),
        )
    };
    let (em, gs4, mot) = (SOURCES[0].name, SOURCES[2].name, SOURCES[4].name);
    let keys = |list: &[&str]| (list.iter().map(ToString::to_string).collect::<Vec<_>>(), 0);
    assert_eq!(found("a.rs", &format!("//! ({gs4} I-02, V-03).")), keys(&["gs4 I-02", "gs4 V-03"]));
    assert_eq!(found("a.rs", &format!("// {gs4}\n// {em}\n/// I-21, V-1")), keys(&["ene I-21", "ene V-1"]));
    assert_eq!(found("a.rs", &format!("// V5 of {mot}")), keys(&["mot V5"]));
    assert_eq!(found("a.toml", &format!("V5 = 3 # {mot} V6 and X7, not V8")), keys(&["mot V6", "mot X7"]));
    assert_eq!(
        found("a.rs", &format!("// {mot} §1.9 …\n/// §1.11")),
        keys(&["mot §1.10", "mot §1.11", "mot §1.9"])
    );
    assert_eq!(found("a.toml", "name = \"C09\"\nsource = \"C02, exact\""), keys(&["ref C02"]));
    assert_eq!(found("a.rs", "let v = 1; // I-53").1, 1);
    assert_eq!(found("a.rs", &format!("// {mot} V1–V4")).1, 1);
    assert_eq!(found("a.rs", &format!("// {mot} §1.9 … 1.11")).1, 1);
}

/// Lines of a Markdown text that are not code.
fn prose(text: &str) -> Vec<&str> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push(line);
        }
    }
    lines
}

/// The anchors of a Markdown text: headings as GitHub writes them, and `<a id>`.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for line in prose(text) {
        for id in line.split("<a id=\"").skip(1) {
            anchors.extend(id.split_once('"').map(|(id, _)| id.to_string()));
        }
        if !line.starts_with('#') {
            continue;
        }
        let heading = line.trim_start_matches('#').trim();
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let slug = kept.collect::<String>().to_lowercase().replace(' ', "-");
        let count = seen.entry(slug.clone()).or_default();
        anchors.insert(if *count == 0 { slug.clone() } else { format!("{slug}-{count}") });
        *count += 1;
    }
    anchors
}

/// Targets of the links of a Markdown text, without those in code.
fn links(text: &str) -> Vec<&str> {
    let mut targets = Vec::new();
    for line in prose(text) {
        for (at, _) in line.match_indices("](") {
            let in_code = line[..at].matches('`').count() % 2 == 1;
            targets.extend(line[at + 2..].split_once(')').filter(|_| !in_code).map(|(target, _)| target));
        }
    }
    targets
}

#[test]
fn links_between_documents_point_to_files_and_headings_that_exist() {
    let mut pages = files("docs", &[".md"]);
    pages
        .extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "verification/README.md"].map(String::from));
    let mut errors = Vec::new();
    for page in &pages {
        let text = read(&root().join(page));
        let folder = root().join(page).parent().unwrap().to_path_buf();
        for link in links(&text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { root().join(page) } else { folder.join(file) };
            if !target.exists() {
                errors.push(format!("{page}: {link} is no file"));
            } else if !heading.is_empty() && !anchors(&read(&target)).contains(heading) {
                errors.push(format!("{page}: {link} is no heading"));
            }
        }
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn the_contents_of_the_theory_are_its_sections() {
    let text = read(&root().join("docs/theory.md"));
    let sections: Vec<&str> = prose(&text).into_iter().filter_map(|line| line.strip_prefix("## ")).collect();
    let number = |title: &str| title.split(['.', ' ']).next().and_then(|n| n.parse::<usize>().ok());
    for (k, section) in sections.iter().enumerate() {
        assert_eq!(number(section), Some(k + 1), "number of section \"{section}\"");
    }
    let contents =
        text.split_once("Contents: ").expect("contents").1.split_once("\n\n").expect("their end").0;
    let entries: Vec<(&str, &str)> = contents
        .split('[')
        .skip(1)
        .map(|entry| entry.trim_end_matches([')', ' ', '·', '\n']).split_once("](#").expect("a link"))
        .collect();
    assert_eq!(entries.len(), sections.len(), "entries of the contents");
    let known = anchors(&text);
    for (k, (title, target)) in entries.iter().enumerate() {
        assert_eq!(number(title), Some(k + 1), "number of \"{title}\" in the contents");
        assert!(target.starts_with(&format!("{}-", k + 1)), "\"{title}\" leads to {target}");
        assert!(known.contains(*target), "\"{title}\" leads to {target}, which is no heading");
    }
}
