//! What increments and velocities of a GS4 step are measured by.

use crate::gs4::Gs4;

/// Largest translation and largest rotation in a vector of unknowns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub linear: f64,
    pub angular: f64,
}

impl Extent {
    /// The larger of both, each in units of `scale`.
    pub fn relative_to(&self, scale: &Extent) -> f64 {
        (self.linear / scale.linear).max(self.angular / scale.angular)
    }
}

impl Gs4<'_> {
    /// The model's own speeds: what moves now, what acceleration adds in a step, and a floor at rest.
    pub(super) fn speed_scale(&self, h: f64) -> Extent {
        let (now, gained) = (self.extent(&self.past.state.v), self.extent(self.past.predictor.newest()));
        let linear = now.linear.max(gained.linear * h).max(1e-6 * self.length / h);
        let angular = now.angular.max(gained.angular * h).max(linear / self.length);
        Extent { linear, angular }
    }

    /// Largest change of a variable of a network, relative to its size.
    pub(super) fn extent_of_variables(&self, x: &[f64]) -> f64 {
        let mut largest: f64 = 0.0;
        for network in self.system.networks() {
            for (j, variable) in network.law.variables.iter().enumerate() {
                let eq = network.unknown(j);
                largest = largest.max(x[eq].abs() / self.past.state.v[eq].abs().max(variable.nominal));
            }
        }
        largest
    }

    /// Largest rotation of a body that the failed step attempted (rad).
    pub(super) fn largest_turn(&self) -> f64 {
        let turn = |k: usize| self.system.twist(k, &self.step.move_end).angular.norm();
        (1..self.system.nodes().len()).map(turn).fold(0.0, f64::max)
    }

    /// Largest translation and rotation of a node in unknowns, increments or velocities.
    pub(super) fn extent(&self, x: &[f64]) -> Extent {
        let mut extent = Extent { linear: 0.0, angular: 0.0 };
        for node in &self.system.nodes()[1..] {
            let (translation, rotation) = x[node.unknowns()].split_at(node.chart.linear_dofs());
            extent.linear = translation.iter().fold(extent.linear, |m, t| m.max(t.abs()));
            extent.angular = rotation.iter().fold(extent.angular, |m, r| m.max(r.abs()));
        }
        extent
    }
}
