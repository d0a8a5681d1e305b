//! The nonlinear program of an optimal control.
//!
//! Unknowns are the duration, if it is free, then for each bound of elements the independent changes p_i of
//! its state and the variables that the optimum sets there. Rows are, for each element, the gap to the state
//! that follows, in the changes that are independent where the search began,
//!
//! ```text
//! R_{i+1}ᵀ S⁻¹ (x_{i+1} ⊖ φ(x_i, u_i, σ_i T)) = 0
//! ```
//! then that parameters stay, then the conditions. Second derivatives are differences of exact gradients of
//! λᵀ(gap) along each unknown of an element, which the source leaves open; what is not symmetric in them
//! belongs to the moving axes and vanishes at a solution.

use super::error::{OptimalError, Unmet};
use super::problem::{Duration, OptimalProblem, Setting, Where};
use super::segment::{Packing, Segment, without_algebraic};
use crate::{Changes, PeriodicError};
use poinsot_integrators::{ElementMap, Scheme};
use poinsot_mechanics::{Chart, State, System};
use poinsot_numerics::dense::Mat;
use poinsot_numerics::nonlinear_program::{NoValue, Program, Range};
use std::cell::Cell;
use std::rc::Rc;

/// Change of an unknown for second derivatives, in units of the states.
const CHANGE: f64 = 1e-6;
/// Least singular value of a basis seen from its anchor: one when they are alike, zero when rows depend.
const NEARLY_DEPENDENT: f64 = 0.3;

pub(super) struct Transcription<'a, 's> {
    problem: &'a OptimalProblem,
    /// σ_i.
    shares: Vec<f64>,
    start: State,
    changes: Changes<'s>,
    packing: Packing,
    segments: Vec<Segment<'s>>,
    /// R_i.
    anchors: Vec<Mat<f64>>,
    /// States and N_i of the last point.
    states: Vec<State>,
    bases: Vec<Mat<f64>>,
    /// The point whose elements are evaluated, and whose bases are known.
    at: Vec<f64>,
    based: Vec<f64>,
    /// Independent changes of a state.
    d: usize,
    turns: bool,
    /// Whether the last point whose derivatives were asked for is far from the anchors.
    far: Rc<Cell<bool>>,
}

impl<'a, 's> Transcription<'a, 's> {
    /// With a guess: states at the bounds of elements, the first of which is the start.
    pub fn new(
        system: &'s System,
        problem: &'a OptimalProblem,
        scheme: Scheme,
        shares: Vec<f64>,
        guess: Vec<State>,
    ) -> Result<Self, OptimalError> {
        let rate = 1.0 / problem.duration.guess();
        if let (true, Some(free)) = (system.has_commands(), problem.free.first()) {
            let row = "a drive or a constraint of velocities".to_owned();
            return Err(OptimalError::Jumps { row, control: free.name.clone() });
        }
        let mut changes = Changes::new(system, rate);
        for free in &problem.free {
            if let Some(row) = changes.hold(&guess[0], free.entry) {
                return Err(OptimalError::Jumps { row, control: free.name.clone() });
            }
        }
        let segments: Result<Vec<_>, _> = shares
            .iter()
            .map(|_| Ok::<_, OptimalError>(Segment::new(system, ElementMap::new(system, scheme.clone())?)))
            .collect();
        let mut transcription = Transcription {
            packing: Packing::new(&guess[0]),
            anchors: vec![],
            bases: vec![],
            at: vec![],
            based: vec![],
            d: changes.independent(),
            turns: system.nodes().iter().any(|node| node.chart == Chart::Motion),
            far: Rc::default(),
            start: guess[0].clone(),
            segments: segments?,
            states: guess,
            problem,
            shares,
            changes,
        };
        let point = transcription.point(problem.duration.guess());
        transcription.anchor(&point)?;
        Ok(transcription)
    }

    /// Takes the rows of gaps in the changes that are independent at a point.
    pub fn anchor(&mut self, point: &[f64]) -> Result<(), PeriodicError> {
        let mut states = self.states_of(point);
        let bases: Result<Vec<_>, _> = states.iter_mut().map(|state| self.changes.basis(state)).collect();
        self.anchors = bases?.iter().map(|basis| without_algebraic(&self.changes, basis)).collect();
        self.far.set(false);
        Ok(())
    }

    fn elements(&self) -> usize {
        self.shares.len()
    }

