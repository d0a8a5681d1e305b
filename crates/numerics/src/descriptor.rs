//! Linear differential-algebraic systems, reduced to their states by elimination:
//!
//! ```text
//! E ẋ = A x + B u,   E singular      →      E_z ż = A_z z + B_z u,     x = Z z + X₀ u (+ X₁ u̇ + …)
//! ```
//! One unknown and one equation go at a time, and with them one infinite eigenvalue:
//!
//! ```text
//! a column j of E is zero    x_j = (E_r ẋ − A_r x − B_r u)/a_rj      row_i −= (a_ij/a_rj) row_r
//! a row r of E is zero       x_j = −(A_r x + B_r u)/a_rj             put into all other rows, ẋ_j too
//! neither, E singular        rows of E are combined to zero rows by Gauss elimination
//! ```
//! until E is regular. Multipliers go in the first way (the balance is projected on what constraints leave),
//! dependent places and speeds in the second. The states are entries of x by name. If ż takes rates of u, z
//! is replaced by z − B₁ u − …, which does not jump with u.
//!
//! There is no cut-off: beside every entry stands the sum |A|₊ of the magnitudes of its terms, and an entry
//! is zero where it cannot be told from zero, |a| ≤ c ε |a|₊. Entries that are zero from the start stay
//! exactly so; hence a small number somewhere never meets the rounding of a large one that it has nothing to
//! do with. The eigenvalues of [`Reduction::pencil`] are judged by the same sizes.

use crate::dense::{DenseError, DenseLu, Mat};
use crate::pencil::{Pencil, ROUNDINGS};

/// A row without rates is taken for an unknown without a rate unless others hold it so many times better.
const OWN: f64 = 0.1;
/// See [`Reduction::doubt`].
pub const DOUBTFUL: f64 = 3e-11;
/// Rounds of equilibration.
const EVEN: usize = 3;

/// E ẋ = A x + B u.
#[derive(Clone, Debug)]
pub struct Descriptor {
    /// E.
    pub e: Mat<f64>,
    /// A.
    pub a: Mat<f64>,
    /// |E|₊.
    pub e_size: Mat<f64>,
    /// |A|₊.
    pub a_size: Mat<f64>,
    /// B.
    pub b: Mat<f64>,
    /// The usual size of every entry of x: of dependent entries those are chosen that are resolved best in
    /// these units.
    pub sizes: Vec<f64>,
}

/// A descriptor system reduced to its states.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// Entries of x that are the states, ascending.
    pub states: Vec<usize>,
    /// E_z⁻¹ A_z.
    pub a: Mat<f64>,
    /// E_z⁻¹ B_z.
    pub b: Mat<f64>,
    /// A_z and E_z, before anything is inverted.
    pub pencil: Pencil,
    /// Z.
    pub by_states: Mat<f64>,
    /// X₀.
    pub by_inputs: Mat<f64>,
    /// X₁: what the first rate of the inputs does to x; higher rates are in [`Reduction::improper`] only.
    pub by_input_rates: Mat<f64>,
    /// Eigenvalues faster than this (1/s) could not be told from infinite ones.
    pub hidden: f64,
    /// What is open, relative, of the pivot that is known worst. Above [`DOUBTFUL`] errors of errors count,
    /// and those of eigenvalues may be larger than they are said to be.
    pub doubt: f64,
    /// Differentiations that make the dependent entries follow from the states: the index.
    pub index: usize,
    /// Whether states were shifted by a share of the inputs, so that they do not jump.
    pub shifted: bool,
    /// Whether x depends on second or higher rates of the inputs.
    pub improper: bool,
}

/// Why a descriptor system has no states.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DescriptorError {
    /// The equations do not determine x: a direction is free or an equation says what others say.
    #[error("the linearised equations do not determine entry {entry}")]
    Singular {
        /// The entry of x that is least determined.
        entry: usize,
    },
    /// A dense computation failed.
    #[error(transparent)]
    Dense(#[from] DenseError),
}

