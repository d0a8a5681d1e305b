//! A beam element with interpolated motions in a plane, geodesic metric
//! (motion-interpolation-galerkin §1.12).
//!
//! The parameter of the motion from node j to node k is
//!
//! ```text
//! φ = arg d̄_j d_k,   w = c(φ) m̄ Δ,      m = d_j e^{iφ/2},   Δ = x_k − x_j,   c = ½φ / sin ½φ
//! ```
//! and the strains are sums of them with constant factors, (Γ + i Γ′, K)_g = Σ_jk b_gjk (w, φ)_jk − ε⁰_g;
//! that of k to j is −(w, φ). With γ = c′/c, α = −½i − γ and β = −½i + γ
//!
//! ```text
//! δw = c m̄ δΔ + α w δθ_j + β w δθ_k
//! ∂²w:   (α² + γ′) w by θ_j θ_j,   (αβ − γ′) w by θ_j θ_k,   (β² + γ′) w by θ_k θ_k,   α c m̄ by Δ θ_j,   β c m̄ by Δ θ_k
//! ```

// Loops count nodes, so that they unroll.
#![allow(clippy::needless_range_loop)]

use super::super::beam::MOST_NODES;
use super::super::motion_beam::MotionBeam;
use super::element::PlaneElement;
use super::{Finder, Local, Moving, Number, Slots, UNKNOWNS, ZERO, cross, dot, turned};
use crate::system::Places;
use std::f64::consts::PI;

/// Pairs of nodes at most.
const PAIRS: usize = MOST_NODES * (MOST_NODES - 1) / 2;

/// A point of the quadrature.
#[derive(Clone, Debug)]
struct PlaneStation {
    weight: f64,
    /// b of each pair.
    shares: [f64; PAIRS],
    reference: [f64; 3],
}

/// An element that interpolates motions.
#[derive(Clone, Debug)]
pub(super) struct MotionElement {
    element: PlaneElement,
    stations: Vec<PlaneStation>,
}

/// The motion from one node to another.
#[derive(Clone, Copy)]
struct Relative {
    w: Number,
    phi: f64,
    /// c m.
    middle: Number,
    /// e^{iφ/2}.
    half: Number,
}

/// Pairs j < k of N nodes, numbered.
#[inline(always)]
fn pairs<const N: usize>() -> impl Iterator<Item = (usize, usize, usize)> {
    (0..N).flat_map(|j| (j + 1..N).map(move |k| (j, k))).enumerate().map(|(p, (j, k))| (p, j, k))
}

/// All pairs: angles and half directions are carried on from node to node.
#[inline]
fn relatives<const N: usize>(x: &[Number; N], d: &[Number; N]) -> [Relative; PAIRS] {
    let (mut angles, mut halves) = ([0.0; N], [Number::new(1.0, 0.0); N]);
    for k in 1..N {
        let (angle, half) = turn(d[k - 1], d[k]);
        angles[k] = angles[k - 1] + angle;
        halves[k] = halves[k - 1] * half;
    }
    let mut all = [Relative { w: ZERO, phi: 0.0, middle: ZERO, half: ZERO }; PAIRS];
    for (p, j, k) in pairs::<N>() {
        let (mut phi, mut half) = (angles[k] - angles[j], halves[j].conj() * halves[k]);
        if phi.abs() > PI {
            phi -= 2.0 * PI.copysign(phi);
            half = -half;
        }
        let middle = d[j] * half * stretch(phi, half);
        all[p] = Relative { w: middle.conj() * (x[k] - x[j]), phi, middle, half };
    }
    all
}

/// φ and e^{iφ/2} between two directions.
#[inline]
fn turn(from: Number, to: Number) -> (f64, Number) {
    let (sine, cosine) = (cross(from, to), dot(from, to));
    let phi = sine.atan2(cosine);
    // The root loses digits near half a turn.
    if cosine < -0.5 {
        let (sine, cosine) = (0.5 * phi).sin_cos();
        return (phi, Number::new(cosine, sine));
    }
    let half_cosine = (0.5 + 0.5 * cosine).sqrt();
    (phi, Number::new(half_cosine, 0.5 * sine / half_cosine))
}

