//! Cross-sections by their shape: area, second moments, torsion constant, shear areas.
//!
//! Shear areas k A are those of Cowper (1966) for solid sections and round tubes,
//!
//! ```text
//! rectangle   k = 10(1 + ν)/(12 + 11ν)
//! circle      k = 6(1 + ν)/(7 + 6ν)
//! tube        k = 6(1 + ν)(1 + m²)²/((7 + 6ν)(1 + m²)² + (20 + 12ν)m²),     m = inner/outer diameter
//! ```
//! and of the energy of the shear flow for thin walls (see `thin_wall.rs`). Torsion of the rectangle b ≥ h is
//! Saint-Venant's series,
//!
//! ```text
//! J = b h³/3 (1 − (192/π⁵)(h/b) Σ_{n odd} tanh(nπb/2h)/n⁵)
//! ```

use super::thin_wall::{Wall, open_or_closed};
use std::f64::consts::PI;
use thiserror::Error;

/// A cross-section; the section axes 1 and 2 go through its centroid.
#[derive(Clone, Debug, PartialEq)]
pub enum SectionShape {
    /// A solid rectangle.
    Rectangle {
        /// Width along axis 1 (m).
        width: f64,
        /// Height along axis 2 (m).
        height: f64,
    },
    /// A solid circle.
    Circle {
        /// Diameter (m).
        diameter: f64,
    },
    /// A round tube.
    Tube {
        /// Outer diameter (m).
        diameter: f64,
        /// Thickness of the wall (m).
        thickness: f64,
    },
    /// An I-section with two equal flanges along axis 1 and a web along axis 2.
    I {
        /// Width of the flanges (m).
        width: f64,
        /// Height over all (m).
        height: f64,
        /// Thickness of the web (m).
        web: f64,
        /// Thickness of the flanges (m).
        flange: f64,
    },
    /// Thin walls along a polygon.
    ThinWalled {
        /// Corners of the middle line (m), in any axes parallel to the section's.
        corners: Vec<[f64; 2]>,
        /// Thickness (m) of the wall from each corner to the next.
        thickness: Vec<f64>,
        /// Whether the last corner is joined to the first.
        closed: bool,
    },
}

/// Why a cross-section has no properties.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SectionError {
    /// A length is not positive.
    #[error("the {what} of the section must be positive, not {value}")]
    NotPositive {
        /// Which length.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// Parts do not fit into the outline.
    #[error("the {what} of the section, {value}, must be less than {limit}")]
    TooThick {
        /// Which length.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it must stay below.
        limit: f64,
    },
    /// The numbers of corners and walls do not agree.
    #[error("a polygon of {corners} corners has {walls} walls, but {given} thicknesses are given")]
    Walls {
        /// Corners.
        corners: usize,
        /// Walls between them.
        walls: usize,
        /// Thicknesses.
        given: usize,
    },
    /// All walls are in one line.
    #[error("the walls of the section are in one line: it has no stiffness across it")]
    Flat,
}

/// Geometric properties of a cross-section about its centroid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SectionArea {
    /// A (m²).
    pub area: f64,
    /// I₁ = ∫ζ₂² dA, I₂ = ∫ζ₁² dA, I₁₂ = ∫ζ₁ζ₂ dA (m⁴).
    pub second: [f64; 3],
    /// Torsion constant J (m⁴).
    pub torsion: f64,
    /// Shear areas A₁₁, A₂₂, A₁₂ (m²): k₁A, k₂A, 0 for symmetric sections.
    pub shear_areas: [f64; 3],
    /// Shear centre e₁, e₂ (m) from the centroid.
    pub shear_centre: [f64; 2],
}

impl SectionArea {
    /// With shear factors k₁, k₂ as given.
    pub fn with_shear_factors(self, [k1, k2]: [f64; 2]) -> Self {
        SectionArea { shear_areas: [k1 * self.area, k2 * self.area, 0.0], ..self }
    }

    fn symmetric(area: f64, [i1, i2]: [f64; 2], torsion: f64, [k1, k2]: [f64; 2]) -> Self {
        let shear_areas = [k1 * area, k2 * area, 0.0];
        SectionArea { area, second: [i1, i2, 0.0], torsion, shear_areas, shear_centre: [0.0; 2] }
    }
}

impl SectionShape {
    /// The properties for a material with Poisson's ratio ν.
    pub fn properties(&self, nu: f64) -> Result<SectionArea, SectionError> {
        match self {
            SectionShape::Rectangle { width, height } => rectangle(*width, *height, nu),
            SectionShape::Circle { diameter } => {
                positive("diameter", *diameter)?;
                Ok(round(*diameter, 0.0, nu))
            }
            SectionShape::Tube { diameter, thickness } => {
                positive("diameter", *diameter)?;
                positive("thickness", *thickness)?;
                less("thickness", *thickness, 0.5 * diameter)?;
                Ok(round(*diameter, diameter - 2.0 * thickness, nu))
            }
            SectionShape::I { width, height, web, flange } => i_section(*width, *height, *web, *flange),
            SectionShape::ThinWalled { corners, thickness, closed } => {
                thin_walled(corners, thickness, *closed)
            }
        }
    }
}

