//! The driver: runs, what is done where one stops, and where the next begins.

use super::{Ending, Log, MotionReport, MotionStudy, Observer, Run, Stop};
use crate::checkpoint::Checkpoint;
use crate::events::EventHandler;
use poinsot_integrators::StepFailure;
use poinsot_mechanics::{LawSpan, Scratch, State, System};

/// Relative to its terms, how far an algebraic equation must be from holding to have been opened by a jump.
pub(super) const OPEN_BEHIND_JUMP: f64 = 1e-10;

/// Goes on from a state and what is known of the way there until the motion ends. A run belongs to one system
/// and begins anew behind kinks; where the system changes, and at checkpoints, there is a new one.
pub(crate) fn drive(
    system: &mut System,
    mut state: State,
    study: &MotionStudy,
    observer: &mut dyn Observer,
    events: &mut dyn EventHandler,
    mut log: Log,
) -> Result<MotionReport, StepFailure> {
    log.watch_kinks(system, study);
    log.hold_laws(system, study, state.t);
    system.close_behind_jump(OPEN_BEHIND_JUMP, &mut state, &mut Scratch::default());
    loop {
        let mut run = Run::new(system, study, state, &mut log, events)?;
        let ending = loop {
            match run.go(observer) {
                Stop::Kink(located) => run = run.go_behind_kink(located)?,
                Stop::Failure(failure) => return Err(failure),
                Stop::Ended(ending) => {
                    state = run.leave();
                    break Some(ending);
                }
                Stop::WeakRow => {
                    state = run.leave();
                    log.exchange_rows(system, &state)?;
                    break None;
                }
                Stop::Astray(before) => {
                    run.leave();
                    state = *before;
                    log.take_back_step();
                    log.exchange_rows(system, &state)?;
                    break None;
                }
                Stop::Events(what, at) => {
                    run.leave();
                    state = *at;
                    break log.settle(&what, system, &mut state, study, observer, events)?;
                }
                Stop::Checkpoint => {
                    state = run.leave();
                    log.saved = log.counters.steps;
                    let kept = observer.checkpoint(&Checkpoint::of(system, &state, &log));
                    break kept.err().map(Ending::Halted);
                }
            }
        };
        if let Some(ending) = ending {
            system.hold_laws(LawSpan::ALL);
            return Ok(log.report(ending, state));
        }
    }
}
