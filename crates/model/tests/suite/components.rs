//! Networks of components against closed forms and the reference values of lagrangian-dae-modeling.

use crate::energy;

use energy::{Record, run};
use poinsot_model::Model;
use poinsot_studies::load_str;

/// A model from its text; warnings only where they are expected.
fn model(text: &str) -> Model {
    match load_str("network.ldae", text, &[]) {
        Ok((model, warnings)) => {
            assert!(warnings.is_empty(), "{warnings:?}");
            model
        }
        Err(error) => panic!("{}", error.render(false)),
    }
}

/// Runs with one flow for each branch and with independent flows.
fn both(text: &str, tolerance: f64, times: &[f64]) -> [Record; 2] {
    ["", "\nFlows = independent;\n"]
        .map(|choice| run(&model(&format!("{text}{choice}")), Some(tolerance), times))
}

fn near(have: f64, want: f64, bound: f64) {
    assert!((have - want).abs() <= bound, "{have:.15e}, not {want:.15e}: {:e}", have - want);
}

/// VC-6.11: q = C v (1 − exp(−t/RC)).
#[test]
fn rc_step() {
    let text = "
        V1 = voltage_source(in, ground, v = 3);
        R1 = resistor(in, out, R = 5 [kohm]);
        C1 = capacitor(out, ground, C = 1 [uF]);
        FinalTime = 0.05;";
    for record in both(text, 1e-12, &[0.005, 0.05]) {
        near(record.at(0.005, "C1.q"), 1.896361676e-6, 1e-14);
        near(record.at(0.05, "C1.q"), 2.999863800e-6, 1e-14);
        near(record.at(0.005, "out.v"), 3.0 * (1.0 - (-1f64).exp()), 1e-8);
        near(record.at(0.05, "R1.i"), 3.0 / 5e3 * (-10f64).exp(), 1e-11);
        near(record.at(0.05, "V1.i"), record.at(0.05, "C1.i"), 1e-15);
    }
}

/// VC-6.14, half-wave rectifier with filter.
#[test]
fn half_wave_filter() {
    let text = "
        V1 = voltage_source(a, ground, v = 12*sin(120*pi*t));
        R1 = resistor(a, b, R = 8);
        D1 = diode(b, c, Is = 1e-12, alpha = 40);
        C1 = capacitor(c, ground, C = 3900 [uF]);
        R2 = resistor(c, ground, R = 48);
        v_out = R2.R*R2.i;
        FinalTime = 0.3;";
    for record in both(text, 1e-10, &[0.05, 0.1, 0.2, 0.3]) {
        for (t, want) in [(0.05, 3.47937532), (0.1, 4.89757368), (0.2, 5.80594002), (0.3, 5.99900192)] {
            near(record.at(t, "v_out"), want, 1e-6);
            near(record.at(t, "c.v"), want, 1e-6);
        }
    }
}

/// B11, a ladder of inductors and capacitors with a load.
#[test]
fn lc_ladder() {
    let text = "
        V1 = voltage_source(n1, ground, v = 1);
        L1 = inductor(n1, n2, L = 1 [mH]);
        C1 = capacitor(n2, ground, C = 1 [uF]);
        L2 = inductor(n2, n3, L = 1 [mH]);
        C2 = capacitor(n3, ground, C = 1 [uF]);
        R1 = resistor(n3, ground, R = 50);
        FinalTime = 1 [ms];";
    for record in both(text, 1e-12, &[1e-4, 5e-4, 1e-3]) {
        near(record.at(1e-4, "L1.i"), 0.031406957, 1e-9);
        near(record.at(1e-4, "L2.i"), 0.037750597, 1e-9);
        near(record.at(1e-4, "C1.q"), 1.031287997e-6, 1e-14);
        near(record.at(1e-4, "C2.q"), 1.045756833e-6, 1e-14);
        near(record.at(5e-4, "L1.i"), 0.019989234, 1e-9);
        near(record.at(1e-3, "L2.i"), 0.020128567, 1e-9);
        near(record.at(1e-3, "n3.v"), 1.014226596, 1e-8);
    }
}

