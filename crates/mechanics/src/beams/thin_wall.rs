//! Sections of thin walls along a polygon, open or of one cell: bending, torsion, shear flow and shear
//! centre.
//!
//! A shear force V makes the bending stress grow along the beam, and the walls balance it by the shear flow
//!
//! ```text
//! q(s) = q₀ − ∫₀ˢ t (a₁ζ₁ + a₂ζ₂) ds,      [∫ζ₁² ∫ζ₁ζ₂; ∫ζ₁ζ₂ ∫ζ₂²] a = V
//! ```
//! with q₀ = 0 at the free end of an open section and ∮ q/t ds = 0 (no twist) in a cell. Its energy ½∫q²/(G
//! t) ds = ½ V·A_s⁻¹V/G gives the shear areas, its moment about the centroid the shear centre, e₁V₂ − e₂V₁ =
//! ∫ q (ζ × dζ). Torsion:
//!
//! ```text
//! open  J = Σ l t³/3          cell  J = 4 A_m²/∮ds/t + Σ l t³/3
//! ```
//! Second moments count the thickness across walls too, so that a single wall is not without stiffness.

use super::section_shape::{SectionArea, SectionError};

/// A straight wall.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wall {
    pub from: [f64; 2],
    pub to: [f64; 2],
    pub thickness: f64,
}

/// Three-point Gauss rule on [0, 1]: exact for squares of the shear flow, which is quadratic along a wall.
const GAUSS: [(f64, f64); 3] =
    [(0.112_701_665_379_258_31, 5.0 / 18.0), (0.5, 4.0 / 9.0), (0.887_298_334_620_741_7, 5.0 / 18.0)];

impl Wall {
    fn length(&self) -> f64 {
        (self.to[0] - self.from[0]).hypot(self.to[1] - self.from[1])
    }

    fn area(&self) -> f64 {
        self.length() * self.thickness
    }

    fn at(&self, share: f64) -> [f64; 2] {
        [0, 1].map(|k| self.from[k] + share * (self.to[k] - self.from[k]))
    }

    /// ∫ t ζ ds from the start to a share of the wall.
    fn first_moment(&self, share: f64) -> [f64; 2] {
        self.at(0.5 * share).map(|z| z * share * self.area())
    }

    /// ζ × dζ/ds · length: twice the area swept from the origin.
    fn swept(&self) -> f64 {
        self.from[0] * self.to[1] - self.from[1] * self.to[0]
    }

    fn shifted(&self, by: [f64; 2]) -> Wall {
        let moved = |p: [f64; 2]| [p[0] - by[0], p[1] - by[1]];
        Wall { from: moved(self.from), to: moved(self.to), ..*self }
    }
}

/// ∫ζ₁², ∫ζ₂², ∫ζ₁ζ₂ of a wall with its thickness.
fn second_moments(wall: &Wall) -> [f64; 3] {
    let (l, a, middle) = (wall.length(), wall.area(), wall.at(0.5));
    let along = [(wall.to[0] - wall.from[0]) / l, (wall.to[1] - wall.from[1]) / l];
    let across = [-along[1], along[0]];
    let product = |i: usize, j: usize| {
        let own = (l * l * along[i] * along[j] + wall.thickness.powi(2) * across[i] * across[j]) / 12.0;
        a * (middle[i] * middle[j] + own)
    };
    [product(0, 0), product(1, 1), product(0, 1)]
}

/// Shear flow for a gradient of the bending stress: where each wall starts.
struct Flow {
    gradient: [f64; 2],
    starts: Vec<f64>,
}

impl Flow {
    fn new(walls: &[Wall], gradient: [f64; 2], closed: bool) -> Self {
        let mut flow = Flow { gradient, starts: Vec::with_capacity(walls.len()) };
        let mut here = 0.0;
        for wall in walls {
            flow.starts.push(here);
            here = flow.value(wall, here, 1.0);
        }
        if closed {
            let [mut open, mut path] = [0.0; 2];
            for (wall, start) in walls.iter().zip(&flow.starts) {
                let factor = wall.length() / wall.thickness;
                path += factor;
                open += GAUSS.iter().map(|(x, w)| w * factor * flow.value(wall, *start, *x)).sum::<f64>();
            }
            flow.starts.iter_mut().for_each(|start| *start -= open / path);
        }
        flow
    }

