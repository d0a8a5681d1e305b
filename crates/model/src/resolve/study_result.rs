//! Results of studies that expectations name: `mode.1.frequency`, `matrix.A.1.2`, `equilibrium.stable`,
//! `limit_point.1.P`.

use super::Resolver;
use super::formula::Place;
use super::names::RESULT_ROOTS;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::FileTable;
use crate::quantity::{
    CrossingQuantity, EventQuantity, InstabilityQuantity, Matrix, ModeQuantity, Quantity, SingularPoints,
    SingularQuantity,
};
use crate::spec::StudySpec;
use crate::suggest::did_you_mean;

/// The text with a letter for the first digit of each part of a result's name, byte for byte as long:
/// to the expression language `mode.1.frequency` is no name, but `mode.b.frequency` is.
pub(super) fn with_letters(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.' || byte >= 0x80;
    let mut start = 0;
    while start < bytes.len() {
        if !inside(bytes[start]) {
            start += 1;
            continue;
        }
        let length = bytes[start..].iter().take_while(|byte| inside(**byte)).count();
        let word = &mut bytes[start..start + length];
        let is_result = RESULT_ROOTS
            .iter()
            .any(|root| word.starts_with(root.as_bytes()) && word.get(root.len()) == Some(&b'.'));
        for i in 1..if is_result { length } else { 0 } {
            if word[i - 1] == b'.' && word[i].is_ascii_digit() {
                word[i] += b'a' - b'0';
            }
        }
        start += length;
    }
    // Only ASCII was replaced, and by ASCII.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// A name that is no result: why, and what to do.
type Refusal = (String, Option<String>);

impl Resolver<'_> {
    /// The result that a dotted name stands for.
    pub(super) fn study_result(&mut self, name: &str, span: &Span, place: &Place) -> Option<Quantity> {
        let found = match place.results {
            Some(_) if name.starts_with("event.") => event_result(name, place.file),
            Some(study) if SINGULAR.iter().any(|(root, _)| name.starts_with(root)) => {
                singular_result(name, study, place.file)
            }
            Some(study) => result(name, study),
            None => Err((
                format!("`{name}` is a result of the study"),
                Some("results of a study can be used only in [[expect]]".into()),
            )),
        };
        match found {
            Ok(quantity) => Some(quantity),
            Err((message, help)) => {
                let at = place.text.locate(span.clone());
                self.diagnostics.push(Diagnostic::error(message).at(at, "not known here").maybe_help(help));
                None
            }
        }
    }
}

/// The result of a name; `study` is `None` if it has a mistake.
fn result(name: &str, study: Option<&StudySpec>) -> Result<Quantity, Refusal> {
    let parts: Vec<&str> = name.split('.').collect();
    match parts.as_slice() {
        ["mode", index, what] => {
            demand_type(name, study, &["modes", "linearize", "campbell"])?;
            let index = counted(name, index)?;
            let count = match study {
                Some(StudySpec::Modes(modes)) => modes.count,
                Some(StudySpec::Campbell(campbell)) => campbell.count,
                _ => usize::MAX,
            };
            if index >= count {
                let help = format!("the study computes {count} modes: raise its `count`");
                return Err((format!("there is no mode {}", index + 1), Some(help)));
            }
            let what = pick(name, what, &ModeQuantity::ALL)?;
            Ok(Quantity::Mode { index, what })
        }
        ["matrix", matrix, row, column] => {
            demand_type(name, study, &["linearize"])?;
            let matrix = pick(name, matrix, &Matrix::ALL)?;
            let (row, column) = (counted(name, row)?, counted(name, column)?);
            check_size(name, study, matrix, row, column)?;
            Ok(Quantity::Matrix { matrix, row, column })
        }
        ["crossing", index, what] => {
            demand_type(name, study, &["campbell"])?;
            let index = counted(name, index)?;
            Ok(Quantity::Crossing { index, what: pick(name, what, &CrossingQuantity::ALL)? })
        }
        ["instability", index, what] => {
            demand_type(name, study, &["campbell"])?;
            let index = counted(name, index)?;
            Ok(Quantity::Instability { index, what: pick(name, what, &InstabilityQuantity::ALL)? })
        }
        ["equilibrium", "stable"] => {
            demand_type(name, study, &["equilibrium", "path"])?;
            Ok(Quantity::EquilibriumStable)
        }
        ["buckling", index] => {
            demand_type(name, study, &["buckling"])?;
            let index = counted(name, index)?;
            if let Some(StudySpec::Buckling(buckling)) = study
                && index >= buckling.count
            {
                let help =
                    format!("the study computes {} critical values: raise its `count`", buckling.count);
                return Err((format!("there is no critical value {}", index + 1), Some(help)));
            }
            Ok(Quantity::Buckling(index))
        }
        _ => {
            let help = "results are mode.K.frequency (K = 1, 2, …), matrix.A.I.J, equilibrium.stable, limit_point.K.NAME, bifurcation.K.NAME, buckling.K, crossing.K.value, instability.K.from and event.NAME.count";
            Err((format!("there is no result `{name}`"), Some(help.into())))
        }
    }
}

