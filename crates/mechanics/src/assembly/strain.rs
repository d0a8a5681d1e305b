//! Forces of elements with strains: a few numbers ε_k(x) that are bilinear in the carried vectors, at each
//! point of a quadrature.
//!
//! ```text
//! S = C ε + C_v ε̇,      f_a = −w Σ_k S_k g_ka,      g_ka = ∂ε_k/∂x_a
//! −∂f_a/∂x_b = w (Σ_kl g_ka (C_kl g_lb + C_v,kl ġ_lb) + s_ab I),      −∂f_a/∂ẋ_b = w Σ_kl g_ka C_v,kl g_lb
//! ```
//! with Σ_k S_k ∂²ε_k = s_ab I. In the unknowns of charts, x = x(q) with P = ∂x/∂q and Ṗ = ∂ẋ/∂q, the strains
//! go by the rows g̃ = g P and their rates by r̃ = ġ P + g Ṗ: six rows for all unknowns, where the blocks
//! ∂f_a/∂x_b are as many as pairs of vectors.

use crate::assembly::LocalBlock;
use crate::element_buffers::Block;
use crate::force::{Force, Motion};
use crate::system::Places;
use poinsot_geometry::{Mat6, Vec3, Vec6};

/// Most carried vectors of an element that gives its tangent by strains: four nodes.
const MOST_VECTORS: usize = 16;

/// Strains that one carried vector takes part in.
pub const OWN: usize = 3;

/// Most pairs of vectors with an s_ab that is not zero.
const PAIRS: usize = 96;

/// g_ka of the strains that a carried vector takes part in.
pub type Slopes = [Vec3; OWN];

/// A force element whose force comes from strains alone: its tangent is found from them.
pub trait StrainElement: Force {
    /// At how many points it has strains.
    fn strain_points(&self) -> usize;

    /// Strains at point `k`.
    fn strain_point(&self, k: usize, at: &Motion, out: &mut StrainPoint);
}

/// What the tangent of an element needs to know of one of its points.
#[derive(Clone, Debug)]
pub struct StrainPoint {
    /// The strains that each carried vector takes part in, over and over for every node.
    pub rows: &'static [[usize; OWN]],
    /// g_ka.
    pub slopes: [Slopes; MOST_VECTORS],
    /// ġ_ka, where there is viscosity.
    pub rates: [Slopes; MOST_VECTORS],
    /// w C.
    pub stiffness: Mat6,
    /// w C_v.
    pub viscosity: Option<Mat6>,
    /// w s_ab of one of each two pairs (a, b), (b, a).
    geometric: [(usize, usize, f64); PAIRS],
    pairs: usize,
}

impl Default for StrainPoint {
    fn default() -> Self {
        let none = [[Vec3::zeros(); OWN]; MOST_VECTORS];
        StrainPoint {
            rows: &[],
            slopes: none,
            rates: none,
            stiffness: Mat6::zeros(),
            viscosity: None,
            geometric: [(0, 0, 0.0); PAIRS],
            pairs: 0,
        }
    }
}

impl StrainPoint {
    /// Forgets all pairs.
    pub fn clear_geometric(&mut self) {
        self.pairs = 0;
    }

    /// Adds w s_ab for the pairs (a, b) and (b, a).
    pub fn push_geometric(&mut self, a: usize, b: usize, s: f64) {
        self.geometric[self.pairs] = (a, b, s);
        self.pairs += 1;
    }

    /// The strains that vector a takes part in.
    fn rows(&self, a: usize) -> [usize; OWN] {
        self.rows[a % self.rows.len()]
    }

    fn geometric(&self) -> &[(usize, usize, f64)] {
        &self.geometric[..self.pairs]
    }

    /// Adds −g_a right_b to the blocks of n vectors, row by row.
    pub fn add_products(&self, n: usize, right: impl Fn(usize) -> [Vec6; 3], blocks: &mut [Block]) {
        for b in 0..n {
            let right = right(b);
            for a in 0..n {
                let block = &mut blocks[a * n + b].value;
                for (row, slope) in self.rows(a).into_iter().zip(&self.slopes[a]) {
                    *block -= slope * Vec3::new(right[0][row], right[1][row], right[2][row]).transpose();
                }
            }
        }
    }

