//! A system linearised about a state, moving or not.
//!
//! Small deviations are described in the axes of an *observer* that turns with angular velocity Ω: z holds,
//! for every node, the displacement and the tilt. With y the same in the node's own unknowns and W the
//! turning of the axes,
//!
//! ```text
//! δq = y,     δv = y′ + W y,     δa = y″ + (2W − E) y′ + (W − E) W y
//! ```
//! where y′ stands for ż and E for the spin ω × of the node itself. Hence
//!
//! ```text
//! M y″ + Ĉ y′ + K̂ y + Gᵀ λ = F u         Ĉ = M (2W − E) + C,    K̂ = M (W − E) W + C W + K
//! G y = 0   (holonomic rows)              G y′ + N̂ y = 0  (rows on velocities),   N̂ = G W + N
//! ```
//! with C = ∂R/∂v, K = ∂R/∂q (the constraint forces' own stiffness included) and N = ∂(rate)/∂q. About a
//! steady motion that looks the same to the observer at all times (a rotor on symmetric bearings seen from
//! the ground, a blade seen from its hub, a wheel seen from the car) the matrices are constant;
//! `steadiness.rs` tells.
//!
//! Variables of networks stand beside the velocities: M holds ∂F/∂ẏ, Ĉ holds ∂F/∂y and the velocities that
//! are read, K̂ the positions that are read, for equations with and without rates alike. Loads stand in the
//! balance of the mechanics.

use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_integrators::instant;
use poinsot_mechanics::{Chart, Instant, Linearization, NodeId, Scratch, State, System};

/// Matrices of a linearised system on the pattern of the system.
#[derive(Clone, Debug)]
pub struct Linear {
    /// M.
    pub mass: Vec<f64>,
    /// Ĉ.
    pub damping: Vec<f64>,
    /// K̂.
    pub stiffness: Vec<f64>,
    /// Gᵀ, G, and ones on the diagonal of suspended rows.
    pub constraints: Vec<f64>,
    /// N̂ in the rows on velocities.
    pub drift: Vec<f64>,
    /// Magnitudes of the terms that M, Ĉ, K̂ and N̂ are sums of: centrifugal and gyroscopic ones cancel in
    /// them.
    pub sizes: LinearSizes,
    /// Whether an equation is a constraint row.
    pub is_row: Vec<bool>,
    /// Whether it is a row on velocities.
    pub on_velocities: Vec<bool>,
    /// Equations of rows in force.
    pub rows: Vec<usize>,
    /// W of every node.
    pub turning: Vec<[[f64; 6]; 6]>,
    /// E of every node.
    pub spin: Vec<[[f64; 6]; 6]>,
}

/// See [`Linear::sizes`].
#[derive(Clone, Debug)]
pub struct LinearSizes {
    /// Of Ĉ.
    pub damping: Vec<f64>,
    /// Of K̂.
    pub stiffness: Vec<f64>,
    /// Of N̂.
    pub drift: Vec<f64>,
}

fn magnitudes(values: &[f64]) -> Vec<f64> {
    values.iter().map(|v| v.abs()).collect()
}

/// The turning of each node's unknowns: W and E as small matrices.
struct Turning {
    w: [[f64; 6]; 6],
    e: [[f64; 6]; 6],
    dofs: usize,
}

impl Turning {
    fn new(chart: &Chart, rot: &Mat3, spin: &Vec3, observer: &Vec3) -> Self {
        let mut turning = Turning { w: [[0.0; 6]; 6], e: [[0.0; 6]; 6], dofs: chart.dofs() };
        let axes: [Vec3; 3] = match chart {
            Chart::PlanarPoint { e1, e2 } | Chart::PlanarSlope { e1, e2 } | Chart::Planar { e1, e2, .. } => {
                [*e1, *e2, Vec3::zeros()]
            }
            _ => [Vec3::x(), Vec3::y(), Vec3::z()],
        };
        if !(*chart == Chart::Fixed || chart.is_number()) {
            for i in 0..chart.vector_dofs() {
                for j in 0..chart.vector_dofs() {
                    turning.w[i][j] = axes[i].dot(&observer.cross(&axes[j]));
                }
            }
        }
        if matches!(chart, Chart::Motion) {
            let (own, frame) = (so3::skew(spin), so3::skew(&rot.tr_mul(observer)));
            for i in 0..3 {
                for j in 0..3 {
                    turning.w[3 + i][3 + j] = frame[(i, j)];
                    turning.e[3 + i][3 + j] = own[(i, j)];
                }
            }
        }
        turning
    }

