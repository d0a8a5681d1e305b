//! Instances of components put into one list of variables, energies and constraints, with the names
//! `instance.variable`.

use super::super::keyword::Keyword;
use super::super::statement::Word;
use super::body::{Body, Branch, Definition, GROUND, Instance};
use super::formula::Formula;
use super::library::Shelf;
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::suggest::did_you_mean;
use crate::units::Unit;
use poinsot_mechanics::Discipline;
use std::collections::{HashMap, HashSet};

/// An end of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum End {
    Ground,
    Node(usize),
}

/// A node that branches meet at.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub name: String,
    /// Where it is named first.
    pub span: Span,
    /// Its discipline and the instance that says so.
    pub discipline: Option<(Discipline, String)>,
}

/// Between which nodes a flow runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wire {
    pub discipline: Discipline,
    pub from: End,
    pub to: End,
}

/// A displacement with its flow.
#[derive(Clone, Debug)]
pub(crate) struct Motion {
    pub displacement: String,
    pub flow: String,
    /// Units that were written beside the names.
    pub units: [Option<Unit>; 2],
    /// Start values and whether they were given for the instance.
    pub start: [Option<Formula>; 2],
    pub chosen: [bool; 2],
    pub applied: Option<Formula>,
    pub wire: Option<Wire>,
    /// The instance, or nothing for the model's own.
    pub owner: String,
    pub span: Span,
}

/// A dynamic variable or an effort.
#[derive(Clone, Debug)]
pub(crate) struct Single {
    pub name: String,
    pub unit: Option<Unit>,
    pub start: Option<Formula>,
    pub span: Span,
}

/// A definition.
#[derive(Clone, Debug)]
pub(crate) struct Defined {
    pub name: String,
    pub span: Span,
    pub value: Definition,
    /// The default, if the value was given for an instance.
    pub default: Option<Formula>,
}

/// All instances put together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expanded {
    pub definitions: Vec<Defined>,
    pub motions: Vec<Motion>,
    pub dynamics: Vec<Single>,
    pub efforts: Vec<Single>,
    /// Energies and constraints, term by term.
    pub laws: HashMap<Keyword, Vec<Formula>>,
    pub nodes: Vec<Node>,
    /// Instances by name, with their places.
    pub instances: Vec<(String, Span)>,
}

/// Where a body stands in the whole.
struct Context {
    /// `M1.` before the names of the instance `M1`.
    prefix: String,
    /// The place in the model, for bodies of components.
    place: Option<Span>,
    /// Nodes of the ports.
    ports: HashMap<String, End>,
    /// Values of parameters.
    arguments: HashMap<String, Formula>,
    /// Components around this one.
    around: Vec<String>,
}

/// Deepest nesting of components.
const DEEPEST: usize = 16;

/// Most variables of a network.
const MOST: usize = 200_000;

/// Puts the instances of a model together; `None` after reporting a mistake.
pub(crate) fn expand(body: &Body, shelf: &mut Shelf, diagnostics: &mut Diagnostics) -> Option<Expanded> {
    let mut expander = Expander { out: Expanded::default(), shelf, diagnostics };
    let context = Context {
        prefix: String::new(),
        place: None,
        ports: HashMap::new(),
        arguments: HashMap::new(),
        around: vec![],
    };
    expander.body(body, &context);
    expander.check_nodes();
    let Expander { out, diagnostics, .. } = expander;
    (!diagnostics.has_errors()).then_some(out)
}

struct Expander<'a> {
    out: Expanded,
    shelf: &'a mut Shelf,
    diagnostics: &'a mut Diagnostics,
}

impl Context {
    /// The place of something of the body.
    fn place(&self, span: &Span) -> Span {
        self.place.clone().unwrap_or_else(|| span.clone())
    }

