//! What joints are asked to start with, against closed forms and on random mechanisms.

use poinsot_analysis::{StartReport, consistent_start, largest_residual};
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_integrators::instant;
use poinsot_mechanics::{Scratch, State, System};
use poinsot_model::{Probe, View, build};
use poinsot_studies::load_str;
use std::f64::consts::{PI, TAU};

/// A model at its start.
struct Started {
    system: System,
    state: State,
    report: StartReport,
    /// Its signals.
    signals: Vec<f64>,
    /// Orientation and angular velocity (world axes) of each body.
    bodies: Vec<(Mat3, Vec3)>,
}

fn try_start(text: &str) -> Result<Started, String> {
    let (model, _) = load_str("start.toml", text, &[]).unwrap_or_else(|e| panic!("{}", e.render(false)));
    let (mut system, assembly) = build(&model).unwrap();
    let (state, report) = consistent_start(&mut system, model.start()).map_err(|e| e.to_string())?;
    let zero = vec![0.0; system.size()];
    let at = instant(&state, &zero);
    let balance = system.balance(&at, &mut Scratch::default());
    let view =
        View { model: &model, assembly: &assembly, system: &system, at, balance: &balance, results: None };
    let signals = Probe::default().signals(&view);
    let motion = |&node: &usize| {
        let rot = state.frames[node].rot;
        (rot, rot * system.twist(node, &state.v).angular)
    };
    let bodies = assembly.nodes.iter().map(motion).collect();
    Ok(Started { system, state, report, signals, bodies })
}

fn start(text: &str) -> Started {
    try_start(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

impl Started {
    /// All joints are closed, and so are their rates.
    #[track_caller]
    fn holds(&self) {
        let open = largest_residual(&self.system, &self.state).1;
        assert!(open < 1e-11, "open by {open:e}");
        let zero = vec![0.0; self.system.size()];
        let (mut phi, mut rate) = (zero.clone(), zero.clone());
        let at = instant(&self.state, &zero);
        self.system.constraint_levels(&at, &mut phi, &mut rate, &mut Scratch::default());
        let speed = self.state.v.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
        let worst = rate.iter().fold(0.0, |m: f64, r| m.max(r.abs()));
        assert!(worst < 1e-11 * speed, "rates open by {worst:e}");
    }

    #[track_caller]
    fn gives(&self, exact: &[f64]) {
        for (k, (got, exact)) in self.signals.iter().zip(exact).enumerate() {
            let error = (got - exact).abs();
            assert!(error <= 1e-10 * exact.abs().max(1.0), "signal {k}: {got} instead of {exact}, {error:e}");
        }
        assert_eq!(self.signals.len(), exact.len());
    }
}

fn signals(values: &[&str]) -> String {
    let each =
        values.iter().enumerate().map(|(k, v)| format!("[[signal]]\nname = \"s{k}\"\nvalue = \"{v}\"\n"));
    each.collect()
}

/// A link along its own x axis with markers at both ends.
fn link(name: &str, length: f64, place: [f64; 2], angle: f64) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nmass = {}\ninertia = [0.01, 0.02, 0.03]\nposition = [{}, {}, 0]\n\
         orientation = {{ axis = [0, 0, 1], angle = {angle} }}\n\
         [[marker]]\nname = \"{name}_0\"\nbody = \"{name}\"\n\
         [[marker]]\nname = \"{name}_1\"\nbody = \"{name}\"\nposition = [{length}, 0, 0]\n",
        1.0 + length,
        place[0],
        place[1]
    )
}

fn pin(name: &str, first: &str, second: &str, more: &str) -> String {
    format!(
        "[[joint]]\nname = \"{name}\"\ntype = \"revolute\"\nbetween = [\"{first}\", \"{second}\"]\n{more}\n"
    )
}

