//! Dense kernels of the sparse LU, written on vectors of four numbers.
//!
//! A *front* is a small dense matrix of m rows and columns whose first s
//! columns are pivots. It is stored by columns, each column padded with zero
//! rows to `nv` [`Quad`]s, so that every column starts on a vector boundary.
//! In a complex front the `nv` quads of the real parts of a column are followed by
//! those of its imaginary parts; [`Entries`] hides the difference from the kernels.
//! After [`partial_lu`] the front holds, in place,
//!
//! ```text
//! [ L\U  U ]   s rows      L unit lower, U upper with 1/u_kk on its diagonal
//! [  L   C ]   m − s rows  C = update (Schur complement) for the parent
//! ```
//!
//! All unsafe code of the crate is here and in [`crate::complex_lanes`]: unchecked pointers
//! into fronts whose sizes are asserted on entry.
#![allow(unsafe_code, reason = "pointers into fronts of asserted sizes")]
// Loops over registers count explicitly, so that they unroll; iterator adapters
// with closures are not inlined into functions with other target features.
#![allow(clippy::needless_range_loop, clippy::reversed_empty_ranges)]

use crate::lanes::{Lanes, Quad};
use std::mem::size_of;

/// What gives the right to use the registers of some entries.
pub type Processor<E, const P: usize> = <<E as Entries<P>>::Part as Lanes>::Processor;

/// Four entries of a matrix in registers, of PARTS real numbers each: 1 real, 2 complex.
///
/// In memory the quads of the parts of an entry are `apart` quads from one another; vectors have one
/// slice per part.
pub trait Entries<const PARTS: usize>: Copy {
    /// Registers of one part.
    type Part: Lanes;
    /// All entries zero.
    fn zero(on: <Self::Part as Lanes>::Processor) -> Self;
    /// Reads four entries.
    ///
    /// # Safety
    /// The quads of all parts can be read.
    unsafe fn load(on: <Self::Part as Lanes>::Processor, from: *const Quad, apart: usize) -> Self;
    /// Writes four entries.
    ///
    /// # Safety
    /// The quads of all parts can be written.
    unsafe fn store(self, to: *mut Quad, apart: usize);
    /// Reads one row of a vector into all four places.
    ///
    /// # Safety
    /// The row is one of the vector's.
    unsafe fn splat(on: <Self::Part as Lanes>::Processor, vector: [*mut f64; PARTS], row: u32) -> Self;
    /// Reads four rows of a vector.
    ///
    /// # Safety
    /// Four rows are listed and are rows of the vector.
    unsafe fn gather(
        on: <Self::Part as Lanes>::Processor,
        vector: [*mut f64; PARTS],
        rows: *const u32,
    ) -> Self;
    /// Writes the first `count` of four rows of a vector, all if there are more.
    ///
    /// # Safety
    /// The rows are listed and are rows of the vector.
    unsafe fn scatter(self, vector: [*mut f64; PARTS], rows: *const u32, count: usize);
    /// self · a.
    fn mul(self, a: Self) -> Self;
    /// self − a·b.
    fn sub_mul(self, a: Self, b: Self) -> Self;
    /// 1/a and self/a.
    fn divide(self, a: Self) -> (Self, Self);
    /// Sums of the magnitudes of the parts.
    fn size(self) -> Self::Part;
    /// Entry K in all places.
    fn lane<const K: usize>(self) -> Self;
    /// Entries below K of self, entries from K on of `other`.
    fn join<const K: usize>(self, other: Self) -> Self;
    /// Transpose of the matrix whose columns are given.
    fn transpose(columns: [Self; 4]) -> [Self; 4];
}

impl<L: Lanes> Entries<1> for L {
    type Part = L;

