//! Makes a mechanism that shows something smaller.

use crate::mechanism::Mechanism;

/// Leaves out piece after piece as long as the rest still shows it.
pub fn shrink(mechanism: Mechanism, shows: impl Fn(&Mechanism) -> bool) -> Mechanism {
    let mut small = mechanism;
    loop {
        let names: Vec<String> = small.pieces.iter().map(|piece| piece.name.clone()).collect();
        let smaller = names.iter().filter_map(|name| small.without(name)).find(&shows);
        match smaller {
            Some(smaller) => small = smaller,
            None => return small,
        }
    }
}