/// A four-bar linkage with links a, b, c on the ground of length d, drawn roughly, its crank with a start.
fn four_bar([a, b, c, d]: [f64; 4], settings: &str, start: &str) -> String {
    let frame = format!(
        "[[marker]]\nname = \"A\"\nbody = \"ground\"\n[[marker]]\nname = \"D\"\nbody = \"ground\"\n\
         position = [{d}, 0, 0]\n"
    );
    let bodies = [
        link("crank", a, [0.0, 0.0], 1.2),
        link("coupler", b, [0.3 * a, a], 0.3),
        link("rocker", c, [d, 0.0], 1.7),
    ];
    let joints = [
        pin("pa", "A", "crank_0", &format!("start = {{ {start} }}")),
        pin("pb", "crank_1", "coupler_0", ""),
        pin("pc", "coupler_1", "rocker_1", ""),
        pin("pd", "D", "rocker_0", ""),
    ];
    let values = signals(&[
        "pa.angle",
        "crank.angular_velocity.z",
        "coupler.angular_velocity.z",
        "rocker.angular_velocity.z",
    ]);
    format!("[model]\ngravity = [0, 0, 0]\n{settings}\n{frame}{}{}{values}", bodies.concat(), joints.concat())
}

/// Angular velocities of coupler and rocker for the angle and rate of the crank, rocker above the ground.
fn four_bar_rates([a, b, c, d]: [f64; 4], angle: f64, rate: f64) -> [f64; 2] {
    let (x, y) = (a * angle.cos() - d, a * angle.sin());
    let (distance, towards) = (x.hypot(y), y.atan2(x));
    let corner = ((distance.powi(2) + c * c - b * b) / (2.0 * distance * c)).acos();
    // Of the two closures the one in which D, B, C go round clockwise is drawn.
    let rocker = towards - corner;
    let (cx, cy) = (d + c * rocker.cos(), c * rocker.sin());
    let coupler = (cy - a * angle.sin()).atan2(cx - a * angle.cos());
    let ratio = a * rate / (coupler - rocker).sin();
    [ratio / b * (rocker - angle).sin(), -ratio / c * (angle - coupler).sin()]
}

#[test]
fn four_bar_crank_starts_as_asked() {
    let lengths = [0.2, 0.5, 0.4, 0.5];
    for settings in ["plane = \"xy\"", ""] {
        for (angle, rate) in [(0.7, 10.0), (-2.5, -3.0), (3.0, 1e-3), (1.2, 0.0)] {
            let started = start(&four_bar(lengths, settings, &format!("angle = {angle}, rate = {rate}")));
            started.holds();
            let [coupler, rocker] = four_bar_rates(lengths, angle, rate);
            started.gives(&[angle, rate, coupler, rocker]);
        }
    }
}

#[test]
fn rates_alone_leave_positions_to_the_joints() {
    let lengths = [0.2, 0.5, 0.4, 0.5];
    let free = start(&four_bar(lengths, "plane = \"xy\"", "rate = 0"));
    let asked = start(&four_bar(lengths, "plane = \"xy\"", "rate = 10"));
    let angle = free.signals[0];
    assert_eq!(angle, asked.signals[0]);
    let [coupler, rocker] = four_bar_rates(lengths, angle, 10.0);
    asked.gives(&[angle, 10.0, coupler, rocker]);
    assert_eq!(asked.report.values.len(), 1);
    assert_eq!((asked.report.values[0].word, asked.report.values[0].asked[0]), ("rate", 10.0));
}

#[test]
fn slider_crank_in_space_with_redundant_joints() {
    let (r, l, angle, rate) = (0.15_f64, 0.4_f64, 2.1_f64, 7.0_f64);
    let text = format!(
        "[[marker]]\nname = \"o\"\nbody = \"ground\"\n{}{}{}{}{}{}{}{}",
        link("crank", r, [0.0, 0.0], 0.0),
        link("rod", l, [r, 0.0], 0.0),
        "[[body]]\nname = \"slider\"\nmass = 2\ninertia = [1, 1, 1]\nposition = [0.55, 0, 0]\n\
         [[marker]]\nname = \"slider_0\"\nbody = \"slider\"\n",
        pin("crank_bearing", "o", "crank_0", &format!("start = {{ angle = {angle}, rate = {rate} }}")),
        pin("big_end", "crank_1", "rod_0", ""),
        pin("small_end", "rod_1", "slider_0", ""),
        "[[joint]]\nname = \"guide\"\ntype = \"prismatic\"\nbetween = [\"ground\", \"slider\"]\n\
         at = [0, 0, 0]\naxis = [1, 0, 0]\n",
        signals(&["slider.position.x", "slider.velocity.x", "crank_bearing.rate"]),
    );
    let started = start(&text);
    started.holds();
    assert_eq!(started.report.redundant.len(), 3);
    let (s, c) = angle.sin_cos();
    let root = (l * l - r * r * s * s).sqrt();
    started.gives(&[r * c + root, -r * rate * s * (1.0 + r * c / root), rate]);
}

