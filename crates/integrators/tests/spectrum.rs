//! Spectrum and overshoot (gs4-isochronous-integrators I-05, I-12, I-25, V-01, V-02).

mod common;

use common::Random;
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::Member;

/// Amplification matrix of y = (x, h v, h² a) for ẍ + 2ξωẋ + ω²x = 0 with Ω = ωh (I-12):
///
/// ```text
/// A = [[1,1,½],[0,1,1],[0,0,1]] + [l3,l5,1]ᵀ [α1,α2,α3]
/// α1=−Ω²/Dd, α2=−(2ξΩ+W1Ω²)/Dd, α3=−(1+2W1ξΩ+W2L2Ω²)/Dd,  Dd = W1L6+2 W2L5 ξΩ+W3L3 Ω²
/// ```
fn amplification(member: Member, omega: f64, xi: f64) -> Mat3 {
    let w = member.weights();
    let (c, k) = (2.0 * xi * omega, omega * omega);
    let d = w.w1l6 + w.w2l5 * c + w.w3l3 * k;
    let alpha = -Vec3::new(k, c + w.w1 * k, 1.0 + w.w1 * c + w.w2l2 * k) / d;
    let shift = Mat3::new(1.0, 1.0, 0.5, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0);
    shift + Vec3::new(w.l3, w.l5, 1.0) * alpha.transpose()
}

/// Eigenvalues as (modulus, argument), ascending modulus.
fn eigenvalues(a: &Mat3) -> [(f64, f64); 3] {
    let z = a.complex_eigenvalues();
    let mut z = [0, 1, 2].map(|i| (z[i].re.hypot(z[i].im), z[i].im.atan2(z[i].re)));
    z.sort_by(|x, y| x.0.total_cmp(&y.0));
    z
}

fn spectral_radius(member: Member, omega: f64) -> f64 {
    eigenvalues(&amplification(member, omega, 0.0))[2].0
}

/// V-01: "limits of |eig A| at Ω=1e7 equal (rs,rmin,rmax) to 1e-8". The eigenvalues of close roots are badly
/// conditioned, so those are compared by the characteristic polynomial (ζ+rs)(ζ+rmin)(ζ+rmax).
#[test]
fn roots_at_infinite_frequency() {
    let mut rng = Random(0x853c49e6748fea9b);
    for _ in 0..400 {
        let [min, max, s] = rng.roots();
        for member in [Member::u0(min, max, s), Member::v0(min, max, s)] {
            for xi in [0.0, 0.1] {
                let a = amplification(member, 1e9, xi);
                let trace = a.trace();
                let second = 0.5 * (trace * trace - (a * a).trace());
                let expected = [-(min + max + s), min * max + s * (min + max), -min * max * s];
                for (got, expected) in [trace, second, a.determinant()].iter().zip(expected) {
                    assert!((got - expected).abs() < 2e-8, "{member:?}: {got} instead of {expected}");
                }
            }
            if min - s > 0.02 && max - min > 0.02 {
                let moduli = eigenvalues(&amplification(member, 1e7, 0.0));
                for ((got, angle), expected) in moduli.iter().zip([s, min, max]) {
                    assert!((got - expected).abs() < 1e-8, "{member:?}: {got} instead of {expected}");
                    assert!(expected < 1e-3 || (angle.abs() - std::f64::consts::PI).abs() < 1e-6);
                }
            }
        }
    }
}

/// I-05: "No instability found on Ω∈[1e-2,1e5], ξ∈{0,0.1} for random admissible triples", and "U0 and V0 have
/// identical spectra" (true without physical damping; with it their denominators differ in W2L5).
#[test]
fn unconditional_stability_and_spectral_equality() {
    let mut rng = Random(0xda3e39cb94b95bdb);
    for _ in 0..200 {
        let [min, max, s] = rng.roots();
        let (u, v) = (Member::u0(min, max, s), Member::v0(min, max, s));
        for k in 0..=70 {
            let omega = 10f64.powf(-2.0 + 0.1 * f64::from(k));
            for (member, xi) in [(u, 0.0), (u, 0.1), (v, 0.0), (v, 0.1)] {
                let radius = eigenvalues(&amplification(member, omega, xi))[2].0;
                assert!(radius < 1.0 + 1e-9, "{member:?} at Ω = {omega}, ξ = {xi}: {radius}");
            }
            let (a, b) = (amplification(u, omega, 0.0), amplification(v, omega, 0.0));
            let scale = 1.0 + a.amax().max(b.amax());
            assert!((a.trace() - b.trace()).abs() < 1e-12 * scale);
            assert!(((a * a).trace() - (b * b).trace()).abs() < 1e-12 * scale * scale);
            assert!((a.determinant() - b.determinant()).abs() < 1e-12 * scale);
        }
    }
}

