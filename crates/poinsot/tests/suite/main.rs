//! The library as a program uses it.

use poinsot::{Blocks, Carried, Entry, Error, Force, Mat3, Model, ModelBuilder, Motion, Place, Power, Vec3};
use std::ops::ControlFlow;

/// A mass that hangs on a spring of the model file.
fn hanging() -> ModelBuilder {
    let mut builder = Model::builder("hanging");
    builder.parameter("k", 50.0).parameter("m", 2.0);
    builder.body("mass").set("type", "point").set("mass", "m").set("position", [0, 0, -1]);
    builder
        .force("spring", "spring")
        .set("between", ["ground", "mass"])
        .set("stiffness", "k")
        .set("length", 1.0);
    builder.signal("z", "mass.position.z");
    builder.study("motion").set("end", 1.0).set("step", 1e-3).set("output_step", 0.1);
    builder
}

#[test]
fn what_is_built_can_be_printed_and_read() {
    let builder = hanging();
    let text = builder.to_toml();
    let (built, read) = (builder.build().unwrap(), Model::parse("hanging.toml", &text).unwrap());
    assert_eq!(built.run().unwrap().column("z").unwrap(), read.run().unwrap().column("z").unwrap());
    assert!(text.contains("[[force]]\ntype = \"spring\"\nname = \"spring\"\n"), "{text}");
}

#[test]
fn other_parameters_have_their_own_warnings() {
    let mut builder = Model::builder("damped");
    builder.parameter("d", 1.0);
    builder.body("mass").set("type", "point").set("mass", 1.0).set("position", [0, 0, -1]);
    let force = builder.force("spring", "spring");
    force.set("between", ["ground", "mass"]).set("stiffness", 1.0).set("length", 1.0).set("damping", "d");
    let model = builder.build().unwrap();
    assert_eq!(model.warnings().count(), 0);
    let feeds = model.with(&[("d", -1.0)]).unwrap();
    assert!(feeds.warnings().all(|line| line.contains("it feeds energy in")));
    assert_eq!((feeds.warnings().count(), feeds.with(&[("d", 2.0)]).unwrap().warnings().count()), (1, 0));
}

#[test]
fn a_mistake_shows_the_line_that_says_it() {
    let mut builder = hanging();
    builder.joint("rod", "distance").set("betwen", ["ground", "mass"]);
    let message = builder.build().unwrap_err().to_string();
    assert!(message.contains("hanging.toml:"), "{message}");
    assert!(
        message.contains("unknown key `betwen`") && message.contains("did you mean `between`?"),
        "{message}"
    );
    let unknown = hanging().build().unwrap().with(&[("mass", 1.0)]).unwrap_err().to_string();
    assert!(unknown.contains("cannot set `mass`: no such parameter"), "{unknown}");
    let column = hanging().build().unwrap().run().unwrap().last("x").unwrap_err().to_string();
    assert_eq!(column, "there is no column `x`; there are z");
}

#[test]
fn tables_inside_tables() {
    let mut builder = Model::builder("box");
    let size = Entry::of_type("box").with("size", [1.0, 2.0, 3.0]).with("mass", 6.0);
    builder
        .body("box")
        .set("shape", size)
        .set("orientation", Entry::new().with("axis", [0, 0, 1]).with("angle", 1));
    builder.study("motion").set("end", 0.1);
    assert!(builder.build().unwrap().run().unwrap().holds());
}

