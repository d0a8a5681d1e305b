//! Values, first derivatives and forces of rows.

use super::{Equation, Equations, First, MAX_ARGUMENTS, NONE, Second};
use crate::constraint::{Configuration, Levels};
use crate::coordinate::Coordinate;
use crate::element_buffers::{Gradients, MAX_MEMORY};
use poinsot_geometry::Vec3;

/// Rows with few carried vectors need little room for their second derivatives.
pub(super) const FEW_CARRIED: usize = 4;

impl Equations {
    #[inline]
    pub(super) fn coordinate(&self, k: usize, at: &Configuration) -> f64 {
        match &self.coordinates[k] {
            (Coordinate::Component(_, axis), places) => at.x[places[0]][*axis],
            (s, places) => s.value(&gather(places, at.x), at.memory[k]),
        }
    }

    /// F and F_i of a row; at speeds zero if no ẋ is given.
    #[inline]
    pub(crate) fn first(&self, row: &Equation, at: &Configuration, xdot: Option<&[Vec3]>) -> First {
        let mut first = [0.0; 1 + MAX_ARGUMENTS];
        row.law.first(&self.arguments(row, at, xdot), &mut first);
        first
    }

    /// F and F_i of a row, and F_ij into `second`, which starts as zero; speeds are zero.
    pub(super) fn second(&self, row: &Equation, at: &Configuration, second: &mut Second) -> First {
        let mut first = [0.0; 1 + MAX_ARGUMENTS];
        row.law.second_order(&self.arguments(row, at, None), &mut first, second);
        first
    }

    /// f_a += c ∂s_k/∂x_a; gives ṡ_k, zero if no ẋ is given.
    #[inline]
    fn pull_along(&self, k: usize, x: &[Vec3], xdot: Option<&[Vec3]>, c: f64, f: &mut [Vec3]) -> f64 {
        let (s, places) = &self.coordinates[k];
        if let Coordinate::Component(_, axis) = s {
            f[places[0]][*axis] += c;
            return xdot.map_or(0.0, |xdot| xdot[places[0]][*axis]);
        }
        pull_vectors(places, &s.slope(&gather(places, x)), xdot, c, f)
    }

    /// [`evaluate`](crate::Constraint::evaluate) for at most R rows. Coordinates, speeds and their slopes are
    /// found once for all rows: with F_kj of row k by coordinate or speed j,
    ///
    /// ```text
    /// f_a += Σ_j (Σ_k λ_k F_kj) ∂s_j/∂x_a,        rate_k = F_kt + Σ_j F_kj ṡ_j
    /// ```
    /// and ψ_k at speeds zero in place of F_kt for rows on velocities.
    #[inline]
    pub(super) fn evaluate_rows<const R: usize>(
        &self,
        at: &Configuration,
        lambda: &[f64],
        f: &mut [Vec3],
        wanted: Levels,
    ) {
        let Levels { mut position, velocity } = wanted;
        let mut by = [[0.0; 2 * MAX_MEMORY]; R];
        let mut rate = [0.0; R];
        for (k, (row, by)) in self.rows.iter().zip(&mut by).enumerate() {
            let first = self.first(row, at, None);
            let m = row.coordinates.len();
            if row.speeds.is_empty() {
                row.coordinates.iter().zip(&first[1..]).for_each(|(&j, slope)| by[j] += slope);
                rate[k] = first[1 + m];
                if let Some(phi) = position.as_mut() {
                    phi[k] = first[0];
                }
            } else {
                row.speeds.iter().zip(&first[1 + m..]).for_each(|(&p, slope)| by[MAX_MEMORY + p] += slope);
                rate[k] = first[0];
            }
        }
        let rows = self.rows.len();
        let xdot = velocity.as_ref().map(|(xdot, _)| *xdot);
        let mut go = |j: usize, along: &mut dyn FnMut(f64) -> f64| {
            if by[..rows].iter().any(|by| by[j] != 0.0) {
                let speed = along(by.iter().zip(lambda).map(|(by, lambda)| by[j] * lambda).sum());
                rate.iter_mut().zip(&by).for_each(|(rate, by)| *rate += by[j] * speed);
            }
        };
        for j in 0..self.coordinates.len() {
            go(j, &mut |c| self.pull_along(j, at.x, xdot, c, f));
        }
        for (p, (speed, places)) in self.speeds.iter().enumerate() {
            go(MAX_MEMORY + p, &mut |c| {
                pull_vectors(places, &speed.weights(&gather(places, at.x)), xdot, c, f)
            });
        }
        if let Some((_, rates)) = velocity {
            rates.copy_from_slice(&rate[..rows]);
        }
    }

