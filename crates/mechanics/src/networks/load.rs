//! What networks do to the mechanics: efforts along a coordinate, or on an input of an element.

use super::network::Network;
use crate::coordinate::Coordinate;
use crate::element_buffers::Blocks;
use crate::force::{Force, Motion};
use crate::forces::{InputElement, MAX_INPUTS};
use crate::nodes::carried::Carried;
use crate::reading::Reading;
use poinsot_expr::Function;
use poinsot_geometry::Vec3;
use std::sync::Arc;

/// A load of a network on the mechanics: the effort e of a law.
#[derive(Clone, Debug)]
pub struct Load {
    /// What it acts on.
    pub on: LoadTarget,
    /// e of the network's arguments; it does not depend on ẏ.
    pub law: Function,
    /// How its power is booked.
    pub booking: Booking,
}

/// How the power of a load on the mechanics is booked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Booking {
    /// It comes from energies of the network: supplied, with its sign.
    #[default]
    Exchanged,
    /// Neighbouring loads with one number are a law: what they add together is supplied, what they take
    /// dissipated.
    Law(usize),
}

/// What a load of a network acts on.
#[derive(Clone, Debug)]
pub enum LoadTarget {
    /// The coordinate that a reading is, f_a = e ∂s/∂x_a.
    Reading(usize),
    /// Input `component` of an element, f_a = e B_a. The element belongs to the load alone, which pushes it.
    Input {
        /// The element.
        element: Arc<dyn Force>,
        /// Which of its inputs.
        component: usize,
    },
}

/// How a load pushes.
pub(crate) enum LoadPath<'a> {
    Coordinate(&'a Coordinate),
    Input(&'a dyn InputElement, usize),
}

impl Load {
    /// Along the coordinate that a reading is.
    pub fn along(reading: usize, law: Function) -> Self {
        Load { on: LoadTarget::Reading(reading), law, booking: Booking::default() }
    }
}

impl Network {
    /// How a load pushes; none if it acts on something that is no coordinate and no input.
    pub(crate) fn path<'a>(&'a self, load: &'a Load) -> Option<LoadPath<'a>> {
        match &load.on {
            LoadTarget::Reading(index) => {
                self.readings.get(*index).and_then(Reading::as_coordinate).map(LoadPath::Coordinate)
            }
            LoadTarget::Input { element, component } => {
                let input = element.extensions().input.filter(|input| *component < input.inputs())?;
                Some(LoadPath::Input(input, *component))
            }
        }
    }

    /// The vectors that a load pushes.
    pub(crate) fn pushed<'a>(&'a self, load: &'a Load) -> &'a [Carried] {
        match &load.on {
            LoadTarget::Reading(index) => self.readings[*index].carried(),
            LoadTarget::Input { element, .. } => element.carried(),
        }
    }
}

impl LoadPath<'_> {
    /// Adds e B_a.
    pub fn push(&self, effort: f64, at: &Motion, f: &mut [Vec3]) {
        match self {
            LoadPath::Coordinate(s) => {
                f.iter_mut().zip(&s.slope(at.x)).for_each(|(f, g)| *f += g * effort);
            }
            LoadPath::Input(input, component) => {
                input.push(&alone(*component, effort)[..input.inputs()], at, f);
            }
        }
    }

    /// Adds e ∂B_a/∂x_b.
    pub fn push_tangent(&self, effort: f64, at: &Motion, k: &mut Blocks) {
        match self {
            LoadPath::Coordinate(s) => s.hessian(at.x, effort, k),
            LoadPath::Input(input, component) => {
                input.push_tangent(&alone(*component, effort)[..input.inputs()], at, k);
            }
        }
    }
}

/// Efforts of which only one is not zero.
fn alone(component: usize, effort: f64) -> [f64; MAX_INPUTS] {
    let mut efforts = [0.0; MAX_INPUTS];
    efforts[component] = effort;
    efforts
}
