//! Velocities at the end of a step of the variational rule.
//!
//! ```text
//! p⁺ = M Δz/h less half the impulse of forces
//! ```
//! projected onto the constraints at the end.

use crate::linear::projection::{End, Projection, ProjectionError, Projector};
use crate::step_failure::{HALVE, StepFailure};
use poinsot_mechanics::conserving::ConservingStep;
use poinsot_mechanics::{Frame, Scratch, State, System};

/// The velocities, and room for their projection.
#[derive(Debug)]
pub(crate) struct EndVelocities {
    pub v: Vec<f64>,
    /// None without constraints.
    projector: Option<Box<Projector>>,
    length: f64,
    frames: Vec<Frame>,
    moved: Vec<f64>,
    accelerated: Vec<f64>,
}

impl EndVelocities {
    /// Of a motion that starts at a state, whose velocities are projected or stay as they are.
    pub fn new(system: &System, state: &State, is_projected: bool) -> Self {
        let n = system.size();
        let any = is_projected && !system.enforced_equations().is_empty();
        EndVelocities {
            v: vec![0.0; n],
            projector: any.then(|| Box::new(Projector::new(system, &state.frames))),
            length: system.length_scale(),
            frames: state.frames.clone(),
            moved: vec![0.0; n],
            accelerated: vec![0.0; n],
        }
    }

    /// Those of a solved step, whose rates are those at its end; `a` are accelerations.
    pub fn find(
        &mut self,
        system: &System,
        step: &ConservingStep,
        a: &mut [f64],
        s: &mut Scratch,
    ) -> Result<(), StepFailure> {
        system.velocities_of(&step.end, &step.rates, &mut self.v, s);
        let Some(projector) = &mut self.projector else { return Ok(()) };
        let (t, h) = (step.t, step.h);
        let speed = step.change.iter().fold(1e-6 * self.length, |m, c| m.max(c.r.amax())) / h;
        self.frames.clone_from(&step.end);
        self.moved.fill(0.0);
        self.accelerated.fill(0.0);
        let mut end = End {
            t: t + h,
            frames: &mut self.frames,
            v: &mut self.v,
            a,
            memory: &step.memory,
            scale: [self.length, speed, speed / h],
            moved: &mut self.moved,
            accelerated: &mut self.accelerated,
        };
        let wanted = Projection { position: false, velocity: true, acceleration: false };
        projector.project(system, &wanted, &mut end, s).map_err(|e| match e {
            ProjectionError::Singular(e) => StepFailure::singular(system, t, &e),
            ProjectionError::Open(row) => StepFailure::of_step(
                [t, h],
                "the projection of the velocities did not converge",
                system.equation_name(row),
                HALVE,
            ),
        })
    }
}