    pub(crate) fn slope(&self, k: usize, x: &[Vec3]) -> [Vec3; 3] {
        let (s, places) = &self.coordinates[k];
        s.slope(&gather(places, x))
    }

    /// The arguments of a row: coordinates, speeds, time.
    #[inline]
    pub(crate) fn arguments(
        &self,
        row: &Equation,
        at: &Configuration,
        xdot: Option<&[Vec3]>,
    ) -> [f64; MAX_ARGUMENTS] {
        let mut values = [0.0; MAX_ARGUMENTS];
        let m = row.coordinates.len();
        for (value, &k) in values.iter_mut().zip(&row.coordinates) {
            *value = self.coordinate(k, at);
        }
        if let Some(xdot) = xdot {
            for (value, &k) in values[m..].iter_mut().zip(&row.speeds) {
                let (w, places) = &self.speeds[k];
                *value = w.value(&gather(places, at.x), &gather(places, xdot));
            }
        }
        values[m + row.speeds.len()] = at.t;
        values
    }

    /// ṡ of the coordinates of a row.
    pub(super) fn rates(&self, row: &Equation, x: &[Vec3], xdot: &[Vec3]) -> [f64; MAX_MEMORY] {
        let mut rates = [0.0; MAX_MEMORY];
        for (rate, &k) in rates.iter_mut().zip(&row.coordinates) {
            *rate = match &self.coordinates[k] {
                (Coordinate::Component(_, axis), places) => xdot[places[0]][*axis],
                (s, places) => s.rate(&gather(places, x), &gather(places, xdot)),
            };
        }
        rates
    }

    /// Adds Σ_j c_j ∂ṡ_j to the gradients of row `k`; a component has none.
    pub(super) fn add_slope_rates(&self, k: usize, x: &[Vec3], xdot: &[Vec3], c: &[f64], g: &mut Gradients) {
        for (&j, &c) in self.rows[k].coordinates.iter().zip(c).filter(|(_, c)| **c != 0.0) {
            let (s, places) = &self.coordinates[j];
            if !matches!(s, Coordinate::Component(..)) {
                let rate = s.slope_rate(&gather(places, x), &gather(places, xdot));
                push_all(k, places, s.carried().len(), &rate, c, g);
            }
        }
    }

    /// Adds Σ_j c_j ∂s_j to the gradients of row `k`.
    pub(super) fn add_slopes(&self, k: usize, x: &[Vec3], c: &[f64], g: &mut Gradients) {
        for (&j, &c) in self.rows[k].coordinates.iter().zip(c).filter(|(_, c)| **c != 0.0) {
            match &self.coordinates[j] {
                (Coordinate::Component(_, axis), places) => {
                    let mut slope = Vec3::zeros();
                    slope[*axis] = c;
                    g.push(k, places[0], slope);
                }
                (s, places) => push_all(k, places, s.carried().len(), &s.slope(&gather(places, x)), c, g),
            }
        }
    }
}

/// f_a += c v_a; gives Σ_a v_a·ẋ_a, zero if no ẋ is given.
#[inline]
fn pull_vectors(places: &[usize], v: &[Vec3], xdot: Option<&[Vec3]>, c: f64, f: &mut [Vec3]) -> f64 {
    let mut rate = 0.0;
    for (&a, v) in places.iter().zip(v).take_while(|(a, _)| **a != NONE) {
        f[a] += v * c;
        rate += xdot.map_or(0.0, |xdot| v.dot(&xdot[a]));
    }
    rate
}

/// Pushes c · v_a for the vectors of one element.
pub(crate) fn push_all(row: usize, places: &[usize], count: usize, v: &[Vec3], c: f64, g: &mut Gradients) {
    for (&a, v) in places[..count].iter().zip(v) {
        g.push(row, a, v * c);
    }
}

/// The vectors of an element among those of the constraint.
#[inline]
pub(crate) fn gather<const N: usize>(places: &[usize; N], x: &[Vec3]) -> [Vec3; N] {
    places.map(|k| if k == NONE { Vec3::zeros() } else { x[k] })
}
