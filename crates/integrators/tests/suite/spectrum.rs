//! Spectrum, overshoot, stability limits and normal-direction roots (gs4-isochronous-integrators I-05, I-12 …
//! I-29, I-53, V-01, V-02).

use crate::common;

use common::Random;
use poinsot_geometry::Mat3;
use poinsot_integrators::{
    Amplification, ConstraintForm, Gs4Family, Incompatibility, Member, NormalRoots, Overshoot, Spectrum,
    StabilityFunction, Switches, Tableau, compatibility, verdict,
};

type Root = poinsot_numerics::dense::c64;

fn implicit(member: Member) -> Spectrum {
    Spectrum::new(member, Switches::IMPLICIT)
}

/// Eigenvalues of the amplification matrix, by another way than the characteristic polynomial of the library.
fn eigenvalues(a: &Mat3) -> [Root; 3] {
    let z = a.complex_eigenvalues();
    [0, 1, 2].map(|i| Root::new(z[i].re, z[i].im))
}

fn sorted(roots: &[Root]) -> Vec<f64> {
    let mut re: Vec<f64> = roots.iter().map(|r| r.re).collect();
    re.sort_by(f64::total_cmp);
    re
}

fn close(got: f64, expected: f64, within: f64) -> bool {
    (got - expected).abs() <= within
}

/// V-01: "limits of |eig A| at Ω=1e7 equal (rs,rmin,rmax) to 1e-8". The eigenvalues of close roots are badly
/// conditioned, so those are compared by the characteristic polynomial (ζ+rs)(ζ+rmin)(ζ+rmax).
#[test]
fn roots_at_infinite_frequency() {
    let mut rng = Random(0x853c49e6748fea9b);
    for _ in 0..400 {
        let [min, max, s] = rng.roots();
        let apart = min - s > 0.02 && max - min > 0.02;
        for member in [Member::u0(min, max, s), Member::v0(min, max, s)] {
            let spectrum = implicit(member);
            for xi in [0.0, 0.1] {
                let a = spectrum.amplification(1e9, xi);
                let trace = a.trace();
                let second = 0.5 * (trace * trace - (a * a).trace());
                let expected = [-(min + max + s), min * max + s * (min + max), -min * max * s];
                for (got, expected) in [trace, second, a.determinant()].iter().zip(expected) {
                    assert!(close(*got, expected, 2e-8), "{member:?}: {got} instead of {expected}");
                }
            }
            assert_eq!(sorted(&spectrum.roots_at_infinity().unwrap()), [-max, -min, -s]);
            let at_1e7 = sorted(&spectrum.roots(1e7, 0.0));
            for (got, expected) in at_1e7.iter().zip([-max, -min, -s]) {
                let within = if apart { 1e-8 } else { 1e-4 };
                assert!(close(*got, expected, within), "{member:?}: {got} instead of {expected}");
            }
        }
    }
    for switches in [Switches::EXPLICIT, Switches::EXPLICIT_DISSIPATIVE, Switches::VELOCITY_IMPLICIT] {
        assert_eq!(Spectrum::new(Member::u0(1.0, 1.0, 0.0), switches).roots_at_infinity(), None);
    }
}

/// I-12: the roots are the eigenvalues of A.
#[test]
fn roots_are_eigenvalues_of_the_amplification_matrix() {
    let mut rng = Random(0x2b992ddfa23249d6);
    let every = [
        Switches::IMPLICIT,
        Switches::EXPLICIT,
        Switches::EXPLICIT_DISSIPATIVE,
        Switches::VELOCITY_IMPLICIT,
        Switches::VELOCITY_IMPLICIT_DISSIPATIVE,
    ];
    for _ in 0..100 {
        let [min, max, s] = rng.roots();
        let (omega, xi) = (10f64.powf(4.0 * rng.next() - 2.0), 0.3 * rng.next());
        for member in [Member::u0(min, max, s), Member::v0(min, max, s)] {
            for switches in every {
                let spectrum = Spectrum::new(member, switches);
                let a = spectrum.amplification(omega, xi);
                let scale = a.amax().max(1.0);
                for root in spectrum.roots(omega, xi) {
                    let nearest = eigenvalues(&a).iter().map(|z| (z - root).norm()).fold(f64::MAX, f64::min);
                    // Neighbouring roots cost half of the digits of the eigenvalue solver.
                    assert!(nearest < 3e-6 * scale, "{member:?} {switches:?} Ω = {omega}: {root}");
                }
                // The polynomial of the roots is that of the matrix, to all digits.
                let roots = spectrum.roots(omega, xi);
                let sum: Root = roots.iter().sum();
                let product: Root = roots.iter().product();
                assert!(close(sum.re, a.trace(), 1e-12 * scale) && sum.im.abs() < 1e-12 * scale);
                assert!(close(product.re, a.determinant(), 1e-12 * scale.powi(2)));
            }
        }
    }
}

