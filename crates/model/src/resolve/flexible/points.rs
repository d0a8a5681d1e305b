//! Flexible bodies of grid points with masses and shapes.

use crate::diagnostic::{Diagnostic, Span};
use crate::file::{FlexibleTable, InterfaceTable, PointsSourceTable, Triple};
use crate::resolve::Resolver;
use crate::value::{List, Located, Number};
use poinsot_flexible::{InertiaIntegrals, Interface, LumpedPoint, ReducedBody, ShapeKind, Skin};
use poinsot_geometry::Vec3;
use poinsot_geometry::nalgebra::DMatrix;

impl Resolver<'_> {
    /// A body of grid points.
    pub(super) fn body_of_points(
        &mut self,
        table: &FlexibleTable,
        source: &PointsSourceTable,
    ) -> Option<ReducedBody> {
        self.refuse_reduction(table, "its shapes are given")?;
        self.refuse_rayleigh(table)?;
        let name = &table.name.value;
        let subject = format!("a mass of `{name}`");
        let masses: Vec<_> = source.mass.value.0.iter().map(|mass| self.positive(mass, &subject)).collect();
        let places = self.vectors(&source.place.value);
        let count = source.mass.value.0.len();
        self.demand_count(source.place.value.0.len(), count, "places", &source.place.span)?;
        let displacements = self.shapes_of_points(&source.displacement, count);
        let rotations = source.rotation.as_ref().map(|rotation| self.shapes_of_points(rotation, count));
        let (displacements, places) = (displacements?, places?);
        let masses: Vec<f64> = masses.into_iter().collect::<Option<_>>()?;
        let shapes = displacements.len();
        let rotations = match rotations {
            Some(rotations) => {
                let rotations = rotations?;
                let span = &source.rotation.as_ref()?.span;
                self.demand_count(rotations.len(), shapes, "shapes", span)?;
                rotations
            }
            None => vec![vec![Vec3::zeros(); count]; shapes],
        };
        let of_point = |j: usize, list: &[Vec<Vec3>]| list.iter().map(|shape| shape[j]).collect::<Vec<_>>();
        let point = |j: usize| LumpedPoint {
            mass: masses[j],
            place: places[j],
            displacements: of_point(j, &displacements),
        };
        let points: Vec<LumpedPoint> = (0..count).map(point).collect();
        let inertia = InertiaIntegrals::lumped(&points, shapes);
        let stiffness = self.stiffness_of_points(table, source, &inertia)?;
        let interfaces: Vec<_> = table
            .interface
            .0
            .iter()
            .map(|interface| {
                let j = self.grid_point(interface, count)?;
                Some(Interface {
                    name: interface.name.value.clone(),
                    place: places[j],
                    displacements: of_point(j, &displacements),
                    rotations: of_point(j, &rotations),
                })
            })
            .collect();
        Some(ReducedBody {
            inertia,
            stiffness,
            damping: DMatrix::zeros(shapes, shapes),
            kinds: vec![ShapeKind::Given; shapes],
            interfaces: interfaces.into_iter().collect::<Option<_>>()?,
            shapes: DMatrix::from_fn(3 * count, shapes, |i, k| displacements[k][i / 3][i % 3]),
            nodes: places,
            skin: Skin::default(),
            stresses: None,
            geometric: None,
        })
    }

    pub(super) fn vectors(&mut self, list: &List<Triple>) -> Option<Vec<Vec3>> {
        let all: Vec<_> = list.0.iter().map(|triple| self.vector(triple)).collect();
        all.into_iter().collect()
    }

    /// For each shape a vector for each point.
    fn shapes_of_points(
        &mut self,
        list: &Located<List<List<Triple>>>,
        points: usize,
    ) -> Option<Vec<Vec<Vec3>>> {
        let mut shapes = vec![];
        for shape in &list.value.0 {
            self.demand_count(shape.0.len(), points, "points", &list.span)?;
            shapes.push(self.vectors(shape)?);
        }
        Some(shapes)
    }

    fn grid_point(&mut self, interface: &InterfaceTable, count: usize) -> Option<usize> {
        let subject = format!("the point of the interface `{}`", interface.name.value);
        let Some(point) = &interface.point else {
            let message = format!("the interface `{}` needs `point`", interface.name.value);
            self.diagnostics.push(Diagnostic::error(message).at(interface.span.clone(), "this interface"));
            return None;
        };
        self.whole(point, &subject, count as f64).map(|number| number - 1)
    }

    fn demand_count(&mut self, got: usize, wanted: usize, what: &str, span: &Span) -> Option<()> {
        if got == wanted {
            return Some(());
        }
        let message = format!("{got} {what} for {wanted}");
        self.diagnostics.push(Diagnostic::error(message).at(span.clone(), "another number of them"));
        None
    }

    /// K as it is given, or ω² M on the diagonal.
    fn stiffness_of_points(
        &mut self,
        table: &FlexibleTable,
        source: &PointsSourceTable,
        inertia: &InertiaIntegrals,
    ) -> Option<DMatrix<f64>> {
        let n = inertia.mean.len();
        match (&source.stiffness, &source.frequency) {
            (Some(rows), None) => self.symmetric(rows, n),
            (None, Some(list)) => {
                self.demand_count(list.value.0.len(), n, "frequencies", &list.span)?;
                let subject = format!("a frequency of `{}`", table.name.value);
                let all: Vec<_> = list.value.0.iter().map(|number| self.positive(number, &subject)).collect();
                let all: Vec<f64> = all.into_iter().collect::<Option<_>>()?;
                let mass = |k: usize| inertia.products[k * n + k].trace();
                Some(DMatrix::from_fn(n, n, |k, l| if k == l { all[k].powi(2) * mass(k) } else { 0.0 }))
            }
            _ => {
                let message =
                    format!("`{}` needs `stiffness` or `frequency`, one of the two", table.name.value);
                self.diagnostics.push(Diagnostic::error(message).at(source.span.clone(), "this source"));
                None
            }
        }
    }

    /// A symmetric matrix of n rows.
    fn symmetric(&mut self, rows: &Located<List<List<Number>>>, n: usize) -> Option<DMatrix<f64>> {
        self.demand_count(rows.value.0.len(), n, "rows", &rows.span)?;
        let mut matrix = DMatrix::zeros(n, n);
        for (i, row) in rows.value.0.iter().enumerate() {
            self.demand_count(row.0.len(), n, "columns", &rows.span)?;
            for (j, number) in row.0.iter().enumerate() {
                matrix[(i, j)] = self.number(number)?;
            }
        }
        let size = matrix.amax();
        let worst = (0..n * n)
            .map(|k| (k / n, k % n))
            .find(|&(i, j)| (matrix[(i, j)] - matrix[(j, i)]).abs() > 1e-9 * size);
        if let Some((i, j)) = worst {
            let message = format!("the stiffness is not symmetric: row {}, column {}", i + 1, j + 1);
            self.diagnostics.push(Diagnostic::error(message).at(rows.span.clone(), "this matrix"));
            return None;
        }
        Some((&matrix + matrix.transpose()) * 0.5)
    }
}
