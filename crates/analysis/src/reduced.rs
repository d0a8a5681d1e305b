//! The linearised system in independent coordinates, before anything is inverted.
//!
//! The unknowns are split into independent and dependent ones by column pivoting (floating-frame-and-ancf
//! §1.3.4),
//!
//! ```text
//! y = Z q,         Z = [I; −G_d⁻¹ G_i]          holonomic rows
//! q̇ = U w − P q,   U = [I; −B_d⁻¹ B_i],  P = [0; B_d⁻¹ N̂ Z],  B = G_v Z      rows on velocities
//! ```
//! and the balance is projected on the left null space Q of the constraint forces:
//!
//! ```text
//! QᵀM Z U ẇ = −Qᵀ (Ĉ Z − M Z P) U w − Qᵀ (K̂ Z − (Ĉ Z − M Z P) P) q + Qᵀ F u
//! ```
//! Beside every matrix stands the sum of the magnitudes of the terms of its entries, |A B|₊ = |A|₊ |B|₊:
//! entries that cancel are known to ε of that only. The eigenvalues of [`Reduced::pencil`] are judged by it.

use crate::linear::Linear;
use crate::state_space::{MAX_DENSE, StateSpaceError};
use poinsot_mechanics::System;
use poinsot_numerics::dense::{DenseError, DenseLu, Mat, expand};
use poinsot_numerics::pencil::{Pencil, ROUNDINGS};
use poinsot_numerics::subspace::pivoted_columns;

/// A matrix with the magnitudes of the terms of its entries.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub value: Mat<f64>,
    pub size: Mat<f64>,
}

impl Measured {
    fn of(value: Mat<f64>) -> Self {
        Measured { size: magnitude(&value), value }
    }

    fn times(&self, other: &Measured) -> Measured {
        Measured { value: &self.value * &other.value, size: &self.size * &other.size }
    }

    /// Aᵀ B.
    fn transposed_times(&self, other: &Measured) -> Measured {
        Measured { value: self.value.transpose() * &other.value, size: self.size.transpose() * &other.size }
    }

    fn minus(&self, other: &Measured) -> Measured {
        Measured { value: &self.value - &other.value, size: &self.size + &other.size }
    }

    /// Whether every entry is rounding.
    fn is_zero(&self) -> bool {
        let (rows, columns) = (self.value.nrows(), self.value.ncols());
        let mut all = (0..columns).flat_map(|j| (0..rows).map(move |i| (i, j)));
        all.all(|at| self.value[at].abs() <= ROUNDINGS * self.size[at])
    }

    /// Whether the matrix is symmetric to rounding.
    fn is_symmetric(&self) -> bool {
        symmetric(&self.value, &self.size)
    }

    /// (A + Aᵀ)/2.
    fn mean(&self) -> Measured {
        let mean = |m: &Mat<f64>| Mat::from_fn(m.nrows(), m.ncols(), |i, j| 0.5 * (m[(i, j)] + m[(j, i)]));
        Measured { value: mean(&self.value), size: mean(&self.size) }
    }
}

fn symmetric(m: &Mat<f64>, size: &Mat<f64>) -> bool {
    let mut pairs = (0..m.nrows()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.all(|(i, j)| (m[(i, j)] - m[(j, i)]).abs() <= ROUNDINGS * (size[(i, j)] + size[(j, i)]))
}

/// Whether both matrices of a pencil are symmetric to rounding.
pub(crate) fn is_symmetric(pencil: &Pencil) -> bool {
    symmetric(&pencil.a, &pencil.a_size) && symmetric(&pencil.b, &pencil.b_size)
}

fn magnitude(m: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)].abs())
}

/// Independent columns of constraints and the basis they give.
pub(crate) struct NullBasis {
    pub basis: Measured,
    pub independent: Vec<usize>,
    dependent: Vec<usize>,
    /// G_d⁻¹.
    inverse: Mat<f64>,
}