    #[inline(always)]
    fn zero(on: L::Processor) -> Self {
        Lanes::zero(on)
    }
    #[inline(always)]
    unsafe fn load(on: L::Processor, from: *const Quad, _: usize) -> Self {
        // SAFETY: as the caller promises.
        Lanes::load(on, unsafe { &*from })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut Quad, _: usize) {
        // SAFETY: as the caller promises.
        Lanes::store(self, unsafe { &mut *to });
    }
    #[inline(always)]
    unsafe fn splat(on: L::Processor, [b]: [*mut f64; 1], row: u32) -> Self {
        // SAFETY: as the caller promises.
        Lanes::splat(on, unsafe { *b.add(row as usize) })
    }
    #[inline(always)]
    unsafe fn gather(on: L::Processor, [b]: [*mut f64; 1], rows: *const u32) -> Self {
        // SAFETY: as the caller promises.
        unsafe {
            let at = |i: usize| *b.add(*rows.add(i) as usize);
            Lanes::set(on, [at(0), at(1), at(2), at(3)])
        }
    }
    #[inline(always)]
    unsafe fn scatter(self, [b]: [*mut f64; 1], rows: *const u32, count: usize) {
        let mut numbers = Quad::default();
        Lanes::store(self, &mut numbers);
        // SAFETY: as the caller promises.
        unsafe {
            if count >= 4 {
                for i in 0..4 {
                    *b.add(*rows.add(i) as usize) = numbers.0[i];
                }
            } else {
                for i in 0..count {
                    *b.add(*rows.add(i) as usize) = numbers.0[i];
                }
            }
        }
    }
    #[inline(always)]
    fn mul(self, a: Self) -> Self {
        Lanes::mul(self, a)
    }
    #[inline(always)]
    fn sub_mul(self, a: Self, b: Self) -> Self {
        Lanes::sub_mul(self, a, b)
    }
    #[inline(always)]
    fn divide(self, a: Self) -> (Self, Self) {
        (Lanes::div(Lanes::splat(self.processor(), 1.0), a), Lanes::div(self, a))
    }
    #[inline(always)]
    fn size(self) -> L {
        Lanes::abs(self)
    }
    #[inline(always)]
    fn lane<const K: usize>(self) -> Self {
        Lanes::lane::<K>(self)
    }
    #[inline(always)]
    fn join<const K: usize>(self, other: Self) -> Self {
        Lanes::join::<K>(self, other)
    }
    #[inline(always)]
    fn transpose(columns: [Self; 4]) -> [Self; 4] {
        Lanes::transpose(columns)
    }
}

/// Sizes of a front.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Pivot columns s.
    pub pivots: usize,
    /// Rows and columns m.
    pub rows: usize,
    /// Quads per column, ⌈m/4⌉.
    pub quads: usize,
}

/// Eliminates the pivots of a front in panels of four.
///
/// `terms[j]` gathers in its lanes Σ_k |l_jk u_kj|, the size of what was
/// subtracted from diagonal entry j; it is the measure of cancellation.
/// `transposed` is scratch of 4·P·`quads`.
#[inline(always)]
pub fn partial_lu<E: Entries<P>, const P: usize>(
    on: Processor<E, P>,
    shape: Shape,
    front: &mut [Quad],
    terms: &mut [Quad],
    transposed: &mut [Quad],
) {
    let Shape { rows, quads, .. } = shape;
    assert!(shape.pivots <= rows && rows <= 4 * quads);
    assert!(front.len() >= P * rows * quads && terms.len() >= rows && transposed.len() >= 4 * P * quads);
    let (f, t, l) = (front.as_mut_ptr(), terms.as_mut_ptr(), transposed.as_mut_ptr());
    // SAFETY: the lengths were asserted above.
    unsafe {
        match quads {
            1 => panels::<E, P, 1>(on, shape, f, t, l),
            2 => panels::<E, P, 2>(on, shape, f, t, l),
            3 => panels::<E, P, 3>(on, shape, f, t, l),
            4 => panels::<E, P, 4>(on, shape, f, t, l),
            _ => panels::<E, P, 0>(on, shape, f, t, l),
        }
    }
}