/// I-05: "No instability found on Ω∈[1e-2,1e5], ξ∈{0,0.1} for random admissible triples", and "U0 and V0 have
/// identical spectra" (true without physical damping; with it their denominators differ in W2L5).
#[test]
fn unconditional_stability_and_spectral_equality() {
    let mut rng = Random(0xda3e39cb94b95bdb);
    for _ in 0..400 {
        let [min, max, s] = rng.roots();
        let (u, v) = (implicit(Member::u0(min, max, s)), implicit(Member::v0(min, max, s)));
        for k in 0..=70 {
            let omega = 10f64.powf(-2.0 + 0.1 * f64::from(k));
            for (spectrum, xi) in [(u, 0.0), (u, 0.1), (v, 0.0), (v, 0.1)] {
                let radius = spectrum.spectral_radius(omega, xi);
                assert!(radius < 1.0 + 1e-14, "{:?} at Ω = {omega}, ξ = {xi}: {radius}", spectrum.member);
            }
            let (a, b) = (u.amplification(omega, 0.0), v.amplification(omega, 0.0));
            let scale = 1.0 + a.amax().max(b.amax());
            assert!((a.trace() - b.trace()).abs() < 1e-12 * scale);
            assert!(((a * a).trace() - (b * b).trace()).abs() < 1e-12 * scale * scale);
            assert!((a.determinant() - b.determinant()).abs() < 1e-12 * scale);
        }
        assert_eq!((u.stability_limit(0.0), v.stability_limit(0.1)), (f64::INFINITY, f64::INFINITY));
    }
}

/// Non-dissipative members have radius 1 to rounding up to the highest frequencies, in spite of their
/// (nearly) triple roots there.
#[test]
fn no_growth_at_the_highest_frequencies() {
    for s in [0.0, 0.3, 0.5, 0.9, 1.0] {
        for member in [Member::u0(1.0, 1.0, s), Member::v0(1.0, 1.0, s)] {
            for k in 0..=90 {
                let omega = 10f64.powf(-3.0 + 0.1 * f64::from(k));
                let radius = implicit(member).spectral_radius(omega, 0.0);
                assert!(close(radius, 1.0, 1e-13), "{member:?} at Ω = {omega}: {radius}");
            }
        }
    }
}

/// I-25, "Spectral radius at Ω=0.1, 1, 10, 100; relative period elongation PE and numerical damping ratio ζ
/// at h/T=0.1".
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
            let spectrum = implicit(member);
            for (omega, expected) in [0.1, 1.0, 10.0, 100.0].into_iter().zip(radii) {
                let got = spectrum.spectral_radius(omega, 0.0);
                assert!(close(got, expected, 5.1e-9), "{member:?} at Ω = {omega}: {got}, not {expected}");
            }
            let omega = 0.2 * std::f64::consts::PI;
            let pe = spectrum.period_elongation(omega, 0.0).unwrap();
            let zeta = spectrum.numerical_damping(omega, 0.0).unwrap();
            assert!(close(pe, elongation, 5.1e-7), "{member:?}: PE {pe} instead of {elongation}");
            assert!(close(zeta, damping, 5.1e-7), "{member:?}: ζ {zeta} instead of {damping}");
        }
    }
}

