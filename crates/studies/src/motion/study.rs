//! The request for a motion as a study of the analysis.

use crate::motion::law_times::law_times;
use crate::record::{looked_at, sample_stride};
use poinsot_analysis::{self as analysis, LawTimes, MotionStudy, Pace};
use poinsot_mechanics::System;
use poinsot_model::spec::{BodyRef, Kinks, PaceSpec, ToleranceOf};
use poinsot_model::{Assembly, Model};

/// Rows of a study with adaptive steps unless it says how often.
const ADAPTIVE_ROWS: f64 = 1000.0;

/// The motion study of a model whose system has been made, if it has one.
pub fn motion_study(model: &Model, system: &System, assembly: &Assembly) -> Option<MotionStudy> {
    let study = model.motion()?;
    let span = study.end - study.start;
    let pace = match study.pace {
        PaceSpec::Fixed { step } => {
            Pace::Fixed { step, stride: sample_stride(span, step, study.output_step) }
        }
        PaceSpec::Adaptive { first, longest } => Pace::Adaptive {
            tolerance: study.local_tolerance(),
            first,
            longest,
            every: Some(study.output_step.unwrap_or(span / ADAPTIVE_ROWS)),
        },
    };
    let range = |of| match of {
        ToleranceOf::Body(index) => system.nodes()[assembly.node(BodyRef::Body(index))].unknowns(),
        ToleranceOf::Variable { equations, index } => {
            let unknown = assembly.variable(system, equations, index);
            unknown..unknown + 1
        }
    };
    let LawTimes { kinks, laws } = law_times(model)?;
    Some(MotionStudy {
        end: study.end,
        pace,
        times: looked_at(model, study.end),
        kinks,
        laws,
        state_kinks: match study.kinks {
            Kinks::Locate => analysis::Kinks::Locate,
            Kinks::Ignore => analysis::Kinks::Ignore,
        },
        method: study.method_for(system),
        tolerances: study.tolerances.iter().map(|t| (range(t.of), t.tolerance)).collect(),
        checkpoint: None,
        max_steps: None,
    })
}