    fn full(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn owner(&self) -> String {
        self.prefix.trim_end_matches('.').to_owned()
    }
}

/// The names that a body gives meaning to.
fn own_names(body: &Body) -> HashSet<&str> {
    let variables = body.variables.values().flatten().map(|declared| declared.name.text.as_str());
    let definitions = body.definitions.iter().map(|(name, _)| name.text.as_str());
    variables.chain(definitions).collect()
}

impl Expander<'_> {
    fn body(&mut self, body: &Body, context: &Context) {
        let own = own_names(body);
        let nodes = self.out.nodes.clone();
        let inner: HashSet<&str> = body.instances.iter().map(|i| i.name.text.as_str()).collect();
        let rename = |name: &str| -> Option<String> {
            if context.prefix.is_empty() {
                return (name.split('.').next() == Some(GROUND) && name != GROUND).then(|| "0".to_owned());
            }
            if own.contains(name) {
                return Some(context.full(name));
            }
            let (first, rest) = name.split_once('.')?;
            match context.ports.get(first) {
                Some(End::Ground) => Some("0".to_owned()),
                Some(End::Node(node)) => Some(format!("{}.{rest}", nodes[*node].name)),
                None if first == GROUND => Some("0".to_owned()),
                None => (inner.contains(first) || is_inner_node(body, first)).then(|| context.full(name)),
            }
        };
        let formula = |formula: &Formula| {
            let formula = formula.renamed(&rename);
            context.place.as_ref().map_or(formula.clone(), |place| formula.moved(place))
        };
        self.definitions(body, context, &formula);
        self.motions(body, context, &formula);
        self.singles(body, context, &formula);
        for keyword in [
            Keyword::KineticCoEnergy,
            Keyword::PotentialEnergy,
            Keyword::DissipationFunction,
            Keyword::DisplacementConstraints,
            Keyword::FlowConstraints,
            Keyword::EffortConstraints,
            Keyword::DynamicConstraints,
        ] {
            self.out.laws.entry(keyword).or_default().extend(body.laws(keyword).iter().map(formula));
        }
        for instance in &body.instances {
            self.instance(instance, context, &formula);
        }
    }

    fn definitions(&mut self, body: &Body, context: &Context, formula: &dyn Fn(&Formula) -> Formula) {
        for (name, value) in &body.definitions {
            let given = context.arguments.get(&name.text);
            let (value, default) = match (value, given) {
                (Definition::Formula(default), Some(given)) => {
                    (Definition::Formula(given.clone()), Some(formula(default)))
                }
                (Definition::Formula(value), None) => (Definition::Formula(formula(value)), None),
                (Definition::Table(value), _) => (Definition::Table(formula(value)), None),
            };
            let (name, span) = (context.full(&name.text), context.place(&name.span));
            self.out.definitions.push(Defined { name, span, value, default });
        }
    }

    fn motions(&mut self, body: &Body, context: &Context, formula: &dyn Fn(&Formula) -> Formula) {
        let flows = body.names(Keyword::FlowVariables);
        let law = |keyword, k: usize| body.laws(keyword).get(k);
        // A start value is given by what stands in no law: v0 in q0 = C v0, not C.
        let lawful = body.lawful();
        for (k, (q, f)) in body.names(Keyword::DisplacementVariables).iter().zip(flows).enumerate() {
            let start = [Keyword::InitialDisplacements, Keyword::InitialFlows].map(|keyword| law(keyword, k));
            let given = |start: &Formula| {
                let reached = || body.reached([start]).into_iter();
                let chosen = |name: &str| context.arguments.contains_key(name) && !lawful.contains(name);
                context.prefix.is_empty() || reached().any(|name| chosen(&name))
            };
            let chosen = start.map(|start| start.is_some_and(given));
            let branch = body.branches.iter().find(|branch| branch.flow.text == f.name.text);
            let wire = match branch {
                Some(branch) => match self.wire(branch, body, context) {
                    Some(wire) => Some(wire),
                    None => continue,
                },
                None => None,
            };
            self.out.motions.push(Motion {
                displacement: context.full(&q.name.text),
                flow: context.full(&f.name.text),
                units: [q.unit.clone(), f.unit.clone()],
                start: start.map(|start| start.map(formula)),
                chosen,
                applied: law(Keyword::GeneralizedEfforts, k).map(formula),
                wire,
                owner: context.owner(),
                span: context.place(&q.name.span),
            });
        }
    }

