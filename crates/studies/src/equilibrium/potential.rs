//! What the potential energy of an energy model says about an equilibrium, by Lagrange and Dirichlet.

use crate::ranges::significant;
use crate::study::Prepared;
use poinsot_analysis::{Equilibrium, PotentialVerdict, lagrange_dirichlet};
use poinsot_mechanics::Lagrangian;
use poinsot_model::spec::EquationsSpec;

/// A line for each energy model to which the theorem applies.
pub fn lines(prepared: &Prepared, found: &Equilibrium) -> Vec<String> {
    let blocks = prepared.model.equations.iter().enumerate();
    blocks.filter_map(|(index, block)| line(prepared, found, index, block)).collect()
}

/// The theorem is about natural conservative systems: efforts from V alone, coordinates that are free.
fn is_natural(model: &Lagrangian) -> bool {
    model.applied.iter().all(poinsot_expr::Expr::is_zero)
        && model.displacement_constraints.is_empty()
        && model.flow_constraints.is_empty()
        && model.dynamics.is_empty()
        && model.coordinates.is_empty()
        && !model.potential.contains(&model.time)
        && !model.kinetic.contains(&model.time)
        && !model.potential.is_zero()
}

fn line(prepared: &Prepared, found: &Equilibrium, index: usize, block: &EquationsSpec) -> Option<String> {
    let model = &block.lagrangian.as_ref()?.lagrangian;
    if !is_natural(model) {
        return None;
    }
    let [network] = prepared.system.networks() else { return None };
    let value = |name: &String| {
        let k = block.variables.iter().position(|v| v.name == *name)?;
        let number = prepared.assembly.variable(&prepared.system, index, k);
        let there = (0..network.law.variables.len()).any(|j| network.unknown(j) == number);
        there.then(|| found.state.v[number])
    };
    let at: Vec<f64> = model.displacements.iter().map(value).collect::<Option<_>>()?;
    let parameter = |name: &str| {
        let full = format!("{}.{name}", block.name);
        let found = prepared.model.parameters.iter().find(|p| p.name == full || p.name == name);
        found.map(|p| p.value).or_else(|| poinsot_expr::constant(name))
    };
    let potential = lagrange_dirichlet(&model.potential, &model.displacements, &at, &parameter).ok()?;
    let values: Vec<String> = potential.eigenvalues.iter().map(|v| significant(*v, 6)).collect();
    let words = match potential.verdict {
        PotentialVerdict::Minimum => "a minimum: stable",
        PotentialVerdict::Saddle => "a saddle: unstable",
        PotentialVerdict::Maximum => "a maximum: unstable",
        PotentialVerdict::Flat => "level in some direction: not decided",
    };
    Some(format!("potential    V is {words} (Lagrange and Dirichlet; ∂²V/∂q² has {})", values.join(", ")))
}
