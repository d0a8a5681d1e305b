//! Linearised buckling about an equilibrium at p₀: where the matrix of statics, continued along the tangent
//! of the path, becomes singular.
//!
//! ```text
//! J(p) = [K Gᵀ; G 0] at (q, λ; p),        J₀ y = −μ J′ y,        p_crit = p₀ + μ
//! J′ = dJ/dp along dq/dp, dλ/dp           (8 (J₁ − J₋₁) − (J₂ − J₋₂))/12e,  J_k = J(p₀ + k e)
//! ```
//! J′ holds the change of the stiffness by the stresses, by the deformation and by the parameter itself, and
//! the change of the constraints. The critical values are those of the nonlinear path as far as J is linear
//! in p.

use crate::arc_length::{ArcLength, Direction, Miss};
use crate::continuation::{size, tangent};
use crate::equilibrium::{EquilibriumError, EquilibriumSettings, find_equilibrium};
use crate::family::{FamilyError, Members, SystemFamily};
use crate::linear::for_each_entry;
use crate::modes::EigenMethod;
use crate::path::PathPoint;
use crate::tangent::{Tangent, Weights};
use poinsot_mechanics::{State, System};
use poinsot_numerics::dense::{DenseError, Mat, c64, eigenvectors};
use poinsot_numerics::krylov::{KrylovError, KrylovSettings, largest_general};
use poinsot_numerics::pencil::ROUNDINGS;
use thiserror::Error;

/// Most equations for which all eigenvalues are computed.
const DENSE: usize = 300;
/// Deformation over which J is differentiated, in the metric of paths.
const DEFORMATION: f64 = 1e-4;
/// Largest e, relative to the scale of the parameter where it is not zero.
const LARGEST_STEP: f64 = 0.05;
/// e where the parameter deforms nothing.
const STEP: f64 = 1e-3;
/// An eigenvalue 1/μ below this share of the largest is rounding.
const NOISE: f64 = 1e-9;
/// An imaginary part below this share is rounding.
const REAL: f64 = 1e-6;
const STATICS: Weights = Weights { mass: 0.0, stiffness: 1.0 };

/// A way to buckle.
#[derive(Clone, Debug, PartialEq)]
pub struct BucklingMode {
    /// Critical value of the parameter, p₀ + μ.
    pub value: f64,
    /// What rounding of the stiffness leaves open of it.
    pub error: f64,
    /// Deviation of the unknowns in equation order, tilts in body axes; its size is one in the metric of
    /// paths.
    pub shape: Vec<f64>,
}

/// Critical values of a parameter.
#[derive(Clone, Debug)]
pub struct Buckling {
    /// The equilibrium about which the stiffness is linearised.
    pub state: State,
    /// Zero, with λ in the constraint entries.
    pub a: Vec<f64>,
    /// Ways to buckle, by |p − p₀| ascending.
    pub modes: Vec<BucklingMode>,
    /// How they were found.
    pub method: EigenMethod,
    /// Pairs of complex values among those that were looked at: no buckling, but possibly flutter.
    pub complex: usize,
}

