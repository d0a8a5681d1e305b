//! Values that joints are asked to start with: equations that hold at the start and are dropped behind it.
//!
//! ```text
//! coordinate     s(x) = s₀                                 rate                ṡ = v₀
//! orientation    2 (B_ji − B_ij)/(1 + tr B) = 0            angular velocity    u_k·ω₂ − u_k·ω₁ = Ω_k
//! ```
//! B = (R₁ A)ᵀ R₂ is the turn that is missing from the asked orientation A of the second node in the axes of
//! the first, by the angle θ about n. Its rows are 2 tan(θ/2) n, which grows all the way to half a turn:
//! there is no other root. u_k are the axes of the first node.

use crate::coordinate::Coordinate;
use crate::equations::{Equation, Equations, Law};
use crate::nodes::carried::{Carried, NodeId};
use crate::nodes::chart::Frame;
use crate::speed::Speed;
use crate::system::System;
use crate::system::state::State;
use poinsot_geometry::{Mat3, Vec3, so3};

/// A value that a joint is asked to start with.
#[derive(Clone, Debug)]
pub struct StartValue {
    /// Name of the joint.
    pub joint: String,
    /// What of it, e.g. `angle`.
    pub word: &'static str,
    /// What and how much.
    pub asked: Asked,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub enum Asked {
    /// The value of a coordinate.
    Coordinate(Coordinate, f64),
    /// The rate of a coordinate.
    Rate(Coordinate, f64),
    /// The orientation of the second node in the axes of the first.
    Orientation([NodeId; 2], Mat3),
    /// The angular velocity of the second node relative to the first, in the axes of the first.
    AngularVelocity([NodeId; 2], Vec3),
}

/// What people call the rows of a start value.
const NOUN: &str = "start value";

/// The same of a single row.
const ROW: &str = "asked value";

/// Pairs (i, j) with B_ji − B_ij = 2 sin θ n_k for k = 0, 1, 2.
const AROUND: [(usize, usize); 3] = [(1, 2), (2, 0), (0, 1)];

impl StartValue {
    /// Whether it asks for a velocity.
    pub fn is_rate(&self) -> bool {
        matches!(self.asked, Asked::Rate(..) | Asked::AngularVelocity(..))
    }

    /// What is asked for as numbers; an orientation as a rotation vector.
    pub fn asked_numbers(&self) -> Vec<f64> {
        match &self.asked {
            Asked::Coordinate(_, value) | Asked::Rate(_, value) => vec![*value],
            Asked::Orientation(_, axes) => so3::log(axes).as_slice().to_vec(),
            Asked::AngularVelocity(_, rate) => rate.as_slice().to_vec(),
        }
    }

    /// The same numbers as they are in a state; an angle in the turn nearest to the one that is asked for.
    pub fn numbers_at(&self, system: &System, state: &State) -> Vec<f64> {
        match &self.asked {
            Asked::Coordinate(s, asked) => vec![value(s, &state.frames, *asked)],
            Asked::Rate(s, _) => {
                let twist = |c: &Carried| system.twist(c.node, &state.v);
                let speed = |c: &Carried| c.velocity(&state.frames[c.node], &twist(c));
                let velocities: Vec<Vec3> = s.carried().iter().map(speed).collect();
                vec![s.rate(&places(s, &state.frames), &velocities)]
            }
            Asked::Orientation(nodes, _) => so3::log(&relative(nodes, &state.frames)).as_slice().to_vec(),
            Asked::AngularVelocity([first, second], _) => {
                let spin = |node: NodeId| state.frames[node].rot * system.twist(node, &state.v).angular;
                let relative = spin(*second) - spin(*first);
                state.frames[*first].rot.tr_mul(&relative).as_slice().to_vec()
            }
        }
    }

    /// How far a state is from what is asked for.
    pub fn miss(&self, system: &System, state: &State) -> f64 {
        if let Asked::Orientation(nodes, axes) = &self.asked {
            return so3::angle_between(&relative(nodes, &state.frames), axes);
        }
        let numbers = self.numbers_at(system, state).into_iter().zip(self.asked_numbers());
        numbers.map(|(is, asked)| (is - asked).abs()).fold(0.0, f64::max)
    }

