//! A cubic line element between two nodes with slopes: a cable or beam without shear and torsion, in the
//! plane and in space (floating-frame-and-ancf §1.21.3, §1.21.5; gs4-isochronous-integrators I-86, I-88).

use super::curved::{Curved, Point};
use super::law::{CableError, CablePoints, CableSection, CableStrain, least_turn};
use super::local::LocalStrain;
use super::measure::{bend, square_bend};
use super::node::SlopeNode;
use super::shape::Cubic;
use super::simplified::Simplified;
use super::triple::*;
use crate::beams::{BeamElement, SectionPlace, SectionState};
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::Blocks;
use crate::force::{Extensions, Force, Motion, Power};
use crate::nodes::carried::Carried;
use poinsot_geometry::{Mat3, Vec3, Vec6, so3};

/// An element of a cable.
#[derive(Clone, Debug)]
pub struct Cable {
    carried: [Carried; 4],
    length: f64,
    law: Law,
    section: CableSection,
    normal: Option<Vec3>,
    tension: f64,
    /// w of the reference.
    reference: Triple,
    /// Section axes where the element starts, in its reference.
    axes: Mat3,
}

/// How strains are measured.
#[derive(Clone, Debug)]
enum Law {
    Curved(Curved),
    Local(Box<LocalStrain>),
    Simplified(Simplified),
}

/// What a cable is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CableDesign {
    /// Stiffness, viscosity and mass.
    pub section: CableSection,
    /// How strains are measured.
    pub strain: CableStrain,
    /// Where they are summed, for [`CableStrain::Curvature`].
    pub points: CablePoints,
    /// Normal of the plane of motion, world axes; none in space.
    pub normal: Option<Vec3>,
    /// Tension in the reference (N), for [`CableStrain::Curvature`].
    pub tension: f64,
}

impl Cable {
    /// The element between two nodes, of the length l by which slopes are taken: ∂r/∂x with x from 0 to l.
    /// `reference` holds places and slopes in the order r_O, r_O′, r_A, r_A′ where the element is free of
    /// stress but for the tension; `axes` are the section axes at its start there, the third along the line.
    pub fn new(
        ends: &[SlopeNode; 2],
        l: f64,
        reference: &[Vec3; 4],
        axes: Mat3,
        design: &CableDesign,
    ) -> Result<Self, CableError> {
        let w = triple(reference);
        let finite = w.iter().all(|v| v.iter().all(|x| x.is_finite()));
        // A line that is far from its chord at a node turns by more than a quarter.
        let forward = w[0].dot(&w[1]) > 0.0 && w[2].dot(&w[1]) > 0.0 && l > 0.0 && l.is_finite();
        if !(finite && forward) {
            return Err(CableError::NoLength);
        }
        let straight = [0, 2].iter().all(|&k| (w[k] * l - w[1]).norm() < 1e-9 * l);
        let (normal, section) = (design.normal, &design.section);
        let plane = || normal.ok_or(CableError::NotPlanar);
        let needs_straight = || if straight { Ok(()) } else { Err(CableError::NotStraight) };
        if section.is_viscous() && design.strain != CableStrain::Curvature {
            return Err(CableError::Viscous);
        }
        if design.tension != 0.0 && design.strain != CableStrain::Curvature {
            return Err(CableError::Tense);
        }
        let law = match design.strain {
            CableStrain::Curvature => Law::Curved(Curved::new(&w, l, design)),
            CableStrain::Chord(frame) => {
                Law::Local(Box::new(LocalStrain::chord(&w, l, section, plane()?, frame)))
            }
            CableStrain::Green(frame) => {
                needs_straight()?;
                Law::Local(Box::new(LocalStrain::green(l, section, plane()?, frame)))
            }
            CableStrain::Simplified => {
                needs_straight()?;
                Law::Simplified(Simplified::new(l, section))
            }
        };
        let carried = [ends[0].place, ends[0].slope, ends[1].place, ends[1].slope];
        Ok(Cable {
            carried,
            length: l,
            law,
            section: *section,
            normal,
            tension: design.tension,
            reference: w,
            axes,
        })
    }

