//! Block Arnoldi process with restarts, the engine of [`crate::krylov`].
//!
//! The basis V of k + p vectors, of which the operator A was applied to the first k,
//! satisfies the Krylov decomposition
//!
//! ```text
//! A V_k = V_k H + F B,     H k×k,   F the p pending vectors,   VᵀMV = I
//! ```
//!
//! One step applies A to the first pending vector and appends what is new in the result as
//! the last pending one. A restart keeps an invariant subspace of H (Stewart's
//! Krylov–Schur method): V_k := V_k Z, H := Zᵀ H Z, B := B Z.

use crate::dense::Mat;
use crate::krylov::{KrylovError, Operator};
use crate::random::Random;

/// A vector whose new part is below this fraction of the operator's size brings nothing new.
const NOTHING_NEW: f64 = 1e-14;

/// xᵀMx below this fraction of |M| |x|² means that M does not see x.
const UNSEEN: f64 = 1e-15;

/// Passes of the orthogonalisation; each is repeated while it takes off more than half.
const PASSES: usize = 4;

/// Draws of a random vector before the space is taken to be exhausted.
const DRAWS: usize = 3;

/// The decomposition, growing.
pub struct Arnoldi<'a, 'b> {
    n: usize,
    op: Operator<'a>,
    /// M of the inner product; the identity if none is given.
    inner: Option<Operator<'b>>,
    /// V: k vectors the operator was applied to, then the pending ones.
    vectors: Vec<Vec<f64>>,
    done: usize,
    /// [H; B], rows by vector, columns by vector that is done.
    h: Mat<f64>,
    /// Largest norm of A v seen.
    size: f64,
    /// Largest |M x|/|x| seen.
    inner_size: f64,
    /// M x of the last norm.
    image: Vec<f64>,
    random: Random,
    /// Number of applications of the operator.
    pub applications: usize,
}

impl<'a, 'b> Arnoldi<'a, 'b> {
    /// An empty decomposition with room for `capacity` + `block` vectors.
    pub fn new(
        n: usize,
        op: Operator<'a>,
        inner: Option<Operator<'b>>,
        capacity: usize,
        block: usize,
    ) -> Self {
        Self {
            n,
            op,
            inner,
            vectors: Vec::with_capacity(capacity + block),
            done: 0,
            h: Mat::zeros(capacity + block, capacity),
            size: 0.0,
            inner_size: 0.0,
            image: vec![0.0; n],
            random: Random::new(n as u64 + 1),
            applications: 0,
        }
    }

    /// Number k of vectors the operator was applied to.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Whether V spans an invariant subspace that no random vector leaves.
    pub fn exhausted(&self) -> bool {
        self.done == self.vectors.len()
    }

    /// H.
    pub fn projected(&self) -> Mat<f64> {
        self.h.submatrix(0, 0, self.done, self.done).to_owned()
    }

    /// B Z.
    pub fn coupling(&self, z: &Mat<f64>) -> Mat<f64> {
        let pending = self.vectors.len() - self.done;
        self.h.submatrix(self.done, 0, pending, self.done) * z
    }

