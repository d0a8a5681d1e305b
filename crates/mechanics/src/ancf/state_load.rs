//! Loads and moments per length on a cubic line that read the state, as those of beams with section axes do.
//!
//! ```text
//! f_a = Σ_g w ψ_a L(y) q(t, s, x, ẋ, d₁, d₂, d₃, r, ρ),   ψ = s, or s′ of a moment
//! x = Σ s_b x_b,   y = r′ = Σ s_b′ x_b,   d_k = B_k y/|y| + c_k
//! ∂f_a/∂x_b = Σ_g w ψ_a (s_b L ∂q/∂x + s_b′ (L Σ_k ∂q/∂d_k ∂d_k/∂y + ∂(L q)/∂y))
//! ```
//! with L, B and c of `action.rs`. In space a line has the axis d₃ = y/|y| alone. What it adds to the energy
//! is supplied, what it takes dissipated, element by element.

use super::action::{Action, ActionPoint, CableLoadKind, across};
use super::node::SlopeNode;
use crate::beams::line_force::LineForce;
use crate::beams::line_law::*;
use crate::coordinate::Coordinate;
use crate::element_buffers::Blocks;
use crate::force::{Extensions, Force, Motion, Power};
use crate::forces::{By, StateLawError, booked};
use crate::nodes::carried::Carried;
use crate::room::{with_numbers, with_vectors};
use poinsot_expr::Function;
use poinsot_geometry::{Mat3, Vec3};
use std::ops::AddAssign;

/// Vectors of an element.
const VECTORS: usize = 4;

/// A load or moment per length, a law of the state.
#[derive(Clone, Debug)]
pub struct CableStateLoad {
    carried: Vec<Carried>,
    action: Action,
    law: LineLaw,
}

/// Derivatives of L q at a point by x, ẋ and y.
struct Slopes {
    place: Mat3,
    velocity: Mat3,
    slope: Mat3,
}

impl CableStateLoad {
    /// As [`CableLoad::new`](super::CableLoad::new); the functions have the arguments t, s, position,
    /// velocity, d₁, d₂, d₃ (three components each), the readings, the reactions and the variables. In space
    /// they must not use d₁ and d₂.
    #[expect(clippy::too_many_arguments, reason = "where it is, what it does, and what it follows")]
    pub fn new(
        ends: &[SlopeNode; 2],
        from: f64,
        l: f64,
        kind: CableLoadKind,
        axes: &Mat3,
        normal: Option<Vec3>,
        read: LineReadings,
        load: &[Function; 3],
    ) -> Result<Self, StateLawError> {
        let action = Action::new(ends, from, l, kind, axes, normal);
        let mut carried = action.carried.to_vec();
        let law = LineLaw::new(&mut carried, read, load)?;
        Ok(CableStateLoad { carried, action, law })
    }

    /// Puts the section at a point among the arguments; returns r′.
    fn fill(&self, p: &ActionPoint, at: &Motion, arguments: &mut [f64]) -> Vec3 {
        let y = Action::slope(p, &at.x[..VECTORS]);
        let t = y.normalize();
        let sum = |x: &[Vec3]| x[..VECTORS].iter().zip(&p.shape.value).map(|(x, s)| x * *s).sum::<Vec3>();
        let mut section = [sum(at.x), sum(at.xdot), Vec3::zeros(), Vec3::zeros(), Vec3::zeros()];
        for (k, d) in section[2..].iter_mut().enumerate() {
            let (by_t, constant) = self.action.turned(p, &Vec3::ith(k, 1.0));
            *d = by_t * t + constant;
        }
        LineLaw::fill_section(at.t, p.s, &section, arguments);
        y
    }

    /// The derivatives at each point, and L ∂q by readings, reactions and variables.
    fn differentiate(
        &self,
        at: &Motion,
        mut each: impl FnMut(&ActionPoint, &Slopes),
        mut each_read: impl FnMut(&ActionPoint, usize, Vec3),
    ) {
        let count = self.law.count();
        with_numbers(count + self.law.partials(), |room| {
            let (arguments, partials) = room.split_at_mut(count);
            self.law.fill_read(at, arguments);
            for p in &self.action.points {
                let y = self.fill(p, at, arguments);
                let of_t = across(&y);
                let columns = [0, 1, 2].map(|i| self.action.force(p, &Vec3::ith(i, p.weight), &y));
                let mut slopes =
                    Slopes { place: Mat3::zeros(), velocity: Mat3::zeros(), slope: Mat3::zeros() };
                let q = self.law.slopes(arguments, partials, |i, argument, partial| {
                    let column = columns[i] * partial;
                    let component = match argument {
                        LawArgument::Read(j) => return each_read(p, j, column),
                        LawArgument::Section(component) => component,
                    };
                    let k = component % 3;
                    match component / 3 {
                        0 => slopes.place.column_mut(k).add_assign(&column),
                        VELOCITY => slopes.velocity.column_mut(k).add_assign(&column),
                        vector => {
                            let (by_t, _) = self.action.turned(p, &Vec3::ith(vector - 2, 1.0));
                            slopes.slope += column * (by_t * of_t).row(k);
                        }
                    }
                });
                slopes.slope += self.action.by_slope(p, &(Vec3::from(q) * p.weight), &y);
                each(p, &slopes);
            }
        });
    }
}

