//! Four numbers in registers: AVX where the processor has it, else SSE2 or plain arrays.

/// Four numbers on a vector boundary.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(32))]
pub struct Quad(pub [f64; 4]);

/// Four numbers in registers.
pub trait Lanes: Copy {
    /// The right to use these registers, which only a processor that has them gives.
    type Processor: Copy;
    /// All lanes zero.
    fn zero(on: Self::Processor) -> Self;
    /// All lanes the same number.
    fn splat(on: Self::Processor, x: f64) -> Self;
    /// The four given numbers.
    fn set(on: Self::Processor, x: [f64; 4]) -> Self;
    /// Reads a quad.
    fn load(on: Self::Processor, from: &Quad) -> Self;
    /// What gives the right to use these registers.
    fn processor(self) -> Self::Processor;
    /// Writes a quad.
    fn store(self, to: &mut Quad);
    /// self + a.
    fn add(self, a: Self) -> Self;
    /// self · a.
    fn mul(self, a: Self) -> Self;
    /// self / a.
    fn div(self, a: Self) -> Self;
    /// self + a·b.
    fn add_mul(self, a: Self, b: Self) -> Self;
    /// self − a·b.
    fn sub_mul(self, a: Self, b: Self) -> Self;
    /// Square roots.
    fn sqrt(self) -> Self;
    /// Magnitudes.
    fn abs(self) -> Self;
    /// Lane K in all lanes.
    fn lane<const K: usize>(self) -> Self;
    /// Lanes below K of self, lanes from K on of `other`.
    fn join<const K: usize>(self, other: Self) -> Self;
    /// Transpose of the matrix whose columns are given.
    fn transpose(columns: [Self; 4]) -> [Self; 4];
}

#[cfg(not(target_arch = "x86_64"))]
pub use arrays::Portable;
#[cfg(target_arch = "x86_64")]
pub use sse::Portable;

#[cfg(not(target_arch = "x86_64"))]
mod arrays {
    use super::{Lanes, Quad};

    /// A plain array.
    #[derive(Clone, Copy)]
    pub struct Portable([f64; 4]);

    impl Portable {
        #[inline(always)]
        fn map2(self, a: Self, f: impl Fn(f64, f64) -> f64) -> Self {
            Self(std::array::from_fn(|i| f(self.0[i], a.0[i])))
        }
    }

    impl Lanes for Portable {
        type Processor = ();

        #[inline(always)]
        fn zero((): ()) -> Self {
            Self([0.0; 4])
        }
        #[inline(always)]
        fn splat((): (), x: f64) -> Self {
            Self([x; 4])
        }
        #[inline(always)]
        fn set((): (), x: [f64; 4]) -> Self {
            Self(x)
        }
        #[inline(always)]
        fn load((): (), from: &Quad) -> Self {
            Self(from.0)
        }
        #[inline(always)]
        fn processor(self) {}
        #[inline(always)]
        fn store(self, to: &mut Quad) {
            to.0 = self.0;
        }
        #[inline(always)]
        fn add(self, a: Self) -> Self {
            self.map2(a, |x, y| x + y)
        }
        #[inline(always)]
        fn mul(self, a: Self) -> Self {
            self.map2(a, |x, y| x * y)
        }
        #[inline(always)]
        fn div(self, a: Self) -> Self {
            self.map2(a, |x, y| x / y)
        }
        #[inline(always)]
        fn add_mul(self, a: Self, b: Self) -> Self {
            self.map2(Lanes::mul(a, b), |x, y| x + y)
        }
        #[inline(always)]
        fn sub_mul(self, a: Self, b: Self) -> Self {
            self.map2(Lanes::mul(a, b), |x, y| x - y)
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            Self(self.0.map(f64::sqrt))
        }
        #[inline(always)]
        fn abs(self) -> Self {
            Self(self.0.map(f64::abs))
        }
        #[inline(always)]
        fn lane<const K: usize>(self) -> Self {
            Self([self.0[K]; 4])
        }
        #[inline(always)]
        fn join<const K: usize>(self, other: Self) -> Self {
            Self(std::array::from_fn(|i| if i < K { self.0[i] } else { other.0[i] }))
        }
        #[inline(always)]
        fn transpose(columns: [Self; 4]) -> [Self; 4] {
            std::array::from_fn(|i| Self(std::array::from_fn(|j| columns[j].0[i])))
        }
    }
}

/// For x86-64 processors without AVX2. All have these registers; a compiler that has to find out how arrays
/// go into them takes much longer.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "instructions of a part of the processor that every x86-64 processor has")]
mod sse {
    use super::{Lanes, Quad};
    use pulp::cast;
    use std::arch::x86_64::{self as processor, __m128d};

