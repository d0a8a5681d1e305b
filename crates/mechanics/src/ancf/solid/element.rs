//! A force element of strains of position gradients: beams, plates and shells of absolute nodal coordinates
//! (floating-frame-and-ancf §1.21.4).
//!
//! ```text
//! V = Σ_g ½ (ε − ε_ref)·C(ε − ε_ref) + S₀·(ε − ε_ref),   f_a = −Σ_g Σ_k S_k ∂ε_k/∂x_a
//! ```
//! The weights of the quadrature, the Jacobian of the reference and the integral over section or thickness
//! are in C. Over a step the stress is that of the mean strain and the gradient a discrete one,
//!
//! ```text
//! S = C (½(ε + ε⁺) − ε_ref) + S₀ + (C_v/h + χC) Δε,   f_a = −Σ_g Σ_k S_k D_ka,   Σ_a D_ka·Δx_a = Δε_k
//! ```
//! which conserves energy and momenta exactly (energy-momentum-null-space I-43): for Green's strains, which
//! are quadratic, D is the gradient at the mean, for others it is made of divided differences.

use super::point::{Assessed, Ends, Gradient, Gradients, MAX_GRADIENTS, MAX_VECTORS, Numbers, Point, Rows};
use super::reading::Reader;
use super::strain_map::MAX_FORMS;
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::{Block, Blocks};
use crate::force::{Extensions, Force, Motion, Power};
use crate::nodes::carried::Carried;
use poinsot_geometry::Vec3;

/// Matrix of the forms of a point.
type FormMatrix = [[f64; MAX_FORMS]; MAX_FORMS];
/// s_ab of s_ab I.
type Scalars = [[f64; MAX_VECTORS]; MAX_VECTORS];

/// A beam, plate or shell element of absolute nodal coordinates.
#[derive(Clone, Debug)]
pub struct SolidElement {
    pub(super) kind: &'static str,
    pub(super) carried: Vec<Carried>,
    pub(super) gradients: Vec<Gradient>,
    pub(super) points: Vec<Point>,
    pub(super) reader: Reader,
}

impl SolidElement {
    /// Takes reference strains from the reference x⁰.
    pub(super) fn new(
        kind: &'static str,
        carried: &[Carried],
        reference: &[Vec3],
        gradients: Vec<Gradient>,
        points: Vec<Point>,
        reader: Reader,
    ) -> Self {
        assert!(carried.len() <= MAX_VECTORS && gradients.len() <= MAX_GRADIENTS);
        let mut element = SolidElement { kind, carried: carried.to_vec(), gradients, points, reader };
        let y = element.gradients(reference);
        for p in &mut element.points {
            let mut strains = [0.0; MAX_FORMS];
            p.strain_values(&y, &mut strains[..p.strains()]);
            let n = p.strains();
            p.reference.copy_from_slice(&strains[..n]);
        }
        element
    }

    pub(super) fn gradients(&self, x: &[Vec3]) -> Gradients {
        let mut y = [Vec3::zeros(); MAX_GRADIENTS];
        y.iter_mut().zip(&self.gradients).for_each(|(y, g)| *y = g.of(x));
        y
    }

    fn is_viscous(&self) -> bool {
        self.points.iter().any(|p| !p.viscosity.is_empty())
    }

    /// f_a −= Σ_p G_pa (load of gradient p).
    fn release(&self, loads: &Gradients, f: &mut [Vec3]) {
        for (gradient, load) in self.gradients.iter().zip(loads) {
            gradient.0.iter().for_each(|&(a, g)| f[a] -= load * g);
        }
    }

    /// Strains and stresses of a point at an instant.
    pub(super) fn now<const SECOND: bool>(p: &Point, y: &Gradients, ydot: &Gradients) -> Assessed {
        let viscous = !p.viscosity.is_empty();
        let rates = if viscous { p.rates(y, ydot) } else { [0.0; MAX_FORMS] };
        let mut s = p.assess::<SECOND>(at_instant(y), &rates);
        p.add_elastic(&mut s);
        if viscous {
            p.add_drag(&p.viscosity, 1.0, &mut s);
        }
        s
    }

    /// The same over a step.
    fn over<const SECOND: bool>(p: &Point, ends: Ends, step: &StepEnds) -> Assessed {
        let (from, to) = (p.values(ends.from), p.values(ends.to));
        let change: Numbers = std::array::from_fn(|m| to[m] - from[m]);
        let mut s = p.assess::<SECOND>(ends, &change);
        p.add_elastic(&mut s);
        if step.dissipation != 0.0 {
            p.add_drag(&p.stiffness, step.dissipation, &mut s);
        }
        if !p.viscosity.is_empty() {
            p.add_drag(&p.viscosity, 1.0 / step.h, &mut s);
        }
        s
    }

