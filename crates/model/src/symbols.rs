//! The equations of a model in symbols: as a listing, in LaTeX, and as functions for GNU Octave and MATLAB.
//!
//! ```text
//! 0 = F_k(y, ẏ, t),     y_ddt stands for ẏ
//! ```
//! The functions are those that `ride` takes (lagrangian-dae-modeling §1.29, §1.30):
//! `res = NAME_ride_ldae(y, yp, t)` and
//! `[dfdy, dfdyp] = NAME_ride_jacobian(y, yp, t)`.

use crate::quantity::{Quantity, VariableQuantity};
use crate::spec::Model;
use poinsot_expr::{Expr, rate_name, rate_of};
use std::collections::{BTreeMap, HashMap};

/// Expressions by name.
type Named = Vec<(String, Expr)>;

/// First-order equations in symbols.
#[derive(Clone, Debug)]
pub struct Symbols {
    /// Their name.
    pub name: String,
    /// Parameters that stand in them, with their values.
    pub parameters: Vec<(String, f64)>,
    /// The unknowns y.
    pub unknowns: Vec<String>,
    /// Expressions that are zero; rates have names of the kind `der(y)`, time is `t`.
    pub equations: Vec<Expr>,
    /// Loads on the mechanics: the coordinate and the effort along it.
    pub loads: Vec<(String, Expr)>,
    /// Quantities of the mechanics that stand in the equations.
    pub readings: Vec<String>,
}

/// The two functions for GNU Octave and MATLAB.
#[derive(Clone, Debug)]
pub struct OctaveFiles {
    /// Name and text of the residual's file.
    pub residual: (String, String),
    /// Name and text of the Jacobians' file.
    pub jacobian: (String, String),
}

/// Expressions for GNU Octave and MATLAB.
struct OctaveRows {
    /// Lines that compute what the expressions share.
    parts: String,
    rows: Vec<String>,
    /// Functions that they call.
    helpers: BTreeMap<String, String>,
}

/// Why there are no equations in symbols.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SymbolsError {
    /// Bodies and joints are assembled as numbers.
    #[error("the model has no equations in symbols: bodies and joints are assembled as numbers")]
    None,
    /// A function of y, ẏ and t alone cannot know the mechanics.
    #[error(
        "the equations contain `{0}` of the mechanics, which a function of the unknowns alone cannot know"
    )]
    Reads(String),
}

/// Words that Octave does not take as names.
const OCTAVE_WORDS: &[&str] = &[
    "break",
    "case",
    "catch",
    "continue",
    "do",
    "else",
    "elseif",
    "end",
    "endfunction",
    "endif",
    "endwhile",
    "eval",
    "for",
    "function",
    "global",
    "if",
    "otherwise",
    "parfor",
    "persistent",
    "return",
    "switch",
    "try",
    "until",
    "while",
    "x_",
    "xdot_",
    "res_",
    "dfdx_",
    "dfdxdot_",
    "t",
    "ans",
    "if_",
];

impl Symbols {
    /// The equations of all blocks of a model.
    pub fn of(model: &Model) -> Result<Self, SymbolsError> {
        let blocks = &model.equations;
        if blocks.is_empty() {
            return Err(SymbolsError::None);
        }
        let several = blocks.len() > 1;
        let own = |block: usize, index: usize| match several {
            true => blocks[block].variable_name(index),
            false => blocks[block].variables[index].name.clone(),
        };
        let mut readings = Vec::new();
        let mut symbolic = |law: &crate::spec::LawSpec| {
            let mut names: HashMap<&str, Expr> = HashMap::new();
            for (argument, quantity) in law.arguments.iter().zip(&law.quantities) {
                let name = match *quantity {
                    Quantity::Time => Expr::name("t"),
                    Quantity::Variable { equations, index, what: VariableQuantity::Value } => {
                        Expr::name(&own(equations, index))
                    }
                    Quantity::Variable { equations, index, what: VariableQuantity::Rate } => {
                        Some(Expr::rate(&own(equations, index)))
                    }
                    _ => {
                        if !readings.contains(argument) {
                            readings.push(argument.clone());
                        }
                        None
                    }
                };
                names.extend(name.map(|name| (argument.as_str(), name)));
            }
            law.expr.with_names(&|name| names.get(name).cloned())
        };
        let equations: Vec<Expr> = blocks.iter().flat_map(|b| &b.equations).map(&mut symbolic).collect();
        let loads: Vec<(String, Expr)> =
            blocks.iter().flat_map(|b| &b.loads).map(|l| (l.name.clone(), symbolic(&l.law))).collect();
        let used = |name: &str| equations.iter().chain(loads.iter().map(|l| &l.1)).any(|e| e.contains(name));
        let parameters = model.parameters.iter().filter(|p| used(&p.name)).map(|p| (p.name.clone(), p.value));
        Ok(Symbols {
            name: if several { identifier(&model.name) } else { blocks[0].name.clone() },
            parameters: parameters.collect(),
            unknowns: blocks
                .iter()
                .enumerate()
                .flat_map(|(b, block)| (0..block.variables.len()).map(move |k| (b, k)))
                .map(|(b, k)| own(b, k))
                .collect(),
            equations: equations.iter().map(Expr::tidy).collect(),
            loads: loads.into_iter().map(|(on, law)| (on, law.tidy())).collect(),
            readings,
        })
    }

