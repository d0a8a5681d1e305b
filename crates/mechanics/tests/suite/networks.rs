//! First-order equations beside the mechanics: exact derivatives against differences, rates, matching,
//! consistent values.

use crate::random;

use poinsot_expr::{Engine, Expr, Function, SmoothFunction};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::beams::{LoadAxes, StateLoad, StateMoment};
use poinsot_mechanics::forces::{Governed, PointForce, Torque};
use poinsot_mechanics::joints::{Attachment, cylindrical, revolute};
use poinsot_mechanics::*;
use random::Random;

impl Random {
    fn numbers(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

/// y, ẏ, r, t as the functions below call them.
const NAMES: [&str; 14] = ["a", "b", "c", "d", "da", "db", "dc", "dd", "u", "w", "z", "s", "x", "t"];

fn law(text: &str) -> Function {
    Function::new(&Expr::parse(text).unwrap(), &NAMES, &|_| None).unwrap()
}

fn variable(name: &str, start: f64) -> Variable {
    Variable { name: name.into(), start, nominal: 1.0 }
}

/// Four variables that read two joints and a body and load both joints: two equations with rates, two
/// without.
fn network(rng: &mut Random, hinge: Coordinate, slide: Coordinate, tip: Carried) -> Network {
    let world = Carried::direction(GROUND, rng.vector());
    let spin = Speed::spin(tip.node, world);
    Network {
        name: "circuit".into(),
        variables: ["a", "b", "c", "d"].map(|name| variable(name, rng.next())).into(),
        readings: vec![
            Reading::Coordinate(hinge.clone()),
            Reading::Speed(Speed::Rate(hinge)),
            Reading::Coordinate(Coordinate::component(tip, 2)),
            Reading::Speed(spin),
            Reading::Coordinate(slide),
        ],
        equations: vec![
            law("da*(1 + b^2) + sin(u)*c + w*a*t - x*z"),
            law("db + a*da*s + 0.3*db*cos(d) + z^2*w"),
            law("c + 0.3*sin(c) - a*u - 0.2*w*s + t*z"),
            law("d^3 + d - c*b + cos(t)*x"),
        ],
        loads: vec![Load::along(0, law("a*w + c*sin(u) + t*z")), Load::along(4, law("d*s + b^2*x + a*u"))],
    }
}

/// Two bodies in space: one turns about the ground, the other slides and turns in the first.
fn mechanism(rng: &mut Random) -> System {
    mechanism_on(rng, Engine::default())
}

fn mechanism_on(rng: &mut Random, engine: Engine) -> System {
    let mut b = SystemBuilder::new(rng.vector() * 9.0);
    let mut body = |b: &mut SystemBuilder, name: &str| {
        let start = Frame { r: rng.vector(), rot: rng.rotation() };
        let velocity = Twist { linear: rng.vector(), angular: rng.vector() * 2.0 };
        let node = b.node(name, Chart::Motion, start, velocity);
        let inertia = Mat3::from_diagonal(&Vec3::new(1.1, 1.3, 1.6));
        b.body(Body::new(node, &MassProperties::new(1.5 + rng.next(), rng.vector() * 0.3, inertia)));
        Attachment { node, origin: rng.vector(), axes: rng.rotation() }
    };
    let (first, second) = (body(&mut b, "arm"), body(&mut b, "slide"));
    let ground = Attachment { node: GROUND, origin: rng.vector(), axes: rng.rotation() };
    b.constraint("hinge", Box::new(revolute(&ground, &first)));
    b.constraint("guide", Box::new(cylindrical(&first, &second)));
    let hinge = Coordinate::angle(&ground, &first);
    let slide = Coordinate::displacement(&first, &second);
    add_laws_of_variables(&mut b, &first, &second);
    // The slide follows a variable of the network, and one that follows from its velocities in turn.
    let drive = drives::coordinate_rate(slide.clone(), SmoothFunction::constant(0.3), second.point());
    let spin = drives::angular_velocity(&second, true, [0.1, 0.2, 0.3].map(SmoothFunction::constant));
    let (drive, spin) = (b.constraint("drive", Box::new(drive)), b.constraint("spin", Box::new(spin)));
    b.network_on(network(rng, hinge, slide, second.point()), engine).unwrap();
    b.command(drive, 0, VariableReading { network: 0, variable: 0 });
    b.command(spin, 1, VariableReading { network: 0, variable: 2 });
    b.build()
}

/// Laws of forces and of loads along a beam that read variables, a reaction and a speed.
fn add_laws_of_variables(b: &mut SystemBuilder, first: &Attachment, second: &Attachment) {
    let variable = |variable| VariableReading { network: 0, variable };
    let world = ReadDirection::Carried(Carried::direction(GROUND, Vec3::new(0.6, 0.0, 0.8)));
    let reaction =
        |b: &SystemBuilder| ReactionReading::new(0, b.constraint_law(0), ReactionPart::Force(world));
    let speed = || Reading::Speed(Speed::spin(second.node, first.axis(1)));
    let laws = ["a*p + w^2*d", "sin(a)*t + d*p", "a*d*w"];
    let function =
        |text: &str, names: &[&str]| Function::new(&Expr::parse(text).unwrap(), names, &|_| None).unwrap();
    let names = ["t", "w", "p", "a", "d"];
    let zero = || [0.0; 3].map(Function::constant);
    let elements: [Box<dyn Force>; 2] = [
        Box::new(PointForce::follower(first.node, first.origin, &first.axes, zero())),
        Box::new(Torque::dead(second.node, zero())),
    ];
    for element in elements {
        let efforts = laws.map(|law| function(law, &names));
        let read = (vec![reaction(b)], vec![variable(0), variable(3)]);
        b.force("law", Box::new(Governed::reading(element, vec![speed()], read, &efforts).unwrap()));
    }
    let reference = [0.0, 0.7].map(|z| Frame { r: Vec3::z() * z, rot: Mat3::identity() });
    let section = "t s x y z u v q ax ay az bx by bz cx cy cz";
    let names: Vec<&str> = section.split(' ').chain(["w", "p", "a", "d"]).collect();
    for axes in [LoadAxes::World, LoadAxes::Section] {
        let efforts = ["a*p + w*d*x", "s*a^2 + u*d", "d*cz*p"].map(|law| function(law, &names));
        let read = || (vec![speed()], vec![reaction(b)], vec![variable(0), variable(3)]);
        let (ends, load) = ([*first, *second], read());
        let load = StateLoad::new(&ends, &reference, 0.1, axes, load, &efforts).unwrap();
        let moment = StateMoment::new(&ends, &reference, 0.1, axes, read(), &efforts).unwrap();
        b.force("load", Box::new(load));
        b.force("moment", Box::new(moment));
    }
}

/// A state that was reached from another by increments, with their tangents.
struct Reached {
    base: State,
    delta: Vec<f64>,
    v: Vec<f64>,
    tangents: Vec<Mat3>,
}

impl Reached {
    fn new(system: &System, base: &State, rng: &mut Random) -> Self {
        let n = system.size();
        let delta: Vec<f64> = rng.numbers(n).iter().map(|d| 0.3 * d).collect();
        let mut v = rng.numbers(n);
        system.constraint_equations().into_iter().for_each(|eq| v[eq] = 0.0);
        let tangents =
            system.nodes().iter().map(|node| node.chart.tangent(&delta[node.unknowns()])).collect();
        Reached { base: base.clone(), delta, v, tangents }
    }

    /// The state with increment or velocity `i` changed.
    fn state(
        &self,
        system: &System,
        position: Option<(usize, f64)>,
        velocity: Option<(usize, f64)>,
    ) -> State {
        let mut state = self.base.clone();
        let mut delta = self.delta.clone();
        position.into_iter().for_each(|(i, step)| delta[i] += step);
        for (k, node) in system.nodes().iter().enumerate() {
            state.frames[k] = node.chart.retract(&self.base.frames[k], &delta[node.unknowns()]);
        }
        state.v.clone_from(&self.v);
        velocity.into_iter().for_each(|(i, step)| state.v[i] += step);
        state
    }
}

fn instant<'a>(state: &'a State, a: &'a [f64]) -> Instant<'a> {
    Instant { t: state.t, frames: &state.frames, v: &state.v, a, memory: &state.memory, rates: &[] }
}

fn residual(system: &System, state: &State, a: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; system.size()];
    system.residual(&instant(state, a), &mut out, &mut Scratch::default());
    out
}

/// The algebraic equations, with the rates of constraints.
fn algebraic(system: &System, state: &State, a: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; system.size()];
    system.constraint_rate(&instant(state, a), &mut out, &mut Scratch::default());
    out
}