/// c = ½φ/sin ½φ.
#[inline]
fn stretch(phi: f64, half: Number) -> f64 {
    if phi.abs() > SMALL {
        return 0.5 * phi / half.im;
    }
    const SERIES: [f64; 7] = [
        1.0,
        1.0 / 6.0,
        7.0 / 360.0,
        31.0 / 15_120.0,
        127.0 / 604_800.0,
        73.0 / 3_421_440.0,
        1_414_477.0 / 653_837_184_000.0,
    ];
    let square = 0.25 * phi * phi;
    SERIES.iter().rev().fold(0.0, |sum, b| sum * square + b)
}

/// |B₂ₙ|/(2n)!: γ = 1/φ − ½ cot ½φ = Σ_n |B₂ₙ| φ²ⁿ⁻¹/(2n)!.
const SERIES: [f64; 7] = [
    1.0 / 12.0,
    1.0 / 720.0,
    1.0 / 30_240.0,
    1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
];

/// Below, series are used: quotients are differences of large numbers there, or of small ones.
const SMALL: f64 = 0.5;

impl Relative {
    /// γ.
    #[inline]
    fn slope(&self) -> f64 {
        if self.phi.abs() > SMALL {
            return 1.0 / self.phi - 0.5 * self.half.re / self.half.im;
        }
        let square = self.phi * self.phi;
        self.phi * SERIES.iter().rev().fold(0.0, |sum, b| sum * square + b)
    }

    /// γ′.
    #[inline]
    fn second_slope(&self) -> f64 {
        let square = self.phi * self.phi;
        if self.phi.abs() > SMALL {
            return 0.25 / (self.half.im * self.half.im) - 1.0 / square;
        }
        SERIES.iter().enumerate().rev().fold(0.0, |sum, (n, b)| sum * square + b * (2 * n + 1) as f64)
    }
}

impl Finder<'_> {
    pub fn motion(&mut self, beam: &MotionBeam, places: &Places) -> Option<MotionElement> {
        let (carried, stiffness) = beam.elastic_geodesic()?;
        let element = self.element(carried, stiffness, places, |x| beam.station_strains(x))?;
        let stations = beam.station_shares(|weight, share, reference| {
            let mut shares = [0.0; PAIRS];
            let n = element.slots.count;
            let pairs = (0..n).flat_map(|j| (j + 1..n).map(move |k| (j, k)));
            shares.iter_mut().zip(pairs).for_each(|(b, (j, k))| *b = share(j, k) - share(k, j));
            PlaneStation { weight, shares, reference: element.in_plane(reference) }
        });
        Some(MotionElement { element, stations })
    }
}

impl MotionElement {
    pub fn slots(&self) -> &Slots {
        &self.element.slots
    }

    pub fn count(&self) -> usize {
        self.element.slots.count
    }

    /// ∂V by (w, φ) of all pairs: Σ_g weight b S.
    #[inline]
    fn stresses<const N: usize>(&self, relatives: &[Relative; PAIRS]) -> [(Number, f64); PAIRS] {
        let mut loads = [(ZERO, 0.0); PAIRS];
        for g in &self.stations {
            let mut e = g.reference.map(|e| -e);
            for (p, _, _) in pairs::<N>() {
                let (s, b) = (&relatives[p], g.shares[p]);
                e = [e[0] + b * s.w.re, e[1] + b * s.w.im, e[2] + b * s.phi];
            }
            let s = self.element.stress(e).map(|s| s * g.weight);
            for (p, _, _) in pairs::<N>() {
                let b = g.shares[p];
                loads[p].0 += Number::new(s[0], s[1]) * b;
                loads[p].1 += s[2] * b;
            }
        }
        loads
    }

