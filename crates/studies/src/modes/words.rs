//! The summary of the modes in words, with a table of them.

use super::summary::{EigenMethod, Mode, ModesSummary, Participation};
use poinsot_results::number::{duration, short};
use poinsot_results::summary_text::{
    Mark, Report,
    Side::{Left, Right},
    number_of, time, times,
};
use poinsot_results::{Common, ModeKind, StudySummary};

/// Most modes in the table.
const MODES: usize = 20;

/// Most bodies named in a line of the table.
const BODIES: usize = 2;

impl StudySummary for ModesSummary {
    const ANALYSIS: &'static str = "modes";

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
        let found = number_of(self.modes.len() as u64, "mode", "modes");
        let reached = format!("{found} about the {} at t = {} s", self.about, time(self.time));
        let took = duration(self.wall_time_s);
        let mut report = Report::open(&self.common, &times(&reached, &took, self.set_up_time_s));
        report.line(Mark::None, "method", &self.method_words());
        report.system(&self.common);
        report.start(&self.common);
        report.stability(self.stability.as_ref());
        self.say_modes(&mut report);
        report.list(Mark::Attention, "warnings", &self.warnings);
        report.close(&self.common)
    }
}

impl ModesSummary {
    fn method_words(&self) -> String {
        let method = match self.method {
            EigenMethod::Dense => "dense".to_owned(),
            EigenMethod::ShiftInvert => {
                let applied = number_of(self.operator_applications, "application", "applications");
                format!("shift-invert, {applied} of the operator")
            }
        };
        match self.observer.as_str() {
            "" => method,
            frame => format!("{method}, seen from {frame}"),
        }
    }

    fn say_modes(&self, report: &mut Report) {
        if self.modes.is_empty() {
            return;
        }
        let headings = [
            ("mode", Right),
            ("Hz", Right),
            ("rad/s", Right),
            ("damping", Right),
            ("decay 1/s", Right),
            ("kind", Left),
            ("moving most", Left),
        ];
        let rows: Vec<Vec<String>> = self.modes.iter().take(MODES).map(row).collect();
        report.table("modes", &headings, &rows);
        if self.modes.len() > MODES {
            report.more(&format!("and {} more", self.modes.len() - MODES));
        }
    }
}

fn row(mode: &Mode) -> Vec<String> {
    let swings = mode.kind == ModeKind::Oscillation;
    let if_swinging = |value: f64| if swings { short(value, 5) } else { "–".into() };
    vec![
        mode.number.to_string(),
        if_swinging(mode.frequency_hz),
        if_swinging(mode.circular_frequency),
        if swings { short(mode.damping_ratio, 3) } else { "–".into() },
        short(mode.decay, 3),
        mode.kind.words().to_owned(),
        moving_most(&mode.participation),
    ]
}

fn moving_most(bodies: &[Participation]) -> String {
    let shares = bodies.iter().take(BODIES).map(|p| format!("{} {:.0}%", p.body, 100.0 * p.share));
    shares.collect::<Vec<_>>().join(", ")
}
