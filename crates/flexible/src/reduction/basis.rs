//! Shapes of each method, before the reference takes rigid motion out of them.

use super::linked::Linked;
use super::modes::{Vibrations, vibrations};
use super::supported::Supported;
use super::{InterfaceKind, Method, ModeChoice, ReductionError, Reference, small};
use crate::{Component, ShapeKind, Unknown};
use nalgebra::DMatrix;
use std::collections::BTreeMap;

/// Deviation of a given shape from the rigid motion of an interface, against the shape.
const RIGID_FIT: f64 = 1e-6;

/// A part of a correction that is not in the shapes before it, against the whole.
const NEW: f64 = 1e-7;

/// Shapes as columns over v.
pub struct Basis {
    pub columns: DMatrix<f64>,
    pub kind: ShapeKind,
    /// Whether the rigid motions are combinations of the columns, and a reference is to take them out.
    pub has_rigid: bool,
    /// Vibrations with all interfaces, or the reference, held, where they were computed.
    pub held: Option<Vibrations>,
    /// How many of the first columns are what interfaces do alone.
    pub constraints: usize,
}

impl Basis {
    /// Number of held vibrations.
    pub fn held_count(&self) -> usize {
        self.held.as_ref().map_or(0, |held| held.squares.len())
    }
}

/// The shapes of a method.
pub fn basis(
    body: &Linked,
    held: Option<&Supported>,
    method: &Method,
    reference: &Reference,
) -> Result<Basis, ReductionError> {
    match method {
        Method::CraigBampton(modes) => craig_bampton(body, held, *modes),
        Method::Free { modes, corrections } => free(body, *modes, *corrections),
        Method::Supported { modes, corrections } => supported(body, reference, *modes, *corrections),
        Method::Given(columns) => given(body, columns),
    }
}

/// All interfaces held.
pub fn interfaces_held<'a, 'b>(body: &'b Linked<'a>) -> Result<Supported<'a, 'b>, ReductionError> {
    let of_kind = |kind: InterfaceKind| {
        let list = body.interfaces.iter().zip(&body.interface_rows);
        list.filter(move |(interface, _)| interface.kind == kind).flat_map(|(_, rows)| rows.iter().cloned())
    };
    let held: Vec<usize> = of_kind(InterfaceKind::Rigid).map(|row| row[0].0).collect();
    Supported::new(body, &held, of_kind(InterfaceKind::Mean).collect(), "the set of interfaces")
}

/// The body as the reference holds it.
pub fn reference_held<'a, 'b>(
    body: &'b Linked<'a>,
    reference: &Reference,
) -> Result<Supported<'a, 'b>, ReductionError> {
    let words = reference.words();
    if let Some(interface) = reference.interface(body)? {
        let rows = body.interface_rows[interface].clone();
        return match body.interfaces[interface].kind {
            InterfaceKind::Rigid => {
                let held: Vec<usize> = rows.iter().map(|row| row[0].0).collect();
                Supported::new(body, &held, vec![], &words)
            }
            InterfaceKind::Mean => Supported::new(body, &[], rows, &words),
        };
    }
    let Reference::Held(unknowns) = reference else {
        return Supported::new(body, &[], vec![], &words);
    };
    let numbers = held_unknowns(body, unknowns)?;
    let held: Vec<usize> = numbers.iter().filter_map(|&a| body.own(a)).collect();
    let rows = numbers.iter().filter(|&&a| body.own(a).is_none()).map(|&a| body.row(a)).collect();
    Supported::new(body, &held, rows, &words)
}

/// Numbers of the unknowns that are to be held.
pub fn held_unknowns(body: &Linked, unknowns: &[Unknown]) -> Result<Vec<usize>, ReductionError> {
    let key = |unknown: &Unknown| match unknown.component {
        Component::Translation(axis) => (unknown.node, axis),
        Component::Rotation(axis) => (unknown.node, 3 + axis),
    };
    let mut missing: BTreeMap<_, &Unknown> = unknowns.iter().map(|unknown| (key(unknown), unknown)).collect();
    let all = body.full.unknowns.iter().enumerate();
    let numbers = all.filter_map(|(a, unknown)| missing.remove(&key(unknown)).map(|_| a)).collect();
    match missing.values().next() {
        None => Ok(numbers),
        Some(Unknown { node, component }) => {
            Err(ReductionError::Given(format!("{component:?} of node {node} is no unknown of the body")))
        }
    }
}

