//! Stretch and curvature summed over Gauss points: the strain energy for deformations of any size
//! (floating-frame-and-ancf gaps 25, 29, 30).
//!
//! ```text
//! V = Σ_g w (½ EA (ε − ε₀)² + ½ EI (κ − κ₀)²),     κ² = w in space, V = ½ EI w where κ₀ = 0
//! N = EA (ε − ε₀) + c_A ε̇,   M = EI (κ − κ₀) + c_B κ̇
//! ```
//! ε₀ and κ₀ are those of the reference at the same points, so that any line in a plane is free of stress as
//! modelled; under a tension N₀ there ε₀ is less by N₀/EA. In space the curvature has no sign: a line with
//! κ₀ may be bent anyhow, but not straightened and bent the other way, and the rate of curvature is
//! ẇ/2√(w + δ²) with a small δ, as |κ| has a kink at 0.
//!
//! Every term is a function φ(m) of a measure m with the gradient g and second derivatives H, and η(m) ṁ:
//!
//! ```text
//! f = −(φ′ + η ṁ) g,    ∂f/∂x = −((φ″ + η′ṁ) g gᵀ + (φ′ + ηṁ) H + η g (Hẋ)ᵀ),    ∂f/∂ẋ = −η g gᵀ
//! step: f = −(Δφ/Δm + η̄ Δm) D,   η̄ of c/h + χ EI at the mean of m
//! ```

use super::cable::CableDesign;
use super::law::{CablePoints, CableSection};
use super::measure::*;
use super::triple::*;
use poinsot_geometry::interpolation::Quadrature;
use poinsot_geometry::{Mat3, Vec3};

/// A Gauss point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    /// ξ in [0, 1].
    pub xi: f64,
    rows: Rows,
    /// Weights of stretch and bending (m).
    pub weights: [f64; 2],
    /// |r′| and κ where there is no stress.
    pub reference: [f64; 2],
}

/// Stretch and curvature of an element.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Curved {
    points: Vec<Point>,
    section: CableSection,
    normal: Option<Vec3>,
    /// δ² (1/m²).
    kink: f64,
}

/// φ′, φ″, η and η′ of a term.
#[derive(Clone, Copy, Debug, Default)]
struct Slopes {
    first: f64,
    second: f64,
    drag: f64,
    drag_slope: f64,
}

/// δ l.
const KINK: f64 = 1e-4;

impl Curved {
    pub fn new(reference: &Triple, l: f64, design: &CableDesign) -> Self {
        let CableDesign { section, normal, .. } = *design;
        let mut curved = Curved { points: vec![], section, normal, kink: (KINK / l) * (KINK / l) };
        let tightened = design.tension / section.axial;
        let rules: &[(usize, [f64; 2])] = match design.points {
            CablePoints::Three => &[(3, [1.0, 1.0])],
            CablePoints::Five => &[(5, [1.0, 0.0]), (3, [0.0, 1.0])],
        };
        for (count, share) in rules {
            let rule = Quadrature::gauss_legendre(*count);
            for (xi, weight) in rule.points.iter().zip(&rule.weights) {
                let xi = 0.5 * (1.0 + xi);
                let rows = Rows::at(xi, l);
                let at = rows.fields(reference);
                // A straight line is straight to the last digit, so that κ² stands for itself.
                let bend = match normal {
                    Some(n) => bend(&at, &n).value,
                    None => square_bend(&at).value.sqrt(),
                };
                let bend = if bend.abs() * l < 1e-10 { 0.0 } else { bend };
                let weights = share.map(|share| share * 0.5 * l * weight);
                curved.points.push(Point {
                    xi,
                    rows,
                    weights,
                    reference: [stretch(&at).value - tightened, bend],
                });
            }
        }
        curved
    }

    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Of the stretch: φ = ½ EA (ε − ε₀)².
    fn axial(&self, p: &Point, value: f64) -> Slopes {
        let c = &self.section;
        Slopes {
            first: c.axial * (value - p.reference[0]),
            second: c.axial,
            drag: c.axial_viscosity,
            drag_slope: 0.0,
        }
    }

    /// Of κ in a plane, of w in space.
    fn bending(&self, p: &Point, value: f64) -> Slopes {
        let (c, zero) = (&self.section, p.reference[1]);
        if self.normal.is_some() {
            return Slopes {
                first: c.bending * (value - zero),
                second: c.bending,
                drag: c.bending_viscosity,
                drag_slope: 0.0,
            };
        }
        let (first, second) = match zero {
            0.0 => (0.5 * c.bending, 0.0),
            // ½ EI (√w − κ₀)²; at w = 0 the direction of bending is lost.
            _ => {
                let k = value.max(self.kink).sqrt();
                (0.5 * c.bending * (1.0 - zero / k), 0.25 * c.bending * zero / (k * k * k))
            }
        };
        let drag = 0.25 * c.bending_viscosity / (value + self.kink);
        Slopes { first, second, drag, drag_slope: -drag / (value + self.kink) }
    }