impl Descriptor {
    /// A system whose entries are no sums of others.
    pub fn plain(e: Mat<f64>, a: Mat<f64>, b: Mat<f64>, sizes: Vec<f64>) -> Self {
        let magnitude = |m: &Mat<f64>| Mat::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)].abs());
        Descriptor { e_size: magnitude(&e), a_size: magnitude(&a), e, a, b, sizes }
    }

    /// Reduces the system to its states.
    pub fn reduce(&self) -> Result<Reduction, DescriptorError> {
        crate::dense::check_finite(self.e.as_ref())?;
        crate::dense::check_finite(self.a.as_ref())?;
        let mut elimination = Elimination::new(self);
        loop {
            let went = elimination.take_unknown()? || elimination.put_in()? || elimination.combine()?;
            if !went {
                return elimination.finish();
            }
        }
    }
}

/// Entries with the magnitudes of their terms.
#[derive(Clone)]
struct Entries {
    value: Vec<f64>,
    size: Vec<f64>,
}

impl Entries {
    fn of(value: &Mat<f64>, size: &Mat<f64>, row: usize) -> Self {
        let list = |m: &Mat<f64>| (0..m.ncols()).map(|j| m[(row, j)]).collect();
        Entries { value: list(value), size: list(size) }
    }

    /// self −= factor · other, with zeros where only rounding is left. The size of a product has the relative
    /// errors of its parts, |a b/p|₊ = |a b/p| (ρ_a + ρ_b + ρ_p − 2) with ρ = |a|₊/|a|.
    fn subtract(&mut self, factor: &Factor, other: &Entries) {
        for k in 0..other.value.len() {
            if other.size[k] == 0.0 {
                continue;
            }
            let (b, b_size) = (other.value[k], other.size[k]);
            self.value[k] -= factor.value * b;
            self.size[k] +=
                factor.size * b.abs() + factor.value.abs() * (b_size + (factor.ratio - 2.0) * b.abs());
            if self.value[k].abs() <= ROUNDINGS * self.size[k] {
                self.value[k] = 0.0;
            }
        }
    }

    /// |a|²/|a|₊: what is large and known well makes a good pivot.
    fn worth(&self, k: usize) -> f64 {
        if self.value[k] == 0.0 { 0.0 } else { self.value[k].abs() * (self.value[k].abs() / self.size[k]) }
    }

    /// What is open of an entry, relative.
    fn doubt(&self, k: usize) -> f64 {
        ROUNDINGS * self.size[k] / self.value[k].abs()
    }

    fn clear(&mut self, k: usize) {
        (self.value[k], self.size[k]) = (0.0, 0.0);
    }
}

/// A quotient of an entry and a pivot.
struct Factor {
    value: f64,
    /// |a|₊/|p|.
    size: f64,
    /// |p|₊/|p|.
    ratio: f64,
}

impl Factor {
    fn new(of: &Entries, k: usize, pivot: &Entries, j: usize) -> Self {
        let by = pivot.value[j].abs();
        Factor { value: of.value[k] / pivot.value[j], size: of.size[k] / by, ratio: pivot.size[j] / by }
    }
}

/// One equation: E_r ẋ = A_r x + Σ_l B_rl u⁽ˡ⁾.
#[derive(Clone)]
struct Row {
    e: Entries,
    a: Entries,
    b: Vec<Vec<f64>>,
    /// Differentiations that it took.
    depth: usize,
}

impl Row {
    fn subtract(&mut self, factor: &Factor, other: &Row) {
        self.e.subtract(factor, &other.e);
        self.a.subtract(factor, &other.a);
        for (l, level) in other.b.iter().enumerate() {
            self.add_inputs(l, -factor.value, level);
        }
        self.depth = self.depth.max(other.depth);
    }

    fn add_inputs(&mut self, level: usize, factor: f64, by: &[f64]) {
        while self.b.len() <= level {
            self.b.push(vec![0.0; by.len()]);
        }
        self.b[level].iter_mut().zip(by).for_each(|(b, by)| *b += factor * by);
    }
}

