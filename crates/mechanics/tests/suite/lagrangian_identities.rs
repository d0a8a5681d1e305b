//! Energies in, equations out: the examples of lagrangian-dae-modeling §2.1, §2.3, §2.4, §2.5 as identities.

use crate::energies;

use energies::*;
use poinsot_expr::{Block, Engine, Expr, rate_name};
use poinsot_mechanics::*;

// ---- §1.3 … §1.6: energies and coenergies, transformers ----

/// p f = T + T*, e q = V + V*, e f = D + D* with p = ∂T*/∂f, e_C = ∂V/∂q, e_R = ∂D/∂f.
#[test]
fn legendre_pairs() {
    // (coenergy or energy by its own variable, variable, the other by its variable, variable)
    let pairs = [
        ("m*v^2/2", "v", "p^2/(2*m)", "p"),
        ("J*w^2/2", "w", "H^2/(2*J)", "H"),
        ("L*i^2/2", "i", "lam^2/(2*L)", "lam"),
        ("If*Q^2/2", "Q", "Gam^2/(2*If)", "Gam"),
        ("k*x^2/2", "x", "F^2/(2*k)", "F"),
        ("kt*th^2/2", "th", "tau^2/(2*kt)", "tau"),
        ("q^2/(2*C)", "q", "C*v^2/2", "v"),
        ("Vol^2/(2*Cf)", "Vol", "Cf*P^2/2", "P"),
        ("b*v^2/2", "v", "F^2/(2*b)", "F"),
        ("bw*w^2/2", "w", "tau^2/(2*bw)", "tau"),
        ("R*i^2/2", "i", "v^2/(2*R)", "v"),
        ("Rf*Q^2/2", "Q", "P^2/(2*Rf)", "P"),
        // Nonlinear laws: λ = k i^(2/3), cubic spring, quadratic valve.
        ("3/5*k*i^(5/3)", "i", "2/5*lam^(5/2)/k^(3/2)", "lam"),
        ("k*x^4/4", "x", "3/4*F^(4/3)/k^(1/3)", "F"),
        ("Rf*abs(Q)^3/3", "Q", "2/3*abs(P)^(3/2)/Rf^(1/2)", "P"),
    ];
    for (first, x, second, y) in pairs {
        let (first, second) = (parse(first), parse(second));
        let law = first.derivative(x);
        let at_law = second.substitute(y, &law);
        let product = law.clone() * parse(x);
        same(&(first.clone() + at_law), &product, Sign::Positive, "sum of energy and coenergy");
        // The law of the other one is the inverse law.
        same(
            &second.derivative(y).substitute(y, &law),
            &parse(x),
            Sign::Positive,
            "inverse law of the coenergy",
        );
    }
}

/// Constraint elements as ψ: the multiplier is the transmitted effort and no power is lost, e1 f1 + e2 f2 =
/// 0.
#[test]
fn transformers_conserve_power() {
    let elements = [
        ("(l2/l1)*f1 + f2", "e1*l1 = e2*l2"),
        ("(r1/r2)*f1 + f2", "e1*r2 = e2*r1"),
        ("N1*f1 + N2*f2", "e2*N1 = N2*e1"),
        ("(A2/A1)*f1 + f2", "e1*A1 = e2*A2"),
        ("f1 + r*f2", "e1*r = e2"),
        ("f1 + f2/A", "e1 = e2*A"),
    ];
    for (psi, efforts) in elements {
        let model = Energies { q: "q1 q2", f: "f1 f2", psi: &[psi], ..Energies::default() }.model();
        let rows = rows(&model, EquationForm::Index3, RowKind::Momentum);
        // ψ_fᵀ μ is what the element takes of both sides.
        let power = rows[0].clone() * parse("f1") + rows[1].clone() * parse("f2");
        let f2 = -(parse(psi).derivative("f1") / parse(psi).derivative("f2")) * parse("f1");
        let mut random = Random::new(3);
        for _ in 0..8 {
            let mut at = Values::new();
            fill(&mut at, [&power, &f2], &mut random, Sign::Any);
            at.insert("f2".into(), evaluate(&f2, &at));
            assert!(evaluate(&power, &at).abs() < 1e-14, "{psi}");
        }
        // The printed relation of the efforts.
        let (left, right) = efforts.split_once('=').unwrap();
        let efforts = |side: &str| parse(side).substitute("e1", &rows[0]).substitute("e2", &rows[1]);
        same(&efforts(left), &efforts(right), Sign::Any, psi);
    }
}

/// VC-1.p14: R q̇ = v − v_d, q̇ = I_s (e^{α v_d} − 1), twelve operating points.
#[test]
fn diode_and_resistor() {
    let model = Energies {
        q: "q",
        f: "i",
        efforts: "vd",
        dissipation: "R*i^2/2",
        applied: &["v - vd"],
        gamma: &["i - Is*(exp(alpha*vd) - 1)"],
        ..Energies::default()
    }
    .model();
    let table = [
        (1e-12, 0.5, 0.495884716, 4.11528e-4, 0.5e-9),
        (1e-12, 1.0, 0.609690518, 0.039030948, 0.5e-9),
        (1e-12, 5.0, 0.669850950, 0.433014905, 0.5e-9),
        (1e-12, 10.0, 0.688990838, 0.931100916, 0.5e-9),
        (1e-14, 0.5, 0.499951577, 4.842e-6, 0.5e-9),
        (1e-14, 1.0, 0.716800099, 0.028319990, 0.5e-9),
        (1e-14, 5.0, 0.784310484, 0.421568952, 0.5e-9),
        (1e-14, 10.0, 0.803809887, 0.919619011, 0.5e-9),
        (1e-16, 0.5, 0.499999515, 4.9e-8, 0.5e-9),
        (1e-16, 1.0, 0.820526252, 0.017947375, 0.5e-9),
        (1e-16, 5.0, 0.898751695, 0.410124831, 0.5e-9),
        (1e-16, 10.0, 0.918625050, 0.908137495, 0.5e-9),
    ];
    for (is, v, drop, current, tolerance) in table {
        let constants = [("R", 10.0), ("alpha", 40.0), ("Is", is), ("v", v)];
        let found = start(&model, &[], &["q"], &constants, 0.0);
        let what = format!("Is = {is:e}, v = {v}");
        near(value(&found, "vd"), drop, tolerance * 1.01, &what);
        near(value(&found, "i"), current, tolerance * 1.01, &what);
        assert_eq!(found.index, [0, 1, 1]);
    }
}

