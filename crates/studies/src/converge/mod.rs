//! The order with which every quantity of a model converges when the step is halved.

use crate::compared_quantities::OwnValues;
use crate::complaint::Complaint;
use crate::integrator_argument::Choice;
use crate::markdown::{rounded, table, two_digits};
use crate::measured_run::{MeasuredRun, Recorded, Sampling, Steps, respecified};
use crate::progress::{Hidden, Runs, Watch};
use poinsot_analysis::comparison::{Record, differences, orders};
use poinsot_integrators::{ExpectedOrder, QuantityLevel as Level, Tolerance};
use poinsot_mechanics::System;
use poinsot_model::Model;
use poinsot_model::spec::MotionSpec;
use serde_json::json;

/// Newton's iteration and the reference are to disturb nothing.
const TIGHT: f64 = 1e-12;
/// What Newton's iteration and rounding may leave over in the course of a motion.
const LEFT_OVER: f64 = 3.0 * TIGHT;
/// Most times at which motions are compared.
const MOST_TIMES: usize = 200;
/// Most steps of the second half in which the integrator's own values are looked at.
const MOST_OWN: usize = 16;
/// A quantity counts if it is larger than the reference's error by this factor.
const SIGNIFICANT: f64 = 100.0;
/// An order is as expected if it falls short of it by no more than this.
const SHORT: f64 = 0.25;

/// What is to converge.
#[derive(Clone, Debug)]
pub struct ConvergeRequest {
    /// The integrator as in comparisons; by default that of the study.
    pub integrator: Option<String>,
    /// The longest step (s); by default that of the study.
    pub step: Option<f64>,
    /// Number of steps, each half the one before; at least two.
    pub levels: usize,
    /// Compare each run with the next finer one instead of a reference.
    pub by_itself: bool,
    /// Answer as JSON.
    pub json: bool,
}

/// Measures the orders of a motion, as JSON or in words.
pub fn converge(
    request: &ConvergeRequest,
    model: &Model,
    study: &MotionSpec,
    watch: &dyn Watch,
) -> Result<String, Complaint> {
    let trial = MeasuredRun::new(model, study.clone(), &Sampling::Ends)?;
    let findings = ladder(request, model, study, trial, watch)?.climb()?;
    Ok(findings.told(request.json))
}

/// Steps that are halved again and again, all of which reach the times of the comparison.
struct Ladder<'a> {
    model: &'a Model,
    study: &'a MotionSpec,
    choice: Choice,
    /// Number of times of the comparison, and steps between them on the coarsest level.
    times: usize,
    between: usize,
    levels: usize,
    by_itself: bool,
    watch: &'a dyn Watch,
}

fn ladder<'a>(
    request: &ConvergeRequest,
    model: &'a Model,
    study: &'a MotionSpec,
    trial: MeasuredRun,
    watch: &'a dyn Watch,
) -> Result<Ladder<'a>, Complaint> {
    let choice = match &request.integrator {
        Some(text) => Choice::parse(text, None),
        None => Ok(Choice::of(study)),
    };
    let mut choice = choice.map_err(|text| Complaint::bad_input(format!("--integrator {text}")))?;
    // Newton's iteration shall leave nothing over.
    choice.spec.method.tighten(TIGHT);
    let span = study.end - study.start;
    let step = match (request.step, study.step()) {
        (Some(step), _) if !step.is_finite() || step <= 0.0 => {
            return Err(Complaint::bad_input(format!("--step {step} must be a positive number")));
        }
        (Some(step), _) | (None, Some(step)) => step,
        (None, None) => {
            let (_, report) = trial.time(&Runs::new(1, &Hidden(watch))).map_err(Complaint::failed)?;
            span / report.counters.steps.max(1) as f64
        }
    };
    let steps = (span / step).round().max(1.0) as usize;
    // All steps if they are few, else so many that the step stays as it is.
    let divides = |times: &usize| steps.is_multiple_of(*times);
    let times = (steps.min(MOST_TIMES / 4)..=steps.min(MOST_TIMES)).rev().find(divides);
    let times = times.unwrap_or(steps.min(MOST_TIMES));
    let between = (steps as f64 / times as f64).round() as usize;
    let (levels, by_itself) = (request.levels, request.by_itself);
    Ok(Ladder { model, study, choice, times, between, levels, by_itself, watch })
}