/// An unknown that is gone, with the row that it follows from.
struct Gone {
    entry: usize,
    row: Row,
}

struct Elimination<'a> {
    given: &'a Descriptor,
    rows: Vec<Row>,
    /// Entries of x that are left.
    columns: Vec<usize>,
    gone: Vec<Gone>,
    /// See [`Reduction`].
    hidden: f64,
    doubt: f64,
}

/// The place of the largest of positive numbers, the first of equals; none if there are none.
fn largest(values: impl Iterator<Item = (usize, f64)>) -> Option<(usize, f64)> {
    values.filter(|(_, v)| *v > 0.0).reduce(|best, next| if next.1 > best.1 { next } else { best })
}

impl<'a> Elimination<'a> {
    fn new(given: &'a Descriptor) -> Self {
        let n = given.e.nrows();
        let row = |i: usize| Row {
            e: Entries::of(&given.e, &given.e_size, i),
            a: Entries::of(&given.a, &given.a_size, i),
            b: vec![(0..given.b.ncols()).map(|j| given.b[(i, j)]).collect()],
            depth: 0,
        };
        Elimination {
            given,
            rows: (0..n).map(row).collect(),
            columns: (0..n).collect(),
            gone: vec![],
            hidden: f64::INFINITY,
            doubt: 0.0,
        }
    }

    fn has_rates(&self, row: &Row) -> bool {
        self.columns.iter().any(|&j| row.e.value[j] != 0.0)
    }

    /// |A|₊ of a row in usual sizes of the unknowns.
    fn row_size(&self, row: &Row) -> f64 {
        let sizes = self.columns.iter().map(|&j| row.a.size[j] * self.given.sizes[j]);
        sizes.fold(f64::MIN_POSITIVE, f64::max)
    }

    /// Takes out an unknown without a rate: first the one that the fewest other rows hold as well.
    fn take_unknown(&mut self) -> Result<bool, DescriptorError> {
        let mut has_rate = vec![false; self.given.e.nrows()];
        for row in &self.rows {
            self.columns.iter().for_each(|&j| has_rate[j] |= row.e.value[j] != 0.0);
        }
        let without: Vec<usize> = self.columns.iter().copied().filter(|&j| !has_rate[j]).collect();
        if without.is_empty() {
            return Ok(false);
        }
        let size: Vec<f64> = self.rows.iter().map(|row| self.row_size(row)).collect();
        let rateless: Vec<bool> = self.rows.iter().map(|row| !self.has_rates(row)).collect();
        let mut best: Option<(f64, usize, usize)> = None;
        for j in without {
            let held = |i: usize| self.rows[i].a.worth(j) / size[i];
            let all = (0..self.rows.len()).map(|i| (i, held(i)));
            let Some((any, most)) = largest(all.clone()) else {
                return Err(DescriptorError::Singular { entry: j });
            };
            let shared = all.clone().map(|(_, held)| held).sum::<f64>() / most;
            let own = largest(all.filter(|(i, _)| rateless[*i])).filter(|(_, held)| *held >= OWN * most);
            let row = own.map_or(any, |(i, _)| i);
            // Those with a row of their own come first: they stay out of the rates.
            let shared = if own.is_some() { shared } else { shared + 1e6 };
            if best.is_none_or(|(least, _, _)| shared < least) {
                best = Some((shared, row, j));
            }
        }
        if let Some((_, r, j)) = best {
            self.doubt = self.doubt.max(self.rows[r].a.doubt(j));
            let row = self.rows.remove(r);
            self.columns.retain(|&k| k != j);
            for other in self.rows.iter_mut().filter(|other| other.a.size[j] != 0.0) {
                let factor = Factor::new(&other.a, j, &row.a, j);
                other.subtract(&factor, &row);
            }
            self.rows.iter_mut().for_each(|other| other.a.clear(j));
            self.gone.push(Gone { entry: j, row });
        }
        Ok(true)
    }