/// What is left over of period and damping vanishes with Ω², with and without physical damping.
#[test]
fn period_and_damping_errors_are_of_second_order() {
    for member in [Member::u0(0.5, 0.5, 0.5), Member::v0(0.3, 0.9, 0.1), Member::u0(1.0, 1.0, 0.0)] {
        // (At ξ = ½ the trapezoidal rule has no period error of second order.)
        for xi in [0.0, 0.05, 0.4] {
            let spectrum = implicit(member);
            let errors = |omega: f64| {
                let pe = spectrum.period_elongation(omega, xi).unwrap();
                (pe, spectrum.numerical_damping(omega, xi).unwrap())
            };
            let (coarse, fine) = (errors(0.02), errors(0.01));
            let order = (coarse.0 / fine.0).log2();
            assert!(close(order, 2.0, 0.05), "{member:?}, ξ = {xi}: order {order} of the period");
            assert!(fine.1.abs() < 1e-4, "{member:?}, ξ = {xi}: {}", fine.1);
        }
        assert_eq!(implicit(member).period_elongation(0.1, 1.0), None);
    }
}

/// I-05, "First-step overshoot with consistent a⁰, undamped (d0=1,v0=0 → columns 1,2; d0=0, v0=ω → columns
/// 3,4)".
#[test]
fn table_of_overshoot() {
    #[rustfmt::skip]
    let table = [
        (Member::u0(0.5, 0.5, 0.5),       100.0,  [-0.68693, -6.28163,  0.03374, -0.87437], Overshoot::U0V1),
        (Member::u0(0.5, 0.5, 0.5),       1000.0, [-0.68749, -62.50316, 0.00337, -0.87499], Overshoot::U0V1),
        (Member::v0(0.5, 0.5, 0.5),       100.0,  [-0.68693, -0.03374,  6.28163, -0.87437], Overshoot::V0U1),
        (Member::u0(0.5, 1.0, 0.5),       100.0,  [-0.87430, -0.03749,  0.03749, -0.99925], Overshoot::U0V0),
        (Member::u0(0.0, 1.0, 0.0),       100.0,  [-0.49955, -0.02999,  0.02999, -0.99940], Overshoot::U0V0),
        (Member::u0(0.0, 0.0, 0.0),       100.0,  [0.00020,  -25.01500, 0.02000, -0.49970], Overshoot::U0V1),
        (Member::u0(0.6, 0.6, 1.0 / 3.0), 100.0,  [-0.70608, -4.03276,  0.03412, -0.91934], Overshoot::U0V1),
        (Member::u0(0.5, 0.5, 0.0),       100.0,  [-0.49955, -6.27812,  0.02999, -0.87444], Overshoot::U0V1),
        (Member::u0(1.0, 1.0, 0.0),       100.0,  [-0.99920, -0.03998,  0.03998, -0.99920], Overshoot::U0V0),
        (Member::v0(1.0, 1.0, 0.0),       100.0,  [-0.99920, -0.03998,  0.03998, -0.99920], Overshoot::U0V0),
    ];
    for (member, omega, expected, class) in table {
        let first = implicit(member).first_step(omega, 0.0);
        let got = [
            first.displacement_of_displacement,
            first.velocity_of_displacement,
            first.displacement_of_velocity,
            first.velocity_of_velocity,
        ];
        for (got, expected) in got.iter().zip(expected) {
            assert!(close(*got, expected, 5.1e-6), "{member:?} at Ω = {omega}: {got}, not {expected}");
        }
        assert_eq!(member.overshoot(), class);
    }
}

