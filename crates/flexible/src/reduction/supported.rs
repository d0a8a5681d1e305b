//! Statics of a body that is held, or free with its inertia in balance.
//!
//! Some unknowns are held (their rows and columns are left out) and rows B v = b are imposed. A free body is
//! set on statically determinate supports S, as many as it has rigid motions R: the loads of which a solution
//! is asked are in balance, so that the supports carry nothing and v is exact but for a rigid motion.
//!
//! ```text
//! w = K_GG⁻¹ f,   Y = K_GG⁻¹ Bᵀ,   v = w − Y λ + R c
//! B v = b,   Rᵀ (f − Bᵀ λ) = 0
//! ```

use super::interface::Row;
use super::linked::{Linked, apply, apply_to};
use super::{ReductionError, small};
use nalgebra::{DMatrix, DVector, Dyn};
use poinsot_numerics::{
    EliminationOrder, SymmetricFactorError, SymmetricFactors, SymmetricMatrix, irregular,
};

/// vᵀKv of a motion against |v|ᵀ|K||v|, below which it is without strain: nothing but rounding.
const STRAINLESS: f64 = 1e-14;

/// Passes of inverse iteration that look for such a motion.
const LOOKS: usize = 3;

/// Bodies of more unknowns are ordered by nested dissection.
const LARGE: usize = 3000;

/// Not solved for.
const OUT: u32 = u32::MAX;

/// A body with its supports.
pub struct Supported<'a, 'b> {
    pub body: &'b Linked<'a>,
    /// Unknowns that are held.
    held: Vec<usize>,
    /// B.
    pub rows: Vec<Row>,
    factors: SymmetricFactors,
    /// Place of each unknown in the factored matrix.
    place: Vec<u32>,
    /// Y, over v.
    y: DMatrix<f64>,
    /// Rigid motions that are left, RᵀMR = I.
    pub rigid: DMatrix<f64>,
    /// M R.
    rigid_momenta: DMatrix<f64>,
    /// [BY  −BR; −(BR)ᵀ 0].
    border: Option<nalgebra::LU<f64, Dyn, Dyn>>,
}

impl<'a, 'b> Supported<'a, 'b> {
    /// Holds unknowns and the combinations `rows` of them. They must hold all rigid motions, or none.
    pub fn new(
        body: &'b Linked<'a>,
        held: &[usize],
        rows: Vec<Row>,
        reference: &str,
    ) -> Result<Self, ReductionError> {
        let rows = independent_rows(rows, held);
        let held_rows = body.rigid.select_rows(held);
        let (rest, rank) = small::null_space(&held_rows)?;
        let rigid = &body.rigid * rest;
        let seen = apply(&rows, &rigid);
        let (_, held_by_rows) = small::null_space(&seen)?;
        if (rank, held_by_rows) != (0, 0) && held_by_rows < rigid.ncols() {
            let (held, rigid) = (rank + held_by_rows, body.rigid.ncols());
            return Err(ReductionError::Reference { reference: reference.to_string(), held, rigid });
        }
        let supports = choose_supports(&rigid);
        let mut place = vec![0; body.size()];
        held.iter().chain(&supports).for_each(|&a| place[a] = OUT);
        let size = renumber(&mut place);
        let factors = factor_stiffness(body, &place, size)?;
        let (rigid, rigid_momenta) = body.mass_normalised(rigid)?;
        let mut supported = Supported {
            body,
            held: held.to_vec(),
            y: DMatrix::zeros(body.size(), rows.len()),
            rows,
            factors,
            place,
            rigid,
            rigid_momenta,
            border: None,
        };
        supported.check_strain()?;
        supported.border();
        Ok(supported)
    }

    /// Numbers that the vibrations have: unknowns that can move, less rows and rigid motions.
    pub fn freedoms(&self) -> usize {
        let free = self.body.size() - self.held.len() - self.rows.len();
        if self.rows.is_empty() { free - self.rigid.ncols() } else { free }
    }

    /// f := v, the answer to a load; of a free body to the load in balance with inertia, without rigid
    /// motion.
    pub fn respond(&self, f: &mut [f64]) {
        let in_balance = self.rows.is_empty() && self.rigid.ncols() > 0;
        if in_balance {
            let along = -(self.rigid.tr_mul(&view(f)));
            add_columns(f, &self.rigid_momenta, &along);
        }
        let balance = self.rigid.tr_mul(&view(f));
        self.held.iter().for_each(|&a| f[a] = 0.0);
        self.apply_inverse(f);
        if in_balance {
            let along = -(self.rigid_momenta.tr_mul(&view(f)));
            add_columns(f, &self.rigid, &along);
        } else {
            self.impose(f, &DVector::zeros(self.rows.len()), &balance);
        }
    }