    /// Puts an unknown from an equation without rates into the others: first from the one that has the fewest
    /// others in it.
    fn put_in(&mut self) -> Result<bool, DescriptorError> {
        let mut best: Option<(f64, usize, usize)> = None;
        for (r, row) in self.rows.iter().enumerate().filter(|(_, row)| !self.has_rates(row)) {
            let all = self.columns.iter().map(|&j| (j, row.a.worth(j) * self.given.sizes[j]));
            let Some((j, most)) = largest(all) else {
                return Err(DescriptorError::Singular { entry: self.undetermined() });
            };
            let sizes = self.columns.iter().map(|&j| row.a.size[j] * self.given.sizes[j]);
            let shared = sizes.sum::<f64>() / most;
            if best.is_none_or(|(least, _, _)| shared < least) {
                best = Some((shared, r, j));
            }
        }
        let Some((_, r, j)) = best else { return Ok(false) };
        // Rates that only rounding has made zero.
        let sized = |of: &Entries| {
            let sizes = self.columns.iter().map(|&k| of.size[k] * self.given.sizes[k]);
            sizes.fold(0.0, f64::max)
        };
        self.doubt = self.doubt.max(self.rows[r].a.doubt(j));
        let held = self.rows[r].a.value[j].abs() * self.given.sizes[j];
        self.hidden = self.hidden.min(held / (ROUNDINGS * sized(&self.rows[r].e)));
        let row = self.rows.remove(r);
        self.columns.retain(|&k| k != j);
        for other in &mut self.rows {
            // E_ij ẋ_j = −E_ij (A_r ẋ + Σ B_rl u⁽ˡ⁺¹⁾)/a_rj.
            if other.e.size[j] != 0.0 {
                let rates = other.e.value[j] != 0.0;
                let factor = Factor::new(&other.e, j, &row.a, j);
                other.e.subtract(&factor, &row.a);
                for (l, level) in row.b.iter().enumerate() {
                    other.add_inputs(l + 1, factor.value, level);
                }
                if rates {
                    other.depth = other.depth.max(row.depth + 1);
                }
            }
            if other.a.size[j] != 0.0 {
                let factor = Factor::new(&other.a, j, &row.a, j);
                other.a.subtract(&factor, &row.a);
                for (l, level) in row.b.iter().enumerate() {
                    other.add_inputs(l, -factor.value, level);
                }
                other.depth = other.depth.max(row.depth);
            }
            other.e.clear(j);
            other.a.clear(j);
        }
        self.gone.push(Gone { entry: j, row });
        Ok(true)
    }

    /// Rows of a singular E combined to rows without rates; false if E is regular.
    fn combine(&mut self) -> Result<bool, DescriptorError> {
        let (r, c) = self.even_rates();
        let (mut rows, mut doubt) = (self.rows.clone(), 0.0_f64);
        let (mut left, mut open): (Vec<usize>, Vec<usize>) =
            ((0..rows.len()).collect(), (0..self.columns.len()).collect());
        while let Some((i, j)) = pivot(&rows, (&left, &r), (&open, &c), &self.columns) {
            left.retain(|&k| k != i);
            open.retain(|&k| k != j);
            let (from, column) = (rows[i].clone(), self.columns[j]);
            doubt = doubt.max(from.e.doubt(column));
            for &k in left.iter() {
                if rows[k].e.size[column] == 0.0 {
                    continue;
                }
                let factor = Factor::new(&rows[k].e, column, &from.e, column);
                rows[k].subtract(&factor, &from);
                rows[k].e.clear(column);
            }
        }
        let any = !left.is_empty();
        // Of a regular E nothing is made.
        self.doubt = if any { self.doubt.max(doubt) } else { self.doubt };
        for k in left {
            self.rows[k] = rows[k].clone();
        }
        Ok(any)
    }