/// The class is what the first step does as Ω grows tenfold.
#[test]
fn overshoot_class_is_the_growth_of_the_first_step() {
    let mut rng = Random(0x6a09e667f3bcc909);
    for _ in 0..100 {
        let [min, max, s] = rng.roots();
        for member in [Member::u0(min, 0.9 * max, s.min(0.9 * max)), Member::v0(min, 1.0, s)] {
            let (a, b) = (implicit(member).first_step(1e3, 0.0), implicit(member).first_step(1e4, 0.0));
            let grows = |x: f64, y: f64| y.abs() > 5.0 * x.abs() && y.abs() > 2.0;
            let displacement = grows(a.displacement_of_velocity, b.displacement_of_velocity);
            let velocity = grows(a.velocity_of_displacement, b.velocity_of_displacement);
            let expected = match member.overshoot() {
                Overshoot::U0V0 => (false, false),
                Overshoot::U0V1 => (false, true),
                Overshoot::V0U1 => (true, false),
            };
            assert_eq!((displacement, velocity), expected, "{member:?}");
        }
    }
}

/// I-24, columns φ and r0.
#[test]
fn time_shift_and_decay_of_the_acceleration() {
    let third = 1.0 / 3.0;
    #[rustfmt::skip]
    let table = [
        (Member::u0(1.0, 1.0, 1.0), 0.0, -1.0),          (Member::u0(1.0, 1.0, 0.0), 0.0, 0.0),
        (Member::u0(1.0, 1.0, 0.5), 0.0, -0.5),          (Member::v0(1.0, 1.0, 0.0), 0.5, 0.0),
        (Member::v0(1.0, 1.0, 0.5), 0.166667, -0.5),     (Member::u0(0.0, 1.0, 0.0), 0.5, 0.333333),
        (Member::u0(0.5, 1.0, 0.5), 0.166667, -0.2),     (Member::u0(0.8, 1.0, 0.8), 0.055556, -0.636364),
        (Member::u0(0.9, 1.0, 0.9), 0.026316, -0.809524), (Member::u0(0.0, 0.0, 0.0), 1.0, 0.5),
        (Member::u0(0.5, 0.5, 0.5), 0.333333, 0.0),      (Member::u0(0.8, 0.8, 0.8), 0.111111, -0.5),
        (Member::u0(0.5, 0.5, 0.0), 0.333333, 0.25),     (Member::u0(0.6, 0.6, third), 0.25, 0.0),
        (Member::v0(0.5, 0.5, 0.5), 0.166667, 0.0),      (Member::v0(0.5, 0.5, 0.0), 0.5, 0.25),
        (Member::v0(0.6, 0.6, third), 0.25, 0.0),
    ];
    for (member, phi, r0) in table {
        let spectrum = implicit(member);
        assert!(close(spectrum.weights().phi, phi, 5.1e-7), "{member:?}");
        assert!(close(spectrum.acceleration_root(), r0, 5.1e-7), "{member:?}");
        // r0 is the third root at zero frequency.
        let nearest = spectrum.roots(1e-6, 0.0).iter().map(|z| (z - r0).norm()).fold(f64::MAX, f64::min);
        assert!(nearest < 1e-6, "{member:?}");
    }
}

/// I-18 and I-21: closed forms of the parameters of generalised-α.
#[test]
fn parameters_of_generalised_alpha() {
    let mut rng = Random(0xbb67ae8584caa73b);
    for _ in 0..100 {
        let [min, max, s] = rng.roots();
        let d = (1.0 + min) * (1.0 + max);
        let alpha_m = (min + max + 2.0 * min * max) / d - 1.0 / (1.0 + s);
        let u = Member::u0(min, max, s).alpha_parameters();
        let v = Member::v0(min, max, s).alpha_parameters();
        for (got, expected) in [
            (u.alpha_m, alpha_m),
            (u.alpha_f, s / (1.0 + s)),
            (u.alpha_k, s / (1.0 + s)),
            (u.kappa, 0.0),
            (u.beta, 1.0 / d),
            (u.gamma, (3.0 + min + max - min * max) / (2.0 * d)),
            (v.alpha_m, alpha_m),
            (v.alpha_f, (min + max + 3.0 * min * max - 1.0) / (2.0 * d)),
            (v.alpha_k, (min + max + min * max - 1.0) / d),
            (v.kappa, -(1.0 - min) * (1.0 - max) / (2.0 * d)),
            (v.beta, 0.5 / (1.0 + s)),
            (v.gamma, 1.0 / (1.0 + s)),
        ] {
            assert!(close(got, expected, 1e-14), "{min} {max} {s}: {got} instead of {expected}");
        }
    }
}