    /// One line for each parameter and equation; `y_ddt` is the rate of `y`.
    pub fn listing(&self) -> String {
        let mut text = String::from("LDAEs\n");
        for (name, value) in &self.parameters {
            text += &format!("{name} = {}\n", Expr::number(*value));
        }
        let (parts, equations, loads) = self.with_named_parts();
        for (name, part) in &parts {
            text += &format!("{name} = {}\n", with_endings(part));
        }
        for equation in &equations {
            text += &format!("0 = {}\n", with_endings(equation));
        }
        for (on, effort) in &loads {
            text += &format!("load on {on} = {}\n", with_endings(effort));
        }
        text
    }

    /// An environment `align` of the package amsmath.
    pub fn latex(&self) -> String {
        let line = |left: &str, right: &Expr| format!("  {left} &= {} \\\\\n", right.to_latex(&|_| None));
        let mut text = String::from("\\begin{align}\n");
        for (name, value) in &self.parameters {
            if let Some(symbol) = Expr::name(name) {
                text += &line(&symbol.to_latex(&|_| None), &Expr::number(*value));
            }
        }
        let (parts, equations, loads) = self.with_named_parts();
        for (name, part) in &parts {
            if let Some(symbol) = Expr::name(name) {
                text += &line(&symbol.to_latex(&|_| None), part);
            }
        }
        equations.iter().for_each(|equation| text += &line("0", equation));
        for (on, effort) in &loads {
            text += &line(&format!("e_{{\\mathrm{{{}}}}}", on.replace('_', "\\_")), effort);
        }
        text + "\\end{align}\n"
    }

    /// The residual and its Jacobians as functions.
    pub fn octave(&self) -> Result<OctaveFiles, SymbolsError> {
        if let Some(name) = self.readings.first() {
            return Err(SymbolsError::Reads(name.clone()));
        }
        let names = self.octave_names();
        let prologue = self.prologue(&names);
        let residual = self.in_octave(&self.equations, &names);
        let rows: String = residual.rows.iter().map(|row| format!("  {row};\n")).collect();
        let base = format!("{}_ride_ldae", self.name);
        let text = format!(
            "function [res_] = {base}(x_, xdot_, t)\n{prologue}{}res_ = zeros(size(x_));\nres_ = [\n{rows}];\nend\n{}",
            residual.parts,
            definitions(&residual.helpers),
        );
        Ok(OctaveFiles {
            residual: (format!("{base}.m"), text),
            jacobian: self.octave_jacobian(&names, residual.helpers),
        })
    }

    /// Name and text of the file of the Jacobians; `helpers` are those of the residual.
    fn octave_jacobian(
        &self,
        names: &HashMap<String, String>,
        mut helpers: BTreeMap<String, String>,
    ) -> (String, String) {
        let n = self.unknowns.len();
        let place: HashMap<&str, usize> = self.unknowns.iter().map(String::as_str).zip(0..).collect();
        let index = |name: &str| match rate_of(name) {
            Some(variable) => place.get(variable).map(|j| n + j),
            None => place.get(name).copied(),
        };
        let (mut places, mut partials) = (vec![], vec![]);
        for (k, equation) in self.equations.iter().enumerate() {
            for (j, partial) in equation.gradient(&index) {
                places.push((k, j));
                partials.push(partial.tidy());
            }
        }
        let partials = self.in_octave(&partials, names);
        helpers.extend(partials.helpers);
        let (mut by_value, mut by_rate) = (String::new(), String::new());
        for ((k, j), partial) in places.into_iter().zip(partials.rows) {
            let (matrix, lines) = if j < n { ("dfdx_", &mut by_value) } else { ("dfdxdot_", &mut by_rate) };
            *lines += &format!("{matrix}({},{}) = {partial};\n", k + 1, j % n + 1);
        }
        let base = format!("{}_ride_jacobian", self.name);
        let text = format!(
            "function [dfdx_, dfdxdot_] = {base}(x_, xdot_, t)\n{}{}dfdx_ = zeros({n},{n});\n\
             dfdxdot_ = zeros({n},{n});\n{by_value}{by_rate}end\n{}",
            self.prologue(names),
            partials.parts,
            definitions(&helpers),
        );
        (format!("{base}.m"), text)
    }

