//! Room to work in: on the stack for a few, of the thread for many, so that a step does not allocate and only
//! what is used is set to zero.

use poinsot_geometry::Vec3;
use std::cell::Cell;
use std::thread::LocalKey;

/// What there is room for.
trait Kept: Copy + 'static {
    /// Nothing.
    const ZERO: Self;

    /// The room that a thread keeps.
    fn kept() -> &'static LocalKey<Cell<Vec<Self>>>;
}

thread_local! {
    static NUMBERS: Cell<Vec<f64>> = const { Cell::new(Vec::new()) };
    static VECTORS: Cell<Vec<Vec3>> = const { Cell::new(Vec::new()) };
}

impl Kept for f64 {
    const ZERO: Self = 0.0;

    fn kept() -> &'static LocalKey<Cell<Vec<Self>>> {
        &NUMBERS
    }
}

impl Kept for Vec3 {
    const ZERO: Self = Vec3::new(0.0, 0.0, 0.0);

    fn kept() -> &'static LocalKey<Cell<Vec<Self>>> {
        &VECTORS
    }
}

/// Does some work with room for `n` numbers, all of them zero.
#[inline]
pub(crate) fn with_numbers<R>(n: usize, work: impl FnOnce(&mut [f64]) -> R) -> R {
    with_room::<16, f64, R>(n, work)
}

/// Does some work with room for `n` vectors, all of them zero.
#[inline]
pub(crate) fn with_vectors<R>(n: usize, work: impl FnOnce(&mut [Vec3]) -> R) -> R {
    with_room::<8, Vec3, R>(n, work)
}

#[inline]
fn with_room<const FEW: usize, T: Kept, R>(n: usize, work: impl FnOnce(&mut [T]) -> R) -> R {
    if n <= FEW { work(&mut [T::ZERO; FEW][..n]) } else { with_much(n, work) }
}

#[inline(never)]
fn with_much<T: Kept, R>(n: usize, work: impl FnOnce(&mut [T]) -> R) -> R {
    let mut room = T::kept().take();
    room.clear();
    room.resize(n, T::ZERO);
    let result = work(&mut room);
    T::kept().set(room);
    result
}
