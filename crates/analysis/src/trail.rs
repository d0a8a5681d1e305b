//! Where a motion has been: its states at some of the samples, to compare two runs of one motion.

use poinsot_mechanics::{Instant, State};

/// Most states that are kept: of more samples every second is forgotten, then every fourth, and so on.
const MOST: usize = 400;

/// Times that differ by less than this part of the span are the same.
const SAME_TIME: f64 = 1e-9;

/// States at samples that are about equally far apart, and the last one.
#[derive(Clone, Debug)]
pub struct Trail {
    kept: Vec<State>,
    last: Option<State>,
    /// Every so many samples are kept, of so many seen.
    stride: usize,
    seen: usize,
}

impl Default for Trail {
    fn default() -> Self {
        Trail { kept: vec![], last: None, stride: 1, seen: 0 }
    }
}

impl Trail {
    /// Takes note of a sample. One at the time of the last replaces it: after an event the state behind it
    /// counts.
    pub fn note(&mut self, at: &Instant) {
        let state =
            State { t: at.t, frames: at.frames.to_vec(), v: at.v.to_vec(), memory: vec![], rates: vec![] };
        let again = self.last.as_ref().is_some_and(|last| last.t == at.t);
        if again && self.kept.last().is_some_and(|kept| kept.t == at.t) {
            self.kept.pop();
            self.kept.push(state.clone());
        } else if !again {
            if self.seen.is_multiple_of(self.stride) {
                self.kept.push(state.clone());
            }
            self.seen += 1;
            if self.kept.len() == MOST {
                let mut even = false;
                self.kept.retain(|_| {
                    even = !even;
                    even
                });
                self.stride *= 2;
            }
        }
        self.last = Some(state);
    }

    /// The times of the states (s).
    pub fn times(&self) -> Vec<f64> {
        self.states().map(|state| state.t).collect()
    }

    fn states(&self) -> impl Iterator<Item = &State> {
        let kept = self.kept.last().map(|state| state.t);
        self.kept.iter().chain(self.last.iter().filter(move |last| Some(last.t) != kept))
    }

    /// States of two trails at the times that both have, and last where each ends.
    pub(crate) fn pairs<'a>(&'a self, other: &'a Trail) -> Vec<(&'a State, &'a State)> {
        let theirs: Vec<&State> = other.states().collect();
        let span = self.last.as_ref().map_or(0.0, |last| last.t) - self.kept.first().map_or(0.0, |s| s.t);
        let tiny = SAME_TIME * span;
        let partner = |state: &'a State| {
            let next = theirs.partition_point(|other| other.t < state.t - tiny);
            let found = theirs[next..].iter().take_while(|other| other.t <= state.t + tiny).last();
            found.map(|other| (state, *other))
        };
        let ends = self.last.as_ref().zip(other.last.as_ref());
        self.states().filter_map(partner).chain(ends).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trail(times: impl Iterator<Item = f64>) -> Trail {
        let mut trail = Trail::default();
        for t in times {
            let v = [t];
            trail.note(&Instant { t, frames: &[], v: &v, a: &v, memory: &[], rates: &[] });
        }
        trail
    }

    #[test]
    fn long_trails_stay_short_and_keep_their_ends() {
        let long = trail((0..=5000).map(f64::from));
        let times = long.times();
        assert!(times.len() > MOST / 3 && times.len() <= MOST, "{}", times.len());
        assert_eq!((times[0], times[times.len() - 1]), (0.0, 5000.0));
        assert!(times.windows(3).all(|w| w[2] - w[1] <= w[1] - w[0]), "{times:?}");
    }

    #[test]
    fn pairs_have_one_time_and_the_ends_belong_together() {
        let (a, b) = (trail([0.0, 0.5, 1.0].into_iter()), trail([0.0, 0.25, 0.5, 0.5, 0.9].into_iter()));
        let times: Vec<_> = a.pairs(&b).iter().map(|(a, b)| (a.t, b.t)).collect();
        assert_eq!(times, [(0.0, 0.0), (0.5, 0.5), (1.0, 0.9)]);
    }
}
