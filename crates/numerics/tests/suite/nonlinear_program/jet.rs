//! Numbers with first and second derivatives, for writing small problems down.

use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Clone, Copy, Debug)]
pub struct Jet<const N: usize> {
    pub value: f64,
    pub first: [f64; N],
    pub second: [[f64; N]; N],
}

impl<const N: usize> Jet<N> {
    pub fn constant(value: f64) -> Self {
        Jet { value, first: [0.0; N], second: [[0.0; N]; N] }
    }

    pub fn variables(x: &[f64]) -> [Self; N] {
        std::array::from_fn(|i| {
            let mut jet = Jet::constant(x[i]);
            jet.first[i] = 1.0;
            jet
        })
    }

    /// f(self) by f, f', f''.
    fn chain(self, f: f64, d: f64, dd: f64) -> Self {
        let mut out = Jet::constant(f);
        for i in 0..N {
            out.first[i] = d * self.first[i];
            for j in 0..N {
                out.second[i][j] = d * self.second[i][j] + dd * self.first[i] * self.first[j];
            }
        }
        out
    }

    pub fn powi(self, n: i32) -> Self {
        let n_f = f64::from(n);
        let v = self.value;
        self.chain(v.powi(n), n_f * v.powi(n - 1), n_f * (n_f - 1.0) * v.powi(n - 2))
    }

    pub fn exp(self) -> Self {
        let e = self.value.exp();
        self.chain(e, e, e)
    }

    pub fn ln(self) -> Self {
        let v = self.value;
        self.chain(v.ln(), 1.0 / v, -1.0 / (v * v))
    }

    pub fn sqrt(self) -> Self {
        let r = self.value.sqrt();
        self.chain(r, 0.5 / r, -0.25 / (r * r * r))
    }

    pub fn cos(self) -> Self {
        let (s, c) = self.value.sin_cos();
        self.chain(c, -s, -c)
    }
}

impl<const N: usize> Mul for Jet<N> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        let mut out = Jet::constant(self.value * o.value);
        for i in 0..N {
            out.first[i] = self.first[i] * o.value + self.value * o.first[i];
            for j in 0..N {
                out.second[i][j] = self.second[i][j] * o.value
                    + self.value * o.second[i][j]
                    + self.first[i] * o.first[j]
                    + self.first[j] * o.first[i];
            }
        }
        out
    }
}

impl<const N: usize> Add for Jet<N> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        let mut out = self;
        out.value += o.value;
        for i in 0..N {
            out.first[i] += o.first[i];
            for j in 0..N {
                out.second[i][j] += o.second[i][j];
            }
        }
        out
    }
}

impl<const N: usize> Neg for Jet<N> {
    type Output = Self;
    fn neg(self) -> Self {
        self * -1.0
    }
}

impl<const N: usize> Sub for Jet<N> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self + -o
    }
}

impl<const N: usize> Div for Jet<N> {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        self * o.powi(-1)
    }
}

impl<const N: usize> Add<f64> for Jet<N> {
    type Output = Self;
    fn add(self, o: f64) -> Self {
        self + Jet::constant(o)
    }
}

impl<const N: usize> Sub<f64> for Jet<N> {
    type Output = Self;
    fn sub(self, o: f64) -> Self {
        self + -o
    }
}

impl<const N: usize> Mul<f64> for Jet<N> {
    type Output = Self;
    fn mul(self, o: f64) -> Self {
        self * Jet::constant(o)
    }
}

impl<const N: usize> Mul<Jet<N>> for f64 {
    type Output = Jet<N>;
    fn mul(self, o: Jet<N>) -> Jet<N> {
        o * self
    }
}
