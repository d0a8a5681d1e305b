//! Why there is no response curve, and who is to blame.

use crate::failure::{Blame, Failure};
use poinsot_analysis::ResponseError;

impl Failure for ResponseError {
    fn blame(&self) -> Blame {
        match self {
            ResponseError::NoRange(_) | ResponseError::Family(_) => Blame::Input,
            ResponseError::Start { .. } => Blame::Solve,
        }
    }

    fn remedy(&self) -> Option<&'static str> {
        match self {
            ResponseError::Start { .. } => {
                Some("begin at another value of the parameter, or take a smaller `step`")
            }
            _ => None,
        }
    }
}
