//! Checks of a body whose matrices come from elsewhere: is it free, whole, stable, and in the units we
//! expect?
//!
//! ```text
//! K b = 0            for its rigid motions b, and for no other motion
//! K + σM > 0         with a small shift σ: no pivot is negative
//! K x = ω² M x       the least ω² tell what is loose, and how stiff the body is
//! ```

use crate::full_body::{Component, FullBody, Unknown};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_numerics::krylov::{KrylovSettings, largest_symmetric};
use poinsot_numerics::{Coupler, PatternBuilder, PivotError, SparseLu, SymmetricMatrix, order_groups};
use std::f64::consts::TAU;

/// K b of a rigid motion, relative to the terms it is the sum of: above this the body is held.
const STRAIN: f64 = 1e-6;
/// Shift σ relative to the largest K_aa / M_aa.
const SHIFT: f64 = 1e-8;
/// Below this part of the largest K_aa / M_aa an eigenvalue is zero.
const ZERO: f64 = 1e-12;
/// Modes that are looked for besides rigid ones.
const FURTHER: usize = 4;
/// Speeds of waves in materials (m/s): below that of soft rubber, above that of diamond.
const SPEEDS: std::ops::Range<f64> = 5.0..3e4;
/// Largest extent of a body that is not doubted (m).
const LARGEST_EXTENT: f64 = 50.0;
/// Largest mass of a body that is not doubted (kg): a steel part of 60 mm taken for one of 60 m has more.
const LARGEST_MASS: f64 = 1e6;

/// Rigid motions in words.
const MOTIONS: [&str; 6] = [
    "displacement along x",
    "displacement along y",
    "displacement along z",
    "rotation about x",
    "rotation about y",
    "rotation about z",
];

/// What is doubtful about a body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Doubt {
    /// The inertia tensor is not one of masses.
    #[error(
        "principal moments of inertia are {:e}, {:e} and {:e} kg m²: the largest must not exceed the sum of the \
         others", moments[0], moments[1], moments[2]
    )]
    Inertia {
        /// Principal moments, ascending.
        moments: [f64; 3],
    },
    /// M has negative eigenvalues.
    #[error("the mass matrix is not positive: {negative} of its eigenvalues are negative")]
    Mass {
        /// How many.
        negative: usize,
    },
    /// K has negative eigenvalues.
    #[error("the stiffness matrix is not positive: {negative} of its eigenvalues are negative")]
    Stiffness {
        /// How many.
        negative: usize,
    },
    /// A rigid motion strains the body.
    #[error(
        "a {} meets a stiffness of {residual:.1e} of the entries: supports are in the matrices, or the places of \
         nodes are not those of the matrices", MOTIONS[*motion]
    )]
    Held {
        /// Which of the six motions.
        motion: usize,
        /// |K b| relative to |K| |b|.
        residual: f64,
    },
    /// Motions without strain that are not rigid.
    #[error("{found} motions meet no stiffness, but only {rigid} are rigid: a part is loose, or a mechanism")]
    Loose {
        /// Zero modes that were found, at least.
        found: usize,
        /// Rigid motions.
        rigid: usize,
    },
    /// Fewer zero modes than rigid motions.
    #[error("{found} motions meet no stiffness, but {rigid} are rigid: the body is held")]
    Fixed {
        /// Zero modes.
        found: usize,
        /// Rigid motions.
        rigid: usize,
    },
    /// A unit of stiffness, mass or length that does not fit the others.
    #[error(
        "waves would run at {speed:.1e} m/s (in steel at 5 200): the units do not fit. {}",
        if *speed > 1e6 {
            "A mesh in mm with MPa and t/mm³ has stiffness in N/mm and mass in t: multiply places by 1e-3, both \
             matrices by 1e3"
        } else {
            "Stiffness is expected in N/m, mass in kg, places in m"
        }
    )]
    Units {
        /// Speed of waves by stiffness, mass and size of the elements (m/s).
        speed: f64,
    },
    /// A body that is large.
    #[error(
        "the body is {extent:.3} m long and has a mass of {mass:.3e} kg: is the mesh in mm? Its frequencies are then \
         a thousand times too low"
    )]
    Size {
        /// Largest extent (m).
        extent: f64,
        /// Mass (kg).
        mass: f64,
    },
    /// The modes were not found.
    #[error("the least frequencies were not found: {0}")]
    Unknown(String),
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyCheck {
    /// Mass (kg).
    pub mass: f64,
    /// Centre of mass (m).
    pub centre: Vec3,
    /// Inertia about the centre (kg m²).
    pub inertia: Mat3,
    /// Number of independent rigid motions of the unknowns: 6, of a planar body 3.
    pub rigid_motions: usize,
    /// |K b| relative to |K| |b| for each of six rigid motions; zero for those that the unknowns cannot make.
    pub rigid_residuals: [f64; 6],
    /// Modes without stiffness, if the modes were found.
    pub zero_modes: Option<usize>,
    /// Least frequencies that are not zero (Hz).
    pub frequencies: Vec<f64>,
    /// Speed of waves by stiffness, mass and size of the elements (m/s), where there are such.
    pub wave_speed: Option<f64>,
    /// What is doubtful.
    pub doubts: Vec<Doubt>,
}

