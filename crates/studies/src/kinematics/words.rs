//! The summary of a kinematic motion in words.

use super::summary::KinematicsSummary;
use poinsot_results::number::{duration, short};
use poinsot_results::summary_text::{Mark, Report, number_of, progress, times};
use poinsot_results::{Common, ConstraintAudit, SingularityMet, StudySummary};
impl StudySummary for KinematicsSummary {
    const ANALYSIS: &'static str = "kinematics";

    fn common(&self) -> &Common {
        &self.common
    }

    fn common_mut(&mut self) -> &mut Common {
        &mut self.common
    }

    fn warnings_mut(&mut self) -> &mut Vec<String> {
        &mut self.warnings
    }

    fn tell(&self) -> Report {
        let reached = progress(&self.common, self.t_start, self.t_reached, self.t_end);
        let took = duration(self.wall_time_s);
        let mut report = Report::open(&self.common, &times(&reached, &took, self.set_up_time_s));
        report.system(&self.common);
        self.say_drives(&mut report);
        self.say_work(&mut report);
        report.start(&self.common);
        self.nearest_singularity.iter().for_each(|s| report.singularity(s));
        self.residuals.iter().for_each(|r| report.constraints(r));
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
        report.meaning("Whether the drives determine the motion.");
    }

    fn say_work(&self, report: &mut Report) {
        let mean = self.iterations as f64 / self.steps.max(1) as f64;
        let steps = number_of(self.steps, "position", "positions");
        let text = format!("{steps}, {} iterations each (at most {})", short(mean, 3), self.max_iterations);
        report.line(Mark::None, "work", &text);
    }
}