/// I-25, "Spectral radius at Ω=0.1, 1, 10, 100; relative period elongation PE and numerical damping ratio ζ at
/// h/T=0.1".
#[test]
fn table_of_spectral_numbers() {
    #[rustfmt::skip]
    let table: [(&[Member], [f64; 4], f64, f64); 10] = [
        (&[Member::u0(1.0, 1.0, 0.0), Member::u0(1.0, 1.0, 0.5), Member::u0(1.0, 1.0, 1.0), Member::v0(1.0, 1.0, 0.0),
           Member::v0(1.0, 1.0, 0.5)], [1.0; 4], 0.032075, 0.0),
        (&[Member::u0(0.0, 1.0, 0.0)], [0.99998771, 0.95642134, 0.83037197, 0.99839936], 0.067294, 0.019589),
        (&[Member::u0(0.5, 1.0, 0.5)], [0.99999954, 0.99680202, 0.82442860, 0.99515882], 0.037160, 0.001019),
        (&[Member::u0(0.8, 1.0, 0.8)], [0.99999998, 0.99986524, 0.97095580, 0.98399386], 0.032663, 0.000040),
        (&[Member::u0(0.9, 1.0, 0.9)], [1.00000000, 0.99998548, 0.99470683, 0.96301330], 0.032207, 0.000004),
        (&[Member::u0(0.0, 0.0, 0.0), Member::v0(0.0, 0.0, 0.0)],
           [0.99995192, 0.90656333, 0.24253563, 0.04783128], 0.123206, 0.054988),
        (&[Member::u0(0.5, 0.5, 0.5), Member::v0(0.5, 0.5, 0.5)],
           [0.99999816, 0.98931279, 0.68252842, 0.53717362], 0.046715, 0.003780),
        (&[Member::u0(0.8, 0.8, 0.8)], [0.99999993, 0.99947461, 0.92979177, 0.83463761], 0.033828, 0.000157),
        (&[Member::u0(0.5, 0.5, 0.0)], [0.99999269, 0.96990108, 0.55528821, 0.50067334], 0.062244, 0.012704),
        (&[Member::u0(0.6, 0.6, 1.0 / 3.0)], [0.99999825, 0.98978689, 0.69802825, 0.60238965], 0.045789, 0.003597),
    ];
    for (members, radii, elongation, damping) in table {
        for &member in members {
            for (omega, expected) in [0.1, 1.0, 10.0, 100.0].into_iter().zip(radii) {
                let got = spectral_radius(member, omega);
                // A double root at −1 or −ρ costs half of the digits.
                assert!(
                    (got - expected).abs() < 3e-8,
                    "{member:?} at Ω = {omega}: {got} instead of {expected}"
                );
            }
            let omega = 0.2 * std::f64::consts::PI;
            let principal = eigenvalues(&amplification(member, omega, 0.0));
            let (modulus, angle) = *principal.iter().rfind(|z| z.1.abs() > 1e-9 && z.1.abs() < 3.0).unwrap();
            let pe = omega / angle.abs() - 1.0;
            let zeta = -modulus.ln() / angle.abs();
            assert!((pe - elongation).abs() < 6e-7, "{member:?}: PE {pe} instead of {elongation}");
            assert!((zeta - damping).abs() < 6e-7, "{member:?}: ζ {zeta} instead of {damping}");
        }
    }
}

/// I-05, "First-step overshoot with consistent a⁰, undamped (d0=1,v0=0 → columns 1,2; d0=0, v0=ω → columns 3,4)".
#[test]
fn table_of_overshoot() {
    #[rustfmt::skip]
    let table = [
        (Member::u0(0.5, 0.5, 0.5),       100.0,  [-0.68693, -6.28163,  0.03374, -0.87437]),
        (Member::u0(0.5, 0.5, 0.5),       1000.0, [-0.68749, -62.50316, 0.00337, -0.87499]),
        (Member::v0(0.5, 0.5, 0.5),       100.0,  [-0.68693, -0.03374,  6.28163, -0.87437]),
        (Member::u0(0.5, 1.0, 0.5),       100.0,  [-0.87430, -0.03749,  0.03749, -0.99925]),
        (Member::u0(0.0, 1.0, 0.0),       100.0,  [-0.49955, -0.02999,  0.02999, -0.99940]),
        (Member::u0(0.0, 0.0, 0.0),       100.0,  [0.00020,  -25.01500, 0.02000, -0.49970]),
        (Member::u0(0.6, 0.6, 1.0 / 3.0), 100.0,  [-0.70608, -4.03276,  0.03412, -0.91934]),
        (Member::u0(0.5, 0.5, 0.0),       100.0,  [-0.49955, -6.27812,  0.02999, -0.87444]),
        (Member::u0(1.0, 1.0, 0.0),       100.0,  [-0.99920, -0.03998,  0.03998, -0.99920]),
        (Member::v0(1.0, 1.0, 0.0),       100.0,  [-0.99920, -0.03998,  0.03998, -0.99920]),
    ];
    for (member, omega, expected) in table {
        let a = amplification(member, omega, 0.0);
        let displaced = a * Vec3::new(1.0, 0.0, -omega * omega);
        let moving = a * Vec3::new(0.0, omega, 0.0);
        let got = [displaced[0], displaced[1] / omega, moving[0], moving[1] / omega];
        for (got, expected) in got.iter().zip(expected) {
            assert!((got - expected).abs() < 6e-6, "{member:?} at Ω = {omega}: {got} instead of {expected}");
        }
    }
}
