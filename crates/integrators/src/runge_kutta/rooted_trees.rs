//! Order conditions of Runge–Kutta methods, one for each rooted tree.
//!
//! A tree t = [t_1 … t_m] has a root that carries the trees t_k. With the order ρ (number of vertices), the
//! density γ and the elementary weights Φ_i,
//!
//! ```text
//! γ(t) = ρ(t) Π_k γ(t_k),     Φ_i(t) = Π_k Σ_j a_ij Φ_j(t_k)
//! ```
//! the method is of order p if and only if Σ_i b_i Φ_i(t) = 1/γ(t) for all trees with ρ(t) ≤ p. For many
//! stages the simplifying conditions of collocation say the same with less work (lagrangian-dae-modeling
//! §1.22).

use crate::runge_kutta::tableau::Tableau;

/// A tree of [`RootedTrees`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootedTree {
    /// Number of vertices ρ.
    pub order: usize,
    /// Density γ.
    pub density: u64,
    /// Trees on the root, as indices into the list, descending.
    pub branches: Vec<usize>,
}

/// All rooted trees up to an order, by ascending order.
#[derive(Clone, Debug)]
pub struct RootedTrees {
    trees: Vec<RootedTree>,
}

impl RootedTrees {
    /// The trees with at most `order` vertices: 1, 1, 2, 4, 9, 20, 48, 115, … of each order, three times as
    /// many with every further one. Up to order 14 they are 53 272, and γ is a 64-bit number up to order 20.
    pub fn up_to(order: usize) -> Self {
        let mut all = Self { trees: Vec::new() };
        for order in 1..=order {
            all.grow(order, order - 1, all.trees.len(), &mut Vec::new());
        }
        all
    }

    /// Adds the trees of this order whose root carries `branches` and further trees with `missing` vertices
    /// in all, each before `below` or the last branch again.
    fn grow(&mut self, order: usize, missing: usize, below: usize, branches: &mut Vec<usize>) {
        if missing == 0 {
            let factors = branches.iter().map(|&k| self.trees[k].density);
            let density = order as u64 * factors.product::<u64>();
            self.trees.push(RootedTree { order, density, branches: branches.clone() });
            return;
        }
        for branch in (0..below).rev() {
            let vertices = self.trees[branch].order;
            if vertices <= missing {
                branches.push(branch);
                self.grow(order, missing - vertices, branch + 1, branches);
                branches.pop();
            }
        }
    }

    /// The trees.
    pub fn trees(&self) -> &[RootedTree] {
        &self.trees
    }

    /// Σ_i b_i Φ_i(t) − 1/γ(t) of every tree.
    pub fn residuals(&self, tableau: &Tableau, b: &[f64]) -> Vec<f64> {
        let s = tableau.stages();
        // Σ_j a_ij Φ_j of every tree so far.
        let mut carried: Vec<f64> = Vec::with_capacity(s * self.trees.len());
        let mut residuals = Vec::with_capacity(self.trees.len());
        let mut phi = vec![0.0; s];
        for tree in &self.trees {
            for (i, phi) in phi.iter_mut().enumerate() {
                *phi = tree.branches.iter().map(|&k| carried[k * s + i]).product();
            }
            residuals.push(dot(b, &phi) - 1.0 / tree.density as f64);
            carried.extend((0..s).map(|i| dot(tableau.row(i), &phi)));
        }
        residuals
    }
}

/// The largest order up to `up_to` all conditions of which hold within `tolerance`, with the weights b or b̂
/// of the method.
pub fn measured_order(tableau: &Tableau, b: &[f64], up_to: usize, tolerance: f64) -> usize {
    let all = RootedTrees::up_to(up_to);
    let residuals = all.residuals(tableau, b);
    let violated = all.trees().iter().zip(&residuals).find(|(_, r)| r.abs().is_nan() || r.abs() > tolerance);
    violated.map_or(up_to, |(tree, _)| tree.order - 1)
}

/// How far the simplifying conditions of a method hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simplifying {
    /// B(p): Σ_i b_i c_i^{q−1} = 1/q for q ≤ p.
    pub b: usize,
    /// C(η): Σ_j a_ij c_j^{q−1} = c_i^q/q for all i and q ≤ η.
    pub c: usize,
    /// D(ζ): Σ_i b_i c_i^{q−1} a_ij = b_j (1 − c_j^q)/q for all j and q ≤ ζ.
    pub d: usize,
}

impl Simplifying {
    /// Measures the conditions, each within `tolerance` and up to q = 2s + 1.
    pub fn of(tableau: &Tableau, tolerance: f64) -> Self {
        let most = 2 * tableau.stages() + 1;
        let up_to = |defect: fn(&Tableau, usize) -> f64| {
            (1..=most).take_while(|&q| defect(tableau, q) <= tolerance).count()
        };
        Self { b: up_to(quadrature_defect), c: up_to(stage_defect), d: up_to(adjoint_defect) }
    }

    /// The order that these conditions guarantee: p with B(p), p ≤ η + ζ + 1 and p ≤ 2η + 2.
    pub fn order(&self) -> usize {
        self.b.min(self.c + self.d + 1).min(2 * self.c + 2)
    }
}

