//! The integrators a study may name.

/// An integrator's names and the parameter it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntegratorEntry {
    /// The name to use.
    pub name: &'static str,
    /// Other accepted spellings.
    pub aliases: &'static [&'static str],
    /// Range of the parameter `rho`; `None` if there is no parameter.
    pub rho: Option<(f64, f64)>,
    /// What it is.
    pub description: &'static str,
}

/// All integrators with a name.
pub const INTEGRATORS: &[IntegratorEntry] = &[
    IntegratorEntry {
        name: "generalized-alpha",
        aliases: &["generalised-alpha", "chung-hulbert"],
        rho: Some((0.0, 1.0)),
        description: "generalized-α of Chung and Hulbert, U0(rho, rho, rho): second order, \
                      dissipation set by rho, least dissipation of low frequencies",
    },
    IntegratorEntry {
        name: "hht",
        aliases: &["hht-alpha", "hilber-hughes-taylor"],
        rho: Some((0.5, 1.0)),
        description: "HHT-α of Hilber, Hughes and Taylor, 1/2 ≤ rho ≤ 1",
    },
    IntegratorEntry {
        name: "wbz",
        aliases: &["wbz-alpha", "wood-bossak-zienkiewicz"],
        rho: Some((0.0, 1.0)),
        description: "WBZ-α of Wood, Bossak and Zienkiewicz",
    },
    IntegratorEntry {
        name: "newmark",
        aliases: &["trapezoidal", "average-acceleration"],
        rho: None,
        description: "Newmark's average acceleration (trapezoidal rule): no dissipation",
    },
    IntegratorEntry {
        name: "midpoint",
        aliases: &["implicit-midpoint"],
        rho: None,
        description: "midpoint rule, end-point acceleration: no dissipation",
    },
    IntegratorEntry {
        name: "midpoint-mpa",
        aliases: &[],
        rho: None,
        description: "midpoint rule with midpoint acceleration: no dissipation",
    },
    IntegratorEntry {
        name: "optimal",
        aliases: &["u0v0-optimal"],
        rho: Some((0.0, 1.0)),
        description: "optimal member U0V0(rho): zero-order overshoot in displacement and velocity, \
                      dissipation set by rho",
    },
];

/// `rho` where a study gives none.
pub const DEFAULT_RHO: f64 = 0.8;

/// Every accepted spelling, names first.
pub fn spellings() -> impl Iterator<Item = &'static str> {
    let names = INTEGRATORS.iter().map(|entry| entry.name);
    let aliases = INTEGRATORS
        .iter()
        .flat_map(|entry| entry.aliases.iter().copied());
    names.chain(aliases)
}

/// The integrator of this name or alias.
pub fn find(name: &str) -> Option<&'static IntegratorEntry> {
    INTEGRATORS
        .iter()
        .find(|entry| entry.name == name || entry.aliases.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_unique_and_found() {
        let all: Vec<_> = spellings().collect();
        let mut unique = all.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), all.len());
        assert!(all.iter().all(|name| find(name).is_some()));
        assert!(find("euler").is_none());
    }
}
