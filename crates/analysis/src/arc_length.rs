//! Equilibria as a curve: F(q, λ; p) = (Gᵀλ − Q, Φ) = 0, with
//!
//! ```text
//! |x|² = mean of (δq/unit)² + (δp/scale)²
//! ```
//! Units are the length of the model and a radian, so that lengths, angles and the parameter count alike.
//! Multipliers follow from the rest and do not count. Rotations are updated by retraction.

use crate::bordered::Bordered;
pub(crate) use crate::continuation::Miss;
use crate::continuation::{self, Curve, OnCurve, Passed, Step};
use crate::family::{FamilyError, Members, Sizes};
use crate::path::PathPoint;
use crate::reduced::{Reduced, is_symmetric};
use crate::singular_points::{self, Found};
use crate::stability::judge;
use crate::tangent::{Tangent, Weights, largest, units};
use poinsot_integrators::retract;
use poinsot_mechanics::System;
use poinsot_numerics::dense::c64;

/// F that is rounding, relative to the loads and to the model's length.
const BALANCED: f64 = 1e-12;
/// Most coordinates for which all directions are looked at where pivots do not tell.
const DENSE: usize = 400;
/// Asymmetry of the stiffness, relative to the loads, above which pivots do not count eigenvalues.
const ASYMMETRIC: f64 = 1e-6;

/// A direction in the space of (q, λ, p); p in units of its scale.
#[derive(Clone, Debug)]
pub(crate) struct Direction {
    pub q: Vec<f64>,
    pub p: f64,
}

impl continuation::Direction for Direction {
    fn p(&self) -> f64 {
        self.p
    }

    fn add(&mut self, share: f64, other: &Self) {
        self.q.iter_mut().zip(&other.q).for_each(|(a, b)| *a += share * b);
        self.p += share * other.p;
    }

    fn divide(&mut self, by: f64) {
        self.q.iter_mut().for_each(|a| *a /= by);
        self.p /= by;
    }
}

impl OnCurve for PathPoint {
    fn parameter(&self) -> f64 {
        self.parameter
    }

    fn set_parameter(&mut self, value: f64) {
        self.parameter = value;
    }

    fn arc(&self) -> f64 {
        self.arc
    }

    fn set_arc(&mut self, arc: f64) {
        self.arc = arc;
    }

    fn set_slope(&mut self, slope: f64) {
        self.slope = slope;
    }

    fn set_corrections(&mut self, corrections: &[f64]) {
        self.corrections = corrections.to_vec();
    }
}

/// A point with the tangent of the path.
pub(crate) type Place = continuation::Place<PathPoint, Direction>;

/// The eigenvalue of the stiffness that is nearest to zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Softest {
    pub value: c64,
    /// What rounding leaves open of it.
    pub error: f64,
}

pub(crate) struct ArcLength<'f> {
    pub members: Members<'f>,
    bordered: Bordered,
    tangent: Tangent,
    /// W: zero for multipliers.
    weights: Vec<f64>,
    sizes: Sizes,
    length: f64,
    /// σ of directions without stiffness, see [`Tangent`].
    anchor: f64,
    tolerance: f64,
    f: Vec<f64>,
    slope: Vec<f64>,
    border: Vec<f64>,
    delta: Vec<f64>,
    /// Whether Hopf points are looked for.
    pub hopf: bool,
    /// Corrections of all points.
    pub iterations: usize,
}

impl<'f> ArcLength<'f> {
    pub fn new(members: Members<'f>, anchor: f64, tolerance: f64) -> Self {
        let system = members.here();
        let (n, length) = (system.size(), system.length_scale());
        let (units, is_row) = (units(system, length), system.is_constraint_row());
        let count = system.coordinates().max(1) as f64;
        let weight = |(unit, row): (&f64, &bool)| if *row { 0.0 } else { 1.0 / (unit * unit * count) };
        ArcLength {
            bordered: Bordered::new(&members.pattern),
            tangent: Tangent::new(system),
            weights: units.iter().zip(&is_row).map(weight).collect(),
            sizes: Sizes { units, is_row },
            length,
            anchor,
            tolerance,
            f: vec![0.0; n],
            slope: vec![0.0; n],
            border: vec![0.0; n],
            delta: vec![0.0; n + 1],
            hopf: false,
            iterations: 0,
            members,
        }
    }

    /// The direction of the parameter alone.
    pub fn along_parameter(&self) -> Direction {
        Direction { q: vec![0.0; self.weights.len()], p: 1.0 }
    }

    /// x ∘ h·direction.
    pub fn moved(&self, at: &mut PathPoint, direction: &Direction, h: f64) {
        let step: Vec<f64> = direction.q.iter().map(|d| h * d).collect();
        let system = self.members.here();
        let from = at.state.frames.clone();
        retract(system, &from, &step, &mut at.state.frames);
        for (k, _) in self.sizes.is_row.iter().enumerate().filter(|(_, row)| **row) {
            at.a[k] += step[k];
        }
        at.parameter += h * direction.p * self.members.scale;
        system.remember(&mut at.state);
    }

