//! Reading plots back.

use std::fs;
use std::path::Path;

/// Checks that tags nest, attributes are quoted and entities are known.
fn assert_well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        let (text, tag) = rest.split_at(start);
        assert_text(text);
        let end = tag.find('>').expect("a tag that ends");
        let inside = &tag[1..end];
        rest = &tag[end + 1..];
        assert_eq!(inside.matches('"').count() % 2, 0, "{inside}");
        if let Some(name) = inside.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !inside.ends_with('/') {
            open.push(inside.split_whitespace().next().unwrap());
        }
        assert_text(inside);
    }
    assert!(open.is_empty() && rest.trim().is_empty());
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

fn assert_text(text: &str) {
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
    for after in text.split('&').skip(1) {
        let known = ["amp;", "lt;", "gt;", "quot;", "apos;"];
        assert!(known.iter().any(|e| after.starts_with(e)), "&{after}");
    }
}

/// The document, after checking that it is well formed.
pub fn read_svg(path: &Path) -> String {
    let svg = fs::read_to_string(path).unwrap();
    assert_well_formed(&svg);
    svg
}
