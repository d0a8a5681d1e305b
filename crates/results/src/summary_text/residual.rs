//! Open constraints and singular positions in words, and how they are judged.

use super::{Mark, Report, or_limit, time};
use crate::number::short;
use crate::summary::residual::{ConstraintAudit, Residual, SingularityMet};

impl Residual {
    /// How the residual keeps its limit, if it has one.
    pub fn judgement(&self) -> Mark {
        match self.limit {
            None => Mark::None,
            Some(limit) if self.max <= limit => Mark::Holds,
            Some(limit) if self.max <= self.wrong_above.unwrap_or(limit) => Mark::Attention,
            Some(_) => Mark::Fails,
        }
    }

    /// Whether the residual is right or wrong, `None` if it has no limit or needs attention.
    pub fn holds(&self) -> Option<bool> {
        self.judgement().verdict()
    }
}

impl ConstraintAudit {
    /// Whether the residuals keep their limits, level by level.
    pub fn judged(&self) -> [Option<bool>; 3] {
        [self.position.holds(), self.velocity.holds(), self.acceleration.holds()]
    }
}

impl Report {
    /// How far constraints are open, level by level.
    pub fn constraints(&mut self, c: &ConstraintAudit) {
        let kinds = [
            ("constraints", "position    ", &c.position),
            ("", "velocity    ", &c.velocity),
            ("", "acceleration", &c.acceleration),
        ];
        let widest = kinds.iter().map(|(_, _, r)| r.joint.chars().count()).max();
        for (label, kind, residual) in kinds {
            let text = format!(
                "{kind}  {:>8}  {:width$}  t = {} s{}{}",
                short(residual.max, 3),
                residual.joint,
                time(residual.time),
                or_limit(residual.limit),
                if residual.remark.is_empty() { String::new() } else { format!("  ({})", residual.remark) },
                width = widest.unwrap_or(0)
            );
            self.line(residual.judgement(), label, &text);
        }
        let levels = [&c.position, &c.velocity, &c.acceleration];
        let good = |r: &&&Residual| matches!(r.judgement(), Mark::Holds | Mark::None);
        let worst = levels.iter().find(|r| !good(r)).unwrap_or(&levels[0]);
        self.at(worst.time);
    }

    /// How near the motion came to a singular position.
    pub fn singularity(&mut self, s: &SingularityMet) {
        let text = format!(
            "nearest at t = {} s, distance {} (0 is singular){}",
            time(s.time),
            short(s.distance, 3),
            or_limit(s.limit)
        );
        self.line(Mark::of(s.holds()), "singularity", &text);
        self.at(s.time);
        if !s.weakest_row.is_empty() {
            self.more(&format!("weakest row {}", s.weakest_row));
        }
    }
}