    /// Scales of rows and columns by which the largest entries of E are about one.
    fn even_rates(&self) -> (Vec<f64>, Vec<f64>) {
        let inverse = |largest: f64| if largest > 0.0 { 1.0 / largest } else { 1.0 };
        let (mut r, mut c) = (vec![1.0; self.rows.len()], vec![1.0; self.columns.len()]);
        for _ in 0..EVEN {
            for (r, row) in r.iter_mut().zip(&self.rows) {
                let entries = self.columns.iter().zip(&c).map(|(&j, c)| row.e.value[j].abs() * c);
                *r = inverse(entries.fold(0.0, f64::max));
            }
            for (c, &j) in c.iter_mut().zip(&self.columns) {
                let entries = self.rows.iter().zip(&r).map(|(row, r)| row.e.value[j].abs() * r);
                *c = inverse(entries.fold(0.0, f64::max));
            }
        }
        (r, c)
    }

    /// An unknown that nothing, or the least, determines.
    fn undetermined(&self) -> usize {
        let held = |j: usize| {
            let each = self.rows.iter().map(|row| row.a.value[j].abs().max(row.e.value[j].abs()));
            each.fold(0.0, f64::max) * self.given.sizes[j]
        };
        self.columns.iter().copied().min_by(|&i, &j| held(i).total_cmp(&held(j))).unwrap_or(0)
    }

    /// ż from the regular E, x from what the unknowns that are gone follow from.
    fn finish(self) -> Result<Reduction, DescriptorError> {
        let Elimination { given, rows, columns: states, gone, hidden, doubt } = self;
        let (n, m, k) = (given.e.nrows(), given.b.ncols(), states.len());
        let of = |pick: &dyn Fn(&Row) -> &Vec<f64>| Mat::from_fn(k, k, |i, j| pick(&rows[i])[states[j]]);
        let pencil = Pencil {
            a: of(&|row| &row.a.value),
            b: of(&|row| &row.e.value),
            a_size: of(&|row| &row.a.size),
            b_size: of(&|row| &row.e.size),
        };
        let solved = Solved::new(&pencil.b)?;
        let a = solved.times(&pencil.a);
        let inputs = |l: usize| Mat::from_fn(k, m, |i, j| rows[i].b.get(l).map_or(0.0, |b| b[j]));
        let own = rows.iter().map(|row| row.b.len()).max().unwrap_or(0);
        let mut b: Vec<Mat<f64>> = (0..own).map(|l| solved.times(&inputs(l))).collect();
        let mut follow = Follow::new(n, m, &states, (&a, &b));
        gone.iter().rev().for_each(|gone| follow.take(gone));
        let index = gone.iter().map(|g| follow.depth[g.entry] + 1).max().unwrap_or(0);
        let levels = follow.y.iter().map(Vec::len).max().unwrap_or(0).max(own).max(3);
        let (z, y) = follow.matrices(levels);
        b.resize(levels, Mat::zeros(k, m));
        Ok(Reduction { hidden, doubt, index, ..shift(states, a, b, z, y, pencil) })
    }
}

/// The entry of E, among rows and columns that are left, that is largest in scaled units; none if all are
/// zero.
fn pivot(
    rows: &[Row],
    (left, r): (&[usize], &[f64]),
    (open, c): (&[usize], &[f64]),
    columns: &[usize],
) -> Option<(usize, usize)> {
    let mut best = (0.0, None);
    for &i in left {
        for &j in open {
            let size = rows[i].e.worth(columns[j]) * r[i] * c[j];
            if size > best.0 {
                best = (size, Some((i, j)));
            }
        }
    }
    best.1
}

/// E⁻¹ of a regular E.
struct Solved {
    lu: DenseLu,
    rows: Vec<f64>,
    columns: Vec<f64>,
}

impl Solved {
    fn new(e: &Mat<f64>) -> Result<Self, DescriptorError> {
        let (n, inverse) = (e.nrows(), |largest: f64| if largest > 0.0 { 1.0 / largest } else { 1.0 });
        let (mut r, mut c) = (vec![1.0; n], vec![1.0; n]);
        for _ in 0..EVEN {
            let row = |i: usize| inverse((0..n).map(|j| e[(i, j)].abs() * c[j]).fold(0.0, f64::max));
            r = (0..n).map(row).collect();
            let column = |j: usize| inverse((0..n).map(|i| e[(i, j)].abs() * r[i]).fold(0.0, f64::max));
            c = (0..n).map(column).collect();
        }
        let even = Mat::from_fn(n, n, |i, j| r[i] * e[(i, j)] * c[j]);
        Ok(Solved { lu: DenseLu::new(even.as_ref())?, rows: r, columns: c })
    }

