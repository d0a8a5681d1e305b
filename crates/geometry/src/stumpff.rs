//! Stumpff functions, the even power series behind every coefficient of the exponential maps.
//!
//! ```text
//! c_j(x) = Σ_n (-x)ⁿ / (2n + j)! ,   x = φ²
//! c_0 = cos φ,  c_1 = sin φ / φ,  c_2 = (1 - cos φ)/φ²,  c_3 = (φ - sin φ)/φ³
//! c_j = 1/j! - x c_{j+2}
//! (1/φ) d c_j / dφ = j c_{j+2} - c_{j+1}
//! ```
//!
//! The last line gives every derivative without a division by φ, so nothing loses digits near φ = 0.

const FACTORIAL: [f64; 7] = [1.0, 1.0, 2.0, 6.0, 24.0, 120.0, 720.0];
/// Below this `x` the two highest functions are summed and the others follow by the recurrence.
const SERIES_LIMIT: f64 = 9.0;
const SERIES_TERMS: u32 = 18;

/// Values `c_0 … c_8` at one argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stumpff {
    /// `c[j]` is `c_j(x)`.
    pub c: [f64; 9],
}

impl Stumpff {
    /// Evaluates all functions at `x = φ² ≥ 0`.
    pub fn new(x: f64) -> Self {
        if x < SERIES_LIMIT { Self::by_series(x) } else { Self::by_closed_form(x) }
    }

    fn by_series(x: f64) -> Self {
        let mut c = [0.0; 9];
        c[8] = series(x, 8);
        c[7] = series(x, 7);
        for j in (2..7).rev() {
            c[j] = 1.0 / FACTORIAL[j] - x * c[j + 2];
        }
        let phi = x.sqrt();
        c[1] = if phi > 0.5 { phi.sin() / phi } else { 1.0 - x * c[3] };
        c[0] = phi.cos();
        Self { c }
    }

    fn by_closed_form(x: f64) -> Self {
        let phi = x.sqrt();
        let half = (0.5 * phi).sin() / phi;
        let mut c = [0.0; 9];
        c[0] = phi.cos();
        c[1] = phi.sin() / phi;
        // 2 sin²(φ/2)/φ² keeps its relative accuracy where 1 - cos φ does not (φ → 2π).
        c[2] = 2.0 * half * half;
        for j in 3..9 {
            c[j] = (1.0 / FACTORIAL[j - 2] - c[j - 2]) / x;
        }
        Self { c }
    }

    /// `(1/φ) d c_j/dφ = j c_{j+2} - c_{j+1}`, for `j ≤ 6`.
    pub fn slope(&self, j: usize) -> f64 {
        j as f64 * self.c[j + 2] - self.c[j + 1]
    }

    /// `(1/φ) d/dφ` applied twice to `c_j`, for `j ≤ 4`.
    pub fn curvature(&self, j: usize) -> f64 {
        j as f64 * self.slope(j + 2) - self.slope(j + 1)
    }

    /// `χ = (1 - (φ/2) cot(φ/2))/φ² = (c_3 - 2 c_4)/(2 c_2)`, the coefficient of the inverse tangent.
    ///
    /// Infinite at φ = 2π, where the exponential map is singular.
    pub fn chi(&self) -> f64 {
        -self.slope(2) / (2.0 * self.c[2])
    }

    /// `(1/φ) dχ/dφ`.
    pub fn chi_slope(&self) -> f64 {
        let ratio = self.slope(2) / self.c[2];
        0.5 * (ratio * ratio - self.curvature(2) / self.c[2])
    }

    /// `(1/φ) d/dφ` applied twice to `χ`.
    ///
    /// With `D = (1/φ) d/dφ`, `r = D c_2/c_2` and `k = D²c_2/c_2`: `χ = -r/2`, `Dr = k - r²`,
    /// `D²r = D³c_2/c_2 - r k - 2 r Dr`.
    pub fn chi_curvature(&self) -> f64 {
        let third = 2.0 * self.curvature(4) - self.curvature(3);
        let r = self.slope(2) / self.c[2];
        let k = self.curvature(2) / self.c[2];
        -0.5 * (third / self.c[2] - r * k - 2.0 * r * (k - r * r))
    }
}

