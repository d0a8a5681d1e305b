//! Equations in words.

use super::System;
use super::entries::ConstraintEntry;
use crate::nodes::chart::Chart;
use poinsot_geometry::Vec3;

impl ConstraintEntry {
    /// A row in words, e.g. "joint `crank_pin` (revolute), offset x".
    pub fn row_in_words(&self, row: usize) -> String {
        let (noun, kind, what) = (self.law.noun(), self.law.kind(), self.law.row_name(row));
        match kind == noun {
            true => format!("{noun} `{}`, {what}", self.name),
            false => format!("{noun} `{}` ({kind}), {what}", self.name),
        }
    }
}

impl System {
    /// An equation in words, e.g. "joint `crank_pin` (revolute), offset x".
    pub fn equation_name(&self, eq: usize) -> String {
        if let Some((c, row)) = self.row_at(eq) {
            return self.constraints[c].row_in_words(row);
        }
        const SPATIAL: [&str; 6] = ["x", "y", "z", "rotation x", "rotation y", "rotation z"];
        for node in &self.nodes {
            let dofs = node.chart.dofs();
            if eq >= node.eq && eq < node.eq + dofs {
                let k = eq - node.eq;
                let along =
                    |e: &Vec3, other| e.iter().position(|c| *c == 1.0).map_or(other, |i| ["x", "y", "z"][i]);
                let what = match &node.chart {
                    Chart::Number => return format!("flexible body, {}", node.name),
                    Chart::Parameter => return format!("joint `{}`, parameter", node.name),
                    Chart::Planar { e1, e2, .. }
                    | Chart::PlanarPoint { e1, e2 }
                    | Chart::PlanarSlope { e1, e2 } => match k {
                        0 => along(e1, "first in-plane direction"),
                        1 => along(e2, "second in-plane direction"),
                        _ => "rotation",
                    },
                    _ => SPATIAL[k],
                };
                if node.chart.is_slope() {
                    return format!("`{}`, {what}", node.name);
                }
                return format!("body `{}`, {what}", node.name);
            }
        }
        for entry in &self.networks {
            if let Some(k) = (0..entry.eq.len()).find(|&k| entry.row(k) == eq) {
                let variable = &entry.law.variables[entry.variable_of[k]].name;
                return format!("equations `{}`, number {} (for `{variable}`)", entry.law.name, k + 1);
            }
        }
        format!("equation {eq}")
    }
}