/// The frequency at which the undamped explicit member has a root −1: the characteristic polynomial at x =
/// −2, 4 − 8W₁Λ₆ + Ω²[1 − 2(λ₅+½+W₁) + 4(λ₃+λ₅W₁+W₂Λ₂)] = 0.
fn root_minus_one(spectrum: &Spectrum) -> f64 {
    let w = spectrum.weights();
    let stiffness = 1.0 - 2.0 * (w.l5 + 0.5 + w.w1) + 4.0 * (w.l3 + w.l5 * w.w1 + w.w2l2);
    ((8.0 * w.w1l6 - 4.0) / stiffness).sqrt()
}

/// I-14: |principal root| at Ω = 0.5 and Ωcrit of explicit members, η = (0,0,0) and (0,0,1). All these
/// members leave the unit disc at −1, which gives the limit to all digits; the digest's 1.096 is √1.2 =
/// 1.09545 and its 1.596 is 1.59545.
#[test]
fn table_of_explicit_limits() {
    #[rustfmt::skip]
    let table = [
        (Member::u0(1.0, 1.0, 0.0), (1.000000, 2.0),   (0.992968, 1.414)),
        (Member::u0(0.3, 0.8, 0.0), (1.000000, 2.0),   (0.986143, 1.402)),
        (Member::u0(0.0, 0.0, 0.0), (1.000000, 2.0),   (0.965254, 1.309)),
        (Member::u0(0.0, 1.0, 0.0), (1.000000, 2.0),   (0.982891, 1.414)),
        (Member::u0(1.0, 1.0, 0.5), (1.000000, 2.0),   (0.995123, 1.0)),
        (Member::u0(1.0, 1.0, 1.0), (1.000000, 2.0),   (0.996332, 0.0)),
        (Member::v0(0.4, 1.0, 1.0), (1.000000, 2.0),   (0.994790, 1.096)),
        (Member::u0(0.5, 1.0, 0.5), (1.001538, 0.0),   (0.993406, 1.225)),
        (Member::u0(0.5, 0.5, 0.5), (1.003639, 0.0),   (0.990946, 1.309)),
        (Member::v0(1.0, 1.0, 0.0), (1.008679, 0.0),   (0.992968, 1.414)),
        (Member::v0(0.5, 0.5, 0.5), (1.000000, 2.0),   (0.990946, 1.309)),
        (Member::v0(0.0, 0.0, 0.5), (0.987438, 1.596), (0.976955, 1.366)),
    ];
    for (member, plain, dissipative) in table {
        for (switches, (root, limit)) in
            [(Switches::EXPLICIT, plain), (Switches::EXPLICIT_DISSIPATIVE, dissipative)]
        {
            let spectrum = Spectrum::new(member, switches);
            let principal = spectrum.principal_root(0.5, 0.0).unwrap().norm();
            assert!(close(principal, root, 5.1e-7), "{member:?} {switches:?}: |ζ| = {principal}");
            let got = spectrum.stability_limit(0.0);
            assert!(close(got, limit, 6e-4), "{member:?} {switches:?}: Ωcrit = {got}");
            let exact = if limit > 0.0 { root_minus_one(&spectrum) } else { 0.0 };
            // Of U0(1,1,1) that formula is 0/0; the limit is 2 by I-14.
            let exact = if exact.is_nan() { 2.0 } else { exact };
            assert!(close(got, exact, 1e-9), "{member:?} {switches:?}: Ωcrit = {got}, not {exact}");
        }
    }
    // The thesis' list of non-dissipative explicit members: U0(x,y,0), U0(1,1,z), V0(x,1,1), V0(1,y,1).
    let mut rng = Random(0x3c6ef372fe94f82b);
    for _ in 0..40 {
        let [x, y, z] = [rng.next(), rng.next(), rng.next()];
        let list = [
            Member::u0(x, y, 0.0),
            Member::u0(1.0, 1.0, z),
            Member::v0(x, 1.0, 1.0),
            Member::v0(1.0, y, 1.0),
        ];
        for member in list {
            let spectrum = Spectrum::new(member, Switches::EXPLICIT);
            assert!(close(spectrum.stability_limit(0.0), 2.0, 1e-9), "{member:?}");
            assert!(close(spectrum.spectral_radius(1.3, 0.0), 1.0, 1e-13), "{member:?}");
        }
    }
}