impl Ladder<'_> {
    fn span(&self) -> f64 {
        self.study.end - self.study.start
    }

    fn interval(&self) -> f64 {
        self.span() / self.times as f64
    }

    /// Step of a level (s).
    fn step(&self, level: usize) -> f64 {
        self.interval() / self.steps_between(level) as f64
    }

    fn steps_between(&self, level: usize) -> usize {
        self.between << level
    }

    fn spec(&self, level: usize) -> MotionSpec {
        let spec = respecified(self.study, &self.choice, Steps::Length(self.step(level)));
        MotionSpec { tolerance: Some(Tolerance::both(TIGHT)), tolerances: vec![], ..spec }
    }

    /// The last of these times is the end itself.
    fn grid(&self) -> Vec<f64> {
        let time = |k: usize| match k == self.times {
            true => self.study.end,
            false => self.study.start + k as f64 * self.interval(),
        };
        (1..=self.times).map(time).collect()
    }

    fn trial(&self, spec: MotionSpec, sampling: &Sampling) -> Result<MeasuredRun, Complaint> {
        MeasuredRun::new(self.model, spec, sampling).map_err(Complaint::failed)
    }

    fn climb(&self) -> Result<Findings, Complaint> {
        // A level takes twice the steps of the one before; the reference, of high order, a few of the last.
        let cost = |level: usize| 2f64.powi(level as i32);
        let references = if self.by_itself { 0 } else { 2 };
        let reference = vec![0.125 * cost(self.levels); references];
        let costs = (0..self.levels).flat_map(|level| [cost(level); 2]).chain(reference);
        let progress = Runs::of_costs(costs.collect(), self.watch);
        let (mut motions, mut own_records) = (vec![], vec![]);
        let system = self.trial(self.spec(0), &Sampling::Ends)?;
        let own = self.own_values(&system);
        let levels = system.watched(true).levels();
        for level in 0..self.levels {
            progress.says(&format!("step {} s", rounded(self.step(level))));
            motions.push(self.run(level, &progress)?);
            progress.done(1);
            if let Ok(own) = &own {
                own_records.push(self.own_run(level, own, &progress)?);
            }
            progress.done(1);
        }
        let mut findings = Findings::new(self, system.system(), own.as_ref().err().copied());
        if self.by_itself {
            self.successive(&motions, &levels, &mut findings)?;
        } else {
            self.against_reference(
                &motions,
                &own_records,
                own.as_ref().ok(),
                &levels,
                &progress,
                &mut findings,
            )?;
        }
        Ok(findings)
    }

    /// Where the integrator's own accelerations and multipliers stand, or why they are not looked at.
    fn own_values(&self, trial: &MeasuredRun) -> Result<OwnValues, &'static str> {
        if self.by_itself {
            Err(
                "with --self the integrator's own accelerations and multipliers are not measured: their times differ",
            )
        } else if !self.choice.spec.method.carries_multipliers() {
            Err("the integrator has no accelerations and multipliers of its own")
        } else if !trial.system().suspended_rows().is_empty() {
            Err("constraints are redundant: the integrator's own multipliers are not measured")
        } else {
            Ok(OwnValues::new(trial.system()))
        }
    }

    fn run(&self, level: usize, progress: &Runs) -> Result<Record, Complaint> {
        let trial = self.trial(self.spec(level), &Sampling::Every(self.interval()))?;
        let watched = trial.watched(true);
        let Recorded { record, report } = trial.record(watched, None, progress).map_err(|reason| {
            Complaint::failed(format!(
                "with a step of {} s: {reason}; give another --step",
                rounded(self.step(level))
            ))
        })?;
        let cut = report.audit.cut_steps;
        if cut > 0 {
            let step = rounded(self.step(level));
            return Err(Complaint::failed(format!(
                "{cut} steps of {step} s did not converge and were halved: give a shorter --step"
            )));
        }
        match report.events.first() {
            Some(event) => Err(Complaint::bad_input(format!(
                "an event happens at t = {:.6} s: orders mean little behind it; give --until before it",
                event.time
            ))),
            None => Ok(record),
        }
    }

    /// The integrator's own values in some steps of the second half, where the start is forgotten.
    fn own_run(&self, level: usize, own: &OwnValues, progress: &Runs) -> Result<Record, Complaint> {
        let between = self.steps_between(level);
        let every = (self.times / 2).div_ceil(MOST_OWN).max(1);
        let wanted = |k: usize| {
            let interval = k / between;
            k.is_multiple_of(between)
                && 2 * interval > self.times
                && (self.times - interval).is_multiple_of(every)
        };
        let trial = self.trial(self.spec(level), &Sampling::Ends)?;
        let record = trial.own_values(self.step(level), self.times * between, own, &wanted, progress);
        record.map_err(Complaint::failed)
    }

    /// Differences of neighbours: u(h) − u(h/2) goes with the same power of h as the error.
    fn successive(
        &self,
        motions: &[Record],
        levels: &[Level],
        findings: &mut Findings,
    ) -> Result<(), Complaint> {
        let pairs: Result<Vec<_>, _> =
            motions.windows(2).map(|p| differences(&p[0], &p[1], &self.grid())).collect();
        let pairs = pairs.map_err(Complaint::failed)?;
        let Some(finest) = motions.last() else { return Ok(()) };
        let rounding = finest.sizes().iter().map(|size| f64::EPSILON * size).collect::<Vec<_>>();
        findings.add(finest, &rounding, &pairs, levels);
        Ok(())
    }

    fn against_reference(
        &self,
        motions: &[Record],
        own_records: &[Record],
        own: Option<&OwnValues>,
        levels: &[Level],
        progress: &Runs,
        findings: &mut Findings,
    ) -> Result<(), Complaint> {
        let mut times = self.grid();
        times.extend(own_records.iter().flat_map(|record| record.times()));
        times.sort_by(f64::total_cmp);
        let [first, second] = [5, 7].map(|stages| self.reference(stages, own, &times, progress));
        let (first, second) = (first?, second?);
        let compare =
            |a: &Record, b: &Record, times: &[f64]| differences(a, b, times).map_err(Complaint::failed);
        let part = |record: &Record, like: &Record| {
            let names: Vec<&str> = like.tracks().iter().map(|track| track.name.as_str()).collect();
            record.select(&names)
        };
        let grid = self.grid();
        let reference = part(&first, &motions[0]);
        let doubt = compare(&reference, &part(&second, &motions[0]), &grid)?;
        let errors: Result<Vec<_>, _> =
            motions.iter().map(|motion| compare(&reference, motion, &grid)).collect();
        findings.add(&reference, &doubt, &errors?, levels);
        let Some(any) = own_records.first() else { return Ok(()) };
        let reference = part(&first, any);
        let doubt = compare(&reference, &part(&second, any), reference.times())?;
        let errors: Result<Vec<_>, _> =
            own_records.iter().map(|record| compare(&reference, record, record.times())).collect();
        findings.add(&reference, &doubt, &errors?, &vec![Level::Own; reference.tracks().len()]);
        Ok(())
    }

    fn reference(
        &self,
        stages: usize,
        own: Option<&OwnValues>,
        times: &[f64],
        progress: &Runs,
    ) -> Result<Record, Complaint> {
        let text = format!("radau(stages={stages})");
        progress.says(&format!("reference: {text}"));
        let choice = Choice::parse(&text, None).map_err(Complaint::failed)?;
        let study = MotionSpec { tolerance: None, tolerances: vec![], ..self.study.clone() };
        let spec = respecified(&study, &choice, Steps::Tolerance(TIGHT));
        let trial = self.trial(spec, &Sampling::Exactly(times.to_vec()))?;
        let watched = trial.watched(true);
        let recorded = trial.record(watched, own, progress);
        progress.done(1);
        let failed =
            |reason| Complaint::failed(format!("the reference, {text} at {TIGHT:e}: {reason}; try --self"));
        Ok(recorded.map_err(failed)?.record)
    }
}