    fn has_free_time(&self) -> bool {
        matches!(self.problem.duration, Duration::Free { .. })
    }

    /// Unknowns at a bound, and the first of them.
    fn width(&self) -> usize {
        self.d + self.problem.free.len()
    }

    fn first(&self, node: usize) -> usize {
        usize::from(self.has_free_time()) + node * self.width()
    }

    /// The states as a point.
    pub fn point(&self, duration: f64) -> Vec<f64> {
        let size = self.packing.size();
        let mut point = vec![0.0; 1 + self.states.len() * size];
        point[0] = duration;
        for (state, out) in self.states.iter().zip(point[1..].chunks_exact_mut(size)) {
            self.packing.pack(state, out);
        }
        point
    }

    /// The states of a point.
    pub fn states_of(&self, point: &[f64]) -> Vec<State> {
        let mut states = vec![self.start.clone(); self.elements() + 1];
        self.unpack(point, &mut states);
        states
    }

    fn unpack(&self, point: &[f64], states: &mut [State]) {
        let mut t = self.start.t;
        for (i, (state, packed)) in
            states.iter_mut().zip(point[1..].chunks_exact(self.packing.size())).enumerate()
        {
            self.packing.unpack(packed, t, state);
            t += self.shares.get(i).map_or(0.0, |share| share * point[0]);
        }
    }

    fn take_bases(&mut self, point: &[f64]) -> Result<(), NoValue> {
        let mut states = std::mem::take(&mut self.states);
        self.unpack(point, &mut states);
        if self.based == point {
            self.states = states;
            return Ok(());
        }
        let bases: Result<Vec<_>, _> = states.iter().map(|state| self.changes.basis(state)).collect();
        self.states = states;
        self.bases = bases.map_err(|_| NoValue)?;
        self.based = point.to_vec();
        Ok(())
    }

    /// Goes over all elements of a point.
    fn advance(&mut self, point: &[f64]) -> Result<(), NoValue> {
        let mut states = std::mem::take(&mut self.states);
        self.unpack(point, &mut states);
        self.states = states;
        if self.at == point {
            return Ok(());
        }
        self.at.clear();
        for i in 0..self.elements() {
            self.segments[i].advance(&self.states[i], self.shares[i] * point[0])?;
            self.segments[i].gap(&self.changes, &self.states[i + 1]);
        }
        self.at = point.to_vec();
        Ok(())
    }

    /// Conditions with the bounds at which they hold.
    fn conditions_at(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let k = self.elements();
        self.problem.conditions.iter().enumerate().flat_map(move |(c, condition)| {
            let nodes = match condition.place {
                Where::Everywhere => 1..=k,
                Where::End => k..=k,
            };
            nodes.map(move |node| (c, node))
        })
    }

    /// Parameters, with the elements between which they stay.
    fn kept(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let once = self.problem.free.iter().enumerate().filter(|(_, free)| free.setting == Setting::Once);
        once.flat_map(move |(f, _)| (1..self.elements()).map(move |node| (f, node)))
    }

    /// The columns of a state's unknowns: S N, then those of the variables that are set.
    fn columns(&self, node: usize) -> Vec<f64> {
        let size = self.changes.size();
        let mut columns = self.changes.spread(&self.bases[node], &Mat::identity(self.d, self.d));
        for free in &self.problem.free {
            let from = columns.len();
            columns.resize(from + size, 0.0);
            columns[from + size / 2 + free.entry] = 1.0;
        }
        columns
    }

    /// Their transposed: the derivative by the unknowns of a state, from that by its changes.
    fn add_to_unknowns(&self, node: usize, slope: &[f64], out: &mut [f64]) {
        let pulled = self.changes.gather_slopes(&self.bases[node], slope);
        out[..self.d].iter_mut().zip(pulled).for_each(|(out, x)| *out += x);
        for (free, out) in self.problem.free.iter().zip(&mut out[self.d..]) {
            *out += slope[slope.len() / 2 + free.entry];
        }
    }