/// All panels of a front with NV quads per column (0: known at run time only).
#[inline(always)]
unsafe fn panels<E: Entries<P>, const P: usize, const NV: usize>(
    on: Processor<E, P>,
    shape: Shape,
    f: *mut Quad,
    terms: *mut Quad,
    lt: *mut Quad,
) {
    let m = shape.rows;
    macro_rules! nth {
        ($p:expr) => {
            let left = shape.pivots.saturating_sub(4 * $p);
            let nv = if NV == 0 { shape.quads } else { NV };
            // SAFETY: as the caller promises.
            unsafe {
                match left {
                    0 => return,
                    1 => return panel::<E, P, 1>(on, nv, $p, m, f, terms, lt),
                    2 => return panel::<E, P, 2>(on, nv, $p, m, f, terms, lt),
                    3 => return panel::<E, P, 3>(on, nv, $p, m, f, terms, lt),
                    _ => panel::<E, P, 4>(on, nv, $p, m, f, terms, lt),
                }
            }
        };
    }
    if NV == 0 {
        for p in 0..shape.quads {
            nth!(p);
        }
    } else {
        // Unrolled, so that the loops over the quads below have known lengths.
        nth!(0);
        if NV > 1 {
            nth!(1);
        }
        if NV > 2 {
            nth!(2);
        }
        if NV > 3 {
            nth!(3);
        }
    }
}

/// Eliminates the W pivots 4p, 4p+1, … of quad row p.
#[inline(always)]
unsafe fn panel<E: Entries<P>, const P: usize, const W: usize>(
    on: Processor<E, P>,
    nv: usize,
    p: usize,
    m: usize,
    f: *mut Quad,
    terms: *mut Quad,
    lt: *mut Quad,
) {
    let k0 = 4 * p;
    // SAFETY: as the caller promises.
    unsafe {
        let at = |column: usize, q: usize| f.add(column * P * nv + q);
        // LU of the diagonal block, in registers.
        let mut d = [E::zero(on); 4];
        let mut l = [E::zero(on); 4];
        let mut inverse = [E::zero(on); 4];
        let mut u = [[E::zero(on); 4]; 4];
        for i in 0..W {
            d[i] = E::load(on, at(k0 + i, p), nv);
        }
        macro_rules! pivot {
            ($i:literal, $next:literal) => {
                if $i < W {
                    let quotient;
                    (inverse[$i], quotient) = d[$i].divide(d[$i].lane::<$i>());
                    l[$i] = E::zero(on).join::<$next>(quotient);
                    for j in $next..W {
                        u[$i][j] = d[j].lane::<$i>();
                        d[j] = d[j].sub_mul(l[$i], u[$i][j]);
                    }
                    let lower = inverse[$i].join::<$next>(l[$i]);
                    d[$i].join::<$i>(lower).store(at(k0 + $i, p), nv);
                }
            };
        }
        pivot!(0, 1);
        pivot!(1, 2);
        pivot!(2, 3);
        pivot!(3, 4);
        let rows = E::transpose(l);
        for i in 0..4 {
            rows[i].store(lt.add(P * (k0 + i)), 1);
        }
        for i in 0..W {
            add_term(on, &mut *terms.add(k0 + i), rows[i], d[i]);
        }
        // L below the block: L = A U⁻¹, four rows at a time.
        for q in p + 1..nv {
            let mut c = [E::zero(on); 4];
            for j in 0..W {
                let mut x = E::load(on, at(k0 + j, q), nv);
                for i in 0..j {
                    x = x.sub_mul(c[i], u[i][j]);
                }
                c[j] = x.mul(inverse[j]);
                c[j].store(at(k0 + j, q), nv);
            }
            let rows = E::transpose(c);
            for i in 0..4 {
                rows[i].store(lt.add(P * (4 * q + i)), 1);
            }
        }
        // Columns to the right: U = L⁻¹ A, then A −= L U below.
        for j in k0 + W..m {
            let mut x = E::load(on, at(j, p), nv);
            let mut uj = [E::zero(on); 4];
            macro_rules! step {
                ($i:literal) => {
                    if $i < W {
                        uj[$i] = x.lane::<$i>();
                        x = x.sub_mul(l[$i], uj[$i]);
                    }
                };
            }
            step!(0);
            step!(1);
            step!(2);
            step!(3);
            x.store(at(j, p), nv);
            add_term(on, &mut *terms.add(j), E::load(on, lt.add(P * j), 1), x);
            for q in p + 1..nv {
                let mut y = E::load(on, at(j, q), nv);
                for i in 0..W {
                    y = y.sub_mul(E::load(on, at(k0 + i, q), nv), uj[i]);
                }
                y.store(at(j, q), nv);
            }
        }
    }
}

/// sum += |l u|, lane by lane.
#[inline(always)]
fn add_term<E: Entries<P>, const P: usize>(on: Processor<E, P>, sum: &mut Quad, l: E, u: E) {
    let more = Lanes::add(<E::Part as Lanes>::load(on, sum), l.mul(u).size());
    Lanes::store(more, sum);
}

