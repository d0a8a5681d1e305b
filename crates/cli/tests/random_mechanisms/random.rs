//! Reproducible random draws.

/// SplitMix64 of Steele, Lea and Flood.
pub struct Random(u64);

/// Its mixing function.
fn mixed(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Random {
    /// The seed is mixed twice, so that neighbouring ones do not give the same numbers shifted.
    pub fn new(seed: u64) -> Random {
        Random(mixed(mixed(seed.wrapping_add(0x1234_5678_9abc_def1))))
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// Uniform between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1u64 << 53) as f64)
    }

    /// Logarithmically uniform between two positive numbers.
    pub fn decades(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.between(0.0, 1.0) < probability
    }

    /// A whole number below n.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// One of several.
    pub fn one_of<T: Clone>(&mut self, several: &[T]) -> T {
        several[self.below(several.len())].clone()
    }

    /// One of several by weight.
    pub fn weighted<T: Clone>(&mut self, several: &[(u32, T)]) -> T {
        let sum: u32 = several.iter().map(|(weight, _)| weight).sum();
        let mut left = self.below(sum as usize) as u32;
        for (weight, thing) in several {
            if left < *weight {
                return thing.clone();
            }
            left -= weight;
        }
        unreachable!("the weights sum up")
    }

    /// A vector with components between −size and size.
    pub fn vector(&mut self, size: f64) -> [f64; 3] {
        std::array::from_fn(|_| self.between(-size, size))
    }

    /// A direction: half of them world axes.
    pub fn direction(&mut self) -> [f64; 3] {
        if self.chance(0.5) {
            return self.one_of(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        }
        loop {
            let v = self.vector(1.0);
            let length = norm(v);
            if length > 0.2 && length <= 1.0 {
                return v.map(|c| c / length);
            }
        }
    }
}

pub fn norm(v: [f64; 3]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}

pub fn sum(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] + b[k])
}

pub fn scaled(a: [f64; 3], s: f64) -> [f64; 3] {
    a.map(|c| c * s)
}
