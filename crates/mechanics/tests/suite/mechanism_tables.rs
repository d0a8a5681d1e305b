//! Mechanisms of lagrangian-dae-modeling §2.2 (VC-2.12 … VC-2.18): positions from φ with the input kept,
//! rates from φ̇.

use crate::energies;

use energies::*;
use poinsot_mechanics::*;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, FRAC_PI_6, PI, TAU};

/// A mechanism: every coordinate x has the rate xd and some inertia, which kinematics does not feel.
fn mechanism(coordinates: &str, phi: &[&str]) -> Lagrangian {
    let rates: Vec<String> = words(coordinates).iter().map(|q| format!("{q}d")).collect();
    let kinetic: Vec<String> = rates.iter().map(|f| format!("{f}^2/2")).collect();
    Energies {
        q: coordinates,
        f: &rates.join(" "),
        kinetic: &kinetic.join(" + "),
        phi,
        ..Energies::default()
    }
    .model()
}

/// Half a unit of the last of so many printed decimals.
fn printed(decimals: i32) -> f64 {
    0.501 * 10f64.powi(-decimals)
}

/// VC-2.12: θ1 = 2πt, θ2 = 20πt, absolute angles.
#[test]
fn planar_robot() {
    let model = mechanism(
        "xA yA th1 xB yB th2 xC yC",
        &[
            "xA",
            "yA",
            "xB - 2*cos(th1)",
            "yB - 2*sin(th1)",
            "th1 - 2*pi*t",
            "th2 - 20*pi*t",
            "xC - xB - cos(th2)",
            "yC - yB - sin(th2)",
        ],
    );
    let found = start(&model, &[], &[], &[], 0.03);
    near(value(&found, "xC"), 1.655557507, printed(9), "x_C");
    near(value(&found, "yC"), 1.325819145, printed(9), "y_C");
    near(value(&found, "xCd"), -62.11134634, printed(8), "ẋ_C");
    near(value(&found, "yCd"), -7.072324745, printed(9), "ẏ_C");
    for k in 0..=20 {
        let t = k as f64 / 20.0;
        let found = start(&model, &[], &[], &[], t);
        let ((s1, c1), (s2, c2)) = ((TAU * t).sin_cos(), (10.0 * TAU * t).sin_cos());
        near(value(&found, "xC"), 2.0 * c1 + c2, 1e-13, "x_C");
        near(value(&found, "yC"), 2.0 * s1 + s2, 1e-13, "y_C");
        near(value(&found, "xCd"), -2.0 * TAU * s1 - 10.0 * TAU * s2, 1e-12, "ẋ_C");
        near(value(&found, "yCd"), 2.0 * TAU * c1 + 10.0 * TAU * c2, 1e-12, "ẏ_C");
        near(rate(&found, "xCd"), -TAU * TAU * (2.0 * c1 + 100.0 * c2), 1e-10, "ẍ_C");
    }
}

/// VC-2.13: θ1 about y, θ2 about the local z.
#[test]
fn spatial_robot() {
    let model = mechanism(
        "th1 th2 x y z",
        &[
            "th1 - 2*pi*t",
            "th2 - 20*pi*t",
            "x - (2 + cos(th2))*cos(th1)",
            "y - sin(th2)",
            "z + (2 + cos(th2))*sin(th1)",
        ],
    );
    let found = start(&model, &[], &[], &[], 0.03);
    near(value(&found, "x"), 1.661031048, printed(9), "x");
    near(value(&found, "y"), 0.951056516, printed(9), "y");
    near(value(&found, "z"), -0.316858619, printed(9), "z");
    let (w1, w2) = (TAU, 10.0 * TAU);
    for k in 0..20 {
        let t = 0.05 * k as f64 + 0.01;
        let found = start(&model, &[], &[], &[], t);
        let ((s1, c1), (s2, c2)) = ((w1 * t).sin_cos(), (w2 * t).sin_cos());
        near(value(&found, "xd"), -(2.0 + c2) * w1 * s1 - w2 * c1 * s2, 1e-12, "ẋ");
        near(value(&found, "yd"), w2 * c2, 1e-12, "ẏ");
        near(value(&found, "zd"), -(2.0 + c2) * w1 * c1 + w2 * s1 * s2, 1e-12, "ż");
    }
}

