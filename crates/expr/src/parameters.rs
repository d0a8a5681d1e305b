//! Parameters given as expressions of each other.

use crate::builtin::{KEYWORDS, builtin, constant};
use crate::evaluate::EvalError;
use crate::expr::{Expr, is_name};
use crate::parse::ParseError;
use std::collections::HashMap;
use std::ops::Range;

/// Why a list of parameters has no values. `index` is the place of the parameter in the list.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParameterError {
    /// The name cannot be written in an expression.
    #[error("`{name}` is not a name: use letters, digits and underscores, and begin with a letter")]
    InvalidName {
        /// Place in the list.
        index: usize,
        /// The name.
        name: String,
    },
    /// The name already means something.
    #[error("the parameter `{name}` has the name of a {kind}")]
    Reserved {
        /// Place in the list.
        index: usize,
        /// The name.
        name: String,
        /// What it means: `function`, `constant` or `keyword`.
        kind: &'static str,
    },
    /// The name is given twice.
    #[error("the parameter `{name}` is given twice")]
    Duplicate {
        /// Place of the second in the list.
        index: usize,
        /// Place of the first in the list.
        first: usize,
        /// The name.
        name: String,
    },
    /// The text is not an expression.
    #[error("parameter `{name}`: {error}")]
    Parse {
        /// Place in the list.
        index: usize,
        /// The name of the parameter.
        name: String,
        /// What is wrong with its expression.
        #[source]
        error: ParseError,
    },
    /// The expression has no value: an unknown name, or a result that is not finite.
    #[error("parameter `{name}`: {error}")]
    Eval {
        /// Place in the list.
        index: usize,
        /// The name of the parameter.
        name: String,
        /// What is wrong with its expression.
        #[source]
        error: EvalError,
    },
    /// Parameters that depend on each other in a circle.
    #[error("parameters depend on each other in a circle: {}", circle(names))]
    Cycle {
        /// Place in the list of the first of the names.
        index: usize,
        /// The names; each depends on the next, the last on the first.
        names: Vec<String>,
        /// Where the expression of the first names the second.
        span: Range<usize>,
    },
}

impl ParameterError {
    /// The place in the list of the parameter at fault.
    pub fn index(&self) -> usize {
        match self {
            Self::InvalidName { index, .. }
            | Self::Reserved { index, .. }
            | Self::Duplicate { index, .. }
            | Self::Parse { index, .. }
            | Self::Eval { index, .. }
            | Self::Cycle { index, .. } => *index,
        }
    }

    /// The bytes of its expression at fault; `None` if the name is at fault.
    pub fn span(&self) -> Option<Range<usize>> {
        match self {
            Self::Parse { error, .. } => Some(error.span.clone()),
            Self::Eval { error, .. } => Some(error.span()),
            Self::Cycle { span, .. } => Some(span.clone()),
            _ => None,
        }
    }

    /// What was probably meant: text to put in place of the span.
    pub fn suggestion(&self) -> Option<&str> {
        match self {
            Self::Parse { error, .. } => error.suggestion.as_deref(),
            Self::Eval { error, .. } => error.suggestion(),
            _ => None,
        }
    }
}

fn circle(names: &[String]) -> String {
    let mut all: Vec<&str> = names.iter().map(String::as_str).collect();
    all.extend(names.first().map(String::as_str));
    all.join(" -> ")
}

/// A parameter and the parameters that its expression uses.
struct Parameter {
    expr: Expr,
    uses: Vec<(usize, Range<usize>)>,
}

/// The values of parameters given as `(name, expression)`, in the order of the list.
///
/// An expression may use the other parameters, earlier or later, and `pi` and `e`.
///
/// ```
/// use poinsot_expr::resolve_parameters;
/// let list = [("k", "m*w^2"), ("m", "2"), ("w", "3")];
/// let list = list.map(|(name, text)| (name.to_string(), text.to_string()));
/// let values = resolve_parameters(&list)?;
/// assert_eq!(values[0], ("k".to_string(), 18.0));
/// # Ok::<(), poinsot_expr::ParameterError>(())
/// ```
pub fn resolve_parameters(list: &[(String, String)]) -> Result<Vec<(String, f64)>, ParameterError> {
    let places = places(list)?;
    let parameters = (0..list.len())
        .map(|index| read(index, list, &places))
        .collect::<Result<Vec<Parameter>, ParameterError>>()?;
    let mut values = vec![f64::NAN; list.len()];
    for index in dependency_order(list, &parameters)? {
        let lookup = |name: &str| places.get(name).map(|&place| values[place]);
        let value = parameters[index].expr.eval(&lookup);
        values[index] =
            value.map_err(|error| ParameterError::Eval { index, name: list[index].0.clone(), error })?;
    }
    let names = list.iter().map(|(name, _)| name.clone());
    Ok(names.zip(values).collect())
}

