//! Small fixed-capacity lists in which elements hand over derivatives, without allocation.

use poinsot_geometry::{Mat3, Vec3};

/// Most carried vectors that one element may be a function of.
pub const MAX_CARRIED: usize = 8;
/// Most rows of one constraint.
pub const MAX_ROWS: usize = 6;

/// One entry ∂Φ_k/∂x_a.
#[derive(Clone, Copy, Debug)]
pub struct Gradient {
    /// Constraint row k.
    pub row: usize,
    /// Carried vector a.
    pub carried: usize,
    /// The gradient.
    pub value: Vec3,
}

/// The gradients ∂Φ_k/∂x_a of one element.
#[derive(Clone, Debug)]
pub struct Gradients {
    entries: [Gradient; 40],
    len: usize,
}

impl Default for Gradients {
    fn default() -> Self {
        Gradients { entries: [Gradient { row: 0, carried: 0, value: Vec3::zeros() }; 40], len: 0 }
    }
}

impl Gradients {
    /// Empties the list.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds ∂Φ_row/∂x_carried.
    #[inline]
    pub fn push(&mut self, row: usize, carried: usize, value: Vec3) {
        self.entries[self.len] = Gradient { row, carried, value };
        self.len += 1;
    }

    /// The entries.
    #[inline]
    pub fn entries(&self) -> &[Gradient] {
        &self.entries[..self.len]
    }
}

/// One 3×3 block of second derivatives between carried vectors a and b.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Row vector a.
    pub a: usize,
    /// Column vector b.
    pub b: usize,
    /// The block.
    pub value: Mat3,
}

/// The 3×3 blocks ∂f_a/∂x_b of one element.
#[derive(Clone, Debug)]
pub struct Blocks {
    entries: [Block; 64],
    len: usize,
}

impl Default for Blocks {
    fn default() -> Self {
        Blocks { entries: [Block { a: 0, b: 0, value: Mat3::zeros() }; 64], len: 0 }
    }
}

impl Blocks {
    /// Empties the list.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds ∂f_a/∂x_b.
    #[inline]
    pub fn push(&mut self, a: usize, b: usize, value: Mat3) {
        self.entries[self.len] = Block { a, b, value };
        self.len += 1;
    }

    /// Adds the block s·I and its transpose partner (b, a).
    #[inline]
    pub fn push_pair(&mut self, a: usize, b: usize, s: f64) {
        let value = Mat3::identity() * s;
        self.push(a, b, value);
        self.push(b, a, value);
    }

    /// The blocks.
    #[inline]
    pub fn entries(&self) -> &[Block] {
        &self.entries[..self.len]
    }
}
