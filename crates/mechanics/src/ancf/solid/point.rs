//! One point of a quadrature: forms of gradients, strains of forms, stresses of strains.
//!
//! ```text
//! y_p = Σ_a G_pa x_a                                  gradients: derivatives of the position, linear in x
//! I_m = Σ factor y_p·y_q,  or y_p·(y_q × y_r)         forms, which no rigid motion changes
//! ε_k = ε_k(I)                                        strains
//! S = C (ε − ε_ref) + S₀ + C_v ε̇                      stresses, weights of the quadrature in them
//! ```

use super::strain_map::{MAX_FORMS, Mapped, StrainMap};
use super::triple::{TripleSlope, cofactors, triple};
use poinsot_geometry::{Mat3, Vec3};

/// Most carried vectors of an element.
pub(super) const MAX_VECTORS: usize = 16;
/// Most gradients of an element.
pub(super) const MAX_GRADIENTS: usize = 128;

/// Numbers of forms or strains.
pub(super) type Numbers = [f64; MAX_FORMS];
/// ∂I_m/∂y or ∂I_m/∂x_a.
pub(super) type Rows = [[Vec3; MAX_VECTORS]; MAX_FORMS];
/// All gradients of an element.
pub(super) type Gradients = [Vec3; MAX_GRADIENTS];

/// A gradient: the vectors a with their G_a.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Gradient(pub Vec<(usize, f64)>);

impl Gradient {
    pub fn of(&self, x: &[Vec3]) -> Vec3 {
        self.0.iter().map(|&(a, g)| x[a] * g).sum()
    }
}

/// A share of a form: factor y_p·y_q.
#[derive(Clone, Copy, Debug)]
pub(super) struct Term {
    pub form: usize,
    pub factor: f64,
    pub p: usize,
    pub q: usize,
}

/// A form y_p·(y_q × y_r), with the weights of its vectors in [`TripleSlope::between`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Triple {
    pub form: usize,
    pub at: [usize; 3],
    pub weights: [f64; 3],
}

impl Triple {
    fn vectors(&self, y: &Gradients) -> [Vec3; 3] {
        self.at.map(|p| y[p])
    }
}

/// A point of a quadrature.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub forms: usize,
    pub terms: Vec<Term>,
    pub triples: Vec<Triple>,
    pub map: StrainMap,
    /// C, row by row.
    pub stiffness: Vec<f64>,
    /// C_v, row by row; empty without viscosity.
    pub viscosity: Vec<f64>,
    /// ε_ref.
    pub reference: Vec<f64>,
    /// S₀.
    pub initial: Vec<f64>,
}

/// The gradients at both ends of a step and at its mean; an instant is a step whose ends are one.
#[derive(Clone, Copy)]
pub(super) struct Ends<'a> {
    pub from: &'a Gradients,
    pub to: &'a Gradients,
    pub mean: &'a Gradients,
    /// Whether the ends are one.
    pub still: bool,
}

/// What a point makes of the ends: strains, and the stress and how it enters.
pub(super) struct Assessed {
    /// S_k.
    pub stress: Numbers,
    /// Strains less the reference at both ends.
    pub strain: [Numbers; 2],
    /// ε⁺ − ε, or the rate at an instant.
    pub change: Numbers,
    /// None if strains are forms.
    pub mapped: Option<Mapped>,
}

impl Point {
    pub fn strains(&self) -> usize {
        self.reference.len()
    }

    /// I.
    pub fn values(&self, y: &Gradients) -> Numbers {
        let mut forms = [0.0; MAX_FORMS];
        for term in &self.terms {
            forms[term.form] += term.factor * y[term.p].dot(&y[term.q]);
        }
        for t in &self.triples {
            forms[t.form] = triple(t.vectors(y));
        }
        forms
    }

    /// İ.
    pub fn rates(&self, y: &Gradients, ydot: &Gradients) -> Numbers {
        let mut rates = [0.0; MAX_FORMS];
        for term in &self.terms {
            let (p, q) = (term.p, term.q);
            rates[term.form] += term.factor * (y[p].dot(&ydot[q]) + ydot[p].dot(&y[q]));
        }
        for t in &self.triples {
            let slopes = cofactors(t.vectors(y));
            rates[t.form] = slopes.iter().zip(t.at).map(|(slope, p)| slope.dot(&ydot[p])).sum();
        }
        rates
    }

    /// Strains of the reference.
    pub fn strain_values(&self, y: &Gradients, strains: &mut [f64]) {
        self.map.values(&self.values(y)[..self.forms], strains);
    }

    /// Strains and discrete gradients between the ends, `change` of forms as given; stresses are not yet
    /// known.
    pub fn assess<const SECOND: bool>(&self, ends: Ends, change: &Numbers) -> Assessed {
        let (m, n) = (self.forms, self.strains());
        let (from, to) = (self.values(ends.from), self.values(ends.to));
        let mut out = Assessed {
            stress: [0.0; MAX_FORMS],
            strain: [from, to],
            change: *change,
            mapped: (self.map != StrainMap::Linear)
                .then(|| self.map.evaluate::<SECOND>(&from[..m], &to[..m])),
        };
        if let Some(mapped) = &out.mapped {
            for k in 0..n {
                out.strain[0][k] = mapped.from[k];
                out.strain[1][k] = mapped.to[k];
                out.change[k] = (0..m).map(|i| mapped.slope[k][i] * change[i]).sum();
            }
        }
        for strain in &mut out.strain {
            strain.iter_mut().zip(&self.reference).for_each(|(strain, reference)| *strain -= reference);
        }
        out
    }