const SPACE: &str = "[[body]]\nname = \"a\"\nmass = 2\ninertia = [1, 2, 2.5]\nposition = [0.1, 0.2, 0.3]\n\
    angular_velocity = [0.3, 0, 1]\n[[body]]\nname = \"b\"\nmass = 1\ninertia = [1, 0.7, 0.9]\n\
    position = [0.5, 0.4, 0.3]\nvelocity = [1, 2, 3]\n";

fn about(axis: Vec3, angle: f64) -> Mat3 {
    so3::exp(&(axis * angle))
}

#[test]
fn universal_joint_turns_about_both_axes() {
    let text = format!(
        "{SPACE}[[joint]]\nname = \"cross\"\ntype = \"universal\"\nbetween = [\"ground\", \"b\"]\n\
         at = [0, 0, 0]\naxis = [0, 0, 1]\nsecond_axis = [1, 0, 0]\n\
         start = {{ first_angle = 0.4, second_angle = -1.1, first_angle_rate = 2, second_angle_rate = 3 }}\n{}",
        signals(&[
            "cross.first_angle",
            "cross.second_angle",
            "cross.first_angle_rate",
            "cross.second_angle_rate"
        ])
    );
    let started = start(&text);
    started.holds();
    started.gives(&[0.4, -1.1, 2.0, 3.0]);
    let (turned, spin) = started.bodies[1];
    let exact = about(Vec3::z(), 0.4) * about(Vec3::x(), -1.1);
    assert!((turned - exact).norm() < 1e-10, "{turned}");
    assert!((spin - (Vec3::z() * 2.0 + exact * Vec3::x() * 3.0)).norm() < 1e-10, "{spin}");
}

#[test]
fn cardan_shaft_follows_its_first_half() {
    let (bend, angle, rate) = (0.5_f64, 0.8_f64, 6.0_f64);
    let (s, c) = bend.sin_cos();
    let text = format!(
        "{SPACE}[[joint]]\nname = \"first\"\ntype = \"revolute\"\nbetween = [\"ground\", \"a\"]\n\
         at = [0, 0, 0]\naxis = [1, 0, 0]\nstart = {{ angle = {angle}, rate = {rate} }}\n\
         [[joint]]\nname = \"cross\"\ntype = \"universal\"\nbetween = [\"a\", \"b\"]\nat = [0, 0, 0]\n\
         axis = [0, 0, 1]\nsecond_axis = [{}, {c}, 0]\n\
         [[joint]]\nname = \"second\"\ntype = \"cylindrical\"\nbetween = [\"ground\", \"b\"]\n\
         at = [0, 0, 0]\naxis = [{c}, {s}, 0]\n{}",
        -s,
        signals(&["first.angle", "first.rate", "second.angle", "second.rate"])
    );
    let started = start(&text);
    started.holds();
    // The arm of the first shaft is normal to both shafts as drawn: a₁ = (0, −sin θ₁, cos θ₁) is across
    // a₂ = e cos θ₂ + z sin θ₂ with e across the second shaft, so that tan θ₂ = cos β tan θ₁.
    let second = (c * angle.tan()).atan();
    let ratio = c * (second.cos() / angle.cos()).powi(2);
    started.gives(&[angle, rate, second, rate * ratio]);
}