/// `event.NAME.count` and so on.
fn event_result(name: &str, file: &FileTable) -> Result<Quantity, Refusal> {
    let parts: Vec<&str> = name.split('.').collect();
    let ["event", owner, what] = parts.as_slice() else {
        let words: Vec<&str> = EventQuantity::ALL.iter().map(|(word, _)| *word).collect();
        return Err((
            format!("there is no result `{name}`"),
            Some(format!("of an event there are {}", words.join(", "))),
        ));
    };
    let names = || file.event.iter().map(|event| event.name.value.as_str());
    let event = names()
        .position(|other| other == *owner)
        .ok_or_else(|| (format!("there is no event `{owner}`"), did_you_mean(owner, names())))?;
    Ok(Quantity::Event { event, what: pick(name, what, &EventQuantity::ALL)? })
}

/// Roots of the names of singular points.
const SINGULAR: [(&str, SingularPoints); 2] =
    [("limit_point.", SingularPoints::Limit), ("bifurcation.", SingularPoints::Bifurcation)];

/// `limit_point.1.P`, `bifurcation.2.tip`, `limit_point.count`.
fn singular_result(name: &str, study: Option<&StudySpec>, file: &FileTable) -> Result<Quantity, Refusal> {
    demand_type(name, study, &["path"])?;
    let none = |help: String| (format!("there is no result `{name}`"), Some(help));
    let Some((root, kind)) = SINGULAR.iter().find(|(root, _)| name.starts_with(root)) else {
        return Err(none("singular points are limit_point.K and bifurcation.K".into()));
    };
    let rest = &name[root.len()..];
    if rest == "count" {
        return Ok(Quantity::SingularCount(*kind));
    }
    let Some((index, what)) = rest.split_once('.') else {
        return Err(none(format!("name a quantity at it: {root}K.NAME with the parameter or a signal")));
    };
    let index = counted(name, index)?;
    let signals = || file.signal.iter().map(|signal| signal.name.value.as_str());
    let parameter = match study {
        Some(StudySpec::Path(path)) => path.parameter.as_str(),
        _ => "",
    };
    let what = match signals().position(|signal| signal == what) {
        Some(signal) => SingularQuantity::Signal(signal),
        None if what == parameter || study.is_none() => SingularQuantity::Parameter,
        None if what == "multiplicity" => SingularQuantity::Multiplicity,
        None => {
            let known = signals().chain([parameter, "multiplicity"]);
            let help = did_you_mean(what, known.clone())
                .unwrap_or_else(|| format!("one of {}", known.collect::<Vec<_>>().join(", ")));
            return Err(none(help));
        }
    };
    Ok(Quantity::Singular { kind: *kind, index, what })
}

/// A result belongs to certain studies.
fn demand_type(name: &str, study: Option<&StudySpec>, types: &[&str]) -> Result<(), Refusal> {
    match study {
        Some(study) if !types.contains(&study.word()) => {
            let list: Vec<String> = types.iter().map(|word| format!("{word:?}")).collect();
            let message = format!("a study of type {:?} has no result `{name}`", study.word());
            Err((message, Some(format!("it needs a study of type {}", list.join(" or ")))))
        }
        _ => Ok(()),
    }
}

/// A number from 1 on, as an index from 0.
fn counted(name: &str, part: &str) -> Result<usize, Refusal> {
    match part.parse::<usize>() {
        Ok(number) if number > 0 => Ok(number - 1),
        _ => Err((format!("`{part}` in `{name}` is not a number from 1 on"), None)),
    }
}

fn pick<T: Copy>(name: &str, part: &str, all: &[(&str, T)]) -> Result<T, Refusal> {
    let found = all.iter().find(|(word, _)| *word == part);
    let words: Vec<&str> = all.iter().map(|(word, _)| *word).collect();
    found.map(|(_, value)| *value).ok_or_else(|| {
        let help = did_you_mean(part, &words).unwrap_or_else(|| format!("one of {}", words.join(", ")));
        (format!("there is no result `{name}`"), Some(help))
    })
}

/// Inputs bound the columns of B and D, outputs the rows of C and D.
fn check_size(
    name: &str,
    study: Option<&StudySpec>,
    matrix: Matrix,
    row: usize,
    column: usize,
) -> Result<(), Refusal> {
    let Some(StudySpec::Linearize(study)) = study else { return Ok(()) };
    let (inputs, outputs) = (study.inputs.len(), study.outputs.len());
    let rows = matches!(matrix, Matrix::C | Matrix::D).then_some(outputs);
    let columns = matches!(matrix, Matrix::B | Matrix::D).then_some(inputs);
    if rows.is_some_and(|rows| row >= rows) || columns.is_some_and(|columns| column >= columns) {
        let help = format!("the study has {inputs} inputs and {outputs} outputs");
        return Err((format!("there is no entry `{name}`"), Some(help)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::with_letters;

    #[test]
    fn only_results_get_letters() {
        assert_eq!(with_letters("2*mode.12.real - matrix.A.1.2"), "2*mode.b2.real - matrix.A.b.c");
        assert_eq!(with_letters("a.1 + xmode.1 + 1.5e3 + modes.1"), "a.1 + xmode.1 + 1.5e3 + modes.1");
        assert_eq!(with_letters("é.1 mode.9"), "é.1 mode.j");
    }
}