/// `Σ_n (-x)ⁿ/(2n + j)!`, summed by Horner's rule from the last term.
fn series(x: f64, j: u32) -> f64 {
    let mut sum = 1.0;
    for n in (1..=SERIES_TERMS).rev() {
        let k = f64::from(2 * n + j);
        sum = 1.0 - sum * x / (k * (k - 1.0));
    }
    let factorial: f64 = (1..=j).map(f64::from).product();
    sum / factorial
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_branches_agree_at_the_seam() {
        for x in [8.9, 9.0, 9.1, 20.0] {
            let (s, f) = (Stumpff::by_series(x), Stumpff::by_closed_form(x));
            for j in 0..9 {
                assert!((s.c[j] - f.c[j]).abs() < 2e-15, "c_{j}({x}): {} {}", s.c[j], f.c[j]);
            }
        }
    }

    // motion-interpolation-galerkin §1.5: printed series of the coefficients.
    #[test]
    fn leading_terms_at_zero() {
        let s = Stumpff::new(0.0);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-16, "{a} {b}");
        close(s.c[2], 0.5);
        close(s.c[3], 1.0 / 6.0);
        close(s.chi(), 1.0 / 12.0);
        close(s.slope(2), -1.0 / 12.0);
        close(s.slope(3), -1.0 / 60.0);
        close(s.chi_slope(), 1.0 / 360.0);
        close(s.curvature(2), 2.0 / 180.0);
        close(s.curvature(3), 2.0 / 1260.0);
        close(s.chi_curvature(), 2.0 / 7560.0);
    }

    #[test]
    fn slopes_match_central_differences() {
        for phi in [0.3_f64, 1.0, 2.9, 3.1, 4.5] {
            let h = 1e-5;
            let at = |f: f64| Stumpff::new(f * f);
            let (p, m, s) = (at(phi + h), at(phi - h), at(phi));
            let fd = |g: &dyn Fn(&Stumpff) -> f64| (g(&p) - g(&m)) / (2.0 * h * phi);
            for j in 1..=5 {
                assert!((fd(&|t| t.c[j]) - s.slope(j)).abs() < 1e-9);
            }
            for j in 1..=3 {
                assert!((fd(&|t| t.slope(j)) - s.curvature(j)).abs() < 1e-9);
            }
            assert!((fd(&|t| t.chi()) - s.chi_slope()).abs() < 1e-9);
            assert!((fd(&|t| t.chi_slope()) - s.chi_curvature()).abs() < 1e-8, "{phi}");
        }
    }

    // c_3, c_7, χ and its two slopes computed with 50 digits.
    #[test]
    fn values_to_rounding() {
        let table: [(f64, [f64; 5]); 10] = [
            (
                1e-05,
                [
                    0.16666666666583332,
                    0.00019841269841242284,
                    0.08333333333347222,
                    0.002777777777791005,
                    0.00026455026455224866,
                ],
            ),
            (
                0.01,
                [
                    0.16666583333531745,
                    0.0001984124228397567,
                    0.08333347222255291,
                    0.0027777910053406085,
                    0.00026455224868726955,
                ],
            ),
            (
                0.5,
                [
                    0.16459569116637598,
                    0.0001977253286826317,
                    0.0836826353540599,
                    0.0028111592110818154,
                    0.0002695738791344623,
                ],
            ),
            (
                1.0,
                [
                    0.1585290151921035,
                    0.00019568185877016,
                    0.08475613914377404,
                    0.002915185691236665,
                    0.0002854375570870349,
                ],
            ),
            (
                2.0,
                [
                    0.1363378216467898,
                    0.00018778051959102843,
                    0.08947684601641732,
                    0.0033984714607326635,
                    0.00036313267577332966,
                ],
            ),
            (
                2.9,
                [
                    0.10909634141563893,
                    0.00017691706807203346,
                    0.09797721595839991,
                    0.004375795503891189,
                    0.0005387992301707166,
                ],
            ),
            (
                3.1,
                [
                    0.10266252685598702,
                    0.0001741075029442069,
                    0.10070354273556575,
                    0.004718661562501487,
                    0.0006058452572774454,
                ],
            ),
            (
                std::f64::consts::PI,
                [
                    0.10132118364233778,
                    0.00017350762786794453,
                    0.10132118364233778,
                    0.004798331401215772,
                    0.000621805095353567,
                ],
            ),
            (
                4.5,
                [
                    0.060110069878354974,
                    0.00015166810720728744,
                    0.139087732840328,
                    0.011085486388589173,
                    0.002257209741424048,
                ],
            ),
            (
                6.0,
                [
                    0.029071368047217248,
                    0.00012531226958375816,
                    0.6123821570639889,
                    0.33092450431278936,
                    0.38017678163659285,
                ],
            ),
        ];
        for (phi, expected) in table {
            let s = Stumpff::new(phi * phi);
            let found = [s.c[3], s.c[7], s.chi(), s.chi_slope(), s.chi_curvature()];
            for (k, (a, b)) in found.iter().zip(expected).enumerate() {
                assert!((a / b - 1.0).abs() < 2e-13, "φ = {phi}, entry {k}: {a:e} {b:e}");
            }
        }
    }
}
