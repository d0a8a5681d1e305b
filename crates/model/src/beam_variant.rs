//! The same model with other beams: another formulation, finer meshes.

use crate::file::{BeamFormulation, BeamTable, ElementsTable};
use crate::load::LoadError;
use crate::parametric::ParametricModel;
use crate::spec::Model;
use crate::value::{List, Located, Number, Text};
use std::sync::Arc;

/// A formulation by its word, and by how much meshes are refined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeamVariant {
    formulation: BeamFormulation,
    /// The elements of the file are multiplied by this.
    pub refinement: usize,
}

impl BeamVariant {
    /// Of a word of `formulation`; none if there is no such word.
    pub fn new(word: &str, refinement: usize) -> Option<Self> {
        let formulation = BeamFormulation::from_word(word)?;
        Some(BeamVariant { formulation, refinement })
    }

    /// The words of all formulations.
    pub fn words() -> &'static [&'static str] {
        BeamFormulation::WORDS
    }

    fn change(self, beam: &mut BeamTable) {
        use BeamFormulation::{Ancf, Motion};
        // Keys of the formulation of the file say nothing to another.
        if beam.formulation.value != self.formulation {
            beam.quadrature = None;
        }
        if self.formulation != Motion {
            (beam.interpolation, beam.virtual_strains) = (None, None);
        }
        if self.formulation == Ancf {
            beam.order = None;
        } else {
            (beam.strain, beam.element_frame) = (None, None);
            (beam.element, beam.section_stiffening) = (None, None);
        }
        beam.formulation.value = self.formulation;
        let finer = |number: &Number| match number {
            Number::Value(at) => {
                Number::Value(Located { value: at.value * self.refinement as f64, span: at.span.clone() })
            }
            Number::Expression(text) => Number::Expression(Text {
                value: format!("({})*{}", text.value, self.refinement),
                span: text.span.clone(),
                content_start: None,
            }),
        };
        beam.elements = match &beam.elements {
            ElementsTable::Total(number) => ElementsTable::Total(finer(number)),
            ElementsTable::Pieces(list) => ElementsTable::Pieces(Located {
                value: List(list.value.0.iter().map(finer).collect()),
                span: list.span.clone(),
            }),
        };
    }
}

impl Model {
    /// The same model with all beams changed. What was chosen outside the file stays, as in
    /// [`Model::with_parameters`].
    pub fn with_beams(&self, variant: BeamVariant) -> Result<Model, LoadError> {
        let changed = self.origin.with_tables(|file| {
            file.beam.iter_mut().for_each(|beam| variant.change(beam));
        });
        let mut model = self.clone();
        model.origin = Arc::new(changed);
        model.with_parameters(&[]).map(|(model, _)| model)
    }
}

impl ParametricModel {
    /// With other tables for each study.
    fn with_tables(&self, change: impl Fn(&mut crate::file::FileTable)) -> ParametricModel {
        self.changed(|document| change(&mut document.tables))
    }
}
