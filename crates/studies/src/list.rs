//! The list of all studies. A new one is a folder, its `mod` in `lib.rs`, and a line here.

use crate::study::AnyStudy;
use poinsot_model::study::{Kind, StudyKind};
use poinsot_model::{Diagnostic, LoadError, Model, Studies};
use std::path::Path;

/// All studies; the first one is that of a table `[study]` without `type`.
pub const STUDIES: &[&dyn AnyStudy] = &[
    &Kind::<crate::motion::Motion>::NEW,
    &Kind::<crate::kinematics::Kinematics>::NEW,
    &Kind::<crate::equilibrium::Equilibrium>::NEW,
    &Kind::<crate::modes::Modes>::NEW,
    &Kind::<crate::linearize::Linearize>::NEW,
    &Kind::<crate::path::Path>::NEW,
    &Kind::<crate::buckling::Buckling>::NEW,
    &Kind::<crate::campbell::Campbell>::NEW,
    &Kind::<crate::periodic::Periodic>::NEW,
    &Kind::<crate::floquet::FloquetSweepStudy>::NEW,
    &Kind::<crate::response_curve::ResponseCurve>::NEW,
];

/// The same as a model file knows them.
static KINDS: [&dyn StudyKind; STUDIES.len()] = {
    let mut kinds: [&dyn StudyKind; STUDIES.len()] = [STUDIES[0]; STUDIES.len()];
    let mut k = 0;
    while k < kinds.len() {
        kinds[k] = STUDIES[k];
        k += 1;
    }
    kinds
};

/// What a model file may ask for.
pub fn studies() -> Studies {
    Studies(&KINDS)
}

/// Loads a model file that may ask for all studies, see [`poinsot_model::load`].
pub fn load(
    path: impl AsRef<Path>,
    overrides: &[(String, String)],
) -> Result<(Model, Vec<Diagnostic>), LoadError> {
    poinsot_model::load(path, overrides, studies())
}

/// Loads a model from its text, see [`poinsot_model::load_str`].
pub fn load_str(
    name: &str,
    text: &str,
    overrides: &[(String, String)],
) -> Result<(Model, Vec<Diagnostic>), LoadError> {
    poinsot_model::load_str(name, text, overrides, studies())
}

/// The JSON Schema of a model file, see [`poinsot_model::schema`].
pub fn schema() -> serde_json::Value {
    poinsot_model::schema(studies())
}