    /// v where held unknowns and rows have given values, a column for each set of them, without other loads.
    pub fn prescribe(&self, held: &DMatrix<f64>, rows: &DMatrix<f64>) -> DMatrix<f64> {
        let columns = held.ncols().max(rows.ncols());
        let mut all = DMatrix::zeros(self.body.size(), columns);
        for k in 0..columns {
            let mut given = DVector::zeros(self.body.size());
            self.held.iter().enumerate().for_each(|(i, &a)| given[a] = held[(i, k)]);
            let mut v = given.clone();
            // Two passes: the second takes off what rounding has left.
            for _ in 0..2 {
                let mut f = DVector::zeros(v.len());
                self.body.stiffness.multiply(v.as_slice(), f.as_mut_slice());
                f.neg_mut();
                self.held.iter().for_each(|&a| f[a] = 0.0);
                self.apply_inverse(f.as_mut_slice());
                let missing = rows.column(k) - apply_to(&self.rows, v.as_slice());
                // K v is in balance, because K R = 0.
                self.impose(f.as_mut_slice(), &missing, &DVector::zeros(self.rigid.ncols()));
                v += f;
            }
            all.set_column(k, &v);
        }
        all
    }

    /// w := w − Yλ + Rc so that B w = b and the loads are in balance.
    fn impose(&self, w: &mut [f64], b: &DVector<f64>, balance: &DVector<f64>) {
        let Some(border) = &self.border else { return };
        let (rows, rigid) = (self.rows.len(), self.rigid.ncols());
        let mut side = DVector::zeros(rows + rigid);
        side.rows_mut(0, rows).copy_from(&(apply_to(&self.rows, w) - b));
        side.rows_mut(rows, rigid).copy_from(&-balance);
        border.solve_mut(&mut side);
        add_columns(w, &self.y, &-side.rows(0, rows).into_owned());
        add_columns(w, &self.rigid, &side.rows(rows, rigid).into_owned());
    }

    /// f := K_GG⁻¹ f, zero at supports and held unknowns.
    fn apply_inverse(&self, f: &mut [f64]) {
        let mut inner = vec![0.0; self.factors.size()];
        for (a, &place) in self.place.iter().enumerate().filter(|(_, place)| **place != OUT) {
            inner[place as usize] = f[a];
        }
        self.factors.solve(&mut inner);
        for (f, &place) in f.iter_mut().zip(&self.place) {
            *f = if place == OUT { 0.0 } else { inner[place as usize] };
        }
    }

    fn border(&mut self) {
        let (rows, rigid) = (self.rows.len(), self.rigid.ncols());
        if rows == 0 {
            return;
        }
        for k in 0..rows {
            let mut column = vec![0.0; self.body.size()];
            self.rows[k].iter().for_each(|&(a, value)| column[a] += value);
            self.held.iter().for_each(|&a| column[a] = 0.0);
            self.apply_inverse(&mut column);
            self.y.column_mut(k).copy_from_slice(&column);
        }
        let seen = apply(&self.rows, &self.rigid);
        let mut border = DMatrix::zeros(rows + rigid, rows + rigid);
        border.view_mut((0, 0), (rows, rows)).copy_from(&apply(&self.rows, &self.y));
        border.view_mut((0, rows), (rows, rigid)).copy_from(&-&seen);
        border.view_mut((rows, 0), (rigid, rows)).copy_from(&-seen.transpose());
        self.border = Some(border.lu());
    }

    /// Looks by inverse iteration for a motion without strain.
    fn check_strain(&self) -> Result<(), ReductionError> {
        let n = self.body.size();
        let mut v: Vec<f64> = (0..n).map(irregular).collect();
        for _ in 0..LOOKS {
            self.apply_inverse(&mut v);
            let size = v.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
            if !v.iter().all(|x| x.is_finite()) {
                return Err(self.mechanism(&v));
            }
            if size == 0.0 {
                return Ok(());
            }
            v.iter_mut().for_each(|x| *x /= size);
        }
        let (mut energy, mut terms) = (0.0, 0.0);
        for (i, j, value) in self.body.stiffness.entries() {
            let term = if i == j { 1.0 } else { 2.0 } * v[i] * value * v[j];
            energy += term;
            terms += term.abs();
        }
        if energy > STRAINLESS * terms { Ok(()) } else { Err(self.mechanism(&v)) }
    }

