//! How free and how overdetermined a system of joints is.

use serde::{Deserialize, Serialize};

/// Mobility, redundant rows, and the distance to a singular
/// position.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RedundancyReport {
    /// Velocity coordinates.
    pub coordinates: u64,
    /// Scalar constraint equations.
    pub rows: u64,
    /// Rank of the constraint matrix.
    pub rank: u64,
    /// Degrees of freedom: coordinates − rank.
    pub mobility: u64,
    /// Degrees of freedom by counting, where the count applies.
    pub gruebler: Option<GrueblerCount>,
    /// Rows that say nothing new.
    pub redundant: Vec<RedundantRow>,
    /// How far the nearest singular position is; `None` without constraints.
    pub singularity: Option<SingularityDistance>,
}

impl RedundancyReport {
    /// True if the system moves more freely than the count of Grübler and
    /// Kutzbach says: its joints stand in a special arrangement.
    pub fn overconstrained(&self) -> bool {
        self.gruebler.as_ref().is_some_and(|g| i128::from(g.mobility) < i128::from(self.mobility))
    }
}

/// Mobility by the count of Grübler and Kutzbach.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GrueblerCount {
    /// Freedoms λ of a free body: 6 in space, 3 in a plane.
    pub lambda: u64,
    /// Moving bodies n.
    pub bodies: u64,
    /// Freedoms taken by the joints, Σ(λ − fᵢ).
    pub taken: u64,
    /// F = λ·n − Σ(λ − fᵢ); negative if more is taken than there is.
    pub mobility: i64,
}

impl GrueblerCount {
    /// Counts F = λ·n − Σ(λ − fᵢ).
    pub fn of(lambda: u64, bodies: u64, taken: u64) -> GrueblerCount {
        let free = i128::from(lambda) * i128::from(bodies) - i128::from(taken);
        let mobility = free.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        GrueblerCount { lambda, bodies, taken, mobility }
    }
}

/// A row that follows from others.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RedundantRow {
    /// The row.
    pub row: String,
    /// The joints whose rows it follows from.
    pub depends_on: Vec<String>,
}

/// How far the nearest singular position is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SingularityDistance {
    /// Smallest singular value of the rows in force, each made of size one: 0 at a singular position, 1 where
    /// no row weakens another.
    pub relative: f64,
    /// The row that counts least.
    pub weakest_row: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_planar_four_bar_counts_one_in_the_plane_and_minus_two_in_space() {
        // Three moving links, four hinges.
        assert_eq!(GrueblerCount::of(3, 3, 4 * 2).mobility, 1);
        let space = GrueblerCount::of(6, 3, 4 * 5);
        assert_eq!(space.mobility, -2);
        let report = RedundancyReport { mobility: 1, gruebler: Some(space), ..Default::default() };
        assert!(report.overconstrained());
    }
}
