//! Many functions of the same inputs, compiled together.

use crate::builtin::constant;
use crate::evaluate::EvalError;
use crate::expr::Expr;
use crate::function::Function;
use crate::graph::{Graph, Id};
#[cfg(feature = "native")]
use crate::native::{Native, Source};
use crate::places::Places;
use crate::program::Program;
#[cfg(feature = "native")]
use crate::schedule::Step;
use crate::schedule::schedule;
use crate::switches::Switch;
use crate::tape::Tape;
use std::sync::Arc;

/// Steps above which there is no machine code: it takes 3 µs per step to make, and 16 bytes of the stack to
/// run.
#[cfg(feature = "native")]
const LONGEST: usize = 30_000;

/// What runs a [`Block`]. Results do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Machine code, where the machine and the features of the crate allow it; otherwise the interpreter.
    #[default]
    Native,
    /// The interpreter.
    Interpreter,
}

/// Functions of the same inputs, with their exact derivatives by those inputs, compiled together.
///
/// Parts that are equal, in several functions or in their derivatives, are computed once. Functions without
/// their derivatives have code of their own. Evaluation does not allocate, except that the interpreter keeps
/// registers for each thread.
///
/// ```
/// use poinsot_expr::{Block, Engine, Expr};
/// let laws = ["k*(x - y)^3", "exp(-x)*k*(x - y)^3"].map(|text| Expr::parse(text).unwrap());
/// let block = Block::new(&laws, &["x", "y", "t"], &|_| Some(2.0), Engine::Native)?;
/// let (mut values, mut slopes) = ([0.0; 2], [0.0; 4]);
/// block.eval(&[1.0, 0.0, 0.0], &mut values);
/// assert_eq!(values, [2.0, 2.0 * (-1.0f64).exp()]);
/// assert_eq!(block.entries(), [(0, 0), (0, 1), (1, 0), (1, 1)]);
/// block.eval_derivatives(&[1.0, 0.0, 0.0], &mut values, &mut slopes);
/// assert_eq!(slopes[..2], [6.0, -6.0]);
/// # Ok::<(), poinsot_expr::EvalError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Block {
    inputs: usize,
    outputs: usize,
    entries: Box<[(usize, usize)]>,
    values: Code,
    derivatives: Code,
}

/// What computes nodes of a graph, in two lists.
#[derive(Clone, Debug)]
pub(crate) enum Code {
    Tape(Arc<Tape>),
    #[cfg(feature = "native")]
    Native(Arc<Native>),
}

impl Block {
    /// Compiles expressions as functions of `inputs`, in this order; other names are constants.
    ///
    /// Errors are those of [`Program::compile`].
    pub fn new(
        outputs: &[Expr],
        inputs: &[&str],
        constants: &dyn Fn(&str) -> Option<f64>,
        engine: Engine,
    ) -> Result<Self, EvalError> {
        let places = Places::new(inputs);
        let place = |name: &str| places.of(name);
        let mut graph = Graph::default();
        let mut roots = Vec::with_capacity(outputs.len());
        for expr in outputs {
            // The whole expression must make sense, even the parts that simplification removes.
            Program::with_places(expr, &place, constants, true)
                .map_err(|error| error.with_candidates(inputs))?;
            roots.push(graph.expression(expr, &mut |graph, name| {
                if let Some(index) = place(name) {
                    return Some(graph.input(index));
                }
                constants(name).or_else(|| constant(name)).map(|value| graph.constant(value))
            }));
        }
        Ok(Self::of_graph(graph, &roots, inputs.len(), &|_| true, engine))
    }

    /// Compiles functions that have the same `inputs` arguments. Derivatives are taken by the arguments for
    /// which `by` holds.
    pub fn of(functions: &[&Function], inputs: usize, by: &dyn Fn(usize) -> bool, engine: Engine) -> Self {
        let mut graph = Graph::default();
        let roots: Vec<Id> = functions.iter().map(|f| f.node(&mut graph)).collect();
        Self::of_graph(graph, &roots, inputs, &|input| by(input as usize), engine)
    }

