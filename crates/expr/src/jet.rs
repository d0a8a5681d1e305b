//! A function with its derivatives of first and second order, compiled together.

use crate::block::{Code, Engine};
use crate::function::Function;
use crate::gradient::Gradient;
use crate::graph::{Graph, Id};

/// Nodes, inputs and constants included, up to which machine code saves less than it takes to make: laws such
/// as 2 t.
const SHORT: usize = 10;

/// A function f of n arguments with its exact derivatives: what f, f_i and f_ij have in common is computed
/// once.
///
/// There is code of its own for f, for f with all f_i, and for these with all f_ij. Evaluation does not
/// allocate, except that the interpreter keeps registers for each thread.
///
/// ```
/// use poinsot_expr::{Expr, Jet, SmoothFunction};
/// let f = SmoothFunction::new(&Expr::parse("x*sin(w*t)")?, &["x", "t"], &|_| Some(2.0))?;
/// let (mut first, mut second) = ([0.0; 3], [0.0; 3]);
/// f.jet().second(&[3.0, 0.5], &mut first, &mut second);
/// let (sin, cos) = 1.0f64.sin_cos();
/// assert_eq!(first, [3.0 * sin, sin, 6.0 * cos]);
/// assert_eq!((second[Jet::place(0, 1)], second[Jet::place(1, 1)]), (2.0 * cos, -12.0 * sin));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Jet {
    arguments: usize,
    /// f; f and f_i; f, f_i and f_ij.
    orders: [Code; 3],
}

impl Jet {
    pub(crate) fn new(f: &Function, arguments: usize, engine: Engine) -> Self {
        let mut graph = Graph::default();
        let value = f.node(&mut graph);
        let zero = graph.constant(0.0);
        let dense = |gradient: &Gradient, count: usize| -> Vec<Id> {
            let of = |i: usize| gradient.iter().find(|(input, _)| *input as usize == i);
            (0..count).map(|i| of(i).map_or(zero, |(_, id)| *id)).collect()
        };
        let partials = dense(&graph.gradients(&[value], &|_| true)[0], arguments);
        let gradients = graph.gradients(&partials, &|_| true);
        // f_ij for j ≤ i, row by row.
        let seconds: Vec<Id> =
            gradients.iter().enumerate().flat_map(|(i, gradient)| dense(gradient, i + 1)).collect();
        let mut first = vec![value];
        first.extend(partials);
        let engine = if graph.len() <= SHORT { Engine::Interpreter } else { engine };
        let results = [[&first[..1], &[]], [&first, &[]], [&first, &seconds]];
        Jet { arguments, orders: Code::several(&graph, arguments, results, engine) }
    }

    /// Number of arguments, n.
    pub fn arguments(&self) -> usize {
        self.arguments
    }

    /// Where f_ij = f_ji stands among the n (n + 1)/2 second derivatives.
    pub const fn place(i: usize, j: usize) -> usize {
        let (low, high) = if i < j { (i, j) } else { (j, i) };
        high * (high + 1) / 2 + low
    }

    /// f.
    ///
    /// # Panics
    ///
    /// If there are fewer than n values.
    #[inline]
    pub fn value(&self, values: &[f64]) -> f64 {
        let mut value = [0.0];
        self.orders[0].eval(values, [&mut value, &mut []]);
        value[0]
    }

    /// f and f_i, one after the other.
    ///
    /// # Panics
    ///
    /// If there are fewer than n values, or less room than for 1 + n results.
    #[inline]
    pub fn first(&self, values: &[f64], first: &mut [f64]) {
        self.orders[1].eval(values, [&mut first[..=self.arguments], &mut []]);
    }

    /// f and f_i as [`Jet::first`], and f_ij at [`Jet::place`].
    ///
    /// # Panics
    ///
    /// As [`Jet::first`], or if there is less room than for n (n + 1)/2 second derivatives.
    #[inline]
    pub fn second(&self, values: &[f64], first: &mut [f64], second: &mut [f64]) {
        let n = self.arguments;
        self.orders[2].eval(values, [&mut first[..=n], &mut second[..n * (n + 1) / 2]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Expr;

    /// f, f_i and f_ij, and what the codes of lower order give.
    fn results(jet: &Jet, at: &[f64]) -> [Vec<f64>; 3] {
        let n = jet.arguments();
        let (mut first, mut all, mut second) =
            (vec![0.5; 1 + n], vec![0.5; 1 + n], vec![0.5; Jet::place(0, n)]);
        jet.first(at, &mut first);
        jet.second(at, &mut all, &mut second);
        all.extend(second);
        [vec![jet.value(at)], first, all]
    }

    #[test]
    fn both_engines_and_all_orders_give_the_same_bits() {
        let texts = [
            "3",
            "2*t",
            "sqrt(1 - (0.1*sin(10*t))^2)*x + 0.1*sin(10*t)*y",
            "(x - y)^2 + 0.3*x*y*t - 1",
            "if(x > 0.2, exp(-y*t), cos(x*y)) + abs(y - t)^3",
        ];
        for text in texts {
            let f = Function::new(&Expr::parse(text).unwrap(), &["x", "y", "t"], &|_| None).unwrap();
            let [native, tape] = [Engine::Native, Engine::Interpreter].map(|engine| Jet::new(&f, 3, engine));
            for at in [[0.3, -0.7, 1.1], [0.1, 0.4, -2.3], [-1.5, 2.0, 0.0]] {
                let [value, first, all] = results(&native, &at);
                assert_eq!(results(&tape, &at), [value.clone(), first.clone(), all.clone()], "{text}");
                assert_eq!((&value[..], &first[..]), (&all[..1], &all[..4]), "{text}");
            }
        }
    }

    /// A rotating crank: the derivatives by hand.
    #[test]
    fn derivatives_by_hand() {
        let expr = Expr::parse("x*sin(w*t) + y^2*t").unwrap();
        let f = Function::new(&expr, &["x", "y", "t"], &|_| Some(3.0)).unwrap();
        let (x, y, t) = (0.7, -1.3, 0.4);
        let (sin, cos) = (3.0f64 * t).sin_cos();
        let [_, _, all] = results(&Jet::new(&f, 3, Engine::Native), &[x, y, t]);
        let first = [x * sin + y * y * t, sin, 2.0 * y * t, 3.0 * x * cos + y * y];
        // xx, yx, yy, tx, ty, tt.
        let second = [0.0, 0.0, 2.0 * t, 3.0 * cos, 2.0 * y, -9.0 * x * sin];
        for (exact, found) in first.iter().chain(&second).zip(&all) {
            assert!((exact - found).abs() < 1e-15, "{exact} {found}");
        }
    }
}