/// Central difference of fourth order.
fn difference(value: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
    let e = 2e-4;
    let sides = [e, -e, 2.0 * e, -2.0 * e].map(value);
    let slope = |i: usize| (8.0 * (sides[0][i] - sides[1][i]) - (sides[2][i] - sides[3][i])) / (12.0 * e);
    (0..sides[0].len()).map(slope).collect()
}

fn unknowns(system: &System) -> Vec<usize> {
    system.nodes().iter().flat_map(|n| n.unknowns()).collect()
}

fn variables(system: &System) -> Vec<usize> {
    system.networks().iter().flat_map(|n| (0..n.law.variables.len()).map(|j| n.unknown(j))).collect()
}

fn near(got: f64, expected: f64, what: &str) {
    assert!((got - expected).abs() < 2e-9 * (1.0 + expected.abs()), "{what}: {got} instead of {expected}");
}

/// Rows of the mechanics and of equations with rates are taken at the stage, algebraic rows at the end, each
/// with the tangent of its own retraction.
#[test]
fn step_matrix() {
    let mut rng = Random(0x3c6ef372fe94f82b);
    for _ in 0..6 {
        let system = mechanism(&mut rng);
        let base = system.start_state(0.7);
        let (stage, end) = (Reached::new(&system, &base, &mut rng), Reached::new(&system, &base, &mut rng));
        let a = rng.numbers(system.size());
        let (mass, damping, stiffness, gamma) = (0.9, 0.7, 0.4, 0.3);
        let (at_stage, at_end) = (stage.state(&system, None, None), end.state(&system, None, None));
        let mut values = vec![0.0; system.pattern().nnz()];
        let at = Linearization {
            stage: instant(&at_stage, &a),
            stage_tangent: &stage.tangents,
            end: instant(&at_end, &a),
            end_tangent: &end.tangents,
            mass,
            damping,
            stiffness,
            level: Level::Velocity,
            gamma,
            networks: true,
            pressed: true,
        };
        system.step_matrix(&at, &mut values, &mut Scratch::default());
        let entry = |i, j| system.pattern().index(i, j).map_or(0.0, |k| values[k]);
        let without_rates = system.algebraic_equations();
        let rows: Vec<usize> = unknowns(&system).into_iter().chain(variables(&system)).collect();
        for &j in &rows {
            let moving = unknowns(&system).contains(&j);
            let by_position = |reached: &Reached, of: &dyn Fn(&State) -> Vec<f64>| match moving {
                true => difference(|e| of(&reached.state(&system, Some((j, e)), None))),
                false => vec![0.0; system.size()],
            };
            let by_velocity = |reached: &Reached, of: &dyn Fn(&State) -> Vec<f64>| {
                difference(|e| of(&reached.state(&system, None, Some((j, e)))))
            };
            let forces = |state: &State| residual(&system, state, &a);
            let (k, c) = (by_position(&stage, &forces), by_velocity(&stage, &forces));
            let m = difference(|e| {
                let mut a = a.clone();
                a[j] += e;
                residual(&system, &at_stage, &a)
            });
            let equations = |state: &State| algebraic(&system, state, &a);
            let (gk, gc) = (by_position(&end, &equations), by_velocity(&end, &equations));
            for i in rows.iter().copied().chain(system.constraint_equations()) {
                let at_the_end = without_rates.contains(&i) || system.row_at(i).is_some();
                let expected = match at_the_end {
                    true => gc[i] + gamma * gk[i],
                    false => mass * m[i] + damping * c[i] + stiffness * k[i],
                };
                near(entry(i, j), expected, &format!("{} by unknown {j}", system.equation_name(i)));
            }
        }
    }
}

