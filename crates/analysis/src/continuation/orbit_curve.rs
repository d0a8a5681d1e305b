//! Periodic motions as a curve.
//!
//! ```text
//! A_i p_i − p_{i+1} + c_i τ + d_i π = −g_i       i = 0 … K−1,   p_K = p_0,   τ = δT/T,   π = δp/scale
//! Σ b_i p_i                         = 0          where T is unknown
//! Σ n_i p_i         + n_τ τ + n_p π = 0          orthogonal to a direction, or 1 for the tangent
//! ```
//! with the linearised steps of [`crate::periodic`]. d_i, the change of a step with the parameter, is a
//! central difference of fourth order between members of the family: every state is put onto the constraints
//! of the other member, stepped there, and compared with the next state put onto them likewise. There are no
//! exact derivatives by parameters. A period that is known as a function of the parameter changes with it.

use crate::continuation::curve::{Curve, Miss, Passed, Step};
use crate::continuation::orbit_member::{OrbitMember, OrbitMembers, tools};
use crate::continuation::orbit_point::{OrbitPoint, OrbitWay, weights};
use crate::continuation::orbit_singular::{self, OrbitFound};
use crate::periodic::{Changes, Correction, Orbit, PeriodicError, PeriodicScheme};
use poinsot_numerics::cyclic::{Joined, Ring};
use poinsot_numerics::dense::Mat;
use poinsot_numerics::irregular;
use std::rc::Rc;

/// Change of the parameter in differences, relative to its scale.
const CHANGE: f64 = 1e-3;
/// Singular values below this part of the largest belong to free directions.
const FREE: f64 = 1e-11;

/// Periodic motions along a parameter.
pub(crate) struct OrbitCurve<'f> {
    pub members: OrbitMembers<'f>,
    pub scheme: PeriodicScheme,
    /// Time of the start (s).
    pub start: f64,
    pub scale: f64,
    pub tolerance: f64,
    /// Typical rate of the motion (rad/s), of the units S: that at the start, everywhere.
    pub rate: f64,
    /// Entries of a change that count.
    pub entries: usize,
    /// ln |λ| up to which a multiplier counts as on the unit circle.
    pub open: f64,
    /// Multipliers that are 1 all along, of motions that nothing holds.
    pub idle: usize,
    /// Sum of errors of the elements above which they are chosen anew; none if they stay.
    pub mesh_tolerance: Option<f64>,
    pub iterations: usize,
    pub remeshed: usize,
    pub last: Option<Linear>,
    pub next_id: u64,
}

/// A motion with its linearised steps, and the border of the ring solved.
pub(crate) struct Linear {
    id: u64,
    pub bases: Vec<Mat<f64>>,
    pub blocks: Vec<Mat<f64>>,
    /// S⁻¹ẋ_i in the basis, where the period is unknown.
    pub flows: Vec<Mat<f64>>,
    gaps: Vec<Mat<f64>>,
    columns: Vec<Mat<f64>>,
    phase: Vec<Mat<f64>>,
    pub scale: Vec<f64>,
    solved: Option<[OrbitWay; 2]>,
    worst: String,
}

pub(crate) fn miss(error: PeriodicError) -> Miss {
    Miss::Other(error.to_string())
}

