//! Reproducible random numbers for start vectors.

/// A fixed, irregular number in (−½, ½) for every k, so that the same model always gets the same answer.
pub fn irregular(k: usize) -> f64 {
    ((k * 7919 + 13) as f64 * 0.618_033_988_75).fract() - 0.5
}

/// xorshift64* of Vigna.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Generator with the given seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Uniform in −1 … 1.
    pub fn number(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d);
        (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
