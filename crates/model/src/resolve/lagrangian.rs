//! Energy models beside the mechanics.

use super::Resolver;
use super::constraint::level;
use super::formula::{Meaning, Place};
use super::names::Thing;
use crate::diagnostic::{Diagnostic, Diagnostics, Label, Source, Span};
use crate::expression::{parse_as, report};
use crate::file::{FileTable, LagrangianTable};
use crate::ldae::{Around, Derived, EnergyModel, Lowering, derive, places, read, variables};
use crate::load::utf8;
use crate::parametric::ParameterValue;
use crate::quantity::{ForceQuantity, JointQuantity, Motion, Quantity, VariableQuantity};
use crate::spec::{EffortSpec, EffortTarget, EquationsSpec, LawSpec, ParameterSpec};
use crate::value::{Number, Text};
use poinsot_expr::{Expr, Function};
use poinsot_mechanics::Coupled;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// An energy model whose equations are known.
pub(crate) struct EnergyBlock {
    derived: Derived,
    /// What it reads: names in the energy model and full names.
    readings: Vec<(String, Text)>,
    /// Coordinates that it contains, in the order of the loads, with their full names.
    coordinates: Vec<(Quantity, Text)>,
    /// Where its text stands.
    origin: Origin,
}

/// Where the text of an energy model stands.
enum Origin {
    /// In the model file.
    Inline(Text),
    /// In another file; the place is the key that names it.
    Included { source: Source, key: Text },
}

impl Origin {
    fn text(&self) -> &str {
        match self {
            Origin::Inline(text) => &text.value,
            Origin::Included { source, .. } => &source.text,
        }
    }

    /// Where components beside the text stand.
    fn directory(&self, of_model: &Path) -> PathBuf {
        match self {
            Origin::Inline(_) => of_model.to_owned(),
            Origin::Included { source, .. } => {
                of_model.join(&source.name).parent().unwrap_or(of_model).to_owned()
            }
        }
    }

    /// The place in the model file of a place in the text.
    fn place(&self, inner: Span) -> Span {
        match self {
            Origin::Inline(text) => text.locate(inner),
            Origin::Included { key, .. } => key.span.clone(),
        }
    }

    /// A diagnostic about the text as one about the model file.
    fn moved(&self, diagnostic: Diagnostic) -> Diagnostic {
        match self {
            Origin::Inline(text) => {
                let moved = |label: Label| Label { span: text.locate(label.span), ..label };
                let primary = diagnostic
                    .primary
                    .map_or(Label { span: text.span.clone(), text: "in this energy model".into() }, moved);
                let secondary = diagnostic.secondary.into_iter().map(moved).collect();
                Diagnostic { primary: Some(primary), secondary, ..diagnostic }
            }
            Origin::Included { source, key } => {
                let place = match &diagnostic.primary {
                    Some(label) => {
                        let (line, column) = source.position(label.span.start);
                        format!("{}:{line}:{column}: ", source.name)
                    }
                    None => String::new(),
                };
                let primary = Label { span: key.span.clone(), text: "in this file".into() };
                Diagnostic {
                    message: format!("{place}{}", diagnostic.message),
                    primary: Some(primary),
                    secondary: vec![],
                    ..diagnostic
                }
            }
        }
    }
}

