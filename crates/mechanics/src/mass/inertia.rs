//! Inertia that couples nodes: a constant mass matrix between carried vectors, such as the consistent mass of
//! a beam.
//!
//! ```text
//! T = ½ Σ_ab M_ab ẋ_a·ẋ_b,      p_a = Σ_b M_ab ẋ_b
//! f_a = Σ_b M_ab (ẍ_b − c₀ g)                        inertia less weight; no weight on slopes
//! ```
//! M is constant in natural coordinates (energy-momentum-null-space I-40); weight is the inertia force of a
//! frame that falls freely. In the unknowns of charts, with ẍ = P a + ẍ(v) and P = ∂x/∂q,
//!
//! ```text
//! R = Σ_a P_aᵀ f_a,   ∂R/∂a = P_aᵀ M_ab P_b,   ∂R/∂v = P_aᵀ M_ab ∂ẍ_b/∂v,   ∂R/∂q = P_aᵀ M_ab ∂ẍ_b/∂q + (∂P_aᵀ/∂q) f_a
//! ```

use crate::assembly::{Linearization, MAX_LOCAL, Scratch, Term, Terms, ZERO, add_loads, clear_rows};
use crate::element_buffers::MAX_CARRIED;
use crate::energy::Balance;
use crate::flexible::FlexibleInertia;
use crate::nodes::carried::{Carried, Columns, columns};
use crate::nodes::chart::{Chart, Frame, Twist};
use crate::nodes::natural::FrameRate;
use crate::system::state::Instant;
use crate::system::{Places, System};
use poinsot_geometry::{Mat3, Vec3, so3};

/// A constant mass matrix between carried vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct Inertia {
    carried: Vec<Carried>,
    /// M_ab, row by row.
    mass: Vec<f64>,
    /// (a, b, M_ab) where that is not zero.
    entries: Vec<(usize, usize, f64)>,
}

impl Inertia {
    /// From the carried vectors and the function M_ab, which must be symmetric.
    pub fn new(carried: Vec<Carried>, mass: impl Fn(usize, usize) -> f64) -> Self {
        let n = carried.len();
        let mass: Vec<f64> = (0..n * n).map(|k| mass(k / n, k % n)).collect();
        let entries = mass.iter().enumerate().filter(|(_, m)| **m != 0.0).map(|(k, m)| (k / n, k % n, *m));
        Inertia { carried, entries: entries.collect(), mass }
    }

    /// The carried vectors.
    pub fn carried(&self) -> &[Carried] {
        &self.carried
    }

    /// M_ab.
    #[inline]
    pub fn coefficient(&self, a: usize, b: usize) -> f64 {
        self.mass[a * self.carried.len() + b]
    }

    /// Mass in a common translation (kg).
    pub fn total(&self) -> f64 {
        let n = self.carried.len();
        (0..n * n).map(|k| self.mass[k] * self.carried[k / n].place() * self.carried[k % n].place()).sum()
    }

    /// y_a = Σ_b M_ab x_b.
    #[inline]
    pub fn apply(&self, x: &[Vec3], y: &mut [Vec3]) {
        y.fill(Vec3::zeros());
        for &(a, b, m) in &self.entries {
            y[a] += x[b] * m;
        }
    }

    /// The weight on each carried vector, Σ_b M_ab c₀ g over the places.
    pub(crate) fn weight(&self, gravity: &Vec3, f: &mut [Vec3]) {
        let n = self.carried.len();
        for (f, row) in f.iter_mut().zip(self.mass.chunks_exact(n)) {
            *f = gravity * row.iter().zip(&self.carried).map(|(m, c)| m * c.place()).sum::<f64>();
        }
    }

    /// Adds Σ left_aᵀ M_ab right_b to a local matrix; `W` columns are reserved for a vector.
    #[inline]
    pub(crate) fn add_products<const L: usize, const W: usize>(
        &self,
        places: &Places,
        left: &[[Vec3; W]],
        right: &[[Vec3; W]],
        local: &mut [[f64; L]; L],
    ) {
        for &(a, b, m) in &self.entries {
            let (pa, pb) = (&places.carried[a], &places.carried[b]);
            for i in pa.moves() {
                let moved = left[a][i] * m;
                for j in pb.moves() {
                    local[pa.local + i][pb.local + j] += moved.dot(&right[b][j]);
                }
            }
        }
    }
}

