//! How a machine turns: which nodes go as one, about which axis, and which speeds joints leave free.
//!
//! Nodes that beams join move as one *cluster* with a twist t = (ω, u). At the start
//!
//! ```text
//! min Σ |t_g − t_h|  over joined clusters g, h       with  Σ G t = −drift  and the twist of the observer
//! ```
//! so that everything goes with what it is joined to unless constraints or drives ask for more: a blade on a
//! hinge goes with its hub, a wheel in gear with another one turns. Clusters that go as one have one axis.
//! A wheel on a moving axle, such as a planet of a gear, rests in the axes of what carries it except for a
//! spin of its own. With ρ the rates about all axes, constraints leave
//!
//! ```text
//! ρ = ρ₀ + N s         A ρ₀ = −drift,   A N = 0
//! ```

use super::{Rotation, SteadyError};
use crate::linear::{constraint_gradients, for_each_entry};
use poinsot_geometry::{Vec3, so3};
use poinsot_integrators::instant;
use poinsot_mechanics::{Chart, Frame, GROUND, NodeId, Scratch, State, System, Twist};
use poinsot_numerics::dense::Mat;
use poinsot_numerics::subspace::{null_space, pseudo_solve};
use std::collections::BTreeSet;

/// A singular value of rows below this share of the largest is none.
const RANK: f64 = 1e-9;
/// A rate below this share of the fastest is none, and two rates that differ by less are one.
const SAME_RATE: f64 = 1e-6;
/// Passes that make relative motions few rather than small, up to so many freedoms, and the relative motion
/// below which one counts as none.
const PASSES: usize = 20;
const MANY: usize = 120;
const NONE: f64 = 1e-8;
/// Weight of joints, of springs and the like, and of motion as such.
const WEIGHTS: [f64; 3] = [1.0, 1e-2, 1e-4];
/// Rate of a row, relative to the speed of the machine, at which it still goes with the motion: the position
/// is not yet the one sought, so that axes may be off by what a machine deforms.
const BORNE: f64 = 0.1;
/// The same for accelerations of constraints between bodies that move about one axis each.
const CARRIED: f64 = 1e-6;

/// An axis of rotation.
#[derive(Clone, Copy, Debug)]
struct Axis {
    /// Unit vector, world axes.
    direction: Vec3,
    /// A point of it.
    centre: Vec3,
}

/// How a node moves: at rest in axes that turn about an axis, except for a spin of its own.
#[derive(Clone, Copy, Debug, Default)]
struct NodeMotion {
    /// The axis it is carried about; none: it is at rest.
    carrier: Option<usize>,
    /// Number of its own rate, and its direction in body axes.
    spin: Option<(usize, Vec3)>,
    /// Whether it is a slope.
    slope: bool,
}

/// The rates of a machine about all its axes.
#[derive(Clone, Debug)]
pub(super) struct Kinematics {
    axes: Vec<Axis>,
    nodes: Vec<NodeMotion>,
    /// ρ₀.
    pub rates: Vec<f64>,
    /// N.
    pub free: Mat<f64>,
}

impl Kinematics {
    /// How many speeds are free.
    pub fn free_speeds(&self) -> usize {
        self.free.ncols()
    }

    /// Whether a node turns.
    pub fn turns(&self, node: NodeId) -> bool {
        let motion = &self.nodes[node];
        motion.carrier.is_some() || motion.spin.is_some()
    }

    /// Ω of the axes in which a node rests or spins, world axes.
    pub fn carrier(&self, node: NodeId, rates: &[f64]) -> Vec3 {
        self.nodes[node].carrier.map_or(Vec3::zeros(), |axis| self.axes[axis].direction * rates[axis])
    }

    /// Whether an axis carries a single node.
    fn carries_one(&self, axis: usize) -> bool {
        self.nodes.iter().filter(|node| node.carrier == Some(axis)).count() == 1
    }

    /// A point of the axis that a node is carried about; slopes turn where they are.
    fn centre(&self, node: NodeId) -> Vec3 {
        if self.nodes[node].slope {
            return Vec3::zeros();
        }
        self.nodes[node].carrier.map_or(Vec3::zeros(), |axis| self.axes[axis].centre)
    }

    /// The spin of a node in those axes, body axes.
    pub fn spin(&self, node: NodeId, rates: &[f64]) -> Vec3 {
        self.nodes[node].spin.map_or(Vec3::zeros(), |(rate, direction)| direction * rates[rate])
    }

    /// v = Ω × (r − c), ω = RᵀΩ + spin.
    pub fn twist(&self, node: NodeId, frame: &Frame, rates: &[f64]) -> Twist {
        let rate = self.carrier(node, rates);
        let linear = rate.cross(&(frame.r - self.centre(node)));
        Twist { linear, angular: frame.rot.tr_mul(&rate) + self.spin(node, rates) }
    }