    /// Names the node that moves most when rigid motion is taken out.
    fn mechanism(&self, v: &[f64]) -> ReductionError {
        let along = -(self.rigid_momenta.tr_mul(&view(v)));
        let mut v = v.to_vec();
        add_columns(&mut v, &self.rigid, &along);
        let moves = |a: usize| if v[a].is_finite() { v[a].abs() } else { f64::MAX };
        let most = (0..v.len()).max_by(|&a, &b| moves(a).total_cmp(&moves(b))).unwrap_or(0);
        let node = self.body.named_node(self.body.node_of[most]);
        ReductionError::Mechanism { node, rigid: self.body.rigid.ncols() }
    }

    /// All motions that the supports leave, as columns; of a free body those without momentum.
    pub fn free_basis(&self) -> Result<DMatrix<f64>, ReductionError> {
        let n = self.body.size();
        let mut held = vec![false; n];
        self.held.iter().for_each(|&a| held[a] = true);
        let free: Vec<usize> = (0..n).filter(|&a| !held[a]).collect();
        let conditions = if self.rows.is_empty() {
            self.rigid_momenta.transpose()
        } else {
            let mut rows = DMatrix::zeros(self.rows.len(), n);
            for (k, row) in self.rows.iter().enumerate() {
                row.iter().for_each(|&(a, value)| rows[(k, a)] += value);
            }
            rows
        };
        let (inner, _) = small::null_space(&conditions.select_columns(&free))?;
        let mut basis = DMatrix::zeros(n, inner.ncols());
        free.iter().enumerate().for_each(|(i, &a)| basis.row_mut(a).copy_from(&inner.row(i)));
        Ok(basis)
    }

    /// Number of vibrations with ω² < σ, by the inertia of K − σM (Sylvester).
    ///
    /// ```text
    /// ν(ZᵀAZ) = ν(A) − ν(B A⁻¹ Bᵀ),   B Z = 0
    /// ```
    pub fn count_below(&self, sigma: f64) -> Result<usize, ReductionError> {
        let mut place = vec![0; self.body.size()];
        self.held.iter().for_each(|&a| place[a] = OUT);
        let size = renumber(&mut place);
        let matrices: [(&SymmetricMatrix, f64); 2] = [(&self.body.stiffness, 1.0), (&self.body.mass, -sigma)];
        let factors = match factor(self.body, &matrices, &place, size) {
            // A pivot of exactly zero: at an eigenvalue of a part. A little aside there is none.
            Err(SymmetricFactorError::Pivot { .. }) => return self.count_below(sigma * (1.0 + 1e-9)),
            other => other.map_err(|error| self.body.cause(error))?,
        };
        let below = factors.negative_pivots();
        if self.rows.is_empty() {
            return Ok(below - self.rigid.ncols().min(below));
        }
        let mut images = DMatrix::zeros(self.body.size(), self.rows.len());
        for (k, row) in self.rows.iter().enumerate() {
            let mut column = vec![0.0; size];
            let inner = row.iter().filter(|(a, _)| place[*a] != OUT);
            inner.for_each(|&(a, value)| column[place[a] as usize] += value);
            factors.solve(&mut column);
            let image =
                (0..self.body.size()).map(|a| if place[a] == OUT { 0.0 } else { column[place[a] as usize] });
            images.set_column(k, &DVector::from_iterator(self.body.size(), image));
        }
        let bordered = small::symmetric_part(&apply(&self.rows, &images));
        let negative = bordered.symmetric_eigenvalues().iter().filter(|value| **value < 0.0).count();
        Ok(below - negative.min(below))
    }
}

impl Linked<'_> {
    /// What a failed factorisation means.
    fn cause(&self, error: SymmetricFactorError) -> ReductionError {
        match error {
            SymmetricFactorError::Pivot { .. } => {
                ReductionError::Body("its stiffness matrix is singular".into())
            }
            SymmetricFactorError::NotFinite => {
                ReductionError::Body("an entry of a matrix is not finite".into())
            }
            SymmetricFactorError::Memory => ReductionError::Memory { unknowns: self.size() },
        }
    }

    /// Rigid motions with RᵀMR = I, and M R.
    pub fn mass_normalised(
        &self,
        rigid: DMatrix<f64>,
    ) -> Result<(DMatrix<f64>, DMatrix<f64>), ReductionError> {
        if rigid.ncols() == 0 {
            return Ok((rigid.clone(), rigid));
        }
        let momenta = small::product(&self.mass, &rigid);
        let gram = small::symmetric_part(&rigid.tr_mul(&momenta));
        let inverse = gram
            .cholesky()
            .and_then(|factors| factors.l().transpose().try_inverse())
            .ok_or_else(|| ReductionError::Body("a rigid motion of the body moves no mass".into()))?;
        Ok((&rigid * &inverse, momenta * inverse))
    }
}