/// §1.8: accelerations in cylindrical and spherical coordinates, as components of Lagrange's equation of a
/// point of mass 1, a · ∂r/∂q.
#[test]
fn cylindrical_and_spherical_accelerations() {
    let cylindrical = Energies {
        q: "r th z",
        f: "r1 th1 z1",
        kinetic: "(r1^2 + r^2*th1^2 + z1^2)/2",
        ..Energies::default()
    };
    let printed = ["der(r1) - r*th1^2", "r*(r*der(th1) + 2*r1*th1)", "der(z1)"];
    momentum(&cylindrical, &printed, "cylindrical");
    let spherical = Energies {
        q: "r th ph",
        f: "r1 th1 ph1",
        kinetic: "(r1^2 + (r*th1*sin(ph))^2 + r^2*ph1^2)/2",
        ..Energies::default()
    };
    let printed = [
        "der(r1) - r*ph1^2 - r*th1^2*sin(ph)^2",
        "r*sin(ph)*(2*r*ph1*th1*cos(ph) + 2*r1*th1*sin(ph) + r*der(th1)*sin(ph))",
        "r*(2*r1*ph1 + r*der(ph1) - r*th1^2*sin(ph)*cos(ph))",
    ];
    momentum(&spherical, &printed, "spherical");
    // T* itself from the coordinates: ẋ² + ẏ² + ż².
    let coordinates = ["r*sin(ph)*cos(th)", "r*sin(ph)*sin(th)", "r*cos(ph)"];
    let rate = |x: &str| {
        let term = |(q, f): (&str, &str)| parse(x).derivative(q) * parse(f);
        [("r", "r1"), ("th", "th1"), ("ph", "ph1")]
            .map(term)
            .into_iter()
            .fold(Expr::number(0.0), |a, b| a + b)
    };
    let square = coordinates.map(|x| rate(x) * rate(x)).into_iter().fold(Expr::number(0.0), |a, b| a + b);
    same(&square, &(parse("2") * parse(spherical.kinetic)), Sign::Any, "velocity squared");
}

// ---- §2.3: chapter 3 ----

#[test]
fn example_3_8_mass_spring_damper() {
    let model = Energies {
        q: "x",
        f: "v",
        kinetic: "m*v^2/2",
        potential: "k*x^2/2",
        dissipation: "b*v^2/2",
        applied: &["F"],
        ..Energies::default()
    };
    momentum(&model, &["m*der(v) + b*v + k*x = F"], "3.8");
    same_rows(&model.model(), EquationForm::Index3, RowKind::Kinematic, &["der(x) = v"], "3.8");
}

#[test]
fn example_3_9_pendulum_and_gravity_both_ways() {
    let effort = Energies {
        q: "th",
        f: "w",
        kinetic: "m*l^2*w^2/2",
        applied: &["tau - m*g*l*sin(th)"],
        ..Energies::default()
    };
    let potential = Energies { potential: "-m*g*l*cos(th)", applied: &["tau"], ..effort };
    for model in [effort, potential] {
        momentum(&model, &["m*l^2*der(w) = tau - m*g*l*sin(th)"], "3.9");
    }
}

/// F009 on all models of the chapter with gravity: as potential and as effort.
#[test]
fn gravity_as_potential_or_as_effort() {
    let cart = Energies {
        q: "x th",
        f: "v w",
        kinetic: "m1*v^2/2 + m2*(v^2 + l^2*w^2 + 2*l*v*w*cos(th))/2",
        ..Energies::default()
    };
    let top = Energies {
        q: "a b c",
        f: "a1 b1 c1",
        kinetic: "I12*(sin(b)^2*a1^2 + b1^2)/2 + I3*(cos(b)*a1 + c1)^2/2",
        ..Energies::default()
    };
    let sliders = Energies {
        q: "x y",
        f: "u v",
        kinetic: "(mA*v^2 + mB*u^2)/2",
        phi: &["x^2 + y^2 - l^2"],
        ..Energies::default()
    };
    let cases = [
        (cart, "m2*g*l*cos(th)", &["0", "m2*g*l*sin(th)"][..]),
        (top, "m*g*l*cos(b)", &["0", "m*g*l*sin(b)", "0"]),
        (sliders, "mA*g*y", &["0", "-mA*g"]),
    ];
    for (model, potential, applied) in cases {
        let one = Energies { potential, ..model }.model().equations(EquationForm::Stabilised).unwrap();
        let other = Energies { applied, ..model }.model().equations(EquationForm::Stabilised).unwrap();
        assert_eq!(one.unknowns, other.unknowns);
        for (a, b) in one.rows.iter().zip(&other.rows) {
            same(&a.expr, &b.expr, Sign::Any, potential);
        }
    }
}

#[test]
fn example_3_10_inverted_pendulum_on_a_cart() {
    momentum(
        &Energies {
            q: "x th",
            f: "v w",
            kinetic: "m1*v^2/2 + m2*(v^2 + l^2*w^2 + 2*l*v*w*cos(th))/2",
            applied: &["F", "m2*g*l*sin(th)"],
            ..Energies::default()
        },
        &[
            "(m1 + m2)*der(v) + m2*l*(der(w)*cos(th) - w^2*sin(th)) = F",
            "m2*(l^2*der(w) + l*der(v)*cos(th)) = m2*g*l*sin(th)",
        ],
        "3.10",
    );
}

#[test]
fn examples_3_11_to_3_13_disks() {
    let disk = |kinetic, potential, applied| Energies {
        q: "th",
        f: "w",
        kinetic,
        potential,
        applied,
        ..Energies::default()
    };
    let hung = disk("(IO + m*b^2)*w^2/2", "k*a^2*th^2/2", &["m*g*b"]);
    momentum(&hung, &["(IO + m*b^2)*der(w) + k*a^2*th = m*g*b"], "3.11");
    let incline = disk("(J + m*r^2)*w^2/2", "k*r^2*th^2/2", &["m*g*r*sin(alpha)"]);
    momentum(&incline, &["(J + m*r^2)*der(w) + k*r^2*th = m*g*r*sin(alpha)"], "3.12");
    let cylinder = disk("3/4*m*(R - r)^2*w^2", "-m*g*(R - r)*cos(th)", &[]);
    momentum(&cylinder, &["3/2*m*(R - r)^2*der(w) = -m*g*(R - r)*sin(th)"], "3.13");
}

#[test]
fn example_3_14_planar_robot() {
    momentum(
        &Energies {
            q: "al be",
            f: "p r",
            kinetic: "(I1 + m1*l1^2/4 + m2*l1^2)*p^2/2 + (I2 + m2*l2^2/4)*r^2/2 + m2*l1*l2*p*r*cos(al - be)/2",
            applied: &["tau1", "tau2"],
            ..Energies::default()
        },
        &[
            "(I1 + m1*l1^2/4 + m2*l1^2)*der(p) + m2*l1*l2/2*(der(r)*cos(al - be) + r^2*sin(al - be)) = tau1",
            "(I2 + m2*l2^2/4)*der(r) + m2*l1*l2/2*(der(p)*cos(al - be) - p^2*sin(al - be)) = tau2",
        ],
        "3.14",
    );
}

