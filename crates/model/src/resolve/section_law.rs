//! Sections of beams in laws, constraints and equations: written out in the positions, rotations and
//! velocities of the nodes, so that derivatives are exact.
//!
//! ```text
//! r(s) = Σ N_a r_a,   ṙ(s) = Σ N_a ṙ_a,   d_k(s) = Σ N_a d_k^a
//! ε(s) = Σ_g L_g(s) (ε_g − reference),   (N, M) = C ε + C_v ε̇
//! ```

use super::Resolver;
use super::constraint::{Equation, place};
use super::state_law::add;
use crate::diagnostic::Diagnostic;
use crate::file::Axis;
use crate::quantity::{BeamPlace, BeamQuantity, Motion, Quantity};
use crate::value::Text;
use poinsot_expr::Expr;
use poinsot_geometry::{Mat3, Mat6};
use poinsot_mechanics::Frame;
use poinsot_mechanics::beams::{Course, Formulation, StrainShare, section_weights, strain_shares};

const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

/// A weight below which a node of an element has no part in a section.
const NO_SHARE: f64 = 1e-12;

/// An element of a beam: the bodies of its nodes, their names, and its axes in the axes of each node.
struct Element {
    order: usize,
    first: usize,
    names: Vec<String>,
    turns: Vec<Mat3>,
    reference: Vec<Frame>,
}

/// A sum that is written out.
#[derive(Default)]
struct Sum {
    expr: Option<Expr>,
    named: Vec<(String, Quantity)>,
}

impl Sum {
    fn add(&mut self, term: Expr) {
        self.expr = Some(match self.expr.take() {
            Some(sum) => sum + term,
            None => term,
        });
    }

    fn done(self) -> Equation {
        let expr = self.expr.unwrap_or_else(|| Expr::number(0.0));
        Equation { expr: expr.shared(), named: self.named }
    }
}

/// The same with a name of its own for each section, whatever it was called.
pub(super) fn with_own_places(equation: Equation) -> Equation {
    let Equation { mut expr, named } = equation;
    let mut own = vec![];
    for (name, quantity) in named {
        let Quantity::Beam { beam, place, what } = quantity else {
            add(&mut own, name, quantity);
            continue;
        };
        let words = name.rsplit('.').take(2).collect::<Vec<_>>().join("_");
        let full = format!("section{beam}_{}_{:x}_{words}", place.element, place.xi().to_bits());
        match Expr::name(&full) {
            Some(renamed) => {
                expr = expr.substitute(&name, &renamed);
                add(&mut own, full, Quantity::Beam { beam, place, what });
            }
            None => add(&mut own, name, quantity),
        }
    }
    Equation { expr, named: own }
}