    macro_rules! instructions {
        ($($name:ident as $raw:ident($($x:ident: $type:ty),*)),* $(,)?) => {
            $(#[inline(always)]
            fn $name($($x: $type),*) -> __m128d {
                // SAFETY: SSE2 belongs to x86-64.
                unsafe { processor::$raw($($x),*) }
            })*
        };
    }

    instructions! {
        zero as _mm_setzero_pd(),
        both as _mm_set1_pd(x: f64),
        pair as _mm_setr_pd(x: f64, y: f64),
        add as _mm_add_pd(x: __m128d, y: __m128d),
        sub as _mm_sub_pd(x: __m128d, y: __m128d),
        mul as _mm_mul_pd(x: __m128d, y: __m128d),
        div as _mm_div_pd(x: __m128d, y: __m128d),
        root as _mm_sqrt_pd(x: __m128d),
        without as _mm_andnot_pd(bits: __m128d, x: __m128d),
        first_of as _mm_move_sd(second: __m128d, first: __m128d),
        firsts as _mm_unpacklo_pd(x: __m128d, y: __m128d),
        seconds as _mm_unpackhi_pd(x: __m128d, y: __m128d),
    }

    /// Two SSE2 registers.
    #[derive(Clone, Copy)]
    pub struct Portable(__m128d, __m128d);

    impl Lanes for Portable {
        type Processor = ();