    /// Adds −Σ_mn left_m L_mn right_nᵀ.
    fn add_products(&self, m: usize, left: &Rows, law: &FormMatrix, right: &Rows, blocks: &mut [Block]) {
        let n = self.carried.len();
        for b in 0..n {
            let mut by = [Vec3::zeros(); MAX_FORMS];
            for (by, law) in by[..m].iter_mut().zip(law) {
                *by = law[..m].iter().zip(right).map(|(l, row)| row[b] * *l).sum();
            }
            for a in 0..n {
                let block = &mut blocks[a * n + b].value;
                for (left, by) in left[..m].iter().zip(&by) {
                    *block -= left[a] * by.transpose();
                }
            }
        }
    }

    /// Adds the geometric stiffness of a point; what is a multiple of the identity goes to `scalar`.
    fn add_geometric(
        &self,
        p: &Point,
        pulls: (&Numbers, f64),
        ends: Ends,
        scalar: &mut Scalars,
        blocks: &mut [Block],
    ) {
        let n = self.carried.len();
        let full = |a: usize, b: usize, value| blocks[a * n + b].value -= value;
        p.geometric(&self.gradients, pulls, ends, scalar, full);
    }
}

/// Adds −s_ab I.
fn add_scalars(n: usize, scalar: &Scalars, blocks: &mut [Block]) {
    for (a, row) in scalar[..n].iter().enumerate() {
        for (b, s) in row[..n].iter().enumerate() {
            (0..3).for_each(|c| blocks[a * n + b].value[(c, c)] -= s);
        }
    }
}

/// A step whose ends are one.
pub(super) fn at_instant(y: &Gradients) -> Ends<'_> {
    Ends { from: y, to: y, mean: y, still: true }
}

/// Dᵀ C G: the law C of strains between forms, G ∂ε by the forms on the right.
fn between_forms(p: &Point, s: &Assessed, law: impl Fn(usize, usize) -> f64) -> FormMatrix {
    let (m, n) = (p.forms, p.strains());
    let mut out = [[0.0; MAX_FORMS]; MAX_FORMS];
    let Some(mapped) = &s.mapped else {
        for (k, row) in out[..n].iter_mut().enumerate() {
            row[..n].iter_mut().enumerate().for_each(|(l, x)| *x = law(k, l));
        }
        return out;
    };
    for k in 0..n {
        for j in 0..m {
            let by: f64 = (0..n).map(|l| law(k, l) * mapped.end[l][j]).sum();
            out[..m].iter_mut().zip(&mapped.slope[k]).for_each(|(out, slope)| out[j] += slope * by);
        }
    }
    out
}

/// Adds factor Σ_k S_k ∂D_k/∂I⁺.
fn add_bend(p: &Point, s: &Assessed, factor: f64, out: &mut FormMatrix) {
    let Some(mapped) = &s.mapped else { return };
    for (stress, bend) in s.stress.iter().zip(&mapped.bend) {
        for (out, bend) in out[..p.forms].iter_mut().zip(bend) {
            out.iter_mut().zip(bend).for_each(|(out, bend)| *out += factor * stress * bend);
        }
    }
}

/// Adds Dᵀ C_v ∂ε̇/∂I, with ε̇_k = Σ_m D_km İ_m.
fn add_viscous_bend(p: &Point, s: &Assessed, rates: &Numbers, out: &mut FormMatrix) {
    let Some(mapped) = &s.mapped else { return };
    let (m, n) = (p.forms, p.strains());
    for j in 0..m {
        let by = |l: usize| (0..m).map(|i| 2.0 * mapped.bend[l][i][j] * rates[i]).sum::<f64>();
        let by: [f64; 6] = std::array::from_fn(|l| if l < n { by(l) } else { 0.0 });
        for k in 0..n {
            let stress: f64 = (0..n).map(|l| p.viscosity[k * n + l] * by[l]).sum();
            out[..m].iter_mut().zip(&mapped.slope[k]).for_each(|(out, slope)| out[j] += slope * stress);
        }
    }
}

impl Force for SolidElement {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn sees_velocity(&self) -> bool {
        self.is_viscous()
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        let y = self.gradients(at.x);
        let ydot = if self.is_viscous() { self.gradients(at.xdot) } else { y };
        let mut loads = [Vec3::zeros(); MAX_GRADIENTS];
        for p in &self.points {
            let s = Self::now::<false>(p, &y, &ydot);
            p.pull(&p.pulls(&s), at_instant(&y), &mut loads);
        }
        self.release(&loads, f);
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, c: &mut Blocks) {
        let (n, viscous) = (self.carried.len(), self.is_viscous());
        let y = self.gradients(at.x);
        let ydot = if viscous { self.gradients(at.xdot) } else { y };
        let (k, c) = (k.push_table(n), if viscous { c.push_table(n) } else { Default::default() });
        let mut rows = [[Vec3::zeros(); MAX_VECTORS]; MAX_FORMS];
        let mut rate_rows = rows;
        let mut scalar = [[0.0; MAX_VECTORS]; MAX_VECTORS];
        for p in &self.points {
            let s = Self::now::<true>(p, &y, &ydot);
            let size = p.strains();
            p.rows(&self.gradients, at_instant(&y), &mut rows);
            let mut law = between_forms(p, &s, |k, l| p.stiffness[k * size + l]);
            add_bend(p, &s, 2.0, &mut law);
            if !p.viscosity.is_empty() {
                add_viscous_bend(p, &s, &p.rates(&y, &ydot), &mut law);
                let drag = between_forms(p, &s, |k, l| p.viscosity[k * size + l]);
                p.rate_rows(&self.gradients, &y, &ydot, &mut rate_rows);
                self.add_products(p.forms, &rows, &drag, &rate_rows, k);
                self.add_products(p.forms, &rows, &drag, &rows, c);
            }
            self.add_products(p.forms, &rows, &law, &rows, k);
            self.add_geometric(p, (&p.pulls(&s), 2.0), at_instant(&y), &mut scalar, k);
        }
        add_scalars(n, &scalar, k);
    }

