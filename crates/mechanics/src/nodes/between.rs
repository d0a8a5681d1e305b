//! Places between nodes: vectors that are fixed sums of vectors carried by nodes.
//!
//! ```text
//! x = Σ_a w_a x_a,     ẋ = Σ_a w_a ẋ_a
//! ```
//! The place r(s) = Σ_a S_a(s) e_a of a line by absolute nodal coordinates (floating-frame-and-ancf §1.21.1)
//! is such a vector, its slope r′(s) = Σ_a S_a′(s) e_a another, and so are points on the line of a beam whose
//! directors are interpolated. A force names one by a node number of its own, as if a node were there; the
//! system sees [`BetweenNodes`](crate::forces::BetweenNodes), a force on the vectors of the sum.

use super::carried::{Carried, NodeId};

/// Number of the first place between nodes; nodes have smaller ones.
const FIRST: NodeId = NodeId::MAX / 2;

/// The terms of a sum: places of vectors among those of an element, and their weights.
pub(crate) type Terms = Vec<(usize, f64)>;

/// Places between nodes.
#[derive(Debug, Default)]
pub(crate) struct Between {
    sums: Vec<Vec<(Carried, f64)>>,
}

impl Between {
    /// Adds a place; returns its number.
    pub fn add(&mut self, sum: Vec<(Carried, f64)>) -> NodeId {
        self.sums.push(sum);
        FIRST + self.sums.len() - 1
    }

    /// The sum that a vector is; none if a node carries it.
    pub fn sum(&self, of: &Carried) -> Option<&[(Carried, f64)]> {
        self.sums.get(of.node.checked_sub(FIRST)?).map(Vec::as_slice)
    }

    /// The vectors of nodes that these are made of: each one of a node stays where it is, a sum gives way to
    /// its first term, and the other terms follow behind all others. With each of the given ones the places
    /// of its terms and their weights; none if nodes carry all of them.
    pub fn resolve(&self, carried: &[Carried]) -> Option<(Vec<Carried>, Vec<Terms>)> {
        carried.iter().find_map(|c| self.sum(c))?;
        let (mut vectors, mut terms) = (carried.to_vec(), vec![]);
        for (place, own) in carried.iter().enumerate() {
            let Some([first, others @ ..]) = self.sum(own) else {
                terms.push(vec![(place, 1.0)]);
                continue;
            };
            vectors[place] = first.0;
            let mut sum = vec![(place, first.1)];
            for (vector, weight) in others {
                sum.push((vectors.len(), *weight));
                vectors.push(*vector);
            }
            terms.push(sum);
        }
        Some((vectors, terms))
    }
}