impl Resolver<'_> {
    /// Puts in what sections of beams are; none, and a message, where that cannot be written out.
    pub(super) fn without_sections(&mut self, equation: Equation, text: &Text) -> Option<Equation> {
        if !equation.named.iter().any(|(_, quantity)| matches!(quantity, Quantity::Beam { .. })) {
            return Some(equation);
        }
        let Equation { mut expr, named } = equation;
        let mut found = vec![];
        for (name, quantity) in named {
            let Quantity::Beam { beam, place: at, what } = quantity else {
                add(&mut found, name, quantity);
                continue;
            };
            let Some(inner) = self.written_section(beam, at, what)? else {
                self.diagnostics.push(
                    Diagnostic::error(format!("`{}` can be recorded, but not used here", shown(text, &name)))
                        .at(place(text, &name), "between nodes of a beam that is not of formulation \"director\"")
                        .help(
                            "motions between nodes are not written out: read a node, e.g. `beam.node3.position.x`, \
                             or take formulation = \"director\"",
                        ),
                );
                return None;
            };
            expr = expr.substitute(&name, &inner.expr);
            inner.named.into_iter().for_each(|(name, quantity)| add(&mut found, name, quantity));
        }
        Some(Equation { expr, named: found })
    }

    /// A quantity of a section in those of the nodes; `Some(None)` where motions are interpolated.
    fn written_section(&self, beam: usize, at: BeamPlace, what: BeamQuantity) -> Option<Option<Equation>> {
        let element = self.element(beam, at.element)?;
        let (formulation, section) = self.beam_sections.get(beam)?.as_ref()?;
        let weights = section_weights(element.order + 1, at.xi());
        let at_node = weights.iter().filter(|weight| weight.abs() > NO_SHARE).count() == 1;
        let motions = *formulation != Some(Formulation::Director);
        if formulation.is_none() && !(at_node && matches!(what, BeamQuantity::Position(_))) {
            return Some(None);
        }
        let strains = || strain_shares(&element.reference, at.xi()).ok();
        Some(match what {
            _ if motions && !(at_node && what.is_place()) => None,
            BeamQuantity::Position(axis) => Some(element.mean(&weights, &Motion::Position(axis))?),
            BeamQuantity::Velocity(axis) => Some(element.mean(&weights, &Motion::Velocity(axis))?),
            BeamQuantity::SectionAxis(which, axis) => Some(element.axis(&weights, which.index(), axis)?),
            BeamQuantity::Strain(axis) => Some(element.strain(axis.index(), &strains()?)?),
            BeamQuantity::Curvature(axis) => Some(element.strain(3 + axis.index(), &strains()?)?),
            BeamQuantity::Force(axis) => {
                let of = [section.stiffness, section.viscosity];
                Some(element.resultant(axis.index(), &strains()?, &of)?)
            }
            BeamQuantity::Moment(axis) => {
                let of = [section.stiffness, section.viscosity];
                Some(element.resultant(3 + axis.index(), &strains()?, &of)?)
            }
        })
    }

    fn element(&self, beam: usize, element: usize) -> Option<Element> {
        let course: &Course = self.courses.get(beam)?.as_ref()?;
        let order = self.beam_sizes.get(beam)?.as_ref()?.order;
        let before: usize = self.beam_sizes[..beam].iter().map(|size| size.map_or(0, |s| s.nodes())).sum();
        let start = element * order;
        // The nodes of all beams stand behind the bodies of the file.
        let total: usize = self.beam_sizes.iter().map(|size| size.map_or(0, |s| s.nodes())).sum();
        let first = self.bodies.len() - total + before + start;
        let turn = |k: usize| {
            let corner = course.corners.iter().find(|corner| k == start && corner.node == k);
            corner.map_or(Mat3::identity(), |corner| corner.turn)
        };
        let nodes = start..=start + order;
        let names = (0..=order).map(|k| Some(self.bodies.get(first + k)?.as_ref()?.name.clone()));
        let frame = |k: usize| {
            let z = &course.frames[k];
            Frame { r: z.r, rot: z.rot * turn(k) }
        };
        Some(Element {
            order,
            first,
            names: names.collect::<Option<_>>()?,
            turns: nodes.clone().map(turn).collect(),
            reference: nodes.map(frame).collect(),
        })
    }
}

impl BeamQuantity {
    /// Whether it tells where the section is.
    fn is_place(self) -> bool {
        matches!(self, BeamQuantity::Position(_) | BeamQuantity::Velocity(_) | BeamQuantity::SectionAxis(..))
    }
}

impl Element {
    /// A quantity of node a by name, entered in a sum.
    fn of_node(&self, a: usize, what: &Motion, sum: &mut Sum) -> Option<Expr> {
        let word = match what {
            Motion::Position(axis) => format!("position.{}", axis.word()),
            Motion::Velocity(axis) => format!("velocity.{}", axis.word()),
            Motion::Rotation(row, column) => format!("rotation.{}{}", row.word(), column.word()),
            _ => return None,
        };
        let name = format!("{}.{word}", self.names[a]);
        add(&mut sum.named, name.clone(), Quantity::Body { body: self.first + a, what: *what });
        Expr::name(&name)
    }

