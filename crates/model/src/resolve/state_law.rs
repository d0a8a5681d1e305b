//! Laws of forces that read the running system: any quantity that follows from positions, velocities,
//! reactions, variables and time.

use super::Resolver;
use super::beam_place::with_plain_places;
use super::constraint::{Equation, Level, OF_A_RATE, level, place};
use super::formula::{Meaning, Place};
use crate::diagnostic::Diagnostic;
use crate::expression::{parse_as, report};
use crate::file::FileTable;
use crate::forces::{LawKeys, Own};
use crate::quantity::{ForceQuantity, Quantity, VariableQuantity};
use crate::spec::{Formula, LawSpec};
use crate::value::{Number, Text};
use poinsot_expr::{Expr, Program};

/// Name of the time in laws that are written out.
const TIME: &str = "time";

/// What a load along a beam may read of the section that it acts on, in the order of its arguments.
pub(crate) const SECTION_NAMES: [&str; 15] = [
    "position.x",
    "position.y",
    "position.z",
    "velocity.x",
    "velocity.y",
    "velocity.z",
    "d1.x",
    "d1.y",
    "d1.z",
    "d2.x",
    "d2.y",
    "d2.z",
    "d3.x",
    "d3.y",
    "d3.z",
];

/// What laws may read, for messages.
const ALLOWED: &str = "a law may read positions, rotations, joint coordinates and spring lengths, their \
                       velocities and rates, forces of springs, reactions of joints, efforts of drives, loads \
                       of couplings, variables, signals of these, and the time";

/// The law of a force while laws are resolved.
#[derive(Clone, Debug, Default)]
pub(super) enum ForceLawState {
    /// Nobody has asked for it.
    #[default]
    Unknown,
    /// It is being written out.
    InWork,
    /// One expression for each input, none if it does not read the running system or has a mistake.
    Known(Option<Vec<Formula>>),
}

