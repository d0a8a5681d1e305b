//! The same model with other beams: another formulation, finer meshes.

use crate::file::{BeamElement, BeamFormulation, BeamStrain, BeamTable, ElementsTable};
use crate::load::LoadError;
use crate::parametric::ParametricModel;
use crate::spec::Model;
use crate::value::{List, Located, Number, Text};
use std::sync::Arc;

/// A formulation by its word, and by how much meshes are refined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeamVariant {
    formulation: BeamFormulation,
    element: Option<BeamElement>,
    strain: Option<BeamStrain>,
    order: Option<usize>,
    /// The elements of the file are multiplied by this.
    pub refinement: usize,
}

impl BeamVariant {
    /// Of words like `director`, `motion(order=3)`, `ancf(beam)` or `ancf(chord)`; none if they mean nothing.
    pub fn new(words: &str, refinement: usize) -> Option<Self> {
        let (word, inside) = match words.split_once('(') {
            Some((word, inside)) => (word, inside.trim_end().strip_suffix(')')?),
            None => (words, ""),
        };
        let formulation = BeamFormulation::from_word(word.trim())?;
        let mut variant = BeamVariant { formulation, element: None, strain: None, order: None, refinement };
        for part in inside.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            variant.specify(part)?;
        }
        // Strains and orders are of one element each.
        match (variant.element, variant.strain, variant.order) {
            (Some(BeamElement::Beam), Some(_), _) | (Some(BeamElement::Cable), _, Some(_)) => None,
            (_, Some(_), Some(_)) => None,
            _ => Some(variant),
        }
    }

    /// What stands in the brackets: an element, a strain or an order, each once.
    fn specify(&mut self, part: &str) -> Option<()> {
        if let Some((key, value)) = part.split_once('=') {
            let order: usize = value.trim().parse().ok()?;
            let fits = key.trim() == "order" && order > 0 && self.order.is_none();
            self.order = Some(order);
            return fits.then_some(());
        }
        if self.formulation != BeamFormulation::Ancf {
            return None;
        }
        if let Some(element) = BeamElement::from_word(part) {
            return self.element.replace(element).is_none().then_some(());
        }
        self.strain.replace(BeamStrain::from_word(part)?).is_none().then_some(())
    }

    /// How variants are written.
    pub fn words() -> String {
        let formulations = BeamFormulation::WORDS.join(", ");
        let forms = BeamElement::WORDS.iter().chain(BeamStrain::WORDS).map(|word| format!("ancf({word})"));
        let forms: Vec<String> = forms.collect();
        format!("{formulations}, {}, each with an order like motion(order=3)", forms.join(", "))
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
        let place = beam.formulation.span.clone();
        if self.formulation == Ancf {
            beam.order = None;
            self.choose_element(beam);
        } else {
            (beam.strain, beam.element_frame) = (None, None);
            (beam.element, beam.section_stiffening) = (None, None);
        }
        if let Some(order) = self.order {
            beam.order = Some(Number::Value(Located { value: order as f64, span: place }));
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

    /// The element of absolute nodal coordinates: as the words say, else as in the file. A strain and an
    /// order say it too.
    fn choose_element(self, beam: &mut BeamTable) {
        let place = beam.formulation.span.clone();
        let told = self.element.or(self.strain.map(|_| BeamElement::Cable));
        if let Some(element) = told.or(self.order.map(|_| BeamElement::Beam)) {
            beam.element = Some(Located { value: element, span: place.clone() });
        }
        if beam.element.as_ref().is_some_and(|element| element.value == BeamElement::Beam) {
            (beam.strain, beam.element_frame, beam.quadrature) = (None, None, None);
        } else {
            beam.section_stiffening = None;
        }
        if let Some(strain) = self.strain {
            beam.strain = Some(Located { value: strain, span: place });
            beam.element_frame = None;
        }
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