/// Checks a body.
pub fn check_body(body: &FullBody) -> BodyCheck {
    let (mass, centre) = (body.total_mass, body.first_moment / body.total_mass);
    let about_centre = body.second_moment - mass * centre * centre.transpose();
    let inertia = Mat3::identity() * about_centre.trace() - about_centre;
    let motions = rigid_motions(body);
    let mut doubts: Vec<Doubt> = inertia_doubt(&inertia).into_iter().collect();
    let rigid_residuals: [f64; 6] = std::array::from_fn(|k| residual(&body.stiffness, &motions[k]));
    let held = rigid_residuals.iter().enumerate().filter(|(_, residual)| **residual > STRAIN);
    doubts.extend(held.map(|(motion, residual)| Doubt::Held { motion, residual: *residual }));
    let rigid = independent(&motions);
    let (zero_modes, frequencies) = match modes(body, rigid) {
        Ok(found) => found,
        Err(doubt) => {
            doubts.push(doubt);
            (None, vec![])
        }
    };
    match zero_modes {
        Some(found) if found > rigid => doubts.push(Doubt::Loose { found, rigid }),
        Some(found) if found < rigid => doubts.push(Doubt::Fixed { found, rigid }),
        _ => {}
    }
    doubts.extend(mass_doubt(body));
    doubts.extend(doubts_of_units(body));
    BodyCheck {
        mass,
        centre,
        inertia,
        rigid_motions: rigid,
        rigid_residuals,
        zero_modes,
        frequencies,
        wave_speed: wave_speed(body),
        doubts,
    }
}

/// Doubts about units and size alone, which cost no factorisation.
pub fn doubts_of_units(body: &FullBody) -> Vec<Doubt> {
    let speed = wave_speed(body).filter(|speed| !SPEEDS.contains(speed));
    let (extent, mass) = (extent(&body.nodes), body.total_mass);
    let size = (extent > LARGEST_EXTENT || mass > LARGEST_MASS).then_some(Doubt::Size { extent, mass });
    speed.map(|speed| Doubt::Units { speed }).into_iter().chain(size).collect()
}

/// Moments of masses: each is at most the sum of the others.
fn inertia_doubt(inertia: &Mat3) -> Option<Doubt> {
    let mut moments: [f64; 3] = (0.5 * (inertia + inertia.transpose())).symmetric_eigenvalues().into();
    moments.sort_by(f64::total_cmp);
    let excess = moments[2] - moments[0] - moments[1];
    // A planar body has none.
    (excess > 1e-6 * moments[2].abs() || moments[0] < -1e-6 * moments[2].abs())
        .then_some(Doubt::Inertia { moments })
}

/// The six rigid motions about the middle of the nodes.
fn rigid_motions(body: &FullBody) -> [Vec<f64>; 6] {
    let middle = body.nodes.iter().sum::<Vec3>() / body.nodes.len().max(1) as f64;
    std::array::from_fn(|k| {
        let axis = Vec3::ith(k % 3, 1.0);
        let value = |unknown: &Unknown| match (unknown.component, k < 3) {
            (Component::Translation(i), true) => axis[i],
            (Component::Translation(i), false) => axis.cross(&(body.nodes[unknown.node] - middle))[i],
            (Component::Rotation(_), true) => 0.0,
            (Component::Rotation(i), false) => axis[i],
        };
        body.unknowns.iter().map(value).collect()
    })
}

/// max |K b| / max |K| |b|.
fn residual(stiffness: &SymmetricMatrix, motion: &[f64]) -> f64 {
    let mut sum = vec![0.0; motion.len()];
    stiffness.multiply(motion, &mut sum);
    let mut terms = vec![0.0; motion.len()];
    for (i, j, value) in stiffness.entries() {
        terms[i] += (value * motion[j]).abs();
        if i != j {
            terms[j] += (value * motion[i]).abs();
        }
    }
    let largest = |list: &[f64]| list.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let scale = largest(&terms);
    if scale > 0.0 { largest(&sum) / scale } else { 0.0 }
}

