//! Numbers of a discontinuous time element of degree k: where its equations are taken and how they are
//! combined (motion-interpolation-galerkin §1.15, §1.16, §1.18).
//!
//! Fields are polynomials of degree k over 0 ≤ α ≤ 1 that jump at α = 0. With the right Radau polynomial r̄
//! of degree k + 1, r̄(0) = 1, r̄(1) = 0,
//!
//! ```text
//! ∫ l (ẇ dα) + l(0) (w(0⁺) − w_b) = ∫ l ŵ′ dα,     ŵ = w − r̄ (w(0⁺) − w_b)
//! ```
//! for every test function l of degree k. With k + 1 Gauss points the weak form is the equation at each of
//! them, with the rate of the continuous field ŵ:
//!
//! ```text
//! h ẇ_g = Σ_j W_gj w_j + r̄′(α_g) w_b,     W_gj = L_j′(α_g) − r̄′(α_g) L_j(0)
//! h w_g = Σ_a V_ga q_a + r̄′(α_g) q_b,     V_ga = l_a′(α_g) − r̄′(α_g) δ_a0
//! ```
//! L belongs to the Gauss points, l to the nodes α = 0, 1/k … 1 of the path. Constraints Φ = 0 are tested at
//! points β_r of their own; their forces act on the balance at a Gauss point by
//!
//! ```text
//! B_gr = ω_r L_g(β_r)/ω_g
//! ```

use crate::runge_kutta::implicit::nodes;
use crate::runge_kutta::tableau::{Tableau, lagrange_integrals};
use poinsot_geometry::nalgebra::DMatrix;

/// Highest degree of a discontinuous time element.
pub const MAX_ELEMENT_DEGREE: usize = 3;

/// Most points of an element.
pub(crate) const MOST: usize = MAX_ELEMENT_DEGREE + 1;

/// A number for each point or node.
pub type Row = [f64; MOST];
/// A number for each pair of them.
pub type Square = [Row; MOST];

/// Where constraints and their forces are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintPoints {
    /// At the right Radau points, of which the end is one: Φ = 0 there, orders 2k + 1, k + 1 and k.
    Radau,
    /// At the Gauss points of the rest, as published: orders k + 1, k and k for joints between moving bodies.
    Gauss,
}

/// A place inside an element: what fields are there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Fraction of the element.
    pub alpha: f64,
    /// Weight of a quadrature on (0, 1).
    pub weight: f64,
    /// l_a and l_a′ of the path.
    pub base: Row,
    /// l_a′.
    pub slope: Row,
    /// q from the velocities at the Gauss points, over h.
    pub path: Row,
    /// w from those at the Gauss points.
    pub stage: Row,
    /// h ẇ from the same.
    pub rate: Row,
    /// Variables from those at the points of the constraints.
    pub variable: Row,
    /// h times their rates from the same.
    pub variable_rate: Row,
    /// r̄.
    pub correction: f64,
    /// r̄′, the share of the start in h ẇ.
    pub correction_rate: f64,
}

/// The numbers of an element.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheme {
    /// Degree k.
    pub degree: usize,
    /// Where constraints are taken.
    pub points: ConstraintPoints,
    /// Gauss points, where the balance is taken.
    pub balance: Vec<Place>,
    /// Where constraints and the equations of variables are taken.
    pub joints: Vec<Place>,
    /// The end.
    pub end: Place,
    /// V⁻¹: nodes of the path from h w_g.
    pub nodes_of_velocities: Square,
    /// A = W⁻¹, by which balances are combined.
    pub integration: Square,
    /// A B, and its inverse, by which the multipliers of the combined balances are those of the points.
    pub pull: Square,
    /// (A B)⁻¹.
    pub pull_inverse: Square,
    /// Inverses of q(β_r) and of w(β_r) from w_g, by which rows on positions and velocities are combined.
    pub level: Square,
    /// Of rows on velocities.
    pub velocity: Square,
    /// The same for equations with rates of variables.
    pub variables: Square,
}

impl Scheme {
    /// Of degree 1 … [`MAX_ELEMENT_DEGREE`].
    ///
    /// # Panics
    ///
    /// If there is no element of that degree.
    pub fn new(degree: usize, points: ConstraintPoints) -> Self {
        assert!((1..=MAX_ELEMENT_DEGREE).contains(&degree), "no time element of degree {degree}");
        let s = degree + 1;
        let own: Vec<f64> = (0..s).map(|a| a as f64 / degree as f64).collect();
        let gauss = nodes::gauss(s);
        let radau = match points {
            ConstraintPoints::Radau => nodes::radau_right(s),
            ConstraintPoints::Gauss => gauss.clone(),
        };
        let mut inverse_v = [[0.0; MOST]; MOST];
        for (row, &alpha) in inverse_v.iter_mut().zip(&gauss) {
            *row = lagrange(&own, alpha).1;
            row[0] -= correction(degree, alpha).1;
        }
        let nodes_of_velocities = inverse(s, &inverse_v);
        let families = [&own[..], &gauss, &radau];
        let place =
            |alpha: f64, weight: f64| Place::new(degree, families, &nodes_of_velocities, [alpha, weight]);
        let weighted = |c: &[f64]| -> Vec<Place> {
            c.iter().zip(lagrange_integrals(c, 1.0)).map(|(&alpha, weight)| place(alpha, weight)).collect()
        };
        let (balance, joints) = (weighted(&gauss), weighted(&radau));
        let square = |places: &[Place], pick: &dyn Fn(&Place) -> Row| -> Square {
            std::array::from_fn(|i| places.get(i).map_or([0.0; MOST], pick))
        };
        let integration = inverse(s, &square(&balance, &|p| p.rate));
        let shares: Square = std::array::from_fn(|g| {
            std::array::from_fn(|r| match (balance.get(g), joints.get(r)) {
                (Some(at), Some(from)) => from.weight * from.stage[g] / at.weight,
                _ => 0.0,
            })
        });
        let pull = product(s, &integration, &shares);
        Scheme {
            degree,
            points,
            pull_inverse: inverse(s, &pull),
            level: inverse(s, &square(&joints, &|p| p.path)),
            velocity: inverse(s, &square(&joints, &|p| p.stage)),
            variables: inverse(s, &square(&joints, &|p| p.variable_rate)),
            end: place(1.0, 0.0),
            nodes_of_velocities,
            integration,
            pull,
            balance,
            joints,
        }
    }