    fn in_octave(&self, list: &[Expr], names: &HashMap<String, String>) -> OctaveRows {
        let name = |name: &str| names.get(name).cloned();
        let (parts, list) = Expr::with_named_parts(list, &self.part_names());
        let mut helpers = BTreeMap::new();
        parts.iter().map(|(_, e)| e).chain(&list).for_each(|e| helpers.extend(e.octave_helpers(&name)));
        OctaveRows {
            parts: parts.iter().map(|(part, e)| format!("{part} = {};\n", e.to_octave(&name))).collect(),
            rows: list.iter().map(|e| e.to_octave(&name)).collect(),
            helpers,
        }
    }

    /// Large parts that equations and loads have in common, by name, and equations and loads in these names.
    fn with_named_parts(&self) -> (Named, Vec<Expr>, Named) {
        let all: Vec<Expr> = self.equations.iter().chain(self.loads.iter().map(|l| &l.1)).cloned().collect();
        let (parts, mut all) = Expr::with_named_parts(&all, &self.part_names());
        let loads = all.split_off(self.equations.len());
        let loads = self.loads.iter().map(|(on, _)| on.clone()).zip(loads);
        (parts, all, loads.collect())
    }

    /// Names of parts that nothing else has.
    fn part_names(&self) -> impl Fn(usize) -> String + use<> {
        let mut stem = String::from("part");
        let names = || self.unknowns.iter().chain(self.parameters.iter().map(|p| &p.0));
        while names().any(|name| name.starts_with(&stem)) {
            stem.push('_');
        }
        move |k| format!("{stem}{}", k + 1)
    }

    /// Unknowns, rates and parameters by name.
    fn prologue(&self, names: &HashMap<String, String>) -> String {
        let mut text = String::new();
        for (k, unknown) in self.unknowns.iter().enumerate() {
            text += &format!("{} = x_({});\n", names[unknown], k + 1);
            let rate = rate_name(unknown);
            if self.equations.iter().any(|equation| equation.contains(&rate)) {
                text += &format!("{} = xdot_({});\n", names[&rate], k + 1);
            }
        }
        for (name, value) in &self.parameters {
            text += &format!("{} = {};\n", names[name], Expr::number(*value).to_octave(&|_| None));
        }
        text
    }

    /// A name of Octave's for every name, all different.
    fn octave_names(&self) -> HashMap<String, String> {
        let mut names: HashMap<String, String> = HashMap::new();
        let mut taken: Vec<String> = OCTAVE_WORDS.iter().map(|word| word.to_string()).collect();
        let mut add = |name: String, wanted: String| {
            let mut free = wanted;
            while taken.contains(&free) {
                free.push('_');
            }
            taken.push(free.clone());
            names.insert(name, free);
        };
        for unknown in &self.unknowns {
            add(unknown.clone(), identifier(unknown));
            add(rate_name(unknown), format!("{}_ddt", identifier(unknown)));
        }
        self.parameters.iter().for_each(|(name, _)| add(name.clone(), identifier(name)));
        names.insert("t".into(), "t".into());
        names
    }
}

/// Letters, digits and underscores.
fn identifier(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("n{name}") }
}

/// The expression with `y_ddt` for `der(y)`.
fn with_endings(expr: &Expr) -> Expr {
    expr.with_names(&|name| rate_of(name).and_then(|variable| Expr::name(&format!("{variable}_ddt"))))
}

fn definitions(helpers: &BTreeMap<String, String>) -> String {
    helpers.values().map(|text| format!("\n{text}\n")).collect()
}
