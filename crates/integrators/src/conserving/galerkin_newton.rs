//! The equations of a Galerkin step of degree k and Newton's iteration for them (energy-momentum-null-space
//! I-17, I-18).
//!
//! ```text
//! balance        M a_i + ∫ M_i f(z, z′/h, λ, t) dα = 0,   i = 1 … k
//! holonomic      ∫ M_i Φ′ dα = 0:   Φ(z_k, t⁺) = 0 for i = 1,   h ∫ M_i (G z′/h + drift) dα = 0 for i = 2 … k
//! on velocities  h ∫ M_i (G z′/h + drift) dα = 0,   i = 1 … k
//! ```
//! Unknown e of the view has k coefficients at k·e … k·e + k − 1: those of ẇ, or of λ in the entry of a row.
//! This keeps the elimination order. Rows are multiplied by B⁻¹/h², see [`TimeElement`].
//!
//! The mass of thin bodies is singular in the directors, and that of others may be indefinite; pivots in
//! elimination order then lose digits. The equations of each body are therefore solved with γ Gᵀ times its
//! rows of rigidity added, M + γ GᵀG in place of M: the solution is the same.

use crate::conserving::constrained_newton::{Effort, Scale, Unsolved};
use crate::conserving::time_element::{Point, Polynomials, TimeElement};
use crate::linear::factors::Factors;
use crate::newton::convergence::{Convergence, Next};
use crate::newton::policy::{self, GROWN_ROUND_OFF};
use poinsot_mechanics::conserving::{Conserving, ConservingScratch, Derivatives, Sampling, StepInstant};
use poinsot_mechanics::{Frame, FrameRate, Power};
use poinsot_numerics::pattern::{Pattern, PatternBuilder};

/// The path through a step.
#[derive(Clone, Debug)]
pub(crate) struct Course {
    pub t: f64,
    pub h: f64,
    /// z₀, w₀ and memory at the start.
    pub start: Vec<Frame>,
    pub rates: Vec<FrameRate>,
    pub memory: Vec<f64>,
    /// Coefficients of ẇ and λ.
    pub u: Vec<f64>,
    /// At the place visited last: z, z − z₀, z′/h, λ.
    pub frames: Vec<Frame>,
    pub change: Vec<FrameRate>,
    pub speeds: Vec<FrameRate>,
    pub lambda: Vec<f64>,
    t_visited: f64,
}

/// Most unknowns of one node.
const MOST: usize = 12;

impl Course {
    fn new(view: &Conserving, degree: usize) -> Self {
        let (nodes, n) = (view.system().nodes().len(), view.size());
        Course {
            t: 0.0,
            h: 0.0,
            start: vec![Frame::identity(); nodes],
            rates: vec![FrameRate::zero(); nodes],
            memory: vec![],
            u: vec![0.0; degree * n],
            frames: vec![Frame::identity(); nodes],
            change: vec![FrameRate::zero(); nodes],
            speeds: vec![FrameRate::zero(); nodes],
            lambda: vec![0.0; n],
            t_visited: 0.0,
        }
    }

    /// Σ_j p_j a_j of a node.
    pub fn combined(&self, view: &Conserving, id: usize, k: usize, p: &Polynomials) -> FrameRate {
        let mut sum = [0.0; MOST];
        let unknowns = view.unknowns(id);
        for (sum, a) in sum.iter_mut().zip(self.u[k * unknowns.start..k * unknowns.end].chunks_exact(k)) {
            *sum = a.iter().zip(p).map(|(a, p)| a * p).sum();
        }
        view.natural_rate(id, &sum)
    }

    /// z = z₀ + h α w₀ + h² Σ ψ_j a_j, z′/h = w₀ + h Σ ψ_j′ a_j, λ = Σ M_j λ_j.
    pub fn visit(&mut self, view: &Conserving, k: usize, p: &Point) {
        let h = self.h;
        self.t_visited = self.t + p.alpha * h;
        for id in 1..self.start.len() {
            let w = self.rates[id];
            self.change[id] = w * (h * p.alpha) + self.combined(view, id, k, &p.path) * (h * h);
            self.speeds[id] = w + self.combined(view, id, k, &p.speed) * h;
            self.frames[id] = self.start[id].plus(&self.change[id]);
        }
        // Entries of unknowns are filled too; nothing reads them.
        for (l, u) in self.lambda.iter_mut().zip(self.u.chunks_exact(k)) {
            *l = u.iter().zip(&p.base).map(|(u, m)| u * m).sum();
        }
    }

