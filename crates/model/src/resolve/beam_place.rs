//! Quantities of beams: at nodes, in elements, at Gauss points, and at any arc length as
//! `beam.at(s).force.x`.

use super::Resolver;
use super::formula::Place;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{Axis, BeamTable, FileTable};
use crate::quantity::{BeamPlace, BeamQuantity, JointQuantity, Motion, Quantity};
use crate::spec::BodyRef;
use crate::value::{Number, Text};
use poinsot_mechanics::beams::{Course, gauss_places};
use std::collections::BTreeMap;

/// What comes between the name of a beam and the arc length.
const AT: &str = ".at(";

/// Most places of a shape.
const MOST_PLACES: f64 = 1e4;

/// The text with names like `beam.at(L/2).force.x` made plain, byte for byte as long: to the expression
/// language they are no names. Different places get different names.
pub(super) fn with_plain_places(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let mut from = 0;
    while let Some(found) = text[from..].find(AT) {
        let open = from + found + AT.len() - 1;
        from = open + 1;
        let owned =
            text[..open].chars().rev().nth(AT.len() - 1).is_some_and(|c| c.is_alphanumeric() || c == '_');
        let Some(close) = matching(text, open).filter(|close| owned && text[close + 1..].starts_with('.'))
        else {
            continue;
        };
        let inner = &text[open + 1..close];
        let mut plain: Vec<u8> =
            inner.bytes().map(|b| if b.is_ascii_alphanumeric() { b } else { b'_' }).collect();
        // Count through the letters until no other place has this name.
        while known.get(&name_of(&plain)).is_some_and(|other| other != inner) {
            let Some(byte) = plain.iter_mut().rev().find(|byte| **byte != b'z') else { break };
            *byte = if byte.is_ascii_lowercase() { *byte + 1 } else { b'a' };
        }
        known.insert(name_of(&plain), inner.to_owned());
        (out[open], out[close]) = (b'_', b'_');
        out[open + 1..close].copy_from_slice(&plain);
        from = close + 1;
    }
    // Whole characters were replaced byte for byte by ASCII.
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

fn name_of(plain: &[u8]) -> String {
    String::from_utf8_lossy(plain).into_owned()
}

/// The parenthesis that closes the one at `open`.
fn matching(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (k, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(k);
        }
    }
    None
}