    fn times(&self, right: &Mat<f64>) -> Mat<f64> {
        let n = right.nrows();
        let mut out = Mat::zeros(n, right.ncols());
        for j in 0..if n == 0 { 0 } else { right.ncols() } {
            let mut x: Vec<f64> = (0..n).map(|i| self.rows[i] * right[(i, j)]).collect();
            self.lu.solve(&mut x);
            (0..n).for_each(|i| out[(i, j)] = self.columns[i] * x[i]);
        }
        out
    }
}

/// x = Z z + Σ_l Y_l u⁽ˡ⁾ and ẋ = Z (A z + Σ_l B_l u⁽ˡ⁾) + Σ_l Y_l u⁽ˡ⁺¹⁾, row by row.
struct Follow<'a> {
    dynamics: (&'a Mat<f64>, &'a [Mat<f64>]),
    inputs: usize,
    z: Vec<Vec<f64>>,
    /// By entry, then by level.
    y: Vec<Vec<Vec<f64>>>,
    /// Z A of the entries whose rates were asked for.
    rates: Vec<Option<Vec<f64>>>,
    /// Differentiations that an entry takes, beyond the equations.
    depth: Vec<usize>,
    is_state: Vec<bool>,
}

impl<'a> Follow<'a> {
    fn new(n: usize, inputs: usize, states: &[usize], dynamics: (&'a Mat<f64>, &'a [Mat<f64>])) -> Self {
        let mut z = vec![vec![0.0; states.len()]; n];
        let mut is_state = vec![false; n];
        for (j, &k) in states.iter().enumerate() {
            z[k][j] = 1.0;
            is_state[k] = true;
        }
        let (y, rates, depth) = (vec![vec![]; n], vec![None; n], vec![0; n]);
        Follow { dynamics, inputs, z, y, rates, depth, is_state }
    }

    fn add(&mut self, to: usize, level: usize, factor: f64, by: &[f64]) {
        while self.y[to].len() <= level {
            self.y[to].push(vec![0.0; self.inputs]);
        }
        self.y[to][level].iter_mut().zip(by).for_each(|(y, by)| *y += factor * by);
    }

    /// x_j = (E_r ẋ − A_r x − Σ_l B_rl u⁽ˡ⁾)/a_rj.
    fn take(&mut self, gone: &Gone) {
        let (j, row) = (gone.entry, &gone.row);
        let pivot = row.a.value[j];
        self.depth[j] = row.depth;
        for k in (0..self.z.len()).filter(|&k| k != j) {
            let (by_rate, by_value) = (row.e.value[k] / pivot, -row.a.value[k] / pivot);
            if by_value != 0.0 {
                let from = self.z[k].clone();
                self.z[j].iter_mut().zip(&from).for_each(|(z, from)| *z += by_value * from);
                for (l, level) in self.y[k].clone().iter().enumerate() {
                    self.add(j, l, by_value, level);
                }
                self.depth[j] = self.depth[j].max(self.depth[k]);
            }
            if by_rate != 0.0 {
                self.take_rate(j, k, by_rate);
            }
        }
        for (l, level) in row.b.iter().enumerate() {
            self.add(j, l, -1.0 / pivot, level);
        }
    }

