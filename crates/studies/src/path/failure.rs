//! Why there is no path.

use crate::failure::{Blame, Failure};
use poinsot_analysis::PathError;

impl Failure for PathError {
    fn blame(&self) -> Blame {
        match self {
            PathError::NoRange(_) | PathError::Equations => Blame::Input,
            _ => Blame::Solve,
        }
    }
}
