//! Constraints given by equations between quantities.

use super::Resolver;
use super::formula::Place;
use super::kink::kink;
use super::section_law::with_own_places;
use crate::diagnostic::{Diagnostic, Span};
use crate::expression::report;
use crate::file::{ConstraintTable, FileTable};
use crate::quantity::{FlexibleQuantity, ForceQuantity, JointQuantity, Motion, Quantity, VariableQuantity};
use crate::spec::{ConstraintSpec, LawSpec};
use crate::value::Text;
use poinsot_expr::{Expr, SmoothFunction};

/// Greatest height of an equation with its signals put in.
const MOST_HEIGHT: usize = 10_000;

/// Why no position follows a variable, and what to do.
const OF_A_VARIABLE: &str = "a position needs its second derivative: let the velocity follow its rate, or a \
                             force law pull the position to it";

/// Why nothing follows a rate, and what to do.
pub(super) const OF_A_RATE: &str = "make the rate a variable of its own: x = der(y)";

/// What a quantity that an equation may use is.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Level {
    Time,
    Position,
    Velocity,
    /// Of first-order equations; velocities may follow it.
    Variable,
}

/// A parsed equation and the quantities it names.
#[derive(Clone)]
pub(super) struct Equation {
    pub expr: Expr,
    pub named: Vec<(String, Quantity)>,
}