    fn weights_now(&self) -> Weights {
        Weights { mass: self.anchor, stiffness: 1.0 }
    }

    fn name(&self, equation: usize) -> String {
        self.members.here().equation_name(equation)
    }

    fn solved(&mut self) -> Direction {
        self.bordered.solve(&mut self.delta);
        let n = self.weights.len();
        Direction { q: self.delta[..n].to_vec(), p: self.delta[n] }
    }

    /// F_x singular? Solves [F_x c; bᵀ 0] (φ, g) = (0, 1): g = 0 where it is, and φ is the null vector there.
    pub fn singularity(&mut self, at: &PathPoint, c: &[f64], b: &[f64]) -> Result<(f64, Vec<f64>), Miss> {
        self.members.take(at.parameter).map_err(Miss::Family)?;
        let weights = self.weights_now();
        self.members.assemble(&mut self.tangent, &at.state, &at.a, weights);
        let factored = self.bordered.factor(self.tangent.values(), c, b, 0.0);
        factored.map_err(|e| Miss::Singular(self.name(e.row.min(self.f.len() - 1))))?;
        let n = self.weights.len();
        self.delta[..n].fill(0.0);
        self.delta[n] = 1.0;
        let found = self.solved();
        Ok((found.p, found.q))
    }

    /// W·φ in a new vector.
    pub fn weighted(&self, phi: &[f64]) -> Vec<f64> {
        phi.iter().zip(&self.weights).map(|(p, w)| p * w).collect()
    }

    /// Which unknowns are multipliers.
    pub fn is_row(&self) -> &[bool] {
        &self.sizes.is_row
    }

    /// By which each unknown is measured.
    pub fn units(&self) -> &[f64] {
        &self.sizes.units
    }

    /// Directions, among those that the constraints allow, in which the equilibrium is unstable; none if that
    /// is not known.
    ///
    /// The matrix of statics has as many negative eigenvalues as constraints and such directions together,
    /// and a symmetric one as many negative pivots (Sylvester).
    pub fn unstable(&mut self, at: &PathPoint) -> Result<Option<usize>, Miss> {
        self.members.take(at.parameter).map_err(Miss::Family)?;
        self.members.slope(&at.state, &at.a, &mut self.slope).map_err(Miss::Family)?;
        let weights = self.weights_now();
        self.members.assemble(&mut self.tangent, &at.state, &at.a, weights);
        let factored = self.tangent.factor_assembled(&self.members.pattern);
        let loads = self.loads(at.parameter);
        let system = self.members.here();
        let small = system.coordinates() <= DENSE;
        let count = factored.ok().and_then(|()| self.tangent.negative_pivots());
        let rows = system.active_rows();
        match count.and_then(|count| count.checked_sub(rows)) {
            Some(count) if !small || !self.is_asymmetric(loads) => Ok(Some(count)),
            _ if small => {
                let mass = system.largest_mass();
                let scale = if mass > 0.0 { loads / (mass * self.length) } else { 0.0 };
                let system = self.members.exact().map_err(Miss::Family)?;
                let judged = judge(system, &mut self.tangent, &at.state, &at.a, scale);
                Ok(judged.ok().map(|(verdict, _)| verdict.negative + verdict.flutter))
            }
            _ => Ok(None),
        }
    }

    /// The μ of K z = μ M z, G z = 0 that is nearest to zero, each found to what rounding leaves of it; none
    /// where the system is large or neutral directions are anchored.
    pub fn softest(&mut self, at: &PathPoint) -> Result<Option<Softest>, Miss> {
        self.members.take(at.parameter).map_err(Miss::Family)?;
        let system = self.members.here();
        if system.coordinates() > DENSE || self.anchor != 0.0 {
            return Ok(None);
        }
        let zero = vec![0.0; system.size()];
        let inertia = Weights { mass: 1.0, stiffness: 0.0 };
        let mass = self.tangent.assemble(system, &at.state, &zero, inertia).to_vec();
        let weights = self.weights_now();
        self.members.assemble(&mut self.tangent, &at.state, &at.a, weights);
        let pencil = Reduced::statics(self.members.here(), self.tangent.values(), &mass);
        let pairs = pencil.and_then(|pencil| pencil.eigen(is_symmetric(&pencil)));
        let Ok(pairs) = pairs else { return Ok(None) };
        let nearest = pairs.iter().min_by(|x, y| x.value.norm().total_cmp(&y.value.norm()));
        Ok(nearest.map(|pair| Softest { value: pair.value, error: pair.error }))
    }

    /// Size of the forces that belong to the parameter.
    fn loads(&self, parameter: f64) -> f64 {
        let scaled = self.slope.iter().zip(&self.sizes.units).zip(&self.sizes.is_row);
        let force = scaled.map(|((f, u), row)| if *row { 0.0 } else { (f * u / self.length).abs() });
        let share = (parameter / self.members.scale).abs().max(1e-2);
        share * force.fold(0.0, f64::max)
    }