fn positive(what: &'static str, value: f64) -> Result<(), SectionError> {
    if value > 0.0 && value.is_finite() { Ok(()) } else { Err(SectionError::NotPositive { what, value }) }
}

fn less(what: &'static str, value: f64, limit: f64) -> Result<(), SectionError> {
    if value < limit { Ok(()) } else { Err(SectionError::TooThick { what, value, limit }) }
}

fn rectangle(width: f64, height: f64, nu: f64) -> Result<SectionArea, SectionError> {
    positive("width", width)?;
    positive("height", height)?;
    let second = [width * height.powi(3) / 12.0, height * width.powi(3) / 12.0];
    let k = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu);
    Ok(SectionArea::symmetric(width * height, second, rectangle_torsion(width, height), [k, k]))
}

/// Saint-Venant's torsion constant of a rectangle.
fn rectangle_torsion(width: f64, height: f64) -> f64 {
    let (long, short) = (width.max(height), width.min(height));
    // Beyond the 401st the terms are below 1e-13 of the sum; tanh tends to 1 and the rest is that of Σ 1/n⁵.
    let term = |n: f64| (0.5 * n * PI * long / short).tanh() / n.powi(5);
    let sum: f64 = (0..200).rev().map(|k| term(f64::from(2 * k + 1))).sum();
    long * short.powi(3) / 3.0 * (1.0 - 192.0 / PI.powi(5) * short / long * sum)
}

fn round(outer: f64, inner: f64, nu: f64) -> SectionArea {
    let area = 0.25 * PI * (outer * outer - inner * inner);
    let second = PI / 64.0 * (outer.powi(4) - inner.powi(4));
    let m = inner / outer;
    let ring = (1.0 + m * m).powi(2);
    let k = 6.0 * (1.0 + nu) * ring / ((7.0 + 6.0 * nu) * ring + (20.0 + 12.0 * nu) * m * m);
    SectionArea::symmetric(area, [second; 2], 2.0 * second, [k, k])
}

/// Areas and second moments are those of the three rectangles, J = Σ b t³/3. Shear along the web: energy of
/// the shear flow
///
/// ```text
/// half flange   q = (V/I) t_f (a/2) x,  x = 0 … b/2             a: distance of the middle lines of the flanges
/// web           q = (V/I) (b t_f a/2 + t_w (c² − y²)/2),  y = −c … c,  c = h/2 − t_f
/// A_s = V²/∫(q²/t) ds
/// ```
/// Shear along the flanges: that of two rectangles, 5/6 of their area; the web takes no part.
fn i_section(b: f64, h: f64, tw: f64, tf: f64) -> Result<SectionArea, SectionError> {
    for (what, value) in [("width", b), ("height", h), ("web", tw), ("flange", tf)] {
        positive(what, value)?;
    }
    less("web", tw, b)?;
    less("flange", tf, 0.5 * h)?;
    let (a, c) = (h - tf, 0.5 * h - tf);
    let area = 2.0 * b * tf + 2.0 * c * tw;
    let i1 = (b * h.powi(3) - (b - tw) * (2.0 * c).powi(3)) / 12.0;
    let i2 = (2.0 * tf * b.powi(3) + 2.0 * c * tw.powi(3)) / 12.0;
    let torsion = (2.0 * b * tf.powi(3) + 2.0 * c * tw.powi(3)) / 3.0;
    let flanges = 4.0 * tf * (0.5 * a).powi(2) * (0.5 * b).powi(3) / 3.0;
    let start = 0.5 * b * tf * a;
    // ∫(s + t u)² dy over the web with u = (c² − y²)/2: ∫u = 2c³/3, ∫u² = 4c⁵/15.
    let web =
        (2.0 * c * start * start + 4.0 / 3.0 * start * tw * c.powi(3) + 4.0 / 15.0 * tw * tw * c.powi(5))
            / tw;
    let shear_areas = [5.0 / 3.0 * b * tf, i1 * i1 / (flanges + web), 0.0];
    Ok(SectionArea { area, second: [i1, i2, 0.0], torsion, shear_areas, shear_centre: [0.0; 2] })
}

