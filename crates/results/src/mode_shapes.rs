//! `modes.json`: the shapes of modes, for viewers.
//!
//! A mode moves a body by Re(a·e^(λt)): its centre of mass by the translation
//! and the body about it by the rotation, both in world axes.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::atomic_file::write_atomically;
use crate::complex::Complex;
use crate::error::ResultsError;
use crate::finite;

/// Name of the format in the file.
const FORMAT: &str = "poinsot-modes";

/// Version of the format.
const VERSION: u64 = 1;

/// A vector of complex components.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ComplexVector {
    /// Real parts.
    pub re: [f64; 3],
    /// Imaginary parts.
    pub im: [f64; 3],
}

impl ComplexVector {
    /// The vector of these components.
    pub fn new(components: [Complex; 3]) -> ComplexVector {
        ComplexVector { re: components.map(|c| c.re), im: components.map(|c| c.im) }
    }

    /// A component, from 0.
    pub fn component(&self, i: usize) -> Complex {
        Complex::new(self.re[i], self.im[i])
    }

    /// The real vector Re(a·e^(iφ)) at a phase φ.
    pub fn at(&self, phase: f64) -> [f64; 3] {
        let (sin, cos) = phase.sin_cos();
        std::array::from_fn(|i| self.re[i] * cos - self.im[i] * sin)
    }

    fn times(&self, factor: Complex) -> ComplexVector {
        ComplexVector {
            re: std::array::from_fn(|i| self.re[i] * factor.re - self.im[i] * factor.im),
            im: std::array::from_fn(|i| self.re[i] * factor.im + self.im[i] * factor.re),
        }
    }

    /// a + θ × r for a real vector r.
    pub(crate) fn plus_cross(&self, rotation: &ComplexVector, r: [f64; 3]) -> ComplexVector {
        let cross = |t: [f64; 3]| -> [f64; 3] {
            [t[1] * r[2] - t[2] * r[1], t[2] * r[0] - t[0] * r[2], t[0] * r[1] - t[1] * r[0]]
        };
        let add = |a: [f64; 3], b: [f64; 3]| std::array::from_fn(|i| a[i] + b[i]);
        ComplexVector { re: add(self.re, cross(rotation.re)), im: add(self.im, cross(rotation.im)) }
    }
}

/// The frame of a body in the state that the modes are about.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BodyFrame {
    /// The body.
    pub name: String,
    /// Position of its frame in world axes, in m.
    pub position: [f64; 3],
    /// Rotation matrix, row by row: body axes to world axes.
    pub rotation: [[f64; 3]; 3],
    /// Position of its centre of mass in world axes, in m.
    pub centre_of_mass: [f64; 3],
}

/// An end of a link: a point that moves with a body, or stands still.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct LinkEnd {
    /// Index of the body in the list of frames; `None` for the ground.
    pub body: Option<usize>,
    /// The point in world axes, in m.
    pub position: [f64; 3],
}

/// A joint, or an element, between two bodies; its ends coincide in a joint
/// that lets its bodies only turn.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Link {
    /// Name of the joint.
    pub name: String,
    /// Its two ends.
    pub ends: [LinkEnd; 2],
}

/// How a body moves in a mode.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct BodyAmplitude {
    /// Translation of the centre of mass.
    pub translation: ComplexVector,
    /// Rotation about the centre of mass, in rad.
    pub rotation: ComplexVector,
}

/// How the amplitude and sign of a mode evolve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModeKind {
    /// It swings, with falling, constant or growing amplitude.
    Oscillation,
    /// It grows without swinging.
    Growth,
    /// It dies away without swinging.
    Decay,
    /// It stays as it is, or drifts.
    #[default]
    Neutral,
}

impl ModeKind {
    /// The kind in words.
    pub fn words(self) -> &'static str {
        match self {
            ModeKind::Oscillation => "oscillation",
            ModeKind::Growth => "growth",
            ModeKind::Decay => "decay",
            ModeKind::Neutral => "neutral",
        }
    }

    /// The kind of an eigenvalue whose parts count as zero up to `tolerance`.
    pub fn of(eigenvalue: Complex, tolerance: f64) -> ModeKind {
        if eigenvalue.im.abs() > tolerance {
            ModeKind::Oscillation
        } else if eigenvalue.re > tolerance {
            ModeKind::Growth
        } else if eigenvalue.re < -tolerance {
            ModeKind::Decay
        } else {
            ModeKind::Neutral
        }
    }
}

