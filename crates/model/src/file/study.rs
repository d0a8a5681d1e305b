//! The tables of studies.

use super::Triple;
use crate::read::{FromToml, Node, Reader, choice, record, tagged};
use crate::value::{Count, List, Located, Number, Text};
use poinsot_integrators::{EXPLICIT, NAMED};
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
        /// Relative tolerance of the iteration.
        tolerance: Number = 1e-10,
        /// Most steps in which the loads are brought up, where Newton's method under the full load fails.
        load_steps: Located<Count> = 60,
        /// Most iterations under the full load and for each load step.
        max_iterations: Located<Count> = 40,
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
    /// Matrices A, B, C, D of the linear system of small motions.
    pub struct LinearizeTable "linearize study" {
        /// The state about which motions are small.
        about: Located<About> = "equilibrium",
        /// Time at which loads and drives are taken, s.
        time: Number = 0,
        /// The body in whose frame the state is at rest, or "ground".
        observer: Text = "ground",
        /// Inputs: `NAME.x`, `NAME.y`, `NAME.z` of a force or torque, `NAME` of a spring or torsion spring.
        inputs: List<Text> = [],
        /// Outputs: names of signals.
        outputs: List<Text> = [],
        /// Files to write.
        format: Located<List<Located<MatrixFormat>>> = ["json", "npz", "mat"],
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
        /// Step of the integrator, s.
        step: Number,
        /// Start time, s.
        start: Number = 0,
        /// Name of the integrator, or { family = "U0", roots = [rmin, rmax, rs] }.
        integrator: IntegratorTable = "generalized-alpha",
        /// Spectral radius at infinity, between 0 and 1, for the integrators with one parameter; default 0.9.
        rho: Option<Number>,
        /// How the constraints are imposed; default "stabilised", and "embedding" with the integrator "runge-kutta-4".
        form: Option<Located<Form>>,
        /// Relative tolerance of the Newton iteration.
        tolerance: Number = 1e-10,
        /// Time between recorded rows, s; default: every step, thinned to at most 2000 rows.
        output_step: Option<Number>,
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
        /// runge-kutta-4: only independent coordinates are integrated, the others follow from the joints.
        "embedding" => Embedding,
        /// runge-kutta-4: all accelerations are integrated, then positions and velocities projected.
        "projected" => Projected,
        /// runge-kutta-4: all accelerations are integrated; the constraints drift.
        "augmented" => Augmented,
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
        let spellings = NAMED.iter().flat_map(|entry| {
            let names = std::iter::once(entry.name).chain(entry.aliases.iter().copied());
            names.map(|name| (name, entry.summary))
        });
        let spellings = spellings.chain([(EXPLICIT[0].name, EXPLICIT[0].summary)]);
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
