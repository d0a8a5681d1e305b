//! An energy model as it is read: variables, energies, constraints, start values, times and options.

use super::components::{Failed, Flat, FlatText, flatten};
use super::definitions::{Definitions, Signal, parse};
use super::keyword::{Keyword, Kind};
use super::names::{Names, Placed, TIME};
use super::options::Options;
use super::statement::{Statement, Value, Word, is_dotted_identifier, is_identifier, plain, statements};
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::input_file::InputFiles;
use crate::spec::{ParameterSpec, TableSpec};
use crate::suggest::did_you_mean;
use crate::value::Located;
use poinsot_expr::{Expr, Table};
use poinsot_mechanics::{Coupled, Lagrangian, LagrangianError};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

/// What stands around an energy model.
#[derive(Debug, Default)]
pub(crate) struct Around {
    /// Names of what the model reads that is no coordinate and no rate of one.
    pub plain_readings: Vec<String>,
    /// Coordinates of the mechanics that the model reads, with their rates.
    pub coordinates: Vec<Coupled>,
    /// Parameters that are set from outside.
    pub overrides: Vec<(String, Expr)>,
    /// Where the model's own components stand.
    pub directory: Option<PathBuf>,
    /// The files that are read from there.
    pub files: Arc<InputFiles>,
}

/// An energy model, names resolved and numbers evaluated.
#[derive(Debug)]
pub(crate) struct EnergyModel {
    /// Energies and constraints, signals put in, parameters by name.
    pub lagrangian: Lagrangian,
    /// Places of the names of q, f, s, e in this order.
    pub variables: Vec<Word>,
    /// Values of q, f, s, e at the start, in this order.
    pub start: Vec<f64>,
    pub parameters: Vec<ParameterSpec>,
    pub signals: Vec<Signal>,
    pub tables: Vec<TableSpec>,
    pub times: Times,
    pub options: Options,
    /// Place of the first statement.
    pub span: Span,
    /// Units of variables, as far as they are known.
    pub units: HashMap<String, String>,
    /// Variables of components whose start values nobody gave.
    pub free: HashSet<String>,
}

/// When to begin, when to end and how often to look.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    pub start: Option<Located<f64>>,
    pub end: Option<Located<f64>>,
    pub points: Option<Located<usize>>,
}

/// What is known of a file so far.
pub(super) struct Reader<'a> {
    pub text: &'a str,
    pub diagnostics: &'a mut Diagnostics,
    pub given: HashMap<Keyword, Statement>,
    pub names: Names,
    pub definitions: Definitions,
    pub tables: Vec<Arc<Table>>,
    /// Whether names may be those of variables in instances.
    dots: bool,
}

/// Reads a model from its text; `None` if there is an error among the diagnostics.
pub(crate) fn read(text: &str, around: &Around, diagnostics: &mut Diagnostics) -> Option<EnergyModel> {
    match flatten(text, around.directory.as_deref(), &around.files, diagnostics) {
        Err(Failed) => None,
        Ok(None) => read_flat(text, around, false, diagnostics),
        Ok(Some(Flat { text, units, free })) => {
            let mut found = Diagnostics::default();
            let model = read_flat(&text.text, around, true, &mut found);
            found.into_sorted().into_iter().for_each(|diagnostic| diagnostics.push(text.locate(diagnostic)));
            let mut model = model?;
            model.relocate(&text);
            Some(EnergyModel { units, free, ..model })
        }
    }
}

/// Reads a model without components and units; with `dots` it is made of instances.
fn read_flat(text: &str, around: &Around, dots: bool, diagnostics: &mut Diagnostics) -> Option<EnergyModel> {
    let text = plain(text);
    let list = statements(&text, dots, diagnostics);
    let span = list.first().map_or(0..0, |statement| statement.name.span.clone());
    let coordinates = around.coordinates.iter().flat_map(|c| [c.coordinate.clone(), c.rate.clone()]);
    let readings = around.plain_readings.iter().cloned().chain(coordinates).collect();
    let mut reader = Reader {
        text: &text,
        diagnostics,
        given: HashMap::new(),
        names: Names::new(readings),
        definitions: Definitions::default(),
        tables: Vec::new(),
        dots,
    };
    let model = reader.model(list, around, span);
    let valid = !reader.diagnostics.has_errors();
    model.filter(|_| valid)
}

