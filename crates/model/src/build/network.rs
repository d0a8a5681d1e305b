//! The blocks of first-order equations of a model as one network.

use super::parts::{Command, Parts};
use crate::diagnostic::{Diagnostic, Span};
use crate::quantity::{Quantity, VariableQuantity};
use crate::spec::{EffortTarget, EquationsSpec, LawSpec, VariableSpec};
use poinsot_expr::{Expr, Function, rate_name};
use poinsot_mechanics::{
    Booking, Force, Load, LoadTarget, Network, NetworkEnergy, NetworkError, Reading, Variable,
    VariableReading,
};
use std::collections::HashMap;
use std::sync::Arc;

/// The arguments y, ẏ, r, t of a network by name.
#[derive(Default)]
struct Arguments {
    values: Vec<String>,
    rates: Vec<String>,
    readings: Vec<(String, Reading)>,
}

/// What the names in the equations mean, found quickly however many there are.
struct Names<'a> {
    arguments: &'a Arguments,
    places: HashMap<&'a str, usize>,
    parameters: HashMap<&'a str, f64>,
}

impl Arguments {
    /// All names in the order y, ẏ, r, t.
    fn names(&self) -> impl Iterator<Item = &str> {
        let readings = self.readings.iter().map(|(name, _)| name);
        self.values.iter().chain(&self.rates).chain(readings).map(String::as_str).chain(["time"])
    }
}

impl<'a> Names<'a> {
    fn new(arguments: &'a Arguments, parts: &'a Parts) -> Self {
        let mut places = HashMap::new();
        for (place, name) in arguments.names().enumerate() {
            places.entry(name).or_insert(place);
        }
        let mut parameters = HashMap::new();
        for parameter in &parts.model.parameters {
            parameters.entry(parameter.name.as_str()).or_insert(parameter.value);
        }
        Names { arguments, places, parameters }
    }

    fn compile(&self, law: &LawSpec) -> Result<Function, Diagnostic> {
        self.function(&law.expr, &law.span)
    }

    fn function(&self, expr: &Expr, span: &Span) -> Result<Function, Diagnostic> {
        let place = |name: &str| self.places.get(name).copied();
        let constants = |name: &str| self.parameters.get(name).copied();
        Function::with_places(expr, &place, &constants)
            .map_err(|error| error.with_candidates(self.arguments.names()))
            .map_err(|error| Diagnostic::error(error.to_string()).at(span.clone(), "this equation"))
    }
}