#[test]
fn example_3_15_symmetric_top() {
    let top = Energies {
        q: "a b c",
        f: "a1 b1 c1",
        kinetic: "I12*(sin(b)^2*a1^2 + b1^2)/2 + I3*(cos(b)*a1 + c1)^2/2",
        applied: &["0", "m*g*l*sin(b)", "0"],
        ..Energies::default()
    };
    // d/dt[…] of the two integrals, by the chain rule on the printed brackets.
    let rate = |bracket: &str| {
        let bracket = parse(bracket);
        let pairs =
            [("a", "a1"), ("b", "b1"), ("c", "c1"), ("a1", "der(a1)"), ("b1", "der(b1)"), ("c1", "der(c1)")];
        let term = |(by, rate): (&str, &str)| bracket.derivative(by) * equation(rate);
        pairs.into_iter().map(term).fold(Expr::number(0.0), |sum, term| sum + term)
    };
    let rows = rows(&top.model(), EquationForm::Index3, RowKind::Momentum);
    same(&rows[0], &rate("(I12*sin(b)^2 + I3*cos(b)^2)*a1 + I3*cos(b)*c1"), Sign::Any, "3.15 precession");
    let nutation = "I12*der(b1) - (I12 - I3)*sin(b)*cos(b)*a1^2 + I3*sin(b)*a1*c1 = m*g*l*sin(b)";
    same(&rows[1], &equation(nutation), Sign::Any, "3.15 nutation");
    same(&rows[2], &rate("I3*(cos(b)*a1 + c1)"), Sign::Any, "3.15 spin");
    let expanded = "(I12*sin(b)^2 + I3*cos(b)^2)*der(a1) + 2*(I12 - I3)*sin(b)*cos(b)*a1*b1
                    + I3*cos(b)*der(c1) - I3*sin(b)*b1*c1";
    same(&rows[0], &equation(expanded), Sign::Any, "3.15 precession, written out");
}

#[test]
fn examples_3_16_to_3_19_circuits() {
    let rlc = Energies {
        q: "q",
        f: "i",
        kinetic: "L*i^2/2",
        potential: "q^2/(2*C)",
        dissipation: "R*i^2/2",
        applied: &["v"],
        ..Energies::default()
    };
    momentum(&rlc, &["L*der(i) + R*i + q/C = v"], "3.16");
    let lead = Energies {
        q: "q1 q3",
        f: "f1 f3",
        potential: "(q3 - q1 + q20)^2/(2*C)",
        dissipation: "(R1*f1^2 + R2*f3^2)/2",
        applied: &["0", "v"],
        ..Energies::default()
    };
    momentum(&lead, &["R1*f1 - (q3 - q1 + q20)/C = 0", "R2*f3 + (q3 - q1 + q20)/C = v"], "3.17");
    let rectifier = Energies {
        q: "q1 q3",
        f: "f1 f3",
        potential: "(q1 - q3 + q20)^2/(2*C)",
        dissipation: "R*f3^2/2",
        applied: &["v - log(f1/Is + 1)/alpha", "0"],
        ..Energies::default()
    };
    let printed = ["(q1 - q3 + q20)/C = v - log(f1/Is + 1)/alpha", "R*f3 - (q1 - q3 + q20)/C = 0"];
    let model = rectifier.model();
    same_rows_where(&model, EquationForm::Index3, RowKind::Momentum, &printed, Sign::Positive, "3.18");
    // The diode as an effort variable says the same.
    let regulated = Energies {
        efforts: "vd",
        applied: &["v - vd", "0"],
        gamma: &["f1 - Is*(exp(alpha*vd) - 1)"],
        ..rectifier
    };
    let printed = ["(q1 - q3 + q20)/C = v - vd", "R*f3 - (q1 - q3 + q20)/C = 0"];
    momentum(&regulated, &printed, "3.18 with an effort variable");
    let gamma = rows(&regulated.model(), EquationForm::Index3, RowKind::Effort);
    let at_law = gamma[0].substitute("vd", &parse("log(f1/Is + 1)/alpha"));
    same(&(parse("f1") - at_law), &parse("f1"), Sign::Positive, "3.18 diode law");
    let amplifier = Energies {
        q: "qa",
        f: "fa",
        efforts: "v1 v3",
        dissipation: "(Ra + Rb)*fa^2/2",
        applied: &["va - v3"],
        // v2 = 0 is the ground; v1 is the voltage behind Ra.
        gamma: &["v1 - (va - Ra*fa)", "v3 - kg*(0 - v1)"],
        ..Energies::default()
    };
    momentum(&amplifier, &["(Ra + Rb)*fa = va - v3"], "3.19");
    // v3 = −(Rb/Ra) va (1 + O(1/kg)): with kg = 1e7 the deviation is −(1 + Rb/Ra)/kg.
    let constants = [("Ra", 1e3), ("Rb", 5e3), ("va", 0.25), ("kg", 1e7)];
    let found = start(&amplifier.model(), &[], &["qa"], &constants, 0.0);
    near(value(&found, "v3"), -1.25 * (1.0 - 6e-7), 1e-12, "3.19 output");
}

#[test]
fn examples_3_20_to_3_22_motor_and_tanks() {
    let motor = Energies {
        q: "q th",
        f: "i w",
        kinetic: "L*i^2/2 + J*w^2/2",
        dissipation: "R*i^2/2 + b*w^2/2",
        applied: &["v - Kb*w", "Kt*i"],
        ..Energies::default()
    };
    momentum(&motor, &["L*der(i) + R*i = v - Kb*w", "J*der(w) + b*w = Kt*i"], "3.20");
    let pump = Energies {
        q: "V2 V4",
        f: "Q2 Q4",
        kinetic: "Lf*Q2^2/2",
        potential: "(V2 - V4 + V30)^2/(2*Cf)",
        dissipation: "Rf*Q4^2/2",
        applied: &["P", "0"],
        ..Energies::default()
    };
    momentum(&pump, &["Lf*der(Q2) + (V2 - V4 + V30)/Cf = P", "Rf*Q4 - (V2 - V4 + V30)/Cf = 0"], "3.21");
    // In flows alone: the sum of the rows, and the rate of the second.
    let pump_rows = rows(&pump.model(), EquationForm::Index3, RowKind::Momentum);
    let sum = pump_rows[0].clone() + pump_rows[1].clone();
    same(&sum, &equation("Lf*der(Q2) + Rf*Q4 = P"), Sign::Any, "3.21 in flows");
    let second = &pump_rows[1];
    let rate = second.derivative("V2") * parse("Q2")
        + second.derivative("V4") * parse("Q4")
        + second.derivative("Q4") * equation("der(Q4)");
    same(&rate, &equation("Rf*der(Q4) - (Q2 - Q4)/Cf"), Sign::Any, "3.21 in flows");
    let tanks = Energies {
        q: "V1 V3",
        f: "Q1 Q3",
        potential: "(V1 - V3 + V20)^2/(2*C1) + V3^2/(2*C2)",
        applied: &["P", "-Rf*abs(Q3)*Q3"],
        ..Energies::default()
    };
    let printed = ["(V1 - V3 + V20)/C1 = P", "-(V1 - V3 + V20)/C1 + V3/C2 = -Rf*abs(Q3)*Q3"];
    momentum(&tanks, &printed, "3.22");
    // The valve as content (F008).
    let content = Energies { dissipation: "Rf*abs(Q3)^3/3", applied: &["P", "0"], ..tanks };
    momentum(&content, &printed, "3.22 with the content of the valve");
}