    /// Length of the reference (m).
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Gauss points, section, normal and length, if it measures stretch and curvature and is not viscous.
    pub(super) fn elastic_curvature(&self) -> Option<(&[Point], &CableSection, Option<&Vec3>, f64)> {
        match &self.law {
            Law::Curved(law) if !self.section.is_viscous() => {
                Some((law.points(), &self.section, self.normal.as_ref(), self.length))
            }
            _ => None,
        }
    }

    /// Section axes where the tangent is t: those of the start turned with it.
    fn axes_along(&self, t: &Vec3) -> Mat3 {
        let start = self.axes.column(2).into_owned();
        match &self.normal {
            Some(n) => {
                let angle = n.dot(&start.cross(t)).atan2(start.dot(t));
                so3::exp(&(n * angle)) * self.axes
            }
            None => least_turn(&start, t) * self.axes,
        }
    }

    /// r′, r″ and r‴ at a place.
    fn derivatives(s: &Cubic, w: &Triple) -> [Vec3; 3] {
        [&s.slope, &s.curvature, &s.third].map(|all| combined(&factors(all), w))
    }

    /// Mean ends of a step.
    fn ends(step: &StepEnds) -> [Triple; 2] {
        [triple(step.from), triple(step.to)]
    }
}

impl Force for Cable {
    fn kind(&self) -> &'static str {
        "cable"
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn sees_velocity(&self) -> bool {
        self.section.is_viscous()
    }

    #[inline]
    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        let (w, mut g) = (triple(at.x), [Vec3::zeros(); 3]);
        match &self.law {
            Law::Curved(law) => {
                let rate = self.section.is_viscous().then(|| triple(at.xdot));
                law.gradient(&w, rate.as_ref(), &mut g);
            }
            Law::Local(law) => law.gradient(&w, &mut g),
            Law::Simplified(law) => law.gradient(&w, &mut g),
        }
        pull(&g, f);
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, c: &mut Blocks) {
        let (w, mut h, mut drag) = (triple(at.x), NO_MATRIX, NO_MATRIX);
        match &self.law {
            Law::Curved(law) => {
                let rate = self.section.is_viscous().then(|| triple(at.xdot));
                law.tangent(&w, rate.as_ref(), &mut h, &mut drag);
                if rate.is_some() {
                    push(&drag, c);
                }
            }
            Law::Local(law) => law.tangent(&w, &mut h),
            Law::Simplified(law) => law.tangent(&w, &mut h),
        }
        push(&h, k);
    }

    fn potential(&self, at: &Motion) -> f64 {
        let w = triple(at.x);
        match &self.law {
            Law::Curved(law) => law.energy(&w),
            Law::Local(law) => law.energy(&w),
            Law::Simplified(law) => law.energy(&w),
        }
    }

    fn power(&self, at: &Motion) -> Power {
        match &self.law {
            Law::Curved(law) if self.section.is_viscous() => {
                Power { supplied: 0.0, dissipated: law.lost(&triple(at.x), &triple(at.xdot)) }
            }
            _ => Power::default(),
        }
    }

    fn discrete_force(&self, step: &StepEnds, f: &mut [Vec3]) {
        let ([from, to], mut g) = (Self::ends(step), [Vec3::zeros(); 3]);
        match &self.law {
            Law::Curved(law) => law.step_gradient([&from, &to], step.h, step.dissipation, &mut g),
            Law::Local(law) => law.step_gradient([&from, &to], step.dissipation, &mut g),
            Law::Simplified(law) => law.step_gradient([&from, &to], step.dissipation, &mut g),
        }
        pull(&g, f);
    }

    fn discrete_tangent(&self, step: &StepEnds, k: &mut Blocks, _c: &mut Blocks) {
        let ([from, to], mut h) = (Self::ends(step), NO_MATRIX);
        match &self.law {
            Law::Curved(law) => law.step_tangent([&from, &to], step.h, step.dissipation, &mut h),
            Law::Local(law) => law.step_tangent([&from, &to], step.dissipation, &mut h),
            Law::Simplified(law) => law.step_tangent([&from, &to], step.dissipation, &mut h),
        }
        push(&h, k);
    }

    fn discrete_work(&self, step: &StepEnds) -> Power {
        let [from, to] = Self::ends(step);
        let dissipated = match &self.law {
            Law::Curved(law) => law.step_lost([&from, &to], step.h, step.dissipation),
            Law::Local(law) => law.step_lost([&from, &to], step.dissipation),
            Law::Simplified(law) => law.step_lost([&from, &to], step.dissipation),
        };
        Power { supplied: 0.0, dissipated }
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions { beam: Some(self), ..Extensions::default() }
    }
}

