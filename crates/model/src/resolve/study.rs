//! Studies: times, steps, tolerances, states.

use super::names::Thing;
use super::{Resolver, transpose};
use crate::diagnostic::Diagnostic;
use crate::file::{
    Axis, BucklingTable, CampbellTable, EquilibriumTable, FileTable, KinematicsTable, LinearizeTable,
    ModesTable, MotionTable, PathTable, StudyTable,
};
use crate::spec::{
    BodyRef, BucklingSpec, CampbellSpec, EquilibriumSpec, InputKind, InputSpec, KinematicsSpec,
    LinearizeSpec, MatrixFormat, ModesSpec, MotionSpec, PathSpec, StudySpec, variable_named,
};
use crate::suggest::did_you_mean;
use crate::value::{Located, Number, Text};

impl Resolver<'_> {
    pub fn study(&mut self, table: &StudyTable, file: &FileTable) -> Option<StudySpec> {
        match table {
            StudyTable::Motion(table) => self.motion(table).map(StudySpec::Motion),
            StudyTable::Kinematics(table) => self.kinematics(table).map(StudySpec::Kinematics),
            StudyTable::Equilibrium(table) => self.equilibrium(table).map(StudySpec::Equilibrium),
            StudyTable::Modes(table) => self.modes(table).map(StudySpec::Modes),
            StudyTable::Linearize(table) => self.linearize(table, file).map(StudySpec::Linearize),
            StudyTable::Path(table) => self.path(table, file).map(StudySpec::Path),
            StudyTable::Buckling(table) => self.buckling(table).map(StudySpec::Buckling),
            StudyTable::Campbell(table) => self.campbell(table).map(StudySpec::Campbell),
        }
    }

    fn motion(&mut self, table: &MotionTable) -> Option<MotionSpec> {
        let times = self.times([&table.start, &table.end], table.step.as_ref());
        let output_step = table.output_step.as_ref().map(|n| self.positive(n, "the output step"));
        let integrator = self.integrator(table);
        let tolerance = self.local_tolerance(table, integrator.as_ref());
        let tolerances = self.tolerances(table, tolerance.flatten());
        let (start, end, step) = times?;
        let pace = self.pace(table, step, integrator.as_ref());
        Some(MotionSpec {
            start,
            end,
            integrator: integrator?,
            pace: pace?,
            tolerance: tolerance?,
            tolerances: tolerances?,
            kinks: table.kinks.value,
            output_step: transpose(output_step)?,
            stops: vec![],
            max_steps: None,
            span: table.span.clone(),
        })
    }

    fn kinematics(&mut self, table: &KinematicsTable) -> Option<KinematicsSpec> {
        let times = self.times([&table.start, &table.end], Some(&table.step));
        let output_step = table.output_step.as_ref().map(|n| self.positive(n, "the output step"));
        let (start, end, step) = times?;
        Some(KinematicsSpec {
            start,
            end,
            step: step?,
            output_step: transpose(output_step)?,
            span: table.span.clone(),
        })
    }

    /// Start, end and step, the end after the start and a step not longer than between them.
    fn times(
        &mut self,
        [start, end]: [&Number; 2],
        step: Option<&Number>,
    ) -> Option<(f64, f64, Option<f64>)> {
        let first = self.number(start);
        let last = self.number(end);
        let length = transpose(step.map(|step| self.positive(step, "the step")));
        let (first, last, length) = (first?, last?, length?);
        if last <= first {
            self.diagnostics.push(
                Diagnostic::error(format!("the study ends at {last}, not after its start at {first}"))
                    .at(end.span(), "the end")
                    .and(start.span(), "the start"),
            );
            return None;
        }
        if let (Some(length), Some(step)) = (length, step)
            && length > last - first
        {
            let whole = last - first;
            self.diagnostics.push(
                Diagnostic::error(format!("the step {length} is longer than the whole study ({whole})"))
                    .at(step.span(), "too long"),
            );
            return None;
        }
        Some((first, last, length))
    }

    fn equilibrium(&mut self, table: &EquilibriumTable) -> Option<EquilibriumSpec> {
        let time = self.number(&table.time);
        let tolerance = self.positive(&table.tolerance, "the tolerance");
        Some(EquilibriumSpec {
            time: time?,
            tolerance: tolerance?,
            load_steps: table.load_steps.value.0,
            max_iterations: table.max_iterations.value.0,
            span: table.span.clone(),
        })
    }

    fn modes(&mut self, table: &ModesTable) -> Option<ModesSpec> {
        let time = self.number(&table.time);
        let observer = self.observer(&table.observer);
        Some(ModesSpec {
            about: table.about.value,
            count: table.count.value.0,
            time: time?,
            observer: observer?,
            span: table.span.clone(),
        })
    }

    fn linearize(&mut self, table: &LinearizeTable, file: &FileTable) -> Option<LinearizeSpec> {
        let time = self.number(&table.time);
        let observer = self.observer(&table.observer);
        let inputs: Vec<_> = table.inputs.0.iter().map(|input| self.input(input, file)).collect();
        let outputs: Vec<_> = table.outputs.0.iter().map(|output| self.output(output, file)).collect();
        self.check_doubles(&table.inputs.0, "input");
        self.check_doubles(&table.outputs.0, "output");
        Some(LinearizeSpec {
            about: table.about.value,
            time: time?,
            observer: observer?,
            inputs: inputs.into_iter().collect::<Option<_>>()?,
            outputs: outputs.into_iter().collect::<Option<_>>()?,
            formats: self.formats(table)?,
            span: table.span.clone(),
        })
    }

    fn path(&mut self, table: &PathTable, file: &FileTable) -> Option<PathSpec> {
        let parameter = self.path_parameter(&table.parameter);
        let to = self.number(&table.to);
        let from = transpose(table.from.as_ref().map(|from| self.number(from)));
        let range = transpose(table.range.as_ref().map(|range| self.ascending(range, "the range")));
        let signal = transpose(table.signal.as_ref().map(|signal| self.output(signal, file)));
        let of_signal = &table.signal_range;
        let signal_range = transpose(of_signal.as_ref().map(|range| self.ascending(range, "the range")));
        let step = self.positive(&table.step, "the step");
        let longest = self.positive(&table.longest_step, "the longest step");
        let shortest = self.positive(&table.shortest_step, "the shortest step");
        let tolerance = self.positive(&table.tolerance, "the tolerance");
        let time = self.number(&table.time);
        if let (Some(range), None) = (of_signal, &table.signal) {
            self.diagnostics.push(
                Diagnostic::error("`signal_range` needs a signal")
                    .at(range.span.clone(), "of which signal?")
                    .help("add `signal`, the name of a [[signal]]"),
            );
            return None;
        }
        let (from, to) = (from?, to?);
        if let (Some(from), Some(number)) = (from, &table.from)
            && from == to
        {
            self.diagnostics.push(
                Diagnostic::error(format!("the path starts where it should lead to, at {to}"))
                    .at(table.to.span(), "the same value")
                    .and(number.span(), "the start"),
            );
            return None;
        }
        let (step, longest, shortest) = (step?, longest?, shortest?);
        if !(shortest <= step && step <= longest) {
            self.diagnostics.push(
                Diagnostic::error(format!(
                    "the step {step} does not lie between the shortest, {shortest}, and the longest, {longest}"
                ))
                .at(table.step.span(), "the first step")
                .help("give `step`, `shortest_step` and `longest_step` in that order of size"),
            );
            return None;
        }
        Some(PathSpec {
            parameter: parameter?,
            from,
            to,
            range: range?,
            signal: signal?,
            signal_range: signal_range?,
            step,
            longest,
            shortest,
            points: table.points.value.0,
            branches: table.branches,
            time: time?,
            tolerance: tolerance?,
            span: table.span.clone(),
        })
    }

    fn buckling(&mut self, table: &BucklingTable) -> Option<BucklingSpec> {
        let parameter = self.path_parameter(&table.parameter);
        let at = transpose(table.at.as_ref().map(|at| self.number(at)));
        let time = self.number(&table.time);
        Some(BucklingSpec {
            parameter: parameter?,
            at: at?,
            count: table.count.value.0,
            side: table.side.value,
            time: time?,
            span: table.span.clone(),
        })
    }

    fn campbell(&mut self, table: &CampbellTable) -> Option<CampbellSpec> {
        let parameter = self.path_parameter(&table.parameter);
        let speed = match &table.speed {
            Some(name) => self.path_parameter(name),
            None => parameter.clone(),
        };
        let range = self.numbers(&table.range.value);
        let orders: Vec<_> =
            table.orders.0.iter().map(|order| self.positive(order, "an engine order")).collect();
        let time = self.number(&table.time);
        let observer = self.observer(&table.observer);
        let range = range?;
        if range[1] <= range[0] {
            self.diagnostics.push(
                Diagnostic::error(format!("the range from {} to {} is empty", range[0], range[1]))
                    .at(table.range.span.clone(), "the last value must be larger than the first"),
            );
            return None;
        }
        let points = &table.points;
        if points.value.0 < 2 {
            self.diagnostics.push(
                Diagnostic::error("a range needs at least two points").at(points.span.clone(), "too few"),
            );
            return None;
        }
        Some(CampbellSpec {
            parameter: parameter?,
            range,
            points: points.value.0,
            count: table.count.value.0,
            orders: orders.into_iter().collect::<Option<_>>()?,
            speed: speed?,
            about: table.about.value,
            time: time?,
            observer: observer?,
            span: table.span.clone(),
        })
    }

    /// The name of a parameter of the file.
    fn path_parameter(&mut self, name: &Text) -> Option<String> {
        let names: Vec<String> = self.parameters.iter().map(|p| p.name.clone()).collect();
        if names.contains(&name.value) {
            return Some(name.value.clone());
        }
        if !self.scope.lost.contains(&name.value) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            self.unknown(name, "parameter", &names);
        }
        None
    }

    /// Two numbers, the second greater.
    fn ascending(&mut self, pair: &Located<[Number; 2]>, subject: &str) -> Option<[f64; 2]> {
        let [low, high] = pair.value.each_ref().map(|number| self.number(number));
        let (low, high) = (low?, high?);
        if low >= high {
            self.diagnostics.push(
                Diagnostic::error(format!("{subject} from {low} to {high} is empty"))
                    .at(pair.span.clone(), "give the smaller value first"),
            );
            return None;
        }
        Some([low, high])
    }

    /// A body or the ground by name.
    pub(super) fn body_named(&mut self, name: &Text) -> Option<BodyRef> {
        if name.value == "ground" {
            return Some(BodyRef::Ground);
        }
        let Some(Thing::Body(index)) = self.names.get(&name.value) else {
            let names = self.names.of(|thing| matches!(thing, Thing::Body(_)));
            let names: Vec<String> = names.into_iter().chain(["ground"]).map(str::to_owned).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            self.unknown(name, "body", &names);
            return None;
        };
        Some(BodyRef::Body(index))
    }

    /// The body in whose frame a state is at rest.
    fn observer(&mut self, name: &Text) -> Option<BodyRef> {
        let body = self.body_named(name)?;
        if self.is_point(body) {
            self.diagnostics.push(
                Diagnostic::error(format!("the point mass `{}` cannot be the observer", name.value))
                    .at(name.span.clone(), "has no orientation")
                    .help("choose a rigid body or \"ground\""),
            );
            return None;
        }
        Some(body)
    }

    /// `NAME.x` of a force or torque, `NAME` of a spring or torsion spring, a variable of equations, a
    /// parameter.
    fn input(&mut self, input: &Text, file: &FileTable) -> Option<InputSpec> {
        if let Some(kind) = self.variable_or_parameter(&input.value, file) {
            return Some(InputSpec { name: input.value.clone(), kind });
        }
        let (name, component) = match input.value.split_once('.') {
            Some((name, component)) => (name, Some(component)),
            None => (input.value.as_str(), None),
        };
        let owner = input.part(0..name.len());
        let Some(Thing::Force(force)) = self.names.get(name) else {
            let names = self.names.of(|thing| matches!(thing, Thing::Force(_)));
            let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
            let variables = file.equations.iter().flat_map(|block| {
                block.variables.list.iter().map(|(name, _)| format!("{}.{}", block.name.value, name.value))
            });
            names.extend(variables);
            names.extend(self.parameters.iter().map(|p| p.name.clone()));
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            match file.equations.is_empty() {
                true => self.unknown(&owner, "force or parameter", &names),
                false => self.unknown(input, "force, variable or parameter", &names),
            }
            return None;
        };
        let axis = component.map(Axis::from_word);
        let declared = file.force.get(force)?.entry().declaration();
        let component = declared.component(name, axis).map_err(|help| {
            self.diagnostics.push(
                Diagnostic::error(format!("`{}` is not an input", input.value))
                    .at(input.span.clone(), "not a single force")
                    .help(help),
            );
        });
        let component = component.ok()?;
        Some(InputSpec { name: input.value.clone(), kind: InputKind::Force { force, component } })
    }

    /// The variable or parameter of a name that no force has.
    fn variable_or_parameter(&self, name: &str, file: &FileTable) -> Option<InputKind> {
        let owner = name.split_once('.').map_or(name, |(owner, _)| owner);
        if matches!(self.names.get(owner), Some(Thing::Force(_))) {
            return None;
        }
        let blocks: Vec<(&str, Vec<&str>)> = file
            .equations
            .iter()
            .map(|b| {
                (b.name.value.as_str(), b.variables.list.iter().map(|(v, _)| v.value.as_str()).collect())
            })
            .collect();
        if let Some((equations, index)) = variable_named(name, &blocks) {
            return Some(InputKind::Variable { equations, index });
        }
        self.parameters.iter().any(|p| p.name == name).then(|| InputKind::Parameter(name.to_owned()))
    }

    /// A signal by name.
    pub(super) fn output(&mut self, output: &Text, file: &FileTable) -> Option<usize> {
        let names = || file.signal.iter().map(|signal| signal.name.value.as_str());
        let found = names().position(|name| name == output.value);
        if found.is_none() && !self.names.is_lost(&output.value) {
            let help = did_you_mean(&output.value, names())
                .unwrap_or_else(|| "outputs are names of signals: add a [[signal]]".into());
            self.diagnostics.push(
                Diagnostic::error(format!("there is no signal `{}`", output.value))
                    .at(output.span.clone(), "not found")
                    .help(help),
            );
        }
        found
    }

    fn check_doubles(&mut self, names: &[Text], what: &str) {
        for (i, name) in names.iter().enumerate() {
            if let Some(before) = names[..i].iter().find(|other| other.value == name.value) {
                self.diagnostics.push(
                    Diagnostic::error(format!("the {what} `{}` is named twice", name.value))
                        .at(name.span.clone(), "again here")
                        .and(before.span.clone(), "first here"),
                );
            }
        }
    }

    /// The kinds of files, each once and at least one.
    fn formats(&mut self, table: &LinearizeTable) -> Option<Vec<MatrixFormat>> {
        let mut formats: Vec<MatrixFormat> = Vec::new();
        for Located { value, span } in &table.format.value.0 {
            if formats.contains(value) {
                let message = format!("the format {:?} is named twice", value.word());
                self.diagnostics.push(Diagnostic::warning(message).at(span.clone(), "again here"));
            } else {
                formats.push(*value);
            }
        }
        if formats.is_empty() {
            self.diagnostics.push(
                Diagnostic::error("the study has no format to write its matrices in")
                    .at(table.format.span.clone(), "empty")
                    .help("choose of json, npz, mat; without the key all are written"),
            );
            return None;
        }
        Some(formats)
    }
}
