//! Exact derivatives of the nodes of a graph.
//!
//! With the adjoint n̄ = ∂y/∂n of every node n on which y depends, a sweep from y down to the inputs adds up
//!
//! ```text
//! x̄ = Σ_n n̄ ∂n/∂x     over the nodes n that x is an operand of,
//! ```
//! which costs a small multiple of the nodes, however many inputs there are (reverse differentiation). Two
//! kinds of nodes have their gradient g = ∂n/∂inputs formed once, by itself, and a sweep that meets them adds
//! n̄ g instead of going on:
//!
//! - what several outputs have in common, if it depends on few inputs: the outputs then share its derivatives
//!   too;
//! - choices: that of `if(c, f, g)` is `if(c, f', g')`, so that a branch that is not taken cannot spoil the
//!   result, as a product of zero with its infinite derivative would.

use crate::builtin::Builtin;
use crate::derivative::{differential, parsed};
use crate::expr::{Expr, Node};
use crate::graph::{Graph, Id, Operation};
use crate::operator::BinaryOperator;
use std::collections::BTreeMap;

/// What outputs have in common is differentiated once if it depends on at most so many inputs.
const FEW: usize = 16;

/// Derivatives that are not zero: the input and the node.
pub(crate) type Gradient = Vec<(u32, Id)>;

impl Graph {
    /// The derivatives of the given nodes by the inputs for which `by` holds.
    pub fn gradients(&mut self, outputs: &[Id], by: &dyn Fn(u32) -> bool) -> Vec<Gradient> {
        let mut plan = Plan::new(self, outputs, by);
        for id in 0..plan.alone.len() as Id {
            if plan.alone[id as usize] {
                let gradient = match self.choice(id) {
                    Some(rule) => plan.forward(self, &rule),
                    None => plan.sweep(self, id),
                };
                plan.gradients.insert(id, gradient);
            }
        }
        outputs.iter().map(|&id| plan.gradient(self, id)).collect()
    }

    /// The rule by which a node that chooses between operands is differentiated.
    fn choice(&self, id: Id) -> Option<Rule> {
        let rule = self.rule(id)?;
        match &rule.differential {
            Differential::Choose => Some(rule),
            Differential::Text(expr) => has_choice(expr).then_some(rule),
            Differential::Table(_) | Differential::Negate => None,
        }
    }

    /// How a node is differentiated; none if its derivative is zero.
    fn rule(&self, id: Id) -> Option<Rule> {
        use Operation as O;
        let operands: Vec<Id> = self.operation(id).operands().collect();
        let operator = |op: BinaryOperator| {
            differential(op).map(|text| (&["a", "b"][..], Differential::Text(parsed(text))))
        };
        let function = |f: &'static Builtin| Some((f.arguments, Differential::Text(parsed(f.differential))));
        let (names, differential) = match self.operation(id) {
            O::Constant(_) | O::Input(_) | O::Not(_) | O::Truth(_) | O::Compare(..) => None,
            O::Negate(_) => Some((&[][..], Differential::Negate)),
            O::Add(..) => operator(BinaryOperator::Add),
            O::Subtract(..) => operator(BinaryOperator::Subtract),
            O::Multiply(..) => operator(BinaryOperator::Multiply),
            O::Divide(..) => operator(BinaryOperator::Divide),
            O::Square(_) | O::Cube(_) | O::Power(..) => operator(BinaryOperator::Power),
            O::Choose(..) => Some((&[][..], Differential::Choose)),
            O::One(f, _) | O::Two(f, ..) | O::Three(f, ..) => function(f.0),
            O::Table { table, order, .. } => Some((&[][..], Differential::Table((table, order + 1)))),
        }?;
        let exponent = match self.operation(id) {
            O::Square(_) => Some(2.0),
            O::Cube(_) => Some(3.0),
            _ => None,
        };
        Some(Rule { operands, names, differential, exponent })
    }
}

fn has_choice(expr: &Expr) -> bool {
    let mut found = matches!(expr.node, Node::If(_));
    expr.visit_children(&mut |child| found |= has_choice(child));
    found
}

/// The differential of a node as a function of those of its operands.
struct Rule {
    operands: Vec<Id>,
    /// The names of the operands in the text.
    names: &'static [&'static str],
    differential: Differential,
    /// The exponent of a square or cube, which is no operand.
    exponent: Option<f64>,
}