impl OrbitCurve<'_> {
    pub fn fresh(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    pub fn member(&mut self, parameter: f64) -> Result<Rc<OrbitMember>, Miss> {
        self.members.at(parameter).map_err(Miss::Family)
    }

    /// Calls with the correction of a member.
    pub fn with<T>(
        &self,
        member: &OrbitMember,
        multiple: usize,
        then: impl FnOnce(&mut Correction) -> Result<T, PeriodicError>,
    ) -> Result<T, Miss> {
        let (mut map, mut changes) =
            tools(&self.scheme, &member.system, self.rate).map_err(|error| miss(error.into()))?;
        let wound = |&(eq, advance): &(usize, f64)| (eq, multiple as f64 * advance);
        let advances: Vec<(usize, f64)> = member.advances.iter().map(wound).collect();
        let mut correction = Correction {
            system: &member.system,
            map: &mut *map,
            changes: &mut changes,
            start: self.start,
            free_period: member.period.is_none(),
            breaks: !self.members.breaks().is_empty(),
            advances: &advances,
            pins: None,
        };
        then(&mut correction).map_err(miss)
    }

    /// The linearised steps at a point; those that are known, if it is the last one.
    pub fn steps(&mut self, at: &OrbitPoint) -> Result<&mut Linear, Miss> {
        let known = self.last.as_ref().is_some_and(|linear| linear.id == at.id);
        if !known {
            let member = self.member(at.parameter)?;
            let mut orbit = at.orbit.clone();
            orbit.set_times(self.start);
            let linear =
                self.with(&member, at.multiple, |correction| Linear::of(correction, &mut orbit, at.id))?;
            self.last = Some(linear);
        }
        self.last.as_mut().ok_or_else(|| Miss::Other("no steps".into()))
    }

    /// g_i with another value of the parameter, its states put onto the constraints there.
    fn gaps_at(&mut self, at: &OrbitPoint, parameter: f64) -> Result<Vec<Vec<f64>>, Miss> {
        let member = self.member(parameter)?;
        let mut orbit = at.orbit.clone();
        if let Some(period) = member.period {
            orbit.period = at.multiple as f64 * period;
        }
        orbit.set_times(self.start);
        self.with(&member, at.multiple, |correction| {
            for state in &mut orbit.states {
                correction.changes.settle(state)?;
            }
            let count = orbit.elements();
            let mut end = orbit.end.clone();
            let mut gaps = Vec::with_capacity(count);
            for i in 0..count {
                correction.step(&orbit.states[i], orbit.fractions[i] * orbit.period, &mut end)?;
                let mut to = orbit.states[(i + 1) % count].clone();
                if i + 1 == count {
                    correction.advances.iter().for_each(|&(eq, advance)| to.v[eq] += advance);
                }
                let mut way = vec![0.0; correction.changes.size()];
                correction.changes.difference(&to, &end, &mut way);
                gaps.push(way);
            }
            Ok(gaps)
        })
    }

    /// d_i: how the gaps change with the parameter, per scale, as changes of states.
    fn by_parameter(&mut self, at: &OrbitPoint) -> Result<Vec<Vec<f64>>, Miss> {
        let mut sum: Vec<Vec<f64>> = vec![];
        for (k, weight) in [(1.0, 8.0), (-1.0, -8.0), (2.0, -1.0), (-2.0, 1.0)] {
            let gaps = self.gaps_at(at, at.parameter + k * CHANGE * self.scale)?;
            if sum.is_empty() {
                sum = gaps.iter().map(|gap| vec![0.0; gap.len()]).collect();
            }
            for (sum, gap) in sum.iter_mut().zip(&gaps) {
                sum.iter_mut().zip(gap).for_each(|(s, g)| *s += weight / (12.0 * CHANGE) * g);
            }
        }
        Ok(sum)
    }

    /// The direction of p_i, τ and π in solutions of the ring.
    fn way(&self, at: &OrbitPoint, around: &[Mat<f64>], border: [f64; 2], k: usize) -> OrbitWay {
        let linear = self.last.as_ref();
        let spread = around.iter().enumerate().map(|(i, p)| {
            linear.map_or_else(Vec::new, |linear| linear.spread(i, &p.subcols(k, 1).to_owned()))
        });
        OrbitWay {
            around: spread.collect(),
            tau: border[0],
            p: border[1],
            weights: weights(&at.orbit.fractions),
        }
    }

    /// φ with F_x φ = 0 at a point where F_x is singular, but for the parameter: of [F_x c; bᵀ 0] (φ, g) =
    /// (0, 1).
    pub fn null(&mut self, at: &OrbitPoint) -> Result<OrbitWay, Miss> {
        let linear = self.steps(at)?;
        let (count, m) = (linear.blocks.len(), linear.bases[0].ncols());
        let free = linear.columns[0].ncols();
        let any = |i: usize, j: usize, k: usize| irregular(7 * i + 31 * j + k);
        let ring = Ring {
            blocks: linear.blocks.clone(),
            columns: (0..count)
                .map(|i| {
                    let c = &linear.columns[i];
                    Mat::from_fn(m, free + 1, |r, k| if k < free { c[(r, k)] } else { any(i, r, 3) })
                })
                .collect(),
            rows: (0..count)
                .map(|i| {
                    let b = &linear.phase[i];
                    Mat::from_fn(free + 1, m, |r, k| if r < free { b[(r, k)] } else { any(i, k, 11) })
                })
                .collect(),
            corner: Mat::zeros(free + 1, free + 1),
            right: vec![Mat::zeros(m, 1); count],
            border: Mat::from_fn(free + 1, 1, |r, _| f64::from(r == free)),
        };
        let solved = ring.join().and_then(|joined| joined.close(FREE)).map_err(|e| miss(e.into()))?;
        let tau = if free > 0 { solved.border[(0, 0)] } else { 0.0 };
        Ok(self.way(at, &solved.around, [tau, 0.0], 0))
    }

    /// The mode that changes its sign with every period: p_K = −p_0.
    pub fn reversing(&mut self, at: &OrbitPoint) -> Result<OrbitWay, Miss> {
        let linear = self.steps(at)?;
        let joined = linear.joined()?;
        let n = joined.first.nrows();
        // E p_0 + F p_K = 0; a tiny shift keeps the matrix regular.
        let matrix = Mat::from_fn(n, n, |i, j| joined.first[(i, j)] - (1.0 + 1e-12) * joined.last[(i, j)]);
        let lu = poinsot_numerics::dense::DenseLu::new(matrix.as_ref())
            .map_err(|_| Miss::Singular("the mode of the doubled period".into()))?;
        let mut x: Vec<f64> = (0..n).map(irregular).collect();
        for _ in 0..4 {
            lu.solve(&mut x);
            let size = x.iter().map(|x| x * x).sum::<f64>().sqrt();
            if !(size.is_finite() && size > 0.0) {
                return Err(Miss::Singular("the mode of the doubled period".into()));
            }
            x.iter_mut().for_each(|x| *x /= size);
        }
        let start = Mat::from_fn(n, 1, |i, _| x[i]);
        let around = joined.around(&start, &-&start);
        Ok(self.way(at, &around, [0.0, 0.0], 0))
    }
}

