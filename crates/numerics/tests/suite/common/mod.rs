//! Random mechanisms and their KKT matrices, for tests and timings.
use poinsot_numerics::ordering::{Coupler, GroupOrder, order_groups};
use poinsot_numerics::{Pattern, PatternBuilder};

/// Small reproducible source of random numbers (xorshift64*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Uniform in [-1, 1).
    pub fn number(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() >> 33) as usize % n
    }

    pub fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.number()).collect()
    }
}

/// Bodies with `size` unknowns each and the joints between them.
pub struct Mechanism {
    pub size: usize,
    pub bodies: usize,
    pub couplers: Vec<Coupler>,
}

fn coupler(nodes: &[usize], rows: usize) -> Coupler {
    Coupler { nodes: nodes.to_vec(), rows }
}

/// Chain hanging from the ground.
pub fn chain(bodies: usize, size: usize, rows: usize) -> Mechanism {
    let mut couplers = vec![coupler(&[0], rows)];
    couplers.extend((1..bodies).map(|i| coupler(&[i - 1, i], rows)));
    Mechanism { size, bodies, couplers }
}

/// Closed ring without ground.
pub fn ring(bodies: usize, size: usize, rows: usize) -> Mechanism {
    let couplers = (0..bodies).map(|i| coupler(&[i, (i + 1) % bodies], rows)).collect();
    Mechanism { size, bodies, couplers }
}

/// Random tree on the ground with additional joints that close loops between
/// bodies of nearby number, each with few rows.
pub fn tree_with_loops(bodies: usize, size: usize, rows: usize, loops: usize, seed: u64) -> Mechanism {
    let mut random = Random::new(seed);
    let mut couplers = vec![coupler(&[0], rows)];
    for i in 1..bodies {
        let parent = i - 1 - random.below(i.min(6));
        couplers.push(coupler(&[parent, i], rows));
    }
    for _ in 0..loops {
        let a = random.below(bodies);
        let b = random.below(bodies);
        let near = (a + 1 + b % 20) % bodies;
        if near != a {
            couplers.push(coupler(&[a, near], 1));
        }
    }
    Mechanism { size, bodies, couplers }
}

/// Legs of `length` bodies on one carrier (body 0), every second one standing on
/// the ground.
pub fn carrier(legs: usize, length: usize, size: usize, rows: usize) -> Mechanism {
    let bodies = 1 + legs * length;
    let mut couplers = Vec::new();
    for leg in 0..legs {
        let first = 1 + leg * length;
        couplers.push(coupler(&[0, first], rows));
        couplers.extend((first + 1..first + length).map(|i| coupler(&[i - 1, i], rows)));
        if leg % 2 == 1 {
            couplers.push(coupler(&[first + length - 1], 1));
        }
    }
    Mechanism { size, bodies, couplers }
}

/// KKT matrix of a mechanism.
pub struct Kkt {
    pub pattern: Pattern,
    pub values: Vec<f64>,
    pub order: GroupOrder,
    /// Marks the multiplier rows.
    pub multiplier: Vec<bool>,
}

impl Mechanism {
    pub fn order(&self) -> GroupOrder {
        order_groups(&vec![self.size; self.bodies], &self.couplers)
    }

    pub fn kkt(&self, seed: u64) -> Kkt {
        self.kkt_ordered(self.order(), seed)
    }

    /// [S Gᵀ; G⁺ 0] with S near the identity and G⁺ near G, both unsymmetric.
    pub fn kkt_ordered(&self, order: GroupOrder, seed: u64) -> Kkt {
        let body = |b: usize| (order.node_offset[b]..order.node_offset[b] + self.size).collect::<Vec<_>>();
        let mut builder = PatternBuilder::new(order.n);
        for b in 0..self.bodies {
            builder.add_clique(&body(b));
        }
        let mut multiplier = vec![false; order.n];
        for (coupler, &offset) in self.couplers.iter().zip(&order.coupler_offset) {
            let rows: Vec<_> = (offset..offset + coupler.rows).collect();
            multiplier[offset..offset + coupler.rows].fill(true);
            for &b in &coupler.nodes {
                builder.add_block(&rows, &body(b));
            }
        }
        let pattern = builder.build();
        let mut values = vec![0.0; pattern.nnz()];
        let mut random = Random::new(seed);
        let mut set = |row, column, value| values[pattern.index(row, column).unwrap()] = value;
        for b in 0..self.bodies {
            for &i in &body(b) {
                for &j in &body(b) {
                    set(i, j, 0.2 * random.number() + if i == j { 1.5 } else { 0.0 });
                }
            }
        }
        for (coupler, &offset) in self.couplers.iter().zip(&order.coupler_offset) {
            for r in 0..coupler.rows {
                for &b in &coupler.nodes {
                    for (j, column) in body(b).into_iter().enumerate() {
                        let leading = if j == r { 1.0 } else { 0.0 };
                        let g = leading + 0.4 * random.number();
                        set(column, offset + r, g);
                        set(offset + r, column, g * (1.0 + 0.05 * random.number()));
                    }
                }
            }
        }
        Kkt { pattern, values, order, multiplier }
    }
}