enum Differential {
    Negate,
    Choose,
    /// The table and the order of its derivative.
    Table((u32, u32)),
    /// In the language itself, see [`crate::derivative`].
    Text(&'static Expr),
}

impl Rule {
    /// The differential where that of operand k is `differentials[k]`.
    fn apply(&self, graph: &mut Graph, differentials: &[Id]) -> Id {
        match self.differential {
            Differential::Negate => graph.negate(differentials[0]),
            Differential::Choose => graph.choose(self.operands[0], differentials[1], differentials[2]),
            Differential::Table((table, order)) => {
                let slope = graph.table(table, order, self.operands[0]);
                graph.multiply(slope, differentials[0])
            }
            Differential::Text(text) => graph.expression(text, &mut |graph, name| {
                let place = |name: &str| self.names.iter().position(|other| *other == name);
                match (place(name), name.strip_prefix('d').and_then(place)) {
                    (Some(k), _) => match self.operands.get(k) {
                        Some(&operand) => Some(operand),
                        None => self.exponent.map(|exponent| graph.constant(exponent)),
                    },
                    (None, Some(k)) => Some(match differentials.get(k) {
                        Some(&differential) => differential,
                        None => graph.constant(0.0),
                    }),
                    (None, None) => None,
                }
            }),
        }
    }
}

/// Which nodes are differentiated by themselves, and their gradients.
struct Plan<'a> {
    by: &'a dyn Fn(u32) -> bool,
    /// Whether a node changes with an input that counts.
    varies: Vec<bool>,
    alone: Vec<bool>,
    gradients: BTreeMap<Id, Gradient>,
}

impl<'a> Plan<'a> {
    fn new(graph: &Graph, outputs: &[Id], by: &'a dyn Fn(u32) -> bool) -> Self {
        let nodes = graph.len();
        let support = support(graph, by);
        let varies: Vec<bool> = support.iter().map(|inputs| !matches!(inputs, Support::None)).collect();
        let shared = shared(graph, outputs, &varies);
        let mut alone = vec![false; nodes];
        outputs.iter().for_each(|&id| alone[id as usize] = true);
        let needed = graph.needed(outputs);
        for id in (0..nodes).filter(|&id| needed[id] && varies[id]) {
            let few = matches!(&support[id], Support::Of(inputs) if inputs.len() <= FEW);
            alone[id] |= shared[id] && few;
            if graph.choice(id as Id).is_some() {
                alone[id] = true;
                graph.operation(id as Id).operands().for_each(|x| alone[x as usize] = true);
            }
        }
        let leaf =
            |id: usize| matches!(graph.operation(id as Id), Operation::Constant(_) | Operation::Input(_));
        (0..nodes).for_each(|id| alone[id] &= varies[id] && !leaf(id));
        Plan { by, varies, alone, gradients: BTreeMap::new() }
    }

    /// The gradient of an input, or of a node that was differentiated by itself.
    fn gradient(&self, graph: &mut Graph, id: Id) -> Gradient {
        match graph.operation(id) {
            Operation::Input(input) if (self.by)(input) => vec![(input, graph.constant(1.0))],
            _ => self.gradients.get(&id).cloned().unwrap_or_default(),
        }
    }

    /// The rule for every input that an operand depends on.
    fn forward(&self, graph: &mut Graph, rule: &Rule) -> Gradient {
        let zero = graph.constant(0.0);
        let mut table: BTreeMap<u32, Vec<Id>> = BTreeMap::new();
        for (k, &operand) in rule.operands.iter().enumerate() {
            for (input, derivative) in self.gradient(graph, operand) {
                table.entry(input).or_insert_with(|| vec![zero; rule.operands.len()])[k] = derivative;
            }
        }
        let row = table.into_iter().map(|(input, differentials)| (input, rule.apply(graph, &differentials)));
        row.collect::<Gradient>().into_iter().filter(|&(_, id)| !graph.is(id, 0.0)).collect()
    }

    /// The adjoints from a node down to the inputs.
    fn sweep(&self, graph: &mut Graph, from: Id) -> Gradient {
        let mut adjoints = BTreeMap::from([(from, graph.constant(1.0))]);
        let mut gradient: BTreeMap<u32, Id> = BTreeMap::new();
        while let Some((id, adjoint)) = adjoints.pop_last() {
            if let Operation::Input(input) = graph.operation(id) {
                accumulate(graph, &mut gradient, input, adjoint);
                continue;
            }
            if id != from && self.alone[id as usize] {
                for &(input, derivative) in self.gradients.get(&id).into_iter().flatten() {
                    let product = graph.multiply(adjoint, derivative);
                    accumulate(graph, &mut gradient, input, product);
                }
                continue;
            }
            let Some(rule) = graph.rule(id) else { continue };
            let zero = graph.constant(0.0);
            for (k, &operand) in rule.operands.iter().enumerate() {
                if self.varies[operand as usize] {
                    let mut differentials = vec![zero; rule.operands.len()];
                    differentials[k] = adjoint;
                    let part = rule.apply(graph, &differentials);
                    accumulate(graph, &mut adjoints, operand, part);
                }
            }
        }
        gradient.into_iter().filter(|&(_, id)| !graph.is(id, 0.0)).collect()
    }
}