/// r̈ − g and R̈ = R(α̃ + ω̃ω̃) of a node, so that a carried vector has ẍ − c₀ g = c₀ (r̈ − g) + R̈ c;
/// slopes do not fall, theirs is r̈.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NaturalAcceleration {
    origin: Vec3,
    directors: Mat3,
}

impl NaturalAcceleration {
    const ZERO: Self = NaturalAcceleration { origin: Vec3::new(0.0, 0.0, 0.0), directors: ZERO };

    #[inline]
    fn new(z: &Frame, v: &Twist, a: &Twist, gravity: &Vec3) -> Self {
        let w = &v.angular;
        let mut spin = w * w.transpose() + so3::skew(&a.angular);
        let square = w.norm_squared();
        (0..3).for_each(|k| spin[(k, k)] -= square);
        NaturalAcceleration { origin: a.linear - gravity, directors: z.rot * spin }
    }

    #[inline]
    fn of(&self, c: &Carried) -> Vec3 {
        self.origin * c.c0 + self.directors * c.c
    }
}

/// An inertia of the system and where its numbers go.
#[derive(Clone, Debug)]
pub(crate) struct InertiaEntry {
    pub law: Inertia,
    pub places: Places,
    /// Whether a group evaluates it.
    pub taken: bool,
}

/// ∂ẍ/∂v = −R((ω × c)~ + ω̃ c̃) on the rotations of a chart.
fn spin_columns(chart: &Chart, z: &Frame, v: &Twist, c: &Vec3) -> Columns {
    let mut p = [Vec3::zeros(); 6];
    let by_spin = || -(z.rot * (so3::skew(&v.angular.cross(c)) + so3::skew(&v.angular) * so3::skew(c)));
    match chart {
        Chart::Motion => {
            let by_spin = by_spin();
            (0..3).for_each(|k| p[3 + k] = by_spin.column(k).into_owned());
        }
        Chart::Planar { normal, .. } => p[2] = by_spin() * normal,
        _ => {}
    }
    p
}

impl System {
    /// Accelerations of the watched nodes, used until the next load; twists must be loaded.
    fn load_accelerations(&self, at: &Instant, s: &mut Scratch) {
        s.accelerations.resize(self.nodes.len(), NaturalAcceleration::ZERO);
        for &k in &self.watched {
            let (a, still) = (self.twist(k, at.a), Vec3::zeros());
            let gravity = if self.nodes[k].chart.is_slope() { &still } else { &self.gravity };
            s.accelerations[k] = NaturalAcceleration::new(&at.frames[k], &s.twists[k], &a, gravity);
        }
    }

    /// Inertia less weight of an entry into `s.f`; accelerations must be loaded.
    #[inline]
    fn load_inertia_force(&self, entry: &InertiaEntry, s: &mut Scratch) {
        for (place, x) in entry.places.carried.iter().zip(&mut s.xdot) {
            *x = s.accelerations[place.carried.node].of(&place.carried);
        }
        let n = entry.places.carried.len();
        entry.law.apply(&s.xdot[..n], &mut s.f[..n]);
    }

    /// Adds inertia less weight of what couples nodes to the loads; twists must be loaded.
    pub(crate) fn add_coupled_inertia(&self, at: &Instant, s: &mut Scratch) {
        let mut entries = self.inertias.iter().filter(|entry| !entry.taken).peekable();
        if entries.peek().is_some() {
            self.load_accelerations(at, s);
        }
        for entry in entries {
            self.load_inertia_force(entry, s);
            add_loads(&entry.places, &s.f, 1.0, &mut s.loads);
        }
    }