    fn combine(&self, mut entry: impl FnMut(usize, usize) -> f64) -> [[f64; 6]; 6] {
        let mut m = [[0.0; 6]; 6];
        for (i, row) in m.iter_mut().enumerate().take(self.dofs) {
            for (j, value) in row.iter_mut().enumerate().take(self.dofs) {
                *value = entry(i, j);
            }
        }
        m
    }

    /// 2W − E.
    fn first(&self) -> [[f64; 6]; 6] {
        self.combine(|i, j| 2.0 * self.w[i][j] - self.e[i][j])
    }

    /// |W|.
    fn size(&self) -> [[f64; 6]; 6] {
        self.combine(|i, j| self.w[i][j].abs())
    }

    /// 2|W| + |E|.
    fn first_size(&self) -> [[f64; 6]; 6] {
        self.combine(|i, j| 2.0 * self.w[i][j].abs() + self.e[i][j].abs())
    }

    /// (|W| + |E|)².
    fn second_size(&self) -> [[f64; 6]; 6] {
        let sum = |i: usize, j: usize| self.w[i][j].abs() + self.e[i][j].abs();
        self.combine(|i, j| (0..self.dofs).map(|k| sum(i, k) * sum(k, j)).sum())
    }

    /// (W − E) W.
    fn second(&self) -> [[f64; 6]; 6] {
        self.combine(|i, j| (0..self.dofs).map(|k| (self.w[i][k] - self.e[i][k]) * self.w[k][j]).sum())
    }
}

/// Ones among the displacements of each node, and among its rotations.
fn whole_blocks(system: &System) -> Vec<[[f64; 6]; 6]> {
    let block = |chart: &Chart| {
        let linear = chart.linear_dofs();
        let one = |i: usize, j: usize| f64::from((i < linear) == (j < linear) && i.max(j) < chart.dofs());
        std::array::from_fn(|i| std::array::from_fn(|j| one(i, j)))
    };
    system.nodes().iter().map(|node| block(&node.chart)).collect()
}

/// out += A B with B block diagonal over the nodes, on the pattern of the system.
fn add_turned(system: &System, a: &[f64], b: &[[[f64; 6]; 6]], out: &mut [f64]) {
    let pattern = system.pattern();
    for (node, b) in system.nodes().iter().zip(b) {
        let (first, dofs) = (node.unknowns().start, node.chart.dofs());
        // All columns of a node have the same rows: they form a clique with each other.
        for (k, b) in b.iter().enumerate().take(dofs) {
            for (&row, slot) in pattern.rows(first + k).iter().zip(pattern.slots(first + k)) {
                if a[slot] == 0.0 {
                    continue;
                }
                for j in (0..dofs).filter(|&j| b[j] != 0.0) {
                    if let Some(target) = pattern.index(row, first + j) {
                        out[target] += a[slot] * b[j];
                    }
                }
            }
        }
    }
}