    /// v̇ = Ω × v, ω̇ = RᵀΩ × spin, of two sets of rates: bilinear.
    pub fn acceleration(&self, node: NodeId, frame: &Frame, [one, other]: [&[f64]; 2]) -> Twist {
        let rate = self.carrier(node, one);
        let linear = rate.cross(&self.twist(node, frame, other).linear);
        Twist { linear, angular: frame.rot.tr_mul(&rate).cross(&self.spin(node, other)) }
    }

    /// A frame after some time: turned about the axis, and spun.
    pub fn later(&self, node: NodeId, frame: &Frame, rates: &[f64], time: f64) -> Frame {
        let (by, centre) = (so3::exp(&(self.carrier(node, rates) * time)), self.centre(node));
        let spun = so3::exp(&(self.spin(node, rates) * time));
        Frame { r: centre + by * (frame.r - centre), rot: by * frame.rot * spun }
    }

    /// Velocities at some rates, in the unknowns of the nodes.
    pub fn velocities(&self, system: &System, frames: &[Frame], rates: &[f64]) -> Vec<f64> {
        let mut v = vec![0.0; system.size()];
        for (k, node) in system.nodes().iter().enumerate().filter(|(k, _)| self.turns(*k)) {
            node.chart.velocities(&self.twist(k, &frames[k], rates), &mut v[node.unknowns()]);
        }
        v
    }

    /// Accelerations of two sets of rates, see [`Kinematics::acceleration`].
    pub fn accelerations(&self, system: &System, frames: &[Frame], rates: [&[f64]; 2]) -> Vec<f64> {
        let mut a = vec![0.0; system.size()];
        for (k, node) in system.nodes().iter().enumerate().filter(|(k, _)| self.turns(*k)) {
            node.chart.velocities(&self.acceleration(k, &frames[k], rates), &mut a[node.unknowns()]);
        }
        a
    }

    /// ρ of changes s of the free speeds, at a share of the others.
    pub fn rates_at(&self, share: f64, speeds: &[f64]) -> Vec<f64> {
        let of = |k: usize| (0..speeds.len()).map(|j| self.free[(k, j)] * speeds[j]).sum::<f64>();
        self.rates.iter().enumerate().map(|(k, rate)| share * rate + of(k)).collect()
    }

    /// How a machine turns from a position, with the observer as it is told to, or about the only axis that
    /// joints leave to it.
    pub fn of(
        system: &System,
        state: &State,
        observer: NodeId,
        rotation: Option<Rotation>,
    ) -> Result<Self, SteadyError> {
        Finder::new(system, state, observer).find(rotation)
    }
}

/// A twist field: ω, and the velocity of a point.
#[derive(Clone, Copy, Debug)]
struct Field {
    rate: Vec3,
    velocity: Vec3,
    point: Vec3,
}

impl Field {
    fn at(&self, r: &Vec3) -> Vec3 {
        self.velocity + self.rate.cross(&(r - self.point))
    }
    /// The distance from another field, in rates.
    fn apart(&self, other: &Field, length: f64) -> f64 {
        let slip = (self.at(&self.point) - other.at(&self.point)).norm() / length;
        (self.rate - other.rate).norm().max(slip)
    }
}

struct Finder<'a> {
    system: &'a System,
    state: &'a State,
    observer: NodeId,
    length: f64,
    /// Cluster of each node; 0 is at rest.
    cluster: Vec<usize>,
    /// First node of each cluster.
    first: Vec<NodeId>,
    /// G as (row, node unknown, value).
    gradients: Vec<(usize, usize, f64)>,
    /// Drift of each equation.
    drift: Vec<f64>,
}

impl<'a> Finder<'a> {
    fn new(system: &'a System, state: &'a State, observer: NodeId) -> Self {
        let (cluster, first) = clusters(system);
        let mut resting = state.clone();
        system.nodes().iter().for_each(|node| resting.v[node.unknowns()].fill(0.0));
        let (mut drift, zero) = (vec![0.0; system.size()], vec![0.0; system.size()]);
        system.constraint_rate(&instant(&resting, &zero), &mut drift, &mut Scratch::default());
        system.hold_variables(&mut drift);
        let values = constraint_gradients(system, &resting);
        let (is_row, mut gradients) = (system.is_constraint_row(), vec![]);
        for_each_entry(system, |row, column, slot| {
            if is_row[row] && !is_row[column] && values[slot] != 0.0 {
                gradients.push((row, column, values[slot]));
            }
        });
        let length = system.length_scale();
        Finder { system, state, observer, length, cluster, first, gradients, drift }
    }