/// A₀ + β A₁ + β² A₂ is the step matrix with the coefficients 1, β, β² and β, and so for a complex β.
#[test]
fn step_polynomial() {
    let mut rng = Random(0xa54ff53a5f1d36f1);
    let system = mechanism(&mut rng);
    let state = Reached::new(&system, &system.start_state(0.3), &mut rng).state(&system, None, None);
    let a = rng.numbers(system.size());
    let identity = vec![Mat3::identity(); system.nodes().len()];
    let (mut s, nnz) = (Scratch::default(), system.pattern().nnz());
    for level in [Level::Position, Level::Velocity] {
        let mut polynomial = StepPolynomial::new(&system);
        system.step_polynomial(instant(&state, &a), &identity, level, &mut polynomial, &mut s);
        let mut matrix = |beta: f64| {
            let at = Linearization {
                damping: beta,
                stiffness: beta * beta,
                gamma: beta,
                level,
                networks: true,
                ..Linearization::at(instant(&state, &a), &identity)
            };
            let mut values = vec![0.0; nnz];
            system.step_matrix(&at, &mut values, &mut s);
            values
        };
        let (re, im) = (0.7, 0.45);
        let [at_zero, plus, minus] = [0.0, im, -im].map(&mut matrix);
        let direct = matrix(re);
        let (mut real, mut imaginary, mut values) = (vec![0.0; nnz], vec![0.0; nnz], vec![0.0; nnz]);
        polynomial.at(re, &mut values);
        let same = |got: f64, expected: f64| assert!((got - expected).abs() < 1e-13 * (1.0 + expected.abs()));
        values.iter().zip(&direct).for_each(|(got, expected)| same(*got, *expected));
        polynomial.at_complex((re, 0.0), &mut real, &mut imaginary);
        real.iter().zip(&direct).for_each(|(got, expected)| same(*got, *expected));
        assert!(imaginary.iter().all(|x| *x == 0.0));
        polynomial.at_complex((re, im), &mut real, &mut imaginary);
        for k in 0..nnz {
            let a1 = (plus[k] - minus[k]) / (2.0 * im);
            let a2 = (plus[k] + minus[k] - 2.0 * at_zero[k]) / (2.0 * im * im);
            let a0 = at_zero[k];
            assert!((real[k] - (a0 + re * a1 + (re * re - im * im) * a2)).abs() < 1e-11 * (1.0 + a0.abs()));
            assert!((imaginary[k] - (im * a1 + 2.0 * re * im * a2)).abs() < 1e-11 * (1.0 + a0.abs()));
        }
    }
}