/// The shape of a mode.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ModeShape {
    /// Number of the shape, from 1.
    pub number: u64,
    /// What it is called where its number and frequency do not say enough: `P = 20.19`, `mode 2 at Omega =
    /// 100`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What a list of the shapes tells of it, heading and text, where that is not frequency and damping.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<(String, String)>,
    /// The frame of the scene that it is about, from 0.
    #[serde(default, skip_serializing_if = "is_first")]
    pub frame: usize,
    /// Eigenvalue, in 1/s.
    pub eigenvalue: Complex,
    /// Frequency, in Hz.
    pub frequency_hz: f64,
    /// Damping ratio.
    pub damping_ratio: f64,
    /// How the mode evolves.
    pub kind: ModeKind,
    /// The amplitude of each body, in the order of the frames.
    pub bodies: Vec<BodyAmplitude>,
    /// The amplitude of each shape of the flexible bodies, in the order of the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub amplitudes: Vec<Complex>,
}

/// Whether a frame is the first one.
fn is_first(frame: &usize) -> bool {
    *frame == 0
}

/// The shapes of modes and the state they are about: the first one, if there are several frames.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModeShapes {
    format: &'static str,
    version: u64,
    /// Length that weighs rotations against translations, in m.
    length: f64,
    bodies: Vec<BodyFrame>,
    links: Vec<Link>,
    modes: Vec<ModeShape>,
}

impl ModeShapes {
    /// The shapes, each normalised so that the largest component of a
    /// translation, or of `length` times a rotation, is 1 and real:
    ///
    /// a ← a/a*, a* = the component of largest |uᵢ| or length·|θᵢ|.
    ///
    /// A mode in which no body moves stays as it is.
    pub fn new(
        bodies: Vec<BodyFrame>,
        links: Vec<Link>,
        length: f64,
        modes: Vec<ModeShape>,
    ) -> Result<ModeShapes, ResultsError> {
        let mut shapes = ModeShapes { format: FORMAT, version: VERSION, length, bodies, links, modes };
        shapes.check()?;
        for mode in &mut shapes.modes {
            mode.normalise(length);
        }
        Ok(shapes)
    }

    fn check(&self) -> Result<(), ResultsError> {
        let refuse = |reason: String| Err(ResultsError::ModeShapes { reason });
        if let Err(found) = finite::check(self) {
            return refuse(found.to_string());
        }
        if self.length <= 0.0 {
            return refuse(format!("the length {} is not positive", self.length));
        }
        let number = self.bodies.len();
        if let Some(mode) = self.modes.iter().find(|m| m.bodies.len() != number) {
            let (n, given) = (mode.number, mode.bodies.len());
            return refuse(format!("mode {n} has {given} amplitudes for {number} bodies"));
        }
        let outside = |l: &&Link| l.ends.iter().any(|e| e.body.is_some_and(|b| b >= number));
        match self.links.iter().find(outside) {
            Some(link) => refuse(format!("`{}` is linked to a body that does not exist", link.name)),
            None => Ok(()),
        }
    }

    /// The frames of the bodies.
    pub fn bodies(&self) -> &[BodyFrame] {
        &self.bodies
    }

    /// The joints.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The modes, normalised.
    pub fn modes(&self) -> &[ModeShape] {
        &self.modes
    }

    /// Length that weighs rotations against translations, in m.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// The shapes as indented JSON.
    pub fn json(&self) -> Result<String, ResultsError> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|source| ResultsError::Json { path: "modes.json".into(), source })?;
        Ok(text + "\n")
    }

    /// Writes the shapes as JSON, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), ResultsError> {
        write_atomically(path, self.json()?.as_bytes())
    }
}