impl Resolver<'_> {
    /// Places at equal distances that are recorded as the shape of a beam.
    pub(super) fn beam_shape(
        &mut self,
        table: &BeamTable,
        course: Option<&Course>,
    ) -> Option<Vec<(f64, BeamPlace)>> {
        let Some(number) = &table.shape else { return Some(vec![]) };
        let subject = format!("the places of the shape of `{}`", table.name.value);
        let count = self.whole(number, &subject, MOST_PLACES)?;
        let course = course?;
        let place = |k: usize| {
            let s = course.length() * k as f64 / count.saturating_sub(1).max(1) as f64;
            course.locate(s).map(|(element, xi)| (s, BeamPlace::new(element, xi)))
        };
        (0..count).map(place).collect()
    }

    /// The quantities a beam offers beside those at an arc length; all, or those whose first word is `only`.
    pub(super) fn offered_by_beam(
        &self,
        beam: usize,
        file: &FileTable,
        only: Option<&str>,
    ) -> Option<Vec<(String, Quantity)>> {
        let wanted = |word: &str| only.is_none_or(|only| only == word);
        let name = &file.beam.get(beam)?.name.value;
        let first = self.names.body_called(&format!("{name}.node0"))?;
        let size = self.beam_sizes.get(beam).copied()??;
        let node = |word: String, k: usize| {
            let turns = !self.is_point(BodyRef::Body(first + k));
            let list = offered_by_node(turns).into_iter();
            list.map(move |(name, what)| (format!("{word}.{name}"), Quantity::Body { body: first + k, what }))
        };
        let section = |word: String, place: BeamPlace| {
            let list = BeamQuantity::offered().into_iter();
            list.map(move |(name, what)| (format!("{word}.{name}"), Quantity::Beam { beam, place, what }))
        };
        let last = size.nodes() - 1;
        let mut list: Vec<(String, Quantity)> = (0..=last)
            .map(|k| (format!("node{k}"), k))
            .filter(|(word, _)| wanted(word))
            .flat_map(|(w, k)| node(w, k))
            .collect();
        for (word, k) in [("start", 0), ("end", last)].into_iter().filter(|(word, _)| wanted(word)) {
            list.extend(node(word.into(), k));
            let joint = self.names.end_joints.get(&format!("{name}.{word}"));
            if let Some(&joint) = joint {
                let spec = self.joints.get(joint).and_then(Option::as_ref);
                let offered = spec.map(JointQuantity::offered).unwrap_or_default().into_iter();
                list.extend(
                    offered.map(|(name, what)| (format!("{word}.{name}"), Quantity::Joint { joint, what })),
                );
            }
        }
        let points = gauss_places(size.order);
        for element in (0..size.elements).filter(|element| wanted(&format!("element{element}"))) {
            list.extend(section(format!("element{element}"), BeamPlace::new(element, 0.0)));
            for (j, xi) in points.iter().enumerate() {
                list.extend(section(format!("element{element}.gauss{j}"), BeamPlace::new(element, *xi)));
            }
        }
        Some(list)
    }

    /// `at(s).quantity` of a beam; none if the rest of a name has another form.
    pub(super) fn at_arc_length(
        &mut self,
        beam: usize,
        rest: &str,
        span: &Span,
        place: &Place,
    ) -> Option<Result<Quantity, ()>> {
        let inner = rest.strip_prefix("at(")?;
        let close = matching(rest, 2)?;
        let (inner, what) = (inner.get(..close - 3)?, rest.get(close + 1..)?.strip_prefix('.')?);
        let from = span.start + 3;
        Some(self.section_at(beam, place.text.part(from..from + inner.len()), what, span, place).ok_or(()))
    }

    fn section_at(
        &mut self,
        beam: usize,
        inner: Text,
        what: &str,
        span: &Span,
        place: &Place,
    ) -> Option<Quantity> {
        let name = &place.file.beam.get(beam)?.name.value;
        let at = inner.span.clone();
        let s = self.number(&Number::Expression(inner))?;
        let course = self.courses.get(beam)?.as_ref()?;
        let Some((element, xi)) = course.locate(s) else {
            let message = format!("s = {s} is beyond the ends of the beam `{name}`");
            let help = format!("its length is {}", course.length());
            self.diagnostics.push(Diagnostic::error(message).at(at, "not on the beam").help(help));
            return None;
        };
        let here = BeamPlace::new(element, xi);
        let offered = BeamQuantity::offered();
        let offered: Vec<(String, Quantity)> = offered
            .into_iter()
            .map(|(name, what)| (name, Quantity::Beam { beam, place: here, what }))
            .collect();
        let owner = format!("a section of the beam `{name}`");
        let what_span = span.end - what.len()..span.end;
        self.pick(&owner, what, what_span, &offered, place.text)
    }
}

/// What a node offers: its motion, and its axes as d1, d2, d3.
pub(super) fn offered_by_node(turns: bool) -> Vec<(String, Motion)> {
    let mut list = Motion::offered(turns);
    if !turns {
        return list;
    }
    for column in [Axis::X, Axis::Y, Axis::Z] {
        for row in [Axis::X, Axis::Y, Axis::Z] {
            let name = format!("d{}.{}", column.index() + 1, row.word());
            list.push((name, Motion::Rotation(row, column)));
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::with_plain_places;

    #[test]
    fn places_become_plain_names() {
        assert_eq!(with_plain_places("rod.at(0.5).force.x"), "rod.at_0_5_.force.x");
        assert_eq!(with_plain_places("2*(r.at(L).d1.x + 1)"), "2*(r.at_L_.d1.x + 1)");
        // Nothing else is touched.
        for text in ["at(3).x", "f.at(3)", "rod.at(0.5", "(a + b).at(2).x", "é.at"] {
            assert_eq!(with_plain_places(text), text);
        }
        // Different places have different names, equal ones the same.
        let both = with_plain_places("r.at(L/2).x - r.at(L*2).x + r.at(L/2).x");
        let names: Vec<&str> = both.split(' ').step_by(2).collect();
        assert!(names[0] == names[2] && names[0] != names[1], "{both}");
        assert_eq!(with_plain_places("b.at(f(é)).x").len(), "b.at(f(é)).x".len());
    }
}
