//! Flexible bodies of a mesh from a file.

use super::Shapes;
use super::inp_sections::{FileUnits, sections_of_file};
use super::reduced::Outline;
use crate::FullBodyData;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{FlexibleTable, MeshSectionTable, MeshSourceTable};
use crate::read::Text;
use crate::resolve::Resolver;
use poinsot_flexible::{
    FileError, FiniteElements, FlexibleError, Mesh, MeshInput, Section, SectionOf, SolidSection, read_mesh,
};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

impl Resolver<'_> {
    /// A body of a mesh.
    pub(super) fn body_of_mesh(&mut self, table: &FlexibleTable, source: &MeshSourceTable) -> Option<Shapes> {
        let scale = self.positive(&source.scale, &format!("the scale of `{}`", table.name.value));
        let input = self.mesh_input(&source.file);
        let (scale, input) = (scale?, input?);
        let sections = self.mesh_sections(table, source, &input, scale)?;
        let mut mesh = input.mesh.clone();
        mesh.nodes.iter_mut().for_each(|place| *place *= scale);
        let labels = Some(&input.node_labels[..]);
        self.body_of_elements(table, Arc::new(mesh), sections, labels, &source.file.span)
    }

    /// The body of a mesh with sections, reduced.
    pub(super) fn body_of_elements(
        &mut self,
        table: &FlexibleTable,
        mesh: Arc<Mesh>,
        sections: Vec<SectionOf>,
        labels: Option<&[u64]>,
        place: &Span,
    ) -> Option<Shapes> {
        let unknowns = match FiniteElements::new(&mesh, &sections) {
            Ok(elements) => elements.unknowns().to_vec(),
            Err(error) => {
                let label = |node: usize| labels.and_then(|labels| labels.get(node));
                let error = error.with_labels(|node| label(node).map_or(node + 1, |label| *label as usize));
                let message = format!("the flexible body `{}`: {error}", table.name.value);
                let diagnostic = Diagnostic::error(message).at(place.clone(), "this mesh");
                self.diagnostics.push(diagnostic.maybe_help(remedy(&error).map(str::to_owned)));
                return None;
            }
        };
        let (nodes, groups) = (&mesh.nodes[..], &mesh.groups[..]);
        let outline = Outline { nodes, unknowns: &unknowns, groups, labels };
        let data = FullBodyData::Elements { mesh: mesh.clone(), sections };
        self.reduce_body(table, &outline, data, place)
    }

    /// Reads a mesh, and the files that it includes.
    pub(super) fn mesh_input(&mut self, file: &Text) -> Option<Arc<MeshInput>> {
        let path = self.directory.join(&file.value);
        let bytes = self.file_beside(file, &file.value)?;
        let (files, folder) = (self.files.clone(), path.parent().unwrap_or(Path::new("")).to_owned());
        let read = || {
            let mut include = |name: &str| {
                let content = files.data(&folder.join(name))?;
                Ok(content.to_vec())
            };
            read_mesh(&file.value, &bytes, &mut include)
        };
        let input = self.files.element_mesh(&path, read);
        input.map_err(|error| self.file_fault(&error, &file.span)).ok()
    }

    /// The content of a file beside the model.
    pub(super) fn file_beside(&mut self, place: &Text, name: &str) -> Option<Arc<Vec<u8>>> {
        let path = self.directory.join(name);
        self.files
            .data(&path)
            .map_err(|error| {
                let (message, label) = match error.kind() {
                    ErrorKind::NotFound => (format!("there is no file {name:?}"), "not found"),
                    _ => (format!("cannot read the file {name:?}: {error}"), "not readable"),
                };
                let help = format!("looked for {}", path.display());
                self.diagnostics.push(Diagnostic::error(message).at(place.span.clone(), label).help(help));
            })
            .ok()
    }

    /// What is wrong inside a file.
    pub(super) fn file_fault(&mut self, error: &FileError, span: &Span) {
        let diagnostic = Diagnostic::error(error.to_string()).at(span.clone(), "in this file");
        self.diagnostics.push(diagnostic.maybe_help(error.help()));
    }

    /// Sections of the model, or else those of the file.
    fn mesh_sections(
        &mut self,
        table: &FlexibleTable,
        source: &MeshSourceTable,
        input: &MeshInput,
        scale: f64,
    ) -> Option<Vec<SectionOf>> {
        let material = source.material.as_ref().map(|material| self.material(material));
        match (&source.section, material) {
            (Some(list), material) => {
                let material = material.map_or(Some(None), |material| material.map(Some))?;
                let all: Vec<_> = list
                    .value
                    .0
                    .iter()
                    .map(|section| {
                        let known = self.group_is_known(section, input);
                        self.mesh_section(section, material.as_ref()).filter(|_| known)
                    })
                    .collect();
                all.into_iter().collect()
            }
            (None, Some(material)) => {
                let section = Section::Solid(SolidSection::new(material?.material));
                Some(vec![SectionOf::all(section)])
            }
            (None, None) if input.sections.is_empty() => {
                let message = format!("nothing says what the mesh of `{}` is made of", table.name.value);
                let help = "give `material = { young = 2.1e11, poisson = 0.3, density = 7850 }`";
                let diagnostic = Diagnostic::error(message).at(source.span.clone(), "this source");
                self.diagnostics.push(diagnostic.help(help));
                None
            }
            (None, None) => {
                let mass = self.mass_unit(source, scale)?;
                let sections = sections_of_file(input, &FileUnits { length: scale, mass });
                sections
                    .map_err(|error| {
                        let message = format!("{}: {error}", source.file.value);
                        let diagnostic =
                            Diagnostic::error(message).at(source.file.span.clone(), "in this file");
                        let help = "give `material` and `section` in the model: they count instead";
                        self.diagnostics.push(diagnostic.help(help));
                    })
                    .ok()
            }
        }
    }

    /// Whether the mesh has the group of a section, with elements.
    fn group_is_known(&mut self, section: &MeshSectionTable, input: &MeshInput) -> bool {
        let group = match section {
            MeshSectionTable::Solid(solid) => &solid.group,
            MeshSectionTable::Shell(face)
            | MeshSectionTable::PlaneStress(face)
            | MeshSectionTable::PlaneStrain(face) => &face.group,
            MeshSectionTable::Bar(bar) => &bar.group,
            MeshSectionTable::Beam(beam) | MeshSectionTable::PlanarBeam(beam) => &beam.group,
        };
        let Some(name) = group else { return true };
        let filled = input.mesh.groups.iter().filter(|group| !group.elements.is_empty());
        let names: Vec<&str> = filled.map(|group| group.name.as_str()).collect();
        let known = names.contains(&name.value.as_str());
        if !known {
            self.unknown(name, "group with elements in the mesh", &names);
        }
        known
    }

    /// The unit of mass of an input file: in mm it is seldom the kg.
    fn mass_unit(&mut self, source: &MeshSourceTable, scale: f64) -> Option<f64> {
        match &source.mass_unit {
            Some(mass) => self.positive(mass, "the unit of mass"),
            None if scale == 1.0 => Some(1.0),
            None => {
                let message = "the materials of the file need its unit of mass";
                let help = "give `mass_unit`, the unit of mass of the file in kg: 1000 with t, mm and MPa";
                let diagnostic = Diagnostic::error(message).at(source.scale.span(), "another unit of length");
                self.diagnostics.push(diagnostic.help(help));
                None
            }
        }
    }
}

/// What to do about a mesh that makes no body.
fn remedy(error: &FlexibleError) -> Option<&'static str> {
    match error {
        FlexibleError::Disconnected { .. } => {
            Some("merge the nodes where parts touch (Gmsh: Coherence), or make a flexible body of each part")
        }
        FlexibleError::Inverted { .. } => {
            Some("elements are counted from 0 in the order of the file, nodes are named by their labels")
        }
        FlexibleError::WithoutSection { .. } | FlexibleError::Empty => {
            Some("`material` alone is for solids; give `section` for shells, planes, bars and beams")
        }
        _ => None,
    }
}