impl Force for CableStateLoad {
    fn kind(&self) -> &'static str {
        "load per length"
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        with_numbers(self.law.count(), |arguments| {
            self.law.fill_read(at, arguments);
            for p in &self.action.points {
                let y = self.fill(p, at, arguments);
                let q = Vec3::from(self.law.value(arguments)) * p.weight;
                let force = self.action.force(p, &q, &y);
                f.iter_mut().zip(self.action.factors(p)).for_each(|(f, s)| *f += force * *s);
            }
        });
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, c: &mut Blocks) {
        with_vectors(self.law.read() * VECTORS, |by_read| {
            let (own, drag) = (k.push_table(VECTORS), c.push_table(VECTORS));
            let each = |p: &ActionPoint, slopes: &Slopes| {
                for (a, left) in self.action.factors(p).iter().enumerate() {
                    for (b, (value, slope)) in p.shape.value.iter().zip(&p.shape.slope).enumerate() {
                        own[VECTORS * a + b].value += (slopes.place * *value + slopes.slope * *slope) * *left;
                        drag[VECTORS * a + b].value += slopes.velocity * (left * value);
                    }
                }
            };
            self.differentiate(at, each, |p, j, column| {
                let nodes = by_read[VECTORS * j..].iter_mut().zip(self.action.factors(p));
                nodes.for_each(|(to, s)| *to += column * *s);
            });
            // D_aj ⊗ ∂r_j/∂x_b and D_aj ⊗ ∂r_j/∂ẋ_b.
            self.law.readings.slopes(at, |j, level, columns, slopes| {
                let out = if level == By::Position { &mut *k } else { &mut *c };
                for (&column, slope) in columns.iter().zip(slopes) {
                    let b = self.law.readings.columns(level)[column];
                    let along = by_read[VECTORS * j..][..VECTORS].iter().enumerate();
                    along.for_each(|(a, along)| out.push_outer(a, b, along, slope));
                }
            });
        });
    }

    fn sees_velocity(&self) -> bool {
        self.law.readings.see_velocity() || self.law.reads(VELOCITY)
    }

    fn is_active(&self) -> bool {
        self.sees_velocity() || self.law.is_pressed()
    }

    fn power(&self, at: &Motion) -> Power {
        with_vectors(self.carried.len(), |f| {
            self.force(at, f);
            booked(f.iter().zip(at.xdot).map(|(f, v)| f.dot(v)).sum())
        })
    }

    fn memories(&self) -> usize {
        self.law.readings.len()
    }

    fn start_memory(&self, near: &dyn Fn(&Coordinate) -> f64, memory: &mut [f64]) {
        self.law.readings.start_memory(near, memory);
    }

    fn remember(&self, at: &Motion, memory: &mut [f64]) {
        self.law.readings.values(at, memory);
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            piecewise: Some(self),
            pressed: self.law.is_pressed().then_some(self),
            ..Extensions::default()
        }
    }
}

impl LineForce for CableStateLoad {
    fn law(&self) -> &LineLaw {
        &self.law
    }

    fn points(&self) -> usize {
        self.action.points.len()
    }

    fn fill_point(&self, place: usize, at: &Motion, arguments: &mut [f64]) {
        self.fill(&self.action.points[place], at, arguments);
    }

    fn add_by_reaction(&self, j: usize, at: &Motion, f: &mut [Vec3]) {
        let wanted = self.law.pressing(j);
        let add = |p: &ActionPoint, read: usize, column: Vec3| {
            if read == wanted {
                f.iter_mut().zip(self.action.factors(p)).for_each(|(f, s)| *f += column * *s);
            }
        };
        self.differentiate(at, |_, _| {}, add);
    }
}