/// VC-6.9: a motor whose voltage a PI controller gives.
#[test]
fn motor_with_controller() {
    let text = "
        Kp = -100; Ki = -10; theta_d = 1;
        M1 = dc_motor(a, ground, shaft, K = 1, R = 100, L = 0.001, J = 0.1, b = 3);
        V1 = voltage_source(a, ground, v = Kp*(shaft.theta - theta_d) + Ki*s);
        DynamicVariables = [s];
        DynamicConstraints = [shaft.theta - theta_d];
        InitialDynamic = [0];
        FinalTime = 20;";
    for record in both(text, 1e-10, &[0.1, 1.0, 20.0]) {
        record.compare(
            &["M1.theta", "M1.i", "shaft.w", "s", "M1.q", "V1.v"],
            &[
                &[0.1, 0.022668628, 0.984108067, 0.313502460, -0.099095181, 0.099356129, 98.724089055],
                &[1.0, 0.289985652, 0.792782100, 0.266439345, -0.854301976, 0.896600890, 79.544454574],
                &[20.0, 1.076708514, -0.029128375, -0.009732177, -0.474828369, 3.229152323, -2.922567666],
            ],
            1e-7,
        );
    }
}

/// VC-6.15, the transistor amplifier.
#[test]
fn transistor_amplifier() {
    let text = "
        v1 = 12;
        V1 = voltage_source(supply, ground, v = v1);
        V2 = voltage_source(signal, ground, v = 0.001*sin(2000*pi*t));
        R0 = resistor(signal, n1, R = 1 [kohm]);
        C1 = capacitor(n1, base, C = 10 [uF], q0 = 10e-6*1e3*v1/30e3);
        R1 = resistor(supply, base, R = 30 [kohm]);
        R2 = resistor(base, ground, R = 5.5 [kohm]);
        RC = resistor(supply, collector, R = 2 [kohm]);
        RE = resistor(emitter, ground, R = 0.5 [kohm]);
        C2 = capacitor(emitter, ground, C = 100 [uF]);
        C3 = capacitor(collector, out, C = 10 [uF], q0 = -10e-6*10e3*v1/2e3);
        R3 = resistor(out, ground, R = 10 [kohm]);
        Q1 = bjt(collector, base, emitter, IES = 14.34e-15, AF = 170/171, AR = 0.05, alpha = 40);
        FinalTime = 0.05;";
    for record in both(text, 1e-8, &[0.01, 0.05]) {
        record.compare(
            &["out.v", "collector.v", "base.v"],
            &[&[0.01, 55.20266077, 0.95946288, 0.30168221], &[0.05, 36.68179677, 0.54664558, 1.00272535]],
            1e-6,
        );
    }
}

/// VC-3.21: L Q̇2 + R Q4 = P, R Q̇4 = (Q2 − Q4)/C, written by hand and by components.
#[test]
fn pump_pipe_tank_valve() {
    let by_hand = "
        If = 2e6; Cf = 1e-5; Rf = 4e5; P = 1e4; V30 = 0.02;
        DisplacementVariables = [V2, V4]; FlowVariables = [Q2, Q4];
        KineticCoEnergy = If*Q2*Q2/2;
        PotentialEnergy = (V2 - V4 + V30)^2/(2*Cf);
        DissipationFunction = Rf*Q4*Q4/2;
        GeneralizedEfforts = [P, 0];
        InitialDisplacements = [0, 0]; InitialFlows = [0, V30/Cf/Rf];
        FinalTime = 20;";
    let text = "
        P1 = pump(a, ground, P = 10 [kPa]);
        I1 = pipe(a, b, I = 2e6);
        T1 = tank(b, C = 1e-5, V0 = 20 [l]);
        R1 = valve(b, ground, R = 4e5);
        FinalTime = 20;";
    let times = [1.0, 5.0, 20.0];
    let want = run(&model(by_hand), Some(1e-11), &times);
    for record in both(text, 1e-11, &times) {
        for t in times {
            near(record.at(t, "I1.Q"), want.at(t, "Q2"), 1e-8);
            near(record.at(t, "R1.Q"), want.at(t, "Q4"), 1e-8);
            near(record.at(t, "T1.V"), want.at(t, "V2") - want.at(t, "V4") + 0.02, 1e-8);
            near(record.at(t, "b.P"), 4e5 * want.at(t, "Q4"), 1e-2);
        }
    }
}