    /// The twist of component `i` of a cluster: rates, then velocities in lengths.
    fn unit_field(&self, cluster: usize, i: usize) -> Field {
        let axis = Vec3::ith(i % 3, 1.0);
        let point = self.state.frames[self.first[cluster]].r;
        match i < 3 {
            true => Field { rate: axis, velocity: Vec3::zeros(), point },
            false => Field { rate: Vec3::zeros(), velocity: axis * self.length, point },
        }
    }

    /// The field of a cluster among the unknowns t.
    fn field(&self, cluster: usize, t: &[f64]) -> Field {
        let point = self.state.frames[self.first[cluster]].r;
        if cluster == 0 {
            return Field { rate: Vec3::zeros(), velocity: Vec3::zeros(), point };
        }
        let t = &t[6 * (cluster - 1)..6 * cluster];
        Field {
            rate: Vec3::new(t[0], t[1], t[2]),
            velocity: Vec3::new(t[3], t[4], t[5]) * self.length,
            point,
        }
    }

    fn unknowns(&self) -> usize {
        6 * (self.first.len() - 1)
    }

    /// ṙ of a node in a field; slopes are only turned.
    fn carried(&self, node: NodeId, field: &Field) -> Vec3 {
        let r = &self.state.frames[node].r;
        if self.system.nodes()[node].chart.is_slope() { field.rate.cross(r) } else { field.at(r) }
    }

    /// Velocities of a field in the unknowns of a node.
    fn node_velocities(&self, node: NodeId, field: &Field, v: &mut [f64]) {
        let frame = &self.state.frames[node];
        let twist = Twist { linear: self.carried(node, field), angular: frame.rot.tr_mul(&field.rate) };
        self.system.nodes()[node].chart.velocities(&twist, v);
    }

    /// G t = −drift, row by row, and what charts of nodes cannot do.
    fn rows(&self) -> (Vec<Vec<f64>>, Vec<f64>) {
        let (n, size) = (self.unknowns(), self.system.size());
        let mut columns = vec![vec![0.0; size]; n];
        let mut lost: Vec<Vec<f64>> = vec![];
        for (k, node) in self.system.nodes().iter().enumerate().filter(|(k, _)| self.cluster[*k] > 0) {
            let from = 6 * (self.cluster[k] - 1);
            let mut rows = vec![vec![0.0; n]; 6];
            for i in 0..6 {
                let field = self.unit_field(self.cluster[k], i);
                self.node_velocities(k, &field, &mut columns[from + i][node.unknowns()]);
                let done = node.chart.twist(&columns[from + i][node.unknowns()]);
                let frame = &self.state.frames[k];
                let unit = if node.chart.is_slope() { 1.0 } else { self.length };
                let linear = (self.carried(k, &field) - done.linear) / unit;
                let turning = matches!(node.chart, Chart::Motion | Chart::Planar { .. });
                let angular = if turning { field.rate - frame.rot * done.angular } else { Vec3::zeros() };
                (0..3).for_each(|j| (rows[j][from + i], rows[3 + j][from + i]) = (linear[j], angular[j]));
            }
            lost.extend(rows.into_iter().filter(|row| row.iter().any(|x| x.abs() > 1e-12)));
        }
        let mut values = vec![vec![0.0; n]; size];
        // Sizes that terms could have: inside of a cluster they cancel, but for rounding.
        let mut terms = vec![0.0_f64; size];
        for &(row, column, g) in &self.gradients {
            for (j, velocities) in columns.iter().enumerate().filter(|(_, c)| c[column] != 0.0) {
                values[row][j] += g * velocities[column];
                terms[row] = terms[row].max(g.abs() * fastest(velocities));
            }
        }
        let (mut rows, mut right) = (vec![], vec![]);
        for row in self.system.enforced_equations() {
            let norm = values[row].iter().map(|x| x * x).sum::<f64>().sqrt();
            if norm > RANK * terms[row] {
                rows.push(values[row].iter().map(|x| x / norm).collect());
                right.push(-self.drift[row] / norm);
            }
        }
        right.extend(vec![0.0; lost.len()]);
        rows.extend(lost);
        (rows, right)
    }

    /// Rows that give the observer its motion.
    fn observed(&self, rotation: &Rotation, rows: &mut Vec<Vec<f64>>, right: &mut Vec<f64>) {
        let cluster = self.cluster[self.observer];
        let point = self.state.frames[self.first[cluster]].r;
        let velocity = rotation.rate.cross(&(point - rotation.centre)) / self.length;
        for i in 0..6 {
            let mut row = vec![0.0; self.unknowns()];
            row[6 * (cluster - 1) + i] = 1.0;
            rows.push(row);
            right.push(if i < 3 { rotation.rate[i] } else { velocity[i - 3] });
        }
    }

