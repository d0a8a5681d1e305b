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
            BeamFormulation::Ancf if table.is_cable() => return Some(1),
            BeamFormulation::Ancf => return self.order_up_to(table, 2),
        }
        .highest_order();
        self.order_up_to(table, highest)
    }

    fn order_up_to(&mut self, table: &BeamTable, highest: usize) -> Option<usize> {
        let Some(order) = &table.order else { return Some(DEFAULT_ORDER) };
        self.whole(order, &format!("the order of `{}`", table.name.value), highest as f64)
    }

    /// What the elements interpolate, of beams with section axes; keys of other formulations are mistakes.
    pub(super) fn formulation(&mut self, table: &BeamTable) -> Option<Formulation> {
        let own = table.formulation.value;
        let mut fine = self.keys_belong(table);
        if let Some(quadrature) = &table.quadrature
            && own == BeamFormulation::Motion
            && !matches!(quadrature.value, BeamQuadrature::Gauss | BeamQuadrature::Lobatto)
        {
            self.wrong_quadrature(quadrature, "\"gauss\" or \"lobatto\"");
            fine = None;
        }
        fine?;
        Some(match own {
            BeamFormulation::Motion => Formulation::Motion(scheme(table)),
            _ => Formulation::Director,
        })
    }

    pub(super) fn wrong_quadrature(&mut self, quadrature: &Located<BeamQuadrature>, fits: &str) {
        let message = format!("the quadrature \"{}\" is of another formulation", quadrature.value.word());
        self.diagnostics.push(Diagnostic::error(message).at(quadrature.span.clone(), format!("{fits} here")));
    }

    /// Reports keys of other formulations.
    pub(super) fn keys_belong(&mut self, table: &BeamTable) -> Option<()> {
        use BeamFormulation::{Ancf, Motion};
        let own = table.formulation.value;
        let section_stiffening = table.section_stiffening.as_ref().map(Number::span);
        let tension = table.tension.as_ref().map(Number::span);
        let keys: [(&str, Option<&Span>, &[BeamFormulation]); 8] = [
            ("element", table.element.as_ref().map(|key| &key.span), &[Ancf]),
            ("section_stiffening", section_stiffening.as_ref(), &[Ancf]),
            ("tension", tension.as_ref(), &[Ancf]),
            ("interpolation", table.interpolation.as_ref().map(|key| &key.span), &[Motion]),
            ("quadrature", table.quadrature.as_ref().map(|key| &key.span), &[Motion, Ancf]),
            ("virtual_strains", table.virtual_strains.as_ref().map(|key| &key.span), &[Motion]),
            ("strain", table.strain.as_ref().map(|key| &key.span), &[Ancf]),
            ("element_frame", table.element_frame.as_ref().map(|key| &key.span), &[Ancf]),
        ];
        let mut fine = Some(());
        for (key, span, of) in keys {
            let Some(span) = span.filter(|_| !of.contains(&own)) else { continue };
            let words: Vec<String> = of.iter().map(|f| format!("formulation = \"{}\"", f.word())).collect();
            let what = match own {
                BeamFormulation::Director => "interpolates directors",
                Motion => "interpolates motions",
                Ancf => "interpolates places and slopes",
            };
            let message = format!("the beam `{}` {what} and has no `{key}`", table.name.value);
            self.diagnostics.push(
                Diagnostic::error(message)
                    .at(span.clone(), format!("only with {}", words.join(" or ")))
                    .help(format!("remove `{key}`, or add `{}`", words[0])),
            );
            fine = None;
        }
        fine
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

/// Order of elements with section axes where none is given.
const DEFAULT_ORDER: usize = 2;

fn scheme(table: &BeamTable) -> MotionScheme {
    let metric = match table.interpolation.as_ref().map(|key| key.value) {
        None | Some(BeamInterpolation::Geodesic) => Metric::Geodesic,
        Some(BeamInterpolation::Quaternion) => Metric::Quaternion,
        Some(BeamInterpolation::Matrix) => Metric::Matrix,
        Some(BeamInterpolation::Vector) => Metric::Vector(Generator::WienerMilenkovic),
    };
    let points = match table.quadrature.as_ref().map(|key| key.value) {
        Some(BeamQuadrature::Lobatto) => StrainPoints::Lobatto,
        _ => StrainPoints::Gauss,
    };
    let virtual_strains = match table.virtual_strains.as_ref().map(|key| key.value) {
        None | Some(BeamVirtualStrains::Consistent) => VirtualStrains::Consistent,
        Some(BeamVirtualStrains::Interpolated) => VirtualStrains::Interpolated,
    };
    MotionScheme { metric, points, virtual_strains }
}