#[test]
fn joints_start_as_asked() {
    let mut builder = Model::builder("pendulum");
    builder.body("rod").set("mass", 1).set("inertia", [0.1, 0.1, 0.1]).set("position", [0.0, 0.0, -0.5]);
    builder
        .joint("hinge", "revolute")
        .set("between", ["ground", "rod"])
        .set("at", [0, 0, 0])
        .set("axis", [0, 1, 0])
        .set("start", Entry::new().with("angle", "pi/2").with("rate", 3));
    builder.signal("angle", "hinge.angle").set("unit", "rad");
    builder.signal("rate", "hinge.rate");
    builder.signal("x", "rod.position.x");
    builder.study("motion").set("end", 0.1);
    let run = builder.build().unwrap().run().unwrap();
    let start = |name: &str| run.column(name).unwrap()[0];
    assert!((start("angle") - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
    assert!((start("rate") - 3.0).abs() < 1e-12 && (start("x") + 0.5).abs() < 1e-12);
    let text = run.text();
    assert!(
        text.contains("`hinge` starts as asked: angle 1.5708 (modelled 0), rate 3 (modelled 0)"),
        "{text}"
    );
}

#[test]
fn an_observer_sees_every_row_and_may_end_the_run() {
    let model = hanging().build().unwrap();
    let mut seen = vec![];
    let run = model.run_observed(|row| {
        seen.push((row.time(), row.get("z").unwrap()));
        assert_eq!(row.get("x"), None);
        ControlFlow::Continue(())
    });
    let run = run.unwrap();
    let rows: Vec<(f64, f64)> =
        run.time().iter().copied().zip(run.column("z").unwrap().iter().copied()).collect();
    assert_eq!(seen, rows);
    let part = model.run_observed(|row| match row.time() < 0.45 {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    });
    let part = part.unwrap();
    assert!(!part.holds() && part.time().len() == 6, "{:?}", part.time());
    assert_eq!(part.column("z").unwrap(), &run.column("z").unwrap()[..6]);
}

/// A spring between two points, written anew: V = ½ k (|x₂ − x₁| − l)².
#[derive(Debug)]
struct OwnSpring {
    ends: [Carried; 2],
    k: f64,
    l: f64,
}

impl OwnSpring {
    fn pull(&self, at: &Motion) -> (Vec3, f64) {
        let d = at.x[1] - at.x[0];
        (d / d.norm(), d.norm() - self.l)
    }
}

impl Force for OwnSpring {
    fn kind(&self) -> &'static str {
        "own spring"
    }

    fn carried(&self) -> &[Carried] {
        &self.ends
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        let (n, s) = self.pull(at);
        f[0] += n * (self.k * s);
        f[1] -= n * (self.k * s);
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, _c: &mut Blocks) {
        let (n, s) = self.pull(at);
        let along = n * n.transpose();
        let stiffness = along * self.k + (Mat3::identity() - along) * (self.k * s / (s + self.l));
        k.push(0, 0, -stiffness);
        k.push(1, 1, -stiffness);
        k.push(0, 1, stiffness);
        k.push(1, 0, stiffness);
    }

    fn potential(&self, at: &Motion) -> f64 {
        0.5 * self.k * self.pull(at).1.powi(2)
    }

    fn power(&self, _at: &Motion) -> Power {
        Power::default()
    }
}

/// The same mass without the spring of the file, on one that is a program.
fn own(integrator: &str) -> Result<[Model; 2], Error> {
    let ends = [Place::point("ground", [0.0; 3]), Place::point("mass", [0.0; 3])];
    let mut of_file = hanging();
    of_file
        .study("motion")
        .set("end", 1.0)
        .set("step", 1e-3)
        .set("output_step", 0.1)
        .set("integrator", integrator);
    let mut builder = Model::builder("hanging");
    builder.parameter("m", 2.0);
    builder.body("mass").set("type", "point").set("mass", "m").set("position", [0, 0, -1]);
    builder.signal("z", "mass.position.z");
    builder
        .study("motion")
        .set("end", 1.0)
        .set("step", 1e-3)
        .set("output_step", 0.1)
        .set("integrator", integrator);
    let mut model = builder.build()?;
    model.add_force("spring", &ends, |x| OwnSpring { ends: [x[0], x[1]], k: 50.0, l: 1.0 })?;
    Ok([of_file.build()?, model])
}

#[test]
fn a_force_of_ones_own_is_as_good_as_one_of_the_file() {
    let integrators = [
        "generalized-alpha",
        "radau",
        "bdf",
        "dormand-prince",
        "energy-momentum",
        "variational-midpoint",
        "galerkin",
    ];
    for integrator in integrators {
        let [file, own] = own(integrator).unwrap();
        // It stays when parameters change.
        let [file, own] = [file, own].map(|model| model.with(&[("m", 3.0)]).unwrap().run().unwrap());
        assert!(own.holds(), "{}", own.text());
        assert_eq!(own.summary().common().counts.forces, 1);
        let (of_file, of_own) = (file.column("z").unwrap(), own.column("z").unwrap());
        let apart = of_file.iter().zip(of_own).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        assert!(apart < 1e-6, "{integrator}: {apart:e}");
        // z = −1 − (m g/k)(1 − cos ω t)
        let fall = 3.0 * 9.81 / 50.0 * (1.0 - (50.0f64 / 3.0).sqrt().cos());
        assert!((own.last("z").unwrap() + 1.0 + fall).abs() < 1e-5, "{integrator}");
    }
}

#[test]
fn other_studies_see_what_was_added() {
    use poinsot::RunSummary;
    use poinsot::studies::modes::{ModesSpec, ModesSummary};
    let [file, own] = own("generalized-alpha").unwrap();
    let modes = |model: &Model| -> ModesSummary {
        let folder = tempfile::tempdir().unwrap();
        let mut run = model.with_study(ModesSpec::at(0.0)).run().unwrap();
        RunSummary::read(&run.save(folder.path().join("run")).unwrap()).unwrap()
    };
    let [a, b] = [&file, &own].map(|model| modes(model).modes[0].frequency_hz);
    assert!(a > 0.0 && (a - b).abs() < 1e-9 * a, "{a} {b}");
}

#[test]
fn nothing_can_be_added_to_a_body_that_is_not_there() {
    let mut model = hanging().build().unwrap();
    let place = [Place::point("ground", [0.0; 3]), Place::point("mas", [0.0; 3])];
    let error = model.add_force("spring", &place, |x| OwnSpring { ends: [x[0], x[1]], k: 1.0, l: 1.0 });
    let message = error.unwrap_err().to_string();
    assert_eq!(message, "cannot add `spring`: there is no body `mas` (did you mean `mass`?)");
}

#[test]
fn results_are_saved_as_the_command_does() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = hanging().build().unwrap().run().unwrap();
    let summary = run.save(folder.path().join("run")).unwrap();
    assert!(summary.ends_with("summary.json") && summary.is_file());
    for file in ["signals.parquet", "report.html"] {
        assert!(summary.with_file_name(file).is_file(), "{file}");
    }
}

