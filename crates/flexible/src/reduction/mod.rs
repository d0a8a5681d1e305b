//! Reduction of a body of finite elements to a few shapes (floating-frame-and-ancf 1.20, gap 18).
//!
//! ```text
//! FullBody → Linked (rigid interfaces tied) → Basis (shapes of the method)
//!          → reference takes rigid motion out → (K, M) diagonal, M = I → ReducedBody
//! ```

mod basis;
mod damping;
mod error;
mod file;
mod geometric;
mod integrals;
mod interface;
mod linked;
mod modes;
mod report;
mod request;
mod rigid;
mod ritz;
mod ritz_line;
mod scale;
mod small;
mod supported;

pub use error::ReductionError;
pub use file::{ReducedFileError, StoredBody, checksum};
pub use geometric::{GeometricStiffness, geometric_stiffness, stiffen};
pub use integrals::inertia_integrals;
pub use report::{Comparison, EffectiveMass, ReductionReport};
pub use request::{Damping, InterfaceKind, InterfaceRequest, Method, ModeChoice, Reduction, Reference};
pub use ritz::{RitzBody, ritz_body};
pub use ritz_line::{LineSection, LineShape, RitzLine};

use crate::{FullBody, Interface, ReducedBody, ShapeKind};
use basis::Basis;
use linked::Linked;
use nalgebra::DMatrix;

/// A body after its reduction.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The body.
    pub body: ReducedBody,
    /// The shapes, a row for each unknown of the full body.
    pub shapes: DMatrix<f64>,
    /// How well the reduced body does for the full one.
    pub report: ReductionReport,
}

/// Reduces a body.
pub fn reduce(full: &FullBody, request: &Reduction) -> Result<Reduced, ReductionError> {
    let body = Linked::new(full, &request.interfaces)?;
    let wants_held = matches!(request.method, Method::CraigBampton(_)) || request.compare > 0;
    let held =
        (wants_held && !body.interfaces.is_empty()).then(|| basis::interfaces_held(&body)).transpose()?;
    let basis = basis::basis(&body, held.as_ref(), &request.method, &request.reference)?;
    let (squares, columns) = without_rigid(&body, &basis, &request.reference)?;
    let reduced = assemble(&body, &basis, &squares, &columns, &request.damping)?;
    let report = report::report(&body, held.as_ref(), &basis, &reduced, request)?;
    Ok(Reduced { shapes: body.to_full(&columns), body: reduced, report })
}

/// Combinations of the shapes that the reference allows, with K and M diagonal: ω² and columns over v.
fn without_rigid(
    body: &Linked,
    basis: &Basis,
    reference: &Reference,
) -> Result<(Vec<f64>, DMatrix<f64>), ReductionError> {
    if !basis.has_rigid {
        return vibrations_in(body, &basis.columns, None);
    }
    let (conditions, of_rigid) = reference_conditions(body, &basis.columns, reference)?;
    let (_, held) = small::null_space(&of_rigid)?;
    let rigid = body.rigid.ncols();
    if held < rigid {
        return Err(ReductionError::Reference { reference: reference.words(), held, rigid });
    }
    vibrations_in(body, &basis.columns, Some(&conditions))
}

/// What the reference asks to vanish, of columns and of the rigid motions.
fn reference_conditions(
    body: &Linked,
    columns: &DMatrix<f64>,
    reference: &Reference,
) -> Result<(DMatrix<f64>, DMatrix<f64>), ReductionError> {
    if let Some(interface) = reference.interface(body)? {
        let of = |v: &DMatrix<f64>| body.interface_motion(interface, v);
        return Ok((of(columns), of(&body.rigid)));
    }
    if let Reference::Held(unknowns) = reference {
        let rows: Vec<_> = basis::held_unknowns(body, unknowns)?.into_iter().map(|a| body.row(a)).collect();
        return Ok((linked::apply(&rows, columns), linked::apply(&rows, &body.rigid)));
    }
    // RᵀM v = 0: neither momentum nor angular momentum.
    let (rigid, momenta) = body.mass_normalised(body.rigid.clone())?;
    Ok((momenta.tr_mul(columns), momenta.tr_mul(&rigid)))
}

/// Vibrations in the space of columns, as far as conditions on them allow.
fn vibrations_in(
    body: &Linked,
    columns: &DMatrix<f64>,
    conditions: Option<&DMatrix<f64>>,
) -> Result<(Vec<f64>, DMatrix<f64>), ReductionError> {
    let momenta = small::product(&body.mass, columns);
    let mut scaled = columns.clone();
    // Columns of one size: a rotation by a radian and a displacement by a metre are not.
    let sizes: Vec<f64> =
        (0..columns.ncols()).map(|k| columns.column(k).dot(&momenta.column(k)).max(0.0).sqrt()).collect();
    for (mut column, size) in scaled.column_iter_mut().zip(&sizes) {
        if *size > 0.0 {
            column /= *size;
        }
    }
    let allowed = match conditions {
        None => scaled,
        Some(conditions) => {
            let mut conditions = conditions.clone();
            for (mut column, size) in conditions.column_iter_mut().zip(&sizes) {
                if *size > 0.0 {
                    column /= *size;
                }
            }
            scaled * small::null_space(&conditions)?.0
        }
    };
    let k = small::congruence(&body.stiffness, &allowed);
    let m = small::congruence(&body.mass, &allowed);
    let (squares, vectors) = small::eigen(&k, &m)?;
    let mut columns = allowed * vectors;
    small::fix_signs(&mut columns);
    Ok((squares, columns))
}

fn assemble(
    body: &Linked,
    basis: &Basis,
    squares: &[f64],
    columns: &DMatrix<f64>,
    damping: &Damping,
) -> Result<ReducedBody, ReductionError> {
    if let Some(square) = squares.iter().find(|square| square.is_nan() || **square <= 0.0) {
        return Err(ReductionError::Body(format!(
            "a shape without rigid motion has a stiffness of {square:.3e}"
        )));
    }
    let shapes = body.to_full(columns);
    let stiffness = DMatrix::from_diagonal(&nalgebra::DVector::from_column_slice(squares));
    let mass = DMatrix::identity(squares.len(), squares.len());
    let interfaces = body.interfaces.iter().enumerate().map(|(i, interface)| {
        let motion = body.interface_motion(i, columns);
        let six = motion.column_iter().map(|column| body.six(column.into_owned().as_slice()));
        let (displacements, rotations) = six.unzip();
        Interface { name: interface.name.clone(), place: interface.place, displacements, rotations }
    });
    Ok(ReducedBody {
        inertia: integrals::inertia_integrals(body.full, &shapes),
        damping: damping::damping_matrix(damping, &stiffness, &mass)?,
        stiffness,
        kinds: vec![basis.kind; squares.len()],
        interfaces: interfaces.collect(),
        nodes: body.full.nodes.clone(),
        shapes: integrals::displacements(body.full, &shapes),
        skin: body.full.skin.clone(),
        stresses: None,
        geometric: None,
    })
}

/// The kind in one word.
fn kind_word(kind: ShapeKind) -> &'static str {
    match kind {
        ShapeKind::Normal => "normal",
        ShapeKind::Constraint => "constraint",
        ShapeKind::Mixed => "mixed",
        ShapeKind::Given => "given",
    }
}
