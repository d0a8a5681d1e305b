//! The studies of a file: their names, what they start from and what they leave out; the file as one of them
//! sees it.

use super::Resolver;
use super::names::{is_identifier, not_a_name};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::file::{Document, EndType, FileTable};
use crate::resolve::beam_place::offered_by_node;
use crate::spec::MotionSpec;
use crate::study::{RESERVED, Studies, StudyEntry, StudyRequest};
use crate::suggest::did_you_mean;
use crate::value::Text;

/// Checks what can be said of all studies together.
pub(crate) fn check(document: &Document, studies: Studies, diagnostics: &mut Diagnostics) {
    let file = &document.tables;
    check_names(file, diagnostics);
    check_sources(file, studies, diagnostics);
    let known = switchable(file);
    let texts = file.study.list.iter().flat_map(|study| &study.keys.off.0);
    // Of what could not be read nothing more is said.
    let lost = |name: &Text| document.lost.iter().any(|lost| name.value.split('.').next() == Some(lost));
    for name in texts.filter(|name| !known.contains(&name.value) && !lost(name)) {
        let help = did_you_mean(&name.value, &known).unwrap_or_else(|| match known.is_empty() {
            true => "this file has nothing that could be switched off".into(),
            false => "joints, couplings, drives, constraints, forces, equations and events can be off".into(),
        });
        diagnostics.push(
            Diagnostic::error(format!("`{}` cannot be switched off", name.value))
                .at(name.span.clone(), "no such joint, coupling, drive, constraint, force or block")
                .help(help),
        );
    }
    file.expect.iter().for_each(|expect| check_expectation(expect, file, diagnostics));
}

fn check_names(file: &FileTable, diagnostics: &mut Diagnostics) {
    let several = file.study.list.len() + file.study.lost.len() > 1;
    for (k, study) in file.study.list.iter().enumerate() {
        let Some(name) = &study.keys.name else {
            if several {
                diagnostics.push(
                    Diagnostic::error("a study without a name among several")
                        .at(study.span.clone(), "this study needs `name`")
                        .help("results, expectations and other studies refer to it by its name"),
                );
            }
            continue;
        };
        if !is_identifier(&name.value) {
            diagnostics.push(not_a_name(name, "study"));
        } else if RESERVED.contains(&name.value.as_str()) {
            diagnostics.push(
                Diagnostic::error(format!("`{}` cannot be the name of a study", name.value))
                    .at(name.span.clone(), "reserved name")
                    .help(format!("initial = {:?} means something else; choose another name", name.value)),
            );
        }
        let before = file.study.list[..k].iter().find(|other| other.name() == Some(&name.value));
        if let Some(other) = before.and_then(|other| other.keys.name.as_ref()) {
            diagnostics.push(
                Diagnostic::error(format!("two studies are called `{}`", name.value))
                    .at(name.span.clone(), "used again here")
                    .and(other.span.clone(), "first used for this study")
                    .help("names of studies must differ"),
            );
        }
    }
}

/// Every study that another one starts from is there, ends in a state, and does not start from that one.
fn check_sources(file: &FileTable, studies: Studies, diagnostics: &mut Diagnostics) {
    for study in &file.study.list {
        let Some(source) = source(study) else { continue };
        let Some(from) = file.study.named(&source.value) else {
            unknown(source, file, true, diagnostics);
            continue;
        };
        if let Some(reason) = studies.kind(from.word).and_then(|kind| kind.no_end()) {
            diagnostics.push(
                Diagnostic::error(format!("no study can start from `{}`: {reason}", source.value))
                    .at(source.span.clone(), "ends in no state")
                    .and(from.span.clone(), "this study"),
            );
        }
        if let Some(last) = circle(study, file) {
            let message = match study.name() == Some(&source.value) {
                true => format!("the study `{}` starts from itself", source.value),
                false => format!("the study `{}` starts from itself by way of others", name_of(study)),
            };
            let error = Diagnostic::error(message).at(source.span.clone(), "leads back here");
            let error = match last.span == source.span {
                true => error,
                false => error.and(last.span.clone(), "by way of this"),
            };
            diagnostics.push(error.help("a chain of studies needs one that starts as modelled"));
        }
    }
}

fn name_of(study: &StudyEntry) -> &str {
    study.name().unwrap_or_default()
}

/// The study that a study starts from.
fn source(study: &StudyEntry) -> Option<&Text> {
    study.keys.initial.as_ref()?.source()
}

/// The last link of the chain that leads from a study back to it.
fn circle<'f>(study: &'f StudyEntry, file: &'f FileTable) -> Option<&'f Text> {
    let mut link = source(study)?;
    for _ in 0..file.study.list.len() {
        if study.name() == Some(&link.value) {
            return Some(link);
        }
        link = source(file.study.named(&link.value)?)?;
    }
    None
}

/// Reports the name of a study that is not there.
fn unknown(name: &Text, file: &FileTable, words: bool, diagnostics: &mut Diagnostics) {
    if file.study.lost.contains(&name.value) {
        return;
    }
    let mut known = file.study.names();
    known.extend(words.then_some(RESERVED).into_iter().flatten());
    let help = did_you_mean(&name.value, &known).unwrap_or_else(|| match known.is_empty() {
        true => "the study of this file has no name".into(),
        false => format!("there are {}", known.join(", ")),
    });
    diagnostics.push(
        Diagnostic::error(format!("there is no study `{}`", name.value))
            .at(name.span.clone(), "not found")
            .help(help),
    );
}

