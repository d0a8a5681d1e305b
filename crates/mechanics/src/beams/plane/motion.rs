//! A beam element with interpolated motions in a plane (motion-interpolation-galerkin 1.12), geodesic metric.
//!
//! The parameter of the motion from node j to node k is
//!
//! ```text
//! φ = arg d̄_j d_k,   w = c(φ) m̄ Δ,      m = d_j e^{iφ/2},   Δ = x_k − x_j,   c = ½φ / sin ½φ
//! ```
//! and the strains are sums of them with constant factors, (Γ + i Γ′, K)_g = Σ_jk b_gjk (w, φ)_jk − ε⁰_g; that of k to j is
//! −(w, φ). With γ = c′/c, α = −½i − γ and β = −½i + γ
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
    /// γ and γ′.
    slopes: [f64; 2],
}

/// Pairs j < k of N nodes, numbered.
#[inline(always)]
fn pairs<const N: usize>() -> impl Iterator<Item = (usize, usize, usize)> {
    (0..N).flat_map(|j| (j + 1..N).map(move |k| (j, k))).enumerate().map(|(p, (j, k))| (p, j, k))
}

impl Relative {
    #[inline]
    fn new(from: (Number, Number), to: (Number, Number)) -> Self {
        let full = (cross(from.1, to.1), dot(from.1, to.1));
        let phi = full.0.atan2(full.1);
        let half = 0.5 * phi;
        let (sine, cosine) = half_angle(full.0, full.1, half);
        let c = if half.abs() < 1e-8 { 1.0 } else { half / sine };
        let middle = from.1 * Number::new(cosine, sine) * c;
        let w = middle.conj() * (to.0 - from.0);
        Relative { w, phi, middle, slopes: slopes(phi, sine, cosine) }
    }
}

/// Sine and cosine of half an angle from those of the whole.
#[inline]
fn half_angle(sine: f64, cosine: f64, half: f64) -> (f64, f64) {
    // The root loses digits near half a turn.
    if cosine < -0.5 {
        return half.sin_cos();
    }
    let half_cosine = (0.5 + 0.5 * cosine).sqrt();
    (0.5 * sine / half_cosine, half_cosine)
}

/// γ = 1/φ − ½ cot ½φ = Σ_n |B₂ₙ| φ²ⁿ⁻¹/(2n)! and its derivative.
#[inline]
fn slopes(phi: f64, half_sine: f64, half_cosine: f64) -> [f64; 2] {
    const SERIES: [f64; 7] = [
        1.0 / 12.0,
        1.0 / 720.0,
        1.0 / 30_240.0,
        1.0 / 1_209_600.0,
        1.0 / 47_900_160.0,
        691.0 / 1_307_674_368_000.0,
        1.0 / 74_724_249_600.0,
    ];
    // Differences of large numbers below.
    if phi.abs() > 0.5 {
        let value = 1.0 / phi - 0.5 * half_cosine / half_sine;
        return [value, 0.25 / (half_sine * half_sine) - 1.0 / (phi * phi)];
    }
    let (square, mut value, mut slope) = (phi * phi, 0.0, 0.0);
    for (n, b) in SERIES.iter().enumerate().rev() {
        value = value * square + b;
        slope = slope * square + b * (2 * n + 1) as f64;
    }
    [value * phi, slope]
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

    /// The motions of all pairs of nodes.
    #[inline]
    fn relatives<const N: usize>(x: &[Number; N], d: &[Number; N]) -> [Relative; PAIRS] {
        let none = Relative { w: ZERO, phi: 0.0, middle: ZERO, slopes: [0.0; 2] };
        let mut all = [none; PAIRS];
        for (p, j, k) in pairs::<N>() {
            all[p] = Relative::new((x[j], d[j]), (x[k], d[k]));
        }
        all
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
        let relatives = Self::relatives(&x, &d);
        let stresses = self.stresses::<N>(&relatives);
        for (p, j, k) in pairs::<N>() {
            let (s, (f, m)) = (&relatives[p], stresses[p]);
            let force = s.middle * f;
            let (both, between) = (0.5 * cross(f, s.w), s.slopes[0] * dot(f, s.w) + m);
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
        let relatives = Self::relatives(&x, &d);
        let stresses = self.stresses::<N>(&relatives);
        let arms: [Number; N] = std::array::from_fn(|a| x[a] - moving[self.element.slots.nodes[a]].r);
        let n = self.element.slots.unknowns;
        for station in &self.stations {
            // Strains by all unknowns.
            let mut rows = [[0.0; 3]; UNKNOWNS];
            for (p, j, k) in pairs::<N>() {
                let (s, b) = (&relatives[p], station.shares[p]);
                let turns = turns(s);
                for (a, sign) in [(j, -1.0), (k, 1.0)] {
                    let Some(at) = self.element.slots.local[a] else { continue };
                    for (u, by) in along(sign, arms[a]).into_iter().enumerate() {
                        let mut w = s.middle.conj() * by;
                        if u == 2 {
                            w += turns[usize::from(a == k)] * s.w;
                            rows[at + 2][2] += b * sign;
                        }
                        rows[at + u][0] += b * w.re;
                        rows[at + u][1] += b * w.im;
                    }
                }
            }
            let stress = rows.map(|e| self.element.stress(e).map(|s| s * station.weight));
            for (row, e) in local[..n].iter_mut().zip(&rows) {
                for (value, s) in row[..n].iter_mut().zip(&stress) {
                    *value += e[0] * s[0] + e[1] * s[1] + e[2] * s[2];
                }
            }
        }
        for (p, j, k) in pairs::<N>() {
            self.add_geometric([j, k], &relatives[p], stresses[p].0, [arms[j], arms[k]], local);
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
        let (force, turns) = (s.middle * f, turns(s));
        let signs = [-1.0, 1.0];
        for a in 0..2 {
            let Some(row) = self.element.slots.local[nodes[a]] else { continue };
            local[row + 2][row + 2] -= signs[a] * dot(force, arms[a]);
            for b in 0..2 {
                let Some(column) = self.element.slots.local[nodes[b]] else { continue };
                for (u, by) in along(signs[a], arms[a]).into_iter().enumerate() {
                    let value = dot(force, turns[b] * by);
                    local[row + u][column + 2] += value;
                    local[column + 2][row + u] += value;
                }
                let second = turns[a] * turns[b] + signs[a] * signs[b] * s.slopes[1];
                local[row + 2][column + 2] += dot(f, second * s.w);
            }
        }
    }
}

/// α and β.
#[inline(always)]
fn turns(s: &Relative) -> [Number; 2] {
    [Number::new(-s.slopes[0], -0.5), Number::new(s.slopes[0], -0.5)]
}

/// ±x by the coordinates of its node.
#[inline(always)]
fn along(sign: f64, arm: Number) -> [Number; 3] {
    [Number::new(sign, 0.0), Number::new(0.0, sign), turned(arm) * sign]
}