/// Number of independent motions, by their directions.
fn independent(motions: &[Vec<f64>; 6]) -> usize {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut basis: Vec<Vec<f64>> = vec![];
    for motion in motions {
        let size = dot(motion, motion).sqrt();
        if size == 0.0 {
            continue;
        }
        let mut rest: Vec<f64> = motion.iter().map(|x| x / size).collect();
        for other in &basis {
            let part = dot(&rest, other);
            rest.iter_mut().zip(other).for_each(|(x, y)| *x -= part * y);
        }
        let size = dot(&rest, &rest).sqrt();
        if size > 1e-6 {
            rest.iter_mut().for_each(|x| *x /= size);
            basis.push(rest);
        }
    }
    basis.len()
}

/// Factors of a symmetric matrix whose unknowns belong to nodes.
struct Factors {
    /// Place of each unknown in the order of elimination.
    place: Vec<usize>,
    lu: SparseLu,
}

impl Factors {
    /// Factors of the sum of some matrices, each with a factor.
    fn new(body: &FullBody, terms: &[(&SymmetricMatrix, f64)]) -> Result<Self, PivotError> {
        let place = elimination_order(body, terms);
        let entries = || {
            let of = |(matrix, factor): &(&'_ SymmetricMatrix, f64)| {
                let factor = *factor;
                matrix.entries().map(move |(i, j, value)| (i, j, factor * value)).collect::<Vec<_>>()
            };
            terms.iter().flat_map(of)
        };
        let mut pattern = PatternBuilder::new(place.len());
        for (i, j, _) in entries() {
            pattern.add_block(&[place[i]], &[place[j]]);
        }
        let pattern = pattern.build();
        let mut values = vec![0.0; pattern.nnz()];
        for (i, j, value) in entries() {
            let (i, j) = (place[i], place[j]);
            values[pattern.index(i, j).expect("in the pattern")] += value;
            if i != j {
                values[pattern.index(j, i).expect("in the pattern")] += value;
            }
        }
        let mut lu = SparseLu::new(&pattern);
        lu.factor(&values)?;
        Ok(Factors { place, lu })
    }

    /// x = A⁻¹ b.
    fn solve(&self, b: &[f64], x: &mut [f64], work: &mut [f64]) {
        self.place.iter().zip(b).for_each(|(place, value)| work[*place] = *value);
        self.lu.solve(work);
        self.place.iter().zip(x).for_each(|(place, value)| *value = work[*place]);
    }
}

/// Where each unknown is eliminated: nodes by least fill, the unknowns of a node together.
fn elimination_order(body: &FullBody, terms: &[(&SymmetricMatrix, f64)]) -> Vec<usize> {
    let node = |k: usize| body.unknowns[k].node;
    let pairs = terms.iter().flat_map(|(matrix, _)| matrix.entries());
    let mut pairs: Vec<(usize, usize)> =
        pairs.map(|(i, j, _)| (node(i), node(j))).filter(|(i, j)| i != j).collect();
    pairs.iter_mut().for_each(|pair| *pair = (pair.0.min(pair.1), pair.0.max(pair.1)));
    pairs.sort_unstable();
    pairs.dedup();
    let couplers: Vec<Coupler> =
        pairs.into_iter().map(|(i, j)| Coupler { nodes: vec![i, j], rows: 0 }).collect();
    let mut sizes = vec![0; body.nodes.len()];
    body.unknowns.iter().for_each(|unknown| sizes[unknown.node] += 1);
    let mut next = order_groups(&sizes, &couplers).node_offset;
    let place = |unknown: &Unknown| {
        next[unknown.node] += 1;
        next[unknown.node] - 1
    };
    body.unknowns.iter().map(place).collect()
}

