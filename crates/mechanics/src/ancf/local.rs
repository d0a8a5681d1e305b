//! Strains with respect to a frame of the element, in the plane (floating-frame-and-ancf §1.21.3;
//! gs4-isochronous-integrators I-88 … I-90, I-93).
//!
//! ```text
//! a = c/|c|,  b = n × a;   c = δ (pinned frame) or r_O′ (tangent frame)
//! u_k = (a·w_k, b·w_k)                      local components of w = (r_O′, δ, r_A′)
//! chord   V = ½ (u − u₀)ᵀ K̄ (u − u₀),       K̄ = ∫ EA s′s′ᵀ ⊗ diag(1, 0) + EI s″s″ᵀ ⊗ diag(0, 1)
//! Green   V = ∫ EA/8 (r_x′² + r_y′² − 1)² + EI/4 (3 r_x′² + r_y′² − 1) r_y″² + EÎ/8 r_y″⁴,   Î = ∫y⁴ dA
//! ```
//! u₀ = (1, 0, l, 0, 1, 0) of the straight reference. The differences u − u₀ keep digits that (7.36) of the
//! book loses, and K̄ is computed once. Errata: the printed matrices (7.38) … (7.44) are broken; factors of
//! Green's energy are wrong in print. With p = ∂V/∂u, K = ∂²V/∂u² and J that turns each pair by −90°,
//!
//! ```text
//! ∂V/∂w = T p + φ_c (pᵀJu),   φ_c = b/|c|
//! ∂²V/∂w² = T K Tᵀ + h φ_cᵀ + φ_c hᵀ + (uᵀJᵀKJu − pᵀu) φ_c φ_cᵀ + (pᵀJu) ∂²φ,   h = T(Jᵀp + KJu)
//! ∂²φ = −(a bᵀ + b aᵀ)/|c|²
//! ```
//! Over a step p̄ = ∫₀¹ ∂V(u + τΔu) dτ, exact with two Gauss points as V is of fourth degree, and u changes
//! by
//!
//! ```text
//! Δ(w_k·c/|c|) = ½(1/L + 1/L⁺) Δ(w_k·c) − ½(w_k·c + w⁺_k·c⁺) ΔL/(LL⁺),   ΔL = (c + c⁺)·Δc/(L + L⁺)
//! ```
//! and the like with n × c: products of two vectors, whose differences are their gradients at the mean.

use super::law::{CableFrame, CableSection};
use super::triple::*;
use poinsot_geometry::interpolation::Quadrature;
use poinsot_geometry::{Mat3, Vec3};

/// Local components.
type Local6 = [f64; 6];

/// The energy of local components.
#[derive(Clone, Debug, PartialEq)]
enum Energy {
    /// K̄ and u₀.
    Chord(Box<[[f64; 6]; 6]>, Local6),
    /// Gauss points with weights, EA, EI and EÎ.
    Green(Vec<(Rows, f64)>, [f64; 3]),
}

/// Strains with respect to a frame of the element.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LocalStrain {
    energy: Energy,
    /// Which of w the frame follows.
    along: usize,
    normal: Vec3,
}

/// Gauss points on [0, l].
fn gauss(count: usize, l: f64) -> Vec<(Rows, f64)> {
    let rule = Quadrature::gauss_legendre(count);
    let point = |(xi, w): (&f64, &f64)| (Rows::at(0.5 * (1.0 + xi), l), 0.5 * l * w);
    rule.points.iter().zip(&rule.weights).map(point).collect()
}

fn along(frame: CableFrame) -> usize {
    match frame {
        CableFrame::Pinned => 1,
        CableFrame::Tangent => 0,
    }
}

/// The frame of the element at w.
struct Axes {
    a: Vec3,
    b: Vec3,
    length: f64,
    u: Local6,
}

impl LocalStrain {
    /// Linear strains, from any reference.
    pub fn chord(reference: &Triple, l: f64, c: &CableSection, normal: Vec3, frame: CableFrame) -> Self {
        let mut k = Box::new([[0.0; 6]; 6]);
        for (rows, weight) in gauss(4, l) {
            for i in 0..3 {
                for j in 0..3 {
                    k[2 * i][2 * j] += weight * c.axial * rows.slope[i] * rows.slope[j];
                    k[2 * i + 1][2 * j + 1] += weight * c.bending * rows.curvature[i] * rows.curvature[j];
                }
            }
        }
        let mut law = LocalStrain { energy: Energy::Green(vec![], [0.0; 3]), along: along(frame), normal };
        let start = law.axes(reference).u;
        law.energy = Energy::Chord(k, start);
        law
    }

