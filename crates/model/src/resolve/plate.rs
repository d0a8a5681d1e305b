//! Plates and shells: surface, nodes, edges.

use super::names::Thing;
use super::{Resolver, transpose};
use crate::diagnostic::Diagnostic;
use crate::file::{EdgeType, FileTable, PlateKind, PlateSide, PlateTable};
use crate::quantity::{Motion, PlateQuantity, Quantity};
use crate::spec::{BodyKind, BodyRef, BodySpec, PlateNodeSpec, PlateSpec};
use crate::value::{Located, Number};
use poinsot_expr::SmoothFunction;
use poinsot_geometry::{Vec3, Vec6};
use poinsot_mechanics::ancf::solid::{Constitution, PlatePatch, PlateTheory};

/// Arguments of surfaces.
const SURFACE_ARGUMENTS: &[&str] = &["u", "v"];
/// Argument of loads.
const LOAD_ARGUMENTS: &[&str] = &["t"];
/// Most elements along a side.
const MOST_ELEMENTS: f64 = 1000.0;

/// A surface over a rectangle of lengths from zero on.
enum Surface {
    Flat { corner: Vec3, along: [Vec3; 2] },
    Curved { components: Box<[SmoothFunction; 3]>, from: [f64; 2] },
}

impl Surface {
    /// r, r_u and r_v.
    fn at(&self, u: f64, v: f64) -> [Vec3; 3] {
        match self {
            Surface::Flat { corner, along: [a, b] } => [corner + a * u + b * v, *a, *b],
            Surface::Curved { components, from } => {
                let at = [from[0] + u, from[1] + v];
                let partial = |i: usize| Vec3::from_fn(|k, _| components[k].partial(i, &at));
                [Vec3::from_fn(|k, _| components[k].value(&at)), partial(0), partial(1)]
            }
        }
    }
}