/// Errors and orders of a quantity.
struct Finding {
    name: String,
    level: Level,
    /// Relative errors, from the longest step to the shortest.
    errors: Vec<f64>,
    /// Order between neighbours, where it is resolved.
    orders: Vec<Option<f64>>,
    expected: ExpectedOrder,
}

impl Finding {
    /// The order between the finest steps at which it is resolved.
    fn order(&self) -> Option<f64> {
        self.orders.iter().rev().find_map(|order| *order).map(|order| (100.0 * order).round() / 100.0 + 0.0)
    }

    /// The order in words, without reasons.
    fn verdict(&self) -> String {
        let Some(order) = self.order() else {
            return "not resolved: as exact as the reference; give a longer --step".into();
        };
        match self.expected.order {
            Some(e) if order < e - SHORT => format!("order {order:.2}, not {e}"),
            Some(e) => format!("order {order:.2} (expected {e})"),
            None => format!("order {order:.2}"),
        }
    }

    /// Why the order is not that of the method.
    fn reason(&self) -> Option<String> {
        let (order, ExpectedOrder { order: Some(e), reason }) = (self.order()?, self.expected) else {
            return None;
        };
        match reason {
            Some(reason) if order > e + SHORT => {
                Some(format!("order {e}: {reason}; this motion does not show it"))
            }
            Some(reason) => Some(format!("order {e}: {reason}")),
            None => (order < e - SHORT).then(|| {
                format!("less than {e}: a load or drive has a jump or a kink, or the steps are too long")
            }),
        }
    }
}

/// All that was found.
struct Findings {
    model: String,
    integrator: String,
    steps: Vec<f64>,
    by_itself: bool,
    list: Vec<Finding>,
    /// Quantities that are zero, or as small as the reference's error.
    left_out: Vec<String>,
    /// Why the integrator's own values are not there.
    remark: Option<&'static str>,
    /// The order that is expected on each level.
    expected: Vec<(Level, ExpectedOrder)>,
}

