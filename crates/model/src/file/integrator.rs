//! Words of integrators.

use crate::read::choice;

choice! {
    /// How the constraints are imposed.
    pub enum Form "form" {
        /// On position and velocity level.
        "stabilised" => Stabilised,
        /// As stabilised, with the force that keeps the equations Hamiltonian.
        "hamiltonian" => Hamiltonian,
        /// On position level only (index 3).
        "position" => Position,
        /// On velocity level (index 2); positions drift unless they are projected.
        "velocity" => Velocity,
        /// On acceleration level (index 1); positions and velocities drift unless they are projected.
        "acceleration" => Acceleration,
        /// On acceleration level with feedback of positions and velocities, so that the drift decays.
        "baumgarte" => Baumgarte,
        /// Stiff springs and dampers in the place of the constraints.
        "penalty" => Penalty,
        /// Explicit Runge–Kutta methods: only independent coordinates are integrated, the others follow from
        /// the joints.
        "embedding" => Embedding,
        /// Explicit Runge–Kutta methods: all accelerations are integrated, then positions and velocities
        /// projected.
        "projected" => Projected,
        /// Explicit Runge–Kutta methods: all accelerations are integrated; the constraints drift.
        "augmented" => Augmented,
        /// Structure-preserving steps: what is fastest for the model of multipliers, null-space and minimal,
        /// which all give the same motion.
        "automatic" => Automatic,
        /// Structure-preserving steps: Lagrange multipliers are unknowns.
        "multipliers" => Multipliers,
        /// Structure-preserving steps: the balance in the directions that the constraints leave free, without
        /// multipliers.
        "null-space" => NullSpace,
        /// Structure-preserving steps: as many unknowns as freedoms.
        "minimal" => Minimal,
        /// Structure-preserving steps: a penalty with multipliers that are improved until the constraints
        /// hold.
        "augmented-lagrange" => AugmentedLagrange,
    }
}

choice! {
    /// Unknowns of rigid bodies in structure-preserving steps.
    pub enum BodyCoordinates "coordinates" {
        /// Six increments of a motion.
        "motion" => Motion,
        /// Place and three directors, with the six constraints of rigidity.
        "directors" => Directors,
        /// Place and four Euler parameters, with their norm as constraint.
        "euler-parameters" => EulerParameters,
    }
}

choice! {
    /// What adaptive steps do about kinks and jumps of piecewise laws in the state.
    pub enum Kinks "kinks" {
        /// A step ends where a law has a kink, and the next one begins behind it.
        "locate" => Locate,
        /// Steps go over kinks, as short as the tolerance asks for.
        "ignore" => Ignore,
    }
}

choice! {
    /// How forces enter a step.
    pub enum Forces "forces" {
        /// At a stage that the step itself determines.
        "implicit" => Implicit,
        /// At a stage that is known before the step: no stiffness in the matrix, but a largest stable step.
        "explicit" => Explicit,
        /// At a known position with the velocity of the step: dampers do not limit it.
        "velocity-implicit" => VelocityImplicit,
    }
}