/// VC-2.4: a helix in a frame that moves with (a1 t², a2 t, 0).
#[test]
fn helix_in_a_moving_frame() {
    let model =
        mechanism("x y z", &["x - a1*t^2 - rho*cos(la*t + th)", "y - a2*t - rho*sin(la*t + th)", "z - t"]);
    let (a1, a2, rho, la, th) = (0.7, -1.3, 0.4, 5.0, 0.3);
    let data = [("a1", a1), ("a2", a2), ("rho", rho), ("la", la), ("th", th)];
    for t in [0.0, 0.3, 1.1] {
        let found = start(&model, &[], &[], &data, t);
        let (sin, cos) = f64::sin_cos(la * t + th);
        near(value(&found, "xd"), 2.0 * a1 * t - rho * la * sin, 1e-14, "ẋ");
        near(value(&found, "yd"), a2 + rho * la * cos, 1e-14, "ẏ");
        near(value(&found, "zd"), 1.0, 1e-15, "ż");
        near(rate(&found, "xd"), 2.0 * a1 - rho * la * la * cos, 1e-13, "ẍ");
        near(rate(&found, "yd"), -rho * la * la * sin, 1e-13, "ÿ");
    }
}

/// VC-2.14: r = 1, ω = 2π, a cycloid.
#[test]
fn rolling_disk() {
    let model =
        mechanism("x y th xC yC", &["x + th", "y", "th - 2*pi*t", "xC - x - cos(th)", "yC - y - sin(th)"]);
    for k in 0..20 {
        let t = 0.07 * k as f64;
        let (th, found) = (TAU * t, start(&model, &[], &[], &[], t));
        near(value(&found, "xC"), -th + th.cos(), 1e-13, "x_C");
        near(value(&found, "yC"), th.sin(), 1e-13, "y_C");
        near(value(&found, "xCd"), -TAU * (1.0 + th.sin()), 1e-13, "ẋ_C");
        near(value(&found, "yCd"), TAU * th.cos(), 1e-13, "ẏ_C");
    }
}

/// VC-2.15: a disk on a cylinder, R = 3, r = 1, an epicycloid.
#[test]
fn disk_on_a_cylinder() {
    let model = mechanism(
        "ph th x y xC yC",
        &["th - 4*ph", "x + 4*cos(ph)", "y + 4*sin(ph)", "xC - x - cos(th)", "yC - y - sin(th)"],
    );
    let at = |ph: f64| start(&model, &[("ph", ph), ("phd", TAU)], &["ph", "phd"], &[], 0.0);
    let found = at(FRAC_PI_4);
    near(value(&found, "xC"), -3.828427125, printed(9), "x_C");
    near(value(&found, "yC"), -2.828427125, printed(9), "y_C");
    for k in 0..24 {
        let ph = PI / 12.0 * k as f64;
        let found = at(ph);
        let (x, y) = (value(&found, "xC"), value(&found, "yC"));
        near(x, -4.0 * ph.cos() + (4.0 * ph).cos(), 1e-13, "x_C");
        near(y, -4.0 * ph.sin() + (4.0 * ph).sin(), 1e-13, "y_C");
        // The corrected velocity.
        near(value(&found, "xCd"), 4.0 * TAU * (ph.sin() - (4.0 * ph).sin()), 1e-12, "ẋ_C");
        near(value(&found, "yCd"), 4.0 * TAU * (-ph.cos() + (4.0 * ph).cos()), 1e-12, "ẏ_C");
        assert!(x.hypot(y) <= 5.0 + 1e-13);
        if k == 4 {
            near(x.hypot(y), 5.0, 1e-13, "|C| = R + 2r at φ = π/3");
        }
    }
}