/// Ψ = −K_ii⁻¹ K_ib and Φ of the inner vibrations: [[I, 0], [Ψ, Φ]] (gap 18).
fn craig_bampton(
    body: &Linked,
    held: Option<&Supported>,
    modes: ModeChoice,
) -> Result<Basis, ReductionError> {
    let Some(supported) = held else {
        let help = "Craig–Bampton shapes are those of interfaces, and the body has none: name one, or take free modes";
        return Err(ReductionError::Given(help.into()));
    };
    let held = vibrations(supported, modes)?;
    let constraint = constraint_shapes(body, supported);
    let (columns, constraints) = (small::beside(&[&constraint, &held.shapes]), constraint.ncols());
    Ok(Basis { columns, kind: ShapeKind::Mixed, has_rigid: true, held: Some(held), constraints })
}

/// What each motion of an interface does while the others are held.
pub fn constraint_shapes(body: &Linked, supported: &Supported) -> DMatrix<f64> {
    let width = body.motions.len();
    let count = body.interfaces.len() * width;
    let of_kind = |kind: InterfaceKind| -> Vec<usize> {
        let list = body.interfaces.iter().enumerate().filter(|(_, interface)| interface.kind == kind);
        list.flat_map(|(i, _)| i * width..(i + 1) * width).collect()
    };
    // A row for each held motion, with one where its own column is.
    let unit = |places: Vec<usize>| {
        DMatrix::from_fn(places.len(), count, |i, k| f64::from(u8::from(places[i] == k)))
    };
    supported.prescribe(&unit(of_kind(InterfaceKind::Rigid)), &unit(of_kind(InterfaceKind::Mean)))
}

fn free(body: &Linked, modes: ModeChoice, corrections: usize) -> Result<Basis, ReductionError> {
    let supported = Supported::new(body, &[], vec![], "the free body")?;
    let normal = vibrations(&supported, modes)?;
    let extra = correction_shapes(&supported, &normal, &body.interface_loads(None), corrections);
    let kind = if extra.ncols() > 0 { ShapeKind::Mixed } else { ShapeKind::Normal };
    let columns = small::beside(&[&supported.rigid, &normal.shapes, &extra]);
    Ok(Basis { columns, kind, has_rigid: true, held: None, constraints: 0 })
}

fn supported(
    body: &Linked,
    reference: &Reference,
    modes: ModeChoice,
    corrections: usize,
) -> Result<Basis, ReductionError> {
    if *reference == Reference::MeanAxis {
        let help = "normal modes under reference conditions need something held: an interface, or a list of unknowns";
        return Err(ReductionError::Given(help.into()));
    }
    let supported = reference_held(body, reference)?;
    let normal = vibrations(&supported, modes)?;
    let loads = body.interface_loads(reference.interface(body)?);
    let extra = correction_shapes(&supported, &normal, &loads, corrections);
    let kind = if extra.ncols() > 0 { ShapeKind::Mixed } else { ShapeKind::Normal };
    let columns = small::beside(&[&normal.shapes, &extra]);
    Ok(Basis { columns, kind, has_rigid: false, held: Some(normal), constraints: 0 })
}

/// C F, C M C F, …: what loads do beyond the vibrations, as far as it is new.
fn correction_shapes(
    supported: &Supported,
    normal: &Vibrations,
    loads: &DMatrix<f64>,
    blocks: usize,
) -> DMatrix<f64> {
    let body = supported.body;
    let mut kept: Vec<nalgebra::DVector<f64>> = vec![];
    let momenta = small::product(&body.mass, &normal.shapes);
    let mut block = loads.clone();
    for _ in 0..blocks {
        for mut column in block.column_iter_mut() {
            supported.respond(column.as_mut_slice());
        }
        for column in block.column_iter() {
            let mut rest = column.into_owned();
            let whole = mass_norm(body, &rest);
            for _ in 0..2 {
                rest -= &normal.shapes * momenta.tr_mul(&rest);
                for other in &kept {
                    let along = mass_product(body, other, &rest);
                    rest.axpy(-along, other, 1.0);
                }
            }
            let size = mass_norm(body, &rest);
            if size > NEW * whole && size > 0.0 {
                kept.push(rest / size);
            }
        }
        block = small::product(&body.mass, &block);
    }
    let mut shapes = DMatrix::zeros(body.size(), kept.len());
    kept.iter().enumerate().for_each(|(k, column)| shapes.set_column(k, column));
    shapes
}

fn mass_product(body: &Linked, x: &nalgebra::DVector<f64>, y: &nalgebra::DVector<f64>) -> f64 {
    let mut image = nalgebra::DVector::zeros(y.len());
    body.mass.multiply(y.as_slice(), image.as_mut_slice());
    x.dot(&image)
}

