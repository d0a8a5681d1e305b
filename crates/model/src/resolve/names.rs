//! The names of all things of a model: one set, no doubles.

use super::Resolver;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{BodyTable, FileTable};
use crate::quantity::SystemQuantity;
use crate::read::a;
use crate::study::Studies;
use crate::suggest::did_you_mean;
use crate::value::Text;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// What a name stands for; the index is that of the file's list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Thing {
    Body(usize),
    Beam(usize),
    Flexible(usize),
    Plate(usize),
    Marker(usize),
    Joint(usize),
    Coupling(usize),
    Drive(usize),
    Constraint(usize),
    Force(usize),
    Equations(usize),
    Lagrangian(usize),
    Event,
    Table,
}

impl Thing {
    pub fn noun(self) -> &'static str {
        match self {
            Thing::Body(_) => "body",
            Thing::Beam(_) => "beam",
            Thing::Flexible(_) => "flexible body",
            Thing::Plate(_) => "plate",
            Thing::Marker(_) => "marker",
            Thing::Joint(_) => "joint",
            Thing::Coupling(_) => "coupling",
            Thing::Drive(_) => "drive",
            Thing::Constraint(_) => "constraint",
            Thing::Force(_) => "force",
            Thing::Equations(_) => "block of equations",
            Thing::Lagrangian(_) => "energy model",
            Thing::Event => "event",
            Thing::Table => "table",
        }
    }
}

/// All names with what they stand for and where they were given.
#[derive(Default)]
pub(crate) struct Names {
    pub things: BTreeMap<String, (Thing, Span)>,
    /// Names of things that could not be read.
    pub lost: Vec<String>,
    /// Joints at the ends of beams; the name alone is that of the node.
    pub end_joints: BTreeMap<String, usize>,
    /// Names of signals.
    pub signals: Vec<String>,
    /// Names of what the study at hand leaves out.
    pub off: Vec<String>,
    /// Beams that flexible bodies are made of, with the name of the body.
    pub absorbed: BTreeMap<String, String>,
    /// Bodies that something holds or sees turn: nodes of other lines need no frame.
    pub held: RefCell<BTreeSet<usize>>,
}

impl Names {
    pub fn get(&self, name: &str) -> Option<Thing> {
        self.things.get(name).map(|(thing, _)| *thing)
    }

    /// As [`Names::get`], of what is held: nodes of lines then need a frame.
    pub fn hold(&self, name: &str) -> Option<Thing> {
        let thing = self.get(name);
        if let Some(Thing::Body(index)) = thing {
            self.held.borrow_mut().insert(index);
        }
        thing
    }

    /// A body by name.
    pub fn body_called(&self, name: &str) -> Option<usize> {
        match self.things.get(name) {
            Some((Thing::Body(index), _)) => Some(*index),
            _ => None,
        }
    }

    /// A joint: one of the file, or at the end of a beam.
    pub fn joint(&self, name: &str) -> Option<usize> {
        match self.get(name) {
            Some(Thing::Joint(index)) => Some(index),
            _ => self.end_joints.get(name).copied(),
        }
    }

    /// What to do about a name that the study at hand leaves out.
    pub fn off_here(&self, name: &str) -> Option<String> {
        let is_off = self.off.iter().any(|off| off == name);
        let root = name.split('.').next().unwrap_or(name);
        let owner = self.absorbed.get(root).map(|owner| {
            format!(
                "`{root}` is part of the flexible body `{owner}`: hold an interface of it, `{owner}.NAME`"
            )
        });
        owner.or(is_off.then(|| format!("`{name}` is off in this study: switch off what needs it too")))
    }

    pub fn is_lost(&self, name: &str) -> bool {
        self.lost.iter().any(|lost| lost == name)
    }

    /// The names for which `wanted` holds.
    pub fn of(&self, wanted: impl Fn(Thing) -> bool) -> Vec<&str> {
        self.things.iter().filter(|(_, (thing, _))| wanted(*thing)).map(|(name, _)| name.as_str()).collect()
    }
}

/// Names with a meaning of their own in expressions.
fn reserved(name: &str, studies: Studies, asked: &[&str]) -> Option<&'static str> {
    match name {
        "ground" => Some("the fixed world"),
        "t" | "time" => Some("the time"),
        "pi" => Some("the number π"),
        "der" => Some("the rate of a variable"),
        _ if SystemQuantity::ROOTS.contains(&name) => Some("a quantity of the whole system"),
        _ if studies.is_root_of(name, asked) => Some("a result of a study"),
        _ if poinsot_expr::builtin(name).is_some() => Some("a function"),
        _ if poinsot_expr::KEYWORDS.contains(&name) => Some("a word of the expression language"),
        _ => None,
    }
}

/// True for letters, digits and underscores after a first letter.
pub(super) fn is_identifier(name: &str) -> bool {
    let part = |c: char| c.is_alphabetic() || c.is_ascii_digit() || c == '_';
    name.starts_with(char::is_alphabetic) && name.chars().all(part) && name != "π"
}

/// The nearest identifier to a name that is none.
fn as_identifier(name: &str) -> Option<String> {
    let start = name.find(char::is_alphabetic)?;
    let plain = |c: char| {
        if c.is_alphabetic() || c.is_ascii_digit() { c } else { '_' }
    };
    Some(name[start..].chars().map(plain).collect()).filter(|near: &String| is_identifier(near))
}