/// Why there are no critical values.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BucklingError {
    /// First-order equations have no place here.
    #[error("buckling does not know first-order equations")]
    Equations,
    /// There is no equilibrium to start from.
    #[error("there is no state to buckle from: {0}")]
    Start(#[from] EquilibriumError),
    /// A system cannot be built.
    #[error("the system cannot be built at another value of the parameter: {0}")]
    Family(FamilyError),
    /// The state is singular itself.
    #[error(
        "the stiffness is singular at p = {parameter} already, {equation}: give every direction some stiffness"
    )]
    Singular {
        /// The parameter.
        parameter: f64,
        /// Equation, in words.
        equation: String,
    },
    /// The stiffness does not depend on the parameter.
    #[error(
        "the stiffness does not change with the parameter at {0}: no value of it is critical; start at another value, or follow the path"
    )]
    NoChange(f64),
    /// The sparse iteration failed.
    #[error("the iteration for the lowest critical values failed: {0}")]
    Krylov(#[from] KrylovError),
    /// The dense iteration failed.
    #[error(transparent)]
    Dense(#[from] DenseError),
}

/// The `count` critical values of a family's parameter nearest to `at`, only those for which `wanted` holds.
/// `system` is the member there and `state` near its equilibrium.
pub fn find_buckling(
    system: System,
    state: State,
    family: &mut dyn SystemFamily,
    at: f64,
    count: usize,
    wanted: &dyn Fn(f64) -> bool,
) -> Result<Buckling, BucklingError> {
    if !system.networks().is_empty() {
        return Err(BucklingError::Equations);
    }
    let found = find_equilibrium(&system, state, &EquilibriumSettings::default())?;
    let scale = if at == 0.0 { 1.0 } else { at.abs() };
    let members = Members::new(family, system, at, scale);
    let mut arc = ArcLength::new(members, 0.0, 1e-8);
    let base = PathPoint {
        parameter: at,
        state: found.state,
        a: found.a,
        arc: 0.0,
        slope: 0.0,
        unstable: None,
        corrections: vec![],
    };
    let fail = |miss: Miss| match miss {
        Miss::Family(reason) => BucklingError::Family(reason),
        Miss::Singular(equation) | Miss::Diverged(equation) | Miss::Other(equation) => {
            BucklingError::Singular { parameter: at, equation }
        }
    };
    let along = arc.along_parameter();
    let mut rate = tangent(&mut arc, &base, &along).map_err(fail)?;
    let by = rate.p;
    if by == 0.0 {
        return Err(BucklingError::Singular { parameter: at, equation: "at a limit point".into() });
    }
    rate.q.iter_mut().for_each(|q| *q /= by);
    rate.p = 1.0;
    let pencil = Pencil::new(&mut arc, &base, &rate).map_err(fail)?;
    if pencil.change.iter().all(|v| *v == 0.0) {
        return Err(BucklingError::NoChange(at));
    }
    pencil.solve(&arc, base, at, count, wanted)
}

/// J₀, factored, and J′.
struct Pencil {
    tangent: Tangent,
    change: Vec<f64>,
    /// e.
    step: f64,
    /// Units of unknowns and multipliers.
    units: Vec<f64>,
}

impl Pencil {
    fn new(arc: &mut ArcLength, base: &PathPoint, rate: &Direction) -> Result<Self, Miss> {
        let deformation = size(arc, &Direction { q: rate.q.clone(), p: 0.0 });
        let mut e = if deformation > 0.0 { DEFORMATION / deformation } else { STEP };
        if base.parameter != 0.0 {
            e = e.min(LARGEST_STEP);
        }
        let mut tangent = Tangent::new(arc.system());
        let mut change = vec![0.0; arc.members.pattern.nnz()];
        let mut size: f64 = 0.0;
        for (step, weight) in [(1.0, 8.0), (-1.0, -8.0), (2.0, -1.0), (-2.0, 1.0)] {
            let mut point = base.clone();
            arc.moved(&mut point, rate, step * e);
            arc.members.take(point.parameter).map_err(Miss::Family)?;
            let values = tangent.assemble(arc.system(), &point.state, &point.a, STATICS);
            for (change, value) in change.iter_mut().zip(values) {
                *change += weight * value / (12.0 * e);
                size = size.max(value.abs());
            }
        }
        // Differences of equal numbers are rounding.
        change.iter_mut().filter(|c| c.abs() <= 1e-14 * size / e).for_each(|c| *c = 0.0);
        arc.members.take(base.parameter).map_err(Miss::Family)?;
        let system = arc.system();
        let factored = tangent.factor(system, &base.state, &base.a, STATICS);
        factored.map_err(|e| Miss::Singular(system.equation_name(e.row)))?;
        let (pattern, values) = (system.pattern(), tangent.values());
        let is_row = arc.is_row();
        let stiffest = (0..pattern.n())
            .filter(|&k| !is_row[k])
            .filter_map(|k| pattern.index(k, k).map(|slot| (values[slot] * arc.units()[k].powi(2)).abs()))
            .fold(f64::MIN_POSITIVE, f64::max);
        let force = stiffest / system.length_scale();
        let unit = |(unit, row): (&f64, &bool)| if *row { force } else { *unit };
        Ok(Pencil { units: arc.units().iter().zip(is_row).map(unit).collect(), tangent, change, step: e })
    }

    /// y = −U⁻¹ J₀⁻¹ J′ U x with the units U.
    fn apply(&self, system: &System, x: &[f64], y: &mut [f64]) {
        let scaled: Vec<f64> = x.iter().zip(&self.units).map(|(x, u)| x * u).collect();
        y.fill(0.0);
        system.pattern().accumulate(&self.change, &scaled, -1.0, y);
        self.tangent.solve_refined(system, y);
        y.iter_mut().zip(&self.units).for_each(|(y, u)| *y /= u);
    }

    fn solve(
        &self,
        arc: &ArcLength,
        base: PathPoint,
        at: f64,
        count: usize,
        wanted: &dyn Fn(f64) -> bool,
    ) -> Result<Buckling, BucklingError> {
        let system = arc.system();
        let n = system.size();
        let mut pairs: Vec<(c64, Vec<c64>)>;
        let method = if n <= DENSE {
            let mut matrix = Mat::zeros(n, n);
            let (mut x, mut y) = (vec![0.0; n], vec![0.0; n]);
            for j in 0..n {
                x[j] = 1.0;
                self.apply(system, &x, &mut y);
                x[j] = 0.0;
                (0..n).for_each(|i| matrix[(i, j)] = y[i]);
            }
            let (values, vectors) = eigenvectors(matrix.as_ref())?;
            pairs = values
                .into_iter()
                .enumerate()
                .map(|(k, value)| (value, (0..n).map(|i| vectors[(i, k)]).collect()))
                .collect();
            EigenMethod::Dense
        } else {
            let mut operator = |x: &[f64], y: &mut [f64]| self.apply(system, x, y);
            // Values of the other sign and complex ones are found on the way.
            let sought = (2 * count + 4).min(n);
            let settings = KrylovSettings { tolerance: 1e-10, ..KrylovSettings::default() };
            let spectrum = largest_general(n, &mut operator, sought, &settings)?;
            pairs = spectrum.pairs.into_iter().map(|pair| (pair.value, pair.vector)).collect();
            EigenMethod::ShiftInvert
        };
        pairs.sort_by(|(a, _), (b, _)| b.norm().total_cmp(&a.norm()));
        let largest = pairs.first().map_or(0.0, |(value, _)| value.norm());
        pairs.retain(|(value, _)| value.norm() > NOISE * largest);
        let is_real = |value: &c64| value.im.abs() <= REAL * value.re.abs();
        let complex = pairs.iter().filter(|(value, _)| !is_real(value) && value.im > 0.0).count();
        let modes = pairs.iter().filter(|(value, _)| is_real(value)).map(|(value, vector)| BucklingMode {
            value: at + arc.members.scale / value.re,
            error: arc.members.scale * self.error(system, vector, 1.0 / value.re),
            shape: self.shape(arc, vector),
        });
        let modes = modes.filter(|mode| wanted(mode.value)).take(count).collect();
        Ok(Buckling { state: base.state, a: base.a, modes, method, complex })
    }

    /// |δμ| ≈ c ε √(Σ (y_i J_ij y_j)²) (1 + |μ|/e)/|yᵀJ′y|: entries are rounded each for itself, J′ is a difference
    /// over e.
    fn error(&self, system: &System, vector: &[c64], mu: f64) -> f64 {
        let y: Vec<c64> = vector.iter().zip(&self.units).map(|(v, u)| v * *u).collect();
        let (mut terms, mut change) = (0.0, c64::new(0.0, 0.0));
        let values = self.tangent.values();
        for_each_entry(system, |i, j, slot| {
            terms += (y[i].norm() * y[j].norm() * values[slot]).powi(2);
            change += y[i] * y[j] * self.change[slot];
        });
        let error = ROUNDINGS * f64::sqrt(terms) * (1.0 + mu.abs() / self.step) / change.norm();
        if error.is_finite() { error } else { f64::INFINITY }
    }

    /// The unknowns of an eigenvector, real, with its largest entry positive.
    fn shape(&self, arc: &ArcLength, vector: &[c64]) -> Vec<f64> {
        let largest = vector.iter().zip(arc.is_row()).filter(|(_, row)| !**row).map(|(v, _)| *v);
        let largest =
            largest.fold(c64::new(0.0, 0.0), |best, v| if v.norm() > best.norm() { v } else { best });
        let turn = if largest.norm() > 0.0 { largest.conj() / largest.norm() } else { c64::new(1.0, 0.0) };
        let entry = |((v, u), row): ((&c64, &f64), &bool)| if *row { 0.0 } else { (v * turn).re * u };
        let mut shape: Vec<f64> = vector.iter().zip(&self.units).zip(arc.is_row()).map(entry).collect();
        let size =
            crate::continuation::size(arc, &Direction { q: shape.clone(), p: 0.0 }).max(f64::MIN_POSITIVE);
        shape.iter_mut().for_each(|s| *s /= size);
        shape
    }
}