    /// q at a share of a wall.
    fn value(&self, wall: &Wall, start: f64, share: f64) -> f64 {
        let s = wall.first_moment(share);
        start - self.gradient[0] * s[0] - self.gradient[1] * s[1]
    }

    /// ∫ q (ζ × dζ).
    fn moment(&self, walls: &[Wall]) -> f64 {
        let mean = |wall: &Wall, start: f64| -> f64 {
            GAUSS.iter().map(|(x, w)| w * self.value(wall, start, *x)).sum()
        };
        walls.iter().zip(&self.starts).map(|(wall, start)| wall.swept() * mean(wall, *start)).sum()
    }
}

/// ∫ q p/t ds.
fn energy(walls: &[Wall], q: &Flow, p: &Flow) -> f64 {
    let mut sum = 0.0;
    for (k, wall) in walls.iter().enumerate() {
        let factor = wall.length() / wall.thickness;
        for (x, w) in GAUSS {
            sum += w * factor * q.value(wall, q.starts[k], x) * p.value(wall, p.starts[k], x);
        }
    }
    sum
}

/// Properties of walls joined one after the other; of a cell if the last ends where the first starts.
pub(super) fn open_or_closed(walls: &[Wall], closed: bool) -> Result<SectionArea, SectionError> {
    let area: f64 = walls.iter().map(Wall::area).sum();
    let centroid = [0, 1].map(|k| walls.iter().map(|w| w.first_moment(1.0)[k]).sum::<f64>() / area);
    let walls: Vec<Wall> = walls.iter().map(|w| w.shifted(centroid)).collect();
    let second = |k: usize| walls.iter().map(|w| second_moments(w)[k]).sum::<f64>();
    let [m11, m22, m12] = [second(0), second(1), second(2)];
    let strips: f64 = walls.iter().map(|w| w.length() * w.thickness.powi(3) / 3.0).sum();
    let mut torsion = strips;
    if closed {
        let swept: f64 = walls.iter().map(Wall::swept).sum();
        torsion += swept * swept / walls.iter().map(|w| w.length() / w.thickness).sum::<f64>();
    }
    // The flow is driven by the middle lines alone: their second moments make it balance V exactly.
    let line = |i: usize, j: usize| -> f64 {
        walls
            .iter()
            .map(|w| GAUSS.iter().map(|(x, g)| g * w.area() * w.at(*x)[i] * w.at(*x)[j]).sum::<f64>())
            .sum()
    };
    let (l11, l22, l12) = (line(0, 0), line(1, 1), line(0, 1));
    let determinant = l11 * l22 - l12 * l12;
    if determinant <= 1e-10 * (l11 + l22).powi(2) {
        return Err(SectionError::Flat);
    }
    let flows = [[l22, -l12], [-l12, l11]].map(|a| Flow::new(&walls, a.map(|a| a / determinant), closed));
    let [f11, f22, f12] = [(0, 0), (1, 1), (0, 1)].map(|(i, j)| energy(&walls, &flows[i], &flows[j]));
    let flexible = f11 * f22 - f12 * f12;
    let shear_areas = [f22 / flexible, f11 / flexible, -f12 / flexible];
    // V₁ = 1: −e₂ = moment; V₂ = 1: e₁ = moment.
    let [first, second] = [flows[0].moment(&walls), flows[1].moment(&walls)];
    Ok(SectionArea { area, second: [m22, m11, m12], torsion, shear_areas, shear_centre: [second, -first] })
}

#[cfg(test)]
mod tests {
    use super::super::section_shape::SectionShape;
    use super::*;

    fn section(corners: &[[f64; 2]], t: f64, closed: bool) -> SectionArea {
        let walls = if closed { corners.len() } else { corners.len() - 1 };
        SectionShape::ThinWalled { corners: corners.to_vec(), thickness: vec![t; walls], closed }
            .properties(0.3)
            .unwrap()
    }

