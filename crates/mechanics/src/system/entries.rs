//! What a system is made of, with its places.

use super::places::{NO_EQUATION, Places};
use crate::command::Command;
use crate::constraint::{Configuration, Constraint};
use crate::force::{Force, Motion};
use crate::mass::body::Body;
use crate::nodes::carried::Carried;
use crate::nodes::chart::{Chart, Frame, Twist};
use crate::pressing::{Pressing, PressingRows};
use crate::system::state::Instant;
use crate::variable_reading::VariableColumn;
use poinsot_geometry::Vec3;

/// A node: something that moves.
#[derive(Clone, Debug)]
pub struct Node {
    /// Name for messages.
    pub name: String,
    /// How it moves.
    pub chart: Chart,
    /// Natural coordinates as modelled.
    pub start: Frame,
    /// Velocity as modelled.
    pub start_velocity: Twist,
    pub(crate) eq: usize,
}

impl Node {
    /// The node's unknowns in equation order.
    #[inline]
    pub fn unknowns(&self) -> std::ops::Range<usize> {
        self.eq..self.eq + self.chart.dofs()
    }
}

/// A body of the system, with its value slots.
#[derive(Debug)]
pub(crate) struct BodyEntry {
    pub body: Body,
    pub block: Vec<u32>,
    /// Whether a group evaluates it.
    pub taken: bool,
}

/// A constraint of the system.
#[derive(Debug)]
pub struct ConstraintEntry {
    /// Name for messages and signals.
    pub name: String,
    /// The equations.
    pub law: Box<dyn Constraint>,
    /// Rows that have an equation; the others were dropped because nothing can change them.
    pub active: Vec<bool>,
    /// See [`Constraint::is_driven`].
    pub(crate) driven: bool,
    /// The equations without the dropped rows, where that is cheaper.
    pub(crate) reduced: Option<Box<dyn Constraint>>,
    /// Where its remembered numbers stand in [`State::memory`](crate::State).
    pub(crate) memory: std::ops::Range<usize>,
    /// What its rows follow.
    pub(crate) commands: Vec<Command>,
    /// Whether a group evaluates it.
    pub(crate) taken: bool,
    /// Of all its vectors.
    pub(crate) places: Places,
    /// Of the vectors of each stretch, if it travels.
    pub(crate) stretches: Vec<Places>,
}

impl ConstraintEntry {
    /// A constraint that is not numbered yet, all rows active.
    pub(super) fn new(name: &str, law: Box<dyn Constraint>) -> Self {
        ConstraintEntry {
            name: name.into(),
            active: vec![true; law.rows()],
            driven: law.is_driven(),
            law,
            reduced: None,
            memory: 0..0,
            commands: vec![],
            taken: false,
            places: Places::default(),
            stretches: vec![],
        }
    }

    /// Where it writes as things stand.
    #[inline]
    pub(crate) fn places_at(&self, frames: &[Frame]) -> &Places {
        if self.stretches.is_empty() {
            return &self.places;
        }
        self.law.itinerary().map_or(&self.places, |way| &self.stretches[way.stretch_at(frames)])
    }

    /// The vectors that its law is a function of as things stand.
    pub(crate) fn carried_at(&self, frames: &[Frame]) -> &[Carried] {
        self.law.itinerary().map_or(self.law.carried(), |way| &way.stretches()[way.stretch_at(frames)])
    }

    /// Where it may write: one for each stretch, one if it does not travel.
    pub(crate) fn all_places(&self) -> &[Places] {
        if self.stretches.is_empty() { std::slice::from_ref(&self.places) } else { &self.stretches }
    }

    pub(crate) fn all_places_mut(&mut self) -> &mut [Places] {
        if self.stretches.is_empty() { std::slice::from_mut(&mut self.places) } else { &mut self.stretches }
    }

    /// What the law is evaluated at, given the memory of the whole system.
    #[inline]
    pub(crate) fn configuration<'a>(&self, t: f64, memory: &'a [f64], x: &'a [Vec3]) -> Configuration<'a> {
        Configuration { t, x, memory: &memory[self.memory.clone()] }
    }

    /// Whether its forces may do work, because its law is driven or its rows follow variables.
    pub fn is_driven(&self) -> bool {
        self.driven
    }

    /// The equation of each row of `law`, none for a dropped row.
    pub(super) fn equations(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        (0..self.active.len()).map(|row| self.place(row).map(|place| self.places.numbers[place]))
    }

    /// Where row `row` of `law` stands in the working law, none for a dropped row.
    pub(crate) fn place(&self, row: usize) -> Option<usize> {
        let before = || self.active[..row].iter().filter(|&&a| a).count();
        self.active[row].then(|| if self.reduced.is_some() { before() } else { row })
    }

    /// Equation of row `row` if it is enforced.
    pub(super) fn enforced_equation(&self, row: usize) -> Option<usize> {
        self.place(row).map(|place| self.places.rows[place]).filter(|&eq| eq != NO_EQUATION)
    }

    /// Whether row `row` is enforced: neither dropped nor suspended.
    pub fn in_force(&self, row: usize) -> bool {
        self.enforced_equation(row).is_some()
    }

    /// The law that is evaluated: its rows are those of [`Places::rows`].
    #[inline]
    pub(crate) fn working(&self) -> &dyn Constraint {
        self.reduced.as_deref().unwrap_or(&*self.law)
    }
}

/// An applied force of the system.
#[derive(Debug)]
pub struct ForceEntry {
    /// Name for messages and signals.
    pub name: String,
    /// The law.
    pub law: Box<dyn Force>,
    /// See [`Force::sees_velocity`].
    pub(crate) sees_velocity: bool,
    /// Where its remembered numbers stand in [`State::memory`](crate::State).
    pub(crate) memory: std::ops::Range<usize>,
    /// Whether a group evaluates it.
    pub(crate) taken: bool,
    pub(crate) places: Places,
    /// The rows of each reaction that it reads.
    pub(crate) pressing: Vec<PressingRows>,
    /// The variables that it reads.
    pub(crate) variables: Vec<VariableColumn>,
}

impl ForceEntry {
    /// What the reactions that it reads follow from at an instant; `x` are its carried vectors.
    pub(crate) fn pressing<'a>(&'a self, t: f64, at: &Instant<'a>, x: &'a [Vec3]) -> Pressing<'a> {
        let (rows, variables) = (&self.pressing, &self.variables);
        Pressing { rows, t, memory: at.memory, lambda: at.a, variables, v: at.v, x }
    }

    /// How many reactions and variables it reads.
    pub(crate) fn read(&self) -> usize {
        self.pressing.len() + self.variables.len()
    }

    /// What the law is evaluated at, given the memory of the whole system; without reactions.
    #[inline]
    pub fn motion<'a>(&self, t: f64, memory: &'a [f64], x: &'a [Vec3], xdot: &'a [Vec3]) -> Motion<'a> {
        Motion { t, x, xdot, memory: &memory[self.memory.clone()], reactions: &[] }
    }
}
