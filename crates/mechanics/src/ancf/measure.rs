//! Stretch and curvature at a place of a line, as functions of y = r′ and z = r″, with exact derivatives and
//! exact differences over a step (floating-frame-and-ancf gap 25).
//!
//! ```text
//! ε = |y| − 1
//! κ = n·(y × z)/|y|²                              in the plane with the normal n
//! w = |y × z|²/|y|⁴ = ζ/γ − (β/γ)²                in space, κ = √w
//! γ = y·y,  a = n·(y × z),  β = y·z,  ζ = z·z
//! ```
//! κ is the curvature by the length of the reference; with |y|³ below it would be that by the present
//! length. γ, a, β and ζ are quadratic and do not feel rotations. So their differences over a step are
//! their gradients at the mean, and with
//!
//! ```text
//! Δ(p/γ) = ½(1/γ + 1/γ⁺) Δp − ½(p + p⁺) Δγ/(γγ⁺),   Δ√γ = Δγ/(√γ + √γ⁺),   Δu² = (u + u⁺) Δu
//! ```
//! the discrete gradients D of all measures are exact, Δe = D·Δx, and keep the angular momentum
//! (energy-momentum-null-space I-13, I-16).

use poinsot_geometry::{Mat3, Vec3, so3};

/// A measure with its derivatives by y and z.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measure {
    pub value: f64,
    pub gradient: [Vec3; 2],
}

/// Second derivatives by y and z.
pub(super) type Second = [[Mat3; 2]; 2];

/// y and z at both ends of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    pub from: [Vec3; 2],
    pub to: [Vec3; 2],
}

impl Ends {
    pub fn mean(&self) -> [Vec3; 2] {
        [0, 1].map(|k| (self.from[k] + self.to[k]) * 0.5)
    }
}

/// The sum of left_i right_jᵀ.
pub(super) fn outer(left: &[Vec3; 2], right: &[Vec3; 2]) -> Second {
    left.map(|l| right.map(|r| l * r.transpose()))
}

/// h + factor · other.
pub(super) fn add(h: &mut Second, other: &Second, factor: f64) {
    for (row, other) in h.iter_mut().zip(other) {
        row.iter_mut().zip(other).for_each(|(h, o)| *h += o * factor);
    }
}

/// |y|.
#[inline]
pub(super) fn stretch([y, _]: &[Vec3; 2]) -> Measure {
    let length = y.norm();
    Measure { value: length, gradient: [y / length, Vec3::zeros()] }
}

/// (1 − t tᵀ)/|y|.
pub(super) fn stretch_second([y, _]: &[Vec3; 2]) -> Second {
    let length = y.norm();
    let t = y / length;
    let own = (Mat3::identity() - t * t.transpose()) / length;
    [[own, Mat3::zeros()], [Mat3::zeros(); 2]]
}

/// D of |y|: (y + y⁺)/(|y| + |y⁺|).
pub(super) fn stretch_step(ends: &Ends) -> [Vec3; 2] {
    let [y, _] = ends.mean();
    [y * (2.0 / (ends.from[0].norm() + ends.to[0].norm())), Vec3::zeros()]
}

/// ∂D/∂(y⁺, z⁺) of |y|.
pub(super) fn stretch_step_second(ends: &Ends) -> Second {
    let [y, _] = ends.mean();
    let (length, sum) = (ends.to[0].norm(), ends.from[0].norm() + ends.to[0].norm());
    let own = Mat3::identity() / sum - y * ends.to[0].transpose() * (2.0 / (sum * sum * length));
    [[own, Mat3::zeros()], [Mat3::zeros(); 2]]
}

/// κ in the plane with the normal n.
#[inline]
pub(super) fn bend([y, z]: &[Vec3; 2], n: &Vec3) -> Measure {
    let (across_y, across_z) = (n.cross(y), z.cross(n));
    let (gamma, a) = (y.norm_squared(), across_y.dot(z));
    let value = a / gamma;
    Measure { value, gradient: [(across_z - y * (2.0 * value)) / gamma, across_y / gamma] }
}

pub(super) fn bend_second([y, z]: &[Vec3; 2], n: &Vec3) -> Second {
    let (across_y, across_z) = (n.cross(y), z.cross(n));
    let (gamma, a) = (y.norm_squared(), across_y.dot(z));
    let square = gamma * gamma;
    let yy = (across_z * y.transpose() + y * across_z.transpose() + Mat3::identity() * a) * (-2.0 / square)
        + y * y.transpose() * (8.0 * a / (square * gamma));
    let yz = so3::skew(n) / -gamma - y * across_y.transpose() * (2.0 / square);
    [[yy, yz], [yz.transpose(), Mat3::zeros()]]
}

/// ½(1/γ + 1/γ⁺) and 1/(γγ⁺).
fn reciprocals(ends: &Ends) -> (f64, f64) {
    let [gamma, after] = [ends.from[0].norm_squared(), ends.to[0].norm_squared()];
    (0.5 / gamma + 0.5 / after, 1.0 / (gamma * after))
}

/// D of κ in a plane.
pub(super) fn bend_step(ends: &Ends, n: &Vec3) -> [Vec3; 2] {
    let [y, z] = ends.mean();
    let ((i, p), a) = (reciprocals(ends), mean_bend(ends, n));
    [z.cross(n) * i - y * (2.0 * a * p), n.cross(&y) * i]
}

fn mean_bend(ends: &Ends, n: &Vec3) -> f64 {
    0.5 * [&ends.from, &ends.to].map(|[y, z]| n.cross(y).dot(z)).iter().sum::<f64>()
}