impl Findings {
    fn expected(&self, level: Level) -> ExpectedOrder {
        let known = self.expected.iter().find(|(known, _)| *known == level);
        known.map_or(ExpectedOrder { order: None, reason: None }, |(_, expected)| *expected)
    }

    fn new(ladder: &Ladder, system: &System, remark: Option<&'static str>) -> Self {
        let method = &ladder.choice.spec.method;
        Findings {
            expected: SECTIONS.map(|(level, _)| (level, method.expected_order(level, system))).to_vec(),
            model: ladder.model.name.clone(),
            integrator: ladder.choice.text.clone(),
            steps: (0..ladder.levels).map(|level| ladder.step(level)).collect(),
            by_itself: ladder.by_itself,
            list: vec![],
            left_out: vec![],
            remark,
        }
    }

    /// Adds quantities with their sizes, the doubt about them and their errors at every step.
    fn add(&mut self, of: &Record, doubt: &[f64], errors: &[Vec<f64>], levels: &[Level]) {
        let sizes = of.sizes();
        let largest = sizes.iter().copied().fold(0.0, f64::max);
        for (k, track) in of.tracks().iter().enumerate() {
            let (size, doubt) = (sizes[k], doubt[k]);
            if size <= SIGNIFICANT * doubt || size <= TIGHT * largest {
                self.left_out.push(track.name.clone());
                continue;
            }
            let errors: Vec<f64> = errors.iter().map(|level| level[k] / size).collect();
            let floor = (doubt / size).max(LEFT_OVER);
            self.list.push(Finding {
                name: track.name.clone(),
                level: levels[k],
                orders: orders(&errors, floor),
                errors,
                expected: self.expected(levels[k]),
            });
        }
    }

    fn told(&self, json: bool) -> String {
        if json { format!("{:#}\n", self.json()) } else { self.text() }
    }

    fn text(&self) -> String {
        let against = match self.by_itself {
            true => "differences from the next finer run",
            false => "errors against radau, 5 stages, tolerance 1e-12, which 7 stages check",
        };
        let mut text = format!("{}: {}\n", self.model, self.integrator);
        text += &format!("{against}, relative to the largest value of each quantity, for these steps in s\n");
        let steps: Vec<String> = self.steps.iter().map(|h| rounded(*h)).collect();
        let shown = if self.by_itself { &steps[..steps.len() - 1] } else { &steps[..] };
        let headings: Vec<&str> =
            ["quantity"].into_iter().chain(shown.iter().map(String::as_str)).chain(["verdict"]).collect();
        for (level, title) in SECTIONS {
            let here = self.list.iter().filter(|finding| finding.level == level);
            let rows: Vec<Vec<String>> = here
                .clone()
                .map(|f| {
                    let errors = f.errors.iter().map(|e| two_digits(*e));
                    [f.name.clone()].into_iter().chain(errors).chain([f.verdict()]).collect()
                })
                .collect();
            if !rows.is_empty() {
                text += &format!("\n{title}\n\n{}", table(&headings, &rows));
                let mut reasons: Vec<String> = here.filter_map(Finding::reason).collect();
                reasons.dedup();
                reasons.iter().for_each(|reason| text += &format!("\n{reason}\n"));
            }
        }
        if !self.left_out.is_empty() {
            text += &format!("\nleft out, for they are zero or too small: {}\n", self.left_out.join(", "));
        }
        if let Some(remark) = self.remark {
            text += &format!("\n{remark}\n");
        }
        text
    }

    fn json(&self) -> serde_json::Value {
        let finding = |f: &Finding| {
            json!({
                "quantity": f.name, "level": word(f.level), "errors": f.errors, "orders": f.orders, "order": f.order(),
                "expected": f.expected.order, "verdict": f.verdict(), "reason": f.reason(),
            })
        };
        json!({
            "analysis": "converge",
            "model": self.model,
            "integrator": self.integrator,
            "steps_s": self.steps,
            "against": if self.by_itself { "the next finer run" } else { "reference" },
            "quantities": self.list.iter().map(finding).collect::<Vec<_>>(),
            "left_out": self.left_out,
            "remark": self.remark,
        })
    }
}

const SECTIONS: [(Level, &str); 5] = [
    (Level::Signal, "Signals"),
    (Level::Position, "Positions and orientations"),
    (Level::Velocity, "Velocities and variables"),
    (
        Level::Acceleration,
        "Accelerations and reactions as recorded: those that belong to position and velocity",
    ),
    (
        Level::Own,
        "Accelerations and multipliers of the integrator itself, inside its steps, in the second half of the motion",
    ),
];

fn word(level: Level) -> &'static str {
    match level {
        Level::Signal => "signal",
        Level::Position => "position",
        Level::Velocity => "velocity",
        Level::Acceleration => "acceleration",
        Level::Own => "own",
    }
}
