//! Flexible bodies of matrices that another program has written.

use super::Shapes;
use super::reduced::Outline;
use crate::FullBodyData;
use crate::diagnostic::Diagnostic;
use crate::file::{FlexibleTable, MatricesSourceTable};
use crate::read::Text;
use crate::resolve::Resolver;
use poinsot_flexible::{
    BodyMatrices, MatrixInput, NodeTable, Skin, UnknownLabel, import_body, read_calculix_matrix,
    read_calculix_unknowns, read_matrix, read_node_csv, read_node_npy,
};
use std::sync::Arc;

impl Resolver<'_> {
    /// A body of matrices.
    pub(super) fn body_of_matrices(
        &mut self,
        table: &FlexibleTable,
        source: &MatricesSourceTable,
    ) -> Option<Shapes> {
        self.refuse_geometric(table)?;
        let length = self.positive(&source.scale, "the unit of length");
        let mass = self.positive(&source.mass_unit, "the unit of mass");
        let labels = source.unknowns.as_ref().map(|file| self.unknown_labels(file));
        let labels = labels.map_or(Some(None), |labels| labels.map(Some))?;
        let [m, k] = [&source.mass, &source.stiffness].map(|file| self.matrix(file, labels.as_ref()));
        let damping = source.damping.as_ref().map(|file| self.matrix(file, labels.as_ref()));
        let nodes = self.node_table(&source.nodes);
        let matrices = BodyMatrices {
            mass: m?,
            stiffness: k?,
            damping: damping.map_or(Some(None), |damping| damping.map(Some))?,
            nodes: nodes?,
            labels,
        };
        let (length, mass) = (length?, mass?);
        let imported = match import_body(&matrices) {
            Ok(imported) => imported,
            Err(error) => {
                let message = format!("the flexible body `{}`: {error}", table.name.value);
                self.diagnostics.push(Diagnostic::error(message).at(source.span.clone(), "these matrices"));
                return None;
            }
        };
        let node_labels = imported.node_labels;
        let body = imported.body.in_units(length, mass);
        let labels = Some(&node_labels[..]);
        let outline = Outline { nodes: &body.nodes, unknowns: &body.unknowns, groups: &[], labels };
        let data = FullBodyData::Matrices {
            matrices: Arc::new(matrices),
            length,
            mass,
            skin: Skin::default(),
            normal: None,
        };
        self.reduce_body(table, &outline, data, &source.span)
    }

    fn matrix(&mut self, file: &Text, labels: Option<&Vec<UnknownLabel>>) -> Option<MatrixInput> {
        let (name, key) = match file.value.rsplit_once(".npz:") {
            Some((stem, key)) => (format!("{stem}.npz"), Some(key.to_owned())),
            None => (file.value.clone(), None),
        };
        let bytes = self.file_beside(file, &name)?;
        let of_calculix = name.ends_with(".sti") || name.ends_with(".mas");
        if of_calculix && labels.is_none() {
            let message = "matrices of CalculiX need their unknowns";
            let help = "give `unknowns`, the file with the ending .dof beside them";
            self.diagnostics.push(Diagnostic::error(message).at(file.span.clone(), "this matrix").help(help));
            return None;
        }
        let read = || match labels {
            Some(labels) if of_calculix => read_calculix_matrix(&name, &bytes, labels.clone()),
            _ => read_matrix(&name, &bytes, key.as_deref()),
        };
        let input = self.files.matrix(&self.directory.join(&file.value), read);
        input.map_err(|error| self.file_fault(&error, &file.span)).ok().map(|input| (*input).clone())
    }

    fn unknown_labels(&mut self, file: &Text) -> Option<Vec<UnknownLabel>> {
        let bytes = self.file_beside(file, &file.value)?;
        let labels = read_calculix_unknowns(&file.value, &bytes);
        labels.map_err(|error| self.file_fault(&error, &file.span)).ok()
    }

    fn node_table(&mut self, file: &Text) -> Option<NodeTable> {
        let name = file.value.to_ascii_lowercase();
        if [".msh", ".inp", ".vtk", ".vtu"].iter().any(|end| name.ends_with(end)) {
            return self.mesh_input(file).map(|input| input.node_table());
        }
        let bytes = self.file_beside(file, &file.value)?;
        let table = match name.ends_with(".npy") {
            true => read_node_npy(&file.value, &bytes),
            false => read_node_csv(&file.value, &bytes),
        };
        table.map_err(|error| self.file_fault(&error, &file.span)).ok()
    }
}
