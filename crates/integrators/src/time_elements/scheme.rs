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
//! right Radau points constraints hold at these, with order 2s − 1. At Gauss points, order 2s, the path leaves
//! the constraints at the ends. There they are required at the right s of the s + 1 Lobatto points: what the
//! polynomials leave of them between is orthogonal to all of degree s − 2, as their weight asks for.
//!
//! **Continuous Galerkin of degree one** (§1.17): a path between two nodes, along which the velocity v is
//! constant, and momenta at the nodes by the balance tested with 1 − α and with α at two Gauss points,
//!
//! ```text
//! Σ_g ω_g (1 − α_g) h ρ(q_g, v, 2 (v − w_b)/h) = 0,     Σ_g ω_g α_g h ρ(q_g, v, 2 (w_e − v)/h) = 0
//! ```
//! of which the first gives the path and the second the velocity w_e after it. For q̈ + ω²q = 0, y = ωh, it
//! turns by cos θ = (1 − y²/3)/(1 + y²/6) and damps nothing: it is stable to y = 2√3 only. Multipliers of the
//! first hold Φ = 0 at the end, those of the second its rate; rows on velocities hold in the middle and at the
//! end. Order 2.
//!
//! In the first two the end is a point of the constraints on positions, and what is left of those on velocities is
//! taken out with the least change in the sense of the masses.

use crate::runge_kutta::implicit::nodes;
use crate::runge_kutta::tableau::{Tableau, lagrange_integrals};
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