    /// The gradient of λᵀ(gap) by the unknowns of an element: those of its start, the duration, and the p of
    /// its end. `at` is the element that has gone, from state `start` to `next`.
    fn gap_gradient(&mut self, i: usize, lambda: &[f64], with_next: bool) -> Vec<f64> {
        let (size, width) = (self.changes.size(), self.width());
        let w = self.changes.spread_inverse(&self.anchors[i + 1], lambda);
        let mut start = vec![0.0; size];
        let is_free = self.has_free_time();
        let by_length = self.segments[i].pull(&w, is_free, &mut start);
        let mut gradient = vec![0.0; width + 1 + self.d];
        self.add_to_unknowns(i, &start, &mut gradient[..width]);
        gradient[width] = by_length * self.shares[i];
        if with_next {
            let mut next = w;
            self.segments[i].pulled_to_next(&mut next);
            let pulled = self.changes.gather_slopes(&self.bases[i + 1], &next);
            gradient[width + 1..].iter_mut().zip(pulled).for_each(|(out, x)| *out = x);
        }
        gradient
    }

    /// A state moved by a change of one of its unknowns.
    fn moved(&mut self, node: usize, unknown: usize, by: f64) -> Result<State, NoValue> {
        if unknown >= self.d {
            let mut state = self.states[node].clone();
            state.v[self.problem.free[unknown - self.d].entry] += by;
            self.changes.settle(&mut state).map_err(|_| NoValue)?;
            return Ok(state);
        }
        let p = Mat::from_fn(self.d, 1, |k, _| if k == unknown { by } else { 0.0 });
        let change = self.changes.spread(&self.bases[node], &p);
        self.changes.moved(&self.states[node], &change).map_err(|_| NoValue)
    }

    /// The Hessian of λᵀ(gap) by the unknowns of an element, row by row.
    fn gap_hessian(&mut self, i: usize, lambda: &[f64], duration: f64) -> Result<Mat<f64>, NoValue> {
        let (width, h) = (self.width(), self.shares[i] * duration);
        let count = width + 1 + self.d;
        let mut hessian = Mat::zeros(count, count);
        let next = self.states[i + 1].clone();
        for k in 0..count {
            let is_time = k == width;
            if (is_time && !self.has_free_time()) || (k > width && !self.turns) {
                continue;
            }
            let scale = match k {
                _ if is_time => duration,
                k if k < self.d || k > width => 1.0,
                k => self.states[i].v[self.problem.free[k - self.d].entry].abs().max(1.0),
            };
            let by = CHANGE * scale;
            let mut sides = [vec![], vec![]];
            for (side, sign) in sides.iter_mut().zip([1.0, -1.0]) {
                let (mut start, mut length, mut after) = (self.states[i].clone(), h, next.clone());
                if is_time {
                    length += self.shares[i] * sign * by;
                } else if k < width {
                    start = self.moved(i, k, sign * by)?;
                } else {
                    after = self.moved(i + 1, k - width - 1, sign * by)?;
                }
                self.segments[i].advance(&start, length)?;
                self.segments[i].gap(&self.changes, &after);
                *side = self.gap_gradient(i, lambda, self.turns);
            }
            for r in 0..count {
                hessian[(r, k)] = (sides[0][r] - sides[1][r]) / (2.0 * by);
            }
        }
        self.segments[i].advance(&self.states[i], h)?;
        self.segments[i].gap(&self.changes, &self.states[i + 1]);
        Ok(hessian)
    }

    /// The gradient of the weighted quantities of a bound by its unknowns, at a state.
    fn node_gradient(&self, node: usize, state: &State, weights: &[(usize, f64)], w: f64) -> Vec<f64> {
        let mut slope = vec![0.0; self.changes.size()];
        for &(c, weight) in weights {
            self.problem.conditions[c].quantity.add_slope(state, weight, &mut slope);
        }
        if node == self.elements() {
            for (quantity, weight) in &self.problem.objective {
                quantity.add_slope(state, w * weight, &mut slope);
            }
        }
        let mut out = vec![0.0; self.width()];
        self.add_to_unknowns(node, &slope, &mut out);
        out
    }