    /// Number of points, k + 1.
    pub fn stages(&self) -> usize {
        self.degree + 1
    }

    /// The place at a fraction of the element.
    pub fn place(&self, alpha: f64) -> Place {
        let c = |places: &[Place]| -> Row { std::array::from_fn(|i| places.get(i).map_or(0.0, |p| p.alpha)) };
        let own: Row = std::array::from_fn(|a| a as f64 / self.degree as f64);
        let (gauss, joints, s) = (c(&self.balance), c(&self.joints), self.stages());
        let families = [&own[..s], &gauss[..s], &joints[..s]];
        Place::new(self.degree, families, &self.nodes_of_velocities, [alpha, 0.0])
    }

    /// The Runge–Kutta method that the element is on ẏ = f(y): A, the Gauss weights and the Gauss points. Its
    /// stability function is that of Radau IIA with as many stages,
    ///
    /// ```text
    /// k = 1:  R(z) = (1 + z/3)/(1 − 2z/3 + z²/6),     |R(iy)|² = 1/(1 + y⁴/(36 (1 + y²/9)))
    /// ```
    pub fn tableau(&self) -> Tableau {
        let s = self.stages();
        Tableau {
            name: format!("dg-{s}"),
            c: self.balance.iter().map(|place| place.alpha).collect(),
            a: (0..s * s).map(|i| self.integration[i / s][i % s]).collect(),
            b: self.balance.iter().map(|place| place.weight).collect(),
            embedded: None,
            order: 2 * self.degree + 1,
        }
    }
}

impl Place {
    fn new(degree: usize, [own, gauss, joints]: [&[f64]; 3], of: &Square, [alpha, weight]: [f64; 2]) -> Self {
        let s = degree + 1;
        let (base, slope) = lagrange(own, alpha);
        let (correction, correction_rate) = correction(degree, alpha);
        let corrected = |nodes: &[f64]| -> (Row, Row) {
            let ((value, mut rate), (start, _)) = (lagrange(nodes, alpha), lagrange(nodes, 0.0));
            rate.iter_mut().zip(&start).for_each(|(rate, l)| *rate -= correction_rate * l);
            (value, rate)
        };
        let (stage, rate) = corrected(gauss);
        let (variable, variable_rate) = corrected(joints);
        let path = std::array::from_fn(|j| (0..s).map(|a| base[a] * of[a][j]).sum());
        Place {
            alpha,
            weight,
            base,
            slope,
            path,
            stage,
            rate,
            variable,
            variable_rate,
            correction,
            correction_rate,
        }
    }
}

/// r̄ = ½ (−1)^{k+1} (P_{k+1} − P_k) at 2α − 1, and its derivative by α.
pub fn correction(degree: usize, alpha: f64) -> (f64, f64) {
    let x = 2.0 * alpha - 1.0;
    let (mut below, mut here) = ([0.0, 0.0], [1.0, 0.0]);
    for n in 0..=degree {
        // (n + 1) P_{n+1} = (2n + 1) x P_n − n P_{n−1}.
        let (a, b, c) = ((2 * n + 1) as f64, n as f64, (n + 1) as f64);
        let value = (a * x * here[0] - b * below[0]) / c;
        let slope = (a * (here[0] + x * here[1]) - b * below[1]) / c;
        (below, here) = (here, [value, slope]);
    }
    let half = if degree.is_multiple_of(2) { -0.5 } else { 0.5 };
    (half * (here[0] - below[0]), 2.0 * half * (here[1] - below[1]))
}

/// Values and derivatives of the Lagrange polynomials of some nodes.
fn lagrange(nodes: &[f64], x: f64) -> (Row, Row) {
    let (mut values, mut slopes) = ([0.0; MOST], [0.0; MOST]);
    for (j, &own) in nodes.iter().enumerate() {
        let (mut value, mut slope) = (1.0, 0.0);
        for (_, &other) in nodes.iter().enumerate().filter(|&(m, _)| m != j) {
            slope = (slope * (x - other) + value) / (own - other);
            value *= (x - other) / (own - other);
        }
        (values[j], slopes[j]) = (value, slope);
    }
    (values, slopes)
}

/// C = A B.
fn product(s: usize, a: &Square, b: &Square) -> Square {
    let entry = |i: usize, j: usize| (0..s).map(|m| a[i][m] * b[m][j]).sum();
    std::array::from_fn(|i| std::array::from_fn(|j| if i < s && j < s { entry(i, j) } else { 0.0 }))
}

/// The inverse of the first s rows and columns.
fn inverse(s: usize, a: &Square) -> Square {
    let inverse = DMatrix::from_fn(s, s, |i, j| a[i][j]).try_inverse();
    let inverse = inverse.expect("a time element determines its polynomials");
    std::array::from_fn(|i| std::array::from_fn(|j| if i < s && j < s { inverse[(i, j)] } else { 0.0 }))
}
