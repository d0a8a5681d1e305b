//! The kinematics study: the motion that joints and drives alone determine.

mod request;
mod run;
mod summary;
mod words;

pub use request::{KinematicsSpec, KinematicsTable};
pub use run::run;
pub use summary::KinematicsSummary;

use crate::failure::StudyError;
use crate::progress::Watch;
use crate::study::{Perform, Prepared, Product, RunOptions};
use poinsot_model::study::{Study, StudyContext};

/// The kinematics study: the motion that joints and drives alone determine.
pub struct Kinematics;

impl Study for Kinematics {
    const WORD: &'static str = "kinematics";
    const WITHOUT_EQUATIONS: Option<&'static str> = Some("a study of kinematics");
    type Table = KinematicsTable;
    type Request = KinematicsSpec;

    fn resolve(table: &KinematicsTable, context: &mut StudyContext) -> Option<KinematicsSpec> {
        request::resolve(table, context)
    }
}

impl Perform for Kinematics {
    fn run(
        prepared: Prepared,
        spec: &KinematicsSpec,
        _: &RunOptions,
        watch: &dyn Watch,
    ) -> Result<Product, StudyError> {
        run(prepared, spec, watch)
    }
}