    fn inside(&self) -> StepInstant<'_> {
        StepInstant {
            t: self.t_visited,
            frames: &self.frames,
            rates: &self.speeds,
            lambda: &self.lambda,
            memory: &self.memory,
        }
    }
}

/// What an equation of the view is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Equation {
    Balance,
    Holonomic,
    OnVelocities,
    /// A row out of force.
    Idle,
}

/// The rows of rigidity of one body that are added to its balance.
#[derive(Debug)]
struct Stiffening {
    node: usize,
    /// First unknown and first row in the view.
    unknown: usize,
    row: usize,
    /// γ = tr E.
    gamma: f64,
    /// γ G where the matrix was factored.
    weights: [[f64; MOST]; 6],
    /// Places of the body's unknowns and rows in the columns of its unknowns.
    places: [([usize; MOST], [usize; 6]); MOST],
}

impl Stiffening {
    fn of(view: &Conserving) -> Vec<Self> {
        let pattern = view.pattern();
        let new = |node: usize, row: usize| {
            let unknown = view.unknowns(node).start;
            let gamma = view.system().director_mass(node);
            if gamma == 0.0 {
                return None;
            }
            let place = |e: usize, c: usize| {
                pattern
                    .index(unknown + e, unknown + c)
                    .map_or(0, |slot| slot - pattern.slots(unknown + c).start)
            };
            let row_place = |r: usize, c: usize| {
                pattern.index(row + r, unknown + c).map_or(0, |slot| slot - pattern.slots(unknown + c).start)
            };
            let places = std::array::from_fn(|c| {
                (std::array::from_fn(|e| place(e, c)), std::array::from_fn(|r| row_place(r, c)))
            });
            Some(Stiffening { node, unknown, row, gamma, weights: [[0.0; MOST]; 6], places })
        };
        view.internal().iter().filter_map(|i| new(i.node, i.eq)).collect()
    }

    /// Adds γ Gᵀ times the rows to the body's part of the right-hand side.
    fn stiffen(&self, k: usize, residual: &mut [f64]) {
        for (r, weights) in self.weights.iter().enumerate() {
            for (e, weight) in weights.iter().enumerate() {
                for i in 0..k {
                    residual[k * (self.unknown + e) + i] += weight * residual[k * (self.row + r) + i];
                }
            }
        }
    }

    /// The same in the matrix.
    fn stiffen_matrix(&self, k: usize, pattern: &Pattern, values: &mut [f64]) {
        for (c, (unknowns, rows)) in self.places.iter().enumerate() {
            for j in 0..k {
                let start = pattern.slots(k * (self.unknown + c) + j).start;
                for (row, weights) in rows.iter().zip(&self.weights) {
                    for (unknown, weight) in unknowns.iter().zip(weights) {
                        for i in 0..k {
                            values[start + k * unknown + i] += weight * values[start + k * row + i];
                        }
                    }
                }
            }
        }
    }
}

#[derive(Debug)]
pub(crate) struct GalerkinNewton {
    pub element: TimeElement,
    pub course: Course,
    /// Whether anything needs more points than the degree.
    averages: bool,
    equations: Vec<Equation>,
    pattern: Pattern,
    factors: Factors,
    values: Vec<f64>,
    /// M in the slots of the view.
    inertia: Vec<f64>,
    by_position: Vec<f64>,
    by_rate: Vec<f64>,
    residual: Vec<f64>,
    /// One number per equation of the view.
    out: Vec<f64>,
    part: Vec<f64>,
    forces: Vec<FrameRate>,
    stiffenings: Vec<Stiffening>,
    factored_for: Option<f64>,
    convergence: Convergence,
    room: ConservingScratch,
}