    fn bend(&self, at: &[Vec3; 2]) -> Measure {
        match &self.normal {
            Some(n) => bend(at, n),
            None => square_bend(at),
        }
    }

    fn bend_second(&self, at: &[Vec3; 2]) -> Second {
        match &self.normal {
            Some(n) => bend_second(at, n),
            None => square_bend_second(at),
        }
    }

    fn energy_of_bending(&self, p: &Point, value: f64) -> f64 {
        let zero = p.reference[1];
        match (self.normal, zero) {
            (None, 0.0) => 0.5 * self.section.bending * value,
            (None, _) => 0.5 * self.section.bending * (value.max(0.0).sqrt() - zero).powi(2),
            _ => 0.5 * self.section.bending * (value - zero).powi(2),
        }
    }

    pub fn energy(&self, w: &Triple) -> f64 {
        let energy = |p: &Point| {
            let at = p.rows.fields(w);
            let axial = stretch(&at).value - p.reference[0];
            0.5 * p.weights[0] * self.section.axial * axial * axial
                + p.weights[1] * self.energy_of_bending(p, self.bend(&at).value)
        };
        self.points.iter().map(energy).sum()
    }

    /// Adds ∂V/∂w and the drag.
    #[inline]
    pub fn gradient(&self, w: &Triple, rate: Option<&Triple>, out: &mut Triple) {
        for p in &self.points {
            let at = p.rows.fields(w);
            let moved = rate.map(|rate| p.rows.fields(rate));
            let mut g = [Vec3::zeros(); 2];
            let mut add = |m: &Measure, s: &Slopes, weight: f64| {
                let speed = moved.map_or(0.0, |v| m.gradient[0].dot(&v[0]) + m.gradient[1].dot(&v[1]));
                let force = weight * (s.first + s.drag * speed);
                g[0] += m.gradient[0] * force;
                g[1] += m.gradient[1] * force;
            };
            if p.weights[0] != 0.0 {
                let m = stretch(&at);
                add(&m, &self.axial(p, m.value), p.weights[0]);
            }
            if p.weights[1] != 0.0 {
                let m = self.bend(&at);
                add(&m, &self.bending(p, m.value), p.weights[1]);
            }
            p.rows.add(&g, out);
        }
    }

    /// Adds the derivatives of that by w and by its rate.
    pub fn tangent(
        &self,
        w: &Triple,
        rate: Option<&Triple>,
        stiffness: &mut TripleMatrix,
        damping: &mut TripleMatrix,
    ) {
        for p in &self.points {
            let at = p.rows.fields(w);
            let moved = rate.map(|rate| p.rows.fields(rate));
            let (mut k, mut c) = ([[Mat3::zeros(); 2]; 2], [[Mat3::zeros(); 2]; 2]);
            let mut put = |m: &Measure, second: &Second, s: &Slopes, weight: f64| {
                let speed = moved.map_or(0.0, |v| m.gradient[0].dot(&v[0]) + m.gradient[1].dot(&v[1]));
                let own = outer(&m.gradient, &m.gradient);
                add(&mut k, &own, weight * (s.second + s.drag_slope * speed));
                add(&mut k, second, weight * (s.first + s.drag * speed));
                if let Some(v) = moved {
                    let turned = [0, 1].map(|i| second[i][0] * v[0] + second[i][1] * v[1]);
                    add(&mut k, &outer(&m.gradient, &turned), weight * s.drag);
                    add(&mut c, &own, weight * s.drag);
                }
            };
            if p.weights[0] != 0.0 {
                let m = stretch(&at);
                put(&m, &stretch_second(&at), &self.axial(p, m.value), p.weights[0]);
            }
            if p.weights[1] != 0.0 {
                let m = self.bend(&at);
                put(&m, &self.bend_second(&at), &self.bending(p, m.value), p.weights[1]);
            }
            p.rows.add_matrix(&k, stiffness);
            if moved.is_some() {
                p.rows.add_matrix(&c, damping);
            }
        }
    }

    /// Power lost (W).
    pub fn lost(&self, w: &Triple, rate: &Triple) -> f64 {
        let lost = |p: &Point| {
            let (at, v) = (p.rows.fields(w), p.rows.fields(rate));
            let speed = |m: &Measure| m.gradient[0].dot(&v[0]) + m.gradient[1].dot(&v[1]);
            let (axial, bending) = (stretch(&at), self.bend(&at));
            p.weights[0] * self.section.axial_viscosity * speed(&axial).powi(2)
                + p.weights[1] * self.bending(p, bending.value).drag * speed(&bending).powi(2)
        };
        self.points.iter().map(lost).sum()
    }
}

