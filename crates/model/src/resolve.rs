//! From the tables of a file to its specification: names, numbers, checks.

mod beam;
mod beam_end;
mod beam_formulation;
mod beam_line;
mod beam_place;
mod body;
mod cable;
mod constraint;
mod coordinate;
pub(crate) mod end;
mod equations;
mod event;
mod expect;
mod flexible;
mod formula;
pub(crate) mod frame;
mod inertia;
mod input;
pub(crate) mod kink;
mod lagrangian;
mod line_place;
mod look;
pub(crate) mod names;
mod orientation;
mod parameters;
mod plate;
mod quantity;
mod relation;
mod section_law;
mod shape;
mod signal;
mod six;
mod sliding_line;
pub(crate) mod state_law;
mod stop_law;
pub(crate) mod studies;
mod study_result;
mod table;

pub(crate) use equations::per_second;

use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::expression::Scope;
use crate::file::{BeamTable, Document, FileTable, ModelTable, Plane, Triple};
use crate::input_file::InputFiles;
use crate::parametric::{ParameterValue, ParametricModel};
use crate::quantity::Owners;
use crate::raised::Raised;
use crate::spec::{
    BodyRef, BodySpec, CouplingSpec, DriveSpec, FlexibleSpec, ForceSpec, JointSpec, MarkerSpec, Model,
    MotionSpec, ParameterSpec, SignalSpec, VariableSpec,
};
pub(crate) use crate::study::transpose;
use crate::study::{InitialSpec, Studies, StudyContext, StudyEntry};
use crate::value::{Located, Number};
use flexible::{owners_of_beams, without_beams_of_flexible};
use lagrangian::EnergyBlock;
use names::Names;
use poinsot_geometry::{Pose, Vec3};
use poinsot_mechanics::beams::{Course, Formulation, Section};
use poinsot_mechanics::forces::Turning;
use std::path::Path;
use std::sync::Arc;

/// What is known so far. A thing with a mistake is `None`, so that what
/// depends on it is neither checked nor reported again.
pub(crate) struct Resolver<'a> {
    pub(crate) diagnostics: Diagnostics,
    /// The kinds of studies.
    studies: Studies,
    /// Words of those that the file asks for: nothing is called as their results are.
    asked: Vec<&'static str>,
    /// Directory that paths in the file are relative to.
    directory: &'a Path,
    /// The files beside it.
    files: Arc<InputFiles>,
    pub(crate) scope: Scope,
    pub(crate) names: Names,
    parameters: Vec<ParameterSpec>,
    pub(crate) plane: Option<Plane>,
    pub(crate) is_turning: bool,
    bodies: Vec<Option<BodySpec>>,
    /// Elements and order of each beam.
    beam_sizes: Vec<Option<beam::BeamSize>>,
    /// Line and nodes of each beam.
    courses: Vec<Option<Course>>,
    flexible: Vec<Option<FlexibleSpec>>,
    /// Beams that flexible bodies are made of.
    absorbed: Arc<Vec<BeamTable>>,
    /// Elements of each plate along its sides.
    plate_sizes: Vec<Option<[usize; 2]>>,
    /// What the elements of each beam interpolate, none of a line with slopes, and its section.
    beam_sections: Vec<Option<(Option<Formulation>, Section)>>,
    markers: Vec<Option<MarkerSpec>>,
    pub(crate) joints: Vec<Option<JointSpec>>,
    couplings: Vec<Option<CouplingSpec>>,
    pub(crate) drives: Vec<Option<DriveSpec>>,
    forces: Vec<Option<ForceSpec>>,
    /// Variables of each block of equations, then of each energy model.
    pub(crate) variables: Vec<Option<Vec<VariableSpec>>>,
    /// Energy models until they are blocks of equations.
    energy_blocks: Vec<Option<EnergyBlock>>,
    signals: Vec<Option<SignalSpec>>,
    /// What the first signals stand for, without other signals.
    written_out: Vec<Option<constraint::Equation>>,
    /// Laws of forces that read the running system.
    force_laws: Vec<state_law::ForceLawState>,
}

