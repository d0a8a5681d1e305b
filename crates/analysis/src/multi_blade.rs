//! Small motions of a rotor with equal blades in multi-blade coordinates (Coleman's transformation).
//!
//! A blade b = 0 … N−1 stands at ψ_b = Ω t ± 2π b/N. Its displacements q_b, seen in axes that turn with it,
//! are replaced by sums over all blades,
//!
//! ```text
//! a_0 = Σ q_b/√N,   a_n = √(2/N) Σ q_b cos n ψ_b,   b_n = √(2/N) Σ q_b sin n ψ_b,   a_{N/2} = Σ (−1)^b q_b/√N
//! ```
//! n < N/2; all else is seen in axes that stand still. This is an orthogonal transformation z = C(t) y. With
//! three or more equal blades on a support that may be anything the equations of z are constant: harmonics of
//! the blades that a hub in fixed axes could feel cancel. Whether they are is computed, not assumed: the free
//! directions N_z of the start must be free at all times, and A(t) the same. Its eigenvalues are then
//! exponents with the frequencies that an observer on the ground sees.

use crate::linear::Linear;
use crate::periodic_linear::{PeriodicLinear, PeriodicLinearError};
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_mechanics::{Chart, GROUND, NodeId, State, System, Twist};
use poinsot_numerics::dense::{DenseError, Mat, c64, eigenvalues};
use std::f64::consts::TAU;
use thiserror::Error;

/// What a blade may be off its place, in parts of its distance from the axis, and a speed off Ω.
const IN_PLACE: f64 = 1e-6;

/// A rotor: nodes of each blade, in the order of the blades around the axis, alike in all blades.
#[derive(Clone, Debug, PartialEq)]
pub struct Rotor {
    /// Nodes of each blade.
    pub blades: Vec<Vec<NodeId>>,
}

/// Constant equations of small motions.
#[derive(Clone, Debug)]
pub struct MultiBlade {
    /// Ω (rad/s).
    pub speed: f64,
    /// σ, greatest growth first (1/s); of a pair the one above the axis first.
    pub exponents: Vec<c64>,
    /// Periodic part of A, relative to it.
    pub variation: f64,
}