impl Linear {
    fn of(correction: &mut Correction, orbit: &mut Orbit, id: u64) -> Result<Self, PeriodicError> {
        let at = correction.linearise(orbit)?;
        let (count, m) = (at.blocks.len(), at.blocks.first().map_or(0, Mat::nrows));
        let free = usize::from(correction.free_period);
        // The phase: corrections are orthogonal to the motion itself.
        let total = at.flows.iter().map(|flow| flow.squared_norm_l2()).sum::<f64>().sqrt();
        let weights = weights(&orbit.fractions);
        let phase = (0..count).map(|i| {
            let weight = weights[i] * count as f64 / total.max(f64::MIN_POSITIVE);
            Mat::from_fn(free, m, |_, j| weight * at.flows[i][(j, 0)])
        });
        let phase = phase.collect();
        let worst = (0..count).max_by(|&a, &b| at.gaps[a].norm_max().total_cmp(&at.gaps[b].norm_max()));
        let i = worst.unwrap_or(0);
        let change = correction.changes.spread(&at.bases[(i + 1) % count], &at.gaps[i]);
        let scale = correction.changes.scale().to_vec();
        let size = |e: usize| if scale[e] > 0.0 { (change[e] / scale[e]).abs() } else { 0.0 };
        let entry = (0..scale.len()).max_by(|&a, &b| size(a).total_cmp(&size(b))).unwrap_or(0);
        let worst = correction.system.equation_name(entry % correction.system.size());
        let columns = if free > 0 { at.columns } else { vec![Mat::zeros(m, 0); count] };
        Ok(Linear {
            id,
            bases: at.bases,
            blocks: at.blocks,
            flows: at.flows,
            columns,
            phase,
            scale,
            solved: None,
            worst,
            gaps: at.gaps,
        })
    }

    /// S⁻¹ of the change with the coordinates p in the basis at a bound.
    fn spread(&self, i: usize, p: &Mat<f64>) -> Vec<f64> {
        let full = &self.bases[i] * p;
        let mut out = vec![0.0; self.scale.len()];
        let entries = (0..self.scale.len()).filter(|&e| self.scale[e] > 0.0);
        entries.enumerate().for_each(|(k, e)| out[e] = full[(k, 0)]);
        out
    }

    /// The coordinates of S⁻¹ of changes in the basis at a bound.
    fn gather(&self, i: usize, changes: &[&[f64]]) -> Mat<f64> {
        let entries: Vec<usize> = (0..self.scale.len()).filter(|&e| self.scale[e] > 0.0).collect();
        let full = Mat::from_fn(entries.len(), changes.len(), |r, k| changes[k][entries[r]]);
        self.bases[i].transpose() * full
    }

    /// The ring with its inner places joined, without border.
    pub fn joined(&self) -> Result<Joined, Miss> {
        let (count, m) = (self.blocks.len(), self.bases[0].ncols());
        let ring = Ring {
            blocks: self.blocks.clone(),
            columns: vec![Mat::zeros(m, 0); count],
            rows: vec![Mat::zeros(0, m); count],
            corner: Mat::zeros(0, 0),
            right: vec![Mat::zeros(m, 0); count],
            border: Mat::zeros(0, 0),
        };
        ring.join().map_err(|e| miss(e.into()))
    }
}