/// Central differences with physical damping. Implicit in velocities they are Newmark's method with β = 0, γ
/// = ½: Ωcrit = 2 for every ξ. With the velocity of the predictor the root −1 lies at Ω² + 8ξΩ − 4 = 0.
#[test]
fn damping_limits_explicit_velocities_only() {
    let member = Member::u0(1.0, 1.0, 0.0);
    let limit = |switches, xi| Spectrum::new(member, switches).stability_limit(xi);
    for xi in [0.01, 0.1, 0.5, 1.0, 3.0] {
        assert!(close(limit(Switches::VELOCITY_IMPLICIT, xi), 2.0, 1e-9));
        let expected = (16.0 * xi * xi + 4.0_f64).sqrt() - 4.0 * xi;
        let got = limit(Switches::EXPLICIT, xi);
        assert!(close(got, expected, 1e-9), "ξ = {xi}: {got} instead of {expected}");
    }
    // Physical damping gives a creeping member a limit: weak damping a small one.
    let creeping = Spectrum::new(Member::u0(0.5, 1.0, 0.5), Switches::EXPLICIT);
    let (weak, strong) = (creeping.stability_limit(0.001), creeping.stability_limit(0.01));
    assert!(0.1 < weak && weak < strong && strong < 2.0, "{weak} {strong}");
    let beyond = creeping.spectral_radius(1.001 * weak, 0.001);
    assert!(creeping.spectral_radius(0.999 * weak, 0.001) < 1.0 && beyond > 1.0);
}

/// I-27: GS4-1 = V0(ρ∞, 1, ρs) has the roots −ρ∞, −ρs at infinity, 1 and r0 at zero, and is A-stable.
#[test]
fn first_order_members() {
    let mut rng = Random(0xa54ff53a5f1d36f1);
    for _ in 0..100 {
        let [rho, _, s] = rng.roots();
        let spectrum = implicit(Member::v0(rho, 1.0, s));
        let at_infinity = sorted(&spectrum.first_order_roots_at_infinity().unwrap());
        // A double root costs half of the digits.
        let within = if rho - s > 0.02 { 1e-12 } else { 1e-7 };
        assert!(close(at_infinity[0], -rho, within) && close(at_infinity[1], -s, within), "{at_infinity:?}");
        let at_zero = sorted(&spectrum.first_order_roots(Root::new(0.0, 0.0)));
        assert!(close(at_zero[1], 1.0, 1e-15) && close(at_zero[0], spectrum.acceleration_root(), 1e-14));
        for k in 0..60 {
            let size = 10f64.powf(-3.0 + 0.15 * f64::from(k));
            for angle in [0.5, 0.6, 0.8, 1.0] {
                let z = Root::from_polar(size, angle * std::f64::consts::PI);
                for root in spectrum.first_order_roots(z) {
                    assert!(root.norm() < 1.0 + 1e-12, "GS4-1({rho}, {s}) at z = {z}: {root}");
                }
            }
        }
        assert_eq!(spectrum.real_axis_limit(), f64::INFINITY);
    }
    // I-28: (1, rs) is the implicit midpoint rule, R = (1+z/2)/(1−z/2).
    for s in [0.0, 0.5, 1.0] {
        let roots = implicit(Member::v0(1.0, 1.0, s)).first_order_roots(Root::new(-0.7, 0.0));
        assert!(roots.iter().any(|r| (r - 0.65 / 1.35).norm() < 1e-14), "{roots:?}");
    }
}