        #[inline(always)]
        fn zero((): ()) -> Self {
            Self(zero(), zero())
        }
        #[inline(always)]
        fn splat((): (), x: f64) -> Self {
            Self(both(x), both(x))
        }
        #[inline(always)]
        fn set((): (), x: [f64; 4]) -> Self {
            Self(pair(x[0], x[1]), pair(x[2], x[3]))
        }
        #[inline(always)]
        fn load((): (), from: &Quad) -> Self {
            let [low, high]: [__m128d; 2] = cast(from.0);
            Self(low, high)
        }
        #[inline(always)]
        fn processor(self) {}
        #[inline(always)]
        fn store(self, to: &mut Quad) {
            to.0 = cast([self.0, self.1]);
        }
        #[inline(always)]
        fn add(self, a: Self) -> Self {
            Self(add(self.0, a.0), add(self.1, a.1))
        }
        #[inline(always)]
        fn mul(self, a: Self) -> Self {
            Self(mul(self.0, a.0), mul(self.1, a.1))
        }
        #[inline(always)]
        fn div(self, a: Self) -> Self {
            Self(div(self.0, a.0), div(self.1, a.1))
        }
        #[inline(always)]
        fn add_mul(self, a: Self, b: Self) -> Self {
            self.add(a.mul(b))
        }
        #[inline(always)]
        fn sub_mul(self, a: Self, b: Self) -> Self {
            let product = a.mul(b);
            Self(sub(self.0, product.0), sub(self.1, product.1))
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            Self(root(self.0), root(self.1))
        }
        #[inline(always)]
        fn abs(self) -> Self {
            let sign = both(-0.0);
            Self(without(sign, self.0), without(sign, self.1))
        }
        #[inline(always)]
        fn lane<const K: usize>(self) -> Self {
            let x = if K < 2 { self.0 } else { self.1 };
            let x = if K.is_multiple_of(2) { firsts(x, x) } else { seconds(x, x) };
            Self(x, x)
        }
        #[inline(always)]
        fn join<const K: usize>(self, other: Self) -> Self {
            match K {
                0 => other,
                1 => Self(first_of(other.0, self.0), other.1),
                2 => Self(self.0, other.1),
                3 => Self(self.0, first_of(other.1, self.1)),
                _ => self,
            }
        }
        #[inline(always)]
        fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
            [
                Self(firsts(a.0, b.0), firsts(c.0, d.0)),
                Self(seconds(a.0, b.0), seconds(c.0, d.0)),
                Self(firsts(a.1, b.1), firsts(c.1, d.1)),
                Self(seconds(a.1, b.1), seconds(c.1, d.1)),
            ]
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx {
    use super::{Lanes, Quad};
    use pulp::cast;
    use pulp::x86::V3;
    use std::arch::x86_64::__m256d;

    /// One AVX register, with the right to use it.
    #[derive(Clone, Copy)]
    pub struct Avx(__m256d, V3);

    impl Lanes for Avx {
        type Processor = V3;

        #[inline(always)]
        fn zero(on: V3) -> Self {
            Self(on.avx._mm256_setzero_pd(), on)
        }
        #[inline(always)]
        fn splat(on: V3, x: f64) -> Self {
            Self(on.avx._mm256_set1_pd(x), on)
        }
        #[inline(always)]
        fn set(on: V3, x: [f64; 4]) -> Self {
            Self(on.avx._mm256_set_pd(x[3], x[2], x[1], x[0]), on)
        }
        #[inline(always)]
        fn load(on: V3, from: &Quad) -> Self {
            Self(cast(from.0), on)
        }
        #[inline(always)]
        fn processor(self) -> V3 {
            self.1
        }
        #[inline(always)]
        fn store(self, to: &mut Quad) {
            to.0 = cast(self.0);
        }
        #[inline(always)]
        fn add(self, a: Self) -> Self {
            Self(self.1.avx._mm256_add_pd(self.0, a.0), self.1)
        }
        #[inline(always)]
        fn mul(self, a: Self) -> Self {
            Self(self.1.avx._mm256_mul_pd(self.0, a.0), self.1)
        }
        #[inline(always)]
        fn div(self, a: Self) -> Self {
            Self(self.1.avx._mm256_div_pd(self.0, a.0), self.1)
        }
        #[inline(always)]
        fn add_mul(self, a: Self, b: Self) -> Self {
            Self(self.1.fma._mm256_fmadd_pd(a.0, b.0, self.0), self.1)
        }
        #[inline(always)]
        fn sub_mul(self, a: Self, b: Self) -> Self {
            Self(self.1.fma._mm256_fnmadd_pd(a.0, b.0, self.0), self.1)
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            Self(self.1.avx._mm256_sqrt_pd(self.0), self.1)
        }
        #[inline(always)]
        fn abs(self) -> Self {
            let avx = self.1.avx;
            Self(avx._mm256_andnot_pd(avx._mm256_set1_pd(-0.0), self.0), self.1)
        }
        #[inline(always)]
        fn lane<const K: usize>(self) -> Self {
            let avx2 = self.1.avx2;
            let x = match K {
                0 => avx2._mm256_permute4x64_pd::<0x00>(self.0),
                1 => avx2._mm256_permute4x64_pd::<0x55>(self.0),
                2 => avx2._mm256_permute4x64_pd::<0xaa>(self.0),
                _ => avx2._mm256_permute4x64_pd::<0xff>(self.0),
            };
            Self(x, self.1)
        }
        #[inline(always)]
        fn join<const K: usize>(self, other: Self) -> Self {
            let avx = self.1.avx;
            let x = match K {
                0 => other.0,
                1 => avx._mm256_blend_pd::<0b1110>(self.0, other.0),
                2 => avx._mm256_blend_pd::<0b1100>(self.0, other.0),
                3 => avx._mm256_blend_pd::<0b1000>(self.0, other.0),
                _ => self.0,
            };
            Self(x, self.1)
        }
        #[inline(always)]
        fn transpose(c: [Self; 4]) -> [Self; 4] {
            let (on, avx) = (c[0].1, c[0].1.avx);
            let low01 = avx._mm256_unpacklo_pd(c[0].0, c[1].0);
            let high01 = avx._mm256_unpackhi_pd(c[0].0, c[1].0);
            let low23 = avx._mm256_unpacklo_pd(c[2].0, c[3].0);
            let high23 = avx._mm256_unpackhi_pd(c[2].0, c[3].0);
            [
                Self(avx._mm256_permute2f128_pd::<0x20>(low01, low23), on),
                Self(avx._mm256_permute2f128_pd::<0x20>(high01, high23), on),
                Self(avx._mm256_permute2f128_pd::<0x31>(low01, low23), on),
                Self(avx._mm256_permute2f128_pd::<0x31>(high01, high23), on),
            ]
        }
    }
}

/// Work that is compiled once per kind of [`Lanes`]. `run` has to be
/// `#[inline(always)]`, so that its body takes on the features of the caller.
pub trait Task {
    /// Result of the work.
    type Output;
    /// Does the work with registers of kind `L`.
    fn run<L: Lanes>(self, on: L::Processor) -> Self::Output;
}

/// Runs a task with the best registers this processor has.
#[inline]
pub fn dispatch<T: Task>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    {
        struct WithAvx<T>(T, pulp::x86::V3);

        impl<T: Task> pulp::NullaryFnOnce for WithAvx<T> {
            type Output = T::Output;

            #[inline(always)]
            fn call(self) -> T::Output {
                self.0.run::<avx::Avx>(self.1)
            }
        }
        if let Some(on) = pulp::x86::V3::try_new() {
            return on.vectorize(WithAvx(task, on));
        }
    }
    task.run::<Portable>(())
}