/// A term over a step: the force along its measure, its derivative by the measure at the end, and the work
/// that is lost.
struct StepTerm {
    force: f64,
    by_end: f64,
    lost: f64,
}

impl Curved {
    /// Of the stretch or κ, whose energies are ½ C (m − m₀)²; `drag` is c/h + χC.
    fn straight_term(c: f64, drag: f64, zero: f64, [m, after]: [f64; 2]) -> StepTerm {
        let change = after - m;
        StepTerm {
            force: c * (0.5 * (m + after) - zero) + drag * change,
            by_end: 0.5 * c + drag,
            lost: drag * change * change,
        }
    }

    /// Of w.
    fn square_term(&self, drag: f64, zero: f64, [w, after]: [f64; 2]) -> StepTerm {
        let c = self.section.bending;
        let (root, end) = (w.max(self.kink).sqrt(), after.max(self.kink).sqrt());
        let (force, by_end) = match zero {
            0.0 => (0.5 * c, 0.0),
            _ => (c * (0.5 - zero / (root + end)), c * zero / ((root + end).powi(2) * 2.0 * end)),
        };
        let (change, size) = (after - w, 0.5 * (w + after) + self.kink);
        let eta = 0.25 * drag / size;
        StepTerm {
            force: force + eta * change,
            by_end: by_end + eta - 0.5 * eta * change / size,
            lost: eta * change * change,
        }
    }

    /// The measures at both ends and the terms of a point, stretch first.
    fn step_terms(&self, p: &Point, ends: &Ends, h: f64, chi: f64) -> [StepTerm; 2] {
        let c = &self.section;
        let both = |f: &dyn Fn(&[Vec3; 2]) -> f64| [f(&ends.from), f(&ends.to)];
        let lengths = both(&|at| stretch(at).value);
        let bends = both(&|at| self.bend(at).value);
        let drags = [c.axial_viscosity / h + chi * c.axial, c.bending_viscosity / h + chi * c.bending];
        let bending = match self.normal {
            Some(_) => Self::straight_term(c.bending, drags[1], p.reference[1], bends),
            None => self.square_term(drags[1], p.reference[1], bends),
        };
        [Self::straight_term(c.axial, drags[0], p.reference[0], lengths), bending]
    }

    fn ends(p: &Point, [from, to]: [&Triple; 2]) -> Ends {
        Ends { from: p.rows.fields(from), to: p.rows.fields(to) }
    }

    fn bend_step(&self, ends: &Ends) -> [Vec3; 2] {
        match &self.normal {
            Some(n) => bend_step(ends, n),
            None => square_bend_step(ends),
        }
    }

    /// Adds the mean of ∂V/∂w over a step, with drag and dissipation.
    pub fn step_gradient(&self, step: [&Triple; 2], h: f64, chi: f64, out: &mut Triple) {
        for p in &self.points {
            let ends = Self::ends(p, step);
            let [axial, bending] = self.step_terms(p, &ends, h, chi);
            let (by_axial, by_bending) = (stretch_step(&ends), self.bend_step(&ends));
            let (a, b) = (axial.force * p.weights[0], bending.force * p.weights[1]);
            p.rows.add(&[0, 1].map(|i| by_axial[i] * a + by_bending[i] * b), out);
        }
    }

    /// Adds its derivative by the end of the step.
    pub fn step_tangent(&self, step: [&Triple; 2], h: f64, chi: f64, out: &mut TripleMatrix) {
        for p in &self.points {
            let ends = Self::ends(p, step);
            let [axial, bending] = self.step_terms(p, &ends, h, chi);
            let mut k = [[Mat3::zeros(); 2]; 2];
            let mut put = |t: &StepTerm, d: &[Vec3; 2], second: &Second, end: &Measure, weight: f64| {
                add(&mut k, &outer(d, &end.gradient), weight * t.by_end);
                add(&mut k, second, weight * t.force);
            };
            let second = match &self.normal {
                Some(n) => bend_step_second(&ends, n),
                None => square_bend_step_second(&ends),
            };
            let stretched = stretch_step_second(&ends);
            put(&axial, &stretch_step(&ends), &stretched, &stretch(&ends.to), p.weights[0]);
            put(&bending, &self.bend_step(&ends), &second, &self.bend(&ends.to), p.weights[1]);
            p.rows.add_matrix(&k, out);
        }
    }

    /// Work lost over a step (J).
    pub fn step_lost(&self, step: [&Triple; 2], h: f64, chi: f64) -> f64 {
        let lost = |p: &Point| {
            let [axial, bending] = self.step_terms(p, &Self::ends(p, step), h, chi);
            axial.lost * p.weights[0] + bending.lost * p.weights[1]
        };
        self.points.iter().map(lost).sum()
    }
}