/// Why the equations are not constant in multi-blade coordinates.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MultiBladeError {
    /// Too few blades.
    #[error(
        "a rotor with {0} blades has no constant equations in multi-blade coordinates: two blades are stiffer and \
         heavier along one line than across it, and that line turns"
    )]
    TooFew(usize),
    /// Blades with different numbers of nodes.
    #[error("blade {blade} has {found} moving parts, blade 1 has {first}")]
    Parts {
        /// Which, from 1.
        blade: usize,
        /// Its number.
        found: usize,
        /// That of the first.
        first: usize,
    },
    /// A blade does not turn steadily.
    #[error("blade {blade} does not turn steadily: its speed differs by {share:.1e} of that of blade 1")]
    NotSteady {
        /// Which, from 1.
        blade: usize,
        /// By how much.
        share: f64,
    },
    /// The period is no whole number of turns.
    #[error("the rotor makes {0:.6} turns in the period: it must be a whole number")]
    Turns(f64),
    /// A blade is not where it would be.
    #[error(
        "blade {blade} is not where it would be on a rotor of {count} equal blades, by {share:.1e} of its distance from the axis"
    )]
    OutOfPlace {
        /// Which, from 1.
        blade: usize,
        /// How many there are.
        count: usize,
        /// By how much.
        share: f64,
    },
    /// Numbers beside rigid motions.
    #[error("{0} is no rigid part: such parts have no multi-blade coordinates yet")]
    Number(String),
    /// Constraints that differ from blade to blade.
    #[error(
        "joints leave other directions free as the rotor turns: at t = {t:.6} s {share:.1e} of one is held"
    )]
    Joints {
        /// When.
        t: f64,
        /// By how much.
        share: f64,
    },
    /// Coefficients that stay periodic.
    #[error(
        "the equations keep a periodic part of {share:.2e}: the blades, or their loads, are not alike{most}"
    )]
    Periodic {
        /// Its share.
        share: f64,
        /// The blade that differs most from the first, in words.
        most: String,
    },
    /// No linear equations.
    #[error(transparent)]
    Linear(#[from] PeriodicLinearError),
    /// A dense computation failed.
    #[error(transparent)]
    Dense(#[from] DenseError),
}

/// Where the rotor is at a time.
struct Turned {
    /// Ω t ± 2π b/N of each blade.
    angles: Vec<f64>,
    axis: Vec3,
}

impl Rotor {
    /// Constant equations about a motion with states and accelerations at n times k T/n. A periodic part of
    /// them, and what constraints hold of directions that are free at the start, must be below a limit that
    /// the accuracy of the motion leaves.
    pub fn constant(
        &self,
        system: &System,
        motion: &[(State, Vec<f64>)],
        period: f64,
        limit: f64,
    ) -> Result<MultiBlade, MultiBladeError> {
        let count = self.blades.len();
        if count < 3 {
            return Err(MultiBladeError::TooFew(count));
        }
        let first = self.blades[0].len();
        if let Some(blade) = self.blades.iter().position(|nodes| nodes.len() != first || nodes.is_empty()) {
            let found = self.blades[blade].len();
            return Err(MultiBladeError::Parts { blade: blade + 1, found, first });
        }
        for node in system.nodes() {
            if !matches!(
                node.chart,
                Chart::Fixed
                    | Chart::Point
                    | Chart::PlanarPoint { .. }
                    | Chart::Motion
                    | Chart::Planar { .. }
            ) {
                return Err(MultiBladeError::Number(node.name.clone()));
            }
        }
        let (speed, sense) = self.speed(system, &motion[0].0, period)?;
        let unknowns: Vec<usize> = system.nodes().iter().flat_map(|n| n.unknowns()).collect();
        let turns: Vec<Mat<f64>> = motion
            .iter()
            .map(|(state, _)| {
                let angle = speed.norm() * (state.t - motion[0].0.t);
                let of = |b: usize| angle + sense * TAU * b as f64 / count as f64;
                let turned = Turned { angles: (0..count).map(of).collect(), axis: speed.normalize() };
                self.transformation(system, state, &turned, &unknowns)
            })
            .collect();
        let linear =
            PeriodicLinear::turned(system, motion, period, &turns, limit).map_err(|error| match error {
                PeriodicLinearError::HeldOnTheWay { t, share } => MultiBladeError::Joints { t, share },
                error => error.into(),
            })?;
        let n = linear.samples[0].nrows();
        let times = linear.samples.len() as f64;
        let mut mean = Mat::<f64>::zeros(n, n);
        linear.samples.iter().for_each(|a| mean += a * (1.0 / times));
        let apart = |a: &Mat<f64>| (a - &mean).norm_max();
        let share = linear.samples.iter().map(apart).fold(0.0, f64::max) / mean.norm_max();
        if share.is_nan() || share > limit {
            return Err(MultiBladeError::Periodic { share, most: self.unlike(system, &motion[0]) });
        }
        balance(&mut mean, linear.basis[0].ncols());
        let mut exponents = eigenvalues(mean.as_ref())?;
        exponents.sort_by(|a, b| b.re.total_cmp(&a.re).then(b.im.total_cmp(&a.im)));
        Ok(MultiBlade { speed: speed.norm(), exponents, variation: share })
    }

    /// Ω along its axis, and the sense in which blades follow each other about it.
    fn speed(&self, system: &System, state: &State, period: f64) -> Result<(Vec3, f64), MultiBladeError> {
        let count = self.blades.len();
        let rigid = |nodes: &Vec<NodeId>| {
            let turning = nodes
                .iter()
                .find(|&&k| matches!(system.nodes()[k].chart, Chart::Motion | Chart::Planar { .. }));
            turning.map(|&k| state.frames[k].rot * system.twist(k, &state.v).angular)
        };
        let omega = rigid(&self.blades[0]).unwrap_or_else(Vec3::zeros);
        for (b, nodes) in self.blades.iter().enumerate() {
            let share = (rigid(nodes).unwrap_or_else(Vec3::zeros) - omega).norm() / omega.norm();
            if share.is_nan() || share > IN_PLACE {
                return Err(MultiBladeError::NotSteady { blade: b + 1, share });
            }
        }
        let turns = omega.norm() * period / TAU;
        if (turns - turns.round()).abs() > IN_PLACE || turns.round() < 1.0 {
            return Err(MultiBladeError::Turns(turns));
        }
        // Of the farthest part of each blade, about the middle of them all.
        let axis = omega.normalize();
        let place = |b: usize, k: usize| state.frames[self.blades[b][k]].r;
        let middle = |k: usize| (0..count).map(|b| place(b, k)).sum::<Vec3>() / count as f64;
        let arm = |b: usize, k: usize| {
            let r = place(b, k) - middle(k);
            r - axis * axis.dot(&r)
        };
        let parts = 0..self.blades[0].len();
        let far = parts.max_by(|&a, &b| arm(0, a).norm().total_cmp(&arm(0, b).norm())).unwrap_or(0);
        let mut best = (f64::INFINITY, 1.0, 1);
        for sense in [1.0, -1.0] {
            let off = |b: usize| {
                let turn = so3::exp(&(axis * (sense * TAU * b as f64 / count as f64)));
                (arm(b, far) - turn * arm(0, far)).norm() / arm(0, far).norm()
            };
            let worst =
                (1..count).map(|b| (off(b), b)).max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, 0));
            if worst.0 < best.0 {
                best = (worst.0, sense, worst.1 + 1);
            }
        }
        let (share, sense, blade) = best;
        if share.is_nan() || share > IN_PLACE {
            return Err(MultiBladeError::OutOfPlace { blade, count, share });
        }
        Ok((omega, sense))
    }

    /// C: a row for each multi-blade coordinate, in the places of the unknowns that it replaces.
    fn transformation(
        &self,
        system: &System,
        state: &State,
        turned: &Turned,
        unknowns: &[usize],
    ) -> Mat<f64> {
        let size = unknowns.len();
        let mut row_of = vec![usize::MAX; system.size()];
        unknowns.iter().enumerate().for_each(|(i, &e)| row_of[e] = i);
        let mut c = Mat::<f64>::zeros(size, size);
        let mut blade_of = vec![None; system.nodes().len()];
        for (b, nodes) in self.blades.iter().enumerate() {
            nodes.iter().enumerate().for_each(|(place, &node)| blade_of[node] = Some((b, place)));
        }
        let count = self.blades.len();
        let mut v = vec![0.0; system.size()];
        for (k, node) in system.nodes().iter().enumerate() {
            for e in node.unknowns() {
                v[e] = 1.0;
                let twist = system.twist(k, &v);
                v[e] = 0.0;
                let rot = state.frames[k].rot;
                let turning = rot * twist.angular;
                let Some((b, place)) = blade_of[k] else {
                    // In axes that stand still; angles of a plane are the same in all.
                    let still = match node.chart {
                        Chart::Motion => Twist { linear: twist.linear, angular: turning },
                        _ => twist,
                    };
                    write(&mut c, &row_of, node, &still, 1.0, row_of[e]);
                    continue;
                };
                let back: Mat3 = so3::exp(&(turned.axis * -turned.angles[b]));
                let seen = match node.chart {
                    Chart::Planar { .. } => Twist { linear: back * twist.linear, angular: twist.angular },
                    _ => Twist { linear: back * twist.linear, angular: back * turning },
                };
                for (harmonic, nodes) in self.blades.iter().enumerate() {
                    let target = &system.nodes()[nodes[place]];
                    let weight = weight(harmonic, b, count, turned.angles[b]);
                    write(&mut c, &row_of, target, &seen, weight, row_of[e]);
                }
            }
        }
        c
    }

    /// The blade whose masses differ most from those of the first.
    fn unlike(&self, system: &System, (state, a): &(State, Vec<f64>)) -> String {
        let linear = Linear::about(system, state, a, GROUND);
        let masses = |nodes: &[NodeId]| -> Vec<f64> {
            let own = nodes.iter().flat_map(|&k| system.nodes()[k].unknowns());
            own.map(|i| system.pattern().index(i, i).map_or(0.0, |slot| linear.mass[slot])).collect()
        };
        let first = masses(&self.blades[0]);
        let mut worst = (1e-9, String::new());
        for (b, nodes) in self.blades.iter().enumerate().skip(1) {
            for (x, y) in masses(nodes).iter().zip(&first) {
                let share = (x - y).abs() / x.abs().max(y.abs()).max(f64::MIN_POSITIVE);
                if share > worst.0 {
                    worst = (
                        share,
                        format!("; a mass of blade {} differs by {share:.1e} from that of blade 1", b + 1),
                    );
                }
            }
        }
        worst.1
    }
}

