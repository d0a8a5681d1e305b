//! A law of the state: efforts as functions of time, of what is read off the motion of the whole system, and
//! of reactions and variables of networks.
//!
//! ```text
//! e_i = f_i(t, r₁, …, r_n, ρ₁, …, ρ_m),     r_j = r_j(x, ẋ),     ρ_j = ρ_j(x, λ) or y_j
//! w_ib = ∂e_i/∂x_b = Σ_j ∂f_i/∂r_j ∂r_j/∂x_b,     likewise ∂e_i/∂ẋ_b
//! ∂f_a/∂x_b = Σ_i B_ai ⊗ w_ib
//! ```
//! What is read, and by which input, is known when the law is made: only these w are summed up, and each pair
//! (a, b) gets one block.

use super::input_element::MAX_INPUTS;
use super::readings::{By, Readings, StateLawError, place_of};
use crate::coordinate::Coordinate;
use crate::element_buffers::{Blocks, MAX_CARRIED};
use crate::force::{Motion, Power};
use crate::nodes::carried::Carried;
use crate::reaction_reading::{MAX_REACTIONS, ReactionReading};
use crate::reading::Reading;
use crate::room::{with_numbers, with_vectors};
use crate::variable_reading::VariableReading;
use poinsot_expr::{Block, Engine, Function, Switch};
use poinsot_geometry::Vec3;
use std::ops::Range;

/// Efforts as functions of time and readings, for an element with vectors of its own.
#[derive(Clone, Debug)]
pub struct StateLaw {
    /// What it reads of the motion.
    pub readings: Readings,
    reactions: Vec<ReactionReading>,
    variables: Vec<VariableReading>,
    code: Block,
    switches: Vec<Switch>,
    /// The inputs whose efforts change with readings.
    active: Vec<usize>,
    /// The derivatives by readings, reading by reading, and which of them belong to each.
    uses: Vec<Use>,
    of_reading: Vec<Range<usize>>,
    /// The reading whose slope is what the only input pulls against, if there is one.
    against: Option<(usize, By)>,
}

/// A derivative ∂e_i/∂r_j.
#[derive(Clone, Copy, Debug)]
struct Use {
    /// Its place among the derivatives of the code.
    partial: usize,
    /// Its input, among the active ones.
    row: usize,
}

/// The inputs of an element as a law pushes them.
pub(crate) struct Pushing<F> {
    /// How many vectors they push: the first ones.
    pub vectors: usize,
    /// How many there are.
    pub inputs: usize,
    /// Whether the directions are those at one instant, not over a step.
    pub at_instant: bool,
    /// Adds Σ_i e_i B_ai.
    pub push: F,
}

impl StateLaw {
    /// The law of functions of (t, r₁, …, r_n, ρ₁, …, ρ_m) for an element whose own vectors are `carried`, to
    /// which those of the readings and reactions are added. The last of the ρ are variables.
    pub fn new(
        carried: &mut Vec<Carried>,
        readings: Vec<Reading>,
        mut reactions: Vec<ReactionReading>,
        variables: Vec<VariableReading>,
        efforts: &[Function],
    ) -> Result<Self, StateLawError> {
        let pressing = reactions.len() + variables.len();
        if pressing > MAX_REACTIONS {
            return Err(StateLawError::Reactions(pressing));
        }
        let readings = Readings::new(carried, readings)?;
        reactions.iter_mut().for_each(|reading| reading.put(&mut |c| place_of(c, carried)));
        if carried.len() > MAX_CARRIED {
            return Err(StateLawError::Vectors(carried.len()));
        }
        let functions: Vec<&Function> = efforts.iter().collect();
        let code = Block::of(&functions, readings.len() + 1 + pressing, &|i| i > 0, Engine::default());
        let switches = merged_switches(efforts);
        let (active, uses, of_reading) = uses(&code, readings.len());
        Ok(StateLaw {
            readings,
            reactions,
            variables,
            code,
            switches,
            active,
            uses,
            of_reading,
            against: None,
        })
    }

    /// The law of an element whose only input pulls against a coordinate of its own: where the law reads
    /// that, its slope is known.
    pub fn pulling_against(mut self, coordinate: Option<&Coordinate>) -> Self {
        self.against = coordinate.and_then(|s| self.readings.reading_of(s));
        self
    }