fn four_bar(th1: f64) -> LagrangianStart {
    let model = mechanism(
        "th1 th2 th3 xE yE",
        &[
            "1.5*cos(th1) + 5*cos(th2) - 3*cos(th3) - 4.5",
            "1.5*sin(th1) + 5*sin(th2) - 3*sin(th3) + 3",
            "xE - 1.5*cos(th1) - 2.5*cos(th2)",
            "yE - 3 - 1.5*sin(th1) - 2.5*sin(th2)",
        ],
    );
    start(&model, &[("th1", th1), ("th1d", TAU), ("th3", 1.4)], &["th1", "th1d"], &[], 0.0)
}

/// VC-2.16.
#[test]
fn planar_four_bar() {
    let table = [
        (0.0, -0.144213443, 0.864046640, -1.694592, 0.533737, 3.974048128, 2.640714795),
        (FRAC_PI_2, -0.307170261, 1.482024794, 0.171177, 3.067408, 2.382982480, 3.744093591),
        (PI, -0.034532577, 1.911687358, 1.909481, -0.116586, 0.998509525, 2.913685716),
        (3.0 * FRAC_PI_2, 0.302072362, 1.479466057, -0.186133, -3.247418, 2.386805033, 2.243748434),
    ];
    for (th1, th2, th3, th2d, th3d, x, y) in table {
        let found = four_bar(th1);
        for (name, expected, decimals) in [
            ("th2", th2, 9),
            ("th3", th3, 9),
            ("th2d", th2d, 6),
            ("th3d", th3d, 6),
            ("xE", x, 9),
            ("yE", y, 9),
        ] {
            near(value(&found, name), expected, printed(decimals), &format!("{name} at θ1 = {th1}"));
        }
    }
    // Ends of the rocker and of the coupler, where the rate passes zero.
    for (rate, angle, from, to, expected) in [
        ("th3d", "th3", -0.5, 0.3, 0.85921),
        ("th3d", "th3", 2.8, 3.4, 1.91215),
        ("th2d", "th2", 1.2, 1.8, -0.30954),
        ("th2d", "th2", 4.4, 5.0, 0.30296),
    ] {
        let (mut low, mut high): (f64, f64) = (from, to);
        let sign = value(&four_bar(low), rate).signum();
        assert!(value(&four_bar(high), rate) * sign < 0.0, "{rate} has one sign in {from} … {to}");
        for _ in 0..45 {
            let middle = 0.5 * (low + high);
            (low, high) =
                if value(&four_bar(middle), rate) * sign > 0.0 { (middle, high) } else { (low, middle) };
        }
        near(value(&four_bar(low), angle), expected, printed(5), "end of the range");
    }
    // The other branch, C below D, from an estimate there.
    let model = mechanism(
        "th1 th2 th3",
        &["1.5*cos(th1) + 5*cos(th2) - 3*cos(th3) - 4.5", "1.5*sin(th1) + 5*sin(th2) - 3*sin(th3) + 3"],
    );
    let other = start(&model, &[("th2", -0.9), ("th3", -2.0)], &["th1"], &[], 0.0);
    assert!(value(&other, "th3") < 0.0);
    // Both branches are mirror images at the diagonal from B = (1.5, 3) to D = (4.5, 0), whose angle is −π/4.
    near(value(&other, "th2"), -FRAC_PI_2 + 0.144213443, printed(9), "mirrored coupler");
    near(value(&other, "th3"), -FRAC_PI_2 - 0.864046640, printed(9), "mirrored rocker");
}