impl Resolver<'_> {
    /// The unknowns of all energy models: everything may name them.
    pub fn resolve_lagrangians(&mut self, file: &FileTable, given: &[ParameterValue]) {
        for table in &file.lagrangian {
            let block = self.energy_block(table, file, given);
            let place = |block: &EnergyBlock| {
                variables(&block.derived, &table.name.span, &|span| block.origin.place(span))
            };
            self.variables.push(block.as_ref().map(place));
            self.energy_blocks.push(block);
        }
    }

    fn energy_block(
        &mut self,
        table: &LagrangianTable,
        file: &FileTable,
        given: &[ParameterValue],
    ) -> Option<EnergyBlock> {
        let origin = self.origin(table)?;
        let (readings, coordinates, mut around) = self.readings(table, file)?;
        around.overrides = self.block_overrides(table, given)?;
        around.directory = Some(origin.directory(self.directory));
        around.files = self.files.clone();
        let mut found = Diagnostics::default();
        let model = read(origin.text(), &around, &mut found);
        let derived = model.and_then(|mut model| {
            self.warn_of_study(&model, &origin);
            model.times.start =
                self.start_of_study(file).map(|value| crate::value::Located { value, span: 0..0 });
            let form = table.form.as_ref().map(|form| form.value.into());
            let form = form.or(model.options.form.as_ref().map(|form| form.value)).unwrap_or_default();
            derive(model, form, !readings.is_empty(), &mut found)
        });
        for diagnostic in found.into_sorted() {
            self.diagnostics.push(origin.moved(diagnostic));
        }
        let derived = derived?;
        self.enter_parameters(&table.name, &derived, &origin, given);
        Some(EnergyBlock { derived, readings, coordinates, origin })
    }

    /// The text: `file` or `model`.
    fn origin(&mut self, table: &LagrangianTable) -> Option<Origin> {
        let key = match (&table.file, &table.model) {
            (None, Some(text)) => return Some(Origin::Inline(text.clone())),
            (Some(key), None) => key,
            (given, _) => {
                let message = match given {
                    Some(_) => format!("`{}` has both `file` and `model`", table.name.value),
                    None => format!("`{}` has neither `file` nor `model`", table.name.value),
                };
                self.diagnostics.push(
                    Diagnostic::error(message)
                        .at(table.name.span.clone(), "needs one of the two")
                        .help("give `file = \"motor.ldae\"`, or the text itself: model = \"\"\" … \"\"\""),
                );
                return None;
            }
        };
        let path = self.directory.join(&key.value);
        let read = self.files.text(&path);
        let bytes = read.map_err(|error| {
            Diagnostic::error(format!("cannot read the energy model {:?}: {error}", key.value))
                .at(key.span.clone(), "no such file")
                .help(format!("looked for {}", path.display()))
        });
        match bytes.map(|bytes| utf8(bytes.to_vec())) {
            Ok(Ok(text)) => {
                Some(Origin::Included { source: Source::new(&key.value, text), key: key.clone() })
            }
            Ok(Err((text, diagnostic))) => {
                let origin = Origin::Included { source: Source::new(&key.value, text), key: key.clone() };
                self.diagnostics.push(origin.moved(*diagnostic));
                None
            }
            Err(diagnostic) => {
                self.diagnostics.push(diagnostic);
                None
            }
        }
    }

    /// What an energy model reads: by name, coordinates with their rates, and for the reader of the language.
    #[expect(clippy::type_complexity, reason = "three lists of one loop")]
    fn readings(
        &mut self,
        table: &LagrangianTable,
        file: &FileTable,
    ) -> Option<(Vec<(String, Text)>, Vec<(Quantity, Text)>, Around)> {
        let mut around = Around::default();
        let (mut readings, mut coordinates): (Vec<(String, Text)>, Vec<(Quantity, Text)>) = (vec![], vec![]);
        let mut given: Vec<&Text> = vec![];
        let mut good = Some(());
        for (name, full) in table.read.as_ref().map_or(&[][..], |read| &read.list) {
            if !self.check_name(name, "reading") {
                good = None;
                continue;
            }
            let Some(found) = self.reading(full, file) else {
                good = None;
                continue;
            };
            if let Some(other) = given.iter().find(|other| other.value == full.value) {
                self.diagnostics.push(
                    Diagnostic::error(format!("`{}` is read twice", full.value))
                        .at(full.span.clone(), "again here")
                        .and(other.span.clone(), "first here"),
                );
                good = None;
                continue;
            }
            given.push(full);
            readings.push((name.value.clone(), full.clone()));
            let Some((coordinate, is_rate)) = found else {
                around.plain_readings.push(name.value.clone());
                continue;
            };
            let k = match coordinates.iter().position(|(other, _)| *other == coordinate) {
                Some(k) => k,
                None => {
                    let pair = self.pair_of(coordinate, &name.value, full, file)?;
                    let [(_, on), (rate, full_rate)] = &pair;
                    coordinates.push((coordinate, on.clone()));
                    readings.push((rate.clone(), full_rate.clone()));
                    readings.push((pair[0].0.clone(), on.clone()));
                    around.coordinates.push(Coupled {
                        coordinate: pair[0].0.clone(),
                        rate: rate.clone(),
                        applied: Expr::number(0.0),
                    });
                    coordinates.len() - 1
                }
            };
            let coupled = &mut around.coordinates[k];
            let slot = if is_rate { &mut coupled.rate } else { &mut coupled.coordinate };
            slot.clone_from(&name.value);
        }
        good.map(|()| (readings, coordinates, around))
    }

    /// The coordinate that a reading is or is the rate of; `Some(None)` for everything else.
    fn reading(&mut self, full: &Text, file: &FileTable) -> Option<Option<(Quantity, bool)>> {
        let root = full.value.split('.').next().unwrap_or_default();
        if matches!(self.names.get(root), Some(Thing::Equations(_) | Thing::Lagrangian(_))) {
            return Some(None);
        }
        if !full.value.contains('.') {
            self.diagnostics.push(
                Diagnostic::error(format!("`{}` is not a quantity that can be read", full.value))
                    .at(full.span.clone(), "not a quantity")
                    .help("for example \"hinge.angle\", \"tip.velocity.x\" or \"circuit.i\"; parameters are set by [lagrangian.parameters]"),
            );
            return None;
        }
        let meaning = self.meaning(&full.value, &(0..full.value.len()), &Place::signal(full, file))?;
        let Meaning::Quantity(quantity) = meaning else { return Some(None) };
        if let Err(why) = level(quantity) {
            self.diagnostics.push(
                Diagnostic::error(format!("an energy model cannot read `{}`", full.value))
                    .at(full.span.clone(), "not a variable, position or velocity")
                    .help(why),
            );
            return None;
        }
        let as_rate = coordinate_of(quantity).map(|coordinate| (coordinate, true));
        Some(as_rate.or(rate_of_coordinate(quantity).map(|_| (quantity, false))))
    }

    /// A coordinate and its rate with names that the energy model does not use unless it reads them.
    fn pair_of(
        &self,
        coordinate: Quantity,
        name: &str,
        full: &Text,
        file: &FileTable,
    ) -> Option<[(String, Text); 2]> {
        let root = full.value.split('.').next()?;
        let offered = self.offered(self.names.get(root)?, file)?;
        let named = |wanted: Quantity, ending: &str| {
            let (rest, _) = offered.iter().find(|(_, quantity)| *quantity == wanted)?;
            let text = Text { value: format!("{root}.{rest}"), ..full.clone() };
            Some((format!("{name}__{ending}"), text))
        };
        Some([named(coordinate, "coordinate")?, named(rate_of_coordinate(coordinate)?, "rate")?])
    }

    /// Parameters of the energy model that the model file or the command line sets.
    fn block_overrides(
        &mut self,
        table: &LagrangianTable,
        given: &[ParameterValue],
    ) -> Option<Vec<(String, Expr)>> {
        let list = table.parameters.as_ref().map_or(&[][..], |table| &table.list);
        let mut values: Vec<(String, Expr)> = Vec::new();
        let mut good = Some(());
        for (name, number) in list {
            match self.number(number) {
                Some(value) => values.push((name.value.clone(), Expr::number(value))),
                None => good = None,
            }
        }
        for ParameterValue { name, expr } in given {
            let Some(own) = name.strip_prefix(&table.name.value).and_then(|rest| rest.strip_prefix('.'))
            else {
                continue;
            };
            match expr {
                Some(expr) => values.push((own.to_owned(), expr.clone())),
                None => good = None,
            }
        }
        good.map(|()| values)
    }

    /// The parameters become those of the model, with the name of the block before theirs. What
    /// [lagrangian.parameters] says stands in the file: it follows parameters that events set.
    fn enter_parameters(
        &mut self,
        block: &Text,
        derived: &Derived,
        origin: &Origin,
        given: &[ParameterValue],
    ) {
        for parameter in &derived.model.parameters {
            let name = format!("{}.{}", block.value, parameter.name);
            self.scope.parameters.push((name.clone(), parameter.value));
            let span = origin.place(parameter.span.clone());
            let overridden = given.iter().any(|given| given.name == name);
            self.parameters.push(ParameterSpec { name, span, overridden, ..parameter.clone() });
        }
    }

    /// Times and tolerances belong to the study. A file has them for its own sake.
    fn warn_of_study(&mut self, model: &EnergyModel, origin: &Origin) {
        if matches!(origin, Origin::Included { .. }) {
            return;
        }
        let Some((_, first)) = model.options.of_study.first() else { return };
        let words: Vec<&str> = model.options.of_study.iter().map(|(keyword, _)| keyword.word()).collect();
        let diagnostic = Diagnostic::warning(format!("not used inside a model: {}", words.join(", ")))
            .at(first.clone(), "not used here")
            .help("[study] says from when to when, and how");
        self.diagnostics.push(origin.moved(diagnostic));
    }

    /// When a study along time begins, as far as that can be said yet.
    fn start_of_study(&self, file: &FileTable) -> Option<f64> {
        let start = file.study.at_hand()?.table.start()?;
        self.scope.number(start, &mut Diagnostics::default())
    }

    /// The block of equations that energy model `k` is.
    pub fn lagrangian(&mut self, k: usize, file: &FileTable) -> Option<EquationsSpec> {
        let index = file.equations.len() + k;
        let block = self.energy_blocks.get_mut(k)?.take()?;
        let table = &file.lagrangian[k];
        let mut readings = HashMap::new();
        for (name, full) in &block.readings {
            let place = Place::signal(full, file);
            let meaning = self.meaning(&full.value, &(0..full.value.len()), &place)?;
            let Meaning::Quantity(quantity) = meaning else { continue };
            let full = self.full_name(&full.value, quantity, file);
            readings.insert(name.clone(), (full, quantity));
        }
        let parameters: HashMap<String, f64> =
            block.derived.model.parameters.iter().map(|p| (p.name.clone(), p.value)).collect();
        let lowering = Lowering {
            block: &table.name.value,
            index,
            unknowns: places(&block.derived.equations.unknowns),
            parameters: &parameters,
            prefixed: true,
            readings: &readings,
        };
        let mut spec = lowering.block(&block.derived, &table.name.span, &|span| block.origin.place(span));
        for (load, (on, name)) in block.derived.equations.loads.iter().zip(&block.coordinates) {
            if load.is_zero() {
                continue;
            }
            let law = lowering.law(load, table.name.span.clone());
            spec.loads.push(EffortSpec {
                name: name.value.clone(),
                span: name.span.clone(),
                on: EffortTarget::Coordinate(*on),
                law,
            });
        }
        for (on, law) in table.loads.as_ref().map_or(&[][..], |loads| &loads.list) {
            let effort = self.energy_effort(on, law, &block, &lowering, file);
            spec.loads.push(effort?);
        }
        self.check_energy_laws(&spec, table)?;
        Some(spec)
    }

    /// A load whose law is in names of the energy model; what it does not know is known as in [[equations]].
    fn energy_effort(
        &mut self,
        on: &Text,
        law: &Number,
        block: &EnergyBlock,
        lowering: &Lowering,
        file: &FileTable,
    ) -> Option<EffortSpec> {
        let target = self.effort_target(on, file);
        let law = match law {
            Number::Value(value) => lowering.law(&Expr::number(self.number(law)?), value.span.clone()),
            Number::Expression(text) => {
                let model = &block.derived.model;
                let mut tables = self.scope.tables.clone();
                tables.extend(model.tables.iter().map(|table| table.table.clone()));
                let parsed = parse_as(&text.value, text, &tables, &mut self.diagnostics)?;
                let put_in = |expr: Expr, signal: &crate::ldae::Signal| {
                    expr.substitute(&signal.name.text, &signal.expr)
                };
                let expanded = model.signals.iter().fold(parsed, put_in);
                self.energy_law(&expanded, text, lowering, file)?
            }
        };
        Some(EffortSpec { name: on.value.clone(), span: on.span.clone(), on: target?, law })
    }

    fn energy_law(
        &mut self,
        expr: &Expr,
        text: &Text,
        lowering: &Lowering,
        file: &FileTable,
    ) -> Option<LawSpec> {
        let own = |name: &str| {
            lowering.unknowns.contains_key(name)
                || lowering.readings.contains_key(name)
                || lowering.parameters.contains_key(name)
        };
        let mut others: Vec<(String, Quantity)> = Vec::new();
        for (name, span) in expr.variables() {
            if own(&name) || name == "t" || name == "pi" {
                continue;
            }
            match self.meaning(&name, &span, &Place::signal(text, file))? {
                Meaning::Fixed => {}
                Meaning::Quantity(quantity) if others.iter().any(|(_, other)| *other == quantity) => {}
                Meaning::Quantity(quantity) => others.push((self.full_name(&name, quantity, file), quantity)),
            }
        }
        let is_rate = |q: &Quantity| matches!(q, Quantity::Variable { what: VariableQuantity::Rate, .. });
        let bad = others.iter().find(|(_, quantity)| level(*quantity).is_err() || is_rate(quantity));
        if let Some((name, _)) = bad {
            self.diagnostics.push(
                Diagnostic::error(format!("a load cannot use `{name}`"))
                    .at(text.span.clone(), "not a variable, position or velocity"),
            );
            return None;
        }
        let mut law = lowering.law(expr, text.span.clone());
        for (name, quantity) in others {
            law.arguments.push(name);
            law.quantities.push(quantity);
        }
        Some(LawSpec { text: text.value.clone(), ..law })
    }

    /// Compiles every law once, so that what has no value is said now.
    fn check_energy_laws(&mut self, spec: &EquationsSpec, table: &LagrangianTable) -> Option<()> {
        for law in spec.equations.iter().chain(spec.loads.iter().map(|load| &load.law)) {
            let names: Vec<&str> = law.arguments.iter().map(String::as_str).collect();
            let compiled = Function::new(&law.expr, &names, &|name| self.scope.get(name));
            compiled.map_err(|error| report(error, &table.name, &mut self.diagnostics)).ok()?;
        }
        Some(())
    }
}