impl Parts<'_> {
    /// Adds all blocks as one network; returns the first variable of each.
    pub fn network(&mut self) -> Result<Vec<usize>, Diagnostic> {
        if !self.model.has_variables() {
            return Ok(vec![0; self.model.equations.len()]);
        }
        let blocks = &self.model.equations;
        let mut arguments = Arguments::default();
        let (mut variables, mut first) = (vec![], vec![]);
        for block in blocks {
            first.push(variables.len());
            for (k, v) in block.variables.iter().enumerate() {
                let name = block.variable_name(k);
                arguments.values.push(name.clone());
                arguments.rates.push(block.rate_name(k));
                variables.push(Variable { name, start: v.start, nominal: v.nominal });
            }
        }
        let blocks: Vec<&EquationsSpec> = blocks.iter().filter(|b| !b.variables.is_empty()).collect();
        let energies = blocks.iter().filter_map(|b| b.lagrangian.as_ref()).map(|l| &l.energies);
        let laws = blocks.iter().flat_map(|b| b.equations.iter().chain(b.loads.iter().map(|load| &load.law)));
        for law in laws.chain(energies.clone().flatten()) {
            for (name, quantity) in law.arguments.iter().zip(&law.quantities) {
                self.read(name, *quantity, &law.span, &mut arguments)?;
            }
        }
        let mut loads = vec![];
        for (block, load) in blocks.iter().flat_map(|block| block.loads.iter().map(move |load| (block, load)))
        {
            let on = match &load.on {
                EffortTarget::Coordinate(quantity) => {
                    let on = self.read(&load.name, *quantity, &load.law.span, &mut arguments)?;
                    on.map(LoadTarget::Reading)
                }
                EffortTarget::Component { on, axis, is_torque } => {
                    let element = self.idle_load(on, *is_torque).into();
                    Some(LoadTarget::Input { element, component: axis.index() })
                }
            };
            // An energy model knows where the power of its loads comes from.
            let booking = match block.lagrangian {
                Some(_) => Booking::Exchanged,
                None => Booking::Law(loads.len()),
            };
            loads.extend(on.map(|on| (on, &load.law, booking)));
        }
        let laws = self.model.forces.iter().filter(|force| force.is_network_load());
        for formula in laws.clone().flat_map(|force| force.law.iter().flatten()) {
            for (name, quantity) in formula.arguments.iter().zip(&formula.quantities) {
                self.read(name, *quantity, &formula.span, &mut arguments)?;
            }
        }
        let commands = std::mem::take(&mut self.commands);
        let first_command = variables.len();
        for Command { name, law, .. } in &commands {
            for (name, quantity) in law.arguments.iter().zip(&law.quantities) {
                self.read(name, *quantity, &law.span, &mut arguments)?;
            }
            arguments.rates.push(rate_name(name));
            arguments.values.push(name.clone());
            variables.push(Variable { name: name.clone(), start: 0.0, nominal: nominal(law, &blocks) });
        }
        let names = Names::new(&arguments, self);
        let load = |(on, law, booking)| Ok(Load { on, law: names.compile(law)?, booking });
        let loads = loads.into_iter().map(load);
        let mut loads: Vec<Load> = loads.collect::<Result<_, Diagnostic>>()?;
        for force in laws {
            let element: Arc<dyn Force> = force.kind.force(&self.site()).into();
            let booking = Booking::Law(loads.len());
            for (component, formula) in force.law.iter().flatten().enumerate() {
                let on = LoadTarget::Input { element: element.clone(), component };
                loads.push(Load { on, law: names.function(&formula.expr, &formula.span)?, booking });
            }
        }
        let equations = blocks.iter().flat_map(|b| &b.equations).map(|law| names.compile(law));
        // u = what the row follows.
        let commanded = commands.iter().map(|Command { name, law, .. }| {
            let own = Expr::name(name).expect("names of things and their parts");
            names.function(&(own - law.expr.clone()), &law.span)
        });
        let equations = equations.chain(commanded);
        let energies = energies.map(|laws| energy(laws, &names)).collect::<Result<Vec<_>, _>>()?;
        let network = Network {
            name: blocks.iter().map(|b| b.name.as_str()).collect::<Vec<_>>().join(", "),
            variables,
            equations: equations.collect::<Result<_, _>>()?,
            readings: arguments.readings.into_iter().map(|(_, reading)| reading).collect(),
            loads,
        };
        let index = self.builder.network(network).map_err(|error| complaint(&error, &blocks))?;
        energies.into_iter().for_each(|energy| self.builder.network_energy(index, energy));
        for (k, command) in commands.iter().enumerate() {
            let variable = VariableReading { network: index, variable: first_command + k };
            self.builder.command(command.constraint, command.row, variable);
        }
        Ok(first)
    }

    /// The reading that a quantity of the mechanics is, new or known; none for variables and time.
    fn read(
        &self,
        name: &str,
        quantity: Quantity,
        span: &Span,
        arguments: &mut Arguments,
    ) -> Result<Option<usize>, Diagnostic> {
        if let Quantity::Time
        | Quantity::Variable { what: VariableQuantity::Value | VariableQuantity::Rate, .. } = quantity
        {
            return Ok(None);
        }
        if let Some(known) = arguments.readings.iter().position(|(other, _)| other == name) {
            return Ok(Some(known));
        }
        self.on_nodes(name, quantity, span)?;
        let Some(reading) = self.reading(quantity) else {
            let message = format!("`{name}` cannot be used in an equation");
            return Err(Diagnostic::error(message).at(span.clone(), "used here"));
        };
        arguments.readings.push((name.to_owned(), reading));
        Ok(Some(arguments.readings.len() - 1))
    }
}

/// A usual size of what a constraint follows: that of the largest variable in it.
fn nominal(law: &LawSpec, blocks: &[&EquationsSpec]) -> f64 {
    let of_block = |block: &&EquationsSpec| {
        let size = |(k, variable): (usize, &VariableSpec)| {
            law.arguments.contains(&block.variable_name(k)).then_some(variable.nominal)
        };
        block.variables.iter().enumerate().filter_map(size).fold(0.0, f64::max)
    };
    let most = blocks.iter().map(of_block).fold(0.0, f64::max);
    if most > 0.0 { most } else { 1.0 }
}

/// The energies of an energy model.
fn energy(
    [kinetic, potential, supplied, dissipated]: &[LawSpec; 4],
    names: &Names,
) -> Result<NetworkEnergy, Diagnostic> {
    Ok(NetworkEnergy {
        kinetic: names.compile(kinetic)?,
        potential: names.compile(potential)?,
        supplied: names.compile(supplied)?,
        dissipated: names.compile(dissipated)?,
    })
}

/// What is wrong with the whole, at the variable that it is about.
fn complaint(error: &NetworkError, blocks: &[&EquationsSpec]) -> Diagnostic {
    let message = Diagnostic::error(error.to_string());
    let NetworkError::Undetermined(name) = error else {
        return message.at(blocks[0].span.clone(), "these equations");
    };
    let spans = blocks
        .iter()
        .flat_map(|b| b.variables.iter().enumerate().map(move |(k, v)| (b.variable_name(k), v.span.clone())));
    let found = spans.into_iter().find(|(other, _)| other == name);
    let span = found.map_or(blocks[0].span.clone(), |(_, span)| span);
    message
        .at(span, "not determined")
        .help("as many equations as variables are not enough: every variable needs one of its own that contains it or its rate")
}