    /// What does not hold at a point, worst first, by names.
    pub fn unmet(&mut self, violated: &[(usize, f64)], point: &[f64]) -> Vec<Unmet> {
        let states = self.states_of(point);
        let gaps = self.elements() * self.d;
        let kept: Vec<(usize, usize)> = self.kept().collect();
        let conditions: Vec<(usize, usize)> = self.conditions_at().collect();
        let name = |row: usize, by: f64| {
            if row < gaps {
                let i = row / self.d;
                let anchor = &self.anchors[i + 1];
                let worst = (0..anchor.nrows()).max_by(|&a, &b| {
                    anchor[(a, row % self.d)].abs().total_cmp(&anchor[(b, row % self.d)].abs())
                });
                let equation = worst.map_or(String::new(), |w| self.changes.entry_name(w));
                Unmet { name: format!("the join of elements in {equation}"), t: states[i + 1].t, by }
            } else if row < gaps + kept.len() {
                let (f, node) = kept[row - gaps];
                Unmet { name: format!("that `{}` stays", self.problem.free[f].name), t: states[node].t, by }
            } else {
                let (c, node) = conditions[row - gaps - kept.len()];
                let name = format!("the condition on {}", self.problem.conditions[c].quantity.name());
                Unmet { name, t: states[node].t, by }
            }
        };
        violated.iter().map(|&(row, by)| name(row, by)).collect()
    }

    /// Tells whether the last point is so far from the anchors that rows no longer tell changes apart.
    pub fn far_flag(&self) -> Rc<Cell<bool>> {
        self.far.clone()
    }

    /// Whether some basis has turned so far from the one of its rows that these no longer tell changes apart.
    fn is_far(&self) -> bool {
        let far = |(basis, anchor): (&Mat<f64>, &Mat<f64>)| {
            let both = anchor.transpose() * basis;
            both.singular_values()
                .is_ok_and(|sizes| sizes.last().is_some_and(|least| *least < NEARLY_DEPENDENT))
        };
        self.d > 0 && self.bases.iter().zip(&self.anchors).skip(1).any(far)
    }

    /// Where the entries of an element's block stand among the unknowns, none for the duration if it is
    /// given.
    fn places(&self, i: usize) -> Vec<Option<usize>> {
        let start = (0..self.width()).map(|k| Some(self.first(i) + k));
        let time = std::iter::once(self.has_free_time().then_some(0));
        start.chain(time).chain((0..self.d).map(|k| Some(self.first(i + 1) + k))).collect()
    }
}

impl Program for Transcription<'_, '_> {
    fn unknowns(&self) -> usize {
        self.first(self.elements() + 1)
    }

    fn rows(&self) -> usize {
        self.elements() * self.d + self.kept().count() + self.conditions_at().count()
    }

    fn unknown_range(&self, unknown: usize) -> Range {
        if let (true, 0, Duration::Free { range, .. }) =
            (self.has_free_time(), unknown, self.problem.duration)
        {
            return range;
        }
        let from = unknown - self.first(0);
        match (from / self.width(), from % self.width()) {
            // The start is given; over the end nothing is set any more.
            (0, k) if k < self.d => Range::exactly(0.0),
            (node, k) if k >= self.d && node == self.elements() => Range::exactly(0.0),
            (_, k) if k >= self.d => self.problem.free[k - self.d].range,
            _ => Range::FREE,
        }
    }

    fn row_range(&self, row: usize) -> Range {
        let first = self.elements() * self.d + self.kept().count();
        match row.checked_sub(first) {
            Some(k) => {
                let (c, _) = self.conditions_at().nth(k).expect("a row of the program");
                self.problem.conditions[c].range
            }
            None => Range::exactly(0.0),
        }
    }

    fn coordinate(&self, x: &[f64], unknown: usize) -> f64 {
        if self.has_free_time() && unknown == 0 {
            return x[0];
        }
        let from = unknown - self.first(0);
        let (node, k) = (from / self.width(), from % self.width());
        match k.checked_sub(self.d) {
            Some(f) if node < self.elements() => {
                x[1 + node * self.packing.size() + self.packing.place(self.problem.free[f].entry)]
            }
            _ => 0.0,
        }
    }

    fn move_by(&mut self, x: &[f64], step: &[f64], alpha: f64, out: &mut [f64]) {
        out.copy_from_slice(x);
        if self.has_free_time() {
            out[0] += alpha * step[0];
        }
        let mut states = self.states_of(x);
        let size = self.packing.size();
        for node in 0..=self.elements() {
            let d = &step[self.first(node)..self.first(node) + self.width()];
            let state = &mut states[node];
            for (free, d) in self.problem.free.iter().zip(&d[self.d..]) {
                state.v[free.entry] += alpha * d;
            }
            let moved = if node == 0 {
                let mut state = state.clone();
                self.changes.settle(&mut state).map(|()| state)
            } else {
                self.changes.basis(state).and_then(|basis| {
                    let p = Mat::from_fn(self.d, 1, |k, _| alpha * d[k]);
                    let change = self.changes.spread(&basis, &p);
                    self.changes.moved(state, &change)
                })
            };
            // A state that cannot be moved there has no values there either.
            let packed = &mut out[1 + node * size..1 + (node + 1) * size];
            match moved {
                Ok(state) => self.packing.pack(&state, packed),
                Err(_) => packed.fill(f64::NAN),
            }
        }
    }