impl Curve for OrbitCurve<'_> {
    type Point = OrbitPoint;
    type Way = OrbitWay;
    type Found = OrbitFound;

    fn scale(&self) -> f64 {
        self.scale
    }

    fn tolerance(&self) -> f64 {
        self.tolerance
    }

    fn dot(&self, a: &OrbitWay, b: &OrbitWay) -> f64 {
        a.dot(b, self.entries)
    }

    fn go(&mut self, at: &mut OrbitPoint, direction: &OrbitWay, h: f64) -> Result<(), Miss> {
        at.parameter += h * direction.p * self.scale;
        let member = self.member(at.parameter)?;
        at.orbit.period = match member.period {
            Some(period) => at.multiple as f64 * period,
            None => at.orbit.period * (1.0 + h * direction.tau),
        };
        at.id = self.fresh();
        at.unstable = None;
        at.multipliers = Rc::default();
        let mut changes = Changes::new(&member.system, self.rate);
        at.orbit.set_times(self.start);
        for (state, way) in at.orbit.states.iter_mut().zip(&direction.around) {
            let step: Vec<f64> = way.iter().zip(changes.scale()).map(|(d, s)| h * d * s).collect();
            *state = changes.moved(state, &step).map_err(miss)?;
        }
        Ok(())
    }

    fn linearise(&mut self, at: &OrbitPoint, normal: &OrbitWay) -> Result<(), Miss> {
        let slopes = self.by_parameter(at)?;
        let entries = self.entries.max(1) as f64;
        let linear = self.steps(at)?;
        let (count, m) = (linear.blocks.len(), linear.bases[0].ncols());
        let free = linear.columns[0].ncols();
        let (mut columns, mut rows) = (vec![], vec![]);
        for (i, slope) in slopes.iter().enumerate().take(count) {
            let scaled = slope.iter().zip(&linear.scale);
            let scaled: Vec<f64> = scaled.map(|(d, s)| if *s > 0.0 { d / s } else { 0.0 }).collect();
            let d = linear.gather((i + 1) % count, &[&scaled]);
            let (c, b) = (&linear.columns[i], &linear.phase[i]);
            columns.push(Mat::from_fn(m, free + 1, |r, k| if k < free { c[(r, k)] } else { d[(r, 0)] }));
            let n = linear.gather(i, &[&normal.around[i]]);
            let share = normal.weights[i] / entries;
            rows.push(Mat::from_fn(free + 1, m, |r, k| if r < free { b[(r, k)] } else { share * n[(k, 0)] }));
        }
        let corner = Mat::from_fn(free + 1, free + 1, |r, k| match (r == free, k == free) {
            (true, true) => normal.p,
            (true, false) => normal.tau,
            _ => 0.0,
        });
        let gaps = &linear.gaps;
        let ring = Ring {
            blocks: linear.blocks.clone(),
            columns,
            rows,
            corner,
            right: (0..count)
                .map(|i| Mat::from_fn(m, 2, |r, k| if k == 0 { -gaps[i][(r, 0)] } else { 0.0 }))
                .collect(),
            border: Mat::from_fn(free + 1, 2, |r, k| f64::from(k == 1 && r == free)),
        };
        let solved = ring.join().and_then(|joined| joined.close(FREE)).map_err(|e| miss(e.into()))?;
        let tau = |k: usize| if free > 0 { solved.border[(0, k)] } else { 0.0 };
        let ways = [0, 1].map(|k| self.way(at, &solved.around, [tau(k), solved.border[(free, k)]], k));
        if let Some(linear) = &mut self.last {
            linear.solved = Some(ways);
        }
        Ok(())
    }

    fn correction(&mut self) -> Result<OrbitWay, Miss> {
        let solved = self.last.as_ref().and_then(|linear| linear.solved.as_ref());
        solved.map(|[correction, _]| correction.clone()).ok_or_else(|| self.diverged())
    }

    fn along(&mut self) -> Result<OrbitWay, Miss> {
        let solved = self.last.as_ref().and_then(|linear| linear.solved.as_ref());
        solved.map(|[_, along]| along.clone()).ok_or_else(|| self.diverged())
    }

    fn is_balanced(&self, _: &OrbitPoint) -> bool {
        false
    }

    fn diverged(&self) -> Miss {
        Miss::Diverged(self.last.as_ref().map_or_else(String::new, |linear| linear.worst.clone()))
    }

    fn note(&mut self) {
        self.iterations += 1;
    }

    fn assess(&mut self, at: &mut OrbitPoint) -> Result<(), Miss> {
        orbit_singular::assess(self, at)
    }

    fn passed(&mut self, step: &Step<OrbitPoint, OrbitWay>) -> Result<Passed<OrbitFound>, Miss> {
        orbit_singular::passed(self, step)
    }

    fn turn_of(&mut self, step: &Step<OrbitPoint, OrbitWay>) -> Result<OrbitFound, Miss> {
        orbit_singular::fold(self, step)
    }
}
