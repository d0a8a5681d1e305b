//! Flexible bodies whose shapes are functions (Rayleigh and Ritz).

use crate::diagnostic::Diagnostic;
use crate::file::{FlexibleTable, FunctionShapeTable, FunctionsSourceTable, InterfaceTable};
use crate::resolve::Resolver;
use crate::value::Number;
use poinsot_expr::SmoothFunction;
use poinsot_flexible::reduction::{LineSection, LineShape, RitzLine, ritz_body};
use poinsot_flexible::{ReducedBody, Skin};
use poinsot_geometry::Vec3;
use std::f64::consts::PI;

/// What shapes and sections are functions of.
const PLACE: &[&str] = &["x"];
/// Places along the line at which the section must be one.
const CHECKED: usize = 100;

/// Area, I_y, I_z, J, E, ν and ρ along a beam.
struct SectionFunctions {
    area: SmoothFunction,
    inertia: [SmoothFunction; 2],
    torsion: Option<SmoothFunction>,
    young: SmoothFunction,
    poisson: SmoothFunction,
    density: SmoothFunction,
}

impl SectionFunctions {
    fn at(&self, x: f64) -> LineSection {
        let value = |function: &SmoothFunction| function.function().value(&[x]);
        let [inertia_y, inertia_z] = self.inertia.each_ref().map(value);
        let young = value(&self.young);
        LineSection {
            area: value(&self.area),
            inertia_y,
            inertia_z,
            torsion: self.torsion.as_ref().map_or(inertia_y + inertia_z, value),
            young,
            shear: young / (2.0 * (1.0 + value(&self.poisson))),
            density: value(&self.density),
        }
    }
}

/// u, v, w and φ of a shape.
fn shape_at(functions: &[SmoothFunction; 4], x: f64) -> LineShape {
    let mut shape = LineShape::default();
    for (i, function) in functions.iter().enumerate() {
        let (mut first, mut second) = ([0.0; 2], [0.0]);
        function.jet().second(&[x], &mut first, &mut second);
        [shape.value[i], shape.slope[i]] = first;
        shape.curvature[i] = second[0];
    }
    shape
}

impl Resolver<'_> {
    /// A body of shape functions.
    pub(super) fn body_of_functions(
        &mut self,
        table: &FlexibleTable,
        source: &FunctionsSourceTable,
    ) -> Option<ReducedBody> {
        self.refuse_reduction(table, "its shapes are given")?;
        let length = self.positive(&source.length, &format!("the length of `{}`", table.name.value));
        let points = self.whole(&source.points, "the number of places to draw", 1e5);
        let section = self.section_functions(source);
        let shapes: Vec<_> = source.shape.value.0.iter().map(|shape| self.shape_functions(shape)).collect();
        let shapes: Vec<_> = shapes.into_iter().collect::<Option<_>>()?;
        let (length, section, points) = (length?, section?, points?);
        let interfaces: Vec<_> =
            table.interface.0.iter().map(|interface| self.place_in_section(interface, length)).collect();
        let interfaces: Vec<(String, Vec3)> = interfaces.into_iter().collect::<Option<_>>()?;
        self.check_section(source, &section, length)?;
        let line = RitzLine {
            length,
            section: &|x| section.at(x),
            shapes: &|x| shapes.iter().map(|shape| shape_at(shape, x)).collect(),
            interfaces: &interfaces,
            points,
            damping: self.damping_of_shapes(table)?,
        };
        match ritz_body(line.body()) {
            Ok(body) => {
                let radius =
                    |k: usize| (section.at(0.5 * (body.nodes[k].x + body.nodes[k + 1].x)).area / PI).sqrt();
                let lines = (0..body.nodes.len() - 1).map(|k| ([k, k + 1], radius(k))).collect();
                Some(ReducedBody { skin: Skin { triangles: vec![], lines }, ..body })
            }
            Err(error) => {
                let message = format!("the flexible body `{}`: {error}", table.name.value);
                self.diagnostics
                    .push(Diagnostic::error(message).at(source.shape.span.clone(), "these shapes"));
                None
            }
        }
    }

    fn section_functions(&mut self, source: &FunctionsSourceTable) -> Option<SectionFunctions> {
        let section = &source.section;
        let [y, z] = section.inertia.value.each_ref().map(|number| self.smooth(number, PLACE));
        let torsion = section.torsion.as_ref().map(|number| self.smooth(number, PLACE));
        let [area, young, poisson, density] =
            [&section.area, &section.young, &section.poisson, &section.density]
                .map(|number| self.smooth(number, PLACE));
        Some(SectionFunctions {
            area: area?,
            inertia: [y?, z?],
            torsion: torsion.map_or(Some(None), |torsion| torsion.map(Some))?,
            young: young?,
            poisson: poisson?,
            density: density?,
        })
    }

    fn shape_functions(&mut self, table: &FunctionShapeTable) -> Option<[SmoothFunction; 4]> {
        let mut component = |number: &Option<Number>| match number {
            Some(number) => self.smooth(number, PLACE),
            None => Some(SmoothFunction::constant(0.0)),
        };
        let all = [&table.x, &table.y, &table.z, &table.twist].map(&mut component);
        let [x, y, z, twist] = all;
        Some([x?, y?, z?, twist?])
    }

    /// An interface somewhere in a section of the beam.
    fn place_in_section(&mut self, table: &InterfaceTable, length: f64) -> Option<(String, Vec3)> {
        let only_place =
            table.point.is_none() && table.group.is_none() && table.radius.is_none() && table.kind.is_none();
        let (Some(at), true) = (&table.at, only_place) else {
            let message =
                format!("the interface `{}` of a body of functions needs `at` alone", table.name.value);
            self.diagnostics.push(Diagnostic::error(message).at(table.span.clone(), "this interface"));
            return None;
        };
        let place = self.vector(at)?;
        if !(-1e-9 * length..=(1.0 + 1e-9) * length).contains(&place.x) {
            let message = format!("the beam goes from x = 0 to x = {length} m");
            self.diagnostics.push(Diagnostic::error(message).at(at.span.clone(), "beyond its ends"));
            return None;
        }
        Some((table.name.value.clone(), place))
    }

    /// Sections have area, stiffness and mass everywhere.
    fn check_section(
        &mut self,
        source: &FunctionsSourceTable,
        section: &SectionFunctions,
        length: f64,
    ) -> Option<()> {
        let spans = [
            ("area", source.section.area.span()),
            ("second moment of area", source.section.inertia.span.clone()),
            ("second moment of area", source.section.inertia.span.clone()),
            ("torsion constant", source.section.span.clone()),
            ("Young's modulus", source.section.young.span()),
            ("shear modulus", source.section.poisson.span()),
            ("density", source.section.density.span()),
        ];
        // Between the ends: a beam may be pointed.
        for k in 0..CHECKED {
            let x = length * (k as f64 + 0.5) / CHECKED as f64;
            let LineSection { area, inertia_y, inertia_z, torsion, young, shear, density } = section.at(x);
            let values = [area, inertia_y, inertia_z, torsion, young, shear, density];
            let wrong = values.iter().position(|value| !(*value > 0.0 && value.is_finite()));
            if let Some(wrong) = wrong {
                let (what, span) = spans[wrong].clone();
                let message = format!("the {what} is {} at x = {x} m", values[wrong]);
                self.diagnostics.push(Diagnostic::error(message).at(span, "must be positive"));
                return None;
            }
        }
        Some(())
    }
}
