//! Small lists in which elements hand over derivatives; they are made once and reused, so a step does not
//! allocate.

use poinsot_geometry::{Mat3, Vec3};

/// Most carried vectors that one element may be a function of: r, d₁, d₂, d₃ of the nine nodes of a beam
/// element of order 8, or those of an interface of a flexible body with 32 shapes.
pub const MAX_CARRIED: usize = 40;
/// Most unknowns that one element may touch: those of nine frames.
pub const MAX_UNKNOWNS: usize = 54;
/// Most carried vectors that one constraint may be a function of, unless it is quadratic: discrete gradients
/// of others need room for all pairs.
pub const MAX_CONSTRAINED: usize = 16;
/// Most shapes of a flexible body: its interfaces are functions of them and of eight other vectors.
pub const MAX_SHAPES: usize = MAX_CARRIED - 8;
/// Most rows of one constraint.
pub const MAX_ROWS: usize = 6;
/// Most numbers that one constraint may remember.
pub const MAX_MEMORY: usize = 12;
/// Room for G_ka: all vectors in all rows.
const GRADIENTS: usize = MAX_CARRIED * MAX_ROWS;
/// Room for blocks: every pair of carried vectors, and those of the coordinates and speeds of an equation.
const BLOCKS: usize = MAX_CARRIED * MAX_CARRIED + 128;

/// One entry G_ka.
#[derive(Clone, Copy, Debug)]
pub struct Gradient {
    /// Constraint row k.
    pub row: usize,
    /// Carried vector a.
    pub carried: usize,
    /// The gradient.
    pub value: Vec3,
}

/// The gradients G_ka of one element.
#[derive(Clone, Debug)]
pub struct Gradients {
    entries: Vec<Gradient>,
}

impl Default for Gradients {
    fn default() -> Self {
        Gradients { entries: Vec::with_capacity(GRADIENTS) }
    }
}

impl Gradients {
    /// Empties the list.
    #[inline]
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Adds an entry.
    #[inline]
    pub fn push(&mut self, row: usize, carried: usize, value: Vec3) {
        self.entries.push(Gradient { row, carried, value });
    }

    /// The entries from the given one on, to be changed.
    #[inline]
    pub(crate) fn entries_mut(&mut self, from: usize) -> &mut [Gradient] {
        &mut self.entries[from..]
    }

    /// Forgets the entries from the given one on.
    #[inline]
    pub(crate) fn truncate(&mut self, from: usize) {
        self.entries.truncate(from);
    }

    /// Keeps of the entries from the given one on those that are wanted.
    pub(crate) fn retain_from(&mut self, from: usize, wanted: impl Fn(&Gradient) -> bool) {
        let mut kept = from;
        for k in from..self.entries.len() {
            if wanted(&self.entries[k]) {
                self.entries[kept] = self.entries[k];
                kept += 1;
            }
        }
        self.entries.truncate(kept);
    }

    /// The entries.
    #[inline]
    pub fn entries(&self) -> &[Gradient] {
        &self.entries
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
    entries: Vec<Block>,
}

impl Default for Blocks {
    fn default() -> Self {
        Blocks { entries: Vec::with_capacity(BLOCKS) }
    }
}

impl Blocks {
    /// Empties the list.
    #[inline]
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Adds ∂f_a/∂x_b.
    #[inline]
    pub fn push(&mut self, a: usize, b: usize, value: Mat3) {
        self.entries.push(Block { a, b, value });
    }

    /// Adds zeros for all pairs of n vectors, row by row, to be changed.
    pub(crate) fn push_table(&mut self, n: usize) -> &mut [Block] {
        let from = self.entries.len();
        self.entries.extend((0..n * n).map(|k| Block { a: k / n, b: k % n, value: Mat3::zeros() }));
        &mut self.entries[from..]
    }

    /// Adds the block s·I and its transpose partner (b, a).
    #[inline]
    pub fn push_pair(&mut self, a: usize, b: usize, s: f64) {
        let value = Mat3::identity() * s;
        self.push(a, b, value);
        self.push(b, a, value);
    }

    /// Adds the block left rightᵀ.
    #[inline]
    pub fn push_outer(&mut self, a: usize, b: usize, left: &Vec3, right: &Vec3) {
        self.push(a, b, left * right.transpose());
    }

    /// Adds the blocks left_a rightᵀ of column b, for the first vectors a.
    #[inline]
    pub(crate) fn push_column(&mut self, b: usize, left: &[Vec3], right: &Vec3) {
        let block = |(a, left): (usize, &Vec3)| Block { a, b, value: left * right.transpose() };
        self.entries.extend(left.iter().enumerate().map(block));
    }

    /// The blocks from the given one on, to be changed.
    #[inline]
    pub(crate) fn entries_mut(&mut self, from: usize) -> &mut [Block] {
        &mut self.entries[from..]
    }

    /// Puts in the place of each block from the given one on those that are made of it.
    pub(crate) fn replace(&mut self, from: usize, mut each: impl FnMut(&Block, &mut Blocks)) {
        let to = self.entries.len();
        for k in from..to {
            let block = self.entries[k];
            each(&block, self);
        }
        self.entries.drain(from..to);
    }

    /// The blocks.
    #[inline]
    pub fn entries(&self) -> &[Block] {
        &self.entries
    }
}
