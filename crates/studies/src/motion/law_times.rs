//! What laws of time tell beforehand: when they have a kink or a jump, at which steps end, and how they bend.

use poinsot_analysis::LawTimes;
use poinsot_expr::{Expr, Function, TimeLaw};
use poinsot_model::spec::{BeamSpec, Model};

/// Names of the time.
const TIMES: [&str; 2] = ["t", "time"];

/// What the laws of time of a model tell beforehand, if it has a motion study; the stops of the study count
/// as kinks.
pub fn law_times(model: &Model) -> Option<LawTimes> {
    let study = model.motion()?;
    let mut times = kinks(model, study.start, study.end);
    times.extend(study.stops.iter().filter(|time| (study.start..study.end).contains(*time)));
    times.sort_by(f64::total_cmp);
    Some(LawTimes { kinks: times, laws: time_laws(model) })
}

/// The kinks of all loads, drives and equations from one time to another, in order.
pub fn kinks(model: &Model, from: f64, to: f64) -> Vec<f64> {
    let mut times: Vec<f64> = Vec::new();
    visit(model, &mut |law, time, parameter| times.extend(law.breaks(time, parameter, from, to)));
    times.sort_by(f64::total_cmp);
    times.dedup_by(|a, b| (*a - *b).abs() <= 1e-12 * a.abs().max(b.abs()));
    times
}

/// The explicit functions of time in all loads, drives and equations, each once.
fn time_laws(model: &Model) -> Vec<TimeLaw> {
    let mut laws: Vec<TimeLaw> = Vec::new();
    visit(model, &mut |law, time, parameter| {
        for found in law.time_laws(time, parameter) {
            if !laws.contains(&found) {
                laws.push(found);
            }
        }
    });
    laws
}

/// Sees an expression, a name of the time in it, and the values of parameters by name.
type Visitor<'a> = dyn FnMut(&Expr, &str, &dyn Fn(&str) -> Option<f64>) + 'a;

/// Shows all laws that may depend on time.
fn visit(model: &Model, see: &mut Visitor) {
    let mut function = |law: &Function| {
        if let Some(expr) = law.expression() {
            see(expr, "t", &|_| None);
        }
    };
    for force in &model.forces {
        force.kind.laws().iter().for_each(&mut function);
    }
    let along = |beam: &BeamSpec| beam.load.iter().chain(&beam.moment).flatten().for_each(&mut function);
    model.beams.iter().for_each(along);
    for drive in &model.drives {
        drive.kind.laws().into_iter().for_each(|law| function(law.function()));
    }
    let parameter = |name: &str| model.parameters.iter().find(|p| p.name == name).map(|p| p.value);
    let mut of_state = |law: &Expr| TIMES.iter().for_each(|time| see(law, time, &parameter));
    for block in &model.equations {
        block.equations.iter().for_each(|law| of_state(&law.expr));
        block.loads.iter().for_each(|load| of_state(&load.law.expr));
    }
    let relations = model.drives.iter().filter_map(|drive| drive.relation.as_ref());
    let relations = relations.chain(model.couplings.iter().filter_map(|coupling| coupling.relation.as_ref()));
    relations.for_each(|relation| {
        of_state(&relation.expr);
        relation.command.iter().for_each(|command| of_state(&command.expr));
    });
    let points = model.drives.iter().filter_map(|drive| drive.coordinates.as_ref()).flatten().flatten();
    points.for_each(|law| of_state(&law.expr));
    let spins = model.drives.iter().filter_map(|drive| drive.angular_velocity.as_ref()).flatten();
    spins.for_each(|law| of_state(&law.expr));
    model
        .beams
        .iter()
        .flat_map(|beam| beam.load_law.iter().chain(&beam.moment_law).flatten())
        .for_each(|law| of_state(&law.expr));
    let stops = model.joints.iter().flat_map(|joint| &joint.stop_laws);
    stops.filter_map(|stop| stop.law.as_ref()).for_each(|law| of_state(&law.expr));
    model.forces.iter().filter_map(|force| force.law.as_ref()).flatten().for_each(|law| of_state(&law.expr));
}
