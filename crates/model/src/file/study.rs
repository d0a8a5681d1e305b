//! The tables of studies.

use super::Triple;
use crate::read::{FromToml, Node, Reader, choice, record, tagged};
use crate::spec::integrators;
use crate::value::{Count, List, Located, Number, Text};
use schemars::{Schema, SchemaGenerator, json_schema};
use toml::de::DeValue;

tagged! {
    /// What to compute and how.
    pub enum StudyTable "study" default "motion" {
        "motion" => Motion(MotionTable),
        "kinematics" => Kinematics(KinematicsTable),
        "equilibrium" => Equilibrium(EquilibriumTable),
        "modes" => Modes(ModesTable),
        "linearize" => Linearize(LinearizeTable),
        "path" => Path(PathTable),
        "buckling" => Buckling(BucklingTable),
        "campbell" => Campbell(CampbellTable),
    }
}

record! {
    /// Positions, velocities and accelerations that follow from constraints and drives alone.
    pub struct KinematicsTable "kinematics study" {
        /// Start time, s.
        start: Number = 0,
        /// End time, s.
        end: Number,
        /// Time between the positions that are computed, s.
        step: Number,
        /// Time between recorded rows, s; default: every step, thinned to at most 2000 rows.
        output_step: Option<Number>,
    }
}

record! {
    /// The position at rest under the loads.
    pub struct EquilibriumTable "equilibrium study" {
        /// Time at which loads and drives are taken, s.
        time: Number = 0,
        /// Largest force out of balance, relative to the largest load, and largest correction left, relative
        /// to the model's length and in radians; both as far as rounding allows.
        tolerance: Number = 1e-10,
        /// Most steps in which the loads are brought up, where Newton's method under the full load fails.
        load_steps: Located<Count> = 60,
        /// Most iterations under the full load and for each load step.
        max_iterations: Located<Count> = 60,
    }
}

choice! {
    /// The state that equations of motion are linearised about.
    pub enum About "state" {
        /// The equilibrium, computed first.
        "equilibrium" => Equilibrium,
        /// The modelled configuration with its velocities.
        "start" => Start,
    }
}

record! {
    /// Natural frequencies, damping ratios and mode shapes of small motions.
    pub struct ModesTable "modes study" {
        /// The state about which motions are small.
        about: Located<About> = "equilibrium",
        /// Number of modes, from the lowest frequency.
        count: Located<Count> = 10,
        /// Time at which loads and drives are taken, s.
        time: Number = 0,
        /// The body in whose frame the state is at rest, or "ground".
        observer: Text = "ground",
    }
}

record! {
    /// Modes as functions of a parameter, mostly a speed of rotation: Campbell diagram.
    pub struct CampbellTable "campbell study" {
        /// The parameter that is changed.
        parameter: Text,
        /// Its first and last value.
        range: Located<[Number; 2]>,
        /// Number of values, evenly spaced; more are put in where modes change quickly.
        points: Located<Count> = 41,
        /// Number of modes that are followed, from the lowest frequency at the first value.
        count: Located<Count> = 6,
        /// Engine orders k: crossings of frequencies with k times the speed are located.
        orders: List<Number> = [],
        /// The parameter that is the speed of rotation, rad/s; default: the one that is changed.
        speed: Option<Text>,
        /// The state about which motions are small, at each value.
        about: Located<About> = "equilibrium",
        /// Time at which loads and drives are taken, s.
        time: Number = 0,
        /// The body in whose frame the state is at rest, or "ground".
        observer: Text = "ground",
    }
}

record! {
    /// Matrices A, B, C, D of the linear system of small motions.
    pub struct LinearizeTable "linearize study" {
        /// The state about which motions are small.
        about: Located<About> = "equilibrium",
        /// Time at which loads and drives are taken, s.
        time: Number = 0,
        /// The body in whose frame the state is at rest, or "ground".
        observer: Text = "ground",
        /// Inputs: `NAME.x`, `NAME.y`, `NAME.z` of a force or torque, `NAME` of a spring or torsion spring, a
        /// variable of equations that an algebraic one determines, a parameter.
        inputs: List<Text> = [],
        /// Outputs: names of signals.
        outputs: List<Text> = [],
        /// Files to write.
        format: Located<List<Located<MatrixFormat>>> = ["json", "npz", "mat"],
    }
}