// ---- §2.4: chapter 4 ----

#[test]
fn example_4_1_two_sliders() {
    momentum(
        &Energies {
            q: "x y",
            f: "u v",
            kinetic: "(mA*v^2 + mB*u^2)/2",
            potential: "k*x^2/2",
            applied: &["0", "-mA*g"],
            phi: &["x^2 + y^2 - l^2"],
            ..Energies::default()
        },
        &["mB*der(u) + k*x + 2*lambda1*x = 0", "mA*der(v) + 2*lambda1*y = -mA*g"],
        "4.1",
    );
}

#[test]
fn example_4_2_slider_crank() {
    let model = Energies {
        q: "x1 y1 th1 x2 y2 th2 x3",
        f: "u1 v1 w1 u2 v2 w2 u3",
        kinetic: "(m1*(u1^2 + v1^2) + I1*w1^2 + m2*(u2^2 + v2^2) + I2*w2^2 + m3*u3^2)/2",
        applied: &["0", "0", "tau", "0", "0", "0", "0"],
        phi: &[
            "x1 - l1/2*cos(th1)",
            "y1 - l1/2*sin(th1)",
            "x2 - l1*cos(th1) - l2/2*cos(th2)",
            "y2 - l1*sin(th1) - l2/2*sin(th2)",
            "l1*cos(th1) + l2*cos(th2) - x3",
            "l1*sin(th1) + l2*sin(th2)",
        ],
        ..Energies::default()
    };
    momentum(
        &model,
        &[
            "m1*der(u1) + lambda1 = 0",
            "m1*der(v1) + lambda2 = 0",
            "I1*der(w1) + lambda1*l1/2*sin(th1) - lambda2*l1/2*cos(th1) + lambda3*l1*sin(th1)
                - lambda4*l1*cos(th1) - lambda5*l1*sin(th1) + lambda6*l1*cos(th1) = tau",
            "m2*der(u2) + lambda3 = 0",
            "m2*der(v2) + lambda4 = 0",
            "I2*der(w2) + lambda3*l2/2*sin(th2) - lambda4*l2/2*cos(th2) - lambda5*l2*sin(th2)
                + lambda6*l2*cos(th2) = 0",
            "m3*der(u3) - lambda5 = 0",
        ],
        "4.2",
    );
    let equations = model.model().equations(EquationForm::Index3).unwrap();
    assert_eq!(equations.rows.len(), 2 * 7 + 6);
}

#[test]
fn example_4_3_four_bar() {
    let model = Energies {
        q: "th1 x2 y2 th2 th3",
        f: "w1 u2 v2 w2 w3",
        kinetic: "(I1 + m1*l1^2/4)*w1^2/2 + m2*(u2^2 + v2^2)/2 + I2*w2^2/2 + (I3 + m3*l3^2/4)*w3^2/2",
        applied: &["tau", "0", "0", "0", "0"],
        phi: &[
            "x2 - (l1*cos(th1) + l2*cos(th2)/2)",
            "y2 - (l1*sin(th1) + l2*sin(th2)/2)",
            "l1*cos(th1) + l2*cos(th2) - l3*cos(th3) - l4",
            "l1*sin(th1) + l2*sin(th2) - l3*sin(th3)",
        ],
        ..Energies::default()
    };
    momentum(
        &model,
        &[
            "(I1 + m1*l1^2/4)*der(w1) + lambda1*l1*sin(th1) - lambda2*l1*cos(th1) - lambda3*l1*sin(th1)
                + lambda4*l1*cos(th1) = tau",
            "m2*der(u2) + lambda1 = 0",
            "m2*der(v2) + lambda2 = 0",
            "I2*der(w2) + lambda1*l2/2*sin(th2) - lambda2*l2/2*cos(th2) - lambda3*l2*sin(th2)
                + lambda4*l2*cos(th2) = 0",
            "(I3 + m3*l3^2/4)*der(w3) + lambda3*l3*sin(th3) - lambda4*l3*cos(th3) = 0",
        ],
        "4.3",
    );
    // Nine equations besides q̇ = f.
    assert_eq!(model.model().equations(EquationForm::Index3).unwrap().rows.len() - 5, 9);
}

#[test]
fn example_4_4_ladder_network() {
    let model = Energies {
        q: "q1 q2 q3 q4 q5 q6",
        f: "f1 f2 f3 f4 f5 f6",
        kinetic: "(L1*f2^2 + L2*f4^2)/2",
        potential: "q3^2/(2*C1) + q5^2/(2*C2)",
        dissipation: "R1*f6^2/2",
        applied: &["v", "0", "0", "0", "0", "0"],
        psi: &["f1 - f2", "f2 + f3 - f4", "f4 + f5 + f6"],
        ..Energies::default()
    };
    momentum(
        &model,
        &[
            "mu1 = v",
            "L1*der(f2) - mu1 + mu2 = 0",
            "q3/C1 + mu2 = 0",
            "L2*der(f4) - mu2 + mu3 = 0",
            "q5/C2 + mu3 = 0",
            "R1*f6 + mu3 = 0",
        ],
        "4.4",
    );
    // n = B − N + 1 = 3 independent flows: six flows less three constraints.
    let model = model.model();
    assert_eq!(model.flows.len() - model.flow_constraints.len(), 3);
}

/// VC-4.5: the unsubstituted T*, and what the rows say of φ̈ once μ is eliminated.
#[test]
fn example_4_5_rolling_disk() {
    let model = Energies {
        q: "x y ph th",
        f: "u v p w",
        kinetic: "m*(u^2 + v^2)/2 + I1*p^2/2 + I2*w^2/2",
        applied: &["-m*g*sin(al)", "0", "0", "0"],
        psi: &["u - r*p*cos(th)", "v - r*p*sin(th)"],
        ..Energies::default()
    };
    momentum(
        &model,
        &[
            "m*der(u) + mu1 = -m*g*sin(al)",
            "m*der(v) + mu2 = 0",
            "I1*der(p) - r*(mu1*cos(th) + mu2*sin(th)) = 0",
            "I2*der(w) = 0",
        ],
        "4.5",
    );
    let model = model.model();
    let mut random = Random::new(45);
    for _ in 0..8 {
        let mut at = Values::new();
        let all = model.equations(EquationForm::Index1).unwrap();
        fill(&mut at, all.rows.iter().map(|row| &row.expr), &mut random, Sign::Positive);
        let (acceleration, _) = accelerations(&model, &at);
        let v = |name: &str| at[name];
        let kappa = v("m") * v("g") * v("r") * v("al").sin() / (v("I1") + v("m") * v("r").powi(2));
        near(acceleration[2], -kappa * v("th").cos(), 1e-12 * kappa.max(1.0), "4.5 φ̈");
        near(acceleration[3], 0.0, 1e-13, "4.5 θ̈");
    }
}