fn mass_norm(body: &Linked, x: &nalgebra::DVector<f64>) -> f64 {
    mass_product(body, x, x).max(0.0).sqrt()
}

/// Columns over u as columns over v, less their rigid motion, and the rigid motions.
fn given(body: &Linked, columns: &DMatrix<f64>) -> Result<Basis, ReductionError> {
    let rows = body.full.unknowns.len();
    if columns.nrows() != rows {
        let words = format!("the given shapes have {} rows for {rows} unknowns", columns.nrows());
        return Err(ReductionError::Given(words));
    }
    if columns.ncols() == 0 || !columns.iter().all(|value| value.is_finite()) {
        return Err(ReductionError::Given("the given shapes are none, or not finite".into()));
    }
    let shapes = fit(body, columns)?;
    let (rigid, momenta) = body.mass_normalised(body.rigid.clone())?;
    let mut kept: Vec<nalgebra::DVector<f64>> = vec![];
    for column in shapes.column_iter() {
        let whole = mass_norm(body, &column.into_owned());
        let mut rest = column.into_owned();
        for _ in 0..2 {
            rest -= &rigid * momenta.tr_mul(&rest);
            for other in &kept {
                let along = mass_product(body, other, &rest);
                rest.axpy(-along, other, 1.0);
            }
        }
        let size = mass_norm(body, &rest);
        if size > NEW * whole {
            kept.push(rest / size);
        }
    }
    if kept.is_empty() {
        return Err(ReductionError::Given("the given shapes are rigid motions alone".into()));
    }
    let mut flexible = DMatrix::zeros(body.size(), kept.len());
    kept.iter().enumerate().for_each(|(k, column)| flexible.set_column(k, column));
    let columns = small::beside(&[&rigid, &flexible]);
    Ok(Basis { columns, kind: ShapeKind::Given, has_rigid: true, held: None, constraints: 0 })
}

/// v with T v = u; refused where rigid interfaces are deformed.
fn fit(body: &Linked, columns: &DMatrix<f64>) -> Result<DMatrix<f64>, ReductionError> {
    let mut shapes = DMatrix::zeros(body.size(), columns.ncols());
    for a in 0..columns.nrows() {
        if let Some(b) = body.own(a) {
            shapes.row_mut(b).copy_from(&columns.row(a));
        }
    }
    for (interface, rows) in body.interfaces.iter().zip(&body.interface_rows) {
        if interface.kind == InterfaceKind::Mean {
            continue;
        }
        let over_u = interface.mean_rows(body.full);
        for (row, mean) in rows.iter().zip(&over_u) {
            for k in 0..columns.ncols() {
                shapes[(row[0].0, k)] = mean.iter().map(|&(a, value)| value * columns[(a, k)]).sum();
            }
        }
    }
    let deviation = body.to_full(&shapes) - columns;
    for k in 0..columns.ncols() {
        if deviation.column(k).amax() > RIGID_FIT * columns.column(k).amax() {
            let words = format!(
                "given shape {} deforms a rigid interface: make the interface a mean one, or tie its nodes where \
                 the shape is computed",
                k + 1
            );
            return Err(ReductionError::Given(words));
        }
    }
    Ok(shapes)
}

impl Reference {
    /// In words.
    pub fn words(&self) -> String {
        match self {
            Reference::MeanAxis => "mean axes".into(),
            Reference::FirstInterface => "the first interface held".into(),
            Reference::Interface(name) => format!("interface `{name}` held"),
            Reference::Held(unknowns) => format!("{} unknowns held", unknowns.len()),
        }
    }

    /// Number of the interface that is held.
    pub(super) fn interface(&self, body: &Linked) -> Result<Option<usize>, ReductionError> {
        match self {
            Reference::FirstInterface if body.interfaces.is_empty() => {
                Err(ReductionError::Given("the first interface is to be held, and there is none".into()))
            }
            Reference::FirstInterface => Ok(Some(0)),
            Reference::Interface(name) => {
                let place = body.interfaces.iter().position(|interface| interface.name == *name);
                let names: Vec<&str> =
                    body.interfaces.iter().map(|interface| interface.name.as_str()).collect();
                let words = || format!("no interface is named `{name}`; there are: {}", names.join(", "));
                place.map(Some).ok_or_else(|| ReductionError::Given(words()))
            }
            Reference::MeanAxis | Reference::Held(_) => Ok(None),
        }
    }
}
