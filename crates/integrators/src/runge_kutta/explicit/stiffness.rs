//! Whether stability and not accuracy limits the steps of an explicit method.
//!
//! Two stages at the end of the step show how strongly the rates f depend on the state,
//!
//! ```text
//! h|λ| ≈ h ‖f(y₁) − f(Y)‖ / ‖y₁ − Y‖
//! ```
//! Where this stays at the border of the stability region from step to step, the problem is stiff
//! (Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.2).

/// Number of steps beyond the border that make a problem stiff, and of steps inside that clear it.
const BEYOND: usize = 15;
const INSIDE: usize = 6;

/// Counts steps at the border of stability.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StiffnessWatch {
    beyond: usize,
    inside: usize,
    found: bool,
}

impl StiffnessWatch {
    /// Notes h|λ| of an accepted step; `border` is what the method bears on the negative real axis.
    pub fn note(&mut self, h_lambda: f64, border: f64) {
        if h_lambda > border {
            self.beyond += 1;
            self.inside = 0;
            self.found |= self.beyond == BEYOND;
        } else {
            self.inside += 1;
            if self.inside == INSIDE {
                self.beyond = 0;
            }
        }
    }

    /// Whether the problem has been found stiff.
    pub fn found(&self) -> bool {
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_steps_at_the_border_do_not_count() {
        let mut watch = StiffnessWatch::default();
        for _ in 0..100 {
            (0..14).for_each(|_| watch.note(3.4, 3.25));
            (0..6).for_each(|_| watch.note(3.0, 3.25));
        }
        assert!(!watch.found());
        (0..15).for_each(|_| watch.note(3.4, 3.25));
        assert!(watch.found());
    }
}
