//! Where a constraint travels: along something of many nodes, of which it touches a few at a time.
//!
//! A joint that slides along a line of n elements is a function of all their nodes, but at any place of those
//! of one element alone. Its vectors are listed stretch by stretch; the number that says where it is, one of
//! its own unknowns, chooses among them. The pattern of the system has room for all stretches, so that going
//! from one to the next changes nothing but the slots that are written.

use crate::nodes::carried::{Carried, NodeId};
use crate::nodes::chart::Frame;

/// The stretches along which a constraint travels.
#[derive(Clone, Debug)]
pub struct Itinerary {
    place: NodeId,
    bounds: Vec<f64>,
    stretches: Vec<Vec<Carried>>,
}

impl Itinerary {
    /// Of stretches between ascending bounds, one more than stretches; the number of node `place` says where
    /// it is.
    ///
    /// # Panics
    /// If there is no stretch, or the bounds do not fit.
    pub fn new(place: NodeId, bounds: Vec<f64>, stretches: Vec<Vec<Carried>>) -> Self {
        assert!(!stretches.is_empty() && bounds.len() == stretches.len() + 1, "a bound at each end");
        assert!(bounds.windows(2).all(|pair| pair[0] < pair[1]), "bounds that ascend");
        Itinerary { place, bounds, stretches }
    }

    /// The stretch at a place: the one that ends there at a bound, the first and the last beyond the ends.
    #[inline]
    pub fn stretch(&self, s: f64) -> usize {
        let inner = &self.bounds[1..self.bounds.len() - 1];
        inner.partition_point(|bound| *bound < s)
    }

    /// The stretch at which things stand so.
    #[inline]
    pub(crate) fn stretch_at(&self, frames: &[Frame]) -> usize {
        self.stretch(self.place_in(frames))
    }

    /// Where it is as things stand.
    #[inline]
    pub fn place_in(&self, frames: &[Frame]) -> f64 {
        frames[self.place].r.x
    }

    /// First and last place of a stretch.
    pub fn ends(&self, stretch: usize) -> [f64; 2] {
        [self.bounds[stretch], self.bounds[stretch + 1]]
    }

    /// Where one stretch passes into the next.
    pub fn borders(&self) -> &[f64] {
        &self.bounds[1..self.bounds.len() - 1]
    }

    /// First and last place of all.
    pub fn range(&self) -> [f64; 2] {
        [self.bounds[0], self.bounds[self.bounds.len() - 1]]
    }

    /// The vectors of each stretch.
    pub fn stretches(&self) -> &[Vec<Carried>] {
        &self.stretches
    }

    /// The vectors of all stretches, each once.
    pub fn all(&self) -> Vec<Carried> {
        let mut all: Vec<Carried> = vec![];
        for carried in self.stretches.iter().flatten() {
            // The same vectors stand in neighbouring stretches alone, but for those of the slider.
            if !all.iter().rev().take(16).chain(all.iter().take(8)).any(|known| known == carried) {
                all.push(*carried);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use poinsot_geometry::Vec3;

    #[test]
    fn stretches_follow_each_other() {
        let vector = |node| Carried::point(node, Vec3::zeros());
        let stretches = (0..3).map(|k| vec![vector(9), vector(k), vector(k + 1)]).collect();
        let way = Itinerary::new(9, vec![0.0, 1.0, 1.5, 4.0], stretches);
        let at = [-2.0, 0.0, 0.5, 1.0, 1.1, 1.5, 2.0, 4.0, 7.0].map(|s| way.stretch(s));
        assert_eq!(at, [0, 0, 0, 0, 1, 1, 2, 2, 2]);
        assert_eq!((way.ends(1), way.borders(), way.range()), ([1.0, 1.5], &[1.0, 1.5][..], [0.0, 4.0]));
        assert_eq!(way.all(), [9, 0, 1, 2, 3].map(vector));
    }
}