/// Zero modes and least frequencies, or why they cannot be had.
fn modes(body: &FullBody, rigid: usize) -> Result<(Option<usize>, Vec<f64>), Doubt> {
    let (stiffness, mass) = (&body.stiffness, &body.mass);
    let (k, m) = (diagonal(stiffness), diagonal(mass));
    let highest = k.iter().zip(&m).filter(|(_, m)| **m > 0.0).map(|(k, m)| k / m).fold(0.0, f64::max);
    let shift = SHIFT * highest;
    if shift <= 0.0 || !shift.is_finite() {
        return Err(Doubt::Unknown("there is no stiffness".into()));
    }
    let factors = Factors::new(body, &[(stiffness, 1.0), (mass, shift)]);
    let factors = factors.map_err(|error| Doubt::Unknown(error.to_string()))?;
    match factors.lu.negative_pivots() {
        0 => {}
        negative => return Err(Doubt::Stiffness { negative }),
    }
    let size = mass.size();
    let (mut work, mut right) = (vec![0.0; size], vec![0.0; size]);
    let mut operator = |x: &[f64], y: &mut [f64]| {
        mass.multiply(x, &mut right);
        factors.solve(&right, y, &mut work);
    };
    let mut inner = |x: &[f64], y: &mut [f64]| mass.multiply(x, y);
    let settings = KrylovSettings { tolerance: 1e-9, block: 3, ..KrylovSettings::default() };
    let count = (rigid + FURTHER).min(size);
    let found = largest_symmetric(size, &mut operator, &mut inner, count, &settings);
    let pairs = found.map_err(|error| Doubt::Unknown(error.to_string()))?.pairs;
    // ω² = 1/θ − σ
    let mut squares: Vec<f64> = pairs.iter().map(|pair| 1.0 / pair.value - shift).collect();
    squares.sort_by(f64::total_cmp);
    let zero = ZERO * highest;
    let zeros = squares.iter().filter(|square| square.abs() <= zero).count();
    let negative = squares.iter().filter(|square| **square < -zero).count();
    if negative > 0 {
        return Err(Doubt::Stiffness { negative });
    }
    let above = squares.into_iter().filter(|square| *square > zero);
    Ok((Some(zeros), above.map(|square| square.sqrt() / TAU).collect()))
}

/// M must be positive, where it is not zero.
fn mass_doubt(body: &FullBody) -> Option<Doubt> {
    let m = diagonal(&body.mass);
    let below = m.iter().filter(|m| **m < 0.0).count();
    if below > 0 {
        return Some(Doubt::Mass { negative: below });
    }
    // M may be singular: a little is added everywhere.
    let little = 1e-10 * m.iter().fold(0.0, |most: f64, m| most.max(*m));
    let unit = SymmetricMatrix::from_entries(m.len(), (0..m.len()).map(|k| (k, k, 1.0)));
    let factors = Factors::new(body, &[(&body.mass, 1.0), (&unit, little)]);
    match factors.map(|factors| factors.lu.negative_pivots()) {
        Ok(0) => None,
        Ok(negative) => Some(Doubt::Mass { negative }),
        Err(error) => Some(Doubt::Unknown(error.to_string())),
    }
}

fn diagonal(matrix: &SymmetricMatrix) -> Vec<f64> {
    let first = |j: usize| matrix.column(j).next().filter(|(i, _)| *i == j).map_or(0.0, |(_, value)| value);
    (0..matrix.size()).map(first).collect()
}

/// Half of √(K/M) h, in the middle of all nodes: about the speed of waves, with the distance h to the next
/// node that a node is coupled to.
fn wave_speed(body: &FullBody) -> Option<f64> {
    let mut nearest = vec![f64::INFINITY; body.nodes.len()];
    for (i, j, value) in body.stiffness.entries().filter(|(.., value)| *value != 0.0) {
        let (a, b) = (body.unknowns[i].node, body.unknowns[j].node);
        if a != b && value.is_finite() {
            let distance = (body.nodes[a] - body.nodes[b]).norm();
            nearest[a] = nearest[a].min(distance);
            nearest[b] = nearest[b].min(distance);
        }
    }
    let mut sums = vec![(0.0, 0.0); body.nodes.len()];
    let (k, m) = (diagonal(&body.stiffness), diagonal(&body.mass));
    for (unknown, (k, m)) in body.unknowns.iter().zip(k.iter().zip(&m)) {
        if matches!(unknown.component, Component::Translation(_)) {
            sums[unknown.node].0 += k;
            sums[unknown.node].1 += m;
        }
    }
    let speeds = sums.iter().zip(&nearest).filter(|((k, m), h)| *k > 0.0 && *m > 0.0 && h.is_finite());
    let mut speeds: Vec<f64> = speeds.map(|((k, m), h)| 0.5 * (k / m).sqrt() * h).collect();
    speeds.sort_by(f64::total_cmp);
    speeds.get(speeds.len() / 2).copied()
}

/// Largest extent along an axis.
fn extent(nodes: &[Vec3]) -> f64 {
    let along = |k: usize| {
        let range =
            nodes.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |r, x| (r.0.min(x[k]), r.1.max(x[k])));
        range.1 - range.0
    };
    (0..3).map(along).fold(0.0, f64::max)
}
