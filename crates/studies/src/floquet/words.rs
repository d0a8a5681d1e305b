//! The summary of a floquet study in words.

use super::summary::{FloquetBranchEntry, FloquetRange, FloquetSummary};
use poinsot_results::number::{duration, short};
use poinsot_results::summary_text::{
    Mark, Report,
    Side::{Left, Right},
    number_of, times,
};
use poinsot_results::{Common, StudySummary};

/// Most modes in the table.
const SHOWN: usize = 20;

impl StudySummary for FloquetSummary {
    const ANALYSIS: &'static str = "floquet";

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
        let [low, high] = self.range.map(|v| short(v, 6));
        let reached = format!("multipliers of periodic motions, {} = {low} … {high}", self.parameter);
        let mut report =
            Report::open(&self.common, &times(&reached, &duration(self.wall_time_s), self.set_up_time_s));
        report.line(Mark::None, "method", &self.method_words());
        report.system(&self.common);
        report.start(&self.common);
        self.say_accuracy(&mut report);
        self.say_branches(&mut report);
        self.say_blades(&mut report);
        self.say_stability(&mut report);
        report.list(Mark::Attention, "warnings", &self.warnings);
        report.close(&self.common)
    }
}

impl FloquetSummary {
    fn method_words(&self) -> String {
        let values = number_of(self.values, "value", "values");
        let inserted = match self.inserted {
            0 => String::new(),
            n => format!(", {n} of them put in where modes change quickly or meet"),
        };
        let elements = match self.elements {
            [a, b] if a == b => format!("{a} elements"),
            [a, b] => format!("{a} to {b} elements"),
        };
        format!(
            "{}, {elements}; {} at {values}{inserted}, {} in all",
            self.scheme,
            self.method,
            number_of(self.evaluations, "motion", "motions")
        )
    }

    fn say_accuracy(&self, report: &mut Report) {
        let mut words = format!("the largest multipliers are known to {}", short(self.error, 1));
        if let Some(gauge) = self.gauge {
            words += &format!("; those of the motions themselves are 1 but for {}", short(gauge, 2));
        }
        report.line(Mark::None, "accuracy", &words);
        report.meaning("Differences of the multipliers between two meshes of the period.");
    }

    fn say_branches(&self, report: &mut Report) {
        let [low, high] = self.range.map(|v| format!("{} {}", self.parameter, short(v, 4)));
        let headings = [
            ("mode", Right),
            (&*format!("Hz at {low}"), Right),
            (&*format!("at {high}"), Right),
            ("growth 1/s", Right),
            ("at the end", Right),
            ("largest", Right),
            ("moving most", Left),
        ];
        let row = |b: &FloquetBranchEntry| {
            let shares =
                b.moving_most.iter().take(2).map(|(name, share)| format!("{name} {:.0}%", 100.0 * share));
            vec![
                b.number.to_string(),
                short(b.frequency_hz[0], 5),
                short(b.frequency_hz[1], 5),
                rate(b.growth[0]),
                rate(b.growth[1]),
                rate(b.largest_growth),
                shares.collect::<Vec<_>>().join(", "),
            ]
        };
        let rows: Vec<Vec<String>> = self.branches.iter().take(SHOWN).map(row).collect();
        if !rows.is_empty() {
            report.table("modes", &headings, &rows);
        }
        if self.branches.len() > SHOWN {
            report.more(&format!("and {} more", self.branches.len() - SHOWN));
        }
    }

    fn say_blades(&self, report: &mut Report) {
        let Some(blades) = &self.multi_blade else { return };
        if blades.constant > 0 {
            let text = format!(
                "in multi-blade coordinates the equations are constant but for {} of them at {}; their exponents \
                 give the multipliers but for {}",
                short(blades.variation, 1),
                number_of(blades.constant, "motion", "motions"),
                short(blades.difference, 1)
            );
            if blades.unexplained > 0.0 {
                let text =
                    format!("{text}, {} more than is left open of these", short(blades.unexplained, 1));
                report.line(Mark::Attention, "blades", &text);
            } else {
                report.line(Mark::Holds, "blades", &text);
            }
        }
        if let Some(reason) = &blades.reason {
            let many = number_of(blades.not_at, "motion", "motions");
            let text = format!("multi-blade coordinates do not apply at {many}; {reason}");
            report.line(Mark::Attention, "blades", &text);
        }
    }

    fn say_stability(&self, report: &mut Report) {
        let [dying, _, open] = self.verdicts;
        let of =
            if self.largest_only { "of the largest multipliers, which alone were computed, " } else { "" };
        if self.instabilities.is_empty() {
            return match open {
                0 => {
                    let text = format!(
                        "{of}all lie inside the unit circle at every value of {} that was looked at",
                        self.parameter
                    );
                    report.line(Mark::Holds, "stability", &text);
                }
                _ => {
                    let text = format!(
                        "{of}none lies outside the unit circle at any value of {} that was looked at; at {} \
                         some lie on it as far as is known",
                        self.parameter,
                        number_of(open, "value", "values")
                    );
                    report.line(Mark::None, "stability", &text);
                }
            };
        }
        let words = |range: &FloquetRange| {
            let from = range.from.map_or("the start".into(), |v| short(v, 8));
            let to = range.to.map_or("the end".into(), |v| short(v, 8));
            let how = match range.kind.as_str() {
                "doubling" => "to and fro from period to period",
                "pair" => "with a frequency of its own",
                _ => "to one side, or with the period of the motion",
            };
            format!(
                "{} = {from} to {to}: most at {}, |λ| = {}, growth {} 1/s at {} Hz, {how}",
                self.parameter,
                short(range.peak, 6),
                short(range.magnitude, 6),
                short(range.growth, 4),
                short(range.frequency_hz, 5),
            )
        };
        let list: Vec<String> = self.instabilities.iter().map(words).collect();
        report.list(Mark::Attention, "unstable", &list);
        report.meaning("Ranges of the parameter in which small deviations from the motion grow.");
        let text = format!(
            "at {} deviations die away, at {} some neither grow nor die away as far as is known",
            number_of(dying, "value", "values"),
            number_of(open, "value", "values")
        );
        report.line(Mark::None, "elsewhere", &text);
    }
}

/// A growth rate; what is rounding is nothing.
fn rate(growth: f64) -> String {
    short(if growth.abs() < 1e-10 { 0.0 } else { growth }, 4)
}
