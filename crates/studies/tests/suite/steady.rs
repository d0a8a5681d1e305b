//! Starts in steady rotation: rotors with blades, motors with circuits, governors, gears, free beams.

use crate::starts::{end, model, run};
use poinsot_model::NamedState;
use poinsot_studies::Product;

/// The state of a body.
fn spin(state: &NamedState, body: &str) -> f64 {
    state.nodes.iter().find(|node| node.name == body).unwrap().angular_velocity.z
}

fn started(text: &str) -> Product {
    run(&model(text)).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(text: &str) -> String {
    run(&model(text)).err().expect("refused").to_string()
}

/// Places of all nodes in the axes of a body.
fn seen_from(state: &NamedState, body: &str) -> Vec<[f64; 3]> {
    let seer = state.nodes.iter().find(|node| node.name == body).unwrap();
    let seen = state.nodes.iter().map(|node| seer.rotation.tr_mul(&(node.position - seer.position)));
    seen.map(Into::into).collect()
}

/// The largest change of a place in the axes of a body, over all states that were kept.
fn moved(product: &Product, body: &str) -> f64 {
    let first = seen_from(&product.states[0], body);
    let apart = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f64::max);
    let of = |state: &NamedState| first.iter().zip(&seen_from(state, body)).map(apart).fold(0.0, f64::max);
    product.states[1..].iter().map(of).fold(0.0, f64::max)
}

/// A rotor on a bearing along gravity, with what is put in.
fn rotor(more: &str, study: &str) -> String {
    format!(
        "[[body]]\nname = \"rotor\"\nmass = 2\ninertia = [0.01, 0.01, 0.02]\n\
         [[joint]]\nname = \"bearing\"\ntype = \"revolute\"\nbetween = [\"ground\", \"rotor\"]\n\
         at = [0, 0, 0]\naxis = [0, 0, 1]\n{more}\n[study]\n{study}\nend = 10\nstep = 2e-2\n\
         integrator = \"radau\"\nkeep = [0, 5]\n"
    )
}

const CIRCUIT: &str = "[parameters]\nV = 24\nR = 0.5\nL = 1e-3\nk = 0.05\nb = 2e-4\nload = 0.1\n\
    [[equations]]\nname = \"armature\"\nvariables = { i = 0 }\n\
    equations = [\"L*der(i) = V - R*i - k*bearing.rate\"]\nloads = { \"bearing.angle\" = \"k*i\" }\n\
    [[force]]\nname = \"fan\"\ntype = \"torsion\"\njoint = \"bearing\"\ntorque = \"b*rate + load\"\n";

/// ω = (k V − R M)/(k² + R b), i = (b ω + M)/k: from rest, from a wrong speed, with the body named or not.
#[test]
fn a_motor_turns_its_load_as_fast_as_torques_balance() {
    let omega = (0.05 * 24.0 - 0.5 * 0.1) / (0.05_f64.powi(2) + 0.5 * 2e-4);
    let current = (2e-4 * omega + 0.1) / 0.05;
    for (start, spinning) in [("{ steady = \"rotor\" }", 0.0), ("\"steady\"", 0.0), ("\"steady\"", 100.0)] {
        let text = rotor(CIRCUIT, &format!("initial = {start}")).replacen(
            "mass = 2\n",
            &format!("mass = 2\nangular_velocity = [0, 0, {spinning}]\n"),
            1,
        );
        let product = started(&text);
        for state in &product.states {
            let (w, i) = (spin(state, "rotor"), state.variables[0].values[0]);
            assert!((w - omega).abs() < 1e-9 * omega, "{w} at {} s from {spinning}", state.time);
            assert!((i - current).abs() < 1e-9 * current, "{i} at {} s", state.time);
        }
        let initial = product.summary.common().initial.clone().unwrap();
        assert!(initial.facts.iter().any(|fact| fact.contains("torques balance")), "{initial:?}");
    }
}

/// A fan whose torque grows with the square of the speed, driven by a constant torque: from rest there is no
/// slope, and a damped run finds the speed.
#[test]
fn a_fan_runs_up_from_rest() {
    let fan = "[[force]]\nname = \"fan\"\ntype = \"torsion\"\njoint = \"bearing\"\n\
        torque = \"1e-3*rate*abs(rate) - 0.4\"\n";
    let product = started(&rotor(fan, "initial = { steady = \"rotor\" }"));
    for state in &product.states {
        let w = spin(state, "rotor");
        assert!((w - 20.0).abs() < 1e-8, "{w} at {} s", state.time);
    }
}