/// Largest violation of B at q.
fn quadrature_defect(tableau: &Tableau, q: usize) -> f64 {
    (dot(&tableau.b, &powers(tableau, q - 1)) - 1.0 / q as f64).abs()
}

/// Largest violation of C at q.
fn stage_defect(tableau: &Tableau, q: usize) -> f64 {
    let powers = powers(tableau, q - 1);
    let defect = |(i, c): (usize, &f64)| (dot(tableau.row(i), &powers) - c.powi(q as i32) / q as f64).abs();
    tableau.c.iter().enumerate().map(defect).fold(0.0, f64::max)
}

/// Largest violation of D at q.
fn adjoint_defect(tableau: &Tableau, q: usize) -> f64 {
    let (s, powers) = (tableau.stages(), powers(tableau, q - 1));
    let defect = |j: usize| {
        let sum: f64 = (0..s).map(|i| tableau.b[i] * powers[i] * tableau.a[i * s + j]).sum();
        (sum - tableau.b[j] * (1.0 - tableau.c[j].powi(q as i32)) / q as f64).abs()
    };
    (0..s).map(defect).fold(0.0, f64::max)
}

/// c_i^n.
fn powers(tableau: &Tableau, n: usize) -> Vec<f64> {
    tableau.c.iter().map(|c| c.powi(n as i32)).collect()
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runge_kutta::tableau::{MAX_STAGES, NamedTableau, TABLEAUS};

    /// Rounding in the conditions; the true defects are far larger (see the tests).
    const TOLERANCE: f64 = 1e-15;

    #[test]
    fn number_and_density_of_trees() {
        let all = RootedTrees::up_to(14);
        let count = |order: usize| all.trees().iter().filter(|tree| tree.order == order).count();
        let counts: Vec<usize> = (1..=14).map(count).collect();
        assert_eq!(counts, [1, 1, 2, 4, 9, 20, 48, 115, 286, 719, 1842, 4766, 12486, 32973]);
        // Conditions up to order p: 17, 37, 85 for p = 5, 6, 7.
        assert_eq!([5, 6, 7].map(|p| counts[..p].iter().sum::<usize>()), [17, 37, 85]);
        let mut fourth: Vec<u64> = all.trees().iter().filter(|t| t.order == 4).map(|t| t.density).collect();
        fourth.sort_unstable();
        assert_eq!(fourth, [4, 8, 12, 24]);
        // The tall tree has γ = p!, the bush γ = p.
        let last: Vec<u64> = all.trees().iter().filter(|t| t.order == 14).map(|t| t.density).collect();
        assert_eq!((last.iter().max(), last.iter().min()), (Some(&87_178_291_200), Some(&14)));
    }

    #[test]
    fn row_sums_are_the_nodes() {
        for tableau in TABLEAUS.iter().map(NamedTableau::tableau) {
            for (i, c) in tableau.c.iter().enumerate() {
                let sum: f64 = tableau.row(i).iter().sum();
                assert!((sum - c).abs() < 2e-15, "{}: {sum} instead of {c}", tableau.name);
            }
        }
    }

    #[test]
    fn stated_orders_are_reached_and_not_exceeded() {
        for tableau in TABLEAUS.iter().map(NamedTableau::tableau) {
            let up_to = tableau.order + 1;
            let measured = measured_order(&tableau, &tableau.b, up_to, TOLERANCE);
            assert_eq!(measured, tableau.order, "{}", tableau.name);
            if let Some(embedded) = &tableau.embedded {
                let measured = measured_order(&tableau, &embedded.b, up_to, TOLERANCE);
                assert_eq!(measured, embedded.order, "embedded in {}", tableau.name);
            }
        }
    }

    #[test]
    fn simplifying_conditions_of_the_families() {
        for s in 1..=MAX_STAGES {
            let radau = Simplifying::of(&Tableau::radau_iia(s).unwrap(), TOLERANCE);
            assert_eq!(radau, Simplifying { b: 2 * s - 1, c: s, d: s - 1 }, "Radau IIA, s = {s}");
            assert_eq!(radau.order(), 2 * s - 1);
            let gauss = Simplifying::of(&Tableau::gauss(s).unwrap(), TOLERANCE);
            assert_eq!(gauss, Simplifying { b: 2 * s, c: s, d: s }, "Gauss, s = {s}");
            assert_eq!(gauss.order(), 2 * s);
        }
        for s in 2..=MAX_STAGES {
            let lobatto = Simplifying::of(&Tableau::lobatto_iiia(s).unwrap(), TOLERANCE);
            assert_eq!(lobatto, Simplifying { b: 2 * s - 2, c: s, d: s - 2 }, "Lobatto IIIA, s = {s}");
            assert_eq!(lobatto.order(), 2 * s - 2);
        }
    }

    #[test]
    fn a_wrong_digit_is_found() {
        let mut tableau = Tableau::named("dormand-prince").unwrap();
        tableau.a[7 * 4 + 1] += 1e-9;
        assert!(measured_order(&tableau, &tableau.b, 6, TOLERANCE) < 5);
        tableau.b[0] = f64::NAN;
        assert_eq!(measured_order(&tableau, &tableau.b, 6, TOLERANCE), 0);
    }
}