/// I-29: "Stability limits |λ|h on the negative real axis: (1,1) 0; (1,.5) 0.50; (1,0) 1.00; (.5,.5) 0.80;
/// (0,0) 1.333; U0(1,1,0)-adapted 1.00. (1,1) is leap-frog-like: stable only on the imaginary axis up to
/// 1.0."
#[test]
fn first_order_explicit_limits() {
    let table = [
        (Member::v0(1.0, 1.0, 1.0), 0.0),
        (Member::v0(1.0, 1.0, 0.5), 0.5),
        (Member::v0(1.0, 1.0, 0.0), 1.0),
        (Member::v0(0.5, 1.0, 0.5), 0.8),
        (Member::v0(0.0, 1.0, 0.0), 4.0 / 3.0),
        (Member::u0(1.0, 1.0, 0.0), 1.0),
    ];
    for (member, expected) in table {
        let got = Spectrum::new(member, Switches::EXPLICIT).real_axis_limit();
        assert!(close(got, expected, 1e-9), "{member:?}: {got} instead of {expected}");
    }
    let leap_frog = Spectrum::new(Member::v0(1.0, 1.0, 1.0), Switches::EXPLICIT);
    assert!(close(leap_frog.imaginary_axis_limit(), 1.0, 1e-9));
}

/// I-53, the table of closed forms.
#[test]
fn normal_direction_roots() {
    let mut rng = Random(0x510e527fade682d1);
    for _ in 0..200 {
        let [min, max, s] = rng.roots();
        let n = 3.0 + min + max - min * max;
        for member in [Member::u0(min, max, s), Member::v0(min, max, s)] {
            let roots = NormalRoots::new(&member.weights());
            let (position, velocity, multiplier) = match member.family {
                Gs4Family::U0 => ([-max, -min], (1.0 - min - max - 3.0 * min * max) / n, -s),
                Gs4Family::V0 => ([-1.0, -s], -s, -(min + max + 3.0 * min * max - 1.0) / n),
            };
            let got = sorted(&roots.position.unwrap());
            let within = if position[1] - position[0] > 0.02 { 1e-13 } else { 1e-7 };
            assert!(close(got[0], position[0], within) && close(got[1], position[1], within), "{member:?}");
            assert!(close(roots.velocity, velocity, 1e-14), "{member:?}");
            assert!(close(roots.multiplier, multiplier, 1e-14), "{member:?}");
        }
    }
}

/// The verdicts agree with the measured orders of I-54.
#[test]
fn verdicts_on_constraint_forms() {
    use Incompatibility::{DoesNotConverge, Oscillates, PositionsOutOfReach, Unstable};
    let table = [
        (Member::u0(1.0, 1.0, 1.0), Err(DoesNotConverge)),
        (Member::u0(1.0, 1.0, 0.0), Err(DoesNotConverge)),
        (Member::v0(1.0, 1.0, 0.0), Err(Oscillates)),
        (Member::v0(1.0, 1.0, 0.5), Err(Oscillates)),
        (Member::u0(0.0, 1.0, 0.0), Err(Oscillates)),
        (Member::u0(0.5, 1.0, 0.5), Err(Oscillates)),
        (Member::u0(0.5, 0.5, 0.5), Ok(())),
        (Member::u0(0.8, 0.8, 0.8), Ok(())),
        (Member::u0(0.6, 0.6, 1.0 / 3.0), Ok(())),
        (Member::u0(0.5, 0.5, 0.0), Ok(())),
        (Member::u0(0.0, 0.0, 0.0), Ok(())),
        (Member::v0(0.5, 0.5, 0.5), Err(Oscillates)),
        (Member::v0(0.3, 0.7, 0.1), Err(Oscillates)),
    ];
    for (member, expected) in table {
        for form in ConstraintForm::ALL {
            let expected = if form == ConstraintForm::Position { expected } else { Ok(()) };
            assert_eq!(compatibility(&member, Switches::IMPLICIT, form), expected, "{member:?} {form:?}");
            let words = verdict(&member, Switches::IMPLICIT, form);
            assert_eq!(words.starts_with("second order in q, v, a, λ"), expected.is_ok(), "{words}");
        }
        assert_eq!(member.rings_at_position_level(), expected.is_err(), "{member:?}");
    }
    let verlet = Member::u0(1.0, 1.0, 0.0);
    let of = |member: Member, switches, form| compatibility(&member, switches, form);
    assert_eq!(of(verlet, Switches::EXPLICIT, ConstraintForm::Position), Err(PositionsOutOfReach));
    assert_eq!(of(verlet, Switches::EXPLICIT, ConstraintForm::Stabilised), Ok(()));
    let optimal = Member::u0(0.5, 1.0, 0.5);
    assert_eq!(of(optimal, Switches::EXPLICIT, ConstraintForm::Stabilised), Err(Unstable));
    assert_eq!(of(optimal, Switches::EXPLICIT_DISSIPATIVE, ConstraintForm::Stabilised), Ok(()));
}

