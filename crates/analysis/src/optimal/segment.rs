//! One element of a transcription: how its end misses the state that follows, with derivatives.

use crate::Changes;
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_integrators::{ElementMap, StepMap};
use poinsot_mechanics::{Chart, State, System};
use poinsot_numerics::dense::Mat;
use poinsot_numerics::nonlinear_program::NoValue;

/// An element between two states.
#[derive(Debug)]
pub(super) struct Segment<'s> {
    system: &'s System,
    map: ElementMap<'s>,
    end: State,
    /// end ⊖ … of the last evaluation.
    gap: Vec<f64>,
    by_length: Vec<f64>,
}

impl<'s> Segment<'s> {
    pub fn new(system: &'s System, map: ElementMap<'s>) -> Self {
        let n = system.size();
        Segment {
            system,
            map,
            end: system.start_state(0.0),
            gap: vec![0.0; 2 * n],
            by_length: vec![0.0; 2 * n],
        }
    }

    /// Goes from a state over the element; its end is kept.
    pub fn advance(&mut self, start: &State, h: f64) -> Result<&State, NoValue> {
        self.map.advance(start, h, &mut self.end).map_err(|_| NoValue)?;
        Ok(&self.end)
    }

    /// The way from the end of the element to the state that should follow.
    pub fn gap(&mut self, changes: &Changes, next: &State) -> &[f64] {
        changes.difference(&self.end, next, &mut self.gap);
        &self.gap
    }

    /// Columns of Φ as the gap sees them: −D_a Φ x for changes x one after the other.
    pub fn push(&mut self, columns: &[f64], out: &mut [f64]) {
        let size = 2 * self.system.size();
        self.map.push(columns, out);
        for column in out.chunks_exact_mut(size) {
            self.seen_from_end(column);
        }
    }

    /// How the gap changes with the length of the element.
    pub fn by_length(&mut self) -> &[f64] {
        let mut column = std::mem::take(&mut self.by_length);
        self.map.by_length(&mut column);
        self.seen_from_end(&mut column);
        self.by_length = column;
        &self.by_length
    }

    /// The adjoint: Φᵀ (−D_aᵀ) w, and the part of the length.
    pub fn pull(&mut self, w: &[f64], with_length: bool, out: &mut [f64]) -> f64 {
        let mut w = w.to_vec();
        turn(self.system, &self.gap, &mut w, |theta| -so3::spatial_tangent_inv(theta).transpose(), -1.0);
        self.map.pull(&w, out);
        if !with_length {
            return 0.0;
        }
        self.map.by_length(&mut self.by_length);
        self.by_length.iter().zip(&w).map(|(a, b)| a * b).sum()
    }

    /// −D_a: log(exp(−δ) R) = θ − T_s⁻¹(θ) δ of frames that turn.
    fn seen_from_end(&self, column: &mut [f64]) {
        turn(self.system, &self.gap, column, |theta| -so3::spatial_tangent_inv(theta), -1.0);
    }

    /// D_b: log(R exp(δ)) = θ + T⁻¹(θ) δ, on changes of the state that follows.
    pub fn seen_from_next(&self, column: &mut [f64]) {
        turn(self.system, &self.gap, column, so3::tangent_inv, 1.0);
    }

    /// D_bᵀ.
    pub fn pulled_to_next(&self, w: &mut [f64]) {
        turn(self.system, &self.gap, w, |theta| so3::tangent_inv(theta).transpose(), 1.0);
    }
}

/// Multiplies a change by a sign, but what turns frames by a matrix of the turn in the gap.
fn turn(system: &System, gap: &[f64], change: &mut [f64], matrix: impl Fn(&Vec3) -> Mat3, sign: f64) {
    change.iter_mut().for_each(|x| *x *= sign);
    for node in system.nodes().iter().filter(|node| node.chart == Chart::Motion) {
        let first = node.unknowns().start + 3;
        let own = Vec3::from_column_slice(&change[first..first + 3]) * sign;
        let turned = matrix(&Vec3::from_column_slice(&gap[first..first + 3])) * own;
        change[first..first + 3].copy_from_slice(turned.as_slice());
    }
}

/// A state in one vector: frames row by row, velocities and variables, memory.
#[derive(Debug)]
pub(super) struct Packing {
    frames: usize,
    v: usize,
    memory: usize,
}

impl Packing {
    pub fn new(state: &State) -> Self {
        Packing { frames: state.frames.len(), v: state.v.len(), memory: state.memory.len() }
    }

    pub fn size(&self) -> usize {
        12 * self.frames + self.v + self.memory
    }

    /// Where a velocity or variable stands.
    pub fn place(&self, entry: usize) -> usize {
        12 * self.frames + entry
    }

    pub fn pack(&self, state: &State, out: &mut [f64]) {
        for (frame, out) in state.frames.iter().zip(out.chunks_exact_mut(12)) {
            out[..3].copy_from_slice(frame.r.as_slice());
            out[3..].copy_from_slice(frame.rot.as_slice());
        }
        let from = 12 * self.frames;
        out[from..from + self.v].copy_from_slice(&state.v);
        out[from + self.v..].copy_from_slice(&state.memory);
    }

    pub fn unpack(&self, packed: &[f64], t: f64, out: &mut State) {
        out.t = t;
        for (frame, packed) in out.frames.iter_mut().zip(packed.chunks_exact(12)) {
            frame.r = Vec3::from_column_slice(&packed[..3]);
            frame.rot = Mat3::from_column_slice(&packed[3..]);
        }
        let from = 12 * self.frames;
        out.v.copy_from_slice(&packed[from..from + self.v]);
        out.memory.copy_from_slice(&packed[from + self.v..]);
    }
}

/// N for the entries that elements join: without those that equations without rates give.
pub(super) fn without_algebraic(changes: &Changes, basis: &Mat<f64>) -> Mat<f64> {
    let is_algebraic = changes.are_algebraic();
    Mat::from_fn(basis.nrows(), basis.ncols(), |i, j| if is_algebraic[i] { 0.0 } else { basis[(i, j)] })
}