    /// Green's strain of fibres.
    pub fn green(l: f64, c: &CableSection, normal: Vec3, frame: CableFrame) -> Self {
        let energy = Energy::Green(gauss(5, l), [c.axial, c.bending, c.fourth]);
        LocalStrain { energy, along: along(frame), normal }
    }

    fn axes(&self, w: &Triple) -> Axes {
        let c = w[self.along];
        let length = c.norm();
        let a = c / length;
        let b = self.normal.cross(&a);
        let mut u = [0.0; 6];
        for (k, w) in w.iter().enumerate() {
            (u[2 * k], u[2 * k + 1]) = (a.dot(w), b.dot(w));
        }
        (u[2 * self.along], u[2 * self.along + 1]) = (length, 0.0);
        Axes { a, b, length, u }
    }

    pub fn energy(&self, w: &Triple) -> f64 {
        self.energy_of(&self.axes(w).u)
    }

    /// V(u).
    fn energy_of(&self, u: &Local6) -> f64 {
        match &self.energy {
            Energy::Chord(k, start) => {
                let d = minus(u, start);
                0.5 * product(&d, &times(k, &d))
            }
            Energy::Green(points, [ea, ei, fourth]) => {
                let at = |(rows, weight): &(Rows, f64)| {
                    let [x, y, bend] = fields(rows, u);
                    let (green, square) = (x * x + y * y - 1.0, bend * bend);
                    weight
                        * (ea / 8.0 * green * green
                            + ei / 4.0 * (green + 2.0 * x * x) * square
                            + fourth / 8.0 * square * square)
                };
                points.iter().map(at).sum()
            }
        }
    }

    /// ∂V/∂u.
    fn slopes(&self, u: &Local6) -> Local6 {
        match &self.energy {
            Energy::Chord(k, start) => times(k, &minus(u, start)),
            Energy::Green(points, [ea, ei, fourth]) => {
                let mut p = [0.0; 6];
                for (rows, weight) in points {
                    let [x, y, bend] = fields(rows, u);
                    let (green, square) = (x * x + y * y - 1.0, bend * bend);
                    let by = [
                        weight * x * (0.5 * ea * green + 1.5 * ei * square),
                        weight * y * (0.5 * ea * green + 0.5 * ei * square),
                        weight * bend * (0.5 * ei * (green + 2.0 * x * x) + 0.5 * fourth * square),
                    ];
                    for i in 0..3 {
                        p[2 * i] += by[0] * rows.slope[i];
                        p[2 * i + 1] += by[1] * rows.slope[i] + by[2] * rows.curvature[i];
                    }
                }
                p
            }
        }
    }