    /// Compiles the functions of switches that have the same `inputs` arguments.
    ///
    /// ```
    /// use poinsot_expr::{Block, Engine, Expr, Switch};
    /// let law = Expr::parse("abs(k*x*y - t) + max(k*x*y, 1)")?;
    /// let switches = law.switches(&["x", "y", "t"], &|_| Some(2.0))?;
    /// let block = Block::of_switches(&switches, 3, Engine::Native);
    /// let mut values = [0.0; 2];
    /// block.eval(&[3.0, 4.0, 5.0], &mut values);
    /// assert_eq!(values, [19.0, 23.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_switches(switches: &[Switch], inputs: usize, engine: Engine) -> Self {
        let mut graph = Graph::default();
        let roots: Vec<Id> = switches.iter().map(|switch| switch.node(&mut graph)).collect();
        Self::of_graph(graph, &roots, inputs, &|_| true, engine)
    }

    pub(crate) fn of_graph(
        mut graph: Graph,
        outputs: &[Id],
        inputs: usize,
        by: &dyn Fn(u32) -> bool,
        engine: Engine,
    ) -> Self {
        let gradients = graph.gradients(outputs, by);
        let (mut entries, mut derivatives) = (vec![], vec![]);
        for (output, gradient) in gradients.into_iter().enumerate() {
            for (input, id) in gradient {
                entries.push((output, input as usize));
                derivatives.push(id);
            }
        }
        let results = [[outputs, &[]], [outputs, &derivatives]];
        let [values, derivatives] = Code::several(&graph, inputs, results, engine);
        Block { inputs, outputs: outputs.len(), entries: entries.into(), values, derivatives }
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of functions.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// (function, input) of every derivative that is not zero everywhere, in this order.
    #[inline]
    pub fn entries(&self) -> &[(usize, usize)] {
        &self.entries
    }

    /// What runs the block. The interpreter also runs what is too long for machine code, or needs none.
    pub fn engine(&self) -> Engine {
        match self.derivatives {
            Code::Tape(_) => Engine::Interpreter,
            #[cfg(feature = "native")]
            Code::Native(_) => Engine::Native,
        }
    }

    /// The values of the functions.
    ///
    /// # Panics
    ///
    /// If a slice is shorter than the number of inputs or functions.
    #[inline]
    pub fn eval(&self, inputs: &[f64], values: &mut [f64]) {
        self.values.eval(inputs, [&mut values[..self.outputs], &mut []]);
    }

    /// The values of the functions and the derivatives, in the order of [`Block::entries`].
    ///
    /// # Panics
    ///
    /// If a slice is shorter than the number of inputs, functions or entries.
    #[inline]
    pub fn eval_derivatives(&self, inputs: &[f64], values: &mut [f64], derivatives: &mut [f64]) {
        let derivatives = &mut derivatives[..self.entries.len()];
        self.derivatives.eval(inputs, [&mut values[..self.outputs], derivatives]);
    }
}

impl Code {
    /// Code for each of several pairs of lists of nodes.
    pub fn several<const N: usize>(
        graph: &Graph,
        inputs: usize,
        results: [[&[Id]; 2]; N],
        engine: Engine,
    ) -> [Self; N] {
        let steps = results.map(|results| schedule(graph, &results.concat()));
        #[cfg(feature = "native")]
        let mut native = Self::native(graph, inputs, &steps, &results, engine);
        #[cfg(not(feature = "native"))]
        let _ = engine;
        std::array::from_fn(|k| {
            #[cfg(feature = "native")]
            if let Some(code) = native[k].take() {
                return Code::Native(Arc::new(code));
            }
            Code::Tape(Arc::new(Tape::new(graph, inputs, &steps[k], &results[k].concat())))
        })
    }

    /// Machine code for what needs it and is not too long.
    #[cfg(feature = "native")]
    fn native<const N: usize>(
        graph: &Graph,
        inputs: usize,
        steps: &[Vec<Step>; N],
        results: &[[&[Id]; 2]; N],
        engine: Engine,
    ) -> [Option<Native>; N] {
        let fits = |k: &usize| engine == Engine::Native && (1..=LONGEST).contains(&steps[*k].len());
        let fitting: Vec<usize> = (0..N).filter(fits).collect();
        let source = |&k: &usize| Source { steps: &steps[k], results: results[k] };
        let sources: Vec<Source> = fitting.iter().map(source).collect();
        let mut codes = [const { None }; N];
        if !sources.is_empty() {
            let made = Native::several(graph, inputs, &sources).into_iter().flatten();
            fitting.into_iter().zip(made).for_each(|(k, code)| codes[k] = Some(code));
        }
        codes
    }

    #[inline]
    pub fn eval(&self, inputs: &[f64], out: [&mut [f64]; 2]) {
        match self {
            Code::Tape(tape) => tape.eval(inputs, out),
            #[cfg(feature = "native")]
            Code::Native(code) => code.eval(inputs, out),
        }
    }
}