/// VC-3.22 with constant pressure: √(P − V/C) falls by t/(2 C √R).
#[test]
fn two_tanks_with_an_orifice() {
    let text = "
        P1 = pump(a, ground, P = 2e4);
        T1 = tank(a, C = 1e-5, V0 = 0.2);
        O1 = orifice(a, b, R = 1e6);
        T2 = tank(b, C = 2e-5);
        FinalTime = 4;";
    let (pressure, c, r) = (2e4f64, 2e-5f64, 1e6f64);
    for record in both(text, 1e-11, &[1.0, 4.0]) {
        for t in [1.0, 4.0] {
            let root = pressure.sqrt() - t / (2.0 * c * r.sqrt());
            near(record.at(t, "T2.V"), c * (pressure - root * root), 1e-8);
            near(record.at(t, "T1.V"), 0.2, 1e-9);
        }
    }
}

/// T1 − T2 decays with (1/C1 + 1/C2)/R; energy stays and entropy grows.
#[test]
fn conduction_between_two_bodies() {
    let text = "
        B1 = thermal_capacity(a, C = 2, T0 = 400);
        B2 = thermal_capacity(b, C = 3, T0 = 300);
        K1 = thermal_resistance(a, b, R = 0.5);
        energy = B1.C*B1.T0*(exp(B1.S/B1.C) - 1) + B2.C*B2.T0*(exp(B2.S/B2.C) - 1);
        entropy = B1.S + B2.S;
        FinalTime = 10;";
    let times: Vec<f64> = (1..=40).map(|k| 0.25 * f64::from(k)).collect();
    for record in both(text, 1e-10, &times) {
        let mut last = 0.0;
        for &t in &times {
            let difference = 100.0 * (-t * (1.0 / 2.0 + 1.0 / 3.0) / 0.5).exp();
            near(record.at(t, "K1.T1") - record.at(t, "K1.T2"), difference, 1e-5);
            near(record.at(t, "K1.T1"), 340.0 + 0.6 * difference, 1e-5);
            near(record.at(t, "b.T"), 340.0 - 0.4 * difference, 1e-5);
            near(record.at(t, "energy"), 0.0, 1e-5);
            assert!(record.at(t, "entropy") >= last - 1e-9);
            last = record.at(t, "entropy");
        }
        near(last, 2.0 * (340f64 / 400.0).ln() + 3.0 * (340f64 / 300.0).ln(), 1e-6);
    }
}

/// A body that a heater warms and a bath cools: T = T∞ + (T0 − T∞) exp(−t/RC), T∞ = T_bath + R Q.
#[test]
fn heater_and_bath() {
    let text = "
        B1 = thermal_capacity(a, C = 10, T0 = 20 [degC]);
        H1 = heat_source(a, Q = 50);
        K1 = thermal_resistance(a, bath, R = 0.4);
        T1 = temperature_source(bath, T = 10 [degC]);
        FinalTime = 8;";
    for record in both(text, 1e-10, &[1.0, 8.0]) {
        for t in [1.0, 8.0f64] {
            near(record.at(t, "a.T"), 303.15 + (293.15 - 303.15) * (-t / 4.0).exp(), 1e-5);
        }
    }
}

/// x = x0 cos ωt, and the energy of a circuit of the same kind stays.
#[test]
fn oscillators_keep_their_energy() {
    let text = "
        m1 = mass(cart, m = 2, x0 = 0.1);
        k1 = spring(ground, cart, k = 8);
        L1 = inductor(a, ground, L = 0.5);
        C1 = capacitor(a, ground, C = 2, v0 = 3);
        mechanical = m1.m*m1.v^2/2 + k1.k*k1.x^2/2;
        electrical = L1.L*L1.i^2/2 + C1.q^2/(2*C1.C);
        FinalTime = 10;";
    let times = [1.0, 5.0, 10.0];
    for record in both(text, 1e-11, &times) {
        for t in times {
            near(record.at(t, "cart.x"), 0.1 * (2.0 * t).cos(), 1e-8);
            near(record.at(t, "k1.v"), -0.2 * (2.0 * t).sin(), 1e-8);
            near(record.at(t, "C1.q"), 6.0 * t.cos(), 1e-8);
            near(record.at(t, "mechanical"), 0.04, 1e-9);
            near(record.at(t, "electrical"), 9.0, 1e-8);
        }
    }
}