impl Resolver<'_> {
    /// Whether an expression names something of the running system besides its own arguments.
    pub(crate) fn reads_state(&self, number: &Number, own: &[&str], file: &FileTable) -> bool {
        let Number::Expression(text) = number else { return false };
        let Ok(expr) = Expr::parse_with(&with_plain_places(&text.value), &self.scope.tables) else {
            return false;
        };
        let signal = |name: &str| file.signal.iter().any(|signal| signal.name.value == name);
        let of_state = |name: &str| {
            let known = own.contains(&name) || self.scope.get(name).is_some();
            !known && (name.contains('.') || signal(name))
        };
        expr.variables().iter().any(|(name, _)| of_state(name))
    }

    /// The laws of all forces that read the running system.
    pub(super) fn resolve_force_laws(&mut self, file: &FileTable) {
        self.force_laws = vec![ForceLawState::Unknown; file.force.len()];
        for index in 0..file.force.len() {
            if !self.has_state_law(index, file) {
                continue;
            }
            let law = self.force_law(index, file);
            let on_lines = law.iter().flatten().any(|law| self.reads_line_springs(&law.quantities));
            match (law, &mut self.forces[index]) {
                (Some(law), Some(force)) => {
                    force.law = Some(law);
                    force.on_lines |= on_lines;
                }
                (None, force) => *force = None,
                _ => {}
            }
        }
    }

    /// Whether one of these is how a spring moves that holds a place along a line.
    fn reads_line_springs(&self, quantities: &[Quantity]) -> bool {
        let spring = |force: usize| self.forces.get(force).and_then(Option::as_ref);
        quantities.iter().any(|quantity| match quantity {
            Quantity::Force { force, .. } => spring(*force).is_some_and(|spring| spring.kind.holds_line()),
            _ => false,
        })
    }

    /// Whether the inputs of a force read the running system, or have no other place.
    fn has_state_law(&self, force: usize, file: &FileTable) -> bool {
        let reads = |keys: LawKeys| {
            let own: Vec<&str> = keys.own.iter().map(|(name, _)| *name).collect();
            let any = keys.efforts.iter().any(|number| self.reads_state(number, &own, file));
            any || (keys.always && !keys.efforts.is_empty())
        };
        file.force[force].entry().law_keys().is_some_and(reads)
    }

    /// The expressions of a force's inputs; none if there is a mistake.
    fn force_law(&mut self, index: usize, file: &FileTable) -> Option<Vec<Formula>> {
        if let ForceLawState::Known(law) = &self.force_laws[index] {
            return law.clone();
        }
        self.force_laws[index] = ForceLawState::InWork;
        let keys = file.force[index].entry().law_keys()?;
        let found: Vec<_> = keys.efforts.iter().map(|law| self.effort_law(law, index, &keys, file)).collect();
        let law: Option<Vec<Formula>> = found.into_iter().collect();
        self.force_laws[index] = ForceLawState::Known(law.clone());
        law
    }

    /// The expression of one input of a force.
    fn effort_law(
        &mut self,
        law: &Number,
        force: usize,
        keys: &LawKeys,
        file: &FileTable,
    ) -> Option<Formula> {
        let Number::Expression(text) = law else {
            let LawSpec { text, span, expr, .. } = self.constant_law(law)?;
            let program = Program::compile(&expr, &[], &|_| None).ok()?;
            return Some(Formula { text, span, expr, arguments: vec![], quantities: vec![], program });
        };
        let own = |name: &str| {
            let (_, own) = keys.own.iter().find(|(own, _)| *own == name)?;
            Some(Meaning::Quantity(match own {
                Own::Time => Quantity::Time,
                Own::Coordinate => Quantity::Force { force, what: ForceQuantity::Coordinate },
                Own::Rate => Quantity::Force { force, what: ForceQuantity::Rate },
            }))
        };
        let equation = self.readable_law(text, &own, file)?;
        self.compiled_law(equation, text)
    }

    /// A number as a law.
    pub(super) fn constant_law(&mut self, law: &Number) -> Option<LawSpec> {
        let value = self.number(law)?;
        Some(LawSpec {
            text: value.to_string(),
            span: law.span(),
            expr: Expr::number(value),
            arguments: vec![],
            quantities: vec![],
        })
    }

    /// The law of a component of the load along a beam; the names of its section are left as they are.
    pub(super) fn line_law(&mut self, law: &Number, file: &FileTable) -> Option<LawSpec> {
        let Number::Expression(text) = law else { return self.constant_law(law) };
        let own = |name: &str| match name {
            "t" => Some(Meaning::Quantity(Quantity::Time)),
            "s" => Some(Meaning::Fixed),
            name => is_of_section(name).then_some(Meaning::Fixed),
        };
        let Equation { expr, named } = self.readable_law(text, &own, file)?;
        let (arguments, quantities) = named.into_iter().unzip();
        Some(LawSpec { text: text.value.clone(), span: text.span.clone(), expr, arguments, quantities })
    }

    /// A law with signals and forces of springs put in, its quantities checked.
    pub(super) fn readable_law(
        &mut self,
        text: &Text,
        own: &dyn Fn(&str) -> Option<Meaning>,
        file: &FileTable,
    ) -> Option<Equation> {
        let equation = self.named_in_law(text, own, file)?;
        let equation = self.without_signals(equation, text)?;
        let equation = self.without_efforts(equation, text, file)?;
        self.check_readable(&equation, text)?;
        Some(equation)
    }

    /// Parses a law and gives every name its meaning under one name for each quantity.
    fn named_in_law(
        &mut self,
        text: &Text,
        own: &dyn Fn(&str) -> Option<Meaning>,
        file: &FileTable,
    ) -> Option<Equation> {
        let parsed =
            parse_as(&with_plain_places(&text.value), text, &self.scope.tables, &mut self.diagnostics)?;
        let at = Place::signal(text, file);
        let (mut expr, mut named, mut known) = (parsed.clone(), Vec::<(String, Quantity)>::new(), Some(()));
        for (name, span) in parsed.variables() {
            let written = text.value.get(span.clone()).unwrap_or(&name);
            let meaning = match own(&name) {
                Some(own) => Some(own),
                None => self.meaning(written, &span, &at),
            };
            match meaning {
                Some(Meaning::Fixed) => {}
                Some(Meaning::Quantity(Quantity::Variable { what: VariableQuantity::Rate, .. })) => {
                    self.cannot_read(text, written, OF_A_RATE);
                    known = None;
                }
                Some(Meaning::Quantity(quantity)) => {
                    let full = self.law_name(&name, quantity, file);
                    expr = expr.substitute(&name, &Expr::name(&full)?);
                    if !named.iter().any(|(other, _)| *other == full) {
                        named.push((full, quantity));
                    }
                }
                None => known = None,
            }
        }
        known?;
        Some(Equation { expr, named })
    }

    /// The name of a quantity that is the same in all laws.
    fn law_name(&self, name: &str, quantity: Quantity, file: &FileTable) -> String {
        let Quantity::Force { force, what } = quantity else { return self.full_name(name, quantity, file) };
        let entry = file.force[force].entry();
        let offered = ForceQuantity::offered(entry.declaration());
        let own = offered.iter().find(|(_, other)| *other == what).map_or(name, |(name, _)| name);
        format!("{}.{own}", entry.name().value)
    }

    /// Puts in what the forces of springs are; a law that reads its own force is a loop.
    fn without_efforts(&mut self, equation: Equation, text: &Text, file: &FileTable) -> Option<Equation> {
        let Equation { mut expr, named } = equation;
        let mut found: Vec<(String, Quantity)> = Vec::new();
        for (name, quantity) in named {
            let Quantity::Force { force, what: ForceQuantity::Effort } = quantity else {
                add(&mut found, name, quantity);
                continue;
            };
            if matches!(self.force_laws[force], ForceLawState::InWork) {
                let owner = &file.force[force].entry().name().value;
                self.diagnostics.push(
                    Diagnostic::error(format!("the law of `{owner}` reads its own force: an algebraic loop"))
                        .at(place(text, &name), "leads back to itself")
                        .help("let one of the laws read positions and velocities instead"),
                );
                return None;
            }
            let inner = self.written_effort(force, file)?;
            expr = expr.substitute(&name, &inner.expr);
            inner.named.into_iter().for_each(|(name, quantity)| add(&mut found, name, quantity));
        }
        Some(Equation { expr, named: found })
    }

    /// What the force of a spring is: k (s − s₀) + c ṡ + law.
    fn written_effort(&mut self, force: usize, file: &FileTable) -> Option<Equation> {
        let entry = file.force[force].entry();
        let law = if self.has_state_law(force, file) { Some(self.force_law(force, file)?) } else { None };
        let kind = self.forces.get(force)?.as_ref()?.kind.clone();
        let [stiffness, damping, free] = kind.spring()?;
        let quantity = |what| Quantity::Force { force, what };
        let (s, v) = (quantity(ForceQuantity::Coordinate), quantity(ForceQuantity::Rate));
        let (s_name, v_name) = (self.law_name("", s, file), self.law_name("", v, file));
        let mut named = vec![(s_name.clone(), s), (v_name.clone(), v)];
        let extra = match law {
            Some(law) => {
                let law = law.into_iter().next()?;
                let all = law.arguments.into_iter().zip(law.quantities);
                all.for_each(|(name, quantity)| add(&mut named, name, quantity));
                law.expr
            }
            // A function of its own arguments, parameters inserted.
            None => match kind.laws().first().and_then(|law| law.expression().cloned()) {
                Some(expr) => {
                    add(&mut named, TIME.into(), Quantity::Time);
                    let keys = entry.law_keys()?;
                    keys.own.iter().try_fold(expr, |expr, (name, own)| {
                        let full = match own {
                            Own::Time => TIME,
                            Own::Coordinate => &s_name,
                            Own::Rate => &v_name,
                        };
                        Some(expr.substitute(name, &Expr::name(full)?))
                    })?
                }
                None => Expr::number(kind.laws().first().and_then(|law| law.as_constant()).unwrap_or(0.0)),
            },
        };
        let sum = Expr::parse("k_*(s_ - l_) + c_*v_ + f_").ok()?;
        let parts = [
            ("k_", Expr::number(stiffness)),
            ("l_", Expr::number(free)),
            ("c_", Expr::number(damping)),
            ("s_", Expr::name(&s_name)?),
            ("v_", Expr::name(&v_name)?),
            ("f_", extra),
        ];
        let expr = parts.iter().fold(sum, |sum, (name, part)| sum.substitute(name, part));
        Some(Equation { expr: expr.shared(), named })
    }

    /// Reports what a law cannot read.
    fn check_readable(&mut self, equation: &Equation, text: &Text) -> Option<()> {
        let mut good = Some(());
        for (name, quantity) in &equation.named {
            let why = match (quantity, level(*quantity)) {
                (_, Ok(Level::Time | Level::Position | Level::Velocity | Level::Variable)) => continue,
                (quantity, _) if quantity.is_reaction() => continue,
                (Quantity::Body { .. } | Quantity::Marker { .. }, Err(why)) if why.contains("half turn") => {
                    why
                }
                (Quantity::Body { .. } | Quantity::Marker { .. }, Err(_)) => {
                    "accelerations follow from the forces; a law reads positions and velocities"
                }
                _ => ALLOWED,
            };
            good = None;
            self.cannot_read(text, name, why);
        }
        good
    }

    /// Reports a quantity that a law cannot read.
    fn cannot_read(&mut self, text: &Text, name: &str, why: &str) {
        self.diagnostics.push(
            Diagnostic::error(format!("a law cannot read `{name}`"))
                .at(place(text, name), "not known when the force is computed")
                .help(why),
        );
    }

    pub(super) fn compiled_law(&mut self, equation: Equation, text: &Text) -> Option<Formula> {
        let Equation { expr, named } = equation;
        let (arguments, quantities): (Vec<String>, Vec<Quantity>) = named.into_iter().unzip();
        let names: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let program = Program::compile(&expr, &names, &|name| self.scope.get(name));
        let program = program.map_err(|error| report(error, text, &mut self.diagnostics)).ok()?;
        Some(Formula {
            text: text.value.clone(),
            span: text.span.clone(),
            expr,
            arguments,
            quantities,
            program,
        })
    }
}

/// Whether a name in a load along a beam is of the section that it acts on: `velocity.x`, `d3.z`.
pub(super) fn is_of_section(name: &str) -> bool {
    SECTION_NAMES.contains(&name)
}

/// Adds a quantity under its name, once.
pub(super) fn add(list: &mut Vec<(String, Quantity)>, name: String, quantity: Quantity) {
    if !list.iter().any(|(other, _)| *other == name) {
        list.push((name, quantity));
    }
}
