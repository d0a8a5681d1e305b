//! Relative motion from the interpolated frame to one node, its parameter vector and the derivatives of that
//! (motion-interpolation-galerkin §1.7, §1.11.5).
//!
//! With the quaternion `(η, v)` of `S = X⁻¹ X_k`, the material increment `w = Δu_k − Sᵀ Δu` of `S` and
//! `E = ½ (η I + ~v)`:
//!
//! ```text
//! dη = −½ v·w ,   dv = E w ,   s = h(η) v
//! ds = U w = U Δu_k − Uᵀ Δu ,      U = T⁻¹(s) = ½ [h η I + h ~v − h' v vᵀ] ,   Uᵀ = T⁻¹(−s)
//! ```

use super::algebra::{M3, Number, Quaternion, V3};
use super::metric::Parameter;

/// One node as seen from the interpolated frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relative<T> {
    /// Quaternion `(η, v)` of the relative motion.
    pub q: Quaternion<T>,
    /// Parameter vector `s`.
    pub s: V3<T>,
    /// `h, h', h'', h'''`.
    h: [T; 4],
}

impl<T: Number> Relative<T> {
    pub fn new(parameter: Parameter, q: Quaternion<T>) -> Self {
        let d = parameter.factor(q.scalar.primal());
        let h: [T; 4] = std::array::from_fn(|m| q.scalar.lift(d[m], d[m + 1]));
        Self { q, s: q.vector.scale(h[0]), h }
    }

    /// `S`.
    pub fn tensor(&self) -> M3<T> {
        self.q.tensor()
    }

    /// `U = T⁻¹(s)`; its transpose is `T⁻¹(−s)`.
    pub fn tangent_inv(&self) -> M3<T> {
        let (eta, v, [h, h1, ..]) = (self.q.scalar, &self.q.vector, self.h);
        half(M3::diagonal(h * eta) + v.skew().scale(h) - v.outer(v).scale(h1))
    }

    /// `E = ½ (η I + ~v)`.
    fn rate(&self) -> M3<T> {
        half(M3::diagonal(self.q.scalar) + self.q.vector.skew())
    }

    /// `∂(Uᵀ c)` along `w` at constant `c`, as a matrix that acts on `w`:
    ///
    /// ```text
    /// ½ { −½ [(h'η + h) c − h' v×c − h'' (v·c) v] vᵀ + [h ~c − h' (v·c) I − h' v cᵀ] E }
    /// ```
    pub fn transposed_derivative(&self, c: &V3<T>) -> M3<T> {
        let (eta, v, [h, h1, h2, _]) = (self.q.scalar, &self.q.vector, self.h);
        let vc = v.dot(c);
        let along = c.scale(h1 * eta + h) - v.cross(c).scale(h1) - v.scale(h2 * vc);
        let across = c.skew().scale(h) - M3::diagonal(h1 * vc) - v.outer(c).scale(h1);
        half(across * self.rate() - half(along.outer(v)))
    }

    /// The form `A` with `y·∂(Uᵀ c)[w] = cᵀ A w`.
    pub fn transposed_form(&self, y: &V3<T>) -> M3<T> {
        self.form(y, -1.0)
    }

    /// The form `C` with `y·∂(U c)[w] = cᵀ C w`.
    pub fn direct_form(&self, y: &V3<T>) -> M3<T> {
        self.form(y, 1.0)
    }

    /// `½ { −½ [(h'η + h) y ± h' y×v − h'' (y·v) v] vᵀ + [±h ~y − h' v yᵀ − h' (y·v) I] E }`.
    fn form(&self, y: &V3<T>, sign: f64) -> M3<T> {
        let (eta, v, [h, h1, h2, _]) = (self.q.scalar, &self.q.vector, self.h);
        let yv = v.dot(y);
        let along = y.scale(h1 * eta + h) + y.cross(v).scale(h1.scale(sign)) - v.scale(h2 * yv);
        let across = y.skew().scale(h.scale(sign)) - v.outer(y).scale(h1) - M3::diagonal(h1 * yv);
        half(across * self.rate() - half(along.outer(v)))
    }

    /// The form `D` with `y·∂²(Uᵀ c)[w, W] = wᵀ D W`, first along `w`, then along `W` at constant `w` and
    /// `c`:
    ///
    /// ```text
    /// a₁ = (h''η + 2h')(y·c) − h'' y·(v×c) − h''' (v·c)(y·v)      b₁ = −h' c×y − h'' (y·v) c − h'' (v·c) y
    /// a₂ = (h'η + h)(y·c) − h' y·(v×c) − h'' (v·c)(y·v)           b₂ = −h c×y − h' (y·v) c − h' (v·c) y
    /// D = ½ { ¼ a₁ v vᵀ − ½ a₂ E − ½ v (Eᵀb₁)ᵀ − ½ (Eᵀb₁) vᵀ − ¼ b₂ vᵀ + ½ ~b₂ E − h' Eᵀ (y cᵀ + c yᵀ) E }
    /// ```
    pub fn second_form(&self, y: &V3<T>, c: &V3<T>) -> M3<T> {
        let (eta, v, [h, h1, h2, h3]) = (self.q.scalar, &self.q.vector, self.h);
        let (yc, yv, vc) = (y.dot(c), y.dot(v), v.dot(c));
        let triple = y.dot(&v.cross(c));
        let a1 = (h2 * eta + h1.scale(2.0)) * yc - h2 * triple - h3 * vc * yv;
        let a2 = (h1 * eta + h) * yc - h1 * triple - h2 * vc * yv;
        let mixed = c.scale(yv) + y.scale(vc);
        let cy = c.cross(y);
        let b1 = V3::zero() - cy.scale(h1) - mixed.scale(h2);
        let b2 = V3::zero() - cy.scale(h) - mixed.scale(h1);
        let e = self.rate();
        let et = e.transpose();
        let (eb, ey, ec) = (et * b1, et * *y, et * *c);
        let once = v.outer(v).scale(a1.scale(0.5)) - e.scale(a2) - v.outer(&eb) - eb.outer(v);
        let twice = b2.skew() * e - half(b2.outer(v)) - (ey.outer(&ec) + ec.outer(&ey)).scale(h1.scale(2.0));
        half(half(once + twice))
    }
}

fn half<T: Number>(m: M3<T>) -> M3<T> {
    m.times(0.5)
}