/// A mass on a spring with a damper between moving points, and gravity: x → −m g/k.
#[test]
fn damped_mass_under_gravity() {
    let text = "
        M = mass(a, m = 0.3, g = 9.8, x0 = 1 [cm]);
        K = spring(ground, a, k = 45);
        B = damper(ground, a, b = 0.75);
        FinalTime = 3;";
    let record = run(&model(text), Some(1e-11), &[1.0, 3.0]);
    let (omega, zeta) = (150f64.sqrt(), 0.75 / (2.0 * (0.3f64 * 45.0).sqrt()));
    let rest = -0.3 * 9.8 / 45.0;
    for t in [1.0, 3.0] {
        let damped = omega * (1.0 - zeta * zeta).sqrt();
        let shape = (damped * t).cos() + zeta * omega / damped * (damped * t).sin();
        near(record.at(t, "a.x"), rest + (0.01 - rest) * (-zeta * omega * t).exp() * shape, 1e-8);
    }
}

/// Transmissions: a torque through a gear, a rack and a lever moves J r-reduced masses with constant
/// acceleration.
#[test]
fn gear_rack_and_lever() {
    let text = "
        T1 = torque(a, ground, tau = 3);
        J1 = inertia(a, J = 0.2);
        G1 = gear(a, b, r1 = 0.1, r2 = 0.3);
        J2 = inertia(b, J = 0.9);
        Z1 = rack(b, bar, r = 0.5);
        M1 = mass(bar, m = 4);
        H1 = lever(bar, end, l1 = 1, l2 = 2);
        M2 = mass(end, m = 1.5);
        FinalTime = 2;";
    let record = run(&model(text), Some(1e-10), &[2.0]);
    // w_b = −w_a/3, v = −0.5 w_b, v_end = −2 v.
    let reduced = 0.2 + (0.9 + 0.25 * (4.0 + 4.0 * 1.5)) / 9.0;
    let w = 3.0 * 2.0 / reduced;
    near(record.at(2.0, "a.w"), w, 1e-8);
    near(record.at(2.0, "b.theta"), -w / 3.0, 1e-8);
    near(record.at(2.0, "M1.v"), w / 6.0, 1e-8);
    near(record.at(2.0, "end.x"), -2.0 * (w / 6.0), 1e-7);
}

/// A shaft with torsion spring and bearing, driven at one end: θ_b follows a ramp with a steady lag (b/k) w.
#[test]
fn driven_shaft() {
    let text = "
        W1 = speed_source(a, ground, w = 2);
        K1 = torsion_spring(a, b, k = 50);
        J1 = inertia(b, m = 4, r = 0.5, w0 = 2);
        B1 = torsion_damper(ground, b, b = 5);
        FinalTime = 20;";
    let record = run(&model(text), Some(1e-10), &[20.0]);
    near(record.at(20.0, "K1.theta"), -5.0 * 2.0 / 50.0, 1e-8);
    near(record.at(20.0, "b.theta"), 40.0 - 0.2, 1e-7);
    near(record.at(20.0, "J1.w"), 2.0, 1e-8);
}

/// Friction stops a sliding mass after v0²/(2 μ g) nearly; a force and a velocity source move others.
#[test]
fn friction_force_and_velocity_source() {
    let text = "
        M1 = mass(a, m = 2, v0 = 3);
        F1 = friction(ground, a, mu = 0.4, N = 2*9.81, v_s = 1e-4);
        M2 = mass(b, m = 2);
        F2 = force(b, ground, F = 3*t);
        U1 = velocity_source(c, ground, v = cos(t));
        K1 = spring(c, d, k = 1);
        M3 = mass(d, m = 1, x0 = 0);
        FinalTime = 2;";
    let record = run(&model(text), Some(1e-9), &[0.5, 2.0]);
    near(record.at(0.5, "a.v"), 3.0 - 0.4 * 9.81 * 0.5, 1e-6);
    near(record.at(2.0, "a.x"), 9.0 / (2.0 * 0.4 * 9.81), 1e-3);
    near(record.at(2.0, "b.x"), 3.0 / 2.0 * 8.0 / 6.0, 1e-8);
    // d̈ + d = sin t from rest: d = (sin t − t cos t)/2.
    near(record.at(2.0, "d.x"), (2f64.sin() - 2.0 * 2f64.cos()) / 2.0, 1e-7);
}