/// What is wrong with a name that is no identifier.
pub(super) fn not_a_name(name: &Text, noun: &str) -> Diagnostic {
    let help = "a name has letters, digits and underscores and starts with a letter";
    let help = match as_identifier(&name.value) {
        Some(near) => format!("{help}, e.g. `{near}`"),
        None => help.to_owned(),
    };
    Diagnostic::error(format!("{:?} cannot be the name of {}", name.value, a(noun)))
        .at(name.span.clone(), "not a name")
        .help(help)
}

impl Resolver<'_> {
    /// Checks the form of a name.
    pub fn check_name(&mut self, name: &Text, noun: &str) -> bool {
        let value = &name.value;
        if !is_identifier(value) {
            self.diagnostics.push(not_a_name(name, noun));
            return false;
        }
        if let Some(meaning) = reserved(value, self.studies, &self.asked) {
            self.diagnostics.push(
                Diagnostic::error(format!("`{value}` cannot be the name of {}", a(noun)))
                    .at(name.span.clone(), "reserved name")
                    .help(format!("`{value}` means {meaning}; choose another name")),
            );
            return false;
        }
        true
    }

    /// Reports a name that was given before.
    pub fn duplicate(&mut self, name: &Text, noun: &str, before: (&str, Span)) {
        let (other, span) = before;
        let message = if other == noun {
            format!("two {} are called `{}`", plural(noun), name.value)
        } else {
            format!("{} and {} are both called `{}`", a(other), a(noun), name.value)
        };
        self.diagnostics.push(
            Diagnostic::error(message)
                .at(name.span.clone(), "used again here")
                .and(span, format!("first used for this {other}"))
                .help("names of bodies, markers, joints, forces and all other things must differ"),
        );
    }

    /// Enters all names of the file.
    pub fn gather_names(&mut self, file: &FileTable) {
        self.names.signals = file.signal.iter().map(|signal| signal.name.value.clone()).collect();
        for (index, body) in file.body.iter().enumerate() {
            let name = match body {
                BodyTable::Rigid(body) => &body.name,
                BodyTable::Point(body) => &body.name,
            };
            self.enter(name, Thing::Body(index));
        }
        self.gather_beam_names(file);
        for (index, marker) in file.marker.iter().enumerate() {
            self.enter(&marker.name, Thing::Marker(index));
        }
        for (index, joint) in file.joint.iter().enumerate() {
            self.enter(joint.entry().name(), Thing::Joint(index));
        }
        self.name_end_joints(file);
        for (index, coupling) in file.coupling.iter().enumerate() {
            self.enter(coupling.entry().name(), Thing::Coupling(index));
        }
        for (index, drive) in file.drive.iter().enumerate() {
            self.enter(drive.entry().name(), Thing::Drive(index));
        }
        for (index, constraint) in file.constraint.iter().enumerate() {
            self.enter(&constraint.name, Thing::Constraint(index));
        }
        for (index, force) in file.force.iter().enumerate() {
            self.enter(force.entry().name(), Thing::Force(index));
        }
        for (index, block) in file.equations.iter().enumerate() {
            self.enter(&block.name, Thing::Equations(index));
        }
        for (index, block) in file.lagrangian.iter().enumerate() {
            self.enter(&block.name, Thing::Lagrangian(index));
        }
        for event in &file.event {
            self.enter(&event.name, Thing::Event);
        }
        for table in &file.table {
            self.enter(&table.name, Thing::Table);
        }
    }

    pub(super) fn enter(&mut self, name: &Text, thing: Thing) {
        if !self.check_name(name, thing.noun()) {
            self.names.lost.push(name.value.clone());
            return;
        }
        match self.names.things.get(&name.value) {
            Some((other, span)) => {
                let before = (other.noun(), span.clone());
                self.duplicate(name, thing.noun(), before);
            }
            None => {
                let entry = (thing, name.span.clone());
                self.names.things.insert(name.value.clone(), entry);
            }
        }
    }

    /// Reports a reference to something that is not there.
    pub fn unknown(&mut self, name: &Text, what: &str, candidates: &[&str]) {
        if self.names.is_lost(&name.value) {
            return;
        }
        let help = self.names.off_here(&name.value).or_else(|| did_you_mean(&name.value, candidates));
        let help = help.unwrap_or_else(|| match candidates {
            [] => format!("this file has no {what}"),
            names if names.len() <= 20 => format!("there are {}", names.join(", ")),
            names => format!("the file has {} of them, none with a similar name", names.len()),
        });
        let mut diagnostic = Diagnostic::error(format!("there is no {what} `{}`", name.value))
            .at(name.span.clone(), "not found")
            .help(help);
        if let Some((thing, span)) = self.names.things.get(&name.value) {
            diagnostic = diagnostic.and(span.clone(), format!("this is a {}", thing.noun()));
        }
        self.diagnostics.push(diagnostic);
    }
}

fn plural(noun: &str) -> String {
    match noun {
        "body" => "bodies".into(),
        "flexible body" => "flexible bodies".into(),
        "block of equations" => "blocks of equations".into(),
        noun => format!("{noun}s"),
    }
}
