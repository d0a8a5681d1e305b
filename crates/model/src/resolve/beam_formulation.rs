//! What elements of beams interpolate, and sections by their matrices.

use super::Resolver;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{
    BeamFormulation, BeamInterpolation, BeamQuadrature, BeamTable, BeamVirtualStrains, GivenSectionTable,
};
use crate::value::{Located, Number};
use poinsot_geometry::Mat6;
use poinsot_geometry::interpolation::Metric;
use poinsot_geometry::motion_parameters::Generator;
use poinsot_mechanics::beams::{
    Formulation, MotionScheme, RigidSection, Section, SectionMass, StrainPoints, VirtualStrains,
};

impl Resolver<'_> {
    /// The order of the elements, as high as the formulation allows.
    pub(super) fn beam_order(&mut self, table: &BeamTable) -> Option<usize> {
        let highest = match table.formulation.value {
            BeamFormulation::Director => Formulation::Director,
            BeamFormulation::Motion => Formulation::Motion(MotionScheme::default()),
        }
        .highest_order();
        self.whole(&table.order, &format!("the order of `{}`", table.name.value), highest as f64)
    }

    /// What the elements interpolate; keys of motion beams are mistakes in others.
    pub(super) fn formulation(&mut self, table: &BeamTable) -> Option<Formulation> {
        if table.formulation.value == BeamFormulation::Motion {
            return Some(Formulation::Motion(scheme(table)));
        }
        let [a, b, c] = [
            table.interpolation.as_ref().map(|key| ("interpolation", &key.span)),
            table.quadrature.as_ref().map(|key| ("quadrature", &key.span)),
            table.virtual_strains.as_ref().map(|key| ("virtual_strains", &key.span)),
        ];
        let given: Vec<(&str, &Span)> = [a, b, c].into_iter().flatten().collect();
        for (key, span) in &given {
            let message =
                format!("the beam `{}` interpolates directors and has no `{key}`", table.name.value);
            self.diagnostics.push(
                Diagnostic::error(message)
                    .at((*span).clone(), "only with formulation = \"motion\"")
                    .help(format!("remove `{key}`, or add `formulation = \"motion\"`")),
            );
        }
        given.is_empty().then_some(Formulation::Director)
    }

    /// A section by its matrices.
    pub(super) fn given_section(&mut self, table: &GivenSectionTable, name: &str) -> Option<Section> {
        let stiffness = self.six(&table.stiffness);
        match (&table.mass_matrix, &table.mass, &table.inertia) {
            (Some(matrix), None, None) if table.inertia_product.is_none() && table.centre.is_none() => {
                let mass = self.mass_matrix(matrix, name);
                Some(Section::rigid(stiffness?, &mass?))
            }
            (None, Some(mass), Some(inertia)) => {
                let mass = self.positive(mass, &format!("the mass per length of `{name}`"));
                let [m11, m22] = inertia
                    .value
                    .each_ref()
                    .map(|n| self.not_negative(n, &format!("the inertia of `{name}`")));
                let m12 = table.inertia_product.as_ref().map_or(Some(0.0), |n| self.number(n));
                let centre = table.centre.as_ref().map_or(Some([0.0; 2]), |c| self.numbers(&c.value));
                let mass = mass?;
                let first = centre?.map(|c| c * mass);
                Some(Section::given(stiffness?, SectionMass { mass, first, second: [m11?, m22?, m12?] }))
            }
            _ => {
                self.diagnostics.push(
                    Diagnostic::error(format!("the section of `{name}` needs one mass"))
                        .at(table.span.clone(), "`mass` and `inertia`, or `mass_matrix`")
                        .help("give `mass` and `inertia` (with `inertia_product` and `centre`), or `mass_matrix` alone"),
                );
                None
            }
        }
    }

    fn mass_matrix(&mut self, rows: &Located<[[Number; 6]; 6]>, name: &str) -> Option<RigidSection> {
        let values = self.rows(rows)?;
        match RigidSection::from_matrix(&Mat6::from_fn(|i, j| values[i][j])) {
            Ok(mass) => Some(mass),
            Err(error) => {
                let message = format!("the section of `{name}`: {error}");
                self.diagnostics.push(
                    Diagnostic::error(message)
                        .at(rows.span.clone(), "not the mass of a rigid section")
                        .help("the matrix is [m 1, -m c~; m c~, J] with the skew matrix c~ of the centre and the inertia J about the line"),
                );
                None
            }
        }
    }
}

fn scheme(table: &BeamTable) -> MotionScheme {
    let metric = match table.interpolation.as_ref().map(|key| key.value) {
        None | Some(BeamInterpolation::Geodesic) => Metric::Geodesic,
        Some(BeamInterpolation::Quaternion) => Metric::Quaternion,
        Some(BeamInterpolation::Matrix) => Metric::Matrix,
        Some(BeamInterpolation::Vector) => Metric::Vector(Generator::WienerMilenkovic),
    };
    let points = match table.quadrature.as_ref().map(|key| key.value) {
        None | Some(BeamQuadrature::Gauss) => StrainPoints::Gauss,
        Some(BeamQuadrature::Lobatto) => StrainPoints::Lobatto,
    };
    let virtual_strains = match table.virtual_strains.as_ref().map(|key| key.value) {
        None | Some(BeamVirtualStrains::Consistent) => VirtualStrains::Consistent,
        Some(BeamVirtualStrains::Interpolated) => VirtualStrains::Interpolated,
    };
    MotionScheme { metric, points, virtual_strains }
}
