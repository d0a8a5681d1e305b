//! Shape functions of plates with four nodes: cubic ones of positions and slopes (twelve terms; Adini,
//! Clough, Melosh) and bilinear ones.
//!
//! ```text
//! X = ξ_i ξ,  Y = η_i η,   x = ½a ξ,  y = ½b η
//! N_i = ⅛ (1 + X)(1 + Y)(2 + X + Y − X² − Y²)
//! of r_x: a/16 ξ_i (1 + X)²(X − 1)(1 + Y),     of r_y: b/16 η_i (1 + X)(1 + Y)²(Y − 1)
//! ```

/// Corners (ξ_i, η_i), counterclockwise.
pub(super) const CORNERS: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];

/// Values and derivatives by x and y of N, of r_x and of r_y at each corner.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cubic {
    pub value: [[f64; 3]; 4],
    pub x: [[f64; 3]; 4],
    pub y: [[f64; 3]; 4],
    pub xx: [[f64; 3]; 4],
    pub yy: [[f64; 3]; 4],
    pub xy: [[f64; 3]; 4],
}

/// The cubic shapes of an element a × b at (ξ, η).
pub(super) fn cubic(xi: f64, eta: f64, [a, b]: [f64; 2]) -> Cubic {
    let mut out = Cubic::default();
    for (i, [xi_i, eta_i]) in CORNERS.into_iter().enumerate() {
        let (x, y) = (xi_i * xi, eta_i * eta);
        // By X and Y times these: derivatives by x and y.
        let (dx, dy) = (2.0 * xi_i / a, 2.0 * eta_i / b);
        let (p, q) = (1.0 + x, 1.0 + y);
        let middle = 2.0 + x + y - x * x - y * y;
        // (1 + X)²(X − 1) and its derivatives.
        let bow = |x: f64| [(1.0 + x) * (1.0 + x) * (x - 1.0), (1.0 + x) * (3.0 * x - 1.0), 6.0 * x + 2.0];
        let (u, v) = (bow(x), bow(y));
        let (su, sv) = (a * xi_i / 16.0, b * eta_i / 16.0);
        let edge = |x: f64| (1.0 + x) * (1.0 - 2.0 * x);
        out.value[i] = [0.125 * p * q * middle, su * u[0] * q, sv * v[0] * p];
        out.x[i] = [0.125 * q * (middle + edge(x)), su * u[1] * q, sv * v[0]].map(|s| s * dx);
        out.y[i] = [0.125 * p * (middle + edge(y)), su * u[0], sv * v[1] * p].map(|s| s * dy);
        out.xx[i] = [-0.75 * x * q, su * u[2] * q, 0.0].map(|s| s * dx * dx);
        out.yy[i] = [-0.75 * y * p, 0.0, sv * v[2] * p].map(|s| s * dy * dy);
        out.xy[i] = [0.125 * (middle + edge(x) + edge(y)), su * u[1], sv * v[1]].map(|s| s * dx * dy);
    }
    out
}

/// Values and derivatives by x and y of the bilinear shapes.
pub(super) fn bilinear(xi: f64, eta: f64, [a, b]: [f64; 2]) -> [[f64; 4]; 3] {
    let value = CORNERS.map(|[xi_i, eta_i]| 0.25 * (1.0 + xi_i * xi) * (1.0 + eta_i * eta));
    let x = CORNERS.map(|[xi_i, eta_i]| 0.5 * xi_i * (1.0 + eta_i * eta) / a);
    let y = CORNERS.map(|[xi_i, eta_i]| 0.5 * eta_i * (1.0 + xi_i * xi) / b);
    [value, x, y]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A polynomial that the shapes contain is interpolated with all derivatives.
    #[test]
    fn cubics_are_reproduced() {
        let size = [0.7, 1.3];
        let f = |x: f64, y: f64| {
            let (x2, y2) = (x * x, y * y);
            [
                0.3 + x - 2.0 * y + x * y + x2 * 0.5 - y2 + x2 * x * y + 0.2 * x2 * y - y2 * y * x + y2 * x,
                1.0 + y + x + 3.0 * x2 * y + 0.4 * x * y - y2 * y + y2,
                -2.0 + x - 2.0 * y + x2 * x + 0.2 * x2 - 3.0 * y2 * x + 2.0 * y * x,
                1.0 + 6.0 * x * y + 0.4 * y,
                -2.0 - 6.0 * y * x + 2.0 * x,
                1.0 + 3.0 * x2 + 0.4 * x - 3.0 * y2 + 2.0 * y,
            ]
        };
        let (xi, eta) = (0.3, -0.6);
        let s = cubic(xi, eta, size);
        let tables = [s.value, s.x, s.y, s.xx, s.yy, s.xy];
        let wanted = f(0.5 * size[0] * xi, 0.5 * size[1] * eta);
        for (table, wanted) in tables.iter().zip(wanted) {
            let mut sum = 0.0;
            for (i, [xi_i, eta_i]) in CORNERS.into_iter().enumerate() {
                let at = f(0.5 * size[0] * xi_i, 0.5 * size[1] * eta_i);
                sum += (0..3).map(|k| table[i][k] * at[k]).sum::<f64>();
            }
            assert!((sum - wanted).abs() < 1e-13, "{sum} {wanted}");
        }
    }
}