/// ∂D/∂(y⁺, z⁺) of κ in a plane.
pub(super) fn bend_step_second(ends: &Ends, n: &Vec3) -> Second {
    let ([y, z], [ye, ze]) = (ends.mean(), ends.to);
    let ((i, p), a) = (reciprocals(ends), mean_bend(ends, n));
    let gamma = ye.norm_squared();
    let (by_i, by_p) = (ye * (-1.0 / (gamma * gamma)), ye * (-2.0 * p / gamma));
    let (a_y, a_z) = (ze.cross(n) * 0.5, n.cross(&ye) * 0.5);
    let skew = so3::skew(n) * (0.5 * i);
    let yy = z.cross(n) * by_i.transpose()
        - y * (a_y * p + by_p * a).transpose() * 2.0
        - Mat3::identity() * (a * p);
    let yz = -skew - y * a_z.transpose() * (2.0 * p);
    let zy = skew + n.cross(&y) * by_i.transpose();
    [[yy, yz], [zy, Mat3::zeros()]]
}

/// w in space.
#[inline]
pub(super) fn square_bend([y, z]: &[Vec3; 2]) -> Measure {
    let (gamma, beta) = (y.norm_squared(), y.dot(z));
    // Of the cross product: ζ/γ − (β/γ)² would lose digits where z is along y.
    let (u, value) = (beta / gamma, y.cross(z).norm_squared() / (gamma * gamma));
    let across = z - y * u;
    let gradient = [(y * value + across * u) * (-2.0 / gamma), across * (2.0 / gamma)];
    Measure { value, gradient }
}

pub(super) fn square_bend_second([y, z]: &[Vec3; 2]) -> Second {
    let (gamma, beta, zeta) = (y.norm_squared(), y.dot(z), z.norm_squared());
    let u = beta / gamma;
    let (u_y, u_z) = ((z - y * (2.0 * u)) / gamma, y / gamma);
    let (one, square) = (Mat3::identity(), gamma * gamma);
    let yy = one * (4.0 * u * u / gamma - 2.0 * zeta / square)
        + y * y.transpose() * (8.0 * zeta / (square * gamma) - 8.0 * u * u / square)
        + z * (y * (4.0 * u / square) - u_y * (2.0 / gamma)).transpose()
        + y * u_y.transpose() * (8.0 * u / gamma);
    let yz =
        y * z.transpose() * (-4.0 / square) - z * u_z.transpose() * (2.0 / gamma) - one * (2.0 * u / gamma)
            + y * u_z.transpose() * (8.0 * u / gamma);
    let zz = one * (2.0 / gamma) - y * y.transpose() * (2.0 / square);
    [[yy, yz], [yz.transpose(), zz]]
}

/// D of w: of ζ/γ less 2ū times that of u = β/γ.
pub(super) fn square_bend_step(ends: &Ends) -> [Vec3; 2] {
    let [y, z] = ends.mean();
    let (i, p) = reciprocals(ends);
    let s = Products::new(ends);
    let d_u = [z * i - y * (2.0 * s.beta * p), y * i];
    [y * (-2.0 * s.zeta * p) - d_u[0] * (2.0 * s.u), z * (2.0 * i) - d_u[1] * (2.0 * s.u)]
}

/// Means of β, ζ and u over a step.
struct Products {
    beta: f64,
    zeta: f64,
    u: f64,
}

impl Products {
    fn new(ends: &Ends) -> Self {
        let mean = |f: fn(&[Vec3; 2]) -> f64| 0.5 * (f(&ends.from) + f(&ends.to));
        Products {
            beta: mean(|[y, z]| y.dot(z)),
            zeta: mean(|[_, z]| z.norm_squared()),
            u: mean(|[y, z]| y.dot(z) / y.norm_squared()),
        }
    }
}

/// ∂D/∂(y⁺, z⁺) of w.
pub(super) fn square_bend_step_second(ends: &Ends) -> Second {
    let ([y, z], [ye, ze]) = (ends.mean(), ends.to);
    let (i, p) = reciprocals(ends);
    let s = Products::new(ends);
    let gamma = ye.norm_squared();
    let (one, by_i, by_p) = (Mat3::identity(), ye * (-1.0 / (gamma * gamma)), ye * (-2.0 * p / gamma));
    let d_u = [z * i - y * (2.0 * s.beta * p), y * i];
    // ∂D_u/∂(y⁺, z⁺).
    let u_second = [
        [
            z * by_i.transpose()
                - y * (ze * (0.5 * p) + by_p * s.beta).transpose() * 2.0
                - one * (s.beta * p),
            one * (0.5 * i) - y * ye.transpose() * p,
        ],
        [one * (0.5 * i) + y * by_i.transpose(), Mat3::zeros()],
    ];
    let u_end = ye.dot(&ze) / gamma;
    let mean_u = [(ze - ye * (2.0 * u_end)) * (0.5 / gamma), ye * (0.5 / gamma)];
    let mut h = outer(&d_u, &mean_u).map(|row| row.map(|m| m * -2.0));
    add(&mut h, &u_second, -2.0 * s.u);
    h[0][0] += y * by_p.transpose() * (-2.0 * s.zeta) - one * (s.zeta * p);
    h[0][1] += y * ze.transpose() * (-2.0 * p);
    h[1][0] += z * by_i.transpose() * 2.0;
    h[1][1] += one * i;
    h
}