impl GalerkinNewton {
    pub fn new(view: &Conserving, degree: usize, points: usize) -> Self {
        let n = view.size();
        let mut equations = vec![Equation::Balance; n];
        view.system().constraint_equations().iter().for_each(|&eq| equations[view.row(eq)] = Equation::Idle);
        view.enforced_equations().iter().for_each(|&eq| equations[eq] = Equation::OnVelocities);
        view.holonomic_equations().iter().for_each(|&eq| equations[eq] = Equation::Holonomic);
        let pattern = expanded(view.pattern(), degree);
        let mut inertia = vec![0.0; view.pattern().nnz()];
        view.inertia_matrix(&mut inertia);
        GalerkinNewton {
            element: TimeElement::new(degree, points),
            course: Course::new(view, degree),
            averages: view.averages(),
            equations,
            factors: Factors::of(&pattern),
            values: vec![0.0; pattern.nnz()],
            inertia,
            by_position: vec![0.0; view.pattern().nnz()],
            by_rate: vec![0.0; view.pattern().nnz()],
            residual: vec![0.0; degree * n],
            out: vec![0.0; n],
            part: vec![0.0; n],
            forces: vec![FrameRate::zero(); view.system().nodes().len()],
            pattern,
            stiffenings: Stiffening::of(view),
            factored_for: None,
            convergence: Convergence::new(policy::GALERKIN),
            room: ConservingScratch::default(),
        }
    }

    /// Solves the step from the coefficients as they are.
    pub fn solve(&mut self, view: &Conserving, scale: &Scale) -> Result<Effort, Unsolved> {
        let mut effort = Effort::default();
        self.convergence.begin();
        for _ in 0..scale.max_iterations {
            self.evaluate(view)?;
            effort.residuals += 1;
            if self.factored_for != Some(self.course.h) {
                effort.factorisations += 1;
                self.factor(view)?;
            }
            let size = self.improve(view, scale);
            effort.iterations += 1;
            if !size.is_finite() {
                break;
            }
            match self.convergence.judge(size, scale.tolerance, [GROWN_ROUND_OFF, 0.0]) {
                Next::Done => return Ok(effort),
                Next::Iterate => {}
                Next::Factor => self.factored_for = None,
            }
        }
        self.factored_for = None;
        Err(Unsolved::NoConvergence(self.largest()))
    }

    /// Work of forces and drives over the step, by the rules of the balance.
    pub fn work(&mut self, view: &Conserving) -> Power {
        let mut sum = Power::default();
        for (sampling, g) in self.places() {
            let (k, point) = (self.element.degree, self.point(sampling, g));
            self.course.visit(view, k, &point);
            let power = view.power_inside(sampling, &self.course.inside(), &mut self.room);
            sum.supplied += power.supplied * point.weight * self.course.h;
            sum.dissipated += power.dissipated * point.weight * self.course.h;
        }
        sum
    }

    /// All places at which elements are evaluated.
    fn places(&self) -> impl Iterator<Item = (Sampling, usize)> + use<> {
        let more = if self.averages { self.element.average.len() } else { 0 };
        let collocated = (0..self.element.degree).map(|g| (Sampling::Collocated, g));
        collocated.chain((0..more).map(|g| (Sampling::Averaged, g)))
    }

    fn point(&self, sampling: Sampling, g: usize) -> Point {
        match sampling {
            Sampling::Collocated => self.element.collocation[g],
            Sampling::Averaged => self.element.average[g],
        }
    }

    /// Residual at the current coefficients; leaves the course at the end of the step.
    fn evaluate(&mut self, view: &Conserving) -> Result<(), Unsolved> {
        let (k, h) = (self.element.degree, self.course.h);
        self.residual.fill(0.0);
        for i in 0..k {
            self.part.iter_mut().zip(self.course.u.chunks_exact(k)).for_each(|(a, u)| *a = u[i]);
            self.out.fill(0.0);
            view.add_inertia_of(&self.part, &mut self.out);
            self.residual.chunks_exact_mut(k).zip(&self.out).for_each(|(r, out)| r[i] += out);
        }
        for (sampling, g) in self.places() {
            let point = self.point(sampling, g);
            self.course.visit(view, k, &point);
            let at = self.course.inside();
            view.balance_inside(sampling, &at, &mut self.forces, &mut self.out, &mut self.room);
            for ((r, out), equation) in self.residual.chunks_exact_mut(k).zip(&self.out).zip(&self.equations)
            {
                let (tests, factor) = tests(*equation, &point, h);
                r.iter_mut().zip(tests).for_each(|(r, m)| *r += factor * m * out);
            }
        }
        self.course.visit(view, k, &self.element.end);
        let course = &self.course;
        view.positions_at_end(&course.inside(), &course.start, &course.change, &mut self.out, &mut self.room);
        for ((r, out), equation) in self.residual.chunks_exact_mut(k).zip(&self.out).zip(&self.equations) {
            if *equation == Equation::Holonomic {
                r.iter_mut().enumerate().for_each(|(i, r)| *r += self.element.of_mean(i) / (h * h) * out);
            }
        }
        Unsolved::check(&self.residual).map_err(|error| match error {
            Unsolved::NotANumber(entry) => Unsolved::NotANumber(entry / k),
            other => other,
        })
    }