#[test]
fn ball_joint_starts_with_orientation_and_angular_velocity() {
    let forms = [
        ("axis = [1, 2, -1], angle = 1.3", about(Vec3::new(1.0, 2.0, -1.0).normalize(), 1.3)),
        ("rotation_vector = [0, 0, 3.1]", about(Vec3::z(), 3.1)),
        ("axis = [0, 1, 0], angle = \"pi\"", about(Vec3::y(), PI)),
        ("x_axis = [0, 0, 1], y_axis = [1, 0, 0]", Mat3::new(0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0)),
    ];
    for (form, exact) in forms {
        let text = format!(
            "{SPACE}[[joint]]\nname = \"base\"\ntype = \"spherical\"\nbetween = [\"ground\", \"a\"]\nat = [0, 0, 0]\n\
             [[joint]]\nname = \"ball\"\ntype = \"spherical\"\nbetween = [\"a\", \"b\"]\nat = [0.3, 0.3, 0.3]\n\
             start = {{ orientation = {{ {form} }}, angular_velocity = [1, -2, 0.5] }}\n"
        );
        let started = start(&text);
        started.holds();
        let [(first, turning), (second, spin)] = started.bodies[..] else { panic!("two bodies") };
        let relative = first.transpose() * second;
        assert!((relative - exact).norm() < 1e-10, "{form}: {relative}");
        let spin = first.transpose() * (spin - turning);
        assert!((spin - Vec3::new(1.0, -2.0, 0.5)).norm() < 1e-10, "{form}: {spin}");
    }
}

#[test]
fn screw_and_planar_joint() {
    let text = format!(
        "{SPACE}[[joint]]\nname = \"nut\"\ntype = \"screw\"\nbetween = [\"ground\", \"a\"]\nat = [0, 0, 0]\n\
         axis = [0, 0, 1]\nlead = 0.02\nstart = {{ angle = \"5*pi\", displacement_rate = 0.3 }}\n\
         [[joint]]\nname = \"table\"\ntype = \"planar\"\nbetween = [\"ground\", \"b\"]\nat = [0, 0, 0.3]\n\
         axis = [0, 1, 1]\nstart = {{ x = 0.25, y = -0.5, angle = 2, x_rate = 1, y_rate = 2, angle_rate = -4 }}\n{}",
        signals(&[
            "nut.angle",
            "nut.rate",
            "nut.displacement",
            "nut.displacement_rate",
            "table.x",
            "table.y",
            "table.angle",
            "table.x_rate",
            "table.y_rate",
            "table.angle_rate",
        ])
    );
    let started = start(&text);
    started.holds();
    let turns = 2.5;
    started.gives(&[turns * TAU, 0.3 / 0.02 * TAU, 0.02 * turns, 0.3, 0.25, -0.5, 2.0, 1.0, 2.0, -4.0]);
}

#[test]
fn slider_and_place_on_a_curve() {
    let text = format!(
        "{SPACE}[[joint]]\nname = \"guide\"\ntype = \"prismatic\"\nbetween = [\"ground\", \"a\"]\nat = [0, 0, 0]\n\
         axis = [0, 0, 1]\nstart = {{ displacement = 0.4, displacement_rate = -2 }}\n\
         [[joint]]\nname = \"wire\"\ntype = \"point_on_curve\"\nbetween = [\"ground\", \"b\"]\n\
         curve = [\"cos(s)\", \"sin(s)\", \"0.1*s\"]\nstart = {{ parameter = 1.5, parameter_rate = 4 }}\n{}",
        signals(&[
            "guide.displacement",
            "guide.displacement_rate",
            "wire.parameter",
            "wire.parameter_rate",
            "b.position.x",
            "b.velocity.x",
            "b.velocity.z",
        ])
    );
    let started = start(&text);
    started.holds();
    started.gives(&[0.4, -2.0, 1.5, 4.0, 1.5_f64.cos(), -4.0 * 1.5_f64.sin(), 0.4]);
}