const VEHICLE: Energies = Energies {
    q: "x y th",
    f: "u v w",
    s: "",
    efforts: "",
    kinetic: "m*(u^2 + v^2)/2 + J*w^2/2",
    potential: "",
    dissipation: "",
    applied: &[],
    phi: &[],
    psi: &["v*cos(th) - u*sin(th)"],
    gamma: &[],
    sigma: &[],
};

#[test]
fn example_4_6_two_wheels() {
    let printed = ["m*der(u) - mu1*sin(th) = 0", "m*der(v) + mu1*cos(th) = 0", "J*der(w) = 0"];
    momentum(&VEHICLE, &printed, "4.6");
    let mut random = Random::new(46);
    for _ in 0..8 {
        let (m, speed, w, th) =
            (1.5 + random.number(), random.number(), 2.0 * random.number(), 3.0 * random.number());
        let at = values(&[
            ("m", m),
            ("J", 0.7),
            ("x", 0.1),
            ("y", -2.0),
            ("th", th),
            ("u", speed * th.cos()),
            ("v", speed * th.sin()),
            ("w", w),
        ]);
        let (a, mu) = accelerations(&VEHICLE.model(), &at);
        near(mu[0], -m * speed * w, 1e-13, "4.6 μ = −m u ω");
        near(a[0], -speed * w * th.sin(), 1e-13, "4.6 ẍ");
        near(a[1], speed * w * th.cos(), 1e-13, "4.6 ÿ");
        near(a[2], 0.0, 1e-14, "4.6 θ̈");
    }
}

/// VC-4.7: constant steering gives a circle of radius l/tan φ at constant speed; steering with a rate brakes.
#[test]
fn example_4_7_three_wheels() {
    let model = Energies {
        psi: &["v*cos(th) - u*sin(th)", "v*cos(th + s0 + s1*t) - u*sin(th + s0 + s1*t) + l*w*cos(s0 + s1*t)"],
        ..VEHICLE
    };
    momentum(
        &model,
        &[
            "m*der(u) - mu1*sin(th) - mu2*sin(th + s0 + s1*t) = 0",
            "m*der(v) + mu1*cos(th) + mu2*cos(th + s0 + s1*t) = 0",
            "J*der(w) + mu2*l*cos(s0 + s1*t) = 0",
        ],
        "4.7",
    );
    let (m, j, l, steering, speed) = (10.0, 2.0, 1.5, 0.3f64, 2.0);
    let w = speed * steering.tan() / l;
    near(w, 0.412448333, 0.5e-9, "4.7 θ̇");
    let psi = model.model().flow_constraints;
    for th in [0.0f64, 0.4, 2.0, -1.3] {
        for steering_rate in [0.0, 0.25] {
            let at = values(&[
                ("m", m),
                ("J", j),
                ("l", l),
                ("s0", steering),
                ("s1", steering_rate),
                ("t", 0.0),
                ("th", th),
                ("u", speed * th.cos()),
                ("v", speed * th.sin()),
                ("w", w),
            ]);
            // The start is consistent.
            near(evaluate(&psi[0], &at), 0.0, 1e-15, "ψ1");
            let front = evaluate(&psi[1], &at);
            near(front, -speed * steering.sin() + l * w * steering.cos(), 1e-14, "ψ2");
            near(front, 0.0, 1e-14, "ψ2");
            let (a, mu) = accelerations(&model.model(), &at);
            // Along the path: (m + J tan²φ/l²) u̇ = −J u tanφ (1 + tan²φ) φ̇/l².
            let (tan, along) = (steering.tan(), a[0] * th.cos() + a[1] * th.sin());
            let expected = -j * speed * tan * (1.0 + tan * tan) * steering_rate
                / (l * l)
                / (m + j * tan * tan / (l * l));
            near(along, expected, 1e-13, "4.7 u̇");
            near(a[2], (expected * tan + speed * (1.0 + tan * tan) * steering_rate) / l, 1e-13, "4.7 θ̈");
            near(-a[0] * th.sin() + a[1] * th.cos(), speed * w, 1e-13, "4.7 centripetal");
            if steering_rate == 0.0 {
                near(mu[0], -m * speed * w, 1e-12, "4.7 μ1");
                near(mu[1], 0.0, 1e-12, "4.7 μ2");
            }
        }
    }
}

#[test]
fn examples_4_8_and_4_9_rectifier_and_transistor() {
    let rectifier = Energies {
        q: "q1 q2 q3 q4",
        f: "f1 f2 f3 f4",
        efforts: "vd1 vd2",
        potential: "q3^2/(2*C)",
        dissipation: "R*f4^2/2",
        applied: &["V*sin(w*t) - vd1", "V*sin(w*t + pi) - vd2", "0", "0"],
        psi: &["f1 + f2 - (f3 + f4)"],
        gamma: &["f1 - Is*(exp(al*vd1) - 1)", "f2 - Is*(exp(al*vd2) - 1)"],
        ..Energies::default()
    };
    momentum(
        &rectifier,
        &["mu1 = V*sin(w*t) - vd1", "mu1 = -V*sin(w*t) - vd2", "q3/C - mu1 = 0", "R*f4 - mu1 = 0"],
        "4.8",
    );
    // Seven equations besides q̇ = f, in (f, vd1, vd2, μ).
    assert_eq!(rectifier.model().equations(EquationForm::Index3).unwrap().rows.len() - 4, 7);
    let stage = Energies {
        q: "qB qC qE",
        f: "fB fC fE",
        efforts: "vBE vBC",
        dissipation: "(RB*fB^2 + RC*fC^2 + RE*fE^2)/2",
        applied: &["v2", "v1 + vBC", "-vBE"],
        psi: &["fB + fC - fE"],
        gamma: &[
            "fE - IES*(exp(al*vBE) - 1) + IS*(exp(al*vBC) - 1)",
            "fC - IS*(exp(al*vBE) - 1) + ICS*(exp(al*vBC) - 1)",
        ],
        ..Energies::default()
    };
    momentum(&stage, &["RB*fB + mu1 = v2", "RC*fC + mu1 = v1 + vBC", "RE*fE - mu1 = -vBE"], "4.9");
    // (1.19): the third row of the matrix, i_B = i_E − i_C, follows from ψ and Γ.
    let base = parse("(IES - IS)*(exp(al*vBE) - 1) + (ICS - IS)*(exp(al*vBC) - 1)");
    let gamma = rows(&stage.model(), EquationForm::Index3, RowKind::Effort);
    let difference = parse("fE - fC") - (gamma[0].clone() - gamma[1].clone());
    same(&difference, &base, Sign::Any, "4.9 base current");
}