/// The rate of a coordinate that a load can act along.
fn rate_of_coordinate(quantity: Quantity) -> Option<Quantity> {
    Some(match quantity {
        Quantity::Joint { joint, what: JointQuantity::Coordinate { index } } => {
            Quantity::Joint { joint, what: JointQuantity::CoordinateRate { index } }
        }
        Quantity::Force { force, what: ForceQuantity::Coordinate } => {
            Quantity::Force { force, what: ForceQuantity::Rate }
        }
        Quantity::Body { body, what: Motion::Position(axis) } => {
            Quantity::Body { body, what: Motion::Velocity(axis) }
        }
        Quantity::Marker { marker, what: Motion::Position(axis) } => {
            Quantity::Marker { marker, what: Motion::Velocity(axis) }
        }
        _ => return None,
    })
}

/// The coordinate that a quantity is the rate of.
fn coordinate_of(quantity: Quantity) -> Option<Quantity> {
    Some(match quantity {
        Quantity::Joint { joint, what: JointQuantity::CoordinateRate { index } } => {
            Quantity::Joint { joint, what: JointQuantity::Coordinate { index } }
        }
        Quantity::Force { force, what: ForceQuantity::Rate } => {
            Quantity::Force { force, what: ForceQuantity::Coordinate }
        }
        Quantity::Body { body, what: Motion::Velocity(axis) } => {
            Quantity::Body { body, what: Motion::Position(axis) }
        }
        Quantity::Marker { marker, what: Motion::Velocity(axis) } => {
            Quantity::Marker { marker, what: Motion::Position(axis) }
        }
        _ => return None,
    })
}
