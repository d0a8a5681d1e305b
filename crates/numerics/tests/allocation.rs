//! Factoring and solving do not allocate.
#![allow(unsafe_code, reason = "a global allocator cannot be had without")]

#[path = "suite/common/mod.rs"]
#[allow(dead_code, reason = "uses a part of them")]
mod common;

use poinsot_numerics::{ComplexLu, SparseLu};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn factor_solve_and_refine_do_not_allocate() {
    let kkt = common::tree_with_loops(50, 6, 3, 10, 1).kkt(1);
    let mut lu = SparseLu::new(&kkt.pattern);
    let mut complex = ComplexLu::new(&kkt.pattern);
    let b = vec![1.0; lu.n()];
    let (mut x, mut y) = (b.clone(), b.clone());
    let before = COUNT.get();
    let result = lu.factor(&kkt.values);
    lu.solve(&mut x);
    lu.solve2(&mut x, &mut y);
    lu.refine(&kkt.values, &kkt.pattern, &b, &mut y);
    let complex_result = complex.factor(&kkt.values, &kkt.values);
    complex.solve(&mut x, &mut y);
    let after = COUNT.get();
    assert_eq!(result, Ok(()));
    assert_eq!(complex_result, Ok(()));
    assert_eq!(after - before, 0);
}