/// A controller with an integral holds its speed exactly; its own variable is what holds the load.
#[test]
fn a_controller_holds_its_speed() {
    let controlled = "[[equations]]\nname = \"controller\"\nvariables = { sum = 0 }\n\
        equations = [\"der(sum) = 30 - bearing.rate\"]\n\
        loads = { \"bearing.angle\" = \"0.5*(30 - bearing.rate) + 0.2*sum\" }\n\
        [[force]]\nname = \"drag\"\ntype = \"torsion\"\njoint = \"bearing\"\ntorque = \"0.01*rate\"\n";
    let product = started(&rotor(controlled, "initial = { steady = \"rotor\" }"));
    for state in &product.states {
        assert!((spin(state, "rotor") - 30.0).abs() < 1e-9);
        assert!((state.variables[0].values[0] - 0.3 / 0.2).abs() < 1e-9);
    }
}

/// Where no speed is steady it says so, with what remains.
#[test]
fn no_speed_is_steady_where_nothing_balances_the_torque() {
    let push = "[[force]]\nname = \"push\"\ntype = \"torsion\"\njoint = \"bearing\"\ntorque = \"-0.4\"\n";
    let error = refusal(&rotor(push, "initial = { steady = \"rotor\" }"));
    assert!(error.contains("2.000e1 rad/s²") && error.contains("do not depend on the speed"), "{error}");
}

/// Losses alone leave no speed but zero.
#[test]
fn losses_alone_lead_to_rest() {
    let drag =
        "[[force]]\nname = \"drag\"\ntype = \"torsion\"\njoint = \"bearing\"\ntorque = \"0.01*rate\"\n";
    let text = rotor(drag, "initial = \"steady\"").replacen(
        "mass = 2\n",
        "mass = 2\nangular_velocity = [0, 0, 9]\n",
        1,
    );
    let product = started(&text);
    assert!(product.states.iter().all(|state| spin(state, "rotor").abs() < 1e-12));
    let initial = product.summary.common().initial.clone().unwrap();
    assert!(initial.from.contains("no other speed than zero"), "{initial:?}");
}

/// A body that can turn about several axes must say which; one that cannot turn is told.
#[test]
fn an_axis_must_be_known() {
    let ball = rotor("", "initial = { steady = \"rotor\" }")
        .replace("type = \"revolute\"", "type = \"spherical\"")
        .replace("axis = [0, 0, 1]\n", "");
    let error = refusal(&ball);
    assert!(error.contains("3 axes") && error.contains("angular_velocity"), "{error}");
    let fixed = rotor("", "initial = { steady = \"rotor\" }")
        .replace("type = \"revolute\"", "type = \"fixed\"")
        .replace("axis = [0, 0, 1]\n", "");
    assert!(refusal(&fixed).contains("0 axes"));
}

/// Flexible blades on a hub that a motor with a circuit turns: speed, current and shape are unknowns, and
/// nothing moves in the axes of the hub for ten seconds.
#[test]
fn blades_on_a_motor_rest_in_their_axes() {
    let blade = |name: &str, sign: &str| {
        format!(
            "[[beam]]\nname = \"{name}\"\nfrom = [\"{sign}0.2\", 0, 0]\nto = [\"{sign}2.2\", 0, 0]\naxis1 = [0, 0, 1]\n\
             elements = 2\norder = 2\nstart = {{ type = \"fixed\", to = \"rotor\" }}\n\
             section = {{ type = \"rectangle\", width = 0.02, height = 0.1, young = 5e9, poisson = 0.3, density = 1500 }}\n"
        )
    };
    let circuit = CIRCUIT
        .replace("V = 24", "V = 0.3")
        .replace("b = 2e-4", "b = 1e-3")
        .replace("load = 0.1", "load = 0");
    let more = format!("{circuit}{}{}", blade("one", ""), blade("two", "-"));
    let text = rotor(&more, "initial = { steady = \"rotor\" }").replace("step = 2e-2", "step = 2e-3");
    let product = started(&text);
    let omega = 0.3 * 0.05 / (0.05_f64.powi(2) + 0.5 * 1e-3);
    for state in &product.states {
        assert!((spin(state, "rotor") - omega).abs() < 1e-8 * omega, "{}", spin(state, "rotor"));
    }
    let far = moved(&product, "rotor");
    assert!(far < 1e-9 * 4.4, "{far:e}");
    let tips = seen_from(&product.states[0], "rotor");
    assert!(tips.iter().any(|place| place[2] < -0.01), "the blades sag: {tips:?}");
}

const GOVERNOR: &str = include_str!("../../../../examples/governor.toml");

/// The Porter governor with its motor after the run-up: speed, height and angle of the arms.
#[test]
fn a_governor_starts_at_its_speed() {
    let (text, _) = GOVERNOR.split_once("[study]").unwrap();
    let text = format!(
        "{text}[study]\ninitial = {{ steady = \"shaft\" }}\nstart = 2\nend = 4\nstep = 1e-3\n\
         integrator = \"radau\"\nkeep = [2, 3]\n"
    );
    let product = started(&text);
    let height = -2.0 * 2.3 * 9.81 / (0.8 * 13.0 * 13.0);
    for state in &product.states {
        let sleeve = state.nodes.iter().find(|node| node.name == "sleeve").unwrap();
        assert!((sleeve.position.z - height).abs() < 1e-9, "{} at {} s", sleeve.position.z, state.time);
        assert!((spin(state, "shaft") - 13.0).abs() < 1e-9);
    }
    assert!(moved(&product, "shaft") < 1e-9);
}

