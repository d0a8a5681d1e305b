//! Inertia in natural coordinates, where it is constant.

use crate::assembly::{clear_rows, scatter_block};
use crate::conserving::layout::{Conserving, Kind};
use crate::conserving::step::{ConservingScratch, MAX_LOCAL};
use crate::element_buffers::MAX_CARRIED;
use crate::nodes::chart::Chart;
use crate::nodes::natural::FrameRate;
use poinsot_geometry::{Mat3, Vec3};

impl Conserving<'_> {
    /// The natural velocity or acceleration that components in the unknowns of a node stand for.
    #[inline]
    pub fn natural_rate(&self, id: usize, u: &[f64]) -> FrameRate {
        match &self.nodes[id].kind {
            Kind::Directors => {
                FrameRate { r: Vec3::new(u[0], u[1], u[2]), rot: Mat3::from_column_slice(&u[3..12]) }
            }
            Kind::PlaneDirectors(plane) => plane.rate(u),
            Kind::Chart(chart) => FrameRate { r: chart.twist(u).linear, rot: Mat3::zeros() },
            Kind::EulerParameters => FrameRate::zero(),
        }
    }

    /// Adds the components in the unknowns of a node, whose coordinates are directors, of R̈ or Ṙ.
    #[inline]
    pub fn add_turning(&self, id: usize, rot: &Mat3, mut add: impl FnMut(usize, f64)) {
        let first = self.nodes[id].eq;
        match &self.nodes[id].kind {
            Kind::Directors => rot.iter().enumerate().for_each(|(k, a)| add(first + 3 + k, *a)),
            Kind::PlaneDirectors(plane) => {
                let u = plane.unknowns(&FrameRate { r: Vec3::zeros(), rot: *rot });
                u.iter().enumerate().skip(2).for_each(|(k, a)| add(first + k, *a));
            }
            Kind::Chart(_) | Kind::EulerParameters => {}
        }
    }

    /// Components of a force in the unknowns of a node, added to `out`.
    #[inline]
    pub(super) fn add_components(&self, id: usize, f: &FrameRate, out: &mut [f64]) {
        let place = &self.nodes[id];
        let out = &mut out[place.eq..place.eq + place.kind.dofs()];
        match &place.kind {
            Kind::Directors => {
                let all = f.r.iter().chain(f.rot.as_slice());
                out.iter_mut().zip(all).for_each(|(out, f)| *out += f);
            }
            Kind::PlaneDirectors(plane) => {
                out.iter_mut().zip(plane.components(f)).for_each(|(out, f)| *out += f);
            }
            Kind::Chart(Chart::Parameter | Chart::Number) => out[0] += f.r.x,
            Kind::Chart(Chart::PlanarPoint { e1, e2 } | Chart::PlanarSlope { e1, e2 }) => {
                out[0] += e1.dot(&f.r);
                out[1] += e2.dot(&f.r);
            }
            _ => out.iter_mut().zip(f.r.iter()).for_each(|(out, f)| *out += f),
        }
    }

    /// Adds M a for accelerations a in the unknowns.
    pub fn add_inertia_of(&self, a: &[f64], out: &mut [f64]) {
        self.add_inertia_of_bodies(a, out);
        self.add_coupled_inertia_of(a, out);
    }

    fn add_inertia_of_bodies(&self, a: &[f64], out: &mut [f64]) {
        for mass in &self.masses {
            let body = &self.system.bodies[mass.body].body;
            let rate = self.natural_rate(body.node, &a[self.unknowns(body.node)]);
            self.add_components(body.node, &body.natural_momentum(&mass.euler, &rate), out);
        }
    }

    fn add_coupled_inertia_of(&self, a: &[f64], out: &mut [f64]) {
        for (entry, places) in self.system.inertias.iter().zip(&self.inertias) {
            let (mut rate, mut p) = ([Vec3::zeros(); MAX_CARRIED], [Vec3::zeros(); MAX_CARRIED]);
            let n = places.carried.len();
            for (rate, c) in rate.iter_mut().zip(entry.law.carried()) {
                *rate = self.natural_rate(c.node, &a[self.unknowns(c.node)]).of(c);
            }
            entry.law.apply(&rate[..n], &mut p[..n]);
            for (p, c) in p.iter().zip(entry.law.carried()) {
                let mut f = FrameRate::zero();
                f.add_force(c, p);
                self.add_components(c.node, &f, out);
            }
        }
    }

    /// M in the slots of the pattern, and ones on the diagonal of rows out of force.
    pub fn inertia_matrix(&self, values: &mut [f64]) {
        values.fill(0.0);
        let (mut unit, mut column) = (vec![0.0; self.size()], vec![0.0; self.size()]);
        for mass in &self.masses {
            let unknowns = self.unknowns(self.system.bodies[mass.body].body.node);
            let dofs = unknowns.len();
            for j in unknowns.clone() {
                unit[j] = 1.0;
                column.fill(0.0);
                self.add_inertia_of_bodies(&unit, &mut column);
                unit[j] = 0.0;
                for i in unknowns.clone() {
                    let slot = mass.block[(i - unknowns.start) * dofs + j - unknowns.start];
                    values[slot as usize] = column[i];
                }
            }
        }
        let mut s = ConservingScratch::default();
        for (entry, places) in self.system.inertias.iter().zip(&self.inertias) {
            let unknowns = places.unknowns.len();
            self.directions_inside(places, &mut s);
            clear_rows(&mut s.local[..unknowns], unknowns);
            entry.law.add_products::<MAX_LOCAL, 12>(places, &s.trial[..], &s.trial[..], &mut s.local);
            scatter_block(&s.local, &places.block, unknowns, 1.0, values);
        }
        self.unit_slots.iter().for_each(|&slot| values[slot] = 1.0);
    }
}