/// Sums of the lanes of four quads.
#[inline(always)]
pub fn lane_sums<L: Lanes>(on: L::Processor, quads: &[Quad; 4]) -> Quad {
    let [a, b, c, d] = quads;
    let rows = L::transpose([L::load(on, a), L::load(on, b), L::load(on, c), L::load(on, d)]);
    let mut sums = Quad::default();
    rows[0].add(rows[1]).add(rows[2].add(rows[3])).store(&mut sums);
    sums
}

/// Right-hand sides of a solve, R of P parts each, addressed by row of the matrix.
#[derive(Clone, Copy)]
struct Sides<const P: usize, const R: usize>([[*mut f64; P]; R]);

impl<const P: usize, const R: usize> Sides<P, R> {
    #[inline(always)]
    unsafe fn gather<E: Entries<P>>(self, on: Processor<E, P>, rows: *const u32) -> [E; R] {
        let mut x = [E::zero(on); R];
        for r in 0..R {
            // SAFETY: as the caller promises.
            x[r] = unsafe { E::gather(on, self.0[r], rows) };
        }
        x
    }

    #[inline(always)]
    unsafe fn scatter<E: Entries<P>>(self, rows: *const u32, count: usize, x: [E; R]) {
        for r in 0..R {
            // SAFETY: as the caller promises.
            unsafe { x[r].scatter(self.0[r], rows, count) };
        }
    }

    #[inline(always)]
    unsafe fn splat<E: Entries<P>>(self, on: Processor<E, P>, row: u32) -> [E; R] {
        let mut x = [E::zero(on); R];
        for r in 0..R {
            // SAFETY: as the caller promises.
            x[r] = unsafe { E::splat(on, self.0[r], row) };
        }
        x
    }
}

#[inline(always)]
fn sub_mul_each<E: Entries<P>, const P: usize, const R: usize>(x: &mut [E; R], a: E, b: &[E; R]) {
    for r in 0..R {
        x[r] = x[r].sub_mul(a, b[r]);
    }
}

/// Row numbers of all fronts, each proven to be below a bound.
#[derive(Debug, Clone, Default)]
pub struct RowList {
    rows: Vec<u32>,
    bound: usize,
}

impl RowList {
    /// Row numbers of a matrix with `bound` rows.
    pub fn new(rows: Vec<u32>, bound: usize) -> Self {
        assert!(rows.iter().all(|&row| (row as usize) < bound));
        Self { rows, bound }
    }

    /// `count` row numbers from place `start` on.
    #[inline(always)]
    pub fn slice(&self, start: usize, count: usize) -> &[u32] {
        &self.rows[start..start + count]
    }
}

/// Quads that a solve keeps in registers at once.
const CHUNK: usize = 4;

/// Checks what [`forward`] and [`backward`] rely on.
#[inline(always)]
fn checked<const P: usize, const R: usize>(
    shape: Shape,
    front: &[Quad],
    list: &RowList,
    sides: &mut [[&mut [f64]; P]; R],
) -> Sides<P, R> {
    assert!(shape.pivots <= shape.rows && shape.rows <= 4 * shape.quads);
    assert!(front.len() >= P * shape.rows * shape.quads);
    let mut pointers = [[std::ptr::null_mut(); P]; R];
    for (pointers, side) in pointers.iter_mut().zip(sides) {
        for (pointer, part) in pointers.iter_mut().zip(side) {
            assert!(part.len() >= list.bound);
            *pointer = part.as_mut_ptr();
        }
    }
    Sides(pointers)
}

/// b := L⁻¹ b for the pivots and rows of one front. The list names, from
/// `start` on, the matrix row of every row of the front; padding repeats a row.
#[inline(always)]
pub fn forward<E: Entries<P>, const P: usize, const R: usize>(
    on: Processor<E, P>,
    shape: Shape,
    front: &[Quad],
    list: &RowList,
    start: usize,
    sides: &mut [[&mut [f64]; P]; R],
) {
    let b = checked(shape, front, list, sides);
    let rows = list.slice(start, 4 * shape.quads).as_ptr();
    let f = front.as_ptr();
    let mut q = 0;
    // SAFETY: sizes and row numbers were checked above.
    unsafe {
        while q < shape.quads {
            match shape.quads - q {
                1 => forward_chunk::<E, P, 1, R>(on, shape, q, f, rows, b),
                2 => forward_chunk::<E, P, 2, R>(on, shape, q, f, rows, b),
                3 => forward_chunk::<E, P, 3, R>(on, shape, q, f, rows, b),
                _ => forward_chunk::<E, P, 4, R>(on, shape, q, f, rows, b),
            }
            q += CHUNK;
        }
    }
}