/// v2 = (N2/N1) v1, i2 = −(N1/N2) i1 into a load.
#[test]
fn transformer_with_load() {
    let text = "
        V1 = voltage_source(a, ground, v = 10*cos(3*t));
        T1 = transformer(a, ground, b, ground, N1 = 100, N2 = 500);
        R1 = resistor(b, ground, R = 25);
        FinalTime = 1;";
    for record in both(text, 1e-10, &[1.0]) {
        let v = 10.0 * 3f64.cos();
        near(record.at(1.0, "R1.i"), 5.0 * v / 25.0, 1e-8);
        near(record.at(1.0, "T1.i1"), 5.0 * 5.0 * v / 25.0, 1e-8);
        near(record.at(1.0, "T1.i2"), -5.0 * v / 25.0, 1e-8);
    }
}

/// An inverting amplifier: −R2/R1 but for 1/gain (1 + R2/R1).
#[test]
fn operational_amplifier() {
    let text = "
        V1 = voltage_source(in, ground, v = sin(t));
        R1 = resistor(in, minus, R = 1 [kohm]);
        R2 = resistor(minus, out, R = 10 [kohm]);
        A1 = op_amp(ground, minus, out, gain = 1e5);
        R3 = resistor(out, ground, R = 2 [kohm]);
        FinalTime = 1;";
    let record = run(&model(text), Some(1e-10), &[1.0]);
    let gain = -10.0 / (1.0 + 11.0 / 1e5);
    near(record.at(1.0, "out.v"), gain * 1f64.sin(), 1e-6);
}

/// VC-1.p14, operating points of a diode behind a resistor.
#[test]
fn diode_and_resistor() {
    for (is, rows) in [
        (
            "1e-12",
            [
                (1.0, 0.609690518, 0.039030948),
                (5.0, 0.669850950, 0.433014905),
                (10.0, 0.688990838, 0.931100916),
            ],
        ),
        (
            "1e-16",
            [
                (1.0, 0.820526252, 0.017947375),
                (5.0, 0.898751695, 0.410124831),
                (10.0, 0.918625050, 0.908137495),
            ],
        ),
    ] {
        let text = format!(
            "V1 = voltage_source(a, ground, v = t); R1 = resistor(a, b, R = 10);
             D1 = diode(b, ground, Is = {is}, alpha = 40); FinalTime = 10;"
        );
        for record in both(&text, 1e-10, &[1.0, 5.0, 10.0]) {
            for (t, v, i) in rows {
                near(record.at(t, "D1.v"), v, 1e-8);
                near(record.at(t, "D1.i"), i, 1e-8);
            }
        }
    }
}

/// A PNP transistor upside down does what an NPN does.
#[test]
fn pnp_mirrors_npn() {
    let stage = |polarity: i32| {
        format!(
            "V1 = voltage_source(s, ground, v = {polarity}*10); V2 = voltage_source(g, ground, v = {polarity}*t);
             RB = resistor(g, b, R = 1e5); RC = resistor(s, c, R = 1e3);
             Q1 = bjt(c, b, ground, polarity = {polarity}, IES = 1e-12, AF = 0.99, AR = 0.5); FinalTime = 2;"
        )
    };
    let [npn, pnp] = [1, -1].map(|polarity| run(&model(&stage(polarity)), Some(1e-10), &[2.0]));
    for name in ["c.v", "Q1.ic", "Q1.ie", "Q1.vbe"] {
        near(npn.at(2.0, name), -pnp.at(2.0, name), 1e-9);
    }
    // Active: ic = β ib.
    let ib = npn.at(2.0, "Q1.ie") - npn.at(2.0, "Q1.ic");
    near(npn.at(2.0, "Q1.ic"), 99.0 * ib, 1e-8);
    near(npn.at(2.0, "c.v"), 10.0 - 1e3 * npn.at(2.0, "Q1.ic"), 1e-8);
}