    /// Whether loads that have no potential make the stiffness, assembled last, asymmetric.
    fn is_asymmetric(&self, loads: f64) -> bool {
        let (pattern, values) = (&self.members.pattern, self.tangent.values());
        let stiffest = (0..pattern.n())
            .filter(|&k| !self.sizes.is_row[k])
            .filter_map(|k| {
                pattern.index(k, k).map(|slot| (values[slot] * self.sizes.units[k].powi(2)).abs())
            })
            .fold(0.0, f64::max);
        let limit = (ASYMMETRIC * loads * self.length).max(1e-14 * stiffest);
        (0..pattern.n()).filter(|&j| !self.sizes.is_row[j]).any(|j| {
            let entries = pattern.rows(j).iter().zip(pattern.slots(j));
            entries.filter(|(i, _)| **i < j && !self.sizes.is_row[**i]).any(|(&i, slot)| {
                let other = pattern.index(j, i).map_or(0.0, |slot| values[slot]);
                (values[slot] - other).abs() * self.sizes.units[i] * self.sizes.units[j] > limit
            })
        })
    }

    /// A system of the family, for what all have in common.
    pub fn system(&self) -> &System {
        self.members.here()
    }

    /// Interpolates members from now on towards another value, if the equations are linear in the parameter
    /// at a point.
    pub fn interpolate(&mut self, to: f64, at: &PathPoint) {
        self.members.interpolate(to, &at.state, &at.a, &self.sizes);
    }

    /// The system at a value of the parameter.
    pub fn member(&mut self, parameter: f64) -> Result<&System, FamilyError> {
        self.members.take(parameter)?;
        self.members.exact()
    }
}

impl Curve for ArcLength<'_> {
    type Point = PathPoint;
    type Way = Direction;
    type Found = Found;

    fn scale(&self) -> f64 {
        self.members.scale
    }

    fn tolerance(&self) -> f64 {
        self.tolerance
    }

    fn dot(&self, a: &Direction, b: &Direction) -> f64 {
        let terms = self.weights.iter().zip(&a.q).zip(&b.q).map(|((w, a), b)| w * a * b);
        terms.sum::<f64>() + a.p * b.p
    }

    fn go(&mut self, at: &mut PathPoint, direction: &Direction, h: f64) -> Result<(), Miss> {
        self.moved(at, direction, h);
        Ok(())
    }

    fn linearise(&mut self, at: &PathPoint, normal: &Direction) -> Result<(), Miss> {
        self.members.take(at.parameter).map_err(Miss::Family)?;
        self.members.balance(&at.state, &at.a, &mut self.f);
        self.members.slope(&at.state, &at.a, &mut self.slope).map_err(Miss::Family)?;
        for ((b, w), n) in self.border.iter_mut().zip(&self.weights).zip(&normal.q) {
            *b = w * n;
        }
        let weights = self.weights_now();
        self.members.assemble(&mut self.tangent, &at.state, &at.a, weights);
        let factored = self.bordered.factor(self.tangent.values(), &self.slope, &self.border, normal.p);
        factored.map_err(|e| Miss::Singular(self.name(e.row.min(self.f.len() - 1))))
    }

    fn correction(&mut self) -> Result<Direction, Miss> {
        let n = self.weights.len();
        self.delta[..n].iter_mut().zip(&self.f).for_each(|(d, f)| *d = -f);
        self.delta[n] = 0.0;
        Ok(self.solved())
    }

    fn along(&mut self) -> Result<Direction, Miss> {
        let n = self.weights.len();
        self.delta[..n].fill(0.0);
        self.delta[n] = 1.0;
        Ok(self.solved())
    }

    fn is_balanced(&self, at: &PathPoint) -> bool {
        let force = self.loads(at.parameter);
        let mut scaled = self.f.iter().zip(&self.sizes.units).zip(&self.sizes.is_row);
        scaled.all(|((f, unit), row)| match row {
            true => f.abs() <= BALANCED * self.length,
            false => (f * unit).abs() <= BALANCED * force * self.length,
        })
    }

    /// The equation farthest from balance, torques by the force at the model's length.
    fn diverged(&self) -> Miss {
        let scaled = self.f.iter().zip(&self.sizes.units).zip(&self.sizes.is_row);
        let open: Vec<f64> =
            scaled.map(|((f, u), row)| if *row { 0.0 } else { f * u / self.length }).collect();
        Miss::Diverged(self.name(largest(&open).0))
    }

    fn note(&mut self) {
        self.iterations += 1;
    }

    fn confirm(&mut self, at: &PathPoint) -> Result<bool, Miss> {
        self.members.take(at.parameter).map_err(Miss::Family)?;
        self.members.confirm(&at.state, &at.a, &self.sizes).map_err(Miss::Family)
    }

    fn assess(&mut self, at: &mut PathPoint) -> Result<(), Miss> {
        at.unstable = self.unstable(at)?;
        Ok(())
    }

    fn passed(&mut self, step: &Step<PathPoint, Direction>) -> Result<Passed<Found>, Miss> {
        singular_points::passed(self, step)
    }

    fn turn_of(&mut self, step: &Step<PathPoint, Direction>) -> Result<Found, Miss> {
        singular_points::limit(self, step)
    }
}
