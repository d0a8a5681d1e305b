//! Energies and powers of an energy model.

use super::equations::{partials, places, total, variable, zero};
use super::lagrangian::Lagrangian;
use poinsot_expr::Expr;

impl Lagrangian {
    /// The kinetic energy Σ f ∂T*/∂f − T*.
    pub fn kinetic_energy(&self) -> Expr {
        total(std::iter::once(-self.kinetic.clone()).chain(self.times_flows(&self.kinetic)).collect())
    }

    /// The stored energy Σ f ∂T*/∂f − T* + V.
    pub fn energy(&self) -> Expr {
        total(vec![self.kinetic_energy(), self.potential.clone()])
    }

    /// The power that is lost, Σ f ∂D/∂f + Σ ṙ ∂D/∂ṙ.
    pub fn dissipated_power(&self) -> Expr {
        let rates: Vec<String> = self.coordinates.iter().map(|c| c.rate.clone()).collect();
        let slopes = partials(&self.dissipation, &places(&rates)).into_iter();
        let coupled = slopes.map(|(i, slope)| slope * variable(&rates[i]));
        total(self.times_flows(&self.dissipation).into_iter().chain(coupled).collect())
    }

    /// The power that comes in: of the applied efforts, of constraints that are driven, of energies that
    /// depend on time, and what the model does not give on to the coordinates that it loads with e_r,
    ///
    /// ```text
    /// Σ e^s f + λᵀ ∂φ/∂t + μᵀ ψ(f = 0) + ∂V/∂t − ∂T*/∂t + Σ (e^s_r − e_r) ṙ
    /// ```
    pub fn supplied_power(&self, loads: &[Expr]) -> Expr {
        let [lambda, mu, _] = self.multiplier_names();
        let mut terms: Vec<Expr> =
            self.applied.iter().zip(&self.flows).map(|(e, f)| e.clone() * variable(f)).collect();
        terms.push(self.potential.derivative(&self.time));
        terms.push(-self.kinetic.derivative(&self.time));
        let driven = self.displacement_constraints.iter().map(|phi| phi.derivative(&self.time));
        terms.extend(driven.zip(&lambda).map(|(rate, lambda)| rate * variable(lambda)));
        let kept = self.coordinates.iter().zip(loads);
        terms.extend(kept.map(|(c, load)| (c.applied.clone() - load.clone()) * variable(&c.rate)));
        let moves = |name: &str| {
            self.flows.iter().any(|f| f == name) || self.coordinates.iter().any(|c| c.rate == name)
        };
        let still = |psi: &Expr| psi.with_names(&|name| moves(name).then(zero)).simplify();
        terms.extend(self.flow_constraints.iter().zip(&mu).map(|(psi, mu)| still(psi) * variable(mu)));
        total(terms)
    }

    /// The terms f ∂/∂f.
    fn times_flows(&self, expr: &Expr) -> Vec<Expr> {
        let slopes = partials(expr, &places(&self.flows)).into_iter();
        slopes.map(|(i, slope)| slope * variable(&self.flows[i])).collect()
    }
}
