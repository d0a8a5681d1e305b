//! Deformation of flexible bodies in words.

use super::{Mark, Report};
use crate::number::{short, unit};
use crate::summary::flexible::{FlexibleAudit, LargestOf};

impl Report {
    /// A line for each flexible body, and one for each limit that it does not keep.
    pub fn flexible(&mut self, bodies: &[FlexibleAudit]) {
        let (troubled, calm): (Vec<_>, Vec<_>) = bodies.iter().partition(|body| !body.holds());
        let troubles: Vec<String> = troubled.iter().flat_map(|body| body.troubles()).collect();
        let stressed = troubled.iter().filter(|body| body.stress.is_some()).map(|body| body.fact());
        let facts: Vec<String> = calm.iter().map(|body| body.fact()).collect();
        let stressed: Vec<String> = stressed.collect();
        self.list(Mark::Attention, "deformation", &troubles);
        self.list(Mark::Attention, "", &stressed);
        self.list(Mark::Holds, if troubles.is_empty() { "deformation" } else { "" }, &facts);
        if !bodies.is_empty() {
            self.meaning(
                "How far flexible bodies deform. Their shapes are those of small deformations, and of a body \
                 without stress.",
            );
        }
    }
}

impl FlexibleAudit {
    fn largest(&self) -> impl Iterator<Item = &LargestOf> {
        std::iter::once(&self.displacement).chain(&self.rotation).chain(&self.spin)
    }

    /// Whether all limits are kept.
    pub fn holds(&self) -> bool {
        self.largest().all(LargestOf::holds)
    }

    /// ` at t = 0.4 s`.
    fn place(&self, of: &LargestOf) -> String {
        match self.along.as_str() {
            "" => String::new(),
            "t" => format!(" at t = {} s", short(of.at, 5)),
            name => format!(" at {name} = {}", short(of.at, 5)),
        }
    }

    /// The largest values.
    fn fact(&self) -> String {
        let mut words =
            format!("`{}` by at most {} of its length", self.body, short(self.displacement.value, 3));
        if let Some(turned) = self.rotation.as_ref().filter(|turned| turned.value > 0.0) {
            words += &format!(", `{}` turned by {} rad", turned.of, short(turned.value, 3));
        }
        if let Some(spin) = self.spin.as_ref().filter(|spin| spin.value > 0.0) {
            words += &format!(", spin {} of its lowest frequency", short(spin.value, 3));
        }
        words + &self.stress_words()
    }

    /// The largest stress.
    fn stress_words(&self) -> String {
        let Some(stress) = self.stress.as_ref().filter(|stress| stress.value > 0.0) else {
            return String::new();
        };
        let at = self.place(stress);
        format!(", largest stress {} {} at {}{at}", short(stress.value, 4), unit("Pa"), stress.of)
    }

    /// What needs attention, with a remedy.
    fn troubles(&self) -> Vec<String> {
        let remedy = "its shapes are for small ones: divide it into several flexible bodies, or use beams";
        let mut words = vec![];
        let moved = &self.displacement;
        if !moved.holds() {
            words.push(format!(
                "`{}` by {} of its length{} (limit {}): {remedy}",
                self.body,
                short(moved.value, 3),
                self.place(moved),
                moved.limit
            ));
        }
        if let Some(turned) = self.rotation.as_ref().filter(|turned| !turned.holds()) {
            words.push(format!(
                "`{}` turns by {} rad against the frame of its body{} (limit {} rad): {remedy}",
                turned.of,
                short(turned.value, 3),
                self.place(turned),
                turned.limit
            ));
        }
        if let (Some(spin), Some(lowest)) = (self.spin.as_ref().filter(|spin| !spin.holds()), self.lowest) {
            words.push(format!(
                "`{}` spins with {} {}, {} of its lowest frequency{} (limit {}), and the stress of that is left out: set \
                 `geometric_stiffness = true`, of a body of finite elements",
                self.body,
                short(spin.value * lowest, 3),
                unit("rad/s"),
                short(spin.value, 3),
                self.place(spin),
                spin.limit
            ));
        }
        words
    }
}