/// Rows of the quads q0 … q0+Q−1: subtract the columns to the left, then the
/// triangle.
#[inline(always)]
unsafe fn forward_chunk<E: Entries<P>, const P: usize, const Q: usize, const R: usize>(
    on: Processor<E, P>,
    shape: Shape,
    q0: usize,
    f: *const Quad,
    rows: *const u32,
    b: Sides<P, R>,
) {
    let (s, m, nv) = (shape.pivots, shape.rows, shape.quads);
    // SAFETY: as the caller promises.
    unsafe {
        let column = |k: usize, q: usize| E::load(on, f.add(k * P * nv + q0 + q), nv);
        let mut x: [[E; R]; Q] = [[E::zero(on); R]; Q];
        for q in 0..Q {
            x[q] = b.gather(on, rows.add(4 * (q0 + q)));
        }
        for k in 0..s.min(4 * q0) {
            let known = b.splat(on, *rows.add(k));
            for q in 0..Q {
                sub_mul_each(&mut x[q], column(k, q), &known);
            }
        }
        macro_rules! pivot {
            ($q:literal, $i:literal, $next:literal) => {
                let k = 4 * (q0 + $q) + $i;
                if $q < Q && k < s {
                    let mut known = x[$q];
                    for r in 0..R {
                        known[r] = known[r].lane::<$i>();
                    }
                    let below = E::zero(on).join::<$next>(column(k, $q));
                    sub_mul_each(&mut x[$q], below, &known);
                    for q in $q + 1..Q {
                        sub_mul_each(&mut x[q], column(k, q), &known);
                    }
                }
            };
        }
        macro_rules! quad {
            ($q:literal) => {
                pivot!($q, 0, 1);
                pivot!($q, 1, 2);
                pivot!($q, 2, 3);
                pivot!($q, 3, 4);
            };
        }
        quad!(0);
        quad!(1);
        quad!(2);
        quad!(3);
        for q in 0..Q {
            let at = 4 * (q0 + q);
            b.scatter(rows.add(at), m - at, x[q]);
        }
    }
}

/// b := U⁻¹ b for the pivots of one front, whose other rows are known.
#[inline(always)]
pub fn backward<E: Entries<P>, const P: usize, const R: usize>(
    on: Processor<E, P>,
    shape: Shape,
    front: &[Quad],
    list: &RowList,
    start: usize,
    sides: &mut [[&mut [f64]; P]; R],
) {
    let b = checked(shape, front, list, sides);
    let rows = list.slice(start, 4 * shape.quads).as_ptr();
    let f = front.as_ptr();
    let mut end = shape.pivots.div_ceil(4);
    // SAFETY: sizes and row numbers were checked above.
    unsafe {
        while end > 0 {
            let count = (end - 1) % CHUNK + 1;
            let q = end - count;
            match count {
                1 => backward_chunk::<E, P, 1, R>(on, shape, q, f, rows, b),
                2 => backward_chunk::<E, P, 2, R>(on, shape, q, f, rows, b),
                3 => backward_chunk::<E, P, 3, R>(on, shape, q, f, rows, b),
                _ => backward_chunk::<E, P, 4, R>(on, shape, q, f, rows, b),
            }
            end = q;
        }
    }
}

