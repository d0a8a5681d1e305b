//! Draws mechanisms.
//!
//! | what | how often |
//! |---|---|
//! | in a plane; in a turning frame; without gravity; gravity in any direction | 20 %; 3 %; 15 %; 10 % |
//! | masses between 0.2 and 10 kg; over twelve orders of magnitude | 60 %; 40 % |
//! | bodies | 1 to 7, one in eight a point mass on a rod, one in ten without a joint |
//! | joints of a tree | revolute 6, spherical 3, prismatic 2, each other kind 1; rolling 1 in 16 |
//! | friction, stops on revolute and prismatic joints | 20 %, 12 % |
//! | a four-bar linkage: in the plane, or in space with parallel axes (redundant) | 15 % |
//! | loops closed by another joint | 0 to 2, half of the models none |
//! | forces: spring 3, force, torque, torsion spring, bushing, gyrostat 1 each | 0 to 3 |
//! | drive of a joint by position or rate | 20 % |
//! | gear, belt, or linear coupling | 12 % |
//! | equation between coordinates or between velocities | 8 % |
//! | beam, free at its end or with a body there | 12 % |
//! | motor as equations, motor or elastic shaft as energies | 10 % |
//!
//! Forces, stiffnesses and torques go with the masses that they act on, so that motions take fractions of a
//! second whatever the masses are. A study lasts for some periods of the fastest of them, so that there are
//! steps of which something can be claimed. The start is what the program makes of what is drawn: it closes
//! nothing, since joints are given in the world, and projects velocities.

use crate::mechanism::{Mechanism, Piece, Watched};
use crate::random::{Random, norm, scaled, sum};

/// Frequency of a pendulum of 0.1 m, and spins that are drawn (rad/s).
const SWING: f64 = 10.0;

/// Most radians of the fastest motion that a study lasts.
const MOST_RADIANS: f64 = 25.0;

/// A body that others can be joined to.
#[derive(Clone)]
struct Placed {
    name: String,
    at: [f64; 3],
    mass: f64,
    point: bool,
}

/// A joint that others can refer to.
struct Jointed {
    name: String,
    kind: &'static str,
    /// Mass on it.
    mass: f64,
}

struct Draft {
    random: Random,
    planar: bool,
    wild: bool,
    /// The fastest of the motions (rad/s), by frequencies that were drawn.
    fastest: f64,
    pieces: Vec<Piece>,
    bodies: Vec<Placed>,
    joints: Vec<Jointed>,
}

/// The mechanism of a seed.
pub fn draw(seed: u64) -> Mechanism {
    let mut random = Random::new(seed);
    let planar = random.chance(0.2);
    let wild = random.chance(0.4);
    let head = head(&mut random, planar);
    let (pieces, bodies, joints) = (vec![], vec![], vec![]);
    let mut draft = Draft { random, planar, wild, fastest: SWING, pieces, bodies, joints };
    let beam = draft.random.chance(0.12);
    if draft.random.chance(0.15) {
        draft.four_bar();
    } else {
        let most = if beam { 3 } else { 7 };
        for _ in 0..=draft.random.below(most) {
            draft.branch();
        }
    }
    draft.loops();
    if beam {
        draft.beam();
    }
    draft.forces();
    draft.drive();
    draft.coupling();
    draft.equation();
    draft.block();
    let end = if beam { draft.random.between(0.05, 0.2) } else { draft.random.between(0.3, 1.2) };
    // Some periods of the fastest are enough.
    let (fastest, end) = (draft.fastest, end.min(MOST_RADIANS / draft.fastest));
    Mechanism { seed, head, pieces: draft.pieces, end: digits(end), length: 1.0, fastest }
}

fn head(random: &mut Random, planar: bool) -> String {
    let mut text = String::from("[model]\nname = \"random mechanism\"\n");
    let kind = random.between(0.0, 1.0);
    if planar {
        text += "plane = \"xy\"\n";
        text += if kind < 0.2 { "gravity = [0, 0, 0]\n" } else { "gravity = [0, -9.81, 0]\n" };
    } else if kind < 0.03 {
        text += &format!("gravity = [0, 0, 0]\nrotation = {}\n", vector(random.vector(4.0)));
    } else if kind < 0.18 {
        text += "gravity = [0, 0, 0]\n";
    } else if kind < 0.28 {
        text += &format!("gravity = {}\n", vector(random.vector(10.0)));
    }
    text
}

