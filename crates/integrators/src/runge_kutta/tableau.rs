//! Coefficients of Runge–Kutta methods (lagrangian-dae-modeling §1.20 … §1.22).
//!
//! ```text
//! Y_i = y_n + h Σ_j a_ij f(Y_j, t_n + c_j h),     y_{n+1} = y_n + h Σ_i b_i f(Y_i, t_n + c_i h)
//! ```
//! Explicit methods are written down; the implicit ones are collocation, so that the nodes c say everything:
//!
//! ```text
//! a_ij = ∫₀^{c_i} ℓ_j(x) dx,     b_j = ∫₀¹ ℓ_j(x) dx,     ℓ_j(x) = Π_{k≠j} (x − c_k)/(c_j − c_k)
//! ```
//! That the stated orders are true is checked in the tests by [`crate::runge_kutta::rooted_trees`].

use crate::linear::elimination;
use crate::runge_kutta::implicit::nodes;
use poinsot_geometry::interpolation::Quadrature;
use poinsot_numerics::dense::c64;

/// Most stages of a collocation method. What decoupling the stages costs grows with them: ‖T‖‖T⁻¹‖ of Radau
/// IIA is 10 for three stages, 2·10³ for seven and 4·10⁴ for nine.
pub const MAX_STAGES: usize = 9;

/// A collocation method that is not offered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{family} has {least} to {MAX_STAGES} stages, not {stages}")]
pub struct StagesError {
    /// Family of the method.
    pub family: &'static str,
    /// Fewest stages of the family.
    pub least: usize,
    /// Stages asked for.
    pub stages: usize,
}

/// Second weights of a method, whose solution of another order shows the error.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded {
    /// Weights b̂.
    pub b: Vec<f64>,
    /// Order of ŷ = y_n + h Σ b̂_i k_i.
    pub order: usize,
}

/// A Runge–Kutta method.
#[derive(Clone, Debug, PartialEq)]
pub struct Tableau {
    /// Name, as in a model file.
    pub name: String,
    /// Nodes c.
    pub c: Vec<f64>,
    /// Stage matrix A, row by row.
    pub a: Vec<f64>,
    /// Weights b.
    pub b: Vec<f64>,
    /// Embedded method, if it needs nothing but the stages.
    pub embedded: Option<Embedded>,
    /// Order of y.
    pub order: usize,
}

impl Tableau {
    /// The method of this name, one of [`TABLEAUS`].
    pub fn named(name: &str) -> Option<Self> {
        let found = TABLEAUS.iter().find(|entry| entry.name == name || entry.aliases.contains(&name));
        found.map(NamedTableau::tableau)
    }

    /// Radau IIA: collocation at the right Radau nodes, order 2s − 1, L-stable. One stage is the implicit
    /// Euler method.
    pub fn radau_iia(stages: usize) -> Result<Self, StagesError> {
        check_stages("Radau IIA", 1, stages)?;
        Ok(collocation(format!("radau-iia-{stages}"), nodes::radau_right(stages), 2 * stages - 1))
    }

    /// Gauss: collocation at the Gauss nodes, order 2s, A-stable, symmetric and symplectic. One stage is the
    /// implicit midpoint rule.
    pub fn gauss(stages: usize) -> Result<Self, StagesError> {
        check_stages("Gauss", 1, stages)?;
        Ok(collocation(format!("gauss-{stages}"), nodes::gauss(stages), 2 * stages))
    }

    /// Lobatto IIIA: collocation at the Lobatto nodes, order 2s − 2, A-stable and symmetric; the first stage
    /// is explicit, the last is the result. Two stages are the trapezoidal rule.
    pub fn lobatto_iiia(stages: usize) -> Result<Self, StagesError> {
        check_stages("Lobatto IIIA", 2, stages)?;
        Ok(collocation(format!("lobatto-iiia-{stages}"), nodes::lobatto(stages), 2 * stages - 2))
    }

    /// Number of stages s.
    pub fn stages(&self) -> usize {
        self.b.len()
    }

    /// Row i of A.
    pub fn row(&self, i: usize) -> &[f64] {
        let s = self.stages();
        &self.a[i * s..(i + 1) * s]
    }

    /// Whether every stage follows from those before: a_ij = 0 for j ≥ i.
    pub fn is_explicit(&self) -> bool {
        (0..self.stages()).all(|i| self.row(i)[i..].iter().all(|&a| a == 0.0))
    }

