//! Numbers of a time element: where its equations are taken and how they are combined
//! (motion-interpolation-galerkin §1.15, §1.16, §1.18).
//!
//! **Discontinuous**, of degree k. Fields are polynomials of degree k over 0 ≤ α ≤ 1 that jump at α = 0. With
//! the right Radau polynomial r̄ of degree k + 1, r̄(0) = 1, r̄(1) = 0,
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
//! **Collocation** at s points c_g. Fields are polynomials of degree s through the state before,
//!
//! ```text
//! w(α) = Σ_j L_j(α) w_j + L_b(α) w_b,     h ẇ_g = Σ_j L_j′(c_g) w_j + L_b′(c_g) w_b,     h w_g = Σ_a l_a′(c_g) (q_a − q_b)
//! ```
//! with L_b(0) = 1 and the nodes α = 1/s … 1 of the path; forces of constraints act at the points, B = 1. At
//! right Radau points constraints hold at these, with order 2s − 1. At Gauss points, order 2s, the path
//! leaves the constraints at the ends. There they are required at the right s of the s + 1 Lobatto points:
//! what the polynomials leave of them between is orthogonal to all of degree s − 2, as their weight asks for.
//!
//! **Continuous Galerkin of degree one** (§1.17): a path between two nodes, along which the velocity v is
//! constant, and momenta at the nodes by the balance tested with 1 − α and with α at two Gauss points,
//!
//! ```text
//! Σ_g ω_g (1 − α_g) h ρ(q_g, v, 2 (v − w_b)/h) = 0,     Σ_g ω_g α_g h ρ(q_g, v, 2 (w_e − v)/h) = 0
//! ```
//! of which the first gives the path and the second the velocity w_e after it. For q̈ + ω²q = 0, y = ωh, it
//! turns by cos θ = (1 − y²/3)/(1 + y²/6) and damps nothing: it is stable to y = 2√3 only. Multipliers of the
//! first hold Φ = 0 at the end, those of the second its rate; rows on velocities hold in the middle and at
//! the end. Order 2.
//!
//! In the first two the end is a point of the constraints on positions, and what is left of those on
//! velocities is taken out with the least change in the sense of the masses.

mod continuous;
mod nodes;

use crate::runge_kutta::implicit::nodes as zeros;
use crate::runge_kutta::tableau::{Tableau, lagrange_integrals};
use crate::time_elements::scheme::nodes::Nodes;
use poinsot_geometry::nalgebra::DMatrix;

/// Highest degree of a discontinuous time element.
pub const MAX_ELEMENT_DEGREE: usize = 3;

/// Most points of collocation in a time element.
pub const MAX_COLLOCATION_POINTS: usize = 4;

/// Most points of an element.
pub(crate) const MOST: usize = MAX_ELEMENT_DEGREE + 1;

/// A number for each point or node.
pub type Row = [f64; MOST];
/// A number for each pair of them.
pub type Square = [Row; MOST];

/// Where constraints and their forces are taken in a discontinuous element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintPoints {
    /// At the right Radau points, of which the end is one: Φ = 0 there, orders 2k + 1, k + 1 and k.
    Radau,
    /// At the Gauss points of the rest, as published: orders k + 1, k and k for joints between moving bodies.
    Gauss,
}

/// Where the equations of motion are taken in a continuous element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollocationPoints {
    /// At s Gauss points: order 2s, symmetric, damps nothing.
    Gauss,
    /// At s right Radau points: order 2s − 1, damps what is fast away.
    Radau,
}

/// Which equations of the system are taken at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Balances without what follows multipliers.
    Free,
    /// What follows multipliers, equations with rates of variables, and rows.
    Joints,
    /// Everything.
    Whole,
    /// Everything but rows.
    Laws,
    /// Rows: on positions, on velocities, and equations without rates.
    Rows,
    /// Rates of rows on positions, and rows on velocities.
    Rates,
    /// Rows on positions alone.
    Positions,
    /// Rows on velocities alone.
    Velocities,
}

impl Part {
    /// Balances, equations with rates, rows.
    pub(super) fn takes(self) -> [bool; 3] {
        match self {
            Part::Free => [true, false, false],
            Part::Joints | Part::Whole => [true, true, true],
            Part::Laws => [true, true, false],
            Part::Rows | Part::Rates | Part::Positions | Part::Velocities => [false, false, true],
        }
    }
}