/// Adds a part to a sum. Parts that cancel leave nothing, as in the derivative of x - x.
fn accumulate(graph: &mut Graph, sums: &mut BTreeMap<u32, Id>, at: u32, part: Id) {
    if graph.is(part, 0.0) {
        return;
    }
    let Some(&sum) = sums.get(&at) else {
        sums.insert(at, part);
        return;
    };
    if graph.negate(sum) == part {
        sums.remove(&at);
    } else {
        sums.insert(at, graph.add(sum, part));
    }
}

/// The inputs that a node changes with.
#[derive(Clone)]
enum Support {
    None,
    /// In order.
    Of(Vec<u32>),
    /// More than [`FEW`].
    Many,
}

fn support(graph: &Graph, by: &dyn Fn(u32) -> bool) -> Vec<Support> {
    let mut all: Vec<Support> = Vec::with_capacity(graph.len());
    for id in 0..graph.len() as Id {
        let own = match graph.operation(id) {
            Operation::Input(input) if by(input) => Support::Of(vec![input]),
            _ if graph.rule(id).is_none() => Support::None,
            operation => operation.operands().fold(Support::None, |sum, x| merge(sum, &all[x as usize])),
        };
        all.push(own);
    }
    all
}

fn merge(a: Support, b: &Support) -> Support {
    match (a, b) {
        (a, Support::None) => a,
        (Support::None, b) => b.clone(),
        (Support::Of(mut list), Support::Of(more)) => {
            list.extend_from_slice(more);
            list.sort_unstable();
            list.dedup();
            if list.len() > FEW { Support::Many } else { Support::Of(list) }
        }
        _ => Support::Many,
    }
}