/// Turns are counted from where the start is: by signals, springs, couplings and equations.
#[test]
fn a_start_after_full_turns() {
    let text = format!(
        "{SPACE}[[joint]]\nname = \"first\"\ntype = \"revolute\"\nbetween = [\"ground\", \"a\"]\nat = [0, 0, 0]\n\
         axis = [0, 0, 1]\nstart = {{ angle = \"4*pi + 0.2\", rate = 1 }}\n\
         [[joint]]\nname = \"second\"\ntype = \"revolute\"\nbetween = [\"ground\", \"b\"]\nat = [1, 0, 0]\n\
         axis = [0, 0, 1]\n\
         [[coupling]]\nname = \"gear\"\ntype = \"linear\"\n\
         terms = [{{ coordinate = \"first.angle\", factor = 10 }}, {{ coordinate = \"second.angle\", factor = -1 }}]\n\
         offset = \"40*pi\"\n\
         [[force]]\nname = \"wound\"\ntype = \"torsion\"\njoint = \"first\"\nstiffness = 3\nangle = 0\n\
         [[equations]]\nname = \"integral\"\nvariables = {{ y = 0, z = 0 }}\n\
         equations = [\"der(y) = first.angle\", \"z = first.angle\"]\n{}",
        signals(&["first.angle", "second.angle", "second.rate", "wound.torque", "integral.z"])
    );
    let started = start(&text);
    started.holds();
    let angle = 4.0 * PI + 0.2;
    started.gives(&[angle, 2.0, 10.0, 3.0 * angle, angle]);
}

#[test]
fn what_is_not_asked_changes_least() {
    // Two rods in line, hinged at the origin and at x = 1; the lower one is asked for a rate while both rest:
    // the upper one is left with what the impulse at the common hinge gives it.
    let rods = "[model]\nplane = \"xy\"\ngravity = [0, 0, 0]\n\
        [[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 0.1]\nposition = [0.5, 0, 0]\n\
        [[body]]\nname = \"b\"\nmass = 1\ninertia = [1, 1, 0.1]\nposition = [1.5, 0, 0]\n\
        [[joint]]\nname = \"low\"\ntype = \"revolute\"\nbetween = [\"ground\", \"a\"]\nat = [0, 0, 0]\n\
        axis = [0, 0, 1]\nstart = { rate = 2 }\n\
        [[joint]]\nname = \"high\"\ntype = \"revolute\"\nbetween = [\"a\", \"b\"]\nat = [1, 0, 0]\naxis = [0, 0, 1]\n";
    let started = start(&format!("{rods}{}", signals(&["low.rate", "b.angular_velocity.z", "b.velocity.y"])));
    started.holds();
    // The impulse P at the common hinge gives m v = P and J ω = −½ P, with v = 2 + ½ ω.
    let spin = -1.0 / (0.1 + 0.25);
    started.gives(&[2.0, spin, 2.0 + 0.5 * spin]);
}

/// What hangs on a joint goes with it as if it were rigid: a beam with a body on its end, and the next joint.
#[test]
fn what_hangs_on_a_joint_is_carried_along() {
    let text = |angle: &str, more: &str| {
        format!(
            "[model]\ngravity = [0, 0, 0]\n\
             [[body]]\nname = \"hub\"\nmass = 1\ninertia = [0.1, 0.1, 0.1]\n\
             [[body]]\nname = \"tip\"\nmass = 1\ninertia = [0.1, 0.1, 0.1]\nposition = [2.4, 0, 0]\n\
             [[body]]\nname = \"tail\"\nmass = 1\ninertia = [0.1, 0.1, 0.1]\nposition = [2.8, 0, 0.3]\n\
             [[joint]]\nname = \"pin\"\ntype = \"revolute\"\nbetween = [\"ground\", \"hub\"]\nat = [0, 0, 0]\n\
             axis = [0, 0, 1]\nstart = {{ angle = \"{angle}\", rate = 3 }}\n\
             [[beam]]\nname = \"blade\"\nfrom = [0.2, 0, 0]\nto = [2.2, 0, 0]\nelements = 3\norder = 2\n\
             start = {{ type = \"fixed\", to = \"hub\" }}\nend = {{ type = \"fixed\", to = \"tip\" }}\n\
             section = {{ type = \"rectangle\", width = 0.02, height = 0.05, young = 1e9, poisson = 0.3, density = 1500 }}\n\
             [[joint]]\nname = \"hinge\"\ntype = \"revolute\"\nbetween = [\"tip\", \"tail\"]\nat = [2.4, 0, 0]\n\
             axis = [0, 1, 0]\n{more}\n{}",
            signals(&[
                "pin.angle",
                "blade.end.position.x",
                "blade.end.position.y",
                "tip.position.x",
                "hinge.angle",
                "tail.position.z",
                "energy.potential",
                "blade.node3.velocity.x",
                "blade.node3.velocity.y",
                "tip.velocity.y",
            ])
        )
    };
    // From the third turn, too; the last joint is where it was modelled, or where it is asked for.
    for angle in [0.7, 2.9, 4.0 * PI + 0.3] {
        let started = start(&text(&angle.to_string(), ""));
        started.holds();
        let (x, y) = (angle.cos(), angle.sin());
        // Its middle node, 1.2 m from the axis.
        started.gives(&[angle, 2.2 * x, 2.2 * y, 2.4 * x, 0.0, 0.3, 0.0, -3.6 * y, 3.6 * x, 7.2 * x]);
    }
    let both = start(&text("1.1", "start = { angle = 0.5 }"));
    both.holds();
    let height = 0.3 * 0.5_f64.cos() - 0.4 * 0.5_f64.sin();
    assert!((both.signals[4] - 0.5).abs() < 1e-10 && (both.signals[5] - height).abs() < 1e-10);
}

