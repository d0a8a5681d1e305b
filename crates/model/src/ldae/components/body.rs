//! The statements of a model or of a component, sorted by what they say.

use super::super::keyword::{Keyword, Kind};
use super::super::statement::{Statement, Value, Word, is_identifier, list, plain, statements, trim};
use super::formula::{Formula, name_with_unit};
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::suggest::did_you_mean;
use crate::units::Unit;
use poinsot_mechanics::Discipline;
use std::collections::{HashMap, HashSet};

/// The reference node of every discipline.
pub(crate) const GROUND: &str = "ground";

/// What a component is connected by.
#[derive(Clone, Debug)]
pub(crate) struct Port {
    pub name: Word,
    pub discipline: Discipline,
}

/// A flow between two nodes: `i: p -> n`.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    pub flow: Word,
    pub from: Word,
    pub to: Word,
}

/// A use of a component: `R1 = resistor(a, b, R = 10)`.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub name: Word,
    pub component: Word,
    pub nodes: Vec<Word>,
    pub arguments: Vec<(Word, Formula)>,
    pub span: Span,
}

/// The value of a definition.
#[derive(Clone, Debug)]
pub(crate) enum Definition {
    Formula(Formula),
    Table(Formula),
}

/// A variable as it is introduced.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub name: Word,
    pub unit: Option<Unit>,
}

/// Statements sorted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    /// The name of a component.
    pub component: Option<Word>,
    pub ports: Vec<Port>,
    pub branches: Vec<Branch>,
    pub definitions: Vec<(Word, Definition)>,
    /// New names, by the keyword that introduces them.
    pub variables: HashMap<Keyword, Vec<Declared>>,
    /// Energies, efforts, constraints and start values.
    pub laws: HashMap<Keyword, Vec<Formula>>,
    pub instances: Vec<Instance>,
    /// Whether the flows are to be independent.
    pub independent: Option<Span>,
    /// Statements about the study and the solution, and those that are not known: as they stand.
    pub others: Vec<(Word, Formula)>,
    /// Place of the first statement.
    pub span: Span,
}

/// Keywords that introduce names.
pub(crate) const VARIABLES: [Keyword; 4] = [
    Keyword::DisplacementVariables,
    Keyword::FlowVariables,
    Keyword::DynamicVariables,
    Keyword::EffortVariables,
];

/// Keywords with expressions that a network puts together.
const LAWS: [Keyword; 12] = [
    Keyword::KineticCoEnergy,
    Keyword::PotentialEnergy,
    Keyword::DissipationFunction,
    Keyword::GeneralizedEfforts,
    Keyword::DisplacementConstraints,
    Keyword::FlowConstraints,
    Keyword::EffortConstraints,
    Keyword::DynamicConstraints,
    Keyword::InitialDisplacements,
    Keyword::InitialFlows,
    Keyword::InitialDynamic,
    Keyword::InitialEfforts,
];

/// Keywords of components and networks: a text with one of them is flattened.
pub(crate) const NETWORK: [Keyword; 4] =
    [Keyword::Component, Keyword::Ports, Keyword::Branches, Keyword::Flows];

/// Keywords of start values.
const STARTS: [Keyword; 4] =
    [Keyword::InitialDisplacements, Keyword::InitialFlows, Keyword::InitialDynamic, Keyword::InitialEfforts];

impl Body {
    /// Names that formulas contain, also by way of definitions.
    pub fn reached<'a>(&'a self, formulas: impl IntoIterator<Item = &'a Formula>) -> HashSet<String> {
        let mut found = HashSet::new();
        let mut waiting: Vec<&Formula> = formulas.into_iter().collect();
        while let Some(formula) = waiting.pop() {
            for name in formula.names() {
                if found.insert(name.to_owned()) {
                    let own = self.definitions.iter().filter(|(word, _)| word.text == name);
                    waiting.extend(own.filter_map(|(_, value)| match value {
                        Definition::Formula(value) => Some(value),
                        Definition::Table(_) => None,
                    }));
                }
            }
        }
        found
    }

    /// Names on which energies, efforts, constraints or parts depend.
    pub fn lawful(&self) -> HashSet<String> {
        let laws =
            self.laws.iter().filter(|(keyword, _)| !STARTS.contains(keyword)).flat_map(|(_, list)| list);
        let parts =
            self.instances.iter().flat_map(|instance| instance.arguments.iter().map(|(_, value)| value));
        self.reached(laws.chain(parts))
    }

    /// Reads a text; mistakes are reported, and what has one is left out. `known` tells whether there is a
    /// component of a name.
    pub fn read(text: &str, known: &dyn Fn(&str) -> bool, diagnostics: &mut Diagnostics) -> Body {
        let text = plain(text);
        let list = statements(&text, false, diagnostics);
        let mut reader = Reader { text: &text, body: Body::default(), seen: HashMap::new(), diagnostics };
        reader.body.span = list.first().map_or(0..0, |statement| statement.name.span.clone());
        let tables: Vec<String> = list
            .iter()
            .filter(|s| matches!(s.value, Value::Table { .. }))
            .map(|s| s.name.text.clone())
            .collect();
        for statement in list {
            reader.statement(statement, &|name| known(name), &tables);
        }
        reader.body
    }

    /// Names that a keyword introduces.
    pub fn names(&self, keyword: Keyword) -> &[Declared] {
        self.variables.get(&keyword).map_or(&[], Vec::as_slice)
    }

    /// Expressions of a keyword.
    pub fn laws(&self, keyword: Keyword) -> &[Formula] {
        self.laws.get(&keyword).map_or(&[], Vec::as_slice)
    }
}

