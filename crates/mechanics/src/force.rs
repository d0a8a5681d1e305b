//! Applied forces as functions of carried vectors and their velocities.

use crate::ancf::solid::StressElement;
use crate::assembly::strain::StrainElement;
use crate::beams::BeamElement;
use crate::coordinate::Coordinate;
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::Blocks;
use crate::forces::{CoordinateElement, InputElement, PiecewiseElement, PressedElement};
use crate::nodes::carried::Carried;
use poinsot_geometry::Vec3;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::fmt::Debug;

/// What a force element sees at an instant.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a> {
    /// Time (s).
    pub t: f64,
    /// Carried vectors x_a.
    pub x: &'a [Vec3],
    /// Their velocities ẋ_a.
    pub xdot: &'a [Vec3],
    /// The element's remembered numbers (unwrapped angles); most elements have none.
    pub memory: &'a [f64],
    /// The reactions and variables that the element reads, see [`PressedElement`]; most elements read none.
    pub reactions: &'a [f64],
}

/// Power that a force element brings into or takes out of the mechanical energy (W).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Power {
    /// Supplied by actuators and prescribed loads.
    pub supplied: f64,
    /// Dissipated by dampers (positive when energy is lost).
    pub dissipated: f64,
}

/// An applied force: f_a(x, ẋ, t) on a few carried vectors.
pub trait Force: Any + Send + Sync + Debug {
    /// The element's name for people, e.g. `spring`.
    fn kind(&self) -> &'static str;

    /// The carried vectors x_a.
    fn carried(&self) -> &[Carried];

    /// Adds f_a.
    fn force(&self, at: &Motion, f: &mut [Vec3]);

    /// ∂f_a/∂x_b into `k` and ∂f_a/∂ẋ_b into `c`.
    fn tangent(&self, at: &Motion, k: &mut Blocks, c: &mut Blocks);

    /// Whether f_a depends on ẋ; if not, what it is given for ẋ has no meaning.
    fn sees_velocity(&self) -> bool {
        true
    }

    /// Potential energy (J) of the conservative part.
    fn potential(&self, _at: &Motion) -> f64 {
        0.0
    }

    /// Power of the parts that have no potential.
    fn power(&self, at: &Motion) -> Power;

    /// Angular momentum that the element stores, beside that of the masses (N·m·s).
    fn angular_momentum(&self, _at: &Motion) -> Vec3 {
        Vec3::zeros()
    }

    /// Whether the force stands for inertia in a turning frame, or for a spin that the positions do not show:
    /// the equations then have velocities in them at rest, and stiffness alone does not decide on stability.
    fn is_gyroscopic(&self) -> bool {
        false
    }

    /// Whether velocities enter the force in a way that may feed in energy, as a law of speeds can: stiffness
    /// alone then does not decide on stability.
    fn is_active(&self) -> bool {
        false
    }

    /// How many numbers the element remembers from step to step.
    fn memories(&self) -> usize {
        0
    }

    /// What it remembers before the start: unwrapped angles begin in the turn nearest to it. `near` tells the
    /// turn of a coordinate.
    fn start_memory(&self, _near: &dyn Fn(&Coordinate) -> f64, memory: &mut [f64]) {
        memory.fill(0.0);
    }

    /// The numbers to remember when a step is accepted.
    fn remember(&self, _at: &Motion, _memory: &mut [f64]) {}

    /// Adds the mean force over a step: of the parts with a potential a discrete gradient, Σ_a f_a·(x⁺_a −
    /// x_a) = V − V⁺ (see [`StepEnds`]), of the others the force at the mean with the mean rates.
    fn discrete_force(&self, step: &StepEnds, f: &mut [Vec3]) {
        self.force(&step.motion(), f);
    }

    /// ∂f_a/∂x⁺_b of [`Force::discrete_force`] into `k`; `c` is room to work in.
    fn discrete_tangent(&self, step: &StepEnds, k: &mut Blocks, c: &mut Blocks) {
        let from = k.entries().len();
        c.clear();
        self.tangent(&step.motion(), k, c);
        k.entries_mut(from).iter_mut().for_each(|block| block.value *= 0.5);
        for block in c.entries() {
            k.push(block.a, block.b, block.value / step.h);
        }
    }

    /// Work over a step, supplied and dissipated (J): Σ_a f_a·(x⁺_a − x_a) = V − V⁺ + supplied − dissipated
    /// exactly.
    fn discrete_work(&self, step: &StepEnds) -> Power {
        let mut f = [Vec3::zeros(); crate::element_buffers::MAX_CARRIED];
        self.discrete_force(step, &mut f[..step.to.len()]);
        let work: f64 = (0..step.to.len()).map(|a| f[a].dot(&step.change(a))).sum();
        let stored = self.potential(&step.last()) - self.potential(&step.first());
        let dissipated = self.power(&step.motion()).dissipated * step.h;
        Power { supplied: work + stored + dissipated, dissipated }
    }

    /// What the element tells beside its force.
    fn extensions(&self) -> Extensions<'_> {
        Extensions::default()
    }
}

/// What an element can tell beside its force; most have none of it.
#[derive(Clone, Copy, Default)]
pub struct Extensions<'a> {
    /// The coordinate along which it acts.
    pub coordinate: Option<&'a dyn CoordinateElement>,
    /// Strains that make all its force.
    pub strains: Option<&'a dyn StrainElement>,
    /// The sections of a beam.
    pub beam: Option<&'a dyn BeamElement>,
    /// Stresses inside it.
    pub stresses: Option<&'a dyn StressElement>,
    /// Inputs to which laws can add.
    pub input: Option<&'a dyn InputElement>,
    /// Kinks and jumps of its law.
    pub piecewise: Option<&'a dyn PiecewiseElement>,
    /// Reactions that it reads.
    pub pressed: Option<&'a dyn PressedElement>,
}