    /// How far a node has to turn for it at least (rad), from a configuration; zero where nothing turns.
    pub fn turn_from(&self, frames: &[Frame]) -> f64 {
        match &self.asked {
            Asked::Coordinate(s @ Coordinate::Angle(_), asked) => (asked - value(s, frames, *asked)).abs(),
            Asked::Orientation(nodes, axes) => so3::angle_between(&relative(nodes, frames), axes),
            _ => 0.0,
        }
    }

    /// The value that is a share of the way from a configuration to the one asked for.
    pub fn part_way(&self, frames: &[Frame], share: f64) -> StartValue {
        let asked = match &self.asked {
            Asked::Coordinate(s, asked) => {
                let from = value(s, frames, *asked);
                Asked::Coordinate(s.clone(), asked - (1.0 - share) * (asked - from))
            }
            Asked::Orientation(nodes, axes) => {
                let from = relative(nodes, frames);
                let missing = so3::log(&axes.tr_mul(&from));
                Asked::Orientation(*nodes, axes * so3::exp(&(missing * (1.0 - share))))
            }
            other => other.clone(),
        };
        StartValue { asked, ..self.clone() }
    }

    /// Its rows.
    pub(crate) fn rows(&self) -> Equations {
        let asked = |value: &f64| Law::linear(vec![1.0], *value);
        let (coordinates, speeds, rows, near, at) = match &self.asked {
            Asked::Coordinate(s, value) => {
                let row = Equation::holonomic(ROW, 1, asked(value));
                (vec![s.clone()], vec![], vec![row], vec![*value], s.carried()[0])
            }
            Asked::Rate(s, value) => {
                let row = Equation { name: ROW, coordinates: vec![], speeds: vec![0], law: asked(value) };
                (vec![], vec![Speed::Rate(s.clone())], vec![row], vec![], s.carried()[0])
            }
            Asked::Orientation([first, second], axes) => {
                let cosine = |k: usize| {
                    let along = |node, axes: &Mat3, k| Carried::direction(node, axes.column(k).into_owned());
                    let pair = [along(*first, axes, k / 3), along(*second, &Mat3::identity(), k % 3)];
                    Coordinate::Cosine(pair)
                };
                let rows = AROUND.map(|(i, j)| Self::missing_turn(3 * j + i, 3 * i + j)).to_vec();
                let at = Carried::point(*second, Vec3::zeros());
                ((0..9).map(cosine).collect(), vec![], rows, vec![], at)
            }
            Asked::AngularVelocity([first, second], rate) => {
                let axis = |k: usize| Carried::direction(*first, Mat3::identity().column(k).into_owned());
                let spin = |k: usize| Speed::spin(if k < 3 { *second } else { *first }, axis(k % 3));
                let row = |k: usize| Equation {
                    name: ROW,
                    coordinates: vec![],
                    speeds: vec![k, k + 3],
                    law: Law::linear(vec![1.0, -1.0], rate[k]),
                };
                let at = Carried::point(*second, Vec3::zeros());
                (vec![], (0..6).map(spin).collect(), (0..3).map(row).collect(), vec![], at)
            }
        };
        Equations::new(NOUN, coordinates, speeds, rows, at).called(NOUN).starting_near(&near)
    }

    /// A component of 2 tan(θ/2) n, with the cosines B_ij at 3 i + j.
    fn missing_turn(more: usize, less: usize) -> Equation {
        let law = Law::formula("2*(b - c)/(1 + p + q + r)", &["p", "q", "r", "b", "c", "t"], &[]);
        Equation { name: ROW, coordinates: vec![0, 4, 8, more, less], speeds: vec![], law }
    }
}

/// The carried vectors of a coordinate.
fn places(s: &Coordinate, frames: &[Frame]) -> Vec<Vec3> {
    s.carried().iter().map(|c| c.value(&frames[c.node])).collect()
}

/// A coordinate; an angle in the turn nearest to `near`.
fn value(s: &Coordinate, frames: &[Frame], near: f64) -> f64 {
    s.value(&places(s, frames), near)
}

/// The orientation of the second node in the axes of the first.
fn relative([first, second]: &[NodeId; 2], frames: &[Frame]) -> Mat3 {
    frames[*first].rot.tr_mul(&frames[*second].rot)
}