struct Reader<'a> {
    text: &'a str,
    body: Body,
    seen: HashMap<String, Span>,
    diagnostics: &'a mut Diagnostics,
}

impl Reader<'_> {
    fn error(&mut self, message: impl Into<String>, at: Span, label: &str, help: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(message).at(at, label).help(help));
    }

    fn statement(&mut self, statement: Statement, known: &dyn Fn(&str) -> bool, tables: &[String]) {
        let Statement { name, value } = statement;
        let Some(keyword) = Keyword::from_word(&name.text) else {
            return self.definition(name, value, known, tables);
        };
        if let Some(first) = self.seen.insert(name.text.clone(), name.span.clone()) {
            self.diagnostics.push(
                Diagnostic::error(format!("{} is given twice", name.text))
                    .at(name.span, "again here")
                    .and(first, "first here")
                    .help("remove one of them"),
            );
            return;
        }
        match (keyword, value) {
            (Keyword::Component, Value::Scalar(span)) => {
                let word = self.word(span);
                self.body.component = Some(word);
            }
            (Keyword::Ports, Value::Vector { items, .. }) => {
                items.into_iter().for_each(|item| self.port(item))
            }
            (Keyword::Branches, Value::Vector { items, .. }) => {
                items.into_iter().for_each(|item| self.branch(item));
            }
            (Keyword::Flows, Value::Scalar(span)) => self.flows(span),
            (_, Value::Vector { items, .. }) if VARIABLES.contains(&keyword) => self.names(keyword, items),
            (_, Value::Vector { items, .. })
                if LAWS.contains(&keyword) && keyword.kind() != Kind::Expression =>
            {
                let formula = |item| Formula::parse(self.text, item, self.diagnostics);
                let list: Vec<Formula> = items.iter().filter_map(formula).collect();
                self.body.laws.insert(keyword, list);
            }
            (_, Value::Scalar(span)) if LAWS.contains(&keyword) && keyword.kind() == Kind::Expression => {
                let formula = Formula::parse(self.text, &span, self.diagnostics);
                self.body.laws.insert(keyword, formula.into_iter().collect());
            }
            (_, value)
                if NETWORK.contains(&keyword) || LAWS.contains(&keyword) || VARIABLES.contains(&keyword) =>
            {
                let kind = keyword.kind();
                let help = format!("for example `{} = {};`", name.text, kind.example());
                self.error(format!("{} is {}", name.text, kind.words()), value.span(), "another value", help);
            }
            (_, value) => {
                if let Some(formula) = Formula::parse(self.text, &value.span(), self.diagnostics) {
                    self.body.others.push((name, formula));
                }
            }
        }
    }

    fn word(&self, span: Span) -> Word {
        Word { text: self.text[span.clone()].to_owned(), span }
    }

    fn names(&mut self, keyword: Keyword, items: Vec<Span>) {
        let mut list = Vec::new();
        for item in items {
            let Some((name, unit)) = name_with_unit(self.text, &item, self.diagnostics) else { continue };
            let name = self.word(name);
            if is_identifier(&name.text) {
                list.push(Declared { name, unit });
            } else {
                let help = "a name has letters, digits and underscores and does not start with a digit";
                self.error(format!("`{}` is not a name", name.text), name.span, "not a name", help);
            }
        }
        self.body.variables.insert(keyword, list);
    }

    /// `p: electrical`.
    fn port(&mut self, item: Span) {
        let Some(colon) = self.text[item.clone()].find(':') else {
            let help = "write `p: electrical`";
            return self.error("a port has a name and a discipline", item, "no discipline", help);
        };
        let name = self.word(trim(self.text, item.start..item.start + colon));
        let discipline = self.word(trim(self.text, item.start + colon + 1..item.end));
        if !is_identifier(&name.text) || name.text == GROUND {
            let help =
                format!("a name has letters and digits; `{GROUND}` is the reference and needs no port");
            return self.error(format!("`{}` cannot be a port", name.text), name.span, "not a port", help);
        }
        match Discipline::from_word(&discipline.text) {
            Some(discipline) => self.body.ports.push(Port { name, discipline }),
            None => {
                let words = Discipline::ALL.map(Discipline::word);
                let help = did_you_mean(&discipline.text, words)
                    .unwrap_or_else(|| format!("disciplines: {}", words.join(", ")));
                let message = format!("there is no discipline `{}`", discipline.text);
                self.error(message, discipline.span, "not a discipline", help);
            }
        }
    }

    /// `i: p -> n`.
    fn branch(&mut self, item: Span) {
        let text = &self.text[item.clone()];
        let parts = text.find(':').and_then(|colon| {
            let arrow = colon + text[colon..].find("->")?;
            Some([0..colon, colon + 1..arrow, arrow + 2..text.len()])
        });
        let words = parts.map(|parts| {
            parts.map(|part| self.word(trim(self.text, item.start + part.start..item.start + part.end)))
        });
        match words {
            Some([flow, from, to]) if [&flow, &from, &to].iter().all(|word| is_identifier(&word.text)) => {
                self.body.branches.push(Branch { flow, from, to });
            }
            _ => self.error(
                "a branch is `flow: node -> node`",
                item,
                "not a branch",
                "for example `i: p -> n`",
            ),
        }
    }

    /// `Flows = independent`.
    fn flows(&mut self, span: Span) {
        match &self.text[span.clone()] {
            "independent" => self.body.independent = Some(span),
            "all" => {}
            other => {
                let message = format!("Flows cannot be `{other}`");
                let help = "all: one for each branch; independent: as few as possible";
                self.error(message, span, "not a choice", help);
            }
        }
    }

    fn definition(&mut self, name: Word, value: Value, known: &dyn Fn(&str) -> bool, tables: &[String]) {
        match value {
            Value::Table { span, .. } => {
                if let Some(formula) = Formula::parse(self.text, &span, self.diagnostics) {
                    self.body.definitions.push((name, Definition::Table(formula)));
                }
            }
            Value::Scalar(span) => {
                if let Some(open) = self.call(&span, known, tables) {
                    return self.instance(name, span, open, known);
                }
                if let Some(formula) = Formula::parse(self.text, &span, self.diagnostics) {
                    self.body.definitions.push((name, Definition::Formula(formula)));
                }
            }
            Value::Vector { span, .. } => {
                if let Some(formula) = Formula::parse(self.text, &span, self.diagnostics) {
                    self.body.others.push((name, formula));
                }
            }
        }
    }

    /// Where the parenthesis opens if a value is the use of a component: a call of something that is no
    /// function, and that is a component or has an argument `name = value`, or nothing but words.
    fn call(&self, span: &Span, known: &dyn Fn(&str) -> bool, tables: &[String]) -> Option<usize> {
        let text = &self.text[span.clone()];
        let open = text.find('(')?;
        let name = text[..open].trim_end();
        let function = poinsot_expr::builtin(name).is_some() || poinsot_expr::KEYWORDS.contains(&name);
        if !is_identifier(name)
            || function
            || tables.iter().any(|table| table == name)
            || !text.ends_with(')')
        {
            return None;
        }
        let mut scratch = Diagnostics::default();
        let items = list(self.text, span.clone(), span.start + open, &mut scratch)?;
        let words = items.len() > 1 && items.iter().all(|item| is_identifier(&self.text[item.clone()]));
        let named = items.iter().any(|item| argument(self.text, item).is_some());
        (known(name) || words || named).then_some(span.start + open)
    }

    fn instance(&mut self, name: Word, span: Span, open: usize, known: &dyn Fn(&str) -> bool) {
        let component = self.word(trim(self.text, span.start..open));
        if !known(&component.text) {
            let names = super::library::names();
            let help = did_you_mean(&component.text, &names).unwrap_or_else(|| {
                "`poinsot components` lists the library; your own stand beside the model".into()
            });
            let message = format!("unknown component `{}`", component.text);
            return self.error(message, component.span, "not a component", help);
        }
        let Some(items) = list(self.text, span.clone(), open, self.diagnostics) else { return };
        let (mut nodes, mut arguments): (Vec<Word>, Vec<(Word, Formula)>) = (Vec::new(), Vec::new());
        for item in items {
            match argument(self.text, &item) {
                Some((parameter, value)) => {
                    let parameter = self.word(parameter);
                    if let Some((first, _)) = arguments.iter().find(|(other, _)| other.text == parameter.text)
                    {
                        let first = first.span.clone();
                        self.diagnostics.push(
                            Diagnostic::error(format!("`{}` is given twice", parameter.text))
                                .at(parameter.span, "again here")
                                .and(first, "first here"),
                        );
                        continue;
                    }
                    if let Some(value) = Formula::parse(self.text, &value, self.diagnostics) {
                        arguments.push((parameter, value));
                    }
                }
                None if is_identifier(&self.text[item.clone()]) && arguments.is_empty() => {
                    nodes.push(self.word(item))
                }
                None => {
                    let help = "first the nodes, then parameters by name: `resistor(a, b, R = 10)`";
                    let message = format!("`{}` is neither a node nor a parameter", &self.text[item.clone()]);
                    self.error(message, item, "not expected here", help);
                }
            }
        }
        self.body.instances.push(Instance { name, component, nodes, arguments, span });
    }
}

/// `name = value`: the places of both.
fn argument(text: &str, item: &Span) -> Option<(Span, Span)> {
    let body = &text[item.clone()];
    let equal = body.find('=').filter(|&at| !body[at + 1..].starts_with('='))?;
    let name = trim(text, item.start..item.start + equal);
    let value = trim(text, item.start + equal + 1..item.end);
    (is_identifier(&text[name.clone()]) && !value.is_empty()).then_some((name, value))
}