    /// The reactions that it reads.
    pub fn reactions(&self) -> &[ReactionReading] {
        &self.reactions
    }

    /// The variables that it reads.
    pub fn variables(&self) -> &[VariableReading] {
        &self.variables
    }

    /// Whether a switch depends on reactions.
    pub(crate) fn reads_reactions(&self, switch: &Switch) -> bool {
        let first = 1 + self.readings.len();
        (first..first + self.reactions.len()).any(|i| switch.depends_on(i))
    }

    /// Functions of the arguments whose passing a level is a kink or a jump.
    pub fn switches(&self) -> &[Switch] {
        &self.switches
    }

    /// How many arguments the law has, the time among them.
    pub(crate) fn count(&self) -> usize {
        1 + self.readings.len() + self.reactions.len() + self.variables.len()
    }

    /// (t, r₁, …, r_n, ρ₁, …, ρ_m).
    #[inline]
    pub(crate) fn arguments(&self, at: &Motion, out: &mut [f64]) {
        let (motion, reactions) = out.split_at_mut(1 + self.readings.len());
        motion[0] = at.t;
        self.readings.values(at, &mut motion[1..]);
        reactions.iter_mut().zip(at.reactions).for_each(|(out, reaction)| *out = *reaction);
    }

    /// e_i.
    #[inline]
    pub(crate) fn efforts(&self, at: &Motion) -> [f64; MAX_INPUTS] {
        let mut efforts = [0.0; MAX_INPUTS];
        with_numbers(self.count(), |arguments| {
            self.arguments(at, arguments);
            self.code.eval(arguments, &mut efforts);
        });
        efforts
    }

    /// e_i, and work with ∂e_i/∂r_j and ∂e_i/∂ρ_j in the order of the code's entries. Where a law has no
    /// slope, as drag v √(v₁² + v₂²) by the rules of derivatives at rest, or √(ρ₁² + ρ₂²) before the first
    /// reaction is known, Newton's method goes on without it.
    #[inline]
    fn differentiate(&self, at: &Motion, work: impl FnOnce(&mut [f64])) -> [f64; MAX_INPUTS] {
        let mut efforts = [0.0; MAX_INPUTS];
        with_numbers(self.count() + self.code.entries().len(), |room| {
            let (arguments, partials) = room.split_at_mut(self.count());
            self.arguments(at, arguments);
            self.code.eval_derivatives(arguments, &mut efforts, partials);
            partials.iter_mut().filter(|partial| !partial.is_finite()).for_each(|partial| *partial = 0.0);
            work(partials);
        });
        efforts
    }

    /// e_i; B_ai ∂e_i/∂x_b times the first factor into `k`, B_ai ∂e_i/∂ẋ_b times the second into `c`.
    #[inline]
    pub(crate) fn linearize<F: Fn(&[f64], &mut [Vec3])>(
        &self,
        at: &Motion,
        pushing: &Pushing<F>,
        (k, by_position): (&mut Blocks, f64),
        (c, by_velocity): (&mut Blocks, f64),
    ) -> [f64; MAX_INPUTS] {
        let rows = self.active.len();
        let [positions, velocities] = [By::Position, By::Velocity].map(|by| self.readings.columns(by));
        let [n, m] = [positions.len() * rows, velocities.len() * rows];
        self.differentiate(at, |partials| {
            with_vectors(n + m + rows * pushing.vectors, |room| {
                let (w, directions) = room.split_at_mut(n + m);
                let (w_x, w_v) = w.split_at_mut(n);
                let known =
                    self.slopes(at, partials, w_x, w_v, pushing.at_instant.then_some(&mut *directions));
                if !known {
                    self.directions(pushing, directions);
                }
                push_blocks(directions, pushing.vectors, positions, w_x, (k, by_position));
                push_blocks(directions, pushing.vectors, velocities, w_v, (c, by_velocity));
            });
        })
    }

