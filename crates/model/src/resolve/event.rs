//! Events: triggers, and what they do.

use super::formula::Place;
use super::{Resolver, transpose};
use crate::diagnostic::Diagnostic;
use crate::file::{BounceTable, Crossing, EventTable, FileTable, Frame, ImpulseTable, Triple};
use crate::forces::own_frame;
use crate::quantity::Quantity;
use crate::spec::{BounceSpec, EventSpec, Formula, ImpulseSpec, MotionSpec, Trigger};
use crate::study::StudyRequest;
use crate::suggest::did_you_mean;
use crate::value::{Number, Text};
use poinsot_expr::{Expr, Function, Program};

impl Resolver<'_> {
    pub fn event(
        &mut self,
        table: &EventTable,
        file: &FileTable,
        study: Option<&dyn StudyRequest>,
    ) -> Option<EventSpec> {
        if let Some(study) = study.filter(|study| study.of::<MotionSpec>().is_none()) {
            self.diagnostics.push(
                Diagnostic::error(format!("a study of type {:?} has no events", study.word()))
                    .at(table.span.clone(), "never happens")
                    .help("events happen in studies of type \"motion\""),
            );
            return None;
        }
        let trigger = self.trigger(table, file, study);
        let set = self.changes(table, file);
        let impulses: Vec<_> = table
            .impulse
            .iter()
            .flat_map(|list| &list.0)
            .map(|impulse| self.impulse(impulse, file))
            .collect();
        let bounce = table.bounce.as_ref().map(|bounce| self.bounce(bounce, table, file));
        let stop = table.stop.as_ref().is_some_and(|stop| stop.value);
        if !stop && table.set.is_none() && table.impulse.is_none() && table.bounce.is_none() {
            self.diagnostics.push(
                Diagnostic::warning(format!("the event `{}` does nothing but be noted", table.name.value))
                    .at(table.span.clone(), "no action")
                    .help("actions are stop = true, set = { … }, impulse = { … } and bounce = { … }"),
            );
        }
        Some(EventSpec {
            name: table.name.value.clone(),
            span: table.name.span.clone(),
            trigger: trigger?,
            set: set?,
            impulses: impulses.into_iter().collect::<Option<_>>()?,
            bounce: transpose(bounce)?,
            stop,
        })
    }

    fn trigger(
        &mut self,
        table: &EventTable,
        file: &FileTable,
        study: Option<&dyn StudyRequest>,
    ) -> Option<Trigger> {
        match (&table.when, &table.at) {
            (Some(when), None) => {
                let formula = self.formula(&Place::signal(when, file))?;
                if formula.quantities.is_empty() {
                    self.diagnostics.push(
                        Diagnostic::error(format!(
                            "`{}` never crosses zero: it is a fixed number",
                            when.value
                        ))
                        .at(when.span.clone(), "does not change"),
                    );
                    return None;
                }
                let crossing = table.crossing.as_ref().map_or(Crossing::Both, |crossing| crossing.value);
                Some(Trigger::Crossing { formula, crossing })
            }
            (None, Some(at)) => {
                if let Some(crossing) = &table.crossing {
                    self.diagnostics.push(
                        Diagnostic::warning("`crossing` is not used: the event has times")
                            .at(crossing.span.clone(), "not used"),
                    );
                }
                let times: Vec<_> = at.0.iter().map(|time| self.event_time(time, study)).collect();
                let mut times = times.into_iter().collect::<Option<Vec<f64>>>()?;
                times.sort_by(f64::total_cmp);
                Some(Trigger::Times(times))
            }
            (when, _) => {
                let (message, label) = match when {
                    Some(_) => ("the event has both `when` and `at`", "one too many"),
                    None => ("the event has neither `when` nor `at`", "never happens"),
                };
                self.diagnostics.push(
                    Diagnostic::error(message)
                        .at(table.span.clone(), label)
                        .help("`when` is a formula that crosses zero, `at` a time or several"),
                );
                None
            }
        }
    }

    /// A time inside the study.
    fn event_time(&mut self, number: &Number, study: Option<&dyn StudyRequest>) -> Option<f64> {
        let time = self.number(number)?;
        if let Some((start, end)) = study.and_then(|study| study.times())
            && !(start..end).contains(&time)
        {
            self.diagnostics.push(
                Diagnostic::warning(format!("the time {time} is not within the study ({start} to {end})"))
                    .at(number.span(), "never comes"),
            );
        }
        Some(time)
    }

    /// New values of parameters.
    fn changes(&mut self, table: &EventTable, file: &FileTable) -> Option<Vec<(String, Formula)>> {
        let list = table.set.as_ref().map_or(&[][..], |set| &set.list);
        let read: Vec<_> = list
            .iter()
            .map(|(name, value)| {
                let formula = self.number_formula(value, file);
                self.check_parameter(name)?;
                Some((name.value.clone(), formula?))
            })
            .collect();
        read.into_iter().collect()
    }

    fn check_parameter(&mut self, name: &Text) -> Option<()> {
        let known: Vec<String> = self.parameters.iter().map(|p| p.name.clone()).collect();
        if known.contains(&name.value) {
            return Some(());
        }
        if !self.scope.lost.contains(&name.value) {
            let help = did_you_mean(&name.value, &known).unwrap_or_else(|| match known.len() {
                0 => "this file has no parameters: add it to [parameters]".into(),
                _ => format!("parameters: {}", known.join(", ")),
            });
            self.diagnostics.push(
                Diagnostic::error(format!("there is no parameter `{}` to set", name.value))
                    .at(name.span.clone(), "not a parameter")
                    .help(help),
            );
        }
        None
    }

    /// A number or an expression of quantities.
    fn number_formula(&mut self, number: &Number, file: &FileTable) -> Option<Formula> {
        match number {
            Number::Expression(text) => self.formula(&Place::signal(text, file)),
            Number::Value(value) => {
                let expr = Expr::number(self.number(number)?);
                let program = Program::compile(&expr, &[], &|_| None).ok()?;
                Some(Formula {
                    text: value.value.to_string(),
                    span: value.span.clone(),
                    expr,
                    arguments: vec![],
                    quantities: vec![],
                    program,
                })
            }
        }
    }

    fn component_formulas(
        &mut self,
        triple: Option<&Triple>,
        place: &Number,
        file: &FileTable,
    ) -> Option<[Formula; 3]> {
        let [x, y, z] = match triple {
            Some(triple) => triple.value.each_ref().map(|number| self.number_formula(number, file)),
            None => [0, 1, 2].map(|_| self.number_formula(place, file)),
        };
        Some([x?, y?, z?])
    }

    fn impulse(&mut self, table: &ImpulseTable, file: &FileTable) -> Option<ImpulseSpec> {
        let zero = Number::Value(crate::value::Located { value: 0.0, span: table.span.clone() });
        let force = self.component_formulas(table.force.as_ref(), &zero, file);
        let torque = self.component_formulas(table.torque.as_ref(), &zero, file);
        let at = table.at.as_ref().map(|at| self.vector(at));
        let end = self.loaded(&table.body)?;
        if table.force.is_none() && table.torque.is_none() {
            self.diagnostics.push(
                Diagnostic::error("the impulse has neither `force` nor `torque`")
                    .at(table.span.clone(), "does nothing")
                    .help("`force` is in N·s, `torque` in N·m·s"),
            );
            return None;
        }
        if self.is_point(end.body)
            && let Some(what) = (table.torque.is_some().then_some("a torque"))
                .or(table.at.is_some().then_some("another point of attack"))
                .or((table.frame.value == Frame::Body).then_some("an impulse in body axes"))
        {
            self.no_orientation(&table.body, what);
            return None;
        }
        let mut on = own_frame(end);
        if let Some(at) = at {
            on.frame.r = at?;
        }
        Some(ImpulseSpec { on, force: force?, torque: torque?, frame: table.frame.value })
    }

    fn bounce(&mut self, table: &BounceTable, event: &EventTable, file: &FileTable) -> Option<BounceSpec> {
        let restitution = self.number(&table.restitution);
        let Some(text) = table.coordinate.as_ref().or(event.when.as_ref()) else {
            self.diagnostics.push(
                Diagnostic::error("the bounce has no coordinate")
                    .at(table.span.clone(), "of what?")
                    .help("an event at a time needs `coordinate`, a formula of positions"),
            );
            return None;
        };
        let restitution = restitution.and_then(|e| {
            self.demand(
                e,
                (0.0..=1.0).contains(&e),
                table.restitution.span(),
                "the restitution",
                "between 0 and 1",
            )
        });
        let coordinate = self.formula(&Place::signal(text, file))?;
        self.check_positions(&coordinate, text)?;
        Some(BounceSpec { coordinate, restitution: restitution? })
    }

    /// A coordinate depends on positions alone, and has derivatives.
    fn check_positions(&mut self, formula: &Formula, text: &Text) -> Option<()> {
        for (name, quantity) in formula.arguments.iter().zip(&formula.quantities) {
            if let Quantity::Signal(index) = quantity {
                let signal = self.signals.get(*index)?.as_ref()?.formula.clone();
                self.check_positions(&signal, text)?;
            } else if !quantity.is_position() {
                self.diagnostics.push(
                    Diagnostic::error(format!("`{name}` is not a position: nothing bounces along it"))
                        .at(text.span.clone(), "not a coordinate")
                        .help(
                            "a coordinate is a formula of positions, entries of rotations, joint coordinates, lengths \
                             and angles of springs, parameters and `time`",
                        ),
                );
                return None;
            }
        }
        let arguments: Vec<&str> = formula.arguments.iter().map(String::as_str).collect();
        match Function::new(&formula.expr, &arguments, &|name| self.scope.get(name)) {
            Ok(_) => Some(()),
            Err(error) => {
                crate::expression::report(error, text, &mut self.diagnostics);
                None
            }
        }
    }
}