    /// The only axis about which joints let the observer turn, at 1 rad/s.
    fn only_axis(&self, rows: &[Vec<f64>]) -> Result<Rotation, SteadyError> {
        let cluster = self.cluster[self.observer];
        let (free, _) = null_space(dense(rows, self.unknowns()).as_ref(), RANK)?;
        let from = 6 * (cluster - 1);
        let spins = Mat::from_fn(3, free.ncols(), |i, j| free[(from + i, j)]);
        let gram = Mat::from_fn(3, 3, |i, j| (0..free.ncols()).map(|k| spins[(i, k)] * spins[(j, k)]).sum());
        let body = || self.system.nodes()[self.observer].name.clone();
        let (still, rank) = null_space(gram.as_ref(), 1e-6)?;
        if rank != 1 || free.ncols() == 0 {
            let axes = if free.ncols() == 0 { 0 } else { rank };
            return Err(SteadyError::NoAxis { body: body(), axes });
        }
        let column = |j: usize| Vec3::new(still[(0, j)], still[(1, j)], still[(2, j)]);
        let axis = column(0).cross(&column(1)).normalize();
        // The motion with that spin and the least of all else has the axis.
        let right: Vec<f64> = (0..3).map(|i| axis[i]).collect();
        let (share, _) = pseudo_solve(spins.as_ref(), &right, 1e-9)?;
        let t: Vec<f64> =
            (0..self.unknowns()).map(|i| (0..free.ncols()).map(|j| free[(i, j)] * share[j]).sum()).collect();
        let field = self.field(cluster, &t);
        Ok(Rotation { rate: axis, centre: field.point + axis.cross(&field.velocity) })
    }

    /// Pairs of clusters that are joined, with the weight of what joins them.
    fn pairs(&self) -> Vec<(usize, usize, f64)> {
        let mut pairs = vec![];
        let mut add = |carried: &[poinsot_mechanics::Carried], weight: f64| {
            let of: BTreeSet<usize> = carried.iter().map(|c| self.cluster[c.node]).collect();
            if let [g, h] = of.into_iter().collect::<Vec<_>>()[..] {
                pairs.push((g, h, weight));
            }
        };
        self.system.constraints().iter().for_each(|c| add(c.law.carried(), WEIGHTS[0]));
        self.system.forces().iter().for_each(|f| add(f.law.carried(), WEIGHTS[1]));
        pairs
    }

    /// t with few relative motions.
    fn twists(&self, rows: &[Vec<f64>], right: &[f64]) -> Result<Vec<f64>, SteadyError> {
        let n = self.unknowns();
        let matrix = dense(rows, n);
        let (mut t, _) = pseudo_solve(matrix.as_ref(), right, RANK)?;
        let (free, _) = null_space(matrix.as_ref(), RANK)?;
        if free.ncols() == 0 {
            return Ok(t);
        }
        // Relative motions d = D t, three rates and three velocities in lengths each.
        let mut relative: Vec<(Vec<Vec<f64>>, f64)> = vec![];
        for (g, h, weight) in self.pairs() {
            let mut block = vec![vec![0.0; n]; 6];
            let point = self.state.frames[self.first[h]].r;
            for (cluster, sign) in [(g, 1.0), (h, -1.0)] {
                for i in (0..6).filter(|_| cluster > 0) {
                    let field = self.unit_field(cluster, i);
                    let velocity = field.at(&point) / self.length;
                    for j in 0..3 {
                        block[j][6 * (cluster - 1) + i] += sign * field.rate[j];
                        block[3 + j][6 * (cluster - 1) + i] += sign * velocity[j];
                    }
                }
            }
            relative.push((block, weight));
        }
        let unit = |i: usize| (0..n).map(|j| f64::from(u8::from(i == j))).collect::<Vec<f64>>();
        relative.extend((0..n).map(|i| (vec![unit(i)], WEIGHTS[2])));
        let speed = t.iter().fold(0.0_f64, |m, x| m.max(x.abs())).max(f64::MIN_POSITIVE);
        let passes = if free.ncols() <= MANY { PASSES } else { 1 };
        let along = |row: &[f64], t: &[f64]| row.iter().zip(t).map(|(a, b)| a * b).sum::<f64>();
        let column = |j: usize| (0..n).map(|i| free[(i, j)]).collect::<Vec<f64>>();
        let columns: Vec<Vec<f64>> = (0..free.ncols()).map(column).collect();
        for pass in 0..passes {
            let (mut left, mut wanted) = (vec![], vec![]);
            for (block, weight) in &relative {
                let d: Vec<f64> = block.iter().map(|row| along(row, &t)).collect();
                let size = d.iter().map(|x| x * x).sum::<f64>().sqrt() / speed;
                let by = (weight / if pass == 0 { 1.0 } else { size.max(NONE) }).sqrt();
                for (row, d) in block.iter().zip(&d) {
                    left.push(columns.iter().map(|c| by * along(row, c)).collect::<Vec<f64>>());
                    wanted.push(-by * d);
                }
            }
            let (step, _) = pseudo_solve(dense(&left, columns.len()).as_ref(), &wanted, 1e-13)?;
            for (step, column) in step.iter().zip(&columns) {
                t.iter_mut().zip(column).for_each(|(t, c)| *t += step * c);
            }
        }
        Ok(t)
    }

