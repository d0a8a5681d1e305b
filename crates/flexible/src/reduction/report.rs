//! How well a reduced body does for the full one: data, and words that a user sees unasked.

use super::basis::{Basis, constraint_shapes};
use super::linked::Linked;
use super::modes::{Vibrations, hertz, lowest};
use super::supported::Supported;
use super::{Method, Reduction, ReductionError, kind_word, small, vibrations_in};
use crate::ReducedBody;
use nalgebra::DMatrix;
use poinsot_geometry::Vec3;
use std::fmt::Write;

/// Frequencies of the full and the reduced body (Hz), lowest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Of the full body.
    pub full: Vec<f64>,
    /// Of the reduced body: fewer, where it has fewer.
    pub reduced: Vec<f64>,
}

/// Effective modal mass (kg, kg m²): what part of the mass each vibration of the held body moves along x, y,
/// z and about axes x, y, z through the mass centre.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectiveMass {
    /// Frequency of each vibration (Hz).
    pub frequencies: Vec<f64>,
    /// (φᵀ M r)² of each vibration and motion.
    pub masses: Vec<[f64; 6]>,
    /// rᵀ M r: the sum over all vibrations that there could be, and what moves with the supports.
    pub total: [f64; 6],
}

/// What a reduction has kept.
#[derive(Clone, Debug, PartialEq)]
pub struct ReductionReport {
    /// Unknowns of the full body.
    pub unknowns: usize,
    /// The method in words.
    pub method: String,
    /// The reference in words.
    pub reference: String,
    /// Frequency of each shape under the reference (Hz).
    pub frequencies: Vec<f64>,
    /// Kind of each shape.
    pub kinds: Vec<&'static str>,
    /// Mass (kg), mass centre (m).
    pub mass: f64,
    /// Mass centre (m).
    pub centre: Vec3,
    /// Deformations that the reference takes out of the space beside rigid motion.
    pub held_deformations: usize,
    /// Vibrations of the free body.
    pub free: Option<Comparison>,
    /// Vibrations with all interfaces held.
    pub held: Option<Comparison>,
    /// (φ_iᵀ M ψ_j)² of free vibrations of the full body (rows) and the reduced one (columns).
    pub mac: Option<DMatrix<f64>>,
    /// Effective modal masses of the held vibrations.
    pub effective: Option<EffectiveMass>,
    /// Largest relative error of the energy that loads in balance at the interfaces store.
    pub static_error: Option<f64>,
    /// Largest deviation of the mass matrix by the products of inertia from the unit matrix.
    pub mass_deviation: f64,
}

/// Compares.
pub fn report(
    body: &Linked,
    held: Option<&Supported>,
    basis: &Basis,
    reduced: &ReducedBody,
    request: &Reduction,
) -> Result<ReductionReport, ReductionError> {
    let with_rigid = match basis.has_rigid {
        true => basis.columns.clone(),
        false => small::beside(&[&body.rigid, &basis.columns]),
    };
    let (free, mac) = match request.compare {
        0 => (None, None),
        count => {
            let (free, mac) = compare_free(body, &with_rigid, count)?;
            (Some(free), Some(mac))
        }
    };
    let held_vibrations = match (held, request.compare) {
        // Those of Craig and Bampton are the same.
        (Some(_), count @ 1..) if basis.constraints > 0 && basis.held_count() >= count => basis.held.clone(),
        (Some(held), 1..) => Some(lowest(held, request.compare)?),
        _ => None,
    };
    let effective = basis.held.as_ref().or(held_vibrations.as_ref()).filter(|held| !held.squares.is_empty());
    let n = reduced.size();
    Ok(ReductionReport {
        unknowns: body.full.unknowns.len(),
        method: method_words(&request.method),
        reference: request.reference.words(),
        frequencies: (0..n).map(|k| hertz(reduced.stiffness[(k, k)])).collect(),
        kinds: reduced.kinds.iter().map(|kind| kind_word(*kind)).collect(),
        mass: body.full.total_mass,
        centre: body.centre,
        held_deformations: match basis.has_rigid {
            true => basis.columns.ncols() - n - body.rigid.ncols(),
            false => 0,
        },
        free,
        mac,
        effective: effective.map(|held| effective_mass(body, held)),
        held: held_vibrations
            .map(|full| compare_held(body, &with_rigid, &full, request.compare))
            .transpose()?,
        static_error: held.map(|held| static_error(body, held, basis, reduced)).transpose()?.flatten(),
        mass_deviation: (reduced.inertia.shape_mass() - DMatrix::identity(n, n)).amax(),
    })
}