/// A current source charges a capacitor, a flow source fills a tank: in straight lines.
#[test]
fn flow_sources() {
    let text = "
        I1 = current_source(a, ground, i = 2 [mA]);
        C1 = capacitor(a, ground, C = 100 [uF], v0 = 1);
        Q1 = flow_source(b, ground, Q = 6 [l/min]);
        T1 = tank(b, A = 0.5 [m^2], h0 = 0.2);
        FinalTime = 0.5;";
    for record in both(text, 1e-11, &[0.5]) {
        near(record.at(0.5, "a.v"), 1.0 + 2e-3 * 0.5 / 100e-6, 1e-8);
        near(record.at(0.5, "T1.V"), 0.1 + 1e-4 * 0.5, 1e-12);
        near(record.at(0.5, "b.P"), 1000.0 * 9.81 * (0.1 + 5e-5) / 0.5, 1e-6);
    }
}

/// A press lifts a mass with A P, and fluid_transformer multiplies pressure.
#[test]
fn press_and_fluid_transformer() {
    let text = "
        P1 = pump(a, ground, P = 1e5);
        Z1 = press(a, ground, rod, A = 0.01);
        M1 = mass(rod, m = 50, g = 9.81);
        P2 = pump(c, ground, P = 2e4);
        F1 = fluid_transformer(c, d, A1 = 0.04, A2 = 0.01);
        I1 = pipe(d, ground, I = 1e6);
        FinalTime = 1;";
    let record = run(&model(text), Some(1e-10), &[1.0]);
    near(record.at(1.0, "rod.v"), 1e5 * 0.01 / 50.0 - 9.81, 1e-7);
    near(record.at(1.0, "Z1.Q"), 0.01 * (20.0 - 9.81), 1e-8);
    near(record.at(1.0, "d.P"), 8e4, 1e-3);
    near(record.at(1.0, "I1.Q"), 8e4 / 1e6, 1e-9);
}

/// A check valve lets fluid through one way.
#[test]
fn check_valve_rectifies() {
    let text = "
        P1 = pump(a, ground, P = 1e5*sin(2*pi*t));
        R1 = valve(a, b, R = 1e6);
        V1 = check_valve(b, c);
        T1 = tank(c, C = 1e-5);
        FinalTime = 2;";
    let record = run(&model(text), Some(1e-9), &[0.25, 0.75, 2.0]);
    near(record.at(0.75, "V1.Q"), -1e-9, 1e-10);
    assert!(record.at(0.25, "V1.Q") > 0.01);
    assert!(record.at(2.0, "T1.V") > record.at(0.25, "T1.V"));
    let open = record.at(0.25, "V1.Q");
    near(record.at(0.25, "V1.P"), (open / 1e-9 + 1.0).ln() / 1e-3, 1e-2);
}

/// VC-6.18, open loop: a magnet lets its load fall.
#[test]
fn solenoid_suspension() {
    let text = "
        g = 9.8; m = 0.1; gap = 1e-3;
        i0 = sqrt(2*m*g*(1e-5 + gap)^2/0.03);
        V1 = voltage_source(a, ground, v = 10*i0);
        S1 = solenoid(a, ground, load, g0 = 0.03, g1 = 1e-5, R = 10, i0 = i0);
        M1 = mass(load, m = m, g = -g, x0 = 1.1e-3);
        FinalTime = 0.2;";
    for record in both(text, 1e-11, &[0.01, 0.05, 0.1, 0.2]) {
        for (t, x) in [(0.01, 1.184319e-3), (0.05, 3.231412e-3), (0.1, 0.010273188), (0.2, 0.055184698)] {
            near(record.at(t, "load.x"), x, 1e-9);
        }
        near(record.at(0.1, "load.v"), 0.205269064, 1e-8);
        near(record.at(0.1, "S1.i"), 0.068643615, 1e-8);
    }
}