    /// Its share of the step matrix; twists must be loaded.
    pub(crate) fn add_coupled_inertia_tangent(&self, at: &Linearization, terms: &mut Terms, s: &mut Scratch) {
        let frames = at.stage.frames;
        let mut entries = self.inertias.iter().filter(|entry| !entry.taken).peekable();
        if entries.peek().is_some() {
            self.load_accelerations(&at.stage, s);
        }
        for entry in entries {
            let (law, places) = (&entry.law, &entry.places);
            let unknowns = places.unknowns.len();
            self.columns(places, frames, s);
            clear_rows(&mut s.local.k[..unknowns], unknowns);
            law.add_products::<MAX_LOCAL, 6>(places, &s.p, &s.p, &mut s.local.k);
            terms.add_block(Term::Mass, 1.0, &s.local.k, &places.block, unknowns);
            if at.damping != 0.0 {
                for (p, place) in s.p_rate.iter_mut().zip(&places.carried) {
                    let c = &place.carried;
                    *p = spin_columns(&self.nodes[c.node].chart, &frames[c.node], &s.twists[c.node], &c.c);
                }
                clear_rows(&mut s.local.c[..unknowns], unknowns);
                law.add_products::<MAX_LOCAL, 6>(places, &s.p, &s.p_rate, &mut s.local.c);
                terms.add_block(Term::Damping, 1.0, &s.local.c, &places.block, unknowns);
            }
            if at.stiffness != 0.0 {
                for (p, place) in s.p_rate.iter_mut().zip(&places.carried) {
                    let (c, w) = (&place.carried, &s.twists[place.carried.node].angular);
                    let turned = self.twist(c.node, at.stage.a).angular.cross(&c.c) + w.cross(&w.cross(&c.c));
                    *p = columns(&self.nodes[c.node].chart, &frames[c.node], 0.0, &turned);
                }
                clear_rows(&mut s.local.k[..unknowns], unknowns);
                law.add_products::<MAX_LOCAL, 6>(places, &s.p, &s.p_rate, &mut s.local.k);
                self.load_inertia_force(entry, s);
                self.add_geometric(places, frames, s);
                self.turn_columns(&mut s.local.k[..unknowns], places, at.stage_tangent);
                terms.add_block(Term::Stiffness, 1.0, &s.local.k, &places.block, unknowns);
            }
        }
    }

    /// Adds energies and momenta of what couples nodes; `centre_of_mass` is a sum of mass times place.
    /// Returns the mass.
    pub(crate) fn add_coupled_balance(&self, at: &Instant, b: &mut Balance) -> f64 {
        let mut total = 0.0;
        for entry in &self.inertias {
            let (mut x, mut v, mut p) =
                ([Vec3::zeros(); MAX_CARRIED], [Vec3::zeros(); MAX_CARRIED], [Vec3::zeros(); MAX_CARRIED]);
            let n = entry.law.carried().len();
            for (k, c) in entry.law.carried().iter().enumerate() {
                let z = &at.frames[c.node];
                x[k] = c.value(z);
                let by_twist = || c.velocity(z, &self.twist(c.node, at.v));
                v[k] = at.rates.get(c.node).map_or_else(by_twist, |w: &FrameRate| w.of(c));
            }
            entry.law.apply(&x[..n], &mut p[..n]);
            let moment: Vec3 = p.iter().zip(entry.law.carried()).map(|(p, c)| p * c.place()).sum();
            b.centre_of_mass += moment;
            b.potential -= self.gravity.dot(&moment);
            entry.law.apply(&v[..n], &mut p[..n]);
            for (k, c) in entry.law.carried().iter().enumerate() {
                b.kinetic += 0.5 * p[k].dot(&v[k]);
                b.momentum += p[k] * c.place();
                b.angular_momentum += x[k].cross(&p[k]);
            }
            total += entry.law.total();
        }
        total
    }

    /// Inertias that couple nodes.
    pub fn inertias(&self) -> impl Iterator<Item = &Inertia> {
        self.inertias.iter().map(|entry| &entry.law)
    }

    /// Mass of the directors of a node, the trace of its Euler tensor, without that shared with other nodes
    /// (kg·m²).
    pub fn director_mass(&self, node: usize) -> f64 {
        let bodies = self.bodies().filter(|body| body.node == node).map(|body| body.euler_tensor().trace());
        let own = |i: &Inertia| -> f64 {
            let carried = i.carried.iter().enumerate().filter(|(_, c)| c.node == node);
            carried.map(|(a, c)| i.coefficient(a, a) * c.c.norm_squared()).sum()
        };
        bodies.sum::<f64>() + self.inertias().map(own).sum::<f64>()
    }

    /// Masses of bodies, of elements with mass and of flexible bodies (kg).
    pub(crate) fn masses(&self) -> impl Iterator<Item = f64> + '_ {
        let coupled = self.inertias().map(Inertia::total).chain(self.flexible().map(FlexibleInertia::mass));
        self.bodies().map(|body| body.mass).chain(coupled)
    }

    /// Mass of everything (kg).
    pub fn total_mass(&self) -> f64 {
        self.masses().sum()
    }

    /// The largest mass of a body or of an element with mass (kg).
    pub fn largest_mass(&self) -> f64 {
        self.masses().fold(0.0, f64::max)
    }
}