/// Pivots of the quads q0 … q0+Q−1: subtract the columns to the right, then
/// the triangle.
#[inline(always)]
unsafe fn backward_chunk<E: Entries<P>, const P: usize, const Q: usize, const R: usize>(
    on: Processor<E, P>,
    shape: Shape,
    q0: usize,
    f: *const Quad,
    rows: *const u32,
    b: Sides<P, R>,
) {
    let (s, m, nv) = (shape.pivots, shape.rows, shape.quads);
    // SAFETY: as the caller promises.
    unsafe {
        let column = |k: usize, q: usize| E::load(on, f.add(k * P * nv + q0 + q), nv);
        let mut x: [[E; R]; Q] = [[E::zero(on); R]; Q];
        for q in 0..Q {
            x[q] = b.gather(on, rows.add(4 * (q0 + q)));
        }
        for k in s.min(4 * (q0 + Q))..m {
            let known = b.splat(on, *rows.add(k));
            for q in 0..Q {
                sub_mul_each(&mut x[q], column(k, q), &known);
            }
        }
        macro_rules! pivot {
            ($q:literal, $i:literal, $next:literal) => {
                let k = 4 * (q0 + $q) + $i;
                if $q < Q && k < s {
                    let diagonal = column(k, $q);
                    let mut known = x[$q];
                    for r in 0..R {
                        known[r] = known[r].mul(diagonal).lane::<$i>();
                    }
                    let above = diagonal.join::<$i>(E::zero(on));
                    for r in 0..R {
                        let less = x[$q][r].sub_mul(above, known[r]);
                        x[$q][r] = less.join::<$i>(known[r].join::<$next>(x[$q][r]));
                    }
                    for q in 0..$q {
                        sub_mul_each(&mut x[q], column(k, q), &known);
                    }
                }
            };
        }
        macro_rules! quad {
            ($q:literal) => {
                pivot!($q, 3, 4);
                pivot!($q, 2, 3);
                pivot!($q, 1, 2);
                pivot!($q, 0, 1);
            };
        }
        quad!(3);
        quad!(2);
        quad!(1);
        quad!(0);
        for q in 0..Q {
            let at = 4 * (q0 + q);
            b.scatter(rows.add(at), s - at, x[q]);
        }
    }
}

/// The numbers of a front one by one: row i of column j is number
/// `j · 4 · quads + i`.
#[inline(always)]
pub fn numbers(front: &[Quad]) -> &[f64] {
    let count = size_of_val(front) / size_of::<f64>();
    // SAFETY: a quad is four numbers without padding, aligned more strictly.
    unsafe { std::slice::from_raw_parts(front.as_ptr().cast(), count) }
}

/// See [`numbers`].
#[inline(always)]
pub fn numbers_mut(front: &mut [Quad]) -> &mut [f64] {
    let count = size_of_val(front) / size_of::<f64>();
    // SAFETY: as in `numbers`.
    unsafe { std::slice::from_raw_parts_mut(front.as_mut_ptr().cast(), count) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{Portable, Task, dispatch};

    /// Factors and solves a full matrix of n unknowns as one front.
    struct Whole(usize);

    impl Task for Whole {
        type Output = Vec<f64>;

        #[inline(always)]
        fn run<L: Lanes>(self, on: L::Processor) -> Vec<f64> {
            let n = self.0;
            let quads = n.div_ceil(4);
            let shape = Shape { pivots: n, rows: n, quads };
            let mut front = vec![Quad::default(); n * quads];
            for (k, x) in numbers_mut(&mut front).iter_mut().enumerate() {
                let (j, i) = (k / (4 * quads), k % (4 * quads));
                if i < n {
                    *x = ((3 * i + 7 * j) as f64).sin() + if i == j { n as f64 } else { 0.0 };
                }
            }
            let mut scratch = vec![Quad::default(); 8 * quads];
            let (terms, transposed) = scratch.split_at_mut(4 * quads);
            partial_lu::<L, 1>(on, shape, &mut front, terms, transposed);
            let rows = (0..4 * quads).map(|i| i.min(n - 1) as u32).collect();
            let list = RowList::new(rows, n);
            let mut b: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
            forward::<L, 1, 1>(on, shape, &front, &list, 0, &mut [[&mut b]]);
            backward::<L, 1, 1>(on, shape, &front, &list, 0, &mut [[&mut b]]);
            b
        }
    }

    #[test]
    fn portable_and_dispatched_kernels_agree() {
        for n in 1..40 {
            let portable = Whole(n).run::<Portable>(());
            for (x, y) in dispatch(Whole(n)).iter().zip(&portable) {
                assert!((x - y).abs() < 1e-14, "n = {n}");
            }
        }
    }
}
