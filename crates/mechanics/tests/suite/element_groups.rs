//! A group of one's own: point masses and the rods between them, taken over from the system, give the same
//! equations as one by one.

use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::element_groups::{
    ElementGroup, GroupScratch, NO_EQUATION, Offer, Places, RowLevels, Share, Term, Terms,
};
use poinsot_mechanics::joints::{Attachment, Distance, distance};
use poinsot_mechanics::{
    Body, Chart, Frame, GROUND, Instant, Level, Linearization, MAX_ROWS, MassProperties, NodeId, Scratch,
    StepPolynomial, System, SystemBuilder, Twist,
};
use std::any::Any;

/// m (a − g) on the unknowns of a node, with the slots of their block.
#[derive(Debug)]
struct PointMass {
    node: NodeId,
    mass: f64,
    block: Vec<u32>,
}

/// A rod of constant length between two points: Φ = |x₂ − x₁| − l.
#[derive(Debug)]
struct Rod {
    length: f64,
    places: Places,
}

/// Point masses and rods; `rods_only` leaves the masses to the system.
#[derive(Debug, Default)]
struct Truss {
    rods_only: bool,
    masses: Vec<PointMass>,
    rods: Vec<Rod>,
}

/// Work arrays: places and velocities of all nodes.
#[derive(Default)]
struct Points {
    x: Vec<Vec3>,
    v: Vec<Vec3>,
}

impl Points {
    fn load(&mut self, system: &System, at: &Instant) {
        self.x.clear();
        self.x.extend(at.frames.iter().map(|frame| frame.r));
        self.v.clear();
        self.v.extend((0..at.frames.len()).map(|k| system.twist(k, at.v).linear));
    }
}

impl Rod {
    fn ends(&self) -> [NodeId; 2] {
        [0, 1].map(|k| self.places.carried[k].carried.node)
    }

    fn lambda(&self, a: &[f64]) -> f64 {
        if self.places.rows[0] == NO_EQUATION { 0.0 } else { a[self.places.rows[0]] }
    }

    /// Unit vector, length and (ẋ₂ − ẋ₁).
    fn direction(&self, points: &Points) -> (Vec3, f64, Vec3) {
        let [first, second] = self.ends();
        let d = points.x[second] - points.x[first];
        (d.normalize(), d.norm(), points.v[second] - points.v[first])
    }

    /// ∂n/∂x₂.
    fn turning(n: &Vec3, l: f64) -> Mat3 {
        (Mat3::identity() - n * n.transpose()) / l
    }

    /// Adds a 3×3 block with its signs to the slots of the unknowns.
    fn add_stiffness(&self, block: &Mat3, terms: &mut Terms) {
        let n = self.places.unknowns.len();
        for (a, left) in self.places.carried.iter().enumerate().filter(|(_, place)| place.dofs > 0) {
            for (b, right) in self.places.carried.iter().enumerate().filter(|(_, place)| place.dofs > 0) {
                let sign = if a == b { 1.0 } else { -1.0 };
                for i in 0..3 {
                    for j in 0..3 {
                        let slot = self.places.block[(left.local + i) * n + right.local + j];
                        terms.add(Term::Stiffness, slot, sign * block[(i, j)]);
                    }
                }
            }
        }
    }

    /// Adds a row ±g to slots.
    fn add_row(&self, slots: &[u32], term: Term, g: &Vec3, terms: &mut Terms) {
        if self.places.rows[0] == NO_EQUATION {
            return;
        }
        for (a, place) in self.places.carried.iter().enumerate().filter(|(_, place)| place.dofs > 0) {
            let sign = if a == 0 { -1.0 } else { 1.0 };
            (0..3).for_each(|k| terms.add(term, slots[place.local + k], sign * g[k]));
        }
    }
}

impl ElementGroup for Truss {
    fn take(&mut self, offer: &mut Offer) {
        self.masses.clear();
        self.rods.clear();
        let nodes = offer.nodes();
        if !self.rods_only {
            offer.bodies(|_, body, block| {
                let mine = nodes[body.node].chart == Chart::Point;
                if mine {
                    self.masses.push(PointMass { node: body.node, mass: body.mass, block: block.to_vec() });
                }
                mine
            });
        }
        offer.constraints(|_, law, places| {
            let law: &dyn Any = law;
            let points = |places: &Places| places.carried.iter().all(|p| p.dofs == 3 || p.dofs == 0);
            let rod = law.downcast_ref::<Distance>().filter(|_| points(places));
            self.rods.extend(rod.map(|law| Rod { length: law.length(), places: places.clone() }));
            rod.is_some()
        });
    }

    fn add_residual(
        &self,
        system: &System,
        at: &Instant,
        levels: &mut RowLevels,
        out: &mut [f64],
        s: &mut GroupScratch,
    ) {
        let points: &mut Points = s.get();
        points.load(system, at);
        for body in &self.masses {
            let force = (system.twist(body.node, at.a).linear - system.gravity) * body.mass;
            let eq = system.nodes()[body.node].unknowns().start;
            (0..3).for_each(|k| out[eq + k] += force[k]);
        }
        for rod in &self.rods {
            let ((n, l, relative), lambda) = (rod.direction(points), rod.lambda(at.a));
            for (place, sign) in rod.places.carried.iter().zip([-1.0, 1.0]).filter(|(p, _)| p.dofs > 0) {
                (0..3).for_each(|k| out[place.eq + k] += sign * lambda * n[k]);
            }
            let (mut phi, mut rate) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS]);
            (phi[0], rate[0]) = (l - rod.length, n.dot(&relative));
            levels.store(&rod.places, &phi, &rate, out);
        }
    }

    fn add_tangent(
        &self,
        system: &System,
        at: &Linearization,
        share: Share,
        terms: &mut Terms,
        s: &mut GroupScratch,
    ) {
        for body in &self.masses {
            (0..3).for_each(|k| terms.add(Term::Mass, body.block[4 * k], body.mass));
        }
        if !share.constraints {
            return;
        }
        let points: &mut Points = s.get();
        points.load(system, &at.stage);
        for rod in &self.rods {
            let (n, l, _) = rod.direction(points);
            rod.add_row(&rod.places.upper, Term::Constant, &n, terms);
            rod.add_stiffness(&(Rod::turning(&n, l) * rod.lambda(at.stage.a)), terms);
        }
        points.load(system, &at.end);
        for rod in &self.rods {
            let (n, l, relative) = rod.direction(points);
            rod.add_row(&rod.places.lower, Term::Constant, &n, terms);
            if at.level == Level::Velocity {
                rod.add_row(&rod.places.lower, Term::Gamma, &(Rod::turning(&n, l) * relative), terms);
            }
        }
    }
}