impl Linear {
    /// Linearises about a state with its accelerations and multipliers, seen by a node (ground for the
    /// world).
    pub fn about(system: &System, state: &State, a: &[f64], observer: NodeId) -> Self {
        let at = instant(state, a);
        let mark = |equations: Vec<usize>| {
            let mut marks = vec![false; system.size()];
            equations.into_iter().for_each(|eq| marks[eq] = true);
            marks
        };
        let (is_row, on_velocities) =
            (mark(system.constraint_equations()), mark(system.velocity_equations()));
        let mut mass = matrix(system, &at, [1.0, 0.0, 0.0], 0.0);
        let mut damping = matrix(system, &at, [0.0, 1.0, 0.0], 0.0);
        let mut stiffness = matrix(system, &at, [0.0, 0.0, 1.0], 1.0);
        let (mut constraints, mut drift) = (vec![0.0; mass.len()], vec![0.0; mass.len()]);
        let mut drift_size = vec![0.0; mass.len()];
        for_each_entry(system, |row, column, slot| {
            if is_row[row] || is_row[column] {
                constraints[slot] = mass[slot];
                if on_velocities[row] && !is_row[column] {
                    drift[slot] = stiffness[slot] - mass[slot];
                    drift_size[slot] = stiffness[slot].abs() + mass[slot].abs();
                }
                (mass[slot], damping[slot], stiffness[slot]) = (0.0, 0.0, 0.0);
            }
        });
        // Equations without rates have their constants in all three matrices, and what they read of positions
        // in the last.
        let algebraic = mark(system.algebraic_equations());
        for_each_entry(system, |row, _, slot| {
            if algebraic[row] {
                mass[slot] = 0.0;
                stiffness[slot] -= damping[slot];
            }
        });
        let observer = observer_spin(system, state, observer);
        let turnings = turnings(system, state, &observer);
        let each = |f: fn(&Turning) -> [[f64; 6]; 6]| -> Vec<_> { turnings.iter().map(f).collect() };
        let (turning, spin) = (each(|t| t.w), each(|t| t.e));
        let (mass_size, mut damping_size, mut stiffness_size) =
            (magnitudes(&mass), magnitudes(&damping), magnitudes(&stiffness));
        // Weights and inertial forces stand in K with the length of the model or less as arm.
        let nodes = 0..system.nodes().len();
        let pull = nodes.map(|k| system.twist(k, a).linear.norm()).fold(system.gravity.norm(), f64::max);
        let fall = pull / system.length_scale();
        stiffness_size.iter_mut().zip(&mass_size).for_each(|(k, m)| *k += fall * m);
        add_turned(system, &mass_size, &each(Turning::second_size), &mut stiffness_size);
        // So do the inertial forces of a turning frame, in all directions of a node: they cancel along its
        // axis.
        let (rate, blocks) = (system.frame_rate.norm(), whole_blocks(system));
        if rate > 0.0 {
            let sized = |by: f64| -> Vec<f64> { mass_size.iter().map(|m| by * m).collect() };
            add_turned(system, &sized(rate * rate), &blocks, &mut stiffness_size);
            add_turned(system, &sized(2.0 * rate), &blocks, &mut damping_size);
        }
        add_turned(system, &mass, &each(Turning::second), &mut stiffness);
        if observer != Vec3::zeros() {
            add_turned(system, &damping, &turning, &mut stiffness);
            let mut rows = vec![0.0; mass.len()];
            for_each_entry(system, |row, column, slot| {
                if on_velocities[row] && !is_row[column] {
                    rows[slot] = constraints[slot];
                }
            });
            add_turned(system, &rows, &turning, &mut drift);
            let size = each(Turning::size);
            add_turned(system, &damping_size, &size, &mut stiffness_size);
            add_turned(system, &magnitudes(&rows), &size, &mut drift_size);
        }
        add_turned(system, &mass, &each(Turning::first), &mut damping);
        add_turned(system, &mass_size, &each(Turning::first_size), &mut damping_size);
        let sizes = LinearSizes { damping: damping_size, stiffness: stiffness_size, drift: drift_size };
        let rows = system.enforced_equations();
        Linear {
            mass,
            damping,
            stiffness,
            constraints,
            drift,
            sizes,
            is_row,
            on_velocities,
            rows,
            turning,
            spin,
        }
    }

    /// α K̂ + β Ĉ + γ M with the constraints; rows on velocities are δ G + N̂.
    pub fn combine(&self, system: &System, [k, c, m]: [f64; 3], by_rate: f64) -> Vec<f64> {
        let mut values: Vec<f64> = (0..self.mass.len())
            .map(|s| k * self.stiffness[s] + c * self.damping[s] + m * self.mass[s] + self.constraints[s])
            .collect();
        for_each_entry(system, |row, column, slot| {
            if self.on_velocities[row] && !self.is_row[column] {
                values[slot] = by_rate * self.constraints[slot] + self.drift[slot];
            }
        });
        values
    }
}

/// Matrices of a motion in which every node rests or spins in axes that turn at a rate of their own.
pub(crate) struct TurningMatrices {
    /// M, and ∂F/∂η̇ of networks.
    pub mass: Vec<f64>,
    /// C, and ∂F/∂η of networks.
    pub damping: Vec<f64>,
    /// K̂ with the constraints, G also in rows on velocities.
    pub stiffness: Vec<f64>,
}