    /// Adds −s_ab I to the blocks of n vectors, row by row.
    pub fn add_geometric(&self, n: usize, blocks: &mut [Block]) {
        for &(a, b, s) in self.geometric() {
            for c in 0..3 {
                blocks[b * n + a].value[(c, c)] -= s;
                blocks[a * n + b].value[(c, c)] -= s;
            }
        }
    }

    /// The columns of C g_b + C_v ġ_b.
    pub fn stress_slopes(&self, b: usize) -> [Vec6; 3] {
        let mut s = self.through(&self.stiffness, &self.slopes[b], b);
        if let Some(viscosity) = &self.viscosity {
            let more = self.through(viscosity, &self.rates[b], b);
            s.iter_mut().zip(more).for_each(|(s, more)| *s += more);
        }
        s
    }

    /// The columns of D g_b.
    pub fn through(&self, law: &Mat6, slopes: &Slopes, b: usize) -> [Vec6; 3] {
        let rows = self.rows(b);
        std::array::from_fn(|c| rows.iter().zip(slopes).map(|(&row, slope)| law.column(row) * slope[c]).sum())
    }

    /// Adds g P to six rows.
    #[inline]
    fn add_rows(&self, slopes: &[Slopes], places: &Places, p: &[[Vec3; 6]], local: &mut [Vec6]) {
        for (a, place) in places.carried.iter().enumerate() {
            let rows = self.rows(a);
            for j in place.moves() {
                let local = &mut local[place.local + j];
                for (&row, slope) in rows.iter().zip(&slopes[a]) {
                    local[row] += slope.dot(&p[a][j]);
                }
            }
        }
    }
}

/// Rows of strains by the unknowns of an element.
#[derive(Clone, Debug)]
pub(crate) struct StrainRows {
    /// g̃, a column for each unknown.
    strain: Vec<Vec6>,
    /// C g̃ + C_v r̃.
    stress: Vec<Vec6>,
}

impl StrainRows {
    pub fn new(unknowns: usize) -> Self {
        StrainRows { strain: vec![Vec6::zeros(); unknowns], stress: vec![Vec6::zeros(); unknowns] }
    }

    /// Adds ∂Q/∂q of a point, without what comes from ∂P/∂q, to `k`, and ∂Q/∂v to `c` where there is
    /// viscosity.
    pub fn add(
        &mut self,
        point: &StrainPoint,
        places: &Places,
        [p, p_rate]: [&[[Vec3; 6]]; 2],
        [k, c]: [&mut LocalBlock; 2],
    ) {
        let n = places.unknowns.len();
        let (strain, stress) = (&mut self.strain[..n], &mut self.stress[..n]);
        strain.fill(Vec6::zeros());
        point.add_rows(&point.slopes, places, p, strain);
        if let Some(viscosity) = &point.viscosity {
            stress.iter_mut().zip(&*strain).for_each(|(s, e)| *s = viscosity * e);
            subtract_products(strain, stress, c);
            stress.fill(Vec6::zeros());
            point.add_rows(&point.rates, places, p, stress);
            point.add_rows(&point.slopes, places, p_rate, stress);
            for (s, e) in stress.iter_mut().zip(&*strain) {
                *s = viscosity * *s + point.stiffness * e;
            }
        } else {
            stress.iter_mut().zip(&*strain).for_each(|(s, e)| *s = point.stiffness * e);
        }
        subtract_products(strain, stress, k);
        for &(a, b, s) in point.geometric() {
            let (pa, pb) = (&places.carried[a], &places.carried[b]);
            for i in pa.moves() {
                let left = p[a][i] * s;
                for j in pb.moves() {
                    let value = left.dot(&p[b][j]);
                    k[pa.local + i][pb.local + j] -= value;
                    k[pb.local + j][pa.local + i] -= value;
                }
            }
        }
    }
}

/// local_ij −= left_i · right_j.
#[inline]
fn subtract_products(left: &[Vec6], right: &[Vec6], local: &mut LocalBlock) {
    for (row, left) in local.iter_mut().zip(left) {
        for (value, right) in row.iter_mut().zip(right) {
            *value -= left.dot(right);
        }
    }
}