    /// Adds factor · ∂²V/∂u².
    fn add_stiffness(&self, u: &Local6, factor: f64, out: &mut [[f64; 6]; 6]) {
        match &self.energy {
            Energy::Chord(k, _) => {
                for (out, k) in out.iter_mut().zip(k.iter()) {
                    out.iter_mut().zip(k).for_each(|(out, k)| *out += factor * k);
                }
            }
            Energy::Green(points, [ea, ei, fourth]) => {
                for (rows, weight) in points {
                    let [x, y, bend] = fields(rows, u);
                    let (green, square) = (x * x + y * y - 1.0, bend * bend);
                    let w = weight * factor;
                    let second = [
                        [ea * (0.5 * green + x * x) + 1.5 * ei * square, ea * x * y, 3.0 * ei * x * bend],
                        [ea * x * y, ea * (0.5 * green + y * y) + 0.5 * ei * square, ei * y * bend],
                        [
                            3.0 * ei * x * bend,
                            ei * y * bend,
                            0.5 * ei * (green + 2.0 * x * x) + 1.5 * fourth * square,
                        ],
                    ];
                    // (r_x′, r_y′, r_y″) in u.
                    let row = |k: usize| {
                        let mut row = [0.0; 6];
                        let (from, all) = [(0, &rows.slope), (1, &rows.slope), (1, &rows.curvature)][k];
                        (0..3).for_each(|i| row[2 * i + from] = all[i]);
                        row
                    };
                    let basis = [row(0), row(1), row(2)];
                    for (i, out) in out.iter_mut().enumerate() {
                        for (j, out) in out.iter_mut().enumerate() {
                            for a in 0..3 {
                                for b in 0..3 {
                                    *out += w * basis[a][i] * second[a][b] * basis[b][j];
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Adds ∂V/∂w.
    pub fn gradient(&self, w: &Triple, out: &mut Triple) {
        let z = self.axes(w);
        let p = self.slopes(&z.u);
        for (k, out) in out.iter_mut().enumerate() {
            *out += z.a * p[2 * k] + z.b * p[2 * k + 1];
        }
        out[self.along] += z.b * (product(&p, &turned(&z.u)) / z.length);
    }

    /// Adds ∂²V/∂w².
    pub fn tangent(&self, w: &Triple, out: &mut TripleMatrix) {
        let z = self.axes(w);
        let p = self.slopes(&z.u);
        let mut k = [[0.0; 6]; 6];
        self.add_stiffness(&z.u, 1.0, &mut k);
        let t = [z.a, z.b];
        let ju = turned(&z.u);
        let kju = times(&k, &ju);
        // Jᵀp turns the other way.
        let h: Vec<Vec3> =
            (0..3).map(|i| z.a * (kju[2 * i] - p[2 * i + 1]) + z.b * (kju[2 * i + 1] + p[2 * i])).collect();
        let phi = z.b / z.length;
        for i in 0..3 {
            for j in 0..3 {
                for (r, left) in t.iter().enumerate() {
                    for (s, right) in t.iter().enumerate() {
                        out[i][j] += left * right.transpose() * k[2 * i + r][2 * j + s];
                    }
                }
            }
            out[i][self.along] += h[i] * phi.transpose();
            out[self.along][i] += phi * h[i].transpose();
        }
        let turn = product(&p, &ju) / (z.length * z.length);
        out[self.along][self.along] += phi * phi.transpose() * (product(&ju, &kju) - product(&p, &z.u))
            - (z.a * z.b.transpose() + z.b * z.a.transpose()) * turn;
    }
}

/// Over a step: the local components at both ends, and how the mean change of each follows from changes of w.
struct LocalStep {
    from: Axes,
    to: Axes,
    /// D of u_m: m, then by w_k.
    rows: [[Vec3; 3]; 6],
}

impl LocalStrain {
    /// c or n × c.
    fn base(&self, c: &Vec3, side: usize) -> Vec3 {
        if side == 0 { *c } else { self.normal.cross(c) }
    }

    /// (n × c)ᵀ and cᵀ as maps of the other vector: ∂(w·base(c))/∂c.
    fn by_base(&self, w: &Vec3, side: usize) -> Vec3 {
        if side == 0 { *w } else { w.cross(&self.normal) }
    }

    fn step(&self, [from, to]: [&Triple; 2]) -> LocalStep {
        let (first, last) = (self.axes(from), self.axes(to));
        let mean = [0, 1, 2].map(|k| (from[k] + to[k]) * 0.5);
        let c = mean[self.along];
        let [l, after] = [first.length, last.length];
        let (i, r) = (0.5 * (1.0 / l + 1.0 / after), 1.0 / (l * after));
        let by_length = c * (2.0 / (l + after));
        let mut rows = [[Vec3::zeros(); 3]; 6];
        for k in (0..3).filter(|k| *k != self.along) {
            for side in 0..2 {
                let m = 2 * k + side;
                let p = 0.5 * (first.u[m] * l + last.u[m] * after);
                rows[m][k] = self.base(&c, side) * i;
                rows[m][self.along] = self.by_base(&mean[k], side) * i - by_length * (p * r);
            }
        }
        rows[2 * self.along][self.along] = by_length;
        LocalStep { from: first, to: last, rows }
    }

    /// p̄ with the dissipation χ K̄ Δu, and its derivative by u⁺; the work that is lost.
    fn mean_slopes(&self, step: &LocalStep, chi: f64) -> (Local6, [[f64; 6]; 6], f64) {
        let change = minus(&step.to.u, &step.from.u);
        let (mut p, mut by_end) = ([0.0; 6], [[0.0; 6]; 6]);
        // Gauss points of [0, 1].
        let apart = 0.5 / 3.0_f64.sqrt();
        for tau in [0.5 - apart, 0.5 + apart] {
            let mut u = step.from.u;
            u.iter_mut().zip(&change).for_each(|(u, d)| *u += tau * d);
            p.iter_mut().zip(&self.slopes(&u)).for_each(|(p, s)| *p += 0.5 * s);
            self.add_stiffness(&u, 0.5 * tau, &mut by_end);
        }
        let mut lost = 0.0;
        if chi != 0.0 {
            // Of the stiffness at the start, so that the loss is a quadratic form.
            let mut k = [[0.0; 6]; 6];
            self.add_stiffness(&step.from.u, chi, &mut k);
            let drag = times(&k, &change);
            lost = product(&drag, &change);
            for i in 0..6 {
                p[i] += drag[i];
                (0..6).for_each(|j| by_end[i][j] += k[i][j]);
            }
        }
        (p, by_end, lost)
    }

    /// Adds the mean of ∂V/∂w over a step.
    pub fn step_gradient(&self, ends: [&Triple; 2], chi: f64, out: &mut Triple) {
        let step = self.step(ends);
        let p = self.mean_slopes(&step, chi).0;
        for (p, row) in p.iter().zip(&step.rows) {
            out.iter_mut().zip(row).for_each(|(out, d)| *out += d * *p);
        }
    }

    /// Work lost over a step (J).
    pub fn step_lost(&self, ends: [&Triple; 2], chi: f64) -> f64 {
        if chi == 0.0 { 0.0 } else { self.mean_slopes(&self.step(ends), chi).2 }
    }

    /// Adds its derivative by the end of the step.
    pub fn step_tangent(&self, ends: [&Triple; 2], chi: f64, out: &mut TripleMatrix) {
        let step = self.step(ends);
        let (p, by_end, _) = self.mean_slopes(&step, chi);
        let z = &step.to;
        // ∂u⁺_m/∂w_j.
        let at_end = |m: usize| {
            let (k, side) = (m / 2, m % 2);
            let mut row = [Vec3::zeros(); 3];
            if k == self.along {
                row[k] = if side == 0 { z.a } else { Vec3::zeros() };
                return row;
            }
            row[k] = [z.a, z.b][side];
            let turn = if side == 0 { z.u[2 * k + 1] } else { -z.u[2 * k] };
            row[self.along] += z.b * (turn / z.length);
            row
        };
        for (row, weights) in step.rows.iter().zip(&by_end) {
            for (n, weight) in weights.iter().enumerate() {
                let end = at_end(n);
                for (out, row) in out.iter_mut().zip(row) {
                    out.iter_mut().zip(end).for_each(|(out, end)| *out += row * end.transpose() * *weight);
                }
            }
        }
        self.add_step_bend(ends, &step, &p, out);
    }

    /// Adds Σ_m p_m ∂D_m/∂w⁺.
    fn add_step_bend(&self, [from, to]: [&Triple; 2], step: &LocalStep, p: &Local6, out: &mut TripleMatrix) {
        let along = self.along;
        let mean = [0, 1, 2].map(|k| (from[k] + to[k]) * 0.5);
        let (c, end) = (mean[along], to[along]);
        let [l, after] = [step.from.length, step.to.length];
        let (i, r) = (0.5 * (1.0 / l + 1.0 / after), 1.0 / (l * after));
        let a = end / after;
        let (by_i, by_r) = (a * (-0.5 / (after * after)), a * (-r / after));
        let sum = l + after;
        let by_length = c * (2.0 / sum);
        let length_second = Mat3::identity() / sum - c * a.transpose() * (2.0 / (sum * sum));
        out[along][along] += length_second * p[2 * along];
        let cross = poinsot_geometry::so3::skew(&self.normal);
        for k in (0..3).filter(|k| *k != along) {
            for side in 0..2 {
                let m = 2 * k + side;
                let f = p[m];
                let q = 0.5 * (step.from.u[m] * l + step.to.u[m] * after);
                // base = B c, ∂(w·Bc)/∂c = Bᵀw.
                let b = if side == 0 { Mat3::identity() } else { cross };
                out[k][along] += (b * (0.5 * i) + self.base(&c, side) * by_i.transpose()) * f;
                out[along][k] += (b.transpose() * (0.5 * i)) * f;
                out[along][along] += self.by_base(&mean[k], side) * by_i.transpose() * f;
                let by_q_c = self.by_base(&to[k], side) * 0.5;
                let by_q_w = self.base(&end, side) * 0.5;
                out[along][along] -=
                    length_second * (q * r * f) + by_length * (by_q_c * r + by_r * q).transpose() * f;
                out[along][k] -= by_length * by_q_w.transpose() * (r * f);
            }
        }
    }
}

fn fields(rows: &Rows, u: &Local6) -> [f64; 3] {
    let sum = |factors: &[f64; 3], from: usize| (0..3).map(|i| factors[i] * u[2 * i + from]).sum();
    [sum(&rows.slope, 0), sum(&rows.slope, 1), sum(&rows.curvature, 1)]
}

/// J u.
fn turned(u: &Local6) -> Local6 {
    [u[1], -u[0], u[3], -u[2], u[5], -u[4]]
}

fn minus(a: &Local6, b: &Local6) -> Local6 {
    std::array::from_fn(|i| a[i] - b[i])
}

fn product(a: &Local6, b: &Local6) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn times(k: &[[f64; 6]; 6], u: &Local6) -> Local6 {
    k.map(|row| product(&row, u))
}