    fn potential(&self, at: &Motion) -> f64 {
        let y = self.gradients(at.x);
        self.points.iter().map(|p| p.energy(&y)).sum()
    }

    fn power(&self, at: &Motion) -> Power {
        if !self.is_viscous() {
            return Power::default();
        }
        let (y, ydot) = (self.gradients(at.x), self.gradients(at.xdot));
        let lost = |p: &Point| {
            if p.viscosity.is_empty() {
                return 0.0;
            }
            let mut s = p.assess::<false>(at_instant(&y), &p.rates(&y, &ydot));
            p.add_drag(&p.viscosity, 1.0, &mut s);
            s.stress.iter().zip(&s.change).take(p.strains()).map(|(s, e)| s * e).sum()
        };
        Power { supplied: 0.0, dissipated: self.points.iter().map(lost).sum() }
    }

    fn discrete_force(&self, step: &StepEnds, f: &mut [Vec3]) {
        let [from, to, mean] = [step.from, step.to, step.mean].map(|x| self.gradients(x));
        let ends = Ends { from: &from, to: &to, mean: &mean, still: false };
        let mut loads = [Vec3::zeros(); MAX_GRADIENTS];
        for p in &self.points {
            let s = Self::over::<false>(p, ends, step);
            p.pull(&p.pulls(&s), ends, &mut loads);
        }
        self.release(&loads, f);
    }

    /// −Σ_g (D ⊗ (½C + C_v/h + χC) ∂ε⁺ + S ∂D/∂x⁺).
    fn discrete_tangent(&self, step: &StepEnds, k: &mut Blocks, _c: &mut Blocks) {
        let n = self.carried.len();
        let [from, to, mean] = [step.from, step.to, step.mean].map(|x| self.gradients(x));
        let ends = Ends { from: &from, to: &to, mean: &mean, still: false };
        let k = k.push_table(n);
        let mut rows = [[Vec3::zeros(); MAX_VECTORS]; MAX_FORMS];
        let mut end_rows = rows;
        let mut scalar = [[0.0; MAX_VECTORS]; MAX_VECTORS];
        for p in &self.points {
            let s = Self::over::<true>(p, ends, step);
            let size = p.strains();
            let viscous = |at: usize| p.viscosity.get(at).map_or(0.0, |v| v / step.h);
            let by_end = |k: usize, l: usize| {
                (0.5 + step.dissipation) * p.stiffness[k * size + l] + viscous(k * size + l)
            };
            p.rows(&self.gradients, ends, &mut rows);
            p.rows(&self.gradients, at_instant(&to), &mut end_rows);
            let mut law = between_forms(p, &s, by_end);
            add_bend(p, &s, 1.0, &mut law);
            self.add_products(p.forms, &rows, &law, &end_rows, k);
            self.add_geometric(p, (&p.pulls(&s), 1.0), ends, &mut scalar, k);
        }
        add_scalars(n, &scalar, k);
    }

    fn discrete_work(&self, step: &StepEnds) -> Power {
        if !self.is_viscous() && step.dissipation == 0.0 {
            return Power::default();
        }
        let [from, to, mean] = [step.from, step.to, step.mean].map(|x| self.gradients(x));
        let ends = Ends { from: &from, to: &to, mean: &mean, still: false };
        let lost = |p: &Point| -> f64 {
            let whole = Self::over::<false>(p, ends, step);
            let mut elastic = p.assess::<false>(ends, &[0.0; MAX_FORMS]);
            p.add_elastic(&mut elastic);
            let drag = |k: usize| (whole.stress[k] - elastic.stress[k]) * whole.change[k];
            (0..p.strains()).map(drag).sum()
        };
        Power { supplied: 0.0, dissipated: self.points.iter().map(lost).sum() }
    }

    fn extensions(&self) -> Extensions<'_> {
        match self.reader {
            Reader::Section { .. } => Extensions { beam: Some(self), ..Extensions::default() },
            Reader::Fibres(_) => Extensions { stresses: Some(self), ..Extensions::default() },
        }
    }
}
