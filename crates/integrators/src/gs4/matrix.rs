//! The matrix of a GS4 step, kept as long as Newton's iteration contracts well.

use crate::gs4::Gs4;
use crate::linear::factors::Factors;
use crate::step_failure::StepFailure;
use poinsot_mechanics::{Chart, Level, Linearization, System};

/// The step matrix and its factors.
#[derive(Debug)]
pub(crate) struct StepMatrix {
    pub values: Vec<f64>,
    pub factors: Factors,
    /// Length of the steps that it was made for.
    pub factored_for: Option<f64>,
    /// Whether it was made in this step.
    pub fresh: bool,
    /// Softness p_λ of each constraint row in force, with its diagonal slot (penalty form).
    pub soft: Vec<(usize, usize, f64)>,
}

impl StepMatrix {
    pub fn new(system: &System, soft: Vec<(usize, usize, f64)>) -> Self {
        StepMatrix {
            values: vec![0.0; system.pattern().nnz()],
            factors: Factors::new(system),
            factored_for: None,
            fresh: false,
            soft,
        }
    }
}

impl Gs4<'_> {
    /// Assembles and factors the step matrix at the current iterate.
    pub(super) fn factor(&mut self, h: f64) -> Result<(), StepFailure> {
        let w = self.w;
        for (k, node) in self.system.nodes().iter().enumerate() {
            if node.chart == Chart::Motion {
                let range = node.unknowns();
                self.step.stage_tangent[k] = node.chart.tangent(&self.step.move_stage[range.clone()]);
                self.step.end_tangent[k] = node.chart.tangent(&self.step.move_end[range]);
            }
        }
        let (c, step) = (&self.step.closure, &self.step);
        let stage = step.stage(&self.past.state, w.w1, h);
        let (end, end_tangent) = match c.at_stage {
            true => (stage, &step.stage_tangent),
            false => (step.end(&self.past.state, h), &step.end_tangent),
        };
        let linearization = Linearization {
            stage,
            stage_tangent: &step.stage_tangent,
            end,
            end_tangent,
            mass: 1.0,
            damping: h * w.w2l5 / w.w1l6,
            stiffness: h * h * w.w3l3 / w.w1l6,
            level: if c.velocity + c.acceleration == 0.0 { Level::Position } else { Level::Velocity },
            gamma: c.gamma,
            networks: true,
            pressed: true,
        };
        self.system.step_matrix(&linearization, &mut self.matrix.values, &mut self.scratch);
        for &(_, slot, softness) in &self.matrix.soft {
            self.matrix.values[slot] -= softness * w.w1l6 / c.lead;
        }
        let outcome = self.matrix.factors.factor(self.system, &self.matrix.values);
        self.counters.factorisations += 1;
        self.matrix.factored_for = outcome.is_ok().then_some(h);
        self.matrix.fresh = true;
        self.newton.unsettled = self.newton.corrected;
        self.newton.convergence.factored();
        self.newton.constancy.forget();
        outcome.map_err(|e| StepFailure::singular(self.system, self.past.state.t, &e))
    }
}
