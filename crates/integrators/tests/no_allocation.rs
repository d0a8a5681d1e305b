//! After the first steps a step allocates nothing: counted by a global allocator.

#![allow(unsafe_code)] // A global allocator cannot be had without.

mod common;

use common::{attach, consistent_start, law};
use poinsot_geometry::{Mat3, Mat6, Vec3};
use poinsot_integrators::{Form, Gs4, Member, Settings};
use poinsot_mechanics::forces::{Bushing, CoordinateForce};
use poinsot_mechanics::joints::{revolute, spherical};
use poinsot_mechanics::*;
use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::cell::Cell;

thread_local! {
    /// Allocations of this thread.
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    // A thread that is being torn down has no counter any more.
    let _ = COUNT.try_with(|c| c.set(c.get() + 1));
}

// SAFETY: everything is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { Heap.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { Heap.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { Heap.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { Heap.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Ten links on alternating spherical and revolute joints, with springs, torsion springs and a bushing.
fn chain() -> System {
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let (n, l) = (10, 0.3);
    let inertia = Mat3::from_diagonal(&Vec3::new(0.002, 0.01, 0.011));
    let mut previous = (GROUND, Vec3::zeros());
    for i in 0..n {
        let x = (f64::from(i) + 0.5) * l;
        let start = Frame { r: Vec3::new(x, 0.0, 0.0), rot: Mat3::identity() };
        let velocity = Twist { linear: Vec3::y() * x, angular: Vec3::z() };
        let node = b.node(&format!("link{i}"), Chart::Motion, start, velocity);
        b.body(Body::new(node, &MassProperties::new(0.5, Vec3::zeros(), inertia)));
        let first = attach(previous.0, previous.1, Mat3::identity());
        let second = attach(node, Vec3::new(-l / 2.0, 0.0, 0.0), Mat3::identity());
        let name = format!("joint{i}");
        if i % 3 == 1 {
            b.constraint(&name, Box::new(revolute(&first, &second)));
            let torsion = Coordinate::angle(&first, &second);
            b.force(&name, Box::new(element(torsion, 0.0)));
        } else {
            b.constraint(&name, Box::new(spherical(&first, &second)));
        }
        let ground = attach(GROUND, Vec3::new(x, 0.0, 1.0), Mat3::identity());
        b.force(&name, Box::new(element(Coordinate::distance(&ground, &second), 0.9)));
        previous = (node, Vec3::new(l / 2.0, 0.0, 0.0));
    }
    let wall = attach(GROUND, Vec3::new(3.0, 0.0, 0.0), Mat3::identity());
    let tip = attach(previous.0, previous.1, Mat3::identity());
    b.force("tip", Box::new(Bushing::new(&wall, &tip, Mat6::identity() * 3.0, Mat6::identity() * 0.1)));
    b.build()
}

fn element(coordinate: Coordinate, free: f64) -> CoordinateForce {
    CoordinateForce { coordinate, stiffness: 5.0, damping: 0.05, free, law: Some(law("0.1*sin(t) + s^3")) }
}

#[test]
fn steps_do_not_allocate() {
    let system = chain();
    let start = consistent_start(&system);
    for form in [Form::Stabilised, Form::Position] {
        let settings = Settings { member: Member::u0(0.8, 0.8, 0.8), form, ..Settings::default() };
        let h = 0.002;
        let mut gs4 = Gs4::new(&system, settings, start.clone(), h).unwrap();
        for _ in 0..3 {
            gs4.step(h).unwrap();
        }
        let factored = gs4.counters().factorisations;
        let before = COUNT.get();
        for _ in 0..200 {
            gs4.step(h).unwrap();
        }
        // A changed step needs a new matrix and shifts the stored acceleration.
        for k in 0..20 {
            gs4.step(if k % 2 == 0 { 0.5 * h } else { h }).unwrap();
        }
        let allocated = COUNT.get() - before;
        assert!(gs4.counters().factorisations > factored, "no factorisation was under test");
        assert_eq!(allocated, 0, "{form:?}: allocations in 220 steps");
    }
}
