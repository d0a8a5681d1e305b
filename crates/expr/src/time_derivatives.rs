//! Derivatives of functions by time, compiled together.
//!
//! Where the inputs x_i of functions are functions of time, and inputs again are their rates,
//!
//! ```text
//! f⁽⁰⁾ = f,     f⁽ᵖ⁺¹⁾ = Σ_i ∂f⁽ᵖ⁾/∂x_i ẋ_i.
//! ```

use crate::block::{Block, Engine};
use crate::function::Function;
use crate::graph::{Graph, Id};

/// The rate of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputRate {
    /// It does not change.
    Zero,
    /// It is the time.
    One,
    /// Another input is its rate.
    Input(usize),
}

/// A derivative by time of a function, with a factor.
#[derive(Clone, Copy, Debug)]
pub struct TimeDerivative<'a> {
    /// The function.
    pub function: &'a Function,
    /// How often it is differentiated by time.
    pub order: usize,
    /// The factor.
    pub factor: f64,
}

impl<'a> TimeDerivative<'a> {
    /// The derivative of an order.
    pub fn new(function: &'a Function, order: usize) -> Self {
        TimeDerivative { function, order, factor: 1.0 }
    }
}

impl Block {
    /// Compiles sums of derivatives by time, as functions of `inputs` inputs whose rates are told. Their
    /// derivatives are taken by the inputs for which `by` holds.
    ///
    /// ```
    /// use poinsot_expr::{Block, Engine, Expr, Function, InputRate, TimeDerivative};
    /// // x, ẋ, ẍ: the second rate of x² is 2 ẋ² + 2 x ẍ.
    /// let f = Function::new(&Expr::parse("x^2")?, &["x"], &|_| None)?;
    /// let rate = |i: usize| if i < 2 { InputRate::Input(i + 1) } else { InputRate::Zero };
    /// let row = vec![TimeDerivative::new(&f, 2)];
    /// let block = Block::of_time_derivatives(&[row], 3, &rate, &|i| i == 2, Engine::Interpreter);
    /// let (mut value, mut slope) = ([0.0], [0.0]);
    /// block.eval_derivatives(&[3.0, 5.0, 7.0], &mut value, &mut slope);
    /// assert_eq!((value, slope), ([92.0], [6.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_time_derivatives(
        rows: &[Vec<TimeDerivative>],
        inputs: usize,
        rate: &dyn Fn(usize) -> InputRate,
        by: &dyn Fn(usize) -> bool,
        engine: Engine,
    ) -> Self {
        let mut graph = Graph::default();
        let all: Vec<TimeDerivative> = rows.iter().flatten().copied().collect();
        let mut nodes: Vec<Id> = all.iter().map(|term| term.function.node(&mut graph)).collect();
        let highest = all.iter().map(|term| term.order).max().unwrap_or(0);
        for order in 0..highest {
            let open: Vec<usize> = (0..all.len()).filter(|&k| all[k].order > order).collect();
            let values: Vec<Id> = open.iter().map(|&k| nodes[k]).collect();
            let moves = |input: u32| rate(input as usize) != InputRate::Zero;
            let gradients = graph.gradients(&values, &moves);
            for (&k, gradient) in open.iter().zip(&gradients) {
                let mut sum = graph.constant(0.0);
                for &(input, slope) in gradient {
                    let term = match rate(input as usize) {
                        InputRate::Zero => continue,
                        InputRate::One => slope,
                        InputRate::Input(of) => {
                            let rate = graph.input(of);
                            graph.multiply(slope, rate)
                        }
                    };
                    sum = graph.add(sum, term);
                }
                nodes[k] = sum;
            }
        }
        let mut node = nodes.into_iter();
        let mut roots = Vec::with_capacity(rows.len());
        for row in rows {
            let mut sum = graph.constant(0.0);
            for (term, value) in row.iter().zip(node.by_ref()) {
                let factor = graph.constant(term.factor);
                let value = graph.multiply(factor, value);
                sum = graph.add(sum, value);
            }
            roots.push(sum);
        }
        Self::of_graph(graph, &roots, inputs, &|input| by(input as usize), engine)
    }
}