impl Resolver<'_> {
    pub fn constraint(&mut self, table: &ConstraintTable, file: &FileTable) -> Option<ConstraintSpec> {
        let text = &table.equation;
        let Equation { expr, named } = self.equation(text, file)?;
        let levels = self.levels(text, &named)?;
        if levels.iter().all(|level| *level == Level::Time) {
            self.diagnostics.push(
                Diagnostic::error(format!("`{}` constrains no motion", table.name.value))
                    .at(text.span.clone(), "names no position or velocity")
                    .help("the equation is an expression of quantities that stays zero, e.g. \"tip.position.z\""),
            );
            return None;
        }
        self.constraint_of(&table.name, text, Equation { expr, named }, &levels)
    }

    /// The constraint of an equation whose quantities are known.
    pub(super) fn constraint_of(
        &mut self,
        name: &Text,
        text: &Text,
        equation: Equation,
        levels: &[Level],
    ) -> Option<ConstraintSpec> {
        let Equation { mut expr, mut named } = equation;
        let at = |wanted: Level| (0..levels.len()).filter(move |i| levels[*i] == wanted).collect();
        let (velocities, variables): (Vec<usize>, Vec<usize>) = (at(Level::Velocity), at(Level::Variable));
        let names: Vec<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
        let function = SmoothFunction::new(&expr, &names, &|name| self.scope.get(name));
        let mut function = function.map_err(|error| report(error, text, &mut self.diagnostics)).ok()?;
        self.check_linear(text, (&expr, &function), &velocities, &names)?;
        let mut command = None;
        if !variables.is_empty() {
            let velocities: Vec<&str> = velocities.iter().map(|&i| names[i]).collect();
            let variables: Vec<&str> = variables.iter().map(|&i| names[i]).collect();
            let (moved, left) = self.without_variables(text, &expr, &velocities, &variables)?;
            let mentioned = |expr: &Expr, name: &str| expr.contains(name);
            let (arguments, quantities) =
                named.iter().filter(|(name, _)| mentioned(&left, name)).cloned().unzip();
            let (text, span) = (text.value.clone(), text.span.clone());
            command = Some(LawSpec { text, span, expr: left, arguments, quantities });
            named.retain(|(name, _)| mentioned(&moved, name));
            let names: Vec<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
            function = SmoothFunction::new(&moved, &names, &|name| self.scope.get(name)).ok()?;
            expr = moved;
        }
        let (arguments, quantities): (Vec<String>, Vec<Quantity>) = named.into_iter().unzip();
        Some(ConstraintSpec {
            name: name.value.clone(),
            span: name.span.clone(),
            text: text.value.clone(),
            velocity_level: !velocities.is_empty(),
            expr,
            arguments,
            quantities,
            function,
            command,
        })
    }

    /// An expression that is linear in velocities, whose factors variables do not change, in two parts:
    ///
    /// ```text
    /// F = Σ_i (∂F/∂w_i) w_i − u,      u = −F at w = 0
    /// ```
    fn without_variables(
        &mut self,
        text: &Text,
        expr: &Expr,
        velocities: &[&str],
        variables: &[&str],
    ) -> Option<(Expr, Expr)> {
        let (mut moved, mut left) = (Expr::number(0.0), expr.clone());
        for velocity in velocities {
            let factor = expr.derivative(velocity);
            if let Some(variable) = variables.iter().find(|variable| factor.contains(variable)) {
                self.diagnostics.push(
                    Diagnostic::error(format!(
                        "the factor of `{velocity}` cannot follow the variable `{variable}`"
                    ))
                    .at(text.span.clone(), "a velocity times a variable")
                    .help(
                        "let the velocity follow an expression of variables, e.g. \"motor.rate - speed.w\"",
                    ),
                );
                return None;
            }
            moved = moved + factor * Expr::name(velocity)?;
            left = left.substitute(velocity, &Expr::number(0.0));
        }
        Some((moved, -left))
    }

    /// The parsed equation; signals are replaced by what they stand for.
    fn equation(&mut self, text: &Text, file: &FileTable) -> Option<Equation> {
        let (expr, named) = self.named_quantities(&Place::signal(text, file))?;
        self.without_signals(Equation { expr, named }, text)
    }

    /// Puts the expressions of signals in; `None` if one has a mistake. All who use a signal share what it
    /// stands for.
    pub(super) fn without_signals(&mut self, equation: Equation, text: &Text) -> Option<Equation> {
        let last = equation.named.iter().filter_map(|(_, quantity)| signal(*quantity)).max();
        // Each signal uses only those above it.
        for index in self.written_out.len()..last.map_or(0, |last| last + 1) {
            let known = self.signals.get(index).and_then(Option::as_ref).map(|signal| {
                let formula = &signal.formula;
                let named = formula.arguments.iter().cloned().zip(formula.quantities.iter().copied());
                Equation { expr: formula.expr.clone(), named: named.collect() }
            });
            let known = known.and_then(|equation| self.put_in(with_own_places(equation)));
            let shared = known.map(|equation| Equation { expr: equation.expr.shared(), ..equation });
            self.written_out.push(shared);
        }
        let whole = self.put_in(equation)?;
        let whole = self.without_sections(whole, text)?;
        if whole.expr.height() > MOST_HEIGHT {
            let message = "the equation uses signals that use each other too many times in a row";
            self.diagnostics.push(Diagnostic::error(message).at(text.span.clone(), "too deep"));
            return None;
        }
        Some(whole)
    }

    /// Puts in signals that are known.
    fn put_in(&self, equation: Equation) -> Option<Equation> {
        let Equation { mut expr, named } = equation;
        let mut found: Vec<(String, Quantity)> = Vec::new();
        let mut add = |name: &str, quantity: Quantity| {
            if !found.iter().any(|(other, _)| other == name) {
                found.push((name.to_owned(), quantity));
            }
        };
        for (name, quantity) in &named {
            match signal(*quantity) {
                Some(index) => {
                    let inner = self.written_out.get(index)?.as_ref()?;
                    expr = expr.substitute(name, &inner.expr);
                    inner.named.iter().for_each(|(name, quantity)| add(name, *quantity));
                }
                None => add(name, *quantity),
            }
        }
        Some(Equation { expr, named: found })
    }

    /// Whether each quantity is a time, position or velocity; reports all others.
    pub(super) fn levels(&mut self, text: &Text, named: &[(String, Quantity)]) -> Option<Vec<Level>> {
        let mut levels = Vec::new();
        let moves = named.iter().any(|(_, quantity)| level(*quantity) == Ok(Level::Velocity));
        for (name, quantity) in named {
            let is_rate = matches!(quantity, Quantity::Variable { what: VariableQuantity::Rate, .. });
            match level(*quantity) {
                Ok(level) if level != Level::Variable || (moves && !is_rate) => levels.push(level),
                other => {
                    let why = other.err().unwrap_or(if is_rate { OF_A_RATE } else { OF_A_VARIABLE });
                    self.diagnostics.push(
                        Diagnostic::error(format!("a constraint cannot use `{name}`"))
                            .at(place(text, name), "not a position or velocity")
                            .help(why),
                    );
                }
            }
        }
        (levels.len() == named.len()).then_some(levels)
    }

    /// A velocity constraint is linear in the velocities: all its second derivatives by them are zero,
    /// and it has no kinks, where they do not exist.
    fn check_linear(
        &mut self,
        text: &Text,
        (expr, function): (&Expr, &SmoothFunction),
        velocities: &[usize],
        names: &[&str],
    ) -> Option<()> {
        for (k, &i) in velocities.iter().enumerate() {
            for &j in &velocities[..=k] {
                let smooth = i != j || kink(expr, names[i]).is_none();
                if smooth && function.second_is_zero(i, j) {
                    continue;
                }
                let what = match i == j {
                    true => format!("`{}`", names[i]),
                    false => format!("`{}` and `{}` together", names[j], names[i]),
                };
                self.diagnostics.push(
                    Diagnostic::error(format!(
                        "the constraint must be linear in velocities, but is not in {what}"
                    ))
                    .at(text.span.clone(), "not linear in velocities"),
                );
                return None;
            }
        }
        Some(())
    }
}