/// VC-2.17, with the corrected sign of the ẋ_C column.
#[test]
fn planar_slider_crank() {
    let model =
        mechanism("th1 th2 xC", &["1.5*cos(th1) + 5*cos(th2) - xC", "0.25 + 1.5*sin(th1) + 5*sin(th2)"]);
    let table = [
        (0.0, -0.050020857, 6.493746089, -1.887316214, -0.471829053),
        (FRAC_PI_4, -0.265230831, 5.885820264, -1.381161305, -8.474557520),
        (FRAC_PI_2, -0.357571104, 4.683748499, 0.0, -9.424777961),
        (PI, -0.050020857, 3.493746089, 1.887316214, 0.471829053),
        (3.0 * FRAC_PI_2, 0.252680255, 4.841229183, 0.0, 9.424777961),
    ];
    for (th1, th2, x, th2d, xd) in table {
        let given = [("th1", th1), ("th1d", TAU), ("xC", 5.0)];
        let found = start(&model, &given, &["th1", "th1d"], &[], 0.0);
        for (name, expected) in [("th2", th2), ("xC", x), ("th2d", th2d), ("xCd", xd)] {
            near(value(&found, name), expected, printed(9), &format!("{name} at θ1 = {th1}"));
        }
    }
}

fn spatial_slider_crank(beta: f64) -> LagrangianStart {
    let model = mechanism(
        "be al ga y",
        &[
            "cos(pi/6)*sin(be) + 2 + 4*sin(ga)",
            "sin(pi/6) - y - 4*cos(al)*cos(ga)",
            "cos(pi/6)*cos(be) - 1 - 0.25 - 4*sin(al)*cos(ga)",
        ],
    );
    let given = [("be", beta), ("bed", TAU), ("y", -2.5), ("ga", -0.5), ("al", -0.3)];
    start(&model, &given, &["be", "bed"], &[], 0.0)
}

/// VC-2.18, RSUP.
#[test]
fn spatial_slider_crank_table() {
    let table = [
        (0.0, -0.111072161, -FRAC_PI_6, -2.942755221, -FRAC_PI_2, -0.101147603, 3.161071725),
        (FRAC_PI_2, -0.464501223, -0.798781112, -1.994674004, 0.0, -2.181206075, 2.726507594),
        (PI, -0.657126042, -FRAC_PI_6, -2.242706053, FRAC_PI_2, 0.699682259, -3.967904681),
        (3.0 * FRAC_PI_2, -0.331930827, -0.287435268, -3.126513700, 0.0, 1.500448790, -1.875560987),
    ];
    for (beta, alpha, gamma, y, gamma_rate, alpha_rate, y_rate) in table {
        let found = spatial_slider_crank(beta);
        for (name, expected) in
            [("al", alpha), ("ga", gamma), ("y", y), ("gad", gamma_rate), ("ald", alpha_rate), ("yd", y_rate)]
        {
            near(value(&found, name), expected, printed(9), &format!("{name} at β1 = {beta}"));
        }
    }
    // The ends of the slide: flat there, so that five decimals of β1 give nine of y.
    for (beta, y) in [(5.27100, -3.211136438), (2.12940, -1.866952965)] {
        let found = spatial_slider_crank(beta);
        near(value(&found, "y"), y, printed(9), "end of the slide");
        assert!(value(&found, "yd").abs() < 1e-3);
    }
}

/// The slider-crank's dead centre when the slide is the input: the crank's rate has no value there.
#[test]
fn input_at_its_end() {
    let model = mechanism("th1 th2 x", &["1.5*cos(th1) + 5*cos(th2) - x", "1.5*sin(th1) + 5*sin(th2)"]);
    // x = 6.5 is as far as it goes; asking it to move there contradicts, asking for more cannot be.
    let given = [("x", 6.5), ("xd", 1.0)];
    let error = try_start(&model, &given, &["x", "xd"], &[], 0.0).unwrap_err();
    assert!(
        matches!(error, LagrangianStartError::Contradiction { kind: RowKind::Displacement, order: 1, .. }),
        "{error}"
    );
    let error = try_start(&model, &[("x", 6.6), ("th1", 0.1)], &["x"], &[], 0.0).unwrap_err();
    assert!(
        matches!(error, LagrangianStartError::Contradiction { kind: RowKind::Displacement, order: 0, .. }),
        "{error}"
    );
}