/// Without networks in the matrix their variables are held: unit rows, and columns of zeros.
#[test]
fn held_variables() {
    let mut rng = Random(0x510e527fade682d1);
    let system = mechanism(&mut rng);
    let state = system.start_state(0.0);
    let a = vec![0.0; system.size()];
    let identity = vec![Mat3::identity(); system.nodes().len()];
    let mut values = vec![0.0; system.pattern().nnz()];
    let at = Linearization::at(instant(&state, &a), &identity);
    system.step_matrix(&at, &mut values, &mut Scratch::default());
    for &i in &variables(&system) {
        for j in 0..system.size() {
            let entry = |i, j| system.pattern().index(i, j).map_or(0.0, |k| values[k]);
            let unit = if i == j { 1.0 } else { 0.0 };
            assert_eq!((entry(i, j), entry(j, i)), (unit, unit));
        }
    }
}

/// The rates satisfy the equations that have them, and along the motion the others do not change.
#[test]
fn rates_at_a_state() {
    let mut rng = Random(0x9b05688c2b3e6c1f);
    for _ in 0..6 {
        let system = mechanism(&mut rng);
        let mut state = Reached::new(&system, &system.start_state(0.4), &mut rng).state(&system, None, None);
        let mut s = Scratch::default();
        let left = system.close_networks(&mut state, &mut s).unwrap();
        assert!(left.relative < 1e-14, "{left:?}");
        let mut a = rng.numbers(system.size());
        assert!(system.network_rates(&state, &mut a, &mut s));
        let along = |t: f64| {
            let mut moved = State { t: state.t + t, ..state.clone() };
            let mut delta = vec![0.0; system.size()];
            for i in unknowns(&system) {
                delta[i] = t * state.v[i] + 0.5 * t * t * a[i];
            }
            moved.v.iter_mut().zip(&a).for_each(|(v, a)| *v += t * a);
            for (k, node) in system.nodes().iter().enumerate().skip(1) {
                let range = node.unknowns();
                moved.frames[k] = node.chart.retract(&state.frames[k], &delta[range.clone()]);
                // The increments' rate and the angular velocity differ by the tangent of the retraction.
                let turn = &mut moved.v[range.clone()][3..];
                let omega = node.chart.tangent(&delta[range]) * Vec3::new(turn[0], turn[1], turn[2]);
                turn.copy_from_slice(omega.as_slice());
            }
            algebraic(&system, &moved, &a)
        };
        let slope = difference(along);
        let now = residual(&system, &state, &a);
        let without_rates = system.algebraic_equations();
        assert_eq!(without_rates.len(), 2);
        for eq in variables(&system) {
            match without_rates.contains(&eq) {
                true => assert!(slope[eq].abs() < 1e-9, "{}: {}", system.equation_name(eq), slope[eq]),
                false => assert!(now[eq].abs() < 1e-12, "{}: {}", system.equation_name(eq), now[eq]),
            }
        }
        // Rows that follow variables are among the constraints, whose rates change as they say.
        let mut told = vec![0.0; system.size()];
        system.constraint_acceleration(&instant(&state, &a), &mut told, &mut s);
        for eq in system.constraint_equations() {
            near(slope[eq], told[eq], &system.equation_name(eq));
        }
    }
}