/// VC-4.10 and Listing 2: the eight equations in their order.
#[test]
fn example_4_10_motor_and_listing_2() {
    let printed = [
        "der(q)-qdot",
        "der(theta)-thetadot",
        "0.5*(L+L)*der(qdot)+0.5*(R*qdot+R*qdot)-((v-vb))",
        "0.5*(I+I)*der(thetadot)+0.5*(b*thetadot+b*thetadot)-(tau)",
        "der(s)-(theta-theta_d)",
        "vb-Kb*thetadot",
        "tau-Kt*qdot",
        "v-Kp*(theta-theta_d)-Ki*s",
    ];
    for form in [EquationForm::Index3, EquationForm::Index2, EquationForm::Stabilised, EquationForm::Index1] {
        let equations = MOTOR.model().equations(form).unwrap();
        assert_eq!(equations.rows.len(), 8);
        for (row, text) in equations.rows.iter().zip(printed) {
            same(&row.expr, &equation(text), Sign::Any, text);
        }
        let names: Vec<&str> = equations.unknowns.iter().map(|u| u.name.as_str()).collect();
        assert_eq!(names, ["q", "theta", "qdot", "thetadot", "s", "v", "vb", "tau"]);
    }
}

/// §1.29: dfdxdot has 5 entries, dfdx 15, and no others.
#[test]
fn the_twenty_entries_of_the_motor() {
    let equations = MOTOR.model().equations(EquationForm::Index3).unwrap();
    let names: Vec<String> = equations.unknowns.iter().map(|u| u.name.clone()).collect();
    let inputs: Vec<String> = names.iter().cloned().chain(names.iter().map(|n| rate_name(n))).collect();
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let rows: Vec<Expr> = equations.rows.into_iter().map(|row| row.expr).collect();
    let data = values(&MOTOR_DATA);
    let block = Block::new(&rows, &inputs, &|name| data.get(name).copied(), Engine::Interpreter).unwrap();
    let (mut value, mut slopes) = (vec![0.0; 8], vec![0.0; block.entries().len()]);
    block.eval_derivatives(&[0.3; 16], &mut value, &mut slopes);
    let (r, b, l, i) = (100.0, 3.0, 0.001, 0.1);
    let dfdx = [
        (1, 3, -1.0),
        (2, 4, -1.0),
        (3, 3, 0.5 * (r + r)),
        (3, 6, -1.0),
        (3, 7, 1.0),
        (4, 4, 0.5 * (b + b)),
        (4, 8, -1.0),
        (5, 2, -1.0),
        (6, 4, -1.0),
        (6, 7, 1.0),
        (7, 3, -1.0),
        (7, 8, 1.0),
        (8, 2, 100.0),
        (8, 5, 10.0),
        (8, 6, 1.0),
    ];
    let dfdxdot = [(1, 1, 1.0), (2, 2, 1.0), (3, 3, 0.5 * (l + l)), (4, 4, 0.5 * (i + i)), (5, 5, 1.0)];
    let mut expected: Vec<(usize, usize, f64)> = dfdx
        .iter()
        .map(|&(k, j, x)| (k - 1, j - 1, x))
        .chain(dfdxdot.iter().map(|&(k, j, x)| (k - 1, 8 + j - 1, x)))
        .collect();
    expected.sort_by_key(|&(k, j, _)| (k, j));
    assert_eq!(expected.len(), 20);
    assert_eq!(block.entries(), expected.iter().map(|&(k, j, _)| (k, j)).collect::<Vec<_>>());
    for ((k, j, x), slope) in expected.into_iter().zip(slopes) {
        assert_eq!(slope, x, "entry ({}, {})", k + 1, j + 1);
    }
}

// ---- §2.5, §1.19, §1.24: forms of the constraints ----

/// VC-5.5, VC-5.6: g = 0, ġ = 0, g̈ = 0, and both g and ġ with ν.
#[test]
fn forms_of_the_pendulum() {
    let model = PENDULUM.model();
    let plain = ["der(q1) - f1", "der(q2) - f2"];
    let momentum = ["m*der(f1) + 2*q1*lambda1", "m*der(f2) + 2*q2*lambda1 - m*g"];
    let (phi, rate) = ("q1^2 + q2^2 - l^2", "2*q1*f1 + 2*q2*f2");
    let second = "2*f1^2 + 2*f2^2 + 2*q1*der(f1) + 2*q2*der(f2)";
    for form in [EquationForm::Index3, EquationForm::Index2, EquationForm::Index1, EquationForm::Stabilised] {
        same_rows(&model, form, RowKind::Momentum, &momentum, "momentum");
    }
    for (form, row) in
        [(EquationForm::Index3, phi), (EquationForm::Index2, rate), (EquationForm::Index1, second)]
    {
        same_rows(&model, form, RowKind::Kinematic, &plain, "kinematic");
        same_rows(&model, form, RowKind::Displacement, &[row], "constraint");
        assert!(rows(&model, form, RowKind::DisplacementRate).is_empty());
    }
    let stabilised = ["der(q1) - f1 + 2*q1*nu1", "der(q2) - f2 + 2*q2*nu1"];
    same_rows(&model, EquationForm::Stabilised, RowKind::Kinematic, &stabilised, "GGL");
    same_rows(&model, EquationForm::Stabilised, RowKind::Displacement, &[phi], "GGL");
    same_rows(&model, EquationForm::Stabilised, RowKind::DisplacementRate, &[rate], "GGL");
    let names = model.equations(EquationForm::Stabilised).unwrap().unknowns;
    let names: Vec<&str> = names.iter().map(|u| u.name.as_str()).collect();
    assert_eq!(names, ["q1", "q2", "f1", "f2", "lambda1", "nu1"]);
}