impl TurningMatrices {
    /// At a state with its accelerations and multipliers; rates of the axes of each node and what they change
    /// by, Ω and Ω̇, world axes. The latter adds M Ω̇ × to K̂.
    pub fn about(system: &System, (state, a): (&State, &[f64]), rates: &[Vec3], changes: &[Vec3]) -> Self {
        let at = instant(state, a);
        let is_row = system.is_constraint_row();
        let mut algebraic = vec![false; system.size()];
        system.algebraic_equations().into_iter().for_each(|eq| algebraic[eq] = true);
        let mut mass = matrix(system, &at, [1.0, 0.0, 0.0], 0.0);
        let mut damping = matrix(system, &at, [0.0, 1.0, 0.0], 0.0);
        let mut stiffness = matrix(system, &at, [0.0, 0.0, 1.0], 1.0);
        for_each_entry(system, |row, column, slot| {
            if is_row[row] || is_row[column] {
                stiffness[slot] = mass[slot];
                (mass[slot], damping[slot]) = (0.0, 0.0);
            } else if algebraic[row] {
                mass[slot] = 0.0;
                stiffness[slot] -= damping[slot];
            }
        });
        let turnings = |rates: &[Vec3]| -> Vec<Turning> {
            let each = system.nodes().iter().enumerate().map(|(k, node)| {
                let spin = system.twist(k, &state.v).angular;
                Turning::new(&node.chart, &state.frames[k].rot, &spin, &rates[k])
            });
            each.collect()
        };
        let each = turnings(rates);
        let second: Vec<_> = each.iter().map(Turning::second).collect();
        let first: Vec<_> = each.iter().map(|turning| turning.w).collect();
        add_turned(system, &mass, &second, &mut stiffness);
        add_turned(system, &damping, &first, &mut stiffness);
        if changes.iter().any(|change| *change != Vec3::zeros()) {
            let changing: Vec<_> = turnings(changes).iter().map(|turning| turning.w).collect();
            add_turned(system, &mass, &changing, &mut stiffness);
        }
        TurningMatrices { mass, damping, stiffness }
    }
}

/// G in the slots of the constraint rows.
pub(crate) fn constraint_gradients(system: &System, state: &State) -> Vec<f64> {
    let zero = vec![0.0; system.size()];
    matrix(system, &instant(state, &zero), [1.0, 0.0, 0.0], 0.0)
}

/// Relates local unknowns at two instants through the observer's axes.
pub(crate) struct SeenBy {
    /// Turning of each node's unknowns from the first to the second instant.
    maps: Vec<Mat3>,
    linear: Mat3,
}

impl SeenBy {
    pub fn new(system: &System, first: &State, second: &State, observer: NodeId) -> Self {
        // y = T z with T = (S, RᵀS): y₂ = T₂ T₁ᵀ y₁.
        let linear = second.frames[observer].rot * first.frames[observer].rot.transpose();
        let map = |k: usize| second.frames[k].rot.transpose() * linear * first.frames[k].rot;
        SeenBy { maps: (0..system.nodes().len()).map(map).collect(), linear }
    }

    pub fn turn(&self, system: &System, y: &mut [f64]) {
        for (node, map) in system.nodes().iter().zip(&self.maps) {
            if node.chart == Chart::Motion {
                let y = &mut y[node.unknowns()];
                let moved = self.linear * Vec3::new(y[0], y[1], y[2]);
                let turned = map * Vec3::new(y[3], y[4], y[5]);
                y[..3].copy_from_slice(moved.as_slice());
                y[3..].copy_from_slice(turned.as_slice());
            } else if !(node.chart == Chart::Fixed || node.chart.is_number()) {
                let twist = node.chart.twist(&y[node.unknowns()]);
                let turned = poinsot_mechanics::Twist { linear: self.linear * twist.linear, ..twist };
                node.chart.velocities(&turned, &mut y[node.unknowns()]);
            }
        }
    }
}

/// Calls `f(row, column, slot)` for every stored entry.
pub(crate) fn for_each_entry(system: &System, mut f: impl FnMut(usize, usize, usize)) {
    let pattern = system.pattern();
    for column in 0..pattern.n() {
        for (&row, slot) in pattern.rows(column).iter().zip(pattern.slots(column)) {
            f(row, column, slot);
        }
    }
}

/// The step matrix with the given weights of M, C and K at one instant.
fn matrix(system: &System, at: &Instant, [mass, damping, stiffness]: [f64; 3], gamma: f64) -> Vec<f64> {
    let identity = vec![Mat3::identity(); system.nodes().len()];
    let networks = !system.networks().is_empty();
    let linearization =
        Linearization { mass, damping, stiffness, gamma, networks, ..Linearization::at(*at, &identity) };
    let mut values = vec![0.0; system.pattern().nnz()];
    system.step_matrix(&linearization, &mut values, &mut Scratch::default());
    values
}

/// Angular velocity of the observer, world axes.
pub(crate) fn observer_spin(system: &System, state: &State, observer: NodeId) -> Vec3 {
    state.frames[observer].rot * system.twist(observer, &state.v).angular
}

fn turnings(system: &System, state: &State, observer: &Vec3) -> Vec<Turning> {
    let nodes = system.nodes().iter().enumerate();
    nodes
        .map(|(k, node)| {
            let spin = system.twist(k, &state.v).angular;
            Turning::new(&node.chart, &state.frames[k].rot, &spin, observer)
        })
        .collect()
}