/// lagrangian-dae-modeling §1.21: classical Runge–Kutta, R(z) = Σ zᵏ/k!. On the imaginary axis
/// |R|² = 1 − z⁶/72 + z⁸/576 reaches 1 again at 2√2.
#[test]
fn runge_kutta_by_its_stability_function() {
    let tableau = Tableau::named("runge-kutta-4").unwrap();
    let method = StabilityFunction(|z| tableau.stability(z));
    let z = Root::new(-0.3, 0.4);
    let sum = z + z * z / 2.0 + z * z * z / 6.0 + z * z * z * z / 24.0 + 1.0;
    assert!((tableau.stability(z) - sum).norm() < 1e-15);
    assert!(close(method.stability_limit(0.0), 8f64.sqrt(), 1e-9));
    assert!(close(method.imaginary_axis_limit(), 8f64.sqrt(), 1e-9));
    assert!(close(method.real_axis_limit(), 2.785_293_563_405_282, 1e-9));
    let omega: f64 = 0.6;
    let radius = (1.0 - omega.powi(6) / 72.0 + omega.powi(8) / 576.0).sqrt();
    assert!(close(method.spectral_radius(omega, 0.0), radius, 1e-15));
    // arg R = atan[(Ω − Ω³/6)/(1 − Ω²/2 + Ω⁴/24)].
    let angle = (omega - omega.powi(3) / 6.0).atan2(1.0 - omega.powi(2) / 2.0 + omega.powi(4) / 24.0);
    assert!(close(method.period_elongation(omega, 0.0).unwrap(), omega / angle - 1.0, 1e-14));
    assert!(close(method.numerical_damping(omega, 0.0).unwrap(), -radius.ln() / angle, 1e-14));
    let (coarse, fine) =
        (method.period_elongation(0.2, 0.1).unwrap(), method.period_elongation(0.1, 0.1).unwrap());
    assert!(close((coarse / fine).log2(), 4.0, 0.1), "order {}", (coarse / fine).log2());
    // Overdamped: the faster of the real rates limits the step.
    let fast = 2.0 + 3f64.sqrt();
    assert!(close(method.stability_limit(2.0), 2.785_293_563_405_282 / fast, 1e-9));

    // Others: trapezoid and Radau IIA never grow, explicit midpoint and Euler always.
    let trapezoid = StabilityFunction(|z: Root| (z / 2.0 + 1.0) / (-z / 2.0 + 1.0));
    let radau = StabilityFunction(|z: Root| (z + 3.0) * 2.0 / (z * z - z * 4.0 + 6.0));
    let midpoint = StabilityFunction(|z: Root| z + z * z / 2.0 + 1.0);
    let euler = StabilityFunction(|z: Root| z + 1.0);
    assert_eq!(trapezoid.stability_limit(0.0), f64::INFINITY);
    assert_eq!((radau.stability_limit(0.0), radau.real_axis_limit()), (f64::INFINITY, f64::INFINITY));
    assert_eq!((midpoint.stability_limit(0.0), euler.stability_limit(0.0)), (0.0, 0.0));
    assert!(close(midpoint.real_axis_limit(), 2.0, 1e-9) && close(euler.real_axis_limit(), 2.0, 1e-9));
}
