//! Path and buckling studies: their keys, the results they give, and what is said about mistakes.

use poinsot_model::LoadError;
use poinsot_model::study::StudyRequest;
use poinsot_model::{Model, Quantity};
use poinsot_studies::buckling::{BucklingSpec, Side};
use poinsot_studies::load_str;
use poinsot_studies::path::PathSpec;

const MODEL: &str = r#"
[parameters]
P = 0
k = 2
[[body]]
name = "bob"
type = "point"
mass = 1
position = [1, 0, 0]
[[force]]
name = "s"
type = "spring"
between = ["ground", "bob"]
stiffness = "k"
[[signal]]
name = "x"
value = "bob.position.x"
[[signal]]
name = "pull"
value = "P*s.force"
"#;

fn load(text: &str) -> Result<Model, LoadError> {
    load_str("f.toml", &format!("{MODEL}{text}"), &[]).map(|(model, _)| model)
}

fn study<R: StudyRequest + Clone>(text: &str) -> R {
    match load(text) {
        Ok(model) => model.study_of::<R>().unwrap().clone(),
        Err(error) => panic!("{}", error.render(false)),
    }
}

#[test]
fn keys_of_a_path() {
    let found: PathSpec = study("[study]\ntype = \"path\"\nparameter = \"P\"\nto = \"3*k\"");
    let expected = PathSpec { span: found.span.clone(), ..PathSpec::to("P", 6.0, 0.0) };
    assert_eq!(found, expected);
    let text = "[study]\ntype = \"path\"\nparameter = \"k\"\nfrom = 1\nto = 3\nrange = [0.5, 4]\nsignal = \"pull\"\n\
                signal_range = [-1, 1]\nstep = 0.01\nlongest_step = 0.2\nshortest_step = 1e-6\npoints = 7\n\
                branches = false\ntime = 2\ntolerance = 1e-9";
    let found: PathSpec = study(text);
    assert_eq!((found.from, found.to, found.range), (Some(1.0), 3.0, Some([0.5, 4.0])));
    assert_eq!((found.signal, found.signal_range), (Some(1), Some([-1.0, 1.0])));
    assert_eq!((found.step, found.longest, found.shortest, found.points), (0.01, 0.2, 1e-6, 7));
    assert_eq!((found.branches, found.time, found.tolerance), (false, 2.0, 1e-9));
}

#[test]
fn keys_of_buckling() {
    let found: BucklingSpec = study("[study]\ntype = \"buckling\"\nparameter = \"P\"");
    assert_eq!((found.at, found.count, found.side), (None, 4, Side::Up));
    let text = "[study]\ntype = \"buckling\"\nparameter = \"P\"\nat = 2\ncount = 3\nside = \"both\"";
    let found: BucklingSpec = study(text);
    assert_eq!((found.at, found.count, found.side), (Some(2.0), 3, Side::Both));
}

#[test]
fn expectations_of_a_path() {
    let path = "[study]\ntype = \"path\"\nparameter = \"P\"\nto = 1\n";
    let expect = |more: &str| {
        let text = format!("{path}[[expect]]\nvalue = 1\ntolerance = 1\n{more}");
        load(&text).map_err(|e| e.render(false)).unwrap().expects.remove(0)
    };
    let found = expect("signal = \"limit_point.2.P - bifurcation.1.pull*bifurcation.count\"");
    let results = found.formula.quantities.iter().map(|quantity| match quantity {
        Quantity::Result(result) => (result.what, result.at),
        other => panic!("{other:?}"),
    });
    let expected =
        [("limit_point.parameter", [1, 0]), ("bifurcation.signal", [0, 1]), ("bifurcation.count", [0, 0])];
    assert_eq!(results.collect::<Vec<_>>(), expected);
    let found = expect("signal = \"P\"\nwhen = \"x\"\nat = 8\nbranch = 3");
    assert_eq!((found.at, found.when, found.branch), (Some(8.0), Some(0), 2));
    let found = expect("signal = \"equilibrium.stable\"\nat = -1e9");
    assert_eq!((found.at, found.when, found.branch), (Some(-1e9), None, 0));
}

/// Mistakes: the file, and what the message must contain.
#[test]
fn mistakes() {
    let path = "[study]\ntype = \"path\"\nparameter = \"P\"\nto = 1\n";
    let cases = [
        (
            "[study]\ntype = \"path\"\nparameter = \"p\"\nto = 1",
            "there is no parameter `p`",
            "did you mean `P`?",
        ),
        ("[study]\ntype = \"path\"\nto = 1", "missing key `parameter`", ""),
        ("[study]\ntype = \"path\"\nparameter = \"P\"", "missing key `to`", ""),
        (
            "[study]\ntype = \"path\"\nparameter = \"P\"\nfrom = 1\nto = 1",
            "starts where it should lead to",
            "",
        ),
        (
            "[study]\ntype = \"path\"\nparameter = \"P\"\nto = 1\nrange = [2, 1]",
            "the range from 2 to 1 is empty",
            "smaller value first",
        ),
        ("[study]\ntype = \"path\"\nparameter = \"P\"\nto = 1\nstep = 0.5", "does not lie between", ""),
        (
            "[study]\ntype = \"path\"\nparameter = \"P\"\nto = 1\nsignal_range = [0, 1]",
            "`signal_range` needs a signal",
            "add `signal`",
        ),
        (
            "[study]\ntype = \"path\"\nparameter = \"P\"\nto = 1\nsignal = \"pul\"",
            "there is no signal `pul`",
            "did you mean `pull`?",
        ),
        ("[study]\ntype = \"buckling\"\nparameter = \"Q\"", "there is no parameter `Q`", "P, k"),
        ("[study]\ntype = \"buckling\"\nparameter = \"P\"\nside = \"uo\"", "uo", "up"),
    ];
    let expects = [
        ("signal = \"limit_point.1.z\"", "there is no result `limit_point.1.z`", "x, pull, P"),
        ("signal = \"limit_point.0.P\"", "not a number from 1 on", ""),
        ("signal = \"limit_point.1.P + x\"", "cannot name other quantities", ""),
        ("signal = \"limit_point.1.P\"\nat = 1", "belong to the whole path", "remove `at`"),
        ("signal = \"buckling.1\"", "has no result `buckling.1`", "\"buckling\""),
        ("signal = \"x\"\nwhen = \"x\"", "`when` needs a value", "add `at`"),
        ("signal = \"x\"\nwhen = \"y\"\nat = 1", "there is no signal `y`", ""),
    ];
    let owned = expects.map(|(more, message, help)| {
        (format!("{path}[[expect]]\nvalue = 1\ntolerance = 1\n{more}"), message, help)
    });
    let motion =
        "[study]\nend = 1\nstep = 0.1\n[[expect]]\nvalue = 1\ntolerance = 1\nsignal = \"x\"\nat = 1\n";
    let others = [
        (format!("{motion}when = \"x\""), "has no path of equilibria", "`when`"),
        (format!("{motion}branch = 2"), "has no path of equilibria", "`branch`"),
    ];
    let all = cases.map(|(text, message, help)| (text.to_owned(), message, help));
    for (text, message, help) in all.into_iter().chain(owned).chain(others) {
        let error = load(&text).expect_err(&text).render(false);
        assert!(error.contains(message) && error.contains(help), "{text}\n{error}");
        assert!(error.contains("f.toml:"), "{error}");
    }
}
