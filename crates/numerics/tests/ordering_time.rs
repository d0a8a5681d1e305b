//! The time that an elimination order takes, in a program of its own: tests beside it would take the caches.

#[path = "suite/common/mod.rs"]
#[allow(dead_code, reason = "uses a part of them")]
mod common;

use common::{Mechanism, chain, ring, tree_with_loops};
use poinsot_numerics::ordering::Coupler;
use std::time::Instant;

/// A machine with other work on it gets so many chances of a quiet moment.
const ROUNDS: usize = 8;

/// Ten times the bodies may take at most twenty times as long. Other work on the machine can only add to a
/// time: the least of a few counts.
#[test]
fn ordering_is_nearly_linear() {
    let star = |bodies: usize| {
        let couplers = (1..bodies).map(|i| Coupler { nodes: vec![0, i], rows: 3 }).collect();
        Mechanism { size: 6, bodies, couplers }
    };
    type Family<'a> = (&'a str, &'a dyn Fn(usize) -> Mechanism);
    let families: [Family; 4] = [
        ("chain", &|n| chain(n, 6, 5)),
        ("ring", &|n| ring(n, 6, 3)),
        ("tree with loops", &|n| tree_with_loops(n, 6, 3, n / 10, 1)),
        ("star", &star),
    ];
    for (name, family) in families {
        let seconds = |bodies: usize| {
            let mechanism = family(bodies);
            let each = (0..20).map(|_| {
                let start = Instant::now();
                assert!(mechanism.order().n > 6 * bodies);
                start.elapsed().as_secs_f64()
            });
            each.fold(f64::INFINITY, f64::min)
        };
        let (mut few, mut many) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..ROUNDS {
            (few, many) = (few.min(seconds(2000)), many.min(seconds(20_000)));
            if many < 20.0 * few {
                break;
            }
        }
        assert!(many < 20.0 * few, "{name}: {few} s, {many} s");
    }
}
