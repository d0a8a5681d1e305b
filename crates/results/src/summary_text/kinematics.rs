//! The summary of a kinematic motion in words.

use super::motion::say_constraints;
use super::{Mark, Report, Tell, number_of, or_limit, progress, time, times};
use crate::number::{duration, short};
use crate::summary::kinematics::{KinematicsSummary, SingularityMet};
use crate::summary::motion::ConstraintAudit;

impl Tell for KinematicsSummary {
    fn tell(&self) -> Report {
        let reached = progress(&self.common, self.t_start, self.t_reached, self.t_end);
        let took = duration(self.wall_time_s);
        let mut report = Report::open(&self.common, &times(&reached, &took, self.set_up_time_s));
        report.system(&self.common);
        self.say_drives(&mut report);
        self.say_work(&mut report);
        report.start(&self.common);
        self.nearest_singularity.iter().for_each(|s| say_singularity(s, &mut report));
        self.residuals.iter().for_each(|r| say_constraints(r, &mut report));
        report.list(Mark::Attention, "warnings", &self.warnings);
        report.close(&self.common)
    }

    fn judged(&self) -> Vec<Option<bool>> {
        let singularity = self.nearest_singularity.iter().map(SingularityMet::holds);
        singularity.chain(self.residuals.iter().flat_map(ConstraintAudit::judged)).collect()
    }
}

impl KinematicsSummary {
    fn say_drives(&self, report: &mut Report) {
        let driven = number_of(self.driven_rows, "driven row", "driven rows");
        let free = number_of(self.mobility, "degree of freedom", "degrees of freedom");
        let mark = if self.driven_rows == self.mobility { Mark::Holds } else { Mark::Attention };
        report.line(mark, "drives", &format!("{driven} for {free}"));
    }

    fn say_work(&self, report: &mut Report) {
        let mean = self.iterations as f64 / self.steps.max(1) as f64;
        let steps = number_of(self.steps, "position", "positions");
        let text = format!("{steps}, {} iterations each (at most {})", short(mean, 3), self.max_iterations);
        report.line(Mark::None, "work", &text);
    }
}

pub(super) fn say_singularity(s: &SingularityMet, report: &mut Report) {
    let text = format!(
        "nearest at t = {} s, distance {} (0 is singular){}",
        time(s.time),
        short(s.distance, 3),
        or_limit(s.limit)
    );
    report.line(Mark::of(s.holds()), "singularity", &text);
    report.at(s.time);
    if !s.weakest_row.is_empty() {
        report.more(&format!("weakest row {}", s.weakest_row));
    }
}