    /// The step matrix at the current coefficients, factored.
    fn factor(&mut self, view: &Conserving) -> Result<(), Unsolved> {
        let (k, h) = (self.element.degree, self.course.h);
        self.values.fill(0.0);
        let inertia = std::mem::take(&mut self.inertia);
        self.add(view, &inertia, |_, _, i, j| if i == j { 1.0 } else { 0.0 });
        self.inertia = inertia;
        for (sampling, g) in self.places() {
            let point = self.point(sampling, g);
            self.course.visit(view, k, &point);
            let mut to = Derivatives { by_position: &mut self.by_position, by_rate: &mut self.by_rate };
            view.tangent_inside(sampling, &self.course.inside(), &mut to, &mut self.room);
            self.add_point(view, &point);
        }
        self.course.visit(view, k, &self.element.end);
        let mut gradients = std::mem::take(&mut self.by_rate);
        view.end_gradients(&self.course.inside(), &mut gradients, &mut self.room);
        let (column, row): (Polynomials, Polynomials) = (
            self.element.end.path,
            std::array::from_fn(|i| if i < k { self.element.of_mean(i) } else { 0.0 }),
        );
        self.add(view, &gradients, |_, _, i, j| row[i] * column[j]);
        self.by_rate = gradients;
        for stiffening in &mut self.stiffenings {
            stiffening.weights = view.rigidity_gradients(&self.course.frames[stiffening.node]);
            stiffening.weights.as_flattened_mut().iter_mut().for_each(|w| *w *= stiffening.gamma);
            stiffening.stiffen_matrix(k, &self.pattern, &mut self.values);
        }
        let outcome = self.factors.factor_of(&self.pattern, &self.values);
        self.factored_for = outcome.is_ok().then_some(h);
        self.convergence.factored();
        outcome.map_err(|e| Unsolved::Singular(e.row / k))
    }

    /// Adds the k×k blocks of a matrix of the view: entry (r, c) times share(r, c, i, j).
    fn add(&mut self, view: &Conserving, entries: &[f64], share: impl Fn(usize, usize, usize, usize) -> f64) {
        let (k, pattern) = (self.element.degree, view.pattern());
        for c in 0..pattern.n() {
            let slots = pattern.slots(c);
            for (place, (&r, &entry)) in pattern.rows(c).iter().zip(&entries[slots]).enumerate() {
                if entry != 0.0 {
                    for j in 0..k {
                        let from = self.pattern.slots(k * c + j).start + k * place;
                        for (i, value) in self.values[from..from + k].iter_mut().enumerate() {
                            *value += share(r, c, i, j) * entry;
                        }
                    }
                }
            }
        }
    }

    /// Adds the derivatives at a place: ∂z/∂a_j = h² ψ_j, ∂ż/∂a_j = h ψ_j′, ∂λ/∂λ_j = M_j.
    fn add_point(&mut self, view: &Conserving, point: &Point) {
        let (k, h, pattern) = (self.element.degree, self.course.h, view.pattern());
        for c in 0..pattern.n() {
            let is_row = self.equations[c] != Equation::Balance;
            let slots = pattern.slots(c);
            let entries = self.by_position[slots.clone()].iter().zip(&self.by_rate[slots]);
            for (place, (&r, (&position, &rate))) in pattern.rows(c).iter().zip(entries).enumerate() {
                if position == 0.0 && rate == 0.0 {
                    continue;
                }
                let (tests, factor) = tests(self.equations[r], point, h);
                for j in 0..k {
                    let moved = if is_row {
                        point.base[j] * position
                    } else {
                        h * (h * point.path[j] * position + point.speed[j] * rate)
                    };
                    let from = self.pattern.slots(k * c + j).start + k * place;
                    let values = self.values[from..from + k].iter_mut().zip(tests);
                    values.for_each(|(value, m)| *value += factor * moved * m);
                }
            }
        }
    }

