//! The equilibrium nearest to a start. Newton's method in bounded steps ends at one that is near, not surely
//! at the nearest: others are looked for from points inside the distance of the one that was found, and the
//! nearest of all is taken. That is evidence and no proof. It is done for equations without bodies: where
//! wheels roll or beams wind up, what is near depends on the way there, and bodies go there in small steps.
//!
//! The distance of two states is the largest displacement, in lengths of the model, turn (rad),
//! or change of a variable, in its nominal size.

use crate::coupled::stands_nowhere;
use crate::coupled_equilibrium::find_from;
use crate::equilibrium::{Equilibrium, EquilibriumError, EquilibriumSettings, find_equilibrium};
use poinsot_geometry::so3;
use poinsot_mechanics::{State, System};
use poinsot_numerics::irregular;

/// Largest system in which others are looked for: each start costs as much as the first.
const LARGEST: usize = 150;
/// A start that is nearer than this is as good as there.
const THERE: f64 = 1e-3;
/// An equilibrium nearer by this share is another one.
const NEARER: f64 = 0.99;
/// Directions in which others are looked for, both ways, and how far off, by the distance
/// of the one that was found.
const DIRECTIONS: usize = 6;
const REACH: [f64; 3] = [0.3, 0.6, 0.9];

/// How near an equilibrium is, and what that rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearness {
    /// Distance from the start.
    pub distance: f64,
    /// Distance of the one that was found first, if another was nearer.
    pub passed: Option<f64>,
    /// Starts from which nearer ones were looked for; zero if there are bodies or too many
    /// unknowns, or the start is there.
    pub starts: usize,
}

impl Nearness {
    /// Whether the start is as good as there.
    pub fn is_there(&self) -> bool {
        self.distance <= THERE
    }

    /// Whether nearer ones were looked for, or cannot be.
    pub fn is_nearest(&self) -> bool {
        self.is_there() || self.starts > 0
    }
}

/// Finds the equilibrium nearest to `start`, at its time.
pub fn nearest_equilibrium(
    system: &System,
    start: &State,
    settings: &EquilibriumSettings,
) -> Result<(Equilibrium, Nearness), EquilibriumError> {
    let mut best = find_equilibrium(system, start.clone(), settings)?;
    let first = distance(system, start, &best.state);
    let mut nearness = Nearness { distance: first, passed: None, starts: 0 };
    if first <= THERE || system.coordinates() > 0 || system.size() > LARGEST {
        return Ok((best, nearness));
    }
    let quick = EquilibriumSettings { load_steps: 0, relaxations: 0, ..*settings };
    for point in points(system, start, first) {
        nearness.starts += 1;
        let Ok(found) = find_from(system, point, &quick) else { continue };
        let away = distance(system, start, &found.state);
        if away < NEARER * nearness.distance {
            (best, nearness.distance, nearness.passed) = (found, away, Some(first));
        }
    }
    Ok((best, nearness))
}

/// The distance of two states of a system.
fn distance(system: &System, a: &State, b: &State) -> f64 {
    let frames = a.frames.iter().zip(&b.frames);
    let apart = frames
        .map(|(x, y)| ((x.r - y.r).norm() / system.length_scale()).max(so3::angle_between(&x.rot, &y.rot)));
    let changes = variables(system).into_iter().map(|(eq, nominal)| (a.v[eq] - b.v[eq]).abs() / nominal);
    apart.chain(changes).fold(0.0, f64::max)
}

/// Equations and nominal sizes of the variables that stand in equations.
fn variables(system: &System) -> Vec<(usize, f64)> {
    let networks = system.networks().iter();
    let all =
        networks.flat_map(|n| n.law.variables.iter().enumerate().map(|(j, v)| (n.unknown(j), v.nominal)));
    all.zip(stands_nowhere(system)).filter(|(_, absent)| !absent).map(|(variable, _)| variable).collect()
}

/// Points inside a distance of the start: to and fro in irregular directions.
fn points(system: &System, start: &State, radius: f64) -> Vec<State> {
    let mut points = vec![];
    for direction in 0..DIRECTIONS {
        for reach in REACH.iter().flat_map(|r| [*r, -*r]) {
            let mut point = start.clone();
            for (eq, nominal) in variables(system) {
                point.v[eq] += reach * radius * nominal * 2.0 * irregular(eq + 97 * direction);
            }
            points.push(point);
        }
    }
    points
}