    /// A channel of web h along axis 2 and flanges b towards +1: the shear centre lies 3b²/(h + 6b) behind
    /// the web.
    #[test]
    fn shear_centre_of_a_channel_is_behind_its_web() {
        let (b, h, t) = (0.06, 0.1, 1e-3);
        let p = section(&[[b, -0.5 * h], [0.0, -0.5 * h], [0.0, 0.5 * h], [b, 0.5 * h]], t, false);
        let centroid = b * b / (2.0 * b + h);
        assert!((p.area - (2.0 * b + h) * t).abs() < 1e-16);
        assert!(
            (p.shear_centre[0] + centroid + 3.0 * b * b / (h + 6.0 * b)).abs() < 1e-14,
            "{:?}",
            p.shear_centre
        );
        assert!(p.shear_centre[1].abs() < 1e-16);
        assert!((p.torsion - (2.0 * b + h) * t * t * t / 3.0).abs() < 1e-20);
        let thin = t * h.powi(3) / 12.0 + 2.0 * b * t * (0.25 * h * h);
        assert!((p.second[0] / thin - 1.0).abs() < 2.0 * t * t / (h * h), "{}", p.second[0] / thin);
    }

    /// A square box of middle line a: I = 2/3 a³t, J = a³t; its flow under V is 3V/(8at) (1 + …), with k =
    /// 5/12 to thin walls.
    #[test]
    fn a_square_box_twists_as_bredt_says() {
        let (a, t) = (0.2, 2e-3);
        let p = section(&[[0.0, 0.0], [a, 0.0], [a, a], [0.0, a]], t, true);
        assert!((p.torsion - (a.powi(3) * t + 4.0 * a * t.powi(3) / 3.0)).abs() < 1e-16);
        assert!((p.second[0] / (2.0 / 3.0 * a.powi(3) * t + 2.0 * a * t.powi(3) / 12.0) - 1.0).abs() < 1e-12);
        assert!(p.shear_centre.iter().all(|e| e.abs() < 1e-15), "{:?}", p.shear_centre);
        // Webs q = V/I t (a²/4 + (a²/4 − y²)/2), flanges q = V/I t (a/2) x: ∫q²/t = V²t/I² a⁵ (7/60 + 1/24
        // …).
        let web = 2.0 * (a.powi(5) / 16.0 + a.powi(5) / 24.0 + a.powi(5) / 120.0);
        let flange = 4.0 * (a * a / 4.0) * (0.5 * a).powi(3) / 3.0;
        let i = 2.0 / 3.0 * a.powi(3) * t;
        assert!(
            (p.shear_areas[0] / (i * i / (t * (web + flange))) - 1.0).abs() < 1e-12,
            "{}",
            p.shear_areas[0]
        );
        assert!((p.shear_areas[0] - p.shear_areas[1]).abs() < 1e-16 && p.shear_areas[2].abs() < 1e-16);
    }

    /// Turning a section turns its properties.
    #[test]
    fn properties_turn_with_the_section() {
        let corners = [[0.0, 0.0], [0.08, 0.01], [0.1, 0.09], [0.03, 0.12]];
        let (c, s) = (0.7f64.cos(), 0.7f64.sin());
        let turned: Vec<[f64; 2]> =
            corners.iter().map(|p| [c * p[0] - s * p[1], s * p[0] + c * p[1]]).collect();
        for closed in [false, true] {
            let (p, q) = (section(&corners, 2e-3, closed), section(&turned, 2e-3, closed));
            let turn = |[xx, yy, xy]: [f64; 3]| {
                [
                    c * c * xx + s * s * yy - 2.0 * s * c * xy,
                    s * s * xx + c * c * yy + 2.0 * s * c * xy,
                    s * c * (xx - yy) + (c * c - s * s) * xy,
                ]
            };
            for (got, expected) in q.shear_areas.iter().zip(turn(p.shear_areas)) {
                assert!((got - expected).abs() < 1e-15, "{got} {expected}");
            }
            let [i2, i1, i12] = turn([p.second[1], p.second[0], p.second[2]]);
            for (got, expected) in q.second.iter().zip([i1, i2, i12]) {
                assert!((got - expected).abs() < 1e-18, "{got} {expected}");
            }
            let e = p.shear_centre;
            assert!((q.shear_centre[0] - (c * e[0] - s * e[1])).abs() < 1e-14);
            assert!((q.shear_centre[1] - (s * e[0] + c * e[1])).abs() < 1e-14);
        }
    }
}