    fn singles(&mut self, body: &Body, context: &Context, formula: &dyn Fn(&Formula) -> Formula) {
        for (names, starts) in [
            (Keyword::DynamicVariables, Keyword::InitialDynamic),
            (Keyword::EffortVariables, Keyword::InitialEfforts),
        ] {
            let single = |(k, declared): (usize, &super::body::Declared)| Single {
                name: context.full(&declared.name.text),
                unit: declared.unit.clone(),
                start: body.laws(starts).get(k).map(formula),
                span: context.place(&declared.name.span),
            };
            let list = body.names(names).iter().enumerate().map(single);
            match names {
                Keyword::DynamicVariables => self.out.dynamics.extend(list),
                _ => self.out.efforts.extend(list),
            }
        }
    }

    /// The nodes of a branch: ports, the reference, or nodes inside the component.
    fn wire(&mut self, branch: &Branch, body: &Body, context: &Context) -> Option<Wire> {
        let ports = |word: &Word| body.ports.iter().find(|port| port.name.text == word.text);
        let at_ports = [&branch.from, &branch.to].map(|word| ports(word).map(|port| port.discipline));
        let [from, to] = [&branch.from, &branch.to].map(|word| self.end(word, context));
        let known = |end: End| match end {
            End::Node(node) => self.out.nodes[node].discipline.as_ref().map(|(discipline, _)| *discipline),
            End::Ground => None,
        };
        let sides = [at_ports[0].or(known(from)), at_ports[1].or(known(to))];
        let discipline = match sides {
            [Some(a), Some(b)] if a != b => {
                let message = format!(
                    "the branch `{}` runs from a {} to a {} node",
                    context.full(&branch.flow.text),
                    a.adjective(),
                    b.adjective()
                );
                self.diagnostics
                    .push(Diagnostic::error(message).at(context.place(&branch.flow.span), "two disciplines"));
                return None;
            }
            [Some(discipline), _] | [None, Some(discipline)] => discipline,
            [None, None] => {
                let message = format!(
                    "the discipline of the branch `{}` is not known",
                    context.full(&branch.flow.text)
                );
                let help = "let a branch that begins or ends at a port come first";
                self.diagnostics.push(
                    Diagnostic::error(message)
                        .at(context.place(&branch.flow.span), "between these nodes")
                        .help(help),
                );
                return None;
            }
        };
        for end in [from, to] {
            self.enter(end, discipline, &context.owner(), context.place(&branch.flow.span));
        }
        Some(Wire { discipline, from, to })
    }

    /// The node of a name in a body.
    fn end(&mut self, word: &Word, context: &Context) -> End {
        if word.text == GROUND {
            return End::Ground;
        }
        if let Some(end) = context.ports.get(&word.text) {
            return *end;
        }
        self.node(context.full(&word.text), context.place(&word.span))
    }

    fn node(&mut self, name: String, span: Span) -> End {
        let found = self.out.nodes.iter().position(|node| node.name == name);
        End::Node(found.unwrap_or_else(|| {
            self.out.nodes.push(Node { name, span, discipline: None });
            self.out.nodes.len() - 1
        }))
    }

    /// A node has one discipline.
    fn enter(&mut self, end: End, discipline: Discipline, owner: &str, at: Span) {
        let End::Node(node) = end else { return };
        let node = &mut self.out.nodes[node];
        match &node.discipline {
            None => node.discipline = Some((discipline, owner.to_owned())),
            Some((other, by)) if *other != discipline => {
                let message = format!(
                    "node `{}` is {} ({by}) and {} ({owner})",
                    node.name,
                    other.adjective(),
                    discipline.adjective()
                );
                self.diagnostics.push(
                    Diagnostic::error(message)
                        .at(at, "another discipline")
                        .and(node.span.clone(), "first named here")
                        .help("disciplines meet inside components, e.g. `dc_motor`"),
                );
            }
            Some(_) => {}
        }
    }