/// The signal that a quantity is.
fn signal(quantity: Quantity) -> Option<usize> {
    match quantity {
        Quantity::Signal(index) => Some(index),
        _ => None,
    }
}

/// The name in the text, or the whole text if it came in by a signal.
pub(super) fn place(text: &Text, name: &str) -> Span {
    let inside = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let uses = text.value.match_indices(name);
    let whole = |(start, _): &(usize, &str)| {
        let (before, after) = (&text.value[..*start], &text.value[start + name.len()..]);
        !before.ends_with(inside) && !after.starts_with(inside)
    };
    let found = uses.into_iter().find(whole);
    found.map_or(text.span.clone(), |(start, _)| text.locate(start..start + name.len()))
}

/// The level of a quantity, or why a constraint cannot use it.
pub(super) fn level(quantity: Quantity) -> Result<Level, &'static str> {
    const ALLOWED: &str = "positions, rotations, joint coordinates and spring lengths can be used, \
                           and their velocities and rates";
    const FORCE: &str = "forces follow from the motion that constraints allow, not the other way round";
    match quantity {
        Quantity::Time => Ok(Level::Time),
        Quantity::Body { what, .. } | Quantity::Marker { what, .. } => match what {
            Motion::Position(_) | Motion::Rotation(..) => Ok(Level::Position),
            Motion::Velocity(_) | Motion::AngularVelocity(_) | Motion::AngularVelocityBody(_) => {
                Ok(Level::Velocity)
            }
            Motion::Acceleration(_) | Motion::AngularAcceleration(_) => {
                Err("a constraint holds positions or velocities; the accelerations follow")
            }
            Motion::RotationVector(_) => {
                Err("the rotation vector jumps at a half turn; use the entries of `rotation`")
            }
        },
        Quantity::Joint { what, .. } => match what {
            JointQuantity::Coordinate { .. } => Ok(Level::Position),
            JointQuantity::CoordinateRate { .. } => Ok(Level::Velocity),
            _ => Err(FORCE),
        },
        Quantity::Force { what, .. } => match what {
            ForceQuantity::Coordinate => Ok(Level::Position),
            ForceQuantity::Rate => Ok(Level::Velocity),
            ForceQuantity::Effort => Err(FORCE),
        },
        Quantity::Flexible { what, .. } => match what {
            FlexibleQuantity::Value => Ok(Level::Position),
            FlexibleQuantity::Rate => Ok(Level::Velocity),
        },
        Quantity::Variable { .. } => Ok(Level::Variable),
        Quantity::Coupling { .. } | Quantity::Drive { .. } | Quantity::Constraint { .. } => Err(FORCE),
        Quantity::System(_)
        | Quantity::Stress { .. }
        | Quantity::Plate { .. }
        | Quantity::Result(_)
        | Quantity::Event { .. }
        | Quantity::Beam { .. }
        | Quantity::Signal(_) => Err(ALLOWED),
    }
}
