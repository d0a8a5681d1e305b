//! What a crate may know: the dependencies between crates are those that docs/architecture.md allows.

use std::collections::BTreeMap;
use std::path::Path;

/// Each crate with those that it may use. Data flow from the file to the results: what is not listed is a way
/// back.
const MAY_USE: [(&str, &[&str]); 13] = [
    ("geometry", &[]),
    ("expr", &[]),
    ("numerics", &[]),
    ("results", &[]),
    ("mechanics", &["geometry", "expr", "numerics", "flexible"]),
    ("flexible", &["geometry", "numerics"]),
    ("integrators", &["geometry", "numerics", "mechanics"]),
    ("analysis", &["geometry", "expr", "numerics", "mechanics", "integrators"]),
    ("model", &["geometry", "expr", "flexible", "mechanics", "integrators"]),
    (
        "studies",
        &[
            "geometry",
            "expr",
            "numerics",
            "flexible",
            "mechanics",
            "integrators",
            "analysis",
            "model",
            "results",
        ],
    ),
    ("poinsot", &["geometry", "mechanics", "model", "results", "studies"]),
    ("cli", &["expr", "numerics", "mechanics", "integrators", "analysis", "model", "results", "studies"]),
    (
        "benches",
        &[
            "geometry",
            "expr",
            "numerics",
            "flexible",
            "mechanics",
            "integrators",
            "analysis",
            "model",
            "studies",
        ],
    ),
];

/// The crates of the project that stand under `[dependencies]` of a manifest.
fn used(manifest: &str) -> Vec<String> {
    let inside = manifest.split("\n[").find(|part| part.starts_with("dependencies]")).unwrap_or_default();
    let ours = inside.lines().filter_map(|line| line.strip_prefix("poinsot-"));
    ours.map(|rest| rest.split(['.', ' ', '=']).next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn crates_use_what_they_may() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = std::fs::read_dir(root.join("crates")).unwrap();
    let crates = folders.map(|entry| entry.unwrap().path()).chain([root.join("benches")]);
    let may_use: BTreeMap<&str, &[&str]> = MAY_USE.into_iter().collect();
    let mut seen = 0;
    for folder in crates {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let allowed = may_use.get(name).unwrap_or_else(|| panic!("nothing says what `{name}` may use"));
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        for other in used(&manifest) {
            assert!(allowed.contains(&other.as_str()), "`{name}` must not use `{other}`");
            seen += 1;
        }
    }
    assert!(seen > 30, "the manifests were not read: {seen}");
}