/// Resolves a document for the study at hand; the model counts if no error was found.
pub(crate) fn resolve(
    origin: &Arc<ParametricModel>,
    document: &Document,
    given: &[ParameterValue],
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    let (tables, absorbed) = without_beams_of_flexible(&document.tables);
    let mut resolver = Resolver {
        diagnostics: std::mem::take(diagnostics),
        studies: origin.studies,
        asked: document.tables.study.list.iter().map(|study| study.word).collect(),
        directory: origin.directory(),
        files: origin.files.clone(),
        scope: Scope { lost: document.lost.clone(), ..Scope::default() },
        names: Names {
            lost: document.lost.clone(),
            off: off(&document.tables),
            absorbed: owners_of_beams(&document.tables),
            ..Names::default()
        },
        parameters: Vec::new(),
        plane: None,
        is_turning: false,
        bodies: Vec::new(),
        beam_sizes: Vec::new(),
        courses: Vec::new(),
        flexible: Vec::new(),
        absorbed: Arc::new(absorbed),
        plate_sizes: Vec::new(),
        beam_sections: Vec::new(),
        markers: Vec::new(),
        joints: Vec::new(),
        couplings: Vec::new(),
        drives: Vec::new(),
        forces: Vec::new(),
        variables: Vec::new(),
        energy_blocks: Vec::new(),
        signals: Vec::new(),
        written_out: Vec::new(),
        force_laws: Vec::new(),
    };
    let model = resolver.model(origin, &tables, given);
    *diagnostics = resolver.diagnostics;
    model
}

/// What the study at hand leaves out.
fn off(file: &FileTable) -> Vec<String> {
    let names = file.study.at_hand().map_or(&[][..], |study| &study.keys.off.0);
    names.iter().map(|name| name.value.clone()).collect()
}