impl Resolver<'_> {
    /// Enters the names of plates and of their nodes, which follow all other bodies.
    pub(super) fn gather_plate_names(&mut self, file: &FileTable, mut next: usize) {
        for (index, table) in file.plate.iter().enumerate() {
            self.enter(&table.name, Thing::Plate(index));
            let subject = format!("the number of elements of `{}`", table.name.value);
            let [first, second] =
                table.elements.value.each_ref().map(|number| self.whole(number, &subject, MOST_ELEMENTS));
            let size = first.zip(second).map(|(first, second)| [first, second]);
            self.plate_sizes.push(size);
            let Some([nu, nv]) = size else {
                self.names.lost.push(table.name.value.clone());
                continue;
            };
            let span = &table.name.span;
            let mut name = |name: String, k: usize| {
                self.names
                    .things
                    .insert(format!("{}.{name}", table.name.value), (Thing::Body(k), span.clone()));
            };
            for j in 0..=nv {
                (0..=nu).for_each(|i| name(format!("node{i}_{j}"), next + j * (nu + 1) + i));
            }
            let last = (nu + 1) * (nv + 1) - 1;
            for (k, corner) in [0, nu, last, last - nu].into_iter().enumerate() {
                name(format!("corner{}", k + 1), next + corner);
            }
            next += last + 1;
        }
    }

    /// A plate; its nodes are added to the bodies.
    pub(super) fn plate(&mut self, index: usize, table: &PlateTable) -> Option<PlateSpec> {
        let elements = self.plate_sizes[index]?;
        let name = &table.name.value;
        if self.plane.is_some() {
            let message = format!("the plate `{name}` cannot be in a planar model");
            let help = "remove `plane` from [model], or take a beam";
            self.diagnostics
                .push(Diagnostic::error(message).at(table.name.span.clone(), "needs space").help(help));
        }
        let first = self.bodies.len();
        let surface = self.plate_surface(table);
        let thickness = self.positive(&table.thickness, &format!("the thickness of `{name}`"));
        let material = self.plate_material(&table.material);
        let theory = self.plate_theory(table);
        let constitution = self.plate_constitution(table);
        let load = table.load.as_ref().map(|load| {
            let [x, y, z] = load.value.each_ref().map(|number| self.function(number, LOAD_ARGUMENTS));
            Some([x?, y?, z?])
        });
        let motion = self.vector(&table.velocity).zip(self.vector(&table.angular_velocity));
        let color = self.color(table.color.as_ref());
        let held = self.plate_edges(table, elements);
        let reference = surface.zip(theory).and_then(|((surface, sides), theory)| {
            let patch = PlatePatch {
                name,
                elements,
                sides,
                thickness: 1.0,
                material: &poinsot_flexible::Material::isotropic(
                    poinsot_flexible::Isotropic { young: 1.0, poisson: 0.0 },
                    1.0,
                )
                .ok()?,
                constitution: Constitution::default(),
                theory,
            };
            match patch.reference(|u, v| surface.at(u, v)) {
                Ok(reference) => Some((reference, sides)),
                Err(error) => {
                    let message = format!("the plate `{name}`: {error}");
                    let diagnostic = Diagnostic::error(message).at(table.name.span.clone(), "this plate");
                    self.diagnostics.push(diagnostic.help("its two sides must not be parallel"));
                    None
                }
            }
        });
        for k in 0..(elements[0] + 1) * (elements[1] + 1) {
            let node = reference.as_ref().zip(motion).map(|((reference, _), (velocity, spin))| {
                let position = reference[k][0];
                PlateNodeSpec { position, velocity: velocity + spin.cross(&(position - reference[0][0])) }
            });
            let name = format!("{name}.node{}_{}", k % (elements[0] + 1), k / (elements[0] + 1));
            let spec =
                |node| BodySpec { name, span: table.name.span.clone(), kind: BodyKind::PlateNode(node) };
            self.bodies.push(node.map(spec));
        }
        let (reference, sides) = reference?;
        Some(PlateSpec {
            name: name.clone(),
            span: table.name.span.clone(),
            nodes: first..first + reference.len(),
            elements,
            sides,
            thickness: thickness?,
            material: material?,
            constitution: constitution?,
            theory: theory?,
            reference,
            held: held?,
            load: transpose(load)?,
            angular_velocity: motion?.1,
            color: color?,
        })
    }

    /// The middle surface and the lengths of its parameters.
    fn plate_surface(&mut self, table: &PlateTable) -> Option<(Surface, [f64; 2])> {
        let PlateTable { corner, side1, side2, surface, range_u, range_v, .. } = table;
        match (corner, side1, side2, surface, range_u, range_v) {
            (Some(corner), Some(side1), Some(side2), None, None, None) => {
                let [corner, first, second] = [corner, side1, side2].map(|triple| self.vector(triple));
                let (corner, sides) = (corner?, [first?, second?]);
                let lengths = sides.map(|side| side.norm());
                for (length, given) in lengths.into_iter().zip([side1, side2]) {
                    let subject = format!("the length of a side of `{}`", table.name.value);
                    self.demand(length, length > 0.0, given.span.clone(), &subject, "positive")?;
                }
                Some((
                    Surface::Flat { corner, along: [sides[0] / lengths[0], sides[1] / lengths[1]] },
                    lengths,
                ))
            }
            (None, None, None, Some(surface), Some(range_u), Some(range_v)) => {
                let components = self.smooth_components(surface, SURFACE_ARGUMENTS);
                let [u, v] = [range_u, range_v].map(|range| self.rising(range, &table.name.value));
                let ([u0, u1], [v0, v1]) = (u?, v?);
                let curved = Surface::Curved { components: Box::new(components?), from: [u0, v0] };
                Some((curved, [u1 - u0, v1 - v0]))
            }
            _ => {
                let message = format!("the plate `{}` has no surface", table.name.value);
                let help = "the surface is given by `corner`, `side1` and `side2`, or by `surface`, `range_u` and \
                            `range_v`";
                let diagnostic = Diagnostic::error(message).at(table.name.span.clone(), "needs a surface");
                self.diagnostics.push(diagnostic.help(help));
                None
            }
        }
    }

    /// A range whose end is behind its start.
    fn rising(&mut self, range: &Located<[Number; 2]>, name: &str) -> Option<[f64; 2]> {
        let [from, to] = self.numbers(&range.value)?;
        let subject = format!("the length of a range of `{name}`");
        self.demand(to - from, to > from, range.span.clone(), &subject, "positive")?;
        Some([from, to])
    }

    fn plate_theory(&mut self, table: &PlateTable) -> Option<PlateTheory> {
        let factor = table.shear_factor.as_ref();
        match (table.theory.value, factor) {
            (PlateKind::Thin, None) => Some(PlateTheory::Thin),
            (PlateKind::Thin, Some(factor)) => {
                let message = format!("the plate `{}` is thin and has no transverse shear", table.name.value);
                let diagnostic = Diagnostic::error(message).at(factor.span(), "has no effect");
                self.diagnostics.push(diagnostic.help("remove `shear_factor`, or write theory = \"thick\""));
                None
            }
            (PlateKind::Thick, None) => Some(PlateTheory::Thick(5.0 / 6.0)),
            (PlateKind::Thick, Some(factor)) => {
                let subject = format!("the shear factor of `{}`", table.name.value);
                Some(PlateTheory::Thick(self.positive(factor, &subject)?))
            }
        }
    }

    fn plate_constitution(&mut self, table: &PlateTable) -> Option<Constitution> {
        let subject = format!("the damping of `{}`", table.name.value);
        let viscosity = self.damping(&table.stiffness_damping, &subject);
        let stress = table.prestress.as_ref().map_or(Some([0.0; 3]), |stress| self.numbers(&stress.value));
        let [s11, s22, s12] = stress?;
        Some(Constitution { initial: Vec6::new(s11, s22, 0.0, s12, 0.0, 0.0), viscosity: viscosity? })
    }

    /// Nodes that are held: the first edge that names them counts, and a clamp before a pin.
    fn plate_edges(
        &mut self,
        table: &PlateTable,
        [nu, nv]: [usize; 2],
    ) -> Option<Vec<(usize, BodyRef, [bool; 4])>> {
        let mut held: Vec<(usize, BodyRef, [bool; 4])> = vec![];
        let mut whole = Some(());
        let mut edges: Vec<_> = table.edges.0.iter().collect();
        edges.sort_by_key(|edge| edge.r#type.value != EdgeType::Clamped);
        for edge in edges {
            let to = match &edge.to {
                None => Some(BodyRef::Ground),
                Some(to) => self.end(to).map(|(body, _)| body).and_then(|body| {
                    if self.is_point(body) {
                        self.no_orientation(to, "an edge of a plate");
                        return None;
                    }
                    Some(body)
                }),
            };
            let Some(to) = to else {
                whole = None;
                continue;
            };
            let along_v = matches!(edge.side.value, PlateSide::Start1 | PlateSide::End1);
            let vectors = match edge.r#type.value {
                EdgeType::Clamped => [true; 4],
                // The place and the slope along the edge.
                EdgeType::Pinned => [true, !along_v, along_v, false],
            };
            let nodes: Vec<usize> = match edge.side.value {
                PlateSide::Start1 => (0..=nv).map(|j| j * (nu + 1)).collect(),
                PlateSide::End1 => (0..=nv).map(|j| j * (nu + 1) + nu).collect(),
                PlateSide::Start2 => (0..=nu).collect(),
                PlateSide::End2 => (0..=nu).map(|i| nv * (nu + 1) + i).collect(),
            };
            for node in nodes {
                let known = held.iter().position(|(k, _, _)| *k == node);
                match known {
                    None => held.push((node, to, vectors)),
                    Some(at) if held[at].1 == to => (0..4).for_each(|k| held[at].2[k] |= vectors[k]),
                    Some(_) => {}
                }
            }
        }
        whole.map(|()| held)
    }

    /// The quantities a plate offers; all, or those whose first word is `only`.
    pub(super) fn offered_by_plate(
        &self,
        plate: usize,
        file: &FileTable,
        only: Option<&str>,
    ) -> Option<Vec<(String, Quantity)>> {
        let name = &file.plate.get(plate)?.name.value;
        let [nu, nv] = self.plate_sizes.get(plate).copied()??;
        let Some(Thing::Body(first)) = self.names.get(&format!("{name}.node0_0")) else { return None };
        let wanted = |word: &str| only.is_none_or(|only| only == word);
        let node = |word: String, k: usize| {
            let list = Motion::offered(false).into_iter();
            list.map(move |(name, what)| (format!("{word}.{name}"), Quantity::Body { body: first + k, what }))
        };
        let last = (nu + 1) * (nv + 1) - 1;
        let grid = (0..=last).map(|k| (format!("node{}_{}", k % (nu + 1), k / (nu + 1)), k));
        let corners = [0, nu, last, last - nu].into_iter().enumerate();
        let nodes = grid.chain(corners.map(|(k, corner)| (format!("corner{}", k + 1), corner)));
        let mut list: Vec<(String, Quantity)> =
            nodes.filter(|(word, _)| wanted(word)).flat_map(|(word, k)| node(word, k)).collect();
        for element in 0..nu * nv {
            let word = format!("element{}_{}", element % nu, element / nu);
            if wanted(&word) {
                let offered = PlateQuantity::offered().into_iter();
                list.extend(offered.map(|(name, what)| {
                    (format!("{word}.{name}"), Quantity::Plate { plate, element, what })
                }));
            }
        }
        Some(list)
    }
}
