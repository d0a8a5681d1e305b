//! Integrators by name or by roots.

use super::Resolver;
use crate::diagnostic::Diagnostic;
use crate::file::{self, Family, FamilyTable, IntegratorTable, MotionTable};
use crate::spec::{IntegratorSpec, MotionSpec};
use crate::suggest::did_you_mean;
use crate::value::{Number, Text};
use poinsot_integrators::{DEFAULT_RHO, EXPLICIT, Form, Member, NAMED, NamedMember, Procedure};

/// An integrator as it was chosen.
pub(super) struct Integrator {
    pub spec: IntegratorSpec,
    pub form: Form,
    pub procedure: Option<Procedure>,
}

impl Resolver<'_> {
    pub(super) fn integrator(&mut self, table: &MotionTable) -> Option<Integrator> {
        let default = MotionSpec::new(1.0, 1.0).integrator;
        match &table.integrator {
            IntegratorTable::Name(name) if name.value == EXPLICIT[0].name => {
                if let Some(rho) = &table.rho {
                    let message = format!("the integrator {:?} has no parameter `rho`", name.value);
                    self.diagnostics.push(Diagnostic::warning(message).at(rho.span(), "not used"));
                }
                let procedure = Some(self.procedure(table)?);
                return Some(Integrator { spec: default, form: Form::Stabilised, procedure });
            }
            IntegratorTable::Name(name) => self.named_integrator(name, table.rho.as_ref()),
            IntegratorTable::Family(family) => self.family(family, table.rho.as_ref()),
        }
        .and_then(|spec| Some(Integrator { spec, form: self.form(table)?, procedure: None }))
    }

    /// The form of an implicit integrator.
    fn form(&mut self, table: &MotionTable) -> Option<Form> {
        let Some(form) = &table.form else { return Some(Form::Stabilised) };
        match form.value {
            file::Form::Stabilised => Some(Form::Stabilised),
            file::Form::Hamiltonian => Some(Form::Hamiltonian),
            file::Form::Position => Some(Form::Position),
            file::Form::Embedding | file::Form::Projected | file::Form::Augmented => {
                self.diagnostics.push(
                    Diagnostic::error("this form belongs to the integrator \"runge-kutta-4\"")
                        .at(form.span.clone(), "not a form of this integrator")
                        .help(
                            "use stabilised, hamiltonian or position, or set integrator = \"runge-kutta-4\"",
                        ),
                );
                None
            }
        }
    }

    /// The procedure of the explicit integrator.
    fn procedure(&mut self, table: &MotionTable) -> Option<Procedure> {
        let Some(form) = &table.form else { return Some(Procedure::Embedding) };
        match form.value {
            file::Form::Embedding => Some(Procedure::Embedding),
            file::Form::Projected => Some(Procedure::Projected),
            file::Form::Augmented => Some(Procedure::Augmented),
            file::Form::Stabilised | file::Form::Hamiltonian | file::Form::Position => {
                self.diagnostics.push(
                    Diagnostic::error("the integrator \"runge-kutta-4\" does not have this form")
                        .at(form.span.clone(), "a form of implicit integrators")
                        .help("use embedding, projected or augmented"),
                );
                None
            }
        }
    }

    fn named_integrator(&mut self, name: &Text, rho: Option<&Number>) -> Option<IntegratorSpec> {
        let value = rho.map(|rho| self.rho(rho));
        let Some(entry) = NamedMember::find(&name.value) else {
            self.unknown_integrator(name);
            return None;
        };
        let value = match (entry.rho_range, rho) {
            (Some(_), _) => Some(value.unwrap_or(Some(DEFAULT_RHO))?),
            (None, Some(rho)) => {
                let message = format!("the integrator {:?} has no parameter `rho`", entry.name);
                self.diagnostics.push(Diagnostic::warning(message).at(rho.span(), "not used"));
                None
            }
            (None, None) => None,
        };
        match Member::named(entry.name, value.unwrap_or(DEFAULT_RHO)) {
            Ok(member) => Some(IntegratorSpec { member, name: Some(entry.name), rho: value }),
            Err(error) => {
                let span = rho.map_or_else(|| name.span.clone(), Number::span);
                self.diagnostics.push(Diagnostic::error(error.to_string()).at(span, "outside its range"));
                None
            }
        }
    }

    fn unknown_integrator(&mut self, name: &Text) {
        let names: Vec<&str> = NAMED.iter().map(|entry| entry.name).chain([EXPLICIT[0].name]).collect();
        let list = format!("known are {}", names.join(", "));
        let aliases = NAMED.iter().flat_map(|entry| entry.aliases.iter().copied());
        let help = match did_you_mean(&name.value, names.into_iter().chain(aliases)) {
            Some(help) => format!("{help} {list}"),
            None => list,
        };
        self.diagnostics.push(
            Diagnostic::error(format!("unknown integrator {:?}", name.value))
                .at(name.span.clone(), "not an integrator")
                .help(help),
        );
    }

    fn rho(&mut self, number: &Number) -> Option<f64> {
        let value = self.number(number)?;
        let inside = (0.0..=1.0).contains(&value);
        if !inside {
            self.diagnostics.push(
                Diagnostic::error(format!("`rho` must lie between 0 and 1, but is {value}"))
                    .at(number.span(), "not in [0, 1]"),
            );
        }
        inside.then_some(value)
    }

    /// 0 ≤ ρs ≤ ρmin ≤ ρmax ≤ 1
    fn family(&mut self, table: &FamilyTable, rho: Option<&Number>) -> Option<IntegratorSpec> {
        if let Some(rho) = rho {
            self.diagnostics.push(
                Diagnostic::warning("`rho` is not used: the roots say all")
                    .at(rho.span(), "not used")
                    .and(table.roots.span.clone(), "the roots"),
            );
        }
        let roots = self.numbers(&table.roots.value)?;
        let [rho_min, rho_max, rho_spurious] = roots;
        for (value, number) in roots.iter().zip(&table.roots.value) {
            let inside = (0.0..=1.0).contains(value);
            self.demand(*value, inside, number.span(), "a root", "between 0 and 1")?;
        }
        if !(rho_spurious <= rho_min && rho_min <= rho_max) {
            self.diagnostics.push(
                Diagnostic::error(format!(
                    "the roots [rmin, rmax, rs] = [{rho_min}, {rho_max}, {rho_spurious}] are out of order"
                ))
                .at(table.roots.span.clone(), "must satisfy rs ≤ rmin ≤ rmax"),
            );
            return None;
        }
        let member = match table.family.value {
            Family::U0 => Member::u0(rho_min, rho_max, rho_spurious),
            Family::V0 => Member::v0(rho_min, rho_max, rho_spurious),
        };
        Some(IntegratorSpec { member, name: None, rho: None })
    }
}