    fn find(&self, rotation: Option<Rotation>) -> Result<Kinematics, SteadyError> {
        let body = || self.system.nodes()[self.observer].name.clone();
        if self.cluster[self.observer] == 0 {
            return Err(SteadyError::NoAxis { body: body(), axes: 0 });
        }
        let (mut rows, mut right) = self.rows();
        let modelled = rotation.is_some();
        let rotation = match rotation {
            Some(rotation) => rotation,
            None => self.only_axis(&rows)?,
        };
        self.observed(&rotation, &mut rows, &mut right);
        let t = self.twists(&rows, &right)?;
        let speed = rotation.rate.norm();
        let mut kinematics = self.axes(&t, speed)?;
        self.carry(&mut kinematics, speed);
        self.add_free_axes(&mut kinematics);
        self.rates(&mut kinematics, speed)?;
        if !modelled {
            // Nothing was said about the speed: the free ones start from rest.
            let rates = kinematics.rates.clone();
            for j in 0..kinematics.free_speeds() {
                let along: f64 = rates.iter().enumerate().map(|(k, r)| kinematics.free[(k, j)] * r).sum();
                (0..rates.len()).for_each(|k| kinematics.rates[k] -= kinematics.free[(k, j)] * along);
            }
            let rounding = |rate: &&mut f64| rate.abs() <= RANK * speed;
            kinematics.rates.iter_mut().filter(rounding).for_each(|rate| *rate = 0.0);
        }
        Ok(kinematics)
    }

    /// One axis for clusters that go as one.
    fn axes(&self, t: &[f64], speed: f64) -> Result<Kinematics, SteadyError> {
        let fields: Vec<Field> = (0..self.first.len()).map(|g| self.field(g, t)).collect();
        let mut group: Vec<usize> = (0..self.first.len()).collect();
        for (g, h, _) in self.pairs().into_iter().filter(|(g, h, _)| *g > 0 && *h > 0) {
            if fields[g].apart(&fields[h], self.length) <= SAME_RATE * speed {
                let (old, new) = (group[g].max(group[h]), group[g].min(group[h]));
                group.iter_mut().filter(|x| **x == old).for_each(|x| *x = new);
            }
        }
        // The axis of the observer is the one that was asked for: it speaks for those that go with it.
        let spokesman = |g: usize| {
            let observer = self.cluster[self.observer];
            if group[observer] == group[g] { observer } else { group[g] }
        };
        let (mut axes, mut rates): (Vec<Axis>, Vec<f64>) = (vec![], vec![]);
        let mut axis_of: Vec<Option<usize>> = vec![None; self.first.len()];
        for g in 1..self.first.len() {
            let field = fields[spokesman(g)];
            let (rate, along) = (field.rate.norm(), field.velocity.norm() / self.length);
            if rate.max(along) <= SAME_RATE * speed || !self.is_moved(g, &field, speed) {
                continue;
            }
            let name = || self.system.nodes()[self.first[g]].name.clone();
            if rate <= SAME_RATE * speed {
                return Err(SteadyError::MovesOn { body: name() });
            }
            let direction = field.rate / rate;
            if direction.dot(&field.velocity).abs() > SAME_RATE * speed * self.length {
                return Err(SteadyError::MovesOn { body: name() });
            }
            let same = (1..g).find(|&h| group[h] == group[g]).and_then(|h| axis_of[h]);
            axis_of[g] = same.or_else(|| {
                let centre = field.point + direction.cross(&field.velocity) / rate;
                axes.push(Axis { direction, centre });
                rates.push(rate);
                Some(axes.len() - 1)
            });
        }
        let slope = |k: usize| self.system.nodes()[k].chart.is_slope();
        let carrier = |(k, cluster): (usize, &usize)| NodeMotion {
            carrier: axis_of[*cluster],
            spin: None,
            slope: slope(k),
        };
        let nodes = self.cluster.iter().enumerate().map(carrier).collect();
        let free = Mat::zeros(rates.len(), 0);
        Ok(Kinematics { axes, nodes, rates, free })
    }