impl NullBasis {
    fn new(g: &Measured, scale: &[f64]) -> Result<Self, DenseError> {
        let (rows, columns) = (g.value.nrows(), g.value.ncols());
        let weighed = Mat::from_fn(rows, columns, |i, j| g.value[(i, j)] * scale[j]);
        let order = if rows == 0 { (0..columns).collect() } else { pivoted_columns(weighed.as_ref())?.order };
        let dependent: Vec<usize> = order[..rows].to_vec();
        let mut independent: Vec<usize> = order[rows..].to_vec();
        independent.sort_unstable();
        let square = Mat::from_fn(rows, rows, |i, j| g.value[(i, dependent[j])]);
        let inverse = invert(&square)?.unwrap_or_else(|| Mat::zeros(rows, rows));
        let columns_of = |m: &Mat<f64>| Mat::from_fn(rows, independent.len(), |i, j| m[(i, independent[j])]);
        let free = Measured { value: columns_of(&g.value), size: columns_of(&g.size) };
        let mut this = NullBasis { basis: free, independent, dependent, inverse };
        let mut basis = this.particular(&this.basis, columns);
        for (j, &k) in this.independent.iter().enumerate() {
            basis.value[(k, j)] = 1.0;
            basis.size[(k, j)] = 1.0;
        }
        this.basis = basis;
        Ok(this)
    }

    /// −G_d⁻¹ R in the dependent rows, zero in the others.
    fn particular(&self, r: &Measured, columns: usize) -> Measured {
        let full = |solved: &Mat<f64>| {
            let mut out = Mat::zeros(columns, solved.ncols());
            for (i, &k) in self.dependent.iter().enumerate() {
                (0..solved.ncols()).for_each(|j| out[(k, j)] = solved[(i, j)]);
            }
            out
        };
        Measured {
            value: full(&(&self.inverse * &r.value * -1.0)),
            size: full(&(magnitude(&self.inverse) * &r.size)),
        }
    }
}

/// The inverse, if the matrix has one.
pub(crate) fn invert(m: &Mat<f64>) -> Result<Option<Mat<f64>>, DenseError> {
    let n = m.nrows();
    if n == 0 {
        return Ok(Some(Mat::zeros(0, 0)));
    }
    let lu = DenseLu::new(m.as_ref())?;
    let mut inverse = Mat::zeros(n, n);
    for j in 0..n {
        let mut e = vec![0.0; n];
        e[j] = 1.0;
        lu.solve(&mut e);
        if e.iter().any(|x| !x.is_finite()) {
            return Ok(None);
        }
        e.into_iter().enumerate().for_each(|(i, x)| inverse[(i, j)] = x);
    }
    Ok(Some(inverse))
}

/// The matrices in independent coordinates.
pub(crate) struct Reduced {
    pub z: NullBasis,
    pub u: NullBasis,
    pub p: Measured,
    pub q: Measured,
    /// QᵀM Z U.
    pub mass: Measured,
    /// Qᵀ (Ĉ Z − M Z P) U.
    pub by_rate: Measured,
    /// Qᵀ (K̂ Z − (Ĉ Z − M Z P) P).
    pub by_position: Measured,
    /// Equations of the unknowns, in the order of the rows of Z.
    pub unknowns: Vec<usize>,
}

/// What kind of eigenproblem small motions are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// K q = μ M q with symmetric matrices, λ² = −μ.
    Conservative,
    /// K q = μ M q, λ² = −μ: forces that follow.
    Undamped,
    /// The states (q, w).
    General,
}

/// Rows and columns of a full matrix.
fn part(full: &Mat<f64>, rows: &[usize], columns: &[usize]) -> Mat<f64> {
    Mat::from_fn(rows.len(), columns.len(), |i, j| full[(rows[i], columns[j])])
}

/// Weights that make columns of rotations comparable with those of translations.
fn column_scales(system: &System) -> Vec<f64> {
    let length = system.length_scale();
    let weights = system.nodes().iter().flat_map(|n| {
        let linear = n.chart.linear_dofs();
        (0..n.chart.dofs()).map(move |k| if k < linear { 1.0 } else { 1.0 / length })
    });
    weights.collect()
}