#[test]
fn models_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&hanging().build().unwrap());
}

/// A chain of studies in a file, by name and all together, and by hand.
#[test]
fn studies_by_name_and_chains() {
    let mut builder = Model::builder("cord");
    builder.body("mass").set("type", "point").set("mass", 2.0).set("position", [0.0, 0.0, -0.6]);
    let spring = builder.force("spring", "spring");
    spring.set("between", ["ground", "mass"]).set("stiffness", 800.0).set("length", 0.5);
    let cord = builder.joint("cord", "point_on_plane");
    cord.set("between", ["ground", "mass"]).set("at", [0.0, 0.0, -0.6]).set("axis", [0.0, 0.0, 1.0]);
    builder.signal("z", "mass.position.z");
    builder.named_study("held", "equilibrium");
    let swing = builder.named_study("swing", "motion");
    swing.set("initial", "held").set("off", ["cord"]).set("end", 0.5).set("step", 1e-3);
    let model = builder.build().unwrap_or_else(|error| panic!("{error}\n{}", builder.to_toml()));
    assert_eq!(model.studies(), ["held", "swing"]);
    let runs = model.run_all().unwrap();
    let by_name = model.study("swing").unwrap().run().unwrap();
    let by_hand = model.study("swing").unwrap().starting_from(&runs[0]).unwrap().run().unwrap();
    // z(t) = rest − d cos ωt with rest = −l − m g/k, ω = √(k/m).
    let rest = -0.5 - 2.0 * 9.81 / 800.0;
    let expected = rest + (-0.6 - rest) * (20.0_f64 * 0.5).cos();
    for run in [&runs[1], &by_name, &by_hand] {
        let z = run.last("z").unwrap();
        assert!((z - expected).abs() < 1e-4, "{z} {expected}");
    }
    let error = model.study("swin").err().unwrap().to_string();
    assert!(error.contains("did you mean `swing`?"), "{error}");
}