    /// Adds C ½(ε + ε⁺) + S₀.
    pub fn add_elastic(&self, s: &mut Assessed) {
        let n = self.strains();
        for k in 0..n {
            let row = &self.stiffness[k * n..][..n];
            let mean = |l: usize| 0.5 * (s.strain[0][l] + s.strain[1][l]);
            s.stress[k] += self.initial[k] + (0..n).map(|l| row[l] * mean(l)).sum::<f64>();
        }
    }

    /// Adds D Δε of a law D.
    pub fn add_drag(&self, law: &[f64], factor: f64, s: &mut Assessed) {
        let n = self.strains();
        for k in 0..n {
            s.stress[k] += factor * (0..n).map(|l| law[k * n + l] * s.change[l]).sum::<f64>();
        }
    }

    /// ½ (ε − ε_ref)·C(ε − ε_ref) + S₀·(ε − ε_ref).
    pub fn energy(&self, y: &Gradients) -> f64 {
        let n = self.strains();
        let mut e = [0.0; MAX_FORMS];
        self.strain_values(y, &mut e[..n]);
        e.iter_mut().zip(&self.reference).for_each(|(e, reference)| *e -= reference);
        let row = |k: usize| -> f64 { (0..n).map(|l| self.stiffness[k * n + l] * e[l]).sum() };
        (0..n).map(|k| e[k] * (0.5 * row(k) + self.initial[k])).sum()
    }

    /// ĉ_m = Σ_k S_k D_km.
    pub fn pulls(&self, s: &Assessed) -> Numbers {
        let Some(mapped) = &s.mapped else { return s.stress };
        let mut pulls = [0.0; MAX_FORMS];
        for (stress, slope) in s.stress.iter().zip(&mapped.slope) {
            pulls.iter_mut().zip(slope).for_each(|(pull, slope)| *pull += stress * slope);
        }
        pulls
    }

    /// Adds Σ_m ĉ_m ∂I_m/∂y to the loads of gradients.
    pub fn pull(&self, pulls: &Numbers, ends: Ends, loads: &mut Gradients) {
        let y = ends.mean;
        for term in &self.terms {
            let s = pulls[term.form] * term.factor;
            loads[term.p] += y[term.q] * s;
            loads[term.q] += y[term.p] * s;
        }
        for t in &self.triples {
            let slopes = t.slopes(ends, false);
            t.at.iter().zip(slopes.slope).for_each(|(&p, slope)| loads[p] += slope * pulls[t.form]);
        }
    }

    /// ∂I_m/∂x_a with the gradients of `ends`.
    pub fn rows(&self, gradients: &[Gradient], ends: Ends, rows: &mut Rows) {
        let y = ends.mean;
        rows[..self.forms].iter_mut().for_each(|row| row.fill(Vec3::zeros()));
        for term in &self.terms {
            let row = &mut rows[term.form];
            add(row, &gradients[term.p], &(y[term.q] * term.factor));
            add(row, &gradients[term.q], &(y[term.p] * term.factor));
        }
        for t in &self.triples {
            let slopes = t.slopes(ends, false);
            for (&p, slope) in t.at.iter().zip(&slopes.slope) {
                add(&mut rows[t.form], &gradients[p], slope);
            }
        }
    }

    /// ∂İ_m/∂x_a.
    pub fn rate_rows(&self, gradients: &[Gradient], y: &Gradients, ydot: &Gradients, rows: &mut Rows) {
        rows[..self.forms].iter_mut().for_each(|row| row.fill(Vec3::zeros()));
        for term in &self.terms {
            let row = &mut rows[term.form];
            add(row, &gradients[term.p], &(ydot[term.q] * term.factor));
            add(row, &gradients[term.q], &(ydot[term.p] * term.factor));
        }
        for t in &self.triples {
            let ([a, b, c], [da, db, dc]) = (t.vectors(y), t.vectors(ydot));
            let slopes =
                [db.cross(&c) + b.cross(&dc), dc.cross(&a) + c.cross(&da), da.cross(&b) + a.cross(&db)];
            for (&p, slope) in t.at.iter().zip(&slopes) {
                add(&mut rows[t.form], &gradients[p], slope);
            }
        }
    }

    /// Adds Σ_m ĉ_m ∂D_m/∂x⁺ that is a multiple of the identity to `scalar` and the rest to `full`, each by
    /// `factor`.
    pub fn geometric(
        &self,
        gradients: &[Gradient],
        (pulls, factor): (&Numbers, f64),
        ends: Ends,
        scalar: &mut [[f64; MAX_VECTORS]; MAX_VECTORS],
        mut full: impl FnMut(usize, usize, Mat3),
    ) {
        for term in &self.terms {
            let s = 0.5 * factor * pulls[term.form] * term.factor;
            for &(a, left) in &gradients[term.p].0 {
                for &(b, right) in &gradients[term.q].0 {
                    scalar[a][b] += s * left * right;
                    scalar[b][a] += s * left * right;
                }
            }
        }
        for t in &self.triples {
            let bend = t.slopes(ends, true).bend;
            let s = factor * pulls[t.form];
            for (row, p) in bend.iter().zip(t.at) {
                for (block, q) in row.iter().zip(t.at) {
                    for &(a, left) in &gradients[p].0 {
                        for &(b, right) in &gradients[q].0 {
                            full(a, b, block * (s * left * right));
                        }
                    }
                }
            }
        }
    }
}

impl Triple {
    fn slopes(&self, ends: Ends, second: bool) -> TripleSlope {
        if ends.still {
            return TripleSlope::at(self.vectors(ends.mean));
        }
        TripleSlope::between(self.vectors(ends.from), self.vectors(ends.to), self.weights, second)
    }
}

/// row_a += G_a v.
fn add(row: &mut [Vec3; MAX_VECTORS], gradient: &Gradient, v: &Vec3) {
    for &(a, g) in &gradient.0 {
        row[a] += v * g;
    }
}