impl Reduced {
    /// Reduces a linearised system.
    pub fn new(system: &System, linear: &Linear) -> Result<Self, StateSpaceError> {
        let unknowns: Vec<usize> = system.nodes().iter().flat_map(|n| n.unknowns()).collect();
        if unknowns.len() > MAX_DENSE {
            return Err(StateSpaceError::TooLarge(unknowns.len()));
        }
        let scale = column_scales(system);
        let pattern = system.pattern();
        let full = expand(pattern, &linear.constraints);
        let (velocity, holonomic): (Vec<usize>, Vec<usize>) =
            linear.rows.iter().partition(|&&eq| linear.on_velocities[eq]);
        let sized = |values: &[f64], sizes: &[f64], rows: &[usize]| Measured {
            value: part(&expand(pattern, values), rows, &unknowns),
            size: part(&expand(pattern, sizes), rows, &unknowns),
        };
        let sizes = &linear.sizes;
        let m = Measured::of(part(&expand(pattern, &linear.mass), &unknowns, &unknowns));
        let c = sized(&linear.damping, &sizes.damping, &unknowns);
        let k = sized(&linear.stiffness, &sizes.stiffness, &unknowns);
        let z = NullBasis::new(&Measured::of(part(&full, &holonomic, &unknowns)), &scale)?;
        let b = Measured::of(part(&full, &velocity, &unknowns)).times(&z.basis);
        let d = sized(&linear.drift, &sizes.drift, &velocity).times(&z.basis);
        let own_scale: Vec<f64> = z.independent.iter().map(|&j| scale[j]).collect();
        let u = NullBasis::new(&b, &own_scale)?;
        let mut p = u.particular(&d, b.value.ncols());
        p.value *= -1.0;
        let q = match system.is_pressed() {
            false => z.basis.times(&u.basis),
            // Forces that depend on λ: the forces of the constraints have another null space than their rows.
            true => {
                let upper = part(&full, &unknowns, &linear.rows);
                NullBasis::new(&Measured::of(upper.transpose().to_owned()), &scale)?.basis
            }
        };
        let (mz, cz, kz) = (m.times(&z.basis), c.times(&z.basis), k.times(&z.basis));
        let moving = cz.minus(&mz.times(&p));
        Ok(Reduced {
            mass: q.transposed_times(&mz).times(&u.basis),
            by_rate: q.transposed_times(&moving).times(&u.basis),
            by_position: q.transposed_times(&kz.minus(&moving.times(&p))),
            z,
            u,
            p,
            q,
            unknowns,
        })
    }

    /// (ZᵀKZ, ZᵀMZ) of a matrix of statics with its constraints, and of masses.
    pub fn statics(system: &System, stiffness: &[f64], mass: &[f64]) -> Result<Pencil, DenseError> {
        Ok(Self::statics_on(system, stiffness, mass)?.1)
    }

    /// Z and the pencil on it.
    fn statics_on(
        system: &System,
        stiffness: &[f64],
        mass: &[f64],
    ) -> Result<(Measured, Pencil), DenseError> {
        let unknowns: Vec<usize> = system.nodes().iter().flat_map(|n| n.unknowns()).collect();
        let full = expand(system.pattern(), stiffness);
        let rows = part(&full, &system.enforced_equations(), &unknowns);
        let z = NullBasis::new(&Measured::of(rows), &column_scales(system))?.basis;
        let own =
            |full: &Mat<f64>| z.transposed_times(&Measured::of(part(full, &unknowns, &unknowns)).times(&z));
        let (k, m) = (own(&full), own(&expand(system.pattern(), mass)));
        Ok((z, Pencil { a: k.value, a_size: k.size, b: m.value, b_size: m.size }))
    }