fn view(f: &[f64]) -> nalgebra::DVectorView<'_, f64> {
    nalgebra::DVectorView::from_slice(f, f.len())
}

/// f += C x.
fn add_columns(f: &mut [f64], columns: &DMatrix<f64>, x: &DVector<f64>) {
    for (column, x) in columns.column_iter().zip(x.iter()) {
        f.iter_mut().zip(column.iter()).for_each(|(f, c)| *f += x * c);
    }
}

/// Numbers the places that are in; how many there are.
fn renumber(place: &mut [u32]) -> usize {
    let mut next = 0;
    for place in place.iter_mut().filter(|place| **place != OUT) {
        *place = next;
        next += 1;
    }
    next as usize
}

/// Factors of K. Where a pivot is exactly zero, of K with a little more on its diagonal: the motion without
/// strain is then found as any other.
fn factor_stiffness(body: &Linked, place: &[u32], size: usize) -> Result<SymmetricFactors, ReductionError> {
    match factor(body, &[(&body.stiffness, 1.0)], place, size) {
        Err(SymmetricFactorError::Pivot { .. }) => {
            let diagonal = body.stiffness.entries().filter(|(i, j, _)| i == j);
            let diagonal = SymmetricMatrix::from_entries(body.size(), diagonal);
            factor(body, &[(&body.stiffness, 1.0), (&diagonal, 1e-10)], place, size)
        }
        other => other,
    }
    .map_err(|error| body.cause(error))
}

/// Factors of Σ factor · matrix without what is out.
fn factor(
    body: &Linked,
    matrices: &[(&SymmetricMatrix, f64)],
    place: &[u32],
    size: usize,
) -> Result<SymmetricFactors, SymmetricFactorError> {
    let entries = matrices.iter().flat_map(|(matrix, scale)| {
        let inner = matrix.entries().filter(|(i, j, _)| place[*i] != OUT && place[*j] != OUT);
        inner.map(move |(i, j, value)| (place[i] as usize, place[j] as usize, scale * value))
    });
    let matrix = SymmetricMatrix::from_entries(size, entries);
    if size < LARGE {
        return SymmetricFactors::new(&matrix, EliminationOrder::MinimumDegree);
    }
    let inner = place.iter().zip(&body.node_of).filter(|(place, _)| **place != OUT);
    let node_of: Vec<u32> = inner.map(|(_, node)| *node).collect();
    SymmetricFactors::new(&matrix, EliminationOrder::Dissection { node_of: &node_of, places: &body.places })
}

/// As many unknowns as there are rigid motions, that hold them well: each time the one that moves most in
/// what is left, with rotations measured by the size of the body.
fn choose_supports(rigid: &DMatrix<f64>) -> Vec<usize> {
    let mut rest = rigid.clone();
    for mut column in rest.column_iter_mut() {
        let size = column.amax();
        if size > 0.0 {
            column /= size;
        }
    }
    let mut supports = vec![];
    for _ in 0..rigid.ncols() {
        let size = |a: usize| rest.row(a).norm_squared();
        let best =
            (0..rest.nrows()).fold(0, |best, a| if size(a) > size(best) * (1.0 + 1e-9) { a } else { best });
        let direction = rest.row(best).transpose() / rest.row(best).norm().max(f64::MIN_POSITIVE);
        let along = &rest * &direction;
        rest -= along * direction.transpose();
        supports.push(best);
    }
    supports
}

/// Rows that are independent of those before them on what is not held.
fn independent_rows(rows: Vec<Row>, held: &[usize]) -> Vec<Row> {
    let held: std::collections::BTreeSet<usize> = held.iter().copied().collect();
    let free = |row: &Row| row.iter().copied().filter(|(a, _)| !held.contains(a)).collect::<Row>();
    let seen: std::collections::BTreeSet<usize> = rows.iter().flat_map(&free).map(|(a, _)| a).collect();
    let number: std::collections::BTreeMap<usize, usize> = seen.into_iter().zip(0..).collect();
    let mut columns = DMatrix::zeros(number.len(), rows.len());
    for (k, row) in rows.iter().enumerate() {
        free(row).into_iter().for_each(|(a, value)| columns[(number[&a], k)] += value);
    }
    let kept = super::rigid::independent(&columns);
    kept.into_iter().map(|k| rows[k].clone()).collect()
}