/// The place of each name in the list.
fn places(list: &[(String, String)]) -> Result<HashMap<&str, usize>, ParameterError> {
    let mut places = HashMap::new();
    for (index, (name, _)) in list.iter().enumerate() {
        let kind = match name.as_str() {
            word if KEYWORDS.contains(&word) => Some("keyword"),
            word if builtin(word).is_some() => Some("function"),
            word if constant(word).is_some() => Some("constant"),
            _ => None,
        };
        let name = name.clone();
        if let Some(kind) = kind {
            return Err(ParameterError::Reserved { index, name, kind });
        }
        if !is_name(&name) {
            return Err(ParameterError::InvalidName { index, name });
        }
        if let Some(first) = places.insert(list[index].0.as_str(), index) {
            return Err(ParameterError::Duplicate { index, first, name });
        }
    }
    Ok(places)
}

fn read(
    index: usize,
    list: &[(String, String)],
    places: &HashMap<&str, usize>,
) -> Result<Parameter, ParameterError> {
    let (name, text) = &list[index];
    let expr =
        Expr::parse(text).map_err(|error| ParameterError::Parse { index, name: name.clone(), error })?;
    let mut uses = Vec::new();
    for (used, span) in expr.variables() {
        match places.get(used.as_str()) {
            Some(&place) => uses.push((place, span)),
            None if constant(&used).is_some() => {}
            None => {
                let others = list.iter().map(|(other, _)| other).filter(|other| *other != name);
                return Err(ParameterError::Eval {
                    index,
                    name: name.clone(),
                    error: EvalError::unknown(&used, &span).with_candidates(others),
                });
            }
        }
    }
    Ok(Parameter { expr, uses })
}

/// An order in which every parameter comes after those that it uses (Kahn).
fn dependency_order(
    list: &[(String, String)],
    parameters: &[Parameter],
) -> Result<Vec<usize>, ParameterError> {
    let mut waiting: Vec<usize> = parameters.iter().map(|p| p.uses.len()).collect();
    let mut users = vec![Vec::new(); parameters.len()];
    for (user, parameter) in parameters.iter().enumerate() {
        for (used, _) in &parameter.uses {
            users[*used].push(user);
        }
    }
    let mut order: Vec<usize> = (0..waiting.len()).filter(|&i| waiting[i] == 0).collect();
    let mut next = 0;
    while let Some(&done) = order.get(next) {
        next += 1;
        for &user in &users[done] {
            waiting[user] -= 1;
            if waiting[user] == 0 {
                order.push(user);
            }
        }
    }
    match waiting.iter().position(|&left| left > 0) {
        Some(stuck) => Err(cycle(list, parameters, &waiting, stuck)),
        None => Ok(order),
    }
}

/// Follows the uses from a parameter that waits, until one comes up again.
///
/// A parameter that waits uses another that waits, so the walk ends only in a circle.
fn cycle(
    list: &[(String, String)],
    parameters: &[Parameter],
    waiting: &[usize],
    stuck: usize,
) -> ParameterError {
    let mut walk: Vec<(usize, Range<usize>)> = Vec::new();
    let mut at = stuck;
    let begin = loop {
        if let Some(begin) = walk.iter().position(|(seen, _)| *seen == at) {
            break begin;
        }
        let mut uses = parameters[at].uses.iter();
        let Some((used, span)) = uses.find(|(used, _)| waiting[*used] > 0) else {
            break 0;
        };
        walk.push((at, span.clone()));
        at = *used;
    };
    let mut members = walk.split_off(begin.min(walk.len()));
    let first = (0..members.len()).min_by_key(|&i| members[i].0).unwrap_or(0);
    // The circle is told from its member that stands first in the list.
    members.rotate_left(first);
    let span = members.first().map_or(0..0, |(_, span)| span.clone());
    ParameterError::Cycle {
        index: members.first().map_or(stuck, |(index, _)| *index),
        names: members.iter().map(|(i, _)| list[*i].0.clone()).collect(),
        span,
    }
}