    /// Directions that the constraints allow, in equation order: those of the eigenvectors of statics, the
    /// softest first, and those of the independent coordinates.
    pub fn directions(system: &System, stiffness: &[f64], mass: &[f64]) -> Result<Vec<Vec<f64>>, DenseError> {
        let (z, pencil) = Self::statics_on(system, stiffness, mass)?;
        let unknowns: Vec<usize> = system.nodes().iter().flat_map(|n| n.unknowns()).collect();
        let along = |coordinates: &[f64]| {
            let mut y = vec![0.0; system.size()];
            for (i, &eq) in unknowns.iter().enumerate() {
                y[eq] = coordinates.iter().enumerate().map(|(j, q)| z.value[(i, j)] * q).sum();
            }
            y
        };
        let mut pairs = pencil.eigen(is_symmetric(&pencil))?;
        pairs.sort_by(|x, y| x.value.re.total_cmp(&y.value.re));
        let soft = pairs.iter().map(|p| along(&p.vector.iter().map(|x| x.re).collect::<Vec<f64>>()));
        let n = z.value.ncols();
        let own = (0..n).map(|k| along(&(0..n).map(|j| f64::from(j == k)).collect::<Vec<f64>>()));
        Ok(soft.chain(own).collect())
    }

    /// The freedom with the smallest diagonal mass, for a message.
    pub fn lightest(&self, system: &System) -> String {
        let mass = |k: usize| self.mass.value[(k, k)].abs();
        let least = (0..self.mass.value.nrows()).min_by(|&a, &b| mass(a).total_cmp(&mass(b)));
        let name = |k: usize| {
            let unknown = self.unknowns[self.z.independent[self.u.independent[k]]];
            format!("rate of {}", system.equation_name(unknown))
        };
        least.map_or_else(String::new, name)
    }

    /// What kind of eigenproblem this is.
    pub fn kind(&self) -> Kind {
        let holonomic = self.z.independent.len() == self.u.independent.len();
        match () {
            () if !holonomic || !self.by_rate.is_zero() => Kind::General,
            () if self.by_position.is_symmetric() && self.mass.is_symmetric() => Kind::Conservative,
            () => Kind::Undamped,
        }
    }

    /// The pencil of its eigenvalues: (K, M) of μ or, in general, of λ with the states x = (q, w),
    ///
    /// ```text
    /// [ −P   U  ]       [ I  0 ]
    /// [ −K  −C  ] x = λ [ 0  M ] x
    /// ```
    pub fn pencil(&self, kind: Kind) -> Pencil {
        let (k, m) = match kind {
            Kind::Conservative => (self.by_position.mean(), self.mass.mean()),
            _ => (self.by_position.clone(), self.mass.clone()),
        };
        if kind != Kind::General {
            return Pencil { a: k.value, a_size: k.size, b: m.value, b_size: m.size };
        }
        let (np, nv) = (k.value.ncols(), m.value.ncols());
        let blocks = |of: &dyn Fn(usize, usize) -> f64| Mat::from_fn(np + nv, np + nv, of);
        let first = |sign: f64, p: &Mat<f64>, u: &Mat<f64>, k: &Mat<f64>, c: &Mat<f64>| {
            blocks(&|i, j| match (i < np, j < np) {
                (true, true) => sign * p[(i, j)],
                (true, false) => u[(i, j - np)],
                (false, true) => sign * k[(i - np, j)],
                (false, false) => sign * c[(i - np, j - np)],
            })
        };
        let second = |m: &Mat<f64>| {
            blocks(&|i, j| match (i < np, j < np) {
                (true, true) if i == j => 1.0,
                (false, false) => m[(i - np, j - np)],
                _ => 0.0,
            })
        };
        let (p, u, c) = (&self.p, &self.u.basis, &self.by_rate);
        Pencil {
            a: first(-1.0, &p.value, &u.value, &k.value, &c.value),
            a_size: first(1.0, &p.size, &u.size, &k.size, &c.size),
            b: second(&m.value),
            b_size: second(&m.size),
        }
    }
}
