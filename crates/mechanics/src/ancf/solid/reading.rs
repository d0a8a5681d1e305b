//! Stresses and stress resultants of elements at any place.

use super::elasticity::{Fibres, to_material};
use super::element::SolidElement;
use super::point::{Gradients, Point};
use super::strain_map::MAX_FORMS;
use crate::beams::interpolation::{lagrange, shape};
use crate::beams::{BeamElement, SectionPlace, SectionState};
use crate::force::{Force, Motion};
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6};

/// How an element is read.
#[derive(Clone, Debug)]
pub(super) enum Reader {
    /// By strains of sections at ξ of the first points.
    Section {
        /// ξ of the points.
        places: Vec<f64>,
        /// Their weights: length in the reference (m).
        weights: Vec<f64>,
        /// Gradients b and c of each point.
        axes: Vec<[usize; 2]>,
    },
    /// By stresses of fibres on a grid of points.
    Fibres(Box<FibreReader>),
}

/// Stresses of fibres.
#[derive(Clone, Debug)]
pub(super) struct FibreReader {
    /// ξ and η of the points, η running faster.
    pub grid: [Vec<f64>; 2],
    pub fibres: Fibres,
    /// Strains are ε = T P I at the fibre (0, 0): A of every point.
    pub axes: Vec<Mat3>,
    pub section: Mat6,
    pub middle: Mat6,
    pub factors: [Vec6; 2],
    pub initial: Vec6,
}

/// A force element that tells stresses anywhere inside.
pub trait StressElement: Force {
    /// Stress (11, 22, 33, 12, 13, 23; Pa) in material axes, second Piola–Kirchhoff, without viscous parts,
    /// at a place (ξ, η) in [−1, 1] and a fibre across it: (z, 0) of a plate, (y, z) of a beam (m).
    ///
    /// Stresses of the points of the quadrature, where they are most accurate, are carried on as a
    /// polynomial.
    fn stress(&self, at: &Motion, place: [f64; 2], fibre: [f64; 2]) -> Vec6;

    /// Integrals of the stress over the fibres at a place: ∫σ, ∫u σ, ∫v σ, by lengths in the reference. Of a
    /// plate ∫σ dz are the membrane and shear forces per length, ∫z σ dz the moments per length.
    fn stress_resultants(&self, at: &Motion, place: [f64; 2]) -> [Vec6; 3];
}

impl StressElement for SolidElement {
    fn stress(&self, at: &Motion, place: [f64; 2], fibre: [f64; 2]) -> Vec6 {
        let Reader::Fibres(reader) = &self.reader else { return Vec6::zeros() };
        let y = self.gradients(at.x);
        reader.sum(place, |k| reader.stress(&self.points[k], k, &y, fibre))
    }

    fn stress_resultants(&self, at: &Motion, place: [f64; 2]) -> [Vec6; 3] {
        let Reader::Fibres(reader) = &self.reader else { return [Vec6::zeros(); 3] };
        let y = self.gradients(at.x);
        let part = |of: fn(f64, f64) -> f64| {
            reader.sum(place, |k| {
                let one = |p: &[f64; 3]| {
                    reader.stress(&self.points[k], k, &y, [p[0], p[1]]) * (p[2] * of(p[0], p[1]))
                };
                reader.fibres.places.iter().map(one).sum()
            })
        };
        [part(|_, _| 1.0), part(|u, _| u), part(|_, v| v)]
    }
}

impl FibreReader {
    fn sum(&self, [xi, eta]: [f64; 2], at: impl Fn(usize) -> Vec6) -> Vec6 {
        let n = self.grid[1].len();
        let (first, second) = (lagrange(&self.grid[0], xi).value, lagrange(&self.grid[1], eta).value);
        (0..self.grid[0].len() * n).map(|k| at(k) * (first[k / n] * second[k % n])).sum()
    }

    fn stress(&self, p: &Point, k: usize, y: &Gradients, [u, v]: [f64; 2]) -> Vec6 {
        let mut strains = [0.0; MAX_FORMS];
        p.strain_values(y, &mut strains[..p.strains()]);
        strains.iter_mut().zip(&p.reference).for_each(|(e, reference)| *e -= reference);
        let t = to_material(&self.axes[k]);
        let middle = t * self.fibres.strain(&strains[..p.strains()], 0.0, 0.0);
        let rest = t * self.fibres.strain(&strains[..p.strains()], u, v) - middle;
        let [even, other] = self.factors.map(|f| f.component_mul(&f));
        let strain = even.component_mul(&middle) + other.component_mul(&rest);
        self.section * strain + self.middle * middle + self.initial
    }
}

impl BeamElement for SolidElement {
    /// Strains and stress resultants of the Gauss points, carried on as a polynomial.
    fn section_state(&self, at: &Motion, xi: f64) -> SectionState {
        let Reader::Section { places, weights, axes } = &self.reader else {
            return SectionState { strain: Vec6::zeros(), resultant: Vec6::zeros(), axes: 0.0 };
        };
        let y = self.gradients(at.x);
        let ydot = self.gradients(at.xdot);
        let mut state = SectionState { strain: Vec6::zeros(), resultant: Vec6::zeros(), axes: f64::INFINITY };
        let shares = lagrange(places, xi).value;
        for (((p, weight), length), axes) in self.points.iter().zip(shares).zip(weights).zip(axes) {
            let s = Self::now::<false>(p, &y, &ydot);
            state.strain += Vec6::from_column_slice(&s.strain[1][..6]) * weight;
            state.resultant += Vec6::from_column_slice(&s.stress[..6]) * (weight / length);
            state.axes = axes.iter().map(|&k| y[k].norm()).fold(state.axes, f64::min);
        }
        state
    }

    /// Point of the line and axes of the section at ξ in [−1, 1], as interpolated.
    fn section_place(&self, at: &Motion, xi: f64) -> Option<SectionPlace> {
        let weights = shape(self.carried.len() / 3, xi).value;
        let sum =
            |x: &[Vec3], k: usize| -> Vec3 { x.chunks_exact(3).zip(weights).map(|(x, w)| x[k] * w).sum() };
        let axes = super::section_beam::frame(&sum(at.x, 1), &sum(at.x, 2))?;
        Some(SectionPlace { position: sum(at.x, 0), velocity: sum(at.xdot, 0), axes })
    }
}