/// Nodes with several uses that several outputs depend on.
fn shared(graph: &Graph, outputs: &[Id], varies: &[bool]) -> Vec<bool> {
    const NONE: u32 = u32::MAX;
    const SEVERAL: u32 = u32::MAX - 1;
    let join = |a: u32, b: u32| if a == NONE || a == b { b } else { SEVERAL };
    let mut output_of = vec![NONE; graph.len()];
    let mut uses = vec![0u32; graph.len()];
    for (k, &id) in outputs.iter().enumerate() {
        output_of[id as usize] = join(output_of[id as usize], k as u32);
        uses[id as usize] += 1;
    }
    for id in (0..graph.len()).rev().filter(|&id| varies[id]) {
        if output_of[id] != NONE {
            for x in graph.operation(id as Id).operands() {
                output_of[x as usize] = join(output_of[x as usize], output_of[id]);
                uses[x as usize] += 1;
            }
        }
    }
    (0..graph.len()).map(|id| output_of[id] == SEVERAL && uses[id] > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{Step, schedule};
    use crate::tape::Tape;
    use std::time::Instant;

    /// The graph of expressions of x, y, z, with the nodes of values and derivatives.
    fn graph(texts: &[&str]) -> (Graph, Vec<Id>, Vec<Gradient>) {
        let mut graph = Graph::default();
        let mut names = |graph: &mut Graph, name: &str| {
            let place = ["x", "y", "z"].iter().position(|other| *other == name)?;
            Some(graph.input(place))
        };
        let roots: Vec<Id> =
            texts.iter().map(|text| graph.expression(&Expr::parse(text).unwrap(), &mut names)).collect();
        let gradients = graph.gradients(&roots, &|_| true);
        (graph, roots, gradients)
    }

    fn operations(steps: &[Step]) -> usize {
        let count = |step: &Step| match step {
            Step::Compute(_) => 1,
            Step::Split(split) => split.choices.len() + operations(&split.yes) + operations(&split.no),
        };
        steps.iter().map(count).sum()
    }

    /// Operations for the values, and for values and derivatives.
    fn counts(texts: &[&str]) -> (usize, usize) {
        let (graph, roots, gradients) = graph(texts);
        let mut all = roots.clone();
        all.extend(gradients.iter().flatten().map(|entry| entry.1));
        (operations(&schedule(&graph, &roots)), operations(&schedule(&graph, &all)))
    }

    #[test]
    fn equal_parts_are_computed_once() {
        // 280 x, k = 280 x z, k - y and y - k; the derivatives 280 z, -280 z, -280 x, and 280 x is there.
        assert_eq!(counts(&["280*x*z - y", "y - x*280*z"]), (4, 7));
        // exp(x), its square and half; the derivatives are exp(x), 2 exp(x) exp(x) and the half again.
        assert_eq!(counts(&["exp(x)", "exp(x)^2", "exp(x)/2"]), (3, 5));
        // From either side.
        assert_eq!(counts(&["sin(x*y) + z", "z + sin(y*x)"]), (3, 6));
    }

    #[test]
    fn a_signal_that_several_functions_use_is_differentiated_once() {
        let signal = "sqrt(1.3 - (x - y))*exp(z*(x + y))";
        let texts: Vec<String> = (1..=10).map(|k| format!("{k}*z + 0.{k}*({signal})")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (values, all) = counts(&texts);
        let (one, one_all) = counts(&[signal]);
        // With w = sqrt, P the whole: P (x + y), P z, r = exp/(2 w), P z - r, P z + r.
        assert_eq!((one, one_all), (7, 13));
        // Per function two products and a sum; a product for each of three derivatives, and a sum for z.
        assert!(values <= one + 30 && all <= one_all + 30 + 40, "{values} {all}");
    }

    #[test]
    fn derivatives_by_hand() {
        let (graph, _, gradients) = graph(&["x^2*y", "if(x > 1, sqrt(x - 1), 2*x) + z"]);
        let all: Vec<Id> = gradients.iter().flatten().map(|entry| entry.1).collect();
        let inputs: Vec<u32> = gradients.iter().flatten().map(|entry| entry.0).collect();
        assert_eq!(inputs, [0, 1, 0, 2]);
        let tape = Tape::new(&graph, 3, &schedule(&graph, &all), &all);
        let mut out = [0.0; 4];
        tape.eval(&[5.0, 3.0, 0.0], [&mut out, &mut []]);
        assert_eq!(out, [30.0, 25.0, 0.25, 1.0]);
        // At the kink the other branch has an infinite slope, which must not come through.
        tape.eval(&[1.0, 3.0, 0.0], [&mut out, &mut []]);
        assert_eq!(out, [6.0, 1.0, 2.0, 1.0]);
    }

    #[test]
    fn depth_costs_no_stack_and_no_more_than_its_share_of_time() {
        // ((x + y x) + y x ...)... and its derivatives n + 1 and n x, for n = 100 000 additions that are not
        // alike.
        let clock = Instant::now();
        let mut graph = Graph::default();
        let (x, y) = (graph.input(0), graph.input(1));
        let (mut sum, n) = (x, 100_000);
        for k in 0..n {
            let k = graph.constant(f64::from(k));
            let factor = graph.multiply(k, y);
            let term = graph.multiply(factor, x);
            sum = graph.add(sum, term);
        }
        let gradient = graph.gradients(&[sum], &|_| true).remove(0);
        let all = [sum, gradient[0].1, gradient[1].1];
        let tape = Tape::new(&graph, 2, &schedule(&graph, &all), &all);
        let mut out = [0.0; 3];
        tape.eval(&[2.0, 0.5], [&mut out, &mut []]);
        let total = f64::from(n) * f64::from(n - 1) / 2.0;
        assert_eq!(out, [2.0 + total, 1.0 + 0.5 * total, 2.0 * total]);
        assert!(clock.elapsed().as_secs_f64() < 5.0);
    }

    #[test]
    fn the_gradient_of_a_long_chain_is_linear_in_its_length() {
        // Energy of n links: heights h_k = h_{k-1} + cos q_k, two outputs of all of them.
        let size = |n: usize| {
            let mut graph = Graph::default();
            let cos = crate::builtin::builtin("cos").unwrap();
            let (mut height, mut sum, mut squares) =
                (graph.constant(0.0), graph.constant(0.0), graph.constant(0.0));
            for k in 0..n {
                let q = graph.input(k);
                let c = graph.expression(&Expr::parse("cos(q)").unwrap(), &mut |_, _| Some(q));
                assert_eq!(graph.operation(c), Operation::One(crate::graph::Named(cos), q));
                height = graph.add(height, c);
                sum = graph.add(sum, height);
                let two = graph.constant(2.0);
                let square = graph.power(height, two);
                squares = graph.add(squares, square);
            }
            let gradients = graph.gradients(&[sum, squares], &|_| true);
            assert_eq!(gradients.iter().map(Vec::len).collect::<Vec<_>>(), [n, n]);
            let mut all = vec![sum, squares];
            all.extend(gradients.iter().flatten().map(|entry| entry.1));
            operations(&schedule(&graph, &all))
        };
        let (short, long) = (size(200), size(2000));
        assert!(long < 11 * short, "{short} {long}");
    }
}