impl ModeShape {
    fn normalise(&mut self, length: f64) {
        let translations = self.bodies.iter().map(|b| (&b.translation, 1.0));
        let rotations = self.bodies.iter().map(|b| (&b.rotation, length));
        let components = translations
            .chain(rotations)
            .flat_map(|(v, weight)| (0..3).map(move |i| (v.component(i), weight)));
        let deformed = self.amplitudes.iter().map(|&amplitude| (amplitude, 1.0));
        let (largest, weight) = components.chain(deformed).fold((Complex::default(), 1.0), |most, next| {
            // Strictly larger, to rounding: among equals the first decides.
            let larger = next.0.norm() * next.1 > most.0.norm() * most.1 * (1.0 + 1e-9);
            if larger { next } else { most }
        });
        let norm = largest.norm();
        if norm * weight < f64::MIN_POSITIVE {
            return;
        }
        // 1/(a·w) = ā/(|a|²·w), without squaring.
        let factor = Complex::new(largest.re / norm / norm / weight, -largest.im / norm / norm / weight);
        for body in &mut self.bodies {
            body.translation = body.translation.times(factor);
            body.rotation = body.rotation.times(factor);
        }
        self.amplitudes.iter_mut().for_each(|amplitude| *amplitude = amplitude.times(factor));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amplitude(translation: [(f64, f64); 3], rotation: [(f64, f64); 3]) -> BodyAmplitude {
        let vector = |v: [(f64, f64); 3]| ComplexVector::new(v.map(Complex::from));
        BodyAmplitude { translation: vector(translation), rotation: vector(rotation) }
    }

    fn shapes(length: f64, bodies: Vec<BodyAmplitude>) -> Result<ModeShapes, ResultsError> {
        let frames = vec![BodyFrame::default(); bodies.len()];
        let mode = ModeShape { number: 1, bodies, ..ModeShape::default() };
        ModeShapes::new(frames, vec![], length, vec![mode])
    }

    const ZERO: [(f64, f64); 3] = [(0.0, 0.0); 3];

    #[test]
    fn the_largest_component_becomes_one() {
        let a = amplitude([(0.0, 0.0), (3.0, 4.0), (0.0, 0.0)], ZERO);
        let b = amplitude([(0.0, -2.5), (0.0, 0.0), (0.0, 0.0)], [(0.0, 0.0), (0.0, 0.0), (3.0, 4.0)]);
        let s = shapes(0.5, vec![a, b]).unwrap();
        let [a, b] = &s.modes()[0].bodies[..] else { panic!() };
        let near = |c: Complex, re: f64, im: f64| (c.re - re).abs() < 1e-15 && (c.im - im).abs() < 1e-15;
        assert!(near(a.translation.component(1), 1.0, 0.0), "{a:?}");
        // −2.5i/(3 + 4i) = −2.5i(3 − 4i)/25 = −0.4 − 0.3i.
        assert!(near(b.translation.component(0), -0.4, -0.3), "{b:?}");
        assert!(near(b.rotation.component(2), 1.0, 0.0), "{b:?}");
    }

    #[test]
    fn rotations_weigh_by_the_length() {
        let body = amplitude([(1.0, 0.0), (0.0, 0.0), (0.0, 0.0)], [(0.0, 0.0), (0.0, 1.0), (0.0, 0.0)]);
        let s = shapes(4.0, vec![body]).unwrap();
        let body = s.modes()[0].bodies[0];
        assert_eq!(body.rotation.component(1), Complex::new(0.25, 0.0));
        assert_eq!(body.translation.component(0).norm(), 0.25);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let still = amplitude(ZERO, ZERO);
        assert_eq!(shapes(1.0, vec![still]).unwrap().modes()[0].bodies[0], still);
        assert!(shapes(0.0, vec![still]).is_err());
        let bad = amplitude([(f64::NAN, 0.0), (0.0, 0.0), (0.0, 0.0)], ZERO);
        let error = shapes(1.0, vec![bad]).unwrap_err().to_string();
        assert!(error.contains("modes.0.bodies.0.translation.re.0"), "{error}");
        let mode = ModeShape { number: 7, ..ModeShape::default() };
        let error = ModeShapes::new(vec![BodyFrame::default()], vec![], 1.0, vec![mode]).unwrap_err();
        assert!(error.to_string().contains("mode 7 has 0 amplitudes for 1 bodies"));
        let end = LinkEnd { body: Some(2), ..LinkEnd::default() };
        let link = Link { name: "hinge".into(), ends: [end, LinkEnd::default()] };
        assert!(ModeShapes::new(vec![], vec![link], 1.0, vec![]).is_err());
    }

    #[test]
    fn phases_and_lever_arms() {
        let v = ComplexVector::new([Complex::new(1.0, 2.0), Complex::default(), Complex::default()]);
        assert!((v.at(0.0)[0] - 1.0).abs() < 1e-15);
        assert!((v.at(std::f64::consts::FRAC_PI_2)[0] + 2.0).abs() < 1e-15);
        let turn = ComplexVector { re: [0.0, 0.0, 2.0], im: [0.0; 3] };
        assert_eq!(v.plus_cross(&turn, [3.0, 0.0, 0.0]).re, [1.0, 6.0, 0.0]);
    }
}
