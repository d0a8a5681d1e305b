//! Drives and couplings whose laws read the running system: ideal relations, as gears and cams make them.
//!
//! ```text
//! Φ = Σ factor · coordinate − law(t, positions) = 0        or on velocities        ψ = rate − law = 0
//! ```
//! A force of constraint acts on all that the relation holds, what is read as well.

use super::constraint::{Equation, Level, level, place};
use super::formula::Meaning;
use super::{Resolver, transpose};
use crate::diagnostic::Diagnostic;
use crate::file::FileTable;
use crate::forces::LOAD_ARGUMENTS;
use crate::quantity::{JointQuantity, Quantity};
use crate::spec::{ConstraintSpec, LawSpec};
use crate::value::{Number, Text};
use poinsot_expr::Expr;

/// The left side of a relation: joint coordinates, or a rate, with their factors.
struct LeftSide {
    /// Joint and index of the coordinate with its factor.
    terms: Vec<(usize, usize, f64)>,
    /// Whether their rates are meant.
    rates: bool,
}

impl Resolver<'_> {
    /// The laws of drives and couplings that read the running system; signals must be known.
    pub(super) fn resolve_relations(&mut self, file: &FileTable) {
        for (index, drive) in file.drive.iter().enumerate() {
            let Some(law) = drive.entry().law().filter(|law| self.reads_state(law, LOAD_ARGUMENTS, file))
            else {
                continue;
            };
            let left = self.drives[index].as_ref().and_then(|spec| {
                let (joint, coordinate) = spec.kind.coordinate()?;
                Some(LeftSide { terms: vec![(joint, coordinate, 1.0)], rates: spec.kind.imposes_rate() })
            });
            let found = left.and_then(|left| self.relation(drive.entry().name(), &left, law, file));
            match (found, &mut self.drives[index]) {
                (Some(relation), Some(spec)) => spec.relation = Some(relation),
                (_, spec) => *spec = None,
            }
        }
        for (index, drive) in file.drive.iter().enumerate() {
            let Some(laws) = drive.entry().coordinates() else { continue };
            if !laws.iter().flatten().any(|law| self.reads_state(law, LOAD_ARGUMENTS, file)) {
                continue;
            }
            let [x, y, z] = laws.map(|law| transpose(law.map(|law| self.imposed_coordinate(law, file))));
            match (x, y, z, &mut self.drives[index]) {
                (Some(x), Some(y), Some(z), Some(spec)) => spec.coordinates = Some([x, y, z]),
                (.., spec) => *spec = None,
            }
        }
        for (index, drive) in file.drive.iter().enumerate() {
            let Some(laws) = drive.entry().angular_velocity() else { continue };
            if !laws.iter().any(|law| self.reads_state(law, LOAD_ARGUMENTS, file)) {
                continue;
            }
            let [x, y, z] = laws.map(|law| self.imposed_component(law, file));
            match (x, y, z, &mut self.drives[index]) {
                (Some(x), Some(y), Some(z), Some(spec)) => spec.angular_velocity = Some([x, y, z]),
                (.., spec) => *spec = None,
            }
        }
        for (index, coupling) in file.coupling.iter().enumerate() {
            let Some(law) = coupling.entry().law().filter(|law| self.reads_state(law, LOAD_ARGUMENTS, file))
            else {
                continue;
            };
            let terms = self.couplings[index].as_ref().map(|spec| {
                spec.terms.iter().map(|term| (term.joint, term.coordinate, term.factor)).collect()
            });
            let left = terms.map(|terms| LeftSide { terms, rates: false });
            let found = left.and_then(|left| self.relation(coupling.entry().name(), &left, law, file));
            match (found, &mut self.couplings[index]) {
                (Some(relation), Some(spec)) => spec.relation = Some(relation),
                (_, spec) => *spec = None,
            }
        }
    }

    /// A coordinate of a point as a law of positions and the time.
    fn imposed_coordinate(&mut self, law: &Number, file: &FileTable) -> Option<LawSpec> {
        let Number::Expression(text) = law else { return self.constant_law(law) };
        let own = |name: &str| (name == "t").then_some(Meaning::Quantity(Quantity::Time));
        let Equation { expr, named } = self.readable_law(text, &own, file)?;
        let levels = self.levels(text, &named)?;
        self.refuse_velocities(text, &named, &levels)?;
        let (arguments, quantities) = named.into_iter().unzip();
        Some(LawSpec { text: text.value.clone(), span: text.span.clone(), expr, arguments, quantities })
    }

    /// A component of an angular velocity as a law of positions, variables and the time.
    fn imposed_component(&mut self, law: &Number, file: &FileTable) -> Option<LawSpec> {
        let Number::Expression(text) = law else { return self.constant_law(law) };
        let own = |name: &str| (name == "t").then_some(Meaning::Quantity(Quantity::Time));
        let Equation { expr, named } = self.readable_law(text, &own, file)?;
        for (name, quantity) in &named {
            let why = match level(*quantity) {
                Ok(Level::Time | Level::Position | Level::Variable) => continue,
                Ok(Level::Velocity) => "impose the relation by a constraint of velocities",
                Err(why) => why,
            };
            self.diagnostics.push(
                Diagnostic::error(format!("an angular velocity cannot follow `{name}`"))
                    .at(place(text, name), "no position and no variable")
                    .help(why),
            );
            return None;
        }
        let (arguments, quantities) = named.into_iter().unzip();
        Some(LawSpec { text: text.value.clone(), span: text.span.clone(), expr, arguments, quantities })
    }

    /// Reports a velocity that a position should follow.
    fn refuse_velocities(
        &mut self,
        text: &Text,
        named: &[(String, Quantity)],
        levels: &[Level],
    ) -> Option<()> {
        let Some(k) = levels.iter().position(|level| *level == Level::Velocity) else { return Some(()) };
        self.diagnostics.push(
            Diagnostic::error(format!("a position cannot follow the velocity `{}`", named[k].0))
                .at(place(text, &named[k].0), "a velocity")
                .help("impose the rate of the coordinate, or use a force law"),
        );
        None
    }

    /// A relation whose right side reads the running system.
    fn relation(
        &mut self,
        name: &Text,
        left: &LeftSide,
        right: &Number,
        file: &FileTable,
    ) -> Option<ConstraintSpec> {
        let Number::Expression(text) = right else { return None };
        let own = |name: &str| (name == "t").then_some(Meaning::Quantity(Quantity::Time));
        let Equation { expr, mut named } = self.readable_law(text, &own, file)?;
        let mut sum = Expr::number(0.0);
        for &(joint, index, factor) in &left.terms {
            let (term, quantity) = self.coordinate_term(joint, index, left.rates)?;
            sum = sum + Expr::number(factor) * Expr::name(&term)?;
            if !named.iter().any(|(other, _)| *other == term) {
                named.push((term, quantity));
            }
        }
        let levels = self.levels(text, &named)?;
        if !left.rates {
            self.refuse_velocities(text, &named, &levels)?;
        }
        self.constraint_of(name, text, Equation { expr: sum - expr, named }, &levels)
    }

    /// Name and quantity of a joint's coordinate or of its rate.
    fn coordinate_term(&self, joint: usize, index: usize, rate: bool) -> Option<(String, Quantity)> {
        let spec = self.joints.get(joint)?.as_ref()?;
        let coordinate = spec.kind.coordinates().get(index)?;
        let (word, what) = match rate {
            false => (coordinate.name, JointQuantity::Coordinate { index }),
            true => (coordinate.rate, JointQuantity::CoordinateRate { index }),
        };
        Some((format!("{}.{word}", spec.name), Quantity::Joint { joint, what }))
    }
}