/// Nodes of the polynomials of an element.
#[derive(Clone, Debug, PartialEq)]
struct Nodes {
    is_continuous: bool,
    /// Whether velocities at the ends belong to momenta, not to the path.
    has_momenta: bool,
    /// Of the path, of velocities, of variables.
    families: [Vec<f64>; 3],
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
        let gauss = nodes::gauss(s);
        let joints = match points {
            ConstraintPoints::Radau => nodes::radau_right(s),
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
                let c = nodes::radau_right(s);
                Scheme::of("radau-collocation", nodes(&c), &[(c, Part::Whole)], [0, 0], (2 * s - 1, true))
            }
            CollocationPoints::Gauss => {
                let c = nodes::gauss(s);
                let rows = nodes::lobatto(s + 1)[1..].to_vec();
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

    /// Continuous Galerkin of degree one, for models of bodies.
    pub fn continuous() -> Self {
        let own = vec![0.5, 1.0];
        let nodes =
            Nodes { is_continuous: true, has_momenta: true, families: [own.clone(), own.clone(), own] };
        let unit = |j: usize| -> Row { std::array::from_fn(|m| f64::from(m == j)) };
        let square = |scale: f64| -> Square {
            std::array::from_fn(|i| unit(i).map(|x| if i < 2 { scale * x } else { 0.0 }))
        };
        let of = square(1.0);
        let pull_inverse = square(2.0);
        let place = |alpha: f64| nodes.place(&of, [alpha, 0.0]).with_pulled(&pull_inverse);
        // The velocity of the path, and that after it.
        let along = Place { stage: unit(0), start: 0.0, multiplier: unit(0), ..place(0.5) };
        let along = along.with_pulled(&pull_inverse);
        let after = Place { base: [0.0; MOST], slope: unit(1), path: [0.0; MOST], ..place(1.0) };
        let mut places = vec![(along, Part::Velocities), (after, Part::Velocities)];
        let mut integration = [[0.0; MOST]; MOST];
        for (j, test) in [|alpha: f64| 1.0 - alpha, |alpha: f64| alpha].into_iter().enumerate() {
            for (g, alpha) in nodes::gauss(2).into_iter().enumerate() {
                let (rate, start_rate) = match j {
                    0 => ([2.0, 0.0, 0.0, 0.0], -2.0),
                    _ => ([-2.0, 2.0, 0.0, 0.0], 0.0),
                };
                let at = Place {
                    multiplier: unit(j),
                    stage: unit(0),
                    start: 0.0,
                    rate,
                    start_rate,
                    ..place(alpha)
                };
                places.push((at.with_pulled(&pull_inverse), Part::Laws));
                integration[j][2 * j + g] = 0.5 * test(alpha);
            }
        }
        let end = place(1.0);
        places.extend([(end, Part::Positions), (end, Part::Rates)]);
        Scheme {
            degree: 1,
            is_continuous: true,
            closes: true,
            order: 2,
            balance: vec![along, after],
            joints: vec![along, Place { multiplier: unit(1), ..after }.with_pulled(&pull_inverse)],
            places,
            first: [2, 6],
            free: 6,
            end_node: 0,
            is_mechanical: true,
            end,
            nodes_of_velocities: of,
            integration,
            pull: square(0.5),
            level: of,
            velocity: of,
            variables: of,
            algebraic: of,
            name: "cg",
            nodes,
            pull_inverse,
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

    /// What the element is called.
    pub fn name(&self) -> String {
        format!("{}-{}", self.name, self.stages())
    }

    /// The Runge–Kutta method that the element is on ẏ = f(y): A, the weights and the points; none of one that
    /// has momenta. That of a discontinuous one has the stability function of Radau IIA with as many stages,
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

impl Nodes {
    /// Values and slopes of the Lagrange polynomials of some nodes, with one more node at the start where
    /// nothing jumps; that one's come last.
    fn through_start(&self, own: &[f64], alpha: f64) -> (Row, Row, [f64; 2]) {
        let mut nodes = [0.0; MOST + 1];
        let s = own.len();
        nodes[..s].copy_from_slice(own);
        let (values, slopes) = lagrange(&nodes[..s + usize::from(self.is_continuous)], alpha);
        let row = |x: &[f64; MOST + 1]| std::array::from_fn(|j| if j < s { x[j] } else { 0.0 });
        let start = if self.is_continuous { [values[s], slopes[s]] } else { [0.0; 2] };
        (row(&values), row(&slopes), start)
    }

    /// r̄ and r̄′, or nothing where nothing jumps.
    fn jump(&self, alpha: f64) -> (f64, f64) {
        if self.is_continuous { (0.0, 0.0) } else { correction(self.families[0].len() - 1, alpha) }
    }

    /// A place, but for `pulled`.
    fn place(&self, of: &Square, [alpha, weight]: [f64; 2]) -> Place {
        let [own, balance, joints] = &self.families;
        let s = own.len();
        if self.has_momenta {
            return Place::between_momenta(alpha, weight);
        }
        let (base, slope, _) = self.through_start(own, alpha);
        let (correction, jump_rate) = self.jump(alpha);
        let corrected = |nodes: &[f64]| -> (Row, Row, [f64; 2]) {
            let (value, mut rate, start) = self.through_start(nodes, alpha);
            if self.is_continuous {
                return (value, rate, start);
            }
            let first = lagrange(nodes, 0.0).0;
            rate.iter_mut().zip(&first).for_each(|(rate, l)| *rate -= jump_rate * l);
            (value, rate, [0.0, jump_rate])
        };
        let (stage, rate, [start, start_rate]) = corrected(balance);
        let (variable, variable_rate, _) = corrected(joints);
        let multipliers = lagrange(joints, alpha).0;
        Place {
            alpha,
            weight,
            base,
            slope,
            path: std::array::from_fn(|j| (0..s).map(|a| base[a] * of[a][j]).sum()),
            stage,
            rate,
            variable,
            variable_rate,
            multiplier: std::array::from_fn(|j| if j < s { multipliers[j] } else { 0.0 }),
            pulled: [0.0; MOST],
            start,
            start_rate,
            correction,
            jump_rate,
        }
    }
}

impl Place {
    /// On a path of constant velocity; w goes evenly from w_b to w_e, the second of its numbers.
    fn between_momenta(alpha: f64, weight: f64) -> Self {
        let of = |x: f64, y: f64| [x, y, 0.0, 0.0];
        Place {
            alpha,
            weight,
            base: of(alpha, 0.0),
            slope: of(1.0, 0.0),
            path: of(alpha, 0.0),
            stage: of(0.0, alpha),
            rate: of(0.0, 1.0),
            variable: of(0.0, alpha),
            variable_rate: of(0.0, 1.0),
            multiplier: of(0.5, 0.5),
            pulled: [0.0; MOST],
            start: 1.0 - alpha,
            start_rate: -1.0,
            correction: 0.0,
            jump_rate: 0.0,
        }
    }

    fn with_pulled(mut self, pull_inverse: &Square) -> Self {
        let of = &self.multiplier;
        self.pulled = std::array::from_fn(|j| (0..MOST).map(|r| of[r] * pull_inverse[r][j]).sum());
        self
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
fn lagrange(nodes: &[f64], x: f64) -> ([f64; MOST + 1], [f64; MOST + 1]) {
    let (mut values, mut slopes) = ([0.0; MOST + 1], [0.0; MOST + 1]);
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
