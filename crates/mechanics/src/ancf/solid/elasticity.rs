//! Green's strains over a section or a thickness, integrated once.
//!
//! With material coordinates (x¹, x², x³) and fibres (u, v), the coordinates across the element, the
//! components E_ij = ½(g_i·g_j − g⁰_i·g⁰_j) of Green's strain are polynomials in u and v whose coefficients
//! are forms of gradients in the middle (floating-frame-and-ancf §1.7.3):
//!
//! ```text
//! ε(u, v) = Σ_t u^i v^j P_t I,      ε̂ = T ε  in material axes:  Ê = AᵀE A,  A = J₀⁻¹ Q,  J₀ = [g⁰₁ g⁰₂ g⁰₃]
//! L = ∫ Pᵀ Tᵀ D T P det J₀ du dv
//! ```
//! so that an element costs as much as its forms, however many fibres there are.
//!
//! **Poisson locking.** Elements with straight fibres cannot contract in proportion to their distance from
//! the middle, as bending asks them to. The elasticity is split (enhanced continuum mechanics, Gerstmayr,
//! Matikainen, Mikkola 2008): a part D* without that coupling over the whole section, the rest D − D* in the
//! middle alone.

use super::point::{Gradient, Point};
use super::strain_map::StrainMap;
use poinsot_flexible::plane_stress;
use poinsot_geometry::{Mat3, Mat6, Vec6};

/// Places in a symmetric tensor in Voigt's order.
const VOIGT: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];

/// A fibre: u, v and its weight.
pub(super) type Fibre = [f64; 3];

/// A material and how its elasticity is split between section and middle.
#[derive(Clone, Debug)]
pub(super) struct Split {
    /// D*.
    pub section: Mat6,
    /// D − D*.
    pub middle: Mat6,
    /// Factors of strains that are alike over the section, and of those that are not: roots of shear factors.
    pub factors: [Vec6; 2],
    /// S₀ (Pa).
    pub initial: Vec6,
    /// Time τ of S = D(E + τĖ) (s).
    pub viscosity: f64,
}

impl Split {
    /// For fibres in two directions: each normal stress by its own strain, 1/(D⁻¹)_kk.
    pub fn of_beam(elasticity: &Mat6) -> Mat6 {
        let compliance = elasticity.try_inverse().expect("the elasticity matrix is positive definite");
        let mut d = Mat6::zeros();
        (0..3).for_each(|k| d[(k, k)] = 1.0 / compliance[(k, k)]);
        for i in 3..6 {
            (3..6).for_each(|j| d[(i, j)] = elasticity[(i, j)]);
        }
        d
    }

    /// For fibres in one direction: plane stress, and the third normal stress by its own strain.
    pub fn of_plate(elasticity: &Mat6) -> Mat6 {
        let compliance = elasticity.try_inverse().expect("the elasticity matrix is positive definite");
        let mut d = plane_stress(elasticity);
        d[(2, 2)] = 1.0 / compliance[(2, 2)];
        for i in 4..6 {
            (4..6).for_each(|j| d[(i, j)] = elasticity[(i, j)]);
        }
        d
    }
}

/// Powers of u and v, and what strains are there by forms: (strain, form, factor).
pub(super) type StrainTerms = Vec<([i32; 2], Vec<StrainTerm>)>;

/// Strain, form, factor.
pub(super) type StrainTerm = (usize, usize, f64);

/// P_t: strains by forms with their powers of u and v.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fibres {
    /// Powers of u and v, and the factors (strain, form, factor).
    pub terms: StrainTerms,
    /// Where they are, for stress resultants.
    pub places: Vec<Fibre>,
}

impl Fibres {
    /// ε at a fibre from what is alike over the section and from the rest, each by its factors.
    fn table(&self, forms: usize, u: f64, v: f64, factors: &[Vec6; 2]) -> Vec<Vec6> {
        let mut columns = vec![Vec6::zeros(); forms];
        for (powers, entries) in &self.terms {
            let share = u.powi(powers[0]) * v.powi(powers[1]);
            let own = &factors[usize::from(*powers != [0, 0])];
            entries.iter().for_each(|&(k, m, factor)| columns[m][k] += share * factor * own[k]);
        }
        columns
    }

    /// ε at a fibre.
    pub fn strain(&self, forms: &[f64], u: f64, v: f64) -> Vec6 {
        let plain = [Vec6::repeat(1.0); 2];
        self.table(forms.len(), u, v, &plain).iter().zip(forms).map(|(column, form)| column * *form).sum()
    }

    /// A point with its law; `jacobian` gives J₀ at a fibre, `axes` are those of the material, `weight` is
    /// that of the quadrature.
    pub fn point(
        &self,
        forms: usize,
        split: &Split,
        jacobian: impl Fn(f64, f64) -> Mat3,
        axes: &Mat3,
        weight: f64,
    ) -> Point {
        let mut stiffness = vec![0.0; forms * forms];
        let mut initial = vec![0.0; forms];
        let mut add = |[u, v, w]: Fibre, law: &Mat6, stress: &Vec6, factors: &[Vec6; 2]| {
            let j = jacobian(u, v);
            let Some(inverse) = j.try_inverse() else { return };
            let t = to_material(&(inverse * axes));
            let scale = weight * w * j.determinant();
            let columns: Vec<Vec6> = self.table(forms, u, v, factors).iter().map(|c| t * c).collect();
            for (m, left) in columns.iter().enumerate() {
                initial[m] += scale * left.dot(stress);
                let left = law * left * scale;
                columns.iter().enumerate().for_each(|(n, right)| stiffness[m * forms + n] += left.dot(right));
            }
        };
        self.places.iter().for_each(|place| add(*place, &split.section, &split.initial, &split.factors));
        let whole: f64 = self.places.iter().map(|place| place[2]).sum();
        add([0.0, 0.0, whole], &split.middle, &Vec6::zeros(), &split.factors);
        // Both triangles agree to the last bit.
        for m in 0..forms {
            (0..m).for_each(|n| stiffness[m * forms + n] = stiffness[n * forms + m]);
        }
        let viscosity = match split.viscosity == 0.0 {
            true => vec![],
            false => stiffness.iter().map(|c| c * split.viscosity).collect(),
        };
        Point {
            forms,
            terms: vec![],
            triples: vec![],
            map: StrainMap::Linear,
            stiffness,
            viscosity,
            reference: vec![0.0; forms],
            initial,
        }
    }
}

/// T with Ê = AᵀE A for strains with engineering shear.
pub(super) fn to_material(a: &Mat3) -> Mat6 {
    let mut t = Mat6::zeros();
    for (k, (i, j)) in VOIGT.into_iter().enumerate() {
        let mut e = Mat3::zeros();
        let unit = if i == j { 1.0 } else { 0.5 };
        (e[(i, j)], e[(j, i)]) = (unit, unit);
        let e = a.transpose() * e * a;
        for (l, (p, q)) in VOIGT.into_iter().enumerate() {
            t[(l, k)] = if p == q { e[(p, q)] } else { 2.0 * e[(p, q)] };
        }
    }
    t
}

/// Gradients of an element, gathered while it is made.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool(pub Vec<Gradient>);

impl Pool {
    /// Adds a gradient and tells its number.
    pub fn add(&mut self, entries: impl IntoIterator<Item = (usize, f64)>) -> usize {
        self.0.push(Gradient(entries.into_iter().filter(|(_, g)| *g != 0.0).collect()));
        self.0.len() - 1
    }
}