fn method_words(method: &Method) -> String {
    match method {
        Method::CraigBampton(super::ModeChoice::Count(0)) => "Guyan".into(),
        Method::CraigBampton(_) => "Craig–Bampton".into(),
        Method::Free { corrections: 0, .. } => "free modes".into(),
        Method::Free { .. } => "free modes with static correction".into(),
        Method::Supported { corrections: 0, .. } => "modes under the reference conditions".into(),
        Method::Supported { .. } => "modes under the reference conditions with static correction".into(),
        Method::Given(_) => "given shapes".into(),
    }
}

/// Frequencies of the free body, and the modal assurance of full and reduced shapes.
fn compare_free(
    body: &Linked,
    columns: &DMatrix<f64>,
    count: usize,
) -> Result<(Comparison, DMatrix<f64>), ReductionError> {
    let supported = Supported::new(body, &[], vec![], "the free body")?;
    let full = lowest(&supported, count)?;
    let (_, momenta) = body.mass_normalised(body.rigid.clone())?;
    let (squares, shapes) = vibrations_in(body, columns, Some(&momenta.tr_mul(columns)))?;
    let kept = squares.len().min(count);
    let products = small::product(&body.mass, &full.shapes).tr_mul(&shapes.columns(0, kept));
    let reduced = squares[..kept].iter().map(|square| hertz(*square)).collect();
    Ok((Comparison { full: full.frequencies(), reduced }, products.map(|product| product * product)))
}

/// Frequencies with all interfaces held.
fn compare_held(
    body: &Linked,
    columns: &DMatrix<f64>,
    full: &Vibrations,
    count: usize,
) -> Result<Comparison, ReductionError> {
    let (squares, _) = vibrations_in(body, columns, Some(&body.all_motions(columns)))?;
    let kept = squares.len().min(full.squares.len()).min(count);
    let reduced = squares[..kept].iter().map(|square| hertz(*square)).collect();
    let mut full = full.frequencies();
    full.truncate(count);
    Ok(Comparison { full, reduced })
}

fn effective_mass(body: &Linked, held: &Vibrations) -> EffectiveMass {
    let momenta = small::product(&body.mass, &body.rigid);
    let participation = held.shapes.tr_mul(&momenta);
    let gram = body.rigid.tr_mul(&momenta);
    let six = |value: &dyn Fn(usize) -> f64| {
        let mut six = [0.0; 6];
        body.motions.iter().enumerate().for_each(|(k, &motion)| six[motion] = value(k));
        six
    };
    EffectiveMass {
        frequencies: held.frequencies(),
        masses: (0..held.squares.len()).map(|j| six(&|k| participation[(j, k)].powi(2))).collect(),
        total: six(&|k| gram[(k, k)]),
    }
}

/// Compliance of the interfaces under loads F in balance, of the reduced body against the full one:
///
/// ```text
/// C = Fᵀ K_b⁺ F,   C_r = Fᵀ L K⁻¹ Lᵀ F,   max |(fᵀ (C − C_r) f) / (fᵀ C f)|
/// ```
fn static_error(
    body: &Linked,
    held: &Supported,
    basis: &Basis,
    reduced: &ReducedBody,
) -> Result<Option<f64>, ReductionError> {
    if body.interfaces.len() < 2 {
        return Ok(None);
    }
    let constraint = match basis.constraints {
        0 => constraint_shapes(body, held),
        count => basis.columns.columns(0, count).into_owned(),
    };
    let stiffness = small::congruence(&body.stiffness, &constraint);
    // Motions measured by the stiffness against them, so that metres and radians compare.
    let scale: Vec<f64> =
        (0..stiffness.nrows()).map(|i| stiffness[(i, i)].max(f64::MIN_POSITIVE).sqrt()).collect();
    let scaled = |mut rows: DMatrix<f64>| {
        rows.row_iter_mut().zip(&scale).for_each(|(mut row, scale)| row *= *scale);
        rows
    };
    let n = stiffness.nrows();
    let unit = DMatrix::from_fn(n, n, |i, j| stiffness[(i, j)] / (scale[i] * scale[j]));
    let rigid = scaled(body.all_motions(&body.rigid));
    let (loads, _) = small::null_space(&rigid.transpose())?;
    let inner = small::symmetric_part(&(loads.transpose() * unit * &loads));
    let Some(full) = inner.cholesky().map(|factors| factors.inverse()) else { return Ok(None) };
    let motion = scaled(shape_motions(body, reduced));
    let work = motion.transpose() * &loads;
    let mut answer = work.clone();
    answer.row_iter_mut().enumerate().for_each(|(k, mut row)| row /= reduced.stiffness[(k, k)]);
    let less = small::symmetric_part(&(&full - work.tr_mul(&answer)));
    let (errors, _) = small::eigen(&less, &small::symmetric_part(&full))?;
    Ok(Some(errors.into_iter().fold(0.0, |worst: f64, error| worst.max(error.abs()))))
}

