//! Four complex numbers in registers, real and imaginary parts apart.
#![allow(unsafe_code, reason = "pointers into fronts, as in the kernels")]
// As in the kernels: loops over registers count explicitly.
#![allow(clippy::needless_range_loop)]

use crate::kernels::Entries;
use crate::lanes::{Lanes, Quad};

/// Four complex numbers.
#[derive(Clone, Copy)]
pub struct Complex<L> {
    re: L,
    im: L,
}

impl<L: Lanes> Entries<2> for Complex<L> {
    type Part = L;

    #[inline(always)]
    fn zero(on: L::Processor) -> Self {
        Self { re: L::zero(on), im: L::zero(on) }
    }
    #[inline(always)]
    unsafe fn load(on: L::Processor, from: *const Quad, apart: usize) -> Self {
        // SAFETY: as the caller promises, for both parts.
        unsafe { Self { re: L::load(on, &*from), im: L::load(on, &*from.add(apart)) } }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut Quad, apart: usize) {
        // SAFETY: as the caller promises, for both parts.
        unsafe {
            self.re.store(&mut *to);
            self.im.store(&mut *to.add(apart));
        }
    }
    #[inline(always)]
    unsafe fn splat(on: L::Processor, [re, im]: [*mut f64; 2], row: u32) -> Self {
        // SAFETY: as the caller promises, for both parts.
        unsafe { Self { re: Entries::splat(on, [re], row), im: Entries::splat(on, [im], row) } }
    }
    #[inline(always)]
    unsafe fn gather(on: L::Processor, [re, im]: [*mut f64; 2], rows: *const u32) -> Self {
        // SAFETY: as the caller promises, for both parts.
        unsafe { Self { re: Entries::gather(on, [re], rows), im: Entries::gather(on, [im], rows) } }
    }
    #[inline(always)]
    unsafe fn scatter(self, [re, im]: [*mut f64; 2], rows: *const u32, count: usize) {
        // SAFETY: as the caller promises, for both parts.
        unsafe {
            Entries::scatter(self.re, [re], rows, count);
            Entries::scatter(self.im, [im], rows, count);
        }
    }
    #[inline(always)]
    fn mul(self, a: Self) -> Self {
        Self { re: self.re.mul(a.re).sub_mul(self.im, a.im), im: self.re.mul(a.im).add_mul(self.im, a.re) }
    }
    #[inline(always)]
    fn sub_mul(self, a: Self, b: Self) -> Self {
        Self {
            re: self.re.sub_mul(a.re, b.re).add_mul(a.im, b.im),
            im: self.im.sub_mul(a.re, b.im).sub_mul(a.im, b.re),
        }
    }
    /// 1/a = ā/|a|² and x/a = x ā/|a|², for 1e-154 < |a| < 1e154.
    #[inline(always)]
    fn divide(self, a: Self) -> (Self, Self) {
        let on = a.re.processor();
        let scale = L::splat(on, 1.0).div(a.re.mul(a.re).add_mul(a.im, a.im));
        let quotient = Self {
            re: self.re.mul(a.re).add_mul(self.im, a.im),
            im: self.im.mul(a.re).sub_mul(self.re, a.im),
        };
        let inverse = Self { re: a.re.mul(scale), im: L::zero(on).sub_mul(a.im, scale) };
        (inverse, Self { re: quotient.re.mul(scale), im: quotient.im.mul(scale) })
    }
    #[inline(always)]
    fn size(self) -> L {
        self.re.abs().add(self.im.abs())
    }
    #[inline(always)]
    fn lane<const K: usize>(self) -> Self {
        Self { re: self.re.lane::<K>(), im: self.im.lane::<K>() }
    }
    #[inline(always)]
    fn join<const K: usize>(self, other: Self) -> Self {
        Self { re: self.re.join::<K>(other.re), im: self.im.join::<K>(other.im) }
    }
    #[inline(always)]
    fn transpose(columns: [Self; 4]) -> [Self; 4] {
        let [a, b, c, d] = columns;
        let re = L::transpose([a.re, b.re, c.re, d.re]);
        let im = L::transpose([a.im, b.im, c.im, d.im]);
        let mut rows = columns;
        for i in 0..4 {
            rows[i] = Self { re: re[i], im: im[i] };
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{Portable, Task, dispatch};
    use faer::c64;

    type Four = [c64; 4];

    fn four<L: Lanes>(x: Complex<L>) -> Four {
        let [mut re, mut im] = [Quad::default(); 2];
        x.re.store(&mut re);
        x.im.store(&mut im);
        std::array::from_fn(|i| c64::new(re.0[i], im.0[i]))
    }

    fn entries<L: Lanes>(on: L::Processor, x: Four) -> Complex<L> {
        Complex { re: L::set(on, x.map(|x| x.re)), im: L::set(on, x.map(|x| x.im)) }
    }

    fn sample(shift: f64) -> Four {
        std::array::from_fn(|i| c64::new((i as f64 + shift).sin(), (2.0 * i as f64 - shift).cos()))
    }

    /// a·b, c − a·b, 1/b, a/b, a transposed column, joined entries and sizes.
    struct Arithmetic;

    impl Task for Arithmetic {
        type Output = Vec<Four>;

        #[inline(always)]
        fn run<L: Lanes>(self, on: L::Processor) -> Vec<Four> {
            let [a, b, c, d]: [Complex<L>; 4] = [0.3, 1.1, 2.7, 4.2].map(|shift| entries(on, sample(shift)));
            let (inverse, quotient) = a.divide(b);
            let rows = Complex::transpose([a, b, c, d]);
            let size = Complex { re: a.size(), im: L::zero(on) };
            [a.mul(b), c.sub_mul(a, b), inverse, quotient, rows[2], a.join::<1>(b), a.lane::<3>(), size]
                .map(four)
                .to_vec()
        }
    }

    #[test]
    fn arithmetic_is_that_of_complex_numbers() {
        let [a, b, c, d] = [0.3, 1.1, 2.7, 4.2].map(sample);
        let each = |f: &dyn Fn(usize) -> c64| -> Four { std::array::from_fn(f) };
        let expected = [
            each(&|i| a[i] * b[i]),
            each(&|i| c[i] - a[i] * b[i]),
            each(&|i| c64::new(1.0, 0.0) / b[i]),
            each(&|i| a[i] / b[i]),
            [a[2], b[2], c[2], d[2]],
            [a[0], b[1], b[2], b[3]],
            [a[3]; 4],
            a.map(|a| c64::new(a.re.abs() + a.im.abs(), 0.0)),
        ];
        for found in [dispatch(Arithmetic), Arithmetic.run::<Portable>(())] {
            for (x, y) in found.as_flattened().iter().zip(expected.as_flattened()) {
                assert!((x.re - y.re).abs() < 1e-14 && (x.im - y.im).abs() < 1e-14, "{x} instead of {y}");
            }
        }
    }
}