    fn away(&mut self, x: &[f64], from: &[f64], out: &mut [f64]) {
        let (to, before) = (self.states_of(x), self.states_of(from));
        if self.has_free_time() {
            out[0] = x[0] - from[0];
        }
        let mut way = vec![0.0; self.changes.size()];
        for node in 0..=self.elements() {
            let first = self.first(node);
            self.changes.difference(&before[node], &to[node], &mut way);
            if let Ok(basis) = self.changes.basis(&to[node]) {
                let p = self.changes.gather(&basis, &way);
                (0..self.d).for_each(|k| out[first + k] = p[(k, 0)]);
            }
            for (f, free) in self.problem.free.iter().enumerate() {
                out[first + self.d + f] = to[node].v[free.entry] - before[node].v[free.entry];
            }
        }
    }

    fn objective(&mut self, x: &[f64]) -> Result<f64, NoValue> {
        let states = self.states_of(x);
        let end = states.last().ok_or(NoValue)?;
        let parts = self.problem.objective.iter().map(|(quantity, weight)| weight * quantity.value(end));
        Ok(parts.sum::<f64>() + self.problem.time_weight * x[0])
    }

    fn gradient(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
        self.take_bases(x)?;
        out.fill(0.0);
        if self.has_free_time() {
            out[0] = self.problem.time_weight;
        }
        let end = self.elements();
        let own = self.node_gradient(end, &self.states[end], &[], 1.0);
        let first = self.first(end);
        out[first..first + own.len()].copy_from_slice(&own);
        Ok(())
    }

    fn conditions(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
        if x.iter().any(|x| !x.is_finite()) {
            return Err(NoValue);
        }
        self.advance(x)?;
        let d = self.d;
        for i in 0..self.elements() {
            let gap = self.segments[i].gap(&self.changes, &self.states[i + 1]).to_vec();
            let rows = self.changes.gather(&self.anchors[i + 1], &gap);
            (0..d).for_each(|k| out[i * d + k] = rows[(k, 0)]);
        }
        let mut row = self.elements() * d;
        for (f, node) in self.kept().collect::<Vec<_>>() {
            let entry = self.problem.free[f].entry;
            out[row] = self.states[node].v[entry] - self.states[node - 1].v[entry];
            row += 1;
        }
        for (c, node) in self.conditions_at() {
            out[row] = self.problem.conditions[c].quantity.value(&self.states[node]);
            row += 1;
        }
        Ok(())
    }

    fn jacobian_places(&self) -> Vec<(usize, usize)> {
        let mut places = vec![];
        for i in 0..self.elements() {
            for column in self.places(i).into_iter().flatten() {
                places.extend((0..self.d).map(|k| (i * self.d + k, column)));
            }
        }
        let mut row = self.elements() * self.d;
        for (f, node) in self.kept() {
            places.extend([(row, self.first(node) + self.d + f), (row, self.first(node - 1) + self.d + f)]);
            row += 1;
        }
        for (_, node) in self.conditions_at() {
            places.extend((0..self.width()).map(|k| (row, self.first(node) + k)));
            row += 1;
        }
        places
    }

    fn jacobian(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
        self.advance(x)?;
        self.take_bases(x)?;
        self.far.set(self.is_far());
        let (size, d) = (self.changes.size(), self.d);
        let mut from = 0;
        let mut put = |rows: Mat<f64>| {
            for column in 0..rows.ncols() {
                (0..d).for_each(|k| out[from + k] = rows[(k, column)]);
                from += d;
            }
        };
        for i in 0..self.elements() {
            let columns = self.columns(i);
            let mut pushed = vec![0.0; columns.len()];
            self.segments[i].gap(&self.changes, &self.states[i + 1]);
            self.segments[i].push(&columns, &mut pushed);
            put(self.changes.gather(&self.anchors[i + 1], &pushed));
            if self.has_free_time() {
                let by_length: Vec<f64> =
                    self.segments[i].by_length().iter().map(|x| x * self.shares[i]).collect();
                put(self.changes.gather(&self.anchors[i + 1], &by_length));
            }
            let mut next = self.changes.spread(&self.bases[i + 1], &Mat::identity(d, d));
            next.chunks_exact_mut(size).for_each(|column| self.segments[i].seen_from_next(column));
            put(self.changes.gather(&self.anchors[i + 1], &next));
        }
        for _ in self.kept() {
            out[from..from + 2].copy_from_slice(&[1.0, -1.0]);
            from += 2;
        }
        for (c, node) in self.conditions_at() {
            let own = self.node_gradient_of(node, c);
            out[from..from + own.len()].copy_from_slice(&own);
            from += own.len();
        }
        Ok(())
    }