record! {
    /// Equilibria along a parameter, with limit and bifurcation points.
    pub struct PathTable "path study" {
        /// The parameter that changes along the path.
        parameter: Text,
        /// Value towards which the path sets out; it ends there.
        to: Number,
        /// Value at the start; default: that of the parameter.
        from: Option<Number>,
        /// The path ends where the parameter leaves this range; default: as far as `to` on the other side of
        /// the start too.
        range: Option<Located<[Number; 2]>>,
        /// Signal that the parameter is plotted against; default: the first one.
        signal: Option<Text>,
        /// The path ends where that signal leaves this range.
        signal_range: Option<Located<[Number; 2]>>,
        /// First step: a share of the way of the parameter, of the length of the model, or an angle in rad.
        step: Number = 0.02,
        /// Longest step.
        longest_step: Number = 0.1,
        /// Step below which the path is given up.
        shortest_step: Number = 1e-7,
        /// Most points of each branch.
        points: Located<Count> = 500,
        /// Whether crossing paths are followed from the bifurcations of the first one.
        branches: bool = true,
        /// Time at which loads and drives are taken, s.
        time: Number = 0,
        /// Size of a correction, as that of steps, at which a point counts as found.
        tolerance: Number = 1e-8,
    }
}

choice! {
    /// The side on which critical values are sought.
    pub enum Side "side" {
        /// Greater values than at the state.
        "up" => Up,
        /// Smaller values.
        "down" => Down,
        /// Both.
        "both" => Both,
    }
}

record! {
    /// Critical values of a parameter, linearised about an equilibrium.
    pub struct BucklingTable "buckling study" {
        /// The parameter.
        parameter: Text,
        /// Its value at the state that buckles; default: that of the parameter.
        at: Option<Number>,
        /// Number of critical values, from the nearest.
        count: Located<Count> = 4,
        /// The side on which they are sought.
        side: Located<Side> = "up",
        /// Time at which loads and drives are taken, s.
        time: Number = 0,
    }
}

choice! {
    /// A kind of file for matrices.
    pub enum MatrixFormat "format" {
        /// JSON.
        "json" => Json,
        /// NumPy archive.
        "npz" => Npz,
        /// MATLAB level 5.
        "mat" => Mat,
    }
}

record! {
    /// Motion under loads: integrates the equations of motion.
    pub struct MotionTable "[study]" {
        /// End time, s.
        end: Number,
        /// Step of the integrator, s. Without it the study chooses the steps by the tolerances, with an
        /// integrator that estimates its errors.
        step: Option<Number>,
        /// Start time, s.
        start: Number = 0,
        /// Name of the integrator, or { family = "U0", roots = [rmin, rmax, rs] }. Without it the model
        /// decides: "radau" with [[equations]] or [[lagrangian]], otherwise "generalized-alpha".
        integrator: Option<IntegratorTable>,
        /// Spectral radius at infinity, between 0 and 1, for the integrators with one parameter; default 0.9.
        rho: Option<Number>,
        /// Number of stages: radau 1, 2, 3 (default), 5, 7; gauss 1, 2 (default), 3; lobatto 2, 3 (default),
        /// 4; galerkin 1, 2 (default) … 6, the degree of its polynomials.
        stages: Option<Located<Count>>,
        /// Largest order of bdf, from 1 to 6; default 5.
        order: Option<Located<Count>>,
        /// Projects positions and velocities onto the constraints after each step; default: with the forms
        /// "velocity" and "acceleration" of radau, gauss, lobatto and bdf.
        project: Option<Located<bool>>,
        /// How forces enter a step of GS4; default "implicit", and "explicit" for central-difference.
        forces: Option<Located<Forces>>,
        /// How the constraints are imposed; default "stabilised", "embedding" with explicit Runge–Kutta
        /// methods, and "automatic" with energy-momentum, variational-midpoint and averaged-gradient.
        form: Option<Located<Form>>,
        /// Another word for `form`; give one of the two.
        constraints: Option<Located<Form>>,
        /// Unknowns of rigid bodies in energy-momentum, variational-midpoint and averaged-gradient; default
        /// "motion".
        coordinates: Option<Located<BodyCoordinates>>,
        /// Stiffness μ of the springs μ|Φ|² with the forms "penalty" and "augmented-lagrange" of
        /// energy-momentum, variational-midpoint and averaged-gradient; default: 1000 times the mass of the
        /// model over step².
        penalty: Option<Number>,
        /// Largest |Φ| at which the form "augmented-lagrange" is content; default: 1e-10 of the length of the
        /// model.
        constraint_tolerance: Option<Number>,
        /// Numerical dissipation χ ≥ 0 of springs, bushings and stops in energy-momentum; default 0: energy
        /// is conserved.
        dissipation: Option<Number>,
        /// Gauss points in a step: of averaged-gradient from 1 to 10, default 3; of galerkin from `stages` to
        /// 10, default three more than that.
        points: Option<Located<Count>>,
        /// Relative tolerance of the Newton iteration in GS4, default 1e-10, and in energy-momentum,
        /// variational-midpoint and averaged-gradient, default 1e-14, in galerkin 1e-13; or
        /// [[study.tolerance]]: tolerances of single bodies in adaptive steps.
        tolerance: Option<ToleranceKey>,
        /// Local error of adaptive steps relative to the size of each quantity; default 1e-6. With fixed
        /// steps it bounds what Newton's iteration leaves over in radau, gauss and lobatto; default 1e-8.
        relative_tolerance: Option<Number>,
        /// Local error relative to the nominal size of each quantity: the length of the model, a radian, both
        /// per second; default as relative_tolerance.
        absolute_tolerance: Option<Number>,
        /// First adaptive step, s; default: found from the motion at the start.
        first_step: Option<Number>,
        /// Longest adaptive step, s.
        longest_step: Option<Number>,
        /// What adaptive steps do about kinks and jumps of piecewise laws (`if`, `abs`, `min`, tables) in the
        /// state.
        kinks: Located<Kinks> = "locate",
        /// Time between recorded rows, s; default with fixed steps: every step, thinned to at most 2000 rows,
        /// with adaptive steps: a thousandth of the study.
        output_step: Option<Number>,
    }
}