    /// One increment; returns its size relative to the way of a step.
    fn improve(&mut self, view: &Conserving, scale: &Scale) -> f64 {
        let (k, beta) = (self.element.degree, 0.5 * self.course.h * self.course.h);
        self.stiffenings.iter().for_each(|stiffening| stiffening.stiffen(k, &mut self.residual));
        self.factors.solve(&mut self.residual);
        self.course.u.iter_mut().zip(&self.residual).for_each(|(u, r)| *u -= r);
        let mut size: f64 = 0.0;
        for (id, node) in view.system().nodes().iter().enumerate().skip(1) {
            let unknowns = view.unknowns(id);
            let d = &self.residual[k * unknowns.start..k * unknowns.end];
            let (linear, angular) = d.split_at(d.len().min(k * node.chart.linear_dofs()));
            let largest = |x: &[f64]| beta * x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            size = size.max(largest(linear) / scale.linear).max(largest(angular) / scale.angular);
        }
        if self.residual.iter().sum::<f64>().is_finite() { size } else { f64::NAN }
    }

    /// The equation of the view with the largest increment.
    fn largest(&self) -> usize {
        let k = self.element.degree;
        let size = |e: &usize| self.residual[k * e..k * e + k].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let unknowns = (0..self.equations.len()).filter(|&e| self.equations[e] == Equation::Balance);
        unknowns.max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(0)
    }
}

/// What an equation is tested with at a place, and the factor of all of it.
#[inline]
fn tests(equation: Equation, point: &Point, h: f64) -> (&Polynomials, f64) {
    match equation {
        Equation::Balance => (&point.base, point.weight),
        Equation::Holonomic => (&point.rows_without_mean, point.weight / h),
        Equation::OnVelocities => (&point.rows, point.weight / h),
        Equation::Idle => (&point.rows, 0.0),
    }
}