fn thin_walled(corners: &[[f64; 2]], thickness: &[f64], closed: bool) -> Result<SectionArea, SectionError> {
    let walls = if closed { corners.len() } else { corners.len().saturating_sub(1) };
    if walls == 0 || thickness.len() != walls || (closed && corners.len() < 3) {
        return Err(SectionError::Walls { corners: corners.len(), walls, given: thickness.len() });
    }
    let wall = |k: usize| {
        let (from, to) = (corners[k], corners[(k + 1) % corners.len()]);
        positive("thickness", thickness[k])?;
        positive("length of a wall", (to[0] - from[0]).hypot(to[1] - from[1]))?;
        Ok(Wall { from, to, thickness: thickness[k] })
    };
    let walls: Vec<Wall> = (0..walls).map(wall).collect::<Result<_, SectionError>>()?;
    open_or_closed(&walls, closed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(got: f64, expected: f64, what: &str) {
        assert!(
            (got - expected).abs() <= 1e-12 * expected.abs().max(1e-12),
            "{what}: {got} instead of {expected}"
        );
    }

    #[test]
    fn torsion_of_rectangles_is_saint_venants() {
        // Timoshenko and Goodier, table of k₁: 0.1406, 0.196, 0.229, 0.249, 0.263, 0.281, 0.312; of the
        // square to ten digits.
        assert!((rectangle_torsion(1.0, 1.0) - 0.140_577_014_955_2).abs() < 1e-12);
        for (ratio, k) in [
            (1.0, 0.1406),
            (1.5, 0.196),
            (2.0, 0.229),
            (2.5, 0.249),
            (3.0, 0.263),
            (4.0, 0.281),
            (10.0, 0.312),
        ] {
            assert!((rectangle_torsion(ratio, 1.0) / ratio - k).abs() < 5e-4, "{ratio}");
        }
        near(rectangle_torsion(0.2, 0.7), rectangle_torsion(0.7, 0.2), "turned");
    }

    #[test]
    fn solid_sections_have_their_closed_forms() {
        let p = SectionShape::Rectangle { width: 0.1, height: 0.3 }.properties(0.3).unwrap();
        near(p.area, 0.03, "A");
        near(p.second[0], 0.1 * 0.027 / 12.0, "I1");
        near(p.second[1], 0.3 * 0.001 / 12.0, "I2");
        near(p.shear_areas[1], 0.03 * 13.0 / 15.3, "kA");
        let p = SectionShape::Rectangle { width: 1.0, height: 1.0 }.properties(0.0).unwrap();
        near(p.shear_areas[0], 5.0 / 6.0, "5/6 without lateral contraction");
        let p = SectionShape::Circle { diameter: 0.2 }.properties(0.25).unwrap();
        near(p.area, PI * 0.01, "A");
        near(p.second[0], PI * 1e-4 / 4.0, "I");
        near(p.torsion, PI * 1e-4 / 2.0, "J");
        near(p.shear_areas[0] / p.area, 7.5 / 8.5, "k");
        let p = SectionShape::Tube { diameter: 0.2, thickness: 0.05 }.properties(0.25).unwrap();
        near(p.second[0], PI / 64.0 * (0.2f64.powi(4) - 0.1f64.powi(4)), "I of the tube");
        near(p.torsion, 2.0 * p.second[0], "J of the tube");
        // A thin tube has k = 2(1 + ν)/(4 + 3ν).
        let p = SectionShape::Tube { diameter: 1.0, thickness: 1e-7 }.properties(0.3).unwrap();
        assert!((p.shear_areas[0] / p.area - 2.6 / 4.9).abs() < 1e-6);
    }

    #[test]
    fn i_section_shears_mostly_in_its_web() {
        // IPE 200 without its fillets: h 200, b 100, t_w 5.6, t_f 8.5 mm.
        let shape = SectionShape::I { width: 0.1, height: 0.2, web: 0.0056, flange: 0.0085 };
        let p = shape.properties(0.3).unwrap();
        near(p.area, 2.0 * 0.1 * 0.0085 + 0.183 * 0.0056, "A");
        near(p.second[0], (0.1 * 0.008 - 0.0944 * 0.183f64.powi(3)) / 12.0, "I1");
        let web = 0.0056 * (0.2 - 0.0085);
        assert!((p.shear_areas[1] / web - 1.0).abs() < 0.05, "{}", p.shear_areas[1] / web);
        // With hardly any flange it is a rectangle: 5/6.
        let p =
            SectionShape::I { width: 0.011, height: 0.2, web: 0.01, flange: 1e-6 }.properties(0.3).unwrap();
        assert!((p.shear_areas[1] / (0.2 * 0.01) - 5.0 / 6.0).abs() < 1e-4);
    }

    #[test]
    fn mistakes_are_named() {
        let bad = |s: SectionShape| s.properties(0.3).unwrap_err().to_string();
        assert!(bad(SectionShape::Circle { diameter: -1.0 }).contains("diameter"));
        assert!(bad(SectionShape::Tube { diameter: 1.0, thickness: 0.6 }).contains("less than 0.5"));
        let flat = SectionShape::ThinWalled {
            corners: vec![[0.0; 2], [1.0, 0.0]],
            thickness: vec![0.1],
            closed: false,
        };
        assert!(bad(flat).contains("one line"));
        let few = SectionShape::ThinWalled {
            corners: vec![[0.0; 2], [1.0, 0.0]],
            thickness: vec![],
            closed: false,
        };
        assert!(bad(few).contains("1 walls, but 0"));
    }
}