/// An expectation says whose it is where that is not clear.
fn check_expectation(expect: &crate::file::ExpectTable, file: &FileTable, diagnostics: &mut Diagnostics) {
    match &expect.study {
        Some(name) if file.study.named(&name.value).is_none() => unknown(name, file, false, diagnostics),
        None if file.study.list.len() > 1 => {
            let names = file.study.names().join(", ");
            diagnostics.push(
                Diagnostic::error("the file has several studies: which one must show this?")
                    .at(expect.span.clone(), "this expectation needs `study`")
                    .help(format!("add study = \"…\", one of {names}")),
            );
        }
        _ => {}
    }
}

/// Names of what a study can leave out.
fn switchable(file: &FileTable) -> Vec<String> {
    let mut names: Vec<&Text> = file.joint.iter().map(|joint| joint.entry().name()).collect();
    names.extend(file.coupling.iter().map(|coupling| coupling.entry().name()));
    names.extend(file.drive.iter().map(|drive| drive.entry().name()));
    names.extend(file.constraint.iter().map(|constraint| &constraint.name));
    names.extend(file.force.iter().map(|force| force.entry().name()));
    names.extend(file.equations.iter().map(|block| &block.name));
    names.extend(file.lagrangian.iter().map(|block| &block.name));
    names.extend(file.event.iter().map(|event| &event.name));
    let ends = file.beam.iter().flat_map(|beam| {
        let ends = [("start", &beam.start), ("end", &beam.end)].into_iter();
        let held =
            ends.filter(|(_, end)| end.as_ref().is_some_and(|end| end.held.r#type.value != EndType::Free));
        held.map(|(word, _)| format!("{}.{word}", beam.name.value))
    });
    names.into_iter().map(|name| name.value.clone()).chain(ends).collect()
}

impl Resolver<'_> {
    /// Times at which the study at hand keeps its state: it must pass them.
    pub(super) fn kept_times(
        &mut self,
        file: &FileTable,
        study: Option<&dyn StudyRequest>,
    ) -> Option<Vec<f64>> {
        let times = file.study.at_hand().map_or(&[][..], |study| &study.keys.keep.0);
        let read: Vec<_> = times
            .iter()
            .map(|number| {
                let time = self.number(number)?;
                let message = match (study?.times(), study?.word()) {
                    (Some((start, end)), _) if (start..=end).contains(&time) => return Some(time),
                    (Some((start, end)), _) => {
                        format!("the time {time} is not within the study ({start} to {end})")
                    }
                    (None, word) => format!("a study of type {word:?} has no course of time"),
                };
                self.diagnostics.push(Diagnostic::error(message).at(number.span(), "never comes"));
                None
            })
            .collect();
        read.into_iter().collect()
    }
}

impl FileTable {
    /// The file as one of its studies sees it: without what is off there and the signals of that, without
    /// expectations of other studies, and without events where nothing moves.
    pub(crate) fn of_study(&self, index: usize) -> FileTable {
        let mut file = self.clone();
        file.study.at_hand = index;
        let Some(study) = self.study.list.get(index) else { return file };
        let name = study.name();
        file.expect.retain(|expect| match &expect.study {
            Some(of) => name == Some(&of.value),
            None => self.study.list.len() == 1,
        });
        // Events belong to the motions of a file; alone, another study has to say that it knows none.
        let moves = |study: &StudyEntry| study.word == MotionSpec::WORD;
        if !moves(study) && self.study.list.iter().any(moves) {
            file.event.clear();
        }
        let off: Vec<&str> = study.keys.off.0.iter().map(|name| name.value.as_str()).collect();
        if !off.is_empty() {
            file.switch_off(&off);
        }
        file
    }

    fn switch_off(&mut self, off: &[&str]) {
        let on = |name: &Text| !off.contains(&name.value.as_str());
        self.joint.retain(|joint| on(joint.entry().name()));
        self.coupling.retain(|coupling| on(coupling.entry().name()));
        self.drive.retain(|drive| on(drive.entry().name()));
        self.constraint.retain(|constraint| on(&constraint.name));
        self.force.retain(|force| on(force.entry().name()));
        self.equations.retain(|block| on(&block.name));
        self.lagrangian.retain(|block| on(&block.name));
        self.event.retain(|event| on(&event.name));
        for beam in &mut self.beam {
            let name = &beam.name.value;
            for (word, end) in [("start", &mut beam.start), ("end", &mut beam.end)] {
                if off.contains(&format!("{name}.{word}").as_str()) {
                    *end = None;
                }
            }
        }
        let mut gone: Vec<String> = off.iter().map(|name| (*name).to_owned()).collect();
        self.signal.retain(|signal| {
            let stays = !gone.iter().any(|name| mentions(&signal.value.value, name));
            if !stays {
                gone.push(signal.name.value.clone());
            }
            stays
        });
    }
}

/// Whether an expression names a thing; of the end of a beam, whose node stays, what the joint has.
fn mentions(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(start, _)| {
        let (before, after) = (&text[..start], &text[start + name.len()..]);
        let whole = !before.ends_with(|c: char| part(c) || c == '.') && !after.starts_with(part);
        let of_node = |rest: &str| {
            let word = rest.find(|c: char| !part(c) && c != '.').map_or(rest, |end| &rest[..end]);
            offered_by_node(true).iter().any(|(offered, _)| offered == word)
        };
        whole && !(name.contains('.') && after.strip_prefix('.').is_some_and(of_node))
    })
}
