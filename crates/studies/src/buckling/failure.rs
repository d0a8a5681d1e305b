//! Why there are no critical values.

use crate::failure::{Blame, Failure};
use poinsot_analysis::BucklingError;

impl Failure for BucklingError {
    fn blame(&self) -> Blame {
        match self {
            BucklingError::Equations => Blame::Input,
            _ => Blame::Solve,
        }
    }
}