#[test]
fn nothing_is_left_behind_the_start() {
    let lengths = [0.2, 0.5, 0.4, 0.5];
    let mut started = start(&four_bar(lengths, "plane = \"xy\"", "angle = 0.7, rate = 10"));
    assert!(started.system.imposed().is_empty());
    assert_eq!(started.system.constraints().len(), 4);
    assert!(started.system.take_start_values().is_empty());
    let (again, report) = consistent_start(&mut started.system, 0.0).unwrap();
    assert!(report.values.is_empty());
    assert!((again.v.iter().zip(&started.state.v)).all(|(a, b)| (a - b).abs() < 1e-12));
    assert_eq!(again.memory.len(), started.state.memory.len());
}

#[test]
fn values_that_do_not_go_together() {
    let lengths = [0.2, 0.5, 0.4, 0.5];
    let both = |start: &str, rocker: &str| {
        four_bar(lengths, "plane = \"xy\"", start).replace(
            "between = [\"D\", \"rocker_0\"]",
            &format!("between = [\"D\", \"rocker_0\"]\nstart = {{ {rocker} }}"),
        )
    };
    let cases = [
        // The rocker does not get there: crank and coupler are too short.
        (both("rate = 1", "angle = 0.1"), ["`pd` cannot start with the `angle`", "`pc`"]),
        (both("angle = 0.7", "angle = 1.0"), ["cannot start with the `angle`", ".angle`"]),
        (both("angle = 0.7, rate = 10", "rate = 1"), ["cannot start with the `rate`", "`pb`"]),
        (
            format!(
                "{SPACE}[[joint]]\nname = \"nut\"\ntype = \"screw\"\nbetween = [\"ground\", \"a\"]\nat = [0, 0, 0]\n\
                 axis = [0, 0, 1]\nlead = 0.02\nstart = {{ rate = 1, displacement_rate = 1 }}\n"
            ),
            ["`nut` cannot start with the `", "`nut`"],
        ),
        (
            "[model]\nplane = \"xy\"\ngravity = [0, 0, 0]\n[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n\
             [[joint]]\nname = \"sleeve\"\ntype = \"cylindrical\"\nbetween = [\"ground\", \"a\"]\nat = [0, 0, 0]\n\
             axis = [0, 0, 1]\nstart = { displacement_rate = 1 }\n"
                .to_owned(),
            ["`sleeve` cannot start with the `displacement_rate`", "nothing can give it this speed"],
        ),
    ];
    for (text, parts) in cases {
        let error = try_start(&text).err().unwrap_or_else(|| panic!("no error\n{text}"));
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    }
}

#[test]
fn values_that_say_the_same_agree() {
    let lengths = [0.2, 0.5, 0.4, 0.5];
    let once = start(&four_bar(lengths, "plane = \"xy\"", "angle = 0.7, rate = 10"));
    let [_, rocker] = four_bar_rates(lengths, 0.7, 10.0);
    let twice = four_bar(lengths, "plane = \"xy\"", "angle = 0.7, rate = 10").replace(
        "between = [\"D\", \"rocker_0\"]",
        &format!("between = [\"D\", \"rocker_0\"]\nstart = {{ rate = {rocker} }}"),
    );
    let twice = start(&twice);
    twice.holds();
    twice.gives(&once.signals);
    // A drive that is there already.
    let driven = four_bar(lengths, "plane = \"xy\"", "angle = 0.7, rate = 10")
        + "[[drive]]\nname = \"motor\"\ntype = \"joint\"\njoint = \"pa\"\nposition = \"0.7 + 10*t\"\n";
    let driven = start(&driven);
    driven.holds();
    driven.gives(&once.signals);
}