/// A place inside an element: what fields are there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Fraction of the element.
    pub alpha: f64,
    /// Weight of a quadrature on (0, 1).
    pub weight: f64,
    /// l_a and l_a′ of the nodes of the path.
    pub base: Row,
    /// l_a′.
    pub slope: Row,
    /// q − q_b from the velocities at the points of the balance, over h.
    pub path: Row,
    /// w from those at the points of the balance.
    pub stage: Row,
    /// h ẇ from the same.
    pub rate: Row,
    /// Variables from those at the points where they are kept.
    pub variable: Row,
    /// h times their rates from the same.
    pub variable_rate: Row,
    /// Multipliers from those at the same points.
    pub multiplier: Row,
    /// Multipliers from the unknowns of Newton's iteration, times h.
    pub pulled: Row,
    /// The share of w_b, or of variables before, in w, or in variables.
    pub start: f64,
    /// The same in h ẇ.
    pub start_rate: f64,
    /// r̄, zero where nothing jumps.
    pub correction: f64,
    /// The share of the jump of positions in h w, r̄′.
    pub jump_rate: f64,
}

/// The numbers of an element.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheme {
    /// Degree of the path.
    pub degree: usize,
    /// Whether nothing jumps at the start.
    pub is_continuous: bool,
    /// Whether the constraints on positions hold at the end.
    pub closes: bool,
    /// The order on equations without constraints.
    pub order: usize,
    /// Points of the balance.
    pub balance: Vec<Place>,
    /// Where multipliers and variables are kept.
    pub joints: Vec<Place>,
    /// All places at which the system is evaluated, with what is taken there; those of the balance first.
    pub places: Vec<(Place, Part)>,
    /// The first place of what follows multipliers, and the first of rows; the s places from there have it.
    pub first: [usize; 2],
    /// How many places are enough without constraints and other domains.
    pub free: usize,
    /// The node of the path that is the end.
    pub end_node: usize,
    /// Whether it knows bodies alone, not equations of other domains.
    pub is_mechanical: bool,
    /// The end.
    pub end: Place,
    /// V⁻¹: nodes of the path from h w_g.
    pub nodes_of_velocities: Square,
    /// A = W⁻¹, by which balances are combined.
    pub integration: Square,
    /// A B, by which the multipliers of the combined balances are those of the points.
    pub pull: Square,
    /// Inverses of q(β_r) and of w(β_r) from w_g, by which rows on positions and velocities are combined.
    pub level: Square,
    /// Of rows on velocities.
    pub velocity: Square,
    /// The same for equations with rates of variables.
    pub variables: Square,
    /// Of those without.
    pub algebraic: Square,
    name: &'static str,
    nodes: Nodes,
    pull_inverse: Square,
}

impl Scheme {
    /// A discontinuous element of degree 1 … [`MAX_ELEMENT_DEGREE`].
    ///
    /// # Panics
    ///
    /// If there is no element of that degree.
    pub fn new(degree: usize, points: ConstraintPoints) -> Self {
        assert!((1..=MAX_ELEMENT_DEGREE).contains(&degree), "no time element of degree {degree}");
        let s = degree + 1;
        let own: Vec<f64> = (0..s).map(|a| a as f64 / degree as f64).collect();
        let gauss = zeros::gauss(s);
        let joints = match points {
            ConstraintPoints::Radau => zeros::radau_right(s),
            ConstraintPoints::Gauss => gauss.clone(),
        };
        let places = [(gauss.clone(), Part::Free), (joints.clone(), Part::Joints)];
        let nodes = Nodes { is_continuous: false, has_momenta: false, families: [own, gauss, joints] };
        let closes = points == ConstraintPoints::Radau;
        Scheme::of("dg", nodes, &places, [s, s], (2 * degree + 1, closes))
    }

    /// Collocation at 1 … [`MAX_COLLOCATION_POINTS`] points.
    ///
    /// # Panics
    ///
    /// If there is no element with so many points.
    pub fn collocation(s: usize, points: CollocationPoints) -> Self {
        assert!((1..=MAX_COLLOCATION_POINTS).contains(&s), "no collocation at {s} points");
        let own: Vec<f64> = (1..=s).map(|a| a as f64 / s as f64).collect();
        let nodes = |c: &[f64]| Nodes {
            is_continuous: true,
            has_momenta: false,
            families: [own, c.to_vec(), c.to_vec()],
        };
        match points {
            CollocationPoints::Radau => {
                let c = zeros::radau_right(s);
                Scheme::of("radau-collocation", nodes(&c), &[(c, Part::Whole)], [0, 0], (2 * s - 1, true))
            }
            CollocationPoints::Gauss => {
                let c = zeros::gauss(s);
                let rows = zeros::lobatto(s + 1)[1..].to_vec();
                let places = [(c.clone(), Part::Laws), (rows, Part::Rows)];
                Scheme::of("gauss-collocation", nodes(&c), &places, [0, s], (2 * s, true))
            }
        }
    }