/// Velocities in units of a rate w = √|A₂₁|, that of the stiffest part: eigenvalues, which stay, are then
/// rounded by a part of w, not of w².
fn balance(a: &mut Mat<f64>, free: usize) {
    let size = (0..free).flat_map(|i| (0..free).map(move |j| (free + i, j)));
    let largest = size.map(|(i, j)| a[(i, j)].abs()).fold(0.0, f64::max);
    let w = largest.sqrt().max(1.0);
    let unit = |i: usize| if (free..2 * free).contains(&i) { w } else { 1.0 };
    for j in 0..a.ncols() {
        for i in 0..a.nrows() {
            a[(i, j)] *= unit(j) / unit(i);
        }
    }
}

/// The factor of blade b at ψ in the multi-blade coordinate: 0 the sum, then cos and sin in turn, for an even
/// number at last the difference of neighbours.
fn weight(coordinate: usize, b: usize, count: usize, angle: f64) -> f64 {
    let (one, two) = ((1.0 / count as f64).sqrt(), (2.0 / count as f64).sqrt());
    let n = coordinate.div_ceil(2) as f64;
    match coordinate {
        0 => one,
        _ if count.is_multiple_of(2) && coordinate == count - 1 => {
            if b.is_multiple_of(2) {
                one
            } else {
                -one
            }
        }
        _ if coordinate % 2 == 1 => two * (n * angle).cos(),
        _ => two * (n * angle).sin(),
    }
}

fn write(
    c: &mut Mat<f64>,
    row_of: &[usize],
    node: &poinsot_mechanics::Node,
    twist: &Twist,
    weight: f64,
    column: usize,
) {
    let own = node.unknowns();
    let mut values = vec![0.0; own.len()];
    node.chart.velocities(twist, &mut values);
    for (e, value) in own.zip(values) {
        c[(row_of[e], column)] += weight * value;
    }
}