/// A bead on a ring of radius a(1 + ε sin ωt): φ_t, φ_tt and 2 φ_qt f.
#[test]
fn rheonomic_constraint() {
    let a = "a*(1 + ep*sin(om*t))";
    let phi = format!("q1^2 + q2^2 - ({a})^2");
    let model = Energies { phi: &[&phi], ..PENDULUM }.model();
    let half = format!("{a}*a*ep*om*cos(om*t)");
    let rate = format!("2*q1*f1 + 2*q2*f2 - 2*{half}");
    let second = format!(
        "2*f1^2 + 2*f2^2 + 2*q1*der(f1) + 2*q2*der(f2)
         - 2*((a*ep*om*cos(om*t))^2 - {a}*a*ep*om^2*sin(om*t))"
    );
    same_rows(&model, EquationForm::Index2, RowKind::Displacement, &[&rate], "φ̇");
    same_rows(&model, EquationForm::Stabilised, RowKind::DisplacementRate, &[&rate], "φ̇ beside φ");
    same_rows(&model, EquationForm::Index1, RowKind::Displacement, &[&second], "φ̈");
    // A coefficient that depends on time: φ = q1 cos ωt + q2 sin ωt.
    let model = Energies { phi: &["q1*cos(om*t) + q2*sin(om*t)"], ..PENDULUM }.model();
    let second = "der(f1)*cos(om*t) + der(f2)*sin(om*t) + 2*om*(f2*cos(om*t) - f1*sin(om*t))
                  - om^2*(q1*cos(om*t) + q2*sin(om*t))";
    same_rows(&model, EquationForm::Index1, RowKind::Displacement, &[second], "2 φ_qt f");
    // A flow constraint that knows q and t.
    let model = Energies { phi: &[], psi: &["q2*f1 - sin(t)*f2 + q1*t"], ..PENDULUM }.model();
    let rate = "q2*der(f1) + f2*f1 - sin(t)*der(f2) - cos(t)*f2 + f1*t + q1";
    same_rows(&model, EquationForm::Index1, RowKind::Flow, &[rate], "ψ̇");
    same_rows(&model, EquationForm::Index2, RowKind::Flow, &["q2*f1 - sin(t)*f2 + q1*t"], "ψ");
}

/// VC-4.11: λ = (m/2l²)(f1² + f2² + g q2) and the accelerations, at random consistent states.
#[test]
fn example_4_11_underlying_equation() {
    let mut random = Random::new(411);
    for _ in 0..20 {
        let (m, l, g) = (1.5 + random.number(), 1.5 + random.number(), 9.8);
        let (angle, spin) = (3.0 * random.number(), 4.0 * random.number());
        let (q1, q2) = (l * angle.sin(), l * angle.cos());
        let (f1, f2) = (l * spin * angle.cos(), -l * spin * angle.sin());
        let names = ["m", "l", "g", "q1", "q2", "f1", "f2"];
        let at = values(&names.into_iter().zip([m, l, g, q1, q2, f1, f2]).collect::<Vec<_>>());
        let (a, lambda) = accelerations(&PENDULUM.model(), &at);
        let common = f1 * f1 + f2 * f2 + g * q2;
        let size = 1e-13 * (f1 * f1 + f2 * f2 + g * l) / l;
        near(lambda[0], m / (2.0 * l * l) * common, size * m, "4.11 λ");
        near(a[0], -q1 / (l * l) * common, size * 4.0, "4.11 ḟ1");
        near(a[1], g - q2 / (l * l) * common, size * 4.0, "4.11 ḟ2");
    }
}

/// §1.19, general: (λ, μ) = (G M⁻¹ Gᵀ)⁻¹ (γ − G M⁻¹ Υ) with rheonomic φ, ψ of flows, a mass that depends on q
/// and t.
#[test]
fn underlying_equation_in_general() {
    let text = Energies {
        q: "x y z",
        f: "u v w",
        kinetic: "(2 + sin(x))*u^2/2 + (3 + y^2)*v^2/2 + 2*w^2 + 0.3*u*w*cos(z + t) + 0.2*v*w*x + 0.4*u*y*t",
        potential: "x^2*y + 0.5*z^2 + cos(x*z)",
        dissipation: "0.1*u^2 + 0.2*v^4 + 0.1*u*w",
        applied: &["F*sin(t)", "-x", "u*v"],
        phi: &["x^2 + 2*y*z - sin(t)*y - 1.7"],
        psi: &["z*u + sin(x)*v - 0.5*w + t*y"],
        ..Energies::default()
    };
    let model = text.model();
    let (q, f) = (["x", "y", "z"], ["u", "v", "w"]);
    let sum = |terms: Vec<Expr>| terms.into_iter().fold(Expr::number(0.0), |a, b| a + b);
    // Υ = p_q f + p_t − T*_q + V_q + D_f − e^s
    let upsilon = |i: usize| {
        let p = model.kinetic.derivative(f[i]);
        sum((0..3).map(|j| p.derivative(q[j]) * parse(f[j])).collect())
            + p.derivative("t")
            + (model.potential.clone() - model.kinetic.clone()).derivative(q[i])
            + model.dissipation.derivative(f[i])
            - model.applied[i].clone()
    };
    let (phi, psi) = (&model.displacement_constraints[0], &model.flow_constraints[0]);
    let pairs = (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
    // γ = (φ_q f)_q f + 2 φ_qt f + φ_tt and ψ_q f + ψ_t
    let quadratic =
        pairs.map(|(i, j)| phi.derivative(q[i]).derivative(q[j]) * parse(f[i]) * parse(f[j])).collect();
    let mixed = (0..3).map(|i| phi.derivative(q[i]).derivative("t") * parse(f[i])).collect();
    let gamma = [
        sum(quadratic) + Expr::number(2.0) * sum(mixed) + phi.derivative("t").derivative("t"),
        sum((0..3).map(|i| psi.derivative(q[i]) * parse(f[i])).collect()) + psi.derivative("t"),
    ];
    let mut random = Random::new(119);
    for _ in 0..10 {
        let names = ["x", "y", "z", "u", "v", "w", "t", "F"];
        let at = values(&names.map(|name| (name, 0.9 * random.number())));
        let mass = |i: usize, j: usize| evaluate(&model.kinetic.derivative(f[i]).derivative(f[j]), &at);
        let m: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| mass(i, j)));
        let g: [[f64; 3]; 2] = [
            std::array::from_fn(|i| evaluate(&phi.derivative(q[i]), &at)),
            std::array::from_fn(|i| evaluate(&psi.derivative(f[i]), &at)),
        ];
        let y: [f64; 3] = std::array::from_fn(|i| evaluate(&upsilon(i), &at));
        let inverse = inverse3(&m);
        let apply = |b: &[f64; 3]| -> [f64; 3] { std::array::from_fn(|i| dot(&inverse[i], b)) };
        let s: [[f64; 2]; 2] = std::array::from_fn(|a| std::array::from_fn(|b| dot(&g[a], &apply(&g[b]))));
        let r: [f64; 2] = std::array::from_fn(|a| evaluate(&gamma[a], &at) - dot(&g[a], &apply(&y)));
        let det = s[0][0] * s[1][1] - s[0][1] * s[1][0];
        let multipliers = [(r[0] * s[1][1] - r[1] * s[0][1]) / det, (r[1] * s[0][0] - r[0] * s[1][0]) / det];
        let load: [f64; 3] =
            std::array::from_fn(|i| -(g[0][i] * multipliers[0] + g[1][i] * multipliers[1] + y[i]));
        let expected = apply(&load);
        let (a, found) = accelerations(&model, &at);
        let size =
            1e-12 * (1.0 + multipliers.iter().fold(0.0f64, |a, b| a.max(b.abs()))) / det.abs().min(1.0);
        (0..3).for_each(|i| near(a[i], expected[i], size, "1.19 ḟ"));
        (0..2).for_each(|i| near(found[i], multipliers[i], size, "1.19 (λ, μ)"));
    }
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn inverse3(m: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let minor = |i: usize, j: usize| {
        let (a, b, c, d) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        m[a][c] * m[b][d] - m[a][d] * m[b][c]
    };
    let det: f64 = (0..3).map(|j| m[0][j] * minor(0, j)).sum();
    std::array::from_fn(|i| std::array::from_fn(|j| minor(j, i) / det))
}