    fn of(
        name: &'static str,
        nodes: Nodes,
        places: &[(Vec<f64>, Part)],
        first: [usize; 2],
        (order, closes): (usize, bool),
    ) -> Self {
        let [own, balance, joints] = &nodes.families;
        let s = own.len();
        let mut inverse_v = [[0.0; MOST]; MOST];
        for (row, &alpha) in inverse_v.iter_mut().zip(balance) {
            *row = nodes.through_start(own, alpha).1;
            row[0] -= nodes.jump(alpha).1;
        }
        let nodes_of_velocities = inverse(s, &inverse_v);
        let place = |alpha: f64, weight: f64| nodes.place(&nodes_of_velocities, [alpha, weight]);
        let weighted = |c: &[f64]| -> Vec<Place> {
            c.iter().zip(lagrange_integrals(c, 1.0)).map(|(&alpha, weight)| place(alpha, weight)).collect()
        };
        let square = |places: &[Place], pick: &dyn Fn(&Place) -> Row| -> Square {
            std::array::from_fn(|i| places.get(i).map_or([0.0; MOST], pick))
        };
        let (at_balance, at_joints) = (weighted(balance), weighted(joints));
        let integration = inverse(s, &square(&at_balance, &|p| p.rate));
        let shares: Square = std::array::from_fn(|g| {
            std::array::from_fn(|r| match (at_balance.get(g), at_joints.get(r)) {
                (Some(_), Some(_)) if nodes.is_continuous => f64::from(g == r),
                (Some(at), Some(from)) => from.weight * from.stage[g] / at.weight,
                _ => 0.0,
            })
        });
        let pull = product(s, &integration, &shares);
        let pull_inverse = inverse(s, &pull);
        let full = |place: Place| place.with_pulled(&pull_inverse);
        let all: Vec<(Place, Part)> = places
            .iter()
            .flat_map(|(c, part)| weighted(c).into_iter().map(|place| (full(place), *part)))
            .collect();
        let rows: Vec<Place> = all[first[1]..first[1] + s].iter().map(|(place, _)| *place).collect();
        Scheme {
            degree: s - usize::from(!nodes.is_continuous),
            is_continuous: nodes.is_continuous,
            closes,
            order,
            level: inverse(s, &square(&rows, &|p| p.path)),
            velocity: inverse(s, &square(&rows, &|p| p.stage)),
            variables: inverse(s, &square(&at_joints, &|p| p.variable_rate)),
            algebraic: inverse(s, &square(&rows, &|p| p.variable)),
            free: s,
            end_node: s - 1,
            is_mechanical: false,
            end: full(place(1.0, 0.0)),
            balance: at_balance.into_iter().map(full).collect(),
            joints: at_joints.into_iter().map(full).collect(),
            places: all,
            first,
            nodes_of_velocities,
            integration,
            pull,
            pull_inverse,
            name,
            nodes,
        }
    }

    /// Number of points.
    pub fn stages(&self) -> usize {
        self.balance.len()
    }

    /// The place at a fraction of the element.
    pub fn place(&self, alpha: f64) -> Place {
        self.nodes.place(&self.nodes_of_velocities, [alpha, 0.0]).with_pulled(&self.pull_inverse)
    }

    /// Where the nodes of the path are.
    pub(super) fn path_nodes(&self) -> &[f64] {
        &self.nodes.families[0]
    }

    /// What the element is called.
    pub fn name(&self) -> String {
        format!("{}-{}", self.name, self.stages())
    }

    /// The Runge–Kutta method that the element is on ẏ = f(y): A, the weights and the points; none of one
    /// that has momenta. That of a discontinuous one has the stability function of Radau IIA with as many
    /// stages,
    ///
    /// ```text
    /// k = 1:  R(z) = (1 + z/3)/(1 − 2z/3 + z²/6),     |R(iy)|² = 1/(1 + y⁴/(36 (1 + y²/9)))
    /// ```
    pub fn tableau(&self) -> Option<Tableau> {
        let s = self.stages();
        (!self.nodes.has_momenta).then(|| Tableau {
            name: self.name(),
            c: self.balance.iter().map(|place| place.alpha).collect(),
            a: (0..s * s).map(|i| self.integration[i / s][i % s]).collect(),
            b: self.balance.iter().map(|place| place.weight).collect(),
            embedded: None,
            order: self.order,
        })
    }
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