/// What evaluates the equations does not show, not in a bit.
#[test]
fn engines_agree() {
    let [native, interpreted] = [Engine::Native, Engine::Interpreter].map(|engine| {
        let mut rng = Random(0x6a09e667f3bcc908);
        let system = mechanism_on(&mut rng, engine);
        let state = Reached::new(&system, &system.start_state(0.4), &mut rng).state(&system, None, None);
        let mut a = rng.numbers(system.size());
        let (residual, algebraic) = (residual(&system, &state, &a), algebraic(&system, &state, &a));
        system.network_rates(&state, &mut a, &mut Scratch::default());
        [residual, algebraic, a].concat().into_iter().map(f64::to_bits).collect::<Vec<_>>()
    });
    assert_eq!(native, interpreted);
}

/// Rates that stand alone in their equations, linear or not: 2 a' = a t, b' + b'^3 = 10 (b' = 2), c' exp(c) =
/// 3.
#[test]
fn separate_rates() {
    let mut rng = Random(0xbb67ae8584caa73b);
    let equations = ["2*da - a*t", "db + db^3 - 10", "exp(c)*dc - 3"];
    let system = alone(circuit(&["a", "b", "c"], &equations));
    let state = State { v: rng.numbers(system.size()), ..system.start_state(0.7) };
    let n = &system.networks()[0];
    let mut rates = vec![0.5; system.size()];
    assert!(system.network_rates(&state, &mut rates, &mut Scratch::default()));
    let (a, c) = (state.v[n.unknown(0)], state.v[n.unknown(2)]);
    for (j, expected) in [0.35 * a, 2.0, 3.0 * (-c).exp()].into_iter().enumerate() {
        assert!(
            (rates[n.unknown(j)] - expected).abs() < 2e-15 * expected.abs(),
            "{j}: {}",
            rates[n.unknown(j)]
        );
    }
}

/// The power of loads is what they do on the motion: Q·v.
#[test]
fn power_of_loads() {
    let mut rng = Random(0x1f83d9abfb41bd6b);
    let system = mechanism(&mut rng);
    let state = Reached::new(&system, &system.start_state(0.2), &mut rng).state(&system, None, None);
    let zero = vec![0.0; system.size()];
    let unloaded = {
        let mut still = state.clone();
        variables(&system).into_iter().for_each(|eq| still.v[eq] = 0.0);
        still
    };
    // Without y the loads of this network are t·z and nothing; take the difference of two states.
    let power = |state: &State| {
        let Power { supplied, dissipated } = system.power(&instant(state, &zero), &mut Scratch::default());
        supplied - dissipated
    };
    let work = |state: &State| {
        let r = residual(&system, state, &zero);
        unknowns(&system).into_iter().map(|i| -r[i] * state.v[i]).sum::<f64>()
    };
    let (got, expected) = (power(&state) - power(&unloaded), work(&state) - work(&unloaded));
    assert!((got - expected).abs() < 1e-12 * (1.0 + expected.abs()), "{got} instead of {expected}");
    assert!(expected.abs() > 0.01);
}