    /// Whether the method is implicit and its last stage is the result: a_sj = b_j. Then equations without
    /// derivatives hold at the end of a step as they hold at the stages.
    pub fn is_stiffly_accurate(&self) -> bool {
        !self.is_explicit() && self.ends_with_result()
    }

    /// Whether the last stage is the first one of the next step, which then costs nothing.
    pub fn first_same_as_last(&self) -> bool {
        self.has_explicit_start() && self.ends_with_result() && self.stages() > 1
    }

    /// Whether the first stage is y_n itself.
    pub fn has_explicit_start(&self) -> bool {
        self.row(0).iter().all(|&a| a == 0.0)
    }

    fn ends_with_result(&self) -> bool {
        self.row(self.stages() - 1) == self.b && self.c.last() == Some(&1.0)
    }

    /// Stability function: y_{n+1} = R(hλ) y_n on ẏ = λy,
    ///
    /// ```text
    /// R(z) = 1 + z bᵀ (I − zA)⁻¹ 1
    /// ```
    pub fn stability(&self, z: c64) -> c64 {
        let s = self.stages();
        let identity = |i: usize| if i / s == i % s { 1.0 } else { 0.0 };
        let mut matrix: Vec<c64> = (0..s * s).map(|i| identity(i) - z * self.a[i]).collect();
        let mut y = vec![c64::new(1.0, 0.0); s];
        elimination::solve(&mut matrix, &mut y);
        if self.ends_with_result() {
            return y[s - 1]; // without cancellation where R is small
        }
        self.b.iter().zip(&y).fold(c64::new(1.0, 0.0), |sum, (&b, &y)| sum + z * y * b)
    }
}

fn check_stages(family: &'static str, least: usize, stages: usize) -> Result<(), StagesError> {
    if (least..=MAX_STAGES).contains(&stages) { Ok(()) } else { Err(StagesError { family, least, stages }) }
}

/// The method of collocation at the nodes c.
fn collocation(name: String, c: Vec<f64>, order: usize) -> Tableau {
    let a = c.iter().flat_map(|&end| lagrange_integrals(&c, end)).collect();
    Tableau { name, a, b: lagrange_integrals(&c, 1.0), c, embedded: None, order }
}

/// ∫₀^end ℓ_j(x) dx for every j. Gauss quadrature of the products is exact, and free of the cancellation of
/// the linear system C(s).
pub(crate) fn lagrange_integrals(c: &[f64], end: f64) -> Vec<f64> {
    let Quadrature { points, weights } = Quadrature::gauss_legendre(c.len().div_ceil(2));
    let integral = |j: usize| -> f64 {
        points.iter().zip(&weights).map(|(x, w)| 0.5 * end * w * lagrange(c, j, 0.5 * end * (1.0 + x))).sum()
    };
    (0..c.len()).map(integral).collect()
}

/// ℓ_j(x), exactly 0 or 1 at the nodes.
pub(crate) fn lagrange(c: &[f64], j: usize, x: f64) -> f64 {
    let factors = c.iter().enumerate().filter(|&(k, _)| k != j).map(|(_, &node)| (x - node) / (c[j] - node));
    factors.product()
}

/// A method with its name.
#[derive(Clone, Copy, Debug)]
pub struct NamedTableau {
    /// Name, as in a model file.
    pub name: &'static str,
    /// Other spellings.
    pub aliases: &'static [&'static str],
    /// What it is, in one line.
    pub summary: &'static str,
    coefficients: Coefficients,
}

/// Where the coefficients of a named method come from.
#[derive(Clone, Copy, Debug)]
enum Coefficients {
    /// Order, c, rows of A below the diagonal, b, and b̂ with its order.
    Explicit(
        usize,
        &'static [f64],
        &'static [&'static [f64]],
        &'static [f64],
        Option<(&'static [f64], usize)>,
    ),
    Radau(usize),
    Gauss(usize),
    Lobatto(usize),
}

impl NamedTableau {
    /// The coefficients.
    pub fn tableau(&self) -> Tableau {
        let name = self.name.to_string();
        match self.coefficients {
            Coefficients::Explicit(order, c, rows, b, embedded) => {
                let s = b.len();
                let a =
                    rows.iter().flat_map(|row| (0..s).map(|j| row.get(j).copied().unwrap_or(0.0))).collect();
                let embedded = embedded.map(|(b, order)| Embedded { b: b.to_vec(), order });
                Tableau { name, c: c.to_vec(), a, b: b.to_vec(), embedded, order }
            }
            Coefficients::Radau(s) => collocation(name, nodes::radau_right(s), 2 * s - 1),
            Coefficients::Gauss(s) => collocation(name, nodes::gauss(s), 2 * s),
            Coefficients::Lobatto(s) => collocation(name, nodes::lobatto(s), 2 * s - 2),
        }
    }
}

