//! Mobility and redundancy in words.

use super::{LIST, Mark, Report, number_of, some_of};
use crate::number::short;
use crate::summary::redundancy::{GrueblerCount, RedundancyReport, RedundantRow};

impl Report {
    /// How free the system is, and what is said twice.
    pub fn redundancy(&mut self, r: &RedundancyReport) {
        self.line(Mark::None, "mobility", &mobility(r));
        if let Some(count) = &r.gruebler {
            self.more(&counted(count));
        }
        let redundant: Vec<String> = r.redundant.iter().map(redundant).collect();
        self.list(Mark::Attention, "redundant", &redundant);
        if let Some(s) = &r.singularity {
            let text = format!(
                "distance {} (0 is singular, 1 the farthest), weakest row {}",
                short(s.relative, 3),
                s.weakest_row
            );
            self.line(Mark::None, "singularity", &text);
        }
    }
}

fn mobility(r: &RedundancyReport) -> String {
    format!(
        "{}: {} less rank {} of {}",
        number_of(r.mobility, "degree of freedom", "degrees of freedom"),
        number_of(r.coordinates, "coordinate", "coordinates"),
        r.rank,
        number_of(r.rows, "constraint", "constraints")
    )
}

fn counted(count: &GrueblerCount) -> String {
    format!(
        "{} by Grübler–Kutzbach: {}·{} − {} (λ = {})",
        count.mobility, count.lambda, count.bodies, count.taken, count.lambda
    )
}

fn redundant(row: &RedundantRow) -> String {
    match row.depends_on.len() {
        0 => row.row.clone(),
        _ => format!("{}, follows from {}", row.row, some_of(&row.depends_on, LIST)),
    }
}