/// Four point masses on a chain of rods from ground, and a rod that closes a triangle.
fn truss(group: Option<Truss>) -> System {
    let mut builder = SystemBuilder::new(Vec3::new(0.0, 0.3, -9.81));
    let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
    let at = |x: f64, y: f64, z: f64| Frame { r: Vec3::new(x, y, z), ..Frame::identity() };
    let places = [at(0.7, 0.1, -0.4), at(1.1, 0.6, -1.0), at(1.9, 0.2, -1.1), at(2.2, -0.5, -0.9)];
    let mut nodes = vec![GROUND];
    for (k, place) in places.into_iter().enumerate() {
        let node = builder.node(&format!("p{k}"), Chart::Point, place, still);
        let mass = MassProperties::new(1.0 + 0.5 * k as f64, Vec3::zeros(), Mat3::zeros());
        builder.body(Body::new(node, &mass));
        nodes.push(node);
    }
    let end = |node| Attachment { node, origin: Vec3::zeros(), axes: Mat3::identity() };
    for (a, b) in [(0, 1), (1, 2), (2, 3), (3, 4), (2, 4)] {
        let length = 0.9 + 0.1 * a as f64;
        builder.constraint(&format!("rod{a}{b}"), Box::new(distance(&end(nodes[a]), &end(nodes[b]), length)));
    }
    group.into_iter().for_each(|group| builder.group(Box::new(group)));
    builder.build()
}

fn near(left: &[f64], right: &[f64], what: &str) {
    assert_eq!(left.len(), right.len());
    for (k, (l, r)) in left.iter().zip(right).enumerate() {
        assert!((l - r).abs() <= 1e-14 * (1.0 + r.abs()), "{what}, {k}: {l} {r}");
    }
}

/// All equations and matrices of two systems at the same state agree.
fn same_equations(plain: &System, grouped: &System) {
    let mut state = plain.start_state(0.0);
    let n = plain.size();
    state.v = (0..n).map(|k| (0.37 * k as f64).sin()).collect();
    let a: Vec<f64> = (0..n).map(|k| (1.3 * k as f64).cos()).collect();
    let at = Instant { t: 0.2, frames: &state.frames, v: &state.v, a: &a, memory: &state.memory, rates: &[] };
    let identity = vec![Mat3::identity(); plain.nodes().len()];
    let both = |of: &dyn Fn(&System, &mut Scratch) -> Vec<f64>, what: &str| {
        near(&of(grouped, &mut Scratch::default()), &of(plain, &mut Scratch::default()), what);
    };
    let residual = |system: &System, s: &mut Scratch| {
        let (mut all, mut out, mut phi) = (vec![], vec![0.0; n], vec![0.0; n]);
        system.residual(&at, &mut out, s);
        all.extend_from_slice(&out);
        system.residual_with_positions(&at, &mut out, s);
        all.extend_from_slice(&out);
        system.residual_with_levels(&at, &mut out, Some(&mut phi), s);
        all.extend(out.iter().chain(&phi));
        all
    };
    both(&residual, "residuals");
    for level in [Level::Position, Level::Velocity] {
        let matrix = |system: &System, s: &mut Scratch| {
            let linear = Linearization {
                damping: 0.3,
                stiffness: 0.7,
                gamma: 0.4,
                level,
                ..Linearization::at(at, &identity)
            };
            let mut values = vec![0.0; system.pattern().nnz()];
            system.step_matrix(&linear, &mut values, s);
            let mut polynomial = StepPolynomial::new(system);
            system.step_polynomial(at, &identity, level, &mut polynomial, s);
            values.into_iter().chain(polynomial.powers.concat()).collect()
        };
        both(&matrix, "matrices");
    }
    let mass = |system: &System, s: &mut Scratch| {
        let mut values = vec![0.0; system.pattern().nnz()];
        system.mass_in_place_of_metric(&at, &mut values, s);
        values
    };
    both(&mass, "masses");
}

#[test]
fn what_a_group_takes_over_gives_the_same_equations() {
    for rods_only in [false, true] {
        same_equations(&truss(None), &truss(Some(Truss { rods_only, ..Truss::default() })));
    }
}

#[test]
fn groups_follow_when_rows_go_out_of_force() {
    let (mut plain, mut grouped) = (truss(None), truss(Some(Truss::default())));
    for system in [&mut plain, &mut grouped] {
        system.suspend_rows(&[(1, 0)]);
    }
    same_equations(&plain, &grouped);
    for system in [&mut plain, &mut grouped] {
        system.drop_rows(&[(3, 0)], false);
    }
    same_equations(&plain, &grouped);
    for system in [&mut plain, &mut grouped] {
        system.restore_rows();
    }
    same_equations(&plain, &grouped);
}
