//! The matrix of a Galerkin step: k×k blocks in the pattern of the view.

use crate::conserving::constrained_newton::Unsolved;
use crate::conserving::galerkin_newton::{GalerkinNewton, Unknown, tests};
use crate::conserving::time_element::{MAX_GALERKIN_DEGREE, Point, Polynomials};
use poinsot_mechanics::conserving::{Conserving, Derivatives};
use poinsot_numerics::pattern::{Pattern, PatternBuilder};

impl GalerkinNewton {
    /// The step matrix at the current coefficients, factored.
    pub(super) fn factor(&mut self, view: &Conserving) -> Result<(), Unsolved> {
        let (k, h) = (self.element.degree, self.course.h);
        self.values.fill(0.0);
        let inertia = std::mem::take(&mut self.inertia);
        self.add(view, &inertia, |_, _, i, j| if i == j { 1.0 } else { 0.0 });
        self.inertia = inertia;
        for (sampling, g) in self.places() {
            let point = self.point(sampling, g);
            self.course.visit(view, k, &point);
            let mut to = Derivatives { by_position: &mut self.by_position, by_rate: &mut self.by_rate };
            view.tangent_inside(sampling, &self.course.inside(), &mut to, &mut self.room);
            self.add_point(view, &point);
        }
        self.course.visit(view, k, &self.element.end);
        let mut gradients = std::mem::take(&mut self.by_rate);
        view.end_gradients(&self.course.inside(), &mut gradients, &mut self.room);
        let (column, row): (Polynomials, Polynomials) = (
            self.element.end.path,
            std::array::from_fn(|i| if i < k { self.element.of_mean(i) } else { 0.0 }),
        );
        self.add(view, &gradients, |_, _, i, j| row[i] * column[j]);
        self.by_rate = gradients;
        for stiffening in &mut self.stiffenings {
            stiffening.weights =
                view.internal()[stiffening.internal].gradients(&self.course.frames[stiffening.node].rot);
            stiffening.weights.as_flattened_mut().iter_mut().for_each(|w| *w *= stiffening.gamma);
            stiffening.stiffen_matrix(k, &self.pattern, &mut self.values);
        }
        let outcome = self.factors.factor_of(&self.pattern, &self.values);
        self.factored_for = outcome.is_ok().then_some(h);
        self.convergence.factored();
        outcome.map_err(|e| Unsolved::Singular(e.row / k))
    }

    /// Adds the k×k blocks of a matrix of the view: entry (r, c) times share(r, c, i, j).
    fn add(&mut self, view: &Conserving, entries: &[f64], share: impl Fn(usize, usize, usize, usize) -> f64) {
        let (k, pattern) = (self.element.degree, view.pattern());
        for c in 0..pattern.n() {
            let slots = pattern.slots(c);
            for (place, (&r, &entry)) in pattern.rows(c).iter().zip(&entries[slots]).enumerate() {
                if entry != 0.0 {
                    for j in 0..k {
                        let from = self.pattern.slots(k * c + j).start + k * place;
                        for (i, value) in self.values[from..from + k].iter_mut().enumerate() {
                            *value += share(r, c, i, j) * entry;
                        }
                    }
                }
            }
        }
    }

    /// Adds the derivatives at a place: ∂z/∂a_j = h² ψ_j, ∂ż/∂a_j = h ψ_j′, ∂λ/∂λ_j = M_j, ∂y/∂c_j = h ι_j,
    /// ∂ẏ/∂c_j = M_j.
    fn add_point(&mut self, view: &Conserving, point: &Point) {
        let (k, h, pattern) = (self.element.degree, self.course.h, view.pattern());
        for c in 0..pattern.n() {
            let unknown = self.unknowns[c];
            let slots = pattern.slots(c);
            let entries = self.by_position[slots.clone()].iter().zip(&self.by_rate[slots]);
            for (place, (&r, (&position, &rate))) in pattern.rows(c).iter().zip(entries).enumerate() {
                if position == 0.0 && rate == 0.0 {
                    continue;
                }
                let (tests, factor) = tests(self.equations[r], point, h);
                for j in 0..k {
                    let moved = match unknown {
                        Unknown::Value => point.base[j] * position,
                        Unknown::Rate => h * point.integral[j] * position + point.base[j] * rate,
                        Unknown::Acceleration => h * (h * point.path[j] * position + point.speed[j] * rate),
                    };
                    let from = self.pattern.slots(k * c + j).start + k * place;
                    let values = self.values[from..from + k].iter_mut().zip(tests);
                    values.for_each(|(value, m)| *value += factor * moved * m);
                }
            }
        }
    }
}

/// The pattern with every entry expanded to a k×k block.
pub(super) fn expanded(pattern: &Pattern, k: usize) -> Pattern {
    let mut builder = PatternBuilder::new(k * pattern.n());
    for c in 0..pattern.n() {
        let mut columns = [0; MAX_GALERKIN_DEGREE];
        let mut rows = columns;
        (0..k).for_each(|j| columns[j] = k * c + j);
        for &r in pattern.rows(c).iter().filter(|r| **r <= c) {
            (0..k).for_each(|i| rows[i] = k * r + i);
            builder.add_block(&rows[..k], &columns[..k]);
        }
    }
    builder.build()
}