    /// Adds a share of ẋ_k to x_j.
    fn take_rate(&mut self, j: usize, k: usize, share: f64) {
        let (a, b) = self.dynamics;
        let z = self.z[k].clone();
        let times = |m: &Mat<f64>| -> Vec<f64> {
            let column = |c: usize| (0..z.len()).filter(|&i| z[i] != 0.0).map(|i| z[i] * m[(i, c)]).sum();
            (0..m.ncols()).map(column).collect()
        };
        let rate = self.rates[k].get_or_insert_with(|| times(a)).clone();
        self.z[j].iter_mut().zip(&rate).for_each(|(z, rate)| *z += share * rate);
        for (l, b) in b.iter().enumerate() {
            self.add(j, l, share, &times(b));
        }
        for (l, level) in self.y[k].clone().iter().enumerate() {
            self.add(j, l + 1, share, level);
        }
        let own = if self.is_state[k] { 0 } else { self.depth[k] + 1 };
        self.depth[j] = self.depth[j].max(own);
    }

    /// Z and Y₀, Y₁, …
    fn matrices(&self, levels: usize) -> (Mat<f64>, Vec<Mat<f64>>) {
        let (n, m) = (self.z.len(), self.inputs);
        let states = self.z.first().map_or(0, Vec::len);
        let level = |l: usize| Mat::from_fn(n, m, |i, j| self.y[i].get(l).map_or(0.0, |y| y[j]));
        (Mat::from_fn(n, states, |i, j| self.z[i][j]), (0..levels).map(level).collect())
    }
}