/// Two shafts in gear: a motor on the one, a load on the other.
#[test]
fn gears_turn_at_their_ratio() {
    let more = "[[body]]\nname = \"wheel\"\nmass = 3\ninertia = [0.03, 0.03, 0.05]\nposition = [0.3, 0, 0]\n\
        [[joint]]\nname = \"second\"\ntype = \"revolute\"\nbetween = [\"ground\", \"wheel\"]\nat = [0.3, 0, 0]\n\
        axis = [0, 0, 1]\n[[coupling]]\nname = \"mesh\"\ntype = \"linear\"\n\
        terms = [{ coordinate = \"bearing.angle\", factor = 1 }, { coordinate = \"second.angle\", factor = 2 }]\n\
        [[force]]\nname = \"motor\"\ntype = \"torsion\"\njoint = \"bearing\"\ntorque = \"-3*(1 - rate/300)\"\n\
        [[force]]\nname = \"load\"\ntype = \"torsion\"\njoint = \"second\"\ntorque = \"0.1*rate\"\n";
    for named in ["rotor", "wheel"] {
        let product = started(&rotor(more, &format!("initial = {{ steady = \"{named}\" }}")));
        let omega = 3.0 / (0.01 + 0.1 / 4.0);
        for state in &product.states {
            assert!((spin(state, "rotor") - omega).abs() < 1e-9 * omega, "{}", spin(state, "rotor"));
            assert!((spin(state, "wheel") + omega / 2.0).abs() < 1e-9 * omega);
        }
    }
}

const PLANETS: &str = include_str!("../../../../examples/planetary_gear.toml");

/// A planetary gear with two free speeds: motor, fan and a brake that slips.
#[test]
fn planets_turn_on_their_carrier() {
    let (text, _) = PLANETS.split_once("[study]").unwrap();
    let text = format!(
        "{text}[study]\ninitial = {{ steady = \"carrier\" }}\nend = 1\nstep = 1e-3\nintegrator = \"radau\"\n\
         keep = [0]\n"
    );
    let product = started(&text);
    // Torques on sun, ring and carrier are as 24 : 60 : −84.
    let (mut low, mut high) = (0.0, 0.2);
    for _ in 0..200 {
        let f: f64 = 0.5 * (low + high);
        let (sun, ring) = (300.0 * (1.0 - 24.0 * f / 3.0), -60.0 * f / 5.0);
        let carrier = (84.0 * f / 2e-3).sqrt();
        *(if 24.0 * sun + 60.0 * ring > 84.0 * carrier { &mut low } else { &mut high }) = f;
    }
    let sun = 300.0 * (1.0 - 24.0 * low / 3.0);
    for state in &product.states {
        assert!((spin(state, "sun") - sun).abs() < 1e-7 * sun, "{} {sun}", spin(state, "sun"));
        assert!((spin(state, "ring") + 60.0 * low / 5.0).abs() < 1e-7 * sun, "{}", spin(state, "ring"));
    }
    assert!(end(&product).nodes.iter().any(|node| node.name == "planet1"));
}

/// A free beam that spins about its middle is stretched and stays so.
#[test]
fn a_free_beam_spins_stretched() {
    let text = "[model]\ngravity = [0, 0, 0]\n[[beam]]\nname = \"beam\"\nfrom = [-1, 0, 0]\nto = [1, 0, 0]\n\
        elements = 4\norder = 2\nvelocity = [0, -40, 0]\nangular_velocity = [0, 0, 40]\n\
        section = { type = \"rectangle\", width = 0.02, height = 0.05, young = 1e9, poisson = 0.3, density = 1500 }\n\
        [study]\ninitial = \"steady\"\nend = 10\nstep = 1e-3\nintegrator = \"radau\"\nkeep = [0, 3, 7]\n";
    let product = started(text);
    let node = product.states[0].nodes[0].name.clone();
    let far = moved(&product, &node);
    assert!(far < 1e-9 * 2.0, "{far:e}");
    let x: Vec<f64> = product.states[0].nodes.iter().map(|node| node.position.norm()).collect();
    // u = ρ Ω² L³/(3 E) of a bar that is held in the middle.
    let stretch = 1500.0 * 40.0_f64.powi(2) / 3e9;
    let longest = x.iter().copied().fold(0.0, f64::max);
    assert!((longest - 1.0 - stretch).abs() < 0.01 * stretch, "{longest}");
}