impl EnergyModel {
    /// Gives everything its place in the text that a flat text was made of.
    fn relocate(&mut self, text: &FlatText) {
        let words = self.variables.iter_mut().chain(&mut self.options.keep);
        let spans = words.map(|word| &mut word.span);
        let spans = spans
            .chain(self.parameters.iter_mut().map(|parameter| &mut parameter.span))
            .chain(self.signals.iter_mut().map(|signal| &mut signal.name.span))
            .chain(self.tables.iter_mut().map(|table| &mut table.span))
            .chain(self.times.start.iter_mut().map(|time| &mut time.span))
            .chain(self.times.end.iter_mut().map(|time| &mut time.span))
            .chain(self.times.points.iter_mut().map(|points| &mut points.span))
            .chain(self.options.index.iter_mut().map(|index| &mut index.span))
            .chain(self.options.form.iter_mut().map(|form| &mut form.span))
            .chain(self.options.of_study.iter_mut().map(|(_, span)| span))
            .chain([&mut self.span]);
        spans.for_each(|span| *span = text.origin(span));
    }
}

impl Reader<'_> {
    fn model(&mut self, list: Vec<Statement>, around: &Around, span: Span) -> Option<EnergyModel> {
        let definitions = self.sort(list);
        let [displacements, flows, dynamics, efforts] = [
            (Keyword::DisplacementVariables, "displacement"),
            (Keyword::FlowVariables, "flow"),
            (Keyword::DynamicVariables, "dynamic variable"),
            (Keyword::EffortVariables, "effort"),
        ]
        .map(|(keyword, _)| self.new_variables(keyword));
        let multipliers = self.new_variables(Keyword::FlowMultipliers);
        let definitions = self.enter_definitions(definitions);
        self.definitions = super::definitions::definitions(
            self.text,
            definitions,
            &around.overrides,
            &mut self.names,
            self.diagnostics,
        );
        self.tables = self.definitions.functions();
        let lists = [&displacements, &flows, &dynamics, &efforts]
            .map(|list| list.iter().map(|w| w.text.clone()).collect());
        let [q, f, s, e]: [Vec<String>; 4] = lists;
        let mut lagrangian = Lagrangian::new(q, f);
        (lagrangian.dynamics, lagrangian.efforts) = (s, e);
        lagrangian.flow_multipliers = multipliers.into_iter().map(|word| word.text).collect();
        lagrangian.time = TIME.into();
        lagrangian.coordinates.clone_from(&around.coordinates);
        self.check_flows(&displacements, &flows);
        let counts = [displacements.len(), flows.len(), dynamics.len(), efforts.len()];
        if counts.iter().sum::<usize>() == 0 && !self.diagnostics.has_errors() {
            self.diagnostics.push(
                Diagnostic::error("the energy model has no variables")
                    .at(span.clone(), "no variables in this file")
                    .help("name them: `DisplacementVariables = [q]; FlowVariables = [f];`"),
            );
        }
        let laws = self.laws(&mut lagrangian, around);
        let times = self.times();
        let start = self.start_values(counts, times.start.as_ref().map_or(0.0, |t| t.value));
        let options = self.options(
            counts,
            lagrangian.displacement_constraints.len(),
            lagrangian.flow_constraints.len(),
        );
        laws?;
        self.check_laws(&lagrangian)?;
        let Definitions { parameters, signals, tables, .. } = std::mem::take(&mut self.definitions);
        Some(EnergyModel {
            lagrangian,
            variables: [displacements, flows, dynamics, efforts].concat(),
            start: start?,
            parameters,
            signals,
            tables,
            times,
            options: options?,
            span,
            units: HashMap::new(),
            free: HashSet::new(),
        })
    }

    /// Keywords and definitions; a keyword stands once.
    fn sort(&mut self, list: Vec<Statement>) -> Vec<(Word, Value)> {
        let used = self.used_names(&list);
        let mut definitions = Vec::new();
        for statement in list {
            let Some(keyword) = Keyword::from_word(&statement.name.text) else {
                if !self.is_misspelt(&statement, &used) {
                    definitions.push((statement.name, statement.value));
                }
                continue;
            };
            let span = statement.name.span.clone();
            match self.given.get(&keyword) {
                Some(first) => {
                    let first = first.name.span.clone();
                    self.diagnostics.push(
                        Diagnostic::error(format!("{} is given twice", keyword.word()))
                            .at(span, "again here")
                            .and(first, "first here")
                            .help("remove one of them"),
                    );
                }
                None => {
                    self.given.insert(keyword, statement);
                }
            }
        }
        definitions
    }

    /// All words that stand on a right side.
    fn used_names(&self, list: &[Statement]) -> std::collections::HashSet<String> {
        let outside = |c: char| !(c == '_' || c.is_alphanumeric());
        let words = list.iter().flat_map(|s| self.text[s.value.span()].split(outside));
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    /// True after reporting a keyword that is not written as it should be.
    fn is_misspelt(&mut self, statement: &Statement, used: &std::collections::HashSet<String>) -> bool {
        let Word { text, span } = &statement.name;
        let vector = matches!(statement.value, Value::Vector { .. });
        let near = did_you_mean(text, Keyword::words());
        let help = match Keyword::in_other_case(text) {
            Some(word) => Some(format!("did you mean `{word}`? upper and lower case count")),
            None if vector => Some(near.unwrap_or_else(|| {
                "a vector is the value of a keyword, e.g. `InitialFlows = [0, 0];`; a definition has one number".into()
            })),
            // A name that nothing uses and that is nearly a keyword is one.
            None => near.filter(|_| !used.contains(text) && !text.contains('.')),
        };
        let Some(help) = help else { return false };
        self.names.lost.insert(text.clone());
        self.diagnostics.push(
            Diagnostic::error(format!("unknown keyword `{text}`"))
                .at(span.clone(), "not a keyword")
                .help(help),
        );
        true
    }

    /// The items of a keyword whose value is a vector; `None` without it or after reporting another value.
    pub(super) fn items(&mut self, keyword: Keyword) -> Option<Vec<Span>> {
        let statement = self.given.get(&keyword)?;
        match &statement.value {
            Value::Vector { items, .. } => Some(items.clone()),
            other => {
                let place = other.span();
                self.wrong_kind(keyword, place);
                None
            }
        }
    }

    /// The value of a keyword that has one; `None` without it or after reporting another value.
    pub(super) fn single(&mut self, keyword: Keyword) -> Option<Span> {
        let statement = self.given.get(&keyword)?;
        match &statement.value {
            Value::Scalar(span) => Some(span.clone()),
            other => {
                let place = other.span();
                self.wrong_kind(keyword, place);
                None
            }
        }
    }

    fn wrong_kind(&mut self, keyword: Keyword, place: Span) {
        let (word, kind) = (keyword.word(), keyword.kind());
        self.diagnostics.push(
            Diagnostic::error(format!("{word} is {}", kind.words()))
                .at(place, format!("not {}", kind.words()))
                .help(format!("for example `{word} = {};`", kind.example())),
        );
    }

    /// The names that a keyword introduces.
    fn new_variables(&mut self, keyword: Keyword) -> Vec<Word> {
        let mut list = Vec::new();
        for span in self.items(keyword).unwrap_or_default() {
            let word = Word { text: self.text[span.clone()].to_owned(), span };
            let named = is_identifier(&word.text) || self.dots && is_dotted_identifier(&word.text);
            if !named {
                self.diagnostics.push(
                    Diagnostic::error(format!("`{}` is not a name", word.text))
                        .at(word.span, "not a name")
                        .help("a name has letters, digits and underscores and does not start with a digit"),
                );
                continue;
            }
            if self.names.check_new(&word, "variable", self.diagnostics) {
                self.names.enter_variable(&word);
                list.push(word);
            }
        }
        list
    }

    /// Enters the names of definitions; those that cannot be are left out.
    fn enter_definitions(&mut self, list: Vec<(Word, Value)>) -> Vec<(Word, Value)> {
        let mut entered = Vec::new();
        for (word, value) in list {
            if self.names.check_new(&word, "definition", self.diagnostics) {
                self.names.enter_definition(&word);
                entered.push((word, value));
            }
        }
        entered
    }

    fn check_flows(&mut self, displacements: &[Word], flows: &[Word]) {
        if displacements.len() == flows.len() || self.diagnostics.has_errors() {
            return;
        }
        let given =
            |keyword| self.given.get(&keyword).map(|statement: &Statement| statement.name.span.clone());
        let (q, f) = (given(Keyword::DisplacementVariables), given(Keyword::FlowVariables));
        let message = format!(
            "{} for {}: each displacement has one flow, in the same order",
            count(flows.len(), "flow"),
            count(displacements.len(), "displacement")
        );
        let mut diagnostic = Diagnostic::error(message);
        diagnostic = match (f, q) {
            (Some(f), Some(q)) => diagnostic.at(f, "these flows").and(q, "these displacements"),
            (Some(one), None) | (None, Some(one)) => diagnostic.at(one, "without its counterpart"),
            (None, None) => diagnostic,
        };
        self.diagnostics.push(diagnostic.help("FlowVariables are the rates of DisplacementVariables"));
    }

    /// An expression with names checked and signals put in.
    pub(super) fn law(&mut self, at: Span) -> Option<Placed> {
        let placed = parse(self.text, at, &self.tables, self.diagnostics)?;
        if !self.names.check_uses(&placed, self.diagnostics) {
            return None;
        }
        self.definitions.expand(&placed, self.diagnostics)
    }

    /// Energies, efforts and constraints.
    fn laws(&mut self, lagrangian: &mut Lagrangian, around: &Around) -> Option<()> {
        let mut good = Some(());
        let mut placed: Vec<(Keyword, Placed)> = Vec::new();
        for keyword in LAWS {
            let items = match keyword.kind() {
                Kind::Expression => self.single(keyword).map(|span| vec![span]),
                _ => self.items(keyword),
            };
            for item in items.into_iter().flatten() {
                match self.law(item) {
                    Some(law) => placed.push((keyword, law)),
                    None => good = None,
                }
            }
        }
        good = self.check_readings(&placed, around).and(good);
        good?;
        let all = |keyword: Keyword| -> Vec<Expr> {
            placed.iter().filter(|(k, _)| *k == keyword).map(|(_, law)| law.expr.clone()).collect()
        };
        let one = |keyword: Keyword| all(keyword).pop().unwrap_or_else(|| Expr::number(0.0));
        lagrangian.kinetic = one(Keyword::KineticCoEnergy);
        lagrangian.potential = one(Keyword::PotentialEnergy);
        lagrangian.dissipation = one(Keyword::DissipationFunction);
        if self.given.contains_key(&Keyword::GeneralizedEfforts) {
            lagrangian.applied = all(Keyword::GeneralizedEfforts);
        }
        lagrangian.displacement_constraints = all(Keyword::DisplacementConstraints);
        lagrangian.flow_constraints = all(Keyword::FlowConstraints);
        lagrangian.effort_constraints = all(Keyword::EffortConstraints);
        lagrangian.dynamic_rates = all(Keyword::DynamicConstraints);
        Some(())
    }

    /// What is no coordinate has no effort of its own and stands where no power is exchanged.
    fn check_readings(&mut self, laws: &[(Keyword, Placed)], around: &Around) -> Option<()> {
        let mut good = Some(());
        let exchange = laws.iter().filter(|(keyword, _)| EXCHANGE.contains(keyword));
        for (keyword, law) in exchange {
            let Some(name) = around.plain_readings.iter().find(|name| law.expr.contains(name)) else {
                continue;
            };
            good = None;
            self.diagnostics.push(
                Diagnostic::error(format!("{} may not contain `{name}`", keyword.word()))
                    .at(
                        law.place_of(name),
                        "read, but no coordinate of a joint, length or position and no rate of one",
                    )
                    .help("it may stand in GeneralizedEfforts, EffortConstraints and DynamicConstraints"),
            );
        }
        good
    }

    /// Reports what the equations would refuse, at its place.
    fn check_laws(&mut self, lagrangian: &Lagrangian) -> Option<()> {
        if self.diagnostics.has_errors() {
            return None;
        }
        let error = match lagrangian.check() {
            Ok(()) => return Some(()),
            Err(error) => error,
        };
        let keyword = match &error {
            LagrangianError::Length { what, .. } | LagrangianError::Forbidden { what, .. } => {
                Keyword::from_word(what).unwrap_or(Keyword::KineticCoEnergy)
            }
            LagrangianError::Nonlinear { .. } => Keyword::FlowConstraints,
            LagrangianError::Acceleration { .. } => Keyword::DisplacementConstraints,
        };
        let item = match &error {
            LagrangianError::Length { .. } => None,
            LagrangianError::Forbidden { index, name, .. } => Some((*index, name.clone())),
            LagrangianError::Nonlinear { constraint, flow: name }
            | LagrangianError::Acceleration { constraint, name } => Some((*constraint, name.clone())),
        };
        let diagnostic = self.law_error(&error, keyword, lagrangian);
        // What is missing is missed by the variables that need it.
        let needs_it = match keyword {
            Keyword::EffortConstraints => Keyword::EffortVariables,
            Keyword::DynamicConstraints => Keyword::DynamicVariables,
            _ => Keyword::DisplacementVariables,
        };
        let place = self.law_place(keyword, item).or_else(|| self.law_place(needs_it, None));
        self.diagnostics.push(match place {
            Some(place) => diagnostic.at(place, "here"),
            None => diagnostic,
        });
        None
    }

    /// Place of a name in an item of a keyword, or of the keyword.
    fn law_place(&mut self, keyword: Keyword, item: Option<(usize, String)>) -> Option<Span> {
        let statement = self.given.get(&keyword)?;
        let whole = statement.name.span.clone();
        let spans = match &statement.value {
            Value::Scalar(span) => vec![span.clone()],
            Value::Vector { items, .. } | Value::Table { arguments: items, .. } => items.clone(),
        };
        let Some((index, name)) = item else { return Some(whole) };
        let law = self.law(spans.get(index)?.clone())?;
        Some(law.place_of(&name))
    }

    fn law_error(&self, error: &LagrangianError, keyword: Keyword, lagrangian: &Lagrangian) -> Diagnostic {
        let word = keyword.word();
        match error {
            LagrangianError::Length { have, want, .. } => {
                let (of, names) = match keyword {
                    Keyword::EffortConstraints => ("effort", &lagrangian.efforts),
                    Keyword::DynamicConstraints => ("dynamic variable", &lagrangian.dynamics),
                    _ => ("displacement", &lagrangian.displacements),
                };
                let (have, want) = (count(*have, "expression"), count(*want, of));
                let help = match names.as_slice() {
                    [] => format!("the file names no {of}"),
                    names => format!("one for each of {}", names.join(", ")),
                };
                Diagnostic::error(format!("{word} has {have} for {want}")).help(help)
            }
            LagrangianError::Forbidden { name, .. } => {
                Diagnostic::error(format!("{word} may not contain `{name}`")).help(allowed(keyword))
            }
            LagrangianError::Nonlinear { flow, .. } => Diagnostic::error(format!(
                "a flow constraint is linear in flows, but this is not in `{flow}`"
            ))
            .help("a relation that is not linear is an effort constraint with an effort variable of its own"),
            LagrangianError::Acceleration { .. } => {
                Diagnostic::error(error.to_string()).help("choose the form stabilised, index2 or index3")
            }
        }
    }

    /// A number of parameters, or `None` after reporting a mistake.
    pub(super) fn number(&mut self, at: Span, time: Option<f64>) -> Option<f64> {
        let placed = self.law(at)?;
        let expr = match time {
            Some(time) => placed.expr.substitute(TIME, &Expr::number(time)),
            None => placed.expr.clone(),
        };
        let fixed = |name: &str| self.definitions.value(name).is_some() || name == "pi";
        if let Some((name, span)) = expr.variables().into_iter().find(|(name, _)| !fixed(name)) {
            self.diagnostics.push(
                Diagnostic::error(format!("this must be a number, but uses `{name}`"))
                    .at(placed.place(span), "not a number")
                    .help("it may use parameters: definitions that do not depend on time or on variables"),
            );
            return None;
        }
        self.definitions.number(&Placed { expr, at: placed.at }, self.diagnostics)
    }

    /// InitialTime, FinalTime, OutputPoints.
    fn times(&mut self) -> Times {
        let mut number = |keyword| {
            let span = self.single(keyword)?;
            Some(Located { value: self.number(span.clone(), None)?, span })
        };
        let (start, end) = (number(Keyword::InitialTime), number(Keyword::FinalTime));
        let points = self.whole(Keyword::OutputPoints, 2);
        let first = start.as_ref().map_or(0.0, |start| start.value);
        if let Some(end) = end.as_ref().filter(|end| end.value <= first) {
            let mut diagnostic =
                Diagnostic::error(format!("FinalTime {} does not lie after InitialTime {first}", end.value))
                    .at(end.span.clone(), "the end");
            if let Some(start) = &start {
                diagnostic = diagnostic.and(start.span.clone(), "the start");
            }
            self.diagnostics.push(diagnostic.help("time goes forward"));
        }
        Times { start, end, points }
    }

    /// A whole number not below `least`.
    pub(super) fn whole(&mut self, keyword: Keyword, least: usize) -> Option<Located<usize>> {
        let span = self.single(keyword)?;
        let value = self.number(span.clone(), None)?;
        if value.fract() != 0.0 || value < least as f64 || value > MOST {
            self.diagnostics.push(
                Diagnostic::error(format!(
                    "{} is a whole number from {least} on, not {value}",
                    keyword.word()
                ))
                .at(span, "not such a number"),
            );
            return None;
        }
        Some(Located { value: value as usize, span })
    }

    /// Values of q, f, s, e at the start.
    fn start_values(&mut self, [q, f, s, e]: [usize; 4], time: f64) -> Option<Vec<f64>> {
        let lists = [
            (Keyword::InitialDisplacements, q, "displacement"),
            (Keyword::InitialFlows, f, "flow"),
            (Keyword::InitialDynamic, s, "dynamic variable"),
            (Keyword::InitialEfforts, e, "effort"),
        ];
        let (mut values, mut good, mut missing) = (Vec::new(), Some(()), Vec::new());
        for (keyword, wanted, noun) in lists {
            if !self.given.contains_key(&keyword) {
                // Efforts follow from their constraints.
                if wanted > 0 && keyword != Keyword::InitialEfforts {
                    missing.push(keyword.word());
                }
                values.extend(std::iter::repeat_n(0.0, wanted));
                continue;
            }
            match self.numbers(keyword, wanted, noun, Some(time)) {
                Some(list) => values.extend(list),
                None => good = None,
            }
        }
        if !missing.is_empty() && !self.diagnostics.has_errors() {
            let list = missing.join(" and ");
            let verb = if missing.len() == 1 { "is" } else { "are" };
            self.diagnostics.push(
                Diagnostic::warning(format!("{list} {verb} missing: the start values are zero"))
                    .help(format!("give `{} = [...];`", missing[0])),
            );
        }
        good.map(|()| values)
    }

    /// The numbers of a vector that must have `wanted` of them.
    pub(super) fn numbers(
        &mut self,
        keyword: Keyword,
        wanted: usize,
        noun: &str,
        time: Option<f64>,
    ) -> Option<Vec<f64>> {
        let items = self.items(keyword)?;
        if items.len() != wanted && !self.diagnostics.has_errors() {
            let place = self.given.get(&keyword).map_or(0..0, |statement| statement.name.span.clone());
            let message = format!(
                "{} has {} for {}",
                keyword.word(),
                count(items.len(), "number"),
                count(wanted, noun)
            );
            self.diagnostics.push(Diagnostic::error(message).at(place, "another length"));
            return None;
        }
        let list: Vec<Option<f64>> = items.into_iter().map(|item| self.number(item, time)).collect();
        list.into_iter().collect()
    }
}