/// Loads that are a law are booked together by the sign of what they do; the sums differ by Q·v all the same.
#[test]
fn booking_of_loads() {
    let power = |bookings: [Booking; 2]| {
        let mut rng = Random(0x1f83d9abfb41bd6b);
        let mut b = SystemBuilder::new(Vec3::zeros());
        let start = Frame { r: rng.vector(), rot: rng.rotation() };
        let velocity = Twist { linear: rng.vector(), angular: rng.vector() };
        let node = b.node("body", Chart::Motion, start, velocity);
        b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), Mat3::identity())));
        let mut network = circuit(&["a"], &["da + a"]);
        let point = Carried::point(node, Vec3::zeros());
        network.readings = (0..2).map(|k| Reading::Coordinate(Coordinate::component(point, k))).collect();
        // One load pushes with the motion, the other against it.
        let signs = [velocity.linear.x.signum() * 3.0, -velocity.linear.y.signum()];
        let load = |k: usize| Load { booking: bookings[k], ..Load::along(k, Function::constant(signs[k])) };
        network.loads = vec![load(0), load(1)];
        b.network(network).unwrap();
        let system = b.build();
        let (state, zero) = (system.start_state(0.0), vec![0.0; system.size()]);
        let done = [3.0 * velocity.linear.x.abs(), velocity.linear.y.abs()];
        (system.power(&instant(&state, &zero), &mut Scratch::default()), done)
    };
    let close = |power: Power, supplied: f64, dissipated: f64| {
        assert!((power.supplied - supplied).abs() < 1e-14 && (power.dissipated - dissipated).abs() < 1e-14);
    };
    let (exchanged, [with, against]) = power([Booking::Exchanged; 2]);
    close(exchanged, with - against, 0.0);
    close(power([Booking::Law(0), Booking::Law(1)]).0, with, against);
    let together = with - against;
    close(power([Booking::Law(0); 2]).0, together.max(0.0), (-together).max(0.0));
}

/// A network without mechanics, functions of y and ẏ by these names.
fn circuit(names: &[&str], equations: &[&str]) -> Network {
    let rates: Vec<String> = names.iter().map(|n| format!("d{n}")).collect();
    let arguments: Vec<&str> =
        names.iter().copied().chain(rates.iter().map(String::as_str)).chain(["t"]).collect();
    let law = |text: &&str| Function::new(&Expr::parse(text).unwrap(), &arguments, &|_| None).unwrap();
    Network {
        name: "circuit".into(),
        variables: names.iter().map(|n| variable(n, 0.0)).collect(),
        readings: vec![],
        equations: equations.iter().map(law).collect(),
        loads: vec![],
    }
}

/// Each equation determines a variable, through its rate where it can.
#[test]
fn matching() {
    let found = |names: &[&str], equations: &[&str]| circuit(names, equations).matching();
    assert_eq!(found(&["x", "y"], &["dx - y", "dy + x"]), Ok(vec![0, 1]));
    // The order of the equations does not matter.
    assert_eq!(found(&["x", "y", "z"], &["x + y + z", "dz - x", "dx - y"]), Ok(vec![1, 2, 0]));
    // The first equation could take either; only one choice leaves a variable for the others.
    assert_eq!(found(&["x", "y"], &["x + y", "x - 1"]), Ok(vec![1, 0]));
    let error = found(&["x", "y"], &["dx - 1"]).unwrap_err();
    assert_eq!(error, NetworkError::Count { equations: 1, variables: 2 });
    assert_eq!(error.to_string(), "1 equation for 2 variables");
    let error = found(&["x", "y"], &["dx - 1", "x - t"]).unwrap_err();
    assert_eq!(error, NetworkError::Undetermined("y".into()));
    // Two equations for one variable: another is left over.
    let error = found(&["x", "y", "z"], &["dx - y", "x - t", "x - 2*t"]).unwrap_err();
    assert_eq!(error, NetworkError::Undetermined("z".into()));
}

#[test]
fn loads_act_on_coordinates_and_know_no_rates() {
    let mut rng = Random(0x5be0cd19137e2179);
    let ground = Attachment { node: GROUND, origin: Vec3::zeros(), axes: Mat3::identity() };
    let with = |load: Load, rng: &mut Random| {
        let angle = Coordinate::angle(&ground, &ground);
        let mut network = network(rng, angle.clone(), angle, ground.point());
        network.loads = vec![network.loads[0].clone(), load];
        network.matching().map(|_| ())
    };
    assert_eq!(with(Load::along(0, law("a")), &mut rng), Ok(()));
    assert_eq!(with(Load::along(0, law("da")), &mut rng), Err(NetworkError::Load(1)));
    assert_eq!(with(Load::along(1, law("a")), &mut rng), Err(NetworkError::Load(1)));
    assert_eq!(with(Load::along(5, law("a")), &mut rng), Err(NetworkError::Load(1)));
}

fn alone(network: Network) -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    b.network(network).unwrap();
    b.build()
}