/// ∂T*/∂f need not be linear: the relativistic mass, T* = m0 c² (1 − √(1 − v²/c²)), p = m0 v/√(1 − v²/c²).
#[test]
fn nonlinear_inductor() {
    let model = Energies {
        q: "x",
        f: "v",
        kinetic: "m0*c^2*(1 - sqrt(1 - v^2/c^2))",
        applied: &["F"],
        ..Energies::default()
    };
    let row = &rows(&model.model(), EquationForm::Index3, RowKind::Momentum)[0];
    for v in [-0.9, -0.3, 0.0, 0.5, 0.99] {
        let at = values(&[("m0", 2.0), ("c", 1.0), ("v", v), ("F", 0.7), ("der(v)", 1.3)]);
        let gamma = 1.0 / f64::sqrt(1.0 - v * v);
        near(evaluate(row, &at), 2.0 * gamma.powi(3) * 1.3 - 0.7, 1e-11 * gamma.powi(3), "m0 γ³ v̇ = F");
    }
}

/// The energy, the lost and the supplied power close: d/dt (T + V) = e^s f − f ∂D/∂f along the equations.
#[test]
fn power_balance() {
    let text = Energies {
        q: "x th",
        f: "v w",
        kinetic: "m1*v^2/2 + m2*(v^2 + l^2*w^2 + 2*l*v*w*cos(th))/2",
        potential: "m2*g*l*cos(th) + k*x^2/2",
        dissipation: "b*v^2/2 + d*w^4/4",
        applied: &["F", "M"],
        ..Energies::default()
    };
    let model = text.model();
    let energy = model.energy();
    let term = |(name, rate): (&str, &str)| energy.derivative(name) * equation(rate);
    let rate = [("x", "v"), ("th", "w"), ("v", "der(v)"), ("w", "der(w)")].map(term);
    let rate = rate.into_iter().fold(Expr::number(0.0), |sum, term| sum + term);
    let momentum = rows(&model, EquationForm::Index3, RowKind::Momentum);
    let power = momentum[0].clone() * parse("v") + momentum[1].clone() * parse("w");
    let open = rate + model.dissipated_power() - model.supplied_power(&[]);
    same(&open, &power, Sign::Any, "power of the momentum rows");
}

/// A coil that pulls a body: the gap r belongs to the mechanics, its load is ∂T*/∂r, the coil feels ṙ.
#[test]
fn loads_on_the_mechanics() {
    let mut model = Energies {
        q: "q",
        f: "i",
        kinetic: "g0/(g1 + r)*i^2/2",
        potential: "k*r^2/2 + q*r",
        dissipation: "R*i^2/2 + b*rd^2/2 + d*i*rd",
        applied: &["u"],
        phi: &["q - 2*r^2"],
        psi: &["r*i + q*rd"],
        ..Energies::default()
    }
    .model();
    model.coordinates =
        vec![Coupled { coordinate: "r".into(), rate: "rd".into(), applied: parse("F + r*i") }];
    let equations = model.equations(EquationForm::Index2).unwrap();
    let load = "F + r*i - g0*i^2/(2*(g1 + r)^2) - k*r - q - b*rd - d*i + 4*r*lambda1 - q*mu1";
    assert_eq!(equations.loads.len(), 1);
    same(&equations.loads[0], &parse(load), Sign::Positive, "load on the gap");
    let row = "g0/(g1 + r)*der(i) - g0/(g1 + r)^2*rd*i + r + R*i + d*rd + lambda1 + r*mu1 = u";
    same_rows_where(&model, EquationForm::Index2, RowKind::Momentum, &[row], Sign::Positive, "coil");
    same_rows(&model, EquationForm::Index2, RowKind::Displacement, &["i - 4*r*rd"], "φ̇ with ṙ");
    let error = model.equations(EquationForm::Index1).unwrap_err();
    assert_eq!(error, LagrangianError::Acceleration { constraint: 0, name: "r".into() });
}

#[test]
fn what_is_refused() {
    let good = Energies { q: "x y", f: "u v", s: "s", sigma: &["x"], ..Energies::default() };
    let check =
        |energies: Energies| energies.model().equations(EquationForm::Index3).map(|_| ()).unwrap_err();
    assert!(good.model().equations(EquationForm::Index3).is_ok());
    let length = |what, have, want| LagrangianError::Length { what, have, want };
    assert_eq!(check(Energies { f: "u", ..good }), length("FlowVariables", 1, 2));
    assert_eq!(check(Energies { applied: &["1"], ..good }), length("GeneralizedEfforts", 1, 2));
    assert_eq!(check(Energies { efforts: "a b", gamma: &["a"], ..good }), length("EffortConstraints", 1, 2));
    assert_eq!(check(Energies { sigma: &[], ..good }), length("DynamicConstraints", 0, 1));
    let nonlinear = |constraint, flow: &str| LagrangianError::Nonlinear { constraint, flow: flow.into() };
    assert_eq!(check(Energies { psi: &["u", "u*v - 1"], ..good }), nonlinear(1, "v"));
    assert_eq!(check(Energies { psi: &["sin(u)"], ..good }), nonlinear(0, "u"));
    let forbidden = |what, index, name: &str| LagrangianError::Forbidden { what, index, name: name.into() };
    assert_eq!(check(Energies { kinetic: "s*u^2", ..good }), forbidden("KineticCoEnergy", 0, "s"));
    assert_eq!(check(Energies { potential: "x*v", ..good }), forbidden("PotentialEnergy", 0, "v"));
    assert_eq!(check(Energies { dissipation: "s*u^2", ..good }), forbidden("DissipationFunction", 0, "s"));
    let phi = Energies { phi: &["x", "y - u"], ..good };
    assert_eq!(check(phi), forbidden("DisplacementConstraints", 1, "u"));
    assert_eq!(check(Energies { psi: &["u - s"], ..good }), forbidden("FlowConstraints", 0, "s"));
    // Names of multipliers stay clear of those of the model.
    let model = Energies { q: "x lambda1", phi: &["x - lambda1 + nu1"], ..good }.model();
    assert_eq!(model.multiplier_names(), [vec!["lambda1_"], vec![], vec!["nu1_"]] as [Vec<&str>; 3]);
}