/// Motions of the interfaces in each shape, one below the other.
fn shape_motions(body: &Linked, reduced: &ReducedBody) -> DMatrix<f64> {
    let width = body.motions.len();
    DMatrix::from_fn(width * reduced.interfaces.len(), reduced.size(), |i, k| {
        let interface = &reduced.interfaces[i / width];
        match body.motions[i % width] {
            axis @ 0..3 => interface.displacements[k][axis],
            turn => interface.rotations[k][turn - 3],
        }
    })
}

impl ReductionReport {
    /// The report as text: a table of shapes, and what was compared.
    pub fn words(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        writeln!(
            text,
            "{} unknowns, {} shapes: {}, {}",
            self.unknowns,
            self.frequencies.len(),
            self.method,
            self.reference
        )?;
        let c = self.centre;
        writeln!(text, "mass {:.6} kg, centre ({:.6}, {:.6}, {:.6}) m", self.mass, c.x, c.y, c.z)?;
        if self.held_deformations > 0 {
            writeln!(
                text,
                "the reference holds {} deformations besides rigid motion",
                self.held_deformations
            )?;
        }
        writeln!(text, "shape  kind        frequency (Hz)")?;
        for (k, (frequency, kind)) in self.frequencies.iter().zip(&self.kinds).enumerate() {
            writeln!(text, "{:5}  {kind:10}  {frequency:14.6}", k + 1)?;
        }
        if let Some(free) = &self.free {
            self.write_comparison(text, "free body", free, self.mac.as_ref())?;
        }
        if let Some(held) = &self.held {
            self.write_comparison(text, "interfaces held", held, None)?;
        }
        if let Some(effective) = &self.effective {
            write_effective(text, effective)?;
        }
        if let Some(error) = self.static_error {
            writeln!(text, "static stiffness between interfaces: relative error {error:.1e}")?;
        }
        if self.mass_deviation > 1e-6 {
            writeln!(
                text,
                "the products of inertia miss {:.1e} of the mass matrix: inertia of rotations is not in them",
                self.mass_deviation
            )?;
        }
        Ok(())
    }

    fn write_comparison(
        &self,
        text: &mut String,
        what: &str,
        comparison: &Comparison,
        mac: Option<&DMatrix<f64>>,
    ) -> std::fmt::Result {
        writeln!(
            text,
            "{what}:   full (Hz)    reduced (Hz)   deviation{}",
            if mac.is_some() { "   MAC (with)" } else { "" }
        )?;
        for (k, full) in comparison.full.iter().enumerate() {
            match comparison.reduced.get(k) {
                None => writeln!(text, "{:5}  {full:14.6}               –", k + 1)?,
                Some(reduced) => {
                    let deviation = 100.0 * (reduced - full) / full;
                    write!(text, "{:5}  {full:14.6}  {reduced:14.6}  {deviation:8.4} %", k + 1)?;
                    match mac {
                        Some(mac) => {
                            let best = mac.row(k).transpose().argmax().0;
                            let assurance = assurance(mac, k, best, &comparison.reduced);
                            writeln!(text, "  {assurance:.4} ({})", best + 1)?;
                        }
                        None => writeln!(text)?,
                    }
                }
            }
        }
        Ok(())
    }
}

/// Modal assurance of a shape of the full body. Shapes of equal frequencies are any combination of each
/// other: they count together.
fn assurance(mac: &DMatrix<f64>, row: usize, best: usize, frequencies: &[f64]) -> f64 {
    let equal = |k: &usize| (frequencies[*k] - frequencies[best]).abs() <= 1e-6 * frequencies[best];
    (0..mac.ncols()).filter(equal).map(|k| mac[(row, k)]).sum()
}

fn write_effective(text: &mut String, effective: &EffectiveMass) -> std::fmt::Result {
    writeln!(text, "effective mass of held vibrations (% of the whole), along x, y, z and about x, y, z:")?;
    let mut sums = [0.0; 6];
    let share = |mass: f64, total: f64| if total > 0.0 { 100.0 * mass / total } else { 0.0 };
    for (frequency, masses) in effective.frequencies.iter().zip(&effective.masses) {
        write!(text, "{frequency:14.6} Hz")?;
        for k in 0..6 {
            sums[k] += masses[k];
            write!(text, "  {:6.2}", share(masses[k], effective.total[k]))?;
        }
        writeln!(text)?;
    }
    write!(text, "              sum")?;
    (0..6).try_for_each(|k| write!(text, "  {:6.2}", share(sums[k], effective.total[k])))?;
    writeln!(text)
}