    /// Σ w_a of a quantity of the nodes, entered in a sum.
    fn weighted(&self, weights: &[f64], what: &Motion, sum: &mut Sum) -> Option<Expr> {
        let mut own = Sum::default();
        for (a, weight) in weights.iter().enumerate().filter(|(_, weight)| weight.abs() > NO_SHARE) {
            own.add(Expr::number(*weight) * self.of_node(a, what, sum)?);
        }
        Some(own.done().expr)
    }

    fn mean(&self, weights: &[f64], what: &Motion) -> Option<Equation> {
        let mut sum = Sum::default();
        let value = self.weighted(weights, what, &mut sum)?;
        sum.add(value);
        Some(sum.done())
    }

    /// Σ w_a d_k^a along a world axis, with d_k of the element, which is turned against the node at a corner.
    fn director(&self, weights: &[f64], k: usize, along: Axis, sum: &mut Sum) -> Option<Expr> {
        let mut own = Sum::default();
        for (a, weight) in weights.iter().enumerate().filter(|(_, weight)| weight.abs() > NO_SHARE) {
            for (m, column) in AXES.into_iter().enumerate() {
                let factor = weight * self.turns[a][(m, k)];
                if factor != 0.0 {
                    own.add(Expr::number(factor) * self.of_node(a, &Motion::Rotation(along, column), sum)?);
                }
            }
        }
        Some(own.done().expr)
    }

    fn axis(&self, weights: &[f64], k: usize, along: Axis) -> Option<Equation> {
        let mut sum = Sum::default();
        let value = self.director(weights, k, along, &mut sum)?;
        sum.add(value);
        Some(sum.done())
    }

    /// Strain i: Γ_i = d_i·r′, K_i = ½(d_k·d_j′ − d_j·d_k′), less the reference.
    fn strain(&self, i: usize, shares: &[StrainShare]) -> Option<Equation> {
        let mut sum = Sum::default();
        for share in shares.iter().filter(|share| share.weight.abs() > NO_SHARE) {
            let (value, slope) = (&share.value, &share.slope);
            for along in AXES {
                let term = if i < 3 {
                    let line = self.weighted(slope, &Motion::Position(along), &mut sum)?;
                    self.director(value, i, along, &mut sum)? * line
                } else {
                    let (j, k) = ((i - 2) % 3, (i - 1) % 3);
                    let first = self.director(value, k, along, &mut sum)?
                        * self.director(slope, j, along, &mut sum)?;
                    let second = self.director(value, j, along, &mut sum)?
                        * self.director(slope, k, along, &mut sum)?;
                    Expr::number(0.5) * (first - second)
                };
                sum.add(Expr::number(share.weight) * term);
            }
            sum.add(Expr::number(-share.weight * share.reference[i]));
        }
        Some(sum.done())
    }

    /// Stress resultant i, with stiffness and viscosity.
    fn resultant(&self, i: usize, shares: &[StrainShare], of: &[Mat6; 2]) -> Option<Equation> {
        let mut sum = Sum::default();
        for j in 0..6 {
            let [stiffness, viscosity] = of.each_ref().map(|c| c[(i, j)]);
            if stiffness == 0.0 && viscosity == 0.0 {
                continue;
            }
            let strain = self.strain(j, shares)?;
            if viscosity != 0.0 {
                let rate = super::stop_law::rate(&strain).ok()?;
                sum.add(Expr::number(viscosity) * rate.expr);
                rate.named.into_iter().for_each(|(name, quantity)| add(&mut sum.named, name, quantity));
            }
            sum.add(Expr::number(stiffness) * strain.expr);
            strain.named.into_iter().for_each(|(name, quantity)| add(&mut sum.named, name, quantity));
        }
        Some(sum.done())
    }
}

/// A section as it was written, if it stands in the text.
fn shown<'a>(text: &'a Text, name: &'a str) -> &'a str {
    let plain = super::beam_place::with_plain_places(&text.value);
    plain
        .find(name)
        .and_then(|start| text.value.get(start..start + name.len()))
        .unwrap_or("a section of a beam")
}