/// The pattern with every entry expanded to a k×k block.
fn expanded(pattern: &Pattern, k: usize) -> Pattern {
    let mut builder = PatternBuilder::new(k * pattern.n());
    for c in 0..pattern.n() {
        let mut columns = [0; crate::conserving::time_element::MAX_GALERKIN_DEGREE];
        let mut rows = columns;
        (0..k).for_each(|j| columns[j] = k * c + j);
        for &r in pattern.rows(c).iter().filter(|r| **r <= c) {
            (0..k).for_each(|i| rows[i] = k * r + i);
            builder.add_block(&rows[..k], &columns[..k]);
        }
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use poinsot_expr::{Expr, SmoothFunction};
    use poinsot_geometry::{Mat3, Vec3, so3};
    use poinsot_mechanics::conserving::Coordinates;
    use poinsot_mechanics::forces::CoordinateForce;
    use poinsot_mechanics::joints::{Attachment, distance, revolute, rolling_disk};
    use poinsot_mechanics::*;

    /// A crank with motor and friction, a body on a rod and a spring, a rolling disk, a point.
    fn system() -> System {
        let mut b = SystemBuilder::new(Vec3::z() * -9.81);
        let mut body = |r: Vec3, turned: Vec3, angular: Vec3| {
            let linear = Vec3::new(0.3, -0.2, 0.5);
            let node =
                b.node("body", Chart::Motion, Frame { r, rot: so3::exp(&turned) }, Twist { linear, angular });
            let inertia = Mat3::from_diagonal(&Vec3::new(0.06, 0.05, 0.08));
            b.body(Body::new(node, &MassProperties::new(1.0, Vec3::new(0.1, 0.0, 0.05), inertia)));
            node
        };
        let crank = body(Vec3::zeros(), Vec3::z() * 0.2, Vec3::z() * 4.0);
        let bob = body(Vec3::new(0.7, 0.4, 0.3), Vec3::new(0.3, -0.2, 0.4), Vec3::new(1.0, 2.0, -0.5));
        let disk = body(Vec3::new(3.0, 0.0, 0.48), Vec3::new(1.3, 0.1, 0.0), Vec3::new(0.4, 0.7, 4.0));
        let at = |node, origin| Attachment { node, origin, axes: Mat3::identity() };
        let point = b.node(
            "point",
            Chart::Point,
            Frame { r: Vec3::new(1.0, 1.0, 1.0), rot: Mat3::identity() },
            Twist { linear: Vec3::y(), angular: Vec3::zeros() },
        );
        b.body(Body::new(point, &MassProperties::point(2.0, Vec3::zeros())));
        let axle = [at(GROUND, Vec3::zeros()), at(crank, Vec3::zeros())];
        let hinge = b.constraint("axle", Box::new(revolute(&axle[0], &axle[1])));
        let coordinate = Coordinate::angle(&axle[0], &axle[1]);
        let law =
            SmoothFunction::new(&Expr::parse("3*t + 0.2*sin(5*t)").unwrap(), &["t"], &|_| None).unwrap();
        b.constraint("motor", Box::new(drives::coordinate(coordinate.clone(), law, axle[1].point())));
        let friction = Friction {
            coordinate,
            weights: [1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
            static_coefficient: 0.2,
            dynamic_coefficient: 0.1,
            stribeck: 1.0,
            transition: 0.5,
            lever: 0.1,
            viscous: 0.1,
            preload: 0.0,
        };
        b.friction(hinge, friction);
        b.constraint("rod", Box::new(distance(&at(crank, Vec3::x()), &at(bob, Vec3::y() * 0.2), 0.8)));
        b.constraint(
            "contact",
            Box::new(rolling_disk(&at(GROUND, Vec3::zeros()), &at(disk, Vec3::zeros()), 0.5)),
        );
        let coordinate = Coordinate::distance(&at(point, Vec3::zeros()), &at(bob, Vec3::z() * 0.4));
        let spring = CoordinateForce { coordinate, stiffness: 12.0, damping: 0.7, free: 0.8, law: None };
        b.force("spring", Box::new(spring));
        b.build()
    }

    /// The step matrix is the derivative of the residual, by central differences.
    #[test]
    fn matrix_is_the_derivative_of_the_residual() {
        let system = system();
        let view = Conserving::new(&system, Coordinates::Directors);
        for k in 1..=3 {
            let mut newton = GalerkinNewton::new(&view, k, k + 2);
            let state = system.start_state(0.0);
            let course = &mut newton.course;
            course.h = 0.1;
            course.rates = (0..state.frames.len())
                .map(|id| state.frames[id].rate(&system.twist(id, &state.v)))
                .collect();
            course.start.clone_from(&state.frames);
            course.memory.clone_from(&state.memory);
            course.u.iter_mut().enumerate().for_each(|(i, u)| *u = ((i * 7 % 11) as f64 - 5.0) * 0.3);
            newton.evaluate(&view).unwrap();
            newton.factor(&view).unwrap();
            let values = newton.values.clone();
            for c in 0..newton.course.u.len() {
                let step = 1e-5;
                let u = newton.course.u[c];
                let mut sides = [step, -step].map(|d| {
                    newton.course.u[c] = u + d;
                    newton.evaluate(&view).unwrap();
                    let mut residual = newton.residual.clone();
                    newton.stiffenings.iter().for_each(|s| s.stiffen(k, &mut residual));
                    residual
                });
                newton.course.u[c] = u;
                let scale = 0.5 / step;
                let [plus, minus] = &mut sides;
                plus.iter_mut().zip(minus.iter()).for_each(|(p, m)| *p = (*p - m) * scale);
                for (&r, slot) in newton.pattern.rows(c).iter().zip(newton.pattern.slots(c)) {
                    let (found, exact) = (values[slot], plus[r]);
                    let names = [r, c].map(|e| view.equation_name(e / k));
                    assert!(
                        (found - exact).abs() < 1e-6 * (1.0 + exact.abs()),
                        "{k} {names:?}: {found} {exact}"
                    );
                }
            }
        }
    }
}