/// All named methods.
pub const TABLEAUS: &[NamedTableau] = &[
    NamedTableau {
        name: "explicit-euler",
        aliases: &[],
        summary: "explicit Euler, order 1",
        coefficients: Coefficients::Explicit(1, &[0.0], &[&[]], &[1.0], None),
    },
    NamedTableau {
        name: "explicit-midpoint",
        aliases: &[],
        summary: "explicit midpoint rule, order 2",
        coefficients: Coefficients::Explicit(2, &[0.0, 0.5], &[&[], &[0.5]], &[0.0, 1.0], None),
    },
    NamedTableau {
        name: "heun",
        aliases: &[],
        summary: "Heun's method, the explicit trapezoidal rule, order 2",
        coefficients: Coefficients::Explicit(2, &[0.0, 1.0], &[&[], &[1.0]], &[0.5, 0.5], None),
    },
    NamedTableau {
        name: "euler-heun",
        aliases: &[],
        summary: "Heun's method with Euler's embedded, order 2(1)",
        coefficients: Coefficients::Explicit(
            2,
            &[0.0, 1.0],
            &[&[], &[1.0]],
            &[0.5, 0.5],
            Some((&[1.0, 0.0], 1)),
        ),
    },
    NamedTableau {
        name: "runge-kutta-4",
        aliases: &[],
        summary: "the classical Runge–Kutta method, order 4",
        coefficients: Coefficients::Explicit(
            4,
            &[0.0, 0.5, 0.5, 1.0],
            &[&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]],
            &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
            None,
        ),
    },
    NamedTableau {
        name: "cash-karp",
        aliases: &[],
        summary: "Cash–Karp pair of six stages, order 5(4)",
        coefficients: Coefficients::Explicit(
            5,
            &[0.0, 1.0 / 5.0, 3.0 / 10.0, 3.0 / 5.0, 1.0, 7.0 / 8.0],
            &[
                &[],
                &[1.0 / 5.0],
                &[3.0 / 40.0, 9.0 / 40.0],
                &[3.0 / 10.0, -9.0 / 10.0, 6.0 / 5.0],
                &[-11.0 / 54.0, 5.0 / 2.0, -70.0 / 27.0, 35.0 / 27.0],
                &[1631.0 / 55296.0, 175.0 / 512.0, 575.0 / 13824.0, 44275.0 / 110592.0, 253.0 / 4096.0],
            ],
            &[37.0 / 378.0, 0.0, 250.0 / 621.0, 125.0 / 594.0, 0.0, 512.0 / 1771.0],
            Some((&[2825.0 / 27648.0, 0.0, 18575.0 / 48384.0, 13525.0 / 55296.0, 277.0 / 14336.0, 0.25], 4)),
        ),
    },
    NamedTableau {
        name: "dormand-prince",
        aliases: &[],
        summary: "Dormand–Prince pair of seven stages, the last the first of the next step, order 5(4)",
        coefficients: Coefficients::Explicit(
            5,
            &[0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0],
            &[
                &[],
                &[1.0 / 5.0],
                &[3.0 / 40.0, 9.0 / 40.0],
                &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
                &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
                &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
                &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
            ],
            &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0, 0.0],
            Some((
                &[
                    5179.0 / 57600.0,
                    0.0,
                    7571.0 / 16695.0,
                    393.0 / 640.0,
                    -92097.0 / 339200.0,
                    187.0 / 2100.0,
                    1.0 / 40.0,
                ],
                4,
            )),
        ),
    },
    NamedTableau {
        name: "implicit-euler",
        aliases: &["radau-iia-1"],
        summary: "implicit Euler (Radau IIA of one stage), order 1, L-stable",
        coefficients: Coefficients::Radau(1),
    },
    NamedTableau {
        name: "radau-iia-2",
        aliases: &[],
        summary: "Radau IIA of two stages, order 3, L-stable",
        coefficients: Coefficients::Radau(2),
    },
    NamedTableau {
        name: "radau-iia-3",
        aliases: &[],
        summary: "Radau IIA of three stages, order 5, L-stable",
        coefficients: Coefficients::Radau(3),
    },
    NamedTableau {
        name: "radau-iia-5",
        aliases: &[],
        summary: "Radau IIA of five stages, order 9, L-stable",
        coefficients: Coefficients::Radau(5),
    },
    NamedTableau {
        name: "radau-iia-7",
        aliases: &[],
        summary: "Radau IIA of seven stages, order 13, L-stable",
        coefficients: Coefficients::Radau(7),
    },
    NamedTableau {
        name: "implicit-midpoint",
        aliases: &["gauss-1"],
        summary: "implicit midpoint rule (Gauss of one stage), order 2, symplectic",
        coefficients: Coefficients::Gauss(1),
    },
    NamedTableau {
        name: "gauss-2",
        aliases: &[],
        summary: "Gauss of two stages, order 4, symplectic",
        coefficients: Coefficients::Gauss(2),
    },
    NamedTableau {
        name: "gauss-3",
        aliases: &[],
        summary: "Gauss of three stages, order 6, symplectic",
        coefficients: Coefficients::Gauss(3),
    },
    NamedTableau {
        name: "trapezoid",
        aliases: &["lobatto-iiia-2"],
        summary: "trapezoidal rule (Lobatto IIIA of two stages), order 2",
        coefficients: Coefficients::Lobatto(2),
    },
    NamedTableau {
        name: "lobatto-iiia-3",
        aliases: &[],
        summary: "Lobatto IIIA of three stages, order 4",
        coefficients: Coefficients::Lobatto(3),
    },
    NamedTableau {
        name: "lobatto-iiia-4",
        aliases: &[],
        summary: "Lobatto IIIA of four stages, order 6",
        coefficients: Coefficients::Lobatto(4),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Tableau {
        Tableau::named(name).unwrap()
    }

    fn assert_close(found: &[f64], exact: &[f64]) {
        assert_eq!(found.len(), exact.len());
        for (found, exact) in found.iter().zip(exact) {
            assert!((found - exact).abs() < 4e-16, "{found} instead of {exact}");
        }
    }

    /// Every named implicit method, and the families up to the most stages.
    fn implicit_methods() -> Vec<Tableau> {
        let named = TABLEAUS.iter().map(NamedTableau::tableau).filter(|t| !t.is_explicit());
        let radau = (1..=MAX_STAGES).map(|s| Tableau::radau_iia(s).unwrap());
        let gauss = (1..=MAX_STAGES).map(|s| Tableau::gauss(s).unwrap());
        let lobatto = (2..=MAX_STAGES).map(|s| Tableau::lobatto_iiia(s).unwrap());
        named.chain(radau).chain(gauss).chain(lobatto).collect()
    }

    #[test]
    fn collocation_reproduces_the_table_of_closed_forms() {
        assert_close(&named("implicit-euler").a, &[1.0]);
        assert_close(&named("radau-iia-2").a, &[5.0 / 12.0, -1.0 / 12.0, 0.75, 0.25]);
        let r = 6f64.sqrt();
        #[rustfmt::skip]
        let radau = [
            (88.0 - 7.0 * r) / 360.0, (296.0 - 169.0 * r) / 1800.0, (-2.0 + 3.0 * r) / 225.0,
            (296.0 + 169.0 * r) / 1800.0, (88.0 + 7.0 * r) / 360.0, (-2.0 - 3.0 * r) / 225.0,
            (16.0 - r) / 36.0, (16.0 + r) / 36.0, 1.0 / 9.0,
        ];
        assert_close(&named("radau-iia-3").a, &radau);
        assert_close(&named("trapezoid").a, &[0.0, 0.0, 0.5, 0.5]);
        let third = 1.0 / 3.0;
        #[rustfmt::skip]
        let lobatto = [0.0, 0.0, 0.0, 5.0 / 24.0, third, -1.0 / 24.0, 1.0 / 6.0, 2.0 * third, 1.0 / 6.0];
        assert_close(&named("lobatto-iiia-3").a, &lobatto);
        let r = 5f64.sqrt();
        #[rustfmt::skip]
        let lobatto = [
            0.0, 0.0, 0.0, 0.0,
            (11.0 + r) / 120.0, (25.0 - r) / 120.0, (25.0 - 13.0 * r) / 120.0, (-1.0 + r) / 120.0,
            (11.0 - r) / 120.0, (25.0 + 13.0 * r) / 120.0, (25.0 + r) / 120.0, (-1.0 - r) / 120.0,
            1.0 / 12.0, 5.0 / 12.0, 5.0 / 12.0, 1.0 / 12.0,
        ];
        assert_close(&named("lobatto-iiia-4").a, &lobatto);
        let midpoint = named("implicit-midpoint");
        assert_eq!((&midpoint.c[..], &midpoint.a[..], &midpoint.b[..]), (&[0.5][..], &[0.5][..], &[1.0][..]));
        let r = 3f64.sqrt() / 6.0;
        assert_close(&named("gauss-2").a, &[0.25, 0.25 - r, 0.25 + r, 0.25]);
    }

    #[test]
    fn properties() {
        for entry in TABLEAUS {
            let tableau = entry.tableau();
            let explicit = tableau.is_explicit();
            let (radau, gauss) = (entry.name.starts_with("radau"), entry.name.starts_with("gauss"));
            let lobatto = entry.name.starts_with("lobatto") || entry.name == "trapezoid";
            let radau = radau || entry.name == "implicit-euler";
            let gauss = gauss || entry.name == "implicit-midpoint";
            assert_eq!(explicit, !(radau || gauss || lobatto), "{}", entry.name);
            assert_eq!(tableau.is_stiffly_accurate(), radau || lobatto, "{}", entry.name);
            assert_eq!(
                tableau.first_same_as_last(),
                lobatto || entry.name == "dormand-prince",
                "{}",
                entry.name
            );
            assert_eq!(tableau.has_explicit_start(), explicit || lobatto, "{}", entry.name);
        }
        assert!(Tableau::named("radau-iia-4").is_none());
        assert_eq!(named("lobatto-iiia-2").name, "trapezoid");
        let error = Tableau::lobatto_iiia(1).unwrap_err();
        assert_eq!(error.to_string(), "Lobatto IIIA has 2 to 9 stages, not 1");
        assert!(Tableau::radau_iia(10).is_err() && Tableau::gauss(0).is_err());
    }

    #[test]
    fn stability_functions_of_the_literature() {
        let one = c64::new(1.0, 0.0);
        for z in [c64::new(-0.3, 0.0), c64::new(-2.0, 3.0), c64::new(0.5, -1.0), c64::new(-40.0, 7.0)] {
            let check = |name: &str, exact: c64| {
                let error = (named(name).stability(z) - exact).norm();
                assert!(error < 2e-15 * exact.norm().max(1.0), "{name}: {error:e}");
            };
            check("explicit-euler", one + z);
            check("heun", one + z + z * z * 0.5);
            check("explicit-midpoint", one + z + z * z * 0.5);
            check("runge-kutta-4", one + z * (one + z * 0.5 * (one + z / 3.0 * (one + z * 0.25))));
            check("implicit-euler", one / (one - z));
            check("trapezoid", (one + z * 0.5) / (one - z * 0.5));
            check("implicit-midpoint", (one + z * 0.5) / (one - z * 0.5));
            check("radau-iia-2", (z + 3.0) * 2.0 / (z * z - z * 4.0 + 6.0));
            let above = one + z * 0.4 + z * z * 0.05;
            check("radau-iia-3", above / (one - z * 0.6 + z * z * 0.15 - z * z * z / 60.0));
        }
    }

    #[test]
    fn implicit_methods_are_a_stable() {
        for tableau in implicit_methods() {
            for exponent in -30..=40 {
                let y = 2f64.powf(0.5 * exponent as f64);
                let r = tableau.stability(c64::new(0.0, y)).norm();
                assert!(r <= 1.0 + 1e-13, "{}: |R(i{y})| = {r}", tableau.name);
                let r = tableau.stability(c64::new(-y, y)).norm();
                assert!(r < 1.0, "{}: |R| = {r} at {y} (−1 + i)", tableau.name);
            }
        }
    }

    #[test]
    fn damping_of_infinitely_stiff_components() {
        for tableau in implicit_methods() {
            let r = tableau.stability(c64::new(-1e12, 0.0)).norm();
            let exact = if tableau.c[0] > 0.0 && tableau.is_stiffly_accurate() { 0.0 } else { 1.0 };
            assert!((r - exact).abs() < 1e-9, "{}: |R(−∞)| = {r}", tableau.name);
        }
    }
}