/// Greatest whole number that a keyword may have.
const MOST: f64 = 1e9;

/// Keywords with expressions of variables.
const LAWS: [Keyword; 8] = [
    Keyword::KineticCoEnergy,
    Keyword::PotentialEnergy,
    Keyword::DissipationFunction,
    Keyword::GeneralizedEfforts,
    Keyword::DisplacementConstraints,
    Keyword::FlowConstraints,
    Keyword::EffortConstraints,
    Keyword::DynamicConstraints,
];

/// Keywords by whose derivatives efforts act on everything that they contain.
const EXCHANGE: [Keyword; 5] = [
    Keyword::KineticCoEnergy,
    Keyword::PotentialEnergy,
    Keyword::DissipationFunction,
    Keyword::DisplacementConstraints,
    Keyword::FlowConstraints,
];

/// What an expression may contain.
fn allowed(keyword: Keyword) -> &'static str {
    match keyword {
        Keyword::PotentialEnergy => {
            "V depends on displacements, parameters and time; losses belong to DissipationFunction"
        }
        Keyword::DisplacementConstraints => {
            "a displacement constraint contains displacements, parameters and time; with flows it is a flow constraint"
        }
        Keyword::KineticCoEnergy => {
            "T* depends on displacements, flows, parameters and time; the mass of the mechanics belongs to its bodies"
        }
        _ => {
            "it depends on displacements, flows, parameters and time; other efforts belong to GeneralizedEfforts"
        }
    }
}

/// `1 flow`, `2 flows`.
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