fn vector(v: [f64; 3]) -> String {
    let [x, y, z] = v.map(digits);
    format!("[{x}, {y}, {z}]")
}

/// A number with six digits: files stay readable.
fn digits(x: f64) -> f64 {
    format!("{x:.5e}").parse().expect("a number")
}

/// A velocity that the nudge is added to.
fn nudged(v: [f64; 3], planar: bool) -> String {
    let [x, y, z] = v.map(digits);
    let z = if planar { "0".into() } else { format!("\"{z} - 0.3*nudge\"") };
    format!("[\"{x} + nudge\", \"{y} + 0.5*nudge\", {z}]")
}

/// An angular velocity that the nudge is added to.
fn nudged_spin(v: [f64; 3], planar: bool) -> String {
    let [x, y, z] = v.map(digits);
    let across = |x: f64| if planar { "0".into() } else { format!("\"{x} + nudge\"") };
    format!("[{}, {}, \"{z} - nudge\"]", across(x), across(y))
}

impl Draft {
    fn add(&mut self, kind: &'static str, name: &str, needs: &[&str], watched: Watched, text: String) {
        let needs = needs.iter().filter(|need| **need != "ground").map(|need| need.to_string()).collect();
        self.pieces.push(Piece { name: name.into(), kind, needs, text, watched });
    }

    /// A point or vector within the model.
    fn place(&mut self, size: f64) -> [f64; 3] {
        let mut p = self.random.vector(size);
        if self.planar {
            p[2] = 0.0;
        }
        p
    }

    fn mass(&mut self) -> f64 {
        digits(if self.wild { self.random.decades(1e-6, 1e6) } else { self.random.decades(0.2, 10.0) })
    }

    fn body(&mut self, at: [f64; 3]) -> Placed {
        let mass = self.mass();
        self.body_of(at, mass)
    }

    /// A rigid body, by shape or by inertia.
    fn body_of(&mut self, at: [f64; 3], mass: f64) -> Placed {
        let name = format!("b{}", self.bodies.len());
        let at = at.map(digits);
        let mut text = format!("[[body]]\nname = \"{name}\"\nposition = {}\n", vector(at));
        let r = &mut self.random;
        if r.chance(0.5) {
            let size = std::array::from_fn(|_| r.decades(0.1, 0.8));
            text += &format!("shape = {{ type = \"box\", size = {}, mass = {mass:?} }}\n", vector(size));
        } else {
            let mut j: [f64; 3] = std::array::from_fn(|_| mass * r.decades(0.003, 0.3));
            j.sort_by(f64::total_cmp);
            j[2] = j[2].min(0.95 * (j[0] + j[1])).max(j[1]);
            j.rotate_left(r.below(3));
            text += &format!("mass = {mass:?}\ninertia = {}\n", vector(j));
            if r.chance(0.3) {
                let c = self.place(0.2);
                text += &format!("centre_of_mass = {}\n", vector(c));
            }
        }
        if self.random.chance(0.3) && !self.planar {
            let v = self.random.vector(2.0);
            text += &format!("orientation = {{ rotation_vector = {} }}\n", vector(v));
        }
        let moving = self.random.chance(0.4);
        let speed = if moving { self.place(2.0) } else { [0.0; 3] };
        let spin = if moving { self.random.vector(4.0) } else { [0.0; 3] };
        text += &format!("velocity = {}\n", nudged(speed, self.planar));
        text += &format!("angular_velocity = {}\n", nudged_spin(spin, self.planar));
        self.add("body", &name, &[], Watched::Body, text);
        let placed = Placed { name, at, mass, point: false };
        self.bodies.push(placed.clone());
        placed
    }

    fn point(&mut self, at: [f64; 3]) -> Placed {
        let (mass, at) = (self.mass(), at.map(digits));
        let name = format!("b{}", self.bodies.len());
        let speed = if self.random.chance(0.4) { self.place(2.0) } else { [0.0; 3] };
        let (place, speed) = (vector(at), nudged(speed, self.planar));
        let text = format!(
            "[[body]]\nname = \"{name}\"\ntype = \"point\"\nmass = {mass:?}\nposition = {place}\n\
             velocity = {speed}\n"
        );
        self.add("point", &name, &[], Watched::Point, text);
        let placed = Placed { name, at, mass, point: true };
        self.bodies.push(placed.clone());
        placed
    }