impl BeamElement for Cable {
    /// Strains from the reference on and stress resultants at ξ in [−1, 1], of the stretch and curvature
    /// there whatever measure of strain makes the forces. The shear forces are what equilibrium asks for,
    /// t × (EI κ)′ with the third derivative of the line, which is constant in an element. There is no
    /// torque.
    fn section_state(&self, at: &Motion, xi: f64) -> SectionState {
        let s = Cubic::at(0.5 * (1.0 + xi), self.length);
        let (w, c) = (triple(at.x), &self.section);
        let [y, z, third] = Self::derivatives(&s, &w);
        let [y0, z0, _] = Self::derivatives(&s, &self.reference);
        let (gamma, gamma0) = (y.norm_squared(), y0.norm_squared());
        let axes = self.axes_along(&y.normalize());
        let own = axes.tr_mul(&(y.cross(&z) / gamma));
        let start = self.axes_along(&y0.normalize()).tr_mul(&(y0.cross(&z0) / gamma0));
        let bend = own - start;
        let stretch = gamma.sqrt() - gamma0.sqrt();
        // κ′ = (y × r‴)/γ − 2 (y·z)/γ κ along the curvature.
        let turn = y.cross(&third) / gamma - y.cross(&z) * (2.0 * y.dot(&z) / (gamma * gamma));
        let shear = axes.tr_mul(&(y.cross(&turn) * (c.bending / gamma)));
        let (mut axial, mut moment) = (self.tension + c.axial * stretch, bend * c.bending);
        if c.is_viscous() {
            let rate = triple(at.xdot);
            let [yd, zd, _] = Self::derivatives(&s, &rate);
            let moved = [yd, zd];
            axial += c.axial_viscosity * y.dot(&yd) / gamma.sqrt();
            let speed = match &self.normal {
                Some(n) => bend_rate(&bend_gradient(&[y, z], Some(n)), &moved),
                None => {
                    let own = square_bend(&[y, z]);
                    bend_rate(&own.gradient, &moved) / (2.0 * own.value.sqrt()).max(f64::MIN_POSITIVE)
                }
            };
            let along = match &self.normal {
                Some(n) => axes.tr_mul(n),
                None => own.try_normalize(f64::MIN_POSITIVE).unwrap_or_else(Vec3::zeros),
            };
            moment += along * (c.bending_viscosity * speed);
        }
        SectionState {
            strain: Vec6::new(0.0, 0.0, stretch, bend.x, bend.y, 0.0),
            resultant: Vec6::new(shear.x, shear.y, axial, moment.x, moment.y, 0.0),
            axes: 1.0,
        }
    }

    fn section_place(&self, at: &Motion, xi: f64) -> Option<SectionPlace> {
        let s = Cubic::at(0.5 * (1.0 + xi), self.length);
        let sum = |x: &[Vec3], weights: &[f64; 4]| -> Vec3 {
            x.iter().zip(weights).map(|(x, weight)| x * *weight).sum()
        };
        let tangent = sum(at.x, &s.slope).try_normalize(f64::MIN_POSITIVE)?;
        Some(SectionPlace {
            position: sum(at.x, &s.value),
            velocity: sum(at.xdot, &s.value),
            axes: self.axes_along(&tangent),
        })
    }
}

fn bend_gradient(at: &[Vec3; 2], normal: Option<&Vec3>) -> [Vec3; 2] {
    match normal {
        Some(n) => bend(at, n).gradient,
        None => square_bend(at).gradient,
    }
}

fn bend_rate(gradient: &[Vec3; 2], moved: &[Vec3; 2]) -> f64 {
    gradient[0].dot(&moved[0]) + gradient[1].dot(&moved[1])
}