    /// Adds ∂V by r and p.
    #[inline]
    pub fn add_loads<const N: usize>(&self, moving: &[Moving], loads: &mut [(Number, Number)]) {
        let (x, d) = self.element.vectors::<N>(moving);
        let relatives = relatives(&x, &d);
        let stresses = self.stresses::<N>(&relatives);
        for (p, j, k) in pairs::<N>() {
            let (s, (f, m)) = (&relatives[p], stresses[p]);
            let force = s.middle * f;
            let (both, between) = (0.5 * cross(f, s.w), s.slope() * dot(f, s.w) + m);
            let mut add = |a: usize, on_x: Number, moment: f64| {
                let (node, load) =
                    (&moving[self.element.slots.nodes[a]], &mut loads[self.element.slots.nodes[a]]);
                load.0 += on_x;
                load.1 += self.element.origin[a].conj() * on_x + turned(node.p) * moment;
            };
            add(j, -force, both - between);
            add(k, force, both + between);
        }
    }

    /// Adds ∂²V: rows of strains times C, and what the stresses do along second derivatives.
    pub fn add_stiffness<const N: usize>(&self, moving: &[Moving], local: &mut Local) {
        let (x, d) = self.element.vectors::<N>(moving);
        let relatives = relatives(&x, &d);
        let stresses = self.stresses::<N>(&relatives);
        let arms: [Number; N] = std::array::from_fn(|a| x[a] - moving[self.element.slots.nodes[a]].r);
        let (n, local_of) = (self.element.slots.unknowns, &self.element.slots.local);
        // w by the coordinates of its two nodes.
        let mut slopes = [[[ZERO; 3]; 2]; PAIRS];
        for (p, j, k) in pairs::<N>() {
            let (s, ends) = (&relatives[p], [arms[j], arms[k]]);
            let turns = turns(s.slope());
            for a in 0..2 {
                slopes[p][a] = along(SIGNS[a], ends[a]).map(|by| s.middle.conj() * by);
                slopes[p][a][2] += turns[a] * s.w;
            }
            self.add_geometric([j, k], s, stresses[p].0, ends, local);
        }
        for station in &self.stations {
            // Strains by all unknowns.
            let mut rows = [[0.0; 3]; UNKNOWNS];
            for (p, j, k) in pairs::<N>() {
                for (a, node) in [j, k].into_iter().enumerate() {
                    let (Some(at), b) = (local_of[node], station.shares[p]) else { continue };
                    for u in 0..3 {
                        rows[at + u][0] += b * slopes[p][a][u].re;
                        rows[at + u][1] += b * slopes[p][a][u].im;
                    }
                    rows[at + 2][2] += b * SIGNS[a];
                }
            }
            let stress = rows.map(|e| self.element.stress(e).map(|s| s * station.weight));
            for (row, e) in local[..n].iter_mut().zip(&rows) {
                for (value, s) in row[..n].iter_mut().zip(&stress) {
                    *value += e[0] * s[0] + e[1] * s[1] + e[2] * s[2];
                }
            }
        }
    }

    /// Adds Re f̄ ∂²w of a pair.
    #[inline]
    fn add_geometric(
        &self,
        nodes: [usize; 2],
        s: &Relative,
        f: Number,
        arms: [Number; 2],
        local: &mut Local,
    ) {
        let (force, turns, second_slope) = (s.middle * f, turns(s.slope()), s.second_slope());
        for a in 0..2 {
            let Some(row) = self.element.slots.local[nodes[a]] else { continue };
            local[row + 2][row + 2] -= SIGNS[a] * dot(force, arms[a]);
            for b in 0..2 {
                let Some(column) = self.element.slots.local[nodes[b]] else { continue };
                for (u, by) in along(SIGNS[a], arms[a]).into_iter().enumerate() {
                    let value = dot(force, turns[b] * by);
                    local[row + u][column + 2] += value;
                    local[column + 2][row + u] += value;
                }
                let second = turns[a] * turns[b] + SIGNS[a] * SIGNS[b] * second_slope;
                local[row + 2][column + 2] += dot(f, second * s.w);
            }
        }
    }
}

/// Of the first and the second node of a pair in Δ and φ.
const SIGNS: [f64; 2] = [-1.0, 1.0];

/// α and β.
#[inline(always)]
fn turns(slope: f64) -> [Number; 2] {
    SIGNS.map(|sign| Number::new(sign * slope, -0.5))
}

/// ±x by the coordinates of its node.
#[inline(always)]
fn along(sign: f64, arm: Number) -> [Number; 3] {
    [Number::new(sign, 0.0), Number::new(0.0, sign), turned(arm) * sign]
}