    fn instance(&mut self, instance: &Instance, context: &Context, formula: &dyn Fn(&Formula) -> Formula) {
        let (name, at) = (context.full(&instance.name.text), context.place(&instance.name.span));
        if let Some((_, first)) = self.out.instances.iter().find(|(other, _)| *other == name) {
            let first = first.clone();
            self.diagnostics.push(
                Diagnostic::error(format!("two instances are called `{name}`"))
                    .at(at, "used again here")
                    .and(first, "this instance"),
            );
            return;
        }
        self.out.instances.push((name.clone(), at.clone()));
        let component = &instance.component.text;
        let Some(body) =
            self.shelf.get(component, &context.place(&instance.component.span), self.diagnostics)
        else {
            return;
        };
        let depth = context.around.len();
        if context.around.contains(component) || depth > DEEPEST || self.out.motions.len() > MOST {
            let chain: Vec<&str> = context.around.iter().chain([component]).map(String::as_str).collect();
            let message = format!("the component `{component}` contains itself: {}", chain.join(" → "));
            self.diagnostics.push(Diagnostic::error(message).at(at, "without end"));
            return;
        }
        if !self.check_call(instance, &body, context) {
            return;
        }
        let ends: Vec<End> = instance.nodes.iter().map(|word| self.end(word, context)).collect();
        for (end, (port, word)) in ends.iter().zip(body.ports.iter().zip(&instance.nodes)) {
            self.enter(*end, port.discipline, &name, context.place(&word.span));
        }
        let ports = body.ports.iter().map(|port| port.name.text.clone()).zip(ends).collect();
        let arguments =
            instance.arguments.iter().map(|(name, value)| (name.text.clone(), formula(value))).collect();
        let around = context.around.iter().cloned().chain([component.clone()]).collect();
        let place = Some(context.place(&instance.name.span));
        self.body(&body, &Context { prefix: format!("{name}."), place, ports, arguments, around });
    }

    /// As many nodes as ports, and parameters that there are.
    fn check_call(&mut self, instance: &Instance, body: &Body, context: &Context) -> bool {
        let component = &instance.component.text;
        let mut good = true;
        if instance.nodes.len() != body.ports.len() {
            let ports: Vec<String> =
                body.ports.iter().map(|p| format!("{}: {}", p.name.text, p.discipline.word())).collect();
            let (have, want) = (instance.nodes.len(), body.ports.len());
            let plural = if want == 1 { "" } else { "s" };
            self.diagnostics.push(
                Diagnostic::error(format!("`{component}` has {want} port{plural}, but {have} are connected"))
                    .at(context.place(&instance.span), "another number of nodes")
                    .help(format!("its ports are {}", ports.join(", "))),
            );
            good = false;
        }
        let parameters = || {
            let scalar = |(name, value): &(Word, Definition)| {
                matches!(value, Definition::Formula(_)).then_some(name.text.clone())
            };
            body.definitions.iter().filter_map(scalar)
        };
        for (name, _) in &instance.arguments {
            if parameters().any(|parameter| parameter == name.text) {
                continue;
            }
            let known: Vec<String> = parameters().collect();
            let help = did_you_mean(&name.text, &known).unwrap_or_else(|| match known.as_slice() {
                [] => "it has no parameters".into(),
                known => format!("its parameters are {}", known.join(", ")),
            });
            self.diagnostics.push(
                Diagnostic::error(format!("`{component}` has no parameter `{}`", name.text))
                    .at(context.place(&name.span), "not a parameter")
                    .help(help),
            );
            good = false;
        }
        good
    }

    /// Nodes and instances have different names: `out.v` belongs to one of them.
    fn check_nodes(&mut self) {
        for node in &self.out.nodes {
            if let Some((name, span)) = self.out.instances.iter().find(|(name, _)| *name == node.name) {
                self.diagnostics.push(
                    Diagnostic::error(format!("a node and an instance are both called `{name}`"))
                        .at(node.span.clone(), "this node")
                        .and(span.clone(), "this instance"),
                );
            }
        }
    }
}

impl Expanded {
    /// Energies or constraints, term by term.
    pub fn laws(&self, keyword: Keyword) -> &[Formula] {
        self.laws.get(&keyword).map_or(&[], Vec::as_slice)
    }
}

/// Whether a name is that of a node inside a component.
fn is_inner_node(body: &Body, name: &str) -> bool {
    body.branches.iter().any(|branch| branch.from.text == name || branch.to.text == name)
        || body.instances.iter().any(|instance| instance.nodes.iter().any(|node| node.text == name))
}
