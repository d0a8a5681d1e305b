//! Stops of joints whose limits, stiffness or damping are laws: a force along the coordinate.
//!
//! ```text
//! F = max(k (s − u)(1 + d (ṡ − u̇)), 0) where s > u,     −max(k (l − s)(1 − d (ṡ − l̇)), 0) where s < l
//! u̇ = ∂u/∂t + Σ_j ∂u/∂r_j ṙ_j
//! ```
//! The law of Hunt and Crossley (`mechanics/src/forces/stop.rs`) with the limits u and l, the stiffness k and
//! the damping d of the moment. The force acts on the coordinate alone.

use super::Resolver;
use super::constraint::{Equation, Level, level, place};
use super::formula::Meaning;
use super::state_law::add;
use crate::diagnostic::Diagnostic;
use crate::file::{Axis, FileTable};
use crate::joints::{JointStop, LimitsTable};
use crate::quantity::{ForceQuantity, JointQuantity, Motion, Quantity};
use crate::spec::Formula;
use crate::value::{Number, Text};
use poinsot_expr::Expr;

/// The force beyond the upper limit, positive where it pulls the coordinate back.
const UPPER: &str = "if(s_ > l_, max(k_*(s_ - l_)*(1 + d_*(v_ - w_)), 0), 0)";
/// The force beyond the lower limit.
const LOWER: &str = "-if(s_ < l_, max(k_*(l_ - s_)*(1 - d_*(v_ - w_)), 0), 0)";

impl Resolver<'_> {
    /// Whether a number is a law: names the time, a signal or a quantity of the running system.
    pub(crate) fn is_law(&self, number: &Number) -> bool {
        let Number::Expression(text) = number else { return false };
        let plain = super::beam_place::with_plain_places(&text.value);
        let Ok(expr) = Expr::parse_with(&plain, &self.scope.tables) else { return false };
        let of_state = |name: &str| {
            let known = self.names.signals.iter().any(|signal| signal == name);
            let running = known || name.contains('.') || name == "t" || name == "time";
            running && self.scope.get(name).is_none()
        };
        expr.variables().iter().any(|(name, _)| of_state(name))
    }

    /// The stops of all joints whose keys are laws; signals must be known.
    pub(super) fn resolve_stop_laws(&mut self, file: &FileTable) {
        for (index, table) in file.joint.iter().enumerate() {
            let entry = table.entry();
            let stops = entry.declaration().stops.iter().zip(entry.limit_tables());
            for (stop, table) in stops.filter_map(|(stop, table)| Some((*stop, table?))) {
                if !self.is_stop_law(table) {
                    continue;
                }
                let law = self.stop_law(index, stop, table, file);
                let laws = self.joints[index].as_mut().map(|joint| &mut joint.stop_laws);
                let own = laws.and_then(|laws| laws.iter_mut().find(|s| s.coordinate == stop.coordinate));
                match (law, own) {
                    (Some(law), Some(own)) => own.law = Some(law),
                    _ => self.joints[index] = None,
                }
            }
        }
    }

    /// Whether a key of limits is a law.
    pub(crate) fn is_stop_law(&self, table: &LimitsTable) -> bool {
        let keys = [Some(&table.stiffness), Some(&table.damping), table.lower.as_ref(), table.upper.as_ref()];
        keys.into_iter().flatten().any(|number| self.is_law(number))
    }

    fn stop_law(
        &mut self,
        joint: usize,
        stop: JointStop,
        table: &LimitsTable,
        file: &FileTable,
    ) -> Option<Formula> {
        let spec = self.joints.get(joint)?.as_ref()?;
        let (name, coordinate) = (spec.name.clone(), spec.kind.coordinates().get(stop.coordinate)?);
        let own = |word: &str, what| (format!("{name}.{word}"), Quantity::Joint { joint, what });
        let index = stop.coordinate;
        let s = own(coordinate.name, JointQuantity::Coordinate { index });
        let v = own(coordinate.rate, JointQuantity::CoordinateRate { index });
        let stiffness = self.stop_number(&table.stiffness, file, |resolver, number| {
            resolver.positive(number, &format!("the stiffness of the limits of `{name}`"))
        });
        let damping = self.stop_number(&table.damping, file, |resolver, number| {
            resolver.not_negative(number, &format!("the damping of the limits of `{name}`"))
        });
        let (stiffness, damping) = (stiffness?, damping?);
        let is_damped = !matches!(&table.damping, Number::Value(value) if value.value == 0.0);
        let mut named = vec![s.clone(), v.clone()];
        let mut force = Expr::number(0.0);
        for (limit, side) in [(&table.upper, UPPER), (&table.lower, LOWER)] {
            let Some(number) = limit else { continue };
            let limit = self.stop_number(number, file, Resolver::number)?;
            let rate = match (is_damped, number) {
                (true, Number::Expression(text)) => self.limit_rate(&limit, text)?,
                _ => Equation { expr: Expr::number(0.0), named: vec![] },
            };
            let parts = [
                ("s_", Expr::name(&s.0)?),
                ("v_", Expr::name(&v.0)?),
                ("l_", limit.expr),
                ("w_", rate.expr),
                ("k_", stiffness.expr.clone()),
                ("d_", damping.expr.clone()),
            ];
            let side = Expr::parse(side).ok()?;
            force = force + parts.iter().fold(side, |side, (name, part)| side.substitute(name, part));
            limit.named.into_iter().chain(rate.named).for_each(|(name, q)| add(&mut named, name, q));
        }
        stiffness.named.into_iter().chain(damping.named).for_each(|(name, q)| add(&mut named, name, q));
        self.compiled_law(Equation { expr: force.shared(), named }, law_text(table, self)?)
    }

    /// A key of limits as an expression: a law, or a number that is checked.
    fn stop_number(
        &mut self,
        number: &Number,
        file: &FileTable,
        check: impl Fn(&mut Self, &Number) -> Option<f64>,
    ) -> Option<Equation> {
        match number {
            Number::Expression(text) if self.is_law(number) => {
                let own = |name: &str| (name == "t").then_some(Meaning::Quantity(Quantity::Time));
                let Equation { expr, named } = self.readable_law(text, &own, file)?;
                Some(Equation { expr: expr.shared(), named })
            }
            _ => Some(Equation { expr: Expr::number(check(self, number)?), named: vec![] }),
        }
    }

    /// u̇ of a limit; only positions and the time have a rate that is known.
    fn limit_rate(&mut self, limit: &Equation, text: &Text) -> Option<Equation> {
        let unknown = match rate(limit) {
            Ok(rate) => return Some(rate),
            Err(name) => name,
        };
        self.diagnostics.push(
            Diagnostic::error(format!("a limit of damped stops cannot read `{unknown}`"))
                .at(place(text, unknown), "its rate is not known")
                .help(
                    "damping needs the rate of the limit, which the time and positions have; give `damping = 0`, \
                     or let stiffness and damping read it",
                ),
        );
        None
    }
}

