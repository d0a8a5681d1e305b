//! Coordinates of joints by name.

use super::Resolver;
use super::names::Thing;
use crate::diagnostic::{Diagnostic, Span};
use crate::spec::JointSpec;
use crate::suggest::did_you_mean;
use crate::value::Text;

impl Resolver<'_> {
    /// A joint by name and its index.
    pub(crate) fn joint_named(&mut self, name: &Text) -> Option<usize> {
        if let Some(index) = self.names.joint(&name.value) {
            return Some(index);
        }
        let names = self.names.of(|thing| matches!(thing, Thing::Joint(_)));
        let ends = self.names.end_joints.keys().map(String::as_str);
        let names = names.into_iter().chain(ends);
        let names: Vec<String> = names.map(str::to_owned).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.unknown(name, "joint", &names);
        None
    }

    /// The coordinate of a joint that is called so; `place` is pointed at if there is none.
    pub(crate) fn coordinate_of(&mut self, joint: usize, name: &str, place: Span) -> Option<usize> {
        let spec = self.joints.get(joint)?.as_ref()?;
        let coordinates = spec.kind.coordinates();
        let found = coordinates.iter().position(|coordinate| coordinate.name == name);
        if found.is_none() {
            let words: Vec<&str> = coordinates.iter().map(|coordinate| coordinate.name).collect();
            let help = did_you_mean(name, &words).unwrap_or_else(|| offers(spec));
            let message = format!("{} has no coordinate `{name}`", described(spec));
            let joint = spec.span.clone();
            self.diagnostics.push(
                Diagnostic::error(message)
                    .at(place, "no such coordinate")
                    .and(joint, "this joint")
                    .help(help),
            );
        }
        found
    }

    /// `joint.coordinate` as two indices.
    pub(crate) fn joint_coordinate(&mut self, text: &Text) -> Option<(usize, usize)> {
        let Some((joint, coordinate)) = text.value.split_once('.') else {
            self.diagnostics.push(
                Diagnostic::error(format!("`{}` is not a joint's coordinate", text.value))
                    .at(text.span.clone(), "joint and coordinate are separated by a dot")
                    .help("e.g. `hinge.angle`"),
            );
            return None;
        };
        let split = joint.len();
        let joint = text.part(0..split);
        let index = self.joint_named(&joint)?;
        let place = text.locate(split + 1..text.value.len());
        Some((index, self.coordinate_of(index, coordinate, place)?))
    }

    /// The only coordinate of a joint.
    pub(crate) fn only_coordinate(&mut self, joint: usize, name: &Text) -> Option<usize> {
        let spec = self.joints.get(joint)?.as_ref()?;
        if let [_] = spec.kind.coordinates() {
            return Some(0);
        }
        let several = !spec.kind.coordinates().is_empty();
        let (message, label) = match several {
            true => (format!("{} has several coordinates", described(spec)), "which one is meant?"),
            false => (format!("{} has no coordinate", described(spec)), "cannot be driven"),
        };
        let help = if several { format!("give `coordinate`: {}", offers(spec)) } else { offers(spec) };
        let joint = spec.span.clone();
        self.diagnostics.push(
            Diagnostic::error(message).at(name.span.clone(), label).and(joint, "this joint").help(help),
        );
        None
    }
}

fn described(joint: &JointSpec) -> String {
    format!("the {} joint `{}`", joint.kind.word(), joint.name)
}

/// The coordinates of a joint in words.
fn offers(joint: &JointSpec) -> String {
    let names: Vec<&str> = joint.kind.coordinates().iter().map(|coordinate| coordinate.name).collect();
    match names.is_empty() {
        true => "a joint of this type has no coordinates".into(),
        false => format!("its coordinates are {}", names.join(", ")),
    }
}