/// Numbers that look like chance, the same in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    fn vector(&mut self) -> String {
        let mut one = || format!("{:.3}", self.between(-1.0, 1.0));
        format!("[{}, {}, {}]", one(), one(), one())
    }
}

/// Coordinates and rates of the joints that a chain is made of.
const TYPES: [(&str, &[[&str; 2]]); 6] = [
    ("revolute", &[["angle", "rate"]]),
    ("prismatic", &[["displacement", "displacement_rate"]]),
    ("cylindrical", &[["angle", "rate"], ["displacement", "displacement_rate"]]),
    ("planar", &[["x", "x_rate"], ["y", "y_rate"], ["angle", "angle_rate"]]),
    ("universal", &[["first_angle", "first_angle_rate"], ["second_angle", "second_angle_rate"]]),
    ("screw", &[["angle", "rate"]]),
];

/// A random chain with random start values of some of its coordinates; what is asked of its signals.
fn random_chain(random: &mut Random, bodies: usize) -> (String, Vec<f64>) {
    let (mut text, mut names, mut asked) = (String::new(), vec![], vec![]);
    let mut before = "ground".to_owned();
    for k in 0..bodies {
        text += &format!(
            "[[body]]\nname = \"b{k}\"\nmass = {:.3}\ninertia = [1, 1.2, 0.9]\nposition = {}\nvelocity = {}\n",
            random.between(0.1, 10.0),
            random.vector(),
            random.vector()
        );
        let (word, coordinates) = TYPES[(random.next() * TYPES.len() as f64) as usize];
        let axis = match word {
            "universal" => "axis = [1, 0, 0]\nsecond_axis = [0, 0.6, 0.8]".to_owned(),
            "screw" => format!("axis = {}\nlead = 0.3", random.vector()),
            _ => format!("axis = {}", random.vector()),
        };
        let mut start = vec![];
        for [coordinate, rate] in coordinates {
            for (key, span) in [(coordinate, 2.5), (rate, 20.0)] {
                if random.next() < 0.6 {
                    let value = random.between(-span, span);
                    start.push(format!("{key} = {value:.17e}"));
                    names.push(format!("j{k}.{key}"));
                    asked.push(value);
                }
            }
        }
        let start =
            if start.is_empty() { String::new() } else { format!("start = {{ {} }}", start.join(", ")) };
        text += &format!(
            "[[joint]]\nname = \"j{k}\"\ntype = \"{word}\"\nbetween = [\"{before}\", \"b{k}\"]\nat = {}\n{axis}\n{start}\n",
            random.vector()
        );
        before = format!("b{k}");
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    (text + &signals(&names), asked)
}

#[test]
fn random_chains_start_as_asked() {
    let mut random = Random(7);
    for k in 0..150 {
        let (text, asked) = random_chain(&mut random, 1 + k % 6);
        let started = start(&text);
        started.holds();
        started.gives(&asked);
    }
}

#[test]
fn random_four_bars_start_as_asked() {
    let mut random = Random(11);
    for _ in 0..150 {
        // The crank goes round: the shortest and the longest are together shorter than the others.
        let a = random.between(0.1, 0.3);
        let [b, c, d] = [(); 3].map(|()| a * random.between(2.0, 2.9));
        let (angle, rate) = (random.between(-3.1, 3.1), random.between(-50.0, 50.0));
        let settings = if random.next() < 0.5 { "plane = \"xy\"" } else { "" };
        let started =
            start(&four_bar([a, b, c, d], settings, &format!("angle = {angle:.17e}, rate = {rate:.17e}")));
        started.holds();
        let [coupler, rocker] = four_bar_rates([a, b, c, d], angle, rate);
        started.gives(&[angle, rate, coupler, rocker]);
    }
}