/// The rate of an expression of positions and the time, or the name of what has none.
pub(super) fn rate(of: &Equation) -> Result<Equation, &str> {
    let (mut sum, mut named) = (Expr::number(0.0), vec![]);
    for (name, quantity) in &of.named {
        let own = rate_of(name, *quantity).ok_or(name.as_str())?;
        sum = sum + of.expr.derivative(name) * own.expr;
        own.named.into_iter().for_each(|(name, quantity)| add(&mut named, name, quantity));
    }
    of.named.iter().for_each(|(name, quantity)| add(&mut named, name.clone(), *quantity));
    Ok(Equation { expr: sum.shared(), named })
}

/// The first key that is a law, for messages.
fn law_text<'a>(table: &'a LimitsTable, resolver: &Resolver) -> Option<&'a Text> {
    let keys = [table.upper.as_ref(), table.lower.as_ref(), Some(&table.stiffness), Some(&table.damping)];
    let mut laws = keys.into_iter().flatten().filter(|number| resolver.is_law(number));
    match laws.next()? {
        Number::Expression(text) => Some(text),
        Number::Value(_) => None,
    }
}

/// The rate of the time or of a position, under names of its own.
fn rate_of(name: &str, quantity: Quantity) -> Option<Equation> {
    if quantity == Quantity::Time {
        return Some(Equation { expr: Expr::number(1.0), named: vec![] });
    }
    if !matches!(level(quantity), Ok(Level::Position)) {
        return None;
    }
    let single = |quantity: Quantity| {
        let rate = format!("{name}.rate");
        Some(Equation { expr: Expr::name(&rate)?, named: vec![(rate, quantity)] })
    };
    match quantity {
        Quantity::Joint { joint, what: JointQuantity::Coordinate { index } } => {
            single(Quantity::Joint { joint, what: JointQuantity::CoordinateRate { index } })
        }
        Quantity::Force { force, what: ForceQuantity::Coordinate } => {
            single(Quantity::Force { force, what: ForceQuantity::Rate })
        }
        Quantity::Body { body, what } => frame_rate(name, what, &|what| Quantity::Body { body, what }),
        Quantity::Marker { marker, what } => {
            frame_rate(name, what, &|what| Quantity::Marker { marker, what })
        }
        _ => None,
    }
}

/// The rate of a position of a frame, or of an entry of its rotation, Ṙ = ω × R.
fn frame_rate(name: &str, what: Motion, of: &dyn Fn(Motion) -> Quantity) -> Option<Equation> {
    const NEXT: [Axis; 3] = [Axis::Y, Axis::Z, Axis::X];
    match what {
        Motion::Position(axis) => {
            let rate = format!("{name}.rate");
            Some(Equation { expr: Expr::name(&rate)?, named: vec![(rate, of(Motion::Velocity(axis)))] })
        }
        Motion::Rotation(row, column) => {
            let next = NEXT[row.index()];
            let last = NEXT[next.index()];
            // As their owner calls them, so that each is read once.
            let owner = name.strip_suffix(&format!(".rotation.{}{}", row.word(), column.word()));
            let owner = owner.unwrap_or(name);
            let spin = |axis: Axis| format!("{owner}.angular_velocity.{}", axis.word());
            let entry = |row: Axis| format!("{owner}.rotation.{}{}", row.word(), column.word());
            let named: Vec<(String, Quantity)> = vec![
                (spin(next), of(Motion::AngularVelocity(next))),
                (entry(last), of(Motion::Rotation(last, column))),
                (spin(last), of(Motion::AngularVelocity(last))),
                (entry(next), of(Motion::Rotation(next, column))),
            ];
            let [a, b, c, d] = [0, 1, 2, 3].map(|k: usize| Expr::name(&named[k].0));
            Some(Equation { expr: a? * b? - c? * d?, named })
        }
        _ => None,
    }
}