    /// A body to join to: the ground or a rigid one.
    fn parent(&mut self) -> Placed {
        let ground = Placed { name: "ground".into(), at: [0.0; 3], mass: f64::INFINITY, point: false };
        let rigid: Vec<Placed> = self.bodies.iter().filter(|b| !b.point).cloned().collect();
        if rigid.is_empty() || self.random.chance(0.25) { ground } else { self.random.one_of(&rigid) }
    }

    /// One more body of the tree, mostly on a joint.
    fn branch(&mut self) {
        let parent = self.parent();
        let offset = loop {
            let offset = self.place(0.6);
            if norm(offset) > 0.15 {
                break offset;
            }
        };
        let at = sum(parent.at, offset);
        if self.random.chance(0.12) {
            let body = self.point(at);
            return self.joint(&parent, &body, "distance", at);
        }
        if self.random.chance(0.06) && !self.planar {
            return self.roll();
        }
        let body = self.body(at);
        if self.bodies.len() > 1 && self.random.chance(0.1) {
            return;
        }
        let kinds: &[(u32, &'static str)] = if self.planar {
            &[(6, "revolute"), (2, "prismatic"), (1, "fixed"), (1, "distance"), (1, "point_on_line")]
        } else {
            &[
                (6, "revolute"),
                (3, "spherical"),
                (2, "prismatic"),
                (1, "cylindrical"),
                (1, "universal"),
                (1, "planar"),
                (1, "screw"),
                (1, "fixed"),
                (1, "distance"),
                (1, "constant_velocity"),
                (1, "point_on_line"),
                (1, "point_on_plane"),
                (1, "point_on_curve"),
            ]
        };
        let kind = self.random.weighted(kinds);
        let shift = self.place(0.1);
        let between = sum(sum(parent.at, scaled(offset, 0.5)), shift);
        self.joint(&parent, &body, kind, between);
    }

    /// A ball, disk or skate on the ground.
    fn roll(&mut self) {
        let kind = self.random.one_of(&["rolling_ball", "rolling_disk", "knife_edge"]);
        let radius = digits(self.random.between(0.1, 0.5));
        let mut at = self.place(1.0);
        at[2] = radius;
        let body = self.body(at);
        let name = format!("j{}", self.joints.len());
        let mut text = format!("[[joint]]\nname = \"{name}\"\ntype = \"{kind}\"\n");
        text += &format!("between = [\"ground\", \"{}\"]\nnormal = [0, 0, 1]\n", body.name);
        let below = [body.at[0], body.at[1], 0.0];
        text += &match kind {
            "knife_edge" => format!("at = {}\naxis = [1, 0, 0]\n", vector(body.at)),
            "rolling_disk" => format!("radius = {radius:?}\nat = {}\naxle = [0, 1, 0]\n", vector(below)),
            _ => format!("radius = {radius:?}\nat = {}\n", vector(below)),
        };
        self.add(kind, &name, &[&body.name], Watched::Nothing, text);
        self.joints.push(Jointed { name, kind, mass: body.mass });
        if kind == "knife_edge" {
            self.joint(&ground(), &body, "planar_z", body.at);
        }
    }

    /// A joint between two bodies at a point of the world.
    fn joint(&mut self, a: &Placed, b: &Placed, kind: &'static str, at: [f64; 3]) {
        let mut axis = if self.planar { [0.0, 0.0, 1.0] } else { self.random.direction() };
        let along = matches!(kind, "prismatic" | "point_on_line");
        if self.planar && along {
            let angle = self.random.between(0.0, std::f64::consts::TAU);
            axis = [angle.cos(), angle.sin(), 0.0];
        }
        let (kind, axis) = if kind == "planar_z" { ("planar", [0.0, 0.0, 1.0]) } else { (kind, axis) };
        self.joint_along(a, b, kind, at, axis);
    }

    fn joint_along(&mut self, a: &Placed, b: &Placed, kind: &'static str, at: [f64; 3], axis: [f64; 3]) {
        let name = format!("j{}", self.joints.len());
        let mut text = format!("[[joint]]\nname = \"{name}\"\ntype = \"{kind}\"\n");
        text += &format!("between = [\"{}\", \"{}\"]\n", a.name, b.name);
        let mass = a.mass.min(b.mass);
        match kind {
            "distance" => {
                let from = if a.point { a.at } else { sum(a.at, self.place(0.1)) };
                text += &format!("points = [{}, {}]\n", vector(from), vector(at));
            }
            "point_on_curve" => {
                let r = digits(self.random.between(0.3, 1.0));
                text += &format!("curve = [\"{r}*sin(s)\", 0, \"{r}*(1 - cos(s))\"]\n");
                text += &format!("at = {0}\npoint = {0}\n", vector(at));
            }
            "point_on_line" | "point_on_plane" => {
                text += &format!("at = {0}\npoint = {0}\naxis = {1}\n", vector(at), vector(axis));
            }
            "spherical" | "fixed" => text += &format!("at = {}\n", vector(at)),
            _ => text += &format!("at = {}\naxis = {}\n", vector(at), vector(axis)),
        }
        match kind {
            "universal" => text += &format!("second_axis = {}\n", vector(across(axis))),
            "constant_velocity" => {
                let bend = self.random.vector(0.3);
                text += &format!("second_axis = {}\n", vector(sum(axis, bend)));
            }
            "screw" => {
                let lead = self.random.decades(0.02, 1.0) * self.random.one_of(&[-1.0, 1.0]);
                text += &format!("lead = {:?}\n", digits(lead));
            }
            "revolute" | "prismatic" => text += &self.rubbing(kind, mass),
            _ => {}
        }
        self.add(kind, &name, &[&a.name, &b.name], Watched::Nothing, text);
        self.joints.push(Jointed { name, kind, mass });
    }

    /// Friction and stops of a joint.
    fn rubbing(&mut self, kind: &str, mass: f64) -> String {
        let mut text = String::new();
        let r = &mut self.random;
        if r.chance(0.2) {
            let held = r.between(0.05, 0.6);
            let (sliding, smooth) = (digits(held * r.between(0.5, 1.0)), digits(r.decades(1e-3, 1e-1)));
            let mut table = format!("static = {:?}, dynamic = {sliding:?}, ", digits(held));
            table += &format!("transition_velocity = {smooth:?}");
            if kind == "revolute" {
                table += &format!(", radius = {:?}", digits(r.between(0.005, 0.05)));
            }
            if r.chance(0.4) {
                table += &format!(", arm = {:?}", digits(r.between(0.05, 0.5)));
            }
            if r.chance(0.3) {
                table += &format!(", preload = {:?}", digits(mass * r.decades(0.1, 10.0)));
            }
            text += &format!("friction = {{ {table} }}\n");
        }
        if r.chance(0.12) {
            let (lower, upper) = (digits(-r.between(0.05, 1.0)), digits(r.between(0.05, 1.0)));
            let omega = r.decades(10.0, 200.0);
            self.fastest = self.fastest.max(omega);
            let stiffness = digits(mass * omega.powi(2) * 0.05);
            let r = &mut self.random;
            let damping = r.one_of(&[0.0, 0.0, 0.1, 1.0]);
            text += &format!(
                "limits = {{ lower = {lower:?}, upper = {upper:?}, \
                 stiffness = {stiffness:?}, damping = {damping:?} }}\n"
            );
        }
        text
    }

    /// Crank, coupler and rocker on four parallel axes; in space five of the rows are redundant.
    fn four_bar(&mut self) {
        let r = &mut self.random;
        let (crank, base) = (r.between(0.15, 0.3), r.between(0.7, 1.0));
        let angle = r.between(0.0, std::f64::consts::TAU);
        let elbow = [crank * angle.cos(), crank * angle.sin(), 0.0];
        let knee = [base * r.between(0.7, 1.1), r.between(0.5, 0.9), 0.0];
        let foot = [base, 0.0, 0.0];
        let middle = |a: [f64; 3], b: [f64; 3]| scaled(sum(a, b), 0.5);
        let mass = self.mass();
        let bars = [middle([0.0; 3], elbow), middle(elbow, knee), middle(knee, foot)];
        let [a, b, c] = bars.map(|at| {
            let mass = digits(mass * self.random.decades(0.1, 10.0));
            self.body_of(at, mass)
        });
        let z = [0.0, 0.0, 1.0];
        self.joint_along(&ground(), &a, "revolute", [0.0; 3], z);
        self.joint_along(&a, &b, "revolute", elbow, z);
        self.joint_along(&b, &c, "revolute", knee, z);
        self.joint_along(&ground(), &c, "revolute", foot, z);
    }

    /// Joints that close loops.
    fn loops(&mut self) {
        let count = self.random.one_of(&[0, 0, 0, 1, 1, 2]);
        for _ in 0..count {
            let b = self.random.one_of(&self.bodies.clone());
            let a = self.parent();
            if a.name == b.name {
                continue;
            }
            let kinds: &[(u32, &'static str)] = if b.point {
                &[(1, "distance")]
            } else if self.planar {
                &[(2, "distance"), (1, "revolute"), (2, "point_on_line")]
            } else {
                &[
                    (4, "distance"),
                    (2, "spherical"),
                    (3, "point_on_plane"),
                    (1, "revolute"),
                    (1, "point_on_line"),
                ]
            };
            let kind = self.random.weighted(kinds);
            let shift = if b.point { [0.0; 3] } else { self.place(0.3) };
            self.joint(&a, &b, kind, sum(b.at, shift));
        }
    }

    fn forces(&mut self) {
        let count = self.random.one_of(&[0, 0, 1, 1, 2, 3]);
        for k in 0..count {
            let name = format!("f{k}");
            let b = self.random.one_of(&self.bodies.clone());
            let a = self.parent();
            let kinds =
                [(3, "spring"), (1, "force"), (1, "torque"), (1, "torsion"), (1, "bushing"), (1, "gyrostat")];
            match self.random.weighted(&kinds) {
                "spring" if a.name != b.name => self.spring(&name, &a, &b),
                "force" => self.push(&name, &b),
                "torque" if !b.point => self.twist(&name, &b),
                "torsion" => self.torsion(&name),
                "bushing" if !b.point && a.name != b.name => self.bushing(&name, &a, &b),
                "gyrostat" if !b.point && !self.planar => self.gyrostat(&name, &b),
                _ => {}
            }
        }
    }

    /// Circular frequency of a spring on its mass: motions with a few radians to a few hundred.
    fn frequency(&mut self) -> f64 {
        let omega = self.random.decades(2.0, if self.wild { 1000.0 } else { 100.0 });
        self.fastest = self.fastest.max(omega);
        omega
    }

    fn spring(&mut self, name: &str, a: &Placed, b: &Placed) {
        let (mass, omega) = (a.mass.min(b.mass), self.frequency());
        let from = sum(a.at, self.place(1.0));
        let mut text = format!("[[force]]\nname = \"{name}\"\ntype = \"spring\"\n");
        text += &format!("between = [\"{}\", \"{}\"]\n", a.name, b.name);
        text += &format!("points = [{}, {}]\n", vector(from), vector(b.at));
        text += &format!("stiffness = {:?}\n", digits(mass * omega * omega));
        let r = &mut self.random;
        if r.chance(0.5) {
            text += &format!("damping = {:?}\n", digits(mass * omega * r.decades(0.01, 2.0)));
        }
        if r.chance(0.5) {
            text += &format!("length = {:?}\n", digits(r.between(0.05, 2.0)));
        }
        if r.chance(0.3) {
            let law =
                r.one_of(&["5*sin(3*t)", "3*tanh(rate/0.5)", "abs(rate)*rate", "max(length - 0.4, 0)*30"]);
            text += &format!("force = \"{mass:?}*({law})\"\n");
        }
        self.add("spring", name, &[&a.name, &b.name], Watched::Nothing, text);
    }

    fn push(&mut self, name: &str, b: &Placed) {
        let frame = if b.point { "world" } else { self.random.one_of(&["world", "body"]) };
        let (m, y) = (b.mass, digits(b.mass * self.random.between(-5.0, 5.0)));
        let z = if self.planar { "0".into() } else { format!("\"{m:?}*cos(3*t)\"") };
        let text = format!(
            "[[force]]\nname = \"{name}\"\ntype = \"force\"\non = \"{}\"\n\
             force = [\"{m:?}*4*sin(2*t)\", {y:?}, {z}]\nframe = \"{frame}\"\n",
            b.name
        );
        self.add("force", name, &[&b.name], Watched::Nothing, text);
    }

    fn twist(&mut self, name: &str, b: &Placed) {
        let m = digits(0.05 * b.mass);
        let torque = match self.planar {
            true => format!("[0, 0, \"{m:?}*sin(5*t)\"]"),
            false => format!("[\"{m:?}*sin(3*t)\", {m:?}, \"{m:?}*cos(2*t)\"]"),
        };
        let frame = self.random.one_of(&["world", "body"]);
        let text = format!(
            "[[force]]\nname = \"{name}\"\ntype = \"torque\"\non = \"{}\"\ntorque = {torque}\n\
             frame = \"{frame}\"\n",
            b.name
        );
        self.add("torque", name, &[&b.name], Watched::Nothing, text);
    }

    /// A joint that has an angle of its own.
    fn hinge(&mut self) -> Option<(String, f64)> {
        let hinges = self.joints.iter().filter(|j| matches!(j.kind, "revolute" | "cylindrical"));
        let hinges: Vec<(String, f64)> = hinges.map(|j| (j.name.clone(), j.mass)).collect();
        (!hinges.is_empty()).then(|| self.random.one_of(&hinges))
    }

    fn torsion(&mut self, name: &str) {
        let Some((joint, mass)) = self.hinge() else { return };
        let (inertia, omega) = (0.05 * mass, self.frequency());
        let r = &mut self.random;
        let mut text = format!("[[force]]\nname = \"{name}\"\ntype = \"torsion\"\njoint = \"{joint}\"\n");
        text += &format!("stiffness = {:?}\n", digits(inertia * omega * omega));
        text += &format!("damping = {:?}\n", digits(inertia * omega * r.decades(0.001, 1.0)));
        if r.chance(0.4) {
            text += &format!("torque = \"{:?}*sin(4*t)\"\n", digits(inertia * r.between(-20.0, 20.0)));
        }
        self.add("torsion", name, &[&joint], Watched::Nothing, text);
    }

    fn bushing(&mut self, name: &str, a: &Placed, b: &Placed) {
        let mass = a.mass.min(b.mass);
        let k: [f64; 6] = std::array::from_fn(|i| {
            let inertia = if i < 3 { mass } else { 0.05 * mass };
            digits(inertia * self.frequency().powi(2))
        });
        let mut text = format!("[[force]]\nname = \"{name}\"\ntype = \"bushing\"\n");
        text += &format!("between = [\"{}\", \"{}\"]\nat = {}\n", a.name, b.name, vector(b.at));
        text += &format!("stiffness = {k:?}\n");
        if self.random.chance(0.5) {
            text += &format!("damping = {:?}\n", k.map(|k| digits(0.01 * k)));
        }
        self.add("bushing", name, &[&a.name, &b.name], Watched::Nothing, text);
    }

    fn gyrostat(&mut self, name: &str, b: &Placed) {
        let (axis, h) = (self.random.direction(), digits(b.mass * self.random.between(-1.0, 1.0)));
        let text = format!(
            "[[force]]\nname = \"{name}\"\ntype = \"gyrostat\"\non = \"{}\"\naxis = {}\nmomentum = {h:?}\n",
            b.name,
            vector(axis)
        );
        self.add("gyrostat", name, &[&b.name], Watched::Nothing, text);
    }

    fn drive(&mut self) {
        if !self.random.chance(0.2) {
            return;
        }
        let driven = |j: &&Jointed| matches!(j.kind, "revolute" | "prismatic" | "cylindrical" | "screw");
        let joints: Vec<(String, &str)> =
            self.joints.iter().filter(driven).map(|j| (j.name.clone(), j.kind)).collect();
        if joints.is_empty() {
            return;
        }
        let r = &mut self.random;
        let (joint, kind) = r.one_of(&joints);
        let coordinate =
            if matches!(kind, "cylindrical" | "screw") { "coordinate = \"angle\"\n" } else { "" };
        let (a, w) = (digits(r.between(0.1, 0.6)), digits(r.between(1.0, 6.0)));
        let law = r.one_of(&[
            format!("position = \"{a:?}*(1 - cos({w:?}*t))\""),
            format!("rate = \"{w:?}*smootherstep(t/0.3)\""),
            format!("position = \"{a:?}*smootherstep(t/0.5)\""),
        ]);
        let text =
            format!("[[drive]]\nname = \"d0\"\ntype = \"joint\"\njoint = \"{joint}\"\n{coordinate}{law}\n");
        self.add("drive", "d0", &[&joint], Watched::Nothing, text);
    }

    fn coupling(&mut self) {
        if !self.random.chance(0.12) {
            return;
        }
        let (Some((a, _)), Some((b, _))) = (self.hinge(), self.hinge()) else { return };
        if a == b {
            return;
        }
        let r = &mut self.random;
        let teeth = [8 + r.below(70), 8 + r.below(70)];
        let (kind, keys) = r.one_of(&[
            ("gear", format!("joints = [\"{a}\", \"{b}\"]\nteeth = {teeth:?}\n")),
            ("belt", format!("joints = [\"{a}\", \"{b}\"]\nradii = [0.{}, 0.{}]\n", teeth[0], teeth[1])),
            (
                "linear",
                format!(
                    "terms = [{{ coordinate = \"{a}.angle\", factor = 1 }}, \
                     {{ coordinate = \"{b}.angle\", factor = -0.5 }}]\n"
                ),
            ),
        ]);
        let text = format!("[[coupling]]\nname = \"c0\"\ntype = \"{kind}\"\n{keys}");
        self.add("coupling", "c0", &[&a, &b], Watched::Nothing, text);
    }

    /// An equation between coordinates, or one that is linear in velocities.
    fn equation(&mut self) {
        if !self.random.chance(0.08) {
            return;
        }
        let b = self.random.one_of(&self.bodies.clone());
        let [x, y, z] = b.at;
        let n = &b.name;
        let (kind, equation) = if self.random.chance(0.5) {
            let here = x * x + 2.0 * y * y;
            let tail = if self.planar { String::new() } else { format!(" + 0.3*({n}.position.z - ({z:?}))") };
            let text = format!("{n}.position.x^2 + 2*{n}.position.y^2{tail} - ({here:?})");
            ("surface", text)
        } else {
            let text =
                format!("{n}.velocity.x*(1 + 0.5*{n}.position.y) - 0.7*{n}.velocity.y*cos({n}.position.x)");
            ("velocity_equation", text)
        };
        let text = format!("[[constraint]]\nname = \"e0\"\nequation = \"{equation}\"\n");
        self.add(kind, "e0", &[n], Watched::Nothing, text);
    }

    fn beam(&mut self) {
        let r = &mut self.random;
        let formulation = r.one_of(&["director", "director", "motion"]);
        let (order, elements) = (1 + r.below(3), r.one_of(&[1, 2, 4]));
        let length = r.decades(0.3, 2.0);
        let (young, density) = (digits(r.decades(1e6, 1e9)), digits(r.decades(300.0, 8000.0)));
        let axis = if self.planar { [1.0, 0.0, 0.0] } else { self.random.direction() };
        let from = self.place(0.5).map(digits);
        let to = sum(from, scaled(axis, length)).map(digits);
        let r = &mut self.random;
        let (width, thickness) = (digits(r.between(0.02, 0.08)), digits(r.decades(0.002, 0.02)));
        let section = r.one_of(&[
            format!("type = \"circle\", diameter = {width:?}"),
            format!("type = \"rectangle\", width = {width:?}, height = 0.05"),
            format!("type = \"tube\", diameter = 0.06, thickness = {thickness:?}"),
        ]);
        let start = r.one_of(&["clamped", "clamped", "pinned", "free"]);
        // The second bending frequency of a clamped rod of 3 cm.
        let bending = 22.0 / (length * length) * (young / density).sqrt() * 0.008;
        self.fastest = self.fastest.max(bending);
        let r = &mut self.random;
        let mut text = format!("[[beam]]\nname = \"rod\"\nfrom = {}\nto = {}\n", vector(from), vector(to));
        text += &format!("elements = {elements}\norder = {order}\nformulation = \"{formulation}\"\n");
        text += &format!("section = {{ {section}, young = {young:?}, density = {density:?} }}\n");
        text += &format!("start = \"{start}\"\n");
        if r.chance(0.6) {
            text += &format!("stiffness_damping = {:?}\n", digits(r.decades(1e-5, 1e-2)));
        }
        let tip = r.chance(0.4);
        self.add("beam", "rod", &[], Watched::Beam, text);
        if tip {
            let mass = digits(density * 1e-3 * length * self.random.decades(0.1, 10.0));
            let body = self.body_of(to, mass);
            let rod = Placed { name: "rod".into(), at: to, mass, point: false };
            let kind = self.random.one_of(&["fixed", "spherical"]);
            let kind = if self.planar { "fixed" } else { kind };
            self.joint_along(&rod, &body, kind, to, [0.0, 0.0, 1.0]);
            let joint = self.pieces.last_mut().expect("the joint");
            joint.text = joint.text.replace("between = [\"rod\"", "between = [\"rod.end\"");
        }
    }

    /// A motor or an elastic shaft on a joint.
    fn block(&mut self) {
        if !self.random.chance(0.1) {
            return;
        }
        let Some((joint, mass)) = self.hinge() else { return };
        let r = &mut self.random;
        let inertia = digits(0.05 * mass);
        let (k, l) = (digits(inertia.sqrt()), digits(r.decades(0.005, 0.1)));
        let u = digits(inertia.sqrt() * r.between(5.0, 30.0));
        let (kind, variables, text) = match r.below(3) {
            0 => (
                "equations",
                vec!["i"],
                format!(
                    "[[equations]]\nname = \"motor\"\n\
                     variables = {{ i = {{ start = 0, nominal = {k:?} }} }}\n\
                     equations = [\"{l:?}*der(i) = {u:?}*sin(5*t) - i - {k:?}*{joint}.rate\"]\n\
                     loads = {{ \"{joint}.angle\" = \"{k:?}*i\" }}\n"
                ),
            ),
            1 => (
                "energies",
                vec!["i"],
                format!(
                    "[[lagrangian]]\nname = \"motor\"\nmodel = \"\"\"\n\
                     L = {l:?}; K = {k:?}; U = {u:?}*sin(5*t);\n\
                     DisplacementVariables = [q]; FlowVariables = [i];\nKineticCoEnergy = L*i^2/2;\n\
                     DissipationFunction = i^2/2;\nGeneralizedEfforts = [U - K*w];\n\
                     InitialDisplacements = [0]; InitialFlows = [0];\n\"\"\"\n\
                     read = {{ w = \"{joint}.rate\" }}\nloads = {{ \"{joint}.angle\" = \"K*i\" }}\n"
                ),
            ),
            _ => {
                let stiffness = digits(inertia * r.decades(5.0, 60.0).powi(2));
                (
                    "energies",
                    vec!["q"],
                    format!(
                        "[[lagrangian]]\nname = \"motor\"\nmodel = \"\"\"\n\
                         J = {inertia:?}; c = {stiffness:?};\n\
                         DisplacementVariables = [q]; FlowVariables = [w];\nKineticCoEnergy = J*w^2/2;\n\
                         PotentialEnergy = c*(q - angle)^2/2;\nGeneralizedEfforts = [0];\n\
                         InitialDisplacements = [0.2]; InitialFlows = [0];\n\"\"\"\n\
                         read = {{ angle = \"{joint}.angle\" }}\n"
                    ),
                )
            }
        };
        let variables = variables.into_iter().map(String::from).collect();
        self.add(kind, "motor", &[&joint], Watched::Variables(variables), text);
    }
}

fn ground() -> Placed {
    Placed { name: "ground".into(), at: [0.0; 3], mass: f64::INFINITY, point: false }
}

/// A direction across another.
fn across(a: [f64; 3]) -> [f64; 3] {
    let other = if a[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let along: f64 = (0..3).map(|k| a[k] * other[k]).sum();
    let v: [f64; 3] = std::array::from_fn(|k| other[k] - along * a[k]);
    scaled(v, 1.0 / norm(v))
}