    /// Applies the operator to pending vectors until k = `target` or the space is exhausted.
    pub fn expand(&mut self, target: usize) -> Result<(), KrylovError> {
        while self.done < target && !self.exhausted() {
            self.step()?;
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), KrylovError> {
        let column = self.done;
        let mut w = vec![0.0; self.n];
        (self.op)(&self.vectors[column], &mut w);
        self.applications += 1;
        let before = self.norm(&w)?;
        self.size = self.size.max(before);
        let (products, norm) = self.orthogonalize(&mut w, before, NOTHING_NEW * self.size)?;
        for (row, product) in products.into_iter().enumerate() {
            self.h[(row, column)] = product;
        }
        self.done += 1;
        if norm > 0.0 {
            self.h[(self.vectors.len(), column)] = norm;
            self.push(w, norm);
        } else {
            self.add_random()?;
        }
        Ok(())
    }

    fn push(&mut self, mut w: Vec<f64>, norm: f64) {
        w.iter_mut().for_each(|x| *x /= norm);
        self.vectors.push(w);
    }

    /// Appends a random pending vector, in the range of the operator where the inner product
    /// may be blind to what is outside; nothing where there is no direction left.
    pub fn add_random(&mut self) -> Result<(), KrylovError> {
        for _ in 0..DRAWS {
            if self.vectors.len() >= self.n {
                return Ok(());
            }
            let mut w: Vec<f64> = (0..self.n).map(|_| self.random.number()).collect();
            if self.inner.is_some() {
                let start = std::mem::replace(&mut w, vec![0.0; self.n]);
                (self.op)(&start, &mut w);
                self.applications += 1;
            }
            let before = self.norm(&w)?;
            let (_, norm) = self.orthogonalize(&mut w, before, NOTHING_NEW * before)?;
            if norm > 0.0 {
                self.push(w, norm);
                return Ok(());
            }
        }
        Ok(())
    }

    /// w := w − V Vᵀ M w, repeated. Returns VᵀMw and the norm of what is left, zero where
    /// that is below `floor`.
    fn orthogonalize(
        &mut self,
        w: &mut [f64],
        before: f64,
        floor: f64,
    ) -> Result<(Vec<f64>, f64), KrylovError> {
        let mut products = vec![0.0; self.vectors.len()];
        let mut last = before;
        for pass in 0..PASSES {
            // The last norm has left M w in `image`.
            let part: Vec<f64> = self.vectors.iter().map(|v| dot(v, &self.image)).collect();
            for ((v, c), product) in self.vectors.iter().zip(&part).zip(&mut products) {
                add(w, -c, v);
                *product += c;
            }
            let norm = self.norm(w)?;
            if norm <= floor {
                break;
            }
            if pass > 0 && norm > 0.5 * last {
                return Ok((products, norm));
            }
            last = norm;
        }
        Ok((products, 0.0))
    }

    /// √(xᵀMx), with M x left in `image`; zero where M does not see x.
    pub fn norm(&mut self, x: &[f64]) -> Result<f64, KrylovError> {
        let euclidean = dot(x, x);
        let square = match &mut self.inner {
            Some(inner) => {
                inner(x, &mut self.image);
                let size = (dot(&self.image, &self.image) / euclidean.max(f64::MIN_POSITIVE)).sqrt();
                self.inner_size = self.inner_size.max(size);
                dot(x, &self.image)
            }
            None => {
                self.image.copy_from_slice(x);
                self.inner_size = 1.0;
                euclidean
            }
        };
        let unseen = UNSEEN * self.inner_size * euclidean;
        if !square.is_finite() {
            return Err(KrylovError::NotFinite { applications: self.applications });
        }
        if square < -1e3 * unseen {
            return Err(KrylovError::Indefinite { square });
        }
        Ok(if square <= unseen { 0.0 } else { square.sqrt() })
    }

    /// V_k Z for the columns of Z.
    pub fn combine(&self, z: &Mat<f64>) -> Vec<Vec<f64>> {
        let mut result = vec![vec![0.0; self.n]; z.ncols()];
        for (j, target) in result.iter_mut().enumerate() {
            for (i, v) in self.vectors[..self.done].iter().enumerate() {
                add(target, z[(i, j)], v);
            }
        }
        result
    }

    /// V_k Z + F B Z T⁻¹ for diagonal T: A V_k Z T⁻¹, which has no part that only M does not see.
    pub fn combine_purified(&self, z: &Mat<f64>, t: &Mat<f64>) -> Vec<Vec<f64>> {
        let coupling = self.coupling(z);
        let mut result = self.combine(z);
        for (j, target) in result.iter_mut().enumerate() {
            for (i, f) in self.vectors[self.done..].iter().enumerate() {
                if t[(j, j)] != 0.0 {
                    add(target, coupling[(i, j)] / t[(j, j)], f);
                }
            }
        }
        result
    }

    /// Restart with V_k Z, where the columns of Z span an invariant subspace, H Z = Z T.
    pub fn restart(&mut self, z: &Mat<f64>, t: &Mat<f64>) {
        let coupling = self.coupling(z);
        let kept = z.ncols();
        let pending = self.vectors.split_off(self.done);
        self.vectors = self.combine(z);
        self.vectors.extend(pending);
        self.done = kept;
        self.h.fill(0.0);
        self.h.submatrix_mut(0, 0, kept, kept).copy_from(t);
        self.h.submatrix_mut(kept, 0, coupling.nrows(), kept).copy_from(&coupling);
    }

    /// Keeps `vectors` that span an invariant subspace, A V = V T, with fresh random vectors
    /// pending.
    pub fn refresh(&mut self, vectors: Vec<Vec<f64>>, t: &Mat<f64>, block: usize) -> Result<(), KrylovError> {
        self.done = vectors.len();
        self.vectors = vectors;
        self.h.fill(0.0);
        self.h.submatrix_mut(0, 0, self.done, self.done).copy_from(t);
        for _ in 0..block {
            self.add_random()?;
        }
        Ok(())
    }
}

pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    // Four sums, for speed and accuracy.
    let (x4, x_rest) = x.as_chunks::<4>();
    let (y4, y_rest) = y.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (x, y) in x4.iter().zip(y4) {
        for i in 0..4 {
            sums[i] += x[i] * y[i];
        }
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + rest
}

fn add(y: &mut [f64], factor: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += factor * x;
    }
}