    /// A point mass on the axis does not move.
    fn is_moved(&self, cluster: usize, field: &Field, speed: f64) -> bool {
        let nodes = self.system.nodes().iter().enumerate().filter(|(k, _)| self.cluster[*k] == cluster);
        nodes.into_iter().any(|(k, node)| {
            matches!(node.chart, Chart::Motion | Chart::Planar { .. })
                || !node.chart.is_slope()
                    && field.at(&self.state.frames[k].r).norm() > SAME_RATE * speed * self.length
        })
    }

    /// Largest acceleration of the rows of a constraint, relative to the square of the speed.
    fn unsteady(&self, kinematics: &Kinematics, c: usize, speed: f64) -> f64 {
        let rates = &kinematics.rates;
        let mut state = self.state.clone();
        let v = kinematics.velocities(self.system, &state.frames, rates);
        self.system.nodes().iter().flat_map(|n| n.unknowns()).for_each(|i| state.v[i] = v[i]);
        let a = kinematics.accelerations(self.system, &state.frames, [rates, rates]);
        let mut out = vec![0.0; self.system.size()];
        self.system.constraint_acceleration(&instant(&state, &a), &mut out, &mut Scratch::default());
        let law = &self.system.constraints()[c].law;
        let rows = (0..law.rows()).filter_map(|row| self.system.row_equation(c, row));
        rows.fold(0.0, |m: f64, eq| m.max(out[eq].abs())) / (speed * speed * self.length.max(1.0))
    }

    /// Bodies that turn on a moving axle rest in the axes of what carries them, except for their spin.
    fn carry(&self, kinematics: &mut Kinematics, speed: f64) {
        for c in 0..self.system.constraints().len() {
            let carried = self.system.constraints()[c].law.carried();
            let nodes: BTreeSet<NodeId> = carried.iter().map(|x| x.node).collect();
            let [a, b] = nodes.into_iter().collect::<Vec<_>>()[..] else { continue };
            if self.unsteady(kinematics, c, speed) <= CARRIED {
                continue;
            }
            for (wheel, arm) in [(b, a), (a, b)] {
                let before = self.unsteady(kinematics, c, speed);
                if let Some(changed) = self.carried_by(kinematics, wheel, arm, speed)
                    && self.unsteady(&changed, c, speed) < CARRIED * before
                {
                    *kinematics = changed;
                    break;
                }
            }
        }
    }

    /// The same with a wheel that is carried by an arm, if its origin moves so.
    fn carried_by(&self, from: &Kinematics, wheel: NodeId, arm: NodeId, speed: f64) -> Option<Kinematics> {
        let alone = self.cluster.iter().filter(|g| **g == self.cluster[wheel]).count() == 1;
        let axis = from.nodes[arm].carrier.filter(|_| alone && from.nodes[arm].spin.is_none())?;
        let frame = &self.state.frames[wheel];
        let total = from.twist(wheel, frame, &from.rates);
        let mut changed = from.clone();
        changed.nodes[wheel] = NodeMotion { carrier: Some(axis), spin: None, slope: false };
        let carried = changed.twist(wheel, frame, &from.rates);
        if (carried.linear - total.linear).norm() > SAME_RATE * speed * self.length {
            return None;
        }
        let spin = total.angular - carried.angular;
        let rate = spin.norm();
        let axis = Axis { direction: frame.rot * spin / rate, centre: frame.r };
        // Its own axis, about which nothing is carried any more, becomes that of its spin.
        match from.nodes[wheel].carrier.filter(|own| from.carries_one(*own)) {
            _ if rate <= SAME_RATE * speed => return None,
            Some(own) => {
                (changed.axes[own], changed.rates[own]) = (axis, rate);
                changed.nodes[wheel].spin = Some((own, spin / rate));
            }
            None => {
                changed.nodes[wheel].spin = Some((changed.rates.len(), spin / rate));
                changed.axes.push(axis);
                changed.rates.push(rate);
            }
        }
        Some(changed)
    }

    /// Axes for single bodies that a joint leaves only a rotation, and that go with what holds them: they may
    /// come to turn. What is carried must turn about its own centre.
    fn add_free_axes(&self, kinematics: &mut Kinematics) {
        for c in 0..self.system.constraints().len() {
            let law = &self.system.constraints()[c].law;
            let nodes: BTreeSet<NodeId> = law.carried().iter().map(|x| x.node).collect();
            let [a, b] = nodes.into_iter().collect::<Vec<_>>()[..] else { continue };
            let equations: BTreeSet<usize> =
                (0..law.rows()).filter_map(|row| self.system.row_equation(c, row)).collect();
            for (arm, node) in [(a, b), (b, a)] {
                if node != self.observer && self.goes_with(kinematics, node, arm) {
                    self.add_free_axis(kinematics, node, &equations);
                }
            }
        }
    }