record! {
    /// The tolerance of a body in adaptive steps.
    pub struct ToleranceTable "tolerance" {
        /// The body.
        of: Text,
        /// Relative to the size of each quantity; default: that of the study.
        relative: Option<Number>,
        /// Relative to the nominal size of each quantity; default: that of the study.
        absolute: Option<Number>,
    }
}

/// A tolerance of Newton's iteration, or tolerances of single bodies.
#[derive(Clone, Debug)]
pub enum ToleranceKey {
    /// Of Newton's iteration.
    Newton(Number),
    /// Of single bodies.
    Parts(Vec<ToleranceTable>),
}

impl FromToml for ToleranceKey {
    fn expected() -> String {
        "a number or tables [[study.tolerance]]".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        match node.get_ref() {
            DeValue::Array(_) => Vec::from_toml(node, reader).map(ToleranceKey::Parts),
            DeValue::Table(_) => {
                ToleranceTable::from_toml(node, reader).map(|one| ToleranceKey::Parts(vec![one]))
            }
            _ => Number::from_toml(node, reader).map(ToleranceKey::Newton),
        }
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let table = ToleranceTable::schema(generator);
        json_schema!({ "anyOf": [
            Number::schema(generator),
            { "type": "array", "items": table },
            table,
        ] })
    }
}

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

choice! {
    /// A family of integrators with three roots.
    pub enum Family "family" {
        /// No overshoot in displacement.
        "U0" => U0,
        /// No overshoot in velocity.
        "V0" => V0,
    }
}

record! {
    /// A member of a family of integrators by its roots at infinity.
    pub struct FamilyTable "integrator" {
        /// The family.
        family: Located<Family>,
        /// Roots at infinity [rmin, rmax, rs] with 0 ≤ rs ≤ rmin ≤ rmax ≤ 1.
        roots: Triple,
    }
}

/// An integrator by name or by roots.
#[derive(Clone, Debug)]
pub enum IntegratorTable {
    /// By name.
    Name(Text),
    /// By family and roots.
    Family(FamilyTable),
}

impl FromToml for IntegratorTable {
    fn expected() -> String {
        "the name of an integrator or a table { family, roots }".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        match node.get_ref() {
            DeValue::String(_) => Text::from_toml(node, reader).map(IntegratorTable::Name),
            DeValue::Table(_) => FamilyTable::from_toml(node, reader).map(IntegratorTable::Family),
            _ => {
                reader.mismatch(node, &Self::expected());
                None
            }
        }
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let list = integrators();
        let spellings = list.iter().flat_map(|entry| {
            let names = std::iter::once(entry.name).chain(entry.aliases.iter().copied());
            names.map(|name| (name, entry.summary))
        });
        let (names, docs): (Vec<&str>, Vec<&str>) = spellings.unzip();
        json_schema!({ "anyOf": [
            {
                "type": "string",
                "enum": names,
                "x-taplo": { "docs": { "enumValues": docs } },
            },
            FamilyTable::schema(generator),
        ] })
    }
}