impl Resolver<'_> {
    /// Directory that paths in the file are relative to.
    pub(crate) fn directory(&self) -> &Path {
        self.directory
    }

    /// All stages in the order of their dependence.
    fn model(
        &mut self,
        origin: &Arc<ParametricModel>,
        file: &FileTable,
        given: &[ParameterValue],
    ) -> Option<Model> {
        if file.parameters.table.is_some() || !file.parameters.present {
            self.resolve_parameters(file, given);
        }
        self.gather_names(file);
        let tables: Vec<_> = file.table.iter().map(|table| self.table(table, file)).collect();
        let settings = file.model.table.as_ref();
        let gravity = self.gravity(settings);
        let turning = self.turning(settings, gravity);
        self.is_turning = turning != Some(None);
        self.bodies = file.body.iter().map(|body| self.body(body)).collect();
        self.markers = vec![None; file.marker.len()];
        // Beams may start from markers on bodies, and carry markers.
        self.resolve_markers(file, false);
        let mut beams: Vec<_> =
            file.beam.iter().enumerate().map(|(k, beam)| self.beam(k, beam, file)).collect();
        self.flexible = file.flexible.iter().map(|flexible| self.flexible(flexible, file)).collect();
        let plates: Vec<_> = file.plate.iter().enumerate().map(|(k, plate)| self.plate(k, plate)).collect();
        let looks = self.looks(file, &beams);
        self.resolve_markers(file, true);
        self.joints = file.joint.iter().map(|joint| self.joint(joint.entry())).collect();
        self.resolve_beam_ends(file);
        self.forces = file.force.iter().map(|force| force.entry().resolve(self, file)).collect();
        self.couplings = file.coupling.iter().map(|coupling| coupling.entry().resolve(self, file)).collect();
        self.drives = file.drive.iter().map(|drive| drive.entry().resolve(self, file)).collect();
        self.resolve_variables(file);
        self.resolve_lagrangians(file, given);
        self.resolve_signals(file);
        self.resolve_force_laws(file);
        self.resolve_stop_laws(file);
        self.resolve_relations(file);
        for (beam, table) in beams.iter_mut().zip(&file.beam) {
            self.resolve_line_laws(beam, table, file);
        }
        let constraints: Vec<_> = file.constraint.iter().map(|c| self.constraint(c, file)).collect();
        let mut equations: Vec<_> = (0..file.equations.len()).map(|k| self.equations(k, file)).collect();
        equations.extend((0..file.lagrangian.len()).map(|k| self.lagrangian(k, file)));
        self.check_study_of_equations(file);
        let entry = file.study.at_hand();
        let study = entry.map(|study| study.table.resolve(&mut StudyContext { resolver: self, file }));
        let initial = entry.and_then(|study| study.keys.initial.as_ref());
        let initial_place = initial.map(|table| table.span().clone());
        let initial = initial.map_or(Some(InitialSpec::Modelled), |table| self.initial(table, file));
        let known = study.as_ref().and_then(Option::as_ref).map(|study| &**study);
        let keep = self.kept_times(file, known);
        self.check_starts_of_drives(known.map_or(0.0, |study| study.start()));
        let mut events: Vec<_> = file.event.iter().map(|event| self.event(event, file, known)).collect();
        if known.is_none_or(|study| study.of::<MotionSpec>().is_some()) {
            events.extend(self.events_of_joints(file).into_iter().map(Some));
        }
        self.check_friction_on_lines(&constraints);
        let expects: Vec<_> = file.expect.iter().map(|e| self.expect(e, file, known)).collect();

        self.free_idle_nodes();
        let title = settings.and_then(|m| m.name.as_ref()).map(|text| text.value.clone());
        let description = settings.and_then(|m| m.description.as_ref());
        Some(Model {
            origin: origin.clone(),
            source: origin.source.clone(),
            files: origin.files.list(),
            name: title.unwrap_or_else(|| stem(&origin.source.name)),
            description: description.map(|text| text.value.clone()),
            gravity: gravity?,
            plane: self.plane,
            turning: turning?,
            parameters: std::mem::take(&mut self.parameters),
            bodies: all(&mut self.bodies)?,
            beams: beams.into_iter().collect::<Option<_>>()?,
            flexible: all(&mut self.flexible)?,
            plates: plates.into_iter().collect::<Option<_>>()?,
            markers: all(&mut self.markers)?,
            joints: all(&mut self.joints)?,
            couplings: all(&mut self.couplings)?,
            drives: all(&mut self.drives)?,
            constraints: constraints.into_iter().collect::<Option<_>>()?,
            equations: equations.into_iter().collect::<Option<_>>()?,
            tables: tables.into_iter().collect::<Option<_>>()?,
            forces: all(&mut self.forces)?,
            study: transpose(study)?,
            study_name: entry.and_then(StudyEntry::name).map(str::to_owned),
            study_index: file.study.at_hand,
            initial: initial?,
            initial_place,
            off: self.names.off.clone(),
            keep: keep?,
            events: events.into_iter().collect::<Option<_>>()?,
            signals: all(&mut self.signals)?,
            expects: expects.into_iter().collect::<Option<_>>()?,
            looks: looks?,
            additions: vec![],
            raised: Raised::default(),
        })
    }

    /// Gravity and the plane of motion.
    fn gravity(&mut self, settings: Option<&ModelTable>) -> Option<Vec3> {
        let Some(settings) = settings else {
            return Some(Vec3::new(0.0, 0.0, -9.81));
        };
        self.plane = settings.plane.as_ref().map(|plane| plane.value);
        let gravity = self.vector(&settings.gravity)?;
        if let Some(plane) = &settings.plane {
            let normal = plane.value.normal();
            let in_plane = gravity - normal * normal.dot(&gravity);
            // The default has the place of the table that lacks it.
            let is_default = settings.gravity.span == settings.span;
            if is_default && in_plane == Vec3::zeros() {
                self.diagnostics.push(
                    Diagnostic::warning("gravity is normal to the plane of the model: it has no effect")
                        .at(plane.span.clone(), "the plane")
                        .help("set `gravity` in [model], [0, 0, 0] if none is meant"),
                );
            }
        }
        Some(gravity)
    }

    /// The turning frame that everything is described in; none if it stands still.
    fn turning(&mut self, settings: Option<&ModelTable>, gravity: Option<Vec3>) -> Option<Option<Turning>> {
        let Some(settings) = settings else { return Some(None) };
        let centre = settings.rotation_centre.as_ref().map(|centre| self.vector(centre));
        let Some(rotation) = &settings.rotation else {
            if let Some(centre) = &settings.rotation_centre {
                self.diagnostics.push(
                    Diagnostic::error("`rotation_centre` without `rotation`: the frame does not turn")
                        .at(centre.span.clone(), "centre of no rotation")
                        .help("give `rotation`, the angular velocity of the frame"),
                );
                return None;
            }
            return Some(None);
        };
        let (rate, centre) = (self.vector(rotation), centre.unwrap_or(Some(Vec3::zeros())));
        let (rate, centre, gravity) = (rate?, centre?, gravity?);
        if rate.cross(&gravity).norm() > 1e-9 * rate.norm() * gravity.norm() {
            let is_default = settings.gravity.span == settings.span;
            let message = "gravity is not along the axis of rotation: it turns with the frame";
            let diagnostic =
                if is_default { Diagnostic::error(message) } else { Diagnostic::warning(message) };
            self.diagnostics.push(diagnostic.at(rotation.span.clone(), "the rotation").help(
                "right for a frame fixed to the Earth; a machine in a fixed field needs `gravity` along the axis or [0, 0, 0]",
            ));
            if is_default {
                return None;
            }
        }
        Some(Some(Turning { rate, centre }))
    }

    /// The value of a number.
    pub(crate) fn number(&mut self, number: &Number) -> Option<f64> {
        self.scope.number(number, &mut self.diagnostics)
    }

    /// The values of several numbers, all mistakes reported.
    pub(crate) fn numbers<const N: usize>(&mut self, numbers: &[Number; N]) -> Option<[f64; N]> {
        let values = numbers.each_ref().map(|number| self.number(number));
        let mut out = [0.0; N];
        for (slot, value) in out.iter_mut().zip(values) {
            *slot = value?;
        }
        Some(out)
    }

    pub(crate) fn vector(&mut self, triple: &Triple) -> Option<Vec3> {
        self.numbers(&triple.value).map(Vec3::from)
    }

    /// The rows of a matrix, all mistakes reported.
    pub(crate) fn rows<const N: usize, const M: usize>(
        &mut self,
        rows: &Located<[[Number; N]; M]>,
    ) -> Option<[[f64; N]; M]> {
        let values = rows.value.each_ref().map(|row| self.numbers(row));
        let mut out = [[0.0; N]; M];
        for (slot, value) in out.iter_mut().zip(values) {
            *slot = value?;
        }
        Some(out)
    }

    /// A direction: a vector of any length but zero, made unit.
    pub(crate) fn direction(&mut self, triple: &Triple, subject: &str) -> Option<Vec3> {
        let vector = self.vector(triple)?;
        let unit = vector.try_normalize(f64::MIN_POSITIVE.sqrt());
        if unit.is_none() {
            self.diagnostics.push(
                Diagnostic::error(format!("{subject} has no direction: its length is zero"))
                    .at(triple.span.clone(), "zero vector"),
            );
        }
        unit
    }

    pub(crate) fn positive(&mut self, number: &Number, subject: &str) -> Option<f64> {
        let value = self.number(number)?;
        self.demand(value, value > 0.0, number.span(), subject, "positive")
    }

    pub(crate) fn not_zero(&mut self, number: &Number, subject: &str) -> Option<f64> {
        let value = self.number(number)?;
        self.demand(value, value != 0.0, number.span(), subject, "other than zero")
    }

    pub(crate) fn not_negative(&mut self, number: &Number, subject: &str) -> Option<f64> {
        let value = self.number(number)?;
        self.demand(value, value >= 0.0, number.span(), subject, "zero or positive")
    }

    pub(crate) fn demand(
        &mut self,
        value: f64,
        holds: bool,
        span: Span,
        subject: &str,
        what: &str,
    ) -> Option<f64> {
        if !holds {
            self.diagnostics.push(
                Diagnostic::error(format!("{subject} must be {what}, but is {value}"))
                    .at(span, format!("must be {what}")),
            );
        }
        holds.then_some(value)
    }

    /// A damping below zero feeds energy into the system: allowed, but rarely meant.
    pub(crate) fn damping(&mut self, number: &Number, subject: &str) -> Option<f64> {
        let value = self.number(number)?;
        if value < 0.0 {
            self.diagnostics.push(
                Diagnostic::warning(format!("{subject} is negative ({value}): it feeds energy in"))
                    .at(number.span(), "negative damping"),
            );
        }
        Some(value)
    }

    /// Pose of a body at the start, if it could be resolved.
    fn pose(&self, body: BodyRef) -> Option<Pose> {
        match body {
            BodyRef::Ground => Some(Pose::identity()),
            BodyRef::Body(index) => self.bodies.get(index)?.as_ref().map(BodySpec::pose),
        }
    }

    pub(crate) fn is_point(&self, body: BodyRef) -> bool {
        match body {
            BodyRef::Ground => false,
            BodyRef::Body(index) => matches!(self.bodies.get(index), Some(Some(b)) if b.is_point()),
        }
    }
}

impl Owners for Resolver<'_> {
    fn joint(&self, index: usize) -> Option<&JointSpec> {
        self.joints.get(index)?.as_ref()
    }
    fn coupling(&self, index: usize) -> Option<&CouplingSpec> {
        self.couplings.get(index)?.as_ref()
    }
    fn drive(&self, index: usize) -> Option<&DriveSpec> {
        self.drives.get(index)?.as_ref()
    }
    fn force(&self, index: usize) -> Option<&ForceSpec> {
        self.forces.get(index)?.as_ref()
    }
    fn variable(&self, equations: usize, index: usize) -> Option<&VariableSpec> {
        self.variables.get(equations)?.as_ref()?.get(index)
    }
}

/// The list without its options, if nothing is missing.
fn all<T>(list: &mut Vec<Option<T>>) -> Option<Vec<T>> {
    std::mem::take(list).into_iter().collect()
}

/// The file's name without directory and extension.
fn stem(name: &str) -> String {
    let stem = Path::new(name).file_stem();
    stem.map_or_else(|| name.to_owned(), |s| s.to_string_lossy().into_owned())
}