    /// Whether a single body moves as what holds it.
    fn goes_with(&self, kinematics: &Kinematics, node: NodeId, arm: NodeId) -> bool {
        let alone = self.cluster.iter().filter(|g| **g == self.cluster[node]).count() == 1;
        let [own, other] = [node, arm].map(|k| kinematics.nodes[k]);
        alone && self.cluster[node] > 0 && own.carrier == other.carrier && own.spin.is_none()
    }

    fn add_free_axis(&self, kinematics: &mut Kinematics, node: NodeId, equations: &BTreeSet<usize>) {
        let Some(axis) = self.hinge(node, equations) else { return };
        let (number, frame) = (kinematics.axes.len(), &self.state.frames[node]);
        if kinematics.nodes[node].carrier.is_none() {
            kinematics.nodes[node].carrier = Some(number);
        } else if axis.direction.cross(&(frame.r - axis.centre)).norm() <= RANK * self.length {
            kinematics.nodes[node].spin = Some((number, frame.rot.tr_mul(&axis.direction)));
        } else {
            return;
        }
        kinematics.axes.push(axis);
        kinematics.rates.push(0.0);
    }

    /// The axis about which alone some rows let a node turn, if nothing turns it back.
    fn hinge(&self, node: NodeId, equations: &BTreeSet<usize>) -> Option<Axis> {
        let (cluster, unknowns) = (self.cluster[node], self.system.nodes()[node].unknowns());
        let dofs = unknowns.len();
        let mut velocities = vec![vec![0.0; dofs]; 6];
        for (i, v) in velocities.iter_mut().enumerate() {
            self.node_velocities(node, &self.unit_field(cluster, i), v);
        }
        let chart = &self.system.nodes()[node].chart;
        if !matches!(chart, Chart::Motion | Chart::Planar { .. }) {
            return None;
        }
        let mut rows = vec![];
        for equation in equations {
            let mut row = vec![0.0; 6];
            for &(_, column, g) in
                self.gradients.iter().filter(|(r, c, _)| r == equation && unknowns.contains(c))
            {
                (0..6).for_each(|i| row[i] += g * velocities[i][column - unknowns.start]);
            }
            rows.push(row);
        }
        if let Chart::Planar { normal, .. } = chart {
            let n = self.state.frames[node].rot * normal;
            let (e, f) = (n.cross(&any_across(&n)), any_across(&n));
            rows.extend([e, f].map(|e| vec![e.x, e.y, e.z, 0.0, 0.0, 0.0]));
            rows.push(vec![0.0, 0.0, 0.0, n.x, n.y, n.z]);
        }
        let (free, _) = null_space(dense(&rows, 6).as_ref(), RANK).ok()?;
        if free.ncols() != 1 {
            return None;
        }
        let rate = Vec3::new(free[(0, 0)], free[(1, 0)], free[(2, 0)]);
        let velocity = Vec3::new(free[(3, 0)], free[(4, 0)], free[(5, 0)]) * self.length;
        let norm = rate.norm();
        let along = rate.dot(&velocity).abs();
        if norm <= RANK || along > RANK * norm * self.length {
            return None;
        }
        let direction = rate / norm;
        let axis = Axis { direction, centre: self.state.frames[node].r + direction.cross(&velocity) / norm };
        (!self.is_held(node, &axis)).then_some(axis)
    }

    /// Whether what acts on a node depends on its angle.
    fn is_held(&self, node: NodeId, axis: &Axis) -> bool {
        let torque = |angle: f64| {
            let mut state = self.state.clone();
            self.system.nodes().iter().for_each(|node| state.v[node.unknowns()].fill(0.0));
            let turn = so3::exp(&(axis.direction * angle));
            let frame = &mut state.frames[node];
            frame.r = axis.centre + turn * (frame.r - axis.centre);
            frame.rot = turn * frame.rot;
            self.system.remember(&mut state);
            let mut out = vec![0.0; self.system.size()];
            let zero = out.clone();
            self.system.residual(&instant(&state, &zero), &mut out, &mut Scratch::default());
            let frame = &state.frames[node];
            let linear = axis.direction.cross(&(frame.r - axis.centre));
            let twist = Twist { linear, angular: frame.rot.tr_mul(&axis.direction) };
            let entry = &self.system.nodes()[node];
            let mut v = vec![0.0; entry.unknowns().len()];
            entry.chart.velocities(&twist, &mut v);
            let terms: Vec<f64> = out[entry.unknowns()].iter().zip(&v).map(|(r, v)| r * v).collect();
            (terms.iter().sum::<f64>(), terms.iter().map(|x| x.abs()).sum::<f64>())
        };
        let (first, size) = torque(0.0);
        [0.3, -0.7, 1.1].into_iter().any(|angle| {
            let (other, its_size) = torque(angle);
            (other - first).abs() > 1e-9 * size.max(its_size)
        })
    }