/// z := z − Σ_k w_k u⁽ᵏ⁾ with w_k = B_{k+1} + A B_{k+2} + …, so that ż takes no rates of u.
fn shift(
    states: Vec<usize>,
    a: Mat<f64>,
    b: Vec<Mat<f64>>,
    z: Mat<f64>,
    y: Vec<Mat<f64>>,
    pencil: Pencil,
) -> Reduction {
    let levels = b.len();
    let none = Mat::zeros(a.nrows(), b[0].ncols());
    let mut w = vec![none; levels + 1];
    for k in (0..levels).rev() {
        w[k] = &b[k] + &a * &w[k + 1];
    }
    // w[k] now is Σ_l A^l B_{k+l}: w[0] is the whole input, w[k+1] what z is shifted by at level k.
    let x = |l: usize| &y[l] + &z * &w[l + 1];
    let size = y.iter().chain(&b).map(|m| m.norm_max()).fold(0.0, f64::max);
    let some = |m: &Mat<f64>| m.norm_max() > 1e-12 * size;
    Reduction {
        shifted: w[1..].iter().any(some),
        improper: (2..levels).any(|l| some(&x(l))),
        by_inputs: x(0),
        by_input_rates: x(1),
        b: w[0].clone(),
        states,
        a,
        by_states: z,
        index: 0,
        hidden: f64::INFINITY,
        doubt: 0.0,
        pencil,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::eigenvalues;

    fn matrix(rows: &[&[f64]]) -> Mat<f64> {
        Mat::from_fn(rows.len(), rows.first().map_or(0, |r| r.len()), |i, j| rows[i][j])
    }

    /// Cartesian pendulum at the bottom, (x, y, u, v, λ) with x² + y² = l²: index 3, states x and u, λ = ±i
    /// √(g/l).
    #[test]
    fn pendulum_of_index_three() {
        let (g, l, m) = (9.8, 0.3, 0.25);
        // y = −l, tension: m v̇ = −m g − 2 y λ → λ = m g/2l.
        let lambda = m * g / (2.0 * l);
        let mut e = Mat::<f64>::zeros(5, 5);
        (0..2).for_each(|k| e[(k, k)] = 1.0);
        (2..4).for_each(|k| e[(k, k)] = m);
        let mut a = Mat::<f64>::zeros(5, 5);
        (a[(0, 2)], a[(1, 3)]) = (1.0, 1.0);
        (a[(2, 0)], a[(3, 1)], a[(3, 4)]) = (-2.0 * lambda, -2.0 * lambda, 2.0 * l);
        a[(4, 1)] = -2.0 * l;
        let mut b = Mat::<f64>::zeros(5, 1);
        b[(2, 0)] = 1.0;
        let found = Descriptor::plain(e, a, b, vec![1.0; 5]).reduce().unwrap();
        assert_eq!((found.states.as_slice(), found.index), ([0, 2].as_slice(), 3));
        assert!((found.a[(1, 0)] + g / l).abs() < 1e-12 && (found.a[(0, 1)] - 1.0).abs() < 1e-14);
        assert!((found.b[(1, 0)] - 1.0 / m).abs() < 1e-13 && found.b[(0, 0)].abs() < 1e-14);
        assert!(!found.shifted && !found.improper);
    }

    /// A circuit of index 2: a source straight on a capacitor. The current is C u̇; nothing is left to move.
    #[test]
    fn capacitor_at_a_source() {
        // (v, i): C v̇ = i, v = u.
        let e = matrix(&[&[2e-6, 0.0], &[0.0, 0.0]]);
        let a = matrix(&[&[0.0, 1.0], &[-1.0, 0.0]]);
        let b = matrix(&[&[0.0], &[1.0]]);
        let found = Descriptor::plain(e, a, b, vec![1.0; 2]).reduce().unwrap();
        assert!(found.states.is_empty());
        assert!((found.by_inputs[(0, 0)] - 1.0).abs() < 1e-14);
        assert!((found.by_input_rates[(1, 0)] - 2e-6).abs() < 1e-18);
    }

    /// ẋ₁ + ẋ₂ = −x₁, x₂ = u: the state x₁ would take −u̇; shifted, ż = −z + u and x₁ = z − u.
    #[test]
    fn a_state_that_jumps_is_shifted() {
        let e = matrix(&[&[1.0, 1.0], &[0.0, 0.0]]);
        let a = matrix(&[&[-1.0, 0.0], &[0.0, -1.0]]);
        let b = matrix(&[&[0.0], &[1.0]]);
        let found = Descriptor::plain(e, a, b, vec![1.0; 2]).reduce().unwrap();
        assert!(found.shifted && found.states.len() == 1);
        assert!((found.a[(0, 0)] + 1.0).abs() < 1e-14 && found.by_input_rates.norm_max() < 1e-14);
        // G(s) of x₁ is −s/(s + 1): at s = 0 nothing, at infinity −1.
        let k = 0;
        let at_rest = found.by_states[(k, 0)] * found.b[(0, 0)] + found.by_inputs[(k, 0)];
        assert!(at_rest.abs() < 1e-14 && (found.by_inputs[(k, 0)] + 1.0).abs() < 1e-14);
    }

    /// A regular E, badly scaled, keeps the eigenvalues of E⁻¹A.
    #[test]
    fn regular_and_badly_scaled() {
        let e = matrix(&[&[1e-3, 0.0], &[0.0, 1e6]]);
        let a = matrix(&[&[-1e2, -1.0], &[1e6, -3e7]]);
        let found = Descriptor::plain(e, a, Mat::zeros(2, 0), vec![1.0; 2]).reduce().unwrap();
        assert_eq!((found.states.as_slice(), found.index), ([0, 1].as_slice(), 0));
        let mut values: Vec<f64> = eigenvalues(found.a.as_ref()).unwrap().iter().map(|v| v.re).collect();
        values.sort_by(f64::total_cmp);
        let mean: f64 = 0.5 * (1e5 + 30.0);
        let root = (mean * mean - (1e5 * 30.0 + 1e3)).sqrt();
        assert!(
            (values[0] + mean + root).abs() < 1e-7 && (values[1] + (3e6 + 1e3) / (mean + root)).abs() < 1e-10
        );
    }

    #[test]
    fn undetermined_directions_are_named() {
        // x₂ stands nowhere; the second equation repeats the first.
        let e = matrix(&[&[1.0, 0.0], &[1.0, 0.0]]);
        let a = matrix(&[&[-1.0, 0.0], &[-1.0, 0.0]]);
        let error = Descriptor::plain(e, a, Mat::zeros(2, 0), vec![1.0; 2]).reduce().unwrap_err();
        assert_eq!(error, DescriptorError::Singular { entry: 1 });
    }
}