/// The index of every variable by the structure of the equations.
#[test]
fn index_by_structure() {
    let index = |names: &[&str], equations: &[&str]| {
        let system = alone(circuit(names, equations));
        let network = &system.networks()[0];
        let index: Vec<usize> = (0..names.len()).map(|j| network.index(j)).collect();
        assert_eq!(network.is_index_one(), index.iter().all(|i| *i <= 1));
        index
    };
    assert_eq!(index(&["x", "y"], &["dx - y", "dy + x"]), [0, 0]);
    assert_eq!(index(&["x", "y"], &["dx - y", "y^3 + y - x"]), [0, 1]);
    // y is not in the equation without rates: it has to be differentiated.
    assert_eq!(index(&["x", "y"], &["dx - y", "x - sin(t)"]), [1, 2]);
    // Charges q, p of two capacitors in series with voltages u, v: no charge can leave between them, index 1.
    assert_eq!(
        index(&["q", "p", "u", "v"], &["dq + dp", "q - 2*u", "p + v^3", "u + v - sin(t)"]),
        [1, 1, 1, 1]
    );
    // The current i into the charge q of a capacitor at a source is of index 2, the voltage u of index 1; z,
    // a resistance that the charge determines, as well.
    assert_eq!(
        index(&["q", "i", "u", "z"], &["dq - i*z", "q - 2*u", "u - sin(t)", "z - 1 - q^2"]),
        [1, 2, 1, 1]
    );
    // A pendulum with its length held: index 3.
    let pendulum = ["dx - u", "dy - v", "du + x*l", "dv + y*l + 1", "x^2 + y^2 - 1"];
    assert_eq!(index(&["x", "y", "u", "v", "l"], &pendulum), [1, 1, 2, 2, 3]);
}

/// Equations without rates hold with the least change of variables, of those first that have no rate.
#[test]
fn consistent_values() {
    let mut s = Scratch::default();
    let values = |system: &System, state: &State| -> Vec<f64> {
        let entry = &system.networks()[0];
        (0..entry.law.variables.len()).map(|j| state.v[entry.unknown(j)]).collect()
    };
    // x keeps its value because y can be changed; y³ + y = 10 has the root 2.
    let mut network = circuit(&["x", "y"], &["dx - y", "y^3 + y - x"]);
    network.variables[0].start = 10.0;
    let system = alone(network);
    let mut state = system.start_state(0.0);
    assert!(system.close_networks(&mut state, &mut s).unwrap().residual < 1e-13);
    let found = values(&system, &state);
    assert!((found[0] - 10.0).abs() < 1e-14 && (found[1] - 2.0).abs() < 1e-14, "{found:?}");
    // Without another variable to change, x moves.
    let system = alone(circuit(&["x", "y"], &["dx - y", "x - 1 - t"]));
    let mut state = system.start_state(0.5);
    assert!(system.close_networks(&mut state, &mut s).unwrap().residual < 1e-15);
    assert!(values(&system, &state).iter().zip([1.5, 0.0]).all(|(a, b)| (a - b).abs() < 1e-15));
    // One equation for two variables without rates: both give way equally.
    let system = alone(circuit(&["x", "y", "z"], &["x + y - 2", "dz - x", "dz + x - y"]));
    let mut state = system.start_state(0.0);
    system.close_networks(&mut state, &mut s).unwrap();
    assert!(values(&system, &state).iter().zip([1.0, 1.0, 0.0]).all(|(a, b)| (a - b).abs() < 1e-15));
    // A diode: the full step of Newton's method leads far beyond the solution.
    let mut network = circuit(&["i", "u"], &["di + i - 5", "1e-12*(exp(u/0.025) - 1) + u/1e3 - 1"]);
    network.variables[1].start = 0.2;
    let system = alone(network);
    let mut state = system.start_state(0.0);
    let left = system.close_networks(&mut state, &mut s).unwrap().residual;
    assert!(left < 1e-12, "left {left:e}");
    let u = values(&system, &state)[1];
    assert!((1e-12 * ((u / 0.025).exp() - 1.0) + u / 1e3 - 1.0).abs() < 1e-12, "u = {u}");
    // No solution: the residual says so.
    let system = alone(circuit(&["x", "y"], &["dx - y", "y^2 + 1"]));
    let mut state = system.start_state(0.0);
    let left = system.close_networks(&mut state, &mut s).unwrap();
    assert!(left.residual >= 1.0 && left.relative > 0.1);
    assert_eq!(system.equation_name(left.equation), "equations `circuit`, number 2 (for `y`)");
}