    /// Adds w_ib by positions and by velocities, column by column the active inputs. Returns whether the
    /// direction of the only input is among the slopes; it is then in `direction`.
    #[inline]
    fn slopes(
        &self,
        at: &Motion,
        partials: &[f64],
        w_x: &mut [Vec3],
        w_v: &mut [Vec3],
        mut direction: Option<&mut [Vec3]>,
    ) -> bool {
        let rows = self.active.len();
        let against = self.against.filter(|_| direction.is_some());
        self.readings.slopes(at, |j, by, columns, slopes| {
            if let (Some(found), Some(direction)) = (against, &mut direction)
                && found == (j, by)
            {
                direction.iter_mut().zip(slopes).for_each(|(out, slope)| *out = -slope);
            }
            let w = if by == By::Position { &mut *w_x } else { &mut *w_v };
            // One input is what most elements have.
            if let (1, &[Use { partial, .. }]) = (rows, &self.uses[self.of_reading[j].clone()]) {
                let partial = partials[partial];
                for (&column, slope) in columns.iter().zip(slopes) {
                    w[column] += slope * partial;
                }
                return;
            }
            for using in &self.uses[self.of_reading[j].clone()] {
                let partial = partials[using.partial];
                for (column, slope) in columns.iter().zip(slopes) {
                    w[column * rows + using.row] += slope * partial;
                }
            }
        });
        against.is_some()
    }

    /// B_ai of the active inputs.
    #[inline]
    fn directions<F: Fn(&[f64], &mut [Vec3])>(&self, pushing: &Pushing<F>, out: &mut [Vec3]) {
        for (&i, out) in self.active.iter().zip(out.chunks_exact_mut(pushing.vectors)) {
            let mut unit = [0.0; MAX_INPUTS];
            unit[i] = 1.0;
            (pushing.push)(&unit[..pushing.inputs], out);
        }
    }

    /// Adds Σ_i B_ai ∂e_i/∂ρ_j by `push`.
    pub(crate) fn by_reaction(&self, j: usize, at: &Motion, push: impl FnOnce(&[f64; MAX_INPUTS])) {
        let mut column = [0.0; MAX_INPUTS];
        self.differentiate(at, |partials| {
            let argument = 1 + self.readings.len() + j;
            let entries = self.code.entries().iter().zip(&*partials);
            for (&(i, _), partial) in entries.filter(|((_, by), _)| *by == argument) {
                column[i] = *partial;
            }
        });
        push(&column);
    }
}

/// The inputs that change with readings, and the derivatives by each reading.
fn uses(code: &Block, readings: usize) -> (Vec<usize>, Vec<Use>, Vec<Range<usize>>) {
    let by_reading =
        |j: usize| code.entries().iter().enumerate().filter(move |(_, (_, argument))| *argument == j + 1);
    let mut active: Vec<usize> = (0..readings).flat_map(by_reading).map(|(_, (i, _))| *i).collect();
    active.sort_unstable();
    active.dedup();
    let mut uses = vec![];
    let ranges = (0..readings).map(|j| {
        let from = uses.len();
        let found = by_reading(j).filter_map(|(partial, (i, _))| {
            let row = active.binary_search(i).ok()?;
            Some(Use { partial, row })
        });
        uses.extend(found);
        from..uses.len()
    });
    let of_reading = ranges.collect();
    (active, uses, of_reading)
}

/// Adds the blocks factor Σ_i B_ai ⊗ w_ib: `directions` input by input, `w` column by column.
#[inline]
fn push_blocks(
    directions: &[Vec3],
    vectors: usize,
    columns: &[usize],
    w: &[Vec3],
    (out, factor): (&mut Blocks, f64),
) {
    let rows = w.len() / columns.len().max(1);
    if rows == 1 {
        for (&b, w) in columns.iter().zip(w) {
            out.push_column(b, directions, &(w * factor));
        }
        return;
    }
    for (&b, w) in columns.iter().zip(w.chunks_exact(rows.max(1))) {
        for a in 0..vectors {
            let terms = directions.chunks_exact(vectors).zip(w);
            out.push(a, b, terms.map(|(left, w)| left[a] * (w * factor).transpose()).sum());
        }
    }
}

/// The switches of functions with the same arguments, each once.
pub(crate) fn merged_switches(functions: &[Function]) -> Vec<Switch> {
    let mut switches: Vec<Switch> = vec![];
    for switch in functions.iter().flat_map(|f| f.switches()) {
        match switches.iter_mut().find(|known| *known == switch) {
            Some(known) => known.merge(switch),
            None => switches.push(switch.clone()),
        }
    }
    switches
}

/// What a law adds to the energy, by its sign.
pub(crate) fn booked(added: f64) -> Power {
    Power { supplied: added.max(0.0), dissipated: (-added).max(0.0) }
}
