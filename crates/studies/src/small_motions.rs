//! The state that small motions are about, and what makes a verdict on them doubtful.

use crate::equilibrium;
use crate::failure::StudyError;
use crate::study::Prepared;
use poinsot_analysis::{Changing, moving_later};
use poinsot_integrators::{SaddlePoint, StepFailure};
use poinsot_mechanics::{Scratch, State, System};
use poinsot_model::choice;
use poinsot_model::spec::BodyRef;
use poinsot_model::study::Located;
use poinsot_results as results;

choice! {
    /// The state that equations of motion are linearised about.
    pub enum About "state" {
        /// The equilibrium, computed first.
        "equilibrium" => Equilibrium,
        /// The state at the start with its velocities.
        "start" => Start,
    }
}

impl About {
    /// The one that is meant: as said, else the equilibrium unless the study starts from another state.
    pub fn meant(said: Option<&Located<About>>, starts_elsewhere: bool) -> About {
        match (said, starts_elsewhere) {
            (Some(about), _) => about.value,
            (None, true) => About::Start,
            (None, false) => About::Equilibrium,
        }
    }
}

/// The state that a linearisation is about, with accelerations and multipliers.
pub fn base_state(prepared: &Prepared, about: About, time: f64) -> Result<(State, Vec<f64>), StudyError> {
    match about {
        About::Equilibrium => {
            let found = equilibrium::place(prepared, time)?;
            Ok((found.state, found.a))
        }
        About::Start => {
            let (system, state) = (&prepared.system, &prepared.state);
            let mut a = vec![0.0; system.size()];
            SaddlePoint::new(system)
                .accelerations(system, state, &mut a)
                .map_err(|e| StepFailure::singular(system, state.t, &e))?;
            system.network_rates(state, &mut a, &mut Scratch::default());
            Ok((state.clone(), a))
        }
    }
}

/// The name of an observer.
pub fn observer_name(prepared: &Prepared, observer: BodyRef) -> String {
    match observer {
        BodyRef::Ground => "ground".into(),
        BodyRef::Body(k) => prepared.model.bodies[k].name.clone(),
    }
}

/// The state that motions are small about, in words.
pub fn about_words(about: About) -> String {
    match about {
        About::Equilibrium => "equilibrium".into(),
        About::Start => "start".into(),
    }
}

/// Where a verdict comes from if the model repeats itself.
const MULTIPLIERS: &str = "if it repeats itself after a period T, multipliers decide: [study] type = \"periodic\", \
                           period = \"T\"; over a parameter, [study] type = \"floquet\", parameter, range, period";

/// What is said instead of a verdict where the linearised system changes with time.
pub fn no_verdict(changing: &Changing, time: f64) -> results::Stability {
    let (percent, after) = (results::short(100.0 * changing.share, 2), results::short(changing.after, 2));
    if !changing.by.is_empty() {
        let many = if changing.by.len() == 1 { "changes" } else { "change" };
        let reason = format!(
            "time is held at t = {time} s; {} {many} with time and {} the state, and with it the linearised system, by \
             {percent} % within {after} s (seen at {}), so that its eigenvalues neither prove nor exclude growth; `run` \
             the motion, and once more from a small deviation; {MULTIPLIERS}",
            changing.by.join(", "),
            if changing.by.len() == 1 { "moves" } else { "move" },
            changing.at
        );
        return results::Stability { verdict: results::Verdict::None, reason };
    }
    let how = match changing.after > 0.0 {
        true => format!("changes with time, by {percent} % within {after} s"),
        false => format!("is another one, by {percent} %, while its drives move as they do at that time"),
    };
    let reason = format!(
        "the linearised system {how} (seen at {}), so that its eigenvalues at t = {time} s neither prove nor exclude \
         growth; `run` the motion from a small deviation over many periods, or choose the observer that sees it steady; {MULTIPLIERS}",
        changing.at
    );
    results::Stability { verdict: results::Verdict::None, reason }
}

/// The verdict, unless the system changes with time; with drives that only stand still for now.
pub fn lasting(
    stability: results::Stability,
    changing: Option<&Changing>,
    (system, state): (&System, &State),
) -> results::Stability {
    if let Some(changing) = changing {
        let mut none = no_verdict(changing, state.t);
        if !changing.by.is_empty() {
            none.reason =
                format!("{} ({}) while {}", stability.verdict.words(), stability.reason, none.reason);
        }
        return none;
    }
    let drives = match system.nodes().iter().any(|n| state.v[n.unknowns()].iter().any(|v| *v != 0.0)) {
        true => vec![],
        false => moving_later(system, state),
    };
    if drives.is_empty() {
        return stability;
    }
    let reason =
        format!("{}, while {} stands as at t = {} s", stability.reason, drives.join(" and "), state.t);
    results::Stability { reason, ..stability }
}

/// What else makes a linearisation doubtful: a start at rest that will not stay there, dry friction.
pub fn doubts(prepared: &Prepared, about: About, state: &State, a: &[f64]) -> Vec<String> {
    let system = &prepared.system;
    let mut doubts = vec![];
    let twist = |k: usize, v: &[f64]| {
        let twist = system.twist(k, v);
        twist.linear.norm() + system.length_scale() * twist.angular.norm()
    };
    let largest = |v: &[f64]| (1..system.nodes().len()).map(|k| twist(k, v)).fold(0.0, f64::max);
    let leaving = largest(a);
    if about == About::Start && largest(&state.v) == 0.0 && leaving > 1e-6 * system.gravity.norm().max(1e-3) {
        doubts.push(format!(
            "the start is at rest but no equilibrium: bodies accelerate by up to {leaving:.1e} m/s²; use about = \"equilibrium\""
        ));
    }
    if about == About::Start {
        doubts.extend(changing(prepared, a));
    }
    if !system.frictions().is_empty() {
        doubts.push(
            "dry friction counts as viscous damping here: its smoothed slope at the speed of the state"
                .into(),
        );
    }
    doubts
}

/// The variable that changes fastest at a start that is no equilibrium.
fn changing(prepared: &Prepared, a: &[f64]) -> Option<String> {
    let networks = prepared.system.networks().iter();
    let rates = networks
        .flat_map(|n| n.law.variables.iter().enumerate().map(|(j, v)| (&v.name, a[n.unknown(j)], v.nominal)));
    let (name, rate, _) = rates
        .filter(|(_, rate, nominal)| rate.abs() > 1e-9 * nominal)
        .max_by(|x, y| (x.1 / x.2).abs().total_cmp(&(y.1 / y.2).abs()))?;
    Some(format!(
        "the start is no equilibrium: `{name}` changes by {rate:.1e} per second, and the matrices with it; \
         use about = \"equilibrium\""
    ))
}