    fn hessian_places(&self) -> Vec<(usize, usize)> {
        let mut places = vec![];
        for i in 0..self.elements() {
            let own: Vec<usize> = self.places(i).into_iter().flatten().collect();
            for (a, &row) in own.iter().enumerate() {
                places.extend(own[..=a].iter().map(|&column| (row, column)));
            }
        }
        for node in 1..=self.elements() {
            let first = self.first(node);
            for a in 0..self.width() {
                places.extend((0..=a).map(|b| (first + a, first + b)));
            }
        }
        places
    }

    fn hessian(&mut self, x: &[f64], w: f64, lambda: &[f64], out: &mut [f64]) -> Result<(), NoValue> {
        self.advance(x)?;
        self.take_bases(x)?;
        let mut from = 0;
        for i in 0..self.elements() {
            let block = self.gap_hessian(i, &lambda[i * self.d..(i + 1) * self.d], x[0])?;
            let own: Vec<usize> =
                self.places(i).iter().enumerate().filter_map(|(k, place)| place.map(|_| k)).collect();
            for (a, &row) in own.iter().enumerate() {
                for &column in &own[..=a] {
                    out[from] = self.symmetric(&block, row, column);
                    from += 1;
                }
            }
        }
        let first = self.elements() * self.d + self.kept().count();
        let conditions: Vec<(usize, usize)> = self.conditions_at().collect();
        for node in 1..=self.elements() {
            let weights: Vec<(usize, f64)> = conditions
                .iter()
                .enumerate()
                .filter(|(_, (_, at))| *at == node)
                .map(|(row, (c, _))| (*c, lambda[first + row]))
                .collect();
            let block = self.node_hessian(node, &weights, w)?;
            for a in 0..self.width() {
                for b in 0..=a {
                    out[from] = 0.5 * (block[(a, b)] + block[(b, a)]);
                    from += 1;
                }
            }
        }
        Ok(())
    }
}

impl Transcription<'_, '_> {
    fn node_gradient_of(&self, node: usize, condition: usize) -> Vec<f64> {
        self.node_gradient(node, &self.states[node], &[(condition, 1.0)], 0.0)
    }

    /// An entry of the symmetric part; without turning frames the columns of the state that follows are zero.
    fn symmetric(&self, block: &Mat<f64>, row: usize, column: usize) -> f64 {
        let width = self.width();
        let known = |k: usize| k <= width || self.turns;
        match (known(row), known(column)) {
            (true, true) => 0.5 * (block[(row, column)] + block[(column, row)]),
            _ => 0.0,
        }
    }

    /// The Hessian of the weighted quantities of a bound by its unknowns.
    fn node_hessian(&mut self, node: usize, weights: &[(usize, f64)], w: f64) -> Result<Mat<f64>, NoValue> {
        let width = self.width();
        let mut hessian = Mat::zeros(width, width);
        let has_objective = node == self.elements() && !self.problem.objective.is_empty() && w != 0.0;
        if weights.iter().all(|(_, weight)| *weight == 0.0) && !has_objective {
            return Ok(hessian);
        }
        for k in 0..width {
            let sides: Result<Vec<_>, NoValue> = [1.0, -1.0]
                .into_iter()
                .map(|sign| {
                    let state = self.moved(node, k, sign * CHANGE)?;
                    Ok(self.node_gradient(node, &state, weights, w))
                })
                .collect();
            let sides = sides?;
            (0..width).for_each(|r| hessian[(r, k)] = (sides[0][r] - sides[1][r]) / (2.0 * CHANGE));
        }
        Ok(hessian)
    }
}
