//! What a law of the state costs beside a native spring, in nanoseconds: force and tangent of one element.
//!
//! `benches/instructions` counts the same in instructions, and what the element adds to the equations of a
//! system.

use poinsot_benches::laws::{Alone, ELEMENTS};
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 15;
const CALLS: usize = 100_000;

fn main() {
    let mut first = None;
    println!(
        "{:<20}{:>10}{:>8}{:>12}{:>8}{:>8}",
        "element", "force ns", "ratio", "tangent ns", "ratio", "both"
    );
    for (name, element) in ELEMENTS {
        let mut alone = Alone::new(element);
        let force = cost(|| _ = black_box(black_box(&mut alone).force()));
        let tangent = cost(|| _ = black_box(black_box(&mut alone).tangent()));
        let (f, t) = *first.get_or_insert((force, tangent));
        let both = (force + tangent) / (f + t);
        println!("{name:<20}{force:>10.1}{:>8.2}{tangent:>12.1}{:>8.2}{both:>8.2}", force / f, tangent / t);
    }
}

/// The least time of a call of several rounds (ns).
fn cost(mut call: impl FnMut()) -> f64 {
    let round = |_| {
        let clock = Instant::now();
        (0..CALLS).for_each(|_| call());
        clock.elapsed().as_secs_f64() * 1e9 / CALLS as f64
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}