    /// ρ₀ and N of the constraints.
    fn rates(&self, kinematics: &mut Kinematics, speed: f64) -> Result<(), SteadyError> {
        let p = kinematics.rates.len();
        let unit = |j: usize| (0..p).map(|i| f64::from(u8::from(i == j))).collect::<Vec<f64>>();
        let patterns: Vec<Vec<f64>> =
            (0..p).map(|j| kinematics.velocities(self.system, &self.state.frames, &unit(j))).collect();
        let mut values = vec![vec![0.0; p]; self.system.size()];
        // Sizes that terms could have: a place that rounding puts beside an axis moves, but does not count.
        let mut terms = vec![0.0_f64; self.system.size()];
        for &(row, column, g) in &self.gradients {
            for (j, pattern) in patterns.iter().enumerate() {
                values[row][j] += g * pattern[column];
                terms[row] = terms[row].max(g.abs() * fastest(pattern));
            }
        }
        let equations = self.system.enforced_equations();
        let rows: Vec<Vec<f64>> = equations.iter().map(|&eq| values[eq].clone()).collect();
        let rest: Vec<f64> = equations
            .iter()
            .map(|&eq| {
                self.drift[eq] + values[eq].iter().zip(&kinematics.rates).map(|(a, r)| a * r).sum::<f64>()
            })
            .collect();
        let worst = crate::tangent::largest(&rest);
        if worst.1 > BORNE * speed * self.length.max(1.0) {
            return Err(SteadyError::NotRigid {
                equation: self.system.equation_name(equations[worst.0]),
                speed,
            });
        }
        // Rows that rounding, or axes which are a little off, leave are none: they would hold everything.
        let size = |k: usize| rows[k].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let kept: Vec<usize> =
            (0..rows.len()).filter(|&k| size(k) > SAME_RATE * terms[equations[k]]).collect();
        let matrix = dense(&kept.iter().map(|&k| rows[k].clone()).collect::<Vec<_>>(), p);
        let right: Vec<f64> = kept.iter().map(|&k| -rest[k]).collect();
        if kept.is_empty() {
            kinematics.free = Mat::identity(p, p);
            return Ok(());
        }
        let (change, _) = pseudo_solve(matrix.as_ref(), &right, SAME_RATE)?;
        kinematics.rates.iter_mut().zip(&change).for_each(|(rate, d)| *rate += d);
        kinematics.free = null_space(matrix.as_ref(), SAME_RATE)?.0;
        Ok(())
    }
}

/// The largest of some velocities.
fn fastest(velocities: &[f64]) -> f64 {
    velocities.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}

/// A unit vector across another one.
fn any_across(n: &Vec3) -> Vec3 {
    let smallest = (0..3).fold(0, |best, i| if n[i].abs() < n[best].abs() { i } else { best });
    n.cross(&Vec3::ith(smallest, 1.0)).normalize()
}

/// Rows as a matrix with at least one row.
fn dense(rows: &[Vec<f64>], columns: usize) -> Mat<f64> {
    Mat::from_fn(rows.len().max(1), columns, |i, j| rows.get(i).map_or(0.0, |row| row[j]))
}

/// Nodes that beams join; what cannot move is the first cluster.
fn clusters(system: &System) -> (Vec<usize>, Vec<NodeId>) {
    let nodes = system.nodes();
    let fixed = |k: usize| nodes[k].chart == Chart::Fixed || nodes[k].chart.is_number();
    let mut label: Vec<usize> = (0..nodes.len()).map(|k| if fixed(k) { GROUND } else { k }).collect();
    for force in system.forces().iter().filter(|f| f.law.extensions().beam.is_some()) {
        let of: Vec<usize> = force.law.carried().iter().map(|c| label[c.node]).collect();
        let Some(&new) = of.iter().min() else { continue };
        label.iter_mut().filter(|l| of.contains(l)).for_each(|l| *l = new);
    }
    let mut first: Vec<NodeId> = vec![GROUND];
    let mut cluster = vec![0; nodes.len()];
    for (k, &own) in label.iter().enumerate() {
        cluster[k] = match own {
            GROUND => 0,
            own if own == k => {
                first.push(k);
                first.len() - 1
            }
            earlier => cluster[earlier],
        };
    }
    (cluster, first)
}
